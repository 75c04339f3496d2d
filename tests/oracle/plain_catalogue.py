"""A plain reading of a players' catalogue, from the schema of its XML alone, without a look at the importer.

It knows what these five files do and no more: a change that is `set`, conditions that are about the battlegroup, alone
or joined by `or`. Anything else is an error.
"""

import re
from pathlib import Path
from xml.etree import ElementTree

LEVELS = {"Basic": "basic", "Reinforced": "reinforced", "Full Strength": "full-strength"}
STATS = {
    "Size": "size",
    "Speed": "speed",
    "Defence": "defence",
    "Damage limit": "damage_limit",
    "Discipline": "discipline",
    "Break Limit": "break_limit",
}


def read(path: Path) -> ElementTree.Element:
    root = ElementTree.parse(path).getroot()
    for element in root.iter():
        element.tag = element.tag.split("}")[1]
    return root


def number(text):
    """What a cell says, as a number; None for a dash."""
    bare = (text or "").replace('"', "").replace("”", "").strip()
    return None if bare in ("", "-") else int(bare)


def cells_of(profile):
    """The cells of a profile by their columns, as its own modifiers set them."""
    cells = {cell.get("typeId"): [cell.get("name"), cell.text] for cell in profile.iter("characteristic")}
    for modifier in profile.findall("modifiers/modifier"):
        if modifier.get("field") in cells:
            assert modifier.get("type") == "set"
            assert len(modifier) == 0
            cells[modifier.get("field")][1] = modifier.get("value")
    return dict(cells.values())


def units(root):
    return [each for each in root.findall("selectionEntries/selectionEntry") if each.get("type") == "unit"]


def levels(unit):
    """By level: entry, points, the target type, and the numbers of the profile."""
    found = {}
    for link in unit.findall("selectionEntryGroups/selectionEntryGroup/entryLinks/entryLink"):
        (profile,) = link.findall("profiles/profile")
        (cost,) = link.findall("costs/cost")
        cells = cells_of(profile)
        found[LEVELS[link.get("name")]] = {
            "entry": link.get("id"),
            "points": int(float(cost.get("value"))),
            "target": cells["Target type"].strip().lower(),
            "models": number(cells["Models"]),
            "victory_points": number(cells["VPR"]),
            **{name: number(cells[column]) for column, name in STATS.items()},
        }
    return found


def rows(unit):
    """The armaments grid: name, ranges, bands from the lowest numbers up, qualities as they are written."""
    found = []
    for profile in unit.iter("profile"):
        if profile.get("typeName") != "Type":
            continue
        cells = cells_of(profile)
        reach = [number(part) for part in (cells.pop("Range") or "-").split("/")]
        qualities = names(cells.pop("Qualities"))
        bands = []
        for column, text in cells.items():
            first, _, last = column.partition("-")
            dice = re.fullmatch(r"(\d+)\s*(?:\((\d+)\))?", text.strip())
            bands.append((int(first), int(last or first), int(dice[1]), int(dice[2]) if dice[2] else None))
        short, long = (None, *reach)[-2:]
        found.append((profile.get("name").strip(), short, long, sorted(bands), qualities))
    return found


def special_rules(unit):
    cells = [cells_of(each) for each in unit.iter("profile") if each.get("typeName") == "Special Rules"]
    return [name for each in cells for name in names(each["Special Rules"])]


def names(text):
    """The names in a cell, as they are written, with one kind of space and no marks of inches."""
    parts = [" ".join((part or "").split()).replace('"', "").replace("”", "") for part in (text or "").split(",")]
    return [part for part in parts if part not in ("", "-")]


# --- building forces -------------------------------------------------------------------------------------


def within(modifier, force):
    conditions = list(modifier.iter("condition"))
    joined = {each.get("type") for each in modifier.iter("conditionGroup")}
    assert joined <= {"or"}
    truths = []
    for condition in conditions:
        assert condition.get("scope") in ("force", "ancestor")
        is_it = condition.get("childId") == force.get("id")
        truths.append({"instanceOf": is_it, "notInstanceOf": not is_it}[condition.get("type")])
    return any(truths) if joined else all(truths)


def place(unit, force):
    """The ids of a unit's categories in a battlegroup, the primary one first, and how many of it that may have."""
    categories = [each.get("targetId") for each in unit.findall("categoryLinks/categoryLink")]
    (primary,) = (each.get("targetId") for each in unit.findall("categoryLinks/categoryLink[@primary='true']"))
    (limit,) = unit.findall("constraints/constraint")
    assert (limit.get("type"), limit.get("scope"), limit.get("field")) == ("max", "force", "selections")
    most = int(limit.get("value"))
    for modifier in unit.findall("modifiers/modifier"):
        if not within(modifier, force):
            continue
        if modifier.get("field") == limit.get("id"):
            most = int(modifier.get("value"))
        else:
            assert (modifier.get("field"), modifier.get("type")) == ("category", "set-primary")
            primary = modifier.get("value")
    return [primary, *(each for each in categories if each != primary)], most


def slots(force, system):
    """By category: its name in a battlegroup, at least and at most how many."""
    found = {}
    for link in force.findall("categoryLinks/categoryLink"):
        (category,) = (each for each in system.iter("categoryEntry") if each.get("id") == link.get("targetId"))
        limits = {"min": 0, "max": None}
        for each in [*link.findall("constraints/constraint"), *category.findall("constraints/constraint")]:
            limits[each.get("type")] = int(each.get("value"))
        found[link.get("targetId")] = (link.get("name"), limits["min"], limits["max"])
    return found
