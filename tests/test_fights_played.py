"""The Monte Carlo engine of longer fights: against the exact engine where cards go back, and where they do not."""

from collections import defaultdict

import fights_by_engine as engine
import numpy as np
import plain_duel
import plain_focus_fire
import pytest
from random_fights import random_charge, random_duel, random_fights, random_focus_fire
from scipy import stats

from analyser.engine import steps
from analyser.engine.joint import exact_laws
from analyser.rules.armoured_clash import unit_state

FIGHTS = 40  # of each kind
TRIALS = 4000
FEWEST_EXPECTED = 8
KINDS = {
    "charges": (engine.charge_fight, random_charge),
    "focus fire": (engine.focus_fight, random_focus_fire),
    "duels": (engine.duel_fight, random_duel),
}


def chi_square(counts, law):
    """The p-value of a sample of a law, rare endings taken together; None where only one ending is common."""
    trials = sum(counts.values())
    assert all(law.get(ending, 0.0) > 1e-15 for ending in counts), "an ending that cannot be"
    common = [ending for ending, chance in law.items() if chance * trials >= FEWEST_EXPECTED]
    found = [counts.get(ending, 0) for ending in common]
    expected = [law[ending] * trials for ending in common]
    found.append(trials - sum(found))
    expected.append(trials - sum(expected))
    if expected[-1] < FEWEST_EXPECTED and len(expected) > 1:
        found[-2:], expected[-2:] = [sum(found[-2:])], [sum(expected[-2:])]
    return stats.chisquare(found, expected).pvalue if len(found) > 1 else None


def p_values(kind, seed):
    """Of as many random fights, the p-values at the end, every card from a full deck."""
    fight_of, make = KINDS[kind]
    found = []
    for number, scenario in enumerate(random_fights(make, seed, FIGHTS)):
        fight = fight_of(scenario)
        law = engine.laws_of(fight, scenario)[-1]
        sample = engine.samples_of(fight, scenario, TRIALS, seed=number, replacement=True)[-1]
        found.append(chi_square(sample, law))
    return [p for p in found if p is not None]


@pytest.fixture(scope="module", params=KINDS)
def p_values_of_kind(request):
    return p_values(request.param, 11)


def test_no_fight_is_far_from_its_exact_law(p_values_of_kind):
    assert len(p_values_of_kind) > FIGHTS // 2
    assert min(p_values_of_kind) > 0.05 / len(p_values_of_kind) / 50


def test_p_values_are_spread_evenly(p_values_of_kind):
    assert stats.kstest(p_values_of_kind, "uniform").pvalue > 1e-3


# --- cards that do not go back ----------------------------------------------------------------------------

SQUAD = {
    "type": "infantry", "category": "light", "models": 3, "defence": 1, "damage_limit": 1, "discipline": 5,
    "break_limit": 0, "rules": [], "formation": "close",
}  # fmt: skip
FEW_CARDS = {"1": 1, "12": 1}
DIE = {"heroic": 1, "strike": 2, "glancing": 1, "miss": 1, "blank": 1}
FOCUS = {
    "attacks": [{"attack": {"dice": 1, "rating": "weakened"}} for _ in range(4)],
    "target": {"models": 4, "defence": 1, "damage_limit": 1, "discipline": 5, "break_limit": 0},
    "ruleset": {"die": DIE, "deck": FEW_CARDS},
}
ROW = {
    "kind": "ranged", "against": ["light", "heavy"], "long_range": 24, "qualities": [],
    "bands": [{"first": number, "last": number, "dice": 1} for number in (1, 2, 3)],
}  # fmt: skip
DUEL = {
    "a": SQUAD | {"rows": [ROW]}, "b": SQUAD | {"rows": [ROW]}, "policy_a": "shoot", "policy_b": "shoot",
    "rounds": 3, "first": "a", "ruleset": {"die": DIE, "deck": FEW_CARDS},
}  # fmt: skip


