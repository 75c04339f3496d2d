"""Reader of an entry of a BattleScribe file as a unit, with a warning for every doubt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, get_args
from xml.etree.ElementTree import Element

from analyser.common.errors import InputError
from analyser.common.validation import checked
from analyser.game import units
from analyser.game.keywords import LONGEST_NAME, QUALITIES, SPECIAL_RULES, Term, parse, recognise, tidy, with_parameter
from analyser.game.names import LONGEST_ID
from analyser.game.units import Category, LevelName, UnitType
from analyser.importers import cells
from analyser.importers.import_warnings import review
from analyser.importers.tree import Contents, LevelNode, Tree, is_true, modifiers, unused_id

LIMITS = {
    "size": (0, 100),
    "defence": (1, 100),
    "damage_limit": (1, 1000),
    "discipline": (0, 100),
    "break_limit": (0, units.MOST_MODELS),
}
STATS = {  # columns of a unit's profile, and their keys here
    **{name.replace("_", " "): name for name in (*LIMITS, "models", "speed", "victory_points")},
    **{"vpr": "victory_points", "vp": "victory_points", "defense": "defence"},
    **{"target": "category", "target type": "category"},
}
MOST_POINTS = 100_000
TYPES: dict[str, UnitType] = {arg: arg for arg in get_args(UnitType)} | {"armor": "armour"}
TRAITS: tuple[units.Trait, ...] = get_args(units.Trait)
USUAL_TYPE: dict[Category, UnitType] = {"light": "infantry", "heavy": "armour", "aerial": "aircraft"}
FLYING: tuple[UnitType, ...] = ("rotorcraft", "aircraft")
POINTS = ("points", "point", "pts")

Cells = Mapping[str, str]


class Stats(NamedTuple):
    """A unit's profile at one level: its title, and its cells by our keys."""

    title: str
    cells: Cells


