"""Whether a unit flees (GT-2, GT-9)."""

from __future__ import annotations

import numpy as np

from analyser.engine.chains import Chain, Phase, Recorded, sided
from analyser.morale.grande_tactique.question import Check, Ruleset
from analyser.morale.result import Table
from analyser.rules import grande_tactique as rules

UNDECIDED, STANDS, FLEES = range(3)
BONUS = {"regular": 0, "veteran": rules.VETERAN_BONUS, "old guard": rules.OLD_GUARD_BONUS}
CAUSES = {"charged": rules.CHARGED, "worn down": rules.WORN_DOWN, "lost firing": rules.LOST_FIRING}


def chain(check: Check, ruleset: Ruleset) -> Chain:
    """One die, if there is a check at all."""
    response = rules.response(rules.Arm[check.arm.upper()], check.state == "shaken", CAUSES[check.cause])
    modifier = BONUS[check.quality] + check.modifier
    after = np.empty((3, ruleset.check_sides + 1), np.int64)
    for rolled in range(after.shape[1]):
        stands = response == rules.STANDS
        if response == rules.CHECKS:
            stands = rules.passes_check(rolled, modifier, ruleset.check_target)
        after[:, rolled] = STANDS if stands else FLEES
    dice = int(response == rules.CHECKS)
    return Chain(UNDECIDED, (Phase(after, sided(ruleset.check_sides), dice, recorded=True),))


def tables(check: Check, recorded: Recorded) -> dict[str, Table]:
    """`check`: whether it stands, flees, or is silenced."""
    law = recorded.of_all(FLEES + 1)
    flees = law[:, FLEES]
    silenced = check.arm == "artillery"
    none = np.zeros_like(flees)
    chances = {
        "p_stands": law[:, STANDS],
        "p_flees": none if silenced else flees,
        "p_silenced": flees if silenced else none,
    }
    return {"check": Table({"arm": [check.arm]}, chances, {})}
