"""One close quarters combat (AC-8): a charge as a program of strikes, and what it comes to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from analyser.engine.fight.exact.propagate import start_states
from analyser.engine.fight.program import Kind, Operation, Setup
from analyser.game.profiles import ProfilesUsed
from analyser.game.ruleset import Rating, Ruleset
from analyser.rules import outcome, unit_state
from analyser.rules.activation import Order
from analyser.rules.structs import NONE, Bonus, Penalty
from analyser.scenarios.combatant import (
    CAN_BE_OUTFLANKED,
    charge_row,
    check_can_be_charged,
    check_has_dice,
    retaliation_row,
    rule_length,
)
from analyser.scenarios.positions import A_COMBAT_LOST, Moves, place, set_backs, within_edges
from analyser.scenarios.schema import Combatant
from analyser.scenarios.strikes import (
    Marks,
    Strike,
    breaks_buildings,
    fixed_strike,
    orders_mask,
    row_strike,
    setup_for,
    side_record,
    thrown_strike,
)

ATTACKER, TARGET = 0, 1
INFANTRY_OVERWHELMS = ("armour", "fortification")  # AC-8.2
IN_BUILDING, OUT_OF_BUILDING = 1, 0


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


class _Contact(NamedTuple):
    """A unit that charges another, and the units that this brings into contact (AC-8.7).

    `active` is the side that charges; `again`: it attacks once more by Overrun, which is no charge (AC-7).
    """

    charger: Combatant
    charged: Combatant
    active: int
    secondary: tuple[Combatant, ...] = ()
    again: bool = False

    @property
    def orders(self) -> int:
        """Under which order of the active unit it strikes."""
        return orders_mask(Order.OVERRUN if self.again else Order.CHARGE)


def combat(
    sides: tuple[Combatant, Combatant], secondary: tuple[Combatant, ...], active: int, first_number: int
) -> tuple[list[Strike], list[Operation]]:
    """The strikes and the operations of a charge of one of `sides` against the other.

    Parameters
    ----------
    sides : (Combatant, Combatant)
    secondary : tuple of Combatant
        Other units of the charged side that the charge has brought into contact (AC-8.7).
    active : int
        The side that charges.
    first_number : int
        The number of the first strike in the fight's list.
    """
    contact = _Contact(sides[active], sides[1 - active], active, secondary)
    charger, charged = contact.charger, contact.charged
    strikes: list[Strike] = []
    operations = [Operation(Kind.ENGAGE, active)]

    def add(strike: Strike | None) -> None:
        if strike is not None:
            operations.append(Operation(Kind.STRIKE, active, first_number + len(strikes)))
            strikes.append(strike)

    add(_sponsons(contact))
    for strike in _in_order(contact):
        add(strike)
    operations += _resolution(sides, active)
    if any(strike.strike.wrecks for strike in strikes):
        operations.append(Operation(Kind.WRECK, 1 - active))
    if charger.has("Overrun") and charger.charge.overrun:
        again = contact._replace(secondary=(), again=True)
        operations.append(Operation(Kind.ENGAGE, active))
        add(_charge(again))
        add(_retaliation(again))
        operations += _resolution(sides, active)
    if charger.has("Throw"):
        reach = rule_length(charger, "Throw") or NONE
        from_front = False if charger.charge.outflanking else None
        veteran = charger.veteran or 0
        add(thrown_strike(charged, veteran=veteran, from_front=from_front, striker=active, long_range=reach))
        operations.append(Operation(Kind.FORGET, 1 - active))
    operations += going_off(sides, strikes, first_number)
    return strikes, operations


def going_off(sides: tuple[Combatant, Combatant], strikes: list[Strike], first_number: int = 0) -> list[Operation]:
    """What a last model does to the enemy once it is destroyed: Spectacular Demise (X), neutral, past cover (AC-7).

    The strikes of blasts go to the end of `strikes`, the first of which has that number in the fight's list.
    """
    operations = []
    for side in (ATTACKER, TARGET):
        dice = sides[side].value("Spectacular Demise")
        if dice:
            number = first_number + len(strikes)
            operations += [
                Operation(Kind.GO_OFF, side),
                Operation(Kind.FRIGHTEN, side),
                Operation(Kind.STRIKE, side, number),
                Operation(Kind.TEST_FRIGHTENED, 1 - side),
            ]
            enemy = sides[1 - side]
            strikes.append(fixed_strike(dice, Rating.NEUTRAL, enemy, afterwards=True, striker=side, by_blast=1))
    return operations


def _in_order(contact: _Contact) -> Iterator[Strike | None]:
    """The strikes of a charge in the order in which they are made (AC-8.3, AC-8.4)."""
    charger, charged = contact.charger, contact.charged
    storming_party = charged.garrisoned and charger.has("Storming Party")
    advantage = charger.charge.difficult_terrain or charged.has("Stoic Defence")
    # A garrison has the advantage as long as it is in its building (AC-8.6).
    if storming_party and not advantage:
        before, after = None, NONE
    elif storming_party:
        before, after = OUT_OF_BUILDING, IN_BUILDING
    elif advantage:
        before, after = NONE, None
    else:
        before, after = (IN_BUILDING, OUT_OF_BUILDING) if charged.garrisoned else (None, NONE)
    if before is not None:
        yield _retaliation(contact, before)
        yield from _others(contact, before)
    yield _charge(contact)
    if after is not None:
        yield _retaliation(contact, after)
        yield from _others(contact, after)


def _charge(contact: _Contact) -> Strike:
    """The active unit's attack; that of an Overrun has one more penalty (AC-7)."""
    charger, charged, again = contact.charger, contact.charged, contact.again
    row, outflanks = charge_row(charger, "attacker"), charger.charge.outflanking and not again
    marks = _marks(
        charger,
        charged,
        supported=charger.charge.supported,
        threatened=charger.charge.threatened or bool(contact.secondary),
        from_front=False if outflanks else None,
    )
    bonuses = Bonus.OUTFLANKING if outflanks and charged.type in CAN_BE_OUTFLANKED else 0
    bonuses |= Bonus.ONSLAUGHT if charger.has("Onslaught") and not again else 0
    penalties = Penalty.OVERRUN if again else 0
    marks = marks._replace(bonuses=marks.bonuses | bonuses, penalties=marks.penalties | penalties)
    wrecks, throws = breaks_buildings(row, charged) and not again, charger.has("Throw")
    facts = {"striker": contact.active, "orders": contact.orders, "wrecks": wrecks, "before_throw": throws}
    return row_strike(charger, row, charged, marks, bears_blanks=1, **facts)


