"""Why questions have no answer: reasons of one kind told once, however many units and numbers they are of."""

from __future__ import annotations

import re

_OWN_WORDS = re.compile(r"'[^']*'|[\w-]+/[\w-]+(?:@[\w-]+)?|-?\d+(?:[.,]\d+)*")  # names, units and numbers
_OUT_OF_RANGE = "its long range"
_BY_ROW = re.compile(r"\(([^()]+: [^()]+)\)$")  # reasons row by row


def kind_of(why: str) -> str:
    """A reason without its numbers and names: of one row by row, what is wrong with any of them, out of range first.

    >>> why = "a/b@c: no row can make this attack (one: its long range is 14, and the distance 16; two: it is melee)"
    >>> kind_of(why)
    '#: no row can make this attack its long range is #, and the distance #'
    """
    by_row = _BY_ROW.search(why)
    if by_row is None:
        return _OWN_WORDS.sub("#", why)
    each = {_OWN_WORDS.sub("#", part.partition(": ")[2]) for part in by_row[1].split("; ")}
    by_range = {reason for reason in each if reason.startswith(_OUT_OF_RANGE)}
    return _OWN_WORDS.sub("#", why[: by_row.start()]) + "; ".join(sorted(by_range or each))
