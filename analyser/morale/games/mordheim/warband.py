"""The turns of a warband: casualties, giving up, rout tests, tabulated by its own states (MD-1, MD-2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import kernel, step
from analyser.engine.chain.chain import NO_DIE, Die, ExtraDie, bernoulli, success_die
from analyser.morale.games.mordheim import rules
from analyser.morale.games.mordheim.question import Fight, Question, Warband
from analyser.morale.games.mordheim.question import Ruleset as Defaults

TWO_DICE = Die((1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1), 36)  # the sum of two dice less 2
LOWEST_ROLL, ROLLS, SIDES = 2, 11, 6
ROUTED, GAVE_UP, ALL_OUT = range(3)  # after the states of a warband that fights
FATES = 3
NO_NUMBER = 1 << 10  # of warriors out of action at which a warband gives up
RANDOM, FIRST, LAST, NOT_AT_ALL = range(4)  # how the leader falls
FALLS = {"random": RANDOM, "first": FIRST, "last": LAST, "never": NOT_AT_ALL}
EVERYBODY = -1  # whose casualties a phase tells, unless those of so many that stand, 0: of those without a leader


class Roster(NamedTuple):
    """A warband as whole numbers.

    A state of one that fights is ``leader out of action * took_part + others out of action``; after those come its
    fates. While the others of a warband take its test the same numbers are counted on from `states`.
    """

    took_part: int
    leader: int
    gives_up_at: int
    others_may_be_stunned: int
    standing: NDArray[np.int64]  # of each group of the others, best first, by how many of the others are out
    leadership: NDArray[np.int64]  # of each group, best first
    fighting: int
    states: int


def roster_of(warband: Warband) -> Roster:
    """A warband as whole numbers."""
    groups = sorted(warband.others, key=lambda group: -group.leadership)
    numbers = [group.number for group in groups]
    took_part = warband.took_part
    standing = np.zeros((len(groups), took_part), np.int64)
    falling = list(range(len(groups)))
    if warband.others_fall == "weakest_first":
        falling.reverse()
    for out in range(took_part):
        left = out
        for group in falling:
            fallen = min(left, numbers[group])
            standing[group, out], left = numbers[group] - fallen, left - fallen
    leadership = np.array([group.leadership for group in groups], np.int64)
    gives_up_at = NO_NUMBER if warband.gives_up_at is None else warband.gives_up_at
    fighting = 2 * took_part
    return Roster(
        took_part, warband.leader, gives_up_at, int(warband.others_stunned > 0 and bool(groups)), standing, leadership,
        fighting, fighting + FATES,
    )  # fmt: skip


@step
def out_of_action(roster: Roster, state: int) -> int:
    """How many of a warband that fights are out of action."""
    return state // roster.took_part + state % roster.took_part


@step
def best_other(roster: Roster, others_out: int) -> int:
    """The Leadership of the best of the others that are not out, NOBODY if none is left (MD-1)."""
    for group in range(len(roster.standing)):
        if roster.standing[group, others_out] > 0:
            return int(roster.leadership[group])
    return rules.NOBODY


@step
def after_casualties(roster: Roster, state: int, casualties: int, falls: int, draw: int) -> int:
    """The state after so many casualties; of those standing, `draw` from 0 is the leader's place where he is RANDOM."""
    leader_out, others_out = state // roster.took_part, state % roster.took_part
    others = roster.took_part - 1 - others_out
    if leader_out == 0 and casualties > 0:
        is_next = falls == FIRST or (falls == LAST and casualties > others)
        if is_next or (falls == RANDOM and draw < casualties):
            leader_out, casualties = 1, casualties - 1
    return leader_out * roster.took_part + others_out + min(casualties, others)


@step
def is_told(roster: Roster, state: int, whose: int) -> bool:
    """Whether a phase of casualties is about this state: that of all, of those without leader, or of so many left."""
    if state >= roster.fighting:
        return False
    leader_out, others_out = state // roster.took_part, state % roster.took_part
    return whose == EVERYBODY or whose == (0 if leader_out == 1 else roster.took_part - others_out)


@step
def after_test(roster: Roster, state: int, roll: int, stunned: bool) -> int:
    """The state after the start of the player's turn: giving up (MD-2), or the rout test (MD-1)."""
    out = out_of_action(roster, state)
    if out == roster.took_part:
        return roster.fighting + ALL_OUT
    if not rules.rout_test_due(out, roster.took_part):
        return state
    if out >= roster.gives_up_at:
        return roster.fighting + GAVE_UP
    leader_lost = state >= roster.took_part or stunned
    if leader_lost and roster.others_may_be_stunned:
        return roster.states + state
    other = best_other(roster, state % roster.took_part)
    if rules.passes(roll, rules.rout_leadership(roster.leader, leader_lost, other)):
        return state
    return roster.fighting + ROUTED


