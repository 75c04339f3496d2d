"""Commands for two armies: battles, and plans of attack."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from analyser.cli.answer import SAMPLING_OPTIONS, note_compiling, text_or_page, with_profiles, with_progress, write
from analyser.cli.command_base import Choice, command, stated_options
from analyser.cli.options import (
    AT_LEAST_1,
    FORMAT,
    METHOD,
    OUTPUT,
    PAGE_EXTENSION,
    PLOT,
    PROFILES,
    QUIET_OPTION,
    RULESET_OPTIONS,
    SAMPLE_OPTIONS,
    THREADS,
    Integer,
    Number,
    Option,
    OutOption,
    complete_file,
    is_page,
    key_options,
    key_values,
    situations_option,
)
from analyser.common.errors import InputError, shown, suggestion_of
from analyser.common.files import is_there
from analyser.engine.battle.look_ahead_weights import TACTICS
from analyser.scenarios.battle import BattleTerms

ARMY_SUFFIXES = (".toml", ".ros", ".rosz", ".json")  # same as in `scenarios.armies`, which is slow to import
DEFAULT_BATTLES = 10_000  # same as in `results.battle`, which is slow to import
_PLOTS = {"margin": "plot_margin", "survival": "plot_survival", "contributions": "plot_contributions"}
AIMS = ("points", "annihilated", "victory-points")  # same as in `analysis.best_volleys`, which is slow to import
PAGE_BATTLES = 10_000
_AIM_TEXT = "Objective of the best attacks of a round. Default: points."
_DISTANCE_TEXT = "Also compute aimed shots at this distance, and list their best attacks first."
_BATTLES_TEXT = "Also simulate this many battles. Default: 10,000 for a page (--out FILE.html), otherwise 0."
_ARMY_OUTPUT = [*RULESET_OPTIONS, PROFILES, FORMAT, OutOption(PAGE_EXTENSION), PLOT, QUIET_OPTION]
MINE, YOURS = (click.argument(side, shell_complete=complete_file) for side in ("mine", "yours"))


@command(
    *key_options(BattleTerms, "battle", "Battle"),
    Option("--picture", "Picture for --plot. Default: margin.", OUTPUT, type=Choice(list(_PLOTS)), default="margin"),
    Option("--tell N", "Instead print battle N of the simulation in words; 0 is the first.", OUTPUT, type=Integer(0)),
    Option(
        "--swing/--no-swing",
        "Also show what each unit contributes (its swing), by simulating without it (with a tenth of the trials).",
        METHOD,
        default=True,
    ),
    Option(
        "--tactics/--no-tactics",
        "First simulate all tactics against each other, then play an equilibrium. Default: yes.",
        METHOD,
        default=True,
    ),
    Option("--trials N", "Battles to simulate. Default: 10,000.", METHOD, type=AT_LEAST_1),
    *SAMPLE_OPTIONS,
    Option("--replacement", "Put each card back after a test. Default: real decks.", METHOD, default=None),
    *_ARMY_OUTPUT,
    brief=("--tactic-mine", "--tactic-yours", "--gap"),
    examples=(
        "mine.rosz yours.rosz --out battle.html",
        "'crown/rifle-command-p@basic, 3 x crown/rifle-p@basic' yours.toml --rounds 4",
    ),
    notes="\n".join(["\b", "Tactics:", *(f"  {name:<16}{tactic.description}" for name, tactic in TACTICS.items())]),
)
@MINE
@YOURS
def battle_simulate(
    mine: str, yours: str, swing: bool, tactics: bool, picture: str, tell: int | None, **_: Any
) -> None:
    """Simulate battles of two whole armies: the winner, the survivors, and the contribution of each unit.

    MINE and YOURS are the armies: rosters of BattleScribe or New Recruit (.ros, .rosz, .json), your own lists
    (.toml), or units separated by commas. --out FILE.html writes a page.
    """
    from analyser.analysis.battle import battle as simulate_battles

    options = click.get_current_context().params
    terms = {option.path[1]: value for option, value in key_values()}
    numbers: dict[str, Any] = stated_options(options, *SAMPLING_OPTIONS)
    if tell is not None:
        if options["plot"] is not None:
            raise InputError("--tell has no picture", where="--plot", allowed="without --tell")
        if is_page(options["out"]):
            raise InputError("--tell and a page exclude each other", where="--out", allowed=".txt; or without --tell")
        _check_battle_number(tell, numbers.get("trials", DEFAULT_BATTLES if "precision" not in numbers else None))
        numbers |= {"trials": 1}
        numbers.pop("precision", None)
    more: dict[str, Any] = {"swing": swing and tell is None, "tactics": tactics and tell is None}
    note_first_battles()
    armies = parse_army(mine), parse_army(yours)
    result = with_progress(simulate_battles, *armies, noun="battles", **more, **numbers, **terms)
    if tell is not None:
        story = result.tell(tell)
        lines = list(story.lines())
        write(lambda: str(story) + "\n", lambda: {"number": tell, "lines": lines}, lambda: [{"line": x} for x in lines])
        return
    _write(result, _PLOTS[picture])


@command(
    situations_option(". Default: all."),
    Option("--distance INCHES", _DISTANCE_TEXT, type=Number(0, min_open=True)),
    Option("--aim", _AIM_TEXT, type=Choice(AIMS)),
    Option("--battles N", _BATTLES_TEXT, type=Integer(0)),
    THREADS,
    *_ARMY_OUTPUT,
    examples=(
        "mine.rosz yours.rosz --out plan.html",
        '"3 x crown/rifle-platoon@basic, crown/drake-field-guns@basic" yours.toml --situations long-range',
    ),
)
@MINE
@YOURS
def battle_plan(mine: str, yours: str, out: str | None, **keys: Any) -> None:
    """Plan a battle: the best counter to each enemy, enemies that no unit can hurt, and the best attacks of a round.

    MINE and YOURS are the armies: rosters of BattleScribe or New Recruit (.ros, .rosz, .json), your own lists
    (.toml), or units separated by commas. --out FILE.html writes a page.
    """
    from analyser.analysis.clash import clash

    options: dict[str, Any] = {"battles": PAGE_BATTLES if is_page(out) else 0}
    options |= stated_options(keys, "situations", "distance", "aim", "battles", "threads")
    armies = parse_army(mine), parse_army(yours)
    if options["battles"]:
        note_first_battles()
    answer = with_progress(clash, *armies, **options)

    more: dict[str, Any] = {
        "warnings": answer.warnings,
        "plot": answer.plot,
        "headline": lambda: answer.battle_conclusions,
    }
    rows = lambda: with_profiles(answer, answer.as_dict()["matchups"])  # noqa: E731 - called only for a table
    write(lambda: text_or_page(answer, "clash_page"), answer.as_dict, rows, **more)


def note_first_battles() -> None:
    """Print a note if the kernel of battles must be compiled first."""
    from analyser.engine.battle.play import play_chunk

    note_compiling(play_chunk, "battles: up to half a minute")


def _check_battle_number(number: int, trials: int | None) -> None:
    """Raise InputError if `number` is not below `trials`, unless `trials` is None."""
    if trials is not None and number >= trials:
        allowed = f"0 to {trials - 1:,}, or more --trials"
        raise InputError(f"battle {number:,} does not exist: there are {trials:,}", where="--tell", allowed=allowed)


def run_battle(source: Any) -> None:
    """Answer a scenario of a battle, with the options of the running command."""
    from analyser.api import simulate

    options = click.get_current_context().params
    is_stated = click.get_current_context().get_parameter_source("method") is ParameterSource.COMMANDLINE
    if is_stated and options["method"] != "monte-carlo":
        allowed = "monte-carlo, or leave it out: battles are simulated"
        raise InputError(f"a battle has no {options['method']} answer", where="--method", allowed=allowed)
    note_first_battles()
    numbers = stated_options(options, *SAMPLING_OPTIONS)
    result = with_progress(simulate, source, kind="battle", noun="battles", **numbers)
    _write(result, _PLOTS["margin"])


def _write(result: Any, picture: str) -> None:
    """Write the answer to a battle; `picture` is the name of its plot method."""
    from analyser.results import rendering

    write(
        lambda: text_or_page(result, "battle_page"),
        lambda: rendering.record([result]),
        lambda: rendering.rows([result]),
        warnings=result.warnings,
        plot=getattr(result, picture),
        headline=result.conclusions,
    )


def parse_army(text: str) -> Any:
    """Return the army of an argument: a path, or the list of its selectors.

    The name of an army file without its extension raises InputError.
    """
    if is_there(Path(text)) or ("," not in text and Path(text).suffix):  # file names may have commas
        return text
    if meant := [f"{text}{suffix}" for suffix in ARMY_SUFFIXES if is_there(Path(f"{text}{suffix}"))]:
        problem = f"no file is called {shown(text)}{suggestion_of(meant)}"
        raise InputError(problem, allowed="the whole name of a file; or faction/unit@level, several with commas")
    return [part.strip() for part in text.split(",") if part.strip()]
