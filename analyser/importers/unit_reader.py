"""An entry of a BattleScribe file made into a unit, with every doubt about it told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, get_args
from xml.etree.ElementTree import Element

from analyser.common.errors import InputError
from analyser.common.validation import checked
from analyser.game.keywords import LONGEST_NAME, QUALITIES, SPECIAL_RULES, parse, recognise, tidy
from analyser.game.units import MOST_INCHES, MOST_MODELS, Category, Level, LevelName, Trait, Unit, UnitType
from analyser.importers import cells
from analyser.importers.armaments import Cells, read_rows, recognised
from analyser.importers.doubts import Doubts, review
from analyser.importers.tree import (
    Contents,
    LevelNode,
    Library,
    characteristics,
    gather,
    is_hidden,
    name_of,
    target_of,
)

STATS = {  # the columns of a unit's profile and what this program calls them
    "target type": "category",
    "target": "category",
    "size": "size",
    "models": "models",
    "vpr": "victory_points",
    "vp": "victory_points",
    "victory points": "victory_points",
    "speed": "speed",
    "defence": "defence",
    "defense": "defence",
    "damage limit": "damage_limit",
    "discipline": "discipline",
    "break limit": "break_limit",
}
LIMITS = {
    "size": (0, 100),
    "defence": (1, 100),
    "damage_limit": (1, 1000),
    "discipline": (0, 100),
    "break_limit": (0, MOST_MODELS),
}
TYPES: dict[str, UnitType] = {each: each for each in get_args(UnitType)} | {"armor": "armour"}
TRAITS: tuple[Trait, ...] = get_args(Trait)
USUAL_TYPE: dict[Category, UnitType] = {"light": "infantry", "heavy": "armour", "aerial": "aircraft"}
FLYING: tuple[UnitType, ...] = ("rotorcraft", "aircraft")
POINTS = ("points", "point", "pts")


class Stats(NamedTuple):
    """A unit's profile at one level: its title and its cells under this program's names."""

    title: str
    cells: Cells


class Sorted(NamedTuple):
    """The profiles of an entry by what they are."""

    stats: list[tuple[Element, Stats]]
    rows: list[tuple[Element, Cells]]
    rules: list[str]


def read_unit(entry: Element, library: Library, doubts: Doubts) -> Unit | None:
    """The unit that `entry` holds; None, and a doubt that says why, when it cannot be made out.

    Parameters
    ----------
    entry : Element
        A ``selectionEntry``.
    library : mapping of str to Element
        What its links may mean.
    doubts : Doubts
        Filled; its `unit` is set.
    """
    name = name_of(entry, library)
    doubts.unit = name or "(no name)"
    if not name:
        doubts.add(entry.get("id", ""), "a unit without a name; left out")
        return None
    contents = gather(entry, library, doubts)
    profiles = _sorted(contents, library, doubts)
    stats, levels = _levels(entry, contents, profiles, library, doubts)
    if not levels:
        doubts.add(name, "no reinforcement level that can be made out; the unit is left out")
        return None
    _doubt_titles(name, stats.values(), doubts)
    data: dict[str, Any] = {"id": cells.slug(name) or "unit", "name": name, "levels": levels}
    data |= _kind(entry, _agreed("category", stats, doubts), library, doubts)
    data |= _numbers(stats, doubts)
    for needed in ("defence", "damage_limit"):
        if data[needed] is None:
            doubts.add(name, f"no usable {needed.replace('_', ' ').upper()}; the unit is left out")
            return None
    data["rules"] = recognised([*profiles.rules, *_linked_rules(contents)], SPECIAL_RULES, "special rule", doubts)
    data["rows"] = read_rows(profiles.rows, doubts)
    try:
        unit = checked(Unit, data)
    except InputError as error:
        doubts.add(error.where, f"{error.problem}; the unit is left out")
        return None
    review(unit, doubts)
    return unit


def _sorted(contents: Contents, library: Library, doubts: Doubts) -> Sorted:
    """The profiles of an entry by what their columns say they are."""
    found = Sorted([], [], [])
    for profile in contents.profiles:
        by_name = characteristics(profile, library, doubts)
        title = name_of(profile, library)
        if any(cells.band(column) for column in by_name):
            found.rows.append((profile, by_name))
        elif "special rules" in by_name:
            found.rules.extend(cells.names(by_name["special rules"]))
        elif len(STATS.keys() & by_name.keys()) >= 2:
            found.stats.append((profile, Stats(title, _renamed(by_name, doubts))))
        elif cells.heading(title):
            doubts.add(title, "an armaments row without bands; left out")
        else:
            doubts.add(title, f"a profile of a kind that is not known ({profile.get('typeName', '')}); left out")
    return found


def _renamed(by_name: Cells, doubts: Doubts) -> Cells:
    for column in by_name.keys() - STATS.keys():
        doubts.add(column, "a column of the unit's profile that is not known; left out")
    return {STATS[column]: text for column, text in by_name.items() if column in STATS}


# --- levels -------------------------------------------------------------------------------------


def _levels(
    entry: Element, contents: Contents, profiles: Sorted, library: Library, doubts: Doubts
) -> tuple[dict[LevelName, Stats], dict[LevelName, Level]]:
    """The profile and the models, points and victory points at each level, in the order of the levels."""
    nodes: dict[LevelName, LevelNode] = {}
    for node in contents.levels:
        if nodes.setdefault(node.name, node) is not node:
            doubts.add(node.name, "this level stands twice; the first counts")
    stats: dict[LevelName, Stats] = {}
    levels: dict[LevelName, Level] = {}
    if not nodes and profiles.stats:
        doubts.add(profiles.stats[0][1].title, "no reinforcement levels; taken for the basic one")
        nodes["basic"] = LevelNode("basic", entry, None)
    for name in cells.LEVEL_ORDER:
        if name not in nodes:
            continue
        found = _level_stats(nodes[name], contents, profiles, library, doubts)
        level = _level(nodes[name], entry, found.cells, library, doubts) if found else None
        if found is None:
            doubts.add(name, "this level has no profile; left out")
        elif level is not None:
            stats[name], levels[name] = found, level
    return stats, levels


def _level_stats(
    node: LevelNode, contents: Contents, profiles: Sorted, library: Library, doubts: Doubts
) -> Stats | None:
    """The unit's profile at this level: the level's own, else the one that stands outside the levels."""
    inside = gather(node.node, library, doubts)
    for profile in inside.profiles:
        by_name = characteristics(profile, library, doubts, outer=(node.node,))
        if len(STATS.keys() & by_name.keys()) >= 2:
            _doubt_group_modifiers(profile, contents, doubts)
            return Stats(name_of(profile, library), _renamed(by_name, doubts))
    for profile, found in profiles.stats:
        by_name = characteristics(profile, library, doubts, outer=(node.node,))
        return Stats(found.title, _renamed(by_name, doubts))
    return None


def _doubt_group_modifiers(profile: Element, contents: Contents, doubts: Doubts) -> None:
    """A group's modifiers do not reach the profiles in it, whatever its author meant."""
    columns = {cell.get("typeId"): cell.get("name", "") for cell in profile.iterfind("characteristics/characteristic")}
    for modifier in contents.group_modifiers:
        if modifier.get("field") in columns:
            shown = f"{columns[modifier.get('field')]}: {modifier.get('type', '')} {modifier.get('value', '')}"
            doubts.add(shown, "a change on the group around the levels, where it does nothing; left out")