@step
def after_other(roster: Roster, group: int, waiting: int, steady: int, roll: int) -> int:
    """The state after a test on a group of the others of whom so many are not stunned; after the last on nobody."""
    state = waiting - roster.states
    if steady == 0 and group < len(roster.standing) - 1:
        return waiting
    tested_on = int(roster.leadership[group]) if steady > 0 else rules.NOBODY
    return state if rules.passes(roll, tested_on) else roster.fighting + ROUTED


@kernel
def tabulated_casualties(roster: Roster, states: int, numbers: int, falls: int, whose: int) -> NDArray[np.int64]:
    """:func:`after_casualties`, tabulated: shape (states, numbers of casualties * places of the leader)."""
    places = max(whose, 1) if falls == RANDOM else 1
    after = np.empty((states, numbers * places), np.int64)
    for state in range(states):
        told = is_told(roster, state, whose)
        for total in range(numbers * places):
            moved = after_casualties(roster, state, total % numbers, falls, total // numbers) if told else state
            after[state, total] = moved
    return after


@kernel
def tabulated_test(roster: Roster, states: int, leader_states: int) -> NDArray[np.int64]:
    """:func:`after_test`, tabulated: shape (states, 11 rolls less 2, and 11 more for a stunned leader)."""
    after = np.empty((states, ROLLS * leader_states), np.int64)
    for state in range(states):
        for total in range(after.shape[1]):
            fights = state < roster.fighting
            moved = after_test(roster, state, total % ROLLS + LOWEST_ROLL, total >= ROLLS) if fights else state
            after[state, total] = moved
    return after


@kernel
def tabulated_others(roster: Roster, states: int, group: int, most: int) -> NDArray[np.int64]:
    """:func:`after_other`, tabulated: shape (states, numbers of those not stunned * 11 rolls)."""
    after = np.empty((states, (most + 1) * ROLLS), np.int64)
    for state in range(states):
        for total in range(after.shape[1]):
            moved = state
            if state >= roster.states:
                moved = after_other(roster, group, state, total % (most + 1), total // (most + 1) + LOWEST_ROLL)
            after[state, total] = moved
    return after


class Part(NamedTuple):
    """A phase of one warband, before it is seen among all.

    Attributes
    ----------
    after : int64 array, shape (states, totals)
        Those in which the others take the test too.
    die, extra_dice : as those of a Phase
    dice : int64 array, shape (states,)
        How many dice each state rolls; where `of` is given, how many each enemy does.
    of : int
        The warband whose warriors roll, `number` at most; -1: nobody's, or those of no warband of the question.
    number : int
    """

    after: NDArray[np.int64]
    die: Die = NO_DIE
    dice: NDArray[np.int64] = np.zeros(0, np.int64)
    extra_dice: tuple[ExtraDie, ...] = ()
    of: int = -1
    number: int = 0


class Losses(NamedTuple):
    """What takes warriors out of action: so many dice for each enemy, who are `number` of the warband `of` or, -1, all.

    Each die shows how many it takes.
    """

    die: Die
    each: int = 1
    number: int = 1
    of: int = -1

    @property
    def least(self) -> int:
        """The fewest that can fall."""
        lowest = next(value for value, weight in enumerate(self.die.weights) if weight)
        return 0 if self.of >= 0 else lowest * self.each * self.number

    @property
    def most(self) -> int:
        """The most that can fall."""
        return self.die.highest * self.each * self.number


def blows_of(fight: Fight, turn: int, defaults: Defaults, places: dict[str, int]) -> Losses:
    """The blows of a fight: one that hits, wounds, is not saved and takes its man out is one casualty (MD-7, MD-8)."""
    to_hit, to_wound = fight.to_hit or defaults.to_hit, fight.to_wound or defaults.to_wound
    save, out = fight.save or defaults.save, fight.out_of_action or defaults.out_of_action
    hits, sides = SIDES + 1 - to_hit, SIDES
    silenced = fight.frenzy and not defaults.hatred_while_frenzied
    if rules.rerolls_misses(fight.hatred, turn - fight.first_turn, silenced):
        hits, sides = hits * sides + (sides - hits) * hits, sides * sides
    successes = hits * (SIDES + 1 - to_wound) * (save - 1) * (SIDES + 1 - out)
    each = rules.attacks_of(fight.attacks, fight.second_weapon, fight.frenzy)
    of = -1 if fight.of is None else places[fight.of]
    return Losses(success_die(successes, sides * SIDES**3), each, fight.number, of)


class Turns:
    """The phases of each turn of a warband.

    Parameters
    ----------
    warband : Warband
    question : Question
        Its turns, its ruleset, and the place of each warband.
    written : dict
        Those that are tabulated already; the same warband under other leaders goes on with them.
    """

    def __init__(
        self, warband: Warband, question: Question, written: dict[tuple[object, ...], tuple[Part, ...]]
    ) -> None:
        self.warband, self.roster = warband, roster_of(warband)
        self.states = 2 * self.roster.states
        self._question = question
        self._places = {each.name: place for place, each in enumerate(question.warbands)}
        self._written = written

    @property
    def start(self) -> int:
        """The state at the start, before anybody has fallen; of a warband that is all out of action, that."""
        all_out = self.warband.out == self.roster.took_part and self.warband.leader_falls != "never"
        return self.roster.fighting + ALL_OUT if all_out else 0

    def before(self) -> Iterator[Part]:
        """Those who are out of action at the start."""
        if self.warband.out > 0:
            yield from self._lost(self._stated((0.0,) * self.warband.out + (1.0,)), self._falls(0), 0, 0)

    def fallen(self, turn: int) -> Iterator[Part]:
        """The casualties before the test of a turn."""
        least = most = self.warband.out
        for earlier in range(1, turn + 1):
            for losses in self._losses(earlier):
                if earlier == turn:
                    yield from self._lost(losses, self._falls(turn), least, most)
                least, most = least + losses.least, most + losses.most
        if self.warband.leader_falls == turn:
            yield from self._kept(("leader",), self._leader_falls)

    def _losses(self, turn: int) -> Iterator[Losses]:
        law = self._question.casualties_of(self.warband)[turn - 1]
        if len(law) > 1:
            yield self._stated(law)
        for fight in self.warband.casualties_from:
            if not fight.turns or turn in fight.turns:
                yield blows_of(fight, turn, self._question.ruleset, self._places)

    def _stated(self, law: tuple[float, ...]) -> Losses:
        most = min(len(law) - 1, self.roster.took_part)
        return Losses(Die((*law[:most], sum(law[most:]))))

    def tests(self) -> tuple[Part, ...]:
        """The start of the player's turn."""
        return self._kept(("tests", self.warband.leader, self.warband.leader_stunned), self._tests)

    def _kept(self, key: tuple[object, ...], make: Callable[[], Iterable[Part]]) -> tuple[Part, ...]:
        if key not in self._written:
            self._written[key] = tuple(make())
        return self._written[key]

    def _falls(self, turn: int) -> int:
        stated = self.warband.leader_falls
        if isinstance(stated, int):
            return FIRST if stated == turn else LAST
        return FALLS[stated]

    def _lost(self, losses: Losses, falls: int, least: int, most: int) -> Iterator[Part]:
        """The phases of some casualties, where so many were out before: the fewer stand the earlier.

        So nobody is told of twice, though it is the number of those who stand that says how likely the leader falls.
        """
        standing = range(max(self.roster.took_part - most, 1), self.roster.took_part - least + 1)
        for whose in (0, *standing) if falls == RANDOM else (EVERYBODY,):
            yield from self._kept(("lost", losses, falls, whose), partial(self._part_of, losses, falls, whose))

    def _part_of(self, losses: Losses, falls: int, whose: int) -> Iterator[Part]:
        states, numbers = np.arange(self.states), losses.most + 1
        after = tabulated_casualties(self.roster, self.states, numbers, falls, whose)
        told = np.array([is_told(self.roster, state, whose) for state in states.tolist()])
        dice = told * losses.each * (losses.number if losses.of < 0 else 1)
        places = (ExtraDie(Die((1,) * whose, whose), numbers),) if falls == RANDOM and whose > 0 else ()
        yield Part(after, losses.die, dice, places, losses.of, losses.number)

    def _leader_falls(self) -> Iterator[Part]:
        """Where nobody fell before the turn of the leader he falls all the same."""
        after = np.arange(self.states)
        after[: self.roster.took_part] += self.roster.took_part
        yield Part(after[:, np.newaxis])

    def _tests(self) -> Iterator[Part]:
        roster, warband = self.roster, self.warband
        stunned = (ExtraDie(bernoulli(warband.leader_stunned), ROLLS),) if warband.leader_stunned else ()
        extra_dice = (ExtraDie(TWO_DICE, 1), *stunned)
        yield Part(tabulated_test(roster, self.states, 1 + len(stunned)), extra_dice=extra_dice)
        if roster.others_may_be_stunned:
            steady = bernoulli(1 - warband.others_stunned)
            for group, standing in enumerate(roster.standing):
                most = int(standing.max())
                dice = np.zeros(self.states, np.int64)
                others_out = np.arange(roster.fighting) % roster.took_part
                dice[roster.states : roster.states + roster.fighting] = standing[others_out]
                after = tabulated_others(roster, self.states, group, most)
                yield Part(after, steady, dice, (ExtraDie(TWO_DICE, most + 1),))
