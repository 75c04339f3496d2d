"""Result of a close quarters combat after all strikes (AC-8.5, AC-8.6, AC-8.8)."""

from __future__ import annotations

from analyser.common.jit import step
from analyser.rules import discipline, unit_state
from analyser.rules.activation import Order
from analyser.rules.attack import set_target
from analyser.rules.discipline import ANNIHILATED, DISORDERED, MODELS_DESTROYED
from analyser.rules.structs import NONE, AttackFacts, FightFacts, SideFacts, TargetFacts
from analyser.rules.unit_state import is_removed

ACTIVE, TARGET, NO_WINNER, NOT_FOUGHT = 0, 1, 2, 3
# Bits in the state of a unit that is not removed; they are cleared at the end of the combat.
COMBAT_FLAGS = (
    unit_state.SUPPRESSIVE | unit_state.CRYO | unit_state.SEISMIC | unit_state.MODELS_MASK << MODELS_DESTROYED
)

# Bit in the state of a removed unit: set if it fell in the combat, not by Sponsons before the combat.
FELL_IN_COMBAT = unit_state.SUPPRESSIVE

# Results of the passengers' test, in bits of the transport's state that are otherwise used only in activations.
PASSENGERS_SUPPRESSED, PASSENGERS_BROKEN = unit_state.RALLY_FAILED, unit_state.SUPPRESSED_BEFORE
PASSENGERS_ACTIVATED = unit_state.DISORDERED_BEFORE


@step
def in_combat(active: int) -> bool:
    """Return True if the active unit charges or overruns, and the combat is not resolved yet."""
    return unit_state.order_of(active) in (Order.CHARGE, Order.OVERRUN)


@step
def enter_contact(state: int, side: SideFacts, target: TargetFacts) -> int:
    """Return the state of a unit in contact: no lookout, no cover except by Pavises, disordered if in fumes (AC-7)."""
    lost_statuses = unit_state.ON_LOOKOUT | (0 if target.pavises else unit_state.TAKING_COVER)
    return state & ~lost_statuses | (DISORDERED if side.fumes_reach != NONE else 0)


@step
def record_qualities(state: int, attack: AttackFacts) -> int:
    """Return the target's state with bits for the qualities of an attack that affect the loser's test (AC-6)."""
    if is_removed(state):
        return state | FELL_IN_COMBAT
    state |= unit_state.SUPPRESSIVE if attack.suppressive else 0
    state |= unit_state.CRYO if attack.cryo else 0
    return state | (unit_state.SEISMIC if attack.seismic else 0)


@step
def passengers_left(side: SideFacts, models: int) -> int:
    """Return the number of passengers left on a transport with `models` models (AC-8.8)."""
    return min(side.passengers, side.capacity * models)


@step
def passengers_lost(state: int, side: SideFacts) -> int:
    """Return the number of passengers destroyed with models of the transport in the combat (AC-8.8)."""
    models = unit_state.models_of(state)
    return passengers_left(side, models + unit_state.models_lost(state)) - passengers_left(side, models)


@step
def winner_if_fought(active: int, target: int, sides: tuple[SideFacts, SideFacts]) -> int:
    """Return the side that destroyed the enemy unit, or more models (AC-8.1, AC-8.3, AC-8.5, AC-8.7).

    Return NO_WINNER, or NOT_FOUGHT if the charger was removed before the combat (AC-8.1).
    """
    if is_removed(active) and not active & FELL_IN_COMBAT and not is_removed(target):
        return NOT_FOUGHT
    if is_removed(target) and target & FELL_IN_COMBAT:
        return TARGET if is_removed(active) and target & unit_state.BY_OWN_BLANKS else ACTIVE
    if is_removed(active):
        return TARGET if active & FELL_IN_COMBAT else NO_WINNER
    lost = unit_state.models_lost(active) + passengers_lost(active, sides[ACTIVE])
    destroyed = unit_state.models_lost(target) + passengers_lost(target, sides[TARGET])
    if lost == destroyed:
        return NO_WINNER
    return ACTIVE if destroyed > lost else TARGET


@step
def overruns(won_by: int, active: int, target: int, side: SideFacts) -> bool:
    """Return True if the active unit has Overrun, has won its charge, and neither unit is removed (AC-7)."""
    charged = unit_state.order_of(active) != Order.OVERRUN
    stand = not is_removed(active) and not is_removed(target)
    return bool(won_by == ACTIVE and side.overrun and charged and stand)


