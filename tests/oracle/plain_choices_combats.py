"""Discipline tests and combats of a second reading of choices (see `plain_choices`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

from tests.oracle.plain_choices_dice import (
    FAILS,
    OVERCHARGES,
    OVERCHARGES_BACK,
    OVERRUNS,
    STRIKES,
    STRIKES_BACK,
    WEAKENED,
    Attack,
    Field,
    Game,
    Row,
    Then,
    Unit,
    cards,
    dice_of,
    rating,
    roll,
)

# --- Discipline tests (AC-5) ------------------------------------------------


def pass_chance(game: Game, side: int, unit: Unit, modifier: int) -> Fraction:
    """AC-5.1, AC-5.3: a card of at most DISCIPLINE with its modifiers."""
    if game.profiles[side].automata:  # passes every test without a card
        return Fraction(1)
    discipline = game.profiles[side].discipline + modifier - int(unit.disordered)
    return sum((p for value, p in cards(game) if value <= discipline), Fraction(0))


def take_test(
    game: Game,
    kind: str,
    side: int,
    chance: Fraction,
    passed: Callable[[], Fraction],
    failed: Callable[[], Fraction],
) -> Fraction:
    """AC-5.1: draw a card, or fail on purpose.

    Automata "passes every discipline test", so there is nothing to fail.
    """

    def drawn() -> Fraction:
        worth = chance * passed() if chance else Fraction(0)
        return worth + ((1 - chance) * failed() if chance < 1 else Fraction(0))

    if game.profiles[side].automata:
        return passed()
    return game.decide(kind, side, [drawn, failed])


def suppression_test(
    game: Game,
    now: Field,
    side: int,
    lost: int,
    started: int,
    qualities: frozenset[str],
    then: Then,
) -> Fraction:
    """AC-5.2: -1 for at least half lost, and -1 for Suppressive."""
    modifier = -int(2 * lost >= started) - int("Suppressive" in qualities)
    chance = pass_chance(game, side, now.units[side], modifier)
    return take_test(
        game,
        FAILS,
        side,
        chance,
        lambda: then(now),
        lambda: then(failed_suppression(game, now, side, qualities)),
    )


def failed_suppression(game: Game, now: Field, side: int, qualities: frozenset[str]) -> Field:
    """AC-5.4, in its order: break, fall back, become suppressed."""
    profile, unit = game.profiles[side], now.units[side]
    if profile.break_limit is not None and unit.models <= profile.break_limit:
        return now.put(side, replace(unit, removed=True))
    if unit.suppressed:
        return fall_back(now, side)
    if "Cryo" in qualities and not unit.activated:
        return now.put(side, replace(unit, activated=True))
    disordered = unit.disordered or profile.construct or "Seismic" in qualities
    return now.put(side, replace(unit, suppressed=True, disordered=disordered))


def shifted(now: Field, side: int, inches: Fraction) -> Field:
    """Move a unit toward the other or, if less than 0, toward its own edge: to it at most."""
    unit = replace(now.units[side], on_lookout=False)  # it moves
    if unit.room is not None:
        inches = max(inches, -unit.room)
        unit = replace(unit, room=unit.room + inches)
    now = now.put(side, unit)
    return now if now.gap is None else replace(now, gap=now.gap - inches)


def retreat(now: Field, side: int) -> Field:
    """Move a unit 3" away from the other; AC-5.5: want of room costs no models."""
    return shifted(now, side, Fraction(-3))


def fall_back(now: Field, side: int) -> Field:
    """AC-5.4 (b): 3" back, and whoever reaches the edge flees."""
    now = retreat(now, side)
    unit = now.units[side]
    if unit.room is not None and unit.room <= 0:
        return now.put(side, replace(unit, removed=True))
    return now


# --- Close quarters combat (AC-8) -------------------------------------------


@dataclass(frozen=True)
class Combat:
    """What counts in one combat: who is active, and what happened in it."""

    active: int
    started: tuple[int, int]  # models at its start, after Sponsons
    destroyed: tuple[int, int] = (0, 0)  # enemy models, by each side
    qualities: tuple[frozenset[str], frozenset[str]] = (frozenset(), frozenset())
    again: bool = False  # whether this is the Overrun
    blanks: tuple[int, int] = (0, 0)  # own models that each side's blanks destroyed


def charge(game: Game, now: Field, active: int, then: Then) -> Fraction:
    """AC-8.1: contact, then the target's Sponsons, then the combat."""
    # Who charges is being activated: Cryo has nothing to take from it.
    now = now.put(active, replace(now.units[active], activated=True))
    # Contact ends being on lookout.
    now = now.put(1 - active, replace(now.units[1 - active], on_lookout=False))
    if now.gap is not None:
        now = shifted(now, active, now.gap)
    dice = game.profiles[1 - active].sponsons

    def ensues(after: Field, *_: int) -> Fraction:
        if not after.units[active].alive:
            return then(after)
        return combat(game, after, active, False, then)

    if not dice:
        return ensues(now)
    return roll(game, now, Attack(1 - active, dice, WEAKENED), ensues)


