"""Tactics of an army in a battle: weights with which a side looks ahead (BT-6)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

BY_POLICY = "policies"
"""Name of the tactic of a side that does not look ahead, but follows its units' policies."""
NO_TACTIC = -1


class Weight(IntEnum):
    """Index of each weight; the comments state what the weights multiply."""

    LOSS = 0  # the enemy's best attack in response
    FUTURE = 1  # attacks that a position allows next turn
    VALUE = 2  # share of the target's health that an attack destroys, times its `stake`
    REMOVAL = 3  # probability that an attack removes the target, times its `stake`
    DENIAL = 4  # attacks that the target can no longer make
    CHARGE = 5  # gain of a charge, if it is positive
    OBJECTIVE = 6  # victory points of an objective (BT-7)


class Tactic(NamedTuple):
    """Description and weights, in the order of :class:`Weight`."""

    description: str
    weights: tuple[float, ...]


TACTICS = {
    "balanced": Tactic("weighs gains and losses alike", (0.5, 0.5, 0.5, 0.5, 0.5, 1.0, 0.5)),
    "attack": Tactic("closes in, and cares little for losses", (0.1, 0.9, 0.5, 0.5, 0.5, 1.2, 0.3)),
    "stand_off": Tactic("shoots from beyond the enemy's reach where it can", (1.0, 0.3, 0.5, 0.5, 0.5, 0.7, 0.5)),
    "finish": Tactic("concentrates on units that it can destroy", (0.5, 0.5, 0.3, 1.2, 0.3, 1.0, 0.5)),
    "disarm": Tactic("attacks the most dangerous units first", (0.5, 0.5, 0.4, 0.4, 1.5, 1.0, 0.3)),
    "counter_charge": Tactic("waits out of reach, and charges what comes near", (0.8, 0.2, 0.5, 0.5, 0.5, 1.8, 0.7)),
    "refuse": Tactic("keeps away, and attacks only without risk", (2.5, 0.05, 0.5, 0.5, 0.3, 0.5, 1.0)),
}
"""Tactics by name."""
DEFAULT = next(iter(TACTICS))
"""Tactic of a side if no tactic is stated and no equilibrium is computed."""
MOST_TACTICS = 16
# Factors of the weights in the last round, in the two rounds before it, and earlier. The first two rows are fitted to
# best play in random battles of two units a side over three rounds: points matter at the end, enemy attacks earlier.
# The weights of objectives are fitted to battles of random lists against each other.
FACTORS = np.array([(0.5, 1.0, 0.4, 2.0, 1.0, 0.8, 2.0), (0.5, 0.5, 0.1, 0.2, 5.0, 0.8, 1.0), (1.0,) * 7])
WEIGHTS = np.zeros((len(FACTORS), MOST_TACTICS, len(Weight)))
WEIGHTS[:, : len(TACTICS)] = FACTORS[:, None] * [tactic.weights for tactic in TACTICS.values()]
_SURELY, _ROUNDING = 2.0, 1e-12  # _SURELY is greater than any drawn number


def set_mix(setup: Any, side: int, mix: Mapping[str, float]) -> None:
    """Set the probabilities of the tactics of a side that looks ahead, by name."""
    setup.weights[:] = WEIGHTS
    cumulated = np.cumsum([mix.get(name, 0.0) for name in TACTICS])
    setup.mix[side] = _SURELY
    setup.mix[side, : len(cumulated)] = np.where(cumulated > 1.0 - _ROUNDING, _SURELY, cumulated)
