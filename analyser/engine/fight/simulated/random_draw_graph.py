"""Graph of a fight's random draws, which grows during a simulation; each answer (result of a draw) leads to a node."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.errors import InputError
from analyser.common.jit import step, step_for, tiered
from analyser.common.kernel_records import Floats, Int, Integers
from analyser.engine.fight import operations, strikes
from analyser.engine.fight.program import Kind, Pair, Setup, operation_at
from analyser.engine.fight.simulated.plan_lookup import Choices, next_line
from analyser.engine.pool.alias import score_table
from analyser.engine.pool.pmf import pmf_of
from analyser.engine.state_index import mix_in
from analyser.game.ruleset import HIGHEST_CARD
from analyser.rules import strike
from analyser.rules.attack import scores_for, set_pool
from analyser.rules.draws import Draw, DrawOdds, success_counts, test_draw
from analyser.rules.strike import Stage
from analyser.rules.structs import FIGHT, FightFacts

MOST_ROLLS = 1 << 12
MOST_ROWS = 1 << 20  # rows of all tables together
_FIELDS = len(FIGHT.names or ())
_NO_CARD = np.ones(1)


class RollTables(NamedTuple):
    """Tables of all attack rolls so far. Equal pools of dice share one table, which draws the index of a score."""

    fights: NDArray[Any]  # (MOST_ROLLS + 1,) of FIGHT: the pool of each roll, and one record for a new pool
    numbers: Integers  # (MOST_ROLLS + 1, fields): the memory of `fights` as integers
    counts: Integers  # (2,): number of rolls, number of used rows of `alias` and `score`
    first: Integers  # (MOST_ROLLS,): for each roll, the first row of its table and index of its first score
    bits: Integers  # (MOST_ROLLS,): number of bits of a word that select a row
    scores: Integers  # (MOST_ROLLS,): number of possible scores; 0: there is no table yet
    alias: NDArray[np.uint64]  # (rows, 2), see :func:`~analyser.engine.pool.alias.alias_table`
    score: Integers  # (rows,): the possible scores of all rolls


def empty_roll_tables() -> RollTables:
    """Return empty tables for the rolls of a fight; the operating system allocates their memory on first use."""
    fights = np.zeros(MOST_ROLLS + 1, FIGHT)
    numbers = fights.view(np.int64).reshape(MOST_ROLLS + 1, _FIELDS)
    first, bits, scores = np.zeros((3, MOST_ROLLS), np.int64)
    alias, score = np.zeros((MOST_ROWS, 2), np.uint64), np.zeros(MOST_ROWS, np.int64)
    counts = np.array([0, 2])  # the first two rows are unused
    return RollTables(fights, numbers, counts, first, bits, scores, alias, score)


def _interpreted_copy(rolls: RollTables, fight: FightFacts) -> None:
    rolls.numbers[rolls.counts[0]] = [getattr(fight, name) for name in FIGHT.names or ()]


@step_for(_interpreted_copy)
def copy_pool(rolls: RollTables, fight: FightFacts) -> None:
    """Copy a pool to the record after the last pool, to compare it with all earlier pools."""
    rolls.fights[rolls.counts[0]] = fight


@step
def roll_of(rolls: RollTables, fight: FightFacts) -> int:
    """Return the number of a pool's roll, which may be new; a new roll has no table yet."""
    copy_pool(rolls, fight)
    new = rolls.counts[0]
    for roll in range(new):
        place = 0
        while place < _FIELDS and rolls.numbers[roll, place] == rolls.numbers[new, place]:
            place += 1
        if place == _FIELDS:
            return roll
    rolls.counts[0] = min(new + 1, MOST_ROLLS)
    return int(new)


