"""Turn by turn: routed units of a corps, and a division until its morale collapses (GT-6 to GT-8)."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyser.engine.chain.chain import RECORD, Chain, Die, Fields, Phase, Recorded, States, bernoulli, sided
from analyser.morale.answers import Answer, Cells, Curves, Mean, Part, Rules, Table, Weights, counted, turns_of
from analyser.morale.games.grande_tactique import game_steps as steps
from analyser.morale.games.grande_tactique import rules as gt
from analyser.morale.games.grande_tactique.ground import OFF_MAP, START, TOTALS, Path, path_of
from analyser.morale.games.grande_tactique.question import Division, Game, Rout

STATUS_OF = {"standing": gt.EAGER, "routed": gt.ROUTED, "destroyed": gt.DESTROYED}
DIVISION_LINES = {"p_collapsed": "collapsed", "p_corps_halted": "corps halted"}
RALLIED, DESTROYED = range(2)  # after the places
ENDS = 2


class UnitsOfDivision(Part[Division]):
    """The units as those of a game (:mod:`.game_steps`) that stay where they rout; cavalry charges them or rides down.

    Who has rallied is as one that never routed.
    """

    def _prepare(self) -> None:
        asked, count = self.asked, len(self.asked.units)
        can_be_lost = any(unit.lost or unit.state == "destroyed" for unit in asked.units)
        self._statuses = [*STATUS_OF.values()][: 3 if can_be_lost else 2]
        path = Path(gt.INFANTRY, START.moved, [START._replace(sheltered=True)], [[0] * TOTALS])
        conditions = [steps.condition_of(0, 0, status) for status in self._statuses]
        elsewhere = asked.pips_elsewhere if asked.rally else self.question.ruleset.most_pips
        units = steps.units_of([path] * count, [conditions] * count)
        self.units = units._replace(rallied=gt.EAGER, elsewhere=elsewhere, collapses=1)

    def chain(self) -> Chain:
        """Turns: PIPs rally, those left in rout may be lost, those who stand may rout; then the state is recorded."""
        division, ruleset, count = self.asked, self.question.ruleset, len(self.asked.units)
        turn = [Phase(steps.change(self.units, steps.PIPS, 0), sided(ruleset.pip_sides), ruleset.pip_dice)]
        for event, key in ((steps.CHARGE_IN_ROUT, "lost"), (steps.CHARGE, "rout")):
            for number, unit in enumerate(division.units):
                if probability := getattr(unit, key):
                    turn.append(Phase(steps.change(self.units, event, number), bernoulli(probability), 1))
        phases = (*turn, RECORD) * (division.turns or ruleset.turns)
        each, less = ("standing or in rout", "fewer units")
        if gt.DESTROYED in self._statuses:
            each, less = ("standing, in rout or lost", "fewer units, or none lost")
        what, size = f"a division of {count} units, each {each}", 2 * len(self._statuses) ** count
        return Chain(
            steps.start_of(self.units, [STATUS_OF[unit.state] for unit in division.units]), phases, size, what, less
        )

    def answer(self, recorded: Recorded) -> Answer:
        """`division`: collapse by turn; `units`: each unit by turn; `standing`: how many stand, by turn."""
        states, weights = recorded
        (now, _), count, turns = steps.read(self.units, states), len(self.asked.units), turns_of(weights)
        standing, lost = (now == gt.EAGER).sum(axis=1), (now == gt.DESTROYED).sum(axis=1)
        probabilities = division_probabilities(self.asked, standing, lost, states, weights)
        names = zip(("p_standing", "p_routed", "p_lost"), STATUS_OF.values())
        of_units = {name: weights @ (now == status) for name, status in names}
        tables = {
            "division": Table(turns, probabilities, {"mean_standing": Mean.of(weights, standing)}),
            "units": by_unit_and_turn(of_units),
            "standing": counted(turns, "units", weights, standing, count),
        }
        curves = Curves("division", "Division", "turn", DIVISION_LINES)
        return Answer(tables, [curves, Cells("standing", "Units standing", "turn", "units")])

    def rules(self) -> Rules:
        """The rules that the numbers come from."""
        pips = self.question.ruleset.most_pips - self.asked.pips_elsewhere
        rally = self.asked.rally and gt.rallies(pips, 0)
        return Rules({"GT-6 rally": rally, "GT-8 collapse, a corps that has lost half its units": True})


def division_probabilities(
    division: Division | Game, standing: NDArray[np.int64], lost: NDArray[np.int64], states: States, weights: Weights
) -> dict[str, Weights]:
    """What a division has come to, whose states have the collapse as their lowest digit (GT-8)."""
    return {
        "p_collapsed": weights @ (states % 2),
        "p_corps_halted": weights @ gt.is_halted(lost, division.corps_units or len(division.units)),
        "p_all_gone": weights @ (standing == 0),
    }


def by_unit_and_turn(probabilities: dict[str, Weights], turn: str = "turn", **more: list[Any]) -> Table:
    """Probabilities of each unit in each turn, arrays of shape (turns, units); further keys have one value a unit."""
    turns, units = next(iter(probabilities.values())).shape
    columns = {name: each.T for name, each in probabilities.items()}
    return Table.crossed({"unit": range(1, units + 1), **more}, {turn: range(1, turns + 1)}, columns)


class UnitsInRout(Part[Rout]):
    """A state is the conditions of all units as one integer, the first unit as the lowest field.

    A condition is the unit's place (:mod:`.ground`), or one of two that come after those: rallied, destroyed.
    """

    def _prepare(self) -> None:
        self._turns = self.asked.turns or self.question.ruleset.turns
        most = 2 * self._turns  # flights: one for want of PIPs and one for a charge, each turn
        paths = [path_of(unit, range(1), most) for unit in self.asked.units]
        self.paths = {f"unit_{number}": path for number, path in enumerate(paths, start=1)}
        self.fields = Fields({name: len(self.paths[name].places) + ENDS for name in reversed(self.paths)})
        self._charges = self.asked.charged_by_cavalry, self.asked.charged_by_infantry
        standing = self.asked.standing
        self._collapsed = standing is not None and bool(gt.has_collapsed(standing, len(self.asked.units)))

    def _now(self, name: str, states: Any) -> tuple[Any, Any, int]:
        """The condition of a unit, that after one more flight (GT-5, GT-6), and how many places it has."""
        now, path = self.fields.get(name, states), self.paths[name]
        count = len(path.places)
        after = [count + DESTROYED if totals[0] == OFF_MAP else totals[0] for totals in path.onward]
        return now, np.array([*after, *range(count, count + ENDS)])[now], count

    def _pip_phase(self, states: Any, pips: Any) -> Any:
        """Units rally in order as far as PIPs go, the others flee again, but for those in shelter (GT-6)."""
        after, left = states, np.maximum(pips - self.asked.pips_elsewhere, 0)
        for name, path in self.paths.items():
            now, then, count = self._now(name, states)
            rallies = (now < count) & gt.rallies(left, self._collapsed)
            left = left - gt.RALLY_COST * rallies
            sheltered = np.array([*(place.sheltered for place in path.places), *[True] * ENDS])[now]
            then = np.where(rallies, count + RALLIED, np.where(sheltered, now, then))
            after = self.fields.put(after, **{name: then})
        return after

    def _charged(self, name: str, states: Any, enemy: Any) -> Any:
        """No charge, one by cavalry, which it does not survive (GT-7), or by infantry, even out of shelter (GT-6)."""
        now, flees, count = self._now(name, states)
        dies = np.where(now < count, count + DESTROYED, now)
        return self.fields.put(states, **{name: np.choose(enemy, [now, dies, flees])})

    def chain(self) -> Chain:
        """Turns of a PIP phase and the charges after it; the state at the end of each is recorded."""
        ruleset, charge = self.question.ruleset, Die((1.0 - sum(self._charges), *self._charges))
        turn = [Phase(self._pip_phase, sided(ruleset.pip_sides), ruleset.pip_dice)]
        turn += [Phase(partial(self._charged, name), charge, 1) for name in self.paths] if any(self._charges) else []
        flights = max(len(path.places) for path in self.paths.values())
        what = f"{len(self.paths)} units in rout, each by its flights (up to {flights}), rallied or destroyed"
        less = "fewer units, nearer edges, or no edge_distance"
        return Chain(0, (*turn, RECORD) * self._turns, self.fields.size, what, less)

    def answer(self, recorded: Recorded) -> Answer:
        """`rout`: each unit by turn; `time_in_rout`: when its rout ended, and how; `still_routed`: how many at once."""
        states, weights = recorded
        of_units = [self.fields.get(name, states) - len(path.places) for name, path in self.paths.items()]
        beyond = np.stack(of_units, axis=1)  # the places
        rallied, routed, destroyed = (weights @ now for now in (beyond == RALLIED, beyond < 0, beyond == DESTROYED))
        then = {"p_rallied_then": rallied, "p_destroyed_then": destroyed}
        ended = {name: np.diff(each, axis=0, prepend=0) for name, each in then.items()}
        ends = sum(ended.values())
        ends[-1] += routed[-1]  # still routed: all the turns there were
        mean, numbers = Mean.of(ends.T, np.arange(1, len(ends) + 1)), range(1, len(self.paths) + 1)
        tables = {
            "rout": by_unit_and_turn({"p_rallied": rallied, "p_routed": routed, "p_destroyed": destroyed}),
            "time_in_rout": by_unit_and_turn(ended, turn="turns"),
            "turns_in_rout": Table({"unit": numbers}, means={"mean_turns": mean}),
            "still_routed": counted(turns_of(weights), "units", weights, (beyond < 0).sum(axis=1), len(self.paths)),
        }
        lines = {"p_rallied": "rallied", "p_routed": "routed", "p_destroyed": "destroyed"}
        panels = [Curves("rout", f"Routed unit {number}", "turn", lines, {"unit": number}) for number in numbers]
        return Answer(tables, panels)

    def rules(self) -> Rules:
        """The rules that the numbers come from, and what has no effect."""
        units, pips = self.asked.units, self.question.ruleset.most_pips - self.asked.pips_elsewhere
        sheltered = [unit.shelter_distance is not None for unit in units]
        applied = {
            "GT-5 shelter": any(sheltered),
            "GT-5 the map edge": any(unit.edge_distance is not None for unit in units),
            "GT-6 flight again": True,
            "GT-6 rally": not self._collapsed and gt.rallies(pips, 0),
            "GT-7 charges against routed units": sum(self._charges) > 0,
            "GT-8 collapse forbids rallying": self._collapsed,
        }
        useless = "shelter_distance has no effect: the unit is in shelter already"
        in_shelter = [unit.in_shelter and woods for unit, woods in zip(units, sheltered)]
        warnings = {f"rout.units.{number}.{useless}": each for number, each in enumerate(in_shelter)}
        return Rules(applied, {}, warnings)
