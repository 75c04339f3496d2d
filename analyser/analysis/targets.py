"""Loadouts against several targets: a comparison for each, and the mean of them by stated weights."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from analyser.analysis.compare_result import Comparison
from analyser.analysis.differences import Side, differences, with_differences
from analyser.common.errors import InputError
from analyser.plots.look import title
from analyser.plots.metrics import COMPARED, PERCENTILE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_KNOWN = ["loadout", "unit", "level", "points"]


@dataclass(frozen=True, eq=False, repr=False)
class Comparisons:
    """Loadouts against several targets. Printed it is plain text; in a notebook tables.

    Attributes
    ----------
    by_target : mapping of str to Comparison
        In the order given.
    weights : mapping of str to float
        By target, as they were given.
    mean : Comparison
        The mean of every figure by the weights. What a loadout cannot attack counts as 0 in it; percentiles have no
        mean. Of a sample the interval of a figure is the mean of the targets' intervals, no narrower than it need be;
        differences are paired batch by batch.

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

    @property
    def best(self) -> str:
        """The selector of the loadout that is best in the mean."""
        return self.mean.best

    @property
    def frame(self) -> pd.DataFrame:
        """The frames of all targets one below the other, with `target` and `weight` before them; then the mean's."""
        parts = [
            each.frame.assign(target=target, weight=self.weights[target]) for target, each in self.by_target.items()
        ]
        columns = list(dict.fromkeys(name for each in (*parts, self.mean.frame) for name in each))
        records = [line for each in (*parts, self.mean.frame.assign(target="mean")) for line in each.to_dict("records")]
        return pd.DataFrame(records, columns=["target", "weight", *(name for name in columns if name not in _NAMED)])

    def to_frame(self) -> pd.DataFrame:
        """The same."""
        return self.frame

    def plot(self) -> tuple[Axes, ...]:
        """A picture a target: the distributions of models destroyed over one another."""
        pictures = []
        for target, each in self.by_target.items():
            ax = each.plot()
            title(ax, f"{ax.get_title(loc='left')}\n{target}")
            pictures.append(ax)
        return tuple(pictures)

    def frontier(self, *, ax: Axes | None = None) -> Axes:
        """Points against the mean of the metric that decides (:func:`analyser.plots.cost_against_effect`)."""
        return self.mean.frontier(ax=ax)

    def __str__(self) -> str:
        """Plain text: the tables of each target, those of the mean, and what was not computed."""
        blocks = [block for each in self.by_target.values() for block in each.blocks()]
        blocks += [[self._weights()], *self.mean.blocks(), self.mean.notes()]
        return "\n\n".join("\n".join(block) for block in blocks) + "\n"

    __repr__ = __str__  # a shell shows what is printed

    def _repr_html_(self) -> str:
        """Styled tables."""
        tables = "".join(each.html_tables() for each in self.by_target.values())
        return f"{tables}<p>{html.escape(self._weights())}</p>{self.mean._repr_html_()}"

    def _weights(self) -> str:
        """The weights as given, and how many models are k of each."""
        said = [
            f"{target} {self.weights[target]:g} (≥k: {each.at_least} models)" for target, each in self.by_target.items()
        ]
        return f"Weights: {', '.join(said)}."


_NAMED = ("target", "weight")


def shares_of(targets: Sequence[str], weights: Sequence[float] | None) -> list[float]:
    """What part of the mean each target is.

    Raises
    ------
    InputError
        No target, another number of weights, or one that is not above 0.

    Examples
    --------
    >>> shares_of(["a", "b"], [3, 1]), shares_of(["a", "b"], None)
    ([0.75, 0.25], [0.5, 0.5])
    """
    if not targets:
        raise InputError("no target is given", where="target", allowed="one or more")
    stated = [1.0] * len(targets) if weights is None else list(weights)
    if len(stated) != len(targets):
        problem = f"{len(stated)} weights for {len(targets)} targets"
        raise InputError(problem, where="weights", allowed="one for each target, in their order")
    for each in stated:
        if isinstance(each, bool) or not isinstance(each, int | float) or not 0 < each < math.inf:
            raise InputError(f"{each!r} is not usable", where="weights", allowed="numbers above 0")
    return [each / math.fsum(stated) for each in stated]


