"""Ctrl-C that falls where an error is lost is raised again, and not while its work is cleared up."""

import subprocess
import sys

from tests.helpers.skips import posix

LOST = """
import signal, time
from analyser.common import interrupts

class Loses(type):
    def __getattr__(cls, name):
        if not interrupts.was_received():
            signal.raise_signal(signal.SIGINT)
        raise AttributeError(name)

class Number(metaclass=Loses):
    def __radd__(self, other):
        return other

interrupts.start_repeating()
import numpy
try:
    numpy.int64(1) + Number()  # numpy looks for attributes, and drops any error
    time.sleep(30)
    print("lost")
except KeyboardInterrupt:
    try:
        time.sleep(1)
        interrupts.stop_repeating()
        print("cleared up")
    finally:
        time.sleep(1)
"""


@posix
def test_an_interrupt_that_is_lost_comes_again_once():
    ran = subprocess.run([sys.executable, "-c", LOST], check=False, capture_output=True, text=True, timeout=60)
    assert (ran.stdout, ran.stderr, ran.returncode) == ("cleared up\n", "", 0)
