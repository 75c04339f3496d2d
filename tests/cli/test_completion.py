"""Completion by a shell."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import BashComplete

from analyser.cli import cli
from analyser.rules.policies import BEST, Policy
from tests.helpers.shell import answer


def completed(line):
    """The values that are offered for the last word of a line, which may be empty."""
    *words, last = line.split(" ")
    return [each.value for each in BashComplete(cli, {}, "analyser", "_ANALYSER_COMPLETE").get_completions(words, last)]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell_is_printed(shell):
    script = answer("completion", shell)
    assert f"_ANALYSER_COMPLETE={shell}_complete" in script
    assert ("COMP_WORDBREAKS" in script) is (shell == "bash")  # which takes a selector apart at its @ otherwise


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("morale war", ["warmaster"]),
        ("attack a b --off", ["--officer"]),
        ("attack a b --officer ", ["last", "first", "random"]),
        ("army kinds c", ["commonwealth", "crown"]),
        ("army kinds crown/", []),
        ("attack crown/rifle-platoon@b", ["crown/rifle-platoon@basic"]),
        ("units im", ["imperium", "import"]),
        ("units card crown/rifle-p", ["crown/rifle-platoon"]),
        ("units card nobody", []),
        ("best --wa", ["--want"]),
        ("completion f", ["fish"]),
    ],
)
def test_what_is_offered(line, offered):
    assert sorted(each for each in completed(line) if "/" not in each or "/" in line) == sorted(offered)


def test_every_policy_is_offered():
    assert completed("duel a b --policy-a ") == [*(policy.name.lower() for policy in Policy), BEST]


def test_other_profiles_are_looked_at(tmp_path):
    units = '[[unit]]\nid = "otter"\nlevels = { basic = { models = 4 } }\n'
    (tmp_path / "river.toml").write_text(f'id = "river"\n{units}', encoding="utf-8")
    assert completed(f"attack --profiles {tmp_path} ") == ["river/otter@basic"]
    (tmp_path / "river.toml").write_text("id = [", encoding="utf-8")
    assert completed(f"attack --profiles {tmp_path} ") == []


COMPLETED_BY_BASH = (
    'eval "$(analyser completion bash)"; COMP_WORDS=(analyser {}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); '
    '_analyser_completion analyser; echo "${{COMPREPLY[@]}}"'
)


@pytest.mark.slow
def test_a_shell_completes_what_has_an_at_sign():
    if shutil.which("bash") is None:
        pytest.skip("no bash here")
    script = COMPLETED_BY_BASH.format("attack crown/rifle-platoon@b")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    command, where = ["bash", "--norc", "-c", script], os.environ | {"PATH": path}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=where)
    assert (done.stdout, done.stderr) == ("crown/rifle-platoon@basic\n", "")
