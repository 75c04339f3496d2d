"""Price or number of dice at which a loadout is fair, and the exchange rate between the two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from analyser import plots
from analyser.analysis.duel_policy import price_situations
from analyser.analysis.grid import METHOD
from analyser.analysis.prices import EVERYBODY, SITUATIONS, Among, JudgedAnswer
from analyser.analysis.selection import Selectors, loadouts
from analyser.analysis.situations import Situation, situations_called
from analyser.analysis.standing import Standing, Standings, figure
from analyser.analysis.verdict import ENDS, FAIR, interval_text, probabilities, verdict_of
from analyser.analysis.what_if import field_of
from analyser.common.answer import Answer, Block
from analyser.common.errors import InputError, check_choice, check_integer
from analyser.common.estimates import Method
from analyser.common.look import with_subject
from analyser.common.method_settings import Progress
from analyser.common.text import fill
from analyser.game.names import loadout_name
from analyser.game.profiles import Profiles, ProfilesLike, ProfilesUsed, library_of
from analyser.game.units import Loadout

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_DICE_OFF = 12  # a larger change would make it a different unit


class Price(NamedTuple):
    """A price at which a loadout is fair among others at theirs, with the 95% interval over opponents and grounds."""

    points: int
    fair_low: float
    fair_high: float
    verdict: str  # at that price; empty if paid as another role
    doubt: str = ""  # reason why it is undecided


@dataclass(frozen=True, eq=False, repr=False)
class SolvedPrice(Answer):
    """The price at which a loadout is fair.

    Attributes
    ----------
    loadout, role : str
        The role decides the pay for benefits that are not counted.
    today : int or None
        Its points today.
    price : Price
        The price that is its own fair price, with the loadout among the opponents at that price.
    profiles : ProfilesUsed
    limits : str
        Factors that are not counted.
    among : Among
        Opponents that it is judged against.
    method : str
        ``"exact"``; the interval is that of a fitted model, without random draws.
    """

    loadout: str
    role: str
    today: int | None
    price: Price
    profiles: ProfilesUsed
    limits: str
    among: Among
    method: Method = METHOD

    schema = "analyser/fair-price/1"

    @property
    def headline(self) -> str:
        """The fair price and today's, in one sentence."""
        today = "has no points" if self.today is None else f"costs {self.today} points"
        return f"{loadout_name(self.loadout)} {today} and is fair at {self.price.points}."

    @property
    def summary(self) -> dict[str, Any]:
        """The fair price with its interval, and today's price."""
        price = self.price
        return {"fair_points": price.points, "fair_points_low": price.fair_low, "fair_points_high": price.fair_high} | (
            {} if self.today is None else {"points_today": self.today}
        )

    def rows(self) -> list[dict[str, Any]]:
        """Return one row: the price, its loadout and its conditions."""
        return [self._body() | {"profiles": str(self.profiles)}]

    def _body(self) -> dict[str, Any]:
        record: dict[str, Any] = {
            "method": self.method,
            "limits": self.limits,
            "loadout": self.loadout,
            "role": self.role,
        }
        record |= {"judged_among": self.among.as_dict(), "today": self.today}
        return {**record, **self.price._asdict(), **self.profiles.fight_entries()}

    def blocks(self) -> list[Block]:
        """Return the price with its interval."""
        price = self.price
        today = "no points" if self.today is None else f"{self.today} points"
        line = (
            f"{self.loadout} ({self.role}) is fair at {price.points} points (95%: "
            f"{interval_text(price.fair_low, price.fair_high)}) {self.among.in_short}; today {today}."
        )
        if price.verdict:
            line += f" At that price the verdict is: {price.verdict}{f' ({price.doubt})' if price.doubt else ''}."
        judged = fill(f"Judged {self.among}.")
        return [Block(lines=[*fill(line), *judged])]

    def notes(self) -> list[str]:
        """Return limits, die, deck and profiles."""
        return [self.limits, *self.profiles.notes()]


