"""Records that kernels share, and the view of one that the interpreter reads."""

import gc
import sys
from typing import Annotated, Any

import numpy as np

from analyser.common.kernel_records import Int, empty_record, view


class Pair:
    count: Int
    numbers: Annotated[Any, np.uint32, (4,)]


def test_a_view_holds_its_memory_no_longer_than_it_lives():
    """A class of its own for each would, until the collector comes round: 20 MB a simulated duel."""
    record = empty_record(Pair)
    shown = view(record)
    assert type(shown) is type(view(empty_record(Pair)))
    held = sys.getrefcount(record)
    gc.disable()
    try:
        del shown
        assert sys.getrefcount(record) < held
    finally:
        gc.enable()