def add_tables(rolls: RollTables, faces: Floats) -> None:
    """Add the tables of new rolls; InputError if there are too many."""
    if rolls.counts[0] == MOST_ROLLS:
        raise too_many_rolls_error()
    for roll in np.flatnonzero(rolls.scores[: rolls.counts[0]] == 0).tolist():
        scores, table = _table_of(rolls.fights[roll].tobytes(), faces.tobytes())
        begin = int(rolls.counts[1])
        end = begin + max(len(table), len(scores))
        if end > MOST_ROWS:
            raise too_many_rolls_error()
        rolls.alias[begin : begin + len(table)], rolls.score[begin : begin + len(scores)] = table, scores
        rolls.first[roll], rolls.bits[roll] = begin, len(table).bit_length() - 1
        rolls.scores[roll], rolls.counts[1] = len(scores), end


@lru_cache(maxsize=4096)
def _table_of(pool: bytes, faces: bytes) -> tuple[Integers, NDArray[np.uint64]]:
    """Return the possible scores of a pool, sorted, and an alias table that draws the index of a score."""
    fight: Any = np.frombuffer(pool, FIGHT)[0]
    return score_table(pmf_of(fight, scores_for(fight, int(fight.dice)), np.frombuffer(faces), _NO_CARD))


def too_many_rolls_error() -> InputError:
    """Return the error for a fight with too many different attack rolls."""
    problem = f"more than {MOST_ROLLS} different attack rolls in one fight"
    return InputError(problem, where="rows", allowed="fewer different numbers of dice, or the exact method")


NODES, ANSWERS = 1 << 19, 1 << 25
_SPARE_NODES, _SPARE_ANSWERS = 8, MOST_ROWS  # most nodes that one new answer adds, and most answers
_SLOTS = 4 * NODES
END = -1  # instead of a line: a part of the program has ended
UNKNOWN = 0  # next node of an answer that has not occurred; the numbers of nodes begin at 1

# Columns of `Nodes.draws`. SPECIAL: the kind of draw, see below. SIDE: the side whose deck is used. ROW, SHIFT: first
# row of a roll's table, and number of bits that select a row. BELOW: the highest card that passes, the number of
# results that mean yes, or the index in `end_at`. FIRST: index of the first answer. NUMBER: number of the roll.
SPECIAL, SIDE, ROW, SHIFT, BELOW, FIRST, NUMBER = range(7)
# Values of SPECIAL. NOTHING: a roll, or the card of a test. PART: the next part of the program. NO_ANSWERS: a roll
# without a table. VALUE: a card whose value counts. A positive value is a number of equally likely results.
NOTHING, PART, NO_ANSWERS, VALUE = 0, -1, -2, -3
NO_DECK = 2  # instead of a side, if no card is drawn


class Nodes:
    """All nodes so far, as one record with a hash table; the numbers of nodes begin at 1."""

    line: Annotated[Any, np.int32, (NODES,)]  # line of the program, or END
    first: Annotated[Any, np.int64, (NODES,)]  # state of side 0
    second: Annotated[Any, np.int64, (NODES,)]  # state of side 1
    progress: Annotated[Any, np.int64, (NODES,)]  # progress of the strike of this line
    draws: Annotated[Any, np.int32, (NODES, 8)]  # draw of each node; columns SPECIAL to NUMBER
    next: Annotated[Any, np.int32, (ANSWERS,)]  # next node of each answer, or UNKNOWN
    end_at: Annotated[Any, np.int32, (NODES,)]  # the nodes whose line is END, in order of discovery
    slots: Annotated[Any, np.int32, (_SLOTS,)]  # hash table of nodes
    count: Int  # number of nodes
    answers: Int  # number of answers
    ends: Int  # number of nodes whose line is END


class Program(NamedTuple):
    """Distinct parts of a program."""

    operations: Integers  # (lines, 3): of all parts, concatenated
    ends: Integers  # (lines,): end of the part that contains each line
    parts: Integers  # (parts, 2): first line and end of each part


class Graph(NamedTuple):
    """Graph of a fight, with the data needed to extend it."""

    setup: Setup
    program: Program
    rolls: RollTables
    nodes: Nodes
    choices: Choices
    odds: DrawOdds


@step
def has_room(nodes: Nodes) -> bool:
    """Return True if there is space for everything that one more answer adds."""
    return nodes.count < NODES - _SPARE_NODES and nodes.answers < ANSWERS - _SPARE_ANSWERS


