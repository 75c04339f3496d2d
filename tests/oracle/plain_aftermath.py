"""A slow, plain reading of attacks that follow from a loss or a shot: Spectacular Demise, Tail Gunner (AC-7).

Each turns the unit that suffers it into a law {unit: chance}; who suffers it, and how far away, the caller says.
"""

from tests.oracle import plain_reading as plain
from tests.oracle.plain_after_blows import suppression_test
from tests.oracle.plain_laws import certainly, then
from tests.oracle.plain_strikes import strike
from tests.oracle.plain_units import unit_of, value_of


def plain_attack(dice, rating, striker_facts, facts, unit, ruleset, *, tests):
    """The law of a unit under an attack without a row: no qualities, Veteran of who makes it (AC-3, AC-4.5)."""
    blows = strike(None, dice, rating, (striker_facts, unit_of(striker_facts)), (facts, unit), ruleset)
    return then(blows, lambda blow: after_test(facts, unit, blow.victim, ruleset, tests=tests))


def after_test(facts, before, unit, ruleset, *, tests):
    """The law of a unit after the suppression test of an attack, if it lost a model (AC-4.5)."""
    if not tests or unit.models == before.models:
        return certainly(unit)
    return suppression_test(facts, unit, before.models, aboard(before), frozenset(), ruleset["deck"])


def aboard(unit):
    return unit.passengers.models if unit.passengers else 0


def tail_gunner(gunner_facts, facts, unit, ruleset):
    """The aerial unit that shot is shot at: weakened, X dice, an ordinary test (Tail Gunner in AC-7, AC-4.5)."""
    dice = value_of(gunner_facts, "Tail Gunner")
    takes_tests = facts["type"] != "aircraft" or plain.has_rule(facts, "Hot Headed")
    return plain_attack(dice, "weakened", gunner_facts, facts, unit, ruleset, tests=takes_tests)


def spectacular_demise(gone_facts, facts, unit, inches, ruleset):
    """The last model of a unit was destroyed so many inches away: one die decides (Spectacular Demise in AC-7)."""
    dice = value_of(gone_facts, "Spectacular Demise")
    # It is the blast that strikes, not the unit: no Veteran, and nothing to re-roll by.
    gone_facts = {**gone_facts, "rules": [], "extra_reroll": {"faces": [], "dice": 0}}

    def shown(face):
        if face == "miss" and inches <= 6:
            return suppression_test(facts, unit, unit.models, aboard(unit), frozenset(), ruleset["deck"])
        if (face == "strike" and inches <= 4) or (face == "heroic" and inches <= 8):
            return plain_attack(dice, "neutral", gone_facts, facts, unit, ruleset, tests=True)
        return certainly(unit)

    return then(plain.card_law(ruleset["die"]), shown)
