"""Fair points of every loadout, their uncertainty, and the verdict with its reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from analyser.analysis import equilibrium_prices
from analyser.analysis.efficiency import dominations
from analyser.analysis.hierarchical_prices import LoadoutFeatures, PooledPrices, pool_prices
from analyser.analysis.matchups import Matchups
from analyser.analysis.mutual_losses import Exchange
from analyser.analysis.price_drivers import PriceDrivers, defence_of, dice_of
from analyser.analysis.roles import UNCOUNTED_BENEFITS, role_of
from analyser.common.kernel_records import Floats
from analyser.common.text import counted
from analyser.game.units import Loadout

OVER, UNDER, FAIR, UNDECIDED = "over-priced", "under-priced", "fair", "undecided"
_CHEAP, _DEAR = np.log(0.9), np.log(1.1)  # log(points / fair points) beyond which a price is wrong: 10% off
WRONG_AT, FAIR_AT = 0.6, 0.55  # least probabilities at which a price is judged wrong, and fair
NOISE = 0.05  # a smaller change of a probability between versions keeps the verdict
RULE = (
    f"Under-priced: points more than 10% below the fair points, with a probability of at least {WRONG_AT:.0%}.",
    "Over-priced: likewise more than 10% above them; or another loadout does as well for no more points.",
    f"Fair: within 10%, with a probability of at least {FAIR_AT:.0%}.",
    "Undecided: no probability is high enough, or another reason, which is stated, prevents a verdict.",
    "Fair points and their interval come from fights and from the points of other units.",
    "The probabilities also assume that most prices are about right.",
    "So a price can be judged fair although the fair points shown are more than 10% away.",
)
_NORMAL_80, NORMAL_97_5 = 0.8416, 1.96  # 80% and 97.5% quantiles of the standard normal distribution
_DIRICHLET = 5.0  # parameter of the weights of battlefields (tables); of two, each weighs 21% to 79% in 95% of draws
_CLEAR_DIFFERENCES = np.array([0.5, 1.0, 0.5, 0.5])  # differences of logarithms that `_profile_figures` scales to 1
_LARGEST_ERROR = 1.0  # standard deviation of log(points / fair points) from which a loadout gets no fair price
_KINDS_OF_DOUBT = {  # kind of doubt for each phrase that its text may contain
    "may be fair": "fair and wrong prices are both likely",
    "but these numbers leave out": "these numbers leave out something about the unit",
    "but only this loadout has": "these numbers leave out something about the unit",
}
_SIGNS = {OVER: -1, UNDER: 1, FAIR: 0, UNDECIDED: 0}  # 1 if a loadout is worth more than its points, -1 if less


class Role(NamedTuple):
    """A role; `times`: its points divided by its even price; `paid_for`: a benefit that no figure counts."""

    role: str
    units: int
    times: float
    paid_for: str


def judge(answer: Matchups, exchange: Exchange) -> dict[str, Any]:
    """Return the verdict on every loadout of a table of matchups, as fields of :class:`analyser.FairPoints`."""
    today, losses = np.log(exchange.points), exchange.mean()
    leads = equilibrium_prices.leads(losses, today)
    frequencies = equilibrium_prices.quantal_response(leads, exchange.uniform_weights, exchange.is_matchup)
    even = equilibrium_prices.even_trade_prices(losses, frequencies)
    even_lead = equilibrium_prices.even_lead_prices(losses, frequencies, today)
    roles = [role_of(loadout.unit) for loadout in exchange.loadouts]
    dice, not_modelled = dice_of(answer.frame, exchange), frozenset(rule.name for rule in answer.not_modelled)
    drivers = PriceDrivers(exchange, frequencies, even.prices, dice, roles, not_modelled)
    levels = [loadout.level_name for loadout in exchange.loadouts]
    features = LoadoutFeatures(roles, levels, exchange.unit_numbers, _profile_figures(exchange))
    noise = _noise(exchange, frequencies, even.prices)
    prices = pool_prices(today - even.prices, today - even_lead.prices, features, noise)
    pair_frequencies = exchange.is_matchup * np.outer(frequencies, frequencies)
    _, explained = equilibrium_prices.strengths(leads, pair_frequencies)
    judged = _verdict_table(exchange, prices, drivers, _dominators(answer, exchange))
    level_effects = np.array([prices.levels[name] for name in levels])
    table = pd.DataFrame(
        {
            **_names(exchange.loadouts),
            "points": pd.array(exchange.points.astype(np.int64), "Int64"),
            **judged,
            "not_counted": [drivers.uncounted_rules(index) for index in range(len(today))],
            "points_over_fair": exchange.points / judged["fair_points"],
            "noticed_from": _noticed_from(prices),
            "sensitivity": prices.sensitivity,
            "probably_over_fair": np.exp(prices.posterior_ratio),
            "error": prices.posterior_error,
            "trades_evenly_at": np.exp(even.prices + prices.common_effect + level_effects),
            "comes_out_even_at": np.exp(today - prices.other_ratio),
            "offence": drivers.offence,
            "toughness": drivers.toughness,
            "frequency": frequencies,
        }
    )
    return {
        "frame": _with_loadouts_outside(table, answer, exchange),
        "roles": _role_ratios(prices, features),
        "levels": {name: float(np.exp(effect)) for name, effect in prices.levels.items()},
        "residuals": {"trades_evenly": even.residual, "comes_out_even": even_lead.residual},
        "transitive_share": explained,
    }


def _profile_figures(exchange: Exchange) -> Floats:
    """Return scaled logarithms of what makes units similar: SPEED, reach, DAMAGE LIMIT, and hits to destroy a unit."""
    units = [loadout.unit for loadout in exchange.loadouts]
    speed = np.log1p([unit.speed or 0.0 for unit in units])
    reach = np.log([max([row.long_range or 1.0 for row in unit.rows], default=1.0) for unit in units])
    limits = np.log([unit.damage_limit for unit in units])
    hits = np.log([loadout.level.models * defence_of(loadout) for loadout in exchange.loadouts]) + limits
    figures = pd.DataFrame(np.column_stack([speed, reach, limits, hits]) / _CLEAR_DIFFERENCES)
    return figures.groupby(exchange.unit_numbers).transform("mean").to_numpy(np.float64)


def _noise(exchange: Exchange, frequencies: Floats, prices: Floats) -> Floats:
    """Return the errors of even-trade prices due to each unit among the opponents and to each battlefield.

    Units have the weights of a first-order Bayesian bootstrap (Rubin 1981), battlefields Dirichlet weights.
    """
    by_loadout, by_battlefield = equilibrium_prices.price_sensitivity(exchange.losses, frequencies, prices)
    kinds, n = np.unique(exchange.unit_numbers), len(exchange.losses)
    by_kind = np.column_stack([by_loadout[:, exchange.unit_numbers == kind].sum(axis=1) for kind in kinds])
    share = len(kinds) / (len(kinds) + 1), n / (n * _DIRICHLET + 1)
    return np.hstack([by_kind * np.sqrt(share[0]), by_battlefield * np.sqrt(share[1])])


def _role_ratios(prices: PooledPrices, features: LoadoutFeatures) -> tuple[Role, ...]:
    units = pd.Series(features.unit_numbers).groupby(list(features.roles)).nunique()
    result = [
        Role(role, int(units[role]), float(np.exp(effect)), UNCOUNTED_BENEFITS.get(role, ""))
        for role, effect in prices.roles.items()
    ]
    return tuple(sorted(result, key=lambda role: -role.times))


def probabilities(log_ratio: Floats, error: Floats) -> tuple[Floats, Floats]:
    """Return the probabilities that points are more than 10% below the fair points, and more than 10% above.

    >>> [side.round(2).tolist() for side in probabilities(np.array([0.0, 0.2]), np.array([0.1, 0.1]))]
    [[0.15, 0.0], [0.17, 0.85]]
    """
    from scipy.special import ndtr

    error = np.maximum(error, 1e-9)
    return ndtr((_CHEAP - log_ratio) / error), ndtr((log_ratio - _DEAR) / error)


def verdict_of(under: float, over: float) -> str:
    """Return the verdict that follows from the probabilities of a wrong price by :data:`RULE`.

    >>> [verdict_of(*values) for values in ((0.85, 0.0), (0.1, 0.6), (0.2, 0.25), (0.3, 0.2))]
    ['under-priced', 'over-priced', 'fair', 'undecided']
    """
    if np.isnan(under):
        return UNDECIDED
    if max(under, over) >= WRONG_AT:
        return UNDER if under > over else OVER
    return FAIR if 1.0 - under - over >= FAIR_AT else UNDECIDED


def follows(verdict: str, under: float, over: float) -> bool:
    """Return True if the probabilities alone decide a verdict, without a doubt or a better loadout."""
    return verdict == verdict_of(under, over)


def is_noise(old: tuple[str, float, float], new: tuple[str, float, float]) -> bool:
    """Return True if probabilities alone decide both verdicts, and no probability changes by more than :data:`NOISE`.

    `old` and `new` have the verdict, and the probabilities of an under-priced and of an over-priced loadout.

    >>> is_noise(("under-priced", 0.61, 0.0), ("undecided", 0.58, 0.0))
    True
    >>> is_noise(("under-priced", 0.61, 0.0), ("over-priced", 0.61, 0.0))  # a better loadout decides
    False
    """
    change = max(abs(new[1] - old[1]), abs(new[2] - old[2]))
    return bool(change <= NOISE) and follows(*old) and follows(*new)


def lean_of(under: float, over: float) -> str:
    """Return the most likely case in words, with its probability rounded down.

    >>> lean_of(0.85, 0.01), lean_of(0.1, 0.62), lean_of(0.2, 0.25), lean_of(np.nan, np.nan)
    ('probably cheap, 85%', 'probably dear, 62%', 'probably within 10%, 55%', '')
    """
    if np.isnan(under):
        return ""
    sides = {"cheap": under, "dear": over, "within 10%": 1.0 - under - over}
    side = max(sides, key=lambda name: sides[name])
    return f"{'probably' if sides[side] >= 0.5 else 'possibly'} {side}, {rounded_down(sides[side])}"


def rounded_down(probability: float) -> str:
    """Return a probability in whole percent, rounded down: 59.9% must not look like :data:`WRONG_AT`."""
    return f"{int(100 * min(probability, 0.99) + 1e-9)}%"


def _noticed_from(prices: PooledPrices) -> Floats:
    """Return the share by which a right price must rise to lose the verdict `fair` in 80% of cases.

    NaN if the error is so large that no price is judged fair.
    """
    least, most = np.zeros(len(prices.log_ratio)), np.full(len(prices.log_ratio), 1.0)
    for _ in range(40):
        middle = (least + most) / 2
        under, over = probabilities(middle, prices.posterior_error)
        is_fair = 1.0 - under - over >= FAIR_AT
        least, most = np.where(is_fair, middle, least), np.where(is_fair, most, middle)
    result = np.expm1((least + _NORMAL_80 * prices.spread_if_fair) / prices.sensitivity)
    return np.asarray(np.where(least > 0, result, np.nan), np.float64)


def interval_text(low: float, high: float) -> str:
    """Return an interval of fair points in whole points; a dash if there are no fair points."""
    return "–" if np.isnan(low) else f"{low:.0f}–{high:.0f}"


def kind_of_doubt(doubt: str) -> str:
    """Return the kind of a doubt, without names and figures."""
    return next((kind for words, kind in _KINDS_OF_DOUBT.items() if words in doubt), doubt)


class _Dominator(NamedTuple):
    """Another loadout that does at least as well in every matchup and costs no more."""

    loadout: str
    saved: int
    besides: str  # properties that only the dominated loadout has


def _dominators(answer: Matchups, exchange: Exchange) -> dict[int, _Dominator]:
    """Return the best dominator of each dominated loadout: if possible one that lacks nothing, then the cheapest."""
    indices = {loadout.selector: index for index, loadout in enumerate(exchange.loadouts)}
    pairs = dominations(answer.frame, answer.attackers)
    pairs = pairs[pairs["by"].isin(indices) & pairs["attacker"].isin(indices)]
    pairs = pairs.assign(lacks=pairs["has_besides"].map(len).gt(0))
    best = pairs.sort_values(["lacks", "points_saved", "by"], ascending=[True, False, True]).drop_duplicates("attacker")
    columns = best[["attacker", "by", "points_saved", "has_besides"]].itertuples(index=False)
    return {indices[name]: _Dominator(by, int(saved), ", ".join(besides)) for name, by, saved, besides in columns}


def _verdict_table(
    exchange: Exchange, prices: PooledPrices, drivers: PriceDrivers, better: Mapping[int, _Dominator]
) -> dict[str, Any]:
    today = np.log(exchange.points)
    at_most = np.full(len(today), np.nan)
    for index, dominator in better.items():
        if not dominator.besides:
            at_most[index] = exchange.points[index] - dominator.saved
    priced = prices.error < _LARGEST_ERROR
    fair, width = np.where(priced, today - prices.log_ratio, np.nan), NORMAL_97_5 * prices.error
    figures = [np.where(priced, np.exp(end), np.nan) for end in (fair, fair - width, fair + width)]
    chances = probabilities(prices.posterior_ratio, prices.posterior_error)
    under, over = (np.where(priced, chance, np.nan) for chance in chances)
    rows = [
        _verdict_on(index, float(under[index]), float(over[index]), list(map(float, fair)), drivers, better.get(index))
        for index, fair in enumerate(zip(*figures))
    ]
    return {
        **dict(zip(("fair_points", "fair_low", "fair_high"), figures)),
        "under_probability": under,
        "over_probability": over,
        **dict(zip(("verdict", "lean", "doubt", "why"), map(list, zip(*rows)))),
        "at_most": at_most,
    }


def _verdict_on(
    index: int, under: float, over: float, fair: Sequence[float], drivers: PriceDrivers, better: _Dominator | None
) -> tuple[str, str, str, str]:
    less = f"{counted(better.saved, 'point')} less" if better and better.saved else ""
    if better and not better.besides:
        does = "does at least as well in every matchup, has every property of this loadout, and"
        return OVER, "", "", f"{better.loadout} {does} costs {less or 'no more'}"
    if np.isnan(under):
        return UNDECIDED, "", (doubt := "no other unit here can be compared with it"), doubt
    verdict, lean, doubt = verdict_of(under, over), lean_of(under, over), ""
    sign = _SIGNS[verdict]
    if sign and (uncounted := drivers.uncounted_benefits(index, -sign)):
        doubt = f"its fights alone suggest {fair[0]:.0f} points, but these numbers leave out {uncounted}"
        return UNDECIDED, lean, doubt, doubt
    if verdict == FAIR and better:
        price = less or "the same points"
        doubt = f"{better.loadout} does as well for {price}, but only this loadout has: {better.besides}"
    elif verdict == UNDECIDED:
        doubt = f"anything from {fair[1]:.0f} to {fair[2]:.0f} points may be fair"
    if doubt:
        return UNDECIDED, lean, doubt, f"{doubt}; {drivers.why(index, 1 if under > over else -1)}"
    return verdict, lean, "", drivers.why(index, sign)


def _with_loadouts_outside(table: pd.DataFrame, answer: Matchups, exchange: Exchange) -> pd.DataFrame:
    """Return the table with the loadouts left out, in the order of the matchups."""
    sides = {loadout.selector: loadout for loadout in (*answer.attackers, *answer.defenders)}
    outside = [sides[name] for name in exchange.left_out]
    missing = {
        **_names(outside),
        "points": pd.array([loadout.level.points for loadout in outside], "Int64"),
        **{"verdict": UNDECIDED, "lean": "", "not_counted": ""},
        **{name: list(exchange.left_out.values()) for name in ("doubt", "why")},
    }
    all_rows = pd.concat([table, pd.DataFrame(missing)], ignore_index=True) if outside else table
    order = {name: index for index, name in enumerate(sides)}
    return all_rows.sort_values("loadout", key=lambda names: names.map(order), ignore_index=True)


def _names(loadouts: Sequence[Loadout]) -> dict[str, list[str]]:
    return {
        "loadout": [loadout.selector for loadout in loadouts],
        "unit": [loadout.unit.name for loadout in loadouts],
        "level": [loadout.level_name for loadout in loadouts],
        "faction": [loadout.faction for loadout in loadouts],
        "role": [role_of(loadout.unit) for loadout in loadouts],
    }
