"""Values and battles of army lists found by integer programming; finished battles are cached."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analyser.analysis.force_programme import Force, SolvedList
from analyser.analysis.list_opponents import UnitValues, single_loadout_opponents, values_against
from analyser.common.cache import Cache, digest
from analyser.common.intervals import CONFIDENCE
from analyser.common.kernel_records import Floats, Integers
from analyser.common.method_settings import Sampling
from analyser.common.text import aligned, whole_percent
from analyser.engine.battle.battle_data import CHUNK_BATTLES
from analyser.engine.battle.simulation import Simulation
from analyser.game.army import Army
from analyser.game.profiles import Profiles
from analyser.game.units import Faction, Loadout
from analyser.rules.battle import Outcome
from analyser.scenarios.armies import load_army
from analyser.scenarios.battle import BattleTerms, battle_scenario
from analyser.scenarios.battle_tables import encode_battle

ByPart = list[list[int]]  # battles won, drawn and simulated, for each part
PARTS = 16  # parts of the battles, each with its own random numbers


class BattleRecord(NamedTuple):
    """Battles of one list against all enemy armies, in several parts; the score counts a draw as half a win."""

    by_part: tuple[tuple[int, int, int], ...]  # battles won, drawn and simulated
    is_tied: bool = False  # True if the difference from the best score is not significant

    @property
    def totals(self) -> list[int]:
        """Battles won, drawn and simulated."""
        return [sum(counts) for counts in zip(*self.by_part)]

    @property
    def trials(self) -> int:
        return self.totals[2]

    @property
    def scores(self) -> NDArray[np.float64]:
        """Score of each part."""
        return np.array([(won + drawn / 2) / trials for won, drawn, trials in self.by_part])

    @property
    def score(self) -> float:
        return float(self.scores.mean())

    @property
    def draws(self) -> float:
        return self.totals[1] / self.trials

    @property
    def dice_variance(self) -> float:
        """Variance of the score due to dice and cards; one win, one draw and one loss are added, so it is above 0."""
        trials = self.trials + 3
        won, drawn, _ = ((count + 1) / trials for count in self.totals)
        return (won + drawn / 4 - (won + drawn / 2) ** 2) / trials

    @property
    def wins_text(self) -> str:
        return whole_percent(self.totals[0] / self.trials)

    @property
    def half_width(self) -> float:
        """Half the width of the 95% interval of the score."""
        return half_width(self.scores, self.dice_variance, 1 - CONFIDENCE)

    @property
    def score_text(self) -> str:
        return f"{100 * self.score:.1f} ±{100 * self.half_width:.1f}"

    def interval_entries(self, name: str) -> dict[str, float]:
        """Return the score under the key `name`, and the ends of its interval under ``..._low`` and ``..._high``."""
        ends = max(self.score - self.half_width, 0.0), min(self.score + self.half_width, 1.0)
        return {name: self.score, f"{name}_low": ends[0], f"{name}_high": ends[1]}

    @property
    def range_text(self) -> str:
        return f"{100 * self.scores.min():.0f} to {100 * self.scores.max():.0f}"

    def figures(self) -> dict[str, Any]:
        ends = {"least_score": float(self.scores.min()), "greatest_score": float(self.scores.max())}
        won = {"p_victory": self.totals[0] / self.trials, "p_draw": self.draws}
        return {**won, **self.interval_entries("score"), **ends, "orders": len(self.by_part), "tied": self.is_tied}

    def as_dict(self) -> dict[str, Any]:
        won, drawn, trials = self.totals
        return {"battles": trials, "won": won, "drawn": drawn, **self.figures()}


class BuiltList(NamedTuple):
    """A list, its value by integer programming, and its battles.

    `value` is the sum of the points `destroyed` and `kept`, as a mean or worst case over the opponents. No other legal
    list exceeds it by more than the share `gap` (NaN for the user's own list), except lists that are too similar to an
    earlier list. `differs` is the share of the first list's points in units that this list leaves out. `without_value`
    has the units of the user's own list that the search does not include; if there are any, all these figures are NaN.
    """

    army: Army
    value: float = np.nan
    destroyed: float = np.nan
    kept: float = np.nan
    gap: float = np.nan
    differs: float = np.nan
    battles: BattleRecord | None = None
    without_value: tuple[str, ...] = ()

    @property
    def score(self) -> float:
        """Score in battles; 0 without battles."""
        return 0.0 if self.battles is None else self.battles.score

    def figures(self) -> dict[str, float | None]:
        """Return the value and its parts by name; None for a missing figure."""
        figures = {name: getattr(self, name) for name in ("value", "destroyed", "kept", "gap", "differs")}
        return {name: None if np.isnan(figure) else figure for name, figure in figures.items()}

    def as_dict(self) -> dict[str, Any]:
        head = {"name": self.army.name, "points": self.army.points, **self.figures(), "units": units_of(self.army)}
        return head | ({} if self.battles is None else {"battles": self.battles.as_dict()})


def units_of(army: Army) -> list[dict[str, Any]]:
    """Return the units of an army and their battlegroups as plain data."""
    return [{"unit": unit.loadout.selector, "battlegroup": unit.battlegroup} for unit in army.units]


def units_by_battlegroup(army: Army) -> Iterator[tuple[str, list[tuple[int, str, int]]]]:
    """Yield the name of each battlegroup, and for each of its loadouts the number of units, title and total points."""
    for name in dict.fromkeys(unit.battlegroup for unit in army.units):
        kinds: dict[tuple[str, str], list[int]] = {}
        for unit in army.units:
            if unit.battlegroup == name:
                title = unit.title.partition(" #")[0]
                kinds.setdefault((unit.loadout.selector, title), []).append(unit.points or 0)
        yield name or "", [(len(points), title, sum(points)) for (_, title), points in kinds.items()]


def army_lines(army: Army) -> list[str]:
    """Return the units of an army by battlegroup, as text."""
    lines = []
    for name, rows in units_by_battlegroup(army):
        lines += [f"{name}:"] if name else []
        lines += aligned([(f"  {number} ×", title, f"{points}") for number, title, points in rows], "<<>")
    return lines


def unused_options(faction: Faction, armies: Sequence[Army]) -> list[str]:
    """Return texts about the boons and passengers that the faction allows and these lists lack."""
    boons = [f"{boon.name} ({boon.points})" for boon in faction.boons if boon.points]
    carriers = sorted({loadout.unit.name for army in armies for loadout in army.loadouts if loadout.capacity})
    texts = [f"boons (the list has none): {', '.join(boons)}"] if boons else []
    return [*texts, *([f"passengers of {', '.join(carriers)}, which stay empty"] if carriers else [])]


def built_lists(
    solved: Sequence[SolvedList],
    force: Force,
    values: UnitValues,
    weights: Floats | None,
    library: Profiles,
) -> tuple[BuiltList, ...]:
    """Return the lists as armies with their values; `weights` has one for each opponent, None for the worst case."""
    lists = []
    for rank, choice in enumerate(solved, 1):
        army = army_of(f"{library.factions[force.faction].name} list {rank}", choice, force, library)
        built = _with_value(army, np.array(choice.counts), solved[0], force, values, weights)
        lists.append(built._replace(value=choice.value, gap=choice.gap))
    return tuple(lists)


def own_list(own: Army, first: SolvedList, force: Force, values: UnitValues, weights: Floats | None) -> BuiltList:
    """Return the user's own list with its value, compared with the `first` built list."""
    unknown = [unit.title for unit in own.units if unit.loadout not in force.loadouts]
    if unknown:
        return BuiltList(own, without_value=tuple(dict.fromkeys(unknown)))
    counts = np.array([own.loadouts.count(loadout) for loadout in force.loadouts])
    return _with_value(own, counts, first, force, values, weights)


def _with_value(
    army: Army, counts: Integers, first: SolvedList, force: Force, values: UnitValues, weights: Floats | None
) -> BuiltList:
    """Return an army with its value; `counts` has its number of each loadout of `force`."""
    by_opponent = np.array([values.destroyed @ counts, values.kept @ counts])
    destroyed, kept = by_opponent[:, by_opponent.sum(axis=0).argmin()] if weights is None else by_opponent @ weights
    differs = 1 - float(force.points @ np.minimum(counts, first.counts) / (force.points @ first.counts))
    return BuiltList(army, float(destroyed + kept), float(destroyed), float(kept), differs=differs)


def army_of(name: str, solved: SolvedList, force: Force, library: Profiles) -> Army:
    """Return a list as an army, with its units in their battlegroups."""
    groups: dict[str, str] = {}
    units: list[dict[str, Any]] = []
    for kind, counts in solved.battlegroups:
        group = None
        if kind is not None:
            number = list(groups.values()).count(kind.id) + 1
            group = kind.name if number == 1 else f"{kind.name} {number}"
            groups[group] = kind.id
        for loadout, count in zip(force.loadouts, counts):
            unit = {"unit": loadout.selector} | ({} if group is None else {"battlegroup": group})
            units += [unit] * count
    limits = {"scale": force.scale, "points_limit": force.most_points, "battlegroups": groups}
    return load_army({"name": name, "faction": force.faction, **limits, "unit": units}, library)


def best_enemy_lists(
    enemy_loadouts: Sequence[Loadout], force: Force, losses: pd.DataFrame, library: Profiles
) -> tuple[Army, ...]:
    """Return the best list of each faction among the enemy's loadouts, within the limits of `force`.

    The best list has the highest value against the loadouts of `force` (the user's side), all units weighted equally. A
    faction without a legal list is left out.
    """
    lists, opponents = [], single_loadout_opponents(force.loadouts, force.most_points)
    weights = np.array([opponent.weight for opponent in opponents])
    for name in dict.fromkeys(loadout.faction for loadout in enemy_loadouts):
        faction, units = library.factions[name], tuple(loadout for loadout in enemy_loadouts if loadout.faction == name)
        enemy = replace(force, loadouts=units, battlegroups=faction.battlegroups, must=(), at_most=None)
        best = enemy.best(weights @ values_against(opponents, units, losses, force.most_points).total)
        if best is not None:
            lists.append(army_of(f"Best list of {faction.name}", best, enemy, library))
    return tuple(lists)


def half_width(scores: NDArray[np.float64], dice_variance: float, error: float) -> float:
    """Return half the width of a mean's 1 - `error` interval: the wider of that by parts (Student's t) and by dice."""
    from scipy.stats import norm, t

    by_dice: float = norm.ppf(1 - error / 2) * dice_variance**0.5
    parts = len(scores)
    if parts < 2:
        return by_dice
    by_parts: float = t.ppf(1 - error / 2, parts - 1) * scores.std(ddof=1) / parts**0.5
    return max(by_dice, by_parts)


def play_battles(
    lists: Sequence[Army], armies: Sequence[Army], sampling: Sampling, library: Profiles
) -> list[BattleRecord]:
    """Return the battles of each list against all armies, in several parts; cached battles are not repeated."""
    parts, cache = min(PARTS, sampling.first_trials()), Cache("battles")
    trials_of_pair = sampling.first_trials() // parts * parts
    total, done, records = len(lists) * len(armies) * trials_of_pair, 0, []
    for army in lists:
        counts = np.zeros((parts, 3), np.int64)
        for enemy in armies:
            key = _key(army, enemy, sampling, library)
            if (stored := cache.read(key)) is None:

                def report(played: int, before: int = done) -> None:
                    sampling.report(before + played, total)

                stored = json.dumps(battles_by_part(army, enemy, sampling, library, report)).encode()
                cache.write(key, stored)
            done += trials_of_pair
            sampling.report(done, total)
            counts += np.array(json.loads(stored))
        records.append(BattleRecord(tuple((won, drawn, trials) for won, drawn, trials in counts.tolist())))
    return records


def battles_by_part(
    army: Army, enemy: Army, sampling: Sampling, library: Profiles, report: Callable[[int], None]
) -> ByPart:
    """Return the battles won, drawn and simulated in each of several parts, which have separate random numbers.

    Both sides use the tactic ``balanced``. All lists fight the enemy with the same random numbers.
    """
    scenario = battle_scenario(army, enemy, BattleTerms(), library.ruleset, library)
    simulation, parts = Simulation(*encode_battle(scenario)), min(PARTS, sampling.first_trials())
    trials, result = sampling.first_trials() // parts, []
    offset = -(-trials // CHUNK_BATTLES) * CHUNK_BATTLES  # battles from the start of one part to the start of the next
    for number in range(parts):
        played = simulation.play(trials, int(sampling.seed), sampling.n_threads, before=number * offset)
        outcomes = played.outcomes.sum(axis=0)
        won = outcomes[[Outcome.VICTORY, Outcome.DEVASTATING_VICTORY]].sum()
        result.append([int(won), int(outcomes[Outcome.DRAW]), trials])
        report(trials * (number + 1))
    return result


def _key(army: Army, enemy: Army, sampling: Sampling, library: Profiles) -> str:
    """Return a cache key: a digest of everything that the battles of two armies depend on."""
    sides = army, enemy
    tables = [side.to_table() for side in sides]  # includes reserves, transports, policies and boons
    profiles = [[unit.loadout.model_dump(mode="json") for unit in side.units] for side in sides]
    rules = library.ruleset.model_dump(mode="json"), library.force_rules.model_dump(mode="json")
    return digest([tables, profiles, rules, PARTS, sampling.first_trials(), int(sampling.seed)])


def with_ties(records: Sequence[BattleRecord]) -> tuple[BattleRecord, ...]:
    """Mark records as tied if they do not differ significantly from the best (95% confidence for all comparisons)."""
    best, others = max(records, key=lambda record: record.score), max(len(records) - 1, 1)
    return tuple(record._replace(is_tied=is_tied_with(best, record, others)) for record in records)


def is_tied_with(best: BattleRecord, other: BattleRecord, comparisons: int = 1) -> bool:
    """Return True if the difference in score is not significant, with a Bonferroni correction for `comparisons`."""
    differences = best.scores - other.scores
    half = half_width(differences, best.dice_variance + other.dice_variance, (1 - CONFIDENCE) / comparisons)
    return bool(abs(differences.mean()) <= half)
