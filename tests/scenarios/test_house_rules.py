"""House rules: a unit with one fights as an equivalent unit with other numbers does, in every kind of question."""

import json

import pytest

import analyser

UNIT = """
[[unit]]
id = "{id}"
name = "{id}"
type = "{type}"
category = "light"
speed = 5
defence = {defence}
damage_limit = 1
discipline = {discipline}
break_limit = 2
rules = {rules}
[unit.levels]
basic = {{ models = 6, points = 40, victory_points = 2 }}
[[unit.rows]]
id = "shots"
name = "Shots"
kind = "ranged"
against = ["light"]
short_range = 7
long_range = 14
qualities = {qualities}
bands = [{{ first = 1, last = 6, dice = {shots} }}]
[[unit.rows]]
id = "blades"
name = "Blades"
kind = "melee"
qualities = {qualities}
bands = [{{ first = 1, last = 6, dice = {blades} }}]
"""
USUAL = {
    "type": "infantry",
    "defence": 2,
    "discipline": 7,
    "rules": [],
    "qualities": [],
    "shots": 6,
    "blades": 6,
}
NEAR, FAR = {"distance": 6}, {"distance": 12}


def profiles(folder, rules, **units):
    """A folder of profiles with those units, each by what it has otherwise than usual, and with house rules."""
    parts = ['format = 1\nid = "own"\nname = "Own"\n']
    for name, changed in units.items():
        keys = USUAL | changed
        parts.append(
            UNIT.format(
                id=name, **{key: json.dumps(value) for key, value in keys.items() if key != "type"}, type=keys["type"]
            )
        )
    folder.mkdir(exist_ok=True)
    (folder / "own.toml").write_text("".join(parts))
    text = "".join(f'[rules."{name}"]\n{rule}\n' for name, rule in rules.items())
    (folder / "ruleset.toml").write_text(text)
    return analyser.load_profiles(folder)


NAMES = (
    "headline",
    "scenario",
    "ruleset",
    "profiles",
    "conditions",
    "applied",
    "not_used",
    "not_modelled",
    "warnings",
    "armies",
)


def numbers(result):
    """All numbers of an answer, without what names the units and the rules."""
    record = {key: value for key, value in result.as_dict().items() if key not in NAMES}
    return json.loads(json.dumps(record).replace("ruled", "equal"))


def answers(library, one, other, **conditions):
    """What every kind of question between two units comes to, by its name."""
    both = {"profiles": library}
    sampled = both | {"method": "monte-carlo", "trials": 3000, "threads": 1}
    shots = [{"attacker": one, "row": "shots", **conditions}] * 2
    terms = {"rounds": 2, "policy_a": "charge", **conditions}
    fought = {"trials": 300, "rounds": 3, "swing": False, "tactics": False, "threads": 1}
    found = {
        "attack": analyser.attack(one, other, **conditions, **both),
        "attack, simulated": analyser.attack(one, other, **conditions, **sampled),
        "focus fire": analyser.focus(shots, other, **both),
        "focus fire, simulated": analyser.focus(shots, other, **sampled),
        "charge": analyser.charge(one, other, **both),
        "charge, simulated": analyser.charge(one, other, **sampled),
        "duel": analyser.duel(one, other, **terms, **both),
        "duel, simulated": analyser.duel(one, other, **terms, **sampled),
        "shots": analyser.duel(one, other, rounds=2, **conditions, **both),
        "best play": analyser.best_play(one, other, rounds=1, first="a", **conditions, **both),
        "battle": analyser.battle([f"2 x {one}"], [f"2 x {other}"], **fought, **both),
    }
    result = {name: numbers(answer) for name, answer in found.items()}
    for kind, more in (("attack", conditions), ("charge", {}), ("duel", terms)):
        told = analyser.tell(one, other, kind=kind, trial=7, trials=20, **more, **both)
        result[f"{kind}, told"] = dict(told.figures)
    return result


def differing(library, pairs, **conditions):
    """The questions in which the second pair of units does not come to the numbers of the first."""
    one, other = (answers(library, *(f"own/{each}@basic" for each in pair), **conditions) for pair in pairs)
    return [name for name in one if one[name] != other[name]]


EQUAL = {
    "a die more": ("dice = 1", {"shots": 7, "blades": 7}),
    "a die fewer": ("dice = -1", {"shots": 5, "blades": 5}),
    "no fewer than one die": ("dice = -9", {"shots": 1, "blades": 1}),
    "tougher": ('when = "attacked"\ndefence = 1', {"defence": 3}),
    "steadier": ('when = "attacked"\ntest = 1', {"discipline": 8}),
    "against its kind": ('against = ["infantry", "aerial"]\ndice = 1', {"shots": 7, "blades": 7}),
    "against its category": ('when = "attacked"\nagainst = "light"\ndefence = 1', {"defence": 3}),
    "against others": ('against = ["cavalry"]\ndice = 1', {}),
}


@pytest.mark.parametrize("name", EQUAL)
def test_a_unit_with_a_house_rule_is_an_equivalent_unit(tmp_path, name):
    rule, changed = EQUAL[name]
    library = profiles(tmp_path, {"Drilled": rule}, ruled={"rules": ["Drilled"]}, equal=changed, enemy={})
    assert differing(library, [("ruled", "enemy"), ("equal", "enemy")], **FAR) == []
    assert differing(library, [("enemy", "ruled"), ("enemy", "equal")], **NEAR) == []
