"""What every command does with a question: solve it, render the answer, write it, warn."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from analyser.cli.shell import given_in, note, note_other_profiles, progress_bar
from analyser.common.errors import InputError, TooLargeError
from analyser.common.files import check_writable, write_content, write_whole

if TYPE_CHECKING:
    from analyser.results.rendering import Shown

SECONDS_BEFORE_BAR = 1.0  # shorter work shows no progress bar
NUMBERS = ("trials", "seed", "precision", "threads", "replacement")
PICTURES = (".png", ".svg", ".pdf")
DOTS_AN_INCH = 150


def answer(kind: str, source: Any, *, until: tuple[float, str] | None = None) -> None:
    """Answer a question, a file or a mapping, as the options of the command in progress ask for.

    Its `kind` is ``attack``, ``charge``, ``focus`` (`until`: how likely which fate is to become), ``duel``, or a system
    of morale rules.
    """
    from analyser.api import exact, simulate
    from analyser.results import rendering

    check_places()
    options = click.get_current_context().params
    method, profiles = options["method"], options["profiles"]
    numbers = given_in({name: options.get(name) for name in NUMBERS})
    if kind not in ("charge", "focus", "duel") and numbers.pop("replacement", False):
        note("--replacement: no effect, every card is drawn from a full deck here")
    elif numbers and method == "exact":
        note(f"{', '.join(f'--{name}' for name in numbers)}: no effect on an exact answer; see --method")
    note_other_profiles(profiles)
    if kind in ("charge", "focus", "duel") and sys.stderr.isatty():
        _tell_of_compiling(method)
    results, missing = list[Any](), list[str]()
    if method != "monte-carlo":
        try:
            results.append(exact(source, profiles=profiles, kind=kind))
        except TooLargeError as error:
            if method == "exact":
                raise
            missing.append(f"no exact answer: {error.problem}")
            note(missing[0])
    if method != "exact":
        with progress_bar("games", after=SECONDS_BEFORE_BAR) as progress:
            results.append(simulate(source, profiles=profiles, kind=kind, progress=progress, **numbers))
    if missing:
        rules = results[0].rules
        results = [replace(results[0], rules=replace(rules, warnings=(*rules.warnings, *missing)))]
    if until is not None:
        results = [replace(each, wanted=until) for each in results]
    shown = rendering.shown(results)
    if missing:
        record = {"method": method, "exact": None, "monte_carlo": results[0].as_dict()}
        shown = shown._replace(record=lambda: record)
    write(shown, warnings=results[0].warnings, plot=results[0].plot)


def _tell_of_compiling(method: str) -> None:
    """On a terminal: why the first answer ever takes so long."""
    from analyser.engine.fight.exact.propagate import run
    from analyser.engine.fight.sampled.transitions import find_transition

    kernels: dict[str, Any] = {"exact": run, "monte-carlo": find_transition}
    if not all(kernel.is_kept() for name, kernel in kernels.items() if method in (name, "both")):
        note("the engine of longer fights is compiled on first use: half a minute, once")


def check_places() -> None:
    """Raise InputError if the command in progress could not write its files: before long work, not after it."""
    options = click.get_current_context().params
    if options.get("out") is not None:
        check_writable(Path(options["out"]))
    elif options.get("form") == "parquet":
        raise InputError("parquet is not for a terminal", where="--format", allowed="with --out FILE")
    if options.get("plot") is not None:
        path = Path(options["plot"])
        if path.suffix.lower() not in PICTURES:
            problem = f"{path.suffix or 'no ending'!r} is not a kind of picture"
            raise InputError(problem, where=str(path), allowed=", ".join(PICTURES))
        check_writable(path)


def write(shown: Shown, *, warnings: Iterable[str] = (), plot: Callable[[], Any] | None = None) -> None:
    """Print an answer, or write it to a file, as the options of the command in progress ask for.

    Parameters
    ----------
    shown : Shown
    warnings : iterable of str
        Said on standard error where the answer has no room for them, or goes to a file.
    plot : callable, optional
        Gives the Figure, or the Axes in it, for ``--plot``.
    """
    from analyser.results.rendering import FORMATS

    options = click.get_current_context().params
    form, out = options["form"], options.get("out")
    found = FORMATS[form](shown)
    if out is None:
        click.echo(found, nl=False)
    else:
        write_content(Path(out), found)
    if plot is not None and options.get("plot") is not None:
        _save(plot(), Path(options["plot"]))
    if form not in ("text", "json") or out is not None:
        for warning in warnings:
            note(warning, "warning")


def _save(drawn: Any, path: Path) -> None:
    """Write a picture, whole or not at all."""
    from analyser.plots.look import house_style

    figure = getattr(drawn[0] if isinstance(drawn, tuple) else drawn, "figure", drawn)
    look = {"dpi": DOTS_AN_INCH, "bbox_inches": "tight", "pad_inches": 0.12}
    with house_style():
        write_whole(path, lambda temporary: figure.savefig(temporary, **look))
