"""Builder of element trees from untrusted files, with limits on depth and size."""

from __future__ import annotations

from typing import Any
from xml.etree.ElementTree import TreeBuilder

from analyser.common.errors import InputError

MOST_ELEMENTS = 1_000_000
DEEPEST = 100  # nested elements; real files stay below 20


class BoundedBuilder(TreeBuilder):
    """A tree builder that raises InputError for elements nested too deep, or too many."""

    depth = count = 0

    def start(self, tag: Any, attrs: Any) -> Any:
        """Open an element."""
        self.depth += 1
        self.count += 1
        if self.depth > DEEPEST:
            raise InputError("elements nested too deep", allowed=f"up to {DEEPEST} levels")
        if self.count > MOST_ELEMENTS:
            raise InputError("too many elements", allowed=f"up to {MOST_ELEMENTS}")
        return super().start(tag, attrs)

    def end(self, tag: Any) -> Any:
        """Close an element."""
        self.depth -= 1
        return super().end(tag)
