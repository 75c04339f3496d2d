"""The page about profiles names every key of the files."""

import re
from pathlib import Path

import pytest

from analyser.game.forces import Battlegroup, Boon, ForceRules, Place, Scale, Slot
from analyser.game.profiles import load_profiles
from analyser.game.units import Band, Faction, Level, Row, Unit

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "profiles.md").read_text(encoding="utf-8")
IN_THE_FILE = {"scales", "game_system", "led_by", "least_on_table", "always_in_reserve", "passengers"}  # with comments


@pytest.mark.parametrize("model", [Faction, Unit, Level, Row, Band, Battlegroup, Slot, Place, Boon])
def test_every_key_of_a_faction_s_file_is_named(model):
    for name, field in model.model_fields.items():
        assert re.search(rf"\b{field.alias or name}\b", PAGE), name


def test_every_key_of_the_force_rules_is_in_the_shipped_file():
    text = (ROOT / "profiles" / "forces.toml").read_text(encoding="utf-8")
    for name in (*ForceRules.model_fields, *Scale.model_fields):
        assert re.search(rf"\b{name}\b", text), name
    assert set(ForceRules.model_fields) - {"format"} == IN_THE_FILE


def test_the_counts_are_those_of_the_shipped_files():
    factions = load_profiles().factions
    units = sum(len(each.units) for each in factions.values())
    assert f"{units} units at {len(list(load_profiles()))} reinforcement levels" in PAGE
    assert all(each.name in PAGE for each in factions.values())
    assert f"{units} units)" in (ROOT / "README.md").read_text(encoding="utf-8")
