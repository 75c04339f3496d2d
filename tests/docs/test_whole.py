"""Pages name all that there is: tactics, objectives, rules, tables, units, and no more."""

import re
import tomllib

import pytest

import analyser
from analyser import morale
from analyser.common.errors import InputError
from analyser.game.profiles import load_profiles
from analyser.rules.policies import BEST, POLICIES
from analyser.scenarios.schema import WANTS
from tests.helpers.pages import ROOT, blocks


def read(name):
    return (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")


def first_cells(text, heading):
    """The code in the first column of the table whose first heading is `heading`."""
    (table,) = re.findall(rf"^\| {heading} \|.*\n((?:\|.*\n)+)", text, re.MULTILINE)
    return re.findall(r"^\| `([^`]+)` \|", table, re.MULTILINE)


def test_every_tactic_and_objective_is_listed():
    page = read("charge-or-shoot")
    assert first_cells(page, "tactic") == [*POLICIES, BEST]
    assert first_cells(page, "`--want`") == [*WANTS]


def test_every_rule_that_the_code_cites_is_listed():
    listed = set()
    for cell in re.findall(r"^\| (AC-[^|]*) \|", read("rules"), re.MULTILINE):
        numbers = re.findall(r"AC-([\d.]+)", cell)
        if " to " in cell:
            chapter, last = numbers[1].split(".")
            numbers = [f"{chapter}.{number}" for number in range(int(numbers[0].split(".")[1]), int(last) + 1)]
        listed |= {f"AC-{number}" for number in numbers}
    sources = (ROOT / "analyser").rglob("*.py")
    cited = {rule for path in sources for rule in re.findall(r"AC-\d\.\d+", path.read_text(encoding="utf-8"))}
    assert cited - listed == set()


def test_so_many_attacks_are_taken_as_the_page_says():
    (most,) = map(int, re.findall(r"^Up to (\d+) attacks", read("scenario"), re.MULTILINE))
    target = {"models": 3, "defence": 1, "damage_limit": 1}
    analyser.focus([{"dice": 1}] * most, target)
    with pytest.raises(InputError, match=f"up to {most}"):
        analyser.focus([{"dice": 1}] * (most + 1), target)


def test_the_counts_are_those_of_the_shipped_files():
    units = sum(len(faction.units) for faction in load_profiles().factions.values())
    assert f"{units} units" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("system", ["legion", "warmaster", "mordheim"])
def test_every_table_of_morale_is_named(system):
    page = read("morale")
    section = page.split(f"# {system}.toml\n")[1].split("\n## ")[0]
    (example,) = [each for each in blocks(ROOT / "docs" / "morale.md", "toml") if each.name == f"{system}.toml"]
    tables = morale.exact(system, tomllib.loads(example.text)).tables
    assert set(tables) - set(re.findall(r"`(\w+)`", section)) == set()
