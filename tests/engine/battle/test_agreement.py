"""A battle of one against one is the duel at the distance between the two lines (AC-9.2)."""

import random

import pytest
from scipy import stats

import analyser
from analyser.common.errors import InputError
from analyser.rules.policies import POLICIES
from tests.helpers.battles import A_FIRST, TABLE, duel_law, endings, scenario_of
from tests.helpers.samples import chi_square

PAIRS, BATTLES = 12, 1500


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
