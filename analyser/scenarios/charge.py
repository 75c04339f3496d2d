"""Close quarters combat (AC-8): a charge as a program of strikes, and its result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, NamedTuple

from analyser.common.errors import InputError
from analyser.engine.fight.best.choice_program import ATTACK, DECLARED, OVERRUN, RETALIATION, Choice
from analyser.engine.fight.exact.propagate import start_states
from analyser.engine.fight.program import Kind, Operation, Setup
from analyser.game.profiles import Profiles, ProfilesUsed
from analyser.game.ruleset import Die, Rating, Ruleset
from analyser.rules import contact as rules
from analyser.rules import discipline, unit_state
from analyser.rules.activation import Order
from analyser.rules.attack import dice_of_cell
from analyser.rules.structs import NONE, Penalty
from analyser.scenarios.resolve import about_combatant, about_overcharge, about_overrun, keys_of, resolve_combatant
from analyser.scenarios.schema import Charge, ChargeFile, Combatant
from analyser.scenarios.strikes import (
    A_COMBAT_LOST,
    Marks,
    Strike,
    breaks_buildings,
    fixed_strike,
    orders_mask,
    place,
    row_strike,
    set_backs,
    setup_for,
    side_facts,
    thrown_strike,
)

ATTACKER, TARGET = 0, 1


@dataclass(frozen=True, slots=True)
class ChargeScenario:
    """A charge, resolved: nothing is left out that the computation needs."""

    kind: ClassVar[Literal["charge"]] = "charge"

    attacker: Combatant
    target: Combatant
    secondary: tuple[Combatant, ...]
    ruleset: Ruleset
    warnings: tuple[str, ...] = ()
    profiles: ProfilesUsed | None = None

    def as_dict(self) -> dict[str, Any]:
        """The scenario as plain data, every default filled in; reading it again gives the same scenario."""
        every = (self.attacker, self.target, *self.secondary)
        attacker, target, *others = (unit.model_dump(mode="json", exclude={"charge"}) for unit in every)
        return {
            "charge": self.attacker.charge.model_dump(mode="json"),
            "attacker": attacker,
            "target": target,
            "secondary": [keys | {"threatened": unit.charge.threatened} for keys, unit in zip(others, self.secondary)],
            "ruleset": self.ruleset.model_dump(mode="json"),
        }


def resolved(file: ChargeFile, library: Profiles) -> ChargeScenario:
    """The charge that a checked `file` describes."""
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
    others = []
    for place_of, unit in enumerate(file.secondary):
        other = resolve_combatant(keys_of(Combatant, unit), library, f"secondary.{place_of}")
        others.append(other.model_copy(update={"charge": Charge(threatened=unit.threatened)}))
    scenario = ChargeScenario(attacker, target, tuple(others), file.ruleset)
    return replace(scenario, warnings=tuple(dict.fromkeys(about_charge(file, scenario, library))))


class _Contact(NamedTuple):
    """A unit that charges another, and the units that this brings into contact (AC-8.7)."""

    charger: Combatant
    charged: Combatant
    active: int  # the side that charges
    secondary: tuple[Combatant, ...] = ()
    again: bool = False  # it attacks once more by Overrun, which is no charge (AC-7)

    @property
    def orders(self) -> int:
        """Under which order of the active unit it strikes."""
        return orders_mask(Order.OVERRUN if self.again else Order.CHARGE)

    @property
    def is_threatened(self) -> bool:
        """Return True if an enemy other than the charged unit is near the charger."""
        return self.charger.charge.threatened or bool(self.secondary)


def combat(
    sides: tuple[Combatant, Combatant], secondary: tuple[Combatant, ...], active: int, strikes: list[Strike]
) -> list[Operation]:
    """The operations of a charge of side `active` against the other; its strikes go to the end of `strikes`.

    `secondary` are other units of the charged side in contact (AC-8.7).
    """
    contact = _Contact(sides[active], sides[1 - active], active, secondary)
    charger = contact.charger
    operations = [Operation(Kind.ENGAGE, active)]

    def add(more: Iterable[Strike]) -> None:
        for strike in more:
            operations.append(Operation(Kind.STRIKE, active, len(strikes)))
            strikes.append(strike)

    if (sponsons := _sponsons(contact)) is not None:
        add([sponsons])
    add(_in_order(contact))
    operations += _resolution(sides, active)
    if any(breaks_buildings(row, contact.charged) for row in charger.rows or () if row.kind in ("melee", "impact")):
        operations.append(Operation(Kind.WRECK, 1 - active))
    if charger.has("Overrun") and charger.charge.overrun:
        again = contact._replace(secondary=(), again=True)
        operations.append(Operation(Kind.ENGAGE, active))
        add([_charge(again), *_retaliation(again)])
        operations += _resolution(sides, active)
    if (thrown := _throw(contact)) is not None:
        add([thrown])
        operations.append(Operation(Kind.FORGET, 1 - active))
    return operations + going_off(sides, strikes)


def combats(
    chargers: Sequence[Combatant], charged: Sequence[Combatant], active: int, strikes: list[Strike]
) -> list[list[Operation | Choice]]:
    """The courses of a charge of side `active`, one for each of the `chargers`; strikes go to the end of `strikes`.

    Both are one unit as it can fight: with another row, or with Overcharge. The charged unit chooses among its ways
    when its turn comes to strike, and knows how both stand then; so does the active one where something came before:
    Sponsons, a defensive advantage, a first combat (AC-8.1, AC-8.3, AC-8.4, AC-7). The first is as stated, or charged.
    Whoever can strike in any way must: a row without dice is no way to decline.
    """

    def fought(charger: Combatant, other: Combatant) -> tuple[list[Operation], list[Strike]]:
        made = list[Strike]()
        return combat((charger, other) if active == 0 else (other, charger), (), active, made), made

    if not chargers:
        return []
    plain = [fought(charger, charged[0]) for charger in chargers]
    ways = {active: [made for _, made in plain], 1 - active: [fought(chargers[0], each)[1] for each in charged]}
    numbers = list[list[int]]()  # of each strike of a combat, those of the ways to make it
    for at, strike in enumerate(plain[0][1]):
        of_row = ways[strike.strike.striker] if strike.strike.bears_blanks else ways[active][:1]
        numbers.append(list(range(len(strikes), len(strikes) + len(of_row))))
        strikes.extend(made[at] for made in of_row)

    def chosen(operation: Operation, way: int) -> Operation | Choice:
        if operation.kind != Kind.STRIKE:
            return operation
        striker, mine = plain[0][1][operation.number].strike.striker, numbers[operation.number]
        units, at, subject = (chargers, way, ATTACK) if striker == active else (charged, 0, RETALIATION)
        if len(mine) == 1:
            return operation._replace(number=mine[0])
        if subject == ATTACK and operation.number == 0:
            subject = DECLARED  # with the charge, since when nothing has happened
        others = [each for each in range(len(mine)) if each != at]
        others.sort(key=lambda each: units[each].overcharge != units[at].overcharge)
        return Choice(striker, subject, [[operation._replace(number=mine[each])] for each in (at, *others)])

    return [[chosen(operation, way) for operation in operations] for way, (operations, _) in enumerate(plain)]


def with_overrun_chosen(operations: list[Operation | Choice], active: int) -> list[Operation | Choice]:
    """The operations of a combat, where it has an Overrun with the choice of it: once the first combat is over,
    its loser's withdrawal and test too, the winner knows how both stand (AC-7, AC-8.5).
    """
    kinds = [operation.kind if isinstance(operation, Operation) else None for operation in operations]
    if kinds.count(Kind.ENGAGE) == 1:
        return operations
    begins = kinds.index(Kind.ENGAGE, 1)
    ends = len(kinds) - kinds[::-1].index(Kind.END_COMBAT)
    overrun = Choice(active, OVERRUN, [operations[begins:ends], [Operation(Kind.STAND, active)]])
    return [*operations[:begins], overrun, *operations[ends:]]


class Blows(NamedTuple):
    """The strikes of a charge between two units, each if it can be made; of side 0, who charges, on side 1, or back."""

    sponsons: Strike | None
    charge: Strike
    retaliation: Strike | None
    overrun: Strike | None
    retaliation_to_overrun: Strike | None
    throw: Strike | None


def blows(charger: Combatant, charged: Combatant) -> Blows:
    """The strikes of a charge that can be made, out in the open and with no other unit near."""
    contact = _Contact(charger, charged, ATTACKER)
    again = contact._replace(again=True)
    overruns = charger.has("Overrun") and charger.charge.overrun
    return Blows(
        _sponsons(contact),
        _charge(contact),
        next(iter(_retaliation(contact)), None),
        _charge(again) if overruns else None,
        next(iter(_retaliation(again)), None) if overruns else None,
        _throw(contact),
    )


def _sponsons(contact: _Contact) -> Strike | None:
    """The attack that Sponsons of the charged unit make first; its losses count for no combat (AC-8.1, AC-7)."""
    charged = contact.charged
    if not (dice := charged.value("Sponsons")):
        return None
    facts: dict[str, Any] = {"striker": 1 - contact.active, "orders": contact.orders, "counts": 0}
    return fixed_strike(dice, Rating.WEAKENED, contact.charger, veteran=charged.veteran or 0, **facts)


def _throw(contact: _Contact) -> Strike | None:
    """The Throw of the charger, when its combat is over (AC-7)."""
    charger = contact.charger
    if not charger.has("Throw"):
        return None
    from_front, reach = False if charger.charge.outflanking else None, charger.rule_length("Throw") or NONE
    throw = {"veteran": charger.veteran or 0, "striker": contact.active, "long_range": reach}
    return thrown_strike(contact.charged, from_front=from_front, **throw)


def blast_on(unit: Combatant, enemy: Combatant, striker: int) -> Strike:
    """The attack of a unit with Spectacular Demise on another one: neutral, past cover (AC-7)."""
    dice = unit.value("Spectacular Demise")
    return fixed_strike(dice, Rating.NEUTRAL, enemy, afterwards=True, striker=striker, by_blast=1)


def going_off(sides: tuple[Combatant, Combatant], strikes: list[Strike]) -> list[Operation]:
    """Return the effect of a last model, once destroyed: Spectacular Demise (X), neutral, past cover (AC-7).

    The strikes of blasts go to the end of `strikes`.
    """
    operations = []
    for side in (ATTACKER, TARGET):
        if sides[side].value("Spectacular Demise"):
            operations += [
                Operation(Kind.GO_OFF, side),
                Operation(Kind.FRIGHTEN, side),
                Operation(Kind.STRIKE, side, len(strikes)),
                Operation(Kind.TEST_FRIGHTENED, 1 - side),
            ]
            strikes.append(blast_on(sides[side], sides[1 - side], side))
    return operations


def _in_order(contact: _Contact) -> list[Strike]:
    """The strikes of a charge in the order in which they are made (AC-8.3, AC-8.4)."""
    charger, charged = contact.charger, contact.charged
    advantage = charger.charge.difficult_terrain or charged.has("Stoic Defence")
    times = rules.times_of_retaliation(charged.garrisoned, charger.has("Storming Party"), advantage)
    first, last = (
        [] if inside == rules.NEVER else [*_retaliation(contact, inside), *_others(contact, inside)] for inside in times
    )
    return [*first, _charge(contact), *last]


def _charge(contact: _Contact) -> Strike:
    """The active unit's attack; that of an Overrun has one more penalty (AC-7)."""
    charger, charged, again = contact.charger, contact.charged, contact.again
    row, stated = charger.charge_row("attacker"), charger.charge
    types = type_number(charger), type_number(charged)
    bonuses = rules.bonuses_of_charge(stated.supported, charger.has("Onslaught"), stated.outflanking, *types, again)
    penalties = rules.penalties_of_charge(contact.is_threatened, again)
    marks = _marks(charger, bonuses, penalties, from_front=False if stated.outflanking and not again else None)
    marks = marks._replace(charging=not again)
    wrecks, throws = breaks_buildings(row, charged) and not again, charger.has("Throw")
    facts = {"striker": contact.active, "orders": contact.orders, "wrecks": wrecks, "before_throw": throws}
    return row_strike(charger, row, charged, marks, bears_blanks=1, **facts)


