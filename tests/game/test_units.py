"""Units, levels, rows and bands (AC-2)."""

import re

import pytest

from analyser.common.errors import InputError
from analyser.common.validation import checked
from analyser.game.profiles import Profiles
from analyser.game.units import Loadout, Row, Unit, attack_dice
from analyser.scenarios.load import load, load_scenario

RIFLES = {"id": "rifles", "name": "Rifles", "kind": "ranged", "against": ["light"], "short_range": 7, "long_range": 14}
RIFLES |= {"bands": [{"first": 1, "last": 6, "dice": 5, "special": 8}, {"first": 7, "last": 12, "dice": 12}]}
LEVELS = {"basic": {"models": 6, "points": 60, "victory_points": 3}, "full-strength": {"models": 12}}
PLATOON = {"id": "platoon", "name": "Platoon", "type": "infantry", "category": "light", "defence": 2, "damage_limit": 1}
PLATOON |= {"levels": LEVELS, "rows": [RIFLES]}


def row(**changes):
    return checked(Row, RIFLES | changes)


def unit(**changes):
    return checked(Unit, PLATOON | changes)


def test_ac_2_3_the_second_value_of_a_cell():
    assert attack_dice(row(), 6, special=True) == 8
    # A cell without one has only the first.
    assert attack_dice(row(), 7, special=True) == 12


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"long_range": None}, "needs against and long_range"),
        ({"bands": []}, "at least one band"),
        ({"short_range": 15}, "short_range 15 is beyond long_range 14"),
        ({"bands": [{"first": 6, "last": 1, "dice": 5}]}, "a band from 6 to 1"),
        ({"bands": [{"first": 1, "last": 6, "dice": -1}]}, "-1 is not usable"),
        ({"kind": "thrown"}, "'thrown' is not usable"),
        ({"id": "Rifles!"}, r"'Rifles!' is not usable \(allowed: lower case, with hyphens"),
    ],
)
def test_a_row_that_cannot_be(changes, message):
    with pytest.raises(InputError, match=message):
        row(**changes)


def test_a_melee_row_has_no_range():
    assert row(kind="melee", against=[], short_range=None, long_range=None).long_range is None


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"levels": {}}, "at least one reinforcement level"),
        ({"levels": {"basic": {"models": 0}}}, "levels.basic.models: 0 is not usable"),
        ({"levels": {"huge": {"models": 6}}}, "'huge' is not usable"),
        ({"rows": [RIFLES, RIFLES]}, "two rows have the id 'rifles'"),
        ({"defence": 0}, "defence: 0 is not usable"),
        ({"deffence": 2}, "deffence: unknown key; did you mean 'defence'"),
    ],
)
def test_a_unit_that_cannot_be(changes, message):
    with pytest.raises(InputError, match=message):
        unit(**changes)


def loadout(**changes):
    melee = {"id": "melee", "name": "Melee", "kind": "melee", "bands": [{"first": 1, "last": 12, "dice": 3}]}
    rows = [RIFLES | {"qualities": ["Arc", "Torrent"]}, melee]
    return Loadout(faction="crown", unit=unit(rows=rows, rules=["Veteran (2)"], **changes), level_name="basic")


def test_a_number_takes_the_place_of_the_old_one_and_a_text_with_a_sign_is_added():
    changed = loadout().with_(points="+5", models=8, defence="-1", speed=6)
    assert (changed.level.points, changed.level.models) == (65, 8)
    assert (changed.unit.defence, changed.unit.speed) == (1, 6)
    assert changed.unit.levels["full-strength"] == loadout().unit.levels["full-strength"]
    assert changed.selector == loadout().selector == "crown/platoon@basic"


def test_dice_are_added_to_every_band_of_every_row_or_of_one():
    both, one = loadout().with_(dice=+1), loadout().with_(dice="-2", row="Melee")
    assert [[band.dice for band in row.bands] for row in both.unit.rows] == [[6, 13], [4]]
    assert [[band.dice for band in row.bands] for row in one.unit.rows] == [[5, 12], [1]]
    fewer = loadout().with_(dice=-9)  # than the small bands have
    assert [[band.dice for band in row.bands] for row in fewer.unit.rows] == [[0, 3], [0]]
    assert (both.unit.rows[0].bands[0].special, both.unit.rows[0].bands[1].special) == (9, None)


@pytest.mark.parametrize(
    ("stated", "qualities"),
    [
        ("+Shock", ("Arc", "Torrent", "Shock")),
        ("-Arc, +Cryo", ("Torrent", "Cryo")),
        (["Precision", "Cryo"], ("Precision", "Cryo")),
        ("", ()),
    ],
)
def test_qualities_are_added_taken_away_or_replaced(stated, qualities):
    assert loadout().with_(qualities=stated, row="rifles").unit.rows[0].qualities == qualities
    assert loadout().with_(rules="+Veteran (3)").unit.rules == ("Veteran (3)",)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"defense": 3}, "unknown key 'defense'; did you mean 'defence'"),
        ({"dice": 1, "row": "rifels"}, "unknown row 'rifels'; did you mean 'rifles'"),
        ({"qualities": "+Arcc"}, "qualities: 'Arcc' is unknown; did you mean 'Arc'"),
        ({"qualities": "-Cryo"}, "Cryo cannot be removed, because the profile does not have it"),
        ({"qualities": "+Cryo, Arc"}, "with and without a sign"),
        ({"dice": "many"}, "dice: 'many' is not a number"),
        ({"dice": 190}, "rifles: dice at 7-12: 202 is not usable (allowed: 0 to 200)"),
        ({"discipline": "+1"}, "discipline: the profile has no number to add +1 to"),
    ],
)
def test_what_cannot_be_changed_is_told(changes, message):
    with pytest.raises(InputError, match=re.escape(message)):
        loadout().with_(**changes)


def test_a_changed_loadout_is_asked_about_like_one_from_a_file():
    changed = loadout().with_(dice=+1, qualities="-Torrent", row="rifles")
    attack = load_scenario({"attack": {"attacker": changed, "distance": 6}, "target": {"unit": loadout()}})
    assert (attack.attack.dice, attack.attack.qualities, attack.attacker) == (6, ("Arc",), changed)
    charge = load({"attacker": {"unit": changed}, "target": {"unit": loadout().with_(defence=4)}})
    assert (charge.target.defence, charge.attacker.unit) == (4, "crown/platoon@basic")
    assert load(charge.as_dict() | {"ruleset": {}}, Library()).as_dict() == charge.as_dict()


class Library(Profiles):
    def loadout(self, selector):
        return loadout()
