"""Comparison with the losses of a duel: worked by hand, and simulated."""

import numpy as np
import pytest

from analyser import api, morale
from analyser.common.errors import InputError
from analyser.common.method_settings import Sampling
from analyser.morale.games.compare import answers
from tests.helpers.skips import proof
from tests.oracle.morale_checks import assert_counts_fit, rows

FATES = ("p_steady", "p_shaken", "p_routed", "p_gone")
OTHERS = ("legion", "grande-tactique", "warmaster", "mordheim")
RIFLES, GRENADIERS = "crown/rifle-p@basic", "imperium/scion-grenadier-p@basic"
SHOOT_OUT = {"a": RIFLES, "b": GRENADIERS}
DIE = {"strike": 1, "blank": 1}
DECK = {str(card): 1 for card in range(1, 13)}
PASSES, FAILS = {"1": 1}, {"12": 1}
HIT = {"strike": 1}


def unit(models, dice, **facts):
    """A unit that loses a model to each hit, rolls a fixed number of dice, and never breaks."""
    row = {"id": "rifles", "name": "Rifles", "kind": "ranged", "against": ["light"], "qualities": []}
    row |= {"short_range": 4, "long_range": 12, "bands": [{"first": 1, "last": 12, "dice": dice}]}
    unit_ = {"type": "infantry", "models": models, "defence": 1, "damage_limit": 1, "discipline": 8}
    return unit_ | {"victory_points": 1, "rows": [row], **facts}


def question(a, b, die=DIE, deck=DECK, **more):
    terms = {"rounds": 2, "first": "b", "policy_a": "take_cover"} | more.pop("duel", {})
    return {"a": a, "b": b, "duel": terms, "ruleset": {"armoured_clash": {"die": die, "deck": deck}}, **more}


def fates(asked, system):
    """P(steady), P(shaken), P(routed), P(gone), round by round."""
    found = rows(morale.exact("compare", asked))
    return [[row[name] for name in FATES] for (_, named), row in found.items() if named == system]


def ready(asked):
    return morale.load_question("compare", asked)


@pytest.mark.parametrize("system", OTHERS)
def test_a_duel_without_chance_equals_a_list_of_losses(system):
    """Two hits in each round on 6 models, and all tests are passed."""
    asked = question(unit(6, 0), unit(3, 2), HIT, PASSES, duel={"rounds": 3, "policy_a": "shoot"}, nerve=2 / 3)
    asked["a"]["rows"][0]["bands"][0]["dice"] = 1
    listed = {"models": 6, "losses": [2, 2, 2], "rounds": 3, "nerve": 2 / 3}
    asked["b"]["models"] = 12  # is never destroyed
    assert fates(asked, system) == [pytest.approx(row, abs=1e-12) for row in fates(listed, system)]


def test_a_broken_unit_has_no_further_losses():
    """It breaks with 2 of 4 models left, which the other systems do not lose (AC-5.4)."""
    asked = question(unit(4, 1, break_limit=3), unit(4, 2), HIT, FAILS, duel={"rounds": 3})
    stream = answers.losses_of_duel(ready(asked), Sampling())
    assert stream.paths.numbers.tolist() == [[2, 0, 0]]
    assert fates(asked, "armoured-clash") == [[0, 0, 0, 1]] * 3
    assert fates(asked, "warmaster") == [pytest.approx([25 / 36, 11 / 36, 0, 0]), *[[1, 0, 0, 0]] * 2]


def test_losses_of_different_rounds_are_dependent():
    """The only model falls in round 1, 2 or 3 with probability 1/2, 1/4 and 1/8."""
    asked = question(unit(1, 1), unit(1, 1), duel={"rounds": 3})
    paths = answers.losses_of_duel(ready(asked), Sampling()).paths
    by_path = {tuple(numbers): weight for numbers, weight in zip(paths.numbers.tolist(), paths.weights.tolist())}
    assert by_path == {(0, 0, 0): 1 / 8, (1, 0, 0): 1 / 2, (0, 1, 0): 1 / 4, (0, 0, 1): 1 / 8}


COIN_FIGHT = question(
    unit(6, 2), unit(3, 3), duel={"rounds": 2, "first": "random", "policy_a": "shoot"}, edge_distance=6.0
)


@pytest.mark.parametrize("side", ["a", "b"])
def test_fates_agree_with_the_duel(side):
    """The duel ends with an annihilation; in the comparison, later rounds change nothing (AC-9.2)."""
    stream = answers.losses_of_duel(ready(SHOOT_OUT | {"side": side}), Sampling())
    for weights, endings in zip(stream.fates, api.duel(RIFLES, GRENADIERS).moments):
        words = endings.first if side == "a" else endings.second
        assert weights == pytest.approx(np.bincount(answers.fates_of(words), endings.weights, len(FATES)), abs=1e-12)


def rolled(asked, trials, seed, threads=1):
    return answers.weights(ready(asked), Sampling("monte-carlo", trials, seed, threads=threads))


@pytest.mark.parametrize("seed", [1, *proof(2)])
@pytest.mark.parametrize("asked", [COIN_FIGHT, SHOOT_OUT | {"side": "b", "duel": {"rounds": 3}}])
def test_simulations_agree_with_the_exact_distributions(asked, seed):
    trials = 60_000
    exact, sample = answers.weights(ready(asked), Sampling()), rolled(asked, trials, seed)
    for system, laws in exact.items():
        assert np.isin(sample[system].states, laws.states).all()
        size = int(laws.states.max()) + 1
        for law, counts in zip(laws.dense_weights(size), sample[system].dense_weights(size)):
            assert_counts_fit(counts, law, trials)


def test_the_seed_determines_the_counts():
    counts = [rolled(COIN_FIGHT, 30_000, 5, threads) for threads in (1, 2, 3)]
    for other in counts[1:]:
        assert all((other[name].weights == counts[0][name].weights).all() for name in other)
    another = rolled(COIN_FIGHT, 30_000, 6)
    assert any((another[name].weights != counts[0][name].weights).any() for name in another)


@pytest.mark.parametrize("limit", ["MOST_PATHS", "MOST_STATES", "MOST_ENTRIES"])
def test_a_duel_with_too_many_paths_is_refused(monkeypatch, limit):
    monkeypatch.setattr(answers, limit, 10)
    with pytest.raises(InputError, match="fewer rounds or models; or --method monte-carlo"):
        morale.exact("compare", SHOOT_OUT)
    assert morale.simulate("compare", SHOOT_OUT | {"duel": {"rounds": 2}}, 1000).trials == 1000
