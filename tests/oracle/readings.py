"""Sets an independent reading's tables beside the program's, number by number; what a law does not name is nought."""

from analyser import morale

VALUES = ("p_", "mean_", "probability")
WITHIN = 1e-12


def numbers(tables):
    """(table, key, column) -> number, of probabilities and means; rows of one key are added up."""
    found = {}
    for name, rows in tables.items():
        for given in rows:
            row = {column: value for column, value in given.items() if not column.endswith("interval")}  # whose it is
            key = tuple((column, cell(value)) for column, value in sorted(row.items()) if not column.startswith(VALUES))
            for column, value in row.items():
                if column.startswith(VALUES):
                    found[name, key, column] = found.get((name, key, column), 0.0) + float(value)
    return found


def cell(value):
    """A key: 2 and 2.0 are one."""
    return value if isinstance(value, str | bool) else round(float(value), 9)


def differences(system, question, reading, skip=()):
    """A line for each number that differs; `skip` tables are not read."""
    answer = morale.exact(system, question).as_dict()["tables"]
    theirs = numbers({name: rows for name, rows in answer.items() if name not in skip})
    ours = numbers(reading(question))
    return [
        f"{where}: {theirs.get(where, 0.0)!r}, the reading says {ours.get(where, 0.0)!r}"
        for where in sorted({*theirs, *ours}, key=str)
        if abs(theirs.get(where, 0.0) - ours.get(where, 0.0)) > WITHIN
    ]


def unlikely(system, question, trials=200_000, seed=7, sigmas=5):
    """A line for each chance that a sample has farther off than so many standard errors."""
    exact, rolled = (
        {where: number for where, number in numbers(each.as_dict()["tables"]).items() if is_chance(where[2])}
        for each in (morale.exact(system, question), morale.simulate(system, question, trials, seed=seed))
    )
    found = []
    for where in {*exact, *rolled}:
        chance, share = exact.get(where, 0.0), rolled.get(where, 0.0)
        error = max(chance * (1 - chance), 1 / trials) / trials
        if abs(chance - share) > sigmas * error**0.5:
            found.append(f"{where}: {chance!r}, rolled {share!r}")
    return found


def is_chance(column):
    """A chance, and not the end of an interval."""
    return column.startswith(("p_", "probability")) and not column.endswith(("_low", "_high"))
