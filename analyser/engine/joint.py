"""The exact engine of longer fights: the joint law of both sides' states, pushed through a program.

A law is two lists of states and a matrix of chances. An operation gives every pair of states the pairs that follow
it; equal states come together again, so that the law stays small and nothing is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.dice import Face, Rating
from analyser.engine import steps, strikes
from analyser.engine.gathering import NOWHERE, Gathering, gathering, place_of, with_room
from analyser.engine.program import Kind, Operation, Setup
from analyser.engine.ways import Chances, Ways, known_list, no_ways, striker_after, with_list
from analyser.jit import kernel, step
from analyser.rules.armoured_clash import unit_state
from analyser.rules.armoured_clash.facts import NONE

_BOTH = 2  # ways of a test
_HEROIC, _STRIKE_FACE, _MISS = int(Face.HEROIC), int(Face.STRIKE), int(Face.MISS)
_STRIKE = int(Kind.STRIKE)
_ALONE = (int(Kind.END), int(Kind.END_ROUND), int(Kind.END_COMBAT), int(Kind.WRECK))
_COIN, _STRIKE_DIE, _MISS_DIE = steps.COIN, steps.STRIKE_DIE, steps.MISS_DIE


class Law(NamedTuple):
    """The joint law of two sides.

    Attributes
    ----------
    first, second : int64 arrays, shapes (m,) and (n,)
        The states of side 0 and of side 1, each once.
    chances : float64 array, shape (m, n)
        They add up to 1.
    """

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    chances: NDArray[np.float64]


@step
def gathered(firsts: Gathering, seconds: Gathering, chances: NDArray[np.float64]) -> Law:
    """A law of the states that came together."""
    return Law(firsts.states[: firsts.length[0]].copy(), seconds.states[: seconds.length[0]].copy(), chances)


@step
def strike(
    setup: Setup, operation: tuple[int, int, int], law: Law, chances: Chances, ways: Ways
) -> tuple[Law, Ways]:  # fmt: skip
    """The law after a strike, and all ways of strikes that are known now."""
    number = operation[2]
    striker = setup.strikes[number].striker
    conditions = conditions_of(setup, operation, law)
    ways = with_lists(setup, number, conditions, law.second if striker == 0 else law.first, chances, ways)
    which = np.full(conditions.shape, NONE, np.int64)
    made = False
    for row in range(conditions.shape[0]):
        for column in range(conditions.shape[1]):
            if conditions[row, column] != NONE:
                struck = law.second[column] if striker == 0 else law.first[row]
                which[row, column] = known_list(ways, number, conditions[row, column], struck)
                made = True
    return (struck_law(setup, number, law, which, ways) if made else law), ways


@step
def conditions_of(setup: Setup, operation: tuple[int, int, int], law: Law) -> NDArray[np.int64]:
    """The condition of a strike for each pair of states; NONE where it is not made."""
    _, active, number = operation
    conditions = np.full(law.chances.shape, NONE, np.int64)
    for row in range(len(law.first)):
        for column in range(len(law.second)):
            words = (law.first[row], law.second[column])
            if law.chances[row, column] > 0.0 and strikes.is_made(setup, number, active, words):
                conditions[row, column] = strikes.condition(setup, number, words)
    return conditions


@step
def with_lists(
    setup: Setup, number: int, conditions: NDArray[np.int64], theirs: NDArray[np.int64], chances: Chances, ways: Ways
) -> Ways:  # fmt: skip
    """The ways with those that the pairs of states need. New ones are few, and only they hand on grown arrays."""
    striker = setup.strikes[number].striker
    missing = np.empty((conditions.size, 2), np.int64)
    count = 0
    for row in range(conditions.shape[0]):
        for column in range(conditions.shape[1]):
            condition, struck = conditions[row, column], theirs[column if striker == 0 else row]
            if condition != NONE and known_list(ways, number, condition, struck) == NOWHERE:
                missing[count, 0], missing[count, 1] = condition, struck
                count += 1
    for place in range(count):
        condition, struck = missing[place, 0], missing[place, 1]
        if known_list(ways, number, condition, struck) == NOWHERE:
            ways = with_list(ways, setup, chances, number, condition, struck)
    return ways


@step
def struck_law(setup: Setup, number: int, law: Law, which: NDArray[np.int64], ways: Ways) -> Law:
    """The law after a strike that takes, for each pair of states, the ways of list `which`, or none."""
    striker = setup.strikes[number].striker
    if striker == 0:
        strikers, others, after = pushed(setup, number, (law.first, law.second), law.chances, which, ways)
        return gathered(strikers, others, after)
    turned, turned_which = law.chances.T.copy(), which.T.copy()
    strikers, others, after = pushed(setup, number, (law.second, law.first), turned, turned_which, ways)
    return gathered(others, strikers, after.T.copy())


@step
def room_for(mine: NDArray[np.int64], blanks: bool, ways: Ways) -> int:
    """How many states the striker can come to at most: as it was, and after striking, with each of its own losses."""
    if not blanks:
        return 2 * len(mine)
    total = ways.starts[ways.lists.length[0]]
    own = gathering(total)
    for way in range(total):
        place_of(own, ways.own[way])
    return len(mine) * (1 + 2 * int(own.length[0]))


@step
def pushed(
    setup: Setup, number: int, states: tuple[NDArray[np.int64], NDArray[np.int64]], before: NDArray[np.float64],
    which: NDArray[np.int64], ways: Ways,
) -> tuple[Gathering, Gathering, NDArray[np.float64]]:  # fmt: skip
    """The striker's states, the struck unit's, and the chances of the pairs; rows are the striker's.

    Places are looked up once a state, not once a pair: that would be most of the work.
    """
    mine, theirs = states
    blanks = setup.attacks[number].overcharge and setup.strikes[number].bears_blanks
    total = ways.starts[ways.lists.length[0]]
    strikers, others = gathering(room_for(mine, blanks, ways)), gathering(len(theirs) + total)
    places = np.full(total, NONE, np.int64)  # of the struck unit's next states
    unmoved, untouched = np.full(len(mine), NONE, np.int64), np.full(len(theirs), NONE, np.int64)
    struck = np.full(len(mine), NONE, np.int64)  # places of the strikers that have struck
    for row in range(len(mine)):
        for column in range(len(theirs)):
            at = which[row, column]
            if before[row, column] == 0.0:
                continue
            if at == NONE:
                if unmoved[row] == NONE:
                    unmoved[row] = place_of(strikers, mine[row])
                if untouched[column] == NONE:
                    untouched[column] = place_of(others, theirs[column])
                continue
            start, end = ways.starts[at], ways.starts[at + 1]
            if places[start] == NONE:
                for way in range(start, end):
                    places[way] = place_of(others, ways.state[way])
            if blanks:
                for way in range(start, end):
                    place_of(strikers, striker_after(setup, number, mine[row], ways, way))
            elif struck[row] == NONE:
                struck[row] = place_of(strikers, striker_after(setup, number, mine[row], ways, start))
    after = np.zeros((strikers.length[0], others.length[0]))
    for row in range(len(mine)):
        for column in range(len(theirs)):
            share, at = before[row, column], which[row, column]
            if share == 0.0:
                continue
            if at == NONE:
                after[unmoved[row], untouched[column]] += share
                continue
            to = struck[row]
            for way in range(ways.starts[at], ways.starts[at + 1]):
                if blanks:
                    to = place_of(strikers, striker_after(setup, number, mine[row], ways, way))
                after[to, places[way]] += share * ways.chance[way]
    return strikers, others, after


@step
def chance_passed(asked: int, highest: int, chances: Chances) -> float:
    """The chance of the first of the two ways of an operation."""
    if asked == _COIN:
        return 0.5
    if asked == _STRIKE_DIE:
        return float(chances.faces[_HEROIC] + chances.faces[_STRIKE_FACE])
    if asked == _MISS_DIE:
        return float(chances.faces[_MISS] / (1.0 - chances.faces[_HEROIC] - chances.faces[_STRIKE_FACE]))
    if highest < 0:
        return 0.0
    return float(chances.at_most[highest]) if highest < len(chances.at_most) - 1 else 1.0


@step
def side_changed(setup: Setup, operation: tuple[int, int, int], law: Law, chances: Chances) -> Law:
    """The law after an operation that looks at one side alone: its states change, whatever the other's."""
    side = operation[1]
    states, others = (law.first, law.second) if side == 0 else (law.second, law.first)
    found = gathering(_BOTH * len(states))
    to, shares = np.empty((len(states), _BOTH), np.int64), np.zeros((len(states), _BOTH))
    for place in range(len(states)):
        words = (states[place], 0) if side == 0 else (0, states[place])
        asked, highest = steps.asks(setup, operation, words)
        passes = chance_passed(asked, highest, chances)
        for way in range(_BOTH):
            shares[place, way] = passes if way == 0 else 1.0 - passes
            if shares[place, way] > 0.0:
                to[place, way] = place_of(found, steps.changed(setup, operation, words, way == 0)[side])
    before = law.chances
    count = found.length[0]
    after = np.zeros((count if side == 0 else before.shape[0], count if side == 1 else before.shape[1]))
    for place in range(len(states)):
        for way in range(_BOTH):
            share = shares[place, way]
            if share == 0.0:
                continue
            for other in range(len(others)):
                if side == 0:
                    after[to[place, way], other] += share * before[place, other]
                else:
                    after[other, to[place, way]] += share * before[other, place]
    mine = found.states[:count].copy()
    return Law(mine, law.second, after) if side == 0 else Law(law.first, mine, after)


