"""The importer: invented catalogues with every kind of dirt, and files that attack."""

import random
import tomllib
import zipfile

import pytest

from analyser.common.errors import InputError
from analyser.common.validation import checked
from analyser.game.units import Faction, Unit
from analyser.importers import archive, tree_builder
from analyser.importers.battlescribe import import_files, to_toml
from tests.helpers.catalogues import (
    BOONS,
    FORCES,
    GAME_SCHEMA,
    SCHEMA,
    Entry,
    catalogue,
    game_system,
    level,
    profile,
    three_levels,
    weapon,
)


@pytest.fixture
def imported(tmp_path):
    """Import a catalogue's text; the report."""

    def run(text, *more):
        path = tmp_path / "river.cat"
        path.write_text(text, encoding="utf-8")
        return import_files([path, *more])

    return run


@pytest.fixture
def one(imported):
    """Import one invented unit; the unit and what was doubted, as 'value: doubt'."""

    def run(**changes):
        report = imported(catalogue(Entry(**changes)))
        return report.factions[0].units[0], [f"{each.value}: {each.doubt}" for each in report.warnings]

    return run


# --- what a clean catalogue gives ---------------------------------------------------------------


def test_a_clean_unit_comes_through_without_a_doubt(one):
    unit, doubts = one()
    assert doubts == []
    assert (unit.id, unit.type, unit.category, unit.speed, unit.break_limit) == (
        "otter-guard",
        "infantry",
        "light",
        5,
        2,
    )
    assert [(name, each.models, each.points, each.victory_points) for name, each in unit.levels.items()] == [
        ("basic", 3, 50, 1),
        ("reinforced", 6, 95, 2),
        ("full-strength", 9, 140, 3),
    ]
    (row,) = unit.rows
    assert (row.id, row.kind, row.against, row.short_range, row.long_range) == (
        "ranged-light",
        "ranged",
        ("light",),
        6,
        12,
    )
    assert [(band.first, band.last, band.dice) for band in row.bands] == [(1, 3, 4), (4, 6, 8), (7, 9, 12)]
    assert unit.rules == ("Hover", "Bulky")


def test_a_report_counts_units_levels_and_rows_and_names_its_source(imported):
    two_rows = weapon() + weapon("Melee", "-")
    report = imported(
        catalogue(Entry(weapons=two_rows), Entry(name="Heron", levels=level("Basic", 3, 9, 1, title="Heron")))
    )
    assert "1 faction, 2 units, 4 reinforcement levels, 3 rows, 1 warning;" in str(report)
    (faction,) = report.factions
    assert (faction.id, faction.name, faction.source) == (
        "river-folk",
        "River Folk",
        "BattleScribe data, river.cat, revision 3",
    )


def test_a_warning_names_file_unit_value_and_doubt(imported, tmp_path):
    (warning,) = imported(catalogue(Entry(rules="Amphibious"))).warnings
    assert warning.file == str(tmp_path / "river.cat")
    assert (warning.unit, warning.value) == ("Otter Guard", "Amphibious")
    assert "unknown special rule" in warning.doubt


@pytest.mark.parametrize(
    ("categories", "kind", "traits"),
    [
        ((("Commander", True), ("Light", False), ("Cavalry", False)), "cavalry", ("commander",)),
        (
            (("Heavy", True), ("Behemoth", False), ("Fortification", False), ("Subterranean", False)),
            "fortification",
            ("behemoth", "subterranean"),
        ),
        (
            (("Transport", False), ("Heavy", False), ("Armour", True), ("Field Guns/Artillery", False)),
            "armour",
            ("transport",),
        ),
    ],
)
def test_type_and_traits_come_from_the_categories(one, categories, kind, traits):
    unit, _ = one(categories=categories)
    assert (unit.type, unit.traits) == (kind, traits)


# --- cells ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "short", "long"),
    [
        ('7"/14"', 7, 14),
        ('-"/14"', None, 14),
        ("–/14”", None, 14),
        ("7”/14”", 7, 14),
        ("7 / 14", 7, 14),
        ('20"', None, 20),
    ],
)
def test_ranges_are_read_however_they_are_typed(one, text, short, long):
    unit, doubts = one(weapons=weapon(reach=text))
    assert (unit.rows[0].short_range, unit.rows[0].long_range, doubts) == (short, long, [])


