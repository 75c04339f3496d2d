"""Force building in a data file: battlegroups, their slots, the slots of each unit, and boons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any
from xml.etree.ElementTree import Element

from analyser.common.validation import checked
from analyser.game.forces import MOST_FORCE_POINTS, MOST_IN_FORCE, Battlegroup, Boon, Limits, Membership, Slot
from analyser.game.names import LONGEST_ID
from analyser.importers import cells
from analyser.importers.tree import MOST_VISITS, Standing, Tree, holds, modifiers, unused_id

MOST_BATTLEGROUPS = 100  # kinds of battlegroup; a faction has three or four
# names in a file: its force is a battlegroup, its roster a force
IN_BATTLEGROUP, IN_FORCE = ("force", "parent"), ("roster",)
_NOTHING_SAID = ("battlegroup", "auxiliary")  # words that do not distinguish battlegroups


@dataclass
class ForceReader:
    """Reader of a catalogue's rules of force building, including the slots of its units."""

    root: Element
    tree: Tree
    ids: dict[str, str] = field(default_factory=dict)  # ids of battlegroups, by their ids in the file
    slots: dict[str, str] = field(default_factory=dict)  # ids of slots, by the ids of their categories in the file
    battlegroups: list[Battlegroup] = field(default_factory=list)
    entries: list[Element] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.tree.doubts.unit = ""
        system = self.tree.elements.get(self.root.get("gameSystemId", ""))
        holders = [self.root, *([] if system is None or system is self.root else [system])]
        result = [entry for holder in holders for entry in holder.iterfind("forceEntries/forceEntry")]
        self.entries = [entry for entry in result if not self.tree.hidden(entry)][:MOST_BATTLEGROUPS]
        if self.entries and system is None:
            why = "the game system is in none of the files, so its battlegroup rules are unknown"
            self.tree.doubts.add(self.root.get("gameSystemId", ""), why)
        for entry in self.entries:
            self.ids[entry.get("id", "")] = unused_id(self._slug(entry), self.ids.values())
            for link in self._links(entry):
                name = cells.slug(self.tree.name_of(link)) or "slot"
                self.slots.setdefault(link.get("targetId", ""), unused_id(name, self.slots.values()))
        self.battlegroups = [self._battlegroup(entry) for entry in self.entries]

    def _slug(self, entry: Element) -> str:
        """Return an id from the name of a battlegroup, without the words that all of them have."""
        words = cells.slug(self.tree.name_of(entry)).split("-")
        without = {*_NOTHING_SAID, *cells.slug(self.tree.name_of(self.root)).split("-")}
        return "-".join(word for word in words if word not in without) or "-".join(words) or "battlegroup"

    def _links(self, entry: Element) -> list[Element]:
        return [link for link in entry.iterfind("categoryLinks/categoryLink") if not self.tree.hidden(link)]

    def standing(self, entry: Element) -> Standing:
        """Return the surroundings of entries in a battlegroup: this battlegroup and catalogue, no other battlegroup."""
        there = {other.get("id", ""): other is entry for other in self.entries}
        return {**there, self.root.get("id", ""): True}

    def _battlegroup(self, entry: Element) -> Battlegroup:
        name = self.tree.name_of(entry)
        if entry.find("forceEntries/forceEntry") is not None:
            self.tree.doubts.add(name, "battlegroups within a battlegroup; left out")
        slots: dict[str, Slot] = {}
        for link in self._links(entry):
            category = self.tree.target_of(link)
            holders = [link] if category is None else [link, category]
            limits = self.limits(holders, IN_BATTLEGROUP, self.standing(entry), f"{name}: {self.tree.name_of(link)}")
            slot = checked(Slot, {"name": self.tree.name_of(link), **limits})
            slots.setdefault(self.slots[link.get("targetId", "")], slot)
        data = {
            "id": self.ids[entry.get("id", "")],
            "name": name,
            "entry": _entry(entry),
            "slots": slots,
            **self.limits([entry], (*IN_FORCE, "parent"), self.standing(entry), name),
        }
        return checked(Battlegroup, data)

    def limits(
        self, elements: Sequence[Element], scopes: Sequence[str], standing: Standing, what: str
    ) -> dict[str, int]:
        """Return the limits `least` and `most` from the constraints on some elements whose scope is in `scopes`."""
        result: dict[str, list[int]] = {"least": [], "most": []}
        for constraint in (limit for holder in elements for limit in holder.iterfind("constraints/constraint")):
            if constraint.get("scope") in (*IN_BATTLEGROUP, *IN_FORCE) and constraint.get("scope") not in scopes:
                continue  # read in the call for its scope
            kind, value = constraint.get("type", ""), constraint.get("value", "")
            shown = f"{what}: {kind} {value}"
            refused = self._refused(constraint, scopes)
            if refused:
                self.tree.doubts.add(shown, f"a limit that is not read ({refused}); left out")
                continue
            for modifier, around in chain.from_iterable(map(modifiers, elements)):
                if constraint.get("id") and modifier.get("field") == constraint.get("id"):
                    value = self.tree.modified(f"{what}: {kind}", value, modifier, around, standing)
            if value.strip().startswith("-"):
                continue  # a negative limit means no limit
            number = cells.number(value)
            if number is None or number > MOST_IN_FORCE:
                self.tree.doubts.add(shown, "a limit that is not an integer; left out")
                continue
            for key in {"min": ["least"], "max": ["most"], "exactly": ["least", "most"]}[kind]:
                result[key].append(number)
        limits = {key: pick(result[key]) for key, pick in (("least", max), ("most", min)) if result[key]}
        if limits.get("most", MOST_IN_FORCE) < limits.get("least", 0):
            self.tree.doubts.add(f"{what}: {limits}", "at least more than at most; the former is left out")
            del limits["least"]
        return limits

    def _refused(self, constraint: Element, scopes: Sequence[str]) -> str:
        """Return the reason that a constraint is not supported, in the words of the file; empty if it is supported."""
        for key, usual in (("type", ("min", "max", "exactly")), ("field", ("selections", "forces")), ("scope", scopes)):
            if constraint.get(key, "") not in usual:
                return f"{key} {constraint.get(key, '')}"
        odd = (key for key in ("percentValue", "negative") if constraint.get(key, "").lower() == "true")
        return next(odd, "")

    def places(self, elements: Sequence[Element], name: str) -> dict[str, Any]:
        """Return the force-building keys of a unit: `elements` are its entry, and the link to it if there is one."""
        places: dict[str, Membership] = {}
        for entry in self.entries:
            standing = self.standing(entry)
            hidden = [self.tree.hidden(element, standing) for element in elements]
            if True in hidden:
                continue
            if None in hidden:
                self.tree.doubts.add(name, f"hidden or not in {self.tree.name_of(entry)}; taken for not hidden")
            there = {link.get("targetId", "") for link in self._links(entry)}
            listed = self._categories(elements, standing)
            if listed and listed[0] in there:
                slots = tuple(self.slots[fromkey] for fromkey in dict.fromkeys(listed) if fromkey in there)
                limits = self.limits(elements, IN_BATTLEGROUP, standing, name)
                places[self.ids[entry.get("id", "")]] = checked(Membership, {"slots": slots, **limits})
        if self.entries and not places:
            self.tree.doubts.add(name, "no battlegroup has a slot for it")
        in_force = checked(Limits, self.limits(elements, IN_FORCE, {}, name))
        return {"battlegroups": places, "in_force": in_force}

    def _categories(self, elements: Sequence[Element], standing: Standing) -> list[str]:
        """Return the ids of an entry's categories in its surroundings, the primary one first."""
        links = [link for element in elements for link in element.iterfind("categoryLinks/categoryLink")]
        primary = [link.get("targetId", "") for link in links if link.get("primary") == "true"][:1]
        ids = [link.get("targetId", "") for link in links]
        for modifier, around in chain.from_iterable(map(modifiers, elements)):
            kind, value = modifier.get("type", ""), modifier.get("value", "")
            if modifier.get("field") != "category":
                continue
            does = holds(around, standing)
            if does is None or kind not in ("add", "remove", "set-primary", "unset-primary"):
                self.tree.doubts.add(f"category: {kind} {value}", "a change of categories that is not read; left out")
            elif does:
                ids = [category for category in ids if category != value] + ([] if kind == "remove" else [value])
                primary = {"set-primary": [value]}.get(kind, [category for category in primary if category in ids])
                primary = [] if kind == "unset-primary" and primary == [value] else primary
        return [*primary, *(category for category in ids if category not in primary)]

    def boons(self) -> tuple[Boon, ...]:
        """Return the boons of battlegroups: the file's own upgrades and the options within them."""
        boons: dict[str, Boon] = {}
        for element in self._upgrades():
            written = self.tree.name_of(element)
            name = self.tree.doubts.unit = written.rstrip(": ") or written
            boon_id = unused_id(cells.slug(name) or "boon", boons)
            self._name_bonuses(element, written)
            data = {
                "id": boon_id,
                "name": name,
                "entry": _entry(element),
                "points": self._points(element),
                "needs": tuple(self._needs(element)),
                **self.limits([element], IN_BATTLEGROUP, {}, name),
            }
            boons[boon_id] = checked(Boon, data)
        self.tree.doubts.unit = ""
        return tuple(boons.values())

    def _upgrades(self) -> Iterator[Element]:
        linked = {link.get("targetId") for entry in self.entries for link in self._links(entry)}
        waiting = [
            upgrade
            for upgrade in self.root.iterfind("selectionEntries/selectionEntry")
            if upgrade.get("type") == "upgrade"
            and linked.intersection(link.get("targetId") for link in upgrade.iterfind("categoryLinks/categoryLink"))
        ]
        for _ in range(MOST_VISITS):
            if not waiting:
                return
            element = waiting.pop(0)
            if self.tree.hidden(element) is True:
                continue
            if element.tag == "selectionEntry":
                yield element
            waiting += [*element.iterfind("selectionEntries/*"), *element.iterfind("selectionEntryGroups/*")]

    def _points(self, element: Element) -> int:
        costs = (cells.number(cost.get("value")) for cost in element.iterfind("costs/cost"))
        return min(sum(cost for cost in costs if cost), MOST_FORCE_POINTS)

    def _needs(self, element: Element) -> Iterator[str]:
        """Yield the categories that a boon needs to be visible; other conditions of visibility give a warning."""
        for modifier, around in modifiers(element):
            if modifier.get("field") != "hidden" or holds(around, {}) is False:
                continue
            conditions = list(modifier.iterfind("conditions/condition"))
            if len(conditions) == 1 and around == (modifier,) and _is_about_one(conditions[0]):
                category = self.tree.elements.get(conditions[0].get("childId", ""))
                if category is not None and category.tag == "categoryEntry":
                    yield cells.slug(self.tree.name_of(category)) or "slot"
                    continue
            self.tree.doubts.add(self.tree.name_of(element), "hidden or not under a condition; taken for not hidden")

    def _name_bonuses(self, element: Element, name: str) -> None:
        """Store the text that one kind of battlegroup adds to a boon's name as its bonus."""
        for place, (entry, battlegroup) in enumerate(zip(self.entries, self.battlegroups)):
            called = self.tree.name_of(element, self.standing(entry))
            bonus = called.removeprefix(name).strip()
            if called != name and not cells.is_none(bonus):
                self.battlegroups[place] = battlegroup.model_copy(update={"bonus": bonus})

    def keys(self) -> Mapping[str, Any]:
        """Return the force-building keys of a faction."""
        boons = self.boons()  # first, because it sets the bonuses of battlegroups
        return {"entry": _entry(self.root), "battlegroup": tuple(self.battlegroups), "boon": boons}


def _entry(element: Element) -> str | None:
    return element.get("id", "")[:LONGEST_ID] or None


def _is_about_one(condition: Element) -> bool:
    """Return True if a condition is that a battlegroup contains no entry of a kind."""
    wanted = {"type": "lessThan", "value": "1", "field": "selections", "scope": "force"}
    return all(condition.get(key) == value for key, value in wanted.items())
