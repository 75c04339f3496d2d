"""Best counters of an army to the units of its enemy, and enemy units that are hard to hurt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analyser.analysis.army_loadouts import ArmyLoadouts
from analyser.analysis.best_volleys import Volleys
from analyser.analysis.situations import SITUATIONS, Situation
from analyser.common.text import percent

LEAST_HURT = 0.05  # share of a unit; an attack that takes less hardly hurts it

HardTargetKind = Literal[
    "nothing can attack it", "nothing can hurt it", "hardly hurt", "nothing kills it", "hangs on one unit"
]
_ONE_COUNTER: HardTargetKind = "hangs on one unit"


class BestCounter(NamedTuple):
    """Best or second-best counter of a side to one enemy unit in one situation.

    `attacker` is None if no unit (for the second best: no other unit) can attack the target. `points_lost` is the
    target's expected loss: all its points if it is annihilated, otherwise its points times the share of it that is
    lost. `p_wins` is the probability that the attacker wins a duel; it is NaN for other situations.
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
        """True if the attack gains points (if points are unknown: if it hurts); None for a duel or no attacker."""
        if self.attacker is None or not np.isnan(self.p_wins):
            return None
        gain = self.points_lost - self.own_points_lost
        return self.share_lost > 0 if np.isnan(gain) else gain > 0

    def as_dict(self) -> dict[str, Any]:
        figures = {name: None if pd.isna(value) else value for name, value in self._asdict().items()}
        return figures | {"pays": self.pays}


class HardTarget(NamedTuple):
    """A unit that the enemy army cannot kill in a round, can hardly hurt, or can hurt with only one of its units.

    `best` is the mean share of the target that the best single attack destroys, and `by` is the attacker. For the kind
    ``nothing kills it``, `best` is the share that all shots together destroy, and `p_annihilated` the probability that
    they annihilate the target. If no unit can shoot at it, both figures are those of the best charge.
    """

    target: str
    kind: HardTargetKind
    best: float
    by: str
    situation: str
    p_annihilated: float | None = None

    def text(self, army: ArmyLoadouts, enemy: ArmyLoadouts, situations: str) -> str:
        """Return a sentence on how hard this unit of `enemy` is for `army`; `situations` is a limit, or empty."""
        target, whose = enemy.loadout_title(self.target), army.army.name
        if self.kind == "nothing can attack it":
            return f"Nothing in {whose} can {'attack' if situations else 'shoot at or charge'} {target}{situations}."
        if self.kind == "nothing can hurt it":
            return f"Nothing in {whose} can hurt {target}{situations}."
        if self.kind == "nothing kills it":
            where, chance = self.situation.replace("-", " "), percent(self.p_annihilated or 0.0)
            words = "not even all shots together: they destroy {} of its points ({}), probability of annihilation {}"
            if self.by:
                words = "and no shot can attack it: " + army.loadout_title(self.by)
                words += " destroys {} of its points ({}), probability of annihilation {}"
            words = words.format(percent(self.best), where, chance)
            return f"Nothing in {whose} kills {target} in a round{situations}, {words}."
        best = f"{army.loadout_title(self.by)} takes {percent(self.best)} of it ({self.situation.replace('-', ' ')})"
        if self.kind == "hardly hurt":
            return f"Nothing in {whose} takes {100 * LEAST_HURT:g}% of {target} in one attack{situations}: {best}."
        return f"Only one unit in {whose} takes {100 * LEAST_HURT:g}% of {target} in one attack{situations}: {best}."


def with_points_lost(frame: pd.DataFrame) -> pd.DataFrame:
    """Add the mean points that the defender and the attacker lose, as columns of a table of matchups."""
    share = frame["attacker_share_lost"].fillna(0.0).where(frame["why_not"].isna())
    attacker, defender = (frame[f"{side}_points"].astype(np.float64) for side in ("attacker", "defender"))
    return frame.assign(points_lost=defender * frame["mean_share_lost"], own_points_lost=(attacker * share).fillna(0.0))


def attack_values(part: pd.DataFrame) -> NDArray[np.float64]:
    """Return the value of each attack: points destroyed minus lost; for a duel its score (a draw counts half)."""
    if part["p_attacker_wins"].notna().any():
        return np.asarray(part["p_attacker_wins"] + part["p_draw"] / 2, np.float64)
    if part["points_lost"].isna().all():  # the profiles have no points, so shares are compared
        return np.asarray(part["mean_share_lost"], np.float64)
    return np.asarray(part["points_lost"] - part["own_points_lost"], np.float64)


