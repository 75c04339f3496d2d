"""A told trial is the counted trial: all trials of a sample, told one by one, are its counts."""

from collections import Counter
from random import Random

import numpy as np
import pytest

import analyser as an
from analyser.ask.attack_narration import strike_of
from analyser.common.kernel_records import python_copy
from analyser.engine.attack.simulated import Sample, outcomes_of, plan_for, replayed_trials
from analyser.engine.pool.dice import dice_that_score, score_of_dice
from analyser.game.ruleset import Face
from analyser.rules import strike
from analyser.scenarios.load import load
from tests.oracle.random_scenarios import random_scenarios

RIFLES, KRUPP = "crown/rifle-platoon@basic", "imperium/krupp-field-guns@basic"
TARGET = {"models": 6, "defence": 2, "damage_limit": 1, "discipline": 7, "break_limit": 2}


def told_and_counted(raw, trials, seed):
    scenario = load(raw)
    die, deck = np.array(scenario.ruleset.die.sides_by_face, np.int64), scenario.ruleset.deck.counts()
    plan = plan_for(scenario.fight, die, deck, for_building=scenario.rolls_for_building)
    sample = Sample(plan, seed)
    sample.play_to(trials)
    return scenario, plan, list(replayed_trials(plan, deck, seed, trials)), sample


def check(raw, trials=2500, seed=5):
    scenario, plan, trials_told, sample = told_and_counted(raw, trials, seed)
    fight = python_copy(scenario.fight)
    struck = [strike_of(fight, plan.scores, each) for each in trials_told]
    scores = sample.counts.sum(axis=(1, 2, 3))
    assert np.bincount([each.score for each in struck], minlength=len(scores)).tolist() == scores.tolist()
    outcomes, weights = outcomes_of(plan, sample.counts)
    assert Counter(int(strike.outcome_of(fight, each.progress)) for each in struck) == dict(
        zip(outcomes.tolist(), weights.tolist())
    )
    return trials_told


ATTACKS = {
    "plain": {"dice": 7},
    "improved": {"dice": 8, "rating": "improved"},
    "weakened": {"dice": 5, "rating": "weakened"},
    "Arc": {"dice": 6, "qualities": ["Arc"]},
    "Veteran": {"dice": 6, "veteran": 2},
    "extra re-rolls": {"dice": 9, "extra_reroll": {"faces": ["miss", "blank"], "dice": 2}, "rating": "neutral"},
    "all at once": {"dice": 9, "extra_reroll": {"faces": ["strike", "blank"], "dice": 3}, "qualities": ["Arc"]},
    "Overcharge": {"dice": 5, "qualities": ["Overcharge"], "overcharge": True},
}


@pytest.mark.parametrize("name", ATTACKS)
def test_what_is_told_is_what_was_counted(name):
    check({"attack": ATTACKS[name], "target": TARGET}, trials=1200)


def test_dice_told_have_the_score_and_the_card_of_overcharge():
    scenario, plan, trials, _ = told_and_counted({"attack": ATTACKS["Overcharge"], "target": TARGET}, 60, 3)
    fight, cards = python_copy(scenario.fight), list(range(10))
    for each in trials:
        dice = dice_that_score(fight, plan.scores, each.score, (1, 2, 1, 1, 1), Random(each.number), cards)
        assert score_of_dice(fight, plan.scores, dice) == each.score
        assert 0 <= sum(die.added_by is None for die in dice) - fight.dice < 10
    story = str(an.tell({"attack": ATTACKS["Overcharge"], "target": TARGET}, trial=2, seed=3))
    assert "the attacker draws a card of value" in story


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_what_is_told_of_random_attacks_is_what_was_counted(seed):
    for number, raw in enumerate(random_scenarios(seed, 12)):
        try:
            scenario = load(raw)
        except an.InputError:
            continue
        assert scenario is not None
        check(raw, trials=700, seed=number)


