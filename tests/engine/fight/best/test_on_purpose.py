"""Reasons other than a distance to fail a test on purpose (AC-5.1), worked by hand.

Best play on random fights, in which every test may be failed, is compared with the plain reading elsewhere.
"""

import pytest

from analyser import best_play

SAME = 1e-12


def small(models, *rows, **keys):
    """A unit that a test is asked of."""
    usual = {"defence": 1, "damage_limit": 1, "victory_points": 1, "discipline": 6, "type": "infantry"}
    return {**usual, "category": "light", "models": models, "rows": list(rows), **keys}


def row(kind, dice):
    """A row with as many dice for any number of models."""
    found = {"id": kind, "name": kind.title(), "kind": kind, "bands": [{"first": 1, "last": 9, "dice": dice}]}
    return found | ({"against": ["light", "heavy"], "long_range": 24.0} if kind == "ranged" else {})


def hunted(**keys):
    """B can break before A has won another combat, and another victory point by it (AC-5.4, Hunter in AC-7)."""
    a = small(3, row("melee", 2), rules=["Hunter"])
    terms = {"rounds": 2, "first": "a", "policy_a": "best", "policy_b": "best", "want": "margin"}
    return {"duel": terms, "a": a, "b": small(3, break_limit=2, **keys)}, -1


def besieged(**keys):
    """B, suppressed, falls back out of its building, and can charge (AC-5.4)."""
    b = small(4, row("melee", 6), garrisoned=True, suppressed=True, discipline=9, **keys)
    terms = {"rounds": 1, "first": "a", "policy_a": "shoot", "policy_b": "best", "want": "margin"}
    return {"duel": terms, "a": small(1, row("ranged", 2)), "b": b}, 1


def beside_a_bomb(**keys):
    """B, suppressed by the combat before the Overrun, strikes back less hard (Spectacular Demise in AC-7)."""
    a = small(1, row("melee", 2), rules=["Spectacular Demise (6)", "Overrun"])
    terms = {"rounds": 1, "first": "a", "policy_a": "charge", "policy_b": "best", "want": "survival"}
    return {"duel": terms, "a": a, "b": small(3, row("melee", 1), discipline=9, **keys)}, 1


@pytest.mark.parametrize("made", [hunted, besieged, beside_a_bomb])
def test_who_may_fail_a_test_does_no_worse_than_who_always_does(made, monkeypatch):
    (duel, sign), (stated, _) = made(), made(fail_on_purpose=True)
    free, failing = sign * best_play(duel).value, sign * best_play(stated).value
    assert free >= failing - SAME
    monkeypatch.setattr("analyser.scenarios.duel.can_gain", lambda *_: False)
    assert free > sign * best_play(duel).value + 0.001
