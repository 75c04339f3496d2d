"""Grande Tactique in the comparison: worked by hand, and random questions against a plain reading (GT-2, 3, 5, 6)."""

import random
from fractions import Fraction

import pytest

from analyser import morale
from tests.oracle.morale_checks import rows
from tests.oracle.plain_losses import spread

EXACTLY = 1e-12
NAMES = ("p_steady", "p_shaken", "p_routed", "p_gone")


def fates(question):
    found = rows(morale.exact("compare", question), "fates")
    return [[row[name] for name in NAMES] for (_, system), row in found.items() if system == "grande-tactique"]


def test_rallying_does_not_give_back_the_inches_fled():
    """Nerve 0, a model lost each round: shaken; flees 7; in round 3 flees on to 14, or rallies and flees from 7 to 14.

    Either way it is off the map, 14 inches away (GT-6: what it has fled stays fled).
    """
    found = fates({"models": 20, "losses": 1, "nerve": 0.0, "edge_distance": 14, "rounds": 3})
    assert found[2] == pytest.approx([0, 0, 0, 1], abs=EXACTLY)


def test_an_edge_left_out_is_far():
    question = {"models": 100, "losses": 1, "nerve": 0.0, "rounds": 60}
    assert fates(question)[-1][3] == 0
    assert fates(question | {"edge_distance": 1000})[-1] == pytest.approx(fates(question)[-1], abs=EXACTLY)


def plain_fates(question):
    """The fates by round, on a dictionary of (models, status, inches fled); one die of PIPs."""
    section = question["grande_tactique"]
    edge = question.get("edge_distance")
    law = {(question["models"], "eager", 0): Fraction(1)}
    for _ in range(question["rounds"]):
        law = spread(law, lambda state: in_pip_phase(state, section, edge))
        for _ in range(question["attacks"]):
            law = spread(law, lambda state: attacked(state, question["losses"], section, edge))
        yield [
            sum(chance for (models, status, _), chance in law.items() if ("gone" if models == 0 else status) == name)
            for name in ("eager", "shaken", "routed", "gone")
        ]


def flees(models, fled, edge):
    fled += 7
    return (models, "gone" if edge is not None and fled >= edge else "routed", fled)


def in_pip_phase(state, section, edge):
    models, status, fled = state
    if status != "routed":
        yield state, Fraction(1)
        return
    for pips in range(1, 7):
        rallied = pips - section["pips_elsewhere"] >= 2
        yield (models, section["rallied"], fled) if rallied else flees(models, fled, edge), Fraction(1, 6)


def attacked(state, losses, section, edge):
    models, status, fled = state
    for lost, share in losses.items():
        left, chance = max(models - int(lost), 0), Fraction(str(share))
        if models - left < section["worn_down"] or status in ("routed", "gone"):
            yield (left, status, fled), chance
        elif status == "eager":
            yield (left, "shaken", fled), chance
        else:
            passes = Fraction(sum(die >= section["check_target"] for die in range(1, 13)), 12)
            yield (left, "shaken", fled), chance * passes
            yield flees(left, fled, edge), chance * (1 - passes)


def random_question(seed):
    chance = random.Random(seed)
    return {
        "models": chance.randint(1, 12),
        "losses": chance.choice([{"0": 0.3, "1": 0.4, "3": 0.3}, {"1": 1.0}, {"0": 0.5, "2": 0.5}]),
        "attacks": chance.randint(1, 2),
        "rounds": chance.randint(1, 7),
        **({} if chance.random() < 0.2 else {"edge_distance": chance.choice([0, 0.5, 7, 7.01, 13.99, 14, 20, 21, 35])}),
        "grande_tactique": {
            "check_target": chance.randint(1, 13),
            "worn_down": chance.randint(1, 2),
            "rallied": chance.choice(["eager", "shaken"]),
            "pips_elsewhere": chance.choice([0, 1, 3, 6]),
        },
    }


@pytest.mark.parametrize("seed", range(40))
def test_random_comparisons_against_the_plain_reading(seed):
    question = random_question(seed)
    plain = [[float(each) for each in fate] for fate in plain_fates(question)]
    for found, expected in zip(fates(question), plain, strict=True):
        assert found == pytest.approx(expected, abs=EXACTLY)
