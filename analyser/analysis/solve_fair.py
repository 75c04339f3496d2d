"""Price at which a loadout is fair, and change of dice at which it is fair for its points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from analyser import plots
from analyser.analysis.prices import ALL_LOADOUTS, JudgedAnswer, matchups_of_all
from analyser.analysis.selection import Selectors, loadouts
from analyser.analysis.situations import EXCHANGES, Situation
from analyser.analysis.standing import Standing, Standings, short_figure
from analyser.analysis.verdict import FAIR, interval_text
from analyser.common.answer import Block
from analyser.common.errors import InputError, check_integer
from analyser.common.frames import tidy
from analyser.common.look import with_subject
from analyser.common.method_settings import Progress
from analyser.common.text import fill
from analyser.game.names import loadout_name
from analyser.game.profiles import Profiles, ProfilesLike, library_of
from analyser.game.units import Loadout

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class FairPrice(NamedTuple):
    """A fair price with a 95% interval (:attr:`~.prices.FairPoints.interval_covers`)."""

    points: int
    fair_low: float
    fair_high: float
    verdict: str  #: on the loadout at this price
    doubt: str = ""  #: why the verdict is undecided, or that another loadout makes it over-priced
    at_most: int | None = None  #: points of a loadout that does at least as well, if it costs no more than `points`


@dataclass(frozen=True, eq=False, repr=False)
class SolvedPrice(JudgedAnswer):
    """The price at which a loadout is fair."""

    loadout: str
    role: str  #: its factor in the price stands for benefits that no fight shows
    today: int | None  #: points today
    price: FairPrice

    schema = "analyser/fair-price/1"

    @property
    def headline(self) -> str:
        today = "has no points" if self.today is None else f"costs {self.today} points"
        limit = "" if self.price.at_most is None else f", but {self.price.doubt}"
        return f"{loadout_name(self.loadout)} {today} and is fair at {self.price.points}{limit}."

    @property
    def summary(self) -> dict[str, Any]:
        price = self.price
        figures = {"fair_points": price.points, "fair_points_low": price.fair_low, "fair_points_high": price.fair_high}
        return figures | ({} if self.today is None else {"points_today": self.today})

    def rows(self) -> list[dict[str, Any]]:
        return [self.as_dict() | {"profiles": str(self.profiles)}]

    def to_frame(self) -> pd.DataFrame:
        return tidy(self.rows())

    def _figures(self) -> dict[str, Any]:
        return {"loadout": self.loadout, "role": self.role, "today": self.today, **self.price._asdict()}

    def blocks(self) -> list[Block]:
        price = self.price
        today = "no points" if self.today is None else f"{self.today} points"
        line = (
            f"{self.loadout} ({self.role}) is fair at {price.points} points (95%: "
            f"{interval_text(price.fair_low, price.fair_high)}) {self.opponents.in_short}; today {today}. "
            f"The verdict at that price: {price.verdict}{f' ({price.doubt})' if price.doubt else ''}."
        )
        return [Block(lines=[*fill(line), *fill(f"{self.judged}.")])]


@dataclass(frozen=True, eq=False, repr=False)
class SolvedDice(JudgedAnswer):
    """The change of dice at which a loadout is fair for its points, and its fair price with each change.

    Attributes
    ----------
    row : str or None
        Row whose dice change; None for every row.
    dice : int or None
        The change with the verdict fair whose fair price is nearest to the points. None if no change has this verdict,
        or if a larger change than those tried may be nearer.
    frame : DataFrame
        One row for each change with a fair price: fair points, verdict, and `doubt` if fair points do not decide it.
    """

    loadout: str
    row: str | None
    role: str
    points: int
    dice: int | None
    frame: pd.DataFrame

    schema = "analyser/fair-dice/1"

    @property
    def headline(self) -> str:
        if self.dice is None:
            return f"No change of dice that was tried makes {loadout_name(self.loadout)} fair at {self.points} points."
        return f"{loadout_name(self.loadout)} is fair at {self.points} points with {self._dice_text}."

    @property
    def _dice_text(self) -> str:
        return "its present dice" if self.dice == 0 else f"{self.dice:+d} dice"

    def _figures(self) -> dict[str, Any]:
        names = ("loadout", "row", "role", "points", "dice")
        return {name: getattr(self, name) for name in names} | {"curve": self.frame.to_dict("records")}

    def plot(self, ax: Axes | None = None, **more: Any) -> Axes:
        """Draw the curve: fair points at each change of dice with their interval as a band, and today's points."""
        return plots.trade_off(with_subject(self.frame, self._subject), points=self.points, ax=ax, **more)

    @property
    def _subject(self) -> str:
        return f"{self.loadout}, as {self.role}, {f'dice of {self.row}' if self.row else 'dice of every row'}"

    @property
    def _conclusion(self) -> str:
        fair = self.frame[self.frame["verdict"] == FAIR]
        if self.dice is None:
            ends = self.frame.iloc[[0, -1]].to_dict("records")
            prices = " and ".join(f"{end['fair_points']:.0f} with {end['dice']:+d}" for end in ends)
            return f"no change of dice that was tried makes it fair at {self.points} points; its fair price is {prices}"
        fair_price = fair.loc[fair["dice"] == self.dice, "fair_points"].iloc[0]
        within = f" (fair from {fair['dice'].min():+d} to {fair['dice'].max():+d})" * (len(fair) > 1)
        answer = f"at {self.points} points it is fair with {self._dice_text}{within}"
        return f"{answer}; its fair price is then {fair_price:.0f}"

    def blocks(self) -> list[Block]:
        head = ["dice", "fair points", "95% interval", f"at {self.points} points"]
        columns = self.frame[["dice", "fair_points", "fair_low", "fair_high", "verdict", "doubt"]]
        rows = [
            [f"{dice:+d}", short_figure(fair), interval_text(low, high), f"{verdict}: {doubt}" if doubt else verdict]
            for dice, fair, low, high, verdict, doubt in columns.itertuples(index=False)
        ]
        line = f"{self._subject}, {self.opponents.in_short}: {self._conclusion}."
        return [
            Block(lines=[*fill(line), *fill(f"{self.judged}.")]),
            Block(head=head, rows=rows, align=">>><"),
        ]


