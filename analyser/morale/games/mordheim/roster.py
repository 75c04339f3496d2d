"""The turns of a warband: casualties, giving up, rout tests, by its own states (MD-1, MD-2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.engine.chain.chain import NO_DIE, Die, ExtraDie, States, bernoulli, success_die
from analyser.morale.games.mordheim import rules
from analyser.morale.games.mordheim.question import Fight, Question, Ruleset, Warband
from analyser.morale.questions import Pmf, certainly

TWO_DICE = Die((1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1), 36)  # the sum of two dice less 2
LOWEST_ROLL, ROLLS, DIE_SIDES = 2, 11, 6
ROUTED, GAVE_UP, ALL_OUT = range(3)  # after the states of a warband that fights
N_FATES = 3
NO_NUMBER = 1 << 10  # of warriors out of action at which a warband gives up
RANDOM, FIRST, LAST, NOT_AT_ALL = range(4)  # how the leader falls
FALLS = {"random": RANDOM, "first": FIRST, "last": LAST, "never": NOT_AT_ALL}
EVERYBODY = -1  # whose casualties a phase is about, unless those of so many that stand, 0: of those without a leader


class Roster(NamedTuple):
    """A warband as integers.

    A state of one that fights is ``leader out of action * took_part + others out of action``; after those come its
    fates. While the others of a warband take its test the same numbers are counted on from `states`.
    """

    took_part: int
    leader: int
    gives_up_at: int
    others_may_be_stunned: bool
    standing: NDArray[np.int64]  # of each group of the others, best first, by how many of the others are out
    leadership: NDArray[np.int64]  # of each group, best first

    @property
    def fighting(self) -> int:
        """How many states a warband that fights has."""
        return 2 * self.took_part

    @property
    def states(self) -> int:
        """How many states there are, but for those in which the others take the test."""
        return self.fighting + N_FATES

    @property
    def all_states(self) -> States:
        """All states, those in which the others take the test too."""
        return np.arange(2 * self.states)

    def out(self, states: States) -> States:
        """How many of a warband that fights are out of action."""
        return states // self.took_part + states % self.took_part

    def best_other(self) -> NDArray[np.int64]:
        """The Leadership of the best of the others that are not out, by how many are; NOBODY if none is left (MD-1)."""
        best = np.full(self.took_part, rules.NOBODY)
        for standing, leadership in zip(self.standing[::-1], self.leadership[::-1]):
            best[standing > 0] = leadership
        return best

    def concerns(self, states: States, whose: int) -> NDArray[np.bool_]:
        """Whether casualties are about a state: those of all, of those without leader, or of so many left."""
        left = np.where(states // self.took_part == 1, 0, self.took_part - states % self.took_part)
        return np.asarray((states < self.fighting) & ((whose == EVERYBODY) | (left == whose)))


def roster_of(warband: Warband) -> Roster:
    """A warband as integers."""
    groups = sorted(warband.others, key=lambda group: -group.leadership)
    numbers = [group.number for group in groups]
    standing = np.zeros((len(groups), warband.took_part), np.int64)
    weakest_first = warband.others_fall == "weakest_first"
    for out in range(warband.took_part):
        left = out
        for group in range(len(groups))[:: -1 if weakest_first else 1]:
            fallen = min(left, numbers[group])
            standing[group, out], left = numbers[group] - fallen, left - fallen
    leadership = np.array([group.leadership for group in groups], np.int64)
    gives_up_at = NO_NUMBER if warband.gives_up_at is None else warband.gives_up_at
    others_may_be_stunned = warband.others_stunned > 0 and bool(groups)
    return Roster(warband.took_part, warband.leader, gives_up_at, others_may_be_stunned, standing, leadership)


def after_casualties(roster: Roster, numbers: int, falls: int, whose: int) -> States:
    """The states after casualties: shape (states, numbers of casualties * places of the leader, where he is RANDOM)."""
    states = roster.all_states[:, np.newaxis]
    totals = np.arange(numbers * (max(whose, 1) if falls == RANDOM else 1))
    casualties, draw = totals % numbers, totals // numbers
    leader_out, others_out = np.divmod(states, roster.took_part)
    others = roster.took_part - 1 - others_out
    is_next = (falls == FIRST) | ((falls == LAST) & (casualties > others)) | ((falls == RANDOM) & (draw < casualties))
    leader_falls = (leader_out == 0) & (casualties > 0) & is_next
    others_out = others_out + np.minimum(casualties - leader_falls, others)
    after = (leader_out + leader_falls) * roster.took_part + others_out
    return np.where(roster.concerns(states, whose), after, states)


def after_test(roster: Roster, leader_states: int) -> States:
    """The states after the start of the player's turn: giving up (MD-2), or the rout test (MD-1).

    Shape (states, 11 rolls less 2, and 11 more for a stunned leader).
    """
    states, totals = roster.all_states[:, np.newaxis], np.arange(ROLLS * leader_states)
    roll, out = totals % ROLLS + LOWEST_ROLL, roster.out(states)
    leader_lost = (states >= roster.took_part) | (totals >= ROLLS)
    leadership = rules.rout_leadership(roster.leader, leader_lost, roster.best_other()[states % roster.took_part])
    ends = [
        (states >= roster.fighting, states),
        (out == roster.took_part, roster.fighting + ALL_OUT),
        (~rules.rout_test_due(out, roster.took_part), states),
        (out >= roster.gives_up_at, roster.fighting + GAVE_UP),
        (leader_lost & roster.others_may_be_stunned, roster.states + states),
        (rules.passes(roll, leadership), states),
    ]
    return _first(ends, roster.fighting + ROUTED, (len(states), len(totals)))


def after_others(roster: Roster, group: int, most: int) -> States:
    """The states after a test on a group of the others of whom some are not stunned; after the last on nobody.

    Shape (states, numbers of those not stunned * 11 rolls).
    """
    states, totals = roster.all_states[:, np.newaxis], np.arange((most + 1) * ROLLS)
    steady, roll = totals % (most + 1), totals // (most + 1) + LOWEST_ROLL
    tested_on = np.where(steady > 0, roster.leadership[group], rules.NOBODY)
    waits_on = (steady == 0) & (group < len(roster.standing) - 1)
    ends = [
        ((states < roster.states) | waits_on, states),
        (rules.passes(roll, tested_on), states - roster.states),
    ]
    return _first(ends, roster.fighting + ROUTED, (len(states), len(totals)))


def _first(ends: Sequence[tuple[Any, Any]], otherwise: int, shape: tuple[int, int]) -> States:
    """What stands beside the first condition that holds."""
    conditions, values = ([np.broadcast_to(each, shape) for each in part] for part in zip(*ends))
    return np.select(conditions, values, otherwise)


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


def blows_of(fight: Fight, turn: int, ruleset: Ruleset, places: dict[str, int]) -> Losses:
    """The blows of a fight: one that hits, wounds, is not saved and takes its man out is one casualty (MD-7, MD-8)."""
    keys = ("to_hit", "to_wound", "save", "out_of_action")
    to_hit, to_wound, save, out = (getattr(fight, key) or getattr(ruleset, key) for key in keys)
    hits, sides = DIE_SIDES + 1 - to_hit, DIE_SIDES
    silenced = fight.frenzy and not ruleset.hatred_while_frenzied
    if rules.rerolls_misses(fight.hatred, turn - fight.first_turn, silenced):
        hits, sides = hits * sides + (sides - hits) * hits, sides * sides
    successes = hits * (DIE_SIDES + 1 - to_wound) * (save - 1) * (DIE_SIDES + 1 - out)
    each = rules.attacks_of(fight.attacks, fight.second_weapon, fight.frenzy)
    of = -1 if fight.of is None else places[fight.of]
    return Losses(success_die(successes, sides * DIE_SIDES**3), each, fight.number, of)


class Turns:
    """The phases of each turn of a warband.

    Parameters
    ----------
    warband : Warband
    question : Question
        Its turns, its ruleset, and the place of each warband.
    written : dict
        Those that are worked out already; the same warband under other leaders goes on with them.
    """

    def __init__(
        self, warband: Warband, question: Question, written: dict[tuple[object, ...], tuple[Part, ...]]
    ) -> None:
        self.warband, self.roster = warband, roster_of(warband)
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
            yield from self._lost(self._stated(certainly(self.warband.out)), self._falls(0), 0, 0)

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
        pmf = self._question.casualties_of(self.warband)[turn - 1]
        if len(pmf) > 1:
            yield self._stated(pmf)
        for fight in self.warband.casualties_from:
            if not fight.turns or turn in fight.turns:
                yield blows_of(fight, turn, self._question.ruleset, self._places)

    def _stated(self, pmf: Pmf) -> Losses:
        most = min(len(pmf) - 1, self.roster.took_part)
        return Losses(Die((*pmf[:most], sum(pmf[most:]))))

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

        So no state has its casualties twice, though the number of those who stand says how likely the leader falls.
        """
        standing = range(max(self.roster.took_part - most, 1), self.roster.took_part - least + 1)
        for whose in (0, *standing) if falls == RANDOM else (EVERYBODY,):
            yield from self._kept(("lost", losses, falls, whose), partial(self._part_of, losses, falls, whose))

    def _part_of(self, losses: Losses, falls: int, whose: int) -> Iterator[Part]:
        numbers, concerned = losses.most + 1, self.roster.concerns(self.roster.all_states, whose)
        dice = concerned * losses.each * (losses.number if losses.of < 0 else 1)
        places = (ExtraDie(Die((1,) * whose, whose), numbers),) if falls == RANDOM and whose > 0 else ()
        after = after_casualties(self.roster, numbers, falls, whose)
        yield Part(after, losses.die, dice, places, losses.of, losses.number)

    def _leader_falls(self) -> Iterator[Part]:
        """Where nobody fell before the turn of the leader he falls all the same."""
        states = self.roster.all_states
        yield Part((states + np.where(states < self.roster.took_part, self.roster.took_part, 0))[:, np.newaxis])

    def _tests(self) -> Iterator[Part]:
        roster, warband = self.roster, self.warband
        stunned = (ExtraDie(bernoulli(warband.leader_stunned), ROLLS),) if warband.leader_stunned else ()
        yield Part(after_test(roster, 1 + len(stunned)), extra_dice=(ExtraDie(TWO_DICE, 1), *stunned))
        steady, others_out = bernoulli(1 - warband.others_stunned), np.arange(roster.fighting) % roster.took_part
        for group, standing in enumerate(roster.standing if roster.others_may_be_stunned else ()):
            most = int(standing.max())
            dice = np.zeros(len(roster.all_states), np.int64)
            dice[roster.states : roster.states + roster.fighting] = standing[others_out]
            yield Part(after_others(roster, group, most), steady, dice, (ExtraDie(TWO_DICE, most + 1),))
