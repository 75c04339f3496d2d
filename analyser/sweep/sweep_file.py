"""File of a sweep: units, varied numbers, rulesets and figures, or the question of a sample."""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import reduce
from operator import getitem
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field, field_validator, model_validator

from analyser.analysis.best_play_situations import DUEL_POLICIES
from analyser.analysis.grid import TWO_SIDED_FIGURES
from analyser.analysis.situations import SITUATIONS, Situation
from analyser.ask.keys import values_of
from analyser.common.errors import InputError, did_you_mean
from analyser.common.method_settings import MOST_TRIALS, Sampling
from analyser.common.metrics import EFFICIENCY
from analyser.common.text import with_article
from analyser.common.validation import Record, Several, as_tuple, checked, optional
from analyser.engine.attack.summaries import SUMMARY
from analyser.engine.battle.battle_data import CHUNK_BATTLES
from analyser.engine.parallel import CHUNK_TRIALS
from analyser.game.names import Slug
from analyser.game.profiles import Profiles, library_of
from analyser.game.ruleset import Deck, Die, Ruleset
from analyser.game.units import LevelName, Loadout, Unit
from analyser.scenarios.load import AnyScenario, load

VARIED_KEYS = (
    *("models", "points", "victory_points", "defence", "damage_limit", "discipline", "break_limit", "speed"),
    *("short_range", "long_range", "dice"),
)
"""Numbers of a profile that can be varied, by their names in profiles."""
ADDED_PREFIX = "by "
"""Prefix of values that are added to the profile's value; values of `dice` are always added."""
FIGURES_FROM_POINTS = ("expected_victory_points", "expected_points_destroyed", EFFICIENCY)
"""Figures derived from other figures and the points of both units."""
SWEPT_FIGURES = (*(SUMMARY.names or ()), *TWO_SIDED_FIGURES, *FIGURES_FROM_POINTS)
"""Figures that can be computed for a cell."""
_BASE_FIGURES = ("mean_models_destroyed", "p_annihilated")  # from which FIGURES_FROM_POINTS are derived
USUAL_FIGURES = ("mean_models_destroyed", "p_annihilated", "mean_damage", "mean_share_lost")
MOST_VALUES = 10_000  # values of one number
MOST_CELLS = 10**15


def _in_file_form(written: Any) -> Any:
    """Return values in the form of a file: a text, a number, or several."""
    if written is None or isinstance(written, str | bool | int | float):
        return written
    values = values_of(written, "")
    if len(values) > MOST_VALUES:
        raise InputError(f"{len(values):,} values", allowed=f"up to {MOST_VALUES:,}")
    return tuple(values)


Values = Annotated[Any, BeforeValidator(_in_file_form)]


class VariedNumber(Record):
    """A varied number of one side, and its values; if `is_added`, they are added to the value of the profile."""

    key: str
    values: tuple[int, ...]
    is_added: bool

    @property
    def column(self) -> str:
        """Name of the column without its prefix ``attacker_`` or ``defender_``."""
        return f"{self.key}_by" if self.is_added else self.key

    def change(self, index: int) -> int | str:
        """Return the value at an index as a change of a profile: ``"+1"`` is added to the value of the profile."""
        value = self.values[index]
        return f"{value:+d}" if self.is_added else value


def _varied_number(key: str, written: Any) -> VariedNumber:
    is_added = isinstance(written, str) and written.startswith(ADDED_PREFIX)
    text = written.removeprefix(ADDED_PREFIX) if isinstance(written, str) else written
    values = values_of(text, key)
    if len(values) > MOST_VALUES:
        raise InputError(f"{len(values):,} values", where=key, allowed=f"up to {MOST_VALUES:,}")
    for value in values:
        if isinstance(value, bool) or not isinstance(value, int):
            allowed = 'integers, such as 1..6; "by -1..1" adds them'
            raise InputError(f"{value!r} is not usable", where=key, allowed=allowed)
    return VariedNumber(key=key, values=tuple(values), is_added=is_added or key == "dice")


