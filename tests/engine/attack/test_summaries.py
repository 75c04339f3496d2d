"""Summaries of many attacks on many targets: every summary is that of the attack asked for alone."""

import numpy as np
import pytest

import analyser
from analyser.common.jit import Tiered
from analyser.engine.attack.summaries import SUMMARY, distinct_summaries
from analyser.game.profiles import load_profiles
from analyser.rules.structs import ATTACK, TARGET
from analyser.scenarios.attack import attack_record, target_record
from analyser.scenarios.load import load_scenario
from analyser.scenarios.resolve import resolve_attack, resolve_target
from analyser.scenarios.schema import Attack, Target
from tests.oracle.random_scenarios import random_scenarios

RULES = load_profiles().ruleset
DIE, DECK = np.array(RULES.die.sides_by_face, np.int64), RULES.deck.counts()


def swept(attacks, targets):
    pairs = [[load_scenario({"attack": attack, "target": target}) for target in targets] for attack in attacks]
    rows = np.array([row[0].facts[0] for row in pairs], ATTACK)
    columns = np.array([pair.facts[1] for pair in pairs[0]], TARGET)
    for row in rows:  # a rating that is filled in for one target is none that is stated for all
        row["stated_rating"] = -1
    return pairs, distinct_summaries(rows, columns, np.ones((len(rows), len(columns)), bool), DIE, DECK).table


def assert_as_alone(pairs, summaries):
    for row, found in zip(pairs, summaries):
        for pair, summary in zip(row, found):
            alone = analyser.exact(pair).summary
            for name in ("mean_models_destroyed", "p_suppressed", "p_broken", "p_annihilated"):
                assert summary[name] == pytest.approx(alone[name], rel=0, abs=1e-12)


def test_a_cell_with_two_values_rolls_the_one_for_each_target():
    # Wreckers (AC-6): 4 dice at a light target, 9 at a heavy one, in one row of the sweep.
    attacks = [{"dice": 4, "dice_in_parentheses": 9, "qualities": ["Wreckers"]}]
    plain = {"models": 6, "defence": 1, "damage_limit": 1, "discipline": 7, "break_limit": 2}
    targets = [plain | {"category": category} for category in ("light", "heavy", "light", "heavy")]
    pairs, summaries = swept(attacks, targets)
    assert [pair.attack.dice_in_parentheses for pair in pairs[0]] == [9, 9, 9, 9]
    assert summaries[0, 1]["mean_models_destroyed"] > summaries[0, 0]["mean_models_destroyed"] + 1
    assert_as_alone(pairs, summaries)


def test_every_summary_is_that_of_the_attack_alone():
    scenarios = list(random_scenarios(seed=5, count=14))
    counted = ("rating", "overcharge", "attacker_models", "attacker_damage", "attacker_damage_limit")
    attacks = [{key: value for key, value in each["attack"].items() if key not in counted} for each in scenarios]
    assert_as_alone(*swept(attacks, [each["target"] for each in scenarios]))


@pytest.fixture(scope="module")
def records():
    library = load_profiles()
    attacks = [
        attack_record(resolve_attack(Attack(), each, row), each.unit)
        for each in library.matching("crown/*@basic")
        for row in each.unit.rows
        if row.kind == "ranged" and row.band(each.level.models) is not None
    ]
    targets = [target_record(resolve_target(Target(), each)) for each in library.matching("imperium/*")]
    return np.array(attacks, ATTACK), np.array(targets, TARGET), library.ruleset


def test_figures_are_those_of_each_attack_alone(records):
    attacks, targets, ruleset = records
    rng = np.random.default_rng(1)
    possible = rng.random((len(attacks), len(targets))) < 0.7
    drawn = np.array(ruleset.die.sides_by_face, np.int64), ruleset.deck.counts()
    found = distinct_summaries(attacks, targets, possible, *drawn, threads=2)
    assert ((found.which >= 0) == possible).all()
    assert len(found.summaries) < possible.sum() / 2
    table = found.summaries[found.which]
    assert all(np.isnan(table[name][~possible]).all() for name in SUMMARY.names)
    for attack, target in rng.permutation(np.argwhere(possible))[:300]:
        alone = distinct_summaries(attacks[[attack]], targets[[target]], np.ones((1, 1), bool), *drawn)
        assert alone.summaries[0] == table[attack, target]


def test_nothing_comes_of_nothing(records):
    attacks, targets, ruleset = records
    drawn = np.array(ruleset.die.sides_by_face, np.int64), ruleset.deck.counts()
    none = np.zeros((len(attacks), len(targets)), np.bool_)
    assert (distinct_summaries(attacks, targets, none, *drawn).which == -1).all()
    assert distinct_summaries(attacks[:0], targets, none[:0], *drawn).which.shape == (0, len(targets))


def test_many_fights_do_not_wait_for_the_interpreter(monkeypatch):
    """The first part of a sweep took half a minute, because one long call was interpreted."""
    expected = {}
    monkeypatch.setattr(Tiered, "compile_for", lambda kernel, s: expected.update({kernel.__name__: s}))
    swept([{"dice": dice} for dice in (2, 3)], [{"models": n, "defence": 1, "damage_limit": 1} for n in (1, 2, 3)])
    assert expected["fill_summaries"] == pytest.approx(6e-3)
    assert expected["index_fights"] > 0