def _retaliation(contact: _Contact, inside: int = NONE) -> list[Strike]:
    """The charged unit's attack, if it has a melee row; the charger is always in its own front arc (AC-8.3)."""
    charger, charged = contact.charger, contact.charged
    bonuses = rules.bonuses_of_retaliation(contact.is_threatened, type_number(charged), type_number(charger))
    penalties = rules.penalties_of_retaliation(charger.charge.supported)
    marks = _marks(charged, bonuses, penalties, from_front=True)
    facts = {"striker": 1 - contact.active, "orders": contact.orders, "inside": inside}
    return [row_strike(charged, row, charger, marks, bears_blanks=1, **facts) for row in charged.retaliation_rows()]


def _others(contact: _Contact, inside: int) -> Iterator[Strike]:
    """The attacks of the secondary combatants, each supported by the charged unit (AC-8.2, AC-8.7)."""
    charger = contact.charger
    for unit, row in [(each, row) for each in contact.secondary for row in each.retaliation_rows()]:
        penalties = Penalty.THREATENED * unit.charge.threatened + Penalty.SUPPRESSED * unit.suppressed
        bonuses = rules.bonuses_of_retaliation(True, type_number(unit), type_number(charger))
        marks = _marks(unit, bonuses, penalties, from_front=False)
        strike = row_strike(unit, row, charger, marks)
        cell, in_parentheses = strike.dice[unit.count].tolist()
        dice = dice_of_cell(strike.attack, strike.target, cell, in_parentheses, 0)
        if dice > 0:
            facts = {"striker": 1 - contact.active, "orders": contact.orders, "inside": inside}
            yield strike._replace(strike=strike.strike._replace(fixed_dice=dice, by_damage=0, beside=1, **facts))