def compared_by_target(
    parts: Sequence[Comparison], shares: Sequence[float], weights: Sequence[float] | None
) -> Comparisons:
    """The comparisons of several targets as one; `shares` are the weights made to add up to 1."""
    names: list[str] = []
    for each in parts:
        (name,) = each.shares
        alike = sum(other == name or other.startswith(f"{name} (") for other in names)
        names.append(f"{name} ({alike + 1})" if alike else name)
    by_target = dict(zip(names, parts))
    return Comparisons(
        by_target, dict(zip(names, weights or [1.0] * len(names))), _mean(by_target, dict(zip(names, shares)))
    )


def _mean(by_target: Mapping[str, Comparison], shares: Mapping[str, float]) -> Comparison:
    first = next(iter(by_target.values()))
    means = {name: _mean_side(name, by_target, shares) for name in first.frame["loadout"]}
    sides = {name: side for name, side in means.items() if side is not None}
    deltas = differences(list(sides.values()))
    same = {each.at_least for each in by_target.values()}
    return Comparison(
        frame=with_differences(_frame(by_target, shares, sides), deltas, first.metric),
        distributions=first.distributions.head(0),
        differences=deltas,
        metric=first.metric,
        at_least=same.pop() if len(same) == 1 else None,
        results={
            f"{loadout} on {target}": result
            for target, each in by_target.items()
            for loadout, result in each.results.items()
        },
        shares=shares,
        profiles=first.profiles,
        sides=tuple(sides.values()),
    )


def _mean_side(name: str, by_target: Mapping[str, Comparison], shares: Mapping[str, float]) -> Side | None:
    """The mean figures of a loadout; None if it can attack no target."""
    able = {target: side for target, each in by_target.items() for side in each.sides if side.name == name}
    if not able:
        return None
    one = next(iter(able.values()))
    values = sum((shares[target] * side.values for target, side in able.items()), np.zeros(len(COMPARED)))
    values[[each.endswith(PERCENTILE) for each in COMPARED]] = np.nan
    batches = None
    if one.batches is not None:
        weighed = [shares[target] * side.batches for target, side in able.items() if side.batches is not None]
        batches = np.sum(weighed, axis=0)
    return Side(name, one.points, values, batches)


def _frame(by_target: Mapping[str, Comparison], shares: Mapping[str, float], sides: Mapping[str, Side]) -> pd.DataFrame:
    """One row a loadout, without the differences."""
    first = next(iter(by_target.values())).frame
    rows = []
    for _, line in first.iterrows():
        name = line["loadout"]
        parts = {target: each.frame.set_index("loadout").loc[name] for target, each in by_target.items()}
        cannot = [f"{target}: {part['why_not']}" for target, part in parts.items() if pd.notna(part["why_not"])]
        row = {key: line[key] for key in _KNOWN} | {"method": first["method"].dropna().iloc[0]}
        if name in sides:
            row |= dict(zip(COMPARED, sides[name].values))
            row |= _intervals({target: part for target, part in parts.items() if pd.isna(part["why_not"])}, shares)
        row["cannot"] = "; ".join(cannot) or None
        rows.append(row | {"why_not": None if name in sides else row["cannot"]})
    columns = list(dict.fromkeys(name for row in sorted(rows, key=len, reverse=True) for name in row))
    return pd.DataFrame(rows, columns=columns).astype({"points": "Int64"})


def _intervals(parts: Mapping[str, pd.Series], shares: Mapping[str, float]) -> dict[str, float]:
    """Of a sample the weighted means of the ends of the targets' intervals."""
    ends = [f"{name}_{end}" for name in COMPARED for end in ("low", "high")]
    return {
        end: sum(shares[target] * float(part[end]) for target, part in parts.items())
        for end in ends
        if all(end in part for part in parts.values())
    }
