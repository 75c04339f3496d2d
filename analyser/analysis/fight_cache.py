"""Fight cache on disk: results by a digest of all that they depend on.

The result of a fight is a function of both loadouts, the situation, the ruleset and this program. A changed number,
rule or module has another digest, under which nothing old is found. A file is written whole or not at all; a damaged
one is ignored and written anew. ``ANALYSER_KEEP_FIGHTS=no`` switches the cache off.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cached_property, lru_cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.analysis.grid import CELL, Blocks, Cells, Field, Known, blank_cells
from analyser.common.digests import program
from analyser.common.errors import InputError
from analyser.common.files import write_content
from analyser.common.kernel_cache import folder_for
from analyser.game.forces import Limits
from analyser.game.keywords import RANGED_ATTACK
from analyser.game.units import Level, Loadout, Unit

if TYPE_CHECKING:
    from analyser.analysis.situations import Situation

SWITCH = "ANALYSER_KEEP_FIGHTS"
LEAST_COST = 25_000  # of the fights of a situation, as of `Fight.cost`: less is fought sooner than looked for
MOST_A_SIDE = 600  # loadouts in a file, of which there is one a situation: then about 50 MB
MOST_READ = 4  # files in memory: a question asks several times for each of its situations
MOST_BYTES = 300_000_000  # of all files
_OBJECTS = tuple(name for name in CELL.names or () if CELL[name].hasobject)
_FIGURES = tuple(name for name in CELL.names or () if name not in _OBJECTS)
_DIGITS = 24  # of a digest


class _Table(NamedTuple):
    """Content of a file: digests of attackers and of defenders, their cells, and a mask of those computed."""

    sides: Sequence[Sequence[str]]
    cells: Cells
    fought: NDArray[np.bool_]


class FightCache(Known):
    """Cells of a grid from the cache, to which new results are added."""

    def __init__(self, attackers: Sequence[Loadout], field: Field, folder: Path, *, edits: bool = False) -> None:
        super().__init__(len(attackers), len(field.defenders))
        self._field, self._folder, self._sides, self._edits = field, folder, attackers, edits

    @cached_property
    def _attackers(self) -> list[str]:
        return [_of_loadout(loadout) for loadout in self._sides]

    @cached_property
    def _defenders(self) -> list[str]:
        return [_of_loadout(loadout) for loadout in self._field.defenders]

    @cached_property
    def _targets(self) -> list[str]:
        return [_digest(target.model_dump_json()) for target in self._field.targets]

    def of(self, situation: Situation) -> tuple[Cells, Blocks]:
        """Return the stored cells and the blocks still to compute, as :class:`~.grid.Known` does."""
        if not self._pays(situation, len(self._sides) * len(self._field.defenders)):
            return super().of(situation)
        cells, fought = self._read(situation)
        whole = np.flatnonzero(~fought.any(axis=1)).tolist()
        rest = np.flatnonzero(~fought.all(axis=1) & fought.any(axis=1)).tolist()
        blocks = (whole, list(range(cells.shape[1]))), (rest, np.flatnonzero(~fought[rest].all(axis=0)).tolist())
        return cells, [block for block in blocks if all(block)]

    def _read(self, situation: Situation) -> tuple[Cells, NDArray[np.bool_]]:
        """Return the stored cells, and a mask of those that are stored."""
        wanted = self._attackers, self._of_defenders(situation)
        table = _read(self._path(situation))
        if table is not None and [*map(list, table.sides)] == [*map(list, wanted)]:
            return table.cells.copy(), table.fought.copy()
        return _placed(wanted, [] if table is None else [table])[1:]

    def fought(self, situation: Situation, cells: Cells, blocks: Blocks) -> None:
        """Store new results, together with those that other processes stored meanwhile."""
        anew = sum(len(rows) * len(columns) for rows, columns in blocks)
        if not anew or not self._pays(situation, cells.size if self._edits else anew):
            return
        path, sides = self._path(situation), (self._attackers, self._of_defenders(situation))
        fought = np.zeros(cells.shape, np.bool_)
        for block in blocks:
            fought[np.ix_(*block)] = True
        table = _Table(sides, cells, fought)
        if (before := _read(path)) is not None:
            both = [list(dict.fromkeys((*names, *others))) for names, others in zip(sides, before.sides)]
            if max(map(len, both)) <= MOST_A_SIDE:
                table = _placed(both, [before, table])
        with suppress(InputError):  # the folder cannot be written to any more, or the disk is full
            write_content(path, _packed(table))
            _tidy_up(path)

    def _pays(self, situation: Situation, pairs: int) -> bool:
        return pairs * situation.fight.cost >= LEAST_COST

    def _of_defenders(self, situation: Situation) -> list[str]:
        """Return digests of the defenders: as targets of ranged attacks, as whole loadouts of other fights."""
        return self._targets if situation.fight.occasion == RANGED_ATTACK else self._defenders

    def _path(self, situation: Situation) -> Path:
        asked = situation.model_dump_json(), self._field.ruleset.model_dump_json(), repr(self._field.row)
        return self._folder / f"fights-{_digest(repr(asked))}-{program()}.npz"


def known_of(attackers: Sequence[Loadout], field: Field, *, edits: bool = False) -> Known:
    """Return the stored results of a grid, for situations slow enough to be worth storing.

    With `edits` the few fights that an edit changes are stored, too: the next question may be about the same edit.
    """
    is_on = os.environ.get(SWITCH, "yes").lower() not in ("no", "0", "off", "false")
    folder = folder_for(Path(__file__)) if is_on else None
    if folder is None:
        return Known(len(attackers), len(field.defenders))
    return FightCache(attackers, field, folder, edits=edits)


def fighting(loadout: Loadout) -> Unit:
    """Return the unit as its fights depend on it: without other levels, points and rules of forces."""
    level = Level(models=loadout.level.models, victory_points=loadout.level.victory_points)
    without = {"levels": {loadout.level_name: level}, "entry": None, "in_force": Limits(), "battlegroups": {}}
    return loadout.unit.model_copy(update=without)


def _of_loadout(loadout: Loadout) -> str:
    return _digest(f"{loadout.selector}\n{fighting(loadout).model_dump_json()}")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def _placed(sides: Sequence[Sequence[str]], tables: Iterable[_Table]) -> _Table:
    """Return the cells of some tables at the places of other sides; later tables go before earlier ones."""
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
    """A table as the content of a file: numbers, and words as places in a list of them."""
    import pandas as pd  # here: workers of a sweep start without it

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
    np.savez(buffer, **arrays)  # with a checksum of each
    return buffer.getvalue()


def _read(path: Path) -> _Table | None:
    """The table in a file; None where there is none, or none that is whole."""
    try:
        state = path.stat()
    except OSError:
        return None
    return _read_as(path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=MOST_READ)
def _read_as(path: Path, *_: int) -> _Table | None:
    """Return the table of a file as it was written at a given time, cached; None if it cannot be read."""
    try:
        with np.load(BytesIO(path.read_bytes()), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        sides = [arrays[name].tolist() for name in ("attackers", "defenders")]
        cells = blank_cells(*map(len, sides))
        for name, figures in zip(_FIGURES, arrays["figures"], strict=True):
            cells[name] = figures
        for name in _OBJECTS:
            words = np.array([*json.loads(str(arrays[f"{name}_words"])), None], object)
            cells[name] = words[arrays[f"{name}_codes"].reshape(cells.shape)]
        return _Table(sides, cells, arrays["fought"].reshape(cells.shape))
    except Exception:  # whatever a damaged or foreign file leads to: it is no use, and fighting is
        return None


def _tidy_up(written: Path) -> None:
    """Delete files of other versions, then the oldest ones while the cache is too large."""
    files = []
    for path in written.parent.glob("fights-*.npz"):
        with suppress(OSError):  # gone
            files.append((path.stat().st_mtime, path.stat().st_size, path))
    room = MOST_BYTES
    for _, size, path in sorted(files, reverse=True):
        room -= size
        if path != written and (room < 0 or not path.stem.endswith(program())):
            with suppress(OSError):  # not ours to delete, or gone
                path.unlink()
