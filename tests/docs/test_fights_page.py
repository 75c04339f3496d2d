"""The page about longer fights shows what the program does: its examples are run, its tables compared."""

import json
import re
import tomllib
from pathlib import Path
from typing import get_args

import pytest

import analyser
from analyser.common.errors import InputError
from analyser.rules.policies import BEST, POLICIES, SHOOTING, Policy
from analyser.scenarios.load import kind_of
from analyser.scenarios.schema import Attack, Charge, Combatant, DuelTerms, FocusAttack, PolicyName, Target
from tests.helpers.pages import assert_part_of

PAGE = (Path(__file__).parents[2] / "docs" / "fights.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
DUEL = 3


def keys_below(heading):
    """The first column of the tables of a section."""
    section = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"^\| ((?:`\w+`(?:, )?)+)", section, re.MULTILINE)


def names_in(cells):
    return [name for cell in cells for name in re.findall(r"`(\w+)`", cell)]


def own_keys(model, base):
    return [name for name in model.model_fields if name not in base.model_fields]


def test_every_policy_is_named_wherever_users_are_told_of_it():
    known = [policy.name.lower() for policy in Policy]
    section = PAGE.split("| policy | what the unit does |")[1].split("\n\n")[0]
    for where, named in (
        ("the scenario", [name for name in get_args(PolicyName) if name != BEST]),
        ("the help", POLICIES),
        ("docs/fights.md", re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)),
    ):
        assert list(named) == known, where
    assert set(SHOOTING) < set(known)


def test_so_many_attacks_are_taken_as_the_page_says():
    (most,) = map(int, re.findall(r"There are up to (\d+) attacks", PAGE))
    analyser.focus([{"dice": 1}] * most, {"models": 3, "defence": 1, "damage_limit": 1})
    with pytest.raises(InputError, match=f"up to {most}"):
        analyser.focus([{"dice": 1}] * (most + 1), {"models": 3, "defence": 1, "damage_limit": 1})


@pytest.mark.parametrize("text", EXAMPLES)
def test_every_example_can_be_run(text, tmp_path):
    path = tmp_path / "fight.toml"
    path.write_text(text, encoding="utf-8")
    result = getattr(analyser, kind_of(tomllib.loads(text)))(path)
    assert result.warnings == ()
    assert result.as_dict()["method"] == "exact"


@pytest.mark.parametrize(
    ("heading", "keys"),
    [
        ("`[charge]`", list(Charge.model_fields)),
        ("`[attacker]`, `[target]`, `[a]` and `[b]`", own_keys(Combatant, Target)),
        ("`[[attacks]]`", own_keys(FocusAttack, Attack)),
        ("`[duel]`", [*DuelTerms.model_fields, *(policy.name.lower() for policy in Policy)]),
    ],
)
def test_every_key_is_in_the_tables(heading, keys):
    assert names_in(keys_below(heading)) == keys


@pytest.mark.parametrize("text", EXAMPLES)
def test_every_key_of_the_json_is_in_the_tables(text):
    raw = tomllib.loads(text)
    result = getattr(analyser, kind_of(raw))(raw).as_dict()
    assert result.keys() <= set(names_in(keys_below("What comes back")))


def test_the_json_excerpt_is_the_programs():
    (text,) = re.findall(r"^```json\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    assert_part_of(json.loads(text), analyser.duel(tomllib.loads(EXAMPLES[DUEL])).as_dict())
