"""One strike: dice, damage, the officer, the suppression test, and what becomes of both units (AC-3 to AC-5)."""

from __future__ import annotations

from analyser.common.jit import step
from analyser.engine.battle.chance import roll, test_card
from analyser.engine.battle.log import Event, note
from analyser.engine.battle.losses import NOBODY, passes, settle
from analyser.engine.battle.space import is_commanded
from analyser.engine.battle.tables import Battle, cell_of, condition_of, side_of
from analyser.engine.battle.transports import test_aboard
from analyser.engine.rng import one_of
from analyser.rules import close_quarters, unit_state
from analyser.rules import strike as resolution
from analyser.rules.attack import losses_of, points_of, scores_for, set_target
from analyser.rules.discipline import ANNIHILATED, DAMAGE, FELL_BACK, SUPPRESSED
from analyser.rules.strike import Stage
from analyser.rules.structs import NONE, FightFacts, Test

_MOST_SHIFT = 2


@step
def condition_for(battle: Battle, number: int, striker: int, struck: int, shift: int) -> int:
    """Return the place of the fight of a strike; `shift`: bonuses less penalties beside suppressed (AC-3.1)."""
    field = battle.field
    if battle.tables.strikes[number].fixed_dice == NONE and field.states[striker] & SUPPRESSED:
        shift -= 1
    covered = field.states[struck] & unit_state.TAKING_COVER != 0
    return condition_of(covered, min(max(shift, -_MOST_SHIFT), _MOST_SHIFT))


@step
def pool_for(battle: Battle, number: int, state: int, short: bool, condition: int) -> int:
    """The pool of a strike; 0 where the grid gives no dice (AC-2.4, AC-3.2)."""
    tables = battle.tables
    facts = tables.strikes[number]
    count = 0
    if facts.fixed_dice == NONE:
        count = unit_state.damage_of(state) if facts.by_damage else unit_state.models_of(state)
    return int(tables.pool_of[tables.first_cell[number] + cell_of(count, short, condition)])


@step
def strike(battle: Battle, number: int, striker: int, struck: int, short: bool, shift: int) -> bool:
    """Make a strike; `shift`: bonuses less penalties beside short range and suppressed (AC-3.1).

    Whether there were dice for it.
    """
    field, tables = battle.field, battle.tables
    facts = tables.strikes[number]
    condition = condition_for(battle, number, striker, struck, shift + (1 if short else 0))
    pool = pool_for(battle, number, int(field.states[striker]), short, condition)
    if pool == 0:
        return False
    if tables.attacks[number].overcharge:  # so many dice more, or of a Throw so many
        card = test_card(battle.encoding, field, side_of(striker))
        note(battle, Event.CARD_DICE, striker, struck, card, 0, 0)
        pool += card
    score = roll(tables, field, pool)
    fight = set_fight(battle, number, striker, struck, condition)
    fight.dice = int(tables.dice[pool])
    scores = scores_for(fight, fight.dice)
    destroyed, left, own_destroyed, own_left = losses_of(fight, scores, score)
    note(battle, Event.ATTACKED, striker, struck, number, points_of(fight, scores, score), destroyed)
    if destroyed == 0:
        field.states[struck] += (left - fight.damage) << DAMAGE
    else:
        field.lost_aboard = 0 if facts.counts == 0 else field.lost_aboard
        tested = lose(battle, fight, struck, striker, (destroyed, left), facts.counts)
        if tested and battle.encoding.has_transports:
            qualities = close_quarters.struck_by(0, tables.attacks[number])
            test_aboard(battle, struck, striker, qualities)
    if facts.counts:
        field.states[struck] = close_quarters.struck_by(field.states[struck], tables.attacks[number])
    if facts.by_lookout:
        field.states[striker] &= ~unit_state.ON_LOOKOUT
    if facts.reloads:
        field.states[striker] |= unit_state.RELOADING
    if tables.attacks[number].overcharge and facts.bears_blanks:
        suffer_blanks(battle, number, striker, struck, (own_destroyed, own_left))
    return True


@step
def set_fight(battle: Battle, number: int, striker: int, struck: int, condition: int) -> FightFacts:
    """Return the scratch fight, filled with a strike of a unit on another one as both stand.

    What the rules say of its pool depends on the condition alone, all else on how the units stand.
    """
    field = battle.field
    field.fight[0] = battle.tables.fights[number, condition]
    fight: FightFacts = field.fight[0]
    target = field.targets[number]
    unit_state.put_into(target, field.sides[struck], field.states[struck])
    target.near_commander = 1 if is_commanded(battle, struck) else 0
    set_target(battle.tables.attacks[number], target, fight)
    fight.attacker_damage = unit_state.damage_of(field.states[striker])
    return fight


@step
def lose(battle: Battle, fight: FightFacts, struck: int, striker: int, losses: tuple[int, int], counts: int) -> bool:
    """What becomes of a unit that loses models: its officer, its test (AC-5); `striker`: to whom that is due.

    `losses`: models destroyed, and damage left. Whether a test was due, and it is still there.
    """
    field, theirs = battle.field, int(battle.field.states[struck])
    known = resolution.after_losses(fight, (*losses, 0, 0))
    if resolution.stage_of(known) == Stage.OFFICER:
        places, of = resolution.officer_among(fight, known)
        known = resolution.answered(fight, known, 1 if one_of(field, of) < places else 0)
    if resolution.stage_of(known) == Stage.TEST:
        passed = passes(battle, struck, resolution.highest_card(fight, known), 0)
        known = resolution.answered(fight, known, 1 if passed else 0)
    outcome = resolution.outcome_of(fight, known)
    after = unit_state.carried_over(theirs, outcome, field.sides[struck], counts)
    settle(battle, struck, striker, after, 1 if outcome & FELL_BACK else 0)
    takes_none = fight.test == Test.NOT_TAKEN or field.units[struck].discipline == NONE  # Irrepressible or not
    return not takes_none and not unit_state.is_removed(after)


@step
def suffer_blanks(battle: Battle, number: int, striker: int, struck: int, losses: tuple[int, int]) -> None:
    """What the blanks of its own attack cost a unit: models destroyed, and damage left (Overcharge, AC-6)."""
    field, state = battle.field, int(battle.field.states[striker])
    if unit_state.is_removed(state):
        return
    destroyed, left = losses
    models, damage = unit_state.models_of(state), unit_state.damage_of(state)
    if destroyed:
        note(battle, Event.OWN_LOSS, striker, striker, min(destroyed, models), 0, 0)
    if destroyed < models:
        after = state - destroyed + ((left - damage) << DAMAGE)
    else:
        after = unit_state.removed_state(state, field.sides[striker], models, ANNIHILATED)
        if battle.tables.strikes[number].counts and not unit_state.is_removed(field.states[struck]):
            after |= close_quarters.FELL_IN_COMBAT | unit_state.BY_OWN_BLANKS
    settle(battle, striker, NOBODY, after, 0)
