"""What stands in a cell of a data file."""

import pytest

from analyser.importers import cells
from analyser.importers.unit_reader import unused_id

READ = [
    (cells.slug, "Ranged (Light/Heavy)", "ranged-light-heavy"),
    (cells.slug, "Größte Kanone", "grosste-kanone"),
    (cells.is_none, '–"', True),
    (cells.is_none, None, True),
    (cells.is_none, "0", False),
    (cells.number, '4"', 4),
    (cells.number, "75.0", 75),
    (cells.number, "many", None),
    (cells.inches, '7"/14”', (7, 14)),
    (cells.inches, '-"/14"', (None, 14)),
    (cells.inches, '20"', (None, 20)),
    (cells.inches, "far", None),
    (cells.dice, "10 (15)", (10, 15)),
    (cells.dice, "5", (5, None)),
    (cells.dice, "D6", None),
    (cells.band, "13–18", (13, 18)),
    (cells.band, "1", (1, 1)),
    (cells.band, "Range", None),
    (
        cells.names,
        "Indirect,Torrent, Support (Infantry, Cavalry),",
        ["Indirect", "Torrent", "Support (Infantry, Cavalry)"],
    ),
    (cells.heading, "Ranged (Light/Heavy)", ("ranged", ("light", "heavy"), True)),
    (cells.heading, "Weapons", None),
    (cells.level, "FULL-STRENGTH", ("full-strength", True)),
    (cells.level, "Reinforcd", ("reinforced", False)),
    (cells.level, "Weapons", None),
]


@pytest.mark.parametrize(("read", "text", "value"), READ)
def test_a_cell_is_read(read, text, value):
    assert read(text) == value


def test_an_id_that_is_taken_gets_a_number():
    assert unused_id("melee", ["ranged"]) == "melee"
    assert unused_id("melee", ["melee", "melee-2"]) == "melee-3"
