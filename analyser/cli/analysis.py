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
from analyser.cli.fights import ATTACK_OPTIONS, ATTACKER, TARGET, attack_scenario, complete_target
from analyser.cli.options import AT_LEAST_1, METHOD, METHODS, OUTPUT_OPTIONS, PROFILES, SEED, THREADS, Names, Option
from analyser.cli.shell import Choice, Command, given_in, note, profiles_in, progress_bar
from analyser.common.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from analyser.analysis.compare_result import Comparison
    from analyser.analysis.targets import Comparisons

COMPARISON, LEVELS = "Comparison", ("basic", "reinforced", "full-strength")
_TARGET = "Selector of the unit that all attack; can be repeated: a table each, and the mean."
_WEIGHTS = "Of several targets, with commas between them. Default: all alike."
_SITUATIONS = "Names with commas between them, or all. Default: long-range,short-range-aimed."
METRIC = Option("--metric NAME", "The figure that is shown, or decides.", COMPARISON, shell_complete=complete_metric)
PER_POINTS = Option("--per-points", "The figure per 100 points of the attacker.", COMPARISON)
COMPARE_OPTIONS = [
    Option("--target UNIT", _TARGET, COMPARISON, required=True, multiple=True, shell_complete=complete_target),
    Option("--weights NUMBERS", _WEIGHTS, COMPARISON, type=Names()),
    METRIC,
    PER_POINTS,
    Option("--at-least K", "K of P(at least K destroyed). Default: half of them.", COMPARISON, type=AT_LEAST_1),
    *ATTACK_OPTIONS,
    Option("--method", "Default: exact.", METHOD, type=Choice(METHODS[:2]), default="exact"),
    Option("--trials N", "Monte Carlo: attacks for each, at least.", METHOD, type=AT_LEAST_1),
    SEED,
    THREADS,
    *OUTPUT_OPTIONS,
]
MATCHUPS_OPTIONS = [
    Option("--situations NAMES", _SITUATIONS, COMPARISON, type=Names(), shell_complete=complete_situations),
    METRIC,
    PER_POINTS,
    Option("--row NAME", "The row to fire. Default: each time the best.", COMPARISON, shell_complete=complete_row),
    Option("--level", "Only these, on both sides.", COMPARISON, dest="levels", type=Choice(LEVELS), multiple=True),
    THREADS,
    *OUTPUT_OPTIONS,
]
EXPLORE_OPTIONS = [
    Option("--port N", "Default: the first that is free.", type=click.IntRange(1024, 65535)),
    Option("--no-browser", "Open no page; its address is printed."),
    PROFILES,
]


@click.command(cls=Command, params=COMPARE_OPTIONS)
@click.argument("loadouts", nargs=-1, required=True, shell_complete=complete_selector)
def compare(loadouts: tuple[str, ...], target: tuple[str, ...], profiles: str | None, **options: Any) -> None:
    """LOADOUTS side by side, each making the same attack on a target, or on several; selectors may have wildcards.

    After the colon of a target may stand what is true of it alone; options hold for every target.
    """
    from analyser.analysis.compare import compare as compared
    from analyser.results.rendering import Shown

    check_places()
    raw = [attack_scenario("", each) for each in target]
    attack = {key: value for key, value in raw[0]["attack"].items() if key != "attacker"}
    asked: Any = [each["target"] for each in raw]
    names = ("weights", "metric", "per_points", "at_least", "method", "trials", "seed", "threads")
    given = given_in({name: options[name] for name in names}) | attack
    if "weights" in given:
        given["weights"] = [_number(each) for each in given["weights"]]
    found = compared(loadouts, asked if len(asked) > 1 else asked[0], profiles=profiles_in(profiles), **given)
    used = (found if hasattr(found, "profiles") else found.mean).profiles
    write(Shown(lambda: str(found), lambda: _comparison(found), lambda: _rows(found.frame, used)), plot=found.plot)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{text!r} is not a number", where="weights", allowed="such as 2,1") from None


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
    record = {"best": found.best, "tied": list(found.tied), "at_least": found.at_least}
    return {**record, "loadouts": _rows(found.frame)}


def _rows(frame: pd.DataFrame, used: object = None) -> list[dict[str, Any]]:
    """The rows of a frame as plain data, None where there is nothing; `used`: the profiles, as a last column."""
    table = frame.astype(object).where(frame.notna(), None)
    table = table if used is None else table.assign(profiles=str(used))
    return [{str(name): cell for name, cell in row.items()} for row in table.to_dict("records")]


@click.command(cls=Command, params=MATCHUPS_OPTIONS)
@click.argument("attackers", shell_complete=complete_selector)
@click.argument("defenders", shell_complete=complete_selector)
def matchups(attackers: str, defenders: str, profiles: str | None, **options: Any) -> None:
    """Every one of ATTACKERS on every one of DEFENDERS: selectors with wildcards, such as 'crown/*' '*/*@basic'."""
    from analyser.analysis.matchups import matchups as matched
    from analyser.results.rendering import Shown

    check_places()
    names = ("situations", "metric", "per_points", "row", "levels", "threads")
    given = given_in({name: options[name] for name in names})
    with progress_bar() as progress:
        found = matched(attackers, defenders, profiles=profiles_in(profiles), progress=progress, **given)

    def record() -> dict[str, Any]:
        return {
            "method": "exact",
            "metric": found.metric,
            "situations": [each.name for each in found.situations],
            "row": found.row,
            "profiles": found.profiles and found.profiles._asdict(),
            "matchups": _rows(found.frame),
            "assumptions": list(found.assumptions),
            "not_modelled": [each._asdict() for each in found.not_modelled],
        }

    write(Shown(lambda: str(found), record, lambda: _rows(found.frame, found.profiles)), plot=found.heatmap)
    if len(found.situations) > 1 and options["plot"]:
        note(f"the picture shows {found.situations[0].name} alone; see --situations")


@click.command(cls=Command, params=[METRIC, *ATTACK_OPTIONS, *OUTPUT_OPTIONS])
@ATTACKER
@TARGET
def sensitivity(attacker: str, target: str, metric: str | None, profiles: str | None, **_: Any) -> None:
    """What one more and one less of each number of ATTACKER and TARGET does to a figure of the attack."""
    from analyser.analysis.sensitivity import sensitivity as varied
    from analyser.results.rendering import Shown

    check_places()
    given = given_in({"metric": metric})
    found = varied(attack_scenario(attacker, target), profiles=profiles_in(profiles), **given)

    def record() -> dict[str, Any]:
        return {
            "method": "exact",
            "metric": found.metric,
            "base": found.base,
            "at_least": found.at_least,
            "price": found.price._asdict(),
            "profiles": found.profiles and found.profiles._asdict(),
            "numbers": _rows(found.frame),
        }

    write(Shown(lambda: str(found), record, lambda: _rows(found.frame, found.profiles)), plot=found.plot)


@click.command(cls=Command, params=EXPLORE_OPTIONS)
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
        raise InputError(f"needs {' and '.join(missing)}; to install: {remedy}", where="explore")
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
        done = subprocess.run([sys.executable, "-m", "voila", str(path), *more], check=False)
    click.get_current_context().exit(done.returncode)
