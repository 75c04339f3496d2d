"""A loop in pure Python with the `random` module: a battle at a time, a die at a time, a card at a time."""

import math
import random

import numpy as np

from benchmarks.baselines.battles import COPIES, VALUES
from benchmarks.baselines.duels.pure_python import hits_of

IMPROVED, NEUTRAL, WEAKENED = 3, 4, 5  # the first face that is rolled again
FALL_BACK, CLEAR = 300, 100


class Unit:
    """A unit on the field."""

    def __init__(self, x, y, models):
        self.x, self.y, self.models = x, y, models
        self.suppressed = self.activated = False


class Cards:
    """A deck and a hand."""

    def __init__(self, rng):
        self.rng, self.hand, self.broken_down = rng, [], False
        self.deck = self.full()
        rng.shuffle(self.deck)

    @staticmethod
    def full():
        return COPIES * list(range(1, VALUES + 1))

    def draw(self):
        return self.deck.pop()

    def shuffle_discards(self):
        """The deck has run out: all cards that are not in the hand."""
        if not self.deck:
            self.broken_down = True
            self.deck = self.full()
            for card in self.hand:
                self.deck.remove(card)
            self.rng.shuffle(self.deck)

    def test(self):
        card = self.draw()
        self.shuffle_discards()
        return card

    def fill(self, limit):
        while len(self.hand) < limit and not self.broken_down:
            self.hand.append(self.draw())
            self.shuffle_discards()


def distance(one, other):
    return math.isqrt((one.x - other.x) ** 2 + (one.y - other.y) ** 2)


def moved(at, to, length, whole):
    return to if length >= whole else at + (2 * length * (to - at) + whole) // (2 * whole)


class Battle:
    """One battle."""

    def __init__(self, facts, terms, rng):
        self.facts, self.terms, self.rng = facts, terms, rng
        back = (terms.table - terms.gap) // 2
        xs = [terms.width * (2 * place + 1) // (2 * terms.units) for place in range(terms.units)]
        self.sides = [[Unit(x, y, facts.models) for x in xs] for y in (back, terms.table - back)]
        self.cards, self.points = [Cards(rng), Cards(rng)], [0, 0]
        self.holder = rng.randrange(2)

    def play(self):
        for number in range(self.terms.rounds):
            if number:
                self.take_initiative()
            for cards in self.cards:
                cards.fill(self.terms.hand_limit)
            self.activations()
            gone = [not any(unit.models for unit in side) for side in self.sides]
            for side in (0, 1):
                if gone[side]:
                    self.points[1 - side] += 5
            if any(gone):
                break
        return self.points

    def take_initiative(self):
        played = [max(cards.hand, default=0) for cards in self.cards]
        if played[1 - self.holder]:  # else the holder takes the card back
            for cards, card in zip(self.cards, played):
                if card:
                    cards.hand.remove(card)
        if played[self.holder] <= played[1 - self.holder]:
            self.holder = 1 - self.holder

    def activations(self):
        for side in self.sides:
            for unit in side:
                unit.activated = False
        side, waiting = self.holder, 0
        while waiting < 2:
            unit = next((unit for unit in self.sides[side] if unit.models and not unit.activated), None)
            waiting = waiting + 1 if unit is None else 0
            if unit is not None:
                unit.activated = True
                self.activate(side, unit)
            side = 1 - side

    def activate(self, side, unit):
        facts, was_suppressed = self.facts, unit.suppressed
        rallied = not was_suppressed or self.cards[side].test() <= facts.discipline
        enemies = [enemy for enemy in self.sides[1 - side] if enemy.models]
        if not enemies:
            unit.suppressed = False
            return
        target = min(enemies, key=lambda enemy: distance(unit, enemy))
        away = distance(unit, target)
        in_range = away <= facts.long_range
        if not in_range:
            length = min(facts.speed, max(away - CLEAR, 0))
            unit.x, unit.y = moved(unit.x, target.x, length, away), moved(unit.y, target.y, length, away)
            away = distance(unit, target)
        if away <= facts.long_range and (rallied or in_range):
            bonuses = (in_range and rallied) + (away <= facts.short_range) - unit.suppressed
            self.shoot(1 - side, unit, target, IMPROVED if bonuses > 0 else WEAKENED if bonuses < 0 else NEUTRAL)
        if was_suppressed:
            unit.suppressed = False

    def shoot(self, side, unit, target, rating):
        facts, models = self.facts, target.models
        destroyed = min(hits_of(self.rng, facts.dice[unit.models], rating) // facts.defence, models)
        target.models -= destroyed
        if not target.models:
            self.points[1 - side] += facts.victory_points
        elif destroyed and self.cards[side].test() > facts.discipline - (2 * destroyed >= models):
            edge = target.y if side == 0 else self.terms.table - target.y
            if target.models <= facts.break_limit or (target.suppressed and edge <= FALL_BACK):
                target.models = 0
                self.points[1 - side] += facts.victory_points
            elif target.suppressed:
                target.y += FALL_BACK if side else -FALL_BACK
            else:
                target.suppressed = True


def play(facts, terms, trials, seed):
    """The victory points of both sides, shape (trials, 2)."""
    rng = random.Random(seed)
    return np.array([Battle(facts, terms, rng).play() for _ in range(trials)])