def plain_focus_laws(replacement):
    """Of focus fire by the plain reading, in the engines' form."""
    found = []
    for plain in plain_focus_fire.laws(FOCUS | {"replacement": replacement}):
        law = defaultdict(float)
        for target, chance in plain.items():
            fate = engine.fate_read(target.fate)
            alive = (target.models, target.damage, target.suppressed, target.disordered, target.activated, "")
            law[(0, 0, False, False, False, fate) if fate else alive] += float(chance)
        found.append(law)
    return found


def plain_duel_laws(replacement):
    """Of a duel by the plain reading, in the engines' form."""
    found = []
    for plain in plain_duel.laws(DUEL | {"replacement": replacement}):
        law = defaultdict(float)
        for duel, chance in plain.items():
            law[*engine.plain_duellist(duel.a), *engine.plain_duellist(duel.b)] += float(chance)
        found.append(law)
    return found


@pytest.mark.parametrize(
    ("fight", "scenario", "laws"),
    [(engine.focus_fight(FOCUS), FOCUS, plain_focus_laws), (engine.duel_fight(DUEL), DUEL, plain_duel_laws)],
    ids=["focus fire", "duel"],
)
def test_a_real_deck_makes_a_difference_and_the_right_one(fight, scenario, laws):
    trials = 100_000
    drawn, put_back = laws(replacement=False), laws(replacement=True)
    sample = engine.samples_of(fight, scenario, trials, seed=3)
    for counts, law in zip(sample, drawn, strict=True):
        p = chi_square(counts, law)
        assert p is None or p > 1e-4
    apart = sum(abs(drawn[-1][ending] - put_back[-1][ending]) for ending in drawn[-1]) / 2
    assert 0.01 < apart < 0.2
    other_law = {ending: put_back[-1].get(ending, 0.0) for ending in sample[-1]}
    assert chi_square(sample[-1], other_law) < 1e-6


def test_with_replacement_the_plain_laws_are_those_of_the_exact_engine():
    for fight, scenario, laws in (
        (engine.focus_fight(FOCUS), FOCUS, plain_focus_laws),
        (engine.duel_fight(DUEL), DUEL, plain_duel_laws),
    ):
        for ours, plain in zip(engine.laws_of(fight, scenario), laws(replacement=True), strict=True):
            assert ours == pytest.approx(plain, abs=1e-12)


# --- samples ----------------------------------------------------------------------------------------------


def test_a_seed_gives_the_same_counts_on_any_number_of_threads():
    fight = engine.duel_fight(DUEL)
    one, same, three, other = (
        engine.samples_of(fight, DUEL, 50_000, seed=seed, threads=threads)
        for seed, threads in ((5, 1), (5, 1), (5, 3), (6, 1))
    )
    assert one == same == three
    assert one != other


@pytest.mark.parametrize("trials", [1, 999, 50_001])
def test_every_trial_is_counted_once_in_every_snapshot(trials):
    told = []
    samples = engine.samples_of(
        engine.duel_fight(DUEL), DUEL, trials, seed=1, progress=lambda done, aim: told.append((done, aim))
    )
    assert [sum(counts.values()) for counts in samples] == [trials] * DUEL["rounds"]
    assert told[-1] == (trials, trials)
    assert told == sorted(told)


def test_no_card_is_drawn_once_a_unit_is_gone():
    """Then nothing that is left of a fight depends on what is left of a deck."""
    for fight_of, make in KINDS.values():
        for scenario in random_fights(make, 3, 10):
            fight, ruleset = fight_of(scenario), engine.ruleset_of(scenario)
            operations = [operation for each in fight.programs for operation in each]
            die, deck = np.array(ruleset.die.faces, np.int64), ruleset.deck.counts()
            laws = exact_laws(fight.setup, [[each] for each in operations], fight.start, die, deck)
            for operation, law in zip(operations[1:], laws, strict=False):
                for words in pairs_with_a_unit_gone(law):
                    asked, _ = steps.asks(fight.setup, tuple(map(int, operation)), words)
                    assert asked not in (steps.CARD_OF_0, steps.CARD_OF_1)


def pairs_with_a_unit_gone(law):
    """Of the pairs of states that a law gives a chance."""
    for row, column in zip(*np.nonzero(law.chances)):
        words = int(law.first[row]), int(law.second[column])
        if any(unit_state.is_removed(word) for word in words):
            yield words
