"""Operations of a program other than strikes: their draws and effects; `mine` is the state of the operation's side."""

from __future__ import annotations

from analyser.common.jit import step
from analyser.engine.fight import strikes
from analyser.engine.fight.program import ON_PURPOSE, Kind, Op, Pair, Setup, When, unpack_order
from analyser.rules import activation, combat_result, discipline, special_rules, unit_state
from analyser.rules.activation import Order
from analyser.rules.draws import Draw, test_draw
from analyser.rules.policies import Action, Manoeuvre, View, allowed_decision, is_double_time, leaves_building
from analyser.rules.policy_lines import decide
from analyser.rules.structs import NONE, FightFacts


@step
def can_begin(number: int, state: int, other: int) -> bool:
    """Return True if the enemy is not removed, and the toss puts the unit's activation here in the round."""
    return not unit_state.is_removed(other) and (
        number == When.ALWAYS or (number == 1) == (state & unit_state.IS_FIRST != 0)
    )


@step
def draw_unless_certain(draw: int, highest: int) -> tuple[int, int]:
    """Return the draw of a test that cards up to `highest` pass; Draw.NOTHING if all cards pass, or all fail."""
    return (Draw.NOTHING if abs(highest) == discipline.ANY_CARD else draw), highest


@step
def required_draw(setup: Setup, operation: Op, pair: Pair) -> tuple[int, int]:
    """Return the draw that decides the operation, and the highest card that passes its test (0 for a coin or a die)."""
    kind, side, number = operation
    if kind & ON_PURPOSE:
        return Draw.NOTHING, discipline.NO_CARD
    mine, theirs = (pair[0], pair[1]) if side == 0 else (pair[1], pair[0])
    if kind == Kind.BEGIN and can_begin(number, mine, theirs):
        activated = activation.start_activation(mine, setup.units[side])
        return draw_unless_certain(test_draw(side), activation.highest_rally_card(activated, setup.units[side]))
    if kind == Kind.TOSS:
        return Draw.COIN, 0
    if kind == Kind.TEST_SHOT:
        return draw_unless_certain(test_draw(side), strikes.highest_passing_card(setup, number, mine))
    if kind == Kind.ROLL_BUILDING_DIE and special_rules.is_building_die_due(mine, setup.sides[side]):
        return Draw.STRIKE_DIE, 0
    if kind == Kind.ROLL_DEMISE_DIE and special_rules.is_demise_die_due(mine, setup.sides[side]):
        length = special_rules.distance_of_enemy(mine, theirs, setup.sides[side], setup.sides[1 - side])
        if length <= special_rules.HEROIC_REACH:
            return (Draw.STRIKE_DIE if length <= special_rules.STRIKE_REACH else Draw.HEROIC_DIE), 0
    if kind == Kind.ROLL_PANIC_DIE and special_rules.causes_panic(mine):
        length = special_rules.distance_of_enemy(mine, theirs, setup.sides[side], setup.sides[1 - side])
        return (Draw.MISS_DIE if length <= special_rules.STRIKE_REACH else Draw.MISS_OR_STRIKE_DIE), 0
    if kind == Kind.TEST_PANIC and special_rules.causes_panic(theirs) and not unit_state.is_removed(mine):
        fight = losers_test_fight(setup, side, mine)
        return draw_unless_certain(test_draw(side), discipline.highest_card_of_test(fight, 0, fight.disordered))
    if kind == Kind.RESOLVE:
        return losers_draw(setup, side, pair)
    if kind == Kind.TEST_PASSENGERS and tests_passengers(setup, side, pair):
        fight = passengers_test_fight(setup, side, mine)
        lost = combat_result.passengers_lost(mine, setup.sides[side])
        return draw_unless_certain(test_draw(side), discipline.highest_card_of_test(fight, lost, fight.disordered))
    return Draw.NOTHING, discipline.ANY_CARD


@step
def result_of_combat(setup: Setup, active: int, pair: Pair) -> int:
    """Return the winner of the combat of the active side (:func:`~.combat_result.winner_if_fought`)."""
    mine, theirs = (pair[0], pair[1]) if active == 0 else (pair[1], pair[0])
    if not combat_result.in_combat(mine):
        return combat_result.NOT_FOUGHT
    return combat_result.winner_if_fought(mine, theirs, (setup.sides[active], setup.sides[1 - active]))


