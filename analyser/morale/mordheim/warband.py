"""Rout tests of one warband or several, tabulated: what the engines run through (MD-1 to MD-3)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.engine.chains import NO_DIE, Beside, Chain, Die, Extent, Phase, Rows, States, happening, sided
from analyser.jit import kernel, step
from analyser.morale.mordheim.question import Question, Warband
from analyser.rules import mordheim

TWO_DICE = Die((1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1), 36)  # the sum of two dice less 2
LOWEST_ROLL, ROLLS = 2, 11
ROUTED, GAVE_UP, ALL_OUT = range(3)  # after the states of a warband that fights
FATES = 3
NEVER = 1 << 10


class Roster(NamedTuple):
    """A warband as whole numbers.

    A state of one that fights is ``(caller * ranks + rank) * (took_part + 1) + out``: the leader is out of action from
    `rank` + `first_rank` on; `caller` is 0 where the best of the others that are not out takes a test in his place,
    else 1 + the number of the group that does, or 1 + that of all groups for nobody.
    """

    took_part: int
    leader: int
    first_rank: int
    ranks: int
    callers: int
    gives_up_at: int
    standing: NDArray[np.int64]  # of each group of the others, best first, by how many of the others are out
    leadership: NDArray[np.int64]  # of each group, best first; then NOBODY
    fighting: int
    states: int


def roster_of(warband: Warband) -> Roster:
    """A warband as whole numbers."""
    groups = sorted(warband.others, key=lambda group: -group.leadership)
    numbers = [group.number for group in groups]
    took_part = warband.took_part
    standing = np.zeros((len(groups), took_part + 1), np.int64)
    falling = list(range(len(groups)))
    if warband.others_fall == "weakest_first":
        falling.reverse()
    for out in range(took_part + 1):
        left = out
        for group in falling:
            fallen = min(left, numbers[group])
            standing[group, out], left = numbers[group] - fallen, left - fallen
    random = warband.leader_falls == "random"
    ranks = took_part if random else 1
    first_rank = 1 if random or warband.leader_falls == "first" else took_part
    callers = 1 if warband.others_stunned == 0 else len(groups) + 2
    fighting = callers * ranks * (took_part + 1)
    leadership = np.array([*(group.leadership for group in groups), mordheim.NOBODY], np.int64)
    gives_up_at = NEVER if warband.gives_up_at is None else warband.gives_up_at
    return Roster(
        took_part, warband.leader, first_rank, ranks, callers, gives_up_at, standing, leadership,
        fighting, fighting + FATES,
    )  # fmt: skip


@step
def others_out(out: int, leader_out: bool) -> int:
    """How many of the others are out of action."""
    return out - 1 if leader_out else out


@step
def best_other(roster: Roster, caller: int, others: int) -> int:
    """The Leadership of the best of the others that can test, NOBODY if none can (MD-1)."""
    if caller > 0:
        return int(roster.leadership[caller - 1])
    for group in range(len(roster.standing)):
        if roster.standing[group, others] > 0:
            return int(roster.leadership[group])
    return mordheim.NOBODY


@step
def after_casualties(roster: Roster, state: int, casualties: int, leader_falls_now: bool) -> int:
    """The state after so many casualties; a leader who falls now is one of them, which are one at least then."""
    out = state % (roster.took_part + 1)
    if leader_falls_now:
        casualties = max(casualties, 1)
    return state - out + min(out + casualties, roster.took_part)


@step
def after_test(roster: Roster, state: int, roll: int, stunned: bool, leader_lost: bool) -> int:
    """The state after the start of the player's turn: giving up (MD-2), or the rout test (MD-1)."""
    width = roster.took_part + 1
    out, rank, caller = state % width, state // width % roster.ranks, state // (width * roster.ranks)
    if out == roster.took_part:
        return roster.fighting + ALL_OUT
    if not mordheim.rout_test_due(out, roster.took_part):
        return rank * width + out
    if out >= roster.gives_up_at:
        return roster.fighting + GAVE_UP
    leader_out = leader_lost or out >= rank + roster.first_rank
    other = best_other(roster, caller, others_out(out, leader_out))
    if mordheim.passes(roll, mordheim.rout_leadership(roster.leader, leader_out or stunned, other)):
        return rank * width + out
    return roster.fighting + ROUTED


