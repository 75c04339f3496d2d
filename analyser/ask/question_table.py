"""Table of answers to many variants of a question: the variants, their figures, and the common base class."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from analyser.ask.keys import POINTS, Key, Raw, with_values
from analyser.ask.memoised_solver import Solver
from analyser.ask.metric_lookup import MetricValue, metric_value
from analyser.common import interrupts
from analyser.common.answer import FramedAnswer, source_notes
from analyser.common.errors import InputError, MisspeltError, shown
from analyser.common.method_settings import Sampling
from analyser.common.precision import Stopping
from analyser.game.profiles import Profiles, ProfilesUsed
from analyser.game.ruleset import Ruleset, ruleset_record
from analyser.results.base import Result

_OWN_NAMES = re.compile(r"'[^']*'|[\w-]+/[\w-]+(?:@[\w-]+)?|-?\d+(?:[.,]\d+)*")  # quoted names, selectors and numbers
_OUT_OF_RANGE = "its long range"  # beginning of the reason that a row is out of range
_BY_ROW = re.compile(r"\(([^()]+: [^()]+)\)$")  # list of reasons, one for each row


class Variant(NamedTuple):
    """A question with values for some keys; `why_not`: the reason if a value does not fit; `where` begins messages."""

    name: str
    raw: Raw
    values: Mapping[str, Any]
    why_not: str | None = None
    where: str = ""


class Point(NamedTuple):
    """A solved variant: its metric values, or the reason why they are missing."""

    name: str
    values: Mapping[str, Any]
    metric_values: tuple[MetricValue, ...]
    why_not: str | None = None
    costs: float | None = None  # points of the attacker
    identity: Hashable = None  # equal for equal fights
    row: str | None = None  # the row that fires
    trials: int | None = None
    stopping: Stopping | None = None


def variant_of(name: str, raw: Raw, values: Mapping[Key, Any], library: Profiles, where: str = "") -> Variant:
    """Return the variant of a question with some values; MisspeltError for a value that no question can have."""
    stated = {key.name: value for key, value in values.items()}
    try:
        return Variant(name, with_values(raw, values, library), stated, where=where)
    except MisspeltError as error:
        raise error.inside(where) from None
    except InputError as error:
        return Variant(name, raw, stated, str(error), where)


def solve_all(
    solver: Solver, variants: Iterable[Variant], metrics: Sequence[str], sampling: Sampling, size: int, fewest: int = 1
) -> list[Point]:
    """Return the solved variants; `size` is the number of all variants, for the progress bar.

    After Ctrl-C return those solved so far, or raise KeyboardInterrupt if there are fewer than `fewest`.
    """
    points: list[Point] = []
    with sampling.with_bar() as reporting:
        try:
            for variant in variants:
                points.append(_point(solver, variant, metrics))
                reporting.report(len(points), size)
        except KeyboardInterrupt:
            if len(points) < fewest:
                raise
            interrupts.stop_repeating()
    return points


def _point(solver: Solver, variant: Variant, metrics: Sequence[str]) -> Point:
    try:
        if variant.why_not is not None:
            raise InputError(variant.why_not)
        result, identity, row = solver.answer(variant.raw)
        points = points_of(solver, variant)
        values = tuple(metric_value(result, name, points) for name in metrics)
    except InputError as error:
        raise_if_common(error, variant)
        return Point(variant.name, variant.values, (MetricValue(np.nan),) * len(metrics), variant.why_not or str(error))
    return Point(variant.name, variant.values, values, None, points, identity, row, result.trials, result.stopping)


def points_of(solver: Solver, variant: Variant) -> float | None:
    """Return the points of the attacker of a variant: stated points, or those of the profile."""
    if POINTS not in variant.values:
        return solver.points_of(variant.raw)
    points = variant.values[POINTS]
    if isinstance(points, bool) or not isinstance(points, int | float) or points <= 0:
        raise InputError(f"{shown(points)} is not a price", where=POINTS, allowed="a number above 0")
    return float(points)


def raise_if_common(error: InputError, variant: Variant) -> None:
    """Raise the error if it concerns all variants: an unknown metric, or a misspelt value."""
    if error.where.startswith("metric"):
        raise error
    if isinstance(error, MisspeltError):
        raise error.inside(variant.where)


def reason_kind(why_not: str) -> str:
    """Return the kind of a reason: its text without numbers and names; of reasons for each row, "out of range" alone.

    >>> why = "a/b@c: no row can make this attack (one: its long range is 14, and the distance 16; two: it is melee)"
    >>> reason_kind(why)
    '#: no row can make this attack its long range is #, and the distance #'
    """
    by_row = _BY_ROW.search(why_not)
    if by_row is None:
        return _OWN_NAMES.sub("#", why_not)
    kinds = {_OWN_NAMES.sub("#", part.partition(": ")[2]) for part in by_row[1].split("; ")}
    out_of_range = {kind for kind in kinds if kind.startswith(_OUT_OF_RANGE)}
    return _OWN_NAMES.sub("#", why_not[: by_row.start()]) + "; ".join(sorted(out_of_range or kinds))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class QuestionTable(FramedAnswer):
    """Base class of answers to many variants of a question.

    Attributes
    ----------
    results : tuple of Result
        Full answers to some of the questions, for the rules and assumptions.
    fights : int
        Number of distinct fights computed; equal fights share an answer.
    not_modelled : tuple of str
        Rules that apply to any of the questions but have no effect on the numbers.
    complete : bool
        False if Ctrl-C stopped the computation.
    """

    frame: pd.DataFrame
    kind: str
    sampling: Sampling
    results: tuple[Result, ...]
    fights: int
    not_modelled: tuple[str, ...]
    profiles: ProfilesUsed | None
    complete: bool = True

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Assumptions of the answers."""
        return tuple(dict.fromkeys(text for result in self.results for text in result.assumptions))

    @property
    def ruleset(self) -> Ruleset | None:
        """Die and deck; None for questions about other games."""
        ruleset = getattr(self.results[0].scenario, "ruleset", None) if self.results else None
        return ruleset if isinstance(ruleset, Ruleset) else None

    def _sources(self) -> list[str]:
        return source_notes(self.not_modelled, self.assumptions, self.profiles)

    def _common_entries(self) -> dict[str, Any]:
        entries = {"kind": self.kind, "fights": self.fights, "notes": self.notes()}
        entries |= {"assumptions": list(self.assumptions), **ruleset_record(self.ruleset)}
        return entries | {"profiles": self.profiles and self.profiles.as_dict()}
