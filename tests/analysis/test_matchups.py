"""Matchups: every figure is that of the single attack, the best row is the best, and what cannot be says why."""

import numpy as np
import pytest

import analyser
from analyser.analysis.grid import by_unit
from analyser.analysis.matchups import matchups
from analyser.analysis.situations import CHARGE, LONG_RANGE, Situation
from analyser.common.errors import InputError
from analyser.common.metrics import ALL_LEVELS, COMMON_METRICS, MATCHUP_METRICS, RESULT_METRICS
from analyser.engine.attack.summaries import SUMMARY
from analyser.game.profiles import Profiles
from analyser.game.units import Level
from analyser.plots.heatmaps import NO_VALUE
from analyser.results import rules_used
from analyser.scenarios.attack import RANKED_BY, best_attacks
from analyser.scenarios.load import load_scenario
from tests.oracle.attacks import TOLERANCE

SIDE = ("", "_unit", "_level", "_points")
NAMES = [f"{side}{what}" for side in ("attacker", "defender") for what in SIDE]
NAMES += ["defender_models", "defender_category", "situation", "row", "dice", "method"]


@pytest.fixture(scope="module")
def found(library):
    """Every loadout of one faction on every loadout of another."""
    return matchups("crown/*", "imperium/*", profiles=library)


def scenario_of(row, **more):
    """The scenario whose answer a line of the table is."""
    attack = {"attacker": row.attacker, "row": row.row}
    if row.situation == "short-range-aimed":
        fired = Profiles().loadout(row.attacker).unit.row(row.row)
        beyond = fired.short_range is None or fired.has("Indirect")  # which may not fire so near (AC-6)
        attack["bonuses"] = ["aiming"] if beyond else ["aiming", "short_range"]
    return {"attack": attack, "target": {"unit": row.defender, "from_front": True, **more}}


def figures_of(scenario, library):
    """What the single exact attack says of each figure."""
    result = analyser.exact(scenario, profiles=library)
    destroyed = result["models_destroyed"].probabilities
    half = [value for value in range(1, len(destroyed)) if 2 * value >= len(destroyed) - 1]
    return {name: result.summary[name] for name in COMMON_METRICS if name in result.summary} | {
        "p_activated": result.probability("activated").probability,
        "p_any_destroyed": destroyed[1:].sum(),
        "p_half_destroyed": destroyed[half].sum(),
    }


def mean_damage_of(scenario, library):
    """Mean damage, of a target that nothing but damage takes away (its tests are passed)."""
    result = analyser.exact(scenario, profiles=library)
    limit = result.scenario.target.damage_limit
    return ((result.column("models_destroyed") * limit + result.column("damage_left")) * result.weights).sum()


def test_one_row_for_each_attacker_defender_and_situation(found):
    assert list(found.frame) == [*NAMES, *MATCHUP_METRICS, "why_not"]
    assert len(found.frame) == len(found.attackers) * len(found.defenders) * len(found.situations) == 53 * 62 * 2
    assert not found.frame.duplicated(["attacker", "defender", "situation"]).any()
    assert list(found.frame["attacker"].unique()) == [each.selector for each in found.attackers]
    assert list(found.frame["defender"].unique()) == [each.selector for each in found.defenders]
    assert list(found.frame["situation"].head(2)) == ["long-range", "short-range-aimed"]


@pytest.mark.slow
def test_a_sample_of_figures_is_that_of_the_single_attacks(found, library):
    possible = found.frame[found.frame["why_not"].isna()].sample(60, random_state=20)
    assert set(possible["situation"]) == {"long-range", "short-range-aimed"}
    for row in possible.itertuples():
        scenario = scenario_of(row)
        wanted = figures_of(scenario, library)
        assert wanted.keys() | {"mean_damage", "expected_points_destroyed"} == set(COMMON_METRICS)
        for name, value in wanted.items():
            assert getattr(row, name) == pytest.approx(value, abs=TOLERANCE), (row.attacker, row.defender, name)
        damage = mean_damage_of(scenario_of(row, peer_review=True), library)
        assert row.mean_damage == pytest.approx(damage, abs=TOLERANCE)
        assert row.dice == analyser.exact(scenario, profiles=library).conditions["dice"]


