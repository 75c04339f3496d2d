"""The numbers of a sample: what no sample can be played by is refused, whoever is asked for one."""

import pytest

import analyser
from analyser.common.errors import InputError
from analyser.morale.api import simulate as simulate_morale
from analyser.report.balance_report import write_report

RIFLES, GRENADIERS = "crown/rifle-platoon@basic", "imperium/scion-grenadier-platoon@basic"
ATTACK = {"attack": {"dice": 2}, "target": {"models": 3, "defence": 1, "damage_limit": 1}}
ASKED = {
    "simulate": lambda **numbers: analyser.simulate(ATTACK, **numbers),
    "charge": lambda **numbers: analyser.charge(RIFLES, GRENADIERS, method="monte-carlo", **numbers),
    "focus": lambda **numbers: analyser.focus([RIFLES], GRENADIERS, method="monte-carlo", **numbers),
    "duel": lambda **numbers: analyser.duel(RIFLES, GRENADIERS, method="monte-carlo", **numbers),
    "compare": lambda **numbers: analyser.compare([RIFLES], GRENADIERS, method="monte-carlo", **numbers),
    "legion": lambda **numbers: simulate_morale("legion", {"courage": 1, "tokens": 2}, **numbers),
    "matchups": lambda **numbers: analyser.matchups(RIFLES, GRENADIERS, **numbers),
    "report": lambda **numbers: write_report(RIFLES, GRENADIERS, out="nowhere", **numbers),
}
WRONG = [  # a number, what is said of it, what is allowed
    ({"trials": 1.5}, "must be an integer, got 1.5", "1 to "),
    ({"trials": "many"}, "must be an integer, got 'many'", "1 to "),
    ({"trials": 0}, "0 is out of range", "1 to "),
    ({"trials": 10**13}, "10000000000000 is out of range", "1 to "),
    ({"seed": -1}, "-1 is out of range", "0 or more"),
    ({"seed": None}, "must be an integer, got None", "0 or more"),
    ({"threads": 0}, "0 is out of range", "1 to 1024"),
    ({"precision": "fine"}, "must be a number or a percentage, got 'fine'", "up to below 1"),
    ({"precision": "0.05%"}, "0.05% is out of range", "0.1% up to below 100%"),
    ({"precision": float("nan")}, "nan is out of range", "up to below 1"),
    ({"precision": 1}, "1 is out of range", "up to below 1"),
    ({"precision": -0.1}, "-0.1 is out of range", "up to below 1"),
]
TAKEN = {"matchups": {"threads"}, "report": {"threads"}}
QUESTIONS = [(kind, *wrong) for kind in ASKED for wrong in WRONG if set(wrong[0]) <= TAKEN.get(kind, {*wrong[0]})]


@pytest.mark.parametrize(("kind", "numbers", "problem", "allowed"), QUESTIONS)
def test_a_number_that_no_sample_can_be_played_by_is_refused(kind, numbers, problem, allowed):
    with pytest.raises(InputError) as refused:
        ASKED[kind](**numbers)
    (where,) = numbers
    assert (refused.value.where, refused.value.problem) == (where, problem)
    assert allowed in refused.value.allowed


@pytest.mark.parametrize("method", ["exact", "monte-carlo"])
@pytest.mark.parametrize("rounds", [True, 1.5, "many", 0, 11])
def test_rounds_of_a_duel_are_whole_numbers(rounds, method):
    with pytest.raises(InputError) as refused:
        analyser.duel(RIFLES, GRENADIERS, rounds=rounds, method=method)
    assert refused.value.where == "duel: rounds"
    assert refused.value.allowed in ("an integer", "1 to 10")


def test_whether_cards_are_put_back_is_yes_or_no():
    with pytest.raises(InputError, match="replacement: 'no' is not usable"):
        analyser.duel(RIFLES, GRENADIERS, method="monte-carlo", replacement="no")
