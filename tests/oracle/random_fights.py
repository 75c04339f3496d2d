"""Whole fights at random, in the form that the plain readings of charges, focus fire and duels take.

Small enough for fractions, and odd enough to meet every branch of the rules. The same seed gives the same fights.
"""

from fractions import Fraction

from tests.oracle.random_scenarios import (
    CATEGORIES,
    CLOSE_QUALITIES,
    RANGED_QUALITIES,
    REROLL_FACES,
    cases,
    consistent,
    often,
    random_die,
    random_scenario,
    some_of,
)

EITHER_RULES = (
    *("Durable", "Automata", "Irrepressible", "Resilient (Front)", "Construct", "Bodyguard"),
    *("Irregular", "Lockstep", "Veteran (1)", "Hunter", "Corrosive Fumes (2)", "Overrun"),
)
ACTIVE_RULES = (*EITHER_RULES, "Onslaught", "Storming Party")
TARGET_RULES = (*EITHER_RULES, "Static", "Stoic Defence", "Sponsons (1)", "Sponsons (2)")
DUEL_RULES = (*EITHER_RULES, "Stoic Defence", "Onslaught", "Pavises", "Shrouded", "Hot Headed")
CHARGEABLE = ("infantry", "cavalry", "field gun", "armour", "artillery", "fortification")
FLAGS = ("suppressed", "disordered", "near_commander", "from_front", "fail_on_purpose", "chain_of_command")
CIRCUMSTANCES = ("outflanked", "supported", "threatened", "difficult_terrain")
SMALL_DECKS = ({"1": 1, "12": 1}, {"1": 2, "5": 1, "6": 1}, {"2": 1, "7": 3}, {"5": 1, "6": 1, "12": 2})
OVERCHARGE_DECK = {"1": 2, "2": 1}


def inches(rng, least, most):
    """A length: whole inches as often as not, else with a fraction that ends in hundredths."""
    steps = rng.choice((1, 1, 2, 4, 10, 100))
    return Fraction(rng.randint(least * steps, most * steps), steps) if steps > 1 else rng.randint(least, most)


def written(length):
    return f"{float(length):g}"


def random_charge(rng):
    """A charge, with now and then a secondary combatant or an occupied transport."""
    active = random_unit(rng, rng.randint(1, 4), ACTIVE_RULES)
    active["rows"] = [random_row(rng, rng.choice(("melee", "impact")), active["models"], CLOSE_QUALITIES)]
    target = random_unit(rng, rng.randint(1, 4), TARGET_RULES)
    if often(0.75, rng):
        kind = "impact" if often(0.1, rng) else "melee"
        target["rows"] = [random_row(rng, kind, target["models"], CLOSE_QUALITIES)]
    target |= {flag: True for flag in ("garrisoned", "activated") if often(0.2, rng)}
    if often(0.2, rng):
        embark(rng, rng.choice((active, target)))
        target["garrisoned"] = False
    quarter(target)
    charge = {"active": active, "target": target, "combat": {key: True for key in CIRCUMSTANCES if often(0.2, rng)}}
    if target.get("garrisoned"):
        charge["combat"].pop("outflanked", None)
    if often(0.2, rng):
        charge["secondaries"] = [random_secondary(rng)]
    charge["ruleset"] = {"die": random_die(rng), "deck": rng.choice(SMALL_DECKS)}
    return charge


def random_overcharge(rng):
    """A charge in which one side at least makes use of Overcharge."""
    charge = random_charge(rng)
    sides = charge["active"], charge["target"]
    for unit in sides if often(0.4, rng) else [rng.choice(sides)]:
        unit["overcharge"] = True
        for row in unit["rows"]:
            row["qualities"].append("Overcharge")
    return with_few_cards(rng, charge)


