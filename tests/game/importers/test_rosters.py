"""Rosters of BattleScribe and New Recruit: every unit, level and point of them, and every thing not understood."""

import re
from pathlib import Path

import pytest

import analyser
from analyser.game.importers.battlescribe import import_files
from analyser.scenarios.armies import load_army
from tests.helpers import rosters
from tests.helpers.skips import REAL_DATA, real_data

SAMPLES = Path(__file__).parents[3] / "notebooks" / "armies"
ROSTERS_EACH = 30  # of each real catalogue


@pytest.fixture(scope="module")
def own_library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("river")
    (folder / "river.cat").write_text(rosters.own_catalogue(), encoding="utf-8")
    import_files([folder / "river.cat"], out=folder / "profiles")
    return analyser.load_profiles(folder / "profiles")


def read(made, form, folder, **options):
    path = folder / f"list{form}"
    path.write_bytes(rosters.FORMS[form](made))
    return load_army(path, **options)


def found(army):
    """Every unit of an army, as the generator lists it."""
    levels = ((unit, unit.loadout.level) for unit in army)
    return [
        (unit.loadout.unit.name, unit.loadout.level_name, level.models, unit.points, unit.battlegroup)
        for unit, level in levels
    ]


def listed(made):
    return [
        (unit.name, unit.level, unit.models, unit.points, unit.battlegroup)
        for unit in made.units
        for _ in range(unit.number)
    ]


def check(made, army):
    """The army is what the roster was made of, and what nobody can understand is named."""
    assert found(army) == listed(made)
    assert [each.boon.name for each in army.boons] == [name.rstrip(":") for name in made.boons]
    unread = [line for line in army.warnings if "unknown" in line]
    assert len(unread) == len(set(unread))
    for name, _ in made.unknown:
        assert any(f"{name} is selected" in line for line in unread), name
    assert len(unread) <= len(made.unknown)
    lost = sum(cost for _, cost in made.unknown)
    assert army.points == made.points - lost
    assert any(line.startswith("points: ") for line in army.warnings) == bool(lost)
    customs = [unit.custom_name for unit in made.units if unit.custom_name]
    assert [name for name in customs if name not in [unit.name for unit in army]] == []


@pytest.mark.parametrize("form", rosters.FORMS)
@pytest.mark.parametrize("seed", range(10))
def test_rosters_of_a_catalogue_of_our_own(seed, form, own_library, tmp_path):
    made = rosters.roster(rosters.tree_of(rosters.own_catalogue()), seed)
    check(made, read(made, form, tmp_path, profiles=own_library))


@pytest.mark.slow
@real_data
@pytest.mark.parametrize("number", range(5))
def test_rosters_of_the_real_catalogues(number, tmp_path):
    """With the roster's own numbers all is right; with the profiles' what differs is told."""
    book = rosters.real_catalogues(REAL_DATA)[number]
    for seed in range(ROSTERS_EACH):
        made, form = rosters.roster(book, seed, most_units=8), [*rosters.FORMS][seed % 3]
        check(made, read(made, form, tmp_path, numbers="roster"))
        if seed % 5:
            continue
        army = read(made, form, tmp_path)
        assert army.faction == book.get("name").casefold()
        differing = {unit[0] for unit, other in zip(listed(made), found(army)) if unit != other}
        assert [name for name in differing if not any(line.startswith(f"{name}: ") for line in army.warnings)] == []


def edited(own_library, tmp_path, change, *, numbers="profile"):
    """The army of a roster of one unit after a change of its selection."""
    made = rosters.roster(rosters.tree_of(rosters.own_catalogue()), 1, most_units=1)
    forces = made.root.find("forces")
    for force in [*forces][1:]:
        forces.remove(force)
    selections = forces.find("force/selections")
    for each in [*selections][1:]:
        selections.remove(each)
    change(selections[0])
    return read(made, ".ros", tmp_path, profiles=own_library, numbers=numbers)


def cell(selection, name):
    return next(each for each in selection.iter("characteristic") if each.get("name") == name)


def set_defence(selection):
    cell(selection, "Defence").text = "4"


@pytest.mark.parametrize(("numbers", "discipline"), [("profile", 7), ("roster", None)])
def test_a_roster_can_have_a_unit_without_discipline(own_library, tmp_path, numbers, discipline):
    def undisciplined(selection):
        cell(selection, "Discipline").text = "-"

    army = edited(own_library, tmp_path, undisciplined, numbers=numbers)
    assert any("discipline none in the roster, 7 in the profile" in line for line in army.warnings)
    assert {unit.loadout.unit.discipline for unit in army} == {discipline}


