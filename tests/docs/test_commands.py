"""Every command line on a page can be typed: the command is there, and takes its options and arguments."""

import re
import shlex
from pathlib import Path

import pytest

from tests.helpers.shell import commands

ROOT = Path(__file__).parents[2]
BLOCK, IN_TEXT = re.compile(r"^```sh\n(.*?)^```$", re.DOTALL | re.MULTILINE), re.compile(r"`analyser ([^`]+)`")
EVERY = commands()
GROUPS = {words[:-1] for words in EVERY}
CUT = re.compile("…|[|]|[$][(]")  # a line that is not whole, or for another program too


def lines_of(page):
    """The command lines of a page, in blocks and in sentences."""
    text = page.read_text(encoding="utf-8")
    for block in BLOCK.findall(text):
        for line in block.splitlines():
            if line.startswith("analyser "):
                yield line


PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
LINES = [pytest.param(line, id=f"{page.stem}: {line[:60]}") for page in PAGES for line in lines_of(page)]
NAMED = sorted({name for page in PAGES for name in IN_TEXT.findall(page.read_text(encoding="utf-8"))})


def command_of(typed):
    """The command that some words call, and the words behind its name; the usual one of a group where none is named."""
    words = next(typed[:length] for length in (2, 1) if (*typed[:length],) in {*EVERY, *GROUPS})
    if (*words,) in GROUPS:
        return next(each for each in EVERY if each[:-1] == (*words,)), typed[len(words) :]
    return (*words,), typed[len(words) :]


@pytest.mark.parametrize("line", LINES)
def test_a_line_of_a_page_can_be_typed(line):
    typed = shlex.split(line, comments=True)[1:]
    words, rest = command_of(typed)
    if not CUT.search(line):
        EVERY[words].make_context(words[-1], rest)


@pytest.mark.parametrize("name", NAMED)
def test_a_command_that_a_sentence_names_is_there(name):
    typed = re.split(r"\s+", name)
    assert typed[0].startswith("--") or command_of(typed)[0] in EVERY
