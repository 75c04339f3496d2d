"""The commands about longer fights: ``charge``, ``focus`` and ``duel``."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from analyser.cli import selectors
from analyser.cli.selectors import attack_from, unit_from
from analyser.cli.shell import (
    REPLACEMENT,
    SECONDS_BEFORE_BAR,
    Choice,
    Command,
    json_text,
    note_no_effect,
    profiles_in,
    progress_bar,
    show,
    warn,
    with_answer_options,
)
from analyser.common.errors import InputError
from analyser.common.files import check_writable

if TYPE_CHECKING:
    from analyser.results.rendering import FightResult

POLICIES = {  # what the help says of each
    "shoot": "stand, aim and shoot; out of range, advance first",
    "short_range": "advance, shooting, to short range; there, aim and shoot",
    "charge": "close in at double time, and charge as soon as it can",
    "lookout": "stand on lookout, and shoot at what acts (opportunity fire)",
    "take_cover": "stay and take cover",
    "all_out": "aim, and shoot with several rows (All-Out Attack)",
    "overcharge": "aim and shoot with Overcharge, whatever it costs",
}
_POLICIES_HELP = "\n".join(f"  {name:<12}{what}" for name, what in POLICIES.items())
_POLICY = Choice(list(POLICIES))


@click.command(cls=Command)
@click.argument("attacker")
@click.argument("target")
@click.option("--outflanking", is_flag=True, help="Bonus: infantry, cavalry or a field gun charged off its front.")
@click.option("--supported", is_flag=True, help='Bonus: another friend within 2" of the target.')
@click.option("--threatened", is_flag=True, help='Penalty: another enemy within 2" of the attacker.')
@click.option("--difficult-terrain", is_flag=True, help="The charge goes through it: defensive advantage.")
@click.option("--no-overrun", is_flag=True, help="A unit with Overrun stays.")
@click.option("--secondary", metavar="UNIT", multiple=True, help="Another unit of the target's side in contact.")
@REPLACEMENT
@with_answer_options
def charge(
    attacker: str, target: str, secondary: tuple[str, ...], no_overrun: bool, profiles: str | None, **options: Any
) -> None:
    """What ATTACKER's charge at TARGET comes to: who wins, what both sides lose, what becomes of them.

    Both are selectors; after a colon stands what else is true of a unit, such as
    crown/rifle-platoon@basic:suppressed,close-quarters-row=melee or scion-grenadier-p@basic:garrisoned,models=4
    (the keys of docs/fights.md).
    """
    names = ("outflanking", "supported", "threatened", "difficult_terrain")
    raw = {
        "charge": {name: True for name in names if options[name]} | ({"overrun": False} if no_overrun else {}),
        "attacker": unit_from(attacker, "attacker", selectors.of_combatants()),
        "target": unit_from(target, "target", selectors.of_combatants()),
        "secondary": [
            unit_from(each, f"secondary.{place}", selectors.of_combatants(secondary=True))
            for place, each in enumerate(secondary)
        ],
    }
    answer_fight("charge", raw, profiles, **_answer_options(options))


@click.command(cls=Command)
@click.argument("attackers", nargs=-1)
@click.option("--target", metavar="UNIT", required=True, help="The unit that all of them attack.")
@click.option(
    "--until", type=(float, Choice(["suppressed", "broken", "destroyed", "annihilated"])), metavar="P FATE",
    help="After how many attacks FATE is that likely, such as 0.8 broken.",
)  # fmt: skip
@REPLACEMENT
@with_answer_options
def focus(
    attackers: tuple[str, ...], target: str, until: tuple[float, str] | None, profiles: str | None, **options: Any
) -> None:
    """What the ranged attacks of ATTACKERS on one target come to, in the order in which they are given.

    Each is a selector; after a colon stands what is true of its attack, such as
    crown/rifle-platoon@basic:row=ranged-light,distance=6,aiming (the keys of [attack], its bonuses and penalties).
    """
    if not attackers:
        raise InputError("focus fire needs somebody who attacks", where="ATTACKERS", allowed="one selector or more")
    who = selectors.of_attackers(several=True)
    attacks = [attack_from(each, f"attacks.{place}", who) for place, each in enumerate(attackers)]
    raw = {"attacks": attacks, "target": unit_from(target, "target", selectors.of_targets())}
    answer_fight("focus", raw, profiles, until=until, **_answer_options(options))


@click.command(cls=Command, epilog=f"\b\nPolicies:\n{_POLICIES_HELP}")
@click.argument("a")
@click.argument("b")
@click.option("--rounds", type=int, default=6, show_default=True, help="1 to 10.")
@click.option("--policy-a", type=_POLICY, metavar="POLICY", default="shoot", show_default=True, help="See below.")
@click.option("--policy-b", type=_POLICY, metavar="POLICY", default="shoot", show_default=True)
@click.option("--first", type=Choice(["a", "b", "random"]), default="random", show_default=True,
              help="Who is activated first; random: a toss each round.")  # fmt: skip
@click.option("--distance", type=float, metavar="INCHES", help="Between the two; left out: nothing is out of reach.")
@REPLACEMENT
@with_answer_options
def duel(a: str, b: str, profiles: str | None, **options: Any) -> None:
    """What becomes of A and B if they fight for some rounds, each by its policy.

    Both are selectors; after a colon stands what else is true of a unit, such as
    crown/rifle-platoon@basic:suppressed,row=ranged-light (the keys of docs/fights.md; those of how it charges too).
    """
    terms = {name: options[name] for name in ("rounds", "policy_a", "policy_b", "first", "distance")}
    raw = {
        "duel": {name: value for name, value in terms.items() if value is not None},
        "a": unit_from(a, "a", selectors.of_duellists()),
        "b": unit_from(b, "b", selectors.of_duellists()),
    }
    answer_fight("duel", raw, profiles, **_answer_options(options))


def _answer_options(options: Mapping[str, Any]) -> dict[str, Any]:
    names = ("method", "trials", "seed", "precision", "threads", "replacement", "form", "out")
    return {name: options[name] for name in names}


def answer_fight(
    kind: str, source: str | dict[str, Any], folder: str | None, *, method: str, form: str, out: str | None,
    until: tuple[float, str] | None = None, **numbers: Any,
) -> None:  # fmt: skip
    """Compute and show what a ``charge``, ``focus`` or ``duel`` comes to."""
    if out is not None:
        check_writable(Path(out))
    given = {name: number for name, number in numbers.items() if number is not None}
    note_no_effect(given, method)
    results = _computed(kind, source, folder, method, given)
    show(_text(results, form, until), out)
    warn(results[0].account.warnings, form, out)


def _computed(
    kind: str, source: str | dict[str, Any], folder: str | None, method: str, numbers: dict[str, Any]
) -> list[FightResult]:
    from analyser import api
    from analyser.scenarios import load

    ask: Any = getattr(api, kind)
    scenario = getattr(load, f"load_{kind}")(source, profiles_in(folder))
    _tell_of_compiling(method)
    results: list[FightResult] = [] if method == "monte-carlo" else [ask(scenario)]
    if method != "exact":
        with progress_bar("fights", after=SECONDS_BEFORE_BAR) as progress:
            results.append(ask(scenario, method="monte-carlo", progress=progress, **numbers))
    return results


def _tell_of_compiling(method: str) -> None:
    """On a terminal: why the first answer ever takes so long."""
    from analyser.common.jit import is_compiled
    from analyser.engine.fight.exact.propagate import run
    from analyser.engine.fight.sampled.transitions import find_turn

    needed: list[Any] = [] if method == "monte-carlo" else [run]
    needed += [] if method == "exact" else [find_turn]
    if sys.stderr.isatty() and not all(map(is_compiled, needed)):
        click.echo("The engine of longer fights is compiled on first use: half a minute, once.", err=True)


def _text(results: list[FightResult], form: str, until: tuple[float, str] | None) -> str:
    from analyser.results.rendering import fight_csv, fight_text

    if form == "table":
        return fight_text(results, until)
    if form == "csv":
        return fight_csv(results)
    answers = [result.as_dict() | _until(result, until) for result in results]
    if len(answers) == 1:
        return json_text(answers[0])
    return json_text({"method": "both", "exact": answers[0], "monte_carlo": answers[1]})


def _until(result: Any, until: tuple[float, str] | None) -> dict[str, Any]:
    if until is None:
        return {}
    share, fate = until
    found = result.until(share, fate)
    chance = {name: value for name, value in vars(found.probability).items() if value is not None}
    return {"until": {"share": share, "fate": fate, "attacks": found.attacks, **chance}}
