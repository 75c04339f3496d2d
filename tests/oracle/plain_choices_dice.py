"""Units, dice and cards of a second reading of choices (see `plain_choices`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from typing import NamedTuple

HEROIC, STRIKE, GLANCING, MISS, BLANK = "heroic", "strike", "glancing", "miss", "blank"
WEAKENED, NEUTRAL, IMPROVED = "weakened", "neutral", "improved"

#: AC-1.1: how many faces of the attack die show each symbol.
DIE = ((HEROIC, 1), (STRIKE, 2), (GLANCING, 1), (MISS, 1), (BLANK, 1))
#: AC-1.2: the values in the deck, each with as many copies.
DECK = tuple((value, 3) for value in range(1, 13))

#: What a side may decide.  Where it is not free to, the tactic is done.
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
        """Return the worth of a side's best option; the first is the tactic."""
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
