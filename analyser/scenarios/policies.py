"""Options of a side of a duel: the policies that it can carry out, and the rows that it shoots with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

from analyser.common.errors import InputError
from analyser.game.ruleset import Rating, Ruleset
from analyser.game.units import Row
from analyser.rules.activation import Order
from analyser.rules.policies import POLICIES, SHOOTING, Policy
from analyser.rules.shots import can_shoot_with
from analyser.rules.structs import CATEGORIES, Bonus, Penalty
from analyser.scenarios.attack import best_of, summaries_of
from analyser.scenarios.resolve import row_facts, row_named
from analyser.scenarios.schema import Combatant, PolicyName
from analyser.scenarios.strikes import Marks, Strike, breaks_buildings, fixed_strike, length_of, orders_mask, row_strike

AUTO = "auto"  # the policy of a unit that does what its armaments are for
_BUT_REACTIVE = "but Reactive ones, which fire on lookout only,"
_FITTING = {  # what a policy needs of a row, where it needs more
    "short_range": "but Reactive ones, which fire on lookout, and Indirect ones, which do not fire at short range,",
    "overcharge": "with Overcharge",
}


def check_policy(policy: PolicyName, mine: Combatant, theirs: Combatant, where: str) -> None:
    """Raise InputError unless the unit can carry out the policy: it names those that it can."""
    reason = why_not(policy, mine, theirs)
    if reason is None:
        return
    possible = [other for other in POLICIES if why_not(other, mine, theirs) is None]
    problem = f"{mine.unit or 'the unit'} cannot carry out the policy {policy}: {reason}"
    raise InputError(problem, where=where, allowed=", ".join(possible))


def why_not(policy: PolicyName, mine: Combatant, theirs: Combatant) -> str | None:
    """Why `mine` cannot carry out `policy` against `theirs`, or None if it can."""
    if policy == "take_cover":
        return None
    if policy == "charge":
        try:
            mine.charge_row("")
            theirs.check_can_be_charged("")
        except InputError as error:
            return error.problem
        return None
    if not rows_to_shoot_with(mine, theirs, "lookout"):
        return f"it has no ranged row against {theirs.category} targets"
    if not rows_to_shoot_with(mine, theirs, policy):
        return f"it has no ranged row {_FITTING.get(policy, _BUT_REACTIVE)} against {theirs.category} targets"
    if policy == "all_out" and not mine.has("All-Out Attack"):
        return "it does not have the rule All-Out Attack"
    return None


def rows_to_shoot_with(mine: Combatant, theirs: Combatant, policy: PolicyName) -> list[Row]:
    """The ranged rows of `mine` that a policy can fire at `theirs` (AC-4.1).

    Reactive ones on lookout only, Indirect ones not at short range (AC-6).
    """
    assert theirs.category is not None
    category, number = CATEGORIES.index(theirs.category), Policy[policy.upper()]
    return [row for row in mine.rows or () if can_shoot_with(row_facts(row), category, number)]


_FIRES_OTHERWISE: PolicyName = "shoot"  # of a unit that a failed rally test keeps from charging
SHOTS = orders_mask(Order.SHOOT_AIMING, Order.SHOOT)
ACTIVE = orders_mask(*(order for order in Order if order != Order.NOTHING))


@dataclass(eq=False)
class Shooter:
    """The rows that one side of a duel, in the section `where`, shoots with by a policy that it can carry out."""

    mine: Combatant
    theirs: Combatant
    policy: PolicyName | tuple[str, ...]
    distance: float | None
    ruleset: Ruleset
    where: str
    step: float | None = None  # inches: a chooser may stop a move at each multiple of it
    chooses: ClassVar[bool] = False  # whether it chooses by the situation
    named: Row | None = field(init=False)  # the row to shoot with, if the scenario names one that its policy can use

    def __post_init__(self) -> None:
        self.named = self._named()
        for row in (self.main, self.by_lookout if self.policy == "lookout" else None):
            if row is not None and self.policy != "charge":
                self.mine.check_has_dice(row, self.where)

    @cached_property
    def rows(self) -> list[Row]:
        """Rows usable in its own activation: one, or several with All-Out Attack (AC-7).

        A unit that would charge shoots after a failed rally test (AC-5.6), if it has a row to shoot with.
        """
        by = _FIRES_OTHERWISE if self.policy == "charge" and self.mine.can_fail_to_rally else self.policy
        usable = rows_to_shoot_with(self.mine, self.theirs, by) if by in SHOOTING else []
        if not usable:
            return []
        main = self.named if self.named in usable else self._best(usable)
        others = [row for row in usable if row is not main]
        most = max(self.mine.value("All-Out Attack"), 1) if by == "all_out" else 1
        return [main, *others[: most - 1]]

    @property
    def main(self) -> Row | None:
        """The first of them."""
        return self.rows[0] if self.rows else None

    @cached_property
    def by_lookout(self) -> Row | None:
        """The row of its opportunity fire: a Reactive one, where it has any."""
        reacts = self.policy == "lookout" or self.mine.on_lookout
        usable = rows_to_shoot_with(self.mine, self.theirs, "lookout") if reacts else []
        if not usable:
            return None
        return self.named or self._best([row for row in usable if row.has("Reactive")] or usable)

    @property
    def watching(self) -> Sequence[Row]:
        """The rows of its opportunity fire: that one, or none."""
        return [] if self.by_lookout is None else [self.by_lookout]

    def _named(self) -> Row | None:
        """The row that the scenario names to shoot with, if it shoots at all."""
        policy, mine = self.policy, self.mine
        if mine.row is None:
            return None
        row = row_named(mine.rows or (), mine.row, f"{self.where}.row")
        usable = rows_to_shoot_with(mine, self.theirs, policy if policy in SHOOTING else "lookout")
        if row in usable:
            return row
        if policy not in (*SHOOTING, "lookout"):
            return None
        problem = f"row {row.id!r} cannot be fired at a {self.theirs.category} target by the policy {policy}"
        raise InputError(problem, where=f"{self.where}.row", allowed=", ".join(each.id for each in usable))

    def _best(self, rows: Sequence[Row]) -> Row:
        """The row that does most damage aimed, of those that reach; of all, if none does."""
        reaching = [row for row in rows if self.distance is None or (row.long_range or 0) >= self.distance]
        rows = reaching or rows
        if len(rows) < 2:
            return rows[0]
        strikes = [self.strike(row) for row in rows]
        attacks = [strike.attack.copy() for strike in strikes]
        for attack, strike in zip(attacks, strikes):
            attack.dice, attack.dice_in_parentheses = strike.dice[self.mine.count]
            attack.bonuses |= Bonus.AIMING
        return rows[max(int(best_of(summaries_of(attacks, strikes[0].target, self.ruleset))[0]), 0)]

    def strike(
        self,
        row: Row,
        *,
        opportunity: bool = False,
        overcharge: bool | None = None,
        reforming: bool = False,
        **facts: Any,
    ) -> Strike:
        """The strike with one of the rows, by default with Overcharge if the policy says so.

        Distances count only if the duel has one. Who reforms has left a building, which is no advance (AC-4.2, AC-6).
        """
        bonuses = Bonus.AMMO_SUPPLY if self.mine.ammo_supply else 0
        penalties = Penalty.CONCEALED if self.theirs.concealed else 0
        penalties |= Penalty.REFORMING if reforming else 0
        if overcharge is None:
            overcharge = self.policy == "overcharge" and not opportunity
        marks = Marks(bonuses, penalties, overcharge)
        of_row = {
            "long_range": length_of(row.long_range or 0),
            "short_range": length_of(row.short_range),
            "indirect": row.has("Indirect"),
            "move_or_fire": row.has("Move or Fire") and not reforming,
            "reloads": row.has("Slow to Fire"),
            "wrecks": breaks_buildings(row, self.theirs),
        }
        strike = row_strike(self.mine, row, self.theirs, marks, bears_blanks=1, **of_row, **facts)
        if not opportunity:
            return strike
        attack = strike.attack.copy()
        attack["opportunity_fire"] = 1
        return strike._replace(attack=attack)

    @property
    def side(self) -> int:
        """0: A, 1: B."""
        return "ab".index(self.where)

    def shots(self) -> list[Strike]:
        """The strikes of an activation in order; the first alone is made after a failed rally test."""
        facts: dict[str, Any] = {"striker": self.side, "orders": SHOTS, "marks": self.is_answered}
        return [self.strike(row, after_failed_rally=int(row is self.main), **facts) for row in self.rows]

    @property
    def is_answered(self) -> bool:
        """Return True if each of its ranged attacks is answered: an aerial unit against a Tail Gunner (AC-7)."""
        return self.mine.category == "aerial" and self.theirs.value("Tail Gunner") > 0

    def answers(self) -> list[Strike]:
        """The attack back of a Tail Gunner (X) on an aerial unit that has just shot at it (AC-7), if there is one."""
        if not self.is_answered:
            return []
        dice, veteran = self.theirs.value("Tail Gunner"), self.theirs.veteran or 0
        facts: dict[str, Any] = {"striker": 1 - self.side, "on_marked": 1}
        return [fixed_strike(dice, Rating.WEAKENED, self.mine, veteran=veteran, afterwards=True, **facts)]

    @property
    def rearms(self) -> bool:
        """Return True if it must re-arm before it shoots, or goes on lookout, again (Slow to Fire)."""
        row = self.by_lookout if self.policy == "lookout" else self.main
        return row is not None and row.has("Slow to Fire")

    def reactions(self) -> list[Strike]:
        """The strike of a unit on lookout (opportunity fire), if it makes one."""
        if self.by_lookout is None:
            return []
        facts: dict[str, Any] = {"striker": self.side, "orders": ACTIVE, "by_lookout": 1, "marks": self.is_answered}
        return [self.strike(self.by_lookout, opportunity=True, **facts)]
