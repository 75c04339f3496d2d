"""Loadouts side by side: each row is the single attack's answer, differences are paired, both ways of showing it."""

import inspect
import json

import numpy as np
import pytest

import analyser
from analyser.analysis.compare import Options, compare
from analyser.analysis.comparison_figures import BATCHES
from analyser.common.errors import InputError
from analyser.common.intervals import greatest_width
from analyser.common.metrics import COMPARE_METRICS, DIVISIBLE, PER_100_POINTS
from analyser.common.precision import Precision
from analyser.engine.parallel import CHUNK_TRIALS
from analyser.game.profiles import Profiles
from analyser.game.units import Level
from analyser.scenarios.load import Circumstances, Conditions, Terms
from analyser.scenarios.schema import BONUSES, PENALTIES, Attack, ChargeTerms, DuelTerms
from tests.oracle.attacks import TOLERANCE
from tests.oracle.small_profiles import variant

RIFLES = ["crown/sharp-rifles@basic", "crown/rifle-platoon@reinforced"]
SCIONS = "imperium/scion-grenadier-platoon@reinforced"


@pytest.fixture(scope="module")
def found(library):
    return compare([*RIFLES, "crown/horse-guard@basic"], SCIONS, distance=10, profiles=library)


def test_each_row_is_the_single_attack(found, library):
    for row in found.frame.head(2).to_dict("records"):
        scenario = {"attack": {"attacker": row["loadout"], "distance": 10}, "target": {"unit": SCIONS}}
        result = analyser.exact(scenario, profiles=library)
        law = result.distribution("models_destroyed")
        assert found.at_least == 6
        wanted = {name: result.summary[name] for name in COMPARE_METRICS if name in result.summary}
        wanted |= {"p_at_least": law[6]["at_least"], "p_any_destroyed": law[1]["at_least"]}
        wanted |= {"p_half_destroyed": law[6]["at_least"]}
        wanted["p_activated"] = result.probability("activated").probability
        points = library.loadout(SCIONS).level.points
        wanted["expected_points_destroyed"] = wanted["mean_models_destroyed"] * points / 12
        wanted["mean_damage"] = wanted["mean_models_destroyed"]  # a DAMAGE LIMIT of 1: every point is a model
        assert library.loadout(SCIONS).unit.damage_limit == 1
        assert wanted.keys() == {name for name in COMPARE_METRICS if not name.endswith(PER_100_POINTS)}
        for name, value in wanted.items():
            assert row[name] == pytest.approx(value, abs=TOLERANCE)
            if name in DIVISIBLE:
                assert row[name + PER_100_POINTS] == pytest.approx(value * 100 / row["points"], abs=TOLERANCE)
        assert (row["row"], row["dice"]) == (result.scenario.attack.row, result.conditions["dice"])
        assert row["method"] == "exact"


def test_who_cannot_attack_stays_in_the_table_and_says_why(found):
    row = found.frame.iloc[2]
    assert row["why_not"] == "no row can make this attack (melee: it is a melee row; it can charge: analyser charge)"
    assert row[list(COMPARE_METRICS)].isna().all()
    assert "crown/horse-guard-cavalry@basic cannot attack: no row" in str(found)


def test_a_condition_without_effect_is_in_the_json():
    target = {"unit": "imperium/scion-grenadier-platoon@basic", "taking_cover": True}
    record = compare("crown/rifle-platoon@basic", target).as_dict()
    assert record["warnings"] == ["target.taking_cover has no effect, because the target is not concealed (AC-4.3)"]
    assert record["not_modelled"] == []


def test_a_unit_that_cannot_charge_is_not_told_to():
    cavalry = Profiles()["crown/horse-guard-cavalry@basic"]
    for unit in (
        cavalry.with_(rules="+Static"),
        cavalry.model_copy(update={"unit": cavalry.unit.model_copy(update={"rows": ()})}),
    ):
        with pytest.raises(InputError, match="no row can make this attack") as refused:
            analyser.attack(unit, "imperium/krupp@basic")
        assert "it can charge" not in str(refused.value)


