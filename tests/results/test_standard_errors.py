"""Every mean and every expected figure of a sampled answer says how precise it is."""

import math
import re

import pytest

import analyser
from analyser import morale
from tests.helpers.skips import proof
from tests.oracle.fight_files import COIN, LOW_CARDS, row, unit

TRIALS = {"trials": 500, "seed": 3}
RIFLES, GRENADIERS = "crown/rifle-platoon@basic", "imperium/scion-grenadier-platoon@basic"
FIGHTERS, CUTTERS = "crown/defiance-fighter-squadron@basic", "commonwealth/kheshig-sky-cutter-wings@basic"
TARGET = {"models": 6, "defence": 1, "damage_limit": 2, "discipline": 6, "break_limit": 2, "victory_points": 3}
RISKY = {"dice": 2, "overcharge": True, "qualities": ["Overcharge"]}
TRANSPORT = unit(row("melee", 2), rules=["Capacity (5)", "Hunter"], passengers={**TARGET, "models": 4}, damage_limit=3)
OVERRUNNER = unit(row("melee", 3), rules=["Overrun", "Hunter"])


def sampled(ask, *question, **more):
    return ask(*question, method="monte-carlo", **TRIALS, **more)


ANSWERS = {
    "attack": lambda: analyser.simulate({"attack": {"dice": 6}, "target": TARGET}, **TRIALS),
    "attack with Overcharge": lambda: analyser.simulate({"attack": RISKY, "target": TARGET}, **TRIALS),
    "charge": lambda: sampled(analyser.charge, RIFLES, GRENADIERS),
    "charge at a transport": lambda: sampled(analyser.charge, {"attacker": OVERRUNNER, "target": TRANSPORT}),
    "focus fire": lambda: sampled(analyser.focus, [{"dice": 4}, {"dice": 5}], TARGET),
    "focus fire with Overcharge": lambda: sampled(analyser.focus, [{"attacker": RIFLES} | RISKY] * 2, TARGET),
    "focus fire at a Tail Gunner": lambda: sampled(analyser.focus, [{"attacker": CUTTERS}] * 2, FIGHTERS),
    "duel": lambda: sampled(analyser.duel, RIFLES, GRENADIERS, rounds=2),
    "Legion": lambda: morale.simulate("legion", {"courage": 1, "tokens": 2}, 500),
    "Grande Tactique": lambda: morale.simulate("grande-tactique", {"rout": {"units": [{}], "turns": 3}}, 500),
}


def tables_in(plain):
    """Every table of figures, however deep in an answer."""
    if isinstance(plain, dict):
        yield plain
    for inside in plain.values() if isinstance(plain, dict) else plain if isinstance(plain, list) else ():
        yield from tables_in(inside)


def means_in(answer):
    """The names of means and expected figures that are known, each with the table that it stands in."""
    for table in tables_in(answer):
        for name, value in table.items():
            beside = name.endswith(("_standard_error", "_low", "_high", "_interval"))
            if name.startswith(("mean_", "expected_")) and not beside and value is not None:
                yield name, table


@pytest.mark.slow
@pytest.mark.parametrize("kind", ANSWERS)
def test_every_mean_of_a_sample_has_its_standard_error(kind):
    found = list(means_in(ANSWERS[kind]().as_dict()))
    assert found
    assert [name for name, table in found if f"{name}_standard_error" not in table] == []
    assert all(table[f"{name}_standard_error"] >= 0 for name, table in found)


def test_points_lost_are_no_further_off_than_their_error_says():
    """Two attackers that may both blow themselves up: an upper bound, however these hang together."""
    from scipy.stats import chi2

    attacks = [{"attacker": RIFLES, "attacker_models": 1} | RISKY] * 2
    scenario = {"attacks": attacks, "target": TARGET, "ruleset": {"die": COIN, "deck": {"1": 1}}}
    name = "expected_victory_points_lost"
    exact = analyser.focus(scenario).summary[name]
    squares = 0.0
    for seed in range(20):
        found = analyser.focus(scenario, method="monte-carlo", trials=2000, seed=seed, replacement=True).summary
        squares += ((found[name] - exact) / found[f"{name}_standard_error"]) ** 2
    assert exact > 1
    assert chi2.sf(squares, 20) > 1e-4


