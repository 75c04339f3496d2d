"""Answers to battles: odds, survivors, contributions, swing units, stories."""

import re
from dataclasses import replace

import numpy as np
import pytest

import analyser
from analyser.common.errors import InputError
from analyser.common.estimates import estimate, probability_figures
from analyser.common.method_settings import Sampling
from analyser.common.text import whole_percent
from analyser.game.profiles import load_profiles
from analyser.results.battle import LEAST_FOR_SWING, share_of_trials
from analyser.results.battle_rules import rules_of_battle
from analyser.results.battle_tactics import Game, equilibrium
from analyser.scenarios.battle import BattleTerms, battle_scenario
from tests.helpers.battles import BY_POLICY

RIFLES = ["crown/rifle-command-platoon@basic", "2 x crown/rifle-platoon@basic"]
GRENADIERS = ["3 x imperium/scion-grenadier-platoon@basic"]


@pytest.fixture(scope="module")
def result():
    return analyser.battle(RIFLES, GRENADIERS, trials=4000, rounds=3, seed=5)


@pytest.mark.slow
def test_chances_add_up(result):
    assert sum(result.probability(name) for name in ("victory", "draw", "defeat")) == pytest.approx(1)
    assert result.probability("devastating_victory") <= result.probability("victory")
    assert sum(row["probability"] for row in result.margins()) == pytest.approx(1)
    better = sum(row["probability"] for row in result.margins() if row["margin"] > 0)
    assert better == pytest.approx(result.probability("victory"))


@pytest.mark.slow
def test_points_that_are_left_and_lost_are_those_of_the_army(result):
    last = {row["side"]: row for row in result.survivors() if row["round"] == 3}
    for side, army in zip(("mine", "yours"), result.scenario.armies):
        absorbed = sum(row["points_absorbed"] for row in result.contributions() if row["side"] == side)
        assert last[side]["mean_points"] + absorbed == pytest.approx(army.points)
        enemy = sum(row["points_destroyed"] for row in result.contributions() if row["side"] != side)
        assert enemy == pytest.approx(absorbed)
        assert last[side]["mean_percent"] == pytest.approx(100 * last[side]["mean_points"] / army.points, rel=1e-12)


@pytest.mark.slow
def test_a_result_is_known_at_the_end_and_units_after_each_round(result):
    assert result.mean("mine_units", 3) == result.mean("mine_units") < result.mean("mine_units", 1)
    assert result.probability("victory", 3) == result.probability("victory")
    for ask in (lambda: result.probability("victory", 2), lambda: result.mean("margin", 2)):
        with pytest.raises(InputError, match=r"round: 2 is out of range \(allowed: 3\)"):
            ask()
    with pytest.raises(InputError, match=r"round: 0 is out of range \(allowed: 1 to 3\)"):
        result.distribution("mine_units", 0)


@pytest.mark.slow
def test_the_range_over_the_tactics_is_that_of_the_sentence_below():
    """With 0 of 200 and 199 of 200 battles won, no bound is 0% or 100%."""
    ends = [probability_figures("p_victory", estimate(won, 200)) for won in (0, 199)]
    pairs = tuple({"mine": "balanced", "yours": "balanced", "picked": True, "trials": 200} | end for end in ends)
    result = analyser.battle(RIFLES[:1], GRENADIERS, trials=20, rounds=1, tactic_mine="balanced", swing=False)
    told = replace(result, game=result.game._replace(rows=pairs))
    assert "; over the tactics tried Crown wins between <2% and >99%; " in told.headline
    assert re.search(r"from <2% \(.*\) to 99\.5% \(97\.4 to 100\.0\) \(", " ".join(told.conclusions()))


@pytest.mark.slow
def test_every_unit_swings_and_the_first_most(result):
    rows = result.swing()
    assert len(rows) == 6
    differences = [row["difference"] for row in rows]
    assert differences == sorted(differences, reverse=True)
    assert all(row["low"] <= row["difference"] <= row["high"] for row in rows)
    assert differences[0] > 0


