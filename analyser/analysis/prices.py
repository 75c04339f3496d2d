"""The verdict: what each loadout should cost, how sure that is, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from analyser import plots
from analyser.analysis import pricing
from analyser.analysis.balance import dominations
from analyser.analysis.exchange import Exchange, exchange_of
from analyser.analysis.grid import METHOD
from analyser.analysis.matchups import Matchups, matchups
from analyser.analysis.pricing import Array, weighted_median
from analyser.analysis.reasons import Reasons, dice_of
from analyser.analysis.roles import PAID_FOR, role_of
from analyser.analysis.selection import Selectors, loadouts
from analyser.analysis.situations import CHARGE, LONG_RANGE, SHORT_RANGE_AIMED, Situation
from analyser.common.errors import InputError
from analyser.common.estimates import Method
from analyser.common.sampling import Progress
from analyser.common.text import aligned, counted, fill
from analyser.game.profiles import ProfilesLike, ProfilesUsed, library_of
from analyser.game.units import Loadout, unit_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EVERYBODY = "*/*"
OVER, UNDER, FAIR, CANNOT_SAY = "over-priced", "under-priced", "fair", "cannot say"
VERDICTS = (OVER, UNDER, FAIR, CANNOT_SAY)
SITUATIONS = (LONG_RANGE, SHORT_RANGE_AIMED, CHARGE)
"""The situations of an exchange: half of it shooting, half of it close quarters."""
LIMITS = (
    "Not known here: movement, terrain, who activates first, objectives, orders, units that help each other, and what "
    "suppression costs a unit that it does not break. "
    "What all units of a role are paid for besides (reach, orders, room) is taken from the prices of their role."
)
DRAWS, SEED = 200, 0
LOW, HIGH = 2.5, 97.5  # percentiles: a 95% interval
FEWEST_PEERS = 3  # other units of a role: fewer do not say what is usual
MOST_SPREAD = 2.0  # from the low end of an interval to its high end: of a wider one nothing is said
NEAR = np.log(1.05)  # of an interval: what is that near costs what it should, for points come in steps
MOST_OPPONENTS, MOST_SHOWN = 3, 5
WIDTH = 80  # characters of a line
_PLAYED = 0.005  # of an equilibrium; less is rounding
_COLUMNS = ["loadout", "unit", "level", "faction", "role", "points", "fair_points", "low", "high", "verdict", "why"]


class Role(NamedTuple):
    """What units of a role pay for what no figure counts: their points over what they exchange, the median of units."""

    role: str
    units: int
    times: float
    paid_for: str


@dataclass(frozen=True, eq=False, repr=False)
class FairPoints:
    """Fair points of every loadout.

    Attributes
    ----------
    frame : DataFrame
        One row for each loadout; see :func:`fair_points`.
    roles : tuple of Role
    residuals : dict of str to float
        How far each of the two ways is from its balance: the certificates, 0 but for rounding.
    exploitability : float
        The certificate of the equilibrium at today's points.
    one_number : float
        How much of who comes out ahead of whom one number a loadout explains, 0 to 1; the rest goes round in circles.
    situations : tuple of Situation
    profiles : ProfilesUsed
    method : str
        ``"exact"``; the intervals are over fields and situations, drawn with a fixed seed.
    limits : str
        What is not known.
    """

    frame: pd.DataFrame
    roles: tuple[Role, ...]
    residuals: dict[str, float]
    exploitability: float
    one_number: float
    situations: tuple[Situation, ...]
    profiles: ProfilesUsed
    method: Method = METHOD
    limits: str = LIMITS

    def to_frame(self) -> pd.DataFrame:
        """The table, as a copy."""
        return self.frame.copy()

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain data."""
        table = self.frame.astype(object).where(self.frame.notna(), None)
        return {
            "method": self.method,
            "interval": INTERVAL,
            "limits": self.limits,
            "situations": [each.name for each in self.situations],
            "one_number_explains": self.one_number,
            "residuals": self.residuals,
            "exploitability": self.exploitability,
            "roles": [each._asdict() for each in self.roles],
            "loadouts": table.to_dict("records"),
            "profiles": self.profiles._asdict(),
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """What each costs against its fair points; the band of fair between two lines."""
        return plots.fair_points(self.frame, ax=ax)

    def of(self, verdict: str, most: int | None = None) -> pd.DataFrame:
        """The units of a verdict, each at the level that is farthest from its fair points, the farthest first.

        `also` names the other levels that have it.
        """
        found = self.frame[self.frame["verdict"] == verdict]
        away = np.abs(np.log(found["points_over_fair"].to_numpy(np.float64)))
        found = found.iloc[np.argsort(-away, kind="stable")]
        units = found["loadout"].map(unit_of)
        levels = found.groupby(units, sort=False)["level"].agg(lambda names: ", ".join(names.iloc[1:]))
        return found[~units.duplicated()].assign(also=levels.to_numpy()).head(len(found) if most is None else most)

    def __str__(self) -> str:
        """Every loadout of a few, of more those farthest from their fair points; the roles, and how sure it is."""
        counts = ", ".join(f"{(self.frame['verdict'] == each).sum()} {each}" for each in VERDICTS)
        blocks = [
            [
                f"Fair points of {counted(len(self.frame), 'loadout')} ({self.method}): {counts}.",
                *fill(self.limits, WIDTH),
            ]
        ]
        if len(self.frame) <= 2 * MOST_SHOWN:
            blocks.append(_lines(self.frame, with_verdict=True))
        else:
            far = ((verdict, self.of(verdict, MOST_SHOWN)) for verdict in (OVER, UNDER))
            blocks += [[f"Most {verdict}:", *_lines(found)] for verdict, found in far if len(found)]
        told = [(each.role, counted(each.units, "unit"), f"{each.times:.2f} x", each.paid_for) for each in self.roles]
        blocks.append(["Points over what is exchanged, by role:", *aligned(told, "<>><")])
        blocks.append(fill(self._played(), WIDTH))
        explained = f"One number a loadout explains {100 * self.one_number:.0f}% of who comes out ahead of whom"
        blocks.append(
            [*fill(f"{explained}; the rest is rock, paper, scissors.", WIDTH), *fill(f"Intervals: {INTERVAL}.", WIDTH)]
        )
        blocks.append([f"Profiles: {self.profiles}."])
        return "\n\n".join(map("\n".join, blocks)) + "\n"

    def _played(self) -> str:
        """Who is there at today's points where everybody plays as well as can be."""
        played = self.frame[self.frame["played"] > 0].sort_values("played", ascending=False, kind="stable")
        named = [f"{100 * share:.0f}% {name}" for name, share in zip(played["loadout"], played["played"])]
        listed = ", ".join(named) or "none of these"
        how = f"exploitability {self.exploitability:.0e}"
        return f"Who is left where nobody can do better at today's points ({how}): {listed}."

    __repr__ = __str__  # a shell shows what is printed

    def _repr_html_(self) -> str:
        """The farthest from their fair points as a table of a notebook."""
        shown = pd.concat([self.of(OVER, MOST_SHOWN), self.of(UNDER, MOST_SHOWN)])[_COLUMNS]
        return f"<p>{escape(self.limits)}</p>{shown.to_html(border=0, index=False, float_format='{:.0f}'.format)}"


INTERVAL = (
    "95% of the fields and situations that might be met: units in other shares (Bayesian bootstrap), close quarters "
    "from 21% to 79% of all exchanges"
)


def fair_points(
    units: Selectors | Matchups = EVERYBODY,
    *,
    against: Selectors = EVERYBODY,
    situations: str | Situation | Sequence[Situation | str] = SITUATIONS,
    profiles: ProfilesLike | None = None,
    threads: int | None = None,
    progress: Progress | bool | None = None,
) -> FairPoints:
    """What each loadout should cost, as an interval, with a verdict and its reason.

    Two loadouts exchange blows: each attacks the other once, half of the time by shooting, half of the time in close
    quarters. A price trades evenly if, against the field, a loadout then destroys as many points as it loses; the
    prices at which all do are those of :func:`analyser.analysis.pricing.even_trade`. Units of a role are paid alike for
    what is not counted (the reach of artillery, the orders of commanders): `fair_points` is the price that trades
    evenly, times what the other units of its role cost over theirs, the median.

    The field has each loadout the more often the better it does at today's points, without being the best alone
    (:func:`analyser.analysis.pricing.response`).

    Parameters
    ----------
    units : str, Loadout, several of them, or Matchups
        Whose prices are wanted; or a table in which both sides attack each other, of which the duels are left out.
    against : str, Loadout, or several of them
        The field, who meet each other and `units`. A loadout of `units` takes the place of one of that name.
    situations : str, Situation, or several of them
        As of :func:`analyser.matchups`.
    profiles, threads, progress
        As of :func:`analyser.matchups`.

    Returns
    -------
    FairPoints
        Its frame has one row for each loadout: `loadout`, `unit`, `level`, `faction`, `role`, `points`, `fair_points`,
        `low` and `high` (a 95% interval over fields and situations), `verdict` and `why`; `points_over_fair`;
        `trades_evenly_at`, the price without what its role is paid for; `comes_out_even_at`, fair points the other
        way, so that nobody comes out ahead more than behind
        (:func:`analyser.analysis.pricing.evenly_ahead`); `offence` and `toughness`, per point, over the median of its
        role; `met`, its share of the field; `played`, its share of the equilibrium at today's points; `beats` and
        `beaten_by`, opponents against whom it does more, or less, than one number for each tells. Figures are NaN where
        `verdict` is ``"cannot say"`` because it is not in the game, or its role has too few units.

    Raises
    ------
    InputError
        A selector that fits nothing; or nobody here can exchange anything.

    Examples
    --------
    >>> found = fair_points("crown/*@basic", against="*/*@basic", situations=["long-range"])
    >>> rifles = found.frame.set_index("loadout").loc["crown/rifle-platoon@basic"]
    >>> bool(rifles["low"] <= rifles["fair_points"] <= rifles["high"])
    True
    """
    found, shown = (
        (units, None)
        if isinstance(units, Matchups)
        else _all_meet(units, against, situations, profiles, threads, progress)
    )
    sides = {each.selector: each for each in (*found.attackers, *found.defenders)}
    exchange = exchange_of(found.frame, tuple(sides.values()), found.situations)
    if len(exchange.loadouts) < 2:
        reasons = "; ".join(dict.fromkeys(exchange.left_out.values())) or "fewer than two loadouts"
        allowed = "loadouts with points that attack each other, both ways"
        raise InputError(f"nobody here exchanges anything: {reasons}", where="prices", allowed=allowed)
    rated = _rated(found, exchange)
    if shown is None:
        return rated
    return replace(rated, frame=rated.frame[rated.frame["loadout"].isin(shown)].reset_index(drop=True))


def _all_meet(
    units: Selectors,
    against: Selectors,
    situations: str | Situation | Sequence[Situation | str],
    profiles: ProfilesLike | None,
    threads: int | None,
    progress: Progress | bool | None,
) -> tuple[Matchups, set[str]]:
    """The table of a field that all meet each other, and the selectors of those whose prices are wanted."""
    library = library_of(profiles)
    wanted = {each.selector: each for each in loadouts(units, library)}
    field = {each.selector: each for each in loadouts(against, library)} | wanted
    everybody = list(field.values())
    table = matchups(everybody, everybody, situations=situations, profiles=library, threads=threads, progress=progress)
    return table, set(wanted)


def _rated(found: Matchups, exchange: Exchange) -> FairPoints:
    """The verdict on everybody in a game, and a row for those who are not."""
    today, losses = np.log(exchange.points), exchange.mean()
    gains = pricing.ahead(losses, today)
    field = pricing.response(gains, exchange.evenly, exchange.met)
    even, ahead = pricing.even_trade(losses, field), pricing.evenly_ahead(losses, field, today)
    offence, toughness, _ = pricing.two_sided(losses, field)
    roles = [role_of(each.unit) for each in exchange.loadouts]
    peers = _Peers(roles, exchange)
    evenly = np.ones(len(today))
    fair, other_way = (peers.fair(each.prices, evenly) for each in (even, ahead))
    drawn = [
        peers.fair(pricing.even_trade(exchange.mean(weights), shares, even.prices, within=1e-4).prices, shares / field)
        for shares, weights in exchange.fields(field, DRAWS, SEED)
    ]
    low, high = np.percentile(drawn, (LOW, HIGH), axis=0)
    strength, explained = pricing.one_number(gains, exchange.met * np.outer(field, field))
    rows, columns = _sides_of(exchange)
    ours, theirs, _, exploitability = pricing.equilibrium(gains[np.ix_(rows, columns)])
    played = np.zeros(len(today))
    played[columns], played[rows] = theirs, ours
    reasons = Reasons(exchange, dice_of(found.frame, exchange), offence, toughness, roles)
    verdicts = [
        _sure(_verdict(*each), fair[at], reasons.uncounted(at, 1), reasons.uncounted(at, -1))
        for at, each in enumerate(zip(today, fair, low, high, other_way))
    ]
    dearer = _dearer(found)
    for at, each in enumerate(exchange.loadouts):  # of a twin one of the two is wrong: who is above its fair points
        if each.selector in dearer and today[at] > fair[at] + NEAR:
            verdicts[at] = OVER, dearer[each.selector]
    odd = np.where(exchange.met, gains - (strength[:, None] - strength[None, :]), 0.0)
    table = pd.DataFrame(
        {
            **_names(exchange.loadouts),
            "role": roles,
            "points": exchange.points.astype(np.int64),
            "fair_points": np.exp(fair),
            "low": np.exp(low),
            "high": np.exp(high),
            "verdict": [each for each, _ in verdicts],
            "why": [doubt or reasons.why(at, _SIGNS[verdict]) for at, (verdict, doubt) in enumerate(verdicts)],
            "points_over_fair": np.exp(today - fair),
            "trades_evenly_at": np.exp(peers.anchored(even.prices, evenly)),
            "comes_out_even_at": np.exp(other_way),
            "offence": np.exp(peers.over_usual(offence - today)),
            "toughness": np.exp(peers.over_usual(toughness - today)),
            "met": field,
            "played": np.where(played > _PLAYED, played, 0.0),
            "beats": [_opponents(each, exchange) for each in odd],
            "beaten_by": [_opponents(-each, exchange) for each in odd],
        }
    )
    sides = {each.selector: each for each in (*found.attackers, *found.defenders)}
    outside = [sides[name] for name in exchange.left_out]
    missing = pd.DataFrame(
        {
            **_names(outside),
            "role": [role_of(each.unit) for each in outside],
            "points": pd.array([each.level.points for each in outside], "Int64"),
            "verdict": CANNOT_SAY,
            "why": list(exchange.left_out.values()),
        }
    )
    frame = pd.concat([table.astype({"points": "Int64"}), missing], ignore_index=True) if outside else table
    order = {name: at for at, name in enumerate(sides)}
    frame = frame.sort_values("loadout", key=lambda names: names.map(order), ignore_index=True)
    residuals = {"trades_evenly": even.residual, "comes_out_even": ahead.residual}
    situations = tuple(each for each in found.situations if each.kind in ("ranged", "charge"))
    return FairPoints(frame, peers.roles(even.prices), residuals, exploitability, explained, situations, found.profiles)


class _Peers:
    """Prices on the scale of today's points, and what roles pay besides; all as logarithms."""

    def __init__(self, roles: Sequence[str], exchange: Exchange) -> None:
        self._today, self._even = np.log(exchange.points), exchange.evenly
        self._roles, self._units = np.array(roles), exchange.units
        self._others = []  # for each unit who else is of its role; nobody where those are too few
        for unit in range(self._units.max() + 1):
            role = self._roles[self._units == unit][0]
            others = np.flatnonzero((self._roles == role) & (self._units != unit))
            self._others.append(others if len(set(self._units[others])) >= FEWEST_PEERS else others[:0])

    def anchored(self, prices: Array, shares: Array) -> Array:
        """On such a scale that half of the field costs more than that today, and half less."""
        return prices + weighted_median(self._today - prices, self._even * shares)

    def fair(self, prices: Array, shares: Array) -> Array:
        """Times what the other units of the role cost over what they exchange; NaN if those are too few."""
        over, weights = self._today - prices, self._even * shares
        paid = [weighted_median(over[each], weights[each]) if len(each) else np.nan for each in self._others]
        return np.asarray(prices + np.array(paid)[self._units], np.float64)

    def over_usual(self, values: Array) -> Array:
        """Each over the median of its role, itself among them."""
        usual = np.zeros(len(values))
        for role in np.unique(self._roles):
            same = self._roles == role
            usual[same] = weighted_median(values[same], self._even[same])
        return values - usual

    def roles(self, prices: Array) -> tuple[Role, ...]:
        """What each role pays over what it exchanges, the dearest first."""
        over = self._today - self.anchored(prices, np.ones(len(prices)))
        found = []
        for role in dict.fromkeys(self._roles.tolist()):
            same = self._roles == role
            times = float(np.exp(weighted_median(over[same], self._even[same])))
            found.append(Role(role, len(np.unique(self._units[same])), times, PAID_FOR.get(role, "")))
        return tuple(sorted(found, key=lambda each: -each.times))


_SIGNS = {OVER: -1, UNDER: 1, FAIR: 0, CANNOT_SAY: 0}


def _verdict(today: float, fair: float, low: float, high: float, other_way: float) -> tuple[str, str]:
    """The verdict, and where it is none, what is in doubt."""
    if np.isnan(fair):
        return CANNOT_SAY, f"fewer than {FEWEST_PEERS} other units here are of its role, so that nothing is usual"
    if low - NEAR <= today <= high + NEAR:
        if high - low <= np.log(MOST_SPREAD):
            return FAIR, ""
        return CANNOT_SAY, f"from {np.exp(low):.0f} to {np.exp(high):.0f} points, by whom it meets and how"
    if (today > fair) != (today > other_way):
        return CANNOT_SAY, (
            f"it should cost {np.exp(fair):.0f} points to destroy as much as it loses, and {np.exp(other_way):.0f} to "
            "come out ahead as often as behind"
        )
    return (OVER if today > high else UNDER), ""


def _dearer(found: Matchups) -> dict[str, str]:
    """Why a loadout is surely too dear: one that does all that it does, and has all that it has, costs less."""
    pairs = dominations(found.frame, found.attackers)
    equals = pairs[~pairs["has_besides"].astype(bool) & (pairs["points_saved"] > 0)]
    cheapest = equals.sort_values("points_saved", ascending=False, kind="stable").drop_duplicates("attacker")
    return {
        row["attacker"]: f"{row['by']} does at least as well in every matchup, has all that it has, and costs "
        f"{row['points_saved']} points less"
        for row in cheapest.to_dict("records")
    }


def _sure(found: tuple[str, str], fair: float, merits: str, faults: str) -> tuple[str, str]:
    """A verdict, unless the profile has something that speaks against it and that nothing here counts."""
    verdict, _ = found
    against = merits if verdict == OVER else faults if verdict == UNDER else ""
    if not against:
        return found
    return (
        CANNOT_SAY,
        f"by what it exchanges it should cost {np.exp(fair):.0f} points, but nothing here counts {against}",
    )


def _sides_of(exchange: Exchange) -> tuple[list[int], list[int]]:
    """Who plays against whom: everybody each other, or those of two sides that do not meet among themselves."""
    everybody = list(range(len(exchange.loadouts)))
    if exchange.met.all():
        return everybody, everybody
    theirs = np.flatnonzero(exchange.met[0]).tolist()
    ours = np.flatnonzero(exchange.met[theirs[0]]).tolist()
    return (ours, theirs) if len(ours) + len(theirs) == len(everybody) else (everybody, everybody)


def _names(loadouts: Sequence[Loadout]) -> dict[str, list[str]]:
    return {
        "loadout": [each.selector for each in loadouts],
        "unit": [each.unit.name for each in loadouts],
        "level": [each.level_name for each in loadouts],
        "faction": [each.faction for each in loadouts],
    }


def _opponents(surplus: Array, exchange: Exchange) -> str:
    """The units against whom it does most beyond what is expected, at most :data:`MOST_OPPONENTS`, each once."""
    names = [exchange.loadouts[at] for at in np.argsort(-surplus, kind="stable") if surplus[at] > 0]
    units = {unit_of(each.selector): each.unit.name for each in names}
    return ", ".join(list(units.values())[:MOST_OPPONENTS])


def _lines(found: pd.DataFrame, *, with_verdict: bool = False) -> list[str]:
    """A line of figures for each, and below it why."""
    rows = []
    for row in found.to_dict("records"):
        fair = "–" if np.isnan(row["fair_points"]) else f"{row['fair_points']:.0f}"
        interval = "" if np.isnan(row["low"]) else f"{row['low']:.0f}–{row['high']:.0f}"
        verdict = [row["verdict"]] if with_verdict else []
        rows.append([f"  {row['loadout']}", str(row["points"]), "→", fair, interval, *verdict, row["role"]])
    lines = aligned(rows, "<>>>><<")
    also = [f" Also {each}." if each else "" for each in found.get("also", [""] * len(found))]
    whys = [fill(f"{reason}.{more}", WIDTH, indent=6) for reason, more in zip(found["why"], also)]
    return [each for line, why_so in zip(lines, whys) for each in (line, *why_so)]
