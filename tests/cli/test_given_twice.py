"""An option for one value that is given twice: refused by every command, none of the values dropped in silence."""

import click
import pytest

from analyser import cli
from analyser.cli.command_base import Command
from tests.helpers.shell import commands, refusal

COMMANDS = list(commands().items())


def test_every_command_looks_at_what_is_given():
    named = [name for section in cli.COMMANDS.values() for name in section]
    assert {words[0] for words, _ in COMMANDS} == {*named}
    assert {words for words, _ in COMMANDS} >= {(a, b) for a, parts in cli.SUBCOMMANDS.items() for b in parts}
    assert all(isinstance(command, Command) for _, command in COMMANDS)


@pytest.mark.parametrize(("words", "command"), COMMANDS, ids=[" ".join(words) for words, _ in COMMANDS])
def test_an_option_for_one_value_is_refused_twice(words, command):
    for option in command.params:
        if not isinstance(option, click.Option) or option.is_flag or option.multiple:
            continue
        values = ["1"] * option.nargs
        line = refusal(*words, option.opts[0], *values, option.opts[0], *values)
        name = "' or '".join((*option.opts, *option.secondary_opts))
        wanted = f"option '{name}' is given 2 times: it takes one value"
        assert line == f"error: {wanted} (see analyser {' '.join(words)} --help)\n"


def test_what_may_be_given_twice_has_a_meaning():
    several = {}
    for words, command in COMMANDS:
        options = (option for option in command.params if isinstance(option, click.Option) and option.multiple)
        several[" ".join(words)] = {option.opts[0] for option in options}
    some = {"army build": {"--against", "--must", "--ban"}, "compare loadouts": {"--target", "--metric", "--over"}}
    some |= {"charge": {"--secondary"}, "explain luck": {"--got"}}
    assert {name: options for name, options in several.items() if options} == some


@pytest.mark.parametrize(
    ("attacker", "target", "options", "where"),
    [
        ("crown/rifle-p@basic:distance=6", "scion-grenadier-p@basic", ["--distance", 12], "attack.distance"),
        ("crown/rifle-p@basic:row=melee", "scion-grenadier-p@basic", ["--row", "ranged-light"], "attack.row"),
        ("crown/rifle-p@basic", "scion-grenadier-p@basic:models=3", ["--models", 4], "target.models"),
    ],
)
def test_a_key_after_the_colon_and_an_option_that_say_different_things_are_refused(attacker, target, options, where):
    line = refusal("attack", attacker, target, *options)
    assert line.startswith(f"error: {where}: ")
    assert " after the colon, " in line


def test_yes_and_no_at_once_is_refused():
    line = refusal("morale", "grande-tactique", "--division-rally", "--no-division-rally")
    assert "'--division-rally' or '--no-division-rally' is given 2 times" in line
