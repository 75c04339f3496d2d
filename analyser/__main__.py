"""The command line as a module: ``python -m analyser``."""

import sys

from analyser.cli import main

sys.exit(main())
