"""Load scenarios from two units with conditions, a file or a mapping; check them and collect their warnings."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, TypedDict, TypeVar

from analyser.common.errors import InputError, MisspeltError, allowed_names, check_flag, did_you_mean, shown, within
from analyser.common.files import is_there, path_of, read_toml
from analyser.common.validation import checked, plain_data
from analyser.game.profiles import Profiles, ProfilesLike, library_of
from analyser.game.ruleset import RatingName, Ruleset
from analyser.game.units import Loadout
from analyser.scenarios import attack, battle, charge, duel, focus, schema
from analyser.scenarios.attack import Scenario
from analyser.scenarios.battle import BattleFile, BattleScenario
from analyser.scenarios.charge import ChargeScenario
from analyser.scenarios.duel import DuelScenario
from analyser.scenarios.focus import FocusScenario

Unit = str | Mapping[str, Any] | Loadout
Question = str | os.PathLike[str] | Mapping[str, Any]
AnyScenario = Scenario | ChargeScenario | FocusScenario | DuelScenario | BattleScenario
ScenarioT = TypeVar("ScenarioT", Scenario, ChargeScenario, FocusScenario, DuelScenario)
FileT = TypeVar("FileT", bound=schema.QuestionFile)
FILES: dict[schema.Kind, type[schema.QuestionFile]] = {
    file.kind: file for file in (schema.ScenarioFile, schema.ChargeFile, schema.FocusFile, schema.DuelFile, BattleFile)
}
OWN_SECTIONS = {kind: file.model_fields.keys() - {"target", "ruleset"} for kind, file in FILES.items()}
"""Sections that only files of one kind have, by kind."""


def load(
    source: AnyScenario | Question, profiles: ProfilesLike | None = None, kind: schema.Kind | None = None
) -> AnyScenario:
    """Return a checked scenario of the kind `kind`, by default the kind that its sections show."""
    if isinstance(source, AnyScenario) and kind in (None, source.kind):
        return source
    raw, where = read_scenario(source)  # type: ignore[arg-type]
    library = library_of(profiles)
    kind = kind or kind_of(raw)
    if kind == "battle" and not isinstance(source, Mapping):
        raw = battle.with_army_paths(raw, Path(where))
    file = parse_scenario(raw, FILES[kind], library, where=where)
    has_own_rules = file.ruleset.rules != library.ruleset.rules
    try:
        scenario = _RESOLVERS[kind](file, library.with_ruleset(file.ruleset) if has_own_rules else library)
    except InputError as error:
        raise error.inside(where) from None
    changes: dict[str, Any] = {"warnings": (*scenario.warnings, *ruleset_warnings(raw)), "profiles": library.used}
    return scenario.with_same_fight(**changes) if isinstance(scenario, Scenario) else replace(scenario, **changes)


def load_scenario(source: Scenario | Question, profiles: ProfilesLike | None = None) -> Scenario:
    """Return an attack scenario from a TOML file or an equivalent mapping, checked and resolved.

    Parameters
    ----------
    source : Scenario, path or mapping
        A resolved scenario is returned unchanged.
    profiles : Profiles or path, optional
        Source of the units. Default: the shipped profiles.

    Raises
    ------
    InputError
        The message names the file, the key, the value and the allowed values.

    Examples
    --------
    >>> load_scenario({"attack": {"dice": 12}, "target": {"models": 6, "defence": 2, "damage_limit": 1}}).attack.rating
    'neutral'
    """
    return load_as(Scenario, source, profiles)


def load_as(wanted: type[ScenarioT], source: Any, profiles: ProfilesLike | None = None) -> ScenarioT:
    """Return a scenario of the `wanted` type, loaded as by :func:`load`."""
    scenario = load(source, profiles, wanted.kind)
    assert isinstance(scenario, wanted)
    return scenario


def attack_scenario(
    attacker: Any, target: Unit | None, conditions: Mapping[str, Any], profiles: ProfilesLike | None
) -> Scenario:
    """Return the attack of one unit on another under `conditions`; without a `target`, `attacker` is a scenario."""
    parts = None
    if target is not None:
        section = with_conditions(section_of(attacker, "attacker", "attacker"), conditions)
        parts = {"attack": section, "target": section_of(target, "target")}
    return scenario_from(Scenario, attacker, parts, "target", conditions, profiles)


def with_conditions(section: dict[str, Any], conditions: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys of ``[attack]`` updated by conditions, which may state bonuses and penalties as flags."""
    names = (*schema.Attack.model_fields, *schema.FLAGS)
    for name in (name for name in conditions if name not in names):
        if name in schema.Target.model_fields:
            problem = f"{name} is a key of a unit, not of the attack"
            allowed = f'for the target "UNIT:{name}=..." or {{"unit": ..., "{name}": ...}}'
            allowed += f"; for the attacker attacker_{name}" * (f"attacker_{name}" in names)
        else:
            problem = f"unknown key{did_you_mean(name, names)}"
            allowed = allowed_names(names, name, "docs/keys.md")
        raise MisspeltError(problem, where=f"attack: {name}", allowed=allowed)
    return {**section, **conditions}


