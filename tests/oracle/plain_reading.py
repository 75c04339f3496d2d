"""A slow, plain reading of the rules of a ranged attack, for the tests to compare the engines with.

It is written from the numbered rules (AC-3 to AC-7) and from `docs/rulings.md` alone and shares nothing with
the package: every face of every die, every card and every place of the officer is enumerated, in fractions.
Good for five or six dice, cards of an Overcharge included. Keep it obvious rather than fast.
"""

from collections import defaultdict
from fractions import Fraction
from functools import cache
from math import factorial
from typing import NamedTuple

from tests.oracle.plain_laws import certainly, collect, marginal, then

FACES = ("heroic", "strike", "glancing", "miss", "blank")
WORST_FIRST = ("blank", "miss", "glancing", "strike")
REROLLED_BY_RATING = {"neutral": ("glancing",), "improved": ("glancing", "miss")}

DEFAULT_DIE = {"heroic": 1, "strike": 2, "glancing": 1, "miss": 1, "blank": 1}  # AC-1.1
DEFAULT_DECK = dict.fromkeys(range(1, 13), 3)  # AC-1.2

DEFAULT_ATTACK = {
    **dict.fromkeys(("dice", "rating", "attacker_models")),
    **dict.fromkeys(("opportunity_fire", "overcharge", "concealed"), False),
    **dict.fromkeys(("veteran", "attacker_damage", "carriages"), 0),
    **dict.fromkeys(("bonuses", "penalties", "qualities"), ()),
    **{"kind": "ranged", "extra_reroll": {"faces": [], "dice": 0}, "attacker_damage_limit": 1, "line_of_sight": "own"},
}
DEFAULT_TARGET = {
    **dict.fromkeys(("models", "defence", "damage_limit", "discipline", "break_limit", "exposed", "edge_distance")),
    **dict.fromkeys(("formation", "type")),
    **dict.fromkeys(("suppressed", "disordered", "activated", "near_commander", "taking_cover", "garrisoned"), False),
    **dict.fromkeys(("obstacle", "from_front", "behemoth", "aircraft", "fail_on_purpose", "peer_review"), False),
    **{"damage": 0, "models_without_room": 0, "officer": "last", "chain_of_command": False, "rules": ()},
}
DEFAULT_RULESET = {"die": DEFAULT_DIE, "deck": DEFAULT_DECK}


# --- the pool of dice -------------------------------------------------------------------------------------


class Pool(NamedTuple):
    """How many dice of a pool show each face (AC-1.1)."""

    heroic: int = 0
    strike: int = 0
    glancing: int = 0
    miss: int = 0
    blank: int = 0

    def plus(self, other):
        return Pool(*(a + b for a, b in zip(self, other, strict=True)))

    def minus(self, other):
        return Pool(*(a - b for a, b in zip(self, other, strict=True)))


@cache
def rolls(dice, faces):
    """Every pool that `dice` dice can show, with its chance: the multinomial law (AC-3.2).

    `faces` is the number of sides of the die that carry each face, in the order of FACES.
    """
    sides = sum(faces)
    found = []
    for pool in pools_of(dice):
        ways = factorial(dice)
        for number, face_count in zip(pool, faces, strict=True):
            ways = ways // factorial(number) * face_count**number
        if ways:
            found.append((pool, Fraction(ways, sides**dice)))
    return tuple(found)


def pools_of(dice):
    """Every way in which `dice` dice can be spread over the five faces (AC-1.1)."""
    for heroic in range(dice + 1):
        for strike in range(dice - heroic + 1):
            for glancing in range(dice - heroic - strike + 1):
                for miss in range(dice - heroic - strike - glancing + 1):
                    blank = dice - heroic - strike - glancing - miss
                    yield Pool(heroic, strike, glancing, miss, blank)


@cache
def exploded_pools(dice, faces, arc):
    """The pool after the first roll and the dice that its heroic strikes add (AC-3.2, AC-3.3, Arc in AC-6)."""
    added_for_each_heroic = 2 if arc else 1
    chances = defaultdict(Fraction)
    for first, first_chance in rolls(dice, faces):
        # Heroic strikes among the added dice add nothing more, so one step is all there is.
        for added, added_chance in rolls(first.heroic * added_for_each_heroic, faces):
            chances[first.plus(added)] += first_chance * added_chance
    return dict(chances)


