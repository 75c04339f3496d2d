"""Commands that explain: one trial in words, and how lucky an observed result was."""

from __future__ import annotations

from typing import Any

import click

import analyser
from analyser.cli.answer import note_without_effect, profiles_in_use, show
from analyser.cli.command_base import command
from analyser.cli.fights import CONDITIONS, DUEL_NOTES, KIND, METHOD_OPTIONS, QUESTION, question_from
from analyser.cli.messages import note
from analyser.cli.option_base import METHOD, Option, parse_value
from analyser.cli.options import output
from analyser.common.errors import InputError


@command(
    "ATTACKER [TARGET]",
    Option("--trial N", "Number of the trial. Default: 0, the first.", QUESTION, least=0),
    Option("--pick", "Select the trial by --metric, not by --trial.", QUESTION, choices=("worst", "median", "best")),
    Option("--metric NAME", "Figure for --pick. Default: models destroyed; in a duel the margin.", QUESTION),
    KIND,
    Option("--trials N", "Trials of the simulation. Default: 1000.", METHOD, least=1),
    Option("--seed N", "Seed; the same seed gives the same dice. Default: 0.", METHOD, least=0),
    *CONDITIONS,
    *output(plot=False),
    examples=(
        "crown/rifle-platoon@reinforced scion-grenadier-p@basic --distance 6 --pick worst",
        "crown/rifle-platoon@basic scion-grenadier-p@basic --kind duel --trial 17",
    ),
    notes=DUEL_NOTES,
)
def explain_trial(attacker: str, target: str | None = None, kind: str = "attack", **keys: Any) -> None:
    """Show one trial of a simulation: every die, hits and damage, cards, tests, and the fate of the units.

    These are the trials of the commands attack, charge and duel with the same --seed and --trials. Charges, focus
    fire and duels draw cards without putting them back. Instead of ATTACKER and TARGET you can give one scenario file.
    """
    if "metric" in keys and "pick" not in keys:
        note("--metric: no effect without --pick")
    show(analyser.tell(question_from(attacker, target, kind), profiles=profiles_in_use(), **keys))


@command(
    "ATTACKER [TARGET]",
    Option(
        "--destroyed N",
        "Models destroyed. If the target broke or fled, also state --got broken=yes or fled=yes.",
        QUESTION,
        least=0,
    ),
    Option("--got FIGURE=VALUE", "Your result, such as broken=yes, or hits=9 (of the dice).", QUESTION, multiple=True),
    KIND,
    *CONDITIONS,
    *[option for option in METHOD_OPTIONS if option.name not in ("precision", "threads")],
    *output(),
    examples=(
        "crown/rifle-p@reinforced scion-grenadier-p@basic --distance 6 --destroyed 2 --got suppressed=no",
        "game.toml --plot luck.png",
    ),
    notes=DUEL_NOTES,
)
def explain_luck(
    attacker: str,
    target: str | None = None,
    destroyed: int | None = None,
    got: tuple[str, ...] = (),
    kind: str = "attack",
    **method: Any,
) -> None:
    """Compute the probability of a result as bad as yours or worse (after good luck: as good or better).

    State your result, such as --destroyed 2 or --got broken=yes. Results are ranked by the first figure that you
    state, and ties by the next. Instead of ATTACKER and TARGET you can give one scenario file, or the file of a whole
    game (docs/at-the-table.md).
    """
    note_without_effect(**method)
    stated_figures = [_parse_got(text) for text in got]
    report = dict(stated_figures)
    if len(report) < len(stated_figures):
        raise InputError("the same figure twice", where="--got", allowed="each once")
    if destroyed is not None:
        if "destroyed" in report:
            raise InputError("this is given twice", where="--destroyed", allowed="once")
        order = list(click.get_current_context().params)  # click keeps the order of the command line
        models = {"destroyed": destroyed}
        report = models | report if order.index("destroyed") < order.index("got") else report | models
    question = question_from(attacker, target, kind)
    show(analyser.luck(question, profiles=profiles_in_use(), got=report or None, **method))


def _parse_got(text: str) -> tuple[str, Any]:
    name, equals, value = (part.strip() for part in text.partition("="))
    if not equals or not value:
        raise InputError(f"{text!r} is not usable", where="--got", allowed="such as suppressed=yes or hits=3")
    words = {"yes": True, "no": False}
    return name.replace("-", "_"), words.get(value.lower(), parse_value(value, "--got"))
