"""Result of best play of a duel: its value, the plan, and the cost of each simple tactic."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from analyser.common.answer import Block
from analyser.common.errors import InputError, check_integer, did_you_mean
from analyser.common.estimates import CERTAIN_WITHIN
from analyser.common.frames import tidy
from analyser.common.method_settings import Sampling
from analyser.common.text import counted
from analyser.results.duel import DUEL_SIDES, DuelResult, solve_best
from analyser.results.duel_solution import Play
from analyser.results.plan import NO_ORDERS, PlanTable, stands_in_words
from analyser.rules.policies import BEST
from analyser.scenarios.duel import DuelScenario
from analyser.scenarios.schema import CHANCES, WANTS

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_SHOWN = 16  # situations of the plan as text
_TELLING = 5e-5  # least cost of the runner-up in a choice that matters
_LIKELY = 1e-12  # smaller probabilities are rounding errors
PICTURES = ("models", "distance")


@dataclass(frozen=True, repr=False, kw_only=True)
class BestResult(DuelResult):
    """Best play of a duel: a :class:`~.duel.DuelResult` with the plan and the cost of simple tactics.

    Examples
    --------
    >>> import analyser
    >>> found = analyser.best_play("crown/rifle-p@basic", "imperium/scion-grenadier-p@basic", rounds=1, first="a")
    >>> found.first_moves()[0]["do"]
    'aim and shoot'
    >>> found.exploitability < 1e-12
    True
    """

    kind = "best"

    play: Play

    @property
    def value(self) -> float:
        """Value of the duel for the side that plays best (A if both do), by its objective."""
        return self.play.value

    @property
    def exploitability(self) -> float:
        """Largest gain of both sides together by deviating from the plan; 0 except for rounding."""
        return self.play.exploitability

    @cached_property
    def _table(self) -> PlanTable:
        return PlanTable(self.play)

    def plan(self, side: str | None = None) -> list[dict[str, Any]]:
        """Return the plan, one plain dict per situation that it leads to, the likeliest of each round first.

        Parameters
        ----------
        side : "a" or "b", optional
            Default: all sides that play best.

        Returns
        -------
        list of dict
            `round`, `side` and `when`: ``first`` or ``second`` in the round, ``orders`` if that order is fixed,
            ``reaction`` (opportunity fire), ``overrun`` (after a won combat), ``retaliation`` or ``attack`` (strikes of
            the charged or the active unit), or ``test`` (one that can be failed on purpose). Models, damage and
            statuses of its ``own_`` unit and the ``enemy_``; `distance` in inches. `do`, the choice, with its `value`;
            the `runner_up` and its cost, `costs`; the `probability` of the situation.

        Raises
        ------
        InputError
            The side does not play best.
        """
        self._side(side)
        return [deepcopy(row) for row in self._reached if side in (None, row["side"])]

    @cached_property
    def _reached(self) -> list[dict[str, Any]]:
        return self._table.reached(None, _LIKELY)

    def _side(self, side: str | None) -> int | None:
        if side is None:
            return None
        if side not in DUEL_SIDES:
            raise InputError(f"no side {side!r}{did_you_mean(str(side), DUEL_SIDES)}", where="side", allowed="a, b")
        number = DUEL_SIDES.index(side)
        if not self.play.choosers[number]:
            raise InputError(
                f"{side} has a simple tactic, and no plan", where="side", allowed=DUEL_SIDES[self.play.wanter]
            )
        return number

    def first_moves(self) -> list[dict[str, Any]]:
        """Return the rows of the :meth:`plan` for the first move of the side that plays best (A if both do)."""
        side, likeliest = DUEL_SIDES[self.play.wanter], dict[str, dict[str, Any]]()
        for row in self._reached:
            if row["side"] == side and row["round"] == 1 and row["when"] not in NO_ORDERS:
                likeliest.setdefault(row["when"], row)
        return deepcopy(list(likeliest.values()))

    @cached_property
    def _regrets(self) -> list[dict[str, Any]]:
        play, rows = self.play, list[dict[str, Any]]()
        side = play.wanter
        for name in play.tactics(side):
            plan = play.plan_of_tactic(side, name)
            value = play.following(plan)
            row: dict[str, Any] = {"tactic": name, "value": value, "cost": max(play.value - value, 0.0)}
            if play.choosers[1 - side]:
                worst = play.against(plan, 1 - side)
                row |= {"worst": worst, "exploitable": max(play.value - worst, 0.0)}
            rows.append(row)
        return sorted(rows, key=lambda row: row["cost"])

    def regrets(self) -> list[dict[str, Any]]:
        """Return the cost of each possible tactic of the unit compared with best play, the smallest first.

        Returns
        -------
        list of dict
            `tactic`; its `value` against the enemy's policy in this result; its `cost`, the value of best play minus
            that. If both sides play best, also `worst`, its value against the enemy's best response, and
            `exploitable`, its cost then.
        """
        return [dict(row) for row in self._regrets]

    def rows(self) -> list[dict[str, Any]]:
        """Return the plan, as ``--format csv`` prints it."""
        return [{name: _flat(cell) for name, cell in row.items()} for row in self.plan()]

    def to_frame(self, *, regrets: bool = False, **tables: bool) -> pd.DataFrame:
        """Return the :meth:`plan`, the cost of simple tactics (:meth:`regrets`), or a table of the duel under the plan.

        Parameters
        ----------
        regrets : bool
            Return one row per tactic.
        **tables : bool
            `by_round` or `activations`, as for a duel.
        """
        if tables:
            return super().to_frame(**tables)
        return tidy(self.regrets() if regrets else self.rows())

    def plot(
        self, ax: Axes | None = None, *, by: str = "models", round: int = 1, side: str | None = None, **more: Any
    ) -> Axes:
        """Draw the plan with a colour for each choice, by models of both sides or by enemy models and distance.

        Parameters
        ----------
        ax : Axes, optional
            Default: those of a new figure.
        by : "models" or "distance"
            The two axes.
        round : int
            The round.
        side : "a" or "b", optional
            The side that chooses. Default: the side that plays best, A if both do.
        """
        from analyser.common.look import with_subject
        from analyser.plots import choices

        if by not in PICTURES:
            raise InputError(
                f"{by!r} is not usable{did_you_mean(by, PICTURES)}", where="by", allowed=", ".join(PICTURES)
            )
        check_integer(round, "round", 1, self.play.game.rounds)
        number = self.play.wanter if side is None else self._side(side)
        assert number is not None
        if by == "distance" and self.scenario.terms.distance is None:
            raise InputError("the duel has no distance", where="by", allowed="models, or a duel with a distance")
        frame = tidy(self._table.pictured(number, round - 1, by))
        if frame.empty:
            raise InputError(f"the plan has no round {round} by {by}", where="plot", allowed="another round, or by")
        across = {"models": "models of the enemy", "distance": "distance in inches"}[by]
        up = {"models": "own models", "distance": "models of the enemy"}[by]
        what = f"Best play of {DUEL_SIDES[number].upper()} in round {round}, in the likeliest situation of each cell"
        lines = [*self.caption(), what]
        return choices(with_subject(frame, "\n".join(lines)), across=across, up=up, ax=ax, **more)

    def worth(self, value: float) -> str:
        """Return a value as text, a probability or victory points by the objective."""
        want = self.scenario.terms.want
        return f"{100 * value:.2f}%" if want in CHANCES else f"{value:+.3f} VP"

    def cost(self, value: float) -> str:
        """Return a difference of values as text, in percentage points or victory points by the objective."""
        want = self.scenario.terms.want
        return f"{100 * value:.2f} pp" if want in CHANCES else f"{value:.3f} VP"

    def heading(self) -> list[tuple[str, str]]:
        """Return the question as labels and texts."""
        lines = super().heading()
        wanter = DUEL_SIDES[self.play.wanter].upper()
        return [("Best play", lines[0][1]), *lines[1:], ("Objective", f"{wanter}: {WANTS[self.scenario.terms.want]}")]

    @property
    def headline(self) -> str:
        """Result in one sentence, without intervals."""
        return f"At best play {super().headline}"

    def blocks(self) -> list[Block]:
        """Return the result as blocks of text."""
        first, tactics, plan = self._first_block(), self._tactics_block(), self._plan_block()
        return [first, tactics, plan, *super().blocks()[1:]]

    def _first_block(self) -> Block:
        want = self.scenario.terms.want
        what = {"win": "P(win), a draw counts half", "survival": "P(survival)"}
        rows = [[f"Value: {what.get(want, 'expected ' + want)}", f"{self.worth(self.value)} exact"]]
        for row in self.first_moves():
            label = {"first": "First move, if first", "second": "First move, if second"}.get(row["when"], "First move")
            other = f"; second best: {row['runner_up']} ({self.cost(row['costs'])} lower)" if row["runner_up"] else ""
            rows.append([label, f"{row['do']}{other}"])
        rows += [["Exploitability", f"{self.exploitability:.1e}"]] if self.exploitability > CERTAIN_WITHIN else []
        return Block("Value of best play", rows=rows)

    def _tactics_block(self) -> Block:
        head = ["tactic", "value", "cost"]
        both = self.play.choosers[1 - self.play.wanter]
        head += ["worst-case value", "worst-case cost"] if both else []
        rows = []
        for row in self._regrets:
            cells = [row["tactic"], self.worth(row["value"]), self.cost(row["cost"])]
            cells += [self.worth(row["worst"]), self.cost(row["exploitable"])] if both else []
            rows.append(cells)
        return Block("Cost of simple tactics", head, rows, "<>")

    def _plan_block(self) -> Block:
        rows, units = self._reached, self.units
        cells: dict[str, list[str]] = {}
        telling = [row for row in rows if row["costs"] >= _TELLING]
        for row in sorted(telling or rows, key=lambda row: -row["probability"]):
            mine, theirs = units if row["side"] == "a" else units[::-1]
            stands = f"{row['round']} {row['side'].upper()}  {stands_in_words(row, mine, theirs)}"
            costs = f"{row['runner_up']}: {self.cost(row['costs'])}" if row["runner_up"] else ""
            cells.setdefault(stands, [row["do"], costs, f"{100 * row['probability']:.1f}%"])
            if len(cells) == _SHOWN:
                break
        head = ("round, side, situation", "action", "second best (cost)", "frequency")
        shown = [[stands, *cells[stands]] for stands in sorted(cells, key=lambda stands: (int(stands.split()[0]), 0))]
        lines = [
            f"The choice matters in {f'{len(telling):,}' if telling else 'none'} of "
            f"{counted(len(rows), 'situation')}. All are in JSON and CSV."
        ]
        return Block("Plan: the most frequent and important situations", head, shown, "<<<>", lines=lines)

    def _body(self) -> dict[str, Any]:
        head = {"value": self.value, "exploitability": self.exploitability, "first_moves": self.first_moves()}
        return {**head, "regrets": self.regrets(), "plan": self.plan(), **super()._body()}


def _flat(cell: Any) -> Any:
    return " ".join(cell) if isinstance(cell, list) else cell


def solve_best_play(scenario: DuelScenario) -> BestResult:
    """Return best play of a duel; InputError if neither side has that policy, or the duel is too large."""
    if BEST not in (scenario.terms.policy_a, scenario.terms.policy_b):
        raise InputError("neither side plays best", where="duel", allowed='policy_a = "best", or policy_b')
    return solve_best(scenario, Sampling(), BestResult)
