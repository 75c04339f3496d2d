"""Each attack of a combat in words: by whom, with which row, how many dice, at what rating."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from analyser.account import rating_reasons
from analyser.dice import Rating
from analyser.engine import strikes
from analyser.engine.program import Kind, Operation, Setup
from analyser.fights.combatant import charge_row, retaliation_row
from analyser.fights.scenarios import ChargeScenario
from analyser.rules.armoured_clash import unit_state
from analyser.rules.armoured_clash.activation import Order
from analyser.rules.armoured_clash.facts import NONE

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
