"""Random questions with every key of every game, compared with plain readings of the rules."""

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
def test_answers_agree_with_the_plain_reading(kind, seed):
    system, questions, tables = READINGS[kind]
    for number in range(6 * seed, 6 * seed + 6):
        assert differences(system, questions(number), tables, skip=WORDS) == [], number


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_random_questions_use_every_key(system):
    used = set()
    for of_system, questions, _ in READINGS.values():
        if of_system == system:
            used |= set().union(*(keys_in(questions(seed)) for seed in range(300)))
    assert keys_of(SYSTEMS[system].question) - used <= ELSEWHERE


def keys_in(value):
    if isinstance(value, dict):
        return {*value}.union(*map(keys_in, value.values()))
    return set().union(*map(keys_in, value)) if isinstance(value, list) else set()


def keys_of(kind):
    if isinstance(kind, type) and issubclass(kind, Record):
        return {*kind.model_fields}.union(*(keys_of(field.annotation) for field in kind.model_fields.values()))
    return set().union(*map(keys_of, getattr(kind, "__args__", ())))
