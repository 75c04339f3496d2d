"""Result of a charge (AC-8): winner, losses, fates and victory points of both sides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyser.common.answer import Block
from analyser.common.estimates import estimate
from analyser.common.means import mean_between, mean_figures, sums_of
from analyser.common.method_settings import Sampling
from analyser.common.text import counted, frequency_sentence, rating_text, rows_of_columns, spaced
from analyser.engine.fight import strikes
from analyser.engine.fight.program import Kind, Operation, Setup
from analyser.game.names import loadout_name
from analyser.game.ruleset import Rating
from analyser.results import rules_used, states
from analyser.results.attack import ALWAYS_SHOWN, UNIT_FIGURES, rating_reasons, unit_line
from analyser.results.base import result_sentence
from analyser.results.rendering import distribution_block, figure_rows
from analyser.results.states import FATES, FightResult, solve_fight, unit_name
from analyser.rules import combat_result, unit_state
from analyser.rules.activation import Order
from analyser.rules.structs import NONE
from analyser.scenarios.charge import ATTACKER, ChargeScenario, charge_program, charge_start, reach_of_charge
from analyser.scenarios.schema import ChargeTerms, Combatant, Target

CHARGE_SIDES = ("attacker", "target")
CHARGE_RESULTS = ("attacker_wins", "target_wins", "draw", "no_combat")
UNIT_STATES = ("suppressed", "disordered", "activated", "fell_back", "broken", "fled", "annihilated")
PASSENGER_STATES = ("suppressed", "broken", "annihilated")


@dataclass(frozen=True, repr=False, kw_only=True)
class ChargeResult(FightResult):
    """Result of a charge.

    Attributes
    ----------
    moments : tuple of JointStates
        A single entry: the states of both sides at the end. :meth:`to_frame` has a row for each outcome: `result`
        (attacker_wins, target_wins, draw, no_combat); figures, statuses and fates of each side, prefixed ``attacker_``
        or ``target_``; `probability`; if simulated, also `count`, `low`, `high`, `interval`.
    strikes : tuple of dict
        Each attack of the combat, as if no unit had losses before: source (`by`), row, dice, rating, DEFENCE.
    """

    kind = "charge"
    plotted_figure = "target_models_destroyed"
    figures = tuple(f"{side}_{what}" for side in CHARGE_SIDES for what in UNIT_FIGURES)

    scenario: ChargeScenario
    strikes: tuple[dict[str, Any], ...]

    @cached_property
    def events(self) -> tuple[str, ...]:
        named = [*CHARGE_RESULTS, *(["attacker_overruns"] if self.scenario.attacker.has("Overrun") else [])]
        for side, unit in zip(CHARGE_SIDES, self.units):
            named += [f"{side}_{flag}" for flag in (*UNIT_STATES, "destroyed")]
            if unit.passengers is not None:
                named += [f"{side}_passengers_{flag}" for flag in PASSENGER_STATES]
        return tuple(named)

    @cached_property
    def result(self) -> NDArray[np.str_]:
        """Result of the charge, without the Overrun, for each pair of states: one of CHARGE_RESULTS."""
        order = states.orders(self.moments[0].first)
        conditions = [states.wins_of_charge(self.moments[0].first) > 0, order == Order.LOST, order == Order.NO_ATTACK]
        return np.select(conditions, CHARGE_RESULTS[:3], CHARGE_RESULTS[3])

    def event(self, name: str, moment: int | None = None) -> NDArray[np.bool_]:
        if name in CHARGE_RESULTS:
            return np.asarray(self.result == name)
        if name == "attacker_overruns":
            attackers = self.moments[0].first
            overruns = (states.wins_of_charge(attackers) > 1) | (states.orders(attackers) != Order.WON)
            return np.asarray((self.result == "attacker_wins") & overruns)
        side, what = self._split(name)
        if what.startswith("passengers_"):
            return self._passengers(side)[what]
        return super().event(name, moment)

    def _passengers(self, side: str) -> dict[str, NDArray[Any]]:
        """Return the fate of passengers for each pair of states; those that break or exceed the capacity are lost."""
        unit, transport = getattr(self.scenario, side), self.states_of(side)
        broken = ~states.is_removed(transport) & (transport & combat_result.PASSENGERS_BROKEN != 0)
        aboard = np.minimum(unit.passengers.models or 0, (unit.capacity or 0) * states.models_left(transport))
        left = np.where(broken, 0, aboard)
        suppressed = unit.passengers.suppressed | (transport & combat_result.PASSENGERS_SUPPRESSED != 0)
        result = {"left": left, "broken": broken, "annihilated": left == 0, "suppressed": (left > 0) & suppressed}
        return {f"passengers_{name}": column for name, column in result.items()}

    def _all_weights(self) -> list[NDArray[Any]]:
        return [*super()._all_weights(), self.losses()["count"]]

    def losses(self) -> dict[str, NDArray[Any]]:
        """Return the joint distribution of the losses of both sides, as columns by name."""
        return self.joint(f"{side}_models_destroyed" for side in CHARGE_SIDES)

    def victory_points(self, side: str) -> NDArray[np.float64] | None:
        """Return the VP of a side for each pair of states (AC-5.9; Hunter, AC-7); None if a rating is unknown."""
        other = CHARGE_SIDES[1 - CHARGE_SIDES.index(side)]
        mine, theirs = getattr(self.scenario, side), getattr(self.scenario, other)
        rated: list[tuple[Target, NDArray[np.bool_]]] = [(theirs, self.event(f"{other}_annihilated"))]
        if theirs.passengers is not None:
            rated.append((theirs.passengers, self.event(f"{other}_passengers_annihilated")))
        if any(unit.victory_points is None for unit, _ in rated):
            return None
        points = sum(is_gone * float(unit.victory_points or 0) for unit, is_gone in rated)
        won_combats = states.wins_of_charge(self.states_of(side)) if mine.has("Hunter") else 0
        return np.asarray(points + won_combats, np.float64)

    @cached_property
    def summary(self) -> dict[str, Any]:
        means = ("models_destroyed", "models_left", "damage_left")
        figures = {f"mean_{side}_{what}": f"{side}_{what}" for side in CHARGE_SIDES for what in means}
        summary = self._named_figures({f"p_{name}": name for name in self.events}, figures)
        for side in CHARGE_SIDES:
            name, points = f"expected_{side}_victory_points", self.victory_points(side)
            summary[name] = None
            if points is not None:
                mean = mean_between(points, self.moments[0].weights, self.trials, self._possible_points(side))
                summary |= mean_figures(name, mean)
        return summary

    def _possible_points(self, side: str) -> NDArray[np.float64]:
        mine, theirs = self.units if side == CHARGE_SIDES[0] else self.units[::-1]
        ratings = [float(unit.victory_points or 0) for unit in (theirs, theirs.passengers) if unit is not None]
        wins = 1 << unit_state.BITS_OF_WINS_IN_A_CHARGE if mine.has("Hunter") else 1
        return np.unique(np.add.outer(np.arange(wins), sums_of(ratings)))

    def table(self) -> dict[str, NDArray[Any]]:
        columns: dict[str, NDArray[Any]] = {"result": np.array([CHARGE_RESULTS.index(name) for name in self.result])}
        for side, unit in zip(CHARGE_SIDES, self.units):
            columns |= self._columns(f"{side}_{name}" for name in (*UNIT_FIGURES, *UNIT_STATES))
            if unit.passengers is not None:
                aboard = self._passengers(side)
                columns |= {f"{side}_{name}": aboard[name] for name in ("passengers_left", "passengers_suppressed")}
        table = self._distribution_of(columns, self.moments[0].weights)
        return table | {"result": np.array(CHARGE_RESULTS)[table["result"]]}

    def _body(self) -> dict[str, Any]:
        tables = {"outcomes": rows_of_columns(self.table()), "losses": rows_of_columns(self.losses())}
        return {"strikes": list(self.strikes), **tables, "summary": self.summary}

    def caption(self) -> list[str]:
        stated = self.scenario.attacker.charge.model_dump()
        named = [spaced(name) for name, is_so in stated.items() if is_so and name != "overrun"]
        return [*super().caption(), *([", ".join(named)] if named else [])]

    def heading(self) -> list[tuple[str, str]]:
        attacker, target = self.units
        lines = [("Charge", f"{unit_name(attacker)} -> {unit_name(target)}")]
        lines.append(("Distance", _distance_text(attacker)))
        lines += [("Secondary", unit_name(unit)) for unit in self.scenario.secondary]
        lines += [("Attacker", unit_line(attacker)), ("Target", unit_line(target))]
        return lines + [("" if index else "Strikes", _strike_line(strike)) for index, strike in enumerate(self.strikes)]

    @property
    def headline(self) -> str:
        lost = sum(self._event_weight(name, None) for name in ("target_wins", "no_combat"))
        won, lost_combat, draw, shot = map(self.probability, CHARGE_RESULTS)
        attacker, target = map(unit_name, self.units)
        if shot > max(won, draw, lost_combat):
            return frequency_sentence(loadout_name(attacker), "falls before contact", shot)
        return result_sentence(attacker, target, won, estimate(lost, self.trials), draw)

    def blocks(self) -> list[Block]:
        shown = {name: label for name, label in _RESULT_LABELS.items() if name != "p_no_combat" or self.summary[name]}
        blocks = [Block("The combat", rows=figure_rows(self.summary, shown))]
        for side in CHARGE_SIDES:
            losses = self.distribution(f"{side}_models_destroyed")
            block = distribution_block(losses, f"Models destroyed, {side}")
            blocks.append(block._replace(shares_table=False))
        return [*blocks, _outcomes_block(self)]


def solve_charge(scenario: ChargeScenario, sampling: Sampling) -> ChargeResult:
    """Return the result of a charge."""
    setup, operations = charge_program(scenario.attacker, scenario.target, scenario.secondary, scenario.ruleset.die)
    setup.sides["hunter"] = 1  # count won combats even without Hunter, because `result` reads them
    start = charge_start(setup)

    def make_result(**fields: Any) -> ChargeResult:
        strikes = tuple(_strike_records(setup, operations, start, scenario))
        rules = rules_used.rules_of_charge(scenario, with_replacement=sampling.with_replacement)
        return ChargeResult(strikes=strikes, rules=rules, **fields)

    return solve_fight(scenario, setup, [operations], start, sampling, make_result)


def _strike_records(
    setup: Setup, operations: Sequence[Operation], start: tuple[int, int], scenario: ChargeScenario
) -> Iterator[dict[str, Any]]:
    """Yield each attack of a combat as plain data, as if no unit had losses before."""
    rows = {"attacker": [scenario.attacker.charge_row("attacker")], "target": scenario.target.retaliation_rows()}
    for number in (operation.number for operation in operations if operation.kind == Kind.STRIKE):
        strike = setup.strikes[number]
        is_overrun = strike.orders == 1 << Order.OVERRUN
        attacker = unit_state.with_order(start[0], int(Order.OVERRUN)) if is_overrun else start[0]
        both = attacker, start[1] | (unit_state.MARKED if strike.by_throw else 0)
        if not strikes.is_made(setup, number, ATTACKER, both):
            continue
        strikes.set_strike(setup, number, strikes.condition(setup, number, both), both[1 - strike.striker])
        fight, reasons = setup.fight[0], rating_reasons(setup.attack[0], setup.target[0])
        if reasons["rating_by"] == "stated":  # a scenario cannot state the rating of a strike, so a rule has set it
            reasons["rating_by"] = "rule"
        if strike.by_throw:
            by = "throw"
        elif strike.fixed_dice != NONE:
            by = "secondary" if strike.in_combat else "sponsons"
        else:
            by = "attacker" if strike.striker == ATTACKER else "target"
        yield {
            "by": by,
            "row": next((row.id for row in rows.get(by, ())), None),
            "overrun": bool(is_overrun),
            "dice": int(fight.dice),
            "overcharge": bool(fight.overcharge),
            "rating": Rating(fight.rating).name.lower(),
            **reasons,
            "defence": int(fight.defence),
        }


_RESULT_LABELS = {
    "p_attacker_wins": "Attacker wins",
    "p_target_wins": "Target wins",
    "p_draw": "Draw (stalemate)",
    "p_no_combat": "Attacker destroyed before contact",
    "p_attacker_overruns": "Attacker overruns",
}


def _outcomes_block(result: ChargeResult) -> Block:
    figures, labels = result.summary, dict[str, str]()
    for name in ("suppressed", "disordered", "fell_back", *FATES, "annihilated"):  # not "activated": every charger is
        if name in ALWAYS_SHOWN or any(figures[f"p_{side}_{name}"] for side in CHARGE_SIDES):
            labels[f"p_{{}}_{name}"] = f"P({spaced(name)})"
    labels |= {f"p_{{}}_passengers_{name}": f"P(passengers {name})" for name in ("suppressed", "annihilated")}
    labels |= {"mean_{}_models_destroyed": "Mean models destroyed", "mean_{}_models_left": "Mean models left"}
    if any(unit.keeps_damage for unit in result.units):
        labels["mean_{}_damage_left"] = "Mean damage left"
    labels["expected_{}_victory_points"] = "Expected victory points won"
    return Block("Outcomes", ("", *CHARGE_SIDES), figure_rows(figures, labels, CHARGE_SIDES))


def _distance_text(attacker: Combatant) -> str:
    distance = attacker.charge.distance if isinstance(attacker.charge, ChargeTerms) else None
    stated = "not stated (within reach)" if distance is None else f'{distance:g}"'
    reach = reach_of_charge(attacker)
    return stated if reach is None else f'{stated}; the charge reaches {reach:g}"'


def _strike_line(strike: Mapping[str, Any]) -> str:
    row = f" with {strike['row']}" if strike["row"] else ""
    overrun = " in an Overrun" if strike["overrun"] else ""
    dice = counted(strike["dice"], "die", "dice")
    if strike["overcharge"]:
        dice = f"{dice} and as many as the card shows" if strike["dice"] else "as many dice as the card shows"
    return f"{strike['by']}{row}{overrun}: {dice}, {rating_text(strike)}, against DEFENCE {strike['defence']}"
