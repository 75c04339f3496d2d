"""A unit in a longer fight: what a scenario says of it, and what its profile fills in."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from analyser.errors import InputError, did_you_mean, shown
from analyser.glossary import SPECIAL_RULES, Named
from analyser.profiles import Profiles
from analyser.resolve import names, resolve_target, row_id
from analyser.scenario import Count, ExtraReroll, Target
from analyser.units import MOST_DICE, MOST_MODELS, Inches, Loadout, Row, attack_dice, each_row_once, hundredths
from analyser.validation import Record, as_tuple, checked

NO_CLOSE_QUARTERS_AGAINST = ("aircraft", "rotorcraft")  # the manoeuvre of AC-8.1 cannot choose them
_REACHING = ("Corrosive Fumes", "Throw")  # rules whose X is a length
CloseQuartersKind = Literal["melee", "impact"]


class Charge(Record):
    """The circumstances of a unit's charge (AC-8.2, AC-8.4). `docs/fights.md` says each key."""

    outflanking: bool = False
    supported: bool = False
    threatened: bool = False
    difficult_terrain: bool = False
    overrun: bool = True


class Passengers(Target):
    """A unit embarked on a transport (AC-5.10, AC-8.8)."""


class Combatant(Target):
    """A unit that fights, and can be fought. `docs/fights.md` says each key."""

    rows: tuple[Row, ...] | None = None
    row: str | None = None
    close_quarters_row: str | None = None
    speed: Inches | None = None
    veteran: Annotated[int, Field(ge=0, le=MOST_DICE)] | None = None
    extra_reroll: ExtraReroll | None = None
    overcharge: bool = False
    ammo_supply: bool = False
    carriages: Annotated[int, Field(ge=0, le=20)] = 0
    concealed: bool = False
    on_lookout: bool = False
    reloading: bool = False
    withdraws_without_room: Count = 0
    charge: Charge = Charge()
    capacity: Annotated[int, Field(ge=1, le=MOST_MODELS)] | None = None
    passengers: Passengers | None = None

    _more_tuples = field_validator("rows", mode="before")(as_tuple)
    _each_row_once = field_validator("rows")(each_row_once)


def resolve_combatant(
    combatant: Combatant, profiles: Profiles | None, where: str, loadout: Loadout | None = None
) -> Combatant:
    """`combatant` with everything that its profile or the defaults say, and checked.

    Parameters
    ----------
    combatant : Combatant
    profiles : Profiles or None
        None: the shipped ones.
    where : str
        The section that it came from; opens the messages.
    loadout : Loadout, optional
        Its profile, if that need not be looked up.

    Raises
    ------
    InputError
        A selector, row or number that does not fit.
    """
    try:
        if loadout is None and combatant.unit is not None:
            loadout = (profiles or Profiles()).loadout(combatant.unit)
    except InputError as error:
        raise error.inside(f"{where}.unit") from None
    known = _profile_of(loadout) | combatant.model_dump(exclude_none=True, exclude={"charge", "rows", "passengers"})
    shared = {key: known[key] for key in Target.model_fields if key in known}
    try:
        target = resolve_target(checked(Target, shared, where="target"), loadout)
    except InputError as error:
        raise InputError(error.problem, where=error.where.replace("target", where, 1), allowed=error.allowed) from None
    for rule in _REACHING:
        try:
            rule_length(target, rule)
        except InputError as error:
            raise InputError(error.problem, where=f"{where}.rules", allowed=error.allowed) from None
    known = _by_rules(target.rules or ()) | known | target.model_dump(exclude_none=True)
    known["charge"] = combatant.charge
    known["rows"] = combatant.rows or (() if loadout is None else loadout.unit.rows)
    known["passengers"] = _resolve_passengers(combatant, profiles, where)
    resolved = checked(Combatant, known, where=where)
    _check_transport(resolved, where)
    return resolved


def _profile_of(loadout: Loadout | None) -> dict[str, Any]:
    """What a profile says beyond what it says of a target."""
    return {} if loadout is None or loadout.unit.speed is None else {"speed": loadout.unit.speed}


def _by_rules(written: tuple[str, ...]) -> dict[str, int]:
    """Numbers that stand in special rules: X of Veteran (X) and of Capacity (X)."""
    rules = {rule.name: max(whole_number(rule.parameter), 1) for rule in rules_called(written)}
    known = {"veteran": min(rules.get("Veteran", 0), MOST_DICE)}
    return known | ({"capacity": rules["Capacity"]} if "Capacity" in rules else {})


def whole_number(parameter: str | None) -> int:
    """The X of a rule such as Sponsons (X); 0 where none is written."""
    return int(parameter) if parameter and parameter.isdecimal() else 0


@lru_cache(maxsize=1024)  # of many fights the same few are asked for
def rules_called(written: tuple[str, ...]) -> tuple[Named, ...]:
    """The special rules of a unit by name and parameter."""
    return tuple(names(written, SPECIAL_RULES))


def rule_value(combatant: Target, name: str) -> int:
    """The X of a special rule of a unit; 0 without the rule."""
    return _values_of(combatant.rules).get(name, 0)


def rule_length(combatant: Target, name: str) -> int:
    """The X of a special rule in inches, in hundredths of them; 0 without the rule.

    Raises
    ------
    InputError
        An X that is no length.
    """
    for rule in rules_called(combatant.rules or ()):
        if rule.name == name:
            return _length(rule)
    return 0


def _length(rule: Named) -> int:
    written = rule.parameter or ""
    if not written.replace(".", "", 1).isdecimal():
        return 0
    try:
        return hundredths(float(written))
    except ValueError:
        raise InputError(f"the rule {str(rule)!r}", where="rules", allowed="inches in steps of 0.01") from None


