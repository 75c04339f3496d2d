"""Steps of a strike (one attack), which every engine runs: the draw needed next, and its effect (AC-3.7 to AC-6)."""

from __future__ import annotations

from enum import IntEnum

from analyser.common.jit import step
from analyser.rules import combat_result, discipline, special_rules, unit_state
from analyser.rules.attack import Scores, losses_of
from analyser.rules.discipline import ANNIHILATED, ANY_CARD, ATTACKER_DAMAGE, ATTACKER_DESTROYED, BITS, DAMAGE
from analyser.rules.draws import DrawOdds, probability_of, test_draw
from analyser.rules.structs import AttackFacts, FightFacts, SideFacts, StrikeFacts


class Stage(IntEnum):
    """Stage of a strike: the random draw that it needs next. The last two stages need none."""

    CARD = 0  # the attacker's card, whose value is added to its dice (Overcharge, AC-6)
    ROLL = 1  # the score of the attack roll
    OFFICER = 2  # whether the officer is among the models destroyed (AC-5.8)
    TEST = 3  # the suppression test (AC-5.1)
    PASSED = 4
    FAILED = 5


# The progress of a strike is one integer: stage, officer's fate, and the card (before the roll) or losses (after it).
_STAGE_MASK = 7
_OFFICER_FALLEN = 1 << 3
_FIRST_BIT = 4  # lowest bit of the card, or of the losses
_DAMAGE, _OWN_DESTROYED, _OWN_DAMAGE = _FIRST_BIT + BITS, _FIRST_BIT + 2 * BITS, _FIRST_BIT + 3 * BITS
_COUNT = (1 << BITS) - 1  # mask of a number of models or points of damage


@step
def start_of_strike(fight: FightFacts) -> int:
    """Return the progress of a strike before any draw.

    >>> from types import SimpleNamespace
    >>> Stage(start_of_strike(SimpleNamespace(overcharge=1))).name
    'CARD'
    """
    return Stage.CARD.value if fight.overcharge else Stage.ROLL.value


@step
def stage_of(progress: int) -> int:
    """Return the :class:`Stage` of a strike."""
    return progress & _STAGE_MASK


@step
def after_card(card: int) -> int:
    """Return the progress of a strike after the attacker's card (Overcharge, AC-6)."""
    return Stage.ROLL | card << _FIRST_BIT


@step
def card_of(progress: int) -> int:
    """Return the value of the attacker's card, before the roll; 0 if no card is drawn."""
    return progress >> _FIRST_BIT


@step
def models_destroyed_by_roll(progress: int) -> int:
    """Return the number of the target's models destroyed by the roll."""
    return progress >> _FIRST_BIT & _COUNT


@step
def own_losses(progress: int) -> tuple[int, int]:
    """Return the attacker's models destroyed by its own roll, and the damage left on it (Overcharge)."""
    return progress >> _OWN_DESTROYED & _COUNT, progress >> _OWN_DAMAGE


@step
def after_roll(fight: FightFacts, scores: Scores, score: int) -> int:
    """Return the progress of a strike after a roll with this score."""
    return after_losses(fight, losses_of(fight, scores, score))


@step
def after_losses(fight: FightFacts, losses: tuple[int, int, int, int]) -> int:
    """Return the progress of a strike after a roll with these losses of both units (:func:`~.attack.losses_of`)."""
    destroyed, damage, own_destroyed, own_damage = losses
    progress = destroyed << _FIRST_BIT | damage << _DAMAGE | own_destroyed << _OWN_DESTROYED | own_damage << _OWN_DAMAGE
    lost = discipline.officer_positions_lost(fight, destroyed) if destroyed < fight.models else 0
    if 0 < lost < fight.models:
        return progress | Stage.OFFICER
    return after_officer_fate(fight, progress, 1 if lost > 0 else 0)


@step
def after_officer_fate(fight: FightFacts, progress: int, fallen: int) -> int:
    """Return the progress of a strike once the officer's fate (`fallen`) is known (AC-5.8)."""
    progress &= ~_STAGE_MASK
    highest = discipline.highest_passing_card(
        fight, models_destroyed_by_roll(progress), discipline.disordered_at_test(fight, fallen)
    )
    stage = Stage.TEST
    if abs(highest) == ANY_CARD:  # ANY_CARD, or NO_CARD = -ANY_CARD: no card is drawn
        stage = Stage.PASSED if highest > 0 else Stage.FAILED
    return progress | (_OFFICER_FALLEN if fallen else 0) | stage


