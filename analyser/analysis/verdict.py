"""Verdict on every loadout of a game: its fair points, their interval, and the reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analyser.analysis import pricing
from analyser.analysis.balance import HIGH, LOW, dominations
from analyser.analysis.exchange import Exchange
from analyser.analysis.matchups import Matchups
from analyser.analysis.pricing import Array, weighted_median
from analyser.analysis.reasons import Reasons, dice_of
from analyser.analysis.roles import PAID_FOR, level_pay, peers_of, role_of, usual
from analyser.common.text import counted
from analyser.game.units import Loadout, unit_of

Places = NDArray[np.int64]

OVER, UNDER, FAIR, UNDECIDED = "over-priced", "under-priced", "fair", "undecided"
DRAWS, SEED = 400, 0
_NEAR_ENOUGH = 1e-3  # of a price, for an interval of prices
FEWEST_PEERS = 3  # other units of a role: fewer do not say what is usual
MOST_SPREAD = 2.0  # from the low end of an interval to its high end: of what lies in a wider one nothing is said
STEPS = np.log(1.05)  # by so much an interval is wider on either side: points come in steps
RULE = (
    "Over-priced: today's points are above the interval; under-priced: below; fair: in it.",
    "Undecided: in one whose high end is over twice its low end, or for another reason that is told.",
)
OFF = -np.log(0.9)  # of a price: wrong by more than 10%
NEAR_EDGE = 0.03  # of the points: so near to another verdict is worth a word
_KINDS = {  # words of a doubt, and what it is of several loadouts
    "may be fair, by whom": "too much hangs on whom it meets",
    "other units here are of its role": f"fewer than {FEWEST_PEERS} other units here are of its role",
    "but nothing here counts": "it has what no figure here counts",
    "to win as often": "the two ways to price it disagree",
}
MOST_OPPONENTS = 3
ONE_WAY = {"shooting": "ranged", "charges": "charge"}
_PLAYED = 0.005  # of an equilibrium; less is rounding
_DIGITS = 9  # of shares that are lost or gained; what comes after them is the rounding of sums
_SAME = 1e-6  # of a price: as near as prices are solved for
_SIGNS = {OVER: -1, UNDER: 1, FAIR: 0, UNDECIDED: 0}


def lean_of(under: float, over: float) -> str:
    """Return the side on which a price is probably wrong by more than 10%, with its probability.

    >>> lean_of(0.85, 0.01), lean_of(0.1, 0.62), lean_of(0.2, 0.25), lean_of(np.nan, np.nan)
    ('probably cheap, 85%', 'probably dear, 62%', 'probably within 10%, 55%', '')
    """
    if np.isnan(under):
        return ""
    sides = {"cheap": under, "dear": over, "within 10%": 1.0 - under - over}
    side = max(sides, key=lambda each: sides[each])
    return f"probably {side}, {sides[side]:.0%}"


class Role(NamedTuple):
    """Pay of a role for what no figure counts: points of its units over what they exchange, the median of units."""

    role: str
    units: int
    times: float
    paid_for: str


class Rating(NamedTuple):
    """Ratings of all loadouts of a game; the columns of `frame` are those of :func:`analyser.fair_points`."""

    frame: pd.DataFrame
    roles: tuple[Role, ...]
    levels: dict[str, float]
    residuals: dict[str, float]
    exploitability: float
    one_number: float


def rate(found: Matchups, exchange: Exchange, *, with_played: bool = True) -> Rating:
    """Return the verdict on every loadout of a game, and a row for loadouts outside it, in the order of the table.

    Without those `played` in the equilibrium it takes less time: no programme is solved, and nothing loaded for it.
    """
    today, losses = np.log(exchange.points), exchange.mean()
    gains = pricing.ahead(losses, today)
    field = pricing.response(gains, exchange.evenly, exchange.met)
    even, ahead = pricing.even_trade(losses, field), pricing.evenly_ahead(losses, field, today)
    sides = _sides_of(exchange)
    roles = [role_of(each.unit) for each in exchange.loadouts]
    peers, alike = _Peers(roles, exchange, even.prices), np.ones(len(today))
    fair, other_way = (peers.fair(each.prices, alike) for each in (even, ahead))
    low, high, over, under = _interval(exchange, peers, field, even.prices, today)
    strength, explained = pricing.one_number(gains, exchange.met * np.outer(field, field))
    odd = np.where(exchange.met, gains - (strength[:, None] - strength[None, :]), 0.0)
    played, exploitability = _played(gains, sides) if with_played else (np.full(len(today), np.nan), np.nan)
    missing = frozenset(each.name for each in found.not_modelled)
    reasons = Reasons(exchange, field, even.prices, dice_of(found.frame, exchange), roles, missing)
    figures, dearer = np.exp([fair, low, high]), _dearer(found, exchange)
    at_most = np.full(len(today), np.nan)
    for at, (price, _) in dearer.items():
        at_most[at] = price
        figures[:, at] = np.minimum(figures[:, at], price)
        over[at], under[at] = 1.0, 0.0
    verdicts = _verdicts(exchange.points, np.vstack([figures, np.exp(other_way)]), reasons, dearer)
    table = pd.DataFrame(
        {
            **_names(exchange.loadouts),
            "role": roles,
            "points": pd.array(exchange.points.astype(np.int64), "Int64"),
            **dict(zip(("fair_points", "fair_low", "fair_high"), figures)),
            "under_probability": under,
            "over_probability": over,
            "verdict": [each.verdict for each in verdicts],
            "lean": [lean_of(*each) for each in zip(under.tolist(), over.tolist())],
            "doubt": [each.doubt for each in verdicts],
            "edge": [each.edge for each in verdicts],
            "why": [each.why for each in verdicts],
            "not_counted": [reasons.not_counted(at) for at in range(len(today))],
            "points_over_fair": exchange.points / figures[0],
            "at_most": at_most,
            "trades_evenly_at": np.exp(peers.anchored(even.prices, alike)),
            "comes_out_even_at": np.exp(other_way),
            **{f"fair_by_{name}": np.exp(peers.of_one_way(exchange, way, field)) for name, way in ONE_WAY.items()},
            "offence": np.exp(peers.over_usual(reasons.offence - today)),
            "toughness": np.exp(peers.over_usual(reasons.toughness - today)),
            "met": field,
            "played": played,
            "beats": [_opponents(each, exchange) for each in odd],
            "beaten_by": [_opponents(-each, exchange) for each in odd],
        }
    )
    residuals = {"trades_evenly": even.residual, "comes_out_even": ahead.residual}
    levels = {name: float(np.exp(pay)) for name, pay in peers.levels.items()}
    whole = _with_those_outside(table, found, exchange)
    return Rating(whole, peers.roles(even.prices), levels, residuals, exploitability, explained)


def _interval(
    exchange: Exchange, peers: _Peers, field: Array, prices: Array, today: Array
) -> tuple[Array, Array, Array, Array]:
    """Return the interval of fair points, as logarithms, and the probabilities of a wrong price: over, under."""
    fields, weights = exchange.fields(field, DRAWS, SEED)
    found = pricing.even_trades(exchange.losses, weights, fields, prices, within=_NEAR_ENOUGH)
    drawn = peers.fair(found.prices, fields / field)
    low, high = np.percentile(drawn, (LOW, HIGH), axis=0)
    for twins in _twins(exchange):  # by other draws alone one of them would have another verdict
        low[twins], high[twins] = np.percentile(drawn[:, twins], (LOW, HIGH))
    off = today - drawn
    over, under = (np.where(np.isnan(low), np.nan, (sign * off > OFF).mean(axis=0)) for sign in (1, -1))
    return low - STEPS, high + STEPS, over, under


def _twins(exchange: Exchange) -> list[list[int]]:
    """The groups of loadouts that nothing but their names tells apart: one role, level, price, and the same fights."""
    both = np.concatenate([exchange.losses, exchange.losses.transpose(0, 2, 1)]).round(_DIGITS) + 0.0
    groups: dict[tuple[object, ...], list[int]] = {}
    for at, each in enumerate(exchange.loadouts):
        key = (role_of(each.unit), each.level_name, each.level.points, both[:, at].tobytes())
        groups.setdefault(key, []).append(at)
    return [each for each in groups.values() if len(each) > 1]


def _sides_of(exchange: Exchange) -> tuple[Places, Places]:
    """Return the two sides that play each other: all against all, or two groups that do not meet among themselves."""
    everybody = np.arange(len(exchange.loadouts))
    theirs = np.flatnonzero(exchange.met[0])
    ours = np.flatnonzero(exchange.met[theirs[0]])
    apart = not exchange.met.all() and len(ours) + len(theirs) == len(everybody)
    return (ours, theirs) if apart else (everybody, everybody)


def _played(gains: Array, sides: tuple[Places, Places]) -> tuple[Array, float]:
    """Each loadout's share of the equilibrium at today's points, and how far that could be exploited."""
    rows, columns = sides
    ours, theirs, _, exploitability = pricing.equilibrium(gains[np.ix_(rows, columns)])
    played = np.zeros(len(gains))
    played[columns], played[rows] = theirs, ours
    return np.where(played > _PLAYED, played, 0.0), exploitability


def _with_those_outside(table: pd.DataFrame, found: Matchups, exchange: Exchange) -> pd.DataFrame:
    """With a row for each loadout that is not in the game, why it is not; in the order of the table of matchups."""
    sides = {each.selector: each for each in (*found.attackers, *found.defenders)}
    outside = [sides[name] for name in exchange.left_out]
    missing = {
        **_names(outside),
        "role": [role_of(each.unit) for each in outside],
        "points": pd.array([each.level.points for each in outside], "Int64"),
        "verdict": UNDECIDED,
        "why": list(exchange.left_out.values()),
        **dict.fromkeys(("lean", "edge", "not_counted", "beats", "beaten_by"), ""),
        "doubt": list(exchange.left_out.values()),
    }
    whole = pd.concat([table, pd.DataFrame(missing)], ignore_index=True) if outside else table
    order = {name: at for at, name in enumerate(sides)}
    return whole.sort_values("loadout", key=lambda names: names.map(order), ignore_index=True)


class _Peers:
    """Prices on the scale of today's points, and what roles pay besides; all as logarithms."""

    def __init__(self, roles: Sequence[str], exchange: Exchange, prices: Array) -> None:
        self._today, self._even = np.log(exchange.points), exchange.evenly
        self._peers = peers_of(roles, exchange.units)
        names = [each.level_name for each in exchange.loadouts]
        self.levels = level_pay(self._today - prices, exchange.units, names)
        self._of_level = np.array([self.levels[name] for name in names])

    def anchored(self, prices: Array, shares: Array) -> Array:
        """With what their levels pay, on such a scale that half of the field costs more than that, and half less."""
        worth = prices + self._of_level
        return np.asarray(worth + weighted_median(self._today - worth, self._even * shares), np.float64)

    def fair(self, prices: Array, shares: Array) -> Array:
        """Times what the other units of the role cost over what they exchange; NaN if those are too few."""
        worth = prices + self._of_level
        return np.asarray(
            worth + usual(self._peers, self._today - worth, self._even * shares, FEWEST_PEERS), np.float64
        )

    def of_one_way(self, exchange: Exchange, way: str, field: Array) -> Array:
        """Fair points if all did one thing only; NaN for who then takes no part."""
        prices = np.full(len(self._today), np.nan)
        if way in exchange.ways:
            part = np.flatnonzero(pricing.connected(exchange.ways[way].held))
            if len(part) > 1:
                shares = field[part] / field[part].sum()
                prices[part] = pricing.even_trade(exchange.ways[way].held[np.ix_(part, part)], shares).prices
        return self.fair(prices, np.ones(len(prices)))

    def over_usual(self, values: Array) -> Array:
        """Each over the median of the other units of its role; over itself where there are none."""
        others = usual(self._peers, values, self._even)
        return np.asarray(values - np.where(np.isnan(others), values, others), np.float64)

    def roles(self, prices: Array) -> tuple[Role, ...]:
        """Return the pay of each role over what it exchanges, the dearest first."""
        over = self._today - self.anchored(prices, np.ones(len(prices)))
        found = []
        for role, members, _, others in self._peers:
            times = float(np.exp(weighted_median(over[members], self._even[members])))
            found.append(Role(role, len(others), times, PAID_FOR.get(role, "")))
        return tuple(sorted(found, key=lambda each: -each.times))


