"""Samples of every kind of question agree with the exact distributions, on any number of threads."""

import pytest

from tests.oracle.morale_checks import assert_same_on_any_threads, assert_sample_fits
from tests.oracle.morale_questions import QUESTIONS

ONE_OF_EACH = ("legion", "division", "game", "warmaster", "warbands", "compare")


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_sample_fits_the_law(name):
    assert_sample_fits(*QUESTIONS[name], trials=100_000, seeds=(1, 2))


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_any_number_of_threads_gives_the_same_bits(name):
    system, question = QUESTIONS[name]
    assert_same_on_any_threads(system, question, *([70_000] if name == "game" else []))
