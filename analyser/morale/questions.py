"""Types of numbers in questions about morale, and functions that read a question and its ruleset."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from pydantic import BeforeValidator, Field, PlainSerializer

from analyser.common.errors import InputError, shown
from analyser.common.files import path_of, read_toml
from analyser.common.validation import Record, checked, plain_data
from analyser.game.profiles import MORALE_RULESETS, shipped_profiles
from analyser.game.units import MOST_INCHES

if TYPE_CHECKING:
    from analyser.morale.systems import System

MOST_VALUE = 100  # largest value in a stated distribution
SUM_TOLERANCE = 1e-9  # largest difference between 1 and the sum of stated probabilities
_CLASH_SECTION = "armoured_clash"  # section of a ruleset with the die and deck of Armoured Clash
UNMERGED_TABLES = ("die", "deck")  # tables of a ruleset; if a question states one, all keys of the default are dropped

ItemT = TypeVar("ItemT")
Pmf = tuple[float, ...]

Probability = Annotated[float, Field(ge=0, le=1)]
ProbabilityOrBool = Annotated[
    Probability, BeforeValidator(lambda value: float(value) if isinstance(value, bool) else value)
]
Rounds = Annotated[int, Field(ge=1, le=100)]
Distance = Annotated[float, Field(ge=0, le=MOST_INCHES)]
Length = Annotated[float, Field(ge=0.01, le=MOST_INCHES)]  # length of a move, in inches


def pmf_from(value: object) -> Pmf:
    """Return the probabilities of 0, 1, 2, … from an integer or a table of number = probability.

    >>> pmf_from(2), pmf_from({0: 0.5, "2": 0.5})
    ((0.0, 0.0, 1.0), (0.5, 0.0, 0.5))
    """
    if isinstance(value, int) and not isinstance(value, bool):
        value = {value: 1.0}
    if not isinstance(value, Mapping) or not value:
        raise ValueError(f"{shown(value)} is not usable (allowed: an integer, or a table of number = probability)")
    pmf = [0.0] * (max(_small_number(number) for number in value) + 1)
    for number, probability in value.items():
        if isinstance(probability, bool) or not isinstance(probability, int | float) or not 0 <= probability <= 1:
            raise ValueError(f"{shown(probability)} is not usable as a probability (allowed: 0 to 1)")
        pmf[_small_number(number)] = float(probability)
    if abs(math.fsum(pmf) - 1) > SUM_TOLERANCE:
        raise ValueError(f"the probabilities add up to {math.fsum(pmf):g} (allowed: 1)")
    return tuple(pmf)


def _small_number(number: object) -> int:
    if not str(number).isdecimal() or int(str(number)) > MOST_VALUE:
        raise ValueError(f"{shown(number)} is not usable as a number (allowed: 0 to {MOST_VALUE})")
    return int(str(number))


def as_tuple_of_rounds(value: object) -> tuple[Any, ...]:
    """Convert a list with an entry for each round, or a single value for all rounds, to a tuple."""
    return tuple(value) if isinstance(value, list | tuple) else (value,)


def _as_table(pmf: Pmf) -> dict[str, float]:
    return {str(number): probability for number, probability in enumerate(pmf) if probability}


Distribution = Annotated[Pmf, BeforeValidator(pmf_from), PlainSerializer(_as_table)]
"""Distribution of an integer. A file may state a plain integer instead, which is then certain."""

ByRound = Annotated[
    tuple[Pmf, ...],
    BeforeValidator(lambda value: tuple(map(pmf_from, as_tuple_of_rounds(value)))),
    PlainSerializer(lambda pmfs: [*map(_as_table, pmfs)]),
]
"""Distribution of an integer in each round. A file may state one distribution for all rounds, or plain integers."""


def certain_pmf(number: int) -> Pmf:
    """Return the distribution of a number that is certain."""
    return (0.0,) * number + (1.0,)


def for_each_round(numbers: tuple[ItemT, ...], rounds: int, key: str) -> tuple[ItemT, ...]:
    """Return an entry for each round, repeating a single entry; ValueError unless there are 1 or `rounds` entries."""
    if len(numbers) not in (1, rounds):
        raise ValueError(f"{key} has {len(numbers)} numbers (allowed: one for all rounds, or {rounds}, one for each)")
    return numbers * rounds if len(numbers) == 1 else numbers


def exact_fraction(length: float) -> Fraction:
    """Return the printed decimal value of a length as a fraction, so that sums of lengths are exact.

    >>> exact_fraction(4.4) - exact_fraction(1.4) == 3, 4.4 - 1.4 == 3
    (True, False)
    """
    return Fraction(str(length))


class MoraleQuestion(Record):
    """Base of the questions of all systems; each subclass also has a key `ruleset`."""

    page = "docs/keys.md"

    def as_dict(self) -> dict[str, Any]:
        """Return plain data, from which an equal question can be read."""
        return self.model_dump(mode="json")

    def heading_values(self) -> dict[str, Any]:
        """Return the values that the heading of an answer shows; the heading omits empty values."""
        return self.model_dump(mode="json", exclude_none=True)


def read_question(
    system: System,
    source: str | os.PathLike[str] | Mapping[str, Any],
    folder: Path | None,
    clash_settings: Mapping[str, Any] | None = None,
) -> MoraleQuestion:
    """Read a question, complete its ruleset from a folder, and use the die and deck in `clash_settings`.

    InputError if the system does not use a die or deck that `clash_settings` states.
    """
    if isinstance(source, Mapping):
        raw, where = plain_data(dict(source), "question"), "question"
    else:
        raw, where = read_toml(path_of(source, "question")), str(source)
    stated = raw.get("ruleset", {})
    if not isinstance(stated, Mapping):
        raise InputError(f"{shown(stated)} is not usable", where=f"{where}: ruleset", allowed="a table")
    raw["ruleset"] = _merged(default_ruleset(system, folder), stated)
    if clash_settings:
        if unused := clash_settings.keys() - raw["ruleset"].get(_CLASH_SECTION, {}).keys():
            allowed = "a die and a deck only for fights of Armoured Clash"
            problem = f"{system.title} does not use the {' and '.join(sorted(unused))}"
            raise InputError(problem, where="ruleset", allowed=allowed)
        raw["ruleset"] = _merged(raw["ruleset"], {_CLASH_SECTION: clash_settings})
    if hasattr(system.answers, "complete"):
        try:
            raw = system.answers.complete(raw, folder)
        except InputError as error:
            raise error.inside(where) from None
    return checked(system.question, raw, where=where)


def _merged(defaults: Mapping[str, Any], stated: Mapping[str, Any]) -> dict[str, Any]:
    """Return `defaults` updated with `stated`, section by section."""
    sections = {
        key: _merged(defaults[key], value)
        for key, value in stated.items()
        if isinstance(value, Mapping) and isinstance(defaults.get(key), Mapping) and key not in UNMERGED_TABLES
    }
    return {**defaults, **stated, **sections}


def default_ruleset(system: System, folder: Path | None) -> dict[str, Any]:
    """Return the ruleset of a system, with sections from other files; a file missing in `folder` is the shipped one."""
    records = system.question.model_fields["ruleset"].annotation
    values = _ruleset_file(folder, system.ruleset)
    for section, file in system.other_rulesets.items():
        keys = records.model_fields[section].annotation.model_fields  # type: ignore[union-attr]
        values[section] = {key: value for key, value in _ruleset_file(folder, file).items() if key in keys}
    return values


def _ruleset_file(folder: Path | None, name: str) -> dict[str, Any]:
    path = (folder or shipped_profiles()) / MORALE_RULESETS / name
    return read_toml(path if path.exists() else shipped_profiles() / MORALE_RULESETS / name)