@dataclass(frozen=True, eq=False, repr=False)
class SolvedDice(JudgedAnswer):
    """The change of dice at which a loadout is fair at its price, and the fair price at each change.

    Attributes
    ----------
    loadout : str
    row : str or None
        Row whose dice change; None for every row.
    role : str
        The role decides the pay for benefits that are not counted.
    points : int
        Its points.
    dice : int or None
        The change at which it is fair; None if no tried change makes it fair.
    frame : DataFrame
        The trade-off curve, one row for each change: `dice`; `fair_points`, `fair_low` and `fair_high` with that
        change; `points_over_fair` and `verdict` at today's points.
    profiles : ProfilesUsed
    limits : str
        Factors that are not counted.
    among : Among
        Opponents that it is judged against.
    method : str
        ``"exact"``, except for the intervals.
    """

    loadout: str
    row: str | None
    role: str
    points: int
    dice: int | None
    frame: pd.DataFrame
    profiles: ProfilesUsed
    limits: str
    among: Among
    method: Method = METHOD

    schema = "analyser/fair-dice/1"

    @property
    def headline(self) -> str:
        """The fair change of dice, in one sentence."""
        if self.dice is None:
            return f"No change of dice that was tried makes {loadout_name(self.loadout)} fair at {self.points} points."
        return f"{loadout_name(self.loadout)} is fair at {self.points} points with {self.dice:+d} dice."

    def _body(self) -> dict[str, Any]:
        record: dict[str, Any] = {
            "method": self.method,
            "limits": self.limits,
            "loadout": self.loadout,
            "row": self.row,
        }
        record |= {"judged_among": self.among.as_dict(), "role": self.role}
        curve = self.frame.to_dict("records")
        return {**record, "points": self.points, "dice": self.dice, "curve": curve, **self.profiles.fight_entries()}

    def plot(self, ax: Axes | None = None, **more: Any) -> Axes:
        """Draw the curve: fair points at each change of dice with their interval as a band, and today's points."""
        drawn: Axes = plots.trade_off(with_subject(self.frame, self._what), points=self.points, ax=ax, **more)
        return drawn

    @property
    def _what(self) -> str:
        return f"{self.loadout}, as {self.role}, {f'dice of {self.row}' if self.row else 'dice of every row'}"

    @property
    def _answer(self) -> str:
        fair = self.frame[self.frame["verdict"] == FAIR]
        if self.dice is None:
            ends = self.frame.iloc[[0, -1]].to_dict("records")
            prices = " and ".join(f"{end['fair_points']:.0f} with {end['dice']:+d}" for end in ends)
            return f"no change of dice that was tried is the answer: at {self.points} points its fair price is {prices}"
        nearest = fair.loc[fair["dice"] == self.dice, "fair_points"].iloc[0]
        within = f" (fair from {fair['dice'].min():+d} to {fair['dice'].max():+d})" * (len(fair) > 1)
        return f"at {self.points} points it is fair with {self.dice:+d} dice, its fair price then {nearest:.0f}{within}"

    def blocks(self) -> list[Block]:
        """Return the answer, and the curve as a table."""
        head = ["dice", "fair points", "95% interval", f"at {self.points} points"]
        rows = [
            [
                f"{row['dice']:+d}",
                figure(row["fair_points"]),
                interval_text(row["fair_low"], row["fair_high"]),
                row["verdict"],
            ]
            for row in self.frame.to_dict("records")
        ]
        lines = [
            *fill(f"{self._what}, {self.among.in_short}: {self._answer}."),
            *fill(f"Judged {self.among}."),
        ]
        return [Block(lines=lines), Block(head=head, rows=rows, align=">>>>")]

    def notes(self) -> list[str]:
        """Return limits, die, deck and profiles."""
        return [self.limits, *self.profiles.notes()]


def solve_price(
    unit: str | Loadout,
    *,
    against: Selectors = EVERYBODY,
    role: str | None = None,
    situations: str | Situation | Sequence[Situation | str] = SITUATIONS,
    policy: str = "tactic",
    profiles: ProfilesLike | None = None,
    threads: int | None = None,
    progress: Progress | bool | None = None,
) -> SolvedPrice:
    """Return the price at which a loadout is fair: that of :func:`analyser.fair_points`, in whole points.

    Parameters
    ----------
    unit : str or Loadout
        A loadout without points starts at the median of the opponents.
    against, situations, policy, profiles, threads, progress
        As in :func:`analyser.what_if`.
    role : str, optional
        Role that decides the pay for benefits that are not counted. Default: its own. The interval of another role is
        scaled from that of its own.

    Raises
    ------
    InputError
        No opponents, or a unit that exchanges no losses with them; an unknown role; too few units of its role; or as of
        :func:`analyser.fair_points`.

    Examples
    --------
    >>> found = solve_price("crown/rifle-platoon@basic", against="*/*@basic", situations=["long-range"])
    >>> found.price.fair_low <= found.price.points <= found.price.fair_high
    True
    """
    library = library_of(profiles)
    loadout = library.loadout(unit)
    priced, asked = _priced(loadout, against, library), price_situations(policy, situations_called(situations))
    field = field_of(priced, against, library, asked, threads, progress)
    if priced is not loadout:  # its frequency depends slightly on its price
        first = _fair(field, loadout.selector, role)
        field = field.with_([loadout.with_(points=_whole(first.fair_points))], threads)
    result = _fair(field, loadout.selector, role)
    points, doubt = _whole(result.fair_points), ""
    there = field.with_([loadout.with_(points=points)], threads)
    if points > (most := there.at_most(loadout.selector)):
        points, doubt = most, f"a loadout that does all that it does costs {most} points, and no more is fair"
        there = field.with_([loadout.with_(points=points)], threads)
    low, high = (min(end, points) if doubt else end for end in (result.fair_low, result.fair_high))
    verdict = there[loadout.selector].verdict if result.role == there[loadout.selector].role else ""
    price = Price(points, low, high, verdict, doubt or there[loadout.selector].doubt)
    with_subject = field.table.profiles, field.prices.limits, field.prices.among
    return SolvedPrice(loadout.selector, result.role, loadout.level.points, price, *with_subject)


