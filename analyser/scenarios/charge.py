"""One close quarters combat (AC-8): a charge as a program of strikes, and what it comes to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from analyser.engine.fight.exact.propagate import start_states
from analyser.engine.fight.program import Kind, Operation, Setup
from analyser.game.dice import Rating
from analyser.game.profiles import ProfilesUsed
from analyser.game.ruleset import Ruleset
from analyser.game.units import Row
from analyser.rules import outcome, unit_state
from analyser.rules.activation import Order
from analyser.rules.structs import NONE, Bonus, Penalty
from analyser.scenarios.combatant import (
    charge_row,
    check_can_be_charged,
    check_has_dice,
    retaliation_row,
    rule_length,
)
from analyser.scenarios.positions import A_COMBAT_LOST, Moves, place, set_backs, within_edges
from analyser.scenarios.schema import Combatant
from analyser.scenarios.strikes import (
    CAN_BE_OUTFLANKED,
    Strike,
    breaks_buildings,
    close_quarters_marks,
    fixed_strike,
    orders_mask,
    row_strike,
    setup_for,
    side_record,
    thrown_strike,
)

ATTACKER, TARGET = 0, 1
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


def combat(
    sides: tuple[Combatant, Combatant], secondary: tuple[Combatant, ...], active: int, first_number: int
) -> tuple[list[Strike], list[Operation]]:  # fmt: skip
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
    charger, charged = sides[active], sides[1 - active]
    strikes: list[Strike] = []
    operations = [Operation(Kind.ENGAGE, active)]

    def add(strike: Strike | None) -> None:
        if strike is not None:
            operations.append(Operation(Kind.STRIKE, active, first_number + len(strikes)))
            strikes.append(strike)

    add(_sponsons(charger, charged, active))
    for strike in _in_order(sides, secondary, active):
        add(strike)
    operations += _resolution(sides, active)
    if any(strike.strike.wrecks for strike in strikes):
        operations.append(Operation(Kind.WRECK, 1 - active))
    if charger.has("Overrun") and charger.charge.overrun:
        operations.append(Operation(Kind.ENGAGE, active))
        add(_charge(sides, (), active, again=True))
        add(_retaliation(sides, (), active, again=True))
        operations += _resolution(sides, active)
    if charger.has("Throw"):
        add(_throw(charger, charged, active))
        operations.append(Operation(Kind.FORGET, 1 - active))
    for side in (ATTACKER, TARGET):
        blast = blast_of(sides[side], sides[1 - side], side)
        if blast is not None:
            operations += going_off(side, first_number + len(strikes))
            strikes.append(blast)
    return strikes, operations


def going_off(side: int, number: int) -> list[Operation]:
    """What a last model does to the enemy once it is destroyed; `number`: the strike of its blast (AC-7)."""
    return [
        Operation(Kind.GO_OFF, side), Operation(Kind.FRIGHTEN, side), Operation(Kind.STRIKE, side, number),
        Operation(Kind.TEST_FRIGHTENED, 1 - side),
    ]  # fmt: skip


def blast_of(gone: Combatant, enemy: Combatant, side: int) -> Strike | None:
    """The attack of a Spectacular Demise (X) on the enemy near it: neutral, past all cover (AC-7)."""
    dice = gone.value("Spectacular Demise")
    if not dice:
        return None
    return fixed_strike(dice, Rating.NEUTRAL, enemy, {"striker": side, "by_blast": 1}, afterwards=True)


def _throw(charger: Combatant, charged: Combatant, active: int) -> Strike:
    """The Throw (X) of a unit that has destroyed a model: X is its range, a card says its dice (AC-7)."""
    numbers = {"striker": active, "long_range": rule_length(charger, "Throw") or NONE}
    from_front = False if charger.charge.outflanking else None
    return thrown_strike(charged, numbers, veteran=charger.veteran or 0, from_front=from_front)


def _in_order(
    sides: tuple[Combatant, Combatant], secondary: tuple[Combatant, ...], active: int
) -> Iterator[Strike | None]:
    """The strikes of a charge in the order in which they are made (AC-8.3, AC-8.4)."""
    charger, charged = sides[active], sides[1 - active]
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
        yield _retaliation(sides, secondary, active, inside=before)
        yield from _others(charger, secondary, active, before)
    yield _charge(sides, secondary, active)
    if after is not None:
        yield _retaliation(sides, secondary, active, inside=after)
        yield from _others(charger, secondary, active, after)


def _charge(
    sides: tuple[Combatant, Combatant], secondary: tuple[Combatant, ...], active: int, *, again: bool = False
) -> Strike:
    """The active unit's attack; the one of an Overrun is no charge, and has one more penalty (AC-7)."""
    charger, charged = sides[active], sides[1 - active]
    threatened = charger.charge.threatened or bool(secondary)
    bonuses, penalties = close_quarters_marks(
        charger, charged, supported=charger.charge.supported, threatened=threatened
    )
    outflanks = charger.charge.outflanking and charged.type in CAN_BE_OUTFLANKED and not again
    if outflanks:
        bonuses |= Bonus.OUTFLANKING
    if charger.has("Onslaught") and not again:
        bonuses |= Bonus.ONSLAUGHT
    if again:
        penalties |= Penalty.OVERRUN
    row = charge_row(charger, "attacker")
    numbers = {
        "striker": active,
        "orders": orders_mask(Order.OVERRUN if again else Order.CHARGE),
        "bears_blanks": 1,
        "wrecks": breaks_buildings(row, charged) and not again,
        "before_throw": charger.has("Throw"),
    }
    return row_strike(
        charger, row, charged, numbers, bonuses=bonuses, penalties=penalties, overcharge=charger.overcharge,
        from_front=False if charger.charge.outflanking and not again else None, close_quarters=True,
    )  # fmt: skip


