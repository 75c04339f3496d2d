"""What a charge comes to (AC-8): who wins, what both sides lose, what becomes of them, victory points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from analyser.common.estimates import CERTAIN_WITHIN
from analyser.common.text import NEGLIGIBLE, counted, p_text, points_text, rating_text, records, with_error
from analyser.engine.fight import strikes
from analyser.engine.fight.program import Kind, Operation, Setup
from analyser.game.ruleset import Rating
from analyser.results import states
from analyser.results.attack import ALWAYS_SHOWN
from analyser.results.base import NOT_SHOWN, chance_figures
from analyser.results.rendering import Block
from analyser.results.rules_used import rating_reasons
from analyser.results.states import CHARGE_RESULTS, FATES, Endings, FightResult, unit_line, unit_name
from analyser.rules import close_quarters, unit_state
from analyser.rules.activation import Order
from analyser.rules.structs import NONE
from analyser.scenarios.charge import ChargeScenario
from analyser.scenarios.combatant import charge_row, keeps_damage, retaliation_row
from analyser.scenarios.schema import Target

if TYPE_CHECKING:
    import pandas as pd

CHARGE_SIDES = ("attacker", "target")
FLAGS = ("suppressed", "disordered", "activated", "fell_back", "broken", "fled", "annihilated")
_MEANS = {"models_destroyed": "models_destroyed", "models_left": "models_left", "damage": "damage_left"}
PASSENGERS_FLAGS = ("suppressed", "broken", "annihilated")


@dataclass(frozen=True, repr=False, kw_only=True)
class ChargeResult(FightResult):
    """What a charge comes to.

    Attributes
    ----------
    endings : Endings
        The states of both sides; read them with :meth:`to_frame`.
    strikes : tuple of dict
        Each attack of the combat as it is made by full units: by whom, with which row, dice, rating, DEFENCE.
    """

    kind = "charge"

    scenario: ChargeScenario
    endings: Endings
    strikes: tuple[dict[str, Any], ...]

    @property
    def _moments(self) -> tuple[Endings, ...]:
        return (self.endings,)

    @cached_property
    def result(self) -> NDArray[np.str_]:
        """How the charge went in each ending: one of :data:`RESULTS`; of an Overrun, its first combat."""
        return states.results_of_charge(self.endings.first)

    def event(self, name: str, moment: int | None = None) -> NDArray[np.bool_]:  # noqa: ARG002 - there is one
        """Whether `name`, one of :attr:`events`, has happened, an entry an ending."""
        if name in CHARGE_RESULTS:
            return np.asarray(self.result == name)
        if name == "overran":
            orders = states.orders(self.endings.first)
            second = (states.wins_of_charge(self.endings.first) > 1) | (orders != Order.WON)
            return np.asarray((self.result == "won") & second)
        side, _, what = name.partition("_")
        if what.startswith("passengers_"):
            return self._passengers(side, what.removeprefix("passengers_"))
        return states.has_fate(self.states_of(side), what) if what in FATES else states.flag(self.states_of(side), what)

    figures = tuple(f"{side}_{what}" for side in CHARGE_SIDES for what in ("models_left", "models_destroyed", "damage"))

    @cached_property
    def events(self) -> tuple[str, ...]:
        """The names that :meth:`probability` knows."""
        overrun = ("overran",) if self.scenario.attacker.has("Overrun") else ()
        named = [*CHARGE_RESULTS, *overrun]
        for side, unit in zip(CHARGE_SIDES, self.units):
            named += [f"{side}_{flag}" for flag in (*FLAGS, "destroyed")]
            if unit.passengers is not None:
                named += [f"{side}_passengers_{flag}" for flag in PASSENGERS_FLAGS]
        return tuple(named)

    def _passengers(self, side: str, what: str) -> NDArray[np.bool_]:
        words, aboard = self.states_of(side), self.passengers_left(side)
        gone = aboard == 0
        if what == "annihilated":
            return np.asarray(gone, np.bool_)
        unit = self.units[CHARGE_SIDES.index(side)].passengers
        assert unit is not None
        if what == "broken":
            return np.asarray(~states.is_removed(words) & (words & close_quarters.PASSENGERS_BROKEN != 0))
        return np.asarray(~gone & (unit.suppressed | (words & close_quarters.PASSENGERS_SUPPRESSED != 0)))

    def passengers_left(self, side: str) -> NDArray[np.int64]:
        """Embarked models left, an entry an ending; none where they broke, or their transport is gone."""
        words, unit = self.states_of(side), self.units[CHARGE_SIDES.index(side)]
        most = 0 if unit.passengers is None else unit.passengers.models or 0
        aboard = np.minimum(most, (unit.capacity or 0) * states.models_left(words))
        return np.where(~states.is_removed(words) & (words & close_quarters.PASSENGERS_BROKEN != 0), 0, aboard)

    def _all_weights(self) -> list[NDArray[Any]]:
        return [*super()._all_weights(), self.losses()["count"]]

    def losses(self) -> dict[str, NDArray[Any]]:
        """The joint distribution of what both sides lose, as columns by name."""
        names = [f"{side}_models_destroyed" for side in CHARGE_SIDES]
        return self.endings.table({name: self.values(name) for name in names})

    def victory_points(self, side: str) -> NDArray[np.float64] | None:
        """VP that one side has won, an entry an ending (AC-5.9; Hunter, AC-7); None if a rating is not known."""
        mine, theirs = self.units if side == "attacker" else self.units[::-1]
        other = CHARGE_SIDES[1 - CHARGE_SIDES.index(side)]
        rated: list[tuple[Target, NDArray[np.bool_]]] = [(theirs, self.event(f"{other}_annihilated"))]
        if theirs.passengers is not None:
            rated.append((theirs.passengers, self.event(f"{other}_passengers_annihilated")))
        if any(unit.victory_points is None for unit, _ in rated):
            return None
        points = sum(gone * float(unit.victory_points or 0) for unit, gone in rated)
        hunted = states.wins_of_charge(self.states_of(side)) if mine.has("Hunter") else 0
        return np.asarray(points + hunted, np.float64)

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The main figures by name; each probability of a sample has its interval beside it."""
        figures: dict[str, Any] = {}
        for name in self.events:
            figures |= chance_figures(f"p_{name}", self.probability(name))
        for side in CHARGE_SIDES:
            for what, label in _MEANS.items():
                figures |= self.endings.mean_figures(f"mean_{side}_{label}", self.values(f"{side}_{what}"))
        for side in CHARGE_SIDES:
            name, points = f"expected_{side}_victory_points", self.victory_points(side)
            figures |= {name: None} if points is None else self.endings.mean_figures(name, points)
        return figures

    def table(self) -> dict[str, NDArray[Any]]:
        """The endings as columns by name; see :meth:`to_frame`."""
        results = np.array([CHARGE_RESULTS.index(each) for each in self.result])
        columns: dict[str, NDArray[Any]] = {"result": results}
        for side, unit in zip(CHARGE_SIDES, self.units):
            words = self.states_of(side)
            columns[f"{side}_models_left"] = states.models_left(words)
            columns[f"{side}_models_destroyed"] = self.values(f"{side}_models_destroyed")
            columns[f"{side}_damage"] = states.damage(words)
            columns |= {f"{side}_{name}": states.flag(words, name) for name in FLAGS}
            if unit.passengers is not None:
                columns[f"{side}_passengers_left"] = self.passengers_left(side)
                columns[f"{side}_passengers_suppressed"] = self._passengers(side, "suppressed")
        found = self.endings.table(columns)
        return found | {"result": np.array(CHARGE_RESULTS)[found["result"]]}

    def to_frame(self) -> pd.DataFrame:
        """The full joint distribution of both sides, one row an ending.

        Returns
        -------
        DataFrame
            `result` (won, lost, stalemate, no_combat: as the attacker sees it); of each side `models_left`,
            `models_destroyed`, `damage` and its statuses and fates, with ``attacker_`` or ``target_`` before them;
            `probability`; of a sample also `count`, `low`, `high`.
        """
        return super().to_frame()

    def _body(self) -> dict[str, Any]:
        return {
            "strikes": list(self.strikes),
            "outcomes": records(self.table()),
            "losses": records(self.losses()),
            "summary": self.summary,
        }

    _drawn = "target_models_destroyed"

    def caption(self) -> list[str]:
        """What a picture says of the question: units and circumstances."""
        stated = self.scenario.attacker.charge.model_dump()
        named = [name.replace("_", " ") for name, is_so in stated.items() if is_so and name != "overrun"]
        return [*super().caption(), *([", ".join(named)] if named else [])]

    def heading(self) -> list[tuple[str, str]]:
        """What was asked, as labels and texts."""
        attacker, target = self.units
        lines = [("Charge", f"{unit_name(attacker)} -> {unit_name(target)}")]
        lines += [("Beside it", unit_name(unit)) for unit in self.scenario.secondary]
        lines += [("Attacker", unit_line(attacker)), ("Target", unit_line(target))]
        return lines + [("" if place else "Strikes", _strike_line(each)) for place, each in enumerate(self.strikes)]

    def blocks(self) -> list[Block]:
        """The answer as text, block by block."""
        probabilities = {name: self.probability(name) for name in CHARGE_RESULTS}
        shown = [name for name in CHARGE_RESULTS if name != "no_combat" or probabilities[name].probability > 0]
        rows = [[_RESULT_WORDS[name], p_text(probabilities[name])] for name in shown]
        if "overran" in self.events:
            rows.append(["Attacker overruns", p_text(self.probability("overran"))])
        return [Block("The combat", rows=rows), _losses(self), _become_of(self)]


