"""Frozen plan of a sweep: all its inputs, and the cells (fights) of each part.

The plan does not list the cells, because the number of a part determines them. A part has a ruleset, a situation and
a faction; its rows are that faction's attackers with varied numbers, its columns are defenders with varied numbers.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate, product
from math import prod
from typing import Any, NamedTuple

import numpy as np

from analyser.analysis.grid import TWO_SIDED_FIGURES
from analyser.analysis.selection import loadouts
from analyser.analysis.situations import Situation, duel_situations, situations_named
from analyser.ask.keys import values_of
from analyser.common.cache import program_digest
from analyser.common.errors import InputError, is_number, shown
from analyser.common.files import path_of, read_toml
from analyser.common.metrics import RESULT_METRICS
from analyser.common.validation import checked
from analyser.game.keywords import RANGED_ATTACK
from analyser.game.profiles import Profiles, ProfilesLike, library_of
from analyser.game.ruleset import Ruleset
from analyser.game.units import Loadout, Unit
from analyser.sweep.sweep_file import (
    FIGURES_FROM_POINTS,
    MOST_CELLS,
    Side,
    SweepFile,
    fighting_unit,
)

FORMAT = 1
KEYS = {"format", "program", "profiles", "file", "attackers", "defenders", "units", "rulesets"}  # keys of a plan
PART_SECONDS = 3.0  # intended duration of a part on a typical core, at the rates below (by kind of fight)
_CELLS_PER_SECOND = {"ranged": 600_000, "charge": 200, "duel": 500, "best-duel": 8}
MOST_DISTANCES = 1_000  # largest number of distances of a sweep
SHOT_NUMBERS = ("models", "short_range", "long_range", "dice")  # numbers of an attacker that affect a ranged attack
TARGET_NUMBERS = ("models", "defence", "damage_limit", "discipline", "break_limit")  # those of a defender
POINTS_NUMBERS = ("points", "victory_points")


class CellBlock(NamedTuple):
    """Cells of a part, or of a slice of it: `rows` are positions of varied attackers, `columns` of varied defenders."""

    ruleset: str
    situation: Situation
    faction: str
    rows: range
    columns: range

    @property
    def n_cells(self) -> int:
        """Number of cells."""
        return len(self.rows) * len(self.columns)


class _Group(NamedTuple):
    """All parts of one ruleset, situation and faction; together they have `rows` by `columns` cells."""

    ruleset: str
    situation: Situation
    faction: str
    rows: int
    columns: int
    part_cells: int  # largest number of cells of a part

    @property
    def parts_per_row(self) -> int:
        """Number of parts into which a row is divided; 1 if parts have whole rows."""
        return -(-self.columns // self.part_cells)

    @property
    def rows_per_part(self) -> int:
        return max(self.part_cells // self.columns, 1)

    @property
    def n_parts(self) -> int:
        return -(-self.rows // self.rows_per_part) * self.parts_per_row

    def block(self, number: int) -> CellBlock:
        """Return the cells of a part by its number in the group."""
        part_row, part_column = divmod(number, self.parts_per_row)
        first, left = part_row * self.rows_per_part, part_column * self.part_cells
        rows = range(first, min(first + self.rows_per_part, self.rows))
        width = self.columns if self.parts_per_row == 1 else self.part_cells
        return CellBlock(self.ruleset, self.situation, self.faction, rows, range(left, min(left + width, self.columns)))


@dataclass(frozen=True, eq=False)
class Plan:
    """A frozen plan."""

    content: Mapping[str, Any]  # plain data: the file, all units and rulesets that it uses, the version of the program

    @cached_property
    def packed(self) -> bytes:
        """The content in compressed bytes, for workers."""
        return zlib.compress(_canonical(self.content), 9)

    @cached_property
    def digest(self) -> str:
        """Digest of all inputs of the parts; of the profiles, it covers only the units that take part."""
        return hashlib.sha256(_canonical(_inputs(self.content))).hexdigest()

    @cached_property
    def file(self) -> SweepFile:
        """The sweep file of the plan."""
        return checked(SweepFile, self.content["file"], where="plan")

    @cached_property
    def units(self) -> dict[str, Unit]:
        """The units that take part, by ``faction/unit``."""
        rules = {name: rule for ruleset in self.rulesets.values() for name, rule in ruleset.rules.items()}
        return {
            name: checked(Unit, unit, where=name, house_rules=rules) for name, unit in self.content["units"].items()
        }

    @cached_property
    def attackers(self) -> dict[str, tuple[Loadout, ...]]:
        """The attackers by faction."""
        factions: dict[str, list[Loadout]] = {}
        for loadout in self._loadouts("attackers"):
            factions.setdefault(loadout.faction, []).append(loadout)
        return {faction: tuple(loadouts) for faction, loadouts in factions.items()}

    @cached_property
    def defenders(self) -> tuple[Loadout, ...]:
        """The defenders."""
        return tuple(self._loadouts("defenders"))

    def section_and_loadouts(self, faction: str | None) -> tuple[Side, tuple[Loadout, ...]]:
        """Return the file section and the loadouts of a faction's attackers; None stands for the defenders."""
        if faction is None:
            return self.file.defenders, self.defenders
        return self.file.attackers, self.attackers[faction]

    def axis_indices(self, faction: str | None, positions: range) -> tuple[Any, list[Any]]:
        """Return the indices of loadout and varied values at `positions` of a faction's rows (None: of the columns)."""
        section, loadouts = self.section_and_loadouts(faction)
        shape = len(loadouts), *(len(number.values) for number in section.numbers)
        loadout_indices, *values = np.unravel_index(np.arange(positions.start, positions.stop, dtype=np.int64), shape)
        return loadout_indices, values

    def _loadouts(self, side_name: str) -> Iterator[Loadout]:
        for selector in self.content[side_name]:
            unit, _, level = selector.partition("@")
            yield Loadout(faction=unit.partition("/")[0], unit=self.units[unit], level_name=level)

    @property
    def assumptions(self) -> tuple[str, ...]:
        """A line about die and deck for each ruleset."""
        texts = {name: ruleset.assumption for name, ruleset in self.rulesets.items()}
        return tuple(texts.values()) if len(texts) == 1 else tuple(f"{name}: {text}" for name, text in texts.items())

    @cached_property
    def rulesets(self) -> dict[str, Ruleset]:
        """The rulesets by name."""
        stated = self.content["rulesets"].items()
        return {name: checked(Ruleset, ruleset, where=f"ruleset {name}") for name, ruleset in stated}

    @cached_property
    def situations(self) -> tuple[Situation, ...]:
        """The situations: a ranged attack once for each distance of the file, a duel once for each policy."""
        return tuple(_situations_of(self.file))

    @cached_property
    def _groups(self) -> list[_Group]:
        file = self.file
        variants, columns = (prod(len(number.values) for number in section.numbers) for _, section in file.sides)
        columns *= len(self.defenders)
        return [
            _Group(
                ruleset,
                situation,
                faction,
                len(loadouts) * variants,
                columns,
                file.part_cells or int(PART_SECONDS * _CELLS_PER_SECOND[situation.kind]),
            )
            for ruleset, situation, (faction, loadouts) in product(
                self.rulesets, self.situations, self.attackers.items()
            )
        ]

    @cached_property
    def _part_ends(self) -> list[int]:
        return list(accumulate(group.n_parts for group in self._groups))

    @property
    def n_parts(self) -> int:
        """Number of parts."""
        return self._part_ends[-1]

    @property
    def n_cells(self) -> int:
        """Number of cells."""
        return sum(group.rows * group.columns for group in self._groups)

    def block(self, number: int) -> CellBlock:
        """Return the cells of a part."""
        group = bisect_right(self._part_ends, number)
        return self._groups[group].block(number - (self._part_ends[group - 1] if group else 0))

    def folder(self, number: int) -> str:
        """Return the folder of a part in the store, in the usual form of Parquet partitions (``key=value``)."""
        block = self.block(number)
        return f"ruleset={block.ruleset}/situation={block.situation.name}/faction={block.faction}"


