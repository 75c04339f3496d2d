"""Looking for dead objects now and then only."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

NEW_OBJECTS = 50_000  # before they are looked through; Python's own figure is hundreds


@contextmanager
def rarely_collected() -> Iterator[None]:
    """Inside this, rings of dead objects are looked for less often, and never among those that are there already.

    A picture is made of thousands of objects that refer to each other: to look through all that are alive, again and
    again, takes a twelfth of the time of a report.
    """
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