_ATTACKER = 0


def strikes_described(
    setup: Setup, operations: Sequence[Operation], start: tuple[int, int], scenario: ChargeScenario
) -> list[dict[str, Any]]:
    """Each attack of a combat as it would be made by both units as they stand at the start."""
    found = []
    for number in (operation.number for operation in operations if operation.kind == Kind.STRIKE):
        strike = setup.strikes[number]
        again = strike.orders == 1 << Order.OVERRUN
        attacker = unit_state.with_order(start[0], int(Order.OVERRUN)) if again else start[0]
        words = attacker, start[1] | (unit_state.MARKED if strike.by_throw else 0)
        if not strikes.is_made(setup, number, _ATTACKER, words):
            continue
        struck = words[1 - strike.striker]
        strikes.set_strike(setup, number, strikes.condition(setup, number, words), struck)
        fight, reasons = setup.fight[0], rating_reasons(setup.attack[0], setup.target[0])
        if reasons["rating_by"] == "stated":  # not by a file, which has no key for it here
            reasons["rating_by"] = "rule"
        found.append(
            {
                "by": _striker(setup, number),
                "row": _row_of(setup, number, scenario),
                "overrun": bool(again),
                "dice": int(fight.dice),
                "overcharge": bool(fight.overcharge),
                "rating": Rating(fight.rating).name.lower(),
                **reasons,
                "defence": int(fight.defence),
            }
        )
    return found