def solve_dice(
    unit: str | Loadout,
    *,
    row: str | None = None,
    most: int = 5,
    against: Selectors = EVERYBODY,
    role: str | None = None,
    situations: str | Situation | Sequence[Situation | str] = SITUATIONS,
    policy: str = "tactic",
    profiles: ProfilesLike | None = None,
    threads: int | None = None,
    progress: Progress | bool | None = None,
) -> SolvedDice:
    """Return the change in dice that makes a loadout fair at its points, and the fair price of each change.

    Parameters
    ----------
    unit : str or Loadout
    row : str, optional
        Row whose dice change, in every band that has any. Default: every row.
    most : int
        Largest change in dice to try, fewer and more: 1 to 12.
    against, role, situations, policy, profiles, threads, progress
        As in :func:`solve_price`.

    Returns
    -------
    SolvedDice
        If it is fair at several changes, `dice` is the one whose fair price is nearest to its points.

    Raises
    ------
    InputError
        A loadout without points; an unknown row; or as :func:`solve_price`.

    Examples
    --------
    >>> field = {"against": "*/*@basic", "situations": ["long-range"]}
    >>> found = solve_dice("crown/rifle-platoon@basic", row="ranged-light", most=1, **field)
    >>> found.frame["dice"].tolist()
    [-1, 0, 1]
    >>> found.frame["fair_points"].is_monotonic_increasing
    True
    """
    check_integer(most, "most", 1, MOST_DICE_OFF)
    library = library_of(profiles)
    loadout = library.loadout(unit)
    points = loadout.level.points
    if not points:
        problem = f"it {'has no' if points is None else 'costs 0'} points"
        raise InputError(problem, where=loadout.selector, allowed="a loadout with points; solve_price finds some")
    variants = {by: loadout.with_(row=row, dice=by) if by else loadout for by in range(-most, most + 1)}
    field = field_of(
        loadout, against, library, price_situations(policy, situations_called(situations)), threads, progress
    )
    rows = []
    for by, variant in variants.items():
        result = _fair(field.with_([variant], threads) if by else field, loadout.selector, role)
        figures = {name: getattr(result, name) for name in ("fair_points", "fair_low", "fair_high")}
        rows.append({"dice": by, **figures, "points_over_fair": points / result.fair_points, "verdict": result.verdict})
    curve = pd.DataFrame(rows)
    with_subject = field.table.profiles, field.prices.limits, field.prices.among
    return SolvedDice(loadout.selector, row, result.role, points, _nearest(curve), curve, *with_subject)


def _nearest(curve: pd.DataFrame) -> int | None:
    """Return the change of dice whose fair price is nearest to the points.

    None if it is not fair there, or if it is the last change tried and a further one may be nearer.
    """
    away = np.log(curve["points_over_fair"].to_numpy(np.float64))
    best = int(np.abs(away).argmin())
    beside = {0: 1, len(away) - 1: len(away) - 2}.get(best)
    at_the_end = beside is not None and away[best] * away[beside] > 0
    return None if at_the_end or curve["verdict"].iloc[best] != FAIR else int(curve["dice"].iloc[best])


def _whole(points: float) -> int:
    return max(round(points), 1)


def _fair(field: Standings, selector: str, role: str | None) -> Standing:
    """Return the standing of a loadout, paid as units of `role` are; InputError if it has no fair price."""
    here = field[selector]
    if np.isnan(here.fair_points):
        raise InputError(f"no fair price: {here.why}", where=selector, allowed="a loadout that exchanges with others")
    if role is None or role == here.role:
        return here
    pay = {one.role: one.times for one in field.prices.roles}
    check_choice(role, "role", list(pay))
    times = pay[role] / pay[here.role]
    fair, low, high = (times * price for price in (here.fair_points, here.fair_low, here.fair_high))
    off, error = np.log((here.points or np.nan) / fair), np.log(high / low) / (2 * ENDS)
    under, over = map(float, probabilities(np.array(off), np.array(error)))
    figures: dict[str, Any] = {"fair_points": fair, "fair_low": low, "fair_high": high}
    return here._replace(
        role=role, under_probability=under, over_probability=over, verdict=verdict_of(under, over), **figures
    )


def _priced(loadout: Loadout, against: Selectors, profiles: Profiles) -> Loadout:
    """Return the loadout with initial points: its own, or the median of the opponents."""
    if loadout.level.points:
        return loadout
    points = [loadout.level.points for loadout in loadouts(against, profiles) if loadout.level.points]
    if not points:
        raise InputError("nobody in the field has points", where="against", allowed="loadouts with points")
    return loadout.with_(points=int(np.median(points)))
