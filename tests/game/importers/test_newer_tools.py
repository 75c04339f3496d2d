"""What New Recruit has added to the files: read, or refused by name; nothing is passed over."""

import pytest

from analyser.game.importers.battlescribe import import_files
from tests.helpers.catalogues import Entry, catalogue, game_system, level, profile, weapon

NEVER = "<conditions><condition type='never'/></conditions>"
SET_7 = "<modifier type='set' value='7' field='t-Models'>{}</modifier>"
NOT_READ = "an unsupported element; left out"


def changed(modifier):
    """An invented unit's levels: the basic one alone, with one more change of its profile."""
    models = "<modifier type='set' value='4' field='t-Models'/><modifier type='set' value='2' field='t-VPR'/>"
    return level("Basic", 0, 10, 1, modifiers=models + modifier)


@pytest.fixture
def one(one):
    """Import one invented unit of one level, whose bands go on; the unit, and what else was doubted."""

    def run(**changes):
        unit, doubts = one(**{"levels": changed("")} | changes)
        return unit, [each for each in doubts if "the bands end at" not in each]

    return run


@pytest.mark.parametrize(
    ("modifier", "models"),
    [
        ("<modifier type='multiply' value='3' field='t-Models'/>", 12),
        ("<modifier type='divide' value='2' field='t-Models'/>", 2),
        ("<modifier type='increment' value='2' field='t-Models'/>", 6),
        (SET_7.format("<conditions><condition type='always'/></conditions>"), 7),
        (SET_7.format(NEVER), 4),
        (SET_7.format(f"<conditionGroups><conditionGroup type='not'>{NEVER}</conditionGroup></conditionGroups>"), 7),
    ],
)
def test_changes_and_conditions_that_can_be_told_are_read_without_a_doubt(one, modifier, models):
    unit, doubts = one(levels=changed(modifier))
    assert (unit.levels["basic"].models, doubts) == (models, [])


def test_a_word_before_a_name_is_read(one):
    prefix = "<modifiers><modifier type='prepend' value='Old' field='name'/></modifiers>"
    unit, doubts = one(inside=prefix)
    assert unit.name == "Old Otter Guard"
    assert doubts == ["Otter Guard: the name of the profile differs from that of the unit"]


def test_what_a_level_costs_is_read_with_its_changes(one):
    cost = "<costs><cost name='points' typeId='p' value='30'/></costs>"
    doubled = "<modifiers><modifier type='multiply' value='2' field='p'/></modifiers>"
    unit, doubts = one(levels=level("Basic", 4, None, 2, extra=cost + doubled))
    assert (unit.levels["basic"].points, doubts) == (60, [])


def test_an_empty_cell_takes_the_default_of_its_column_and_says_so(one, tmp_path):
    game = tmp_path / "game.gst"
    columns = "<characteristicType id='t-Size' name='Size' defaultValue='3'/>"
    types = f"<profileTypes><profileType id='stats'><characteristicTypes>{columns}</characteristicTypes></profileType>"
    game.write_text(game_system(f"{types}</profileTypes>"), encoding="utf-8")
    levels = level("Basic", 4, 10, 2, stats={"Size": ""}).replace("<profile ", "<profile typeId='stats' ")
    unit, doubts = one(levels=levels, more=[game])
    assert unit.size == 3
    assert doubts == ["size: 3: an empty cell; the default value of its column is used"]


LOCAL = "<localConditionGroups><localConditionGroup type='{}' value='1' scope='parent'/></localConditionGroups>"
GROUP = "<conditionGroups><conditionGroup type='{}'/></conditionGroups>"


@pytest.mark.parametrize(
    ("condition", "named"),
    [
        (LOCAL.format("atLeast"), "localConditionGroup atLeast"),
        *((GROUP.format(kind), f"conditionGroup {kind}") for kind in ("count", "power")),
        ("<repeats><repeat value='1' repeats='1' scope='parent' childId='x'/></repeats>", "repeat"),
    ],
)
def test_a_change_under_a_condition_of_another_kind_is_left_out_by_name(one, condition, named):
    unit, doubts = one(levels=changed(f"<modifier type='set' value='9' field='t-Models'>{condition}</modifier>"))
    assert unit.levels["basic"].models == 4
    assert f"models: set 9: a change under an unsupported condition ({named}); left out" in doubts


BEFORE = "<conditions><condition type='before' childId='x'/></conditions>"


@pytest.mark.parametrize(
    ("kind", "value", "inside", "doubt"),
    [
        ("set", 9, BEFORE, "condition before in Basic: a condition of an unsupported type; left out"),
        ("modulo", 9, "", "models: modulo 9: a change of an unknown kind; left out"),
        ("divide", 3, "", "models: divide 3: a change of an unknown kind; left out"),  # no whole number
    ],
)
def test_a_change_that_cannot_be_made_is_left_out_by_name(one, kind, value, inside, doubt):
    change = f"<modifier type='{kind}' value='{value}' field='t-Models'>{inside}</modifier>"
    unit, doubts = one(levels=changed(change))
    assert unit.levels["basic"].models == 4
    assert doubt in doubts


