"""Battles: the same bits on any number of threads, two real decks, reserves, transports, what is counted and told."""

import ast
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from analyser.engine import battle
from analyser.engine.battle.log import Event
from analyser.engine.battle.simulation import Simulation
from analyser.engine.battle.tables import MOST_UNITS
from analyser.rules.battle import Outcome
from analyser.scenarios.battle_tables import encoded
from tests.helpers.battles import A_FIRST, scenario_of

RIFLES = ["crown/rifle-command-platoon@basic", "2 x crown/rifle-platoon@basic", "crown/horse-guard-cavalry@basic"]
GRENADIERS = ["3 x imperium/scion-grenadier-platoon@basic", "imperium/totenkopf-jaeger-cavalry@basic"]


def simulation_of(mine, yours, **terms):
    return Simulation(*encoded(scenario_of(mine, yours, **terms)))


def events_of(told, event):
    return [tuple(line) for line in told.events.tolist() if line[0] == event]


def test_no_index_counts_from_the_end():
    """Kernels of battles are compiled without a look whether one does (`common/compiler`)."""
    for path in Path(battle.__file__).parent.glob("*.py"):
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(function, ast.FunctionDef) and function.decorator_list:
                subscripts = [each.slice for each in ast.walk(function) if isinstance(each, ast.Subscript)]
                parts = [part for each in subscripts for part in getattr(each, "elts", [each])]
                assert not [ast.unparse(each) for each in parts if isinstance(each, ast.UnaryOp)], function.name


@pytest.mark.slow
def test_same_seed_same_bits_on_any_number_of_threads():
    simulation = simulation_of(RIFLES, GRENADIERS)
    one, *others = [simulation.play(3000, 7, threads) for threads in (1, 2, 3, 4)]
    for other in others:
        for name in one.dtype.names:
            assert np.array_equal(one[name], other[name]), name


@pytest.mark.slow
def test_a_mirror_battle_is_even():
    counts = simulation_of(RIFLES, RIFLES).play(20_000, 3)
    by_outcome = counts.outcomes.sum(axis=0)
    mine = by_outcome[[Outcome.VICTORY, Outcome.DEVASTATING_VICTORY]].sum()
    yours = by_outcome[[Outcome.DEFEAT, Outcome.DEVASTATING_DEFEAT]].sum()
    assert abs(mine - yours) < 4 * np.sqrt(mine + yours)


@pytest.mark.slow
def test_what_is_lost_is_what_is_not_left():
    simulation = simulation_of(RIFLES, GRENADIERS, rounds=4)
    counts = simulation.play(2000, 5)
    begun = 2000 * simulation._encoding.models
    gone = counts.lost.sum(axis=0)
    assert np.array_equal(begun - gone, counts.models[3])
    assert np.array_equal(counts.killed.sum(axis=(0, 1)), gone)  # nobody here hurts itself
    assert counts.results.sum() == counts.outcomes.sum() == counts.ended.sum() == 2000


@pytest.mark.slow
def test_a_told_battle_is_the_one_that_was_counted():
    simulation = simulation_of(RIFLES, GRENADIERS)
    for number in (0, 3, 300):
        told = simulation.told(number, 11)
        *_, mine, yours = events_of(told, Event.ENDED)[-1]
        assert mine - yours == told.margin
        assert simulation.first_with(told.margin, number + 1, 11) <= number
    many = simulation.play(1000, 11)
    margins = [simulation.told(number, 11).margin for number in range(200)]
    first, second = np.nonzero(many.results)
    assert set(margins) <= set((first - second).tolist())


@pytest.mark.slow
def test_a_deck_is_real():
    """Before communications break down no value is turned more often than the deck has copies of it."""
    simulation = simulation_of(RIFLES, GRENADIERS, hand_limit=0, rounds=6)
    seen = 0
    for number in range(20):
        cards = {0: [], 1: []}
        for line in events_of(simulation.told(number, 2), Event.CARD):
            cards[line[1] // MOST_UNITS].append(line[3])
        for side in cards.values():
            seen += len(side[:36])
            assert max(Counter(side[:36]).values(), default=0) <= 3
    assert seen > 100


@pytest.mark.slow
def test_who_surrenders_never_has_the_initiative():
    simulation = simulation_of(RIFLES, GRENADIERS, **A_FIRST)
    for number in range(10):
        rounds = events_of(simulation.told(number, 1), Event.ROUND)
        assert {line[1] for line in rounds} == {0}
        assert all(line[5] == 0 for line in rounds)


@pytest.mark.slow
def test_zero_ground_presence_is_five_points_and_the_end():
    simulation = simulation_of([*RIFLES, *RIFLES], ["imperium/scion-grenadier-platoon@basic"], gap=8.0)
    counts = simulation.play(500, 1)
    assert counts.ended[:6].sum() > 400
    told = simulation.told(0, 1)
    assert events_of(told, Event.GROUND)
    assert events_of(told, Event.ENDED)[-1][4] >= 5


@pytest.mark.slow
def test_reserves_come_from_round_2_on_and_never_in_the_last():
    late = {"unit": "crown/rifle-platoon@basic", "reserve": True}
    plane = {"unit": "crown/defiance-fighter-squadron@basic"}
    simulation = simulation_of([*RIFLES, late, plane], GRENADIERS, rounds=4)
    told = simulation.told(0, 1)
    number, entered = 0, []
    for line in told.events.tolist():
        if line[0] == Event.ROUND:
            number = line[3]
        elif line[0] == Event.ENTERED:
            entered.append((number, line[1]))
    assert [each for each in entered if each[1] == 4] == [(2, 4)]
    assert [each for each in entered if each[1] == 5] == [(2, 5), (3, 5)]  # a sortie a round


@pytest.mark.slow
def test_passengers_get_off_and_fall_with_their_transport():
    armour = {"unit": "crown/tristan-assault-transports@basic", "name": "Box"}
    rifles = {"unit": "crown/rifle-platoon@basic", "name": "Inside", "embarked_in": "Box"}
    simulation = simulation_of([armour, rifles], GRENADIERS, gap=24.0, disembark_by=2, rounds=3)
    gone_aboard = 0
    for number in range(40):
        told = simulation.told(number, 1)
        off = events_of(told, Event.DISEMBARKED)
        assert len(off) <= 1
        box = [line for line in events_of(told, Event.REMOVED) if line[1] == 0]
        inside = [line for line in events_of(told, Event.REMOVED) if line[1] == 1]
        if box and not off:
            assert inside
            gone_aboard += 1
        elif not box:
            assert off or inside
    assert gone_aboard < 40
