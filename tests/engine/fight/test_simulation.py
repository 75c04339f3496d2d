"""The Monte Carlo engine of longer fights: against the exact engine where cards go back, and where they do not."""

import itertools

import pytest
from scipy import stats

from analyser.engine.fight.simulated import random_draw_graph
from analyser.engine.fight.simulated import simulation as played
from analyser.game.ruleset import MOST_COPIES
from tests.helpers.samples import chi_square
from tests.oracle import fights_by_engine as engine
from tests.oracle import random_fights as made

FIGHTS = 10  # of each kind
TRIALS = 4000
KINDS = {
    "charges": (engine.charge_fight, made.random_charge),
    "overcharge": (engine.charge_fight, made.random_overcharge),
    "throws": (engine.charge_fight, made.random_throw),
    "companies": (engine.charge_fight, made.random_company),
    "gunners": (engine.duel_fight, made.random_gunners),
    "furies": (engine.duel_fight, made.random_fury),
    "blasts": (engine.charge_fight, made.random_blast),
    "focus fire": (engine.focus_fight, made.random_focus_fire),
    "dogfights": (engine.focus_fight, made.random_dogfight),
    "duels": (engine.duel_fight, made.random_duel),
    "sieges": (engine.duel_fight, made.random_siege),
    "watches": (engine.duel_fight, made.random_watch),
    "wrecks": (engine.duel_fight, made.random_wreck),
    "fumes": (engine.duel_fight, made.random_fumes),
}


def many_cards(scenario):
    """The fight with so many cards that it hardly matters whether they are put back."""
    deck = engine.ruleset_of(scenario).deck.copies
    times = MOST_COPIES // max(deck.values())
    large = {str(value): copies * times for value, copies in deck.items()}
    return scenario | {"ruleset": scenario.get("ruleset", {}) | {"deck": large}}


def p_values(kind, seed, replacement):
    """Of as many random fights, the p-values at the end, cards put back or not."""
    fight_of, make = KINDS[kind]
    found = []
    for number, scenario in enumerate(made.random_fights(make, seed, FIGHTS)):
        if not replacement:
            scenario = many_cards(scenario)  # noqa: PLW2901 - the same fight
        fight = fight_of(scenario)
        law = engine.laws_of(fight, scenario)[-1]
        sample = engine.samples_of(fight, scenario, TRIALS, seed=number, replacement=replacement)[-1]
        found.append(chi_square(sample, law))
    return [p for p in found if p is not None]


REAL_DECKS = ("charges", "focus fire", "duels")  # of which a day is made; of the other kinds the proof
EVERY_KIND = [
    pytest.param((kind, back), marks=() if back or kind in REAL_DECKS else pytest.mark.proof, id=f"{kind}, {back}")
    for kind in KINDS
    for back in (True, False)
]


@pytest.fixture(scope="module", params=EVERY_KIND)
def p_values_of_kind(request):
    return p_values(request.param[0], 11, replacement=request.param[1])


@pytest.mark.slow
def test_no_fight_is_far_from_its_exact_law(p_values_of_kind):
    assert len(p_values_of_kind) > FIGHTS // 3
    assert min(p_values_of_kind) > 0.05 / len(p_values_of_kind) / 50


@pytest.mark.slow
def test_p_values_are_spread_evenly(p_values_of_kind):
    assert stats.kstest(p_values_of_kind, "uniform").pvalue > 1e-3


FEW_CARDS = {"1": 1, "12": 1}
DIE = {"heroic": 1, "strike": 2, "glancing": 1, "miss": 1, "blank": 1}
TARGET = {"models": 4, "defence": 1, "damage_limit": 1, "discipline": 5, "break_limit": 0, "rules": []}
FOCUS = {"attacks": [{"attack": {"dice": 1, "rating": "weakened"}} for _ in range(4)], "target": TARGET}
FOCUS |= {"ruleset": {"die": DIE, "deck": FEW_CARDS}}
ROW = {"kind": "ranged", "against": ["light", "heavy"], "long_range": 24, "qualities": []}
ROW |= {"bands": [{"first": number, "last": number, "dice": 1} for number in (1, 2, 3)]}
SQUAD = TARGET | {"models": 3, "type": "infantry", "category": "light", "rows": [ROW], "formation": "close"}
DUEL = {"a": SQUAD, "b": SQUAD, "policy_a": "shoot", "policy_b": "shoot", "rounds": 3, "first": "a"}
DUEL |= {"ruleset": {"die": DIE, "deck": FEW_CARDS}}


