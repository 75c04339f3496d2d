"""Commands on a machine that cannot: links to themselves, names that are no UTF-8, full disks, too little memory."""

import builtins
import errno
import io
import os
import shutil
import subprocess
import sys
from itertools import product
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest

from analyser.analysis import matchups as matchups_module
from analyser.cli import messages
from tests.helpers.catalogues import Entry, catalogue
from tests.helpers.reports import failing
from tests.helpers.shell import ended_plainly, process, refusal, run
from tests.helpers.skips import OTHER_SYSTEM, linux, posix, proof
from tests.oracle.small_profiles import write_profiles

GUARD = "river/otter-guard@basic"
NOT_UTF8 = os.fsdecode(b"caf\xe9")
SIDES = ("--attackers", GUARD, "--defenders", GUARD)
QUESTION = f'[attack]\nattacker = "{GUARD}"\n[target]\nunit = "{GUARD}"\n'
PLAN = f'situations = ["long-range"]\n[attackers]\nunits = "{GUARD}"\n[defenders]\nunits = "{GUARD}"\n'


@pytest.fixture
def here(tmp_path, monkeypatch):
    """The current folder, with profiles, a file of each kind that commands read, and a link to itself."""
    write_profiles(tmp_path / "profiles")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "q.toml").write_text(QUESTION)
    (tmp_path / "s.toml").write_text(PLAN)
    (tmp_path / "a.toml").write_text(f'name = "Guards"\n[[unit]]\nunit = "{GUARD}"\n')
    (tmp_path / "c.cat").write_text(catalogue(Entry()))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def with_profiles(folder, arguments):
    return (*arguments, "--profiles", folder)


ASKED = {  # commands, with {} for a file or folder that they write to
    "answer": ("attack", GUARD, GUARD, "--out", "{}/a.json"),
    "table": ("attack", GUARD, GUARD, "--out", "{}/a.parquet", "--plot", "{}/a.png"),
    "question": ("run", "q.toml", "--out", "{}/q.csv"),
    "army": ("army", "a.toml", "--out", "{}/army.toml"),
    "clash": ("battle", "plan", "a.toml", GUARD, "--situations", "long-range", "--out", "{}/c.json"),
    "tactics": ("best", "tactics", GUARD, GUARD, "--rounds", "1", "--out", "{}/h.csv", "--threads", "1"),
    "diff": ("report", "diff", "profiles", "profiles", "--out", "{}/d.json", "--summary", "{}/d.md"),
}
REPORT = ("report", *SIDES, "--situations", "long-range", "--out", "{}/r")


PLACES = ["loop/inside", NOT_UTF8, *proof("loop")]


@pytest.mark.parametrize("asked", [*ASKED.values(), pytest.param(REPORT, marks=pytest.mark.slow)])
@pytest.mark.parametrize("place", PLACES)
def test_odd_places_to_write_to(here, asked, place):
    if place == NOT_UTF8:
        _make(here / place)
    arguments = [each.format(place) for each in asked]
    arguments = arguments if "diff" in asked else with_profiles("profiles", arguments)
    before = sorted(here.rglob("*"))
    result = run(*arguments)
    ended_plainly(result)
    assert result.exit_code == (0 if place == NOT_UTF8 else 2)
    assert asked != REPORT or place != NOT_UTF8 or run("report", "diff", f"{place}/r", "profiles").exit_code == 0
    assert place == NOT_UTF8 or ("symbolic links" in result.stderr and sorted(here.rglob("*")) == before)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    "arguments",
    [
        ("attack", GUARD, GUARD, "--profiles", "{}", "--out", "a.json"),
        ("units", "--profiles", "{}"),
        ("run", "{}"),
        ("report", "diff", "{}", "profiles"),
        ("report", "site", "{}"),
        ("sweep", "{}", "--out", "st"),
        ("sweep", "s.toml", "--profiles", "profiles", "--out", "{}"),
        ("sweep", "resume", "{}"),
        ("army", "{}"),
        ("units", "import", "{}", "--out", "new"),
        ("battle", "plan", "{}", "{}"),
        ("army", "build", "--faction", "river", "--points", "500", "--against", "{}", "--profiles", "profiles"),
    ],
)
def test_odd_places_to_read_from(here, arguments, place):
    if place == NOT_UTF8:
        _make(here / place)
        shutil.copy("profiles/river.toml", here / place)
    result = run(*(each.format(place) for each in arguments))
    ended_plainly(result)
    assert place == NOT_UTF8 or result.exit_code == 2