@step
def losers_draw(setup: Setup, active: int, pair: Pair) -> tuple[int, int]:
    """Return the draw that decides the test of the combat's loser (AC-8.5), and the highest card that passes."""
    won_by = result_of_combat(setup, active, pair)
    lost_by = 1 - active if won_by == combat_result.ACTIVE else active
    state, side = (pair[0] if lost_by == 0 else pair[1]), setup.sides[lost_by]
    if won_by not in (combat_result.NO_WINNER, combat_result.NOT_FOUGHT) and not unit_state.is_removed(state):
        withdrawn = combat_result.withdraw_loser(state, side)
        if not unit_state.is_removed(withdrawn):
            fight = losers_test_fight(setup, lost_by, withdrawn)
            highest = discipline.highest_passing_card(fight, unit_state.models_lost(withdrawn), fight.disordered)
            return draw_unless_certain(test_draw(lost_by), highest)
    return Draw.NOTHING, discipline.ANY_CARD


@step
def losers_test_fight(setup: Setup, side: int, withdrawn: int) -> FightFacts:
    """Fill and return the record `setup.fight[0]` for the test of a loser; `withdrawn`: its state after withdrawing."""
    setup.target[0], fight = setup.units[side], setup.fight[0]
    combat_result.set_losers_test(fight, setup.target[0], setup.attack[0], setup.sides[side], withdrawn)
    return fight  # type: ignore[no-any-return]


@step
def passengers_test_fight(setup: Setup, side: int, state: int) -> FightFacts:
    """Fill and return the record `setup.fight[0]` for the test of the passengers of a transport in `state`."""
    setup.target[0], fight = setup.passengers[side], setup.fight[0]
    combat_result.set_passengers_test(fight, setup.target[0], setup.attack[0], setup.sides[side], state)
    return fight  # type: ignore[no-any-return]


@step
def tests_passengers(setup: Setup, side: int, pair: Pair) -> bool:
    """Return True if the transport of `side` survived a test for a lost combat or a blast just now (AC-5.10)."""
    mine, theirs = (pair[0], pair[1]) if side == 0 else (pair[1], pair[0])
    if unit_state.is_removed(mine) or setup.units[side].discipline == NONE:
        return False
    if combat_result.passengers_left(setup.sides[side], unit_state.models_of(mine)) == 0:
        return False
    if special_rules.causes_panic(theirs):
        return True
    if unit_state.models_lost(mine) == 0:
        return False
    if unit_state.is_removed(theirs):  # it has lost the combat, so only its blast causes a test
        return theirs & special_rules.DIE_ROLLED != 0
    return unit_state.order_of(mine) == Order.LOST or unit_state.order_of(theirs) in (Order.WON, Order.OVERRUN)


@step
def apply(setup: Setup, operation: Op, pair: Pair, passed: bool) -> tuple[int, int]:
    """Return the states of side 0 and side 1 after the operation; `passed`: True if its draw is a success."""
    kind, side, number = operation
    if kind & ON_PURPOSE:
        kind, passed = kind ^ ON_PURPOSE, False
        operation = (kind, side, number)
    if kind == Kind.TOSS:
        return (pair[0] | unit_state.IS_FIRST, pair[1]) if passed else (pair[0], pair[1] | unit_state.IS_FIRST)
    mine, theirs = (pair[0], pair[1]) if side == 0 else (pair[1], pair[0])
    facts, other = setup.sides[side], setup.sides[1 - side]
    if kind == Kind.RESOLVE:
        mine, theirs = resolve_combat(setup, side, pair, passed)
    elif kind == Kind.ENGAGE and combat_result.in_combat(mine):
        mine = combat_result.enter_contact(mine, facts, setup.units[side])
        theirs = combat_result.enter_contact(theirs, other, setup.units[1 - side])
        mine = unit_state.move(mine, facts, max(activation.distance_between(mine, theirs, facts, other), 0))
    elif kind == Kind.SPREAD_FUMES and not unit_state.is_removed(mine) and not unit_state.is_removed(theirs):
        mine = activation.apply_fumes(mine, theirs, facts, other)
        theirs = activation.apply_fumes(theirs, mine, other, facts)
    elif kind == Kind.TEST_PANIC and special_rules.causes_panic(theirs):
        if not facts.passengers:  # their test, which follows, reads the bit
            theirs = special_rules.end_effect(theirs, special_rules.PANIC, other)
        mine = apply_test(setup, side, mine, passed)
    elif kind == Kind.ROLL_DEMISE_DIE and special_rules.is_demise_die_due(mine, facts):
        mine = special_rules.after_demise_die(
            mine, passed, special_rules.distance_of_enemy(mine, theirs, facts, other), facts
        )
    elif kind == Kind.ROLL_PANIC_DIE and special_rules.causes_panic(mine):
        mine = mine if passed else special_rules.end_effect(mine, special_rules.PANIC, facts)
    elif kind in (Kind.GIVE_ORDERS, Kind.ORDER):
        mine = follow_orders(setup, operation, mine, theirs)
    elif kind == Kind.RUN_AMOK and special_rules.damages_enemy(mine, theirs, (facts, other), setup.units[1 - side]):
        theirs = special_rules.take_damage(theirs, other, setup.units[1 - side].damage_limit)
        mine = special_rules.lose_model(mine, facts)
    elif kind == Kind.BEGIN and can_begin(number, mine, theirs):
        mine = activation.start_activation(mine, setup.units[side]) | (0 if passed else unit_state.RALLY_FAILED)
    elif kind == Kind.NEXT_ATTACKER:
        mine = unit_state.state_of_next_attacker(setup.attacks[number])
    elif not unit_state.is_removed(mine) or kind == Kind.END:
        mine = apply_to_one_side(setup, operation, mine, passed)
    return (mine, theirs) if side == 0 else (theirs, mine)