@step
def changed_law(setup: Setup, operation: tuple[int, int, int], law: Law, chances: Chances) -> Law:
    """The law after an operation that is no strike."""
    before = law.chances
    shape = (before.shape[0], before.shape[1], _BOTH)
    to_first, to_second = np.empty(shape, np.int64), np.empty(shape, np.int64)
    shares = np.zeros(shape)
    firsts, seconds = gathering(2 * shape[0]), gathering(2 * shape[1])
    for row in range(shape[0]):
        firsts, seconds = with_room(firsts, _BOTH * shape[1]), with_room(seconds, _BOTH * shape[1])
        for column in range(shape[1]):
            if before[row, column] == 0.0:
                continue
            words = (law.first[row], law.second[column])
            asked, highest = steps.asks(setup, operation, words)
            passes = chance_passed(asked, highest, chances)
            for way in range(_BOTH):
                share = passes if way == 0 else 1.0 - passes
                if share == 0.0:
                    continue
                one, two = steps.changed(setup, operation, words, way == 0)
                to_first[row, column, way] = place_of(firsts, one)
                to_second[row, column, way] = place_of(seconds, two)
                shares[row, column, way] = share
    after = np.zeros((firsts.length[0], seconds.length[0]))
    for row in range(shape[0]):
        for column in range(shape[1]):
            for way in range(_BOTH):
                if shares[row, column, way] > 0.0:
                    to = to_first[row, column, way], to_second[row, column, way]
                    after[to] += shares[row, column, way] * before[row, column]
    return gathered(firsts, seconds, after)