@pytest.mark.slow
def test_pairs_of_tactics_are_the_battles_of_those_tactics(result):
    pairs = result.tactics()["pairs"]
    assert len(pairs) == 49
    for row in [row for row in pairs if row["picked"]] + pairs[:3]:
        stated = {"tactic_mine": row["mine"], "tactic_yours": row["yours"], "trials": row["trials"]}
        again = analyser.battle(RIFLES, GRENADIERS, rounds=3, seed=6, swing=False, **stated)
        if row["picked"]:  # which is simulated anew
            assert float(again.probability("victory")) == row["p_victory"]
        else:
            assert again.probability("victory") == pytest.approx(row["p_victory"], abs=0.12)


@pytest.mark.slow
def test_neither_side_gains_by_leaving_the_equilibrium(result):
    game = result.game
    mine, yours = game.scores_against_mix(0), game.scores_against_mix(1)
    assert max(mine) == pytest.approx(min(yours), abs=1e-6)
    assert result.probability("victory") + 0.5 * result.probability("draw") == pytest.approx(max(mine), abs=0.1)


def test_equilibria_of_small_games():
    """Matching pennies, a dominated row, and rock, paper and scissors."""
    pennies, value = equilibrium(np.array([[1.0, 0.0], [0.0, 1.0]]))
    assert (pennies.tolist(), value) == ([0.5, 0.5], 0.5)
    dominated, value = equilibrium(np.array([[0.2, 0.3], [0.6, 0.4]]))
    assert (dominated.tolist(), round(value, 9)) == ([0.0, 1.0], 0.4)
    three, value = equilibrium(np.array([[0.5, 0.0, 1.0], [1.0, 0.5, 0.0], [0.0, 1.0, 0.5]]))
    assert three == pytest.approx([1 / 3] * 3)
    assert value == pytest.approx(0.5)


def test_the_headline_has_the_extremes_of_the_probability_that_it_names():
    """The pair with the fewest victories of the first army is not that with the most defeats if draws are many."""
    row = {"mine": "hold", "yours": "hold", "picked": True, "trials": 100}
    wins = {"a": (0.2, 0.2), "b": (0.3, 0.1), "c": (0.25, 0.4)}
    rows = tuple(row | {"mine": name, "p_victory": won, "p_defeat": lost} for name, (won, lost) in wins.items())
    game = Game((("a", "b", "c"), ("hold",)), rows, np.zeros((3, 1)), (np.ones(3) / 3, np.ones(1)))
    for name, pairs in (("p_victory", ["a", "b"]), ("p_defeat", ["b", "c"])):
        assert [found["mine"] for found in game.extreme_pairs(name)] == pairs


@pytest.mark.slow
def test_the_pairs_with_extreme_defeats_are_simulated_again(result):
    rows, (least, most) = result.tactics()["pairs"], result.game.extreme_pairs("p_defeat")
    assert 2 <= sum(row["picked"] for row in rows) <= 4
    others = [row["p_defeat"] for row in rows if not row["picked"]]
    assert least["p_defeat"] - 0.1 < min(others)
    assert most["p_defeat"] + 0.1 > max(others)
    shares = f"between {whole_percent(least['p_defeat'])} and {whole_percent(most['p_defeat'])} over the tactics tried"
    swapped = result.probability("defeat") > result.probability("victory")
    assert (shares in result.headline) == swapped


@pytest.mark.slow
def test_a_blast_among_friends_is_no_point_of_the_enemy():
    """Landships burst among their own: what they take of each other is told apart from what they take of the enemy."""
    how = BY_POLICY | {"trials": 300, "swing": False, "width": 0, "gap": 12}
    mine, yours = ["imperium/faust@full", "3 x imperium/krupp@full"], ["3 x crown/sovereign-landship@full"]
    found = analyser.battle(mine, yours, **how)
    rows = found.contributions()
    for side, other in (("mine", "yours"), ("yours", "mine")):
        by_enemies = sum(row["points_destroyed"] for row in rows if row["side"] == other)
        by_friends = sum(row["friends_destroyed"] for row in rows if row["side"] == side)
        assert by_enemies + by_friends <= sum(row["points_absorbed"] for row in rows if row["side"] == side) + 1e-9
    assert sum(row["friends_destroyed"] for row in rows) > 10
    assert "Points of their own side destroyed by blasts, not included above: " in str(found)


