"""Grande Tactique: each rule of GT-1 to GT-11, worked by hand, read plainly, and rolled."""

from fractions import Fraction
from itertools import product

import pytest
from click.testing import CliRunner

from analyser import morale
from analyser.cli import cli
from analyser.common.errors import InputError
from analyser.morale.games.grande_tactique import rules
from tests.oracle.morale_checks import assert_same_on_any_threads, assert_sample_fits, rows

EXACTLY = 1e-12


def ask(table, **sections):
    return rows(morale.exact("grande-tactique", sections), table)


def only(table, **sections):
    (row,) = ask(table, **sections).values()
    return row


# --- who flees (GT-1, GT-2, GT-9) ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arm", "state", "cause", "p_flees"),
    [
        ("infantry", "eager", "charged", 1),
        ("cavalry", "eager", "charged", 1),
        ("cavalry", "shaken", "worn down", 1),
        ("cavalry", "eager", "worn down", 0),
        ("cavalry", "shaken", "lost firing", 0),
        ("infantry", "shaken", "worn down", 1 / 2),  # 4 or more on one die stands
        ("infantry", "shaken", "lost firing", 1 / 2),
        ("infantry", "eager", "worn down", 0),
    ],
)
def test_who_flees(arm, state, cause, p_flees):
    found = only("check", check={"arm": arm, "state": state, "cause": cause})
    assert found["p_flees"] == pytest.approx(p_flees, abs=EXACTLY)
    assert found["p_stands"] == pytest.approx(1 - p_flees, abs=EXACTLY)


@pytest.mark.parametrize(
    ("cause", "by", "state", "p_silenced"),
    [
        ("charged", None, "eager", 1),
        ("worn down", "artillery", "eager", 1),
        ("worn down", None, "shaken", 1),  # artillery's fire is taken for granted, and a warning says so
        ("worn down", "infantry", "shaken", 0),
        ("lost firing", None, "shaken", 0),
    ],
)
def test_artillery_is_silenced_by_a_charge_or_by_the_fire_of_artillery(cause, by, state, p_silenced):
    """GT-1: it does not flee."""
    check = {"arm": "artillery", "cause": cause, "state": state, "worn_down_by": by}
    found = only("check", check=check)
    assert (found["p_flees"], found["p_routed"], found["p_silenced"]) == (0, 0, p_silenced)
    told = " ".join(morale.exact("grande-tactique", {"check": check}).warnings)
    assert ("artillery has worn it down" in told) == (cause == "worn down" and by is None)


@pytest.mark.parametrize(
    ("check", "chances"),
    [
        ({}, (0, 1 / 2, 1 / 2, 0)),
        ({"state": "eager"}, (0, 1, 0, 0)),  # worn down: shaken
        ({"state": "eager", "cause": "lost firing"}, (1, 0, 0, 0)),
        ({"state": "eager", "cause": "charged"}, (0, 0, 1, 0)),
        ({"arm": "cavalry", "cause": "lost firing"}, (0, 1, 0, 0)),
        ({"arm": "artillery", "state": "eager", "worn_down_by": "infantry"}, (0, 1, 0, 0)),
        ({"arm": "artillery"}, (0, 0, 0, 1)),
    ],
)
def test_the_states_after_a_check(check, chances):
    found = only("check", check=check)
    names = ("p_eager", "p_shaken", "p_routed", "p_silenced")
    assert [found[name] for name in names] == pytest.approx(chances, abs=EXACTLY)
    assert found["p_stands"] == pytest.approx(found["p_eager"] + found["p_shaken"], abs=EXACTLY)


def test_whether_fire_shakes_the_eager_can_be_settled_otherwise():
    found = only("check", check={"state": "eager"}, ruleset={"fire_shakes": False})
    assert (found["p_eager"], found["p_shaken"]) == (1, 0)


def test_old_guard_has_two_instead_of_one():
    """Target 4 on a six: a veteran fails on 1 and 2, 2/6; Old Guard on 1 alone, 1/6 (GT-9)."""
    assert only("check", check={"quality": "veteran"})["p_flees"] == pytest.approx(2 / 6, abs=EXACTLY)
    assert only("check", check={"quality": "old guard"})["p_flees"] == pytest.approx(1 / 6, abs=EXACTLY)


