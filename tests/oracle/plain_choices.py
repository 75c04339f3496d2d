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

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from math import ceil
from typing import NamedTuple

HEROIC, STRIKE, GLANCING, MISS, BLANK = "heroic", "strike", "glancing", "miss", "blank"
WEAKENED, NEUTRAL, IMPROVED = "weakened", "neutral", "improved"

#: AC-1.1: how many faces of the attack die show each symbol.
DIE = ((HEROIC, 1), (STRIKE, 2), (GLANCING, 1), (MISS, 1), (BLANK, 1))
#: AC-1.2: the values in the deck, each with as many copies.
DECK = tuple((value, 3) for value in range(1, 13))

#: What a side may decide.  Where it is not free to, the habit is done.
STRIKES, STRIKES_BACK, OVERCHARGES = "strikes", "strikes back", "overcharges"
FAILS, OVERRUNS, RALLIES, PLANS = "fails", "overruns", "rallies", "plans"
OVERCHARGES_BACK, SHOOTS_BACK = "overcharges back", "shoots back"
KINDS = (
    STRIKES,
    STRIKES_BACK,
    OVERCHARGES,
    OVERCHARGES_BACK,
    FAILS,
    OVERRUNS,
    RALLIES,
    PLANS,
    SHOOTS_BACK,
)
EVERYTHING = frozenset((kind, side) for kind in KINDS for side in (0, 1))


@dataclass(frozen=True)
class Row:
    """A row of the armaments grid (AC-2.3).

    ``dice`` maps a number of models to the dice and to the dice in
    parentheses (the same number where there are none).
    """

    kind: str  # "melee", "impact" or "ranged"
    dice: tuple[tuple[int, tuple[int, int]], ...]
    qualities: frozenset[str] = frozenset()
    against: frozenset[str] = frozenset({"light", "heavy"})
    short: Fraction | None = None
    long: Fraction = Fraction(0)


@dataclass(frozen=True)
class Profile:
    """What is printed of a unit (AC-2.1)."""

    defence: int
    limit: int
    discipline: int
    rows: tuple[Row, ...]
    models: int
    break_limit: int | None = None
    category: str = "light"
    type: str = "infantry"
    durable: bool = False
    veteran: int = 0
    automata: bool = False
    onslaught: bool = False
    sponsons: int = 0
    overrun: bool = False
    static: bool = False
    construct: bool = False
    stoic: bool = False
    run_amok: bool = False
    berserk: bool = False
    speed: Fraction = Fraction(0)
    victory_points: int = 1


@dataclass(frozen=True)
class Unit:
    """What becomes of a unit."""

    models: int
    damage: int = 0
    suppressed: bool = False
    disordered: bool = False
    activated: bool = False
    room: Fraction | None = None  # behind it, to its own edge; None is far (AC-5.5)
    on_lookout: bool = False
    removed: bool = False  # broke or fled

    @property
    def alive(self) -> bool:
        """Whether it still takes part: neither destroyed, broken nor fled."""
        return self.models > 0 and not self.removed


@dataclass(frozen=True)
class Field:
    """Both units, and how far apart they are in their one line."""

    units: tuple[Unit, Unit]
    gap: Fraction | None = None

    def put(self, side: int, unit: Unit) -> Field:
        """Return the field with another state of one side's unit."""
        units = (unit, self.units[1]) if side == 0 else (self.units[0], unit)
        return replace(self, units=units)


Then = Callable[[Field], Fraction]