@step
def officer_positions(fight: FightFacts, progress: int) -> tuple[int, int]:
    """Return how many of the officer's possible positions (one per model) are lost, and how many there are (AC-5.8)."""
    return discipline.officer_positions_lost(fight, models_destroyed_by_roll(progress)), fight.models


@step
def highest_card(fight: FightFacts, progress: int) -> int:
    """Return the highest card that passes the suppression test (AC-5.1)."""
    return discipline.highest_passing_card(fight, models_destroyed_by_roll(progress), is_disordered(fight, progress))


@step
def probability_of_yes(fight: FightFacts, progress: int, side: int, odds: DrawOdds) -> float:
    """Return the probability that the officer has fallen, or that the test of a unit of `side` is passed."""
    if stage_of(progress) == Stage.OFFICER:
        destroyed, positions = officer_positions(fight, progress)
        return destroyed / positions
    return float(probability_of(test_draw(side), highest_card(fight, progress), odds))


@step
def after_draw(fight: FightFacts, progress: int, yes: int) -> int:
    """Return the progress of a strike after a draw: `yes` if the officer has fallen, or the test is passed."""
    if stage_of(progress) == Stage.OFFICER:
        return after_officer_fate(fight, progress, yes)
    return progress & ~_STAGE_MASK | (Stage.PASSED if yes else Stage.FAILED)


@step
def officer_has_fallen(progress: int) -> bool:
    """Return True if the officer has fallen."""
    return progress & _OFFICER_FALLEN != 0


@step
def is_disordered(fight: FightFacts, progress: int) -> int:
    """Return 1 if the target is disordered when it takes its test (AC-5.8)."""
    return discipline.disordered_at_test(fight, officer_has_fallen(progress))


@step
def outcome_of(fight: FightFacts, progress: int) -> int:
    """Return the outcome (:mod:`.discipline`) of a strike at its last stage (AC-5.4 to AC-5.9)."""
    destroyed, damage = models_destroyed_by_roll(progress), progress >> _DAMAGE & _COUNT
    own = (progress >> _OWN_DESTROYED & _COUNT) << ATTACKER_DESTROYED | (progress >> _OWN_DAMAGE) << ATTACKER_DAMAGE
    if stage_of(progress) == Stage.PASSED:
        return discipline.outcome_if_passed(fight, destroyed, damage, is_disordered(fight, progress)) | own
    return discipline.outcome_if_failed(fight, destroyed, damage, is_disordered(fight, progress)) | own


@step
def target_after(strike: StrikeFacts, attack: AttackFacts, side: SideFacts, target: int, outcome: int) -> int:
    """Return the state of the target, a unit of `side`, after a strike with this outcome."""
    after = unit_state.after_attack(target, outcome, side, strike.in_combat)
    return combat_result.record_qualities(after, attack) if strike.in_combat else after


@step
def attacker_after(
    strike: StrikeFacts, attack: AttackFacts, side: SideFacts, states: tuple[int, int], losses: tuple[int, int]
) -> int:
    """Return the attacker's state after a strike (AC-4.2, AC-6); `states`: its own before it, the target's after it."""
    if strike.by_blast:
        return special_rules.end_effect(states[0], special_rules.BLAST, side)
    state = states[0] & ~unit_state.ON_LOOKOUT if strike.by_lookout else states[0]
    state |= (unit_state.RELOADING if strike.reloads else 0) | (unit_state.MARKED if strike.marks_striker else 0)
    if not attack.overcharge or not strike.pays_overcharge:
        return state
    destroyed, damage = losses
    if destroyed < unit_state.models_of(state):
        return (state & ~(unit_state.MODELS_MASK << DAMAGE)) - destroyed | damage << DAMAGE
    state = unit_state.removed_state(state, side, unit_state.models_of(state), ANNIHILATED)
    if not strike.in_combat:
        return special_rules.skip_die_after_shot(state, side)
    if unit_state.is_removed(states[1]):
        return state
    return state | combat_result.FELL_IN_COMBAT | unit_state.BY_OWN_BLANKS
