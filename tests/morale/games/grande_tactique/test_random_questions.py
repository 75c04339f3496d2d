"""Grande Tactique: random questions over every key that can be set, against a plain reading of the rules."""

import random

import pytest

from analyser import morale
from tests.oracle.plain_grande_tactique import KEYS, tables

EXACTLY = 1e-12


def chance(dice):
    """A probability, often a nasty one."""
    return dice.choice([0, 1, 0.5, 0.1, 0.25, 1 / 3, 0.9])


def some(dice, chances):
    """Some of the keys, each with one of its values; None leaves a key out."""
    row = {key: dice.choice(values) for key, values in chances.items()}
    return {key: value for key, value in row.items() if value is not None}


def question_of_check(dice):
    """A check."""
    row = some(
        dice,
        {
            "arm": ["infantry", "infantry", "infantry", "cavalry", "artillery", None],
            "cause": ["charged", "worn down", "lost firing", None],
            "state": ["eager", "shaken", None],
            "worn_down_by": ["infantry", "artillery", None],
            "quality": ["regular", "veteran", "old guard", None],
            "modifier": [-9, -2, -1, 0, 1, 3, None],
        },
    )
    if row.get("arm", "infantry") != "infantry" and row.get("quality") == "old guard":
        row["quality"] = "veteran"
    return row


def question_of_flight(dice):
    """A flight."""
    row = some(
        dice,
        {
            "arm": ["infantry", "cavalry"],
            "enemy": ["infantry", "cavalry", "artillery"],
            "edge_distance": [None, 0, 0.5, 6.5, 7, 7.01, 11, 10.99, 13, 18, 23, 23.5],
            "shelter_distance": [None, None, 0, 3, 6.99, 7, 7.01, 9],
            "surrounded": [None, 0, 1, 0.25],
        },
    )
    if row["arm"] == "cavalry":
        row.pop("shelter_distance", None)
    return row


def question_of_column(dice):
    """A column."""
    spots = [0, 0.5, 1, 2, 3, 3.01, 4, 6, 7, 7.5, 8, 9, 9.01, 10, 11, 12, 14, 16.5, 18, 22, 23, 24]
    friends = []
    for spot in sorted(dice.sample(spots, dice.randint(1, 5))):
        friend = {
            "distance": spot,
            **some(dice, {"arm": [None, "infantry", "cavalry", "artillery"], "old_guard": [None, None, False, True]}),
        }
        if dice.random() < 0.8:
            friend["shaken"] = chance(dice)
        if friend.get("arm", "infantry") != "infantry":
            friend.pop("old_guard", None)
        friends.append(friend)
    row = some(dice, {"arm": ["infantry", "cavalry"], "enemy": ["infantry", "cavalry", "artillery"]})
    row["friends"] = friends
    if row["arm"] == "infantry":
        row["old_guard"] = dice.random() < 0.4
    if dice.random() < 0.6:
        last = friends[-1]["distance"]
        row["edge_distance"] = last + dice.choice([0, 0.5, 1, 4, 7, 11, 15, 20])
    return row


def question_of_rout(dice):
    """Routed units."""
    units = []
    for _ in range(dice.randint(1, 3)):
        unit = some(
            dice,
            {
                "arm": [None, "infantry", "cavalry"],
                "edge_distance": [None, 0, 3, 7, 7.01, 11, 14, 20, 22, 22.5, 40],
                "shelter_distance": [None, 0, 5, 7, 7.5, 10, 14, 15],
                "in_shelter": [None, False, True],
            },
        )
        if unit.get("arm") == "cavalry":
            unit.pop("shelter_distance", None)
            unit.pop("in_shelter", None)
        units.append(unit)
    row = some(dice, {"pips_elsewhere": [None, 0, 1, 2, 4, 7], "standing": [None, 0, 1, 2, 5], "turns": [1, 2, 3, 4]})
    by_cavalry, by_infantry = chance(dice), chance(dice)
    if by_cavalry + by_infantry <= 1:
        row |= {"charged_by_cavalry": by_cavalry, "charged_by_infantry": by_infantry}
    return row | {"units": units}


def question_of_division(dice):
    """A division."""
    units = []
    for _ in range(dice.randint(1, 5)):
        unit = {"rout": chance(dice)}
        unit |= some(dice, {"lost": [None, 0, 1, 0.3, 0.5], "state": [None, None, "standing", "routed", "destroyed"]})
        units.append(unit)
    row = some(dice, {"rally": [None, True, False], "pips_elsewhere": [None, 0, 1, 3], "turns": [1, 2, 3]})
    if dice.random() < 0.5:
        row["corps_units"] = len(units) + dice.randint(0, 3)
    return row | {"units": units}


def random_question(seed):
    """A random question: one section or several, sometimes under another ruleset."""
    dice = random.Random(seed)
    makers = {
        "check": question_of_check,
        "flight": question_of_flight,
        "column": question_of_column,
        "rout": question_of_rout,
        "division": question_of_division,
    }
    picked = dice.sample(sorted(makers), dice.choice([1, 1, 1, 2]))
    question = {name: makers[name](dice) for name in picked}
    if dice.random() < 0.3:
        question["ruleset"] = some(
            dice,
            {
                "check_sides": [None, 6, 8, 10],
                "check_target": [None, 1, 2, 5, 7],
                "fire_shakes": [None, False],
                "pip_dice": [None, 1, 2],
                "pip_sides": [None, 2, 4, 6, 8],
                "turns": [None, 1, 3],
            },
        )
    return question


def by_key(rows, keys):
    """The rows of a table under their keys, whatever is impossible left out."""
    found = {}
    for row in rows:
        if float(row.get("probability", 1)) > 0:
            found[tuple(_plain(row[key]) for key in keys if key in row)] = {
                name: float(value) for name, value in row.items() if name not in keys
            }
    return found


def _plain(key):
    return key if isinstance(key, str) else round(float(key), 9)


@pytest.mark.parametrize("seed", range(300))
def test_random_questions_against_the_plain_reading(seed):
    question = random_question(seed)
    found = morale.exact("grande-tactique", question).as_dict()["tables"]
    plain = tables(question)
    assert found.keys() == plain.keys()
    for name, keys in KEYS.items():
        if name in plain:
            ours, theirs = by_key(found[name], keys), by_key(plain[name], keys)
            assert ours.keys() == theirs.keys(), name
            for key, row in theirs.items():
                assert ours[key] == pytest.approx(row, abs=EXACTLY), (name, key)
