"""Read a unit from an entry of a BattleScribe file, and warn about doubtful content."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, get_args
from xml.etree.ElementTree import Element

from analyser.common.errors import InputError
from analyser.common.validation import checked
from analyser.game import units
from analyser.game.importers import cells
from analyser.game.importers.import_warnings import review
from analyser.game.importers.tree import Contents, LevelNode, Tree, id_of, is_true, modifiers
from analyser.game.keywords import (
    LONGEST_NAME,
    QUALITIES,
    Keyword,
    Quality,
    Rule,
    parse,
    recognise,
    tidy,
    with_parameter,
)
from analyser.game.names import slug, unused_name
from analyser.game.units import Category, LevelName, UnitType

NUMBER_LIMITS = {  # least and greatest value of each number of a unit
    "size": (0, 100),
    "defence": (1, 100),
    "damage_limit": (1, 1000),
    "discipline": (0, 100),
    "break_limit": (0, units.MOST_MODELS),
}
KEY_OF_COLUMN = {  # key in a profile file for each column of a unit's profile
    **{name.replace("_", " "): name for name in (*NUMBER_LIMITS, "models", "speed", "victory_points")},
    **{"vpr": "victory_points", "vp": "victory_points", "defense": "defence"},
    **{"target": "category", "target type": "category"},
}
MOST_POINTS = 100_000
TYPES: dict[str, UnitType] = {arg: arg for arg in get_args(UnitType)} | {"armor": "armour"}
TRAITS: tuple[units.Trait, ...] = get_args(units.Trait)
USUAL_TYPE_OF_CATEGORY: dict[Category, UnitType] = {"light": "infantry", "heavy": "armour", "aerial": "aircraft"}
FLYING_TYPES: tuple[UnitType, ...] = ("rotorcraft", "aircraft")
POINTS_NAMES = ("points", "point", "pts")

Cells = Mapping[str, str]


class Stats(NamedTuple):
    """The profile of a unit at one level: its title, and its cells by key."""

    title: str
    cells: Cells


class UnitReader:
    """Reader of the unit in an entry (an element ``selectionEntry``)."""

    def __init__(self, entry: Element, tree: Tree) -> None:
        self.entry, self.tree, self.warn = entry, tree, tree.warnings.add
        self.name, self.contents = tree.name_of(entry), Contents()
        self.stats: list[tuple[Element, Stats]] = []  # profiles outside the levels
        self.rows: list[tuple[Element, Cells]] = []
        self.rules: list[str] = []
        tree.warnings.unit = self.name or "(no name)"

    def read(self, *, with_review: bool = True) -> units.Unit | None:
        """Return the unit, or None if it is unreadable; `with_review` also warns about unlikely values."""
        if not self.name:
            self.warn(self.entry.get("id", ""), "a unit without a name; left out")
            return None
        self.contents = self.tree.gather(self.entry)
        self._sort_profiles()
        stats, levels = self._levels()
        if not levels:
            self.warn(self.name, "no readable reinforcement level; the unit is left out")
            return None
        for title in dict.fromkeys(stat.title for stat in stats.values()):
            if title.casefold() != self.name.casefold():
                self.warn(title, "the name of the profile differs from that of the unit")
        data: dict[str, Any] = {"id": slug(self.name) or "unit", "name": self.name, "levels": levels}
        data["entry"] = id_of(self.entry)
        data |= self._category_and_type(self._category_text(stats))
        data |= self._unit_numbers(levels, stats)
        for key in ("defence", "damage_limit"):
            if data[key] is None or any(getattr(level, key) == "none" for level in levels.values()):
                self.warn(self.name, f"no usable {key.replace('_', ' ').upper()}; the unit is left out")
                return None
        # A link to a special rule gives the unit that rule, but a link to a weapon quality only quotes its text.
        linked = [rule for rule in filter(None, self.contents.rules) if not recognise(parse(rule)[0], QUALITIES)[1]]
        data["rules"] = self._known_names([*self.rules, *linked], Rule, "special rule")
        data["rows"] = self._read_rows()
        try:
            unit = checked(units.Unit, data)
        except InputError as error:
            self.warn(error.where, f"{error.problem}; the unit is left out")
            return None
        if with_review:
            review(unit, self.tree.warnings)
        return unit

    def _sort_profiles(self) -> None:
        for profile in self.contents.profiles:
            by_column = self.tree.characteristics(profile)
            title = self.tree.name_of(profile)
            if any(cells.parse_band(column) for column in by_column):
                self.rows.append((profile, by_column))
            elif "special rules" in by_column:
                self.rules.extend(cells.split_names(by_column["special rules"]))
            elif _is_stats(by_column):
                self.stats.append((profile, self._stats(profile, by_column)))
            elif cells.parse_row_title(title):
                self.warn(title, "an armaments row without bands; left out")
            else:
                kind = profile.get("typeName", "")
                self.warn(title, f"a profile of an unknown kind ({kind}); left out")

    def _stats(self, profile: Element, by_column: Cells) -> Stats:
        for column in by_column:
            if column not in KEY_OF_COLUMN:
                self.warn(column, "an unknown column of the unit's profile; left out")
        values = {KEY_OF_COLUMN[column]: text for column, text in by_column.items() if column in KEY_OF_COLUMN}
        return Stats(self.tree.name_of(profile), values)

    def _levels(self) -> tuple[dict[LevelName, Stats], dict[LevelName, units.Level]]:
        """Return by level the profile, and the models, points and victory points, lowest level first."""
        nodes: dict[LevelName, LevelNode] = {}
        for node in self.contents.levels:
            if nodes.setdefault(node.name, node) is not node:
                self.warn(node.name, "this level appears twice; the first is used")
        if not nodes and self.stats:
            self.warn(self.stats[0][1].title, "no reinforcement levels; taken for the basic level")
            nodes["basic"] = LevelNode("basic", self.entry, None)
        all_stats: dict[LevelName, Stats] = {}
        levels: dict[LevelName, units.Level] = {}
        for name in (name for name in cells.LEVEL_ORDER if name in nodes):
            stats = self._level_stats(nodes[name])
            if stats is None:
                self.warn(name, "this level has no profile; left out")
            elif level := self._level(nodes[name], stats.cells):
                all_stats[name], levels[name] = stats, level
        return all_stats, levels

    def _level_stats(self, level: LevelNode) -> Stats | None:
        """Return the profile inside a level, or else the profile outside the levels."""
        stats: Stats | None = None
        for profile in self.tree.gather(level.node).profiles:
            by_column = self.tree.characteristics(profile, level.node)
            if stats is None and _is_stats(by_column):
                self._warn_of_group_modifiers(profile)
                stats = self._stats(profile, by_column)
            else:
                self.warn(f"{level.name}: {self.tree.name_of(profile)}", "a second profile inside this level; left out")
        if stats is None and self.stats:
            outer = self.stats[0][0]
            return self._stats(outer, self.tree.characteristics(outer, level.node))
        return stats

    def _warn_of_group_modifiers(self, profile: Element) -> None:
        """Warn about modifiers in a group around the levels, which do not affect `profile` inside a level."""
        cells_of_profile = profile.iterfind("characteristics/characteristic")
        columns = {cell.get("typeId"): cell.get("name", "") for cell in cells_of_profile}
        for modifier in self.contents.group_modifiers:
            if modifier.get("field") in columns:
                change = f"{modifier.get('type', '')} {modifier.get('value', '')}"
                problem = "a change on the group around the levels, where it has no effect; left out"
                self.warn(f"{columns[modifier.get('field')]}: {change}", problem)

    def _level(self, level: LevelNode, stats: Cells) -> units.Level | None:
        models = self._number(stats.get("models"), (1, units.MOST_MODELS), f"{level.name} models")
        if models is None:
            self.warn(f"{level.name}: {stats.get('models', '')}", "no usable number of models; the level is left out")
            return None
        victory_points = self._number(stats.get("victory_points"), (0, 1000), f"{level.name} VPR")
        # the costs of a level and of its unit add up, as in BattleScribe
        holders = [level.node] if level.node is self.entry else [level.node, self.entry]
        costs = [cost for holder in holders for cost in self._costs(holder)]
        if not costs and level.target is not None:
            costs = self._costs(level.target)
        points = [self._number(cost, (0, MOST_POINTS), f"{level.name} points") for cost in costs]
        stated = [point for point in points if point is not None]
        total = sum(stated) if stated and sum(stated) <= MOST_POINTS else None
        entry = None if level.node is self.entry else id_of(level.node)
        return units.Level(models=models, points=total, victory_points=victory_points, entry=entry)

    def _costs(self, holder: Element) -> list[str]:
        costs: list[str] = []
        for cost in holder.iterfind("costs/cost"):
            kind, value = cost.get("typeId", ""), cost.get("value", "")
            if self.tree.word_of(cost, kind) in POINTS_NAMES:
                for modifier, holders in modifiers(holder):
                    if kind and modifier.get("field") == kind:
                        value = self.tree.apply_modifier("points", value, modifier, holders)
                costs.append(value)
        return costs

    def _category_text(self, stats: Mapping[LevelName, Stats]) -> str | None:
        """Return the target category at the lowest level that states one; warn if levels differ."""
        texts = {level: tidy(stat.cells["category"]) for level, stat in stats.items() if "category" in stat.cells}
        if len({text.casefold() for text in texts.values()}) > 1:
            by_level = ", ".join(f"{level} {text}" for level, text in texts.items())
            self.warn(f"category: {by_level}", "differs between levels; the text of the lowest is used")
        return next(iter(texts.values()), None)

    def _stat(self, key: str, text: str | None) -> float | None:
        if key != "speed":
            return self._number(text, NUMBER_LIMITS[key], key.replace("_", " "))
        reach = cells.parse_ranges(text)
        if reach is None or reach.short is not None or (reach.long or 0) > units.MOST_INCHES:
            self.warn(f"speed: {text}", "not a distance; left out")
            return None
        return reach.long

    def _unit_numbers(self, levels: dict[LevelName, units.Level], stats: Mapping[LevelName, Stats]) -> dict[str, Any]:
        """Return the numbers of the first level; if levels differ in a number, store it in each of `levels`."""
        numbers = {
            level: {key: self._stat(key, stat.cells.get(key)) for key in units.KEYS_BY_LEVEL}
            for level, stat in stats.items()
        }
        data = dict(next(iter(numbers.values())))
        for key in units.KEYS_BY_LEVEL:
            values = {level: number[key] for level, number in numbers.items()}
            if len(set(values.values())) == 1:
                continue
            words = {level: "none" if value is None else f"{value:g}" for level, value in values.items()}
            by_level = ", ".join(f"{level} {word}" for level, word in words.items())
            self.warn(f"{key.replace('_', ' ')}: {by_level}", "differs between levels; stored for each level")
            for level, value in values.items():
                levels[level] = levels[level].model_copy(update={key: "none" if value is None else value})
        return data

    def _number(self, text: str | None, limits: tuple[int, int], label: str) -> int | None:
        """Return the number in a cell; None for a dash; None with a warning for text or a number out of `limits`."""
        if cells.is_none(text):
            return None
        value = cells.parse_number(text)
        low, high = limits
        if value is None or not low <= value <= high:
            self.warn(f"{label}: {text}", f"not a whole number from {low} to {high}; left out")
            return None
        return value

    def _category_and_type(self, target: str | None) -> dict[str, Any]:
        links = [link for link in self.entry.iterfind("categoryLinks/categoryLink") if not is_true(link, "hidden")]
        links.sort(key=lambda link: not is_true(link, "primary"))  # a stable sort, so other links keep their order
        names = [self.tree.word_of(link, link.get("targetId", "")) for link in links]
        types = list(dict.fromkeys(TYPES[name] for name in names if name in TYPES))
        if len(types) > 1:
            self.warn(", ".join(types), f"more than one type; taken for {types[0]}")
        category = self._category(target, [cells.CATEGORIES[name] for name in names if name in cells.CATEGORIES], types)
        if not types:
            types = [USUAL_TYPE_OF_CATEGORY[category]]
            self.warn(", ".join(names), f"no category names the type; taken for {types[0]}")
        return {"category": category, "type": types[0], "traits": tuple(trait for trait in TRAITS if trait in names)}

    def _category(self, target: str | None, categories: list[Category], types: list[UnitType]) -> Category:
        """Return the target category in the profile; warn if the unit's categories or type contradict it."""
        category = cells.CATEGORIES.get((target or "").casefold())
        if category is None:
            category = categories[0] if categories else "light"
            self.warn(f"target type: {target or ''}", f"not light, heavy or aerial; taken for {category}")
        elif categories and category not in categories:
            self.warn(f"target type: {target}", f"the unit's categories state {categories[0]}")
        elif types and (types[0] in FLYING_TYPES) != (category == "aerial"):
            self.warn(f"target type: {target}", f"unlikely for {types[0]}")
        return category

    def _known_names(self, names: Iterable[str], kind: type[Keyword], noun: str) -> tuple[str, ...]:
        result: dict[str, Keyword] = {}
        for stated_name in names:
            name, parameter = parse(stated_name[:LONGEST_NAME])
            meant, is_correct = recognise(name, kind.TABLE)
            if meant not in kind.TABLE:
                self.warn(stated_name, f"unknown {noun}; kept unchanged")
            elif not is_correct:
                self.warn(stated_name, f"misspelt {noun}; taken for {meant}")
            keyword = kind(with_parameter(meant, parameter))
            other = next((other for other in result.values() if keyword.contradicts(other)), None)
            if keyword.parameter_problem or other is not None:
                self.warn(stated_name, f"{keyword.parameter_problem or f'contradicts {other}'}; left out")
            else:
                result[str(keyword)] = keyword
        return tuple(result)

    def _read_rows(self) -> tuple[units.Row, ...]:
        rows: dict[str, units.Row] = {}
        for profile, by_column in self.rows:
            row = self._row(tidy(profile.get("name", "")[:LONGEST_NAME])[:LONGEST_NAME].strip(), by_column)
            if row is not None:
                row_id = unused_name(row.id, rows, "-")
                rows[row_id] = row.model_copy(update={"id": row_id})
        return tuple(rows.values())

    def _row(self, name: str, by_column: Cells) -> units.Row | None:
        heading = cells.parse_row_title(name)
        if heading is None:
            self.warn(name, "not ranged, melee or impact; the row is left out")
            return None
        kind, against, is_correct = heading
        if not is_correct:
            self.warn(name, f"taken for {kind} {'/'.join(against)}".rstrip())
        reach = self._range(name, by_column.get("range"))
        data = {
            "id": slug(name),
            "name": name,
            "kind": kind,
            "against": against,
            "short_range": reach.short,
            "long_range": reach.long,
            "bands": self._bands(name, by_column),
            "qualities": self._known_names(cells.split_names(by_column.get("qualities")), Quality, "quality"),
        }
        try:
            return checked(units.Row, data)
        except InputError as error:
            self.warn(name, f"{error.problem}; the row is left out")
            return None

    def _range(self, name: str, text: str | None) -> cells.Range:
        reach = cells.parse_ranges(text)
        if reach is None or max(reach.short or 0, reach.long or 0) > units.MOST_INCHES:
            self.warn(f"{name}: {text}", "not a range; left out")
            return cells.Range()
        if reach.short is not None and (reach.long is None or reach.short > reach.long):
            self.warn(f"{name}: {text}", "short range is longer than long range; it is left out")
            return reach._replace(short=None)
        return reach

    def _bands(self, name: str, by_column: Cells) -> tuple[units.Band, ...]:
        """Return the bands sorted by number, because columns may have any order."""
        bands: list[units.Band] = []
        for column, text in by_column.items():
            numbers, dice = cells.parse_band(column), cells.parse_dice(text)
            if numbers is None:
                if column not in ("range", "qualities"):
                    self.warn(f"{name}: {column}", "an unknown column of an armaments row; left out")
            elif cells.is_none(text):
                continue
            elif numbers[0] > numbers[1] or numbers[1] > units.MOST_MODELS:
                self.warn(f"{name}: {column}: {text}", "not a range of numbers; left out")
            elif dice is None or max(dice[0], dice[1] or 0) > units.MOST_DICE:
                problem = f"not a number of dice from 0 to {units.MOST_DICE}; the band is left out"
                self.warn(f"{name}: {column}: {text}", problem)
            else:
                bands.append(units.Band(first=numbers[0], last=numbers[1], dice=dice[0], special=dice[1]))
        return tuple(sorted(bands, key=lambda band: (band.first, band.last)))


def _is_stats(by_column: Cells) -> bool:
    return len(KEY_OF_COLUMN.keys() & by_column.keys()) >= 2
