"""Commands for best play: in a duel, in focus fire, and the cost of simple tactics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

import analyser
from analyser.cli.answer import dask_executor, profiles_in_use, show, with_progress
from analyser.cli.command_base import command
from analyser.cli.fights import DUEL_NOTES, DUELLIST_KEYS, TARGET_KEYS, WANT_NOTES, parse_attacks, parse_unit
from analyser.cli.messages import message_when_stopped, run_in_thread
from analyser.cli.option_base import Option
from analyser.cli.options import DASK, THREADS, key_options, output, stated_terms
from analyser.common.errors import InputError
from analyser.results.best import PLOT_AXES
from analyser.scenarios.schema import TARGET_FATES, DuelTerms

if TYPE_CHECKING:
    from analyser.results.best import BestResult

_DUEL, _PICTURE, _FOCUS = "Duel", "Picture", "Focus fire"
_TERM_NAMES = ("want", "rounds", "first", "distance", "step")
TERM_OPTIONS = [option for option in key_options(DuelTerms, "duel", _DUEL) if option.path[1] in _TERM_NAMES]


@command(
    "A [B]",
    Option("--against POLICY", "Policy of B (--help-all lists the policies). Default: best.", _DUEL),
    *TERM_OPTIONS,
    Option("--by", "Horizontal axis of the picture. Default: models.", _PICTURE, choices=PLOT_AXES),
    Option("--round N", "Round of the picture. Default: 1.", _PICTURE, least=1),
    *output(),
    examples=(
        "crown/rifle-p@basic scion-grenadier-p@basic --distance 18",
        "crown/rifle-p@basic scion-grenadier-p@basic --rounds 3 --want survival",
    ),
    notes=DUEL_NOTES,
)
def best_duel(a: str, b: str | None = None, against: str | None = None, **picture: Any) -> None:
    """Compute the best play of A in a duel with B: its value, the plan, and how much worse each simple tactic is.

    Name units as in the command duel. Instead of A and B you can give a duel file in which one side plays
    `best`. --plot draws the best actions. --help-all explains --want.
    """
    terms = ({} if against is None else {"against": against}) | stated_terms()
    if b is None and terms:
        problem, where = "state this in the file, not as an option", f"--{next(iter(terms))}"
        raise InputError(problem, where=where, allowed="two units, or a file alone")
    question = (a,) if b is None else (parse_unit(a, "a", DUELLIST_KEYS), parse_unit(b, "b", DUELLIST_KEYS))
    if picture and click.get_current_context().params["plot"] is None:
        where = f"--{next(iter(picture))}"
        raise InputError("this option needs --plot FILE", where=where, allowed="also state --plot FILE")
    library = profiles_in_use()

    def work() -> BestResult:
        result = analyser.best_play(*question, profiles=library, **terms)
        result.regrets()  # computed inside `work`, which Ctrl-C can stop
        return result

    with message_when_stopped(is_cached=False):
        result = run_in_thread(work, "computing best play")
    show(result, warnings=result.warnings, plot=lambda: result.plot(**picture))


@command(
    "ATTACKERS DEFENDERS",
    *TERM_OPTIONS,
    *(THREADS, DASK, *output()),
    examples=(
        "'crown/*@basic' 'imperium/*@basic' --out tactics.csv",
        "'crown/rifle*' 'imperium/scion-g*@basic' --rounds 3",
    ),
    notes=WANT_NOTES,
)
def best_tactics(attackers: str, defenders: str, dask: str | None = None, threads: int | None = None) -> None:
    """Compute how much worse a simple tactic is than best play, in duels of all ATTACKERS against all DEFENDERS.

    The tactic shoots if possible, otherwise charges, otherwise takes cover. Names may have wildcards. A stopped command
    resumes if you run it again.
    """
    from analyser.report.tactic_costs import note_of

    params = click.get_current_context().params
    table = params["out"] if params["form"] == "csv" else None
    with message_when_stopped(), dask_executor(dask, threads) as executor:
        more: dict[str, Any] = {"threads": threads, "executor": executor, **stated_terms()}
        result = with_progress(analyser.tactics, attackers, defenders, out=table, **more)
    if table is None:
        show(result)
    else:
        click.echo(note_of(result.frame))


@command(
    "ATTACKERS... TARGET",
    Option("--want", "Fate of the target to make most likely. Default: annihilated.", _FOCUS, choices=TARGET_FATES),
    *output(plot=False),
    examples=(
        "crown/rifle-p@basic:distance=12 crown/sharp-rifles@basic:distance=20 scion-grenadier-p@basic",
        "crown/rifle-p@basic crown/drake-field-guns@basic krupp@basic --want broken",
    ),
)
def best_focus(attackers: tuple[str, ...], target: str, want: str = "annihilated") -> None:
    """Find which of ATTACKERS should fire next at TARGET, with which row, and whether to aim or close in.

    Add conditions after a colon, as in the command attack. A unit with a distance, such as :distance=12, chooses
    between aiming and closing in.
    """
    section = parse_unit(target, "target", TARGET_KEYS)
    show(analyser.best_focus(parse_attacks(attackers), section, profiles=profiles_in_use(), want=want))
