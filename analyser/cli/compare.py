"""Commands that compare many fights: compare and matchups."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click

import analyser
from analyser.cli.answer import note_without_effect, profiles_in_use, show, with_progress
from analyser.cli.command_base import command
from analyser.cli.fights import (
    ATTACK_OPTIONS,
    CONDITIONS,
    DUEL_NOTES,
    KIND,
    raw_scenario,
    target_and_conditions,
)
from analyser.cli.messages import note
from analyser.cli.option_base import METHOD, Option, Value, number, split_names
from analyser.cli.options import THREADS, key_values, output, situations
from analyser.cli.options import method as method_options
from analyser.common.errors import InputError
from analyser.common.files import is_there

COMPARISON = "Comparison"  # heading in the help
DEFAULT_OVER = {"attack": "distance", "charge": "outflanking", "duel": "distance"}  # key that varies by default
_TABLE_OPTIONS = ("weights", "per_points", "at_least")  # options that exclude a range (--over)
_WEIGHTS = Value(lambda text, where: [number(None, above=0).read(part, where) for part in split_names(text)])
_METRIC_TEXT = (
    "Metric, such as p_broken (--help-all lists them). With --over, NAME:least prefers low values, and two metrics show"
    " the combinations that no other beats in both (a Pareto front)."
)
_OF_MATCHUPS, _OF_SENSITIVITY = (
    Option("--metric NAME", f"Metric (--help-all lists them). Default: {default}.", COMPARISON)
    for default in ("p_annihilated", "mean_models_destroyed")
)


def _metric_notes(duels: bool = True) -> str:
    """Return the metrics for ``--help-all``; with `duels` those of the command compare, and the policies of duels."""
    from analyser.common.metrics import COMPARE_METRICS, LOSS_METRICS, MATCHUP_METRICS

    titles = {name: metric.title.format(at_least="K") for name, metric in (COMPARE_METRICS | MATCHUP_METRICS).items()}
    left_out = LOSS_METRICS if duels else ()
    shown = {name: title for name, title in titles.items() if "_per_100_points" not in name and name not in left_out}
    lines = [f"  {name:<40}{title}" for name, title in shown.items()]
    per_points = "Metrics that begin with mean_ or expected_ also exist with the ending _per_100_points."
    return "\n".join(["\b", "Metrics:", *lines, "", per_points, *(["", DUEL_NOTES] if duels else [])])


PER_POINTS = Option("--per-points", "Show the metric per 100 points of the attacker.", COMPARISON)


@command(
    "LOADOUTS...",
    Option("--target UNIT", "Target. Several: one table for each, and one for the mean.", COMPARISON, multiple=True),
    Option("--over KEY=VALUES", "Vary a key, such as distance=1..24; two give a map.", COMPARISON, multiple=True),
    Option("--metric NAME", _METRIC_TEXT, COMPARISON, multiple=True),
    KIND,
    Option("--weights NUMBERS", "Weights of several targets, such as 2,1. Default: equal.", COMPARISON, type=_WEIGHTS),
    PER_POINTS,
    Option("--at-least K", "K in P(at least K models destroyed). Default: half the target.", COMPARISON, least=1),
    *CONDITIONS,
    *method_options(
        "Monte Carlo: number of trials of each fight, rounded up to a multiple of 2,097,152 for attacks without --over."
    ),
    *output(),
    examples=(
        "'crown/rifle*' --target scion-grenadier-p@basic --target krupp@basic",
        "crown/sharp-rifles@basic crown/rifle-p@basic --target krupp@basic --over distance=1..24",
    ),
    notes=_metric_notes,
)
def compare_loadouts(
    loadouts: tuple[str, ...],
    target: tuple[str, ...] = (),
    over: tuple[str, ...] = (),
    metric: tuple[str, ...] = (),
    kind: str = "attack",
    **keys: Any,
) -> None:
    """Compare LOADOUTS (units at a level) that make the same attack, charge or duel; names may have wildcards.

    Add conditions of one target after a colon; options apply to every target. --over shows each loadout as a line over
    a range. Instead of loadouts and --target you can give scenario files of one kind.
    """
    note_without_effect(**keys)
    if over or not target or kind != "attack":
        keys |= {"over": over, "metric": metric or None}
        _compare_over(loadouts, target, kind, keys)
        return
    if metric[1:]:
        raise InputError("several metrics need a range", where="--metric", allowed="one; or several with --over")
    raw = [raw_scenario("attack", "", text) for text in target]
    keys |= {key: value for key, value in raw[0]["attack"].items() if key != "attacker"}
    keys |= {"metric": metric[0]} if metric else {}
    targets: Any = [section["target"] for section in raw] if len(raw) > 1 else raw[0]["target"]
    show(with_progress(analyser.compare, loadouts, targets, noun="attacks", **keys))


def _compare_over(loadouts: tuple[str, ...], target: tuple[str, ...], kind: str, keys: dict[str, Any]) -> None:
    """Compare loadouts over a range."""
    if excluded := [f"--{name.replace('_', '-')}" for name in _TABLE_OPTIONS if name in keys]:
        raise InputError("no effect over a range", where=excluded[0], allowed="without --over")
    if len(target) > 1:
        raise InputError("more than one target over a range", where="--target", allowed="one with --over")
    if target:
        section, conditions = target_and_conditions(target[0], kind)
        default = DEFAULT_OVER[kind]
        if not keys["over"] and default in conditions:
            keys["over"] = {default: conditions.pop(default)}  # the only value of the key that varies
        keys |= {"target": section, "kind": kind, **conditions}
    else:
        _check_files(loadouts, kind)
    keys["over"] = keys["over"] or DEFAULT_OVER[kind]
    result = with_progress(analyser.curve, list(loadouts), noun="points", **keys)
    show(result, warnings=result.warnings)


def _check_files(files: tuple[str, ...], kind: str) -> None:
    """Raise InputError if none of `files` is a file, or if an option states a part of the question."""
    if not any(file.endswith(".toml") or is_there(Path(file)) for file in files):
        problem = "a target is missing"
        raise InputError(problem, where="--target", allowed="a unit; or files of whole questions")
    stated = [option.opts[0] for option, _ in key_values()]
    if stated or kind != "attack":
        problem = "this needs --target; for a file, state it in the file"
        raise InputError(problem, where=(stated or ["--kind"])[0], allowed="with --target")


@command(
    "ATTACKERS DEFENDERS",
    situations(", or all. Default: long-range,short-range-aimed.", COMPARISON),
    _OF_MATCHUPS,
    PER_POINTS,
    Option("--row NAME", "Row to fire. Default: the best for each pair.", COMPARISON),
    *(THREADS, *output()),
    examples=(
        "'crown/*' 'imperium/*' --metric p_annihilated --plot heatmap.png",
        "'crown/*@basic' 'imperium/*@basic' --situations charge --format csv",
    ),
    notes=partial(_metric_notes, duels=False),
)
def matchups(**keys: Any) -> None:
    """Compare each of ATTACKERS with each of DEFENDERS; names may have wildcards."""
    result = with_progress(analyser.matchups, delay=0.0, **keys)
    show(result, plot=result.heatmap, warnings=result.warnings)
    if len(result.situations) > 1 and click.get_current_context().params["plot"]:
        from analyser.analysis.matchups import first_with_metric

        drawn = first_with_metric(result.situations, result.metric)
        note(f"the picture shows {drawn.name} alone; see --situations")


@command(
    "ATTACKER TARGET",
    _OF_SENSITIVITY,
    *ATTACK_OPTIONS,
    *output(),
    examples=("crown/rifle-p@basic krupp@basic", "crown/rifle-p@basic krupp@basic --metric p_broken --distance 6"),
    notes=partial(_metric_notes, duels=False),
)
def compare_sensitivity(attacker: str, target: str, **keys: Any) -> None:
    """Show how a metric of the attack changes if a number of ATTACKER or TARGET rises or falls by 1."""
    result = analyser.sensitivity(raw_scenario("attack", attacker, target), profiles=profiles_in_use(), **keys)
    show(result, warnings=result.warnings)


@command(
    "VARIANTS.toml",
    Option("--metric NAME", "Metric. Default: from the file.", COMPARISON),
    Option("--least/--most", "Prefer low or high values. Default: from the file.", COMPARISON),
    Option("--method", "A race simulates, and drops poor variants. Default: exact.", METHOD, choices=("exact", "race")),
    Option("--trials N", "In a race: maximum number of trials of a variant.", METHOD, least=1),
    Option("--seed N", "In a race: seed; same seed, same result. Default: 0.", METHOD, least=0),
    THREADS,
    Option("--replacement", "In a race: put each card back. Default: real decks.", METHOD),
    *output(),
    examples=("variants.toml --plot best.png", "duels.toml --method race"),
)
def compare_variants(**keys: Any) -> None:
    """Find the best of many variants of one question: a baseline, named overrides, and ranges (docs/compare.md).

    An exact search has no error. A race finds a wrong best variant in at most 5% of searches.
    """
    note_without_effect(**keys)
    result = with_progress(analyser.search, noun="variants", **keys)
    show(result, warnings=result.warnings)
