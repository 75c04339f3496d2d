"""Charges, focus fire and duels as scenario files: sections checked, profiles looked up, defaults filled in."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from analyser.common.errors import InputError, shown
from analyser.common.validation import checked
from analyser.game.dice import Rating
from analyser.game.profiles import Profiles, ProfilesUsed, load_profiles
from analyser.game.ruleset import Ruleset
from analyser.game.units import Loadout, Row
from analyser.scenarios.best_row import best_row
from analyser.scenarios.combatant import row_named
from analyser.scenarios.encode import fight_of
from analyser.scenarios.focus import attacker_of, can_be_hurt
from analyser.scenarios.reading import Kind, check_kind, parse_scenario, read_scenario
from analyser.scenarios.resolve import resolve_attack, resolve_combatant, resolve_target, rules_of
from analyser.scenarios.rows import chosen_row, fitting_rows
from analyser.scenarios.schema import (
    CIRCUMSTANCES,
    Attack,
    Charge,
    ChargeFile,
    Combatant,
    DuelFile,
    DuelTerms,
    FocusAttack,
    FocusFile,
    Scenario,
    ScenarioFile,
    Secondary,
    Target,
    empty_sections,
)
from analyser.scenarios.warnings import _warnings, _with_doubts, about_charge, about_duel

Source = str | os.PathLike[str] | Mapping[str, Any]
FileT = TypeVar("FileT", bound="ChargeFile | FocusFile | DuelFile")


@dataclass(frozen=True, slots=True)
class ChargeScenario:
    """A charge, resolved: nothing is left out that the computation needs."""

    attacker: Combatant
    target: Combatant
    secondary: tuple[Combatant, ...]
    ruleset: Ruleset
    warnings: tuple[str, ...] = ()
    profiles: ProfilesUsed | None = None

    def as_dict(self) -> dict[str, Any]:
        """The scenario as plain data, every default filled in; reading it again gives the same scenario."""
        return {
            "charge": self.attacker.charge.model_dump(mode="json"),
            "attacker": self.attacker.model_dump(mode="json", exclude={"charge"}),
            "target": self.target.model_dump(mode="json", exclude={"charge"}),
            "secondary": [
                unit.model_dump(mode="json", exclude={"charge"}) | {"threatened": unit.charge.threatened}
                for unit in self.secondary
            ],
            "ruleset": self.ruleset.model_dump(mode="json"),
        }


@dataclass(frozen=True, slots=True)
class FocusScenario:
    """Several attacks on one target, resolved.

    Attributes
    ----------
    attacks : tuple of Scenario
        One an attack; a rating is in it only if the file states it, because it is counted again at every attack.
    target : Target
        As it stands before the first attack.
    attackers : tuple of Target or None
        Who makes each attack, as a unit that can be shot back at; None where it has no profile.
    """

    attacks: tuple[Scenario, ...]
    target: Target
    ruleset: Ruleset
    attackers: tuple[Target | None, ...]
    warnings: tuple[str, ...] = ()
    profiles: ProfilesUsed | None = None

    @property
    def at_risk(self) -> bool:
        """Whether an attack can cost its own unit anything."""
        return any(map(can_be_hurt, self.attacks, self.attackers))

    def as_dict(self) -> dict[str, Any]:
        """The scenario as plain data, every default filled in; reading it again gives the same scenario."""
        return {
            "attacks": [
                each.attack.model_dump(mode="json") | {key: getattr(each.target, key) for key in CIRCUMSTANCES}
                for each in self.attacks
            ],
            "target": self.target.model_dump(mode="json"),
            "ruleset": self.ruleset.model_dump(mode="json"),
        }


@dataclass(frozen=True, slots=True)
class DuelScenario:
    """A duel, resolved."""

    terms: DuelTerms
    a: Combatant
    b: Combatant
    ruleset: Ruleset
    warnings: tuple[str, ...] = ()
    profiles: ProfilesUsed | None = None

    def as_dict(self) -> dict[str, Any]:
        """The scenario as plain data, every default filled in; reading it again gives the same scenario."""
        return {
            "duel": self.terms.model_dump(mode="json"),
            "a": self.a.model_dump(mode="json"),
            "b": self.b.model_dump(mode="json"),
            "ruleset": self.ruleset.model_dump(mode="json"),
        }


def load_charge(source: ChargeScenario | Source, profiles: Profiles | None = None) -> ChargeScenario:
    """A charge from a file or a mapping (`docs/fights.md`), checked and resolved.

    Raises
    ------
    InputError
        Anything that cannot be computed: the message names the file, the key, the value and what is allowed.
    """
    if isinstance(source, ChargeScenario):
        return source
    file, where, said_for_nothing = _file(ChargeFile, "charge", source, profiles)
    profiles = profiles or load_profiles()  # one library, read once
    try:
        for side, unit in (("attacker", file.attacker), ("target", file.target)):
            if "charge" in unit.model_fields_set:
                raise InputError("how it charges stands elsewhere", where=f"{side}.charge", allowed="[charge]")
        _check_buildings(file)
        attacker = _combatant(file.attacker, profiles, "attacker").model_copy(update={"charge": file.charge})
        target = _combatant(file.target, profiles, "target")
        others = tuple(_secondary(unit, profiles, f"secondary.{place}") for place, unit in enumerate(file.secondary))
    except InputError as error:
        raise error.inside(where) from None
    warnings = (*about_charge(file, attacker, target, others, profiles), *said_for_nothing)
    return ChargeScenario(attacker, target, others, file.ruleset, warnings, profiles.used)


def load_focus(source: FocusScenario | Source, profiles: Profiles | None = None) -> FocusScenario:
    """Focus fire from a file or a mapping (`docs/fights.md`), checked and resolved.

    Raises
    ------
    InputError
        As :func:`load_charge`.
    """
    if isinstance(source, FocusScenario):
        return source
    file, where, said_for_nothing = _file(FocusFile, "focus", source, profiles)
    profiles = profiles or load_profiles()  # one library, read once
    attacks, warnings = [], []
    for place, attack in enumerate(file.attacks):
        scenario = _one_attack(file, attack, f"{where}: attacks.{place}", where, profiles)
        attacks.append(scenario)
        warnings += [f"attack {place + 1}: {each}" for each in scenario.warnings if place == 0 or "target" not in each]
    stated = {key: getattr(file.target, key) for key in CIRCUMSTANCES}
    target = attacks[0].target.model_copy(update=stated)
    attackers = tuple(map(attacker_of, attacks))
    said = (*warnings, *said_for_nothing)
    return FocusScenario(tuple(attacks), target, file.ruleset, attackers, said, profiles.used)


def load_duel(source: DuelScenario | Source, profiles: Profiles | None = None) -> DuelScenario:
    """A duel from a file or a mapping (`docs/fights.md`), checked and resolved.

    Raises
    ------
    InputError
        As :func:`load_charge`.
    """
    if isinstance(source, DuelScenario):
        return source
    file, where, said_for_nothing = _file(DuelFile, "duel", source, profiles)
    profiles = profiles or load_profiles()  # one library, read once
    try:
        a, b = (_duellist(unit, profiles, side) for side, unit in (("a", file.a), ("b", file.b)))
    except InputError as error:
        raise error.inside(where) from None
    warnings = (*about_duel(file.duel, a, b, profiles), *said_for_nothing)
    return DuelScenario(file.duel, a, b, file.ruleset, warnings, profiles.used)


def _check_buildings(file: ChargeFile) -> None:
    """Refuse what a building does not let its garrison, or who storms it, do."""
    if file.attacker.garrisoned:
        problem = "a unit in a building makes no charge: it can only exit"
        raise InputError(problem, where="attacker.garrisoned", allowed="false")
    if file.target.garrisoned and file.charge.outflanking:
        problem = "a unit in a building has its front on every side (AC-8.2)"
        raise InputError(problem, where="charge.outflanking", allowed="false, or a target outside")


def _file(model: type[FileT], kind: Kind, source: Source, profiles: Profiles | None) -> tuple[FileT, str, list[str]]:
    """The checked sections of a file or a mapping, what to call it in a message, and what it says for nothing."""
    raw, where = read_scenario(source)
    check_kind(raw, kind, where)
    default = (profiles or load_profiles()).ruleset
    stated = raw.get("ruleset")
    if stated is not None and not isinstance(stated, Mapping):
        raise InputError(f"{shown(stated)} is not usable", where=f"{where}: ruleset", allowed="a table")
    own = default if not stated else checked(Ruleset, {**default.model_dump(), **stated}, where=f"{where}: ruleset")
    return checked(model, {**raw, "ruleset": own}, where=where), where, empty_sections(raw)


def _one_attack(file: FocusFile, attack: FocusAttack, place: str, where: str, profiles: Profiles | None) -> Scenario:
    """One attack of a sequence as a scenario of its own, its rating left to be counted unless it is stated."""
    stated = {key: value for key in CIRCUMSTANCES if (value := getattr(attack, key)) is not None}
    raw = {
        "attack": attack.model_dump(exclude_none=True, exclude=set(CIRCUMSTANCES)),
        "target": file.target.model_dump(exclude_none=True) | stated,
        "ruleset": file.ruleset.model_dump(),
    }
    try:
        scenario = load_scenario(raw, profiles)
    except InputError as error:
        key = error.where.removeprefix("scenario: ")
        section, _, rest = key.partition(".")
        of_attack = section == "attack" or (section == "target" and rest in stated)
        inside = key.replace(section, place, 1) if of_attack else f"{where}: {key}"
        raise InputError(error.problem, where=inside, allowed=error.allowed) from None
    return replace(scenario, attack=scenario.attack.model_copy(update={"rating": attack.rating}))


def _secondary(unit: Secondary, profiles: Profiles | None, where: str) -> Combatant:
    plain = checked(Combatant, unit.model_dump(exclude={"threatened", "rows"}) | {"rows": unit.rows}, where=where)
    return _combatant(plain, profiles, where).model_copy(update={"charge": Charge(threatened=unit.threatened)})


def _duellist(unit: Combatant, profiles: Profiles | None, side: str) -> Combatant:
    if unit.passengers is not None:
        problem = "embarked units take no part in duels"
        raise InputError(problem, where=f"{side}.passengers", allowed="a transport without passengers")
    return _combatant(unit, profiles, side)


def _combatant(unit: Combatant, profiles: Profiles | None, where: str) -> Combatant:
    return _with_close_quarters_row(resolve_combatant(unit, profiles, where), where)


def _with_close_quarters_row(unit: Combatant, where: str) -> Combatant:
    """The unit with the id of the row that it names for close quarters, which must be one for them."""
    if unit.close_quarters_row is None:
        return unit
    row = row_named(unit, unit.close_quarters_row, f"{where}.close_quarters_row")
    if row.kind == "ranged":
        rows = ", ".join(each.id for each in unit.rows or () if each.kind != "ranged")
        problem = f"row {row.id!r} is a ranged row"
        raise InputError(problem, where=f"{where}.close_quarters_row", allowed=rows or "no row fits")
    return unit.model_copy(update={"close_quarters_row": row.id})


RowChooser = Callable[[Attack, Loadout, Target, Ruleset, Sequence[Row]], tuple[Row, str]]
"""Takes one of several rows that fit, and says in a sentence why (:func:`analyser.scenarios.best_row.best_row`)."""


def resolve(file: ScenarioFile, profiles: Profiles | None = None, choose: RowChooser | None = None) -> Scenario:
    """The scenario that `file` describes.

    Parameters
    ----------
    file : ScenarioFile
    profiles : Profiles, optional
        Where selectors are looked up; left out: the shipped profiles.
    choose : RowChooser, optional
        Asked when the attack names no row and several fit; what it says becomes a warning. Left out:
        that is an error.

    Raises
    ------
    InputError
        A selector, row or number that does not fit; the message names the key.
    """
    attacker = _looked_up(file.attack.attacker, profiles, "attack.attacker")
    defender = _looked_up(file.target.unit, profiles, "target.unit")
    return resolve_between(file, attacker, defender, choose)


def resolve_between(
    file: ScenarioFile, attacker: Loadout | None, defender: Loadout | None, choose: RowChooser | None = None
) -> Scenario:
    """The scenario that `file` describes, between these two, whatever selectors it names; else as :func:`resolve`."""
    target = resolve_target(file.target, defender)
    row, reasons = _row_and_reasons(file, attacker, target, choose)
    attack = resolve_attack(file.attack, attacker, row)
    attacker_rules = rules_of(attacker)
    return Scenario(
        attack=attack,
        target=target,
        ruleset=file.ruleset,
        attacker=attacker,
        defender=defender,
        attacker_rules=attacker_rules,
        warnings=(*reasons, *_warnings(attack, target, attacker, defender)),
    )


def _row_and_reasons(
    file: ScenarioFile, attacker: Loadout | None, target: Target, choose: RowChooser | None
) -> tuple[Row | None, tuple[str, ...]]:
    """The row, and what to tell the user about it if he did not name it."""
    if attacker is not None and file.attack.row is None and choose is not None:
        rows = fitting_rows(file.attack, attacker, target)
        if len(rows) > 1:
            row, reason = choose(file.attack, attacker, target, file.ruleset, rows)
            return row, (f"attack.row is not given: {reason}",)
    return chosen_row(file.attack, attacker, target), ()


def _looked_up(selector: str | None, profiles: Profiles | None, key: str) -> Loadout | None:
    if selector is None:
        return None
    try:
        return (profiles or load_profiles()).loadout(selector)
    except InputError as error:
        raise error.inside(key) from None


ScenarioLike = Scenario | str | os.PathLike[str] | Mapping[str, Any]


def load_scenario(source: ScenarioLike, profiles: Profiles | None = None) -> Scenario:
    """A scenario from a TOML file or a mapping of the same form (`docs/scenario.md`), checked and resolved.

    Parameters
    ----------
    source : path or mapping
        A scenario that is resolved already comes back as it is.
    profiles : Profiles, optional
        Where selectors are looked up; left out: the shipped profiles.

    Raises
    ------
    InputError
        Anything that cannot be computed: the message names the file, the key, the value and what is allowed.

    Examples
    --------
    >>> scenario = load_scenario({"attack": {"dice": 12}, "target": {"models": 6, "defence": 2, "damage_limit": 1}})
    >>> scenario.target.formation
    'close'
    """
    if isinstance(source, Scenario):
        return source
    raw, where = read_scenario(source)
    library = profiles or load_profiles()  # read once
    file = parse_scenario(raw, library.ruleset, where=where)
    try:
        scenario = replace(_finished(resolve(file, library, best_row), file), profiles=library.used)
    except InputError as error:
        raise error.inside(where) from None
    return replace(scenario, warnings=(*scenario.warnings, *empty_sections(raw)))


def scenario_between(file: ScenarioFile, attacker: Loadout | None, defender: Loadout | None) -> Scenario:
    """The scenario that a checked `file` describes, between two loadouts that need not be in any profile file.

    Raises
    ------
    InputError
        As :func:`load_scenario`.
    """
    return _finished(resolve_between(file, attacker, defender, best_row), file)


def _finished(scenario: Scenario, file: ScenarioFile) -> Scenario:
    return _with_doubts(_with_rating(scenario, file.attack))


def _with_rating(scenario: Scenario, stated: Attack) -> Scenario:
    """The scenario with its combat rating filled in (AC-3.1); a stated one stands, and a contradiction is told."""
    attack = scenario.attack
    counted = Rating(fight_of(replace(scenario, attack=attack.model_copy(update={"rating": None}))).rating)
    if stated.rating is None:
        return replace(scenario, attack=attack.model_copy(update={"rating": counted.name.lower()}))
    if (stated.bonuses or stated.penalties) and stated.rating != counted.name.lower():
        doubt = (
            f"attack.rating says {stated.rating}, and that was used; the bonuses and penalties make it "
            f"{counted.name.lower()}"
        )
        return replace(scenario, warnings=(*scenario.warnings, doubt))
    return scenario