def type_number(unit: Combatant) -> int:
    """Return the number by which kernels know the type of a unit; NONE if it is not stated."""
    return NONE if unit.type is None else rules.TYPES.index(unit.type)


def _marks(striker: Combatant, bonuses: int, penalties: int, *, from_front: bool | None) -> Marks:
    """The marks of a strike in close quarters (AC-8.2), with the bits of what counts for it and against it."""
    return Marks(bonuses, penalties, striker.overcharge, from_front, close_quarters=True)


def _resolution(sides: tuple[Combatant, Combatant], active: int) -> list[Operation]:
    tests = [Operation(Kind.TEST_PASSENGERS, side) for side in (ATTACKER, TARGET) if sides[side].passengers is not None]
    over = [Operation(Kind.END_COMBAT, side) for side in (ATTACKER, TARGET)]
    return [Operation(Kind.RESOLVE, active), *tests, *over]


def check_can_charge(attacker: Combatant) -> None:
    """Raise InputError for a unit that cannot charge: it has no row for that, or no dice (AC-8.1)."""
    attacker.check_has_dice(attacker.charge_row("attacker"), "attacker")


def check_can_be_charged(target: Combatant) -> None:
    """Raise InputError for a unit that cannot be charged (AC-8.1)."""
    target.check_can_be_charged("target")


