"""From an attack and a target to one fight: rating, dice, effective DEFENCE, the kind of test."""

from __future__ import annotations

from analyser.common.jit import step
from analyser.game.ruleset import NO_FACES, REROLLED_BY_RATING, Rating
from analyser.rules.structs import NONE, AttackFacts, Bonus, FightFacts, Officer, Penalty, Sight, TargetFacts, Test

LIGHT, HEAVY = 0, 1

_REROLLED_NEUTRAL, _REROLLED_IMPROVED = REROLLED_BY_RATING[Rating.NEUTRAL], REROLLED_BY_RATING[Rating.IMPROVED]


@step
def count_bits(bits: int) -> int:
    """The number of set bits: each bonus and each penalty counts once (AC-3.1)."""
    count = 0
    while bits:
        bits &= bits - 1
        count += 1
    return count


@step
def special_counts(attack: AttackFacts, target: TargetFacts, short_range: int) -> bool:
    """Whether the value in parentheses is the one that counts (Point Blank, Shock, Wreckers of AC-6)."""
    shock = attack.shock and target.category == LIGHT
    return bool((attack.point_blank and short_range) or shock or (attack.wreckers and target.category == HEAVY))


@step
def attack_dice(attack: AttackFacts, target: TargetFacts) -> int:
    """The cell's value, or the one in parentheses (AC-3.2)."""
    if attack.dice_in_parentheses != NONE and special_counts(attack, target, attack.bonuses & Bonus.SHORT_RANGE):
        return attack.dice_in_parentheses
    return attack.dice


@step
def is_concealed(attack: AttackFacts, target: TargetFacts) -> bool:
    """Whether the concealed penalty is in effect (AC-3.9, AC-4.2, AC-4.3; Torrent, Shrouded, Obfuscating)."""
    if attack.torrent or attack.close_quarters:
        return False
    if target.garrisoned or target.always_concealed:
        return True
    prioritises_exposed = target.exposed != NONE and target.exposed < target.models
    said = attack.penalties & Penalty.CONCEALED or attack.sight != Sight.OWN
    said = said or (target.obstacle and target.concealed_by_obstacle)
    return bool(said) and not prioritises_exposed


@step
def combat_rating(attack: AttackFacts, target: TargetFacts, concealed: bool) -> int:
    """AC-3.1 with the bonuses and penalties of AC-4.2; Indirect, Lock On and Seismic of AC-6."""
    if attack.stated_rating != NONE:
        return attack.stated_rating
    if attack.sight == Sight.NONE:
        return Rating.WEAKENED
    if attack.sight == Sight.SPOTTER:
        return Rating.IMPROVED
    difference = count_bits(bonuses_of(attack, target)) - count_bits(penalties_of(attack, concealed))
    if difference > 0:
        return Rating.IMPROVED
    return Rating.WEAKENED if difference < 0 else Rating.NEUTRAL


@step
def bonuses_of(attack: AttackFacts, target: TargetFacts) -> int:
    """Bits of the bonuses that count (AC-4.2, AC-8.2; Seismic of AC-6)."""
    if attack.seismic and target.ground_unit and target.garrisoned:
        return attack.bonuses | Bonus.SEISMIC
    return attack.bonuses


@step
def penalties_of(attack: AttackFacts, concealed: bool) -> int:
    """Bits of the penalties that count (AC-4.2, AC-8.2; Lock On of AC-6)."""
    penalties = attack.penalties & ~Penalty.CONCEALED
    if concealed:
        penalties |= Penalty.CONCEALED
    if attack.opportunity_fire:
        penalties |= Penalty.OPPORTUNITY_FIRE
    if attack.lock_on:
        penalties &= ~Penalty.OPPORTUNITY_FIRE
    return penalties


@step
def effective_defence(attack: AttackFacts, target: TargetFacts, concealed: bool) -> int:
    """AC-4.3; Torrent of AC-6; Pavises, Resilient (Front) and Emplacement of AC-7."""
    defence = target.defence
    if target.resilient_front and target.from_front and not target.garrisoned:
        defence += 1
    if attack.close_quarters:
        return defence
    if target.taking_cover and not attack.torrent and (concealed or target.pavises):
        defence += 1
    if target.garrisoned and not attack.torrent:
        defence += 1
    if target.emplacement and target.obstacle:
        defence += 1
    return defence