def read_plan(source: Any, profiles: ProfilesLike | None = None) -> Plan:
    """Return the plan of a sweep file, or of a mapping of the same form, with a copy of the units that it uses.

    Raises
    ------
    InputError
        An unusable key or value.

    Examples
    --------
    >>> plan = read_plan({"attackers": {"units": ["crown/rifle-p*"]}, "defenders": {"units": "krupp@basic",
    ...                   "defence": "1..6"}})
    >>> plan.n_cells, plan.n_parts
    (18, 1)
    """
    where = "plan" if isinstance(source, Mapping) else str(path_of(source, "plan"))
    raw = dict(source) if isinstance(source, Mapping) else read_toml(path_of(source, "plan"))
    library = library_of(profiles)
    frozen = {"format": FORMAT, "program": program_digest(), "profiles": library.used.version}
    file = checked(SweepFile, raw, where=where)
    try:
        content = json.loads(_canonical(frozen | _frozen_inputs(file, library)))  # as read back from a file
        return _checked_plan(Plan(content))
    except InputError as error:
        raise error.inside(where) from None


@lru_cache(maxsize=4)
def unpack_plan(packed: bytes) -> Plan:
    """Return a plan from its packed form; InputError if this process runs another version of the program."""
    plan = Plan(json.loads(zlib.decompress(packed)))
    check_program(plan)
    return plan


def check_program(plan: Plan) -> None:
    """Raise InputError if the plan was frozen by another version of this program or its libraries."""
    if plan.content["program"] != program_digest():
        problem = "the plan was frozen by another version of this program, or of a library that it computes with"
        raise InputError(problem, where="sweep", allowed="the versions that froze it; or a new store")


def _loadouts_of(section: Side, library: Profiles) -> tuple[Loadout, ...]:
    """Return the loadouts of a side at its levels; InputError if there are none."""
    selected = loadouts(section.units, library)
    levels = section.levels
    at_levels = tuple(loadout for loadout in selected if not levels or loadout.level_name in levels)
    if not at_levels:
        existing = ", ".join(dict.fromkeys(loadout.level_name for loadout in selected))
        raise InputError(f"no loadout at level {' or '.join(levels)}", where="levels", allowed=existing)
    return at_levels


