"""Results of fights that are already computed: from an earlier table, and from the cache on disk."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.analysis.grid import CELL, CellBlocks, Cells, DefendingSide, blank_cells
from analyser.common.cache import Cache, digest
from analyser.game.forces import Limits
from analyser.game.keywords import RANGED_ATTACK
from analyser.game.units import Level, Loadout, Unit

if TYPE_CHECKING:
    from analyser.analysis.matchups import Matchups
    from analyser.analysis.situations import Situation

LEAST_COST_STORED = 25_000  # total microseconds of fights (`Fight.cost`), below which computing is faster than reading
MOST_LOADOUTS_STORED = 600  # loadouts on each side of a file merged from several grids: about 50 MB
MOST_TABLES_IN_MEMORY = 4  # decoded files kept in memory, because each is read several times
_OBJECT_FIELDS = tuple(name for name in CELL.names or () if CELL[name].hasobject)
_FIGURE_FIELDS = tuple(name for name in CELL.names or () if name not in _OBJECT_FIELDS)


class _Table(NamedTuple):
    """Digests of attackers and of defenders, a cell (result) for each pair, and a mask of computed cells."""

    sides: Sequence[Sequence[str]]
    cells: Cells
    computed: NDArray[np.bool_]


class FightCache:
    """Known results of a grid: from an `earlier` table with the same ruleset and row, and from the cache on disk."""

    def __init__(
        self, attackers: Sequence[Loadout], defending: DefendingSide, *, earlier: Matchups | None = None
    ) -> None:
        self._attackers, self._defending = attackers, defending
        self._earlier, self._cache = earlier, Cache("fights")

    @cached_property
    def _digests(self) -> tuple[list[str], ...]:
        return _digests_of(self._attackers, self._defending)

    def read(self, situation: Situation) -> tuple[Cells, CellBlocks]:
        """Return the cells of a situation (blank where unknown), and the blocks of cells still to compute."""
        shape = len(self._attackers), len(self._defending.defenders)
        is_stored = self.is_worth_storing(situation, shape[0] * shape[1])
        if not is_stored and self._earlier is None:
            return blank_cells(*shape), [(list(range(shape[0])), list(range(shape[1])))]
        sides = _sides_in(situation, self._digests)
        tables = [self._earlier_tables[situation.name]] if self._earlier_tables else []
        known = _merge(sides, tables)
        if is_stored and not known.computed.all() and (stored := self._stored_table(situation)) is not None:
            known = _merge(sides, [stored, *tables])
        computed = known.computed
        empty_rows = np.flatnonzero(~computed.any(axis=1)).tolist()
        part_rows = np.flatnonzero(~computed.all(axis=1) & computed.any(axis=1)).tolist()
        missing_columns = np.flatnonzero(~computed[part_rows].all(axis=0)).tolist()
        blocks = (empty_rows, list(range(shape[1]))), (part_rows, missing_columns)
        return known.cells, [block for block in blocks if all(block)]

    def store(self, situation: Situation, cells: Cells, blocks: CellBlocks) -> None:
        """Store the cells of these blocks; the file keeps its earlier results unless it would grow too large."""
        n_new = sum(len(rows) * len(columns) for rows, columns in blocks)
        if not n_new or not self.is_worth_storing(situation, n_new):
            return
        sides = _sides_in(situation, self._digests)
        computed = np.zeros(cells.shape, np.bool_)
        for block in blocks:
            computed[np.ix_(*block)] = True
        table = _Table(sides, cells, computed)
        if (before := self._stored_table(situation)) is not None:
            both = [list(dict.fromkeys((*names, *others))) for names, others in zip(sides, before.sides)]
            if max(map(len, both)) <= MOST_LOADOUTS_STORED:
                table = _merge(both, [before, table])
        self._cache.write(self._key(situation), _encoded(table))

    def is_worth_storing(self, situation: Situation, pairs: int) -> bool:
        """Return True if the cache is on and this number of fights takes long enough to be worth storing."""
        return self._cache.is_on and pairs * situation.fight.cost >= LEAST_COST_STORED

    def _stored_table(self, situation: Situation) -> _Table | None:
        content = self._cache.read(self._key(situation))
        return None if content is None else _decoded(content)

    def _key(self, situation: Situation) -> str:
        return digest([situation.model_dump_json(), self._defending.ruleset.model_dump_json(), self._defending.row])

    @cached_property
    def _earlier_tables(self) -> dict[str, _Table]:
        """The earlier results by situation, with all cells computed; empty without earlier results."""
        if self._earlier is None:
            return {}
        frame, attackers, situations = self._earlier.frame, self._earlier.attackers, self._earlier.situations
        defending = DefendingSide(self._earlier.defenders, self._earlier.ruleset, None, 1)
        digests = _digests_of(attackers, defending)
        cells = np.empty(len(frame), CELL)
        for name in CELL.names or ():
            column = frame[name]
            cells[name] = column.astype(object).where(column.notna(), None) if name in _OBJECT_FIELDS else column
        by_situation = cells.reshape(len(attackers), len(defending.defenders), len(situations))
        computed = np.ones(by_situation.shape[:2], np.bool_)
        return {
            situation.name: _Table(_sides_in(situation, digests), by_situation[..., index], computed)
            for index, situation in enumerate(situations)
        }


def unit_in_fights(loadout: Loadout) -> Unit:
    """Return the unit of a loadout without other levels, points and limits in forces: no fight depends on these."""
    level = Level(models=loadout.level.models, victory_points=loadout.level.victory_points)
    changes = {"levels": {loadout.level_name: level}, "entry": None, "in_force": Limits(), "battlegroups": {}}
    return loadout.unit.model_copy(update=changes)


def fight_alike(loadout: Loadout, other: Loadout) -> bool:
    """Return True if both loadouts have the same selector and differ at most in what :func:`unit_in_fights` removes."""
    return loadout.selector == other.selector and unit_in_fights(loadout) == unit_in_fights(other)


def _digests_of(attackers: Sequence[Loadout], defending: DefendingSide) -> tuple[list[str], ...]:
    """Return digests of the attackers, of the defenders, and of the defenders as targets of ranged attacks."""
    sides = (
        [digest(f"{loadout.selector}\n{unit_in_fights(loadout).model_dump_json()}") for loadout in side]
        for side in (attackers, defending.defenders)
    )
    return (*sides, [digest(target.model_dump_json()) for target in defending.targets])


def _sides_in(situation: Situation, digests: tuple[list[str], ...]) -> list[list[str]]:
    """Return the digests of both sides; for a ranged attack only the defender's state as a target matters."""
    attackers, defenders, targets = digests
    return [attackers, targets if situation.fight.occasion == RANGED_ATTACK else defenders]


