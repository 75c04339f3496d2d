"""The tables that answer a question about Warmaster: by choice, jointly, and where the unit stops."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from analyser.engine.chain.chain import Chain, Recorded, States, on_common_states
from analyser.morale.games.warmaster.chain import chain_of, is_confused, layout_of, parts_of, stands_destroyed
from analyser.morale.games.warmaster.path import CHOICES, Choice, choices_of, meetings, way_of
from analyser.morale.games.warmaster.question import Question
from analyser.morale.games.warmaster.rules import Kind, Meeting
from analyser.morale.panels import Bars, Panel
from analyser.morale.tables import Keys, Mean, Table, Weights

OPEN_GROUND = "open ground"
MAKE_WAY: dict[Choice, str] = {"always": "always", "never": "never", "fewest": "fewest confused"}
ByChoice = Mapping[str, Weights]


def chains(question: Question) -> dict[str, Chain]:
    """One chain a choice of the player: friends make way always, never, or where that confuses the fewest units."""
    return {choice: chain_of(question, choice) for choice in choices_of(question)}


class Ends:
    """What each of some states at the end of a move says; arrays of shape (states,)."""

    def __init__(self, question: Question, states: States) -> None:
        layout, way = layout_of(question), way_of(question)
        self.parts = parts_of(layout, states)
        self.most_friends = layout.friends - 1
        test, place = self.parts.test, self.parts.place
        kinds = np.array([int(met.kind) for met in way] or [0])[place]
        self.destroyed = ((place >= 0) & (question.move == "retreats")) | self.parts.gone
        self.terrain = test & (kinds == Kind.IMPASSABLE) & ~self.destroyed
        self.enemy = test & np.isin(kinds, (Kind.ENEMY, Kind.COMBAT)) & ~self.destroyed
        self.unyielding = test & (kinds >= Kind.FRIEND) & ~self.destroyed
        self.confused = is_confused(question, self.parts)
        halts = np.array([met.halt for met in way] or [0.0])
        self.moved = np.where(place >= 0, halts[place], self.parts.moved)
        self.lost = self.parts.lost + self.confused


def tables(question: Question, recorded: dict[str, Recorded]) -> dict[str, Table]:
    """`choices`, `joint`, `friends`, `stops`, and over several turns `turns_lost`."""
    states, weights = on_common_states(recorded)
    ends = Ends(question, states)
    friends = range(ends.most_friends + 1)
    together = [(confused, number) for confused in ("no", "yes") for number in friends]
    joint = ends.confused * len(friends) + ends.parts.friends
    answer = {
        "choices": _choices(question, ends, weights),
        "joint": _distribution(question, weights, joint, ("unit_confused", "friends_confused"), together),
        "friends": _distribution(
            question, weights, ends.parts.friends, ("friends_confused",), [(number,) for number in friends]
        ),
        "stops": _stops(question, ends, weights),
    }
    if question.turns > 1:
        numbers = [(lost,) for lost in range(question.turns + 1)]
        answer["turns_lost"] = _distribution(question, weights, ends.lost, ("turns_lost",), numbers, last=True)
    return answer


def _by_choice(question: Question, weights: ByChoice, last: bool = False) -> Iterator[tuple[dict[str, Any], Weights]]:
    """The keys and the distribution of each choice and turn, or of the last turn alone."""
    for choice in CHOICES:
        of_turns = list(enumerate(weights.get(choice, ()), start=1))
        for turn, of_states in of_turns[-1:] if last else of_turns:
            keys: dict[str, Any] = {"friends_make_way": MAKE_WAY[choice]} if len(weights) > 1 else {}
            several = question.turns > 1 and not last
            yield keys | ({"turn": turn} if several else {} if keys else {"move": question.move}), of_states


def _distribution(
    question: Question,
    weights: ByChoice,
    groups: NDArray[Any],
    names: Sequence[str],
    values: Sequence[tuple[Any, ...]],
    last: bool = False,
    possible: bool = False,
) -> Table:
    """The distribution of what `groups` says of each state: a number of one of `values`; perhaps the possible alone."""
    keys: dict[str, Any] = {}
    rows = []
    for keys, of_states in _by_choice(question, weights, last):
        of_groups = np.bincount(groups, of_states, len(values)).astype(of_states.dtype)
        rows += [(*keys.values(), *v, weight) for v, weight in zip(values, of_groups) if weight or not possible]
    return Table.of_rows((*keys, *names), rows)


def _choices(question: Question, ends: Ends, weights: ByChoice) -> Table:
    """P(confused) and by what, and how many units, by choice."""
    keys: Keys = {}
    for each, _ in _by_choice(question, weights):
        for name, value in each.items():
            keys.setdefault(name, []).append(value)
    of_states = np.array([each for _, each in _by_choice(question, weights)])
    move, kinds = question.move, {met.kind for met in way_of(question)}
    events = {
        "p_confused": (True, ends.confused),
        "p_six_on_drive_back_dice": (question.dice, ends.parts.six),
        "p_by_terrain": (Kind.IMPASSABLE in kinds and move != "retreats", ends.terrain),
        "p_by_enemy_or_combat": (kinds & {Kind.ENEMY, Kind.COMBAT} and move != "retreats", ends.enemy),
        "p_by_friends_that_made_way": (Kind.FRIEND in kinds and move != "evades", ends.parts.pushed & ~ends.destroyed),
        "p_by_friends_that_did_not": (
            kinds & {Kind.FRIEND, Kind.UNYIELDING} and move not in ("evades", "retreats"),
            ends.unyielding,
        ),
        "p_all_stands_destroyed": (move == "retreats", ends.destroyed),
    }
    shares = {name: of_states @ event.astype(of_states.dtype) for name, (asked, event) in events.items() if asked}
    means = {
        "mean_friends_confused": Mean.of(of_states, ends.parts.friends),
        "mean_units_confused": Mean.of(of_states, ends.parts.friends + ends.confused),
        "mean_distance": Mean.of(of_states, ends.moved),
    }
    if move == "retreats":
        of_choices = [
            Mean.of(each, stands_destroyed(question, cast("Choice", choice), ends.parts))
            for choice, each in weights.items()
        ]
        means["mean_stands_destroyed"] = Mean(
            *(np.concatenate(sums) for sums in zip(*(each[:2] for each in of_choices)))
        )
    return Table(keys, shares, means)


def _stops(question: Question, ends: Ends, weights: ByChoice) -> Table:
    """Where the unit stops; one that was destroyed before this turn stops nowhere (WM-8)."""
    halts = [(met.halt, met.obstacle.kind) for met in way_of(question)]
    ground = [(float(distance), OPEN_GROUND) for distance in range(int(ends.moved.max()) + 1)]
    spots = sorted(dict.fromkeys([*halts, *ground]), key=lambda spot: (spot[0], spot[1] == OPEN_GROUND))
    of_places, of_ground = (np.array([spots.index(each) for each in where] or [0]) for where in (halts, ground))
    spot_of_states = np.where(ends.parts.place >= 0, of_places[ends.parts.place], of_ground[ends.parts.moved])
    spot_of_states = np.where(ends.parts.gone, len(spots), spot_of_states)
    seen = {choice: each[:, spot_of_states < len(spots)] for choice, each in weights.items()}
    spot_of_states = spot_of_states[spot_of_states < len(spots)]
    return _distribution(question, seen, spot_of_states, ("distance", "at"), spots, possible=True)


def panels(question: Question) -> Iterator[Panel]:
    """Where the unit stops, and how many friends are confused, by choice."""
    choices = choices_of(question)
    halted = {"at": tuple(kind.name.lower() for kind in Kind)}
    for choice in choices:
        of_choice = f", make way: {MAKE_WAY[choice]}" if len(choices) > 1 else ""
        where: dict[str, Any] = {"turn": 1} if question.turns > 1 else {}
        where |= {"friends_make_way": MAKE_WAY[choice]} if len(choices) > 1 else {}
        yield Bars("stops", f"Moved, hatched: stopped{of_choice}", "distance", lost=halted, where=where)
        if any(met.kind == Kind.FRIEND for met in way_of(question)) and choice != "never":
            yield Bars("friends", f"Friends confused{of_choice}", "friends_confused", where=where)


def applied(question: Question) -> list[str]:
    """The rules that the numbers come from: those of what can happen on the way."""
    met = {pair for choice in choices_of(question) for pair in _meetings(question, choice)}
    kinds, what = {kind for kind, _ in met}, {each for _, each in met}
    gap_kept = {(kind, Meeting.HALTS_CONFUSED) for kind in (Kind.ENEMY, Kind.COMBAT)}
    confusing = {Meeting.HALTS_CONFUSED, Meeting.HALTS_AND_TESTS, Meeting.MAKES_WAY}
    later = ", and are there no more in later turns" if question.turns > 1 else ""
    refused = {(kind, Meeting.HALTS_CONFUSED) for kind in (Kind.FRIEND, Kind.UNYIELDING)}
    rules = {
        "WM-1 driven back by its dice, confused if any shows 6": question.dice,
        "WM-2 halts at the edge of impassable terrain, confused on a 6": Meeting.HALTS_AND_TESTS in what,
        f"WM-3 halts {question.ruleset.gap:g} cm from enemies and units in combat, confused": met & gap_kept,
        "WM-4 friends make way: the mover, and each of them, is confused on a 6 for each test": (
            Meeting.MAKES_WAY in what
        ),
        "WM-4 halts at friends that do not make way, confused": met & refused,
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
    return [rule for rule, holds in rules.items() if holds]


def _farthest(question: Question) -> int:
    """The longest move, in centimetres."""
    return 6 * question.dice if question.dice else len(question.distance_pmf) - 1


def _meetings(question: Question, choice: Choice) -> Iterator[tuple[Kind, Meeting]]:
    """What moves can meet, and what comes of it; what stands behind something that halts the unit is not met."""
    way, of_meetings, pmf = way_of(question), meetings(question, choice), question.distance_pmf
    moves = [distance for distance in range(_farthest(question) + 1) if not pmf or pmf[distance]]
    for number in sorted({sum(met.reached_from <= distance for met in way) for distance in moves}):
        for place, met in enumerate(way[:number]):
            here = {Meeting(each) for each in of_meetings[place, number].tolist()}
            yield from ((met.kind, each) for each in here)
            if here <= {Meeting.HALTS_CONFUSED, Meeting.HALTS_AND_TESTS}:
                break


def not_modelled(question: Question) -> Iterator[str]:
    """The rules that no number comes from."""
    costs = "no initiative, no orders, -1 Attack modifier in combat, infantry cannot support"
    if question.move == "evades":
        yield "WM-6 what it costs the friends: they cannot move further in this Command phase"
        return
    yield f"WM-9 what confusion costs: {costs}; a confused unit can move in other phases, and must where rules say so"
    if any(met.kind == Kind.FRIEND for met in way_of(question)):
        yield (
            "WM-4 making way: stands that move aside or back by up to the move of their formation, a new formation, "
            "infantry lined up in support; whom a friend would push is told by its chain"
        )
    if question.move == "falls_back":
        yield "falling back around an obstacle: list what it cannot avoid"
    if question.move == "retreats":
        yield "WM-8 which stands are blocked: `stands` of an obstacle says how many"


def warnings(question: Question) -> Iterator[str]:
    """What has no effect, and what was taken for granted."""
    farthest = _farthest(question)
    for met in way_of(question):
        if met.reached_from > farthest:
            yield f"obstacles: no move reaches {met.obstacle.kind} at {met.obstacle.distance:g} cm: {farthest} at most"
    if question.move == "evades":
        for key in ("chain", "make_way"):
            if any(getattr(each, key) not in ((), None) for each in question.obstacles):
                yield f"obstacles: {key} has no effect: evaders burst through friends, who do not make way (WM-6)"
    if question.move == "retreats" and len(choices_of(question)) > 1:
        yield "fewest confused: in a retreat friends make way, as a stand destroyed weighs more than confusion"
    if any(each.kind == "unyielding" and each.chain for each in question.obstacles):
        yield "obstacles: chain has no effect behind an unyielding friend: it pushes nobody (WM-5)"
    if question.turns > 1:
        stands = "; stands that are destroyed stay so" if question.move == "retreats" else ""
        yield f"each turn's move starts from the same place, with the same obstacles{stands}"
