"""Steps of a strike: the random draw needed next, and its effect on both units (AC-3.7 to AC-5.9, AC-6).

Every engine resolves a strike by these steps. The exact engine follows each outcome with its probability, simulations
draw one, and a narrated trial records it. The progress of a strike is one integer: its stage, the officer's fate, and
above them the attacker's card (Overcharge) or, after the roll, the losses of both units.
"""

from __future__ import annotations

from enum import IntEnum

from analyser.common.jit import step
from analyser.rules import combat_result, discipline, special_rules, unit_state
from analyser.rules.attack import Scores, losses_of
from analyser.rules.discipline import ANNIHILATED, ANY_CARD, ATTACKER_DAMAGE, ATTACKER_DESTROYED, BITS, DAMAGE
from analyser.rules.draws import Odds, probability_of, test_draw
from analyser.rules.structs import AttackFacts, FightFacts, SideFacts, StrikeFacts


class Stage(IntEnum):
    """Random draw that a strike needs next; the last two stages need none."""

    CARD = 0  # the attacker's card, whose value is added to its dice (Overcharge, AC-6)
    ROLL = 1  # the score of the attack roll
    OFFICER = 2  # the officer is among the models destroyed, or not (AC-5.8)
    TEST = 3  # the suppression test (AC-5.1)
    PASSED = 4
    FAILED = 5


_STAGE = 7  # the bits of the stage
_FALLEN = 1 << 3
_FIRST = 4  # lowest bit of the card, or of the losses
_DAMAGE, _OWN_DESTROYED, _OWN_DAMAGE = _FIRST + BITS, _FIRST + 2 * BITS, _FIRST + 3 * BITS
_NUMBER = (1 << BITS) - 1


@step
def begun(fight: FightFacts) -> int:
    """Return the progress of a strike before any draw.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> Stage(begun(SimpleNamespace(overcharge=1))).name
    'CARD'
    """
    return Stage.CARD if fight.overcharge else Stage.ROLL


@step
def stage_of(progress: int) -> int:
    """Return the :class:`Stage` of a strike."""
    return progress & _STAGE


@step
def with_card(card: int) -> int:
    """Return the progress of a strike after the attacker's card (Overcharge, AC-6)."""
    return Stage.ROLL | card << _FIRST


@step
def card_of(progress: int) -> int:
    """Return the value of the attacker's card, before the roll; 0 if none is drawn."""
    return progress >> _FIRST


@step
def destroyed_by(progress: int) -> int:
    """Return the number of the target's models destroyed by the roll."""
    return progress >> _FIRST & _NUMBER


@step
def own_losses(progress: int) -> tuple[int, int]:
    """Return the attacker's models destroyed by its own roll, and the damage left on it (Overcharge)."""
    return progress >> _OWN_DESTROYED & _NUMBER, progress >> _OWN_DAMAGE


@step
def rolled(fight: FightFacts, scores: Scores, score: int) -> int:
    """Return the progress of a strike after a roll with that score."""
    return after_losses(fight, losses_of(fight, scores, score))


@step
def after_losses(fight: FightFacts, losses: tuple[int, int, int, int]) -> int:
    """Return the progress of a strike after a roll with those losses of both units (:func:`~.attack.losses_of`)."""
    destroyed, damage, own_destroyed, own_damage = losses
    progress = destroyed << _FIRST | damage << _DAMAGE | own_destroyed << _OWN_DESTROYED | own_damage << _OWN_DAMAGE
    lost = discipline.places_lost(fight, destroyed) if destroyed < fight.models else 0
    if 0 < lost < fight.models:
        return progress | Stage.OFFICER
    return with_officer(fight, progress, 1 if lost > 0 else 0)


@step
def with_officer(fight: FightFacts, progress: int, fallen: int) -> int:
    """Return the progress of a strike once the officer's fate (`fallen`) is known (AC-5.8)."""
    progress &= ~_STAGE
    highest = discipline.passes_up_to(fight, destroyed_by(progress), discipline.disordered_by_loss(fight, fallen))
    stage = Stage.TEST
    if abs(highest) == ANY_CARD:
        stage = Stage.PASSED if highest > 0 else Stage.FAILED
    return progress | (_FALLEN if fallen else 0) | stage


