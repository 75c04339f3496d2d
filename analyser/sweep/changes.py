"""Differences between two plans, in words."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any


def that_counts(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of a plan that its parts depend on: without the other units of the profiles."""
    return {key: value for key, value in content.items() if key != "profiles"}


def changes_of(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Return the differences between the contents of two plans, a text each.

    >>> changes_of({"file": {"name": "a", "single": True}}, {"file": {"name": "b"}})
    ['file.name: "a" -> "b"', 'file.single is gone']
    """
    return list(_differences("", that_counts(old), that_counts(new)))


def _differences(where: str, old: Any, new: Any) -> Iterator[str]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys((*old, *new)):
            inside = f"{where}.{key}" if where else str(key)
            if key not in new:
                yield f"{inside} is gone"
            elif key not in old:
                yield f"{inside} is new"
            else:
                yield from _differences(inside, old[key], new[key])
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for place, (one, other) in enumerate(zip(old, new)):
            yield from _differences(f"{where}[{place}]", one, other)
    elif old != new:
        yield f"{where}: {_short(old)} -> {_short(new)}"


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:40]} ... {text[-12:]}"
