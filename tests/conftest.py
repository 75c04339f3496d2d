"""What many tests share: a small folder of profiles, and which of the random cases are those of the day."""

import datetime
import os
import signal

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import settings

from analyser.common import cache
from analyser.game.profiles import Profiles
from tests.helpers.chromium import browser, visit  # noqa: F401 - fixtures
from tests.helpers.skips import ALL_TESTS, REASONS
from tests.oracle.small_profiles import write_profiles

DATE = "ANALYSER_TEST_DATE"  # the environment variable: which seeds are those of the day
SEEDS_A_DAY = 2
EXAMPLES_A_DAY, EXAMPLES = 20, 80  # of a property
os.environ[cache.SWITCH] = "no"  # all is computed here, but in the tests of the cache


def pytest_configure(config):
    """Choose the seeds of the day, which every worker takes over, and how many examples of a property are tried.

    A shell has what it runs in the background ignore interrupts, and so would every process that a test starts.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.setdefault(DATE, datetime.date.today().isoformat())
    examples = EXAMPLES_A_DAY if config.option.markexpr else EXAMPLES
    settings.register_profile("analyser", max_examples=examples)
    settings.load_profile("analyser")


def pytest_report_header():
    return f"random cases of {os.environ[DATE]}; others: {DATE}=YEAR-MONTH-DAY, or make proof for all"


def skipped_for_another_reason(reporter):
    """Return the places and reasons of the tests that were skipped for none of the `REASONS`."""
    told = [report.longrepr for report in reporter.stats.get("skipped", [])] if reporter else []
    reasons = ((path, line, reason.removeprefix("Skipped: ")) for path, line, reason in told)
    return sorted({f"{path}:{line}: {reason}" for path, line, reason in reasons if reason not in REASONS})


def pytest_sessionfinish(session):
    """Fail where all tests must run and one was skipped."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get(ALL_TESTS) and skipped_for_another_reason(reporter):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter):
    if os.environ.get(ALL_TESTS):
        for each in skipped_for_another_reason(terminalreporter):
            terminalreporter.write_line(f"error: skipped, though {ALL_TESTS} is set: {each}", red=True)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file():
    """Look for no examples in docstrings here: only the package has some, and to look for them takes seconds."""
    return [each for each in (yield) if not isinstance(each, DoctestModule)]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Leave to `make proof` the random cases that are not those of the day: two seeds of each test, by turns."""
    day = datetime.date.fromisoformat(os.environ[DATE]).toordinal()
    seeded = [item for item in items if isinstance(seed_of(item), int)]
    seeds = dict[str, set[int]]()
    for item in seeded:
        seeds.setdefault(function_of(item), set()).add(seed_of(item))
    for item in seeded:
        every = sorted(seeds[function_of(item)])
        of_the_day = {every[(SEEDS_A_DAY * day + turn) % len(every)] for turn in range(SEEDS_A_DAY)}
        if seed_of(item) not in of_the_day:
            item.add_marker(pytest.mark.proof)


def seed_of(item):
    """Return the seed that a test is called with; None without."""
    return item.callspec.params.get("seed") if hasattr(item, "callspec") else None


def function_of(item):
    return item.nodeid.partition("[")[0]


@pytest.fixture
def cached(tmp_path, monkeypatch):
    """The folder of the cache, which is on and empty."""
    folder = tmp_path / "cache"
    folder.mkdir()
    monkeypatch.setenv(cache.SWITCH, "yes")
    monkeypatch.setattr(cache, "folder_for", lambda _: folder)
    return folder


@pytest.fixture(scope="session")
def river_folder(tmp_path_factory):
    return write_profiles(tmp_path_factory.mktemp("profiles"))


@pytest.fixture(scope="session")
def river(river_folder):
    return Profiles(river_folder)
