"""The armaments grid of a unit: profiles of weapons made into rows, and names spelled as the rules do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from xml.etree.ElementTree import Element

from analyser.common.errors import InputError
from analyser.common.validation import checked
from analyser.game.keywords import LONGEST_NAME, QUALITIES, Term, parse, recognise, tidy, with_parameter
from analyser.game.units import MOST_DICE, MOST_INCHES, MOST_MODELS, Band, Row
from analyser.importers import cells
from analyser.importers.doubts import Doubts

Cells = Mapping[str, str]


def recognised(names: Iterable[str], table: Mapping[str, Term], what: str, doubts: Doubts) -> tuple[str, ...]:
    """Names as the rules spell them, each once."""
    found: dict[str, None] = {}
    for written in names:
        name, parameter = parse(written[:LONGEST_NAME])
        meant, right = recognise(name, table)
        if meant not in table:
            doubts.add(written, f"unknown {what}; kept as it is")
        elif not right:
            doubts.add(written, f"misspelt {what}; taken for {meant}")
        found[with_parameter(meant, parameter)] = None
    return tuple(found)


def read_rows(profiles: Iterable[tuple[Element, Cells]], doubts: Doubts) -> tuple[Row, ...]:
    """The armaments rows that can be made out, each under an id of its own."""
    rows: list[Row] = []
    for profile, by_name in profiles:
        row = _row(tidy(profile.get("name", "")[:LONGEST_NAME])[:LONGEST_NAME].strip(), by_name, doubts)
        if row is not None:
            rows.append(row.model_copy(update={"id": unused_id(row.id, [each.id for each in rows])}))
    return tuple(rows)


def unused_id(wanted: str, taken: Iterable[str]) -> str:
    """`wanted`, or with the first number from 2 on that makes it differ from every id in `taken`.

    Examples
    --------
    >>> unused_id("melee", ["melee", "melee-2"])
    'melee-3'
    """
    used = set(taken)
    count = 2
    found = wanted
    while found in used:
        found = f"{wanted}-{count}"
        count += 1
    return found


def _row(name: str, by_name: Cells, doubts: Doubts) -> Row | None:
    heading = cells.heading(name)
    if heading is None:
        doubts.add(name, "neither ranged, melee nor impact; the row is left out")
        return None
    if not heading.spelled_right:
        doubts.add(name, f"taken for {heading.kind} {'/'.join(heading.against)}".rstrip())
    short, long = _range(name, by_name.get("range"), doubts)
    listed = cells.names(by_name.get("qualities"))
    data = {
        "id": cells.slug(name),
        "name": name,
        "kind": heading.kind,
        "against": heading.against,
        "short_range": short,
        "long_range": long,
        "bands": tuple(_bands(name, by_name, doubts)),
        "qualities": recognised(listed, QUALITIES, "quality", doubts),
    }
    try:
        return checked(Row, data)
    except InputError as error:
        doubts.add(name, f"{error.problem}; the row is left out")
        return None


def _range(name: str, text: str | None, doubts: Doubts) -> cells.Range:
    reach = cells.inches(text)
    if reach is None or max(reach.short or 0, reach.long or 0) > MOST_INCHES:
        doubts.add(f"{name}: {text}", "not a range; left out")
        return cells.Range(None, None)
    if reach.short is not None and (reach.long is None or reach.short > reach.long):
        doubts.add(f"{name}: {text}", "short range beyond long range; short range is left out")
        return cells.Range(None, reach.long)
    return reach


def _bands(name: str, by_name: Cells, doubts: Doubts) -> list[Band]:
    bands = []
    for column, text in by_name.items():
        found = cells.band(column)
        if found is None:
            if column not in ("range", "qualities"):
                doubts.add(f"{name}: {column}", "a column of an armaments row that is not known; left out")
        elif not cells.is_none(text):
            bands += _band(f"{name}: {column}: {text}", found, cells.dice(text), doubts)
    return cells.in_order(bands)


def _band(shown: str, numbers: tuple[int, int], dice: tuple[int, int | None] | None, doubts: Doubts) -> list[Band]:
    first, last = numbers
    if first > last or last > MOST_MODELS:
        doubts.add(shown, "a band that holds nothing; left out")
    elif dice is None or max(dice[0], dice[1] or 0) > MOST_DICE:
        doubts.add(shown, f"not a number of dice from 0 to {MOST_DICE}; the band is left out")
    else:
        return [Band(first=first, last=last, dice=dice[0], special=dice[1])]
    return []
