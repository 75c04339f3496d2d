"""The commands that set many fights side by side: compare, matchups, sensitivity, explore, report and diff."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from analyser.cli import options
from analyser.cli.answer import note_without_effect, write
from analyser.cli.fights import ATTACK_OPTIONS, ATTACKER, OF_TARGET, TARGET, attack_scenario
from analyser.cli.options import (
    AT_LEAST_1,
    METHOD,
    OUTPUT_OPTIONS,
    PROFILES,
    RULESET_OPTIONS,
    THREADS,
    Option,
    complete_selector,
)
from analyser.cli.shell import Choice, Command, examples, given, note, profiles_in, progress_bar, stated_ruleset
from analyser.common.errors import InputError
from analyser.common.files import name_of, real_path
from analyser.common.text import json_text

CHANGED_TOO_MUCH = 1  # the exit status of --fail-over; 2 stays that of an input that cannot be used
SAMPLING = ("method", "trials", "seed", "precision", "threads")
COMPARISON, LEVELS = "Comparison", ("basic", "reinforced", "full-strength")
_TARGET = "Selector of the unit that all attack; can be repeated: a table each, and the mean."
_WEIGHTS = "Of several targets, with commas between them. Default: all alike."
_WHO = "Selector with wildcards, such as 'crown/*'."
_ROW = "The row to fire. Default: each time the best."
METRIC = Option("--metric NAME", "The figure that is shown, or decides.", COMPARISON)
PER_POINTS = Option("--per-points", "The figure per 100 points of the attacker.", COMPARISON)


def _situations(default: str, group: str = "Options") -> Option:
    return Option("--situations NAMES", f"Names with commas between them{default}", group, type=options.names)


SAMPLED_OPTIONS = [
    Option("--method", "Default: exact.", METHOD, type=Choice(options.METHODS[:2]), default="exact"),
    Option("--trials N", "Monte Carlo: attacks for each, at least.", METHOD, type=AT_LEAST_1),
    *options.SAMPLE_OPTIONS,
]
COMPARE_OPTIONS = [
    Option("--target UNIT", _TARGET, COMPARISON, required=True, multiple=True, shell_complete=OF_TARGET.complete),
    Option("--weights NUMBERS", _WEIGHTS, COMPARISON, type=options.names),
    METRIC,
    PER_POINTS,
    Option("--at-least K", "K of P(at least K destroyed). Default: half of them.", COMPARISON, type=AT_LEAST_1),
    *ATTACK_OPTIONS,
    *SAMPLED_OPTIONS,
    *OUTPUT_OPTIONS,
]
MATCHUPS_OPTIONS = [
    _situations(", or all. Default: long-range,short-range-aimed.", COMPARISON),
    METRIC,
    PER_POINTS,
    Option("--row NAME", _ROW, COMPARISON),
    Option("--level", "Only these, on both sides.", COMPARISON, dest="levels", type=Choice(LEVELS), multiple=True),
    THREADS,
    *OUTPUT_OPTIONS,
]
EXPLORE_OPTIONS = [
    Option("--port N", "Default: the first that is free.", type=options.Integer(1024, 65535)),
    Option("--no-browser", "Open no page; its address is printed."),
    *RULESET_OPTIONS,
    PROFILES,
]
REPORT_OPTIONS = [
    Option("--attackers PATTERN", _WHO, required=True),
    Option("--defenders PATTERN", _WHO, required=True),
    _situations(". Default: all."),
    options.POLICY,
    Option(
        "--habits FILE",
        "What `analyser habits --out FILE` wrote: how far duels by habit can be trusted.",
        shell_complete=options.complete_file,
    ),
    Option("--row NAME", _ROW),
    Option("--field PATTERN", "Opponents that prices are judged against. Default: all factions."),
    Option("--metric NAME", "What the heatmaps show; can be repeated.", dest="metrics", multiple=True),
    THREADS,
    options.DASK,
    *RULESET_OPTIONS,
    PROFILES,
    Option("--out DIR", "Folder for tables, pictures and the page.", required=True),
    options.QUIET_OPTION,
]
DIFF_OPTIONS = [
    Option("--attackers PATTERN", f"{_WHO} Default: everybody."),
    Option("--defenders PATTERN", f"{_WHO} Default: everybody."),
    _situations(". Default: all."),
    Option("--metric NAME", "Default: the probability that changed most."),
    Option("--limit N", "Loadouts, and matchups, in the text.", type=AT_LEAST_1, default=20, show_default=True),
    Option(
        "--fail-over X",
        "Exit with 1 if any changed by more than X: 0.3 is 30 pp, and 30% of what is destroyed for 100 points.",
        type=options.Number(0),
    ),
    THREADS,
    *RULESET_OPTIONS,
    options.FORMAT,
    options.OUT,
    Option("--summary FILE", "Also a summary in Markdown, for a pull request.", options.OUTPUT),
    options.QUIET_OPTION,
]


@click.command(cls=Command, params=COMPARE_OPTIONS)
@click.argument("loadouts", nargs=-1, required=True, shell_complete=complete_selector)
def compare(loadouts: tuple[str, ...], target: tuple[str, ...], profiles: str | None, **keys: Any) -> None:
    """LOADOUTS side by side, each making the same attack on a target, or on several; selectors may have wildcards.

    After the colon of a target may stand what is true of it alone; options hold for every target.
    """
    from analyser.analysis.compare import compare as compared

    note_without_effect()
    raw = [attack_scenario("", each) for each in target]
    attack = {key: value for key, value in raw[0]["attack"].items() if key != "attacker"}
    targets: Any = [each["target"] for each in raw]
    how = given(keys, "weights", "metric", "per_points", "at_least", *SAMPLING) | attack
    how["profiles"] = profiles_in(profiles)
    if "weights" in how:
        how["weights"] = [_number(each) for each in how["weights"]]
    with progress_bar("attacks", after=1.0) as progress:
        found = compared(loadouts, targets if len(targets) > 1 else targets[0], progress=progress, **how)
    write(lambda: str(found), found.as_dict, found.rows, plot=found.plot)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{text!r} is not a number", where="weights", allowed="such as 2,1") from None


@click.command(cls=Command, params=MATCHUPS_OPTIONS)
@click.argument("attackers", shell_complete=complete_selector)
@click.argument("defenders", shell_complete=complete_selector)
def matchups(attackers: str, defenders: str, profiles: str | None, **keys: Any) -> None:
    """Every one of ATTACKERS on every one of DEFENDERS: selectors with wildcards, such as 'crown/*' '*/*@basic'."""
    from analyser.analysis.matchups import matchups as matched

    how = given(keys, "situations", "metric", "per_points", "row", "levels", "threads")
    with progress_bar() as progress:
        found = matched(attackers, defenders, profiles=profiles_in(profiles), progress=progress, **how)

    write(lambda: str(found), found.as_dict, found.rows, plot=found.heatmap)
    if len(found.situations) > 1 and keys["plot"]:
        note(f"the picture shows {found.situations[0].name} alone; see --situations")


@click.command(cls=Command, params=[METRIC, *ATTACK_OPTIONS, *SAMPLED_OPTIONS, *OUTPUT_OPTIONS])
@ATTACKER
@TARGET
def sensitivity(attacker: str, target: str, profiles: str | None, **keys: Any) -> None:
    """What one more and one less of each number of ATTACKER and TARGET does to a figure of the attack."""
    from analyser.analysis.sensitivity import sensitivity as varied

    note_without_effect()
    asked, how = attack_scenario(attacker, target), given(keys, "metric", *SAMPLING)
    with progress_bar("attacks", after=1.0) as progress:
        found = varied(asked, profiles=profiles_in(profiles), progress=progress, **how)

    write(lambda: str(found), found.as_dict, found.rows, plot=found.plot)


@click.command(cls=Command, params=EXPLORE_OPTIONS)
@click.argument("attacker", default="crown/rifle-platoon@reinforced", shell_complete=complete_selector)
@click.argument("target", default="imperium/scion-grenadier-platoon@reinforced", shell_complete=complete_selector)
def explore(attacker: str, target: str, port: int | None, no_browser: bool, profiles: str | None) -> None:
    """A page in the browser with menus and sliders for one attack; ATTACKER and TARGET are where it starts."""
    library = profiles_in(profiles)
    names = [library.loadout(each).selector for each in (attacker, target)]
    missing = [name for name in ("ipywidgets", "voila") if importlib.util.find_spec(name) is None]
    if missing:
        remedy = "python -m pip install 'analyser[notebook]'"
        raise InputError(f"needs {' and '.join(missing)}; to install: {remedy}", where="explore")
    place, ruleset = str(real_path(profiles)) if profiles else None, stated_ruleset()
    folder = f", profiles=analyser.load_profiles({place!r})" if place else ""
    folder = folder if ruleset is None else f", profiles=analyser.Profiles({place!r}, {ruleset!r})"
    source = f"import analyser\nanalyser.explore({names[0]!r}, {names[1]!r}{folder})"
    cell: dict[str, Any] = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
    page = {"cells": [cell | {"source": source}], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "explore.ipynb"
        path.write_text(json_text(page), encoding="utf-8")
        more = [*([f"--port={port}"] if port else []), *(["--no-browser"] if no_browser else [])]
        note("the page is shown until you stop this with Ctrl-C")
        done = subprocess.run([sys.executable, "-m", "voila", str(path), *more], check=False)
    click.get_current_context().exit(done.returncode)


@click.command(
    cls=Command,
    params=REPORT_OPTIONS,
    epilog=examples(
        "report --attackers 'crown/*' --defenders 'imperium/*' --out reports/crown",
        "report --attackers '*/*@basic' --defenders '*/*' --situations long-range --out reports/basic",
    ),
)
def report(out: str, profiles: str | None, dask: str | None, **keys: Any) -> None:
    """Every attacker against every defender: tables, heatmaps, balance, and a page that shows them.

    A run that is stopped goes on where it was when it is started again with the same arguments.
    """
    try:
        from analyser.report import write_report

        with options.helped_by(dask, keys["threads"]) as executor, progress_bar() as progress:
            how = {"progress": progress, "executor": executor, **given(keys)}
            written = write_report(out=out, profiles=profiles_in(profiles), **how)
    except KeyboardInterrupt:
        from analyser.report.folder import work_folder

        kept = work_folder(real_path(out)).exists()
        state = "what is finished is kept, and the same command goes on from there" if kept else "nothing was finished"
        click.echo(f"stopped: {state}", err=True)
        raise
    click.echo(f"The report is in {name_of(written)}")
    _tell_opponents(written)


def _tell_opponents(written: Path) -> None:
    """Print the opponents that the prices of a report are judged against; nothing where it has no prices."""
    from analyser.analysis.prices import Among
    from analyser.report.folder import manifest_of

    if judged := manifest_of(written).get("judged_among"):
        click.echo(f"Its prices are judged {Among(judged['factions']).in_short}")


@click.command(
    cls=Command,
    params=DIFF_OPTIONS,
    epilog=examples(
        "diff profiles my-profiles --summary summary.md --fail-over 0.3",
        "diff profiles my-profiles --attackers 'crown/*' --defenders 'imperium/*' --format json",
        "diff reports/2026-10 reports/2026-11",
    ),
)
@click.argument("old", shell_complete=options.complete_file)
@click.argument("new", shell_complete=options.complete_file)
@click.pass_context
def diff(
    context: click.Context,
    /,
    old: str,
    new: str,
    limit: int,
    fail_over: float | None,
    summary: str | None,
    **keys: Any,
) -> None:
    """What changed from OLD to NEW, profile folders or reports, and what it did: to loadouts, then to every matchup."""
    from analyser.report.diff import diff as found_between
    from analyser.report.diffed import diff_markdown, diff_record, diff_rows, diff_text, over_limit

    how = given(keys, "attackers", "defenders", "situations", "metric", "threads")
    with progress_bar(after=1.0) as progress:
        found = found_between(old, new, progress=progress, ruleset=stated_ruleset(), **how)
    beside: dict[Path, Callable[[Path], object]] = {}
    if summary is not None:
        beside[Path(summary)] = lambda path: path.write_bytes(diff_markdown(found).encode())
    write(lambda: diff_text(found, limit), lambda: diff_record(found), lambda: diff_rows(found), beside=beside)
    if fail_over is not None and (reasons := over_limit(found, fail_over)):
        click.echo("\n".join(reasons), err=True)
        context.exit(CHANGED_TOO_MUCH)
