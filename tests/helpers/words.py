"""Checks that texts that people read are in plain words: pages, help and docstrings."""

import re

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
CLAUSE_FIRST = ("Who ", "Whose ", "Whom ", "Whether ", "Of ", "Where both ", "That which ", "What ", "How ")


def words(text):
    return re.findall(r"[\w'’/.%-]*\w", text)


def sentences(text, with_tables=True):
    """The sentences of a text in Markdown without code, headings and addresses; parts after a colon count as some."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"^(#.*|<!--.*-->|\s*:[a-z]+:.*)$", "", text, flags=re.MULTILINE)
    text = re.sub(r"`[^`]*`", "CODE", re.sub(r"\]\([^)]*\)", "]", text))
    for piece in _pieces(text, with_tables):
        yield from (each for each in re.split(r"(?<=[.!?;:])\**\s+", piece) if each)


def _pieces(text, with_tables):
    """The paragraphs of a text, the entries of its lists, the cells of its tables."""
    for paragraph in re.split(r"\n\s*\n|\n(?=[-*|] |\d+\. |\|)", text):
        if not paragraph.startswith("|"):
            yield re.sub(r"^(?:[-*] |\d+\. )", "", " ".join(paragraph.split()))
        elif with_tables:
            yield from (cell.strip() for cell in paragraph.split("|"))


def long_sentences(text, with_tables=True):
    return [each for each in sentences(text, with_tables) if len(words(each)) > MOST_WORDS_A_SENTENCE]


def private_words(text, with_tables=True):
    """The private words of a text, each with the word to use and its sentence."""
    return [
        (match[0], instead, each)
        for each in sentences(text, with_tables)
        for private, instead in PRIVATE.items()
        if (match := re.search(rf"\b{private}\b", each, re.IGNORECASE))
    ]


def clauses_first(text, with_tables=True):
    """The sentences of a text, questions apart, that do not begin with their subject."""
    found = [each.strip("*_") for each in sentences(text, with_tables)]
    return [each for each in found if each.startswith(CLAUSE_FIRST) and not each.endswith("?")]
