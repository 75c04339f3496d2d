"""Fair points: the price that each loadout should have, with an interval, a verdict and its reasons."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
import pandas as pd

from analyser import plots
from analyser.analysis.grid import METHOD
from analyser.analysis.matchups import Matchups, matchups
from analyser.analysis.mutual_losses import EXCHANGE_KINDS, Exchange, exchange_of
from analyser.analysis.roles import ROLE_DESCRIPTIONS
from analyser.analysis.selection import Selectors, loadouts, one_or_several
from analyser.analysis.situations import ALL_SITUATIONS, EXCHANGES, Situation, situations_named
from analyser.analysis.verdict import FAIR, OVER, RULE, UNDECIDED, UNDER, Role, interval_text, judge, kind_of_doubt
from analyser.common.answer import Block, FramedAnswer, plain_rows
from analyser.common.errors import InputError
from analyser.common.estimates import Method
from analyser.common.method_settings import Progress
from analyser.common.text import counted, fill
from analyser.game.names import faction_name
from analyser.game.profiles import ProfilesLike, ProfilesUsed, library_of
from analyser.game.units import Loadout, unit_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ALL_LOADOUTS = "*/*"
CAVEATS = "Not counted: terrain, flanks and rear, activation order, objectives, orders, synergies, passengers."
MOST_SHOWN, MOST_NAMED = 5, 2  # largest numbers of loadouts and factions in a text


class Opponents(NamedTuple):
    """Number of opponents by faction, with the loadout itself; `added`: opponents only because they are judged."""

    factions: Mapping[str, int]
    added: Mapping[str, int] = Counter()

    @property
    def loadouts(self) -> int:
        return sum(self.factions.values())

    @property
    def in_short(self) -> str:
        """Description of the opponents in a few words."""
        names = list(map(faction_name, self._stated))
        factions = " and ".join(names) if len(names) <= MOST_NAMED else f"{len(names)} factions"
        return f"against {counted(self._stated.total(), 'loadout')} of {factions}"

    def __str__(self) -> str:
        counts = ", ".join(f"{faction_name(name)} {count}" for name, count in self._stated.items())
        added = sum(self.added.values())
        also = f" and {'the unit itself' if added == 1 else f'the {added} judged loadouts'}" if added else ""
        return f"against {counted(self._stated.total(), 'loadout')} ({counts}){also}"

    @property
    def _stated(self) -> Counter[str]:
        return Counter(self.factions) - Counter(self.added)

    def as_dict(self) -> dict[str, Any]:
        return {"loadouts": self.loadouts, "factions": dict(self.factions)}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class JudgedAnswer(FramedAnswer):
    """An answer about prices, which depend on opponents and situations; `caveats` states what prices leave out."""

    situations: tuple[Situation, ...]
    profiles: ProfilesUsed
    opponents: Opponents
    caveats: ClassVar[str] = CAVEATS
    method: ClassVar[Method] = METHOD

    @property
    def judged(self) -> str:
        """Opponents and situations on which the prices depend, in words."""
        return f"Judged {self.opponents}, by {', '.join(situation.name for situation in self.situations)}"

    @abstractmethod
    def _figures(self) -> dict[str, Any]:
        """Return the entries of :meth:`as_dict` other than the conditions."""

    def _body(self) -> dict[str, Any]:
        return {
            "method": self.method,
            "caveats": self.caveats,
            "judged_among": self.opponents.as_dict(),
            "situations": [situation.name for situation in self.situations],
            **self._figures(),
            **self.profiles.fight_entries(),
        }

    def rows(self) -> list[dict[str, Any]]:
        first = {"loadout": self.loadout} if hasattr(self, "loadout") else {}
        last = {"judged_against": self.opponents.in_short.removeprefix("against "), "profiles": str(self.profiles)}
        return [{**first, **row, **last} for row in plain_rows(self.frame)]

    def notes(self) -> list[str]:
        return [self.caveats, *self.profiles.notes()]


@dataclass(frozen=True, eq=False, repr=False)
class FairPoints(JudgedAnswer):
    """Fair points of every loadout.

    Attributes
    ----------
    frame : DataFrame
        One row for each loadout; see :func:`fair_points`.
    levels : dict of str to float
        Cost of a level relative to other levels, for equal value in fights: 1.1 is 10% more.
    residuals : dict of str to float
        Largest imbalance that each of the two pricing methods leaves; about 0 if the method has converged.
    transitive_share : float
        Share (0 to 1) of the results of fights that one number for the strength of each loadout explains.
    """

    frame: pd.DataFrame
    roles: tuple[Role, ...]
    levels: dict[str, float]
    residuals: dict[str, float]
    transitive_share: float

    schema = "analyser/fair-points/1"

    @property
    def headline(self) -> str:
        counts = ", ".join(f"{count} {verdict}" for verdict, count in self.counts.items())
        return f"Of {counted(len(self.frame), 'loadout')}: {counts}."

    def _figures(self) -> dict[str, Any]:
        return {
            "interval": self.interval_covers,
            "rule": " ".join(RULE),
            "one_number_explains": self.transitive_share,
            "residuals": self.residuals,
            "roles": [role._asdict() for role in self.roles],
            "levels": self.levels,
            "loadouts": plain_rows(self.frame),
        }

    def for_loadouts(self, shown: Iterable[str]) -> FairPoints:
        """Return these prices with the rows of some loadouts only, still judged against all opponents."""
        return replace(self, frame=self.frame[self.frame["loadout"].isin(list(shown))].reset_index(drop=True))

    @property
    def counts(self) -> dict[str, int]:
        """Number of loadouts with each verdict, the most frequent first."""
        return counts_of(self.frame["verdict"])

    @property
    def doubts(self) -> dict[str, int]:
        """Number of undecided loadouts by the kind of doubt, the most frequent first."""
        doubts = self.frame.loc[self.frame["verdict"] == UNDECIDED, "doubt"].map(kind_of_doubt)
        return counts_of(doubts)

    @property
    def interval_covers(self) -> str:
        """Probability of the intervals of fair points, and the variation that they allow for, as text."""
        kinds = {situation.kind for situation in self.situations}
        ground = ", shorter or longer distances" if kinds >= set(EXCHANGE_KINDS) else ""
        return f"95%; it allows for other such opponents{ground} and errors in the prices of similar units"

    def plot(self, ax: Axes | None = None, **more: Any) -> Axes:
        """Draw points against fair points, with a grey band for the typical interval."""
        return plots.fair_points(self, ax=ax, **more)

    def units_with_verdict(self, verdict: str) -> pd.DataFrame:
        """Return the units with a verdict, farthest from fair points first; `also` has further levels of the unit."""
        result = self.frame[self.frame["verdict"] == verdict]
        log_ratios = np.log(result["points_over_fair"].to_numpy(np.float64))
        distances = {OVER: log_ratios, UNDER: -log_ratios}.get(verdict, np.abs(log_ratios))
        result = result.iloc[np.argsort(-distances, kind="stable")]
        units = result["loadout"].map(unit_of)
        levels = result.groupby(units, sort=False)["level"].agg(lambda names: ", ".join(names.iloc[1:]))
        return result[~units.duplicated()].assign(also=levels.to_numpy())

    def blocks(self) -> list[Block]:
        counts = ", ".join(f"{self.counts.get(verdict, 0)} {verdict}" for verdict in (OVER, UNDER, FAIR, UNDECIDED))
        doubts = "; ".join(f"{kind} ({count})" for kind, count in self.doubts.items())
        levels = ", ".join(f"{name} {times:.2f}" for name, times in self.levels.items())
        loadouts = counted(len(self.frame), "loadout")
        heading = [
            f"Fair points of {loadouts} {self.opponents.in_short} ({self.method}): {counts}.",
            *([f"Reasons for undecided: {doubts}."] if doubts else []),
            f"{self.judged}; other opponents or situations give other prices and reasons.",
        ]
        roles = [
            (f"  {role.role}", counted(role.units, "unit"), f"{role.times:.2f}", ROLE_DESCRIPTIONS.get(role.role, ""))
            for role in self.roles
        ]
        title = "Points of each role divided by its value in fights (verdicts do not judge this ratio):"
        by_level = fill(f"The same for each level, relative to the other levels of a unit: {levels}.")
        explained = (
            f"One number for the strength of each loadout would explain {100 * self.transitive_share:.0f}% of the "
            "differences between matchups; the rest depends on the pairing, as in rock, paper, scissors."
        )
        return [
            Block(lines=[line for text in heading for line in fill(text)]),
            *self._loadout_blocks(),
            Block("\n".join(fill(title)), rows=roles, align="<>><", lines=by_level),
            Block(lines=fill(explained)),
            Block(lines=[f"Interval: {self.interval_covers}.", *RULE]),
        ]

    def _loadout_blocks(self) -> list[Block]:
        if len(self.frame) <= 2 * MOST_SHOWN:
            return [Block(lines=_loadout_lines(self.frame, with_verdict=True))]
        extremes = ((verdict, self.units_with_verdict(verdict).head(MOST_SHOWN)) for verdict in (OVER, UNDER))
        return [Block(f"Most {verdict}:", lines=_loadout_lines(rows)) for verdict, rows in extremes if len(rows)]


def fair_points(
    units: Selectors | Matchups = ALL_LOADOUTS,
    *,
    against: Selectors = ALL_LOADOUTS,
    situations: str | Situation | Sequence[Situation | str] = EXCHANGES,
    profiles: ProfilesLike | None = None,
    threads: int | None = None,
    progress: Progress | bool | None = None,
) -> FairPoints:
    """Return the fair points of each loadout with an interval, a verdict and its reason.

    Every two loadouts fight for six rounds, from the first possible shot. Far apart they shoot; near, each takes the
    action (an aimed shot or a charge) that gains most points at today's prices. At the even-trade price a loadout
    destroys as many points of its opponents as it loses. Fights do not show some benefits (orders of commanders,
    capacity of transports). These are estimated from the prices of other units: `fair_points` is the even-trade price
    times a factor for each role, level and group of similar units. `docs/balance.md` explains the method.

    Parameters
    ----------
    units : str, Loadout, several of them, or Matchups
        Loadouts to price; or a table of matchups in both directions, whose duels are ignored.
    against : str, Loadout, or several of them
        The opponents, which fight each other and `units`. A loadout of `units` replaces an opponent with the same
        selector. Default: all factions of the profiles.
    situations : str, Situation, or several of them
        As in :func:`analyser.matchups`, but no duels.
    profiles, threads, progress
        As in :func:`analyser.matchups`.

    Returns
    -------
    FairPoints
        The frame has one row for each loadout. NaN stands for figures of loadouts that cannot be compared. The columns:

        - `loadout`, `unit`, `level`, `faction`, `role`, `points`;
        - `fair_points`, with the 95% interval `fair_low` to `fair_high`;
        - `under_probability`, `over_probability` of points more than 10% below, or above, the fair points;
        - `verdict`, by :data:`analyser.analysis.verdict.RULE`; `lean`, the likeliest of cheap, dear and within 10%;
          `doubt`, why the verdict is undecided; `why`, the reasons for the verdict;
        - `at_most`, the points of a better loadout of any faction, which make this one over-priced (NaN without one);
        - `not_counted`, the loadout's special rules that no figure includes and that most units of its role lack;
        - `points_over_fair`, points divided by fair points; `noticed_from`, the share by which an exactly fair
          price must rise to lose the verdict fair with 80% probability;
        - `probably_over_fair`, `points_over_fair` if most prices are assumed to be about fair; `error`, the standard
          deviation of log(`probably_over_fair`); `sensitivity`, the change of log(`probably_over_fair`) per change of
          log(points), 0 to 1;
        - `trades_evenly_at`, the price without the factors for the role and for similar units;
        - `comes_out_even_at`, fair points by another method: no loadout has a lead over all opponents together
          (:func:`analyser.analysis.equilibrium_prices.even_lead_prices`);
        - `offence` and `toughness`, per point, divided by the median of the other units of the role, if there are any;
        - `frequency`, the frequency among the opponents.

    Examples
    --------
    >>> found = fair_points("crown/*@basic", against="*/*@basic", situations=["long-range"])
    >>> rifles = found.frame.set_index("loadout").loc["crown/rifle-platoon@basic"]
    >>> bool(rifles["fair_low"] <= rifles["fair_points"] <= rifles["fair_high"])
    True
    """
    if isinstance(units, Matchups):
        return fair_points_in(units)
    table, priced, opponents = matchups_of_all(units, against, situations, profiles, threads, progress)
    return fair_points_in(table, priced, opponents=opponents)


def fair_points_in(
    answer: Matchups,
    shown: Iterable[str] | None = None,
    *,
    exchange: Exchange | None = None,
    opponents: Opponents | None = None,
) -> FairPoints:
    """Return the prices from a table of matchups, for all loadouts or those `shown`.

    `exchange` has the mutual losses of the table, if already computed. `opponents` default to all loadouts.
    """
    from threadpoolctl import threadpool_limits

    _check_exchange(answer.situations)
    sides = {loadout.selector: loadout for loadout in (*answer.attackers, *answer.defenders)}
    if exchange is None:
        exchange = exchange_of(answer.frame, tuple(sides.values()), answer.situations, answer.ruleset)
    if len(exchange.loadouts) < 2:
        reasons = _grouped_by_reason(exchange.left_out) or "fewer than two loadouts"
        problem, allowed = f"no two loadouts exchange losses: {reasons}", "loadouts with points that attack each other"
        raise InputError(problem, where="prices", allowed=allowed)
    exchanged = tuple(situation for situation in answer.situations if situation.kind in EXCHANGE_KINDS)
    if len(exchanged) < len(answer.situations):  # duels count neither for prices nor for dominance
        rows = answer.frame["situation"].isin([situation.name for situation in exchanged])
        answer = replace(answer, frame=answer.frame[rows], situations=exchanged)
    with threadpool_limits(1):  # one thread is fastest for so few equations, and gives equal results on all processors
        verdicts = judge(answer, exchange)
    opponents = opponents or opponents_of(sides.values())
    prices = FairPoints(**verdicts, situations=exchanged, profiles=answer.profiles, opponents=opponents)
    return prices if shown is None else prices.for_loadouts(shown)


def _check_exchange(situations: Sequence[Situation]) -> None:
    if not any(situation.kind in EXCHANGE_KINDS for situation in situations):
        problem = "prices cannot be computed from duels alone"
        raise InputError(problem, where="situations", allowed="a situation with shooting or a charge")


def _grouped_by_reason(left_out: Mapping[str, str]) -> str:
    groups: dict[str, list[str]] = {}
    for name, reason in left_out.items():
        groups.setdefault(reason, []).append(name)
    return "; ".join(
        f"{first}{f' and {len(others)} more' if others else ''}: {reason}"
        for reason, (first, *others) in groups.items()
    )


def matchups_of_all(
    units: Selectors,
    against: Selectors,
    situations: str | Situation | Sequence[Situation | str],
    profiles: ProfilesLike | None,
    threads: int | None,
    progress: Progress | bool | None,
) -> tuple[Matchups, dict[str, Loadout], Opponents]:
    """Return the matchups (no duels) of opponents and `units` together, the `units` by selector, and the opponents."""
    stated, library = situations_named(situations), library_of(profiles)
    _check_exchange(stated)
    exchanged = [situation for situation in stated if situation.kind in EXCHANGE_KINDS]
    names = one_or_several(situations, "situations", (str, Situation))
    if len(exchanged) < len(stated) and ALL_SITUATIONS not in names:
        allowed = ", ".join(situation.name for situation in EXCHANGES)
        raise InputError("duels do not count for prices", where="situations", allowed=allowed)
    priced = {loadout.selector: loadout for loadout in loadouts(units, library)}
    stated_opponents = {loadout.selector: loadout for loadout in loadouts(against, library)}
    all_loadouts = list((stated_opponents | priced).values())
    if len(all_loadouts) == 1:
        problem = f"{all_loadouts[0].selector} has no opponents but itself"
        raise InputError(problem, where="against", allowed=f"other loadouts, such as {ALL_LOADOUTS}")
    options: dict[str, Any] = {"situations": exchanged, "profiles": library, "threads": threads, "progress": progress}
    added = [loadout for loadout in priced.values() if loadout.selector not in stated_opponents]
    return matchups(all_loadouts, all_loadouts, **options), priced, opponents_of(all_loadouts, added)


def opponents_of(all_loadouts: Iterable[Loadout], added: Iterable[Loadout] = ()) -> Opponents:
    """Return the number of opponents by faction; `added` are opponents only because they are judged."""
    return Opponents(*(Counter(loadout.faction for loadout in part) for part in (all_loadouts, added)))


def counts_of(column: pd.Series[Any]) -> dict[str, int]:
    """Return the number of rows with each value, such as a verdict, the most frequent first."""
    return {str(value): int(count) for value, count in column.value_counts().items()}


def _loadout_lines(answer: pd.DataFrame, *, with_verdict: bool = False) -> list[str]:
    lines = []
    for row in answer.to_dict("records"):
        is_priced = not np.isnan(row["fair_points"])
        ends = interval_text(row["fair_low"], row["fair_high"]) if is_priced else ""
        fair = f", fair {row['fair_points']:.0f} ({ends})" if is_priced else ""
        verdict = f": {row['verdict']}" if with_verdict else ""
        verdict += f" ({row['lean']})" if row["lean"] else ""
        points = "no" if pd.isna(row["points"]) else row["points"]
        lines.append(f"  {row['loadout']}: {points} points{fair}{verdict}")
        sentences = [
            f"{row['role'].capitalize()}: {row['why']}.",
            f"Unusual and not counted: {row['not_counted']}." if row["verdict"] == OVER and row["not_counted"] else "",
            f"Same verdict: {row['also']}." if row.get("also") else "",
        ]
        lines += fill(" ".join(filter(None, sentences)), indent=6)
    return lines
