"""A told charge, focus fire or duel is the counted one: all trials of a sample, walked one by one, are its counts."""

from collections import Counter
from random import Random

import pytest

import analyser as an
from analyser.ask.fight_narration import TrialRunner, fight_of
from analyser.engine.pool.dice import dice_that_score
from analyser.game.ruleset import Face
from analyser.results.states import simulation_of
from analyser.rules.attack import score_of, scores_for
from analyser.scenarios.load import load

RIFLES, GRENADIERS = "crown/rifle-platoon@basic", "imperium/scion-grenadier-platoon@basic"
TARGET = {"models": 6, "defence": 2, "damage_limit": 1, "discipline": 7}


def check(raw, trials=150, seed=7):
    """The states of all trials at every part against the counts of the sample; and the dice against their scores."""
    scenario = load(raw)
    ready = fight_of(scenario)
    simulation = simulation_of(ready.setup, ready.programs, scenario.ruleset, replacement=False, choices=ready.choices)
    wanted = simulation.play(ready.start, trials, seed)
    checked = []

    def dice_of(fight, score):
        """Dice of that score, as the rules read them."""
        scores, sides = scores_for(fight, fight.dice), scenario.ruleset.die.sides_by_face
        dice = dice_that_score(fight, scores, score, sides, Random(len(checked)))
        ends = [die.final_face for die in dice]
        turned = min(int(fight.veteran), ends.count(Face.STRIKE))
        total = sum(score_of(fight, scores, face) for face in ends) + turned * (scores.heroic - scores.strike)
        checked.append(total == score and sum(die.added_by is None for die in dice) == fight.dice)
        return dice

    walker = TrialRunner(ready, dice_of)
    seen = [Counter() for _ in ready.programs]
    for chances in simulation.trace(ready.start, range(trials), seed):
        _, pairs = walker.run(chances)
        for counter, pair in zip(seen, pairs):
            counter[pair] += 1
    for counter, (first, second, counts) in zip(seen, wanted):
        assert dict(counter) == dict(zip(zip(first.tolist(), second.tolist()), counts.tolist()))
    assert checked
    assert all(checked)


def duel(a, b, **terms):
    return {"duel": terms, "a": {"unit": a}, "b": {"unit": b}}


FIGHTS = {
    "duel": duel(RIFLES, GRENADIERS, rounds=2),
    "duel at a distance": duel(RIFLES, GRENADIERS, rounds=3, distance=20, policy_a="short_range"),
    "lookout": duel(RIFLES, GRENADIERS, rounds=2, policy_b="lookout", first="a"),
    "duel of chargers": duel(RIFLES, "imperium/teutonic-armiger-castellans@basic", rounds=2, policy_b="charge"),
    "best play": duel(RIFLES, GRENADIERS, rounds=2, distance=18, policy_a="best", policy_b="best"),
    "a policy in words": duel(RIFLES, GRENADIERS, rounds=2, policy_a=["charge if enemy suppressed", "lookout"]),
    "charge": {"charge": {}, "attacker": {"unit": RIFLES}, "target": {"unit": GRENADIERS}},
    "focus": {"attacks": [{"attacker": RIFLES, "distance": 6}] * 3, "target": {"unit": GRENADIERS}},
    "focus with Overcharge and re-rolls": {
        "attacks": [
            {"dice": 4, "qualities": ["Overcharge"], "overcharge": True},
            {"dice": 5, "extra_reroll": {"faces": ["miss", "blank"], "dice": 2}, "qualities": ["Arc"]},
        ],
        "target": TARGET | {"break_limit": 2},
    },
    "officers": {"attacks": [{"dice": 5}] * 2, "target": TARGET | {"officer": "random", "formation": "open"}},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FIGHTS)
def test_what_is_told_is_what_was_counted(name):
    check(FIGHTS[name], trials=60)