def _make(folder):
    try:
        folder.mkdir()
    except OSError as error:
        if error.errno not in (errno.EILSEQ, errno.EINVAL):
            raise
        pytest.skip(OTHER_SYSTEM)


def test_the_current_folder_is_odd_or_gone(here, monkeypatch):
    asked = with_profiles(here / "profiles", ("attack", GUARD, GUARD))
    _make(here / NOT_UTF8)
    monkeypatch.chdir(here / NOT_UTF8)
    assert run(*asked).exit_code == 0
    assert run(*asked, "--out", "a.json").exit_code == 0
    shutil.rmtree(here / NOT_UTF8)
    assert run(*asked).exit_code == 0
    assert refusal(*asked, "--out", "a.json").startswith("error: the current folder, which was deleted: No such file")


SETTINGS = ["HOME", "MPLCONFIGDIR", "XDG_CACHE_HOME", "TMPDIR", "NUMBA_CACHE_DIR"]
SOON = [(NOT_UTF8, "HOME")]
LATER = [each for each in product(("loop", NOT_UTF8), SETTINGS) if each not in SOON]


@pytest.mark.slow
@pytest.mark.parametrize(("place", "name"), [*SOON, *proof(*LATER)])
def test_folders_of_settings_that_are_odd(here, name, place):
    if place == NOT_UTF8:
        _make(here / place)
    asked = with_profiles("profiles", ("attack", GUARD, GUARD, "--plot", "a.png"))
    settings = {"MPLCONFIGDIR": mpl.get_configdir()} | {name: str(here / place)}  # its list of fonts takes seconds
    result = process(*asked, env=os.environ | settings, cwd=here, encoding="utf-8", errors="replace")
    assert result.returncode in (0, 2), result.stderr
    assert "Traceback" not in result.stderr
    assert result.returncode == 0 or result.stderr.count("\n") == 1


class Faults:
    """The calls of the system below a folder, of which one fails."""

    CALLS = ((io, "open"), (builtins, "open"), (os, "open"), (os, "replace"), (os, "mkdir"), (os, "chmod"))

    def __init__(self, patch, folder, number, code):
        self.folder, self.number, self.code, self.count = str(folder), number, code, 0
        for module, name in self.CALLS:
            patch.setattr(module, name, self._counted(getattr(module, name)))

    def _counted(self, call):
        def counted(path, *rest, **keys):
            if isinstance(path, str | os.PathLike) and os.path.realpath(path).startswith(self.folder):
                self.count += 1
                if self.count == self.number:
                    raise OSError(self.code, os.strerror(self.code), str(path))
            return call(path, *rest, **keys)

        return counted


WORK = {
    **{name: with_profiles("profiles", arguments) for name, arguments in ASKED.items() if name != "diff"},
    "diff": ASKED["diff"],
    "units": ("units", "--profiles", "profiles", "--out", "{}/u.csv"),
    "import": ("units", "import", "c.cat", "--out", "{}/new"),
    "site": ("report", "site", "{}"),
}


@pytest.mark.parametrize("code", [errno.ENOSPC, *proof(errno.EIO, errno.EROFS, errno.EMFILE, errno.ENAMETOOLONG)])
@pytest.mark.parametrize("work", WORK)
def test_a_call_of_the_system_that_fails_is_one_line_and_leaves_all_as_it_was(here, monkeypatch, work, code):
    """Each call in turn, until the command ends without meeting the fault."""
    (here / "out").mkdir()
    arguments = [each.format("out") for each in WORK[work]]
    before = _contents(here)
    for number in range(1, 200):
        with monkeypatch.context() as patch:
            faults = Faults(patch, here, number, code)
            result = run(*arguments)
        ended_plainly(result)
        if faults.count < number:
            return
        if result.exit_code == 2:
            assert _contents(here) == before
            assert os.strerror(code) in result.stderr or work == "site"
        shutil.rmtree(here / "out")
        (here / "out").mkdir()
    pytest.fail("it calls the system without end")