def random_throw(rng):
    """A charge by a unit with Throw, perhaps at one whose cover counts."""
    charge = random_charge(rng)
    active, target = charge["active"], charge["target"]
    active["rules"] = [*active["rules"], rng.choice(("Throw (3)", "Throw (6)"))]
    if often(0.3, rng):
        target |= {"rules": [*target["rules"], "Pavises"], "taking_cover": True}
    if often(0.3, rng):
        target |= {"rules": [*target["rules"], "Emplacement"], "obstacle": True}
    return with_few_cards(rng, charge)


def with_few_cards(rng, charge):
    """The charge by the cards of an Overcharge, which can fail the tests of both."""
    for unit in (charge["active"], charge["target"]):
        unit["discipline"] = rng.choice((None, 1, 2, 3))
    charge["ruleset"]["deck"] = OVERCHARGE_DECK
    return charge


def quarter(unit):
    if unit.get("garrisoned"):
        unit["type"] = "infantry"


def embark(rng, unit):
    unit |= {"type": "armour", "rules": [*unit["rules"], "Capacity (2)"]}
    passengers = random_unit(rng, rng.randint(1, 2 * unit["models"]), ("Automata",)) | {"damage_limit": 1, "damage": 0}
    unit["passengers"] = passengers | {"type": "infantry"}


def random_focus_fire(rng):
    """Two or three of the attacks of random scenarios on one target of theirs."""
    scenarios = [random_scenario(rng) for _ in range(rng.randint(2, 3))]
    target = scenarios[0]["target"]
    attacks = []
    for scenario in scenarios:
        attack = scenario["attack"] | {"dice": min(scenario["attack"]["dice"], 2)}
        own = {key: scenario["target"][key] for key in ("obstacle", "from_front") if key in scenario["target"]}
        if often(0.3, rng):
            attack["qualities"] = [*attack["qualities"], "Siegebreaker"]
        attacks.append({"attack": attack, "circumstances": own})
    deck = OVERCHARGE_DECK if any(attack["attack"].get("overcharge") for attack in attacks) else rng.choice(SMALL_DECKS)
    ruleset = {"die": random_die(rng), "deck": deck}
    return {"attacks": attacks, "target": target, "ruleset": ruleset, "replacement": often(0.5, rng)}


def random_dogfight(rng):
    """Focus fire by units in the air on a Tail Gunner."""
    scenario = random_focus_fire(rng)
    for given in scenario["attacks"]:
        attack = given["attack"]
        unit = random_unit(rng, rng.randint(1, 4), (*TARGET_RULES, "Hot Headed")) | {"category": "aerial"}
        unit |= {"type": rng.choice(("aircraft", "rotorcraft")), "disordered": False}
        unit["suppressed"] = "suppressed" in attack.get("penalties", ())
        unit.pop("edge_distance", None)
        given["attacker"] = unit
        attack |= {f"attacker_{key}": unit[key] for key in ("models", "damage", "damage_limit")}
    rules = [*scenario["target"]["rules"], f"Tail Gunner ({rng.randint(1, 3)})", *some_of(("Veteran (1)",), rng)]
    return scenario | {"target": scenario["target"] | {"rules": rules}, "replacement": True}


def random_duel(rng):
    """A duel of two or three rounds between units that can do what their policies say."""
    a, b = (random_duellist(rng) for _ in range(2))
    duel = {"rounds": rng.randint(1, 2), "first": rng.choice(("a", "b", "random"))}
    duel["ruleset"] = {"die": random_die(rng), "deck": rng.choice(SMALL_DECKS)}
    if often(0.4, rng):
        duel["distance"] = inches(rng, 1, 24)
        for unit in (a, b):
            unit["speed"] = inches(rng, 2, 8)
    for side, unit in (("a", a), ("b", b)):
        duel[side] = unit
        policy = duel[f"policy_{side}"] = random_policy(rng, unit)
        overcharges = policy == "overcharge" or (policy == "charge" and often(0.3, rng))
        if overcharges:
            unit["rows"][0 if policy == "overcharge" else -1]["qualities"].append("Overcharge")
            unit["overcharge"] = policy == "charge"
        throws = policy == "charge" and often(0.3, rng)
        if throws:
            unit["rules"].append(rng.choice(("Throw (3)", "Throw (6)")))
        if overcharges or throws:
            duel["ruleset"]["deck"] = OVERCHARGE_DECK
    return duel


