"""Read the rules of force building from a data file: battlegroups, slots, units in slots, and boons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any
from xml.etree.ElementTree import Element

from analyser.common.validation import checked
from analyser.game.forces import MOST_FORCE_POINTS, MOST_IN_FORCE, Battlegroup, Boon, Limits, Membership, Slot
from analyser.game.importers import cells
from analyser.game.importers.tree import MOST_VISITS, Context, Tree, holds, id_of, modifiers
from analyser.game.names import slug, unused_name

MOST_BATTLEGROUPS = 100  # kinds of battlegroup; a faction has three or four
# Scopes of constraints. In a data file, "force" means a battlegroup, and "roster" means a force.
BATTLEGROUP_SCOPES, FORCE_SCOPES = ("force", "parent"), ("roster",)
_COMMON_WORDS = ("battlegroup", "auxiliary")  # words that do not distinguish battlegroups


class ForceReader:
    """Reader of the rules of force building in a catalogue, including the slots of its units."""

    def __init__(self, root: Element, tree: Tree) -> None:
        self.root, self.tree, tree.warnings.unit = root, tree, ""
        system = tree.elements.get(root.get("gameSystemId", ""))
        holders = [root, *([] if system is None or system is root else [system])]
        entries = [entry for holder in holders for entry in holder.iterfind("forceEntries/forceEntry")]
        self.entries = [entry for entry in entries if not tree.is_hidden(entry)][:MOST_BATTLEGROUPS]
        if self.entries and system is None:
            problem = "no file has the game system, so its battlegroup rules are unknown"
            tree.warnings.add(root.get("gameSystemId", ""), problem)
        self.ids: dict[str, str] = {}  # new id of each battlegroup, by its id in the file
        self.slots: dict[str, str] = {}  # new id of each slot, by the id of its category in the file
        for entry in self.entries:
            self.ids[entry.get("id", "")] = unused_name(self._slug(entry), self.ids.values(), "-")
            for link in self._links(entry):
                name = slug(self.tree.name_of(link)) or "slot"
                self.slots.setdefault(link.get("targetId", ""), unused_name(name, self.slots.values(), "-"))
        self.battlegroups = [self._battlegroup(entry) for entry in self.entries]

    def _slug(self, entry: Element) -> str:
        """Return an id from the name of a battlegroup, without words that do not distinguish battlegroups."""
        words = slug(self.tree.name_of(entry)).split("-")
        left_out = {*_COMMON_WORDS, *slug(self.tree.name_of(self.root)).split("-")}
        return "-".join(word for word in words if word not in left_out) or "-".join(words) or "battlegroup"

    def _links(self, entry: Element) -> list[Element]:
        return [link for link in entry.iterfind("categoryLinks/categoryLink") if not self.tree.is_hidden(link)]

    def context(self, entry: Element) -> Context:
        """Return the context (:data:`.tree.Context`) of units in the battlegroup `entry` of this catalogue."""
        battlegroups = {other.get("id", ""): other is entry for other in self.entries}
        return {**battlegroups, self.root.get("id", ""): True}

    def _battlegroup(self, entry: Element) -> Battlegroup:
        name = self.tree.name_of(entry)
        if entry.find("forceEntries/forceEntry") is not None:
            self.tree.warnings.add(name, "battlegroups inside a battlegroup; left out")
        slots: dict[str, Slot] = {}
        for link in self._links(entry):
            category = self.tree.target_of(link)
            holders, label = [link] if category is None else [link, category], f"{name}: {self.tree.name_of(link)}"
            limits = self.limits(holders, BATTLEGROUP_SCOPES, self.context(entry), label)
            slot = checked(Slot, {"name": self.tree.name_of(link), **limits})
            slots.setdefault(self.slots[link.get("targetId", "")], slot)
        data = {
            "id": self.ids[entry.get("id", "")],
            "name": name,
            "entry": id_of(entry),
            "slots": slots,
            **self.limits([entry], (*FORCE_SCOPES, "parent"), self.context(entry), name),
        }
        return checked(Battlegroup, data)

    def limits(self, elements: Sequence[Element], scopes: Sequence[str], context: Context, name: str) -> dict[str, int]:
        """Return the limits `least` and `most` from the constraints of `elements` in `scopes`."""
        numbers: dict[str, list[int]] = {"least": [], "most": []}
        for constraint in chain.from_iterable(element.iterfind("constraints/constraint") for element in elements):
            if (scope := constraint.get("scope")) in (*BATTLEGROUP_SCOPES, *FORCE_SCOPES) and scope not in scopes:
                continue  # another call reads the limits of this scope
            kind, value = constraint.get("type", ""), constraint.get("value", "")
            text = f"{name}: {kind} {value}"
            if reason := self._unsupported_part(constraint, scopes):
                self.tree.warnings.add(text, f"an unsupported limit ({reason}); left out")
                continue
            for modifier, holders in chain.from_iterable(map(modifiers, elements)):
                if constraint.get("id") and modifier.get("field") == constraint.get("id"):
                    value = self.tree.apply_modifier(f"{name}: {kind}", value, modifier, holders, context)
            if value.strip().startswith("-"):
                continue  # a negative number means no limit
            number = cells.parse_number(value)
            if number is None or number > MOST_IN_FORCE:
                self.tree.warnings.add(text, "a limit that is not an integer; left out")
                continue
            for key in {"min": ["least"], "max": ["most"], "exactly": ["least", "most"]}[kind]:
                numbers[key].append(number)
        limits = {key: strictest(numbers[key]) for key, strictest in (("least", max), ("most", min)) if numbers[key]}
        if limits.get("most", MOST_IN_FORCE) < limits.get("least", 0):
            self.tree.warnings.add(f"{name}: {limits}", "least is more than most; least is left out")
            del limits["least"]
        return limits

    def _unsupported_part(self, constraint: Element, scopes: Sequence[str]) -> str:
        """Return an unsupported attribute of a constraint, with its value; empty if all are supported."""
        supported_by_key = {"type": ("min", "max", "exactly"), "field": ("selections", "forces"), "scope": scopes}
        for key, supported in supported_by_key.items():
            if constraint.get(key, "") not in supported:
                return f"{key} {constraint.get(key, '')}"
        flags = (key for key in ("percentValue", "negative") if constraint.get(key, "").lower() == "true")
        return next(flags, "")

    def unit_keys(self, elements: Sequence[Element], name: str) -> dict[str, Any]:
        """Return the force-building keys of a unit; `elements` are its entry and the link to it, if any."""
        memberships: dict[str, Membership] = {}
        for entry in self.entries:
            context = self.context(entry)
            hidden = [self.tree.is_hidden(element, context) for element in elements]
            if True in hidden:
                continue
            if None in hidden:
                problem = f"possibly hidden in {self.tree.name_of(entry)}; treated as visible"
                self.tree.warnings.add(name, problem)
            in_slots = {link.get("targetId", "") for link in self._links(entry)}
            categories = self._categories(elements, context)
            if categories and categories[0] in in_slots:
                slots = tuple(self.slots[category] for category in dict.fromkeys(categories) if category in in_slots)
                limits = self.limits(elements, BATTLEGROUP_SCOPES, context, name)
                memberships[self.ids[entry.get("id", "")]] = checked(Membership, {"slots": slots, **limits})
        if self.entries and not memberships:
            self.tree.warnings.add(name, "no battlegroup has a slot for this unit")
        in_force = checked(Limits, self.limits(elements, FORCE_SCOPES, {}, name))
        return {"battlegroups": memberships, "in_force": in_force}

    def _categories(self, elements: Sequence[Element], context: Context) -> list[str]:
        """Return the ids of a unit's categories in a context, the primary category first."""
        links = [link for element in elements for link in element.iterfind("categoryLinks/categoryLink")]
        primary = [link.get("targetId", "") for link in links if link.get("primary") == "true"][:1]
        ids = [link.get("targetId", "") for link in links]
        for modifier, holders in chain.from_iterable(map(modifiers, elements)):
            kind, value = modifier.get("type", ""), modifier.get("value", "")
            if modifier.get("field") != "category":
                continue
            applies = holds(holders, context)
            if applies is None or kind not in ("add", "remove", "set-primary", "unset-primary"):
                self.tree.warnings.add(f"category: {kind} {value}", "an unsupported change of categories; left out")
            elif applies:
                ids = [category for category in ids if category != value] + ([] if kind == "remove" else [value])
                primary = {"set-primary": [value]}.get(kind, [category for category in primary if category in ids])
                primary = [] if kind == "unset-primary" and primary == [value] else primary
        return [*primary, *(category for category in ids if category not in primary)]

    def boons(self) -> tuple[Boon, ...]:
        """Return the boons of battlegroups: the upgrades in the file, and the options of these upgrades."""
        boons: dict[str, Boon] = {}
        for element in self._upgrades():
            name_in_file = self.tree.name_of(element)
            name = self.tree.warnings.unit = name_in_file.rstrip(": ") or name_in_file
            boon_id = unused_name(slug(name) or "boon", boons, "-")
            self._store_bonuses(element, name_in_file)
            data = {
                "id": boon_id,
                "name": name,
                "entry": id_of(element),
                "points": self._points(element),
                "needs": tuple(self._needs(element)),
                **self.limits([element], BATTLEGROUP_SCOPES, {}, name),
            }
            boons[boon_id] = checked(Boon, data)
        self.tree.warnings.unit = ""
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
            if self.tree.is_hidden(element) is True:
                continue
            if element.tag == "selectionEntry":
                yield element
            waiting += [*element.iterfind("selectionEntries/*"), *element.iterfind("selectionEntryGroups/*")]

    def _points(self, element: Element) -> int:
        costs = (cells.parse_number(cost.get("value")) for cost in element.iterfind("costs/cost"))
        return min(sum(cost for cost in costs if cost), MOST_FORCE_POINTS)

    def _needs(self, element: Element) -> Iterator[str]:
        """Yield the categories that a boon needs; warn about other conditions that hide it."""
        for modifier, holders in modifiers(element):
            if modifier.get("field") != "hidden" or holds(holders, {}) is False:
                continue
            conditions = list(modifier.iterfind("conditions/condition"))
            if len(conditions) == 1 and holders == (modifier,) and _requires_absence(conditions[0]):
                category = self.tree.elements.get(conditions[0].get("childId", ""))
                if category is not None and category.tag == "categoryEntry":
                    yield slug(self.tree.name_of(category)) or "slot"
                    continue
            self.tree.warnings.add(self.tree.name_of(element), "hidden under a condition; treated as visible")

    def _store_bonuses(self, element: Element, name: str) -> None:
        """Store the bonus of each battlegroup: the text that a modifier adds to a boon's name in this battlegroup."""
        for index, (entry, battlegroup) in enumerate(zip(self.entries, self.battlegroups)):
            changed_name = self.tree.name_of(element, self.context(entry))
            bonus = changed_name.removeprefix(name).strip()
            if changed_name != name and not cells.is_none(bonus):
                self.battlegroups[index] = battlegroup.model_copy(update={"bonus": bonus})

    def faction_keys(self) -> Mapping[str, Any]:
        """Return the force-building keys of a faction."""
        boons = self.boons()  # read first: this adds the bonuses to `battlegroups`
        return {"entry": id_of(self.root), "battlegroup": tuple(self.battlegroups), "boon": boons}


def _requires_absence(condition: Element) -> bool:
    attributes = {"type": "lessThan", "value": "1", "field": "selections", "scope": "force"}
    return all(condition.get(key) == value for key, value in attributes.items())
