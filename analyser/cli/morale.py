"""The commands about morale in other games: ``morale legion`` and its like, built from the systems' questions."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from analyser.cli.answer import answer
from analyser.cli.options import ANSWER_OPTIONS, RULESET_OPTIONS, KeyOption, Keys, complete_file, given_keys, plain_type
from analyser.cli.shell import Command, Commands, note, profiles_in
from analyser.common.errors import InputError, shown
from analyser.common.files import path_of, read_toml
from analyser.morale.systems import SYSTEMS

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from analyser.common.validation import Record


_ANSWER_OPTIONS = [each for each in ANSWER_OPTIONS if each not in RULESET_OPTIONS]  # their rules print their dice


def system_command(name: str) -> click.Command:
    """The command that answers questions to one system."""
    text = f"{SYSTEMS[name].title}: from options, or a scenario file, or both."

    @click.command(name, cls=Command, params=[*_options(name), *_ANSWER_OPTIONS], help=text)
    @click.argument("scenario", metavar="[SCENARIO.toml]", required=False, shell_complete=complete_file)
    def command(scenario: str | None, **_: Any) -> None:
        answer_morale(name, scenario)

    return command


morale = Commands(
    "morale",
    sections={"Commands": {name: system.title for name, system in SYSTEMS.items()}},
    load=system_command,
    help="What becomes of a unit's morale under the rules of other games.",
)


def _options(name: str) -> list[KeyOption]:
    """An option for each key of a system's question; two, yes and no, where it is one or the other."""
    from analyser.game.profiles import MORALE_RULESETS

    options, system = [], SYSTEMS[name]
    for path, field in _keys(system.question):
        group, text = path[0].replace("_", " ").capitalize() if path[1:] else "Question", field.description
        if not text:  # a value of the ruleset: where the shipped one stands
            file = posixpath.join(MORALE_RULESETS, system.other_rulesets.get(path[1], system.ruleset))
            text = f"Instead of the value in {posixpath.normpath(file)}."
        options.append(KeyOption("-".join(path), path, field, group, text, either=True))
    return options


def _keys(model: type[Record]) -> Iterator[tuple[Keys, FieldInfo]]:
    """The keys of a question, by section, those of its ruleset last; a table that is one value is one key."""
    from analyser.common.validation import Record
    from analyser.morale.questions import WHOLE

    for key, field in model.model_fields.items():
        section = plain_type(field.annotation)
        if key not in WHOLE and isinstance(section, type) and issubclass(section, Record):
            yield from (((key, *path), inner) for path, inner in _keys(section))
        else:
            yield (key,), field


def answer_morale(name: str, scenario: str | None) -> None:
    """Answer a question to a system: that of the file, the options put over it."""
    from analyser.morale.api import load_question
    from analyser.scenarios.load import empty_sections

    raw = {} if scenario is None else read_toml(path_of(scenario, "scenario"))
    for option, value in given_keys():
        section = raw
        for key in option.path[:-1]:
            section = section.setdefault(key, {})
            if not isinstance(section, dict):
                raise InputError(f"{shown(section)} is not usable", where=f"{scenario}: {key}", allowed="a table")
        section[option.path[-1]] = value
    for empty in empty_sections(raw):
        note(empty)
    try:
        load_question(name, raw, profiles_in(click.get_current_context().params["profiles"]))
    except InputError as error:
        if scenario is not None:
            raise error.inside(scenario) from None
        keys = (path for path, _ in _keys(SYSTEMS[name].question))
        options = {f"question: {'.'.join(path)}": f"--{'-'.join(path)}".replace("_", "-") for path in keys}
        error.where = options.get(error.where, error.where)
        raise
    answer(name, raw)
