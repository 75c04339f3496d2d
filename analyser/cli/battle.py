"""Commands for two armies: battles, and plans of attack."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import analyser
from analyser.cli.answer import note_first_battles, show, with_progress, write
from analyser.cli.command_base import command
from analyser.cli.option_base import METHOD, OUTPUT, Option
from analyser.cli.options import SAMPLE_OPTIONS, THREADS, is_page, key_options, output, situations, stated_terms
from analyser.common.errors import InputError, shown, suggestion_of
from analyser.common.files import is_there
from analyser.engine.battle.look_ahead_weights import TACTICS
from analyser.scenarios.battle import BattleTerms

ARMY_SUFFIXES = (".toml", ".ros", ".rosz", ".json")  # same as in `scenarios.armies`, which is slow to import
DEFAULT_BATTLES = 10_000  # same as in `results.battle`, which is slow to import
PICTURES = ("margin", "survival", "contributions")
AIMS = ("points", "annihilated", "victory-points")  # same as in `analysis.best_volleys`, which is slow to import


@command(
    "MINE YOURS",
    *key_options(BattleTerms, "battle", "Battle"),
    Option("--picture", "Picture for --plot. Default: margin.", OUTPUT, choices=PICTURES),
    Option("--tell N", "Only print battle N of the simulation in words; 0 is the first.", OUTPUT, least=0),
    Option("--swing/--no-swing", "Also simulate without each unit in turn, to show its effect (swing).", METHOD),
    Option("--tactics/--no-tactics", "First play all tactics against each other, to find an equilibrium.", METHOD),
    Option("--trials N", "Battles to simulate. Default: 10,000.", METHOD, least=1),
    *SAMPLE_OPTIONS,
    Option("--replacement", "Put each card back after a test. Default: real decks.", METHOD),
    *output(".html"),
    brief=("--tactic-mine", "--tactic-yours", "--gap", "--objectives"),
    examples=(
        "mine.rosz yours.rosz --out battle.html",
        "'crown/rifle-command-p@basic, 3 x crown/rifle-p@basic' yours.toml --rounds 4",
    ),
    notes="\n".join(["\b", "Tactics:", *(f"  {name:<16}{tactic.description}" for name, tactic in TACTICS.items())]),
)
def battle_simulate(mine: str, yours: str, picture: str = "margin", tell: int | None = None, **keys: Any) -> None:
    """Simulate battles of two whole armies: the winner, the survivors, and the contribution of each unit.

    MINE and YOURS are the armies: rosters of BattleScribe or New Recruit (.ros, .rosz, .json), your own lists
    (.toml), or units separated by commas. --out FILE.html writes a page.
    """
    if tell is not None:
        keys = _for_one_battle(tell, keys)
    note_first_battles()
    armies = parse_army(mine), parse_army(yours)
    result = with_progress(analyser.battle, *armies, noun="battles", **keys, **stated_terms())
    if tell is None:
        _show(result, picture)
        return
    story = result.tell(tell)
    lines = list(story.lines())
    write(lambda: f"{story}\n", lambda: {"number": tell, "lines": lines}, lambda: [{"line": line} for line in lines])


def _for_one_battle(tell: int, keys: dict[str, Any]) -> dict[str, Any]:
    """Return `keys` for a battle in words; raise InputError if it does not exist, or an option excludes ``--tell``."""
    params = click.get_current_context().params
    if params["plot"] is not None:
        raise InputError("--tell has no picture", where="--plot", allowed="without --tell")
    if is_page():
        raise InputError("--tell and a page exclude each other", where="--out", allowed=".txt; or without --tell")
    trials = keys.get("trials", DEFAULT_BATTLES)
    if tell >= trials and not ("precision" in keys and "trials" not in keys):
        allowed = f"0 to {trials - 1:,}, or more --trials"
        raise InputError(f"battle {tell:,} does not exist: there are {trials:,}", where="--tell", allowed=allowed)
    kept = {name: value for name, value in keys.items() if name != "precision"}
    return kept | {"trials": 1, "swing": False, "tactics": False}


@command(
    "MINE YOURS",
    situations(". Default: all."),
    Option("--distance INCHES", "Also compute aimed shots at this distance, and list them first.", above=0),
    Option("--aim", "Objective of the best attacks of a round. Default: points.", choices=AIMS),
    Option("--battles N", "Also simulate this many battles. Default: 10,000 for a page, otherwise 0.", least=0),
    THREADS,
    *output(".html"),
    examples=(
        "mine.rosz yours.rosz --out plan.html",
        '"3 x crown/rifle-platoon@basic, crown/drake-field-guns@basic" yours.toml --situations long-range',
    ),
)
def battle_plan(mine: str, yours: str, battles: int | None = None, **keys: Any) -> None:
    """Plan a battle: the best counter to each enemy, enemies that no unit can hurt, and the best attacks of a round.

    MINE and YOURS are the armies: rosters of BattleScribe or New Recruit (.ros, .rosz, .json), your own lists
    (.toml), or units separated by commas. --out FILE.html writes a page.
    """
    if battles is None:
        battles = DEFAULT_BATTLES if is_page() else 0
    armies = parse_army(mine), parse_army(yours)
    if battles:
        note_first_battles()
    result = with_progress(analyser.clash, *armies, battles=battles, **keys)
    more: dict[str, Any] = {"warnings": result.warnings, "headline": lambda: result.battle_conclusions}
    show(result, page="clash_page", **more)


def run_battle(source: Any, method: str = "monte-carlo", **numbers: Any) -> None:
    """Answer a scenario of a battle."""
    if method != "monte-carlo":
        allowed = "monte-carlo, or leave it out: battles are simulated"
        raise InputError(f"a battle has no {method} answer", where="--method", allowed=allowed)
    note_first_battles()
    _show(with_progress(analyser.simulate, source, kind="battle", noun="battles", **numbers), "margin")


def _show(result: Any, picture: str) -> None:
    """Write the answer to a battle; `picture` ends the name of its plot method, such as ``margin``."""
    plot = getattr(result, f"plot_{picture}")
    show(result, page="battle_page", plot=plot, warnings=result.warnings, headline=result.conclusions)


def parse_army(text: str) -> Any:
    """Return the army in an argument: the path of a file, or the list of its selectors.

    The name of an army file without its extension raises InputError.
    """
    if is_there(Path(text)) or ("," not in text and Path(text).suffix):  # file names may have commas
        return text
    if meant := [f"{text}{suffix}" for suffix in ARMY_SUFFIXES if is_there(Path(f"{text}{suffix}"))]:
        problem = f"no file is called {shown(text)}{suggestion_of(meant)}"
        raise InputError(problem, allowed="the whole name of a file; or faction/unit@level, separated by commas")
    return [part.strip() for part in text.split(",") if part.strip()]
