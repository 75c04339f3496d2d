"""The page of a report in a browser: what is read from it, and what is done to it."""

import pytest

bring = pytest.importorskip


def column(table, place):
    """The texts of a column, of the rows that are shown."""
    return table.locator(f"tbody tr:not([hidden]) > :nth-child({place})").all_inner_texts()


def unfolded(page, part):
    """A part of the page that is folded at first."""
    found = page.locator(f"#{part}")
    found.locator("> summary").press("Enter")  # a click can miss it while the page still scrolls to its address
    return found


def show(page, **chosen):
    """Choose what the heatmap shows, by the ends of the names of its controls."""
    for name, value in chosen.items():
        page.locator(f"#heat-{name.replace('_', '-')}").select_option(value)


def heat_cells(page):
    """The texts of the heatmap, row by row with its heading, the last row and column being the means."""
    rows = page.locator("#heat tbody tr")
    return [rows.nth(place).locator("th, td").all_inner_texts() for place in range(rows.count())]
