"""The Content-Security-Policy of pages: their own scripts and styles by hash, pictures within them, nothing else."""

from __future__ import annotations

import base64
import hashlib
import re
from typing import Any

from jinja2 import Template

_HEAD = '<meta charset="utf-8">\n'
_INLINE = re.compile(r"<(script|style)>(.*?)</\1>", re.DOTALL)


def with_policy(html: str) -> str:
    r"""Return a page with its Content-Security-Policy as the second line of its head; other text as it is.

    Allowed are the scripts and styles of the page, each by its SHA-256, and pictures that it holds. Attributes such as
    ``style="..."`` and ``onclick="..."`` have no effect under it.

    >>> with_policy('<meta charset="utf-8">\n<style>b {}</style>').splitlines()[1][:76]
    '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; img-'
    """
    hashes: dict[str, dict[str, None]] = {"script": {}, "style": {}}
    for kind, text in _INLINE.findall(html):
        digest = base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
        hashes[kind][f"'sha256-{digest}'"] = None
    parts = ["default-src 'none'", "img-src data:", "base-uri 'none'", "form-action 'none'"]
    parts += [f"{kind}-src {' '.join(allowed)}" for kind, allowed in hashes.items() if allowed]
    policy = f'<meta http-equiv="Content-Security-Policy" content="{"; ".join(parts)}">\n'
    return html.replace(_HEAD, _HEAD + policy, 1)


class Page(Template):
    """A template whose page has its policy."""

    def render(self, *args: Any, **shown: Any) -> str:
        """Return the page with its policy; parameters as of Jinja's."""
        return with_policy(super().render(*args, **shown))