# --- one flight (GT-3, GT-4, GT-5) --------------------------------------------------------------------------------


def test_the_worked_check():
    """Cavalry fleeing from cavalry 18 inches from its edge: 2d6 >= 7, 21/36."""
    found = only("fates", flight={"arm": "cavalry", "enemy": "cavalry", "edge_distance": 18})
    assert found["p_off_map"] == pytest.approx(21 / 36, abs=EXACTLY)


@pytest.mark.parametrize(("enemy", "distance"), [("infantry", 11), ("artillery", 11)])
def test_cavalry_flees_eleven_without_dice(enemy, distance):
    assert list(ask("flight", flight={"arm": "cavalry", "enemy": enemy})) == [("routed", distance, 0.0)]


@pytest.mark.parametrize(("edge", "p_off_map"), [(7, 1), (7.5, 0)])
def test_infantry_flees_seven(edge, p_off_map):
    found = only("fates", flight={"arm": "infantry", "enemy": "infantry", "edge_distance": edge})
    assert (found["p_off_map"], found["mean_flight_if_it_flees"]) == (p_off_map, 7)


def test_pursuit():
    """Cavalry pursues infantry 6, cavalry 1 less than it fled: of 11 + 7 on average, 17; infantry does not (GT-4)."""
    assert only("fates", flight={"arm": "infantry", "enemy": "cavalry"})["mean_pursuit_if_it_flees"] == 6
    assert only("fates", flight={"arm": "cavalry", "enemy": "cavalry"})["mean_pursuit_if_it_flees"] == pytest.approx(17)
    joint = ask("flight", flight={"arm": "cavalry", "enemy": "cavalry"})
    assert joint["routed", 13.0, 12.0]["probability"] == pytest.approx(1 / 36, abs=EXACTLY)
    assert all(pursuit == distance - 1 for _, distance, pursuit in joint)
    assert only("fates", flight={"arm": "infantry", "enemy": "infantry"})["mean_pursuit_if_it_flees"] == 0


@pytest.mark.parametrize("surrounded", [0, 0.25, 0.75])
def test_how_far_a_unit_flees_does_not_hang_on_those_that_are_surrounded(surrounded):
    """A unit that is surrounded does not move: the means are those of units that flee (GT-3, GT-4, GT-5)."""
    flight = {"arm": "cavalry", "enemy": "cavalry", "surrounded": surrounded}
    found = only("fates", flight=flight)
    assert found["mean_flight_if_it_flees"] == pytest.approx(18, abs=EXACTLY)
    assert found["mean_pursuit_if_it_flees"] == pytest.approx(17, abs=EXACTLY)
    result = morale.simulate("grande-tactique", {"flight": flight}, 200_000, seed=3)
    row = rows(result, "fates")["cavalry",]
    error = (35 / 6 / (200_000 * (1 - surrounded))) ** 0.5  # the variance of two dice is 35/6
    assert row["mean_flight_if_it_flees_standard_error"] == pytest.approx(error, rel=0.02)
    assert abs(row["mean_flight_if_it_flees"] - 18) < 5 * error


def test_nobody_flees_who_is_surely_surrounded():
    found = only("fates", flight={"arm": "infantry", "enemy": "cavalry", "surrounded": 1})
    assert found["p_destroyed"] == 1
    assert not [name for name in found if name.startswith("mean")]


def test_infantry_makes_for_woods_within_reach():
    near = {"arm": "infantry", "enemy": "cavalry", "edge_distance": 5, "shelter_distance": 4}
    assert list(ask("flight", flight=near)) == [("in shelter", 4.0, 6.0)]
    assert only("fates", flight=near | {"shelter_distance": 7.5})["p_off_map"] == 1


def test_without_a_gap_a_unit_is_destroyed():
    """No gap with 1/4; else off the map with 21/36: 1/4 + 3/4 x 21/36 = 11/16 (GT-5)."""
    flight = {"arm": "cavalry", "enemy": "cavalry", "edge_distance": 18, "surrounded": 0.25}
    assert only("fates", flight=flight)["p_destroyed"] == pytest.approx(11 / 16, abs=EXACTLY)


