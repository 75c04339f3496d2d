"""The command about battles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from analyser.cli.answer import OF_A_SAMPLE, note_compiling, write
from analyser.cli.options import (
    ALL_AT_ONCE,
    AT_LEAST_1,
    FORMAT,
    FULL,
    METHOD,
    OUTPUT,
    PAGE,
    PLOT,
    PROFILES,
    QUIET_OPTION,
    RULESET_OPTIONS,
    SAMPLE_OPTIONS,
    Integer,
    Option,
    OutOption,
    complete_file,
    given_keys,
    is_page,
    keys_of,
)
from analyser.cli.shell import Choice, Command, given, profiles_in, progress_bar
from analyser.common.errors import InputError, one_of_these, shown
from analyser.common.files import is_there
from analyser.rules.policies import POLICIES
from analyser.scenarios.battle import BattleTerms

ENDINGS = (".toml", ".ros", ".rosz", ".json")  # of armies, as in `scenarios.armies`
DEFAULT_BATTLES = 100_000  # as in `results.battle`, which a help need not import
_PICTURES = {"margin": "plot_margin", "survival": "plot_survival", "contributions": "plot_contributions"}
BATTLE_OPTIONS = [
    *keys_of(BattleTerms, "battle", "Battle"),
    Option("--picture", "What --plot draws (margin).", OUTPUT, type=Choice(list(_PICTURES)), default="margin"),
    Option("--tell N", "Tell battle N of the seed, 0 is the first, and nothing else.", OUTPUT, type=Integer(0)),
    Option("--swing/--no-swing", "Also without each unit, a tenth as often each. Default: yes.", METHOD, default=True),
    Option("--orders/--no-orders", "Also in other orders, a fortieth as often each.", METHOD, default=True),
    Option("--trials N", "Battles to play (100,000).", METHOD, type=AT_LEAST_1),
    *SAMPLE_OPTIONS,
    ALL_AT_ONCE,
    Option("--replacement", "Tests put each card back. Default: real decks.", METHOD, default=None),
    FULL,
    *(*RULESET_OPTIONS, PROFILES, FORMAT, OutOption(PAGE), PLOT, QUIET_OPTION),
]


@click.command(
    cls=Command,
    params=BATTLE_OPTIONS,
    epilog="\n".join(["\b", "Policies:", *(f"  {name:<12}{policy.told}" for name, policy in POLICIES.items())]),
)
@click.argument("mine", shell_complete=complete_file)
@click.argument("yours", shell_complete=complete_file)
def battle(mine: str, yours: str, swing: bool, orders: bool, picture: str, tell: int | None, **_: Any) -> None:
    """What a battle of two whole armies comes to: who wins, who is left, and what each unit did for it.

    MINE and YOURS are rosters of BattleScribe or New Recruit (.ros, .rosz, .json), lists of your own (.toml), or
    selectors with commas between them, such as "crown/rifle-command-platoon@basic, 3 x crown/rifle-platoon@basic".
    With --out FILE.html as a page.
    """
    from analyser.analysis.battle import battle as asked

    options = click.get_current_context().params
    library = profiles_in(options["profiles"])
    terms = {option.path[1]: value for option, value in given_keys()}
    numbers: dict[str, Any] = given(options, *OF_A_SAMPLE) | {"profiles": library}
    if tell is not None:
        if options["plot"] is not None:
            raise InputError("a battle that is told has no picture", where="--plot", allowed="without --tell")
        if is_page(options["out"]):
            raise InputError("a battle that is told is no page", where="--out", allowed=".txt; or without --tell")
        _check_told(tell, numbers.get("trials", DEFAULT_BATTLES if "precision" not in numbers else None))
        numbers |= {"trials": 1}
        numbers.pop("precision", None)
    more: dict[str, Any] = {"swing": swing and tell is None, "orders": orders and tell is None}
    note_first_battles()
    with progress_bar("battles", after=1.0) as progress:
        result = asked(army_from(mine), army_from(yours), progress=progress, **more, **numbers, **terms)
    if tell is not None:
        story = result.tell(tell)
        lines = list(story.lines())
        write(lambda: str(story) + "\n", lambda: {"number": tell, "lines": lines}, lambda: [{"line": x} for x in lines])
        return
    _write(result, _PICTURES[picture])


def note_first_battles() -> None:
    """Say that the first battles of a machine have their kernel compiled before them."""
    from analyser.engine.battle.play import play_chunk

    note_compiling(play_chunk, "battles: up to half a minute")


def _check_told(number: int, trials: int | None) -> None:
    """InputError for a battle to tell that is none of `trials`; of a precision nobody knows how many there are."""
    if trials is not None and number >= trials:
        allowed = f"0 to {trials - 1:,}, or more --trials"
        raise InputError(f"there is no battle {number:,} among {trials:,}", where="--tell", allowed=allowed)


def run_battle(source: str) -> None:
    """Answer a scenario file of a battle, as the options of the command in progress ask for."""
    from analyser.api import simulate

    options = click.get_current_context().params
    is_stated = click.get_current_context().get_parameter_source("method") is ParameterSource.COMMANDLINE
    if is_stated and options["method"] != "monte-carlo":
        allowed = "monte-carlo, or left out: a battle is sampled"
        raise InputError(f"a battle has no {options['method']} answer", where="--method", allowed=allowed)
    library = profiles_in(options["profiles"])
    numbers: dict[str, Any] = given(options, *OF_A_SAMPLE)
    note_first_battles()
    with progress_bar("battles", after=1.0) as progress:
        result = simulate(source, kind="battle", profiles=library, progress=progress, **numbers)
    _write(result, _PICTURES["margin"])


def _write(result: Any, picture: str) -> None:
    """Write the answer to a battle; `picture`: what draws it."""
    from analyser.results import rendering

    options = click.get_current_context().params
    result = result.all_at_once() if options["all_at_once"] else result
    result = result.in_full() if options["full"] else result

    def text() -> str:
        if not is_page(options["out"]):
            return rendering.text([result])
        from analyser.report.battle_page import battle_page

        return battle_page(result)

    write(
        text,
        lambda: rendering.record([result]),
        lambda: rendering.rows([result]),
        warnings=result.warnings,
        plot=getattr(result, picture),
        headline=result.conclusions,
    )


def army_from(text: str) -> Any:
    """An army as an argument gives it: a path, or selectors with commas between them.

    InputError for what is neither, but would be the name of a file with its ending.
    """
    if is_there(Path(text)) or ("," not in text and Path(text).suffix):  # files, too, have commas in their names
        return text
    if meant := [f"{text}{ending}" for ending in ENDINGS if is_there(Path(f"{text}{ending}"))]:
        problem = f"no file is called {shown(text)}{one_of_these(meant)}"
        raise InputError(problem, allowed="the whole name of a file; or faction/unit@level, several with commas")
    return [each.strip() for each in text.split(",") if each.strip()]
