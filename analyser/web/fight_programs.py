"""Programs of charges and duels from the record of a question, and reasons why a fight is impossible (AC-8, AC-9.2)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from analyser.common.estimates import CERTAIN_WITHIN
from analyser.common.jit import step
from analyser.common.kernel_records import Floats, Integers
from analyser.engine.fight.charge_steps import add_combat, row_for_contact, set_sides_of_charge
from analyser.engine.fight.duel_steps import (
    add_activation,
    add_following_strikes,
    add_orders,
    add_round,
    add_shot,
    add_shot_with_effects,
    most_advance,
    most_set_backs,
    reserve_win_bits,
    set_modifiers,
    set_positions_in_duel,
    set_side_of_duel,
)
from analyser.engine.fight.step_builder import Builder, band_of, begin, strikes_of
from analyser.rules import charge_strikes, shots
from analyser.rules.attack import set_fight
from analyser.rules.policies import Policy
from analyser.rules.shots import can_shoot_with
from analyser.rules.structs import INCH, MOST_INCHES, NONE, Bonus
from analyser.web.attack_answer import DieAndDeck, ranking_figures
from analyser.web.memory_records import MOST_MODELS, MOST_ROWS, Refusal

_FLYING = sum(1 << charge_strikes.TYPES.index(name) for name in ("rotorcraft", "aircraft"))  # bit mask (AC-8.1)
_SHOOTING = 1 << Policy.SHOOT | 1 << Policy.SHORT_RANGE | 1 << Policy.ALL_OUT | 1 << Policy.OVERCHARGE
_FIGURES = 3  # number of figures that rank rows
_FIRST, _SECOND, _REACTION, _ORDERS, _COMBAT = range(1, 6)  # indices of lists in PARTS; 0: list of the round


@step
def band_count(unit: Any) -> int:
    """Return the number that selects the band of a row: models, or the damage on a behemoth (AC-2.3)."""
    return int(shots.band_count(unit.target[0].models, unit.target[0].damage, unit.target[0].behemoth, 0))


@step
def why_no_charge(charger: Any, charged: Any) -> int:
    """Return the refusal if `charger` cannot charge `charged` (AC-8.1, AC-7), else 0."""
    if charger.facts[0].static:
        return Refusal.IS_STATIC.value
    if row_for_contact(charger, 1) == NONE:  # 1: impact rows also count
        return Refusal.NO_ROW_TO_CHARGE_WITH.value
    kind = charged.facts[0].type
    if charged.target[0].aircraft or (kind != NONE and _FLYING >> kind & 1):
        return Refusal.CANNOT_BE_CHARGED.value
    return 0


@step
def why_no_dice(unit: Any, row: int) -> int:
    """Return NO_DICE (a WhyNot) if `row` (NONE: no row) has no dice for the models or damage (AC-2.4), else 0."""
    has_no_dice = row != NONE and band_of(unit.rows[max(row, 0)], band_count(unit)) == NONE
    return shots.WhyNot.NO_DICE.value if has_no_dice else 0


@step
def why_no_combat(charger: Any, charged: Any) -> int:
    """Return NO_DICE if the row for the charge or for the retaliation has no dice (AC-2.4, AC-8.1, AC-8.3), else 0."""
    return why_no_dice(charger, row_for_contact(charger, 1)) or why_no_dice(charged, row_for_contact(charged, 0))


@step
def begin_setup(question: Any, setup: Any) -> None:
    """Set both units and the length of their dice tables, which is 1 + most models (for a behemoth, DAMAGE LIMIT)."""
    most = 0
    for side in range(2):
        state = question.units[side].target[0]
        most = max(most, state.damage_limit if state.behemoth else state.models)
        setup.units[side] = state
    setup.dice_entries = min(most, MOST_MODELS) + 1


@step
def set_charge(builder: Builder) -> int:
    """Build the setup and the operations of a charge by unit 0; return a Refusal or WhyNot, or 0 if it is possible."""
    attacker, target = builder.question.units[0], builder.question.units[1]
    refusal = why_no_charge(attacker, target)
    if attacker.target[0].garrisoned:
        refusal = Refusal.IN_BUILDING.value
    if attacker.facts[0].outflanking and target.target[0].garrisoned:
        refusal = Refusal.FRONT_ALL_ROUND.value
    if refusal == 0:
        refusal = why_no_combat(attacker, target)
    if refusal:
        return refusal
    begin_setup(builder.question, builder.setup)
    add_combat(builder, 0)
    side_out_of_range, _ = set_sides_of_charge(builder)
    for side in range(2):
        builder.setup.sides[side].hunter = 1  # the state counts combats won, which shows who won the first
    return 0 if side_out_of_range == NONE else Refusal.TOO_MANY_POSITIONS.value


class Shooter(NamedTuple):
    """Policy of a side, and the rows that it shoots with."""

    policy: int
    rows: Integers  # (MOST_ROWS,): indices of the rows that it fires when activated, the best first
    n_rows: int  # number of used entries of `rows`
    lookout: int  # index of the row for opportunity fire, or NONE


@step
def usable_rows(unit: Any, category: int, policy: int) -> int:
    """Return a bit mask of the rows that `policy` can fire at a target of this category."""
    rows = 0
    for row in range(unit.n_rows):
        rows |= 1 << row if can_shoot_with(unit.rows[row].facts[0], category, policy) else 0
    return rows


@step
def reactive_rows(unit: Any) -> int:
    """Return a bit mask of the Reactive rows."""
    rows = 0
    for row in range(unit.n_rows):
        rows |= 1 << row if unit.rows[row].facts[0].reactive else 0
    return rows


@step
def rows_in_range(unit: Any, distance: int) -> int:
    """Return a bit mask of the rows that reach `distance`."""
    rows = 0
    for row in range(unit.n_rows):
        rows |= 1 << row if distance == NONE or unit.rows[row].facts[0].long_range >= distance else 0
    return rows


@step
def best_row(builder: Builder, side: int, rows: int, overcharge: int, die_and_deck: DieAndDeck) -> int:
    """Return the index of the row with the best aimed attack among the bit mask `rows`; of equal rows, the first.

    Rows within range take precedence. The ranking is that of :func:`~analyser.scenarios.attack.best_attacks`.
    """
    question = builder.question
    rows = rows & rows_in_range(question.units[side], question.fight[0].distance) or rows
    best, highest = NONE, np.full(_FIGURES, -1.0)
    for row in range(question.units[side].n_rows):
        if not rows >> row & 1:
            continue
        if rows & (rows - 1) == 0:
            return row
        figures = figures_when_aiming(builder, side, row, overcharge, die_and_deck)
        if best == NONE or is_better(figures, highest):
            best, highest = row, figures
    return best


@step
def is_better(figures: Floats, highest: Floats) -> bool:
    """Return True if `figures` is larger than `highest` in the first figure that differs."""
    for index in range(_FIGURES):
        if abs(figures[index] - highest[index]) > CERTAIN_WITHIN:
            return bool(figures[index] > highest[index])
    return False


@step
def figures_when_aiming(builder: Builder, side: int, row: int, overcharge: int, die_and_deck: DieAndDeck) -> Floats:
    """Return :func:`~.attack_answer.ranking_figures` of an aimed attack; all are -1 if the row has no dice."""
    setup, unit, enemy = builder.setup, builder.question.units[side], builder.question.units[1 - side]
    armament, band = unit.rows[row], band_of(unit.rows[row], band_count(unit))
    if band == NONE or armament.bands[band].dice <= 0:
        return np.full(_FIGURES, -1.0)
    setup.attack[0], setup.target[0] = armament.attack[0], enemy.target[0]
    attack = setup.attack[0]
    attack.dice, attack.dice_in_parentheses = armament.bands[band].dice, armament.bands[band].special
    set_modifiers(builder, side, attack)
    attack.bonuses |= Bonus.AIMING
    attack.overcharge = overcharge and armament.facts[0].can_overcharge
    set_fight(attack, setup.target[0], setup.fight[0])
    return ranking_figures(setup.fight[0], die_and_deck)


@step
def policy_of(question: Any, side: int) -> int:
    """Return the stated policy of a side, or the default policy for its armaments."""
    unit, enemy = question.units[side], question.units[1 - side]
    if unit.facts[0].policy != NONE:
        return int(unit.facts[0].policy)
    if usable_rows(unit, enemy.target[0].category, Policy.SHOOT):
        return Policy.SHOOT.value
    cannot_charge = unit.target[0].garrisoned or why_no_charge(unit, enemy)
    return Policy.TAKE_COVER.value if cannot_charge else Policy.CHARGE.value


@step
def shooter_of(builder: Builder, side: int, die_and_deck: DieAndDeck) -> Shooter:
    """Return the policy and the rows of a side (see `scenarios/policies`)."""
    question = builder.question
    unit, category = question.units[side], question.units[1 - side].target[0].category
    policy, named, target = policy_of(question, side), unit.facts[0].row, unit.target[0]
    lookout_rows = usable_rows(unit, category, Policy.LOOKOUT)
    shooting_policy = policy
    if policy == Policy.CHARGE and target.discipline != NONE and not (target.passes_tests or target.hot_headed):
        shooting_policy = Policy.SHOOT.value  # a charger that fails its rally test shoots instead (AC-5.6)
    shooting_rows = usable_rows(unit, category, shooting_policy) if _SHOOTING >> shooting_policy & 1 else 0
    rows, count, lookout = np.full(MOST_ROWS, NONE, np.int64), 0, NONE
    overcharge = 1 if policy == Policy.OVERCHARGE else 0
    if shooting_rows:
        is_named = named != NONE and shooting_rows >> max(named, 0) & 1
        rows[0] = named if is_named else best_row(builder, side, shooting_rows, overcharge, die_and_deck)
        count = 1
        most = max(unit.facts[0].all_out_attack, 1) if shooting_policy == Policy.ALL_OUT else 1
        for row in range(unit.n_rows):
            if count < most and shooting_rows >> row & 1 and row != rows[0]:
                rows[count] = row
                count += 1
    if (policy == Policy.LOOKOUT or unit.facts[0].on_lookout) and lookout_rows:
        can_be_named = usable_rows(unit, category, policy) if _SHOOTING >> policy & 1 else lookout_rows
        lookout = named
        if named == NONE or not can_be_named >> max(named, 0) & 1:
            reactive = lookout_rows & reactive_rows(unit)
            lookout = best_row(builder, side, reactive or lookout_rows, overcharge, die_and_deck)
    return Shooter(policy, rows, count, lookout)


@step
def why_no_duel(question: Any, side: int, shooter: Shooter) -> int:
    """Return the refusal of a side that cannot carry out its policy; 0 if it can."""
    unit, enemy, policy = question.units[side], question.units[1 - side], shooter.policy
    if unit.target[0].aircraft:
        return Refusal.AIRCRAFT.value
    if unit.facts[0].edge_distance > MOST_INCHES * INCH:
        return Refusal.TOO_MANY_POSITIONS.value
    if policy == Policy.CHARGE:
        refusal = why_no_charge(unit, enemy)
        if refusal:
            return refusal
    elif policy != Policy.TAKE_COVER:
        rows, named = usable_rows(unit, enemy.target[0].category, policy), unit.facts[0].row
        if not rows or (named != NONE and not rows >> max(named, 0) & 1):
            return Refusal.NO_ROW_TO_SHOOT_WITH.value
        if policy == Policy.ALL_OUT and not unit.facts[0].all_out_attack:
            return Refusal.NO_ALL_OUT_ATTACK.value
    if may_charge(question, side, policy) and why_no_combat(unit, enemy):
        return shots.WhyNot.NO_DICE.value
    main_row = NONE if policy == Policy.CHARGE else shooter.rows[0]
    return why_no_dice(unit, main_row) or why_no_dice(unit, shooter.lookout)


@step
def may_charge(question: Any, side: int, policy: int) -> bool:
    """Return True if the side may charge, by its policy or by a rule (Berserk, Run Amok of AC-7)."""
    facts = question.units[side].facts[0]
    if policy == Policy.CHARGE:
        return True
    return (facts.berserk or facts.run_amok) and not why_no_charge(question.units[side], question.units[1 - side])


@step
def must_rearm(question: Any, side: int, shooter: Shooter) -> int:
    """Return 1 if the side must re-arm before it shoots or goes on lookout again (Slow to Fire), else 0."""
    row = shooter.lookout if shooter.policy == Policy.LOOKOUT else shooter.rows[0]
    return 1 if row != NONE and question.units[side].rows[max(row, 0)].facts[0].slow_to_fire else 0


@step
def add_activation_of(builder: Builder, side: int, shooter: Shooter, enemy: Shooter) -> None:
    """Append the operations of an activation of a side, except BEGIN."""
    first = strikes_of(builder)
    for index in range(shooter.n_rows):
        overcharge = 1 if shooter.policy == Policy.OVERCHARGE else 0
        add_shot(builder, side, shooter.rows[index], 0, overcharge, 1 if index == 0 else 0)
    lookout = NONE if enemy.lookout == NONE else add_shot(builder, 1 - side, enemy.lookout, 1, 0, 1)
    strikes = add_following_strikes(builder)
    question, setup, parts = builder.question, builder.setup, builder.parts
    reaction, orders = Builder(question, setup, parts, _REACTION), Builder(question, setup, parts, _ORDERS)
    combat = Builder(question, setup, parts, _COMBAT)
    begin(reaction)
    begin(orders)
    begin(combat)
    if lookout != NONE:
        add_shot_with_effects(reaction, side, lookout, strikes)
    if builder.setup.sides[side].charges:
        add_combat(combat, side)
    add_orders(orders, side, (first, shooter.n_rows), strikes, combat)
    add_activation(builder, side, reaction, orders, strikes)


@step
def set_duel(builder: Builder, shooters: tuple[Shooter, Shooter]) -> int:
    """Build the setup of a duel and the operations of a round; return a Refusal or WhyNot, or 0 if it is possible."""
    question, setup = builder.question, builder.setup
    for side in range(2):
        refusal = why_no_duel(question, side, shooters[0] if side == 0 else shooters[1])
        if refusal:
            return refusal
    begin_setup(question, setup)
    advances, short_ranges = np.zeros(2, np.int64), np.zeros(2, np.int64)
    for side in range(2):
        shooter = shooters[0] if side == 0 else shooters[1]
        charges = 1 if may_charge(question, side, shooter.policy) else 0
        set_side_of_duel(builder, side, shooter.policy, charges, must_rearm(question, side, shooter))
        advances[side] = question.fight[0].rounds * most_advance(setup.sides[side], charges)
        if shooter.policy == Policy.SHORT_RANGE and shooter.rows[0] != NONE:
            row = question.units[side].rows[shooter.rows[0]].facts[0]
            short_ranges[side] = row.long_range if row.short_range == NONE else row.short_range
    reserve_win_bits(builder)
    first, second = (Builder(question, setup, builder.parts, _FIRST), Builder(question, setup, builder.parts, _SECOND))
    begin(first)
    begin(second)
    add_activation_of(first, 0, shooters[0], shooters[1])
    add_activation_of(second, 1, shooters[1], shooters[0])
    parts = first, second
    add_round(builder, parts, question.fight[0].first)
    side_out_of_range, _ = set_positions_in_duel(builder, most_set_backs(builder, parts), advances, short_ranges)
    return 0 if side_out_of_range == NONE else Refusal.TOO_MANY_POSITIONS.value