def charge_program(
    attacker: Combatant, target: Combatant, secondary: tuple[Combatant, ...] = (), die: Die | None = None
) -> tuple[Setup, list[Operation]]:
    """The setup and the program of one charge; InputError for a unit that cannot charge, or be charged.

    `die`: by default one with the faces of the rules.
    """
    check_can_be_charged(target)
    check_can_charge(attacker)
    return program_of(attacker, target, secondary, die)


def program_of(
    attacker: Combatant, target: Combatant, secondary: tuple[Combatant, ...] = (), die: Die | None = None
) -> tuple[Setup, list[Operation]]:
    """The setup and the program of a charge that can be made."""
    sides = (attacker, target)
    strikes: list[Strike] = []
    operations = combat(sides, secondary, ATTACKER, strikes)
    overruns = attacker.has("Overrun") and attacker.charge.overrun
    # A charge ends in contact; how far apart they are later matters to a Throw, and to who follows away from its edge.
    distance_counts = attacker.has("Throw") or (overruns and attacker.edge_distance is not None)
    placed = {"position_at": unit_state.WINS + unit_state.BITS_OF_WINS_IN_A_CHARGE}
    placed |= {"distance": 0, "tracks_position": 1} if distance_counts else {}
    facts = (
        side_facts(attacker, (target, *secondary), overrun=overruns, charges=1, **placed),
        side_facts(target, (attacker,), **placed),
    )
    set_back = [set_backs(side, operations, strikes, ATTACKER) for side in (ATTACKER, TARGET)]
    follows = A_COMBAT_LOST if overruns else 0  # to its Overrun, after the first combat
    placed_sides = list(place(facts, set_back, (follows, 0), (), "edge_distance"))
    return setup_for(placed_sides, sides, strikes, die), operations


