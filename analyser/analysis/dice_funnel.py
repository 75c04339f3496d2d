"""Expected numbers at each stage of an attack, from dice rolled to models destroyed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Unpack

import numpy as np
import pandas as pd
from numpy.polynomial import polynomial
from numpy.typing import NDArray

from analyser.game.profiles import ProfilesLike
from analyser.results.attack import solve_attack
from analyser.rules.attack import damage_points, hits_left_over, hits_of, losses_of
from analyser.rules.structs import FightFacts
from analyser.scenarios.attack import Scenario
from analyser.scenarios.load import Conditions, Question, Unit, attack_scenario


def dice_funnel(
    attacker: Unit | Scenario | Question,
    target: Unit | None = None,
    *,
    profiles: ProfilesLike | None = None,
    **conditions: Unpack[Conditions],
) -> pd.DataFrame:
    """Return the exact expected numbers at every stage of an attack.

    Parameters
    ----------
    attacker, target, profiles, conditions
        As in :func:`analyser.attack`.

    Returns
    -------
    DataFrame
        One row for each stage, in order, with columns `stage`, `unit` (``"dice"``, ``"hits"``, ``"damage"`` or
        ``"models"``), `kind` (``"total"``, ``"part"`` of the total above it, or ``"lost"`` from it) and `mean`.

        Dice rolled are those of the first roll (AC-3.2), including Overcharge. Dice added by heroic strikes (AC-3.3)
        have the kind ``"part"``, but dice rolled exclude them. Overkill is damage without a model left to destroy
        (AC-3.8, AC-3.9). Damage left on the unit includes earlier damage. Models destroyed are counted before any test.

    Examples
    --------
    >>> fight = {"attack": {"dice": 6}, "target": {"models": 4, "defence": 2, "damage_limit": 1}}
    >>> dice_funnel(fight).set_index("stage")["mean"].round(3).to_dict()["Dice added by heroic strikes"]
    1.0
    """
    scenario = attack_scenario(attacker, target, conditions, profiles)
    fight, result = scenario.fight, solve_attack(scenario)
    scores, pmf = result.scores, result.score_weights
    faces = np.array(scenario.ruleset.die.sides_by_face, np.float64) / scenario.ruleset.die.sides
    first_rolls = [(int(fight.dice), 1.0)]  # possible numbers of dice, with their probabilities
    if fight.overcharge:  # the card drawn adds dice (AC-6)
        deck = scenario.ruleset.deck.counts()
        first_rolls = [(int(fight.dice) + card, copies / deck.sum()) for card, copies in enumerate(deck) if copies]
    rolled = sum(dice * probability for dice, probability in first_rolls)
    added = rolled * _probability_of(faces, fight.exploding_faces) * fight.explosion
    most_damage = int(fight.most_destroyed) * int(fight.damage_limit) - int(fight.damage)

    def mean(figure: Callable[[int], float]) -> float:
        return float(sum(weight * figure(score) for score, weight in enumerate(pmf)))

    overkill = mean(lambda score: max(0, damage_points(fight, scores, score) - most_damage))
    rows = [
        ("Dice rolled", "dice", "total", rolled),
        ("Dice added by heroic strikes", "dice", "part", added),
        ("Dice re-rolled", "dice", "part", _expected_rerolls(fight, faces, first_rolls, rolled + added)),
        ("Hits", "hits", "total", mean(lambda score: hits_of(scores, score))),
        ("Hits lost to DEFENCE", "hits", "lost", mean(lambda score: hits_left_over(fight, scores, score))),
        ("Damage", "damage", "total", mean(lambda score: damage_points(fight, scores, score))),
        ("Damage lost to overkill", "damage", "lost", overkill),
        ("Damage left on the unit", "damage", "part", mean(lambda score: losses_of(fight, scores, score)[1])),
        ("Models destroyed", "models", "total", mean(lambda score: losses_of(fight, scores, score)[0])),
    ]
    return pd.DataFrame(rows, columns=["stage", "unit", "kind", "mean"])


def _expected_rerolls(
    fight: FightFacts, faces: NDArray[np.float64], first_rolls: list[tuple[int, float]], expected_dice: float
) -> float:
    """Return the expected number of re-rolled dice, from the generating polynomial of the number of eligible dice."""
    by_rating = expected_dice * _probability_of(faces, fight.reroll_faces)
    if not fight.extra_dice:
        return by_rating
    eligible = _probability_of(faces, fight.extra_faces)
    of_added_dice = polynomial.polypow([1 - eligible, eligible], int(fight.explosion))
    explodes = _probability_of(faces, fight.exploding_faces)
    one_die = polynomial.polyadd([1 - explodes - eligible, eligible], explodes * of_added_dice)
    extra = 0.0
    for dice, probability in first_rolls:
        pmf = polynomial.polypow(one_die, dice) if dice else np.array([1.0])  # pmf of the number of eligible dice
        extra += probability * float(np.minimum(np.arange(len(pmf)), fight.extra_dice) @ pmf)
    return by_rating + extra


def _probability_of(faces: NDArray[np.float64], mask: int) -> float:
    return float(sum(probability for face, probability in enumerate(faces) if int(mask) >> face & 1))
