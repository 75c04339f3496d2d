"""Answers about Warmaster: confusion by the player's choice, joint distributions, and stopping positions."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any, get_args

import numpy as np

from analyser.engine.chain.chain import Chain, Recorded
from analyser.morale.answer_parts import Keys, Panel, Sums, Table, Tables, rules_used, stack
from analyser.morale.games.warmaster.question import FOES, FRIENDS, Kind, Question
from analyser.morale.games.warmaster.rules import Choice, Meeting, Mover, MoveState, choices_of, mover_of
from analyser.results.base import RulesUsed

OPEN_GROUND = "open ground"
CASES = "Friends make way"  # heading above the names of the chains
MAIN_EVENTS = ("confused",)
_FEWEST = "if friends make way where this confuses fewer units"
KEY_WORDS = {"friends_make_way": lambda choice: _FEWEST if "fewest" in choice else f"if friends {choice} make way"}
_HALTED = {"at": get_args(Kind)}
PANELS = (Panel("bars", "stops", "Moved (hatched: stopped)", "distance", by="friends_make_way", lost=_HALTED),)


def chains(question: Question) -> dict[str, Chain]:
    """Return the chain for each choice: friends make way always, never, or if this confuses the fewest units."""
    return {choice: mover_of(question, choice).chain() for choice in choices_of(question)}


def answer(question: Question, recorded: Mapping[str, Recorded]) -> Tables:
    """Return the tables `choices`, `joint`, `friends` and `stops`."""
    by_choice = {choice: _tables_of(question, choice, recorded[choice]) for choice in choices_of(question)}
    first = next(iter(by_choice.values()))
    if len(by_choice) == 1:
        return first
    return {
        name: stack("friends_make_way", {choice: tables[name] for choice, tables in by_choice.items()})
        for name in first
    }


def _tables_of(question: Question, choice: Choice, recorded: Recorded) -> Tables:
    mover = mover_of(question, choice)
    fields = mover.read(recorded.states)
    confused, friends = mover.is_confused(fields), range(mover.n_friend_counts)
    first: Keys = {"move": [question.move]} if len(choices_of(question)) == 1 else {}
    both = dict(zip(("unit_confused", "friends_confused"), zip(*product(("no", "yes"), friends))))
    stops, stop = _stopping_positions(mover, fields)
    at_stops = recorded.grouped(stop, len(stops))
    return {
        "choices": _choices(mover, fields, recorded.weights, first),
        "joint": Table.distribution(
            first, both, recorded.grouped(confused * len(friends) + fields.friends, 2 * len(friends))
        ),
        "friends": Table.distribution(
            first, {"friends_confused": friends}, recorded.grouped(fields.friends, len(friends))
        ),
        "stops": Table.distribution(first, dict(zip(("distance", "at"), zip(*stops))), at_stops, at_stops > 0),
    }


def _choices(mover: Mover, fields: MoveState, weights: Any, first: Keys) -> Table:
    """Return the probabilities of confusion (in total and by cause) and of destruction, and means."""
    move, confused, kinds = mover.question.move, mover.is_confused(fields), {entry.kind for entry in mover.way}
    kind = np.array([*(entry.kind for entry in mover.way), "none"])[fields.halted_at]
    destroyed = (fields.halted_at >= 0) & mover.retreats
    tested = fields.test & ~destroyed
    refused = kinds & {*FRIENDS} and move not in ("evades", "retreats")
    events = {
        "p_confused": (True, confused),
        "p_six_on_drive_back_dice": (mover.question.dice, fields.six),
        "p_by_terrain": ("impassable" in kinds and not mover.retreats, tested & (kind == "impassable")),
        "p_by_enemy_or_combat": (kinds & {*FOES} and not mover.retreats, tested & np.isin(kind, FOES)),
        "p_by_friends_that_made_way": ("friend" in kinds and move != "evades", fields.pushed & ~destroyed),
        "p_by_friends_that_did_not": (refused, tested & np.isin(kind, FRIENDS)),
        "p_all_stands_destroyed": (mover.retreats, destroyed),
    }
    halts = np.array([entry.halt for entry in mover.way] or [0.0])
    means = {
        "mean_friends_confused": Sums.of(weights, fields.friends),
        "mean_units_confused": Sums.of(weights, fields.friends + confused),
        "mean_distance": Sums.of(weights, np.where(fields.halted_at >= 0, halts[fields.halted_at], fields.moved)),
    }
    means |= {"mean_stands_destroyed": Sums.of(weights, mover.stands_destroyed(fields))} if mover.retreats else {}
    return Table(first, {name: weights @ event for name, (is_possible, event) in events.items() if is_possible}, means)


def _stopping_positions(mover: Mover, fields: MoveState) -> tuple[list[tuple[float, str]], Any]:
    """Return the sorted stops (distance and obstacle), and the index of each state's stop."""
    halts = [(entry.halt, entry.kind) for entry in mover.way]
    ground = [(float(distance), OPEN_GROUND) for distance in range(int(fields.moved.max()) + 1)]
    stops = sorted(dict.fromkeys([*halts, *ground]), key=lambda stop: (stop[0], stop[1] == OPEN_GROUND))
    of_obstacles, of_ground = (np.array([stops.index(stop) for stop in group] or [0]) for group in (halts, ground))
    return stops, np.where(fields.halted_at >= 0, of_obstacles[fields.halted_at], of_ground[fields.moved])


