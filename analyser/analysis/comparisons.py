"""Comparison of loadouts on several targets, and the weighted mean over them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from analyser import plots
from analyser.analysis.comparison import Comparison, comparison_of
from analyser.analysis.comparison_figures import LoadoutFigures, percentile_mask
from analyser.common.answer import Block, FramedAnswer
from analyser.common.errors import InputError, is_number, shown
from analyser.common.frames import tidy
from analyser.game.profiles import ProfilesUsed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from analyser.plots.distributions import Kind

_LOADOUT_COLUMNS = ["loadout", "unit", "level", "points"]


@dataclass(frozen=True, eq=False, repr=False)
class Comparisons(FramedAnswer):
    """Comparisons of the same loadouts on several targets, and their mean.

    Attributes
    ----------
    by_target : mapping of str to Comparison
        The comparison on each target, by its name.
    weights : mapping of str to float
        The weight of each target, as given.
    mean : Comparison
        Weighted mean of every figure. An impossible attack counts as 0, and percentiles have no mean. The
        interval of a simulated mean has a confidence of at least 95%.

    Examples
    --------
    >>> import analyser
    >>> rifles = ["crown/sharp-rifles@basic", "crown/rifle-platoon@reinforced"]
    >>> found = analyser.compare(rifles, ["imperium/krupp@basic", "imperium/scion-grenadier-p@basic"], weights=[2, 1])
    >>> found.mean.frame["mean_models_destroyed"].round(3).tolist()
    [1.79, 3.948]
    """

    by_target: Mapping[str, Comparison]
    weights: Mapping[str, float]
    mean: Comparison

    schema = "analyser/comparisons/1"

    @property
    def best(self) -> str:
        return self.mean.best

    @property
    def profiles(self) -> ProfilesUsed:
        return self.mean.profiles

    @property
    def frame(self) -> pd.DataFrame:  # type: ignore[override]
        """Rows of all targets, then those of the mean (`is_mean`), which :meth:`to_frame` leaves out."""
        parts = [
            comparison.frame.assign(target=target, weight=self.weights[target], is_mean=False)
            for target, comparison in self.by_target.items()
        ]
        parts.append(self.mean.frame.assign(target="mean", is_mean=True))
        columns = dict.fromkeys(("target", "weight", "is_mean", *(name for part in parts for name in part)))
        return pd.DataFrame([line for part in parts for line in part.to_dict("records")], columns=list(columns))

    @property
    def headline(self) -> str:
        return f"In the mean over {len(self.by_target)} targets {self.mean.headline}"

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        return {"loadouts": self.to_frame(), "differences": tidy(self.mean.differences)}

    def _body(self) -> dict[str, Any]:
        targets = [
            {"target": target, "weight": self.weights[target], "share": self.mean.shares[target], **comparison.record()}
            for target, comparison in self.by_target.items()
        ]
        return self.mean.metadata() | {"targets": targets, "mean": self.mean.record()}

    def to_frame(self) -> pd.DataFrame:
        return tidy(self.frame[~self.frame["is_mean"]].drop(columns="is_mean")).astype({"dice": "Int64"})

    def plot(self, *, kind: Kind = "at least", **more: Any) -> tuple[Axes, ...]:
        """Draw the distributions of models destroyed, in a panel for each target that can be attacked."""
        attacked = {target: comparison for target, comparison in self.by_target.items() if comparison.results}
        return plots.panels(attacked, plots.distribution, kind=kind, **more)

    def frontier(self, *, ax: Axes | None = None, **more: Any) -> Axes:
        """Draw points against the mean of the metric compared (:func:`analyser.plots.cost_against_effect`)."""
        return self.mean.frontier(ax=ax, **more)

    def blocks(self) -> list[Block]:
        blocks = [block for comparison in self.by_target.values() for block in comparison.blocks()]
        weights = ", ".join(
            f"{name} {self.weights[name]:g} (column ≥k: k = {part.at_least} models)"
            for name, part in self.by_target.items()
        )
        return [*blocks, Block(f"Weights of the targets: {weights}."), *self.mean.blocks()]

    def notes(self) -> list[str]:
        return self.mean.notes()


def shares_of(targets: int, weights: Sequence[float] | None) -> list[float]:
    """Return the share of each target in the mean; InputError without targets, or for unusable weights.

    >>> shares_of(2, [3, 1]), shares_of(2, None), shares_of(2, [1e308, 1e308])
    ([0.75, 0.25], [0.5, 0.5], [0.5, 0.5])
    """
    if not targets:
        raise InputError("no target is given", where="target", allowed="one target, or several")
    allowed = "one weight for each target, in their order"
    if weights is not None and (isinstance(weights, str) or not isinstance(weights, Sequence)):
        raise InputError(f"{shown(weights)} is not a list of numbers", where="weights", allowed=allowed)
    stated = [1.0] * targets if weights is None else list(weights)
    if len(stated) != targets:
        raise InputError(f"{len(stated)} weights for {targets} targets", where="weights", allowed=allowed)
    for weight in stated:
        if not is_number(weight) or not 0 < weight < math.inf:
            raise InputError(f"{shown(weight)} is not usable", where="weights", allowed="numbers above 0")
    parts = [weight / max(stated) for weight in stated]  # divided first, so that the sum cannot overflow
    return [part / math.fsum(parts) for part in parts]


def mean_of_targets(
    parts: Sequence[Comparison], shares: Sequence[float], weights: Sequence[float] | None
) -> Comparisons:
    """Return the comparisons on several targets with their mean; `weights` are as stated, `shares` sum to 1."""
    names: list[str] = []
    for part in parts:
        (name,) = part.shares  # the name of its only target
        repeats = sum(other == name or other.startswith(f"{name} (") for other in names)
        names.append(f"{name} ({repeats + 1})" if repeats else name)
    by_target, share_of = dict(zip(names, parts)), dict(zip(names, shares))
    first, at_least = parts[0], {part.at_least for part in parts}
    means = {name: _mean_figures(name, by_target, share_of) for name in first.frame["loadout"]}
    mean = comparison_of(
        _mean_rows(by_target, means),
        [figures for figures in means.values() if figures is not None],
        first.metric,
        distributions=first.distributions.head(0),
        at_least=at_least.pop() if len(at_least) == 1 else None,
        results={
            f"{loadout} on {name}": result
            for name, part in by_target.items()
            for loadout, result in part.results.items()
        },
        shares=share_of,
        profiles=first.profiles,
    )
    return Comparisons(by_target, dict(zip(names, weights or [1.0] * len(names))), mean)


def _mean_figures(name: str, by_target: Mapping[str, Comparison], shares: Mapping[str, float]) -> LoadoutFigures | None:
    """Return the mean figures of a loadout; None if it can attack no target."""
    parts = [(shares[key], own) for key, part in by_target.items() for own in part.loadout_figures if own.name == name]
    if not parts:
        return None
    figures = np.sum([share * own.figures for share, own in parts], axis=0)
    figures[percentile_mask()] = np.nan
    batches = [share * own.batches for share, own in parts if own.batches is not None]
    return parts[0][1]._replace(figures=figures, batches=np.sum(batches, axis=0) if batches else None)


def _mean_rows(by_target: Mapping[str, Comparison], means: Mapping[str, LoadoutFigures | None]) -> list[dict[str, Any]]:
    first, rows = next(iter(by_target.values())).frame, []
    method = next(method for part in by_target.values() for method in part.frame["method"].dropna())
    for index, figures in enumerate(means.values()):
        why = {target: part.frame["why_not"][index] for target, part in by_target.items()}
        reasons = "; ".join(f"{target}: {reason}" for target, reason in why.items() if pd.notna(reason)) or None
        row = {key: first[key][index] for key in _LOADOUT_COLUMNS} | {"method": method}
        row |= {} if figures is None else figures.columns()
        rows.append(row | {"cannot": reasons, "why_not": reasons if figures is None else None})
    return rows
