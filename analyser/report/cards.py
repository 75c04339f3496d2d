"""The cards of a report: what it says of each unit, and of factions against each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analyser.analysis.balance import Row
from analyser.analysis.curves import Curve
from analyser.analysis.exchange import Exchange, exchange_of
from analyser.analysis.grid import by_unit
from analyser.analysis.matchups import Matchups
from analyser.analysis.pricing import Array
from analyser.analysis.roles import role_of
from analyser.analysis.situations import Situation
from analyser.game.units import Loadout, Unit, unit_of
from analyser.plots.metrics import EFFICIENCY, RESULTS
from analyser.report.parts import Balance
from analyser.report.picture import CurvePictures, curve_pictures

MOST_OPPONENTS, MOST_OUTLIERS = 5, 6
_NEXT_TO_NOTHING = 0.05  # points destroyed for 100 points; what does less is nobody's target
_OPPONENT = ["unit", "name", EFFICIENCY, "mean_models_destroyed", "p_annihilated", *RESULTS]


class LevelFacts(NamedTuple):
    """A loadout: `price` and `rating` are its rows of those tables; all are None where nothing can be said.

    `hits` destroy 100 points of it if none of them is lost; `charge_costs` is the share of it that it loses when it
    charges, the mean over those it can charge.
    """

    loadout: Loadout
    hits: float | None
    charge_costs: float | None
    price: Row | None
    rating: Row | None


class Rival(NamedTuple):
    """Another unit, and the points that each destroys of the other for 100 of its own while both act once."""

    unit: str
    name: str
    destroys: float
    loses: float


class Card(NamedTuple):
    """What the page says of a unit.

    `curves` are those of its rows over the distance, by category of targets. `best` and `worst` are the rivals against
    whom it comes out farthest ahead and behind; `best_targets` and `most_dangerous` those of one situation, by its
    name; `record` how the duels end that it begins.
    """

    unit: Unit
    faction: str
    role: str
    levels: list[LevelFacts]
    curves: CurvePictures | None
    best: list[Rival]
    worst: list[Rival]
    best_targets: dict[str, list[Row]]
    most_dangerous: dict[str, list[Row]]
    record: Row | None
    outliers: list[Row]
    dominated: list[Row]


class Trades(NamedTuple):
    """Points that each of some destroys of each other for 100 of its own while both act once; NaN who do not meet."""

    names: list[str]
    destroyed: Array


def trades_of(found: Matchups) -> tuple[Trades, Trades]:
    """The exchanges of a comparison: of units, means over their levels, and of factions, means over their units."""
    exchange = exchange_of(found.frame, found.attackers, found.situations, found.ruleset)
    units = [unit_of(each.selector) for each in exchange.loadouts]
    between_units = _means(_points_for_points(exchange), units)
    return between_units, _means(between_units.destroyed, [each.partition("/")[0] for each in between_units.names])


def _points_for_points(exchange: Exchange) -> Array:
    points = exchange.points
    destroyed = 100 * exchange.mean() * points[None, :] / points[:, None]
    return np.where(exchange.met, destroyed, np.nan)


def _means(figures: Array, groups: Sequence[str]) -> Trades:
    """The means of a square table over groups of its rows and columns."""
    member, names = pd.factorize(pd.Series(groups))
    belongs: NDArray[np.float64] = np.equal.outer(np.arange(len(names)), member).astype(np.float64)
    sums = belongs @ np.nan_to_num(figures) @ belongs.T
    counts = belongs @ ~np.isnan(figures) @ belongs.T
    return Trades(list(names), np.where(counts > 0, sums / np.maximum(counts, 1), np.nan))


def rivals_of(trades: Trades, names: Mapping[str, str]) -> dict[str, tuple[list[Rival], list[Rival]]]:
    """By unit those against whom it comes out farthest ahead, and farthest behind, points for points."""
    found = {}
    for at, unit in enumerate(trades.names):
        ahead = trades.destroyed[at] - trades.destroyed[:, at]
        met = np.flatnonzero(~np.isnan(ahead))
        rivals = {
            to: Rival(
                trades.names[to],
                names[trades.names[to]],
                float(trades.destroyed[at, to]),
                float(trades.destroyed[to, at]),
            )
            for to in met
        }
        order = met[np.argsort(-ahead[met], kind="stable")]
        best = [rivals[to] for to in order if ahead[to] >= _NEXT_TO_NOTHING]
        worst = [rivals[to] for to in order[::-1] if ahead[to] <= -_NEXT_TO_NOTHING]
        found[unit] = best[:MOST_OPPONENTS], worst[:MOST_OPPONENTS]
    return found


def cards(
    found: Matchups, balance: Balance, trades: Trades | None, curves: Mapping[str, Sequence[Curve]]
) -> dict[str, Card]:
    """The card of each unit that takes part, by its selector without a level, in the order of the table."""
    units: dict[str, list[Loadout]] = {}
    for each in found.attackers:
        units.setdefault(unit_of(each.selector), []).append(each)
    pairs, facts = by_unit(found.frame), _Levels(found, balance)
    rivals = {} if trades is None else rivals_of(trades, {each: of[0].unit.name for each, of in units.items()})
    targets, dangers = _opponents(pairs, "attacker", "defender"), _opponents(pairs, "defender", "attacker")
    records = _records_of(pairs)
    odd, dominated = (
        _rows_by_unit(balance.outliers, "attacker", "defender"),
        _rows_by_unit(balance.dominated, "attacker"),
    )
    return {
        name: Card(
            unit=loadouts[0].unit,
            faction=loadouts[0].faction,
            role=role_of(loadouts[0].unit),
            levels=[facts.of(each) for each in loadouts],
            curves=curve_pictures(curves.get(name, ())),
            best=rivals.get(name, ([], []))[0],
            worst=rivals.get(name, ([], []))[1],
            best_targets=targets.get(name, {}),
            most_dangerous=dangers.get(name, {}),
            record=records.get(name),
            outliers=odd.get(name, [])[:MOST_OUTLIERS],
            dominated=dominated.get(name, []),
        )
        for name, loadouts in units.items()
    }


class _Levels:
    """What is known of loadouts, by selector."""

    def __init__(self, found: Matchups, balance: Balance) -> None:
        self._prices = {} if balance.prices is None else _by(balance.prices.frame, "loadout")
        self._ratings = {} if balance.ratings is None else _by(balance.ratings, "loadout")
        charges = found.frame[found.frame["situation"].isin([each.name for each in found.situations if _charge(each)])]
        costs = charges.groupby("attacker", sort=False)["attacker_share_lost"].mean().dropna()
        self._charges: dict[str, float] = {str(name): float(share) for name, share in costs.items()}

    def of(self, loadout: Loadout) -> LevelFacts:
        """All of one."""
        name = loadout.selector
        return LevelFacts(
            loadout, _hits(loadout), self._charges.get(name), self._prices.get(name), self._ratings.get(name)
        )


def _charge(situation: Situation) -> bool:
    return situation.kind == "charge"


def _hits(loadout: Loadout) -> float | None:
    """Models x DAMAGE LIMIT x DEFENCE (AC-3.7, AC-3.8), for 100 points of it."""
    level, unit = loadout.level, loadout.unit
    if not level.points:
        return None
    return level.models * unit.damage_limit * (unit.defence + unit.has("Resilient")) * 100 / level.points


def _by(frame: pd.DataFrame, column: str) -> dict[str, Row]:
    return dict(zip(frame[column], frame.to_dict("records")))


def _opponents(pairs: pd.DataFrame, side: str, other: str) -> dict[str, dict[str, list[Row]]]:
    """By unit and situation: those on the other side with the most points destroyed for those of the attacker.

    The figures are means over the levels of both, those of duels NaN elsewhere.
    """
    able = pairs[pairs[EFFICIENCY] >= _NEXT_TO_NOTHING].sort_values(EFFICIENCY, ascending=False, kind="stable")
    able = able.assign(unit=able[other], name=able[f"{other}_unit"])
    found: dict[str, dict[str, list[Row]]] = {}
    first = able.groupby([side, "situation"], sort=False).head(MOST_OPPONENTS)
    for (unit, situation), part in first.groupby([side, "situation"], sort=False):
        found.setdefault(str(unit), {})[str(situation)] = part[_OPPONENT].to_dict("records")
    return found


def _records_of(pairs: pd.DataFrame) -> dict[str, Row]:
    """By unit how the duels end that it begins: how many others it meets, and how many it rather beats or loses to."""
    duels = pairs[pairs["p_attacker_wins"].notna() & (pairs["attacker"] != pairs["defender"])]
    loses = 1 - duels["p_attacker_wins"] - duels["p_draw"]
    rather = duels.assign(p_loses=loses, wins=duels["p_attacker_wins"] > loses, loses=duels["p_attacker_wins"] < loses)
    how = {"defender": "size", "wins": "sum", "loses": "sum", "p_attacker_wins": "mean", "p_loses": "mean"}
    found = rather.groupby("attacker", sort=False).agg(how).rename(columns={"defender": "units"})
    return dict(zip(found.index, found.to_dict("records")))


def _rows_by_unit(frame: pd.DataFrame, *columns: str) -> dict[str, list[Row]]:
    """The rows of a table by the units that stand in some columns of it."""
    rows: dict[str, list[Row]] = {}
    for row in frame.to_dict("records"):
        for unit in dict.fromkeys(unit_of(row[column]) for column in columns):
            rows.setdefault(unit, []).append(row)
    return rows
