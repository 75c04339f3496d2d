"""Common parts of HTML pages: joined scripts, packed data, and a Content-Security-Policy."""

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

ENGINE = "engine"  # id of the element with packed data and the WebAssembly module
_HEAD = '<meta charset="utf-8">\n'
_INLINE = re.compile(r"<(script|style)>(.*?)</\1>", re.DOTALL)
_IMPORT = re.compile(r"^import .*?;\n", re.MULTILINE | re.DOTALL)
_EXPORT = re.compile(r"^export (?=async |function |class |const )", re.MULTILINE)


def with_security_policy(html: str) -> str:
    r"""Return a page with its Content-Security-Policy as the second line of its head.

    The policy allows the page's own scripts and styles (no attributes ``style`` or ``onclick``), embedded images and,
    if the page has the module, WebAssembly and workers.

    >>> with_security_policy('<meta charset="utf-8">\n<style>b {}</style>').splitlines()[1][:76]
    '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; img-'
    """
    hashes: dict[str, dict[str, None]] = {"script": {}, "style": {}}
    for kind, text in _INLINE.findall(html):
        digest = base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
        hashes[kind][f"'sha256-{digest}'"] = None
    if f'id="{ENGINE}"' in html:
        hashes["script"]["'wasm-unsafe-eval'"] = None
        hashes["worker"] = {"blob:": None}
    parts = ["default-src 'none'", "img-src data:", "base-uri 'none'", "form-action 'none'"]
    parts += [f"{kind}-src {' '.join(allowed)}" for kind, allowed in hashes.items() if allowed]
    policy = f'<meta http-equiv="Content-Security-Policy" content="{"; ".join(parts)}">\n'
    return html.replace(_HEAD, _HEAD + policy, 1)


def pack_data(head: Mapping[str, Any], rest: bytes = b"") -> str:
    """Return `head` (as JSON) and `rest`, compressed, as one base64 text, which ``packed.js`` reads."""
    text = json_text(head, ensure_ascii=False, separators=(",", ":")).encode()
    whole = b"".join([len(text).to_bytes(4, "little"), text, rest])
    return base64.b64encode(zlib.compress(whole, 9)).decode("ascii")


def pack_engine(data: Mapping[str, Any]) -> str:
    """Return the WebAssembly module and `data`, which includes the memory `layout`, as packed text."""
    return pack_data(data, _file_bytes("calculator.wasm"))


@cache
def scripts(modules: Iterable[str]) -> str:
    """Return JavaScript modules joined into one text, each after the modules that it imports."""
    texts = (_file_bytes(f"{name}.js").decode() for name in modules)
    return "".join(_EXPORT.sub("", _IMPORT.sub("", text)) for text in texts)


def style(name: str) -> str:
    """Return a style sheet of this package."""
    return _file_bytes(f"{name}.css").decode()


def _file_bytes(name: str) -> bytes:
    return (files("analyser.web") / name).read_bytes()
