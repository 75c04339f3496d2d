"""The commands that set many attacks side by side: ``compare``, ``matchups``, ``sensitivity``, ``explore``."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from analyser.cli.answer import check_places, write
from analyser.cli.completion import complete_metric, complete_row, complete_selector, complete_situations
from analyser.cli.fights import ATTACK_OPTIONS, ATTACKER, TARGET, attack_scenario
from analyser.cli.options import AT_LEAST_1, METHOD, OUTPUT_OPTIONS, PROFILES, SEED, THREADS, Option
from analyser.cli.shell import Choice, Command, names_in, note, profiles_in, work_bar
from analyser.common.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from analyser.analysis.compare_result import Comparison
    from analyser.analysis.targets import Comparisons

METRIC = Option(
    "--metric", metavar="NAME", group="Comparison", shell_complete=complete_metric,
    help="The figure that is shown, or decides which is best.",
)  # fmt: skip
PER_POINTS = Option("--per-points", is_flag=True, group="Comparison", help="The figure per 100 points of the attacker.")
COMPARE_OPTIONS = [
    Option(
        "--target", "targets", metavar="TARGET", required=True, multiple=True, group="Comparison",
        shell_complete=complete_selector,
        help="Selector of the unit that all of them attack; can be repeated: a table each, and the mean.",
    ),
    Option(
        "--weights", metavar="NUMBERS", group="Comparison",
        help="Of several targets, with commas between them. Default: all alike.",
    ),
    METRIC,
    PER_POINTS,
    Option(
        "--at-least", type=AT_LEAST_1, metavar="K", group="Comparison",
        help="K of P(at least K destroyed). Default: half of them.",
    ),
    *ATTACK_OPTIONS,
    Option("--method", type=Choice(["exact", "monte-carlo"]), default="exact", show_default=True, group=METHOD),
    Option("--trials", type=AT_LEAST_1, metavar="N", group=METHOD, help="Monte Carlo: attacks for each, at least."),
    SEED, THREADS, *OUTPUT_OPTIONS,
]  # fmt: skip


@click.command(cls=Command, params=COMPARE_OPTIONS)
@click.argument("loadouts", nargs=-1, required=True, shell_complete=complete_selector)
def compare(
    loadouts: tuple[str, ...], targets: tuple[str, ...], weights: str | None, profiles: str | None, **options: Any
) -> None:
    """LOADOUTS side by side, each making the same attack on a target, or on several; selectors may have wildcards.

    After the colon of a target may stand what is true of it alone; options hold for every target.
    """
    from analyser.analysis.compare import compare as compared
    from analyser.results.rendering import Shown

    check_places()
    raw = [attack_scenario("", each) for each in targets]
    attack = {key: value for key, value in raw[0]["attack"].items() if key != "attacker"}
    asked: Any = [each["target"] for each in raw]
    names = ("metric", "per_points", "at_least", "method", "trials", "seed", "threads")
    given = {name: options[name] for name in names if options[name] is not None}
    if weights is not None:
        given["weights"] = _numbers(weights)
    found = compared(loadouts, asked if len(asked) > 1 else asked[0], profiles=profiles_in(profiles), **given, **attack)
    used = (found if hasattr(found, "profiles") else found.mean).profiles
    write(Shown(lambda: str(found), lambda: _comparison(found), lambda: _rows(found.frame, used)), plot=found.plot)


def _numbers(text: str) -> list[float]:
    """Numbers with commas between them."""
    found = []
    for part in names_in(text):
        try:
            found.append(float(part))
        except ValueError:
            raise InputError(f"{part!r} is not a number", where="weights", allowed="such as 2,1") from None
    return found


def _comparison(found: Comparison | Comparisons) -> dict[str, Any]:
    from analyser.analysis.compare_result import Comparison

    mean = found if isinstance(found, Comparison) else found.mean
    record = {"metric": mean.metric, "profiles": mean.profiles._asdict()}
    if isinstance(found, Comparison):
        return {**record, **_best(found), "target": next(iter(found.shares))}
    targets = [
        {"target": target, "weight": found.weights[target], "share": found.mean.shares[target], **_best(each)}
        for target, each in found.by_target.items()
    ]
    return {**record, "targets": targets, "mean": _best(mean)}


def _best(found: Comparison) -> dict[str, Any]:
    return {
        "best": found.best, "tied": list(found.tied), "at_least": found.at_least, "loadouts": _rows(found.frame),
    }  # fmt: skip


def _rows(frame: pd.DataFrame, used: object = None) -> list[dict[str, Any]]:
    """The rows of a frame as plain data, None where there is nothing; `used`: the profiles, as a last column."""
    table = frame.astype(object).where(frame.notna(), None)
    table = table if used is None else table.assign(profiles=str(used))
    return [{str(name): cell for name, cell in row.items()} for row in table.to_dict("records")]


MATCHUPS_OPTIONS = [
    Option(
        "--situations", metavar="NAMES", group="Comparison", shell_complete=complete_situations,
        help="Names with commas between them, or all. Default: long-range,short-range-aimed.",
    ),
    METRIC,
    PER_POINTS,
    Option("--row", metavar="NAME", group="Comparison", shell_complete=complete_row,
           help="The row to fire. Default: the best one on each target."),
    Option("--level", "levels", metavar="NAME", group="Comparison", multiple=True,
           type=Choice(["basic", "reinforced", "full-strength"]), help="Only these levels, on both sides."),
    THREADS, *OUTPUT_OPTIONS,
]  # fmt: skip


@click.command(cls=Command, params=MATCHUPS_OPTIONS)
@click.argument("attackers", shell_complete=complete_selector)
@click.argument("defenders", shell_complete=complete_selector)
def matchups(
    attackers: str, defenders: str, profiles: str | None, situations: str | None, levels: tuple[str, ...],
    metric: str | None, per_points: bool, row: str | None, threads: int | None, **_: Any,
) -> None:  # fmt: skip
    """Every one of ATTACKERS on every one of DEFENDERS: selectors with wildcards, such as 'crown/*' '*/*@basic'."""
    from analyser.analysis.matchups import matchups as matched
    from analyser.results.rendering import Shown

    check_places()
    given: dict[str, Any] = {"situations": situations and names_in(situations), "levels": levels, "metric": metric}
    with work_bar() as progress:
        found = matched(
            attackers, defenders, per_points=per_points, row=row, threads=threads, profiles=profiles_in(profiles),
            progress=progress, **{name: value for name, value in given.items() if value},
        )  # fmt: skip

    def record() -> dict[str, Any]:
        return {
            "method": "exact", "metric": found.metric, "situations": [each.name for each in found.situations],
            "row": found.row, "profiles": found.profiles and found.profiles._asdict(),
            "matchups": _rows(found.frame), "assumptions": list(found.assumptions),
            "not_modelled": [each._asdict() for each in found.not_modelled],
        }  # fmt: skip

    write(Shown(lambda: str(found), record, lambda: _rows(found.frame, found.profiles)), plot=found.heatmap)
    if len(found.situations) > 1 and click.get_current_context().params["plot"]:
        note(f"the picture shows {found.situations[0].name} alone; see --situations")


@click.command(cls=Command, params=[METRIC, *ATTACK_OPTIONS, *OUTPUT_OPTIONS])
@ATTACKER
@TARGET
def sensitivity(attacker: str, target: str, metric: str | None, profiles: str | None, **_: Any) -> None:
    """What one more and one less of each number of ATTACKER and TARGET does to a figure of the attack."""
    from analyser.analysis.sensitivity import sensitivity as varied
    from analyser.results.rendering import Shown

    check_places()
    given = {} if metric is None else {"metric": metric}
    found = varied(attack_scenario(attacker, target), profiles=profiles_in(profiles), **given)

    def record() -> dict[str, Any]:
        return {
            "method": "exact", "metric": found.metric, "base": found.base, "at_least": found.at_least,
            "price": found.price._asdict(), "profiles": found.profiles and found.profiles._asdict(),
            "numbers": _rows(found.frame),
        }  # fmt: skip

    write(Shown(lambda: str(found), record, lambda: _rows(found.frame, found.profiles)), plot=found.plot)


@click.command(
    cls=Command,
    params=[
        Option("--port", type=click.IntRange(1024, 65535), metavar="N", help="Default: the first that is free."),
        Option("--no-browser", is_flag=True, help="Open no page; its address is printed."),
        PROFILES,
    ],
)
@click.argument("attacker", default="crown/rifle-platoon@reinforced", shell_complete=complete_selector)
@click.argument("target", default="imperium/scion-grenadier-platoon@reinforced", shell_complete=complete_selector)
def explore(attacker: str, target: str, port: int | None, no_browser: bool, profiles: str | None) -> None:
    """A page in the browser with menus and sliders for one attack; ATTACKER and TARGET are where it starts."""
    from analyser.game.profiles import load_profiles

    library = profiles_in(profiles) or load_profiles()
    names = [library.loadout(each).selector for each in (attacker, target)]
    missing = [name for name in ("ipywidgets", "voila") if importlib.util.find_spec(name) is None]
    if missing:
        remedy = "python -m pip install 'analyser[notebook]'"
        raise InputError(f"{' and '.join(missing)} not installed", where="explore", allowed=f"after {remedy}")
    folder = f", profiles=analyser.load_profiles({str(Path(profiles).resolve())!r})" if profiles else ""
    lines = f"import analyser\nanalyser.explore({names[0]!r}, {names[1]!r}{folder})"
    cell: dict[str, Any] = {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": [],
        "source": lines,
    }
    page = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "explore.ipynb"
        path.write_text(json.dumps(page), encoding="utf-8")
        more = [*([f"--port={port}"] if port else []), *(["--no-browser"] if no_browser else [])]
        note("the page is shown until you stop this with Ctrl-C")
        subprocess.run([sys.executable, "-m", "voila", str(path), *more], check=False)