@pytest.mark.parametrize("text", ["10 (15)", "10(15)", "10\u00a0(15)"])
def test_the_value_in_parentheses_is_kept(one, text):
    unit, doubts = one(weapons=weapon(cells={"1-9": text}, qualities="Shock"))
    assert (unit.rows[0].bands[0].dice, unit.rows[0].bands[0].special, doubts) == (10, 15, [])


@pytest.mark.parametrize("nothing", ["-", "–", "", '-"'])
def test_a_dash_in_any_form_is_nothing(one, nothing):
    unit, doubts = one(
        levels=three_levels(stats={"Discipline": nothing, "Break Limit": nothing, "Speed": nothing}),
        weapons=weapon("Melee", nothing, qualities=nothing),
        rules=nothing,
    )
    assert (unit.discipline, unit.break_limit, unit.speed, unit.rules) == (None, None, None, ())
    assert (unit.rows[0].long_range, unit.rows[0].qualities, doubts) == (None, (), [])


def test_bands_in_falling_order_are_sorted_and_a_behemoth_s_go_by_damage(one):
    unit, doubts = one(
        levels=level("Full Strength", 1, 400, 8, stats={"Target type": "Heavy", "Damage limit": "8"}),
        categories=(("Behemoth", True), ("Armour", False), ("Heavy", False)),
        weapons=weapon(cells={"5-7": "3", "0-4": "9"}),
    )
    assert doubts == []
    assert [(band.first, band.dice) for band in unit.rows[0].bands] == [(0, 9), (5, 3)]


def test_a_row_against_two_categories_and_two_rows_of_a_name(one):
    unit, doubts = one(
        weapons=weapon("Ranged (Light/Heavy)") + weapon() + weapon(reach='3"/6"') + weapon("Impact", "-")
    )
    assert [row.id for row in unit.rows] == ["ranged-light-heavy", "ranged-light", "ranged-light-2", "impact"]
    assert unit.rows[0].against == ("light", "heavy")
    assert doubts == []


def test_lists_of_names_survive_blanks_commas_and_parentheses(one):
    unit, doubts = one(
        rules="All Out Attack (3),Capacity (12), Spectacular\u00a0Demise (8), Support (Infantry, Cavalry), Soar (10”),",
        weapons=weapon(qualities="Indirect,\nSlow to Fire,arc,"),
    )
    assert unit.rules == (
        "All-Out Attack (3)",
        "Capacity (12)",
        "Spectacular Demise (8)",
        "Support (Infantry, Cavalry)",
        "Soar (10)",
    )
    assert unit.rows[0].qualities == ("Indirect", "Slow to Fire", "Arc")
    assert doubts == []


def test_the_unit_s_name_stays_as_the_source_spells_it(one):
    unit, _ = one(name=" Oter\u00a0 Gaurd", levels=three_levels(title="Oter Gaurd"))
    assert (unit.name, unit.id) == ("Oter Gaurd", "oter-gaurd")


