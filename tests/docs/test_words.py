"""Texts that people read are in plain words: short, and without private words or clauses put first."""

import ast
import re
from pathlib import Path

import click
import pytest

import analyser
from analyser.cli import cli
from tests.helpers.pages import GENERATED, PAGES
from tests.helpers.words import clauses_first, long_sentences, private_words, sentences, words

PACKAGE = Path(analyser.__file__).parent
OF_DICE = re.compile("rolled|sampled|told|handed|helpers?|laws?", re.IGNORECASE)  # plain words in code

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


def summaries(path):
    """The first sentences of the docstrings of a module, on one line each."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module) and (text := ast.get_docstring(node)):
            yield " ".join(text.split("\n\n")[0].split())


def test_docstrings_open_in_plain_words():
    faults = []
    for path in sorted(PACKAGE.rglob("*.py")):
        for text in summaries(path):
            private = [found for found in private_words(text) if not OF_DICE.fullmatch(found[0])]
            faults += [(path.name, each) for each in (*private, *clauses_first(text), *long_sentences(text))]
    assert faults == []


def helps(command, name):
    """The name and help of a command and of its options, and those of its sub-commands."""
    context = click.Context(command, info_name=name)
    yield name, command.help or ""
    yield from ((f"{name} {param.name}", getattr(param, "help", None) or "") for param in command.get_params(context))
    for sub in command.list_commands(context) if isinstance(command, click.Group) else ():
        yield from helps(command.get_command(context, sub), f"{name} {sub}")


def test_help_is_in_plain_words():
    read = [(name, text.replace("\b", "")) for name, text in helps(cli, "analyser")]
    assert len(read) > 200
    checks = (private_words, clauses_first, long_sentences)
    assert [(name, fault) for name, text in read for check in checks for fault in check(text)] == []
