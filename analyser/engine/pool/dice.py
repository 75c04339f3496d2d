"""Dice of a pool one by one, for descriptions of a roll."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from analyser.game.ruleset import Face
from analyser.rules.attack import Scores, WaitingDie, score_of, waiting_kind
from analyser.rules.structs import FightFacts


class Die(NamedTuple):
    """A die of a pool."""

    shows: Face  # the face before any re-roll
    rerolled: Face | None = None  # the face after a re-roll by the combat rating (AC-3.4)
    extra_reroll: Face | None = None  # the face after an extra re-roll (AC-3.5)
    added_by: int | None = None  # index of the first-roll die that added this die (AC-3.3)

    @property
    def final_face(self) -> Face:
        """The face that counts, after all re-rolls."""
        return next(face for face in (self.extra_reroll, self.rerolled, self.shows) if face is not None)


def dice_that_score(
    fight: FightFacts, scores: Scores, score: int, sides: Sequence[int], source: Random, cards: Sequence[int] = (0,)
) -> list[Die]:
    """Return random dice with this score. `sides`: number of sides by face; `cards`: a random one adds so many dice."""
    faces = [face for face, count in zip(Face, sides) for _ in range(count)]
    while True:
        dice = _roll_pool(fight, fight.dice + source.choice(cards), faces, source)
        if score_of_dice(fight, scores, dice) == score:
            return dice


def _roll_pool(fight: FightFacts, first_dice: int, faces: Sequence[Face], source: Random) -> list[Die]:
    """Roll dice and the dice that they add, then re-roll by rating, then re-roll the worst dice (AC-3.2 to AC-3.5)."""
    dice = [Die(face) for face in source.choices(faces, k=first_dice)]
    exploding = {index for index, die in enumerate(dice) if fight.exploding_faces >> die.shows & 1}
    dice += [Die(source.choice(faces), added_by=index) for index in sorted(exploding) for _ in range(fight.explosion)]
    dice = [die._replace(rerolled=source.choice(faces)) if fight.reroll_faces >> die.shows & 1 else die for die in dice]
    waiting = {
        index: waiting_kind(fight, die.shows)
        for index, die in enumerate(dice)
        if die.rerolled is None and index not in exploding
    }
    worst_first = sorted((kind, index) for index, kind in waiting.items() if kind != WaitingDie.NONE)
    for _, index in worst_first[: fight.extra_dice]:
        dice[index] = dice[index]._replace(extra_reroll=source.choice(faces))
    return dice


def score_of_dice(fight: FightFacts, scores: Scores, dice: Sequence[Die]) -> int:
    """Return the score of the dice of a pool (AC-3.6; Veteran, AC-7)."""
    score = sum(score_of(fight, scores, die.final_face) for die in dice)
    return score + veteran_heroics(fight, dice) * (scores.heroic - scores.strike)


def veteran_heroics(fight: FightFacts, dice: Sequence[Die]) -> int:
    """Return the number of strikes that Veteran turns into heroic strikes (AC-7)."""
    return min(fight.veteran, sum(fight.strike_faces >> die.final_face & 1 for die in dice))
