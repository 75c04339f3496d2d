"""Random questions about Grande Tactique over every key that can be set: sections alone or together, and games."""

from random import Random

from tests.oracle.plain_laws import picked

CHANCES = [0, 1, 0.5, 0.1, 0.25, 1 / 3, 0.9]
SHARES = [0, 0, 0.1, 0.25, 0.5, 1]
RULESET = {
    "check_sides": [None, 6, 8, 10],
    "check_target": [None, 1, 2, 5, 7],
    "fire_shakes": [None, False],
    "pip_dice": [None, 0, 1, 2],
    "pip_sides": [None, 2, 4, 6, 8],
    "turns": [None, 1, 3],
}
CHECK = {
    "arm": ["infantry", "infantry", "infantry", "cavalry", "artillery", None],
    "cause": ["charged", "worn down", "lost firing", None],
    "state": ["eager", "shaken", None],
    "worn_down_by": ["infantry", "artillery", None],
    "quality": ["regular", "veteran", "old guard", None],
    "modifier": [-9, -2, -1, 0, 1, 3, None],
}
FLIGHT = {
    "arm": ["infantry", "cavalry"],
    "enemy": ["infantry", "cavalry", "artillery"],
    "edge_distance": [None, 0, 0.5, 6.5, 7, 7.01, 11, 10.99, 13, 18, 23, 23.5],
    "shelter_distance": [None, None, 0, 3, 6.99, 7, 7.01, 9],
    "surrounded": [None, 0, 1, 0.25],
}
SPOTS = [0, 0.5, 1, 2, 3, 3.01, 4, 6, 7, 7.5, 8, 9, 9.01, 10, 11, 12, 14, 16.5, 18, 22, 23, 24]
FRIEND = {"arm": [None, "infantry", "cavalry", "artillery"], "old_guard": [None, None, False, True]}
ROUTED = {
    "arm": [None, "infantry", "cavalry"],
    "edge_distance": [None, 0, 3, 7, 7.01, 11, 14, 20, 22, 22.5, 40],
    "shelter_distance": [None, 0, 5, 7, 7.5, 10, 14, 15],
    "in_shelter": [None, False, True],
}
ROUT = {"pips_elsewhere": [None, 0, 1, 2, 4, 7], "standing": [None, 0, 1, 2, 5], "turns": [1, 2, 3, 4]}
MEMBER = {"rout": CHANCES, "lost": [None, 0, 1, 0.3, 0.5], "state": [None, None, "standing", "routed", "destroyed"]}
DIVISION = {"rally": [None, True, False], "pips_elsewhere": [None, 0, 1, 3], "turns": [1, 2, 3]}
UNIT = {
    "arm": [None, "infantry", "infantry", "cavalry", "artillery"],
    "quality": [None, "regular", "veteran", "old guard"],
    "modifier": [None, -1, 0, 2],
    "state": [None, "eager", "shaken", "routed", "destroyed"],
    "edge_distance": [None, 3.5, 7, 9, 14, 15.5, 18, 20.01, 30, 60],
    "shelter_distance": [None, None, 0, 3, 7, 7.5, 10],
    "in_shelter": [None, None, False, True],
    "column": [None, 1, 1, 1, 1, 2],
    "withdraws": [None, None, None, 1, 2],
    "worn_down_by_artillery": SHARES,
    "worn_down_by_infantry": SHARES,
    "loses_firing": SHARES,
}
GAME = {"surrounded": [None, 0, 0.2, 1], "rallied": [None, "eager", "shaken"], "pips_elsewhere": [None, 0, 2, 5]}


def some(dice, values):
    """Some of the keys; Old Guard and shelter are infantry's."""
    row = picked(dice, values)
    if row.get("arm", "infantry") != "infantry":
        row = {key: value for key, value in row.items() if key not in ("shelter_distance", "in_shelter", "old_guard")}
        if row.get("quality") == "old guard":
            row["quality"] = "veteran"
    return row


def column(dice):
    friends = []
    for spot in sorted(dice.sample(SPOTS, dice.randint(1, 5))):
        shaken = {"shaken": dice.choice(CHANCES)} if dice.random() < 0.8 else {}
        friends.append({"distance": spot} | some(dice, FRIEND) | shaken)
    row = some(dice, {key: FLIGHT[key] for key in ("arm", "enemy")}) | {"friends": friends}
    if row["arm"] == "infantry":
        row["old_guard"] = dice.random() < 0.4
    if dice.random() < 0.6:
        row["edge_distance"] = friends[-1]["distance"] + dice.choice([0, 0.5, 1, 4, 7, 11, 15, 20])
    return row


def rout(dice):
    row = some(dice, ROUT) | {"units": [some(dice, ROUTED) for _ in range(dice.randint(1, 3))]}
    by_cavalry, by_infantry = dice.choice(CHANCES), dice.choice(CHANCES)
    charged = {"charged_by_cavalry": by_cavalry, "charged_by_infantry": by_infantry}
    return row | (charged if by_cavalry + by_infantry <= 1 else {})


def with_corps(dice, row):
    """A division, sometimes in a larger corps."""
    return row | ({"corps_units": len(row["units"]) + dice.randint(0, 3)} if dice.random() < 0.5 else {})


def division(dice):
    return with_corps(dice, some(dice, DIVISION) | {"units": [some(dice, MEMBER) for _ in range(dice.randint(1, 5))]})


def game_unit(dice):
    unit = some(dice, UNIT)
    if unit.get("arm") == "artillery" and unit.get("state") == "routed":
        unit["state"] = "silenced"
    if "edge_distance" not in unit:
        unit.pop("column", None)
    for prefix in ("charged", "rout_charged"):
        cavalry, infantry = dice.choice([(0, 0), (0.25, 0), (0.5, 0.25), (0, 0.5), (1, 0), (0, 1)])
        if prefix == "charged" or dice.random() < 0.5:
            unit |= {f"{prefix}_by_cavalry": cavalry, f"{prefix}_by_infantry": infantry}
    return unit


MAKERS = {
    "check": lambda dice: some(dice, CHECK),
    "flight": lambda dice: some(dice, FLIGHT),
    "column": column,
    "rout": rout,
    "division": division,
}


def questions(seed):
    """One section or several, sometimes under another ruleset."""
    dice = Random(seed)
    question = {name: MAKERS[name](dice) for name in dice.sample(sorted(MAKERS), dice.choice([1, 1, 1, 2]))}
    return question | ({"ruleset": some(dice, RULESET)} if dice.random() < 0.3 else {})


def games(seed):
    dice = Random(seed)
    units = [game_unit(dice) for _ in range(dice.choice([1, 2, 2, 3, 4]))]
    turns = dice.choice([1, 2, 2, 3] if len(units) > 2 else [2, 3, 5])
    game = with_corps(dice, {"units": units, "turns": turns} | some(dice, GAME))
    return {"game": game, "ruleset": some(dice, {key: [None, *values] for key, values in RULESET.items()})}
