"""Warnings of an importer, and the review of a finished unit, which raises most of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from analyser.game.units import Band, Row, Unit

LONGEST_VALUE = 120  # characters of a value in a warning
FARTHEST = 72  # inches; the longest side of the usual table
EVEN = (0.75, 1.6)  # range of the ratio of prices of further models in real lists, apart from misprints
WITH_SECOND_VALUE = ("Point Blank", "Shock", "Wreckers")  # qualities that use the value in parentheses (AC-6)


@dataclass(frozen=True, slots=True)
class ImportWarning:
    """A doubtful part of a data file."""

    file: str  # name of the file
    unit: str  # name of the unit; empty for a warning about the file
    value: str  # text in the file
    doubt: str  # the problem, and its treatment by the importer

    def __str__(self) -> str:
        return ": ".join(part for part in (self.file, self.unit, repr(self.value), self.doubt) if part)


@dataclass
class Doubts:
    """The warnings about one file, in the order of discovery."""

    file: str
    unit: str = ""
    warnings: list[ImportWarning] = field(default_factory=list)

    def add(self, value: object, doubt: str) -> None:
        """Add a warning about `value`, once for each unit."""
        text = str(value)
        shown = text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 1]}…"
        warning = ImportWarning(self.file, self.unit, shown, doubt)
        if warning not in self.warnings[-50:]:  # a unit's warnings are adjacent, so 50 suffice
            self.warnings.append(warning)


def review(unit: Unit, doubts: Doubts) -> None:
    """Add a warning for every value of `unit` that is possible but unlikely."""
    _review_levels(unit, doubts)
    if not unit.rows:
        doubts.add(unit.name, "no armaments row: this unit cannot attack")
    for row in unit.rows:
        _review_ranges(row, doubts)
        _review_dice(unit, row, doubts)
        _review_bands(unit, row, doubts)


def _review_levels(unit: Unit, doubts: Doubts) -> None:
    if "behemoth" not in unit.traits and "basic" not in unit.levels:
        doubts.add(", ".join(unit.levels), "no basic level")
    for name, level in unit.levels.items():
        for value, without, of_none in (
            (level.points, "has no cost in points", "costs no points"),
            (level.victory_points, "has no victory-point rating", "is worth no victory points"),
        ):
            if value is None:
                doubts.add(name, f"this level {without}")
            elif value == 0:
                doubts.add(f"{name}: 0", f"this level {of_none}")
    levels = unit.levels.values()
    models = [level.models for level in levels]
    points = [level.points for level in levels if level.points is not None]
    victory_points = [level.victory_points for level in levels if level.victory_points is not None]
    if not _grows(models):
        doubts.add(_listed(models), "models do not grow with the level")
    if not _grows(points):
        doubts.add(_listed(points), "points do not grow with the level")
    elif not EVEN[0] <= _change_of_price(models, points) <= EVEN[1]:
        doubts.add(_listed(points), "the price of further models jumps from level to level")
    if not _grows(victory_points, strictly=False):
        doubts.add(_listed(victory_points), "victory points fall with the level")


def _change_of_price(models: Sequence[int], points: Sequence[int]) -> float:
    """Return the price of a further model at the last of three levels over that at the second; 1 if undefined."""
    steps = [[high - low for low, high in pairwise(values)] for values in (models, points)]
    if not len(models) == len(points) == 3 or min(map(min, steps)) <= 0:
        return 1.0
    second, third = (cost / more for more, cost in zip(steps[0], steps[1]))
    return third / second


def _grows(values: Sequence[int], *, strictly: bool = True) -> bool:
    return all(low < high or (low == high and not strictly) for low, high in pairwise(values))


def _listed(values: Iterable[int]) -> str:
    return ", ".join(map(str, values))


def _review_ranges(row: Row, doubts: Doubts) -> None:
    if row.long_range is not None and row.long_range > FARTHEST:
        doubts.add(f'{row.name}: {row.long_range:g}"', f"a range beyond {FARTHEST} inches")
    for reach in (row.short_range, row.long_range):
        if reach == 0:
            doubts.add(f'{row.name}: {reach:g}"', "a range of nothing")
    if row.kind != "ranged" and row.long_range is not None:
        doubts.add(f'{row.name}: {row.long_range:g}"', "a range on a row that is not ranged")


def _review_dice(unit: Unit, row: Row, doubts: Doubts) -> None:
    behemoth = "behemoth" in unit.traits
    bands = row.bands[::-1] if behemoth else row.bands
    why = "attack dice grow as damage grows" if behemoth else "attack dice fall as models grow"
    for values in ([band.dice for band in bands], [band.special for band in bands if band.special is not None]):
        if not _grows(values, strictly=False):
            doubts.add(f"{row.name}: {_listed(values)}", why)
    using = [quality.name for quality in row.qualities if quality.name in WITH_SECOND_VALUE]
    having = [band for band in row.bands if band.special is not None]
    if having and not using:
        doubts.add(_cells(row, row.bands), f"a value in parentheses, and none of {', '.join(WITH_SECOND_VALUE)}")
    if using and not having:
        doubts.add(_cells(row, row.bands), f"{using[0]}, and no value in parentheses")
    if using and having and len(having) < len(row.bands):
        doubts.add(_cells(row, row.bands), f"{using[0]}, and a band without a value in parentheses")
    if any(band.special is not None and band.special < band.dice for band in having):
        doubts.add(_cells(row, having), "a value in parentheses that is lower than the plain one")


def _cells(row: Row, bands: Iterable[Band]) -> str:
    return f"{row.name}: {', '.join(band.cell for band in bands)}"


def _review_bands(unit: Unit, row: Row, doubts: Doubts) -> None:
    """Warn if the bands do not cover every state of the unit: its models, or a behemoth's damage (AC-2.3)."""
    if "behemoth" in unit.traits:
        first, last, what = 0, unit.damage_limit - 1, "damage"
    else:
        first, last, what = 1, max(level.models for level in unit.levels.values()), "models"
    shown = f"{row.name}: {', '.join(f'{band.first}-{band.last}' for band in row.bands)}"
    for low, high in pairwise(row.bands):
        if high.first <= low.last:
            doubts.add(shown, "bands overlap; the first that fits counts")
        elif high.first > low.last + 1:
            doubts.add(shown, f"no band for {low.last + 1} to {high.first - 1} {what}")
    begin, end = row.bands[0].first, max(band.last for band in row.bands)
    if begin != first:
        doubts.add(shown, f"the bands begin at {begin} {what}, not at {first}")
    if end != last:
        doubts.add(shown, f"the bands end at {end} {what}; the unit goes to {last}")
