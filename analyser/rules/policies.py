"""Policies, which decide in each activation (AC-9.2); a new tactic needs a :class:`Policy` and an entry in POLICIES."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from analyser.common.jit import step


class Policy(IntEnum):
    """Predefined policies (simple tactics)."""

    SHOOT = 0
    SHORT_RANGE = 1
    CHARGE = 2
    LOOKOUT = 3
    TAKE_COVER = 4
    ALL_OUT = 5
    OVERCHARGE = 6


class Tactic(NamedTuple):
    """A predefined policy."""

    description: str
    lines: tuple[str, ...]  # orders with conditions, in words (:mod:`.policy_lines`)


POLICIES = {
    "shoot": Tactic("aim and shoot; out of range, advance first", ("aim and shoot if in range", "advance and shoot")),
    "short_range": Tactic(
        "advance and shoot until at short range, then aim and shoot",
        ("aim and shoot if in short range", "close in and shoot"),
    ),
    "charge": Tactic(
        "close in at double time, and charge as soon as it can", ("charge if within reach", "double time")
    ),
    "lookout": Tactic("go on lookout, and shoot at a unit that acts (opportunity fire)", ("go on lookout",)),
    "take_cover": Tactic("stay and take cover", ("take cover",)),
    "all_out": Tactic(
        "aim, and shoot with several rows (All-Out Attack)",
        ("aim and shoot with all rows if in range", "advance and shoot with all rows"),
    ),
    "overcharge": Tactic(
        "aim and shoot with Overcharge at any cost",
        ("aim and shoot with overcharge if in range", "advance and shoot with overcharge"),
    ),
}
"""Tactics by the lower-case name of their :class:`Policy`, as in scenarios, in the order of the help."""

BEST = "best"
"""Name of best play, a computed policy (:mod:`analyser.engine.fight.best`)."""

SHOOTING = tuple(name for name, tactic in POLICIES.items() if any("shoot" in line for line in tactic.lines))
"""Tactics by which a unit shoots in its own activation."""


class Manoeuvre(IntEnum):
    """Use of the movement step."""

    STAY = 0
    AIM = 1
    ADVANCE = 2
    CLOSE_IN = 3  # an advance that stops at short range, or at long range if the row has no short range
    DOUBLE_TIME = 4
    CHARGE = 5
    RETIRE = 6  # an advance away from the enemy
    RETIRE_AT_DOUBLE_TIME = 7
    EXIT = 8  # out of a building, toward the enemy
    EXIT_BACK = 9  # out of a building, away from the enemy


@step
def is_double_time(manoeuvre: int) -> bool:
    """Return True for a move at double time."""
    return manoeuvre in (Manoeuvre.DOUBLE_TIME, Manoeuvre.RETIRE_AT_DOUBLE_TIME)


@step
def leaves_building(manoeuvre: int) -> bool:
    """Return True for a manoeuvre that leaves a building."""
    return manoeuvre in (Manoeuvre.EXIT, Manoeuvre.EXIT_BACK)


class Action(IntEnum):
    """Use of the attack step; a charge includes its attack step."""

    NOTHING = 0
    SHOOT = 1  # shoot, or re-arm instead (a reloading unit whose row is Slow to Fire)
    GO_ON_LOOKOUT = 2
    TAKE_COVER = 3
    RE_ARM = 4


class View(NamedTuple):
    """Facts on which a policy decides: flags, and the distance."""

    rally_failed: int
    in_building: int
    in_range: int  # the unit's row reaches the enemy
    in_short_range: int
    can_charge: int  # the unit has a row to charge with, and the enemy is within reach
    must_charge: int  # 1 if a rule compels the charge (Berserk, Run Amok), unless the unit is in a building
    distance: int  # hundredths of an inch; -1 if distances do not count


@step
def allowed_decision(manoeuvre: int, action: int, view: View) -> tuple[int, int]:
    """Return the decision, or what is allowed instead in a building or after a failed rally test (AC-5.6, AC-7)."""
    if view.rally_failed and not view.must_charge and manoeuvre in (Manoeuvre.DOUBLE_TIME, Manoeuvre.CHARGE):
        manoeuvre, action = Manoeuvre.ADVANCE, Action.SHOOT
    if view.rally_failed and manoeuvre == Manoeuvre.RETIRE_AT_DOUBLE_TIME:
        manoeuvre = Manoeuvre.RETIRE
    if leaves_building(manoeuvre) and not view.in_building:
        manoeuvre = Manoeuvre.AIM if action == Action.SHOOT else Manoeuvre.STAY
    if view.in_building and not leaves_building(manoeuvre):
        return Manoeuvre.STAY, action
    if view.must_charge:
        return Manoeuvre.CHARGE, Action.NOTHING
    if not view.rally_failed or manoeuvre == Manoeuvre.STAY or action == Action.NOTHING:
        return manoeuvre, action
    return (Manoeuvre.STAY, action) if action != Action.SHOOT or view.in_range else (manoeuvre, Action.NOTHING)
