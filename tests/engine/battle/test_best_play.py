"""Sides that look ahead, in small battles against an exhaustive search of best play."""

import random
import re
from pathlib import Path

import numpy as np
import pytest

from analyser.engine.battle.battle_data import MOST_UNITS
from analyser.rules.policies import Manoeuvre
from tests.helpers.looking_ahead import battle_of, chosen_by, copy_into, number_of, plan_of
from tests.oracle.plain_battle_best import STEP, Line
from tests.oracle.plain_battle_chooser import Chooser
from tests.oracle.plain_battle_field import Plan, Row, Side, Unit

ROUNDS = 3
WITHIN = 3.0  # points in 100 that looking ahead may lose against best play, on average
BATTLES = 24


def random_unit(rng, name):
    """Two models that shoot, and perhaps strike."""
    dice = [rng.randint(1, 3), rng.randint(2, 4)]
    rows = [Row("light", ((1, 1, dice[0]), (2, 2, dice[1])), rng.choice((None, 6)), rng.choice((9, 12, 15)))]
    if rng.random() < 0.5:
        rows.append(Row("melee", ((1, 1, rng.randint(1, 3)), (2, 2, rng.randint(2, 5)))))
    worth = {"points": rng.choice((50, 100)), "vpr": rng.randint(1, 3), "speed": rng.choice((3, 6))}
    return Unit(name, 2, rng.randint(1, 2), tuple(rows), **worth, discipline=None)


def random_line(rng, units, places):
    """A plan of so many units a side on a line of so many places, and their starts."""
    sides = [Side(tuple(random_unit(rng, f"{name}{number}") for number in range(units))) for name in "ab"]
    table = STEP * (places - 1)
    return Plan(*sides, rounds=ROUNDS, table=table, gap=table // 2 // STEP * STEP // 2 * 2, width=0, hand_limit=0)


class Game:
    def __init__(self, plan, places, first):
        self.plan, self.battle = plan, battle_of(plan, ("balanced", "balanced"))
        self.battle.setup.watches[:] = 0
        units = [None] * 4
        for side, army in enumerate((plan.a, plan.b)):
            units[2 * side : 2 * side + len(army.units)] = army.units
        back = int((plan.table - plan.gap) / 2) // STEP
        starts = tuple(
            0 if unit is None else back if number < 2 else places - 1 - back for number, unit in enumerate(units)
        )
        self.line = Line(units, places, starts, plan.rounds, first)

    def play(self, rng, ahead):
        """Play one battle, side `ahead` by the engine and the other one best; what the engine has lost by that."""
        line, lost, chooser = self.line, 0.0, Chooser(self.plan, None, 1)
        places, left = line.starts, tuple(unit.models if unit else 0 for unit in line.units)
        for number in range(1, self.plan.rounds + 1):
            acted, side = (0,) * len(line.there), (line.first + number - 1) % 2
            while line.ready(acted, 0, left) or line.ready(acted, 1, left):
                if line.ready(acted, side, left):
                    if side == ahead:
                        unit, option = self.chosen(chooser, number, acted, side, places, left)
                        sign = 1 if side == 0 else -1
                        value = line.value(number, acted, side, places, left)
                        loss = sign * (value - line.worth(number, acted, unit, option, places, left))
                        assert loss > -1e-4, (unit, option, places, left)
                        lost += loss
                    else:
                        unit, option = line.best(number, acted, side, places, left)
                    chances, there, after = zip(*line.outcomes(unit, option, places, left))
                    pick = rng.choices(range(len(chances)), chances)[0]
                    places, left = there[pick], after[pick]
                    acted = tuple(1 if other == unit else done for other, done in zip(line.there, acted))
                side = 1 - side
            if line.is_over(left):
                break
        return lost

    def chosen(self, chooser, number, acted, side, places, left):
        """The unit and the option that the engine chooses, in the words of the search."""
        for unit, done in zip(self.line.there, acted):
            piece = chooser.pieces[unit // 2][unit % 2]
            piece.x, piece.y = 0, 100 * STEP * places[unit]
            piece.models, piece.activated = max(left[unit], 1), bool(done)
            piece.place = "field" if left[unit] else "gone"
        copy_into(self.battle, chooser, number)
        engine = chosen_by(self.battle, side)
        unit = engine // MOST_UNITS * 2 + engine % MOST_UNITS
        piece = chooser.pieces[unit // 2][unit % 2]
        assert number_of(piece) == engine
        manoeuvre, _, foe, row, length = plan_of(self.battle, chooser, piece)
        target = None if foe is None else 2 * foe.side + foe.number
        place = places[unit]
        if manoeuvre == Manoeuvre.CHARGE.name:
            return unit, (places[target], target, "charge")
        steps = abs(int(length)) // (100 * STEP)
        if length > 0:
            place += steps if places[target] > place else -steps
        elif length < 0:
            place = self.line.back(unit, place, steps)
        if row is None:
            return unit, (place, None, "move")
        return unit, (place, target, "aim" if manoeuvre == Manoeuvre.AIM.name else "shoot")


def gaps(seed, units, places, trials):
    """How much looking ahead loses against best play, in points of 100, of each side; sides begin in turn."""
    rng = random.Random(seed)
    game = Game(random_line(rng, units, places), places, seed % 2)
    for ahead in (0, 1):
        yield 100 * np.mean([game.play(rng, ahead) for _ in range(trials)])


@pytest.mark.slow
def test_looking_ahead_is_near_best_play_in_duels():
    found = [np.mean(list(gaps(seed, 1, 7, 20))) for seed in range(4)]
    assert np.mean(found) < WITHIN, found


@pytest.mark.proof
@pytest.mark.slow
def test_what_looking_ahead_loses_in_small_battles_is_what_the_page_says():
    found = [np.mean(list(gaps(seed, 2, 7, 12))) for seed in range(BATTLES)]
    stated = re.search(r"loses\s+(\d+)\s+percentage\s+points", Path("docs/battle.md").read_text(encoding="utf-8"))
    assert stated is not None
    assert abs(np.mean(found) - int(stated[1])) < 0.5, found
