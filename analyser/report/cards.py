"""The cards of a report: what it says of each unit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from analyser.analysis.balance import Row
from analyser.analysis.curves import Curve
from analyser.analysis.grid import by_unit
from analyser.analysis.matchups import Matchups
from analyser.analysis.reasons import defence_of
from analyser.analysis.roles import role_of
from analyser.analysis.situations import Situation
from analyser.game.units import Loadout, Unit, unit_of
from analyser.plots.metrics import EFFICIENCY, RESULTS
from analyser.report.enemies import Enemy, Rival, Trades, rivals_of
from analyser.report.parts import Balance
from analyser.report.picture import CurvePictures, curve_pictures

MOST_OPPONENTS, MOST_OUTLIERS = 5, 6
_NEXT_TO_NOTHING = 0.05  # points destroyed for 100 points; fewer do not count
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


class Said(NamedTuple):
    """A verdict and its reason, and the levels that have both."""

    levels: list[str]
    verdict: str
    why: str


class Card(NamedTuple):
    """Card of a unit on the page.

    `curves` are those of its rows over the distance, by category of targets. `enemies` are its opponents in duels, the
    most successful first; `ahead` and `behind` those that come out farthest ahead and behind in an exchange;
    `best_targets` and `most_dangerous` those of one situation, by its name.
    """

    unit: Unit
    faction: str
    role: str
    levels: list[LevelFacts]
    curves: CurvePictures | None
    enemies: list[Enemy]
    ahead: list[Rival]
    behind: list[Rival]
    best_targets: dict[str, list[Row]]
    most_dangerous: dict[str, list[Row]]
    outliers: list[Row]
    dominated: list[Row]

    @property
    def verdict_line(self) -> str:
        """Its verdict in short; where levels have different ones, that of each; empty where nothing is judged."""
        levels: dict[str, list[str]] = {}
        for each in self.levels:
            if each.price is not None:
                levels.setdefault(each.price["verdict"], []).append(each.loadout.level_name)
        if len(levels) < 2:
            return "".join(levels)
        return "; ".join(f"{', '.join(names)}: {verdict}" for verdict, names in levels.items())

    @property
    def verdicts(self) -> list[Said]:
        """Verdicts on its price, each once with all levels that have it."""
        said: dict[tuple[str, str], list[str]] = {}
        for each in self.levels:
            if each.price is not None:
                said.setdefault((each.price["verdict"], each.price["why"]), []).append(each.loadout.level_name)
        return [Said(levels, *both) for both, levels in said.items()]


def cards(
    found: Matchups,
    balance: Balance,
    enemies: Mapping[str, list[Enemy]],
    trades: Trades | None,
    curves: Mapping[str, Sequence[Curve]],
) -> dict[str, Card]:
    """The card of each unit that takes part, by its selector without a level, in the order of the table."""
    units: dict[str, list[Loadout]] = {}
    for each in found.attackers:
        units.setdefault(unit_of(each.selector), []).append(each)
    pairs, facts = by_unit(found.frame), _Levels(found, balance)
    rivals = {} if trades is None else rivals_of(trades)
    targets, dangers = _opponents(pairs, "attacker", "defender"), _opponents(pairs, "defender", "attacker")
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
            enemies=enemies.get(name, []),
            ahead=rivals.get(name, ([], []))[0],
            behind=rivals.get(name, ([], []))[1],
            best_targets=targets.get(name, {}),
            most_dangerous=dangers.get(name, {}),
            outliers=odd.get(name, [])[:MOST_OUTLIERS],
            dominated=dominated.get(name, []),
        )
        for name, loadouts in units.items()
    }


class _Levels:
    """Prices, ratings and costs of charges of loadouts, by selector."""

    def __init__(self, found: Matchups, balance: Balance) -> None:
        self._prices = {} if balance.prices is None else _by(balance.prices.frame, "loadout")
        self._ratings = {} if balance.ratings is None else _by(balance.ratings, "loadout")
        charges = found.frame[found.frame["situation"].isin([each.name for each in found.situations if _charge(each)])]
        costs = charges.groupby("attacker", sort=False)["attacker_share_lost"].mean().dropna()
        self._charges: dict[str, float] = {str(name): float(share) for name, share in costs.items()}

    def of(self, loadout: Loadout) -> LevelFacts:
        """Return all facts of a loadout."""
        name = loadout.selector
        return LevelFacts(
            loadout, _hits(loadout), self._charges.get(name), self._prices.get(name), self._ratings.get(name)
        )


def _charge(situation: Situation) -> bool:
    return situation.kind == "charge"


def _hits(loadout: Loadout) -> float | None:
    """Models x DAMAGE LIMIT x DEFENCE from the front (AC-3.7, AC-3.8), for 100 points of it."""
    level, unit = loadout.level, loadout.unit
    if not level.points:
        return None
    return level.models * unit.damage_limit * defence_of(unit) * 100 / level.points


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


def _rows_by_unit(frame: pd.DataFrame, *columns: str) -> dict[str, list[Row]]:
    """The rows of a table by the units that stand in some columns of it."""
    rows: dict[str, list[Row]] = {}
    for row in frame.to_dict("records"):
        for unit in dict.fromkeys(unit_of(row[column]) for column in columns):
            rows.setdefault(unit, []).append(row)
    return rows
