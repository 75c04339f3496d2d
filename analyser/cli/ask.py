"""The commands that ask a question many times over: curve."""

from __future__ import annotations

from typing import Any

import click

from analyser.cli import options
from analyser.cli.answer import write
from analyser.cli.fights import ATTACK_OPTIONS, OF_COMBATANT, OF_DUELLIST, OF_TARGET, attack_scenario, unit_from
from analyser.cli.options import AT_LEAST_1, METHOD, OUTPUT_OPTIONS, Option, complete_selector
from analyser.cli.shell import Choice, Command, given, profiles_in, progress_bar
from analyser.common.errors import InputError

ASKED = "Asked"
SAMPLING = ("method", "trials", "seed", "precision", "threads")
_METHODS = [
    Option("--method", "Default: exact.", METHOD, type=Choice(options.METHODS[:2]), default="exact"),
    Option("--trials N", "Monte Carlo: how often each is played.", METHOD, type=AT_LEAST_1),
    *options.SAMPLE_OPTIONS,
]
_TARGET = "Selector of the unit that all attack, charge or fight. Without it: question files."
_OVER = "Over what: distance=1..24, dice=4..12, level, ...; twice: a map. Default: distance."
_METRIC = "The figure, such as p_broken; NAME:least where less is better; twice: a front."
CURVE_OPTIONS = [
    Option("--target UNIT", _TARGET, ASKED, shell_complete=OF_TARGET.complete),
    Option("--over KEY=VALUES", _OVER, ASKED, multiple=True),
    Option("--metric NAME", _METRIC, ASKED, multiple=True),
    Option("--kind", "Default: attack.", ASKED, type=Choice(("attack", "charge", "duel")), default="attack"),
    Option("--rows", "Each ranged row of each unit is a line of its own.", ASKED),
    *ATTACK_OPTIONS,
    *_METHODS,
    *OUTPUT_OPTIONS,
]


@click.command(cls=Command, params=CURVE_OPTIONS)
@click.argument("units", nargs=-1, required=True, shell_complete=complete_selector)
def curve(units: tuple[str, ...], target: str | None, kind: str, rows: bool, **keys: Any) -> None:
    """A figure of a question over one number or two, and who is best where.

    UNITS are selectors, which may have wildcards, with --target; or the files of whole questions of one kind (attacks,
    charges, focus fire, duels, morale). Each is a line.
    """
    from analyser.ask.curve import curve as asked

    how = given(keys, *SAMPLING) | {"over": keys["over"] or ("distance",), "metric": keys["metric"] or None}
    if target is not None:
        section, conditions = target_and_conditions(target, kind)
        how |= {"target": section, "kind": kind, "rows": rows, **conditions}
    else:
        stated = [option.opts[0] for option, _ in options.given_keys()]
        if stated or rows or kind != "attack":
            problem = "without --target the questions stand in files, which say that themselves"
            raise InputError(problem, where=(stated or ["--rows" if rows else "--kind"])[0], allowed="with --target")
    with progress_bar("points", after=1.0) as progress:
        found = asked(list(units), profiles=profiles_in(keys["profiles"]), progress=progress, **how)
    write(lambda: str(found), found.as_dict, found.rows, plot=found.plot)


def target_and_conditions(target: str, kind: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The section of a target, and the keys that were given as options: those of an attack, for no other kind."""
    if kind == "attack":
        raw = attack_scenario("", target)
        return raw["target"], {key: value for key, value in raw["attack"].items() if key != "attacker"}
    stated = [option.opts[0] for option, _ in options.given_keys()]
    if stated:
        raise InputError(f"not of a {kind}", where=stated[0], allowed="keys after the colon of --target, or --over")
    return unit_from(target, "target", OF_DUELLIST if kind == "duel" else OF_COMBATANT), {}
