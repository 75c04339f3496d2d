"""The best of many variants: exactly, with true ties; by a race that is seldom wrong; refused, cut, merged, stopped."""

from collections import Counter

import numpy as np
import pytest

import analyser as an
from analyser.ask.race import TrialSums, race
from tests.helpers.skips import proof

RIFLES, KRUPP = "crown/rifle-platoon@basic", "imperium/krupp-field-guns@basic"
GRENADIERS = "imperium/scion-grenadier-platoon@basic"
ATTACK = {"attack": {"attacker": RIFLES, "distance": 6}, "target": {"unit": GRENADIERS}}


def test_each_variant_is_a_single_attack():
    file = {
        "baseline": ATTACK,
        "variants": {"aimed": {"aiming": True}, "covered": {"target": {"taking_cover": True, "models": 4}}},
        "ranges": {"dice": [4, 8], "DISCIPLINE": "5..6"},
    }
    found = an.search(file, metric="p_broken")
    assert len(found.frame) == 3 * 2 * 2 + 1
    baseline = found.frame[found.frame["variant"] == "baseline"]["value"].iloc[0]
    assert baseline == float(an.attack(RIFLES, GRENADIERS, distance=6).probability("broken"))
    for row in found.frame[found.frame["variant"] != "baseline"].itertuples():
        target = {"unit": GRENADIERS, "discipline": int(row.discipline)}
        target |= {"taking_cover": True, "models": 4} if row.variant.startswith("covered") else {}
        aimed = {"aiming": True} if row.variant.startswith("aimed") else {}
        wanted = an.attack(RIFLES, target, distance=6, dice=int(row.dice), **aimed).probability("broken")
        assert row.value == pytest.approx(float(wanted), abs=1e-15)
    assert found.frame["value"].is_monotonic_decreasing
    assert found.best == found.frame["variant"].iloc[0]
    worst = an.search(file, metric="p_broken", least=True)
    assert worst.frame["value"].iloc[0] == found.frame["value"].min()


def test_ties_are_true_ties_and_equal_fights_are_merged():
    found = an.search({"baseline": ATTACK, "ranges": {"distance": "1..7"}})
    assert len(found.tied) == 8  # the baseline among them
    assert "exactly equal" in found.sentence()
    assert found.fights == 1
    assert found.frame["same_as"].notna().sum() == 7
    assert "and 7 repeated" in str(found)


def test_what_is_not_possible_is_cut_and_told():
    found = an.search({"baseline": ATTACK, "ranges": {"distance": "10..20", "dice": "-1..3"}})
    statuses = Counter(found.frame["status"])
    assert statuses["not possible"] == 11 * 5 - 5 * 3
    assert "are not possible and left out" in str(found)
    assert found.frame["why_not"].iloc[-1]


@pytest.mark.parametrize("method", ["exact", "race"])
def test_a_condition_without_effect_is_told(method):
    found = an.search({"baseline": ATTACK, "variants": {"covered": {"taking_cover": True}}}, method=method, trials=2000)
    problem = "target.taking_cover has no effect, because the target is not concealed (AC-4.3) (1 of 2 questions)"
    assert found.as_dict()["warnings"] == [problem]
    assert f"Warning: {problem}" in str(found)


def test_selectors_with_wildcards_levels_and_points():
    levels = {"baseline": ATTACK, "ranges": {"attacker": ["crown/rifle-platoon@*"]}}
    found = an.search(levels, metric="mean_models_destroyed_per_100_points")
    assert found.frame["attacker"].nunique() == 3
    library = an.load_profiles()
    for row in found.frame.dropna(subset=["attacker"]).itertuples():
        mean = an.attack(row.attacker, GRENADIERS, distance=6).mean("models_destroyed")
        assert row.value == pytest.approx(mean * 100 / library[row.attacker].level.points)


def test_other_kinds_exactly():
    baseline = {"charge": {}, "attacker": {"unit": RIFLES}, "target": {"unit": GRENADIERS}}
    found = an.search({"baseline": baseline, "ranges": {"outflanking": "no,yes"}})
    varied = found.frame.dropna(subset=["outflanking"])
    values = dict(zip(varied["outflanking"], varied["value"]))
    for flag, value in values.items():
        assert value == float(an.charge(RIFLES, GRENADIERS, outflanking=flag).probability("attacker_wins"))


def test_a_million_is_enough():
    ranges = {"dice": "1..1000", "DEFENCE": "1..1000", "models": "1..1000"}
    with pytest.raises(an.InputError, match=r"1,000,000,000 variants \(allowed: up to 1,000,000"):
        an.search({"baseline": ATTACK, "ranges": ranges})


@pytest.mark.slow
def test_a_race_of_duels_with_real_decks():
    baseline = {"duel": {"rounds": 2}, "a": {"unit": RIFLES}, "b": {"unit": GRENADIERS}}
    file = {"baseline": baseline, "ranges": {"a.models": [2, 4, 6], "first": ["a", "b"]}}
    found = an.search(file, method="race", metric="p_a_wins", seed=3)
    assert found.race is not None
    assert found.frame["trials"].min() >= 2000
    exact = an.search(file, metric="p_a_wins")
    assert found.best == exact.best
    again = an.search(file, method="race", metric="p_a_wins", seed=3, threads=2)
    assert found.frame.equals(again.frame)
    means = an.search(file, method="race", metric="mean_b_models_destroyed", seed=3)
    assert means.frame["low"].iloc[0] <= means.frame["value"].iloc[0] <= means.frame["high"].iloc[0]


