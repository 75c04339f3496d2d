"""The command that says how to play a duel best."""

from __future__ import annotations

from typing import Any

import click

from analyser.cli import options
from analyser.cli.answer import write
from analyser.cli.fights import OF_DUELLIST, unit_from
from analyser.cli.options import AT_LEAST_1, OUTPUT_OPTIONS, Option
from analyser.cli.shell import Choice, Command, given, note_other_profiles
from analyser.common.errors import InputError
from analyser.results.best import PICTURES
from analyser.rules.policies import BEST, POLICIES
from analyser.scenarios.schema import WANTS

_DUEL, _PICTURE = "Duel", "Picture"
BEST_OPTIONS = [
    Option("--want", "What A wants, and B prevents; see below. Default: win.", _DUEL, type=Choice(tuple(WANTS))),
    Option("--against", "What B does. Default: best.", _DUEL, type=Choice((BEST, *POLICIES))),
    Option("--rounds N", "1 to 10. Default: 6.", _DUEL, type=options.Integer(1, 10)),
    Option(
        "--first",
        "Who is activated first. Default: random, a toss each round.",
        _DUEL,
        type=Choice(("a", "b", "random")),
    ),
    Option("--distance INCHES", "Between the two. Default: nothing is out of reach.", _DUEL, type=options.Number(0)),
    Option("--by", "What the picture stands over. Default: models.", _PICTURE, type=Choice(PICTURES)),
    Option("--round N", "Of the picture. Default: 1.", _PICTURE, type=AT_LEAST_1),
    *OUTPUT_OPTIONS,
]
_WANTS = [f"  {name:<12}{told}" for name, told in WANTS.items()]


@click.command(cls=Command, params=BEST_OPTIONS, epilog="\n".join(["\b", "What A can want:", *_WANTS]))
@click.argument("a", shell_complete=OF_DUELLIST.complete)
@click.argument("b", required=False, shell_complete=OF_DUELLIST.complete)
def best(a: str, b: str | None, profiles: str | None, **keys: Any) -> None:
    """What A should do in a duel with B: its chance, the first move, the plan, and what each habit gives away.

    Both are selectors, as for duel; or A alone is the file of a duel in which somebody has the policy best. --plot
    draws what to do, a colour each.
    """
    from analyser.analysis.best import best_play

    note_other_profiles(profiles)
    asked = given(keys, "want", "against", "rounds", "first", "distance")
    if b is None:
        if asked:
            raise InputError(
                "this stands in the file", where=f"--{next(iter(asked))}", allowed="two units, or a file alone"
            )
        found = best_play(a, profiles=profiles)
    else:
        found = best_play(unit_from(a, "a", OF_DUELLIST), unit_from(b, "b", OF_DUELLIST), profiles=profiles, **asked)
    pictured = given(keys, "by", "round")
    if pictured and keys["plot"] is None:
        raise InputError("there is no picture", where=f"--{next(iter(pictured))}", allowed="--plot FILE with it")
    how: dict[str, Any] = {"warnings": found.warnings, "plot": lambda: found.plot(**pictured)}
    write(lambda: str(found), found.as_dict, found.rows, **how)
