"""The course of a charge and of a round, read from the rules: who strikes when."""

import pytest

from analyser.engine.fight.program import Kind
from analyser.game.profiles import load_ruleset
from analyser.scenarios.charge import charge_program
from analyser.scenarios.duel import duel_program
from analyser.scenarios.schema import Combatant, DuelTerms

BANDS = [{"first": 1, "last": 9, "dice": 4}]
MELEE = {"id": "melee", "name": "Blades", "kind": "melee", "bands": BANDS}
GUNS = {"id": "guns", "name": "Guns", "kind": "ranged", "against": ["light"], "long_range": 14.0, "bands": BANDS}
COMBAT = ("RESOLVE", "END_COMBAT 0", "END_COMBAT 1")


def unit(*rules, **keys):
    """A unit of five models."""
    body = {"models": 5, "defence": 2, "damage_limit": 1, "category": "light", "formation": "close", "discipline": 6}
    return Combatant.model_validate(body | {"type": "infantry", "speed": 6, "rows": [MELEE], "rules": rules} | keys)


def told(setup, operations):
    """The operations in words: a strike by its striker, others by their sides where there are two of them."""
    sided = (Kind.END_COMBAT, Kind.END_ROUND, Kind.BEGIN, Kind.END, Kind.GO_OFF, Kind.WRECK)
    for kind, side, number in operations:
        of = setup.strikes[number].striker if kind == Kind.STRIKE else side
        yield f"{Kind(kind).name} {of}" if kind in (*sided, Kind.STRIKE) else Kind(kind).name


@pytest.mark.parametrize(
    ("charger", "charged", "course"),
    [
        ((), (), ("ENGAGE", "STRIKE 0", "STRIKE 1", *COMBAT)),  # AC-8.3
        ((), ("Stoic Defence",), ("ENGAGE", "STRIKE 1", "STRIKE 0", *COMBAT)),  # AC-8.4
        ((), ("Sponsons (4)",), ("ENGAGE", "STRIKE 1", "STRIKE 0", "STRIKE 1", *COMBAT)),  # AC-8.1
        (
            ("Overrun",),
            (),
            ("ENGAGE", "STRIKE 0", "STRIKE 1", *COMBAT, "ENGAGE", "STRIKE 0", "STRIKE 1", *COMBAT),
        ),
        (("Throw (6)",), (), ("ENGAGE", "STRIKE 0", "STRIKE 1", *COMBAT, "STRIKE 0", "FORGET")),
        (
            (),
            ("Spectacular Demise (5)",),
            ("ENGAGE", "STRIKE 0", "STRIKE 1", *COMBAT, "GO_OFF 1", "FRIGHTEN", "STRIKE 1", "TEST_FRIGHTENED"),
        ),
    ],
)
def test_a_charge(charger, charged, course):
    assert tuple(told(*charge_program(unit(*charger), unit(*charged)))) == course


def test_a_charge_at_a_garrison_strikes_back_first_only_inside():
    setup, operations = charge_program(unit(), unit(garrisoned=True))
    strikes = [setup.strikes[number] for kind, _, number in operations if kind == Kind.STRIKE]
    assert [(strike.striker, strike.inside) for strike in strikes] == [(1, 1), (0, -1), (1, 0)]  # AC-8.6


def test_a_round_goes_by_a_toss_and_a_unit_on_lookout_reacts_twice():
    terms = DuelTerms(policy_a="shoot", policy_b="lookout")
    setup, rounds = duel_program(unit(rows=[GUNS]), unit(rows=[GUNS]), terms, load_ruleset())
    of_a = ("BEGIN 0", "STRIKE 1", "GIVE_ORDERS", "STRIKE 0", "STRIKE 1", "END 0")
    of_b = ("BEGIN 1", "GIVE_ORDERS", "END 1")
    assert tuple(told(setup, rounds[0])) == ("TOSS", *of_a, *of_b, *of_a, "END_ROUND 0", "END_ROUND 1")
    assert len(rounds) == terms.rounds
