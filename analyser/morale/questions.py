"""Parts shared by the questions of all systems: probabilities, small-number distributions, the ruleset."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from pydantic import BeforeValidator, Field, PlainSerializer

from analyser.common.errors import InputError, shown
from analyser.common.files import check_plain, path_of, read_toml
from analyser.common.validation import Record, checked
from analyser.game.profiles import MORALE_RULESETS, shipped_profiles
from analyser.game.units import MOST_INCHES

if TYPE_CHECKING:
    from analyser.morale.systems import System

MOST_VALUE = 100  # largest value of a distribution of small numbers
ONE_WITHIN = 1e-9  # tolerance of the sum of given probabilities
_OF_CLASH = "armoured_clash"  # section of a ruleset with the die and deck of Armoured Clash
WHOLE = ("die", "deck")  # tables that replace a default as a whole

ItemT = TypeVar("ItemT")
Pmf = tuple[float, ...]

Probability = Annotated[float, Field(ge=0, le=1)]
ProbabilityOrBool = Annotated[
    Probability, BeforeValidator(lambda value: float(value) if isinstance(value, bool) else value)
]
Rounds = Annotated[int, Field(ge=1, le=100)]
Distance = Annotated[float, Field(ge=0, le=MOST_INCHES)]
Length = Annotated[float, Field(ge=0.01, le=MOST_INCHES)]  # inches of a move


def pmf_from(value: object) -> Pmf:
    """Return the probabilities of 0, 1, 2, … from an integer or a table of number = probability; else ValueError.

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
    if abs(math.fsum(pmf) - 1) > ONE_WITHIN:
        raise ValueError(f"these probabilities add up to {math.fsum(pmf):g} (allowed: 1)")
    return tuple(pmf)


def _small_number(number: object) -> int:
    if not str(number).isdecimal() or int(str(number)) > MOST_VALUE:
        raise ValueError(f"{shown(number)} is not usable as a number (allowed: 0 to {MOST_VALUE})")
    return int(str(number))


def one_or_list(value: object) -> tuple[Any, ...]:
    """Return a value as a tuple: a list with an entry for each round, or a single entry for all rounds."""
    return tuple(value) if isinstance(value, list | tuple) else (value,)


def _as_table(pmf: Pmf) -> dict[str, float]:
    """Return a distribution as in a file: number = probability."""
    return {str(number): probability for number, probability in enumerate(pmf) if probability}


Distribution = Annotated[Pmf, BeforeValidator(pmf_from), PlainSerializer(_as_table)]
"""An integer, or a distribution of integers."""

ByRound = Annotated[
    tuple[Pmf, ...],
    BeforeValidator(lambda value: tuple(map(pmf_from, one_or_list(value)))),
    PlainSerializer(lambda pmfs: [*map(_as_table, pmfs)]),
]
"""A number for all rounds, or a list with one for each round; each an integer or a distribution."""


def certainly(number: int) -> Pmf:
    """Return the distribution with all probability on one number."""
    return (0.0,) * number + (1.0,)


def spread_over(numbers: tuple[ItemT, ...], rounds: int, key: str) -> tuple[ItemT, ...]:
    """Return a number for each of `rounds` rounds; ValueError for a list of another length."""
    if len(numbers) not in (1, rounds):
        raise ValueError(f"{key} has {len(numbers)} numbers (allowed: one for all rounds, or {rounds}, one for each)")
    return numbers * rounds if len(numbers) == 1 else numbers


def as_written(length: float) -> Fraction:
    """Return the decimal value of a length as a fraction, so that sums of lengths are exact.

    >>> as_written(4.4) - as_written(1.4) == 3, 4.4 - 1.4 == 3
    (True, False)
    """
    return Fraction(str(length))


def moves_over(distance: float, move: float) -> int:
    """Return how many moves cover a distance, at least 1, in decimal arithmetic: 2.1 inches are 3 moves of 0.7.

    >>> moves_over(2.1, 0.7), moves_over(12.01, 6.0), moves_over(0.0, 6.0)
    (3, 3, 1)
    """
    return max(math.ceil(as_written(distance) / as_written(move)), 1)


class Asked(Record):
    """Base of the questions to a system; each also has a key `ruleset`."""

    page = "docs/keys.md"

    def as_dict(self) -> dict[str, Any]:
        """Return plain data, from which an equal question can be read."""
        return self.model_dump(mode="json")


def read_question(
    system: System,
    source: str | os.PathLike[str] | Mapping[str, Any],
    folder: Path | None,
    of_clash: Mapping[str, Any] | None = None,
) -> Asked:
    """Return a question with its ruleset and values from the profiles in a folder (None: the shipped ones).

    `of_clash` is a die or a deck of Armoured Clash that replaces those of the folder and of the question.
    """
    if isinstance(source, Mapping):
        check_plain(source, "question")
        raw, where = dict(source), "question"
    else:
        raw, where = read_toml(path_of(source, "question")), str(source)
    stated = raw.get("ruleset", {})
    if not isinstance(stated, Mapping):
        raise InputError(f"{shown(stated)} is not usable", where=f"{where}: ruleset", allowed="a table")
    raw["ruleset"] = _over(default_ruleset(system, folder), stated)
    if of_clash:
        raw["ruleset"] = _over(raw["ruleset"], {_OF_CLASH: _used_of(of_clash, raw["ruleset"], system)})
    if (completed := getattr(system.answers, "completed", None)) is not None:
        try:
            raw = completed(raw, folder)
        except InputError as error:
            raise error.inside(where) from None
    return checked(system.question, raw, where=where)


def _used_of(of_clash: Mapping[str, Any], ruleset: Mapping[str, Any], system: System) -> dict[str, Any]:
    """Return the die and deck settings of Armoured Clash that a system uses; InputError if one is unused."""
    used = {key: value for key, value in of_clash.items() if key in ruleset.get(_OF_CLASH, ())}
    if used != of_clash:
        problem = f"{system.title} has no such {' and '.join(of_clash.keys() - used.keys())}"
        raise InputError(problem, where="ruleset", allowed="a die and a deck for fights of Armoured Clash")
    return used


def _over(defaults: Mapping[str, Any], stated: Mapping[str, Any]) -> dict[str, Any]:
    """Return `defaults` updated with `stated`, section by section."""
    sections = {
        key: _over(defaults[key], value)
        for key, value in stated.items()
        if isinstance(value, Mapping) and isinstance(defaults.get(key), Mapping) and key not in WHOLE
    }
    return {**defaults, **stated, **sections}


def default_ruleset(system: System, folder: Path | None) -> dict[str, Any]:
    """Return the values in the ruleset file of a system and, as sections, the values used from other files.

    Files missing in the folder of profiles are replaced by the shipped ones.
    """
    records = system.question.model_fields["ruleset"].annotation
    values = _ruleset_file(folder, system.ruleset)
    for section, file in system.other_rulesets.items():
        keys = records.model_fields[section].annotation.model_fields  # type: ignore[union-attr]
        values[section] = {key: value for key, value in _ruleset_file(folder, file).items() if key in keys}
    return values


def _ruleset_file(folder: Path | None, name: str) -> dict[str, Any]:
    path = (folder or shipped_profiles()) / MORALE_RULESETS / name
    return read_toml(path if path.exists() else shipped_profiles() / MORALE_RULESETS / name)