def random_policy(rng, unit):
    policy = rng.choice(("shoot", "short_range", "charge", "lookout", "take_cover", "all_out", "overcharge"))
    if policy == "all_out":
        unit["rules"].append("All-Out Attack (2)")
    return policy


def random_duellist(rng):
    """A unit with two ranged rows and one for close quarters, in any state."""
    unit = random_unit(rng, rng.randint(1, 3), DUEL_RULES)
    for _ in range(2):
        row = random_row(rng, "ranged", unit["models"], RANGED_QUALITIES, most=1)
        long_range = inches(rng, 2, 20)
        short_range = rng.choice((None, Fraction(long_range * 50 // 1, 100)))
        row |= {"against": list(CATEGORIES), "short_range": short_range, "long_range": long_range}
        unit["rows"].append(row)
    unit["rows"].append(random_row(rng, rng.choice(("melee", "impact")), unit["models"], CLOSE_QUALITIES, most=1))
    unit |= {flag: True for flag in ("on_lookout", "taking_cover", "reloading", "garrisoned") if often(0.2, rng)}
    unit |= {flag: True for flag in ("concealed", "obstacle") if often(0.2, rng)}
    unit |= {flag: True for flag in ("ammo_supply", "peer_review") if often(0.1, rng)}
    exposed, reroll = rng.randint(1, unit["models"]), some_of(REROLL_FACES, rng) or ["miss"]
    for key, value in (("exposed", exposed), ("extra_reroll", {"faces": reroll, "dice": rng.randint(0, 2)})):
        if often(0.15, rng):
            unit[key] = value
    if often(0.1, rng):
        tower_of(rng, unit)
    if often(0.1, rng):
        unit["carriages"] = 1
        unit["rows"][0]["qualities"].append("Full Steam Ahead")
        for band in unit["rows"][0]["bands"]:
            band["dice"] = 1  # what carriages add to a cell of no dice is nowhere said
    unit["charge"] = {key: True for key in CIRCUMSTANCES if often(0.2, rng)}
    quarter(unit)
    return unit


def tower_of(rng, unit):
    """Make a behemoth of a unit: one model, whose bands go by the damage that it has suffered (AC-2.3)."""
    unit |= {"behemoth": True, "models": 1, "damage_limit": 3, "damage": rng.randint(0, 1)}
    unit.pop("exposed", None)
    for row in unit["rows"]:
        row["bands"] = [{"first": damage, "last": damage, "dice": rng.randint(0, 1)} for damage in range(3)]
        row["bands"][unit["damage"]]["dice"] = 1


def random_plain_duel(rng):
    """The duel with one ranged row a side: of several the plain reading takes the first, the engine the best.

    All-Out Attack fires them all; who starts on lookout with several rows is left out.
    """
    duel = random_duel(rng)
    for name in "ab":
        rows = [row for row in duel[name]["rows"] if row["kind"] == "ranged"]
        if duel[f"policy_{name}"] == "all_out":
            duel[name].pop("on_lookout", None)
        elif len(rows) > 1:
            duel[name]["rows"].remove(rows[1])
    return duel


def random_watch(rng):
    """A duel whose second unit goes on lookout, with a Reactive row only, which is often Slow to Fire."""
    duel = random_plain_duel(rng) | {"policy_b": "lookout", "rounds": 2}
    row, *others = (row for row in duel["b"]["rows"] if row["kind"] == "ranged")
    duel["b"]["rows"] = [each for each in duel["b"]["rows"] if each not in others]
    row["qualities"] = ["Reactive", *(["Slow to Fire"] if often(0.5, rng) else [])]
    return duel


def random_siege(rng):
    """A duel whose second unit is in a building, which the other's attacks can wreck."""
    duel = random_plain_duel(rng)
    duel["b"]["garrisoned"] = True
    quarter(duel["b"])
    for row in duel["a"]["rows"]:
        row["qualities"].append("Siegebreaker")
    return duel


def random_fumes(rng):
    """A duel of two units, one or both with Corrosive Fumes, a few inches apart."""
    duel = random_plain_duel(rng)
    for name in "ab":
        unit = duel[name]
        unit["speed"] = inches(rng, 0, 4)
        rules = [rule for rule in unit["rules"] if not rule.startswith("Corrosive Fumes")]
        unit["rules"] = [*rules, f"Corrosive Fumes ({written(inches(rng, 1, 6))})"] if often(0.6, rng) else rules
    return duel | {"distance": inches(rng, 0, 12)}


def random_wreck(rng):
    """A duel of two units that may go off, some inches apart."""
    duel = random_plain_duel(rng)
    for name in "ab":
        unit = duel[name]
        unit |= {"speed": inches(rng, 0, 3), "models": min(unit["models"], 2), "exposed": None}
        unit["rules"] = [*unit["rules"], "Spectacular Demise (2)"]
        unit["rows"][0] |= {"long_range": 20}
    if often(0.4, rng):
        duel["a"] |= {"rules": consistent(["Throw (6)", *duel["a"]["rules"]]), "speed": 6, "garrisoned": False}
        duel |= {"policy_a": "charge", "ruleset": duel["ruleset"] | {"deck": OVERCHARGE_DECK}}
    return duel | {"distance": inches(rng, 1, 11)}


def random_overrun(rng):
    """A duel with a distance, in which those who win their charge go on."""
    duel = random_plain_duel(rng)
    for name in "ab":
        unit = duel[name]
        unit |= {"speed": inches(rng, 3, 8), "garrisoned": False, "charge": {}}
        unit["rules"] = [rule for rule in unit["rules"] if not rule.startswith("Overrun")]
        unit["rows"][-1]["kind"] = "melee"
    duel["a"]["rules"].append("Overrun")
    return duel | {"distance": inches(rng, 1, 10), "policy_a": "charge", "rounds": 2}


def without(unit, *keys):
    for key in keys:
        unit.pop(key, None)


def random_last_stand(rng):
    """A duel of one who must charge and can overrun, against one who strikes back the harder the more are left."""
    duel = random_overrun(rng)
    duel.pop("distance")
    for name in "ab":
        unit = duel[name]
        without(unit, "exposed", "break_limit", "edge_distance")
        bands = [{"first": each, "last": each, "dice": each if name == "a" else 2 * each - 1} for each in (1, 2, 3)]
        unit |= {"models": 3, "defence": 1, "damage_limit": 1, "damage": 0, "type": "infantry", "category": "light"}
        unit |= {"discipline": 9, "suppressed": False, "rules": ["Overrun", "Run Amok"] if name == "a" else []}
        unit["rows"] = [{"kind": "melee", "qualities": [], "bands": bands}]
    return duel | {"rounds": 1, "first": "a"}


def random_blades(rng):
    """A charge between units that can fight in several ways, which a first row may not allow (AC-8.3, AC-6)."""
    duel = random_overrun(rng)
    duel.pop("distance")
    for name in "ab":
        unit = duel[name]
        unit["models"] = min(unit["models"], 2)
        without(unit, "exposed", "edge_distance")
        kinds = ("melee", rng.choice(("melee", "impact")))
        unit["rows"] = [random_row(rng, kind, unit["models"], CLOSE_QUALITIES, most=1) for kind in kinds]
        if unit.get("behemoth"):
            tower_of(rng, unit)
        row = rng.choice(unit["rows"])
        row["qualities"] = [*{*row["qualities"], "Overcharge"}]
        unit["charge"] = {"difficult_terrain": True} if often(0.4, rng) else {}
        unit["rules"] = [*unit["rules"], *some_of(("Sponsons (1)", "Stoic Defence", "Overrun"), rng, share=0.3)]
    duel["ruleset"]["deck"] = OVERCHARGE_DECK
    return duel | {"rounds": 1, "first": "a"}


def random_retreat(rng):
    """A duel of few inches, in which who is suppressed, or would rather not charge, may want to fail tests (AC-5.1)."""
    duel = random_plain_duel(rng)
    speeds = {"a": rng.choice((2, 3)), "b": rng.choice((1, 2, 3))}
    for name in "ab":
        unit = duel[name]
        without(unit, "exposed", "edge_distance", "obstacle", "on_lookout", "garrisoned", "break_limit", "carriages")
        unit |= {"models": 2, "damage_limit": 1, "damage": 0, "defence": 1, "speed": speeds[name], "behemoth": False}
        unit |= {"discipline": rng.choice((6, 9)), "suppressed": often(0.6, rng), "category": "light", "charge": {}}
        unit["rules"] = ["Run Amok"] if often(0.3, rng) else []
        rows = [random_row(rng, kind, 2, (), most=2) for kind in ("ranged", "melee")]
        rows[0] |= {"against": list(CATEGORIES), "short_range": None, "long_range": rng.choice((4, 8))}
        unit["rows"] = rows if name == "a" else [rng.choice(rows)]
    duel["ruleset"]["deck"] = {"4": 1, "8": 1, "12": 1}
    return duel | {"distance": rng.choice((3, 5, 6, 8)), "rounds": 2, "first": rng.choice("ab")}


FURIES = ("Berserk", "Run Amok", "Run Amok", "Static", "Spectacular Demise (2)")


def random_fury(rng):
    """A duel between units that rules drive to charge, whatever their policies."""
    duel = random_plain_duel(rng)
    if often(0.6, rng):
        duel["distance"] = inches(rng, 1, 12)
    for name in "ab":
        unit = duel[name]
        unit.pop("edge_distance", None)  # nobody is kept from withdrawing the whole 3 inches
        unit["speed"] = inches(rng, 1, 5)
        unit["discipline"] = rng.choice((3, 5, 7))
        unit["suppressed"] = often(0.5, rng)
        unit["garrisoned"] = often(0.1, rng)
        quarter(unit)
        unit["rules"] = [*unit["rules"], *some_of(FURIES, rng, share=0.5)]
        if duel[f"policy_{name}"] == "charge":
            duel[f"policy_{name}"] = "take_cover"
    if often(0.3, rng) and not duel["b"]["garrisoned"]:
        duel["b"]["type"] = "rotorcraft"
    return duel


def random_blast(rng):
    """A charge whose units may go off, perhaps at passengers, without what has nothing to do with it."""
    charge = random_overcharge(rng) if often(0.3, rng) else random_charge(rng)
    for name in ("active", "target"):
        unit = charge[name]
        unit.pop("passengers", None)
        unit["rules"] = [*(rule for rule in unit["rules"] if not rule.startswith("Capacity")), "Spectacular Demise (2)"]
        if often(0.3, rng) and not unit.get("garrisoned") and not unit.get("overcharge"):
            embark(rng, unit)
    charge.pop("secondaries", None)
    return charge


def random_gunners(rng):
    """A duel of an aerial unit with one row, which also fires on lookout, and a Tail Gunner (AC-7)."""
    duel = random_plain_duel(rng)
    a, b = duel["a"], duel["b"]
    a |= {"category": "aerial", "type": "rotorcraft", "garrisoned": False, "on_lookout": often(0.5, rng)}
    a["rows"] = [row for row in a["rows"] if row["kind"] == "ranged"][: 2 if duel["policy_a"] == "all_out" else 1]
    if duel["policy_a"] in ("charge", "all_out"):
        duel["policy_a"] = "lookout"
        a["rows"] = a["rows"][:1]
    if duel["policy_b"] == "charge":
        duel["policy_b"] = "shoot"
    b["rules"] = [*b["rules"], f"Tail Gunner ({rng.randint(1, 3)})"]
    return duel | {"rounds": 2}


def random_company(rng):
    """A charge at a target that overcharges, with others beside it (AC-8.7)."""
    charge = random_overcharge(rng)
    target = charge["target"]
    if not target["rows"]:
        target["rows"] = [random_row(rng, "melee", target["models"], CLOSE_QUALITIES)]
    target["overcharge"] = True
    target["models"] = min(target["models"], 2)
    target.pop("passengers", None)
    target["rules"] = [rule for rule in target["rules"] if not rule.startswith("Capacity")]
    for row in target["rows"]:
        row |= {"kind": "melee", "qualities": [*row["qualities"], "Overcharge"]}
    return charge | {"secondaries": [random_secondary(rng) for _ in range(rng.randint(1, 2))]}


def random_secondary(rng):
    unit = random_unit(rng, 2, EITHER_RULES)
    unit["rows"] = [random_row(rng, "melee", 2, CLOSE_QUALITIES, most=1)]
    return unit | {"threatened": often(0.3, rng)}


def random_unit(rng, models, rules):
    damage_limit = rng.randint(1, 2)
    unit = {"type": rng.choice(CHARGEABLE), "category": rng.choice(CATEGORIES[:2]), "models": models}
    unit |= {"defence": rng.randint(1, 3), "damage_limit": damage_limit, "damage": rng.randint(0, damage_limit - 1)}
    unit |= {"victory_points": rng.randint(0, 5), "rules": consistent(some_of(rules, rng, share=0.1)), "rows": []}
    unit["officer"] = rng.choice(("last", "first", "random"))
    unit |= {flag: True for flag in FLAGS if often(0.15, rng)}
    for key, share, value in (
        ("discipline", 0.9, rng.randint(3, 9)),
        ("break_limit", 0.5, rng.randint(0, models)),
        ("edge_distance", 0.3, rng.choice((1, 3, 6, 12, *map(Fraction, ("3.01", "3.25", "3.99")), inches(rng, 0, 12)))),
        ("models_without_room", 0.2, 1),
        ("withdrawal_without_room", 0.2, 1),
        ("formation", 0.5, rng.choice(("close", "open"))),
    ):
        if often(share, rng):
            unit[key] = value
    return unit


def random_row(rng, kind, models, qualities, most=2):
    """A row with a band for each number of models, and a second value in parentheses."""
    bands = [
        {"first": number, "last": number, "dice": rng.randint(0, most), "special": rng.randint(1, most)}
        for number in range(1, models + 1)
    ]
    bands[-1]["dice"] = max(1, bands[-1]["dice"])  # the full unit has something to strike with
    return {"kind": kind, "bands": bands, "qualities": some_of(qualities, rng, share=0.15)}


def random_fights(make, seed, count):
    return [with_room_for_places(make(rng)) for rng in cases(seed, count)]


def with_room_for_places(fight):
    """The fight with lengths in steps of half an inch where a Hunter's wins leave no room for finer ones."""
    units = [fight.get(name) for name in "ab"]
    if fight.get("distance") is None or not any("Hunter" in unit["rules"] for unit in units):
        return fight
    rows = [row for unit in units for row in unit["rows"]]
    for table in (fight, *units, *rows):
        for key in ("distance", "speed", "edge_distance", "short_range", "long_range"):
            if table.get(key) is not None:
                table[key] = Fraction(2 * table[key] // 1, 2)
    return fight


DUEL_MAKERS = (
    *(random_plain_duel, random_watch, random_siege, random_fumes),
    *(random_overrun, random_wreck, random_fury, random_gunners),
)
