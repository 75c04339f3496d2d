"""Fair points: the price that each loadout should have, with an interval, a verdict and its reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from analyser import plots
from analyser.analysis.duel_policy import price_situations, unchanged_note
from analyser.analysis.grid import METHOD
from analyser.analysis.matchups import Matchups, matchups
from analyser.analysis.mutual_losses import WAYS, Exchange, exchange_of
from analyser.analysis.roles import MEANS
from analyser.analysis.selection import Selectors, loadouts
from analyser.analysis.situations import BEST_TRADE, EXCHANGES, Situation, situations_called
from analyser.analysis.verdict import FAIR, OVER, RULE, UNDECIDED, UNDER, Role, interval_text, kind_of_doubt, rate
from analyser.common.answer import Block, FramedAnswer, plain_rows
from analyser.common.errors import InputError
from analyser.common.estimates import SAME_WITHIN, Method
from analyser.common.method_settings import Progress
from analyser.common.text import counted, fill
from analyser.game.names import faction_name
from analyser.game.profiles import ProfilesLike, ProfilesUsed, library_of
from analyser.game.units import unit_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EVERYBODY = "*/*"
VERDICTS = (OVER, UNDER, FAIR, UNDECIDED)
SITUATIONS = EXCHANGES
LIMITS = "Not counted: terrain, flanks and rear, activation order, objectives, orders, joint play, passengers."
"""Limits of all prices, in one line."""
LIMITS_OF_BEST = (
    "Best play of both sides: duels of six rounds from 18 inches apart, and from 36."
    " Not counted: terrain, flanks and rear, table edges, objectives, joint play, passengers."
)
"""Limits of prices under best play."""
MOST_SHOWN, MOST_REASONS, MOST_NAMED = 5, 3, 2


class Among(NamedTuple):
    """Opponents of a verdict, including the judged loadout: the number of loadouts of each faction."""

    factions: Mapping[str, int] = MappingProxyType({})

    @property
    def loadouts(self) -> int:
        """Number of loadouts."""
        return sum(self.factions.values())

    @property
    def in_short(self) -> str:
        """Description of the opponents in a few words, for the first line of an answer.

        >>> print(Among({"crown": 53, "imperium": 55}).in_short)
        against 108 loadouts of Crown and Imperium
        """
        names = list(map(faction_name, self.factions))
        of = " and ".join(names) if len(names) <= MOST_NAMED else f"{len(names)} factions"
        return f"against {counted(self.loadouts, 'loadout')} of {of}"

    def __str__(self) -> str:
        """Return the opponents as text, with the number of loadouts of each faction.

        >>> print(Among({"crown": 53, "imperium": 55}))
        against 108 loadouts (Crown 53, Imperium 55)
        """
        counts = ", ".join(f"{faction_name(name)} {count}" for name, count in self.factions.items())
        return f"against {counted(self.loadouts, 'loadout')} ({counts})"

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as plain data."""
        return {"loadouts": self.loadouts, "factions": dict(self.factions)}


NOBODY = Among()


class JudgedAnswer(FramedAnswer):
    """An answer about prices, which depend on the opponents in `among`."""

    among: Among

    def rows(self) -> list[dict[str, Any]]:
        """Return the main table as plain dicts, each with its loadout, the opponents and the profiles."""
        first = {"loadout": self.loadout} if hasattr(self, "loadout") else {}
        beside = {"judged_against": self.among.in_short.removeprefix("against "), "profiles": str(self.profiles)}
        return [{**first, **row, **beside} for row in plain_rows(self.frame)]


