"""Table of the plan of best play: for each situation the best choice, and the cost of the second best."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.text import counted, spaced
from analyser.engine.fight.best.choice_program import (
    ATTACK,
    COUNT,
    FIRST,
    GUARD,
    ORDERS,
    OVERRUN,
    REACTION,
    RETALIATION,
    TEST,
)
from analyser.engine.fight.program import When
from analyser.results.duel_solution import DUEL_SIDES, ChoicePoint, SolvedDuel
from analyser.results.states import damage, flag, models_left
from analyser.rules import unit_state
from analyser.rules.activation import STOP_IS_DISTANCE
from analyser.rules.policies import Action, Manoeuvre
from analyser.rules.structs import INCH, NONE
from analyser.scenarios.chooser import Chooser, CloseAttack, Option, Shot
from analyser.scenarios.fight_records import to_length
from analyser.scenarios.schema import Combatant

STATUSES = ("suppressed", "disordered", "on_lookout", "taking_cover", "reloading")
_MOVES = {
    Manoeuvre.STAY: "",
    Manoeuvre.AIM: "aim",
    Manoeuvre.ADVANCE: "advance",
    Manoeuvre.DOUBLE_TIME: "double time",
    Manoeuvre.CHARGE: "charge",
    Manoeuvre.EXIT: "leave the building",
    Manoeuvre.EXIT_BACK: "leave the building to the rear",
    Manoeuvre.RETIRE: "retire",
    Manoeuvre.RETIRE_AT_DOUBLE_TIME: "retire at double time",
}
_TOWARD = {Manoeuvre.ADVANCE: "close in"}  # verb for an advance that stops at a distance from the enemy
_ACTIONS = {
    Action.NOTHING: "",
    Action.SHOOT: "shoot",
    Action.GO_ON_LOOKOUT: "go on lookout",
    Action.TAKE_COVER: "take cover",
    Action.RE_ARM: "re-arm",
}
# Values of `when` in the rows of choices other than orders.
_WHEN = {REACTION: "reaction", OVERRUN: "overrun", RETALIATION: "retaliation", ATTACK: "attack", TEST: "test"}
NO_ORDERS = tuple(_WHEN.values())
_OCCASIONS = {
    "first": "first in the round",
    "second": "second in the round",
    "overrun": "won a combat",
    "retaliation": "retaliation due",
    "attack": "attack due",
    "test": "suppression test due",
}
HOLD, HOLD_FIRE = "do nothing", "hold fire"
_ROUNDING = 1e-12  # smaller probabilities are rounding errors


def option_in_words(option: Option, chooser: Chooser) -> str:
    """Return an option of a unit in words; rows are named if the unit has several."""
    unaimed = option.manoeuvre == Manoeuvre.STAY and option.action == Action.SHOOT and option.shots[0].overcharge
    parts = ["stay" if unaimed else _MOVES[option.manoeuvre], _ACTIONS[option.action]]
    if option.stop > STOP_IS_DISTANCE:
        parts[0] = _TOWARD.get(option.manoeuvre, parts[0]) + _up_to(option, chooser)
    elif option.stop:
        parts[0] += f" {_inches(option.stop)}"
    text = " and ".join(filter(None, parts)) or HOLD
    if option.action == Action.SHOOT:
        text += _row_names(option.shots, len(chooser.rows) > 1)
    if option.charge is not None and not chooser.unit.overcharge:
        text += _row_names((option.charge,), len(chooser.charge_rows) > 1)
    return text


def _up_to(option: Option, chooser: Chooser) -> str:
    """Return the distance at which a move stops, by name if it is a range of the row in use."""
    distance = option.stop ^ STOP_IS_DISTANCE
    row = option.shots[0].row if option.shots else chooser.row_of_ranges(option.action, chooser.best_salvo)
    if row is not None and distance == to_length(row.short_range):
        return " to short range"
    return " to range" if row is not None and distance == to_length(row.long_range) else f" to {_inches(distance)}"


def _inches(length: int) -> str:
    return f"{length / INCH:g} {'inch' if length == INCH else 'inches'}"


def reaction_in_words(shot: Shot | None, chooser: Chooser) -> str:
    """Return in words how a unit on lookout reacts to an action of the enemy."""
    return HOLD_FIRE if shot is None else "opportunity fire" + _row_names((shot,), len(chooser.lookout_rows) > 1)


def _row_names(attacks: Sequence[Shot | CloseAttack], named: bool) -> str:
    rows = " and ".join(attack.row.id for attack in attacks)
    text = f" with {rows}{' overcharged' * attacks[0].overcharge}" if named else ""
    return text or (" with overcharge" if attacks[0].overcharge else "")


class _Columns(NamedTuple):
    """The state of one side: a number or flag for every node."""

    models: NDArray[np.int64]
    damage: NDArray[np.int64]
    statuses: dict[str, NDArray[np.bool_]]
    forward: NDArray[np.int64]  # hundredths of an inch in front of its starting position


class PlanTable:
    """Rows of the plan of best play, with values for the objective side; a node is a situation at a choice."""

    def __init__(self, duel: SolvedDuel) -> None:
        self.duel = duel
        self.points = [point for point in duel.choice_points if duel.choosers[point.side]]
        self._texts = {point.place: self._branch_texts(point) for point in self.points}

    def _branch_texts(self, point: ChoicePoint) -> list[str]:
        chooser, rules = self.duel.chooser_at(point.side), self.duel.game.rules
        if point.subject == ORDERS:
            return [option_in_words(option, chooser) for option in chooser.options]
        if point.subject == REACTION:
            return [reaction_in_words(shot, chooser) for shot in (None, *chooser.reaction_shots)]
        if point.subject == OVERRUN:
            return ["overrun", "do not overrun"]
        if point.subject == TEST:
            return ["take the test", "fail the test on purpose"]
        first, count = rules.places[point.place, [FIRST, COUNT]].tolist()
        strikes = rules.operations[rules.branches[first : first + count, GUARD], 2]  # number of each branch's strike
        retaliates = point.subject == RETALIATION
        choices, verb = (chooser.retaliations, "strike back") if retaliates else (chooser.charges, "strike")
        several_rows = len({choice.row.id for choice in choices}) > 1
        struck = [choices[index] for index in (strikes - strikes.min()).tolist()]
        return [verb + _row_names((strike,), several_rows) for strike in struck]

    def reached_rows(self) -> list[dict[str, Any]]:
        """Return a row for each choice that can occur, the likeliest of each round first."""
        result = []
        for number in range(self.duel.game.rounds):
            rows = []
            for point in self.points:
                nodes = self.duel.game.nodes_of(point.place)
                reached = nodes.start + np.flatnonzero(self.duel.weights[number, nodes] > _ROUNDING)
                rows += [self.row(point, number, node) for node in reached.tolist() if self._is_choice(node)]
            result += sorted(rows, key=lambda row: -row["probability"])
        return result

    def _is_choice(self, node: int) -> bool:
        begins = self.duel.game.edges.begins
        return bool(begins[node + 1] - begins[node] > 1)

    def row(self, point: ChoicePoint, number: int, node: int) -> dict[str, Any]:
        """Return the row of the plan for a node in round `number`, from 0."""
        duel, game = self.duel, self.duel.game
        begin, end = game.edges.begins[node : node + 2].tolist()
        after, now = duel.plan_and_values[1][number + 1], duel.plan_and_values[1][number]
        to = game.edges.to[begin:end]
        values = np.where(to < game.starts, after[to], now[to])
        taken = int(duel.plan[number, node])
        sign = 1 if point.side == duel.objective_side else -1
        texts = [self._texts[point.place][branch] for branch in game.branches_at(node).tolist()]
        row = {"round": number + 1, "side": DUEL_SIDES[point.side], "when": self._when(point)}
        row |= self._situation(point, node) | {"do": texts[taken], "value": float(values[taken])}
        row |= {"runner_up": "", "costs": 0.0}
        if others := [index for index in range(len(texts)) if texts[index] != texts[taken]]:
            second = max(others, key=lambda index: sign * values[index])
            row |= {"runner_up": texts[second], "costs": max(0.0, float(sign * (values[taken] - values[second])))}
        return row | {"probability": float(duel.weights[number, node])}

    def picture_cells(self, side: int, number: int, by: str) -> list[dict[str, Any]]:
        """Return the cells of a picture of a round (from 0): `x`, `y`, `do`, `costs` and `comes_up` (True if possible).

        A cell stands for its likeliest situation or, if none occurs, for the situation with the fewest statuses.
        """
        cells: dict[tuple[float, float], tuple[tuple[Any, ...], ChoicePoint, int]] = {}
        for point in self.points:
            if point.side != side or point.subject != ORDERS:
                continue
            last = int(self.duel.game.edges.bounds[point.place][number + 1])
            for node in filter(self._is_choice, range(self.duel.game.nodes_of(point.place).start, last)):
                situation = self._situation(point, node)
                statuses = len(situation["own_statuses"]) + len(situation["enemy_statuses"])
                damages = situation["own_damage"] + situation["enemy_damage"]
                cell = situation["enemy_models"], situation["own_models"]
                if by == "distance":
                    cell = situation["distance"], situation["enemy_models"]
                weight = float(self.duel.weights[number, node])
                rank = (-weight if weight > _ROUNDING else 0.0, statuses, -situation["own_models"], damages, node)
                if cell not in cells or rank < cells[cell][0]:
                    cells[cell] = (rank, point, node)
        rows = [(x, y, self.row(point, number, node)) for (x, y), (_, point, node) in sorted(cells.items())]
        return [
            {"x": x, "y": y, "do": row["do"], "costs": row["costs"], "comes_up": row["probability"] > _ROUNDING}
            for x, y, row in rows
        ]

    @staticmethod
    def _when(point: ChoicePoint) -> str:
        if point.subject != ORDERS:
            return _WHEN.get(point.subject, _WHEN[ATTACK])
        return {When.IF_FIRST: "first", When.IF_SECOND: "second"}.get(When(point.when), "orders")

    @cached_property
    def _columns(self) -> tuple[list[_Columns], NDArray[np.float64] | None]:
        """Columns of each side, and the distance in each node in inches, or None if the duel has no distance."""
        states, sides = (self.duel.game.first, self.duel.game.second), self.duel.setup["sides"]
        columns = []
        for state, side in zip(states, sides):
            statuses = {name: flag(state, name) for name in STATUSES}
            forward = ((state >> int(side["position_bit"])) - int(side["origin"])) * int(side["stride"])
            columns.append(_Columns(models_left(state), damage(state), statuses, forward))
        if sides[0]["distance"] == NONE:
            return columns, None
        return columns, np.maximum(int(sides[0]["distance"]) - sum(column.forward for column in columns), 0) / INCH

    def _situation(self, point: ChoicePoint, node: int) -> dict[str, Any]:
        """Return the situation in a node as plain data: the states of both sides, and their distance."""
        columns, distance = self._columns
        states = [int(states[node]) for states in (self.duel.game.first, self.duel.game.second)]
        sides = self.duel.setup["sides"]
        edges = sides["edge_distance"].tolist()  # distance of each unit to its own edge at the start
        result: dict[str, Any] = {}
        for who, side in (("own", point.side), ("enemy", 1 - point.side)):
            models, damages, flags, forward = columns[side]
            result |= {f"{who}_models": int(models[node]), f"{who}_damage": int(damages[node])}
            result[f"{who}_statuses"] = [name for name, is_set in flags.items() if is_set[node]]
            if sides[side]["garrisoned"] and not states[side] & unit_state.OUT_OF_BUILDING:
                result[f"{who}_statuses"].append("in_building")
            if any(edge != NONE for edge in edges):
                is_stated = edges[side] != NONE
                result[f"{who}_edge"] = max(edges[side] + int(forward[node]), 0) / INCH if is_stated else None
        if states[point.side] & unit_state.RALLY_FAILED:
            result["own_statuses"].append("rally_failed")
        return result | {"distance": None if distance is None else float(distance[node])}


def situation_in_words(row: dict[str, Any], mine: Combatant, theirs: Combatant) -> str:
    """Return the situation in a row of the plan, in words."""
    parts = [f"{_unit_in_words(row, 'own', mine)} against {_unit_in_words(row, 'enemy', theirs)}"]
    if row["distance"] is not None:
        parts.append(f'{row["distance"]:g}" apart')
    own, enemy = row.get("own_edge"), row.get("enemy_edge")
    if own is not None and enemy is not None:
        parts.append(f'{own:g}" and {enemy:g}" from their edges')
    elif own is not None:
        parts.append(f'{own:g}" from its edge')
    elif enemy is not None:
        parts.append(f'the enemy {enemy:g}" from its edge')
    if row["when"] in _OCCASIONS:
        parts.append(_OCCASIONS[row["when"]])
    return ", ".join(parts)


def _unit_in_words(row: dict[str, Any], who: str, unit: Combatant) -> str:
    number = row[f"{who}_models"]
    text = counted(number, "model") if who == "own" else str(number)
    if unit.keeps_damage and row[f"{who}_damage"]:
        text += f" with {row[f'{who}_damage']} damage"
    statuses = [spaced(name) for name in row[f"{who}_statuses"]]
    return f"{text} ({', '.join(statuses)})" if statuses else text
