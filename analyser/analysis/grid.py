"""Computation of the fights of every attacker with every defender in each situation, and the results as a frame."""

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
from analyser.common.metrics import ALL_LEVELS, DIVISIBLE, MATCHUP_METRICS, PER_100_POINTS, RESULT_METRICS
from analyser.engine.attack.summaries import SUMMARY, distinct_summaries, fill_summaries
from analyser.game.keywords import RANGED_ATTACK, Keyword
from analyser.game.ruleset import Ruleset
from analyser.game.units import Loadout, unit_of
from analyser.rules.structs import TARGET, AttackFacts
from analyser.scenarios.attack import attack_records, target_record
from analyser.scenarios.resolve import resolve_combatant, resolve_target
from analyser.scenarios.schema import Combatant, Target

if TYPE_CHECKING:
    import pandas as pd

    from analyser.analysis.fight_cache import FightCache
    from analyser.analysis.situations import Situation

METHOD: Method = "exact"
TWO_SIDED_FIGURES = ("attacker_share_lost", *RESULT_METRICS)
MOST_ROWS_AT_ONCE = 8  # largest number of attackers between two reports of progress
LONG_WORK = 2_000_000  # microseconds of slow fights after which their cells are stored
TARGET_STATE = Target(from_front=True)  # every target of a ranged attack is attacked from its front
CELL = np.dtype(
    [
        ("row", object),
        ("dice", object),
        *SUMMARY.descr,
        *((name, np.float64) for name in TWO_SIDED_FIGURES),
        ("why_not", object),
    ]
)
"""Result of one fight. For a pair that cannot fight, `why_not` is the reason and figures are NaN."""
Cells = NDArray[np.void]  # records of CELL, shape (attackers, defenders)
CellBlock = tuple[list[int], list[int]]
"""Indices of attackers and of defenders; each of these attackers fights each of these defenders."""
CellBlocks = list[CellBlock]
_INTEGER_COLUMNS = ("attacker_points", "defender_points", "defender_models", "dice")
_NO_FIGURES = [np.nan] * (len(SUMMARY.names or ()) + len(TWO_SIDED_FIGURES))


@dataclass(frozen=True)
class DefendingSide:
    """Defenders of a grid, and settings; `row` is the row of armaments that attackers must use, None for the best."""

    defenders: tuple[Loadout, ...]
    ruleset: Ruleset
    row: str | None
    threads: int

    @cached_property
    def targets(self) -> tuple[Target, ...]:
        return tuple(resolve_target(TARGET_STATE, defender) for defender in self.defenders)

    @cached_property
    def combatants(self) -> tuple[Combatant, ...]:
        return tuple(combatant_of(defender) for defender in self.defenders)

    def summaries(self, attacks: Sequence[AttackFacts], possible: NDArray[np.bool_]) -> NDArray[np.void]:
        """Return the summaries of attacks (rows) on all defenders (columns), computed only where `possible` is True."""
        return distinct_summaries(
            attack_records(self.ruleset, attacks),
            np.array([target_record(target) for target in self.targets], TARGET),
            possible,
            np.array(self.ruleset.die.sides_by_face, np.int64),
            self.ruleset.deck.counts(),
            threads=self.threads,
        ).table


class Fight(NamedTuple):
    """A kind of fight."""

    cells: Callable[[Sequence[Loadout], DefendingSide, Situation], Cells]  # computes the cells
    occasion: str  # an occasion of :mod:`~analyser.game.keywords`, such as DUEL
    kernel: Tiered[..., Any]  # compiled function in which the fight spends nearly all its time
    cost: int  # typical microseconds per pair
    interpreted_seconds: float  # seconds per pair in `kernel` without compilation
    choosing_seconds: float = 0.0  # seconds per pair in the kernel that chooses rows (`fill_summaries`), uncompiled
    description: str = ""  # meaning of the figures; empty if the situation itself states it
    has_winner: bool = False  # True if cells have `p_attacker_wins` and `p_draw`


def combatant_of(loadout: Loadout, **keys: Any) -> Combatant:
    """Return a loadout as a unit of a charge or a duel, attacked from its front; `keys` are further fields."""
    stated = Combatant(unit=loadout.selector, from_front=True, **keys)
    return resolve_combatant(stated, None, loadout.selector, loadout)


