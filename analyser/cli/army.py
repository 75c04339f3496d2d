"""The command of army lists: read, checked, written again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from analyser.cli.answer import write
from analyser.cli.options import FORMAT, PROFILES, QUIET_OPTION, Option, OutOption, complete_file
from analyser.cli.shell import Choice, Command, profiles_in

CHECK = "check"
LIST, CARD = ".toml", ".html"
BROKEN = 1  # the exit status of a check that finds something
WHOSE_NUMBERS = ("profile", "roster")  # as in `importers.enlisted`, which a help need not import
_WHOSE_NUMBERS = "Whose numbers count where a roster says otherwise. Default: the profile's."
ARMY_OPTIONS = [
    Option("--numbers", _WHOSE_NUMBERS, type=Choice(WHOSE_NUMBERS), default="profile"),
    *(PROFILES, FORMAT, OutOption(LIST, CARD), QUIET_OPTION),
]


@click.command(cls=Command, params=ARMY_OPTIONS)
@click.argument("words", nargs=-1, required=True, metavar="[check] FILE", shell_complete=complete_file)
@click.pass_context
def army(
    context: click.Context, /, words: tuple[str, ...], profiles: str | None, numbers: str, out: str | None, **_: Any
) -> None:
    """The army in FILE: a list of yours (.toml), or a roster of BattleScribe or New Recruit (.ros, .rosz, .json).

    With `check` before it: what is broken about it, by the rules of force building; then the exit status is 1.

    --out FILE.toml writes it as a list of yours, FILE.html as a card for the table, which prints on a page.
    """
    from analyser.scenarios.armies import load_army

    check, file = _meant(words)
    library = profiles_in(profiles)
    found = load_army(file, library, numbers=numbers)  # type: ignore[arg-type]
    if check:
        from analyser.game.force_check import checked_force

        checked = checked_force(found, library)
        write(lambda: str(checked), checked.as_dict, checked.rows, warnings=checked.unchecked)
        context.exit(0 if checked else BROKEN)

    def text() -> str:
        ending = Path(out or "").suffix.lower()
        if ending == LIST:
            return found.to_toml()
        if ending == CARD:
            from analyser.report.army_card import army_card

            return army_card(found)
        return str(found)

    write(text, found.as_dict, found.rows, warnings=found.warnings)


def _meant(words: tuple[str, ...]) -> tuple[bool, str]:
    """Whether an army is to be checked, and its file."""
    check = words[0] == CHECK
    files = words[check:]
    if len(files) != 1:
        given = f"{len(files)} files" if files else "no file"
        raise click.UsageError(f"{given}: one is needed, after 'check' if it is to be checked")
    return check, files[0]
