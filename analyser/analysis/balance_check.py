"""Check of fair points by battles: each loadout fills an army of about equal points, and every two armies fight.

Unlike these battles, fair points consider a small battlefield and the usual price of each role. So win rates are also
compared with even points, at which a unit destroys as much as it loses on the battlefield of these battles.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from analyser.analysis.approach import Battlefield
from analyser.analysis.equilibrium_prices import even_lead_prices, even_trade_prices
from analyser.analysis.mutual_losses import Exchange, exchange_of
from analyser.analysis.prices import ALL_LOADOUTS, fair_points_in, matchups_of_all
from analyser.analysis.roles import role_of
from analyser.analysis.selection import Selectors, loadouts, one_or_several
from analyser.analysis.situations import EXCHANGES
from analyser.common.answer import Block, FramedAnswer
from analyser.common.errors import InputError, check_integer
from analyser.common.estimates import Method
from analyser.common.intervals import NORMAL_95
from analyser.common.kernel_records import Floats
from analyser.common.method_settings import Progress, Sampling
from analyser.common.text import counted, fill, whole_percent
from analyser.engine.battle.battle_data import MOST_UNITS
from analyser.engine.battle.simulation import Simulation
from analyser.game.profiles import Profiles, ProfilesLike, ProfilesUsed, library_of
from analyser.game.units import Loadout
from analyser.rules.battle import Outcome
from analyser.scenarios.battle import BattleTerms, battle_scenario
from analyser.scenarios.battle_tables import encode_battle

EVERY_UNIT = "*/*@basic"
MOST_ARMIES = 200
FEWEST_ARMIES = 5  # armies needed for a correlation
MISFIT_DIFFERENCE = 0.2  # difference between win rate and expected win rate that makes a unit a misfit
MOST_TIMES_POINTS = 3  # an even price above this multiple of the unit's points is shown as a limit
_MOST_MISFITS_SHOWN = 8  # rows of each table of misfits
_RESAMPLES = 200  # bootstrap samples for the interval of the correlation


@dataclass(frozen=True, eq=False, repr=False)
class BalanceCheck(FramedAnswer):
    """Win rates of loadouts in battles, compared with the win rates that fair points predict.

    Attributes
    ----------
    frame : DataFrame
        One row for each loadout, the largest disagreement first. `win_rate` is against all other armies; a draw counts
        as half a win. `by_fair_points` is the rate expected from fair points, and `off` is `win_rate` minus this rate.
        `comes_out_even_at` is the price at which the loadout neither gains nor loses against all others together on
        this battlefield, and `by_even_points` is the rate expected from these prices.
    correlation, even_correlation : float
        Rank correlation of win rates with the armies' fair points, and with their points at the prices
        `comes_out_even_at`; `_low` and `_high` are the ends of the 95% intervals (due to the dice).
    trials : int
        Battles for each pair of armies.
    left_out : dict of str to str
        Loadouts without battles, and the reason for each.
    """

    frame: pd.DataFrame
    correlation: float
    correlation_low: float
    correlation_high: float
    even_correlation: float
    even_correlation_low: float
    even_correlation_high: float
    points: int
    trials: int
    left_out: dict[str, str]
    profiles: ProfilesUsed
    method: Method = "monte-carlo"

    schema = "analyser/balance-check/1"

    @property
    def misfits(self) -> pd.DataFrame:
        """Rows of the loadouts whose win rate differs by :data:`MISFIT_DIFFERENCE` or more from the expected rate."""
        return self.frame[self.frame["off"].abs() >= MISFIT_DIFFERENCE]

    @property
    def headline(self) -> str:
        number, verb = len(self.misfits) or "None", "wins" if len(self.misfits) == 1 else "win"
        units, difference = counted(len(self.frame), "unit"), f"{100 * MISFIT_DIFFERENCE:.0f} percentage points"
        return f"{number} of {units} {verb} {difference} more or less than fair points predict."

    @property
    def summary(self) -> dict[str, Any]:
        names = (f"{kind}correlation{end}" for kind in ("", "even_") for end in ("", "_low", "_high"))
        return {name: getattr(self, name) for name in names}

    def _body(self) -> dict[str, Any]:
        return {
            **self.summary,
            "misfits": len(self.misfits),
            "method": self.method,
            "points": self.points,
            "trials": self.trials,
            "armies": self.frame.to_dict("records"),
            "left_out": [{"loadout": name, "reason": reason} for name, reason in self.left_out.items()],
            **self.profiles.fight_entries(),
        }

    @property
    def precision(self) -> str:
        """Sentences about numbers of armies and battles, and both correlations."""
        fair, even = (
            f"{self.summary[name]:.2f} ({self.summary[f'{name}_low']:.2f} to {self.summary[f'{name}_high']:.2f})"
            for name in ("correlation", "even_correlation")
        )
        widest = (self.frame["win_rate_high"] - self.frame["win_rate_low"]).max() / 2
        return (
            f"Simulated: {counted(len(self.frame), 'army', 'armies')} of one kind of unit and about {self.points} "
            f"points each, {counted(self.trials, 'battle')} for each pair. Win rates are precise within "
            f"{100 * widest:.1f} percentage points. "
            f"The rank correlation of win rates is {fair} with fair points, and {even} with the points at which each "
            "unit comes out even on this battlefield. Fair points also consider a small battlefield and the usual "
            "price of each role. Intervals are due to the dice."
        )

    def blocks(self) -> list[Block]:
        return [
            Block(lines=[*fill(self.headline), *fill(self.precision)]),
            *self._misfit_blocks("Wins more than fair points predict", 1),
            *self._misfit_blocks("Wins less than fair points predict", -1),
        ]

    def _misfit_blocks(self, title: str, sign: int) -> list[Block]:
        rows = self.misfits[sign * self.misfits["off"] > 0]
        rates = ("win_rate", "by_fair_points", "by_even_points")
        cells = [
            [row["loadout"], f"{row['points']}", f"{row['fair_points']:.0f}", even_text(row)]
            + [whole_percent(row[name]) for name in rates]
            for row in rows.head(_MOST_MISFITS_SHOWN).to_dict("records")
        ]
        head = [title, "points", "fair", "even here", "wins", "by fair points", "by even points"]
        more = [f"and {len(rows) - len(cells)} more"] if len(rows) > len(cells) else []
        return [Block(head=head, rows=cells, align="<>>>>>>", lines=more)] if cells else []

    def notes(self) -> list[str]:
        left_out = [f"Left out: {name} ({reason})." for name, reason in self.left_out.items()]
        limits = "Not modelled: terrain, objectives, and units that depend on other units (docs/battle.md)."
        return [limits, *left_out, *self.profiles.notes()]


def even_text(row: Mapping[Any, Any]) -> str:
    """Return the even points of a unit, or ``>limit`` if they are above :data:`MOST_TIMES_POINTS` times its points."""
    most = MOST_TIMES_POINTS * row["points"]
    return f">{most}" if row["comes_out_even_at"] > most else f"{row['comes_out_even_at']:.0f}"


def balance_check(
    units: Selectors = EVERY_UNIT,
    *,
    against: Selectors = ALL_LOADOUTS,
    points: int = 600,
    trials: int = 32,
    seed: int = 0,
    profiles: ProfilesLike | None = None,
    threads: int | None = None,
    progress: Progress | bool | None = None,
) -> BalanceCheck:
    """Compare win rates in simulated battles with fair points (:func:`analyser.fair_points`).

    An army of each loadout alone fights the army of every other loadout. Both sides play the tactic ``balanced``, which
    looks one activation ahead.

    Parameters
    ----------
    units : str, Loadout, or several of them
        The loadouts to check; the name of a faction stands for its units at basic level. Default: all factions.
    against : str, Loadout, or several of them
        The opponents for fair points, as in :func:`analyser.fair_points`.
    points : int
        Approximate points of each army, which has a whole number of units.
    trials : int
        Battles for each pair of armies.
    seed, profiles, threads, progress
        As in :func:`analyser.battle`.

    Examples
    --------
    >>> found = balance_check("*/*guns@basic", against="*/*@basic", points=200, trials=4)
    >>> -1 <= found.correlation <= 1
    True
    """
    check_integer(points, "points", 1, 100_000)
    sampling = Sampling("monte-carlo", trials, seed, threads=threads, progress=progress)
    library = library_of(profiles)
    selectors = [
        f"{unit}/*@basic" if isinstance(unit, str) and unit in library.factions else unit
        for unit in one_or_several(units, "units")
    ]
    selected = loadouts(selectors, library)
    table, priced, _ = matchups_of_all(selected, against, EXCHANGES, library, threads, None)
    prices = fair_points_in(table, priced).frame
    fair = dict(zip(prices["loadout"], prices["fair_points"].astype(float)))
    frame, fighters, left_out = _armies(selected, fair, points)
    battlefield = _battlefield(_filled(fighters[:2], frame), library)
    exchange = exchange_of(table.frame, fighters, table.situations, table.ruleset, [battlefield])
    fighters = list(exchange.loadouts)
    _check_number(fighters)
    names = [loadout.selector for loadout in fighters]
    frame = frame.set_index("loadout").loc[names].reset_index().assign(comes_out_even_at=_even_points(exchange))

    wins = _round_robin(_filled(fighters, frame), sampling, library)
    army_prices, even_prices = (
        (frame["number"] * frame[name] / points).to_numpy(np.float64) for name in ("fair_points", "comes_out_even_at")
    )
    rates = _mean_over_others(wins)
    share = (wins * trials + 1) / (trials + 2)  # one win and one loss are added, so that no variance is 0
    error = np.sqrt(_mean_over_others(share * (1 - share) / trials) / (len(fighters) - 1))
    by_fair_points = _expected_rates(wins, np.log(army_prices))
    frame = frame.assign(
        win_rate=rates,
        win_rate_low=np.maximum(rates - NORMAL_95 * error, 0.0),
        win_rate_high=np.minimum(rates + NORMAL_95 * error, 1.0),
        by_fair_points=by_fair_points,
        by_even_points=_expected_rates(wins, np.log(even_prices)),
        off=rates - by_fair_points,
    )
    order = np.argsort(-np.abs(frame["off"]), kind="stable")
    return BalanceCheck(
        frame.iloc[order].reset_index(drop=True),
        *_rank_correlation(wins, army_prices, trials, seed),
        *_rank_correlation(wins, even_prices, trials, seed),
        points,
        trials,
        left_out | exchange.left_out,
        library.used,
    )


def _armies(
    selected: Sequence[Loadout], prices: Mapping[str, float], points: int
) -> tuple[pd.DataFrame, list[Loadout], dict[str, str]]:
    """Return the armies as a frame, their loadouts, and the reason for each loadout without an army."""
    left_out, rows, fighters = dict[str, str](), list[dict[str, Any]](), list[Loadout]()
    for loadout in selected:
        fair, cost = prices.get(loadout.selector, np.nan), loadout.level.points
        if loadout.unit.type == "aircraft":
            left_out[loadout.selector] = "aircraft start in reserve, and an army needs units on the battlefield"
        elif not cost or np.isnan(fair):
            left_out[loadout.selector] = "it has no fair points"
        else:
            number = max(1, round(points / cost))
            if number > MOST_UNITS:
                where, allowed = f"points: {loadout.selector}", f"up to {MOST_UNITS}: fewer points"
                raise InputError(f"{points} points are an army of {number} units", where=where, allowed=allowed)
            row = {"loadout": loadout.selector, "unit": loadout.unit.name, "role": role_of(loadout.unit)}
            rows.append({**row, "points": cost, "fair_points": fair, "number": number})
            fighters.append(loadout)
    _check_number(fighters)
    return pd.DataFrame(rows), fighters, left_out


def _filled(fighters: Sequence[Loadout], frame: pd.DataFrame) -> list[list[Loadout]]:
    return [[loadout] * number for loadout, number in zip(fighters, frame["number"].tolist())]


def _check_number(fighters: Sequence[Loadout]) -> None:
    if not FEWEST_ARMIES <= len(fighters) <= MOST_ARMIES:
        problem = f"{counted(len(fighters), 'loadout')} that can fight and have fair points"
        raise InputError(problem, where="units", allowed=f"{FEWEST_ARMIES} to {MOST_ARMIES}")


def _battlefield(armies: Sequence[Sequence[Loadout]], library: Profiles) -> Battlefield:
    """Return the battlefield of these battles; `sight_distance` is the root mean square distance at the start."""
    terms = battle_scenario(armies[0], armies[1], BattleTerms(), library.ruleset, library).terms
    assert terms.table is not None
    between_positions = terms.width / math.sqrt(6)  # root mean square, if positions along the front are uniform
    return Battlefield("battle", math.hypot(terms.gap, between_positions), (terms.table - terms.gap) / 2)


def _even_points(exchange: Exchange) -> Floats:
    """Return the even points of each loadout, scaled so that their geometric mean is that of today's points."""
    losses = exchange.mean()
    frequencies = np.full(len(losses), 1 / len(losses))
    prices = even_lead_prices(losses, frequencies, even_trade_prices(losses, frequencies).prices).prices
    return np.asarray(np.exp(prices + np.log(exchange.points).mean()), np.float64)


