"""A game of Grande Tactique: worked by hand, random questions against a plain reading, and rolled."""

import random

import pytest
from click.testing import CliRunner

from analyser import morale
from analyser.cli import cli
from analyser.common.errors import InputError
from tests.oracle.morale_checks import UNLIKELY, assert_same_on_any_threads, assert_sample_is_near, chi_square, rows
from tests.oracle.plain_grande_tactique_game import tables

EXACTLY = 1e-12
KEYS = {"game": 1, "game_units": 3, "game_lost": 2}


def ask(table="game_units", ruleset=None, **section):
    return rows(morale.exact("grande-tactique", {"game": section, "ruleset": ruleset or {}}), table)


# --- worked by hand -----------------------------------------------------------------------------------------------


def unit(number, turn, **section):
    """What becomes of one unit by the end of a turn."""
    found = ask(**{"turns": turn, **section})
    return next(row for (each, _, when), row in found.items() if (each, when) == (number, turn))


def test_cavalry_charged_by_cavalry_flees_eleven_and_two_dice():
    """18 inches from its edge it is off the map when 2d6 >= 7: 21/36 (GT-2, GT-3, GT-5)."""
    found = unit(1, 1, units=[{"arm": "cavalry", "edge_distance": 18, "charged_by_cavalry": 1}])
    assert found["p_off_map"] == pytest.approx(21 / 36, abs=EXACTLY)
    assert found["p_routed"] == pytest.approx(15 / 36, abs=EXACTLY)


def test_shaken_infantry_worn_down_checks_its_morale():
    """Target 4: half of them; the eager are shaken first, so of them none by the end of turn 1 (GT-2)."""
    fire = {"worn_down_by_infantry": 1}
    assert unit(1, 1, units=[fire | {"state": "shaken"}])["p_routed"] == pytest.approx(1 / 2, abs=EXACTLY)
    assert unit(1, 1, units=[fire])["p_shaken"] == pytest.approx(1, abs=EXACTLY)
    assert unit(1, 2, units=[fire])["p_routed"] == pytest.approx(1 / 2, abs=EXACTLY)


def test_what_it_has_fled_stays_fled():
    """14 inches away, charged every turn: flees 7; rallied or not, it flees 7 more and is off (GT-6)."""
    section = {"units": [{"edge_distance": 14, "charged_by_infantry": 1, "rout_charged_by_infantry": 0}, {}, {}]}
    assert unit(1, 1, **section)["p_off_map"] == 0
    assert unit(1, 2, **section)["p_off_map"] == pytest.approx(1, abs=EXACTLY)
    assert unit(1, 2, **section)["p_rallied"] == pytest.approx(5 / 6, abs=EXACTLY)


def test_a_unit_is_charged_once_a_turn():
    """It has fled 7 of 14 inches, and is not charged again, in rout, in the same turn (GT-7, GT-11)."""
    section = {"units": [{"edge_distance": 14, "charged_by_infantry": 1}, {}, {}], "pips_elsewhere": 6}
    assert unit(1, 1, **section)["p_routed"] == pytest.approx(1, abs=EXACTLY)
    assert unit(1, 2, **section)["p_off_map"] == pytest.approx(1, abs=EXACTLY)


def test_routed_units_die_under_cavalry():
    units = [{"state": "routed", "rout_charged_by_cavalry": 0.25}, {}, {}]
    found = unit(1, 1, units=units, pips_elsewhere=6)
    assert found["p_destroyed"] == pytest.approx(1 / 4, abs=EXACTLY)
    assert found["p_off_map"] == 0


def test_infantry_in_woods_is_routed_there_and_stays_unless_infantry_charges_it_out():
    """5 inches from the edge: charged by infantry it is off the map, by cavalry it stays, routed (GT-6)."""
    woods = {"in_shelter": True, "edge_distance": 5}
    assert unit(1, 1, units=[woods | {"charged_by_infantry": 1}])["p_off_map"] == pytest.approx(1, abs=EXACTLY)
    assert unit(1, 1, units=[woods | {"charged_by_cavalry": 1}])["p_routed"] == pytest.approx(1, abs=EXACTLY)


