"""The players' own data files, where they are at hand: the shipped profiles are what they say, and the corrections."""

import pytest

from analyser.game import profiles
from analyser.importers.battlescribe import import_files
from tests.helpers.skips import REAL_DATA, real_data
from tests.oracle import plain_catalogue as plain

NAMES = ["Commonwealth", "Crown", "Empire", "Enlightened", "Imperium"]

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
    assert "98 units, 274 reinforcement levels, 257 rows, 28 warnings" in str(report)


# --- against a plain reading of the XML, every unit at every level ---------------------------------------------

MISSPELT = {"supressive": "suppressive", "devestating": "devastating", "stalker": "stalkers"}
LEFT_OUT = ("Ruishi Lion Automata", "Ranged (Aerial)")  # whose short range, 14, is beyond its long one, 10
TARGETS = {"Ranged (Light/Heavy)": ("light", "heavy"), "Ranged (Heavy/Light)": ("heavy", "light")}


def spelled(names):
    """Names without what is no part of them: capitals, hyphens, and the slips of the pen above."""
    plainly = [str(each).lower().replace("-", " ").replace(" and ", " & ") for each in names]
    return [MISSPELT.get(each, each) for each in plainly]


@pytest.fixture(params=NAMES)
def faction(request, report):
    """The root of a catalogue, and the faction that was made of it."""
    root = plain.read(REAL_DATA / f"{request.param}.cat")
    return root, next(each for each in report.factions if each.name == request.param)


def test_every_number_of_every_unit_at_every_level_is_that_of_the_file(faction):
    root, ours = faction
    assert [unit.name for unit in ours.units] == [" ".join(each.get("name").split()) for each in plain.units(root)]
    for unit, entry in zip(ours.units, plain.units(root), strict=True):
        levels = plain.levels(entry)
        assert unit.entry == entry.get("id")
        assert set(unit.levels) == set(levels)
        for name, expected in levels.items():
            level, there = unit.levels[name], unit.at(name)
            assert (level.entry, level.models, level.points) == (
                expected["entry"],
                expected["models"],
                expected["points"],
            )
            assert (level.victory_points, unit.category) == (expected["victory_points"], expected["target"])
            for key in plain.STATS.values():
                assert getattr(there, key) == expected[key], (unit.name, name, key)


def test_every_row_of_every_unit_is_that_of_the_file(faction):
    root, ours = faction
    for unit, entry in zip(ours.units, plain.units(root), strict=True):
        for row, (name, short, long, bands, qualities) in zip(unit.rows, plain.rows(entry), strict=True):
            assert row.name == name
            assert (row.short_range, row.long_range) == (None if (unit.name, name) == LEFT_OUT else short, long)
            assert [(each.first, each.last, each.dice, each.special) for each in row.bands] == bands
            assert spelled(row.qualities) == spelled(qualities)
            kind, _, target = name.lower().partition(" ")
            assert row.kind == kind
            assert row.against == TARGETS.get(name, (target.strip("()"),) if target else ())


def test_every_special_rule_of_every_unit_is_that_of_the_file(faction):
    root, ours = faction
    for unit, entry in zip(ours.units, plain.units(root), strict=True):
        assert spelled(unit.rules) == spelled(plain.special_rules(entry))


def test_every_battlegroup_and_every_place_in_one_is_that_of_the_file(faction):
    root, ours = faction
    (system,) = (plain.read(each) for each in REAL_DATA.glob("*.gst"))
    forces = root.findall("forceEntries/forceEntry")
    assert [each.entry for each in ours.battlegroups] == [each.get("id") for each in forces]
    for battlegroup, force in zip(ours.battlegroups, forces, strict=True):
        slots = plain.slots(force, system)
        assert battlegroup.name == force.get("name").strip()
        assert [(each.name, each.least, each.most) for each in battlegroup.slots.values()] == list(slots.values())
        ids = dict(zip(slots, battlegroup.slots))
        for unit, entry in zip(ours.units, plain.units(root), strict=True):
            categories, most = plain.place(entry, force)
            there = unit.battlegroups.get(battlegroup.id)
            if categories[0] not in slots:
                assert there is None
                continue
            assert (list(there.slots), there.most) == ([ids[each] for each in categories if each in ids], most)
            assert there.least == 0
    assert all(unit.battlegroups for unit in ours.units)


def test_every_boon_is_that_of_the_file(faction):
    root, ours = faction
    (holder,) = root.findall("selectionEntries/selectionEntry[@type='upgrade']")
    entries = [holder, *holder.findall("selectionEntries/selectionEntry")]
    assert [each.entry for each in ours.boons] == [each.get("id") for each in entries]
    for boon, entry in zip(ours.boons, entries, strict=True):
        assert boon.name == entry.get("name").strip().rstrip(":")
        assert boon.points == sum(int(each.get("value")) for each in entry.findall("costs/cost"))
        limits = {each.get("type"): int(each.get("value")) for each in entry.findall("constraints/constraint")}
        assert (boon.least, boon.most) == (limits.get("min", 0), limits.get("max"))
