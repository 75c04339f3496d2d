"""Fights worked out once, against each worked out where it stands."""

import numpy as np
import pytest

from analyser.engine.attack import deduplicated
from analyser.engine.attack.deduplicated import deduplicated_summaries
from analyser.engine.attack.summaries import SUMMARY, summary_table
from analyser.game.profiles import load_profiles
from analyser.rules.structs import ATTACK, CATEGORIES, TARGET
from analyser.scenarios.attack import attack_record, target_record
from analyser.scenarios.resolve import resolve_attack, resolve_target
from analyser.scenarios.schema import Attack, Target


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


@pytest.mark.parametrize("room", [1, 1 << 10])
def test_figures_are_those_of_each_attack_alone(records, room, monkeypatch):
    monkeypatch.setattr(deduplicated, "_LEAST_CAPACITY", room)  # little room has to be made more
    attacks, targets, ruleset = records
    possible = np.random.default_rng(1).random((len(attacks), len(CATEGORIES))) < 0.7
    drawn = np.array(ruleset.die.sides_by_face, np.int64), ruleset.deck.counts()
    found = deduplicated_summaries(attacks, targets, possible, *drawn)
    there = possible[:, targets["category"]]
    alone = summary_table(attacks, targets, there, *drawn)
    assert ((found.which >= 0) == there).all()
    assert len(found.summaries) < there.sum() / 2
    for name in SUMMARY.names:
        assert np.array_equal(found.summaries[name][found.which[there]], alone[name][there])


def test_nothing_comes_of_nothing(records):
    attacks, targets, ruleset = records
    drawn = np.array(ruleset.die.sides_by_face, np.int64), ruleset.deck.counts()
    none = np.zeros((len(attacks), len(CATEGORIES)), np.bool_)
    assert (deduplicated_summaries(attacks, targets, none, *drawn).which == -1).all()
    assert deduplicated_summaries(attacks[:0], targets, none[:0], *drawn).which.shape == (0, len(targets))
