"""Input of the engines, as records of integers. A field without a comment is a flag (0 or 1) or the number it names."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np

NONE = -1
INCH = 100  # lengths are integers in hundredths of an inch
MOST_INCHES = 60  # longest possible distance, in inches: the depth of the playing table


class Officer(IntEnum):
    """Order in which the officer's model is destroyed, among the models of its unit (AC-5.8)."""

    LAST = 0
    FIRST = 1
    RANDOM = 2


class Test(IntEnum):
    """Kind of a suppression test, before a card is drawn (AC-4.5, AC-5.1, AC-7)."""

    NOT_TAKEN = 0
    BY_CARD = 1
    PASSED = 2
    FAILED = 3


class Sight(IntEnum):
    """Line of sight of an Indirect row (AC-6)."""

    OWN = 0
    NONE = 1
    SPOTTER = 2


class Bonus(IntEnum):
    """Bits of the combat-rating bonuses of an attack, ranged (AC-4.2, AC-7) or in close quarters (AC-8.2, AC-7)."""

    AIMING = 1
    SHORT_RANGE = 2
    AMMO_SUPPLY = 4
    SEISMIC = 8
    OUTFLANKING = 16
    OVERWHELMING = 32
    SUPPORTED = 64
    ONSLAUGHT = 128


class Penalty(IntEnum):
    """Bits of the combat-rating penalties of an attack, ranged (AC-4.2, AC-6) or in close quarters (AC-8.2, AC-7)."""

    CONCEALED = 1
    SUPPRESSED = 2
    OPPORTUNITY_FIRE = 4
    REFORMING = 8
    OUTSIDE_FRONT_ARC = 16
    THREATENED = 32
    OVERRUN = 64


CATEGORIES = ("light", "heavy", "aerial")


class AttackFacts:
    """Facts of the attack and the attacker."""

    close_quarters: int  # 1: the attack ignores cover and range, and causes no test (AC-4.3, AC-8.5)
    dice: int
    dice_in_parentheses: int  # NONE: the cell of the armaments table has no value in parentheses
    point_blank: int
    shock: int
    wreckers: int
    stated_rating: int  # a Rating, or NONE: the rating is computed
    bonuses: int  # bits of Bonus
    penalties: int  # bits of Penalty
    sight: int  # a Sight
    arc: int
    veteran: int
    extra_faces: int  # bits of the faces whose dice may take an extra re-roll (AC-3.5)
    extra_dice: int  # most dice that may take an extra re-roll
    overcharge: int
    devastating: int
    penetrating: int
    suppressive: int
    torrent: int
    precision: int
    cryo: int
    seismic: int
    lock_on: int
    opportunity_fire: int
    corrosive: int  # 1: the target is within reach of the attacker's Corrosive Fumes
    models: int  # number of models of the attacker (for Overcharge)
    damage: int  # earlier damage on the attacker (for Overcharge)
    damage_limit: int  # DAMAGE LIMIT of the attacker (for Overcharge)
    charging: int  # 1: the attack of a charge, not of an Overrun
    is_a: int  # bits of the attacker's type and category (`house_rules.IS_A`); 0 if unknown
    die: int  # a custom die, packed into an integer (:mod:`.house_rules`); 0: the die of the rules
    house_1: int  # house_1 to house_4: one house rule of the attacker each, packed (:mod:`.house_rules`); 0: none
    house_2: int
    house_3: int
    house_4: int


class TargetFacts:
    """Facts of the target."""

    category: int  # an index of CATEGORIES
    models: int
    defence: int
    damage_limit: int
    discipline: int  # NONE: the unit takes no test
    break_limit: int  # NONE: the unit cannot break
    damage: int
    suppressed: int
    disordered: int
    activated: int
    exposed: int  # number of exposed models; NONE: the attack does not prioritise them (AC-3.9)
    close_formation: int
    officer: int  # an Officer
    near_commander: int
    taking_cover: int
    garrisoned: int
    from_front: int
    obstacle: int
    behemoth: int
    aircraft: int
    flees: int  # 1: a fall-back of 3 inches reaches the unit's own table edge
    models_without_room: int  # models lost for lack of room if the unit falls back
    fail_on_purpose: int
    chain_of_command: int
    passes_tests: int  # 1: the unit passes all tests (Automata, Irrepressible, or a friend with Peer Review)
    automata: int
    hot_headed: int
    durable: int
    resilient_front: int
    emplacement: int
    pavises: int
    always_concealed: int  # 1: the unit is Shrouded or Obfuscating
    construct: int
    bodyguard: int
    ground_unit: int  # 1: Seismic can affect it
    concealed_by_obstacle: int
    steady: int  # 1: never disordered (a house rule)
    is_a: int  # bits of the target's type and category (`house_rules.IS_A`); 0 if unknown
    house_1: int  # house_1 to house_4: one house rule of the target each, packed (:mod:`.house_rules`); 0: none
    house_2: int
    house_3: int
    house_4: int


