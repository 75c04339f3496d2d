"""Force building in invented catalogues: battlegroups, slots, where units may stand, boons."""

import tomllib

import pytest

from analyser.common.validation import checked
from analyser.game.importers.battlescribe import import_files, to_toml
from analyser.game.units import Faction
from tests.helpers.catalogues import GAME_SCHEMA, SCHEMA, Entry

LIMIT = "<constraint id='{id}' type='{type}' value='{value}' field='selections' scope='{scope}'/>"
IN = "<condition type='instanceOf' scope='{scope}' childId='{force}' field='selections' value='1'/>"


def limit(kind, value, scope="force", id="x"):
    return LIMIT.format(id=id, type=kind, value=value, scope=scope)


def force(id, name, **slots):
    """A force entry whose slots are categories: `slots` by category, the constraints on each."""
    links = "".join(
        f"<categoryLink targetId='c-{key}' name='{key.title()}'><constraints>{limits}</constraints></categoryLink>"
        for key, limits in slots.items()
    )
    return f"<forceEntry id='{id}' name='{name}'><categoryLinks>{links}</categoryLinks></forceEntry>"


def unit(name, *categories, limits="", modifiers=""):
    """A unit whose categories have ids; the first is the primary one."""
    text = Entry(
        name=name,
        categories=tuple((each.title(), each == categories[0]) for each in categories),
        inside=f"<constraints>{limits}</constraints><modifiers>{modifiers}</modifiers>",
        attributes=f"id='u-{name.lower()}'",
    ).xml()
    for each in categories:
        text = text.replace(f'name="{each.title()}" primary', f'name="{each.title()}" targetId="c-{each}" primary')
    return text


SYSTEM = (
    f"<gameSystem id='game' name='Game' xmlns='{GAME_SCHEMA}'><categoryEntries><categoryEntry id='c-commander' "
    f"name='Commander'><constraints>{limit('min', 1)}{limit('max', 1)}</constraints></categoryEntry>"
    "<categoryEntry id='c-cavalry' name='Cavalry'/></categoryEntries></gameSystem>"
)
FACTION = force("f-1", "River Folk Faction Battlegroup", commander="", infantry=limit("min", 2) + limit("max", 6))
RAIDERS = force("f-2", "Raiders Auxiliary Battlegroup", commander="", cavalry=limit("max", 3, "parent"))


@pytest.fixture
def river(tmp_path):
    """Import an invented catalogue with battlegroups; the faction, and what was doubted, as 'value: doubt'."""

    def run(*units, forces=FACTION + RAIDERS, system=SYSTEM):
        files = {"river.cat": _catalogue(units, forces), "game.gst": system}
        for name, text in files.items():
            (tmp_path / name).write_text(text, encoding="utf-8")
        report = import_files([tmp_path / name for name, text in files.items() if text])
        doubts = [f"{each.value}: {each.problem}" for each in report.warnings]
        return report.factions[0], [each for each in doubts if "name of the profile" not in each]

    return run


def _catalogue(units, forces):
    return (
        f"<catalogue id='river' name='River Folk' gameSystemId='game' xmlns='{SCHEMA}'><forceEntries>{forces}"
        f"</forceEntries><selectionEntries>{''.join(units)}</selectionEntries></catalogue>"
    )


def places(faction, at=0):
    return {key: (each.slots, each.least, each.most) for key, each in faction.units[at].battlegroups.items()}


def test_battlegroups_have_the_slots_of_the_file_with_the_limits_of_the_game_system(river):
    faction, doubts = river(unit("Otters", "infantry"))
    assert doubts == []
    assert faction.entry == "river"
    assert [(each.id, each.name, each.entry) for each in faction.battlegroups] == [
        ("faction", "River Folk Faction Battlegroup", "f-1"),
        ("raiders", "Raiders Auxiliary Battlegroup", "f-2"),
    ]
    slots = [
        {key: (each.name, each.least, each.most) for key, each in group.slots.items()} for group in faction.battlegroups
    ]
    assert slots == [
        {"commander": ("Commander", 1, 1), "infantry": ("Infantry", 2, 6)},
        {"commander": ("Commander", 1, 1), "cavalry": ("Cavalry", 0, 3)},
    ]