def test_the_mean_of_what_is_certain_has_no_error():
    """Nobody strikes back, so all ten chargers are left, in however many ways the target's ten models fall."""
    charger, charged = unit(row("melee", 9)), unit()
    scenario = {"charge": {}, "attacker": charger, "target": charged, "ruleset": {"die": COIN, "deck": LOW_CARDS}}
    result = analyser.charge(scenario, method="monte-carlo", trials=99_991, seed=0)
    left = result.table()["attacker_models_left"]
    assert len(left) > 5
    assert set(left.tolist()) == {10}
    assert result.summary["mean_attacker_models_left"] == 10.0
    assert result.summary["mean_attacker_models_left_standard_error"] == 0.0


MEAN = re.compile("mean_|expected_")
FEW = {
    "charge": lambda **how: analyser.charge(RIFLES, GRENADIERS, **how),
    "attack": lambda replacement=None, **how: analyser.attack(RIFLES, GRENADIERS, distance=14, **how),
    "focus fire": lambda **how: analyser.focus([{"attacker": RIFLES} | RISKY] * 2, {**TARGET, "models": 9}, **how),
    "duel": lambda **how: analyser.duel(RIFLES, GRENADIERS, rounds=1, **how),
}


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "samples"), [("attack", 60), *proof(*((kind, 300) for kind in FEW))])
def test_intervals_of_means_hold_where_little_was_seen(kind, samples):
    """Of samples of 60 trials 95% cover, less 2.5 standard deviations, though victory points are rare."""
    exact, covered = FEW[kind]().summary, {}
    for seed in range(samples):
        summary = FEW[kind](method="monte-carlo", trials=60, seed=seed, replacement=True).summary
        for name in (name for name in summary if MEAN.match(name) and f"{name}_low" in summary):
            holds = summary[f"{name}_low"] - 1e-12 <= exact[name] <= summary[f"{name}_high"] + 1e-12
            covered[name] = covered.get(name, 0) + holds
    assert any(name.startswith("expected") for name in covered)
    least = samples * 0.95 - 2.5 * math.sqrt(samples * 0.95 * 0.05)
    assert {name: number for name, number in covered.items() if number < least} == {}


def test_means_of_few_trials_are_named_with_victory_points():
    found = analyser.charge(RIFLES, GRENADIERS, method="monte-carlo", trials=150, seed=3)
    summary = found.summary
    assert {"expected_attacker_victory_points", "expected_target_victory_points"} <= set(found.thin_means)
    assert found.as_dict()["thin_means"] == list(found.thin_means)
    gone, rating = found.probability("target_annihilated"), found.scenario.target.victory_points
    ends = [summary[f"expected_attacker_victory_points_{end}"] for end in ("low", "high")]
    assert ends == pytest.approx([rating * gone.low, rating * gone.high])
    assert "means that rest on few trials" in str(found)
    assert not analyser.exact({"attack": RISKY, "target": TARGET}).thin_means


def test_what_was_never_seen_is_not_zero_give_or_take_nothing():
    fight = {"attack": {"dice": 1}, "target": {"models": 20, "defence": 6, "damage_limit": 3, "victory_points": 4}}
    found = analyser.simulate(fight, trials=40, seed=1)
    summary = found.summary
    assert summary["expected_victory_points"] == summary["mean_models_destroyed"] == 0
    assert summary["expected_victory_points_high"] == pytest.approx(4 * found.probability("annihilated").high)
    assert summary["mean_models_destroyed_high"] == pytest.approx(20 * (1 - 0.025 ** (1 / 40)), rel=0.01)
    assert "±0.0\n" not in str(found)


def test_large_samples_keep_the_normal_interval():
    found = analyser.simulate({"attack": {"dice": 6}, "target": TARGET}, trials=100_000, seed=1)
    summary = found.summary
    for name in ("mean_hits", "mean_models_destroyed"):
        half = 1.959963984540054 * summary[f"{name}_standard_error"]
        assert summary[f"{name}_interval"] == "normal"
        assert summary[f"{name}_high"] - summary[name] == pytest.approx(half)
        assert summary[name] - summary[f"{name}_low"] == pytest.approx(half)
    assert found.thin_means == ()


def test_an_interval_of_points_goes_by_what_the_enemy_is_worth():
    """The target wins nothing in 500 trials, and could win the 1 point of the attacker, whatever it is worth itself."""
    attacker = unit(row("melee", 9), victory_points=1)
    charges = (sampled(analyser.charge, attacker, unit(models=2, victory_points=own)) for own in (1, 9))
    (high,) = {charge.summary["expected_target_victory_points_high"] for charge in charges}
    assert 0 < high < 0.02