@pytest.mark.parametrize("kind", ["mount", "crew", "unit-group"])
def test_an_entry_of_another_type_does_not_count_as_the_unit(one, kind):
    horse = (
        f"<selectionEntry type='{kind}' name='Warhorse'><profiles>{weapon('Melee', '-')}</profiles></selectionEntry>"
    )
    unit, doubts = one(inside=f"<selectionEntries>{horse}</selectionEntries>")
    assert [row.id for row in unit.rows] == ["ranged-light"]
    named = f"selectionEntry {kind} Warhorse in Otter Guard"
    assert doubts == [f"{named}: a selectionEntry of an unsupported type; its content is left out"]


def test_a_group_of_units_beside_the_units_is_told(one, tmp_path):
    path = tmp_path / "river.cat"
    path.write_text(catalogue(Entry(), "<selectionEntry type='unit-group' name='Host'/>"), encoding="utf-8")
    report = import_files([path])
    assert len(report.factions[0].units) == 1
    assert [each.value for each in report.warnings] == ["selectionEntry unit-group Host"]
    assert report.warnings[0].unit == "Host"


ATTRIBUTES = profile("Ranged (Light)", {"Range": '6"', "1-4": "3"}).replace("</profile>", "<attributes/></profile>")
MESSAGE = "<modifiers><modifier type='add' value='too many' field='error'/></modifiers>"
CHANGE = changed("<modifier type='set' value='1' field='page' affects='self'/>")


@pytest.mark.parametrize(
    ("changes", "doubt"),
    [
        (
            {"inside": "<associations><association name='Warlord' min='1' max='1'/></associations>"},
            f"associations Warlord in Otter Guard: {NOT_READ}",
        ),
        (
            {"tail": "<sharedForceEntries><x name='Detachment'/></sharedForceEntries>"},
            f"sharedForceEntries Detachment: {NOT_READ}",
        ),
        ({"weapons": ATTRIBUTES}, f"attributes in Weapons: {NOT_READ}"),
        ({"levels": CHANGE}, "modifier set in Basic: affects self: an unsupported attribute"),
        ({"inside": MESSAGE}, "modifier add in Otter Guard: error: a message of the data tool; left out"),
    ],
)
def test_an_element_of_another_tool_is_left_out_by_name(one, changes, doubt):
    _, doubts = one(**changes)
    assert doubts[-1] == doubt


def test_the_kind_of_a_column_is_told(one, tmp_path):
    game = tmp_path / "game.gst"
    column = "<characteristicType id='c' name='Notes' kind='annotation'/>"
    inside = f"<profileType id='p' name='Basic unit'><characteristicTypes>{column}</characteristicTypes></profileType>"
    game.write_text(game_system(f"<profileTypes>{inside}</profileTypes>"), encoding="utf-8")
    _, doubts = one(more=[game])
    named = "characteristicType Notes in Basic unit: kind annotation"
    assert doubts == [f"{named}: read like any other column or profile"]


def test_a_row_of_one_level_alone_is_told(one):
    rows = level("Basic", 4, 10, 2).replace("</profiles>", f"{weapon('Melee', '-')}</profiles>")
    unit, doubts = one(levels=rows)
    assert [row.id for row in unit.rows] == ["ranged-light"]
    assert doubts == ["basic: Melee: a second profile inside this level; left out"]


def test_of_a_file_full_of_such_things_not_all_are_listed(one):
    _, doubts = one(tail="".join(f"<odd{number}/>" for number in range(400)))
    assert len(doubts) == 301
    assert doubts[-1] == "300 elements and attributes: are not supported (further ones are not listed)"


def test_what_hides_or_shows_under_a_condition_is_told(one):
    odd = weapon("Melee", "-").replace(
        "</profile>",
        "<modifiers><modifier type='set' value='true' field='hidden'><conditions>"
        "<condition type='atLeast' value='1'/></conditions></modifier></modifiers></profile>",
    )
    unit, doubts = one(weapons=weapon() + odd)
    assert [row.id for row in unit.rows] == ["ranged-light", "melee"]
    assert doubts == ["Melee: hidden under a condition; taken for not hidden"]


def test_what_is_always_hidden_is_left_out(one):
    hiding = "<modifiers><modifier type='set' value='true' field='hidden'/></modifiers></profile>"
    unit, doubts = one(weapons=weapon() + weapon("Melee", "-").replace("</profile>", hiding))
    assert [row.id for row in unit.rows] == ["ranged-light"]
    assert doubts == ["Melee: a profile hidden in the source; left out"]