# --- what is doubted -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "doubt"),
    [
        ({"rules": "Amphibious"}, "Amphibious: unknown special rule"),
        ({"rules": "Stalker"}, "Stalker: misspelt special rule; taken for Stalkers"),
        ({"weapons": weapon(qualities="Devestating")}, "Devestating: misspelt quality; taken for Devastating"),
        ({"weapons": weapon(qualities="Explosive")}, "Explosive: unknown quality"),
        ({"levels": level("Basic", 9, 50, 1) + level("Reinforced", 9, 60, 1)}, "9, 9: models do not grow"),
        ({"levels": level("Basic", 3, 50, 1) + level("Reinforced", 9, 40, 1)}, "50, 40: points do not grow"),
        ({"levels": level("Basic", 3, 50, 2) + level("Reinforced", 9, 60, 1)}, "2, 1: victory points fall"),
        (
            {"levels": level("Basic", 3, 50, 1) + level("Reinforced", 6, 90, 1) + level("Full Strength", 9, 100, 1)},
            "50, 90, 100: the price of further models jumps",
        ),
        ({"levels": level("Basic", 9, 50, 0)}, "basic: 0: this level is worth no victory points"),
        ({"levels": level("Basic", 9, None, 1)}, "basic: this level has no cost"),
        ({"levels": level("Basic", 9, 0, 1)}, "basic: 0: this level costs no points"),
        ({"levels": level("Basik", 9, 50, 1)}, "Basik: taken for the level basic"),
        ({"levels": level("Basic", 3, 50, 1) + level("Basic", 9, 50, 1)}, "basic: this level stands twice"),
        ({"levels": level("Full Strength", 9, 50, 1)}, "full-strength: no basic level"),
        ({"levels": three_levels(title="Heron Guard")}, "Heron Guard: the profile's name is not the unit's"),
        (
            {"levels": level("Basic", 3, 50, 1) + level("Reinforced", 9, 90, 1, stats={"Discipline": "8"})},
            "discipline: basic 7, reinforced 8: differs from level to level",
        ),
        ({"levels": three_levels(stats={"Discipline": "brave"})}, "discipline: brave: not a number"),
        ({"levels": three_levels(stats={"Speed": "fast"})}, "speed: fast: not a distance"),
        ({"levels": three_levels(stats={"Target type": "Medium"})}, "target type: Medium: not light, heavy or aerial"),
        ({"levels": three_levels(stats={"Target type": "Heavy"})}, "Heavy: the unit's categories say light"),
        ({"categories": (("Rotorcraft", True), ("Light", False))}, "target type: Light: unlikely for rotorcraft"),
        ({"categories": (("Light", True),)}, "light: no category tells the type; taken for infantry"),
        ({"categories": (("Infantry", True), ("Cavalry", False))}, "infantry, cavalry: more than one type"),
        ({"weapons": weapon(reach='12"/132"')}, 'Ranged (Light): 132": a range beyond'),
        ({"weapons": weapon(reach='14"/10"')}, 'Ranged (Light): 14"/10": short range beyond long'),
        ({"weapons": weapon(reach='0"/10"')}, 'Ranged (Light): 0": a range of nothing'),
        ({"weapons": weapon(reach="far")}, "Ranged (Light): far: not a range"),
        ({"weapons": weapon("Melee", '2"')}, 'Melee: 2": a range on a row that is not ranged'),
        ({"weapons": weapon(cells={"1-3": "4", "5-9": "8"})}, "Ranged (Light): 1-3, 5-9: no band for 4 to 4 models"),
        ({"weapons": weapon(cells={"1-4": "4", "4-9": "8"})}, "Ranged (Light): 1-4, 4-9: bands overlap"),
        ({"weapons": weapon(cells={"1-3": "4", "4-6": "8"})}, "Ranged (Light): 1-3, 4-6: the bands end at 6 models"),
        ({"weapons": weapon(cells={"2-9": "4"})}, "Ranged (Light): 2-9: the bands begin at 2 models"),
        ({"weapons": weapon(cells={"1-4": "8", "5-9": "4"})}, "Ranged (Light): 8, 4: attack dice fall"),
        ({"weapons": weapon(cells={"1-4": "8", "5-9": "lots"})}, "Ranged (Light): 5-9: lots: not a number of dice"),
        ({"weapons": weapon(cells={"9-1": "8", "1-9": "9"})}, "Ranged (Light): 9-1: 8: a band that holds nothing"),
        ({"weapons": weapon(cells={"1-9": "8", "crew": "2"})}, "Ranged (Light): crew: a column"),
        ({"weapons": weapon(cells={"1-9": "5 (9)"})}, "Ranged (Light): 5 (9): a value in parentheses, and none of"),
        ({"weapons": weapon(qualities="Shock")}, "Ranged (Light): 4, 8, 12: Shock, and no value in parentheses"),
        (
            {"weapons": weapon(cells={"1-4": "5 (9)", "5-9": "9"}, qualities="Shock")},
            "Ranged (Light): 5 (9), 9: Shock, and a band without",
        ),
        ({"weapons": weapon(cells={"1-9": "9 (5)"}, qualities="Shock")}, "9 (5): a value in parentheses that is lower"),
        ({"weapons": ""}, "Otter Guard: no armaments row"),
        ({"weapons": weapon() + weapon("Harpoon")}, "Harpoon: neither ranged, melee nor impact"),
        ({"weapons": weapon("Raged (Lihgt)")}, "Raged (Lihgt): taken for ranged light"),
        ({"weapons": weapon() + weapon("Ranged")}, "Ranged: a ranged row needs against"),
        ({"weapons": weapon() + profile("Boon", {"Effect": "x"}, type_name="Boons")}, "Boon: a profile of a kind"),
        ({"weapons": weapon() + profile("Melee", {"Models: ": "4"})}, "Melee: an armaments row without bands"),
        ({"weapons": weapon(qualities="x" * 3000)}, "too long for a cell"),
    ],
)
def test_what_is_odd_is_doubted_and_the_unit_kept(one, changes, doubt):
    unit, doubts = one(**changes)
    assert isinstance(unit, Unit)
    assert any(doubt in each for each in doubts), doubts


