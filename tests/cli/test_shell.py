"""Calls that cannot be understood: one line that says what, and where the right call stands."""

import pytest
from click.testing import CliRunner

from analyser.cli import cli
from tests.helpers.shell import refusal


@pytest.mark.parametrize(
    ("call", "line"),
    [
        ("atack", "error: no command 'atack'; did you mean 'attack'?"),
        ("attack", "error: missing argument 'ATTACKER' (see analyser attack --help)"),
        ("attack a b c", "error: got unexpected extra argument (c) (see analyser attack --help)"),
        ("attack a b --foo 1", "error: no such option '--foo'"),
        ("attack a b --trials 0", "error: invalid value for '--trials': 0 is not in the range x>=1"),
        (
            "attack a b --format xml",
            "error: invalid value for '--format': 'xml' is not one of 'text', 'json', ",
        ),
        ("attack a b --seed", "error: option '--seed' requires an argument"),
        ("morale legoin", "error: no command 'legoin'; did you mean 'legion'?"),
        ("morale legion --courages 1", "error: no such option '--courages'"),
        ("--nothing", "error: no such option '--nothing'"),
    ],
)
def test_a_call_that_cannot_be_understood_is_one_line(call, line):
    text = refusal(*call.split())
    assert text.startswith(line)
    assert text.count("\n") == 1


@pytest.mark.parametrize(("call", "line"), [((), "  attack       The odds"), (("morale",), "  mordheim ")])
def test_without_a_command_the_help_is_the_answer(call, line):
    found = CliRunner().invoke(cli, call)
    assert found.output.startswith("Usage: ")
    assert line in found.output


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
