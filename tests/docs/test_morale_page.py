"""What the page about morale shows is what the program does."""

import re
import tomllib
from pathlib import Path

import pytest

from analyser import morale
from analyser.morale.games.compare import question as compare
from analyser.morale.games.grande_tactique import question as grande_tactique
from analyser.morale.games.legion import question as legion

PAGE = (Path(__file__).parents[2] / "docs" / "morale.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```toml\n# ([\w-]+)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize(("system", "text"), EXAMPLES, ids=[system for system, _ in EXAMPLES])
def test_every_example_can_be_run(tmp_path, system, text):
    path = tmp_path / "scenario.toml"
    path.write_text(text, encoding="utf-8")
    result = morale.exact(system, path)
    assert result.tables
    assert result.warnings == () or system == "compare"


def test_an_echoed_question_gives_the_same_answer():
    for system, text in EXAMPLES:
        result = morale.exact(system, tomllib.loads(text)).as_dict()
        assert morale.exact(system, _without_absent(result["question"])).as_dict() == result


def _without_absent(value):
    if isinstance(value, dict):
        return {key: _without_absent(inner) for key, inner in value.items() if inner is not None}
    return [_without_absent(each) for each in value] if isinstance(value, list) else value


def test_the_python_example_prints_what_it_says(capsys):
    code = PAGE.split("```python\n")[1].split("```")[0]
    exec(compile(code, "morale.md", "exec"), {})
    assert f"# {capsys.readouterr().out.strip()}" in code


def test_every_key_of_legion_is_in_the_table():
    section = PAGE.split("## Star Wars: Legion\n")[1].split("\n## ")[0]
    told = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\|([^|]*)\|", section, re.MULTILINE))))
    assert told - {"key"} == set(legion.Question.model_fields) - {"ruleset"}


def test_every_key_of_a_comparison_is_in_the_table():
    section = PAGE.split("## Five systems side by side\n")[1].split("\n`nerve` is")[0]
    told = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\|([^|]*)\|", section, re.MULTILINE))))
    assert told == set(compare.Question.model_fields) - {"ruleset"}


def test_every_key_of_grande_tactique_is_in_the_table():
    rows = dict(re.findall(r"^\| `\[(\w+)\]` \|[^|]*\|([^|]*)\|", PAGE, re.MULTILINE))
    records = {
        "check": grande_tactique.Check,
        "flight": grande_tactique.Flight,
        "column": grande_tactique.Column,
        "rout": grande_tactique.Rout,
        "division": grande_tactique.Division,
        "game": grande_tactique.Game,
    }
    assert rows.keys() == records.keys()
    for section, record in records.items():
        assert set(record.model_fields) <= set(re.findall(r"`\"?([\w ]+)\"?`", rows[section]))
    told = PAGE.split("A unit of a game has ")[1].split("\n\n")[0]
    assert set(grande_tactique.GameUnit.model_fields) <= set(re.findall(r"`(\w+)`", told))


@pytest.mark.parametrize(("system", "text"), EXAMPLES, ids=[system for system, _ in EXAMPLES])
def test_every_table_of_warmaster_and_mordheim_is_told(system, text):
    if system in ("warmaster", "mordheim"):
        section = PAGE.split(f"# {system}\n")[1].split("\n## ")[0]
        told = " ".join(re.findall(r"^\| (`.*?) \|", section, re.MULTILINE))
        assert set(morale.exact(system, tomllib.loads(text)).tables) <= set(re.findall(r"`(\w+)`", told))


def test_every_key_of_the_json_is_in_the_table():
    section = PAGE.split("## What comes back as JSON\n")[1]
    told = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\|([^|]*)\|", section, re.MULTILINE))))
    assert morale.simulate("legion", {"courage": 1}, 10).as_dict().keys() <= told