@step
def node_at(graph: Graph, line: int, pair: Pair, progress: int) -> int:
    """Return the node with this line, pair and progress; add it if it is new."""
    nodes, mixed = graph.nodes, mix_in(mix_in(mix_in(0, line), progress), progress >> 32)
    mixed = mix_in(mix_in(mixed, pair[0]), pair[0] >> 32)
    mixed = mix_in(mix_in(mixed, pair[1]), pair[1] >> 32)
    slot = mixed & (_SLOTS - 1)  # the first slot to probe (open addressing, linear probing)
    while nodes.slots[slot] != 0:
        node = nodes.slots[slot]
        same = nodes.line[node] == line and nodes.progress[node] == progress
        if same and nodes.first[node] == pair[0] and nodes.second[node] == pair[1]:
            return int(node)
        slot = (slot + 1) & (_SLOTS - 1)
    node = nodes.count + 1
    nodes.count, nodes.slots[slot] = node, node
    nodes.line[node], nodes.first[node], nodes.second[node], nodes.progress[node] = line, pair[0], pair[1], progress
    set_draw(graph, node, line, pair, progress)
    return int(node)


@step
def reserve_answers(nodes: Nodes, node: int, answers: int) -> None:
    """Reserve `answers` entries for the answers of a node, all UNKNOWN."""
    nodes.draws[node, FIRST] = nodes.answers
    for answer in range(nodes.answers, nodes.answers + answers):
        nodes.next[answer] = UNKNOWN
    nodes.answers += answers


@step
def connect_table(nodes: Nodes, rolls: RollTables, node: int, roll: int) -> None:
    """Set the table of a node's roll, if the table exists."""
    scores = rolls.scores[roll]
    nodes.draws[node, SPECIAL] = NOTHING if scores > 0 else NO_ANSWERS
    nodes.draws[node, ROW], nodes.draws[node, SHIFT] = rolls.first[roll], rolls.bits[roll]
    reserve_answers(nodes, node, scores)


@step
def set_draw(graph: Graph, node: int, line: int, pair: Pair, progress: int) -> None:
    """Set the draw of a node."""
    setup, program, rolls, nodes, _, odds = graph
    draws = nodes.draws
    draws[node, SIDE], draws[node, ROW], draws[node, SHIFT], draws[node, BELOW] = NO_DECK, 0, 1, 0
    if line == END:
        draws[node, SPECIAL], draws[node, BELOW] = PART, nodes.ends
        nodes.end_at[nodes.ends] = node
        nodes.ends += 1
        reserve_answers(nodes, node, len(program.parts))
        return
    operation = operation_at(program.operations, line)
    if operation[0] != Kind.STRIKE:
        draw, highest = operations.required_draw(setup, operation, pair)
        set_yes_no_draw(nodes, node, draw, highest, odds)
        return
    number = operation[2]
    striker = setup.strikes[number].striker
    fight = set_up_strike(setup, number, pair)
    stage = strike.stage_of(progress)
    if stage == Stage.CARD:
        draws[node, SPECIAL], draws[node, SIDE] = VALUE, striker
        reserve_answers(nodes, node, HIGHEST_CARD + 1)
    elif stage == Stage.ROLL:
        pool = setup.fight[1]  # a record in which only fields of a pool are ever set
        set_pool(setup.attack[0], setup.target[0], pool)
        pool.dice = fight.dice + strike.card_of(progress)
        draws[node, NUMBER] = roll_of(rolls, pool)
        connect_table(nodes, rolls, node, draws[node, NUMBER])
    elif stage == Stage.OFFICER:
        set_uniform_draw(nodes, node, *strike.officer_positions(fight, progress))
    else:
        set_yes_no_draw(nodes, node, test_draw(1 - striker), strike.highest_card(fight, progress), odds)


