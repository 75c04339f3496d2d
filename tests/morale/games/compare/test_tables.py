"""Five systems side by side: each against a plain reading of its rules on one stream of losses, and rolled."""

from itertools import pairwise

import pytest
from click.testing import CliRunner

from analyser import morale
from analyser.cli import cli
from analyser.common.errors import InputError
from analyser.morale.games.compare.question import check_targets, disciplines, leaderships, standing_for
from analyser.morale.games.compare.systems import SYSTEMS
from tests.oracle.morale_checks import assert_same_on_any_threads, assert_sample_fits, rows
from tests.oracle.plain_losses import FATES, LOSSES, PLAIN, ROUNDS, plain

QUESTION = {
    "models": 6,
    "nerve": 2 / 3,
    "losses": {number: float(chance) for number, chance in LOSSES.items()},
    "attacks": 2,
    "edge_distance": 6.0,
    "rounds": ROUNDS,
}


def fates(question, system):
    """P(steady), P(shaken), P(routed), P(gone), round by round."""
    found = rows(morale.exact("compare", question))
    return [[row[name] for name in FATES] for (_, named), row in found.items() if named == system]


def equivalents(question):
    columns = morale.exact("compare", question).columns["equivalents"]
    return {pair[:2]: pair[2] for pair in zip(*columns.values())}


# --- by hand --------------------------------------------------------------------------------------------------------


def test_armoured_clash_by_hand():
    """One model lost of 10, nerve 2/3: DISCIPLINE 8 of 12 cards, so suppressed with 1/3 (AC-4.5, AC-5.1)."""
    (found,) = fates({"models": 10, "losses": 1, "rounds": 1}, "armoured-clash")
    assert found == pytest.approx([2 / 3, 1 / 3, 0, 0], abs=1e-12)


def test_armoured_clash_breaks_by_hand():
    """3 of 4 lost: 1 left, BREAK LIMIT 1, half or more lost: -1, so it fails above 7, 5/12, and breaks (AC-5.4)."""
    (found,) = fates({"models": 4, "losses": 3, "rounds": 1}, "armoured-clash")
    assert found == pytest.approx([7 / 12, 0, 0, 5 / 12], abs=1e-12)


def test_legion_by_hand():
    """COURAGE 2, 4 tokens for 4 models: panicked if no die of four succeeds, (2/3)^4 = 16/81 (LG-2, LG-3)."""
    (found,) = fates({"models": 10, "losses": 4, "rounds": 1}, "legion")
    assert found[2] == pytest.approx(16 / 81, abs=1e-12)


def test_grande_tactique_by_hand():
    """Eager, shaken by the first fire; by the second it fails on 1 and 2: routed with 1/3 (GT-2)."""
    found = fates({"models": 10, "losses": 1, "rounds": 2}, "grande-tactique")
    assert found[0] == pytest.approx([0, 1, 0, 0], abs=1e-12)
    assert found[1] == pytest.approx([0, 2 / 3, 1 / 3, 0], abs=1e-12)


def test_warmaster_by_hand():
    """Two models, two drive-back dice: confused with 1 - (5/6)^2 = 11/36, and steady again after (WM-1, WM-9)."""
    found = fates({"models": 10, "losses": 2, "rounds": 2}, "warmaster")
    assert found == [pytest.approx([25 / 36, 11 / 36, 0, 0], abs=1e-12)] * 2


def test_mordheim_by_hand():
    """Leadership 8: 26/36 pass. 2 of 8 are 25%: shaken if passed, else gone; again in the next turn (MD-1)."""
    found = fates({"models": 8, "losses": [2, 0], "nerve": 26 / 36, "rounds": 2}, "mordheim")
    assert found[0] == pytest.approx([0, 26 / 36, 0, 10 / 36], abs=1e-12)
    assert found[1] == pytest.approx([0, (26 / 36) ** 2, 0, 1 - (26 / 36) ** 2], abs=1e-12)


def test_everybody_destroyed_is_gone_in_every_system():
    for system in SYSTEMS:
        assert fates({"models": 2, "losses": 2, "rounds": 1}, system)[0] == pytest.approx([0, 0, 0, 1], abs=1e-12)


# --- what stands for the nerve --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("nerve", "discipline", "courage", "target", "leadership"),
    [
        (2 / 3, "8", "2", "5+ on a die of 12", "8"),
        (0.4, "5", "1", "8+ on a die of 12", "6"),
        (0.9, "11", "3", "2+ on a die of 12", "10"),
    ],
)
def test_equivalents_are_the_nearest_to_the_nerve(nerve, discipline, courage, target, leadership):
    """0.4: 5 of 12 cards are 0.417; 15/36 = 0.417 for 2d6 at most 6. 0.9: 11/12 = 0.917; 33/36 = 0.917 at most 10."""
    found = equivalents({"models": 6, "losses": 1, "nerve": nerve})
    assert found["armoured-clash", "DISCIPLINE"] == discipline
    assert found["legion", "COURAGE"] == courage
    assert found["grande-tactique", "morale check"] == target
    assert found["mordheim", "Leadership"] == leadership