# --- a column of friends (GT-5, GT-9) -----------------------------------------------------------------------------


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


# --- rout (GT-6, GT-7, GT-8) --------------------------------------------------------------------------------------


def test_rallied_with_two_pips():
    """One die of PIPs, 2 needed: 5/6 a turn; after two turns 35/36 (GT-6)."""
    found = ask("rout", rout={"units": [{}]})
    assert found[1, 1]["p_rallied"] == pytest.approx(5 / 6, abs=EXACTLY)
    assert found[1, 2]["p_rallied"] == pytest.approx(35 / 36, abs=EXACTLY)


def test_the_second_in_order_needs_four():
    """4, 5 or 6 PIPs rally both: 1/2. In turn 2 the second rallies with 4 more if it was alone: 1/2 x ... (GT-6).

    After turn 1: both 1/2, the first alone 2/6 (2 or 3 PIPs), neither 1/6. Turn 2 from the second case: 5/6;
    from the third: 1/2. P = 1/2 + 1/3 x 5/6 + 1/6 x 1/2 = 31/36.
    """
    found = ask("rout", rout={"units": [{}, {"arm": "cavalry"}]})
    assert found[2, 1]["p_rallied"] == pytest.approx(1 / 2, abs=EXACTLY)
    assert found[2, 2]["p_rallied"] == pytest.approx(31 / 36, abs=EXACTLY)


def test_not_rallied_it_flees_off_the_map():
    """Infantry 20 inches from its edge is off with its third flight, 21 inches: (1/6)^3 (GT-5, GT-6)."""
    found = ask("rout", rout={"units": [{"edge_distance": 20}]})
    assert found[1, 2]["p_destroyed"] == 0
    assert found[1, 3]["p_destroyed"] == pytest.approx(1 / 216, abs=EXACTLY)


def test_turns_in_rout():
    """Rallied in turn t with (1/6)^(t-1) x 5/6; over three turns 5/6 + 2 x 5/36 + 3 x 1/36 = 43/36."""
    result = morale.exact("grande-tactique", {"rout": {"units": [{}], "turns": 3}})
    assert rows(result, "time_in_rout")[1, 2]["p_rallied_then"] == pytest.approx(5 / 36, abs=EXACTLY)
    assert rows(result, "turns_in_rout")[(1,)]["mean_turns"] == pytest.approx(43 / 36, abs=EXACTLY)


def test_charges_against_routed_units():
    """No PIPs. Cavalry kills either arm; infantry makes infantry flee 7: 10 inches are left after one flight (GT-7)."""
    no_pips = {"pips_elsewhere": 6, "turns": 1}
    for arm in ("infantry", "cavalry"):
        charged = no_pips | {"units": [{"arm": arm}], "charged_by_cavalry": 0.25}
        assert ask("rout", rout=charged)[1, 1]["p_destroyed"] == pytest.approx(0.25, abs=EXACTLY)
    charged = no_pips | {"units": [{"edge_distance": 14}], "charged_by_infantry": 0.25}
    assert ask("rout", rout=charged)[1, 1]["p_destroyed"] == pytest.approx(0.25, abs=EXACTLY)
    charged = no_pips | {"units": [{"arm": "cavalry", "edge_distance": 22}], "charged_by_infantry": 0.25}
    assert ask("rout", rout=charged)[1, 1]["p_destroyed"] == pytest.approx(0.25, abs=EXACTLY)


def test_infantry_in_woods_stays_unless_charged_out_by_infantry():
    """In woods 5 inches from the edge: never flees by itself, charged out it is off the map (GT-6)."""
    stays = {"units": [{"in_shelter": True, "edge_distance": 5}], "pips_elsewhere": 6}
    assert ask("rout", rout=stays)[1, 6]["p_routed"] == pytest.approx(1, abs=EXACTLY)
    charged = stays | {"charged_by_infantry": 0.5, "turns": 2}
    assert ask("rout", rout=charged)[1, 2]["p_destroyed"] == pytest.approx(3 / 4, abs=EXACTLY)


