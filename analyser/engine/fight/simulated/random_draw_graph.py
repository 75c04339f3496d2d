"""A fight as a graph of random draws, which grows during the simulation.

A *node* is a line of the program, a pair of states and the progress of a strike (:mod:`analyser.rules.strike`). It
makes one draw, and each result of the draw, an *answer*, leads to another node. Trials reach the same nodes many times,
so the rules are applied once for each answer (:func:`follow`), and then looked up.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.errors import InputError
from analyser.common.jit import step, step_for, tiered
from analyser.common.records import Floats, Int, Integers
from analyser.engine.fight import operations, strikes
from analyser.engine.fight.program import Kind, Pair, Setup, operation_at
from analyser.engine.fight.simulated.choices import Choices, next_line
from analyser.engine.pool.alias import ScorePmf, alias_table
from analyser.engine.pool.pmf import pool_pmf
from analyser.engine.rng import GOLDEN_GAMMA
from analyser.game.ruleset import HIGHEST_CARD
from analyser.rules import strike
from analyser.rules.attack import scores_for, set_pool
from analyser.rules.draws import Draw, DrawOdds, success_counts, test_draw
from analyser.rules.strike import Stage
from analyser.rules.structs import FIGHT, FightFacts

MOST_ROLLS = 1 << 12
MOST_ROWS = 1 << 20
_FIELDS = len(FIGHT.names or ())
_NO_CARD = np.ones(1)

pmf_of = tiered(2.0)(pool_pmf)


class Rolls(NamedTuple):
    """The tables of all attack rolls so far, in order of occurrence.

    The key of a roll is its pool, every field that :func:`~analyser.rules.attack.set_pool` sets. Its possible scores
    are numbered in ascending order; the table draws such a number.
    """

    fights: NDArray[Any]  # (MOST_ROLLS + 1,) of FIGHT: the pool of each roll, and one more as scratch
    numbers: Integers  # (MOST_ROLLS + 1, fields): the memory of `fights` as integers
    many: Integers  # (2,): number of rolls, number of used rows of `alias` and `score`
    first: NDArray[np.uint64]  # (MOST_ROLLS,): first row of the table of each roll
    bits: NDArray[np.uint64]  # (MOST_ROLLS,): number of bits of a word that select a row
    scores: Integers  # (MOST_ROLLS,): number of possible scores; 0: there is no table yet
    first_score: Integers  # (MOST_ROLLS,): index of the first score
    alias: NDArray[np.uint64]  # (rows, 2), see :func:`~analyser.engine.pool.alias.alias_table`
    score: Integers  # (rows,): the scores


def no_rolls() -> Rolls:
    """Return empty tables for the rolls of a fight; the system allocates their memory on first use."""
    fights = np.zeros(MOST_ROLLS + 1, FIGHT)
    numbers = fights.view(np.int64).reshape(MOST_ROLLS + 1, _FIELDS)
    words = np.zeros((2, MOST_ROLLS), np.uint64)
    integers = np.zeros((2, MOST_ROLLS), np.int64)
    alias, score = np.zeros((MOST_ROWS, 2), np.uint64), np.zeros(MOST_ROWS, np.int64)
    many = np.array([0, 2])  # the first two rows are unused
    return Rolls(fights, numbers, many, words[0], words[1], integers[0], integers[1], alias, score)


def _interpreted_copy(rolls: Rolls, fight: FightFacts) -> None:
    rolls.numbers[rolls.many[0]] = [getattr(fight, name) for name in FIGHT.names or ()]


@step_for(_interpreted_copy)
def copy_pool(rolls: Rolls, fight: FightFacts) -> None:
    """Copy a pool behind the last one, for comparison with the others."""
    rolls.fights[rolls.many[0]] = fight


@step
def roll_of(rolls: Rolls, fight: FightFacts) -> int:
    """Return the number of the roll of a pool; a new one has no table yet."""
    copy_pool(rolls, fight)
    new = rolls.many[0]
    for roll in range(new):
        place = 0
        while place < _FIELDS and rolls.numbers[roll, place] == rolls.numbers[new, place]:
            place += 1
        if place == _FIELDS:
            return roll
    rolls.many[0] = min(new + 1, MOST_ROLLS)
    return int(new)


def add_tables(rolls: Rolls, faces: Floats) -> None:
    """Add the tables of new rolls; InputError if they do not fit."""
    if rolls.many[0] == MOST_ROLLS:
        raise too_many_rolls()
    for roll in np.flatnonzero(rolls.scores[: rolls.many[0]] == 0).tolist():
        scores, table = _table_of(rolls.fights[roll].tobytes(), faces.tobytes())
        begin = int(rolls.many[1])
        end = begin + max(len(table), len(scores))
        if end > MOST_ROWS:
            raise too_many_rolls()
        rolls.alias[begin : begin + len(table)], rolls.score[begin : begin + len(scores)] = table, scores
        rolls.first[roll], rolls.bits[roll] = begin, len(table).bit_length() - 1
        rolls.scores[roll], rolls.first_score[roll], rolls.many[1] = len(scores), begin, end


@lru_cache(maxsize=4096)
def _table_of(pool: bytes, faces: bytes) -> tuple[Integers, NDArray[np.uint64]]:
    """Return the possible scores of a pool, sorted, and the alias table of their numbers."""
    fight: Any = np.frombuffer(pool, FIGHT)[0]
    pmf = pmf_of(fight, scores_for(fight, int(fight.dice)), np.frombuffer(faces), _NO_CARD)
    scores = np.flatnonzero(pmf)
    law: ScorePmf = dict(enumerate(pmf[scores].tolist()))
    return scores, alias_table(law)


def too_many_rolls() -> InputError:
    """Return the error for a fight with too many different attack rolls."""
    problem = f"more than {MOST_ROLLS} different attack rolls in one fight"
    return InputError(problem, where="rows", allowed="fewer numbers of dice, or the method exact")


NODES, ANSWERS = 1 << 19, 1 << 25
_SPARE_NODES, _SPARE_ANSWERS = 8, MOST_ROWS  # largest additions by one answer
_SLOTS = 4 * NODES
END = -1  # instead of a line: a part of the program has ended
UNKNOWN = 0  # next node of an answer that has not occurred; 0 is not a node

# Values of the column SPECIAL. NOTHING: a roll, or the card of a test. PART: the next part of the program. NO_ANSWERS:
# a roll without a table. VALUE: the value of a card. A positive value is a number of equally likely results.
NOTHING, PART, NO_ANSWERS, VALUE = 0, -1, -2, -3
NO_DECK = 2  # instead of a side, if no card is drawn
# Columns of `asks`. SPECIAL: the kind of draw. SIDE: the deck. ROW, SHIFT: first row of a roll's table, and the bits of
# a word that select a row. BELOW: the highest card that passes, the number of results that mean yes, or the number of
# the end. FIRST: index of the first answer. NUMBER: number of the roll.
SPECIAL, SIDE, ROW, SHIFT, BELOW, FIRST, NUMBER = range(7)

_ONE, _HALF, _WORD = np.uint64(1), np.uint64(32), (1 << 64) - 1


class Nodes:
    """All nodes so far, as one record with a hash table; their numbers begin at 1."""

    line: Annotated[Any, np.int32, (NODES,)]  # or END
    first: Annotated[Any, np.int64, (NODES,)]  # state of side 0
    second: Annotated[Any, np.int64, (NODES,)]  # state of side 1
    progress: Annotated[Any, np.int64, (NODES,)]  # progress of the strike of this line
    asks: Annotated[Any, np.int32, (NODES, 8)]  # the draw; columns SPECIAL to NUMBER
    next: Annotated[Any, np.int32, (ANSWERS,)]  # next node of each answer, or UNKNOWN
    end_at: Annotated[Any, np.int32, (NODES,)]  # the nodes that are ends, in order of discovery
    slots: Annotated[Any, np.int32, (_SLOTS,)]  # hash table of nodes
    many: Int  # number of nodes
    answers: Int  # number of answers
    ends: Int  # number of ends


class Program(NamedTuple):
    """The distinct parts of a program."""

    operations: Integers  # (lines, 3): of all parts, concatenated
    ends: Integers  # (lines,): end of the part of each line
    parts: Integers  # (parts, 2): first line and end of each part


class Graph(NamedTuple):
    """The graph of a fight, with the data needed to extend it."""

    setup: Setup
    program: Program
    rolls: Rolls
    nodes: Nodes
    choices: Choices
    odds: DrawOdds


@step
def has_room(nodes: Nodes) -> bool:
    """Return True if the nodes and answers of one more answer fit."""
    return nodes.many < NODES - _SPARE_NODES and nodes.answers < ANSWERS - _SPARE_ANSWERS


def _interpreted_slot(line: int, pair: Pair, progress: int) -> int:
    word = (int(line) & _WORD) * int(GOLDEN_GAMMA)
    for number in map(int, (*pair, progress)):
        word &= _WORD
        word = ((word ^ word >> 32) + (number & _WORD)) * int(GOLDEN_GAMMA) & _WORD
        word ^= word >> 32
    return word >> 1 & (_SLOTS - 1)


@step_for(_interpreted_slot)
def first_slot(line: int, pair: Pair, progress: int) -> int:
    """Return the first slot to probe for a node (open addressing, linear probing)."""
    word = mixed(mixed(mixed(np.uint64(line) * GOLDEN_GAMMA, pair[0]), pair[1]), progress)
    return int(np.int64(word >> _ONE) & (_SLOTS - 1))


@step
def mixed(word: np.uint64, number: int) -> np.uint64:
    """Return a hash with one more number mixed in."""
    word = ((word ^ word >> _HALF) + np.uint64(number)) * GOLDEN_GAMMA
    return word ^ word >> _HALF


@step
def node_at(graph: Graph, line: int, pair: Pair, progress: int) -> int:
    """Return the node with that line, pair and progress; add it if it is new."""
    nodes = graph.nodes
    slot = first_slot(line, pair, progress)
    while nodes.slots[slot] != 0:
        node = nodes.slots[slot]
        same = nodes.line[node] == line and nodes.progress[node] == progress
        if same and nodes.first[node] == pair[0] and nodes.second[node] == pair[1]:
            return int(node)
        slot = (slot + 1) & (_SLOTS - 1)
    node = nodes.many + 1
    nodes.many, nodes.slots[slot] = node, node
    nodes.line[node], nodes.first[node], nodes.second[node], nodes.progress[node] = line, pair[0], pair[1], progress
    ask(graph, node, line, pair, progress)
    return int(node)


@step
def give_answers(nodes: Nodes, node: int, answers: int) -> None:
    """Reserve `answers` entries for the answers of a node, all UNKNOWN."""
    nodes.asks[node, FIRST] = nodes.answers
    for answer in range(nodes.answers, nodes.answers + answers):
        nodes.next[answer] = UNKNOWN
    nodes.answers += answers


@step
def give_table(nodes: Nodes, rolls: Rolls, node: int, roll: int) -> None:
    """Connect a node with the table of its roll, if the table exists."""
    scores = rolls.scores[roll]
    nodes.asks[node, SPECIAL] = NOTHING if scores > 0 else NO_ANSWERS
    nodes.asks[node, ROW], nodes.asks[node, SHIFT] = rolls.first[roll], rolls.bits[roll]
    give_answers(nodes, node, scores)


@step
def ask(graph: Graph, node: int, line: int, pair: Pair, progress: int) -> None:
    """Fill in the draw of a node."""
    setup, program, rolls, nodes, _, odds = graph
    asks = nodes.asks
    asks[node, SIDE], asks[node, ROW], asks[node, SHIFT], asks[node, BELOW] = NO_DECK, 0, 1, 0
    if line == END:
        asks[node, SPECIAL], asks[node, BELOW] = PART, nodes.ends
        nodes.end_at[nodes.ends] = node
        nodes.ends += 1
        give_answers(nodes, node, len(program.parts))
        return
    operation = operation_at(program.operations, line)
    if operation[0] != Kind.STRIKE:
        draw, highest = operations.required_draw(setup, operation, pair)
        ask_yes_or_no(nodes, node, draw, highest, odds)
        return
    number = operation[2]
    striker = setup.strikes[number].striker
    fight = set_up_strike(setup, number, pair)
    stage = strike.stage_of(progress)
    if stage == Stage.CARD:
        asks[node, SPECIAL], asks[node, SIDE] = VALUE, striker
        give_answers(nodes, node, HIGHEST_CARD + 1)
    elif stage == Stage.ROLL:
        pool = setup.fight[1]  # holds fields of a pool only
        set_pool(setup.attack[0], setup.target[0], pool)
        pool.dice = fight.dice + strike.card_of(progress)
        asks[node, NUMBER] = roll_of(rolls, pool)
        give_table(nodes, rolls, node, asks[node, NUMBER])
    elif stage == Stage.OFFICER:
        ask_lot(nodes, node, *strike.officer_positions(fight, progress))
    else:
        ask_yes_or_no(nodes, node, test_draw(1 - striker), strike.highest_card(fight, progress), odds)


@step
def ask_yes_or_no(nodes: Nodes, node: int, draw: int, highest: int, odds: DrawOdds) -> None:
    """Set the draw of a node to one with two answers, no and yes."""
    if draw in (Draw.CARD_OF_SIDE_0, Draw.CARD_OF_SIDE_1):
        asks = nodes.asks
        asks[node, SPECIAL], asks[node, SIDE], asks[node, BELOW] = NOTHING, draw - Draw.CARD_OF_SIDE_0, highest
        give_answers(nodes, node, 2)
    else:
        below, results = success_counts(draw, highest, odds)
        ask_lot(nodes, node, below, results)


@step
def ask_lot(nodes: Nodes, node: int, below: int, results: int) -> None:
    """Set the draw of a node to `results` equally likely results, of which the first `below` mean yes."""
    nodes.asks[node, SPECIAL], nodes.asks[node, BELOW] = results, below
    give_answers(nodes, node, 2)


@step
def set_up_strike(setup: Setup, number: int, pair: Pair) -> FightFacts:
    """Return the scratch fight, filled with a strike in these states."""
    theirs = pair[1] if setup.strikes[number].striker == 0 else pair[0]
    strikes.set_strike(setup, number, strikes.condition(setup, number, pair), theirs)
    fight: FightFacts = setup.fight[0]
    return fight


@tiered(0)
def arrive(graph: Graph, line: int, end: int, pair: Pair) -> int:
    """Carry out the operations from `line` on that need no draw; return the node of the next draw, or of the end."""
    setup, program, _, _, choices, _ = graph
    while line < end:
        operation = operation_at(program.operations, line)
        if operation[0] in (Kind.CHOOSE, Kind.BRANCH):
            line = next_line(setup, choices, program.operations, line, pair)
            continue
        if operation[0] == Kind.STRIKE:
            if strikes.is_made(setup, operation[2], operation[1], pair):
                return node_at(graph, line, pair, strike.start_of_strike(set_up_strike(setup, operation[2], pair)))
        else:
            draw, highest = operations.required_draw(setup, operation, pair)
            if draw != Draw.NOTHING:
                return node_at(graph, line, pair, 0)
            pair = operations.changed(setup, operation, pair, highest >= 0)
        line += 1
    return node_at(graph, END, pair, 0)


@tiered(0)
def follow(graph: Graph, node: int, answer: int) -> int:
    """Return the next node of an answer, and store it."""
    setup, program, rolls, nodes, _, _ = graph
    line, pair, progress = nodes.line[node], (nodes.first[node], nodes.second[node]), nodes.progress[node]
    place = nodes.asks[node, FIRST] + answer
    if line == END:
        line, end = program.parts[answer, 0], program.parts[answer, 1]
    else:
        operation = operation_at(program.operations, line)
        if operation[0] != Kind.STRIKE:
            pair = operations.changed(setup, operation, pair, answer == 1)
        else:
            fight = set_up_strike(setup, operation[2], pair)
            progress = strike_progress(rolls, fight, progress, nodes.asks[node, NUMBER], answer)
            if strike.stage_of(progress) < Stage.PASSED:
                nodes.next[place] = to = node_at(graph, line, pair, progress)
                return int(to)
            pair = struck(setup, operation[2], pair, progress)
        line, end = line + 1, program.ends[line]
    nodes.next[place] = to = arrive(graph, line, end, pair)
    return int(to)


@step
def strike_progress(rolls: Rolls, fight: FightFacts, progress: int, roll: int, answer: int) -> int:
    """Return the progress of a strike after an answer; `roll` is the number of its roll."""
    stage = strike.stage_of(progress)
    if stage == Stage.CARD:
        return strike.after_card(answer)
    if stage == Stage.ROLL:
        score = rolls.score[rolls.first_score[roll] + answer]
        return strike.after_roll(fight, scores_for(fight, fight.dice + strike.card_of(progress)), score)
    return strike.after_draw(fight, progress, answer)


@step
def struck(setup: Setup, number: int, pair: Pair, progress: int) -> tuple[int, int]:
    """Return both states after a completed strike, which is the scratch fight."""
    fight, striker = setup.fight[0], setup.strikes[number].striker
    mine, theirs = (pair[0], pair[1]) if striker == 0 else (pair[1], pair[0])
    outcome = strike.outcome_of(fight, progress)
    theirs = strikes.after_attack(setup, number, theirs, outcome)
    mine = strikes.after_striking(setup, number, mine, theirs, strike.own_losses(progress))
    return (mine, theirs) if striker == 0 else (theirs, mine)


def forget_but(graph: Graph, kept: list[int]) -> list[int]:
    """Delete all nodes except `kept`; return their new numbers."""
    nodes = graph.nodes
    old = [(nodes.line[node], (nodes.first[node], nodes.second[node]), nodes.progress[node]) for node in kept]
    np.asarray(nodes.slots)[:] = 0
    nodes.many = nodes.answers = nodes.ends = 0
    return [node_at(graph, *key) for key in old]
