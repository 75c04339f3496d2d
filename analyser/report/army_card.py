"""Card of an army for the table: one HTML page that opens offline and prints on a sheet of paper."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any, NamedTuple

from analyser.game.army import Army, ArmyUnit
from analyser.game.keywords import HasKeywords, keyword_descriptions
from analyser.game.ruleset import Ruleset
from analyser.game.units import Loadout, Row
from analyser.report.shell import page_of
from analyser.report.sliders import entry_of
from analyser.scenarios.armies import load_army
from analyser.web.html import engine
from analyser.web.memory_layout import layout
from analyser.web.page_data import COMPARED, RANKING, USUAL_DISTANCE, edits

_PAGE = 277.0  # millimetres: height of an A4 sheet without its margins
_A_LINE = 1.3 * 25.4 / 72  # millimetres: height of a line, per point of type size
_LARGEST, _SMALLEST = 17, 11  # type sizes in print, in half points
_ON_SEVERAL = 13  # type size if even the smallest needs several pages
_AROUND = 2.6  # lines: height of the head of a card and the space around it
_WIDTH = 560.0  # characters in a column at a type size of one point
_TARGETS = tuple(
    dict(zip(("name", "type", "category", "models", "defence", "damage_limit", "discipline", "break_limit"), target))
    for target in (
        ("Light infantry", "infantry", "light", 10, 2, 1, 7, 4),
        ("Heavy armour", "armour", "heavy", 3, 4, 3, 7, 2),
        ("Aerial rotorcraft", "rotorcraft", "aerial", 3, 2, 2, 7, 2),
    )
)
"""Initial targets for the odds of a card; each number can be changed."""
_CHANGED = ("defence", "damage_limit", "models")


class Sheet(NamedTuple):
    """The card of one unit, or of several identical units."""

    loadout: Loadout
    number: int
    names: list[str]  # given by the army
    bands: list[tuple[int, int]]
    at: int  # index of the band of the undamaged unit, -1 if none
    lines: list[tuple[Row, list[str]]]  # each row with its cells by band
    notes: list[str]


def army_card(army: Army, ruleset: Ruleset | None = None) -> str:
    """Return the card of an army as HTML; it prints on one page of A4, or more for a very large army.

    `ruleset` has the die and the deck of its odds; default: those of the shipped profiles.
    """
    sheets = _sheets(army)
    units = [sheet.loadout.unit for sheet in sheets]
    bearers: list[HasKeywords] = [*units, *(row for unit in units for row in unit.rows)]
    glossary = keyword_descriptions(keyword for bearer in bearers for keyword in bearer.keywords)
    size = _half_points(sheets, glossary)
    return page_of(
        "army",
        title=army.name,
        army=army,
        sheets=sheets,
        glossary=glossary,
        half_points=size,
        engine=_odds(sheets, ruleset),
    )


def _odds(sheets: Sequence[Sheet], ruleset: Ruleset | None) -> str:
    """Return the exact engines, packed with the units of the cards, usual targets, and their adjustable numbers."""
    data: dict[str, Any] = {
        "layout": layout(ruleset),
        "units": [entry_of(sheet.loadout) for sheet in sheets],
        "targets": [entry_of(loadout) for loadout in load_army(list(_TARGETS)).loadouts],
        "edits": [edit for edit in edits() if edit["name"] in _CHANGED],
        "distance": USUAL_DISTANCE,
        "figures": [figure for figure in COMPARED if figure["name"] != "points"],
    }
    return engine(data | RANKING)


def _sheets(army: Army) -> list[Sheet]:
    """Return a card for each kind of unit, in the order of the army."""
    alike: list[list[ArmyUnit]] = []
    for unit in army:
        same = next((units for units in alike if units[0].loadout == unit.loadout), None)
        if same is None:
            alike.append([unit])
        else:
            same.append(unit)
    return [_sheet(units) for units in alike]


def _sheet(units: Sequence[ArmyUnit]) -> Sheet:
    loadout = units[0].loadout
    unit, own = loadout.unit, f"{loadout.unit.id}@{loadout.level_name}"
    bands = sorted({(band.first, band.last) for row in unit.rows for band in row.bands})
    lines = []
    for row in unit.rows:
        dice = {(band.first, band.last): band.cell for band in row.bands}
        lines.append((row, [dice.get(band, "") for band in bands]))
    whole = 0 if "behemoth" in unit.traits else loadout.level.models
    return Sheet(
        loadout=loadout,
        number=len(units),
        names=[other.name for other in units if not other.name.startswith(own) and other.name != unit.name],
        bands=bands,
        at=next((place for place, (first, last) in enumerate(bands) if first <= whole <= last), -1),
        lines=lines,
        notes=list(dict.fromkeys(other.notes for other in units if other.notes)),
    )


def _half_points(sheets: Sequence[Sheet], glossary: dict[str, str]) -> int:
    """Return the type size, in half points, at which cards (two columns) and rules (three) fill one page."""
    sizes = range(_LARGEST, _SMALLEST - 1, -1)
    return next((size for size in sizes if _height(sheets, glossary, size / 2) <= _PAGE), _ON_SEVERAL)


def _height(sheets: Sequence[Sheet], glossary: dict[str, str], size: float) -> float:
    """Return the estimated height of a page in millimetres."""
    width = _WIDTH / size
    cards = sum(_lines_of(sheet, width) for sheet in sheets) / 2 + 2
    rules = sum(ceil((len(name) + len(text) + 2) / (width * 0.62)) for name, text in glossary.items())
    return (cards + ceil(rules / 3) + 6) * size * _A_LINE


def _lines_of(sheet: Sheet, width: float) -> float:
    unit = sheet.loadout.unit
    rows = sum(ceil((45 + len(", ".join(row.qualities))) / width) for row in unit.rows)
    rules = ceil(len(", ".join(unit.rules)) / width) + len(sheet.notes) + bool(sheet.names)
    return _AROUND + 1.2 + 1.15 * (rows + bool(rows)) + rules