def _round_robin(armies: Sequence[Sequence[Loadout]], sampling: Sampling, library: Profiles) -> Floats:
    """Return each row's share of wins against each column; a draw counts as half."""
    wins = np.full((len(armies), len(armies)), np.nan)
    pairs, trials, terms = list(combinations(range(len(armies)), 2)), sampling.first_trials(), BattleTerms()
    with sampling.with_bar() as reporting:
        for done, (first, second) in enumerate(pairs, start=1):
            scenario = battle_scenario(armies[first], armies[second], terms, library.ruleset, library)
            simulation = Simulation(*encode_battle(scenario))
            counts = simulation.play(trials, int(sampling.seed), sampling.n_threads).outcomes.sum(axis=0)
            won = counts[[Outcome.VICTORY, Outcome.DEVASTATING_VICTORY]].sum() + counts[Outcome.DRAW] / 2
            wins[first, second], wins[second, first] = won / trials, 1 - won / trials
            reporting.report(done * trials, len(pairs) * trials)
    return wins


def _mean_over_others(table: Floats) -> Floats:
    return np.asarray(np.nanmean(table, axis=1), np.float64)


def _expected_rates(wins: Floats, log_prices: Floats) -> Floats:
    """Return the win rates expected from these prices, by a logistic curve of price ratios fitted to all battles."""
    from scipy.optimize import minimize_scalar

    difference = log_prices[:, None] - log_prices[None, :]
    is_pair = ~np.isnan(wins)

    def deviance(slope: float) -> float:
        expected = np.clip(1 / (1 + np.exp(-slope * difference[is_pair])), 1e-9, 1 - 1e-9)
        return float(-(wins[is_pair] * np.log(expected)).sum())

    slope = minimize_scalar(deviance, bounds=(0.0, 50.0), method="bounded").x
    return _mean_over_others(np.where(is_pair, 1 / (1 + np.exp(-slope * difference)), np.nan))


def _rank_correlation(wins: Floats, army_prices: Floats, trials: int, seed: int) -> tuple[float, float, float]:
    """Return Spearman's correlation of win rates and prices of armies, and its 95% bootstrap interval."""
    from scipy.stats import rankdata

    def correlation_of(table: Floats) -> float:
        rates = rankdata(_mean_over_others(table))
        return float(np.corrcoef(rates, rankdata(army_prices))[0, 1]) if np.ptp(rates) else 0.0  # 0 if rates are equal

    random, upper = np.random.default_rng(seed), np.triu_indices(len(wins), 1)
    share, resampled = (wins[upper] * trials + 1) / (trials + 2), list[float]()
    for _ in range(_RESAMPLES):
        table = np.full(wins.shape, np.nan)
        table[upper] = random.binomial(trials, share) / trials
        resampled.append(correlation_of(np.where(np.isnan(table), 1 - table.T, table)))
    low, high = np.percentile(resampled, (2.5, 97.5))
    correlation = correlation_of(wins)
    return correlation, min(float(low), correlation), max(float(high), correlation)
