"""One flight and its pursuit, to the map edge or short of it (GT-3 to GT-5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from analyser.engine.chain.chain import Chain, Phase, Recorded, bernoulli, sided
from analyser.morale.games.grande_tactique import rules
from analyser.morale.games.grande_tactique.question import Flight, Question
from analyser.morale.panels import Bars, Panel
from analyser.morale.tables import Mean, Table

DIE = sided(6)
TOTALS = rules.FLIGHT_DICE * DIE.highest + 1
SURROUNDED = TOTALS  # a state is the total of the flight dice; then comes this one
DESTROYED = ("off the map", "surrounded")


def chain(flight: Flight, _: Question) -> Chain:
    """Whether there is a gap, then the flight dice."""
    states = np.arange(TOTALS + 1)
    gap = Phase(np.column_stack([states, np.full_like(states, SURROUNDED)]), bernoulli(flight.surrounded), 1)
    rolled = np.minimum(states[:, np.newaxis] + states[np.newaxis, :TOTALS], TOTALS - 1)
    rolled[SURROUNDED] = SURROUNDED
    dice = rules.flight_dice(rules.Arm[flight.arm.upper()], rules.Arm[flight.enemy.upper()])
    return Chain(0, (gap, Phase(rolled, DIE, dice, recorded=True)))


def tables(flight: Flight, _: Question, recorded: Recorded) -> dict[str, Table]:
    """`flight`: fate, distance and pursuit together; `fates`: how likely each is, and the mean distances."""
    weights = recorded.of_all(TOTALS + 1)
    arm, enemy = rules.Arm[flight.arm.upper()], rules.Arm[flight.enemy.upper()]
    ends = [_end(flight, arm, total) for total in range(TOTALS)] + [("surrounded", 0.0)]
    pursuits = [
        float(rules.pursuit_distance(enemy, arm, distance)) if fate != "surrounded" else 0.0 for fate, distance in ends
    ]
    rows = [(*ends[state], pursuits[state], weights[0, state]) for state in np.flatnonzero(weights[0])]
    fates = np.array([fate for fate, _ in ends])
    probabilities = {
        "p_off_map": weights @ (fates == "off the map"),
        "p_surrounded": weights @ (fates == "surrounded"),
        "p_destroyed": weights @ np.isin(fates, DESTROYED),
        "p_in_shelter": weights @ (fates == "in shelter"),
        "p_routed": weights @ np.isin(fates, ("in shelter", "routed")),
    }
    means = {}
    if flight.surrounded < 1:  # a unit that is surrounded has not moved, and nobody pursues it
        moves = 1.0 * (fates != "surrounded")
        means = {
            "mean_flight_if_it_flees": Mean.of(weights, [distance for _, distance in ends], moves),
            "mean_pursuit_if_it_flees": Mean.of(weights, pursuits, moves),
        }
    return {
        "flight": Table.of_rows(("fate", "distance", "pursuit"), rows),
        "fates": Table({"arm": [flight.arm]}, probabilities, means),
    }


def _end(flight: Flight, arm: int, total: int) -> tuple[str, float]:
    """The fate of a flight with this total of its dice, and how far it went."""
    distance = float(rules.flight_distance(arm, total))
    if flight.shelter_distance is not None and rules.finds_shelter(arm, flight.shelter_distance):
        return "in shelter", flight.shelter_distance
    if flight.edge_distance is not None and rules.off_map(distance, flight.edge_distance):
        return "off the map", distance
    return "routed", distance


def panels(_: Flight, __: Question) -> Iterator[Panel]:
    """The distance of the flight."""
    yield Bars("flight", "Flight, inches (hatched: destroyed)", "distance", lost={"fate": DESTROYED})


def applied(flight: Flight, _: Question) -> Mapping[str, bool]:
    """The rules of a flight, and whether each can have its occasion."""
    return {
        "GT-3 flight distance": True,
        "GT-4 pursuit": flight.enemy == "cavalry",
        "GT-5 shelter": flight.arm == "infantry" and flight.shelter_distance is not None,
        "GT-5 the map edge": flight.edge_distance is not None,
        "GT-5 surrounded": flight.surrounded > 0,
    }


def warnings(flight: Flight, _: Question) -> Iterator[str]:
    """What has no effect."""
    if flight.arm == "cavalry" and flight.shelter_distance is not None:
        yield "flight.shelter_distance has no effect: only infantry makes for woods or a built-up area (GT-5)"
