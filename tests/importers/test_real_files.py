"""The players' own data files, where they are at hand: the shipped profiles are what they say, and the corrections."""

from pathlib import Path

import pytest

from analyser.game import profiles
from analyser.importers.battlescribe import import_files

REAL_DATA = Path(__file__).parents[3] / "shared" / "data"
NAMES = ["Commonwealth", "Crown", "Empire", "Enlightened", "Imperium"]

pytestmark = pytest.mark.skipif(not REAL_DATA.is_dir(), reason="the players' data files are not here")


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
    assert "98 units, 274 reinforcement levels, 257 rows, 28 warnings" in str(report)


@pytest.mark.parametrize("name", NAMES)
def test_a_real_catalogue_imports_alone_as_it_does_with_its_game_system_but_for_what_that_demands(name, report):
    alone = import_files(REAL_DATA / f"{name}.cat")
    (mine,), together = alone.factions, next(each for each in report.factions if each.name == name)
    assert mine.units == together.units
    assert "what it demands of battlegroups is not known" in str(alone.warnings[0])
    for one, other in zip(mine.boons, together.boons, strict=True):
        assert other.model_copy(update={"needs": one.needs}) == one  # the names of categories are the system's
    for one, other in zip(mine.battlegroups, together.battlegroups, strict=True):
        assert {key for key in other.slots if one.slots[key] != other.slots[key]} <= {"commander"}
        if "commander" in other.slots:
            assert (one.slots["commander"].least, other.slots["commander"].least) == (0, 1)
