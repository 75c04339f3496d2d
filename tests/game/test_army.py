"""Armies: read from whatever they are given as, and written so that they can be read again."""

import shutil
import tomllib

import pytest

import analyser
from analyser.game.army_file import scale_for
from analyser.game.profiles import shipped_profiles

OTTER = {"name": "Otter guard", "type": "infantry", "category": "light", "defence": 2, "damage_limit": 1, "models": 4}
BLADES = {"id": "melee", "name": "Melee", "kind": "melee", "bands": [{"first": 1, "last": 4, "dice": 5}]}
OTTER |= {"points": 30, "rows": [BLADES]}
RIFLES, TANKS = "crown/rifle-platoon@basic", "crown/rifle-platoon@reinforced"
CARRIERS = "crown/tristan-assault-transports@basic"


def names(army):
    return [unit.name for unit in army]


def again(army):
    """The army that its own file makes."""
    return analyser.load_army(tomllib.loads(army.to_toml()))


def test_a_list_of_selectors_is_an_army():
    army = analyser.load_army([RIFLES, f"2 x {RIFLES}", analyser.load_profiles()[TANKS]])
    assert names(army) == [
        "rifle-platoon@basic",
        *(f"rifle-platoon@basic #{n}" for n in (2, 3)),
        "rifle-platoon@reinforced",
    ]
    assert army.faction == "crown"
    assert army.points == sum(each.level.points for each in army.loadouts) == army.as_dict()["points"]
    assert analyser.load_army(army) is army


def test_a_file_is_read_and_written_again(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        f'name = "Mine"\nfaction = "Crown"\npoints_limit = 900\n[battlegroups]\n"A 1" = "Crown Faction Battlegroup"\n'
        f'[[unit]]\nunit = "rifle-command@basic"\nbattlegroup = "A 1"\ndiscipline = 7\n'
        f'[[unit]]\nunit = "{RIFLES}"\ncount = 2\nreserve = true\npolicy = "take_cover"\nx = 3.25\nbehind = 2\n',
        encoding="utf-8",
    )
    army = analyser.load_army(path)
    assert army["rifle-command-platoon@basic"].loadout.unit.discipline == 7
    assert army["rifle-command-platoon@basic"].changes == {"discipline": 7}
    assert army["rifle-platoon@basic #2"].reserve
    assert again(army) == army


def test_a_unit_of_ones_own_needs_no_library():
    army = analyser.load_army(
        {"faction": "crown", "unit": [RIFLES, OTTER, OTTER | {"name": "Others", "level": "reinforced"}]}
    )
    own = army["Otter guard"]
    assert (own.loadout.selector, own.points, own.selector) == ("crown/otter-guard@basic", 30, None)
    assert army["Others"].loadout.level_name == "reinforced"
    assert again(army) == army
    alone = analyser.load_army([OTTER | {"count": 3}])
    assert (alone.faction, names(alone)) == ("unlisted", ["Otter guard", "Otter guard #2", "Otter guard #3"])
    assert alone.loadouts[0] == alone.loadouts[2]
    assert again(alone) == alone


def test_a_unit_embarks():
    army = analyser.load_army(
        [
            {"unit": "crown/tristan-assault-transports@basic"},
            {"unit": RIFLES, "embarked_in": "tristan-assault-transports@basic", "models": 4},
        ]
    )
    assert army.units[1].embarked_in == army.units[0].name


def test_an_aircraft_is_in_reserve():
    aircraft = next(each for each in analyser.load_profiles() if each.unit.type == "aircraft")
    army = analyser.load_army([aircraft])
    assert army.units[0].reserve
    assert again(army) == army


def test_an_aircraft_stays_in_reserve_under_rules_that_do_not_put_it_there(tmp_path):
    folder = shutil.copytree(shipped_profiles(), tmp_path / "profiles")
    forces = (folder / "forces.toml").read_text(encoding="utf-8")
    (folder / "forces.toml").write_text(forces.replace('always_in_reserve = ["aircraft"]', ""), encoding="utf-8")
    library = analyser.load_profiles(folder)
    aircraft = next(each for each in library if each.unit.type == "aircraft")
    for reserve in (False, True):
        army = analyser.load_army([{"unit": aircraft.selector, "reserve": reserve}], library)
        assert army.units[0].reserve is reserve
        assert analyser.load_army(army.to_table(), library) == army


@pytest.mark.parametrize(
    ("names", "stated"),
    [
        (["First"], {}),
        (["First", "Second"], {"First": "support"}),
        (["First", "Support"], {}),
        (["First", "Frist"], {"First": "support", "Third": "Third", "Fourth": "faction"}),
        (["First"], {"First": "First"}),
        (["suport"], {"suport": "suport"}),
    ],
)
def test_battlegroups_are_written_as_they_were_stated(names, stated):
    army = analyser.load_army(
        {"battlegroups": stated, "unit": [{"unit": RIFLES, "battlegroup": name} for name in names]}
    )
    assert again(army) == army


@pytest.mark.parametrize(
    ("points", "scale"),
    [(0, "skirmish"), (1500, "skirmish"), (1501, "battle"), (2501, "cataclysm"), (9999, "cataclysm")],
)
def test_the_scale_follows_from_the_points(points, scale):
    assert scale_for(points, analyser.load_profiles().force_rules) == scale