@pytest.mark.slow
def test_a_deck_that_runs_out():
    """Cards of a real deck run out in ten rounds, and are shuffled again."""
    raw = duel("crown/rifle-platoon@full-strength", "imperium/scion-grenadier-platoon@full-strength", rounds=10)
    raw["ruleset"] = {"deck": {"copies": {"3": 2, "6": 2, "9": 1}}}
    check(raw, trials=60)


def test_what_is_not_told():
    with pytest.raises(an.InputError, match=r"kind battle cannot be described.*--tell N"):
        an.tell({"battle": {}, "mine": {}, "yours": {}})
    with pytest.raises(an.InputError, match="0 to 9999"):
        an.tell(RIFLES, GRENADIERS, kind="duel", trial=20_000)
    with pytest.raises(an.InputError, match="state this in the scenario"):
        an.tell({"attack": {"dice": 3}, "target": {"models": 3, "defence": 2, "damage_limit": 1}}, distance=3)


def test_the_loser_of_a_combat_takes_the_test():
    """B has DISCIPLINE 7 and A 8, before losses."""
    told = str(an.tell(duel(RIFLES, GRENADIERS, distance=20, policy_a="charge"), trial=3))
    assert (
        "A: wins the combat (AC-8.5)\nB: test of a lost combat (AC-8.5): card 6, passed (cards up to 7 pass: " in told
    )
    assert "A: loses the combat (AC-8.5); test of a lost combat (AC-8.5): card 11" in told
    assert "B: moves to shoot\n" in told


TRANSPORT = {
    **{"type": "armour", "models": 2, "defence": 3, "damage_limit": 2, "discipline": 7, "break_limit": 0},
    "rules": ["Sponsons (2)", "Capacity (5)"],
    "passengers": {"models": 8, "defence": 1, "damage_limit": 1, "discipline": 7, "break_limit": 2},
}
CHARGE_AT_TRANSPORT = {
    "charge": {"difficult_terrain": True},
    "attacker": {"unit": RIFLES, "suppressed": True},
    "target": TRANSPORT,
    "secondary": [{"models": 3, "defence": 1, "damage_limit": 1}, {"unit": GRENADIERS}],
}


def test_the_unit_and_the_weapon_of_a_strike():
    told = an.tell(CHARGE_AT_TRANSPORT, trial=2).lines
    assert "the target shoots at the attacker with Sponsons (AC-7): 2 dice, weakened" in told
    assert f"{GRENADIERS} (secondary) strikes the attacker in close quarters: 3 dice, improved" in told


def test_losses_and_fates_of_passengers():
    told = an.tell(CHARGE_AT_TRANSPORT, trial=2)
    assert told.figures["target_passengers_suppressed"]
    assert "  the target: models left 2 → 1, passengers left 8 → 5" in told.lines
    assert "  the target: passengers suppressed" in told.lines
    assert told.lines[-1] == "The target: models left 1, suppressed, passengers left 5, passengers suppressed"
    doomed = TRANSPORT | {"passengers": TRANSPORT["passengers"] | {"break_limit": 5}}
    assert an.tell(CHARGE_AT_TRANSPORT | {"target": doomed}, trial=2).lines[-1].endswith(", passengers broken")
    alone = CHARGE_AT_TRANSPORT | {
        "target": TRANSPORT | {"models": 1, "passengers": {**TRANSPORT["passengers"], "models": 5}}
    }
    told = an.tell(alone, pick="best", metric="target_models_destroyed", trials=100)
    assert told.lines[-1] == "The target: destroyed, passengers left 0"


