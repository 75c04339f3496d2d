"""Verdict on every loadout of a game: its fair points, their uncertainty, and the reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analyser.analysis import equilibrium_prices
from analyser.analysis.efficiency import dominations
from analyser.analysis.equilibrium_prices import Array
from analyser.analysis.hierarchical_prices import Pooled, Sides, pooled
from analyser.analysis.matchups import Matchups
from analyser.analysis.mutual_losses import Exchange
from analyser.analysis.price_drivers import Reasons, defence_of, dice_of
from analyser.analysis.roles import PAID_FOR, peers_of, role_of, usual
from analyser.common.text import counted
from analyser.game.units import Loadout, unit_of

Places = NDArray[np.int64]

OVER, UNDER, FAIR, UNDECIDED = "over-priced", "under-priced", "fair", "undecided"
CHEAP, DEAR = np.log(0.9), np.log(1.1)  # logarithms of points over fair points: wrong by more than 10%
WRONG_AT, FAIR_AT = 0.6, 0.55  # least probability of a wrong price, and of a fair one, for a verdict
NOISE = 0.05  # between versions, smaller changes of a probability change no verdict
RULE = (
    f"Under-priced: points more than 10% below the fair points, with a probability of at least {WRONG_AT:.0%}.",
    f"Over-priced: the same, more than 10% above. Fair: within 10%, with a probability of at least {FAIR_AT:.0%}.",
    "Undecided: none of these, or for the reason given.",
)
_POWER, ENDS = 0.8416, 1.96  # quantiles of the normal distribution: 80% and 97.5%
_GROUND = 5.0  # parameter of the Dirichlet distribution of grounds: with two, 95% of draws are from 21% to 79%
_CLEAR = np.array([0.5, 1.0, 0.5, 0.5])  # clear differences between profiles, in logarithms
_ALONE = 1.0  # standard deviation of a logarithm above which there is no price
_KINDS = {  # phrases in a doubt, and its name for several loadouts
    "may be fair": "fair and wrong prices are both likely",
    "but these numbers leave out": "these numbers leave out something about the unit",
}
MOST_OPPONENTS = 3
_PLAYED = 0.005  # share of an equilibrium; smaller shares are rounding
_DIGITS = 9  # of shares lost or gained; later digits are rounding
_SIGNS = {OVER: -1, UNDER: 1, FAIR: 0, UNDECIDED: 0}


class Role(NamedTuple):
    """Pay of a role for benefits that no figure counts: ratio of points of its units to worth in fights."""

    role: str
    units: int
    times: float
    paid_for: str


class Rating(NamedTuple):
    """Verdicts on all loadouts of a game; the columns of `frame` are those of :func:`analyser.fair_points`."""

    frame: pd.DataFrame
    roles: tuple[Role, ...]
    levels: dict[str, float]
    residuals: dict[str, float]
    exploitability: float
    one_number: float


def rate(answer: Matchups, exchange: Exchange, *, with_played: bool = True) -> Rating:
    """Return the verdict on every loadout of a game, and a row for loadouts outside it, in the order of the table.

    `with_played=False` is faster: it solves no equilibrium and does not load the solver.
    """
    today, losses = np.log(exchange.points), exchange.mean()
    gains = equilibrium_prices.ahead(losses, today)
    field = equilibrium_prices.response(gains, exchange.uniform_weights, exchange.meets)
    even, ahead = equilibrium_prices.even_trade(losses, field), equilibrium_prices.evenly_ahead(losses, field, today)
    roles = [role_of(loadout.unit) for loadout in exchange.loadouts]
    missing = frozenset(rule.name for rule in answer.not_modelled)
    reasons = Reasons(exchange, field, even.prices, dice_of(answer.frame, exchange), roles, missing)
    levels = [loadout.level_name for loadout in exchange.loadouts]
    sides = Sides(roles, levels, exchange.kinds, _profiles(exchange))
    prices = pooled(today - even.prices, today - ahead.prices, sides, _noise(exchange, field, even.prices))
    strength, explained = equilibrium_prices.one_number(gains, exchange.meets * np.outer(field, field))
    odd = np.where(exchange.meets, gains - (strength[:, None] - strength[None, :]), 0.0)
    played, exploitability = (
        _played(gains, _sides_of(exchange)) if with_played else (np.full(len(today), np.nan), np.nan)
    )
    judged = _judged(exchange, prices, reasons, _dominators(answer, exchange))
    peers, selectors = peers_of(roles, exchange.kinds), np.array([loadout.selector for loadout in exchange.loadouts])

    def over_usual(values: Array) -> Array:
        others = usual(peers, values, exchange.uniform_weights)
        return np.asarray(values - np.where(np.isnan(others), values, others), np.float64)

    level_pay = np.array([prices.levels[name] for name in sides.levels])
    table = pd.DataFrame(
        {
            **_names(exchange.loadouts),
            "role": roles,
            "points": pd.array(exchange.points.astype(np.int64), "Int64"),
            **{str(name): judged[name] for name in judged},
            "not_counted": [reasons.not_counted(at) for at in range(len(today))],
            "points_over_fair": exchange.points / judged["fair_points"],
            "noticed_from": _noticed_from(prices),
            "follows": prices.follows,
            "probably_over_fair": np.exp(prices.wrong),
            "error": prices.wrong_error,
            "trades_evenly_at": np.exp(even.prices + prices.game + level_pay),
            "comes_out_even_at": np.exp(today - prices.other),
            "offence": np.exp(over_usual(reasons.offence - today)),
            "toughness": np.exp(over_usual(reasons.toughness - today)),
            "met": field,
            "played": played,
            "beats": [_opponents(row, exchange, selectors) for row in odd],
            "beaten_by": [_opponents(-row, exchange, selectors) for row in odd],
        }
    )
    residuals = {"trades_evenly": even.residual, "comes_out_even": ahead.residual}
    level_pays = {name: float(np.exp(pay)) for name, pay in prices.levels.items()}
    whole = _with_those_outside(table, answer, exchange)
    return Rating(whole, _roles(prices, sides), level_pays, residuals, exploitability, explained)


def _profiles(exchange: Exchange) -> Array:
    """Return the profile figures that make units similar: SPEED, reach, DAMAGE LIMIT, and hits to destroy it.

    Figures are means over the levels of a unit. Dice and points are excluded, so they move a price only by fights.
    """
    units = [loadout.unit for loadout in exchange.loadouts]
    speed = np.log1p([unit.speed or 0.0 for unit in units])
    reach = np.log([max([row.long_range or 1.0 for row in unit.rows], default=1.0) for unit in units])
    limits = np.log([unit.damage_limit for unit in units])
    hits = np.log([loadout.level.models * defence_of(loadout.unit) for loadout in exchange.loadouts]) + limits
    figures = pd.DataFrame(np.column_stack([speed, reach, limits, hits]) / _CLEAR)
    return figures.groupby(exchange.kinds).transform("mean").to_numpy(np.float64)


def _noise(exchange: Exchange, field: Array, prices: Array) -> Array:
    """Return the errors of even prices from random opponents and grounds: a column for each unit and for each ground.

    A first-order Bayesian bootstrap over units (Rubin 1981), and a Dirichlet distribution over grounds.
    """
    by_loadout, by_ground = equilibrium_prices.sensitivity(exchange.losses, field, prices)
    kinds, grounds = np.unique(exchange.kinds), len(exchange.losses)
    by_kind = np.column_stack([by_loadout[:, exchange.kinds == kind].sum(axis=1) for kind in kinds])
    share = len(kinds) / (len(kinds) + 1), grounds / (grounds * _GROUND + 1)
    return np.hstack([by_kind * np.sqrt(share[0]), by_ground * np.sqrt(share[1])])


def _roles(prices: Pooled, sides: Sides) -> tuple[Role, ...]:
    """Return the pay of each role compared with the others, the highest first."""
    units = pd.Series(sides.kinds).groupby(list(sides.roles)).nunique()
    result = [
        Role(role, int(units[role]), float(np.exp(pay)), PAID_FOR.get(role, "")) for role, pay in prices.roles.items()
    ]
    return tuple(sorted(result, key=lambda role: -role.times))


def _normal(values: Array) -> Array:
    from scipy.special import ndtr

    return np.asarray(ndtr(values), np.float64)


def probabilities(wrong: Array, error: Array, least: Array | float = -np.inf) -> tuple[Array, Array]:
    """Return the probabilities that points are more than 10% below fair, and more than 10% above.

    Parameters
    ----------
    wrong, error : ndarray
        Logarithm of points over fair points, and its standard deviation.
    least : ndarray or float
        Lower bound of `wrong`, because the points of a better unit limit the fair points.

    Examples
    --------
    >>> [each.round(2).tolist() for each in probabilities(np.array([0.0, 0.2]), np.array([0.1, 0.1]))]
    [[0.15, 0.0], [0.17, 0.85]]
    """
    error = np.maximum(error, 1e-9)
    below, low, high = (_normal((bound - wrong) / error) for bound in (least, CHEAP, DEAR))
    possible = np.maximum(1.0 - below, 1e-12)
    under, over = (low - below) / possible, (1.0 - np.maximum(high, below)) / possible
    return np.clip(under, 0.0, 1.0), np.where(below >= 1.0 - 1e-9, least > DEAR, np.clip(over, 0.0, 1.0))


def verdict_of(under: float, over: float, doubt: str = "") -> str:
    """Return the verdict that follows from the probabilities of a wrong price; :data:`RULE` in words.

    >>> [verdict_of(*each) for each in ((0.85, 0.0), (0.1, 0.6), (0.2, 0.25), (0.3, 0.2), (0.9, 0.0, "it may fly"))]
    ['under-priced', 'over-priced', 'fair', 'undecided', 'undecided']
    """
    if doubt or np.isnan(under):
        return UNDECIDED
    if max(under, over) >= WRONG_AT:
        return UNDER if under > over else OVER
    return FAIR if 1.0 - under - over >= FAIR_AT else UNDECIDED


def lean_of(under: float, over: float) -> str:
    """Return the side on which a price is probably wrong by more than 10%, with its probability.

    >>> lean_of(0.85, 0.01), lean_of(0.1, 0.62), lean_of(0.2, 0.25), lean_of(np.nan, np.nan)
    ('probably cheap, 85%', 'probably dear, 62%', 'probably within 10%, 55%', '')
    """
    if np.isnan(under):
        return ""
    sides = {"cheap": under, "dear": over, "within 10%": 1.0 - under - over}
    side = max(sides, key=lambda name: sides[name])
    return f"probably {side}, {min(sides[side], 0.99):.0%}"


def _noticed_from(prices: Pooled) -> Array:
    """Return the share by which the points of a fair loadout must change for a verdict to notice it, with 80%.

    A change is noticed if the verdict is then no longer fair. NaN if even a fair price is too uncertain to be called
    fair.
    """
    least, most = np.zeros(len(prices.wrong)), np.full(len(prices.wrong), 1.0)
    for _ in range(40):
        middle = (least + most) / 2
        under, over = probabilities(middle, prices.wrong_error)
        is_fair = 1.0 - under - over >= FAIR_AT
        least, most = np.where(is_fair, middle, least), np.where(is_fair, most, middle)
    result = np.expm1((least + _POWER * prices.varies) / prices.follows)
    return np.asarray(np.where(least > 0, result, np.nan), np.float64)


def interval_text(low: float, high: float) -> str:
    """Return an interval of fair points in whole points.

    >>> interval_text(106.3, 124.77)
    '106–125'
    """
    return f"{low:.0f}–{high:.0f}"


def kind_of_doubt(doubt: str) -> str:
    """Return the reason for a doubt without its figures, to count several loadouts.

    >>> kind_of_doubt("anything from 54 to 114 points may be fair")
    'fair and wrong prices are both likely'
    """
    return next((kind for words, kind in _KINDS.items() if words in doubt), doubt)


class _Dominator(NamedTuple):
    """Another loadout that does at least as well in every matchup and costs no more."""

    loadout: str
    points: int
    saved: int
    besides: str  # properties of the dominated loadout that this one lacks

    @property
    def told(self) -> str:
        saved = f"{counted(self.saved, 'point')} less" if self.saved else "no more"
        return f"{self.loadout} does at least as well in every matchup, has all that it has, and costs {saved}"


def _dominators(answer: Matchups, exchange: Exchange) -> dict[int, _Dominator]:
    """Return the best dominator of each dominated loadout: preferably one that lacks nothing, then the cheapest."""
    pairs = dominations(answer.frame, answer.attackers)
    pairs = pairs[pairs["by"].isin([loadout.selector for loadout in exchange.loadouts])]
    pairs = pairs.assign(lacks=pairs["has_besides"].map(len).gt(0))
    best = pairs.sort_values(["lacks", "points_saved", "by"], ascending=[True, False, True]).drop_duplicates("attacker")
    by = best.set_index("attacker")
    places = {loadout.selector: at for at, loadout in enumerate(exchange.loadouts)}
    return {
        places[name]: _Dominator(
            row["by"], int(exchange.points[places[row["by"]]]), int(row["points_saved"]), ", ".join(row["has_besides"])
        )
        for name, row in by.to_dict("index").items()
        if name in places
    }


def _judged(exchange: Exchange, prices: Pooled, reasons: Reasons, better: Mapping[int, _Dominator]) -> pd.DataFrame:
    """Return fair points with their interval, the probabilities, the verdict and its reason, for each loadout."""
    today = np.log(exchange.points)
    at_most = np.full(len(today), np.nan)
    for at, rival in better.items():
        if not rival.besides:
            at_most[at] = rival.points
    priced = prices.error < _ALONE
    fair, width = np.where(priced, today - prices.off, np.nan), ENDS * prices.error
    figures = [np.where(priced, np.fmin(np.exp(end), at_most), np.nan) for end in (fair, fair - width, fair + width)]
    least = np.where(np.isnan(at_most), -np.inf, today - np.log(at_most))
    under, over = (np.where(priced, share, np.nan) for share in probabilities(prices.wrong, prices.wrong_error, least))
    rows = [
        _verdict(at, float(under[at]), float(over[at]), [float(end[at]) for end in figures], reasons, better.get(at))
        for at in range(len(today))
    ]
    return pd.DataFrame(
        {
            **dict(zip(("fair_points", "fair_low", "fair_high"), figures)),
            "under_probability": under,
            "over_probability": over,
            **{name: [row[at] for row in rows] for at, name in enumerate(("verdict", "lean", "doubt", "why"))},
            "at_most": at_most,
        }
    )


def _verdict(
    at: int, under: float, over: float, fair: Sequence[float], reasons: Reasons, better: _Dominator | None
) -> tuple[str, str, str, str]:
    """Return the verdict, lean, doubt and reason of a loadout."""
    lean = lean_of(under, over)
    if better and not better.besides:
        return OVER, lean, "", better.told
    if np.isnan(under):
        return UNDECIDED, "", (doubt := "no other unit here can be compared with it"), doubt
    verdict, doubt = verdict_of(under, over), ""
    sign = _SIGNS[verdict]
    if sign and (uncounted := reasons.uncounted(at, -sign)):
        doubt = f"its fights alone suggest {fair[0]:.0f} points, but these numbers leave out {uncounted}"
        return UNDECIDED, lean, doubt, doubt
    if verdict == FAIR and better:
        doubt = (
            f"{better.loadout} does as well for no more points, but these numbers leave out what this one has besides"
        )
        doubt += f": {better.besides}"
    elif verdict == UNDECIDED:
        doubt = f"anything from {fair[1]:.0f} to {fair[2]:.0f} points may be fair"
    if doubt:
        return UNDECIDED, lean, doubt, f"{doubt}; {reasons.why(at, 1 if under > over else -1)}"
    return verdict, lean, "", reasons.why(at, sign)


def _sides_of(exchange: Exchange) -> tuple[Places, Places]:
    """Return the indices of the two sides: all against all, or two groups without matchups within a group."""
    everybody = np.arange(len(exchange.loadouts))
    theirs = np.flatnonzero(exchange.meets[0])
    ours = np.flatnonzero(exchange.meets[theirs[0]])
    apart = not exchange.meets.all() and len(ours) + len(theirs) == len(everybody)
    return (ours, theirs) if apart else (everybody, everybody)


def _played(gains: Array, sides: tuple[Places, Places]) -> tuple[Array, float]:
    """Return each loadout's share of the equilibrium at today's points, and its exploitability."""
    rows, columns = sides
    ours, theirs, _, exploitability = equilibrium_prices.equilibrium(gains[np.ix_(rows, columns)])
    played = np.zeros(len(gains))
    played[columns], played[rows] = theirs, ours
    return np.where(played > _PLAYED, played, 0.0), exploitability


def _with_those_outside(table: pd.DataFrame, answer: Matchups, exchange: Exchange) -> pd.DataFrame:
    """Add a row with the reason for each loadout outside the game; return all in the order of the matchups."""
    sides = {loadout.selector: loadout for loadout in (*answer.attackers, *answer.defenders)}
    outside = [sides[name] for name in exchange.left_out]
    missing = {
        **_names(outside),
        "role": [role_of(loadout.unit) for loadout in outside],
        "points": pd.array([loadout.level.points for loadout in outside], "Int64"),
        "verdict": UNDECIDED,
        "why": list(exchange.left_out.values()),
        **dict.fromkeys(("lean", "not_counted", "beats", "beaten_by"), ""),
        "doubt": list(exchange.left_out.values()),
    }
    whole = pd.concat([table, pd.DataFrame(missing)], ignore_index=True) if outside else table
    order = {name: at for at, name in enumerate(sides)}
    return whole.sort_values("loadout", key=lambda names: names.map(order), ignore_index=True)


def _names(loadouts: Sequence[Loadout]) -> dict[str, list[str]]:
    return {
        "loadout": [loadout.selector for loadout in loadouts],
        "unit": [loadout.unit.name for loadout in loadouts],
        "level": [loadout.level_name for loadout in loadouts],
        "faction": [loadout.faction for loadout in loadouts],
    }


def _opponents(surplus: Array, exchange: Exchange, selectors: NDArray[np.str_]) -> str:
    """Return the units against which it does better than expected, the best first, at most :data:`MOST_OPPONENTS`."""
    units: dict[str, str] = {}
    rounded = surplus.round(_DIGITS)
    for at in np.lexsort([selectors, -rounded]).tolist():
        if rounded[at] <= 0 or len(units) == MOST_OPPONENTS:
            break
        loadout = exchange.loadouts[at]
        units[unit_of(loadout.selector)] = loadout.unit.name
    return ", ".join(units.values())
