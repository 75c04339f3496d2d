"""Matchups: every figure is that of the single attack, the best row is the best, and what cannot be says why."""

import numpy as np
import pytest

import analyser
from analyser.analysis.grid import by_unit
from analyser.analysis.matchups import matchups
from analyser.analysis.situations import CHARGE, LONG_RANGE, Situation
from analyser.common.errors import InputError
from analyser.common.metrics import ALL_LEVELS, FIGURES, METRICS, RESULTS
from analyser.engine.attack.summaries import SUMMARY
from analyser.game.profiles import Profiles
from analyser.results import rules_used
from analyser.scenarios.attack import RANKED_BY, best_of
from analyser.scenarios.load import load_scenario
from analyser.scenarios.resolve import why_not
from analyser.scenarios.schema import Attack, Target
from tests.oracle.attacks import TOLERANCE

NAMES = [
    "attacker",
    "attacker_unit",
    "attacker_level",
    "attacker_points",
    "defender",
    "defender_unit",
    "defender_level",
    "defender_points",
    "defender_models",
    "defender_category",
    "situation",
    "row",
    "dice",
    "method",
]


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
    destroyed = result.destroyed_weights
    half = [value for value in range(1, len(destroyed)) if 2 * value >= len(destroyed) - 1]
    return {name: result.summary[name] for name in FIGURES if name in result.summary} | {
        "p_activated": result.probability("activated").probability,
        "p_any_destroyed": destroyed[1:].sum(),
        "p_half_destroyed": destroyed[half].sum(),
    }


def mean_damage_of(scenario, library):
    """Mean damage, of a target that nothing but damage takes away (its tests are passed)."""
    result = analyser.exact(scenario, profiles=library)
    limit = result.scenario.target.damage_limit
    return ((result.column("models_destroyed") * limit + result.column("damage")) * result.probabilities).sum()


# --- the table --------------------------------------------------------------------------------------------


def test_one_row_for_each_attacker_defender_and_situation(found):
    assert list(found.frame) == [*NAMES, *METRICS, "why_not"]
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
        assert wanted.keys() | {"mean_damage", "expected_points_destroyed"} == set(FIGURES)
        for name, value in wanted.items():
            assert getattr(row, name) == pytest.approx(value, abs=TOLERANCE), (row.attacker, row.defender, name)
        damage = mean_damage_of(scenario_of(row, peer_review=True), library)
        assert row.mean_damage == pytest.approx(damage, abs=TOLERANCE)
        assert row.dice == analyser.exact(scenario, profiles=library).conditions["dice"]


def test_threads_change_nothing_and_progress_comes_to_its_end(found, library):
    steps = []
    again = matchups(
        "crown/*", "imperium/*", profiles=library, threads=3, progress=lambda done, total: steps.append((done, total))
    )
    assert again.frame.equals(found.frame)
    assert steps == sorted(steps)
    assert steps[-1][0] == steps[-1][1]


# --- the best row -----------------------------------------------------------------------------------------


def test_the_best_row_is_the_best(library):
    attackers, defenders = ("crown/monarch", "crown/galahad-breachers@*"), "imperium/*"
    best = matchups(attackers, defenders, profiles=library).frame
    for row in ("ranged-light", "ranged-light-2", "ranged-light-heavy", "ranged-heavy"):
        named = matchups(attackers, defenders, row=row, profiles=library).frame
        other = named["mean_models_destroyed"].fillna(-1.0)
        assert (best["mean_models_destroyed"].fillna(-1.0) >= other - TOLERANCE).all()
        same = best["row"] == row
        assert best[same][list(METRICS)].equals(named[same][list(METRICS)])
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
    assert best_of(summaries(*attacks)).tolist() == [best]


def test_a_scenario_without_a_row_takes_the_best_and_says_so(library):
    scenario = {"attack": {"attacker": "crown/monarch"}, "target": {"unit": "imperium/sturmpanzer-batt@full"}}
    result = analyser.exact(scenario, profiles=library)
    assert result.scenario.attack.row == "ranged-light-heavy"
    (said,) = [each for each in result.warnings if "attack.row" in each]
    assert "'ranged-light-heavy' has the highest expected models destroyed" in said
    named = analyser.exact(scenario | {"attack": scenario["attack"] | {"row": "ranged-heavy"}}, profiles=library)
    assert named.mean("models_destroyed") < result.mean("models_destroyed")
    assert not [each for each in named.warnings if "attack.row" in each]


