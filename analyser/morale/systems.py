"""The systems by name, and what the modules of each hand over."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from analyser.common.errors import InputError, did_you_mean, shown

if TYPE_CHECKING:
    from analyser.morale.questions import Asked


class System(NamedTuple):
    """A system of morale rules: a folder of its name in `games`, and a ruleset file of defaults in `profiles/morale`.

    Its module `tables` has functions of a question: `chains` by name, the :class:`~.result_tables.Answer` from what
    each came to, and `rules`; where weights do not come from chains alone also `weights`, and `completed` where a
    question is filled in from profiles.
    """

    name: str
    title: str
    other_rulesets: Mapping[str, str] = {}  # sections of its ruleset that are files of other systems

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
    def answers(self) -> Any:
        """The module that answers."""
        return self._module("tables")

    def _module(self, name: str) -> Any:
        return importlib.import_module(f"analyser.morale.games.{self.name.replace('-', '_')}.{name}")


_FILES = {"armoured_clash": "../ruleset.toml", "legion": "legion.toml", "grande_tactique": "grande-tactique.toml"}
_ALL = (
    System("legion", "Star Wars: Legion"),
    System("grande-tactique", "Grande Tactique"),
    System("warmaster", "Warmaster"),
    System("mordheim", "Mordheim"),
    System("compare", "Five systems side by side", _FILES),
)
SYSTEMS = {system.name: system for system in _ALL}
FIGHTS = {  # sections of fights
    *("attack", "attacks", "target", "charge", "attacker", "secondary", "duel", "a", "b"),
    *("battle", "mine", "yours"),
}


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
