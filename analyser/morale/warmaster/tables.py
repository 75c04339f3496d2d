"""The tables that answer a question about Warmaster: by choice, jointly, and where the unit stops."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from analyser.engine.chain.chain import Chain, Recorded, on_common_states
from analyser.morale.panels import Bars, Panel
from analyser.morale.tables import Mean, Table, Weights
from analyser.morale.warmaster.chain import chain_of, ended, is_confused, layout_of, stands_destroyed
from analyser.morale.warmaster.path import CHOICES, Choice, choices_of, meetings, way_of
from analyser.morale.warmaster.question import Question
from analyser.morale.warmaster.rules import Kind, Meeting

OPEN_GROUND = "open ground"
MAKE_WAY: dict[Choice, str] = {"always": "always", "never": "never", "fewest": "fewest confused"}


def chains(question: Question) -> dict[str, Chain]:
    """One chain a choice of the player: friends make way always, never, or where that confuses the fewest units."""
    return {choice: chain_of(question, choice) for choice in choices_of(question)}


class States:
    """What each of some states at the end of a move says; arrays of shape (states,).

    Parameters
    ----------
    question : Question
    numbers : int64 array, shape (states,)
    """

    def __init__(self, question: Question, numbers: NDArray[np.int64]) -> None:
        layout, way = layout_of(question), way_of(question)
        self.ended = ended(layout, numbers)
        self.most_friends = layout.friends - 1
        self.friends, self.pushed, self.six = self.ended.friends, self.ended.pushed, self.ended.six
        self.place, self.gone = self.ended.place, self.ended.gone
        kinds = np.array([int(met.kind) for met in way] or [0])[self.place]
        stopped = (self.place >= 0) & (question.move == "retreats")
        self.destroyed = stopped | self.gone
        self.terrain = self.ended.test & (kinds == Kind.IMPASSABLE) & ~self.destroyed
        self.enemy = self.ended.test & np.isin(kinds, (Kind.ENEMY, Kind.COMBAT)) & ~self.destroyed
        self.unyielding = self.ended.test & (kinds >= Kind.FRIEND) & ~self.destroyed
        self.confused = is_confused(question, self.ended)
        halts = np.array([met.halt for met in way] or [0.0])
        self.moved = np.where(self.place >= 0, halts[self.place], self.ended.moved)
        self.lost = self.ended.lost + self.confused


def tables(question: Question, recorded: dict[str, Recorded]) -> dict[str, Table]:
    """`choices`, `joint`, `friends`, `stops`, and over several turns `turns_lost`."""
    numbers, weights = on_common_states(recorded)
    states = States(question, numbers)
    found = {
        "choices": _choices(question, states, weights),
        "joint": _joint(question, states, weights),
        "friends": _friends(question, states, weights),
        "stops": _stops(question, states, weights),
    }
    return found | ({"turns_lost": _turns_lost(question, states, weights)} if question.turns > 1 else {})


def _by_choice(question: Question, weights: dict[str, Weights]) -> Iterator[tuple[dict[str, Any], Any]]:
    """The keys and the law of each choice and turn."""
    for choice in CHOICES:
        for turn, law in enumerate(weights.get(choice, ()), start=1):
            keys: dict[str, Any] = {"friends_make_way": MAKE_WAY[choice]} if len(weights) > 1 else {}
            yield keys | ({"turn": turn} if question.turns > 1 else {} if keys else {"move": question.move}), law


def _columns(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    return {name: [row[name] for row in rows] for name in rows[0]}


def _choices(question: Question, states: States, weights: dict[str, Weights]) -> Table:
    """P(confused) and by what, and how many units, by choice."""
    keys, laws = zip(*_by_choice(question, weights))
    law = np.array(laws)
    chances = {"p_confused": states.confused}
    if question.dice:
        chances["p_six_on_drive_back_dice"] = states.six
    kinds = {met.kind for met in way_of(question)}
    if Kind.IMPASSABLE in kinds and question.move != "retreats":
        chances["p_by_terrain"] = states.terrain
    if kinds & {Kind.ENEMY, Kind.COMBAT} and question.move != "retreats":
        chances["p_by_enemy_or_combat"] = states.enemy
    if Kind.FRIEND in kinds and question.move != "evades":
        chances["p_by_friends_that_made_way"] = states.pushed & ~states.destroyed
    if kinds & {Kind.FRIEND, Kind.UNYIELDING} and question.move not in ("evades", "retreats"):
        chances["p_by_friends_that_did_not"] = states.unyielding
    if question.move == "retreats":
        chances["p_all_stands_destroyed"] = states.destroyed
    means = {
        "mean_friends_confused": Mean.of(law, states.friends),
        "mean_units_confused": Mean.of(law, states.friends + states.confused),
        "mean_distance": Mean.of(law, states.moved),
    }
    if question.move == "retreats":
        means["mean_stands_destroyed"] = _stands_destroyed(question, states, weights)
    shares = {name: law @ np.asarray(each, law.dtype) for name, each in chances.items()}
    return Table(_columns(list(keys)), shares, means)


def _stands_destroyed(question: Question, states: States, weights: dict[str, Weights]) -> Mean:
    """The mean number of stands destroyed in this turn and those before it (WM-8)."""
    parts = [
        Mean.of(laws, stands_destroyed(question, cast("Choice", choice), states.ended))
        for choice, laws in weights.items()
    ]
    return Mean(*(np.concatenate(sums) for sums in zip(*(each[:2] for each in parts))))


def _grouped(law: Any, group: NDArray[np.int64], groups: int) -> Any:
    """The weight of each group of states."""
    return np.bincount(group, law, groups).astype(law.dtype)


def _joint(question: Question, states: States, weights: dict[str, Weights]) -> Table:
    """The joint law of the mover confused and the number of friends confused."""
    rows: list[dict[str, Any]] = []
    chances = []
    numbers = states.most_friends + 1
    for keys, law in _by_choice(question, weights):
        for confused in ("no", "yes"):
            rows += [keys | {"unit_confused": confused, "friends_confused": friends} for friends in range(numbers)]
        chances.append(_grouped(law, states.confused * numbers + states.friends, 2 * numbers))
    return Table(_columns(rows), {"probability": np.concatenate(chances)}, {})


def _friends(question: Question, states: States, weights: dict[str, Weights]) -> Table:
    """The law of the number of friends confused."""
    rows: list[dict[str, Any]] = []
    chances = []
    numbers = states.most_friends + 1
    for keys, law in _by_choice(question, weights):
        rows += [keys | {"friends_confused": friends} for friends in range(numbers)]
        chances.append(_grouped(law, states.friends, numbers))
    return Table(_columns(rows), {"probability": np.concatenate(chances)}, {})


def _stops(question: Question, states: States, weights: dict[str, Weights]) -> Table:
    """The law of where the unit stops; one that was destroyed before this turn stops nowhere (WM-8)."""
    rows, chances = [], []
    halts = [(met.halt, met.obstacle.kind) for met in way_of(question)]
    farthest = int(states.moved.max())
    spots = list(dict.fromkeys([*halts, *((float(distance), OPEN_GROUND) for distance in range(farthest + 1))]))
    order = sorted(range(len(spots)), key=lambda spot: (spots[spot][0], spots[spot][1] == OPEN_GROUND, spot))
    of_places, of_open = (
        np.array([spots.index(each) for each in where] or [0], np.int64)
        for where in (halts, [(float(distance), OPEN_GROUND) for distance in range(farthest + 1)])
    )
    spot_of_states = np.where(states.place >= 0, of_places[states.place], of_open[states.ended.moved])
    spot_of_states = np.where(states.gone, len(spots), spot_of_states)
    for keys, law in _by_choice(question, weights):
        found = _grouped(law, spot_of_states, len(spots) + 1)
        for spot in order:
            if found[spot]:
                rows.append(keys | dict(zip(("distance", "at"), spots[spot])))
                chances.append(found[spot])
    return Table(_columns(rows), {"probability": np.array(chances)}, {})


def _turns_lost(question: Question, states: States, weights: dict[str, Weights]) -> Table:
    """The law of the turns lost to confusion, of all turns."""
    rows: list[dict[str, Any]] = []
    chances = []
    for choice, laws in weights.items():
        said = MAKE_WAY[cast("Choice", choice)]
        keys = {"friends_make_way": said} if len(weights) > 1 else {"move": question.move}
        rows += [{**keys, "turns_lost": lost} for lost in range(question.turns + 1)]
        chances.append(_grouped(laws[-1], states.lost, question.turns + 1))
    return Table(_columns(rows), {"probability": np.concatenate(chances)}, {})


def panels(question: Question) -> tuple[Panel, ...]:
    """Where the unit stops, and how many friends are confused, by choice."""
    found: list[Panel] = []
    choices = choices_of(question)
    halted = {"at": tuple(kind.name.lower() for kind in Kind)}
    for choice in choices:
        said = f", make way: {MAKE_WAY[choice]}" if len(choices) > 1 else ""
        where: dict[str, Any] = {"turn": 1} if question.turns > 1 else {}
        where |= {"friends_make_way": MAKE_WAY[choice]} if len(choices) > 1 else {}
        found.append(Bars("stops", f"Moved, hatched: stopped{said}", "distance", lost=halted, where=where))
        if any(met.kind == Kind.FRIEND for met in way_of(question)) and choice != "never":
            found.append(Bars("friends", f"Friends confused{said}", "friends_confused", where=where))
    return tuple(found)


def applied(question: Question) -> tuple[str, ...]:
    """The rules that the numbers come from: those of what can happen on the way."""
    found = {pair for choice in choices_of(question) for pair in _meetings(question, choice)}
    kinds, what = {kind for kind, _ in found}, {each for _, each in found}
    gap_kept = {(kind, Meeting.HALTS_CONFUSED) for kind in (Kind.ENEMY, Kind.COMBAT)}
    confusing = {Meeting.HALTS_CONFUSED, Meeting.HALTS_AND_TESTS, Meeting.MAKES_WAY}
    later = ", and are there no more in later turns" if question.turns > 1 else ""
    refused = {(kind, Meeting.HALTS_CONFUSED) for kind in (Kind.FRIEND, Kind.UNYIELDING)}
    rules = {
        "WM-1 driven back by its dice, confused if any shows 6": question.dice,
        "WM-2 halts at the edge of impassable terrain, confused on a 6": Meeting.HALTS_AND_TESTS in what,
        f"WM-3 halts {question.ruleset.gap:g} cm from enemies and units in combat, confused": found & gap_kept,
        "WM-4 friends make way: the mover, and each of them, is confused on a 6 for each test": (
            Meeting.MAKES_WAY in what
        ),
        "WM-4 halts at friends that do not make way, confused": found & refused,
        "WM-5 friends that are constricted or otherwise unable to move cannot make way": Kind.UNYIELDING in kinds,
        "WM-6 friends burst through by evaders are confused, no roll, for this Command phase only": (
            Meeting.BURST_THROUGH in what
        ),
        "WM-7 every test of the move is rolled": what & {Meeting.MAKES_WAY, Meeting.HALTS_AND_TESTS},
        f"WM-8 stands that retreat into what does not yield are destroyed{later}": Meeting.DESTROYS_STANDS in what,
        "WM-9 confused until the end of its next Command phase: a turn lost": (
            question.turns > 1 and (question.dice is not None or bool(what & confusing))
        ),
    }
    return tuple(rule for rule, so in rules.items() if so)


def _farthest(question: Question) -> int:
    """The longest move, in centimetres."""
    return 6 * question.dice if question.dice else len(question.law_of_distance) - 1


def _meetings(question: Question, choice: Choice) -> Iterator[tuple[Kind, Meeting]]:
    """What moves can meet, and what comes of it; what stands behind something that halts the unit is not met."""
    way, found = way_of(question), meetings(question, choice)
    law = question.law_of_distance
    moves = [distance for distance, chance in enumerate(law) if chance] if law else range(_farthest(question) + 1)
    for number in sorted({sum(met.reached_from <= distance for met in way) for distance in moves}):
        for place, met in enumerate(way[:number]):
            here = {Meeting(each) for each in found[place, number].tolist()}
            yield from ((met.kind, each) for each in here)
            if here <= {Meeting.HALTS_CONFUSED, Meeting.HALTS_AND_TESTS}:
                break


def not_modelled(question: Question) -> tuple[str, ...]:
    """The rules that no number comes from."""
    costs = "no initiative, no orders, -1 Attack modifier in combat, infantry cannot support"
    if question.move == "evades":
        return ("WM-6 what it costs the friends: they cannot move further in this Command phase",)
    found = [
        f"WM-9 what confusion costs: {costs}; a confused unit can move in other phases, and must where rules say so"
    ]
    if any(met.kind == Kind.FRIEND for met in way_of(question)):
        found += [
            "WM-4 making way: stands that move aside or back by up to the move of their formation, a new formation, "
            "infantry lined up in support; whom a friend would push is told by its chain",
        ]
    if question.move == "falls_back":
        found.append("falling back around an obstacle: list what it cannot avoid")
    if question.move == "retreats":
        found.append("WM-8 which stands are blocked: `stands` of an obstacle says how many")
    return tuple(found)


def warnings(question: Question) -> tuple[str, ...]:
    """What has no effect, and what was taken for granted."""
    farthest = _farthest(question)
    found = [
        f"obstacles: no move reaches {met.obstacle.kind} at {met.obstacle.distance:g} cm: {farthest} at most"
        for met in way_of(question)
        if met.reached_from > farthest
    ]
    if question.move == "evades":
        found += [
            f"obstacles: {key} has no effect: evaders burst through friends, who do not make way (WM-6)"
            for key in ("chain", "make_way")
            if any(getattr(each, key) not in ((), None) for each in question.obstacles)
        ]
    if question.move == "retreats" and len(choices_of(question)) > 1:
        found.append("fewest confused: in a retreat friends make way, as a stand destroyed weighs more than confusion")
    if any(each.kind == "unyielding" and each.chain for each in question.obstacles):
        found.append("obstacles: chain has no effect behind an unyielding friend: it pushes nobody (WM-5)")
    if question.turns > 1:
        stands = "; stands that are destroyed stay so" if question.move == "retreats" else ""
        found.append(f"each turn's move starts from the same place, with the same obstacles{stands}")
    return tuple(found)
