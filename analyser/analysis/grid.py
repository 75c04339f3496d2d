"""Every attacker on every defender in a situation: the field that they meet on, the cells, and the tidy table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby, pairwise, product
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analyser.common.estimates import HIGH_PERCENTILE, LOW_PERCENTILE, Method
from analyser.common.jit import Tiered
from analyser.common.sampling import Progress
from analyser.engine.attack.sweep import SUMMARY, percentile
from analyser.engine.fight.exact.distribution import Joint
from analyser.game.keywords import RANGED_ATTACK, Keyword
from analyser.game.ruleset import Ruleset
from analyser.game.units import Loadout, unit_of
from analyser.plots.metrics import ALL_LEVELS, BY_POINTS, METRICS, PER_100_POINTS, RESULTS
from analyser.results import states
from analyser.results.rules_used import can_bear
from analyser.scenarios.resolve import resolve_combatant, resolve_target
from analyser.scenarios.schema import Combatant, Target

if TYPE_CHECKING:
    from analyser.analysis.situations import Situation

METHOD: Method = "exact"
OF_BOTH = ("attacker_share_lost", *RESULTS)
AT_ONCE = 8  # attackers between two reports of progress
TARGET_STATE = Target(from_front=True)
CELL = np.dtype(
    [("row", object), ("dice", object), *SUMMARY.descr, *((name, np.float64) for name in OF_BOTH), ("why_not", object)]
)
"""What an attacker does to a defender; where they cannot fight figures are NaN, and `why_not` says why."""
_INTEGERS = ("attacker_points", "defender_points", "defender_models", "dice")
_OF_UNITS = ("models", "damage_limit")
_NO_FIGURES = [np.nan] * (len(SUMMARY.names or ()) + len(OF_BOTH))
SideT = TypeVar("SideT")


@dataclass(frozen=True)
class Field:
    """What is the same for every attacker; `row` is the one that was asked for, None the best one."""

    defenders: tuple[Loadout, ...]
    ruleset: Ruleset
    row: str | None
    threads: int

    @cached_property
    def targets(self) -> tuple[Target, ...]:
        """The defenders as resolved targets."""
        return tuple(resolve_target(TARGET_STATE, each) for each in self.defenders)

    @cached_property
    def combatants(self) -> tuple[Combatant, ...]:
        """The defenders as sides of longer fights."""
        return tuple(side_of(each) for each in self.defenders)


class Fight(NamedTuple):
    """A kind of fight that situations can be of."""

    cells: Callable[[Sequence[Loadout], Field, Situation], NDArray[np.void]]  # of CELL, shape (attackers, defenders)
    occasion: str  # as the glossary of keywords calls it
    kernel: Tiered[..., Any]  # in which nearly all the time goes by
    cost: int  # microseconds of a typical machine for one pair: only proportions count, for the time that is left
    interpreted: float  # seconds that the interpreter takes for a pair
    how: str = ""  # what the figures are of, for people; empty: the situation's bonuses, penalties and distance say it
    has_winner: bool = False  # whether it has `p_attacker_wins` and `p_draw`


class Fought(NamedTuple):
    """What one fight came to: the attacker's row, the figures of the defender, and those of OF_BOTH."""

    row: str | None
    figures: tuple[float, ...]  # of SUMMARY
    attacker_share_lost: float
    p_attacker_wins: float = np.nan
    p_draw: float = np.nan


def blank_cells(attackers: int, defenders: int) -> NDArray[np.void]:
    """Cells of pairs that cannot fight, the reasons still to be filled in."""
    return np.full((attackers, defenders), np.array((None, None, *_NO_FIGURES, None), CELL))


