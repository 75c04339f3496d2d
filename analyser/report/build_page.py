"""The page of a build: the lists side by side, what battles say of them, and what is in each."""

from __future__ import annotations

from analyser import __version__
from analyser.analysis.build import Build, proof_text
from analyser.analysis.built_lists import by_battlegroup
from analyser.report.page import templates


def build_page(found: Build) -> str:
    """The page of a build as HTML, which opens offline."""
    order = found.order or range(len(found.lists))
    return (
        templates()
        .get_template("build.html.jinja")
        .render(
            version=__version__,
            found=found,
            ranked=[(found.lists[place], found.played[place] if found.played else None) for place in order],
            by_battlegroup=by_battlegroup,
            proof_text=proof_text,
        )
    )
