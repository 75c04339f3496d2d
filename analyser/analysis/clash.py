"""Comparison of two armies: best counters, targets that are hard to hurt, and the best attacks of a round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pandas as pd

from analyser.analysis.army_loadouts import ArmyLoadouts, army_loadouts
from analyser.analysis.battle import battle
from analyser.analysis.best_counters import (
    BestCounter,
    HardTarget,
    best_counters,
    hard_target_lines,
    hard_targets,
    with_points_lost,
)
from analyser.analysis.best_volleys import AIMS, Volleys, best_volleys, check_aim
from analyser.analysis.clash_text import clash_blocks, clash_notes
from analyser.analysis.grid import NotModelled
from analyser.analysis.matchups import Matchups, assumptions_of, matchups
from analyser.analysis.situations import ALL_SITUATIONS, Situation, situations_named
from analyser.common.answer import Block, FramedAnswer, plain_rows
from analyser.common.errors import InputError, check_choice, check_integer, is_number
from analyser.common.estimates import estimate_in
from analyser.common.frames import tidy
from analyser.common.method_settings import Progress, Sampling
from analyser.common.metrics import MetricLike
from analyser.common.text import counted
from analyser.game.army import names_apart
from analyser.game.profiles import ProfilesLike, ProfilesUsed, library_of
from analyser.results.base import result_sentence
from analyser.scenarios.armies import ArmyLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHARE_LOST, WINS = "mean_share_lost", "p_attacker_wins"
ASSIGNMENT_NOTES = (
    "The best attacks of a round are ranged attacks. All units are in the same situation. Each attacks at most once, "
    "with its row that is best against the undamaged target.",
    "Attacks on one target are made one after the other, in the order of the army, and the enemy does nothing in "
    "between: a target keeps damage, losses, suppression and disorder from one attack to the next (AC-9.1).",
    "The attackers' own losses (Tail Gunner) are not counted. No unit moves, charges or reacts.",
    "Points lost: all points of a unit that is destroyed, breaks or flees, otherwise its points times the share of it "
    "that is lost.",
)
"""Assumptions of the best attacks of a round, in addition to those of all comparisons."""


@dataclass(frozen=True, eq=False, repr=False)
class Side:
    """One side of a clash: its attacks on the enemy.

    `key` is ``mine`` or ``yours``. `volleys` has the best assignment of all shots for each situation of ranged attacks.
    """

    key: str
    army: ArmyLoadouts
    enemy: ArmyLoadouts
    matchups: Matchups
    volleys: tuple[Volleys, ...]

    @property
    def name(self) -> str:
        return self.army.army.name

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The attacks of this side; see :attr:`Clash.frame`."""
        result = with_points_lost(self.matchups.frame)
        result.insert(0, "side", self.key)
        for name, army in (("attacker", self.army), ("defender", self.enemy)):
            counts = zip((loadout.selector for loadout in army.loadouts), army.counts)
            result[f"{name}_units"] = result[name].map(dict(counts))
        return result

    @cached_property
    def counters(self) -> tuple[BestCounter, ...]:
        """Best counter to each enemy unit, in each situation."""
        return best_counters(self.frame, self.matchups.situations)

    @cached_property
    def second_counters(self) -> tuple[BestCounter, ...]:
        """Second-best counters in the order of :attr:`counters`."""
        return best_counters(self.frame, self.matchups.situations, 1)

    @cached_property
    def hard_targets(self) -> tuple[HardTarget, ...]:
        """Enemy units that this army cannot kill in a round, can hardly hurt, or can hurt with only one unit."""
        return hard_targets(self.frame, self.matchups.situations, self.army, self.volleys)


