"""Answers to the sections on checks, flight, columns and divisions (GT-1 to GT-9)."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyser.engine.chain.chain import RECORD, Chain, Phase, Recorded, States, Story, bernoulli, fair_die
from analyser.morale.answer_parts import Section, Sums, Table, Tables, Weights, rules_used, tally, turn_key
from analyser.morale.games.grande_tactique import game_steps as steps
from analyser.morale.games.grande_tactique import rules as gt
from analyser.morale.games.grande_tactique.question import Check, Column, Division, Flight, Game
from analyser.morale.questions import exact_fraction
from analyser.results.base import RulesUsed

CHECK_BONUS = {"regular": 0, "veteran": 1, "old guard": 2}  # modifier of morale checks by quality (GT-9)
CAUSES = {"charged": gt.CHARGED, "worn down": gt.WORN_DOWN, "lost firing": gt.LOST_FIRING}
D6 = fair_die(6)
SURROUNDED = gt.TOTALS  # state of a surrounded unit; the states below are the totals of the flight dice
DESTROYING = ("off the map", "surrounded")
COLUMN_WORDS = ("eager", "shaken", "routed", "off the map")
DIVISION_STATUSES = (gt.EAGER, gt.ROUTED, gt.DESTROYED)
FAR = "GT-5 the map edge: no edge_distance is stated, so it is far"
PIP_PHASE = "PIP dice, rally (GT-6)"


class CheckSection(Section[Check]):
    """A unit in a situation that may make it flee."""

    def _prepare(self) -> None:
        cause = CAUSES[self.section.cause]
        if cause == gt.WORN_DOWN and self.section.worn_down_by == "artillery":
            cause = gt.WORN_DOWN_BY_ARTILLERY
        response = gt.response(gt.ARMS[self.section.arm], self.section.state == "shaken", cause)
        ignored = response == gt.IS_SHAKEN and not self.question.ruleset.fire_shakes
        self.response = gt.STANDS if ignored else response  # one of the effects in `rules` (GT-1, GT-2)

    def chain(self) -> Chain:
        check, ruleset, start = self.section, self.question.ruleset, steps.STATUS_OF[self.section.state]
        modifier, target = CHECK_BONUS[check.quality] + check.modifier, ruleset.check_target
        ends = {gt.FLEES: gt.ROUTED, gt.IS_SHAKEN: gt.SHAKEN, gt.IS_SILENCED: gt.SILENCED}
        tested = Phase(lambda *_: ends.get(self.response, start), title=f"{check.cause.capitalize()} (GT-1, GT-2)")
        if self.response == gt.CHECKS:
            tested = Phase(
                lambda states, rolled: np.where(gt.passes_check(rolled, modifier, target), states, gt.ROUTED),
                fair_die(ruleset.check_sides),
                1,
                title="Morale check (GT-2)",
            )
        story = Story(lambda state: {"the unit": steps.STATUS_WORDS[state]})
        return Chain(start, (tested, RECORD), gt.SILENCED + 1, story=story)

    def answer(self, recorded: Recorded) -> Tables:
        """Return the table `check`: probabilities of standing, fleeing and being silenced, and of each state after."""
        eager, shaken, _, routed, _, silenced = recorded.dense_weights(gt.SILENCED + 1).T
        probabilities = {"p_stands": eager + shaken, "p_flees": routed, "p_silenced": silenced}
        probabilities |= {"p_eager": eager, "p_shaken": shaken, "p_routed": routed}
        return {"check": Table({"arm": [self.section.arm]}, probabilities)}

    def rules(self) -> RulesUsed:
        check, tested = self.section, self.response == gt.CHECKS
        never_flees = check.state == "eager" and check.cause != "charged" and check.arm != "artillery"
        never_flees_firing = check.arm != "infantry" and check.cause == "lost firing"
        applied = {
            "GT-1 states": True,
            "GT-2 units that flee": True,
            "GT-9 Old Guard and veterans on morale checks": tested and check.quality != "regular",
        }
        warnings = {
            "check: an eager unit does not flee from fire (GT-2)": never_flees,
            f"check: {check.arm} does not flee after losing a firing attack of its own (GT-2)": never_flees_firing,
        }
        return rules_used(applied, warnings=warnings)


class FlightSection(Section[Flight]):
    """A flight of a unit, and the pursuit."""

    def _prepare(self) -> None:
        self._arm, self._enemy = gt.ARMS[self.section.arm], gt.ARMS[self.section.enemy]

    def chain(self) -> Chain:
        """Return the chain: a phase that decides whether there is a gap, then the phase of the flight dice."""
        no_gap = bernoulli(self.section.surrounded, ("not surrounded", "surrounded"))
        gap = Phase(lambda states, closed: np.where(closed, SURROUNDED, states), no_gap, 1, title="A way out (GT-5)")
        dice = gt.flight_dice(self._arm, self._enemy)
        flight = Phase(
            lambda states, total: np.where(states == SURROUNDED, SURROUNDED, total), D6, dice, title="Flight (GT-3)"
        )
        story = Story(
            lambda state: {"flight dice together": state} if state < SURROUNDED else {"the unit": "surrounded"}
        )
        return Chain(0, (gap, flight, RECORD), gt.TOTALS + 1, story=story)

    def _end(self, total: int) -> tuple[str, float]:
        """Return the fate and the distance of a flight with this total of the dice."""
        distance, shelter = float(gt.flight_distance(self._arm, total)), self.section.shelter_distance
        if shelter is not None and gt.finds_shelter(self._arm, shelter):
            return "in shelter", shelter
        edge = self.section.edge_distance
        return "off the map" if edge is not None and gt.is_off_map(distance, edge) else "routed", distance

    def answer(self, recorded: Recorded) -> Tables:
        """Return the tables `flight` (joint distribution of fate, distance and pursuit) and `fates` (with means)."""
        weights = recorded.dense_weights(gt.TOTALS + 1)
        ends = [*(self._end(total) for total in range(gt.TOTALS)), ("surrounded", 0.0)]
        fates, distances = map(np.array, zip(*ends))
        moves = fates != "surrounded"  # a surrounded unit does not move and is not pursued
        if_moved = [float(gt.pursuit_distance(self._enemy, self._arm, distance)) for distance in distances]
        pursuits, possible = np.where(moves, if_moved, 0.0), np.flatnonzero(weights[0])
        columns = {"fate": fates, "distance": distances, "pursuit": pursuits}
        keys = {name: column[possible].tolist() for name, column in columns.items()}
        probabilities = {
            "p_off_map": weights @ (fates == "off the map"),
            "p_surrounded": weights @ (fates == "surrounded"),
            "p_destroyed": weights @ np.isin(fates, DESTROYING),
            "p_in_shelter": weights @ (fates == "in shelter"),
            "p_routed": weights @ np.isin(fates, ("in shelter", "routed")),
        }
        means = {}
        for name, lengths in (("flight", distances), ("pursuit", pursuits)) if self.section.surrounded < 1 else ():
            means[f"mean_{name}_if_it_flees"] = Sums.of(weights * moves, lengths)._replace(condition=weights @ moves)
        return {
            "flight": Table(keys, {"probability": weights[0, possible]}, n_outcome_keys=len(keys)),
            "fates": Table({"arm": [self.section.arm]}, probabilities, means),
        }

    def rules(self) -> RulesUsed:
        flight = self.section
        applied = {
            "GT-3 flight distance": True,
            "GT-4 pursuit": flight.enemy == "cavalry",
            "GT-5 shelter": flight.arm == "infantry" and flight.shelter_distance is not None,
            "GT-5 the map edge": flight.edge_distance is not None,
            "GT-5 surrounded": flight.surrounded > 0,
        }
        return rules_used(applied, {FAR: flight.edge_distance is None})


class ColumnSection(Section[Column]):
    """Units of a game (:mod:`.game_steps`) in one column; the first unit to flee has the lowest field of a state."""

    def _prepare(self) -> None:
        section = self.section
        arms = [gt.ARMS[arm] for arm in (section.arm, *(friend.arm for friend in section.friends))]
        distances = (Fraction(0), *(exact_fraction(friend.distance) for friend in section.friends))
        edge, paths = None if section.edge_distance is None else exact_fraction(section.edge_distance), []
        for arm, distance in zip(arms, distances):
            flights, to_edge = [gt.flight_distance(arm, total) for total in range(gt.TOTALS)], (edge or 0) - distance
            ends = [gt.OFF_MAP if edge is not None and gt.is_off_map(flight, to_edge) else 0 for flight in flights]
            paths.append(gt.Path(arm, to_edge, [gt.START], [ends]))
        fleeing = steps.FLEEING_FROM_CAVALRY if section.enemy == "cavalry" else gt.FLEEING
        statuses = (gt.EAGER, gt.SHAKEN, fleeing, gt.ROUTED, *([] if edge is None else [steps.LEFT_MAP]))
        old_guard = (section.old_guard, *(friend.old_guard for friend in section.friends))
        units = steps.units_of(paths, [[steps.condition_of(0, 0, status) for status in statuses]] * len(paths))
        self.units, self._statuses = units._replace(old_guard=np.array(old_guard, np.int64)), len(statuses)

    def _after_shaking(self, unit: int, states: Any, shaken: Any) -> Any:
        digit = self._statuses**unit
        return np.where(shaken & (states // digit % self._statuses == gt.EAGER), states + digit * gt.SHAKEN, states)

    def chain(self) -> Chain:
        """Return the chain: which friends are shaken, the charge on the first unit, flights until no unit flees."""
        count, dice = len(self.units.arms), [bernoulli(friend.shaken) for friend in self.section.friends]
        enemy = steps.BY_CAVALRY if self.section.enemy == "cavalry" else steps.BY_INFANTRY
        apply_charge = steps.change(self.units, steps.CHARGE, 0)
        first_flees = Phase(
            lambda states, _: apply_charge(states, np.arange(enemy + 1))[:, [enemy]],
            title="The first unit is charged and flees (GT-2)",
        )
        shaken = (
            Phase(partial(self._after_shaking, unit), die, 1, title=f"Unit {unit + 1} is shaken before")
            for unit, die in enumerate(dice, start=1)
        )
        phases = (*shaken, first_flees, *[steps.flight(self.units, D6)] * count, RECORD)
        what = f"a flight through {count - 1} friends, each with {self._statuses} states"
        story = Story(partial(steps.describe_state, self.units))
        return Chain(0, phases, self._statuses**count, what, "fewer friends", story)

    def answer(self, recorded: Recorded) -> Tables:
        """Return the tables `chain` (number of fleeing friends), `chain_means`, `friends` (each fate) and `joint`."""
        states, weights = recorded
        (pmf,), statuses = weights, steps.read(self.units, states)[0]
        friends, count, possible = statuses[:, 1:], len(self.section.friends), np.flatnonzero(pmf)
        fleeing, numbers = np.isin(friends, (gt.ROUTED, steps.LEFT_MAP)).sum(axis=1), range(count + 1)
        number_columns = {
            "p_exactly": np.array([pmf[fleeing == number].sum() for number in numbers]),
            "p_at_least": np.array([pmf[fleeing >= number].sum() for number in numbers]),
        }
        columns = {f"p_{w.replace(' the ', '_')}": pmf @ (friends == steps.STATUS_OF[w]) for w in COLUMN_WORDS}
        keys = {
            "friend": numbers[1:],
            "arm": [friend.arm for friend in self.section.friends],
            "distance": [friend.distance for friend in self.section.friends],
        }
        names = ["first", *(f"friend_{friend}" for friend in numbers[1:])]
        by_unit = zip(names, statuses[possible].T.tolist())
        joint = {name: [steps.STATUS_WORDS[status] for status in column] for name, column in by_unit}
        return {
            "chain": Table({"friends": numbers}, number_columns),
            "chain_means": Table({"units": [count]}, means={"mean_friends_fleeing": Sums.of(weights, fleeing)}),
            "friends": Table(keys, columns),
            "joint": Table(joint, {"probability": pmf[possible]}, n_outcome_keys=len(joint)),
        }

    def rules(self) -> RulesUsed:
        friends = self.section.friends
        applied = {
            "GT-1 a chain reaction does not rout artillery": any(friend.arm == "artillery" for friend in friends),
            "GT-3 flight distance": True,
            "GT-5 flight through friends": True,
            "GT-5 the map edge": self.section.edge_distance is not None,
            "GT-9 Old Guard that flees": self.section.old_guard or any(friend.old_guard for friend in friends),
        }
        return rules_used(applied, {FAR: self.section.edge_distance is None})


class DivisionSection(Section[Division]):
    """Units of a game (:mod:`.game_steps`) without flights; a rout or loss is modelled as a charge by cavalry."""

    def _prepare(self) -> None:
        section, count = self.section, len(self.section.units)
        can_be_lost = any(unit.lost or unit.state == "destroyed" for unit in section.units)
        self._statuses = DIVISION_STATUSES[: 3 if can_be_lost else 2]
        path = gt.Path(gt.INFANTRY, gt.START.moved, [gt.START._replace(sheltered=True)], [[0] * gt.TOTALS])
        conditions = [steps.condition_of(0, 0, status) for status in self._statuses]
        pips_elsewhere = section.pips_elsewhere if section.rally else self.question.ruleset.most_pips
        units = steps.units_of([path] * count, [conditions] * count)
        self.units = units._replace(rallied=gt.EAGER, pips_elsewhere=pips_elsewhere, has_collapse_field=1)

    def chain(self) -> Chain:
        """Return the chain of turns: units rally, routed units may be lost, others may rout; it records each turn."""
        division, ruleset, count = self.section, self.question.ruleset, len(self.section.units)
        pips = steps.change(self.units, steps.PIPS, 0)
        turn = [Phase(pips, fair_die(ruleset.pip_sides), ruleset.pip_dice, title=PIP_PHASE)]
        for event, key in ((steps.CHARGE_IN_ROUT, "lost"), (steps.CHARGE, "rout")):
            for number, unit in enumerate(division.units):
                if probability := getattr(unit, key):
                    title = f"Unit {number + 1}: {key}"
                    turn.append(Phase(steps.change(self.units, event, number), bernoulli(probability), 1, title=title))
        phases = (*turn, RECORD) * (division.turns or ruleset.turns)
        states, less = ("standing or in rout", "fewer units")
        if gt.DESTROYED in self._statuses:
            states, less = ("standing, in rout or lost", "fewer units, or none lost")
        what, size = f"a division of {count} units, each {states}", 2 * len(self._statuses) ** count
        start = steps.start_of(self.units, [steps.STATUS_OF.get(unit.state, gt.EAGER) for unit in division.units])
        return Chain(start, phases, size, what, less, Story(partial(steps.describe_state, self.units), "Turn"))

    def answer(self, recorded: Recorded) -> Tables:
        """Return the tables `division` (collapse), `units` (each unit) and `standing` (number standing), by turn."""
        states, weights = recorded
        (statuses, _), count, turns = steps.read(self.units, states), len(self.section.units), turn_key(weights)
        standing, lost = (statuses == gt.EAGER).sum(axis=1), (statuses == gt.DESTROYED).sum(axis=1)
        probabilities = division_probabilities(self.section, standing, lost, states, weights)
        names = zip(("p_standing", "p_routed", "p_lost"), DIVISION_STATUSES)
        unit_columns = {name: weights @ (statuses == status) for name, status in names}
        return {
            "division": Table(turns, probabilities, {"mean_standing": Sums.of(weights, standing)}),
            "units": by_unit_and_turn(unit_columns),
            "standing": tally(turns, "units", weights, standing, count),
        }

    def rules(self) -> RulesUsed:
        rally = self.section.rally and gt.can_rally(self.question.ruleset.most_pips - self.section.pips_elsewhere, 0)
        return rules_used({"GT-6 rally": rally, "GT-8 collapse, a corps that has lost half its units": True})


def division_probabilities(
    division: Division | Game, standing: NDArray[np.int64], lost: NDArray[np.int64], states: States, weights: Weights
) -> dict[str, Weights]:
    """Return the probabilities of the events of a division; a state's lowest field is 1 after a collapse (GT-8)."""
    return {
        "p_collapsed": weights @ (states % 2),
        "p_corps_halted": weights @ gt.is_halted(lost, division.corps_units or len(division.units)),
        "p_all_gone": weights @ (standing == 0),
    }


def by_unit_and_turn(probabilities: dict[str, Weights], turn: str = "turn", **more: list[Any]) -> Table:
    """Return a table by unit and turn from arrays of shape (turns, units); `more` has further keys of the units."""
    turns, units = next(iter(probabilities.values())).shape
    columns = {name: weights.T for name, weights in probabilities.items()}
    return Table.product_of({"unit": range(1, units + 1), **more}, {turn: range(1, turns + 1)}, columns)
