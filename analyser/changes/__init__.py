"""What changed between two sets of profiles, or two reports, and what it did to every matchup."""

from __future__ import annotations

from analyser.changes.diff import Diff, diff

__all__ = ["Diff", "diff"]
