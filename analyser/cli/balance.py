"""Commands for fair points: fair prices of loadouts, and the effects of changes."""

from __future__ import annotations

import re
from typing import Any

import click

import analyser
from analyser.cli.answer import note_first_battles, show, with_progress
from analyser.cli.command_base import command
from analyser.cli.option_base import Option, parse_value
from analyser.cli.options import THREADS, output, situations
from analyser.common.errors import InputError

HAS_FAILING_VERDICT = 1  # exit status if a loadout has a verdict of --fail-on-verdict
_CHANGE_FORM = re.compile(r"(?P<key>[A-Za-z_]+)(?P<sign>[=+-])(?P<value>.+)")
_AGAINST = Option("--against PATTERN", "Opponents, such as 'imperium/*'. Default: all factions.")
_OPPONENTS = [_AGAINST, situations(". Default: long-range,short-range-aimed,charge.", duel=False), THREADS]
_ROW = Option("--row NAME", "Row to change (dice, ranges, qualities). Default: every row.")
_MOST_DICE = Option("--most N", "Try up to N dice more or fewer, 1 to 12. Default: 5.", least=1, most=12)


@command(
    "[UNITS]...",
    *_OPPONENTS,
    Option("--fail-on-verdict WORDS", "Exit with 1 and list loadouts if any have these verdicts, such as over-priced."),
    Option("--baseline FILE", "With --fail-on-verdict: file of accepted verdicts, made with --accept."),
    Option("--accept FILE", "Save all verdicts as accepted, for --baseline."),
    *output(),
    examples=(
        "'crown/rifle*' --against 'imperium/*' --plot prices.png",
        "--fail-on-verdict over-priced,under-priced --baseline verdicts.json",
    ),
)
def balance_prices(
    fail_on_verdict: str | None = None, baseline: str | None = None, accept: str | None = None, **keys: Any
) -> int:
    """Estimate the fair points of UNITS (what they should cost), with intervals and reasons.

    Names may have wildcards. Default: all units.
    """
    from analyser.analysis import verdict_gate

    failing = () if fail_on_verdict is None else verdict_gate.verdicts_named(fail_on_verdict)
    if baseline and not failing:
        raise InputError("no effect without --fail-on-verdict", where="--baseline", allowed="both, or neither")
    accepted = verdict_gate.read_baseline(baseline) if baseline else None
    result = with_progress(analyser.fair_points, delay=0.0, **keys)
    if accept:
        verdict_gate.write_baseline(result, accept)
    show(result)
    failed = verdict_gate.failures(result, failing, accepted)
    if len(failed):
        click.echo("\n".join(verdict_gate.failure_lines(failed)), err=True)
        return HAS_FAILING_VERDICT
    return 0


@command(
    "[UNITS]...",
    Option("--step N", "Change prices by multiples of N points. Default: 5.", least=1, most=1000),
    Option("--most-changes N", "Maximum number of changes. Default: 12.", least=1, most=1000),
    Option("--within X", "Stop when points differ from fair points by at most X on average (0.1 is 10%).", least=0),
    *_OPPONENTS,
    *output(plot=False),
    examples=("--step 5 --most-changes 12", "'crown/*' --within 0.12 --out changes.csv"),
)
def balance_fix(**keys: Any) -> None:
    """Find the fewest price changes of UNITS that bring prices near fair points, and the effect of each change."""
    from analyser.analysis.rebalance import rebalance

    show(with_progress(rebalance, delay=0.0, **keys))


@command(
    "[UNITS]...",
    Option("--against PATTERN", "Opponents for fair points. Default: all factions."),
    Option("--points N", "Points of an army. Default: 600.", least=1),
    Option("--trials N", "Battles for each pair of armies. Default: 32.", least=1),
    Option("--seed N", "Seed of the battles; same seed, same result. Default: 0.", least=0),
    *(THREADS, *output(".html", plot=False)),
    examples=("crown imperium", "'crown/*@basic' --points 900 --out check.html"),
)
def balance_check(**keys: Any) -> None:
    """Compare fair points with simulated battles of armies of equal cost, each with one kind of unit.

    Default: all units. --out FILE.html writes a page.
    """
    note_first_battles()
    show(with_progress(analyser.balance_check, noun="battles", **keys), page="check_page")


@command(
    "UNIT CHANGES...",
    *(_ROW, *_OPPONENTS),
    *output(plot=False),
    examples=(
        "crown/rifle-platoon@reinforced points=75 dice-2 --against 'imperium/*'",
        "imperium/krupp@basic qualities+Arc dice+1 --row ranged-heavy",
    ),
)
def balance_what_if(changes: tuple[str, ...], **keys: Any) -> None:
    """Show the effect of CHANGES to UNIT, such as points=75, points+10, dice-2, qualities+Arc or defence=3."""
    show(with_progress(analyser.what_if, **keys, **_changes(changes)))


def _changes(texts: tuple[str, ...]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    allowed = "key=value, key+number, key-number, qualities+Name; such as points=75 dice-2"
    for change in texts:
        match = _CHANGE_FORM.fullmatch(change)
        if match is None:
            raise InputError(f"{change!r} is not a change", where="what-if", allowed=allowed)
        key, sign, value = match.groups()
        if key in result:
            example = f", such as {key}+Arc,-Shock" if key in ("qualities", "rules") else ""
            raise InputError(f"{key} is changed twice", where="what-if", allowed=f"one change of it{example}")
        if key == "dice" and sign == "=":
            raise InputError(f"{change!r} is not a change of dice", where="what-if", allowed="such as dice+2 or dice-2")
        result[key] = parse_value(value, key) if sign == "=" else f"{sign}{value}"
    return result


@command(
    "UNIT",
    *_OPPONENTS,
    *output(plot=False),
    examples=("crown/rifle-platoon@reinforced --against 'imperium/*'", "crown/horse-guard@basic"),
)
def balance_solve_price(**keys: Any) -> None:
    """Compute the fair price of UNIT, with its interval."""
    show(with_progress(analyser.solve_price, **keys))


@command(
    "UNIT",
    Option("--row NAME", "Row whose dice change. Default: every row."),
    *(_MOST_DICE, *_OPPONENTS),
    *output(),
    examples=(
        "crown/rifle-platoon@reinforced --row ranged-light --most 3",
        "crown/rifle-platoon@reinforced --against 'imperium/*' --plot curve.png",
    ),
)
def balance_solve_dice(**keys: Any) -> None:
    """Compute the change of dice that makes the price of UNIT fair, and its fair price after each change."""
    show(with_progress(analyser.solve_dice, **keys))