def _retaliation(contact: _Contact, inside: int = NONE) -> Strike | None:
    """The charged unit's attack, if it has a melee row; the charger is always in its own front arc (AC-8.3)."""
    charger, charged = contact.charger, contact.charged
    row = retaliation_row(charged)
    if row is None:
        return None
    supported, threatened = charger.charge.threatened or bool(contact.secondary), charger.charge.supported
    marks = _marks(charged, charger, supported=supported, threatened=threatened, from_front=True)
    facts = {"striker": 1 - contact.active, "orders": contact.orders, "inside": inside}
    return row_strike(charged, row, charger, marks, bears_blanks=1, **facts)


def _others(contact: _Contact, inside: int) -> Iterator[Strike | None]:
    """The attacks of the secondary combatants, each supported by the charged unit (AC-8.2, AC-8.7)."""
    charger = contact.charger
    for unit in contact.secondary:
        row = retaliation_row(unit)
        if row is None:
            continue
        marks = _marks(unit, charger, supported=True, threatened=unit.charge.threatened, from_front=False)
        marks = marks._replace(penalties=marks.penalties | (Penalty.SUPPRESSED if unit.suppressed else 0))
        strike = row_strike(unit, row, charger, marks)
        dice, special = strike.dice[unit.damage if unit.behemoth else unit.models or 0]
        by_category = {"light": "Shock", "heavy": "Wreckers"}  # when the value in parentheses counts (AC-6)
        if special != NONE and row.has(by_category.get(charger.category or "", "")):
            dice = special
        if dice > 0:
            record = strike.strike.copy()
            record.striker, record.orders, record.inside = 1 - contact.active, contact.orders, inside
            record.fixed_dice, record.by_damage, record.beside = dice, 0, 1
            yield strike._replace(strike=record)