@dataclass(frozen=True, eq=False, repr=False)
class Clash(FramedAnswer):
    """Comparison of two armies; every figure is exact except those of battles.

    `battle_conclusions` and `battle_figures` come from simulated battles, if requested.
    """

    mine: Side
    yours: Side
    battle_conclusions: tuple[str, ...] = ()
    battle_figures: dict[str, Any] = field(default_factory=dict)

    schema = "analyser/clash/1"

    @property
    def headline(self) -> str:
        """The army that wins more battles; without battles the number of enemy loadouts in `hard_targets`."""
        mine, yours = self.mine.name, self.yours.name
        if self.battle_figures:
            won, lost, draw = (estimate_in(self.battle_figures, f"p_{name}") for name in ("victory", "defeat", "draw"))
            return result_sentence(mine, yours, won, lost, draw)
        n_hard, kinds = len({unit.target for unit in self.mine.hard_targets}), len(self.yours.army.loadouts)
        return f"Hard targets for {mine}: {n_hard} of {counted(kinds, 'kind')} of units of {yours}."

    @property
    def summary(self) -> dict[str, Any]:
        """Figures of the battles; empty if no battles were requested."""
        return self.battle_figures

    @property
    def sides(self) -> tuple[Side, Side]:
        return self.mine, self.yours

    @property
    def situations(self) -> tuple[Situation, ...]:
        return self.mine.matchups.situations

    @property
    def profiles(self) -> ProfilesUsed:
        return self.mine.matchups.profiles

    @property
    def not_modelled(self) -> tuple[NotModelled, ...]:
        """Rules of both armies that the figures or the best attacks of a round leave out."""
        by_name = {rule.name: rule for side in self.sides for rule in side.matchups.not_modelled}
        boons = dict.fromkeys(boon.name for side in self.sides for boon in side.army.army.paid_boons)
        rules = [NotModelled(f"boon {name}", "every figure", ()) for name in boons]
        rules += (by_name[name] for name in sorted(by_name))
        units = (loadout.unit for side in self.sides for loadout in side.army.loadouts)
        melee_units = tuple(dict.fromkeys(unit.name for unit in units if any(row.kind == "melee" for row in unit.rows)))
        if self.mine.volleys and melee_units:
            name, touches = "charges in the best attacks of a round", "the best attacks of a round, which are all shots"
            rules.append(NotModelled(name, touches, melee_units))
        return tuple(rules)

    @property
    def assumptions(self) -> tuple[str, ...]:
        notes = ASSIGNMENT_NOTES if self.mine.volleys else ()
        return (*self.profiles.assumptions, *assumptions_of(self.situations), *notes)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about the armies, and about passengers, which count as disembarked."""
        warnings = list[str]()
        for side in self.sides:
            army = side.army.army
            embarked = [(unit.title, army[unit.embarked_in].title) for unit in army if unit.embarked_in is not None]
            about = [f"{unit} is embarked in {carrier}, but counts as disembarked here" for unit, carrier in embarked]
            warnings += (f"{side.name}: {warning}" for warning in (*army.warnings, *about))
        return tuple(warnings)

    @cached_property
    def frame(self) -> pd.DataFrame:  # type: ignore[override]
        """All matchups: a row for each attacking loadout (of either army), each target and each situation.

        The columns are those of :func:`analyser.matchups` plus the attacking `side` (``mine`` or ``yours``), the
        numbers of units (`attacker_units`, `defender_units`) and the points that the defender (`points_lost`) and the
        attacker (`own_points_lost`) lose.
        """
        return pd.concat([side.frame for side in self.sides], ignore_index=True)

    def hard_target_lines(self) -> list[str]:
        """Return the hard targets of both armies as sentences."""
        return [
            line
            for side in self.sides
            for line in hard_target_lines(side.hard_targets, self.situations, side.army, side.enemy)
        ]

    def volleys_frame(self) -> pd.DataFrame:
        """Return the best shots of both armies as a tidy frame: a row for each attacking loadout on each target."""
        return tidy({"side": side.key} | row for side in self.sides for shots in side.volleys for row in shots.rows())

    def plot(
        self, *, situation: str | None = None, metric: MetricLike | None = None, ax: Axes | None = None, **more: Any
    ) -> Axes:
        """Draw a heatmap of the losses that `mine` inflicts on `yours` in one situation, by default the first.

        The metric (as in :meth:`analyser.Matchups.heatmap`) is by default the mean share of the target that is lost;
        for a duel, the probability of winning it.
        """
        fights = {situation.name: situation.fight for situation in self.situations}
        name = situation or self.situations[0].name
        check_choice(name, "situation", list(fights))
        metric = metric or (WINS if fights[name].has_winner else SHARE_LOST)
        return self.mine.matchups.heatmap(metric=metric, situation=name, ax=ax, **more)

    def _body(self) -> dict[str, Any]:
        return {
            "kind": "clash",
            "method": "exact",
            "mine": self.mine.army.as_dict(),
            "yours": self.yours.army.as_dict(),
            "situations": [situation.name for situation in self.situations],
            **self.profiles.fight_entries(),
            "answers": [counter.as_dict() for counter in self.mine.counters],
            "threats": [counter.as_dict() for counter in self.yours.counters],
            "next_answers": [counter.as_dict() for counter in self.mine.second_counters],
            "next_threats": [counter.as_dict() for counter in self.yours.second_counters],
            "battles": list(self.battle_conclusions),
            "battle": self.battle_figures,
            "gaps": [unit._asdict() for unit in self.mine.hard_targets],
            "their_gaps": [unit._asdict() for unit in self.yours.hard_targets],
            "assignments": [volley.as_dict() for volley in self.mine.volleys],
            "their_assignments": [volley.as_dict() for volley in self.yours.volleys],
            "matchups": plain_rows(self.frame),
            "assumptions": list(self.assumptions),
            "not_modelled": [rule._asdict() for rule in self.not_modelled],
            "warnings": list(self.warnings),
        }

    def blocks(self) -> list[Block]:
        return clash_blocks(self)

    def notes(self) -> list[str]:
        return clash_notes(self)


def clash(
    mine: ArmyLike,
    yours: ArmyLike,
    *,
    situations: str | Situation | Sequence[Situation | str] = ALL_SITUATIONS,
    distance: float | None = None,
    aim: str = "points",
    battles: int = 0,
    threads: int | None = None,
    profiles: ProfilesLike | None = None,
    progress: Progress | bool | None = None,
) -> Clash:
    """Compare two armies exactly: best counters, targets that are hard to hurt, and the best attacks of a round.

    Parameters
    ----------
    mine, yours : path, list, mapping or Army
        As in :func:`analyser.load_army`: a file, or units by selector, such as ``3 x crown/rifle-platoon@basic``.
    situations
        As in :func:`analyser.matchups`. Default: all.
    distance : float, optional
        Add a situation before the others, in which all units aim and shoot at this distance in inches.
    aim : str
        Objective of the best attacks of a round: the enemy's lost ``points``, ``annihilated`` units or
        ``victory-points``.
    battles : int
        Number of battles to simulate, with the defaults of :func:`analyser.battle`.
    threads, profiles, progress
        As in :func:`analyser.matchups`.

    Raises
    ------
    InputError
        An unreadable or empty army, an unknown situation or aim, an unusable distance, or units without the points
        that the aim needs.

    Notes
    -----
    The best attacks come from integer programming over volleys (:mod:`analyser.analysis.assignment`), valued by the
    exact distribution of focus fire (AC-9.1). Any other choice of attacks is better by at most the share `gap`.

    Examples
    --------
    >>> found = clash(["2 x crown/rifle-platoon@basic"], ["imperium/krupp-field-guns@basic"], situations="long-range")
    >>> [(counter.attacker, round(counter.points_lost, 1)) for counter in found.mine.counters]
    [('crown/rifle-platoon@basic', 42.3)]
    >>> best = found.mine.volleys[0]
    >>> best.volley_results[0].shots[0].units, round(best.value, 1), best.gap, round(best.sum_of_single, 1)
    (2, 67.7, 0.0, 84.5)
    """
    check_choice(aim, "aim", tuple(AIMS))
    check_integer(battles, "battles", 0, 10**9)
    library = library_of(profiles)
    sampling = Sampling(threads=threads, progress=progress)
    first, second = army_loadouts(mine, library, "mine"), army_loadouts(yours, library, "yours")
    names = names_apart(first.army, second.army)
    first, second = (army._replace(army=replace(army.army, name=name)) for army, name in zip((first, second), names))
    wanted = (*([at_distance(distance)] if distance is not None else []), *situations_named(situations))
    ranged = [situation for situation in wanted if situation.kind == "ranged"]
    if ranged:
        for army in (first, second):
            check_aim(aim, army)
    options: dict[str, Any] = {"threads": threads, "profiles": library}
    steps, sides = 2 * (1 + len(ranged)), list[Side]()
    with sampling.with_bar() as reporting:
        for key, army, enemy in (("mine", first, second), ("yours", second, first)):
            table = matchups(army.loadouts, enemy.loadouts, metric=SHARE_LOST, situations=wanted, **options)
            volleys, done = list[Volleys](), len(sides) * steps // 2 + 1
            reporting.report(done, steps)
            for situation in ranged:
                volleys.append(best_volleys(army, enemy, table.frame, situation, library.ruleset, aim))
                reporting.report(done + len(volleys), steps)
            sides.append(Side(key, army, enemy, table, tuple(volleys)))
    result = Clash(sides[0], sides[1])
    if not battles:
        return result
    simulated = battle(first.army, second.army, trials=battles, progress=progress, **options)
    return replace(result, battle_conclusions=tuple(simulated.conclusions()), battle_figures=simulated.summary)


def at_distance(inches: float) -> Situation:
    """Return the situation of an aimed shot at this distance; InputError for an unusable distance."""
    if not is_number(inches) or not 0 < inches <= 1000:
        raise InputError(f"{inches!r} is not usable", where="distance", allowed="inches above 0, up to 1000")
    name = f"at-{inches:g}-inches-aimed".replace(".", "-")
    return Situation(name=name, title=f"at {inches:g} inches, aimed", bonuses=("aiming",), distance=float(inches))
