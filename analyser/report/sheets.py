"""The part of the page for each unit: what it beats, what beats it, what it does for its points, what is odd."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import pandas as pd

from analyser.comparisons.frame import by_unit
from analyser.comparisons.matchups import Matchups
from analyser.report.balance import Balance
from analyser.report.pictures import EFFICIENCY
from analyser.situations import Situation
from analyser.units import Loadout, Unit

MOST_OPPONENTS = 5
MOST_OUTLIERS = 6
LEAST = 0.05  # points destroyed for 100 points; what does less beats nobody
_SHOWN = [EFFICIENCY, "mean_models_destroyed", "p_annihilated"]
_LABEL = {
    "defence": "DEFENCE",
    "damage_limit": "DAMAGE LIMIT",
    "discipline": "DISCIPLINE",
    "break_limit": "BREAK LIMIT",
}


class Opponent(NamedTuple):
    """A unit on the other side; the figures are means over the levels of both."""

    selector: str
    name: str
    points_per_100: float
    models: float
    p_annihilated: float


class Meeting(NamedTuple):
    """What a unit beats and what beats it in one situation, the first one most."""

    situation: Situation
    beats: list[Opponent]
    beaten_by: list[Opponent]


class Sheet(NamedTuple):
    """The part of one unit.

    Attributes
    ----------
    selector : str
        Without a level.
    faction : str
    unit : Unit
    facts : list of str
        Its type and numbers, for a line.
    levels : list of Loadout
    attacks, defends : bool
        Whether it is on that side of the report.
    meetings : list of Meeting
    balance, outliers, dominated : list of dict
        The rows of these tables that are about it.
    """

    selector: str
    faction: str
    unit: Unit
    facts: list[str]
    levels: list[Loadout]
    attacks: bool
    defends: bool
    meetings: list[Meeting]
    balance: list[dict[str, Any]]
    outliers: list[dict[str, Any]]
    dominated: list[dict[str, Any]]


def sheets(found: Matchups, balance: Balance) -> list[Sheet]:
    """A sheet for each unit that takes part, attackers first, in their order."""
    units: dict[str, list[Loadout]] = {}
    for each in {each.selector: each for each in (*found.attackers, *found.defenders)}.values():
        units.setdefault(unit_of(each.selector), []).append(each)
    beats, beaten_by = _opponents(found)
    rows = _by_unit(balance.efficiency, "attacker"), _by_unit(balance.dominated, "attacker")
    odd = _odd(balance.outliers)
    attackers, defenders = (
        {unit_of(each.selector) for each in side} for side in (found.attackers, found.defenders)
    )  # fmt: skip
    return [
        Sheet(
            selector=selector,
            faction=levels[0].faction,
            unit=levels[0].unit,
            facts=_facts(levels[0].unit),
            levels=levels,
            attacks=selector in attackers,
            defends=selector in defenders,
            meetings=[
                Meeting(
                    each, beats.get((each.name, selector), []), beaten_by.get((each.name, selector), [])
                )
                for each in found.situations
            ],
            balance=rows[0].get(selector, []),
            outliers=odd.get(selector, []),
            dominated=rows[1].get(selector, []),
        )
        for selector, levels in units.items()
    ]  # fmt: skip


def unit_of(selector: str) -> str:
    """A selector without its level.

    Examples
    --------
    >>> unit_of("crown/rifle-platoon@basic")
    'crown/rifle-platoon'
    """
    return selector.partition("@")[0]


def _facts(unit: Unit) -> list[str]:
    numbers = [(label, getattr(unit, name)) for name, label in _LABEL.items()]
    return [
        unit.type,
        f"{unit.category} target",
        *(f"{label} {value}" for label, value in numbers if value is not None),
    ]


Opponents = dict[tuple[str, str], list[Opponent]]


def _opponents(found: Matchups) -> tuple[Opponents, Opponents]:
    """By situation and unit: those it destroys most of for its points, and those that do so to it."""
    units = by_unit(found.frame)
    able = units[units[EFFICIENCY] >= LEAST].sort_values(EFFICIENCY, ascending=False, kind="stable")
    return _first_of(able, "attacker", "defender"), _first_of(able, "defender", "attacker")


def _first_of(able: pd.DataFrame, side: str, other: str) -> Opponents:
    first = able.groupby(["situation", side], sort=False).head(MOST_OPPONENTS)
    opponents: Opponents = {}
    for row in first[["situation", side, other, f"{other}_unit", *_SHOWN]].itertuples(index=False, name=None):
        situation, unit, selector, name, *figures = row
        opponents.setdefault((situation, unit), []).append(Opponent(selector, name, *figures))
    return opponents


def _by_unit(frame: pd.DataFrame, column: str) -> dict[str, list[dict[str, Any]]]:
    rows: dict[str, list[dict[str, Any]]] = {}
    for row in records(frame):
        rows.setdefault(unit_of(row[column]), []).append(row)
    return rows


def _odd(outliers: pd.DataFrame) -> dict[str, list[dict[str, Any]]]:
    """By unit the outliers it takes part in, on either side, the farthest first."""
    rows: dict[str, list[dict[str, Any]]] = {}
    for row in records(outliers):
        for unit in dict.fromkeys((row["attacker"], row["defender"])):
            rows.setdefault(unit, []).append(row)
    return {unit: found[:MOST_OUTLIERS] for unit, found in rows.items()}


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a table as dictionaries."""
    return [{str(key): value for key, value in row.items()} for row in frame.to_dict("records")]


def anchors(all_sheets: Iterable[Sheet]) -> set[str]:
    """The units that have a part on the page to be linked to."""
    return {sheet.selector for sheet in all_sheets}
