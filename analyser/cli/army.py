"""Commands for army lists: show, check, print, and build; pages for a phone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from analyser.cli.answer import show, text_or_page, with_progress, write
from analyser.cli.battle import note_first_battles, parse_army
from analyser.cli.command_base import Choice, command, note, profiles_in, stated_options
from analyser.cli.options import (
    AT_LEAST_1,
    FORMAT,
    METHOD,
    OUT,
    OUTPUT,
    PAGE_EXTENSION,
    PROFILES,
    QUIET_OPTION,
    RULESET_OPTIONS,
    THREADS,
    Integer,
    Number,
    Option,
    OutOption,
    check_is_page,
    complete_factions,
    complete_file,
    situations_option,
)
from analyser.common.errors import InputError
from analyser.common.files import write_content

if TYPE_CHECKING:
    from analyser.game.army import Army

TOML = ".toml"
RULE_BROKEN = 1  # exit status of a check that finds a broken rule
NUMBER_SOURCES = ("profile", "roster")  # same as in `game.importers.roster_matching`, which is slow to import
_NUMBERS_TEXT = "Numbers to use where a roster and its profile differ. Default: profile."
_NUMBERS = Option("--numbers", _NUMBERS_TEXT, type=Choice(NUMBER_SOURCES))
_OUTPUT = [PROFILES, FORMAT, OUT, QUIET_OPTION]
FILE = click.argument("file", shell_complete=complete_file)


def _army_in(file: str, profiles: str | None, numbers: str | None) -> Army:
    """Return the army in a file; print a note if it is no roster, so that `numbers` has no effect."""
    from analyser.scenarios.armies import load_army

    if numbers is not None and Path(file).suffix.lower() == TOML:
        note("--numbers: no effect without a roster")
    return load_army(file, profiles_in(profiles), numbers=numbers or NUMBER_SOURCES[0])  # type: ignore[arg-type]


@command(_NUMBERS, PROFILES, FORMAT, OutOption(TOML), QUIET_OPTION, examples=("mine.rosz", "mine.rosz --out mine.toml"))
@FILE
def army_show(file: str, profiles: str | None, numbers: str | None, out: str | None, **_: Any) -> None:
    """Show the army in FILE: your own list (.toml), or a roster of BattleScribe or New Recruit (.ros, .rosz, .json).

    --out FILE.toml writes it as your own list.
    """
    result = _army_in(file, profiles, numbers)
    is_list = Path(out or "").suffix.lower() == TOML
    write(lambda: result.to_toml() if is_list else str(result), result.as_dict, result.rows, warnings=result.warnings)


@command(_NUMBERS, *_OUTPUT, examples=("mine.rosz", "mine.toml --format json"))
@FILE
@click.pass_context
def army_check(context: click.Context, /, file: str, profiles: str | None, numbers: str | None, **_: Any) -> None:
    """Check the army in FILE against the rules of force building. The exit status is 1 if it breaks a rule."""
    from analyser.game.force_check import check_force

    check = check_force(_army_in(file, profiles, numbers), profiles_in(profiles))
    show(check, warnings=(*check.army.warnings, *check.unchecked))
    context.exit(0 if check else RULE_BROKEN)


@command(
    _NUMBERS,
    PROFILES,
    Option("--out FILE", "Page to write (.html).", OUTPUT, required=True),
    QUIET_OPTION,
    examples=("mine.rosz --out card.html", "mine.toml --out card.html --profiles my-profiles"),
)
@FILE
def army_card(file: str, profiles: str | None, numbers: str | None, out: str) -> None:
    """Write a page with the rows, dice and rules of the army in FILE; it prints on one sheet."""
    from analyser.report.army_card import army_card as page_of

    check_is_page(out)
    result = _army_in(file, profiles, numbers)
    write_content(Path(out), page_of(result, profiles_in(profiles).ruleset))
    for warning in result.warnings:
        note(warning, "warning")


@command(
    Option("--against FILE", "File of the other army.", required=True, shell_complete=complete_file),
    _NUMBERS,
    *RULESET_OPTIONS,
    PROFILES,
    Option("--out FILE", "Page to write (.html).", OUTPUT, required=True),
    QUIET_OPTION,
    examples=("mine.rosz --against yours.rosz --out table.html", "mine.toml --against foes.toml --out t.html"),
)
@FILE
def army_table(file: str, against: str, profiles: str | None, numbers: str | None, out: str) -> None:
    """Write an offline page for a phone: exact probabilities in a game of the army in FILE against another."""
    from analyser.web.page import table

    check_is_page(out)
    armies = [_army_in(path, profiles, numbers) for path in (file, against)]
    table(*armies, profiles=profiles_in(profiles)).save(out)
    for warning in (warning for army in armies for warning in army.warnings):
        note(warning, "warning")


@command(*_OUTPUT, examples=("crown", "--format json"))
@click.argument("faction", required=False, shell_complete=complete_factions)
def army_kinds(faction: str | None, profiles: str | None, **_: Any) -> None:
    """List the values allowed in army lists: force scales, kinds of battlegroup, and slots.

    With a FACTION also list the units for each slot, and boons.
    """
    from analyser.game.force_kinds import force_kinds

    show(force_kinds(profiles_in(profiles), *filter(None, [faction])))


SCALES = ("skirmish", "battle", "cataclysm")  # same as in `game.forces`
OVER = ("mean", "worst")
_BATTLE_OPTIONS = ("trials", "seed")
_BUILD_OPTIONS = (
    *("scale", "must", "ban", "at_most", "battlegroups", "next_best", "differ", "over", "situations", "battles"),
    *(*_BATTLE_OPTIONS, "threads"),
)
_DIFFER_TEXT = "A list must differ from each better list in this share of its points. Default: 0.2."
_AGAINST_TEXT = "Opponents: an army file, a faction, or units such as 'imperium/*@basic'. Can be repeated."
_LIST, _OPPONENTS = "The list", "Opponents"  # headings in the help


@command(
    Option("--faction NAME", "Faction of the list.", _LIST, required=True),
    Option("--points N", "Points limit.", _LIST, required=True, type=AT_LEAST_1),
    Option("--scale", "Force scale. Default: the smallest that allows the points.", _LIST, type=Choice(SCALES)),
    Option("--must UNIT", "Required unit; '2 x UNIT' for two. Can be repeated.", _LIST, multiple=True),
    Option("--ban UNIT", "Excluded unit; wildcards work. Can be repeated.", _LIST, multiple=True),
    Option("--at-most K", "Maximum number of copies of a unit, over all levels.", _LIST, type=AT_LEAST_1),
    Option("--battlegroups N", "Maximum number of battlegroups. Default: 2.", _LIST, type=Integer(1, 20)),
    Option("--next-best N", "Number of further lists, 0 to 20. Default: 10.", _LIST, type=Integer(0, 20)),
    Option("--differ SHARE", _DIFFER_TEXT, _LIST, type=Number(0, 1, min_open=True)),
    Option("--against ARMY", _AGAINST_TEXT, _OPPONENTS, required=True, multiple=True, shell_complete=complete_file),
    Option("--mine ARMY", "Your own army, tested in the same battles.", _OPPONENTS, shell_complete=complete_file),
    Option(
        "--over",
        "Judge a list by its mean over the opponents, or by its worst case. Default: mean.",
        _OPPONENTS,
        type=Choice(OVER),
    ),
    situations_option(". Default: long-range,short-range-aimed,charge.", _OPPONENTS),
    Option("--battles/--no-battles", "Test the lists in simulated battles. Default: yes.", METHOD, default=True),
    Option("--trials N", "Battles of each list against each army. Default: 10,000.", METHOD, type=AT_LEAST_1),
    Option("--seed N", "Seed of the battles; same seed, same result. Default: 0.", METHOD, type=Integer(0)),
    THREADS,
    Option("--save FILE", "Also write the best list as an army file (.toml).", OUTPUT),
    *(*RULESET_OPTIONS, PROFILES, FORMAT, OutOption(PAGE_EXTENSION), QUIET_OPTION),
    examples=(
        "--faction crown --points 1500 --against yours.rosz",
        "--faction crown --points 1000 --against imperium --must '2 x crown/rifle-platoon' --no-battles",
    ),
)
def army_build(
    faction: str, points: int, against: tuple[str, ...], save: str | None, mine: str | None, **keys: Any
) -> None:
    """Find the best army list of a faction against some opponents, and test it in battles.

    --out FILE.html writes a page. Run the command again to resume battles that were stopped.
    """
    from analyser.analysis.build import build

    if save is not None and Path(save).suffix.lower() != TOML:
        raise InputError(f"{Path(save).suffix!r} is not the extension of an army file", where=save, allowed=TOML)
    options = stated_options(keys, *_BUILD_OPTIONS)
    opponents = [parse_army(text) if "," in text else text for text in against]
    if keys["battles"]:
        note_first_battles()
    elif without_effect := [f"--{name}" for name in stated_options(keys, *_BATTLE_OPTIONS)]:
        note(f"{', '.join(without_effect)}: no effect without battles")
    own_army = None if mine is None else parse_army(mine)
    result = with_progress(build, faction, points, opponents, mine=own_army, **options)

    lists = {} if save is None else {Path(save): lambda path: path.write_bytes(result.best.to_toml().encode())}
    more: dict[str, Any] = {"headline": lambda: [result.verdict], "other_files": lists}
    write(lambda: text_or_page(result, "build_page"), result.as_dict, result.rows_with_profiles, **more)


@command(
    Option("--out FILE", "Page to write (.html).", OUTPUT, required=True),
    *(*RULESET_OPTIONS, PROFILES, QUIET_OPTION),
    examples=("--out calculator.html", "--out mine.html --profiles my-profiles"),
)
def calculator(out: str, profiles: str | None) -> None:
    """Write an offline page for a phone, with exact attacks, charges and duels of all units.

    The command army table writes such a page for the two armies of one game.
    """
    from analyser.web.page import calculator as page_of

    check_is_page(out)
    page_of(profiles=profiles_in(profiles)).save(out)
