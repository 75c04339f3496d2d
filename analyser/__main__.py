"""The command ``analyser``, also as ``python -m analyser``."""

import signal
import sys


def run() -> int:
    """Run the command and return its exit status. Ctrl-C while modules are imported ends it without a traceback."""
    handler = signal.signal(signal.SIGINT, signal.SIG_DFL)
    from analyser.cli import main

    signal.signal(signal.SIGINT, handler)
    return main()


if __name__ == "__main__":
    sys.exit(run())
