"""Balance: points efficiency compared with peers, odd matchups, and dominated loadouts."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from statistics import median
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analyser.analysis import equilibrium_prices
from analyser.common.estimates import SAME_WITHIN
from analyser.common.frames import name_indices
from analyser.common.metrics import EFFICIENCY
from analyser.game.keywords import distinct_keywords
from analyser.game.units import Loadout, Unit, unit_of

LEAST = 100 * equilibrium_prices.LEAST  # points destroyed per 100 points; smaller figures count as this in logarithms
LOW, HIGH = 2.5, 97.5  # percentiles: a 95% interval
DRAWS, SEED = 400, 0  # resampled sets of opponents
NORMAL = 1.4826  # standard deviations per median absolute deviation of a normal distribution
LEAST_RATIO = 2.0  # an outlier has at least this multiple of the expected value, or at most its inverse
DONE = ("expected_points_destroyed", "p_stopped", "p_annihilated")  # figures against its targets: more is better
SUFFERED = ("mean_models_destroyed", "p_stopped", "p_annihilated")  # figures of attacks on it: less is better
# Stopped is suppressed or annihilated: an annihilated unit is not suppressed, although the attack has done more.
Row = dict[Hashable, Any]  # of a table
_LOOKED_AT_FIRST = 64  # figures in the quick check of dominance
_SWEEPS = 10  # iterations of a median polish
_UNSEEN = {"Cryo", "Seismic", "Overcharge", "Full Steam Ahead", "Siegebreaker", "Turret", "Indirect", "Coruscating"}
"""Qualities without effect on any figure of a matchup."""
_LEAST_WRITTEN = 0.05  # points; smaller figures are written "nothing"
_LOADOUT = ["attacker", "attacker_unit", "attacker_level", "attacker_points"]
_EFFICIENCY = ["situation", "category", "targets", "efficiency", "median", "peers", "z"]
_PAIR = ["attacker", "attacker_unit", "defender", "defender_unit"]
_OUTLIER = ["situation", "also_in", "efficiency", "expected", "ratio", "attacker_usual", "defender_usual", "row", "why"]


def efficiency(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the points efficiency of every attacker on the targets of each category, in each situation.

    Peers are attackers with the same targets that destroy at least :data:`LEAST` points of these per 100 points.

    Parameters
    ----------
    frame : DataFrame
        As in :func:`analyser.matchups`.

    Returns
    -------
    DataFrame
        A row for each situation, category and attacker with points that can attack it: `attacker`, `attacker_unit`,
        `attacker_level`, `attacker_points`, `situation`, `category`, `targets` (their number). `efficiency` is the mean
        expected points destroyed per 100 points; `median` is that of its peers (NaN without peers), and `peers` is the
        number of their units. `z` is the robust z-score of log2 `efficiency` among the peers, NaN for a loadout that is
        not one of them.

    Examples
    --------
    >>> import analyser
    >>> found = efficiency(analyser.matchups("crown/*", "imperium/*", situations=["long-range"]).frame)
    >>> best = found[found["category"] == "light"].nlargest(1, "efficiency").iloc[0]
    >>> best["attacker"], round(float(best["efficiency"]), 1), round(float(best["median"]), 1)
    ('crown/rifle-platoon@reinforced', 95.1, 29.0)
    """
    meets = frame.groupby("attacker", sort=False)["defender"].agg(frozenset)
    parts = [
        _efficiency_of_one(part.reset_index(drop=True), str(situation), str(category))
        for (situation, category, _), part in frame.groupby(
            ["situation", "defender_category", frame["attacker"].map(meets)], sort=False
        )
    ]
    return pd.concat(parts, ignore_index=True).reindex(columns=[*_LOADOUT, *_EFFICIENCY])