@step
def officer_among(fight: FightFacts, progress: int) -> tuple[int, int]:
    """Return the officer's positions among the models destroyed, and all equally likely positions (AC-5.8)."""
    return discipline.places_lost(fight, destroyed_by(progress)), fight.models


@step
def highest_card(fight: FightFacts, progress: int) -> int:
    """Return the highest card that passes the suppression test (AC-5.1)."""
    return discipline.passes_up_to(fight, destroyed_by(progress), disordered(fight, progress))


@step
def probability_of_yes(fight: FightFacts, progress: int, side: int, odds: Odds) -> float:
    """Return the probability that the officer has fallen, or that the test of a unit of `side` is passed."""
    if stage_of(progress) == Stage.OFFICER:
        places, of = officer_among(fight, progress)
        return places / of
    return float(probability_of(test_draw(side), highest_card(fight, progress), odds))


@step
def answered(fight: FightFacts, progress: int, yes: int) -> int:
    """Return the progress of a strike after a draw: `yes` if the officer has fallen, or the test is passed."""
    if stage_of(progress) == Stage.OFFICER:
        return with_officer(fight, progress, yes)
    return progress & ~_STAGE | (Stage.PASSED if yes else Stage.FAILED)


@step
def has_fallen(progress: int) -> bool:
    """Return True if the officer has fallen."""
    return progress & _FALLEN != 0


@step
def disordered(fight: FightFacts, progress: int) -> int:
    """Return 1 if the target is disordered when it takes its test (AC-5.8)."""
    return discipline.disordered_by_loss(fight, 1 if progress & _FALLEN else 0)


@step
def outcome_of(fight: FightFacts, progress: int) -> int:
    """Return the outcome of a finished strike, as packed by :mod:`.discipline` (AC-5.4 to AC-5.9)."""
    destroyed, damage = destroyed_by(progress), progress >> _DAMAGE & _NUMBER
    own = (progress >> _OWN_DESTROYED & _NUMBER) << ATTACKER_DESTROYED | (progress >> _OWN_DAMAGE) << ATTACKER_DAMAGE
    if stage_of(progress) == Stage.PASSED:
        return discipline.pass_test(fight, destroyed, damage, disordered(fight, progress)) | own
    return discipline.fail_test(fight, destroyed, damage, disordered(fight, progress)) | own


@step
def target_after(strike: StrikeFacts, attack: AttackFacts, side: SideFacts, target: int, outcome: int) -> int:
    """Return the state of the target (of `side`) after a strike with that outcome."""
    after = unit_state.carried_over(target, outcome, side, strike.counts)
    return combat_result.struck_by(after, attack) if strike.counts else after


@step
def attacker_after(
    strike: StrikeFacts, attack: AttackFacts, side: SideFacts, states: tuple[int, int], losses: tuple[int, int]
) -> int:
    """Return the state of the attacker (of `side`) after its strike (AC-4.2, AC-6).

    `states`: of the attacker before the strike, and of the target after it. `losses`: models destroyed by its own
    blanks, and the damage left on it (Overcharge).
    """
    if strike.by_blast:
        return special_rules.settled(states[0], special_rules.BLAST, side)
    state = states[0] & ~unit_state.ON_LOOKOUT if strike.by_lookout else states[0]
    state |= (unit_state.RELOADING if strike.reloads else 0) | (unit_state.MARKED if strike.marks else 0)
    if not attack.overcharge or not strike.bears_blanks:
        return state
    destroyed, damage = losses
    if destroyed < unit_state.models_of(state):
        return (state & ~(unit_state.MODELS_MASK << DAMAGE)) - destroyed | damage << DAMAGE
    state = unit_state.removed_state(state, side, unit_state.models_of(state), ANNIHILATED)
    if not strike.counts:
        return special_rules.settled_by_a_shot(state, side)
    if unit_state.is_removed(states[1]):
        return state
    return state | combat_result.FELL_IN_COMBAT | unit_state.BY_OWN_BLANKS
