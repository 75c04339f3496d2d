"""Options for every key of a question and every value of a ruleset."""

import json
from types import NoneType, UnionType
from typing import Literal, Union, get_args, get_origin

import pytest
from click.testing import CliRunner

from analyser.cli import cli
from analyser.cli.morale import _keys, system_command
from analyser.cli.options import KeyOption, plain_type
from analyser.morale.systems import SYSTEMS


def answer(*arguments):
    result = CliRunner().invoke(cli, ["morale", *arguments, "--format", "json"])
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_a_flag_overrides_the_file(tmp_path):
    path = tmp_path / "question.toml"
    units = "units = [{rout = 0.0, state = 'routed'}, {rout = 0.0}, {rout = 0.0}]"
    for stated, option, expected in (("true", "--no-division-rally", False), ("false", "--division-rally", True)):
        path.write_text(f"[division]\nrally = {stated}\n{units}\n", encoding="utf-8")
        assert answer("grande-tactique", str(path))["question"]["division"]["rally"] is not expected
        assert answer("grande-tactique", str(path), option)["question"]["division"]["rally"] is expected


@pytest.mark.parametrize(
    ("arguments", "key", "value"),
    [
        (("grande-tactique", "--check-arm", "infantry", "--no-ruleset-fire-shakes"), "fire_shakes", False),
        (("warmaster", "--dice", "1", "--ruleset-tests-for-chain", "all"), "tests_for_chain", "all"),
        (("compare", "--models", "3", "--losses", "1", "--ruleset-courage-steps", "[0.4]"), "courage_steps", [0.4]),
    ],
)
def test_a_value_of_the_ruleset_is_an_option(arguments, key, value):
    assert answer(*arguments)["question"]["ruleset"][key] == value


def file_forms(kind):
    """Sample values that a file may state for a key of this type."""
    if kind is bool:
        return [True, False]
    if get_origin(kind) is Literal:
        return [*get_args(kind)]
    if get_origin(kind) in (Union, UnionType):
        return [form for part in get_args(kind) if part is not NoneType for form in file_forms(plain_type(part))]
    return {int: [2], float: [0.25, 1], str: ["seven", "two words", "7"]}.get(
        kind, [2, {"0": 0.5, "2": 0.5}, [0, 0.5], ["a"]]
    )


def in_toml(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {in_toml(item)}" for key, item in value.items()) + "}"
    return json.dumps(value)


OPTIONS = [
    (system, option) for system in SYSTEMS for option in system_command(system).params if isinstance(option, KeyOption)
]


@pytest.mark.parametrize(("system", "option"), OPTIONS, ids=[f"{system}{option.opts[0]}" for system, option in OPTIONS])
def test_an_option_takes_the_same_values_as_a_file(system, option):
    field = dict(_keys(SYSTEMS[system].question))[option.path]
    for value in file_forms(plain_type(field.annotation)):
        if isinstance(value, bool):
            words = [option.opts[0] if value else option.secondary_opts[0]]
        else:
            words = [option.opts[0], value if isinstance(value, str) else in_toml(value)]
        given = system_command(system).make_context(system, words).params[option.name]
        assert (given, type(given)) == (value, type(value))
