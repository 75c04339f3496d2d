"""Warmaster: each rule of WM-1 to WM-9, worked by hand, and rolled."""

import itertools

import pytest
from click.testing import CliRunner

from analyser import morale
from analyser.cli import cli
from analyser.common.errors import InputError
from tests.oracle.morale_checks import assert_same_on_any_threads, assert_sample_fits, rows

CHOICES = {"always": "always", "never": "never", "fewest": "fewest confused"}


def only(question, table=None):
    """The one row of a question without a choice."""
    (row,) = rows(morale.exact("warmaster", question), table).values()
    return row


def by_choice(question, choice="always"):
    return rows(morale.exact("warmaster", question))[(CHOICES[choice],)]


def friend(distance=0, **more):
    return {"distance": distance, "kind": "friend", **more}


# --- worked by hand ---------------------------------------------------------------------------------------------


def test_two_drive_back_dice_in_the_open():
    """Confused if either shows 6: 1 - (5/6)^2 = 11/36 (WM-1); moves 7 cm on average."""
    row = only({"dice": 2})
    assert row["p_confused"] == pytest.approx(11 / 36, abs=1e-12)
    assert row["mean_distance"] == pytest.approx(7, abs=1e-12)


def test_one_friend_makes_way_and_nothing_else_is_rolled():
    """Mover 1/6, friend 1/6, at least one of them 11/36 (WM-4)."""
    question = {"move": "falls_back", "distance": 5, "obstacles": [friend()]}
    row = by_choice(question)
    assert row["p_confused"] == pytest.approx(1 / 6, abs=1e-12)
    assert row["mean_friends_confused"] == pytest.approx(1 / 6, abs=1e-12)
    joint = rows(morale.exact("warmaster", question), "joint")
    assert 1 - joint["always", "no", 0]["probability"] == pytest.approx(11 / 36, abs=1e-12)


def test_a_friend_that_does_not_make_way_confuses_the_mover_and_not_itself():
    """Halts on contact, confused, no roll; the friend does not test (WM-4)."""
    row = by_choice({"move": "falls_back", "distance": 5, "obstacles": [friend(3.5)]}, "never")
    assert (row["p_confused"], row["mean_friends_confused"], row["mean_distance"]) == pytest.approx((1, 0, 3.5))


def test_impassable_terrain_is_a_test():
    """One die, 2 cm of open ground: goes into the terrain with 3 to 6 (WM-2).

    1 or 2: steady. 3, 4, 5 (1/2): confused on a 6, 1/12. 6 (1/6): confused by the drive-back die. In all 1/4.
    """
    row = only({"dice": 1, "obstacles": [{"distance": 2, "kind": "impassable"}]})
    assert row["p_confused"] == pytest.approx(1 / 4, abs=1e-12)
    assert row["p_by_terrain"] == pytest.approx(4 / 36, abs=1e-12)


@pytest.mark.parametrize("kind", ["enemy", "combat"])
def test_halts_one_centimetre_from_enemies_and_combats(kind):
    """One die, enemy at 4 cm: 4, 5 or 6 would come nearer than 1 cm: halts at 3, confused (WM-3). Mean 15/6 cm."""
    question = {"dice": 1, "obstacles": [{"distance": 4, "kind": kind}]}
    row = only(question)
    assert row["p_confused"] == row["p_by_enemy_or_combat"] == pytest.approx(1 / 2, abs=1e-12)
    assert row["mean_distance"] == pytest.approx((1 + 2 + 3 + 3 + 3 + 3) / 6, abs=1e-12)
    stops = rows(morale.exact("warmaster", question), "stops")
    assert stops["driven_back", 3.0, kind]["probability"] == pytest.approx(1 / 2, abs=1e-12)
    assert stops["driven_back", 3.0, "open ground"]["probability"] == pytest.approx(1 / 6, abs=1e-12)


def test_the_sum_and_the_six_go_together():
    """One die, enemy at 6.5 cm: 6 comes within 1 cm. Confused by both or by neither: 1/6, not 11/36."""
    row = only({"dice": 1, "obstacles": [{"distance": 6.5, "kind": "enemy"}]})
    assert row["p_confused"] == pytest.approx(1 / 6, abs=1e-12)
    assert row["p_six_on_drive_back_dice"] == row["p_by_enemy_or_combat"] == pytest.approx(1 / 6, abs=1e-12)