def test_a_unit_stands_where_its_primary_category_is_a_slot(river):
    faction, doubts = river(unit("Otters", "infantry", limits=limit("max", 1)), unit("Heron", "commander", "infantry"))
    assert doubts == []
    assert faction.units[0].entry == "u-otters"
    assert places(faction) == {"faction": (("infantry",), 0, 1)}
    # it counts in every slot that it has the category of, first in that which it is listed under
    assert places(faction, 1) == {"faction": (("commander", "infantry"), 0, None), "raiders": (("commander",), 0, None)}
    faction, doubts = river(unit("Otters", "navy"))
    assert places(faction) == {}
    assert "Otters: no battlegroup has a slot for this unit" in doubts


def test_a_category_and_a_limit_that_are_others_in_one_battlegroup(river):
    there = f"<conditions>{IN.format(scope='ancestor', force='f-2')}</conditions>"
    modifiers = f"<modifier type='set-primary' field='category' value='c-cavalry'>{there}</modifier>"
    modifiers += f"<modifier type='increment' field='l-1' value='2'>{there}</modifier>"
    faction, doubts = river(unit("Otters", "infantry", limits=limit("max", 1, id="l-1"), modifiers=modifiers))
    assert doubts == []
    assert places(faction) == {"faction": (("infantry",), 0, 1), "raiders": (("cavalry",), 0, 3)}


def test_either_of_two_battlegroups_and_anywhere_but_in_one(river):
    either = "".join(IN.format(scope="force", force=each) for each in ("f-1", "f-2"))
    groups = f"<conditionGroups><conditionGroup type='or'><conditions>{either}</conditions></conditionGroup>"
    modifiers = f"<modifier type='set' field='l-1' value='4'>{groups}</conditionGroups></modifier>"
    elsewhere = IN.format(scope="force", force="f-1").replace("instanceOf", "notInstanceOf")
    modifiers += f"<modifier type='set' field='hidden' value='true'><conditions>{elsewhere}</conditions></modifier>"
    faction, doubts = river(
        unit("Otters", "commander", "infantry", limits=limit("max", 1, id="l-1"), modifiers=modifiers)
    )
    assert doubts == []
    assert places(faction) == {"faction": (("commander", "infantry"), 0, 4)}


def test_limits_of_a_whole_force_are_apart_from_those_of_a_battlegroup(river):
    limits = limit("max", 2, "roster") + limit("min", 1) + limit("max", -1, "force", "none")
    faction, doubts = river(unit("Otters", "infantry", limits=limits))
    assert doubts == []
    assert places(faction) == {"faction": (("infantry",), 1, None)}
    assert (faction.units[0].in_force.least, faction.units[0].in_force.most) == (0, 2)
    faction, doubts = river(unit("Otters", "infantry", limits=limit("exactly", 2)))
    assert (doubts, places(faction)) == ([], {"faction": (("infantry",), 2, 2)})


@pytest.mark.parametrize(
    ("limits", "doubt"),
    [
        (limit("max", 3, "root-entry"), "Otters: max 3: an unsupported limit (scope root-entry); left out"),
        (limit("max", 3).replace("selections", "limit::pts"), "(field limit::pts); left out"),
        (limit("average", 3), "(type average); left out"),
        (limit("max", 25).replace("/>", " percentValue='true'/>"), "(percentValue); left out"),
        (limit("max", "a few"), "Otters: max a few: a limit that is not an integer; left out"),
        (limit("max", 1) + limit("min", 2), "least is more than most; least is left out"),
    ],
)
def test_a_limit_of_another_kind_is_refused_by_name(river, limits, doubt):
    faction, doubts = river(unit("Otters", "infantry", limits=limits))
    assert doubt in " ".join(doubts)
    assert places(faction)["faction"][1] == 0


def test_a_limit_that_depends_on_what_is_chosen_stays_as_it_stands_and_says_so(river):
    chosen = "<conditions><condition type='atLeast' value='1' childId='x' scope='force'/></conditions>"
    modifiers = f"<modifier type='set' field='l-1' value='4'>{chosen}</modifier>"
    modifiers += f"<modifier type='add' field='category' value='c-cavalry'>{chosen}</modifier>"
    modifiers += f"<modifier type='set' field='hidden' value='true'>{chosen}</modifier>"
    faction, doubts = river(unit("Otters", "infantry", limits=limit("max", 1, id="l-1"), modifiers=modifiers))
    assert places(faction) == {"faction": (("infantry",), 0, 1)}
    assert "Otters: max: set 4: a change under a condition; left out" in doubts
    assert "category: add c-cavalry: an unsupported change of categories; left out" in doubts
    assert "Otters: possibly hidden in River Folk Faction Battlegroup; treated as visible" in doubts