@dataclass(frozen=True, eq=False, repr=False)
class FairPoints(JudgedAnswer):
    """Fair points of every loadout.

    Attributes
    ----------
    frame : DataFrame
        One row for each loadout; see :func:`fair_points`.
    roles : tuple of Role
    levels : dict of str to float
        Ratio of points to worth in fights by level, relative to the other levels of the units.
    residuals : dict of str to float
        Distance of each of the two pricing methods from its balance: a certificate, 0 except for rounding.
    exploitability : float
        Certificate of the equilibrium at today's points.
    one_number : float
        Share of all matchups that one number for each loadout explains, 0 to 1; the rest is cyclic.
    situations : tuple of Situation
    profiles : ProfilesUsed
    method : str
        ``"exact"``; the intervals are those of a fitted model, without random draws.
    limits : str
        Factors that are not counted.
    among : Among
        The opponents, including the loadouts shown: the number of loadouts of each faction.
    """

    frame: pd.DataFrame
    roles: tuple[Role, ...]
    levels: dict[str, float]
    residuals: dict[str, float]
    exploitability: float
    one_number: float
    situations: tuple[Situation, ...]
    profiles: ProfilesUsed
    method: Method = METHOD
    limits: str = LIMITS
    among: Among = NOBODY

    schema = "analyser/fair-points/1"

    @property
    def headline(self) -> str:
        """Number of loadouts with each verdict, in one sentence."""
        counts = ", ".join(f"{count} {verdict}" for verdict, count in self.counts.items())
        return f"Of {counted(len(self.frame), 'loadout')}: {counts}."

    def _body(self) -> dict[str, Any]:
        return {
            "method": self.method,
            "interval": self.interval,
            "rule": " ".join(RULE),
            "limits": self.limits,
            "judged_among": self.among.as_dict(),
            "situations": [situation.name for situation in self.situations],
            "one_number_explains": self.one_number,
            "residuals": self.residuals,
            "exploitability": self.exploitability,
            "roles": [role._asdict() for role in self.roles],
            "levels": self.levels,
            "loadouts": plain_rows(self.frame),
            **self.profiles.fight_entries(),
        }

    def only(self, shown: Container[str]) -> FairPoints:
        """Return the verdicts of some loadouts only, still judged among all opponents."""
        rows = [name in shown for name in self.frame["loadout"]]
        return replace(self, frame=self.frame[rows].reset_index(drop=True))

    @property
    def counts(self) -> dict[str, int]:
        """Number of loadouts with each verdict, the most frequent first."""
        return {str(verdict): int(count) for verdict, count in self.frame["verdict"].value_counts().items()}

    @property
    def doubts(self) -> dict[str, int]:
        """Number of undecided loadouts for each reason, the most frequent first."""
        doubts = self.frame.loc[self.frame["verdict"] == UNDECIDED, "doubt"].map(kind_of_doubt)
        return {str(kind): int(count) for kind, count in doubts.value_counts().items()}

    @property
    def interval(self) -> str:
        """Variation that the intervals cover."""
        kinds = {situation.kind for situation in self.situations}
        ground = ", the ground" if kinds >= set(WAYS) or BEST_TRADE in kinds else ""
        return f"95%, over the opponents{ground}, and the prices of similar units"

    def plot(self, ax: Axes | None = None, **more: Any) -> Axes:
        """Draw the points of each loadout against its fair points, with the fair band between two lines."""
        return plots.fair_points(self, ax=ax, **more)

    def of(self, verdict: str, most: int | None = None) -> pd.DataFrame:
        """Return the units of a verdict, each at the level farthest from its fair points, the farthest unit first.

        `also` names the other levels with that verdict.
        """
        result = self.frame[self.frame["verdict"] == verdict]
        away = np.abs(np.log(result["points_over_fair"].to_numpy(np.float64)))
        result = result.iloc[np.argsort(-away, kind="stable")]
        units = result["loadout"].map(unit_of)
        levels = result.groupby(units, sort=False)["level"].agg(lambda names: ", ".join(names.iloc[1:]))
        return result[~units.duplicated()].assign(also=levels.to_numpy()).head(len(result) if most is None else most)

    def blocks(self) -> list[Block]:
        """Return all loadouts if few, else those farthest from fair points; then the roles and the precision."""
        counts = ", ".join(f"{(self.frame['verdict'] == verdict).sum()} {verdict}" for verdict in VERDICTS)
        doubts = "; ".join(f"{kind} ({count})" for kind, count in self.doubts.items())
        lines = [
            [
                *fill(
                    f"Fair points of {counted(len(self.frame), 'loadout')} {self.among.in_short} ({self.method}): "
                    f"{counts}."
                ),
                *(fill(f"Reasons for undecided: {doubts}.") if doubts else []),
                *fill(f"Judged {self.among}; other opponents give other prices and reasons."),
                self.limits,
            ]
        ]
        if len(self.frame) <= 2 * MOST_SHOWN:
            lines.append(_lines(self.frame, with_verdict=True))
        else:
            far = ((verdict, self.of(verdict, MOST_SHOWN)) for verdict in (OVER, UNDER))
            lines += [[f"Most {verdict}:", *_lines(result)] for verdict, result in far if len(result)]
        rows = [
            (f"  {role.role}", counted(role.units, "unit"), f"{role.times:.2f}", MEANS.get(role.role, ""))
            for role in self.roles
        ]
        heading = "Ratio of points to worth in fights, by role (not judged):"
        levels = ", ".join(f"{name} {times:.2f}" for name, times in self.levels.items())
        also = fill(f"The same by level, beside the other levels of a unit: {levels}.")
        roles = Block("\n".join(fill(heading)), rows=rows, align="<>><", lines=also)
        explained = f"One number a loadout explains {100 * self.one_number:.0f}% of all matchups"
        below = [
            fill(self._played()),
            fill(f"{explained}; the rest is rock, paper, scissors."),
            [f"Interval: {self.interval}.", *RULE],
        ]
        return [*(Block(lines=line) for line in lines), roles, *(Block(lines=lines) for lines in below)]

    def _played(self) -> str:
        """Return a sentence with the equilibrium at today's points: the loadouts left if all sides choose best."""
        played = self.frame[self.frame["played"] > 0].sort_values("played", ascending=False, kind="stable")
        named = [f"{100 * share:.0f}% {name}" for name, share in zip(played["loadout"], played["played"])]
        listed = ", ".join(named) or "none of these"
        error = f" (exploitability {self.exploitability:.0e})" if self.exploitability > SAME_WITHIN else ""
        return f"Equilibrium, if all sides choose by these numbers alone{error}: {listed}."


