"""Commands for sweeps: start, resume, status, verify."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from analyser.cli.command_base import command, note, profiles_in, progress_bar, stated_options
from analyser.cli.options import OUTPUT, PROFILES, QUIET_OPTION, RULESET_OPTIONS, Integer, Option, complete_file
from analyser.common.method_settings import MOST_THREADS
from analyser.common.text import json_text

NOT_DONE = 1  # exit status of `verify` for damage, and of `status` for missing parts
_HEADING = "Workers"
_DASK_TEXT = "Dask scheduler whose workers do the work; `local` starts one here."
_PART_TEXT = "Run job K of N. The jobs divide the work and may run in parallel."
WORKERS = [
    Option("--workers N", "Processes. Default: one for each processor.", _HEADING, type=Integer(1, MOST_THREADS)),
    Option("--dask ADDRESS", _DASK_TEXT, _HEADING),
    Option("--part K/N", _PART_TEXT, _HEADING),
]
STORE = click.argument("store", shell_complete=complete_file)


@command(
    Option("--out STORE", "Folder for the results (the store).", OUTPUT, required=True),
    *(*WORKERS, *RULESET_OPTIONS, PROFILES, QUIET_OPTION),
    examples=("plan.toml --out store", "plan.toml --out store --part 17/400"),
)
@click.argument("plan", shell_complete=complete_file)
def sweep_start(plan: str, out: str, profiles: str | None, **workers: Any) -> None:
    """Compute every fight of PLAN and write the results to --out, a folder of Parquet files (docs/sweeps.md).

    The work is divided into parts. Run the command again to resume.
    """
    from analyser.sweep.running import run_sweep

    with _progress_bar(out) as tell:
        result = run_sweep(plan, out, **stated_options(workers), profiles=profiles_in(profiles), tell=tell)
    _print_state(result)


@command(*WORKERS, QUIET_OPTION, examples=("store", "store --workers 8"))
@STORE
def sweep_resume(store: str, **workers: Any) -> None:
    """Resume a sweep from its results folder STORE, with the plan stored in it."""
    from analyser.sweep.running import resume_sweep

    with _progress_bar(store) as tell:
        result = resume_sweep(store, **stated_options(workers), tell=tell)
    _print_state(result)


def _print_state(answer: Any) -> None:
    """Print the progress of a sweep, and the path of its store."""
    click.echo("\n".join([str(answer), *(f"Assumption: {assumption}." for assumption in answer.plan.assumptions)]))
    click.echo(f"The store is {answer.store.folder}")


@contextmanager
def _progress_bar(store: str) -> Iterator[Callable[[Any], None]]:
    """Show a progress bar of parts on a terminal, and after Ctrl-C the command to resume the sweep."""
    try:
        with progress_bar("parts") as bar:
            yield lambda progress: bar(progress.done, progress.parts)
    except KeyboardInterrupt:
        click.echo(f"stopped: finished parts are kept; to resume: analyser sweep resume {store}", err=True)
        raise


@command(Option("--json", "Print JSON.", OUTPUT, dest="as_json"), QUIET_OPTION, examples=("store", "store --json"))
@STORE
@click.pass_context
def sweep_status(context: click.Context, /, store: str, as_json: bool) -> None:
    """Show the progress of the sweep in the folder STORE. The exit status is 1 if parts are missing."""
    from analyser.sweep.store import status_of
    from analyser.sweep.store_reader import open_sweep

    result = open_sweep(store)
    status = status_of(result.store)
    if as_json:
        click.echo(json_text(status._asdict(), indent=1))
    else:
        click.echo("\n".join([str(result), *(f"Assumption: {assumption}." for assumption in status.assumptions)]))
        for cost in status.costs:
            rate = f"{cost['rate']:,.0f} cells per second and processor"
            size = f"{cost['length'] / cost['cells']:.1f} bytes per cell"
            click.echo(f"{cost['kind']}: {cost['parts']:,} parts, {rate}, {size}")
        if status.seconds_left:
            click.echo(f"about {status.seconds_left:,.0f} seconds of one processor left")
    context.exit(0 if result.is_complete else NOT_DONE)


@command(
    Option("--remove", "Delete damaged parts, so that `resume` recomputes them."),
    QUIET_OPTION,
    examples=("store", "store --remove"),
)
@STORE
@click.pass_context
def sweep_verify(context: click.Context, /, store: str, remove: bool) -> None:
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
    context.exit(NOT_DONE if result.damaged or result.missing else 0)
