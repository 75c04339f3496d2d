"""Shell completion: what may stand for a selector, a metric, a situation; and the line that a shell needs."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem, get_completion_class

from analyser.cli.shell import Choice, Command

SHELLS = {  # what stands before the script that click makes
    "bash": 'COMP_WORDBREAKS="${COMP_WORDBREAKS//[@:=]/}"  # they stand inside a selector and its keys\n',
    "zsh": "(( $+functions[compdef] )) || { autoload -U compinit && compinit; }\n",
    "fish": "",
}
_FISH_SPLITS, _FISH_SPLITS_ONCE = 'string split ","', 'string split --max 1 ","'  # a selector's keys have commas
Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def _units(context: click.Context) -> Iterable[tuple[str, dict[str, Any]]]:
    """The factions and their units as the profile files have them, unchecked: a check takes longer than a key."""
    from analyser.game.profiles import RULESET_FILE, shipped_profiles

    folder = context.params.get("profiles")
    for path in sorted((shipped_profiles() if folder is None else Path(folder)).glob("*.toml")):
        if path.name != RULESET_FILE:
            faction = tomllib.loads(path.read_text(encoding="utf-8"))
            yield from ((faction["id"], unit) for unit in faction.get("unit", ()))


def _completer(names: Callable[[click.Context], Iterable[str]]) -> Completer:
    """What completes one of some names; nothing where these cannot be read."""

    def complete(context: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
        try:
            return [CompletionItem(name) for name in dict.fromkeys(names(context)) if name.startswith(incomplete)]
        except Exception:  # whatever is wrong with a profile file is for the command to say, not for a key
            return []

    return complete


def _metrics(_: click.Context) -> Iterable[str]:
    from analyser.plots.metrics import METRICS

    return METRICS


complete_metric = _completer(_metrics)
complete_selector = _completer(
    lambda context: (f"{faction}/{unit['id']}@{level}" for faction, unit in _units(context) for level in unit["levels"])
)
complete_units = _completer(
    lambda context: (name for faction, unit in _units(context) for name in (faction, f"{faction}/{unit['id']}"))
)
complete_row = _completer(lambda context: (row["id"] for _, unit in _units(context) for row in unit.get("rows", ())))


def complete_situations(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The last of some names with commas between them."""
    from analyser.analysis.situations import ALL_SITUATIONS, SITUATIONS

    before, comma, last = incomplete.rpartition(",")
    names = [*SITUATIONS, *([] if comma else [ALL_SITUATIONS])]
    return [CompletionItem(f"{before}{comma}{name}") for name in names if name.startswith(last)]


def with_keys(allowed: Iterable[str]) -> Completer:
    """What completes a selector and, after a colon, the keys that may stand there."""

    def complete(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
        if ":" not in incomplete:
            return complete_selector(context, parameter, incomplete)
        before, last = re.fullmatch(r"(.*[:,])([^:,]*)", incomplete).groups()  # type: ignore[union-attr]
        return [CompletionItem(f"{before}{key}") for key in allowed if key.startswith(last)]

    return complete


@click.command(cls=Command)
@click.argument("shell", metavar="SHELL", type=Choice(tuple(SHELLS)))
def completion(shell: str) -> None:
    """What makes SHELL complete commands, options, selectors and names.

    \b
    bash, zsh:  eval "$(analyser completion bash)"     in ~/.bashrc or ~/.zshrc
    fish:       analyser completion fish | source      in ~/.config/fish/config.fish
    """  # noqa: D301 - the backspace is how click is told to keep the lines
    from analyser.cli import cli

    made = get_completion_class(shell)
    assert made is not None
    script = made(cli, {}, "analyser", "_ANALYSER_COMPLETE").source()
    click.echo(SHELLS[shell] + script.replace(_FISH_SPLITS, _FISH_SPLITS_ONCE))
