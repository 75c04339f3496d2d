"""From a file or a mapping to checked sections: which kind of question it is, and what it may hold."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, TypeVar

from analyser.common.errors import InputError, did_you_mean, shown
from analyser.common.files import check_plain, path_of, read_toml
from analyser.common.validation import checked
from analyser.game.ruleset import Ruleset
from analyser.scenarios.schema import FILES, Kind, QuestionFile

Source = str | os.PathLike[str] | Mapping[str, Any]
FileT = TypeVar("FileT", bound=QuestionFile)


def read_scenario(source: Source) -> tuple[dict[str, Any], str]:
    """The raw sections of a scenario, and what to call their source in a message."""
    if isinstance(source, Mapping):
        check_plain(source, "scenario")
        return {str(key): value for key, value in source.items()}, "scenario"
    path = path_of(source, "scenario")
    return read_toml(path), str(path)


def kind_of(raw: Mapping[str, Any]) -> Kind:
    """What the sections of a scenario file describe: ``charge``, ``focus``, ``duel`` or ``attack``.

    Examples
    --------
    >>> kind_of({"duel": {}, "a": {}, "b": {}}), kind_of({"attack": {}, "target": {}})
    ('duel', 'attack')
    """
    longer: tuple[Kind, ...] = ("duel", "focus", "charge")
    return next((kind for kind in longer if raw.keys() & set(FILES[kind].own_sections)), "attack")


def check_kind(raw: Mapping[str, Any], wanted: Kind, where: str) -> None:
    """Raise InputError unless `raw` is a scenario of the `wanted` kind, or may be meant as one."""
    sections = {name for each in FILES.values() for name in each.own_sections} | {"target"}
    if not raw.keys() & sections:
        unknown = next((key for key in raw if key != "ruleset"), None)
        hint = "" if unknown is None else f": {shown(unknown)} is no section of one{did_you_mean(unknown, sections)}"
        allowed = "; or ".join(each.may_hold for each in FILES.values())
        raise InputError(f"no scenario of a fight{hint}", where=where, allowed=allowed)
    kind, asked = FILES[kind_of(raw)], FILES[wanted]
    if raw.keys() & set(kind.own_sections) and not raw.keys() & set(asked.own_sections):
        problem = f"this describes {kind.in_words}, not {asked.in_words}"
        raise InputError(problem, where=where, allowed=asked.may_hold)


def parse_scenario(raw: Mapping[str, Any], model: type[FileT], default: Ruleset, *, where: str) -> FileT:
    """`raw` sections as checked records; `default` stands in for what ``[ruleset]`` does not say.

    Keys that are null say nothing, so that an echoed scenario can be read again.
    """
    check_kind(raw, model.kind, where)
    sections = {key: without_absent(value) if isinstance(value, Mapping) else value for key, value in raw.items()}
    stated = sections.pop("ruleset", None)
    if stated is not None and not isinstance(stated, Mapping):
        raise InputError(f"{shown(stated)} is not usable", where=f"{where}: ruleset", allowed="a table")
    if stated:
        default = checked(Ruleset, {**default.model_dump(), **stated}, where=f"{where}: ruleset")
    return checked(model, {**sections, "ruleset": default}, where=where)


def without_absent(section: Mapping[str, Any]) -> dict[str, Any]:
    """A section without the keys that are null."""
    return {key: value for key, value in section.items() if value is not None}


def empty_sections(raw: Mapping[str, Any]) -> tuple[str, ...]:
    """A warning for a ruleset that says nothing."""
    return ("[ruleset] is empty and has no effect",) if raw.get("ruleset") == {} else ()
