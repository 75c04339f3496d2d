"""Duels as a situation of comparisons, beside `analyser.duel` and the plain reading's rules of victory."""

import pandas as pd
import pytest

import analyser
from analyser.analysis.grid import combatant_of
from analyser.analysis.matchups import matchups
from analyser.analysis.two_sided_cells import default_tactic
from analyser.game.keywords import Rule

PAIRS = [
    ("crown/rifle-platoon@basic", "imperium/scion-grenadier-platoon@basic", ("shoot", "shoot")),
    ("crown/galahad-breachers@basic", "imperium/sturmpanzer-battletanks@basic", None),
    ("imperium/krupp-field-guns@basic", "crown/horse-guard-cavalry@basic", ("shoot", "charge")),
    ("crown/monarch-landship", "crown/rifle-platoon@reinforced", ("shoot", "charge")),
]


@pytest.mark.parametrize(("first", "second", "policies"), PAIRS)
def test_figures_are_those_of_the_duel(library, first, second, policies):
    attacker, defender = library.loadout(first), library.loadout(second)
    a, b = combatant_of(attacker), combatant_of(defender)
    found = default_tactic(a, b), default_tactic(b, a)
    assert policies is None or found == policies
    sides = [{"unit": each.selector, "from_front": True} for each in (attacker, defender)]
    result = analyser.duel(*sides, first="a", policy_a=found[0], policy_b=found[1], rounds=6)
    row = matchups(attacker, defender, situations=["duel"], profiles=library).frame.iloc[0]
    events = {"attacker_wins": "a_wins", "draw": "draw", "suppressed": "b_suppressed", "broken": "b_broken"}
    events |= {"fled": "b_fled", "annihilated": "b_annihilated"}
    wanted = {f"p_{name}": float(result.probability(event)) for name, event in events.items()}
    table = result.table()
    wanted["mean_models_destroyed"] = table["probability"] @ table["b_models_destroyed"]
    wanted["p_any_destroyed"] = table["probability"] @ (table["b_models_destroyed"] > 0)
    for name, value in wanted.items():
        assert row[name] == pytest.approx(value, abs=1e-12), name
    assert row["p_attacker_wins"] + row["p_draw"] <= 1 + 1e-12
    assert pd.isna(row["why_not"])
    assert row["expected_victory_points"] == pytest.approx(wanted["p_annihilated"] * defender.level.victory_points)


def test_each_shoots_if_it_can_else_charges_else_takes_cover(river):
    otter, fort, heron = (combatant_of(river.loadout(f"river/{name}@basic")) for name in ("otter", "beaver", "heron"))
    assert (default_tactic(otter, otter), default_tactic(fort, otter)) == ("shoot", "take_cover")
    without_rifles = otter.model_copy(update={"rows": tuple(row for row in otter.rows if row.kind != "ranged")})
    assert (default_tactic(without_rifles, otter), default_tactic(without_rifles, heron)) == ("charge", "take_cover")
    assert default_tactic(without_rifles.model_copy(update={"garrisoned": True}), otter) == "take_cover"
    static = without_rifles.model_copy(update={"rules": (Rule("Static"),)})
    assert default_tactic(static, otter) == "take_cover"


def test_who_cannot_duel_says_why(river):
    frame = matchups("river/*", "river/*@basic", situations=["duel"], profiles=river).frame
    why = frame.set_index(["attacker", "defender"])["why_not"]
    guard, fort, heron = (f"river/{name}@basic" for name in ("otter-guard", "beaver-fort", "heron"))
    assert "is an aircraft, and flies sorties" in why[guard, heron]
    assert why[heron, guard] == why[guard, heron]
    assert why[fort, fort] == "neither unit can shoot at the other or charge it"
    assert pd.isna(why[fort, guard])
    blank = frame["why_not"].notna()
    assert (frame["p_attacker_wins"].isna() == blank).all()
    idle = frame[(frame["attacker"] == fort) & (frame["defender"] == guard)].iloc[0]
    assert pd.isna(idle["row"])
    assert idle["p_attacker_wins"] == 0