def test_a_behemoth_s_bands_should_end_one_below_its_damage_limit_and_its_dice_fall_with_damage(one):
    _, doubts = one(
        levels=level("Full Strength", 1, 400, 8, stats={"Damage limit": "12"}),
        categories=(("Behemoth", True), ("Armour", False), ("Light", False)),
        weapons=weapon(cells={"5-9": "9", "0-4": "3"}),
    )
    assert doubts == [
        "Ranged (Light): 9, 3: attack dice grow as damage grows",
        "Ranged (Light): 0-4, 5-9: the bands end at 9 damage; the unit goes to 11",
    ]


def test_a_range_that_makes_no_sense_is_left_out_rather_than_guessed(one):
    unit, _ = one(weapons=weapon(reach='14"/10"'))
    assert (unit.rows[0].short_range, unit.rows[0].long_range) == (None, 10)


@pytest.mark.parametrize("missing", ["Defence", "Damage limit"])
def test_a_unit_that_cannot_be_hit_is_left_out_with_a_warning(imported, missing):
    report = imported(catalogue(Entry(name="Ghost", levels=three_levels(stats={missing: "-"})), Entry()))
    assert [unit.name for unit in report.factions[0].units] == ["Otter Guard"]
    assert any(each.unit == "Ghost" and "left out" in each.doubt for each in report.warnings)


def test_two_units_of_a_name_get_ids_of_their_own(imported):
    report = imported(catalogue(Entry(), Entry()))
    assert [unit.id for unit in report.factions[0].units] == ["otter-guard", "otter-guard-2"]
    assert [each.doubt for each in report.warnings] == ["a second unit of that name"]


def test_hidden_units_are_skipped_with_a_warning_only_in_a_catalogue(imported, tmp_path):
    game = tmp_path / "game.gst"
    example = Entry(name="Example", attributes='hidden="true"').xml()
    game.write_text(game_system(f"<selectionEntries>{example}</selectionEntries>"))
    report = imported(catalogue(Entry(), Entry(name="Secret", attributes='hidden="true"')), game)
    assert [unit.name for unit in report.factions[0].units] == ["Otter Guard"]
    assert [(each.value, each.doubt) for each in report.warnings] == [
        ("Secret", "a unit hidden in the source; left out")
    ]


# --- modifiers and links -----------------------------------------------------------------------------


def test_models_come_from_the_text_or_from_any_plain_modifier(one):
    unit, doubts = one(
        levels=level("Basic", 0, 10, 1, stats={"Models": "3", "VPR": "1"}, modifiers="")
        + level(
            "Reinforced",
            0,
            20,
            1,
            stats={"Models": "3", "VPR": "3"},
            modifiers="<modifier type='increment' value='3' field='t-Models'/>"
            "<modifier type='decrement' value='1' field='t-VPR'/>",
        )
        + level("Full Strength", 9, 30, 3),
    )
    assert [(each.models, each.victory_points) for each in unit.levels.values()] == [(3, 1), (6, 2), (9, 3)]
    assert doubts == []


