"""One flight and its pursuit, to the map edge or short of it (GT-3 to GT-5)."""

from __future__ import annotations

import numpy as np

from analyser.engine.chain.chain import RECORD, Chain, Phase, Recorded, bernoulli, sided
from analyser.morale.answers import Answer, Mean, Table, rules_used
from analyser.morale.games.grande_tactique import rules as gt
from analyser.morale.games.grande_tactique.question import Flight, Question
from analyser.morale.pictures import Bars
from analyser.results.base import RulesUsed

DIE = sided(6)
TOTALS = gt.FLIGHT_DICE * DIE.highest + 1
SURROUNDED = TOTALS  # a state is the total of the flight dice; then comes this one
DESTROYED = ("off the map", "surrounded")


def chain(flight: Flight, _: Question) -> Chain:
    """Whether there is a gap, then the flight dice."""
    gap = Phase(lambda states, missing: np.where(missing, SURROUNDED, states), bernoulli(flight.surrounded), 1)
    dice = gt.flight_dice(gt.Arm[flight.arm.upper()], gt.Arm[flight.enemy.upper()])
    rolled = Phase(lambda states, total: np.where(states == SURROUNDED, SURROUNDED, total), DIE, dice)
    return Chain(0, (gap, rolled, RECORD), TOTALS + 1)


def answer(flight: Flight, _: Question, recorded: Recorded) -> Answer:
    """`flight`: fate, distance and pursuit together; `fates`: how likely each is, and the mean distances."""
    weights = recorded.of_all(TOTALS + 1)
    arm, enemy = gt.Arm[flight.arm.upper()], gt.Arm[flight.enemy.upper()]
    fates, distances = map(np.array, zip(*(_end(flight, arm, total) for total in range(TOTALS)), ("surrounded", 0.0)))
    moves = fates != "surrounded"  # a unit that is surrounded does not move, and nobody pursues it
    pursuits = np.where(moves, [float(gt.pursuit_distance(enemy, arm, distance)) for distance in distances], 0.0)
    met = np.flatnonzero(weights[0])
    keys = {"fate": fates[met].tolist(), "distance": distances[met].tolist(), "pursuit": pursuits[met].tolist()}
    probabilities = {
        "p_off_map": weights @ (fates == "off the map"),
        "p_surrounded": weights @ (fates == "surrounded"),
        "p_destroyed": weights @ np.isin(fates, DESTROYED),
        "p_in_shelter": weights @ (fates == "in shelter"),
        "p_routed": weights @ np.isin(fates, ("in shelter", "routed")),
    }
    means = {}
    if flight.surrounded < 1:
        for name, lengths in (("flight", distances), ("pursuit", pursuits)):
            means[f"mean_{name}_if_it_flees"] = Mean.of(weights * moves, lengths)._replace(given=weights @ moves)
    tables = {
        "flight": Table(keys, {"probability": weights[0, met]}),
        "fates": Table({"arm": [flight.arm]}, probabilities, means),
    }
    return Answer(tables, [Bars("flight", "Flight, inches (hatched: destroyed)", "distance", lost={"fate": DESTROYED})])


def _end(flight: Flight, arm: int, total: int) -> tuple[str, float]:
    """The fate of a flight with this total of its dice, and how far it went."""
    distance = float(gt.flight_distance(arm, total))
    if flight.shelter_distance is not None and gt.finds_shelter(arm, flight.shelter_distance):
        return "in shelter", flight.shelter_distance
    if flight.edge_distance is not None and gt.off_map(distance, flight.edge_distance):
        return "off the map", distance
    return "routed", distance


def rules(flight: Flight, _: Question) -> RulesUsed:
    """The rules that the numbers come from, and what has no effect."""
    infantry, sheltered = flight.arm == "infantry", flight.shelter_distance is not None
    applied = {
        "GT-3 flight distance": True,
        "GT-4 pursuit": flight.enemy == "cavalry",
        "GT-5 shelter": infantry and sheltered,
        "GT-5 the map edge": flight.edge_distance is not None,
        "GT-5 surrounded": flight.surrounded > 0,
    }
    useless = "flight.shelter_distance has no effect: only infantry makes for woods or a built-up area (GT-5)"
    return rules_used(applied, {}, {useless: sheltered and not infantry})
