"""Pages of the documentation: their blocks of code, and their words."""

import re
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]
GENERATED = "<!-- Written by "


class Block(NamedTuple):
    """A block of code of a page."""

    page: Path
    number: int
    language: str
    text: str
    follows: str  # the words between it and the block before it

    @property
    def name(self):
        """The file that the first line of a TOML block names."""
        return re.match(r"# ([\w-]+\.toml)\n", self.text)[1]

    def __str__(self):
        return f"{self.page.stem}-{self.language}-{self.number}"


def blocks(path, *languages):
    """The blocks of a page in some languages, in order; of all languages if none is named."""
    pieces = re.split(r"^```(\w*)\n(.*?)^```$", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    found = zip(pieces[1::3], pieces[2::3], pieces[0::3], strict=False)
    return [
        Block(path, number, language, text, before.strip())
        for number, (language, text, before) in enumerate(found)
        if not languages or language in languages
    ]


def assert_part_of(shown, whole, place="result"):
    """What is `shown` stands in `whole`: keys by name, entries of a list anywhere in it."""
    if isinstance(shown, dict):
        for key, value in shown.items():
            assert_part_of(value, whole[key], f"{place}.{key}")
    elif isinstance(shown, list) and any(isinstance(entry, dict) for entry in shown):
        for entry in shown:
            assert any(entry == pytest.approx(other, abs=1e-12) for other in whole), f"{place}: {entry}"
    elif isinstance(shown, float):
        assert shown == pytest.approx(whole, abs=1e-12), place
    else:
        assert shown == whole, place
