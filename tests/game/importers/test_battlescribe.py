"""The importer: invented catalogues with every kind of dirt, and files that attack."""

import tomllib

import pytest

from analyser.common.errors import InputError
from analyser.common.validation import checked
from analyser.game.importers.battlescribe import import_files
from analyser.game.units import Faction, Unit
from tests.helpers.catalogues import GAME_SCHEMA, Entry, catalogue, game_system, level, profile, three_levels, weapon


def test_a_clean_unit_comes_through_without_a_doubt(one):
    unit, doubts = one()
    assert doubts == []
    assert (unit.id, unit.type, unit.category) == ("otter-guard", "infantry", "light")
    assert (unit.speed, unit.break_limit) == (5, 2)
    assert [(name, each.models, each.points, each.victory_points) for name, each in unit.levels.items()] == [
        ("basic", 3, 50, 1),
        ("reinforced", 6, 95, 2),
        ("full-strength", 9, 140, 3),
    ]
    (row,) = unit.rows
    assert (row.id, row.kind, row.against) == ("ranged-light", "ranged", ("light",))
    assert (row.short_range, row.long_range) == (6, 12)
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
    assert "unknown special rule" in warning.problem


@pytest.mark.parametrize(
    ("categories", "kind", "traits"),
    [
        ("Commander*, Light, Cavalry", "cavalry", ("commander",)),
        ("Heavy*, Behemoth, Fortification, Subterranean", "fortification", ("behemoth", "subterranean")),
        ("Transport, Heavy, Armour*, Field Guns/Artillery", "armour", ("transport",)),
    ],
)
def test_type_and_traits_come_from_the_categories(one, categories, kind, traits):
    """The primary one has a star."""
    categories = tuple((each.rstrip("*"), each.endswith("*")) for each in categories.split(", "))
    unit, _ = one(categories=categories)
    assert (unit.type, unit.traits) == (kind, traits)