def dice_to_reroll(pool, rating, extra_faces, extra_dice):
    """The dice of the pool that are rolled again, each once (AC-3.4, AC-3.5).

    The rating takes its faces first; then the extra re-rolls take the worst of the named faces that are left.
    """
    if rating == "weakened":
        return Pool()
    chosen = {face: getattr(pool, face) for face in REROLLED_BY_RATING[rating]}
    extra_left = extra_dice
    for face in WORST_FIRST:
        if face in extra_faces and face not in chosen:
            chosen[face] = min(getattr(pool, face), extra_left)
            extra_left -= chosen[face]
    return Pool(**chosen)


def final_pools(dice, faces, rating, *, arc, extra_faces, extra_dice):
    """The final pool: exploded, then re-rolled; a heroic strike on a re-roll adds no dice (AC-3.3 to AC-3.5)."""
    kept_chances = defaultdict(Fraction)
    for pool, chance in exploded_pools(dice, faces, arc).items():
        chosen = dice_to_reroll(pool, rating, extra_faces, extra_dice)
        kept_chances[pool.minus(chosen), sum(chosen)] += chance
    chances = defaultdict(Fraction)
    for (kept, number_rerolled), chance in kept_chances.items():
        for new_faces, new_chance in rolls(number_rerolled, faces):
            chances[kept.plus(new_faces)] += chance * new_chance
    return chances


def hits_of(pool, durable, veteran):
    """The hits that a final pool scores (AC-3.6; Veteran and Durable in AC-7)."""
    turned_heroic = min(pool.strike, veteran)
    heroic = pool.heroic + turned_heroic
    strike = pool.strike - turned_heroic
    return strike + heroic * (1 if durable else 2)


def pool_law(dice, die, rating, arc=False, durable=False, veteran=0, extra_faces=(), extra_dice=0):
    """The joint law {(hits, blanks): chance} of a pool of dice (AC-3.2 to AC-3.6; Arc, Veteran, Durable)."""
    faces = tuple(die.get(face, 0) for face in FACES)
    return dict(_pool_law(dice, faces, rating, arc, durable, veteran, frozenset(extra_faces), extra_dice))


@cache
def _pool_law(dice, faces, rating, arc, durable, veteran, extra_faces, extra_dice):
    chances = defaultdict(Fraction)
    pools = final_pools(dice, faces, rating, arc=arc, extra_faces=extra_faces, extra_dice=extra_dice)
    for pool, chance in pools.items():
        chances[hits_of(pool, durable, veteran), pool.blank] += chance
    return chances


# --- reading the scenario ---------------------------------------------------------------------------------


def with_defaults(given, defaults, name):
    """The table of a scenario with everything filled in that it leaves out; an unknown key is never ignored."""
    unknown = set(given) - set(defaults)
    if unknown:
        raise ValueError(f"[{name}]: the plain reading does not know {sorted(unknown)}")
    return {**defaults, **given}


def read(scenario):
    """The attack, the target, the die (AC-1.1) and the deck (AC-1.2) of a scenario."""
    attack = with_defaults(scenario["attack"], DEFAULT_ATTACK, "attack")
    target = with_defaults(scenario["target"], DEFAULT_TARGET, "target")
    ruleset = with_defaults(scenario.get("ruleset", {}), DEFAULT_RULESET, "ruleset")
    # TOML keys are strings: "1" = 3.
    deck = {int(value): copies for value, copies in ruleset["deck"].items() if copies}
    return attack, target, ruleset["die"], deck


def has_rule(target, name):
    """Whether the target has the special rule of AC-7, whatever its value: "Obfuscating (12)"."""
    return any(rule.split(" (")[0] == name for rule in target["rules"])


def is_aircraft(target):
    """Aircraft by its type or by the flag (AC-2.1)."""
    return target["aircraft"] or target["type"] == "aircraft"


def prioritises_exposed(target):
    """Whether the attack is on exposed models only: some but not all are exposed (AC-3.9)."""
    return target["exposed"] is not None and target["exposed"] < target["models"]