class _Verdict(NamedTuple):
    verdict: str
    doubt: str  # why nothing can be said
    edge: str
    why: str


def verdict_of(points: float, low: float, high: float, doubt: str = "") -> str:
    """The verdict on what costs so much, by an interval of fair points; :data:`RULE` in words.

    >>> [verdict_of(points, 80.4, 99.6) for points in (80, 81, 99, 100)]
    ['under-priced', 'fair', 'fair', 'over-priced']
    >>> verdict_of(100, 60, 121), verdict_of(130, 60, 121), verdict_of(100, 90, 110, "it may fly")
    ('undecided', 'over-priced', 'undecided')
    """
    if doubt or np.isnan(low):
        return UNDECIDED
    if points > high * (1 + _SAME):
        return OVER
    if points < low * (1 - _SAME):
        return UNDER
    return FAIR if high <= MOST_SPREAD * low * (1 + _SAME) else UNDECIDED


def ends_text(points: float | None, low: float, high: float) -> tuple[str, str]:
    """The ends of an interval as text: whole points, or the decimals that tell an end from the points.

    >>> ends_text(125, 106.3, 124.77), ends_text(125, 106.3, 124.97), ends_text(None, 106.3, 124.77)
    (('106', '124.8'), ('106', '124.97'), ('106', '125'))
    """
    return _end_text(points, low), _end_text(points, high)


