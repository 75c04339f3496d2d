"""Matchups that neither side's other matchups explain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import isnan
from statistics import median
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analyser.balance.efficiency import EFFICIENCY, LEAST
from analyser.balance.rows import records
from analyser.glossary import SPECIAL_RULES, parse
from analyser.units import Loadout, Unit, unit_of

LEAST_RATIO = 2.0  # times as much or as little as expected
LOWEST_TOLD = 0.05  # points; less is called nothing
_SWEEPS = 10
_PAIR = ["attacker", "attacker_unit", "defender", "defender_unit"]
_COLUMNS = [
    *_PAIR, "situation", "also_in", "efficiency", "expected", "ratio", "attacker_usual", "defender_usual", "row", "why",
]  # fmt: skip


def outliers(frame: pd.DataFrame, loadouts: Sequence[Loadout] = ()) -> pd.DataFrame:
    """Pairs of units whose efficiency is far from what the usual of both makes one expect.

    Expected is the attacker's usual efficiency times the target's (a median polish of its logarithm, Tukey 1977),
    among the targets of one category in one situation, and never more than all that the target costs; figures of units
    are means over the levels of both. Figures below :data:`~analyser.balance.efficiency.LEAST` count as that: less
    does not matter at a table, and a ratio of two of them says nothing.

    Parameters
    ----------
    frame : DataFrame
        As of :func:`analyser.comparisons.matchups.matchups`.
    loadouts : sequence of Loadout
        Those of both sides, so that `why` can tell what is on their profiles. Default: it tells figures alone.

    Returns
    -------
    DataFrame
        One row for each pair and way that is odd: `attacker` and `defender` (units, without a level),
        `attacker_unit`, `defender_unit`, the `situation` where it is farthest, and `also_in`, the others;
        `efficiency`, `expected`, and `ratio` of the two, at least 2 or at most a half; `attacker_usual`, the median of
        what the attacker does to other such targets, and `defender_usual`, of what others do to the target (NaN where
        there are none); `row`, what the attacker uses; `why`, in words made of facts. The farthest first, but units
        that have not been told of come before those that have.

    Examples
    --------
    >>> from analyser.comparisons.matchups import matchups
    >>> found = matchups("crown/*", "imperium/*", situations=["long-range"])
    >>> odd = outliers(found.frame).iloc[0]
    >>> odd["attacker_unit"], odd["defender_unit"], round(float(odd["ratio"]), 1)
    ('Bors Heavy Bombards', 'Sturmwagen Transport', 2.2)
    """
    units = frame.assign(attacker=frame["attacker"].map(unit_of), defender=frame["defender"].map(unit_of))
    units["most"] = 100 * units["defender_points"] / units["attacker_points"].where(units["attacker_points"] > 0)
    groups = units.groupby([*_PAIR, "situation", "defender_category"], sort=False)
    means = groups[[EFFICIENCY, "most"]].mean().rename(columns={EFFICIENCY: "efficiency"})
    means["row"] = groups["row"].first() if "row" in units else None
    odd = [_of_one(part) for _, part in means.reset_index().groupby(["situation", "defender_category"], sort=False)]
    found = pd.concat(odd, ignore_index=True).sort_values("ratio", key=_surprise, ascending=False, kind="stable")
    return _as_told(found, {unit_of(each.selector): each.unit for each in loadouts})


def _of_one(means: pd.DataFrame) -> pd.DataFrame:
    """Of one situation and one category of targets."""
    found = means[means["efficiency"].notna()]
    sides = [pd.factorize(found[side])[0] for side in ("attacker", "defender")]
    floored = np.maximum(found["efficiency"].to_numpy(np.float64), LEAST)
    left = 2 ** _polished(np.log2(floored), *sides)
    expected = np.maximum(np.fmin(floored / left, found["most"].to_numpy(np.float64)), LEAST)
    found = found.assign(
        expected=expected,
        ratio=floored / expected,
        attacker_usual=_median_of_others(found, "attacker"),
        defender_usual=_median_of_others(found, "defender"),
    )
    usual = found[["attacker_usual", "defender_usual"]].min(axis=1)
    # Where others do as little, or the attacker never does more, or nobody does anything, it is no surprise.
    little = (found["ratio"] < 1) & ((found["efficiency"] >= usual) | (usual < LEAST))
    far: pd.DataFrame = found[(_surprise(found["ratio"]) >= np.log2(LEAST_RATIO)) & ~little]
    return far


def _median_of_others(found: pd.DataFrame, side: str) -> list[float]:
    """For each row the median efficiency of the other rows of the same unit on that `side`."""
    figures: dict[str, list[float]] = {str(unit): list(part) for unit, part in found.groupby(side)["efficiency"]}
    usual = []
    for unit, figure in zip(found[side], found["efficiency"]):
        others = figures[unit].copy()
        others.remove(figure)
        usual.append(median(others) if others else float("nan"))
    return usual


def _surprise(ratio: pd.Series[float]) -> pd.Series[float]:
    return pd.Series(np.abs(np.log2(ratio.to_numpy(np.float64))), ratio.index)


def _polished(values: NDArray[np.float64], *sides: NDArray[np.intp]) -> NDArray[np.float64]:
    """What is left of `values` when the medians of both sides are taken from them, again and again."""
    left = pd.Series(values)
    for _ in range(_SWEEPS):
        for side in sides:
            left = left - left.groupby(side).transform("median")
    return np.asarray(left, np.float64)


def _as_told(found: pd.DataFrame, units: Mapping[str, Unit]) -> pd.DataFrame:
    """A row for each pair and way, in the order in which they are told."""
    way = found["ratio"] > 1
    groups = found.groupby([found["attacker"], found["defender"], way], sort=False)["situation"]
    also = {key: ", ".join(list(names)[1:]) for key, names in groups}
    first = found[~pd.concat([found[["attacker", "defender"]], way], axis=1).duplicated()]
    rows: list[dict[str, Any]] = [
        {**row, "also_in": also[row["attacker"], row["defender"], row["ratio"] > 1], "why": _why(row, units)}
        for row in records(first)
    ]
    return pd.DataFrame(_in_turns(rows), columns=_COLUMNS)


def _in_turns(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows so that no unit has a second one before all that could have a first one have it, and so on."""
    told: list[dict[str, Any]] = []
    seen: Counter[str] = Counter()
    turn = 0
    while rows:
        turn += 1
        later = []
        for row in rows:
            sides = {row["attacker"], row["defender"]}
            if all(seen[each] < turn for each in sides):
                told.append(row)
                seen.update(sides)
            else:
                later.append(row)
        rows = later
    return told


