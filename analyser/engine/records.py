"""Records of numbers and arrays that kernels share: to hand one on costs nothing, however much it holds."""

from __future__ import annotations

from typing import Annotated, Any, TypeVar, cast, get_type_hints

import numpy as np

RecordT = TypeVar("RecordT")
Int = Annotated[int, np.int64]
Whole = Annotated[Any, np.int64]  # a number whose type the compiler is told where it is read


def record_type(layout: type) -> np.dtype[np.void]:
    """The NumPy type of a record whose fields are annotated with their types and shapes.

    Examples
    --------
    >>> class Counter:
    ...     trials: Int
    ...     cells: Annotated[Any, np.uint32, (4,)]
    >>> record_type(Counter).itemsize
    24
    """
    hints = get_type_hints(layout, include_extras=True)
    fields = [(name, *hint.__metadata__) for name, hint in hints.items() if hasattr(hint, "__metadata__")]
    return np.dtype((np.record, fields))


def empty_record(layout: type[RecordT]) -> RecordT:
    """A record with 0 in all fields; the system hands out memory only as it is used."""
    return cast("RecordT", np.zeros(1, record_type(layout))[0])