def test_a_chain_of_friends():
    """A column of two behind the friend: each tests for itself, and for the one that it pushes (WM-4, WM-7).

    Friends: 1 - (5/6)^2 = 11/36 twice, and 1/6: together 28/36. The mover pushes one only: 1/6.
    """
    row = by_choice({"move": "falls_back", "distance": 5, "obstacles": [friend(chain=2)]})
    assert row["mean_friends_confused"] == pytest.approx(28 / 36, abs=1e-12)
    assert row["p_confused"] == pytest.approx(1 / 6, abs=1e-12)


def test_a_mover_that_tests_for_the_whole_chain():
    """The other reading of WM-4: mover 3 dice, friends 3, 2 and 1."""
    question = {"move": "falls_back", "distance": 5, "obstacles": [friend(chain=2)]}
    row = by_choice(question | {"ruleset": {"tests_for_chain": "all"}})
    spared = [(5 / 6) ** tests for tests in (3, 2, 1)]
    assert row["p_confused"] == pytest.approx(1 - (5 / 6) ** 3, abs=1e-12)
    assert row["mean_friends_confused"] == pytest.approx(3 - sum(spared), abs=1e-12)


def test_two_friends_one_after_the_other():
    """Each is a test of the mover's: 1 - (5/6)^2; each friend 1/6 (WM-4, WM-7)."""
    row = by_choice({"move": "falls_back", "distance": 9, "obstacles": [friend(2), friend(5)]})
    assert row["p_confused"] == pytest.approx(11 / 36, abs=1e-12)
    assert row["mean_friends_confused"] == pytest.approx(1 / 3, abs=1e-12)


def test_which_choice_confuses_fewer_units():
    """Making way: 1/6 and the friends; with a column of 2 behind the friend 34/36, less than refusing (1), of 3 45/36.

    Friends: 11/36 for each that pushes another, 6/36 for the last.
    """
    for chain, cheaper in ((2, "always"), (3, "never")):
        question = {"move": "falls_back", "distance": 5, "obstacles": [friend(chain=chain)]}
        mean = {choice: by_choice(question, choice)["mean_units_confused"] for choice in CHOICES}
        assert mean["always"] == pytest.approx((6 + 11 * chain + 6) / 36, abs=1e-12)
        assert mean["never"] == pytest.approx(1, abs=1e-12)
        assert mean["fewest"] == pytest.approx(mean[cheaper], abs=1e-12)
        assert mean[cheaper] == min(mean["always"], mean["never"])


def test_a_unit_that_is_confused_already_spares_its_friends():
    """One die, friend in contact: a 6 has confused it, so the friend refuses at no cost; else it makes way.

    Friends: 5/6 * 1/6. Mover: 1/6 + 5/6 * 1/6. Fewer than always making way (1/6 + 11/36) or never (1).
    """
    question = {"dice": 1, "obstacles": [friend()]}
    assert by_choice(question, "fewest")["mean_units_confused"] == pytest.approx(5 / 36 + 11 / 36, abs=1e-12)
    assert by_choice(question, "always")["mean_units_confused"] == pytest.approx(6 / 36 + 11 / 36, abs=1e-12)
    assert by_choice(question, "never")["mean_units_confused"] == pytest.approx(1)


def test_engaged_and_constricted_friends_cannot_make_way():
    """Nor can a friend that would have to push one of them (WM-5): no choice, confused."""
    for obstacle in ({"distance": 0, "kind": "unyielding"}, friend(chain=[{"kind": "unyielding"}])):
        row = only({"move": "falls_back", "distance": 5, "obstacles": [obstacle]})
        assert (row["p_confused"], row["mean_friends_confused"]) == pytest.approx((1, 0))


def test_evaders_confuse_the_friends_they_burst_through_and_not_themselves():
    """No roll (WM-6); the friend beyond their move is spared."""
    question = {"move": "evades", "distance": 10, "obstacles": [friend(2), friend(9), friend(15)]}
    row = only(question)
    assert (row["p_confused"], row["mean_friends_confused"]) == pytest.approx((0, 2))
    assert "this Command phase only" in morale.exact("warmaster", question).rules_applied[0]


def test_stands_that_retreat_into_what_does_not_yield_are_destroyed():
    """No confusion roll (WM-8): 1 of 3 stands blocked by terrain, the other 2 by an enemy farther on."""
    blocked = [{"distance": 1, "kind": "impassable", "stands": 1}, {"distance": 6, "kind": "enemy", "stands": 2}]
    law = {4: 0.75, 8: 0.25}
    row = only({"move": "retreats", "distance": law, "obstacles": blocked})
    assert row["mean_stands_destroyed"] == pytest.approx(0.75 * 1 + 0.25 * 3, abs=1e-12)
    assert row["p_all_stands_destroyed"] == pytest.approx(0.25, abs=1e-12)
    assert row["p_confused"] == 0


