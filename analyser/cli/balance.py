"""Commands for fair points: fair prices of loadouts, and the effects of changes."""

from __future__ import annotations

import re
from typing import Any

import click

from analyser.cli.answer import show, text_or_page, with_progress, write
from analyser.cli.battle import note_first_battles
from analyser.cli.command_base import command, stated_options
from analyser.cli.options import (
    AT_LEAST_1,
    FORMAT,
    OUTPUT_OPTIONS,
    PAGE_EXTENSION,
    PLOT,
    POLICY,
    PROFILES,
    QUIET_OPTION,
    RULESET_OPTIONS,
    THREADS,
    Integer,
    Number,
    Option,
    OutOption,
    complete_selector,
    parse_value,
    situations_option,
)
from analyser.common.errors import InputError

HAS_FAILING_VERDICT = 1  # exit status of --fail-on-verdict
_AGAINST_TEXT = "Opponents, such as 'imperium/*'. Default: all factions."
_CHANGE_FORM = re.compile(r"(?P<key>[A-Za-z_]+)(?P<sign>[=+-])(?P<value>.+)")
_OUTPUT_WITHOUT_PLOT = [option for option in OUTPUT_OPTIONS if option is not PLOT]
_OPPONENT_OPTIONS = [
    POLICY,
    Option("--against PATTERN", _AGAINST_TEXT, shell_complete=complete_selector),
    situations_option(". Default: long-range,short-range-aimed,charge."),
    THREADS,
]
_QUESTION_KEYS = ("row", "most", "role", "against", "situations", "policy", "threads")
_ROW = Option("--row NAME", "Row to change (dice, ranges, qualities). Default: every row.")
_ROLE = Option("--role NAME", "Price the unit like units of that role. Default: its own role.")
_MOST_DICE = Option("--most N", "Try up to N dice more or fewer.", type=Integer(1, 12), default=5, show_default=True)
UNIT = click.argument("unit", shell_complete=complete_selector)


@command(
    *_OPPONENT_OPTIONS,
    Option(
        "--fail-on-verdict WORDS",
        "Exit with 1 if a loadout has one of these verdicts, such as over-priced,under-priced.",
    ),
    Option("--baseline FILE", "With --fail-on-verdict: file of verdicts to let pass (written by --accept)."),
    Option("--accept FILE", "Save all verdicts as accepted, for --baseline."),
    *OUTPUT_OPTIONS,
    examples=(
        "'crown/rifle*' --against 'imperium/*' --plot prices.png",
        "--fail-on-verdict over-priced,under-priced --baseline verdicts.json",
    ),
)
@click.argument("units", nargs=-1, shell_complete=complete_selector)
@click.pass_context
def balance_prices(
    context: click.Context,
    /,
    units: tuple[str, ...],
    fail_on_verdict: str | None,
    baseline: str | None,
    accept: str | None,
    **keys: Any,
) -> None:
    """Estimate the fair points of UNITS (what they should cost), with intervals and reasons.

    Names may have wildcards. Default: all units.
    """
    from analyser.analysis import verdict_gate
    from analyser.analysis.prices import ALL_LOADOUTS, fair_points

    failing = () if fail_on_verdict is None else verdict_gate.verdicts_named(fail_on_verdict)
    if baseline and not failing:
        raise InputError("no effect without --fail-on-verdict", where="--baseline", allowed="both, or neither")
    accepted = verdict_gate.read_baseline(baseline) if baseline else None
    result = with_progress(fair_points, units or ALL_LOADOUTS, delay=0.0, **stated_options(keys, *_QUESTION_KEYS))
    if accept:
        verdict_gate.write_baseline(result, accept)
    failed = verdict_gate.failures(result, failing, accepted)
    if not failing:
        show(result, plot=result.plot)
    elif len(failed):
        click.echo("\n".join(verdict_gate.failure_lines(failed)))
        context.exit(HAS_FAILING_VERDICT)


