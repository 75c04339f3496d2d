"""Completion by a shell, and `warm-up`, also broken off while kernels are being compiled."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.shell_completion import BashComplete, FishComplete, ZshComplete

from analyser.cli import cli
from analyser.rules.policies import BEST, Policy
from tests.helpers.shell import answer, refusal
from tests.helpers.skips import proof

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
        ("attack a crown/rifle-platoon@f", ["crown/rifle-platoon@full-strength"]),
        ("attack a b --row ranged-light-h", ["ranged-light-heavy"]),
        ("matchups a b --metric p_an", ["p_annihilated", "p_any_destroyed"]),
        ("matchups a b --situations long-range,sh", ["long-range,short-range-aimed"]),
        ("report --situations al", ["all"]),
        ("units im", ["imperium", "import"]),
        ("units card crown/rifle-p", ["crown/rifle-platoon"]),
        ("units card nobody", []),
        ("units ca", ["card"]),
        ("best --wa", ["--want"]),
        ("report si", ["site"]),
        ("completion f", ["fish"]),
    ],
)
def test_what_is_offered(line, offered, shell):
    assert sorted(each for each in completed(line, shell) if "/" not in each or "/" in line) == sorted(offered)


def test_every_policy_is_offered():
    assert completed("duel a b --policy-a ") == [*(policy.name.lower() for policy in Policy), BEST]


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
@pytest.mark.parametrize("shell", ["bash", *proof("fish")])
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


@pytest.mark.proof
def test_a_bare_zsh_takes_its_script():
    assert in_shell("zsh", 'eval "$(analyser completion zsh)"; echo $_comps[analyser]')[0] == "_analyser_completion"


# --- warm-up ----------------------------------------------------------------------------------------------

A, B = "crown/rifle-platoon@basic", "imperium/scion-grenadier-platoon@basic"
SAMPLED = ("charge", A, B, "--method", "monte-carlo", "--trials", "1000", "--format", "json")


def begun(*words, cache):
    return subprocess.Popen(
        [sys.executable, "-m", "analyser", *words],
        env=os.environ | {"NUMBA_CACHE_DIR": str(cache)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def ended(process):
    printed, said = process.communicate(timeout=120)
    return process.returncode, printed, said


@pytest.mark.slow
def test_it_keeps_what_the_questions_need(tmp_path):
    status, _, said = ended(begun("warm-up", "morale-legion", cache=tmp_path))
    assert (status, said.strip()) == (0, "note: kernels are ready: morale-legion")
    assert list(tmp_path.rglob("*.nbc"))


def test_a_misspelt_name_is_told_the_nearest():
    assert "no kernels 'matchup'; did you mean 'matchups'?" in refusal("warm-up", "matchup")


@pytest.mark.slow
def test_no_folder_to_keep_them_in_is_one_message(tmp_path):
    (tmp_path / "file").touch()
    status, _, said = ended(begun("warm-up", "morale-legion", cache=tmp_path / "file"))
    assert status == 2
    assert said.splitlines()[-1].startswith("error: warm-up: compiled kernels cannot be kept anywhere")


@pytest.mark.proof
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_warm_up_that_is_broken_off_leaves_nothing_that_harms(tmp_path, how):
    process = begun("warm-up", "simulated-fights", cache=tmp_path)
    time.sleep(2.5)
    os.killpg(process.pid, how)
    status, _, said = ended(process)
    assert status == -how or (status, how) == (130, signal.SIGINT)
    assert "Traceback" not in said
    status, answer, said = ended(begun(*SAMPLED, cache=tmp_path))
    assert (status, said) == (0, "")
    assert answer == ended(begun(*SAMPLED, cache=tmp_path / "another"))[1]


@pytest.mark.slow
def test_ctrl_c_in_the_middle_of_compiling_ends_at_once(tmp_path):
    process = begun(*SAMPLED, cache=tmp_path)
    time.sleep(1.5)
    os.killpg(process.pid, signal.SIGINT)
    status, printed, said = ended(process)
    assert status in (130, -signal.SIGINT)  # Python ends by the signal itself where a string was being executed
    assert (printed, said) == ("", "")