@pytest.mark.parametrize(
    ("fight", "scenario", "laws"),
    [
        (engine.focus_fight(FOCUS), FOCUS, engine.plain_focus_laws),
        (engine.duel_fight(DUEL), DUEL, engine.plain_duel_laws),
    ],
    ids=["focus fire", "duel"],
)
def test_a_real_deck_makes_a_difference_and_the_right_one(fight, scenario, laws):
    trials = 100_000
    drawn, put_back = (list(laws(scenario | {"replacement": back})) for back in (False, True))
    sample = engine.samples_of(fight, scenario, trials, seed=3)
    for counts, law in zip(sample, drawn, strict=True):
        p = chi_square(counts, law)
        assert p is None or p > 1e-4
    apart = sum(abs(drawn[-1][ending] - put_back[-1][ending]) for ending in drawn[-1]) / 2
    assert 0.01 < apart < 0.2
    other_law = {ending: put_back[-1].get(ending, 0.0) for ending in sample[-1]}
    assert chi_square(sample[-1], other_law) < 1e-6


def random_shootout(rng):
    """A duel in which nobody charges, as the plain reading knows them with a deck that runs out."""
    duel = made.random_plain_duel(rng)
    policies = {f"policy_{side}": duel[f"policy_{side}"].replace("charge", "shoot") for side in "ab"}
    return duel | {name: "overcharge" if policy == "overshoot" else policy for name, policy in policies.items()}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fight_of", "make", "law_of", "count"),
    [
        (engine.focus_fight, made.random_focus_fire, engine.plain_focus_laws, 16),
        (engine.duel_fight, random_shootout, engine.plain_duel_laws, 8),
    ],
    ids=["focus fire", "duels"],
)
def test_small_real_decks_give_the_laws_of_the_plain_readings(fight_of, make, law_of, count):
    found = []
    for number, scenario in enumerate(made.random_fights(make, 23, count)):
        sample = engine.samples_of(fight_of(scenario), scenario, TRIALS, seed=number)[-1]
        *_, law = law_of(scenario | {"replacement": False})
        found.append(chi_square(sample, law))
    found = [p for p in found if p is not None]
    assert len(found) > count // 2
    assert min(found) > 1e-3 / len(found)


def test_a_seed_gives_the_same_counts_on_any_number_of_threads():
    fight = engine.duel_fight(DUEL)
    one, same, three, other = (
        engine.samples_of(fight, DUEL, 50_000, seed=seed, threads=threads)
        for seed, threads in ((5, 1), (5, 1), (5, 3), (6, 1))
    )
    assert one == same == three
    assert one != other


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "replacement"), [("charges", True), ("duels", False)])
def test_a_map_that_is_begun_anew_changes_nothing(kind, replacement, monkeypatch):
    """When there is no room for more nodes, all that nobody needs are forgotten; trials go the same ways."""
    fight_of, make = KINDS[kind]
    asked = itertools.count()
    for scenario in made.random_fights(make, 5, 3):
        fight = fight_of(scenario)
        whole = engine.samples_of(fight, scenario, 1000, seed=2, replacement=replacement)
        with monkeypatch.context() as patch:
            patch.setattr(played.play_trials, "compiling_pays", lambda *_: False)
            patch.setattr(random_draw_graph, "has_room", lambda _: next(asked) % 10 > 0)
            assert engine.samples_of(fight, scenario, 1000, seed=2, replacement=replacement) == whole
    assert next(asked) > 100
