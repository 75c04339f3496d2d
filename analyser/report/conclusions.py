"""What the page of a report concludes: the best attackers, answers to each defender, and what is said of each unit."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

import pandas as pd

from analyser.analysis.balance import Row
from analyser.analysis.grid import by_unit
from analyser.analysis.matchups import Matchups
from analyser.analysis.situations import Situation
from analyser.game.units import Loadout, Unit, unit_of
from analyser.plots.metrics import EFFICIENCY, RESULTS
from analyser.report.tables import Balance

MOST_RANKED, MOST_OPPONENTS, MOST_OUTLIERS = 10, 5, 6
LEAST = 0.05  # points destroyed for 100 points; what does less is nobody's target
_OF_A_ROW = re.compile(r"([a-z0-9]+(?:-[a-z0-9]+)*): (.*)")
_RANKED = [EFFICIENCY, "mean_models_destroyed", "p_half_destroyed", "p_annihilated"]
_OPPONENT = ["unit", "name", EFFICIENCY, "mean_models_destroyed", "p_annihilated", *RESULTS]
_LABELS = {
    "defence": "DEFENCE",
    "damage_limit": "DAMAGE LIMIT",
    "discipline": "DISCIPLINE",
    "break_limit": "BREAK LIMIT",
}


class Ranking(NamedTuple):
    """The best attackers on the targets of one category in one situation; their figures are means over the targets."""

    category: str
    situation: Situation
    targets: int
    attackers: list[Row]


class Answer(NamedTuple):
    """The rows of the attacks that are best against one defender in one situation.

    `deadliest` is None where nothing can attack it, and does most damage where nothing destroys a model of it;
    `cheapest` is None where no attacker has points.
    """

    deadliest: Row | None
    cheapest: Row | None


class Defended(NamedTuple):
    """A defender, and the answers to it, situation by situation."""

    defender: str
    points: int | None
    models: int
    answers: list[Answer]


class Idle(NamedTuple):
    """A unit that has no attack in some situations, and why, row by row."""

    unit: str
    situations: list[Situation]
    why_not: list[str]


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
    best_targets: list[Row]
    most_dangerous: list[Row]
    record: Record | None


def rankings(frame: pd.DataFrame, situations: Iterable[Situation]) -> list[Ranking]:
    """The best attackers per 100 points, for each target category and each situation.

    The mean is over every defending loadout of the category. An attacker that fires at one of them fires at all of
    them, for it is the category that a row fires at.
    """
    found, names = [], ["attacker_unit", "attacker_level", "attacker_points"]
    for category in dict.fromkeys(frame["defender_category"]):
        for situation in situations:
            part = frame[(frame["defender_category"] == category) & (frame["situation"] == situation.name)]
            groups = part[part[EFFICIENCY].notna()].groupby("attacker", sort=False)
            rows = groups["row"].agg(lambda used: ", ".join(dict.fromkeys(used.dropna()))).rename("rows")
            table = groups[names].first().join(groups[_RANKED].mean()).join(rows)
            table = table.sort_values(EFFICIENCY, ascending=False, kind="stable").head(MOST_RANKED)
            found.append(Ranking(category, situation, part["defender"].nunique(), table.to_dict("records")))
    return found


def answers(frame: pd.DataFrame, situations: Iterable[Situation]) -> list[Defended]:
    """For each defender what destroys most of it per 100 points, and what annihilates it most likely."""
    possible = frame[frame["why_not"].isna()]
    deadliest = _best(possible, ["p_annihilated", "mean_models_destroyed", "mean_damage"])
    cheapest = _best(possible[possible[EFFICIENCY].notna()], [EFFICIENCY])
    found = []
    for row in frame.drop_duplicates("defender").to_dict("records"):
        points = None if pd.isna(row["defender_points"]) else int(row["defender_points"])
        places = [(row["defender"], situation.name) for situation in situations]
        each = [Answer(deadliest.get(place), cheapest.get(place)) for place in places]
        name = f"{row['defender_unit']}, {row['defender_level']}"
        found.append(Defended(name, points, int(row["defender_models"]), each))
    return found


def _best(frame: pd.DataFrame, ranked_by: list[str]) -> dict[tuple[str, str], Row]:
    """By defender and situation the attack that comes first."""
    ranked = frame.sort_values(ranked_by, ascending=False, kind="stable")
    return {
        (row["defender"], row["situation"]): row
        for row in ranked.drop_duplicates(["defender", "situation"]).to_dict("records")
    }


def idle(frame: pd.DataFrame, situations: Iterable[Situation]) -> list[Idle]:
    """The units that can attack none of the defenders: in which situations, and why."""
    found: dict[tuple[str, tuple[str, ...]], list[Situation]] = {}
    for situation in situations:
        part = frame[frame["situation"] == situation.name]
        for unit, rows in part.groupby("attacker_unit", sort=False):
            if rows["why_not"].notna().all():
                found.setdefault((str(unit), tuple(reasons(rows))), []).append(situation)
    return [Idle(unit, where, list(why_not)) for (unit, why_not), where in found.items()]


def reasons(rows: pd.DataFrame) -> list[str]:
    """Why nobody of `rows` can attack: what stands in its way, once for each row of the attacker's card."""
    found: dict[str, dict[str, None]] = {}
    for attacker, defender, why_not in rows[["attacker", "defender", "why_not"]].itertuples(index=False, name=None):
        text = str(why_not) if attacker == defender else str(why_not).replace(str(defender), "the target")
        for each in text.replace(str(attacker), "it").split("; "):
            of_a_row = _OF_A_ROW.fullmatch(each)
            row, reason = of_a_row.groups() if of_a_row else ("", each)
            found.setdefault(row, {})[reason] = None
    return [f"{row}: {' / '.join(each)}" if row else " / ".join(each) for row, each in found.items()]


