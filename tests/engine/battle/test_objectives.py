"""Objectives in battles (BT-7): who controls a marker, and where; the answers are known without a simulation."""

import pytest

import analyser
from analyser.common.errors import InputError

ROUNDS = 3
GUNS = {"id": "guns", "name": "Guns", "kind": "ranged", "against": ["light", "heavy"], "long_range": 12}
MANY_GUNS = GUNS | {"bands": [{"first": 1, "last": 4, "dice": 90}]}
HEAVY = ("armour", "fortification")
FAR_FORT = {"type": "fortification", "category": "heavy", "x": 0.0, "behind": 10.0}


def unit(name, type="infantry", *, speed=0, rows=(), **more):
    """A unit that stands still and can attack nobody."""
    category = "heavy" if type in HEAVY else "aerial" if type == "rotorcraft" else "light"
    numbers = {"models": 4, "defence": 2, "damage_limit": 1, "points": 100, "victory_points": 2, "speed": speed}
    return {"name": name, "type": type, "category": category, "rows": list(rows)} | numbers | more


def battle(mine, yours, **terms):
    """Three rounds about one marker, on which units stand that state no place."""
    terms = {"rounds": ROUNDS, "table": 48, "gap": 0, "objectives": 1, "swing": False, "tactics": False} | terms
    return analyser.battle({"name": "Ours", "unit": mine}, {"name": "Theirs", "unit": yours}, trials=50, **terms)


def points(*armies, **terms):
    """The victory points of both sides, which are the same in every battle."""
    found = battle(*armies, **terms).table()
    assert found["probability"].tolist() == [1.0]
    return int(found["mine_victory_points"][0]), int(found["yours_victory_points"][0])


@pytest.mark.slow
@pytest.mark.parametrize("tactic", ["balanced", "policies"])
@pytest.mark.parametrize(
    ("mine", "yours", "scores"),
    [
        ("infantry", "fortification", (1, 0)),
        ("cavalry", "fortification", (1, 0)),
        ("infantry", "rotorcraft", (1, 0)),
        ("fortification", "infantry", (0, 1)),
        ("rotorcraft", "cavalry", (0, 1)),
        ("infantry", "armour", (0, 0)),
        ("cavalry", "field gun", (0, 0)),
        ("infantry", "infantry", (0, 0)),
        ("armour", "fortification", (0, 0)),
        ("field gun", "rotorcraft", (0, 0)),
    ],
)
def test_infantry_and_cavalry_control_what_no_other_enemy_touches(mine, yours, scores, tactic):
    both = {"tactic_mine": tactic, "tactic_yours": tactic}
    assert points([unit("Ours", mine)], [unit("Theirs", yours)], **both) == tuple(ROUNDS * each for each in scores)


@pytest.mark.slow
def test_points_are_for_objectives_alone_and_as_many_as_stated():
    armies = [unit("Foot")], [unit("Fort", "fortification")]
    assert points(*armies, objectives=0) == (0, 0)
    assert points(*armies, objective_points=2) == (2 * ROUNDS, 0)


@pytest.mark.slow
def test_contact_is_one_inch_and_no_more():
    assert points([unit("Foot")], [unit("Fort", **FAR_FORT)], gap=2) == (ROUNDS, 0)
    assert points([unit("Foot", behind=0.01)], [unit("Fort", **FAR_FORT)], gap=2) == (0, 0)
    assert points([unit("Foot")], [unit("Tanks", "armour", behind=0.01)], gap=2) == (ROUNDS, 0)
    assert points([unit("Foot", x=19.0)], [unit("Fort", **FAR_FORT)]) == (ROUNDS, 0)
    assert points([unit("Foot", x=16.99)], [unit("Fort", **FAR_FORT)]) == (0, 0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("objectives", "width", "places", "held"),
    [
        (2, 36, (9, 27), 2),
        (3, 36, (6, 30), 2),
        (2, 36, (18,), 0),
        (5, 10, (2,), 2),
        (5, 0, (0,), 5),
    ],
)
def test_markers_are_spread_evenly(objectives, width, places, held):
    """Over the width, each in the middle of its share; of two within an inch a unit controls both."""
    mine = [unit(f"Foot {x}", x=float(x)) for x in places]
    assert points(mine, [unit("Fort", **FAR_FORT)], objectives=objectives, width=width) == (ROUNDS * held, 0)


