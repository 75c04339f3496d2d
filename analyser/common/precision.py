"""Precision of a simulation: the requested width, the trials needed for it, and the reason for stopping.

A pilot (a short first simulation) determines the number of trials, which then run in one stage. This number
depends on the pilot alone, so a 95% interval keeps its coverage. Source: Stein, A two-sample test for a linear
hypothesis whose power is independent of the variance, Annals of Mathematical Statistics 16 (1945).
"""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

from analyser.common.errors import InputError, shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

SMALLEST_WIDTH, SMALLEST_SHARE = 1e-5, 1e-3  # the smallest precisions allowed, absolute and relative
MOST_PLANNED_TRIALS = 10**11  # simulating so many takes minutes for attacks, a day for duels
_ALLOWED = "1e-05 up to below 1; or a share of each event, 0.1% up to below 100%, such as '5%'"
LONGEST_PILOT = 1 << 20  # trials
_SHORTEST_PILOT, _RELATIVE_PILOT = 1 << 12, 1 << 16  # trials; the second for a relative precision
_PILOT_DIVISOR = 32  # a pilot has 1 / 32 of the trials that suffice for every possible probability
_MARGIN = 4.0  # standard errors by which a probability may differ from the pilot's; exceeded 1 time in 30,000
_ENOUGH_EVENTS = 100  # pilot trials with an event that are enough to estimate the event's probability
_PILOT_FACTOR = 4  # a pilot with too few such trials is repeated with 4 times as many trials


class Precision(NamedTuple):
    """Greatest allowed width of a 95% interval, from its lower to its upper end.

    Attributes
    ----------
    width : float
        Limit for every probability of the answer; if `relative`, as a share of the probability of each of
        `Result.events`.
    relative : bool
    """

    width: float
    relative: bool

    @classmethod
    def read(cls, value: object, where: str = "precision") -> Precision:
        """Return the precision stated by a number, or by a text such as ``5%``; InputError for other values.

        >>> Precision.read(0.01), Precision.read("5%")
        (Precision(width=0.01, relative=False), Precision(width=0.05, relative=True))
        """
        number, relative = value, False
        if isinstance(value, str):
            text = value.strip()
            relative = text.endswith("%")
            try:
                number = float(text.removesuffix("%"))
            except ValueError:
                number = None
        if isinstance(number, bool) or not isinstance(number, Real):
            raise InputError(f"must be a number or a percentage, got {shown(value)}", where=where, allowed=_ALLOWED)
        least, most = (100 * SMALLEST_SHARE, 100) if relative else (SMALLEST_WIDTH, 1)
        if not least <= number < most:  # type: ignore[operator]
            text = f"{number:g}" if isinstance(number, float) else shown(number)  # an integer may exceed floats
            raise InputError(f"{text}{'%' * relative} is out of range", where=where, allowed=_ALLOWED)
        return cls(float(number) / (100 if relative else 1), relative)

    def __str__(self) -> str:
        return f"{100 * self.width:g}% of each event" if self.relative else f"{self.width:g}"

    def pilot(self, least: int) -> int:
        """Return the number of trials of the pilot, at least `least`."""
        from analyser.common.intervals import trials_for

        if self.relative:
            return max(least, _RELATIVE_PILOT)
        enough = trials_for(self.width)
        return max(least, min(enough, max(enough // _PILOT_DIVISOR, _SHORTEST_PILOT), LONGEST_PILOT))

    def longer_pilot(self, counts: NDArray[Any], trials: int) -> int:
        """Return the number of trials of a longer pilot, or `trials` if so many are enough for the rarest event."""
        rarest = int(counts.min())
        goal = self._trials_at(rarest / trials, trials)
        return _PILOT_FACTOR * trials if rarest < _ENOUGH_EVENTS and goal > _PILOT_FACTOR * trials else trials

    def needed_trials(self, counts: NDArray[Any], trials: int) -> int:
        """Return the number of trials that makes intervals narrow enough, from the counts in a pilot of `trials`."""
        import numpy as np

        from analyser.common.intervals import wilson

        low, high = wilson(counts, trials, _MARGIN)
        if self.relative:
            return self._trials_at(float(low.min()), trials)
        widest = np.clip(0.5, low, high)  # the value nearest to 0.5 that each probability may have
        return self._trials_at(float(widest[np.argmin(np.abs(widest - 0.5))]), trials)

    def _trials_at(self, probability: float, least: int) -> int:
        """Return how many trials, at least `least`, make the interval of a probability narrow enough."""
        from analyser.common.intervals import NORMAL_95, trials_for, width

        wanted = self.width * probability if self.relative else self.width
        most = MOST_PLANNED_TRIALS + 1 if self.relative else max(trials_for(self.width), least)
        trials = max(int(min(4 * NORMAL_95**2 * probability * (1 - probability) / wanted**2, most)), least)
        while trials < most and (excess := width(round(probability * trials), trials) / wanted) > 1:
            trials = min(int(trials * max(excess, 1.001)) + 1, most)
        return trials

    def reached_width(self, counts: NDArray[Any], trials: int) -> float:
        """Return the greatest width of the intervals of `counts`; if relative, as a share of each probability."""
        from analyser.common.intervals import greatest_width, intervals

        if not self.relative:
            return greatest_width(counts, trials)
        low, high, _ = intervals(counts, trials)
        return float(((high - low) * trials / counts).max())


class Stopping(NamedTuple):
    """Planned number of trials, and the reason for stopping there.

    Attributes
    ----------
    planned : int
    reason : str
        ``trials``: the number was stated. ``precision``: the intervals are as narrow as requested. ``planned``: they
        are slightly wider after all planned trials. ``unseen``: the precision is relative, and no event occurred.
    precision : Precision or None
    reached : float or None
        As :meth:`Precision.reached_width` returns it.
    """

    planned: int
    reason: str = "trials"
    precision: Precision | None = None
    reached: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the record as plain data."""
        plain: dict[str, Any] = {"planned_trials": self.planned, "stop_reason": self.reason}
        if self.precision is None:
            return plain
        return plain | {"precision": {**self.precision._asdict(), "reached": self.reached}}

    def __str__(self) -> str:
        """Return a clause for a heading; empty if the number of trials was stated.

        >>> print(Stopping(5000, "precision", Precision(0.05, False), 0.0281))
        , as planned for intervals at most 0.05 wide (0.0281)
        """
        if self.precision is None:
            return ""
        intervals = f"intervals at most {self.precision} wide"
        if self.reached is None:
            return f", a pilot for {intervals} (no event occurred)"
        reached = f"{100 * self.reached:.3g}%" if self.precision.relative else f"{self.reached:.3g}"
        return f", as planned for {intervals} ({'' if self.reason == 'precision' else 'not quite: '}{reached})"
