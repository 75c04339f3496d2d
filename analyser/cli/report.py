"""Commands for balance reports: a report, a site of reports, and the changes between two."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from analyser.cli import options
from analyser.cli.answer import with_progress, write
from analyser.cli.command_base import command, progress_bar, stated_options, stated_ruleset
from analyser.cli.options import (
    AT_LEAST_1,
    DASK,
    PROFILES,
    QUIET_OPTION,
    RULESET_OPTIONS,
    THREADS,
    Option,
    dask_executor,
    situations_option,
)
from analyser.cli.waiting import message_when_stopped
from analyser.common.files import name_of

CHANGED_TOO_MUCH = 1  # exit status of --fail-over; 2 means an unusable input
_UNITS_TEXT = "Units, such as 'crown/*' or '*/*@basic'."
_FAIL_OVER_TEXT = (
    "Exit with 1 if a probability changed by more than X (0.3 is 30 pp), or a loadout became over- or under-priced."
)


@command(
    Option("--attackers PATTERN", _UNITS_TEXT, required=True),
    Option("--defenders PATTERN", _UNITS_TEXT, required=True),
    situations_option(". Default: all."),
    options.POLICY,
    Option("--row NAME", "Row to fire. Default: the best for each pair."),
    Option("--field PATTERN", "Opponents that prices are judged against. Default: all factions."),
    *(THREADS, DASK, *RULESET_OPTIONS, PROFILES),
    Option("--out DIR", "Folder for the tables and the page.", required=True),
    QUIET_OPTION,
    examples=(
        "--attackers 'crown/*' --defenders 'imperium/*' --out reports/crown",
        "--attackers '*/*@basic' --defenders '*/*' --situations long-range --out reports/basic",
    ),
)
def report_write(out: str, dask: str | None, **keys: Any) -> None:
    """Write a report of every attacker against every defender: tables, and a page with prices, heatmaps and reasons.

    Run the command again to resume a report that was stopped.
    """
    with message_when_stopped(), dask_executor(dask, keys["threads"]) as executor:
        from analyser.report import write_report

        keys.pop("profiles")
        path = with_progress(write_report, out=out, delay=0.0, executor=executor, **stated_options(keys))
    click.echo(f"The report is in {name_of(path)}")
    _print_opponents(path)


def _print_opponents(path: Path) -> None:
    """Print the opponents against which the prices of a report are judged, if it has prices."""
    from analyser.analysis.prices import Opponents
    from analyser.report.folder import manifest_of

    if judged := manifest_of(path).get("judged_among"):
        click.echo(f"Its prices are judged {Opponents(judged['factions']).in_short}")


@command(
    Option("--add VERSION", "First write a report for each pair of factions into the folder DIR/VERSION."),
    situations_option(", or all, for the reports that are added. Default: all."),
    *(THREADS, DASK, *RULESET_OPTIONS, PROFILES, QUIET_OPTION),
    examples=("balance --add 2026-11 --profiles my-profiles", "balance"),
)
@click.argument("folder", metavar="DIR")
def report_site(folder: str, dask: str | None, **keys: Any) -> None:
    """Write an index page of the reports in DIR: all pairs of factions by version, and the changes between versions.

    Run the command again to resume.
    """
    from analyser.report import write_site

    keys.pop("profiles")
    with dask_executor(dask, keys["threads"]) as executor:
        path = with_progress(write_site, folder, delay=0.0, executor=executor, **stated_options(keys))
    click.echo(f"The page is {name_of(path)}")


@command(
    Option("--attackers PATTERN", f"{_UNITS_TEXT} Default: every unit."),
    Option("--defenders PATTERN", f"{_UNITS_TEXT} Default: every unit."),
    situations_option(". Default: all."),
    Option("--metric NAME", "Metric to compare. Default: the probability that changed most."),
    Option(
        "--limit N",
        "List at most N loadouts and N matchups as text.",
        type=AT_LEAST_1,
        default=20,
        show_default=True,
    ),
    Option("--fail-over X", _FAIL_OVER_TEXT, type=options.Number(0)),
    *(THREADS, *RULESET_OPTIONS, options.FORMAT, options.OUT),
    Option("--summary FILE", "Also write a summary in Markdown, for a pull request.", options.OUTPUT),
    QUIET_OPTION,
    examples=(
        "profiles my-profiles --summary summary.md --fail-over 0.3",
        "reports/2026-10 reports/2026-11",
    ),
)
@click.argument("old", shell_complete=options.complete_file)
@click.argument("new", shell_complete=options.complete_file)
@click.pass_context
def report_diff(
    context: click.Context, /, old: str, new: str, limit: int, fail_over: float | None, summary: str | None, **keys: Any
) -> None:
    """Show what changed from OLD to NEW, and the effect on loadouts and matchups.

    OLD and NEW are folders of profiles, or reports.
    """
    from analyser.report.diff import diff

    selection = stated_options(keys, "attackers", "defenders", "situations", "metric", "threads")
    with progress_bar(delay=1.0) as progress:
        result = diff(old, new, progress=progress, ruleset=stated_ruleset(), **selection)
    summaries = {} if summary is None else {Path(summary): lambda path: path.write_bytes(result.markdown().encode())}
    write(lambda: result.text(limit), result.as_dict, result.rows, other_files=summaries)
    if fail_over is not None and (reasons := result.failures(fail_over)):
        click.echo("\n".join(reasons), err=True)
        context.exit(CHANGED_TOO_MUCH)