def test_a_change_under_a_condition_or_of_an_unknown_kind_is_doubted_and_left_out(one):
    condition = "<conditions><condition type='atLeast' value='1'/></conditions>"
    unit, doubts = one(
        levels=level(
            "Basic",
            0,
            10,
            1,
            stats={"Models": "9", "VPR": "1"},
            modifiers=f"<modifier type='set' value='4' field='t-Models'>{condition}</modifier>"
            "<modifier type='power' value='2' field='t-VPR'/>",
        ),
    )
    assert (unit.levels["basic"].models, unit.levels["basic"].victory_points) == (9, 1)
    assert doubts == [
        "models: set 4: a change under a condition; left out",
        "vpr: power 2: a change of a kind that is not known; left out",
        "modifier power in Basic: a modifier of a type that is not read; left out",
    ]


def test_weapons_and_rules_are_found_through_links_across_files(imported, tmp_path):
    game = tmp_path / "game.gst"
    gun = weapon().replace("<profile ", '<profile id="gun" ', 1)
    shared = f"""<sharedSelectionEntries><selectionEntry type="upgrade" id="guns" name="Guns">
        <infoLinks><infoLink id="1" targetId="gun" type="profile"/></infoLinks>
        <entryLinks><entryLink targetId="guns" type="selectionEntry"/></entryLinks></selectionEntry>
        </sharedSelectionEntries><sharedProfiles>{gun}</sharedProfiles><sharedRules>
        <rule id="slow" name="Slow"/><rule id="cap" name="Capacity"/><rule id="arc" name="Arc"/></sharedRules>"""
    game.write_text(game_system(shared))
    inside = """<entryLinks><entryLink targetId="guns" type="selectionEntry"/></entryLinks><infoLinks>
        <infoLink targetId="slow" type="rule"/><infoLink targetId="arc" type="rule"/>
        <infoLink name="Capacity" targetId="cap" type="rule"><modifiers>
        <modifier type="append" field="name" value="(3)"/></modifiers></infoLink></infoLinks>"""
    report = imported(catalogue(Entry(weapons="", inside=inside)), game)
    (unit,) = report.factions[0].units
    assert [row.id for row in unit.rows] == ["ranged-light"]
    assert unit.rules == ("Hover", "Bulky", "Slow", "Capacity (3)")
    assert report.warnings == ()


def test_a_library_s_units_belong_to_the_catalogue_that_links_to_them(imported, tmp_path):
    library = tmp_path / "library.cat"
    shared = Entry(attributes='id="u"').xml()
    library.write_text(
        catalogue(
            tail=f"<sharedSelectionEntries>{shared}</sharedSelectionEntries>", name="Lib", attributes='library="true"'
        )
    )
    report = imported(
        catalogue(tail='<entryLinks><entryLink targetId="u" type="selectionEntry"/></entryLinks>'), library
    )
    assert [(faction.id, faction.units[0].id) for faction in report.factions] == [("river-folk", "otter-guard")]


def test_a_unit_kept_among_the_shared_entries_counts_once(imported):
    shared = Entry(attributes='id="u"').xml()
    tail = f"<sharedSelectionEntries>{shared}</sharedSelectionEntries>"
    assert len(imported(catalogue(tail=tail)).factions[0].units) == 1
    tail += '<entryLinks><entryLink targetId="u" type="selectionEntry"/></entryLinks>'
    assert len(imported(catalogue(tail=tail)).factions[0].units) == 1


def test_a_link_to_nothing_is_doubted(one):
    _, doubts = one(inside="<entryLinks><entryLink name='Cannon' targetId='gone'/></entryLinks>")
    assert doubts == ["Cannon: a link to something that none of the files holds; left out"]


def test_a_change_on_the_group_around_the_levels_is_doubted(imported):
    stray = "<modifiers><modifier type='set' value='8' field='t-Models'/></modifiers>"
    text = catalogue(Entry()).replace('name="Size">', f'name="Size">{stray}')
    report = imported(text)
    assert report.factions[0].units[0].levels["basic"].models == 3
    assert [each.value for each in report.warnings] == ["Models: set 8"]


def test_any_version_of_the_schema_will_do(imported):
    assert len(imported(catalogue(Entry(), schema="https://example.org/2.01/catalogueSchema")).factions[0].units) == 1


# --- files that are not what they claim, or attack ----------------------------------------------------


def refused(path, *parts):
    with pytest.raises(InputError) as error:
        import_files([path])
    assert error.value.where == str(path)
    for part in parts:
        assert part in str(error.value)


