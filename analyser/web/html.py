"""Parts of all HTML pages: scripts as one text, packed data, and a policy that allows their own content alone."""

from __future__ import annotations

import base64
import hashlib
import re
import zlib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from analyser.common.text import json_text

ENGINE = "engine"  # id of packed data that the WebAssembly module follows
_HEAD = '<meta charset="utf-8">\n'
_INLINE = re.compile(r"<(script|style)>(.*?)</\1>", re.DOTALL)
_IMPORT = re.compile(r"^import .*?;\n", re.MULTILINE | re.DOTALL)
_EXPORT = re.compile(r"^export (?=async |function |class |const )", re.MULTILINE)


def with_policy(html: str) -> str:
    r"""Return a page with its Content-Security-Policy as the second line of its head; other text as it is.

    Allowed are the scripts and styles of the page, each by its SHA-256, pictures that it holds, and WebAssembly if it
    has the module. Attributes such as ``style="..."`` and ``onclick="..."`` have no effect under it.

    >>> with_policy('<meta charset="utf-8">\n<style>b {}</style>').splitlines()[1][:76]
    '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; img-'
    """
    hashes: dict[str, dict[str, None]] = {"script": {}, "style": {}}
    for kind, text in _INLINE.findall(html):
        digest = base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
        hashes[kind][f"'sha256-{digest}'"] = None
    if f'id="{ENGINE}"' in html:
        hashes["script"]["'wasm-unsafe-eval'"] = None
    parts = ["default-src 'none'", "img-src data:", "base-uri 'none'", "form-action 'none'"]
    parts += [f"{kind}-src {' '.join(allowed)}" for kind, allowed in hashes.items() if allowed]
    policy = f'<meta http-equiv="Content-Security-Policy" content="{"; ".join(parts)}">\n'
    return html.replace(_HEAD, _HEAD + policy, 1)


def packed(head: Mapping[str, Any], rest: bytes = b"") -> str:
    """Return data as text that a browser unpacks (``packed.js``): compressed by zlib, in base64.

    Four bytes hold the length of the JSON of `head` that follows, and `rest` comes behind it.
    """
    text = json_text(head, ensure_ascii=False, separators=(",", ":")).encode()
    whole = b"".join([len(text).to_bytes(4, "little"), text, rest])
    return base64.b64encode(zlib.compress(whole, 9)).decode("ascii")


def engine(data: Mapping[str, Any]) -> str:
    """Return packed data with the exact engines; `data` has the `layout` of their memory."""
    return packed(data, _file("calculator.wasm"))


@cache
def scripts(modules: Iterable[str]) -> str:
    """Return modules of JavaScript as one text, each of `modules` after those that it imports."""
    texts = (_file(f"{name}.js").decode() for name in modules)
    return "".join(_EXPORT.sub("", _IMPORT.sub("", text)) for text in texts)


def style(name: str) -> str:
    """Return a style sheet of this package."""
    return _file(f"{name}.css").decode()


def _file(name: str) -> bytes:
    return (files("analyser.web") / name).read_bytes()