def combat(game: Game, now: Field, active: int, again: bool, then: Then) -> Fraction:
    """AC-8.3, AC-8.4: who strikes first, and who strikes back."""
    fight = Combat(active, (now.units[0].models, now.units[1].models), again=again)
    target = 1 - active
    # "A charge through difficult terrain", "when charged": an Overrun is no charge.
    advantage = (game.difficult[active] or game.profiles[target].stoic) and not again
    first = target if advantage else active

    def second(after: Field, so_far: Combat) -> Fraction:
        if not (after.units[0].alive and after.units[1].alive):
            return then(after)
        return strike(game, after, so_far, 1 - first, resolved)

    @cache
    def overrun(after: Field) -> Fraction:
        met = after if after.gap is None else shifted(after, active, after.gap)  # it follows the loser
        return combat(game, met, active, True, then)

    @cache
    def resolved(after: Field, whole: Combat) -> Fraction:
        if not (after.units[0].alive and after.units[1].alive):
            return then(after)
        return resolve(game, after, whole, then, overrun)

    return strike(game, now, fight, first, second)


def strikes_with(game: Game, now: Field, fight: Combat, side: int) -> list[tuple[Row, int]]:
    """Return the rows that side may strike with, and their dice.

    The active unit has its melee and impact rows, the target its melee rows
    (AC-8.3); a row without dice for the models left is no way of striking.
    """
    kinds = ("melee", "impact") if side == fight.active else ("melee",)
    profile, models = game.profiles[side], now.units[side].models
    found = []
    for row in profile.rows:
        dice = dice_of(row, models, game.profiles[1 - side])
        if row.kind in kinds and dice:
            found.append((row, dice))
    return found


def rated_in_combat(game: Game, now: Field, fight: Combat, side: int) -> str:
    """AC-8.2, with Onslaught and with the penalty of Overrun."""
    mine, other = game.profiles[side], game.profiles[1 - side]
    bonuses, penalties = game.bonuses[side], game.penalties[side]
    if mine.type == "infantry" and other.type in ("armour", "fortification"):
        bonuses += 1  # overwhelming
    if now.units[side].suppressed:
        penalties += 1
    if side == fight.active:
        bonuses += int(mine.onslaught and not fight.again)  # "of its charge"
        penalties += int(fight.again)
    return rating(bonuses, penalties)


def strike(
    game: Game,
    now: Field,
    fight: Combat,
    side: int,
    then: Callable[[Field, Combat], Fraction],
) -> Fraction:
    """Let one side strike, with whichever of its rows it likes now."""
    rows = strikes_with(game, now, fight, side)
    if not rows:
        return then(now, fight)
    kind = STRIKES if side == fight.active else STRIKES_BACK
    options = [lambda row=row, dice=dice: strike_with(game, now, fight, side, row, dice, then) for row, dice in rows]
    return game.decide(kind, side, options)


def strike_with(
    game: Game,
    now: Field,
    fight: Combat,
    side: int,
    row: Row,
    dice: int,
    then: Callable[[Field, Combat], Fraction],
) -> Fraction:
    """Strike with a row; Overcharge is optional."""
    rated = rated_in_combat(game, now, fight, side)

    def counted(after: Field, destroyed: int, own: int) -> Fraction:
        done = list(fight.destroyed)
        done[side] += destroyed
        cost = list(fight.blanks)
        cost[side] += own
        used = list(fight.qualities)
        used[side] = row.qualities
        whole = replace(
            fight,
            destroyed=(done[0], done[1]),
            qualities=(used[0], used[1]),
            blanks=(cost[0], cost[1]),
        )
        return then(after, whole)

    def with_overcharge(overcharged: bool) -> Fraction:
        return roll(game, now, Attack(side, dice, rated, row.qualities, overcharged), counted)

    options: list[Callable[[], Fraction]] = [lambda: with_overcharge(False)]
    if "Overcharge" in row.qualities:
        options.append(lambda: with_overcharge(True))
    kind = OVERCHARGES if side == fight.active else OVERCHARGES_BACK
    return game.decide(kind, side, options)


def resolve(game: Game, now: Field, fight: Combat, then: Then, again: Then) -> Fraction:
    """AC-8.5: more enemy models destroyed wins."""
    active = fight.active
    if fight.destroyed[0] == fight.destroyed[1]:
        return then(retreat(now, active))  # a stalemate: nobody tests
    winner = 0 if fight.destroyed[0] > fight.destroyed[1] else 1
    loser = 1 - winner
    if game.profiles[loser].static:
        return then(now.put(loser, replace(now.units[loser], removed=True)))

    def tested(after: Field) -> Fraction:
        if winner == active:
            return won(game, after, fight, then, again)
        return then(after)

    lost, started = fight.started[loser] - now.units[loser].models, fight.started[loser]
    if not game.blanks_count:
        lost, started = lost - fight.blanks[loser], started - fight.blanks[loser]
    return suppression_test(
        game,
        retreat(now, loser),
        loser,
        lost,
        started,
        fight.qualities[winner],
        tested,
    )


def won(game: Game, now: Field, fight: Combat, then: Then, again: Then) -> Fraction:
    """Overrun: once more, if the target lives and the winner likes."""
    active = fight.active
    if fight.again or not game.profiles[active].overrun or not now.units[1 - active].alive:
        return then(now)

    return game.decide(OVERRUNS, active, [lambda: again(now), lambda: then(now)])
