"""Random questions of all games over every key, beside plain readings of the rules."""

import pytest

from analyser.common.validation import Record
from analyser.game.house_rules import HouseRule
from analyser.game.ruleset import FaceRule
from analyser.morale.systems import SYSTEMS
from tests.oracle.morale_checks import differences
from tests.oracle.morale_questions import READINGS

WORDS = ("equivalents", "words")  # tables of a comparison that no reading has
ELSEWHERE = {"ruleset", "a", "b", "duel", "side", "nerve", "rounds", "break_share", "courage_steps"}
ELSEWHERE |= {"die", "strike", "heroic", "blank", "glancing", "miss", "copies"}
ELSEWHERE |= {*HouseRule.model_fields, *FaceRule.model_fields, "rules", "changed"}  # no other game has any


@pytest.mark.parametrize("kind", READINGS)
@pytest.mark.parametrize("seed", range(65))
def test_random_questions_against_the_plain_reading(kind, seed):
    system, questions, tables = READINGS[kind]
    for number in range(6 * seed, 6 * seed + 6):
        assert differences(system, questions(number), tables, skip=WORDS) == [], number


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_questions_ask_of_every_key(system):
    asked = set()
    for of_system, questions, _ in READINGS.values():
        if of_system == system:
            asked |= set().union(*(keys_in(questions(seed)) for seed in range(300)))
    assert keys_of(SYSTEMS[system].question) - asked <= ELSEWHERE


def keys_in(value):
    if isinstance(value, dict):
        return {*value}.union(*map(keys_in, value.values()))
    return set().union(*map(keys_in, value)) if isinstance(value, list) else set()


def keys_of(kind):
    if isinstance(kind, type) and issubclass(kind, Record):
        return {*kind.model_fields}.union(*(keys_of(field.annotation) for field in kind.model_fields.values()))
    return set().union(*map(keys_of, getattr(kind, "__args__", ())))
