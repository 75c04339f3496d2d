"""The reference that follows from the code is current, whole, and its pages are found."""

import re
import sys

import pytest

from tests.helpers.pages import PAGES, ROOT

sys.path.insert(0, str(ROOT / "docs"))
import reference


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_page_of_keys_is_the_programs():
    said = "docs/keys.md is old: run `python docs/reference.py`"
    assert reference.PAGE.read_text(encoding="utf-8") == reference.page(), said


def test_every_note_describes_a_key_that_there_is():
    text = reference.PAGE.read_text(encoding="utf-8")
    shown = {" ".join(each.split()) for each in re.findall(r"\| ([^|]+) \|$", text, re.MULTILINE)}
    notes = [note for record in reference.NOTES.values() for note in record.values()]
    assert [note for note in notes if note not in shown] == []


def test_every_command_has_a_page():
    text = reference.commands()
    names = ["analyser attack", "analyser morale legion", "analyser sweep"]
    assert [name for name in names if f"## {name}\n\n```text\nUsage: " not in text] == []


def anchors(path):
    """The addresses of the headings of a page, as links name them."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\s-]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_every_link_leads_somewhere(path):
    text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    for address in re.findall(r"\]\(([^)\s]+)\)", text):
        if not address.startswith("http"):
            name, _, anchor = address.partition("#")
            page = (path.parent / name).resolve() if name else path
            assert page.exists(), address
            assert not anchor or anchor in anchors(page), address


def test_every_page_that_the_code_names_is_there():
    sources = [
        path for folder in ("analyser", "tests", "benchmarks", "profiles") for path in (ROOT / folder).rglob("*.*")
    ]
    named = {
        name
        for path in sources
        if path.suffix in (".py", ".toml")
        for name in re.findall(r"docs/[a-z-]+\.md", path.read_text(encoding="utf-8"))
    }
    assert {name for name in named if not (ROOT / name).exists()} == set()


def test_every_page_is_in_the_contents():
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    pages = {path.stem for path in PAGES if path.parent.name == "docs"} - {"index"}
    assert {name for name in pages if f"\n{name}\n" not in index} == set()
