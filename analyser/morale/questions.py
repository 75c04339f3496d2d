"""What the questions of all systems share: probabilities, distributions of small numbers, the ruleset."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, TypeVar, cast

from pydantic import BeforeValidator, Field, PlainSerializer

from analyser.common.errors import InputError, shown
from analyser.common.files import check_plain, path_of, read_toml
from analyser.common.validation import Record, checked
from analyser.game.profiles import shipped_profiles

MOST_ROUNDS = 100
MOST_INCHES = 1000
SHORTEST = 0.01  # inches of a move
MOST_VALUE = 100  # of a distribution of small numbers
ONE_WITHIN = 1e-9  # by which written probabilities may miss a sum of 1
RULESETS = "morale"  # the folder of ruleset files, in a folder of profiles
WHOLE = ("die", "deck")  # tables that are one value: stated, they stand as they are

RecordT = TypeVar("RecordT", bound=Record)
Pmf = tuple[float, ...]

Probability = Annotated[float, Field(ge=0, le=1)]
Rounds = Annotated[int, Field(ge=1, le=MOST_ROUNDS)]
Distance = Annotated[float, Field(ge=0, le=MOST_INCHES)]
Length = Annotated[float, Field(ge=SHORTEST, le=MOST_INCHES)]


def pmf_from(value: object) -> Pmf:
    """The probabilities of 0, 1, 2, … from an integer, or from a table of number = probability.

    Raises
    ------
    ValueError
        Not such a thing; a probability outside 0 to 1; a sum that is not 1.

    Examples
    --------
    >>> pmf_from(2), pmf_from({0: 0.5, "2": 0.5})
    ((0.0, 0.0, 1.0), (0.5, 0.0, 0.5))
    """
    if isinstance(value, int) and not isinstance(value, bool):
        value = {value: 1.0}
    if not isinstance(value, Mapping) or not value:
        raise ValueError(f"{shown(value)} is not usable (allowed: a whole number, or a table of number = probability)")
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


def _one(value: object) -> object:
    return value if isinstance(value, tuple) else pmf_from(value)  # a tuple: checked before


def _by_round(value: object) -> object:
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        return value  # checked before
    return tuple(pmf_from(each) for each in value) if isinstance(value, list | tuple) else (pmf_from(value),)


def _as_table(pmf: Pmf) -> dict[str, float]:
    """A distribution as files write it: number = probability."""
    return {str(number): probability for number, probability in enumerate(pmf) if probability}


Distribution = Annotated[Pmf, BeforeValidator(_one), PlainSerializer(_as_table)]
"""An integer, or a distribution of it."""

ByRound = Annotated[
    tuple[Pmf, ...], BeforeValidator(_by_round), PlainSerializer(lambda pmfs: [_as_table(pmf) for pmf in pmfs])
]
"""A number a round: one for all, or a list with one for each; each an integer or a distribution of it."""


def certainly(number: int) -> Pmf:
    """The distribution of what is one number for certain."""
    return (0.0,) * number + (1.0,)


def spread_over(pmfs: tuple[Pmf, ...], rounds: int, key: str) -> tuple[Pmf, ...]:
    """One distribution for each of `rounds` rounds; ValueError for a list of another length."""
    if len(pmfs) not in (1, rounds):
        raise ValueError(f"{key} has {len(pmfs)} numbers (allowed: one for all rounds, or {rounds}, one for each)")
    return pmfs * rounds if len(pmfs) == 1 else pmfs


def as_written(length: float) -> Fraction:
    """A length as it is written, so that sums of lengths are exact.

    Examples
    --------
    >>> as_written(4.4) - as_written(1.4) == 3, 4.4 - 1.4 == 3
    (True, False)
    """
    return Fraction(str(length))


def moves_over(distance: float, move: float) -> int:
    """Moves of one length that cover a distance, at least 1; both as they are written: 2.1 inches are 3 moves of 0.7.

    Examples
    --------
    >>> moves_over(2.1, 0.7), moves_over(12.01, 6.0), moves_over(0.0, 6.0)
    (3, 3, 1)
    """
    return max(math.ceil(as_written(distance) / as_written(move)), 1)


def read_question(
    model: type[RecordT],
    source: str | os.PathLike[str] | Mapping[str, Any],
    ruleset: Mapping[str, Any],
    completed: Callable[[dict[str, Any]], dict[str, Any]],
) -> RecordT:
    """A question as `model`, its ``[ruleset]`` filled in with the defaults `ruleset`, then completed.

    Raises
    ------
    InputError
        Anything that cannot be computed: the message names the file, the key, the value and what is allowed.
    """
    if isinstance(source, Mapping):
        check_plain(source, "question")
        raw, where = dict(source), "question"
    else:
        raw, where = read_toml(path_of(source, "question")), str(source)
    stated = raw.get("ruleset", {})
    if not isinstance(stated, Mapping):
        raise InputError(f"{shown(stated)} is not usable", where=f"{where}: ruleset", allowed="a table")
    try:
        whole = completed({**raw, "ruleset": _over(ruleset, stated)})
    except InputError as error:
        raise error.inside(where) from None
    return checked(model, whole, where=where)


def _over(defaults: Mapping[str, Any], stated: Mapping[str, Any]) -> dict[str, Any]:
    """`stated` put over `defaults`, section by section."""
    sections = {
        key: _over(defaults[key], value)
        for key, value in stated.items()
        if isinstance(value, Mapping) and isinstance(defaults.get(key), Mapping) and key not in WHOLE
    }
    return {**defaults, **stated, **sections}


def default_ruleset(
    model: type[Record], name: str, others: tuple[tuple[str, str], ...], folder: Path | None
) -> dict[str, Any]:
    """The values in the ruleset file `name`, and of those of `others`, as sections, the ones that count.

    Parameters
    ----------
    model : type of Record
        The question, whose ruleset says which ones do.
    name : str
        A file in the ``morale`` folder of a folder of profiles.
    others : tuple of (section, file)
    folder : Path or None
        The folder of profiles; None for the shipped one, which also stands in for files that the folder lacks.
    """
    records = cast("type[Record]", model.model_fields["ruleset"].annotation).model_fields
    values = _ruleset_file(folder, name)
    for section, other in others:
        keys = cast("type[Record]", records[section].annotation).model_fields
        values[section] = {key: value for key, value in _ruleset_file(folder, other).items() if key in keys}
    return values


def _ruleset_file(folder: Path | None, name: str) -> dict[str, Any]:
    path = (folder or shipped_profiles()) / RULESETS / name
    return read_toml(path if path.exists() else shipped_profiles() / RULESETS / name)
