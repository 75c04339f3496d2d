"""Lengths with a fraction of an inch: kept as they are given, or refused; never rounded (AC-4.1, AC-5.4, AC-9.2).

Every die is a strike and every card a 12, so that every test is failed, unless a test says otherwise.
"""

from fractions import Fraction

import pytest

import analyser
from analyser.analysis.situations import Situation
from analyser.common.errors import InputError
from analyser.game.units import hundredths
from analyser.rules import unit_state
from analyser.scenarios.duel import program_of, shooters_of
from analyser.scenarios.load import load
from tests.helpers.samples import chi_square
from tests.oracle import fights_by_engine as engine
from tests.oracle.fight_files import LOW_CARDS, certain, charge, duel, focus, likely, row, unit
from tests.oracle.random_fights import inches

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


def test_far_from_the_edge_there_is_room_for_many_falls():
    # 64 attacks, 192 inches: the place has room for them all.
    result = focus([ONE_MODEL] * 64, squad(edge=189.01, models=70))
    assert likely(result, "fled", 63) == 0
    assert likely(result, "fled", 64) == 1


@pytest.mark.parametrize(("edge", "flees"), [(6.0, True), (6.01, False), (6.99, False)])
def test_a_charged_unit_withdraws_and_falls_back(edge, flees):
    # AC-8.5: three inches back, and three more for the test that it fails; at exactly six it is at its edge.
    target = unit(suppressed=True, edge_distance=edge)
    assert certain(charge(unit(row("melee", 3)), target))["target_fled"] is flees


@pytest.mark.parametrize(("speed", "alive"), [(4.5, 0), (4.49, 1), (4.51, 0)])
def test_an_advance_takes_the_whole_of_speed(speed, alive):
    # AC-4.1: 10.5 inches apart, a row that reaches 6: SPEED 4.5 is just enough.
    shooter = unit(row("ranged", 10, long_range=6.0), speed=speed)
    result = duel(shooter, unit(), policy_a="shoot", policy_b="take_cover", distance=10.5)
    assert likely(result, "b_alive") == alive


@pytest.mark.parametrize(("speed", "charged"), [(5.25, True), (5.24, False)])
def test_a_charge_reaches_twice_speed(speed, charged):
    # AC-8.1: 10.5 inches are twice 5.25.
    a, b = unit(row("melee", 3), speed=speed), unit()
    result = duel(a, b, policy_a="charge", policy_b="take_cover", distance=10.5)
    assert result.summary["mean_b_models_left"] == (7 if charged else 10)


@pytest.mark.parametrize(("distance", "improved"), [(7.25, True), (7.26, False)])
def test_short_range_is_kept_to_the_hundredth(distance, improved):
    # AC-4.2: a miss is rolled again within short range only, here with an aimed shot against one at a concealed target.
    shooter = unit(row("ranged", 4, short_range=7.25))
    result = duel(
        shooter,
        unit(concealed=True),
        die={"strike": 1, "miss": 1},
        policy_a="shoot",
        policy_b="take_cover",
        distance=distance,
    )
    assert result.summary["mean_b_models_left"] == (10 - 4 * 0.75 if improved else 10 - 4 * 0.5)


@pytest.mark.parametrize(("distance", "disordered"), [(2.5, 1), (2.51, 0)])
def test_fumes_reach_fractions_too(distance, disordered):
    # AC-7: Corrosive Fumes (2.5).
    fuming = unit(rules=["Corrosive Fumes (2.5)"])
    result = duel(fuming, unit(), policy_a="take_cover", policy_b="take_cover", distance=distance)
    assert likely(result, "b_disordered") == disordered


@pytest.mark.parametrize(("reach", "thrown"), [("3.01", 1), ("2.99", 0)])
def test_a_throw_reaches_fractions_too(reach, thrown):
    # AC-7: the loser has withdrawn three inches, and passes its test; the card says one die.
    thrower = unit(row("melee", 3), rules=[f"Throw ({reach})"])
    result = charge(thrower, unit(), deck=LOW_CARDS)
    assert certain(result)["target_models_destroyed"] == 3 + thrown


def test_a_demise_reaches_four_inches_and_no_further():
    # AC-7: a strike hurts within 4 inches.
    for distance, left in ((4.0, 7), (4.01, 10)):
        result = duel(
            unit(row("ranged", 9)),
            unit(models=1, rules=["Spectacular Demise (3)"]),
            deck=LOW_CARDS,
            policy_a="shoot",
            policy_b="take_cover",
            distance=distance,
        )
        assert result.summary["mean_a_models_left"] == left


FINER = 3.005
FAR_SQUAD = squad(edge=9.0)