def test_a_target_that_nobody_can_attack_counts_as_zero_in_the_mean(library):
    walkers, scions = "imperium/lucifyr-heavy-walkers@basic", "imperium/scion-grenadier-platoon@basic"
    rifles = "crown/rifle-platoon@basic"
    found = compare(rifles, [walkers, scions], profiles=library)
    empty, attacked = found.by_target.values()
    assert empty.frame["why_not"][0].startswith("no row can make this attack (ranged-light: it fires at light")
    assert empty.frame[list(COMPARE_METRICS)].isna().all(axis=None)
    for metric in DIVISIBLE:
        assert found.mean.frame[metric][0] == attacked.frame[metric][0] / 2
    assert f"On {walkers}: no loadout can attack it." in str(found)
    assert json.loads(empty.to_json())["best"] is None
    assert f"{rifles} cannot attack: {walkers}: no row" in str(found)
    with pytest.raises(InputError, match=f"^{walkers}: {rifles}: no row can make this attack"):
        compare(rifles, [walkers, {"unit": walkers, "models": 1, "damage": 1}], profiles=library)


def test_the_best_is_the_best_by_the_metric_asked_for(library):
    by_models = compare(RIFLES, SCIONS, profiles=library)
    assert by_models.best == RIFLES[1]
    assert compare(RIFLES, SCIONS, metric="p_suppressed", profiles=library).best == RIFLES[0]
    by_points = compare(RIFLES, SCIONS, metric="mean_damage", per_points=True, profiles=library)
    assert (by_points.best, by_points.metric) == (RIFLES[1], "mean_damage_per_100_points")


def test_exact_differences_are_those_of_the_figures(found):
    figures = found.frame.set_index("loadout")
    for row in found.differences.itertuples():
        best = figures.loc[row.best, row.metric]
        assert best == figures[row.metric].max()
        assert row.difference == figures.loc[row.loadout, row.metric] - figures.loc[row.best, row.metric]
        assert np.isnan(row.low)
    told = found.differences[found.differences["loadout"] == RIFLES[0]]
    assert told["significant"].isna().equals(told["best"] == RIFLES[0])
    assert set(told["best"]) == set(RIFLES)  # each figure has its own best loadout


def test_without_points_nothing_is_known_per_100_points(river):
    otter = river.loadout("river/otter@basic")
    free = otter.model_copy(update={"unit": otter.unit.model_copy(update={"levels": {"basic": Level(models=4)}})})
    found = compare(free, otter, profiles=river)
    assert found.frame[[name for name in COMPARE_METRICS if name.endswith(PER_100_POINTS)]].isna().all(axis=None)
    assert found.frame["mean_models_destroyed"].notna().all()
    with pytest.raises(InputError, match="the profiles have no points"):
        compare(free, otter, per_points=True, profiles=river)


@pytest.fixture(scope="module")
def sampled(library):
    return compare(RIFLES, SCIONS, distance=10, method="monte-carlo", trials=1, seed=3, profiles=library)


def test_a_sample_is_the_one_of_simulate_bit_for_bit(sampled, library):
    trials = BATCHES * CHUNK_TRIALS
    assert set(sampled.frame["trials"]) == {trials}
    for loadout, result in sampled.results.items():
        scenario = {"attack": {"attacker": loadout, "distance": 10}, "target": {"unit": SCIONS}}
        alone = analyser.simulate(scenario, trials=trials, seed=3, profiles=library)
        assert alone.outcomes.tolist() == result.outcomes.tolist()
        assert alone.weights.tolist() == result.weights.tolist()


def test_a_sample_has_intervals_and_agrees_with_the_exact_figures(sampled, library):
    exact = compare(RIFLES, SCIONS, distance=10, profiles=library)
    for name in COMPARE_METRICS:
        near = 4 / 1.96 * (sampled.frame[f"{name}_high"] - sampled.frame[f"{name}_low"]) / 2
        off = (sampled.frame[name] - exact.frame[name]).abs()
        assert (off <= near.fillna(0) + TOLERANCE).all(), name