def planted(chances, rng, **more):
    """A race of planted chances, each stage a binomial number."""

    def play(variant, trials, stage):
        seen = int(rng.binomial(trials, chances[variant]))
        return TrialSums(trials, seen, seen)

    return race(play, len(chances), is_probability=True, **more)


@pytest.mark.parametrize("races", [60, *proof(1000)])
def test_a_race_names_a_wrong_best_in_at_most_5_percent(races):
    """Planted races of 12 variants, the best ahead by little: the best is never lost in more than 5% of them."""
    rng = np.random.default_rng(11)
    wrong, decided = 0, 0
    for _ in range(races):
        chances = rng.uniform(0.2, 0.5, 12)
        best = int(rng.integers(12))
        chances[best] = chances.max() + 0.02
        found = planted(chances, rng, most_trials=128_000)
        wrong += best not in found.remaining
        decided += found.remaining == [best]
    assert wrong <= 0.05 * races  # as all sequences hold together far more often, it is hardly ever wrong
    assert decided > races / 2


def test_ties_of_a_race_are_named():
    found = planted([0.4, 0.4, 0.1], np.random.default_rng(2), within=0.02)
    assert sorted(found.remaining) == [0, 1]
    assert found.stop_reason == "alike"
    assert found.dropped_after[2] == 1
    longest = planted([0.4, 0.4], np.random.default_rng(2), most_trials=8_000)
    assert (longest.stop_reason, longest.trials.tolist()) == ("trials", [8_000, 8_000])


@pytest.mark.parametrize(
    ("file", "how", "said"),
    [
        ({}, {}, "no baseline"),
        ({"baseline": ATTACK, "variants": {"x": {"dise": 4}}}, {}, "did you mean 'dice'"),
        ({"baseline": ATTACK, "ranges": {"dice": []}}, {}, "no values"),
        ({"baseline": {**ATTACK, "attack": {"dice": 300}}}, {}, "no variant is possible"),
        ({"baseline": ATTACK}, {"method": "dice"}, "exact, race"),
        (
            {"baseline": ATTACK},
            {"method": "race", "metric": "models_destroyed_10th_percentile"},
            "race cannot compare",
        ),
        ({"baseline": {"courage": 1, "tokens": 2}}, {}, "no metric is stated"),
    ],
)
def test_wrong_inputs(file, how, said):
    with pytest.raises(an.InputError, match=said):
        an.search(file, **how)


def test_equal_fights_are_a_true_tie_of_a_race():
    raced = an.search({"baseline": ATTACK, "ranges": {"distance": "1..7"}}, method="race", metric="p_broken")
    assert raced.sentence().startswith("A tie: 8 variants are the same fight, P(broken)")
    assert "behind" not in raced.sentence()
    assert "≈" not in str(raced)
    file = {"baseline": ATTACK, "ranges": {"distance": [6, 7], "DISCIPLINE": [7, 6]}}
    unsure = an.search(file, method="race", metric="p_any_destroyed", trials=2000)
    assert unsure.sentence().startswith("Tied: 2 different fights (")
    assert "3 more are the same fight as one of these" in unsure.sentence()
    assert str(unsure).count("≈") == 2


@pytest.mark.parametrize("method", ["exact", "race"])
def test_what_is_misspelt_is_refused_with_the_nearest_name(method):
    wrong = {"attack": {"attacker": "crown/rifle-platon@basic", "distance": 6}, "target": {"unit": GRENADIERS}}
    for file, said in (
        ({"baseline": wrong, "ranges": {"attacker": [RIFLES]}}, r"^baseline: attack.attacker: .*mean 'rifle-platoon'"),
        ({"variants": {"x": {"attacker": "crown/riffle-platoon@basic"}}}, r"^x: .*'rifle-platoon'"),
        ({"ranges": {"aiming": [3, True]}}, r"^aiming 3: aiming: 3 is not usable \(allowed: true or false"),
        ({"ranges": {"dice": ["x", 3]}}, r"^dice x: attack.dice: 'x' is not usable \(allowed: an int"),
    ):
        with pytest.raises(an.InputError, match=said):
            an.search({"baseline": ATTACK} | file, method=method)


@pytest.mark.parametrize("method", ["exact", "race"])
def test_nothing_to_choose_from_is_refused(method, tmp_path):
    with pytest.raises(an.InputError, match=r"variant except the baseline is possible: target.models: 30 .*and 3 more"):
        an.search({"baseline": ATTACK, "ranges": {"models": [30, 31], "aiming": "no,yes"}}, method=method)
    path = tmp_path / "v.toml"
    path.write_text(f'[baseline]\nattack = {{attacker = "{RIFLES}", distance = 40}}\ntarget = {{unit = "{KRUPP}"}}\n')
    with pytest.raises(an.InputError, match=r"v\.toml: variants: no variant is possible: .*no row can make"):
        an.search(path, method=method)


def test_battles_are_raced_over_units_and_policies():
    baseline = {"battle": {"rounds": 2, "tactic_yours": "policies"}, "mine": [f"2 x {RIFLES}"]}
    ranges = {"mine.unit.0.models": [2, 6], "policy_mine": ["shoot", "take_cover"]}
    variants = {"baseline": baseline | {"yours": [f"2 x {GRENADIERS}"]}, "ranges": ranges}
    found = an.search(variants, method="race", trials=8000)
    names = found.frame["variant"].tolist()
    six, two = (names.index(f"mine.unit.0.models {models}, policy mine shoot") for models in (6, 2))
    assert six < two
    assert found.question == "battle: Crown against Imperium"
    assert found.frame["value"].is_monotonic_decreasing
    with pytest.raises(an.InputError, match=r"battles are simulated.*race"):
        an.search(variants)
