"""Damage that stands on a model (AC-3.8): both sides of every longer fight, by both engines and the plain readings."""

import math

import pytest

import analyser
from analyser.scenarios.charge import ChargeScenario
from analyser.scenarios.duel import DuelScenario
from analyser.scenarios.schema import DuelTerms
from tests.helpers.shell import answer
from tests.oracle import fights_by_engine as engine
from tests.oracle import plain_close_quarters as cq
from tests.oracle import plain_duel, plain_focus_fire, plain_reading

BEHEMOTH, WALKERS = "crown/sovereign-landship@full-strength", "imperium/lucifyr-heavy-walkers@full-strength"
RULESET = {"deck": {3: 1, 9: 1}}
TRIALS = 40_000


def armaments(kind, *bands):
    """A row; a band is the first and the last number (of models, or of damage for a behemoth) and dice."""
    listed = [{"first": first, "last": last, "dice": dice, "special": None} for first, last, dice in bands]
    ranged = {"against": ["light", "heavy"], "short_range": None, "long_range": 24} if kind == "ranged" else {}
    return {"kind": kind, "bands": listed, "qualities": []} | ranged


def giant():
    """One model that stands six damage, hits less hard the more it has, and carries one already."""
    weaker = ((0, 2, 4), (3, 5, 2))
    return {
        "type": "armour",
        "category": "heavy",
        "models": 1,
        "behemoth": True,
        "defence": 1,
        "damage_limit": 6,
        "damage": 1,
        "discipline": 7,
        "victory_points": 3,
        "rules": [],
        "rows": [armaments("ranged", *weaker), armaments("melee", *weaker)],
    }


def riders():
    """Two models of three damage each."""
    return {
        "type": "cavalry",
        "category": "light",
        "models": 2,
        "defence": 1,
        "damage_limit": 3,
        "damage": 0,
        "discipline": 5,
        "break_limit": 1,
        "victory_points": 2,
        "rules": [],
        "rows": [armaments("ranged", (1, 2, 3)), armaments("melee", (1, 2, 3))],
    }


def mean(law, number):
    """The mean of a number of each state."""
    return float(sum(chance * number(state) for state, chance in law.items()))


def damage_left(unit):
    """Damage on a unit of a plain reading; none on one that is gone."""
    return 0 if unit.fate else unit.damage


def a_charge(**how):
    """The means of a charge by an engine."""
    attacker, target = engine.combatant_of(riders(), {}), engine.combatant_of(giant(), {})
    scenario = ChargeScenario(attacker, target, (), engine.ruleset_of({"ruleset": RULESET}))
    return analyser.charge(scenario, **how).summary


def plain_charge():
    """The same by the plain reading."""
    law = cq.law({"active": riders(), "target": giant(), "ruleset": RULESET})
    return {
        "mean_attacker_damage_left": mean(law, lambda outcome: damage_left(outcome.active)),
        "mean_target_damage_left": mean(law, lambda outcome: damage_left(outcome.target)),
    }


SHOTS = [{"dice": 4, "rating": "neutral"}, {"dice": 3, "rating": "neutral"}]


def some_focus_fire(**how):
    """The means of the target after the last of two attacks."""
    target = {key: value for key, value in giant().items() if key != "rows"}
    deck = {str(value): copies for value, copies in RULESET["deck"].items()}
    scenario = {"attacks": SHOTS, "target": target, "ruleset": {"deck": deck}}
    return analyser.focus(scenario, **how).rounds()[-1]


def plain_focus():
    """The same by the plain reading."""
    target = {key: value for key, value in giant().items() if key in plain_reading.DEFAULT_TARGET}
    attacks = [{"attack": each} for each in SHOTS]
    scenario = {"attacks": attacks, "target": target, "ruleset": RULESET, "replacement": True}
    return {"mean_damage_left": mean(plain_focus_fire.laws(scenario)[-1], damage_left)}


TERMS = {"rounds": 2, "first": "random", "policy_a": "shoot", "policy_b": "shoot"}


def a_duel(**how):
    """The means at the end of a duel."""
    a, b = engine.combatant_of(riders(), {}), engine.combatant_of(giant(), {})
    return analyser.duel(DuelScenario(DuelTerms(**TERMS), a, b, engine.ruleset_of({"ruleset": RULESET})), **how).summary


def plain_end_of_duel():
    """The same by the plain reading."""
    law = plain_duel.laws(TERMS | {"a": riders(), "b": giant(), "ruleset": RULESET})[-1]
    return {
        "mean_a_damage_left": mean(law, lambda duel: damage_left(duel.a.unit)),
        "mean_b_damage_left": mean(law, lambda duel: damage_left(duel.b.unit)),
    }


FIGHTS = {
    "charge": (a_charge, plain_charge),
    "focus fire": (some_focus_fire, plain_focus),
    "duel": (a_duel, plain_end_of_duel),
}


@pytest.mark.parametrize("kind", FIGHTS)
def test_damage_left_is_that_of_the_plain_reading(kind):
    ask, plain = FIGHTS[kind]
    figures = ask()
    for name, expected in plain().items():
        assert expected > 0.1
        assert figures[name] == pytest.approx(expected, abs=1e-12), name


@pytest.mark.slow
@pytest.mark.parametrize("kind", FIGHTS)
def test_sampled_damage_left_is_within_its_errors(kind):
    """The sum of squared deviations in standard errors over eight seeds is as that of so many normal numbers."""
    from scipy.stats import chi2

    ask, plain = FIGHTS[kind]
    for name, expected in plain().items():
        squares = 0.0
        for seed in range(8):
            sample = ask(method="monte-carlo", trials=TRIALS, seed=seed, replacement=True)
            squares += ((sample[name] - expected) / sample[f"{name}_standard_error"]) ** 2
        assert math.isfinite(squares)
        assert chi2.sf(squares, 8) > 1e-4, name
        assert chi2.cdf(squares, 8) > 1e-4, name


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["charge", WALKERS, BEHEMOTH], "Mean damage left"),
        (["attack", WALKERS, WALKERS, BEHEMOTH], "damage left"),
        (["duel", WALKERS, BEHEMOTH, "--rounds", "1"], "Mean damage left"),
    ],
)
def test_damage_is_shown_where_a_model_can_carry_it(command, said):
    assert said in answer(*command)
    rifles = ["crown/rifle-platoon@basic" if each in (WALKERS, BEHEMOTH) else each for each in command]
    assert "damage" not in answer(*rifles).lower().replace("damage limit", "")
