"""From a file or a mapping to checked sections: which kind of question it is, and what it may hold."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Literal

from analyser.common.errors import InputError, did_you_mean, shown
from analyser.common.files import check_plain, path_of, read_toml
from analyser.common.validation import checked
from analyser.game.ruleset import Ruleset
from analyser.scenarios.schema import ScenarioFile

Kind = Literal["attack", "charge", "focus", "duel"]


_IN_WORDS: dict[Kind, str] = {"attack": "an attack", "charge": "a charge", "focus": "focus fire", "duel": "a duel"}


_OWN_SECTIONS: dict[Kind, set[str]] = {
    "attack": {"attack"},
    "charge": {"charge", "attacker", "secondary"},
    "focus": {"attacks"},
    "duel": {"duel", "a", "b"},
}


_MAY_HOLD: dict[Kind, str] = {
    "attack": "[attack] and [target]",
    "charge": "[charge], [attacker] and [target]",
    "focus": "[[attacks]] and [target]",
    "duel": "[duel], [a] and [b]",
}


def read_scenario(source: str | os.PathLike[str] | Mapping[str, Any]) -> tuple[dict[str, Any], str]:
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
    if raw.keys() & {"duel", "a", "b"}:
        return "duel"
    if "attacks" in raw:
        return "focus"
    return "charge" if raw.keys() & {"charge", "attacker", "secondary"} else "attack"


def check_kind(raw: Mapping[str, Any], wanted: Kind, where: str) -> None:
    """Refuse a scenario of another kind than the `wanted` one, and what is no scenario of a fight at all.

    Raises
    ------
    InputError
    """
    sections = {name for names in _OWN_SECTIONS.values() for name in names} | {"target"}
    if not raw.keys() & sections:
        unknown = next((key for key in raw if key != "ruleset"), None)
        hint = "" if unknown is None else f": {shown(unknown)} is no section of one{did_you_mean(unknown, sections)}"
        raise InputError(f"no scenario of a fight{hint}", where=where, allowed="; or ".join(_MAY_HOLD.values()))
    kind = kind_of(raw)
    if raw.keys() & _OWN_SECTIONS[kind] and not raw.keys() & _OWN_SECTIONS[wanted]:
        problem = f"this describes {_IN_WORDS[kind]}, not {_IN_WORDS[wanted]}"
        raise InputError(problem, where=where, allowed=_MAY_HOLD[wanted])


def parse_scenario(raw: Mapping[str, Any], default: Ruleset, *, where: str) -> ScenarioFile:
    """`raw` sections as checked records; a missing ``[ruleset]`` is `default`."""
    check_kind(raw, "attack", where)
    sections = dict(raw)
    for section in ("attack", "target", "ruleset"):
        if section in sections and not isinstance(sections[section], Mapping):
            problem = f"{shown(sections[section])} is not usable"
            raise InputError(problem, where=f"{where}: {section}", allowed="a table")
    stated = sections.get("ruleset", {})
    sections["ruleset"] = default if not stated else _own_ruleset(stated, default, where)
    for section in ("attack", "target"):
        if section in sections:
            sections[section] = without_absent(sections[section])
    return checked(ScenarioFile, sections, where=where)


def without_absent(section: Mapping[str, Any]) -> dict[str, Any]:
    """A section without the keys that say nothing, so that an echoed scenario can be read again."""
    return {key: value for key, value in section.items() if value is not None}


def _own_ruleset(stated: Mapping[str, Any], default: Ruleset, where: str) -> Ruleset:
    return checked(Ruleset, {**default.model_dump(), **stated}, where=f"{where}: ruleset")
