"""Sides that look ahead: an order that means nothing, a planted case, and strength against tactics."""

import numpy as np
import pytest

import analyser
from analyser.engine.battle.simulation import Simulation
from analyser.rules.battle import Outcome
from analyser.scenarios.battle_tables import encode_battle
from tests.helpers.battles import scenario_of

BOTH = {"tactic_mine": "balanced", "tactic_yours": "balanced"}
RIFLES = ["crown/rifle-platoon@basic", "crown/drake-field-guns@basic", "crown/horse-guard-cavalry@basic"]
GRENADIERS = ["2 x imperium/scion-grenadier-platoon@basic", "imperium/krupp-field-guns@basic"]


def outcomes_of(mine, yours, trials, seed=1, **terms):
    return Simulation(*encode_battle(scenario_of(mine, yours, **terms))).play(trials, seed).outcomes.sum(axis=0)


def scores(mine, yours, trials, seed=1, **terms):
    """The share of battles that mine wins, half of a draw counting as won."""
    outcomes = outcomes_of(mine, yours, trials, seed, **terms) / trials
    return outcomes[[Outcome.VICTORY, Outcome.DEVASTATING_VICTORY]].sum() + 0.5 * outcomes[Outcome.DRAW]


@pytest.mark.slow
@pytest.mark.parametrize("army", [RIFLES, GRENADIERS], ids=str)
def test_a_list_against_itself_is_even_in_every_order(army):
    """As listed, and from the last unit to the first."""
    found = [scores(army, listed, 4000, **BOTH) for listed in (army, army[::-1])]
    assert found == pytest.approx([0.5, 0.5], abs=4 * np.sqrt(0.25 / 4000))


@pytest.mark.slow
def test_a_colossus_is_used():
    """430 points that nothing here can hurt destroy more than 100 points of the sample list."""
    folder = "notebooks/armies"
    found = analyser.battle(f"{folder}/crown.rosz", f"{folder}/imperium.rosz", trials=500, swing=False, tactics=False)
    (colossus,) = [row for row in found.contributions() if "Colossus" in row["name"]]
    assert colossus["points_destroyed"] > 100


@pytest.mark.slow
def test_looking_ahead_beats_tactics():
    ahead = {"tactic_mine": "balanced", "tactic_yours": "policies"}
    behind = {"tactic_mine": "policies", "tactic_yours": "balanced"}
    assert scores(RIFLES, RIFLES, 2000, **ahead) > 0.6
    assert scores(RIFLES, RIFLES, 2000, **behind) < 0.4
