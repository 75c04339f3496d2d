"""The commands about morale in other games: ``morale legion`` and its like, built from the systems' questions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Any, get_args, get_origin

import click

from analyser.cli.shell import SECONDS_BEFORE_BAR, json_text, note_no_effect, progress_bar, show, with_answer_options
from analyser.errors import InputError, did_you_mean, shown
from analyser.files import check_writable, read_toml, value_typed
from analyser.morale.systems import SYSTEMS, question_model

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from analyser.morale import MoraleResult
    from analyser.validation import Record


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

    command = click.command(name, help=f"{SYSTEMS[name].title}: from options, or a scenario file, or both.")(answer)
    command.short_help = SYSTEMS[name].title
    command.params = [command.params[0], *_options(question_model(SYSTEMS[name])), *command.params[1:]]
    return command


def _keys(model: type[Record]) -> Iterator[tuple[tuple[str, ...], FieldInfo]]:
    """The keys of a question that options can give, by section; the ruleset belongs in files."""
    for key, field in model.model_fields.items():
        section = _section(field)
        if section is not None:
            yield from (((key, *path), inner) for path, inner in _keys(section))
        elif key != "ruleset":
            yield (key,), field


def _section(field: FieldInfo) -> type[Record] | None:
    """The record that a key holds, if it is a section."""
    from analyser.validation import Record

    one = field.annotation if isinstance(field.annotation, type) else None
    found = (one,) if one else get_args(field.annotation) if get_origin(field.annotation) is UnionType else ()
    return next((each for each in found if isinstance(each, type) and issubclass(each, Record)), None)


def _options(model: type[Record]) -> list[click.Option]:
    return [
        click.Option([f"--{'-'.join(path).replace('_', '-')}", "__".join(path)], metavar="VALUE", default=None,
                     is_flag=field.annotation is bool, help=field.description)
        for path, field in _keys(model)
        if "ruleset" not in path
    ]  # fmt: skip


def _question(model: type[Record], scenario: str | None, options: Mapping[str, Any]) -> dict[str, Any]:
    """The raw question: that of the file, options put over it."""
    raw = {} if scenario is None else read_toml(Path(scenario))
    for path, _ in _keys(model):
        given = options.get("__".join(path))
        if given is None or given is False:
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
    from analyser.morale.api import load_question
    from analyser.scenario import empty_sections

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
    results = _computed(name, question, method, numbers)
    show(_text(results, form), out)
    if options["plot"] is not None:
        from analyser.morale.pictures import save_picture

        save_picture(results[0], Path(options["plot"]))


def _computed(name: str, question: Record, method: str, numbers: dict[str, Any]) -> list[MoraleResult]:
    from analyser.morale.api import exact, simulate

    results = [] if method == "monte-carlo" else [exact(name, question)]
    if method != "exact":
        with progress_bar("games", after=SECONDS_BEFORE_BAR) as progress:
            results.append(simulate(name, question, progress=progress, **numbers))
    return results


def _text(results: list[MoraleResult], form: str) -> str:
    from analyser.morale.text import csv_text, table_text

    if form == "table":
        return table_text(results)
    if form == "csv":
        return csv_text(results)
    if len(results) == 1:
        return json_text(results[0].as_dict())
    exact, sampled = (result.as_dict() for result in results)
    return json_text({"method": "both", "exact": exact, "monte_carlo": sampled})
