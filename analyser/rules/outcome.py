"""The outcome of an attack as one integer: which bits hold what (AC-3.9, AC-5)."""

from __future__ import annotations

from analyser.common.jit import step

# An outcome as one integer, so that equal outcomes are equal numbers: models left, models destroyed and
# damage take 10 bits each, then come the flags; the attacker's own losses (Overcharge) stand above them.
BITS = 10
MODELS_DESTROYED, DAMAGE, FLAGS = BITS, 2 * BITS, 3 * BITS
SUPPRESSED, DISORDERED, ACTIVATED, FELL_BACK, BROKEN, FLED, ANNIHILATED = (1 << (FLAGS + place) for place in range(7))
ATTACKER_DAMAGE = FLAGS + 7
ATTACKER_DESTROYED = ATTACKER_DAMAGE + BITS  # topmost: with more blanks, outcomes then come in rising order


@step
def standing(models: int, destroyed: int, damage: int, flags: int) -> int:
    """The outcome of a unit that is still on the table."""
    return models | destroyed << MODELS_DESTROYED | damage << DAMAGE | flags


@step
def removed(destroyed: int, cause: int) -> int:
    """The outcome of a unit that is gone: it has no models, no damage and no status (AC-5.9)."""
    return destroyed << MODELS_DESTROYED | cause | ANNIHILATED


@step
def statuses(suppressed: int, disordered: int, activated: int) -> int:
    """The flags of the statuses a unit has."""
    flags = SUPPRESSED if suppressed else 0
    flags |= DISORDERED if disordered else 0
    return flags | (ACTIVATED if activated else 0)
