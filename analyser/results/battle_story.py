"""Narration of one battle: activations, targets, dice and cards, and their results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from analyser.common.text import counted
from analyser.engine.battle.battle_data import MOST_UNITS
from analyser.engine.battle.log import Event
from analyser.engine.battle.simulation import LoggedBattle
from analyser.game.army import names_apart
from analyser.rules.policies import Action, Manoeuvre
from analyser.rules.structs import INCH
from analyser.scenarios.battle import BattleScenario

_SORTIE = -1  # stands for the manoeuvre of aircraft, which have none (BT-3)
_MANOEUVRES = {
    Manoeuvre.STAY: "stays where it is, against",
    Manoeuvre.AIM: "aims at",
    Manoeuvre.ADVANCE: "advances on",
    Manoeuvre.CLOSE_IN: "closes in on",
    Manoeuvre.DOUBLE_TIME: "moves at double time toward",
    Manoeuvre.CHARGE: "charges",
    Manoeuvre.RETIRE: "retires from",
    _SORTIE: "flies a sortie against",
}
_MOVES_WITHOUT_TARGET: dict[int, str] = {
    Manoeuvre.RETIRE: "retires",
    Manoeuvre.RETIRE_AT_DOUBLE_TIME: "retires at double time",
    Manoeuvre.ADVANCE: "advances",
    Manoeuvre.DOUBLE_TIME: "moves at double time",
}
_ACTIONS: dict[int, str] = {
    Action.GO_ON_LOOKOUT: "goes on lookout",
    Action.TAKE_COVER: "takes cover",
    Action.RE_ARM: "re-arms",
}
_DIE_FACES = ("a heroic strike", "a strike", "a miss", "another face")
# Events that begin a line:
_LINE_STARTS = (Event.ROUND, Event.ENTERED, Event.ACTIVATED, Event.SCORED, Event.GROUND, Event.ENDED)
_COMBAT_RESULTS = ("wins the combat", "loses the combat", "fights to a stalemate")


class LoggedEvent(NamedTuple):
    """An event of a battle; the meaning of the last three numbers depends on the :class:`~.log.Event`."""

    event: Event
    unit: int
    other: int
    first: int
    second: int
    third: int


@dataclass(frozen=True)
class Story:
    """Narration of one battle."""

    number: int  # number of the battle (:meth:`BattleResult.tell`)
    seed: int
    margin: int  # victory points of the first army minus those of the second
    events: tuple[LoggedEvent, ...]
    names: Mapping[int, str]  # units' names by number, with the army if both armies have a unit of that name
    armies: tuple[str, str]
    embarked: frozenset[int] = frozenset()  # numbers of the units that begin the battle aboard a transport

    def army_and_unit(self, event: LoggedEvent) -> str:
        """Return the names of the army and the unit of an event."""
        army = self.armies[event.unit // MOST_UNITS]
        return f"{army}: {self.names[event.unit].removesuffix(f' of {army}')}"

    def lines(self) -> Iterator[str]:
        """Yield a line for each activation or other event of `_LINE_STARTS`, with the events that follow."""
        return (line for _, line in self._events_and_lines())

    def rounds(self) -> list[list[str]]:
        """Return the lines of each round; the first line announces the round."""
        result: list[list[str]] = []
        for begins, line in self._events_and_lines():
            if begins == Event.ROUND or not result:
                result.append([])
            result[-1].append(line)
        return result

    def _events_and_lines(self) -> Iterator[tuple[Event, str]]:
        """Yield each line with the event that begins it."""
        parts: list[str] = []
        line_start, aboard = Event.ROUND, set(self.embarked)
        for index, logged in enumerate(self.events):
            if logged.event in _LINE_STARTS and parts:
                yield line_start, "; ".join(parts)
                parts = []
            if logged.event in _LINE_STARTS:
                line_start = logged.event
            if logged.event == Event.DISEMBARKED:
                aboard.discard(logged.unit)
            parts.append(_EVENT_TEXTS[logged.event](logged, self))
            alone = all(following.event in _LINE_STARTS for following in self.events[index + 1 : index + 2])
            if logged.event == Event.ACTIVATED and logged.unit in aboard and alone:
                parts.append("stays aboard")
        yield line_start, "; ".join(parts)

    def __str__(self) -> str:
        return "\n".join(self.lines())


def story_of(scenario: BattleScenario, battle: LoggedBattle, seed: int) -> Story:
    """Return the narration of a logged battle."""
    armies = names_apart(*scenario.armies)
    fielded = {
        index + side * MOST_UNITS: (army, unit)
        for side, army in enumerate(armies)
        for index, unit in enumerate(scenario.fielded[side])
    }
    first, second = ({unit.title for unit in units} for units in scenario.fielded)
    in_both = first & second
    names = {
        number: f"{unit.title} of {army}" if unit.title in in_both else unit.title
        for number, (army, unit) in fielded.items()
    }
    aircraft = {number for number, (_, unit) in fielded.items() if unit.combatant.aircraft}
    embarked = frozenset(number for number, (_, unit) in fielded.items() if unit.unit.embarked_in is not None)
    events = (LoggedEvent(Event(event), *rest) for event, *rest in battle.events.tolist())
    with_sorties = tuple(
        event._replace(first=_SORTIE) if event.event == Event.ORDERED and event.unit in aircraft else event
        for event in events
    )
    return Story(battle.number, seed, battle.margin, with_sorties, names, armies, embarked)


def _round_text(event: LoggedEvent, story: Story) -> str:
    holder, (first, second) = story.armies[event.unit], story.armies
    if event.first == 1:
        return f"Round 1: {holder} takes the first turn"
    own, other = (str(value) if value else "no card" for value in (event.second, event.third))
    return f"Round {event.first}: {holder} takes the initiative (cards: {first} {own}, {second} {other})"


def _order_text(event: LoggedEvent, story: Story) -> str:
    action = _ACTIONS.get(event.second, "")
    if event.other == event.unit:
        return " and ".join(filter(None, (_MOVES_WITHOUT_TARGET.get(event.first, "holds"), action)))
    move = f'{_MANOEUVRES[event.first]} {story.names[event.other]}, {event.third / INCH:g}" away'
    return f"{move}, and {action}" if action else move


def _move_text(event: LoggedEvent, _: Story) -> str:
    goal = " toward an objective" if event.other == event.unit else ""
    return f'moves {event.first / INCH:g}"{goal}'


def _attack_text(event: LoggedEvent, story: Story) -> str:
    lost = f", {counted(event.third, 'model')} destroyed" if event.third else ""
    return f"{story.names[event.unit]} attacks {story.names[event.other]}: {event.second or 'no'} damage{lost}"


def _card_text(event: LoggedEvent, story: Story) -> str:
    test = "rally test" if event.third else "test"
    verdict = "passes" if event.first <= event.second else "fails"
    return f"{story.names[event.unit]} {verdict} its {test}: card {event.first}, {event.second} or less passes"


def _own_loss_text(event: LoggedEvent, story: Story) -> str:
    cause = "by its own actions"
    if event.second:
        cause = f"aboard {story.names[event.other]}, which lacks room for them"
    return f"{story.names[event.unit]} loses {counted(event.first, 'model')} {cause}"


_EVENT_TEXTS: Mapping[Event, Callable[[LoggedEvent, Story], str]] = {
    Event.ROUND: _round_text,
    Event.ENTERED: lambda event, story: f"  {story.army_and_unit(event)} comes out of reserve",
    Event.ACTIVATED: lambda event, story: f"  {story.army_and_unit(event)} ({counted(event.first, 'model')})",
    Event.CARD: _card_text,
    Event.ORDERED: _order_text,
    Event.MOVED: _move_text,
    Event.ATTACKED: _attack_text,
    Event.FELL_BACK: lambda event, story: f"{story.names[event.unit]} falls back",
    Event.SUPPRESSED: lambda event, story: f"{story.names[event.unit]} is suppressed",
    Event.REMOVED: lambda event, story: f"{story.names[event.unit]} is removed ({event.second} VP)",
    Event.COMBAT: lambda event, story: f"{story.names[event.unit]} {_COMBAT_RESULTS[event.first]}",
    Event.OWN_LOSS: _own_loss_text,
    Event.DIE: lambda event, story: f"{story.names[event.unit]} explodes: {_DIE_FACES[event.first]}",
    Event.ENDED: lambda event, story: (
        f"End of round {event.first}: {story.armies[0]} {event.second} VP, {story.armies[1]} {event.third} VP"
    ),
    Event.GROUND: lambda event, story: (
        f"{story.armies[event.first]} has no unit left on the table: 5 VP for {story.armies[1 - event.first]}"
    ),
    Event.SCORED: lambda event, story: f"  {story.armies[event.first]} scores {event.second} VP for objectives",
    Event.DISEMBARKED: lambda event, story: f"{story.names[event.unit]} disembarks",
    Event.CARD_DICE: lambda event, story: f"{story.names[event.unit]} draws card {event.first} for its extra dice",
}
