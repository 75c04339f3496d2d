"""What a side does with its unit, activation by activation (AC-9.2).

A policy sees a :class:`View` and comes to a :class:`Manoeuvre` and an :class:`Action`. To add one, write its lines in
:func:`decide`, its name in :class:`Policy` and what users are told of it in :data:`POLICIES`: the scenario's keys and
the help are made from those. What it needs of a unit beside a ranged row stands in `scenarios/policies.py`. What a
failed rally test or a building forbids is seen to afterwards, in :func:`allowed`.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from analyser.common.jit import step


class Policy(IntEnum):
    """The policies by name."""

    SHOOT = 0
    SHORT_RANGE = 1
    CHARGE = 2
    LOOKOUT = 3
    TAKE_COVER = 4
    ALL_OUT = 5
    OVERCHARGE = 6


class About(NamedTuple):
    """What users are told of a policy, and whether its unit shoots in its own activation."""

    told: str
    shoots: bool


POLICIES = {
    "shoot": About("stand, aim and shoot; out of range, advance first", True),
    "short_range": About("advance, shooting, to short range; there, aim and shoot", True),
    "charge": About("close in at double time, and charge as soon as it can", False),
    "lookout": About("stand on lookout, and shoot at what acts (opportunity fire)", False),
    "take_cover": About("stay and take cover", False),
    "all_out": About("aim, and shoot with several rows (All-Out Attack)", True),
    "overcharge": About("aim and shoot with Overcharge, whatever it costs", True),
}
"""The policies as scenarios name them, each by the name of its :class:`Policy`, in the order that users see."""

BEST = "best"
"""The policy that is no habit: whatever is best, as things stand (:mod:`analyser.engine.fight.best`)."""

SHOOTING = tuple(name for name, policy in POLICIES.items() if policy.shoots)


class Manoeuvre(IntEnum):
    """What the movement step is spent on."""

    STAY = 0
    AIM = 1
    ADVANCE = 2
    CLOSE_IN = 3  # an advance that stops at short range
    DOUBLE_TIME = 4
    CHARGE = 5
    RETIRE = 6  # an advance away from the enemy


class Action(IntEnum):
    """What the attack step is spent on; a charge has its own."""

    NOTHING = 0
    SHOOT = 1  # or re-arm first, if the row needs it
    GO_ON_LOOKOUT = 2
    TAKE_COVER = 3
    RE_ARM = 4


class View(NamedTuple):
    """What a policy sees. Truth values, but for the distance."""

    rally_failed: int
    in_building: int
    in_range: int  # the row that it shoots with reaches the enemy
    in_short_range: int
    can_charge: int  # it has a row to charge with, and the enemy is within reach
    must_charge: int  # and a rule makes it do so (Berserk, Run Amok)
    distance: int  # hundredths of an inch; -1 where distances do not count


@step
def decide(policy: int, view: View) -> tuple[int, int]:
    """The manoeuvre and the action of a policy; All-Out Attack and Overcharge are ways to shoot."""
    if policy == Policy.SHORT_RANGE:
        return (Manoeuvre.AIM if view.in_short_range else Manoeuvre.CLOSE_IN), Action.SHOOT
    if policy == Policy.CHARGE:
        return (Manoeuvre.CHARGE if view.can_charge else Manoeuvre.DOUBLE_TIME), Action.NOTHING
    if policy == Policy.LOOKOUT:
        return Manoeuvre.STAY, Action.GO_ON_LOOKOUT
    if policy == Policy.TAKE_COVER:
        return Manoeuvre.STAY, Action.TAKE_COVER
    return (Manoeuvre.AIM if view.in_range else Manoeuvre.ADVANCE), Action.SHOOT


@step
def allowed(manoeuvre: int, action: int, view: View) -> tuple[int, int]:
    """What is left of a decision in a building, which allows no manoeuvre, and after a failed rally test (AC-5.6).

    Then it is the movement step or the attack step: the attack, unless nothing is in range; and no charge, unless the
    unit is Berserk (AC-7). Who wanted to charge shoots, with what is in range, or advances.
    """
    if view.rally_failed and not view.must_charge and manoeuvre in (Manoeuvre.DOUBLE_TIME, Manoeuvre.CHARGE):
        manoeuvre, action = Manoeuvre.ADVANCE, Action.SHOOT
    if view.in_building:
        return Manoeuvre.STAY, action
    if view.must_charge:
        return Manoeuvre.CHARGE, Action.NOTHING
    if not view.rally_failed or manoeuvre == Manoeuvre.STAY:
        return manoeuvre, action
    return (Manoeuvre.STAY, action) if action != Action.SHOOT or view.in_range else (manoeuvre, Action.NOTHING)
