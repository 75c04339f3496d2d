"""Common steps of commands: answer the question, print or write the answer, and print warnings."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

import analyser
from analyser.cli.messages import note, progress_bar
from analyser.cli.options import is_page
from analyser.common.errors import InputError, shown
from analyser.common.files import real_path, write_all

if TYPE_CHECKING:  # slow imports
    from concurrent.futures import Executor

    from analyser.common.jit import Kernel
    from analyser.game.profiles import Profiles

T = TypeVar("T")
LONGER_FIGHTS = ("charge", "focus", "duel")
SAMPLING_OPTIONS = ("trials", "seed", "precision", "threads", "replacement")
DOTS_PER_INCH = 150
SEVERAL_ANSWERS = "analyser.several_answers"  # key in `click.Context.meta` of the answers collected so far
_MOST_DATE_DIGITS = 11  # digits of a date in seconds since 1970; enough up to the year 5138


def answer(
    kind: str, source: Any, *, until: tuple[float, str] | None = None, method: str = "exact", **numbers: Any
) -> None:
    """Answer a question (a file or a mapping) by a method; `numbers` are the simulation settings that the user stated.

    `kind` is ``attack``, ``charge``, ``focus``, ``duel``, or a system of morale rules. With ``until=(0.8, "broken")``,
    focus fire reports the number of attacks after which the target is broken with a probability of 0.8.
    """
    from analyser.results import rendering

    if kind not in LONGER_FIGHTS and numbers.pop("replacement", False):
        note("--replacement: no effect, because every card is drawn from a full deck")
    note_without_effect(method, **numbers)
    library = profiles_in_use()
    if kind in LONGER_FIGHTS and method != "exact":
        from analyser.engine.fight.simulated.simulation import play_trials

        note_compiling(play_trials, "simulation (some seconds)")
    results = list[Any]()
    if method != "monte-carlo":
        results.append(analyser.exact(source, profiles=library, kind=kind))
    if method != "exact":
        with progress_bar("games", delay=1.0) as progress:
            results.append(analyser.simulate(source, profiles=library, kind=kind, progress=progress, **numbers))
    if until is not None:
        results = [replace(result, wanted=until) for result in results]
    extra: dict[str, Any] = {"warnings": results[0].warnings, "plot": results[0].plot}
    write(lambda: rendering.text(results), lambda: rendering.record(results), lambda: rendering.rows(results), **extra)


def note_compiling(kernel: Kernel[Any, Any], occasion: str) -> None:
    """On a terminal, print a note if `kernel` must be compiled first; `occasion` names its use and the time needed."""
    if sys.stderr.isatty() and not kernel.is_cached():
        note(f"kernels are compiled once, before the first {occasion}; analyser warm-up does it beforehand")


def note_first_battles() -> None:
    """Print a note if the kernel of battles must be compiled first."""
    from analyser.engine.battle.play import play_chunk

    note_compiling(play_chunk, "battle (up to half a minute)")


def note_without_effect(method: str = "exact", **numbers: Any) -> None:
    """If the method is exact, print a note that names the stated options of the simulation."""
    names = [f"--{name}" for name in SAMPLING_OPTIONS if name in numbers]
    if names and method == "exact":
        note(f"{', '.join(names)}: no effect on an exact answer; see --method")


def profiles_in_use() -> Profiles:
    """Return the profiles in the folder of ``--profiles``, by default the shipped ones, with the stated die and deck.

    Each file is read when it is needed. A note says if the folder ./profiles has other profiles, which are not used.
    """
    from analyser.game.profiles import FILES_FOR_ALL, load_profiles, profiles_used, shipped_profiles

    folder = click.get_current_context().params["profiles"]
    local, shipped = Path("profiles"), shipped_profiles()
    has_factions = folder is None and any(path.name not in FILES_FOR_ALL for path in local.glob("*.toml"))
    is_other = has_factions and real_path(local) != real_path(shipped)
    if is_other and profiles_used(local, morale=True).version != profiles_used(morale=True).version:
        note(f"the profiles in {shipped} are used; to use ./profiles add --profiles profiles")
    return load_profiles(folder).with_ruleset(stated_ruleset())


def stated_ruleset() -> dict[str, Any] | None:
    """Return the die, the deck or both as stated by options of the running command; None without these options."""
    params = click.get_current_context().params
    return {part: params[part] for part in ("die", "deck") if params.get(part) is not None} or None


def with_progress(function: Callable[..., T], *arguments: Any, noun: str = "", delay: float = 1.0, **more: Any) -> T:
    """Call a function of the package with the profiles of the running command and a progress bar.

    For `noun` and `delay` see :func:`analyser.cli.messages.progress_bar`.
    """
    library = profiles_in_use()
    with progress_bar(noun, delay=delay) as progress:
        return function(*arguments, profiles=library, progress=progress, **more)


def dask_executor(dask: str | None, threads: int | None) -> AbstractContextManager[Executor | None]:
    """Return the context of the executor for ``--dask``, or of None without that option."""
    if dask is None:
        return nullcontext()
    from analyser.common.method_settings import default_threads
    from analyser.sweep.dask_executor import dask_executor as dask_workers

    return dask_workers(dask, threads or default_threads())


def show(result: Any, *, page: str = "", **more: Any) -> None:
    """Write an answer in the format of the running command; `more` are arguments of :func:`write`.

    `page` names a function of :mod:`analyser.report.answer_pages`, for a command whose ``--out`` may be a page.
    """

    def text() -> str:
        if page and is_page():
            content: str = getattr(importlib.import_module("analyser.report.answer_pages"), page)(result)
            return content
        return str(result)

    rows = more.pop("rows", None) or result.rows_with_profiles
    write(more.pop("text", text), result.as_dict, rows, plot=more.pop("plot", getattr(result, "plot", None)), **more)


def write(
    text: Callable[[], str],
    record: Callable[[], Any],
    rows: Callable[[], Sequence[Mapping[str, Any]]],
    *,
    warnings: Iterable[str] = (),
    plot: Callable[[], Any] | None = None,
    headline: Callable[[], Iterable[str]] | None = None,
    other_files: Mapping[str | None, Callable[[], str]] | None = None,
) -> None:
    """Print an answer, or write it to a file, according to the options of the running command.

    The format decides whether `text`, `record` (plain data) or `rows` (a table) is called. `plot` returns the Figure or
    its Axes for ``--plot``. `other_files` maps the path of a file (None if its option is not stated) to a function that
    returns its text. All files or none are written, and before anything is printed. For a table or a file, `warnings`
    go to standard error; for a file also the `headline`. Inside :func:`collect_answers` the answer is only stored.
    """
    from analyser.results.rendering import FORMATS, TABLE_FORMATS, Renderings

    context = click.get_current_context()
    form, out, picture = (context.params.get(name) for name in ("form", "out", "plot"))
    answer_forms = Renderings(text, record, rows)
    if SEVERAL_ANSWERS in context.meta:
        context.meta[SEVERAL_ANSWERS].append(answer_forms)
    else:
        files: dict[Path, Callable[[Path], object]] = {}
        for path, content_of in (other_files or {}).items():
            if path is not None:
                files[Path(path)] = _writer(content_of())
        if plot is not None and picture is not None:
            files[Path(picture)] = _picture_writer(plot())  # drawn now, so that an error comes before any output
        content = FORMATS[str(form)](answer_forms)
        if out is not None:
            files[Path(out)] = _writer(content)
        write_all(files)
        if out is None:
            click.echo(content, nl=False)
        elif headline is not None:
            for line in headline():
                note(line, Path(out).name)
    if form in TABLE_FORMATS or out is not None:
        for warning in warnings:
            note(warning, "warning")


def _writer(content: str | bytes) -> Callable[[Path], object]:
    data = content.encode() if isinstance(content, str) else content
    return lambda temporary: temporary.write_bytes(data)


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
    date = os.environ.get("SOURCE_DATE_EPOCH", "")  # Matplotlib dates a picture by this variable
    if date and not (date.isascii() and date.isdecimal() and len(date) <= _MOST_DATE_DIGITS):
        raise InputError(f"{shown(date)} is not usable", where="SOURCE_DATE_EPOCH", allowed="seconds since 1970")

    def save(temporary: Path) -> None:
        with house_style():
            figure.savefig(temporary, dpi=DOTS_PER_INCH, bbox_inches="tight", pad_inches=0.12)

    return save
