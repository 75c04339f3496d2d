"""Variants of a question: a baseline and named overrides, each at every combination of the values of some keys."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analyser.ask.keys import Key, Raw, key_of, plain_value, values_of
from analyser.ask.memoised_solver import question_kind, with_armies
from analyser.ask.question_table import Variant, variant_of
from analyser.common.errors import InputError, MisspeltError, check_text, did_you_mean, shown, within
from analyser.common.text import text_of
from analyser.game.profiles import Profiles

MOST_VARIANTS = 1_000_000
BASELINE = "baseline"
_FILE_KEYS = (BASELINE, "variants", "ranges", "metric", "least")
_UNIT_KEYS = ("attacker", "target", "unit", "a", "b")


@dataclass(frozen=True)
class Variants:
    """A baseline (a question), named overrides, and ranges of values; overrides are not combined with each other.

    `least`: low values of the metric are better. `where`: path of the file.
    """

    kind: str
    baseline: Raw
    overrides: Mapping[str, Mapping[Key, Any]]
    ranges: Mapping[Key, Sequence[Any]]
    metric: str | None = None
    least: bool = False
    where: str = ""

    def __len__(self) -> int:
        """Return the number of variants: baseline and overrides at each combination, and the baseline as stated."""
        return (1 + len(self.overrides)) * math.prod(map(len, self.ranges.values())) + bool(self.ranges)

    def variants(self, library: Profiles) -> Iterator[Variant]:
        """Yield each variant, the baseline first; InputError for a misspelt value."""
        if self.ranges:
            yield Variant(BASELINE, self.baseline, {}, where=within(self.where, BASELINE))
        for override, changes in {BASELINE: {}, **self.overrides}.items():
            for combination in itertools.product(*self.ranges.values()):
                texts = [f"{key.title} {text_of(value)}" for key, value in zip(self.ranges, combination)]
                name = ", ".join(texts if override == BASELINE and texts else [override, *texts])
                values = {**changes, **dict(zip(self.ranges, combination))}
                yield variant_of(name, self.baseline, values, library, within(self.where, name))


def read_variants(raw: Mapping[str, Any], where: str, library: Profiles) -> Variants:
    """Return the variants that a file describes (`docs/compare.md`); InputError for an unusable one."""
    if unknown := [key for key in raw if key not in _FILE_KEYS]:
        problem = f"unknown key{did_you_mean(unknown[0], _FILE_KEYS)}"
        raise MisspeltError(problem, where=within(where, unknown[0]), allowed=", ".join(_FILE_KEYS))
    baseline = raw.get(BASELINE)
    if not isinstance(baseline, Mapping) or not baseline:
        allowed = "a question, as in a scenario file"
        raise InputError("no baseline is stated", where=within(where, BASELINE), allowed=allowed)
    kind, baseline = question_kind(baseline), with_armies(dict(baseline), where, library)
    overrides = {
        name: _changes(keys, kind, within(where, f"variants.{name}")) for name, keys in _table(raw, "variants", where)
    }
    ranges: dict[Key, Sequence[Any]] = {}
    for name, stated in _table(raw, "ranges", where):
        key = key_of(name, kind, within(where, "ranges"))
        try:
            ranges[key] = _expand_wildcards(key, values_of(stated, ""), library)
        except InputError as error:
            raise error.inside(within(where, f"ranges.{name}")) from None
    for name, changes in overrides.items():
        if twice := next((key.name for key in changes if key in ranges), None):
            problem = f"{twice} is also in [ranges], which would override it"
            raise InputError(problem, where=within(where, f"variants.{name}"), allowed="one of the two")
    metric, least = raw.get("metric"), raw.get("least", False)
    if metric is not None:
        check_text(metric, within(where, "metric"), "the name of a metric")
    if not isinstance(least, bool):
        raise InputError(f"{shown(least)} is not usable", where=within(where, "least"), allowed="true or false")
    size = (1 + len(overrides)) * math.prod(map(len, ranges.values()))
    if size > MOST_VARIANTS:
        raise InputError(f"{size:,} variants", where=where, allowed=f"up to {MOST_VARIANTS:,}; narrow the ranges")
    return Variants(kind, dict(baseline), overrides, ranges, metric, least, where)


def _table(raw: Mapping[str, Any], name: str, where: str) -> list[tuple[str, Any]]:
    table = raw.get(name, {})
    if not isinstance(table, Mapping):
        raise InputError(f"{shown(table)} is not usable", where=within(where, name), allowed="a table")
    for key in table:
        if not isinstance(key, str) or not key.isprintable():
            raise InputError(f"{shown(key)} is not a name", where=within(where, name), allowed="names in plain text")
    return list(table.items())


def _changes(table: Any, kind: str, where: str) -> dict[Key, Any]:
    if not isinstance(table, Mapping) or not table:
        raise InputError(f"{shown(table)} is not usable", where=where, allowed="a table of keys, one or more")
    return {key_of(name, kind, where): _value(value, f"{where}.{name}") for name, value in _flatten(table)}


def _value(value: Any, where: str) -> Any:
    """Return a plain value, or a list or a table of plain values."""
    if isinstance(value, list | tuple):
        return [_value(entry, where) for entry in value]
    if isinstance(value, dict):
        return {str(name): _value(entry, where) for name, entry in value.items()}
    return plain_value(value, where)


def _flatten(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in table.items():
        if isinstance(value, Mapping) and name != "extra_reroll":
            yield from _flatten(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _expand_wildcards(key: Key, values: Sequence[Any], library: Profiles) -> Sequence[Any]:
    """Return the values of a key; selectors with wildcards are replaced by the matching units."""
    if key.effect != "set" or key.paths[0][-1] not in _UNIT_KEYS:
        return values
    return tuple(dict.fromkeys(unit.selector for value in values for unit in library.matching(value)))