def blank_cells(attackers: int, defenders: int) -> Cells:
    """Return cells without figures, for pairs that are not computed yet or cannot fight."""
    return np.full((attackers, defenders), np.array((None, None, *_NO_FIGURES, None), CELL))


def compute_grid(
    attackers: Sequence[Loadout],
    defending: DefendingSide,
    situations: Sequence[Situation],
    progress: Progress = lambda _, __: None,
    cache: FightCache | None = None,
) -> pd.DataFrame:
    """Compute all fights except those in the `cache`, and return the frame of :func:`analyser.matchups`."""
    size = len(attackers), len(defending.defenders)
    all_pairs = [(list(range(size[0])), list(range(size[1])))]
    tasks = [
        (situation, *((blank_cells(*size), all_pairs) if cache is None else cache.read(situation)))
        for situation in situations
    ]
    total, done = sum(len(rows) for _, _, blocks in tasks for rows, _ in blocks), 0
    sides = {tuple(range(len(defending.defenders))): defending}
    prepare_kernels(
        (situation.fight, sum(len(rows) * len(columns) for rows, columns in blocks)) for situation, _, blocks in tasks
    )
    for situation, cells, blocks in tasks:
        fight = situation.fight
        for rows, columns in blocks:
            opponents = sides.setdefault(
                tuple(columns), replace(defending, defenders=tuple(defending.defenders[index] for index in columns))
            )
            at_once = min(max(LONG_WORK // (fight.cost * len(columns)), 1), MOST_ROWS_AT_ONCE)
            for start in range(0, len(rows), at_once):
                part = rows[start : start + at_once]
                cells[np.ix_(part, columns)] = fight.cells([attackers[index] for index in part], opponents, situation)
                done += len(part)
                progress(done, total)
                if cache and at_once < MOST_ROWS_AT_ONCE:  # slow fights: a stopped run resumes after this part
                    cache.store(situation, cells, [(part, columns)])
        if cache:
            cache.store(situation, cells, blocks)
    return _frame_of_cells(attackers, defending, situations, np.stack([cells for _, cells, _ in tasks], axis=-1))


def prepare_kernels(fights: Iterable[tuple[Fight, int]]) -> None:
    """Compile or load the kernels where that saves time; `fights` has the number of pairs of each kind of fight."""
    seconds: defaultdict[Tiered[..., Any], float] = defaultdict(float)
    for fight, pairs in fights:
        seconds[fight.kernel] += pairs * fight.interpreted_seconds
        seconds[fill_summaries] += pairs * fight.choosing_seconds
    for kernel, expected in seconds.items():
        if expected:
            kernel.compile_for(expected)


def join_by_situation(parts: Sequence[pd.DataFrame], situations: int) -> pd.DataFrame:
    """Return the parts of a grid, one for each situation, as a frame ordered by attacker, defender, situation."""
    import pandas as pd  # imported late: workers of a sweep need no frames, and start twice as fast without pandas

    frame = pd.concat(parts, ignore_index=True)
    order = np.arange(len(frame)).reshape(situations, -1).T.ravel()
    return frame.iloc[order].reset_index(drop=True)


def _frame_of_cells(
    attackers: Sequence[Loadout], defending: DefendingSide, situations: Sequence[Situation], by_situation: Cells
) -> pd.DataFrame:
    """Return the frame of a grid from its cells, which have the shape (attackers, defenders, situations)."""
    import pandas as pd

    *side_indices, situation_indices = np.indices(by_situation.shape).reshape(3, -1)
    cells = by_situation.ravel()
    columns: dict[str, Any] = {}
    for side, loadouts, indices in zip(("attacker", "defender"), (attackers, defending.defenders), side_indices):
        columns[side] = _text_column([loadout.selector for loadout in loadouts], indices)
        columns[f"{side}_unit"] = _text_column([loadout.unit.name for loadout in loadouts], indices)
        columns[f"{side}_level"] = _text_column([loadout.level_name for loadout in loadouts], indices)
        points = [loadout.level.points for loadout in loadouts]
        columns[f"{side}_points"] = np.array(points, np.float64)[indices]  # None becomes NaN
    columns["defender_models"] = np.array([target.models for target in defending.targets])[side_indices[1]]
    columns["defender_category"] = _text_column([target.category for target in defending.targets], side_indices[1])
    columns["situation"] = _text_column([situation.name for situation in situations], situation_indices)
    columns |= {"row": cells["row"], "dice": cells["dice"], "method": METHOD}
    figures = {name: cells[name] for name in (*(SUMMARY.names or ()), *TWO_SIDED_FIGURES)}
    victory_points = np.array([defender.level.victory_points for defender in defending.defenders], np.float64)
    figures["expected_victory_points"] = figures["p_annihilated"] * victory_points[side_indices[1]]
    model_points = columns["defender_points"] / columns["defender_models"]
    figures["expected_points_destroyed"] = figures["mean_models_destroyed"] * model_points
    costs = columns["attacker_points"]
    hundreds = np.where(costs == 0, np.nan, costs) / 100  # loadouts that cost 0 points have no efficiency
    figures |= {name + PER_100_POINTS: figures[name] / hundreds for name in DIVISIBLE}
    columns |= {name: figures[name] for name, metric in MATCHUP_METRICS.items() if metric.function is None}
    frame = pd.DataFrame(columns | {"why_not": cells["why_not"]})
    text = frame["attacker"].dtype  # the dtype is stated, because pandas cannot infer that of an empty column
    return frame.astype({**dict.fromkeys(_INTEGER_COLUMNS, "Int64"), "row": text, "why_not": text})


def _text_column(words: Sequence[Any], indices: NDArray[np.int64]) -> Any:
    """Return the `words` at these indices as a column; pandas converts each distinct word only once."""
    import pandas as pd

    return pd.Series(words).array.take(indices)


def by_unit(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame of :func:`analyser.matchups` by unit, with the mean of every figure over all pairs of levels.

    `attacker` and `defender` are selectors without a level; `attacker_level` and `defender_level` are ``"all levels"``.
    Means leave out pairs of levels that cannot fight; if none can, the figures are NaN.
    """
    figures = [str(name) for name, dtype in frame.dtypes.items() if dtype == np.float64]
    units = frame.assign(attacker=frame["attacker"].map(unit_of), defender=frame["defender"].map(unit_of))
    keys = ["attacker", "attacker_unit", "defender", "defender_unit", "defender_category", "situation", "method"]
    aggregation = {**dict.fromkeys(figures, "mean"), "why_not": "first"}
    result = units.groupby(keys, sort=False)[[*figures, "why_not"]].agg(aggregation).reset_index()
    result["attacker_level"] = result["defender_level"] = ALL_LEVELS
    return result.assign(why_not=result["why_not"].where(result[figures[0]].isna(), None))


class NotModelled(NamedTuple):
    """A quality or special rule that no figure uses, what it would affect (`touches`), and the units that have it."""

    name: str
    touches: str
    units: tuple[str, ...]


def not_modelled(
    attackers: Iterable[Loadout], defenders: Iterable[Loadout], situations: Iterable[Situation]
) -> tuple[NotModelled, ...]:
    """Return attackers' qualities and both sides' rules that could matter here but change no figure, sorted."""
    occasions = {situation.fight.occasion for situation in situations}
    attacking = {(attacker.faction, attacker.unit.id): attacker.unit for attacker in attackers}
    all_units = attacking | {(defender.faction, defender.unit.id): defender.unit for defender in defenders}
    keywords: list[tuple[str, Keyword]] = [
        (unit.name, quality)
        for unit in attacking.values()
        for row in unit.rows
        if row.kind == "ranged" or occasions != {RANGED_ATTACK}
        for quality in row.qualities
    ]
    keywords += [(unit.name, rule) for unit in all_units.values() for rule in unit.rules]
    units_with: dict[tuple[str, str], dict[str, None]] = {}
    for unit, keyword in keywords:
        term = keyword.term
        if term is None or (not any(map(term.counts_in, occasions)) and any(map(term.can_matter_in, occasions))):
            touches = "unknown to this version" if term is None else term.subject
            units_with.setdefault((keyword.name, touches), {})[unit] = None
    return tuple(NotModelled(*rule, tuple(units)) for rule, units in sorted(units_with.items()))
