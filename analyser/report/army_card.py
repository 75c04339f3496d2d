"""Card of an army: one HTML page for the gaming table, which opens offline and can be printed."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

from analyser.game.army import Army, ArmyUnit
from analyser.game.keywords import HasKeywords, keyword_descriptions
from analyser.game.units import Loadout, Row
from analyser.report.page_frame import page_of

_PAGE_HEIGHT = 277.0  # millimetres: height of an A4 sheet without margins
_LINE_HEIGHT = 1.3 * 25.4 / 72  # millimetres: height of a line, per point of type size
_LARGEST_SIZE, _SMALLEST_SIZE = 17, 11  # type sizes in print, in half points
_SIZE_ON_SEVERAL_PAGES = 13  # type size, in half points, if the cards need several pages
_HEAD_LINES = 2.6  # height of a card's head and margins, in lines
_COLUMN_WIDTH = 560.0  # characters in a column at a type size of one point


class UnitCard(NamedTuple):
    """The card of one unit, or of several identical units."""

    loadout: Loadout
    number: int
    names: list[str]  # names that the army gives to the units, if any
    bands: list[tuple[int, int]]  # first and last number of models (behemoth: of damage) of each band
    undamaged_band: int  # index of the band of the undamaged unit, or -1
    lines: list[tuple[Row, list[str]]]  # each row of armaments, with its dice in each band
    notes: list[str]


def army_card(army: Army) -> str:
    """Return the card of an army as HTML for printing on one page of A4, or several for a very large army."""
    cards = _unit_cards(army)
    units = [card.loadout.unit for card in cards]
    owners: list[HasKeywords] = [*units, *(row for unit in units for row in unit.rows)]
    glossary = keyword_descriptions(keyword for owner in owners for keyword in owner.keywords)
    size = _type_size(cards, glossary)
    return page_of("army", title=army.name, army=army, cards=cards, glossary=glossary, half_points=size)


def _unit_cards(army: Army) -> list[UnitCard]:
    """Return a card for each kind of unit, in the order of the army."""
    groups: list[list[ArmyUnit]] = []
    for unit in army:
        same = next((units for units in groups if units[0].loadout == unit.loadout), None)
        if same is None:
            groups.append([unit])
        else:
            same.append(unit)
    return [_unit_card(units) for units in groups]


def _unit_card(units: Sequence[ArmyUnit]) -> UnitCard:
    loadout = units[0].loadout
    unit, selector = loadout.unit, f"{loadout.unit.id}@{loadout.level_name}"
    bands = sorted({(band.first, band.last) for row in unit.rows for band in row.bands})
    lines = []
    for row in unit.rows:
        dice = {(band.first, band.last): band.cell for band in row.bands}
        lines.append((row, [dice.get(band, "") for band in bands]))
    models = 0 if "behemoth" in unit.traits else loadout.level.models
    return UnitCard(
        loadout=loadout,
        number=len(units),
        names=[other.name for other in units if not other.name.startswith(selector) and other.name != unit.name],
        bands=bands,
        undamaged_band=next((index for index, (first, last) in enumerate(bands) if first <= models <= last), -1),
        lines=lines,
        notes=list(dict.fromkeys(other.notes for other in units if other.notes)),
    )


def _type_size(cards: Sequence[UnitCard], glossary: dict[str, str]) -> int:
    """Return the largest type size, in half points, at which all cards and rules fit on one page."""
    sizes = range(_LARGEST_SIZE, _SMALLEST_SIZE - 1, -1)
    return next((size for size in sizes if _height(cards, glossary, size / 2) <= _PAGE_HEIGHT), _SIZE_ON_SEVERAL_PAGES)


def _height(cards: Sequence[UnitCard], glossary: dict[str, str], size: float) -> float:
    """Return the estimated height of the page in millimetres: cards in two columns, rules in three."""
    width = _COLUMN_WIDTH / size
    card_lines = sum(_lines_of(card, width) for card in cards) / 2 + 2
    rule_lines = sum(ceil((len(name) + len(text) + 2) / (width * 0.62)) for name, text in glossary.items())
    return (card_lines + ceil(rule_lines / 3) + 6) * size * _LINE_HEIGHT


def _lines_of(card: UnitCard, width: float) -> float:
    unit = card.loadout.unit
    rows = sum(ceil((45 + len(", ".join(row.qualities))) / width) for row in unit.rows)
    rules = ceil(len(", ".join(unit.rules)) / width) + len(card.notes) + bool(card.names)
    return _HEAD_LINES + 1.2 + 1.15 * (rows + bool(rows)) + rules
