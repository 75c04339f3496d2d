"""The commands of whole armies against each other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from analyser.cli import options
from analyser.cli.answer import write
from analyser.cli.battle import army_from, note_first_battles
from analyser.cli.options import (
    AT_LEAST_1,
    FORMAT,
    METHOD,
    OUTPUT,
    PAGE,
    PLOT,
    PROFILES,
    QUIET_OPTION,
    RULESET_OPTIONS,
    THREADS,
    Integer,
    Number,
    Option,
    OutOption,
    is_page,
)
from analyser.cli.shell import Choice, Command, examples, given, note, profiles_in, progress_bar
from analyser.common.errors import InputError

AIMS = ("points", "annihilated", "victory-points")  # as in `analysis.volleys`, which a help need not import
LIST = ".toml"
BATTLES_OF_A_PAGE = 20_000
SCALES = ("skirmish", "battle", "cataclysm")  # as in `game.forces`
OVER = ("mean", "worst")
_OF_BATTLES = ("trials", "seed", "resume")
_OF_BUILD = (
    *("scale", "must", "ban", "at_most", "battlegroups", "next_best", "differ", "over", "situations", "battles"),
    *(*_OF_BATTLES, "threads"),
)
_AIM = "What the best attacks of a round are to gain. Default: points."
_DISTANCE = "Also with all so many inches apart, aiming; the best attacks of that come first."
CLASH_OPTIONS = [
    Option("--situations NAMES", "Names with commas between them. Default: all.", type=options.names),
    Option("--distance INCHES", _DISTANCE, type=Number(0, min_open=True)),
    Option("--aim", _AIM, type=Choice(AIMS)),
    Option("--battles N", "Also so many battles, 0 for none. Default: 20,000 on a page, else 0.", type=Integer(0)),
    THREADS,
    *(*RULESET_OPTIONS, PROFILES, FORMAT, OutOption(PAGE), PLOT, QUIET_OPTION),
]
_DIFFER = "Of its points in which each differs from all before it (0.2)."
_LIST, _FIELD = "The list", "The field"
BUILD_OPTIONS = [
    Option("--faction NAME", "Whose list.", _LIST, required=True),
    Option("--points N", "What it may cost.", _LIST, required=True, type=AT_LEAST_1),
    Option("--scale", "Default: the smallest that allows so many points.", _LIST, type=Choice(SCALES)),
    Option("--must UNIT", "Must be in it; '2 x UNIT' for two. Can be repeated.", _LIST, multiple=True),
    Option("--ban UNIT", "Must not be in it, wildcards too. Can be repeated.", _LIST, multiple=True),
    Option("--at-most K", "Of each unit, at whatever level.", _LIST, type=AT_LEAST_1),
    Option("--battlegroups N", "At most so many (2).", _LIST, type=Integer(1, 20)),
    Option("--next-best N", "So many lists more, 0 to 20 (10); each takes longer.", _LIST, type=Integer(0, 20)),
    Option("--differ SHARE", _DIFFER, _LIST, type=Number(0, 1, min_open=True)),
    Option(
        "--against ARMY",
        "A roster or a list of an army; or a faction or selectors. Can be repeated.",
        _FIELD,
        required=True,
        multiple=True,
        shell_complete=options.complete_file,
    ),
    Option(
        "--mine ARMY",
        "Your own roster or list: it fights the same battles.",
        _FIELD,
        shell_complete=options.complete_file,
    ),
    Option("--over", "The mean over the field, or its worst case. Default: mean.", _FIELD, type=Choice(OVER)),
    Option("--situations NAMES", "Default: long-range,short-range-aimed,charge.", _FIELD, type=options.names),
    Option("--battles/--no-battles", "Let the lists fight the armies. Default: yes.", METHOD, default=True),
    Option("--trials N", "Battles of each list against each army, over 16 orders (10,000).", METHOD, type=AT_LEAST_1),
    Option("--seed N", "Of the battles: same seed, same bits (0).", METHOD, type=Integer(0)),
    Option("--resume FILE", "Keeps the battles that are done; the same command goes on from there.", METHOD),
    THREADS,
    Option("--save FILE", "Also the best list as an army file, .toml.", OUTPUT),
    *(*RULESET_OPTIONS, PROFILES, FORMAT, OutOption(PAGE), QUIET_OPTION),
]


@click.command(
    cls=Command,
    params=BUILD_OPTIONS,
    epilog=examples(
        "build --faction crown --points 1500 --against yours.rosz",
        "build --faction crown --points 1000 --against imperium --must '2 x crown/rifle-platoon' --no-battles",
    ),
)
def build(
    faction: str,
    points: int,
    against: tuple[str, ...],
    profiles: str | None,
    save: str | None,
    mine: str | None,
    out: str | None,
    **keys: Any,
) -> None:
    """The best list of a faction against armies or a field: by an integer programme, then by battles.

    With --out FILE.html as a page.
    """
    from analyser.analysis.build import build as built

    if save is not None and Path(save).suffix.lower() != LIST:
        raise InputError(f"{Path(save).suffix!r} is no ending of an army file", where=save, allowed=LIST)
    how, met = given(keys, *_OF_BUILD), [army_from(each) if "," in each else each for each in against]
    if keys["battles"]:
        note_first_battles()
    elif idle := [f"--{name}" for name in given(keys, *_OF_BATTLES)]:
        note(f"{', '.join(idle)}: no effect without battles")
    with progress_bar(after=1.0) as progress:  # fights, then battles
        own = None if mine is None else army_from(mine)
        found = built(faction, points, met, mine=own, profiles=profiles_in(profiles), progress=progress, **how)

    def rows() -> list[dict[str, Any]]:
        return [{**row, "profiles": str(found.profiles)} for row in found.rows()]

    def text() -> str:
        if not is_page(out):
            return str(found)
        from analyser.report.build_page import build_page

        return build_page(found)

    lists = {} if save is None else {Path(save): lambda path: path.write_bytes(found.best.to_toml().encode())}
    write(text, found.as_dict, rows, headline=lambda: [found.verdict], beside=lists)


@click.command(
    cls=Command,
    params=CLASH_OPTIONS,
    epilog=examples(
        "clash mine.rosz yours.rosz --out clash.html",
        'clash "3 x crown/rifle-platoon@basic, crown/drake-field-guns@basic" yours.toml --situations long-range',
    ),
)
@click.argument("mine", shell_complete=options.complete_file)
@click.argument("yours", shell_complete=options.complete_file)
def clash(mine: str, yours: str, profiles: str | None, out: str | None, **keys: Any) -> None:
    """Two armies: who should fight whom, gaps, the best attacks of a round; with --out FILE.html as a page.

    MINE and YOURS are rosters of BattleScribe or New Recruit (.ros, .rosz, .json), lists of your own (.toml), or
    selectors with commas between them.
    """
    from analyser.analysis.clash import clash as clashed

    how: dict[str, Any] = {"battles": BATTLES_OF_A_PAGE if is_page(out) else 0}
    how |= given(keys, "situations", "distance", "aim", "battles", "threads")
    armies = army_from(mine), army_from(yours)
    if how["battles"]:
        note_first_battles()
    with progress_bar(after=1.0) as progress:
        found = clashed(*armies, profiles=profiles_in(profiles), progress=progress, **how)

    def text() -> str:
        if not is_page(out):
            return str(found)
        from analyser.report.clash_page import clash_page

        return clash_page(found)

    def rows() -> list[dict[str, Any]]:
        return [{**row, "profiles": str(found.profiles)} for row in found.as_dict()["matchups"]]

    write(text, found.as_dict, rows, warnings=found.warnings, plot=found.heatmap, headline=lambda: found.fought)