def best_counters(frame: pd.DataFrame, situations: Sequence[Situation], rank: int = 0) -> tuple[BestCounter, ...]:
    """Return the best counter to each defender in each situation (`rank` 0), or the second best (`rank` 1).

    `frame` is the result of :func:`with_points_lost`. Of equally good attackers the first counts as best.
    """
    counters = []
    for target, rows in frame.groupby("defender", sort=False):
        for situation in situations:
            part = rows[rows["situation"] == situation.name]
            possible = part[part["why_not"].isna()]
            if len(possible) <= rank:
                why = "; ".join(dict.fromkeys(part["why_not"].dropna().astype(str)))
                why = why or "the army has no other unit"
                counters.append(BestCounter(str(target), situation.name, None, why_not=why))
                continue
            best: Any = possible.iloc[int(np.argsort(-attack_values(possible), kind="stable")[rank])]
            names = ("points_lost", "mean_share_lost", "p_annihilated", "own_points_lost", "p_attacker_wins")
            figures: list[Any] = [float(best[name]) for name in names]
            counters.append(BestCounter(str(target), situation.name, str(best["attacker"]), *figures))
    return tuple(counters)


def _names_of_attacks(situations: Iterable[Situation]) -> list[str]:
    return [situation.name for situation in situations if not situation.fight.has_winner]


def hard_targets(
    frame: pd.DataFrame, situations: Sequence[Situation], army: ArmyLoadouts, volleys: Sequence[Volleys]
) -> tuple[HardTarget, ...]:
    """Return the defenders that are hard targets for the shots and charges of the attacking `army`."""
    result, attacks = [], _names_of_attacks(situations)
    for target, rows in frame[frame["situation"].isin(attacks)].groupby("defender", sort=False):
        possible = rows[rows["why_not"].isna()]
        if possible.empty:
            result.append(HardTarget(str(target), "nothing can attack it", 0.0, "", ""))
            continue
        best: Any = possible.iloc[int(possible["mean_share_lost"].to_numpy(np.float64).argmax())]
        share, names = float(best["mean_share_lost"]), (str(best["attacker"]), str(best["situation"]))
        able = possible[possible["mean_share_lost"] >= LEAST_HURT]["attacker"].unique()
        if share <= 0:
            result.append(HardTarget(str(target), "nothing can hurt it", 0.0, *names))
        elif share < LEAST_HURT:
            result.append(HardTarget(str(target), "hardly hurt", share, *names))
        elif len(able) == 1 and army.count_of(able[0]) == 1:
            result.append(HardTarget(str(target), _ONE_COUNTER, share, *names))
        together = [
            (volley, assignment.situation.name)
            for assignment in volleys
            for volley in assignment.all_on_one
            if volley.target == target
        ]
        if not together or share <= 0:
            continue
        volley, where = max(together, key=lambda x: (bool(x[0].shots), x[0].p_annihilated, x[0].share_lost))
        if max(volley.p_annihilated, possible["p_annihilated"].max()) >= LEAST_HURT:
            continue
        if volley.shots:
            figures = volley.share_lost, "", where, volley.p_annihilated
        else:
            figures = share, *names, float(best["p_annihilated"])
        result.append(HardTarget(str(target), "nothing kills it", *figures))
    return tuple(result)


def hard_target_lines(
    targets: Sequence[HardTarget], situations: Sequence[Situation], army: ArmyLoadouts, enemy: ArmyLoadouts
) -> list[str]:
    """Return a sentence for each unit of `enemy` that is hard for `army`, or one sentence if there is none."""
    attacks = _names_of_attacks(situations)
    if not attacks:
        return [f"Hard targets for {army.army.name} are unknown: neither a shot nor a charge was requested."]
    is_all = set(attacks).issuperset(_names_of_attacks(SITUATIONS.values()))
    where = "" if is_all else f" (asked for: {', '.join(attacks).replace('-', ' ')})"
    lines = [target.text(army, enemy, where) for target in targets if target.kind != _ONE_COUNTER]
    if not lines:
        kinds = "the one kind of unit" if len(enemy.loadouts) == 1 else f"each of {len(enemy.loadouts)} kinds of units"
        what = f"something in {army.army.name} takes {100 * LEAST_HURT:g}% or more of {kinds}"
        lines = [f"No hard targets: {what} of {enemy.army.name} in one attack{where}."]
    return [*lines, *(target.text(army, enemy, where) for target in targets if target.kind == _ONE_COUNTER)]
