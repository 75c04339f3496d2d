"""Records of units: profile, reinforcement levels and armaments table (AC-2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field, PlainValidator, PrivateAttr, model_validator
from pydantic_core import PydanticCustomError

from analyser.common.errors import InputError, did_you_mean, shown
from analyser.common.validation import Record, Several, checked, plain_data
from analyser.game.forces import Battlegroup, Boon, Limits, Membership
from analyser.game.house_rules import HouseRule
from analyser.game.keywords import HIGHEST_X, HasKeywords, Qualities, Rules
from analyser.game.names import Entry, Name, Slug
from analyser.game.overrides import change, location_in_change

Category = Literal["light", "heavy", "aerial"]
UnitType = Literal["infantry", "cavalry", "field gun", "armour", "artillery", "fortification", "rotorcraft", "aircraft"]
Trait = Literal["behemoth", "commander", "transport", "subterranean"]
RowKind = Literal["ranged", "melee", "impact"]
LevelName = Literal["basic", "reinforced", "full-strength"]

MOST_MODELS = HIGHEST_X
MOST_DICE = 200
MOST_INCHES = 1000
HUNDREDTHS = 100  # hundredths in an inch; the engines measure lengths in hundredths of an inch


def hundredths(inches: float) -> int:
    """Return a length in hundredths of an inch; ValueError if it is not a whole number of hundredths."""
    hundredth_inches = round(inches * HUNDREDTHS)
    if abs(hundredth_inches - inches * HUNDREDTHS) > 1e-6:  # more than a rounding error
        raise ValueError(f"{inches!r} inches have more than two decimals (allowed: steps of 0.01)")
    return hundredth_inches


def _checked_length(inches: float) -> float:
    hundredths(inches)
    return inches


Models = Annotated[int, Field(ge=1, le=MOST_MODELS)]
Inches = Annotated[float, Field(ge=0, le=MOST_INCHES), AfterValidator(_checked_length)]

CLOSE_FORMATION_TYPES = ("infantry", "field gun")


class Band(Record):
    """Attack dice for a range of numbers of models, or of points of damage for a behemoth (AC-2.3)."""

    first: Annotated[int, Field(ge=0, le=MOST_MODELS)]
    last: Annotated[int, Field(ge=0, le=MOST_MODELS)]
    dice: Annotated[int, Field(ge=0, le=MOST_DICE)]
    special: Annotated[int, Field(ge=0, le=MOST_DICE)] | None = None  # dice in parentheses

    @model_validator(mode="after")
    def _in_order(self) -> Band:
        if self.last < self.first:
            raise ValueError(f"a band from {self.first} to {self.last} (allowed: first up to last)")
        return self

    @property
    def heading(self) -> str:
        """The range of models, or of damage for a behemoth: ``7-12``."""
        return f"{self.first}-{self.last}" if self.first < self.last else str(self.first)

    @property
    def cell(self) -> str:
        """Dice as printed on a card: ``10 (15)``."""
        return str(self.dice) if self.special is None else f"{self.dice} ({self.special})"


class Row(Record, HasKeywords):
    """Row of the armaments table (AC-2.3)."""

    keywords_field: ClassVar[str] = "qualities"

    id: Slug
    name: Name
    kind: RowKind
    against: Several[Category] = ()
    short_range: Inches | None = None
    long_range: Inches | None = None
    bands: Several[Band]
    qualities: Qualities = ()

    @model_validator(mode="after")
    def _complete(self) -> Row:
        if self.kind == "ranged" and (self.long_range is None or not self.against):
            raise ValueError("a ranged row needs against and long_range")
        if not self.bands:
            raise ValueError("a row needs at least one band of attack dice")
        if self.short_range is not None and self.long_range is not None and self.short_range > self.long_range:
            raise ValueError(f"short_range {self.short_range:g} is beyond long_range {self.long_range:g}")
        return self

    @property
    def ranges(self) -> str:
        """Ranges as printed on a card: ``7"/14"``."""
        return "/".join(f'{inches:g}"' for inches in (self.short_range, self.long_range) if inches is not None)

    @property
    def description(self) -> str:
        """The row in one line: ``ranged-light 7"/14": 5 at 1-6, 12 at 7-12, Arc``."""
        dice = [f"{band.cell} at {band.heading}" for band in self.bands]
        return f"{' '.join(filter(None, (self.id, self.ranges)))}: {', '.join([*dice, *self.qualities])}"

    def band(self, count: int) -> Band | None:
        """Return the band that covers `count` models (or points of damage), or None (AC-2.4)."""
        return next((band for band in self.bands if band.first <= count <= band.last), None)


def check_distinct_rows(rows: tuple[Row, ...] | None) -> tuple[Row, ...] | None:
    """Return the rows unchanged; ValueError if two have the same id."""
    _check_distinct("rows", [row.id for row in rows or ()])
    return rows


def _check_distinct(what: str, ids: list[str]) -> None:
    repeated = next((name for name in ids if ids.count(name) > 1), None)
    if repeated is not None:
        raise ValueError(f"two {what} have the id {repeated!r}")


Size = Annotated[int, Field(ge=0, le=100)]
Defence = Annotated[int, Field(ge=1, le=100)]
DamageLimit = Annotated[int, Field(ge=1, le=1000)]
Discipline = Annotated[int, Field(ge=0, le=100)]
BreakLimit = Annotated[int, Field(ge=0, le=MOST_MODELS)]
NoValue = Literal["none"]  # value at a level that lacks a number which other levels have


class Level(Record):
    """A reinforcement level: models, points, victory points (AC-2.2), and numbers that differ between levels."""

    models: Models
    points: Annotated[int, Field(ge=0, le=100_000)] | None = None
    victory_points: Annotated[int, Field(ge=0, le=1000)] | None = None
    entry: Entry | None = None
    size: Size | NoValue | None = None
    speed: Inches | NoValue | None = None
    defence: Defence | None = None
    damage_limit: DamageLimit | None = None
    discipline: Discipline | NoValue | None = None
    break_limit: BreakLimit | NoValue | None = None

    def number(self, key: str) -> int | float | None:
        """Return the value of a key in :data:`KEYS_BY_LEVEL`; None if the level states "none" or nothing."""
        value: int | float | str | None = getattr(self, key)
        return None if isinstance(value, str) else value


KEYS_BY_LEVEL = ("size", "speed", "defence", "damage_limit", "discipline", "break_limit")
"""Keys of the numbers of a unit that may differ between its levels."""


class Unit(Record, HasKeywords):
    """A unit of an army list (AC-2.1 to AC-2.3).

    If levels differ in a number, each level states its own, and the unit has that of its first level (see also `at`).
    """

    id: Slug
    name: Name
    entry: Entry | None = None
    type: UnitType
    traits: Several[Trait] = ()
    category: Category
    size: Size | None = None
    speed: Inches | None = None
    defence: Defence
    damage_limit: DamageLimit
    discipline: Discipline | None = None
    break_limit: BreakLimit | None = None
    rules: Rules = ()
    in_force: Limits = Limits()  # limits on the number of this unit in the whole force
    battlegroups: dict[Slug, Membership] = Field(default_factory=dict)  # by id of the kind of battlegroup
    levels: dict[LevelName, Level]
    rows: Several[Row] = ()

    @model_validator(mode="after")
    def _consistent(self) -> Unit:
        if not self.levels:
            raise ValueError("a unit needs at least one reinforcement level")
        check_distinct_rows(self.rows)
        for key in self.level_keys:  # then every level states the number, and the unit has that of its first level
            default = getattr(self, key)
            default_entry = {key: "none" if default is None else default}
            for name, level in self.levels.items():
                if getattr(level, key) is None:
                    self.levels[name] = level.model_copy(update=default_entry)
            first = next(iter(self.levels.values()))
            self.__dict__[key] = first.number(key)  # a direct write, because the record is frozen
        return self

    @property
    def level_keys(self) -> tuple[str, ...]:
        """Keys of the numbers that the levels state, because they may differ."""
        levels = self.levels.values()
        return tuple(key for key in KEYS_BY_LEVEL if any(getattr(level, key) is not None for level in levels))

    def at(self, level: LevelName) -> Unit:
        """Return the unit with the numbers of a level."""
        numbers = {key: self.levels[level].number(key) for key in self.level_keys}
        return self.model_copy(update=numbers) if numbers else self

    def record(self) -> dict[str, Any]:
        """Return the unit as plain data, as in its file but without the ids of imported entries."""
        data = self.at(next(iter(self.levels))).model_dump(mode="json", exclude={"entry"})
        left_out = {"entry"} | set(KEYS_BY_LEVEL).difference(self.level_keys)
        return data | {
            "levels": {key: level.model_dump(mode="json", exclude=left_out) for key, level in self.levels.items()}
        }

    def row(self, row_id: str) -> Row | None:
        """Return the row with the id `row_id`, or None."""
        return next((row for row in self.rows if row.id == row_id), None)


class Loadout(Record):
    """A unit at one reinforcement level, which a selector names (AC-2.2)."""

    faction: Slug
    unit: Unit  # unit with the numbers of this level
    level_name: LevelName
    _house_rules: Mapping[str, HouseRule] = PrivateAttr(default_factory=dict)  # house rules of its profiles, by name

    @model_validator(mode="after")
    def _with_numbers_of_level(self) -> Loadout:
        if self.unit.level_keys and self.level_name in self.unit.levels:
            self.__dict__["unit"] = self.unit.at(self.level_name)
        return self

    def at(self, level: LevelName) -> Loadout:
        """Return the loadout of the unit at another level."""
        return self.model_copy(update={"level_name": level, "unit": self.unit.at(level)})

    @property
    def house_rules(self) -> Mapping[str, HouseRule]:
        """House rules of the profiles, by name; :meth:`with_` can add them to the unit."""
        return self._house_rules

    def with_house_rules(self, house_rules: Mapping[str, HouseRule]) -> Loadout:
        """Set the house rules, and return the loadout itself."""
        self._house_rules = house_rules
        return self

    @property
    def level(self) -> Level:
        """Models, points and victory points of the level."""
        return self.unit.levels[self.level_name]

    @property
    def capacity(self) -> int:
        """Largest number of infantry models that the unit can carry; 0 without the rule Capacity (AC-8.8)."""
        return self.unit.value("Capacity") * self.level.models

    @property
    def selector(self) -> str:
        """Selector of the loadout, ``faction/unit@level``."""
        return f"{self.faction}/{self.unit.id}@{self.level_name}"

    @property
    def title(self) -> str:
        """Unit and level as a title: ``Rifle platoon, basic``."""
        return f"{self.unit.name}, {self.level_name}"

    def __repr__(self) -> str:
        unit, level = self.unit, self.level
        points = "" if level.points is None else f", {level.points} points"
        rows = ", ".join(row.id for row in unit.rows) or "none"
        return f"<Loadout {self.selector}: {unit.type}, {level.models} models{points}; rows: {rows}>"

    __str__ = __repr__

    def with_(self, *, row: str | None = None, **changes: Any) -> Loadout:
        """Return a loadout with a changed profile.

        Parameters
        ----------
        row : str, optional
            The row whose `dice`, `short_range`, `long_range` and `qualities` change. Default: every row.
        **changes
            Keys of the level (models, points, victory_points), of the unit (defence, damage_limit, discipline,
            break_limit, speed, rules and so on) or of the rows. A number replaces the old value; a text with a sign
            (``points="+10"``) is added to it. `dice` is always added, to all attack dice above 0 (also those in
            parentheses); the sum is at least 0. ``"+Arc"`` adds a quality or a rule, ``"-Arc"`` removes it. State
            several names as a list, or as one text with commas. Names without signs replace all old names.

        Raises
        ------
        InputError
            An unknown key, row, quality or rule (the message suggests similar names), or a value out of range.

        Examples
        --------
        >>> from analyser import load_profiles
        >>> rifles = load_profiles()["crown/rifle-platoon@basic"]
        >>> better = rifles.with_(points=65, dice=+1, qualities="+Arc", row="ranged-light")
        >>> better.level.points, better.unit.rows[0].has("Arc"), better.unit.rows[1].has("Arc")
        (65, True, False)
        >>> rifles.unit.rows[0].bands[0].dice, better.unit.rows[0].bands[0].dice
        (5, 6)
        """
        changes = plain_data(changes, self.selector)
        unit = self.unit.model_dump()
        rows = {data["id"]: data for data in unit["rows"]}
        if row is not None:
            if (chosen := row_id(row, rows)) not in rows:
                problem = f"unknown row {shown(row)}{did_you_mean(row, rows)}"
                raise InputError(problem, where=self.selector, allowed=", ".join(rows))
            rows = {chosen: rows[chosen]}
        sections = (Level, [unit["levels"][self.level_name]]), (Unit, [unit]), (Row, list(rows.values()))
        parts = {key: section for model, section in sections for key in model.model_fields if key not in _FIXED_KEYS}
        parts["dice"] = parts["qualities"]
        parts |= {key: [unit["levels"][self.level_name]] for key in self.unit.level_keys}
        for key, value in changes.items():
            if key not in parts:
                problem = f"unknown key {key!r}{did_you_mean(key, parts)}"
                raise InputError(problem, where=self.selector, allowed=", ".join(parts))
            try:
                change(parts[key], key, stored_value(key, value, self.unit), self._house_rules)
            except InputError as error:
                raise error.inside(f"{self.selector}: {key}") from None
        try:
            return checked_loadout(self.faction, unit, self.level_name, self._house_rules, is_plain=True)
        except InputError as error:
            location = location_in_change(error.where, unit["rows"])
            raise type(error)(error.problem, where=location, allowed=error.allowed).inside(self.selector) from None


def checked_loadout(
    faction: str, unit: Mapping[str, Any], level: str, house_rules: Mapping[str, HouseRule], *, is_plain: bool = False
) -> Loadout:
    """Check a unit that is plain data with :func:`checked`, and return its loadout."""
    data = {"faction": faction, "unit": unit, "level_name": level}
    loadout = checked(Loadout, data, is_plain=is_plain, house_rules=house_rules)
    return loadout.with_house_rules(house_rules)


def _selector(value: object) -> object:
    if isinstance(value, str | Loadout):
        return value
    raise PydanticCustomError("string_type", "Input should be a valid string")


Selector = Annotated[str, PlainValidator(_selector)]
"""Selector of a loadout in the library; in Python also the loadout itself."""

_FIXED_KEYS = ("id", "name", "entry", "levels", "rows", "kind", "against", "bands", "in_force", "battlegroups")


def stored_value(key: str, value: Any, unit: Unit) -> Any:
    """Return a value as a profile stores it: for a missing number "none" if the levels state the key, else None."""
    if key in KEYS_BY_LEVEL and (value is None or (isinstance(value, str) and value == "none")):
        return "none" if key in unit.level_keys else None
    return value


def unit_of(selector: str) -> str:
    """Return a selector without its level."""
    return selector.partition("@")[0]


class Faction(Record):
    """Contents of a profile file: a faction and its units."""

    page = "docs/keys.md"

    format: Literal[1]
    id: Slug
    name: Name
    source: Name = ""
    entry: Entry | None = None
    battlegroups: Several[Battlegroup] = Field(alias="battlegroup", default=())
    boons: Several[Boon] = Field(alias="boon", default=())
    units: Several[Unit] = Field(alias="unit", default=())

    @model_validator(mode="after")
    def _distinct(self) -> Faction:
        for what, records in (("units", self.units), ("battlegroups", self.battlegroups), ("boons", self.boons)):
            _check_distinct(what, [record.id for record in records])
        slots = {battlegroup.id: list(battlegroup.slots) for battlegroup in self.battlegroups}
        for unit in self.units:
            for name, membership in unit.battlegroups.items():
                _check_known(f"{unit.id}: battlegroup", name, slots)
                for slot in membership.slots:
                    _check_known(f"{unit.id}: slot of {name}", slot, slots[name])
        return self


def _check_known(what: str, name: str, names: Iterable[str]) -> None:
    if name not in names:
        raise ValueError(f"{what} {shown(name)}{did_you_mean(name, names)} (allowed: {', '.join(names) or 'none'})")


def attack_dice(row: Row, count: int, *, special: bool = False) -> int:
    """Return the dice (`special`: in parentheses, if any) for `count` models or damage; InputError without a band."""
    band = row.band(count)
    if band is None:
        covered = ", ".join(f"{band.first}-{band.last}" for band in row.bands)
        raise InputError(f"row {row.id!r} has no attack dice for {count}", allowed=covered)
    return band.special if special and band.special is not None else band.dice


def check_has_dice(loadout: Loadout, where: str) -> None:
    """Raise InputError if no row of a loadout has attack dice for its models (AC-2.3, AC-2.4)."""
    rows, models = loadout.unit.rows, loadout.level.models
    if rows and "behemoth" not in loadout.unit.traits and not any(row.band(models) for row in rows):
        most = max(band.last for row in rows for band in row.bands)
        raise InputError(f"no row has attack dice for {models} models (AC-2.4)", where=where, allowed=f"up to {most}")


def row_id(written: str, rows: Iterable[str]) -> str:
    """Return the only id in `rows` that begins with `written` (``Ranged (Light)``), or else `written` as an id."""
    normalised = "-".join("".join(letter if letter.isalnum() else " " for letter in written.casefold()).split())
    if normalised in rows:
        return normalised
    longer = [row_id for row_id in rows if row_id.startswith(normalised)]
    return longer[0] if len(longer) == 1 else normalised