class Side(Record):
    """The units of a side, and the numbers that are varied."""

    units: Several[str]
    levels: Several[LevelName] = ()
    models: Values = None
    points: Values = None
    victory_points: Values = None
    defence: Values = None
    damage_limit: Values = None
    discipline: Values = None
    break_limit: Values = None
    speed: Values = None
    short_range: Values = None
    long_range: Values = None
    dice: Values = None

    @field_validator("units", "levels", mode="before")
    @classmethod
    def _one_or_several(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else value

    @field_validator(*VARIED_KEYS)
    @classmethod
    def _check_values(cls, value: Any, info: Any) -> Any:
        if value is not None:
            try:
                _varied_number(info.field_name, value)
            except InputError as error:
                raise ValueError(f"{error.problem} (allowed: {error.allowed})") from None
        return value

    @property
    def numbers(self) -> tuple[VariedNumber, ...]:
        """The varied numbers, in the order of :data:`VARIED_KEYS`."""
        return tuple(_varied_number(key, written) for key in VARIED_KEYS if (written := getattr(self, key)) is not None)


class NamedRuleset(Record):
    """A ruleset with a name; missing parts default to the ruleset of the profiles."""

    name: Slug
    die: Die | None = None
    deck: Deck | None = None

    def completed_from(self, usual: Ruleset, stated: Collection[str] = ()) -> Ruleset:
        """Return the ruleset; missing parts, and the parts named in `stated`, come from `usual`."""
        own = {name: part for name in ("die", "deck") if name not in stated and (part := getattr(self, name))}
        return usual.model_copy(update=own)


class CellSampling(Record):
    """Settings of the simulation of each cell: a number of trials, or a precision to reach."""

    trials: Annotated[int, Field(ge=1, le=MOST_TRIALS)] | None = None
    precision: float | str | None = None
    seed: Annotated[int, Field(ge=0)] = 0
    replacement: bool = False

    @model_validator(mode="after")
    def _check_settings(self) -> CellSampling:
        if (self.trials is None) == (self.precision is None):
            raise ValueError("trials or precision: one of them")
        try:
            self.with_seed(self.seed)
        except InputError as error:
            raise ValueError(str(error)) from None
        return self

    def with_seed(self, seed: int) -> Sampling:
        """Return the settings for the simulation of a cell with a seed."""
        settings: dict[str, Any] = {"trials": self.trials, "precision": self.precision, "replacement": self.replacement}
        return Sampling("monte-carlo", seed=seed, threads=1, **settings)


class SweepFile(Record):
    """A sweep of cells: every attacker against every defender, for all numbers, situations and rulesets."""

    kind: ClassVar[str] = "cells"
    page = "docs/keys.md"

    name: Slug = "sweep"
    situations: Several[str | Situation] = ("long-range",)
    distances: Values = None
    policies: Several[str] = ("tactic",)
    figures: Several[str] = USUAL_FIGURES
    single: bool = optional(False, "Keep figures in 32 bits, to seven digits, instead of 64.")
    part_cells: Annotated[int, Field(ge=1, le=10**8)] | None = None
    sampling: CellSampling | None = None
    attackers: Side
    defenders: Side
    rulesets: tuple[NamedRuleset, ...] = Field(alias="ruleset", default=())

    _tuples = field_validator("rulesets", mode="before")(as_tuple)

    @field_validator("situations", "figures", "policies", mode="before")
    @classmethod
    def _one_or_several(cls, value: object) -> object:
        return (value,) if isinstance(value, str | dict) else value

    @model_validator(mode="after")
    def _check_all(self) -> SweepFile:
        self._check_names("figures", self.figures, SWEPT_FIGURES)
        self._check_names("policies", self.policies, DUEL_POLICIES)
        named = [situation for situation in self.situations if isinstance(situation, str)]
        self._check_names("situations", named, tuple(SITUATIONS))
        names = [ruleset.name for ruleset in self.rulesets]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f"two rulesets are called {twice!r}")
        if not self.situations or not self.figures or not self.policies:
            raise ValueError("situations, figures and policies: at least one of each")
        return self

    @property
    def sides(self) -> tuple[tuple[str, Side], tuple[str, Side]]:
        """Both sides, with the names of their sections."""
        return ("attackers", self.attackers), ("defenders", self.defenders)

    @property
    def computed_figures(self) -> tuple[str, ...]:
        """Figures to compute from fights, including those from which other figures are derived."""
        own = [name for name in self.figures if name not in FIGURES_FROM_POINTS]
        return tuple(dict.fromkeys((*own, *(_BASE_FIGURES if len(own) < len(self.figures) else ()))))

    def _check_names(self, where: str, names: Sequence[str], allowed: Sequence[str]) -> None:
        for name in names:
            if list(names).count(name) > 1:
                raise ValueError(f"{where}: {name!r} twice")
            if name not in allowed:
                raise ValueError(f"{where}: no {name!r}{did_you_mean(name, allowed)} (allowed: {', '.join(allowed)})")


class SampleSettings(Record):
    """Settings of a sample; `replacement`: cards are put back after each test (longer fights only)."""

    trials: Annotated[int, Field(ge=1, le=MOST_TRIALS)]
    seed: Annotated[int, Field(ge=0)] = 0
    part_trials: Annotated[int, Field(ge=1, le=MOST_TRIALS)] | None = None
    replacement: bool = False


