"""Grande Tactique, GT-1 to GT-11 worked by hand."""

import pytest

from analyser import morale
from analyser.common.errors import InputError
from tests.oracle.morale_checks import assert_worked


def check(expected, ruleset=None, **keys):
    arm = keys.get("arm", "infantry")
    return {"check": keys, "ruleset": ruleset or {}}, {("check", arm, f"p_{name}"): p for name, p in expected.items()}


def flight(expected, **keys):
    return {"flight": keys}, {("fates", keys["arm"], name): value for name, value in expected.items()}


def friends(*expected, **keys):
    """A question about a column, and the expected figures of each friend, in order."""
    asked = {"arm": "infantry", "enemy": "infantry"} | keys
    places = [
        (number, friend.get("arm", "infantry"), friend["distance"]) for number, friend in enumerate(asked["friends"], 1)
    ]
    figures = [(place, row) for place, row in zip(places, expected)]
    return {"column": asked}, {("friends", *place, f"p_{name}"): p for place, row in figures for name, p in row.items()}


def section(name, table, expected, **keys):
    """A section, and expected figures of one of its tables: ``{(*key, column): value}``."""
    return {name: keys}, {(table, *where): value for where, value in expected.items()}


def rout(expected, units=({},), **keys):
    return section("rout", "rout", expected, units=[*units], **keys)


def game(expected, *units, **keys):
    """A game, and the expected figures by unit and turn."""
    arms = [unit.get("arm", "infantry") for unit in units]
    by_unit = {
        ("game_units", unit, arms[unit - 1], turn, f"p_{name}"): p
        for (unit, turn), row in expected.items()
        for name, p in row.items()
    }
    return {"game": {"units": [*units], "turns": 3} | keys}, by_unit


