"""Standings of loadouts that all fight each other, the effect of an edit on them, and ratings from duels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analyser.analysis import equilibrium_prices
from analyser.analysis.efficiency import HIGH, LOW, bootstrap_weights
from analyser.analysis.matchups import Matchups
from analyser.analysis.matchups_after_edit import matchups_after_edit
from analyser.analysis.mutual_losses import EXCHANGE_KINDS, exchange_of
from analyser.analysis.prices import fair_points_in
from analyser.analysis.verdict import NOISE, verdict_of
from analyser.common.errors import InputError
from analyser.common.metrics import EFFICIENCY, number_text
from analyser.common.text import counted
from analyser.game.profiles import ProfilesUsed
from analyser.game.ruleset import Ruleset
from analyser.game.units import Loadout, unit_of

ARROW = " → "
MOST_NAMED = 3  # opponents named in a sentence
_EVEN = 1e-9  # a lead below this share of all points destroyed is a rounding error
_MATCHUP_CHANGES = {"opponent": "str", "before": "float", "after": "float", "change": "float", "changes_hands": "bool"}


class Standing(NamedTuple):
    """Points, fair points and verdict of a loadout; figures that cannot be computed are NaN.

    Attributes
    ----------
    points : int or None
    efficiency : float
        Points destroyed per 100 points, on average over all attacks that it can make on the opponents, in situations
        of :data:`~analyser.analysis.mutual_losses.EXCHANGE_KINDS`.
    fair_points, fair_low, fair_high, under_probability, over_probability, verdict, lean, doubt, why, role
        As in :func:`analyser.fair_points`.
    offence, toughness : float
        As in :func:`analyser.fair_points`.
    rank, of : int or None, int
        Rank by points divided by fair points among the loadouts of its role, and the number of these. Rank 1 is the
        most over-priced.
    """

    points: int | None
    efficiency: float
    fair_points: float
    fair_low: float
    fair_high: float
    under_probability: float
    over_probability: float
    verdict: str
    lean: str
    doubt: str
    why: str
    role: str
    rank: int | None
    of: int
    offence: float
    toughness: float

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as plain data; None for missing figures."""
        return {name: None if pd.isna(value) else value for name, value in self._asdict().items()}


class Standings:
    """Loadouts that all fight each other, and the standing of each (``standings[selector]``)."""

    def __init__(self, table: Matchups) -> None:
        self.table = table
        self._exchange = exchange_of(table.frame, table.attackers, table.situations, table.ruleset)
        self.prices = fair_points_in(table, exchange=self._exchange, with_played=False)

    def after(
        self,
        loadouts: Sequence[Loadout],
        *,
        ruleset: Ruleset | None = None,
        used: ProfilesUsed | None = None,
        threads: int | None = None,
        keep: bool = False,
    ) -> Standings:
        """Return the standings of these loadouts; computes only fights that changed, and stores them if `keep`."""
        options: dict[str, Any] = {"ruleset": ruleset, "used": used, "threads": threads, "keep": keep}
        return Standings(matchups_after_edit(self.table, loadouts, loadouts, **options))

    def with_(self, changed: Iterable[Loadout], threads: int | None = None, *, keep: bool = False) -> Standings:
        """Return the standings after each changed loadout has replaced the one with the same selector."""
        loadouts = {loadout.selector: loadout for loadout in (*self.table.attackers, *changed)}
        return self.after(list(loadouts.values()), threads=threads, keep=keep)

    @cached_property
    def leads(self) -> pd.DataFrame:
        """Lead of the row over the column, -1 to 1: (points destroyed - points lost) / (their sum)."""
        gains = equilibrium_prices.leads(self._exchange.mean(), np.log(self._exchange.points))
        names = [loadout.selector for loadout in self._exchange.loadouts]
        return pd.DataFrame(gains, index=names, columns=names)

    @cached_property
    def _efficiency(self) -> pd.Series[Any]:
        exchanges = {situation.name for situation in self.table.situations if situation.kind in EXCHANGE_KINDS}
        frame = self.table.frame
        wanted = frame["situation"].isin(exchanges) & frame["attacker"].ne(frame["defender"])
        attacks = frame.loc[wanted, ["attacker", EFFICIENCY]]
        return attacks.groupby("attacker", sort=False)[EFFICIENCY].mean()

    @cached_property
    def _rows(self) -> pd.DataFrame:
        return self.prices.frame.set_index("loadout")

    @property
    def verdicts(self) -> pd.Series[str]:
        """Verdict on each loadout, by selector."""
        return self._rows["verdict"]

    def at_most(self, selector: str) -> int:
        """Return the upper limit of the fair points of a loadout: the points of a better one, else its own points."""
        row = self._rows.loc[selector]
        return int(row["points"] if pd.isna(row["at_most"]) else row["at_most"])

    def __getitem__(self, selector: str) -> Standing:
        row: Mapping[Any, Any] = self._rows.loc[selector].to_dict()
        peers = self._rows[self._rows["role"] == row["role"]]["points_over_fair"].dropna()
        ratio = row["points_over_fair"]
        facts = {name: row[name] for name in Standing._fields if name in row}
        return Standing(
            **facts | {"points": None if pd.isna(row["points"]) else int(row["points"])},
            efficiency=float(self._efficiency.get(selector, np.nan)),
            rank=None if np.isnan(ratio) else 1 + int((peers > ratio * (1 + _EVEN)).sum()),
            of=len(peers),
        )


