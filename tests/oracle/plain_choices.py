"""A second reading of striking back and of tests failed on purpose.

Written from the text of the rules alone, before a line of the program was
looked at, so that the two can disagree.  Everything is an exact
:class:`fractions.Fraction`, every rule is a function of its own, and
nothing is clever: a state goes in, and what is to come afterwards is a
function ``then`` from a state to its worth.  Chance is a weighted sum of
``then``, a decision the largest or the smallest of several.

Side 0 wants the worth high, side 1 wants it low.  Cards are put back, so
every card is the same draw (AC-9.3).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from math import ceil

from tests.oracle.plain_choices_combats import charge, pass_chance, shifted, suppression_test, take_test
from tests.oracle.plain_choices_dice import (
    PLANS,
    RALLIES,
    SHOOTS_BACK,
    Attack,
    Field,
    Game,
    Profile,
    Row,
    Then,
    dice_of,
    rating,
    roll,
)

# --- Shooting (AC-4) --------------------------------------------------------


@dataclass(frozen=True)
class Shot:
    """A ranged attack that could be made."""

    row: Row
    dice: int
    aimed: bool = False
    opportunity: bool = False
    overcharged: bool = False


def shots(game: Game, now: Field, side: int, moved: bool = False, **how: bool) -> list[Shot]:
    """AC-4.1: every row that reaches and has dice; with Overcharge, if it likes.

    AC-6: Move or Fire not after a move, Reactive only as opportunity fire.
    """
    target, found = game.profiles[1 - side], []
    for row in game.profiles[side].rows:
        dice = dice_of(row, now.units[side].models, target) if row.kind == "ranged" else None
        reaches = now.gap is None or now.gap <= row.long
        barred = moved and "Move or Fire" in row.qualities
        barred |= "Reactive" in row.qualities and not how.get("opportunity", False)
        if dice and target.category in row.against and reaches and not barred:
            found.append(Shot(row, dice, **how))
            if "Overcharge" in row.qualities:
                found.append(Shot(row, dice, overcharged=True, **how))
    return found


def shoot(game: Game, now: Field, side: int, shot: Shot, then: Then) -> Fraction:
    """AC-4.2 for the rating, AC-4.5 for the test it causes."""
    row = shot.row
    near = now.gap is not None and row.short is not None and now.gap <= row.short
    penalties = int(now.units[side].suppressed) + int(shot.opportunity)
    rated = rating(int(shot.aimed) + int(near), penalties)
    target = 1 - side
    started = now.units[target].models

    def hit(after: Field, destroyed: int, _own: int) -> Fraction:
        if not destroyed or not after.units[target].alive or shot.opportunity:
            return then(after)
        return suppression_test(game, after, target, destroyed, started, row.qualities, then)

    return roll(game, now, Attack(side, shot.dice, rated, row.qualities, shot.overcharged), hit)


def reaction(game: Game, now: Field, active: int, then: Then) -> Fraction:
    """Opportunity fire by who is on lookout, which ends it; or not."""
    watcher = 1 - active
    if not (now.units[watcher].on_lookout and now.units[0].alive and now.units[1].alive):
        return then(now)
    fired = now.put(watcher, replace(now.units[watcher], on_lookout=False))
    options: list[Callable[[], Fraction]] = [lambda: then(now)]
    for shot in shots(game, now, watcher, opportunity=True):
        options.append(lambda shot=shot: shoot(game, fired, watcher, shot, then))
    return game.decide(SHOOTS_BACK, watcher, options)


# --- Activations (AC-5.6, AC-9.2) -------------------------------------------


def activate(game: Game, now: Field, side: int, then: Then) -> Fraction:
    """AC-5.6: rally if suppressed, act, and lose what one had at the start."""
    unit = now.units[side]
    if unit.activated or not (unit.alive and now.units[1 - side].alive):
        return then(now)
    now = now.put(side, replace(unit, on_lookout=False, activated=True))

    def ended(after: Field) -> Fraction:
        mine = after.units[side]
        lasting = game.profiles[side].construct
        suppressed = mine.suppressed and not unit.suppressed
        disordered = mine.disordered and (lasting or not unit.disordered)
        return then(after.put(side, replace(mine, suppressed=suppressed, disordered=disordered)))

    def acts(full: bool) -> Fraction:
        return reaction(game, now, side, lambda after: moves_and_attacks(game, after, side, full, ended))

    if not unit.suppressed:
        return acts(True)
    chance = pass_chance(game, side, unit, 0)
    return take_test(game, RALLIES, side, chance, lambda: acts(True), lambda: acts(False))


def moves_and_attacks(game: Game, now: Field, side: int, full: bool, then: Then) -> Fraction:
    """Do whatever is best of what the unit may do, and see the enemy react."""
    if not (now.units[0].alive and now.units[1].alive):
        return then(now)

    def done(after: Field) -> Fraction:
        return reaction(game, after, side, then)

    def charging() -> Fraction:
        return charge(game, now, side, done)

    mine = game.profiles[side]
    may = can_charge(game, now, side)
    if may and (mine.run_amok if full else mine.berserk):  # AC-7: it must
        return charging()
    options = deeds(game, now, side, done, aimed=full)
    if now.gap is not None:
        options += moving(game, now, side, full, done)
    if full and may:
        options.append(charging)
    return game.decide(PLANS, side, options)


def can_charge(game: Game, now: Field, side: int) -> bool:
    """AC-8.1: a melee or impact row, within twice SPEED; Static cannot."""
    mine = game.profiles[side]
    return is_armed(mine) and not mine.static and (now.gap is None or now.gap <= 2 * mine.speed)


def is_armed(profile: Profile) -> bool:
    """Whether a unit has a row to charge with."""
    return any(row.kind != "ranged" for row in profile.rows)


def deeds(
    game: Game, now: Field, side: int, done: Then, aimed: bool, moved: bool = False
) -> list[Callable[[], Fraction]]:
    """Nothing, a shot, aimed where that can be, or going on lookout."""
    options: list[Callable[[], Fraction]] = [lambda: done(now)]
    for aims in {False, aimed}:
        for shot in shots(game, now, side, moved, aimed=aims):
            options.append(lambda shot=shot: shoot(game, now, side, shot, done))
    watching = now.put(side, replace(now.units[side], on_lookout=True))
    if any(row.kind == "ranged" for row in game.profiles[side].rows):
        options.append(lambda: done(watching))
    return options


def moving(game: Game, now: Field, side: int, full: bool, done: Then) -> list[Callable[[], Fraction]]:
    """Advance to within 1 inch at most, or retire, and a deed if both steps may be used; or double time."""
    options = []
    for inches in advances(game, now, side) + retirements(game, now, side):
        moved = shifted(now, side, inches)
        if full:
            options += deeds(game, moved, side, done, aimed=False, moved=True)
        else:
            options.append(lambda moved=moved: done(moved))
    for inches in double_times(game, now, side) if full else ():
        options.append(lambda inches=inches: done(shifted(now, side, inches)))
    return options


def advances(game: Game, now: Field, side: int) -> list[Fraction]:
    """How far a unit may advance: its SPEED, to the range of a row, or some steps."""
    assert now.gap is not None
    whole = min(game.profiles[side].speed, now.gap - 1)
    lengths = {whole, *to_ranges(game, now, side, Fraction(0), whole), *steps(game, Fraction(0), whole)}
    return sorted(inches for inches in lengths if inches > 0)


def to_ranges(game: Game, now: Field, side: int, over: Fraction, under: Fraction) -> list[Fraction]:
    """Return how far it is to each range of a unit's rows, of what is between two lengths, neither included.

    Less than 0 are lengths of a way back.
    """
    assert now.gap is not None
    category = game.profiles[1 - side].category
    rows = [row for row in game.profiles[side].rows if row.kind == "ranged" and category in row.against]
    lengths = [now.gap - reach for row in rows for reach in (row.short, row.long) if reach is not None]
    return [inches for inches in lengths if over < inches < under]


def retirements(game: Game, now: Field, side: int) -> list[Fraction]:
    """How far (less than 0) a unit may go back: its SPEED, to the range of a row, or to its edge.

    Only "a unit that is falling back" flees there (AC-5.4): by its own
    manoeuvre, or withdrawing, a unit may stand at its edge.
    """
    whole = behind(now, side, game.profiles[side].speed)
    lengths = {-whole, *to_ranges(game, now, side, -whole, Fraction(0))}
    lengths |= {-inches for inches in steps(game, Fraction(0), whole)}
    return sorted(inches for inches in lengths if inches < 0)


def behind(now: Field, side: int, inches: Fraction) -> Fraction:
    """Return how many of some inches a unit can go back: to its own edge at most."""
    room = now.units[side].room
    return inches if room is None else min(inches, room)


def double_times(game: Game, now: Field, side: int) -> list[Fraction]:
    """How far a unit may go in double time, either way: twice its SPEED, or to a range or some steps beyond its SPEED.

    The text says "up to twice": who may go that way at all need not go toward the enemy.  The program lets a
    unit do so only where its edge is stated, and says so.
    """
    assert now.gap is not None
    speed = game.profiles[side].speed
    ahead = min(2 * speed, now.gap - 1)
    back = Fraction(0) if now.units[side].room is None else behind(now, side, 2 * speed)
    found = {ahead, *steps(game, speed, ahead), *(-inches for inches in {back, *steps(game, speed, back)})}
    found |= {*to_ranges(game, now, side, speed, ahead), *to_ranges(game, now, side, -back, -speed)}
    return sorted(inches for inches in found if inches != 0 and inches >= -back)


def steps(game: Game, over: Fraction, under: Fraction) -> list[Fraction]:
    """Return the multiples of the game's step between two lengths, neither of them included."""
    if game.step is None:
        return []
    return [n * game.step for n in range(1, ceil(under / game.step)) if n * game.step > over]


def duel(game: Game, start: Field, order: tuple[int, ...], rounds: int, worth: Then) -> Fraction:
    """AC-9.2: the activations of the rounds one after the other, and what the end is worth."""
    then = worth
    for _ in range(rounds):
        then = remembered(lambda now, after=then: after(rested(now)))
        for side in reversed(order):
            then = remembered(lambda now, side=side, after=then: activate(game, now, side, after))
    return then(start)


def rested(now: Field) -> Field:
    """The end phase: nobody has been activated."""
    for side in (0, 1):
        now = now.put(side, replace(now.units[side], activated=False))
    return now


def remembered(then: Then) -> Then:
    """Keep what a field has been found to be worth."""
    return cache(then)


# --- What the end is worth ---------------------------------------------------


def survival(now: Field) -> Fraction:
    """Whether the unit of side 0 is still there."""
    return Fraction(now.units[0].alive)


def margin(game: Game) -> Then:
    """AC-5.9: the victory points of side 0 less those of side 1."""

    def worth(now: Field) -> Fraction:
        lost = [0 if unit.alive else each.victory_points for unit, each in zip(now.units, game.profiles, strict=True)]
        return Fraction(lost[1] - lost[0])

    return worth