@step
def set_yes_no_draw(nodes: Nodes, node: int, draw: int, highest: int, odds: DrawOdds) -> None:
    """Set the draw of a node; it has two answers, no and yes."""
    if draw in (Draw.CARD_OF_SIDE_0, Draw.CARD_OF_SIDE_1):
        draws = nodes.draws
        draws[node, SPECIAL], draws[node, SIDE], draws[node, BELOW] = NOTHING, draw - Draw.CARD_OF_SIDE_0, highest
        reserve_answers(nodes, node, 2)
    else:
        successes, results = success_counts(draw, highest, odds)
        set_uniform_draw(nodes, node, successes, results)


@step
def set_uniform_draw(nodes: Nodes, node: int, successes: int, results: int) -> None:
    """Set the draw of a node to `results` equally likely results, of which the first `successes` mean yes."""
    nodes.draws[node, SPECIAL], nodes.draws[node, BELOW] = results, successes
    reserve_answers(nodes, node, 2)


@step
def set_up_strike(setup: Setup, number: int, pair: Pair) -> FightFacts:
    """Fill and return the record `setup.fight[0]` for a strike in these states."""
    theirs = pair[1] if setup.strikes[number].striker == 0 else pair[0]
    strikes.set_strike(setup, number, strikes.condition(setup, number, pair), theirs)
    fight: FightFacts = setup.fight[0]
    return fight


@tiered(0)
def next_draw_node(graph: Graph, line: int, end: int, pair: Pair) -> int:
    """Apply the operations from `line` on that need no draw; return the node of the next draw, or of the end."""
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
            pair = operations.apply(setup, operation, pair, highest >= 0)
        line += 1
    return node_at(graph, END, pair, 0)


@tiered(0)
def next_node(graph: Graph, node: int, answer: int) -> int:
    """Return the node to which an answer leads, and store it."""
    setup, program, rolls, nodes, _, _ = graph
    line, pair, progress = nodes.line[node], (nodes.first[node], nodes.second[node]), nodes.progress[node]
    place = nodes.draws[node, FIRST] + answer
    if line == END:
        line, end = program.parts[answer, 0], program.parts[answer, 1]
    else:
        operation = operation_at(program.operations, line)
        if operation[0] != Kind.STRIKE:
            pair = operations.apply(setup, operation, pair, answer == 1)
        else:
            fight, stage = set_up_strike(setup, operation[2], pair), strike.stage_of(progress)
            if stage == Stage.CARD:
                progress = strike.after_card(answer)
            elif stage == Stage.ROLL:
                scores = scores_for(fight, fight.dice + strike.card_of(progress))
                score = rolls.score[rolls.first[nodes.draws[node, NUMBER]] + answer]
                progress = strike.after_roll(fight, scores, score)
            else:
                progress = strike.after_draw(fight, progress, answer)
            if strike.stage_of(progress) < Stage.PASSED:
                nodes.next[place] = to = node_at(graph, line, pair, progress)
                return int(to)
            pair = after_strike(setup, operation[2], pair, progress)
        line, end = line + 1, program.ends[line]
    nodes.next[place] = to = next_draw_node(graph, line, end, pair)
    return int(to)


@step
def after_strike(setup: Setup, number: int, pair: Pair, progress: int) -> tuple[int, int]:
    """Return both states after a completed strike, which `setup.fight[0]` must describe."""
    fight, striker = setup.fight[0], setup.strikes[number].striker
    mine, theirs = (pair[0], pair[1]) if striker == 0 else (pair[1], pair[0])
    outcome = strike.outcome_of(fight, progress)
    theirs = strikes.after_attack(setup, number, theirs, outcome)
    mine = strikes.after_striking(setup, number, mine, theirs, strike.own_losses(progress))
    return (mine, theirs) if striker == 0 else (theirs, mine)


def keep_only(graph: Graph, kept: list[int]) -> list[int]:
    """Delete all nodes except `kept`; return their new numbers."""
    nodes = graph.nodes
    old = [(nodes.line[node], (nodes.first[node], nodes.second[node]), nodes.progress[node]) for node in kept]
    np.asarray(nodes.slots)[:] = 0
    nodes.count = nodes.answers = nodes.ends = 0
    return [node_at(graph, *key) for key in old]
