"""The command of army lists: read, checked, written again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from analyser.cli.answer import write
from analyser.cli.options import FORMAT, PROFILES, QUIET_OPTION, Option, OutOption, complete_file, complete_units
from analyser.cli.shell import FORMATS, TEXTS, Choice, Command, examples, note, profiles_in
from analyser.common.errors import InputError, did_you_mean
from analyser.common.files import is_there

if TYPE_CHECKING:
    from analyser.game.army import Army
    from analyser.game.profiles import Profiles

CHECK, KINDS = "check", "kinds"
LIST, CARD = ".toml", ".html"
WORDS = "FILE | check FILE | kinds [FACTION]"
BROKEN = 1  # the exit status of a check that finds something
WHOSE_NUMBERS = ("profile", "roster")  # as in `importers.enlisted`, which a help need not import
_WHOSE_NUMBERS = "Whose numbers count where a roster says otherwise. Default: the profile's."
ARMY_OPTIONS = [
    Option("--numbers", _WHOSE_NUMBERS, type=Choice(WHOSE_NUMBERS), default="profile"),
    *(PROFILES, FORMAT, OutOption(LIST, CARD), QUIET_OPTION),
]


def _complete(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """A file; after `kinds` a faction."""
    words = context.params.get("words") or ()
    if words[:1] == (KINDS,):
        return [each for each in complete_units(context, parameter, incomplete) if "/" not in each.value]
    verbs = [] if words else [CompletionItem(each) for each in (CHECK, KINDS) if each.startswith(incomplete)]
    return verbs + complete_file(context, parameter, incomplete)


@click.command(
    cls=Command,
    params=ARMY_OPTIONS,
    epilog=examples("army mine.rosz", "army check mine.rosz", "army kinds crown", "army mine.rosz --out mine.toml"),
)
@click.argument("words", nargs=-1, required=True, metavar=WORDS, shell_complete=_complete)
@click.pass_context
def army(
    context: click.Context, /, words: tuple[str, ...], profiles: str | None, numbers: str, out: str | None, **_: Any
) -> None:
    """The army in FILE: a list of yours (.toml), or a roster of BattleScribe or New Recruit (.ros, .rosz, .json).

    With `check` before it: what is broken about it, by the rules of force building; then the exit status is 1.

    `kinds` instead: the words that a list may use, that is force scales, kinds of battlegroup and their slots; of a
    FACTION also who may stand in them, and boons.

    --out FILE.toml writes an army as a list of yours, FILE.html as a card for the table, which prints on a page.
    """
    verb, files = (words[0], words[1:]) if words[0] in (CHECK, KINDS) else ("", words)
    if verb:
        _check_no_list(verb, out)
    library = profiles_in(profiles)
    if context.get_parameter_source("numbers") is not ParameterSource.DEFAULT and not _is_roster(verb, files):
        note("--numbers: no effect without a roster")
    if verb == KINDS:
        _kinds(files, library)
        return
    from analyser.scenarios.armies import load_army

    found = load_army(_one(files), library, numbers=numbers)  # type: ignore[arg-type]
    if verb == CHECK:
        from analyser.game.force_check import checked_force

        checked = checked_force(found, library)
        write(lambda: str(checked), checked.as_dict, checked.rows, warnings=checked.unchecked)
        context.exit(0 if checked else BROKEN)
    write(lambda: _text(found, out), found.as_dict, found.rows, warnings=found.warnings)


def _text(found: Army, out: str | None) -> str:
    """An army as its file is to hold it."""
    ending = Path(out or "").suffix.lower()
    if ending == LIST:
        return found.to_toml()
    if ending == CARD:
        from analyser.report.army_card import army_card

        return army_card(found)
    return str(found)


def _is_roster(verb: str, files: tuple[str, ...]) -> bool:
    return verb != KINDS and not any(Path(each).suffix.lower() == LIST for each in files)


def _kinds(factions: tuple[str, ...], library: Profiles) -> None:
    """What army lists may hold, of one faction or of all."""
    from analyser.game.force_kinds import kinds_in

    if len(factions) > 1:
        raise click.UsageError(f"{len(factions)} factions: one is needed after 'kinds', or none for all")
    found = kinds_in(library, *factions)
    write(lambda: str(found), found.as_dict, found.rows)


def _check_no_list(verb: str, out: str | None) -> None:
    """Raise InputError where what is no army is to be written as one."""
    if out is not None and (ending := Path(out).suffix.lower()) in (LIST, CARD):
        what = {LIST: "an army list", CARD: "the card of an army"}[ending]
        allowed = ", ".join((*TEXTS, *(f".{form}" for form in FORMATS[1:])))
        raise InputError(f"{ending!r} is {what}, and '{verb}' gives none", where=out, allowed=allowed)


def _one(files: tuple[str, ...]) -> str:
    """The file of an army."""
    meant = did_you_mean(files[0], (CHECK, KINDS)) if files and not is_there(Path(files[0])) else ""
    if len(files) != 1:
        given = f"{len(files)} files" if files else "no file"
        raise click.UsageError(f"{given}: one is needed, after 'check' if it is to be checked{meant}")
    if meant and not Path(files[0]).suffix:
        raise click.UsageError(f"no file is called {files[0]!r}{meant}")
    return files[0]
