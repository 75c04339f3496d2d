"""What the questions of all systems share: chances, laws of small numbers, the ruleset beside the question."""

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
MOST_VALUE = 100  # of a law of small numbers
ONE_WITHIN = 1e-9  # by which written probabilities may miss a sum of 1
RULESETS = "morale"  # the folder of ruleset files, in a folder of profiles

RecordT = TypeVar("RecordT", bound=Record)

Chance = Annotated[float, Field(ge=0, le=1)]
Rounds = Annotated[int, Field(ge=1, le=MOST_ROUNDS)]
Distance = Annotated[float, Field(ge=0, le=MOST_INCHES)]
Length = Annotated[float, Field(ge=SHORTEST, le=MOST_INCHES)]


def law_from(value: object) -> tuple[float, ...]:
    """The probabilities of 0, 1, 2, … from a whole number, or from a table of number = probability.

    Raises
    ------
    ValueError
        Not such a thing; a probability outside 0 to 1; a sum that is not 1.

    Examples
    --------
    >>> law_from(2), law_from({0: 0.5, "2": 0.5})
    ((0.0, 0.0, 1.0), (0.5, 0.0, 0.5))
    """
    if isinstance(value, int) and not isinstance(value, bool):
        value = {value: 1.0}
    if not isinstance(value, Mapping) or not value:
        raise ValueError(f"{shown(value)} is not usable (allowed: a whole number, or a table of number = probability)")
    law = [0.0] * (max(_small_number(number) for number in value) + 1)
    for number, chance in value.items():
        law[_small_number(number)] = _chance(chance)
    if abs(math.fsum(law) - 1) > ONE_WITHIN:
        raise ValueError(f"these probabilities add up to {math.fsum(law):g} (allowed: 1)")
    return tuple(law)


def _small_number(number: object) -> int:
    if not str(number).isdecimal() or int(str(number)) > MOST_VALUE:
        raise ValueError(f"{shown(number)} is not usable as a number (allowed: 0 to {MOST_VALUE})")
    return int(str(number))


def _chance(chance: object) -> float:
    if isinstance(chance, bool) or not isinstance(chance, int | float) or not 0 <= chance <= 1:
        raise ValueError(f"{shown(chance)} is not usable as a probability (allowed: 0 to 1)")
    return float(chance)


def _by_round(value: object) -> object:
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        return value  # checked before
    return tuple(law_from(each) for each in value) if isinstance(value, list | tuple) else (law_from(value),)


def law_as_table(law: tuple[float, ...]) -> dict[str, float]:
    """A law as files write it: number = probability."""
    return {str(number): chance for number, chance in enumerate(law) if chance}


def _once(value: object) -> object:
    return value if isinstance(value, tuple) else law_from(value)  # a tuple: checked before


Law = Annotated[tuple[float, ...], BeforeValidator(_once), PlainSerializer(law_as_table)]
"""A whole number, or a law of it."""

Numbers = Annotated[
    tuple[tuple[float, ...], ...],
    BeforeValidator(_by_round),
    PlainSerializer(lambda laws: [law_as_table(law) for law in laws]),
]
"""A number a round: one for all, or a list with one for each; each a whole number or a law of it."""


def spread_over(laws: tuple[tuple[float, ...], ...], rounds: int, key: str) -> tuple[tuple[float, ...], ...]:
    """One law for each of `rounds` rounds.

    Raises
    ------
    ValueError
        A list of another length.
    """
    if len(laws) not in (1, rounds):
        raise ValueError(f"{key} has {len(laws)} numbers (allowed: one for all rounds, or {rounds}, one for each)")
    return laws * rounds if len(laws) == 1 else laws


def moves_over(distance: float, move: float) -> int:
    """Moves of one length that cover a distance, at least 1; both as they are written: 2.1 inches are 3 moves of 0.7.

    Examples
    --------
    >>> moves_over(2.1, 0.7), moves_over(12.01, 6.0), moves_over(0.0, 6.0)
    (3, 3, 1)
    """
    return max(math.ceil(Fraction(str(distance)) / Fraction(str(move))), 1)


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


WHOLE = ("die", "deck")  # tables that are one value: stated, they stand as they are


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
    found = _ruleset_file(folder, name)
    for section, other in others:
        keys = cast("type[Record]", records[section].annotation).model_fields
        found[section] = {key: value for key, value in _ruleset_file(folder, other).items() if key in keys}
    return found


def _ruleset_file(folder: Path | None, name: str) -> dict[str, Any]:
    path = (folder or shipped_profiles()) / RULESETS / name
    return read_toml(path if path.exists() else shipped_profiles() / RULESETS / name)
