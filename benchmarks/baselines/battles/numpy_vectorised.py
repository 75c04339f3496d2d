"""Vectorised NumPy: the next activation of all battles of a chunk at once, those that are over left out."""

import numpy as np

from benchmarks.baselines.battles import COPIES, VALUES
from benchmarks.baselines.duels.numpy_vectorised import IMPROVED, NEUTRAL, WEAKENED, hits_of

CHUNK = 4000
FALL_BACK, CLEAR = 300, 100
FULL = np.repeat(np.arange(1, VALUES + 1), COPIES)
FAR = 1 << 30


class Cards:
    """A deck and a hand of each side of each battle; 0 in a hand is no card."""

    def __init__(self, rng, battles, limit):
        self.rng, self.limit = rng, limit
        self.deck = rng.permuted(np.broadcast_to(FULL, (battles, 2, len(FULL))), axis=2)
        self.drawn = np.zeros((battles, 2), np.int64)
        self.size = np.full((battles, 2), len(FULL))
        self.hand = np.zeros((battles, 2, max(limit, 1)), np.int64)
        self.broken_down = np.zeros((battles, 2), bool)

    def draw(self, battles, sides):
        """A card of each of some decks; one that has run out is shuffled again, without the hand."""
        cards = self.deck[battles, sides, self.drawn[battles, sides]]
        self.drawn[battles, sides] += 1
        out = self.drawn[battles, sides] == self.size[battles, sides]
        if out.any():
            self.shuffle_discards(battles[out], sides[out])
        return cards

    def shuffle_discards(self, battles, sides):
        hands = self.hand[battles, sides]
        keys = self.rng.random((len(battles), len(FULL)))
        for place in range(hands.shape[1]):
            card = hands[:, place]
            copy = (hands[:, :place] == card[:, None]).sum(axis=1)
            held = np.flatnonzero(card)
            keys[held, (card[held] - 1) * COPIES + copy[held]] = 2.0  # behind all others
        self.deck[battles, sides] = FULL[np.argsort(keys, axis=1)]
        self.size[battles, sides] = len(FULL) - (hands > 0).sum(axis=1)
        self.drawn[battles, sides], self.broken_down[battles, sides] = 0, True

    def fill(self, going):
        for side in (0, 1):
            for place in range(self.limit):
                lacking = going[(self.hand[going, side, place] == 0) & ~self.broken_down[going, side]]
                self.hand[lacking, side, place] = self.draw(lacking, np.full(len(lacking), side))

    def play(self, going, holder):
        """The highest cards are played; who holds the initiative then."""
        place = self.hand[going].argmax(axis=2)
        both = np.take_along_axis(self.hand[going], place[:, :, None], axis=2)[:, :, 0]
        rows = np.arange(len(going))
        second = both[rows, 1 - holder]
        for side in (0, 1):  # the holder takes the card back if the other has none
            played = second > 0
            self.hand[going[played], side, place[played, side]] = 0
        return np.where(both[rows, holder] > second, holder, 1 - holder)


