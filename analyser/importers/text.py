"""An import as text for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyser.tables import counted

if TYPE_CHECKING:
    from analyser.importers.battlescribe import ImportReport


def import_text(report: ImportReport) -> str:
    """The warnings of an import, file by file and unit by unit, then what was made of it."""
    lines: list[str] = []
    file = None
    for warning in report.warnings:
        if warning.file != file:
            file = warning.file
            lines.append(f"{file}:")
        unit = f"{warning.unit}: " if warning.unit else ""
        lines.append(f"  {unit}{warning.value!r}: {warning.doubt}")
    lines += ([""] if lines else []) + [_import_summary(report)]
    return "\n".join(lines) + "\n"


def _import_summary(report: ImportReport) -> str:
    counts = ", ".join(
        (
            counted(len(report.factions), "faction"),
            counted(report.n_units, "unit"),
            counted(report.n_levels, "reinforcement level"),
            counted(report.n_rows, "row"),
            counted(len(report.warnings), "warning"),
        )
    )
    return f"{counts}; written: {', '.join(map(str, report.written)) or 'nothing'}"