class SampleFile(Record):
    """File of a sample: one question simulated with very many trials, whose numbered chunks are divided among parts."""

    kind: ClassVar[str] = "sample"
    page = "docs/keys.md"

    name: Slug = "sample"
    sample: SampleSettings
    question: dict[str, Any]


TRIALS_PER_PART = {"attack": 1 << 31, "charge": 1 << 25, "focus": 1 << 25, "duel": 1 << 24, "battle": 1 << 15}
"""Trials of a part (some seconds of work), by kind of question."""
_SELECTORS = ("unit", "attacker")  # keys of a scenario whose value is the selector of a loadout


def frozen_question(file: SampleFile, library: Profiles, where: str) -> dict[str, Any]:
    """Return the content of the plan of a sample: its file, its scenario, and every loadout named in the scenario.

    `where` is the file, for messages. Raises InputError for a question that cannot be simulated.
    """
    try:
        scenario = load(file.question, library)
    except InputError as error:
        raise error.inside(f"{where}: question") from None
    if scenario.kind not in TRIALS_PER_PART:
        problem, allowed = f"this question is {with_article(scenario.kind)}", ", ".join(TRIALS_PER_PART)
        raise InputError(problem, where=f"{where}: question", allowed=allowed)
    if scenario.kind == "battle" and library.used.version != library_of(None).used.version:
        allowed = "the shipped profiles, because a plan does not freeze battlegroups and boons"
        raise InputError("the battle has profiles of its own", where=f"{where}: question", allowed=allowed)
    part, chunk = file.sample.part_trials, _chunk_trials(scenario.kind)
    if part is not None and part % chunk:
        raise InputError(f"{part} trials", where=f"{where}: sample.part_trials", allowed=f"a multiple of {chunk}")
    question = scenario.as_dict()
    loadouts = [(path, _loadout_at(file.question, path, name, library)) for path, name in _selectors_in(question)]
    return {
        "file": file.model_dump(mode="json"),
        "kind": scenario.kind,
        "scenario": question,
        "loadouts": [{"place": path, **_frozen_loadout(loadout)} for path, loadout in loadouts],
    }


def load_frozen_question(content: Mapping[str, Any]) -> AnyScenario:
    """Return the scenario in the content of a plan; all loadouts come from the content instead of profiles."""
    question = copy.deepcopy(content["scenario"])
    rules = question["ruleset"].get("rules")
    house_rules = None if rules is None else checked(Ruleset, question["ruleset"]).rules
    for frozen in content["loadouts"]:
        *outer, key = frozen["place"]
        data = {name: frozen[name] for name in Loadout.model_fields}
        reduce(getitem, outer, question)[key] = checked(Loadout, data, where="plan", house_rules=house_rules)
    scenario = load(question)
    if scenario.profiles is None or scenario.profiles.version == content["profiles"]:
        return scenario
    used = scenario.profiles._replace(folder="frozen in the plan", version=content["profiles"])
    return replace(scenario, profiles=used)


def fighting_unit(unit: Unit) -> dict[str, Any]:
    """Return a unit as plain data, with its points but without data that affect no fight."""
    return unit.record() | {"in_force": {}, "battlegroups": {}}


def _frozen_loadout(loadout: Loadout) -> dict[str, Any]:
    return {"faction": loadout.faction, "unit": fighting_unit(loadout.unit), "level_name": loadout.level_name}


def _selectors_in(section: Any, path: Sequence[str | int] = ()) -> Iterator[tuple[Sequence[str | int], str]]:
    """Yield the path and the text of each selector in a scenario written as plain data."""
    if isinstance(section, str) and path[-1] in _SELECTORS:
        yield path, section
    elif isinstance(section, dict | list | tuple):
        for key, value in section.items() if isinstance(section, dict) else enumerate(section):
            yield from _selectors_in(value, (*path, key))


def _loadout_at(question: Any, path: Sequence[str | int], selector: str, library: Profiles) -> Loadout:
    """Return the loadout object at a path in the question or, if there is none, the loadout named by the selector."""
    with suppress(LookupError, TypeError):  # the resolved form of an army may have other paths
        if isinstance(stated := reduce(getitem, path, question), Loadout):
            return stated
    return library.loadout(selector)


def _chunk_trials(kind: str) -> int:
    """Return the number of trials of a chunk, of which the trials of a part must be a multiple."""
    return CHUNK_BATTLES if kind == "battle" else CHUNK_TRIALS
