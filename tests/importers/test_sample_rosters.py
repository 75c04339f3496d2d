"""The sample rosters that the README's commands take: legal, read without a loss, the same whenever they are made."""

import zipfile
from pathlib import Path

import pytest

import analyser
from tests.helpers import rosters, sample_rosters
from tests.helpers.skips import REAL_DATA, real_data


def content(path):
    with zipfile.ZipFile(path) as archive:
        (entry,) = archive.infolist()
        return entry.date_time, archive.read(entry)


@pytest.mark.parametrize("file", sample_rosters.SAMPLES)
def test_a_sample_is_a_legal_list_and_holds_what_it_was_made_of(file):
    _, name, battlegroups = sample_rosters.SAMPLES[file]
    army = analyser.load_army(sample_rosters.FOLDER / file)
    assert (army.name, army.points_limit, army.scale) == (name, sample_rosters.POINTS, "skirmish")
    assert army.faction == Path(file).stem
    assert analyser.check_army(army).broken == ()
    read = [(unit.battlegroup, unit.loadout.unit.name, unit.loadout.level_name) for unit in army]
    assert read == [(group, *unit) for group, (_, units) in battlegroups.items() for unit in units]
    assert [each.boon.name for each in army.boons] == [boon for boons, _ in battlegroups.values() for boon in boons]
    assert not [line for line in army.warnings if "not understood" in line or "points" in line]


@real_data
def test_samples_made_anew_are_those_that_are_here():
    for _ in range(2):
        for file, roster in sample_rosters.made(REAL_DATA).items():
            assert content(sample_rosters.FOLDER / file) == ((1980, 1, 1, 0, 0, 0), rosters.xml_of(roster))


def test_a_roster_is_packed_to_the_same_bytes_whenever_it_is(monkeypatch):
    made = rosters.roster(rosters.tree_of(rosters.own_catalogue()), 5)
    before = rosters.zip_of(made)
    monkeypatch.setattr("time.time", lambda: 2_000_000_000.0)
    assert rosters.zip_of(rosters.roster(rosters.tree_of(rosters.own_catalogue()), 5)) == before
