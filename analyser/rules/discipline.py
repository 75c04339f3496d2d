"""Discipline tests and their outcomes: officer, suppression, breaking, falling back, fleeing (AC-5)."""

from __future__ import annotations

from analyser.common.jit import step
from analyser.rules.structs import FightFacts, Officer, Test

# An outcome is one integer, so that equal outcomes are equal numbers. Models left, models destroyed and damage take 10
# bits each; then come the flags, and in the higher bits the attacker's own losses (Overcharge). SUPPRESSED to
# ANNIHILATED are masks of single bits; the other constants after BITS are the lowest bits of fields.
BITS = 10
MODELS_DESTROYED, DAMAGE, FLAGS = BITS, 2 * BITS, 3 * BITS
SUPPRESSED, DISORDERED, ACTIVATED, FELL_BACK, BROKEN, FLED, ANNIHILATED = (1 << (FLAGS + place) for place in range(7))
ATTACKER_DAMAGE = FLAGS + 7
ATTACKER_DESTROYED = ATTACKER_DAMAGE + BITS  # the attacker's models destroyed, in the highest bits


@step
def surviving_outcome(models: int, destroyed: int, damage: int, flags: int) -> int:
    """Return the outcome of a unit that is not removed."""
    return models | destroyed << MODELS_DESTROYED | damage << DAMAGE | flags


@step
def removed_outcome(destroyed: int, cause: int) -> int:
    """Return the outcome of a removed unit: it has no models, no damage and no status (AC-5.9)."""
    return destroyed << MODELS_DESTROYED | cause | ANNIHILATED


@step
def status_flags(suppressed: int, disordered: int, activated: int) -> int:
    """Return the statuses of a unit as bits of an outcome."""
    flags = SUPPRESSED if suppressed else 0
    flags |= DISORDERED if disordered else 0
    return flags | (ACTIVATED if activated else 0)


ANY_CARD, NO_CARD = 1 << 20, -(1 << 20)  # instead of a card's value: all cards pass; no card passes


@step
def disordered_at_test(fight: FightFacts, officer_lost: int) -> int:
    """Return 1 if the unit is disordered when it takes the test (AC-5.8)."""
    return 1 if fight.disordered or (officer_lost and not fight.near_commander) else 0


@step
def officer_positions_lost(fight: FightFacts, destroyed: int) -> int:
    """Return how many of the officer's possible positions (one per model) are lost: all if it falls first (AC-5.8)."""
    if fight.officer == Officer.FIRST and destroyed > 0:
        return fight.models
    return destroyed if fight.officer == Officer.RANDOM else 0


@step
def highest_card_of_test(fight: FightFacts, destroyed: int, disordered: int) -> int:
    """Return the highest card that passes a test that is due (AC-5.1 to 5.3); ANY_CARD or NO_CARD if none is drawn."""
    if fight.test in (Test.NOT_TAKEN, Test.PASSED):
        return ANY_CARD
    if fight.test == Test.FAILED:
        return NO_CARD
    heavy_losses = 2 * destroyed >= fight.models
    return fight.discipline - (1 if heavy_losses else 0) - (1 if disordered else 0)


@step
def highest_passing_card(fight: FightFacts, destroyed: int, disordered: int) -> int:
    """Return the highest card that passes the suppression test; ANY_CARD if no test is taken (AC-4.5, AC-5.1)."""
    return ANY_CARD if destroyed in (0, fight.models) else highest_card_of_test(fight, destroyed, disordered)


@step
def outcome_if_passed(fight: FightFacts, destroyed: int, damage: int, disordered: int) -> int:
    """Return the outcome if the test is passed, or if no test is taken."""
    models = fight.models - destroyed
    if models == 0:
        return removed_outcome(destroyed, 0)
    return surviving_outcome(models, destroyed, damage, status_flags(fight.suppressed, disordered, fight.activated))


@step
def outcome_if_failed(fight: FightFacts, destroyed: int, damage: int, disordered: int) -> int:
    """Return the outcome of a failed suppression test, in the order of AC-5.4."""
    models = fight.models - destroyed
    if models <= fight.break_limit:
        return removed_outcome(destroyed, BROKEN)
    if fight.suppressed:
        return fallen_back_outcome(fight, destroyed, damage, disordered)
    if fight.cryo and not fight.activated:
        return surviving_outcome(models, destroyed, damage, status_flags(0, disordered, 1))
    return surviving_outcome(models, destroyed, damage, status_flags(1, disordered or fight.disorders, fight.activated))


@step
def fallen_back_outcome(fight: FightFacts, destroyed: int, damage: int, disordered: int) -> int:
    """Return the outcome of a suppressed unit that fails a test: it falls back or flees (AC-5.4 b, AC-5.5)."""
    if fight.flees:
        return removed_outcome(destroyed, FELL_BACK | FLED)
    models = fight.models - destroyed
    lost = min(fight.models_without_room, models)
    if lost == models:
        return removed_outcome(destroyed + lost, FELL_BACK)
    flags = FELL_BACK | status_flags(1, disordered, fight.activated)
    return surviving_outcome(models - lost, destroyed + lost, damage, flags)