@pytest.mark.parametrize(
    ("text", "short", "long"), [('7"/14"', 7, 14), ('-"/14"', None, 14), ("7”/14”", 7, 14), ('20"', None, 20)]
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


@pytest.mark.parametrize(
    ("changes", "doubt"),
    [
        ({"rules": "Amphibious"}, "Amphibious: unknown special rule"),
        ({"rules": "Veteran"}, "Veteran: 'Veteran' has nothing in parentheses"),
        ({"rules": "Veteran (1), Veteran (2)"}, "Veteran (2): contradicts Veteran (1); left out"),
        ({"rules": "Stalker"}, "Stalker: misspelt special rule; taken for Stalkers"),
        ({"weapons": weapon(qualities="Devestating")}, "Devestating: misspelt quality; taken for Devastating"),
        ({"levels": level("Basic", 9, 50, 1) + level("Reinforced", 9, 60, 1)}, "9, 9: models do not grow"),
        ({"levels": level("Basic", 3, 50, 1) + level("Reinforced", 9, 40, 1)}, "50, 40: points do not grow"),
        ({"levels": level("Basic", 3, 50, 2) + level("Reinforced", 9, 60, 1)}, "2, 1: victory points fall"),
        ({"levels": level("Basic", 9, 50, 0)}, "basic: 0: this level is worth no victory points"),
        ({"levels": level("Basic", 9, None, 1)}, "basic: this level has no cost"),
        ({"levels": level("Basik", 9, 50, 1)}, "Basik: taken for the level basic"),
        ({"levels": level("Basic", 3, 50, 1) + level("Basic", 9, 50, 1)}, "basic: this level appears twice"),
        ({"levels": level("Full Strength", 9, 50, 1)}, "full-strength: no basic level"),
        (
            {"levels": three_levels(title="Heron Guard")},
            "Heron Guard: the name of the profile differs from that of the unit",
        ),
        (
            {"levels": level("Basic", 3, 50, 1) + level("Reinforced", 9, 90, 1, stats={"Discipline": "8"})},
            "discipline: basic 7, reinforced 8: differs between levels",
        ),
        ({"levels": three_levels(stats={"Discipline": "brave"})}, "discipline: brave: not a whole number"),
        ({"levels": three_levels(stats={"Speed": "fast"})}, "speed: fast: not a distance"),
        ({"levels": three_levels(stats={"Target type": "Medium"})}, "target type: Medium: not light, heavy or aerial"),
        ({"levels": three_levels(stats={"Target type": "Heavy"})}, "Heavy: the unit's categories state light"),
        ({"categories": (("Rotorcraft", True), ("Light", False))}, "target type: Light: unlikely for rotorcraft"),
        ({"categories": (("Infantry", True), ("Cavalry", False))}, "infantry, cavalry: more than one type"),
        ({"weapons": weapon(reach='12"/132"')}, 'Ranged (Light): 132": a range beyond'),
        ({"weapons": weapon(reach='14"/10"')}, 'Ranged (Light): 14"/10": short range is longer'),
        ({"weapons": weapon(reach="far")}, "Ranged (Light): far: not a range"),
        ({"weapons": weapon("Melee", '2"')}, 'Melee: 2": a range on a row that is not ranged'),
        ({"weapons": weapon(cells={"1-3": "4", "5-9": "8"})}, "Ranged (Light): 1-3, 5-9: no band for 4 to 4 models"),
        ({"weapons": weapon(cells={"1-4": "4", "4-9": "8"})}, "Ranged (Light): 1-4, 4-9: bands overlap"),
        ({"weapons": weapon(cells={"1-3": "4", "4-6": "8"})}, "Ranged (Light): 1-3, 4-6: the bands end at 6 models"),
        ({"weapons": weapon(cells={"2-9": "4"})}, "Ranged (Light): 2-9: the bands begin at 2 models"),
        ({"weapons": weapon(cells={"1-4": "8", "5-9": "4"})}, "Ranged (Light): 8, 4: attack dice fall"),
        ({"weapons": weapon(cells={"1-4": "8", "5-9": "lots"})}, "Ranged (Light): 5-9: lots: not a number of dice"),
        ({"weapons": weapon(cells={"1-9": "8", "crew": "2"})}, "Ranged (Light): crew: an unknown column"),
        (
            {"weapons": weapon(cells={"1-9": "5 (9)"})},
            "Ranged (Light): 5 (9): a value in parentheses without Point Blank",
        ),
        ({"weapons": weapon(qualities="Shock")}, "Ranged (Light): 4, 8, 12: Shock without a value in parentheses"),
        (
            {"weapons": weapon(cells={"1-4": "5 (9)", "5-9": "9"}, qualities="Shock")},
            "Ranged (Light): 5 (9), 9: Shock, but a band has no value",
        ),
        ({"weapons": weapon(cells={"1-9": "9 (5)"}, qualities="Shock")}, "9 (5): a value in parentheses is lower"),
        (
            {"inside": "<entryLinks><entryLink name='Cannon' targetId='gone'/></entryLinks>"},
            "Cannon: a link to an entry that no file has; left out",
        ),
        ({"weapons": ""}, "Otter Guard: no armaments row"),
        ({"weapons": weapon() + weapon("Harpoon")}, "Harpoon: not ranged, melee or impact"),
        ({"weapons": weapon("Raged (Lihgt)")}, "Raged (Lihgt): taken for ranged light"),
        ({"weapons": weapon() + weapon("Ranged")}, "Ranged: a ranged row needs against"),
        ({"weapons": weapon() + profile("Boon", {"Effect": "x"}, type_name="Boons")}, "a profile of an unknown kind"),
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
        "Ranged (Light): 0-4, 5-9: the bands end at 9 damage instead of 11",
    ]


@pytest.mark.parametrize("missing", ["Defence", "Damage limit"])
def test_a_unit_that_cannot_be_hit_is_left_out_with_a_warning(imported, missing):
    report = imported(catalogue(Entry(name="Ghost", levels=three_levels(stats={missing: "-"})), Entry()))
    assert [unit.name for unit in report.factions[0].units] == ["Otter Guard"]
    assert any(each.unit == "Ghost" and "left out" in each.problem for each in report.warnings)


def test_two_units_of_a_name_get_ids_of_their_own(imported):
    report = imported(catalogue(Entry(), Entry()))
    assert [unit.id for unit in report.factions[0].units] == ["otter-guard", "otter-guard-2"]
    assert [each.problem for each in report.warnings] == ["a second unit with this name"]


def test_hidden_units_are_skipped_with_a_warning_only_in_a_catalogue(imported, tmp_path):
    game = tmp_path / "game.gst"
    example = Entry(name="Example", attributes='hidden="true"').xml()
    game.write_text(game_system(f"<selectionEntries>{example}</selectionEntries>"))
    report = imported(catalogue(Entry(), Entry(name="Secret", attributes='hidden="true"')), game)
    assert [unit.name for unit in report.factions[0].units] == ["Otter Guard"]
    assert [(each.value, each.problem) for each in report.warnings] == [
        ("Secret", "a unit hidden in the source; left out")
    ]


def test_models_come_from_the_text_or_from_any_plain_modifier(one):
    more = "<modifier type='increment' value='3' field='t-Models'/><modifier type='decrement' value='1' field='t-VPR'/>"
    levels = level("Basic", 0, 10, 1, stats={"Models": "3", "VPR": "1"}, modifiers="")
    levels += level("Reinforced", 0, 20, 1, stats={"Models": "3", "VPR": "3"}, modifiers=more)
    unit, doubts = one(levels=levels + level("Full Strength", 9, 30, 3))
    assert [(each.models, each.victory_points) for each in unit.levels.values()] == [(3, 1), (6, 2), (9, 3)]
    assert doubts == []


def test_a_change_under_a_condition_or_of_an_unknown_kind_is_doubted_and_left_out(one):
    condition = "<conditions><condition type='atLeast' value='1'/></conditions>"
    changes = f"<modifier type='set' value='4' field='t-Models'>{condition}</modifier>"
    changes += "<modifier type='power' value='2' field='t-VPR'/>"
    unit, doubts = one(levels=level("Basic", 0, 10, 1, stats={"Models": "9", "VPR": "1"}, modifiers=changes))
    assert (unit.levels["basic"].models, unit.levels["basic"].victory_points) == (9, 1)
    assert doubts == [
        "models: set 4: a change under a condition; left out",
        "vpr: power 2: a change of an unknown kind; left out",
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


def test_what_is_written_loads_again_as_the_same_faction(tmp_path):
    path = tmp_path / "river.cat"
    quoted = Entry(name='Otter "Guard" \\ Größe\x7f', rules='Odd "rule"', levels=three_levels(stats={"Speed": "4.5"}))
    path.write_text(catalogue(quoted, Entry(name="Heron")), encoding="utf-8")
    report = import_files([path], out=tmp_path / "new" / "folder")
    assert report.written == (tmp_path / "new" / "folder" / "river-folk.toml",)
    loaded = checked(Faction, tomllib.loads(report.written[0].read_text(encoding="utf-8")))
    assert loaded == report.factions[0]
    assert loaded.units[0].speed == 4.5


def test_a_faction_never_takes_the_ruleset_s_file(imported):
    assert imported(catalogue(Entry(), name="Ruleset")).factions[0].id == "ruleset-faction"


def test_a_profile_corrected_by_hand_is_not_replaced_unasked(tmp_path):
    source = tmp_path / "Duchy.cat"
    source.write_text(catalogue(Entry()), encoding="utf-8")
    (corrected,) = import_files(source, out=tmp_path / "out").written
    import_files(source, out=tmp_path / "out")  # the same again harms nothing
    corrected.write_text(corrected.read_text(encoding="utf-8") + "# corrected\n", encoding="utf-8")
    with pytest.raises(InputError, match="exists and differs"):
        import_files(source, out=tmp_path / "out")
    assert corrected.read_text(encoding="utf-8").endswith("# corrected\n")
    import_files(source, out=tmp_path / "out", replace=True)
    assert "# corrected" not in corrected.read_text(encoding="utf-8")


UNKNOWN = '<selectionEntry type="model" id="m" name="Pawn"/>'
CHESS = f'<gameSystem id="chess" name="Chess" xmlns="{GAME_SCHEMA}"/>'


@pytest.mark.parametrize(
    ("attributes", "more", "says"),
    [
        ('gameSystemId="chess"', [CHESS], "no readable unit: data of Chess (allowed: data of Armoured Clash)"),
        ('gameSystemId="go"', [CHESS], "data of the game of 'River Folk' and Chess (allowed: data of Armoured Clash)"),
        ('gameSystemId="sys-e850-e7dd-b6e5-f6c0"', [], "no readable unit; the first warning"),
    ],
)
def test_data_of_another_game_is_refused_by_its_name(tmp_path, attributes, more, says):
    (tmp_path / "x.cat").write_text(catalogue(UNKNOWN, attributes=attributes), encoding="utf-8")
    for text in more:
        (tmp_path / "x.gst").write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as error:
        import_files(sorted(tmp_path.iterdir()))
    assert says in str(error.value)
