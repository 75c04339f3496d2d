"""Invented catalogues that are imported."""

import pytest

from analyser.game.importers.battlescribe import import_files
from tests.helpers.catalogues import Entry, catalogue


@pytest.fixture
def imported(tmp_path):
    """Import a catalogue's text; the report."""

    def run(text, *more):
        path = tmp_path / "river.cat"
        path.write_text(text, encoding="utf-8")
        return import_files([path, *more])

    return run


@pytest.fixture
def one(imported):
    """Import one invented unit; the unit and what was doubted, as 'value: doubt'."""

    def run(*, tail="", more=(), **changes):
        report = imported(catalogue(Entry(**changes), tail=tail), *more)
        return report.factions[0].units[0], [f"{each.value}: {each.problem}" for each in report.warnings]

    return run
