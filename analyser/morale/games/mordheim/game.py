"""The game of one warband or several: their states as one, and its end (MD-3)."""

from __future__ import annotations

import math
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.engine.chain.chain import RECORD, Chain, Extent, Phase, States
from analyser.morale.games.mordheim.question import Question, Warband
from analyser.morale.games.mordheim.roster import GAVE_UP, ROUTED, Part, Roster, Turns, roster_of


class Seen(NamedTuple):
    """States of several warbands, read: each an array of the length of the states."""

    of_each: list[NDArray[np.int64]]
    waiting: NDArray[np.int64]  # 1 where a warband's test is taken by its others
    fights: NDArray[np.bool_]  # a row for each warband
    over: NDArray[np.bool_]  # the game (MD-3)


class Layout:
    """The states of several warbands as one number: the first warband's state changes fastest, `waiting` slowest.

    Parameters
    ----------
    rosters : list of Roster
    first_to_leave : bool
        Whether the first to leave wins (MD-3).
    """

    def __init__(self, rosters: list[Roster], first_to_leave: bool = False) -> None:
        self.rosters, self.first_to_leave = rosters, first_to_leave
        sizes = [roster.states for roster in rosters]
        self.places = [math.prod(sizes[:number]) for number in range(len(sizes) + 1)]
        waits = 1 + max(roster.others_may_be_stunned for roster in rosters)
        self.states = math.prod([waits, *sizes])
        self._phases: dict[tuple[int, int, bool], tuple[Part, Phase]] = {}  # the part is kept for its identity

    def seen(self, states: NDArray[np.int64]) -> Seen:
        """States, read."""
        of_each = [states // place % roster.states for place, roster in zip(self.places, self.rosters)]
        fights = [own < roster.fighting for own, roster in zip(of_each, self.rosters)]
        found = Seen(of_each, states // self.places[-1], np.array(fights), np.zeros(len(states), bool))
        if len(self.rosters) == 1:
            return found  # a warband without rivals plays on
        over = found.fights.sum(axis=0) <= 1
        if self.first_to_leave:
            over |= self.gone(found).any(axis=0)
        return found._replace(over=over)

    def gone(self, seen: Seen) -> NDArray[np.bool_]:
        """Which warbands have left by themselves: routed, or given up."""
        fates = [own - roster.fighting for own, roster in zip(seen.of_each, self.rosters)]
        return np.array([(fate == ROUTED) | (fate == GAVE_UP) for fate in fates])

    def phase(self, place: int, part: Part, begun: bool = True) -> Phase:
        """A phase of the warband at `place`, seen among all; after the game's end nothing happens (MD-3)."""
        key = (place, id(part), begun)
        if key not in self._phases:
            rows, dice = partial(self.rows, place, part, begun), partial(self.dice, place, part)
            self._phases[key] = part, Phase(rows, part.die, dice if len(part.dice) else 0, part.extra_dice)
        return self._phases[key][1]

    def rows(self, place: int, part: Part, begun: bool, states: States) -> States:
        """What a phase of the warband at `place` leads each of some states of all to, by total."""
        seen, size = self.seen(states), self.rosters[place].states
        own = seen.of_each[place] + seen.waiting * size
        moved: NDArray[np.int64] = part.after[own].astype(np.int64)
        after: NDArray[np.int64] = (
            states[:, np.newaxis] + (moved % size - own[:, np.newaxis] % size) * self.places[place]
        )
        after += (moved // size - seen.waiting[:, np.newaxis]) * self.places[-1]
        over = seen.over & begun
        after[over] = states[over, np.newaxis]
        return after

    def dice(self, place: int, part: Part, states: States) -> States:
        """How many dice each of some states of all rolls in a phase of the warband at `place`."""
        seen = self.seen(states)
        dice: NDArray[np.int64] = part.dice[seen.of_each[place] + seen.waiting * self.rosters[place].states]
        if part.of >= 0:
            dice = dice * np.minimum(self._standing(seen, part.of), part.number)
        return dice

    def _standing(self, seen: Seen, place: int) -> NDArray[np.int64]:
        """How many of a warband stand: none of one that is gone."""
        roster, own = self.rosters[place], seen.of_each[place]
        standing = roster.took_part - own // roster.took_part - own % roster.took_part
        return np.asarray(np.where(seen.fights[place], standing, 0))


def layout_of(question: Question) -> Layout:
    """The states of the warbands of a question."""
    return Layout([roster_of(each) for each in question.warbands], question.winner == "first_to_leave")


class Game:
    """Warbands that play in this order; what their other leaders have in common is worked out once.

    Parameters
    ----------
    question : Question
    """

    def __init__(self, question: Question) -> None:
        self._question, self._rivals = question, [Turns(each, question, {}) for each in question.rivals]
        self._of_first: dict[tuple[object, ...], tuple[Part, ...]] = {}
        self.layout = layout_of(question)

    def chain_of(self, first: Warband) -> Chain:
        """The turns of the game with `first` as its first warband.

        The state before each warband's test is recorded, then, after the last warband's turn, that of the turn's end.
        """
        layout, turns = self.layout, [Turns(first, self._question, self._of_first), *self._rivals]
        phases = [layout.phase(place, part, begun=False) for place, each in enumerate(turns) for part in each.before()]
        for turn in range(1, self._question.turns_played + 1):
            for place, each in enumerate(turns):
                phases += [layout.phase(place, part) for part in each.fallen(turn)]
                phases.append(RECORD)
                phases += [layout.phase(place, part) for part in each.tests()]
            phases.append(RECORD)
        start = sum(place * each.start for place, each in zip(layout.places, turns))
        return Chain(start, tuple(phases), layout.states, _extent(layout.rosters))


def _extent(rosters: list[Roster]) -> Extent:
    warriors = ", ".join(str(roster.took_part) for roster in rosters)
    warbands = f"{len(rosters)} warbands" if len(rosters) > 1 else "a warband"
    return Extent(f"{warbands} of {warriors} warriors", "fewer warbands or warriors")
