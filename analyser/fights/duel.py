"""Two units, activation after activation, for some rounds (AC-9.2): a duel as a program."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from analyser.dice import Rating
from analyser.engine.joint import start_states
from analyser.engine.program import Kind, Operation, Setup, When
from analyser.engine.sweep import sweep
from analyser.errors import InputError
from analyser.fights.charge import blast_of, combat, going_off
from analyser.fights.combatant import (
    Combatant,
    charge_row,
    check_can_be_charged,
    check_has_dice,
    has_rule,
    may_charge,
    row_named,
    rule_value,
)
from analyser.fights.strikes import (
    Strike,
    breaks_buildings,
    fixed_strike,
    orders_mask,
    quality_names,
    row_strike,
    setup_for,
    side_record,
)
from analyser.rows import best_of
from analyser.rules.armoured_clash import unit_state
from analyser.rules.armoured_clash.activation import Order
from analyser.rules.armoured_clash.facts import ATTACK, NONE, TARGET, Bonus, Penalty
from analyser.rules.armoured_clash.policies import Policy
from analyser.ruleset import Ruleset
from analyser.units import Row
from analyser.validation import Record

MOST_ROUNDS = 10
MOST_INCHES = 60  # a table's depth; also how far back "far from the edge" is where distances count
PolicyName = Literal["shoot", "short_range", "charge", "lookout", "take_cover", "all_out", "overcharge"]
SHOOTING = ("shoot", "short_range", "all_out", "overcharge", "lookout")
_SHOTS = orders_mask(Order.SHOOT_AIMING, Order.SHOOT)
_ACTIVE = orders_mask(*(order for order in Order if order != Order.NOTHING))


class DuelTerms(Record):
    """The ``[duel]`` of a scenario (AC-9.2). `docs/fights.md` says each key."""

    rounds: Annotated[int, Field(ge=1, le=MOST_ROUNDS)] = 6
    first: Literal["a", "b", "random"] = "random"
    policy_a: PolicyName = "shoot"
    policy_b: PolicyName = "shoot"
    distance: Annotated[float, Field(ge=0, le=MOST_INCHES, strict=False)] | None = None


class Shooter:
    """The rows that one side of a duel shoots with, and why it cannot where it cannot.

    Parameters
    ----------
    mine, theirs : Combatant
    policy : str
    distance : float or None
    ruleset : Ruleset
    where : str
        The section of `mine`; opens the messages.
    """

    def __init__(
        self, mine: Combatant, theirs: Combatant, policy: str, distance: float | None, ruleset: Ruleset, where: str
    ) -> None:
        self.mine, self.theirs, self.policy, self.where = mine, theirs, policy, where
        self.distance = distance
        self.rows = [row for row in mine.rows or () if row.kind == "ranged" and theirs.category in row.against]
        if policy == "overcharge":
            self.rows = [row for row in self.rows if "Overcharge" in quality_names(row)]
        self._check()
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

    def _check(self) -> None:
        policy, mine = self.policy, self.mine
        if policy in SHOOTING and not self.rows:
            what = " with Overcharge" if policy == "overcharge" else ""
            problem = f"the policy {policy} needs a ranged row{what} against {self.theirs.category} targets"
            allowed = ", ".join(f"{row.id}" for row in mine.rows or ()) or "no rows"
            raise InputError(f"{problem}, and {mine.unit or 'the unit'} has none", where=self.where, allowed=allowed)
        if policy == "all_out" and not has_rule(mine, "All-Out Attack"):
            problem = (
                f"the policy all_out needs the rule All-Out Attack, and {mine.unit or 'the unit'} does not have it"
            )
            raise InputError(problem, where=self.where, allowed="another policy")
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


def duel_program(a: Combatant, b: Combatant, terms: DuelTerms, ruleset: Ruleset) -> tuple[Setup, list[list[Operation]]]:
    """The setup of a duel, and the operations of each round.

    Raises
    ------
    InputError
        A policy that its unit cannot carry out; an aircraft, whose sorties AC-9.2 does not know.
    """
    sides, policies = (a, b), (terms.policy_a, terms.policy_b)
    _check_sides(sides, policies)
    shooters = [
        Shooter(sides[side], sides[1 - side], policies[side], terms.distance, ruleset, "ab"[side]) for side in (0, 1)
    ]
    strikes: list[Strike] = []
    activations = [_activation(side, sides, shooters, policies[side], strikes) for side in (0, 1)]
    records: list[Any] = [_side(shooters[side], policies[side], terms) for side in (0, 1)]
    spread = any(NONE not in (record.distance, record.fumes_within) for record in records)
    return setup_for(records, sides, strikes), [_round(activations, terms.first, spread)] * terms.rounds


def _check_sides(sides: tuple[Combatant, Combatant], policies: tuple[str, str]) -> None:
    for side, policy in enumerate(policies):
        where = "ab"[side]
        if sides[side].aircraft:
            problem = f"{sides[side].unit or 'the unit'} is an aircraft, and flies sorties: no duel (AC-9.2)"
            raise InputError(problem, where=where, allowed="a unit that stays on the table")
        if policy == "charge":
            check_has_dice(sides[side], charge_row(sides[side], where), where)
            check_can_be_charged(sides[1 - side], "ab"[1 - side])


def _side(shooter: Shooter, policy: str, terms: DuelTerms) -> Any:
    mine, theirs = shooter.mine, shooter.theirs
    far = mine.edge_distance is None
    given = terms.distance is not None
    numbers: dict[str, int] = {
        "rearms": shooter.rearms,
        "policy": Policy[policy.upper()],
        "charges": may_charge(mine, theirs, policy),
        "berserk": has_rule(mine, "Berserk"),
        "runs_amok": has_rule(mine, "Run Amok"),
        "overrun": has_rule(mine, "Overrun") and mine.charge.overrun,
        "speed": math.floor(mine.speed or 0),
        "distance": NONE if terms.distance is None else math.ceil(terms.distance),
        "tracks_position": given or not far,
    }
    if far and given:
        numbers["edge_distance"] = MOST_INCHES
    return side_record(mine, (theirs,), **numbers)


def _activation(
    side: int, sides: tuple[Combatant, Combatant], shooters: Sequence[Shooter], policy: str, strikes: list[Strike]
) -> list[Operation]:
    """The operations of one activation but its first; its strikes go to the end of `strikes`."""
    after_a_shot = [] if shooters[side].distance is None else _going_off(sides, strikes)

    def numbers(more: Sequence[Strike | None]) -> list[int]:
        known = [strike for strike in more if strike is not None]
        strikes.extend(known)
        return list(range(len(strikes) - len(known), len(strikes)))

    def made(number: int) -> list[Operation]:
        strike = strikes[number].strike
        wrecked = [Operation(Kind.WRECK, 1 - strike.striker)] if strike.wrecks else []
        return [Operation(Kind.STRIKE, side, number), *wrecked, *after_a_shot]

    shots: list[int] = []
    for shot in shooters[side].shots(side):
        shots += numbers([shot])
        shots += numbers([shooters[side].answer(side, shot, shots[-1])])
    reaction = [each for number in numbers([shooters[1 - side].reaction(1 - side)]) for each in made(number)]
    operations = [*reaction, Operation(Kind.GIVE_ORDERS, side, shots[0] if shots else NONE)]
    operations += [each for number in shots for each in made(number)]
    if may_charge(sides[side], sides[1 - side], policy):
        more, fight = combat(sides, (), side, len(strikes))
        strikes.extend(more)
        operations += fight
    amok = [Operation(Kind.RUN_AMOK, side), *after_a_shot] if has_rule(sides[side], "Run Amok") else []
    return [*operations, *reaction, *amok, Operation(Kind.END, side)]


def _going_off(sides: tuple[Combatant, Combatant], strikes: list[Strike]) -> list[Operation]:
    """What a last model does to the enemy, wherever it fell; the strikes of blasts go to the end of `strikes`."""
    operations: list[Operation] = []
    for side in (0, 1):
        blast = blast_of(sides[side], sides[1 - side], side)
        if blast is not None:
            operations += going_off(side, len(strikes))
            strikes.append(blast)
    return operations


def _round(activations: Sequence[list[Operation]], first: str, spread: bool) -> list[Operation]:
    """One round: each side's activation in turn (AC-9.2); a toss makes it A's before or after B's.

    `spread`: Corrosive Fumes are looked for before and after each activation, and once the unit has moved.
    """
    fumes = [Operation(Kind.ENVELOP)] if spread else []

    def activation(side: int, when: When = When.ALWAYS) -> list[Operation]:
        found = [*fumes, Operation(Kind.BEGIN, side, when)]
        for operation in activations[side]:
            found.append(operation)
            if operation.kind in (Kind.GIVE_ORDERS, Kind.END):
                found += fumes
        return found

    end = [Operation(Kind.END_ROUND, 0), Operation(Kind.END_ROUND, 1)]
    if first == "random":
        tossed = [Operation(Kind.TOSS), *activation(0, When.IF_FIRST), *activation(1), *activation(0, When.IF_SECOND)]
        return tossed + end
    order = (0, 1) if first == "a" else (1, 0)
    return activation(order[0]) + activation(order[1]) + end


def duel_start(setup: Setup, sides: Sequence[Combatant]) -> tuple[int, int]:
    """Both sides as a duel begins."""
    lookout = [unit_state.ON_LOOKOUT if unit.on_lookout else 0 for unit in sides]
    reloading = [unit_state.RELOADING if unit.reloading else 0 for unit in sides]
    return start_states(setup, (lookout[0] | reloading[0], lookout[1] | reloading[1]))
