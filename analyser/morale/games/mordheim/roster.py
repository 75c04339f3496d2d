"""The turns of a warband: casualties, giving up, rout tests, by its own states (MD-1, MD-2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.engine.chain.chain import NO_DIE, Die, ExtraDie, bernoulli, success_die
from analyser.morale.games.mordheim import rules
from analyser.morale.games.mordheim.question import Fight, Question, Ruleset, Warband
from analyser.morale.questions import Pmf, certainly

TWO_DICE = Die((1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1), 36)  # the sum of two dice less 2
LOWEST_ROLL, ROLLS, DIE_SIDES = 2, 11, 6
ROUTED, GAVE_UP, ALL_OUT = range(3)  # after the states of a warband that fights
N_FATES = 3
NO_NUMBER = 1 << 10  # of warriors out of action at which a warband gives up
EVERYBODY = -1  # whose casualties a phase is about, unless those of so many that stand, 0: of those without a leader


@dataclass(frozen=True, eq=False)
class Part:
    """A phase of one warband, before it is seen among all.

    `after` and `dice` are by its states, those in which its others take the test too: shapes (states, totals) and
    (states,). Where the warriors of the warband `of` roll, `number` at most, `dice` says how many dice each does.
    """

    after: NDArray[np.int64]
    die: Die = NO_DIE
    dice: NDArray[np.int64] | None = None
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
        return 0 if self.of >= 0 else int(self.die.values[0]) * self.each * self.number

    @property
    def most(self) -> int:
        """The most that can fall."""
        return self.die.highest * self.each * self.number


def blows_of(fight: Fight, turn: int, ruleset: Ruleset, places: dict[str, int]) -> Losses:
    """The blows of a fight: one that hits, wounds, is not saved and takes its man out is one casualty (MD-7, MD-8)."""
    keys = ("to_hit", "to_wound", "save", "out_of_action")
    to_hit, to_wound, save, out = (getattr(fight, key) or getattr(ruleset, key) for key in keys)
    hits, sides = DIE_SIDES + 1 - to_hit, DIE_SIDES
    if rules.rerolls_misses(fight, fight.frenzy, turn - fight.first_turn, ruleset):
        hits, sides = hits * sides + (sides - hits) * hits, sides * sides
    successes = hits * (DIE_SIDES + 1 - to_wound) * (save - 1) * (DIE_SIDES + 1 - out)
    of = -1 if fight.of is None else places[fight.of]
    die = success_die(successes, sides * DIE_SIDES**3)
    return Losses(die, rules.attacks_of(fight, fight.frenzy), fight.number, of)


class Roster:
    """A warband as integers, whoever leads it.

    A state of one that fights is ``leader out of action * took_part + others out of action``; after those come its
    fates. While the others of a warband take its test the same numbers are counted on from `states`. Phases are worked
    out once, and shared by all turns and all leaders.
    """

    def __init__(self, warband: Warband, question: Question) -> None:
        self._question = question
        self._places = {each.name: place for place, each in enumerate(question.warbands)}
        self.took_part = warband.took_part
        self.gives_up_at = warband.gives_up_at or NO_NUMBER
        self._groups = sorted(warband.others, key=lambda group: -group.leadership)
        self._steady = bernoulli(1 - warband.others_stunned)
        self.others_may_be_stunned = warband.others_stunned > 0 and bool(self._groups)
        self.fighting = 2 * self.took_part
        self.states = self.fighting + N_FATES
        self.all_states = np.arange(2 * self.states)
        self._standing = self._standing_by_group(warband.others_fall == "weakest_first")
        self.tests, self._part_of = cache(self._tests), cache(self._casualties)

    def _standing_by_group(self, weakest_first: bool) -> NDArray[np.int64]:
        """How many of each group of the others stand, best first, by how many of the others are out."""
        standing = np.zeros((len(self._groups), self.took_part), np.int64)
        left = np.arange(self.took_part)
        for place in range(len(self._groups))[:: -1 if weakest_first else 1]:
            standing[place] = np.maximum(self._groups[place].number - left, 0)
            left = np.maximum(left - self._groups[place].number, 0)
        return standing

    def out(self, states: Any) -> Any:
        """How many of a warband that fights are out of action."""
        return states // self.took_part + states % self.took_part

    def start(self, warband: Warband) -> int:
        """The state at the start, before anybody has fallen; of a warband that is all out of action, that."""
        all_out = warband.out == self.took_part and warband.leader_falls != "never"
        return self.fighting + ALL_OUT if all_out else 0

    def fallen(self, warband: Warband, turn: int) -> Iterator[Part]:
        """The casualties before the test of a turn; before the first turn, 0, those who are out at the start."""
        least = most = warband.out if turn else 0
        for earlier in range(min(turn, 1), turn + 1):
            for losses in self._losses(warband, earlier):
                if earlier == turn:
                    yield from self._lost(losses, self._who_falls(warband, turn), least, most)
                least, most = least + losses.least, most + losses.most
        if turn and warband.leader_falls == turn:
            yield self._leader_falls

    def _losses(self, warband: Warband, turn: int) -> Iterator[Losses]:
        pmf = self._question.casualties_of(warband)[turn - 1] if turn else certainly(warband.out)
        if len(pmf) > 1:
            yield self._stated(pmf)
        for fight in warband.casualties_from if turn else ():
            if not fight.turns or turn in fight.turns:
                yield blows_of(fight, turn, self._question.ruleset, self._places)

    def _stated(self, pmf: Pmf) -> Losses:
        most = min(len(pmf) - 1, self.took_part)
        return Losses(Die((*pmf[:most], sum(pmf[most:]))))

    def _who_falls(self, warband: Warband, turn: int) -> str:
        stated = warband.leader_falls
        return stated if isinstance(stated, str) else "first" if stated == turn else "last"

    def _lost(self, losses: Losses, falls: str, least: int, most: int) -> Iterator[Part]:
        """The phases of some casualties, where so many were out before: the fewer stand the earlier.

        So no state has its casualties twice, though the number of those who stand says how likely the leader falls.
        """
        standing = range(max(self.took_part - most, 1), self.took_part - least + 1)
        return (
            self._part_of(losses, falls, whose) for whose in ((0, *standing) if falls == "random" else (EVERYBODY,))
        )

    def _casualties(self, losses: Losses, falls: str, whose: int) -> Part:
        """Casualties of those whom they are about: of all, of those without a leader, or of so many that stand."""
        states, numbers = self.all_states[:, np.newaxis], losses.most + 1
        totals = np.arange(numbers * (max(whose, 1) if falls == "random" else 1))
        casualties, draw = totals % numbers, totals // numbers
        leader_out, others_out = np.divmod(states, self.took_part)
        others = self.took_part - 1 - others_out
        left = np.where(leader_out == 1, 0, others + 1)
        concerned = (states < self.fighting) & ((whose == EVERYBODY) | (left == whose))
        is_next = (falls == "first") | ((falls == "last") & (casualties > others))
        is_next = is_next | ((falls == "random") & (draw < casualties))
        leader_falls = (leader_out == 0) & (casualties > 0) & is_next
        others_out = others_out + np.minimum(casualties - leader_falls, others)
        after = np.where(concerned, (leader_out + leader_falls) * self.took_part + others_out, states)
        dice = concerned[:, 0] * losses.each * (losses.number if losses.of < 0 else 1)
        places = (ExtraDie(Die((1,) * whose, whose), numbers),) if falls == "random" and whose > 0 else ()
        return Part(after, losses.die, dice, places, losses.of, losses.number)

    @cached_property
    def _leader_falls(self) -> Part:
        """Where nobody fell before the turn of the leader he falls all the same."""
        states = self.all_states
        return Part((states + np.where(states < self.took_part, self.took_part, 0))[:, np.newaxis])

    def _tests(self, leader: int, p_stunned: float) -> tuple[Part, ...]:
        """The start of the player's turn: giving up (MD-2), or the rout test (MD-1)."""
        stunned = (ExtraDie(bernoulli(p_stunned), ROLLS),) if p_stunned else ()
        after = self._after_test(leader, 1 + len(stunned))
        parts = [Part(after, extra_dice=(ExtraDie(TWO_DICE, 1), *stunned))]
        others_out = np.arange(self.fighting) % self.took_part
        for group, standing in enumerate(self._standing if self.others_may_be_stunned else ()):
            most = int(standing.max())
            dice = np.zeros(len(self.all_states), np.int64)
            dice[self.states : self.states + self.fighting] = standing[others_out]
            parts.append(Part(self._after_others(group, most), self._steady, dice, (ExtraDie(TWO_DICE, most + 1),)))
        return tuple(parts)

    def _after_test(self, leader: int, leader_states: int) -> NDArray[np.int64]:
        """By 11 rolls less 2, and 11 more for a stunned leader."""
        states, totals = self.all_states[:, np.newaxis], np.arange(ROLLS * leader_states)
        roll, out = totals % ROLLS + LOWEST_ROLL, self.out(states)
        best_other = np.full(self.took_part, rules.NOBODY)  # of those that are not out, by how many are
        for standing, group in zip(self._standing[::-1], self._groups[::-1]):
            best_other[standing > 0] = group.leadership
        leader_lost = (states >= self.took_part) | (totals >= ROLLS)
        leadership = rules.rout_leadership(leader, leader_lost, best_other[states % self.took_part])
        ends = [
            (states >= self.fighting, states),
            (out == self.took_part, self.fighting + ALL_OUT),
            (~rules.rout_test_due(out, self.took_part), states),
            (out >= self.gives_up_at, self.fighting + GAVE_UP),
            (leader_lost & self.others_may_be_stunned, self.states + states),
            (rules.passes(roll, leadership), states),
        ]
        return self._first(ends, len(totals))

    def _after_others(self, group: int, most: int) -> NDArray[np.int64]:
        """After a test on a group of the others of whom some are not stunned; after the last on nobody.

        By numbers of those not stunned times 11 rolls.
        """
        states, totals = self.all_states[:, np.newaxis], np.arange((most + 1) * ROLLS)
        steady, roll = totals % (most + 1), totals // (most + 1) + LOWEST_ROLL
        tested_on = np.where(steady > 0, self._groups[group].leadership, rules.NOBODY)
        waits_on = (steady == 0) & (group < len(self._groups) - 1)
        ends = [((states < self.states) | waits_on, states), (rules.passes(roll, tested_on), states - self.states)]
        return self._first(ends, len(totals))

    def _first(self, ends: list[tuple[Any, Any]], totals: int) -> NDArray[np.int64]:
        """What stands beside the first condition that holds; else the warband is routed."""
        shape = len(self.all_states), totals
        conditions, values = ([np.broadcast_to(each, shape) for each in part] for part in zip(*ends))
        return np.select(conditions, values, self.fighting + ROUTED)
