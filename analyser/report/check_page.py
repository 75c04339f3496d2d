"""Page of a cross-check of prices by battles: its conclusion, and every army."""

from __future__ import annotations

from analyser.analysis.battle_check import BalanceCheck
from analyser.common.answer import Block
from analyser.common.text import whole_percent
from analyser.report.shell import page_of


def check_page(answer: BalanceCheck) -> str:
    """Return the page of a cross-check as HTML, which opens offline."""
    first, *misfits = answer.blocks()
    rows = [
        [row["loadout"], row["role"], f"{row['number']}", f"{row['points']}", f"{row['fair_points']:.0f}"]
        + [whole_percent(row[name]) for name in ("win_rate", "win_rate_low", "win_rate_high", "by_fair_points")]
        + [f"{100 * row['off']:+.0f}", row["why"]]
        for row in answer.frame.to_dict("records")
    ]
    head = [
        "loadout",
        "role",
        "number",
        "points",
        "fair",
        "wins",
        "from",
        "to",
        "by fair points",
        "off",
        "explained by",
    ]
    return page_of(
        "check",
        title="Battles beside fair points",
        found=answer,
        how=" ".join(first.lines).removeprefix(answer.headline),
        misfits=misfits,
        armies=Block(head=head, rows=rows, align="<<>>>>>>>><"),
    )
