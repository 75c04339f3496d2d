"""Table of the plan of best play: the situation, the best choice, and the cost of the runner-up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.text import counted
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
from analyser.results.duel_solution import SIDES, Place, Plan, Play
from analyser.results.states import damage, flag, models_left
from analyser.rules import unit_state
from analyser.rules.activation import STOP_IS_DISTANCE
from analyser.rules.policies import Action, Manoeuvre
from analyser.rules.structs import INCH, NONE
from analyser.scenarios.best import Chooser, CloseAttack, Option, Shot
from analyser.scenarios.fight_records import length_of
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
_TOWARD = {Manoeuvre.ADVANCE: "close in"}  # an advance that stops at a range
_ACTIONS = {
    Action.NOTHING: "",
    Action.SHOOT: "shoot",
    Action.GO_ON_LOOKOUT: "go on lookout",
    Action.TAKE_COVER: "take cover",
    Action.RE_ARM: "re-arm",
}
# Values of `when` in a row for choices other than orders.
_WHEN = {REACTION: "reaction", OVERRUN: "overrun", RETALIATION: "retaliation", ATTACK: "attack", TEST: "test"}
NO_ORDERS = tuple(_WHEN.values())
_STANDS = {
    "overrun": "won a combat",
    "retaliation": "retaliation due",
    "attack": "attack due",
    "test": "suppression test due",
}
HOLD, HOLD_FIRE = "do nothing", "hold fire"
_NEVER = 1e-12  # smaller probabilities are rounding errors


def option_in_words(option: Option, chooser: Chooser) -> str:
    """Return an option of a unit in words; rows are named if it has several."""
    unaimed = option.manoeuvre == Manoeuvre.STAY and option.action == Action.SHOOT and option.shots[0].overcharge
    parts = ["stay" if unaimed else _MOVES[option.manoeuvre], _ACTIONS[option.action]]
    if option.stop > STOP_IS_DISTANCE:
        parts[0] = _TOWARD.get(option.manoeuvre, parts[0]) + _up_to(option, chooser)
    elif option.stop:
        parts[0] += f" {_inches(option.stop)}"
    text = " and ".join(filter(None, parts)) or HOLD
    if option.action == Action.SHOOT:
        text += _with(option.shots, len(chooser.rows) > 1)
    if option.charge is not None and not chooser.mine.overcharge:
        text += _with((option.charge,), len(chooser.charge_rows) > 1)
    return text


def _up_to(option: Option, chooser: Chooser) -> str:
    """Return the range at which a move stops, by name if it is a range of the row that the option fires."""
    apart = option.stop ^ STOP_IS_DISTANCE
    row = option.shots[0].row if option.shots else chooser.row_of_ranges(option.action, chooser.best_salvo)
    if row is not None and apart == length_of(row.short_range):
        return " to short range"
    return " to range" if row is not None and apart == length_of(row.long_range) else f" to {_inches(apart)}"


def _inches(length: int) -> str:
    return f"{length / INCH:g} {'inch' if length == INCH else 'inches'}"


def reaction_in_words(shot: Shot | None, chooser: Chooser) -> str:
    """Return in words the reaction of a unit on lookout while its enemy acts."""
    return HOLD_FIRE if shot is None else "opportunity fire" + _with((shot,), len(chooser.lookout_rows) > 1)


def blow_in_words(charged: CloseAttack, ways: Sequence[CloseAttack], deed: str) -> str:
    """Return a strike in a combat in words; the row is named if there is a choice of rows."""
    return deed + _with((charged,), len({way.row.id for way in ways}) > 1)


def _with(made: Sequence[Shot | CloseAttack], named: bool) -> str:
    rows = " and ".join(shot.row.id for shot in made)
    text = f" with {rows}{' overcharged' * made[0].overcharge}" if named else ""
    return text or (" with overcharge" if made[0].overcharge else "")


class _Columns(NamedTuple):
    """Columns of one side's states in every node."""

    models: NDArray[np.int64]
    damage: NDArray[np.int64]
    statuses: dict[str, NDArray[np.bool_]]
    forward: NDArray[np.int64]  # distance from its starting position, in hundredths of an inch


