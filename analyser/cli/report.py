"""Commands for balance reports: a report, a site of reports, and the changes between two."""

from __future__ import annotations

from typing import Any

import click

from analyser.cli import options
from analyser.cli.answer import dask_executor, stated_ruleset, with_progress, write
from analyser.cli.command_base import command
from analyser.cli.messages import message_when_stopped, progress_bar
from analyser.cli.option_base import OUTPUT, Option
from analyser.cli.options import DASK, INPUT, QUIET, RULESET_OPTIONS, THREADS, situations
from analyser.common.files import name_of

CHANGED_TOO_MUCH = 1  # exit status if --fail-over finds too large a change; 2 means an unusable input
_UNITS_TEXT = "Units, such as 'crown/*' or '*/*@basic'."
_FAIL_OVER = "Exit with 1 if a probability changed by more than X (0.3 is 30 pp), or a loadout became mispriced."
_WORK = (THREADS, DASK, *INPUT)


@command(
    "",
    Option("--attackers PATTERN", _UNITS_TEXT, required=True),
    Option("--defenders PATTERN", _UNITS_TEXT, required=True),
    situations(". Default: all."),
    options.POLICY,
    Option("--row NAME", "Row to fire. Default: the best for each pair."),
    Option("--field PATTERN", "Opponents that prices are judged against. Default: all factions."),
    Option("--out DIR", "Folder for the tables and the page.", required=True),
    *_WORK,
    examples=(
        "--attackers 'crown/*' --defenders 'imperium/*' --out reports/crown",
        "--attackers '*/*@basic' --defenders '*/*' --situations long-range --out reports/basic",
    ),
)
def report_write(dask: str | None = None, threads: int | None = None, **keys: Any) -> None:
    """Write a report of every attacker against every defender: tables, and a page with prices, heatmaps and reasons.

    Run the command again to resume a report that was stopped.
    """
    from analyser.analysis.prices import Opponents
    from analyser.report import write_report
    from analyser.report.folder import manifest_of

    with message_when_stopped(), dask_executor(dask, threads) as executor:
        path = with_progress(write_report, delay=0.0, threads=threads, executor=executor, **keys)
    click.echo(f"The report is in {name_of(path)}")
    if judged := manifest_of(path).get("judged_among"):
        click.echo(f"Its prices are judged {Opponents(judged['factions']).in_short}")


@command(
    "FOLDER",
    Option("--add VERSION", "First write a report for each pair of factions into the folder FOLDER/VERSION."),
    situations(", or all, for the reports that are added. Default: all."),
    *_WORK,
    examples=("balance --add 2026-11 --profiles my-profiles", "balance"),
)
def report_site(folder: str, dask: str | None = None, threads: int | None = None, **keys: Any) -> None:
    """Write an index page of the reports in FOLDER: all pairs of factions by version, and the changes between versions.

    Run the command again to resume.
    """
    from analyser.report import write_site

    with dask_executor(dask, threads) as executor:
        path = with_progress(write_site, folder, delay=0.0, threads=threads, executor=executor, **keys)
    click.echo(f"The page is {name_of(path)}")


@command(
    "OLD NEW",
    Option("--attackers PATTERN", f"{_UNITS_TEXT} Default: every unit."),
    Option("--defenders PATTERN", f"{_UNITS_TEXT} Default: every unit."),
    situations(". Default: all."),
    Option("--metric NAME", "Metric to compare. Default: in each matchup the probability that changed most."),
    Option("--limit N", "List at most N loadouts and N matchups as text. Default: 20.", least=1),
    Option("--fail-over X", _FAIL_OVER, least=0),
    *(THREADS, *RULESET_OPTIONS, options.FORMAT, options.out()),
    Option("--summary FILE", "Also write a summary in Markdown, for a pull request.", OUTPUT),
    QUIET,
    examples=("profiles my-profiles --summary summary.md --fail-over 0.3", "reports/2026-10 reports/2026-11"),
)
def report_diff(
    old: str, new: str, limit: int = 20, fail_over: float | None = None, summary: str | None = None, **keys: Any
) -> int:
    """Show what changed from OLD to NEW, and the effect on loadouts and matchups.

    OLD and NEW are folders of profiles, or reports.
    """
    from analyser.report.diff import diff

    with progress_bar(delay=1.0) as progress:
        result = diff(old, new, progress=progress, ruleset=stated_ruleset(), **keys)
    write(lambda: result.text(limit), result.as_dict, result.rows, other_files={summary: result.markdown})
    if fail_over is not None and (reasons := result.failures(fail_over)):
        click.echo("\n".join(reasons), err=True)
        return CHANGED_TOO_MUCH
    return 0