def test_retreating_units_make_friends_way_or_die():
    """Making way: 1/6 for each. Refusing: all stands destroyed (WM-4, WM-8); the fewest units lost is making way."""
    question = {"move": "retreats", "distance": 3, "obstacles": [friend()]}
    assert by_choice(question)["p_confused"] == pytest.approx(1 / 6, abs=1e-12)
    assert by_choice(question, "never")["p_all_stands_destroyed"] == pytest.approx(1)
    assert by_choice(question, "fewest") == by_choice(question, "always")


def test_contact_is_not_into_unless_the_ruleset_says_so():
    question = {"move": "falls_back", "distance": 4, "obstacles": [{"distance": 4, "kind": "unyielding"}]}
    assert only(question)["p_confused"] == 0
    assert only(question | {"ruleset": {"touching_is_into": True}})["p_confused"] == pytest.approx(1)


def test_turns_lost_to_confusion():
    """Two turns of one die each: confused with 1/6 in each; law of the turns lost 25/36, 10/36, 1/36 (WM-9)."""
    result = morale.exact("warmaster", {"dice": 1, "turns": 2})
    lost = [row["probability"] for row in rows(result, "turns_lost").values()]
    assert lost == pytest.approx([25 / 36, 10 / 36, 1 / 36], abs=1e-12)
    assert [row["p_confused"] for row in rows(result).values()] == pytest.approx([1 / 6, 1 / 6], abs=1e-12)


def test_what_confusion_means_is_said():
    """No number comes from it (WM-9); over several turns one comes from how long it lasts."""
    result = morale.exact("warmaster", {"dice": 2, "turns": 2})
    (meaning,) = [each for each in result.not_modelled if each.startswith("WM-9")]
    for word in ("no initiative", "no orders", "-1 Attack", "cannot support"):
        assert word in meaning
    assert "WM-9 confused until the end of its next Command phase: a turn lost" in result.rules_applied
    assert not any(each.startswith("WM-9") for each in morale.exact("warmaster", {"dice": 2}).rules_applied)


# --- the choice, and what is rolled ---------------------------------------------------------------------------------

QUESTIONS = {
    "three dice, friends, an enemy": {
        "dice": 3,
        "obstacles": [
            friend(3),
            friend(5.5, chain=1),
            {"distance": 9, "kind": "enemy"},
            {"distance": 7, "kind": "combat"},
        ],
    },
    "two dice, friend, terrain": {"dice": 2, "obstacles": [friend(2, chain=2), {"distance": 6, "kind": "impassable"}]},
    "four friends": {"dice": 4, "obstacles": [friend(0), friend(6), friend(9, chain=1), friend(12, chain=3)]},
    "unyielding behind a friend": {"dice": 2, "obstacles": [friend(3), {"distance": 6, "kind": "unyielding"}]},
    "falls back": {
        "move": "falls_back",
        "distance": {4: 0.25, 9: 0.75},
        "obstacles": [friend(3), {"distance": 8, "kind": "enemy"}],
    },
    "retreats": {
        "move": "retreats",
        "distance": {3: 0.5, 7: 0.5},
        "obstacles": [friend(1), {"distance": 5, "kind": "combat", "stands": 2}],
    },
    "a branching chain": {"dice": 2, "obstacles": [friend(3, chain=[{"chain": 1}, {}])]},
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_fewest_is_the_least(name):
    if QUESTIONS[name].get("move") != "retreats":
        means = {choice: by_choice(QUESTIONS[name], choice)["mean_units_confused"] for choice in CHOICES}
        assert means["fewest"] <= min(means.values()) + 1e-12


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_sample_fits_the_law(name):
    assert_sample_fits("warmaster", QUESTIONS[name])


def test_many_dice_and_long_chains_are_rolled_in_parts():
    question = {"dice": 12, "obstacles": [friend(20, chain=9), friend(30, chain=5), {"distance": 50, "kind": "enemy"}]}
    row = by_choice(question)
    assert 0 < row["p_by_enemy_or_combat"] < 1
    assert_sample_fits("warmaster", question, trials=50_000, seeds=(1,))


def test_turns_are_rolled():
    assert_sample_fits("warmaster", QUESTIONS["two dice, friend, terrain"] | {"turns": 3}, trials=50_000)


def test_any_number_of_threads():
    assert_same_on_any_threads("warmaster", QUESTIONS["two dice, friend, terrain"])


# --- bad input and the command line ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ({"dice": 0}, "dice: 0 is not usable"),
        ({"dice": 2, "obstacles": [{"distance": -1, "kind": "enemy"}]}, "obstacles.0.distance: -1 is not usable"),
        ({"dice": 2, "obstacles": [{"distance": 1, "kind": "frend"}]}, "did you mean 'friend'?"),
        ({"dice": 2, "distance": 3}, "allowed: dice, and no distance"),
        ({"move": "falls_back"}, "allowed: distance, and no dice"),
        ({"move": "falls_back", "distance": -3}, "-3 is not usable"),
        ({"move": "falls_back", "distance": {3: 1.5}}, "1.5 is not usable as a probability"),
        ({"dice": 2, "obstacles": [{"distance": 1, "kind": "enemy", "chain": 1}]}, "no friends behind it"),
        ({"dice": 2, "obstacles": [friend(chain=-1)]}, "a chain of -1 friends (allowed: 0 to 20)"),
        ({"dice": 2, "obstacles": [friend(chain=19), friend(chain=3)]}, "24 friends (allowed: up to 20 in all)"),
        ({"move": "evades", "distance": 9, "obstacles": [{"distance": 1, "kind": "enemy"}]}, "WM-6"),
        ({"dice": 2, "stands": 2}, "WM-8"),
        ({"dice": 2, "obstacle": []}, "did you mean 'obstacles'"),
    ],
)
def test_bad_input_is_one_clear_message(question, message):
    with pytest.raises(InputError) as error:
        morale.exact("warmaster", question)
    assert message in str(error.value)


