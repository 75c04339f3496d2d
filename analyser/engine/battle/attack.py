"""Strikes in a battle: dice, damage, officer, suppression test, and the effects on both units (AC-3 to AC-5)."""

from __future__ import annotations

from analyser.common.jit import step
from analyser.engine.battle.battle_data import CONDITIONS, Battle, cell_of, condition_of, side_of
from analyser.engine.battle.log import Event, record
from analyser.engine.battle.losses import NO_UNIT, passes, set_state
from analyser.engine.battle.positions import is_commanded
from analyser.engine.battle.random_draws import draw_test_card
from analyser.engine.battle.transports import take_passenger_test
from analyser.engine.pool.alias import draw_value
from analyser.engine.rng import next_word, uniform_below
from analyser.rules import combat_result, unit_state
from analyser.rules import strike as resolution
from analyser.rules.attack import damage_points, scores_for, set_target
from analyser.rules.discipline import FELL_BACK, SUPPRESSED
from analyser.rules.house_rules import effects_on
from analyser.rules.strike import Stage
from analyser.rules.structs import NONE, FightFacts, Penalty, Test


@step
def does_penalty_count(battle: Battle, number: int, short: bool, penalty: int) -> bool:
    """Return True if a penalty counts for a strike; house rules can make a strike ignore it."""
    tables = battle.tables
    return effects_on(tables.attacks[number], tables.targets[number], 1 if short else 0).ignores & penalty == 0


@step
def condition_for(battle: Battle, number: int, striker: int, struck: int, short: bool, shift: int) -> int:
    """Return the condition of a strike (`condition_of`); `shift`: bonuses less penalties, not counting suppression."""
    field = battle.field
    if battle.tables.strikes[number].fixed_dice == NONE and field.states[striker] & SUPPRESSED:
        shift -= 1 if does_penalty_count(battle, number, short, Penalty.SUPPRESSED.value) else 0
    covered = field.states[struck] & unit_state.TAKING_COVER != 0
    return condition_of(covered, shift)


@step
def pool_for(battle: Battle, number: int, state: int, short: bool, condition: int) -> int:
    """Return the index in `Tables` of a strike's pool; 0 (no dice) if the armaments table has none (AC-2.4, AC-3.2)."""
    tables = battle.tables
    facts = tables.strikes[number]
    count = 0
    if facts.fixed_dice == NONE:
        count = unit_state.damage_of(state) if facts.by_damage else unit_state.models_of(state)
    return int(tables.pool_of[tables.first_cell[number] + cell_of(count, short, condition)])


@step
def strike(battle: Battle, number: int, striker: int, struck: int, short: bool, shift: int) -> bool:
    """Make a strike; return True if it has dice.

    `shift`: number of bonuses less number of penalties, not counting short range and suppression (AC-3.1).
    """
    field, tables = battle.field, battle.tables
    facts, attack = tables.strikes[number], tables.attacks[number]
    condition = condition_for(battle, number, striker, struck, short, shift + (1 if short else 0))
    pool = pool_for(battle, number, int(field.states[striker]), short, condition)
    condition += CONDITIONS if short else 0
    if pool == 0:
        return False
    if not facts.in_combat:
        field.lost_aboard = 0
    fight = set_fight(battle, number, striker, struck, condition)
    progress = draw_strike(battle, number, striker, struck, pool)
    outcome = resolution.outcome_of(fight, progress)
    destroyed, own = resolution.models_destroyed_by_roll(progress), resolution.own_losses(progress)
    takes_test = fight.test != Test.NOT_TAKEN and field.units[struck].discipline != NONE  # NONE: it is Irrepressible
    after = resolution.target_after(facts, attack, field.sides[struck], int(field.states[struck]), outcome)
    set_state(battle, struck, striker, after, 1 if outcome & FELL_BACK else 0)
    if destroyed and takes_test and battle.setup.has_transports and not unit_state.is_removed(after):
        take_passenger_test(battle, struck, striker, combat_result.record_qualities(0, attack))
    states = (int(field.states[striker]), int(field.states[struck]))
    after = resolution.attacker_after(facts, attack, field.sides[striker], states, own)
    lost = min(own[0], unit_state.models_of(states[0])) if attack.overcharge and facts.pays_overcharge else 0
    if lost:
        record(battle, Event.OWN_LOSS, striker, striker, lost, 0, 0)
        set_state(battle, striker, NO_UNIT, after, 0)
    else:
        field.states[striker] = after
    return True


@step
def draw_strike(battle: Battle, number: int, striker: int, struck: int, pool: int) -> int:
    """Make all draws of the strike in the record `field.fight`; return its progress (:mod:`analyser.rules.strike`)."""
    field, tables, fight = battle.field, battle.tables, battle.field.fight[0]
    progress = resolution.start_of_strike(fight)
    if resolution.stage_of(progress) == Stage.CARD:  # the card adds dice; the next pools have 1, 2, ... more dice
        card = draw_test_card(battle.setup, field, side_of(striker))
        record(battle, Event.CARD_DICE, striker, struck, card, 0, 0)
        pool += card
    score = draw_value(tables.alias, tables.first[pool], tables.bits[pool], next_word(field))
    fight.dice = int(tables.dice[pool])
    scores = scores_for(fight, fight.dice)
    progress = resolution.after_roll(fight, scores, score)
    points = damage_points(fight, scores, score)
    record(battle, Event.ATTACKED, striker, struck, number, points, resolution.models_destroyed_by_roll(progress))
    if resolution.stage_of(progress) == Stage.OFFICER:
        destroyed, positions = resolution.officer_positions(fight, progress)
        progress = resolution.after_draw(fight, progress, 1 if uniform_below(field, positions) < destroyed else 0)
    if resolution.stage_of(progress) == Stage.TEST:
        passed = passes(battle, struck, resolution.highest_card(fight, progress), 0)
        progress = resolution.after_draw(fight, progress, 1 if passed else 0)
    return progress


@step
def set_fight(battle: Battle, number: int, striker: int, struck: int, condition: int) -> FightFacts:
    """Fill and return the record `field.fight` for a strike of a unit on another unit in their current states.

    The fields that `set_pool` sets come from the table `fights`; `set_target` sets the others from the states.
    """
    field = battle.field
    field.fight[0] = battle.tables.fights[number, condition]
    fight: FightFacts = field.fight[0]
    target = field.targets[number]
    unit_state.copy_to_record(target, field.sides[struck], field.states[struck])
    target.near_commander = 1 if is_commanded(battle, struck) else 0
    set_target(battle.tables.attacks[number], target, fight)
    fight.attacker_damage = unit_state.damage_of(field.states[striker])
    return fight
