"""The commands of the verdict: what loadouts should cost, and what a change of one does."""

from __future__ import annotations

import re
from typing import Any

import click

from analyser.cli.answer import write
from analyser.cli.options import (
    DASK,
    OUTPUT_OPTIONS,
    PLOT,
    POLICY,
    PROFILES,
    QUIET_OPTION,
    RULESET_OPTIONS,
    THREADS,
    Integer,
    Option,
    complete_selector,
    helped_by,
    names,
    value_of,
)
from analyser.cli.shell import Command, examples, given, profiles_in, progress_bar
from analyser.common.errors import InputError
from analyser.common.files import name_of

FIELD = Option(
    "--against PATTERN", "Opponents, who meet each other too. Default: all factions.", shell_complete=complete_selector
)
SITUATIONS = Option("--situations NAMES", "Default: long-range,short-range-aimed,charge.", type=names)
_CHANGE = re.compile(r"(?P<key>[A-Za-z_]+)(?P<sign>[=+-])(?P<value>.+)")
_NO_PLOT = [each for each in OUTPUT_OPTIONS if each is not PLOT]
_FIELD_OPTIONS = [FIELD, SITUATIONS, THREADS]
_ROW = Option("--row NAME", "Whose dice, ranges and qualities are changed. Default: every row.")
_ROLE = Option("--role NAME", "Be paid as units of that role are. Default: its own.")
_MOST = Option("--most N", "Try so many dice fewer and more.", type=Integer(1, 12), default=5, show_default=True)


@click.command(
    cls=Command,
    params=[FIELD, SITUATIONS, POLICY, THREADS, *OUTPUT_OPTIONS],
    epilog=examples(
        "prices 'crown/*'", "prices 'crown/rifle*' --against 'imperium/*' --plot prices.png", "prices --out prices.csv"
    ),
)
@click.argument("units", nargs=-1, shell_complete=complete_selector)
def prices(units: tuple[str, ...], profiles: str | None, **keys: Any) -> None:
    """What UNITS should cost, how sure that is, and why: selectors with wildcards. Default: everybody."""
    from analyser.analysis.prices import EVERYBODY, fair_points

    how = given(keys, "against", "situations", "policy", "threads")
    with progress_bar() as progress:
        found = fair_points(units or EVERYBODY, profiles=profiles_in(profiles), progress=progress, **how)

    def rows() -> list[dict[str, Any]]:
        beside = {"judged_against": found.among.in_short.removeprefix("against "), "profiles": str(found.profiles)}
        return [{**row, **beside} for row in found.as_dict()["loadouts"]]

    write(lambda: str(found), found.as_dict, rows, plot=found.plot)


SITE_OPTIONS = [
    Option("--add VERSION", "First write a report for each pair of factions into DIR/VERSION."),
    Option("--situations NAMES", "Of the reports that are added. Default: all.", type=names),
    THREADS,
    DASK,
    *RULESET_OPTIONS,
    PROFILES,
    QUIET_OPTION,
]


@click.command(
    cls=Command,
    params=SITE_OPTIONS,
    epilog=examples("site balance --add 2026-11 --profiles my-profiles", "site balance"),
)
@click.argument("folder", metavar="DIR")
def site(folder: str, profiles: str | None, dask: str | None, **keys: Any) -> None:
    """An index page over the reports in DIR: all pairs of factions, by version, and what changed since the last."""
    from analyser.report import write_site

    with helped_by(dask, keys["threads"]) as executor, progress_bar() as progress:
        how = {"progress": progress, "executor": executor, **given(keys)}
        written = write_site(folder, profiles=profiles_in(profiles), **how)
    click.echo(f"The page is {name_of(written)}")


