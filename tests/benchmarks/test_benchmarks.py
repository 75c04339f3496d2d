"""What the engines are measured against plays the same attack."""

import json

import numpy as np
import pytest
from scipy import stats

import analyser
from benchmarks import baselines as base
from benchmarks.__main__ import LATEST, PAGE, page
from benchmarks.baselines import numpy_tuned, numpy_vectorised, pure_python
from benchmarks.fights import TARGET, fight
from tests.helpers.skips import proof

FEWEST_EXPECTED = 10
TRIALS = {pure_python: 20_000}
MANY = 200_000


def law_of_ends(dice):
    """The exact law in the form of the baselines: models destroyed by fate."""
    result = analyser.exact(fight(dice))
    suppressed, broken = result.column("suppressed"), result.column("broken")
    fate = np.where(broken, base.BROKEN, np.where(suppressed, base.SUPPRESSED, base.STANDS))
    law = np.zeros((base.MODELS + 1, base.FATES))
    np.add.at(law, (result.column("models_destroyed"), fate), result.weights)
    return law


def test_baselines_face_the_same_target():
    assert {name: getattr(base, name.upper()) for name in TARGET} == TARGET


@pytest.mark.slow
@pytest.mark.parametrize("dice", [10, *proof(3, 24)])
@pytest.mark.parametrize(
    "baseline",
    [pure_python, numpy_vectorised, *proof(numpy_tuned)],
    ids=lambda module: module.__name__.rsplit(".", 1)[-1],
)
def test_baselines_play_the_plain_attack(baseline, dice):
    trials = TRIALS.get(baseline, MANY)
    found, expected = np.asarray(baseline.play(dice, trials, 1)).ravel(), law_of_ends(dice).ravel() * trials
    assert found.sum() == trials
    assert not found[expected == 0].any()
    common = expected >= FEWEST_EXPECTED
    found = np.append(found[common], found[~common].sum())
    expected = np.append(expected[common], expected[~common].sum())
    some = expected > 0
    assert stats.chisquare(found[some], expected[some]).pvalue > 1e-3


@pytest.mark.parametrize("dice", [1, 24])
@pytest.mark.parametrize("peer", ["icepool", *proof("dyce", "warhammer_stats")])
def test_peers_find_the_law_of_hits(peer, dice):
    module = __import__(f"benchmarks.peers.{peer}_hits", fromlist=["law_of_hits"])
    wanted = analyser.exact(fight(dice)).hits_weights
    assert np.allclose(module.law_of_hits(dice), wanted, rtol=0, atol=1e-12)


def test_the_page_on_performance_comes_from_the_results():
    assert PAGE.read_text(encoding="utf-8") == page(json.loads(LATEST.read_text()))
