"""The command that sets loadouts side by side: ``compare``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from analyser.cli.conditions import scenario_from, with_conditions
from analyser.cli.shell import AT_LEAST_1, FORMAT, PROFILES, THREADS, Choice, json_text, profiles_in, show
from analyser.files import check_writable

if TYPE_CHECKING:
    from analyser.comparisons.comparison import Comparison


@click.command()
@click.argument("loadouts", nargs=-1, required=True)
@click.option("--target", metavar="TARGET", required=True, help="Selector of the unit that all of them attack.")
@click.option("--metric", metavar="NAME", help="The figure that decides which is best (mean_models_destroyed).")
@click.option("--per-points", is_flag=True, help="Let the figure per 100 points of the loadout decide.")
@click.option("--at-least", type=AT_LEAST_1, metavar="K", help="K of P(at least K destroyed); left out: half of them.")
@with_conditions
@PROFILES
@click.option("--method", type=Choice(["exact", "monte-carlo"]), default="exact", show_default=True)
@click.option("--trials", type=AT_LEAST_1, metavar="N", help="Monte Carlo: attacks to roll for each, at least.")
@click.option("--seed", type=click.IntRange(0), metavar="N", help="Monte Carlo: same seed, same answer (0).")
@THREADS
@FORMAT
@click.option("--out", metavar="FILE", help="Write there, whole or not at all; left out: standard output.")
def compare(
    loadouts: tuple[str, ...], target: str, profiles: str | None, form: str, out: str | None, **options: Any
) -> None:
    """LOADOUTS side by side, each making the same attack on one target; selectors may have wildcards."""
    from analyser.comparisons.compare import compare as compared

    if out is not None:
        check_writable(Path(out))
    raw = scenario_from("", target, options)
    attack = {key: value for key, value in raw["attack"].items() if key != "attacker"}
    names = ("metric", "per_points", "at_least", "method", "trials", "seed", "threads")
    given = {name: options[name] for name in names if options[name] is not None}
    found = compared(loadouts, raw["target"], profiles=profiles_in(profiles), **given, **attack)
    show(_text(found, form), out)


def _text(found: Comparison, form: str) -> str:
    if form == "table":
        return str(found)
    if form == "csv":
        return str(found.frame.to_csv(index=False, lineterminator="\n"))
    rows = [{name: _plain(value) for name, value in row.items()} for row in found.frame.to_dict("records")]
    return json_text({"best": found.best, "metric": found.metric, "at_least": found.at_least, "loadouts": rows})


def _plain(value: Any) -> Any:
    """A cell of a frame as JSON has it: null where there is nothing."""
    import pandas as pd

    if pd.isna(value):
        return None
    return value.item() if hasattr(value, "item") else value
