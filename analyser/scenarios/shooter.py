"""The rows that one side of a duel shoots with, and the strikes that it makes with them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from analyser.common.errors import InputError
from analyser.engine.attack.sweep import sweep
from analyser.game.ruleset import Rating, Ruleset
from analyser.game.units import Row
from analyser.rules.activation import Order
from analyser.rules.policies import SHOOTING
from analyser.rules.structs import ATTACK, TARGET, Bonus, Penalty
from analyser.scenarios.best_row import best_of
from analyser.scenarios.combatant import can_fail_to_rally, check_has_dice, row_named
from analyser.scenarios.policies import rows_to_shoot_with
from analyser.scenarios.schema import Combatant, PolicyName
from analyser.scenarios.strikes import Marks, Strike, breaks_buildings, fixed_strike, length_of, orders_mask, row_strike

_FIRES_OTHERWISE: PolicyName = "shoot"  # how who charges fires, when a failed rally test has left it nothing else
_SHOTS = orders_mask(Order.SHOOT_AIMING, Order.SHOOT)
_ACTIVE = orders_mask(*(order for order in Order if order != Order.NOTHING))


class Shooter:
    """The rows that one side of a duel shoots with, and why it cannot where it cannot.

    Parameters
    ----------
    mine, theirs : Combatant
    policy : str
        One that `mine` can carry out (:func:`~analyser.scenarios.policies.check_policy`).
    distance : float or None
    ruleset : Ruleset
    where : str
        The section of `mine`; opens the messages.
    """

    def __init__(
        self,
        mine: Combatant,
        theirs: Combatant,
        policy: PolicyName,
        distance: float | None,
        ruleset: Ruleset,
        where: str,
    ) -> None:
        self.mine, self.theirs, self.policy, self.where = mine, theirs, policy, where
        self.distance = distance
        self.ruleset = ruleset
        self.reacts = policy == "lookout" or mine.on_lookout
        self.named = self._named()
        for row in (self.main, self.by_lookout if policy == "lookout" else None):
            if row is not None and policy != "charge":
                check_has_dice(mine, row, where)

    @cached_property
    def rows(self) -> list[Row]:
        """Those that it shoots with in its own activation: one, or several with All-Out Attack (AC-7).

        Who charges shoots after a failed rally test (AC-5.6), if it has something to shoot with.
        """
        if self.policy == "charge":
            fails = can_fail_to_rally(self.mine)
            usable = rows_to_shoot_with(self.mine, self.theirs, _FIRES_OTHERWISE) if fails else []
            named = [row for row in usable if row is self.named]
            return named or ([self._best(usable)] if usable else [])
        if self.policy not in SHOOTING:
            return []
        usable = rows_to_shoot_with(self.mine, self.theirs, self.policy)
        main = self.named or self._best(usable)
        others = [row for row in usable if row is not main]
        most = max(self.mine.value("All-Out Attack"), 1) if self.policy == "all_out" else 1
        return [main, *others[: most - 1]]

    @property
    def main(self) -> Row | None:
        """The first of them."""
        return self.rows[0] if self.rows else None

    @cached_property
    def by_lookout(self) -> Row | None:
        """The row of its opportunity fire: a Reactive one, where it has any."""
        usable = rows_to_shoot_with(self.mine, self.theirs, "lookout") if self.reacts else []
        if not usable:
            return None
        return self.named or self._best([row for row in usable if row.has("Reactive")] or usable)

    def _named(self) -> Row | None:
        """The row that it is told to shoot with, if it shoots at all."""
        policy, mine = self.policy, self.mine
        if mine.row is None:
            return None
        row = row_named(mine, mine.row, f"{self.where}.row")
        usable = rows_to_shoot_with(mine, self.theirs, policy if policy in SHOOTING else "lookout")
        if row in usable:
            return row
        if policy not in (*SHOOTING, "lookout"):
            return None
        problem = f"row {row.id!r} cannot be fired at a {self.theirs.category} target by the policy {policy}"
        raise InputError(problem, where=f"{self.where}.row", allowed=", ".join(each.id for each in usable))

    def _best(self, rows: Sequence[Row]) -> Row:
        """The row that does most damage aimed, of those that reach; of all, if none does."""
        distance, ruleset = self.distance, self.ruleset
        reaching = [row for row in rows if distance is None or (row.long_range or 0) >= distance]
        rows = reaching or rows
        if len(rows) < 2:
            return rows[0]
        strikes = [self.strike(row) for row in rows]
        records = []
        for strike in strikes:
            record = strike.attack.copy()
            count = self.mine.damage if self.mine.behemoth else self.mine.models or 0
            record.dice, record.dice_in_parentheses = strike.dice[count]
            record.bonuses |= Bonus.AIMING
            records.append(record)
        possible = np.array([[record.dice > 0] for record in records])
        die, deck = np.array(ruleset.die.faces, np.int64), ruleset.deck.counts()
        summaries = sweep(np.array(records, ATTACK), np.array([strikes[0].target], TARGET), possible, die, deck)
        return rows[max(int(best_of(summaries)[0]), 0)]

    def strike(self, row: Row, *, opportunity: bool = False, **facts: Any) -> Strike:
        """The strike with one of the rows; distances count only if the duel has one."""
        bonuses = Bonus.AMMO_SUPPLY if self.mine.ammo_supply else 0
        penalties = Penalty.CONCEALED if self.theirs.concealed else 0
        marks = Marks(bonuses, penalties, self.policy == "overcharge" and not opportunity)
        of_row = {
            "long_range": length_of(row.long_range or 0),
            "short_range": length_of(row.short_range),
            "indirect": row.has("Indirect"),
            "move_or_fire": row.has("Move or Fire"),
            "reloads": row.has("Slow to Fire"),
            "wrecks": breaks_buildings(row, self.theirs),
        }
        strike = row_strike(self.mine, row, self.theirs, marks, bears_blanks=1, **of_row, **facts)
        if not opportunity:
            return strike
        attack = strike.attack.copy()
        attack["opportunity_fire"] = 1
        return strike._replace(attack=attack)

    def shots(self, side: int) -> list[Strike]:
        """The strikes of an activation in order; the first alone is made after a failed rally test."""
        facts: dict[str, Any] = {"striker": side, "orders": _SHOTS, "marks": self.is_answered}
        return [self.strike(row, after_failed_rally=int(row is self.main), **facts) for row in self.rows]

    @property
    def is_answered(self) -> bool:
        """Whether each of its ranged attacks is answered: it is an aerial unit, and the enemy a Tail Gunner (AC-7)."""
        return self.mine.category == "aerial" and self.theirs.value("Tail Gunner") > 0

    def answer(self, side: int) -> Strike | None:
        """The attack back of a Tail Gunner (X) on an aerial unit that has just shot at it (AC-7)."""
        if not self.is_answered:
            return None
        dice, veteran = self.theirs.value("Tail Gunner"), self.theirs.veteran or 0
        facts: dict[str, Any] = {"striker": 1 - side, "on_marked": 1}
        return fixed_strike(dice, Rating.WEAKENED, self.mine, veteran=veteran, afterwards=True, **facts)

    @property
    def rearms(self) -> bool:
        """Whether it must re-arm before it shoots, or goes on lookout, again (Slow to Fire)."""
        row = self.by_lookout if self.policy == "lookout" else self.main
        return row is not None and row.has("Slow to Fire")

    def reaction(self, side: int) -> Strike | None:
        """The strike of a unit on lookout (opportunity fire)."""
        if self.by_lookout is None:
            return None
        facts: dict[str, Any] = {"striker": side, "orders": _ACTIVE, "by_lookout": 1, "marks": self.is_answered}
        return self.strike(self.by_lookout, opportunity=True, **facts)