def _level(node: LevelNode, entry: Element, stats: Cells, library: Library, doubts: Doubts) -> Level | None:
    models = _number(stats.get("models"), (1, MOST_MODELS), f"{node.name} models", doubts)
    if models is None:
        doubts.add(f"{node.name}: {stats.get('models', '')}", "no usable number of models; the level is left out")
        return None
    victory_points = _number(stats.get("victory_points"), (0, 1000), f"{node.name} VPR", doubts)
    holders = [node.node] if node.node is entry else [node.node, entry]
    costs = [cost for holder in holders for cost in _costs(holder, library)]
    if not costs and node.target is not None:
        costs = _costs(node.target, library)
    points = [_number(cost, (0, 100_000), f"{node.name} points", doubts) for cost in costs]
    known = [each for each in points if each is not None]
    # a level's cost and its unit's add up, as they do in the program that the file is made for
    total = sum(known) if known and sum(known) <= 100_000 else None
    return Level(models=models, points=total, victory_points=victory_points)


def _costs(holder: Element, library: Library) -> list[str]:
    found = []
    for cost in holder.iterfind("costs/cost"):
        of_type = library.get(cost.get("typeId", ""))
        name = cost.get("name") or (of_type.get("name") if of_type is not None else "") or ""
        if tidy(name[:200]).casefold() in POINTS:
            found.append(cost.get("value", ""))
    return found