def _end_text(points: float | None, end: float) -> str:
    if points is None or np.isnan(points) or abs(end - points) <= _SAME * end or round(end) != points:
        return f"{end:.0f}"
    return next(text for digits in range(1, _DIGITS) if float(text := f"{end:.{digits}f}") != points)


def edge_of(points: float, low: float, high: float) -> str:
    """Return how near another verdict is, if within :data:`NEAR_EDGE` of the points, or one point; else nothing.

    >>> edge_of(100, 80.4, 100.3), edge_of(100, 80.4, 99.2), edge_of(100, 98.8, 120), edge_of(100, 80, 120)
    ('1 point from over-priced', '1 point from fair', '2 points from under-priced', '')
    """
    verdict = verdict_of(points, low, high)
    if np.isnan(low) or verdict == UNDECIDED:
        return ""
    steps = range(1, max(int(NEAR_EDGE * points), 1) + 1)
    for step, sign in product(steps, (1, -1)):
        if (other := verdict_of(points + sign * step, low, high)) != verdict:
            return f"{counted(step, 'point')} from {other}"
    return ""


def kind_of_doubt(doubt: str) -> str:
    """Why nothing can be said, without its figures: of several loadouts at once.

    >>> kind_of_doubt("anything from 54 to 114 points may be fair, by whom it meets and where")
    'too much hangs on whom it meets'
    """
    return next((kind for words, kind in _KINDS.items() if words in doubt), doubt)