def charge_start(setup: Setup) -> tuple[int, int]:
    """Both sides as a charge begins: the attacker is activated, and has charged."""
    attacker, target = start_states(setup)
    return unit_state.with_order(attacker, int(Order.CHARGE)) | discipline.ACTIVATED, target


_NO_EFFECT = {  # keys of a combatant that close quarters do not look at, and why
    "row": "close quarters go by close_quarters_row",
    "ammo_supply": "Ammo Supply is for ranged attacks",
    "concealed": "there is no concealment in close quarters (AC-4.3)",
    "taking_cover": "there is no cover in close quarters (AC-4.3)",
    "obstacle": "there is no cover in close quarters (AC-4.3)",
    "exposed": "exposed models are prioritised by ranged attacks only (AC-3.9)",
    "on_lookout": "who goes on lookout shoots, and this is one combat",
    "reloading": "close quarters need no reloading",
}
_OF_SHOTS = ("taking_cover", "obstacle", "exposed")


def about_charge(file: ChargeFile, scenario: ChargeScenario, profiles: Profiles) -> Iterator[str]:
    """The warnings of a charge: `file` as it was stated, and as resolved."""
    attacker, target = scenario.attacker, scenario.target
    secondary = [f"secondary.{place_of}" for place_of in range(len(scenario.secondary))]
    units, stated = (attacker, target, *scenario.secondary), (file.attacker, file.target, *file.secondary)
    for unit, where, keys in zip(units, ("attacker", "target", *secondary), stated):
        yield from about_combatant(unit, where, keys, profiles)
        if unit.garrisoned and where in secondary:
            yield f"{where}.garrisoned has no effect: only the target's building is stormed"
    if file.charge.outflanking and target.type not in rules.CAN_BE_OUTFLANKED:
        yield f"charge.outflanking is no bonus: only {', '.join(rules.CAN_BE_OUTFLANKED)} are outflanked (AC-8.2)"
    for side, keys, thrown_at in (("attacker", file.attacker, False), ("target", file.target, attacker.has("Throw"))):
        for key, why in _NO_EFFECT.items():
            if getattr(keys, key) == Combatant.model_fields[key].default or (thrown_at and key in _OF_SHOTS):
                continue  # Throw is a ranged attack
            yield f"{side}.{key} has no effect: {why}"
    yield from about_overrun(attacker, "charge")
    yield from about_overcharge(attacker, "attacker")
    yield from about_overcharge(target, "target")