# --- what cannot be ---------------------------------------------------------------------------------------


def test_what_cannot_be_is_blank_and_says_why(found):
    blank = found.frame["why_not"].notna()
    assert found.frame[blank]["row"].isna().all()
    assert found.frame[blank]["dice"].isna().all()
    assert found.frame[blank][list(METRICS)].isna().all(axis=None)
    assert found.frame[~blank]["row"].notna().all()
    of_shots = [name for name in METRICS if name not in (*RESULTS, "attacker_share_lost")]
    assert found.frame[~blank][of_shots].notna().all(axis=None)
    assert found.frame[list(RESULTS)].isna().all(axis=None)


def test_blank_cells_are_those_without_a_fitting_row(found):
    near = ("aiming", "short_range")
    loadouts = {each.selector: each for each in found.attackers}
    targets = {category: Target(category=category) for category in ("light", "heavy", "aerial")}
    for row in found.frame.sample(300, random_state=3).itertuples():
        attacker = loadouts[row.attacker]
        pair = attacker, targets[row.defender_category]
        fitting = []
        for each in attacker.unit.rows:
            bonuses = near if row.situation == "short-range-aimed" else ()
            bonuses = bonuses[:1] if each.has("Indirect") else bonuses  # it fires beyond its short range (AC-6)
            fitting += [each] if why_not(each, Attack(bonuses=bonuses), *pair) is None else []
        assert bool(fitting) == (not isinstance(row.why_not, str))


def test_a_distance_decides_row_by_row(river):
    far = Situation(name="ten-inches", distance=10)
    frame = matchups("river/otter@basic", "river/*@basic", situations=[far], profiles=river).frame
    by_defender = frame.set_index("defender_unit")
    assert by_defender.loc["Otter Guard", "row"] == "ranged-light"
    assert by_defender.loc["Otter Guard", "dice"] == 4  # beyond short range: not Point Blank
    assert "its long range is 8, and the distance 10" in by_defender.loc["Beaver Fort", "why_not"]
    near = Situation(name="five-inches", distance=5)
    assert matchups("river/otter@basic", "river/otter@basic", situations=[near], profiles=river).frame["dice"][0] == 6


def test_a_cell_of_no_dice_is_no_attack(river):
    otters = river.loadout("river/otter@basic")
    rows = [row.model_dump() for row in otters.unit.rows]
    rows[0]["bands"] = ({"first": 1, "last": 8, "dice": 0},)
    unit = type(otters.unit).model_validate(otters.unit.model_dump() | {"rows": rows})
    frame = matchups(otters.model_copy(update={"unit": unit}), "river/otter@basic", profiles=river).frame
    assert set(frame["why_not"].str.partition(";")[0]) == {"ranged-light: it has no attack dice for 4 models"}


# --- what is not modelled, units, bad input ---------------------------------------------------------------


def test_what_is_not_modelled_is_named_once(river, library):
    found = matchups("river/*", "river/*", profiles=river)
    assert [(each.name, each.units) for each in found.not_modelled] == [
        ("Coruscating", ("Otter Guard",)),
        ("Pioneers", ("Otter Guard",)),
    ]
    pair = matchups("crown/rifle-command@basic", "imperium/totenkopf@basic", row="ranged-light", profiles=library)
    single = load_scenario(scenario_of(next(pair.frame.itertuples())), library)
    told = {each.partition(" (")[0] for each in rules_used.of_attack(single, single.fight).not_modelled}
    assert {each.name for each in pair.not_modelled} == told


