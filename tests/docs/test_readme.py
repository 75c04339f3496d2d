"""What the README says about armies is typed as it stands, in a fresh copy of the repository."""

import re
import shlex
from pathlib import Path

import pytest

import analyser
from tests.helpers.shell import run

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SHELL = re.search(r"^## From the shell\n```sh\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)[1]
TYPED = [shlex.split(line, comments=True)[1:] for line in SHELL.splitlines() if line.startswith("analyser ")]
OF_ARMIES = [each for each in TYPED if each[0] in ("army", "battle")]
OF_PYTHON = re.search(r"^mine, yours = .*?(?=^analyser\.explore)", README, re.DOTALL | re.MULTILINE)[0]
SLOW = (["army", "build"], ["battle", "plan"], ["battle", "notebooks/armies/crown.rosz"])


@pytest.fixture
def fresh(tmp_path, monkeypatch):
    """A folder that holds what a clone holds of armies, and nothing else."""
    (tmp_path / "notebooks").symlink_to(ROOT / "notebooks")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_command_about_armies_stands_there():
    assert {" ".join(each[:2]) for each in OF_ARMIES} > {"army check", "army card", "army build", "battle plan"}
    assert len(OF_ARMIES) >= 6


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(each, id=" ".join(each[:2]), marks=[pytest.mark.slow] if each[:2] in SLOW else [])
        for each in OF_ARMIES
    ],
)
def test_a_command_about_armies_is_answered(fresh, words):
    done = run(*words)
    assert (done.exit_code, done.exception) == (0, None)
    out = words[words.index("--out") + 1] if "--out" in words else None
    assert [each.name for each in fresh.iterdir() if each.name != "notebooks"] == ([out] if out else [])
    said = done.stdout if out is None else (fresh / out).read_text(encoding="utf-8")
    assert "Queen's Own Rifles" in said.replace("&#39;", "'")


@pytest.mark.slow
def test_the_lines_of_python_about_armies_run(fresh, capsys):
    exec(compile(OF_PYTHON, "README.md", "exec"), {"analyser": analyser})
    assert "Mine wins" in capsys.readouterr().out
