"""That best play loses nothing where it is not asked whether to fail a test on purpose (AC-5.1).

Who failed a single test on purpose, and played best before and after, would come to the situation after the failure
instead of both by chance. If none of these is better for its unit than the one after a pass, no such choice gains
anything, nor do several of them (backward induction). It is asked of attacks and lost combats with a distance, and of
who runs amok.
"""

import random

import numpy as np
import pytest

from analyser import InputError, load_profiles
from analyser.engine.fight import operations
from analyser.engine.fight.best.game import FIRST, TEST
from analyser.engine.fight.program import Kind
from analyser.results.play import play_of
from analyser.rules import close_quarters, discipline
from analyser.rules.structs import NONE
from analyser.scenarios.duel import DuelScenario
from analyser.scenarios.load import load_as

SAME = 1e-12
FEW = 3  # models of a side


def some_plays(seed, count, distances):
    """Plays of shipped units, a few models each; A plays best."""
    units = [each for each in load_profiles().matching("*/*@basic") if each.unit.type != "aircraft"]
    rng, found = random.Random(seed), []
    while len(found) < count:
        sides = [{"unit": each.selector, "models": min(FEW, each.level.models)} for each in rng.sample(units, 2)]
        distance = rng.choice(distances)
        terms = {"policy_a": "best", "policy_b": rng.choice(["best", "best", "shoot", "take_cover"])}
        terms |= {"want": rng.choice(["win", "margin", "points", "survival"]), "rounds": rng.choice([2, 4])}
        terms |= {} if distance is None else {"distance": distance}
        try:
            found.append(play_of(load_as(DuelScenario, {"duel": terms, "a": sides[0], "b": sides[1]})))
        except InputError:  # B cannot shoot
            continue
    return found


def with_tests(play):
    """The nodes of tests that can go both ways, and that who plays best is not asked to fail; with their side."""
    game, edges = play.game, play.game.edges
    asked = any(place.subject == TEST for place in play.places)
    for place in range(1, len(edges.choosers)):
        kind, side, _ = game.rules.operations[game.rules.places[place, FIRST]].tolist()
        if edges.choosers[place] != NONE or kind not in (Kind.BEGIN, Kind.RESOLVE) or (asked and kind == Kind.RESOLVE):
            continue
        nodes = game.nodes_of(place)
        for node in range(nodes.start, nodes.stop):
            if edges.begins[node + 1] - edges.begins[node] == 2:
                tested = side if kind == Kind.BEGIN else loser(play, side, node)
                if play.choosers[tested] and not play.shooters[tested].mine.has("Run Amok"):
                    yield place, node, tested


def loser(play, active, node):
    """The side that has lost the combat of the active one."""
    pair = int(play.game.first[node]), int(play.game.second[node])
    won_by = operations.result_of_combat(play.setup, active, pair)
    return 1 - active if won_by == close_quarters.ACTIVE else active


def gains_of_failing(play):
    """What each such test is worth less to its unit passed than failed."""
    game, edges, values, gains = play.game, play.game.edges, play.solved[1], []
    for place, node, side in with_tests(play):
        sign, begin = 1 if side == play.wanter else -1, edges.begins[node]
        to = edges.to[begin : begin + 2]  # passed, failed
        for number in range(game.rounds):
            if node < edges.bounds[place, number + 1]:
                after = np.where(to < game.starts, values[number + 1, to], values[number, to])
                gains.append(sign * (after[1] - after[0]))
    return gains


def gains_of_being_suppressed(play):
    """What each situation is worth more to a unit than the one that is the same but that it is not suppressed."""
    game, values, gains = play.game, play.solved[1], []
    keys = zip(game.places.tolist(), game.first.tolist(), game.second.tolist())
    known = {key: node for node, key in enumerate(keys)}
    for (place, first, second), node in known.items():
        for side, flags in enumerate([(discipline.SUPPRESSED, 0), (0, discipline.SUPPRESSED)]):
            if not play.choosers[side]:
                continue
            other = known.get((place, first & ~flags[0], second & ~flags[1]), node)
            sign = 1 if side == play.wanter else -1
            for number in range(game.rounds):
                if other != node and max(node, other) < game.edges.bounds[place, number + 1]:
                    gains.append(sign * (values[number, node] - values[number, other]))
    return gains


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_no_test_that_is_not_asked_for_is_better_failed(seed):
    gains = [gain for play in some_plays(seed, 6, [None, 9, 18]) for gain in gains_of_failing(play)]
    assert len(gains) > 1000
    assert max(gains) < SAME
    assert min(gains) < -0.01


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_without_a_distance_nobody_is_better_off_suppressed(seed):
    plays = [play for play in some_plays(seed, 6, [None]) if all(place.subject != TEST for place in play.places)]
    gains = [gain for play in plays for gain in gains_of_being_suppressed(play)]
    assert len(gains) > 1000
    assert max(gains) < SAME
    assert min(gains) < -0.01