class PlanTable:
    """Rows of a plan, by default that of best play; values are those of the :attr:`~.duel_solution.Play.wanter`."""

    def __init__(self, play: Play, plan: Plan | None = None) -> None:
        self.play, self.plan = play, play.plan if plan is None else plan
        self.weights = play.weights if plan is None else play.game.node_probabilities(plan)
        self._words = {place.place: self._words_at(place) for place in play.places}

    def _words_at(self, place: Place) -> list[str]:
        """Return the branches of a choice in words."""
        chooser, rules = self.play.shooters[place.side], self.play.game.rules
        if not isinstance(chooser, Chooser):
            return []
        if place.subject == ORDERS:
            return [option_in_words(option, chooser) for option in chooser.options]
        if place.subject == REACTION:
            return [reaction_in_words(shot, chooser) for shot in (None, *chooser.reaction_shots)]
        if place.subject == OVERRUN:
            return ["overrun", "do not overrun"]
        if place.subject == TEST:
            return ["take the test", "fail the test on purpose"]
        first, count = rules.places[place.place, [FIRST, COUNT]].tolist()
        strikes = rules.operations[rules.branches[first : first + count, GUARD], 2]  # one per branch
        back = place.subject == RETALIATION
        ways, deed = (chooser.retaliations, "strike back") if back else (chooser.charges, "strike")
        return [blow_in_words(ways[way], ways, deed) for way in (strikes - strikes.min()).tolist()]

    def reached(self, side: int | None = None, least: float = 0.0) -> list[dict[str, Any]]:
        """Return a row for each choice with a probability above `least`, the likeliest of each round first."""
        result = []
        for number in range(self.play.game.rounds):
            rows = []
            for place in self._places(side):
                nodes = self.play.game.nodes_of(place.place)
                there = nodes.start + np.flatnonzero(self.weights[number, nodes] > least)
                rows += [self.row(place, number, node) for node in there.tolist() if self._is_choice(node)]
            result += sorted(rows, key=lambda row: -row["probability"])
        return result

    def _places(self, side: int | None) -> Iterator[Place]:
        for place in self.play.places:
            if self.play.choosers[place.side] and side in (None, place.side):
                yield place

    def _is_choice(self, node: int) -> bool:
        """Return True if there is more than one option."""
        begins = self.play.game.edges.begins
        return bool(begins[node + 1] - begins[node] > 1)

    def row(self, place: Place, number: int, node: int) -> dict[str, Any]:
        """Return the row of the plan for a node in a round, from 0."""
        play, game = self.play, self.play.game
        begin, end = game.edges.begins[node : node + 2].tolist()
        after, now = play.solved[1][number + 1], play.solved[1][number]
        to = game.edges.to[begin:end]
        values = np.where(to < game.starts, after[to], now[to])
        taken = int(self.plan[number, node])
        sign = 1 if place.side == play.wanter else -1
        words = [self._words[place.place][branch] for branch in game.branches_at(node).tolist()]
        row = {"round": number + 1, "side": SIDES[place.side], "when": self._when(place), **self._stands(place, node)}
        row |= {"do": words[taken], "value": float(values[taken])}
        others = [at for at in range(len(words)) if words[at] != words[taken]]
        if others:
            second = max(others, key=lambda at: sign * values[at])
            row |= {"runner_up": words[second], "costs": max(0.0, float(sign * (values[taken] - values[second])))}
        else:
            row |= {"runner_up": "", "costs": 0.0}
        return row | {"probability": float(self.weights[number, node])}

    def pictured(self, side: int, number: int, by: str) -> list[dict[str, Any]]:
        """Return a row for each cell of a picture of a round (from 0): `x`, `y`, `do`, `costs` and `comes_up`.

        A cell shows its likeliest situation under the plan. If none `comes_up`, it shows the situation with the fewest
        statuses, which is most like the start.
        """
        cells: dict[tuple[float, float], tuple[tuple[Any, ...], Place, int]] = {}
        for place in self._places(side):
            if place.subject != ORDERS:
                continue
            nodes = self.play.game.nodes_of(place.place)
            since = self.play.game.edges.bounds[place.place]
            for node in range(nodes.start, int(since[number + 1])):
                if not self._is_choice(node):
                    continue
                stands = self._stands(place, node)
                statuses = len(stands["own_statuses"]) + len(stands["enemy_statuses"])
                damages = stands["own_damage"] + stands["enemy_damage"]
                if by == "models":
                    cell = (stands["enemy_models"], stands["own_models"])
                elif stands["distance"] is None:
                    continue
                else:
                    cell = (stands["distance"], stands["enemy_models"])
                likely = -float(self.weights[number, node])
                rank = (likely if likely < -_NEVER else 0.0, statuses, -stands["own_models"], damages, node)
                if cell not in cells or rank < cells[cell][0]:
                    cells[cell] = (rank, place, node)
        rows = [(x, y, self.row(place, number, node)) for (x, y), (_, place, node) in sorted(cells.items())]
        return [
            {"x": x, "y": y, "do": row["do"], "costs": row["costs"], "comes_up": row["probability"] > _NEVER}
            for x, y, row in rows
        ]

    @staticmethod
    def _when(place: Place) -> str:
        if place.subject != ORDERS:
            return _WHEN.get(place.subject, _WHEN[ATTACK])
        return {When.IF_FIRST: "first", When.IF_SECOND: "second"}.get(When(place.when), "orders")

    @cached_property
    def _columns(self) -> tuple[list[_Columns], NDArray[np.float64] | None]:
        """Columns of each side in every node, and the distance in inches if the duel has one."""
        states, sides = (self.play.game.first, self.play.game.second), self.play.setup["sides"]
        columns = []
        for state, side in zip(states, sides):
            statuses = {name: flag(state, name) for name in STATUSES}
            forward = ((state >> int(side["position_bit"])) - int(side["origin"])) * int(side["stride"])
            columns.append(_Columns(models_left(state), damage(state), statuses, forward))
        if sides[0]["distance"] == NONE:
            return columns, None
        return columns, np.maximum(int(sides[0]["distance"]) - sum(column.forward for column in columns), 0) / INCH

    @cached_property
    def _has_edges(self) -> bool:
        """True if either unit has a stated distance to its own edge."""
        return bool((self.play.setup["sides"]["edge_distance"] != NONE).any())

    def _to_edge(self, side: int, forward: int) -> float | None:
        """Return the inches to the unit's own edge; None if that is not stated (far)."""
        edge = int(self.play.setup["sides"][side]["edge_distance"])
        return None if edge == NONE else max(edge + forward, 0) / INCH

    def _is_inside(self, side: int, node: int) -> bool:
        """Return True if a garrison is still in its building."""
        state = int((self.play.game.first, self.play.game.second)[side][node])
        return not state & unit_state.OUT_OF_BUILDING

    def _stands(self, place: Place, node: int) -> dict[str, Any]:
        """Return the states of both sides as plain data."""
        columns, distance = self._columns
        result: dict[str, Any] = {}
        for who, side in (("own", place.side), ("enemy", 1 - place.side)):
            models, damages, flags, forward = columns[side]
            result |= {f"{who}_models": int(models[node]), f"{who}_damage": int(damages[node])}
            result[f"{who}_statuses"] = [name for name, held in flags.items() if held[node]]
            if self.play.setup["sides"][side]["garrisoned"] and self._is_inside(side, node):
                result[f"{who}_statuses"].append("in_building")
            result |= {f"{who}_edge": self._to_edge(side, int(forward[node]))} if self._has_edges else {}
        states = (self.play.game.first, self.play.game.second)[place.side]
        if int(states[node]) & unit_state.RALLY_FAILED:
            result["own_statuses"].append("rally_failed")
        return result | {"distance": None if distance is None else float(distance[node])}