def solve_price(
    unit: str | Loadout,
    *,
    against: Selectors = ALL_LOADOUTS,
    situations: str | Situation | Sequence[Situation | str] = EXCHANGES,
    profiles: ProfilesLike | None = None,
    threads: int | None = None,
    progress: Progress | bool | None = None,
) -> SolvedPrice:
    """Return the price at which a loadout is fair by :func:`analyser.fair_points`, in whole points.

    Parameters
    ----------
    unit : str or Loadout
        The loadout. If it has no points, it is first judged at the median points of the opponents.
    against, situations, profiles, threads, progress
        As in :func:`analyser.what_if`.

    Examples
    --------
    >>> found = solve_price("crown/rifle-platoon@basic", against="*/*@basic", situations=["long-range"])
    >>> found.price.fair_low <= found.price.points <= found.price.fair_high
    True
    """
    library = library_of(profiles)
    loadout = library.loadout(unit)
    priced = _with_initial_points(loadout, against, library)
    table, _, opponents = matchups_of_all(priced, against, situations, library, threads, progress)
    standings = Standings(table, opponents)
    if priced is not loadout:  # judge again at the fair price, because the result depends slightly on the points
        first = _fair_standing(standings, loadout.selector)
        standings = standings.with_([loadout.with_(points=_whole_points(first.fair_points))], threads)
    result = _fair_standing(standings, loadout.selector)
    points = _whole_points(result.fair_points)
    at_price = standings.with_([loadout.with_(points=points)], threads)
    own, doubt = at_price[loadout.selector], _doubt(at_price, loadout.selector)
    most = at_price.price_cap(loadout.selector)
    price = FairPrice(points, result.fair_low, result.fair_high, own.verdict, doubt, most)
    return SolvedPrice(loadout.selector, result.role, loadout.level.points, price, **standings.conditions)


