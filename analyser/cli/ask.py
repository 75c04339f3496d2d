"""The commands that ask a question many times over, or of one trial: curve, search, tell, luck."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from analyser.cli import options
from analyser.cli.answer import note_without_effect, write
from analyser.cli.fights import (
    ATTACK_OPTIONS,
    OF_COMBATANT,
    OF_DUELLIST,
    OF_DUELS,
    OF_TARGET,
    attack_scenario,
    unit_from,
)
from analyser.cli.options import AT_LEAST_1, METHOD, OUTPUT_OPTIONS, Option, complete_selector, keys_of
from analyser.cli.shell import INTERRUPTED, Choice, Command, given, profiles_in, progress_bar
from analyser.common.errors import InputError
from analyser.common.files import is_there
from analyser.common.text import with_article
from analyser.scenarios.schema import BETWEEN_TWO, Charge, DuelTerms

ASKED = "Asked"
SAMPLING = ("method", "trials", "seed", "precision", "threads", "all_at_once")
_METHODS = [
    Option("--method", "Default: exact.", METHOD, type=Choice(options.METHODS[:2]), default="exact"),
    Option("--trials N", "Monte Carlo: how often each is played.", METHOD, type=AT_LEAST_1),
    *options.SAMPLE_OPTIONS,
]
CONDITIONS = [
    *ATTACK_OPTIONS,
    *keys_of(Charge, "charge", "Charge, with --kind charge"),
    *(each for each in keys_of(DuelTerms, "duel", "Duel, with --kind duel") if each.path[-1] != "distance"),
]
KIND = Option("--kind", "What the units do. Default: attack.", ASKED, type=Choice(BETWEEN_TWO), default="attack")
_TARGET = "Selector of the unit that all attack, charge or fight. Without it: question files."
_OVER = "Over what: distance=1..24, dice=4..12, level, ...; twice: a map. Default: distance."
_METRIC = "The figure, such as p_broken; NAME:least where less is better; twice: a front."
CURVE_OPTIONS = [
    Option("--target UNIT", _TARGET, ASKED, shell_complete=OF_TARGET.complete),
    Option("--over KEY=VALUES", _OVER, ASKED, multiple=True),
    Option("--metric NAME", _METRIC, ASKED, multiple=True),
    KIND,
    Option("--rows", "Each ranged row of each unit is a line of its own.", ASKED),
    *CONDITIONS,
    *_METHODS,
    options.ALL_AT_ONCE,
    *OUTPUT_OPTIONS,
]

TELL_OPTIONS = [
    Option("--trial N", "Which one, 0 is the first (0).", ASKED, type=options.Integer(0)),
    Option("--pick", "Instead: that of the sample by the figure.", ASKED, type=Choice(("worst", "median", "best"))),
    Option("--metric NAME", "The figure of --pick. Default: models destroyed; of a duel the margin.", ASKED),
    KIND,
    Option("--trials N", "Of the sample (1000).", METHOD, type=AT_LEAST_1),
    Option("--seed N", "Same seed, same dice (0).", METHOD, type=options.Integer(0)),
    *CONDITIONS,
    *[each for each in OUTPUT_OPTIONS if each.name != "plot"],
]
_GOT = "What happened, such as broken=yes; repeat it, the most important first. hits=9: the dice alone."
_A_GAME = """\b
The file of a game, a [[fight]] for each; got says the models destroyed, or that
the unit broke or fled: an end that is not said did not happen:
  [[fight]]
  side = "mine"                          # or "yours"; label = "round 1", if you like
  got = { destroyed = 1, broken = false }
  attack = { attacker = "crown/rifle-platoon@reinforced", distance = 6, aiming = true }
  target = { unit = "imperium/scion-grenadier-platoon@basic", models = 4 }
  [[fight]]
  side = "yours"
  got = { destroyed = 2 }                # or a charge; or focus fire, by attacks = [...]
  charge = {}
  attacker = { unit = "imperium/scion-grenadier-platoon@basic" }
  target = { unit = "crown/rifle-platoon@reinforced" }"""
LUCK_OPTIONS = [
    Option(
        "--destroyed N", "Models that were destroyed, of a unit that is still there.", ASKED, type=options.Integer(0)
    ),
    Option("--got FIGURE=VALUE", _GOT, ASKED, multiple=True),
    KIND,
    *CONDITIONS,
    *[each for each in _METHODS if each.name not in ("precision", "threads")],
    *OUTPUT_OPTIONS,
]


@click.command(cls=Command, params=CURVE_OPTIONS, epilog=OF_DUELS)
@click.argument("units", nargs=-1, required=True, shell_complete=complete_selector)
@click.pass_context
def curve(
    context: click.Context, /, units: tuple[str, ...], target: str | None, kind: str, rows: bool, **keys: Any
) -> None:
    """A figure of a question over one number or two, and who is best where.

    UNITS are selectors, which may have wildcards, with --target; or the files of whole questions of one kind (attacks,
    charges, focus fire, duels, morale). Each is a line.
    """
    from analyser.ask.curve import curve as asked

    note_without_effect()
    how = given(keys, *SAMPLING) | {"over": keys["over"] or ("distance",), "metric": keys["metric"] or None}
    if target is not None:
        section, conditions = target_and_conditions(target, kind)
        how |= {"target": section, "kind": kind, "rows": rows, **conditions}
    else:
        if not any(each.endswith(".toml") or is_there(Path(each)) for each in units):
            problem, allowed = (
                "this option is missing: there is nobody to attack",
                "a unit; or files of whole questions",
            )
            raise InputError(problem, where="--target", allowed=allowed)
        stated = [option.opts[0] for option, _ in options.given_keys()]
        if stated or rows or kind != "attack":
            problem = "without --target the questions stand in files, which say that themselves"
            raise InputError(problem, where=(stated or ["--rows" if rows else "--kind"])[0], allowed="with --target")
    with progress_bar("points", after=1.0) as progress:
        found = asked(list(units), profiles=profiles_in(keys["profiles"]), progress=progress, **how)
    write(lambda: str(found), found.as_dict, found.rows, plot=found.plot)
    if not found.complete:
        context.exit(INTERRUPTED)


def target_and_conditions(target: str, kind: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The section of a target, and the keys of a question of that kind that were given as options."""
    conditions = conditions_of(kind)
    if kind == "attack":
        raw = attack_scenario("", target)
        return raw["target"], {key: value for key, value in raw["attack"].items() if key != "attacker"}
    return unit_from(target, "target", OF_DUELLIST if kind == "duel" else OF_COMBATANT), conditions