def _frozen_inputs(file: SweepFile, library: Profiles) -> dict[str, Any]:
    by_side = {name: _loadouts_of(section, library) for name, section in file.sides}
    usual, stated = library.ruleset, library.stated_ruleset
    rulesets = {named.name: named.completed_from(usual, stated) for named in file.rulesets} or {"usual": usual}
    units = {f"{loadout.faction}/{loadout.unit.id}": loadout.unit for chosen in by_side.values() for loadout in chosen}
    return {
        "file": file.model_dump(mode="json", by_alias=True, exclude_none=True),
        "units": {name: fighting_unit(unit) for name, unit in units.items()},
        **{name: [loadout.selector for loadout in chosen] for name, chosen in by_side.items()},
        "rulesets": {name: ruleset.model_dump(mode="json") for name, ruleset in rulesets.items()},
    }


def _situations_of(file: SweepFile) -> Iterator[Situation]:
    distances = None if file.distances is None else _distances(file.distances)
    named = situations_named(file.situations)
    for by_policy in zip(*(duel_situations(policy, named) for policy in file.policies)):
        for situation in dict.fromkeys(by_policy):  # only duels differ between policies
            if distances is None or situation.kind != "ranged":
                yield situation
                continue
            for distance in distances:
                name = f"{situation.name}-at-{distance:g}".replace(".", "-")
                keys = situation.model_dump() | {"name": name, "title": "", "distance": float(distance)}
                yield checked(Situation, keys, where="distances")


def _distances(written: Any) -> Sequence[float]:
    distances = values_of(written, "distances")
    if len(distances) > MOST_DISTANCES:
        raise InputError(f"{len(distances):,} distances", where="distances", allowed=f"up to {MOST_DISTANCES:,}")
    for inches in distances:
        if not is_number(inches):
            raise InputError(f"{shown(inches)} is not usable", where="distances", allowed='inches, such as "4..30:2"')
    return distances


def _checked_plan(plan: Plan) -> Plan:
    """Return the plan; InputError if it is too large, repeats a situation, or has an entry without effect."""
    if len({situation.name for situation in plan.situations}) < len(plan.situations):
        raise InputError("two situations have the same name", where="situations")
    if plan.n_cells > MOST_CELLS:
        raise InputError(f"the sweep has {plan.n_cells:,} cells", where="sweep", allowed=f"up to {MOST_CELLS:,}")
    fights = [situation.fight for situation in plan.situations]
    absent = () if any(fight.has_winner for fight in fights) else RESULT_METRICS
    are_shots = all(fight.occasion == RANGED_ATTACK for fight in fights)
    if odd := set(plan.file.figures) & set(TWO_SIDED_FIGURES if are_shots else absent):
        allowed = "with a charge or a duel" if are_shots and not odd & set(RESULT_METRICS) else "with a duel"
        raise InputError(f"no situation of this sweep has {min(odd)}", where="figures", allowed=allowed)
    if plan.file.distances is not None and not any(situation.kind == "ranged" for situation in plan.situations):
        raise InputError("no situation of this sweep has a distance", where="distances", allowed="with a ranged attack")
    if are_shots:
        points_keys = POINTS_NUMBERS if set(plan.file.figures) & set(FIGURES_FROM_POINTS) else ()
        for (side_name, section), shot_keys in zip(plan.file.sides, (SHOT_NUMBERS, TARGET_NUMBERS)):
            used = (*shot_keys, *points_keys)
            for number in section.numbers:
                if number.key not in used:
                    problem = f"no figure of a ranged attack depends on the {number.key} of {side_name}"
                    raise InputError(problem, where=f"{side_name}.{number.key}", allowed=", ".join(used))
    return plan


def _canonical(content: Any) -> bytes:
    return json.dumps(content, sort_keys=True, separators=(",", ":")).encode()


def _inputs(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of a plan without the version of the profiles, which has no effect on the parts."""
    return {key: value for key, value in content.items() if key != "profiles"}


def plan_diff(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Return the differences between the contents of two plans, one text for each.

    >>> plan_diff({"file": {"name": "a", "single": True}}, {"file": {"name": "b"}})
    ['file.name: "a" -> "b"', 'file.single is gone']
    """
    return list(_differences("", _inputs(old), _inputs(new)))


def _differences(where: str, old: Any, new: Any) -> Iterator[str]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys((*old, *new)):
            inside = f"{where}.{key}" if where else str(key)
            if key in new and key in old:
                yield from _differences(inside, old[key], new[key])
            else:
                yield f"{inside} is {'new' if key in new else 'gone'}"
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (before, after) in enumerate(zip(old, new)):
            yield from _differences(f"{where}[{index}]", before, after)
    elif old != new:
        texts = map(json.dumps, (old, new))
        yield f"{where}: {' -> '.join(t if len(t) <= 60 else f'{t[:40]} ... {t[-12:]}' for t in texts)}"
