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
from analyser.game.units import Loadout, unit_of
from analyser.plots.metrics import EFFICIENCY, RESULTS
from analyser.report.parts import Balance

MOST_RANKED, MOST_OPPONENTS = 10, 5
LEAST = 0.05  # points destroyed for 100 points; what does less is nobody's target
_OF_A_ROW = re.compile(r"([a-z0-9]+(?:-[a-z0-9]+)*): (.*)")
_RANKED = [EFFICIENCY, "mean_models_destroyed", "p_half_destroyed", "p_annihilated"]
_OPPONENT = ["unit", "name", EFFICIENCY, "mean_models_destroyed", "p_annihilated", *RESULTS]


class Ranking(NamedTuple):
    """The best attackers on the targets of one category in one situation; their figures are means over the targets."""

    category: str
    situation: Situation
    targets: int
    attackers: list[Row]


class Defended(NamedTuple):
    """A defender, and situation by situation the rows of the attacks that are best against it.

    The deadliest is None where nothing can attack it, and does most damage where nothing destroys a model of it; the
    cheapest is None where no attacker has points.
    """

    defender: str
    points: int | None
    models: int
    answers: list[tuple[Row | None, Row | None]]


class Idle(NamedTuple):
    """A unit that has no attack in some situations, and why, row by row."""

    unit: str
    situations: list[Situation]
    why_not: list[str]


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
        best = [(deadliest.get(place), cheapest.get(place)) for place in places]
        name = f"{row['defender_unit']}, {row['defender_level']}"
        found.append(Defended(name, points, int(row["defender_models"]), best))
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


def sheets(found: Matchups, balance: Balance) -> dict[str, Any]:
    """What the page says of each unit that takes part.

    `units` are the loadouts of each by its selector without a level, attackers first; `attackers` and `defenders` tell
    which side it is on; all else is by selector, `best_targets` and `most_dangerous` by situation and selector.
    """
    units: dict[str, list[Loadout]] = {}
    for each in {each.selector: each for each in (*found.attackers, *found.defenders)}.values():
        units.setdefault(unit_of(each.selector), []).append(each)
    pairs = by_unit(found.frame)
    return {
        "units": units,
        "attackers": {unit_of(each.selector) for each in found.attackers},
        "defenders": {unit_of(each.selector) for each in found.defenders},
        "best_targets": _opponents(pairs, "attacker", "defender"),
        "most_dangerous": _opponents(pairs, "defender", "attacker"),
        "records": _records_of(pairs),
        "efficiency": _rows_by_unit(balance.balance, "attacker"),
        "flags": _rows_by_unit(balance.flags, "attacker"),
        "outliers": _rows_by_unit(balance.outliers, "attacker", "defender"),
        "dominated": _rows_by_unit(balance.dominated, "attacker"),
    }


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


def _records_of(pairs: pd.DataFrame) -> dict[str, Row]:
    """By unit how the duels end that it begins: how many others it meets, and how many it rather beats or loses to."""
    duels = pairs[pairs["p_attacker_wins"].notna() & (pairs["attacker"] != pairs["defender"])]
    loses = 1 - duels["p_attacker_wins"] - duels["p_draw"]
    rather = duels.assign(p_loses=loses, wins=duels["p_attacker_wins"] > loses, loses=duels["p_attacker_wins"] < loses)
    how = {"defender": "size", "wins": "sum", "loses": "sum", "p_attacker_wins": "mean", "p_loses": "mean"}
    found = rather.groupby("attacker", sort=False).agg(how).rename(columns={"defender": "units"})
    return dict(zip(found.index, found.to_dict("records")))


def _rows_by_unit(frame: pd.DataFrame, *columns: str) -> dict[str, list[Row]]:
    """The rows of a table by the units that stand in some columns of it."""
    rows: dict[str, list[Row]] = {}
    for row in frame.to_dict("records"):
        for unit in dict.fromkeys(unit_of(row[column]) for column in columns):
            rows.setdefault(unit, []).append(row)
    return rows