def _striker(setup: Setup, number: int) -> str:
    strike = setup.strikes[number]
    if strike.by_throw:
        return "throw"
    if strike.fixed_dice != NONE:
        return "secondary" if strike.counts else "sponsons"
    return "attacker" if strike.striker == _ATTACKER else "target"


def _row_of(setup: Setup, number: int, scenario: ChargeScenario) -> str | None:
    by = _striker(setup, number)
    if by == "attacker":
        return charge_row(scenario.attacker, "attacker").id
    row = retaliation_row(scenario.target) if by == "target" else None
    return None if row is None else row.id


_WIDEST_GRID = 13  # columns of a joint table that a terminal has room for


_RESULT_WORDS = {
    "won": "Attacker wins",
    "lost": "Attacker loses",
    "stalemate": "Stalemate",
    "no_combat": "Attacker destroyed before contact",
}


def _become_of(result: ChargeResult) -> Block:
    rows = []
    for name in ("suppressed", "disordered", "fell_back", *FATES, "annihilated"):  # whoever charges is activated
        probabilities = [result.probability(f"{side}_{name}") for side in CHARGE_SIDES]
        if name in ALWAYS_SHOWN or any(chance.probability > 0 for chance in probabilities):
            rows.append([f"P({name.replace('_', ' ')})", *map(str, probabilities)])
    if any(unit.passengers for unit in result.units):
        for name in ("suppressed", "annihilated"):
            cells = [
                str(result.probability(f"{side}_passengers_{name}")) if unit.passengers else "none aboard"
                for side, unit in zip(CHARGE_SIDES, result.units)
            ]
            rows.append([f"P(passengers {name})", *cells])
    for what in ("models_destroyed", "models_left", *(["damage_left"] if any(map(keeps_damage, result.units)) else [])):
        names = (f"mean_{side}_{what}" for side in CHARGE_SIDES)
        rows.append([f"Mean {what.replace('_', ' ')}", *(with_error(result.summary, name) for name in names)])
    points = (f"expected_{side}_victory_points" for side in CHARGE_SIDES)
    rows.append(["Expected victory points won", *(points_text(result.summary, name) for name in points)])
    return Block("What becomes of them", ("", *CHARGE_SIDES), rows)