def fair_points(
    units: Selectors | Matchups = EVERYBODY,
    *,
    against: Selectors = EVERYBODY,
    situations: str | Situation | Sequence[Situation | str] = SITUATIONS,
    policy: str = "tactic",
    profiles: ProfilesLike | None = None,
    threads: int | None = None,
    progress: Progress | bool | None = None,
) -> FairPoints:
    """Return the fair points of each loadout as an interval, with a verdict and its reason.

    Two loadouts meet, and six rounds follow the first shot. Far apart they shoot; near, each takes its best act at
    today's points, an aimed shot or a charge. The time that they spend far and near follows from their ranges and
    speeds (:mod:`analyser.analysis.approach`), on close and on open ground. A suppressed unit does less
    (:mod:`analyser.analysis.activation_losses`). At an even price a loadout destroys as many points of its opponents as
    it loses; :func:`analyser.analysis.equilibrium_prices.even_trade` finds the prices at which all loadouts do.

    Units of a role are paid alike for benefits that are not counted (the orders of commanders, the capacity of
    transports). Similar units of a role are paid more alike, and so are loadouts of a level. `fair_points` is the even
    price times the pay for such a unit that the other units imply (:mod:`analyser.analysis.hierarchical_prices`).

    The better a loadout does at today's points, the more frequent it is among the opponents, without excluding others
    (:func:`analyser.analysis.equilibrium_prices.response`).

    With best play (`docs/best-play.md`) two loadouts fight a duel instead, on close and on open ground. It has six
    rounds with a toss each round, and both maximise the victory points destroyed minus those lost. All else is equal.

    Parameters
    ----------
    units : str, Loadout, several of them, or Matchups
        Loadouts to price; or a table in which both sides attack each other, whose duels are ignored.
    against : str, Loadout, or several of them
        The opponents, which meet each other and `units`. A loadout of `units` replaces the opponent with its name.
        Default: all factions of the profiles.
    situations : str, Situation, or several of them
        As in :func:`analyser.matchups`.
    policy : "tactic" or "best"
        The best single act of each, or best play of whole duels. Best play takes a quarter to half a second for a pair
        at basic level, and up to some 20 seconds at full strength. Duels are stored; run the call again to resume.
    profiles, threads, progress
        As in :func:`analyser.matchups`.

    Returns
    -------
    FairPoints
        The frame has one row for each loadout. NaN stands for figures of loadouts that cannot be compared. The columns:

        - `loadout`, `unit`, `level`, `faction`, `role`, `points`;
        - `fair_points`, with the 95% interval `fair_low` to `fair_high`;
        - `under_probability` and `over_probability`, that the points are more than 10% below, or above, fair;
        - `verdict`, by :data:`analyser.analysis.verdict.RULE`; `lean`, the most likely case in words; `doubt`, the
          reason why it is undecided; `why`, the reasons;
        - `at_most`, an upper limit: the points of a better unit of any faction (NaN without one);
        - `not_counted`, its special rules that no figure counts;
        - `points_over_fair`; `noticed_from`, the change of its points, as a share, that would be noticed with 80%
          probability if it were fair;
        - `probably_over_fair`, points over fair points given what is known of prices in general; `error`, the standard
          deviation of its logarithm; `follows`, its change with the logarithm of the points, 0 to 1;
        - `trades_evenly_at`, the price without the pay of its role and of similar units;
        - `comes_out_even_at`, fair points by another method, where no loadout comes out ahead on the whole
          (:func:`analyser.analysis.equilibrium_prices.evenly_ahead`);
        - `offence` and `toughness`, per point, over the median of the other units of its role;
        - `met`, its frequency among the opponents; `played`, its share of the equilibrium at today's points;
        - `beats` and `beaten_by`, opponents against which it does more, or less, than one number for each explains.

    Raises
    ------
    InputError
        A selector without a match, or no two loadouts that inflict losses on each other.

    Examples
    --------
    >>> found = fair_points("crown/*@basic", against="*/*@basic", situations=["long-range"])
    >>> rifles = found.frame.set_index("loadout").loc["crown/rifle-platoon@basic"]
    >>> bool(rifles["fair_low"] <= rifles["fair_points"] <= rifles["fair_high"])
    True
    """
    if isinstance(units, Matchups):
        return fair_points_in(units)
    asked = priceable(policy, situations)
    table, shown = _all_meet(units, against, asked, profiles, threads, progress)
    return fair_points_in(table, shown)


