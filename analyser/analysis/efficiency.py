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

LEAST_EFFICIENCY = 100 * equilibrium_prices.NEGLIGIBLE_LOSS  # points destroyed per 100 points; less is negligible
SD_BY_MAD = 1.4826  # standard deviation / median absolute deviation of a normal distribution
LEAST_RATIO = 2.0  # an outlier divided by its expected value is at least this, or at most 1 / this
# Figures of the attacks by a loadout (more is better), and of the attacks on it (less is better). `p_stopped` is
# P(suppressed) + P(annihilated) of the target; an annihilated unit does not count as suppressed.
INFLICTED_FIGURES = ("expected_points_destroyed", "p_stopped", "p_annihilated")
SUFFERED_FIGURES = ("mean_models_destroyed", "p_stopped", "p_annihilated")
TableRow = dict[Hashable, Any]
_FIGURES_CHECKED_FIRST = 64  # about this many figures are compared in the quick check of dominance
_SWEEPS = 10  # iterations of a median polish
_NO_EFFECT = {"Cryo", "Seismic", "Overcharge", "Full Steam Ahead", "Siegebreaker", "Turret", "Indirect", "Coruscating"}
"""Qualities whose benefit does not show in the compared figures, so they are compared by name."""
_LEAST_POINTS_SHOWN = 0.05  # smaller figures are written as "nothing"
_LOADOUT_COLUMNS = ["attacker", "attacker_unit", "attacker_level", "attacker_points"]
_EFFICIENCY_COLUMNS = ["situation", "category", "targets", "efficiency", "median", "peers", "z"]
_PAIR_COLUMNS = ["attacker", "attacker_unit", "defender", "defender_unit"]
_OUTLIER_COLUMNS = ["situation", "also_in", "efficiency", "expected", "ratio"]
_OUTLIER_COLUMNS += ["attacker_usual", "defender_usual", "row", "why"]