def _doubt_titles(name: str, stats: Iterable[Stats], doubts: Doubts) -> None:
    for title in dict.fromkeys(each.title for each in stats):
        if title.casefold() != name.casefold():
            doubts.add(title, "the profile's name is not the unit's")


# --- the unit's own numbers, type and traits ------------------------------------------------------


def _agreed(key: str, stats: Mapping[LevelName, Stats], doubts: Doubts) -> str | None:
    """The text of a cell, which should be one for all levels: the first level's that has it."""
    texts = {level: tidy(each.cells[key]) for level, each in stats.items() if key in each.cells}
    if len({text.casefold() for text in texts.values()}) > 1:
        shown = ", ".join(f"{level} {text}" for level, text in texts.items())
        doubts.add(f"{key.replace('_', ' ')}: {shown}", "differs from level to level; the lowest level's counts")
    return next(iter(texts.values()), None)


def _numbers(stats: Mapping[LevelName, Stats], doubts: Doubts) -> dict[str, Any]:
    data: dict[str, Any] = {
        key: _number(_agreed(key, stats, doubts), limits, key.replace("_", " "), doubts)
        for key, limits in LIMITS.items()
    }
    speed = _agreed("speed", stats, doubts)
    reach = cells.inches(speed)
    if reach is None or reach.short is not None or (reach.long or 0) > MOST_INCHES:
        doubts.add(f"speed: {speed}", "not a distance; left out")
        reach = cells.Range(None, None)
    return data | {"speed": reach.long}


def _number(text: str | None, limits: tuple[int, int], what: str, doubts: Doubts) -> int | None:
    """The number in a cell, or None: for a dash, or with a doubt for what is no number within `limits`."""
    if cells.is_none(text):
        return None
    value = cells.number(text)
    low, high = limits
    if value is None or not low <= value <= high:
        doubts.add(f"{what}: {text}", f"not a number from {low} to {high}; left out")
        return None
    return value


def _kind(entry: Element, target: str | None, library: Library, doubts: Doubts) -> dict[str, Any]:
    """Target category, type and traits, from the profile's cell and the unit's categories."""
    links = [link for link in entry.iterfind("categoryLinks/categoryLink") if not is_hidden(link)]
    names = [(_category_name(link, library), link.get("primary", "").lower() == "true") for link in links]
    names.sort(key=lambda each: not each[1])  # stable: the primary one first, the others as they stand
    said = [cells.CATEGORIES[name] for name, _ in names if name in cells.CATEGORIES]
    types = list(dict.fromkeys(TYPES[name] for name, _ in names if name in TYPES))
    if len(types) > 1:
        doubts.add(", ".join(types), f"more than one type; taken for {types[0]}")
    category = _category(target, said, types[:1], doubts)
    if not types:
        types = [USUAL_TYPE[category]]
        doubts.add(", ".join(name for name, _ in names), f"no category tells the type; taken for {types[0]}")
    traits = tuple(trait for trait in TRAITS if any(trait == name for name, _ in names))
    return {"category": category, "type": types[0], "traits": traits}


def _category_name(link: Element, library: Library) -> str:
    target = target_of(link, library)
    name = link.get("name") or (target.get("name") if target is not None else "") or ""
    return tidy(name[:200]).casefold()


def _category(target: str | None, said: list[Category], types: list[UnitType], doubts: Doubts) -> Category:
    """The target category: what the profile says, doubted where the unit's categories or its type say otherwise."""
    found = cells.CATEGORIES.get((target or "").casefold())
    if found is None:
        found = said[0] if said else "light"
        doubts.add(f"target type: {target or ''}", f"not light, heavy or aerial; taken for {found}")
    elif said and found not in said:
        doubts.add(f"target type: {target}", f"the unit's categories say {said[0]}")
    elif any((each in FLYING) != (found == "aerial") for each in types):
        doubts.add(f"target type: {target}", f"unlikely for {types[0]}")
    return found


# --- rules and qualities --------------------------------------------------------------------------


def _linked_rules(contents: Contents) -> list[str]:
    """Special rules that are linked rather than listed; a linked weapon quality is only its explanation."""
    return [name for name in contents.rules if name and not recognise(parse(name[:LONGEST_NAME])[0], QUALITIES)[1]]
