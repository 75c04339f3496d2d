"""Strikes in a pair of states: whether a strike is made, its dice, and the states of both sides after it."""

from __future__ import annotations

from analyser.common.jit import step
from analyser.engine.fight.program import Pair, Setup
from analyser.rules import activation, special_rules, unit_state
from analyser.rules import strike as resolution
from analyser.rules.activation import Order
from analyser.rules.attack import dice_of_cell, set_fight, set_target
from analyser.rules.discipline import ANNIHILATED, ANY_CARD, BITS, SUPPRESSED, highest_card_of_test, outcome_if_failed
from analyser.rules.shots import band_count
from analyser.rules.structs import NONE, Bonus, Penalty, Test

_SEEN_BITS = (
    ANNIHILATED
    | unit_state.OUT_OF_BUILDING
    | unit_state.ORDER_MASK << unit_state.ORDER_BIT
    | (-1 << unit_state.WINS_BIT)
)


@step
def strike_dice(setup: Setup, number: int, striker: int, struck: int, short: bool) -> int:
    """Return the dice by damage, or by models (half at a building); NONE: no attack (AC-2.3, AC-4.4, AC-8.6)."""
    strike, sides = setup.strikes[number], setup.sides
    if strike.fixed_dice != NONE:
        return int(strike.fixed_dice)
    inside = activation.in_building(striker, sides[strike.striker])
    inside = inside or (strike.in_combat != 0 and activation.in_building(struck, sides[1 - strike.striker]))
    count = band_count(unit_state.models_of(striker), unit_state.damage_of(striker), strike.by_damage, inside)
    cell = int(setup.dice[number, 0, count]), int(setup.dice[number, 1, count])
    return int(dice_of_cell(setup.attacks[number], setup.targets[number], cell[0], cell[1], 1 if short else 0))


@step
def is_made(setup: Setup, number: int, active: int, pair: Pair) -> bool:
    """Return True if the strike is made in these states of side 0 and side 1; `active`: the active side."""
    strike = setup.strikes[number]
    mine, theirs = (pair[0], pair[1]) if strike.striker == 0 else (pair[1], pair[0])
    if strike.by_blast:
        return unit_state.is_removed(mine) and mine & special_rules.BLAST != 0 and not unit_state.is_removed(theirs)
    fights_on = strike.secondary_unit != 0 and mine & unit_state.BY_OWN_BLANKS != 0
    if (unit_state.is_removed(mine) and not fights_on) or unit_state.is_removed(theirs):
        return False
    of_active = pair[0] if active == 0 else pair[1]
    if strike.on_marked and not theirs & unit_state.MARKED:
        return False
    if strike.orders != NONE and not strike.orders >> unit_state.order_of(of_active) & 1:
        return False
    if mine & unit_state.RALLY_FAILED and not strike.after_failed_rally:
        return False
    if strike.by_lookout and not mine & unit_state.ON_LOOKOUT:
        return False
    if strike.reloads and mine & unit_state.RELOADING:
        return False
    if strike.inside != NONE and strike.inside != (1 if mine & unit_state.OUT_OF_BUILDING == 0 else 0):
        return False
    side = setup.sides[strike.striker]
    # A unit that shoots without aiming has advanced, unless a failed rally test or a building prevents moves.
    advanced = strike.move_or_fire and unit_state.order_of(mine) == Order.SHOOT
    if advanced and not mine & unit_state.RALLY_FAILED and not activation.in_building(mine, side):
        return False
    distance = activation.distance_between(pair[0], pair[1], setup.sides[0], setup.sides[1])
    if not strike.in_combat and not activation.can_reach(strike, side, distance):
        return False
    short = activation.is_at_short_range(strike, side, distance)
    return strike.by_throw != 0 or strike_dice(setup, number, mine, theirs, short) > 0


@step
def bits_seen_by_striker(setup: Setup, number: int, struck: int) -> int:
    """Return the bits of the struck unit's state that :func:`is_made` and :func:`condition` read."""
    strike = setup.strikes[number]
    return struck & (_SEEN_BITS | (unit_state.MARKED if strike.on_marked else 0))


@step
def condition(setup: Setup, number: int, pair: Pair) -> int:
    """Return the facts about the striker that affect the strike (dice, damage, range, aim, suppression), packed."""
    strike = setup.strikes[number]
    mine, theirs = (pair[0], pair[1]) if strike.striker == 0 else (pair[1], pair[0])
    side = setup.sides[strike.striker]
    distance = activation.distance_between(pair[0], pair[1], setup.sides[0], setup.sides[1])
    short = activation.is_at_short_range(strike, side, distance)
    aiming = not strike.in_combat and not strike.by_lookout and unit_state.order_of(mine) == Order.SHOOT_AIMING
    damage = unit_state.damage_of(mine) if strike.pays_overcharge and setup.attacks[number].overcharge else 0
    dice_and_damage = strike_dice(setup, number, mine, theirs, short) << BITS | damage
    suppressed = strike.fixed_dice == NONE and mine & SUPPRESSED
    return dice_and_damage << 3 | (4 if short else 0) | (2 if aiming else 0) | (1 if suppressed else 0)


