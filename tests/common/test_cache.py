"""One key for all that is kept: a changed source makes another one, whatever is kept under it."""

import pytest

from analyser.common import cache
from analyser.common.errors import InputError
from analyser.report.batch import key_of as key_of_report
from analyser.report.pool import work_of_version
from analyser.report.tactics import key_of as key_of_tactics
from analyser.sweep.plan import check_program, read_plan

RIFLES = "crown/rifle-platoon@basic"
PLAN = {"attackers": {"units": [RIFLES]}, "defenders": {"units": [RIFLES]}}


@pytest.fixture
def sources(tmp_path, monkeypatch):
    """A package whose sources can be changed, and that the program then is."""
    (tmp_path / "rules").mkdir()
    (tmp_path / "templates").mkdir()
    (tmp_path / "rules/attack.py").write_text("LIMIT = 1\n")
    (tmp_path / "templates/page.html.jinja").write_text("<p>one</p>")
    monkeypatch.setattr(cache, "_PACKAGE", tmp_path)
    cache.program.cache_clear()
    yield tmp_path
    cache.program.cache_clear()


@pytest.mark.parametrize("name", ["rules/attack.py", "templates/page.html.jinja", "rules/added.py"])
def test_a_changed_source_is_another_program(sources, name):
    before = cache.program()
    assert cache.program.__wrapped__() == before
    (sources / name).write_text("two")
    assert cache.program.__wrapped__() != before


def test_another_version_of_a_library_is_another_program(sources, monkeypatch):
    before = cache.program()
    monkeypatch.setattr(cache, "version", lambda name: "0" if name == "scipy" else "1")
    assert cache.program.__wrapped__() != before


def keys():
    """The key of everything that is kept, by what it is, of the same questions."""
    return {
        "report": key_of_report({"format": 2}),
        "tactics": key_of_tactics(["a"]),
        "sweep": read_plan(PLAN).digest,
    }


def test_everything_that_is_kept_is_of_one_program(sources):
    before, plan, program = keys(), read_plan(PLAN), cache.program()
    assert keys() == before
    work_of_version(program, lambda: None)
    (sources / "rules/attack.py").write_text("LIMIT = 2\n")
    cache.program.cache_clear()
    after = keys()
    assert [name for name in before if before[name] == after[name]] == []
    with pytest.raises(InputError, match="another version of this program"):
        check_program(plan)
    with pytest.raises(RuntimeError, match="another version"):
        work_of_version(program, lambda: None)
