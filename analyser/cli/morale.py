"""The commands about morale in other games: ``morale legion`` and its like, built from the systems' questions."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Any, get_args, get_origin

import click

from analyser.cli.shell import (
    SECONDS_BEFORE_BAR,
    Command,
    json_text,
    note_no_effect,
    note_other_profiles,
    progress_bar,
    show,
    with_answer_options,
)
from analyser.common.errors import InputError, TooLargeError, did_you_mean, shown
from analyser.common.files import check_writable, read_toml, value_typed
from analyser.morale.systems import SYSTEMS, question_model

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from analyser.common.validation import Record
    from analyser.morale import MoraleResult


class Systems(click.Group):
    """One command a system, made when it is asked for: its options are the keys of its question."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The systems, then the commands about several."""
        return [*SYSTEMS, *super().list_commands(ctx)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a system."""
        return system_command(cmd_name) if cmd_name in SYSTEMS else super().get_command(ctx, cmd_name)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """As click does, with the nearest name in the message."""
        names = self.list_commands(ctx)
        if args and args[0] not in names and not args[0].startswith("-"):
            raise click.UsageError(f"no command {args[0]!r}{did_you_mean(args[0], names)} ({', '.join(names)})", ctx)
        return super().resolve_command(ctx, args)


@click.group(cls=Systems)
def morale() -> None:
    """What becomes of a unit's morale under the rules of other games."""


def system_command(name: str) -> click.Command:
    """The command that answers questions to one system."""

    @click.argument("scenario", metavar="[SCENARIO.toml]", required=False)
    @with_answer_options
    @click.option("--plot", metavar="FILE", help="Also a picture: .png, .svg or .pdf.")
    def answer(scenario: str | None, **options: Any) -> None:
        answer_morale(name, scenario, options)

    told = f"{SYSTEMS[name].title}: from options, or a scenario file, or both."
    command = click.command(name, cls=Command, help=told)(answer)
    command.short_help = SYSTEMS[name].title
    command.params = [command.params[0], *_options(name), *command.params[1:]]
    return command


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


def _options(name: str) -> list[click.Option]:
    """An option for each key of a system's question; two, yes and no, where it is one or the other."""
    found = []
    for path, field in _keys(question_model(SYSTEMS[name])):
        option, yes_or_no = "-".join(path).replace("_", "-"), field.annotation is bool
        told = field.description or (_of_ruleset(name, path) if path[0] == "ruleset" else None)
        names = [f"--{option}/--no-{option}" if yes_or_no else f"--{option}", "__".join(path)]
        found.append(click.Option(names, default=None, metavar=None if yes_or_no else "VALUE", help=told))
    return found


def _of_ruleset(name: str, path: tuple[str, ...]) -> str:
    """What is told of a value of the ruleset that has no description: where the shipped one stands, and its reason."""
    from analyser.morale.questions import RULESETS

    file = dict(SYSTEMS[name].other_rulesets).get(path[1], SYSTEMS[name].ruleset)
    return f"Instead of the value in {posixpath.normpath(posixpath.join(RULESETS, file))}."


def _question(model: type[Record], scenario: str | None, options: Mapping[str, Any]) -> dict[str, Any]:
    """The raw question: that of the file, options put over it."""
    raw = {} if scenario is None else read_toml(Path(scenario))
    for path, _ in _keys(model):
        given = options.get("__".join(path))
        if given is None:
            continue
        section = raw
        for key in path[:-1]:
            section = section.setdefault(key, {})
            if not isinstance(section, dict):
                raise InputError(f"{shown(section)} is not usable", where=f"{scenario}: {key}", allowed="a table")
        section[path[-1]] = value_typed(given, f"--{'-'.join(path)}") if isinstance(given, str) else given
    return raw


def answer_morale(name: str, scenario: str | None, options: dict[str, Any]) -> None:
    """Compute and show what becomes of morale."""
    from analyser.game.profiles import profiles_used
    from analyser.morale.api import load_question
    from analyser.scenarios.schema import empty_sections

    method, form, out = options["method"], options["form"], options["out"]
    if out is not None:
        check_writable(Path(out))
    if options["plot"] is not None:
        from analyser.morale.pictures import check_picture

        check_picture(Path(options["plot"]))
    numbers = {key: options[key] for key in ("trials", "seed", "precision", "threads") if options[key] is not None}
    note_no_effect(numbers, method)
    raw = _question(question_model(SYSTEMS[name]), scenario, options)
    for said in empty_sections(raw):
        click.echo(f"note: {said}", err=True)
    try:
        question = load_question(name, raw, options["profiles"])
    except InputError as error:
        raise error if scenario is None else error.inside(scenario) from None
    note_other_profiles(options["profiles"])
    used = profiles_used(options["profiles"], morale=True)
    results = [replace(each, profiles=used) for each in _computed(name, question, method, numbers)]
    show(_text(results, form, method), out)
    if options["plot"] is not None:
        from analyser.morale.pictures import save_picture

        save_picture(results[0], Path(options["plot"]))


def _computed(name: str, question: Record, method: str, numbers: dict[str, Any]) -> list[MoraleResult]:
    from analyser.morale.api import exact, simulate

    results, refused = [], list[str]()
    if method != "monte-carlo":
        try:
            results.append(exact(name, question))
        except TooLargeError as error:
            if method == "exact":
                raise
            refused.append(f"no exact answer: {error.problem}")
            click.echo(f"note: {refused[0]}", err=True)
    if method != "exact":
        with progress_bar("games", after=SECONDS_BEFORE_BAR) as progress:
            found = simulate(name, question, progress=progress, **numbers)
        results.append(replace(found, warnings=(*found.warnings, *refused)))
    return results


def _text(results: list[MoraleResult], form: str, method: str) -> str:
    from analyser.morale.result import csv_text, table_text

    if form == "table":
        return table_text(results)
    if form == "csv":
        return csv_text(results)
    if method != "both":
        return json_text(results[0].as_dict())
    *exact, sampled = (result.as_dict() for result in results)
    return json_text({"method": "both", "exact": exact[0] if exact else None, "monte_carlo": sampled})
