"""Morale of a unit: officer, suppression test, breaking, falling back, fleeing (AC-5)."""

from __future__ import annotations

from analyser.common.jit import step
from analyser.rules.structs import FightFacts, Officer, Test

# An outcome is one integer, so that equal outcomes are equal numbers. Models left, models destroyed and damage take 10
# bits each; then come the flags, and above them the attacker's own losses (Overcharge).
BITS = 10
MODELS_DESTROYED, DAMAGE, FLAGS = BITS, 2 * BITS, 3 * BITS
SUPPRESSED, DISORDERED, ACTIVATED, FELL_BACK, BROKEN, FLED, ANNIHILATED = (1 << (FLAGS + place) for place in range(7))
ATTACKER_DAMAGE = FLAGS + 7
ATTACKER_DESTROYED = ATTACKER_DAMAGE + BITS  # topmost, so that outcomes increase with the number of blanks


@step
def standing(models: int, destroyed: int, damage: int, flags: int) -> int:
    """Return the outcome of a unit that is still on the table."""
    return models | destroyed << MODELS_DESTROYED | damage << DAMAGE | flags


@step
def removed(destroyed: int, cause: int) -> int:
    """Return the outcome of a removed unit: it has no models, no damage and no status (AC-5.9)."""
    return destroyed << MODELS_DESTROYED | cause | ANNIHILATED


@step
def statuses(suppressed: int, disordered: int, activated: int) -> int:
    """Return the statuses of a unit as flags."""
    flags = SUPPRESSED if suppressed else 0
    flags |= DISORDERED if disordered else 0
    return flags | (ACTIVATED if activated else 0)


ANY_CARD, NO_CARD = 1 << 20, -(1 << 20)


@step
def disordered_by_loss(fight: FightFacts, officer_lost: int) -> int:
    """Return 1 if the unit is disordered when it takes the test (AC-5.8)."""
    return 1 if fight.disordered or (officer_lost and not fight.near_commander) else 0


@step
def places_lost(fight: FightFacts, destroyed: int) -> int:
    """Return the number of the officer's `models` possible positions among the `destroyed` (AC-5.8)."""
    if fight.officer == Officer.FIRST and destroyed > 0:
        return fight.models
    return destroyed if fight.officer == Officer.RANDOM else 0


@step
def test_up_to(fight: FightFacts, destroyed: int, disordered: int) -> int:
    """Return the highest card that passes a due test; ANY_CARD if every card does, NO_CARD if none (AC-5.1 to 5.3)."""
    if fight.test in (Test.NOT_TAKEN, Test.PASSED):
        return ANY_CARD
    if fight.test == Test.FAILED:
        return NO_CARD
    heavy_losses = 2 * destroyed >= fight.models
    return fight.discipline - (1 if heavy_losses else 0) - (1 if disordered else 0)


@step
def passes_up_to(fight: FightFacts, destroyed: int, disordered: int) -> int:
    """Return the highest card that passes the suppression test; ANY_CARD if there is none to fail (AC-4.5, AC-5.1)."""
    return ANY_CARD if destroyed in (0, fight.models) else test_up_to(fight, destroyed, disordered)


@step
def pass_test(fight: FightFacts, destroyed: int, damage: int, disordered: int) -> int:
    """Return the outcome if the test is passed, or if none is due."""
    models = fight.models - destroyed
    if models == 0:
        return removed(destroyed, 0)
    return standing(models, destroyed, damage, statuses(fight.suppressed, disordered, fight.activated))


@step
def fail_test(fight: FightFacts, destroyed: int, damage: int, disordered: int) -> int:
    """Return the outcome of a failed suppression test, in the order of AC-5.4."""
    models = fight.models - destroyed
    if models <= fight.break_limit:
        return removed(destroyed, BROKEN)
    if fight.suppressed:
        return fall_back(fight, destroyed, damage, disordered)
    if fight.cryo and not fight.activated:
        return standing(models, destroyed, damage, statuses(0, disordered, 1))
    return standing(models, destroyed, damage, statuses(1, disordered or fight.disorders, fight.activated))


@step
def fall_back(fight: FightFacts, destroyed: int, damage: int, disordered: int) -> int:
    """Return a suppressed unit after another failure: 3 inches back, fled, or short of space (AC-5.4 b, AC-5.5)."""
    if fight.flees:
        return removed(destroyed, FELL_BACK | FLED)
    models = fight.models - destroyed
    lost = min(fight.models_without_room, models)
    if lost == models:
        return removed(destroyed + lost, FELL_BACK)
    return standing(models - lost, destroyed + lost, damage, FELL_BACK | statuses(1, disordered, fight.activated))
