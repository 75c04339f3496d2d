"""From units, a file or a mapping to a scenario that an engine can answer: looked up, filled in, checked, warned of."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from analyser.common.errors import InputError, check_flag, did_you_mean, shown
from analyser.common.files import check_plain, is_there, path_of, read_toml
from analyser.common.validation import Record, checked
from analyser.game.profiles import Profiles, ProfilesLike, library_of, load_profiles
from analyser.game.ruleset import Ruleset
from analyser.game.units import Loadout, Row
from analyser.scenarios.attack import Scenario, about_attack
from analyser.scenarios.best_row import best_row
from analyser.scenarios.charge import ChargeScenario, about_charge
from analyser.scenarios.duel import DuelScenario, about_duel
from analyser.scenarios.focus import FocusScenario, attacker_of
from analyser.scenarios.resolve import (
    fitting_rows,
    looked_up,
    no_row_fits,
    resolve_attack,
    resolve_combatant,
    resolve_target,
    row_asked_for,
)
from analyser.scenarios.schema import (
    BONUSES,
    CIRCUMSTANCES,
    FILES,
    PENALTIES,
    Attack,
    Charge,
    ChargeFile,
    Combatant,
    DuelFile,
    FocusAttack,
    FocusFile,
    Kind,
    QuestionFile,
    ScenarioFile,
    Target,
)

Unit = str | Mapping[str, Any] | Loadout
Question = str | os.PathLike[str] | Mapping[str, Any]
AnyScenario = Scenario | ChargeScenario | FocusScenario | DuelScenario
ScenarioLike = Scenario | Question
ScenarioT = TypeVar("ScenarioT", Scenario, ChargeScenario, FocusScenario, DuelScenario)
RecordT = TypeVar("RecordT", bound=Record)
FileT = TypeVar("FileT", bound=QuestionFile)


def load(source: AnyScenario | Question, profiles: Profiles | None = None, kind: Kind | None = None) -> AnyScenario:
    """A scenario of any kind from a TOML file or a mapping of the same form, checked and resolved.

    Parameters
    ----------
    source : path or mapping
        `docs/scenario.md` and `docs/fights.md` say the form. What is resolved already comes back as it is.
    profiles : Profiles, optional
        Where selectors are looked up. Default: the shipped profiles.
    kind : "attack", "charge", "focus" or "duel", optional
        What it must be. Default: what its sections say.

    Raises
    ------
    InputError
        Anything that cannot be computed: the message names the file, the key, the value and what is allowed.

    Examples
    --------
    >>> fight = {"attack": {"dice": 12}, "target": {"models": 6, "defence": 2, "damage_limit": 1}}
    >>> load(fight).target.formation
    'close'
    """
    if isinstance(source, AnyScenario) and kind in (None, source.kind):
        return source
    raw, where = read_scenario(source)  # type: ignore[arg-type]
    library = profiles or load_profiles()
    kind = kind or kind_of(raw)
    file = parse_scenario(raw, FILES[kind], library.ruleset, where=where)
    try:
        scenario = _LOADERS[kind](file, library)
    except InputError as error:
        raise error.inside(where) from None
    changes: dict[str, Any] = {"warnings": (*scenario.warnings, *empty_sections(raw)), "profiles": library.used}
    return scenario.relabelled(**changes) if isinstance(scenario, Scenario) else replace(scenario, **changes)


def load_scenario(source: ScenarioLike, profiles: Profiles | None = None) -> Scenario:
    """An attack; as :func:`load`.

    Parameters
    ----------
    source : Scenario, path or mapping
        What is resolved already comes back as it is.
    profiles : Profiles, optional
        Where selectors are looked up. Default: the shipped profiles.

    Raises
    ------
    InputError
        Anything that cannot be computed: the message names the file, the key, the value and what is allowed.

    Examples
    --------
    >>> load_scenario({"attack": {"dice": 12}, "target": {"models": 6, "defence": 2, "damage_limit": 1}}).attack.rating
    'neutral'
    """
    scenario = load(source, profiles, "attack")
    assert isinstance(scenario, Scenario)
    return scenario


def load_duel(source: DuelScenario | Question, profiles: Profiles | None = None) -> DuelScenario:
    """A duel; as :func:`load`."""
    scenario = load(source, profiles, "duel")
    assert isinstance(scenario, DuelScenario)
    return scenario


# --- what a question in Python is asked with ----------------------------------------------------------------

_LIST_OF: dict[str, str] = {**dict.fromkeys(BONUSES, "bonuses"), **dict.fromkeys(PENALTIES, "penalties")}


def asked_attack(
    attacker: Unit | Scenario | Question,
    target: Unit | None,
    conditions: Mapping[str, Any],
    profiles: ProfilesLike | None,
) -> Scenario:
    """The attack of one unit on another under `conditions`; or, without a `target`, the whole scenario given."""
    parts = None
    if target is not None:
        attack = with_conditions(section_of(attacker, "attacker", "attacker"), conditions)
        parts = {"attack": attack, "target": section_of(target, "target")}
    return asked(Scenario, attacker, parts, "target", conditions, profiles)


def with_conditions(attack: dict[str, Any], conditions: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of ``[attack]`` with more of them, and with bonuses and penalties that are given by name."""
    for name, value in conditions.items():
        if name in Attack.model_fields:
            attack[name] = value
        elif (key := _LIST_OF.get(name)) is not None:
            check_flag(value, f"attack: {name}")
            attack[key] = [*attack.get(key, ()), *([name] if value else [])]
        else:
            names = (*Attack.model_fields, *_LIST_OF)
            problem = f"unknown key{did_you_mean(name, names)}"
            raise InputError(problem, where=f"attack: {name}", allowed=", ".join(names))
    return attack


