"""The rows that one side of a duel shoots with, and the strikes that it makes with them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from analyser.dice import Rating
from analyser.engine.sweep import sweep
from analyser.errors import InputError
from analyser.fights.combatant import Combatant, check_has_dice, row_named, rule_value
from analyser.fights.feasible import PolicyName, rows_to_shoot_with
from analyser.fights.strikes import Strike, breaks_buildings, fixed_strike, orders_mask, quality_names, row_strike
from analyser.rows import best_of
from analyser.rules.armoured_clash.activation import Order
from analyser.rules.armoured_clash.facts import ATTACK, NONE, TARGET, Bonus, Penalty
from analyser.ruleset import Ruleset
from analyser.units import Row

SHOOTING = ("shoot", "short_range", "all_out", "overcharge", "lookout")
_SHOTS = orders_mask(Order.SHOOT_AIMING, Order.SHOOT)
_ACTIVE = orders_mask(*(order for order in Order if order != Order.NOTHING))


class Shooter:
    """The rows that one side of a duel shoots with, and why it cannot where it cannot.

    Parameters
    ----------
    mine, theirs : Combatant
    policy : str
        One that `mine` can carry out (:func:`~analyser.fights.feasible.check_policy`).
    distance : float or None
    ruleset : Ruleset
    where : str
        The section of `mine`; opens the messages.
    """

    def __init__(
        self, mine: Combatant, theirs: Combatant, policy: PolicyName, distance: float | None, ruleset: Ruleset,
        where: str,
    ) -> None:  # fmt: skip
        self.mine, self.theirs, self.policy, self.where = mine, theirs, policy, where
        self.distance = distance
        self.rows = rows_to_shoot_with(mine, theirs, policy)
        self._check_row()
        self.ruleset = ruleset
        self.named = None if mine.row is None else row_named(mine, mine.row, f"{where}.row")
        self.usual = [row for row in self.rows if "Reactive" not in quality_names(row)]
        self.main = self.named or self._best(self.usual)
        if self.main is not None and policy in SHOOTING:
            check_has_dice(mine, self.main, where)

    @cached_property
    def by_lookout(self) -> Row | None:
        """The row of its opportunity fire: a Reactive one, where it has any."""
        reactive = [row for row in self.rows if "Reactive" in quality_names(row)]
        return self.named or self._best(reactive or self.usual)

    def _check_row(self) -> None:
        policy, mine = self.policy, self.mine
        if mine.row is not None and policy in SHOOTING:
            row = row_named(mine, mine.row, f"{self.where}.row")
            if row not in self.rows:
                problem = f"row {row.id!r} cannot be fired at a {self.theirs.category} target by the policy {policy}"
                raise InputError(problem, where=f"{self.where}.row", allowed=", ".join(each.id for each in self.rows))

    def _best(self, rows: Sequence[Row]) -> Row | None:
        """The row that does most damage aimed, of those that reach; of all, if none does."""
        distance, ruleset = self.distance, self.ruleset
        reaching = [row for row in rows if distance is None or (row.long_range or 0) >= distance]
        rows = reaching or rows
        if len(rows) < 2:
            return rows[0] if rows else None
        strikes = [self.strike(row, {}) for row in rows]
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

    def strike(self, row: Row, numbers: dict[str, int], *, opportunity: bool = False) -> Strike:
        """The strike with one of the rows; distances count only if the duel has one."""
        qualities = quality_names(row)
        known = {
            "long_range": int(row.long_range or 0),
            "short_range": NONE if row.short_range is None else int(row.short_range),
            "indirect": "Indirect" in qualities,
            "move_or_fire": "Move or Fire" in qualities,
            "reloads": "Slow to Fire" in qualities,
            "bears_blanks": 1,
            "wrecks": breaks_buildings(row, self.theirs),
        }
        strike = row_strike(
            self.mine, row, self.theirs, known | numbers,
            bonuses=Bonus.AMMO_SUPPLY if self.mine.ammo_supply else 0,
            penalties=Penalty.CONCEALED if self.theirs.concealed else 0,
            overcharge=self.policy == "overcharge" and not opportunity,
        )  # fmt: skip
        if not opportunity:
            return strike
        attack = strike.attack.copy()
        attack["opportunity_fire"] = 1
        return strike._replace(attack=attack)

    def shots(self, side: int) -> list[Strike]:
        """The strikes of an activation in order: one, or several with All-Out Attack (AC-7)."""
        if self.main is None:
            return []
        shots = [self.strike(self.main, {"striker": side, "orders": _SHOTS})]
        if self.policy != "all_out":
            return shots
        others = [row for row in self.rows if row is not self.main and "Reactive" not in quality_names(row)]
        most = max(rule_value(self.mine, "All-Out Attack"), 1)
        numbers = {"striker": side, "orders": _SHOTS, "after_failed_rally": 0}
        return shots + [self.strike(row, numbers) for row in others[: most - 1]]

    def answer(self, side: int, shot: Strike, number: int) -> Strike | None:
        """The attack back of a Tail Gunner (X) on an aerial unit that has shot at it with strike `number` (AC-7)."""
        dice = rule_value(self.theirs, "Tail Gunner")
        if not dice or self.mine.category != "aerial":
            return None
        numbers = {"striker": 1 - side, "orders": _SHOTS, "answers": number, "long_range": int(shot.strike.long_range)}
        veteran = self.theirs.veteran or 0
        return fixed_strike(dice, Rating.WEAKENED, self.mine, numbers, veteran=veteran, afterwards=True)

    @property
    def rearms(self) -> bool:
        """Whether it must re-arm before it shoots again (Slow to Fire)."""
        return self.main is not None and "Slow to Fire" in quality_names(self.main)

    def reaction(self, side: int) -> Strike | None:
        """The strike of a unit on lookout (opportunity fire)."""
        if not (self.policy == "lookout" or self.mine.on_lookout) or self.by_lookout is None:
            return None
        numbers = {"striker": side, "orders": _ACTIVE, "by_lookout": 1}
        return self.strike(self.by_lookout, numbers, opportunity=True)
