"""From a file or a mapping to a scenario that an engine can answer: read, looked up, filled in, checked, warned of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from analyser.common.errors import InputError
from analyser.common.validation import Record
from analyser.game.profiles import Profiles, load_profiles
from analyser.game.units import Loadout, Row
from analyser.scenarios.attack import Scenario
from analyser.scenarios.best_row import best_row
from analyser.scenarios.charge import ChargeScenario
from analyser.scenarios.combatant import row_named
from analyser.scenarios.duel import DuelScenario
from analyser.scenarios.focus import FocusScenario, attacker_of
from analyser.scenarios.reading import Source, empty_sections, kind_of, parse_scenario, read_scenario
from analyser.scenarios.resolve import looked_up, resolve_attack, resolve_combatant, resolve_target
from analyser.scenarios.rows import fitting_rows, no_row_fits, row_asked_for
from analyser.scenarios.schema import (
    CIRCUMSTANCES,
    FILES,
    Attack,
    Charge,
    ChargeFile,
    Combatant,
    DuelFile,
    FocusAttack,
    FocusFile,
    Kind,
    ScenarioFile,
    Secondary,
    Target,
)
from analyser.scenarios.warnings import about_attack, about_charge, about_duel

RecordT = TypeVar("RecordT", bound=Record)
AnyScenario = Scenario | ChargeScenario | FocusScenario | DuelScenario
ScenarioLike = Scenario | Source


def load(source: AnyScenario | Source, profiles: Profiles | None = None, kind: Kind | None = None) -> AnyScenario:
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
    if isinstance(source, AnyScenario if kind is None else _KINDS[kind][0]):
        return source
    raw, where = read_scenario(source)  # type: ignore[arg-type]
    library = profiles or load_profiles()
    kind = kind or kind_of(raw)
    file = parse_scenario(raw, FILES[kind], library.ruleset, where=where)
    try:
        scenario = _KINDS[kind][1](file, library)
    except InputError as error:
        raise error.inside(where) from None
    changes: dict[str, Any] = {"warnings": (*scenario.warnings, *empty_sections(raw)), "profiles": library.used}
    return scenario.relabelled(**changes) if isinstance(scenario, Scenario) else replace(scenario, **changes)


def load_scenario(source: ScenarioLike, profiles: Profiles | None = None) -> Scenario:
    """An attack; as :func:`load`.

    Examples
    --------
    >>> load_scenario({"attack": {"dice": 12}, "target": {"models": 6, "defence": 2, "damage_limit": 1}}).attack.rating
    'neutral'
    """
    scenario = load(source, profiles, "attack")
    assert isinstance(scenario, Scenario)
    return scenario


def load_duel(source: DuelScenario | Source, profiles: Profiles | None = None) -> DuelScenario:
    """A duel; as :func:`load`."""
    scenario = load(source, profiles, "duel")
    assert isinstance(scenario, DuelScenario)
    return scenario


# --- attacks ----------------------------------------------------------------------------------------


def _attack(file: ScenarioFile, library: Profiles) -> Scenario:
    attacker = looked_up(file.attack.attacker, library, "attack.attacker")
    defender = looked_up(file.target.unit, library, "target.unit")
    return scenario_between(file, attacker, defender)


def scenario_between(file: ScenarioFile, attacker: Loadout | None, defender: Loadout | None) -> Scenario:
    """The scenario that a checked `file` describes, between two loadouts that need not be in any profile file.

    Raises
    ------
    InputError
        As :func:`load`.
    """
    target = resolve_target(file.target, defender)
    row, reasons = _row(file, attacker, target)
    scenario = Scenario(resolve_attack(file.attack, attacker, row), target, file.ruleset, attacker, defender)
    rating = file.attack.rating or scenario.counted_rating()
    rated = scenario.attack.model_copy(update={"rating": rating})
    return scenario.relabelled(attack=rated, warnings=(*reasons, *about_attack(scenario, rating)))


def _row(file: ScenarioFile, attacker: Loadout | None, target: Target) -> tuple[Row | None, tuple[str, ...]]:
    """The row that attacks, and what to tell the user who has not named it."""
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


# --- longer fights ----------------------------------------------------------------------------------


def _charge(file: ChargeFile, library: Profiles) -> ChargeScenario:
    for side, unit in (("attacker", file.attacker), ("target", file.target)):
        if "charge" in unit.model_fields_set:
            raise InputError("how it charges stands elsewhere", where=f"{side}.charge", allowed="[charge]")
    _check_buildings(file)
    attacker = _combatant(file.attacker, library, "attacker").model_copy(update={"charge": file.charge})
    target = _combatant(file.target, library, "target")
    others = tuple(_secondary(unit, library, f"secondary.{place}") for place, unit in enumerate(file.secondary))
    return ChargeScenario(
        attacker, target, others, file.ruleset, _distinct(about_charge(file, attacker, target, others, library))
    )


def _check_buildings(file: ChargeFile) -> None:
    """Raise InputError for what a building does not let its garrison, or who storms it, do."""
    if file.attacker.garrisoned:
        problem = "a unit in a building makes no charge: it can only exit"
        raise InputError(problem, where="attacker.garrisoned", allowed="false")
    if file.target.garrisoned and file.charge.outflanking:
        problem = "a unit in a building has its front on every side (AC-8.2)"
        raise InputError(problem, where="charge.outflanking", allowed="false, or a target outside")


def _secondary(unit: Secondary, library: Profiles, where: str) -> Combatant:
    return _combatant(_as(Combatant, unit), library, where).model_copy(
        update={"charge": Charge(threatened=unit.threatened)}
    )


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
    a, b = _combatant(file.a, library, "a"), _combatant(file.b, library, "b")
    return DuelScenario(file.duel, a, b, file.ruleset, _distinct(about_duel(file, a, b, library)))


def _distinct(warnings: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(warnings))


def _as(model: type[RecordT], record: Record) -> RecordT:
    """Those keys of a record that another one has too."""
    return model.model_validate(
        {key: getattr(record, key) for key in record.model_fields_set & set(model.model_fields)}
    )


def _combatant(stated: Combatant, library: Profiles, where: str) -> Combatant:
    """The unit, and the id of the row that it names for close quarters, which must be one for them."""
    unit = resolve_combatant(stated, library, where)
    if unit.close_quarters_row is None:
        return unit
    row = row_named(unit, unit.close_quarters_row, f"{where}.close_quarters_row")
    if row.kind == "ranged":
        rows = ", ".join(each.id for each in unit.rows or () if each.kind != "ranged")
        problem = f"row {row.id!r} is a ranged row"
        raise InputError(problem, where=f"{where}.close_quarters_row", allowed=rows or "no row fits")
    return unit.model_copy(update={"close_quarters_row": row.id})


_KINDS: Mapping[Kind, tuple[type[AnyScenario], Callable[[Any, Profiles], AnyScenario]]] = {
    "attack": (Scenario, _attack),
    "charge": (ChargeScenario, _charge),
    "focus": (FocusScenario, _focus),
    "duel": (DuelScenario, _duel),
}
