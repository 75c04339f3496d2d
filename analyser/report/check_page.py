"""Page of a cross-check of fair points by battles (`analyser balance check --out FILE.html`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from analyser.analysis.battle_check import DISAGREES, NO_REASON, TOO_FEW, BalanceCheck
from analyser.common.text import counted, whole_percent
from analyser.report.shell import page_of


class Pair(NamedTuple):
    """A row of the picture: a name, a note, and the win rate beside the one that fair points say, in percent."""

    kind: str  # class of its colour
    name: str
    note: str
    wins: float
    said: float
    told: str


def check_page(answer: BalanceCheck) -> str:
    """Return the page of a cross-check as HTML, which opens offline."""
    rows = answer.frame.sort_values("off", ascending=False, kind="stable").to_dict("records")
    return page_of(
        "check",
        title="Battles beside fair points",
        found=answer,
        groups=[_pair(row, row["group"], counted(row["units"], "unit")) for row in answer.groups.to_dict("records")],
        armies=[_army(row) for row in rows],
    )


def _army(row: Mapping[Any, Any]) -> Pair:
    price = f"{row['role']} · {row['number']} × {row['points']} points, fair {row['fair_points']:.0f}"
    known = abs(row["off"]) >= DISAGREES and row["why"] not in (NO_REASON, TOO_FEW)
    return _pair(row, row["unit"], f"{price} · {row['why']}" if known else price)


def _pair(row: Mapping[Any, Any], name: str, note: str) -> Pair:
    wins, said = row["win_rate"], row["by_fair_points"]
    kind = "undecided" if abs(row["off"]) < DISAGREES / 2 else "under" if row["off"] > 0 else "over"
    told = f"{whole_percent(wins)} ({whole_percent(said)})"
    return Pair(kind, name, note, round(100 * wins, 1), round(100 * said, 1), told)