def test_a_roster_of_another_game_that_holds_units_of_ours_says_so(own_library, tmp_path):
    made = rosters.roster(rosters.tree_of(rosters.own_catalogue()), 2)
    before = read(made, ".ros", tmp_path, profiles=own_library)
    told = "the roster is of {}; its units were matched by the ids of their entries"
    for game, named in (("Chess", "Chess"), ("", "an unnamed game")):
        made.root.attrib |= {"gameSystemId": "chess", "gameSystemName": game}
        army = read(made, ".ros", tmp_path, profiles=own_library)
        assert (army.loadouts, army.warnings[0]) == (before.loadouts, told.format(named))
    assert told[:14] not in "".join(before.warnings)


@pytest.mark.parametrize(("numbers", "defence"), [("profile", 2), ("roster", 4)])
def test_a_difference_is_told_and_either_side_can_count(own_library, tmp_path, numbers, defence):
    army = edited(own_library, tmp_path, set_defence, numbers=numbers)
    assert any("defence 4 in the roster, 2 in the profile" in line for line in army.warnings)
    assert f"where roster and profile differ, the numbers of the {numbers} are used" in army.warnings
    assert {unit.loadout.unit.defence for unit in army} == {defence}
    assert load_army(army.to_table(), own_library).loadouts == army.loadouts


def test_points_that_differ_are_told(own_library, tmp_path):
    def dearer(selection):
        next(selection.iter("cost")).set("value", "999")

    army = edited(own_library, tmp_path, dearer)
    assert any(re.search(r": points [\d.]+ in the roster, \d+ in the profile$", line) for line in army.warnings)
    assert any(line.startswith("points: the roster states") for line in army.warnings)


def rename(selection):
    selection.set("name", "Pike Lancers")
    selection.set("entryId", "u-nobody")


def test_a_unit_that_no_profile_has_comes_with_its_own(own_library, tmp_path):
    army = edited(own_library, tmp_path, rename)
    assert "Pike Lancers: not among the profiles; the numbers of the roster are used" in army.warnings
    unit = army.units[0]
    assert (unit.selector, unit.loadout.unit.name) == (None, unit.name)
    assert unit.loadout.unit.rows
    assert load_army(army.to_table(), own_library).loadouts == army.loadouts


def test_a_unit_is_found_by_its_entry_where_its_name_is_new(own_library, tmp_path):
    army = edited(own_library, tmp_path, lambda selection: selection.set("name", "Renamed"))
    assert army.units[0].selector is not None
    assert any("Renamed: matched by its entry with" in line for line in army.warnings)


def test_what_is_left_out_of_a_known_unit_is_told(own_library, tmp_path):
    def with_column(selection):
        for each in selection.iter("characteristics"):
            rosters.SubElement(each, "characteristic", {"name": "MORALE"}).text = "7"

    army = edited(own_library, tmp_path, with_column)
    assert army.units[0].selector is not None
    assert any("'morale': an unknown column" in line for line in army.warnings)


def test_the_level_follows_from_the_models(own_library, tmp_path):
    def no_level_name(selection):
        for each in selection.iter("selection"):
            if each.get("name") in rosters.LEVELS:
                each.set("name", "Size")

    before = edited(own_library, tmp_path, lambda _: None)
    assert edited(own_library, tmp_path, no_level_name).units[0].selector == before.units[0].selector


def test_a_unit_without_any_profile_is_named(own_library, tmp_path):
    def bare(selection):
        rename(selection)
        for tag in ("profiles", "selections"):
            selection.remove(selection.find(tag))

    made = rosters.roster(rosters.tree_of(rosters.own_catalogue()), 2)
    bare(next(made.root.iter("selection")))
    army = read(made, ".json", tmp_path, profiles=own_library)
    assert any(line.startswith("Pike Lancers: unknown, left out") for line in army.warnings)
    assert any(line.startswith("points: the roster states") for line in army.warnings)


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.rosz")), ids=lambda path: path.stem)
def test_a_sample_roster_is_a_legal_list_and_read_whole(path):
    army = load_army(path)
    assert (army.faction, army.points_limit, army.scale) == (path.stem, 1500, "skirmish")
    assert analyser.check_army(army).broken == ()
    assert not [line for line in army.warnings if "unknown" in line or "points" in line]


def refused(path, *says):
    with pytest.raises(analyser.InputError) as error:
        load_army(path)
    message = str(error.value)
    assert str(path) in message
    for each in says:
        assert each in message
    assert "\n" not in message