def rules(question: Question) -> RulesUsed:
    """Return the rules used, the rules not modelled, and warnings."""
    movers = [mover_of(question, choice) for choice in choices_of(question)]
    pairs, way, move = {pair for mover in movers for pair in mover.possible_meetings()}, movers[0].way, question.move
    kinds, results = {kind for kind, _ in pairs}, {result for _, result in pairs}
    gap_kept = {(kind, Meeting.HALTS_CONFUSED) for kind in FOES}
    refused = {(kind, Meeting.HALTS_CONFUSED) for kind in FRIENDS}
    bursts, pushes = Meeting.BURST_THROUGH in results, Meeting.MAKES_WAY in results
    applied = {
        "WM-1 driven back by its dice, confused if any shows 6": question.dice,
        "WM-2 halts at the edge of impassable terrain, confused on a 6": Meeting.HALTS_AND_TESTS in results,
        f"WM-3 halts {question.ruleset.gap:g} cm from enemies and units in combat, confused": pairs & gap_kept,
        "WM-4 friends make way: the mover or a friend is confused if one of its tests shows a 6": pushes,
        "WM-4 halts at friends that do not make way, confused": pairs & refused,
        "WM-5 friends that are constricted or otherwise unable to move cannot make way": "unyielding" in kinds,
        "WM-6 friends that evaders burst through are confused without a roll, for this Command phase": bursts,
        "WM-7 every test of the move is rolled": results & {Meeting.MAKES_WAY, Meeting.HALTS_AND_TESTS},
        "WM-8 stands that retreat into an unyielding obstacle are destroyed": Meeting.DESTROYS_STANDS in results,
    }
    costs = "no initiative, no orders, -1 Attack modifier in combat, infantry cannot support"
    stays = "a confused unit can move in other phases, and must where rules say so"
    evades, friends = move == "evades", any(entry.kind == "friend" for entry in way)
    not_modelled = {
        "WM-6 effects on friends: they cannot move further in this Command phase": evades,
        f"WM-9 costs of confusion: {costs}; {stays}": not evades,
        "WM-4 making way: stands that move aside or back by up to the move of their formation, a new formation, "
        "infantry lined up in support; state friends that would be pushed as `chain`": friends and not evades,
        "falling back around an obstacle: list only unavoidable obstacles": move == "falls_back",
        "WM-8 which stands an obstacle blocks: its key `stands` states only how many": move == "retreats",
    }
    fewest = "fewest confused: in a retreat friends make way, because a destroyed stand counts more than confusion"
    warnings = {fewest: move == "retreats" and len(movers) > 1}
    return rules_used(applied, not_modelled, warnings)
