"""One flight and its pursuit, to the map edge or short of it (GT-3 to GT-5)."""

from __future__ import annotations

import numpy as np

from analyser.engine.chain.chain import RECORD, Chain, Phase, Recorded, bernoulli, sided
from analyser.morale.answers import Answer, Mean, Part, Table, rules_used
from analyser.morale.games.grande_tactique import rules as gt
from analyser.morale.games.grande_tactique.question import Flight, Question
from analyser.morale.pictures import Bars
from analyser.results.base import RulesUsed

DIE = sided(6)
TOTALS = gt.FLIGHT_DICE * DIE.highest + 1
SURROUNDED = TOTALS  # a state is the total of the flight dice; then comes this one
DESTROYED = ("off the map", "surrounded")


class OneFlight(Part):
    """A unit that flees, and who pursues it."""

    asked: Flight

    def __init__(self, asked: Flight, question: Question) -> None:
        super().__init__(asked, question)
        self._arm, self._enemy = gt.Arm[asked.arm.upper()], gt.Arm[asked.enemy.upper()]

    def chain(self) -> Chain:
        """Whether there is a gap, then the flight dice."""
        gap = Phase(lambda states, none: np.where(none, SURROUNDED, states), bernoulli(self.asked.surrounded), 1)
        dice = gt.flight_dice(self._arm, self._enemy)
        rolled = Phase(lambda states, total: np.where(states == SURROUNDED, SURROUNDED, total), DIE, dice)
        return Chain(0, (gap, rolled, RECORD), TOTALS + 1)

    def _end(self, total: int) -> tuple[str, float]:
        """The fate of a flight with this total of its dice, and how far it went."""
        distance, shelter = float(gt.flight_distance(self._arm, total)), self.asked.shelter_distance
        if shelter is not None and gt.finds_shelter(self._arm, shelter):
            return "in shelter", shelter
        edge = self.asked.edge_distance
        return "off the map" if edge is not None and gt.off_map(distance, edge) else "routed", distance

    def answer(self, recorded: Recorded) -> Answer:
        """`flight`: fate, distance and pursuit together; `fates`: how likely each is, and the mean distances."""
        weights = recorded.of_all(TOTALS + 1)
        ends = [*(self._end(total) for total in range(TOTALS)), ("surrounded", 0.0)]
        fates, distances = map(np.array, zip(*ends))
        moves = fates != "surrounded"  # a unit that is surrounded does not move, and nobody pursues it
        pursued = [float(gt.pursuit_distance(self._enemy, self._arm, distance)) for distance in distances]
        pursuits, met = np.where(moves, pursued, 0.0), np.flatnonzero(weights[0])
        keys = {"fate": fates[met].tolist(), "distance": distances[met].tolist(), "pursuit": pursuits[met].tolist()}
        probabilities = {
            "p_off_map": weights @ (fates == "off the map"),
            "p_surrounded": weights @ (fates == "surrounded"),
            "p_destroyed": weights @ np.isin(fates, DESTROYED),
            "p_in_shelter": weights @ (fates == "in shelter"),
            "p_routed": weights @ np.isin(fates, ("in shelter", "routed")),
        }
        means = {}
        for name, lengths in (("flight", distances), ("pursuit", pursuits)) if self.asked.surrounded < 1 else ():
            means[f"mean_{name}_if_it_flees"] = Mean.of(weights * moves, lengths)._replace(given=weights @ moves)
        tables = {
            "flight": Table(keys, {"probability": weights[0, met]}),
            "fates": Table({"arm": [self.asked.arm]}, probabilities, means),
        }
        panel = Bars("flight", "Flight, inches (hatched: destroyed)", "distance", lost={"fate": DESTROYED})
        return Answer(tables, [panel])

    def rules(self) -> RulesUsed:
        """The rules that the numbers come from, and what has no effect."""
        flight, shelter = self.asked, self.asked.shelter_distance is not None
        applied = {
            "GT-3 flight distance": True,
            "GT-4 pursuit": flight.enemy == "cavalry",
            "GT-5 shelter": flight.arm == "infantry" and shelter,
            "GT-5 the map edge": flight.edge_distance is not None,
            "GT-5 surrounded": flight.surrounded > 0,
        }
        useless = "flight.shelter_distance has no effect: only infantry makes for woods or a built-up area (GT-5)"
        return rules_used(applied, {}, {useless: flight.arm == "cavalry" and shelter})
