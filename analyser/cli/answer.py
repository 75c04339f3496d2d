"""What every command does with a question: solve it, render the answer, write it, warn."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from analyser.cli.shell import note, profiles_in, progress_bar
from analyser.common.errors import InputError, TooLargeError
from analyser.common.files import check_writable, write_content, write_whole
from analyser.morale.systems import SYSTEMS

if TYPE_CHECKING:
    from analyser.results.rendering import Shown

SECONDS_BEFORE_BAR = 1.0  # shorter work shows no progress bar
NUMBERS = ("trials", "seed", "precision", "threads", "replacement")
PICTURES = (".png", ".svg", ".pdf")
DOTS_AN_INCH = 150


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
    check_places()
    options = click.get_current_context().params
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
            rules = results[-1].rules
            results[-1] = replace(results[-1], rules=replace(rules, warnings=(*rules.warnings, *refused)))
    if until is not None:
        results = [replace(each, wanted=until) for each in results]
    write(_shown(results, method), warnings=results[0].warnings, plot=lambda: _plot(kind, results[0]))


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


def _shown(results: list[Any], method: str) -> Shown:
    from analyser.results import rendering

    found = rendering.shown(results)
    if method == "both" and len(results) == 1:
        record = {"method": "both", "exact": None, "monte_carlo": results[0].as_dict()}
        found = found._replace(record=lambda: record)
    return found


def _plot(kind: str, result: Any) -> Any:
    if kind in SYSTEMS:
        return result.plot()
    from analyser import plots

    if kind == "duel":
        return plots.survival(result)
    figure = "target_models_destroyed" if kind == "charge" else "models_destroyed"
    return plots.probability_bars(result.pmf(figure).rename(columns={"value": "models_destroyed"}))


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
            problem = f"{path.suffix or 'no ending'!r} is no kind of picture"
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
