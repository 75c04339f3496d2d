"""Fight cache: cells of a grid by digests of both loadouts; each situation, with its ruleset, has a file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.analysis.grid import CELL, CellBlocks, Cells, DefendingSide, KnownResults, blank_cells
from analyser.common.cache import Cache, digest
from analyser.game.forces import Limits
from analyser.game.keywords import RANGED_ATTACK
from analyser.game.units import Level, Loadout, Unit

if TYPE_CHECKING:
    from analyser.analysis.situations import Situation

LEAST_COST = 25_000  # microseconds of a situation's fights (`Fight.cost`); cheaper ones are faster computed than read
MOST_A_SIDE = 600  # loadouts in the file of a situation, about 50 MB
MOST_READ = 4  # tables in memory, because a question reads each situation several times
_OBJECTS = tuple(name for name in CELL.names or () if CELL[name].hasobject)
_FIGURES = tuple(name for name in CELL.names or () if name not in _OBJECTS)


class _Table(NamedTuple):
    """Content of a file: digests of attackers and of defenders, their cells, and a mask of computed cells."""

    sides: Sequence[Sequence[str]]
    cells: Cells
    fought: NDArray[np.bool_]


class FightCache(KnownResults):
    """Cells of a grid from the cache, and storage of new cells."""

    def __init__(
        self, attackers: Sequence[Loadout], defending: DefendingSide, cache: Cache, *, edits: bool = False
    ) -> None:
        super().__init__(len(attackers), len(defending.defenders))
        self._field, self._cache, self._sides, self._edits = defending, cache, attackers, edits

    @cached_property
    def _attackers(self) -> list[str]:
        return [_of_loadout(loadout) for loadout in self._sides]

    @cached_property
    def _defenders(self) -> list[str]:
        return [_of_loadout(loadout) for loadout in self._field.defenders]

    @cached_property
    def _targets(self) -> list[str]:
        return [digest(target.model_dump_json()) for target in self._field.targets]

    def of(self, situation: Situation) -> tuple[Cells, CellBlocks]:
        """Return the stored cells and the blocks still to compute, as :class:`~.grid.KnownResults` does."""
        if not self.pays(situation, len(self._sides) * len(self._field.defenders)):
            return super().of(situation)
        cells, fought = self._read(situation)
        whole = np.flatnonzero(~fought.any(axis=1)).tolist()
        rest = np.flatnonzero(~fought.all(axis=1) & fought.any(axis=1)).tolist()
        blocks = (whole, list(range(cells.shape[1]))), (rest, np.flatnonzero(~fought[rest].all(axis=0)).tolist())
        return cells, [block for block in blocks if all(block)]

    def _read(self, situation: Situation) -> tuple[Cells, NDArray[np.bool_]]:
        """Return the cells, and a mask of stored ones."""
        wanted = self._attackers, self._of_defenders(situation)
        table = self._stored(situation)
        if table is not None and [*map(list, table.sides)] == [*map(list, wanted)]:
            return table.cells.copy(), table.fought.copy()
        return _placed(wanted, [] if table is None else [table])[1:]

    def store(self, situation: Situation, cells: Cells, blocks: CellBlocks) -> None:
        """Store new results, together with those that other processes stored meanwhile."""
        anew = sum(len(rows) * len(columns) for rows, columns in blocks)
        if not anew or not self.pays(situation, cells.size if self._edits else anew):
            return
        sides = (self._attackers, self._of_defenders(situation))
        fought = np.zeros(cells.shape, np.bool_)
        for block in blocks:
            fought[np.ix_(*block)] = True
        table = _Table(sides, cells, fought)
        if (before := self._stored(situation)) is not None:
            both = [list(dict.fromkeys((*names, *others))) for names, others in zip(sides, before.sides)]
            if max(map(len, both)) <= MOST_A_SIDE:
                table = _placed(both, [before, table])
        self._cache.write(self._key(situation), _packed(table))

    def pays(self, situation: Situation, pairs: int) -> bool:
        """Return True if that many fights are worth storing."""
        return pairs * situation.fight.cost >= LEAST_COST

    def _of_defenders(self, situation: Situation) -> list[str]:
        """Return digests of the defenders: of their targets for ranged attacks, of whole loadouts for other fights."""
        return self._targets if situation.fight.occasion == RANGED_ATTACK else self._defenders

    def _stored(self, situation: Situation) -> _Table | None:
        content = self._cache.read(self._key(situation))
        return None if content is None else _unpacked(content)

    def _key(self, situation: Situation) -> str:
        return digest([situation.model_dump_json(), self._field.ruleset.model_dump_json(), self._field.row])


def cached_results(attackers: Sequence[Loadout], defending: DefendingSide, *, edits: bool = False) -> KnownResults:
    """Return the stored results of a grid, for situations slow enough to be worth storing.

    With `edits` the few fights that an edit changes are stored too, because the next question may repeat the edit.
    """
    cache = Cache("fights")
    if not cache.is_on:
        return KnownResults(len(attackers), len(defending.defenders))
    return FightCache(attackers, defending, cache, edits=edits)


def fighting(loadout: Loadout) -> Unit:
    """Return the parts of a unit that affect its fights: without other levels, points and rules of forces."""
    level = Level(models=loadout.level.models, victory_points=loadout.level.victory_points)
    without = {"levels": {loadout.level_name: level}, "entry": None, "in_force": Limits(), "battlegroups": {}}
    return loadout.unit.model_copy(update=without)


def _of_loadout(loadout: Loadout) -> str:
    return digest(f"{loadout.selector}\n{fighting(loadout).model_dump_json()}")


def _placed(sides: Sequence[Sequence[str]], tables: Iterable[_Table]) -> _Table:
    """Return the cells of some tables rearranged for other sides; later tables take precedence."""
    cells = blank_cells(*map(len, sides))
    fought = np.zeros(cells.shape, np.bool_)
    for table in tables:
        here, there = [], []
        for names, others in zip(sides, table.sides):
            places = {name: at for at, name in enumerate(others)}
            common = [(at, places[name]) for at, name in enumerate(names) if name in places]
            here.append([at for at, _ in common])
            there.append([at for _, at in common])
        mine, theirs = np.ix_(*here), np.ix_(*there)
        cells[mine] = np.where(table.fought[theirs], table.cells[theirs], cells[mine])
        fought[mine] |= table.fought[theirs]
    return _Table(sides, cells, fought)


def _packed(table: _Table) -> bytes:
    """Return a table as the content of a file: numbers, and words as indices into a list."""
    import pandas as pd  # a late import, because workers of a sweep do not need it

    arrays: dict[str, Any] = {
        "attackers": np.array(table.sides[0]),
        "defenders": np.array(table.sides[1]),
        "fought": table.fought,
        "figures": np.array([table.cells[name] for name in _FIGURES]),
    }
    for name in _OBJECTS:
        codes, words = pd.factorize(table.cells[name].ravel())
        text = json.dumps(list(words), default=int)
        arrays |= {f"{name}_codes": codes.astype(np.int32), f"{name}_words": np.array(text)}
    buffer = BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


@lru_cache(maxsize=MOST_READ)
def _unpacked(content: bytes) -> _Table:
    """Return the table that :func:`_packed` encoded."""
    with np.load(BytesIO(content), allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    sides = [arrays[name].tolist() for name in ("attackers", "defenders")]
    cells = blank_cells(*map(len, sides))
    for name, figures in zip(_FIGURES, arrays["figures"], strict=True):
        cells[name] = figures
    for name in _OBJECTS:
        words = np.array([*json.loads(str(arrays[f"{name}_words"])), None], object)
        cells[name] = words[arrays[f"{name}_codes"].reshape(cells.shape)]
    return _Table(sides, cells, arrays["fought"].reshape(cells.shape))
