"""The shape of a BattleScribe file: entries, groups and links, and what an entry holds in the end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple
from xml.etree.ElementTree import Element

from analyser.game.keywords import LONGEST_NAME, tidy
from analyser.game.units import LevelName
from analyser.importers import cells
from analyser.importers.doubts import Doubts

Library = Mapping[str, Element]  # every element that has an id, by its id

_LISTS = ["profiles", "rules", "infoLinks", "infoGroups", "selectionEntries", "selectionEntryGroups", "entryLinks"]
_ENTRIES = ("selectionEntry", "entryLink")
_LINKS = ("entryLink", "infoLink")
MOST_VISITS = 2000  # elements of one entry, links followed; a real unit has about fifty
_CONDITIONS = ("conditions", "conditionGroups", "repeats")


class LevelNode(NamedTuple):
    """An entry that is a reinforcement level, and the shared entry that it links to, if that is known."""

    name: LevelName
    node: Element
    target: Element | None


@dataclass
class Contents:
    """What stands in an entry and in everything that it links to, its levels apart."""

    profiles: list[Element] = field(default_factory=list)
    rules: list[str] = field(default_factory=list)
    levels: list[LevelNode] = field(default_factory=list)
    group_modifiers: list[Element] = field(default_factory=list)


def ids(root: Element) -> dict[str, Element]:
    """Every element of a document by its id; the first of two with the same."""
    found: dict[str, Element] = {}
    for element in root.iter():
        found.setdefault(element.get("id", ""), element)
    found.pop("", None)
    return found


def is_hidden(element: Element) -> bool:
    """Whether the program that the file is made for would not show `element`."""
    return element.get("hidden", "").strip().lower() == "true"


def target_of(link: Element, library: Library) -> Element | None:
    """What a link links to, if one of the files holds it."""
    return library.get(link.get("targetId", ""))


def name_of(element: Element, library: Library) -> str:
    """The name of an entry or a link: its own, else its target's; with what its modifiers make of it."""
    target = target_of(element, library)
    name = element.get("name") or (target.get("name") if target is not None else None) or ""
    for modifier, conditional in modifiers(element):
        if modifier.get("field") == "name" and not conditional:
            value = modifier.get("value", "")
            name = {"set": value, "append": f"{name} {value}"}.get(modifier.get("type", ""), name)
    return tidy(name[: cells.LONGEST_CELL])[:LONGEST_NAME].strip()


def modifiers(element: Element) -> Iterator[tuple[Element, bool]]:
    """The modifiers of `element` itself, each with whether it is conditional."""
    waiting = [(element, False)]
    while waiting:
        holder, conditional = waiting.pop()
        for modifier in holder.iterfind("modifiers/modifier"):
            yield modifier, conditional or _has_conditions(modifier)
        for group in holder.iterfind("modifierGroups/modifierGroup"):
            waiting.append((group, conditional or _has_conditions(group)))


def _has_conditions(element: Element) -> bool:
    return any(len(found) for tag in _CONDITIONS if (found := element.find(tag)) is not None)


def gather(entry: Element, library: Library, doubts: Doubts) -> Contents:
    """Everything that `entry` holds, through groups, sub-entries and links; each shared thing once.

    Links in a circle end where they began. Without recursion: a file decides how deep this goes.
    """
    contents = Contents()
    seen = {id(entry)}
    waiting = list(reversed(entry))
    visits = 0
    while waiting:
        visits += 1
        if visits > MOST_VISITS:
            doubts.add(name_of(entry, library), f"more than {MOST_VISITS} things in this entry; the rest is left out")
            break
        element = waiting.pop()
        if element.tag in _LISTS:
            waiting.extend(reversed(element))
        elif is_hidden(element):
            if element.tag != "infoLink":
                doubts.add(name_of(element, library), f"a {element.tag} hidden in the source; left out")
        else:
            waiting.extend(reversed(_visit(element, contents, library, seen, doubts)))
    return contents


def _visit(element: Element, contents: Contents, library: Library, seen: set[int], doubts: Doubts) -> list[Element]:
    """Put `element` in its place in `contents`; what is still to be looked at inside it comes back."""
    tag = element.tag
    if tag == "profile":
        contents.profiles.append(element)
        return []
    if tag == "rule":
        contents.rules.append(name_of(element, library))
        return []
    if tag in _ENTRIES and (found := _level(element, library, doubts)) is not None:
        contents.levels.append(found)
        return []
    if tag in _LINKS:
        return [*element, *_followed(element, contents, library, seen, doubts)]
    if tag == "selectionEntryGroup":
        contents.group_modifiers += [modifier for modifier, _ in modifiers(element)]
    return list(element) if tag in ("selectionEntry", "selectionEntryGroup", "infoGroup") else []


def _level(element: Element, library: Library, doubts: Doubts) -> LevelNode | None:
    name = name_of(element, library)
    found = cells.level(name)
    if found is None:
        return None
    level, right = found
    if not right:
        doubts.add(name, f"taken for the level {level}")
    return LevelNode(level, element, target_of(element, library))


def _followed(link: Element, contents: Contents, library: Library, seen: set[int], doubts: Doubts) -> list[Element]:
    target = target_of(link, library)
    if link.get("type") == "rule" or (target is not None and target.tag == "rule"):
        contents.rules.append(name_of(link, library))  # the link may give the rule its parameter
        return []
    if target is None:
        doubts.add(name_of(link, library), "a link to something that none of the files holds; left out")
        return []
    if id(target) in seen:
        return []
    seen.add(id(target))
    return [target]


def characteristics(
    profile: Element, library: Library, doubts: Doubts, outer: tuple[Element, ...] = ()
) -> dict[str, str]:
    """The cells of a profile by the lower-case name of their column, as its modifiers leave them.

    `outer` are elements around the profile whose modifiers count too.
    """
    found: dict[str, str] = {}
    fields: dict[str, str] = {}
    for cell in profile.iterfind("characteristics/characteristic"):
        type_id = cell.get("typeId") or cell.get("characteristicTypeId") or ""
        of_type = library.get(type_id)
        name = tidy((cell.get("name") or (of_type.get("name") if of_type is not None else "") or "")[:200]).casefold()
        if name in found:
            doubts.add(name, "two cells of that name in a profile; the first counts")
            continue
        text = cell.text if cell.text and cell.text.strip() else cell.get("value", "")
        if len(text) > cells.LONGEST_CELL:
            doubts.add(text, "too long for a cell of a profile; left out")
            text = ""
        found[name] = text
        fields.update({type_id: name, name: name})
    for holder in (profile, *outer):
        for modifier, conditional in modifiers(holder):
            _apply(modifier, conditional, found, fields, doubts)
    return found


def _apply(modifier: Element, conditional: bool, found: dict[str, str], fields: dict[str, str], doubts: Doubts) -> None:
    name = fields.get(modifier.get("field", ""))
    kind, value = modifier.get("type", ""), modifier.get("value", "")
    if name is None:
        return
    if conditional:
        doubts.add(f"{name}: {kind} {value}", "a change under a condition; left out")
        return
    sign = {"increment": 1, "add": 1, "decrement": -1, "subtract": -1}.get(kind)
    before, amount = cells.number(found[name] or "0"), cells.number(value)
    if kind == "set":
        found[name] = value
    elif kind == "append":
        found[name] = f"{found[name]} {value}"
    elif sign is not None and before is not None and amount is not None:
        found[name] = str(before + sign * amount)
    else:
        doubts.add(f"{name}: {kind} {value}", "a change of a kind that is not known; left out")
