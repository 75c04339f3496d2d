"""Commands for best play: in a duel, in focus fire, and the cost of simple tactics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from analyser.cli import options
from analyser.cli.answer import show, with_progress, write
from analyser.cli.command_base import Choice, command, profiles_in, stated_options
from analyser.cli.fights import (
    ATTACKER_OR_TARGET_KEYS,
    DUELLIST_KEYS,
    TARGET_KEYS,
    WANT_NOTES,
    parse_attacks,
    parse_unit,
)
from analyser.cli.options import AT_LEAST_1, OUTPUT_OPTIONS, THREADS, Option
from analyser.cli.waiting import message_when_stopped, run_in_thread
from analyser.common.errors import InputError
from analyser.results.best import PLOT_AXES
from analyser.scenarios.schema import TARGET_FATES, DuelTerms

if TYPE_CHECKING:
    from analyser.game.profiles import Profiles
    from analyser.results.best import BestResult

_DUEL, _PICTURE, _FOCUS = "Duel", "Picture", "Focus fire"
_TERM_NAMES = ("want", "rounds", "first", "distance", "step")
TERM_OPTIONS = [option for option in options.key_options(DuelTerms, "duel", _DUEL) if option.path[1] in _TERM_NAMES]


@command(
    Option("--against POLICY", "Policy of B: best (default), a simple tactic, or a policy in words.", _DUEL),
    *TERM_OPTIONS,
    Option("--by", "Horizontal axis of the picture. Default: models.", _PICTURE, type=Choice(PLOT_AXES)),
    Option("--round N", "Round of the picture. Default: 1.", _PICTURE, type=AT_LEAST_1),
    *OUTPUT_OPTIONS,
    examples=(
        "crown/rifle-p@basic scion-grenadier-p@basic --distance 18",
        "crown/rifle-p@basic scion-grenadier-p@basic --rounds 3 --want survival",
    ),
    notes=WANT_NOTES,
)
@click.argument("a", shell_complete=DUELLIST_KEYS.complete)
@click.argument("b", required=False, shell_complete=DUELLIST_KEYS.complete)
def best_duel(a: str, b: str | None, profiles: str | None, **keys: Any) -> None:
    """Compute the best play of A in a duel with B: its value, the plan, and how much worse each simple tactic is.

    Name units as in the command duel. Instead of A and B you can give a duel file in which one side has the policy
    best. --plot draws the best actions.
    """
    library = profiles_in(profiles)
    terms = stated_options(keys, "against") | {option.path[1]: value for option, value in options.key_values()}
    if b is None:
        if terms:
            problem, where = "state this in the file, not as an option", f"--{next(iter(terms))}"
            raise InputError(problem, where=where, allowed="two units, or a file alone")
        question: tuple[Any, ...] = (a,)
    else:
        question = parse_unit(a, "a", DUELLIST_KEYS), parse_unit(b, "b", DUELLIST_KEYS)
    picture = stated_options(keys, "by", "round")
    if picture and keys["plot"] is None:
        where = f"--{next(iter(picture))}"
        raise InputError("this option needs --plot FILE", where=where, allowed="also state --plot FILE")
    with message_when_stopped(is_cached=False):
        result = _best_play(question, library, **terms)
    plot = lambda: result.plot(**picture)  # noqa: E731 - called only if a picture is wanted
    write(lambda: str(result), result.as_dict, result.rows_with_profiles, warnings=result.warnings, plot=plot)


def _best_play(question: tuple[Any, ...], profiles: Profiles, **terms: Any) -> BestResult:
    """Return best play, with the cost of simple tactics already computed."""
    from analyser.analysis.best_duels import best_play

    def work() -> BestResult:
        result = best_play(*question, profiles=profiles, **terms)
        result.regrets()
        return result

    return run_in_thread(work, "computing best play")


@command(
    *TERM_OPTIONS,
    THREADS,
    options.DASK,
    *OUTPUT_OPTIONS,
    examples=(
        "'crown/*@basic' 'imperium/*@basic' --out tactics.csv",
        "'crown/rifle*' 'imperium/scion-g*@basic' --rounds 3",
    ),
    notes=WANT_NOTES,
)
@click.argument("attackers", shell_complete=options.complete_selector)
@click.argument("defenders", shell_complete=options.complete_selector)
def best_tactics(attackers: str, defenders: str, dask: str | None, **keys: Any) -> None:
    """Compute how much worse a simple tactic is than best play, for each of ATTACKERS against each of DEFENDERS.

    The tactic shoots if possible, otherwise charges, otherwise takes cover. Names may have wildcards. Run the command
    again to resume.
    """
    from analyser.report.tactic_costs import note_of, tactics

    table = keys["out"] if keys["form"] == "csv" else None
    terms = stated_options(keys, "threads") | {option.path[1]: value for option, value in options.key_values()}
    with message_when_stopped(), options.dask_executor(dask, keys["threads"]) as executor:
        result = with_progress(tactics, attackers, defenders, out=table, executor=executor, **terms)
    if table is None:
        show(result, plot=result.plot)
    else:
        click.echo(note_of(result.frame))


@command(
    Option(
        "--want", "Fate of the target to make most likely. Default: annihilated.", _FOCUS, type=Choice(TARGET_FATES)
    ),
    Option(
        "--until P",
        "Also show the number of attacks until the target has this fate with probability P.",
        _FOCUS,
        type=options.Number(0),
    ),
    *[option for option in OUTPUT_OPTIONS if option is not options.PLOT],
    examples=(
        "crown/rifle-p@basic:distance=12 crown/sharp-rifles@basic:distance=20 scion-grenadier-p@basic",
        "crown/rifle-p@basic crown/drake-field-guns@basic krupp@basic --want broken --until 0.5",
    ),
)
@click.argument("attackers", nargs=-1, required=True, shell_complete=ATTACKER_OR_TARGET_KEYS.complete)
@click.argument("target", shell_complete=TARGET_KEYS.complete)
def best_focus(attackers: tuple[str, ...], target: str, profiles: str | None, **keys: Any) -> None:
    """Find the best of ATTACKERS to fire next at TARGET, its row, and whether to aim or close in.

    Add conditions after a colon, as in the command attack. A unit with a distance, such as :distance=12, chooses
    between aiming and closing in.
    """
    from analyser.analysis.best_focus import best_focus as find_best

    library = profiles_in(profiles)
    section = parse_unit(target, "target", TARGET_KEYS)
    result = find_best(parse_attacks(attackers), section, profiles=library, **stated_options(keys, "want"))
    line, record = "", result.as_dict()
    if keys["until"] is not None:
        number = result.until(keys["until"])
        record["until"] = {"chance": keys["until"], "attackers": number}
        attacks = "not with all attackers" if number is None else f"after attack {number}"
        line = f"\nProbability of {keys['want'] or 'annihilated'} {100 * keys['until']:g}%: {attacks}\n"
    write(lambda: f"{result}{line}", lambda: record, result.rows_with_profiles)
