"""The systems by name, and what the modules of each hand over."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from analyser.common.errors import InputError, did_you_mean, shown

if TYPE_CHECKING:
    from analyser.engine.chain.chain import Chain, Recorded
    from analyser.morale.answers import Answer, Rules
    from analyser.morale.questions import Asked


class System(NamedTuple):
    """A system of morale rules: a folder of its name in `games`, and a ruleset file of defaults in `profiles/morale`.

    `other_rulesets` are sections of its ruleset that are files of other systems.
    """

    name: str
    title: str
    other_rulesets: Mapping[str, str] = {}

    @property
    def ruleset(self) -> str:
        """The file of defaults."""
        return f"{self.name}.toml"

    @property
    def question(self) -> type[Asked]:
        """The record that a question is."""
        model: type[Asked] = self._module("question").Question
        return model

    @property
    def answers(self) -> Answers:
        """The module that answers."""
        module: Answers = self._module("tables")
        return module

    def _module(self, name: str) -> Any:
        return importlib.import_module(f"analyser.morale.games.{self.name.replace('-', '_')}.{name}")


class Answers(Protocol):
    """What the ``tables`` module of a system has.

    A system whose weights do not come from chains alone has a function `weights` of its own; one whose questions are
    filled in from profiles has `completed`.
    """

    def chains(self, question: Any) -> dict[str, Chain]:
        """The chains of rolls that the question needs, by name."""

    def answer(self, question: Any, recorded: Mapping[str, Recorded]) -> Answer:
        """The tables and panels from what each chain came to."""

    def rules(self, question: Any) -> Rules:
        """The rules that the numbers come from, such as ``LG-2 rally step``, those that none comes from, warnings."""


SYSTEMS = {
    system.name: system
    for system in (
        System("legion", "Star Wars: Legion"),
        System("grande-tactique", "Grande Tactique"),
        System("warmaster", "Warmaster"),
        System("mordheim", "Mordheim"),
        System(
            "compare",
            "Five systems side by side",
            {
                "armoured_clash": "../ruleset.toml",
                "legion": "legion.toml",
                "grande_tactique": "grande-tactique.toml",
            },
        ),
    )
}
FIGHTS = {"attack", "attacks", "target", "charge", "attacker", "secondary", "duel", "a", "b"}  # sections of fights


def system_named(name: str) -> System:
    """The system of a name; InputError if there is none."""
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
    matching = [name for name, system in SYSTEMS.items() if keys <= system.question.model_fields.keys()]
    return matching[0] if len(matching) == 1 else None
