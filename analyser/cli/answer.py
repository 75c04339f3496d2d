"""Common steps of commands: answer the question, print or write the answer, and print warnings."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from analyser.cli.command_base import note, profiles_in, progress_bar, stated_options
from analyser.cli.options import is_page
from analyser.common.errors import InputError, TooLargeError, shown
from analyser.common.files import write_all

if TYPE_CHECKING:  # a slow import
    from analyser.common.jit import Kernel

T = TypeVar("T")
LONGER_FIGHTS = ("charge", "focus", "duel")
SAMPLING_OPTIONS = ("trials", "seed", "precision", "threads", "replacement")
DOTS_PER_INCH = 150
SEVERAL_ANSWERS = "analyser.several_answers"  # key of `meta` in the context of click: the answers collected so far
_MOST_DATE_DIGITS = 11  # digits of a date in seconds since 1970; enough up to the year 5138


def answer(kind: str, source: Any, *, until: tuple[float, str] | None = None) -> None:
    """Answer a question (a file or a mapping) with the options of the running command.

    `kind` is ``attack``, ``charge``, ``focus``, ``duel``, or a system of morale rules. With `until`, such as
    ``(0.8, "broken")``, focus fire reports the number of attacks after which the fate has this probability.
    """
    from analyser.api import exact, simulate
    from analyser.results import rendering

    options = click.get_current_context().params
    method = options["method"]
    numbers = stated_options(options, *SAMPLING_OPTIONS)
    if kind not in LONGER_FIGHTS and numbers.pop("replacement", False):
        note("--replacement: no effect, because every card is drawn from a full deck")
    note_without_effect(numbers)
    library = profiles_in(options["profiles"])
    if kind in LONGER_FIGHTS and method != "exact":
        from analyser.engine.fight.simulated.simulation import play_trials

        note_compiling(play_trials, "simulation, in some seconds")
    results, missing = list[Any](), ""
    if method != "monte-carlo":
        try:
            results.append(exact(source, profiles=library, kind=kind))
        except TooLargeError as error:
            if method == "exact":
                raise
            missing = f"no exact answer: {error.problem}"
            note(missing)
    if method != "exact":
        with progress_bar("games", delay=1.0) as progress:
            results.append(simulate(source, profiles=library, kind=kind, progress=progress, **numbers))
    if missing:
        rules = results[0].rules
        results = [replace(results[0], rules=replace(rules, warnings=(*rules.warnings, missing)))]
    if until is not None:
        results = [replace(result, wanted=until) for result in results]

    def record() -> dict[str, Any]:
        if not missing:
            return rendering.record(results)
        return {"schema": rendering.BOTH_METHODS, "method": method, "exact": None, "monte_carlo": results[0].as_dict()}

    extra: dict[str, Any] = {"warnings": results[0].warnings, "plot": results[0].plot}
    write(lambda: rendering.text(results), record, lambda: rendering.rows(results), **extra)


def note_compiling(kernel: Kernel[Any, Any], occasion: str) -> None:
    """On a terminal, print a note if `kernel` must be compiled first; `occasion` names what needs it."""
    if sys.stderr.isatty() and not kernel.is_cached():
        note(f"kernels are compiled once, before the first {occasion} (analyser warm-up does it beforehand)")


def note_without_effect(numbers: Iterable[str] | None = None) -> None:
    """Print a note about stated options that have no effect on an exact answer.

    `numbers` are names of stated options, by default those of :data:`SAMPLING_OPTIONS`.
    """
    options = click.get_current_context().params
    without_effect = [*(stated_options(options, *SAMPLING_OPTIONS) if numbers is None else numbers)]
    if without_effect and options["method"] == "exact":
        names = ", ".join(f"--{name.replace('_', '-')}" for name in without_effect)
        note(f"{names}: no effect on an exact answer; see --method")


def with_progress(function: Callable[..., T], *arguments: Any, noun: str = "", delay: float = 1.0, **more: Any) -> T:
    """Call a function of the package with the profiles of the running command and a progress bar.

    For `noun` and `delay` see :func:`analyser.cli.command_base.progress_bar`.
    """
    library = profiles_in(click.get_current_context().params["profiles"])
    with progress_bar(noun, delay=delay) as progress:
        return function(*arguments, profiles=library, progress=progress, **more)


def show(result: Any, rows: Callable[[], Sequence[Mapping[str, Any]]] | None = None, **more: Any) -> None:
    """Write an answer, with its own rows or with `rows`; `more` are arguments of :func:`write`."""
    write(lambda: str(result), result.as_dict, rows or result.rows_with_profiles, **more)


def text_or_page(result: Any, page: str) -> str:
    """Return an answer as text, or as HTML by the function `page` of `answer_pages` if ``--out`` is an HTML file."""
    if not is_page(click.get_current_context().params["out"]):
        return str(result)
    text: str = getattr(importlib.import_module("analyser.report.answer_pages"), page)(result)
    return text


def with_profiles(result: Any, rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows of an answer, with a last column that names the profiles of the answer."""
    return [{**row, "profiles": str(result.profiles)} for row in rows]