def test_each_loss_has_its_cause_and_its_unit():
    gang = {"unit": "commonwealth/azhdaya-beserker-gang@basic", "overcharge": True}
    borers = {"unit": "commonwealth/dikobraz-artillery-borers@full-strength"}
    told = an.tell({"charge": {}, "attacker": borers, "target": gang}, seed=3).lines
    assert "  the target: models left 5 → 1" in told
    assert "  Overcharge (AC-6): blanks destroy 1 model of the target" in told
    pierced = {"attack": {"dice": 4, "rating": "neutral", "qualities": ["Penetrating"]}}
    told = str(an.tell(pierced | {"target": {"models": 6, "defence": 2, "damage_limit": 3}}, pick="best"))
    assert "2 of 6 models at DAMAGE LIMIT 3, 1 of them by Penetrating (AC-6)" in told
    landship = {"unit": "crown/sovereign-landship@full-strength", "withdraws_without_room": 1}
    cornered = {"charge": {}, "attacker": landship, "target": {"unit": "crown/galahad-breachers@full-strength"}}
    assert "the attacker: no room to withdraw for 1 model (AC-5.5, AC-8.5)" in str(an.tell(cornered, pick="worst"))
    wall = {"type": "armour", "category": "heavy", "models": 1, "defence": 4, "damage_limit": 9, "discipline": 7}
    fists = {"id": "m", "name": "m", "kind": "melee", "bands": [{"first": 1, "last": 9, "dice": 3}]}
    runner = {"type": "infantry", "models": 1, "defence": 1, "damage_limit": 1, "discipline": 7, "speed": 4}
    shot = {"charge": {}, "attacker": runner | {"rows": [fists]}, "target": wall | {"rules": ["Sponsons (8)"]}}
    assert "the attacker: no combat takes place (AC-8.1)" in an.tell(shot).lines


def test_discipline_and_its_modifiers():
    attack = {"dice": 9, "qualities": ["Suppressive"], "rating": "improved"}
    told = str(
        an.tell({"attacks": [attack] * 2, "target": TARGET | {"officer": "first", "formation": "open"}}, trial=1)
    )
    assert "DISCIPLINE 7 with -1 for Suppressive (AC-6), -1 for heavy losses (AC-5.2), -1 for disorder (AC-5.3)" in told
    shots = duel("enlightened/heavy-construct-devastator@full", "crown/rifle-platoon@full", rounds=3, distance=12)
    told = str(
        an.tell(shots | {"b": {"unit": "crown/rifle-platoon@full", "officer": "first", "formation": "open"}}, trial=1)
    )
    rally = (
        "B: is activated; rally test (AC-5.6): card 6, passed (cards up to 7 pass: DISCIPLINE 8 with -1 for disorder"
    )
    assert rally in told


def test_causes_of_events():
    amok = duel(
        "commonwealth/azhdaya-beserker-gang@basic", RIFLES, rounds=1, distance=14, first="a", policy_b="lookout"
    )
    told = an.tell(amok | {"duel": amok["duel"] | {"policy_a": "charge"}}, trial=1).lines
    assert "A: runs amok (AC-7): 1 damage to the enemy, and one of its own models is destroyed" in told
    assert "-- At the end: a draw, with victory points 0 to 0" in told
    demise = TRANSPORT | {"models": 1, "damage_limit": 1, "passengers": None}
    demise["rules"] = ["Spectacular Demise (6)", "Corrosive Fumes (2)"]
    charge = {"charge": {}, "attacker": {"unit": RIFLES}, "target": demise}
    told = [an.tell(charge, trial=trial).lines for trial in range(12)]
    assert all("The units are in contact in Corrosive Fumes (AC-7)" in lines for lines in told)
    results = {line for lines in told for line in lines if "die" in line and "target: the" in line}
    die = "the target: the die of Spectacular Demise (AC-7): "
    assert {f"{die}a strike or a heroic strike", f"{die}neither a strike nor a heroic strike"} <= results
    assert "the target: the same die: no miss" in results


def test_end_of_an_activation_and_hits_of_a_durable_unit():
    fight = duel("enlightened/heavy-construct-devastator@full", "crown/rifle-platoon@full", rounds=3, distance=12)
    told = str(an.tell(fight, trial=1))
    assert "The activation ends (AC-5.7, AC-5.8)\n  B: no longer suppressed\n" in told
    assert "heroic strikes with 1 hit each" in told
