"""The examples of the page about morale in other games can be run, and its tables are those of the answers."""

import re
import tomllib
from pathlib import Path

import pytest

from analyser import morale
from analyser.morale.systems import SYSTEMS

PAGE = (Path(__file__).parent.parent / "docs" / "morale.md").read_text(encoding="utf-8")
SECTIONS = {"warmaster": "Warmaster: confusion", "mordheim": "Mordheim: rout tests and psychology"}


def section(system):
    return PAGE.split(f"\n## {SECTIONS[system]}\n")[1].split("\n## ")[0]


@pytest.mark.parametrize("system", SECTIONS)
def test_the_example_can_be_run(system):
    assert system in SYSTEMS
    (text,) = re.findall(r"^```toml\n(.*?)^```$", section(system), re.DOTALL | re.MULTILINE)
    result = morale.exact(system, tomllib.loads(text))
    named = set(re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| (`.*?) \|", section(system), re.MULTILINE))))
    assert set(result.tables) <= named
