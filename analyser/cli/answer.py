"""What every command does with a question: solve it, render the answer, write it, warn."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from analyser.cli.shell import json_text, note, profiles_in, progress_bar, show, warn
from analyser.common.errors import TooLargeError
from analyser.common.files import check_writable
from analyser.morale.systems import SYSTEMS

SECONDS_BEFORE_BAR = 1.0  # shorter work shows no progress bar
NUMBERS = ("trials", "seed", "precision", "threads", "replacement")


def answer(kind: str, source: Any, *, until: tuple[float, str] | None = None) -> None:
    """Answer a question as the options of the command in progress ask for.

    Parameters
    ----------
    kind : str
        ``attack``, ``charge``, ``focus``, ``duel``, or a system of morale rules.
    source : path, mapping or checked question
    until : (float, str), optional
        Of focus fire: how likely which fate is to become.
    """
    options = click.get_current_context().params
    if options["out"] is not None:
        check_writable(Path(options["out"]))
    method, numbers = options["method"], {name: options[name] for name in NUMBERS if options.get(name) is not None}
    if kind not in ("charge", "focus", "duel") and numbers.pop("replacement", False):
        note("--replacement: no effect, every card is drawn from a full deck here")
    elif numbers and method == "exact":
        note(f"{', '.join(f'--{name}' for name in numbers)}: no effect on an exact answer; see --method")
    question, results, refused = _loaded(kind, source, options["profiles"]), [], list[str]()
    if method != "monte-carlo":
        try:
            results.append(_solved(kind, question, "exact"))
        except TooLargeError as error:
            if method == "exact":
                raise
            refused.append(f"no exact answer: {error.problem}")
            note(refused[0])
    if method != "exact":
        with progress_bar("games", after=SECONDS_BEFORE_BAR) as progress:
            results.append(_solved(kind, question, "monte-carlo", progress=progress, **numbers))
        if refused:
            results[-1] = replace(results[-1], warnings=(*results[-1].warnings, *refused))
    show(_rendered(kind, results, options["form"], until, method), options["out"])
    if kind not in SYSTEMS:
        first = results[0] if kind == "attack" else results[0].account
        warn(first.warnings, options["form"], options["out"])


def _loaded(kind: str, source: Any, folder: str | None) -> Any:
    if kind in SYSTEMS:
        return source
    from analyser.scenarios import load

    read = load.load_scenario if kind == "attack" else getattr(load, f"load_{kind}")
    return read(source, profiles_in(folder))


def _solved(kind: str, question: Any, method: str, **numbers: Any) -> Any:
    from analyser import api

    if kind in SYSTEMS:
        from analyser.game.profiles import profiles_used
        from analyser.morale.api import exact, simulate

        used = profiles_used(click.get_current_context().params["profiles"], morale=True)
        found = exact(kind, question) if method == "exact" else simulate(kind, question, **numbers)
        return replace(found, profiles=used)
    if kind == "attack":
        return api.exact(question) if method == "exact" else api.simulate(question, **numbers)
    return getattr(api, kind)(question, method=method, **numbers)


def _rendered(kind: str, results: list[Any], form: str, until: tuple[float, str] | None, method: str) -> str:
    if form == "json":
        answers = [each.as_dict() | _until(each, until) for each in results]
        if method != "both":
            return json_text(answers[0])
        return json_text(
            {"method": "both", "exact": answers[0] if len(answers) > 1 else None, "monte_carlo": answers[-1]}
        )
    if kind in SYSTEMS:
        from analyser.morale import result

        return result.table_text(results) if form == "table" else result.csv_text(results)
    if kind == "attack":
        from analyser.results import attack

        return attack.attack_text(results) if form == "table" else attack.attack_csv(results)
    from analyser.results import rendering

    return rendering.fight_text(results, until) if form == "table" else rendering.fight_csv(results)


def _until(result: Any, until: tuple[float, str] | None) -> dict[str, Any]:
    if until is None:
        return {}
    share, fate = until
    found = result.until(share, fate)
    chance = {name: value for name, value in vars(found.probability).items() if value is not None}
    return {"until": {"share": share, "fate": fate, "attacks": found.attacks, **chance}}