@step
def apply_to_one_side(setup: Setup, operation: Op, state: int, passed: bool) -> int:
    """Return the state after an operation that reads and changes only this side; only END changes a removed unit."""
    kind, side, number = operation
    if kind == Kind.END:
        return activation.end_activation(state, setup.units[side])
    if kind == Kind.ROLL_BUILDING_DIE:
        wrecked = passed and special_rules.is_building_die_due(state, setup.sides[side])
        return special_rules.after_building_die(state, setup.sides[side], wrecked)
    if kind == Kind.TEST_PASSENGERS and not passed:
        return combat_result.fail_passengers_test(passengers_test_fight(setup, side, state), state, setup.sides[side])
    if kind == Kind.TEST_SHOT:
        return strikes.after_test(setup, number, state, passed)
    if kind == Kind.END_COMBAT:
        return state & ~combat_result.COMBAT_FLAGS
    if kind == Kind.DECLINE_OVERRUN and unit_state.order_of(state) == Order.OVERRUN:
        return unit_state.with_order(state, Order.WON)
    if kind == Kind.CLEAR_MARK:
        return state & ~unit_state.MARKED
    return state & ~activation.ROUND_FLAGS if kind == Kind.END_ROUND else state


@step
def apply_test(setup: Setup, side: int, state: int, passed: bool) -> int:
    """Return the state after the test for a lost combat (AC-8.5) or a Spectacular Demise (AC-7)."""
    if passed or unit_state.is_removed(state):
        return state
    return combat_result.fail_combat_test(losers_test_fight(setup, side, state), state, setup.sides[side])


@step
def follow_orders(setup: Setup, operation: Op, mine: int, theirs: int) -> int:
    """Return the active unit's state after an ORDER, or after its policy's orders (GIVE_ORDERS).

    The state is unchanged if the unit awaits no orders, or if the enemy is removed.
    """
    if not activation.awaits_orders(mine) or unit_state.is_removed(theirs):
        return mine
    kind, side, strike = operation
    manoeuvre, action, stop = 0, 0, 0
    if kind == Kind.ORDER:
        manoeuvre, action, strike, stop = unpack_order(strike)
    view = view_of(setup, (Kind.GIVE_ORDERS, side, strike), mine, theirs)
    if kind != Kind.ORDER:
        manoeuvre, action = policy_decision(setup, operation, view)
    facts, row = setup.sides[side], setup.strikes[max(strike, 0)]
    length = activation.length_moved(manoeuvre, facts, row, view.distance, unit_state.length_to_edge(mine, facts))
    length = activation.length_until_stop(length, stop, view.distance)
    return activation.carry_out_move(mine, (manoeuvre, action), facts, length)