def _merge(sides: Sequence[Sequence[str]], tables: Iterable[_Table]) -> _Table:
    """Return a table for these sides with the computed cells of several tables; later tables take precedence."""
    cells = blank_cells(*map(len, sides))
    computed = np.zeros(cells.shape, np.bool_)
    for table in tables:
        common = []  # for each side, the indices of each loadout here and in the table
        for names, others in zip(sides, table.sides):
            indices = {name: index for index, name in enumerate(others)}
            common.append([(index, indices[name]) for index, name in enumerate(names) if name in indices])
        target, source = (np.ix_(*([pair[end] for pair in pairs] for pairs in common)) for end in (0, 1))
        cells[target] = np.where(table.computed[source], table.cells[source], cells[target])
        computed[target] |= table.computed[source]
    return _Table(sides, cells, computed)


def _encoded(table: _Table) -> bytes:
    """Return a table as the content of a file; objects are stored as indices into lists of distinct values."""
    import pandas as pd  # a late import, because workers of a sweep do not need it

    arrays: dict[str, Any] = {
        "attackers": np.array(table.sides[0]),
        "defenders": np.array(table.sides[1]),
        "fought": table.computed,
        "figures": np.array([table.cells[name] for name in _FIGURE_FIELDS]),
    }
    for name in _OBJECT_FIELDS:
        codes, words = pd.factorize(table.cells[name].ravel())
        text = json.dumps(list(words), default=int)
        arrays |= {f"{name}_codes": codes.astype(np.int32), f"{name}_words": np.array(text)}
    buffer = BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


@lru_cache(maxsize=MOST_TABLES_IN_MEMORY)
def _decoded(content: bytes) -> _Table:
    with np.load(BytesIO(content), allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    sides = [arrays[name].tolist() for name in ("attackers", "defenders")]
    cells = blank_cells(*map(len, sides))
    for name, figures in zip(_FIGURE_FIELDS, arrays["figures"], strict=True):
        cells[name] = figures
    for name in _OBJECT_FIELDS:
        words = np.array([*json.loads(str(arrays[f"{name}_words"])), None], object)
        cells[name] = words[arrays[f"{name}_codes"].reshape(cells.shape)]
    return _Table(sides, cells, arrays["fought"].reshape(cells.shape))