def _retaliation(
    sides: tuple[Combatant, Combatant], secondary: tuple[Combatant, ...], active: int, *, again: bool = False,
    inside: int = NONE,
) -> Strike | None:  # fmt: skip
    """The charged unit's attack, if it has a melee row; the charger is always in its own front arc (AC-8.3)."""
    charger, charged = sides[active], sides[1 - active]
    row = retaliation_row(charged)
    if row is None:
        return None
    supported = charger.charge.threatened or bool(secondary)
    bonuses, penalties = close_quarters_marks(
        charged, charger, supported=supported, threatened=charger.charge.supported
    )
    numbers = {
        "striker": 1 - active,
        "orders": orders_mask(Order.OVERRUN if again else Order.CHARGE),
        "inside": inside,
        "bears_blanks": 1,
    }
    return row_strike(
        charged, row, charger, numbers, bonuses=bonuses, penalties=penalties, overcharge=charged.overcharge,
        from_front=True, close_quarters=True,
    )  # fmt: skip


def _others(charger: Combatant, secondary: tuple[Combatant, ...], active: int, inside: int) -> Iterator[Strike | None]:
    """The attacks of the secondary combatants, each supported by the charged unit (AC-8.2, AC-8.7)."""
    for unit in secondary:
        row = retaliation_row(unit)
        if row is None:
            continue
        bonuses, penalties = close_quarters_marks(unit, charger, supported=True, threatened=unit.charge.threatened)
        penalties |= Penalty.SUPPRESSED if unit.suppressed else 0
        strike = row_strike(
            unit, row, charger, {}, bonuses=bonuses, penalties=penalties, overcharge=unit.overcharge,
            from_front=False, close_quarters=True,
        )  # fmt: skip
        count = unit.damage if unit.behemoth else unit.models or 0
        plain, special = strike.dice[count]
        if special != NONE and _special_counts(row, charger):
            plain = special
        if plain <= 0:
            continue
        record = strike.strike.copy()
        record.striker, record.orders, record.inside = 1 - active, orders_mask(Order.CHARGE), inside
        record.fixed_dice, record.by_damage, record.beside = plain, 0, 1
        yield strike._replace(strike=record)


def _special_counts(row: Row, struck: Combatant) -> bool:
    """Whether the value in parentheses counts in close quarters (Shock, Wreckers of AC-6)."""
    return (row.has("Shock") and struck.category == "light") or (row.has("Wreckers") and struck.category == "heavy")


def _sponsons(charger: Combatant, charged: Combatant, active: int) -> Strike | None:
    """The Sponsons of the charged unit, before anything else; their losses do not count (AC-8.1, AC-7)."""
    dice = charged.value("Sponsons")
    if not dice:
        return None
    numbers = {"striker": 1 - active, "orders": orders_mask(Order.CHARGE), "counts": 0}
    return fixed_strike(dice, Rating.WEAKENED, charger, numbers, veteran=charged.veteran or 0)


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
