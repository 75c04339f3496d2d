"""What a charge comes to (AC-8): who wins, what both sides lose, what becomes of them, victory points."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from analyser.errors import InputError, did_you_mean
from analyser.estimates import Estimate, Method
from analyser.fights import endings as read
from analyser.fights.account import Account
from analyser.fights.combatant import Combatant, has_rule
from analyser.fights.endings import CHARGE_RESULTS as RESULTS
from analyser.fights.endings import FATES, Endings, chance_figures
from analyser.fights.scenarios import ChargeScenario
from analyser.profiles import profiles_record
from analyser.rules.armoured_clash import close_quarters
from analyser.rules.armoured_clash.activation import Order
from analyser.scenario import Target
from analyser.tables import records

if TYPE_CHECKING:
    import pandas as pd

SIDES = ("attacker", "target")
FLAGS = ("suppressed", "disordered", "activated", "fell_back", "broken", "fled", "annihilated")
PASSENGERS_FLAGS = ("suppressed", "broken", "annihilated")


@dataclass(frozen=True, repr=False)
class ChargeResult:
    """What a charge comes to.

    Attributes
    ----------
    scenario : ChargeScenario
    method : "exact" or "monte-carlo"
    endings : Endings
        The states of both sides; read them with :meth:`to_frame`.
    strikes : tuple of dict
        Each attack of the combat as it is made by full units: by whom, with which row, dice, rating, DEFENCE.
    account : Account
        The rules it rests on, and those it leaves out.
    seed : int or None
        Monte Carlo only.
    """

    scenario: ChargeScenario
    method: Method
    endings: Endings
    strikes: tuple[dict[str, Any], ...]
    account: Account
    seed: int | None = None

    def __str__(self) -> str:
        """What the command line prints."""
        from analyser.fights.text import fight_text

        return fight_text([self])

    __repr__ = __str__  # a shell shows what is printed

    @property
    def exact(self) -> bool:
        """Whether the numbers are exact."""
        return self.method == "exact"

    @property
    def trials(self) -> int | None:
        """Charges that were played; None of an exact answer."""
        return self.endings.trials

    @property
    def units(self) -> tuple[Combatant, Combatant]:
        """The attacker and the target, as resolved."""
        return self.scenario.attacker, self.scenario.target

    def words(self, side: str) -> NDArray[np.int64]:
        """The states of one side, "attacker" or "target", an entry an ending."""
        return self.endings.first if side == "attacker" else self.endings.second

    @cached_property
    def result(self) -> NDArray[np.str_]:
        """How the charge went in each ending: one of :data:`RESULTS`; of an Overrun, its first combat."""
        return read.results_of_charge(self.endings.first)

    def event(self, name: str) -> NDArray[np.bool_]:
        """Whether `name` has happened, an entry an ending; the names are :attr:`events`."""
        if name in RESULTS:
            return np.asarray(self.result == name)
        if name == "overran":
            orders = read.orders(self.endings.first)
            second = (read.wins_of_charge(self.endings.first) > 1) | (orders != Order.WON)
            return np.asarray((self.result == "won") & second)
        if name not in self.events:
            hint = did_you_mean(name, self.events)
            raise InputError(f"no event {name!r}{hint}", where="probability", allowed=", ".join(self.events))
        side, _, what = name.partition("_")
        if what.startswith("passengers_"):
            return self._passengers(side, what.removeprefix("passengers_"))
        return read.has_fate(self.words(side), what) if what == "destroyed" else read.flag(self.words(side), what)

    @cached_property
    def events(self) -> tuple[str, ...]:
        """The names that :meth:`probability` knows."""
        overrun = ("overran",) if has_rule(self.scenario.attacker, "Overrun") else ()
        named = [*RESULTS, *overrun]
        for side, unit in zip(SIDES, self.units):
            named += [f"{side}_{flag}" for flag in (*FLAGS, "destroyed")]
            if unit.passengers is not None:
                named += [f"{side}_passengers_{flag}" for flag in PASSENGERS_FLAGS]
        return tuple(named)

    def _passengers(self, side: str, what: str) -> NDArray[np.bool_]:
        words, aboard = self.words(side), self.passengers_left(side)
        gone = aboard == 0
        if what == "annihilated":
            return np.asarray(gone, np.bool_)
        unit = self.units[SIDES.index(side)].passengers
        assert unit is not None
        if what == "broken":
            return np.asarray(~read.is_removed(words) & (words & close_quarters.PASSENGERS_BROKEN != 0))
        return np.asarray(~gone & (unit.suppressed | (words & close_quarters.PASSENGERS_SUPPRESSED != 0)))

    def passengers_left(self, side: str) -> NDArray[np.int64]:
        """Embarked models left, an entry an ending; none where they broke, or their transport is gone."""
        words, unit = self.words(side), self.units[SIDES.index(side)]
        most = 0 if unit.passengers is None else unit.passengers.models or 0
        aboard = np.minimum(most, (unit.capacity or 0) * read.models_left(words))
        return np.where(~read.is_removed(words) & (words & close_quarters.PASSENGERS_BROKEN != 0), 0, aboard)

    def probability(self, name: str) -> Estimate:
        """The probability of an event, such as ``won`` or ``target_broken``, with its interval if it was sampled.

        Raises
        ------
        InputError
            A name that is not one of :attr:`events`.

        Examples
        --------
        >>> import analyser
        >>> print(analyser.charge("crown/rifle-p@basic", "imperium/scion-grenadier-p@basic").probability("no_combat"))
        0%
        """
        return self.endings.chance(self.event(name))

    def models_destroyed(self, side: str) -> NDArray[np.int64]:
        """Models that one side has lost to damage or for want of room, an entry an ending."""
        return read.models_destroyed(self.words(side), self.units[SIDES.index(side)].models or 0)

    def losses(self) -> dict[str, NDArray[Any]]:
        """The joint law of what both sides lose, as columns by name."""
        return self.endings.table({f"{side}_models_destroyed": self.models_destroyed(side) for side in SIDES})

    def victory_points(self, side: str) -> NDArray[np.float64] | None:
        """VP that one side has won, an entry an ending (AC-5.9; Hunter, AC-7); None if a rating is not known."""
        mine, theirs = self.units if side == "attacker" else self.units[::-1]
        other = SIDES[1 - SIDES.index(side)]
        rated: list[tuple[Target, NDArray[np.bool_]]] = [(theirs, self.event(f"{other}_annihilated"))]
        if theirs.passengers is not None:
            rated.append((theirs.passengers, self.event(f"{other}_passengers_annihilated")))
        if any(unit.victory_points is None for unit, _ in rated):
            return None
        points = sum(gone * float(unit.victory_points or 0) for unit, gone in rated)
        hunted = read.wins_of_charge(self.words(side)) if has_rule(mine, "Hunter") else 0
        return np.asarray(points + hunted, np.float64)

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The main figures by name; each probability of a sample has its interval beside it."""
        figures: dict[str, Any] = {}
        for name in self.events:
            figures |= chance_figures(f"p_{name}", self.probability(name))
        for side in SIDES:
            figures |= self.endings.mean_figures(f"mean_{side}_models_destroyed", self.models_destroyed(side))
            figures |= self.endings.mean_figures(f"mean_{side}_models_left", read.models_left(self.words(side)))
            figures |= self.endings.mean_figures(f"mean_{side}_damage_left", read.damage(self.words(side)))
        for side in SIDES:
            name, points = f"expected_{side}_victory_points", self.victory_points(side)
            figures |= {name: None} if points is None else self.endings.mean_figures(name, points)
        return figures

    def table(self) -> dict[str, NDArray[Any]]:
        """The endings as columns by name; see :meth:`to_frame`."""
        results = np.array([RESULTS.index(each) for each in self.result])
        columns: dict[str, NDArray[Any]] = {"result": results}
        for side, unit in zip(SIDES, self.units):
            words = self.words(side)
            columns[f"{side}_models_left"] = read.models_left(words)
            columns[f"{side}_models_destroyed"] = self.models_destroyed(side)
            columns[f"{side}_damage"] = read.damage(words)
            columns |= {f"{side}_{name}": read.flag(words, name) for name in FLAGS}
            if unit.passengers is not None:
                columns[f"{side}_passengers_left"] = self.passengers_left(side)
                columns[f"{side}_passengers_suppressed"] = self._passengers(side, "suppressed")
        found = self.endings.table(columns)
        return found | {"result": np.array(RESULTS)[found["result"]]}

    def to_frame(self) -> pd.DataFrame:
        """The joint law of both sides, one row an ending.

        Returns
        -------
        DataFrame
            `result` (won, lost, stalemate, no_combat: as the attacker sees it); of each side `models_left`,
            `models_destroyed`, `damage` and its statuses and fates, with ``attacker_`` or ``target_`` before them;
            `probability`; of a sample also `count`, `low`, `high`.
        """
        import pandas as pd

        return pd.DataFrame(self.table())

    def as_dict(self) -> dict[str, Any]:
        """The result as plain data: what ``--format json`` prints (`docs/fights.md`)."""
        found: dict[str, Any] = {"kind": "charge", "method": self.method, "scenario": self.scenario.as_dict()}
        found |= profiles_record(self.scenario.profiles)
        if self.trials is not None:
            found |= {"trials": self.trials, "seed": self.seed}
        return found | {
            "strikes": list(self.strikes),
            "outcomes": records(self.table()),
            "losses": records(self.losses()),
            "summary": self.summary,
            **self.account.as_dict(),
        }


def fates(result: ChargeResult, side: str) -> dict[str, Estimate]:
    """The chance of each way in which one side can be gone."""
    return {fate: result.endings.chance(read.has_fate(result.words(side), fate)) for fate in FATES}