@pytest.mark.parametrize(
    ("modifier", "expected"),
    [
        ("add", {"faction": (("infantry",), 0, None)}),
        ("set-primary", {"raiders": (("cavalry",), 0, None)}),
        ("remove", {"faction": (("infantry",), 0, None)}),
    ],
)
def test_categories_are_added_taken_away_and_made_primary(river, modifier, expected):
    faction, doubts = river(
        unit("Otters", "infantry", modifiers=f"<modifier type='{modifier}' field='category' value='c-cavalry'/>")
    )
    assert doubts == []
    assert places(faction) == expected


def test_without_the_game_system_what_it_demands_is_not_known_and_that_is_told(river):
    faction, doubts = river(unit("Otters", "infantry"), system="")
    assert doubts == ["game: no file has the game system, so its battlegroup rules are unknown"]
    assert faction.battlegroups[0].slots["commander"].least == 0


def test_battlegroups_have_a_number_and_those_that_cannot_be_read_whole_are_told(river):
    nested = f"<forceEntries>{force('f-4', 'Inner')}</forceEntries></forceEntry>"
    forces = FACTION.replace("</forceEntry>", nested) + RAIDERS.replace("<forceEntry ", "<forceEntry hidden='true' ")
    once = f"<constraints>{limit('max', 1, 'roster')}</constraints><categoryLinks>"
    faction, doubts = river(unit("Otters", "infantry"), forces=forces.replace("<categoryLinks>", once, 1))
    assert [(each.id, each.most) for each in faction.battlegroups] == [("faction", 1)]
    assert doubts == ["River Folk Faction Battlegroup: battlegroups inside a battlegroup; left out"]


BOONS = """<selectionEntry type='upgrade' id='b' name='Boons'><categoryLinks>
<categoryLink targetId='c-boons' name='Boons' primary='true'/></categoryLinks><selectionEntries>
<selectionEntry type='upgrade' id='b-1' name='Old Maps'><costs><cost name='points' typeId='p' value='25'/></costs>
<constraints><constraint id='l' type='max' value='1' field='selections' scope='parent'/></constraints>{inside}
</selectionEntry></selectionEntries></selectionEntry>"""
HIDES = "<modifiers><modifier type='set' field='hidden' value='true'><conditions>{}</conditions></modifier></modifiers>"
NO_CAVALRY = "<condition type='{}' value='1' field='selections' scope='force' childId='c-cavalry'/>"


def with_boons(river, inside=""):
    forces = force("f-1", "River Folk Faction Battlegroup", boons="", infantry="")
    return river(unit("Otters", "infantry"), BOONS.format(inside=inside), forces=forces)


def test_boons_have_points_and_limits(river):
    faction, doubts = with_boons(river)
    assert doubts == []
    told = [(each.id, each.name, each.entry, each.points, each.most, each.needs) for each in faction.boons]
    assert told == [("boons", "Boons", "b", 0, None, ()), ("old-maps", "Old Maps", "b-1", 25, 1, ())]


def test_a_boon_that_is_hidden_without_some_category_needs_it(river):
    faction, doubts = with_boons(river, HIDES.format(NO_CAVALRY.format("lessThan")))
    assert (doubts, faction.boons[1].needs) == ([], ("cavalry",))
    faction, doubts = with_boons(river, HIDES.format(NO_CAVALRY.format("atLeast")))
    assert faction.boons[1].needs == ()
    assert doubts == ["Old Maps: hidden under a condition; treated as visible"]


def test_what_a_boon_is_called_in_a_battlegroup_is_the_bonus_of_that(river):
    there = f"<conditions>{IN.format(scope='ancestor', force='f-1')}</conditions>"
    faction, doubts = with_boons(
        river, f"<modifiers><modifier type='append' field='name' value='Of The River'>{there}</modifier></modifiers>"
    )
    assert (doubts, faction.battlegroups[0].bonus) == ([], "Of The River")


def test_a_faction_with_battlegroups_comes_back_from_its_file_as_it_was(river):
    there = f"<conditions>{IN.format(scope='ancestor', force='f-2')}</conditions>"
    modifiers = f"<modifier type='set-primary' field='category' value='c-cavalry'>{there}</modifier>"
    limits = limit("max", 2, "roster") + limit("min", 1)
    faction, _ = river(unit("Otters", "infantry", limits=limits, modifiers=modifiers), BOONS.format(inside=""))
    assert checked(Faction, tomllib.loads(to_toml(faction))) == faction
