"""One flight and its pursuit, to the map edge or short of it (GT-3 to GT-5)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyser.engine.chain.chain import Chain, Phase, Recorded, bernoulli, sided
from analyser.morale.grande_tactique import rules
from analyser.morale.grande_tactique.question import Flight
from analyser.morale.result import Mean, Table

DIE = sided(6)
TOTALS = rules.FLIGHT_DICE * DIE.highest + 1
SURROUNDED = TOTALS  # a state is the total of the flight dice; then comes this one


def dice_rolled(arm: str, enemy: str) -> int:
    """How many dice a flight takes (GT-3)."""
    return rules.flight_dice(rules.Arm[arm.upper()], rules.Arm[enemy.upper()])


def chain(flight: Flight) -> Chain:
    """Whether there is a gap, then the flight dice."""
    states = np.arange(TOTALS + 1)
    gap = Phase(np.column_stack([states, np.full_like(states, SURROUNDED)]), bernoulli(flight.surrounded), 1)
    rolled = np.minimum(states[:, np.newaxis] + states[np.newaxis, :TOTALS], TOTALS - 1)
    rolled[SURROUNDED] = SURROUNDED
    return Chain(0, (gap, Phase(rolled, DIE, dice_rolled(flight.arm, flight.enemy), recorded=True)))


def tables(flight: Flight, recorded: Recorded) -> dict[str, Table]:
    """`flight`: fate, distance and pursuit together; `fates`: how likely each is, and the mean distances."""
    (law,) = laws = recorded.of_all(TOTALS + 1)
    arm, enemy = rules.Arm[flight.arm.upper()], rules.Arm[flight.enemy.upper()]
    ends = [_end(flight, arm, total) for total in range(TOTALS)] + [("surrounded", 0.0)]
    pursuits = [
        rules.pursuit_distance(enemy, arm, distance) if fate != "surrounded" else 0.0 for fate, distance in ends
    ]
    shown = np.flatnonzero(law)
    keys: dict[str, list[Any]] = {
        "fate": [ends[state][0] for state in shown],
        "distance": [ends[state][1] for state in shown],
        "pursuit": [float(pursuits[state]) for state in shown],
    }
    fates = np.array([fate for fate, _ in ends])
    off, surrounded = law[fates == "off the map"].sum(), law[fates == "surrounded"].sum()
    chances = {
        "p_off_map": _one(off),
        "p_surrounded": _one(surrounded),
        "p_destroyed": _one(off + surrounded),
        "p_in_shelter": _one(law[fates == "in shelter"].sum()),
        "p_routed": _one(law[(fates == "in shelter") | (fates == "routed")].sum()),
    }
    means = {}
    if flight.surrounded < 1:  # a unit that is surrounded has not moved, and nobody pursues it
        moves = 1.0 * (fates != "surrounded")
        means = {
            "mean_flight_if_it_flees": Mean.of(laws, [distance for _, distance in ends], moves),
            "mean_pursuit_if_it_flees": Mean.of(laws, pursuits, moves),
        }
    return {
        "flight": Table(keys, {"probability": law[shown]}, {}),
        "fates": Table({"arm": [flight.arm]}, chances, means),
    }


def _one(weight: float) -> NDArray[np.float64]:
    return np.array([weight])


def _end(flight: Flight, arm: int, total: int) -> tuple[str, float]:
    """The fate of a flight with this total of its dice, and how far it went."""
    distance = float(rules.flight_distance(arm, total))
    if flight.shelter_distance is not None and rules.finds_shelter(arm, flight.shelter_distance):
        return "in shelter", flight.shelter_distance
    if flight.edge_distance is not None and rules.off_map(distance, flight.edge_distance):
        return "off the map", distance
    return "routed", distance