@pytest.mark.parametrize(
    ("terms", "told"),
    [
        ({"target_mine": "nearst"}, "battle: target_mine: 'nearst' is not usable; did you mean 'nearest'"),
        ({"gap": 50.0}, "battle.gap: 50 inches (allowed: up to the table's 36)"),
        ({"wholly": 10}, "unknown key (allowed: rounds, scale, "),
        ({"policy_mine": "shot"}, "battle: policy_mine: 'shot' is not usable; did you mean 'shoot'"),
        ({"swing": 3}, "swing: "),
    ],
    ids=str,
)
def test_wrong_terms_are_refused(terms, told):
    with pytest.raises(InputError) as error:
        analyser.battle(RIFLES, GRENADIERS, **terms)
    assert told in str(error.value)


def test_armies_that_cannot_fight_are_refused():
    late = {"unit": "crown/rifle-platoon@basic", "reserve": True}
    with pytest.raises(InputError, match="mine: 2 of 3 units are in reserve"):
        analyser.battle([RIFLES[0], late, late], GRENADIERS)
    with pytest.raises(InputError, match="65 units in one battle"):
        analyser.battle(["65 x crown/rifle-platoon@basic"], GRENADIERS)
    far = {"unit": "crown/rifle-platoon@basic", "behind": 30.0}
    with pytest.raises(InputError, match="behind: 30 inches"):
        analyser.battle([far], GRENADIERS)
    with pytest.raises(InputError, match="yours"):
        analyser.battle(RIFLES, ["imperium/nobody"])


@pytest.mark.parametrize(
    ("how", "trials"), [({"trials": 50_000}, 2500), ({"trials": 300}, 300), ({}, 500), ({"precision": "5%"}, 500)]
)
def test_swings_are_of_a_number_of_battles_known_beforehand(how, trials):
    assert share_of_trials(Sampling("monte-carlo", **how), 20, LEAST_FOR_SWING) == trials


@pytest.mark.slow
def test_a_story_reads_as_it_would_be_told():
    """An aircraft flies a sortie; what does no damage says so; a test tells what would have passed."""
    mine = ["crown/rifle-command-platoon@basic", "crown/rifle-platoon@basic", "crown/defiance-fighter-squadron@basic"]
    found = analyser.battle(mine, GRENADIERS, trials=30, swing=False, tactics=False)
    told = "\n".join(str(found.tell(number)) for number in range(30))
    sorties = [line for line in told.splitlines() if line.startswith("  Crown: Defiance Fighter Squadron, basic (")]
    flown = [line for line in sorties if ";" in line]  # the others find nobody to fire at
    assert flown
    assert all("; flies a sortie against Scion Grenadier Platoon, basic" in line for line in flown)
    assert not any("advances" in line or "closes in" in line for line in sorties)
    assert ": no damage" in told
    assert " 0 damage" not in told
    tests = re.findall(r" (passes|fails) its (?:rally )?test: card (\d+), (\d+) or less passes", told)
    assert {verdict for verdict, _, _ in tests} == {"passes", "fails"}
    assert all((int(card) <= int(most)) == (verdict == "passes") for verdict, card, most in tests)


def test_a_unit_without_a_target_says_what_it_does():
    how = {"policy_mine": "take_cover", "policy_yours": "lookout", "rounds": 1}
    told = analyser.battle(RIFLES, GRENADIERS, trials=1, swing=False, **how).tell(0)
    lines = [line for line in told.lines() if line.startswith("  ")]
    assert len(lines) == 6
    for army, does in (("Crown", "holds and takes cover"), ("Imperium", "holds and goes on lookout")):
        assert all(line.endswith(f"; {does}") for line in lines if line.startswith(f"  {army}"))


@pytest.mark.parametrize(
    ("enemy", "named"),
    [("empire/green-banner-guard-platoon@basic", True), ("commonwealth/kheshig-sky-cutter-wings@basic", False)],
)
def test_rows_left_after_the_charge_of_a_unit_that_looks_ahead_are_named(enemy, named):
    """AC-7: the landship has All-Out Attack and may charge the guard, but nothing charges a rotorcraft (AC-8.1)."""
    library = load_profiles()
    landship = ["crown/sovereign-landship@full-strength"]
    scenario = battle_scenario(landship, [enemy], BattleTerms(), library.ruleset, library)
    left_out = rules_of_battle(scenario, with_replacement=False).not_modelled
    assert any(text.startswith("attacks with other rows after a charge") for text in left_out) is named
