"""A scenario: who attacks whom, how, and in what state - as written in a file, and as resolved.

The file form is a contract (`docs/scenario.md`). Reading it checks everything that can be wrong; what
comes out, a :class:`Scenario`, can be computed without another question.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from analyser.dice import RatingName
from analyser.errors import InputError, did_you_mean, shown
from analyser.files import check_plain, path_of, read_toml
from analyser.profiles import ProfilesUsed
from analyser.ruleset import Ruleset
from analyser.units import MOST_DICE, MOST_MODELS, Category, Inches, Loadout, Models, Rule, UnitType
from analyser.validation import Record, as_tuple, checked

BonusName = Literal["aiming", "short_range", "ammo_supply"]
PenaltyName = Literal["concealed", "suppressed", "opportunity_fire", "reforming", "outside_front_arc"]
Dice = Annotated[int, Field(ge=1, le=MOST_DICE)]
Count = Annotated[int, Field(ge=0, le=MOST_MODELS)]
Limit = Annotated[int, Field(ge=1, le=MOST_MODELS)]

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


class ExtraReroll(Record):
    """Further faces that may be re-rolled, and by how many dice at most (AC-3.5)."""

    faces: tuple[Literal["strike", "glancing", "miss", "blank"], ...]
    dice: Annotated[int, Field(ge=0, le=MOST_DICE)]

    _tuples = field_validator("faces", mode="before")(as_tuple)


class Attack(Record):
    """The ``[attack]`` of a scenario (AC-3, AC-4). `docs/scenario.md` says each key."""

    kind: Literal["ranged"] = "ranged"
    attacker: str | None = None
    row: str | None = None
    distance: Inches | None = None
    dice: Dice | None = None
    dice_in_parentheses: Annotated[int, Field(ge=0, le=MOST_DICE)] | None = None
    rating: RatingName | None = None
    bonuses: tuple[BonusName, ...] = ()
    penalties: tuple[PenaltyName, ...] = ()
    concealed: bool = False
    line_of_sight: Literal["own", "none", "spotter"] = "own"
    qualities: tuple[Rule, ...] | None = None
    veteran: Annotated[int, Field(ge=0, le=MOST_DICE)] | None = None
    extra_reroll: ExtraReroll | None = None
    opportunity_fire: bool = False
    overcharge: bool = False
    carriages: Annotated[int, Field(ge=0, le=20)] = 0
    attacker_models: Models | None = None
    attacker_damage: Count = 0
    attacker_damage_limit: Limit | None = None
    attacker_garrisoned: bool = False
    attacker_reloading: bool = False
    attacker_advanced: bool = False

    _tuples = field_validator("bonuses", "penalties", "qualities", mode="before")(as_tuple)


class Target(Record):
    """The ``[target]`` of a scenario: its profile and its state. `docs/scenario.md` says each key."""

    unit: str | None = None
    type: UnitType | None = None
    category: Category | None = None
    models: Models | None = None
    defence: Annotated[int, Field(ge=1, le=100)] | None = None
    damage_limit: Limit | None = None
    discipline: Annotated[int, Field(ge=0, le=100)] | None = None
    break_limit: Count | None = None
    victory_points: Annotated[int, Field(ge=0, le=1000)] | None = None
    damage: Count = 0
    suppressed: bool = False
    disordered: bool = False
    activated: bool = False
    exposed: Annotated[int, Field(ge=1, le=MOST_MODELS)] | None = None
    edge_distance: Inches | None = None
    formation: Literal["close", "open"] | None = None
    officer: Literal["last", "first", "random"] = "last"
    near_commander: bool = False
    taking_cover: bool = False
    garrisoned: bool = False
    from_front: bool = False
    obstacle: bool = False
    behemoth: bool | None = None
    aircraft: bool | None = None
    models_without_room: Count = 0
    fail_on_purpose: bool = False
    peer_review: bool = False
    chain_of_command: bool = False
    rules: tuple[Rule, ...] | None = None

    _tuples = field_validator("rules", mode="before")(as_tuple)


class ScenarioFile(Record):
    """A whole scenario file."""

    attack: Attack
    target: Target
    ruleset: Ruleset


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario, resolved: profiles looked up, defaults filled in, everything checked.

    Attributes
    ----------
    attack, target : Attack, Target
        Nothing left out that the computation needs; ``None`` only where the rules know "none".
    ruleset : Ruleset
    attacker, defender : Loadout or None
        The profiles that the selectors named.
    attacker_rules : tuple of str
        Special rules of the attacker's profile.
    warnings : tuple of str
        What the user should know about how the scenario was read.
    profiles : ProfilesUsed or None
        Where the profiles and the ruleset come from.
    """

    attack: Attack
    target: Target
    ruleset: Ruleset
    attacker: Loadout | None = None
    defender: Loadout | None = None
    attacker_rules: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    profiles: ProfilesUsed | None = None

    def as_dict(self) -> dict[str, Any]:
        """The scenario as plain data, every default filled in; reading it again gives the same scenario."""
        return {
            "attack": self.attack.model_dump(mode="json"),
            "target": self.target.model_dump(mode="json"),
            "ruleset": self.ruleset.model_dump(mode="json"),
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


def empty_sections(raw: Mapping[str, Any]) -> list[str]:
    """A warning for a ruleset that says nothing."""
    return ["[ruleset] is empty and has no effect"] if raw.get("ruleset") == {} else []


def without_absent(section: Mapping[str, Any]) -> dict[str, Any]:
    """A section without the keys that say nothing, so that an echoed scenario can be read again."""
    return {key: value for key, value in section.items() if value is not None}


def _own_ruleset(stated: Mapping[str, Any], default: Ruleset, where: str) -> Ruleset:
    return checked(Ruleset, {**default.model_dump(), **stated}, where=f"{where}: ruleset")
