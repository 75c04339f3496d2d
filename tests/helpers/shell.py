"""The command line as the tests use it: what a command printed, and how it ended."""

import math
import subprocess
import sys

import click
from click.testing import CliRunner

from analyser.cli import cli, messages

messages.HALF_MINUTE = math.inf  # a slow machine says no more than a fast one
RIFLES, GRENADIERS = "crown/rifle-platoon@basic", "scion-grenadier-p@basic"


def commands():
    """Every command that answers, by the words that call it."""
    found, waiting = {}, [((), cli)]
    while waiting:
        words, command = waiting.pop()
        if isinstance(command, click.Group):
            waiting += [((*words, name), command.load(name)) for name in reversed(command.summaries)]
        else:
            found[words] = command
    return found


def run(*arguments):
    """What a command did: exit status, standard output, standard error."""
    return CliRunner().invoke(cli, [str(each) for each in arguments], prog_name="analyser")


def answer(*arguments):
    """What a command that succeeds prints."""
    result = run(*arguments)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


def refusal(*arguments):
    """The one line that a command says when it refuses its input."""
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith("error: ")
    return result.stderr


def ended_plainly(result):
    """A command that answered, or said in one line why not."""
    assert isinstance(result.exception, SystemExit | None), repr(result.exception)
    if result.exit_code == 2:
        errors = [line for line in result.stderr.splitlines() if not line.startswith(("note: ", "warning: "))]
        assert len(errors) == 1, result.stderr
        assert errors[0].startswith("error: ")
        assert errors[0].isprintable()
        assert result.stdout == ""
    else:
        assert result.exit_code in (0, 1), result.exit_code


def process(*arguments, **options):
    command = [sys.executable, "-m", "analyser", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, **options)