def sheets(found: Matchups, balance: Balance) -> list[dict[str, Any]]:
    """What the page says of each unit that takes part, attackers first, in their order."""
    units: dict[str, list[Loadout]] = {}
    for each in {each.selector: each for each in (*found.attackers, *found.defenders)}.values():
        units.setdefault(unit_of(each.selector), []).append(each)
    pairs = by_unit(found.frame)
    targets, dangers = _opponents(pairs, "attacker", "defender"), _opponents(pairs, "defender", "attacker")
    records_of = _records_of(pairs)
    worth, dominated, flags = (
        _rows_by_unit(table, "attacker") for table in (balance.balance, balance.dominated, balance.flags)
    )
    odd = _rows_by_unit(balance.outliers, "attacker", "defender")
    attackers, defenders = ({unit_of(each.selector) for each in side} for side in (found.attackers, found.defenders))
    return [
        {
            "selector": selector,  # without a level
            "faction": levels[0].faction,
            "unit": levels[0].unit,
            "facts": _facts(levels[0].unit),
            "levels": levels,
            "attacks": selector in attackers,
            "defends": selector in defenders,
            "meetings": [
                Meeting(
                    each,
                    targets.get((each.name, selector), []),
                    dangers.get((each.name, selector), []),
                    records_of.get(selector) if each.fight.has_winner else None,
                )
                for each in found.situations
            ],
            "balance": worth.get(selector, []),
            "flags": flags.get(selector, []),
            "outliers": odd.get(selector, [])[:MOST_OUTLIERS],
            "dominated": dominated.get(selector, []),
        }
        for selector, levels in units.items()
    ]


def _facts(unit: Unit) -> list[str]:
    """Its type and numbers, for a line."""
    numbers = [(label, getattr(unit, name)) for name, label in _LABELS.items()]
    return [unit.type, f"{unit.category} target", *(f"{label} {each}" for label, each in numbers if each is not None)]


def _opponents(pairs: pd.DataFrame, side: str, other: str) -> dict[tuple[str, str], list[Row]]:
    """By situation and unit: those on the other side with the most points destroyed for those of the attacker.

    The figures are means over the levels of both, those of duels NaN elsewhere.
    """
    able = pairs[pairs[EFFICIENCY] >= LEAST].sort_values(EFFICIENCY, ascending=False, kind="stable")
    able = able.assign(unit=able[other], name=able[f"{other}_unit"])
    first = able.groupby(["situation", side], sort=False).head(MOST_OPPONENTS)
    return {
        (str(situation), str(unit)): part[_OPPONENT].to_dict("records")
        for (situation, unit), part in first.groupby(["situation", side], sort=False)
    }


def _records_of(pairs: pd.DataFrame) -> dict[str, Record]:
    """By unit how the duels end that it begins, those against itself left out."""
    duels = pairs[pairs["p_attacker_wins"].notna() & (pairs["attacker"] != pairs["defender"])]
    loses = 1 - duels["p_attacker_wins"] - duels["p_draw"]
    rather = duels.assign(p_loses=loses, wins=duels["p_attacker_wins"] > loses, loses=duels["p_attacker_wins"] < loses)
    groups = rather.groupby("attacker", sort=False)
    found = groups.agg(
        {"defender": "size", "wins": "sum", "loses": "sum", "p_attacker_wins": "mean", "p_loses": "mean"}
    )
    return {str(row[0]): Record(*row[1:]) for row in found.itertuples(name=None)}


def _rows_by_unit(frame: pd.DataFrame, *columns: str) -> dict[str, list[Row]]:
    """The rows of a table by the units that stand in some columns of it."""
    rows: dict[str, list[Row]] = {}
    for row in frame.to_dict("records"):
        for unit in dict.fromkeys(unit_of(row[column]) for column in columns):
            rows.setdefault(unit, []).append(row)
    return rows
