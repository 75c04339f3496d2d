"""What the tests of Mordheim share: a question's answer beside the plain reading of the rules."""

from fractions import Fraction

from analyser import morale
from tests.oracle import plain_mordheim
from tests.oracle.morale_checks import rows

TOLERANCE = 1e-12


def differences(question):
    """Every figure that program and reading tell differently; a row that one of them leaves out is all zeros."""
    result = morale.exact("mordheim", question)
    read = plain_mordheim.tables(question)
    found = [f"table {name}: the program alone has it" for name in result.weighed.keys() - read.keys()]
    for name, expected in read.items():
        keys = list(result.weighed[name].keys) if name in result.weighed else []
        told = rows(result, name) if keys else {}
        theirs = {tuple(map(plain, key)): values for key, values in told.items()}
        ours = {tuple(plain(row[key]) for key in keys): row for row in expected}
        for key in {**theirs, **ours}:
            figures = theirs.get(key, {})
            for column in figures or ours[key].keys() - set(keys):
                mine = ours.get(key, {}).get(column, 0 if key not in ours else None)
                here = figures.get(column, 0.0)
                if mine is None or abs(here - float(mine)) > TOLERANCE:
                    found.append(f"{name} {key} {column}: program {here}, reading {mine}")
    return found


def plain(value):
    """A key as it is compared: numbers as floating-point ones."""
    return float(value) if isinstance(value, Fraction | int) else value
