"""Every mean and every expected figure of a sampled answer says how precise it is."""

import math

import pytest

import analyser
from analyser import morale
from tests.oracle.fight_files import COIN, LOW_CARDS, row, unit

TRIALS = {"trials": 500, "seed": 3}
RIFLES, GRENADIERS = "crown/rifle-platoon@basic", "imperium/scion-grenadier-platoon@basic"
FIGHTERS, CUTTERS = "crown/defiance-fighter-squadron@basic", "commonwealth/kheshig-sky-cutter-wings@basic"
TARGET = {"models": 6, "defence": 1, "damage_limit": 2, "discipline": 6, "break_limit": 2, "victory_points": 3}
RISKY = {"dice": 2, "overcharge": True, "qualities": ["Overcharge"]}
TRANSPORT = unit(row("melee", 2), rules=["Capacity (5)", "Hunter"], passengers={**TARGET, "models": 4}, damage_limit=3)
OVERRUNNER = unit(row("melee", 3), rules=["Overrun", "Hunter"])


def sampled(ask, *question, **more):
    """A sampled answer of a longer fight."""
    return ask(*question, method="monte-carlo", **TRIALS, **more)


ANSWERS = {
    "attack": lambda: analyser.simulate({"attack": {"dice": 6}, "target": TARGET}, **TRIALS),
    "attack with Overcharge": lambda: analyser.simulate({"attack": RISKY, "target": TARGET}, **TRIALS),
    "charge": lambda: sampled(analyser.charge, RIFLES, GRENADIERS),
    "charge at a transport": lambda: sampled(
        analyser.charge, {"charge": {}, "attacker": OVERRUNNER, "target": TRANSPORT}
    ),
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
            if name.startswith(("mean_", "expected_")) and not name.endswith("_standard_error") and value is not None:
                yield name, table


@pytest.mark.slow
@pytest.mark.parametrize("kind", ANSWERS)
def test_every_mean_of_a_sample_has_its_standard_error(kind):
    found = list(means_in(ANSWERS[kind]().as_dict()))
    assert found
    assert [name for name, table in found if f"{name}_standard_error" not in table] == []
    assert all(table[f"{name}_standard_error"] >= 0 for name, table in found)


def test_no_exact_mean_has_one():
    answers = analyser.charge(RIFLES, GRENADIERS), analyser.exact({"attack": RISKY, "target": TARGET})
    tables = [table for answer in answers for table in tables_in(answer.as_dict())]
    assert [name for table in tables for name in table if name.endswith("_standard_error")] == []


@pytest.mark.parametrize("kind", ["attack", "focus fire"])
def test_victory_points_are_as_precise_as_the_chance_to_win_them(kind):
    result = ANSWERS[kind]()
    chance = result.probability("annihilated").probability
    assert 0 < chance < 1
    expected = 3 * math.sqrt(chance * (1 - chance) / 500)
    assert result.summary["expected_victory_points"] == pytest.approx(3 * chance)
    assert result.summary["expected_victory_points_standard_error"] == pytest.approx(expected)


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


# --- what is certain ------------------------------------------------------------------------------------------


def added_up(values, counts, trials):
    """The mean and its standard error as one would write them down first: sums of shares, squares less squares."""
    shares = counts / trials
    mean = float((values * shares).sum())
    return mean, math.sqrt(max(float((values**2 * shares).sum()) - mean**2, 0.0) / trials)


def test_the_mean_of_what_is_certain_has_no_error():
    """Nobody strikes back, so all ten chargers are left, in however many ways the target's ten models fall."""
    charger, charged = unit(row("melee", 9)), unit()
    scenario = {"charge": {}, "attacker": charger, "target": charged, "ruleset": {"die": COIN, "deck": LOW_CARDS}}
    sums = []
    for seed in range(5):
        result = analyser.charge(scenario, method="monte-carlo", trials=99_991, seed=seed)
        left = result.table()["attacker_models_left"]
        assert len(left) > 5
        assert set(left.tolist()) == {10}
        sums.append(added_up(left, result.table()["count"], 99_991))
        assert result.summary["mean_attacker_models_left"] == 10.0
        assert result.summary["mean_attacker_models_left_standard_error"] == 0.0
    assert any(each != (10.0, 0.0) for each in sums)  # or this could not fail


def test_the_exact_mean_of_what_is_certain_is_that_number():
    charger, charged = unit(row("melee", 9)), unit()
    dice = {"heroic": 1, "strike": 2, "glancing": 1, "miss": 1, "blank": 2}
    result = analyser.charge({"charge": {}, "attacker": charger, "target": charged, "ruleset": {"die": dice}})
    assert added_up(result.table()["attacker_models_left"], result.table()["probability"], 1)[0] != 10.0
    assert result.summary["mean_attacker_models_left"] == 10.0


def test_means_that_hang_on_a_few_trials_say_so():
    """Named are the figures that differ from their commonest value in 1 to 39 trials, and no others."""
    fight = {"attack": {"dice": 3}, "target": {"models": 3, "defence": 2, "damage_limit": 1}}
    for trials in (50, 300, 5000):
        found = analyser.simulate(fight, trials=trials, seed=2)
        thin = []
        for name in found.figures:
            counts = (found.pmf(name)["probability"] * trials).round()
            thin += [name] if 0 < trials - counts.max() < 40 else []
        assert found.thin_means == tuple(thin)
        assert found.as_dict().get("thin_means", []) == thin
        assert ("so that their ± is too narrow" in str(found)) == bool(thin)
    assert analyser.simulate(fight, trials=50, seed=2).thin_means
    assert not analyser.exact(fight).thin_means
