"""Command that answers scenario files."""

from __future__ import annotations

import sys
from typing import Any

import click

from analyser.cli.answer import answer, collect_answers
from analyser.cli.battle import run_battle
from analyser.cli.command_base import command
from analyser.cli.messages import note
from analyser.cli.morale import answer_morale
from analyser.cli.options import FULL, METHODS, PAGE_EXTENSION, REPLACEMENT, is_page, method, output
from analyser.common.errors import InputError
from analyser.common.files import parsed_toml

STANDARD_INPUT = "-"


@command(
    "SCENARIO.toml...",
    *method("Monte Carlo: number of trials.", METHODS),
    *(*output(PAGE_EXTENSION), REPLACEMENT, FULL),
    examples=("fight.toml --method both", "fights/*.toml --format csv --out fights.csv"),
)
def run(scenario: tuple[str, ...], **method: Any) -> None:
    """Answer each scenario file: an attack, a charge, focus fire, a duel, a battle, or a question of morale.

    A dash reads standard input. --out FILE.html writes a battle as a page. Several files give one answer: in JSON a
    list, in CSV one table. If a file has an error, the others are still answered, and the exit status is 2.
    """
    if len(scenario) == 1:
        _run(scenario[0], method)
        return
    plot = click.get_current_context().params["plot"]
    if plot is not None or is_page():
        where = "--out" if plot is None else "--plot"
        raise InputError("only a single file can have a picture or a page", where=where, allowed="one file")
    errors = []
    with collect_answers() as add_name:
        for file in scenario:
            try:
                _run(file, method)
                add_name(file)
            except InputError as error:
                errors.append(error.inside("" if str(file) in str(error) else file))
                note(str(errors[-1]), "warning")
    if errors:
        raise InputError(f"{len(errors)} of {len(scenario)} files have no answer")


def _run(file: str, method: dict[str, Any]) -> None:
    """Answer the question in a file, or from standard input."""
    from analyser.morale.systems import system_of
    from analyser.scenarios.load import kind_of, read_scenario

    source: Any = parsed_toml(sys.stdin.read(), "standard input") if file == STANDARD_INPUT else file
    raw = read_scenario(source)[0]
    system = system_of(raw)
    kind = "" if system is not None else kind_of(raw)
    params = click.get_current_context().params
    if kind == "battle":
        run_battle(source, **method)
        return
    if params["form"] == "text" and is_page():
        raise InputError("only a battle has a page", where=params["out"], allowed=".txt, .md, .json, .csv, .parquet")
    if params["full"]:
        raise InputError("only a battle needs it; other texts are always full", where="--full", allowed="no --full")
    if system is not None:
        answer_morale(system, source, **method)
    else:
        answer(kind, source, **method)