def test_equivalents_can_be_stated():
    question = {
        "models": 6,
        "losses": 1,
        "armoured_clash": {"discipline": 3, "break_limit": "none"},
        "legion": {"courage": 4},
        "mordheim": {"leadership": 12},
    }
    found = equivalents(question)
    assert found["armoured-clash", "DISCIPLINE"] == "3"
    assert found["armoured-clash", "BREAK LIMIT"] == "none"
    assert found["legion", "COURAGE"] == "4"
    assert found["mordheim", "Leadership"] == "12"


# --- plain readings: dictionaries of states, fractions --------------------------------------------------------------


@pytest.mark.parametrize("system", PLAIN)
def test_against_the_plain_reading(system):
    found = fates(QUESTION, system)
    for turn, expected in enumerate(plain(*PLAIN[system])):
        assert found[turn] == pytest.approx(expected, abs=1e-12)


def test_a_routed_unit_rallies_or_flees_on():
    """20 inches: off with the third flight. Routed with 1/3 in round 2; 5/6 rally in round 3, 1/6 flee on (GT-6)."""
    question = {"models": 10, "losses": [1, 1, 0], "edge_distance": 20.0, "rounds": 3}
    found = fates(question, "grande-tactique")
    assert found[1] == pytest.approx([0, 2 / 3, 1 / 3, 0], abs=1e-12)
    assert found[2] == pytest.approx([0, 2 / 3 + 5 / 18, 1 / 18, 0], abs=1e-12)


# --- by Monte Carlo, on the command line ----------------------------------------------------------------------------


def test_the_dice_agree_with_the_laws():
    assert_sample_fits("compare", QUESTION | {"edge_distance": 20.0})


def test_same_seed_same_bits():
    assert_same_on_any_threads("compare", QUESTION)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"models": 0, "losses": 1}, "models: 0 is not usable"),
        ({"models": 5, "losses": -1}, "losses"),
        ({"models": 5, "losses": [1, 2]}, "losses has 2 numbers"),
        ({"models": 5, "losses": 1, "nerve": 1.5}, "nerve: 1.5 is not usable"),
        ({"models": 5, "losses": 1, "mordheim": {"leadership": 13}}, "mordheim.leadership: 13 is not usable"),
        ({"models": 5, "losses": 1, "legion": {"courage": 0}}, "legion.courage: 0 is not usable"),
        ({"models": 5, "losses": {1: 0.7}}, "add up to 0.7"),
    ],
)
def test_bad_input_is_told_in_one_message(wrong, told):
    with pytest.raises(InputError) as error:
        morale.exact("compare", wrong)
    assert told in str(error.value)


def test_the_command_prints_the_equivalents_beside_the_fates(tmp_path):
    path, picture = tmp_path / "unit.toml", tmp_path / "fates.png"
    path.write_text("models = 10\nlosses = { 0 = 0.5, 2 = 0.5 }\n", encoding="utf-8")
    found = CliRunner().invoke(cli, ["morale", "compare", str(path), "--plot", str(picture)])
    assert found.exit_code == 0, found.stderr
    assert "P(routed)" in found.stdout
    assert "BREAK LIMIT" in found.stdout
    assert picture.stat().st_size > 1000


def test_a_low_nerve_gets_the_nearest_leadership_that_is_allowed():
    """A nerve of 0.2 lies between DISCIPLINEs of 1/6 and 1/4; Leadership 4, 1/6, is nearer than 3, 1/12."""
    question = {"models": 8, "losses": 2, "nerve": 0.2, "rounds": 1}
    assert equivalents(question)["mordheim", "Leadership"] == "4"
    (row,) = fates(question, "mordheim")
    assert row == pytest.approx([0, 1 / 6, 0, 5 / 6])


@pytest.mark.parametrize("scale", [leaderships(), check_targets(6), check_targets(12), check_targets(20)])
def test_a_nerve_between_two_disciplines_gets_the_nearest_value_from_one_s_to_the_other_s(scale):
    """No value between what stands for the DISCIPLINE below and for the one above is nearer."""
    asked = morale.load_question("compare", {"models": 8, "losses": 2})
    places, chances = {value: place for place, value in enumerate(scale)}, [*scale.values()]
    nerves = [nerve for nerve in disciplines(asked).values() if 0 < nerve < 1]
    for below, above in pairwise(nerves):
        first, last = (places[standing_for(nerve, scale, asked)] for nerve in (below, above))
        for step in range(1, 20):
            nerve = below + (above - below) * step / 20
            place = places[standing_for(nerve, scale, asked)]
            misses = {each: abs(chances[each] - nerve) for each in range(first, last + 1)}
            assert misses[place] == pytest.approx(min(misses.values()), abs=1e-5)
