"""Simulated trials in words: the parts that trials of all kinds of questions share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from analyser.common.text import text_of


class NarratedTrial(NamedTuple):
    """A simulated trial: its number, its results, and the functions that write its lines and its warnings."""

    number: int
    figures: Mapping[str, Any]
    lines: Callable[[], list[str]]
    warnings: Callable[[], tuple[str, ...]]


def state_text(state: Mapping[str, Any]) -> str:
    """Return a state (named numbers, flags or words) in words; flags that are False are left out.

    >>> state_text({"tokens": 3, "suppressed": True, "panicked": False, "unit 1": "routed"})
    'tokens 3, suppressed, unit 1 routed'
    """
    stated = ((name, value) for name, value in state.items() if value is not False)
    return ", ".join(name if value is True else f"{name} {text_of(value)}" for name, value in stated)


def changes_between(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Return the differences between two states, in words.

    >>> changes_between({"tokens": 3, "panicked": True, "B": "holds"}, {"tokens": 1, "panicked": False, "B": "down"})
    ['tokens 3 → 1', 'no longer panicked', 'B: down']
    """
    changes = []
    for name, value in after.items():
        old = before.get(name)
        if value == old or (old is None and value is False):
            continue
        if isinstance(value, bool):
            changes.append(name if value else f"no longer {name}")
        elif isinstance(value, str) or old is None:
            changes.append(f"{name}: {text_of(value)}")
        else:
            changes.append(f"{name} {text_of(old)} → {text_of(value)}")
    return changes