def test_the_best_row_is_the_best(library):
    attackers, defenders = ("crown/monarch", "crown/galahad-breachers@*"), "imperium/*"
    best = matchups(attackers, defenders, profiles=library).frame
    for row in ("ranged-light", "ranged-light-2", "ranged-light-heavy", "ranged-heavy"):
        named = matchups(attackers, defenders, row=row, profiles=library).frame
        other = named["mean_models_destroyed"].fillna(-1.0)
        assert (best["mean_models_destroyed"].fillna(-1.0) >= other - TOLERANCE).all()
        same = best["row"] == row
        assert best[same][list(MATCHUP_METRICS)].equals(named[same][list(MATCHUP_METRICS)])
    assert best[best["attacker"].str.startswith("crown/monarch")]["row"].nunique() > 1


def summaries(*attacks):
    """Summaries of attacks on one target: (mean models destroyed, P(annihilated), mean damage) each."""
    table = np.zeros((len(attacks), 1), SUMMARY)
    for place, figures in enumerate(attacks):
        for name, figure in zip(RANKED_BY, figures):
            table[place][name] = figure
    return table


@pytest.mark.parametrize(
    ("attacks", "best"),
    [
        (((1, 0, 0), (2, 0, 0), (1.5, 1, 9)), 1),
        (((1, 0.2, 0), (1, 0.3, 0), (0.9, 1, 9)), 1),
        (((0, 0, 2), (0, 0, 3), (0, 0, 2.5)), 1),
        (((1, 0.2, 3), (1, 0.2, 3)), 0),
        (((1, 0.2, 3), (1 + 1e-15, 0.2, 3)), 0),
        (((np.nan,) * 3, (0, 0, 0)), 1),
        (((np.nan,) * 3, (np.nan,) * 3), -1),
        ((), -1),
    ],
)
def test_the_best_by_models_then_annihilation_then_damage_then_order(attacks, best):
    assert best_attacks(summaries(*attacks)).tolist() == [best]


def test_a_scenario_without_a_row_takes_the_best_and_says_so(library):
    scenario = {"attack": {"attacker": "crown/monarch"}, "target": {"unit": "imperium/sturmpanzer-batt@full"}}
    result = analyser.exact(scenario, profiles=library)
    assert result.scenario.attack.row == "ranged-light-heavy"
    (said,) = [each for each in result.warnings if "attack.row" in each]
    assert "'ranged-light-heavy' has the highest expected models destroyed" in said
    named = analyser.exact(scenario | {"attack": scenario["attack"] | {"row": "ranged-heavy"}}, profiles=library)
    assert named.mean("models_destroyed") < result.mean("models_destroyed")
    assert not [each for each in named.warnings if "attack.row" in each]


def test_what_cannot_be_is_blank_and_says_why(found):
    blank = found.frame["why_not"].notna()
    assert found.frame[blank]["row"].isna().all()
    assert found.frame[blank]["dice"].isna().all()
    assert found.frame[blank][list(MATCHUP_METRICS)].isna().all(axis=None)
    assert found.frame[~blank]["row"].notna().all()
    of_shots = [name for name in MATCHUP_METRICS if name not in (*RESULT_METRICS, "attacker_share_lost")]
    assert found.frame[~blank][of_shots].notna().all(axis=None)
    assert found.frame[list(RESULT_METRICS)].isna().all(axis=None)


def test_what_is_not_modelled_is_named_once(river, library):
    found = matchups("river/*", "river/*", profiles=river)
    told = [(each.name, each.units) for each in found.not_modelled]
    assert told == [(name, ("Otter Guard",)) for name in ("Coruscating", "Pioneers")]
    pair = matchups("crown/rifle-command@basic", "imperium/totenkopf@basic", row="ranged-light", profiles=library)
    single = load_scenario(scenario_of(next(pair.frame.itertuples())), library)
    told = {each.partition(" (")[0] for each in rules_used.rules_of_attack(single, single.fight).not_modelled}
    assert {each.name for each in pair.not_modelled} == told


def test_a_tie_has_no_leader(library):
    tie = {"situations": "long-range", "metric": "mean_models_destroyed", "profiles": library}
    answer = matchups("crown/*rifle*@basic", "imperium/*guns@basic", **tie)
    told = "All 3 attackers tie by mean models destroyed; the cheapest is Rifle platoon (basic)."
    assert answer.headline == told


