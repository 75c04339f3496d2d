"""Commands for best play: in a duel, in focus fire, and the cost of simple tactics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from analyser.cli import options
from analyser.cli.answer import show, solved, write
from analyser.cli.command_base import Choice, command, given, profiles_in
from analyser.cli.fights import (
    OF_ATTACKER_OR_TARGET,
    OF_DUELLIST,
    OF_TARGET,
    OF_WANTS,
    several_attacks,
    unit_from,
)
from analyser.cli.options import AT_LEAST_1, OUTPUT_OPTIONS, THREADS, Option
from analyser.cli.waiting import told_when_stopped, waited_for
from analyser.common.errors import InputError
from analyser.results.best import PICTURES
from analyser.scenarios.schema import TARGET_FATES, DuelTerms

if TYPE_CHECKING:
    from analyser.game.profiles import Profiles
    from analyser.results.best import BestResult

_DUEL, _PICTURE, _FOCUS = "Duel", "Picture", "Focus fire"
_OF_TERMS = ("want", "rounds", "first", "distance", "step")
TERMS = [option for option in options.keys_of(DuelTerms, "duel", _DUEL) if option.path[1] in _OF_TERMS]


@command(
    Option("--against POLICY", "Policy of B: best (default), a simple tactic, or a policy in words.", _DUEL),
    *TERMS,
    Option("--by", "Horizontal axis of the picture. Default: models.", _PICTURE, type=Choice(PICTURES)),
    Option("--round N", "Round of the picture. Default: 1.", _PICTURE, type=AT_LEAST_1),
    *OUTPUT_OPTIONS,
    examples=(
        "crown/rifle-p@basic scion-grenadier-p@basic --distance 18",
        "crown/rifle-p@basic scion-grenadier-p@basic --rounds 3 --want survival",
    ),
    notes=OF_WANTS,
)
@click.argument("a", shell_complete=OF_DUELLIST.complete)
@click.argument("b", required=False, shell_complete=OF_DUELLIST.complete)
def best_duel(a: str, b: str | None, profiles: str | None, **keys: Any) -> None:
    """Compute the best play of A in a duel with B: its value, the plan, and how much worse each simple tactic is.

    Name units as for duel. Or give only A: a duel file in which one side has the policy best. --plot draws the best
    actions.
    """
    library = profiles_in(profiles)
    asked = given(keys, "against") | {option.path[1]: value for option, value in options.given_keys()}
    if b is None:
        if asked:
            where = f"--{next(iter(asked))}"
            raise InputError(
                "state this in the file, not as an option", where=where, allowed="two units, or a file alone"
            )
        question: tuple[Any, ...] = (a,)
    else:
        question = unit_from(a, "a", OF_DUELLIST), unit_from(b, "b", OF_DUELLIST)
    pictured = given(keys, "by", "round")
    if pictured and keys["plot"] is None:
        raise InputError(
            "this option needs --plot FILE", where=f"--{next(iter(pictured))}", allowed="--plot FILE with it"
        )
    with told_when_stopped(is_kept=False):
        result = _best_of(question, library, **asked)
    plot = lambda: result.plot(**pictured)  # noqa: E731 - drawn only where a picture is wanted
    write(lambda: str(result), result.as_dict, result.rows, warnings=result.warnings, plot=plot)


def _best_of(question: tuple[Any, ...], profiles: Profiles, **asked: Any) -> BestResult:
    """Return best play, and the cost of simple tactics."""
    from analyser.analysis.best_duels import best_play

    def work() -> BestResult:
        result = best_play(*question, profiles=profiles, **asked)
        result.regrets()
        return result

    return waited_for(work, "computing best play")


@command(
    *TERMS,
    THREADS,
    options.DASK,
    *OUTPUT_OPTIONS,
    examples=(
        "'crown/*@basic' 'imperium/*@basic' --out tactics.csv",
        "'crown/rifle*' 'imperium/scion-g*@basic' --rounds 3",
    ),
    notes=OF_WANTS,
)
@click.argument("attackers", shell_complete=options.complete_selector)
@click.argument("defenders", shell_complete=options.complete_selector)
def best_tactics(attackers: str, defenders: str, dask: str | None, **keys: Any) -> None:
    """Compute how much worse a simple tactic is than best play, for each of ATTACKERS against each of DEFENDERS.

    The tactic is to shoot, else charge, else take cover. Names may have wildcards. Run the command again to resume.
    """
    from analyser.report.tactics import tactics

    table = keys["out"] if keys["form"] == "csv" else None
    asked = given(keys, "threads") | {option.path[1]: value for option, value in options.given_keys()}
    with told_when_stopped(), options.helped_by(dask, keys["threads"]) as executor:
        result = solved(tactics, attackers, defenders, out=table, executor=executor, **asked)
    if table is None:
        show(result, plot=result.plot)
    else:
        click.echo(result.note())


@command(
    Option(
        "--want", "Fate of the target to make most likely. Default: annihilated.", _FOCUS, type=Choice(TARGET_FATES)
    ),
    Option(
        "--until P",
        "Also show after how many attacks the target has this fate with probability P.",
        _FOCUS,
        type=options.Number(0),
    ),
    *[option for option in OUTPUT_OPTIONS if option is not options.PLOT],
    examples=(
        "crown/rifle-p@basic:distance=12 crown/sharp-rifles@basic:distance=20 scion-grenadier-p@basic",
        "crown/rifle-p@basic crown/drake-field-guns@basic krupp@basic --want broken --until 0.5",
    ),
)
@click.argument("attackers", nargs=-1, required=True, shell_complete=OF_ATTACKER_OR_TARGET.complete)
@click.argument("target", shell_complete=OF_TARGET.complete)
def best_focus(attackers: tuple[str, ...], target: str, profiles: str | None, **keys: Any) -> None:
    """Find the best of ATTACKERS to fire next at TARGET, its row, and whether to aim or close in.

    Add conditions after a colon, as for attack. With a distance, such as :distance=12, a unit chooses between aiming
    and closing in.
    """
    from analyser.analysis.best_focus import best_focus as worked_out

    library = profiles_in(profiles)
    section = unit_from(target, "target", OF_TARGET)
    result = worked_out(several_attacks(attackers), section, profiles=library, **given(keys, "want"))
    line, record = "", result.as_dict()
    if keys["until"] is not None:
        number = result.until(keys["until"])
        record["until"] = {"chance": keys["until"], "attackers": number}
        line = f"\nUntil {100 * keys['until']:g}%: " + ("not with all of them\n" if number is None else f"{number}\n")
    write(lambda: f"{result}{line}", lambda: record, result.rows)
