"""Lengths with a fraction of an inch: kept as they are given, or refused; never rounded (AC-4.1, AC-5.4, AC-9.2).

Every die is a strike and every card a 12, so that every test is failed, unless a test says otherwise.
"""

import pytest

import analyser
from analyser.common.errors import InputError
from analyser.scenarios.duel import program_of_shooters, shooters_of
from analyser.scenarios.load import load
from tests.oracle.fight_files import charge, duel, focus, likely, row, unit

ONE_MODEL = {"dice": 1}  # each attack costs one of ten models, and so a test


def squad(*, edge, **keys):
    """A suppressed target of attacks, so far from its edge."""
    known = {"models": 10, "defence": 1, "damage_limit": 1, "discipline": 6}
    return known | {"suppressed": True, "edge_distance": edge} | keys


@pytest.mark.parametrize(("edge", "flees_at"), [(3.0, 1), (3.01, 2), (3.5, 2), (3.99, 2), (6.0, 2), (6.01, 3)])
def test_who_falls_back_flees_when_it_reaches_its_edge_and_not_before(edge, flees_at):
    # AC-5.4 b: 3 inches at a time. One attack says so alone, as do several.
    assert analyser.exact(
        {"attack": ONE_MODEL, "target": squad(edge=edge), "ruleset": {"die": {"strike": 1}, "deck": {"12": 1}}}
    ).probability("fled").probability == (flees_at == 1)
    result = focus([ONE_MODEL] * 3, squad(edge=edge))
    assert [likely(result, "fled", attack) for attack in (1, 2, 3)] == [attack >= flees_at for attack in (1, 2, 3)]


FINER = 3.005
FAR_SQUAD = squad(edge=9.0)


@pytest.mark.parametrize(
    ("key", "ask"),
    [
        ("attack.distance", lambda: analyser.exact({"attack": {"dice": 1, "distance": FINER}, "target": FAR_SQUAD})),
        ("target.edge_distance", lambda: analyser.exact({"attack": ONE_MODEL, "target": squad(edge=FINER)})),
        ("attacker.edge_distance", lambda: charge(unit(row("melee", 1), edge_distance=FINER), unit())),
        ("duel.distance", lambda: duel(unit(), unit(), distance=FINER)),
        ("a.speed", lambda: duel(unit(speed=FINER), unit())),
        ("a.rows.0.short_range", lambda: duel(unit(row("ranged", 1, short_range=FINER)), unit())),
        ("b.rules", lambda: duel(unit(), unit(rules=[f"Corrosive Fumes ({FINER})"]))),
    ],
)
def test_what_is_finer_is_refused_by_its_key(key, ask):
    with pytest.raises(InputError, match=r"0\.01") as refused:
        ask()
    assert refused.value.where.endswith(key)


def records_of(**terms):
    """The sides of a duel between chargers, as the engines have them."""
    units = {side: unit(row("melee", 3), speed=6.0) for side in "ab"}
    scenario = load({"duel": {"policy_a": "charge", "policy_b": "charge"} | terms, **units}, kind="duel")
    shooters = shooters_of(scenario.a, scenario.b, scenario.terms, scenario.ruleset)
    return program_of_shooters(shooters, scenario.terms)[0]["sides"]


@pytest.mark.parametrize(("distance", "stride"), [(24.0, 100), (24.5, 50), (24.25, 25), (24.1, 10), (24.37, 1)])
def test_a_stride_is_as_long_as_all_lengths_allow(distance, stride):
    assert records_of(distance=distance, rounds=3)["stride"].tolist() == [stride, stride]


def test_more_places_than_a_state_has_room_for_are_refused_and_what_would_do_is_told():
    with pytest.raises(InputError, match=r"steps of 0\.01 inches .*lengths in steps of 0\.02"):
        records_of(distance=24.37, rounds=10)
    records_of(distance=24.38, rounds=10)