def written(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


HEAD = f'<roster name="x" gameSystemId="{rosters.GAME_ID}" xmlns="{rosters.NAMESPACE}">'
JSON = '{"roster": {"name": "x", "gameSystemName": "Chess", "forces": [%s]}}'
ONE = '{"name": "a", "selections": [{"name": "Pawn", "type": "unit", "entryId": "p"}]}'


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.ros", "", "empty"),
        ("a.ros", f"{HEAD}</roster>", "no unit in this roster"),
        ("a.ros", f"{HEAD}<forces>", "no element found at line 1, column 121; the file ends there (truncated?)"),
        ("a.ros", '<catalogue xmlns="http://www.battlescribe.net/schema/catalogueSchema"/>', "root element"),
        ("a.ros", '<!DOCTYPE a [<!ENTITY b "c">]><roster>&b;</roster>', "refused"),
        ("a.ros", f"{HEAD}{'<forces>' * 200}", "nested too deeply"),
        ("a.rosz", "PK\x03\x04cut", "not a usable zip: File is not a zip file; the file ends there (truncated?)"),
        ("a.rosz", "%PDF-1.4", "not a usable zip: File is not a zip file; it looks like a PDF"),
        ("a.json", '{"roster": {}}', "no unit in this roster"),
        ("a.json", '{"roster": null}', "the value of the key roster of this JSON is not an object"),
        ("a.json", '{"list": {}}', "has no key roster (it has 'list')"),
        ("a.json", '{"roster": {"forces": [[1]]}}', "a list inside the list"),
        ("a.json", '{"roster": {"forces": ' + "[" * 100_000, "nested too deeply"),
        ("a.json", '{"roster": {', "column 13; the file ends there (truncated?)"),
        ("a.json", b"\xff\xfe\x00", "broken JSON"),
        ("a.json", JSON % ONE, "a roster of Chess: its unit is unknown, such as 'Pawn'"),
        ("a.json", JSON % ",".join([ONE] * 3), "all its 3 units are unknown"),
    ],
)
def test_what_is_no_roster_is_refused_in_one_line(name, content, says, tmp_path):
    refused(written(tmp_path, name, content), says)


def test_more_units_than_an_army_has_are_refused(own_library, tmp_path):
    made = rosters.roster(rosters.tree_of(rosters.own_catalogue()), 1)
    next(made.root.iter("selection")).set("number", "501")
    with pytest.raises(analyser.InputError, match="units in this roster"):
        read(made, ".ros", tmp_path, profiles=own_library)
    selections = made.root.find("forces/force/selections")
    selections[0].set("number", "1")
    selections.extend([selections[0]] * 500)
    with pytest.raises(analyser.InputError, match="units in this roster"):
        read(made, ".json", tmp_path, profiles=own_library)


def test_long_lists_of_what_is_not_understood_are_cut(own_library, tmp_path):
    made = rosters.roster(rosters.tree_of(rosters.own_catalogue()), 1)
    selections = made.root.find("forces/force/selections")
    for number in range(1000):
        rosters.SubElement(selections, "selection", {"name": f"Bauble {number}", "type": "upgrade"})
    army = read(made, ".rosz", tmp_path, profiles=own_library)
    assert sum("Bauble" in line for line in army.warnings) <= 200
    assert any("more lines like these" in line for line in army.warnings)


def bare_copy(made):
    """A roster of which the data tool has left out all profiles and rules."""
    for selection in [*made.root.iter("selection")]:
        for tag in ("profiles", "rules"):
            for each in selection.findall(tag):
                selection.remove(each)
    return made


@pytest.mark.parametrize("form", rosters.FORMS)
@pytest.mark.parametrize("seed", range(3))
def test_what_is_not_understood_in_many_units_is_told_once_with_the_units(own_library, tmp_path, form, seed):
    made = bare_copy(rosters.roster(rosters.tree_of(rosters.own_catalogue()), seed))
    army = read(made, form, tmp_path, profiles=own_library)
    lines = [line for line in army.warnings if "Weapons is selected" in line]
    assert len(lines) == 1
    named, _, rest = lines[0].partition(": ")
    assert rest == "Weapons is selected but unknown; it is ignored"
    assert set(named.split(", ")) <= {unit.name for unit in made.units}
    assert found(army) == listed(made)
    assert not [line for line in army.warnings if "left out" in line]
    assert len([line for line in army.warnings if "has no numbers" in line]) == 1