def is_concealed(attack, target):
    """Whether the concealed penalty is in effect (AC-4.2, AC-3.9; Torrent in AC-6, Shrouded in AC-7)."""
    if "Torrent" in attack["qualities"]:
        return False
    if target["garrisoned"] or has_rule(target, "Shrouded") or has_rule(target, "Obfuscating"):
        return True
    if prioritises_exposed(target):
        return False
    behind_obstacle = target["obstacle"] and target["type"] in (None, "infantry", "cavalry", "field gun")
    unseen = attack["line_of_sight"] != "own"  # no clear line to half of the models, if there is none at all
    return attack["concealed"] or "concealed" in attack["penalties"] or behind_obstacle or unseen


def seismic_works(attack, target):
    """Seismic has no effect on aircraft, rotorcraft or Hover (AC-6)."""
    immune = is_aircraft(target) or target["type"] == "rotorcraft" or has_rule(target, "Hover")
    return "Seismic" in attack["qualities"] and not immune


def combat_rating(attack, target):
    """The combat rating: as stated, else by line of sight, else counted (AC-3.1, AC-4.2; Indirect in AC-6)."""
    if attack["rating"] is not None:
        return attack["rating"]
    if attack["line_of_sight"] == "none":
        return "weakened"
    if attack["line_of_sight"] == "spotter":
        return "improved"
    difference = len(bonuses(attack, target)) - len(penalties(attack, target))
    if difference > 0:
        return "improved"
    return "weakened" if difference < 0 else "neutral"


def bonuses(attack, target):
    """The rating bonuses of the attack, each once (AC-4.2; Seismic in AC-6, Ammo Supply in AC-7)."""
    counted = set(attack["bonuses"])
    if target["garrisoned"] and seismic_works(attack, target):
        counted.add("seismic")
    return counted


def penalties(attack, target):
    """The rating penalties of the attack, each once (AC-4.2; Lock On and Turret in AC-6)."""
    counted = set(attack["penalties"]) - {"concealed"}
    if is_concealed(attack, target):
        counted.add("concealed")
    if attack["opportunity_fire"]:
        counted.add("opportunity_fire")
    if "Lock On" in attack["qualities"]:
        counted.discard("opportunity_fire")
    return counted


def effective_defence(attack, target):
    """DEFENCE with all that adds to it (AC-4.3; Torrent in AC-6, Pavises, Resilient, Emplacement in AC-7)."""
    defence = target["defence"]
    if "Torrent" not in attack["qualities"]:
        if target["taking_cover"] and (is_concealed(attack, target) or has_rule(target, "Pavises")):
            defence += 1
        if target["garrisoned"]:
            defence += 1
    if has_rule(target, "Resilient") and target["from_front"] and not target["garrisoned"]:
        defence += 1
    if has_rule(target, "Emplacement") and target["obstacle"]:
        defence += 1
    return defence


# --- the attack roll of a scenario ------------------------------------------------------------------------


def card_law(deck):
    """The law of the top card of a full deck (AC-1.2, AC-5.1)."""
    cards = sum(deck.values())
    return {value: Fraction(copies, cards) for value, copies in deck.items()}


def dice_law(attack, deck):
    """The law of the number of dice first rolled (AC-3.2; Full Steam Ahead and Overcharge in AC-6)."""
    dice = attack["dice"]
    if "Full Steam Ahead" in attack["qualities"]:
        dice += 2 * attack["carriages"]
    if not attack["overcharge"]:
        return {dice: Fraction(1)}
    return {dice + value: chance for value, chance in card_law(deck).items()}


def attack_pool_law(dice, die, attack, target, rating=None):
    """The joint law {(hits, blanks): chance} of so many dice of an attack on a target (AC-3.1 to AC-3.6)."""
    rating, arc, again = rating or combat_rating(attack, target), "Arc" in attack["qualities"], attack["extra_reroll"]
    durable = has_rule(target, "Durable")
    return pool_law(dice, die, rating, arc, durable, attack["veteran"], again["faces"], again["dice"])


def attack_roll_law(scenario):
    """The joint law {(hits, blanks): chance} of the attack roll of a scenario (AC-3.1 to AC-3.6)."""
    attack, target, die, deck = read(scenario)
    return then(dice_law(attack, deck), lambda dice: attack_pool_law(dice, die, attack, target))


def hits_law(scenario):
    """The law {hits: chance} of the attack roll of a scenario (AC-3.6)."""
    return marginal(attack_roll_law(scenario), lambda hits_and_blanks: hits_and_blanks[0])