ENTITY_BOMB = """<?xml version="1.0"?><!DOCTYPE catalogue [<!ENTITY a "otter"><!ENTITY b "&a;&a;&a;&a;">]>
<catalogue xmlns="http://www.battlescribe.net/schema/catalogueSchema">&b;</catalogue>"""
EXTERNAL = """<?xml version="1.0"?><!DOCTYPE catalogue [<!ENTITY a SYSTEM "file:///etc/hostname">]>
<catalogue xmlns="http://www.battlescribe.net/schema/catalogueSchema">&a;</catalogue>"""


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        (b"", ["empty"]),
        (b" \n ", ["empty"]),
        (bytes(range(256)) * 4, ["broken XML", "line 1"]),
        (catalogue(Entry()).encode()[:900], ["broken XML", "line", "column"]),
        (ENTITY_BOMB.encode(), ["document type"]),
        (EXTERNAL.encode(), ["document type"]),
        (game_system().encode(), ["root element is 'gameSystem'", "<catalogue>"]),
        (b"<html/>", ["root element is 'html'"]),
        (b"<catalogue/>", ["namespace"]),
        (b"<?xml version='1.0' encoding='klingon'?><catalogue/>", ["broken XML"]),
        (b"PK\x03\x04rest", ["zip"]),
        (f"<catalogue xmlns='{SCHEMA}'>{'<a>' * 5000}{'</a>' * 5000}</catalogue>".encode(), ["nested too deep"]),
        (catalogue().encode(), ["no unit can be made out"]),
    ],
)
def test_a_cat_that_is_none_is_refused_by_name(tmp_path, content, parts):
    path = tmp_path / "x.cat"
    path.write_bytes(content)
    refused(path, *parts)


def test_an_error_in_the_xml_is_placed(tmp_path):
    path = tmp_path / "x.cat"
    path.write_text(f"<catalogue xmlns='{SCHEMA}'>\n<a></b>\n</catalogue>")
    refused(path, "mismatched tag at line 2, column 6")


def test_missing_files_folders_and_other_kinds_are_refused(tmp_path):
    refused(tmp_path / "none.cat", "cannot read")
    (tmp_path / "folder.cat").mkdir()
    refused(tmp_path / "folder.cat", "not a file")
    (tmp_path / "x.xml").write_text(catalogue(Entry()))
    refused(tmp_path / "x.xml", "unknown kind of file '.xml'", ".catz")
    (tmp_path / "x.catz").write_text(catalogue(Entry()))
    refused(tmp_path / "x.catz", "not a usable zip")


def test_files_with_too_much_in_them_are_refused(tmp_path, monkeypatch):
    path = tmp_path / "x.cat"
    path.write_text(catalogue(Entry()))
    monkeypatch.setattr(tree_builder, "MOST_ELEMENTS", 20)
    refused(path, "too many elements")
    monkeypatch.setattr(archive, "LARGEST_FILE", 100)
    refused(path, "too large")


def zipped(path, *members, compression=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", compression) as out:
        for name, content in members:
            out.writestr(name, content)
    return path


def test_zipped_files_give_what_plain_ones_give(tmp_path, imported):
    text = catalogue(Entry())
    path = zipped(tmp_path / "river.CATZ", ("river.cat", text))
    assert import_files(path).factions[0].units == imported(text).factions[0].units
    game = zipped(tmp_path / "game.gstz", ("game.gst", game_system()))
    assert len(import_files([path, game]).factions[0].units) == 1


@pytest.mark.parametrize(
    "name", ["../x.cat", "/etc/x.cat", "a/x.cat", "..\\x.cat", "C:\\x.cat", "C:x.cat", "a/", "..", "x.cat\0.png"]
)
def test_a_zip_that_aims_at_another_folder_is_refused(tmp_path, name):
    path = tmp_path / "x.catz"
    info = zipfile.ZipInfo("placeholder")
    info.filename = name  # the constructor would tidy it
    with zipfile.ZipFile(path, "w") as out:
        out.writestr(info, catalogue(Entry()))
    refused(path, "not a plain file name")


def test_a_zip_with_a_link_is_refused(tmp_path):
    info = zipfile.ZipInfo("x.cat")
    info.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "x.catz", "w") as out:
        out.writestr(info, "/etc/hostname")
    refused(tmp_path / "x.catz", "not a plain file name")