def test_a_metric_without_values_is_told(library):
    pair = ("crown/rifle-platoon@basic", "imperium/krupp-field-guns@basic")
    asked = {"situations": ["long-range", "charge"], "profiles": library}
    answer = matchups(*pair, metric=lambda outcomes: outcomes.models_destroyed, **asked)
    (problem,) = answer.as_dict()["warnings"]
    assert problem.endswith(" has no value in charge")
    assert f"Warning: {problem}." in str(answer)
    assert answer.frame[answer.metric].notna().tolist() == [True, False]
    with pytest.raises(InputError, match="is NaN for every pair"):
        matchups(*pair, metric=lambda outcomes: outcomes.models_destroyed * np.nan, **asked)


def test_units_are_means_over_their_levels(found):
    units = by_unit(found.frame)
    assert len(units) == 19 * 22 * 2
    assert set(units["attacker_level"]) == set(units["defender_level"]) == {ALL_LEVELS}
    pair = "attacker_unit == 'Sharp Rifles' and defender_unit == 'Krupp Field Guns'"
    cell, levels = units.query(pair), found.frame.query(pair)
    for situation in ("long-range", "short-range-aimed"):
        mean = levels[levels["situation"] == situation]["p_annihilated"].mean()
        assert cell[cell["situation"] == situation]["p_annihilated"].item() == pytest.approx(mean)
    guards = units[units["attacker"] == "crown/horse-guard-cavalry"]
    assert guards["p_annihilated"].isna().all()
    assert set(guards["why_not"]) == {"it has no ranged row"}
    assert units[units["p_annihilated"].notna()]["why_not"].isna().all()


def test_a_figure_without_a_value_is_not_called_a_fight_that_cannot_be(river):
    otter = river.loadout("river/otter@basic")
    free = otter.unit.model_copy(update={"levels": {"basic": Level(models=4)}})
    pairs = otter, otter.model_copy(update={"unit": free})
    without_points = matchups(*pairs, metric="expected_points_destroyed", situations="long-range", profiles=river)
    assert without_points.frame["why_not"].isna().all()
    assert without_points.headline == "No pair has a value of expected points destroyed."
    assert without_points.heatmap().get_xlabel() == NO_VALUE
    duels = matchups(*pairs, metric="p_draw", situations=["long-range", "duel"], profiles=river)
    assert "duel" in duels.heatmap().get_title(loc="left")
    with pytest.raises(InputError, match="p_draw has no value in long-range"):
        duels.heatmap(situation="long-range")


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"attackers": "crown/nobody*"}, "fits no loadout"),
        ({"situations": [LONG_RANGE, Situation(name="long-range", distance=3)]}, "two different situations are called"),
        ({"row": "ranged-heavvy"}, "no attacker has a row 'ranged-heavvy'; did you mean"),
        ({"metric": "p_draw"}, "p_draw has no value in long-range, .* .allowed: with the situation duel"),
        ({"metric": "attacker_share_lost"}, "no value .* .allowed: with the situation charge or duel"),
    ],
)
def test_bad_input_is_told(library, keys, message):
    given = {"attackers": "crown/*@basic", "defenders": "imperium/*@basic"} | keys
    with pytest.raises(InputError, match=message):
        matchups(given.pop("attackers"), given.pop("defenders"), profiles=library, **given)


def test_who_cannot_charge_or_be_charged_says_why(river, library):
    charges = {"situations": ["charge"], "profiles": river}
    pairs = matchups("river/*", "river/*", **charges).frame
    pairs = pairs.set_index(["attacker_unit", "defender_unit"])["why_not"].sort_index()
    assert set(pairs["Beaver Fort"]) == {"it has no melee or impact row"}
    assert "cannot be charged: aircraft" in pairs["Otter Guard", "Heron"].iloc[0]
    assert pairs["Otter Guard", "Otter Guard"].isna().all()
    ranged = matchups("river/*", "river/*", row="ranged-light", **charges).frame
    assert set(ranged[ranged["attacker_unit"] == "Otter Guard"]["why_not"]) == {"ranged-light: it is a ranged row"}
    static = matchups("crown/rifle-platoon@basic", "imperium/krupp@basic", situations=[CHARGE], profiles=library).frame
    assert static["why_not"].isna().all()
