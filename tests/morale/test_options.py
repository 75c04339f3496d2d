"""Every key of a question is an option, with a `--no-` form where it is yes or no; so is every value of the ruleset."""

import json
from types import NoneType, UnionType
from typing import Literal, Union, get_args, get_origin

import pytest
from click.testing import CliRunner

from analyser.cli import cli
from analyser.cli.morale import _keys, system_command
from analyser.cli.options import KeyOption, plain_type
from analyser.morale.systems import SYSTEMS

DIVISION = ("grande-tactique", "--division-units", "[{rout = 0, state = 'routed'}, {rout = 0}, {rout = 0}]")


def answer(*arguments):
    found = CliRunner().invoke(cli, ["morale", *arguments, "--format", "json"])
    assert found.exit_code == 0, found.stderr
    return json.loads(found.stdout)


def p_routed(*options):
    return answer(*DIVISION, "--division-turns", "1", *options)["tables"]["units"][0]["p_routed"]


def test_rallying_can_be_switched_off():
    """GT-6: a routed unit is rallied with 2 PIPs of a die, unless nobody rallies."""
    assert p_routed() == pytest.approx(1 / 6)
    assert p_routed("--division-rally") == pytest.approx(1 / 6)
    assert p_routed("--no-division-rally") == pytest.approx(1)


def test_an_option_overrides_the_file_either_way(tmp_path):
    path = tmp_path / "question.toml"
    units = "units = [{rout = 0.0, state = 'routed'}, {rout = 0.0}, {rout = 0.0}]"
    for stated, option, expected in (("true", "--no-division-rally", False), ("false", "--division-rally", True)):
        path.write_text(f"[division]\nrally = {stated}\n{units}\n", encoding="utf-8")
        assert answer("grande-tactique", str(path))["question"]["division"]["rally"] is not expected
        assert answer("grande-tactique", str(path), option)["question"]["division"]["rally"] is expected


@pytest.mark.parametrize(
    ("arguments", "key", "value"),
    [
        (("grande-tactique", "--check-arm", "infantry", "--ruleset-check-target", "5"), "check_target", 5),
        (("grande-tactique", "--check-arm", "infantry", "--no-ruleset-fire-shakes"), "fire_shakes", False),
        (("legion", "--courage", "1", "--ruleset-rally-successes", "3"), "rally_successes", 3),
        (("warmaster", "--dice", "1", "--ruleset-touching-is-into"), "touching_is_into", True),
        (("warmaster", "--dice", "1", "--ruleset-tests-for-chain", "all"), "tests_for_chain", "all"),
        (("mordheim", "--warband-leader", "8", "--ruleset-turns", "3"), "turns", 3),
        (("compare", "--models", "3", "--losses", "1", "--ruleset-courage-steps", "[0.4]"), "courage_steps", [0.4]),
    ],
)
def test_a_value_of_the_ruleset_is_an_option(arguments, key, value):
    assert answer(*arguments)["question"]["ruleset"][key] == value


def test_rulesets_inside_a_ruleset_have_options_too():
    ruleset = answer(
        "compare",
        "--models",
        "3",
        "--losses",
        "1",
        "--ruleset-legion-rally-successes",
        "1",
        "--ruleset-armoured-clash-deck",
        "{1 = 1, 12 = 1}",
    )["question"]["ruleset"]
    assert ruleset["legion"]["rally_successes"] == 1
    assert ruleset["armoured_clash"]["deck"] == {"1": 1, "12": 1}


def test_a_file_s_ruleset_is_kept_beside_an_option(tmp_path):
    path = tmp_path / "question.toml"
    path.write_text("[check]\n[ruleset]\ncheck_sides = 10\n", encoding="utf-8")
    ruleset = answer("grande-tactique", str(path), "--ruleset-check-target", "6")["question"]["ruleset"]
    assert (ruleset["check_sides"], ruleset["check_target"]) == (10, 6)


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_yes_or_no_has_a_no_form(system):
    flags = [option for option in system_command(system).params if getattr(option, "is_flag", False)]
    own = [option for option in flags if option.default is None]
    assert all(option.secondary_opts == [f"--no-{option.opts[0][2:]}"] for option in own)
    assert system in ("legion", "compare") or own


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_option_says_what_it_is(system):
    from_keys = [
        option for option in system_command(system).params if option.name not in ("scenario", "method", "form")
    ]
    assert [option.name for option in from_keys if not option.help] == []


def file_forms(kind):
    """What a file may say of a key of that type: numbers, words, lists and tables, as TOML has them."""
    if kind is bool:
        return [True, False]
    if get_origin(kind) is Literal:
        return [*get_args(kind)]
    if get_origin(kind) in (Union, UnionType):
        return [form for each in get_args(kind) if each is not NoneType for form in file_forms(plain_type(each))]
    return {int: [2], float: [0.25, 1], str: ["seven", "two words", "7"]}.get(
        kind, [2, {"0": 0.5, "2": 0.5}, [0, 0.5], ["a"]]
    )


def in_toml(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {in_toml(each)}" for key, each in value.items()) + "}"
    return json.dumps(value)


OPTIONS = [
    (system, option) for system in SYSTEMS for option in system_command(system).params if isinstance(option, KeyOption)
]


@pytest.mark.parametrize(("system", "option"), OPTIONS, ids=[f"{system}{option.opts[0]}" for system, option in OPTIONS])
def test_what_a_file_may_say_an_option_may(system, option):
    """Every key of every question, by what its type allows."""
    field = dict(_keys(SYSTEMS[system].question))[option.path]
    for value in file_forms(plain_type(field.annotation)):
        if isinstance(value, bool):
            words = [option.opts[0] if value else option.secondary_opts[0]]
        else:
            words = [option.opts[0], value if isinstance(value, str) else in_toml(value)]
        given = system_command(system).make_context(system, words).params[option.name]
        assert (given, type(given)) == (value, type(value))


@pytest.mark.parametrize(("falls", "expected"), [("2", 2), ("first", "first"), ("never", "never")])
def test_when_the_leader_falls_is_a_turn_or_a_word(falls, expected):
    """MD-1: before the test of a turn."""
    warband = ("--warband-leader", "8", "--warband-others", "[{leadership = 7, number = 3}]")
    given = answer("mordheim", *warband, "--warband-leader-falls", falls)
    assert given["question"]["warband"]["leader_falls"] == expected
