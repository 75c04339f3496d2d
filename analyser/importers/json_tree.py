"""Rosters of New Recruit in JSON: parsed into the tree of the XML form, without its wrappers."""

from __future__ import annotations

import json
from typing import Any
from xml.etree.ElementTree import Element

from analyser.common.errors import InputError, shown
from analyser.common.files import CUT_SHORT, MOST_BITS, looks_like
from analyser.importers.tree_builder import BoundedBuilder

TEXT = "$text"  # text between the tags of the XML form
_SINGULAR = {"categories": "category"}


def parse_json(data: bytes, where: str, root: str) -> Element:
    """Return the element `root` in a JSON text, in the XML form of the file.

    Raises InputError for broken JSON, a repeated key, numbers too large, values nested too deep or too many.
    """
    try:
        value = json.loads(data, object_pairs_hook=_each_key_once, parse_constant=_no_number, parse_int=_integer)
    except InputError as error:
        raise error.inside(where) from None
    except RecursionError:
        raise InputError("broken JSON: values nested too deep", where=where) from None
    except json.JSONDecodeError as error:
        problem = f"broken JSON: {error.msg} at line {error.lineno}, column {error.colno}"
        if error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated string"):
            problem += f"; {CUT_SHORT}"
        else:
            problem += looks_like(data)
        raise InputError(problem, where=where) from None
    except ValueError as error:  # undecodable bytes
        raise InputError(f"broken JSON: {error}", where=where) from None
    table = value.get(root) if isinstance(value, dict) else None
    if not isinstance(table, dict):
        held = f"keys such as {', '.join(map(shown, list(value)[:3]))}" if isinstance(value, dict) and value else "none"
        problem = f"this JSON holds no {root} ({held})"
        raise InputError(problem, where=where, allowed=f'{{"{root}": ...}}, as New Recruit exports it')
    builder = BoundedBuilder()
    try:
        _add(builder, root, table)
    except InputError as error:
        raise error.inside(where) from None
    element: Element = builder.close()
    return element


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in table if keys.count(key) > 1)
        raise InputError(f"broken JSON: the key {shown(twice)} is given twice in one object")
    return table


def _no_number(word: str) -> float:
    raise InputError(f"broken JSON: {word} is not a number")


def _integer(digits: str) -> int:
    if len(digits) > MOST_BITS // 3:
        raise InputError(f"broken JSON: {shown(digits[:40])} is too large a number")
    return int(digits)


def _add(builder: BoundedBuilder, tag: str, value: Any) -> None:
    """Add a value as an element: its lists and objects become children, all else attributes."""
    if isinstance(value, list):
        raise InputError(f"a list in the list of {shown(tag)}")
    table = value if isinstance(value, dict) else {TEXT: value}
    builder.start(tag, {key: _text(value) for key, value in table.items() if key != TEXT and _is_plain(value)})
    builder.data(_text(table.get(TEXT, "")))
    for key, inside in table.items():
        if isinstance(inside, dict):
            _add(builder, key, inside)
        elif isinstance(inside, list):
            builder.start(key, {})
            for child in inside:
                _add(builder, _SINGULAR.get(key, key.removesuffix("s")), child)
            builder.end(key)
    builder.end(tag)


def _is_plain(value: Any) -> bool:
    return value is not None and not isinstance(value, dict | list)


def _text(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value) if _is_plain(value) else ""