ROUTED, SHAKEN, EAGER = {"routed": 1}, {"shaken": 1}, {"eager": 1}
HORSE = {"arm": "cavalry", "enemy": "cavalry"}
STANDS = {"rout": 0}
NO_PIPS = {"pips_elsewhere": 6, "turns": 1}
CHECKS = {
    **{
        f"GT-1: {state} artillery that is {cause} by {by} is silenced with {p}": check(
            {"flees": 0, "routed": 0, "silenced": p}, arm="artillery", cause=cause, state=state, worn_down_by=by
        )
        for cause, by, state, p in (
            ("charged", "artillery", "eager", 1),
            ("worn down", "artillery", "eager", 1),
            ("worn down", "artillery", "shaken", 1),
            ("worn down", "infantry", "shaken", 0),
            ("lost firing", "artillery", "shaken", 0),
        )
    },
    **{
        f"GT-1: the states after {keys}": check(dict(zip(("eager", "shaken", "routed", "silenced"), chances)), **keys)
        for keys, chances in (
            ({}, (0, 1 / 2, 1 / 2, 0)),
            ({"state": "eager"}, (0, 1, 0, 0)),  # worn down: shaken
            ({"state": "eager", "cause": "lost firing"}, (1, 0, 0, 0)),
            ({"state": "eager", "cause": "charged"}, (0, 0, 1, 0)),
            ({"arm": "cavalry", "cause": "lost firing"}, (0, 1, 0, 0)),
            ({"arm": "artillery", "state": "eager", "worn_down_by": "infantry"}, (0, 1, 0, 0)),
            ({"arm": "artillery"}, (0, 0, 0, 1)),
        )
    },
    "GT-1, settled otherwise: fire does not shake": check({"eager": 1}, {"fire_shakes": False}, state="eager"),
    "GT-9: a veteran fails on 1 and 2": check({"flees": 2 / 6}, quality="veteran"),
}
FLIGHTS = {
    "GT-3, GT-5: cavalry 18 inches from its edge, 2d6 >= 7": flight({"p_off_map": 21 / 36}, **HORSE, edge_distance=18),
    **{
        f"GT-3: infantry flees 7, the edge at {edge}": flight(
            {"p_off_map": off, "mean_flight_if_it_flees": 7}, arm="infantry", enemy="infantry", edge_distance=edge
        )
        for edge, off in ((7, 1), (7.5, 0))
    },
    "GT-4: cavalry pursues infantry 6": flight({"mean_pursuit_if_it_flees": 6}, arm="infantry", enemy="cavalry"),
    "GT-4: cavalry pursues cavalry 1 less than it fled": section(
        "flight", "flight", {("routed", 13.0, 12.0, "probability"): 1 / 36}, **HORSE
    ),
    "GT-5: infantry makes for woods": section(
        "flight",
        "flight",
        {("in shelter", 4.0, 6.0, "probability"): 1},
        **{"arm": "infantry", "enemy": "cavalry", "edge_distance": 5, "shelter_distance": 4},
    ),
    "GT-5: no gap with 1/4, else off the map with 21/36": flight(
        {"p_destroyed": 11 / 16}, **HORSE, edge_distance=18, surrounded=0.25
    ),
}
COLUMNS = {
    "GT-5: eager friends are shaken, shaken ones flee, from 5 to 12": friends(
        SHAKEN, ROUTED, SHAKEN, friends=[{"distance": 3}, {"distance": 5, "shaken": 1}, {"distance": 7.5}]
    ),
    "GT-5: shaken with 1/2, 6 inches apart: k flee with (1/2)^k x 1/2, all three with 1/8": section(
        "column",
        "chain",
        {(n, "p_exactly"): p for n, p in enumerate((1 / 2, 1 / 4, 1 / 8, 1 / 8))} | {(2, "p_at_least"): 1 / 4},
        **{"arm": "infantry", "enemy": "cavalry"},
        friends=[{"distance": 6 * place, "shaken": 0.5} for place in (1, 2, 3)],
    ),
    "GT-5: an eager friend passed through twice flees": friends(
        ROUTED, ROUTED, friends=[{"distance": 2, "shaken": 1}, {"distance": 4}]
    ),
    "GT-9: within 3 of Old Guard they flee, within 9 they are shaken; that friend flees through both others": friends(
        ROUTED, ROUTED, SHAKEN, old_guard=True, friends=[{"distance": 3}, {"distance": 9}, {"distance": 10.5}]
    ),
    "GT-9: Old Guard behind, 2 inches away": friends(
        ROUTED, friends=[{"distance": 4}, {"distance": 6, "shaken": 1, "old_guard": True}]
    ),
    "GT-1: artillery in the way does not rout, and the friend behind it is reached by nobody": friends(
        SHAKEN, EAGER, friends=[{"distance": 5, "arm": "artillery", "shaken": 1}, {"distance": 8}]
    ),
    # The friend at 16 is reached by the cavalry alone; it was not within 9 of the Old Guard.
    "GT-9, at once: the first flight makes Old Guard at 5 flee, and so the friend at 7": friends(
        ROUTED,
        ROUTED,
        SHAKEN,
        friends=[{"distance": 5, "shaken": 1, "old_guard": True}, {"distance": 7, "arm": "cavalry"}, {"distance": 16}],
    ),
}
ROUTS = {
    "GT-6: rallied with 2 PIPs of one die": rout({(1, 1, "p_rallied"): 5 / 6, (1, 2, "p_rallied"): 35 / 36}),
    # After turn 1: both 1/2, the first alone 2/6, neither 1/6; then 5/6 and 1/2.
    "GT-6: the second in order needs 4": rout(
        {(2, 1, "p_rallied"): 1 / 2, (2, 2, "p_rallied"): 31 / 36}, [{}, {"arm": "cavalry"}]
    ),
    "GT-5, GT-6: 20 inches from its edge infantry is off with its third flight": rout(
        {(1, 2, "p_destroyed"): 0, (1, 3, "p_destroyed"): 1 / 216}, [{"edge_distance": 20}]
    ),
    **{
        f"GT-7: {by} charges {unit}": rout(
            {(1, 1, "p_destroyed"): 0.25}, [unit], **NO_PIPS, **{f"charged_by_{by}": 0.25}
        )
        for by, unit in (
            ("cavalry", {"arm": "infantry"}),
            ("cavalry", {"arm": "cavalry"}),
            ("infantry", {"edge_distance": 14}),
            ("infantry", {"arm": "cavalry", "edge_distance": 22}),
        )
    },
    "GT-6: in woods infantry stays": rout(
        {(1, 6, "p_routed"): 1}, [{"in_shelter": True, "edge_distance": 5}], pips_elsewhere=6
    ),
    "GT-5, GT-6: woods 10 inches back are reached with the second flight": rout(
        {(1, 6, "p_routed"): 1}, [{"shelter_distance": 10, "edge_distance": 21}], pips_elsewhere=6
    ),
    **{
        f"GT-8: {standing} of the division stand": rout({(1, 1, "p_rallied"): p}, standing=standing, turns=1)
        for standing, p in ((0, 0), (1, 0), (2, 5 / 6))
    },
}
DIVISIONS = {
    "GT-8: chances 1/2, 2/5, 3/10; two rout at least": section(
        "division", "division", {(1, "p_collapsed"): 0.35}, units=[{"rout": 0.5}, {"rout": 0.4}, {"rout": 0.3}], turns=1
    ),
    "GT-8: a collapsed division rallies no more": section(
        "division",
        "units",
        {(unit, 3, "p_routed"): int(unit < 3) for unit in (1, 2, 3)},
        **{"units": [STANDS | {"state": "routed"}] * 2 + [STANDS], "turns": 3},
    ),
    **{
        f"GT-8: two of a corps of {corps} are lost": section(
            name,
            name,
            {(1, "p_corps_halted"): int(corps == 4)},
            **{"units": [unit | {"state": "destroyed"}] * 2 + [unit] * 2, "corps_units": corps, "turns": 1},
        )
        for name, unit in (("division", STANDS), ("game", {}))
        for corps in (4, 5)
    },
}
FIRE, WOODS = {"worn_down_by_infantry": 1}, {"in_shelter": True, "edge_distance": 5}
ONCE = {"charged_by_infantry": 1, "rout_charged_by_infantry": 0}
REAR = {"arm": "cavalry", "edge_distance": 18, "column": 1, "state": "shaken"}
GAMES = {
    "GT-3: cavalry charged by cavalry flees eleven and two dice": game(
        {(1, 1): {"off_map": 21 / 36, "routed": 15 / 36}},
        {"arm": "cavalry", "edge_distance": 18, "charged_by_cavalry": 1},
    ),
    "GT-2: shaken infantry worn down checks its morale": game({(1, 1): {"routed": 1 / 2}}, FIRE | {"state": "shaken"}),
    "GT-6: what it has fled stays fled": game(
        {(1, 1): {"off_map": 0}, (1, 2): {"off_map": 1, "rallied": 5 / 6}}, ONCE | {"edge_distance": 14}, {}, {}
    ),
    "GT-7, GT-11: a unit is charged once a turn": game(
        {(1, 1): {"routed": 1}, (1, 2): {"off_map": 1}},
        *[{"edge_distance": 14, "charged_by_infantry": 1}, {}, {}],
        pips_elsewhere=6,
    ),
    "GT-7: routed units die under cavalry": game(
        {(1, 1): {"destroyed": 1 / 4, "off_map": 0}},
        *[{"state": "routed", "rout_charged_by_cavalry": 0.25}, {}, {}],
        pips_elsewhere=6,
    ),
    "GT-6: charged by infantry it leaves the woods": game({(1, 1): {"off_map": 1}}, WOODS | {"charged_by_infantry": 1}),
    "GT-5: flight through a column is a chain; others are not met, nor who stands in front": game(
        {(unit, 1): {"routed": p} for unit, p in enumerate((1, 0, 1, 1, 0, 0, 0), start=1)},
        {"edge_distance": 20, "column": 1, "charged_by_infantry": 1},
        {"edge_distance": 30, "column": 1},
        {"arm": "cavalry", "edge_distance": 16, "column": 1, "state": "shaken"},
        {"edge_distance": 14, "column": 1},
        {"edge_distance": 15, "column": 2, "state": "shaken"},
        {"edge_distance": 15, "state": "shaken"},
        {"arm": "artillery", "edge_distance": 13, "column": 1, "state": "shaken"},
    ),
    "GT-3: cavalry in a chain flees from the cavalry that began it": game(
        {(2, 1): {"off_map": 21 / 36}},
        {"edge_distance": 20, "column": 1, "charged_by_cavalry": 1, "rout_charged_by_cavalry": 0},
        REAR,
    ),
    "GT-9, GT-1: Old Guard dismays its column, before and behind; artillery is shaken": game(
        {
            (unit, 1): {"routed": p, "shaken": q}
            for unit, p, q in ((1, 1, 0), (2, 1, 0), (3, 0, 1), (4, 0, 0), (5, 0, 1))
        },
        {"quality": "old guard", "edge_distance": 20, "column": 1, "charged_by_infantry": 1},
        *[{"edge_distance": edge, "column": 1} for edge in (23, 29, 29.01)],
        {"arm": "artillery", "edge_distance": 22, "column": 1},
    ),
    "GT-8: silenced artillery counts as routed for collapse, after which none rally": game(
        {(2, 3): {"rallied": 0}}, {"arm": "artillery", "state": "silenced"}, {"state": "routed"}, {}
    ),
    "GT-10: of three one withdraws and one is destroyed: not collapsed": section(
        "game",
        "game",
        {(turn, name): value for turn in (1, 2) for name, value in (("mean_lost", 1), ("p_collapsed", 0))}
        | {(1, "mean_withdrawn"): 0, (2, "mean_withdrawn"): 1},
        **{"units": [{"withdraws": 2}, {"state": "destroyed"}, {}], "turns": 2},
    ),
}
WORKED = CHECKS | FLIGHTS | COLUMNS | ROUTS | DIVISIONS | GAMES


@pytest.mark.parametrize("case", WORKED)
def test_worked_by_hand(case):
    assert_worked("grande-tactique", *WORKED[case])


def many(count=8, turns=6, **keys):
    return {
        "game": {"units": [{"arm": "cavalry", "column": 1, "charged_by_cavalry": 0.1} | keys] * count, "turns": turns}
    }


@pytest.mark.slow
def test_eight_cavalry_units_in_one_column_can_be_simulated():
    """The states of all units together fit into 62 bits."""
    assert morale.simulate("grande-tactique", many(edge_distance=42), 500).trials == 500


def test_too_many_states_give_an_error_with_a_remedy():
    with pytest.raises(InputError, match=r"too many states .allowed: fewer units or turns, cavalry nearer"):
        morale.simulate("grande-tactique", many(edge_distance=90), 500)


@pytest.mark.proof
def test_four_infantry_units_over_four_turns_have_an_exact_answer():
    units = [
        {"edge_distance": edge, "worn_down_by_infantry": 0.2, "charged_by_cavalry": 0.1} for edge in (20, 26, 32, 38)
    ]
    assert morale.exact("grande-tactique", {"game": {"units": units, "turns": 4}}).method == "exact"