def scenario_from(
    wanted: type[ScenarioT],
    whole: Any,
    parts: Any,
    second: str,
    stated: Mapping[str, Any],
    profiles: ProfilesLike | None,
) -> ScenarioT:
    """Return the scenario of the sections `parts`, which contain the conditions `stated`; if None, that of `whole`."""
    if parts is None:
        if stated:
            raise InputError("state this in the scenario, not as an option", where=next(iter(stated)))
        check_is_question(whole, second, profiles)
    return load_as(wanted, whole if parts is None else parts, library_of(profiles))


def check_is_question(source: Any, second: str, profiles: ProfilesLike | None) -> None:
    """Raise InputError if `source` is a unit or a list of units; `second` names the missing parameter."""
    allowed = "a scenario or its file; attack, charge, focus and duel take units"
    if second:
        allowed = f"a unit as {second}=, or the path of a scenario file alone"
    if isinstance(source, list | tuple):
        problem = f"{shown(source)} is not a scenario, and the second unit is missing"
        raise InputError(problem, where=second, allowed=allowed)
    if isinstance(source, str) and not source.endswith(".toml") and not is_there(Path(source)):
        loadout = library_of(profiles).loadout(source)  # an unknown selector raises InputError
        raise InputError(f"{loadout.selector} is only one unit, not a question", where=second, allowed=allowed)


def section_of(unit: Any, where: str, key: str = "unit") -> dict[str, Any]:
    """Return the section of a unit; a selector or a loadout becomes the value of `key`."""
    if isinstance(unit, str | Loadout):
        return {key: unit}
    if not isinstance(unit, Mapping):
        allowed = "a selector, or a table of keys"
        allowed += "; for several attackers use analyser.focus" if isinstance(unit, list | tuple) else ""
        raise InputError(f"{shown(unit)} is not usable", where=where, allowed=allowed)
    return dict(unit)


def read_scenario(source: Question) -> tuple[dict[str, Any], str]:
    """Return the raw sections of a scenario, and the path of its file (empty for a mapping)."""
    if isinstance(source, Mapping):
        sections = plain_data(dict(source), "scenario")
        return {str(key): value for key, value in sections.items()}, ""
    path = path_of(source, "scenario")
    return read_toml(path), str(path)


def kind_of(raw: Mapping[str, Any]) -> schema.Kind:
    """Return the kind of a scenario file by its sections; ``attack`` if they fit no kind."""
    return next((kind for kind in reversed(FILES) if raw.keys() & OWN_SECTIONS[kind]), "attack")


