"""The commands that answer what one ranged attack does: ``attack`` and ``run``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from analyser.cli.fights import answer_fight
from analyser.cli.morale import answer_morale
from analyser.cli.options import scenario_from, with_conditions
from analyser.cli.shell import (
    REPLACEMENT,
    SECONDS_BEFORE_BAR,
    Command,
    json_text,
    note_no_effect,
    profiles_in,
    progress_bar,
    show,
    warn,
    with_answer_options,
)
from analyser.common.files import check_writable

if TYPE_CHECKING:
    from analyser.results.attack import Result


@click.command(cls=Command)
@click.argument("attacker")
@click.argument("target")
@with_conditions
@with_answer_options
def attack(attacker: str, target: str, profiles: str | None, **options: Any) -> None:
    """The odds of ATTACKER's ranged attack on TARGET, both selectors such as crown/rifle-platoon@reinforced.

    After a colon may stand what else is true, as after those of focus and charge: crown/rifle-platoon@basic:aiming
    (the keys of [attack]), scion-grenadier-p@basic:garrisoned,models=4 (those of [target]).
    """
    _answer(scenario_from(attacker, target, options), profiles, **_answer_options(options))


@click.command(cls=Command)
@click.argument("scenario", metavar="SCENARIO.toml")
@REPLACEMENT
@with_answer_options
def run(scenario: str, profiles: str | None, replacement: bool | None, **options: Any) -> None:
    """The odds of the attack, charge, focus fire or duel that a scenario file describes, or its answer on morale."""
    from analyser.morale.systems import system_of
    from analyser.scenarios.reading import kind_of, read_scenario

    raw = read_scenario(scenario)[0]
    kind, system = kind_of(raw), system_of(raw)
    if replacement and (system is not None or kind == "attack"):
        click.echo("note: --replacement: no effect, every card is drawn from a full deck here", err=True)
    if system is not None:
        answer_morale(system, scenario, {**options, "profiles": profiles, "plot": None})
    elif kind == "attack":
        _answer(scenario, profiles, **_answer_options(options))
    else:
        answer_fight(kind, scenario, profiles, replacement=replacement, **_answer_options(options))


def _answer_options(options: dict[str, Any]) -> dict[str, Any]:
    return {name: options[name] for name in ("method", "trials", "seed", "precision", "threads", "form", "out")}


def _answer(
    source: str | dict[str, Any], folder: str | None, *, method: str, form: str, out: str | None, **numbers: Any
) -> None:
    """Compute and show what an attack does."""
    from analyser.scenarios.load import load_scenario

    if out is not None:
        check_writable(Path(out))
    arguments = {name: number for name, number in numbers.items() if number is not None}
    note_no_effect(arguments, method)
    scenario = load_scenario(source, profiles_in(folder))
    show(_text(_computed(scenario, method, arguments), form), out)
    warn(scenario.warnings, form, out)


def _computed(scenario: Any, method: str, arguments: dict[str, Any]) -> list[Result]:
    from analyser.api import exact

    results = [] if method == "monte-carlo" else [exact(scenario)]
    if method != "exact":
        from analyser.api import simulate

        with progress_bar("attacks", after=SECONDS_BEFORE_BAR) as progress:
            results.append(simulate(scenario, progress=progress, **arguments))
    return results


def _text(results: list[Result], form: str) -> str:
    from analyser.results.attack import attack_csv, attack_text

    if form == "table":
        return attack_text(results)
    if form == "csv":
        return attack_csv(results)
    if len(results) == 1:
        return json_text(results[0].as_dict())
    exact, sampled = (result.as_dict() for result in results)
    return json_text({"method": "both", "exact": exact, "monte_carlo": sampled})
