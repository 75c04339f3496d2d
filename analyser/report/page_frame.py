"""Render the web pages of this package from templates, with common parts, one stylesheet and one script."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from analyser import __version__
from analyser.analysis.verdict import interval_text
from analyser.common.text import counted, percent
from analyser.game.names import faction_name
from analyser.game.units import unit_of
from analyser.web.html import scripts, style, with_security_policy

SCRIPTS = ("words", "module", "packed", "dom", "edits")
"""JavaScript modules of the calculator that these pages also use."""
_SELECTOR = re.compile(r"[a-z0-9-]+/[a-z0-9-]+@[a-z0-9-]+")
_HEADING = re.compile(
    r'<h2 (?:class="\w+" )?id="(?P<id>[\w-]+)"(?P<script> class="script")? data-nav="(?P<name>[^"]+)">'
)


def page_of(template: str, **values: Any) -> str:
    """Return an HTML page that opens offline, from the name of a template and its values."""
    page = _templates().get_template(f"{template}.html.jinja").render(version=__version__, **values)
    return with_security_policy(page)


def anchor_of(selector: str) -> str:
    """Return the anchor of a unit or loadout on a page."""
    return "unit-" + selector.replace("/", "-")


def fair_text(price: Mapping[Any, Any]) -> str:
    """Return fair points with their interval, or a dash without fair points."""
    if price["fair_points"] != price["fair_points"]:
        return "–"
    return f"{price['fair_points']:.0f} ({interval_text(price['fair_low'], price['fair_high'])})"


def replace_selectors(text: str, names: Mapping[str, str]) -> str:
    """Return a text with the selectors of loadouts replaced by their names.

    >>> replace_selectors("dominated by crown/rifles@basic", {"crown/rifles@basic": "Rifles, basic"})
    'dominated by Rifles, basic'
    """
    return _SELECTOR.sub(lambda match: names.get(match[0], match[0]), text)


def _headings(main: str) -> list[tuple[str, str, bool]]:
    """Return the parts of a page for its navigation: anchor, name, and True if the part needs a script."""
    return [(anchor, name, bool(scripted)) for anchor, scripted, name in _HEADING.findall(main)]


@cache
def _templates() -> Environment:
    """Return the environment of the templates."""
    environment = Environment(
        loader=PackageLoader("analyser.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "tenths": "{:.1f}".format,
        "minus": lambda figure: f"{figure:.0f}".replace("-", "−"),
        "thousands": "{:,}".format,
        "counted": counted,
        "percent": percent,
        "faction": lambda name: faction_name(name.partition("/")[0]),
        "anchor": anchor_of,
        "replace_selectors": replace_selectors,
        "fair": fair_text,
        "unit_of": unit_of,
        "inches": lambda inches: f"{inches:g}″",
        "words": lambda name: name.replace("-", " "),
        "sentence": lambda text: text[:1].upper() + text[1:],
        "headings": _headings,
        "records": lambda frame: frame.to_dict("records"),
        "numeric": ">{}".format,
        "unbroken": lambda text: text.replace(" → ", "\u00a0→\u00a0"),
    }
    environment.globals |= {"scripts": Markup(scripts(SCRIPTS)), "base": Markup(style("base"))}
    environment.globals["parts"] = environment.get_template("parts.html.jinja").module
    return environment