def parse_scenario(raw: Mapping[str, Any], model: type[FileT], library: Profiles, *, where: str) -> FileT:
    """Return the `raw` sections as checked records; InputError if they describe a scenario of another kind.

    ``[ruleset]`` overrides the ruleset file of `library`; ``library.stated_ruleset`` overrides both. Null is ignored.
    """
    section_names = {"target"}.union(*OWN_SECTIONS.values())
    if not raw.keys() & section_names:
        unknown = next((key for key in raw if key != "ruleset"), None)
        hint = "" if unknown is None else f": unknown section {shown(unknown)}{did_you_mean(unknown, section_names)}"
        allowed = "; or ".join(file.sections_text for file in FILES.values())
        if "fight" in raw:
            hint, allowed = ", but of a whole game", "one fight; or analyser explain luck"
        raise InputError(f"this is not a scenario of a fight{hint}", where=where, allowed=allowed)
    kind = kind_of(raw)
    if raw.keys() & OWN_SECTIONS[kind] and not raw.keys() & OWN_SECTIONS[model.kind]:
        problem = f"this describes {FILES[kind].kind_text}, not {model.kind_text}"
        raise InputError(problem, where=where, allowed=model.sections_text)
    sections = dict(raw)
    for name, section in raw.items():
        if isinstance(section, Mapping):
            stated = {key: value for key, value in section.items() if value is not None}
            sections[name] = with_flags_listed(stated) if name == "attack" else stated
        elif isinstance(section, str | Loadout) and name in _TABLE_SECTIONS:
            allowed = f'{name} = {{ {"attacker" if name == "attack" else "unit"} = "..." }}'
            if name == "attacker":
                allowed = f'in an attack attack = {{ attacker = "..." }}, in a charge {allowed}'
            problem = f"{shown(section)} is not a table of keys"
            raise MisspeltError(problem, where=within(where, name), allowed=allowed)
    if isinstance(attacks := raw.get("attacks"), list | tuple):
        sections["attacks"] = [with_flags_listed(item) if isinstance(item, Mapping) else item for item in attacks]
    own_ruleset = sections.pop("ruleset", None)
    if own_ruleset is not None and not isinstance(own_ruleset, Mapping):
        raise InputError(f"{shown(own_ruleset)} is not usable", where=within(where, "ruleset"), allowed="a table")
    ruleset = library.ruleset
    if own_ruleset:
        ruleset = checked(Ruleset, {**ruleset.model_dump(), **own_ruleset}, where=within(where, "ruleset"))
        ruleset = checked(Ruleset, {**ruleset.model_dump(), **library.stated_ruleset})
    return checked(model, {**sections, "ruleset": ruleset}, where=where, house_rules=ruleset.rules)


def with_flags_listed(section: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys of an attack with flags moved to its lists of bonuses and penalties.

    >>> with_flags_listed({"distance": 6, "bonuses": ["short_range"], "aiming": True, "reforming": False})
    {'distance': 6, 'bonuses': ['short_range', 'aiming']}
    """
    result = {key: value for key, value in section.items() if key not in schema.FLAGS}
    for name, key in schema.FLAGS.items():
        if name in section and isinstance(result.get(key, ()), list | tuple):
            check_flag(section[name], f"attack: {name}")
            others = [entry for entry in result.get(key) or () if entry != name]
            if others or section[name]:
                result[key] = [*others, *([name] if section[name] else [])]
    return result


_TABLE_SECTIONS = ("attack", "target", "charge", "attacker", "duel", "a", "b")


def ruleset_warnings(raw: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a warning if the ruleset is empty."""
    return ("[ruleset] is empty and has no effect",) if raw.get("ruleset") == {} else ()


_RESOLVERS: Mapping[schema.Kind, Callable[[Any, Profiles], AnyScenario]] = {
    "attack": attack.resolve_scenario,
    "charge": charge.resolve_charge,
    "focus": focus.resolve_focus,
    "duel": duel.resolve_duel,
    "battle": lambda file, library: battle.battle_scenario(file.mine, file.yours, file.battle, file.ruleset, library),
}

Policy = str | Sequence[str] | Mapping[str, Any]


class Conditions(TypedDict, total=False):
    """Keys of ``[attack]``, and bonuses and penalties by name."""

    row: str | None
    distance: float | None
    dice: int | None
    dice_in_parentheses: int | None
    rating: RatingName | None
    bonuses: Sequence[schema.BonusName]
    penalties: Sequence[schema.PenaltyName]
    line_of_sight: Literal["own", "none", "spotter"]
    qualities: Sequence[str] | None
    veteran: int | None
    extra_reroll: Mapping[str, Any] | None
    overcharge: bool
    carriages: int
    attacker_models: int | None
    attacker_damage: int
    attacker_damage_limit: int | None
    attacker_garrisoned: bool
    attacker_reloading: bool
    attacker_advanced: bool
    aiming: bool
    short_range: bool
    ammo_supply: bool
    concealed: bool
    suppressed: bool
    opportunity_fire: bool
    reforming: bool
    outside_front_arc: bool


class Circumstances(TypedDict, total=False):
    """Keys of ``[charge]``."""

    distance: float | None
    outflanking: bool
    supported: bool
    threatened: bool
    difficult_terrain: bool
    overrun: bool


class Terms(TypedDict, total=False):
    """Keys of ``[duel]``."""

    rounds: int
    first: Literal["a", "b", "random"]
    policy_a: Policy
    policy_b: Policy
    want: schema.WantName
    distance: float | None
    step: float | None
