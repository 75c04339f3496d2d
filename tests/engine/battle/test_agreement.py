"""A battle of one against one is the duel at the distance between the two lines (AC-9.2)."""

import random

import pytest
from scipy import stats

import analyser
from analyser.common.errors import InputError
from analyser.engine.battle.battle_data import MOST_UNITS
from analyser.rules.policies import POLICIES
from tests.helpers.battles import A_FIRST, TABLE, duel_law, endings, scenario_of
from tests.helpers.samples import chi_square
from tests.oracle import fight_files

PAIRS, BATTLES = 12, 1500
SLOW = {"category": "light", "speed": 6.0}


def on_the_ground():
    for faction in analyser.load_profiles().factions.values():
        for unit in faction.units:
            if unit.type != "aircraft":
                yield f"{faction.id}/{unit.id}@{next(iter(unit.levels))}"


def a_duel(number):
    """Two units, their policies, the distance and the rounds; and how the duel ends, if they can fight one."""
    chance, units = random.Random(number), list(on_the_ground())
    pair, policies = chance.choices(units, k=2), chance.choices(list(POLICIES), k=2)
    gap, rounds = chance.choice([3.0, 8.0, 12.0, 20.0]), chance.choice([1, 2, 3])
    try:
        return pair, policies, gap, rounds, duel_law(*pair, policies, gap, rounds)
    except InputError:
        return None


def p_value(pair, policies, gap, rounds, law):
    terms = {"policy_mine": policies[0], "policy_yours": policies[1], "gap": gap, "rounds": rounds, "table": TABLE}
    scenario = scenario_of([pair[0]], [pair[1]], **terms, **A_FIRST)
    return chi_square(endings(scenario, BATTLES), law)


@pytest.mark.slow
def test_one_against_one_is_the_duel():
    duels = [duel for number in range(4 * PAIRS) if (duel := a_duel(number)) is not None][:PAIRS]
    found = [p for duel in duels if (p := p_value(*duel)) is not None]
    assert len(found) > PAIRS // 2
    assert min(found) > 0.05 / len(found) / 50
    assert stats.kstest(found, "uniform").pvalue > 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("mine", [{"policy_mine": "take_cover"}, {"tactic_mine": "balanced"}], ids=str)
def test_who_runs_amok_needs_no_target(mine):
    a, b = fight_files.unit(rules=["Run Amok"], models=6, **SLOW), fight_files.unit(models=2, **SLOW)
    told = fight_files.duel(a, b, distance=5.0, rounds=2, policy_a="take_cover", policy_b="take_cover").summary
    fought = fight_files.battle(a, b, gap=5.0, trials=20, **mine)
    left = [fought.counts.models[1, unit] / 20 for unit in (0, MOST_UNITS)]
    assert left == [told["mean_a_models_left"], told["mean_b_models_left"]] == [4, 0]
    assert fought.summary["p_victory"] == told["p_a_wins"] == 1
