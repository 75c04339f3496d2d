"""A plan, frozen: all that its parts depend on, and which cells each of them has.

The axes are never written out. A part has a number, and that says by division which ruleset, situation, faction, rows
(attackers with their numbers) and columns (defenders with theirs) it is of.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from math import prod
from typing import Any, NamedTuple

from analyser.analysis.grid import OF_BOTH
from analyser.analysis.policy import check_best_is_played, played_by
from analyser.analysis.selection import loadouts
from analyser.analysis.situations import Situation, situations_called
from analyser.ask.ranges import values_of
from analyser.common.digests import program
from analyser.common.errors import InputError, shown
from analyser.common.files import path_of, read_toml
from analyser.common.validation import checked
from analyser.game.keywords import RANGED_ATTACK
from analyser.game.profiles import Profiles, ProfilesLike, library_of
from analyser.game.ruleset import Ruleset
from analyser.game.units import Loadout, Unit
from analyser.plots.metrics import RESULTS
from analyser.sweep.changes import that_counts
from analyser.sweep.question import TRIALS_A_PART, fighting_unit, frozen_question
from analyser.sweep.schema import BY_WORTH, MOST_CELLS, SampleFile, SweepFile

FORMAT = 1
SECONDS = 3.0  # of work that a part is to be
_CELLS_A_SECOND = {"ranged": 600_000, "charge": 200, "duel": 500, "best-duel": 8, "best-trade": 2}  # of a typical core
_A_SAMPLE, _A_TRIAL = 5e-3, 5e-7  # seconds of a sampled cell, and of each of its trials
MOST_DISTANCES = 1_000


class Block(NamedTuple):
    """The cells of a part: rows (attackers, each with all values of its numbers) by columns (defenders likewise)."""

    ruleset: str
    situation: Situation
    faction: str
    rows: range
    columns: range

    @property
    def cells(self) -> int:
        """Number of cells."""
        return len(self.rows) * len(self.columns)


class Trials(NamedTuple):
    """The trials of a part of a sample: after how many others, and how many."""

    before: int
    trials: int


class _Group(NamedTuple):
    """Parts that have ruleset, situation and faction in common: so many rows and columns, tiled."""

    ruleset: str
    situation: Situation
    faction: str
    rows: int
    columns: int
    size: int  # cells a part at most

    @property
    def across(self) -> int:
        """Parts that one row takes; 1 where a part has whole rows."""
        return -(-self.columns // self.size)

    @property
    def rows_a_part(self) -> int:
        return max(self.size // self.columns, 1)

    @property
    def parts(self) -> int:
        return -(-self.rows // self.rows_a_part) * self.across

    def block(self, number: int) -> Block:
        """The cells of the part of that number among those of the group."""
        down, along = divmod(number, self.across)
        first, left = down * self.rows_a_part, along * self.size
        rows = range(first, min(first + self.rows_a_part, self.rows))
        width = self.columns if self.across == 1 else self.size
        return Block(self.ruleset, self.situation, self.faction, rows, range(left, min(left + width, self.columns)))


@dataclass(frozen=True, eq=False)
class Plan:
    """A frozen plan.

    Attributes
    ----------
    content : mapping
        Plain data: the file, the profiles and rulesets that it uses in full, and the version of the program.
    """

    content: Mapping[str, Any]

    @cached_property
    def packed(self) -> bytes:
        """The content as bytes, which a worker makes the plan of again."""
        return zlib.compress(_canonical(self.content), 9)

    @cached_property
    def digest(self) -> str:
        """Digest of all that the parts depend on: of the profiles, only the units that take part."""
        return hashlib.sha256(_canonical(that_counts(self.content))).hexdigest()

    @property
    def is_sample(self) -> bool:
        """Return True if it is one simulated question."""
        return "sample" in self.content["file"]

    @property
    def is_whole(self) -> bool:
        """Return True if the content has every key of a plan of its kind."""
        keys = self.content.keys()
        own = (
            {"kind", "scenario", "loadouts"} if "sample" in (self.content.get("file") or {}) else {"units", "rulesets"}
        )
        return isinstance(self.content.get("file"), dict) and keys >= {"format", "program", "profiles", *own}

    @cached_property
    def file(self) -> SweepFile:
        """The file of a sweep of cells."""
        return checked(SweepFile, self.content["file"], where="plan")

    @cached_property
    def sampled(self) -> SampleFile:
        """The file of a sample."""
        return checked(SampleFile, self.content["file"], where="plan")

    @property
    def name(self) -> str:
        """Name of the plan."""
        return str(self.content["file"]["name"])

    @cached_property
    def units(self) -> dict[str, Unit]:
        """The units that take part, by ``faction/unit``."""
        return {key: checked(Unit, each, where=key) for key, each in self.content["units"].items()}

    @cached_property
    def attackers(self) -> dict[str, tuple[Loadout, ...]]:
        """The attackers by faction."""
        found: dict[str, list[Loadout]] = {}
        for each in self._loadouts("attackers"):
            found.setdefault(each.faction, []).append(each)
        return {faction: tuple(each) for faction, each in found.items()}

    @cached_property
    def defenders(self) -> tuple[Loadout, ...]:
        """The defenders."""
        return tuple(self._loadouts("defenders"))

    def _loadouts(self, side: str) -> Iterator[Loadout]:
        for selector in self.content[side]:
            unit, _, level = selector.partition("@")
            yield Loadout(faction=unit.partition("/")[0], unit=self.units[unit], level_name=level)

    @property
    def stated_rulesets(self) -> dict[str, Any]:
        """The die and the deck of each ruleset by name, as plain data; of a sample those of its question."""
        if self.is_sample:
            return {"usual": self.content["scenario"]["ruleset"]}
        return dict(self.content["rulesets"])

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Die and deck in one line, of each ruleset."""
        found = {name: checked(Ruleset, each).assumed for name, each in self.stated_rulesets.items()}
        return tuple(found.values()) if len(found) == 1 else tuple(f"{name}: {each}" for name, each in found.items())

    @cached_property
    def rulesets(self) -> dict[str, Ruleset]:
        """The rulesets by name."""
        found = self.content["rulesets"].items()
        return {name: checked(Ruleset, each, where=f"ruleset {name}") for name, each in found}

    @cached_property
    def situations(self) -> tuple[Situation, ...]:
        """The situations, each at every distance and by every policy that it can have."""
        return tuple(_situations_of(self.file))

    @cached_property
    def _groups(self) -> list[_Group]:
        file = self.file
        rows_each = prod(len(each.values) for each in file.attackers.numbers)
        columns = len(self.defenders) * prod(len(each.values) for each in file.defenders.numbers)
        return [
            _Group(ruleset, situation, faction, len(each) * rows_each, columns, _part_size(file, situation))
            for ruleset, situation, (faction, each) in product(self.rulesets, self.situations, self.attackers.items())
        ]

    @cached_property
    def _ends(self) -> list[int]:
        ends, total = [], 0
        for each in self._groups:
            total += each.parts
            ends.append(total)
        return ends

    @property
    def parts(self) -> int:
        """Number of parts."""
        if self.is_sample:
            return -(-self.sampled.sample.trials // _trials_a_part(self))
        return self._ends[-1]

    @property
    def cells(self) -> int:
        """Cells in all; of a sample trials."""
        return self.sampled.sample.trials if self.is_sample else sum(each.rows * each.columns for each in self._groups)

    def block(self, number: int) -> Block:
        """The cells of a part."""
        group = bisect_right(self._ends, number)
        return self._groups[group].block(number - (self._ends[group - 1] if group else 0))

    def trials(self, number: int) -> Trials:
        """The trials of a part."""
        size = _trials_a_part(self)
        return Trials(number * size, min(size, self.sampled.sample.trials - number * size))

    def folder(self, number: int) -> str:
        """The folder of a part inside that of the parts: what they are partitioned by, as every reader knows it."""
        if self.is_sample:
            return f"seed={self.sampled.sample.seed}"
        block = self.block(number)
        return f"ruleset={block.ruleset}/situation={block.situation.name}/faction={block.faction}"

    def size(self, number: int) -> int:
        """Cells, or trials, of a part."""
        return self.trials(number).trials if self.is_sample else self.block(number).cells

    def kind(self, number: int) -> str:
        """Return the kind of fights of a part."""
        return "sample" if self.is_sample else self.block(number).situation.kind

    def kinds(self, among: range) -> Counter[str]:
        """Count the parts `among` by kind, without looking at every one."""
        if self.is_sample:
            return Counter(sample=len(among))
        found: Counter[str] = Counter()
        for group, first, last in zip(self._groups, (0, *self._ends), self._ends):
            found[group.situation.kind] += bisect_left(among, last) - bisect_left(among, first)
        return found


def read_plan(source: Any, profiles: ProfilesLike | None = None) -> Plan:
    """The plan that a file, or a mapping of the same form, makes with the profiles as they are now.

    Raises
    ------
    InputError
        Anything in it that cannot be used.

    Examples
    --------
    >>> plan = read_plan({"attackers": {"units": ["crown/rifle-p*"]}, "defenders": {"units": "krupp@basic",
    ...                   "defence": "1..6"}})
    >>> plan.cells, plan.parts
    (18, 1)
    """
    where = "plan" if isinstance(source, Mapping) else str(path_of(source, "plan"))
    raw = dict(source) if isinstance(source, Mapping) else read_toml(path_of(source, "plan"))
    library = library_of(profiles)
    frozen = {"format": FORMAT, "program": program(), "profiles": library.used.version}
    if "sample" in raw or "question" in raw:
        return Plan(_plain(frozen | frozen_question(checked(SampleFile, raw, where=where), library, where)))
    file = checked(SweepFile, raw, where=where)
    try:
        return _checked_plan(Plan(_plain(frozen | _frozen_cells(file, library))))
    except InputError as error:
        raise error.inside(where) from None


@lru_cache(maxsize=4)
def unpacked(packed: bytes) -> Plan:
    """The plan that was packed, in a process that is to work on it.

    Raises InputError in a process of another version of the program: what it worked out could differ.
    """
    plan = Plan(json.loads(zlib.decompress(packed)))
    check_program(plan)
    return plan


def check_program(plan: Plan) -> None:
    """Raise InputError if the plan was frozen by another version of this program, or of what it adds up with."""
    if plan.content["program"] != program():
        problem = "the plan was frozen by another version of this program, or of a library that it computes with"
        raise InputError(problem, where="sweep", allowed="the same versions everywhere; or a new store")


def _frozen_cells(file: SweepFile, library: Profiles) -> dict[str, Any]:
    sides = {name: loadouts(side.units, library, side.levels or None) for name, side in file.sides}
    usual = library.ruleset
    rulesets = {each.name: each.over(usual, library.stated) for each in file.rulesets} or {"usual": usual}
    by_unit = {f"{each.faction}/{each.unit.id}": each for side in sides.values() for each in side}
    return {
        "file": file.model_dump(mode="json", by_alias=True, exclude_none=True),
        "units": {name: fighting_unit(each.unit) for name, each in by_unit.items()},
        **{name: [each.selector for each in side] for name, side in sides.items()},
        "rulesets": {name: each.model_dump(mode="json") for name, each in rulesets.items()},
    }


def _situations_of(file: SweepFile) -> Iterator[Situation]:
    distances = None if file.distances is None else _distances(file.distances)
    for policy in file.policies:
        check_best_is_played(policy, played_by(policy, situations_called(file.situations)))
    for named in situations_called(file.situations):
        for policy in file.policies:
            (situation,) = played_by(policy, (named,))
            if situation == named and policy != file.policies[0] and policy != "habit":
                continue  # no duel: it is the same by every policy
            if distances is None or situation.kind != "ranged":
                yield situation
                continue
            for distance in distances:
                name = f"{situation.name}-at-{distance:g}".replace(".", "-")
                keys = situation.model_dump() | {"name": name, "title": "", "distance": float(distance)}
                yield checked(Situation, keys, where="distances")


def _distances(given: Any) -> Sequence[float]:
    found = values_of(given, "distances")
    if len(found) > MOST_DISTANCES:
        raise InputError(f"{len(found):,} distances", where="distances", allowed=f"up to {MOST_DISTANCES:,}")
    for each in found:
        if isinstance(each, bool) or not isinstance(each, int | float):
            raise InputError(f"{shown(each)} is not usable", where="distances", allowed='inches, such as "4..30:2"')
    return found


def _checked_plan(plan: Plan) -> Plan:
    """The plan, if it has cells, not too many, and no number that nothing depends on."""
    names = [each.name for each in plan.situations]
    if len(set(names)) < len(names):
        raise InputError("two situations are the same", where="situations")
    if plan.cells > MOST_CELLS:
        raise InputError(f"{plan.cells:,} cells", where="sweep", allowed=f"up to {MOST_CELLS:,}")
    fights = [each.fight for each in plan.situations]
    without = () if any(each.has_winner for each in fights) else RESULTS
    are_shots = all(each.occasion == RANGED_ATTACK for each in fights)
    if odd := set(plan.file.figures) & set(OF_BOTH if are_shots else without):
        allowed = "with a charge or a duel" if are_shots and not odd & set(RESULTS) else "with a duel"
        raise InputError(f"no situation of this sweep has {min(odd)}", where="figures", allowed=allowed)
    if plan.file.distances is not None and not any(each.kind == "ranged" for each in plan.situations):
        raise InputError("no situation of this sweep has a distance", where="distances", allowed="with a ranged attack")
    if are_shots:
        worth = OF_WORTH if set(plan.file.figures) & set(BY_WORTH) else ()
        for (side, given), of_side in zip(plan.file.sides, (OF_SHOTS, OF_TARGETS)):
            used = (*of_side, *worth)
            for number in given.numbers:
                if number.key not in used:
                    problem = f"no figure of a ranged attack depends on the {number.key} of {side}"
                    raise InputError(problem, where=f"{side}.{number.key}", allowed=", ".join(used))
    return plan


OF_SHOTS = ("models", "short_range", "long_range", "dice")
OF_TARGETS = ("models", "defence", "damage_limit", "discipline", "break_limit")
"""The numbers of attackers, and of defenders, that a ranged attack depends on."""
OF_WORTH = ("points", "victory_points")


def _part_size(file: SweepFile, situation: Situation) -> int:
    if file.part_cells is not None or file.sampling is None:
        return file.part_cells or int(SECONDS * _CELLS_A_SECOND.get(situation.kind, 100))
    trials = file.sampling.of(0).first_trials()
    return max(int(SECONDS / (_A_SAMPLE + trials * _A_TRIAL)), 1)


def _trials_a_part(plan: Plan) -> int:
    return plan.sampled.sample.part_trials or TRIALS_A_PART[plan.content["kind"]]


def _canonical(content: Any) -> bytes:
    return json.dumps(content, sort_keys=True, separators=(",", ":")).encode()


def _plain(content: Any) -> Any:
    """Return the content as it would come back from a file."""
    return json.loads(_canonical(content))
