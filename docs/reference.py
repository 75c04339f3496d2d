"""Write the reference that follows from the code: keys of files and answers, figures, rules in short, and commands.

``python docs/reference.py`` writes ``docs/keys.md``, which is committed so that it can be read without a build. ``make
docs`` writes the commands as well. Descriptions are those of the code; ``docs/keys.toml`` has those that it lacks.
"""

from __future__ import annotations

import inspect
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin

import click
from annotated_types import Ge, Gt, Le, Lt

import analyser
import analyser.plots
from analyser import cli
from analyser.common.metrics import MATCHUP_METRICS
from analyser.common.validation import Record
from analyser.game.army_file import ArmyFile
from analyser.game.force_check import RULES
from analyser.game.keywords import DESCRIPTIONS, QUALITIES
from analyser.game.ruleset import Deck
from analyser.game.units import Faction
from analyser.morale.games.compare.question import Question as Compare
from analyser.morale.games.grande_tactique.question import Question as GrandeTactique
from analyser.morale.games.legion.question import Question as Legion
from analyser.morale.games.mordheim.question import Question as Mordheim
from analyser.morale.games.warmaster.question import Question as Warmaster
from analyser.morale.questions import MoraleQuestion, Pmf
from analyser.scenarios.battle import BattleFile
from analyser.scenarios.schema import ChargeFile, DuelFile, FocusFile, ScenarioFile
from analyser.sweep.sweep_file import SweepFile

FOLDER = Path(__file__).parent
PAGE = FOLDER / "keys.md"
NOTES: Mapping[str, Any] = tomllib.loads((FOLDER / "keys.toml").read_text("utf-8"))
FILES: Mapping[str, tuple[type[Record], ...]] = {
    "Scenario files": (ScenarioFile, ChargeFile, FocusFile, DuelFile, BattleFile),
    "Army files": (ArmyFile,),
    "Faction files": (Faction,),
    "Sweep files": (SweepFile,),
    "Morale: Star Wars: Legion": (Legion,),
    "Morale: Grande Tactique": (GrandeTactique,),
    "Morale: Warmaster": (Warmaster,),
    "Morale: Mordheim": (Mordheim,),
    "Morale: five systems": (Compare,),
}
OUTLINE = FILES["Scenario files"]
"""Files that hold sections alone: they have no table of their own."""
DISTRIBUTIONS = {Pmf: "integer or distribution", tuple[Pmf, ...]: "value per round"}
INTRODUCTION = """# Keys, figures and rules in short

<!-- Written by `python docs/reference.py`; change the code or docs/keys.toml, not this file. -->

Every key of every file, with the values that it takes and its default. Lengths are in inches, in steps of 0.01,
unless a key says otherwise. A value per round is a number, a distribution such as `{ 0 = 0.5, 2 = 0.5 }`, or a list of
these. The `[target]` of a charge and `[a]` and `[b]` of a duel have the keys of `[attacker]`.
"""


class Key(NamedTuple):
    """A key of a section."""

    name: str
    values: str
    default: str
    description: str


def sections(record: type[Record], name: str, seen: dict[type[Record], str]) -> Iterator[tuple[str, list[Key]]]:
    """Yield each section below a record with its keys, a record once.

    A record that extends one already written gives its own keys; `seen` has the records that have been written.
    """
    base = next((each for each in record.__mro__[1:] if each in seen), None)
    known = base.model_fields if base else {}
    fields = {field.alias or key: field for key, field in record.model_fields.items() if key not in known}
    if record not in OUTLINE and fields:
        title = f"{name}: the keys of {seen[base]}, and these" if base else name
        yield title, [key_of(record, key, field) for key, field in fields.items()]
    seen[record] = name
    for key, field in fields.items():
        for inner, is_list in records_in(field.annotation):
            is_new = not any(issubclass(each, inner) for each in seen)
            if is_new and inner is not Deck and not filled_in(record, key):
                path = f"{name.strip('[]')}.{key}" if name.startswith("[") else key
                yield from sections(inner, f"[[{path}]]" if is_list else f"[{path}]", seen)


def key_of(record: type[Record], name: str, field: Any) -> Key:
    """Return a key with its values, default and description; KeyError if nothing describes it."""
    notes = next(
        (NOTES[each.__name__] for each in record.__mro__ if name in NOTES.get(each.__name__, ())), NOTES["any"]
    )
    inner = [each for each, _ in records_in(field.annotation)]
    about = field.description or notes.get(name) or (inner and first_sentence(inner[0]))
    if not about:
        raise KeyError(f"{record.__name__}.{name} has no description: add it to docs/keys.toml")
    is_required = field.is_required() and not filled_in(record, name) and "Default:" not in about
    default = "required" if is_required else "" if inner or field.default_factory else written(field.default)
    return Key(name, values(field.annotation, field.metadata), default, about)


def filled_in(record: type[Record], name: str) -> bool:
    """Return whether a key is the ruleset of a game's morale, which comes from the profiles."""
    return name == "ruleset" and issubclass(record, MoraleQuestion)


def first_sentence(record: type[Record]) -> str:
    """Return what the docstring of a record begins with, without its reference to the page of keys."""
    return (inspect.getdoc(record) or "").split("\n")[0].split(" `docs/")[0]


def records_in(annotation: Any, is_list: bool = False) -> Iterator[tuple[type[Record], bool]]:
    """Yield the records of an annotation, and whether they stand in a list."""
    if inspect.isclass(annotation) and issubclass(annotation, Record):
        yield annotation, is_list
    for inner in get_args(annotation):
        yield from records_in(inner, is_list or get_origin(annotation) is tuple)