# --- damage -----------------------------------------------------------------------------------------------


def damage_of(hits, defence, devastating):
    """Every DEFENCE hits are 1 damage; with Devastating the excess hits are one more (AC-3.7, AC-6)."""
    damage, excess_hits = divmod(hits, defence)
    if devastating and excess_hits > 0:
        damage += 1
    return damage


class Wounds(NamedTuple):
    models_destroyed: int
    damage: int


def suffer_one(wounds, target):
    """The target suffers 1 damage (AC-3.8, AC-3.9)."""
    can_be_destroyed = target["exposed"] if prioritises_exposed(target) else target["models"]
    if wounds.models_destroyed == can_be_destroyed:
        return wounds
    if wounds.damage + 1 == target["damage_limit"]:
        return Wounds(wounds.models_destroyed + 1, 0)
    return Wounds(wounds.models_destroyed, wounds.damage + 1)


def penetrate(wounds, target):
    """Penetrating, after at least 1 damage: what is left on the target costs it one more model (AC-6)."""
    # Damage is never left once the last model, or the last exposed one, is gone.
    if wounds.damage == 0:
        return wounds
    if target["behemoth"]:
        return suffer_one(wounds, target)
    return Wounds(wounds.models_destroyed + 1, 0)


def wounds_of(hits, attack, target):
    """The models destroyed and the damage left on the target after the attack roll (AC-3.7 to AC-3.9)."""
    defence = effective_defence(attack, target)
    damage = damage_of(hits, defence, "Devastating" in attack["qualities"])
    wounds = Wounds(0, target["damage"])
    for _ in range(damage):
        wounds = suffer_one(wounds, target)
    if damage >= 1 and "Penetrating" in attack["qualities"]:
        wounds = penetrate(wounds, target)
    return wounds


# --- officer, suppression test, breaking ------------------------------------------------------------------


class Outcome(NamedTuple):
    models_left: int
    models_destroyed: int
    damage: int = 0
    suppressed: bool = False
    disordered: bool = False
    fell_back: bool = False
    broken: bool = False
    fled: bool = False
    annihilated: bool = False
    activated: bool = False


def removed(models_destroyed, **how):
    """A unit destroyed, broken or fled keeps no model and no status (AC-5.4, AC-5.9)."""
    return Outcome(models_left=0, models_destroyed=models_destroyed, annihilated=True, **how)


def fights_in_open_formation(target):
    """The formation as stated, else by Irregular and Lockstep, else by type; without a type close (AC-5.8, AC-7)."""
    if target["formation"] is not None:
        return target["formation"] == "open"
    if has_rule(target, "Irregular"):
        return True
    return not has_rule(target, "Lockstep") and target["type"] not in {None, "infantry", "field gun"}


def officer_place_law(attack, target):
    """The law of the officer's place in the order in which models are destroyed, 1 first (AC-5.8, Precision)."""
    models = target["models"]
    if "Precision" in attack["qualities"] and not has_rule(target, "Bodyguard"):
        return {1: Fraction(1)}
    if not fights_in_open_formation(target) or target["officer"] == "last":
        return {models: Fraction(1)}
    if target["officer"] == "first":
        return {1: Fraction(1)}
    return {place: Fraction(1, models) for place in range(1, models + 1)}


def becomes_disordered(state, target):
    """Disordered, unless a commander is near (AC-5.8)."""
    return state if target["near_commander"] else state._replace(disordered=True)


def lose_officer(state, officer_place, target):
    """The unit becomes disordered if its officer is among the models destroyed (AC-5.8)."""
    if state.models_destroyed >= officer_place:
        return becomes_disordered(state, target)
    return state


def must_test(state, attack, target):
    """Whether the attack causes a suppression test (AC-4.5, AC-5.1; Hot Headed in AC-7)."""
    if state.models_destroyed == 0 or target["discipline"] is None:
        return False
    if has_rule(target, "Hot Headed"):
        return True
    is_opportunity_fire = attack["opportunity_fire"] or "opportunity_fire" in attack["penalties"]
    return not is_opportunity_fire and not is_aircraft(target)


def modified_discipline(state, attack, target):
    """DISCIPLINE with the modifiers of the suppression test (AC-5.2, AC-5.3, AC-6, AC-7)."""
    discipline = target["discipline"]
    if 2 * state.models_destroyed >= target["models"]:
        discipline -= 1
    if state.disordered:
        discipline -= 1
    if "Suppressive" in attack["qualities"]:
        discipline -= 1
    if target["chain_of_command"]:
        discipline += 1
    return discipline