def fought_cells(
    side: Callable[[Loadout, str | None], SideT | str],
    fights: Callable[[Sequence[SideT | str], Sequence[Combatant], Ruleset], Sequence[Fought | str]],
    attackers: Sequence[Loadout],
    field: Field,
    _: Situation,
    *,
    in_threads: bool = False,
) -> NDArray[np.void]:
    """The cells of a kind of fight in which both sides roll, so that no number of dice is given.

    `side` makes of an attacker and the row that was asked for what `fights` takes: the levels of one unit, and those
    of a defender. It says what comes of each pair; a text of either says why they cannot fight. It pays to fight
    `in_threads` where nearly all the time goes by in a kernel, which lets go of the interpreter.
    """
    sides = [side(each, field.row) for each in attackers]
    cells = blank_cells(len(sides), len(field.combatants))

    def met(at: tuple[slice, slice]) -> Sequence[Fought | str]:
        return fights(sides[at[0]], field.combatants[at[1]], field.ruleset)

    pairs = list(product(_by_unit(attackers), _by_unit(field.defenders)))
    with ThreadPoolExecutor(field.threads) if in_threads and field.threads > 1 else nullcontext() as pool:
        for at, found in zip(pairs, (pool.map if pool else map)(met, pairs)):
            block = np.array([_cell(each) for each in found], CELL)
            cells[at] = block.reshape(cells[at].shape)
    return cells


def _by_unit(loadouts: Sequence[Loadout]) -> list[slice]:
    """The places of each unit's levels, which stand side by side."""
    sizes = [len(list(each)) for _, each in groupby(loadouts, key=lambda each: (each.faction, id(each.unit)))]
    return [slice(*both) for both in pairwise(np.cumsum([0, *sizes]).tolist())]


def _cell(found: Fought | str) -> tuple[Any, ...]:
    if isinstance(found, str):
        return None, None, *_NO_FIGURES, found
    return found.row, None, *found.figures, *found[2:], None


def side_of(loadout: Loadout, **keys: Any) -> Combatant:
    """A loadout as a side of a longer fight, met from its front."""
    asked = Combatant(unit=loadout.selector, from_front=True, **keys)
    return resolve_combatant(asked, None, loadout.selector, loadout)


class Over(NamedTuple):
    """A longer fight of an attacker, side 0, with that row and a defender, and what it came to."""

    row: str | None
    distribution: Joint
    attacker: Combatant
    defender: Combatant


def fought(fights: Sequence[Over]) -> list[Fought]:
    """The figures of several fights at once: most of them are of few states, and to read those takes longest."""
    joints = [each.distribution for each in fights]
    ours = [(each.first, each.probabilities.sum(axis=1)) for each in joints]
    theirs = [(each.second, each.probabilities.sum(axis=0)) for each in joints]
    own = [standing.share_lost() for standing in _standings(ours, [each.attacker for each in fights])]
    defenders = _standings(theirs, [each.defender for each in fights])
    return [Fought(each.row, standing.figures(), lost) for each, standing, lost in zip(fights, defenders, own)]


