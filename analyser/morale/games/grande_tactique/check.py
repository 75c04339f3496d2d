"""Whether a unit flees (GT-2, GT-9)."""

from __future__ import annotations

from typing import Any

import numpy as np

from analyser.engine.chain.chain import RECORD, Chain, Phase, Recorded, sided
from analyser.morale.answers import Answer, Table, rules_used
from analyser.morale.games.grande_tactique import rules as gt
from analyser.morale.games.grande_tactique.question import Check, Question, Ruleset
from analyser.morale.pictures import Bars
from analyser.results.base import RulesUsed

UNDECIDED, EAGER, SHAKEN, ROUTED, SILENCED = range(5)
BONUS = {"regular": 0, "veteran": gt.VETERAN_BONUS, "old guard": gt.OLD_GUARD_BONUS}
CAUSES = {"charged": gt.CHARGED, "worn down": gt.WORN_DOWN, "lost firing": gt.LOST_FIRING}


def response_to(check: Check, ruleset: Ruleset) -> int:
    """What the cause does to the unit: one of the responses of the rules (GT-1, GT-2)."""
    cause = CAUSES[check.cause]
    if cause == gt.WORN_DOWN and check.worn_down_by != "infantry":
        cause = gt.WORN_DOWN_BY_ARTILLERY
    response = gt.response(gt.Arm[check.arm.upper()], check.state == "shaken", cause)
    return gt.STANDS if response == gt.IS_SHAKEN and not ruleset.fire_shakes else response


def chain(check: Check, question: Question) -> Chain:
    """One die, if there is a check at all."""
    ruleset = question.ruleset
    response, stands = response_to(check, ruleset), SHAKEN if check.state == "shaken" else EAGER
    end = {gt.FLEES: ROUTED, gt.IS_SHAKEN: SHAKEN, gt.IS_SILENCED: SILENCED}.get(response, stands)

    def checked(_: Any, rolled: Any) -> Any:
        if response != gt.CHECKS:
            return end
        modifier = BONUS[check.quality] + check.modifier
        return np.where(gt.passes_check(rolled, modifier, ruleset.check_target), stands, ROUTED)

    die = Phase(checked, sided(ruleset.check_sides), int(response == gt.CHECKS))
    return Chain(UNDECIDED, (die, RECORD), SILENCED + 1)


def answer(check: Check, _: Question, recorded: Recorded) -> Answer:
    """`check`: whether it stands, flees or is silenced, and its state afterwards."""
    weights = recorded.of_all(SILENCED + 1)
    probabilities = {
        "p_stands": weights[:, EAGER] + weights[:, SHAKEN],
        "p_flees": weights[:, ROUTED],
        "p_silenced": weights[:, SILENCED],
        "p_eager": weights[:, EAGER],
        "p_shaken": weights[:, SHAKEN],
        "p_routed": weights[:, ROUTED],
    }
    routed = "silenced" if check.arm == "artillery" else "routed"
    panel = Bars("check", f"Probability to be {routed}", "arm", f"p_{routed}")
    return Answer({"check": Table({"arm": [check.arm]}, probabilities)}, [panel])


def rules(check: Check, question: Question) -> RulesUsed:
    """The rules that the numbers come from, what has no effect, and what was taken for granted."""
    arm, tested, stated = check.arm, response_to(check, question.ruleset) == gt.CHECKS, check.worn_down_by is not None
    eager_under_fire = arm != "artillery" and check.state == "eager" and check.cause != "charged"
    shelled, lost_firing = check.cause == "worn down" and arm == "artillery", check.cause == "lost firing"
    for_nothing, granted, is_regular = stated and not shelled, shelled and not stated, check.quality == "regular"
    applied = {
        "GT-1 states": True,
        "GT-2 who flees": True,
        "GT-9 Old Guard and veterans on morale checks": tested and not is_regular,
    }
    unused = not tested and (not is_regular or check.modifier)
    warnings = {
        "check.worn_down_by has no effect: it matters to artillery that is worn down by fire (GT-1)": for_nothing,
        "check: artillery has worn it down; fire of infantry (worn_down_by) would not silence it (GT-1)": granted,
        "check: an eager unit does not flee from fire (GT-2)": eager_under_fire,
        f"check: {arm} does not flee after losing a firing attack of its own (GT-2)": arm != "infantry" and lost_firing,
        "check.quality and check.modifier have no effect: no morale check is made (GT-2)": unused,
    }
    return rules_used(applied, {}, warnings)
