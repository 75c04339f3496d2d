"""Narration of one battle: activations, targets, dice and cards, and their results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from analyser.common.text import counted
from analyser.engine.battle.log import Event, Unfired
from analyser.engine.battle.simulation import Told
from analyser.engine.battle.tables import MOST_UNITS
from analyser.rules.policies import Action, Manoeuvre
from analyser.rules.structs import INCH
from analyser.scenarios.battle import SIDES, BattleScenario

_SORTIE = -1  # of an aircraft, which has no manoeuvres (BT-3)
_MANOEUVRES = {
    Manoeuvre.STAY: "stays where it is, against",
    Manoeuvre.AIM: "aims at",
    Manoeuvre.ADVANCE: "advances on",
    Manoeuvre.CLOSE_IN: "closes in on",
    Manoeuvre.DOUBLE_TIME: "moves at double time toward",
    Manoeuvre.CHARGE: "charges",
    Manoeuvre.RETIRE: "falls back from",
    _SORTIE: "flies a sortie against",
}
_WHOSE = dict(zip(SIDES, ("my", "your")))
_FACES = ("a heroic strike", "a strike", "a miss", "nothing that counts")
_UNFIRED = {
    Unfired.RELOADS: "reloads instead of shooting (Slow to Fire)",
    Unfired.EMPTY: "cannot shoot again: a sortie has no re-arm action (Slow to Fire)",
    Unfired.TOO_NEAR: "cannot shoot at who is within its short range (Indirect)",
    Unfired.MOVED: "cannot shoot after an advance (Move or Fire)",
}
_BEGIN = (Event.ROUND, Event.ENTERED, Event.ACTIVATED, Event.GROUND, Event.ENDED)  # events that begin a line
_WON = ("wins the combat", "loses the combat", "fights to a stalemate")


class Happening(NamedTuple):
    """An event of a battle."""

    event: Event
    unit: int
    other: int
    first: int
    second: int
    third: int


@dataclass(frozen=True)
class Story:
    """Narration of one battle.

    Attributes
    ----------
    number, seed : int
        Number of the battle and its seed: :meth:`BattleResult.tell` tells it again.
    margin : int
        VP of my side less yours.
    happenings : tuple of Happening
        All events, in order.
    unfired : mapping
        Orders to shoot that a row then forbids, by their places, with the reason (AC-6).
    embarked : frozenset of int
        The units that begin aboard a transport.
    """

    number: int
    seed: int
    margin: int
    happenings: tuple[Happening, ...]
    names: Mapping[int, str]
    unfired: Mapping[int, Unfired] = field(default_factory=dict)
    embarked: frozenset[int] = frozenset()

    def lines(self) -> Iterator[str]:
        """A line for each round that begins or ends, and for each activation."""
        return (line for _, line in self._told())

    def rounds(self) -> list[list[str]]:
        """Return the lines by round; the first of each says that the round begins."""
        result: list[list[str]] = []
        for begins, line in self._told():
            if begins == Event.ROUND or not result:
                result.append([])
            result[-1].append(line)
        return result

    def _told(self) -> Iterator[tuple[Event, str]]:
        """Each line, and the event that it begins with."""
        parts: list[str] = []
        first, aboard = Event.ROUND, set(self.embarked)
        for place, happening in enumerate(self.happenings):
            if happening.event in _BEGIN and parts:
                yield first, "; ".join(parts)
                parts = []
            if happening.event in _BEGIN:
                first = happening.event
            if happening.event == Event.DISEMBARKED:
                aboard.discard(happening.unit)
            text = _TOLD[happening.event](happening, self.names)
            if text:
                parts.append(text)
            if happening.event == Event.ACTIVATED and happening.unit in aboard and not self._follows(place):
                parts.append("stays aboard")
            if place in self.unfired:
                parts.append(_UNFIRED[self.unfired[place]])
        yield first, "; ".join(parts)

    def _follows(self, place: int) -> bool:
        """Return True if an event that makes part of this line follows."""
        after = self.happenings[place + 1 : place + 2]
        return bool(after) and after[0].event not in _BEGIN

    def __str__(self) -> str:
        return "\n".join(self.lines())


def story_of(scenario: BattleScenario, told: Told, seed: int) -> Story:
    """A battle that a simulation has told."""
    fielded = {
        place + side * MOST_UNITS: (_WHOSE[name], each)
        for side, name in enumerate(SIDES)
        for place, each in enumerate(scenario.fielded[side])
    }
    names = {number: f"{whose} {each.title}" for number, (whose, each) in fielded.items()}
    aircraft = {number for number, (_, each) in fielded.items() if each.combatant.aircraft}
    embarked = frozenset(number for number, (_, each) in fielded.items() if each.unit.embarked_in is not None)
    events = tuple(Happening(Event(event), *rest) for event, *rest in told.events.tolist())
    events = tuple(
        each._replace(first=_SORTIE) if each.event == Event.ORDERED and each.unit in aircraft else each
        for each in events
    )
    return Story(told.number, seed, told.margin, events, names, told.unfired, embarked)


def _round(each: Happening, _: Any) -> str:
    holder = SIDES[each.unit]
    if each.first == 1:
        return f"Round 1: {holder} takes the first turn"
    mine, yours = (str(value) if value else "no card" for value in (each.second, each.third))
    return f"Round {each.first}: {holder} takes the initiative (cards: mine {mine}, yours {yours})"


def _ordered(each: Happening, names: Mapping[int, str]) -> str:
    if each.other == each.unit:
        deeds = {Action.RE_ARM: "re-arms", Action.TAKE_COVER: "takes cover", Action.GO_ON_LOOKOUT: "goes on lookout"}
        how = "falls back" if each.first in (Manoeuvre.RETIRE, Manoeuvre.RETIRE_AT_DOUBLE_TIME) else "holds"
        return " and ".join([how, *([deeds[Action(each.second)]] if each.second in deeds else [])])
    special = {Action.GO_ON_LOOKOUT: ", and goes on lookout", Action.TAKE_COVER: ", and takes cover"}
    deed = special.get(Action(each.second), "")
    return f'{_MANOEUVRES[each.first]} {names[each.other]}, {each.third / INCH:g}" away{deed}'


def _attacked(each: Happening, names: Mapping[int, str]) -> str:
    lost = f", {counted(each.third, 'model')} destroyed" if each.third else ""
    return f"{names[each.unit]} attacks {names[each.other]}: {each.second or 'no'} damage{lost}"


def _card(each: Happening, names: Mapping[int, str]) -> str:
    what = "rally test" if each.third else "test"
    verdict = "passes" if each.first <= each.second else "fails"
    return f"{names[each.unit]} {verdict} its {what}: card {each.first}, {each.second} or less passes"


def _own_loss(each: Happening, names: Mapping[int, str]) -> str:
    how = "by its own doing"
    if each.second:
        how = f"aboard {names[each.other]}, which has no room for it"
    return f"{names[each.unit]} loses {counted(each.first, 'model')} {how}"


_TOLD: Mapping[Event, Callable[[Happening, Mapping[int, str]], str]] = {
    Event.ROUND: _round,
    Event.ENTERED: lambda each, names: f"  {names[each.unit]} comes out of reserve",
    Event.ACTIVATED: lambda each, names: f"  {names[each.unit]} ({counted(each.first, 'model')})",
    Event.CARD: _card,
    Event.ORDERED: _ordered,
    Event.MOVED: lambda each, _: f'moves {each.first / INCH:g}"',
    Event.ATTACKED: _attacked,
    Event.FELL_BACK: lambda each, names: f"{names[each.unit]} falls back",
    Event.SUPPRESSED: lambda each, names: f"{names[each.unit]} is suppressed",
    Event.REMOVED: lambda each, names: f"{names[each.unit]} is gone ({each.second} VP)",
    Event.COMBAT: lambda each, names: f"{names[each.unit]} {_WON[each.first]}",
    Event.OWN_LOSS: _own_loss,
    Event.DIE: lambda each, names: f"{names[each.unit]} goes off: {_FACES[each.first]}",
    Event.ENDED: lambda each, _: f"End of round {each.first}: {each.second} VP to {each.third}",
    Event.GROUND: lambda each, _: (
        f"{SIDES[each.first].capitalize()} has nobody left on the field: 5 VP for the other side"
    ),
    Event.DISEMBARKED: lambda each, names: f"{names[each.unit]} disembarks",
    Event.CARD_DICE: lambda each, names: f"{names[each.unit]} turns a {each.first} for more dice",
}
