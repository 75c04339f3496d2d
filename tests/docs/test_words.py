"""Pages are in plain words: short, without private words, and without sentences that need a second reading."""

import pytest

from tests.helpers.pages import GENERATED, PAGES
from tests.helpers.words import clauses_first, long_sentences, private_words, sentences, words

MOST_WORDS = 18_000
MOST_WORDS_A_PAGE = 2_900
READ = {
    path.stem: path.read_text(encoding="utf-8") for path in PAGES if path.stem != "keys"
}  # its words are the code's
WRITTEN = {name: text for name, text in READ.items() if GENERATED not in text}


@pytest.mark.parametrize("find", [long_sentences, private_words, clauses_first])
@pytest.mark.parametrize("name", READ)
def test_pages_are_in_plain_words(name, find):
    assert find(READ[name], with_tables=name in WRITTEN) == []


def test_pages_are_short():
    counted = {name: len(words(text)) for name, text in WRITTEN.items()}
    assert {name: number for name, number in counted.items() if number > MOST_WORDS_A_PAGE} == {}
    assert sum(counted.values()) <= MOST_WORDS, counted


def test_the_checks_find_what_they_look_for():
    text = "Who plays best wins. The habit `habit` costs points.\n\n- " + "word " * 41 + "\n"
    assert [len(words(each)) for each in sentences(text)] == [4, 5, 41]
    assert [len(find(text)) for find in (long_sentences, private_words, clauses_first)] == [1, 1, 1]