def test_each_face_is_shown_as_often_as_it_is_on_the_die():
    """Dice are rolled for the score of each trial; over all trials they are uniform again."""
    raw = {"attack": {"dice": 10, "rating": "improved"}, "target": TARGET}
    scenario, plan, trials, _ = told_and_counted(raw, 2000, 1)
    fight = python_copy(scenario.fight)
    dice = [
        die
        for each in trials
        for die in dice_that_score(fight, plan.scores, each.score, (1, 2, 1, 1, 1), Random(each.number))
    ]
    first = Counter(die.shows for die in dice if die.added_by is None)
    added = Counter(die.shows for die in dice if die.added_by is not None)
    again = Counter(die.rerolled for die in dice if die.rerolled is not None)
    for seen in (first, added, again):
        total = sum(seen.values())
        for face, sides in zip(Face, (1, 2, 1, 1, 1)):
            expected = total * sides / 6
            assert abs(seen[face] - expected) < 5 * np.sqrt(expected)


def test_a_story_is_told_line_by_line():
    told = an.tell(RIFLES, KRUPP, trial=3, seed=2, distance=6, aiming=True)
    text = str(told)
    assert text.startswith("Trial 3 of 1,000 with seed 2\n")
    for rule in ("AC-3.2", "AC-3.6", "AC-3.7", "AC-3.8"):
        assert rule in text
    assert text == str(an.tell(RIFLES, KRUPP, trial=3, seed=2, distance=6, aiming=True))
    assert text != str(an.tell(RIFLES, KRUPP, trial=4, seed=2, distance=6, aiming=True))
    assert told.as_dict()["figures"]["models_destroyed"] == told.figures["models_destroyed"]


def test_worst_median_and_best_of_a_sample():
    sampled = an.attack(RIFLES, KRUPP, distance=6, method="monte-carlo", trials=500, seed=9)
    values = sampled.pmf("hits").query("probability > 0")["value"]
    told = {
        pick: an.tell(RIFLES, KRUPP, pick=pick, metric="hits", trials=500, seed=9, distance=6).figures["hits"]
        for pick in ("worst", "median", "best")
    }
    assert told == {"worst": values.min(), "median": sampled.quantile("hits", 0.5), "best": values.max()}
    broken = an.tell(RIFLES, KRUPP, pick="best", metric="broken", trials=500, seed=9, distance=6)
    assert broken.figures["broken"]
    assert "BREAK LIMIT" in str(broken)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"trial": -1}, "trial"),
        ({"trial": 5, "trials": 5}, "0 to 4"),
        ({"pick": "luckiest"}, "worst, median, best"),
        ({"pick": "best", "trial": 1}, "one of them"),
        ({"pick": "best", "metric": "hitz"}, "did you mean 'hits'"),
        ({"distance": 99}, "long range"),
        ({"seed": -1}, "seed"),
        ({"seed": 1 << 1024}, "1025 bits .allowed: 0 or more, of up to 1024 bits"),
    ],
)
def test_what_cannot_be_told(how, said):
    for asked in ((RIFLES, KRUPP), *([({"courage": 2},)] if "seed" in how else [])):
        with pytest.raises(an.InputError, match=said):
            an.tell(*asked, **how)


def test_discipline_and_its_modifiers():
    attack = {"dice": 7, "qualities": ["Suppressive", "Fear"]}
    target = TARGET | {"discipline": 9, "chain_of_command": True, "rules": ["Chain of Command (6)", "Brave"]}
    rules = {"Fear": {"test": -2}, "Brave": {"when": "attacked", "test": 1}}
    told = str(an.tell({"attack": attack, "target": target, "ruleset": {"rules": rules}}, trial=2, seed=3))
    stated = "DISCIPLINE 9 with +1 for Chain of Command (AC-7), -1 for Suppressive (AC-6)"
    assert f"by card, {stated}, -1 for house rules before losses and disorder" in told
    assert f"(cards up to 7 pass: {stated}, -1 for heavy losses (AC-5.2), -1 for house rules)" in told