def test_the_way_into_woods_is_no_longer_than_the_way_to_them():
    """Woods 1 inch away use up 1 inch of the 14 to the edge: charged out it is at 8, then, not rallied, at 15.

    The flight into the woods and the one out of them are not 14 inches (GT-5, GT-6).
    """
    unit = {"edge_distance": 14, "shelter_distance": 1}
    found = ask("rout", rout={"units": [unit], "charged_by_infantry": 1, "pips_elsewhere": 6})
    assert [found[1, turn]["p_destroyed"] for turn in (1, 2)] == pytest.approx([0, 1], abs=EXACTLY)


@pytest.mark.parametrize(("edge", "turn"), [(10.3, 1), (10.31, 2)])
def test_fractions_of_an_inch_are_kept_on_the_way_to_the_edge(edge, turn):
    """From woods 3.3 inches back a flight of 7 ends at 10.3, exactly (GT-5, GT-6)."""
    unit = {"edge_distance": edge, "shelter_distance": 3.3}
    found = ask("rout", rout={"units": [unit], "charged_by_infantry": 1, "pips_elsewhere": 6, "turns": 2})
    chances = [found[1, each]["p_destroyed"] for each in (1, 2)]
    assert chances == pytest.approx([int(turn == 1), 1], abs=EXACTLY)


def test_infantry_reaches_woods_on_its_way():
    """Woods 10 inches back are reached with the second flight, before the edge at 21 (GT-5, GT-6)."""
    found = ask("rout", rout={"units": [{"shelter_distance": 10, "edge_distance": 21}], "pips_elsewhere": 6})
    assert found[1, 6]["p_routed"] == pytest.approx(1, abs=EXACTLY)


@pytest.mark.parametrize(("standing", "p_rallied"), [(0, 0), (1, 0), (2, 5 / 6)])
def test_nobody_rallies_in_a_collapsed_division(standing, p_rallied):
    found = ask("rout", rout={"units": [{}], "standing": standing, "turns": 1})
    assert found[1, 1]["p_rallied"] == pytest.approx(p_rallied, abs=EXACTLY)


def plain_rout(units, by_cavalry, by_infantry, turns):
    """P(rallied), P(destroyed) of each unit by turn, on a dictionary of what has become of all of them."""
    law = {tuple((0, "open") for _ in units): Fraction(1)}
    for _ in range(turns):
        for pips in range(-1, len(units)):
            following = {}
            for state, chance in law.items():
                steps = (
                    plain_pips(units, state) if pips < 0 else plain_charge(units, state, pips, by_cavalry, by_infantry)
                )
                for after, share in steps:
                    following[after] = following.get(after, 0) + chance * share
            law = following
        yield [
            [sum(chance for state, chance in law.items() if state[unit][1] == end) for end in ("rallied", "destroyed")]
            for unit in range(len(units))
        ]


def plain_pips(units, state):
    for pips in range(1, 7):
        left, after = pips, []
        for unit, (covered, where) in zip(units, state):
            if where in ("open", "woods") and left >= 2:
                left -= 2
                after.append((covered, "rallied"))
            else:
                after.append(plain_flight(unit, covered) if where == "open" else (covered, where))
        yield tuple(after), Fraction(1, 6)


def plain_charge(units, state, place, by_cavalry, by_infantry):
    covered, where = state[place]
    if where not in ("open", "woods"):
        yield state, Fraction(1)
        return
    for after, share in (
        ((covered, "destroyed"), by_cavalry),
        (plain_flight(units[place], covered), by_infantry),
        ((covered, where), 1 - by_cavalry - by_infantry),
    ):
        yield (*state[:place], after, *state[place + 1 :]), share


def plain_flight(unit, covered):
    step = 7 if unit["arm"] == "infantry" else 11
    before, covered = covered, covered + step
    woods = unit.get("shelter_distance")
    if woods is not None and before < woods <= covered:
        return woods, "woods"
    return covered, "destroyed" if covered >= unit.get("edge_distance", 10**6) else "open"


