"""What a comparison concludes, on planted cases whose answer is known: stars, ties, means over targets, no silence."""

import numpy as np
import pytest

import analyser
from analyser.analysis.compare import compare
from analyser.analysis.comparison_figures import LoadoutFigures, differences
from analyser.common.errors import InputError
from analyser.common.metrics import COMPARE_METRICS
from tests.oracle.small_profiles import variant

RIFLES = ["crown/sharp-rifles@basic", "crown/rifle-platoon@reinforced"]
KRUPP, SCIONS = "imperium/krupp-field-guns@basic", "imperium/scion-grenadier-platoon@basic"
ODDS = pytest.approx


@pytest.fixture(scope="module")
def otter(river):
    return river.loadout("river/otter@basic")


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_the_cheaper_twin_has_the_star_and_the_tie_is_told(river, otter, order):
    twins = [variant(otter, "dear-otter", 195), variant(otter, "cheap-otter", 90)]
    found = compare([twins[place] for place in order], otter, profiles=river)
    assert found.best == "river/cheap-otter@basic"
    assert set(found.tied) == {"river/cheap-otter@basic", "river/dear-otter@basic"}
    lines = str(found).splitlines()
    (dear,) = [line for line in lines if "195" in line and "dear-otter" in line]
    assert dear.startswith("= river/dear-otter@basic")
    assert dear.endswith(" =")
    assert "+0.00" not in str(found)
    assert "A tie: " in str(found)
    assert "(= exactly equal); the cheapest has the *." in str(found)
    assert found.frame.set_index("loadout")["tied"].all()
    assert found.frame["difference"].tolist() == [0, 0]


def test_of_equally_cheap_twins_the_first_has_the_star_and_without_points_any_price_is_cheaper(river, otter):
    first, second = variant(otter, "a-otter", 90), variant(otter, "b-otter", 90)
    assert compare([second, first], otter, profiles=river).best == "river/b-otter@basic"
    level = otter.unit.levels["basic"].model_copy(update={"points": None})
    free = otter.model_copy(update={"unit": otter.unit.model_copy(update={"levels": {"basic": level}})})
    assert compare([free, first], otter, profiles=river).best == "river/a-otter@basic"


def test_a_sample_that_cannot_tell_two_apart_says_so(river, otter):
    twins = [variant(otter, "dear-otter", 195), variant(otter, "cheap-otter", 90)]
    how = {"method": "monte-carlo", "trials": 1, "profiles": river}
    found = compare(twins, otter, **how)
    assert found.best == "river/cheap-otter@basic"
    assert "≈ not significantly different" in str(found)
    whole = compare(twins, otter, metric="models_destroyed_10th_percentile", **how)
    (dear,) = [line for line in str(whole).split("Per 100")[0].splitlines() if line.startswith("≈ river/dear-otter")]
    assert dear.endswith(" ≈")  # of a whole number no interval is told
    better = variant(otter, "arc-otter", 300, qualities=("Arc", "Devastating"))
    ahead = compare([better, *twins], otter, **how)
    assert (ahead.best, ahead.tied) == ("river/arc-otter@basic", ())


def planted(name, points, batches):
    """A loadout whose every figure has these values in the batches of a sample."""
    values = np.repeat(np.array(batches, float)[:, None], len(COMPARE_METRICS), axis=1)
    figures = np.full((len(COMPARE_METRICS), 3), np.nan)
    figures[:, 0] = values.mean(axis=0)
    return LoadoutFigures(name, points, figures, values)


def test_who_is_known_to_be_worse_than_another_is_no_part_of_a_tie():
    """Noise hides both from the highest, but the dear one is above the cheap one in every batch by as much."""
    noise = np.tile([-1.0, 1.0], 16)
    sides = [planted("highest", 90, 10.2 + noise), planted("dear", 80, [10.0] * 32), planted("cheap", 10, [9.9] * 32)]
    found = differences(sides)
    of_mean = found[found["metric"] == "mean_damage"].set_index("loadout")
    assert of_mean["best"].unique().tolist() == ["dear"]
    assert of_mean["tied"].to_dict() == {"highest": True, "dear": True, "cheap": False}
    assert (of_mean["significant"]["highest"], of_mean["significant"]["cheap"]) == (False, True)


def test_a_difference_is_never_rounded_to_nothing(river):
    """A chance of 0.0008% against 0 is a difference."""
    target = {"models": 12, "defence": 2, "damage_limit": 1, "category": "light"}
    sides = ["river/otter@basic", "river/otter@reinforced"]
    found = compare(sides, target, metric="p_at_least", at_least=12, profiles=river)
    difference = abs(found.frame["difference"].min())
    assert 0 < difference < 0.00005
    assert found.tied == ()
    shown = next(line for line in str(found).splitlines() if "otter-guard@basic" in line).split()
    written = shown[-2].replace("−", "-")
    digits = len(written.partition(".")[2])
    assert float(written) == round(-100 * difference, digits) != 0
    assert shown[-1] == "pp"


