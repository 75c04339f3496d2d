"""The habits that ship, as kernels read them: their lines of words (:data:`~.policies.POLICIES`) as a table."""

from __future__ import annotations

import numpy as np

from analyser.common.jit import step
from analyser.rules.orders import Line, lines_of
from analyser.rules.policies import POLICIES, Action, Manoeuvre, View

_SEEN = ("in range", "in short range", "within reach")  # what a habit can look at
_ALWAYS, _IN_RANGE, _IN_SHORT_RANGE, _WITHIN_REACH = range(4)
HABITS: dict[str, tuple[Line, ...]] = {name: lines_of(about.lines, name) for name, about in POLICIES.items()}
"""The lines of each habit."""
_LINES = max(map(len, HABITS.values()))


def _coded(line: Line) -> tuple[int, int, int]:
    condition = _ALWAYS if not line.conditions else 1 + _SEEN.index(line.conditions[0].quantity)
    return condition, line.manoeuvre, line.action


_TABLE = np.array(
    [[_coded(lines[min(place, len(lines) - 1)]) for place in range(_LINES)] for lines in HABITS.values()], np.int64
)


@step
def decide(policy: int, view: View) -> tuple[int, int]:
    """The manoeuvre and the action of a habit: its first line whose condition holds."""
    for line in range(_LINES):
        condition = _TABLE[policy, line, 0]
        holds = condition == _ALWAYS or (condition == _IN_RANGE and view.in_range)
        holds = holds or (condition == _IN_SHORT_RANGE and view.in_short_range)
        if holds or (condition == _WITHIN_REACH and view.can_charge):
            return int(_TABLE[policy, line, 1]), int(_TABLE[policy, line, 2])
    return Manoeuvre.STAY, Action.NOTHING
