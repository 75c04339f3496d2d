"""What a longer fight comes to for the defender, as the figures of a comparison."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyser.engine.law import Law
from analyser.engine.sweep import HIGH, LOW, SUMMARY, percentile
from analyser.fights import endings as read
from analyser.fights.combatant import Combatant, resolve_combatant
from analyser.units import Loadout

FATES = ("suppressed", "broken", "fled", "annihilated")


def side_of(loadout: Loadout) -> Combatant:
    """A loadout as a side of a longer fight, met from its front."""
    asked = Combatant(unit=loadout.selector, from_front=True)
    return resolve_combatant(asked, None, loadout.selector, loadout)


def summary(law: Law, defender: Combatant) -> np.void:
    """The figures of the defender, side 1 of the fight: one record of SUMMARY."""
    words, chances = law.second, law.chances.sum(axis=0)
    models, limit = defender.models or 0, defender.damage_limit or 1
    destroyed = read.models_destroyed(words, models)
    counts: NDArray[np.float64] = np.bincount(destroyed, chances, models + 1).astype(np.float64)
    found: np.void = np.zeros(1, SUMMARY)[0]
    found["mean_models_destroyed"] = chances @ destroyed
    found["p_any_destroyed"] = counts[1:].sum()
    found["p_half_destroyed"] = counts[(models + 1) // 2 :].sum()
    for name in FATES:
        found[f"p_{name}"] = chances @ read.flag(words, name)
    found["models_destroyed_10th_percentile"] = percentile(counts, LOW)
    found["models_destroyed_90th_percentile"] = percentile(counts, HIGH)
    found["mean_damage"] = chances @ (destroyed * limit + read.damage(words))
    return found
