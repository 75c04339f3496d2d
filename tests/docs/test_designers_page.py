"""The page for designers: the sentence that it prints is the one that is told."""

import re
import shutil
from pathlib import Path

import pytest

from analyser.game.profiles import shipped_profiles
from analyser.report.diff import diff

PAGE = Path(__file__).parents[2] / "docs" / "designers.md"


@pytest.mark.slow
def test_the_sentence_of_a_diff_is_true(tmp_path):
    (sentence,) = re.findall(r"^crown/.* hands.*$", PAGE.read_text(encoding="utf-8"), re.M)
    name, old, new = re.match(r"(\S+): (\d+) → (\d+) points", sentence).groups()
    changed = shutil.copytree(shipped_profiles(), tmp_path / "my-profiles")
    text = (changed / "crown.toml").read_text(encoding="utf-8")
    unit, _, level = name.removeprefix("crown/").partition("@")
    before, rest = text.split(f'id = "{unit}"')
    rest = re.sub(rf"({level} = {{[^}}]*points = ){old}", rf"\g<1>{new}", rest, count=1)
    (changed / "crown.toml").write_text(f'{before}id = "{unit}"{rest}', encoding="utf-8")
    found = diff(shipped_profiles(), changed, situations=["charge"])
    assert [each.sentence for each in found.moves] == [sentence]