def chance_to_fail(state, attack, target, deck):
    """The chance that the suppression test is failed (AC-5.1; Automata, Irrepressible, Peer Review in AC-7)."""
    if has_rule(target, "Automata") or has_rule(target, "Irrepressible") or target["peer_review"]:
        return Fraction(0)
    if target["fail_on_purpose"]:
        return Fraction(1)
    discipline = modified_discipline(state, attack, target)
    return sum((chance for value, chance in card_law(deck).items() if value > discipline), Fraction(0))


def fail_test(state, attack, target):
    """What a failed suppression test does: break, else fall back, else become suppressed (AC-5.4)."""
    if target["break_limit"] is not None and state.models_left <= target["break_limit"]:
        return removed(state.models_destroyed, broken=True)
    if state.suppressed:
        return fall_back(state, target)
    return become_suppressed(state, attack, target)


def fall_back(state, target):
    """Fall back 3", flee at the own edge, lose the models that find no room (AC-5.4, AC-5.5)."""
    if target["edge_distance"] is not None and target["edge_distance"] <= 3:
        return removed(state.models_destroyed, fell_back=True, fled=True)
    without_room = min(target["models_without_room"], state.models_left)
    models_left = state.models_left - without_room
    models_destroyed = state.models_destroyed + without_room
    if models_left == 0:
        return removed(models_destroyed, fell_back=True)
    # Their own general picks these models, and would not pick the officer.
    return state._replace(models_left=models_left, models_destroyed=models_destroyed, fell_back=True)


def become_suppressed(state, attack, target):
    """Suppressed, or activated by Cryo; Seismic and Construct disorder as well (AC-5.4, AC-6, AC-7)."""
    if "Cryo" in attack["qualities"] and not state.activated:
        return state._replace(activated=True)
    state = state._replace(suppressed=True)
    if seismic_works(attack, target) or has_rule(target, "Construct"):
        state = becomes_disordered(state, target)
    return state


def target_law(hits, attack, target, deck):
    """The law {Outcome: chance} of the target once the hits are known (AC-3.7 to AC-5.9)."""
    wounds = wounds_of(hits, attack, target)
    models_left = target["models"] - wounds.models_destroyed
    if models_left == 0:
        return {removed(wounds.models_destroyed): Fraction(1)}
    same = {name: target[name] for name in ("suppressed", "disordered", "activated")}
    state = Outcome(models_left, wounds.models_destroyed, wounds.damage, **same)

    def tested(officer_place):
        after_loss = lose_officer(state, officer_place, target)
        if not must_test(after_loss, attack, target):
            return certainly(after_loss)
        fails = chance_to_fail(after_loss, attack, target, deck)
        return collect([(after_loss, 1 - fails), (fail_test(after_loss, attack, target), fails)])

    return then(officer_place_law(attack, target), tested)


# --- the whole attack -------------------------------------------------------------------------------------


def attacker_losses(blanks, attack):
    """The attacker's models destroyed and damage left: 1 damage for each blank of an Overcharge (AC-6, AC-3.8)."""
    if not attack["overcharge"]:
        return 0, 0
    models_destroyed, damage = 0, attack["attacker_damage"]
    for _ in range(blanks):
        if models_destroyed == attack["attacker_models"]:
            break
        damage += 1
        if damage == attack["attacker_damage_limit"]:
            models_destroyed, damage = models_destroyed + 1, 0
    return models_destroyed, damage


def law(scenario):
    """The joint law of the outcome of a ranged attack; the chances are fractions and sum to 1.

    Keys: (models_left, models_destroyed, damage, suppressed, disordered, fell_back, broken, fled, annihilated,
    activated, attacker_models_destroyed, attacker_damage). Outcomes that cannot happen are left out.
    """
    attack, target, _die, deck = read(scenario)
    law_of_target = cache(lambda hits: target_law(hits, attack, target, deck))

    def struck(roll):
        hits, blanks = roll
        return marginal(law_of_target(hits), lambda outcome: (*outcome, *attacker_losses(blanks, attack)))

    return then(attack_roll_law(scenario), struck)
