"""The fewest price changes that bring prices near the fair prices, found by integer programming."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from analyser.analysis.prices import ALL_LOADOUTS, JudgedAnswer, counts_of, matchups_of_all
from analyser.analysis.selection import Selectors
from analyser.analysis.situations import EXCHANGES, Situation
from analyser.analysis.standing import Standings
from analyser.analysis.verdict import WRONG_AT
from analyser.common.answer import Block
from analyser.common.errors import InputError, check_integer
from analyser.common.integer_programming import solve_programme
from analyser.common.kernel_records import Floats
from analyser.common.method_settings import Progress
from analyser.common.text import counted, fill
from analyser.game.profiles import ProfilesLike
from analyser.game.units import Loadout, unit_of

TODAY_INDEX = 0  # index of today's price among the candidate prices of a loadout
CANDIDATES_EACH_WAY = 6  # candidate prices below, and above, the candidate nearest to the fair price
_MOST_SECONDS = 20.0  # time limit of the integer programme
_TIE_BREAK = 1e-4  # weight of the secondary objective, which breaks ties


@dataclass(frozen=True, eq=False, repr=False)
class PriceChanges(JudgedAnswer):
    """Price changes, with the effect of each.

    Attributes
    ----------
    frame : DataFrame
        One row for each change, the largest effect first; `improvement` is the reduction of the mean distance
        from fair points by this change.
    loadouts : int
        Number of loadouts whose prices could change.
    distance_before, distance_after, within : float
        Mean distance of their points from fair points, and the distance to reach (None: the smallest); 0.1 is 10%.
    counts_before, counts_after : dict of str to int
        Number of loadouts with each verdict.
    """

    frame: pd.DataFrame
    loadouts: int
    distance_before: float
    distance_after: float
    within: float | None
    counts_before: dict[str, int]
    counts_after: dict[str, int]

    schema = "analyser/price-changes/1"

    @property
    def headline(self) -> str:
        changes = counted(len(self.frame), "price change")
        verb = "brings" if len(self.frame) == 1 else "bring"
        change = f"{self.distance_before:.1%} to {self.distance_after:.1%}"
        short = self.within is not None and self.distance_after > self.within
        missed = f"; {self.within:.1%} was not reached" if short else ""
        return f"{changes} {verb} the mean distance from fair prices from {change}{missed}."

    def _figures(self) -> dict[str, Any]:
        names = ("loadouts", "distance_before", "distance_after", "within", "counts_before", "counts_after")
        return {name: getattr(self, name) for name in names} | {"changes": self.frame.to_dict("records")}

    def blocks(self) -> list[Block]:
        counts = "; ".join(
            f"{when} " + ", ".join(f"{count} {verdict}" for verdict, count in result.items())
            for when, result in (("before:", self.counts_before), ("after:", self.counts_after))
        )
        head = ["", "points", "new", "fair", "verdict", "then", "improvement"]
        rows = [
            [name, str(points), str(new), f"{fair:.0f}", verdict, then, f"{100 * improvement:.2f} pp"]
            for name, points, new, fair, verdict, then, improvement in self.frame.itertuples(index=False)
        ]
        lines = fill(f"{self.headline} Of {counted(self.loadouts, 'loadout')}, {counts}.")
        table = [Block(head=head, rows=rows, align="<>>><<>")] if rows else []
        return [Block(lines=[*lines, *fill(f"{self.judged}.")]), *table]


def rebalance(
    units: Selectors = ALL_LOADOUTS,
    *,
    step: int = 5,
    most_changes: int = 12,
    within: float | None = None,
    against: Selectors = ALL_LOADOUTS,
    situations: str | Situation | Sequence[Situation | str] = EXCHANGES,
    profiles: ProfilesLike | None = None,
    threads: int | None = None,
    progress: Progress | bool | None = None,
) -> PriceChanges:
    """Return the fewest price changes that bring the mean distance from fair prices within a limit.

    Changes are chosen by today's fair prices (:func:`analyser.fair_points`). Verdicts and the mean distance are then
    computed again. A level that costs at most as much as the next larger level of its unit still does so after the
    changes, if both prices can change.

    Parameters
    ----------
    units : str, Loadout, or several of them
        Loadouts whose prices may change.
    step : int
        Prices change by multiples of this number of points.
    most_changes : int
        Largest number of prices to change.
    within : float, optional
        Mean distance from fair prices to reach; 0.1 is 10%. Default: the smallest possible.
    against, situations, profiles, threads, progress
        As in :func:`analyser.fair_points`.

    Examples
    --------
    >>> options = {"against": "*/*@basic", "situations": ["long-range"]}
    >>> found = rebalance("crown/*@basic", most_changes=2, **options)
    >>> len(found.frame), found.distance_after < found.distance_before
    (2, True)
    """
    check_integer(step, "step", 1, 1000)
    check_integer(most_changes, "most_changes", 1, 1000)
    if within is not None and not 0 <= within <= 1:
        raise InputError(f"{within:g} is not usable", where="within", allowed="0 to 1; 0.1 is 10%")
    table, ours, opponents = matchups_of_all(units, against, situations, profiles, threads, progress)
    before = Standings(table, opponents)
    frame = _reliable_rows(before, ours)
    if frame.empty:
        raise InputError("none of these loadouts has a fair price", where="units", allowed="loadouts with points")
    priced = [ours[name] for name in frame["loadout"]]
    distances, prices = _candidates(frame, step)
    chosen = _choose_prices(distances, prices, priced, most_changes, within)
    new = prices[np.arange(len(priced)), chosen]
    changed = [
        loadout.with_(points=int(points)) for loadout, points, index in zip(priced, new, chosen) if index != TODAY_INDEX
    ]
    after = before.with_(changed, threads) if changed else before
    frame_after = _reliable_rows(after, ours)
    changes = frame.assign(
        new_points=new.astype(int),
        new_verdict=[after.verdicts[name] for name in frame["loadout"]],
        improvement=(distances[:, TODAY_INDEX] - distances[np.arange(len(priced)), chosen]) / len(priced),
    )[chosen != TODAY_INDEX]
    columns = ["loadout", "points", "new_points", "fair_points", "verdict", "new_verdict", "improvement"]
    return PriceChanges(
        changes.sort_values(["improvement", "loadout"], ascending=[False, True])[columns].reset_index(drop=True),
        len(frame),
        _mean_distance(frame),
        _mean_distance(frame_after),
        within,
        counts_of(frame["verdict"]),
        counts_of(frame_after["verdict"]),
        **before.conditions,
    )


def _mean_distance(frame: pd.DataFrame) -> float:
    return float(_expected_distance(frame, frame["points"].to_numpy(np.float64)).mean())


def _reliable_rows(standings: Standings, ours: dict[str, Loadout]) -> pd.DataFrame:
    """Return the rows of `ours` whose points may move to the fair points.

    Left out are prices that uncounted benefits may explain, and rises of loadouts that are dominated by a better one.
    """
    frame = standings.prices.frame
    frame = frame[frame["loadout"].isin(list(ours)) & frame["fair_points"].notna()]
    is_wrong = frame[["under_probability", "over_probability"]].max(axis=1) >= WRONG_AT
    cannot_rise = frame["at_most"].notna() & (frame["fair_points"] > frame["points"].astype(float))
    return frame[~(is_wrong & frame["doubt"].astype(bool) | cannot_rise)].reset_index(drop=True)


def _expected_distance(frame: pd.DataFrame, points: Floats) -> Floats:
    """Return the expected value of abs(log(points / fair points)), given the normal error of the logarithm."""
    from scipy.special import ndtr

    fair, error, sensitivity = (frame[name].to_numpy(np.float64) for name in ("fair_points", "error", "sensitivity"))
    ratio, error = np.log(points / fair), np.maximum(error / sensitivity, 1e-9)
    density: Floats = np.exp(-((ratio / error) ** 2) / 2)
    return np.asarray(error * np.sqrt(2 / np.pi) * density + ratio * (1 - 2 * ndtr(-ratio / error)), np.float64)


def _candidates(frame: pd.DataFrame, step: int) -> tuple[Floats, Floats]:
    """Return the expected distances from the fair price (infinite for impossible prices) and the candidate prices."""
    points, fair = (frame[name].to_numpy(np.float64)[:, None] for name in ("points", "fair_points"))
    steps = np.round((fair - points) / step) + np.arange(-CANDIDATES_EACH_WAY, CANDIDATES_EACH_WAY + 1)
    prices = np.concatenate([points, points + step * steps], axis=1)
    distances = _expected_distance(frame, np.maximum(prices.T, 1e-9)).T
    distances[:, 1:][steps == 0] = np.inf
    distances[prices < min(step, points.min())] = np.inf
    return distances, prices


def _choose_prices(
    distances: Floats, prices: Floats, priced: Sequence[Loadout], most_changes: int, within: float | None
) -> Any:
    """Return the index of each chosen price: the fewest changes that reach `within`, else the least mean distance."""
    from scipy.optimize import LinearConstraint
    from scipy.sparse import eye_array, kron

    n, options = distances.shape
    possible = np.isfinite(distances)
    flat, change = np.where(possible, distances, 0.0).ravel() / n, np.tile(np.arange(options) != TODAY_INDEX, n)
    one_each = kron(eye_array(n), np.ones((1, options)), "csr")
    pairs = _adjacent_levels(priced)
    larger = np.zeros((len(pairs), n))  # the larger level must cost at least as much as the smaller level
    for row, (small, large) in zip(larger, pairs):
        row[small], row[large] = -1.0, 1.0
    rising = (larger[:, :, None] * prices).reshape(len(pairs), n * options)
    rules = [LinearConstraint(one_each, 1, 1), LinearConstraint(change[None, :].astype(float), 0, most_changes)]
    rules += [LinearConstraint(rising, 0, np.inf)] if pairs else []
    settings: dict[str, Any] = {
        "integrality": np.ones(n * options),
        "bounds": (np.zeros(n * options), possible.ravel().astype(float)),
        "options": {"time_limit": _MOST_SECONDS},
    }
    result = None
    if within is not None:
        wanted = [*rules, LinearConstraint(flat[None, :], 0, within)]
        result = solve_programme(change + _TIE_BREAK * flat, constraints=wanted, **settings)
    if result is None or result.x is None:
        result = solve_programme(flat + _TIE_BREAK**2 * change, constraints=rules, **settings)
    return result.x.reshape(n, options).argmax(axis=1)


def _adjacent_levels(loadouts: Sequence[Loadout]) -> list[tuple[int, int]]:
    """Return pairs of adjacent levels of a unit (indices); the first has fewer models and costs no more today."""
    units = [unit_of(loadout.selector) for loadout in loadouts]
    levels = [loadout.level for loadout in loadouts]
    ordered = sorted(range(len(units)), key=lambda index: (units[index], levels[index].models))
    return [
        (small, large)
        for small, large in pairwise(ordered)
        if units[small] == units[large] and (levels[small].points or 0) <= (levels[large].points or 0)
    ]
