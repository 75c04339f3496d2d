"""Command that answers scenario files."""

from __future__ import annotations

import sys
from typing import Any

import click

from analyser.cli import options
from analyser.cli.answer import answer, collect_answers
from analyser.cli.battle import run_battle
from analyser.cli.command_base import command, note
from analyser.cli.morale import answer_morale
from analyser.cli.options import FIGHT_OPTIONS, PAGE_EXTENSION, OutOption, is_page
from analyser.common.errors import InputError
from analyser.common.files import parsed_toml

STANDARD_INPUT = "-"
_OPTIONS = [OutOption(PAGE_EXTENSION) if option is options.OUT else option for option in FIGHT_OPTIONS]


@command(*_OPTIONS, examples=("fight.toml --method both", "fights/*.toml --format csv --out fights.csv"))
@click.argument("scenarios", nargs=-1, required=True, metavar="SCENARIO.toml...", shell_complete=options.complete_file)
def run(scenarios: tuple[str, ...], plot: str | None, out: str | None, **_: Any) -> None:
    """Answer each scenario file: an attack, a charge, focus fire, a duel, a battle, or a question of morale.

    A dash reads standard input. --out FILE.html writes a battle as a page. Several files give one answer: in JSON a
    list, in CSV one table. If a file has an error, the others are still answered, and the exit status is 2.
    """
    if len(scenarios) == 1:
        _run(scenarios[0])
        return
    if plot is not None or is_page(out):
        where = "--out" if plot is None else "--plot"
        raise InputError("only a single file can have a picture or a page", where=where, allowed="one file")
    errors = []
    with collect_answers() as add_name:
        for scenario in scenarios:
            try:
                _run(scenario)
                add_name(scenario)
            except InputError as error:
                errors.append(error.inside("" if str(scenario) in str(error) else scenario))
                note(str(errors[-1]), "warning")
    if errors:
        raise InputError(f"{len(errors)} of {len(scenarios)} files have no answer")


def _run(scenario: str) -> None:
    """Answer the question in a file, or from standard input."""
    from analyser.morale.systems import system_of
    from analyser.scenarios.load import kind_of, read_scenario

    source: Any = parsed_toml(sys.stdin.read(), "standard input") if scenario == STANDARD_INPUT else scenario
    raw = read_scenario(source)[0]
    system = system_of(raw)
    kind = "" if system is not None else kind_of(raw)
    params = click.get_current_context().params
    if kind != "battle" and params["form"] == "text" and is_page(params["out"]):
        raise InputError("only a battle has a page", where=params["out"], allowed=".txt, .md, .json, .csv, .parquet")
    if system is not None:
        answer_morale(system, source)
    elif kind == "battle":
        run_battle(source)
    else:
        answer(kind, source)