def stands_in_words(row: dict[str, Any], mine: Combatant, theirs: Combatant) -> str:
    """Return the situation in a row of the plan, in words."""
    parts = [f"{_unit(row, 'own', mine)} against {_unit(row, 'enemy', theirs)}"]
    if row["distance"] is not None:
        parts.append(f'{row["distance"]:g}" apart')
    parts += _edges_in_words(row.get("own_edge"), row.get("enemy_edge"))
    if row["when"] in ("first", "second"):
        parts.append(f"{row['when']} in the round")
    if row["when"] in _STANDS:
        parts.append(_STANDS[row["when"]])
    return ", ".join(parts)


def _edges_in_words(own: float | None, enemy: float | None) -> list[str]:
    if own is not None and enemy is not None:
        return [f'{own:g}" and {enemy:g}" from their edges']
    if own is not None:
        return [f'{own:g}" from its edge']
    return [] if enemy is None else [f'the enemy {enemy:g}" from its edge']


def _unit(row: dict[str, Any], who: str, unit: Combatant) -> str:
    number = row[f"{who}_models"]
    text = counted(number, "model") if who == "own" else str(number)
    if unit.keeps_damage and row[f"{who}_damage"]:
        text += f" with {row[f'{who}_damage']} damage"
    statuses = [name.replace("_", " ") for name in row[f"{who}_statuses"]]
    return f"{text} ({', '.join(statuses)})" if statuses else text