@kernel
def run(
    setup: Setup, operations: NDArray[np.int64], ends: NDArray[np.int64], law: Law, chances: Chances
) -> list[Law]:  # fmt: skip
    """The laws where each part of a program ends.

    Parameters
    ----------
    setup : Setup
    operations : int64 array, shape (n, 3)
        All parts, one after the other.
    ends : int64 array, shape (parts,)
        How many operations there are up to the end of each part.
    law : Law
        At the start.
    chances : Chances
    """
    found = [law for _ in range(0)]
    ways, done = no_ways(), 0
    for end in ends:
        for place in range(done, end):
            operation = (operations[place, 0], operations[place, 1], operations[place, 2])
            if operation[0] == _STRIKE:
                law, ways = strike(setup, operation, law, chances, ways)
            elif operation[0] in _ALONE:
                law = side_changed(setup, operation, law, chances)
            else:
                law = changed_law(setup, operation, law, chances)
        found.append(law)
        done = end
    return found


def exact_laws(
    setup: Setup, parts: Sequence[Sequence[Operation]], start: tuple[int, int], die: NDArray[np.int64],
    deck: NDArray[np.int64],
) -> list[Law]:  # fmt: skip
    """The joint law of both sides after each part of a program.

    Parameters
    ----------
    setup : Setup
    parts : sequence of sequences of Operation
        The rounds of a duel, the attacks of focus fire, or one charge.
    start : (int, int)
        The states of both sides at the start.
    die, deck : int64 arrays
        Sides by face; copies by card value. Cards are drawn with replacement (AC-9.3).
    """
    operations = np.array([operation for part in parts for operation in part], np.int64).reshape(-1, 3)
    law = Law(np.array(start[:1]), np.array(start[1:]), np.ones((1, 1)))
    strikes = int(max((operation[2] for operation in operations if operation[0] == _STRIKE), default=-1)) + 1
    chances = chances_for(setup, strikes, die, deck)
    return list(run(setup, operations, np.cumsum([len(part) for part in parts]), law, chances))


def chances_for(setup: Setup, strikes: int, die: NDArray[np.int64], deck: NDArray[np.int64]) -> Chances:
    """What chance is made of, with room for the law of every pool that the first `strikes` strikes can come to."""
    faces, cards = die / die.sum(), deck / deck.sum()
    dice = [sorted(dice_of(setup, number)) for number in range(strikes)]
    most = max((each[-1] for each in dice), default=0)
    places = np.zeros((strikes, len(Rating), most + 1), np.int64)
    pools, hits, blanks = 0, 0, 0
    for number, attack in enumerate(setup.attacks[:strikes]):
        added, rolled = (2 if attack.arc else 1), most + (len(cards) - 1 if attack.overcharge else 0)
        hits = max(hits, rolled * (1 + added) * 2 + int(attack.veteran))
        blanks = max(blanks, rolled * added if attack.overcharge else 0)
        for rating in range(len(Rating)):
            places[number, rating, dice[number]] = range(pools, pools + len(dice[number]))
            pools += len(dice[number])
    return Chances(
        faces=faces,
        cards=cards,
        at_most=np.cumsum(cards),
        pools=np.empty((pools, hits + 1, blanks + 1)),
        places=places,
        known=np.zeros(places.shape, np.bool_),
    )


def dice_of(setup: Setup, number: int) -> set[int]:
    """The numbers of dice that a strike can roll, 0 among them."""
    table = setup.dice[number, :, : setup.counts].ravel().tolist()
    return {0, *table, int(setup.strikes[number].fixed_dice)} - {NONE}


def start_states(setup: Setup, statuses: tuple[int, int] = (0, 0)) -> tuple[int, int]:
    """Both sides as they stand before the first operation; `statuses` are bits of their states."""
    first, second = (int(unit_state.start_word(unit, status)) for unit, status in zip(setup.units, statuses))
    return first, second
