"""Commands that compare many fights: compare and matchups."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from analyser.cli import options
from analyser.cli.answer import note_without_effect, show, with_progress, write
from analyser.cli.command_base import INTERRUPTED, Choice, command, note, stated_options
from analyser.cli.fights import (
    ATTACK_OPTIONS,
    CONDITIONS,
    DUEL_NOTES,
    KIND,
    METHOD_OPTIONS,
    SAMPLING_KEYS,
    TARGET_KEYS,
    raw_attack_scenario,
    target_and_conditions,
)
from analyser.cli.options import AT_LEAST_1, METHOD, OUTPUT_OPTIONS, THREADS, Option, complete_selector
from analyser.common.errors import InputError
from analyser.common.files import is_there

COMPARISON = "Comparison"  # heading in the help
LEVELS = ("basic", "reinforced", "full-strength")
DEFAULT_OVER = {"attack": "distance", "charge": "outflanking", "duel": "distance"}
_TABLE_OPTIONS = ("weights", "per_points", "at_least")  # options that exclude a range (--over)
_TARGET_TEXT = "Target. Can be repeated: one table for each target, and one for the mean."
_WEIGHTS_TEXT = "Comma-separated weights of several targets. Default: equal."
_OVER_TEXT = "Vary a key, such as distance=1..24, dice=4..12 or level. Two keys give a map."
_METRIC_TEXT = (
    "Metric, such as p_broken (list: docs/keys.md). With --over, NAME:least prefers low values, and two metrics show"
    " the variants that no other beats in both (a Pareto front)."
)
_ROW_TEXT = "Row to fire. Default: the best for each pair."
METRIC = Option("--metric NAME", "Metric, such as p_broken (list: docs/keys.md).", COMPARISON)
PER_POINTS = Option("--per-points", "Show the metric per 100 points of the attacker.", COMPARISON)


@command(
    Option("--target UNIT", _TARGET_TEXT, COMPARISON, multiple=True, shell_complete=TARGET_KEYS.complete),
    Option("--over KEY=VALUES", _OVER_TEXT, COMPARISON, multiple=True),
    Option("--metric NAME", _METRIC_TEXT, COMPARISON, multiple=True),
    KIND,
    Option("--weights NUMBERS", _WEIGHTS_TEXT, COMPARISON, type=options.split_names),
    PER_POINTS,
    Option(
        "--at-least K",
        "The K in the metric P(at least K models destroyed). Default: half of the target's models.",
        COMPARISON,
        type=AT_LEAST_1,
    ),
    *CONDITIONS,
    *METHOD_OPTIONS,
    *OUTPUT_OPTIONS,
    examples=(
        "'crown/rifle*' --target scion-grenadier-p@basic --target krupp@basic",
        "crown/sharp-rifles@basic crown/rifle-p@basic --target krupp@basic --over distance=1..24",
    ),
    notes=DUEL_NOTES,
)
@click.argument("loadouts", nargs=-1, required=True, shell_complete=complete_selector)
def compare_loadouts(
    loadouts: tuple[str, ...], target: tuple[str, ...], over: tuple[str, ...], kind: str, **keys: Any
) -> None:
    """Compare LOADOUTS (units at a level) that make the same attack, charge or duel; names may have wildcards.

    Add conditions of one target after a colon; options apply to every target. --over shows each loadout as a line over
    a range. Instead of loadouts and --target you can give scenario files of one kind.
    """
    note_without_effect()
    if over or not target or kind != "attack":
        _compare_over(loadouts, target, over or (DEFAULT_OVER[kind],), kind, keys)
        return
    if keys["metric"][1:]:
        raise InputError("several metrics need a range", where="--metric", allowed="one; or several with --over")
    _compare_once(loadouts, target, keys)


def _compare_over(loadouts: tuple[str, ...], target: tuple[str, ...], over: Any, kind: str, keys: Any) -> None:
    """Compare loadouts over a range."""
    from analyser.ask.curve import curve

    if excluded := [f"--{name.replace('_', '-')}" for name in stated_options(keys, *_TABLE_OPTIONS) if keys[name]]:
        raise InputError("no effect over a range", where=excluded[0], allowed="without --over")
    keywords = stated_options(keys, *SAMPLING_KEYS) | {"over": over, "metric": keys["metric"] or None}
    if len(target) > 1:
        raise InputError("more than one target over a range", where="--target", allowed="one with --over")
    if target:
        section, conditions = target_and_conditions(target[0], kind)
        keywords |= {"target": section, "kind": kind, **conditions}
    else:
        _check_files(loadouts, kind)
    result = with_progress(curve, list(loadouts), noun="points", **keywords)
    show(result, plot=result.plot)
    if not result.complete:
        click.get_current_context().exit(INTERRUPTED)


def _check_files(files: tuple[str, ...], kind: str) -> None:
    """Raise InputError unless one of `files` is a file, and no option states a part of the question."""
    if not any(file.endswith(".toml") or is_there(Path(file)) for file in files):
        problem = "a target is missing"
        raise InputError(problem, where="--target", allowed="a unit; or files of whole questions")
    stated = [option.opts[0] for option, _ in options.key_values()]
    if stated or kind != "attack":
        problem = "this needs --target; for a file, state it in the file"
        raise InputError(problem, where=(stated or ["--kind"])[0], allowed="with --target")


def _compare_once(loadouts: tuple[str, ...], target: tuple[str, ...], keys: dict[str, Any]) -> None:
    """Compare loadouts against one or more targets."""
    from analyser.analysis.compare import compare

    raw = [raw_attack_scenario("", text) for text in target]
    attack = {key: value for key, value in raw[0]["attack"].items() if key != "attacker"}
    targets: Any = [section["target"] for section in raw]
    keywords = stated_options(keys, *_TABLE_OPTIONS, *SAMPLING_KEYS) | attack
    keywords |= {"metric": keys["metric"][0]} if keys["metric"] else {}
    if "weights" in keywords:
        keywords["weights"] = [_number(weight) for weight in keywords["weights"]]
    result = with_progress(compare, loadouts, targets if len(targets) > 1 else targets[0], noun="attacks", **keywords)
    write(lambda: str(result), result.as_dict, result.rows_with_profiles, plot=result.plot)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{text!r} is not a number", where="weights", allowed="such as 2,1") from None


@command(
    options.situations_option(", or all. Default: long-range,short-range-aimed.", COMPARISON),
    METRIC,
    PER_POINTS,
    Option("--row NAME", _ROW_TEXT, COMPARISON),
    Option(
        "--level", "Only these levels, on both sides.", COMPARISON, dest="levels", type=Choice(LEVELS), multiple=True
    ),
    THREADS,
    *OUTPUT_OPTIONS,
    examples=(
        "'crown/*' 'imperium/*' --metric p_annihilated --plot heatmap.png",
        "'crown/*@basic' 'imperium/*@basic' --situations charge --format csv",
    ),
)
@click.argument("attackers", shell_complete=complete_selector)
@click.argument("defenders", shell_complete=complete_selector)
def matchups(attackers: str, defenders: str, **keys: Any) -> None:
    """Compare each of ATTACKERS with each of DEFENDERS; names may have wildcards."""
    from analyser.analysis.matchups import matchups as compute_matchups

    keywords = stated_options(keys, "situations", "metric", "per_points", "row", "levels", "threads")
    result = with_progress(compute_matchups, attackers, defenders, delay=0.0, **keywords)

    write(lambda: str(result), result.as_dict, result.rows_with_profiles, plot=result.heatmap)
    if len(result.situations) > 1 and keys["plot"]:
        note(f"the picture shows {result.situations[0].name} alone; see --situations")


@command(
    METRIC,
    *ATTACK_OPTIONS,
    *METHOD_OPTIONS,
    *OUTPUT_OPTIONS,
    examples=("crown/rifle-p@basic krupp@basic", "crown/rifle-p@basic krupp@basic --metric p_broken --distance 6"),
)
@click.argument("attacker", shell_complete=complete_selector)
@click.argument("target", shell_complete=TARGET_KEYS.complete)
def compare_sensitivity(attacker: str, target: str, **keys: Any) -> None:
    """Show the effect of raising and lowering each number of ATTACKER and TARGET by 1 on a metric of the attack."""
    from analyser.analysis.sensitivity import sensitivity

    note_without_effect()
    keywords = stated_options(keys, "metric", *SAMPLING_KEYS)
    result = with_progress(sensitivity, raw_attack_scenario(attacker, target), noun="attacks", **keywords)

    write(lambda: str(result), result.as_dict, result.rows_with_profiles, plot=result.plot)


_RACE_TEXT = "exact, or race (simulate in stages and drop variants that cannot win). Default: exact."


@command(
    Option("--metric NAME", "Metric. Default: from the file.", COMPARISON),
    Option("--least/--most", "Prefer low or high values. Default: from the file.", COMPARISON, default=None),
    Option("--method", _RACE_TEXT, METHOD, type=Choice(("exact", "race")), default="exact"),
    Option("--trials N", "In a race: maximum number of trials of a variant.", METHOD, type=AT_LEAST_1),
    Option("--seed N", "In a race: seed; same seed, same result. Default: 0.", METHOD, type=options.Integer(0)),
    THREADS,
    Option("--replacement", "In a race: put each card back. Default: real decks.", METHOD, default=None),
    *OUTPUT_OPTIONS,
    examples=("variants.toml --plot best.png", "duels.toml --method race"),
)
@click.argument("variants", metavar="VARIANTS.toml", shell_complete=options.complete_file)
@click.pass_context
def compare_variants(context: click.Context, /, variants: str, **keys: Any) -> None:
    """Find the best of many variants of one question: a baseline, named overrides, and ranges (docs/compare.md).

    An exact search has no error. A race finds a wrong best variant in at most 5% of searches. Ctrl-C shows the results
    so far.
    """
    from analyser.ask.best_variant import search

    note_without_effect()
    keywords = stated_options(keys, "metric", "least", "method", "trials", "seed", "threads", "replacement")
    result = with_progress(search, variants, noun="variants", **keywords)
    show(result, plot=result.plot)
    if not result.complete:
        context.exit(INTERRUPTED)