@step
def can_give_order(setup: Setup, operation: Op, mine: int, theirs: int) -> bool:
    """Return True if a unit may get this ORDER (AC-5.6, AC-7), and no other ORDER has the same effect."""
    _, side, number = operation
    manoeuvre, action, strike, stop = unpack_order(number)
    facts = setup.sides[side]
    view, row = view_of(setup, (Kind.GIVE_ORDERS, side, strike), mine, theirs), setup.strikes[max(strike, 0)]
    if action == Action.RE_ARM and not mine & unit_state.RELOADING:
        return False
    charges = manoeuvre == Manoeuvre.CHARGE
    to_edge = unit_state.length_to_edge(mine, facts)
    length = activation.length_moved(manoeuvre, facts, row, view.distance, to_edge)
    if leaves_building(manoeuvre):
        leaves = manoeuvre == Manoeuvre.EXIT or length != 0
        return bool(view.in_building) and leaves and (action == Action.NOTHING or not view.rally_failed)
    if view.must_charge:
        return charges
    if charges:
        return bool(view.can_charge) and not view.in_building and not view.rally_failed
    hampered = view.rally_failed or view.in_building
    if manoeuvre == Manoeuvre.STAY:
        return action != Action.SHOOT or bool(hampered) or setup.attacks[max(strike, 0)].overcharge != 0
    if manoeuvre == Manoeuvre.AIM:
        return not hampered
    held = view.in_building or (view.rally_failed and (action != Action.NOTHING or is_double_time(manoeuvre)))
    if held or length == 0:
        return False
    slower = Manoeuvre.ADVANCE if length > 0 else Manoeuvre.RETIRE
    slower_move = activation.length_moved(slower, facts, row, view.distance, to_edge)
    if stop != 0:
        moved = activation.length_until_stop(length, stop, view.distance)
        return activation.ends_early(moved, length) and (not is_double_time(manoeuvre) or abs(moved) > abs(slower_move))
    return manoeuvre in (Manoeuvre.ADVANCE, Manoeuvre.RETIRE) or length != slower_move


@step
def view_of(setup: Setup, operation: Op, mine: int, theirs: int) -> View:
    """Return the facts on which the active side's policy decides (GIVE_ORDERS)."""
    _, side, number = operation
    distance = activation.distance_between(mine, theirs, setup.sides[side], setup.sides[1 - side])
    return activation.view_of(mine, distance, setup.sides[side], setup.strikes[max(number, 0)], number != NONE)


@step
def policy_decision(setup: Setup, operation: Op, view: View) -> tuple[int, int]:
    """Return the manoeuvre and action of the active side by its policy, as permitted by the rules."""
    return permitted_decision(setup, operation, view, decide(setup.sides[operation[1]].policy, view))


@step
def permitted_decision(setup: Setup, operation: Op, view: View, decision: tuple[int, int]) -> tuple[int, int]:
    """Return a decision, or what is permitted instead in this view; a unit that cannot advance before a shot aims."""
    side, strike = setup.sides[operation[1]], setup.strikes[max(operation[2], 0)]
    manoeuvre, action = allowed_decision(decision[0], decision[1], view)
    advances = action == Action.SHOOT and manoeuvre in (Manoeuvre.ADVANCE, Manoeuvre.CLOSE_IN)
    if advances and activation.length_moved(manoeuvre, side, strike, view.distance, NONE) == 0:
        return Manoeuvre.AIM, action
    return manoeuvre, action


@step
def merge_moves(setup: Setup, pair: Pair) -> tuple[int, int]:
    """Return the pair; if only the distance matters, side 0 stores the moves of both, so that more pairs are equal."""
    side_0, side_1 = setup.sides[0], setup.sides[1]
    if not side_0.tracks_position or not side_1.tracks_position or side_0.distance == NONE:
        return pair[0], pair[1]
    has_edge = side_0.edge_distance != NONE or side_1.edge_distance != NONE
    if has_edge or unit_state.is_removed(pair[0]) or unit_state.is_removed(pair[1]):
        return pair[0], pair[1]
    strides = (pair[1] >> side_1.position_bit) - side_1.origin
    return pair[0] + (strides << side_0.position_bit), pair[1] - (strides << side_1.position_bit)


@step
def resolve_combat(setup: Setup, active: int, pair: Pair, passed: bool) -> tuple[int, int]:
    """Return the states of the active unit and its enemy after the result of their combat (AC-8.5 to AC-8.7)."""
    mine, theirs = (pair[0], pair[1]) if active == 0 else (pair[1], pair[0])
    won_by = result_of_combat(setup, active, pair)
    if won_by == combat_result.NOT_FOUGHT:
        return mine, theirs
    side, other = setup.sides[active], setup.sides[1 - active]
    if won_by == combat_result.ACTIVE:
        theirs = apply_loss(setup, 1 - active, theirs, passed)
        mine = combat_result.count_win(mine, side)
    elif won_by == combat_result.TARGET:
        mine = apply_loss(setup, active, mine, passed)
        theirs = combat_result.count_win(theirs, other)
    elif not unit_state.is_removed(mine):
        mine = combat_result.withdraw(mine, side)
    return combat_result.end_combat(mine, won_by, combat_result.overruns(won_by, mine, theirs, side), side), theirs


@step
def apply_loss(setup: Setup, side: int, state: int, passed: bool) -> int:
    """Return the state of the loser of a combat after its withdrawal and its test (AC-8.5)."""
    if unit_state.is_removed(state):
        return state
    return apply_test(setup, side, combat_result.withdraw_loser(state, setup.sides[side]), passed)
