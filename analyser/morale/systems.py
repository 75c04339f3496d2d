"""Morale systems by name, with their titles, modules and ruleset files."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from analyser.common.errors import InputError, did_you_mean, shown

if TYPE_CHECKING:
    from analyser.morale.questions import MoraleQuestion


class System(NamedTuple):
    """A system of morale rules: a folder in `games`, and a ruleset file of defaults in `profiles/morale`.

    Its module `answers` has the functions `chains`, `answer` (returns tables by name) and `rules`, which take a
    question, and the `PANELS` of the picture. It may have the functions `weights` (of states, if the chains alone do
    not determine them), `complete` (adds keys from the profiles to a raw question) and `headline` (of a result), and
    the constants `CASES` (heading above chains' names), `MAIN_EVENTS` (events for the headline, the most important
    first) and `KEY_WORDS` (for some keys of tables, a function that puts a value in words).
    """

    name: str
    title: str
    other_rulesets: Mapping[str, str] = {}  # files of other systems, by the section of the ruleset that they fill

    @property
    def ruleset(self) -> str:
        """Name of the file of defaults."""
        return f"{self.name}.toml"

    @property
    def question(self) -> type[MoraleQuestion]:
        """Record type of a question."""
        model: type[MoraleQuestion] = self._module("question").Question
        return model

    @property
    def answers(self) -> Any:
        """Module with the functions that answer a question."""
        return self._module("answers")

    def _module(self, name: str) -> Any:
        return importlib.import_module(f"analyser.morale.games.{self.name.replace('-', '_')}.{name}")


_OTHER_FILES = {"armoured_clash": "../ruleset.toml", "legion": "legion.toml", "grande_tactique": "grande-tactique.toml"}
_SYSTEMS = (
    System("legion", "Star Wars: Legion"),
    System("grande-tactique", "Grande Tactique"),
    System("warmaster", "Warmaster"),
    System("mordheim", "Mordheim"),
    System("compare", "Four games and Armoured Clash side by side", _OTHER_FILES),
)
SYSTEMS = {system.name: system for system in _SYSTEMS}
FIGHT_SECTIONS = {  # sections of scenarios, which are questions about fights
    *("attack", "attacks", "target", "charge", "attacker", "secondary", "duel", "a", "b"),
    *("battle", "mine", "yours"),
}


def system_named(name: str) -> System:
    """Return the system of this name; InputError for an unknown name."""
    if name not in SYSTEMS:
        raise InputError(f"unknown system {shown(name)}{did_you_mean(name, SYSTEMS)}", allowed=", ".join(SYSTEMS))
    return SYSTEMS[name]


def system_of(raw: Mapping[str, Any]) -> str | None:
    """Return the name of the system that a raw question is about; None for a fight, or if no single system fits.

    >>> system_of({"dice": 2, "obstacles": []}), system_of({"attack": {}, "target": {}})
    ('warmaster', None)
    """
    keys = raw.keys() - {"ruleset"}
    if not keys or keys <= FIGHT_SECTIONS:
        return None
    matching = [name for name, system in SYSTEMS.items() if keys <= system.question.model_fields.keys()]
    return matching[0] if len(matching) == 1 else None
