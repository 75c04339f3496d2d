"""Warnings of an import, with a review that warns about unlikely values of a unit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from analyser.game.units import Band, Row, Unit

LONGEST_VALUE = 120  # characters of a value in a warning
LONGEST_USUAL_RANGE = 72  # inches; the longest side of the usual table
TWO_VALUE_QUALITIES = ("Point Blank", "Shock", "Wreckers")  # qualities that use the value in parentheses (AC-6)


@dataclass(frozen=True, slots=True)
class ImportWarning:
    """A doubtful part of a data file."""

    file: str  # name of the file
    unit: str  # name of the unit; empty for a warning about the file
    value: str  # text in the file
    problem: str  # the problem, and what the importer does about it

    def __str__(self) -> str:
        return ": ".join(part for part in (self.file, self.unit, repr(self.value), self.problem) if part)


@dataclass
class ImportWarnings:
    """The warnings about one file, oldest first; `unit` is the unit that is being read."""

    file: str
    unit: str = ""
    entries: list[ImportWarning] = field(default_factory=list)

    def add(self, value: object, problem: str) -> None:
        """Add a warning about `value`, unless the current unit already has this warning."""
        text = str(value)
        shortened = text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 1]}…"
        warning = ImportWarning(self.file, self.unit, shortened, problem)
        if warning not in self.entries[-50:]:  # recent warnings suffice: those about a unit are adjacent
            self.entries.append(warning)


def review(unit: Unit, warnings: ImportWarnings) -> None:
    """Add a warning for every value of `unit` that is possible but unlikely."""
    for value, problem in _doubts(unit):
        warnings.add(value, problem)


def _doubts(unit: Unit) -> Iterator[tuple[str, str]]:
    """Yield each unlikely value of a unit, with the problem."""
    if "behemoth" not in unit.traits and "basic" not in unit.levels:
        yield ", ".join(unit.levels), "no basic level"
    for name, level in unit.levels.items():
        for value, if_missing, if_zero in (
            (level.points, "has no cost in points", "costs no points"),
            (level.victory_points, "has no victory-point rating", "is worth no victory points"),
        ):
            if not value:
                yield (name, f"this level {if_missing}") if value is None else (f"{name}: 0", f"this level {if_zero}")
    for key, problem in (
        ("models", "models do not grow with the level"),
        ("points", "points do not grow with the level"),
        ("victory_points", "victory points fall with the level"),
    ):
        numbers = [number for level in unit.levels.values() if (number := getattr(level, key)) is not None]
        if not _grows(numbers, strictly=key != "victory_points"):
            yield _list_text(numbers), problem
    if not unit.rows:
        yield unit.name, "no armaments row: this unit cannot attack"
    for row in unit.rows:
        yield from _doubts_of_ranges(row)
        yield from _doubts_of_dice(unit, row)
        yield from _doubts_of_bands(unit, row)


def _grows(values: Sequence[int], *, strictly: bool = False) -> bool:
    return all(low < high or (low == high and not strictly) for low, high in pairwise(values))


def _list_text(values: Iterable[int]) -> str:
    return ", ".join(map(str, values))


def _doubts_of_ranges(row: Row) -> Iterator[tuple[str, str]]:
    for reach in (row.short_range, row.long_range):
        if reach == 0:
            yield f'{row.name}: {reach:g}"', "a range of 0"
    if row.long_range is not None and (row.kind != "ranged" or row.long_range > LONGEST_USUAL_RANGE):
        is_ranged = row.kind == "ranged"
        problem = f"beyond {LONGEST_USUAL_RANGE} inches" if is_ranged else "on a row that is not ranged"
        yield f'{row.name}: {row.long_range:g}"', f"a range {problem}"


def _doubts_of_dice(unit: Unit, row: Row) -> Iterator[tuple[str, str]]:
    behemoth = "behemoth" in unit.traits
    bands = row.bands[::-1] if behemoth else row.bands
    problem = "attack dice grow as damage grows" if behemoth else "attack dice fall as models grow"
    for values in ([band.dice for band in bands], [band.special for band in bands if band.special is not None]):
        if not _grows(values):
            yield f"{row.name}: {_list_text(values)}", problem
    qualities = [quality.name for quality in row.qualities if quality.name in TWO_VALUE_QUALITIES]
    two_value_bands = [band for band in row.bands if band.special is not None]
    if two_value_bands and not qualities:
        yield _cells(row, row.bands), f"a value in parentheses without {' or '.join(TWO_VALUE_QUALITIES)}"
    elif qualities and len(two_value_bands) < len(row.bands):
        lacks = ", but a band has no value in parentheses" if two_value_bands else " without a value in parentheses"
        yield _cells(row, row.bands), f"{qualities[0]}{lacks}"
    if any(band.special is not None and band.special < band.dice for band in two_value_bands):
        yield _cells(row, two_value_bands), "a value in parentheses is lower than the value before it"


def _cells(row: Row, bands: Iterable[Band]) -> str:
    return f"{row.name}: {', '.join(band.cell for band in bands)}"


def _doubts_of_bands(unit: Unit, row: Row) -> Iterator[tuple[str, str]]:
    """Yield a doubt if the bands lack or repeat a number of models, or of damage for a behemoth (AC-2.3)."""
    first, last, noun = 1, max(level.models for level in unit.levels.values()), "models"
    if "behemoth" in unit.traits:
        first, last, noun = 0, unit.damage_limit - 1, "damage"
    text = f"{row.name}: {', '.join(f'{band.first}-{band.last}' for band in row.bands)}"
    for low, high in pairwise(row.bands):
        if high.first <= low.last:
            yield text, "bands overlap; the first matching band counts"
        elif high.first > low.last + 1:
            yield text, f"no band for {low.last + 1} to {high.first - 1} {noun}"
    for edge, stated, usual in (
        ("begin", row.bands[0].first, first),
        ("end", max(band.last for band in row.bands), last),
    ):
        if stated != usual:
            yield text, f"the bands {edge} at {stated} {noun} instead of {usual}"