def test_flight_through_a_column_is_a_chain():
    """At 20 inches from the edge, shaken cavalry at 16 flees too, eager infantry at 14 is shaken, then flees (GT-5).

    A friend of another column is not met, nor is one that stands in front.
    """
    units = [
        {"edge_distance": 20, "column": 1, "charged_by_infantry": 1},
        {"edge_distance": 30, "column": 1},
        {"arm": "cavalry", "edge_distance": 16, "column": 1, "state": "shaken"},
        {"edge_distance": 14, "column": 1},
        {"edge_distance": 15, "column": 2, "state": "shaken"},
        {"edge_distance": 15, "state": "shaken"},
        {"arm": "artillery", "edge_distance": 13, "column": 1, "state": "shaken"},
    ]
    p_routed = [unit(number, 1, units=units)["p_routed"] for number in range(1, 8)]
    assert p_routed == pytest.approx([1, 0, 1, 1, 0, 0, 0], abs=EXACTLY)


def test_cavalry_in_a_chain_flees_from_the_cavalry_that_began_it():
    """Shaken cavalry 18 inches from its edge is off the map when 2d6 >= 7; in a PIP phase it rolls no dice."""
    units = [
        {"edge_distance": 20, "column": 1},
        {"arm": "cavalry", "edge_distance": 18, "column": 1, "state": "shaken"},
    ]
    charged = [units[0] | {"charged_by_cavalry": 1, "rout_charged_by_cavalry": 0}, units[1]]
    assert unit(2, 1, units=charged)["p_off_map"] == pytest.approx(21 / 36, abs=EXACTLY)
    flees_again = [units[0] | {"state": "routed"}, units[1]]
    found = unit(2, 1, units=flees_again, pips_elsewhere=6)
    assert (found["p_off_map"], found["p_routed"]) == pytest.approx((0, 1), abs=EXACTLY)


def test_old_guard_dismays_its_column():
    """Within 3 inches they flee, within 9 they are shaken, before and behind; artillery is shaken (GT-9, GT-1)."""
    units = [
        {"quality": "old guard", "edge_distance": 20, "column": 1, "charged_by_infantry": 1},
        {"edge_distance": 23, "column": 1},
        {"edge_distance": 29, "column": 1},
        {"edge_distance": 29.01, "column": 1},
        {"arm": "artillery", "edge_distance": 22, "column": 1},
    ]
    found = [unit(number, 1, units=units) for number in range(1, 6)]
    assert [each["p_routed"] for each in found] == pytest.approx([1, 1, 0, 0, 0], abs=EXACTLY)
    assert [each["p_shaken"] for each in found] == pytest.approx([0, 0, 1, 0, 1], abs=EXACTLY)


def test_silenced_artillery_counts_as_routed_for_collapse():
    """One of two is silenced: all but one (GT-1, GT-8); then the routed no longer rally."""
    units = [{"arm": "artillery", "worn_down_by_artillery": 0.5}, {}]
    assert ask("game", units=units, turns=1)[(1,)]["p_collapsed"] == pytest.approx(1 / 2, abs=EXACTLY)
    routed = [{"arm": "artillery", "state": "silenced"}, {"state": "routed"}, {}]
    assert unit(2, 3, units=routed)["p_rallied"] == 0


def test_a_withdrawn_unit_is_neither_lost_nor_driven_off():
    """GT-10: of three one withdraws and one is destroyed; two are not driven off, so the division has not collapsed."""
    units = [{"withdraws": 2}, {"state": "destroyed"}, {}]
    found = ask("game", units=units, turns=2)
    assert [row["mean_withdrawn"] for row in found.values()] == pytest.approx([0, 1], abs=EXACTLY)
    assert [row["mean_lost"] for row in found.values()] == pytest.approx([1, 1], abs=EXACTLY)
    assert [row["p_collapsed"] for row in found.values()] == [0, 0]


def test_a_corps_that_has_lost_half_is_halted():
    units = [{"state": "destroyed"}, {"state": "destroyed"}, {}, {}]
    assert ask("game", units=units, turns=1)[(1,)]["p_corps_halted"] == pytest.approx(1, abs=EXACTLY)
    assert ask("game", units=units, turns=1, corps_units=5)[(1,)]["p_corps_halted"] == 0


# --- what is told ---------------------------------------------------------------------------------------------------


