"""The players' own data files, where they are at hand: the shipped profiles are what they say, and the corrections."""

import pytest

from analyser.game import profiles
from analyser.game.importers.battlescribe import import_files
from tests.helpers.skips import REAL_DATA, real_data

pytestmark = real_data


def _bands_by_eight(unit):
    for band, (first, last) in zip(unit["rows"][0]["bands"], [(1, 8), (9, 16), (17, 24)]):
        band.update(first=first, last=last)


def _striders(unit):
    unit["levels"]["reinforced"].update(models=8, victory_points=3)
    unit["levels"]["full-strength"].update(models=12, victory_points=4)


CORRECTED = {  # unit: what the shipped profiles say instead of the source
    ("crown", "sharp-rifles"): lambda unit: unit["rows"][0].update(long_range=32.0),
    ("commonwealth", "kheshig-sky-cutter-wings"): lambda unit: unit.update(category="aerial"),
    ("commonwealth", "kheshig-sky-cutter-command-wings"): lambda unit: unit.update(category="aerial"),
    ("empire", "green-banner-command-platoon"): _bands_by_eight,
    ("empire", "green-banner-guard-platoon"): _bands_by_eight,
    ("enlightened", "strider-cav-cohort"): _striders,
}


@pytest.fixture(scope="module")
def report():
    return import_files([*sorted(REAL_DATA.glob("*.cat")), *REAL_DATA.glob("*.gst")])


def test_the_shipped_profiles_are_the_import_of_the_real_files_and_the_corrections_named_here(report):
    shipped = profiles.load_profiles().factions
    assert {faction.id for faction in report.factions} == set(shipped)
    corrected = 0
    for faction in report.factions:
        ours = shipped[faction.id]
        assert (ours.entry, ours.battlegroups, ours.boons) == (faction.entry, faction.battlegroups, faction.boons)
        assert [unit.id for unit in ours.units] == [unit.id for unit in faction.units]
        for unit, our_unit in zip(faction.units, ours.units):
            expected = unit.model_dump(mode="json")
            if (faction.id, unit.id) in CORRECTED:
                CORRECTED[faction.id, unit.id](expected)
                assert expected != unit.model_dump(mode="json")
                corrected += 1
            assert our_unit.model_dump(mode="json") == expected
    assert corrected == len(CORRECTED)
    assert "98 units, 274 reinforcement levels, 257 rows, 24 warnings" in str(report)
