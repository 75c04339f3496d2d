"""Grande Tactique: a column of friends (GT-5, GT-9), worked by hand and read plainly."""

from fractions import Fraction
from itertools import product

import pytest

from analyser.common.errors import InputError
from tests.helpers.grande_tactique import EXACTLY, ask


def friends_of(**column):
    return list(ask("friends", column={"arm": "infantry", "enemy": "infantry"} | column).values())


def test_eager_friends_are_shaken_and_shaken_ones_flee():
    found = friends_of(friends=[{"distance": 3}, {"distance": 5, "shaken": 1}, {"distance": 7.5}])
    assert found[0]["p_shaken"] == 1
    assert found[1]["p_routed"] == 1
    assert found[2]["p_shaken"] == 1  # by the second friend, who fled from 5 to 12


def test_a_chain_of_shaken_friends_six_apart():
    """Each shaken with 1/2 and 6 behind the one before: k flee with (1/2)^k x 1/2, all three with 1/8."""
    friends = [{"distance": 6 * place, "shaken": 0.5} for place in (1, 2, 3)]
    found = ask("chain", column={"arm": "infantry", "enemy": "cavalry", "friends": friends})
    exactly = [found[(number,)]["p_exactly"] for number in range(4)]
    assert exactly == pytest.approx([1 / 2, 1 / 4, 1 / 8, 1 / 8], abs=EXACTLY)
    assert found[(2,)]["p_at_least"] == pytest.approx(1 / 4, abs=EXACTLY)


def test_an_eager_friend_passed_through_twice_flees():
    """Friend 1, shaken, flees in turn through friend 2, whom the first flight has shaken already."""
    found = friends_of(friends=[{"distance": 2, "shaken": 1}, {"distance": 4}])
    assert [each["p_routed"] for each in found] == [1, 1]


def test_cavalry_far_enough_behind_is_reached_by_the_dice():
    """Cavalry from cavalry reaches 18 with 2d6 >= 7, 21/36, and a shaken infantry there flees (GT-3, GT-5)."""
    found = friends_of(arm="cavalry", enemy="cavalry", friends=[{"distance": 18, "shaken": 1}])
    assert found[0]["p_routed"] == pytest.approx(21 / 36, abs=EXACTLY)


def test_friends_flee_off_the_map_too():
    found = friends_of(friends=[{"distance": 4, "shaken": 1}], edge_distance=11)
    assert found[0]["p_off_map"] == 1


def test_old_guard_dismays_friends_far_and_near():
    """Within 3 they flee at once, within 9 they are shaken, also those that no flight reaches (GT-9)."""
    found = friends_of(old_guard=True, friends=[{"distance": 3}, {"distance": 9}, {"distance": 10.5}])
    assert found[0]["p_routed"] == 1
    assert found[1]["p_routed"] == 1  # shaken by the Old Guard, then the friend at 3 flees to 10 through it
    assert found[2]["p_eager"] == 0  # that friend flees on from 9 to 16
    alone = friends_of(old_guard=True, friends=[{"distance": 9}])
    assert alone[0]["p_shaken"] == 1
    assert friends_of(old_guard=True, friends=[{"distance": 9.5}])[0]["p_eager"] == 1


def test_old_guard_behind_dismays_those_before_it():
    found = friends_of(friends=[{"distance": 4}, {"distance": 6, "shaken": 1, "old_guard": True}])
    assert found[0]["p_routed"] == 1  # 2 inches from Old Guard that flees


def test_artillery_in_the_way_does_not_rout():
    """GT-1: neither routed nor silenced, and the friend behind it is reached by nobody."""
    column = {
        "arm": "infantry",
        "enemy": "infantry",
        "friends": [{"distance": 5, "arm": "artillery", "shaken": 1}, {"distance": 8}],
    }
    assert list(ask("joint", column=column)) == [("routed", "shaken", "eager")]


def test_artillery_near_old_guard_that_flees_does_not_rout():
    """GT-1, GT-9: within 3 of it artillery is shaken, as within 9, and carries no chain on."""
    found = friends_of(old_guard=True, friends=[{"distance": 3, "arm": "artillery"}, {"distance": 9.5}])
    assert [each["p_shaken"] for each in found] == [1, 0]
    assert [each["p_routed"] for each in found] == [0, 0]


def test_old_guard_dismays_its_friends_at_the_moment_it_is_made_to_flee():
    """GT-9, "at once": the first flight, to 7, makes Old Guard at 5 flee; the friend at 7, 2 inches from it, flees too.

    The friend at 16 is reached by the cavalry alone; it was not within 9 of the Old Guard.
    """
    friends = [{"distance": 5, "shaken": 1, "old_guard": True}, {"distance": 7, "arm": "cavalry"}, {"distance": 16}]
    found = friends_of(friends=friends)
    assert [each["p_routed"] for each in found] == [1, 1, 0]
    assert found[2]["p_shaken"] == 1