def _marks(
    striker: Combatant, struck: Combatant, *, supported: bool, threatened: bool, from_front: bool | None
) -> Marks:
    """The marks of a strike in close quarters that hold whoever charged (AC-8.2)."""
    overwhelms = striker.type == "infantry" and struck.type in INFANTRY_OVERWHELMS
    bonuses = (Bonus.OVERWHELMING if overwhelms else 0) | (Bonus.SUPPORTED if supported else 0)
    penalties = Penalty.THREATENED if threatened else 0
    return Marks(int(bonuses), int(penalties), striker.overcharge, from_front, close_quarters=True)


def _sponsons(contact: _Contact) -> Strike | None:
    """The Sponsons of the charged unit, before anything else; their losses do not count (AC-8.1, AC-7)."""
    charged, dice = contact.charged, contact.charged.value("Sponsons")
    if not dice:
        return None
    facts: dict[str, Any] = {"striker": 1 - contact.active, "orders": contact.orders, "counts": 0}
    return fixed_strike(dice, Rating.WEAKENED, contact.charger, veteran=charged.veteran or 0, **facts)


def _resolution(sides: tuple[Combatant, Combatant], active: int) -> list[Operation]:
    tests = [Operation(Kind.TEST_PASSENGERS, side) for side in (ATTACKER, TARGET) if sides[side].passengers is not None]
    over = [Operation(Kind.END_COMBAT, side) for side in (ATTACKER, TARGET)]
    return [Operation(Kind.RESOLVE, active), *tests, *over]


def charge_program(
    attacker: Combatant, target: Combatant, secondary: tuple[Combatant, ...] = ()
) -> tuple[Setup, list[Operation]]:
    """The setup and the program of one charge.

    Raises
    ------
    InputError
        A unit that cannot charge, or one that cannot be charged (AC-8.1).
    """
    check_can_be_charged(target, "target")
    check_has_dice(attacker, charge_row(attacker, "attacker"), "attacker")
    sides = (attacker, target)
    strikes, operations = combat(sides, secondary, ATTACKER, 0)
    overruns = attacker.has("Overrun") and attacker.charge.overrun
    # A charge ends in contact; how far apart they are later matters to a Throw, and to who follows away from its edge.
    distance_counts = attacker.has("Throw") or (overruns and attacker.edge_distance is not None)
    placed = {"position_at": unit_state.WINS + unit_state.BITS_OF_WINS_IN_A_CHARGE}
    placed |= {"distance": 0, "tracks_position": 1} if distance_counts else {}
    records: list[Any] = [
        side_record(attacker, (target, *secondary), overrun=overruns, charges=1, **placed),
        side_record(target, (attacker,), **placed),
    ]
    set_back = [set_backs(side, operations, strikes, ATTACKER) for side in (ATTACKER, TARGET)]
    back, edges = within_edges(records, set_back)
    follows = min(back[TARGET], A_COMBAT_LOST) if overruns else 0  # to its Overrun, after the first combat
    moves = Moves(back[ATTACKER], follows), Moves(back[TARGET], 0)
    place(records, moves, edges, "edge_distance")
    return setup_for(records, sides, strikes), operations


def charge_start(setup: Setup) -> tuple[int, int]:
    """Both sides as a charge begins: the attacker is activated, and has charged."""
    attacker, target = start_states(setup)
    return unit_state.with_order(attacker, int(Order.CHARGE)) | outcome.ACTIVATED, target