@step
def set_strike(setup: Setup, number: int, condition: int, struck: int) -> None:
    """Fill `setup.fight[0]` for the attack under a :func:`condition` on a unit in state `struck`."""
    setup.attack[0] = setup.attacks[number]
    setup.target[0] = setup.targets[number]
    attack, target, strike = setup.attack[0], setup.target[0], setup.strikes[number]
    attack.dice = condition >> 13
    attack.dice_in_parentheses = NONE
    attack.damage = condition >> 3 & unit_state.MODELS_MASK
    attack.bonuses |= (Bonus.SHORT_RANGE if condition & 4 else 0) | (Bonus.AIMING if condition & 2 else 0)
    attack.penalties |= Penalty.SUPPRESSED if condition & 1 else 0
    unit_state.copy_to_record(target, setup.sides[1 - strike.striker], struck)
    set_fight(attack, target, setup.fight[0])
    setup.fight[0].dice = attack.dice
    if strike.separate_test:
        setup.fight[0].test = Test.PASSED


@step
def set_test(setup: Setup, number: int, struck: int) -> None:
    """Fill `setup.fight[0]` for the suppression test of a unit in state `struck` after the attack `number`."""
    setup.attack[0], setup.target[0] = setup.attacks[number], setup.targets[number]
    unit_state.copy_to_record(setup.target[0], setup.sides[1 - setup.strikes[number].striker], struck)
    set_target(setup.attack[0], setup.target[0], setup.fight[0])


@step
def highest_passing_card(setup: Setup, number: int, struck: int) -> int:
    """Return the highest card that passes the separate suppression test of a shot; ANY_CARD if no test is due."""
    if not struck & unit_state.TEST_DUE or unit_state.is_removed(struck):
        return ANY_CARD
    set_test(setup, number, struck)
    fight = setup.fight[0]
    lost = fight.models if struck & unit_state.AFTER_HEAVY_LOSSES else 0
    return int(highest_card_of_test(fight, lost, fight.disordered))


@step
def after_test(setup: Setup, number: int, struck: int, passed: bool) -> int:
    """Return the struck unit's state after the separate suppression test of a shot; unchanged if no test is due."""
    if not struck & unit_state.TEST_DUE or unit_state.is_removed(struck):
        return struck
    state = struck & ~(unit_state.TEST_DUE | unit_state.AFTER_HEAVY_LOSSES)
    if passed:
        return state
    set_test(setup, number, state)
    strike, fight = setup.strikes[number], setup.fight[0]
    side = setup.sides[1 - strike.striker]
    outcome = outcome_if_failed(fight, 0, fight.damage, fight.disordered)
    after = unit_state.after_attack(state, outcome, side, 0)
    if unit_state.is_removed(after):
        return after if strike.by_blast else special_rules.skip_die_after_shot(after, side)
    return special_rules.mark_building(after, side) if strike.attacks_building else after


@step
def after_attack(setup: Setup, number: int, struck: int, outcome: int) -> int:
    """Return the struck unit's state after an attack with this outcome."""
    strike = setup.strikes[number]
    side, attack = setup.sides[1 - strike.striker], setup.attacks[number]
    state = resolution.target_after(strike, attack, side, struck, outcome)
    if strike.separate_test and not unit_state.is_removed(state):
        left, models = unit_state.models_of(state), unit_state.models_of(struck)
        state |= unit_state.TEST_DUE if left < models else 0
        state |= unit_state.AFTER_HEAVY_LOSSES if 2 * (models - left) >= models else 0
    if strike.attacks_building:
        state = special_rules.mark_building(state, side)
    if strike.before_throw and not unit_state.is_removed(state):
        state |= unit_state.MARKED if unit_state.models_of(state) < unit_state.models_of(struck) else 0
    shot = not attack.close_quarters and not strike.by_blast
    return special_rules.skip_die_after_shot(state, side) if shot and not strike.in_combat else state


@step
def after_striking(setup: Setup, number: int, striker: int, struck: int, losses: tuple[int, int]) -> int:
    """Return the striker's state after its attack; `struck` is the target's state after the attack."""
    strike = setup.strikes[number]
    side = setup.sides[strike.striker]
    return int(resolution.attacker_after(strike, setup.attacks[number], side, (striker, struck), losses))
