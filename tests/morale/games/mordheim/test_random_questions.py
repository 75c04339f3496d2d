"""Random questions about Mordheim over every key, beside the plain reading of the rules; and rolled."""

import pytest

from analyser.morale.games.mordheim import question as asked
from tests.oracle.morale_checks import assert_sample_fits
from tests.oracle.mordheim_checks import differences
from tests.oracle.questions_mordheim import questions

QUESTIONS = 300
ROLLED = range(300, 312)
RECORDS = (
    asked.Question,
    asked.Warband,
    asked.Group,
    asked.Fight,
    asked.Alone,
    asked.Combat,
    asked.Fighter,
    asked.Stupidity,
    asked.Together,
    asked.Warrior,
)


@pytest.mark.parametrize("seed", range(QUESTIONS))
def test_random_questions_against_the_plain_reading(seed):
    assert differences(questions(seed)) == []


@pytest.mark.parametrize("seed", ROLLED)
def test_random_questions_are_rolled_alike(seed):
    assert_sample_fits("mordheim", questions(seed), trials=50_000, seeds=(1,))


def test_the_questions_ask_of_every_key():
    keys = {key for record in RECORDS for key in record.model_fields} | asked.Ruleset.model_fields.keys()
    assert keys - set().union(*(keys_in(questions(seed)) for seed in range(QUESTIONS))) == set()


def keys_in(value):
    """The keys of a question and of all that is in it."""
    if isinstance(value, dict):
        return {*value}.union(*map(keys_in, value.values()))
    return set().union(*map(keys_in, value)) if isinstance(value, list) else set()
