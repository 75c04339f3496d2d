"""Result of a close quarters combat after all strikes (AC-8.5, AC-8.6, AC-8.8)."""

from __future__ import annotations

from analyser.common.jit import step
from analyser.rules import discipline, unit_state
from analyser.rules.activation import Order
from analyser.rules.attack import set_target
from analyser.rules.discipline import ANNIHILATED, DISORDERED, MODELS_DESTROYED
from analyser.rules.structs import NONE, AttackFacts, FightFacts, SideFacts, TargetFacts
from analyser.rules.unit_state import is_removed

ACTIVE, TARGET, NOBODY, NOT_FOUGHT = 0, 1, 2, 3
# Bits that end with the combat, of a unit that is still standing.
OF_THE_COMBAT = (
    unit_state.SUPPRESSIVE | unit_state.CRYO | unit_state.SEISMIC | unit_state.MODELS_MASK << MODELS_DESTROYED
)

# Of a removed unit: it fell in the combat, not to the Sponsons before it.
FELL_IN_COMBAT = unit_state.SUPPRESSIVE

# Passengers are not activated while aboard, so the bits of activations of the transport describe them.
PASSENGERS_SUPPRESSED, PASSENGERS_BROKEN = unit_state.RALLY_FAILED, unit_state.SUPPRESSED_BEFORE
PASSENGERS_ACTIVATED = unit_state.DISORDERED_BEFORE


@step
def in_combat(active: int) -> bool:
    """Return True if the active unit has charged or overruns, and the combat is not resolved yet."""
    return unit_state.order_of(active) in (Order.CHARGE, Order.OVERRUN)


@step
def engaged(state: int, side: SideFacts, target: TargetFacts) -> int:
    """Return a unit in contact: it loses lookout and cover, and Corrosive Fumes reach it (AC-7)."""
    lost = unit_state.ON_LOOKOUT | (0 if target.pavises else unit_state.TAKING_COVER)
    return state & ~lost | (DISORDERED if side.fumes_within != NONE else 0)


@step
def struck_by(state: int, attack: AttackFacts) -> int:
    """Return the unit after an attack of the combat, whose qualities affect the loser's test (AC-6)."""
    if is_removed(state):
        return state | FELL_IN_COMBAT
    state |= unit_state.SUPPRESSIVE if attack.suppressive else 0
    state |= unit_state.CRYO if attack.cryo else 0
    return state | (unit_state.SEISMIC if attack.seismic else 0)


@step
def aboard(side: SideFacts, models: int) -> int:
    """Return the number of passengers that `models` of the transport can hold (AC-8.8)."""
    return min(side.passengers, side.capacity * models)


@step
def passengers_lost(state: int, side: SideFacts) -> int:
    """Return the number of passengers destroyed with the transport's own models in the combat (AC-8.8)."""
    models = unit_state.models_of(state)
    return aboard(side, models + unit_state.lost_of(state)) - aboard(side, models)


@step
def winner(active: int, target: int, sides: tuple[SideFacts, SideFacts]) -> int:
    """Return the winner: the side that destroyed more enemy models, or the whole enemy (AC-8.3, AC-8.5).

    There is no combat if Sponsons destroy the charger. If a target is destroyed by its own blanks and the units beside
    it destroy the charger, the charger has lost (AC-8.7). `sides`: of the active unit and of its target.
    """
    if is_removed(target) and target & FELL_IN_COMBAT:
        return TARGET if is_removed(active) and target & unit_state.BY_OWN_BLANKS else ACTIVE
    if is_removed(active):
        return TARGET if active & FELL_IN_COMBAT else NOBODY
    lost = unit_state.lost_of(active) + passengers_lost(active, sides[ACTIVE])
    destroyed = unit_state.lost_of(target) + passengers_lost(target, sides[TARGET])
    if lost == destroyed:
        return NOBODY
    return ACTIVE if destroyed > lost else TARGET


@step
def result(active: int, target: int, sides: tuple[SideFacts, SideFacts]) -> int:
    """Return the winner (:func:`winner`); NOT_FOUGHT if the charger fell before the combat (AC-8.1)."""
    if is_removed(active) and not active & FELL_IN_COMBAT and not is_removed(target):
        return NOT_FOUGHT
    return winner(active, target, sides)