def matchup_changes(before: Standings, after: Standings, selector: str) -> pd.DataFrame:
    """Return the change of each matchup of a loadout from `before` to `after`, the worst first.

    The columns are `opponent`; `before` and `after`, the lead of the loadout, -1 to 1; `change`; and `changes_hands`,
    True if the leader changes. Empty if the loadout has no leads.
    """
    if not all(selector in table.leads.index for table in (before, after)):
        return pd.DataFrame({name: pd.Series(dtype=kind) for name, kind in _MATCHUP_CHANGES.items()})
    both = before.leads.index.intersection(after.leads.index, sort=False).drop(selector)
    old, new = (table.leads.loc[selector].loc[both].to_numpy(np.float64) for table in (before, after))
    result = pd.DataFrame({"opponent": both, "before": old, "after": new, "change": new - old})
    result["changes_hands"] = (np.minimum(old, new) < -_EVEN) & (np.maximum(old, new) > _EVEN)
    return result.sort_values(["change", "opponent"], ignore_index=True)[list(_MATCHUP_CHANGES)]


def keep_verdict_within_noise(old: Standing, new: Standing) -> Standing:
    """Return `new`, with the verdict of `old` unless a probability changed by more than :data:`~.verdict.NOISE`.

    >>> old = Standing(60, 95.2, 70, 60, 80, 0.61, 0.0, "under-priced", "", "", "", "infantry", 9, 9, 1.2, 1.0)
    >>> new = [old._replace(under_probability=p, verdict="undecided") for p in (0.58, 0.55)]
    >>> [keep_verdict_within_noise(old, standing).verdict for standing in new]
    ['under-priced', 'undecided']
    """
    under, over = new.under_probability - old.under_probability, new.over_probability - old.over_probability
    is_noise = max(abs(under), abs(over)) <= NOISE and all(map(_verdict_follows, (old, new)))
    return new._replace(verdict=old.verdict, doubt=old.doubt) if is_noise else new


def _verdict_follows(standing: Standing) -> bool:
    """Return True if the verdict follows from the probabilities alone, without a doubt or another rule."""
    return standing.verdict == verdict_of(standing.under_probability, standing.over_probability)