def test_rules_are_applied_that_can_have_their_occasion():
    plain = morale.exact("grande-tactique", {"game": {"units": [{"loses_firing": 0.5}]}}).rules_applied
    assert "GT-7 charges against routed units" not in plain
    assert "GT-10 voluntary withdrawal, counted apart" not in plain
    units = [{"charged_by_cavalry": 0.5, "withdraws": 3}]
    told = morale.exact("grande-tactique", {"game": {"units": units}}).rules_applied
    assert {"GT-7 charges against routed units", "GT-10 voluntary withdrawal, counted apart"} <= set(told)


@pytest.mark.parametrize("rule", ["GT-2 attached generals", "GT-4", "GT-5 a gap", "GT-8 where a halted", "GT-11"])
def test_rules_that_no_number_comes_from_are_named(rule):
    result = morale.exact("grande-tactique", {"game": {"units": [{}], "turns": 1}})
    assert any(each.startswith(rule) for each in result.not_modelled)


@pytest.mark.parametrize(
    ("unit", "told"),
    [
        ({"arm": "cavalry", "loses_firing": 0.5}, "loses_firing has no effect"),
        ({"quality": "old guard"}, "dismays nobody"),
        ({"in_shelter": True, "shelter_distance": 3}, "in shelter already"),
        ({"arm": "artillery", "rout_charged_by_cavalry": 0.5}, "does not rout"),
    ],
)
def test_what_has_no_effect_is_told(unit, told):
    (warning,) = morale.exact("grande-tactique", {"game": {"units": [unit], "turns": 1}}).warnings
    assert warning.startswith("game.units.0: ")
    assert told in warning


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"units": []}, "game.units: 0 entries (allowed: at least 1)"),
        ({"units": [{"arm": "artillery", "state": "routed"}]}, "artillery routed"),
        ({"units": [{"state": "silenced"}]}, "infantry silenced"),
        ({"units": [{"arm": "cavalry", "in_shelter": True}]}, "shelter for cavalry"),
        ({"units": [{"arm": "cavalry", "quality": "old guard"}]}, "old guard cavalry"),
        ({"units": [{"column": 1}]}, "a unit of a column without edge_distance"),
        ({"units": [{"charged_by_cavalry": 0.6, "charged_by_infantry": 0.6}]}, "more than 1"),
        ({"units": [{"charged_by_cavalry": 0.6, "rout_charged_by_infantry": 0.6}]}, "rout_charged_by_cavalry and"),
        ({"units": [{}, {}], "corps_units": 1}, "corps_units 1 (allowed: the division's 2 or more)"),
        ({"units": [{"edge_distnce": 3}]}, "did you mean 'edge_distance'"),
    ],
)
def test_bad_input_is_told_in_one_message(wrong, told):
    with pytest.raises(InputError) as error:
        morale.exact("grande-tactique", {"game": wrong})
    assert told in str(error.value)


def test_it_is_asked_on_the_command_line():
    found = CliRunner().invoke(
        cli,
        [
            "morale",
            "grande-tactique",
            "--game-turns",
            "1",
            "--game-units",
            "[{arm = 'cavalry', edge_distance = 18, charged_by_cavalry = 1}]",
        ],
    )
    assert found.exit_code == 0, found.stderr
    assert "58.33%" in found.stdout


# --- against the plain reading ------------------------------------------------------------------------------------


def some(chance, values):
    """Some of the keys, each with one of its values; None leaves a key out."""
    row = {key: chance.choice(each) for key, each in values.items()}
    return {key: value for key, value in row.items() if value is not None}


SHARES = [0, 0, 0.1, 0.25, 0.5, 1]


def random_unit(chance):
    unit = some(
        chance,
        {
            "arm": [None, "infantry", "infantry", "cavalry", "artillery"],
            "quality": [None, "regular", "veteran", "old guard"],
            "modifier": [None, -1, 0, 2],
            "state": [None, "eager", "shaken", "routed", "destroyed"],
            "edge_distance": [None, 3.5, 7, 9, 14, 15.5, 18, 20.01, 30, 60],
            "shelter_distance": [None, None, 0, 3, 7, 7.5, 10],
            "in_shelter": [None, None, False, True],
            "column": [None, 1, 1, 1, 1, 2],
            "withdraws": [None, None, None, 1, 2],
            "worn_down_by_artillery": SHARES,
            "worn_down_by_infantry": SHARES,
            "loses_firing": SHARES,
        },
    )
    arm = unit.get("arm", "infantry")
    if arm != "infantry":
        for key in ("shelter_distance", "in_shelter"):
            unit.pop(key, None)
    if arm != "infantry" and unit.get("quality") == "old guard":
        unit["quality"] = "regular"
    if arm == "artillery" and unit.get("state") == "routed":
        unit["state"] = "silenced"
    if "edge_distance" not in unit:
        unit.pop("column", None)
    for prefix in ("charged", "rout_charged"):
        cavalry, infantry = chance.choice([(0, 0), (0.25, 0), (0.5, 0.25), (0, 0.5), (1, 0), (0, 1)])
        if prefix == "charged" or chance.random() < 0.5:
            unit |= {f"{prefix}_by_cavalry": cavalry, f"{prefix}_by_infantry": infantry}
    return unit