class UnitReader:
    """Reader of the unit in an entry (``selectionEntry``)."""

    def __init__(self, entry: Element, tree: Tree) -> None:
        self.entry, self.tree, self.doubt = entry, tree, tree.doubts.add
        self.name, self.contents = tree.name_of(entry), Contents()
        self.stats: list[tuple[Element, Stats]] = []  # profiles outside the levels, by kind
        self.rows: list[tuple[Element, Cells]] = []
        self.rules: list[str] = []
        tree.doubts.unit = self.name or "(no name)"

    def read(self, *, reviewed: bool = True) -> units.Unit | None:
        """Return the unit; None, with a warning, if it cannot be read.

        `reviewed`: also warn about values that are possible but unlikely.
        """
        if not self.name:
            self.doubt(self.entry.get("id", ""), "a unit without a name; left out")
            return None
        self.contents = self.tree.gather(self.entry)
        self._sort_profiles()
        stats, levels = self._levels()
        if not levels:
            self.doubt(self.name, "no reinforcement level that can be made out; the unit is left out")
            return None
        for title in dict.fromkeys(stat.title for stat in stats.values()):
            if title.casefold() != self.name.casefold():
                self.doubt(title, "the profile's name is not the unit's")
        data: dict[str, Any] = {"id": cells.slug(self.name) or "unit", "name": self.name, "levels": levels}
        data |= {"entry": self.entry.get("id", "")[:LONGEST_ID] or None}
        data |= self._kind(self._agreed("category", stats))
        data |= self._in_common(levels, stats)
        for needed in ("defence", "damage_limit"):
            if data[needed] is None or any(getattr(level, needed) == "none" for level in levels.values()):
                self.doubt(self.name, f"no usable {needed.replace('_', ' ').upper()}; the unit is left out")
                return None
        # a linked special rule counts as listed; a linked weapon quality only explains it
        linked = [rule for rule in filter(None, self.contents.rules) if not recognise(parse(rule)[0], QUALITIES)[1]]
        data["rules"] = self._recognised([*self.rules, *linked], SPECIAL_RULES, "special rule")
        data["rows"] = self._read_rows()
        try:
            unit = checked(units.Unit, data)
        except InputError as error:
            self.doubt(error.where, f"{error.problem}; the unit is left out")
            return None
        if reviewed:
            review(unit, self.tree.doubts)
        return unit

    def _sort_profiles(self) -> None:
        for profile in self.contents.profiles:
            by_column = self.tree.characteristics(profile)
            title = self.tree.name_of(profile)
            if any(cells.band(column) for column in by_column):
                self.rows.append((profile, by_column))
            elif "special rules" in by_column:
                self.rules.extend(cells.names(by_column["special rules"]))
            elif _is_stats(by_column):
                self.stats.append((profile, self._stats(profile, by_column)))
            elif cells.heading(title):
                self.doubt(title, "an armaments row without bands; left out")
            else:
                kind = profile.get("typeName", "")
                self.doubt(title, f"a profile of a kind that is not known ({kind}); left out")

    def _stats(self, profile: Element, by_column: Cells) -> Stats:
        for column in by_column:
            if column not in STATS:
                self.doubt(column, "an unknown column of the unit's profile; left out")
        values = {STATS[column]: text for column, text in by_column.items() if column in STATS}
        return Stats(self.tree.name_of(profile), values)

    def _levels(self) -> tuple[dict[LevelName, Stats], dict[LevelName, units.Level]]:
        """Return the profile, and models, points and victory points, at each level, sorted by level."""
        nodes: dict[LevelName, LevelNode] = {}
        for node in self.contents.levels:
            if nodes.setdefault(node.name, node) is not node:
                self.doubt(node.name, "this level is given twice; the first counts")
        if not nodes and self.stats:
            self.doubt(self.stats[0][1].title, "no reinforcement levels; taken for the basic one")
            nodes["basic"] = LevelNode("basic", self.entry, None)
        all_stats: dict[LevelName, Stats] = {}
        levels: dict[LevelName, units.Level] = {}
        for name in (name for name in cells.LEVEL_ORDER if name in nodes):
            stats = self._level_stats(nodes[name])
            if stats is None:
                self.doubt(name, "this level has no profile; left out")
            elif level := self._level(nodes[name], stats.cells):
                all_stats[name], levels[name] = stats, level
        return all_stats, levels

    def _level_stats(self, level: LevelNode) -> Stats | None:
        """Return the unit's profile at a level: the level's own, else the one outside the levels."""
        inside: Stats | None = None
        for profile in self.tree.gather(level.node).profiles:
            by_column = self.tree.characteristics(profile, level.node)
            if inside is None and _is_stats(by_column):
                self._doubt_group_modifiers(profile)
                inside = self._stats(profile, by_column)
            else:
                self.doubt(f"{level.name}: {self.tree.name_of(profile)}", "a profile of this level alone; left out")
        if inside is not None:
            return inside
        outside = (profile for profile, _ in self.stats)
        return next((self._stats(profile, self.tree.characteristics(profile, level.node)) for profile in outside), None)

    def _doubt_group_modifiers(self, profile: Element) -> None:
        """Warn about modifiers of a group, which do not reach the profiles in it."""
        cells_of_profile = profile.iterfind("characteristics/characteristic")
        columns = {cell.get("typeId"): cell.get("name", "") for cell in cells_of_profile}
        for modifier in self.contents.group_modifiers:
            if modifier.get("field") in columns:
                change = f"{modifier.get('type', '')} {modifier.get('value', '')}"
                why = "a change on the group around the levels, where it does nothing; left out"
                self.doubt(f"{columns[modifier.get('field')]}: {change}", why)

    def _level(self, level: LevelNode, stats: Cells) -> units.Level | None:
        models = self._number(stats.get("models"), (1, units.MOST_MODELS), f"{level.name} models")
        if models is None:
            shown = f"{level.name}: {stats.get('models', '')}"
            self.doubt(shown, "no usable number of models; the level is left out")
            return None
        victory_points = self._number(stats.get("victory_points"), (0, 1000), f"{level.name} VPR")
        # the costs of a level and its unit add up, as in BattleScribe
        holders = [level.node] if level.node is self.entry else [level.node, self.entry]
        costs = [cost for holder in holders for cost in self._costs(holder)]
        if not costs and level.target is not None:
            costs = self._costs(level.target)
        points = [self._number(cost, (0, MOST_POINTS), f"{level.name} points") for cost in costs]
        stated = [point for point in points if point is not None]
        total = sum(stated) if stated and sum(stated) <= MOST_POINTS else None
        entry = None if level.node is self.entry else level.node.get("id", "")[:LONGEST_ID] or None
        return units.Level(models=models, points=total, victory_points=victory_points, entry=entry)

    def _costs(self, holder: Element) -> list[str]:
        """Return its costs in points, after their modifiers."""
        result: list[str] = []
        for cost in holder.iterfind("costs/cost"):
            kind, value = cost.get("typeId", ""), cost.get("value", "")
            if self.tree.word_of(cost, kind) in POINTS:
                for modifier, around in modifiers(holder):
                    if kind and modifier.get("field") == kind:
                        value = self.tree.modified("points", value, modifier, around)
                result.append(value)
        return result

    def _agreed(self, key: str, stats: Mapping[LevelName, Stats]) -> str | None:
        """Return the text of a cell that should be equal at all levels: that of the first level with one."""
        texts = {level: tidy(stat.cells[key]) for level, stat in stats.items() if key in stat.cells}
        if len({text.casefold() for text in texts.values()}) > 1:
            shown = ", ".join(f"{level} {text}" for level, text in texts.items())
            self.doubt(f"{key.replace('_', ' ')}: {shown}", "differs from level to level; the lowest level's counts")
        return next(iter(texts.values()), None)

    def _numbers(self, stats: Mapping[LevelName, Stats]) -> dict[LevelName, dict[str, Any]]:
        """Return the numbers of the unit's profile at each level."""
        return {
            level: {key: self._stat(key, stat.cells.get(key)) for key in units.KEYS_BY_LEVEL}
            for level, stat in stats.items()
        }

    def _stat(self, key: str, text: str | None) -> float | None:
        if key != "speed":
            return self._number(text, LIMITS[key], key.replace("_", " "))
        reach = cells.inches(text)
        if reach is None or reach.short is not None or (reach.long or 0) > units.MOST_INCHES:
            self.doubt(f"speed: {text}", "not a distance; left out")
            return None
        return reach.long

    def _in_common(self, levels: dict[LevelName, units.Level], stats: Mapping[LevelName, Stats]) -> dict[str, Any]:
        """Return the unit's numbers, those of its first level; store numbers that differ in the levels."""
        numbers = self._numbers(stats)
        data = dict(next(iter(numbers.values())))
        for key in units.KEYS_BY_LEVEL:
            values = {level: number[key] for level, number in numbers.items()}
            if len(set(values.values())) == 1:
                continue
            line = ", ".join(f"{level} {'none' if value is None else f'{value:g}'}" for level, value in values.items())
            self.doubt(f"{key.replace('_', ' ')}: {line}", "differs from level to level; kept for each level")
            for level, value in values.items():
                own = {key: "none" if value is None else value}
                levels[level] = levels[level].model_copy(update=own)
        return data

    def _number(self, text: str | None, limits: tuple[int, int], what: str) -> int | None:
        """Return the number in a cell; None for a dash, or, with a warning, unless it is within `limits`."""
        if cells.is_none(text):
            return None
        value = cells.number(text)
        low, high = limits
        if value is None or not low <= value <= high:
            self.doubt(f"{what}: {text}", f"not a number from {low} to {high}; left out")
            return None
        return value

    def _kind(self, target: str | None) -> dict[str, Any]:
        """Return target category, type and traits, from the profile's cell and the unit's categories."""
        links = [link for link in self.entry.iterfind("categoryLinks/categoryLink") if not is_true(link, "hidden")]
        links.sort(key=lambda link: not is_true(link, "primary"))  # a stable sort: the others keep their order
        names = [self.tree.word_of(link, link.get("targetId", "")) for link in links]
        types = list(dict.fromkeys(TYPES[name] for name in names if name in TYPES))
        if len(types) > 1:
            self.doubt(", ".join(types), f"more than one type; taken for {types[0]}")
        category = self._category(target, [cells.CATEGORIES[name] for name in names if name in cells.CATEGORIES], types)
        if not types:
            types = [USUAL_TYPE[category]]
            self.doubt(", ".join(names), f"no category tells the type; taken for {types[0]}")
        return {"category": category, "type": types[0], "traits": tuple(trait for trait in TRAITS if trait in names)}

    def _category(self, target: str | None, listed: list[Category], types: list[UnitType]) -> Category:
        """Return the profile's target category; warn if the unit's categories or its type contradict it."""
        category = cells.CATEGORIES.get((target or "").casefold())
        if category is None:
            category = listed[0] if listed else "light"
            self.doubt(f"target type: {target or ''}", f"not light, heavy or aerial; taken for {category}")
        elif listed and category not in listed:
            self.doubt(f"target type: {target}", f"the unit's categories say {listed[0]}")
        elif types and (types[0] in FLYING) != (category == "aerial"):
            self.doubt(f"target type: {target}", f"unlikely for {types[0]}")
        return category

    def _recognised(self, names: Iterable[str], table: Mapping[str, Term], what: str) -> tuple[str, ...]:
        spelled: dict[str, None] = {}
        for written in names:
            name, parameter = parse(written[:LONGEST_NAME])
            meant, right = recognise(name, table)
            if meant not in table:
                self.doubt(written, f"unknown {what}; kept as it is")
            elif not right:
                self.doubt(written, f"misspelt {what}; taken for {meant}")
            spelled[with_parameter(meant, parameter)] = None
        return tuple(spelled)

    def _read_rows(self) -> tuple[units.Row, ...]:
        rows: list[units.Row] = []
        for profile, by_column in self.rows:
            row = self._row(tidy(profile.get("name", "")[:LONGEST_NAME])[:LONGEST_NAME].strip(), by_column)
            if row is not None:
                rows.append(row.model_copy(update={"id": unused_id(row.id, [other.id for other in rows])}))
        return tuple(rows)

    def _row(self, name: str, by_column: Cells) -> units.Row | None:
        heading = cells.heading(name)
        if heading is None:
            self.doubt(name, "neither ranged, melee nor impact; the row is left out")
            return None
        kind, against, is_right = heading
        if not is_right:
            self.doubt(name, f"taken for {kind} {'/'.join(against)}".rstrip())
        reach = self._range(name, by_column.get("range"))
        data = {
            "id": cells.slug(name),
            "name": name,
            "kind": kind,
            "against": against,
            "short_range": reach.short,
            "long_range": reach.long,
            "bands": self._bands(name, by_column),
            "qualities": self._recognised(cells.names(by_column.get("qualities")), QUALITIES, "quality"),
        }
        try:
            return checked(units.Row, data)
        except InputError as error:
            self.doubt(name, f"{error.problem}; the row is left out")
            return None

    def _range(self, name: str, text: str | None) -> cells.Range:
        reach = cells.inches(text)
        if reach is None or max(reach.short or 0, reach.long or 0) > units.MOST_INCHES:
            self.doubt(f"{name}: {text}", "not a range; left out")
            return cells.Range()
        if reach.short is not None and (reach.long is None or reach.short > reach.long):
            self.doubt(f"{name}: {text}", "short range beyond long range; short range is left out")
            return reach._replace(short=None)
        return reach

    def _bands(self, name: str, by_column: Cells) -> tuple[units.Band, ...]:
        """Return the bands sorted by their numbers, for any order of the columns."""
        bands: list[units.Band] = []
        for column, text in by_column.items():
            numbers, dice = cells.band(column), cells.dice(text)
            if numbers is None:
                if column not in ("range", "qualities"):
                    self.doubt(f"{name}: {column}", "an unknown column of an armaments row; left out")
            elif cells.is_none(text):
                continue
            elif numbers[0] > numbers[1] or numbers[1] > units.MOST_MODELS:
                self.doubt(f"{name}: {column}: {text}", "a band that holds nothing; left out")
            elif dice is None or max(dice[0], dice[1] or 0) > units.MOST_DICE:
                why = f"not a number of dice from 0 to {units.MOST_DICE}; the band is left out"
                self.doubt(f"{name}: {column}: {text}", why)
            else:
                bands.append(units.Band(first=numbers[0], last=numbers[1], dice=dice[0], special=dice[1]))
        return tuple(sorted(bands, key=lambda band: (band.first, band.last)))


def _is_stats(by_column: Cells) -> bool:
    return len(STATS.keys() & by_column.keys()) >= 2
