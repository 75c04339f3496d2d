"""Result of best play of a duel: the value, the plan, and the cost of each simple tactic."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from analyser import plots
from analyser.common.answer import Block
from analyser.common.errors import InputError, check_choice, check_integer
from analyser.common.estimates import CERTAIN_WITHIN
from analyser.common.frames import tidy
from analyser.common.method_settings import Sampling
from analyser.common.text import counted
from analyser.results.best_play_table import NO_ORDERS, PlanTable, situation_in_words
from analyser.results.duel import DuelResult, solve_with_plan
from analyser.results.duel_solution import DUEL_SIDES, SolvedDuel
from analyser.rules.policies import BEST
from analyser.scenarios.duel import DuelScenario
from analyser.scenarios.policies import why_not
from analyser.scenarios.schema import PROBABILITY_WANTS, WANTS, PolicyName

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_MAIN_TACTICS: tuple[PolicyName, ...] = ("shoot", "charge")  # if one of these is not possible, the text says why
_MOST_SITUATIONS = 16  # rows of the plan in the text
_LEAST_COST = 5e-5  # a choice matters if the second best costs at least this
PLOT_AXES = ("models", "distance")


@dataclass(frozen=True, repr=False, kw_only=True)
class BestResult(DuelResult):
    """Best play of a duel: a :class:`~.duel.DuelResult` with the plan and the cost of simple tactics.

    Examples
    --------
    >>> import analyser
    >>> result = analyser.best_play("crown/rifle-p@basic", "imperium/scion-grenadier-p@basic", rounds=1, first="a")
    >>> result.first_moves()[0]["do"]
    'aim and shoot'
    >>> result.exploitability < 1e-12
    True
    """

    kind = "best"

    solution: SolvedDuel

    @property
    def value(self) -> float:
        """Value of the duel by the objective of the side that plays best (of A if both do)."""
        return self.solution.value

    @property
    def exploitability(self) -> float:
        """Sum of what each side could gain by deviating from the plan; 0 except for rounding."""
        return self.solution.exploitability

    def plan(self, side: str | None = None) -> list[dict[str, Any]]:
        """Return the plan: a plain dict for each situation that can occur, the likeliest of each round first.

        Parameters
        ----------
        side : "a" or "b", optional
            Default: all sides that play best.

        Returns
        -------
        list of dict
            `round`, `side`, and the occasion `when`: ``first`` or ``second`` in the round (``orders`` if the duel fixes
            the first side), ``reaction`` (opportunity fire), ``overrun`` (after a won combat), ``retaliation`` or
            ``attack`` (strikes of the charged or the active unit), ``test`` (it may be failed on purpose).
            ``own_...``, ``enemy_...``: models, damage, statuses, any distance to the own edge. `distance` of the units.
            `do`, the choice, its `value`; the second best `runner_up`, its cost `costs`; the situation's `probability`.

        Raises
        ------
        InputError
            The side does not play best.
        """
        self._number_of_side(side)  # checks the side
        return [row for row in self._plan_rows if side in (None, row["side"])]

    @cached_property
    def _plan_rows(self) -> list[dict[str, Any]]:
        return PlanTable(self.solution).reached_rows()

    def _number_of_side(self, side: str | None) -> int:
        """Return the number of a side that plays best, by default of the objective side."""
        if side is None:
            return self.solution.objective_side
        check_choice(side, "side", DUEL_SIDES)
        number = DUEL_SIDES.index(side)
        if not self.solution.choosers[number]:
            problem, allowed = f"side {side} has no plan; it follows a simple tactic", DUEL_SIDES[1 - number]
            raise InputError(problem, where="side", allowed=allowed)
        return number

    def first_moves(self) -> list[dict[str, Any]]:
        """Return the likeliest rows of the :meth:`plan` for the first move of the side that plays best (A if both)."""
        side, likeliest = DUEL_SIDES[self.solution.objective_side], dict[str, dict[str, Any]]()
        for row in self._plan_rows:
            if row["side"] == side and row["round"] == 1 and row["when"] not in NO_ORDERS:
                likeliest.setdefault(row["when"], row)
        return list(likeliest.values())

    @cached_property
    def _regrets(self) -> list[dict[str, Any]]:
        solution, rows = self.solution, list[dict[str, Any]]()
        side = solution.objective_side
        for name in solution.tactics(side):
            plan = solution.plan_of_tactic(side, name)
            value = solution.value_of_plan(plan)
            row: dict[str, Any] = {"tactic": name, "value": value, "cost": max(solution.value - value, 0.0)}
            if solution.choosers[1 - side]:
                worst = solution.value_of_best_response(plan, 1 - side)
                row |= {"worst": worst, "exploitable": max(solution.value - worst, 0.0)}
            rows.append(row)
        return sorted(rows, key=lambda row: row["cost"])

    def regrets(self) -> list[dict[str, Any]]:
        """Return the cost of each simple tactic of the unit, compared with best play; the smallest comes first.

        Returns
        -------
        list of dict
            `tactic`; its `value` against the enemy's policy; `cost`, the value of best play minus `value`. If both
            sides play best, also `worst`, the value against the enemy's best response, and `exploitable`, its cost.
        """
        return self._regrets

    def rows(self) -> list[dict[str, Any]]:
        return [
            {name: " ".join(cell) if isinstance(cell, list) else cell for name, cell in row.items()}
            for row in self._plan_rows
        ]

    def to_frame(self, **tables: bool) -> pd.DataFrame:
        """Return the :meth:`plan`, or another table of the duel (:meth:`.DuelResult.to_frame`)."""
        return super().to_frame(**tables) if tables else tidy(self.rows())

    def plot(
        self, ax: Axes | None = None, *, by: str = "models", round: int = 1, side: str | None = None, **more: Any
    ) -> Axes:
        """Draw the plan with a colour for each choice, by models of both sides or by enemy models and distance.

        Parameters
        ----------
        by : "models" or "distance"
            The quantities on the axes.
        round : int
            The round to draw, from 1.
        side : "a" or "b", optional
            The side that chooses. Default: the side that plays best, A if both do.
        """
        from analyser.common.look import with_subject

        check_choice(by, "by", PLOT_AXES)
        check_integer(round, "round", 1, self.solution.game.rounds)
        number = self._number_of_side(side)
        if by == "distance" and self.scenario.terms.distance is None:
            raise InputError("this duel states no distance", where="by", allowed="models, or a duel with a distance")
        frame = tidy(PlanTable(self.solution).picture_cells(number, round - 1, by))
        if frame.empty:
            problem = f"the plan has no choice in round {round} to draw by {by}"
            raise InputError(problem, where="plot", allowed="another `round` or `by`")
        of_enemy, of_own, distance = "models of the enemy", "own models", "distance in inches"
        across, up = (distance, of_enemy) if by == "distance" else (of_enemy, of_own)
        title = f"Best play of {DUEL_SIDES[number].upper()} in round {round}, in the likeliest situation of each cell"
        frame = with_subject(frame, "\n".join([*self.caption(), title]))
        return plots.choices(frame, across=across, up=up, ax=ax, **more)

    def value_text(self, value: float) -> str:
        """Return a value as text: a probability or victory points, by the objective."""
        return f"{100 * value:.2f}%" if self._is_probability else f"{value:+.3f} VP"

    def cost_text(self, value: float) -> str:
        """Return a difference of values as text."""
        return f"{100 * value:.2f} pp" if self._is_probability else f"{value:.3f} VP"

    @property
    def _is_probability(self) -> bool:
        return self.scenario.terms.want in PROBABILITY_WANTS

    def heading(self) -> list[tuple[str, str]]:
        lines = super().heading()
        side = DUEL_SIDES[self.solution.objective_side].upper()
        return [("Best play", lines[0][1]), *lines[1:], ("Objective", f"{side}: {WANTS[self.scenario.terms.want]}")]

    @property
    def headline(self) -> str:
        return f"With best play {super().headline}"

    def blocks(self) -> list[Block]:
        return [self._first_block(), self._tactics_block(), self._plan_block(), *super().blocks()[1:]]

    def _first_block(self) -> Block:
        want = self.scenario.terms.want
        names = {"win": "P(win), a draw counts half", "survival": "P(survival)"}
        rows = [[f"Value: {names.get(want, 'expected ' + want)}", f"{self.value_text(self.value)} exact"]]
        for row in self.first_moves():
            label = "First move" + {"first": ", acting first", "second": ", acting second"}.get(row["when"], "")
            second, cost = row["runner_up"], row["costs"]
            lower = f"; second best: {second} ({self.cost_text(cost)} lower)"
            other = "" if not second else lower if cost > CERTAIN_WITHIN else f"; equally good: {second}"
            rows.append([label, f"{row['do']}{other}"])
        rows += [["Exploitability", f"{self.exploitability:.1e}"]] if self.exploitability > CERTAIN_WITHIN else []
        return Block("Value of best play", rows=rows)

    def _tactics_block(self) -> Block:
        head = ["tactic", "value", "cost"]
        both = self.solution.choosers[1 - self.solution.objective_side]
        head += ["value if known", "cost if known"] if both else []
        rows = []
        for row in self._regrets:
            cells = [row["tactic"], self.value_text(row["value"]), self.cost_text(row["cost"])]
            cells += [self.value_text(row["worst"]), self.cost_text(row["exploitable"])] if both else []
            rows.append(cells)
        lines = ["If known: the enemy knows the tactic, and replies in the best way."] if both else []
        player = self.solution.shooters[self.solution.objective_side]
        reasons = {name: why_not(name, player.unit, player.enemy) for name in _MAIN_TACTICS}
        lines += [f"Not possible: {name} ({reason})." for name, reason in reasons.items() if reason]
        return Block("Cost of simple tactics", head, rows, "<>", lines=lines)

    def _plan_block(self) -> Block:
        rows, units = self._plan_rows, self.units
        cells: dict[str, list[str]] = {}
        decisive = [row for row in rows if row["costs"] >= _LEAST_COST]
        for row in sorted(decisive or rows, key=lambda row: -row["probability"]):
            mine, theirs = units if row["side"] == "a" else units[::-1]
            situation = f"{row['round']} {row['side'].upper()}  {situation_in_words(row, mine, theirs)}"
            costs = f"{row['runner_up']}: {self.cost_text(row['costs'])}" if row["runner_up"] else ""
            cells.setdefault(situation, [row["do"], costs, f"{100 * row['probability']:.1f}%"])
            if len(cells) == _MOST_SITUATIONS:
                break
        head = ("round, side, situation", "action", "second best (cost)", "frequency")
        shown = [[situation, *cells[situation]] for situation in sorted(cells, key=lambda text: int(text.split()[0]))]
        matters = f"The choice matters in {f'{len(decisive):,}' if decisive else 'none'} of "
        lines = [f"{matters}{counted(len(rows), 'situation')}. JSON and CSV contain all of them."]
        return Block("Plan: the most frequent and important situations", head, shown, "<<<>", lines=lines)

    def _body(self) -> dict[str, Any]:
        head = {"value": self.value, "exploitability": self.exploitability, "first_moves": self.first_moves()}
        return {**head, "regrets": self._regrets, "plan": self._plan_rows, **super()._body()}


def solve_best_play(scenario: DuelScenario) -> BestResult:
    """Return best play of a duel; InputError if neither side has the policy `best`, or the duel is too large."""
    if BEST not in (scenario.terms.policy_a, scenario.terms.policy_b):
        raise InputError("neither side plays best", where="duel", allowed='policy_a = "best" or policy_b = "best"')
    return solve_with_plan(scenario, Sampling(), BestResult)
