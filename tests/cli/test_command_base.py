"""Calls that cannot be understood: one line that says what, and where the right call stands."""

import re
import time

import pytest
from click.testing import CliRunner

from analyser.cli import cli, messages
from tests.helpers.shell import answer, refusal, run


@pytest.mark.parametrize(
    ("call", "line"),
    [
        ("atack", "error: no command 'atack'; did you mean 'attack'?"),
        ("attack", "error: missing argument 'ATTACKERS...' (see analyser attack --help)"),
        ("attack a b --foo 1", "error: no such option --foo"),
        ("attack a b --threads 0", "error: --threads: 0 is out of range (allowed: 1 "),
        ("attack a b --method guess", "error: invalid value for '--method': 'guess' is not one of 'exact', "),
        ("attack a b --trials 0", "error: --trials: 0 is out of range (allowed: 1 or more)"),
        ("attack a b --precision x", "error: --precision: must be a number or a percentage, got 'x' (allowed: 1e"),
        ("battle plan a b --distance 0", "error: --distance: 0 is out of range (allowed: above 0)"),
        ("army build --differ 1.1", "error: --differ: 1.1 is out of range (allowed: above 0, up to 1)"),
        ("attack a b --out x.xyz", "error: x.xyz: unknown extension '.xyz' (allowed: .txt, .md, .json, .csv, "),
        ("army a --out x.pdf", "error: x.pdf: unknown extension '.pdf' (allowed: .toml, .txt, .md, "),
        ("attack a b --format xml", "error: invalid value for '--format': 'xml' is not one of 'text', 'json', "),
        ("charge a b --rounds 2", "error: no such option --rounds here; see "),
        ("explain a b --destroyed 2", "error: no such option --destroyed here; see 'analyser explain luck'"),
    ],
)
def test_a_call_that_cannot_be_understood_is_one_line(call, line):
    """Before 8.4, Click writes a name that it does not know without quotes."""
    text = refusal(*call.split())
    assert text.replace("option: --", "option --").replace("'", "").startswith(line.replace("'", ""))
    assert text.count("\n") == 1


@pytest.mark.parametrize(("call", "line"), [((), "  attack      Ranged"), (("morale",), "  mordheim ")])
def test_without_a_command_the_help_is_the_answer(call, line):
    found = CliRunner().invoke(cli, call)
    assert found.output.startswith("Usage: ")
    assert line in found.output


def test_the_usual_command_of_a_group_may_be_left_out():
    assert answer("units", "crown") == answer("units", "list", "crown")
    assert answer("units") == answer("units", "list")
    assert answer("units", "--format", "csv") == answer("units", "list", "--format", "csv")
    assert "no command 'lst'; did you mean 'list'?" in refusal("units", "lst")


def test_long_work_says_every_half_minute_how_far_it_is(monkeypatch, capsys):
    asked = ("matchups", "crown/rifle-p*", "imperium/krupp*", "--situations", "long-range")
    assert run(*asked).stderr == ""
    monkeypatch.setattr(messages, "HALF_MINUTE", 0.0)
    said = run(*asked).stderr.splitlines()
    assert re.fullmatch(r"note: 100% done after \d+ s", said[-1])
    assert run(*asked, "--quiet").stderr == ""
    messages.run_in_thread(lambda: time.sleep(0.3), "adding up")
    assert capsys.readouterr().err.startswith("note: still adding up after 0 s\n")


@pytest.mark.parametrize(
    "call",
    [
        ("morale", "legion", "a\0b"),
        ("run", "\ud800.toml"),
        ("units", "--profiles", "a\0b"),
        ("attack", "a", "b", "--out", "a\0b"),
        ("attack", "a", "b", "--extra-reroll", "miss:" + "9" * 5000),
    ],
)
def test_what_no_file_or_number_can_be_is_one_line(call):
    assert len(refusal(*call)) < 500