@pytest.mark.parametrize("members", [[], [("a.cat", "x"), ("b.cat", "y")]])
def test_a_zip_holds_exactly_one_file(tmp_path, members):
    refused(zipped(tmp_path / "x.catz", *members), f"{len(members)} files in this zip")


def test_a_zip_bomb_is_refused_before_it_is_unpacked(tmp_path, monkeypatch):
    path = zipped(tmp_path / "x.catz", ("x.cat", b" " * (4 * 1024 * 1024)))
    refused(path, "bytes that unpack to 4194304")
    monkeypatch.setattr(archive, "LARGEST_FILE", 1024 * 1024)
    refused(path, "too large")


def test_a_zip_that_lies_about_its_size_is_refused(tmp_path):
    path = zipped(tmp_path / "x.catz", ("x.cat", b" " * (4 * 1024 * 1024)))
    true_size = (4 * 1024 * 1024).to_bytes(4, "little")
    path.write_bytes(path.read_bytes().replace(true_size, (1000).to_bytes(4, "little")))
    refused(path, "not a usable zip")


def test_an_encrypted_or_oddly_packed_zip_is_refused(tmp_path):
    path = zipped(tmp_path / "x.catz", ("x.cat", catalogue(Entry())), compression=zipfile.ZIP_STORED)
    data = bytearray(path.read_bytes())
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    refused(path, "encrypted")
    refused(zipped(tmp_path / "y.catz", ("y.cat", "x"), compression=zipfile.ZIP_LZMA), "packed in an unusual way")


def test_a_broken_zip_is_refused(tmp_path):
    path = zipped(tmp_path / "x.catz", ("x.cat", catalogue(Entry())))
    data = bytearray(path.read_bytes())
    data[60:90] = bytes(30)
    path.write_bytes(data)
    refused(path, "not a usable zip")
    path.write_bytes(path.read_bytes()[:200])
    refused(path, "not a usable zip")


def test_the_same_faction_twice_is_refused(tmp_path):
    for name in ("a.cat", "b.cat"):
        (tmp_path / name).write_text(catalogue(Entry()))
    with pytest.raises(InputError, match="the same faction 'river-folk'"):
        import_files([tmp_path / "a.cat", tmp_path / "b.cat"])


# --- writing ------------------------------------------------------------------------------------------


def test_what_is_written_loads_again_as_the_same_faction(tmp_path):
    path = tmp_path / "river.cat"
    quoted = Entry(name='Otter "Guard" \\ Größe\x7f', rules='Odd "rule"', levels=three_levels(stats={"Speed": "4.5"}))
    path.write_text(catalogue(quoted, Entry(name="Heron")), encoding="utf-8")
    report = import_files([path], out=tmp_path / "new" / "folder")
    assert report.written == (tmp_path / "new" / "folder" / "river-folk.toml",)
    loaded = checked(Faction, tomllib.loads(report.written[0].read_text(encoding="utf-8")))
    assert loaded == report.factions[0]
    assert loaded.units[0].speed == 4.5


