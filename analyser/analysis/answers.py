"""Of two armies: who is the best answer to whom, and what nobody can hurt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analyser.analysis.lists import Listed
from analyser.analysis.situations import Situation
from analyser.common.text import counted, percent

HARDLY = 0.05  # of a unit: what takes less of it in one attack hardly hurts it
_HALF = 0.5  # of a draw counts as won

GapKind = Literal["nothing can attack it", "nothing can hurt it", "hardly hurt", "hangs on one unit"]
OPEN: tuple[GapKind, ...] = ("nothing can attack it", "nothing can hurt it", "hardly hurt")


class Answer(NamedTuple):
    """The best that a side has against one unit of the other in one situation.

    Attributes
    ----------
    target : str
    situation : str
    attacker : str or None
        None where nobody can do that.
    points_lost : float
        What the target loses of its points: all if it is annihilated, else the share that damage takes.
    share_lost, p_annihilated : float
    own_points_lost : float
        What it costs the attacker; 0 for a ranged attack.
    p_wins : float
        Of a duel: the probability to win it, and half of that to draw. NaN elsewhere.
    why_not : str
        Where there is no attacker: why.
    """

    target: str
    situation: str
    attacker: str | None
    points_lost: float = np.nan
    share_lost: float = np.nan
    p_annihilated: float = np.nan
    own_points_lost: float = np.nan
    p_wins: float = np.nan
    why_not: str = ""


class Gap(NamedTuple):
    """A unit that the other side can do little about.

    `best` is the share of it that the best single attack takes, `by` whose attack that is and in which situation.
    """

    target: str
    kind: GapKind
    best: float
    by: str
    situation: str

    def text(self, army: Listed, enemy: Listed) -> str:
        """The gap as a sentence; `army` is whose attacks are missing, `enemy` whose unit it is."""
        target, whose = enemy.named(self.target), army.army.name
        if self.kind == "nothing can attack it":
            return f"Nothing in {whose} can shoot at or charge {target}."
        if self.kind == "nothing can hurt it":
            return f"Nothing in {whose} can hurt {target}."
        best = f"{army.named(self.by)} takes {percent(self.best)} of it ({self.situation.replace('-', ' ')})"
        if self.kind == "hardly hurt":
            return f"Nothing in {whose} takes {100 * HARDLY:g}% of {target} in one attack: {best}."
        return f"Only one unit in {whose} takes {100 * HARDLY:g}% of {target} in one attack: {best}."


def with_points(frame: pd.DataFrame) -> pd.DataFrame:
    """A table of matchups with what both sides lose of their points: `points_lost` and `own_points_lost`."""
    own = frame["attacker_share_lost"].fillna(0.0).where(frame["why_not"].isna())
    attacker, defender = (frame[f"{side}_points"].astype(np.float64) for side in ("attacker", "defender"))
    return frame.assign(points_lost=defender * frame["mean_share_lost"], own_points_lost=(attacker * own).fillna(0.0))


def worth_of(part: pd.DataFrame, kind: str) -> NDArray[np.float64]:
    """What makes one answer better than another: the chance to win a duel, else what it takes more than it costs."""
    if kind == "duel":
        return np.asarray(part["p_attacker_wins"] + _HALF * part["p_draw"], np.float64)
    if part["points_lost"].isna().all():  # without points: shares
        return np.asarray(part["mean_share_lost"], np.float64)
    return np.asarray(part["points_lost"] - part["own_points_lost"], np.float64)


def answers(frame: pd.DataFrame, situations: Sequence[Situation]) -> list[Answer]:
    """The best answer to each defender in each situation, of equals the first; `frame` as of :func:`with_points`."""
    found = []
    for target, rows in frame.groupby("defender", sort=False):
        for situation in situations:
            part = rows[rows["situation"] == situation.name]
            can = part[part["why_not"].isna()]
            if can.empty:
                why = "; ".join(dict.fromkeys(part["why_not"].astype(str)))
                found.append(Answer(str(target), situation.name, None, why_not=why))
                continue
            worth = worth_of(can, situation.kind)
            best: Any = can.iloc[int(worth.argmax())]
            found.append(
                Answer(
                    str(target),
                    situation.name,
                    str(best["attacker"]),
                    float(best["points_lost"]),
                    float(best["mean_share_lost"]),
                    float(best["p_annihilated"]),
                    float(best["own_points_lost"]),
                    float(worth.max()) if situation.kind == "duel" else np.nan,
                )
            )
    return found


def gaps(frame: pd.DataFrame, situations: Sequence[Situation], army: Listed) -> list[Gap]:
    """The defenders that the attackers, those of `army`, can do little about by a shot or a charge."""
    attacks = [each.name for each in situations if each.kind != "duel"]
    found = []
    for target, rows in frame[frame["situation"].isin(attacks)].groupby("defender", sort=False):
        can = rows[rows["why_not"].isna()]
        if can.empty:
            found.append(Gap(str(target), "nothing can attack it", 0.0, "", ""))
            continue
        best: Any = can.iloc[int(can["mean_share_lost"].to_numpy(np.float64).argmax())]
        share, names = float(best["mean_share_lost"]), (str(best["attacker"]), str(best["situation"]))
        able = can[can["mean_share_lost"] >= HARDLY]["attacker"].unique()
        if share <= 0:
            found.append(Gap(str(target), "nothing can hurt it", 0.0, *names))
        elif share < HARDLY:
            found.append(Gap(str(target), "hardly hurt", share, *names))
        elif len(able) == 1 and army.counts[[each.selector for each in army.kinds].index(able[0])] == 1:
            found.append(Gap(str(target), "hangs on one unit", share, *names))
    return found


def gap_lines(found: Sequence[Gap], army: Listed, enemy: Listed) -> list[str]:
    """Gaps as sentences; that there are none is one, too."""
    lines = [each.text(army, enemy) for each in found if each.kind in OPEN]
    if not lines:
        kinds = counted(len(enemy.kinds), "kind of unit", "kinds of units")
        lines = [f"{army.army.name} can take {100 * HARDLY:g}% or more of each of {kinds} of {enemy.army.name}."]
    return [*lines, *(each.text(army, enemy) for each in found if each.kind not in OPEN)]