def _efficiency_of_one(part: pd.DataFrame, situation: str, category: str) -> pd.DataFrame:
    """Return the efficiency in one situation on one category of targets."""
    able = part[part[EFFICIENCY].notna()]
    result = able.drop_duplicates("attacker")[_LOADOUT].reset_index(drop=True)
    if result.empty:
        return result
    means = able.groupby("attacker", sort=False)[EFFICIENCY].mean().to_numpy(np.float64)
    peer = means >= LEAST
    return result.assign(
        situation=situation,
        category=category,
        targets=able["defender"].nunique(),
        efficiency=means,
        median=np.median(means[peer]) if peer.any() else np.nan,
        peers=result["attacker"][peer].map(unit_of).nunique(),
        z=robust_z(np.log2(means, out=np.full(means.shape, np.nan), where=peer)),
    )


def robust_z(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the distance of each value from the median, in robust standard deviations (1.4826 MADs).

    NaN stays NaN. If at least half of the values are equal, these get 0 and all others NaN.

    >>> robust_z(np.array([1.0, 2.0, 3.0, 4.0, 50.0])).round(2).tolist()
    [-1.35, -0.67, 0.0, 0.67, 31.7]
    """
    if not np.isfinite(values).any():
        return np.full(values.shape, np.nan)
    away = values - np.nanmedian(values)
    away = np.where(np.abs(away) <= SAME_WITHIN, 0.0, away)
    spread = NORMAL * np.nanmedian(np.abs(away))
    with np.errstate(invalid="ignore", divide="ignore"):
        result = np.where(away == 0, 0.0, away / spread)
    return np.where(np.isinf(result), np.nan, result)


def weights(units: int, *, draws: int = DRAWS, seed: int = SEED) -> NDArray[np.float64]:
    """Return random weights of units: equally plausible sets of opponents (the Bayesian bootstrap, Rubin 1981).

    The shape is (draws, units). Each row adds up to 1 and is a draw from the flat Dirichlet distribution. A seed
    always gives the same weights.

    >>> weights(3, draws=2).sum(axis=1).round(12).tolist()
    [1.0, 1.0]
    """
    return np.random.default_rng(seed).dirichlet(np.ones(units), draws)


def outliers(frame: pd.DataFrame, loadouts: Sequence[Loadout] = ()) -> pd.DataFrame:
    """Return pairs of units whose efficiency is far from the value expected from both units' usual results.

    The expected value is the attacker's usual efficiency times the target's, from a median polish of the logarithm
    (Tukey 1977) among the targets of one category in one situation. It is at most the loss of the whole target. Figures
    of units are means over the levels of both. Figures below :data:`LEAST` count as :data:`LEAST`, because smaller
    values do not matter at a table and make ratios meaningless.

    Parameters
    ----------
    frame : DataFrame
        As in :func:`analyser.matchups`.
    loadouts : sequence of Loadout
        Loadouts of both sides, for the profile values in `why`. Default: `why` has figures alone.

    Returns
    -------
    DataFrame
        One row for each odd pair and direction: `attacker` and `defender` (units without a level), `attacker_unit`,
        `defender_unit`, the `situation` with the largest deviation, and the other ones in `also_in`; `efficiency`,
        `expected`, and their `ratio`, at least 2 or at most a half; `attacker_usual`, the attacker's median against
        other such targets, and `defender_usual`, the median of other attackers against the target (NaN without any);
        `row`, the attacker's row; and `why`, the reasons. The largest deviation is first, but units not yet listed come
        before those already listed.

    Examples
    --------
    >>> import analyser
    >>> odd = outliers(analyser.matchups("crown/*", "imperium/*", situations=["long-range"]).frame).iloc[0]
    >>> odd["attacker_unit"], odd["defender_unit"], round(float(odd["ratio"]), 1)
    ('Bors Heavy Bombards', 'Sturmwagen Transport', 2.2)
    """
    units = frame.assign(attacker=frame["attacker"].map(unit_of), defender=frame["defender"].map(unit_of))
    units["most"] = 100 * units["defender_points"] / units["attacker_points"].where(units["attacker_points"] > 0)
    groups = units.groupby([*_PAIR, "situation", "defender_category"], sort=False)
    means = groups[[EFFICIENCY, "most"]].mean().rename(columns={EFFICIENCY: "efficiency"})
    means["row"] = groups["row"].first() if "row" in units else None
    parts = means.reset_index().groupby(["situation", "defender_category"], sort=False)
    odd = pd.concat([_outliers_of_one(part) for _, part in parts], ignore_index=True)
    odd = odd.sort_values("surprise", ascending=False, kind="stable")
    more = odd["ratio"] > 1
    situations = odd.groupby(["attacker", "defender", more], sort=False)["situation"].agg(list)
    profiles = {unit_of(loadout.selector): loadout.unit for loadout in loadouts}
    rows = odd.assign(more=more).drop_duplicates(["attacker", "defender", "more"]).to_dict("records")
    for row in rows:
        row["also_in"] = ", ".join(situations[row["attacker"], row["defender"], row["more"]][1:])
        row["why"] = _why(row, profiles)
    return pd.DataFrame(_in_turns(rows), columns=[*_PAIR, *_OUTLIER])


def _outliers_of_one(means: pd.DataFrame) -> pd.DataFrame:
    """Return the outliers in one situation on one category of targets."""
    result = means[means["efficiency"].notna()]
    floored = result["efficiency"].clip(lower=LEAST)
    left: pd.Series[float] = np.log2(floored)
    sides = [result.groupby(side).ngroup() for side in ("attacker", "defender")]
    for side in sides * _SWEEPS:
        left = left - left.groupby(side).transform("median")
    expected = np.maximum(np.fmin(floored / 2**left, result["most"].astype(float)), LEAST)
    result = result.assign(
        expected=expected,
        ratio=floored / expected,
        surprise=np.abs(np.log2(floored / expected)),
        attacker_usual=result.groupby("attacker")["efficiency"].transform(_medians_of_others),
        defender_usual=result.groupby("defender")["efficiency"].transform(_medians_of_others),
    )
    usual = result[["attacker_usual", "defender_usual"]].min(axis=1)
    # Not surprising: others do as little, the attacker never does more, or no attacker does anything.
    little = (result["ratio"] < 1) & ((result["efficiency"] >= usual) | (usual < LEAST))
    far: pd.DataFrame = result[(result["surprise"] >= np.log2(LEAST_RATIO)) & ~little]
    return far


def _medians_of_others(figures: pd.Series[float]) -> list[float]:
    """Return for each figure the median of all other figures; NaN without others."""
    listed = figures.tolist()
    others = [listed[:place] + listed[place + 1 :] for place in range(len(listed))]
    return [median(other) if other else float("nan") for other in others]


def _in_turns(rows: list[Row]) -> list[Row]:
    """Return the rows reordered in turns: no unit appears a second time before every unit that can has appeared."""
    shown: list[Row] = []
    seen: Counter[str] = Counter()
    for turn in range(1, len(rows) + 1):
        later = []
        for row in rows:
            sides = {row["attacker"], row["defender"]}
            if all(seen[side] < turn for side in sides):
                shown.append(row)
                seen.update(sides)
            else:
                later.append(row)
        rows = later
    return shown


def _why(row: Row, units: Mapping[str, Unit]) -> str:
    """Return the reasons for an odd pair: usual figures of both sides, and qualities and rules of their profiles."""
    mine, theirs = row["attacker_usual"], row["defender_usual"]
    usual = [] if math.isnan(mine) else [f"{row['attacker_unit']} usually destroys {_points(mine)} of such targets"]
    usual += [] if math.isnan(theirs) else [f"others usually destroy {_points(theirs)} of {row['defender_unit']}"]
    reasons = [", ".join(usual)] if usual else []
    attacker, target = units.get(row["attacker"]), units.get(row["defender"])
    if attacker is not None and target is not None:
        if uses := attacker.row(str(row["row"])):
            reasons.append(f"it uses {uses.name}" + (f": {', '.join(uses.qualities)}" if uses.qualities else ""))
        rules = [rule for rule in target.rules if rule.term is not None and rule.term.side == "target"]
        has = [f"DEFENCE {target.defence}", f"DAMAGE LIMIT {target.damage_limit}", *rules]
        reasons.append(f"the target has {', '.join(has)}")
    return "; ".join(reasons)


def _points(figure: float) -> str:
    return f"{figure:.1f} points" if figure >= _LEAST_WRITTEN else "nothing"


def dominated(frame: pd.DataFrame, attackers: Sequence[Loadout] = ()) -> pd.DataFrame:
    """Return loadouts for which another costs no more and does at least as well in every matchup.

    Parameters
    ----------
    frame : DataFrame
        As in :func:`analyser.matchups`.
    attackers : sequence of Loadout
        Loadouts of the table, to compare profiles too. Default: profiles are not compared.

    Returns
    -------
    DataFrame
        `attacker`, `by`, `points_saved`, `counts` (``"attack"`` or ``"attack and defence"``) and `has_besides`, the
        properties of its profile that the other lacks. Of all that dominate it (:func:`dominations`), `by` lacks the
        fewest properties; ties go to the cheapest, then to the first.
    """
    result = dominations(frame, attackers)
    least = np.lexsort([-result["points_saved"], result["has_besides"].map(len)])
    best = result.iloc[least].drop_duplicates("attacker").sort_index()
    return best.assign(has_besides=best["has_besides"].map(", ".join)).reset_index(drop=True)


def dominations(frame: pd.DataFrame, attackers: Sequence[Loadout] = ()) -> pd.DataFrame:
    """Return every pair of loadouts in which one dominates the other.

    Both meet the same opponents. The better loadout costs no more and does as well on every target in every situation
    (:data:`DONE`). If both are also defenders of the table, it suffers no more from any attacker (:data:`SUFFERED`). In
    at least one figure, or in points, it is strictly better. In another faction it must also have every property of the
    profile, because properties that no figure counts are of use within a faction. Loadouts that do nothing have another
    purpose and are left out, as are pairs of different target categories.

    Arguments and columns are those of :func:`dominated`. `has_besides` is a tuple of the properties that only the
    dominated loadout has; it is empty without profiles.
    """
    sides = frame.drop_duplicates("attacker").dropna(subset=["attacker_points"])
    frame = frame.assign(p_stopped=frame["p_suppressed"] + frame["p_annihilated"])
    names, prices = sides["attacker"].tolist(), sides["attacker_points"].to_numpy(np.int64)
    # A missing figure is an attack that cannot be made: it counts as 0.
    done = _wide(frame, "attacker", "defender", DONE, names)
    # Models count as a share of the unit.
    shares = frame["mean_models_destroyed"] / frame["defender_models"].astype(float)
    suffered = _wide(frame.assign(mean_models_destroyed=shares), "defender", "attacker", SUFFERED, names)
    defends = pd.Series(names).isin(frame["defender"].unique()).to_numpy()
    profiles = {attacker.selector: attacker for attacker in attackers}
    result: list[tuple[str, str, int, str, tuple[str, ...]]] = []
    for same in _alike(frame, names):
        suffers = bool(defends[same].all())
        figures = np.hstack([done[same], -suffered[same]]) if suffers else done[same]
        counts = "attack and defence" if suffers else "attack"
        for place, by in _pairs(figures, prices[same], np.flatnonzero(done[same].any(axis=1))):
            one, other, saved = names[same[place]], names[same[by]], int(prices[same[place]] - prices[same[by]])
            mine, theirs = profiles.get(one), profiles.get(other)
            besides: tuple[str, ...] | None = None  # without profiles: unknown
            if mine is not None and theirs is not None:
                if mine.unit.category != theirs.unit.category:
                    continue
                besides = has_besides(mine, theirs)
            if besides == () or one.partition("/")[0] == other.partition("/")[0]:
                result.append((one, other, saved, counts, besides or ()))
    return pd.DataFrame(result, columns=["attacker", "by", "points_saved", "counts", "has_besides"])


def _alike(frame: pd.DataFrame, names: Sequence[str]) -> list[NDArray[np.int64]]:
    """Return the indices of loadouts that meet the same opponents, by group; only these can be compared."""
    met = frame.groupby("attacker")["defender"].agg(frozenset).to_dict()
    groups: dict[frozenset[str], list[int]] = {}
    for at, name in enumerate(names):
        groups.setdefault(met[name], []).append(at)
    return [np.array(group, np.int64) for group in groups.values()]


def _pairs(
    figures: NDArray[np.float64], prices: NDArray[np.int64], asked: NDArray[np.int64]
) -> Iterator[tuple[int, int]]:
    """Yield (index, other): for each of the `asked`, those as good in all figures, and better in one or cheaper."""
    first = figures[:, :: max(figures.shape[1] // _LOOKED_AT_FIRST, 1)].copy()  # a quick check that excludes nearly all
    for place in asked.tolist():
        others = np.flatnonzero((first >= first[place] - SAME_WITHIN).all(axis=1) & (prices <= prices[place]))
        theirs = figures[others]
        as_good = (theirs >= figures[place] - SAME_WITHIN).all(axis=1)
        better = (theirs > figures[place] + SAME_WITHIN).any(axis=1) | (prices[others] < prices[place])
        for other in others[as_good & better].tolist():
            yield place, other


def _wide(
    frame: pd.DataFrame, side: str, other: str, figures: tuple[str, ...], names: list[str]
) -> NDArray[np.float64]:
    """Return the figures of the matchups of `names`, on one side: shape (names, matchups x figures); 0 if missing."""
    rows = name_indices(frame[side], names)
    columns, kinds = pd.factorize(frame[other])[0], pd.factorize(frame["situation"])[0]
    result = np.zeros((len(names), columns.max(initial=0) + 1, kinds.max(initial=0) + 1, len(figures)))
    there = rows >= 0
    values = frame[list(figures)].to_numpy(np.float64)
    result[rows[there], columns[there], kinds[there]] = np.nan_to_num(values[there])
    return result.reshape(len(names), math.prod(result.shape[1:]))


def has_besides(one: Loadout, other: Loadout) -> tuple[str, ...]:
    """Return the properties on the profile of `one` that `other` lacks, in words; empty if it has all of them.

    >>> from analyser.game.profiles import Profiles
    >>> crown = Profiles()
    >>> command, rifles = (crown.loadout(f"crown/{name}@basic") for name in ("rifle-command-platoon", "rifle-platoon"))
    >>> has_besides(command, rifles)
    ('commander', 'Chain of Command (6)', 'Command Signals')
    """
    mine, theirs = one.unit, other.unit
    more: list[str] = [trait for trait in mine.traits if trait not in theirs.traits]
    more += [rule for rule in distinct_keywords(mine.rules) if rule not in distinct_keywords(theirs.rules)]
    if mine.category != theirs.category:
        more.append(f"{mine.category} target")
    if (mine.speed or 0) > (theirs.speed or 0):
        more.append(f"SPEED {mine.speed:g}")
    if one.level.models > other.level.models:
        more.append(f"{one.level.models} models")
    for name in ("defence", "damage_limit", "discipline"):
        if (getattr(mine, name) or 0) > (getattr(theirs, name) or 0):
            more.append(f"{name.replace('_', ' ').upper()} {getattr(mine, name)}")
    if (mine.break_limit or 0) < (theirs.break_limit or 0):
        more.append("no BREAK LIMIT" if mine.break_limit is None else f"BREAK LIMIT {mine.break_limit}")
    qualities = [{quality.name for row in unit.rows for quality in row.qualities} & _UNSEEN for unit in (mine, theirs)]
    more += sorted(qualities[0] - qualities[1])
    for row in mine.rows:  # rows that shoot at targets, or to distances, that no row of the other reaches
        reached = any(
            set(row.against) <= set(other.against) and (row.long_range or 0) <= (other.long_range or 0)
            for other in theirs.rows
        )
        more += [] if reached or row.kind != "ranged" else [f"{row.name} to {row.long_range:g} inches"]
    return tuple(more)
