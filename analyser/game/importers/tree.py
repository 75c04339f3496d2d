"""Structure of a BattleScribe file: collect the contents of an entry, follow links, and apply modifiers.

An entry is a unit, level or upgrade; a link includes an entry by its id; a modifier changes a value under conditions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple
from xml.etree.ElementTree import Element

from analyser.game.importers import cells
from analyser.game.importers.import_warnings import ImportWarnings
from analyser.game.keywords import LONGEST_NAME, tidy
from analyser.game.names import LONGEST_ID
from analyser.game.units import LevelName

MOST_VISITS = 2000  # most elements of an entry, with linked elements; a real unit has about fifty
_LIST_TAGS = ["profiles", "rules", "infoLinks", "infoGroups", "selectionEntries", "selectionEntryGroups", "entryLinks"]
ENTRY_TYPES = ("unit", "model", "upgrade")
FACTORS = ("multiply", "divide")
SIGNS = {"increment": 1, "add": 1, "decrement": -1, "subtract": -1}
NO_CONTEXT: Context = {}


class LevelNode(NamedTuple):
    """The entry of a reinforcement level, and the shared entry to which it links, if any."""

    name: LevelName
    node: Element
    target: Element | None


@dataclass
class Contents:
    """Contents of an entry and of linked elements, without the contents of reinforcement levels."""

    profiles: list[Element] = field(default_factory=list)
    rules: list[str] = field(default_factory=list)
    levels: list[LevelNode] = field(default_factory=list)
    group_modifiers: list[Element] = field(default_factory=list)  # modifiers of groups of entries
    seen: set[int] = field(default_factory=set)  # `id()` of each element that is included


def elements_by_id(root: Element) -> dict[str, Element]:
    """Return the elements of a document by id; the first counts if two have the same id."""
    return {element.get("id", ""): element for element in reversed([*root.iter()]) if element.get("id")}


def is_true(element: Element, attribute: str) -> bool:
    """Return True if an attribute is set, such as ``hidden``, ``library`` or ``primary``."""
    return element.get(attribute, "").strip().lower() == "true"


def id_of(element: Element) -> str | None:
    """Return the id of an element as profiles store it, or None without an id."""
    return element.get("id", "")[:LONGEST_ID] or None


def modifiers(element: Element) -> Iterator[tuple[Element, tuple[Element, ...]]]:
    """Yield the modifiers of `element`, each with its holders: the elements that contain its conditions."""
    waiting: list[tuple[Element, tuple[Element, ...]]] = [(element, ())]
    while waiting:
        holder, outer = waiting.pop()
        for modifier in holder.iterfind("modifiers/modifier"):
            yield modifier, (*outer, modifier)
        for group in holder.iterfind("modifierGroups/modifierGroup"):
            waiting.append((group, (*outer, group)))


@dataclass(frozen=True)
class Tree:
    """Elements by id, of one file and of the files to which it may link; and the warnings about this file."""

    elements: Mapping[str, Element]
    warnings: ImportWarnings

    def target_of(self, link: Element) -> Element | None:
        """Return the target of a link, or None if no file has it."""
        return self.elements.get(link.get("targetId", ""))

    def _raw_name(self, element: Element, refers_to: str) -> str:
        """Return the unmodified name of an element, or else of the element with the id `refers_to`."""
        target = self.elements.get(refers_to)
        return element.get("name") or (target.get("name") if target is not None else None) or ""

    def word_of(self, element: Element, refers_to: str) -> str:
        """Return the name of a category, a cost or a column, in lower case."""
        return tidy(self._raw_name(element, refers_to)[: cells.LONGEST_STRING]).casefold()

    def name_of(self, element: Element, context: Context = NO_CONTEXT) -> str:
        """Return the name of an entry or link, or else of the link's target, with modifiers applied."""
        name = self._raw_name(element, element.get("targetId", ""))
        for modifier, holders in modifiers(element):
            if modifier.get("field") == "name" and holds(holders, context):
                name = _modified_text(name, modifier) or name
        return tidy(name[: cells.LONGEST_CELL])[:LONGEST_NAME].strip()

    def is_hidden(self, element: Element, context: Context = NO_CONTEXT) -> Truth:
        """Return True if an element is hidden, with modifiers applied; None if the player's choices decide."""
        hidden: Truth = is_true(element, "hidden")
        for modifier, holders in modifiers(element):
            if modifier.get("field") == "hidden" and modifier.get("type") == "set":
                applies, value = holds(holders, context), modifier.get("value", "").strip().lower() == "true"
                hidden = hidden if applies is False or hidden is value else value if applies else None
        return hidden

    def gather(self, entry: Element) -> Contents:
        """Return the contents of `entry` and of its groups, entries and links; each shared element is included once."""
        contents = Contents(seen={id(entry)})
        waiting, visits = [*reversed(entry)], 0
        while waiting:  # not a recursion, because a hostile file can be nested too deeply for that
            visits += 1
            if visits > MOST_VISITS:
                problem = f"more than {MOST_VISITS} elements in this entry; the rest is left out"
                self.warnings.add(self.name_of(entry), problem)
                break
            element = waiting.pop()
            if element.tag in _LIST_TAGS:
                waiting.extend(reversed(element))
            elif not (hidden := self.is_hidden(element)):
                if hidden is None:
                    self.warnings.add(self.name_of(element), "hidden under a condition; treated as visible")
                waiting.extend(reversed(self._visit(element, contents)))
            elif element.tag != "infoLink":
                self.warnings.add(self.name_of(element), f"a {element.tag} hidden in the source; left out")
        return contents

    def _visit(self, element: Element, contents: Contents) -> list[Element]:
        """Add `element` to `contents`, and return the elements to visit next."""
        tag, target = element.tag, self.target_of(element)
        if tag == "profile":
            contents.profiles.append(element)
            return []
        if tag == "selectionEntry" and (kind := element.get("type", "upgrade")) not in ENTRY_TYPES:
            self.warnings.add(self.name_of(element), f"an entry of the unknown type {kind}; left out")
            return []
        if tag in ("selectionEntry", "entryLink") and (level := cells.parse_level(name := self.name_of(element))):
            level_name, is_correct = level
            if not is_correct:
                self.warnings.add(name, f"taken for the level {level_name}")
            contents.levels.append(LevelNode(level_name, element, target))
            return []
        if tag == "rule":
            contents.rules.append(self.name_of(element))
            return []
        if tag in ("entryLink", "infoLink"):
            if element.get("type") == "rule" or (target is not None and target.tag == "rule"):
                contents.rules.append(self.name_of(element))  # the name of the link may include a parameter
            elif target is None:
                self.warnings.add(self.name_of(element), "a link to an entry that no file has; left out")
            elif id(target) not in contents.seen:
                contents.seen.add(id(target))
                return [*element, target]
            return [*element]
        if tag == "selectionEntryGroup":
            contents.group_modifiers += [modifier for modifier, _ in modifiers(element)]
        return [*element] if tag in ("selectionEntry", "selectionEntryGroup", "infoGroup") else []

    def characteristics(self, profile: Element, *outer: Element) -> dict[str, str]:
        """Return the cells of a profile by column, with its modifiers and those of `outer` elements applied."""
        texts: dict[str, str] = {}
        columns: dict[str, str] = {}
        for cell in profile.iterfind("characteristics/characteristic"):
            type_id = cell.get("typeId") or cell.get("characteristicTypeId") or ""
            name = self.word_of(cell, type_id)
            if name in texts:
                self.warnings.add(name, "two cells with this name in a profile; the first is used")
                continue
            text = cell.text if cell.text and cell.text.strip() else cell.get("value", "")
            if len(text) > cells.LONGEST_CELL:
                self.warnings.add(text, "too long for a cell of a profile; left out")
                text = ""
            texts[name] = text
            columns |= {type_id: name, name: name}
        self._fill_defaults(profile, texts, columns)
        for holder in (profile, *outer):
            for modifier, holders in modifiers(holder):
                column = columns.get(modifier.get("field", ""))
                if column is not None:
                    texts[column] = self.apply_modifier(column, texts[column], modifier, holders)
        return texts

    def _fill_defaults(self, profile: Element, texts: dict[str, str], columns: dict[str, str]) -> None:
        """Fill empty or missing cells with the default values of their columns."""
        kind = self.elements.get(profile.get("typeId", ""))
        for column in () if kind is None else kind.iterfind("characteristicTypes/characteristicType"):
            name, value = self.word_of(column, ""), column.get("defaultValue", "")[: cells.LONGEST_CELL]
            if value and not texts.get(name, "").strip():
                self.warnings.add(f"{name}: {value}", "an empty cell; the default value of its column is used")
                texts[name] = value
                columns |= {column.get("id", ""): name, name: name}

    def apply_modifier(
        self, label: str, text: str, modifier: Element, holders: tuple[Element, ...], context: Context = NO_CONTEXT
    ) -> str:
        """Return a text or number with a modifier applied; if its conditions are undecided, warn and change nothing."""
        kind, value = modifier.get("type", ""), modifier.get("value", "")
        applies = holds(holders, context)
        if applies is None:
            self.warnings.add(f"{label}: {kind} {value}", "a change under a condition; left out")
        if not applies:
            return text
        changed = _modified_number(text, modifier) if kind in (*SIGNS, *FACTORS) else _modified_text(text, modifier)
        if changed is None:
            self.warnings.add(f"{label}: {kind} {value}", "a change of an unknown kind; left out")
        return text if changed is None else changed