class FightFacts:
    """An attack on a target with all conditions applied."""

    dice: int
    rating: int
    reroll_faces: int  # bits of faces that the rating re-rolls (AC-3.4)
    extra_faces: int  # bits of the faces, other than reroll_faces, whose dice may take an extra re-roll (AC-3.5)
    extra_dice: int  # most dice that may take an extra re-roll
    explosion: int  # number of dice added by a first-roll die that explodes
    exploding_faces: int  # bits of the faces that explode
    heroic_faces: int  # bits of the faces that count as a heroic strike
    strike_faces: int  # bits of the faces that count as a strike
    blank_faces: int  # bits of the faces that count as a blank
    heroic_hits: int
    strike_hits: int
    veteran: int
    overcharge: int
    attacker_models: int
    attacker_damage: int
    attacker_damage_limit: int
    models: int
    damage: int
    damage_limit: int
    most_destroyed: int  # most models that can be destroyed (AC-3.9)
    defence: int
    devastating: int
    penetrating: int
    behemoth: int
    test: int  # a Test
    discipline: int  # DISCIPLINE with all modifiers known before the roll
    break_limit: int
    suppressed: int
    disordered: int
    activated: int
    officer: int
    near_commander: int
    cryo: int
    disorders: int  # 1: if the target becomes suppressed, it also becomes disordered (Construct, Seismic)
    flees: int
    models_without_room: int


class SideFacts(NamedTuple):
    """Constants of a side in a longer fight; lengths are in hundredths of an inch."""

    models: int = 0  # number of models at the start
    garrisoned: int = 0  # 1: the unit starts in a building
    distance: int = 0  # distance between the two units at the start; NONE: distances do not count
    edge_distance: int = 0  # distance to the side's own table edge at the start; NONE: the edge is far
    tracks_position: int = 0  # 1: the position matters, and is stored in the state (:mod:`.unit_state`)
    stride: int = 0  # positions are multiples of the stride, counted from the start
    origin: int = 0  # number, in strides, that a state stores for the starting position
    position_bit: int = 0  # lowest bit of the position in the state
    speed: int = 0
    retires: int = 0  # longest move away from the enemy, in multiples of SPEED
    policy: int = 0  # a Policy, or NONE: best play or a plan decides for the side
    charges: int = 0  # 1: the unit may charge the other side
    berserk: int = 0  # 1: it charges after a failed rally test, if possible, under every policy
    runs_amok: int = 0  # 1: it charges if possible, under every policy
    rearms: int = 0  # 1: a reloading unit re-arms instead of shooting (Slow to Fire)
    static: int = 0
    hunter: int = 0
    overrun: int = 0
    fumes_reach: int = 0  # reach of the enemy's Corrosive Fumes (AC-7); NONE: they have no effect
    withdraws_without_room: int = 0  # models lost for lack of space when it withdraws
    spectacular_demise: int = 0  # dice of the blast when its last model is destroyed; 0: it does not have the rule
    capacity: int = 0  # number of passengers that each of its models can carry
    passengers: int = 0  # number of models embarked on it


class StrikeFacts(NamedTuple):
    """A strike (an attack of one unit) in a longer fight: the striking side, the conditions, and the effects."""

    striker: int = 0  # side 0 or 1
    orders: int = 0  # bits of the orders of the active side under which the strike is made; NONE: all orders
    by_lookout: int = 0  # 1: opportunity fire, made by a unit on lookout
    by_blast: int = 0  # 1: the blast of a removed unit (Spectacular Demise)
    # 0: the side's primary unit makes the strike. From 1: number of the secondary unit that makes it, even after the
    # primary unit has destroyed itself by blanks (AC-8.7).
    secondary_unit: int = 0
    marks_striker: int = 0  # 1: the striker is marked, so that the target shoots back (Tail Gunner)
    on_marked: int = 0  # 1: made only on a marked unit (Tail Gunner, Throw)
    after_failed_rally: int = 0  # 1: possible even if the striker failed its rally test
    by_damage: int = 0  # 1: the striker's damage, not its number of models, selects the band (AC-2.3)
    inside: int = 0  # 1: made only if the striker is in its building; 0: only if it is outside; NONE: in both cases
    fixed_dice: int = 0  # dice for any number of models (Sponsons, other units); NONE: by the armaments table
    in_combat: int = 0  # 1: its losses decide a combat; its Suppressive, Cryo, Seismic affect the loser's test (AC-8.5)
    long_range: int = 0  # hundredths of an inch; NONE: everything is in range
    short_range: int = 0  # hundredths of an inch; NONE: no short range
    indirect: int = 0
    move_or_fire: int = 0
    reloads: int = 0  # 1: the striker must reload afterwards (Slow to Fire)
    pays_overcharge: int = 0  # 1: the cost of Overcharge changes the striker's state (AC-6)
    attacks_building: int = 0  # 1: a die for the building is rolled later (Siegebreaker)
    before_throw: int = 0  # 1: made by a unit with Throw; its Throw follows if the strike destroys a model
    by_throw: int = 0  # 1: the strike is a Throw; the value of a drawn card is its number of dice
    separate_test: int = 0  # 1: the suppression test is a separate step, so that it can be failed on purpose


def _integer_record(facts: type) -> np.dtype[np.void]:
    return np.dtype((np.record, [(name, np.int64) for name in facts.__annotations__]))


ATTACK, TARGET, FIGHT = _integer_record(AttackFacts), _integer_record(TargetFacts), _integer_record(FightFacts)
SIDE, STRIKE = _integer_record(SideFacts), _integer_record(StrikeFacts)
