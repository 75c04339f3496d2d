"""A table after an edit is that which is worked out from nothing; only what the edit touches is fought."""

import pandas as pd
import pytest

from analyser.analysis import situations
from analyser.analysis.grid import Fight, expect
from analyser.analysis.matchups import matchups
from analyser.analysis.matchups_after_edit import edited, fights_as
from analyser.game.profiles import Profiles
from tests.helpers.planted import write_wood


@pytest.fixture(scope="module")
def wood(tmp_path_factory):
    return Profiles(write_wood(tmp_path_factory.mktemp("wood")))


@pytest.fixture(scope="module")
def found(wood):
    return matchups("*/*", "*/*", situations=["long-range", "charge"], profiles=wood)


@pytest.fixture
def fought(monkeypatch):
    """The pairs that are fought from now on, by kind."""
    pairs = []
    for kind, fight in situations.FIGHTS.items():

        def cells(attackers, field, situation, fight=fight):
            pairs.extend((each.selector, other.selector) for each in attackers for other in field.defenders)
            return fight.cells(attackers, field, situation)

        monkeypatch.setitem(situations.FIGHTS, kind, fight._replace(cells=cells))
    return pairs


def with_oak(wood, **changes):
    return [each.with_(**changes) if each.unit.id == "oak" else each for each in wood]


@pytest.mark.parametrize(
    "changes", [{"points": 75}, {"dice": 3}, {"defence": 4, "points": "-5"}, {"rules": "Veteran (1)"}]
)
def test_it_is_the_table_of_the_changed_loadouts_to_the_bit(wood, found, changes):
    changed = with_oak(wood, **changes)
    anew = matchups(changed, changed, situations=["long-range", "charge"], profiles=wood)
    kept = edited(found, changed, changed)
    pd.testing.assert_frame_equal(kept.frame, anew.frame, check_exact=True)
    assert kept.attackers == anew.attackers
    assert kept.not_modelled == anew.not_modelled


def test_points_are_put_in_without_a_fight(wood, found, fought):
    edited(found, with_oak(wood, points=75), list(wood))
    assert fought == []


def test_rows_and_columns_of_who_is_changed_are_fought_and_nothing_else(wood, found, fought):
    changed = with_oak(wood, defence=3)
    edited(found, changed, changed)
    assert fought
    assert all("wood/oak@basic" in pair for pair in fought)
    assert len(fought) == 2 * (2 * len(changed) - 1)  # in two situations


def test_loadouts_come_and_go(wood, found):
    fewer = [each for each in wood if each.unit.id != "ash"]
    pd.testing.assert_frame_equal(
        edited(found, fewer, fewer).frame,
        matchups(fewer, fewer, situations=["long-range", "charge"], profiles=wood).frame,
        check_exact=True,
    )
    again = edited(edited(found, fewer, fewer), found.attackers, found.defenders)
    pd.testing.assert_frame_equal(again.frame, found.frame, check_exact=True)


def test_under_another_ruleset_everything_is_fought_anew(wood, found, fought):
    die = wood.ruleset.die.model_copy(update={"heroic": wood.ruleset.die.heroic + 1})
    other = edited(found, found.attackers, found.defenders, ruleset=wood.ruleset.model_copy(update={"die": die}))
    assert len(fought) == len(found.frame)
    assert not other.frame["mean_damage"].equals(found.frame["mean_damage"])


def test_who_costs_more_fights_as_before(wood):
    oak = wood["wood/oak@basic"]
    assert fights_as(oak, oak.with_(points=1))
    assert not fights_as(oak, oak.with_(discipline=7))
    assert not fights_as(oak, wood["wood/ash@basic"])


def test_a_kernel_is_told_of_all_the_fights_of_a_question_at_once():
    told = []

    class Recorded:
        def __init__(self, name):
            self.expect = lambda seconds: told.append((name, seconds))

    shots, blows = Recorded("shots"), Recorded("blows")
    shoot, charge = (Fight(None, "", each, cost=1, interpreted=by) for each, by in ((shots, 0.25), (blows, 0.5)))
    expect([(shoot, 8), (charge, 2), (shoot, 4), (charge, 0)])
    assert told == [("shots", 3.0), ("blows", 1.0)]
    expect([(charge, 0)])
    assert len(told) == 2  # nobody fights: nothing is compiled
