"""Whether a unit flees (GT-2, GT-9)."""

from __future__ import annotations

from typing import Any

import numpy as np

from analyser.engine.chain.chain import RECORD, Chain, Phase, Recorded, sided
from analyser.morale.answers import Answer, Part, Table, rules_used
from analyser.morale.games.grande_tactique import rules as gt
from analyser.morale.games.grande_tactique.question import Check, Question
from analyser.morale.pictures import Bars
from analyser.results.base import RulesUsed

UNDECIDED, EAGER, SHAKEN, ROUTED, SILENCED = range(5)
BONUS = {"regular": 0, "veteran": gt.VETERAN_BONUS, "old guard": gt.OLD_GUARD_BONUS}
CAUSES = {"charged": gt.CHARGED, "worn down": gt.WORN_DOWN, "lost firing": gt.LOST_FIRING}


class UnitTested(Part):
    """A unit to which something happens that may make it flee."""

    asked: Check

    def __init__(self, asked: Check, question: Question) -> None:
        super().__init__(asked, question)
        cause = CAUSES[asked.cause]
        if cause == gt.WORN_DOWN and asked.worn_down_by != "infantry":
            cause = gt.WORN_DOWN_BY_ARTILLERY
        response = gt.response(gt.Arm[asked.arm.upper()], asked.state == "shaken", cause)
        ignored = response == gt.IS_SHAKEN and not question.ruleset.fire_shakes
        self.response = gt.STANDS if ignored else response  # one of those of the rules (GT-1, GT-2)

    def chain(self) -> Chain:
        """One die, if there is a check at all."""
        check, ruleset, stands = self.asked, self.question.ruleset, SHAKEN if self.asked.state == "shaken" else EAGER
        end = {gt.FLEES: ROUTED, gt.IS_SHAKEN: SHAKEN, gt.IS_SILENCED: SILENCED}.get(self.response, stands)

        def checked(_: Any, rolled: Any) -> Any:
            if self.response != gt.CHECKS:
                return end
            modifier = BONUS[check.quality] + check.modifier
            return np.where(gt.passes_check(rolled, modifier, ruleset.check_target), stands, ROUTED)

        die = Phase(checked, sided(ruleset.check_sides), int(self.response == gt.CHECKS))
        return Chain(UNDECIDED, (die, RECORD), SILENCED + 1)

    def answer(self, recorded: Recorded) -> Answer:
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
        routed = "silenced" if self.asked.arm == "artillery" else "routed"
        panel = Bars("check", f"Probability to be {routed}", "arm", f"p_{routed}")
        return Answer({"check": Table({"arm": [self.asked.arm]}, probabilities)}, [panel])

    def rules(self) -> RulesUsed:
        """The rules that the numbers come from, what has no effect, and what was taken for granted."""
        check, tested, by_whom = self.asked, self.response == gt.CHECKS, self.asked.worn_down_by is not None
        is_regular, is_artillery = check.quality == "regular", check.arm == "artillery"
        is_shelled = check.cause == "worn down" and is_artillery
        is_safe = check.state == "eager" and check.cause != "charged" and not is_artillery
        is_safe_firing = check.arm != "infantry" and check.cause == "lost firing"
        applied = {
            "GT-1 states": True,
            "GT-2 who flees": True,
            "GT-9 Old Guard and veterans on morale checks": tested and not is_regular,
        }
        useless = "check.worn_down_by has no effect: it matters to artillery that is worn down by fire (GT-1)"
        taken = "check: artillery has worn it down; fire of infantry (worn_down_by) would not silence it (GT-1)"
        untested = "check.quality and check.modifier have no effect: no morale check is made (GT-2)"
        warnings = {
            useless: by_whom and not is_shelled,
            taken: is_shelled and not by_whom,
            "check: an eager unit does not flee from fire (GT-2)": is_safe,
            f"check: {check.arm} does not flee after losing a firing attack of its own (GT-2)": is_safe_firing,
            untested: not tested and (check.modifier or not is_regular),
        }
        return rules_used(applied, {}, warnings)
