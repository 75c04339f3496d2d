"""Whether a unit flees (GT-2, GT-9)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from analyser.engine.chain.chain import Chain, Phase, Recorded, sided
from analyser.morale.games.grande_tactique import rules
from analyser.morale.games.grande_tactique.question import Check, Question, Ruleset
from analyser.morale.panels import Bars, Panel
from analyser.morale.tables import Table

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


def chain(check: Check, question: Question) -> Chain:
    """One die, if there is a check at all."""
    ruleset = question.ruleset
    response, stands = response_to(check, ruleset), SHAKEN if check.state == "shaken" else EAGER
    targets = np.empty((SILENCED + 1, ruleset.check_sides + 1), np.int64)
    targets[:] = {rules.FLEES: ROUTED, rules.IS_SHAKEN: SHAKEN, rules.IS_SILENCED: SILENCED}.get(response, stands)
    if response == rules.CHECKS:
        rolled, modifier = np.arange(targets.shape[1]), BONUS[check.quality] + check.modifier
        targets[:] = np.where(rules.passes_check(rolled, modifier, ruleset.check_target), stands, ROUTED)
    dice = int(response == rules.CHECKS)
    return Chain(UNDECIDED, (Phase(targets, sided(ruleset.check_sides), dice, recorded=True),))


def tables(check: Check, _: Question, recorded: Recorded) -> dict[str, Table]:
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
    return {"check": Table({"arm": [check.arm]}, probabilities)}


def panels(check: Check, _: Question) -> Iterator[Panel]:
    """How likely the unit is routed or silenced."""
    routed = "p_silenced" if check.arm == "artillery" else "p_routed"
    yield Bars("check", f"Chance to be {routed[2:]}", "arm", routed)


def applied(check: Check, question: Question) -> Mapping[str, bool]:
    """The rules of a check, and whether each can have its occasion."""
    tested = response_to(check, question.ruleset) == rules.CHECKS
    return {
        "GT-1 states": True,
        "GT-2 who flees": True,
        "GT-9 Old Guard and veterans on morale checks": tested and check.quality != "regular",
    }


def warnings(check: Check, question: Question) -> Iterator[str]:
    """What has no effect, and what was taken for granted."""
    worn_down = check.cause == "worn down"
    if check.worn_down_by is not None and not (worn_down and check.arm == "artillery"):
        yield "check.worn_down_by has no effect: it matters to artillery that is worn down by fire (GT-1)"
    if check.worn_down_by is None and worn_down and check.arm == "artillery":
        yield "check: artillery has worn it down; fire of infantry (worn_down_by) would not silence it (GT-1)"
    if check.arm != "artillery" and check.state == "eager" and check.cause != "charged":
        yield "check: an eager unit does not flee from fire (GT-2)"
    if check.arm != "infantry" and check.cause == "lost firing":
        yield f"check: {check.arm} does not flee after losing a firing attack of its own (GT-2)"
    tested = response_to(check, question.ruleset) == rules.CHECKS
    if not tested and (check.quality != "regular" or check.modifier):
        yield "check.quality and check.modifier have no effect: no morale check is made (GT-2)"