def solve_dice(
    unit: str | Loadout,
    *,
    row: str | None = None,
    most: int = 5,
    against: Selectors = ALL_LOADOUTS,
    situations: str | Situation | Sequence[Situation | str] = EXCHANGES,
    profiles: ProfilesLike | None = None,
    threads: int | None = None,
    progress: Progress | bool | None = None,
) -> SolvedDice:
    """Return the change of dice that makes a loadout fair at its points, and the fair price with each change.

    Changes that leave the loadout without a fair price, because it can then damage no opponent, are left out.

    Parameters
    ----------
    unit : str or Loadout
    row : str, optional
        Row whose dice change, in every band of models that has dice. Default: every row.
    most : int
        Largest number of dice to add and to remove, 1 to 12.
    against, situations, profiles, threads, progress
        As in :func:`solve_price`.

    Examples
    --------
    >>> options = {"against": "*/*@basic", "situations": ["long-range"]}
    >>> found = solve_dice("crown/rifle-platoon@basic", row="ranged-light", most=1, **options)
    >>> found.frame["dice"].tolist()
    [-1, 0, 1]
    >>> found.frame["fair_points"].is_monotonic_increasing
    True
    """
    check_integer(most, "most", 1, 12)
    library = library_of(profiles)
    loadout = library.loadout(unit)
    points = loadout.level.points
    if not points:
        problem = f"it {'has no' if points is None else 'costs 0'} points"
        raise InputError(problem, where=loadout.selector, allowed="a loadout with points; solve_price finds its price")
    variants = {by: loadout.with_(row=row, dice=by) if by else loadout for by in range(-most, most + 1)}
    table, _, opponents = matchups_of_all(loadout, against, situations, library, threads, progress)
    standings = Standings(table, opponents)
    role, rows = _fair_standing(standings, loadout.selector).role, []
    for by, variant in variants.items():
        changed = standings.with_([variant], threads) if by else standings
        result = changed[loadout.selector]
        if np.isnan(result.fair_points):
            continue
        figures = {name: getattr(result, name) for name in ("fair_points", "fair_low", "fair_high")}
        figures["points_over_fair"] = points / result.fair_points
        rows.append({"dice": by, **figures, "verdict": result.verdict, "doubt": _doubt(changed, loadout.selector)})
    curve = pd.DataFrame(rows)
    return SolvedDice(loadout.selector, row, role, points, _fair_change(curve), curve, **standings.conditions)


def _fair_change(curve: pd.DataFrame) -> int | None:
    """Return the fair change of dice, or None, as described for `dice` of :class:`SolvedDice`."""
    log_ratios = np.log(curve["points_over_fair"])
    fair = log_ratios[curve["verdict"] == FAIR]
    if fair.empty:
        return None
    best = int(fair.abs().idxmin())
    neighbour = {0: 1, len(curve) - 1: len(curve) - 2}.get(best)
    is_at_end = neighbour is not None and log_ratios[best] * log_ratios[neighbour] > 0
    return None if is_at_end else int(curve["dice"][best])


def _doubt(standings: Standings, selector: str) -> str:
    """Return why a verdict is undecided, or which better loadout decides it; otherwise an empty text."""
    most = standings.price_cap(selector)
    if most is None:
        return standings[selector].doubt
    return f"another loadout that does at least as well costs {most} points"


def _whole_points(points: float) -> int:
    return max(round(points), 1)


def _fair_standing(standings: Standings, selector: str) -> Standing:
    standing = standings[selector]
    if np.isnan(standing.fair_points):
        allowed = "a loadout that can inflict losses on opponents, and that opponents can inflict losses on"
        raise InputError(f"no fair price: {standing.why}", where=selector, allowed=allowed)
    return standing


def _with_initial_points(loadout: Loadout, against: Selectors, profiles: Profiles) -> Loadout:
    """Return the loadout; if it has no points, with the median points of the opponents."""
    if loadout.level.points:
        return loadout
    points = [loadout.level.points for loadout in loadouts(against, profiles) if loadout.level.points]
    if not points:
        raise InputError("none of these opponents has points", where="against", allowed="loadouts with points")
    return loadout.with_(points=int(np.median(points)))
