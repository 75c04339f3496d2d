"""One strike: dice, damage, the officer, the suppression test, and what becomes of both units (AC-3 to AC-5)."""

from __future__ import annotations

from analyser.common.jit import step
from analyser.engine.battle.chance import blanks_of, one_of, points_of, roll, test_card
from analyser.engine.battle.log import Event, note
from analyser.engine.battle.losses import NOBODY, passes, settle
from analyser.engine.battle.space import is_commanded
from analyser.engine.battle.tables import Battle, cell_of, side_of
from analyser.engine.battle.transports import test_aboard
from analyser.rules import close_quarters, discipline, unit_state
from analyser.rules.attack import destroy_models, penetrate
from analyser.rules.discipline import ANNIHILATED, DAMAGE, DISORDERED, FELL_BACK, SUPPRESSED
from analyser.rules.structs import NONE, FightFacts, Test
from analyser.rules.unit_state import FALL_BACK

_MOST_SHIFT = 2


@step
def pool_for(battle: Battle, number: int, state: int, short: bool, covered: bool, shift: int) -> int:
    """The pool of a strike; 0 where the grid gives no dice (AC-2.4, AC-3.2)."""
    tables = battle.tables
    facts = tables.strikes[number]
    count = 0
    if facts.fixed_dice == NONE:
        count = unit_state.damage_of(state) if facts.by_damage else unit_state.models_of(state)
        shift -= 1 if state & SUPPRESSED else 0
    shift = min(max(shift, -_MOST_SHIFT), _MOST_SHIFT)
    return int(tables.pool_of[tables.first_cell[number] + cell_of(count, short, covered, shift)])


@step
def strike(battle: Battle, number: int, striker: int, struck: int, short: bool, shift: int) -> bool:
    """Make a strike; `shift`: bonuses less penalties beside short range and suppressed (AC-3.1).

    Whether there were dice for it.
    """
    field, tables = battle.field, battle.tables
    facts = tables.strikes[number]
    mine, theirs = int(field.states[striker]), int(field.states[struck])
    covered = theirs & unit_state.TAKING_COVER != 0
    pool = pool_for(battle, number, mine, short, covered, shift + (1 if short else 0))
    if pool == 0:
        return False
    if tables.attacks[number].overcharge:  # so many dice more, or of a Throw so many
        card = test_card(battle.encoding, field, side_of(striker))
        note(battle, Event.CARD_DICE, striker, struck, card, 0, 0)
        pool += card
    rolled = roll(tables, field, pool)
    points, models, damage = points_of(rolled), unit_state.models_of(theirs), unit_state.damage_of(theirs)
    limit = tables.fights[number].damage_limit
    destroyed, left = destroy_models(damage, points, limit, models)
    if tables.fights[number].penetrating:
        set_fight(battle, number, struck)
        destroyed, left = penetrate(field.fight[0], destroyed, left, points)
    note(battle, Event.ATTACKED, striker, struck, number, points, destroyed)
    if destroyed == 0:
        field.states[struck] = theirs + ((left - damage) << DAMAGE)
    else:
        set_fight(battle, number, struck)
        field.lost_aboard = 0 if facts.counts == 0 else field.lost_aboard
        tested = lose(battle, field.fight[0], struck, striker, (destroyed, left), facts.counts)
        if tested and battle.encoding.has_transports:
            qualities = close_quarters.struck_by(0, tables.attacks[number])
            test_aboard(battle, struck, striker, qualities)
    if facts.counts:
        field.states[struck] = close_quarters.struck_by(field.states[struck], tables.attacks[number])
    if facts.by_lookout:
        field.states[striker] &= ~unit_state.ON_LOOKOUT
    if facts.reloads:
        field.states[striker] |= unit_state.RELOADING
    if tables.attacks[number].overcharge and facts.bears_blanks and blanks_of(rolled):
        suffer_blanks(battle, number, striker, struck, blanks_of(rolled))
    return True


@step
def set_fight(battle: Battle, number: int, struck: int) -> None:
    """Fill the scratch fight with a strike on a unit as it stands."""
    field = battle.field
    fight, known = field.fight[0], battle.tables.fights[number]
    if field.fought != number:
        fight.damage_limit, fight.penetrating, fight.behemoth = known.damage_limit, known.penetrating, known.behemoth
        fight.test, fight.discipline, fight.break_limit = known.test, known.discipline, known.break_limit
        fight.officer, fight.cryo, fight.models_without_room = known.officer, known.cryo, known.models_without_room
        field.fought = number
    fight.disorders = known.disorders
    set_struck(battle, fight, struck)


@step
def set_struck(battle: Battle, fight: FightFacts, struck: int) -> None:
    """Bring a unit as it stands into a fight."""
    field, state = battle.field, int(battle.field.states[struck])
    fight.models = fight.most_destroyed = unit_state.models_of(state)
    fight.damage = unit_state.damage_of(state)
    fight.suppressed = 1 if state & SUPPRESSED else 0
    fight.disordered = 1 if state & DISORDERED else 0
    fight.activated = 1 if state & discipline.ACTIVATED else 0
    fight.flees = 1 if field.sides[struck].edge_distance <= FALL_BACK else 0
    fight.near_commander = 1 if is_commanded(battle, struck) else 0
    if fight.near_commander:
        fight.disorders = 0


@step
def lose(battle: Battle, fight: FightFacts, struck: int, striker: int, losses: tuple[int, int], counts: int) -> bool:
    """What becomes of a unit that loses models: its officer, its test (AC-5); `striker`: to whom that is due.

    `losses`: models destroyed, and damage left. Whether a test was due, and it is still there.
    """
    field, theirs = battle.field, int(battle.field.states[struck])
    destroyed, left = losses
    fallen = 0
    if destroyed < fight.models:
        lost = discipline.places_lost(fight, destroyed)
        if lost > 0:
            fallen = 1 if lost >= fight.models or one_of(field, fight.models) < lost else 0
    disordered = discipline.disordered_by_loss(fight, fallen)
    highest = discipline.passes_up_to(fight, destroyed, disordered)
    if passes(battle, struck, highest, 0):
        outcome = discipline.pass_test(fight, destroyed, left, disordered)
    else:
        outcome = discipline.fail_test(fight, destroyed, left, disordered)
    after = unit_state.carried_over(theirs, outcome, field.sides[struck], counts)
    settle(battle, struck, striker, after, 1 if outcome & FELL_BACK else 0)
    takes_none = fight.test == Test.NOT_TAKEN or field.units[struck].discipline == NONE  # Irrepressible or not
    return not takes_none and not unit_state.is_removed(after)


@step
def suffer_blanks(battle: Battle, number: int, striker: int, struck: int, blanks: int) -> None:
    """What the blanks of its own attack cost a unit (Overcharge, AC-6)."""
    field, state = battle.field, int(battle.field.states[striker])
    if unit_state.is_removed(state):
        return
    models, damage = unit_state.models_of(state), unit_state.damage_of(state)
    destroyed, left = destroy_models(damage, blanks, battle.field.units[striker].damage_limit, models)
    if destroyed:
        note(battle, Event.OWN_LOSS, striker, striker, destroyed, 0, 0)
    if destroyed < models:
        after = state - destroyed + ((left - damage) << DAMAGE)
    else:
        after = unit_state.removed_state(state, field.sides[striker], models, ANNIHILATED)
        if battle.tables.strikes[number].counts and not unit_state.is_removed(field.states[struck]):
            after |= close_quarters.FELL_IN_COMBAT | unit_state.BY_OWN_BLANKS
    settle(battle, striker, NOBODY, after, 0)