def fair_points_in(
    answer: Matchups,
    shown: Container[str] | None = None,
    *,
    exchange: Exchange | None = None,
    with_played: bool = True,
) -> FairPoints:
    """Return the prices from a table, for all loadouts or those `shown`; `with_played=False` is faster.

    Without it `played` and `exploitability` are not computed. `exchange` is that of the table, if already computed.
    """
    from threadpoolctl import threadpool_limits

    _check_exchange(answer.situations)
    sides = {loadout.selector: loadout for loadout in (*answer.attackers, *answer.defenders)}
    if exchange is None:
        exchange = exchange_of(answer.frame, tuple(sides.values()), answer.situations, answer.ruleset)
    if len(exchange.loadouts) < 2:
        reasons = _told_once(exchange.left_out) or "fewer than two loadouts"
        allowed = "loadouts with points that attack each other, both ways"
        raise InputError(f"nobody here exchanges anything: {reasons}", where="prices", allowed=allowed)
    exchanged = tuple(situation for situation in answer.situations if situation.kind in (*WAYS, BEST_TRADE))
    if len(exchanged) < len(answer.situations):  # duels count neither for prices nor for dominance
        rows = answer.frame["situation"].isin([situation.name for situation in exchanged])
        answer = replace(answer, frame=answer.frame[rows], situations=exchanged)
    with threadpool_limits(1):  # one thread is fastest for small systems, with equal results on all processors
        rating = rate(answer, exchange, with_played=with_played)
    among = Among(Counter(side.faction for side in sides.values()))
    prices = FairPoints(*rating, exchanged, answer.profiles, limits=_limits_of(answer), among=among)
    return prices if shown is None else prices.only(shown)


