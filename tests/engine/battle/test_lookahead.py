"""Sides that look ahead: an order that means nothing, a planted case, and strength against tactics."""

import numpy as np
import pytest

import analyser
from analyser.common.validation import checked
from analyser.engine.battle.simulation import Simulation
from analyser.game.ruleset import Die
from analyser.rules.battle import Outcome
from analyser.scenarios.battle import BattleTerms, battle_scenario
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


def unit(**keys):
    """A unit of one model without an attack."""
    usual = {"type": "infantry", "category": "light", "speed": 5, "models": 1, "defence": 1, "damage_limit": 1}
    return usual | {"name": "A", "points": 50, "victory_points": 3} | keys


def weapon(kind, dice, **keys):
    bands = [{"first": 1, "last": 9, "dice": dice}]
    return {"id": f"{kind}-{keys.get('short_range', 0)}", "name": kind, "kind": kind, "bands": bands} | keys


def gun(long, short=1, **keys):
    return weapon("ranged", 1, against=["light", "heavy", "aerial"], short_range=short, long_range=long, **keys)


TARGET_UNIT = unit(name="B", speed=0)
FLYER = unit(name="P", type="aircraft", category="aerial", speed=12, points=100, victory_points=5, rows=[gun(14)])
CHARGER = unit(models=3, rows=[weapon("melee", 3)])
SQUAD = unit(name="B", speed=0, models=5, discipline=6, break_limit=2, rows=[weapon("melee", 1)])
PLANTED = {  # both armies, terms, and the least share of battles that the first army wins
    "a diagonal advance ends in range": ([unit(rows=[gun(14)], x=0)], [TARGET_UNIT | {"x": 7.64}], {"gap": 14}, 1.0),
    "a Reactive row needs a lookout": (
        [unit(rows=[gun(40, qualities=["Reactive"])])],
        [TARGET_UNIT],
        {"gap": 12, "rounds": 3},
        0.99,
    ),
    "a gun steps back out of its short range": (
        [unit(rows=[gun(30, 12, qualities=["Indirect"])])],
        [TARGET_UNIT],
        {"gap": 8, "rounds": 2},
        0.99,
    ),
    "a lookout shoots at aircraft, which are away at other times": (
        [unit(models=5, speed=0, rows=[gun(20) | {"against": ["aerial"]}])],
        [TARGET_UNIT, FLYER],
        {"rounds": 5, "gap": 12},
        0.99,
    ),
    "two rows remove what one row only hurts": (
        [unit(rows=[gun(20), gun(20, 2)], rules=["All-Out Attack (2)"])],
        [TARGET_UNIT | {"models": 2}],
        {"gap": 12},
        1.0,
    ),
    "a charge breaks a unit": ([CHARGER], [SQUAD], {"gap": 8}, 0.5),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_good_action_is_found(name):
    mine, yours, terms, least = PLANTED[name]
    library = analyser.load_profiles()
    sure = library.ruleset.model_copy(update={"die": Die(heroic=0, strike=1, glancing=0, miss=0, blank=0)})
    checked_terms = checked(BattleTerms, BOTH | {"rounds": 1, "initiative_yours": "give"} | terms)
    armies = {"name": "Mine", "unit": mine}, {"name": "Yours", "unit": yours}
    simulation = Simulation(*encode_battle(battle_scenario(*armies, checked_terms, sure, library)))
    outcomes = simulation.play(1000, 1).outcomes.sum(axis=0)
    assert outcomes[[Outcome.VICTORY, Outcome.DEVASTATING_VICTORY]].sum() / 1000 >= least
