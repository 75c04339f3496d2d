"""Effects of the rules on an attack: combat rating and its reasons, dice pool, effective DEFENCE, and test."""

from __future__ import annotations

from copy import copy
from typing import Any

from analyser.game.ruleset import Rating
from analyser.rules.attack import bonuses_of, combat_rating, is_concealed, penalties_of
from analyser.rules.structs import NONE, AttackFacts, Bonus, FightFacts, Penalty, Sight, TargetFacts, Test
from analyser.scenarios.attack import Scenario

_BONUSES, _PENALTIES = ({int(flag): flag.name.lower() for flag in kind} for kind in (Bonus, Penalty))
_SIGHTS = {Sight.NONE: "no sight", Sight.SPOTTER: "spotter"}
_TESTS = {
    Test.NOT_TAKEN: "none",
    Test.BY_CARD: "by card",
    Test.PASSED: "passed without a card",
    Test.FAILED: "failed on purpose",
}


def rating_reasons(attack: AttackFacts, target: TargetFacts) -> dict[str, Any]:
    """Return the reasons for a combat rating (AC-3.1): the bonuses and penalties that apply.

    If something else determines the rating, `rating_by` names it: ``stated`` (another rating is stated), ``no sight``
    or ``spotter`` (Indirect), or ``rule`` (Sponsons or Throw in a charge).
    """
    unrated: Any = copy(attack)
    unrated.stated_rating = NONE
    concealed = is_concealed(attack, target)
    if attack.stated_rating not in (NONE, combat_rating(unrated, target, concealed)):
        return {"bonuses": [], "penalties": [], "rating_by": "stated"}
    if attack.sight != Sight.OWN:
        return {"bonuses": [], "penalties": [], "rating_by": _SIGHTS[Sight(attack.sight)]}
    bonuses, penalties = bonuses_of(attack, target), penalties_of(attack, target, concealed)
    return {
        "bonuses": [name for bit, name in _BONUSES.items() if bonuses & bit],
        "penalties": [name for bit, name in _PENALTIES.items() if penalties & bit],
        "rating_by": None,
    }


def rule_effects(scenario: Scenario, fight: FightFacts) -> dict[str, Any]:
    """Return the effects of the rules in a scenario: pool, rating, effective DEFENCE and test.

    `discipline` leaves out the -1 for heavy losses and the -1 for a disordered unit, which are applied at the test.
    """
    by_card = fight.test == Test.BY_CARD
    return {
        "dice": int(fight.dice),
        "rating": Rating(fight.rating).name.lower(),
        **rating_reasons(*scenario.facts),
        "defence": int(fight.defence),
        "suppression_test": _TESTS[Test(fight.test)],
        "discipline": int(fight.discipline) if by_card else None,
    }
