"""Warnings about unsupported content of a data file, such as additions of a newer tool.

The vocabulary is that of BattleScribe 2.03 and the additions of New Recruit.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from analyser.importers import cells
from analyser.importers.import_warnings import Doubts
from analyser.importers.tree import ENTRY_TYPES, FACTORS, SIGNS, Tree, is_true

MOST_TOLD = 300  # warnings of this kind for a file; one from another tool can have far more
_ONE_OF_MANY = (
    *("catalogueLink", "categoryEntry", "categoryLink", "characteristic", "characteristicType", "condition"),
    *("conditionGroup", "constraint", "cost", "costType", "entryLink", "forceEntry", "infoGroup", "infoLink"),
    *("modifier", "modifierGroup", "profile", "profileType", "publication", "repeat", "rule", "selectionEntry"),
    "selectionEntryGroup",
)
_MANY = {tag: tag[:-1] + "ies" if tag.endswith("Entry") else tag + "s" for tag in _ONE_OF_MANY}
_SHARED = ("sharedSelectionEntries", "sharedSelectionEntryGroups", "sharedRules", "sharedProfiles", "sharedInfoGroups")
KNOWN = {*_MANY, *_MANY.values(), *_SHARED, "catalogue", "gameSystem", "comment", "description", "readme", "alias"}

_TYPES = {  # supported types of elements that affect a result
    "selectionEntry": ENTRY_TYPES,
    "condition": (
        *("lessThan", "greaterThan", "equalTo", "notEqualTo", "atLeast", "atMost", "instanceOf", "notInstanceOf"),
        *("always", "never"),
    ),
    "conditionGroup": ("and", "or", "not"),
    "constraint": ("min", "max", "exactly"),
    "modifier": ("set", "append", "prepend", "remove", "set-primary", "unset-primary", *SIGNS, *FACTORS),
}
_QUERY = {
    *("childId", "field", "id", "scope", "shared", "type", "value"),
    *("includeChildSelections", "includeChildForces", "percentValue"),
}
_ATTRIBUTES = {  # attributes of these elements that are supported or have no effect
    "condition": _QUERY,
    "conditionGroup": {"type", "id"},
    "constraint": {*_QUERY, "automatic", "message"},
    "modifier": {"type", "field", "value", "id"},
    "modifierGroup": {"type", "id"},
    "repeat": {*_QUERY, "repeats", "roundUp"},
}
_NAMED = ("selectionEntry", "entryLink", "selectionEntryGroup", "forceEntry", "profileType")  # surroundings in messages
_MESSAGES = ("error", "warning", "info", "annotation")  # modifier fields without a number, name or list


def review_vocabulary(root: Element, tree: Tree) -> None:
    """Warn about every unsupported element or attribute of a file by name, once for each unit."""
    doubts, count = tree.doubts, 0
    for unit, value, doubt in _unread(root, tree):
        doubts.unit = unit
        count += _add(doubts, value, doubt)
        if count == MOST_TOLD:
            doubts.unit = ""
            doubts.add(f"{count} elements and attributes", "are not read (further ones are not listed)")
            break
    doubts.unit = ""


def _add(doubts: Doubts, value: str, doubt: str) -> bool:
    before = len(doubts.warnings)
    doubts.add(value, doubt)
    return len(doubts.warnings) > before


def _unread(root: Element, tree: Tree) -> Iterator[tuple[str, str, str]]:
    """Yield unit, value and doubt for each unsupported part, in the order of the file."""
    waiting: list[tuple[Element, str, str]] = [(root, "", "")]
    while waiting:
        element, unit, around = waiting.pop()
        if element.tag not in KNOWN:
            yield unit, _shown(element, around), "an element that is not read; left out"
            continue
        if is_true(element, "hidden") and element.tag in ("selectionEntry", "entryLink"):
            continue  # left out as a whole, with a warning elsewhere
        inside = tree.name_of(element) if element.tag in _NAMED else around
        unit = unit or (inside if element.tag != "profileType" else "")
        for value, doubt in _odd(element, around):
            yield unit, value, doubt
        around = inside
        waiting += [(child, unit, around) for child in reversed(element)]


def _odd(element: Element, around: str) -> Iterator[tuple[str, str]]:
    kind, tag = element.get("type", ""), element.tag
    if tag in _TYPES and "type" in element.attrib and kind not in _TYPES[tag]:
        what = "its content is left out" if tag == "selectionEntry" else "left out"
        yield _shown(element, around), f"a {tag} of a type that is not read; {what}"
    for attribute in sorted(element.attrib.keys() - _ATTRIBUTES.get(tag, element.attrib.keys())):
        yield f"{_shown(element, around)}: {attribute} {element.get(attribute)}", "an attribute that is not read"
    if tag == "modifier" and element.get("field") in _MESSAGES:
        yield f"{_shown(element, around)}: {element.get('field')}", "a message of the data tool; left out"
    if tag in ("profileType", "characteristicType") and element.get("kind"):
        yield f"{_shown(element, around)}: kind {element.get('kind')}", "read like any other column or profile"


def _shown(element: Element, around: str) -> str:
    """Return an element as text: its tag, type, name and surroundings."""
    name = element.get("name") or next((child.get("name") for child in element if child.get("name")), None) or ""
    words = [element.tag, element.get("type", ""), name, f"in {around}" if around and around != name else ""]
    return " ".join(filter(None, words))[: cells.LONGEST_WORD]
