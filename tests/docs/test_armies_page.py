"""The page about armies shows what the program does: its example is read, its tables compared."""

import re
import tomllib
from pathlib import Path

import analyser
from analyser.game.army_file import ArmyFile, BoonEntry, UnitEntry
from analyser.game.force_check import RULES

PAGE = (Path(__file__).parents[2] / "docs" / "armies.md").read_text(encoding="utf-8")
LIST, SHORT = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)[:2]


def test_the_list_of_the_page_is_an_army_without_a_doubt():
    army = analyser.load_army(tomllib.loads(LIST))
    assert (army.warnings, len(army), army["Carriers"].loadout.unit.discipline) == ((), 8, 7)
    assert analyser.check_army(army).broken == ()
    assert army.embarked(army["Carriers"]) is army["Sappers"]
    short = re.search(r"`(unit = \[.*?\])`", PAGE)[1]
    assert len(analyser.load_army({"faction": "crown", **tomllib.loads(short)})) == 4


def test_a_list_without_battlegroups_is_broken_and_the_short_one_with_them_is_not():
    short = re.search(r"`(unit = \[.*?\])`", PAGE)[1]
    broken = analyser.check_army({"faction": "crown", **tomllib.loads(short)}).broken
    assert [each.rule for each in broken] == ["FB-1", "FB-4"]
    told = re.search(r"finds it broken: (.*?)\.\n", PAGE, re.DOTALL)[1]
    assert re.findall(r"FB-\d+", told) == [each.rule for each in broken]
    assert analyser.check_army(tomllib.loads(SHORT)).broken == ()


def test_the_keys_of_the_page_are_those_of_the_file():
    cells = PAGE.split("| key of `[[unit]]` | |")[1].split("\n\n")[0]
    named = [name for row in re.findall(r"^\| (`.*?`) \|", cells, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)]
    assert sorted(named) == sorted(UnitEntry.model_fields)
    others = [field.alias or name for name, field in ArmyFile.model_fields.items()]
    assert [name for name in (*others, *BoonEntry.model_fields) if f"{name}" not in PAGE] == []


def test_the_rules_of_the_page_are_those_that_are_checked():
    assert dict(re.findall(r"^\| (FB-\d+) \| (.*?) \|$", PAGE, re.MULTILINE)) == RULES
