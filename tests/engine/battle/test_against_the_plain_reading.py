"""The engine of battles against a plain reading that shares nothing with it, over small battles at random.

Both are sampled, so each battle is a test of homogeneity: how often which victory points, models left of each
unit, and last holder of the initiative. All of them together alarm falsely about once in 10,000 runs.
"""

import random
from collections import Counter

import numpy as np
import pytest
from scipy.stats import chi2_contingency

import analyser
from analyser.common.kernel_records import empty_record
from analyser.common.validation import checked
from analyser.engine.battle.battle_data import CHUNK_BATTLES, MOST_UNITS, Battle, Counts, Place
from analyser.engine.battle.play import play_chunk
from analyser.engine.battle.simulation import Simulation
from analyser.engine.rng import stream_of
from analyser.game.ruleset import Ruleset
from analyser.rules.unit_state import models_of
from analyser.scenarios.battle import BattleTerms, battle_scenario
from analyser.scenarios.battle_tables import encode_battle
from tests.oracle.plain_battle import play
from tests.oracle.plain_chance import Rolled
from tests.oracle.random_battles import army_of, random_plan, ruleset_of, terms_of

SEEDS = 24
BATTLES_A_SEED = 2
PLAYED, PLAYED_PLAINLY = 1500, 300
FALSE_ALARM = 1e-4 / (SEEDS * BATTLES_A_SEED)
FEWEST_EXPECTED = 8
KINDS = ({}, {}, {"odd": True}, {"transports": True}, {"transports": True, "odd": True}, {"aircraft": True})


def played(plan, battles, seed):
    """How so many battles of the engine end: (victory points, models of each unit, last holder)."""
    library = analyser.load_profiles()
    terms, ruleset = checked(BattleTerms, terms_of(plan)), checked(Ruleset, ruleset_of(plan))
    scenario = battle_scenario(army_of(plan.a), army_of(plan.b), terms, ruleset, library)
    simulation = Simulation(*encode_battle(scenario), replacement=plan.replacement)
    field = simulation._new_field()
    battle = Battle(simulation._setup, simulation._tables, field, empty_record(Counts))
    units = [*range(len(plan.a.units)), *range(MOST_UNITS, MOST_UNITS + len(plan.b.units))]
    for number in range(battles):
        chunk, place = divmod(number, CHUNK_BATTLES)
        play_chunk(battle, stream_of(seed), chunk, place, place + 1)
        models = tuple(models_of(int(field.states[unit])) if field.place[unit] != Place.GONE else 0 for unit in units)
        yield (int(field.points[0]), int(field.points[1])), models, int(field.initiative_side)


def played_plainly(plan, battles, seed):
    """The same of the plain reading."""
    chance = Rolled(seed)
    for _ in range(battles):
        outcome = play(plan, chance)
        yield outcome.vps, outcome.models[-1], outcome.holders[-1]


def chance_of(one, other):
    """The chance that two samples of one law differ by as much: chi-square, rare outcomes taken together."""
    share = min(one.total(), other.total()) / (one.total() + other.total())
    both = one + other
    common = [outcome for outcome in both if both[outcome] * share >= FEWEST_EXPECTED]
    table = np.array([[*(each[outcome] for outcome in common), 0] for each in (one, other)])
    table[:, -1] = [one.total(), other.total()] - table.sum(axis=1)
    if table[:, -1].sum() * share < FEWEST_EXPECTED:  # too few for a column of their own
        rarest = table[:, :-1].sum(axis=0).argmin()
        table[:, rarest] += table[:, -1]
        table = table[:, :-1]
    return chi2_contingency(table, correction=False).pvalue if table.shape[1] > 1 else 1.0


def differences(plan, seed, one=PLAYED, other=PLAYED_PLAINLY):
    """Chances of what is seen of the endings of a plan, by what it is seen of."""
    samples = list(played(plan, one, seed)), list(played_plainly(plan, other, seed))
    views = {"victory points": lambda ending: ending[0], "last holder of the initiative": lambda ending: ending[2]}
    for number, unit in enumerate((*plan.a.units, *plan.b.units)):
        views[f"models of {unit.name}"] = lambda ending, number=number: ending[1][number]
    return {name: chance_of(*(Counter(map(view, sample)) for sample in samples)) for name, view in views.items()}


def alarms(plan, seed):
    found = differences(plan, seed)
    return {name: chance for name, chance in found.items() if chance < FALSE_ALARM / len(found)}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(SEEDS))
def test_battles_end_as_the_plain_reading_has_it(seed):
    for number in range(BATTLES_A_SEED):
        kind = KINDS[(seed * BATTLES_A_SEED + number) % len(KINDS)]
        plan = random_plan(random.Random(1000 * seed + number), **kind)
        assert not alarms(plan, seed), plan
