"""Pages are in plain words: short, without private words, and without sentences that need a second reading."""

import re

import pytest

from tests.helpers.pages import GENERATED, PAGES

READ = [path for path in PAGES if path.stem != "keys"]  # whose words are those of the code
WRITTEN = [path for path in READ if GENERATED not in path.read_text(encoding="utf-8")]
MOST_WORDS = 18_000
MOST_WORDS_A_PAGE = 2_900
MOST_WORDS_A_SENTENCE = 40
PRIVATE = {  # a private word, and the word to use
    r"habits?": "tactic",
    r"giv(?:es?|en|ing) away": "cost",
    r"cannot say": "undecided",
    r"(?:every|no|some|any)body": "a noun",
    r"(?:who|what)ever": "a noun",
    r"(?:rolled|sampled|played out)": "simulated",
    r"laws?": "distribution",
    r"(?:go|goes|gone|went) on with": "resume",
    r"handed": "submitted",
    r"helpers?": "worker",
    r"told": "said, listed or shown",
    r"(?:he|him|his|she|her)": "it",
    r"no (?:longer|later|more) than": "at most",
}
CLAUSE_FIRST = ("Who ", "Whose ", "Whom ", "Whether ", "Of ", "Where both ", "That which ")
QUESTION_WORDS = ("What ", "How ")


def prose(path):
    """The running text of a page: no code, no headings, no addresses of links."""
    text = path.read_text(encoding="utf-8")
    text = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"^(#.*|<!--.*-->|\s*:[a-z]+:.*)$", "", text, flags=re.MULTILINE)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    return re.sub(r"`[^`]*`", "CODE", text)


def pieces(path):
    """The pieces of the text of a page: paragraphs, entries of lists, cells of tables."""
    for paragraph in re.split(r"\n\s*\n|\n(?=[-*|] |\d+\. |\|)", prose(path)):
        if paragraph.startswith("|"):
            yield from (cell.strip() for cell in paragraph.split("|") if path in WRITTEN)  # a table, not a measured one
        else:
            yield re.sub(r"^(?:[-*] |\d+\. )", "", " ".join(paragraph.split()))


def sentences(path):
    """The sentences of a page; the parts of a list within a sentence count as sentences."""
    for piece in pieces(path):
        yield from (each for each in re.split(r"(?<=[.!?;:])\**\s+", piece) if each)


def words(text):
    return re.findall(r"[\w'’/.%-]*\w", text)


@pytest.mark.parametrize("path", READ, ids=lambda path: path.stem)
def test_no_sentence_is_long(path):
    assert [each for each in sentences(path) if len(words(each)) > MOST_WORDS_A_SENTENCE] == []


@pytest.mark.parametrize("path", READ, ids=lambda path: path.stem)
def test_no_private_word_is_used(path):
    found = [
        (match[0], instead, each)
        for each in sentences(path)
        for private, instead in PRIVATE.items()
        if (match := re.search(rf"\b{private}\b", each, re.IGNORECASE))
    ]
    assert found == []


@pytest.mark.parametrize("path", READ, ids=lambda path: path.stem)
def test_sentences_begin_with_their_subject(path):
    found = [each for each in sentences(path) if each.lstrip("*_").startswith(CLAUSE_FIRST + QUESTION_WORDS)]
    assert [each for each in found if not each.rstrip("*_").endswith("?")] == []


def test_pages_are_short():
    counted = {path.name: len(words(path.read_text(encoding="utf-8"))) for path in WRITTEN}
    assert {name: number for name, number in counted.items() if number > MOST_WORDS_A_PAGE} == {}
    assert sum(counted.values()) <= MOST_WORDS, counted


def test_the_checks_find_what_they_look_for(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "Who plays best wins. The habit `habit` costs points.\n\n- " + "word " * 41 + "\n", encoding="utf-8"
    )
    assert [len(words(each)) for each in sentences(page)] == [4, 5, 41]
    for check in (test_no_sentence_is_long, test_no_private_word_is_used, test_sentences_begin_with_their_subject):
        with pytest.raises(AssertionError):
            check(page)
