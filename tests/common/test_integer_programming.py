"""Integer programmes, and what the libraries beneath them print."""

import ctypes
import subprocess
import sys

import numpy as np

from analyser.common.integer_programming import silent_libraries, solve_programme
from tests.helpers.skips import posix


def test_a_programme_is_solved():
    found = solve_programme(np.array([-1.0, -1.0]), integrality=np.ones(2), bounds=(0, 1.5))
    assert found.x.tolist() == [1, 1]


@posix
def test_what_libraries_print_meanwhile_is_lost(capfd):
    libc = ctypes.CDLL(None)
    with silent_libraries():
        libc.puts(b"lost")
    libc.puts(b"kept")
    libc.fflush(None)
    print("the answer")
    assert capfd.readouterr().out == "kept\nthe answer\n"


@posix
def test_it_works_where_there_is_no_standard_output():
    code = (
        "import os; os.close(1); from analyser.common.integer_programming import silent_libraries as s\nwith s(): pass"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