@kernel
def tabulated_casualties(roster: Roster, numbers: int, falls_now: bool, states: States) -> States:
    """:func:`after_casualties`, tabulated: shape (states, numbers of casualties)."""
    after = np.empty((len(states), numbers), np.int64)
    for row, state in enumerate(states):
        for number in range(numbers):
            fights = state < roster.fighting
            after[row, number] = after_casualties(roster, state, number, falls_now) if fights else state
    return after


@kernel
def tabulated_test(roster: Roster, lost: bool, leader_states: int, states: States) -> States:
    """:func:`after_test`, tabulated: shape (states, 11 rolls less 2, and 11 more for a stunned leader)."""
    after = np.empty((len(states), ROLLS * leader_states), np.int64)
    for row, state in enumerate(states):
        for total in range(after.shape[1]):
            moved = state
            if state < roster.fighting:
                moved = after_test(roster, state, total % ROLLS + LOWEST_ROLL, total >= ROLLS, lost)
            after[row, total] = moved
    return after


@kernel
def tabulated_caller(roster: Roster, group: int, most: int, states: States) -> States:
    """Who of a group is not stunned: the state after so many are not, shape (states, most + 1) (MD-1)."""
    after, width = np.empty((len(states), most + 1), np.int64), roster.took_part + 1
    last = group == len(roster.standing) - 1
    for row, state in enumerate(states):
        after[row] = state
        if state < roster.fighting and state // (width * roster.ranks) == 0:
            for steady in range(most + 1):
                if steady > 0:
                    after[row, steady] = state + (1 + group) * roster.ranks * width
                elif last:
                    after[row, steady] = state + (2 + group) * roster.ranks * width
    return after


@kernel
def dice_of_group(roster: Roster, group: int, lost: bool, states: States) -> States:
    """How many of a group may be stunned, where nobody was found before them who is not: shape (states,)."""
    dice, width = np.zeros(len(states), np.int64), roster.took_part + 1
    for row, state in enumerate(states):
        if state < roster.fighting and state // (width * roster.ranks) == 0:
            out, rank = state % width, state // width % roster.ranks
            leader_out = lost or out >= rank + roster.first_rank
            dice[row] = roster.standing[group, others_out(out, leader_out)]
    return dice


class Part(NamedTuple):
    """A phase of one warband, before it is seen among all."""

    after: Rows
    die: Die = NO_DIE
    dice: Rows | None = None
    beside: tuple[Beside, ...] = ()


def parts_of(warband: Warband, laws: tuple[tuple[float, ...], ...]) -> Iterator[list[Part]]:
    """The phases of each turn of a warband; the leader's place among those that fall comes before the first."""
    roster = roster_of(warband)
    written: dict[tuple[object, ...], list[Part]] = {}
    for turn, law in enumerate(laws, start=1):
        falls_now, lost = warband.leader_falls == turn, False
        if isinstance(warband.leader_falls, int):
            lost = turn >= warband.leader_falls
        key = (law, falls_now, lost)
        if key not in written:
            written[key] = list(_turn(warband, roster, law, falls_now, lost))
        yield written[key]


def _turn(warband: Warband, roster: Roster, law: tuple[float, ...], falls_now: bool, lost: bool) -> Iterator[Part]:
    casualties, stunned = Beside(Die(law), 1), happening(warband.leader_stunned)
    yield Part(partial(tabulated_casualties, roster, len(law), falls_now), beside=(casualties,))
    if warband.others_stunned > 0:
        steady = happening(1 - warband.others_stunned)
        for group in range(len(roster.standing)):
            after = partial(tabulated_caller, roster, group, int(roster.standing[group].max()))
            yield Part(after, steady, partial(dice_of_group, roster, group, lost))
    leader = (Beside(stunned, ROLLS),) if warband.leader_stunned else ()
    yield Part(partial(tabulated_test, roster, lost, 1 + len(leader)), beside=(Beside(TWO_DICE, 1), *leader))