@step
def overruns(won_by: int, active: int, target: int, side: SideFacts) -> bool:
    """Return True if the active unit overruns now, because it has won its charge and both stand (AC-7)."""
    charged = unit_state.order_of(active) != Order.OVERRUN
    stand = not is_removed(active) and not is_removed(target)
    return bool(won_by == ACTIVE and side.overrun and charged and stand)


@step
def driven_off(state: int, side: SideFacts) -> int:
    """Return the loser before its test: annihilated if Static (AC-7), else 3 inches back (AC-8.5)."""
    return unit_state.removed_state(state, side, 0, ANNIHILATED) if side.static else withdrawn(state, side)


@step
def withdrawn(state: int, side: SideFacts) -> int:
    """Return the unit 3 inches back, or out of its building; models without space are destroyed (AC-8.5, AC-8.6)."""
    lost = min(side.withdraws_without_room, unit_state.models_of(state))
    if lost == unit_state.models_of(state):
        return unit_state.removed_state(state, side, lost, ANNIHILATED)
    return unit_state.set_back(state - lost + (lost << MODELS_DESTROYED), side)


@step
def set_losers_test(fight: FightFacts, target: TargetFacts, attack: AttackFacts, side: SideFacts, state: int) -> None:
    """Fill `fight` with the loser's test by its losses in the combat and its models before it (AC-8.5, AC-5.2).

    `target` is the unit's record; it and `attack` are overwritten.
    """
    unit_state.put_into(target, side, state)
    target.models = unit_state.models_of(state) + unit_state.lost_of(state)
    target.exposed = NONE
    set_test(fight, target, attack, state)


@step
def set_test(fight: FightFacts, target: TargetFacts, attack: AttackFacts, state: int) -> None:
    """Fill `fight` with a test that depends only on the qualities of the attacks of the combat (AC-6)."""
    attack.close_quarters = attack.opportunity_fire = attack.corrosive = attack.precision = 0
    attack.suppressive = 1 if state & unit_state.SUPPRESSIVE else 0
    attack.cryo = 1 if state & unit_state.CRYO else 0
    attack.seismic = 1 if state & unit_state.SEISMIC else 0
    attack.house_1 = attack.house_2 = attack.house_3 = attack.house_4 = attack.is_a = 0
    set_target(attack, target, fight)


@step
def failed_combat_test(fight: FightFacts, state: int, side: SideFacts) -> int:
    """Return the loser after a failed test."""
    lost = unit_state.lost_of(state)
    outcome = discipline.fail_test(fight, lost, unit_state.damage_of(state), fight.disordered)
    return unit_state.carried_over(state, outcome - (lost << MODELS_DESTROYED), side, 0)


@step
def scored(state: int, side: SideFacts) -> int:
    """Return the winner with one more combat won (Hunter, AC-7)."""
    return state + (1 << unit_state.WINS) if side.hunter else state


@step
def passengers_test(fight: FightFacts, target: TargetFacts, attack: AttackFacts, side: SideFacts, state: int) -> None:
    """Fill `fight` with the passengers' test, taken only if their transport tests (AC-5.10).

    `target` is the record of the passengers.
    """
    target.models = aboard(side, unit_state.models_of(state) + unit_state.lost_of(state))
    target.suppressed = 1 if target.suppressed or state & PASSENGERS_SUPPRESSED else 0
    target.activated = 1 if target.activated or state & PASSENGERS_ACTIVATED else 0
    set_test(fight, target, attack, state)


@step
def passengers_failed(fight: FightFacts, state: int, side: SideFacts) -> int:
    """Return the transport after its passengers failed: they break or are suppressed; aboard they do not fall back."""
    if aboard(side, unit_state.models_of(state)) <= fight.break_limit:
        return state | PASSENGERS_BROKEN
    if fight.cryo and not fight.activated and not fight.suppressed:
        return state | PASSENGERS_ACTIVATED
    return state | PASSENGERS_SUPPRESSED


@step
def ended_as(active: int, won_by: int, again: bool, side: SideFacts) -> int:
    """Return the active unit with the result of its combat; an Overrun follows if `again` (AC-7).

    After a stalemate a unit that runs amok has no option left, because it has charged.
    """
    if again:
        return unit_state.with_order(active, Order.OVERRUN)
    if won_by == NOBODY:
        return unit_state.with_order(active, Order.NOTHING if side.runs_amok else Order.NO_ATTACK)
    return unit_state.with_order(active, Order.WON if won_by == ACTIVE else Order.LOST)