class _Standing(NamedTuple):
    """How a side may stand after a fight: the probability of each way, and what it comes to."""

    models: int
    weights: NDArray[np.float64]
    destroyed: NDArray[np.int64]
    suffered: NDArray[np.int64]  # damage, a destroyed model being worth its whole DAMAGE LIMIT
    shares: NDArray[np.float64]  # that are lost: all of a side that is annihilated, else what damage has taken
    flags: dict[str, NDArray[np.bool_]]

    def share_lost(self) -> float:
        """The mean share that is lost."""
        return float(self.weights @ self.shares)

    def figures(self) -> tuple[float, ...]:
        """Those of SUMMARY."""
        counts = np.bincount(self.destroyed, self.weights, self.models + 1).astype(np.float64)
        found = {
            "mean_models_destroyed": self.weights @ self.destroyed,
            "p_any_destroyed": counts[1:].sum(),
            "p_half_destroyed": counts[(self.models + 1) // 2 :].sum(),
            **{f"p_{name}": self.weights @ flag for name, flag in self.flags.items()},
            "models_destroyed_10th_percentile": percentile(counts, LOW_PERCENTILE),
            "models_destroyed_90th_percentile": percentile(counts, HIGH_PERCENTILE),
            "mean_damage": self.weights @ self.suffered,
            "mean_share_lost": self.share_lost(),
        }
        return tuple(float(found[name]) for name in SUMMARY.names or ())


def _standings(
    sides: Sequence[tuple[NDArray[np.int64], NDArray[np.float64]]], units: Sequence[Combatant]
) -> list[_Standing]:
    """The same side of several fights, its states read all at once."""
    lengths = [len(standing) for standing, _ in sides]
    standing = np.concatenate([each for each, _ in sides])
    models, limits = (np.repeat([getattr(each, name) or 1 for each in units], lengths) for name in _OF_UNITS)
    destroyed = states.models_destroyed(standing, models)
    suffered = destroyed * limits + states.damage(standing)
    shares = np.where(states.is_removed(standing), 1.0, suffered / (models * limits))
    flags = {name: states.flag(standing, name) for name in ("suppressed", "activated", "broken", "fled", "annihilated")}
    parts = [slice(*ends) for ends in pairwise(np.cumsum([0, *lengths]).tolist())]
    return [
        _Standing(
            unit.models or 0,
            weights,
            destroyed[at],
            suffered[at],
            shares[at],
            {name: flag[at] for name, flag in flags.items()},
        )
        for unit, (_, weights), at in zip(units, sides, parts)
    ]


def grid(
    attackers: Sequence[Loadout],
    field: Field,
    situations: Sequence[Situation],
    progress: Progress = lambda _, __: None,
    known: Known | None = None,
) -> pd.DataFrame:
    """The frame of :func:`analyser.matchups`; what is `known` is not fought."""
    blocks = [(list(range(len(attackers))), list(range(len(field.defenders))))] if known is None else known.missing
    fields = [replace(field, defenders=tuple(field.defenders[at] for at in columns)) for _, columns in blocks]
    total, done, parts = len(situations) * sum(len(rows) for rows, _ in blocks), 0, []
    for situation in situations:
        fight = situation.fight
        cells = blank_cells(len(attackers), len(field.defenders)) if known is None else known.cells(situation.name)
        fight.kernel.expect(sum(len(rows) * len(columns) for rows, columns in blocks) * fight.interpreted)
        for (rows, columns), opponents in zip(blocks, fields):
            for start in range(0, len(rows), AT_ONCE):
                some = rows[start : start + AT_ONCE]
                cells[np.ix_(some, columns)] = fight.cells([attackers[at] for at in some], opponents, situation)
                done += len(some)
                progress(done, total)
        parts.append(_tidy(attackers, field, situation.name, cells.ravel()))
    return joined(parts, len(situations))


class Known:
    """The cells of a table that those of another are: of pairs of whom neither is changed in what a fight depends on.

    Parameters
    ----------
    frame : DataFrame
        As of :func:`analyser.matchups`.
    attackers, defenders : sequence of int
        For each attacker and defender of the other table its place among those of `frame`; -1 for one that is changed,
        or was not there.

    Attributes
    ----------
    missing : list of (list of int, list of int)
        Attackers and defenders of the other table who are still to fight, block by block.
    """

    def __init__(self, frame: pd.DataFrame, attackers: Sequence[int], defenders: Sequence[int]) -> None:
        self._frame = frame
        self._places = [np.array(each, np.int64) for each in (attackers, defenders)]
        self._kept = [np.flatnonzero(each >= 0) for each in self._places]
        rows, columns = (np.flatnonzero(each < 0).tolist() for each in self._places)
        blocks = (rows, list(range(len(defenders)))), (self._kept[0].tolist(), columns)
        self.missing = [each for each in blocks if all(each)]

    def cells(self, situation: str) -> NDArray[np.void]:
        """The cells of a situation; those that are not known are blank."""
        part = self._frame[self._frame["situation"] == situation]
        before = np.empty(len(part), CELL)
        for name in CELL.names or ():
            column = part[name]
            before[name] = column.astype(object).where(column.notna(), None) if CELL[name].hasobject else column
        found = blank_cells(*map(len, self._places))
        at = [places[kept] for places, kept in zip(self._places, self._kept)]
        found[np.ix_(*self._kept)] = before.reshape(part["attacker"].nunique(), -1)[np.ix_(*at)]
        return found


def joined(parts: Sequence[pd.DataFrame], situations: int) -> pd.DataFrame:
    """Parts of a grid, which come situation by situation, as one: by attacker, then defender, then situation."""
    frame = pd.concat(parts, ignore_index=True)
    order = np.arange(len(frame)).reshape(situations, -1).T.ravel()
    return frame.iloc[order].reset_index(drop=True)


def _tidy(attackers: Sequence[Loadout], field: Field, situation: str, cells: NDArray[np.void]) -> pd.DataFrame:
    """One row for each attacker and defender in one situation, from their cells."""
    place = np.divmod(np.arange(len(cells)), len(field.defenders))
    columns: dict[str, Any] = {}
    for side, loadouts, at in zip(("attacker", "defender"), (attackers, field.defenders), place):
        columns[side] = np.array([each.selector for each in loadouts], object)[at]
        columns[f"{side}_unit"] = np.array([each.unit.name for each in loadouts], object)[at]
        columns[f"{side}_level"] = np.array([each.level_name for each in loadouts], object)[at]
        columns[f"{side}_points"] = np.array([each.level.points for each in loadouts], np.float64)[at]  # None: NaN
    columns["defender_models"] = np.array([each.models for each in field.targets])[place[1]]
    columns["defender_category"] = np.array([each.category for each in field.targets], object)[place[1]]
    columns |= {"situation": situation, "row": cells["row"], "dice": cells["dice"], "method": METHOD}
    figures = {name: cells[name] for name in (*(SUMMARY.names or ()), *OF_BOTH)}
    ratings = np.array([each.level.victory_points for each in field.defenders], np.float64)[place[1]]
    figures["expected_victory_points"] = figures["p_annihilated"] * ratings
    worth = columns["defender_points"] / columns["defender_models"]
    figures["expected_points_destroyed"] = figures["mean_models_destroyed"] * worth
    points = columns["attacker_points"]
    hundreds = np.where(points == 0, np.nan, points) / 100  # what costs nothing has no efficiency
    figures |= {name + PER_100_POINTS: figures[name] / hundreds for name in BY_POINTS}
    columns |= {name: figures[name] for name in METRICS}
    frame = pd.DataFrame(columns | {"why_not": cells["why_not"]})
    text = frame["attacker"].dtype  # where a column is empty nothing would tell that it holds text
    return frame.astype({**dict.fromkeys(_INTEGERS, "Int64"), "row": text, "why_not": text})


def by_unit(frame: pd.DataFrame) -> pd.DataFrame:
    """Units instead of loadouts: every figure of METRICS as its mean over all pairs of levels.

    Parameters
    ----------
    frame : DataFrame
        As of :func:`analyser.matchups`.

    Returns
    -------
    DataFrame
        One row for each attacking unit, defending unit and situation, in the order of `frame`. `attacker` and
        `defender` are selectors without a level, `attacker_level` and `defender_level` are ``"all levels"``. Pairs
        of levels that cannot fight do not count; where none can, the figures are NaN.
    """
    figures = [name for name in METRICS if name in frame]
    units = frame.assign(attacker=frame["attacker"].map(unit_of), defender=frame["defender"].map(unit_of))
    keys = ["attacker", "attacker_unit", "defender", "defender_unit", "defender_category", "situation", "method"]
    how = {**dict.fromkeys(figures, "mean"), "why_not": "first"}
    found = units.groupby(keys, sort=False)[[*figures, "why_not"]].agg(how).reset_index()
    found["attacker_level"] = found["defender_level"] = ALL_LEVELS
    return found.assign(why_not=found["why_not"].where(found[figures[0]].isna(), None))


class NotModelled(NamedTuple):
    """A quality or special rule on the profiles that no figure is computed from."""

    name: str
    touches: str
    units: tuple[str, ...]


def not_modelled(
    attackers: Iterable[Loadout], defenders: Iterable[Loadout], situations: Iterable[Situation]
) -> tuple[NotModelled, ...]:
    """What the profiles of both sides carry that no figure of these situations is computed from, by name."""
    fights = {each.fight.occasion for each in situations}
    attacking = {(each.faction, each.unit.id): each.unit for each in attackers}
    everybody = attacking | {(each.faction, each.unit.id): each.unit for each in defenders}
    written: list[tuple[str, Keyword]] = [
        (unit.name, quality)
        for unit in attacking.values()
        for row in unit.rows
        if row.kind == "ranged" or fights != {RANGED_ATTACK}
        for quality in row.qualities
    ]
    written += [(unit.name, rule) for unit in everybody.values() for rule in unit.rules]
    gaps: dict[str, NotModelled] = {}
    for unit, named in written:
        term = named.term
        if term is None or (not any(map(term.counts_in, fights)) and any(can_bear(term, fight) for fight in fights)):
            gap = gaps.get(named.name, NotModelled(named.name, "", ()))
            touches = "not known to this program" if term is None else term.touches
            gaps[named.name] = NotModelled(named.name, touches, tuple(dict.fromkeys((*gap.units, unit))))
    return tuple(gaps[name] for name in sorted(gaps))