@dataclass(frozen=True)
class Game:
    """The two profiles, what geometry decides, and what may be decided."""

    profiles: tuple[Profile, Profile]
    free: frozenset[tuple[str, int]] = EVERYTHING
    die: tuple[tuple[str, int], ...] = DIE
    deck: tuple[tuple[int, int], ...] = DECK
    #: Further bonuses and penalties of a side's close quarters attacks
    #: (outflanking, supported, threatened: AC-8.2).
    bonuses: tuple[int, int] = (0, 0)
    penalties: tuple[int, int] = (0, 0)
    #: Whether the charge went through difficult terrain (AC-8.4).
    difficult: tuple[bool, bool] = (False, False)
    #: Whether what a unit's own blanks cost it counts for its test (AC-5.2).
    #: AC-8.5 says "its losses in the combat"; the program rules otherwise.
    blanks_count: bool = False
    #: Where a move may end besides at its whole length: after each multiple of this.
    step: Fraction | None = None
    #: How often each kind of decision was put; for the tests to look at.
    asked: dict[str, int] = field(default_factory=dict, compare=False)

    def decide(self, kind: str, side: int, options: list[Callable[[], Fraction]]) -> Fraction:
        """Return the worth of a side's best option; the first is the habit."""
        if len(options) > 1:
            self.asked[kind] = self.asked.get(kind, 0) + 1
        if (kind, side) not in self.free:
            options = options[:1]
        worths = [option() for option in options]
        return max(worths) if side == 0 else min(worths)


def chances(copies: tuple[tuple[object, int], ...]) -> list[tuple[object, Fraction]]:
    """Turn faces (or cards) with their numbers into chances."""
    total = sum(number for _, number in copies)
    return [(what, Fraction(number, total)) for what, number in copies]


# --- The attack roll (AC-3) -------------------------------------------------


def rating(bonuses: int, penalties: int) -> str:
    """AC-3.1: more bonuses improve, more penalties weaken."""
    if bonuses > penalties:
        return IMPROVED
    if penalties > bonuses:
        return WEAKENED
    return NEUTRAL


def may_reroll(face: str, rated: str) -> bool:
    """AC-3.4: what a rating lets one roll again."""
    if rated == WEAKENED:
        return False
    if rated == NEUTRAL:
        return face == GLANCING
    return face in (GLANCING, MISS)


Counts = tuple[int, int, int]  # final heroic strikes, strikes and blanks


def counts_of(face: str) -> Counts:
    """Count one face that stands."""
    return (int(face == HEROIC), int(face == STRIKE), int(face == BLANK))


def both(one: Mapping[Counts, Fraction], other: Mapping[Counts, Fraction]) -> dict[Counts, Fraction]:
    """Return the counts of two independent throws together."""
    sums: dict[Counts, Fraction] = {}
    for (h, s, b), p in one.items():
        for (hh, ss, bb), q in other.items():
            key = (h + hh, s + ss, b + bb)
            sums[key] = sums.get(key, Fraction(0)) + p * q
    return sums


@cache
def face_that_stands(rated: str, die: tuple[tuple[str, int], ...], first: str) -> dict[Counts, Fraction]:
    """AC-3.4: one rolled face, rolled again at most once if it may be."""
    if not may_reroll(first, rated):
        return {counts_of(first): Fraction(1)}
    result: dict[Counts, Fraction] = {}
    for face, chance in chances(die):
        key = counts_of(str(face))
        result[key] = result.get(key, Fraction(0)) + chance
    return result


@cache
def added_die(rated: str, die: tuple[tuple[str, int], ...]) -> dict[Counts, Fraction]:
    """AC-3.3: a die that an explosion added; it adds no more."""
    result: dict[Counts, Fraction] = {}
    for face, chance in chances(die):
        for key, q in face_that_stands(rated, die, str(face)).items():
            result[key] = result.get(key, Fraction(0)) + chance * q
    return result


@cache
def first_die(rated: str, die: tuple[tuple[str, int], ...], arc: bool) -> dict[Counts, Fraction]:
    """AC-3.3: a die of the first roll, with what its heroic strike adds."""
    result: dict[Counts, Fraction] = {}
    for face, chance in chances(die):
        standing = face_that_stands(rated, die, str(face))
        if face == HEROIC:
            for _ in range(2 if arc else 1):  # Arc: two instead of one
                standing = both(standing, added_die(rated, die))
        for key, q in standing.items():
            result[key] = result.get(key, Fraction(0)) + chance * q
    return result


@cache
def pool(dice: int, rated: str, die: tuple[tuple[str, int], ...], arc: bool) -> dict[Counts, Fraction]:
    """AC-3.2: the whole pool, die by die."""
    if dice == 0:
        return {(0, 0, 0): Fraction(1)}
    return both(pool(dice - 1, rated, die, arc), first_die(rated, die, arc))


