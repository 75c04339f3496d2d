"""Trials of a longer fight without replacement, again: every roll, every card and every lot of each.

The trials of a chunk are played once more in the very passes of :mod:`.without_replacement`, by the interpreter, with a
look at each lane between one pass and the next. A card is drawn there as a place among those left in its deck, in
rising order of their values: a deck that is kept beside says which card that is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Any, NamedTuple

import numpy as np

from analyser.common.records import views
from analyser.engine.fight.program import Pair
from analyser.engine.fight.sampled import nodes, transitions, without_replacement
from analyser.engine.fight.sampled.decks import ABREAST, ask, shuffle_fresh
from analyser.engine.fight.sampled.nodes import Stage
from analyser.engine.fight.sampled.pools import AT_ONCE, NO_POOL, layout_at, rerolls_at, roll_again, rolls_left
from analyser.engine.fight.sampled.simulation import PlayerWithoutReplacement
from analyser.engine.fight.sampled.transitions import COUNT, Chunk
from analyser.engine.fight.sampled.without_replacement import CHUNK_TRIALS, NOT_BEGUN
from analyser.engine.pool.kernel import BLOCK
from analyser.engine.pool.replay import Die, Reader, RolledBlock, block_again
from analyser.engine.rng import stream_of
from analyser.rules.draws import Draw
from analyser.rules.structs import FightFacts

_ROLLS = AT_ONCE * BLOCK  # places that a pool has in the cache, and one more
_ROLLS_A_POOL = _ROLLS + 1
_CELL = 17  # where the score begins in what is known on a line
_PLACE = (1 << 32) - 1
_DRAWS = 3
_ENDED, _FINAL = int(nodes.ENDED), int(transitions.FINAL)


class What(Enum):
    """What chance decided."""

    ROLL = "roll"
    CARD = "card"
    LOT = "lot"


class Chance(NamedTuple):
    """One thing that chance decided in a trial.

    Attributes
    ----------
    what : What
    value : int
        Of a roll its score; the value of a card; of a lot 1 if it was one of those that count.
    roll : tuple of int, or None
        Of a roll which pool, which roll of that pool in the chunk, by block and place in it.
    """

    what: What
    value: int
    roll: tuple[int, int, int] | None = None


class TracedTrial(NamedTuple):
    """A trial: its number in its sample, and what chance decided in it, in order."""

    number: int
    chances: list[Chance]


class Tracer(PlayerWithoutReplacement):
    """Plays the trials of a sample again, one chunk after the other, and tells what chance decided in each."""

    _cards: list[int]  # of a full deck
    _blocks: dict[int, list[int]]  # of each pool the counters before its rolls of this chunk, in order
    _rolled: dict[tuple[int, int], RolledBlock]
    _many: dict[int, list[int]]

    def trials(self, start: Pair, trials: int, seed: int) -> Iterator[TracedTrial]:
        """The trials of a sample, in the order in which they end."""
        self.begin()
        self._cards = [int(value) for value in np.repeat(np.arange(len(self._deck)), self._deck)]
        stream = stream_of(seed)
        for number in range(-(-trials // CHUNK_TRIALS)):
            of_chunk = min(CHUNK_TRIALS, trials - number * CHUNK_TRIALS)
            chunk = Chunk((int(start[0]), int(start[1])), stream, number, of_chunk)
            while True:  # where a threshold is asked for all goes the same way again
                found = self._chunk(chunk)
                if found is not None:
                    break
                ask(self._decks, self._program, self._deck, self._program.wanted)
            yield from (each._replace(number=each.number + number * CHUNK_TRIALS) for each in found)

    def _chunk(self, chunk: Chunk) -> list[TracedTrial] | None:
        """All trials of a chunk; None where a threshold was wanted that is not kept yet."""
        with self._player.interpreting(), np.errstate(over="ignore"):
            records = self._table
            graph, roller, decks, lanes, snapshots = views(records)
            self._blocks, self._rolled, self._many = {}, {}, {}
            without_replacement.begin_trials(graph, roller, decks, lanes, snapshots, chunk, NOT_BEGUN)
            if lanes.active == 0:
                return [TracedTrial(number, []) for number in range(chunk.trials)]
            trace = _Lanes(lanes.active, self._cards)
            while lanes.active > 0:
                if not self._roll(graph, roller, decks, lanes, trace):
                    return None
                without_replacement.all_drawn(records[2], records[1].random, records[3])
                self._draw(lanes, trace)
                self._end(graph, decks, lanes, snapshots, trace)
            return trace.ended

    def _roll(self, graph: Any, roller: Any, decks: Any, lanes: Any, trace: _Lanes) -> bool:
        """The first pass, lane by lane; False where a threshold is wanted."""
        _, program, pools, known, _ = graph
        random, cache = roller.random, roller.cache
        active = lanes.active
        lanes.at = lanes.many = 0
        for lane in range(active):
            lanes.lane, lanes.active = lane, lane + 1
            place = lanes.place[lane]
            node = int(nodes.node_of(known, place))
            queue = known.queue[node]
            stage, pool = program.stage[queue], int(place) >> 32
            if stage == Stage.CARD or (stage == Stage.POOL and not transitions.is_rolled(graph, queue)):
                if stage == Stage.POOL:
                    self._have_a_good_roll(roller, pools, program.pool[queue])
                without_replacement.roll_apart(graph, roller, decks, lanes)
                if program.wanted != nodes.UNASKED:
                    lanes.active = active
                    return False
                self._note_apart(graph, cache, lanes, trace, queue)
                continue
            while not without_replacement.all_rolled(program, known, random, cache, lanes):
                needed = without_replacement.needed_for_a_roll(pools, cache, lanes)
                if needed == nodes.NO_ROLLS:
                    self._roll_again(roller, pools, pool)
                elif needed == nodes.NO_TRANSITION:
                    transitions.find_transition(graph, node, int(cache.cells[int(cache.next[pool])]))
                    if program.wanted != nodes.UNASKED:
                        lanes.active = active
                        return False
            if pool != NO_POOL:
                at = int(cache.next[pool]) - 1
                cell = int(cache.cells[at])
                trace.chances[lane].append(Chance(What.ROLL, cell, self._which(pool, at)))
            else:
                cell = 0
            raw = int(known.transitions[(int(place) & _PLACE) + cell])
            if raw < 0:
                then, _, _, _ = nodes.parts_of(raw)
                went = (int(lanes.transition[lane]) & int(nodes.WAY)) - 1
                trace.chances[lane].append(Chance(What.LOT, int(went == then)))
        lanes.lane, lanes.active = 0, active
        return True

    def _have_a_good_roll(self, roller: Any, pools: Any, pool: int) -> None:
        """Let the next roll of a pool be one that counts."""
        cache = roller.cache
        while True:
            if rolls_left(cache, pool) == 0:
                self._roll_again(roller, pools, pool)
            if int(cache.many_cells[int(cache.next[pool])]) != pools.cells[pool]:
                return
            cache.next[pool] += 1

    def _note_apart(self, graph: Any, cache: Any, lanes: Any, trace: _Lanes, queue: int) -> None:
        """What a card that adds dice, or a roll that can come to very much, has come to."""
        _, program, _, known, _ = graph
        lane = int(lanes.lane) - 1
        so_far = int(known.so_far[(int(lanes.transition[lane]) & int(nodes.WAY)) - 1])
        if program.stage[queue] == Stage.CARD:
            trace.take(lane, program.pool[queue], so_far)
            trace.chances[lane].append(Chance(What.CARD, so_far))
        else:
            pool = int(program.pool[queue])
            roll = self._which(pool, int(cache.next[pool]) - 1)
            trace.chances[lane].append(Chance(What.ROLL, so_far >> _CELL, roll))

    def _roll_again(self, roller: Any, pools: Any, pool: int) -> None:
        """Roll a pool again, and note where in the stream that was."""
        counter, before = int(roller.random.counter), int(roller.cache.blocks[pool])
        roll_again(roller, pools, pool)
        many = min(max(before, 1), AT_ONCE)
        blocks = self._blocks.setdefault(pool, [])
        self._many.setdefault(pool, []).append(many)
        blocks += [counter, *[-1] * (many - 1)]  # those after the first begin where the one before has ended

    def _which(self, pool: int, at: int) -> tuple[int, int, int]:
        """Which roll of a pool is at that place of the cache: the pool, its block in this chunk, the place in it."""
        many = self._many[pool][-1]
        place = at - pool * _ROLLS_A_POOL - (_ROLLS - many * BLOCK)
        block, trial = divmod(place, BLOCK)
        return pool, len(self._blocks[pool]) - many + block, trial

    def most_dice(self, strike: int) -> int:
        """The most dice that a strike can roll: its scores are those of as many."""
        pools = self._graph.pools
        return int(pools.most_dice[int(pools.first_of_strike[strike])])

    def dice_of(self, fight: FightFacts, roll: tuple[int, int, int]) -> list[Die]:
        """The dice of a roll of the chunk that was played last; `fight`: of its strike."""
        pool, block, trial = roll
        place = int(self._graph.pools.layout[pool])
        layout, rerolls = layout_at(self._roller.layouts, place), self._roller.rerolls
        of_layout = None if rerolls is None else rerolls_at(rerolls, place)
        dice, kept = int(self._graph.pools.dice[pool]), int(self._graph.pools.kept[pool])
        gamma = np.uint64(self._roller.random.gamma)
        for number in range(block + 1):
            if (pool, number) not in self._rolled:
                counter = self._blocks[pool][number]
                begin = np.uint64(counter) if counter >= 0 else self._rolled[pool, number - 1].counter
                self._rolled[pool, number] = block_again(layout, of_layout, dice, kept, begin, gamma)
        return Reader(fight, self._die, layout, of_layout).dice_of(self._rolled[pool, block], trial, dice)

    def _draw(self, lanes: Any, trace: _Lanes) -> None:
        """The cards that the lanes have drawn, by the decks that are kept beside."""
        for lane in range(lanes.active):
            drawn = int(lanes.transition[lane]) >> int(nodes.DRAW) & _DRAWS
            if drawn in (Draw.CARD_OF_0, Draw.CARD_OF_1):
                value = trace.card(lane, int(drawn == Draw.CARD_OF_1), int(lanes.shown[lane]) - 1)
                trace.chances[lane].append(Chance(What.CARD, value))

    def _end(self, graph: Any, decks: Any, lanes: Any, snapshots: Any, trace: _Lanes) -> None:
        """The last pass: where the next part begins, and who begins the next trial."""
        known = graph.nodes
        lanes.lane, lanes.at, lanes.many = 0, 0, 0
        for lane in range(ABREAST):
            lanes.fresh[lane] = 0
        while not without_replacement.all_placed(known, lanes):
            transitions.place_of(graph, int(lanes.to[lanes.lane]))
        waiting = [int(lanes.ends[each]) for each in range(int(lanes.many))]
        for lane in waiting:
            while int(lanes.place[lane]) & _ENDED:
                end, row = int(lanes.place[lane]) & _PLACE, int(lanes.row[lane])
                way = int(transitions.next_node(graph, snapshots, end, row))
                snapshots.ends[end, row, COUNT] += np.uint64(1)
                if way & _FINAL:
                    lanes.place[lane], lanes.row[lane], lanes.fresh[lane] = lanes.first, lanes.first_row, 1
                    lanes.begun += 1
                    trace.finish(lane)
                    if int(lanes.first) & _ENDED:
                        raise AssertionError("a trial begins where something is decided")
                    break
                lanes.place[lane], lanes.row[lane] = way, row + 1
        shuffle_fresh(*self._table[2:4])
        if lanes.begun > lanes.trials:
            for lane in range(lanes.active - 1, -1, -1):
                if lanes.fresh[lane] and lanes.begun > lanes.trials:
                    lanes.begun -= 1
                    lanes.active -= 1
                    last = lanes.active
                    trace.move(last, lane)
                    lanes.place[lane], lanes.row[lane] = lanes.place[last], lanes.row[last]
                    for side in range(2):
                        for word in range(decks.words):
                            lanes.left[side, word, lane] = lanes.left[side, word, last]
        trace.begin(lanes.active)


class _Lanes:
    """What is noted of the lanes beside the engine's own records."""

    def __init__(self, active: int, cards: Sequence[int]) -> None:
        self._full = list(cards)
        self.number: list[int | None] = list(range(active))
        self.chances: list[list[Chance]] = [[] for _ in range(active)]
        self._decks = [[list(cards), list(cards)] for _ in range(active)]
        self._next = active
        self.ended: list[TracedTrial] = []

    def card(self, lane: int, side: int, rank: int) -> int:
        """The card of that place among those left in a deck, which is shuffled anew when it is empty (AC-5.1)."""
        deck = self._decks[lane][side]
        value = deck.pop(rank)
        if not deck:
            deck.extend(self._full)
        return value

    def take(self, lane: int, side: int, value: int) -> None:
        """A card of that value is out of its deck, too."""
        self.card(lane, side, self._decks[lane][side].index(value))

    def finish(self, lane: int) -> None:
        """The trial of a lane is over."""
        number = self.number[lane]
        assert number is not None
        self.ended.append(TracedTrial(number, self.chances[lane]))
        self.number[lane], self.chances[lane] = None, []
        self._decks[lane] = [list(self._full), list(self._full)]

    def move(self, last: int, lane: int) -> None:
        """The last lane takes the place of one that is out of use."""
        self.number[lane], self.chances[lane], self._decks[lane] = (
            self.number[last],
            self.chances[last],
            self._decks[last],
        )

    def begin(self, active: int) -> None:
        """Lanes without a trial begin the next ones."""
        for lane in range(active):
            if self.number[lane] is None:
                self.number[lane] = self._next
                self._next += 1