@pytest.mark.slow
def test_a_unit_walks_to_the_marker_and_scores_from_then_on():
    """13 inches away: after two moves of 6 inches, at double time, it is an inch away and scores in rounds 2 to 6."""
    foot, fort = unit("Foot", speed=3), unit("Fort", **FAR_FORT)
    found = battle([foot], [fort], gap=26, rounds=6)
    assert points([foot], [fort], gap=26, rounds=6) == (5, 0)
    assert points([foot], [fort], gap=26.02, rounds=6) == (4, 0)
    told = list(found.story.lines())
    assert sum(line.endswith('moves 6" toward an objective') for line in told) == 2
    assert told.count("  Ours scores 1 VP for objectives") == 5


@pytest.mark.slow
def test_a_passenger_controls_once_it_has_disembarked():
    foot, fort = unit("Foot", embarked_in="Carriers"), unit("Fort", **FAR_FORT)
    carriers = unit("Carriers", "armour", rules=["Capacity (4)"], traits=["transport"])
    terms = {"width": 0, "disembark_within": 0, "disembark_by": 3}
    assert [points([foot, carriers], [fort], rounds=rounds, **terms) for rounds in (2, 3)] == [(0, 0), (1, 0)]


@pytest.mark.slow
def test_units_with_policies_do_not_walk_to_markers():
    assert points([unit("Foot", speed=3)], [unit("Fort", **FAR_FORT)], gap=26, tactic_mine="policies") == (0, 0)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["cavalry", "armour"])
def test_an_enemy_that_walks_to_a_marker_ends_its_control(kind):
    foot, still = unit("Foot", speed=6), unit("Foe", kind)
    assert points([foot], [still], gap=24) == (3, 0)
    found = battle([foot], [still | {"speed": 6}], gap=24).table()
    assert found["mine_victory_points"].max() <= 1  # 1: it arrived after the foe had acted
    assert found["yours_victory_points"].max() == 0


@pytest.mark.slow
def test_a_unit_that_shoots_on_its_way_is_told_to_walk_to_the_marker():
    """It stops an inch before the centre, where the contact begins; its target stands aside."""
    foot = unit("Foot", speed=6, rows=[GUNS | {"bands": [{"first": 1, "last": 4, "dice": 4}]}])
    fort = unit("Fort", "fortification", category="heavy", x=12.0)
    first = next(line for line in battle([foot], [fort], gap=10, rounds=1).story.lines() if "Foot" in line)
    assert 'advances; moves 4" toward an objective; Foot attacks Fort' in first


@pytest.mark.slow
def test_points_without_objectives_and_too_many_points_are_named():
    warned = battle([unit("Foot")], [unit("Fort", "fortification")], objectives=0, objective_points=3).warnings
    assert "battle.objective_points has no effect: there are no objectives" in warned
    with pytest.raises(InputError, match=r"mine: up to 1,035 victory points in one battle \(allowed: up to 1,023\)"):
        battle([unit("Foot")], [unit("Fort", "fortification", victory_points=1000)], objectives=5, objective_points=2)


@pytest.mark.slow
def test_markers_are_scored_before_zero_ground_presence():
    """90 dice annihilate a single model of 2 victory points; the battle ends with round 1: 2, 1 and 5."""
    assert points([unit("Foot", rows=[MANY_GUNS])], [unit("Fort", "fortification", models=1)]) == (8, 0)


@pytest.mark.parametrize(("key", "wrong", "allowed"), [("objectives", 6, "0 to 5"), ("objective_points", 0, "1 to 5")])
def test_wrong_numbers_are_refused(key, wrong, allowed):
    with pytest.raises(InputError, match=rf"battle: {key}: {wrong} is not usable \(allowed: {allowed}\)"):
        battle([unit("Foot")], [unit("Foe")], **{key: wrong})