@pytest.mark.parametrize("selector", [RIFLES, "empire/bulnabang-winged-infantry@reinforced"])
def test_a_unit_is_said_to_have_no_discipline(selector):
    """Of a unit whose levels are alike, of one whose levels differ, and of one that no library has."""
    army = analyser.load_army([{"unit": selector, "discipline": "none"}, OTTER | {"speed": "none", "discipline": 6}])
    assert [unit.loadout.unit.discipline for unit in army] == [None, 6]
    assert army.units[1].loadout.unit.speed is None
    assert again(army).loadouts == army.loadouts
    changed = analyser.load_profiles()[selector].with_(discipline="none")
    assert changed == army.loadouts[0]
    assert again(analyser.load_army([changed])).loadouts == (changed,)


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ([], "unit: 0 entries"),
        (["crown/rifel-platoon@basic"], "did you mean 'rifle-platoon'"),
        ({"faction": "crown", "unit": ["rifle-comand-platon"]}, "analyser units crown lists them"),
        ([{"unit": RIFLES, "defence": "none"}], "army: unit 1: defence"),
        (
            [{"unit": CARRIERS, "name": "Boss", "embarked_in": "Boss"}],
            "Boss is its own transport (allowed: another unit",
        ),
        (
            [
                {"unit": CARRIERS, "name": "Boss", "embarked_in": "Horse"},
                {"unit": CARRIERS, "name": "Horse", "embarked_in": "Boss"},
            ],
            "Horse is itself aboard Boss (allowed: a unit with Capacity that is not embarked)",
        ),
        ([RIFLES, {"unit": TANKS, "embarked_in": "rifle-platoon@basic"}], "with Capacity"),
        ([{"unit": RIFLES, "name": "a"}, {"unit": RIFLES, "name": "a"}], "two units are called 'a'"),
        ([{"unit": RIFLES, "policy": "shot"}], "did you mean 'shoot'"),
        ([{"unit": RIFLES, "name": " "}], "a blank name"),
        ({"unit": [RIFLES], "boon": [{"boon": "forlorn"}]}, "did you mean 'forlorn-hope'"),
        ([{"name": "Own"}], "this key is missing"),
        ({"unit": [RIFLES], "faction": "crwn"}, "did you mean 'crown'"),
        ({"unit": [RIFLES], "scale": "small"}, "skirmish"),
        ({"unit": f"600 x {RIFLES}"}, "a list"),
        ([f"501 x {RIFLES}"], "1 to 500"),
        (
            [{"unit": RIFLES, "models": 50}],
            "unit 1: models: no row has attack dice for 50 models (AC-2.4)",
        ),
        ([f"400 x {RIFLES}", f"400 x {RIFLES}"], "800 units"),
        ("nowhere.toml", "cannot read this file"),
        (7, "neither a path nor a table"),
    ],
)
def test_what_cannot_be_an_army_is_refused_in_one_line(source, says):
    with pytest.raises(analyser.InputError) as refused:
        analyser.load_army(source)
    assert says in str(refused.value)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.toml", b"", "a.toml: this file is empty (allowed: [[unit]]"),
        ("a.pdf", b"%PDF-1.4 \xe2", "it looks like a PDF (allowed: a list (.toml), or a roster of BattleScribe"),
        (
            "a.toml",
            b'[[unit]]\nunit = "crown/rifle-platoon@basic"\n\n[[unit]]\nunit = "crown/x"',
            "a.toml, line 4: unit 2: ",
        ),
        ("a.toml", b'\n[[ unit ]]\nunit = "crown/rifle-platoon"\n', "a.toml, line 2: unit 1: selector"),
        (
            "a.toml",
            b'\n[[unit]]\nunit = "crown/rifle-platoon@basic"\nmodls = 3',
            "a.toml, line 2: unit 1: modls: unknown key",
        ),
        ("a.toml", b'unit = ["crown/rifle-platoon@basic", "crown/x@basic"]', "a.toml: unit 2 ('crown/x@basic'): "),
    ],
)
def test_a_file_that_is_no_list_says_what_it_looks_like_and_where_it_breaks(tmp_path, name, content, says):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(analyser.InputError) as refused:
        analyser.load_army(tmp_path / name)
    assert says in str(refused.value)


@pytest.mark.parametrize(
    ("groups", "name", "says"),
    [
        ({"First": "faction"}, "Frist", "'Frist' is not a kind of battlegroup of Crown; did you mean 'First'?"),
        ({"First": "faction"}, "Guns", "'Guns' is not a kind of battlegroup of Crown (allowed: faction, "),
        ({}, "suport", "'suport' is not a kind of battlegroup of Crown; did you mean 'support'?"),
        (
            {"First": "linebreaker"},
            "First",
            "'linebreaker' is not a kind of battlegroup of Crown; did you mean 'line",
        ),
    ],
)
def test_a_battlegroup_that_there_is_not_is_told_the_nearest(groups, name, says):
    unit = [{"unit": RIFLES, "battlegroup": name}]
    told = [each.text for each in analyser.check_army({"battlegroups": groups, "unit": unit}).broken]
    assert any(each.startswith(f"{name}: {says}") for each in told), told


def test_a_number_may_stand_before_a_whole_selector_without_a_sign():
    army = analyser.load_army(["2 crown/sharp-rifles@basic", "3x crown/rifle-platoon@basic"])
    assert len(army) == 5
    with pytest.raises(analyser.InputError, match="no unit is called '2-sharp-rifles'"):  # might be a name
        analyser.load_army({"faction": "crown", "unit": ["2 sharp-rifles@basic"]})


@pytest.mark.parametrize(
    ("entry", "titles"),
    [
        ({"unit": "crown/rifle-platoon@basic"}, ["Rifle platoon, basic"]),
        ({"unit": "crown/rifle-platoon@basic", "count": 2}, ["Rifle platoon, basic", "Rifle platoon, basic #2"]),
        ({"unit": "crown/rifle-platoon@basic", "name": "Old Guard"}, ["Old Guard"]),
    ],
)
def test_a_unit_is_called_by_its_list_else_by_unit_and_level(entry, titles):
    assert [unit.title for unit in analyser.load_army([entry])] == titles
