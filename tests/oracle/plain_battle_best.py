"""Best play of small battles by exhaustive search: backward induction over every state, on a line of places.

Written from the rules and the page of battles alone. Units stand on places 3 inches apart on one line; they have no
DISCIPLINE and no special rule, so that dice alone decide, and nobody goes on lookout. Hands are empty: the initiative
changes sides every round. A side may activate any ready unit, which stays and aims, or moves as far as its SPEED and
shoots, or twice as far without, or charges; units do not block each other. It maximises the probability of victory,
half of a draw counting as won.
"""

from functools import reduce
from itertools import product

import numpy as np

from tests.oracle.plain_blows import Blow, Body, blow_law, rating_of

STEP = 3  # inches from one place to the next, and of a withdrawal
GROUND = 5
ELSEWHERE = -1


class Line:
    """A battle on a line: two units a side at most, numbered 0 to 3; the first two are of side 0.

    `units` are those of the plain field, None where there is none. A state is (places, models, acted).
    """

    def __init__(self, units, places, starts, rounds, first):
        self.units, self.places, self.starts, self.rounds, self.first = units, places, starts, rounds, first
        self.there = [number for number, unit in enumerate(units) if unit]
        self.shape = (
            *([places if unit else 1 for unit in units]),
            *([unit.models + 1 if unit else 1 for unit in units]),
        )
        grid = np.indices(self.shape, dtype=np.int16, sparse=True)
        self.at, self.left = grid[:4], grid[4:]
        self.values = {}
        end = self._end_of_battle()
        for number in range(rounds, 0, -1):
            end = self._solve_round(number, end)

    # --- the rules -----------------------------------------------------------------------------------------

    def sides(self, number):
        """The enemies of a unit."""
        return [other for other in self.there if other // 2 != number // 2]

    def row(self, number, *kinds):
        return next((row for row in self.units[number].rows if row.kind in kinds), None)

    def losses(self, number, foe, left, foes_left, kind, rating):
        """The distribution of the models that a unit destroys."""
        row = self.row(number, *(("melee",) if kind == "melee" else ("light",)))
        dice = next((values[0] for low, high, *values in row.bands if low <= left <= high), 0)
        law = blow_law(Blow(dice, rating, self.units[foe].defence), Body(foes_left, 0, 1))
        return [(foes_left - body.models, float(chance)) for body, chance in law.pairs]

    def band(self, number, length):
        """0 for a shot at short range, 1 at long range, None out of range."""
        row = self.row(number, "light")
        if row is None or STEP * length > row.long:
            return None
        return 0 if row.short is not None and STEP * length <= row.short else 1

    def steps(self, number):
        return int(self.units[number].speed) // STEP

    def rating(self, band, aims):
        return rating_of(aims + (band == 0), 0)

    def charge_outcomes(self, number, foe, places, left):
        """The outcomes of a charge: (probability, places, models), after AC-8.2 to AC-8.5."""
        places, left = list(places), list(left)
        places[number] = places[foe]

        def near(side, but):
            return any(
                places[other] == places[foe] and left[other] and other != but
                for other in self.there
                if other // 2 == side
            )

        shift = near(number // 2, number) - near(foe // 2, foe)
        for dealt, chance in self.losses(number, foe, left[number], left[foe], "melee", rating_of(shift, 0)):
            foes_left = left[foe] - dealt
            strikes_back = [(0, 1.0)]
            if foes_left and self.row(foe, "melee"):
                strikes_back = self.losses(foe, number, foes_left, left[number], "melee", rating_of(-shift, 0))
            for suffered, then in strikes_back:
                after, there = list(left), list(places)
                after[foe], after[number] = foes_left, left[number] - suffered
                loser = foe if dealt > suffered else number  # a stalemate drives back the active unit
                if after[number] and after[foe]:
                    there[loser] = self.back(loser, there[loser], 1)
                yield chance * then, tuple(there), tuple(after)

    def back(self, number, place, steps):
        return max(place - steps, 0) if number < 2 else min(place + steps, self.places - 1)

    def points(self, left):
        """Victory points of both sides by the models left; each unit is worth its rating."""
        scores = [0, 0]
        for number in self.there:
            scores[1 - number // 2] = scores[1 - number // 2] + np.where(left[number] == 0, self.units[number].vpr, 0)
        for side in (0, 1):
            scores[1 - side] = scores[1 - side] + np.where(self.empty(left, side), GROUND, 0)
        return scores

    def empty(self, left, side):
        """Whether a side has nobody left."""
        return reduce(np.logical_and, [left[number] == 0 for number in self.there if number // 2 == side])

    def is_over(self, left):
        return np.logical_or(self.empty(left, 0), self.empty(left, 1))

    # --- every state at once -------------------------------------------------------------------------------

    def _end_of_battle(self):
        mine, theirs = self.points(self.left)
        won = np.where(mine > theirs, 1.0, np.where(mine == theirs, 0.5, 0.0))
        return np.broadcast_to(won, self.shape).astype(np.float32)

    def _solve_round(self, number, after):
        """Set the values of a round by the units that have acted and the side to act; `after`: those at its end."""
        holder = (self.first + number - 1) % 2
        end = np.where(self.is_over(self.left), self._end_of_battle(), after)
        for acted in sorted(product((0, 1), repeat=len(self.there)), key=lambda each: -sum(each)):
            done = dict(zip(self.there, acted))
            can = [self._some_ready(done, side) for side in (0, 1)]
            acts = [self._best(number, done, side) for side in (0, 1)]
            for side in (0, 1):
                value = np.where(can[side], acts[side], np.where(can[1 - side], acts[1 - side], end))
                self.values[number, acted, side] = value.astype(np.float32)
        return self.values[number, (0,) * len(self.there), holder]

    def _some_ready(self, done, side):
        ready = [self.left[unit] > 0 for unit in self.there if unit // 2 == side and not done[unit]]
        return reduce(np.logical_or, ready) if ready else np.False_

    def _best(self, number, done, side):
        sign, best = (1 if side == 0 else -1), np.full(self.shape, -np.inf, np.float32)
        for unit in self.there:
            if unit // 2 == side and not done[unit]:
                acted = tuple(1 if other == unit else done[other] for other in self.there)
                then = sign * self.values[number, acted, 1 - side]
                value = np.where(self.left[unit] > 0, self._options(unit, then), -np.inf)
                best = np.maximum(best, value)
        return sign * best

    def _options(self, unit, then):
        shots = [self._shot(unit, foe, then, aims=False) for foe in self.sides(unit)]
        slow = reduce(np.maximum, [then, *shots])
        steps = self.steps(unit)
        best = reduce(np.maximum, [then, *(self._shot(unit, foe, then, aims=True) for foe in self.sides(unit))])
        best = np.maximum(best, self._furthest(unit, slow, steps))
        best = np.maximum(best, self._furthest(unit, then, 2 * steps))
        for foe in self.sides(unit):
            if self.row(unit, "melee"):
                best = np.maximum(best, self._charge(unit, foe, then))
        return best

    def _furthest(self, unit, value, steps):
        """The best of all places up to so many steps away, but for the present one."""
        best = np.full(self.shape, -np.inf, np.float32)
        for step in range(1, steps + 1):
            here, there = [slice(None)] * 8, [slice(None)] * 8
            here[unit], there[unit] = slice(None, -step), slice(step, None)
            if step < self.places:
                best[tuple(here)] = np.maximum(best[tuple(here)], value[tuple(there)])
                best[tuple(there)] = np.maximum(best[tuple(there)], value[tuple(here)])
        return best

    def _shot(self, unit, foe, then, *, aims):
        result = np.full(self.shape, -np.inf, np.float32)
        lengths = np.abs(self.at[unit] - self.at[foe])
        for left in range(1, self.units[unit].models + 1):
            for foes_left in range(1, self.units[foe].models + 1):
                for band in (0, 1):
                    near = np.array([self.band(unit, length) == band for length in range(self.places)])
                    if not near.any():
                        continue
                    value = 0.0
                    for lost, chance in self.losses(unit, foe, left, foes_left, "light", self.rating(band, aims)):
                        value = value + chance * self._with(then, {unit: left, foe: foes_left - lost})
                    cells = self._cells({unit: left, foe: foes_left})
                    there = np.broadcast_to(near[lengths], self._shape({unit: 1, foe: 1}))
                    result[cells] = np.where(there, value, result[cells])
        return result

    def _cells(self, left):
        index = [slice(None)] * 8
        for unit, models in left.items():
            index[4 + unit] = slice(models, models + 1)
        return tuple(index)

    def _with(self, then, left):
        return then[self._cells(left)]

    def _shape(self, left):
        return tuple(1 if axis - 4 in left else size for axis, size in enumerate(self.shape))

    def _charge(self, unit, foe, then):
        result = np.full(self.shape, -np.inf, np.float32)
        others = [other for other in self.there if other not in (unit, foe)]
        reach = 2 * self.steps(unit)
        for place in range(self.places):
            near = {other: np.reshape(np.arange(self.places) == place, self._along(other)) for other in others}
            for models in product(*(range(self.units[other].models + 1) for other in self.there)):
                left = [0] * 4
                for other, count in zip(self.there, models):
                    left[other] = count
                if not (left[unit] and left[foe]):
                    continue
                cells = [slice(None)] * 4 + left
                cells[foe], cells[unit] = slice(place, place + 1), slice(max(place - reach, 0), place + reach + 1)
                for beside in product((False, True), repeat=len(others)):  # which of the others stand there too
                    places = [ELSEWHERE] * 4
                    places[foe] = places[unit] = place
                    there = np.True_
                    for other, is_beside in zip(others, beside):
                        places[other] = place if is_beside else ELSEWHERE
                        there = there & (near[other] == is_beside)
                    value = 0.0
                    for chance, after_places, after in self.charge_outcomes(unit, foe, places, left):
                        then_cells = [slice(None)] * 4 + list(after)
                        for moved in (unit, foe):
                            then_cells[moved] = slice(after_places[moved], after_places[moved] + 1)
                        value = value + chance * then[tuple(then_cells)]
                    result[tuple(cells)] = np.where(there, value, result[tuple(cells)])
        return result

    def _along(self, axis):
        return tuple(self.places if each == axis else 1 for each in range(4))

    # --- one state -----------------------------------------------------------------------------------------

    def value(self, number, acted, side, places, left):
        return float(self.values[number, acted, side][(*places, *left)])

    def outcomes(self, unit, option, places, left):
        """The outcomes of an option: (probability, places, models); an option is (place, target, kind)."""
        place, foe, kind = option
        if kind == "charge":
            return list(self.charge_outcomes(unit, foe, places, left))
        there = tuple(place if other == unit else at for other, at in enumerate(places))
        if kind == "move":
            return [(1.0, there, tuple(left))]
        band = self.band(unit, abs(place - places[foe]))
        assert band is not None, option
        law = self.losses(unit, foe, left[unit], left[foe], "light", self.rating(band, kind == "aim"))
        return [
            (chance, there, tuple(count - lost if other == foe else count for other, count in enumerate(left)))
            for lost, chance in law
        ]

    def worth(self, number, acted, unit, option, places, left):
        then = tuple(1 if other == unit else done for other, done in zip(self.there, acted))
        return sum(
            chance * self.value(number, then, 1 - unit // 2, there, after)
            for chance, there, after in self.outcomes(unit, option, places, left)
        )

    def options(self, unit, places, left):
        foes = [foe for foe in self.sides(unit) if left[foe]]
        here, steps = places[unit], self.steps(unit)
        yield here, None, "move"
        for foe in foes:
            if self.band(unit, abs(here - places[foe])) is not None:
                yield here, foe, "aim"
            if self.row(unit, "melee") and abs(here - places[foe]) <= 2 * steps:
                yield places[foe], foe, "charge"
        for place in range(max(here - 2 * steps, 0), min(here + 2 * steps, self.places - 1) + 1):
            if place == here:
                continue
            yield place, None, "move"
            for foe in foes if abs(place - here) <= steps else ():
                if self.band(unit, abs(place - places[foe])) is not None:
                    yield place, foe, "shoot"

    def best(self, number, acted, side, places, left):
        sign = 1 if side == 0 else -1
        ready = [unit for unit, done in zip(self.there, acted) if unit // 2 == side and not done and left[unit]]
        every = [(unit, option) for unit in ready for option in self.options(unit, places, left)]
        return max(every, key=lambda each: sign * self.worth(number, acted, *each, places, left))

    def ready(self, acted, side, left):
        return any(unit // 2 == side and not done and left[unit] for unit, done in zip(self.there, acted))
