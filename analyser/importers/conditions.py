"""Conditions of a data file, evaluated as far as possible before the user makes choices."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from xml.etree.ElementTree import Element

GROUPS = ("and", "or", "not")  # supported groups; newer tools have others, which count and compare
_WITHIN = ("force", "ancestor", "primary-catalogue")  # scopes about the surroundings of an entry

Truth = bool | None  # None: depends on choices, or on an unsupported condition
Standing = Mapping[str, bool]  # id -> True if an entry is inside that kind of battlegroup or catalogue


def holds(holders: Iterable[Element], standing: Standing) -> Truth:
    """Return True if all conditions of `holders` (a modifier and its groups) hold; None if that is unknown."""
    return _all(truth for holder in holders for truth in _truths(holder, standing))


def unread(holders: Iterable[Element]) -> str:
    """Return the first unsupported kind of condition; empty if all depend on choices alone."""
    for holder in holders:
        for kind in ("localConditionGroup", "repeat"):
            if holder.find(f"{kind}s/{kind}") is not None:
                return f"{kind} {holder.find(f'{kind}s/{kind}').get('type', '')}".strip()  # type: ignore[union-attr]
        for group in holder.iter("conditionGroup"):
            if group.get("type", "and") not in GROUPS:
                return f"conditionGroup {group.get('type')}"
    return ""


def _truths(holder: Element, standing: Standing) -> Iterator[Truth]:
    for condition in holder.iterfind("conditions/condition"):
        yield _condition(condition, standing)
    for group in holder.iterfind("conditionGroups/conditionGroup"):
        yield _group(group, standing)
    if any(holder.find(f"{tag}/*") is not None for tag in ("localConditionGroups", "repeats")):
        yield None


def _group(group: Element, standing: Standing) -> Truth:
    truths, kind = list(_truths(group, standing)), group.get("type", "and")
    if kind == "and":
        return _all(truths)
    if kind == "or":
        return _negation(_all(map(_negation, truths))) if truths else True
    return _negation(truths[0]) if kind == "not" and len(truths) == 1 else None


def _condition(condition: Element, standing: Standing) -> Truth:
    kind, about = condition.get("type", ""), condition.get("childId", "")
    if kind in ("always", "never"):
        return kind == "always"
    if kind in ("instanceOf", "notInstanceOf") and condition.get("scope") in _WITHIN and about in standing:
        return standing[about] == (kind == "instanceOf")
    return None


def _negation(truth: Truth) -> Truth:
    return None if truth is None else not truth


def _all(truths: Iterable[Truth]) -> Truth:
    """Return the three-valued conjunction."""
    result = set(truths)
    return False if False in result else None if None in result else True