def random_question(seed):
    chance = random.Random(seed)
    units = [random_unit(chance) for _ in range(chance.choice([1, 2, 2, 3, 4]))]
    section = {"units": units, "turns": chance.choice([1, 2, 2, 3] if len(units) > 2 else [2, 3, 5])}
    section |= some(
        chance,
        {"surrounded": [None, 0, 0.2, 1], "rallied": [None, "eager", "shaken"], "pips_elsewhere": [None, 0, 2, 5]},
    )
    if chance.random() < 0.3:
        section["corps_units"] = len(units) + chance.randint(0, 2)
    ruleset = some(
        chance,
        {
            "check_sides": [None, None, 8],
            "check_target": [None, None, 1, 5],
            "fire_shakes": [None, None, False],
            "pip_dice": [None, None, 0, 2],
            "pip_sides": [None, None, 4],
        },
    )
    return {"game": section, "ruleset": ruleset}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(200))
def test_random_games_against_the_plain_reading(seed):
    question = random_question(seed)
    result, plain = morale.exact("grande-tactique", question), tables(question)
    assert result.tables.keys() == plain.keys()
    for name, keys in KEYS.items():
        found = rows(result, name)
        assert len(found) == len(plain[name])
        for row in plain[name]:
            values = list(row.values())
            expected = {key: float(value) for key, value in list(row.items())[keys:]}
            assert found[tuple(values[:keys])] == pytest.approx(expected, abs=EXACTLY), (name, values[:keys])


# --- by Monte Carlo -------------------------------------------------------------------------------------------------

GAME = {
    "units": [
        {"edge_distance": 14.5, "column": 1, "worn_down_by_infantry": 0.4, "charged_by_cavalry": 0.2},
        {"arm": "cavalry", "edge_distance": 12, "column": 1, "state": "shaken", "charged_by_infantry": 0.3},
        {"arm": "artillery", "worn_down_by_artillery": 0.2},
    ],
    "surrounded": 0.1,
    "turns": 3,
}


@pytest.mark.parametrize("seed", [1, 2])
def test_a_sample_says_what_the_law_says(seed):
    assert_sample_is_near("grande-tactique", {"game": GAME}, KEYS, 200_000, seed)


@pytest.mark.parametrize("seed", range(8))
def test_the_dice_agree_with_the_law(seed):
    """The numbers of units lost, turn by turn, by chi-square."""
    question, trials = random_question(seed), 100_000
    law = morale.exact("grande-tactique", question).to_frame("game_lost")
    sample = morale.simulate("grande-tactique", question, trials, seed=seed).to_frame("game_lost")
    for turn, expected in law.groupby("turn")["probability"]:
        counts = (sample["probability"][expected.index] * trials).to_numpy()
        assert counts.sum() == pytest.approx(trials)
        assert not counts[expected.to_numpy() < EXACTLY].any()
        assert chi_square(counts, expected.to_numpy() * trials) > UNLIKELY, turn


def test_same_seed_same_bits():
    assert_same_on_any_threads("grande-tactique", {"game": GAME}, trials=70_000)


@pytest.mark.slow
def test_monte_carlo_answers_what_is_too_large_for_the_exact_method():
    units = [{"edge_distance": 18, "worn_down_by_infantry": 0.3, "charged_by_cavalry": 0.1}] * 6
    with pytest.raises(InputError, match="method monte-carlo"):
        morale.exact("grande-tactique", {"game": {"units": units}})
    sample = morale.simulate("grande-tactique", {"game": {"units": units, "turns": 2}}, 2000)
    assert sample.trials == 2000