def test_common_random_numbers_narrow_the_interval(river):
    otter = river.loadout("river/otter@basic")
    pair = [variant(otter, "new-otter", qualities=("Devastating",)), otter]
    target = {"models": 4, "defence": 3, "damage_limit": 1, "category": "light"}
    found = compare(pair, target, method="monte-carlo", trials=1, seed=1, profiles=river)
    means = found.frame["mean_models_destroyed_high"] - found.frame["mean_models_destroyed_low"]
    unpaired = float(np.hypot(*means))
    paired = float(found.frame["difference_high"][1] - found.frame["difference_low"][1])
    assert paired < 0.8 * unpaired


@pytest.mark.slow
def test_a_precision_holds_for_every_loadout_and_progress_rises_to_its_end(library):
    given = {"method": "monte-carlo", "precision": 0.0012, "seed": 2, "profiles": library}
    found = compare([*RIFLES, "crown/horse-guard@basic"], [SCIONS, "imperium/krupp@basic"], **given)
    (trials,) = {trials for each in found.by_target.values() for trials in each.frame["trials"].dropna()}
    assert trials % (BATCHES * CHUNK_TRIALS) == 0
    counts = [
        (result.precision_counts(Precision(0.0012, relative=False)), result.trials)
        for result in found.mean.results.values()
    ]
    assert 0 < max(greatest_width(*each) for each in counts) <= 0.0012
    told = []
    compare(RIFLES, SCIONS, method="monte-carlo", trials=1, progress=lambda *each: told.append(each), profiles=library)
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[-1] == (2 * BATCHES * CHUNK_TRIALS,) * 2


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"loadouts": "crown/nobody*"}, "fits no loadout"),
        ({"target": {"unit": SCIONS, "modles": 3}}, "target.modles: unknown key; did you mean 'models'"),
        ({"metric": "p_brokn"}, "unknown metric 'p_brokn'; did you mean 'p_broken'"),
        ({"metric": "mean_share_lost"}, r"a metric of matchups; .* .allowed: matchups, or another"),
        ({"metric": "attacker_share_lost"}, r".allowed: matchups with the situation charge or duel, or another"),
        ({"at_least": 13}, r"at least 13 of 12 models .allowed: 1 to 12"),
        ({"kind": "charge"}, r'ranged attacks only .allowed: analyser.curve\(..., kind="charge"\)'),
        ({"distance": 99}, "its long range is 32, and the distance 99"),
    ],
)
def test_bad_input_is_told(library, keys, message):
    given = {"loadouts": RIFLES, "target": SCIONS, "profiles": library} | keys
    with pytest.raises(InputError, match=message):
        compare(**given)


def test_type_checkers_know_every_option():
    stated = {name for name, each in inspect.signature(compare).parameters.items() if each.kind is each.KEYWORD_ONLY}
    conditions = {*Attack.model_fields, *BONUSES, *PENALTIES} - {"kind", "attacker"}
    assert Options.__annotations__.keys() == stated | conditions
    assert Conditions.__annotations__.keys() == conditions
    assert Circumstances.__annotations__.keys() == ChargeTerms.model_fields.keys()
    assert Terms.__annotations__.keys() == DuelTerms.model_fields.keys()


def test_a_changed_loadout_stands_beside_the_unchanged_one():
    plain = analyser.load_profiles()["crown/rifle-platoon@basic"]
    better = plain.with_(dice=+2)
    found = compare([plain, better, better, plain.with_(dice=+4)], "imperium/krupp@basic").frame
    assert found["loadout"].tolist() == [f"crown/rifle-platoon{number}@basic" for number in ("", "-2", "-3")]
    assert found["unit"].tolist() == ["Rifle platoon", "Rifle platoon (2)", "Rifle platoon (3)"]
    assert found["mean_models_destroyed"].is_monotonic_increasing
    assert found["mean_models_destroyed"].is_unique
