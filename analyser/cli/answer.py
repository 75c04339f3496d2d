"""What every command does with a question: solve it, render the answer, write it, warn."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from analyser.cli.shell import note, profiles_in, progress_bar, show, warn
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
    if until is not None:
        results = [replace(each, wanted=until) for each in results]
    show(_rendered(kind, results, options["form"], method), options["out"])
    if kind not in SYSTEMS:
        warn(results[0].warnings, options["form"], options["out"])


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


def _rendered(kind: str, results: list[Any], form: str, method: str) -> str:
    from analyser.morale import result as morale
    from analyser.results import rendering

    if form == "json" and len(results) == 1 and method == "both":
        return rendering.json_text({"method": "both", "exact": None, "monte_carlo": results[0].as_dict()})
    if kind in SYSTEMS and form != "json":
        return morale.table_text(results) if form == "table" else morale.csv_text(results)
    return {"table": rendering.text, "csv": rendering.csv, "json": rendering.json}[form](results)