def test_rout_against_the_plain_reading():
    units = [
        {"arm": "infantry", "edge_distance": 20},
        {"arm": "cavalry", "edge_distance": 40},
        {"arm": "infantry", "shelter_distance": 13, "edge_distance": 25},
        {"arm": "infantry", "shelter_distance": 5},
    ]
    plain = list(plain_rout(units, Fraction(1, 8), Fraction(1, 4), 3))
    found = ask("rout", rout={"units": units, "charged_by_cavalry": 0.125, "charged_by_infantry": 0.25, "turns": 3})
    for turn, expected in enumerate(plain, start=1):
        for unit, chances in enumerate(expected, start=1):
            row = found[unit, turn]
            assert [row["p_rallied"], row["p_destroyed"]] == pytest.approx(
                [float(each) for each in chances], abs=EXACTLY
            )


# --- collapse (GT-8) ----------------------------------------------------------------------------------------------


def test_collapse_of_three_unequal_units():
    """Chances 1/2, 2/5, 3/10, one turn: at least two rout. 1/2 2/5 3/10 + 1/2 2/5 7/10 + 1/2 3/5 3/10 + 1/2 2/5 3/10
    = 0.06 + 0.14 + 0.09 + 0.06 = 0.35.
    """
    units = [{"rout": 0.5}, {"rout": 0.4}, {"rout": 0.3}]
    found = ask("division", division={"units": units, "turns": 1})
    assert found[(1,)]["p_collapsed"] == pytest.approx(0.35, abs=EXACTLY)


def test_collapse_over_two_turns_without_rallying():
    """Two units at 1/2: one routed is all but one. P = 1 - (1/4)^2 by turn 2."""
    found = ask("division", division={"units": [{"rout": 0.5}] * 2, "rally": False, "turns": 2})
    assert [each["p_collapsed"] for each in found.values()] == pytest.approx([3 / 4, 15 / 16], abs=EXACTLY)


def test_a_collapsed_division_rallies_no_more():
    units = [{"rout": 0, "state": "routed"}, {"rout": 0, "state": "routed"}, {"rout": 0}]
    found = ask("units", division={"units": units, "turns": 3})
    assert [found[unit, 3]["p_routed"] for unit in (1, 2, 3)] == pytest.approx([1, 1, 0], abs=EXACTLY)


def test_before_collapse_units_rally_in_order():
    """Two routed of four: the first with 2 PIPs, 5/6, the second with 4, 1/2 (GT-6)."""
    units = [{"rout": 0, "state": "routed"}] * 2 + [{"rout": 0}] * 2
    found = ask("units", division={"units": units, "turns": 1})
    assert found[1, 1]["p_standing"] == pytest.approx(5 / 6, abs=EXACTLY)
    assert found[2, 1]["p_standing"] == pytest.approx(1 / 2, abs=EXACTLY)


def test_a_corps_that_has_lost_half_is_halted():
    """Two of four are gone for good: half; two of a corps of five are not (GT-8)."""
    units = [{"rout": 0, "state": "destroyed"}] * 2 + [{"rout": 0}] * 2
    assert only("division", division={"units": units, "turns": 1})["p_corps_halted"] == pytest.approx(1, abs=EXACTLY)
    assert only("division", division={"units": units, "turns": 1, "corps_units": 5})["p_corps_halted"] == 0


def plain_division(units, turns):
    """P(collapsed) by turn, unit by unit on a dictionary; PIPs on one die."""
    law = {(("standing",) * len(units), False): Fraction(1)}
    for _ in range(turns):
        law = plain_spread(law, plain_rally)
        for unit, (_, lost) in enumerate(units):
            law = plain_spread(law, plain_befall(unit, "routed", "lost", lost))
        for unit, (rout, _) in enumerate(units):
            law = plain_spread(law, plain_befall(unit, "standing", "routed", rout))
        yield sum(chance for (_, collapsed), chance in law.items() if collapsed)


def plain_spread(law, rule):
    following = {}
    for (now, collapsed), chance in law.items():
        for after, share in rule(now, collapsed):
            gone = sum(each != "standing" for each in after)
            state = after, collapsed or gone >= len(after) - 1 > 0
            following[state] = following.get(state, 0) + chance * share
    return following