class LeadChanges(NamedTuple):
    """Matchups whose leader changes with an edit: opponents that the loadout now leads, and those that now lead."""

    gained: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the number of matchups that change hands, with names.

        >>> print(LeadChanges(("imperium/krupp-field-guns@basic", "imperium/krupp-field-guns@reinforced"), ()))
        2 matchups change hands (now ahead of imperium/krupp-field-guns)
        """
        count = len(self.gained) + len(self.lost)
        if not count:
            return "no matchup changes hands"
        sides = (("ahead of", self.gained), ("behind", self.lost))
        sentences = "; ".join(f"now {relation} {_first_units(names)}" for relation, names in sides if names)
        return f"{counted(count, 'matchup')} change{'' if count > 1 else 's'} hands ({sentences})"


def lead_changes_of(changes: pd.DataFrame) -> LeadChanges:
    """Return the matchups whose leader changes, from :func:`matchup_changes`, the largest changes first."""
    result = changes[changes["changes_hands"]]
    result = result.iloc[np.argsort(-result["change"].abs(), kind="stable")]
    return LeadChanges(*(tuple(result.loc[result["after"] * sign > 0, "opponent"]) for sign in (1, -1)))


def _first_units(selectors: Sequence[str]) -> str:
    """Return the first few units by name, and the number of further ones."""
    units = list(dict.fromkeys(map(unit_of, selectors)))
    more = [f"{counted(len(units) - MOST_NAMED, 'more unit')}"] if len(units) > MOST_NAMED else []
    return ", ".join([*units[:MOST_NAMED], *more])


def change_sentence(selector: str, old: Standing, new: Standing, leads: LeadChanges) -> str:
    """Return the effect of an edit on a loadout, in one sentence.

    >>> old = Standing(60, 95.2, 76.0, 70.0, 84.0, 0.9, 0.0, "under-priced", "", "", "", "infantry", 9, 9, 1.2, 1.0)
    >>> new = old._replace(points=75, efficiency=76.2, verdict="fair", rank=5)
    >>> print(change_sentence("crown/rifle@basic", old, new, LeadChanges()))
    crown/rifle@basic: 60 → 75 points; fair 76; efficiency 95 → 76; under-priced → fair; no matchup changes hands
    """
    parts = [f"{_both(_points(old), _points(new))} points"]
    fair = _both(*(short_figure(standing.fair_points) for standing in (old, new)))
    parts += [f"fair {fair}"] if fair != DASH else []
    efficiency = _both(*(_short(standing.efficiency) for standing in (old, new)))
    without = "no attacks" if old.points and new.points else "no efficiency"
    parts.append(f"efficiency {efficiency}" if efficiency != DASH else without)
    verdict = _both(old.verdict, new.verdict) if old.verdict != new.verdict else f"still {new.verdict}"
    parts.append(f"{verdict} ({new.doubt})" if new.doubt and old.verdict != new.verdict else verdict)
    is_out = np.isnan(old.toughness) or np.isnan(new.toughness)
    return f"{selector}: {'; '.join([*parts, 'no matchup can be compared' if is_out else str(leads)])}"


def lead_text(share: float) -> str:
    """Return a lead as text. It is a share of all points that the two loadouts destroy of each other.

    >>> lead_text(0.204), lead_text(-0.5), lead_text(0.0)
    ('20% ahead', '50% behind', 'even')
    """
    if abs(share) < _EVEN:
        return "even"
    percent = round(100 * abs(share))
    return f"{percent or '<1'}% {'ahead' if share > 0 else 'behind'}"


DASH = "–"


def short_figure(value: float) -> str:
    """Return a figure as text for a sentence: whole numbers from 10; a dash for NaN."""
    return DASH if np.isnan(value) else f"{value:.0f}" if abs(value) >= 10 else number_text(value)


def _short(efficiency: float) -> str:
    return f"{efficiency:.1f}" if 0.05 <= efficiency < 10 else short_figure(efficiency)


def _points(standing: Standing) -> str:
    return "no" if standing.points is None else str(standing.points)


def _both(old: str, new: str) -> str:
    return new if old == new else f"{old}{ARROW}{new}"


REGULARISED_BY = 0.01  # duels added between every pair, half of them won by each side
_MOST_STEPS, _LONGEST_STEP, _CLOSE_ENOUGH = 50, 1.0, 1e-9  # limits of the fit, in natural logarithms of odds
A_FACTOR_OF_TEN = 400.0  # rating points for odds of ten to one, as in chess


def bradley_terry(wins: pd.DataFrame) -> pd.DataFrame:
    """Return the ratings of a Bradley-Terry model: their differences explain the probabilities of winning best.

    The fit is by choix (iterative Luce spectral ranking, Maystre and Grossglauser 2015). `wins` has the probability
    that the row beats the column, 0 to 1, a draw counting as half a win; NaN for pairs without a duel. Rows and columns
    are the same loadouts in the same order. The result has the columns `loadout`, `rating` (mean 0; 400 points are odds
    of ten to one), `low` and `high` (a 95% interval over random weights of the loadouts); the best is first.

    InputError if rows and columns differ, a probability is not from 0 to 1, or no pair has a duel.

    >>> names = ["rifles", "guns"]
    >>> wins = pd.DataFrame([[np.nan, 0.75], [0.25, np.nan]], names, names)
    >>> bradley_terry(wins).round(0)["rating"].tolist()
    [94.0, -94.0]
    """
    import choix
    from threadpoolctl import threadpool_limits

    duels = _duels(wins)
    resamples = bootstrap_weights(len(duels)) * len(duels)
    with threadpool_limits(1):  # one thread is a hundred times as fast for systems this small
        best = choix.ilsr_pairwise_dense(duels)
        fitted = np.array([best, *(_refit(duels * np.outer(weights, weights), best) for weights in resamples)])
    # Convert natural logarithms of odds to points with mean 0.
    rating, *resampled = (fitted - fitted.mean(axis=1, keepdims=True)) * (A_FACTOR_OF_TEN / np.log(10.0))
    low, high = np.percentile(np.array(resampled), (LOW, HIGH), axis=0)
    result = pd.DataFrame({"loadout": wins.index, "rating": rating, "low": low, "high": high})
    return result.sort_values("rating", ascending=False, kind="stable", ignore_index=True)


def duel_ratings(duels: pd.DataFrame) -> pd.DataFrame:
    """Return ratings as :func:`bradley_terry`, from the frame of :func:`analyser.matchups` in one situation of duels.

    If each loadout of a pair begins one duel, the probability is the mean of both. A loadout that can duel only itself
    has no row.

    Examples
    --------
    >>> import analyser
    >>> sides = "crown/rifle-platoon@*"
    >>> found = duel_ratings(analyser.matchups(sides, sides, situations=["duel"]).frame)
    >>> found["loadout"].iloc[-1]
    'crown/rifle-platoon@basic'
    """
    wins = wins_of(duels)
    return pd.DataFrame(columns=["loadout", "rating", "low", "high"]) if wins.empty else bradley_terry(wins)


def wins_of(duels: pd.DataFrame) -> pd.DataFrame:
    """Return the probability that the row beats the column, a draw counting as half; NaN for pairs without a duel."""
    names = list(dict.fromkeys([*duels["attacker"], *duels["defender"]]))
    wins = duels.assign(wins=duels["p_attacker_wins"] + duels["p_draw"] / 2)
    first = wins.pivot(index="attacker", columns="defender", values="wins").reindex(index=names, columns=names)
    second = 1.0 - first.T
    mean = ((first + second) / 2).fillna(first).fillna(second)
    result = mean.mask(np.eye(len(names), dtype=np.bool_)).clip(0.0, 1.0)
    meet = result.notna().any(axis=1)
    return result.loc[meet, meet].rename_axis(index=None, columns=None)


def _duels(wins: pd.DataFrame) -> NDArray[np.float64]:
    """Return the wins of the row over the column, with a small constant added for each pair."""
    chances = wins.to_numpy(np.float64)
    if list(wins.index) != list(wins.columns):
        raise InputError("the rows of a matrix of wins differ from its columns")
    if (chances < 0).any() or (chances > 1).any():
        raise InputError("a probability of winning is outside 0 to 1")
    if np.isnan(chances).all():
        raise InputError("no pair of loadouts can fight")
    # Without the constant, a loadout that always wins has no finite rating, and without common opponents ratings have
    # no common scale.
    duels: NDArray[np.float64] = np.nan_to_num(chances, nan=0.0) + REGULARISED_BY / 2
    np.fill_diagonal(duels, 0.0)
    return duels


def _refit(duels: NDArray[np.float64], start: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the ratings that fit `duels`, by Newton's method from the ratings of similar duels (`start`).

    The likelihood is concave, so its stationary point is also the solution of choix.
    """
    import choix

    result = start - start.mean()
    n_duels, won = duels + duels.T, duels.sum(axis=1)
    for _ in range(_MOST_STEPS):
        expected = 1.0 / (1.0 + np.exp(result[None, :] - result[:, None]))
        curvature = n_duels * expected * (1.0 - expected)
        # Only differences matter: the added constant keeps the mean and makes the matrix regular.
        matrix = np.diag(curvature.sum(axis=1)) - curvature + curvature.mean()
        try:
            step = np.linalg.solve(matrix, won - (n_duels * expected).sum(axis=1))
        except np.linalg.LinAlgError:
            break
        longest = np.abs(step).max()
        result = result + step * min(1.0, _LONGEST_STEP / longest if longest > 0 else 1.0)
        if longest < _CLOSE_ENOUGH:
            return np.asarray(result, np.float64)
    return np.asarray(choix.ilsr_pairwise_dense(duels, initial_params=start), np.float64)
