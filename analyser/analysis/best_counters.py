"""Best counters of two armies to each other, and units without a counter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analyser.analysis.army_loadouts import Listed
from analyser.analysis.situations import SITUATIONS, Situation
from analyser.common.text import percent

HARDLY = 0.05  # share of a unit; a smaller loss in one attack hardly hurts it
_HALF = 0.5  # a draw counts as half a win

GapKind = Literal[
    "nothing can attack it", "nothing can hurt it", "hardly hurt", "nothing kills it", "hangs on one unit"
]
OPEN: tuple[GapKind, ...] = ("nothing can attack it", "nothing can hurt it", "hardly hurt", "nothing kills it")


class BestCounter(NamedTuple):
    """Best counter of a side to one enemy unit in one situation.

    Attributes
    ----------
    target : str
    situation : str
    attacker : str or None
        None if no unit can attack the target.
    points_lost : float
        Points that the target loses: all if it is annihilated, else the share that damage takes.
    share_lost, p_annihilated : float
    own_points_lost : float
        Points that the attacker loses; 0 for a ranged attack.
    p_wins : float
        Probability to win a duel; NaN for other situations.
    why_not : str
        Reason why there is no attacker.
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

    @property
    def pays(self) -> bool | None:
        """True if the attacker takes more points than it loses; None without an attacker, and for a duel."""
        if self.attacker is None or not np.isnan(self.p_wins):
            return None
        gain = self.points_lost - self.own_points_lost
        return self.share_lost > 0 if np.isnan(gain) else gain > 0

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as plain data."""
        figures = {name: None if pd.isna(value) else value for name, value in self._asdict().items()}
        return figures | {"pays": self.pays}


class Together(NamedTuple):
    """Result of all shots of a side at one target in a round, in the situation where they do most.

    `can` is True if any shot can attack the target.
    """

    share_lost: float
    p_annihilated: float
    situation: str
    can: bool = True


class Gap(NamedTuple):
    """A unit against which the other side can do little.

    `best` is the share that the best single attack takes, `by` its attacker and `situation` its situation. If nothing
    kills the unit, `best` is instead the share that all shots together take, and `p_annihilated` their chance to
    annihilate it. If no shot can attack it, both are those of the best charge.
    """

    target: str
    kind: GapKind
    best: float
    by: str
    situation: str
    p_annihilated: float | None = None

    def text(self, army: Listed, enemy: Listed, among: str = "") -> str:
        """Return the gap as a sentence: `army` lacks an attack on a unit of `enemy`, in the situations `among`."""
        target, whose = enemy.named(self.target), army.army.name
        if self.kind == "nothing can attack it":
            return f"Nothing in {whose} can {'attack' if among else 'shoot at or charge'} {target}{among}."
        if self.kind == "nothing can hurt it":
            return f"Nothing in {whose} can hurt {target}{among}."
        if self.kind == "nothing kills it":
            where, chance = self.situation.replace("-", " "), percent(self.p_annihilated or 0.0)
            words = "not even all shots together: they destroy {} of its points ({}), probability of annihilation {}"
            if self.by:
                words = "and no shot can attack it: " + army.named(self.by)
                words += " destroys {} of its points ({}), probability of annihilation {}"
            words = words.format(percent(self.best), where, chance)
            return f"Nothing in {whose} kills {target} in a round{among}, {words}."
        best = f"{army.named(self.by)} takes {percent(self.best)} of it ({self.situation.replace('-', ' ')})"
        if self.kind == "hardly hurt":
            return f"Nothing in {whose} takes {100 * HARDLY:g}% of {target} in one attack{among}: {best}."
        return f"Only one unit in {whose} takes {100 * HARDLY:g}% of {target} in one attack{among}: {best}."


def with_points(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table of matchups with the points that both sides lose as `points_lost` and `own_points_lost`."""
    own = frame["attacker_share_lost"].fillna(0.0).where(frame["why_not"].isna())
    attacker, defender = (frame[f"{side}_points"].astype(np.float64) for side in ("attacker", "defender"))
    return frame.assign(points_lost=defender * frame["mean_share_lost"], own_points_lost=(attacker * own).fillna(0.0))


