"""Policies that a unit can carry out in a duel or battle, and the rows that it fires by a policy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

from analyser.common.errors import InputError
from analyser.engine.fight.duel_steps import add_return_shot, add_shot
from analyser.game.ruleset import Ruleset
from analyser.game.units import Row
from analyser.rules.policies import POLICIES, SHOOTING, Policy
from analyser.rules.shots import can_shoot_with
from analyser.rules.structs import CATEGORIES, Bonus
from analyser.scenarios.attack import best_attacks, summaries_of
from analyser.scenarios.fight_records import Draft, Strike
from analyser.scenarios.resolve import find_row, row_facts
from analyser.scenarios.schema import Combatant, PolicyName

AUTO = "auto"  # the policy that suits the armaments of a unit
_NOT_REACTIVE = "(Reactive rows fire only on lookout)"
_NEEDED_ROWS = {  # rows that a policy needs, as text to follow "it has no ranged row against heavy targets"
    "short_range": "(Reactive rows fire only on lookout, and Indirect rows only beyond short range)",
    "overcharge": "with Overcharge",
}


def check_policy(policy: PolicyName, unit: Combatant, enemy: Combatant, where: str) -> None:
    """Raise InputError unless the unit can carry out the policy; the error lists the possible policies."""
    reason = why_not(policy, unit, enemy)
    if reason is None:
        return
    useless = ("charge",) if unit.garrisoned else ()  # a garrison cannot charge from its building
    possible = [other for other in POLICIES if other not in useless and why_not(other, unit, enemy) is None]
    problem = f"{unit.unit or 'the unit'} cannot carry out the policy {policy}: {reason}"
    raise InputError(problem, where=where, allowed=", ".join(possible))


def why_not(policy: PolicyName, unit: Combatant, enemy: Combatant) -> str | None:
    """Return the reason that `unit` cannot carry out `policy` against `enemy`, or None if it can."""
    if policy == "take_cover":
        return None
    if policy == "charge":
        try:
            unit.charge_row("")
            enemy.check_can_be_charged("")
        except InputError as error:
            return error.problem
        return None
    if not rows_to_shoot_with(unit, enemy, "lookout"):
        return f"it has no ranged row against {enemy.category} targets"
    if not rows_to_shoot_with(unit, enemy, policy):
        return f"it has no ranged row against {enemy.category} targets {_NEEDED_ROWS.get(policy, _NOT_REACTIVE)}"
    if policy == "all_out" and not unit.has("All-Out Attack"):
        return "it does not have the rule All-Out Attack"
    return None


def rows_to_shoot_with(unit: Combatant, enemy: Combatant, policy: PolicyName) -> list[Row]:
    """Return the ranged rows that a policy can fire at `enemy` (AC-4.1; Reactive and Indirect, AC-6)."""
    assert enemy.category is not None
    category, number = CATEGORIES.index(enemy.category), Policy[policy.upper()]
    return [row for row in unit.rows or () if can_shoot_with(row_facts(row), category, number)]


def rows_after_charge(unit: Combatant, enemy: Combatant) -> list[Row]:
    """Return the rows with which a unit could attack after a charge, by All-Out Attack (AC-7)."""
    in_contact = [row for row in unit.rows or () if row.kind != "ranged"]
    others = [*in_contact[1:], *rows_to_shoot_with(unit, enemy, "shoot")]
    return others if unit.value("All-Out Attack") > 1 else []


@dataclass(eq=False)
class Shooter:
    """A side of a duel and the rows that its policy fires; `where` is its section, a or b."""

    unit: Combatant
    enemy: Combatant
    policy: PolicyName | tuple[str, ...]
    distance: float | None
    ruleset: Ruleset
    where: str
    step: float | None = None  # inches; best play may end a move at each multiple
    chooses: ClassVar[bool] = False  # True for best play or a policy in words
    stated_row: Row | None = field(init=False)  # the row stated in the scenario, if the policy can fire it

    def __post_init__(self) -> None:
        self.stated_row = self._usable_stated_row()
        for row in (self.main_row if self.policy != "charge" else None, self.lookout_row):
            if row is not None:
                self.unit.check_has_dice(row, self.where)

    @cached_property
    def rows(self) -> list[Row]:
        """Rows fired in an activation; the policy `charge` fires only after a failed rally test (AC-5.6, AC-7)."""
        policy = "shoot" if self.policy == "charge" and self.unit.can_fail_to_rally else self.policy
        usable = rows_to_shoot_with(self.unit, self.enemy, policy) if policy in SHOOTING else []
        if not usable:
            return []
        main = self.stated_row if self.stated_row in usable else self._best_row(usable)
        others = [row for row in usable if row is not main]
        most = max(self.unit.value("All-Out Attack"), 1) if policy == "all_out" else 1
        return [main, *others[: most - 1]]

    @property
    def main_row(self) -> Row | None:
        """First row that the side fires."""
        return self.rows[0] if self.rows else None

    @cached_property
    def lookout_row(self) -> Row | None:
        """The row of opportunity fire, if any: the stated row, else the best Reactive row, else the best row."""
        reacts = self.policy == "lookout" or self.unit.on_lookout
        usable = rows_to_shoot_with(self.unit, self.enemy, "lookout") if reacts else []
        if not usable:
            return None
        return self.stated_row or self._best_row([row for row in usable if row.has("Reactive")] or usable)

    @property
    def reaction_rows(self) -> Sequence[Row]:
        """Rows of opportunity fire."""
        return [] if self.lookout_row is None else [self.lookout_row]

    def _usable_stated_row(self) -> Row | None:
        """Return the stated row if the unit can fire it; otherwise None, or InputError if the policy shoots."""
        policy, unit = self.policy, self.unit
        if unit.row is None:
            return None
        row = find_row(unit.rows or (), unit.row, f"{self.where}.row")
        usable = rows_to_shoot_with(unit, self.enemy, policy if policy in SHOOTING else "lookout")
        if row in usable:
            return row
        if policy not in (*SHOOTING, "lookout"):
            return None
        problem = f"row {row.id!r} cannot be fired at a {self.enemy.category} target by the policy {policy}"
        raise InputError(problem, where=f"{self.where}.row", allowed=", ".join(candidate.id for candidate in usable))

    def _best_row(self, rows: Sequence[Row]) -> Row:
        """Return the best row for an aimed attack among the rows in range, or among all rows if none is in range."""
        in_range = [row for row in rows if self.distance is None or (row.long_range or 0) >= self.distance]
        rows = in_range or rows
        if len(rows) < 2:
            return rows[0]
        strikes = [self.strike(row) for row in rows]
        attacks = [strike.attack.copy() for strike in strikes]
        for attack, strike in zip(attacks, strikes):
            attack.dice, attack.dice_in_parentheses = strike.dice[self.unit.count]
            attack.bonuses |= Bonus.AIMING
        return rows[max(int(best_attacks(summaries_of(attacks, strikes[0].target, self.ruleset))[0]), 0)]

    def add_shot(
        self, draft: Any, row: Row, *, opportunity: int = 0, overcharge: bool | None = None, alone: int = 1
    ) -> int:
        """Add a strike with `row`, and return its index; `alone`: 1 if it is also made after a failed rally test."""
        if overcharge is None:
            overcharge = self.policy == "overcharge" and not opportunity
        rows = enumerate(self.unit.rows or ())
        row_index = next(index for index, candidate in rows if candidate is row or candidate.id == row.id)
        return add_shot(draft, self.side, row_index, opportunity, int(overcharge), alone)

    def strike(self, row: Row, *, overcharge: bool | None = None) -> Strike:
        """Return the strike with one of the rows."""
        return self.strikes(lambda draft: self.add_shot(draft, row, overcharge=overcharge))[0]

    def strikes(self, add: Callable[[Any], Any]) -> list[Strike]:
        """Return the strikes that `add`, such as :meth:`add_shots`, adds to a draft."""
        draft = Draft((self.unit, self.enemy) if self.side == 0 else (self.enemy, self.unit))
        add(draft)
        return draft.strikes()

    @property
    def side(self) -> int:
        """Number of the side: 0 for A, 1 for B."""
        return "ab".index(self.where)

    def add_shots(self, draft: Draft) -> list[int]:
        """Add the strikes of an activation, and return their indices; a failed rally test allows only the first."""
        return [self.add_shot(draft, row, alone=int(row is self.main_row)) for row in self.rows]

    @property
    def is_answered(self) -> bool:
        """Return True if the target shoots back after each ranged attack: a Tail Gunner at an aerial unit (AC-7)."""
        return self.unit.category == "aerial" and self.enemy.value("Tail Gunner") > 0

    def add_answer(self, draft: Any) -> None:
        """Add the enemy's shot back at this aerial unit (Tail Gunner, AC-7)."""
        add_return_shot(draft, self.side)

    @property
    def rearms(self) -> bool:
        """Return True if the unit must re-arm before it shoots or goes on lookout again (Slow to Fire)."""
        row = self.lookout_row if self.policy == "lookout" else self.main_row
        return row is not None and row.has("Slow to Fire")

    def add_reactions(self, draft: Draft) -> list[int]:
        """Add the strike of a unit on lookout (opportunity fire), if any; return a list of its index."""
        return [self.add_shot(draft, row, opportunity=1) for row in self.reaction_rows]
