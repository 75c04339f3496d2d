"""The simple tactics for kernels: their lines (:data:`~.policies.POLICIES`) as a table."""

from __future__ import annotations

import numpy as np

from analyser.common.jit import step
from analyser.common.records import Integers
from analyser.rules.orders import Line, lines_of
from analyser.rules.policies import POLICIES, Action, Manoeuvre, Policy, View, allowed

_SEEN = ("in range", "in short range", "within reach")  # conditions available to tactics
_ALWAYS, _IN_RANGE, _IN_SHORT_RANGE, _WITHIN_REACH = range(4)
TACTICS: dict[str, tuple[Line, ...]] = {name: lines_of(about.lines, name) for name, about in POLICIES.items()}
"""The lines of each tactic."""
_LINES = max(map(len, TACTICS.values()))


def _coded(line: Line) -> tuple[int, int, int]:
    condition = _ALWAYS if not line.conditions else 1 + _SEEN.index(line.conditions[0].quantity)
    return condition, Manoeuvre.CLOSE_IN if line.stop else line.manoeuvre, line.action


_TABLE = np.array(
    [[_coded(lines[min(place, len(lines) - 1)]) for place in range(_LINES)] for lines in TACTICS.values()], np.int64
)


VIEWS = 1 << 5  # number of different views outside a building, see `number_of`


@step
def number_of(view: View) -> int:
    """Return the index of a view in :func:`allowed_of_every_view`; distances are ignored."""
    seen = (1 if view.rally_failed else 0) | (2 if view.in_range else 0) | (4 if view.in_short_range else 0)
    return seen | (8 if view.can_charge else 0) | (16 if view.must_charge else 0)


def allowed_of_every_view() -> Integers:
    """Return the allowed manoeuvre and action of each policy for each view.

    Shape (policies, VIEWS, 2); views by :func:`number_of`.
    """
    orders = np.zeros((len(Policy), VIEWS, 2), np.int64)
    for seen in range(VIEWS):
        rally_failed, in_range, in_short_range, can_charge, must_charge = (seen >> place & 1 for place in range(5))
        view = View(rally_failed, 0, in_range, in_short_range, can_charge, must_charge, 0)
        for policy in Policy:
            orders[policy, seen] = allowed(*decide(policy, view), view)
    return orders


@step
def decide(policy: int, view: View) -> tuple[int, int]:
    """Return the manoeuvre and the action of a tactic: its first line whose condition holds."""
    for line in range(_LINES):
        condition = _TABLE[policy, line, 0]
        holds = condition == _ALWAYS or (condition == _IN_RANGE and view.in_range)
        holds = holds or (condition == _IN_SHORT_RANGE and view.in_short_range)
        if holds or (condition == _WITHIN_REACH and view.can_charge):
            return int(_TABLE[policy, line, 1]), int(_TABLE[policy, line, 2])
    return Manoeuvre.STAY, Action.NOTHING