class Field:
    """Where the units of all battles of a chunk stand, and what is left of them."""

    def __init__(self, facts, terms, rng, battles):
        self.facts, self.terms, self.rng = facts, terms, rng
        self.cards = Cards(rng, battles, terms.hand_limit)
        back = (terms.table - terms.gap) // 2
        xs = [terms.width * (2 * place + 1) // (2 * terms.units) for place in range(terms.units)]
        shape = (battles, 2, terms.units)
        self.x = np.broadcast_to(xs, shape).copy()
        self.y = np.broadcast_to(np.array([back, terms.table - back])[:, None], shape).copy()
        self.models = np.full(shape, facts.models)
        self.suppressed, self.activated = np.zeros(shape, bool), np.zeros(shape, bool)
        self.points = np.zeros((battles, 2), np.int64)
        self.holder = rng.integers(0, 2, battles)
        self.dice = np.array(facts.dice)

    def play(self):
        going = np.arange(len(self.points))
        for number in range(self.terms.rounds):
            if number:
                self.holder[going] = self.cards.play(going, self.holder[going])
            self.cards.fill(going)
            self.activations(going)
            gone = ~(self.models[going] > 0).any(axis=2)
            self.points[going] += 5 * gone[:, ::-1]
            going = going[~gone.any(axis=1)]
        return self.points

    def activations(self, going):
        self.activated[going] = False
        side = self.holder[going]
        while True:
            ready = (self.models[going] > 0) & ~self.activated[going]
            waits = ready.any(axis=(1, 2))
            if not waits.any():
                return
            going, side, ready = going[waits], side[waits], ready[waits]
            own = ready[np.arange(len(going)), side]
            acts = own.any(axis=1)
            self.activate(going[acts], side[acts], own[acts].argmax(axis=1))
            side = 1 - side

    def distances(self, battles, side, units):
        """From a unit of each battle to each enemy; far where that is gone."""
        dx = self.x[battles, 1 - side] - self.x[battles, side, units][:, None]
        dy = self.y[battles, 1 - side] - self.y[battles, side, units][:, None]
        away = np.sqrt(dx * dx + dy * dy).astype(np.int64)
        return np.where(self.models[battles, 1 - side] > 0, away, FAR)

    def activate(self, battles, side, units):
        facts = self.facts
        self.activated[battles, side, units] = True
        shaken = self.suppressed[battles, side, units]
        rallied = ~shaken
        rallied[shaken] = self.cards.draw(battles[shaken], side[shaken]) <= facts.discipline
        self.suppressed[battles, side, units] = False
        away = self.distances(battles, side, units)
        target, rows = away.argmin(axis=1), np.arange(len(battles))
        away = away[rows, target]
        in_range = away <= facts.long_range
        self.advance(*(each[~in_range & (away < FAR)] for each in (battles, side, units, target, away)))
        away = self.distances(battles, side, units)[rows, target]
        bonuses = (in_range & rallied) + (away <= facts.short_range) - shaken.astype(np.int64)
        rating = np.where(bonuses > 0, IMPROVED, np.where(bonuses < 0, WEAKENED, NEUTRAL)).astype(np.uint8)
        shoots = (away <= facts.long_range) & (rallied | in_range)
        self.shoot(*(each[shoots] for each in (battles, side, units, target, rating)))

    def advance(self, battles, side, units, target, away):
        length = np.minimum(self.facts.speed, np.maximum(away - CLEAR, 0))
        for place in (self.x, self.y):
            at, to = place[battles, side, units], place[battles, 1 - side, target]
            place[battles, side, units] = np.where(
                length >= away, to, at + (2 * length * (to - at) + away) // (2 * away)
            )

    def shoot(self, battles, side, units, target, rating):
        facts, other = self.facts, 1 - side
        before = self.models[battles, other, target]
        dice = self.dice[self.models[battles, side, units]].astype(np.uint8)
        destroyed = np.minimum(hits_of(self.rng, dice, rating) // facts.defence, before)
        left = before - destroyed
        tested = (destroyed > 0) & (left > 0)
        failed = np.zeros(len(battles), bool)
        cards = self.cards.draw(battles[tested], other[tested])
        failed[tested] = cards > facts.discipline - (2 * destroyed[tested] >= before[tested])
        shaken, y = self.suppressed[battles, other, target], self.y[battles, other, target]
        edge = np.where(other == 0, y, self.terms.table - y)
        gone = failed & ((left <= facts.break_limit) | (shaken & (edge <= FALL_BACK)))
        back = failed & ~gone & shaken
        self.y[battles, other, target] = y + np.where(back, np.where(other == 0, -FALL_BACK, FALL_BACK), 0)
        self.suppressed[battles, other, target] |= failed & ~gone
        self.models[battles, other, target] = np.where(gone, 0, left)
        np.add.at(self.points, (battles, side), facts.victory_points * (gone | (left == 0)))


def play(facts, terms, trials, seed):
    """The victory points of both sides, shape (trials, 2)."""
    rng = np.random.default_rng(seed)
    sizes = [min(CHUNK, trials - start) for start in range(0, trials, CHUNK)]
    return np.concatenate([Field(facts, terms, rng, size).play() for size in sizes])
