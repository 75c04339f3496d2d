"""What New Recruit has added to the files: read, or refused by name; nothing is passed over."""

import pytest

from tests.helpers.catalogues import game_system, level, profile, weapon

NEVER = "<conditions><condition type='never'/></conditions>"
SET_7 = "<modifier type='set' value='7' field='t-Models'>{}</modifier>"
NOT_READ = "an unknown part of the file, in 1 place; left out"


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


LOCAL = "<localConditionGroups><localConditionGroup type='atLeast' value='1' scope='parent'/></localConditionGroups>"
GROUP = "<conditionGroups><conditionGroup type='{}'/></conditionGroups>"
REPEAT = "<repeats><repeat value='1' repeats='1' scope='parent' childId='x'/></repeats>"
BEFORE = "<conditions><condition type='before' childId='x'/></conditions>"
UNDER_A_CONDITION = "a change under a condition; left out"
UNKNOWN_KIND = "a change of an unknown kind; left out"


@pytest.mark.parametrize(
    ("kind", "value", "inside", "doubt"),
    [
        *(("set", 9, each, UNDER_A_CONDITION) for each in (LOCAL, GROUP.format("count"), REPEAT, BEFORE)),
        ("modulo", 9, "", UNKNOWN_KIND),
        ("divide", 3, "", UNKNOWN_KIND),  # no whole number
    ],
)
def test_a_change_that_cannot_be_made_is_left_out_by_name(one, kind, value, inside, doubt):
    change = f"<modifier type='{kind}' value='{value}' field='t-Models'>{inside}</modifier>"
    unit, doubts = one(levels=changed(change))
    assert unit.levels["basic"].models == 4
    assert f"models: {kind} {value}: {doubt}" in doubts


@pytest.mark.parametrize("kind", ["mount", "crew", "unit-group"])
def test_an_entry_of_another_type_does_not_count_as_the_unit(one, kind):
    horse = (
        f"<selectionEntry type='{kind}' name='Warhorse'><profiles>{weapon('Melee', '-')}</profiles></selectionEntry>"
    )
    unit, doubts = one(inside=f"<selectionEntries>{horse}</selectionEntries>")
    assert [row.id for row in unit.rows] == ["ranged-light"]
    assert doubts == [f"Warhorse: an entry of the unknown type {kind}; left out"]


ATTRIBUTES = profile("Ranged (Light)", {"Range": '6"', "1-4": "3"}).replace("</profile>", "<attributes/></profile>")
CHANGE = changed("<modifier type='set' value='1' field='page' affects='self'/>")


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"inside": "<associations/>"}, "associations"),
        ({"tail": "<sharedForceEntries/>"}, "sharedForceEntries"),
        ({"weapons": ATTRIBUTES}, "attributes"),
        ({"levels": CHANGE}, "modifier affects"),
    ],
)
def test_a_part_of_another_tool_is_left_out_by_name(one, changes, named):
    _, doubts = one(**changes)
    assert doubts[-1] == f"{named}: {NOT_READ}"


def test_a_row_of_one_level_alone_is_told(one):
    rows = level("Basic", 4, 10, 2).replace("</profiles>", f"{weapon('Melee', '-')}</profiles>")
    unit, doubts = one(levels=rows)
    assert [row.id for row in unit.rows] == ["ranged-light"]
    assert doubts == ["basic: Melee: a second profile inside this level; left out"]


def test_of_a_file_full_of_such_things_not_all_are_listed(one):
    _, doubts = one(tail="".join(f"<odd{number}/>" for number in range(400)))
    assert len(doubts) == 51
    assert doubts[-1] == "350 more: unknown kinds of parts of the file; left out"


def test_what_hides_or_shows_under_a_condition_is_told(one):
    odd = weapon("Melee", "-").replace(
        "</profile>",
        "<modifiers><modifier type='set' value='true' field='hidden'><conditions>"
        "<condition type='atLeast' value='1'/></conditions></modifier></modifiers></profile>",
    )
    unit, doubts = one(weapons=weapon() + odd)
    assert [row.id for row in unit.rows] == ["ranged-light", "melee"]
    assert doubts == ["Melee: hidden under a condition; treated as visible"]


def test_what_is_always_hidden_is_left_out(one):
    hiding = "<modifiers><modifier type='set' value='true' field='hidden'/></modifiers></profile>"
    unit, doubts = one(weapons=weapon() + weapon("Melee", "-").replace("</profile>", hiding))
    assert [row.id for row in unit.rows] == ["ranged-light"]
    assert doubts == ["Melee: a profile hidden in the source; left out"]