def values(annotation: Any, metadata: Sequence[Any] = ()) -> str:
    """Return the values that an annotation takes, in words."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        inner = [mark for each in arguments[1:] for mark in getattr(each, "metadata", [each])]
        return values(arguments[0], (*inner, *metadata))
    if origin is Literal:
        return ", ".join(f"`{written(each)}`" for each in arguments)
    if annotation in DISTRIBUTIONS:
        return DISTRIBUTIONS[annotation]
    if origin is tuple:
        return f"list of {values(arguments[0])}"
    if origin is dict:
        return f"table of {values(arguments[1])}"
    if arguments:  # a union
        return " or ".join(dict.fromkeys(values(each, metadata) for each in arguments if each is not type(None)))
    names = {bool: "true, false", int: "integer", float: "number", str: "text"}
    if inspect.isclass(annotation) and issubclass(annotation, Record):
        return "table"
    return names.get(annotation, "text") + bounds(metadata)


def bounds(metadata: Sequence[Any]) -> str:
    """Return the range that the marks of an annotation leave, such as `` 0 to 100``."""
    least = next((mark.ge for mark in metadata if isinstance(mark, Ge)), None)
    above = next((mark.gt for mark in metadata if isinstance(mark, Gt)), None)
    most = min((mark.le for mark in metadata if isinstance(mark, Le)), default=None)
    below = next((mark.lt for mark in metadata if isinstance(mark, Lt)), None)
    low = f" {least:g}" if least is not None else "" if above is None else f" above {above:g}"
    high = f" to {most:g}" if most is not None else "" if below is None else f" below {below:g}"
    return f"{low}{high}" if high or not low else f"{low} or more"


def written(value: object) -> str:
    """Return a value as a file has it; nothing for None and for what is empty."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ", ".join(map(written, value)) if all(isinstance(each, str) for each in value) else ""
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table of Markdown."""
    cells = [[each.replace("|", "\\|") for each in row] for row in (heads, ["---"] * len(heads), *rows)]
    return "\n".join(f"| {' | '.join(row)} |" for row in cells) + "\n"


def file_keys() -> Iterator[str]:
    """Yield a part for each kind of file: a table for each section."""
    seen: dict[type[Record], str] = {}
    for title, records in FILES.items():
        yield f"## {title}\n"
        for record in records:
            for name, keys in sections(record, "Top of the file", seen):
                heading = f"`{name}`" if name.startswith("[") and ":" not in name else name
                yield f"### {heading}\n"
                rows = [(f"`{key.name}`", key.values, key.default, key.description) for key in keys]
                yield table(("key", "values", "default", "meaning"), rows)


def answer_keys() -> Iterator[str]:
    """Yield the part about answers: the keys of the JSON of each kind of question."""
    attack = {"dice": 6, "qualities": ["Overcharge"]}
    target = {"models": 6, "defence": 2, "damage_limit": 1, "discipline": 7}
    rifles, grenadiers = "crown/rifle-platoon@basic", "imperium/scion-grenadier-platoon@basic"
    few: dict[str, Any] = {"method": "monte-carlo", "trials": 500}
    answers = {
        "attack": analyser.attack({"attack": attack, "target": target}, **few),
        "charge": analyser.charge(rifles, grenadiers, **few),
        "focus": analyser.focus([rifles], grenadiers, **few),
        "duel": analyser.duel(rifles, grenadiers, rounds=1, **few),
        "battle": analyser.battle([rifles], [grenadiers], trials=500, rounds=2),
        "morale": analyser.morale.legion(courage=1),
    }
    kinds: dict[str, list[str]] = {}
    for kind, answer in answers.items():
        for key in answer.as_dict():
            kinds.setdefault(key, []).append(kind)
    yield "## Keys of answers in JSON\n"
    rows = [(f"`{key}`", every(of, answers), NOTES["json"][key]) for key, of in kinds.items()]
    yield table(("key", "of", "meaning"), rows)


def every(some: Sequence[str], whole: Mapping[str, Any]) -> str:
    """Return some kinds of answers in words."""
    return "all" if len(some) == len(whole) else ", ".join(some)


def pictures() -> list[tuple[str, str]]:
    """Return the functions of `analyser.plots` with the first line of their docstrings."""
    functions = {name: getattr(analyser.plots, name) for name in analyser.plots.__all__}
    return [(f"`{name}`", (inspect.getdoc(each) or "").split("\n")[0]) for name, each in functions.items()]


def page() -> str:
    """Return the page of keys."""
    figures = [(f"`{name}`", metric.title, metric.unit) for name, metric in MATCHUP_METRICS.items()]
    rules = [(name, "quality" if name in QUALITIES else "special rule", text) for name, text in DESCRIPTIONS.items()]
    parts = [
        INTRODUCTION,
        *file_keys(),
        *answer_keys(),
        "## Figures of comparisons\n",
        table(("name", "figure", "unit"), figures),
        "## Pictures\n",
        table(("function of `analyser.plots`", "picture"), pictures()),
        "## Qualities and special rules in short\n",
        table(("name", "kind", "effect on the numbers"), rules),
        "## Rules of force building\n",
        table(("rule", "an army keeps it if"), list(RULES.items())),
    ]
    return "\n".join(parts)


def commands() -> str:
    """Return the page of commands: the help of each."""
    lines = ["# Commands\n"]
    for names, command in walk(cli.cli, ("analyser",)):
        context = click.Context(command, info_name=" ".join(names))
        lines += [f"## {' '.join(names)}\n", "```text", command.get_help(context), "```\n"]
    return "\n".join(lines)


def walk(command: click.Command, names: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield a command and all commands inside it, with their names."""
    yield names, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None:
                yield from walk(inner, (*names, name))


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