def _verdicts(points: Array, figures: Array, reasons: Reasons, dearer: Mapping[int, tuple[int, str]]) -> list[_Verdict]:
    """A verdict and its reason for each loadout; `figures` are its fair points, low, high, and the other way."""
    found = []
    for at, (today, (fair, low, high, other)) in enumerate(zip(points.tolist(), figures.T.tolist())):
        verdict, doubt = verdict_of(today, low, high), ""
        twin = at in dearer and verdict == OVER
        sign = _SIGNS[verdict]
        if np.isnan(fair):
            doubt = f"fewer than {FEWEST_PEERS} other units here are of its role, so that nothing is usual"
        elif verdict == UNDECIDED:
            ends = " to ".join(ends_text(today, low, high))
            doubt = f"anything from {ends} points may be fair, by whom it meets and where"
        elif sign and not twin and (uncounted := reasons.uncounted(at, -sign)):
            doubt = f"by its fights it should cost {fair:.0f} points, but nothing here counts {uncounted}"
        elif sign and not twin and (today > fair) != (today > other):
            doubt = f"it should cost {fair:.0f} points to destroy as much as it loses, but {other:.0f} to win as often"
        why = doubt or (dearer[at][1] if twin else reasons.why(at, sign))
        edge = "" if doubt else edge_of(today, low, high)
        found.append(_Verdict(verdict_of(today, low, high, doubt), doubt, edge, why))
    return found


def _dearer(found: Matchups, exchange: Exchange) -> dict[int, tuple[int, str]]:
    """Of whom another does all that it does, has all that it has, and costs less: what that costs, and who it is."""
    pairs = dominations(found.frame, found.attackers)
    equals = pairs[~pairs["has_besides"].astype(bool) & (pairs["points_saved"] > 0)]
    equals = equals[equals["by"].isin([each.selector for each in exchange.loadouts])]
    cheapest = equals.sort_values(["points_saved", "by"], ascending=[False, True]).drop_duplicates("attacker")
    saved = cheapest.set_index("attacker")[["points_saved", "by"]].to_dict("index")
    points = exchange.points.astype(np.int64).tolist()
    return {
        at: (
            points[at] - saved[each.selector]["points_saved"],
            f"{saved[each.selector]['by']} does at least as well in every matchup, has all that it has, and costs "
            f"{counted(int(saved[each.selector]['points_saved']), 'point')} less",
        )
        for at, each in enumerate(exchange.loadouts)
        if each.selector in saved
    }


def _names(loadouts: Sequence[Loadout]) -> dict[str, list[str]]:
    return {
        "loadout": [each.selector for each in loadouts],
        "unit": [each.unit.name for each in loadouts],
        "level": [each.level_name for each in loadouts],
        "faction": [each.faction for each in loadouts],
    }


def _opponents(surplus: Array, exchange: Exchange) -> str:
    """The units against whom it does most beyond what is expected, at most :data:`MOST_OPPONENTS`, each once."""
    units: dict[str, str] = {}
    rounded, names = surplus.round(_DIGITS), np.array([each.selector for each in exchange.loadouts])
    for at in np.lexsort([names, -rounded]).tolist():
        if rounded[at] <= 0 or len(units) == MOST_OPPONENTS:
            break
        each = exchange.loadouts[at]
        units[unit_of(each.selector)] = each.unit.name
    return ", ".join(units.values())