def has_rule(combatant: Combatant, name: str) -> bool:
    """Whether a unit has a special rule, with whatever parameter."""
    return name in _values_of(combatant.rules)


def keeps_damage(unit: Target) -> bool:
    """Whether damage can be left on a model of a unit, and not only destroy it (AC-3.8)."""
    return (unit.damage_limit or 1) > 1


@lru_cache(maxsize=1024)
def _values_of(written: tuple[str, ...] | None) -> dict[str, int]:
    """The X of each special rule by its name; where a rule is written twice the first counts."""
    return {rule.name: whole_number(rule.parameter) for rule in reversed(rules_called(written or ()))}


def _resolve_passengers(combatant: Combatant, profiles: Profiles | None, where: str) -> Passengers | None:
    if combatant.passengers is None:
        return None
    inside = f"{where}.passengers"
    stated = combatant.passengers
    if stated.garrisoned:
        raise InputError("a unit that is aboard in a building", where=f"{inside}.garrisoned", allowed="false")
    try:
        loadout = None if stated.unit is None else (profiles or Profiles()).loadout(stated.unit)
        target = resolve_target(checked(Target, stated.model_dump(exclude_none=True), where="target"), loadout)
    except InputError as error:
        raise error.inside(inside) from None
    return checked(Passengers, target.model_dump(exclude_none=True), where=inside)


def _check_transport(combatant: Combatant, where: str) -> None:
    passengers = combatant.passengers
    if passengers is None:
        return
    if combatant.capacity is None:
        problem = "a unit without Capacity carries nobody"
        raise InputError(problem, where=f"{where}.passengers", allowed="a transport, or its capacity beside it")
    room = combatant.capacity * (combatant.models or 0)
    if (passengers.models or 0) > room:
        problem = f"{passengers.models} models are embarked"
        raise InputError(problem, where=f"{where}.passengers.models", allowed=f"up to {room}")


def row_named(combatant: Combatant, written: str, where: str) -> Row:
    """The row of that name, forgiving case and spaces.

    Raises
    ------
    InputError
        No such row; the message names the nearest.
    """
    rows = {row.id: row for row in combatant.rows or ()}
    row = rows.get(row_id(written, rows))
    if row is None:
        raise InputError(
            f"no row {shown(written)}{did_you_mean(written, rows)}", where=where, allowed=", ".join(rows) or "no rows"
        )
    return row


def charge_row(combatant: Combatant, where: str) -> Row:
    """The melee or impact row that a unit charges with (AC-8.1).

    Raises
    ------
    InputError
        It has none, or is Static (AC-7).
    """
    if has_rule(combatant, "Static"):
        raise InputError("a Static unit cannot charge (AC-7)", where=where, allowed="another unit")
    rows = [row for row in combatant.rows or () if row.kind in ("melee", "impact")]
    if combatant.close_quarters_row is not None:
        row = row_named(combatant, combatant.close_quarters_row, f"{where}.close_quarters_row")
        if row not in rows:
            problem, allowed = f"row {row.id!r} is a {row.kind} row", ", ".join(each.id for each in rows)
            raise InputError(problem, where=f"{where}.close_quarters_row", allowed=allowed or "no row fits")
        return row
    if not rows:
        found = ", ".join(row.id for row in combatant.rows or ()) or "no rows"
        problem = f"{combatant.unit or 'the unit'} has {found}, and no melee or impact row to charge with (AC-8.1)"
        raise InputError(problem, where=where, allowed="a unit with a melee or impact row")
    return rows[0]


def may_charge(combatant: Combatant, enemy: Combatant, policy: str) -> bool:
    """Whether a duellist can come to charge: by its policy, or made to by a rule (Berserk, Run Amok of AC-7)."""
    if policy == "charge":
        return True
    if not any(has_rule(combatant, rule) for rule in ("Berserk", "Run Amok")) or has_rule(combatant, "Static"):
        return False
    can_be_charged = enemy.type not in NO_CLOSE_QUARTERS_AGAINST and not enemy.aircraft
    return can_be_charged and any(row.kind in ("melee", "impact") for row in combatant.rows or ())


def can_fail_to_rally(combatant: Combatant) -> bool:
    """Whether a unit can fail a rally test: it takes one, and by a card (AC-5.6, AC-7)."""
    passes = any(has_rule(combatant, rule) for rule in ("Automata", "Irrepressible", "Hot Headed"))
    return combatant.discipline is not None and not combatant.peer_review and not passes


def retaliation_row(combatant: Combatant) -> Row | None:
    """The melee row that a unit strikes back with, if it has one (AC-8.3)."""
    rows = [row for row in combatant.rows or () if row.kind == "melee"]
    named = [row for row in rows if row.id == combatant.close_quarters_row]
    return next(iter(named or rows), None)


def check_can_be_charged(combatant: Combatant, where: str) -> None:
    """Refuse what no charge can be made against (AC-8.1; the seed's charge manoeuvre)."""
    if combatant.type in NO_CLOSE_QUARTERS_AGAINST or combatant.aircraft:
        problem = f"{combatant.unit or 'the target'} cannot be charged: {combatant.type or 'aircraft'} (AC-8.1)"
        raise InputError(problem, where=where, allowed="a unit on the ground")


def check_has_dice(combatant: Combatant, row: Row, where: str) -> None:
    """Refuse a count of models, or damage, that the grid gives no attack dice for (AC-2.4)."""
    count = combatant.damage if combatant.behemoth else combatant.models or 0
    try:
        attack_dice(row, count)
    except InputError as error:
        raise error.inside(f"{where}.{'damage' if combatant.behemoth else 'models'}") from None
