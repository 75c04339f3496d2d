"""Commands for sweeps: start, resume, status, verify."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

import analyser
from analyser.cli.answer import profiles_in_use
from analyser.cli.command_base import command
from analyser.cli.messages import note, progress_bar
from analyser.cli.option_base import OUTPUT, Option
from analyser.cli.options import INPUT, QUIET
from analyser.common.method_settings import MOST_THREADS, Progress
from analyser.common.text import json_text

NOT_DONE = 1  # exit status of `verify` for damaged or missing parts, and of `status` for missing parts
_HEADING = "Workers"
WORKERS = [
    Option("--workers N", "Processes. Default: one for each processor.", _HEADING, least=1, most=MOST_THREADS),
    Option("--dask ADDRESS", "Dask scheduler whose workers do the work; `local` starts one here.", _HEADING),
    Option("--part K/N", "Run job K of N. The jobs divide the work and may run in parallel.", _HEADING),
]


@command(
    "PLAN",
    Option("--out STORE", "Folder for the results (the store).", OUTPUT, required=True),
    *(*WORKERS, *INPUT),
    examples=("plan.toml --out store", "plan.toml --out store --part 17/400"),
)
def sweep_start(plan: str, out: str, **workers: Any) -> None:
    """Compute every fight of PLAN and write the results to --out, a folder of Parquet files (docs/sweeps.md).

    The work is divided into parts. Run the command again to resume.
    """
    with _progress_bar(out) as progress:
        _print_state(analyser.run_sweep(plan, out, **workers, profiles=profiles_in_use(), progress=progress))


@command("STORE", *WORKERS, QUIET, examples=("store", "store --workers 8"))
def sweep_resume(store: str, **workers: Any) -> None:
    """Resume a sweep from its results folder STORE, with the plan stored in it."""
    with _progress_bar(store) as progress:
        _print_state(analyser.resume_sweep(store, **workers, progress=progress))


def _text(answer: Any) -> str:
    return "\n".join([str(answer), *(f"Assumption: {assumption}." for assumption in answer.plan.assumptions)])


def _print_state(answer: Any) -> None:
    click.echo(f"{_text(answer)}\nThe store is {answer.store.folder}")


@contextmanager
def _progress_bar(store: str) -> Iterator[Progress]:
    """Show a progress bar of parts on a terminal, and after Ctrl-C the command to resume the sweep."""
    try:
        with progress_bar("parts") as progress:
            yield progress
    except KeyboardInterrupt:
        click.echo(f"stopped: finished parts are kept; to resume: analyser sweep resume {store}", err=True)
        raise


@command("STORE", Option("--json", "Print JSON.", OUTPUT, dest="as_json"), QUIET, examples=("store", "store --json"))
def sweep_status(store: str, as_json: bool = False) -> int:
    """Show the progress of the sweep in the folder STORE. The exit status is 1 if parts are missing."""
    result = analyser.open_sweep(store)
    click.echo(json_text(result.as_dict(), indent=1) if as_json else _text(result))
    return 0 if result.is_complete else NOT_DONE


@command(
    "STORE",
    Option("--remove", "Delete damaged parts, so that `resume` recomputes them."),
    QUIET,
    examples=("store", "store --remove"),
)
def sweep_verify(store: str, remove: bool = False) -> int:
    """Check that no file of the folder STORE is damaged. The exit status is 1 if parts are damaged or missing."""
    from analyser.sweep.store import Store

    opened = Store(store)
    result = opened.verify(remove=remove)
    click.echo(
        f"{result.whole:,} of {opened.plan.n_parts:,} parts are whole, {len(result.damaged):,} damaged, "
        f"{result.missing:,} to compute"
    )
    for part in result.damaged:
        note(f"{part.path}: {part.why}{'; deleted' if remove else '; --remove deletes it'}", "warning")
    return NOT_DONE if result.damaged or result.missing else 0
