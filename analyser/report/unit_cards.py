"""The part of the page for each unit: its best targets, what is most dangerous to it, its duels, its points."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import pandas as pd

from analyser.analysis.balance import EFFICIENCY
from analyser.analysis.frame import by_unit, records
from analyser.analysis.matchups import Matchups
from analyser.analysis.situations import Situation
from analyser.game.units import Loadout, Unit, unit_of
from analyser.plots.metrics import RESULTS
from analyser.report.balance import Balance

MOST_OPPONENTS = 5
MOST_OUTLIERS = 6
LEAST = 0.05  # points destroyed for 100 points; what does less is nobody's target
_SHOWN = [EFFICIENCY, "mean_models_destroyed", "p_annihilated", *RESULTS]
_LABEL = {
    "defence": "DEFENCE",
    "damage_limit": "DAMAGE LIMIT",
    "discipline": "DISCIPLINE",
    "break_limit": "BREAK LIMIT",
}


class Opponent(NamedTuple):
    """A unit on the other side; the figures are means over the levels of both, those of duels NaN elsewhere."""

    selector: str
    name: str
    points_per_100: float
    models: float
    p_annihilated: float
    p_attacker_wins: float
    p_draw: float


class Record(NamedTuple):
    """How the duels end that a unit begins: how many units it meets, and against how many it rather wins or loses."""

    units: int
    wins: int
    loses: int
    p_attacker_wins: float
    p_loses: float


class Meeting(NamedTuple):
    """Who a unit destroys most points of for its own and who does so to it, in one situation; of duels who wins."""

    situation: Situation
    best_targets: list[Opponent]
    most_dangerous: list[Opponent]
    record: Record | None


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
    balance, flags, outliers, dominated : list of dict
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
    flags: list[dict[str, Any]]
    outliers: list[dict[str, Any]]
    dominated: list[dict[str, Any]]


def sheets(found: Matchups, balance: Balance) -> list[Sheet]:
    """A sheet for each unit that takes part, attackers first, in their order."""
    units: dict[str, list[Loadout]] = {}
    for each in {each.selector: each for each in (*found.attackers, *found.defenders)}.values():
        units.setdefault(unit_of(each.selector), []).append(each)
    pairs = by_unit(found.frame)
    targets, dangers, records_of = *_opponents(pairs), _records_of(pairs)
    rows = [_by_unit(table, "attacker") for table in (balance.efficiency, balance.dominated, balance.flags)]
    odd = _odd(balance.outliers)
    attackers, defenders = ({unit_of(each.selector) for each in side} for side in (found.attackers, found.defenders))
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
                    each,
                    targets.get((each.name, selector), []),
                    dangers.get((each.name, selector), []),
                    records_of.get(selector) if each.fight.has_winner else None,
                )
                for each in found.situations
            ],
            balance=rows[0].get(selector, []),
            flags=rows[2].get(selector, []),
            outliers=odd.get(selector, []),
            dominated=rows[1].get(selector, []),
        )
        for selector, levels in units.items()
    ]


def _facts(unit: Unit) -> list[str]:
    numbers = [(label, getattr(unit, name)) for name, label in _LABEL.items()]
    return [
        unit.type,
        f"{unit.category} target",
        *(f"{label} {value}" for label, value in numbers if value is not None),
    ]


Opponents = dict[tuple[str, str], list[Opponent]]


def _opponents(units: pd.DataFrame) -> tuple[Opponents, Opponents]:
    """By situation and unit: those it destroys most of for its points, and those that do so to it."""
    able = units[units[EFFICIENCY] >= LEAST].sort_values(EFFICIENCY, ascending=False, kind="stable")
    return _first_of(able, "attacker", "defender"), _first_of(able, "defender", "attacker")


def _first_of(able: pd.DataFrame, side: str, other: str) -> Opponents:
    first = able.groupby(["situation", side], sort=False).head(MOST_OPPONENTS)
    opponents: Opponents = {}
    for row in first[["situation", side, other, f"{other}_unit", *_SHOWN]].itertuples(index=False, name=None):
        situation, unit, selector, name, *figures = row
        opponents.setdefault((situation, unit), []).append(Opponent(selector, name, *figures))
    return opponents


def _records_of(units: pd.DataFrame) -> dict[str, Record]:
    """By unit how the duels end that it begins, those against itself left out."""
    duels = units[units["p_attacker_wins"].notna() & (units["attacker"] != units["defender"])]
    loses = 1 - duels["p_attacker_wins"] - duels["p_draw"]
    rather = duels.assign(p_loses=loses, wins=duels["p_attacker_wins"] > loses, loses=duels["p_attacker_wins"] < loses)
    return {
        str(unit): Record(
            len(part),
            int(part["wins"].sum()),
            int(part["loses"].sum()),
            float(part["p_attacker_wins"].mean()),
            float(part["p_loses"].mean()),
        )
        for unit, part in rather.groupby("attacker", sort=False)
    }


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


def anchors(all_sheets: Iterable[Sheet]) -> set[str]:
    """The units that have a part on the page to be linked to."""
    return {sheet.selector for sheet in all_sheets}
