"""Completion of arguments and of the values of options by a shell."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def _units(context: click.Context) -> Iterable[tuple[str, dict[str, Any]]]:
    """Yield the faction and the data of each unit in the profile files, unchecked because a check is slow."""
    from analyser.common.files import read_toml
    from analyser.game.profiles import FILES_FOR_ALL, shipped_profiles

    folder = context.params.get("profiles")
    for path in sorted((shipped_profiles() if folder is None else Path(folder)).glob("*.toml")):
        if path.name not in FILES_FOR_ALL:
            faction = read_toml(path)
            yield from ((faction["id"], unit) for unit in faction.get("unit", ()))


def _completer(names_in: Callable[[click.Context], Iterable[str]]) -> Completer:
    """Return a completer of names; it offers nothing if the names cannot be read."""

    def complete(context: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
        try:
            return [CompletionItem(name) for name in dict.fromkeys(names_in(context)) if name.startswith(incomplete)]
        except Exception:  # the command, not completion, reports errors in profile files
            return []

    return complete


_complete_selector = _completer(
    lambda context: (f"{faction}/{unit['id']}@{level}" for faction, unit in _units(context) for level in unit["levels"])
)
complete_unit_name = _completer(
    lambda context: (name for faction, unit in _units(context) for name in (faction, f"{faction}/{unit['id']}"))
)


def _complete_file(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Leave the completion of a file or folder to the shell."""
    return [CompletionItem(incomplete, type="file")]


_UNIT_WORDS = ("PATTERN", "UNIT", "UNITS", "LOADOUTS", "ATTACKER", "ATTACKERS", "DEFENDERS", "TARGET", "A", "B")
_FILE_WORDS = (
    *("FILE", "FILES", "FOLDER", "DIR", "ARMY", "MINE", "YOURS", "OLD", "NEW"),
    *("PLAN", "STORE", "SCENARIO", "VARIANTS"),
)
COMPLETERS: Mapping[str, Completer] = {  # by the name of an option, or by the word for a value in the help
    **dict.fromkeys(_UNIT_WORDS, _complete_selector),
    **dict.fromkeys(_FILE_WORDS, _complete_file),
    **dict.fromkeys(("FACTION", "--faction"), _completer(lambda context: (faction for faction, _ in _units(context)))),
    "WHICH": complete_unit_name,
}
