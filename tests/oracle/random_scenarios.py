"""Whole scenarios at random, over every key that a scenario without profiles has.

Small enough for the plain reading, and odd enough to meet every branch of the rules. A case is named by its seed and
its number, and each name of a list is drawn for by itself: a quality that is added to a list changes the cases that it
is drawn for, and nothing else in them.
"""

import random

QUALITIES = ("Arc", "Devastating", "Penetrating", "Suppressive", "Torrent", "Precision", "Cryo", "Seismic", "Lock On")
# Of rows in battles and longer fights.
CLOSE_QUALITIES = (
    *("Arc", "Devastating", "Penetrating", "Suppressive", "Precision", "Cryo", "Seismic", "Shock", "Wreckers"),
)
RANGED_QUALITIES = (*CLOSE_QUALITIES, "Torrent", "Lock On", "Point Blank", "Slow to Fire", "Move or Fire")
TARGET_RULES = (
    *("Durable", "Automata", "Irrepressible", "Resilient (Front)", "Emplacement", "Pavises", "Shrouded"),
    *("Obfuscating (12)", "Construct", "Hot Headed", "Bodyguard", "Irregular", "Lockstep", "Hover"),
)
TYPES = ("infantry", "cavalry", "field gun", "armour", "artillery", "fortification", "rotorcraft", "aircraft")
CATEGORIES = ("light", "heavy", "aerial")
RATINGS = ("weakened", "neutral", "improved")
BONUSES = ("aiming", "short_range", "ammo_supply")
PENALTIES = ("concealed", "suppressed", "opportunity_fire", "reforming")
REROLL_FACES = ("strike", "glancing", "miss", "blank")
FACES = ("heroic", *REROLL_FACES)
TARGET_FLAGS = (
    *("suppressed", "disordered", "activated", "near_commander", "taking_cover", "garrisoned", "from_front"),
    *("obstacle", "behemoth", "fail_on_purpose", "chain_of_command"),
)


def random_scenarios(seed, count):
    """`count` scenarios; the same seed gives the same ones."""
    return [random_scenario(rng) for rng in cases(seed, count)]


def cases(seed, count):
    """A source of chance for each of `count` cases, which does not depend on the cases before it."""
    return (random.Random(f"{seed}, case {number}") for number in range(count))


def random_scenario(rng):
    """One scenario; `rng` is a `random.Random` or anything like it."""
    attack, deck = random_attack(rng)
    return {"attack": attack, "target": random_target(rng), "ruleset": {"die": random_die(rng), "deck": deck}}


def random_die(rng):
    """A die on which any face may be missing but one."""
    die = {face: rng.randint(0, 2) for face in FACES}
    die[rng.choice(FACES)] += 1
    return die


def consistent(rules):
    """The rules without those that contradict an earlier one: another number or another formation."""
    by_name = {}
    for rule in rules:
        by_name.setdefault("formation" if rule in ("Irregular", "Lockstep") else rule.split(" (")[0], rule)
    return list(by_name.values())


def random_attack(rng):
    """An attack, and a deck that its Overcharge can turn without flooding the plain reading with dice."""
    attack = {"dice": rng.randint(1, 4), "qualities": some_of(QUALITIES, rng), "veteran": rng.choice((0, 0, 1, 2))}
    attack["opportunity_fire"] = often(0.1, rng)
    attack["concealed"] = often(0.2, rng)
    deck = {str(value): rng.randint(0, 2) for value in range(13)} | {"5": 1}
    set_rating(attack, rng)
    if often(0.3, rng):
        faces = some_of(REROLL_FACES, rng) or [rng.choice(REROLL_FACES)]
        attack["extra_reroll"] = {"faces": faces, "dice": rng.randint(0, 3)}
    if often(0.25, rng):
        attack |= random_overcharge(rng)
        deck = {"1": 2, "2": 1, "9": 0}
    if often(0.1, rng):
        attack["qualities"].append("Full Steam Ahead")
        attack |= {"dice": 1, "carriages": 1}
    return attack, deck


def set_rating(attack, rng):
    """The rating: stated, counted from bonuses and penalties, or given by an Indirect row's line of sight."""
    if often(0.5, rng):
        attack["rating"] = rng.choice(RATINGS)
        return
    attack["bonuses"] = some_of(BONUSES, rng)
    attack["penalties"] = some_of(PENALTIES, rng)
    if often(0.1, rng):
        attack["qualities"].append("Turret")
        attack["penalties"].append("outside_front_arc")
    if often(0.2, rng):
        attack["qualities"].append("Indirect")
        attack["line_of_sight"] = rng.choice(("own", "none", "spotter"))
        attack["bonuses"] = [bonus for bonus in attack["bonuses"] if bonus != "short_range"]  # out of its reach


def random_overcharge(rng):
    """The keys of an Overcharge, and the state of the unit that risks it."""
    limit = rng.randint(1, 3)
    keys = {
        "overcharge": True,
        "dice": rng.randint(1, 2),
        "attacker_damage_limit": limit,
        "attacker_damage": rng.randint(0, limit - 1),
    }
    if often(0.5, rng):
        keys["attacker_models"] = rng.randint(1, 4)
    return keys


def random_target(rng):
    models, damage_limit = rng.randint(1, 8), rng.randint(1, 4)
    target = {
        "models": models,
        "defence": rng.randint(1, 3),
        "damage_limit": damage_limit,
        "damage": rng.randint(0, damage_limit - 1),
        "rules": consistent(some_of(TARGET_RULES, rng, share=0.12)),
        "officer": rng.choice(("last", "first", "random")),
    }
    target |= {flag: True for flag in TARGET_FLAGS if often(0.2, rng)}
    target |= {flag: True for flag in ("aircraft", "peer_review") if often(0.05, rng)}
    for key, share, value in (
        ("discipline", 0.9, rng.randint(0, 12)),
        ("break_limit", 0.5, rng.randint(0, models)),
        ("exposed", 0.3, rng.randint(1, models)),
        ("edge_distance", 0.3, rng.choice((0.0, 1.0, 3.0, 3.5, 12.0))),
        ("models_without_room", 0.3, rng.randint(0, 3)),
        ("formation", 0.5, rng.choice(("close", "open"))),
        ("type", 0.4, rng.choice(TYPES)),
    ):
        if often(share, rng):
            target[key] = value
    if "type" in target and target.get("garrisoned"):
        target["type"] = "infantry"  # nobody else is in a building
    return target


def some_of(names, rng, share=0.25):
    """Each of `names` with chance `share`, whatever else is in the list."""
    word = rng.getrandbits(64)
    return [name for name in names if often(share, random.Random(f"{word} {name}"))]


def often(share, rng):
    return rng.random() < share
