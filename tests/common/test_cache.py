"""The cache of computed parts: whole or none, and never of another program."""

import pytest

from analyser.common import cache
from analyser.common.errors import InputError
from analyser.report.worker_pool import Job, run_if_same_version
from analyser.sweep.plan import check_program, read_plan
from tests.helpers.damage import DAMAGES

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
    cache.program_digest.cache_clear()
    yield tmp_path
    cache.program_digest.cache_clear()


@pytest.mark.parametrize("name", ["rules/attack.py", "templates/page.html.jinja", "rules/added.py"])
def test_a_changed_source_is_another_program(sources, name):
    before = cache.program_digest()
    assert cache.program_digest.__wrapped__() == before
    (sources / name).write_text("two")
    assert cache.program_digest.__wrapped__() != before


def test_another_version_of_a_library_is_another_program(sources, monkeypatch):
    before = cache.program_digest()
    monkeypatch.setattr(cache, "version", lambda name: "0" if name == "scipy" else "1")
    assert cache.program_digest.__wrapped__() != before


def test_the_cache_of_another_program_is_empty_and_old_parts_go(sources, cached):
    plan, program = read_plan(PLAN), cache.program_digest()
    cache.Cache("duels").write("key", b"content")
    assert cache.Cache("duels").read("key") == b"content"
    (sources / "rules/attack.py").write_text("LIMIT = 2\n")
    cache.program_digest.cache_clear()
    assert cache.Cache("duels").read("key") is None
    cache.Cache("fights").write("key", b"other")
    assert [path.name.split("-")[0] for path in cached.iterdir()] == ["fights"]
    assert read_plan(PLAN).digest != plan.digest
    with pytest.raises(InputError, match="another version of this program"):
        check_program(plan)
    with pytest.raises(RuntimeError, match="another version"):
        run_if_same_version(program, Job(1, "key", bytes, ()))


def test_a_damaged_part_is_as_none(cached):
    for damage in DAMAGES:
        key = damage.__name__
        cache.Cache("duels").write(key, b"content" * 100)
        damage(max(cached.iterdir(), key=lambda path: path.stat().st_mtime_ns))
        assert cache.Cache("duels").read(key) is None, key


def test_switched_off_nothing_is_read_or_written(cached, monkeypatch):
    cache.Cache("duels").write("key", b"content")
    monkeypatch.setenv(cache.SWITCH, "no")
    assert cache.Cache("duels").read("key") is None
    cache.Cache("duels").write("other", b"content")
    assert len(list(cached.iterdir())) == 1