def asked(
    wanted: type[ScenarioT],
    whole: Any,
    parts: Mapping[str, Any] | None,
    second: str,
    stated: Mapping[str, Any],
    profiles: ProfilesLike | None,
) -> ScenarioT:
    """The scenario that a question is as a whole, or that its parts make where the `second` unit is given."""
    if parts is None:
        if stated:
            raise InputError("this stands in the scenario", where=next(iter(stated)))
        check_whole(whole, second, profiles)
    scenario = load(whole if parts is None else parts, library_of(profiles), wanted.kind)
    assert isinstance(scenario, wanted)
    return scenario


def check_whole(source: Any, second: str, profiles: ProfilesLike | None) -> None:
    """Raise InputError for one unit alone, or a list of them: without a `second` unit, a whole scenario is wanted."""
    allowed = "a scenario or its file; attack, charge, focus and duel take units"
    if second:
        allowed = f"a unit as {second}=, or the path of a scenario file alone"
    if isinstance(source, list | tuple):
        problem = f"{shown(source)} is neither a file nor a scenario, and the second unit is missing"
        raise InputError(problem, where=second, allowed=allowed)
    if isinstance(source, str) and not source.endswith(".toml") and not is_there(Path(source)):
        loadout = library_of(profiles).loadout(source)  # raises with the nearest selector
        raise InputError(f"{loadout.selector} is a unit alone, and no question", where=second, allowed=allowed)


def section_of(unit: Any, where: str, key: str = "unit") -> dict[str, Any]:
    """The section of a unit: a selector stands for its `key` alone."""
    if isinstance(unit, str | Loadout):
        return {key: unit}
    if not isinstance(unit, Mapping):
        raise InputError(f"{shown(unit)} is not usable", where=where, allowed="a selector, or a table of keys")
    return dict(unit)


# --- sections -----------------------------------------------------------------------------------------------


def read_scenario(source: Question) -> tuple[dict[str, Any], str]:
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
    return next((kind for kind in reversed(FILES) if raw.keys() & set(FILES[kind].own_sections)), "attack")


def _check_kind(raw: Mapping[str, Any], wanted: Kind, where: str) -> None:
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
    _check_kind(raw, model.kind, where)
    sections = dict(raw)
    for name, section in raw.items():
        if isinstance(section, Mapping):
            sections[name] = {key: value for key, value in section.items() if value is not None}
    stated = sections.pop("ruleset", None)
    if stated is not None and not isinstance(stated, Mapping):
        raise InputError(f"{shown(stated)} is not usable", where=f"{where}: ruleset", allowed="a table")
    if stated:
        default = checked(Ruleset, {**default.model_dump(), **stated}, where=f"{where}: ruleset")
    return checked(model, {**sections, "ruleset": default}, where=where)


def empty_sections(raw: Mapping[str, Any]) -> tuple[str, ...]:
    """A warning for a ruleset that says nothing."""
    return ("[ruleset] is empty and has no effect",) if raw.get("ruleset") == {} else ()


# --- attacks ------------------------------------------------------------------------------------------------


def _attack(file: ScenarioFile, library: Profiles) -> Scenario:
    attacker = looked_up(file.attack.attacker, library, "attack.attacker")
    return scenario_between(file, attacker, looked_up(file.target.unit, library, "target.unit"))


def scenario_between(file: ScenarioFile, attacker: Loadout | None, defender: Loadout | None) -> Scenario:
    """The scenario that a checked `file` describes, between two loadouts that need not be in any profile file."""
    target = resolve_target(file.target, defender)
    row, reasons = _row(file, attacker, target)
    scenario = Scenario(resolve_attack(file.attack, attacker, row), target, file.ruleset, attacker, defender)
    rating = file.attack.rating or scenario.counted_rating()
    rated = scenario.attack.model_copy(update={"rating": rating})
    return scenario.relabelled(attack=rated, warnings=(*reasons, *about_attack(scenario, rating)))


