"""Reports and pages: balance reports (folders with tables and a page), changes between two versions, army cards."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from analyser.report.balance_report import write_report as write_report
    from analyser.report.site import write_site as write_site

_MODULES = {"write_report": "balance_report", "write_site": "site"}
__all__ = list(_MODULES)


def __getattr__(name: str) -> Any:
    """Import a writer of reports on first use, so that importing `analyser.report.diff` does not load it."""
    if name not in _MODULES:
        raise AttributeError(f"module 'analyser.report' has no attribute {name!r}")
    return getattr(importlib.import_module(f"analyser.report.{_MODULES[name]}"), name)
