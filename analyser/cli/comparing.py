"""The command that sets loadouts side by side: ``compare``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from analyser.cli.fights import ATTACK_OPTIONS, attack_scenario
from analyser.cli.options import AT_LEAST_1, METHOD, OUTPUT_OPTIONS, SEED, THREADS, Option
from analyser.cli.shell import Choice, Command, json_text, profiles_in, show
from analyser.common.errors import InputError
from analyser.common.files import check_writable

if TYPE_CHECKING:
    from analyser.analysis.compare_result import Comparison
    from analyser.analysis.targets import Comparisons


@click.command(
    cls=Command,
    params=[
        Option(
            "--target", "targets", metavar="TARGET", required=True, multiple=True, group="Comparison",
            help="Selector of the unit that all of them attack; can be repeated: a table each, and the mean.",
        ),
        Option(
            "--weights", metavar="NUMBERS", group="Comparison",
            help="Of several targets, with commas between them. Default: all alike.",
        ),
        Option(
            "--metric", metavar="NAME", group="Comparison",
            help="The figure that decides which is best (mean_models_destroyed).",
        ),
        Option(
            "--per-points", is_flag=True, group="Comparison", help="Let the figure per 100 points decide."
        ),
        Option(
            "--at-least", type=AT_LEAST_1, metavar="K", group="Comparison",
            help="K of P(at least K destroyed). Default: half of them.",
        ),
        *ATTACK_OPTIONS,
        Option("--method", type=Choice(["exact", "monte-carlo"]), default="exact", show_default=True, group=METHOD),
        Option("--trials", type=AT_LEAST_1, metavar="N", group=METHOD, help="Monte Carlo: attacks for each, at least."),
        SEED, THREADS, *OUTPUT_OPTIONS,
    ],
)  # fmt: skip
@click.argument("loadouts", nargs=-1, required=True)
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
    raw = [attack_scenario("", each) for each in targets]
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
