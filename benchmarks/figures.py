"""A measured figure with its goal, and tables of them in Markdown."""

from typing import NamedTuple

SECONDS, TIMES, A_SECOND, MEGABYTES = "s", "x", "a second", "MB"
AT_MOST = (SECONDS, MEGABYTES)  # units of which less is better


class Figure(NamedTuple):
    """What was measured, in which unit; `middle` is the middle half of the rounds, `goal` what is wanted."""

    what: str
    value: float
    unit: str = SECONDS
    middle: list[float] | None = None
    goal: float | None = None

    @property
    def reached(self) -> bool:
        if self.goal is None:
            return True
        return self.value <= self.goal if self.unit in AT_MOST else self.value >= self.goal


def figure(what, summary, unit=SECONDS, goal=None):
    """The figure of a summary of rounds (`timing.spread`)."""
    return Figure(what, summary["median"], unit, [summary["quartile_1"], summary["quartile_3"]], goal)


def table(figures):
    """A Markdown table: one line for each figure, numbers to the right."""
    rows = [("", "measured", "middle half of rounds", "goal"), *map(row, figures)]
    widths = [max(len(cells[column]) for cells in rows) for column in range(4)]
    rule = "-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])
    return "\n".join(line(cells, widths) for cells in (rows[0], rule, *rows[1:]))


def row(each):
    middle = f"{amount(each.middle[0], each.unit)} to {amount(each.middle[1], each.unit)}" if each.middle else ""
    if each.goal is None:
        return each.what, amount(each.value, each.unit), middle, ""
    goal = f"at {'most' if each.unit in AT_MOST else 'least'} {amount(each.goal, each.unit)}"
    return each.what, amount(each.value, each.unit), middle, goal + ("" if each.reached else ", NO")


def line(cells, widths):
    first, *others = (
        cell.ljust(width) if not at else cell.rjust(width) for at, (cell, width) in enumerate(zip(cells, widths))
    )
    return f"| {' | '.join([first, *others])} |"


def amount(value, unit):
    """Three figures that count, with the unit, or a smaller one of time."""
    if unit == SECONDS:
        for name, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
            if value >= size:
                return f"{number(value / size)} {name}"
        return f"{number(value / 1e-9)} ns"
    if unit == A_SECOND and value >= 1e6:
        return f"{number(value / 1e6)} million"
    return f"{number(value)} {unit}" if unit in (TIMES, MEGABYTES) else number(value)


def number(value):
    """Three figures that count, without an exponent."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
