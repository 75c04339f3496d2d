"""A small sweep that is done, and what works on one."""

import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest

from analyser.sweep.running import run_sweep
from tests.helpers.sweeps import PLAN


@pytest.fixture(scope="session")
def threads():
    """An executor of threads: as good as processes for what is small, and there at once."""
    with ThreadPoolExecutor(2) as pool:
        yield pool


@pytest.fixture(scope="session")
def done(tmp_path_factory, threads):
    """A store that is done; nobody writes into it."""
    return run_sweep(PLAN, tmp_path_factory.mktemp("sweep") / "store", executor=threads)


@pytest.fixture
def store(done, tmp_path):
    """A copy of it, to do harm to."""
    return shutil.copytree(done.store.folder, tmp_path / "store")
