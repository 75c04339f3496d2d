"""After the blows of a close quarters combat, plainly read: who has won, who withdraws, who tests (AC-8.7, AC-8.8)."""

from fractions import Fraction
from typing import NamedTuple

from tests.oracle import plain_reading as plain
from tests.oracle.plain_laws import certainly, collect, marginal, then
from tests.oracle.plain_strikes import crush_passengers
from tests.oracle.plain_units import Unit, after_outcome, as_target, nearer_edge, removed


class Fight(NamedTuple):
    """Everything that a combat changes.

    The losses are the enemy's claim on the win (AC-8.5): passengers in, sponsons, own blanks and want of room out.
    `..._struck_by` are the qualities of the attacks that the combat made on the unit, for its test.
    """

    active: Unit
    target: Unit
    secondaries: tuple[Unit, ...] = ()
    active_losses: int = 0
    target_losses: int = 0
    active_start: int = 0
    target_start: int = 0
    active_riding: int = 0  # models embarked at the start of the combat
    target_riding: int = 0
    active_struck_by: frozenset = frozenset()
    target_struck_by: frozenset = frozenset()
    winner: str = ""  # "active", "target", "stalemate"
    won: tuple[str, ...] = ()  # the winner of each combat fought
    apart: int = 0  # inches between the two after the last combat
    has_destroyed: bool = False  # whether the active unit has, in any combat
    by_its_own_blanks: bool = False  # the target is gone by them, at the same time as others strike (AC-8.7)


class Field(NamedTuple):
    """What a combat does not change: facts of the units, circumstances, die and deck."""

    active: dict
    target: dict
    secondaries: list
    combat: dict
    ruleset: dict
    again: bool = False  # the second combat of an Overrun
    measured: bool = True  # distances are known, and whoever moves forward moves away from its own edge


def decide(fight):
    """The winner by enemy models destroyed, if no unit was annihilated (AC-8.5)."""
    if fight.winner:
        return fight
    if fight.target_losses > fight.active_losses:
        return fight._replace(winner="active")
    if fight.active_losses > fight.target_losses:
        return fight._replace(winner="target")
    return fight._replace(winner="stalemate")


def withdraw(facts, unit):
    """Withdraw 3", or exit the building: models without room are destroyed (AC-8.5, AC-8.6)."""
    left = max(0, unit.models - facts["withdrawal_without_room"])
    moved = unit._replace(models=left, garrisoned=False, edge_distance=nearer_edge(unit))
    moved, _crushed = crush_passengers(facts, moved)
    return moved if left else removed("destroyed", moved)


def suppression_test(facts, unit, start, riding_start, struck_by, deck):
    """The law of a unit that lost the combat and must test, its passengers too (AC-5.2 to AC-5.4, AC-5.10)."""
    if unit.fate or facts["discipline"] is None:
        return certainly(unit)
    law = one_test(facts, unit, start, struck_by, deck)
    if unit.passengers is None:
        return law

    def passengers_test(transport):
        riding = transport.passengers
        if riding.fate or facts["passengers"]["discipline"] is None:
            return certainly(transport)
        law = one_test(facts["passengers"], riding, riding_start, struck_by, deck, embarked=True)
        return marginal(law, lambda unit: transport._replace(passengers=unit))

    return then(law, passengers_test)


def one_test(facts, unit, start, struck_by, deck, *, embarked=False):
    """The law of one suppression test (AC-5.1 to AC-5.4; Suppressive, Cryo, Seismic in AC-6)."""
    attack = {**plain.DEFAULT_ATTACK, "qualities": sorted(struck_by)}
    target = as_target(facts, unit, models=start)
    same = {name: getattr(unit, name) for name in ("damage", "suppressed", "disordered", "activated")}
    state = plain.Outcome(unit.models, start - unit.models, **same)
    fails = plain.chance_to_fail(state, attack, target, deck)
    breaks = facts["break_limit"] is not None and unit.models <= facts["break_limit"]
    if embarked and unit.suppressed and not breaks:
        failed = unit  # there is no way to fall back out of a transport
    else:
        failed, _crushed = crush_passengers(facts, after_outcome(unit, plain.fail_test(state, attack, target)))
    return collect([(unit, 1 - fails), (failed, fails)])


def inches_back(unit):
    """How far a unit withdraws: 3", but never beyond the table's edge (AC-8.5)."""
    return 3 if unit.edge_distance is None else min(3, unit.edge_distance)


def lose(facts, unit, start, riding_start, struck_by, deck):
    """The loser withdraws and tests; a Static one is annihilated (AC-8.5, AC-7)."""
    if plain.has_rule(facts, "Static"):
        return certainly(removed("static", unit))
    return suppression_test(facts, withdraw(facts, unit), start, riding_start, struck_by, deck)


def resolve(field, fight):
    """Winner, withdrawal, test (AC-8.5 to AC-8.7)."""
    over = bool(fight.active.fate or fight.target.fate)
    fight = decide(fight)
    back = fight.target if fight.winner == "active" else fight.active
    fight = fight._replace(won=(*fight.won, fight.winner), apart=0 if over else inches_back(back))
    if over:
        return certainly(fight)
    if fight.winner == "stalemate":
        return {fight._replace(active=withdraw(field.active, fight.active)): Fraction(1)}
    if fight.winner == "target":
        return loses(field, fight, "active")
    if not field.again:
        fight = fight._replace(secondaries=secondaries_withdraw(field, fight))
    return loses(field, fight, "target")


def loses(field, fight, side):
    """The law of a fight in which the named side has lost (AC-8.5)."""
    start, riding = getattr(fight, f"{side}_start"), getattr(fight, f"{side}_riding")
    struck_by = getattr(fight, f"{side}_struck_by")
    unit = getattr(fight, side)
    before = unit.fell_back  # in the first combat of an Overrun
    fate = lose(getattr(field, side), unit._replace(fell_back=False), start, riding, struck_by, field.ruleset["deck"])

    def ended(after):
        apart = 0 if after.fate else inches_back(unit) + (3 if after.fell_back else 0)
        fell_back = not after.fate and (before or after.fell_back)
        return fight._replace(apart=apart, **{side: after._replace(fell_back=fell_back)})

    return marginal(fate, ended)


def secondaries_withdraw(field, fight):
    """Secondary combatants of a losing target withdraw and do not test; what is Static stays (AC-8.7)."""
    return tuple(
        unit if unit.fate or plain.has_rule(facts, "Static") else withdraw(facts, unit)
        for facts, unit in zip(field.secondaries, fight.secondaries, strict=True)
    )