def priceable(policy: str, situations: str | Situation | Sequence[Situation | str]) -> tuple[Situation, ...]:
    """Return the situations used for prices, without duels; InputError, before any fight, if none is left."""
    called = situations_called(situations)
    _check_exchange(called)
    return price_situations(policy, tuple(situation for situation in called if situation.kind in (*WAYS, BEST_TRADE)))


def _check_exchange(situations: Sequence[Situation]) -> None:
    if not any(situation.kind in WAYS for situation in situations):
        problem = "a duel is many exchanges, and no price is made of it"
        raise InputError(problem, where="situations", allowed="one that is shooting, or a charge")


def _told_once(left_out: Mapping[str, str]) -> str:
    """Return the loadouts left out, with each reason once.

    >>> _told_once({"elm/a@basic": "it has no points", "elm/b@basic": "it has no points", "elm/c@basic": "it is alone"})
    'elm/a@basic and 1 more: it has no points; elm/c@basic: it is alone'
    """
    groups = []
    for reason in dict.fromkeys(left_out.values()):
        names = [name for name, its in left_out.items() if its == reason]
        groups.append(f"{names[0]}{f' and {len(names) - 1} more' if len(names) > 1 else ''}: {reason}")
    return "; ".join(groups)


def _limits_of(answer: Matchups) -> str:
    """Return the factors not counted; with best play also the situations it does not change and the pairs left out."""
    best = [situation.name for situation in answer.situations if situation.kind == BEST_TRADE]
    if not best:
        return LIMITS
    missing = answer.frame[answer.frame["situation"].isin(best) & answer.frame["why_not"].notna()]
    pairs = len(missing.drop_duplicates(["attacker", "defender"]))
    reasons = "; ".join(missing["why_not"].unique()[:MOST_REASONS])
    left_out = f"Of the pairs {pairs} are left out: {reasons}." if pairs else ""
    return " ".join(filter(None, (LIMITS_OF_BEST, unchanged_note(answer.situations), left_out)))


def _all_meet(
    units: Selectors,
    against: Selectors,
    situations: str | Situation | Sequence[Situation | str],
    profiles: ProfilesLike | None,
    threads: int | None,
    progress: Progress | bool | None,
) -> tuple[Matchups, set[str]]:
    """Return the table in which all opponents meet each other, and the selectors of the loadouts to price."""
    library = library_of(profiles)
    wanted = {loadout.selector: loadout for loadout in loadouts(units, library)}
    field = {loadout.selector: loadout for loadout in loadouts(against, library)} | wanted
    everybody = list(field.values())
    table = matchups(everybody, everybody, situations=situations, profiles=library, threads=threads, progress=progress)
    return table, set(wanted)


def _lines(answer: pd.DataFrame, *, with_verdict: bool = False) -> list[str]:
    """Return the points and fair points of each loadout, each followed by the reason."""
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
            f"Not counted: {row['not_counted']}." if row["verdict"] == OVER and row["not_counted"] else "",
            f"Same verdict: {row['also']}." if row.get("also") else "",
        ]
        lines += fill(" ".join(filter(None, sentences)), indent=6)
    return lines