@click.command(
    "what-if",
    cls=Command,
    params=[_ROW, POLICY, *_FIELD_OPTIONS, *_NO_PLOT],
    epilog=examples(
        "what-if crown/rifle-platoon@reinforced points=75 dice-2 --against 'imperium/*'",
        "what-if crown/rifle-platoon@basic 'rules-Stoic Defence' defence=3",
        "what-if imperium/krupp@basic qualities+Arc dice+1 --row ranged-heavy",
    ),
)
@click.argument("unit", shell_complete=complete_selector)
@click.argument("changes", nargs=-1, required=True)
def what_if(unit: str, changes: tuple[str, ...], profiles: str | None, **keys: Any) -> None:
    """What CHANGES of UNIT would do: points=75, points+10, dice-2, qualities+Arc, defence=3 and the like."""
    from analyser.analysis.what_if import what_if as found_for

    how = given(keys, "row", "against", "situations", "policy", "threads")
    with progress_bar(after=1.0) as progress:
        found = found_for(unit, **how, **_changes(changes), profiles=profiles_in(profiles), progress=progress)

    def rows() -> list[dict[str, Any]]:
        beside = {"judged_against": found.among.in_short.removeprefix("against "), "profiles": str(found.profiles)}
        return [{"loadout": found.loadout, **row, **beside} for row in found.as_dict()["matchups"]]

    write(lambda: str(found), found.as_dict, rows)


def _changes(written: tuple[str, ...]) -> dict[str, Any]:
    """Changes by key; a number with a sign, or a quality, is added to what there is or taken away."""
    found: dict[str, Any] = {}
    allowed = "key=value, key+number, key-number, qualities+Name; such as points=75 dice-2"
    for each in written:
        match = _CHANGE.fullmatch(each)
        if match is None:
            raise InputError(f"{each!r} is no change", where="what-if", allowed=allowed)
        key, sign, value = match.groups()
        if key in found:
            example = f", such as {key}+Arc,-Shock" if key in ("qualities", "rules") else ""
            raise InputError(f"{key} is changed twice", where="what-if", allowed=f"one change of it{example}")
        if key == "dice" and sign == "=":
            raise InputError(f"{each!r} is no change of dice", where="what-if", allowed="dice+2, dice-2 and the like")
        found[key] = value_of(value, key) if sign == "=" else f"{sign}{value}"
    return found


@click.command(
    "solve-price",
    cls=Command,
    params=[_ROLE, POLICY, *_FIELD_OPTIONS, *_NO_PLOT],
    epilog=examples(
        "solve-price crown/rifle-platoon@reinforced --against 'imperium/*'",
        "solve-price crown/horse-guard@basic --role cavalry",
    ),
)
@click.argument("unit", shell_complete=complete_selector)
def solve_price(unit: str, profiles: str | None, **keys: Any) -> None:
    """The price at which UNIT is fair, as an interval."""
    from analyser.analysis.solve import solve_price as solved

    how = given(keys, "role", "against", "situations", "policy", "threads")
    with progress_bar(after=1.0) as progress:
        found = solved(unit, **how, profiles=profiles_in(profiles), progress=progress)
    write(lambda: str(found), found.as_dict, lambda: [found.as_dict() | {"profiles": str(found.profiles)}])


@click.command(
    "solve-dice",
    cls=Command,
    params=[_ROW, _MOST, _ROLE, POLICY, *_FIELD_OPTIONS, *OUTPUT_OPTIONS],
    epilog=examples(
        "solve-dice crown/rifle-platoon@reinforced --row ranged-light --most 3",
        "solve-dice crown/rifle-platoon@reinforced --against 'imperium/*' --plot curve.png",
    ),
)
@click.argument("unit", shell_complete=complete_selector)
def solve_dice(unit: str, profiles: str | None, **keys: Any) -> None:
    """How many dice more or fewer make UNIT fair at its price, and at which price each change would."""
    from analyser.analysis.solve import solve_dice as solved

    how = given(keys, "row", "most", "role", "against", "situations", "policy", "threads")
    with progress_bar(after=1.0) as progress:
        found = solved(unit, **how, profiles=profiles_in(profiles), progress=progress)

    def rows() -> list[dict[str, Any]]:
        beside = {"judged_against": found.among.in_short.removeprefix("against "), "profiles": str(found.profiles)}
        return [{"loadout": found.loadout, **row, **beside} for row in found.as_dict()["curve"]]

    write(lambda: str(found), found.as_dict, rows, plot=found.plot)