def efficiency(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the points efficiency of every attacker against the targets of each category, in each situation.

    `frame` is that of :func:`analyser.matchups`. `efficiency` is the mean expected points destroyed per 100 points.
    Peers are attackers with the same targets and an efficiency of at least :data:`LEAST_EFFICIENCY`. `median` is their
    median, `peers` the number of their units, and `z` the robust z-score of log2 `efficiency` among them.

    >>> import analyser
    >>> found = efficiency(analyser.matchups("crown/*", "imperium/*", situations=["long-range"]).frame)
    >>> best = found[found["category"] == "light"].nlargest(1, "efficiency").iloc[0]
    >>> best["attacker"], round(float(best["efficiency"]), 1), round(float(best["median"]), 1)
    ('crown/rifle-platoon@reinforced', 95.1, 29.0)
    """
    targets = frame.groupby("attacker", sort=False)["defender"].agg(frozenset)
    parts = [
        _efficiency_in_group(part.reset_index(drop=True), str(situation), str(category))
        for (situation, category, _), part in frame.groupby(
            ["situation", "defender_category", frame["attacker"].map(targets)], sort=False
        )
    ]
    return pd.concat(parts, ignore_index=True).reindex(columns=[*_LOADOUT_COLUMNS, *_EFFICIENCY_COLUMNS])


def _efficiency_in_group(part: pd.DataFrame, situation: str, category: str) -> pd.DataFrame:
    possible = part[part[EFFICIENCY].notna()]
    result = possible.drop_duplicates("attacker")[_LOADOUT_COLUMNS].reset_index(drop=True)
    if result.empty:
        return result
    means = possible.groupby("attacker", sort=False)[EFFICIENCY].mean().to_numpy(np.float64)
    is_peer = means >= LEAST_EFFICIENCY
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
    """Return (value - median) / robust standard deviation; if this deviation is 0, values off the median become NaN.

    >>> robust_z(np.array([1.0, 2.0, 3.0, 4.0, 50.0])).round(2).tolist()
    [-1.35, -0.67, 0.0, 0.67, 31.7]
    """
    if not np.isfinite(values).any():
        return np.full(values.shape, np.nan)
    distances = values - np.nanmedian(values)
    distances = np.where(np.abs(distances) <= SAME_WITHIN, 0.0, distances)
    spread = SD_BY_MAD * np.nanmedian(np.abs(distances))
    with np.errstate(invalid="ignore", divide="ignore"):
        result = np.where(distances == 0, 0.0, distances / spread)
    return np.where(np.isinf(result), np.nan, result)


def outliers(frame: pd.DataFrame, loadouts: Sequence[Loadout] = ()) -> pd.DataFrame:
    """Return pairs of units whose efficiency is far from the value that the other matchups of both units suggest.

    The expected value is the product of a factor for the attacker and a factor for the target, found by a median polish
    of the logarithms (Tukey 1977) among the targets of one category in one situation. It is at most that of destroying
    the whole target: 100 * points of the target / points of the attacker.

    `frame` is that of :func:`analyser.matchups`; `loadouts` are those of both sides, for the profile values in `why`.
    A pair has up to two rows: the situation farthest above its expected value, and the one farthest below; `also_in`
    names other unusual situations in the same direction. `ratio` is `efficiency` (at least :data:`LEAST_EFFICIENCY`)
    divided by `expected`: 2 or more, or a half or less. `attacker_usual` is the attacker's median against other targets
    of the category, `defender_usual` the median of other attackers against the target.

    >>> import analyser
    >>> odd = outliers(analyser.matchups("crown/*", "imperium/*", situations=["long-range"]).frame).iloc[0]
    >>> odd["attacker_unit"], odd["defender_unit"], round(float(odd["ratio"]), 1)
    ('Bors Heavy Bombards', 'Sturmwagen Transport', 2.2)
    """
    units = frame.assign(attacker=frame["attacker"].map(unit_of), defender=frame["defender"].map(unit_of))
    units["most"] = 100 * units["defender_points"] / units["attacker_points"].where(units["attacker_points"] > 0)
    groups = units.groupby([*_PAIR_COLUMNS, "situation", "defender_category"], sort=False)
    means = groups[[EFFICIENCY, "most"]].mean().rename(columns={EFFICIENCY: "efficiency"})
    means["row"] = groups["row"].first() if "row" in units else None
    parts = means.reset_index().groupby(["situation", "defender_category"], sort=False)
    outlying = pd.concat([_outliers_in_group(part) for _, part in parts], ignore_index=True)
    outlying = outlying.sort_values("surprise", ascending=False, kind="stable")
    is_above = outlying["ratio"] > 1
    situations = outlying.groupby(["attacker", "defender", is_above], sort=False)["situation"].agg(list)
    profiles = {unit_of(loadout.selector): loadout.unit for loadout in loadouts}
    rows = outlying.assign(is_above=is_above).drop_duplicates(["attacker", "defender", "is_above"]).to_dict("records")
    for row in rows:
        row["also_in"] = ", ".join(situations[row["attacker"], row["defender"], row["is_above"]][1:])
        row["why"] = _why(row, profiles)
    return pd.DataFrame(_in_turns(rows), columns=[*_PAIR_COLUMNS, *_OUTLIER_COLUMNS])


def _outliers_in_group(means: pd.DataFrame) -> pd.DataFrame:
    result = means[means["efficiency"].notna()]
    floored = result["efficiency"].clip(lower=LEAST_EFFICIENCY)
    residual: pd.Series[float] = np.log2(floored)
    group_numbers = [result.groupby(side).ngroup() for side in ("attacker", "defender")]
    for numbers in group_numbers * _SWEEPS:
        residual = residual - residual.groupby(numbers).transform("median")
    expected = np.maximum(np.fmin(floored / 2**residual, result["most"].astype(float)), LEAST_EFFICIENCY)
    result = result.assign(
        expected=expected,
        ratio=floored / expected,
        surprise=np.abs(np.log2(floored / expected)),
        attacker_usual=result.groupby("attacker")["efficiency"].transform(_medians_of_others),
        defender_usual=result.groupby("defender")["efficiency"].transform(_medians_of_others),
    )
    usual = result[["attacker_usual", "defender_usual"]].min(axis=1)
    # A low figure is no surprise if one of the usual figures is as low or negligible.
    is_expected = (result["ratio"] < 1) & ((result["efficiency"] >= usual) | (usual < LEAST_EFFICIENCY))
    outlying: pd.DataFrame = result[(result["surprise"] >= np.log2(LEAST_RATIO)) & ~is_expected]
    return outlying


def _medians_of_others(figures: pd.Series[float]) -> list[float]:
    """Return for each figure the median of all other figures; NaN without others."""
    values = figures.tolist()
    others = [values[:index] + values[index + 1 :] for index in range(len(values))]
    return [median(rest) if rest else float("nan") for rest in others]


def _in_turns(rows: list[TableRow]) -> list[TableRow]:
    """Reorder the rows, so that each unit appears once before any unit appears twice, and so on."""
    shown: list[TableRow] = []
    seen: Counter[str] = Counter()
    for turn in range(1, len(rows) + 1):
        later = []
        for row in rows:
            pair = {row["attacker"], row["defender"]}
            if all(seen[unit] < turn for unit in pair):
                shown.append(row)
                seen.update(pair)
            else:
                later.append(row)
        rows = later
    return shown


def _why(row: TableRow, units: Mapping[str, Unit]) -> str:
    """Return the reasons for an outlier: usual figures of both sides, and entries of their profiles."""
    by_attacker, on_target, usual = row["attacker_usual"], row["defender_usual"], []
    if not math.isnan(by_attacker):
        targets = f"other {row['defender_category']} targets"
        usual.append(f"{row['attacker_unit']} usually destroys {_points_text(by_attacker)} of {targets}")
    if not math.isnan(on_target):
        usual.append(f"other attackers usually destroy {_points_text(on_target)} of {row['defender_unit']}")
    reasons = [", ".join(usual)] if usual else []
    attacker, target = units.get(row["attacker"]), units.get(row["defender"])
    if attacker is not None and target is not None:
        if used := attacker.row(str(row["row"])):
            reasons.append(f"it uses {used.name}" + (f": {', '.join(used.qualities)}" if used.qualities else ""))
        rules = [rule for rule in target.rules if rule.term is not None and rule.term.side == "target"]
        defences = [f"DEFENCE {target.defence}", f"DAMAGE LIMIT {target.damage_limit}", *rules]
        reasons.append(f"the target has {', '.join(defences)}")
    return "; ".join(reasons)


def _points_text(figure: float) -> str:
    return f"{figure:.1f} points" if figure >= _LEAST_POINTS_SHOWN else "nothing"


def dominated(frame: pd.DataFrame, attackers: Sequence[Loadout] = ()) -> pd.DataFrame:
    """Return loadouts for which another loadout costs no more and does at least as well in every matchup.

    `frame` is that of :func:`analyser.matchups`. If `attackers` has the loadouts, their profiles are compared too. `by`
    is the dominating loadout that lacks the fewest properties of `attacker` (listed in `has_besides`); of several, the
    cheapest.
    """
    result = dominations(frame, attackers)
    order = np.lexsort([-result["points_saved"], result["has_besides"].map(len)])
    best = result.iloc[order].drop_duplicates("attacker").sort_index()
    return best.assign(has_besides=best["has_besides"].map(", ".join)).reset_index(drop=True)


def dominations(frame: pd.DataFrame, attackers: Sequence[Loadout] = ()) -> pd.DataFrame:
    """Return every pair of loadouts in which one dominates the other; arguments and columns as in :func:`dominated`.

    The better loadout costs no more, does at least as well on every target in every situation, and, if both defend,
    suffers no more from any attacker. It is better in some figure or in points. If the factions differ, it has every
    property of the worse loadout. Left out are loadouts without effect on any target, which have another purpose, and
    pairs of different categories, if `attackers` has both. `counts` names what was compared.
    """
    priced = frame.drop_duplicates("attacker").dropna(subset=["attacker_points"])
    frame = frame.assign(p_stopped=frame["p_suppressed"] + frame["p_annihilated"])
    names, prices = priced["attacker"].tolist(), priced["attacker_points"].to_numpy(np.int64)
    inflicted = _figures_of(frame, "attacker", "defender", INFLICTED_FIGURES, names)
    shares = frame["mean_models_destroyed"] / frame["defender_models"].astype(float)
    suffered = _figures_of(frame.assign(mean_models_destroyed=shares), "defender", "attacker", SUFFERED_FIGURES, names)
    defends = pd.Series(names).isin(frame["defender"].unique()).to_numpy()
    profiles = {attacker.selector: attacker for attacker in attackers}
    result: list[tuple[str, str, int, str, tuple[str, ...]]] = []
    # Only loadouts with equal opponents are compared.
    opponents = frame.groupby("attacker")["defender"].agg(frozenset)[names].to_numpy()
    for group in pd.Series(range(len(names))).groupby(opponents, sort=False).indices.values():
        all_defend = bool(defends[group].all())
        figures = np.hstack([inflicted[group], -suffered[group]]) if all_defend else inflicted[group]
        compared = "attack and defence" if all_defend else "attack"
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
                result.append((name, by, saved, compared, besides or ()))
    return pd.DataFrame(result, columns=["attacker", "by", "points_saved", "counts", "has_besides"])


def _dominated_pairs(
    figures: NDArray[np.float64], prices: NDArray[np.int64], indices: NDArray[np.int64]
) -> Iterator[tuple[int, int]]:
    """Yield each loadout in `indices` with each loadout that dominates it, both as indices."""
    sample = figures[:, :: max(figures.shape[1] // _FIGURES_CHECKED_FIRST, 1)].copy()  # for a quick check
    for index in indices.tolist():
        others = np.flatnonzero((sample >= sample[index] - SAME_WITHIN).all(axis=1) & (prices <= prices[index]))
        as_good = (figures[others] >= figures[index] - SAME_WITHIN).all(axis=1)
        better = (figures[others] > figures[index] + SAME_WITHIN).any(axis=1) | (prices[others] < prices[index])
        for other in others[as_good & better].tolist():
            yield index, other


def _figures_of(
    frame: pd.DataFrame, side: str, other: str, figures: tuple[str, ...], names: list[str]
) -> NDArray[np.float64]:
    """Return a row of matchup figures for each of `names` on `side`; an impossible attack counts as 0."""
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
    unit, other_unit = loadout.unit, other.unit
    missing: list[str] = [trait for trait in unit.traits if trait not in other_unit.traits]
    missing += [rule for rule in distinct_keywords(unit.rules) if rule not in distinct_keywords(other_unit.rules)]
    if unit.category != other_unit.category:
        missing.append(f"{unit.category} target")
    if (unit.speed or 0) > (other_unit.speed or 0):
        missing.append(f"SPEED {unit.speed:g}")
    if loadout.level.models > other.level.models:
        missing.append(f"{loadout.level.models} models")
    for name in ("defence", "damage_limit", "discipline"):
        if (getattr(unit, name) or 0) > (getattr(other_unit, name) or 0):
            missing.append(f"{name.replace('_', ' ').upper()} {getattr(unit, name)}")
    if (unit.break_limit or 0) < (other_unit.break_limit or 0):
        missing.append("no BREAK LIMIT" if unit.break_limit is None else f"BREAK LIMIT {unit.break_limit}")
    own, others = ({quality.name for row in one.rows for quality in row.qualities} for one in (unit, other_unit))
    missing += sorted((own - others) & _NO_EFFECT)
    for row in unit.rows:  # a ranged row is matched by a row of the other unit with all its targets and its range
        is_matched = any(
            set(row.against) <= set(similar.against) and (row.long_range or 0) <= (similar.long_range or 0)
            for similar in other_unit.rows
        )
        missing += [] if is_matched or row.kind != "ranged" else [f"{row.name} to {row.long_range:g} inches"]
    return tuple(missing)
