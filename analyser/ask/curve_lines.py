"""Lines of a curve: units under the same conditions, their rows, or whole questions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from analyser.analysis import selection
from analyser.ask.asking import between, kind_in, with_armies
from analyser.ask.keys import LEVEL, POINTS, Key, Raw
from analyser.common.errors import InputError
from analyser.game.profiles import Profiles
from analyser.scenarios.load import check_whole, read_scenario

_LEVEL_IN = re.compile(r"@[\w-]+")  # of a selector
_SECONDS = ("target", "b")  # the sections of who is attacked, charged or fought


class Line(NamedTuple):
    """A line of a curve: its name, and its question."""

    name: str
    raw: Raw


def lines_of(
    question: Any, target: Any, kind: str, conditions: dict[str, Any], library: Profiles, *, rows: bool = False
) -> list[Line]:
    """The questions that are set side by side; each is called by what tells it from the others."""
    if target is None:
        if conditions or rows:
            raise InputError("this stands in the scenario", where=next(iter(conditions), "rows"))
        wholes = question if isinstance(question, list | tuple) else [question]
        lines = [_whole(each, number, library) for number, each in enumerate(wholes, start=1)]
        if len({kind_in(each.raw) for each in lines}) > 1:
            raise InputError("questions of several kinds", where="question", allowed="one kind")
    else:
        attackers = selection.loadouts(question, library)
        made = [Line(each.selector, between(each, target, kind, conditions)) for each in attackers]
        lines = [each for line in made for each in (_each_row(line) if rows and kind == "attack" else [line])]
    if not lines:
        raise InputError("nobody has a ranged row", where="rows")
    return lines


def _whole(question: Any, number: int, library: Profiles) -> Line:
    check_whole(question, "target", library)
    raw, where = read_scenario(question)
    name = where.rpartition("/")[2].removesuffix(".toml") if where else f"question {number}"
    return Line(name, with_armies(raw, where, library))


def _each_row(line: Line) -> list[Line]:
    ranged = [row.id for row in line.raw["attack"]["attacker"].unit.rows if row.kind == "ranged"]
    return [Line(f"{line.name} {row}", {**line.raw, "attack": {**line.raw["attack"], "row": row}}) for row in ranged]


def check_not_stated(keys: Sequence[Key], conditions: Mapping[str, Any], target: Any) -> None:
    """Raise InputError for a condition that is asked over as well: a value of it would have no effect."""
    for key in keys:
        for path in key.paths:
            section, name = target if path[0] in _SECONDS else conditions, str(path[-1])
            if not isinstance(section, Mapping) or key.what in (LEVEL, POINTS) or name == "unit":
                continue  # a target has to be named, whatever it is asked over
            listed = section.get(name)
            is_marked = key.mark in section or (isinstance(listed, list | tuple) and key.mark in listed)
            if is_marked if key.what == "mark" else name in section:
                problem = f"the question is asked over {key.title}: a value beside that has no effect"
                raise InputError(problem, where=key.name, allowed="one of the two; or over another key")


def without_levels(lines: list[Line], keys: Sequence[Key]) -> list[Line]:
    """The lines by names without levels, each once, where the level of who attacks is what is asked over."""
    if not any(key.name == LEVEL for key in keys):
        return lines
    named = {_LEVEL_IN.sub("", each.name): each for each in reversed(lines)}
    return [Line(name, line.raw) for name, line in reversed(named.items())]