@step
def withdraw_loser(state: int, side: SideFacts) -> int:
    """Return the loser's state before its test: annihilated if Static (AC-7), else 3 inches back (AC-8.5)."""
    return unit_state.removed_state(state, side, 0, ANNIHILATED) if side.static else withdraw(state, side)


@step
def withdraw(state: int, side: SideFacts) -> int:
    """Return the state 3 inches back and out of a building; models without space are destroyed (AC-8.5, AC-8.6)."""
    lost = min(side.withdraws_without_room, unit_state.models_of(state))
    if lost == unit_state.models_of(state):
        return unit_state.removed_state(state, side, lost, ANNIHILATED)
    return unit_state.move_back(state - lost + (lost << MODELS_DESTROYED), side)


@step
def set_losers_test(fight: FightFacts, target: TargetFacts, attack: AttackFacts, side: SideFacts, state: int) -> None:
    """Fill `fight` with the test of a loser in `state` (AC-8.5, AC-5.2); `target` and `attack` are overwritten."""
    unit_state.copy_to_record(target, side, state)
    target.models = unit_state.models_of(state) + unit_state.models_lost(state)
    target.exposed = NONE
    set_test(fight, target, attack, state)


@step
def set_test(fight: FightFacts, target: TargetFacts, attack: AttackFacts, state: int) -> None:
    """Fill `fight` with the test of `target`; overwrite `attack`, as only the qualities in `state` count (AC-6)."""
    attack.close_quarters = attack.opportunity_fire = attack.corrosive = attack.precision = 0
    attack.suppressive = 1 if state & unit_state.SUPPRESSIVE else 0
    attack.cryo = 1 if state & unit_state.CRYO else 0
    attack.seismic = 1 if state & unit_state.SEISMIC else 0
    attack.house_1 = attack.house_2 = attack.house_3 = attack.house_4 = attack.is_a = 0
    set_target(attack, target, fight)


@step
def fail_combat_test(fight: FightFacts, state: int, side: SideFacts) -> int:
    """Return the loser's state after a failed test."""
    lost = unit_state.models_lost(state)
    outcome = discipline.outcome_if_failed(fight, lost, unit_state.damage_of(state), fight.disordered)
    return unit_state.after_attack(state, outcome - (lost << MODELS_DESTROYED), side, 0)


@step
def count_win(state: int, side: SideFacts) -> int:
    """Return the winner's state with one more combat won (Hunter, AC-7)."""
    return state + (1 << unit_state.WINS_BIT) if side.hunter else state


@step
def set_passengers_test(
    fight: FightFacts, target: TargetFacts, attack: AttackFacts, side: SideFacts, state: int
) -> None:
    """Fill `fight` with the test of passengers (record `target`); `state` is the state of their transport (AC-5.10)."""
    target.models = passengers_left(side, unit_state.models_of(state) + unit_state.models_lost(state))
    target.suppressed = 1 if target.suppressed or state & PASSENGERS_SUPPRESSED else 0
    target.activated = 1 if target.activated or state & PASSENGERS_ACTIVATED else 0
    set_test(fight, target, attack, state)


@step
def fail_passengers_test(fight: FightFacts, state: int, side: SideFacts) -> int:
    """Return the transport's state after its passengers fail a test: broken, suppressed, or activated (Cryo)."""
    if passengers_left(side, unit_state.models_of(state)) <= fight.break_limit:
        return state | PASSENGERS_BROKEN
    if fight.cryo and not fight.activated and not fight.suppressed:
        return state | PASSENGERS_ACTIVATED
    return state | PASSENGERS_SUPPRESSED


@step
def end_combat(active: int, won_by: int, again: bool, side: SideFacts) -> int:
    """Return the active unit's state with the result of its combat; an Overrun follows if `again` (AC-7)."""
    if again:
        return unit_state.with_order(active, Order.OVERRUN)
    if won_by == NO_WINNER:
        # NOTHING, because NO_ATTACK would count as not having charged, and then Run Amok would damage the enemy.
        return unit_state.with_order(active, Order.NOTHING if side.runs_amok else Order.NO_ATTACK)
    return unit_state.with_order(active, Order.WON if won_by == ACTIVE else Order.LOST)