def worth_of(part: pd.DataFrame, kind: str) -> NDArray[np.float64]:
    """Return the value of each attacker: the probability to win a duel, else points destroyed less points lost."""
    if kind == "duel":
        return np.asarray(part["p_attacker_wins"] + _HALF * part["p_draw"], np.float64)
    if part["points_lost"].isna().all():  # shares, because the profiles have no points
        return np.asarray(part["mean_share_lost"], np.float64)
    return np.asarray(part["points_lost"] - part["own_points_lost"], np.float64)


def best_counters(frame: pd.DataFrame, situations: Sequence[Situation], place: int = 0) -> list[BestCounter]:
    """Return the best counter to each defender in each situation; the second best for `place` 1.

    `frame` is the result of :func:`with_points`. Ties go to the first attacker.
    """
    counters = []
    for target, rows in frame.groupby("defender", sort=False):
        for situation in situations:
            part = rows[rows["situation"] == situation.name]
            can = part[part["why_not"].isna()]
            if len(can) <= place:
                why = "; ".join(dict.fromkeys(part["why_not"].dropna().astype(str)))
                counters.append(
                    BestCounter(str(target), situation.name, None, why_not=why or "the army has no other unit")
                )
                continue
            best: Any = can.iloc[int(np.argsort(-worth_of(can, situation.kind), kind="stable")[place])]
            counters.append(
                BestCounter(
                    str(target),
                    situation.name,
                    str(best["attacker"]),
                    float(best["points_lost"]),
                    float(best["mean_share_lost"]),
                    float(best["p_annihilated"]),
                    float(best["own_points_lost"]),
                    float(best["p_attacker_wins"]) if situation.kind == "duel" else np.nan,
                )
            )
    return counters


def gaps(
    frame: pd.DataFrame, situations: Sequence[Situation], army: Listed, together: Mapping[str, Together]
) -> list[Gap]:
    """Return the defenders against which the attackers, units of `army`, can do little by a shot or a charge.

    `together` is the result of all shots by target; it is empty without situations of shots.
    """
    attacks = [situation.name for situation in situations if situation.kind != "duel"]
    lacking = []
    for target, rows in frame[frame["situation"].isin(attacks)].groupby("defender", sort=False):
        can = rows[rows["why_not"].isna()]
        if can.empty:
            lacking.append(Gap(str(target), "nothing can attack it", 0.0, "", ""))
            continue
        best: Any = can.iloc[int(can["mean_share_lost"].to_numpy(np.float64).argmax())]
        share, names = float(best["mean_share_lost"]), (str(best["attacker"]), str(best["situation"]))
        able = can[can["mean_share_lost"] >= HARDLY]["attacker"].unique()
        if share <= 0:
            lacking.append(Gap(str(target), "nothing can hurt it", 0.0, *names))
        elif share < HARDLY:
            lacking.append(Gap(str(target), "hardly hurt", share, *names))
        elif len(able) == 1 and army.counts[[kind.selector for kind in army.kinds].index(able[0])] == 1:
            lacking.append(Gap(str(target), "hangs on one unit", share, *names))
        every = together.get(str(target))
        if every is not None and share > 0 and max(every.p_annihilated, can["p_annihilated"].max()) < HARDLY:
            lacking.append(
                Gap(str(target), "nothing kills it", every.share_lost, "", every.situation, every.p_annihilated)
                if every.can
                else Gap(str(target), "nothing kills it", share, *names, float(best["p_annihilated"]))
            )
    return lacking


def gap_lines(lacking: Sequence[Gap], situations: Sequence[Situation], army: Listed, enemy: Listed) -> list[str]:
    """Return the gaps as sentences, or one sentence if there are none, for the requested situations."""
    asked = [situation.name for situation in situations if situation.kind != "duel"]
    if not asked:
        return [f"Unknown for {army.army.name}: neither a shot nor a charge was requested."]
    every = {situation.name for situation in SITUATIONS.values() if situation.kind != "duel"}
    among = "" if every <= set(asked) else f" (asked for: {', '.join(asked).replace('-', ' ')})"
    lines = [gap.text(army, enemy, among) for gap in lacking if gap.kind in OPEN]
    if not lines:
        kinds = "the one kind of unit" if len(enemy.kinds) == 1 else f"each of {len(enemy.kinds)} kinds of units"
        what = f"something in {army.army.name} takes {100 * HARDLY:g}% or more of {kinds}"
        lines = [f"No gaps: {what} of {enemy.army.name} in one attack{among}."]
    return [*lines, *(gap.text(army, enemy, among) for gap in lacking if gap.kind not in OPEN)]
