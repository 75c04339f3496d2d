"""Completion by a shell: what click hands over for a line that is being typed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import BashComplete, FishComplete, ZshComplete

from analyser.cli import cli
from analyser.rules.policies import Policy
from tests.helpers.shell import answer

SHELLS = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}


def completed(line, shell=BashComplete):
    """The values that a shell offers for the last word of a line, which may be empty."""
    *words, last = line.split(" ")
    return [each.value for each in shell(cli, {}, "analyser", "_ANALYSER_COMPLETE").get_completions(words, last)]


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_of_a_shell_is_printed(shell):
    script = answer("completion", shell)
    assert f"_ANALYSER_COMPLETE={shell}_complete" in script
    assert ("COMP_WORDBREAKS" in script) is (shell == "bash")  # which takes a selector apart at its @ otherwise


@pytest.mark.parametrize("shell", SHELLS.values())
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("att", ["attack"]),
        ("morale war", ["warmaster"]),
        ("attack a b --off", ["--officer"]),
        ("attack a b --officer ", ["last", "first", "random"]),
        ("attack crown/rifle-platoon@b", ["crown/rifle-platoon@basic"]),
        ("attack crown/rifle-platoon@basic imperium/krupp-field-guns@r", ["imperium/krupp-field-guns@reinforced"]),
        ("attack crown/rifle-platoon@basic:distance=6,aim", ["crown/rifle-platoon@basic:distance=6,aiming"]),
        ("attack a b:garr", ["b:garrisoned"]),
        ("duel a:withdr", ["a:withdraws_without_room"]),
        ("focus a --target crown/rifle-platoon@f", ["crown/rifle-platoon@full-strength"]),
        ("attack a b --row ranged-light-h", ["ranged-light-heavy"]),
        ("matchups a b --metric p_an", ["p_annihilated", "p_any_destroyed"]),
        ("matchups a b --situations long-range,sh", ["long-range,short-range-aimed"]),
        ("report --situations al", ["all"]),
        ("units im", ["imperium"]),
        ("card crown/rifle-p", ["crown/rifle-platoon"]),
        ("card nobody", []),
        ("completion f", ["fish"]),
    ],
)
def test_what_is_offered(line, offered, shell):
    assert sorted(each for each in completed(line, shell) if "/" not in each or "/" in line) == sorted(offered)


def test_every_policy_is_offered():
    assert completed("duel a b --policy-a ") == [policy.name.lower() for policy in Policy]


def test_other_profiles_are_looked_at(tmp_path):
    units = '[[unit]]\nid = "otter"\nlevels = { basic = { models = 4 } }\n'
    (tmp_path / "river.toml").write_text(f'id = "river"\n{units}', encoding="utf-8")
    assert completed(f"attack --profiles {tmp_path} ") == ["river/otter@basic"]
    (tmp_path / "river.toml").write_text("id = [", encoding="utf-8")
    assert completed(f"attack --profiles {tmp_path} ") == []


@pytest.mark.slow
@pytest.mark.parametrize("line", ["attack crown/", "matchups a b --metric ", "units cr", "duel a b --policy-a "])
def test_a_key_press_loads_nothing_heavy(line):
    *words, last = line.split(" ")
    look = (
        "import sys; from click.shell_completion import BashComplete; from analyser.cli import cli\n"
        f"assert BashComplete(cli, {{}}, 'analyser', '').get_completions({words}, {last!r})\n"
        "print([name for name in ('numba', 'pandas', 'matplotlib', 'scipy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


# --- in the shells themselves -----------------------------------------------------------------------------

IN_SHELLS = {
    "bash": 'eval "$(analyser completion bash)"; COMP_WORDS=(analyser {}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); '
    '_analyser_completion analyser; echo "${{COMPREPLY[@]}}"',
    "fish": "analyser completion fish | source; complete -C 'analyser {}'",
}


def in_shell(shell, script):
    """What a shell that has the command on its path prints."""
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} here")
    plain = {"bash": "--norc", "zsh": "-f", "fish": "--no-config"}[shell]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [shell, plain, "-c", script], capture_output=True, text=True, check=True, env=os.environ | {"PATH": path}
    )
    assert done.stderr == ""
    return done.stdout.split("\n")


@pytest.mark.slow
@pytest.mark.parametrize("shell", IN_SHELLS)
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("attack crown/rifle-platoon@b", "crown/rifle-platoon@basic"),
        ("attack crown/rifle-platoon@basic:distance=6,aim", "crown/rifle-platoon@basic:distance=6,aiming"),
        ("matchups a b --situations long-range,short-range-a", "long-range,short-range-aimed"),
    ],
)
def test_a_shell_completes_what_has_colons_and_commas(shell, line, offered):
    assert in_shell(shell, IN_SHELLS[shell].format(line))[0] == offered


@pytest.mark.slow
def test_a_bare_zsh_takes_its_script():
    assert in_shell("zsh", 'eval "$(analyser completion zsh)"; echo $_comps[analyser]')[0] == "_analyser_completion"
