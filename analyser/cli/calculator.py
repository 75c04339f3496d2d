"""Command that writes the calculator: all exact answers on one page, for a phone."""

from __future__ import annotations

from analyser.cli.options import OUTPUT, PROFILES, QUIET_OPTION, RULESET_OPTIONS, Option, check_is_page
from analyser.cli.shell import command, profiles_in


@command(
    Option("--out FILE", "Page to write (.html).", OUTPUT, required=True),
    *(*RULESET_OPTIONS, PROFILES, QUIET_OPTION),
    examples=("--out calculator.html", "--out mine.html --profiles my-profiles"),
)
def calculator(out: str, profiles: str | None) -> None:
    """Write a page with exact attacks, charges and duels of all units, for a phone, offline."""
    from analyser.web.page import calculator as page_of

    check_is_page(out)
    page_of(profiles=profiles_in(profiles)).save(out)