@pytest.mark.parametrize(
    ("key", "ask"),
    [
        ("attack.distance", lambda: analyser.exact({"attack": {"dice": 1, "distance": FINER}, "target": FAR_SQUAD})),
        ("target.edge_distance", lambda: analyser.exact({"attack": ONE_MODEL, "target": squad(edge=FINER)})),
        ("attacks.0.distance", lambda: focus([ONE_MODEL | {"distance": FINER}], squad(edge=9.0))),
        ("target.edge_distance", lambda: focus([ONE_MODEL], squad(edge=FINER))),
        ("attacker.edge_distance", lambda: charge(unit(row("melee", 1), edge_distance=FINER), unit())),
        ("duel.distance", lambda: duel(unit(), unit(), distance=FINER)),
        ("a.speed", lambda: duel(unit(speed=FINER), unit())),
        ("a.rows.0.short_range", lambda: duel(unit(row("ranged", 1, short_range=FINER)), unit())),
        ("b.rows.0.long_range", lambda: duel(unit(), unit(row("ranged", 1, long_range=FINER)))),
        ("b.rules", lambda: duel(unit(), unit(rules=[f"Corrosive Fumes ({FINER})"]))),
        ("attacker.rules", lambda: charge(unit(row("melee", 1), rules=[f"Throw ({FINER})"]), unit())),
    ],
)
def test_what_is_finer_is_refused_by_its_key(key, ask):
    with pytest.raises(InputError, match=r"0\.01") as refused:
        ask()
    assert refused.value.where.endswith(key)


def test_a_situation_has_such_a_distance_too():
    assert Situation(name="near", distance=10.01).distance == 10.01
    with pytest.raises(ValueError, match=r"0\.01"):
        Situation(name="near", distance=10.001)


def test_hundredths_are_told_from_what_floating_point_leaves():
    assert [hundredths(float(f"{n / 100:.2f}")) for n in range(100_001)] == list(range(100_001))
    with pytest.raises(ValueError, match="finer"):
        hundredths(999.999)


def records_of(**terms):
    """The sides of a duel between chargers, as the engines have them."""
    units = {side: unit(row("melee", 3), speed=6.0) for side in "ab"}
    scenario = load({"duel": {"policy_a": "charge", "policy_b": "charge"} | terms, **units}, kind="duel")
    shooters = shooters_of(scenario.a, scenario.b, scenario.terms, scenario.ruleset)
    setup, _ = program_of(shooters, scenario.terms)
    return setup["sides"], shooters, scenario


@pytest.mark.parametrize(("distance", "stride"), [(24.0, 100), (24.5, 50), (24.25, 25), (24.1, 10), (24.37, 1)])
def test_a_stride_is_as_long_as_all_lengths_allow(distance, stride):
    sides, _, _ = records_of(distance=distance, rounds=3)
    assert sides["stride"].tolist() == [stride, stride]


def test_more_places_than_a_state_has_room_for_are_refused_and_what_would_do_is_told():
    with pytest.raises(InputError, match=r"steps of 0\.01 inches .*lengths in steps of 0\.02"):
        records_of(distance=24.37, rounds=10)
    records_of(distance=24.38, rounds=10)


@pytest.mark.parametrize("origin", [-1500, 0, 1500])
def test_a_place_is_kept_whatever_else_a_state_holds(origin):
    sides, _, _ = records_of(distance=24.37, rounds=3)
    side = sides[0].copy()
    side.origin = origin
    word = (origin << int(side.position_at)) | 10 | unit_state.FIRST
    for length in (2437, -600, -300, 55):
        before = unit_state.position_of(word, side)
        word = unit_state.moved(word, side, length)
        assert unit_state.position_of(word, side) == before + length
        assert unit_state.models_of(word) == 10
        assert word & unit_state.FIRST
    assert unit_state.out_of_place(word, side) == 10 | unit_state.FIRST


def test_samples_keep_fractions_as_the_exact_engine_does():
    fighter = {
        "type": "infantry",
        "category": "light",
        "models": 3,
        "defence": 1,
        "damage_limit": 1,
        "discipline": 7,
        "break_limit": 0,
        "rules": [],
        "formation": "close",
        "speed": Fraction(251, 100),
        "edge_distance": Fraction(301, 100),
        "rows": [
            {
                "kind": "ranged",
                "against": ["light"],
                "short_range": Fraction(5, 2),
                "long_range": Fraction(723, 100),
                "bands": [{"first": 1, "last": 3, "dice": 2}],
                "qualities": [],
            },
            {"kind": "melee", "bands": [{"first": 1, "last": 3, "dice": 2}], "qualities": []},
        ],
    }
    scenario = {
        "a": fighter,
        "b": fighter,
        "policy_a": "charge",
        "policy_b": "short_range",
        "rounds": 3,
        "first": "random",
        "distance": Fraction(1234, 100),
        "ruleset": {},
    }
    fight = engine.duel_fight(scenario)
    sample = engine.samples_of(fight, scenario, 20_000, seed=5, replacement=True)[-1]
    assert chi_square(sample, engine.laws_of(fight, scenario)[-1]) > 1e-4


def test_lengths_at_random_are_whole_as_often_as_not():
    import random

    lengths = [inches(random.Random(seed), 1, 9) for seed in range(300)]
    assert 100 < sum(length == int(length) for length in lengths) < 250
    assert all((100 * length) % 1 == 0 for length in lengths)
