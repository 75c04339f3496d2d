"""Sides that look ahead: exact gains, an order that means nothing, planted cases, and strength against tactics."""

import numpy as np
import pytest

import analyser
from analyser.engine.battle.battle_data import cell_of, condition_of
from analyser.engine.battle.simulation import Simulation
from analyser.rules.battle import Outcome
from analyser.scenarios.battle_tables import Encoder, encode_battle
from tests.helpers.battles import scenario_of

BOTH = {"tactic_mine": "balanced", "tactic_yours": "balanced"}
RIFLES = ["crown/rifle-platoon@basic", "crown/drake-field-guns@basic", "crown/horse-guard-cavalry@basic"]
GRENADIERS = ["2 x imperium/scion-grenadier-platoon@basic", "imperium/krupp-field-guns@basic"]


def outcomes_of(mine, yours, trials, seed=1, **terms):
    """How many battles have each outcome."""
    return Simulation(*encode_battle(scenario_of(mine, yours, **terms))).play(trials, seed).outcomes.sum(axis=0)


def scores(mine, yours, trials, seed=1, **terms):
    """The share of battles that mine wins, half of a draw counting as won."""
    outcomes = outcomes_of(mine, yours, trials, seed, **terms) / trials
    return outcomes[[Outcome.VICTORY, Outcome.DEVASTATING_VICTORY]].sum() + 0.5 * outcomes[Outcome.DRAW]


def squad(models, **keys):
    """A unit of two dice a model at most, without a test to take; its one row reaches 24 inches."""
    row = {"id": "row", "name": "Row", "kind": "ranged", "against": ["light"], "long_range": 24}
    row |= {"bands": [{"first": 1, "last": 9, "dice": 2}]}
    unit = {"name": "Squad", "type": "infantry", "category": "light", "models": models, "points": 50, "speed": 4}
    return unit | {"defence": 1, "damage_limit": 1, "victory_points": 2, "rows": [row]} | keys


def test_gains_are_exact():
    """Two coins against three models: one is hit on average; a last model falls 3 in 4, the last two 1 in 4."""
    library = analyser.load_profiles()
    ruleset = library.ruleset.model_copy(update={"die": library.ruleset.die.model_validate({"strike": 1, "blank": 1})})
    encoder = Encoder(ruleset)
    encoding, _, _, tables = encoder.encode(scenario_of([squad(3)], [squad(3)], **BOTH))
    strike = int(encoding.rows[0, 0]["strikes"][0])
    cell = tables.first_cell[strike] + cell_of(3, False, condition_of(False, 0))
    rows = tables.gains[tables.gains_of[cell] :][:4]
    assert rows[:, 0] * 3 == pytest.approx([0, 0.75, 1, 1], abs=1e-6)  # share of the three models
    assert rows[:, 1] == pytest.approx([0, 0.75, 0.25, 0], abs=1e-6)  # removed


def in_two_orders(army, trials):
    """The scores of a list against itself: as listed, and from the last unit to the first."""
    return [scores(army, listed, trials, **BOTH) for listed in (army, army[::-1])]


@pytest.mark.slow
@pytest.mark.parametrize("army", [RIFLES, GRENADIERS], ids=str)
def test_a_list_against_itself_is_even_in_every_order(army):
    assert in_two_orders(army, 4000) == pytest.approx([0.5, 0.5], abs=4 * np.sqrt(0.25 / 4000))


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
