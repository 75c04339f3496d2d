"""Comparison of two armies: best counters, gaps, and the best attacks of a round."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pandas as pd

from analyser.analysis.army_loadouts import Listed, listed, unique_names
from analyser.analysis.battle import battle as fight
from analyser.analysis.best_counters import BestCounter, Gap, Together, best_counters, gap_lines, gaps, with_points
from analyser.analysis.best_volleys import AIMS, Volleys, best_volleys, check_aim
from analyser.analysis.clash_text import clash_blocks, clash_notes
from analyser.analysis.grid import NotModelled
from analyser.analysis.matchups import ASSUMPTIONS, Matchups, matchups
from analyser.analysis.situations import ALL_SITUATIONS, Situation, situations_called
from analyser.common.answer import Block, FramedAnswer, plain_rows
from analyser.common.errors import InputError, check_choice, check_integer
from analyser.common.frames import tidy
from analyser.common.method_settings import Progress, Sampling
from analyser.common.metrics import MetricLike
from analyser.common.text import counted
from analyser.game.forces import Boon
from analyser.game.profiles import ProfilesLike, ProfilesUsed, library_of
from analyser.results.base import contest
from analyser.scenarios.armies import ArmyLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHARE_LOST, WINS = "mean_share_lost", "p_attacker_wins"
CHARGES = NotModelled("Charges", "the best attacks of a round, which are shots alone", ())
ASSIGNMENT_NOTES = (
    "An assignment has ranged attacks only. Each unit attacks at most once, all in the same situation, each with its "
    "best row against the undamaged target.",
    "Attacks on one target are made one after the other, in the order of the army, and the enemy does nothing in "
    "between: a target keeps damage, losses, suppression and disorder from one to the next (AC-9.1).",
    "The attackers' own losses (Tail Gunner) are not counted. No unit moves, charges or reacts.",
    "Points lost: all of a unit that is destroyed, broken or fled, else the share that damage has taken.",
)
"""Assumptions of the assignment, in addition to those of all comparisons."""


@dataclass(frozen=True, eq=False, repr=False)
class Clash(FramedAnswer):
    """Comparison of two armies; every figure is exact except those of battles.

    Attributes
    ----------
    mine, yours : Listed
        The distinct loadouts of each army, and the number of each.
    ours, theirs : Matchups
        Matchups of my units attacking yours, and of yours attacking mine.
    volleys, their_volleys : tuple of Volleys
        For each situation of ranged attacks the best assignment of all attacks of a side.
    fought : tuple of str
        Conclusions from simulated battles, if requested (:meth:`BattleResult.conclusions`).
    battle : dict
        Figures of these battles by name (:attr:`BattleResult.summary`).
    """

    mine: Listed
    yours: Listed
    ours: Matchups
    theirs: Matchups
    volleys: tuple[Volleys, ...]
    their_volleys: tuple[Volleys, ...]
    fought: tuple[str, ...] = ()
    battle: dict[str, Any] = field(default_factory=dict)

    schema = "analyser/clash/1"

    @property
    def headline(self) -> str:
        """The army that wins more battles; without battles the number of enemy kinds that the first can hardly hurt."""
        mine, yours = self.mine.army.name, self.yours.army.name
        if self.battle:
            return contest(mine, yours, self.battle["p_victory"], self.battle["p_defeat"])
        hard = len({gap.target for gap in self.gaps})
        kinds = counted(len(self.yours.kinds), "kind")
        return f"{mine} can do little about {hard or 'none'} of {kinds} of units of {yours}."

    @property
    def summary(self) -> dict[str, Any]:
        """Figures of the battles, if requested."""
        return self.battle

    @property
    def situations(self) -> tuple[Situation, ...]:
        """Situations of the matchups."""
        return self.ours.situations

    @property
    def profiles(self) -> ProfilesUsed:
        """Source of the profiles."""
        return self.ours.profiles

    @property
    def not_modelled(self) -> tuple[NotModelled, ...]:
        """Items on the profiles of both sides that figures or assignments ignore."""
        both = {rule.name: rule for rule in (*self.ours.not_modelled, *self.theirs.not_modelled)}
        boons = (NotModelled(f"boon {boon.name}", "every figure", ()) for boon in self._bought)
        named = (*boons, *(both[name] for name in sorted(both)))
        kinds = (kind.unit for army in (self.mine, self.yours) for kind in army.kinds)
        fighters = tuple(dict.fromkeys(unit.name for unit in kinds if any(row.kind == "melee" for row in unit.rows)))
        return (*named, CHARGES._replace(units=fighters)) if self.volleys and fighters else named

    @property
    def _bought(self) -> tuple[Boon, ...]:
        return tuple(dict.fromkeys((*self.mine.army.bought, *self.yours.army.bought)))

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Assumptions of the answer."""
        return (*self.profiles.assumptions, *ASSUMPTIONS, *(ASSIGNMENT_NOTES if self.volleys else ()))

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about the armies."""
        return tuple(
            f"{side.army.name}: {warning}" for side in (self.mine, self.yours) for warning in side.army.warnings
        )

    @cached_property
    def frame(self) -> pd.DataFrame:  # type: ignore[override]
        """The matrix: a row for each attacker of both sides, target and situation.

        The columns are those of :func:`analyser.matchups`, the attacking `side` (``mine`` or ``yours``), the numbers
        of units (`attacker_units`, `defender_units`) and the points lost (`points_lost`, `own_points_lost`).
        """
        parts = []
        for side, result, army, enemy in self._both():
            units = {"attacker_units": _counts(army, result.frame["attacker"])}
            units |= {"defender_units": _counts(enemy, result.frame["defender"])}
            part = with_points(result.frame).assign(**units)
            part.insert(0, "side", side)
            parts.append(part)
        return pd.concat(parts, ignore_index=True)

    def _both(self) -> Iterator[tuple[str, Matchups, Listed, Listed]]:
        yield "mine", self.ours, self.mine, self.yours
        yield "yours", self.theirs, self.yours, self.mine

    def of(self, side: str) -> pd.DataFrame:
        """Return the rows of the matrix in which a side attacks, ``mine`` or ``yours``."""
        return self.frame[self.frame["side"] == side]

    @cached_property
    def answers(self) -> tuple[BestCounter, ...]:
        """Best counter of the first army to each enemy unit, in each situation."""
        return tuple(best_counters(self.of("mine"), self.situations))

    @cached_property
    def threats(self) -> tuple[BestCounter, ...]:
        """Best counter of the enemy to each unit of the first army, in each situation."""
        return tuple(best_counters(self.of("yours"), self.situations))

    @cached_property
    def next_answers(self) -> tuple[BestCounter, ...]:
        """Second-best counters, in the order of :attr:`answers`, in case the best is needed elsewhere."""
        return tuple(best_counters(self.of("mine"), self.situations, 1))

    @cached_property
    def next_threats(self) -> tuple[BestCounter, ...]:
        """Second-best counters of the enemy, in the order of :attr:`threats`."""
        return tuple(best_counters(self.of("yours"), self.situations, 1))

    @cached_property
    def gaps(self) -> tuple[Gap, ...]:
        """Enemy units that the first army cannot hurt, or only a little."""
        return tuple(gaps(self.of("mine"), self.situations, self.mine, _together(self.volleys)))

    @cached_property
    def their_gaps(self) -> tuple[Gap, ...]:
        """Units of the first army that the enemy cannot hurt, or only a little."""
        return tuple(gaps(self.of("yours"), self.situations, self.yours, _together(self.their_volleys)))

    def gap_lines(self) -> list[str]:
        """Return the gaps of both sides as sentences."""
        ours = gap_lines(self.gaps, self.situations, self.mine, self.yours)
        return [*ours, *gap_lines(self.their_gaps, self.situations, self.yours, self.mine)]

    def volleys_frame(self) -> pd.DataFrame:
        """Return the best assignments of both sides as a tidy frame: a row for each kind of attacker on each target."""
        sides = ("mine", self.volleys), ("yours", self.their_volleys)
        return tidy({"side": side} | row for side, result in sides for volley in result for row in volley.rows())

    def heatmap(
        self, *, situation: str | None = None, metric: MetricLike | None = None, ax: Axes | None = None, **more: Any
    ) -> Axes:
        """Draw the losses that the first army inflicts on the second in one situation.

        Parameters
        ----------
        situation : str, optional
            Default: the first one.
        metric : str or callable, optional
            As in :meth:`analyser.Matchups.heatmap`. Default: the mean share of the target that is lost; for a duel, the
            probability to win it.
        ax : Axes, optional
            As in :func:`analyser.plots.heatmap`.
        """
        name = self.situations[0].name if situation is None else situation
        check_choice(name, "situation", [situation.name for situation in self.situations])
        kind = next(situation.kind for situation in self.situations if situation.name == name)
        return self.ours.heatmap(metric=metric or shown_metric(kind), situation=name, ax=ax, **more)

    def plot(self, *, ax: Axes | None = None, **more: Any) -> Axes:
        """Draw the heatmap of the first situation (:meth:`heatmap`)."""
        return self.heatmap(ax=ax, **more)

    def _body(self) -> dict[str, Any]:
        return {
            "kind": "clash",
            "method": "exact",
            "mine": self.mine.as_dict(),
            "yours": self.yours.as_dict(),
            "situations": [situation.name for situation in self.situations],
            **self.profiles.fight_entries(),
            "answers": [answer.as_dict() for answer in self.answers],
            "threats": [threat.as_dict() for threat in self.threats],
            "next_answers": [answer.as_dict() for answer in self.next_answers],
            "next_threats": [threat.as_dict() for threat in self.next_threats],
            "battles": list(self.fought),
            "battle": self.battle,
            "gaps": [gap._asdict() for gap in self.gaps],
            "their_gaps": [gap._asdict() for gap in self.their_gaps],
            "assignments": [volley.as_dict() for volley in self.volleys],
            "their_assignments": [volley.as_dict() for volley in self.their_volleys],
            "matchups": plain_rows(self.frame),
            "assumptions": list(self.assumptions),
            "not_modelled": [rule._asdict() for rule in self.not_modelled],
            "warnings": list(self.warnings),
        }

    def blocks(self) -> list[Block]:
        """Return the gaps, the best attacks of a round, the matrices, and the best counters of both sides."""
        return clash_blocks(self)

    def notes(self) -> list[str]:
        """Return the rules not modelled, profiles, assumptions and warnings."""
        return clash_notes(self)


def shown_metric(kind: str) -> str:
    """Return the default metric of a kind of situation."""
    return WINS if kind == "duel" else SHARE_LOST


def _counts(army: Listed, selectors: pd.Series[Any]) -> pd.Series[Any]:
    return selectors.map(dict(zip((kind.selector for kind in army.kinds), army.counts)))


def _together(volleys: Sequence[Volleys]) -> dict[str, Together]:
    """Return by target the result of all shots at it, in the situation where they do most."""
    most: dict[str, Together] = {}
    for volley in volleys:
        for target in volley.together:
            here = Together(target.share_lost, target.p_annihilated, volley.situation.name, bool(target.shots))
            before = most.get(target.target, here)
            most[target.target] = max(before, here, key=lambda one: (one.can, one.p_annihilated, one.share_lost))
    return most


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
    """Compare two armies: best counters, gaps, and the best attacks of a round, exactly.

    Parameters
    ----------
    mine, yours : path, list, mapping or Army
        As in :func:`analyser.load_army`: a file, or units by selector, such as ``3 x crown/rifle-platoon@basic``.
    situations
        As in :func:`analyser.matchups`. Default: all.
    distance : float, optional
        Distance in inches of an additional first situation, in which all units aim.
    aim : str
        Objective of the assignment of attacks, one of :data:`~analyser.analysis.best_volleys.AIMS`: ``points`` (points
        that the enemy loses), ``annihilated`` (units), or ``victory-points``.
    battles : int
        Number of battles to simulate, with the defaults of :func:`analyser.battle`. They give the probabilities of
        winning and the decisive units.
    threads, profiles, progress
        As in :func:`analyser.matchups`.

    Returns
    -------
    Clash
        Units with the same loadout have one answer.

    Raises
    ------
    InputError
        An army without units or one that cannot be read, an unknown situation or aim, an unusable distance, or units
        without the points that the aim counts.

    Notes
    -----
    The assignment is an integer programme over volleys, valued by the exact distribution of focus fire (AC-9.1). Its
    distance from the optimum is bounded (:mod:`analyser.analysis.assignment`).

    Examples
    --------
    >>> found = clash(["2 x crown/rifle-platoon@basic"], ["imperium/krupp-field-guns@basic"], situations="long-range")
    >>> [(each.attacker, round(each.points_lost, 1)) for each in found.answers]
    [('crown/rifle-platoon@basic', 42.3)]
    >>> best = found.volleys[0]
    >>> best.attacked[0].shots[0].units, round(best.value, 1), best.gap, round(best.sum_of_single, 1)
    (2, 67.7, 0.0, 84.5)
    """
    check_choice(aim, "aim", tuple(AIMS))
    check_integer(battles, "battles", 0, 10**9)
    library = library_of(profiles)
    sampling = Sampling(threads=threads, progress=progress)
    armies = unique_names(listed(mine, library, "mine"), listed(yours, library, "yours"))
    wanted = (*([at_distance(distance)] if distance is not None else []), *situations_called(situations))
    ranged = [situation for situation in wanted if situation.kind == "ranged"]
    if ranged:
        for army in armies:
            check_aim(aim, army)
    both, steps = (armies, armies[::-1]), 2 * (1 + len(ranged))
    tables: list[Matchups] = []
    volleys: list[list[Volleys]] = [[], []]
    with sampling.with_bar() as reporting:
        for army, enemy in both:
            met: dict[str, Any] = {"situations": wanted, "metric": SHARE_LOST, "threads": threads, "profiles": library}
            tables.append(matchups(army.kinds, enemy.kinds, **met))
            reporting.report(len(tables), steps)
        for (army, enemy), table, best in zip(both, tables, volleys):
            for situation in ranged:
                best.append(best_volleys(army, enemy, table.frame, situation, library.ruleset, aim))
                reporting.report(2 + sum(map(len, volleys)), steps)
    result = Clash(*armies, tables[0], tables[1], tuple(volleys[0]), tuple(volleys[1]))
    if not battles:
        return result
    sides = armies[0].army, armies[1].army
    battle = fight(*sides, trials=battles, threads=threads, profiles=library, progress=progress)
    return replace(result, fought=tuple(battle.conclusions()), battle=battle.summary)


def at_distance(inches: float) -> Situation:
    """Return the situation in which all units are at this distance and aim; InputError for an unusable distance."""
    if isinstance(inches, bool) or not isinstance(inches, int | float) or not 0 < inches <= 1000:
        raise InputError(f"{inches!r} is not usable", where="distance", allowed="inches, above 0 and up to 1000")
    name = f"at-{inches:g}-inches-aimed".replace(".", "-")
    return Situation(name=name, title=f"at {inches:g} inches, aimed", bonuses=("aiming",), distance=inches)