def _modified_text(text: str, modifier: Element) -> str | None:
    """Return a text with a modifier (set, append or prepend) applied; None for a modifier of another kind."""
    value = modifier.get("value", "")
    return {"set": value, "append": f"{text} {value}", "prepend": f"{value} {text}"}.get(modifier.get("type", ""))


def _modified_number(text: str, modifier: Element) -> str | None:
    """Return a number with a modifier applied; None if the text, the operand or the result is not a whole number."""
    kind, value = modifier.get("type", ""), modifier.get("value", "")
    number, operand = cells.parse_number(text or "0"), cells.parse_number(value)
    if number is None or operand is None or (kind == "divide" and (operand == 0 or number % operand)):
        return None
    results = {"multiply": number * operand, "divide": number // (operand or 1)}
    return str(results.get(kind, number + SIGNS.get(kind, 0) * operand))


_CONTEXT_SCOPES = ("force", "ancestor", "primary-catalogue")  # scopes of conditions on the context of an entry

Truth = bool | None  # None if the player's choices or an unsupported condition decide
Context = Mapping[str, bool]  # by id of a battlegroup or catalogue: True if the entry is in it


def holds(holders: Iterable[Element], context: Context) -> Truth:
    """Return True if all conditions in `holders` (a modifier and its groups) hold; None if this is unknown."""
    return _conjunction(truth for holder in holders for truth in _truths(holder, context))


def _truths(holder: Element, context: Context) -> Iterator[Truth]:
    for condition in holder.iterfind("conditions/condition"):
        yield _condition_truth(condition, context)
    for group in holder.iterfind("conditionGroups/conditionGroup"):
        yield _group_truth(group, context)
    if any(holder.find(f"{tag}/*") is not None for tag in ("localConditionGroups", "repeats")):
        yield None


def _group_truth(group: Element, context: Context) -> Truth:
    truths, kind = list(_truths(group, context)), group.get("type", "and")
    if kind == "and":
        return _conjunction(truths)
    if kind == "or":
        return _negation(_conjunction(map(_negation, truths))) if truths else True
    return _negation(truths[0]) if kind == "not" and len(truths) == 1 else None


def _condition_truth(condition: Element, context: Context) -> Truth:
    kind, context_id = condition.get("type", ""), condition.get("childId", "")
    if kind in ("always", "never"):
        return kind == "always"
    if kind in ("instanceOf", "notInstanceOf") and condition.get("scope") in _CONTEXT_SCOPES and context_id in context:
        return context[context_id] == (kind == "instanceOf")
    return None


def _negation(truth: Truth) -> Truth:
    return None if truth is None else not truth


def _conjunction(truths: Iterable[Truth]) -> Truth:
    result = set(truths)
    return False if False in result else None if None in result else True
