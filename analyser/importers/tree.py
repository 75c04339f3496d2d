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

MOST_VISITS = 2000  # elements of one entry, links followed; a real unit has about fifty
_LISTS = ["profiles", "rules", "infoLinks", "infoGroups", "selectionEntries", "selectionEntryGroups", "entryLinks"]
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
    seen: set[int] = field(default_factory=set)


def ids(root: Element) -> dict[str, Element]:
    """Every element of a document by its id; the first of two with the same."""
    return {each.get("id", ""): each for each in reversed([*root.iter()]) if each.get("id")}


def is_true(element: Element, attribute: str) -> bool:
    """Whether an attribute says so: ``hidden``, ``library``, ``primary``."""
    return element.get(attribute, "").strip().lower() == "true"


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
    return any(element.find(f"{tag}/*") is not None for tag in _CONDITIONS)


@dataclass(frozen=True)
class Tree:
    """The elements of a file by their ids, those of other files behind them; and what is doubted about the file."""

    elements: Mapping[str, Element]
    doubts: Doubts

    def target_of(self, link: Element) -> Element | None:
        """What a link links to, if one of the files holds it."""
        return self.elements.get(link.get("targetId", ""))

    def _written(self, element: Element, refers_to: str) -> str:
        """The name of an element as it stands there, else that of the one with the id `refers_to`."""
        target = self.elements.get(refers_to)
        return element.get("name") or (target.get("name") if target is not None else None) or ""

    def word_of(self, element: Element, refers_to: str) -> str:
        """The name of a category, a cost or a column, in lower case."""
        return tidy(self._written(element, refers_to)[: cells.LONGEST_WORD]).casefold()

    def name_of(self, element: Element) -> str:
        """The name of an entry or a link: its own, else its target's; with what its modifiers make of it."""
        name = self._written(element, element.get("targetId", ""))
        for modifier, conditional in modifiers(element):
            if modifier.get("field") == "name" and not conditional:
                value = modifier.get("value", "")
                name = {"set": value, "append": f"{name} {value}"}.get(modifier.get("type", ""), name)
        return tidy(name[: cells.LONGEST_CELL])[:LONGEST_NAME].strip()

    def gather(self, entry: Element) -> Contents:
        """Everything that `entry` holds, through groups, sub-entries and links; each shared thing once.

        Links in a circle end where they began. Without recursion: a file decides how deep this goes.
        """
        contents = Contents(seen={id(entry)})
        waiting, visits = [*reversed(entry)], 0
        while waiting:
            visits += 1
            if visits > MOST_VISITS:
                problem = f"more than {MOST_VISITS} things in this entry; the rest is left out"
                self.doubts.add(self.name_of(entry), problem)
                break
            element = waiting.pop()
            if element.tag in _LISTS:
                waiting.extend(reversed(element))
            elif not is_true(element, "hidden"):
                waiting.extend(reversed(self._visit(element, contents)))
            elif element.tag != "infoLink":
                self.doubts.add(self.name_of(element), f"a {element.tag} hidden in the source; left out")
        return contents

    def _visit(self, element: Element, contents: Contents) -> list[Element]:
        """Put `element` in its place in `contents`; what is still to be looked at inside it comes back."""
        tag, target = element.tag, self.target_of(element)
        if tag == "profile":
            contents.profiles.append(element)
            return []
        if tag in ("selectionEntry", "entryLink") and (level := cells.level(name := self.name_of(element))):
            means, is_right = level
            if not is_right:
                self.doubts.add(name, f"taken for the level {means}")
            contents.levels.append(LevelNode(means, element, target))
            return []
        if tag == "rule":
            contents.rules.append(self.name_of(element))
            return []
        if tag in ("entryLink", "infoLink"):
            if element.get("type") == "rule" or (target is not None and target.tag == "rule"):
                contents.rules.append(self.name_of(element))  # the link may give the rule its parameter
            elif target is None:
                self.doubts.add(self.name_of(element), "a link to something that none of the files holds; left out")
            elif id(target) not in contents.seen:
                contents.seen.add(id(target))
                return [*element, target]
            return [*element]
        if tag == "selectionEntryGroup":
            contents.group_modifiers += [modifier for modifier, _ in modifiers(element)]
        return [*element] if tag in ("selectionEntry", "selectionEntryGroup", "infoGroup") else []

    def characteristics(self, profile: Element, *outer: Element) -> dict[str, str]:
        """The cells of a profile by the lower-case name of their column, as its modifiers leave them.

        `outer` are elements around the profile whose modifiers count too.
        """
        texts: dict[str, str] = {}
        columns: dict[str, str] = {}
        for cell in profile.iterfind("characteristics/characteristic"):
            type_id = cell.get("typeId") or cell.get("characteristicTypeId") or ""
            name = self.word_of(cell, type_id)
            if name in texts:
                self.doubts.add(name, "two cells of that name in a profile; the first counts")
                continue
            text = cell.text if cell.text and cell.text.strip() else cell.get("value", "")
            if len(text) > cells.LONGEST_CELL:
                self.doubts.add(text, "too long for a cell of a profile; left out")
                text = ""
            texts[name] = text
            columns |= {type_id: name, name: name}
        for holder in (profile, *outer):
            for modifier, conditional in modifiers(holder):
                column = columns.get(modifier.get("field", ""))
                if column is not None:
                    texts[column] = self._modified(column, texts[column], modifier, conditional)
        return texts

    def _modified(self, column: str, text: str, modifier: Element, conditional: bool) -> str:
        kind, value = modifier.get("type", ""), modifier.get("value", "")
        sign = {"increment": 1, "add": 1, "decrement": -1, "subtract": -1}.get(kind)
        before, amount = cells.number(text or "0"), cells.number(value)
        if conditional:
            self.doubts.add(f"{column}: {kind} {value}", "a change under a condition; left out")
        elif kind == "set":
            return value
        elif kind == "append":
            return f"{text} {value}"
        elif sign is not None and before is not None and amount is not None:
            return str(before + sign * amount)
        else:
            self.doubts.add(f"{column}: {kind} {value}", "a change of a kind that is not known; left out")
        return text
