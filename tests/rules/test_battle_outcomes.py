"""Who wins a battle, by the victory points of both sides (AC-9.4)."""

from itertools import product

from analyser.rules.battle import Outcome, outcome_of


def test_a_victory_is_devastating_from_twice_the_points_of_the_enemy():
    for mine, theirs in product(range(9), repeat=2):
        found = Outcome(outcome_of(mine, theirs)), Outcome(outcome_of(theirs, mine))
        if mine > theirs and mine >= 2 * theirs:
            assert found == (Outcome.DEVASTATING_VICTORY, Outcome.DEVASTATING_DEFEAT)
        elif mine > theirs:
            assert found == (Outcome.VICTORY, Outcome.DEFEAT)
        elif mine == theirs:
            assert found == (Outcome.DRAW, Outcome.DRAW)
