"""What the documentation shows is what the program does: its examples are run, its tables compared."""

import json
import re
import tomllib
from pathlib import Path

import pytest

import analyser
import analyser.plots
from analyser.game.ruleset import Ruleset
from analyser.scenarios.schema import Attack, Target
from tests.helpers.pages import assert_part_of

PAGE = (Path(__file__).parents[2] / "docs" / "scenario.md").read_text(encoding="utf-8")
INLINE = 1  # the example that is written without profiles, and that the JSON belongs to


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def keys_in_table(heading):
    """The first column of the first table below a heading."""
    section = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"^\| `(\w+)`", section, re.MULTILINE)


EXAMPLES = blocks("toml")


@pytest.mark.parametrize("text", EXAMPLES)
def test_every_example_can_be_run(tmp_path, text):
    path = tmp_path / "scenario.toml"
    path.write_text(text, encoding="utf-8")
    result = analyser.exact(path)
    assert result.probabilities.sum() == pytest.approx(1, abs=1e-12)
    assert result.warnings == ()


def test_the_examples_show_both_ways_to_name_a_unit():
    assert "attacker" in tomllib.loads(EXAMPLES[0])["attack"]
    assert "unit" in tomllib.loads(EXAMPLES[0])["target"]
    assert "attacker" not in tomllib.loads(EXAMPLES[INLINE])["attack"]


@pytest.mark.parametrize(
    ("heading", "record"), [("`[attack]`", Attack), ("`[target]`", Target), ("`[ruleset]`", Ruleset)]
)
def test_every_key_is_in_the_tables(heading, record):
    assert keys_in_table(heading) == list(record.model_fields)


def test_the_json_excerpt_is_the_programs():
    (text,) = blocks("json")
    whole = analyser.exact(tomllib.loads(EXAMPLES[INLINE])).as_dict()
    assert_part_of(json.loads(text), whole)


def test_every_key_of_the_json_is_in_the_table():
    result = analyser.exact(tomllib.loads(EXAMPLES[INLINE])).as_dict()
    assert result.keys() <= set(keys_in_table("What comes back"))


def test_the_readme_example_prints_what_it_says(capsys):
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    code = readme.split("```python\n")[1].split("```")[0]
    exec(compile(code, "README.md", "exec"), {})
    exact, sampled = capsys.readouterr().out.splitlines()
    assert f"# {exact}" in code
    assert sampled.startswith(exact[:4])
    assert "±" in sampled


NOTEBOOKS = Path(__file__).parents[2] / "docs" / "notebooks.md"


def test_the_notebook_example_prints_what_it_says(capsys):
    code = NOTEBOOKS.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    exec(compile(code, "notebooks.md", "exec"), {})
    assert f"# {capsys.readouterr().out.strip()}" in code


def test_every_notebook_and_every_picture_is_on_its_page():
    text = NOTEBOOKS.read_text(encoding="utf-8")
    folder = NOTEBOOKS.parent.parent / "notebooks"
    assert set(re.findall(r"\(../notebooks/([^)]+)\)", text)) == {path.name for path in folder.glob("*.ipynb")}
    assert set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)) == set(analyser.plots.__all__)