@pytest.mark.parametrize(("distance", "p_routed"), [(1.4, 1), (1.39, 0)])
def test_three_inches_are_three_inches_wherever_they_begin(distance, p_routed):
    """From 1.4 to Old Guard at 4.4 it is 3 inches, though in binary fractions 4.4 - 1.4 is more than 3 (GT-9)."""
    friends = [{"distance": distance, "arm": "cavalry"}, {"distance": 4.4, "shaken": 1, "old_guard": True}]
    assert friends_of(friends=friends)[0]["p_routed"] == p_routed


def test_a_friend_in_contact_behind_is_passed_through():
    """0 inches behind the first: of those in one place the later in the list stands behind (GT-5)."""
    found = friends_of(friends=[{"distance": 0, "shaken": 1}])
    assert found[0]["p_routed"] == 1


def test_a_friend_beyond_the_edge_is_refused():
    with pytest.raises(InputError, match=r"a friend 12 inches behind is off the map \(allowed: up to 10\)"):
        friends_of(friends=[{"distance": 12}], edge_distance=10)


def plain_column(arm, enemy, friends, edge, old_guard):
    """The law of the statuses, by enumerating who is shaken and every 2d6, with lists and words."""
    law = {}
    for shaken in product((True, False), repeat=len(friends)):
        chance = Fraction(1)
        for friend, is_shaken in zip(friends, shaken):
            chance *= friend["p"] if is_shaken else 1 - friend["p"]
        if chance == 0:
            continue
        start = ["eager", *("shaken" if each else "eager" for each in shaken)]
        everyone = [{"at": 0, "arm": arm, "guard": old_guard}, *friends]
        plain_made_to_flee(everyone, start, 0)
        for end, share in plain_flights(everyone, tuple(start), enemy, edge):
            law[end] = law.get(end, 0) + chance * share
    return law


def plain_made_to_flee(everyone, statuses, place):
    """GT-9: friends near Old Guard that flees are dismayed at once."""
    statuses[place] = "fleeing"
    for friend, other in enumerate(everyone):
        apart = abs(other["at"] - everyone[place]["at"])
        if everyone[place]["guard"] and statuses[friend] in ("eager", "shaken"):
            if apart <= 3:
                plain_made_to_flee(everyone, statuses, friend)
            elif apart <= 9:
                statuses[friend] = "shaken"


def plain_flights(everyone, statuses, enemy, edge):
    fleeing = [place for place, status in enumerate(statuses) if status == "fleeing"]
    if not fleeing:
        yield statuses, Fraction(1)
        return
    mover = min(fleeing, key=lambda place: everyone[place]["at"])
    unit = everyone[mover]
    rolls = {7: Fraction(1)}
    if unit["arm"] == "cavalry":
        rolls = {11: Fraction(1)}
        if enemy == "cavalry":
            rolls = {11 + a + b: Fraction(6 - abs(7 - a - b), 36) for a in range(1, 7) for b in range(1, 7)}
    for distance, share in rolls.items():
        after = list(statuses)
        after[mover] = "gone"
        for place, other in enumerate(everyone):
            if unit["at"] < other["at"] <= unit["at"] + distance:
                if after[place] == "eager":
                    after[place] = "shaken"
                elif after[place] == "shaken":
                    plain_made_to_flee(everyone, after, place)
        after[mover] = "off the map" if edge is not None and unit["at"] + distance >= edge else "routed"
        for end, more in plain_flights(everyone, tuple(after), enemy, edge):
            yield end, share * more


@pytest.mark.parametrize("edge", [None, 24])
@pytest.mark.parametrize(
    ("arm", "enemy", "guard"),
    [
        *(("infantry", "cavalry", guard) for guard in (None, 0, 2)),
        *(("cavalry", enemy, guard) for enemy in ("cavalry", "infantry") for guard in (None, 2)),
    ],
)
def test_columns_against_the_plain_reading(arm, enemy, guard, edge):
    """`guard`: the place in the column of a unit of the Old Guard, which is infantry."""
    friends = [
        {"at": 5, "arm": "cavalry", "p": Fraction(1, 2), "guard": False},
        {"at": 9, "arm": "infantry", "p": Fraction(1, 4), "guard": guard == 2},
        {"at": 17, "arm": "cavalry", "p": Fraction(3, 4), "guard": False},
    ]
    plain = plain_column(arm, enemy, friends, edge, guard == 0)
    column = {
        "arm": arm,
        "enemy": enemy,
        "edge_distance": edge,
        "old_guard": guard == 0,
        "friends": [
            {"distance": each["at"], "arm": each["arm"], "shaken": float(each["p"]), "old_guard": each["guard"]}
            for each in friends
        ],
    }
    found = {key: row["probability"] for key, row in ask("joint", column=column).items()}
    assert found == pytest.approx({key: float(chance) for key, chance in plain.items()}, abs=EXACTLY)