def conditions_of(kind: str) -> dict[str, Any]:
    """The keys of a charge or of a duel that were given as options; InputError for one of another kind."""
    conditions = dict[str, Any]()
    for option, value in options.given_keys():
        section, key = option.path
        if section in ("attack", "target") and kind == "attack":
            continue  # which are read with the units
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


@click.command(cls=Command, params=TELL_OPTIONS, epilog=OF_DUELS)
@click.argument("attacker", shell_complete=complete_selector)
@click.argument("target", required=False, shell_complete=OF_TARGET.complete)
def tell(attacker: str, target: str | None, kind: str, **keys: Any) -> None:
    """One trial of a sample in words: every die, hits and damage, cards, tests, what becomes of the units.

    It is the very trial that a sample by --method monte-carlo counts with that seed and number of trials, of charges,
    focus fire and duels with real decks. Without TARGET the first argument is a scenario file.
    """
    from analyser.ask.tell import tell as told

    how = given(keys, "trial", "pick", "metric", "trials", "seed")
    question, others = question_from(attacker, target, kind)
    found = told(question, profiles=profiles_in(keys["profiles"]), **how, **others)
    write(lambda: str(found), found.as_dict, found.rows)


def question_from(first: str, second: str | None, kind: str) -> tuple[Any, dict[str, Any]]:
    """A whole question, or its first unit and what stands beside it; without a `second` unit the file of one."""
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


