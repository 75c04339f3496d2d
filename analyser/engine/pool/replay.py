"""Replay of the dice kernel: reads the same random words, and returns every die of a trial.

The kernel compares a draw with a few thresholds. Here the draws between two thresholds are divided further, among the
faces with the same effect, in proportion to their sides. So every draw gives a face and its re-roll, which have the
effect that the kernel counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from analyser.common.kernel_records import Integers
from analyser.engine.pool.dice_layout import Layout, Rerolls, always_added_for, halves_of, layout_for
from analyser.engine.pool.kernel import BLOCK, DICE_TOGETHER
from analyser.engine.rng import Stream, word_of
from analyser.game.ruleset import Face
from analyser.rules.attack import Scores, WaitingDie, score_of, scores_for, waiting_kind
from analyser.rules.structs import FightFacts

_WORD_BITS = 64


class Die(NamedTuple):
    """A die of a pool."""

    shows: Face  # the face before any re-roll
    rerolled: Face | None = None  # the face after a re-roll by the combat rating (AC-3.4)
    extra_reroll: Face | None = None  # the face after an extra re-roll (AC-3.5)
    added_by: int | None = None  # index of the die whose heroic strike added this die (AC-3.3)

    @property
    def final_face(self) -> Face:
        """The face that counts, after all re-rolls."""
        return next(face for face in (self.extra_reroll, self.rerolled, self.shows) if face is not None)


class RolledBlock(NamedTuple):
    """The draws of a block of trials, and the counter of the stream after them."""

    first: NDArray[Any]  # (rolls, BLOCK): of the first-roll dice
    added: NDArray[Any]  # (rolls, BLOCK): of added dice rolled in every trial; empty without re-rolls
    rest: dict[int, list[int]]  # draws of further added dice, by trial
    again: NDArray[Any]  # (rolls, BLOCK): of extra re-rolls
    others: NDArray[Any]  # (draws, BLOCK): cards, officers' positions, dice for buildings
    is_counted: NDArray[np.bool_]  # mask of the trials that are not discarded
    counter: np.uint64


def replay_block(
    layout: Layout, rerolls: Rerolls | None, dice: int, always_added: int, counter: np.uint64, gamma: np.uint64
) -> RolledBlock:
    """Return the draws of the block that begins at `counter`; `dice` and `always_added` as in the kernel."""
    stream = WordReader(counter, gamma)
    kind = type(layout.limit)
    rest: dict[int, list[int]] = {}
    if rerolls is None:
        pairs_of_draws = -(-dice // layout.dice_at_once)
        first = stream.draws(kind, pairs_of_draws * DICE_TOGETHER)
        added = again = first[:0]
    else:
        first = stream.draws(kind, dice)
        added = stream.draws(kind, always_added)
        pending = (first < layout.explodes).sum(axis=0) * int(layout.added)
        unused = np.uint64(_WORD_BITS - 2 * halves_of(kind)[0])
        for trial in np.flatnonzero(pending > always_added).tolist():
            rest[trial] = []
            while len(rest[trial]) < pending[trial] - always_added:
                draw = stream.next_word() >> unused
                if draw < layout.limit:
                    rest[trial].append(int(draw))
        allowance = int(rerolls.allowance)
        again = stream.draws(kind, allowance + allowance % DICE_TOGETHER)
    highest = np.concatenate([first, added, again]).max(axis=0, initial=0)
    others = stream.draws(np.uint16, len(layout.limits))
    is_counted = (highest < layout.limit) & (others < layout.limits[:, None]).all(axis=0)
    return RolledBlock(first, added, rest, again, others, is_counted, stream.counter)


class WordReader:
    """Reader of the stream of random words that begins at a counter."""

    def __init__(self, counter: np.uint64, gamma: np.uint64) -> None:
        self.counter, self._gamma = counter, gamma

    def many(self, count: int) -> NDArray[np.uint64]:
        """Return the next `count` words, as an array."""
        with np.errstate(over="ignore"):
            counters = self.counter + self._gamma * np.arange(1, count + 1, dtype=np.uint64)
            self.counter = np.uint64(self.counter + self._gamma * np.uint64(count))
        result: NDArray[np.uint64] = word_of(cast("Any", counters))  # type: ignore[assignment]
        return result

    def draws(self, kind: Any, rolls: int) -> NDArray[Any]:
        """Return draws of the type `kind`, one for each roll and trial: shape (rolls, BLOCK)."""
        words = self.many(rolls * BLOCK * kind(0).itemsize // (_WORD_BITS // 8))
        result: NDArray[Any] = words.view(kind).reshape(rolls, BLOCK)
        return result

    def next_word(self) -> np.uint64:
        """Return the next word."""
        with np.errstate(over="ignore"):
            self.counter = np.uint64(self.counter + self._gamma)
            return np.uint64(word_of(self.counter))


class DiceReader:
    """Converter of a block's draws to dice, for the pools of a fight; `die`: sides by face."""

    def __init__(self, fight: FightFacts, die: Integers, layout: Layout, rerolls: Rerolls | None) -> None:
        self.fight, self.layout, self.rerolls = fight, layout, rerolls
        self._small_die = [int(count) for count in die // np.gcd.reduce(die)]
        self._sides = sum(self._small_die)
        self._cases = list(self._cases_in_order())
        exploding = (face for face in Face if int(fight.exploding_faces) >> face & 1)
        self._exploding = [face for face in exploding for _ in range(self._small_die[face])]
        self._pairs = self._sides**2
        self._draws_per_pair = int(layout.limit) // self._pairs

    def _cases_in_order(self) -> Iterator[tuple[Face, Face | None]]:
        """Yield the face and its re-roll for each pair of faces, from the lowest draws to the highest."""
        fight, small = self.fight, self._small_die
        rerolled = [face for face in Face if fight.reroll_faces >> face & 1]
        waiting = {face: waiting_kind(fight, face) for face in Face}

        def stays(*faces: Face) -> Iterator[tuple[Face, Face | None]]:
            for face in faces:
                if face not in rerolled:
                    yield from [(face, None)] * (small[face] * self._sides)

        def becomes(*faces: Face) -> Iterator[tuple[Face, Face | None]]:
            for face in faces:
                for before in rerolled:
                    yield from [(before, face)] * (small[before] * small[face])

        def ends_at(mask: int) -> Iterator[tuple[Face, Face | None]]:
            faces = [face for face in Face if int(mask) >> face & 1]
            yield from stays(*(face for face in faces if waiting[face] == WaitingDie.NONE))
            yield from becomes(*faces)

        yield from stays(*(face for face in Face if int(fight.exploding_faces) >> face & 1))
        yield from ends_at(fight.heroic_faces & ~fight.exploding_faces)
        yield from becomes(*(face for face in Face if int(fight.exploding_faces) >> face & 1))
        yield from ends_at(fight.strike_faces)
        for kind in (WaitingDie.STRIKE, WaitingDie.NO_EFFECT, WaitingDie.BLANK):
            yield from stays(*(face for face in Face if waiting[face] == kind))
        yield from ends_at(fight.blank_faces)
        yield from ends_at(~(fight.heroic_faces | fight.strike_faces | fight.blank_faces))

    def dice_of(self, block: RolledBlock, trial: int, dice: int) -> list[Die]:
        """Return the dice of one trial of a block: the first roll, then the dice added by heroic strikes."""
        if self.rerolls is None:
            return self._dice_without_rerolls(block, trial, dice)
        draws = [int(draw) for draw in block.first[:, trial]]
        result = [self._die_of_draw(draw) for draw in draws]
        added = [*(int(draw) for draw in block.added[:, trial]), *block.rest.get(trial, [])]
        exploding = [index for index, draw in enumerate(draws) if draw < self.layout.explodes]
        exploding_dice = [index for index in exploding for _ in range(int(self.layout.added))]
        result += [self._die_of_draw(draw)._replace(added_by=index) for draw, index in zip(added, exploding_dice)]
        return self._after_extra_rerolls(result, [int(draw) for draw in block.again[:, trial]])

    def _dice_without_rerolls(self, block: RolledBlock, trial: int, dice: int) -> list[Die]:
        draws = [int(draw) for draw in block.first[:, trial]]
        explodes, result, added = int(self.layout.explodes), list[Die](), list[Die]()
        at_once = self.layout.dice_at_once
        for place in range(dice):
            draw = draws[place if at_once == DICE_TOGETHER else DICE_TOGETHER * place]
            if draw >= explodes:
                result.append(self._die_of_draw(draw))
            else:
                case, rest = divmod(draw * self._pairs, explodes)  # `case` gives the added die, `rest` this die
                result.append(Die(self._exploding[rest * len(self._exploding) // explodes]))
                added.append(Die(*self._cases[case], added_by=place))
                if at_once != DICE_TOGETHER:  # Arc adds a second die with its own draw
                    added.append(self._die_of_draw(draws[DICE_TOGETHER * place + 1])._replace(added_by=place))
        return result + added

    def _kind_of(self, face: Face) -> int:
        """Return 0 for a face that counts as a heroic strike, 1 for a strike, 3 for a blank, 2 for other faces."""
        masks = self.fight.heroic_faces, self.fight.strike_faces, ~self.fight.blank_faces
        return next((kind for kind, mask in enumerate(masks) if int(mask) >> face & 1), 3)

    def _die_of_draw(self, draw: int) -> Die:
        return Die(*self._cases[draw // self._draws_per_pair])

    def _after_extra_rerolls(self, dice: list[Die], draws: list[int]) -> list[Die]:
        """Return the dice after extra re-rolls: the worst waiting dice are re-rolled first (AC-3.5)."""
        assert self.rerolls is not None
        waiting = [(waiting_kind(self.fight, die.shows) if die.rerolled is None else WaitingDie.NONE) for die in dice]
        rerollable = [index for index, kind in enumerate(waiting) if kind != WaitingDie.NONE]
        worst = sorted(rerollable, key=lambda index: waiting[index])
        by_value = sorted(Face, key=self._kind_of)  # order of the thresholds
        line = [face for face in by_value for _ in range(self._small_die[face])]
        for index, draw in zip(worst[: int(self.rerolls.allowance)], draws):
            dice[index] = dice[index]._replace(extra_reroll=line[draw // (self._draws_per_pair * self._sides)])
        return dice


def dice_that_score(fight: FightFacts, score: int, die: Integers, stream: Stream) -> list[Die]:
    """Return the dice of a pool with this score, by rolling pools until one has this score (rejection sampling).

    The dice have their conditional distribution, given the score. `die`: sides by face.
    """
    dice, scores = int(fight.dice), scores_for(fight, fight.dice)
    layout, rerolls = layout_for(fight, scores, die, np.ones(1, np.int64), (), dice)
    reader, counter = DiceReader(fight, die, layout, rerolls), stream.start
    while True:
        block = replay_block(layout, rerolls, dice, always_added_for(dice, fight, die), counter, stream.gamma)
        for trial in np.flatnonzero(block.is_counted).tolist():
            result = reader.dice_of(block, trial, dice)
            if score_of_dice(fight, scores, result) == score:
                return result
        counter = block.counter


def score_of_dice(fight: FightFacts, scores: Scores, dice: Sequence[Die]) -> int:
    """Return the score of the dice of a pool (AC-3.6; Veteran, AC-7)."""
    score = sum(score_of(fight, scores, die.final_face) for die in dice)
    return score + veteran_heroics(fight, dice) * (scores.heroic - scores.strike)


def veteran_heroics(fight: FightFacts, dice: Sequence[Die]) -> int:
    """Return the number of strikes that Veteran turns into heroic strikes (AC-7)."""
    return min(int(fight.veteran), sum(int(fight.strike_faces) >> die.final_face & 1 for die in dice))
