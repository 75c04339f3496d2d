"""Batch reports: a folder of tables, pictures and a page."""

from __future__ import annotations

from analyser.report.batch import write_report
from analyser.report.site import write_site

__all__ = ["write_report", "write_site"]