@command(
    Option("--step N", "Change prices by multiples of N points.", type=Integer(1, 1000), default=5, show_default=True),
    Option("--most-changes N", "Maximum number of changes.", type=Integer(1, 1000), default=12, show_default=True),
    Option(
        "--within X", "Stop when points differ from fair points by at most X on average (0.1 is 10%).", type=Number(0)
    ),
    *(option for option in _OPPONENT_OPTIONS if option is not POLICY),
    *_OUTPUT_WITHOUT_PLOT,
    examples=("--step 5 --most-changes 12", "'crown/*' --within 0.12 --out changes.csv"),
)
@click.argument("units", nargs=-1, shell_complete=complete_selector)
def balance_fix(units: tuple[str, ...], **keys: Any) -> None:
    """Find the fewest price changes of UNITS that bring prices near fair points, and the effect of each."""
    from analyser.analysis.prices import ALL_LOADOUTS
    from analyser.analysis.rebalance import rebalance

    options = stated_options(keys, "step", "most_changes", "within", *_QUESTION_KEYS)
    result = with_progress(rebalance, units or ALL_LOADOUTS, delay=0.0, **options)
    show(result)


@command(
    Option("--against PATTERN", "Opponents for fair points. Default: all factions.", shell_complete=complete_selector),
    Option("--points N", "Points of an army.", type=AT_LEAST_1, default=600, show_default=True),
    Option("--trials N", "Battles for each pair of armies.", type=AT_LEAST_1, default=32, show_default=True),
    Option("--seed N", "Seed of the battles; same seed, same result.", type=Integer(0), default=0, show_default=True),
    THREADS,
    *(*RULESET_OPTIONS, PROFILES, FORMAT, OutOption(PAGE_EXTENSION), QUIET_OPTION),
    examples=("crown imperium", "'crown/*@basic' --points 900 --out check.html"),
)
@click.argument("units", nargs=-1, shell_complete=complete_selector)
def balance_check(units: tuple[str, ...], **keys: Any) -> None:
    """Compare fair points with simulated battles of armies of equal cost, each with one kind of unit.

    Default: all units. --out FILE.html writes a page.
    """
    from analyser.analysis import balance_check

    note_first_battles()
    options = stated_options(keys, "against", "points", "trials", "seed", "threads")
    result = with_progress(balance_check.balance_check, units or balance_check.EVERY_UNIT, noun="battles", **options)
    write(lambda: text_or_page(result, "check_page"), result.as_dict, result.rows_with_profiles)


@command(
    _ROW,
    *_OPPONENT_OPTIONS,
    *_OUTPUT_WITHOUT_PLOT,
    examples=(
        "crown/rifle-platoon@reinforced points=75 dice-2 --against 'imperium/*'",
        "imperium/krupp@basic qualities+Arc dice+1 --row ranged-heavy",
    ),
)
@UNIT
@click.argument("changes", nargs=-1, required=True)
def balance_what_if(unit: str, changes: tuple[str, ...], **keys: Any) -> None:
    """Show the effect of CHANGES of UNIT, such as points=75, points+10, dice-2, qualities+Arc or defence=3."""
    from analyser.analysis.what_if import what_if

    result = with_progress(what_if, unit, **stated_options(keys, *_QUESTION_KEYS), **_changes(changes))
    show(result)


def _changes(texts: tuple[str, ...]) -> dict[str, Any]:
    """Return changes by key, from texts such as ``points=75``, ``dice-2`` or ``qualities+Arc``."""
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
    _ROLE,
    *_OPPONENT_OPTIONS,
    *_OUTPUT_WITHOUT_PLOT,
    examples=(
        "crown/rifle-platoon@reinforced --against 'imperium/*'",
        "crown/horse-guard@basic --role cavalry",
    ),
)
@UNIT
def balance_solve_price(unit: str, **keys: Any) -> None:
    """Compute the price at which UNIT is fair, with its interval."""
    from analyser.analysis.break_even import solve_price

    result = with_progress(solve_price, unit, **stated_options(keys, *_QUESTION_KEYS))
    show(result)


@command(
    _ROW,
    _MOST_DICE,
    _ROLE,
    *_OPPONENT_OPTIONS,
    *OUTPUT_OPTIONS,
    examples=(
        "crown/rifle-platoon@reinforced --row ranged-light --most 3",
        "crown/rifle-platoon@reinforced --against 'imperium/*' --plot curve.png",
    ),
)
@UNIT
def balance_solve_dice(unit: str, **keys: Any) -> None:
    """Compute the number of dice at which UNIT is fair at its price, and the fair price of each change."""
    from analyser.analysis.break_even import solve_dice

    result = with_progress(solve_dice, unit, **stated_options(keys, *_QUESTION_KEYS))
    show(result, plot=result.plot)