def chain_of(question: Question, warbands: tuple[Warband, ...]) -> Chain:
    """The turns of warbands that play in this order; the law after the last warband's turn is recorded.

    A state of all is made of the states of each, the first warband's changing fastest. When one alone is left it
    goes on without tests (MD-3).
    """
    rosters = [roster_of(each) for each in warbands]
    table = Table(rosters)
    turns = [list(parts_of(each, question.casualties_of(each))) for each in warbands]
    phases = [
        table.phase(place, Part(partial(_placed, roster), beside=(Beside(sided(roster.ranks), 1),)))
        for place, roster in enumerate(rosters)
        if roster.ranks > 1
    ]
    for turn in range(question.turns_played):
        for place, of_warband in enumerate(turns):
            phases += [table.phase(place, part) for part in of_warband[turn]]
        phases[-1] = table.recorded(phases[-1])
    start = sum(place * each.out for place, each in zip(table.places, warbands))
    return Chain(start, tuple(phases), table.states, _extent(rosters))


def _extent(rosters: list[Roster]) -> Extent:
    warriors = ", ".join(str(roster.took_part) for roster in rosters)
    said = (
        f"{len(rosters)} warbands of {warriors} warriors" if len(rosters) > 1 else f"a warband of {warriors} warriors"
    )
    return Extent(said, "fewer warbands or warriors, or leaders that fall first or last")


def _placed(roster: Roster, states: States) -> States:
    """The draw of the leader's place among those that fall: any, as likely as another; shape (states, ranks + 1)."""
    width = roster.took_part + 1
    places = np.concatenate([[0], np.arange(roster.ranks) * width])
    return states[:, None] + np.where((states < width)[:, None], places, 0)


class Table:
    """The states of several warbands as one.

    Parameters
    ----------
    rosters : list of Roster
    """

    def __init__(self, rosters: list[Roster]) -> None:
        self._rosters = rosters
        self._sizes = [roster.states for roster in rosters]
        self.states = math.prod(self._sizes)
        self.places = [math.prod(self._sizes[:number]) for number in range(len(rosters))]
        self._seen: dict[tuple[int, int], Phase] = {}
        self._recorded: dict[int, Phase] = {}

    def of_each(self, states: States) -> list[States]:
        """The state of each warband, in each of some states of all."""
        return [states // place % size for place, size in zip(self.places, self._sizes)]

    def over(self, states: States) -> NDArray[np.bool_]:
        """Whether one warband at most is left of several (MD-3), in each of some states."""
        if len(self._rosters) == 1:
            return np.zeros(len(states), np.bool_)
        fights = [own < roster.fighting for own, roster in zip(self.of_each(states), self._rosters)]
        return np.asarray(np.sum(fights, axis=0) <= 1)

    def phase(self, place: int, part: Part) -> Phase:
        """A phase of the warband at `place`, seen among all."""
        key = (place, id(part.after))
        if key not in self._seen:

            def after(states: States) -> States:
                own = self.of_each(states)[place]
                moved = part.after(own) - own[:, None]
                moved[self.over(states)] = 0
                return np.asarray(states[:, None] + moved * self.places[place])

            def dice(states: States) -> States:
                own = self.of_each(states)[place]
                return np.where(self.over(states), 0, 0 if part.dice is None else part.dice(own))

            alone = len(self._rosters) == 1
            self._seen[key] = Phase(
                part.after if alone else after, part.die, 0 if part.dice is None else part.dice if alone else dice,
                part.beside,
            )  # fmt: skip
        return self._seen[key]

    def recorded(self, phase: Phase) -> Phase:
        """The same phase, its law recorded."""
        return self._recorded.setdefault(id(phase), replace(phase, recorded=True))
