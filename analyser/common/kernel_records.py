"""NumPy records of numbers and arrays, the arguments of kernels: a record of any size is passed as a pointer."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import Annotated, Any, TypeVar, cast, get_type_hints

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
RecordT = TypeVar("RecordT")
Int = Annotated[int, np.int64]  # annotation of a field in the class of a record


def record_type(layout: type) -> np.dtype[np.void]:
    """Return the NumPy type of a record, from a class that annotates the fields with types and shapes."""
    hints = get_type_hints(layout, include_extras=True)
    fields = [(name, *hint.__metadata__) for name, hint in hints.items() if hasattr(hint, "__metadata__")]
    return np.dtype((np.record, np.dtype(fields, align=True)))


def empty_record(layout: type[RecordT]) -> RecordT:
    """Return a record with 0 in all fields; the operating system allocates the memory on first use."""
    return cast("RecordT", np.zeros(1, record_type(layout))[0])


class _Records(list[SimpleNamespace]):
    """List of records; an assigned record is copied, as in an array."""

    def __setitem__(self, index: Any, record: Any) -> None:
        super().__setitem__(index, SimpleNamespace(**vars(record)))


def python_copy(record: RecordT) -> RecordT:
    """Return a copy of a record with Python numbers as fields, which Python reads ten times as fast."""
    numbers: Any = record
    return cast("RecordT", SimpleNamespace(**dict(zip(numbers.dtype.names, numbers.item()))))


def view(record: RecordT) -> RecordT:
    """Return a fast view of a record; its attribute `record` is the original.

    Records without arrays, and records inside the record, are copied.
    """
    fields: Any = record
    if not any(fields.dtype[name].shape for name in fields.dtype.names):
        copy: Any = python_copy(record)
        copy.record = record
        return cast("RecordT", copy)
    numbers: dict[str, Any] = {}
    parts: dict[str, Any] = {"record": record}
    for name in fields.dtype.names:
        field = fields[name]
        if not np.ndim(field):
            numbers[f"_{name}"] = memoryview(fields.reshape(1)[name])
        elif field.dtype.names:
            parts[name] = _Records(SimpleNamespace(**dict(zip(field.dtype.names, record))) for record in field.tolist())
        else:
            parts[name] = memoryview(field)
    return cast("RecordT", _view_class(tuple(numbers))(**parts, **numbers))


def views(argument: Any) -> Any:
    """Return an argument with its records, also in nested tuples, replaced by views; arrays and numbers stay."""
    if isinstance(argument, tuple):
        parts = map(views, argument)
        return type(argument)(*parts) if hasattr(argument, "_fields") else tuple(parts)
    return view(argument) if isinstance(argument, np.void) else argument


@cache
def _view_class(attributes: tuple[str, ...]) -> type[SimpleNamespace]:
    """Return a class of views; for ``_name``, a memory view of one number, ``name`` gets and sets the number."""

    def number_in(attribute: str) -> property:
        def set_number(view: Any, number: int) -> None:
            view.__dict__[attribute][0] = number

        return property(lambda view: view.__dict__[attribute][0], set_number)

    return type("View", (SimpleNamespace,), {name.removeprefix("_"): number_in(name) for name in attributes})