@pytest.mark.parametrize("ask", ["compare", "matchups"])
@pytest.mark.parametrize("metric", ["p_annihilated", "models_destroyed_10th_percentile"])
def test_a_chance_per_100_points_is_refused_with_what_to_use_instead(ask, metric):
    with pytest.raises(InputError, match=f"{metric} is a .*cannot be divided by points.*expected_points_destroyed"):
        getattr(analyser, ask)(RIFLES, SCIONS, metric=metric, per_points=True)


@pytest.fixture(scope="module")
def both():
    return compare(RIFLES, [KRUPP, SCIONS], weights=[3, 1])


def test_each_target_has_the_table_it_would_have_alone(both):
    assert list(both.by_target) == [KRUPP, SCIONS]
    for target, found in both.by_target.items():
        assert found.frame.equals(compare(RIFLES, target).frame)
        assert f"On {target} (" in str(both)


def test_the_mean_is_by_the_weights_and_they_are_told(both):
    parts = [each.frame.set_index("loadout") for each in both.by_target.values()]
    mean = both.mean.frame.set_index("loadout")
    for name in COMPARE_METRICS:
        if name.endswith("_percentile"):
            assert mean[name].isna().all()
        else:
            wanted = 0.75 * parts[0][name] + 0.25 * parts[1][name]
            assert mean[name].tolist() == ODDS(wanted.tolist(), abs=1e-12), name
    assert dict(both.weights) == {KRUPP: 3, SCIONS: 1}
    weights = f"{KRUPP} 3 (column ≥k: k = 2 models), {SCIONS} 1 (column ≥k: k = 3 models)"
    assert f"Weights of the targets: {weights}." in str(both)
    assert f"Mean over 2 targets: {KRUPP} 75%, {SCIONS} 25%; exact" in str(both)
    by_target = both.to_frame().groupby("target", observed=True)["weight"]  # the mean is apart
    assert by_target.agg(["size", "min", "max"]).values.tolist() == [[2, 3, 3], [2, 1, 1]]
    alike = compare(RIFLES, [KRUPP, SCIONS]).mean.frame["mean_models_destroyed"]
    assert alike.tolist() == ODDS([(a + b) / 2 for a, b in zip(*(each["mean_models_destroyed"] for each in parts))])


def test_weights_decide_who_is_the_best(river, otter):
    """One is the better against the otters, the other against the fort, which the first cannot even attack."""
    light, heavy = variant(otter, "light-otter", qualities=("Arc", "Devastating")), otter
    rows = tuple(row for row in light.unit.rows if row.id != "ranged-heavy")
    light = light.model_copy(update={"unit": light.unit.model_copy(update={"rows": rows})})
    targets = [otter, river.loadout("river/beaver@basic")]
    for weights, best in (([99, 1], "light-otter"), ([1, 99], "otter-guard")):
        found = compare([light, heavy], targets, weights=weights, metric="mean_damage", profiles=river)
        assert found.best == f"river/{best}@basic"
    cannot = found.mean.frame.set_index("loadout")["cannot"]
    assert cannot["river/light-otter@basic"].startswith("river/beaver-fort@basic: no row can make this attack")
    alone = compare(light, otter, profiles=river).frame["mean_damage"][0]
    mean = found.mean.frame.set_index("loadout")["mean_damage"]
    assert mean["river/light-otter@basic"] == ODDS(alone / 100)  # 0 on the fort
    assert "counts as 0 in the mean" in str(found)


@pytest.mark.parametrize(
    ("target", "weights", "message"),
    [
        ([SCIONS, KRUPP], [1], "1 weights for 2 targets"),
        ([SCIONS, KRUPP], [1, 0], "0 is not usable .allowed: numbers above 0"),
        ([SCIONS, "imperium/scion-grenadier-p@basic"], None, "is given twice"),
        ([SCIONS, "imperium/nobody@basic"], None, r"target.1: selector 'imperium/nobody@basic': no unit"),
    ],
)
def test_targets_and_weights_that_do_not_fit_are_refused(target, weights, message):
    with pytest.raises(InputError, match=message):
        compare(RIFLES, target, weights=weights)


def test_no_loadout_is_best_where_none_does_anything():
    rifles = ["crown/rifle-platoon@basic", "crown/rifle-platoon@reinforced"]
    assert compare(rifles, KRUPP, metric="p_fled").headline == "P(fled): no loadout has more than 0."
    landship = compare(["crown/rifle-platoon@basic", "crown/drake-field-guns@basic"], "crown/sovereign-landship")
    assert landship.headline == "Mean models destroyed: no loadout has more than 0."
    assert "(1 model)" in str(landship)
