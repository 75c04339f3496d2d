"""Focus fire at its best: beside every order and every way, and how it is told."""

from itertools import permutations, product

import pytest

from analyser import InputError, best_focus, focus

SAME = 1e-12
TARGET = {"models": 4, "defence": 2, "damage_limit": 1, "discipline": 6, "break_limit": 2}
RIFLES, SHARP = "crown/rifle-platoon@basic", "crown/sharp-rifles@basic"
GRENADIERS = "imperium/scion-grenadier-platoon@basic"


def attack(dice, **more):
    return {"dice": dice} | more


ATTACKS = [attack(2, qualities=["Suppressive"]), attack(4, rating="improved"), attack(3, qualities=["Penetrating"])]


@pytest.mark.parametrize("want", ["annihilated", "broken", "destroyed", "suppressed"])
def test_no_fixed_order_does_better(want):
    found = best_focus(ATTACKS, TARGET, want=want)
    for number in (1, 2, 3):
        fixed = [focus(list(order), TARGET).probability(want).probability for order in permutations(ATTACKS, number)]
        assert found.chances[number - 1] >= max(fixed) - SAME
    given = focus(ATTACKS, TARGET)
    assert found.as_given == pytest.approx(given.probability(want).probability, abs=SAME)
    assert given.until(1, want).probability == given.probability(want)  # the same thing by the same name


def test_two_attacks_by_hand():
    """Who fires second may depend on nothing here: of two attacks only the order can be chosen."""
    two = ATTACKS[1:]
    found = best_focus(two, TARGET)
    worse, better = sorted(float(focus([*order], TARGET).probability("annihilated")) for order in permutations(two))
    assert found.value == pytest.approx(better, abs=SAME)
    assert found.steps[0]["costs"] == pytest.approx(better - worse, abs=SAME)
    assert better - worse > 0.001


def test_rows_aiming_and_closing_in_are_tried():
    asked = [{"attacker": RIFLES, "distance": 12}, {"attacker": SHARP, "distance": 12}]
    found = best_focus(asked, GRENADIERS)
    ways, done = [], [{"distance": 12, "bonuses": ["aiming"]}, {"distance": 8, "attacker_advanced": True}]
    for one, other in product(done, repeat=2):
        for order in permutations([{"attacker": RIFLES} | one, {"attacker": SHARP} | other]):
            try:
                ways.append(focus(list(order), GRENADIERS))
            except InputError:
                continue
    assert found.value >= max(each.probability("annihilated").probability for each in ways) - SAME
    assert any("stays, aims and fires" in step["next"] or "advances" in step["next"] for step in found.steps)


def chance(attacks):
    return focus(attacks, GRENADIERS).probability("annihilated").probability


def test_an_attacker_out_of_range_comes_into_it_by_an_advance():
    # The long range is 14 and SPEED 4: from 17 inches it fires from 13, without aiming (AC-4.1, AC-4.2).
    nearer = {"attacker": RIFLES, "distance": 13, "attacker_advanced": True}
    near = {"attacker": SHARP, "distance": 12}
    found = best_focus([{"attacker": RIFLES, "distance": 17}, near], GRENADIERS)
    assert found.as_given == pytest.approx(chance([nearer, near]), abs=SAME)
    first, second = f'1 {RIFLES} advances 4" to 13" and fires', f"2 {SHARP} stays and fires"
    assert found.in_order == (f"{first} ranged-light", f"{second} ranged-light")
    assert {(step["next"].split()[1], step["advance"]) for step in found.steps} == {(SHARP, 0), (RIFLES, 4)}
    alone = best_focus([{"attacker": RIFLES, "distance": 18}], GRENADIERS)  # exactly at its long range afterwards
    assert alone.value == pytest.approx(chance([nearer | {"distance": 14}]), abs=SAME)


@pytest.mark.parametrize("more", [{"reforming": True}, {"opportunity_fire": True}, {"attacker_garrisoned": True}])
def test_who_has_no_manoeuvre_left_neither_aims_nor_advances(more):
    asked = [{"attacker": RIFLES, "distance": 12} | more]
    found = best_focus(asked, GRENADIERS)
    assert found.value == found.as_given == pytest.approx(chance(asked), abs=SAME)
    with pytest.raises(InputError, match=rf"attacks\.0: 1 {RIFLES} cannot fire at the target, standing: no row"):
        best_focus([{"attacker": RIFLES, "distance": 17} | more], GRENADIERS)


@pytest.mark.parametrize(
    ("attacker", "distance", "by"), [(RIFLES, 18.01, 4), ("empire/green-banner-jezzail-teams@basic", 38, 4)]
)
def test_an_attacker_that_no_advance_brings_to_fire_is_named(attacker, distance, by):
    # The second would be in range, but its rows are Move or Fire (AC-6).
    told = rf"attacks\.1: 2 {attacker} cannot fire at the target, standing or after an advance of {by} inches: "
    with pytest.raises(InputError, match=told):
        best_focus([{"attacker": SHARP, "distance": 12}, {"attacker": attacker, "distance": distance}], GRENADIERS)


@pytest.mark.parametrize(("distance", "moved"), [(10, {"distance": 10, "aiming": True}), (16, {"distance": 12})])
def test_a_suppressed_attacker_aims_or_advances_only_after_its_rally_test(distance, moved):
    """DISCIPLINE 8 passes with two cards in three (AC-5.6); else it fires from where it is, if it can."""
    suppressed = {"attacker": RIFLES, "suppressed": True}
    found = best_focus([suppressed | {"distance": distance}], GRENADIERS)
    passed = chance([suppressed | moved | ({"attacker_advanced": True} if distance == 16 else {})])
    failed = chance([suppressed | {"distance": 10}]) if distance == 10 else 0.0
    assert found.value == pytest.approx(2 / 3 * passed + 1 / 3 * failed, abs=SAME)
    assert "after a failed rally test" in found.steps[0]["next"]