def _why(row: Mapping[str, Any], units: Mapping[str, Unit]) -> str:
    """What makes the pair odd: the usual of both sides, and what stands on the profiles."""
    mine, theirs = row["attacker_usual"], row["defender_usual"]
    usual = [] if isnan(mine) else [f"{row['attacker_unit']} usually destroys {_points(mine)} of such targets"]
    usual += [] if isnan(theirs) else [f"others usually destroy {_points(theirs)} of {row['defender_unit']}"]
    told = [", ".join(usual)] if usual else []
    if row["attacker"] in units and row["defender"] in units:
        told += [*_of_attacker(units[row["attacker"]], row["row"]), _of_target(units[row["defender"]])]
    return "; ".join(told)


def _points(figure: float) -> str:
    return f"{figure:.1f} points" if figure >= LOWEST_TOLD else "nothing"


def _of_attacker(unit: Unit, row_id: object) -> list[str]:
    row = unit.row(str(row_id))
    if row is None:
        return []
    return [f"it uses {row.name}: {', '.join(row.qualities)}" if row.qualities else f"it uses {row.name}"]


def _of_target(unit: Unit) -> str:
    known = [(rule, SPECIAL_RULES.get(parse(rule).name)) for rule in unit.rules]
    rules = [rule for rule, term in known if term is not None and term.side == "target"]
    return f"the target has {', '.join([f'DEFENCE {unit.defence}', f'DAMAGE LIMIT {unit.damage_limit}', *rules])}"