def _losses(result: ChargeResult) -> Block:
    """The joint table of losses; where it is too wide for a terminal, the distribution of each side's by itself."""
    table = result.losses()
    lost = {side: table[f"{side}_models_destroyed"].tolist() for side in CHARGE_SIDES}
    shares = table["probability"].tolist()
    pmfs, shown = {}, {}
    for side, unit in zip(CHARGE_SIDES, result.units):
        pmf = [0.0] * ((unit.models or 0) + 1)
        for value, share in zip(lost[side], shares):
            pmf[value] += share
        above = [sum(pmf[value:]) for value in range(len(pmf))]
        pmfs[side], shown[side] = pmf, _likely(pmf, above)
    rows_shown, columns = (range(first, last + 1) for first, last in (shown["attacker"], shown["target"]))
    if len(columns) > _WIDEST_GRID:
        return _pmfs(pmfs, shown)
    probability = {(mine, theirs): share for mine, theirs, share in zip(lost["attacker"], lost["target"], shares)}
    head, rows = ["attacker's \\ target's", *map(str, columns), "any"], []
    for mine in rows_shown:
        cells = [_cell(probability.get((mine, theirs), 0.0)) for theirs in columns]
        rows.append([str(mine), *cells, _cell(pmfs["attacker"][mine])])
    rows.append(["any", *(_cell(pmfs["target"][theirs]) for theirs in columns), "100%"])
    cut = any(shown[side] != (0, len(pmfs[side]) - 1) for side in CHARGE_SIDES)
    lines = [NOT_SHOWN] if cut else []
    return Block("Models destroyed, the attacker's down, the target's across", head, rows, ">", lines=lines)


def _likely(pmf: Sequence[float], above: Sequence[float]) -> tuple[int, int]:
    """The first and the last number of models worth a line, however short the pmf is."""
    last = max(value for value, probability in enumerate(above) if probability >= NEGLIGIBLE)
    below = [1 - probability + share for probability, share in zip(above, pmf)]
    return next(value for value, probability in enumerate(below) if probability >= NEGLIGIBLE), last


def _cell(share: float) -> str:
    if share > 1 - CERTAIN_WITHIN:
        return "100%"
    return "-" if share == 0 else f"{100 * share:.1f}%" if share >= 0.0005 else "<0.1%"


def _pmfs(pmfs: Mapping[str, Sequence[float]], shown: Mapping[str, tuple[int, int]]) -> Block:
    first, last = min(low for low, _ in shown.values()), max(high for _, high in shown.values())
    rows = []
    for value in range(first, last + 1):
        rows.append([str(value), *(_cell(pmf[value]) if value < len(pmf) else "-" for pmf in pmfs.values())])
    return Block("Models destroyed", ("value", *pmfs), rows, ">", " | ")


def _strike_line(strike: Mapping[str, Any]) -> str:
    row = f" with {strike['row']}" if strike["row"] else ""
    again = " in an Overrun" if strike["overrun"] else ""
    dice = counted(strike["dice"], "die", "dice")
    if strike["overcharge"]:
        dice = f"{dice} and as many as a card says" if strike["dice"] else "as many dice as a card says"
    return f"{strike['by']}{row}{again}: {dice}, {rating_text(strike)}, against DEFENCE {strike['defence']}"
