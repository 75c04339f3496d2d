"""The tables on the page of a report, made of the tidy table of matchups."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import pandas as pd

from analyser.analysis.balance import EFFICIENCY
from analyser.analysis.frame import records
from analyser.analysis.situations import Situation

MOST_RANKED = 10
_OF_A_ROW = re.compile(r"([a-z0-9]+(?:-[a-z0-9]+)*): (.*)")


class Ranked(NamedTuple):
    """An attacker in the table of the best; the figures are means over the targets of one category."""

    attacker: str
    points: int
    rows: str
    points_per_100: float
    models: float
    p_half: float
    p_annihilated: float


class Ranking(NamedTuple):
    """The best attackers on the targets of one category in one situation."""

    category: str
    situation: Situation
    targets: int
    attackers: list[Ranked]


class Answer(NamedTuple):
    """What is best against one defender in one situation.

    `deadliest` is empty where nothing can attack it; `models` is 0 where nothing destroys a model of it in one attack,
    and `deadliest` then does most `damage`. `cheapest` is empty where no attacker has points.
    """

    cheapest: str = ""
    points_per_100: float = 0.0
    deadliest: str = ""
    p_annihilated: float = 0.0
    models: float = 0.0
    damage: float = 0.0


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


def rankings(frame: pd.DataFrame, situations: tuple[Situation, ...]) -> list[Ranking]:
    """The best attackers per 100 points, for each target category and each situation.

    The mean is over every defending loadout of the category. An attacker that fires at one of them fires at all of
    them, for it is the category that a row fires at.
    """
    found = []
    for category in dict.fromkeys(frame["defender_category"]):
        for situation in situations:
            part = frame[(frame["defender_category"] == category) & (frame["situation"] == situation.name)]
            best = _best_attackers(part[part[EFFICIENCY].notna()])
            found.append(Ranking(category, situation, part["defender"].nunique(), best))
    return found


def _best_attackers(part: pd.DataFrame) -> list[Ranked]:
    groups = part.groupby("attacker", sort=False)
    means = groups[[EFFICIENCY, "mean_models_destroyed", "p_half_destroyed", "p_annihilated"]].mean()
    first = groups[["attacker_unit", "attacker_level", "attacker_points"]].first()
    table = first.join(means).join(groups["row"].agg(lambda rows: ", ".join(dict.fromkeys(rows.dropna()))))
    table = table.sort_values(EFFICIENCY, ascending=False, kind="stable").head(MOST_RANKED)
    figures = [EFFICIENCY, "mean_models_destroyed", "p_half_destroyed", "p_annihilated"]
    return [
        Ranked(_loadout(row), int(row["attacker_points"]), row["row"], *(row[name] for name in figures))
        for row in records(table)
    ]


def _loadout(row: dict[str, Any], side: str = "attacker") -> str:
    return f"{row[f'{side}_unit']}, {row[f'{side}_level']}"


def answers(frame: pd.DataFrame, situations: tuple[Situation, ...]) -> list[Defended]:
    """For each defender what destroys most of it per 100 points, and what annihilates it most likely."""
    possible = frame[frame["why_not"].isna()]
    deadliest = _best(possible, ["p_annihilated", "mean_models_destroyed", "mean_damage"])
    cheapest = _best(possible[possible[EFFICIENCY].notna()], [EFFICIENCY])
    found = []
    for row in records(frame.drop_duplicates("defender")):
        points = None if pd.isna(row["defender_points"]) else int(row["defender_points"])
        places = [(row["defender"], situation.name) for situation in situations]
        each = [_answer(deadliest.get(place), cheapest.get(place)) for place in places]
        found.append(Defended(_loadout(row, "defender"), points, int(row["defender_models"]), each))
    return found


def _best(frame: pd.DataFrame, ranked_by: list[str]) -> dict[tuple[str, str], dict[str, Any]]:
    """By defender and situation the attack that comes first."""
    ranked = frame.sort_values(ranked_by, ascending=False, kind="stable")
    first = records(ranked.drop_duplicates(["defender", "situation"]))
    return {(row["defender"], row["situation"]): row for row in first}


def _answer(deadliest: dict[str, Any] | None, cheapest: dict[str, Any] | None) -> Answer:
    if deadliest is None:
        return Answer()
    return Answer(
        cheapest="" if cheapest is None else _loadout(cheapest),
        points_per_100=0.0 if cheapest is None else cheapest[EFFICIENCY],
        deadliest=_loadout(deadliest),
        p_annihilated=deadliest["p_annihilated"],
        models=deadliest["mean_models_destroyed"],
        damage=deadliest["mean_damage"],
    )


def idle(frame: pd.DataFrame, situations: tuple[Situation, ...]) -> list[Idle]:
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
        told = str(why_not) if attacker == defender else str(why_not).replace(str(defender), "the target")
        for each in told.replace(str(attacker), "it").split("; "):
            of_a_row = _OF_A_ROW.fullmatch(each)
            row, reason = of_a_row.groups() if of_a_row else ("", each)
            found.setdefault(row, {})[reason] = None
    return [f"{row}: {' / '.join(each)}" if row else " / ".join(each) for row, each in found.items()]
