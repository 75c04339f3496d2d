"""Files are written whole, with the mode that they should have, or not at all."""

import os
import stat

import pytest

from analyser.common.errors import InputError
from analyser.common.files import check_targets, check_writable, write_all, write_content


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("mask", [0o077, 0o022, 0o002, 0])
def test_a_new_file_has_the_mode_that_the_umask_says(mask, tmp_path):
    before = os.umask(mask)
    try:
        write_content(tmp_path / "new.csv", "a\n")
    finally:
        os.umask(before)
    assert mode(tmp_path / "new.csv") == 0o666 & ~mask


@pytest.mark.parametrize("had", [0o600, 0o640, 0o666, 0o755])
def test_a_file_that_was_there_keeps_its_mode_also_behind_a_link(had, tmp_path):
    path, link = tmp_path / "old.csv", tmp_path / "link.csv"
    path.touch()
    link.symlink_to(path)
    path.chmod(had)
    write_content(path, "a\n")
    assert (mode(path), path.read_text()) == (had, "a\n")
    write_content(link, "b\n")
    assert (link.is_symlink(), mode(path), path.read_text()) == (True, had, "b\n")


def test_a_link_to_a_file_that_is_not_there_yet_makes_that_file(tmp_path):
    link = tmp_path / "link.csv"
    link.symlink_to(tmp_path / "new" / "file.csv")
    write_content(link, "a\n")
    assert (link.is_symlink(), (tmp_path / "new" / "file.csv").read_text()) == (True, "a\n")


def test_a_file_without_the_right_to_write_is_left_alone(tmp_path, monkeypatch):
    path = tmp_path / "mine.csv"
    path.write_text("mine")
    path.chmod(0o444)
    allowed = os.access
    monkeypatch.setattr(os, "access", lambda name, right: allowed(name, right) and name != path)  # also for root
    with pytest.raises(InputError, match="is write-protected"):
        write_content(path, "yours")
    assert path.read_text() == "mine"


@pytest.mark.parametrize("name", ["x" * 300 + ".png", "new/" + "x" * 300, "x/" * 3000 + "x", "loop", "loop/x"])
def test_a_name_that_no_file_can_have_is_refused_before_any_work(name, tmp_path):
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(InputError, match=r"cannot write here|not a file"):
        check_writable(tmp_path / name)
    assert [each.name for each in tmp_path.iterdir()] == ["loop"]


def test_a_name_as_long_as_may_be_is_written(tmp_path):
    for name in ("x" * 251 + ".csv", "x." + "y" * 253, "ä" * 125 + ".csv"):
        write_content(tmp_path / name, "a\n")
        assert (tmp_path / name).read_text() == "a\n"


def test_two_things_in_one_file_are_refused(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "a.csv")
    with pytest.raises(InputError, match="two outputs"):
        check_targets([tmp_path / "a.csv", tmp_path / "link"])


def test_of_several_files_all_are_written_or_none(tmp_path):
    def full(_):
        raise OSError(28, "No space left on device")

    old, new = tmp_path / "old.csv", tmp_path / "new.csv"
    old.write_text("old")
    for failing in ({old: lambda path: path.write_text("a"), new: full}, {new: full, old: old.unlink}):
        with pytest.raises(InputError, match=r"new\.csv: cannot write this file: No space left on device"):
            write_all(failing)
        assert ([each.name for each in tmp_path.iterdir()], old.read_text()) == (["old.csv"], "old")
    write_all({path: lambda each, path=path: each.write_text(path.stem) for path in (old, new)})
    assert (old.read_text(), new.read_text()) == ("old", "new")