def write(
    text: Callable[[], str],
    record: Callable[[], Any],
    rows: Callable[[], Sequence[Mapping[str, Any]]],
    *,
    warnings: Iterable[str] = (),
    plot: Callable[[], Any] | None = None,
    headline: Callable[[], Iterable[str]] | None = None,
    other_files: Mapping[Path, Callable[[Path], object]] | None = None,
) -> None:
    """Print an answer, or write it to a file, according to the options of the running command.

    The format decides whether `text`, `record` (plain data) or `rows` (a table) is called. `plot` returns the Figure or
    its Axes for ``--plot``. `other_files` maps further files to functions that write them. All files are written or
    none, before anything is printed. `warnings` go to standard error for a table or a file, the `headline` only for a
    file. Inside :func:`collect_answers` the answer is stored instead.
    """
    from analyser.results.rendering import FORMATS, TABLE_FORMATS, Renderings

    context = click.get_current_context()
    form, out = context.params["form"], context.params.get("out")
    answer_forms = Renderings(text, record, rows)
    if SEVERAL_ANSWERS in context.meta:
        context.meta[SEVERAL_ANSWERS].append(answer_forms)
    else:
        files = dict(other_files or {})
        if plot is not None and context.params.get("plot") is not None:
            files[Path(context.params["plot"])] = _picture_writer(plot())  # errors come before any output
        content = FORMATS[form](answer_forms)
        if out is not None:
            data = content.encode() if isinstance(content, str) else content
            files[Path(out)] = lambda temporary: temporary.write_bytes(data)
        write_all(files)
        if out is None:
            click.echo(content, nl=False)
        elif headline is not None:
            for line in headline():
                note(line, Path(out).name)
    if form in TABLE_FORMATS or out is not None:
        for warning in warnings:
            note(warning, "warning")


@contextmanager
def collect_answers() -> Iterator[Callable[[str], None]]:
    """Collect answers and write them as one at the end; yield a function to call with the name of each question."""
    questions: list[str] = []
    meta = click.get_current_context().meta
    answers = meta[SEVERAL_ANSWERS] = list[Any]()
    yield questions.append
    del meta[SEVERAL_ANSWERS]
    named = [*zip(questions, answers, strict=True)]
    if not named:
        return
    write(
        lambda: "\n".join(f"{name}\n{'=' * len(name)}\n{shown.text()}" for name, shown in named),
        lambda: [{"file": name, **shown.record()} for name, shown in named],
        lambda: [{"file": name, **row} for name, shown in named for row in shown.rows()],
    )


def _picture_writer(plot: Any) -> Callable[[Path], object]:
    """Return a function that writes a plot (a Figure, its Axes, or a tuple of Axes) to a file."""
    from analyser.common.look import house_style

    figure = (plot[0] if isinstance(plot, tuple) else plot).figure
    date = os.environ.get("SOURCE_DATE_EPOCH", "")  # Matplotlib reads the date of a picture from it
    if date and not (date.isascii() and date.isdecimal() and len(date) <= _MOST_DATE_DIGITS):
        raise InputError(f"{shown(date)} is not usable", where="SOURCE_DATE_EPOCH", allowed="seconds since 1970")

    def save(temporary: Path) -> None:
        with house_style():
            figure.savefig(temporary, dpi=DOTS_PER_INCH, bbox_inches="tight", pad_inches=0.12)

    return save
