"""The assignment of attacks: against every assignment there is, and against the focus fire of the engine."""

from functools import cache
from itertools import product

import numpy as np
import pytest

import analyser
from analyser.analysis import assignment
from analyser.analysis.army_loadouts import army_loadouts
from analyser.analysis.assignment import TargetKind, assign, distribution_after
from analyser.analysis.best_volleys import AIMS, best_volleys
from analyser.analysis.matchups import matchups
from analyser.analysis.situations import SHORT_RANGE_AIMED
from analyser.game.profiles import Profiles
from analyser.results import states

MINE = ["2 x crown/rifle-platoon@basic", "crown/drake-field-guns@basic", "crown/glamis-mobile-guns@basic"]
YOURS = ["imperium/scion-grenadier-platoon@basic", "2 x imperium/krupp-field-guns@basic"]


def chance_matrix(rng, n_states):
    """Transitions that never go back."""
    matrix = np.zeros((n_states, n_states))
    for state in range(n_states):
        matrix[state, state:] = rng.dirichlet(np.full(n_states - state, 0.5))
    return matrix


def random_question(seed):
    """Attackers by kind, and targets; some attack only some of them."""
    rng = np.random.default_rng(seed)
    counts = [int(rng.integers(1, 3)) for _ in range(rng.integers(1, 4))]
    foes = []
    for _ in range(rng.integers(1, 3)):
        n_states = int(rng.integers(2, 6))
        matrices = {kind: chance_matrix(rng, n_states) for kind in range(len(counts)) if rng.random() < 0.85}
        worth = np.sort(rng.uniform(0, 100, n_states))
        worth[0] = 0
        if seed % 2:
            worth[1:-1] *= 0.1  # nearly all is won with the last state, so that attacks are worth more together
        foes.append(TargetKind(int(rng.integers(1, 3)), matrices, worth))
    return counts, foes


def best_of_all(counts, foes):
    """The value of the best of all assignments, tried one by one."""
    attackers = [kind for kind, count in enumerate(counts) for _ in range(count)]
    targets = [foe for foe in foes for _ in range(foe.n_targets)]
    best = 0.0
    for places in product(range(-1, len(targets)), repeat=len(attackers)):
        value = 0.0
        for place, foe in enumerate(targets):
            mine = [kind for kind, at in zip(attackers, places) if at == place]
            if any(kind not in foe.matrices for kind in mine):
                break
            law = np.eye(len(foe.value_by_state))[0]
            for kind in mine:
                law = law @ foe.matrices[kind]
            value += law @ foe.value_by_state
        else:
            best = max(best, value)
    return best


@pytest.mark.parametrize("seed", range(40))
def test_it_is_the_best_of_all_assignments(seed):
    counts, foes = random_question(seed)
    found = assign(counts, foes)
    assert found.value == pytest.approx(best_of_all(counts, foes), abs=1e-7)
    assert found.gap == 0
    assert found.bound >= found.value
    used = np.sum([each.attacks for each in found.volleys], axis=0) if found.volleys else np.zeros(len(counts))
    assert (used <= counts).all()
    assert sum(
        distribution_after(foes[each.target], each.attacks) @ foes[each.target].value_by_state for each in found.volleys
    ) == pytest.approx(found.value)
    for place, foe in enumerate(foes):
        assert sum(each.target == place for each in found.volleys) <= foe.n_targets


@pytest.mark.parametrize("seed", range(12))
def test_a_search_cut_short_still_proves_what_it_says(seed, monkeypatch):
    monkeypatch.setattr(assignment, "MOST_NODES", 3)
    counts, foes = random_question(seed)
    found = assign(counts, foes)
    best = best_of_all(counts, foes)
    assert found.value <= best + 1e-7
    assert best <= found.bound + 1e-7


def test_nobody_who_adds_nothing_attacks():
    certain = np.array([[0.0, 1.0], [0.0, 1.0]])
    found = assign([3], [TargetKind(1, {0: certain}, np.array([0.0, 5.0]))])
    assert [each.attacks for each in found.volleys] == [(1,)]


@pytest.fixture(scope="module")
def armies():
    library = Profiles()
    mine, yours = army_loadouts(MINE, library, "mine"), army_loadouts(YOURS, library, "yours")
    frame = matchups(mine.loadouts, yours.loadouts, situations=[SHORT_RANGE_AIMED], profiles=library).frame
    return mine, yours, frame, library.ruleset


@cache
def focus_on(target, shots):
    """The same attacks by the engine of focus fire."""
    attacks = []
    for shot in shots:
        short = analyser.load_profiles().loadout(shot.attacker).unit.row(shot.row).short_range is not None
        bonuses = ["aiming", *(["short_range"] if short else [])]
        attacks += [{"attacker": shot.attacker, "row": shot.row, "bonuses": bonuses}] * shot.units
    return analyser.exact({"attacks": attacks, "target": {"unit": target, "from_front": True}}, kind="focus")


@pytest.mark.parametrize("aim", AIMS)
def test_volleys_are_what_focus_fire_says(armies, aim):
    mine, yours, frame, ruleset = armies
    found = best_volleys(mine, yours, frame, SHORT_RANGE_AIMED, ruleset, aim)
    assert found.gap == 0
    for each in (*found.volley_results, *found.all_on_one):
        answer = focus_on(each.target, each.shots)
        assert each.p_annihilated == pytest.approx(float(answer.probability("annihilated")), abs=1e-12)
        assert each.mean_models_destroyed == pytest.approx(answer.mean("models_destroyed"), abs=1e-12)
        target = next(kind for kind in yours.loadouts if kind.selector == each.target)
        _, standing, weights = answer.moments[-1]
        lost = float(weights @ states.share_lost(standing, target.level.models, target.unit.damage_limit))
        assert each.share_lost == pytest.approx(lost, abs=1e-12)
        worth = {
            "points": target.level.points * lost,
            "annihilated": each.p_annihilated,
            "victory-points": each.p_annihilated * target.level.victory_points,
        }[aim]
        assert each.value == pytest.approx(worth, abs=1e-9)