def hits(counts: Counts, striker: Profile, target: Profile) -> int:
    """AC-3.6 with Veteran (X) and Durable."""
    heroics, strikes, _ = counts
    raised = min(striker.veteran, strikes)
    heroics, strikes = heroics + raised, strikes - raised
    return heroics * (1 if target.durable else 2) + strikes


def damage_of(number: int, defence: int, qualities: frozenset[str]) -> int:
    """AC-3.7, and Devastating: hits left over are one more damage."""
    damage, over = divmod(number, defence)
    return damage + (1 if over and "Devastating" in qualities else 0)


def suffer(unit: Unit, damage: int, limit: int, penetrating: bool = False) -> Unit:
    """AC-3.8: damage destroys models; Penetrating may take one more."""
    destroyed, left = divmod(unit.damage + damage, limit)
    if destroyed >= unit.models:
        return replace(unit, models=0, damage=0)
    unit = replace(unit, models=unit.models - destroyed, damage=left)
    if penetrating and damage and left:
        unit = replace(unit, models=unit.models - 1, damage=0)
    return unit


def dice_of(row: Row, models: int, target: Profile) -> int | None:
    """AC-3.2: the dice for so many models; Shock and Wreckers; AC-2.4."""
    for covered, (plain, bracketed) in row.dice:
        if covered == models:
            shock = "Shock" in row.qualities and target.category == "light"
            wreck = "Wreckers" in row.qualities and target.category == "heavy"
            return bracketed if shock or wreck else plain
    return None


class Attack(NamedTuple):
    """An attack of one side on the other."""

    side: int
    dice: int
    rated: str
    qualities: frozenset[str] = frozenset()
    overcharged: bool = False


def roll(game: Game, now: Field, attack: Attack, then: Callable[[Field, int, int], Fraction]) -> Fraction:
    """Resolve an attack.

    ``then`` is given the field, and how many of the target's models and how
    many of the attacker's own were destroyed.
    """
    outcomes = outcomes_of(game, now, attack)
    return sum((p * then(*key) for key, p in outcomes.items()), Fraction(0))


@cache
def outcomes_of(game: Game, now: Field, attack: Attack) -> dict[tuple[Field, int, int], Fraction]:
    """Return what an attack may come to, and the chances; kept, being slow."""
    outcomes: dict[tuple[Field, int, int], Fraction] = {}
    for (damage, blanks), chance in results_of(game, attack).items():
        found = struck(game, now, attack, damage, blanks)
        outcomes[found] = outcomes.get(found, Fraction(0)) + chance
    return outcomes


@cache
def results_of(game: Game, attack: Attack) -> dict[tuple[int, int], Fraction]:
    """Return the chances of each damage, and of each number of blanks where they count."""
    results: dict[tuple[int, int], Fraction] = {}
    side, dice, rated, qualities, overcharged = attack
    striker, target = game.profiles[side], game.profiles[1 - side]
    for extra, chance in cards(game) if overcharged else [(0, Fraction(1))]:
        for counts, q in pool(dice + extra, rated, game.die, "Arc" in qualities).items():
            damage = damage_of(hits(counts, striker, target), target.defence, qualities)
            key = (damage, counts[2] if overcharged else 0)
            results[key] = results.get(key, Fraction(0)) + chance * q
    return results


def cards(game: Game) -> list[tuple[int, Fraction]]:
    """Overcharge: the value of the card revealed."""
    return [(int(str(value)), chance) for value, chance in chances(game.deck)]


def struck(game: Game, now: Field, attack: Attack, damage: int, blanks: int) -> tuple[Field, int, int]:
    """Apply its damage to the target and, with Overcharge, its blanks to the attacker afterwards."""
    side = attack.side
    before, own = now.units[1 - side], now.units[side]
    after = suffer(before, damage, game.profiles[1 - side].limit, "Penetrating" in attack.qualities)
    own_after = suffer(own, blanks, game.profiles[side].limit)
    field_after = now.put(1 - side, after).put(side, own_after)
    return field_after, before.models - after.models, own.models - own_after.models


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