def plain_rally(now, collapsed):
    for pips in range(1, 7):
        able, after = pips // 2 if not collapsed else 0, list(now)
        for unit, condition in enumerate(now):
            if condition == "routed" and able:
                after[unit], able = "standing", able - 1
        yield tuple(after), Fraction(1, 6)


def plain_befall(unit, before, after, chance):
    def rule(now, _):
        if now[unit] != before:
            yield now, Fraction(1)
            return
        yield (*now[:unit], after, *now[unit + 1 :]), chance
        yield now, 1 - chance

    return rule


def test_collapse_against_the_plain_reading():
    units = [
        (Fraction(1, 2), Fraction(0)),
        (Fraction(1, 4), Fraction(1, 8)),
        (Fraction(1, 8), Fraction(1, 4)),
        (Fraction(3, 8), Fraction(1, 2)),
    ]
    plain = [float(each) for each in plain_division(units, 4)]
    members = [{"rout": float(rout), "lost": float(lost)} for rout, lost in units]
    found = ask("division", division={"units": members, "turns": 4})
    assert [each["p_collapsed"] for each in found.values()] == pytest.approx(plain, abs=EXACTLY)


# --- by Monte Carlo -----------------------------------------------------------------------------------------------

ALL_SECTIONS = {
    "check": {"quality": "veteran"},
    "flight": {"arm": "cavalry", "enemy": "cavalry", "edge_distance": 18, "surrounded": 0.1},
    "column": {
        "arm": "cavalry",
        "enemy": "cavalry",
        "edge_distance": 30,
        "friends": [
            {"distance": 6, "arm": "cavalry", "shaken": 0.3},
            {"distance": 15, "shaken": 0.6},
            {"distance": 20, "arm": "cavalry"},
        ],
    },
    "rout": {
        "units": [{"edge_distance": 20}, {"arm": "cavalry", "edge_distance": 40}, {"shelter_distance": 10}],
        "charged_by_infantry": 0.2,
        "charged_by_cavalry": 0.1,
        "turns": 4,
    },
    "division": {"units": [{"rout": 0.1}, {"rout": 0.3, "lost": 0.4}, {"rout": 0.2}], "turns": 4},
}


@pytest.mark.parametrize("section", ALL_SECTIONS)
def test_the_dice_agree_with_the_law(section):
    assert_sample_fits("grande-tactique", {section: ALL_SECTIONS[section]})


def test_same_seed_same_bits():
    assert_same_on_any_threads("grande-tactique", ALL_SECTIONS, trials=70_000)


def test_a_sample_says_what_the_law_says():
    """Every probability of a sample is near the exact one: within five standard errors."""
    law, sample = (
        morale.exact("grande-tactique", ALL_SECTIONS),
        morale.simulate("grande-tactique", ALL_SECTIONS, 10**6),
    )
    for table in ("check", "fates", "chain", "friends", "rout", "division", "units", "still_routed"):
        sampled = rows(sample, table)
        for key, row in rows(law, table).items():
            for name in (each for each in row if each.startswith("p")):
                error = (row[name] * (1 - row[name]) / 10**6) ** 0.5
                assert abs(sampled[key][name] - row[name]) <= 5 * error + 1e-9, (table, key, name)