def test_the_command(tmp_path):
    ran = CliRunner().invoke(
        cli, ["morale", "warmaster", "--dice", "2", "--obstacles", "[{distance = 4, kind = 'friend', chain = 2}]"]
    )
    assert ran.exit_code == 0
    assert "chain = 2" in ran.output
    assert "fewest confused" in ran.output
    bad = CliRunner().invoke(cli, ["morale", "warmaster", "--dice", "two"])
    assert bad.exit_code == 2


HALTING = {"impassable": 3.5, "unyielding": 3.5, "enemy": 4.5, "combat": 4.5}  # where each halts the unit at 3.5 cm


def confused(move, *obstacles, **ruleset):
    moved = {"dice": 1} if move == "driven_back" else {"move": move, "distance": {"2": 0.5, "4": 0.5}}
    (row,) = rows(morale.exact("warmaster", moved | {"obstacles": [*obstacles], "ruleset": ruleset})).values()
    return row


@pytest.mark.parametrize("touching", [False, True])
@pytest.mark.parametrize("move", ["driven_back", "falls_back"])
@pytest.mark.parametrize(("one", "other"), [*itertools.combinations_with_replacement(HALTING, 2)])
def test_of_two_that_halt_a_unit_at_one_place_the_nearer_does(one, other, move, touching):
    """WM-2 to WM-4, settled: the unit does not get to the other; of two as near, the one without a roll."""
    pair = [{"kind": kind, "distance": HALTING[kind]} for kind in (one, other)]
    first = min(pair, key=lambda obstacle: (obstacle["distance"], obstacle["kind"] == "impassable"))
    alone = confused(move, first, touching_is_into=touching)
    for both in (pair, pair[::-1]):
        row = confused(move, *both, touching_is_into=touching)
        assert {name: value for name, value in row.items() if value or name in alone} == pytest.approx(alone)


@pytest.mark.parametrize("kind", ["enemy", "combat"])
def test_terrain_halts_a_unit_before_an_enemy_a_centimetre_behind_it_does(kind):
    """A die of 4 to 6 goes into the terrain (WM-2): 1/6 by its 6 there, or the drive-back die's own (WM-1)."""
    row = confused("driven_back", {"kind": "impassable", "distance": 3.5}, {"kind": kind, "distance": 4.5})
    assert row["p_confused"] == pytest.approx(1 / 6 + 2 / 6 * 1 / 6)
    assert row["p_by_enemy_or_combat"] == 0
    row = confused("driven_back", {"kind": "impassable", "distance": 4}, {"kind": kind, "distance": 4.5})
    assert row["p_confused"] == row["p_by_enemy_or_combat"] == pytest.approx(1 / 2)
