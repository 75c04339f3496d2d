"""The sections of the scenario files of longer fights (`docs/fights.md`)."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, field_validator

from analyser.engine.program import MOST_STRIKES
from analyser.fights.combatant import Charge, Combatant
from analyser.fights.duel import DuelTerms
from analyser.ruleset import Ruleset
from analyser.scenario import Attack, Target
from analyser.units import MOST_MODELS
from analyser.validation import Record, as_tuple

MOST_SECONDARY = 10  # each can strike at two places of a program
CIRCUMSTANCES = ("exposed", "from_front", "obstacle")  # of a target, which each attack on it can state for itself


class Secondary(Combatant):
    """Another unit of the charged side that the charge brings into contact (AC-8.7)."""

    threatened: bool = False


class ChargeFile(Record):
    """A scenario file of one charge (AC-8). `docs/fights.md` says each key."""

    charge: Charge = Charge()
    attacker: Combatant
    target: Combatant
    secondary: Annotated[tuple[Secondary, ...], Field(max_length=MOST_SECONDARY)] = ()
    ruleset: Ruleset

    _tuples = field_validator("secondary", mode="before")(as_tuple)


class FocusAttack(Attack):
    """One of the ``[[attacks]]``: an attack, and what is true of its target for this attack only."""

    exposed: Annotated[int, Field(ge=1, le=MOST_MODELS)] | None = None
    from_front: bool | None = None
    obstacle: bool | None = None


class FocusFile(Record):
    """A scenario file of several attacks on one target (AC-9.1). `docs/fights.md` says each key."""

    attacks: Annotated[tuple[FocusAttack, ...], Field(min_length=1, max_length=MOST_STRIKES)]
    target: Target
    ruleset: Ruleset

    _tuples = field_validator("attacks", mode="before")(as_tuple)


class DuelFile(Record):
    """A scenario file of a duel (AC-9.2). `docs/fights.md` says each key."""

    duel: DuelTerms = DuelTerms()
    a: Combatant
    b: Combatant
    ruleset: Ruleset
