"""Battles of several lists against enemy armies, cached as they finish, and ties between lists."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.cache import Cache, digest
from analyser.common.intervals import CONFIDENCE
from analyser.common.method_settings import Sampling
from analyser.common.text import whole_percent
from analyser.engine.battle.battle_data import CHUNK_BATTLES
from analyser.engine.battle.simulation import Simulation
from analyser.game.army import Army
from analyser.game.profiles import Profiles
from analyser.rules.battle import Outcome
from analyser.scenarios.battle import BattleTerms, battle_scenario
from analyser.scenarios.battle_tables import encode_battle

ByPart = list[list[int]]  # battles won, drawn and played, for each part
PARTS = 16  # parts of the battles, each with its own random numbers
_DRAW_SCORE = 0.5  # a draw counts as half a win


class BattleRecord(NamedTuple):
    """Battles of one list against all enemy armies: the numbers won, drawn and simulated in each of several parts."""

    by_part: tuple[tuple[int, int, int], ...]
    is_tied: bool = False  # True if the difference from the best score is not significant

    @property
    def totals(self) -> list[int]:
        """Battles won, drawn and simulated."""
        return [sum(counts) for counts in zip(*self.by_part)]

    @property
    def trials(self) -> int:
        """Battles simulated."""
        return self.totals[2]

    @property
    def scores(self) -> NDArray[np.float64]:
        """Share of battles won in each part, a draw counting as half a win."""
        return np.array([(won + _DRAW_SCORE * drawn) / trials for won, drawn, trials in self.by_part])

    @property
    def score(self) -> float:
        """Mean of `scores` over the parts."""
        return float(self.scores.mean())

    @property
    def draws(self) -> float:
        """Share of battles drawn."""
        return self.totals[1] / self.trials

    @property
    def dice_variance(self) -> float:
        """Variance of the score due to dice and cards, estimated with one win, one draw and one loss added."""
        trials = self.trials + 3
        won, drawn, _ = ((count + 1) / trials for count in self.totals)
        mean = won + _DRAW_SCORE * drawn
        return (won + _DRAW_SCORE**2 * drawn - mean**2) / trials

    @property
    def wins_text(self) -> str:
        """Share of battles won, in percent."""
        return whole_percent(self.totals[0] / self.trials)

    @property
    def half_width(self) -> float:
        """Half of the 95% interval of the score."""
        return half_width(self.scores, self.dice_variance, 1 - CONFIDENCE)

    @property
    def score_text(self) -> str:
        """Score with half of its interval."""
        return f"{100 * self.score:.1f} ±{100 * self.half_width:.1f}"

    def interval_entries(self, name: str) -> dict[str, float]:
        """Return the score under the key `name`, and the ends of its interval under ``..._low`` and ``..._high``."""
        ends = max(self.score - self.half_width, 0.0), min(self.score + self.half_width, 1.0)
        return {name: self.score, f"{name}_low": ends[0], f"{name}_high": ends[1]}

    @property
    def range_text(self) -> str:
        """Lowest and highest score of the parts."""
        return f"{100 * self.scores.min():.0f} to {100 * self.scores.max():.0f}"

    def figures(self) -> dict[str, Any]:
        """Return the figures by column name."""
        ends = {"least_score": float(self.scores.min()), "greatest_score": float(self.scores.max())}
        won = {"p_victory": self.totals[0] / self.trials, "p_draw": self.draws}
        return {**won, **self.interval_entries("score"), **ends, "orders": len(self.by_part), "tied": self.is_tied}

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as plain data."""
        won, drawn, trials = self.totals
        return {"battles": trials, "won": won, "drawn": drawn, **self.figures()}


def half_width(scores: NDArray[np.float64], dice_variance: float, error: float) -> float:
    """Return half of a mean's interval with confidence 1 - `error`: by parts (Student's t) or by dice, if wider."""
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
    """Return the battles of each list against each army in several parts; cached battles are not repeated."""
    parts, cache = min(PARTS, sampling.first_trials()), Cache("battles")
    trials_of_pair = sampling.first_trials() // parts * parts
    total, done, records = len(lists) * len(armies) * trials_of_pair, 0, []
    with sampling.with_bar() as reporting:
        for army in lists:
            counts = np.zeros((parts, 3), np.int64)
            for enemy in armies:
                key = _key(army, enemy, sampling, library)
                if (stored := cache.read(key)) is None:

                    def report(played: int, before: int = done) -> None:
                        reporting.report(before + played, total)

                    stored = json.dumps(battles_by_part(army, enemy, reporting, library, report)).encode()
                    cache.write(key, stored)
                done += trials_of_pair
                reporting.report(done, total)
                counts += np.array(json.loads(stored))
            records.append(BattleRecord(tuple((won, drawn, trials) for won, drawn, trials in counts.tolist())))
    return records


def battles_by_part(
    army: Army, enemy: Army, sampling: Sampling, library: Profiles, report: Callable[[int], None]
) -> ByPart:
    """Return the battles won, drawn and simulated in each of several parts, which have separate random numbers.

    Both sides use the tactic ``balanced``. Each list fights the enemy with the same random numbers.
    """
    scenario = battle_scenario(army, enemy, BattleTerms(), library.ruleset, library)
    simulation, seed = Simulation(*encode_battle(scenario)), int(sampling.seed)
    parts = min(PARTS, sampling.first_trials())
    trials, result = sampling.first_trials() // parts, []
    offset = -(-trials // CHUNK_BATTLES) * CHUNK_BATTLES  # number of battles between the starts of two parts
    for number in range(parts):
        outcomes = simulation.play(trials, seed, sampling.n_threads, before=number * offset).outcomes.sum(axis=0)
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
    """Mark records as tied if they do not differ significantly from the best (95% for all together)."""
    best, others = max(records, key=lambda record: record.score), max(len(records) - 1, 1)
    return tuple(record._replace(is_tied=is_tied_with(best, record, others)) for record in records)


def is_tied_with(best: BattleRecord, other: BattleRecord, comparisons: int = 1) -> bool:
    """Return True if the difference in score is not significant, with a correction for the number of comparisons."""
    differences = best.scores - other.scores
    half = half_width(differences, best.dice_variance + other.dice_variance, (1 - CONFIDENCE) / comparisons)
    return bool(abs(differences.mean()) <= half)
