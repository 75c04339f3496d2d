"""Grid of every attacker against every defender in a situation: shared conditions, cells, and the tidy table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.estimates import Method
from analyser.common.jit import Tiered
from analyser.common.method_settings import Progress
from analyser.common.metrics import ALL_LEVELS, BY_POINTS, METRICS, PER_100_POINTS, RESULTS
from analyser.engine.attack.summaries import SUMMARY, sweep_row
from analyser.game.keywords import RANGED_ATTACK, Keyword
from analyser.game.ruleset import Ruleset
from analyser.game.units import Loadout, unit_of
from analyser.scenarios.resolve import resolve_combatant, resolve_target
from analyser.scenarios.schema import Combatant, Target

if TYPE_CHECKING:
    import pandas as pd

    from analyser.analysis.situations import Situation

METHOD: Method = "exact"
OF_BOTH = ("attacker_share_lost", *RESULTS)
AT_ONCE, LONG = 8, 2_000_000  # attackers between two reports of progress; microseconds of work worth storing at once
TARGET_STATE = Target(from_front=True)
CELL = np.dtype(
    [("row", object), ("dice", object), *SUMMARY.descr, *((name, np.float64) for name in OF_BOTH), ("why_not", object)]
)
"""Result of an attacker on a defender. For a pair that cannot fight, `why_not` is the reason and figures are NaN."""
Cells = NDArray[np.void]  # records of CELL, shape (attackers, defenders)
Block = tuple[list[int], list[int]]
"""Indices of attackers and of defenders; each of these attackers fights each of these defenders."""
Blocks = list[Block]
_INTEGERS = ("attacker_points", "defender_points", "defender_models", "dice")
_NO_FIGURES = [np.nan] * (len(SUMMARY.names or ()) + len(OF_BOTH))


@dataclass(frozen=True)
class Field:
    """Defenders and conditions that all attackers share; `row` is the given row, or None for the best one."""

    defenders: tuple[Loadout, ...]
    ruleset: Ruleset
    row: str | None
    threads: int

    @cached_property
    def targets(self) -> tuple[Target, ...]:
        """Defenders as resolved targets."""
        return tuple(resolve_target(TARGET_STATE, defender) for defender in self.defenders)

    @cached_property
    def combatants(self) -> tuple[Combatant, ...]:
        """Defenders as sides of longer fights."""
        return tuple(side_of(defender) for defender in self.defenders)


class Fight(NamedTuple):
    """A kind of fight, as used by situations."""

    cells: Callable[[Sequence[Loadout], Field, Situation], Cells]
    occasion: str  # an occasion of :mod:`~analyser.game.keywords`, such as DUEL
    kernel: Tiered[..., Any]  # it takes nearly all the time
    cost: int  # typical microseconds per pair; only ratios count, for the remaining time
    interpreted: float  # seconds per pair without compilation
    choosing: float = 0.0  # like `interpreted`, for the choice of the best rows outside the kernel
    how: str = ""  # description of the figures; empty if the situation's bonuses, penalties and distance suffice
    has_winner: bool = False  # True if it has `p_attacker_wins` and `p_draw`


def side_of(loadout: Loadout, **keys: Any) -> Combatant:
    """Return a loadout as a side of a longer fight, attacked from its front."""
    asked = Combatant(unit=loadout.selector, from_front=True, **keys)
    return resolve_combatant(asked, None, loadout.selector, loadout)


def blank_cells(attackers: int, defenders: int) -> Cells:
    """Return cells of pairs that cannot fight, without the reasons."""
    return np.full((attackers, defenders), np.array((None, None, *_NO_FIGURES, None), CELL))


class Known:
    """Results available before any fight of a grid of this size; this base class has none."""

    def __init__(self, attackers: int, defenders: int) -> None:
        self._shape = attackers, defenders

    def of(self, situation: Situation) -> tuple[Cells, Blocks]:  # noqa: ARG002
        """Return the cells, blank if unknown, and the blocks of pairs still to fight."""
        rows, columns = (list(range(size)) for size in self._shape)
        return blank_cells(*self._shape), [(rows, columns)]

    def fought(self, situation: Situation, cells: Cells, blocks: Blocks) -> None:
        """Accept the cells of these blocks after their fights; this base class ignores them."""


def grid(
    attackers: Sequence[Loadout],
    field: Field,
    situations: Sequence[Situation],
    progress: Progress = lambda _, __: None,
    reusable: Known | None = None,
) -> pd.DataFrame:
    """Return the frame of :func:`analyser.matchups`; `reusable` results are not computed again."""
    before = Known(len(attackers), len(field.defenders)) if reusable is None else reusable
    plans = [(situation, *before.of(situation)) for situation in situations]
    total, done = sum(len(rows) for _, _, blocks in plans for rows, _ in blocks), 0
    fields = {tuple(range(len(field.defenders))): field}
    expect((situation.fight, sum(len(rows) * len(at) for rows, at in blocks)) for situation, _, blocks in plans)
    for situation, cells, blocks in plans:
        fight = situation.fight
        for rows, columns in blocks:
            opponents = fields.setdefault(
                tuple(columns), replace(field, defenders=tuple(field.defenders[at] for at in columns))
            )
            at_once = min(max(LONG // (fight.cost * len(columns)), 1), AT_ONCE)
            for start in range(0, len(rows), at_once):
                some = rows[start : start + at_once]
                cells[np.ix_(some, columns)] = fight.cells([attackers[at] for at in some], opponents, situation)
                done += len(some)
                progress(done, total)
                if at_once < AT_ONCE:  # small parts let a stopped run resume
                    before.fought(situation, cells, [(some, columns)])
        before.fought(situation, cells, blocks)
    return _tidy(attackers, field, situations, np.stack([cells for _, cells, _ in plans], axis=-1))


def expect(fights: Iterable[tuple[Fight, int]]) -> None:
    """Compile kernels, or load them, if that saves time for these numbers of pairs of all kinds of fights together."""
    seconds: defaultdict[Tiered[..., Any], float] = defaultdict(float)
    for fight, pairs in fights:
        seconds[fight.kernel] += pairs * fight.interpreted
        seconds[sweep_row] += pairs * fight.choosing
    for kernel, expected in seconds.items():
        if expected:
            kernel.expect(expected)


def joined(parts: Sequence[pd.DataFrame], situations: int) -> pd.DataFrame:
    """Join parts of a grid, ordered by situation, to one frame ordered by attacker, defender and situation."""
    import pandas as pd  # late imports here and below: workers of a sweep make no frames, and start twice as fast

    frame = pd.concat(parts, ignore_index=True)
    order = np.arange(len(frame)).reshape(situations, -1).T.ravel()
    return frame.iloc[order].reset_index(drop=True)


def _tidy(
    attackers: Sequence[Loadout], field: Field, situations: Sequence[Situation], by_situation: Cells
) -> pd.DataFrame:
    """Return one row for each attacker, defender and situation, from their cells in this order."""
    import pandas as pd

    *place, of_situation = np.indices(by_situation.shape).reshape(3, -1)
    cells = by_situation.ravel()
    columns: dict[str, Any] = {}
    for side, loadouts, at in zip(("attacker", "defender"), (attackers, field.defenders), place):
        columns[side] = _words([loadout.selector for loadout in loadouts], at)
        columns[f"{side}_unit"] = _words([loadout.unit.name for loadout in loadouts], at)
        columns[f"{side}_level"] = _words([loadout.level_name for loadout in loadouts], at)
        columns[f"{side}_points"] = np.array([one.level.points for one in loadouts], np.float64)[at]  # None becomes NaN
    columns["defender_models"] = np.array([target.models for target in field.targets])[place[1]]
    columns["defender_category"] = _words([target.category for target in field.targets], place[1])
    columns["situation"] = _words([situation.name for situation in situations], of_situation)
    columns |= {"row": cells["row"], "dice": cells["dice"], "method": METHOD}
    figures = {name: cells[name] for name in (*(SUMMARY.names or ()), *OF_BOTH)}
    ratings = np.array([defender.level.victory_points for defender in field.defenders], np.float64)[place[1]]
    figures["expected_victory_points"] = figures["p_annihilated"] * ratings
    worth = columns["defender_points"] / columns["defender_models"]
    figures["expected_points_destroyed"] = figures["mean_models_destroyed"] * worth
    points = columns["attacker_points"]
    hundreds = np.where(points == 0, np.nan, points) / 100  # loadouts for 0 points have no efficiency
    figures |= {name + PER_100_POINTS: figures[name] / hundreds for name in BY_POINTS}
    columns |= {name: figures[name] for name, what in METRICS.items() if what.function is None}
    frame = pd.DataFrame(columns | {"why_not": cells["why_not"]})
    text = frame["attacker"].dtype  # the dtype of an empty column would otherwise be unknown
    return frame.astype({**dict.fromkeys(_INTEGERS, "Int64"), "row": text, "why_not": text})


def _words(words: Sequence[Any], at: NDArray[np.int64]) -> Any:
    """Return the words at these indices as a column; each word is converted once, not in every row."""
    import pandas as pd

    return pd.Series(words).array.take(at)


def by_unit(frame: pd.DataFrame) -> pd.DataFrame:
    """Return units instead of loadouts: every figure of METRICS as its mean over all pairs of levels.

    Parameters
    ----------
    frame : DataFrame
        As in :func:`analyser.matchups`.

    Returns
    -------
    DataFrame
        One row for each attacking unit, defending unit and situation, in the order of `frame`. `attacker` and
        `defender` are selectors without a level; `attacker_level` and `defender_level` are ``"all levels"``. Pairs of
        levels that cannot fight do not count; if none can, the figures are NaN.
    """
    figures = [str(name) for name, what in frame.dtypes.items() if what == np.float64]
    units = frame.assign(attacker=frame["attacker"].map(unit_of), defender=frame["defender"].map(unit_of))
    keys = ["attacker", "attacker_unit", "defender", "defender_unit", "defender_category", "situation", "method"]
    how = {**dict.fromkeys(figures, "mean"), "why_not": "first"}
    result = units.groupby(keys, sort=False)[[*figures, "why_not"]].agg(how).reset_index()
    result["attacker_level"] = result["defender_level"] = ALL_LEVELS
    return result.assign(why_not=result["why_not"].where(result[figures[0]].isna(), None))


class NotModelled(NamedTuple):
    """A quality or special rule on the profiles that no figure uses."""

    name: str
    touches: str
    units: tuple[str, ...]


def not_modelled(
    attackers: Iterable[Loadout], defenders: Iterable[Loadout], situations: Iterable[Situation]
) -> tuple[NotModelled, ...]:
    """Return the items on the profiles of both sides that no figure of these situations uses, by name."""
    fights = {situation.fight.occasion for situation in situations}
    attacking = {(attacker.faction, attacker.unit.id): attacker.unit for attacker in attackers}
    everybody = attacking | {(defender.faction, defender.unit.id): defender.unit for defender in defenders}
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
        if term is None or (not any(map(term.counts_in, fights)) and any(map(term.can_matter_in, fights))):
            gap = gaps.get(named.name, NotModelled(named.name, "", ()))
            touches = "unknown to this version" if term is None else term.subject
            gaps[named.name] = NotModelled(named.name, touches, tuple(dict.fromkeys((*gap.units, unit))))
    return tuple(gaps[name] for name in sorted(gaps))