def test_units_are_means_over_their_levels(found):
    units = by_unit(found.frame)
    assert len(units) == 19 * 22 * 2
    assert set(units["attacker_level"]) == set(units["defender_level"]) == {ALL_LEVELS}
    cell = units[(units["attacker"] == "crown/sharp-rifles") & (units["defender"] == "imperium/krupp-field-guns")]
    levels = found.frame[
        (found.frame["attacker_unit"] == "Sharp Rifles") & (found.frame["defender_unit"] == "Krupp Field Guns")
    ]
    for situation in ("long-range", "short-range-aimed"):
        mean = levels[levels["situation"] == situation]["p_annihilated"].mean()
        assert cell[cell["situation"] == situation]["p_annihilated"].item() == pytest.approx(mean)
    guards = units[units["attacker"] == "crown/horse-guard-cavalry"]
    assert guards["p_annihilated"].isna().all()
    assert set(guards["why_not"]) == {"it has no ranged row"}
    assert units[units["p_annihilated"].notna()]["why_not"].isna().all()


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"attackers": "crown/nobody*"}, "fits nothing"),
        ({"attackers": []}, "no selector is given"),
        ({"situations": ["long-rnage"]}, "'long-rnage' is not usable; did you mean 'long-range'"),
        ({"situations": [LONG_RANGE, Situation(name="long-range", distance=3)]}, "two situations are called"),
        ({"row": "ranged-heavvy"}, "no attacker has a row 'ranged-heavvy'; did you mean"),
        ({"method": "monte-carlo"}, "method: matchups are computed exactly; .* can be simulated .allowed: exact"),
        ({"metric": "p_anihilated"}, "no metric 'p_anihilated'; did you mean 'p_annihilated'"),
        ({"levels": "basik"}, "'basik' is not usable; did you mean 'basic'"),
    ],
)
def test_bad_input_is_told(library, keys, message):
    given = {"attackers": "crown/*@basic", "defenders": "imperium/*@basic"} | keys
    with pytest.raises(InputError, match=message):
        matchups(given.pop("attackers"), given.pop("defenders"), profiles=library, **given)


def test_a_distance_and_the_bonus_short_range_do_not_go_together():
    with pytest.raises(ValueError, match="a distance decides"):
        Situation(name="both", distance=3, bonuses=("short_range",))
    with pytest.raises(ValueError, match="a charge has no bonuses"):
        Situation(name="near", kind="charge", distance=3)


# --- what a notebook asks of it ---------------------------------------------------------------------------


def test_pivot_holds_the_figure_of_each_pair(found):
    table = found.pivot(metric="mean_damage")
    assert table.shape == (53, 2 * 62)
    for row in found.frame.sample(40, random_state=5).itertuples():
        figure = table.loc[row.attacker, (row.situation, row.defender)]
        assert figure == row.mean_damage or (np.isnan(figure) and row.why_not)
    assert list(table.index) == [each.selector for each in found.attackers]


# --- charges ----------------------------------------------------------------------------------------------


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


def share_lost(table, target):
    """The mean share of a target that is lost, from outcomes with their probabilities, or trials."""
    limit, models = target.unit.damage_limit, target.level.models
    damage = table["models_destroyed"] * limit + table["damage"]
    return np.where(table["annihilated"], 1.0, damage / (models * limit))


@pytest.mark.parametrize(
    ("attacker", "defender"),
    [
        ("crown/rifle-platoon@reinforced", "imperium/scion-grenadier-platoon@basic"),  # that breaks
        ("crown/galahad-main-battle-tanks@basic", "imperium/teutonic-armiger-crusaders@reinforced"),  # that is damaged
        ("imperium/sturmpanzer-battletanks@basic", "crown/monarch-landship@full-strength"),  # that no shot destroys
    ],
)
def test_the_share_that_is_lost_is_that_of_single_attacks(attacker, defender):
    library = Profiles()
    row = matchups(attacker, defender, situations=["long-range"], profiles=library).frame.iloc[0]
    asked = {"attack": {"attacker": attacker, "row": row["row"]}, "target": {"unit": defender, "from_front": True}}
    exact = analyser.exact(asked, profiles=library).to_frame()
    shares = share_lost(exact, library[defender])
    assert row["mean_share_lost"] == pytest.approx(float(shares @ exact["probability"]), abs=1e-12)
    assert row["mean_share_lost"] > 0
