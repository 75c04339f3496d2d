"""Five systems side by side: random questions beside an independent reading; what stands for the unit's nerve."""

import json
import random
from fractions import Fraction
from itertools import pairwise

import pytest
from click.testing import CliRunner

from analyser import morale
from analyser.cli import cli
from tests.oracle import plain_compare as plain
from tests.oracle.morale_checks import rows
from tests.oracle.readings import differences, unlikely

WORDS = ("equivalents", "correspondence", "words")


@pytest.mark.parametrize("seed", range(300))
def test_random_questions(seed):
    assert differences("compare", plain.questions(seed), plain.tables, skip=WORDS) == []


@pytest.mark.parametrize("seed", range(6))
def test_random_questions_rolled(seed):
    """Within five standard errors of the exact chances."""
    assert unlikely("compare", plain.questions(seed)) == []


def values(nerve, **sections):
    """DISCIPLINE, COURAGE, target and Leadership as numbers, the better the higher."""
    result = morale.exact("compare", {"models": 2, "losses": 0, "rounds": 1, "nerve": nerve, **sections})
    found = {pair[1]: pair[2] for pair in zip(*result.columns["equivalents"].values())}
    target, sides = found["morale check"].split("+ on a die of ")
    return int(found["DISCIPLINE"]), int(found["COURAGE"]), -int(target), int(found["Leadership"]), int(sides)


@pytest.mark.slow
def test_a_higher_nerve_never_gets_a_worse_value():
    for sides in (2, 3, 6, 12, 20):
        found = [values(step / 120, grande_tactique={"check_sides": sides}) for step in range(121)]
        for lower, higher in pairwise(found):
            assert all(one <= other for one, other in zip(lower, higher))


def test_each_discipline_has_values_of_its_own():
    """On 12 sides there are 11 uncertain targets for 11 DISCIPLINEs; of Leadership 2 to 11 one must be shared."""
    found = [values(discipline / 12) for discipline in range(1, 12)]
    assert [each[0] for each in found] == list(range(1, 12))
    assert len({each[2] for each in found}) == 11
    assert len({each[3] for each in found}) == 10
    assert len({each[3] for each in found[6:9]}) == 3  # 7, 8 and 9


@pytest.mark.parametrize("sides", [2, 3, 4, 6, 12, 20, 100])
def test_no_target_is_certain_or_impossible_unless_the_nerve_is(sides):
    for nerve in (1e-9, 0.001, 0.08, 0.5, 0.92, 0.999, 1 - 1e-9):
        assert 2 <= -values(nerve, grande_tactique={"check_sides": sides})[2] <= sides
    assert values(0, grande_tactique={"check_sides": sides})[2] == -(sides + 1)
    assert values(1, grande_tactique={"check_sides": sides})[2] == -1


def test_half_is_not_rounded_to_even():
    """On six sides 7, 8 and 9 of 12 all became 3+; the best that six sides have is never farther off than 1/6."""
    for discipline in range(1, 12):
        target = -values(discipline / 12, grande_tactique={"check_sides": 6})[2]
        assert abs(Fraction(7 - target, 6) - Fraction(discipline, 12)) <= Fraction(1, 6)


def test_a_die_and_a_target_of_its_own():
    """5+ on a die of 8 is passed with 1/2: shaken by the first fire, routed by the second with 1/2 (GT-2)."""
    question = {"models": 9, "losses": 1, "rounds": 2, "grande_tactique": {"check_sides": 8, "check_target": 5}}
    found = rows(morale.exact("compare", question))
    assert found[2, "grande-tactique"]["p_routed"] == pytest.approx(1 / 2, abs=1e-12)


def test_stating_the_target_that_is_printed_changes_nothing():
    """5+ stands for a nerve of 2/3, on a die of 12; stated, it is rolled on the same die."""
    question = {"models": 20, "nerve": 0.6667, "losses": 1}
    stated = question | {"grande_tactique": {"check_target": 5}}
    found = rows(morale.exact("compare", stated))
    assert found == rows(morale.exact("compare", question))
    assert found[2, "grande-tactique"]["p_routed"] == pytest.approx(1 / 3, abs=1e-12)
    assert values(0.5, grande_tactique={"check_target": 4}, ruleset={"check_sides": 8})[4] == 8


@pytest.mark.parametrize(
    ("section", "told"),
    [
        ({"check_target": 12, "check_sides": 6}, "check_target 12 on a die of 6 is never passed"),
        ({"check_target": 13}, "check_target 13 on a die of 12 is never passed"),
        ({"check_target": 1}, "check_target 1 on a die of 12 is always passed"),
        ({"check_target": 12}, None),
        ({"check_target": 2}, None),
        ({}, None),
    ],
)
def test_a_target_that_is_certain_or_impossible_is_told(section, told):
    found = morale.exact("compare", {"models": 2, "losses": 0, "grande_tactique": section}).warnings
    found = [each for each in found if "check_target" in each]
    assert len(found) == (told is not None)
    assert not found or told in found[0]


def test_the_correspondence_is_printed():
    columns = morale.exact("compare", {"models": 2, "losses": 0}).columns["correspondence"]
    assert columns["discipline"] == list(range(13))
    assert columns["check"][8] == "5+ on a die of 12"
    assert columns["check_passed"][8] == columns["nerve"][8] == 0.6667
    assert (columns["leadership"][8], columns["leadership_passed"][8]) == (8, 0.7222)


@pytest.mark.parametrize("deck", [{"5": 3}, {"1": 1, "6": 2, "12": 1}, {"0": 1, "3": 1}])
def test_other_decks_have_other_disciplines(deck):
    """Never one that all cards pass, or none, unless the nerve says so or the deck has no other."""
    question = {"models": 2, "losses": 0, "nerve": 0.4, "ruleset": {"armoured_clash": {"deck": deck}}}
    found = {pair[1]: pair[2] for pair in zip(*morale.exact("compare", question).columns["equivalents"].values())}
    assert found["DISCIPLINE"] == {"5": "0", "1": "1", "0": "0"}[min(deck)]


def test_csv_and_json_of_the_words(tmp_path):
    """A table of words has no measure: it is written all the same."""
    written = CliRunner().invoke(cli, ["morale", "compare", "--models", "4", "--losses", "1", "--format", "csv"])
    assert written.exit_code == 0, written.stderr
    assert "5+ on a die of 12" in written.stdout
    as_json = CliRunner().invoke(cli, ["morale", "compare", "--models", "4", "--losses", "1", "--format", "json"])
    assert json.loads(as_json.stdout)["tables"]["correspondence"][3]["discipline"] == 3


def test_what_no_number_comes_from_is_named():
    told = " ".join(morale.exact("compare", {"models": 4, "losses": 1}).not_modelled)
    for rule in ("commander", "Spur", "WM-2 to WM-8", "-1 Attack", "giving up", "Old Guard", "withdrawal", "it is far"):
        assert rule in told


def test_random_nerves_keep_the_order():
    dice = random.Random(5)
    for _ in range(30):
        lower, higher = sorted(dice.random() for _ in range(2))
        assert all(one <= other for one, other in zip(values(lower), values(higher)))
