"""File of a sweep: units, varied numbers, situations, rulesets and figures."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, field_validator, model_validator

from analyser.analysis.grid import TWO_SIDED_FIGURES
from analyser.analysis.situations import DUEL_POLICIES, SITUATIONS, Situation
from analyser.ask.keys import values_of
from analyser.common.errors import InputError, allowed_names, did_you_mean
from analyser.common.metrics import EFFICIENCY
from analyser.common.validation import Record, Several, as_tuple, optional
from analyser.engine.attack.summaries import SUMMARY
from analyser.game.names import Slug
from analyser.game.ruleset import Deck, Die, Ruleset
from analyser.game.units import LevelName, Unit

ADDED_PREFIX = "by "
"""Prefix of values that are added to the profile's value; values of `dice` are always added."""
FIGURES_FROM_POINTS = ("expected_victory_points", "expected_points_destroyed", EFFICIENCY)
"""Figures derived from other figures and from points or victory points of the units."""
SWEPT_FIGURES = (*(SUMMARY.names or ()), *TWO_SIDED_FIGURES, *FIGURES_FROM_POINTS)
"""Figures that can be computed for a cell."""
_BASE_FIGURES = ("mean_models_destroyed", "p_annihilated")  # figures from which FIGURES_FROM_POINTS are derived
USUAL_FIGURES = ("mean_models_destroyed", "p_annihilated", "mean_damage", "mean_share_lost")
MOST_VALUES = 10_000  # most values of one varied number
MOST_CELLS = 10**15


def _values(written: Any, key: str = "") -> Sequence[Any]:
    values = values_of(written, key)
    if len(values) > MOST_VALUES:
        raise InputError(f"{len(values):,} values", where=key, allowed=f"up to {MOST_VALUES:,}")
    return values


def _in_file_form(written: Any) -> Any:
    """Return values as a file states them: a text, a number, or a tuple."""
    if written is None or isinstance(written, str | bool | int | float):
        return written
    return tuple(_values(written))


def _checked_numbers(written: Any) -> Any:
    """Return the values of a varied number as a file states them; InputError for unusable values."""
    stated = _in_file_form(written)
    if stated is not None:
        _varied_number("", stated)
    return stated


Values = Annotated[Any, BeforeValidator(_in_file_form)]
Numbers = Annotated[Any, BeforeValidator(_checked_numbers)]


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
    values = _values(text, key)
    for value in values:
        if isinstance(value, bool) or not isinstance(value, int):
            allowed = 'integers, such as 1..6; "by -1..1" adds to the number of the profile'
            raise InputError(f"{value!r} is not usable", where=key, allowed=allowed)
    return VariedNumber(key=key, values=tuple(values), is_added=is_added or key == "dice")


def _one_or_several(value: object) -> object:
    return (value,) if isinstance(value, str | dict) else value


class Side(Record):
    """The units of a side, their levels, and the values of the numbers that are varied."""

    units: Several[str]
    levels: Several[LevelName] = ()
    models: Numbers = None
    points: Numbers = None
    victory_points: Numbers = None
    defence: Numbers = None
    damage_limit: Numbers = None
    discipline: Numbers = None
    break_limit: Numbers = None
    speed: Numbers = None
    short_range: Numbers = None
    long_range: Numbers = None
    dice: Numbers = None

    _several = field_validator("units", "levels", mode="before")(_one_or_several)

    @property
    def numbers(self) -> tuple[VariedNumber, ...]:
        """The varied numbers, in the order of the keys."""
        stated = self.model_dump(exclude={"units", "levels"}, exclude_none=True)
        return tuple(_varied_number(key, written) for key, written in stated.items())


class NamedRuleset(Record):
    """A ruleset with a name; missing parts default to the ruleset of the profiles."""

    name: Slug
    die: Die | None = None
    deck: Deck | None = None

    def completed_from(self, usual: Ruleset, stated: Collection[str]) -> Ruleset:
        """Return the ruleset, with missing parts, and the parts named in `stated`, taken from `usual`."""
        own = {name: part for name in ("die", "deck") if name not in stated and (part := getattr(self, name))}
        return usual.model_copy(update=own)


class SweepFile(Record):
    """A sweep of cells: every attacker against every defender, for all numbers, situations and rulesets."""

    page = "docs/keys.md"

    name: Slug = "sweep"
    situations: Several[str | Situation] = ("long-range",)
    distances: Values = None
    policies: Several[str] = ("tactic",)
    figures: Several[str] = USUAL_FIGURES
    single: bool = optional(False, "Keep figures in 32 bits, to seven digits, instead of 64.")
    part_cells: Annotated[int, Field(ge=1, le=10**8)] | None = None
    attackers: Side
    defenders: Side
    rulesets: tuple[NamedRuleset, ...] = Field(alias="ruleset", default=())

    _tuples = field_validator("rulesets", mode="before")(as_tuple)
    _several = field_validator("situations", "figures", "policies", mode="before")(_one_or_several)

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
                names_text = allowed_names(allowed, name, "docs/keys.md")
                raise ValueError(f"{where}: no {name!r}{did_you_mean(name, allowed)} (allowed: {names_text})")


def fighting_unit(unit: Unit) -> dict[str, Any]:
    """Return a unit as plain data, without the data that affect no fight."""
    return unit.record() | {"in_force": {}, "battlegroups": {}}