def _row(file: ScenarioFile, attacker: Loadout | None, target: Target) -> tuple[Row | None, tuple[str, ...]]:
    """The row that attacks, and what the user who has not named it should know."""
    attack = file.attack
    if attacker is None:
        if attack.row is not None:
            raise InputError("a row without an attacker", where="attack.row", allowed="give attack.attacker too")
        return None, ()
    if attack.row is not None:
        return row_asked_for(attack, attacker, target), ()
    fitting = fitting_rows(attack, attacker, target)
    if not fitting:
        raise no_row_fits(attack, attacker, target)
    if len(fitting) == 1:
        return fitting[0], ()
    row, reason = best_row(attack, attacker, target, file.ruleset, fitting)
    return row, (f"attack.row is not given: {reason}",)


# --- longer fights ------------------------------------------------------------------------------------------


def _charge(file: ChargeFile, library: Profiles) -> ChargeScenario:
    for side, unit in (("attacker", file.attacker), ("target", file.target)):
        if "charge" in unit.model_fields_set:
            raise InputError("how it charges stands elsewhere", where=f"{side}.charge", allowed="[charge]")
    if file.attacker.garrisoned:
        problem = "a unit in a building makes no charge: it can only exit"
        raise InputError(problem, where="attacker.garrisoned", allowed="false")
    if file.target.garrisoned and file.charge.outflanking:
        problem = "a unit in a building has its front on every side (AC-8.2)"
        raise InputError(problem, where="charge.outflanking", allowed="false, or a target outside")
    attacker = resolve_combatant(file.attacker, library, "attacker").model_copy(update={"charge": file.charge})
    target = resolve_combatant(file.target, library, "target")
    others = tuple(
        resolve_combatant(_as(Combatant, unit), library, f"secondary.{place}").model_copy(
            update={"charge": Charge(threatened=unit.threatened)}
        )
        for place, unit in enumerate(file.secondary)
    )
    scenario = ChargeScenario(attacker, target, others, file.ruleset)
    return replace(scenario, warnings=tuple(dict.fromkeys(about_charge(file, scenario, library))))


def _focus(file: FocusFile, library: Profiles) -> FocusScenario:
    attacks = tuple(_one_attack(file, attack, place, library) for place, attack in enumerate(file.attacks))
    warnings = [
        f"attack {place + 1}: {each}"
        for place, scenario in enumerate(attacks)
        for each in scenario.warnings
        if place == 0 or "target" not in each
    ]
    target = attacks[0].target.model_copy(update={key: getattr(file.target, key) for key in CIRCUMSTANCES})
    return FocusScenario(attacks, target, file.ruleset, tuple(map(attacker_of, attacks)), tuple(warnings))


def _one_attack(file: FocusFile, attack: FocusAttack, place: int, library: Profiles) -> Scenario:
    """One attack of a sequence as a scenario of its own, its rating left to be counted unless it is stated."""
    stated = {key: value for key in CIRCUMSTANCES if (value := getattr(attack, key)) is not None}
    target = file.target.model_copy(update=stated)
    try:
        scenario = _attack(ScenarioFile(attack=_as(Attack, attack), target=target, ruleset=file.ruleset), library)
    except InputError as error:
        section, _, key = error.where.partition(".")
        if section == "attack" or (section == "target" and key in stated):
            section = f"attacks.{place}"
        raise InputError(error.problem, where=f"{section}.{key}", allowed=error.allowed) from None
    return scenario.with_rating(attack.rating)


def _duel(file: DuelFile, library: Profiles) -> DuelScenario:
    for side, unit in (("a", file.a), ("b", file.b)):
        if unit.passengers is not None:
            problem = "embarked units take no part in duels"
            raise InputError(problem, where=f"{side}.passengers", allowed="a transport without passengers")
    a, b = resolve_combatant(file.a, library, "a"), resolve_combatant(file.b, library, "b")
    scenario = DuelScenario(file.duel, a, b, file.ruleset)
    return replace(scenario, warnings=tuple(dict.fromkeys(about_duel(file, scenario, library))))


def _as(model: type[RecordT], record: Record) -> RecordT:
    """Those keys of a record that another one has too."""
    return model.model_validate(
        {key: getattr(record, key) for key in record.model_fields_set & set(model.model_fields)}
    )


_LOADERS: Mapping[Kind, Callable[[Any, Profiles], AnyScenario]] = {
    "attack": _attack,
    "charge": _charge,
    "focus": _focus,
    "duel": _duel,
}
