"""Grande Tactique: rout (GT-6, GT-7, GT-8), worked by hand and read plainly."""

from fractions import Fraction

import pytest

from analyser import morale
from tests.helpers.grande_tactique import EXACTLY, ask
from tests.oracle.morale_checks import rows


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