def test_nothing_is_written_when_any_file_is_refused(tmp_path):
    (tmp_path / "a.cat").write_text(catalogue(Entry()))
    (tmp_path / "b.cat").write_text("<broken")
    with pytest.raises(InputError):
        import_files([tmp_path / "a.cat", tmp_path / "b.cat"], out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_faction_never_takes_the_ruleset_s_file(imported):
    assert imported(catalogue(Entry(), name="Ruleset")).factions[0].id == "ruleset-faction"


def test_the_file_is_laid_out_for_reading(imported):
    text = to_toml(imported(catalogue(Entry())).factions[0])
    assert "speed = 5\n" in text
    assert "basic = {models = 3, points = 50, victory_points = 1}\n" in text
    assert "bands = [{first = 1, last = 3, dice = 4}, {first = 4, last = 6, dice = 8}, " in text


# --- mutilated files ----------------------------------------------------------------------------------


def mutilated(text, dice):
    """`text` with some pieces dropped, doubled, swapped or overwritten."""
    pieces = text.split("<")
    for _ in range(dice.choice([1, 3, 10, 40])):
        at = dice.randrange(1, len(pieces))
        what = dice.randrange(6)
        if what == 0:
            del pieces[at]
        elif what == 1:
            pieces.insert(at, dice.choice(pieces))
        elif what == 2:
            pieces[at] = pieces[at].replace('"', dice.choice(["", "'", '"']), dice.randrange(3))
        elif what == 3:
            head, mark, _ = pieces[at].partition(">")
            pieces[at] = (
                head + mark + dice.choice(["", "-", "99999999999", "((", "1/2/3", "½", "x" * 50, "&amp;", "&b;"])
            )
        elif what == 4:
            name = dice.choice(["name", "type", "value", "field", "targetId", "hidden", "primary"])
            pieces[at] = pieces[at].replace(f"{name}=", f"was-{name}=")
        else:
            pieces[at] = pieces[at].replace(dice.choice("123456789"), dice.choice(["", "0", "-", "77777"]))
    return "<".join(pieces)


@pytest.mark.slow
def test_no_mutilated_file_makes_anything_but_a_refusal_or_warnings(tmp_path):
    dice = random.Random(20)
    heron = Entry(name="Heron", weapons=weapon("Melee", "-", {"1-9": "3 (5)"}, "Shock"))
    text = catalogue(Entry(), heron, BOONS, tail=FORCES)
    outcomes = {"imported": 0, "refused": 0, "doubted": 0}
    path = tmp_path / "x.cat"
    for _ in range(400):
        path.write_text(mutilated(text, dice), encoding="utf-8")
        try:
            report = import_files([path])
        except InputError as error:
            assert error.where == str(path)  # noqa: PT017 - whether it is raised at all is up to the dice
            outcomes["refused"] += 1
        else:
            outcomes["imported"] += 1
            outcomes["doubted"] += bool(report.warnings)
            for faction in report.factions:
                assert checked(Faction, tomllib.loads(to_toml(faction))) == faction
    assert min(outcomes.values()) > 20, outcomes  # the damage reaches both the reader and the units


def test_a_profile_corrected_by_hand_is_not_replaced_unasked(tmp_path):
    source = tmp_path / "Duchy.cat"
    source.write_text(catalogue(Entry()), encoding="utf-8")
    (corrected,) = import_files(source, out=tmp_path / "out").written
    import_files(source, out=tmp_path / "out")  # the same again harms nothing
    corrected.write_text(corrected.read_text(encoding="utf-8") + "# corrected\n", encoding="utf-8")
    with pytest.raises(InputError, match="exists and holds something else"):
        import_files(source, out=tmp_path / "out")
    assert corrected.read_text(encoding="utf-8").endswith("# corrected\n")
    import_files(source, out=tmp_path / "out", replace=True)
    assert "# corrected" not in corrected.read_text(encoding="utf-8")


UNKNOWN = '<selectionEntry type="model" id="m" name="Pawn"/>'
CHESS = f'<gameSystem id="chess" name="Chess" xmlns="{GAME_SCHEMA}"/>'


@pytest.mark.parametrize(
    ("attributes", "more", "says"),
    [
        ('gameSystemId="chess"', [CHESS], "no unit can be made out: data of Chess (allowed: data of Armoured Clash)"),
        ('gameSystemId="chess"', [], "data of the game of 'River Folk' (allowed: data of Armoured Clash)"),
        ('gameSystemId="go"', [CHESS], "data of the game of 'River Folk' and Chess (allowed: data of Armoured Clash)"),
        ("", [], "no unit can be made out; the first doubt"),
        ('gameSystemId="sys-e850-e7dd-b6e5-f6c0"', [], "no unit can be made out; the first doubt"),
    ],
)
def test_data_of_another_game_is_refused_by_its_name(tmp_path, attributes, more, says):
    (tmp_path / "x.cat").write_text(catalogue(UNKNOWN, attributes=attributes), encoding="utf-8")
    for text in more:
        (tmp_path / "x.gst").write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as error:
        import_files(sorted(tmp_path.iterdir()))
    assert says in str(error.value)
