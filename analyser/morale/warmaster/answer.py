"""The tables that answer a question about Warmaster: by choice, jointly, and where the unit stops."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from analyser.engine.chains import Chain, Recorded, together
from analyser.morale.panels import Chances, Panel
from analyser.morale.result import Mean, Table, Weights
from analyser.morale.warmaster.chain import Layout, chain_of, is_confused, layout_of, turns_lost
from analyser.morale.warmaster.path import CHOICES, Choice, choices_of, meetings, way_of
from analyser.morale.warmaster.question import Question
from analyser.morale.weighing import Roll, weighed
from analyser.rules.warmaster import Kind, Meeting

OPEN_GROUND = "open ground"
MAKE_WAY: dict[Choice, str] = {"always": "always", "never": "never", "fewest": "fewest confused"}


def chains(question: Question) -> dict[str, Chain]:
    """One chain a choice of the player: friends make way always, never, or where that confuses the fewest units."""
    return {choice: chain_of(question, choice) for choice in choices_of(question)}


def weights(question: Question, roll: Roll | None) -> dict[str, Recorded]:
    """The recorded laws, or of a roll the counts, of each chain."""
    return weighed(chains(question), roll)


class States:
    """What each of some states at the end of a move says; arrays of shape (states,).

    Parameters
    ----------
    question : Question
    numbers : int64 array, shape (states,)
    """

    def __init__(self, question: Question, numbers: NDArray[np.int64]) -> None:
        layout, way = layout_of(question), way_of(question)
        self.most_friends = layout.friends - 1
        halted = numbers >= layout.moving
        flags = np.where(halted, numbers - layout.moving, numbers) // layout.friends
        self.friends: NDArray[np.int64] = numbers % layout.friends
        self.pushed, self.six = flags % 2 == 1, flags // 2 % 2 == 1
        self.test = halted & (flags // 4 % 2 == 1)
        place = np.where(halted, flags // 8 % max(layout.obstacles, 1), -1)
        kinds = np.array([int(met.kind) for met in way] or [0])[place]
        self.destroyed = halted & (question.move == "retreats")
        self.terrain = self.test & (kinds == Kind.IMPASSABLE) & ~self.destroyed
        self.enemy = self.test & np.isin(kinds, (Kind.ENEMY, Kind.COMBAT)) & ~self.destroyed
        self.unyielding = self.test & (kinds >= Kind.FRIEND) & ~self.destroyed
        self.confused = is_confused(layout, numbers) & ~self.destroyed
        self.moved = _moved(question, layout, numbers, place)
        self.place = place
        self.lost = turns_lost(layout, numbers) + self.confused


def _moved(question: Question, layout: Layout, numbers: NDArray[np.int64], place: NDArray[np.int64]) -> Any:
    """Centimetres moved, in each state."""
    halts = np.array([met.halt for met in way_of(question)] or [0.0])
    return np.where(place >= 0, halts[place], numbers // (4 * layout.friends) % layout.distances)


def tables(question: Question, recorded: dict[str, Recorded]) -> dict[str, Table]:
    """`choices`, `joint`, `friends`, `stops`, and over several turns `turns_lost`."""
    numbers, weights = together(recorded)
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
    """The mean number of stands lost: a retreating unit loses those that each obstacle on its way blocks (WM-8)."""
    way, whole = way_of(question), question.stands or question.ruleset.stands
    reached = np.searchsorted([met.reached_from for met in way], states.moved, side="right")
    parts = []
    for choice, laws in weights.items():
        destroys = meetings(question, cast("Choice", choice))[:, -1, 0] == Meeting.DESTROYS_STANDS
        blocked = np.concatenate([[0], np.cumsum([met.stands * hit for met, hit in zip(way, destroys)])])
        lost = np.where(states.destroyed, whole, np.minimum(blocked[reached], whole))
        parts.append(Mean.of(laws, lost))
    return Mean(*(np.concatenate(sums) for sums in zip(*parts)))


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
    """The law of where the unit stops."""
    rows, chances = [], []
    halts = [(met.halt, met.obstacle.kind) for met in way_of(question)]
    farthest = int(states.moved.max())
    spots = [*halts, *((float(distance), OPEN_GROUND) for distance in range(farthest + 1))]
    order = sorted(range(len(spots)), key=lambda spot: (spots[spot][0], spot < len(halts), spot))
    spot_of_states = np.where(states.place >= 0, states.place, len(halts) + states.moved).astype(np.int64)
    for keys, law in _by_choice(question, weights):
        found = _grouped(law, spot_of_states, len(spots))
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
        rows += [{"friends_make_way": said, "turns_lost": lost} for lost in range(question.turns + 1)]
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
        found.append(Chances("stops", f"Moved, hatched: stopped{said}", "distance", lost=halted, where=where))
        if any(met.kind == Kind.FRIEND for met in way_of(question)) and choice != "never":
            found.append(Chances("friends", f"Friends confused{said}", "friends_confused", where=where))
    return tuple(found)


def applied(question: Question) -> tuple[str, ...]:
    """The rules that the numbers come from, and what confusion means."""
    kinds, move = {met.kind for met in way_of(question)}, question.move
    if move == "evades":
        return ("WM-6 friends burst through by evaders are confused, no roll, for this Command phase only",)
    rules = ["WM-1 driven back by its dice, confused if any shows 6"] if question.dice else []
    if move == "retreats":
        rules.append("WM-8 stands that retreat into what does not yield are destroyed")
    else:
        if Kind.IMPASSABLE in kinds:
            rules.append("WM-2 halts at the edge of impassable terrain, confused on a 6")
        if kinds & {Kind.ENEMY, Kind.COMBAT}:
            rules.append(f"WM-3 halts {question.ruleset.gap:g} cm from enemies and units in combat, confused")
        if kinds & {Kind.FRIEND, Kind.UNYIELDING}:
            rules.append("WM-4 halts at friends that do not make way, confused")
    if Kind.FRIEND in kinds:
        rules.append("WM-4 friends make way: the mover, and each of them, is confused on a 6 for each test")
    if Kind.UNYIELDING in kinds:
        rules.append("WM-5 engaged or constricted friends cannot make way")
    confused = "no initiative, no orders, -1 Attack modifier in combat, infantry cannot support"
    rules += ["WM-7 every test of the move is rolled", f"WM-9 until the end of its next Command phase: {confused}"]
    return tuple(rules)


def not_modelled(question: Question) -> tuple[str, ...]:
    """The rules that no number comes from."""
    found = ["the geometry of making way: which stands move, and where; what friends meet is told by their chain"]
    if question.move == "retreats":
        found.append("WM-8 which stands are blocked: `stands` of an obstacle says how many")
    return tuple(found)


def warnings(question: Question) -> tuple[str, ...]:
    """What has no effect, and what was taken for granted."""
    farthest = 6 * question.dice if question.dice else len(question.law_of_distance) - 1
    found = [
        f"obstacles: no move reaches {met.obstacle.kind} at {met.obstacle.distance:g} cm: {farthest} at most"
        for met in way_of(question)
        if met.reached_from > farthest
    ]
    if question.turns > 1:
        found.append("each turn's move starts from the same place, with the same obstacles")
    return tuple(found)
