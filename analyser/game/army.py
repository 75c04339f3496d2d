"""Armies: the units and boons of a player's list (AC-2.2, AC-5.10)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from analyser.common.errors import InputError, did_you_mean, shown
from analyser.common.files import toml_lines
from analyser.common.text import aligned
from analyser.game.forces import Boon, ScaleName
from analyser.game.names import faction_name, first_names
from analyser.game.profiles import ProfilesUsed, profiles_record
from analyser.game.units import Loadout, Row

UNLISTED = "unlisted"  # faction of an army that states none and has no unit from the profiles


@dataclass(frozen=True, repr=False)
class ArmyUnit:
    """Unit of an army."""

    name: str  # unique in the army
    loadout: Loadout  # profile of the unit, with the army's overrides applied
    battlegroup: str | None = None
    embarked_in: str | None = None  # name of its transport
    reserve: bool = False  # True if it starts in reserve; always True for types in `ForceRules.always_in_reserve`
    policy: str | None = None  # None if the unit follows the policy of the battle
    x: float | None = None  # inches from the left end of the front; None to spread the units evenly
    behind: float = 0.0  # inches behind the front
    changes: Mapping[str, Any] = field(default_factory=dict)  # values set by the army (whole profile if no selector)
    selector: str | None = None  # None for a unit that is not in the profiles

    @property
    def title(self) -> str:
        """Display name: unit and level, or the name that the army list states."""
        base, sign, number = self.name.partition(" #")
        loadout = self.loadout
        is_stated = base != f"{loadout.unit.id}@{loadout.level_name}"
        return self.name if is_stated else f"{loadout.title}{sign}{number}"

    @property
    def points(self) -> int | None:
        """Cost in points, if known."""
        return self.loadout.level.points

    @property
    def notes(self) -> str:
        """Remarks: reserve, transport, policy, changed profile keys, or that the unit is not among the profiles."""
        notes = [
            "in reserve" if self.reserve else "",
            f"aboard {self.embarked_in}" if self.embarked_in else "",
            f"policy {self.policy}" if self.policy else "",
            f"own {', '.join(key.replace('_', ' ') for key in self.changes)}" if self.selector and self.changes else "",
            "not among the profiles" if self.selector is None else "",
        ]
        return "; ".join(filter(None, notes))

    def row(self) -> dict[str, Any]:
        """Return the unit as a row of a table; one cell describes all its armaments."""
        unit, level = self.loadout.unit, self.loadout.level
        keys = ("type", "category", "size", "speed", "defence", "damage_limit", "discipline", "break_limit")
        return {
            "name": self.name,
            "selector": self.loadout.selector,
            **{key: getattr(self, key) for key in ("battlegroup", "embarked_in", "reserve", "policy")},
            **{key: getattr(level, key) for key in ("models", "points", "victory_points")},
            **{key: getattr(unit, key) for key in keys},
            "traits": ", ".join(unit.traits),
            "rules": ", ".join(unit.rules),
            "rows": "; ".join(row.description for row in unit.rows),
        }

    def __repr__(self) -> str:
        return f"<ArmyUnit {self.name}: {self.loadout.selector}>"

    def to_table(self) -> dict[str, Any]:
        """Return this unit as a ``[[unit]]`` table of an army file, without default values."""
        unit = self.loadout.unit
        default_name = self.selector or f"{unit.id}@{self.loadout.level_name}"
        table = {
            "unit": self.selector,
            "name": self.name if self.name != default_name.rpartition("/")[2] else None,
            **{key: getattr(self, key) for key in ("battlegroup", "embarked_in", "policy", "x")},
            "reserve": self.reserve or None,
            "behind": self.behind or None,
        }
        if self.selector is None:
            table |= {"name": self.name, "level": self.loadout.level_name}
        return {key: value for key, value in table.items() if value is not None} | plain_changes(self.changes)


@dataclass(frozen=True)
class ArmyBoon:
    """A boon (an upgrade) of a battlegroup in an army."""

    boon: Boon
    battlegroup: str | None = None

    def to_table(self) -> dict[str, str]:
        """Return this boon as a ``[[boon]]`` table of an army file."""
        return {"boon": self.boon.id} | ({} if self.battlegroup is None else {"battlegroup": self.battlegroup})


@dataclass(frozen=True, repr=False)
class Army:
    """A checked army: every unit with its profile.

    Examples
    --------
    >>> from analyser import load_army
    >>> army = load_army(["crown/rifle-command-platoon@basic", "2 x crown/rifle-platoon@basic"])
    >>> army.points, army.scale, [unit.name for unit in army]
    (145, 'skirmish', ['rifle-command-platoon@basic', 'rifle-platoon@basic', 'rifle-platoon@basic #2'])
    >>> army["rifle-platoon@basic #2"].loadout.level.models
    6
    """

    name: str
    faction: str  # id of the stated faction, or else of the first unit with a selector, or else UNLISTED
    scale: ScaleName  # as stated, or else the smallest that allows the points limit (the points, if there is no limit)
    units: tuple[ArmyUnit, ...]  # in the order of the list
    points_limit: int | None = None
    boons: tuple[ArmyBoon, ...] = ()
    battlegroups: Mapping[str, str] = field(default_factory=dict)  # by name: the id of its kind (the text if unknown)
    warnings: tuple[str, ...] = ()
    profiles: ProfilesUsed | None = None

    def __iter__(self) -> Iterator[ArmyUnit]:
        return iter(self.units)

    def __len__(self) -> int:
        return len(self.units)

    def __getitem__(self, name: str) -> ArmyUnit:
        """Return the unit called `name`; if there is none, InputError with similar names."""
        result = next((unit for unit in self.units if unit.name == name), None)
        if result is None:
            raise no_such_unit_error(name, [unit.name for unit in self.units], self.name)
        return result

    def __repr__(self) -> str:
        return f"<Army {self.name}: {self.faction}, {self.scale}, {len(self.units)} units, {self.points} points>"

    def __str__(self) -> str:
        limit = "" if self.points_limit is None else f" of {self.points_limit:,}"
        heading = [["Army", self.name], ["Faction", self.faction], ["Scale", self.scale]]
        parts = [aligned([*heading, ["Points", f"{self.points:,}{limit}"]], "<")]
        head = ["unit", "models", "points", "VP", "battlegroup", "notes"]
        lines = [
            [unit.name, level.models, level.points, level.victory_points, unit.battlegroup, unit.notes]
            for unit, level in ((unit, unit.loadout.level) for unit in self.units)
        ]
        texts = [["" if cell is None else str(cell) for cell in line] for line in lines]
        parts.append(aligned([head, *texts], "<>>><<"))
        boons = [[boon.boon.name, f"{boon.boon.points}", boon.battlegroup or ""] for boon in self.boons]
        parts.append(aligned([["boon", "points", "battlegroup"], *boons], "<><") if boons else [])
        parts.append([] if self.profiles is None else [f"Profiles: {self.profiles}"])
        parts.append([f"Warning: {warning}" for warning in self.warnings])
        return "\n\n".join("\n".join(part) for part in parts if part) + "\n"

    def rows(self) -> list[dict[str, Any]]:
        """Return a table row for each unit: its entry in the army list and its profile."""
        return [unit.row() | {"profiles": str(self.profiles or "")} for unit in self.units]

    @property
    def points(self) -> int:
        """Total cost of all units and boons whose cost is known."""
        return sum(unit.points or 0 for unit in self.units) + sum(boon.boon.points for boon in self.boons)

    @property
    def paid_boons(self) -> tuple[Boon, ...]:
        """Boons that cost points. Fights do not include their effects."""
        return tuple(boon.boon for boon in self.boons if boon.boon.points)

    @property
    def loadouts(self) -> tuple[Loadout, ...]:
        """The loadout of each unit, in the order of the list."""
        return tuple(unit.loadout for unit in self.units)

    def to_table(self) -> dict[str, Any]:
        """Return the army as the table of an army file; loading it gives an equal army."""
        members = {unit.battlegroup for unit in self.units} | {boon.battlegroup for boon in self.boons}
        kinds = {name: kind for name, kind in self.battlegroups.items() if kind != name or name not in members}
        table = {
            "format": 1,
            "name": self.name,
            "faction": self.faction if self.faction != UNLISTED else None,
            "scale": self.scale,
            "points_limit": self.points_limit,
            "battlegroups": kinds or None,
            "unit": [unit.to_table() for unit in self.units],
            "boon": [boon.to_table() for boon in self.boons] or None,
        }
        return {key: value for key, value in table.items() if value is not None}

    def to_toml(self) -> str:
        """Return the army as a readable TOML file."""
        table = self.to_table()
        units, boons, battlegroups = (table.pop(key, ()) for key in ("unit", "boon", "battlegroups"))
        parts = [toml_lines(table)]
        parts += [f"[battlegroups]\n{toml_lines(battlegroups)}"] if battlegroups else []
        for unit in units:
            rows = unit.pop("rows") if unit.get("rows") else ()
            values = {key: [] if value == () else value for key, value in unit.items()}  # toml_lines omits ()
            parts.append(f"[[unit]]\n{toml_lines(values)}")
            parts += [f"[[unit.rows]]\n{toml_lines(row)}" for row in rows]
        parts += [f"[[boon]]\n{toml_lines(boon)}" for boon in boons]
        return "\n".join(parts)

    def as_dict(self) -> dict[str, Any]:
        """Return the army as plain data: the table of its file, the points, the warnings and the profiles."""
        units = [
            {"name": unit.name, **unit.to_table(), "selector": unit.loadout.selector, "points": unit.points}
            for unit in self.units
        ]
        data = {"schema": "analyser/army/1", **self.to_table(), "points": self.points}
        data |= {"unit": units, "warnings": list(self.warnings)}
        return data | profiles_record(self.profiles)


def plain_changes(changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the changed keys of a profile, with rows as plain data."""
    return {
        key: tuple(item.model_dump(exclude_none=True) if isinstance(item, Row) else item for item in value)
        if isinstance(value, tuple)
        else value
        for key, value in changes.items()
    }


def names_apart(first: Army, second: Army) -> tuple[str, str]:
    """Return two distinct names: the armies' names, or else their factions, or else their names with 1 and 2."""
    if first.name != second.name:
        return first.name, second.name
    if first.faction == second.faction or UNLISTED in (first.faction, second.faction):
        return f"{first.name} 1", f"{second.name} 2"
    return faction_name(first.faction), faction_name(second.faction)


def no_such_unit_error(name: str, names: list[str], where: str) -> InputError:
    """Return the error for a name that no unit of an army has; the message suggests similar names."""
    problem = f"no unit is called {shown(name)}{did_you_mean(name, names)}"
    return InputError(problem, where=where, allowed=first_names(names))
