"""Simulation of many battles on several threads, and the events of a single battle."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from analyser.common.kernel_records import Integers, empty_record
from analyser.common.method_settings import Progress
from analyser.engine.battle.battle_data import (
    CHUNK_BATTLES,
    NOWHERE,
    Battle,
    Battlefield,
    BattleSetup,
    Counts,
    Tables,
)
from analyser.engine.battle.look_ahead_weights import BY_POLICY, set_mix
from analyser.engine.battle.play import play_chunk
from analyser.engine.parallel import Chunks, Queue, run_chunks
from analyser.engine.rng import stream_of


class LoggedBattle(NamedTuple):
    """Events and result of one battle."""

    number: int  # number of the battle in the simulation, from 0
    margin: int  # VP of side 0 less VP of side 1
    events: Integers  # shape (events, EVENT_FIELDS), see :mod:`.log`
    rounds: int


class Simulation:
    """A battle to simulate repeatedly."""

    def __init__(self, setup: BattleSetup, sides: Any, units: Any, tables: Tables, replacement: bool = False) -> None:
        self._setup: Any = setup
        self._setup.replacement = replacement
        self._sides, self._units, self._tables = sides, units, tables
        self._idle_fields: list[Battlefield] = []

    def play(
        self,
        trials: int,
        seed: int,
        threads: int = 1,
        progress: Progress | None = None,
        without: int | None = None,
        before: int = 0,
    ) -> Counts:
        """Simulate `trials` battles, optionally `without` a unit; the counts do not depend on `threads`.

        `before`: number of earlier battles of this seed, simulated elsewhere; a multiple of CHUNK_BATTLES.
        """
        stream, counts_by_thread = stream_of(seed), list[Counts]()

        def work(queue: Queue) -> None:
            field: Any = self._idle_fields.pop() if self._idle_fields else self._new_field()
            field.absent[:] = 0
            if without is not None:
                field.absent[without] = 1
            counts = empty_record(Counts)
            battle = Battle(self._setup, self._tables, field, counts)
            for task in queue:
                for chunk in range(task.first, task.last):
                    play_chunk(battle, stream, chunk, 0, task.chunk_trials)
            self._idle_fields.append(field)
            counts_by_thread.append(counts)

        chunks = Chunks(trials, CHUNK_BATTLES, before // CHUNK_BATTLES)
        run_chunks(chunks, work, threads, progress and (lambda done: progress(done, trials)))
        return sum_counts(counts_by_thread)

    def with_tactics(self, tactics: Sequence[str]) -> Simulation:
        """Return the same battle with other tactics of side 0 and of side 1."""
        names = tuple((name,) for name in tactics)
        return self.with_mixes(names, [np.ones(1), np.ones(1)])

    def with_mixes(self, names: Sequence[Sequence[str]], mixes: Sequence[NDArray[np.float64]]) -> Simulation:
        """Return the same battle with other mixes of tactics, by name, for each side that does not follow BY_POLICY."""
        other = copy(self)
        other._setup = self._setup.copy()
        for side, (tactics, mix) in enumerate(zip(names, mixes)):
            if tuple(tactics) != (BY_POLICY,):
                set_mix(other._setup, side, dict(zip(tactics, mix.tolist())))
        return other

    def first_battle_with(self, margin: int, trials: int, seed: int) -> int:
        """Return the index of the first battle with this margin among `trials` battles of a seed; one must exist."""
        field: Any = self._new_field()
        battle = Battle(self._setup, self._tables, field, empty_record(Counts))
        for chunk in range(-(-trials // CHUNK_BATTLES)):
            battles = min(CHUNK_BATTLES, trials - chunk * CHUNK_BATTLES)
            play_chunk(battle, stream_of(seed), chunk, 0, battles)
            result = np.flatnonzero(field.margins[:battles] == margin)
            if len(result):
                return chunk * CHUNK_BATTLES + int(result[0])
        raise AssertionError(f"no battle of seed {seed} ends with {margin}")

    def logged_battle(self, number: int, seed: int) -> LoggedBattle:
        """Return one battle of a seed with its events."""
        field: Any = self._new_field()
        field.is_logging = 1
        chunk, index = divmod(number, CHUNK_BATTLES)
        battle = Battle(self._setup, self._tables, field, empty_record(Counts))
        play_chunk(battle, stream_of(seed), chunk, index, index + 1)
        events = field.log[: field.logged].astype(np.int64)
        rounds = int(np.flatnonzero(battle.counts.ended)[0])
        return LoggedBattle(number, int(field.margins[index]), events, rounds)

    def _new_field(self) -> Battlefield:
        field: Any = empty_record(Battlefield)
        field.sides[:], field.units[:] = self._sides, self._units
        rows = slice(self._tables.number)
        field.targets[rows] = self._tables.targets[rows]
        field.off[:] = NOWHERE
        return cast("Battlefield", field)


def sum_counts(parts: Sequence[Counts]) -> Counts:
    """Return the sum of several counts."""
    if len(parts) == 1:
        return parts[0]
    total: Any = empty_record(Counts)
    for counts in parts:
        record: Any = counts
        for name in record.dtype.names:
            total[name] += record[name]
    return cast("Counts", total)
