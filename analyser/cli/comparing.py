"""The command that sets loadouts side by side: ``compare``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from analyser.cli.options import scenario_from, with_conditions
from analyser.cli.shell import AT_LEAST_1, FORMAT, PROFILES, THREADS, Choice, Command, json_text, profiles_in, show
from analyser.common.errors import InputError
from analyser.common.files import check_writable

if TYPE_CHECKING:
    from analyser.analysis.compare_result import Comparison
    from analyser.analysis.targets import Comparisons


@click.command(cls=Command)
@click.argument("loadouts", nargs=-1, required=True)
@click.option(
    "--target",
    "targets",
    metavar="TARGET",
    required=True,
    multiple=True,
    help="Selector of the unit that all of them attack; can be repeated: a table each, and the mean.",
)
@click.option("--weights", metavar="NUMBERS", help="Of several targets, with commas between them; left out: all alike.")
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
    loadouts: tuple[str, ...], targets: tuple[str, ...], weights: str | None, profiles: str | None, form: str,
    out: str | None, **options: Any,
) -> None:  # fmt: skip
    """LOADOUTS side by side, each making the same attack on a target, or on several; selectors may have wildcards.

    After the colon of a target may stand what is true of it alone; options hold for every target.
    """
    from analyser.analysis.compare import compare as compared

    if out is not None:
        check_writable(Path(out))
    raw = [scenario_from("", each, options) for each in targets]
    attack = {key: value for key, value in raw[0]["attack"].items() if key != "attacker"}
    asked: Any = [each["target"] for each in raw]
    names = ("metric", "per_points", "at_least", "method", "trials", "seed", "threads")
    given = {name: options[name] for name in names if options[name] is not None}
    if weights is not None:
        given["weights"] = _numbers(weights)
    found = compared(loadouts, asked if len(asked) > 1 else asked[0], profiles=profiles_in(profiles), **given, **attack)
    show(_text(found, form), out)


def _numbers(text: str) -> list[float]:
    """Numbers with commas between them."""
    found = []
    for part in text.split(","):
        try:
            found.append(float(part))
        except ValueError:
            raise InputError(f"{part.strip()!r} is no number", where="weights", allowed="such as 2,1") from None
    return found


def _text(found: Comparison | Comparisons, form: str) -> str:
    from analyser.analysis.compare_result import Comparison

    if form == "table":
        return str(found)
    mean = found if isinstance(found, Comparison) else found.mean
    if form == "csv":
        return str(found.frame.assign(profiles=str(mean.profiles)).to_csv(index=False, lineterminator="\n"))
    record = {"metric": mean.metric, "profiles": mean.profiles._asdict()}
    if isinstance(found, Comparison):
        return json_text({**record, **_record(found), "target": next(iter(found.shares))})
    targets = [
        {"target": target, "weight": found.weights[target], "share": found.mean.shares[target], **_record(each)}
        for target, each in found.by_target.items()
    ]
    return json_text({**record, "targets": targets, "mean": _record(mean)})


def _record(found: Comparison) -> dict[str, Any]:
    rows = [{name: _plain(value) for name, value in row.items()} for row in found.frame.to_dict("records")]
    return {"best": found.best, "tied": list(found.tied), "at_least": found.at_least, "loadouts": rows}


def _plain(value: Any) -> Any:
    """A cell of a frame as JSON has it: null where there is nothing."""
    import pandas as pd

    if pd.isna(value):
        return None
    return value.item() if hasattr(value, "item") else value
