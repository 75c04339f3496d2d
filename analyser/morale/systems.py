"""The systems by name, and what each module of answers hands over."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

from analyser.common.errors import InputError, did_you_mean, shown

if TYPE_CHECKING:
    from analyser.common.validation import Record
    from analyser.engine.chain.chain import Chain, Recorded
    from analyser.morale.panels import Panel
    from analyser.morale.tables import Table


class System(NamedTuple):
    """A system of morale rules.

    Attributes
    ----------
    title : str
    package : str
        Of this room: its ``question`` module has the records `Question` and `Ruleset`, its ``answer`` module is an
        :class:`Answers`.
    ruleset : str
        The file of defaults, in ``profiles/morale``.
    other_rulesets : tuple of (str, str)
        Sections of the ruleset that are files of other systems.
    completed_by : str
        Its module whose `completed` fills in a raw question from profiles; none where a question needs none.
    """

    title: str
    package: str
    ruleset: str
    other_rulesets: tuple[tuple[str, str], ...] = ()
    completed_by: str = ""


SYSTEMS = {
    "legion": System("Star Wars: Legion", "legion", "legion.toml"),
    "grande-tactique": System("Grande Tactique", "grande_tactique", "grande-tactique.toml"),
    "warmaster": System("Warmaster", "warmaster", "warmaster.toml"),
    "mordheim": System("Mordheim", "mordheim", "mordheim.toml"),
    "compare": System(
        "Five systems side by side",
        "compare",
        "compare.toml",
        (("armoured_clash", "../ruleset.toml"), ("legion", "legion.toml"), ("grande_tactique", "grande-tactique.toml")),
        completed_by="duel",
    ),
}


FIGHTS = {"attack", "attacks", "target", "charge", "attacker", "secondary", "duel", "a", "b"}  # sections of fights


class Answers(Protocol):
    """What the ``tables`` module of a system has."""

    def chains(self, question: Any) -> dict[str, Chain]:
        """The chains of rolls that the question needs, by name."""

    def tables(self, question: Any, weights: dict[str, Recorded]) -> dict[str, Table]:
        """The answer's tables from the weights of the states of each chain, the main table first."""

    def applied(self, question: Any) -> Iterable[str]:
        """The rules that the numbers come from, such as ``LG-2 rally step``."""

    def not_modelled(self, question: Any) -> Iterable[str]:
        """The rules that no number comes from."""

    def panels(self, question: Any) -> Iterable[Panel]:
        """The pictures of the answer."""

    def warnings(self, question: Any) -> Iterable[str]:
        """What to know about how the question was read."""


class Sections:
    """Answers to a question in sections: those of the module of each section that is asked, one after the other.

    A module has `chain` (or `chains`, several by name), `tables` of what that came to, `panels`, `applied` (rules, and
    whether each can have its occasion), and where they say anything `not_modelled` and `warnings`; each takes the
    section and the whole question.
    """

    def __init__(self, **modules: Any) -> None:
        self._modules = modules

    def _asked(self, question: Any, part: str) -> Iterator[tuple[str, Any, Any]]:
        """The name, the section, and that part of the module of each section that is asked."""
        for name, module in self._modules.items():
            section = getattr(question, name)
            if section is not None and hasattr(module, part):
                yield name, section, getattr(module, part)

    def chains(self, question: Any) -> dict[str, Chain]:
        """The chains of each section."""
        chains: dict[str, Chain] = {}
        for name, module in self._modules.items():
            section = getattr(question, name)
            if section is not None:
                several = hasattr(module, "chains")
                chains |= module.chains(section, question) if several else {name: module.chain(section, question)}
        return chains

    def tables(self, question: Any, recorded: dict[str, Recorded]) -> dict[str, Table]:
        """The tables of each section."""
        joined: dict[str, Table] = {}
        for name, section, tables in self._asked(question, "tables"):
            several = hasattr(self._modules[name], "chains")
            joined |= tables(section, question, recorded if several else recorded[name])
        return joined

    def panels(self, question: Any) -> Iterable[Panel]:
        """The pictures of each section."""
        return self._joined(question, "panels")

    def applied(self, question: Any) -> Iterable[str]:
        """The rules of each section that can have their occasion."""
        rules = [of_section(section, question) for _, section, of_section in self._asked(question, "applied")]
        return (rule for each in rules for rule, holds in each.items() if holds)

    def not_modelled(self, question: Any) -> Iterable[str]:
        """The rules that no number of a section comes from."""
        return self._joined(question, "not_modelled")

    def warnings(self, question: Any) -> Iterable[str]:
        """What to know about how each section was read."""
        return self._joined(question, "warnings")

    def _joined(self, question: Any, part: str) -> Iterator[Any]:
        for _, section, of_section in self._asked(question, part):
            yield from of_section(section, question)


def system_named(name: str) -> System:
    """The system of a name.

    Raises
    ------
    InputError
        There is none of that name.
    """
    if name not in SYSTEMS:
        raise InputError(f"no morale system {shown(name)}{did_you_mean(name, SYSTEMS)}", allowed=", ".join(SYSTEMS))
    return SYSTEMS[name]


def system_of(raw: Mapping[str, Any]) -> str | None:
    """The system that a raw scenario is a question to, by its keys; None where it is a fight, or that cannot be told.

    Examples
    --------
    >>> system_of({"dice": 2, "obstacles": []}), system_of({"attack": {}, "target": {}})
    ('warmaster', None)
    """
    keys = raw.keys() - {"ruleset"}
    if not keys or keys <= FIGHTS:
        return None
    matching = [name for name, system in SYSTEMS.items() if keys <= question_model(system).model_fields.keys()]
    return matching[0] if len(matching) == 1 else None


def question_model(system: System) -> type[Record]:
    """The record that a question to a system is."""
    return cast("type[Record]", importlib.import_module(f"analyser.morale.games.{system.package}.question").Question)


def answers_of(system: System) -> Answers:
    """The module that answers questions to a system."""
    return cast("Answers", importlib.import_module(f"analyser.morale.games.{system.package}.tables"))


def completed(system: System, raw: dict[str, Any], folder: Path | None) -> dict[str, Any]:
    """A raw question with what stands in profiles filled in; `folder` of profiles, None: the shipped one.

    Raises
    ------
    InputError
    """
    if not system.completed_by:
        return raw
    module = importlib.import_module(f"analyser.morale.games.{system.package}.{system.completed_by}")
    return cast("dict[str, Any]", module.completed(raw, folder))
