"""Whether a unit flees (GT-2, GT-9)."""

from __future__ import annotations

import numpy as np

from analyser.engine.chain.chain import Chain, Phase, Recorded, sided
from analyser.morale.grande_tactique import rules
from analyser.morale.grande_tactique.question import Check, Ruleset
from analyser.morale.result import Table

UNDECIDED, EAGER, SHAKEN, ROUTED, SILENCED = range(5)
BONUS = {"regular": 0, "veteran": rules.VETERAN_BONUS, "old guard": rules.OLD_GUARD_BONUS}
CAUSES = {"charged": rules.CHARGED, "worn down": rules.WORN_DOWN, "lost firing": rules.LOST_FIRING}


def response_to(check: Check, ruleset: Ruleset) -> int:
    """What the cause does to the unit: one of the responses of the rules (GT-1, GT-2)."""
    cause = CAUSES[check.cause]
    if cause == rules.WORN_DOWN and check.worn_down_by != "infantry":
        cause = rules.WORN_DOWN_BY_ARTILLERY
    response = rules.response(rules.Arm[check.arm.upper()], check.state == "shaken", cause)
    return rules.STANDS if response == rules.IS_SHAKEN and not ruleset.fire_shakes else response


def chain(check: Check, ruleset: Ruleset) -> Chain:
    """One die, if there is a check at all."""
    response, stands = response_to(check, ruleset), SHAKEN if check.state == "shaken" else EAGER
    modifier = BONUS[check.quality] + check.modifier
    after = np.empty((SILENCED + 1, ruleset.check_sides + 1), np.int64)
    after[:] = {rules.FLEES: ROUTED, rules.IS_SHAKEN: SHAKEN, rules.IS_SILENCED: SILENCED}.get(response, stands)
    if response == rules.CHECKS:
        for rolled in range(after.shape[1]):
            after[:, rolled] = stands if rules.passes_check(rolled, modifier, ruleset.check_target) else ROUTED
    dice = int(response == rules.CHECKS)
    return Chain(UNDECIDED, (Phase(after, sided(ruleset.check_sides), dice, recorded=True),))


def tables(check: Check, recorded: Recorded) -> dict[str, Table]:
    """`check`: whether it stands, flees or is silenced, and its state afterwards."""
    law = recorded.of_all(SILENCED + 1)
    chances = {
        "p_stands": law[:, EAGER] + law[:, SHAKEN],
        "p_flees": law[:, ROUTED],
        "p_silenced": law[:, SILENCED],
        "p_eager": law[:, EAGER],
        "p_shaken": law[:, SHAKEN],
        "p_routed": law[:, ROUTED],
    }
    return {"check": Table({"arm": [check.arm]}, chances, {})}
