"""The commands about morale in other games: ``morale legion`` and its like, built from the systems' questions."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from types import UnionType
from typing import TYPE_CHECKING, Any, get_args, get_origin

import click

from analyser.cli.answer import answer
from analyser.cli.options import ANSWER_OPTIONS, FILE, KeyOption, given_keys
from analyser.cli.shell import Command, Commands, note
from analyser.common.errors import InputError, shown
from analyser.common.files import path_of, read_toml
from analyser.morale.systems import SYSTEMS

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from analyser.common.validation import Record


def system_command(name: str) -> click.Command:
    """The command that answers questions to one system."""
    told = f"{SYSTEMS[name].title}: from options, or a scenario file, or both."

    @click.command(name, cls=Command, params=[*_options(name), *ANSWER_OPTIONS], help=told)
    @click.argument("scenario", metavar="[SCENARIO.toml]", required=False, type=FILE)
    def command(scenario: str | None, **_: Any) -> None:
        answer_morale(name, scenario)

    return command


_TITLES = {name: system.title for name, system in SYSTEMS.items()}
_TOLD = "What becomes of a unit's morale under the rules of other games."
morale = Commands("morale", sections={"Commands": _TITLES}, load=system_command, help=_TOLD)


def _keys(model: type[Record]) -> Iterator[tuple[tuple[str, ...], FieldInfo]]:
    """The keys of a question, by section, those of its ruleset last; a table that is one value is one key."""
    from analyser.morale.questions import WHOLE

    for key, field in model.model_fields.items():
        section = None if key in WHOLE else _section(field)
        if section is not None:
            yield from (((key, *path), inner) for path, inner in _keys(section))
        else:
            yield (key,), field


def _section(field: FieldInfo) -> type[Record] | None:
    """The record that a key holds, if it is a section."""
    from analyser.common.validation import Record

    one = field.annotation if isinstance(field.annotation, type) else None
    found = (one,) if one else get_args(field.annotation) if get_origin(field.annotation) is UnionType else ()
    return next((each for each in found if isinstance(each, type) and issubclass(each, Record)), None)


def _options(name: str) -> list[KeyOption]:
    """An option for each key of a system's question; two, yes and no, where it is one or the other."""
    found = []
    for path, field in _keys(SYSTEMS[name].question):
        told = _of_ruleset(name, path) if path[0] == "ruleset" and not field.description else None
        group = (
            "Ruleset" if path[0] == "ruleset" else path[0].replace("_", " ").capitalize() if path[1:] else "Question"
        )
        found.append(KeyOption(path, field, group, name="-".join(path), told=told, either=True))
    return found


def _of_ruleset(name: str, path: tuple[str, ...]) -> str:
    """What is told of a value of the ruleset that has no description: where the shipped one stands, and its reason."""
    from analyser.game.profiles import MORALE_RULESETS

    file = SYSTEMS[name].other_rulesets.get(path[1], SYSTEMS[name].ruleset)
    return f"Instead of the value in {posixpath.normpath(posixpath.join(MORALE_RULESETS, file))}."


def answer_morale(name: str, scenario: str | None) -> None:
    """Answer a question to a system: that of the file, the options put over it."""
    from analyser.morale.api import load_question
    from analyser.scenarios.reading import empty_sections

    raw = {} if scenario is None else read_toml(path_of(scenario, "scenario"))
    for option, value in given_keys():
        section = raw
        for key in option.path[:-1]:
            section = section.setdefault(key, {})
            if not isinstance(section, dict):
                raise InputError(f"{shown(section)} is not usable", where=f"{scenario}: {key}", allowed="a table")
        section[option.path[-1]] = value
    for said in empty_sections(raw):
        note(said)
    try:
        load_question(name, raw, click.get_current_context().params["profiles"])
    except InputError as error:
        raise error if scenario is None else error.inside(scenario) from None
    answer(name, raw)