@step
def test_taken(attack: AttackFacts, target: TargetFacts) -> int:
    """How the suppression test of this attack goes before any card (AC-4.5, AC-5.1; Hot Headed of AC-7).

    A close quarters attack causes none: the loser of the combat takes one when all have struck (AC-8.5).
    """
    if attack.close_quarters:
        return Test.NOT_TAKEN
    if not target.hot_headed and (attack.opportunity_fire or target.aircraft):
        return Test.NOT_TAKEN
    if target.passes_tests:
        return Test.PASSED
    if target.discipline == NONE:
        return Test.NOT_TAKEN
    return Test.FAILED if target.fail_on_purpose else Test.BY_CARD


@step
def officer_falls(attack: AttackFacts, target: TargetFacts) -> int:
    """When the officer's model is destroyed (AC-5.8; Precision, Bodyguard)."""
    if attack.precision and not target.bodyguard:
        return Officer.FIRST
    return Officer.LAST if target.close_formation else target.officer


@step
def set_pool(attack: AttackFacts, target: TargetFacts, fight: FightFacts) -> None:
    """The dice of the fight and what may be re-rolled (AC-3.1 to AC-3.6)."""
    concealed = is_concealed(attack, target)
    rating = combat_rating(attack, target, concealed)
    reroll_faces = NO_FACES
    if rating == Rating.NEUTRAL:
        reroll_faces = _REROLLED_NEUTRAL
    elif rating == Rating.IMPROVED:
        reroll_faces = _REROLLED_IMPROVED
    extra_faces = attack.extra_faces & ~reroll_faces
    if rating == Rating.WEAKENED or attack.extra_dice == 0:
        extra_faces = NO_FACES
    fight.dice = attack_dice(attack, target)
    fight.rating = rating
    fight.reroll_faces = reroll_faces
    fight.extra_faces = extra_faces
    fight.extra_dice = attack.extra_dice if extra_faces else 0
    fight.explosion = 2 if attack.arc else 1
    fight.heroic_hits = 1 if target.durable else 2
    fight.veteran = 0 if target.durable else attack.veteran
    fight.overcharge = attack.overcharge
    fight.defence = effective_defence(attack, target, concealed)


@step
def set_target(attack: AttackFacts, target: TargetFacts, fight: FightFacts) -> None:
    """The target's state and its kind of test, with everything that is known before the dice."""
    fumes = attack.corrosive and not target.automata and not target.near_commander
    seismic = attack.seismic and target.ground_unit
    fight.models = target.models
    fight.damage = target.damage
    fight.damage_limit = target.damage_limit
    fight.most_destroyed = target.models if target.exposed == NONE else target.exposed
    fight.devastating = attack.devastating
    fight.penetrating = attack.penetrating
    fight.behemoth = target.behemoth
    fight.test = test_taken(attack, target)
    fight.discipline = target.discipline + target.chain_of_command - attack.suppressive
    fight.break_limit = target.break_limit
    fight.suppressed = target.suppressed
    fight.disordered = 1 if fumes else target.disordered
    fight.activated = target.activated
    fight.officer = officer_falls(attack, target)
    fight.near_commander = target.near_commander
    fight.cryo = attack.cryo
    fight.disorders = (target.construct or seismic) and not target.near_commander
    fight.flees = target.flees
    fight.models_without_room = target.models_without_room
    fight.attacker_models = attack.models
    fight.attacker_damage = attack.damage
    fight.attacker_damage_limit = attack.damage_limit


@step
def set_fight(attack: AttackFacts, target: TargetFacts, fight: FightFacts) -> None:
    """Fill `fight` from `attack` and `target` (records of :mod:`.facts`)."""
    set_pool(attack, target, fight)
    set_target(attack, target, fight)