@click.command(cls=Command, params=LUCK_OPTIONS, epilog=f"{_A_GAME}\n\n{OF_DUELS}")
@click.argument("attacker", shell_complete=complete_selector)
@click.argument("target", required=False, shell_complete=OF_TARGET.complete)
@click.pass_context
def luck(
    context: click.Context,
    /,
    attacker: str,
    target: str | None,
    destroyed: int | None,
    got: tuple[str, ...],
    **keys: Any,
) -> None:
    """How likely it was that a fight went as badly as it did, or worse: --destroyed 2; of a unit that broke --got
    broken=yes. What is said is looked at in turn as it is said, and nothing else.

    Without TARGET the first argument is a scenario file, or the file of a whole game, as below.
    """
    from analyser.ask.luck import luck as asked

    note_without_effect()
    said = [_happened(each) for each in got]
    happened = dict(said)
    if len(happened) < len(said):
        raise InputError("the same figure twice", where="--got", allowed="each once")
    if destroyed is not None:
        if "destroyed" in happened:
            raise InputError("this is said twice", where="--destroyed", allowed="once")
        typed = list(context.params)  # in the order of the command line
        models = {"destroyed": destroyed}
        happened = models | happened if typed.index("destroyed") < typed.index("got") else happened | models
    how = given(keys, "method", "trials", "seed") | {"got": happened or None}
    question, others = question_from(attacker, target, keys["kind"])
    how |= others
    found = asked(question, profiles=profiles_in(keys["profiles"]), **how)
    write(lambda: str(found), found.as_dict, found.rows, plot=found.plot)


def _happened(text: str) -> tuple[str, Any]:
    """A figure and what it was, as ``--got`` has it."""
    name, equals, value = (each.strip() for each in text.partition("="))
    if not equals or not value:
        raise InputError(f"{text!r} is not usable", where="--got", allowed="such as suppressed=yes or hits=3")
    words = {"yes": True, "no": False}
    return name.replace("-", "_"), words.get(value.lower(), options.value_of(value, "--got"))


SEARCH_OPTIONS = [
    Option("--metric NAME", "The figure. Default: as the file says.", ASKED),
    Option("--least/--most", "Whether less of it is better. Default: as the file says.", ASKED, default=None),
    Option(
        "--method",
        "Default: exact. race: by samples, real decks.",
        METHOD,
        type=Choice(("exact", "race")),
        default="exact",
    ),
    Option("--trials N", "Of a race: of each variant, at most.", METHOD, type=AT_LEAST_1),
    Option("--seed N", "Of a race: same seed, same bits (0).", METHOD, type=options.Integer(0)),
    options.THREADS,
    Option("--replacement", "Of a race: put each card back. Default: real decks.", METHOD, default=None),
    *OUTPUT_OPTIONS,
]


@click.command(cls=Command, params=SEARCH_OPTIONS)
@click.argument("variants", metavar="VARIANTS.toml", shell_complete=options.complete_file)
@click.pass_context
def search(context: click.Context, /, variants: str, **keys: Any) -> None:
    """The best of many variants of one question: a baseline, named overrides of it, and ranges that multiply out.

    Exactly, so that ties are ties; or by a race, which names a wrong best in at most 5% of searches. After Ctrl-C what
    is done is shown.
    """
    from analyser.ask.search import search as asked

    note_without_effect()
    how = given(keys, "metric", "least", "method", "trials", "seed", "threads", "replacement")
    with progress_bar("variants", after=1.0) as progress:
        found = asked(variants, profiles=profiles_in(keys["profiles"]), progress=progress, **how)
    write(lambda: str(found), found.as_dict, found.rows, plot=found.plot)
    if not found.complete:
        context.exit(INTERRUPTED)
