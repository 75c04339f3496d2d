"""Grande Tactique: collapse (GT-8), worked by hand and read plainly."""

from fractions import Fraction

import pytest

from tests.helpers.grande_tactique import EXACTLY, ask, only


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
