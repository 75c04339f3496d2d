"""The command of sweeps: begun, gone on with, looked at, verified, merged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from analyser.cli.options import OUTPUT, PROFILES, QUIET_OPTION, RULESET_OPTIONS, Integer, Option, complete_file
from analyser.cli.shell import Command, given, note, profiles_in, progress_bar
from analyser.common.sampling import MOST_THREADS
from analyser.common.text import json_text

_HANDS_OF = ("workers", "dask", "by_return", "part")
TAKEN = {  # the options of each verb; without one a sweep begins
    "": ("out", *_HANDS_OF, "profiles", "die", "deck"),
    "status": ("as_json",),
    "resume": _HANDS_OF,
    "verify": ("remove",),
    "merge": ("out",),
}
VERBS = tuple(filter(None, TAKEN))
NOT_DONE = 1  # the exit status of `verify` that finds damage, and of `status` where parts are missing
_SAID = (ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT)
_HANDS = "Who works"
SWEEP_OPTIONS = [
    Option(
        "--out STORE", "The folder of the store; for `merge` the file. Default for that: merged.parquet in it.", OUTPUT
    ),
    Option("--workers N", "Processes. Default: one for each processor.", _HANDS, type=Integer(1, MOST_THREADS)),
    Option("--dask ADDRESS", "The workers of that scheduler of dask; local: one is begun here.", _HANDS),
    Option(
        "--by-return", "Parts come back to this process, which writes them: where workers see no common disk.", _HANDS
    ),
    Option("--part K/N", "Of N jobs that share out the parts this is the Kth; they may run side by side.", _HANDS),
    Option("--remove", "For `verify`: take away what is damaged, so that `resume` makes it again."),
    Option("--json", "For `status`: as JSON.", OUTPUT, dest="as_json"),
    *(*RULESET_OPTIONS, PROFILES, QUIET_OPTION),
]


@click.command(cls=Command, params=SWEEP_OPTIONS)
@click.argument("words", nargs=-1, required=True, metavar="PLAN | VERB STORE", shell_complete=complete_file)
@click.pass_context
def sweep(
    context: click.Context, /, words: tuple[str, ...], profiles: str | None, out: str | None, **keys: Any
) -> None:
    """Have all cells of PLAN worked out into the store --out, a folder of Parquet files; docs/sweeps.md says how.

    `status STORE`: how far it is. `resume STORE`: go on, by the plan as it was. `verify STORE`: every byte looked at.
    `merge STORE`: one file of all parts; of a sample the answer.
    """
    verb, path = _meant(words)
    _check_options(context, verb)
    hands = given(keys, *_HANDS_OF)
    if verb in ("", "resume"):
        _run(path, out, hands, profiles, is_new=not verb)
    elif verb == "status":
        _status(context, path, keys["as_json"])
    elif verb == "verify":
        _verify(context, path, keys["remove"])
    else:
        _merge(path, out)


def _meant(words: tuple[str, ...]) -> tuple[str, str]:
    """The verb, if there is one, and the plan or the store."""
    verb = words[0] if words[0] in VERBS and len(words) > 1 else ""
    rest = words[1:] if verb else words
    if len(rest) != 1:
        raise click.UsageError(f"{' '.join(words)!r}: a plan and --out STORE, or one of {', '.join(VERBS)} and a store")
    return verb, rest[0]


def _check_options(context: click.Context, verb: str) -> None:
    """Refuse options that a verb does not take."""
    options = [each for each in context.command.params if isinstance(each, Option)]
    taken = [each for each in options if each.name in (*TAKEN[verb], QUIET_OPTION.name)]
    for option in options:
        if option not in taken and context.get_parameter_source(option.name or "") in _SAID:
            names = ", ".join(each.opts[0] for each in taken)
            raise click.UsageError(f"{option.opts[0]}: not of `sweep {verb or 'PLAN'}` (allowed: {names})")


def _run(path: str, out: str | None, hands: dict[str, Any], profiles: str | None, *, is_new: bool) -> None:
    from analyser.sweep.running import resume_sweep, run_sweep
    from analyser.sweep.store import PAGE

    with _told(path if out is None else out) as tell:
        if not is_new:
            found = resume_sweep(path, **hands, tell=tell)
        elif out is None:
            raise click.UsageError("where to? --out STORE is needed")
        else:
            found = run_sweep(path, out, **hands, profiles=profiles_in(profiles), tell=tell)
    click.echo("\n".join([str(found), *(f"Assumption: {each}." for each in found.plan.assumptions)]))
    page = found.store.folder / PAGE
    more = f"its page is {page}" if page.exists() else "`analyser sweep status` writes its page"  # jobs do not
    click.echo(f"The store is {found.store.folder}; {more}")


@contextmanager
def _told(store: str) -> Iterator[Callable[[Any], None]]:
    """A bar of parts on a terminal; and after Ctrl-C what becomes of them."""
    try:
        with progress_bar("parts") as bar:
            yield lambda progress: bar(progress.done, progress.parts)
    except KeyboardInterrupt:
        click.echo(f"stopped: every part that is done is kept; go on with: analyser sweep resume {store}", err=True)
        raise


def _status(context: click.Context, path: str, as_json: bool) -> None:
    from analyser.sweep.opening import open_sweep
    from analyser.sweep.page import status_of, write_page

    found = open_sweep(path)
    status = status_of(found)
    write_page(found)  # refused before anything is shown
    if as_json:
        click.echo(json_text(status.as_dict(), indent=1))
    else:
        click.echo("\n".join([str(found), *(f"Assumption: {each}." for each in found.plan.assumptions)]))
        for each in status.costs:
            click.echo(
                f"{each.kind}: {each.parts:,} parts, {each.rate:,.0f} cells a second of a processor, "
                f"{each.bytes_a_cell:.1f} bytes a cell"
            )
        if status.seconds_left:
            click.echo(f"about {status.seconds_left:,.0f} seconds of one processor left")
    context.exit(0 if found.is_complete else NOT_DONE)


def _verify(context: click.Context, path: str, remove: bool) -> None:
    from analyser.sweep.store import Store

    store = Store(path)
    found = store.verified(remove=remove)
    click.echo(
        f"{found.whole:,} of {store.plan.parts:,} parts are whole, {len(found.damaged):,} damaged, "
        f"{found.missing:,} to be made"
    )
    for each in found.damaged:
        note(f"{each.path}: {each.why}{'; taken away' if remove else '; --remove takes it away'}", "warning")
    context.exit(NOT_DONE if found.damaged or found.missing else 0)


def _merge(path: str, out: str | None) -> None:
    from analyser.common.files import write_content
    from analyser.sweep.opening import open_sweep
    from analyser.sweep.store import MERGED

    found = open_sweep(path)
    if found.plan.is_sample:
        answer = found.answer()
        if out is not None:
            write_content(Path(out), json_text(answer.as_dict(), indent=1))
        click.echo(str(answer), nl=False)
        return
    click.echo(f"The file is {found.merge(out or Path(path) / MERGED)}")
