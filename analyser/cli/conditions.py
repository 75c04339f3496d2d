"""Options and arguments of a question of any kind between two units, for commands that vary or retell it."""

from __future__ import annotations

from typing import Any

from analyser.cli import options
from analyser.cli.fights import ATTACK_OPTIONS, OF_COMBATANT, OF_DUELLIST, attack_scenario, unit_from
from analyser.cli.options import AT_LEAST_1, METHOD, Option, keys_of
from analyser.cli.shell import Choice
from analyser.common.errors import InputError
from analyser.common.text import with_article
from analyser.scenarios.schema import BETWEEN_TWO, Charge, DuelTerms

QUESTION = "Question"
SAMPLING = ("method", "trials", "seed", "precision", "threads", "all_at_once")
METHODS = [
    Option("--method", "Method. Default: exact.", METHOD, type=Choice(options.METHODS[:2]), default="exact"),
    Option("--trials N", "Monte Carlo: number of trials of each fight.", METHOD, type=AT_LEAST_1),
    *options.SAMPLE_OPTIONS,
]
CONDITIONS = [
    *ATTACK_OPTIONS,
    *keys_of(Charge, "charge", "Charge, with --kind charge"),
    *(key for key in keys_of(DuelTerms, "duel", "Duel, with --kind duel") if key.path[-1] != "distance"),
]
KIND = Option("--kind", "The fight. Default: attack.", QUESTION, type=Choice(BETWEEN_TWO), default="attack")


def target_and_conditions(target: str, kind: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the section of a target, and the keys of a question of a kind that were given as options."""
    conditions = conditions_of(kind)
    if kind == "attack":
        raw = attack_scenario("", target)
        return raw["target"], {key: value for key, value in raw["attack"].items() if key != "attacker"}
    return unit_from(target, "target", OF_DUELLIST if kind == "duel" else OF_COMBATANT), conditions


def conditions_of(kind: str) -> dict[str, Any]:
    """Return the keys of a charge or a duel that were given as options; InputError for a key of another kind."""
    conditions = dict[str, Any]()
    for option, value in options.given_keys():
        section, key = option.path
        if section in ("attack", "target") and kind == "attack":
            continue  # read with the units
        if section == kind or (kind == "duel" and option.path == ("attack", "distance")):
            conditions[key] = value
        elif section in ("charge", "duel"):
            raise InputError(
                f"not of {with_article(kind)}",
                where=option.opts[0],
                allowed=f"with --kind {section}",
            )
        else:
            raise InputError(f"not of a {kind}", where=option.opts[0], allowed="keys after the colon of a unit")
    return conditions


def question_from(first: str, second: str | None, kind: str) -> tuple[Any, dict[str, Any]]:
    """Return a whole question, or its first unit, with the other arguments; without `second`, `first` is a file."""
    if second is None:
        if stated := [option.opts[0] for option, _ in options.given_keys()]:
            raise InputError("the file says that itself", where=stated[0], allowed="with a TARGET")
        return first, {}
    if kind == "attack":
        conditions_of(kind)
        return attack_scenario(first, second), {}
    words = OF_DUELLIST if kind == "duel" else OF_COMBATANT
    unit = unit_from(first, "a" if kind == "duel" else "attacker", words)
    section, conditions = target_and_conditions(second, kind)
    return unit, {"target": section, "kind": kind, **conditions}
