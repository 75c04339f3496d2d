"""What an importer doubted: warnings, and the review of a finished unit that raises most of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from analyser.game.units import Band, Level, Row, Unit

LONGEST_VALUE = 120  # characters of a found value that a warning shows
FARTHEST = 72  # inches; no weapon of the game reaches beyond a table of six feet
EVEN = (0.75, 1.6)  # how far the prices of further models lie apart in real lists, slips of the pen aside
WITH_SECOND_VALUE = ("Point Blank", "Shock", "Wreckers")  # the qualities that use the parentheses (AC-6)


@dataclass(frozen=True, slots=True)
class ImportWarning:
    """Something in a data file that the importer doubted.

    Attributes
    ----------
    file : str
        As it was given.
    unit : str
        The unit's name; empty when the doubt is about the file.
    value : str
        What was found.
    doubt : str
        What is odd about it and what the importer made of it.
    """

    file: str
    unit: str
    value: str
    doubt: str

    def __str__(self) -> str:
        return ": ".join(part for part in (self.file, self.unit, repr(self.value), self.doubt) if part)


@dataclass
class Doubts:
    """The warnings about one file, in the order in which they came up."""

    file: str
    unit: str = ""
    found: list[ImportWarning] = field(default_factory=list)

    def add(self, value: object, doubt: str) -> None:
        """Doubt `value`; said once for each unit."""
        text = str(value)
        shown = text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 1]}…"
        warning = ImportWarning(self.file, self.unit, shown, doubt)
        if warning not in self.found[-50:]:  # a unit's warnings stand together: no need to look further back
            self.found.append(warning)


def review(unit: Unit, doubts: Doubts) -> None:
    """Doubt whatever about `unit` is possible but unlikely."""
    _review_levels(unit, doubts)
    if not unit.rows:
        doubts.add(unit.name, "no armaments row: this unit cannot attack")
    for row in unit.rows:
        _review_ranges(row, doubts)
        _review_dice(unit, row, doubts)
        _review_second_values(row, doubts)
        _review_bands(unit, row, doubts)


def _review_levels(unit: Unit, doubts: Doubts) -> None:
    if "behemoth" not in unit.traits and "basic" not in unit.levels:
        doubts.add(", ".join(unit.levels), "no basic level")
    for name, level in unit.levels.items():
        if level.points is None:
            doubts.add(name, "this level has no cost in points")
        elif level.points == 0:
            doubts.add(f"{name}: 0", "this level costs no points")
        if level.victory_points is None:
            doubts.add(name, "this level has no victory-point rating")
        elif level.victory_points == 0:
            doubts.add(f"{name}: 0", "this level is worth no victory points")
    levels = list(unit.levels.values())
    if not _grows([level.models for level in levels]):
        doubts.add(_listed(level.models for level in levels), "models do not grow with the level")
    if not _grows(_known(levels, "points")):
        doubts.add(_listed(_known(levels, "points")), "points do not grow with the level")
    elif (change := _change_of_price(levels)) is not None and not EVEN[0] <= change <= EVEN[1]:
        doubts.add(_listed(_known(levels, "points")), "the price of further models jumps from level to level")
    if not _grows(_known(levels, "victory_points"), strictly=False):
        doubts.add(_listed(_known(levels, "victory_points")), "victory points fall with the level")


def _change_of_price(levels: Sequence[Level]) -> float | None:
    """What a model more costs at the last of three levels, over what it costs at the second."""
    points = _known(levels, "points")
    models = [level.models for level in levels]
    if len(points) != 3 or len(models) != 3 or not (_grows(points) and _grows(models)):
        return None
    second, third = ((points[at] - points[at - 1]) / (models[at] - models[at - 1]) for at in (1, 2))
    return third / second


def _known(levels: Iterable[Level], key: str) -> list[int]:
    return [value for level in levels if (value := getattr(level, key)) is not None]


def _grows(values: Sequence[int], *, strictly: bool = True) -> bool:
    return all(low < high or (low == high and not strictly) for low, high in pairwise(values))


def _listed(values: Iterable[int]) -> str:
    return ", ".join(str(value) for value in values)


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
    bands = list(reversed(row.bands)) if behemoth else list(row.bands)
    why = "attack dice grow as damage grows" if behemoth else "attack dice fall as models grow"
    for values in ([band.dice for band in bands], [band.special for band in bands if band.special is not None]):
        if not _grows(values, strictly=False):
            doubts.add(f"{row.name}: {_listed(values)}", why)


def _review_second_values(row: Row, doubts: Doubts) -> None:
    using = [each.name for each in row.qualities if each.name in WITH_SECOND_VALUE]
    having = [band for band in row.bands if band.special is not None]
    if having and not using:
        doubts.add(_cells(row.bands, row), f"a value in parentheses, and none of {', '.join(WITH_SECOND_VALUE)}")
    if using and not having:
        doubts.add(_cells(row.bands, row), f"{using[0]}, and no value in parentheses")
    if using and having and len(having) < len(row.bands):
        doubts.add(_cells(row.bands, row), f"{using[0]}, and a band without a value in parentheses")
    if any(band.special is not None and band.special < band.dice for band in having):
        doubts.add(_cells(having, row), "a value in parentheses that is lower than the plain one")


def _cells(bands: Iterable[Band], row: Row) -> str:
    cells = (f"{band.dice}" if band.special is None else f"{band.dice} ({band.special})" for band in bands)
    return f"{row.name}: {', '.join(cells)}"


def _review_bands(unit: Unit, row: Row, doubts: Doubts) -> None:
    """Whether the bands cover what the unit can be: its models, or a behemoth's damage (AC-2.3)."""
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
