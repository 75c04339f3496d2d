"""Points efficiency compared with peers, unusual matchups, and dominated loadouts."""

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

LEAST = 100 * equilibrium_prices.LEAST  # points destroyed per 100 points; smaller figures are raised to this
LOW, HIGH = 2.5, 97.5  # percentiles of a 95% interval
DRAWS, SEED = 400, 0  # resampled sets of opponents
NORMAL = 1.4826  # standard deviations per median absolute deviation of a normal distribution
LEAST_RATIO = 2.0  # an outlier has at least this multiple of the expected value, or at most its inverse
# Figures of a loadout's attacks (more is better), and of attacks on it (less is better). Stopped means suppressed or
# annihilated: an annihilated unit is not suppressed, although the attack has done more.
INFLICTED = ("expected_points_destroyed", "p_stopped", "p_annihilated")
SUFFERED = ("mean_models_destroyed", "p_stopped", "p_annihilated")
TableRow = dict[Hashable, Any]
_CHECKED_FIRST = 64  # figures in the quick check of dominance
_SWEEPS = 10  # iterations of a median polish
_UNUSED = {"Cryo", "Seismic", "Overcharge", "Full Steam Ahead", "Siegebreaker", "Turret", "Indirect", "Coruscating"}
"""Qualities without effect on any figure of a matchup."""
_LEAST_POINTS = 0.05  # smaller figures are written "nothing"
_LOADOUT = ["attacker", "attacker_unit", "attacker_level", "attacker_points"]
_EFFICIENCY = ["situation", "category", "targets", "efficiency", "median", "peers", "z"]
_PAIR = ["attacker", "attacker_unit", "defender", "defender_unit"]
_OUTLIER = ["situation", "also_in", "efficiency", "expected", "ratio", "attacker_usual", "defender_usual", "row", "why"]