# --- bad input ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({}, "nothing is asked"),
        ({"division": {"units": []}}, "division.units: 0 entries (allowed: at least 1)"),
        ({"division": {"units": [{"rout": 1.1}]}}, "division.units.0.rout: 1.1 is not usable"),
        ({"division": {"units": [{"rout": -0.1}]}}, "-0.1 is not usable"),
        ({"division": {"units": [{"rout": 0.1}] * 3, "corps_units": 2}}, "corps_units 2 (allowed: the division's 3"),
        ({"rout": {"units": []}}, "rout.units: 0 entries"),
        ({"rout": {"units": [{}], "charged_by_cavalry": 0.6, "charged_by_infantry": 0.6}}, "more than 1"),
        ({"rout": {"units": [{"arm": "cavalry", "in_shelter": True}]}}, "shelter for cavalry"),
        ({"rout": {"units": [{"arm": "artillery"}]}}, "'infantry' or 'cavalry'"),
        ({"flight": {"arm": "cavalry", "enemy": "cavalry", "edge_distance": -1}}, "edge_distance: -1 is not usable"),
        ({"flight": {"arm": "cavalry", "enemy": "cavalery"}}, "did you mean 'cavalry'"),
        ({"flight": {"arm": "cavalry", "enemy": "cavalry", "surrounded": 2}}, "surrounded: 2 is not usable"),
        ({"column": {"arm": "infantry", "enemy": "cavalry", "friends": []}}, "0 entries"),
        (
            {"column": {"arm": "cavalry", "enemy": "cavalry", "old_guard": True, "friends": [{"distance": 1}]}},
            "old guard",
        ),
        ({"check": {"arm": "cavalry", "quality": "old guard"}}, "old guard cavalry"),
        ({"flihgt": {}}, "did you mean 'flight'"),
        ({"division": {"units": [{"rout": 0.1, "lost": 0.1}] * 14}}, "--method monte-carlo"),
    ],
)
def test_bad_input_is_told_in_one_message(wrong, told):
    with pytest.raises(InputError) as error:
        morale.exact("grande-tactique", wrong)
    assert told in str(error.value)


def test_the_command_line():
    found = CliRunner().invoke(
        cli,
        [
            "morale",
            "grande-tactique",
            "--flight-arm",
            "cavalry",
            "--flight-enemy",
            "cavalry",
            "--flight-edge-distance",
            "18",
            "--division-units",
            "[{rout = 0.5}, {rout = 0.4}]",
        ],
    )
    assert found.exit_code == 0, found.stderr
    assert "58.33%" in found.stdout
    wrong = CliRunner().invoke(cli, ["morale", "grande-tactique", "--division-units", "[]"])
    assert wrong.exit_code == 2
    assert wrong.stderr == "error: question: division.units: 0 entries (allowed: at least 1)\n"


@pytest.mark.parametrize(
    ("rout", "rules_told"),
    [
        ({"units": [{}]}, {"GT-6 flight again", "GT-6 rally"}),
        ({"units": [{}], "pips_elsewhere": 5}, {"GT-6 flight again"}),  # 1 PIP is left of 6
        (
            {"units": [{}], "charged_by_cavalry": 0.1},
            {"GT-6 flight again", "GT-6 rally", "GT-7 charges against routed units"},
        ),
        ({"units": [{}], "standing": 2}, {"GT-6 flight again", "GT-6 rally"}),
        ({"units": [{}], "standing": 1}, {"GT-6 flight again", "GT-8 collapse forbids rallying"}),
        ({"units": [{"edge_distance": 9}]}, {"GT-5 the map edge", "GT-6 flight again", "GT-6 rally"}),
    ],
)
def test_rules_are_called_applied_that_can_have_their_occasion(rout, rules_told):
    assert set(morale.exact("grande-tactique", {"rout": rout}).rules_applied) == rules_told


@pytest.mark.parametrize(
    ("section", "left_out"),
    [
        ("check", ["squares", "Locked in Combat", "attached generals: swept along"]),
        ("flight", ["Locked in Combat", "taken prisoner", "GT-5 direction"]),
        ("column", ["GT-4 pursuit", "GT-5 a gap", "GT-5 direction"]),
        ("rout", ["attached generals", "GT-5 friends in the way", "GT-10", "GT-11"]),
        ("division", ["attached generals", "GT-10", "GT-8 where a halted corps"]),
    ],
)
def test_what_no_number_comes_from_is_named(section, left_out):
    told = " ".join(morale.exact("grande-tactique", {section: ALL_SECTIONS[section]}).not_modelled)
    assert [each for each in left_out if each not in told] == []


def test_steps_read_as_the_rules():
    assert rules.flight_dice(rules.CAVALRY, rules.CAVALRY) == 2
    assert rules.passed_through(rules.EAGER, rules.INFANTRY) == rules.SHAKEN
    assert rules.passed_through(rules.SHAKEN, rules.INFANTRY) == rules.FLEEING
    assert not rules.has_collapsed(2, 1)
    assert rules.has_collapsed(1, 1)
    assert rules.is_halted(2, 4)
