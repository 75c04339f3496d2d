"""Fights that are kept: the same bits with them and without, and never those of other numbers, rules or programs."""

import os

import pandas as pd
import pytest

from analyser.analysis import fight_cache
from analyser.analysis.matchups import matchups
from analyser.common import cache
from analyser.game.profiles import Profiles
from tests.helpers.planted import with_oak

ALL = ["long-range", "short-range-aimed", "charge", "duel"]


@pytest.fixture
def folder(cached, monkeypatch):
    """Where fights are kept, of however few pairs."""
    monkeypatch.setattr(fight_cache, "LEAST_COST_STORED", 1)
    return cached


def without(profiles, *sides, asked=ALL):
    """The table that is worked out from nothing."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(cache.SWITCH, "no")
        return table(profiles, *sides, asked=asked)


def table(profiles, *sides, asked=ALL):
    return matchups(*(sides or ("*/*", "*/*")), situations=asked, profiles=profiles)


def same(one, other):
    pd.testing.assert_frame_equal(one.frame, other.frame, check_exact=True)


def test_what_is_kept_is_read_to_the_bit_and_not_fought_again(wood, folder, fought):
    anew = without(wood)
    fought.clear()
    first = table(wood)
    assert len(fought) == len(first.frame)
    fought.clear()
    again = table(wood)
    assert fought == []
    same(first, anew)
    same(again, anew)
    assert len(list(folder.glob("fights-*.part"))) == len(ALL)


@pytest.mark.parametrize(
    ("changes", "kinds"),
    [
        ({"points": 75}, {}),
        ({"defence": 4}, {"ranged": "both", "charge": "both", "duel": "both"}),
        ({"dice": 2}, {"ranged": "attacker", "charge": "both", "duel": "both"}),
    ],
)
def test_what_a_change_touches_is_fought_and_nothing_else(wood, folder, fought, changes, kinds):
    table(wood)
    fought.clear()
    changed = with_oak(wood, **changes)
    found = table(wood, changed, changed)
    assert {kind for kind, *_ in fought} == set(kinds)
    for kind, *pair in fought:
        assert "wood/oak@basic" in (pair if kinds[kind] == "both" else pair[:1])
    same(found, without(wood, changed, changed))


def test_another_ruleset_or_row_is_another_fight(wood, folder, fought):
    first = table(wood)
    other = Profiles(wood.folder)
    die = wood.ruleset.die.model_copy(update={"heroic": wood.ruleset.die.heroic + 1})
    vars(other)["ruleset"] = wood.ruleset.model_copy(update={"die": die})
    for asked in ({"profiles": other}, {"profiles": wood, "row": "melee"}):
        fought.clear()
        second = matchups("*/*", "*/*", situations=ALL, **asked)
        assert len(fought) == len(first.frame)
        assert not second.frame["mean_damage"].equals(first.frame["mean_damage"])


def test_where_nothing_can_be_written_the_answer_is_the_same(wood, folder, monkeypatch):
    monkeypatch.setattr(cache, "folder_for", lambda _: None)
    same(table(wood), without(wood))
    monkeypatch.setattr(cache, "folder_for", lambda _: folder / "a file" / "no folder")
    (folder / "a file").write_text("")
    same(table(wood), without(wood))


def test_a_table_does_not_grow_without_end(wood, folder, fought, monkeypatch):
    monkeypatch.setattr(fight_cache, "MOST_LOADOUTS_STORED", len(list(wood)))
    for dice in range(1, 4):
        changed = with_oak(wood, dice=dice)
        same(table(wood, changed, changed), without(wood, changed, changed))
    fought.clear()
    table(wood, changed, changed)
    assert fought == []  # the last one is there


def test_of_too_many_files_the_oldest_go(wood, folder, monkeypatch):
    for at, asked in enumerate(ALL[:3]):
        table(wood, asked=[asked])
        for path in folder.iterdir():
            os.utime(path, (at, at)) if path.stat().st_mtime > 10 else None
    oldest, _, last = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime)
    monkeypatch.setattr(cache, "MOST_BYTES", sum(path.stat().st_size for path in folder.iterdir()) + 100)
    table(wood, asked=["duel"])
    assert not oldest.exists()
    assert last.exists()
