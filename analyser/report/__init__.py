"""Batch reports: a folder of tables and a page."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from analyser.report.batch import write_report as write_report
    from analyser.report.site import write_site as write_site

_PLACES = {"write_report": "batch", "write_site": "site"}
__all__ = list(_PLACES)


def __getattr__(name: str) -> Any:
    """Import the writers of reports on first use; a diff does not need them."""
    if name not in _PLACES:
        raise AttributeError(f"module 'analyser.report' has no attribute {name!r}")
    return getattr(importlib.import_module(f"analyser.report.{_PLACES[name]}"), name)
