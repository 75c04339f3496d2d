"""Simulation of many battles on several threads, and the events of a single battle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from analyser.common.method_settings import Progress
from analyser.common.records import Integers, empty_record
from analyser.engine.battle.battle_data import (
    CHUNK_BATTLES,
    MOST_UNITS,
    NOWHERE,
    Battle,
    Counts,
    Encoding,
    Field,
    Tables,
)
from analyser.engine.battle.log import Event, Unfired
from analyser.engine.battle.look_ahead_weights import BY_POLICY, set_mix
from analyser.engine.battle.play import play_chunk
from analyser.engine.parallel import Chunks, Queue, run_on_threads
from analyser.engine.rng import stream_of
from analyser.rules.policies import Action


class Told(NamedTuple):
    """Events and result of one battle."""

    number: int  # number of the battle in the simulation, from 0
    margin: int  # VP of side 0 less those of side 1
    events: Integers  # (events, EVENT_FIELDS), see :mod:`.log`
    rounds: int
    unfired: dict[int, Unfired]  # by index of the event: reason why an order to shoot led to no shot


class Simulation:
    """A battle to simulate repeatedly."""

    def __init__(self, encoding: Encoding, sides: Any, units: Any, tables: Tables, replacement: bool = False) -> None:
        self._encoding: Any = encoding
        self._encoding.replacement = replacement
        self._sides, self._units, self._tables = sides, units, tables
        self._fields: list[Field] = []

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

        The battles follow `before` others, whole chunks (CHUNK_BATTLES) that are simulated elsewhere.
        """
        stream, seen = stream_of(seed), list[Counts]()

        def work(queue: Queue) -> None:
            field: Any = self._fields.pop() if self._fields else self._new_field()
            field.absent[:] = 0
            if without is not None:
                field.absent[without] = 1
            counts = empty_record(Counts)
            battle = Battle(self._encoding, self._tables, field, counts)
            for task in queue:
                for chunk in range(task.first, task.last):
                    play_chunk(battle, stream, chunk, 0, task.chunk_trials)
            self._fields.append(field)
            seen.append(counts)

        def report(done: int) -> None:
            if progress is not None:
                progress(done, trials)

        run_on_threads(Chunks(trials, CHUNK_BATTLES, before // CHUNK_BATTLES), work, threads, report)
        return added_up(seen)

    def with_tactics(self, tactics: Sequence[str]) -> Simulation:
        """Return the same battle with other tactics of side 0 and of side 1."""
        names = tuple((name,) for name in tactics)
        return self.with_mixes(names, [np.ones(1), np.ones(1)])

    def with_mixes(self, names: Sequence[Sequence[str]], mixes: Sequence[NDArray[np.float64]]) -> Simulation:
        """Return the same battle with other mixes of tactics: names and probabilities for each side."""
        other = copy(self)
        other._encoding = self._encoding.copy()
        for side, (tactics, mix) in enumerate(zip(names, mixes)):
            if tuple(tactics) != (BY_POLICY,):
                set_mix(other._encoding, side, dict(zip(tactics, mix.tolist())))
        return other

    def first_with(self, margin: int, trials: int, seed: int) -> int:
        """Return the number of the first of `trials` battles of a seed with the given margin; one must have it."""
        field: Any = self._new_field()
        battle = Battle(self._encoding, self._tables, field, empty_record(Counts))
        for chunk in range(-(-trials // CHUNK_BATTLES)):
            many = min(CHUNK_BATTLES, trials - chunk * CHUNK_BATTLES)
            play_chunk(battle, stream_of(seed), chunk, 0, many)
            result = np.flatnonzero(field.margins[:many] == margin)
            if len(result):
                return chunk * CHUNK_BATTLES + int(result[0])
        raise AssertionError(f"no battle of seed {seed} ends with {margin}")

    def told(self, number: int, seed: int) -> Told:
        """Return one battle of a seed, event by event."""
        field: Any = self._new_field()
        field.logs = 1
        chunk, place = divmod(number, CHUNK_BATTLES)
        battle = Battle(self._encoding, self._tables, field, empty_record(Counts))
        play_chunk(battle, stream_of(seed), chunk, place, place + 1)
        events = field.log[: field.logged].astype(np.int64)
        rounds = int(np.flatnonzero(battle.counts.ended)[0])
        return Told(number, int(field.margins[place]), events, rounds, dict(self._unfired(events)))

    def _unfired(self, events: Integers) -> Iterator[tuple[int, Unfired]]:
        """Yield indices of orders to shoot that the row did not allow, and the reasons."""
        strikes: Any = self._tables.strikes
        empty = set[int]()
        for place, (event, unit, other, number, action, distance) in enumerate(events.tolist()):
            if event == Event.ATTACKED and strikes[number].reloads:
                empty.add(unit)
            if event != Event.ORDERED or action != Action.SHOOT:
                continue
            pair, flies = self._encoding.pairs[unit, other % MOST_UNITS], self._encoding.aircraft[unit]
            row = strikes[pair.strikes[0]]
            moved = _moved_by(events[place + 1 :])
            if unit in empty and pair.rearms:
                if not flies:
                    empty.remove(unit)
                yield place, Unfired.EMPTY if flies else Unfired.RELOADS
            elif not flies and not _attacks(events[place:]):
                if moved and row.move_or_fire:
                    yield place, Unfired.MOVED
                elif row.indirect and distance - moved <= row.short_range:
                    yield place, Unfired.TOO_NEAR

    def _new_field(self) -> Field:
        field: Any = empty_record(Field)
        field.sides[:], field.units[:] = self._sides, self._units
        rows = slice(self._tables.number)
        field.targets[rows] = self._tables.targets[rows]
        field.off[:] = NOWHERE
        return cast("Field", field)


def _moved_by(events: Integers) -> int:
    """Return the length of the first event if it is a move; 0 for another event or if the log has ended."""
    return int(events[0, 3]) if len(events) and events[0, 0] == Event.MOVED else 0


def _attacks(events: Integers) -> bool:
    """Return True if the unit of the first event attacks the other one before the next unit is activated."""
    for event, unit, other, *_ in events[1:].tolist():
        if event in (Event.ACTIVATED, Event.ENDED):
            return False
        if event == Event.ATTACKED and (unit, other) == tuple(events[0, 1:3]):
            return True
    return False


def added_up(every: Sequence[Counts]) -> Counts:
    """Return the sum of several counts."""
    if len(every) == 1:
        return every[0]
    total: Any = empty_record(Counts)
    for counts in every:
        fields: Any = counts
        for name in fields.dtype.names:
            total[name] += fields[name]
    return cast("Counts", total)
