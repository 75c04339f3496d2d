"""What Python prints of a result is what the command line prints of the same question."""

import re

import numpy as np
import pytest

import analyser
from analyser import morale
from tests.helpers.shell import GRENADIERS, RIFLES, answer

FEW = ["--method", "monte-carlo", "--trials", "2000", "--seed", "5"]
SAMPLED = {"trials": 2000, "seed": 5}
GUNS, PRICED = "imperium/krupp-field-guns@basic", {"against": "imperium/*@basic", "situations": "long-range"}
ASK_PRICES = [part for key, value in PRICED.items() for part in (f"--{key}", value)]
FIGHT = {"attack": {"attacker": RIFLES, "distance": 6.0}, "target": {"unit": GRENADIERS}}
ATTACKS = [{"attacker": RIFLES, "distance": 6.0}, {"attacker": RIFLES}]
ANSWERS = {
    "attack": (lambda: analyser.exact(FIGHT), ["attack", RIFLES, GRENADIERS, "--distance", "6"]),
    "sampled attack": (
        lambda: analyser.simulate(FIGHT, **SAMPLED),
        ["attack", RIFLES, GRENADIERS, "--distance", "6", *FEW],
    ),
    "charge": (lambda: analyser.charge(RIFLES, GRENADIERS), ["charge", RIFLES, GRENADIERS]),
    "focus fire": (
        lambda: analyser.focus(ATTACKS, GRENADIERS),
        ["attack", f"{RIFLES}:distance=6", RIFLES, GRENADIERS],
    ),
    "duel": (
        lambda: analyser.duel(RIFLES, GRENADIERS, rounds=2, method="monte-carlo", **SAMPLED),
        ["duel", RIFLES, GRENADIERS, "--rounds", "2", *FEW],
    ),
    "clash": (
        lambda: analyser.clash([RIFLES], [GUNS], situations="long-range", aim="victory-points", distance=6),
        ["battle", "plan", RIFLES, GUNS, "--situations", "long-range", "--aim", "victory-points", "--distance", "6"],
    ),
    "what-if": (
        lambda: analyser.what_if(RIFLES, points="-10", dice=-2, qualities="+Arc", row="ranged-light", **PRICED),
        ["balance", "what-if", RIFLES, "points-10", "dice-2", "qualities+Arc", "--row", "ranged-light", *ASK_PRICES],
    ),
    "price": (lambda: analyser.solve_price(RIFLES, **PRICED), ["balance", "solve-price", RIFLES, *ASK_PRICES]),
    "dice": (
        lambda: analyser.solve_dice(RIFLES, most=1, row="ranged-light", **PRICED),
        ["balance", "solve-dice", RIFLES, "--most", "1", "--row", "ranged-light", *ASK_PRICES],
    ),
    "kinds": (lambda: analyser.army_kinds("crown"), ["army", "kinds", "crown"]),
    "morale": (
        lambda: morale.exact("legion", {"courage": 1, "tokens": 2}),
        ["morale", "legion", "--courage", "1", "--tokens", "2"],
    ),
}


@pytest.mark.parametrize("kind", ANSWERS)
def test_a_result_prints_what_the_command_line_prints(kind):
    ask, command = ANSWERS[kind]
    result = ask()
    assert str(result) == answer(*command)
    assert repr(result) == str(result)  # which is what a shell and a notebook show


def test_a_long_distribution_is_cut_at_an_end_that_is_next_to_impossible():
    result = analyser.exact({"attack": {"dice": 20}, "target": {"models": 30, "defence": 1, "damage_limit": 1}})
    first = int(np.argmax(np.cumsum(result["models_destroyed"].probabilities) >= 1e-4))
    printed = [int(value) for value in re.findall(r"^ *(\d+) \|", str(result), re.MULTILINE)]
    assert printed == [*range(first, 31)]
    assert first > 0
    assert "Not shown: at each end, values with a total probability below 0.01%." in str(result)
