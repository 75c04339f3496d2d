"""Questions to Grande Tactique, and rows of their answers."""

from analyser import morale
from tests.oracle.morale_checks import rows

EXACTLY = 1e-12


def ask(table, **sections):
    return rows(morale.exact("grande-tactique", sections), table)


def only(table, **sections):
    (row,) = ask(table, **sections).values()
    return row
