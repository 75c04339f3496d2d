"""Commands for army lists: show, check, print, and build; pages for a phone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import analyser
from analyser.cli.answer import note_first_battles, profiles_in_use, show, with_progress
from analyser.cli.battle import parse_army
from analyser.cli.command_base import command
from analyser.cli.messages import note
from analyser.cli.option_base import METHOD, OUTPUT, Option, file_of
from analyser.cli.options import INPUT, PAGE, PROFILES, QUIET, THREADS, out_extension, output, situations
from analyser.common.files import write_content
from analyser.game.names import number_and_selector

if TYPE_CHECKING:
    from analyser.game.army import Army
    from analyser.game.profiles import Profiles

TOML = ".toml"
RULE_BROKEN = 1  # exit status of a check that finds a broken rule
NUMBER_SOURCES = ("profile", "roster")  # same as in `game.importers.roster_matching`, which is slow to import
_NUMBERS = Option("--numbers", "Numbers to use if roster and profile differ. Default: profile.", choices=NUMBER_SOURCES)
_OUTPUT = output(ruleset=False, plot=False)


def _army_in(army: str | list[str], library: Profiles, numbers: Any) -> Army:
    """Return the army in a file or a list of selectors; print a note if `numbers` is stated without a roster."""
    if numbers is not None and (isinstance(army, list) or Path(army).suffix.lower() == TOML):
        note("--numbers: no effect without a roster")
    return analyser.load_army(army, library, numbers=numbers or "profile")


def _note_warnings(*armies: Army) -> None:
    for army in armies:
        for warning in army.warnings:
            note(warning, "warning")


@command(
    "FILE", _NUMBERS, *output(TOML, ruleset=False, plot=False), examples=("mine.rosz", "mine.rosz --out mine.toml")
)
def army_show(file: str, numbers: str | None = None) -> None:
    """Show the army in FILE: your own list (.toml), or a roster of BattleScribe or New Recruit (.ros, .rosz, .json).

    --out FILE.toml writes it as your own list.
    """
    result = _army_in(file, profiles_in_use(), numbers)
    text = result.to_toml if out_extension() == TOML else result.__str__
    show(result, text=text, rows=result.rows, warnings=result.warnings)


@command("FILE", _NUMBERS, *_OUTPUT, examples=("mine.rosz", "mine.toml --format json"))
def army_check(file: str, numbers: str | None = None) -> int:
    """Check the army in FILE against the rules of force building. The exit status is 1 if it breaks a rule."""
    library = profiles_in_use()
    check = analyser.check_army(_army_in(file, library, numbers), library)
    show(check, warnings=(*check.army.warnings, *check.unchecked))
    return 0 if check else RULE_BROKEN


@command(
    "FILE",
    *(_NUMBERS, PROFILES, PAGE, QUIET),
    examples=("mine.rosz --out card.html", "mine.toml --out card.html --profiles my-profiles"),
)
def army_card(file: str, out: str, numbers: str | None = None) -> None:
    """Write a page to print, with the rows, dice and rules of the army in FILE."""
    from analyser.report.army_card import army_card as page_of

    result = _army_in(file, profiles_in_use(), numbers)
    write_content(Path(out), page_of(result))
    _note_warnings(result)


@command(
    "MINE YOURS",
    *(_NUMBERS, PAGE, *INPUT),
    examples=("mine.rosz yours.rosz --out table.html", "mine.toml '3 x imperium/krupp-field-guns@basic' --out t.html"),
)
def army_table(mine: str, yours: str, out: str, numbers: str | None = None) -> None:
    """Write an offline page for a phone: exact probabilities in a game of the army MINE against YOURS.

    MINE and YOURS are files, or units separated by commas, as in the command battle.
    """
    library = profiles_in_use()
    armies = [_army_in(parse_army(text), library, numbers) for text in (mine, yours)]
    analyser.table(*armies, profiles=library).save(out)
    _note_warnings(*armies)


@command("[FACTION]", *_OUTPUT, examples=("crown", "--format json"))
def army_kinds(**faction: str) -> None:
    """List the values allowed in army lists: force scales, kinds of battlegroup, and slots.

    With a FACTION also list the units for each slot, and boons.
    """
    show(analyser.army_kinds(**faction, profiles=profiles_in_use()))


SCALES = ("skirmish", "battle", "cataclysm")  # same as in `game.forces`
OVER = ("mean", "worst")
_ARMY_FILE = file_of(TOML, "an army file")
_LIST, _OPPONENTS = "The list", "Opponents"  # headings in the help


@command(
    "",
    Option("--faction NAME", "Faction of the list.", _LIST, required=True),
    Option("--points N", "Points limit.", _LIST, required=True, least=1),
    Option("--scale", "Force scale. Default: the smallest that allows the points.", _LIST, choices=SCALES),
    Option("--must UNIT", "Required unit; '2 x UNIT' for two.", _LIST, multiple=True),
    Option("--ban UNIT", "Excluded unit; wildcards work.", _LIST, multiple=True),
    Option("--at-most K", "Maximum number of copies of each unit, counted over all its levels.", _LIST, least=1),
    Option("--battlegroups N", "Maximum number of battlegroups, 1 to 20. Default: 2.", _LIST, least=1, most=20),
    Option("--next-best N", "Number of further lists, 0 to 20. Default: 10.", _LIST, least=0, most=20),
    Option("--differ SHARE", "Least share of points in which lists differ. Default: 0.2.", _LIST, above=0, most=1),
    Option("--against ARMY", "Opponents: an army file, a faction, or units.", _OPPONENTS, required=True, multiple=True),
    Option("--mine ARMY", "Your own army, tested in the same battles.", _OPPONENTS),
    Option(
        "--over", "Judge a list by its mean or worst value over opponents. Default: mean.", _OPPONENTS, choices=OVER
    ),
    situations(". Default: long-range,short-range-aimed,charge.", _OPPONENTS),
    Option("--battles/--no-battles", "Test the lists in simulated battles. Default: yes.", METHOD),
    Option("--trials N", "Battles of each list against each army. Default: 10,000.", METHOD, least=1),
    Option("--seed N", "Seed of the battles; same seed, same result. Default: 0.", METHOD, least=0),
    THREADS,
    Option("--save FILE", "Also write the best list as an army file (.toml).", OUTPUT, type=_ARMY_FILE),
    *output(".html", plot=False),
    examples=(
        "--faction crown --points 1500 --against yours.rosz",
        "--faction crown --points 1000 --against imperium --must '2 x crown/rifle-platoon' --no-battles",
    ),
)
def army_build(
    faction: str, points: int, against: tuple[str, ...], save: str | None = None, mine: str | None = None, **keys: Any
) -> None:
    """Find the best army list of a faction against some opponents, and test it in battles.

    --out FILE.html writes a page. Run the command again to resume battles that were stopped.
    """
    opponents = [parse_army(text) if "," in text or number_and_selector(text)[1] != text else text for text in against]
    if keys.get("battles", True):
        note_first_battles()
    elif without_effect := [f"--{name}" for name in ("trials", "seed") if name in keys]:
        note(f"{', '.join(without_effect)}: no effect without battles")
    own_army = None if mine is None else parse_army(mine)
    result = with_progress(analyser.build, faction, points, opponents, mine=own_army, **keys)
    lists = {} if save is None else {save: result.best.to_toml}
    show(result, page="build_page", headline=lambda: [result.verdict], other_files=lists)


@command("", *(PAGE, *INPUT), examples=("--out calculator.html", "--out mine.html --profiles my-profiles"))
def calculator(out: str) -> None:
    """Write an offline page for a phone, with exact attacks, charges and duels of all units.

    The command army table writes such a page for the two armies of one game.
    """
    analyser.calculator(profiles=profiles_in_use()).save(out)