@pytest.mark.slow
@pytest.mark.parametrize("first", [1, *proof(4, 8)])
def test_a_report_that_meets_a_fault_leaves_nothing(here, monkeypatch, first):
    """Three calls in eleven: all of them took minutes."""
    before = _contents(here)
    for number in range(first, 2000, 11):
        with monkeypatch.context() as patch:
            faults = Faults(patch, here, number, errno.ENOSPC)
            result = run("report", *SIDES, "--situations", "charge", "--out", "r", "--profiles", "profiles")
        ended_plainly(result)
        if faults.count < number:
            return
        if result.exit_code == 2:
            assert _contents(here) == before
            assert not Path("r").exists()
        shutil.rmtree("r", ignore_errors=True)


@posix
def test_a_file_that_a_library_writes_itself_and_the_disk_is_full(here):
    import resource

    before, limits = _contents(here), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        said = refusal("matchups", *SIDES[1::2], "--out", "m.parquet", "--profiles", "profiles")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert "m.parquet: cannot write this file: " in said
    assert "File too large" in said
    assert _contents(here) == before


def _contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@linux
def test_an_answer_that_cannot_be_printed():
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "analyser", "units", "crown/rifle*"]
        result = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False, timeout=120)
    assert (result.returncode, result.stderr) == (2, "error: standard output: No space left on device\n")


def test_an_error_of_a_library_that_names_no_file_says_so(here, monkeypatch):
    monkeypatch.setattr("analyser.game.profiles.read_toml", failing(OSError("encoder error -2")))
    assert refusal("units", "--profiles", "profiles") == "error: a file of this command: encoder error -2\n"


ARRAY = np._core._exceptions._ArrayMemoryError((1 << 30,), np.dtype(np.int64))
RAN_OUT = [
    (MemoryError(), ""),
    (MemoryError("Allocation failed (probably too large)."), ""),
    (ARRAY, ", which needs a table of 8.00 GiB"),
    (OSError(errno.ENOMEM, os.strerror(errno.ENOMEM)), ""),
    (RuntimeError("can't start new thread"), ""),
    (ImportError("libx.so: failed to map segment from shared object"), ""),
]


@pytest.mark.parametrize(("error", "wanted"), RAN_OUT)
def test_too_little_memory_is_one_line_with_what_was_asked(here, monkeypatch, error, wanted):
    monkeypatch.setattr(matchups_module, "matchups", failing(error))
    said = refusal("matchups", "river/*", GUARD, "--situations", "charge,long-range", "--profiles", "profiles")
    assert said == (
        "error: analyser matchups river/* river/otter-guard@basic --situations charge,long-range --profiles profiles: "
        f"not enough memory for this question{wanted} (allowed: a smaller question, or a machine with more "
        "memory)\n"
    )


def test_too_little_memory_in_a_thread_and_behind_another_error(here, monkeypatch):
    def behind(*_, **__):
        try:
            raise ARRAY
        except MemoryError as error:
            raise LookupError("lost") from error

    asked = ("best", GUARD, GUARD, "--rounds", "2", "--profiles", "profiles")
    assert messages.run_in_thread(lambda: 3, "counting") == 3
    monkeypatch.setattr("analyser.analysis.best_duels.best_play", failing(RuntimeError("a bug")))
    assert repr(run(*asked).exception) == "RuntimeError('a bug')"
    for fault in (failing(MemoryError()), behind):
        monkeypatch.setattr("analyser.analysis.best_duels.best_play", fault)
        assert "not enough memory for this question" in refusal(*asked)


@pytest.mark.slow
@linux
def test_a_question_that_is_too_large_for_the_memory_that_a_process_may_have():
    script = (
        "import resource, sys\n"
        "import analyser.api, analyser.analysis.matchups, analyser.cli, pandas\n"
        "pages = int(open('/proc/self/statm').read().split()[0])\n"
        "resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + (24 << 20),) * 2)\n"
        "sys.exit(analyser.cli.main(['matchups', '*/*', '*/*', '--situations', 'all', '--threads', '1']))\n"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=300)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
    assert "analyser matchups */* */* --situations all --threads 1: not enough memory" in result.stderr
