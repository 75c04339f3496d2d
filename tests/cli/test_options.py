"""What is typed after an option or a colon, as a scenario file would have it."""

import pytest

from analyser.cli.fights import OF_ATTACKER, OF_DUELLIST, attack_from, unit_from
from analyser.cli.options import value_of


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[1, 2]", [1, 2]),
        ("[Durable, Sponsons (2)]", ["Durable", "Sponsons (2)"]),
        (".5", 0.5),
        ("3.", 3.0),
        ("true", True),
        ("melee", "melee"),
        ("", ""),
    ],
)
def test_a_value_is_as_a_file_has_it(text, value):
    assert value_of(text, "target") == value


def test_a_selector_with_keys_is_a_section():
    section = {"unit": "crown/rifle", "suppressed": True, "damage": 1, "charge": {"outflanking": True}}
    assert unit_from("crown/rifle:suppressed,damage=1,outflanking", "a", OF_DUELLIST) == section
    attack = {"attacker": "crown/rifle", "row": "ranged-light", "distance": 6, "bonuses": ["aiming"]}
    assert attack_from("crown/rifle:row=ranged-light,distance=6,aiming", "attack", OF_ATTACKER) == attack
