"""Commands for the morale rules of other games (systems), such as ``morale legion``, with an option for each key."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from analyser.cli.answer import answer, profiles_in_use
from analyser.cli.command_base import Commands, command
from analyser.cli.messages import note
from analyser.cli.options import METHODS, KeyOption, KeyPath, key_values, method, output, plain_type
from analyser.common.errors import InputError, shown
from analyser.morale.systems import SYSTEMS, system_of

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from analyser.common.validation import Record

_KEYS_IN_SHORT_HELP = 5
_EXAMPLES = {
    "legion": ("--courage 2 --tokens 5", "--courage 1 --received 2 --rounds 3 --plot panic.png"),
    "grande-tactique": ("--rout-units '[{edge_distance = 14}]' --rout-turns 2", "division.toml --method both"),
    "warmaster": ("--move retreats --distance 10 --stands 3", "order.toml --format json"),
    "mordheim": ("--alone-leadership 7 --alone-edge 14", "warband.toml --method both"),
    "compare": ("--models 6 --losses 1 --rounds 3", "losses.toml --plot nerve.png"),
}
# --die and --deck are left out, because the rules of other games state their dice
_ANSWER_OPTIONS = [*method("Monte Carlo: number of trials.", METHODS), *output(ruleset=False)]


def system_command(name: str) -> click.Command:
    """Return the command that answers questions about the morale rules of one game (a system)."""
    keys = _options(name)

    @command(
        "[SCENARIO.toml]",
        *(*keys, *_ANSWER_OPTIONS),
        help=f"{SYSTEMS[name].title}: state the question by options, a scenario file, or both.",
        examples=_EXAMPLES[name],
        brief=[key.opts[0] for key in keys[:_KEYS_IN_SHORT_HELP]],
    )
    def answer_question(scenario: str | None = None, **method: Any) -> None:
        answer_morale(name, scenario, **method)

    return answer_question


morale = Commands(
    "morale",
    sections={"Commands": {name: system.title for name, system in SYSTEMS.items()}},
    load=system_command,
    help="Morale of a unit under the rules of other games.",
)


def _options(name: str) -> list[KeyOption]:
    """Return an option for each key of the question of a system; a flag has the forms ``--x`` and ``--no-x``."""
    from analyser.game.profiles import MORALE_RULESETS

    options, system = [], SYSTEMS[name]
    for path, field in _keys(system.question):
        group, text = path[0].replace("_", " ").capitalize() if path[1:] else "Question", field.description
        if not text:  # a value of a ruleset: say which file has its default
            file = posixpath.join(MORALE_RULESETS, system.other_rulesets.get(path[1], system.ruleset))
            text = f"Replaces the value in {posixpath.normpath(file)}."
        options.append(KeyOption("-".join(path), path, field, group, text, both=True))
    return options


def _keys(model: type[Record]) -> Iterator[tuple[KeyPath, FieldInfo]]:
    """Yield the path and the field of each key of a question; a table in UNMERGED_TABLES is one key."""
    from analyser.common.validation import Record
    from analyser.morale.questions import UNMERGED_TABLES

    for key, field in model.model_fields.items():
        section = plain_type(field.annotation)
        if key not in UNMERGED_TABLES and isinstance(section, type) and issubclass(section, Record):
            yield from (((key, *path), inner) for path, inner in _keys(section))
        else:
            yield (key,), field


def answer_morale(name: str, scenario: str | Mapping[str, Any] | None, **method: Any) -> None:
    """Answer a question about a system, from a file or plain data; options override the keys of the question."""
    from analyser.morale.api import load_question
    from analyser.scenarios.load import read_scenario, ruleset_warnings

    raw, file = ({}, "") if scenario is None else read_scenario(scenario)
    if (other := system_of(raw)) not in (None, name):
        problem = f"this is a question about {SYSTEMS[str(other)].title}"
        raise InputError(problem, where=file, allowed=f"analyser morale {other}")
    for option, value in key_values():
        section = raw
        for key in option.path[:-1]:
            section = section.setdefault(key, {})
            if not isinstance(section, dict):
                raise InputError(f"{shown(section)} is not usable", where=f"{file}: {key}", allowed="a table")
        section[option.path[-1]] = value
    for warning in ruleset_warnings(raw):
        note(warning)
    try:
        load_question(name, raw, profiles_in_use())
    except InputError as error:
        if scenario is not None:
            raise error.inside(file) from None
        keys = (path for path, _ in _keys(SYSTEMS[name].question))
        options = {f"question: {'.'.join(path)}": f"--{'-'.join(path)}".replace("_", "-") for path in keys}
        error.where = options.get(error.where, error.where)
        if error.where == "question":  # about several keys: name their options
            named = [f"question: {word}" for word in dict.fromkeys(re.findall(r"\w+", error.problem))]
            error.where = ", ".join(options[key] for key in named if key in options) or error.where
        raise
    answer(name, raw, **method)
