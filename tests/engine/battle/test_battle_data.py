"""The fights in the tables of a battle are those of the rules, however both units stand."""

import random
from types import SimpleNamespace

import analyser
from analyser.common.kernel_records import python_copy
from analyser.engine.battle.battle_data import condition_of
from analyser.rules.attack import set_fight, set_target
from analyser.rules.structs import Bonus, Penalty
from analyser.scenarios.battle_tables import Encoder
from tests.helpers.battles import scenario_of

STATUSES = ("suppressed", "disordered", "activated", "flees", "near_commander")
MARKS = [
    (bonus, penalty) for bonus in (0, Bonus.SHORT_RANGE, Bonus.SHORT_RANGE | Bonus.AIMING) for penalty in (0, 1, 2)
]
PENALTIES = (0, Penalty.SUPPRESSED, Penalty.SUPPRESSED | Penalty.REFORMING)


def strikes_between_all():
    """Every strike that a shipped unit of a faction can make at one of another, at its first level."""
    armies = [
        [f"{faction.id}/{unit.id}@{next(iter(unit.levels))}" for unit in faction.units if unit.type != "aircraft"][:20]
        for faction in list(analyser.load_profiles().factions.values())[:2]
    ]
    scenario = scenario_of(*armies, target_mine="most_points")
    encoder = Encoder(scenario.ruleset)
    encoder.encode(scenario)
    return encoder._strikes


def test_a_fight_of_the_tables_is_that_of_the_rules_in_any_state():
    """One that depended on another status would be a fight that battles do not see: it takes another condition."""
    chance, strikes = random.Random(1), strikes_between_all()
    for (record, *both), fights in zip(strikes.records, strikes.fights, strict=True):
        attack, target = map(python_copy, both)
        bonus, penalties = chance.choice(MARKS)
        if attack.close_quarters:
            bonus = 0
        attack.bonuses |= bonus
        attack.penalties |= PENALTIES[penalties]
        for name in STATUSES:
            setattr(target, name, chance.randrange(2))
        target.models, target.damage = chance.randint(1, target.models), chance.randrange(target.damage_limit)
        target.taking_cover = chance.randrange(2)
        by_rules, by_table = SimpleNamespace(), SimpleNamespace()
        set_fight(attack, target, by_rules)
        shift = bin(bonus).count("1") - penalties
        vars(by_table).update(vars(fights[condition_of(bool(target.taking_cover), shift)]))
        set_target(attack, target, by_table)
        by_table.dice = by_rules.dice
        assert by_table == by_rules, record
    assert len(strikes.records) > 300