def efficiency(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the points efficiency of every attacker on the targets of each category, in each situation.

    Peers are attackers with the same targets that destroy at least :data:`LEAST` of their points per 100 points.
    `frame` is that of :func:`analyser.matchups`. The result has a row for each situation, category of targets, and
    attacker with points that can attack them: `attacker`, `attacker_unit`, `attacker_level`, `attacker_points`,
    `situation`, `category`, `targets` (their number). `efficiency` is the mean expected points destroyed per 100
    points, `median` the median efficiency of the peers (NaN without peers), and `peers` the number of their units. `z`
    is the robust z-score of log2 `efficiency` among the peers, NaN for an attacker that is not a peer.

    >>> import analyser
    >>> found = efficiency(analyser.matchups("crown/*", "imperium/*", situations=["long-range"]).frame)
    >>> best = found[found["category"] == "light"].nlargest(1, "efficiency").iloc[0]
    >>> best["attacker"], round(float(best["efficiency"]), 1), round(float(best["median"]), 1)
    ('crown/rifle-platoon@reinforced', 95.1, 29.0)
    """
    targets = frame.groupby("attacker", sort=False)["defender"].agg(frozenset)
    parts = [
        _efficiency_of_one(part.reset_index(drop=True), str(situation), str(category))
        for (situation, category, _), part in frame.groupby(
            ["situation", "defender_category", frame["attacker"].map(targets)], sort=False
        )
    ]
    return pd.concat(parts, ignore_index=True).reindex(columns=[*_LOADOUT, *_EFFICIENCY])


def _efficiency_of_one(part: pd.DataFrame, situation: str, category: str) -> pd.DataFrame:
    """Return the efficiency in one situation on one category of targets."""
    possible = part[part[EFFICIENCY].notna()]
    result = possible.drop_duplicates("attacker")[_LOADOUT].reset_index(drop=True)
    if result.empty:
        return result
    means = possible.groupby("attacker", sort=False)[EFFICIENCY].mean().to_numpy(np.float64)
    is_peer = means >= LEAST
    return result.assign(
        situation=situation,
        category=category,
        targets=possible["defender"].nunique(),
        efficiency=means,
        median=np.median(means[is_peer]) if is_peer.any() else np.nan,
        peers=result["attacker"][is_peer].map(unit_of).nunique(),
        z=robust_z(np.log2(means, out=np.full(means.shape, np.nan), where=is_peer)),
    )


def robust_z(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the distance of each value from the median, in robust standard deviations (1.4826 MADs).

    NaN stays NaN. If at least half of the values are equal, their distance is 0, and that of all others NaN.

    >>> robust_z(np.array([1.0, 2.0, 3.0, 4.0, 50.0])).round(2).tolist()
    [-1.35, -0.67, 0.0, 0.67, 31.7]
    """
    if not np.isfinite(values).any():
        return np.full(values.shape, np.nan)
    distances = values - np.nanmedian(values)
    distances = np.where(np.abs(distances) <= SAME_WITHIN, 0.0, distances)
    spread = NORMAL * np.nanmedian(np.abs(distances))
    with np.errstate(invalid="ignore", divide="ignore"):
        result = np.where(distances == 0, 0.0, distances / spread)
    return np.where(np.isinf(result), np.nan, result)


def bootstrap_weights(units: int, *, draws: int = DRAWS, seed: int = SEED) -> NDArray[np.float64]:
    """Return random weights of units, shape (draws, units), by the Bayesian bootstrap (Rubin 1981).

    Each row is a draw from the flat Dirichlet distribution, and adds up to 1. A seed always gives the same weights.

    >>> bootstrap_weights(3, draws=2).sum(axis=1).round(12).tolist()
    [1.0, 1.0]
    """
    return np.random.default_rng(seed).dirichlet(np.ones(units), draws)


def outliers(frame: pd.DataFrame, loadouts: Sequence[Loadout] = ()) -> pd.DataFrame:
    """Return pairs of units whose efficiency is far from the value that the other results of both units suggest.

    The expected value is the product of a factor for the attacker and one for the target, from a median polish of the
    logarithms (Tukey 1977) among the targets of one category in one situation. It is at most the loss of the whole
    target. Figures of units are means over the levels of both. Figures below :data:`LEAST` count as :data:`LEAST`,
    because smaller values do not matter in a game and make ratios meaningless.

    `frame` is that of :func:`analyser.matchups`; `loadouts` are those of both sides, for the profile values in `why`.
    The result has one row for each such pair, with more or with less efficiency: `attacker` and `defender` (units
    without a level), `attacker_unit`, `defender_unit`, the `situation` with the largest deviation, and the other ones
    in `also_in`; `efficiency`, `expected`, and their `ratio`, at least 2 or at most a half; `attacker_usual`, the
    attacker's median against other targets of the category, and `defender_usual`, the median of other attackers against
    the target (NaN without others); `row`, the attacker's row; and `why`, the reasons. The largest deviation is first,
    but each unit appears once before any unit appears again.

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
    far = pd.concat([_outliers_of_one(part) for _, part in parts], ignore_index=True)
    far = far.sort_values("surprise", ascending=False, kind="stable")
    more = far["ratio"] > 1
    situations = far.groupby(["attacker", "defender", more], sort=False)["situation"].agg(list)
    profiles = {unit_of(loadout.selector): loadout.unit for loadout in loadouts}
    rows = far.assign(more=more).drop_duplicates(["attacker", "defender", "more"]).to_dict("records")
    for row in rows:
        row["also_in"] = ", ".join(situations[row["attacker"], row["defender"], row["more"]][1:])
        row["why"] = _why(row, profiles)
    return pd.DataFrame(_in_turns(rows), columns=[*_PAIR, *_OUTLIER])


def _outliers_of_one(means: pd.DataFrame) -> pd.DataFrame:
    """Return the outliers in one situation on one category of targets."""
    result = means[means["efficiency"].notna()]
    floored = result["efficiency"].clip(lower=LEAST)
    residual: pd.Series[float] = np.log2(floored)
    sides = [result.groupby(side).ngroup() for side in ("attacker", "defender")]
    for side in sides * _SWEEPS:
        residual = residual - residual.groupby(side).transform("median")
    expected = np.maximum(np.fmin(floored / 2**residual, result["most"].astype(float)), LEAST)
    result = result.assign(
        expected=expected,
        ratio=floored / expected,
        surprise=np.abs(np.log2(floored / expected)),
        attacker_usual=result.groupby("attacker")["efficiency"].transform(_medians_of_others),
        defender_usual=result.groupby("defender")["efficiency"].transform(_medians_of_others),
    )
    usual = result[["attacker_usual", "defender_usual"]].min(axis=1)
    # A low figure is no surprise if others do as little, or the attacker never does more, or no attacker does anything.
    is_expected = (result["ratio"] < 1) & ((result["efficiency"] >= usual) | (usual < LEAST))
    far: pd.DataFrame = result[(result["surprise"] >= np.log2(LEAST_RATIO)) & ~is_expected]
    return far


def _medians_of_others(figures: pd.Series[float]) -> list[float]:
    """Return for each figure the median of all other figures; NaN without others."""
    values = figures.tolist()
    others = [values[:index] + values[index + 1 :] for index in range(len(values))]
    return [median(rest) if rest else float("nan") for rest in others]


def _in_turns(rows: list[TableRow]) -> list[TableRow]:
    """Return the rows reordered: first those with units that have not appeared yet, then those with one appearance."""
    shown: list[TableRow] = []
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


def _why(row: TableRow, units: Mapping[str, Unit]) -> str:
    """Return the reasons for an outlier: usual figures of both sides, and qualities and rules of their profiles."""
    by_attacker, on_target, usual = row["attacker_usual"], row["defender_usual"], []
    if not math.isnan(by_attacker):
        usual.append(f"{row['attacker_unit']} usually destroys {_points(by_attacker)} of such targets")
    if not math.isnan(on_target):
        usual.append(f"others usually destroy {_points(on_target)} of {row['defender_unit']}")
    reasons = [", ".join(usual)] if usual else []
    attacker, target = units.get(row["attacker"]), units.get(row["defender"])
    if attacker is not None and target is not None:
        if used := attacker.row(str(row["row"])):
            reasons.append(f"it uses {used.name}" + (f": {', '.join(used.qualities)}" if used.qualities else ""))
        rules = [rule for rule in target.rules if rule.term is not None and rule.term.side == "target"]
        defences = [f"DEFENCE {target.defence}", f"DAMAGE LIMIT {target.damage_limit}", *rules]
        reasons.append(f"the target has {', '.join(defences)}")
    return "; ".join(reasons)


def _points(figure: float) -> str:
    return f"{figure:.1f} points" if figure >= _LEAST_POINTS else "nothing"


def dominated(frame: pd.DataFrame, attackers: Sequence[Loadout] = ()) -> pd.DataFrame:
    """Return loadouts for which another loadout costs no more and does at least as well in every matchup.

    `frame` is that of :func:`analyser.matchups`. Profiles are compared too if `attackers` has the loadouts. The columns
    are `attacker`, the dominated loadout; `by`, the other one; `points_saved`; `counts` (``"attack"`` or ``"attack and
    defence"``); and `has_besides`, the properties on the profile of `attacker` that `by` lacks. If several loadouts
    dominate it (:func:`dominations`), `by` lacks the fewest properties; ties go to the cheapest, then the first.
    """
    result = dominations(frame, attackers)
    least = np.lexsort([-result["points_saved"], result["has_besides"].map(len)])
    best = result.iloc[least].drop_duplicates("attacker").sort_index()
    return best.assign(has_besides=best["has_besides"].map(", ".join)).reset_index(drop=True)


def dominations(frame: pd.DataFrame, attackers: Sequence[Loadout] = ()) -> pd.DataFrame:
    """Return every pair of loadouts in which one dominates the other; arguments and columns of :func:`dominated`.

    Both fight the same opponents. The better loadout costs no more and does as well on every target in every situation
    (:data:`INFLICTED`). If both are also defenders of the table, it suffers no more from any attacker
    (:data:`SUFFERED`). In at least one figure, or in points, it is strictly better. If it is of another faction, it
    must also have every property of the other profile, because properties that no figure counts are useful within a
    faction. Loadouts without effect have another purpose and are left out, as are pairs of different target categories.

    `has_besides` is a tuple of the properties that only the dominated loadout has; it is empty without profiles.
    """
    sides = frame.drop_duplicates("attacker").dropna(subset=["attacker_points"])
    frame = frame.assign(p_stopped=frame["p_suppressed"] + frame["p_annihilated"])
    names, prices = sides["attacker"].tolist(), sides["attacker_points"].to_numpy(np.int64)
    inflicted = _figures_of(frame, "attacker", "defender", INFLICTED, names)
    shares = frame["mean_models_destroyed"] / frame["defender_models"].astype(float)
    suffered = _figures_of(frame.assign(mean_models_destroyed=shares), "defender", "attacker", SUFFERED, names)
    defends = pd.Series(names).isin(frame["defender"].unique()).to_numpy()
    profiles = {attacker.selector: attacker for attacker in attackers}
    result: list[tuple[str, str, int, str, tuple[str, ...]]] = []
    for group in _with_same_opponents(frame, names):
        all_defend = bool(defends[group].all())
        figures = np.hstack([inflicted[group], -suffered[group]]) if all_defend else inflicted[group]
        counts = "attack and defence" if all_defend else "attack"
        for index, better in _dominated_pairs(figures, prices[group], np.flatnonzero(inflicted[group].any(axis=1))):
            name, by = names[group[index]], names[group[better]]
            saved = int(prices[group[index]] - prices[group[better]])
            loadout, other = profiles.get(name), profiles.get(by)
            besides: tuple[str, ...] | None = None  # unknown without profiles
            if loadout is not None and other is not None:
                if loadout.unit.category != other.unit.category:
                    continue
                besides = missing_properties(loadout, other)
            if besides == () or name.partition("/")[0] == by.partition("/")[0]:
                result.append((name, by, saved, counts, besides or ()))
    return pd.DataFrame(result, columns=["attacker", "by", "points_saved", "counts", "has_besides"])


def _with_same_opponents(frame: pd.DataFrame, names: Sequence[str]) -> list[NDArray[np.int64]]:
    """Return groups of the indices of loadouts that fight the same opponents; only these can be compared."""
    opponents = frame.groupby("attacker")["defender"].agg(frozenset).to_dict()
    groups: dict[frozenset[str], list[int]] = {}
    for index, name in enumerate(names):
        groups.setdefault(opponents[name], []).append(index)
    return [np.array(group, np.int64) for group in groups.values()]


def _dominated_pairs(
    figures: NDArray[np.float64], prices: NDArray[np.int64], indices: NDArray[np.int64]
) -> Iterator[tuple[int, int]]:
    """Yield each of `indices` with each other index that is as good in all figures, and better in one or cheaper."""
    sample = figures[:, :: max(figures.shape[1] // _CHECKED_FIRST, 1)].copy()  # a quick check that excludes nearly all
    for index in indices.tolist():
        others = np.flatnonzero((sample >= sample[index] - SAME_WITHIN).all(axis=1) & (prices <= prices[index]))
        as_good = (figures[others] >= figures[index] - SAME_WITHIN).all(axis=1)
        better = (figures[others] > figures[index] + SAME_WITHIN).any(axis=1) | (prices[others] < prices[index])
        for other in others[as_good & better].tolist():
            yield index, other


def _figures_of(
    frame: pd.DataFrame, side: str, other: str, figures: tuple[str, ...], names: list[str]
) -> NDArray[np.float64]:
    """Return the figures of the matchups with `names` on one side: shape (names, matchups x figures).

    An impossible attack counts as 0.
    """
    rows = name_indices(frame[side], names)
    columns, kinds = pd.factorize(frame[other])[0], pd.factorize(frame["situation"])[0]
    result = np.zeros((len(names), columns.max(initial=0) + 1, kinds.max(initial=0) + 1, len(figures)))
    wanted = rows >= 0
    values = frame[list(figures)].to_numpy(np.float64)
    result[rows[wanted], columns[wanted], kinds[wanted]] = np.nan_to_num(values[wanted])
    return result.reshape(len(names), math.prod(result.shape[1:]))


def missing_properties(loadout: Loadout, other: Loadout) -> tuple[str, ...]:
    """Return in words the properties on the profile of `loadout` that `other` lacks.

    >>> from analyser.game.profiles import Profiles
    >>> crown = Profiles()
    >>> command, rifles = (crown.loadout(f"crown/{name}@basic") for name in ("rifle-command-platoon", "rifle-platoon"))
    >>> missing_properties(command, rifles)
    ('commander', 'Chain of Command (6)', 'Command Signals')
    """
    mine, theirs = loadout.unit, other.unit
    more: list[str] = [trait for trait in mine.traits if trait not in theirs.traits]
    more += [rule for rule in distinct_keywords(mine.rules) if rule not in distinct_keywords(theirs.rules)]
    if mine.category != theirs.category:
        more.append(f"{mine.category} target")
    if (mine.speed or 0) > (theirs.speed or 0):
        more.append(f"SPEED {mine.speed:g}")
    if loadout.level.models > other.level.models:
        more.append(f"{loadout.level.models} models")
    for name in ("defence", "damage_limit", "discipline"):
        if (getattr(mine, name) or 0) > (getattr(theirs, name) or 0):
            more.append(f"{name.replace('_', ' ').upper()} {getattr(mine, name)}")
    if (mine.break_limit or 0) < (theirs.break_limit or 0):
        more.append("no BREAK LIMIT" if mine.break_limit is None else f"BREAK LIMIT {mine.break_limit}")
    own, others = ({quality.name for row in unit.rows for quality in row.qualities} for unit in (mine, theirs))
    more += sorted((own - others) & _UNUSED)
    for row in mine.rows:  # rows for which no row of the other has the same targets and at least the same range
        reached = any(
            set(row.against) <= set(similar.against) and (row.long_range or 0) <= (similar.long_range or 0)
            for similar in theirs.rows
        )
        more += [] if reached or row.kind != "ranged" else [f"{row.name} to {row.long_range:g} inches"]
    return tuple(more)
