"""A rule that is changed where it is written takes effect in every kind of fight, battles too."""

import json
import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from tests.helpers.changed_rules import TOLD, TRIALS

ROOT = Path(__file__).parents[2]
# Hits of heroic strikes, and others, that a die comes to: a strike; a heroic strike with the die that it adds.
DIE = [(0, 1), (0, 1), (2, 1), (4, 0)]


def share_with_two_points(points):
    """The share of rolls of two dice, half of whose faces are heroic strikes, that come to 2 points of damage."""
    rolls = [(one[0] + two[0], one[1] + two[1]) for one, two in product(DIE, DIE)]
    return sum(points(*roll) >= 2 for roll in rolls) / len(rolls)


USUAL = share_with_two_points(lambda heroic, others: (heroic + others) // 3)
PIERCED = share_with_two_points(lambda heroic, others: heroic // 2 + others // 3)
MORE_THAN_6 = 21 / 36  # by two dice: DISCIPLINE 7 after heavy losses; by a card of 12 every test is failed
CASES = [("piercing", PIERCED, USUAL), ("two-dice", MORE_THAN_6, 1.0)]


@pytest.fixture(scope="module")
def every_seen(tmp_path_factory):
    """The chances of both changes, made in one process that compiles once."""
    kernels = tmp_path_factory.mktemp("kernels")
    environment = os.environ | {"NUMBA_CACHE_DIR": str(kernels), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "tests.helpers.changed_rules"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.proof
@pytest.mark.parametrize(("rule", "chance", "unchanged"), CASES)
def test_a_changed_rule_takes_effect_in_every_kind_of_fight(rule, chance, unchanged, every_seen):
    seen = every_seen[rule]
    kinds = {"attack", "focus", "charge", "duel", "best", "battle"}
    assert {each.split()[0].strip(",") for each in seen} == kinds
    error = {
        "exact": 0.0,
        "simulated": (chance * (1 - chance) / TRIALS) ** 0.5,
        "told": (chance * (1 - chance) / TOLD) ** 0.5,
    }
    assert abs(chance - unchanged) > 20 * error["told"]
    for kind, share in seen.items():
        assert share == pytest.approx(chance, abs=5 * error[kind.split()[-1]] + 1e-12), kind
