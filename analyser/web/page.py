"""The page for the table: one HTML file with the exact engines, which answers while it is used, offline."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from analyser.common.files import write_content
from analyser.common.text import json_text
from analyser.game.army import ArmyUnit
from analyser.game.profiles import Profiles, ProfilesLike, library_of
from analyser.game.units import Loadout
from analyser.scenarios.armies import ArmyLike, load_army
from analyser.web.contents import conditions, contents, notes, unit_entry
from analyser.web.facts import layout
from analyser.web.html import engine, scripts, style, with_policy

SCRIPTS = (
    *("words", "module", "packed", "dom", "edits"),  # of reports, too
    *("state", "view", "workshop", "answers", "conditions", "models", "page"),
)
"""The modules of the page, each after those that it imports."""
_FRAME = 900  # pixels of height in a notebook


@dataclass(frozen=True, repr=False)
class Page:
    """A page that computes its answers where it is opened.

    Attributes
    ----------
    title : str
    html : str
        The whole page: styles, scripts, the compiled engines and the units.
    """

    title: str
    html: str

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page to `path`, whole or not at all, and return the path."""
        target = Path(path)
        write_content(target, self.html)
        return target

    def __repr__(self) -> str:
        return f"<Page {self.title}: shows itself in a notebook; save() writes it>"

    def _repr_html_(self) -> str:
        frame = f'width="100%" height="{_FRAME}" style="border: 0" sandbox="allow-scripts"'
        return f'<iframe title="{escape(self.title)}" {frame} srcdoc="{escape(self.html)}"></iframe>'


def table(mine: ArmyLike, yours: ArmyLike, *, profiles: ProfilesLike | None = None) -> Page:
    """Return a page for a game between two armies: attacks, charges and duels of all their units, exact and live.

    Parameters
    ----------
    mine, yours : path, list or mapping
        Armies, as :func:`analyser.load_army` reads them.
    profiles : Profiles or path, optional
        Where selectors are looked up. Default: the shipped profiles.

    Raises
    ------
    InputError
        An army that cannot be read.

    Examples
    --------
    >>> mine = {"name": "Reds", "unit": ["crown/rifle-platoon@basic"]}
    >>> table(mine, {"name": "Blues", "unit": ["2 x imperium/krupp-field-guns@basic"]})
    <Page Reds against Blues: shows itself in a notebook; save() writes it>
    """
    library = library_of(profiles)
    armies = [load_army(each, library) for each in (mine, yours)]
    names = _told_apart([army.name for army in armies])
    warnings = [f"{name}: {warning}" for name, army in zip(names, armies) for warning in army.warnings]
    sides = [(name, [(_named(unit), unit.loadout) for unit in army]) for name, army in zip(names, armies)]
    return _page("table", " against ".join(names), sides, library, warnings)


def calculator(*, profiles: ProfilesLike | None = None, start: str = "") -> Page:
    """Return a page for any fight between the units of all factions, exact and live.

    Parameters
    ----------
    profiles : Profiles or path, optional
        Whose units. Default: the shipped profiles.

    Examples
    --------
    >>> calculator().title
    'Calculator'
    """
    library = library_of(profiles)
    units = [(loadout.unit.name, loadout) for loadout in library]
    return _page("calculator", "Calculator", [("Attackers", units), ("Targets", units)], library, start=start)


def explore(
    attacker: str = "crown/rifle-platoon@reinforced",
    target: str = "imperium/scion-grenadier-platoon@reinforced",
    *,
    profiles: ProfilesLike | None = None,
) -> Page:
    """Return the calculator, opened at an attack; as the last line of a cell it shows itself in a frame.

    Parameters
    ----------
    attacker, target : str
        The selectors to start with.
    profiles : Profiles or path, optional
        Whose units. Default: the shipped profiles.

    Raises
    ------
    InputError
        A selector that fits nothing.
    """
    library = library_of(profiles)
    selectors = [loadout.selector for loadout in library]
    places = (selectors.index(library.loadout(each).selector) for each in (attacker, target))
    return calculator(profiles=library, start="attacker=0.{}&target=1.{}".format(*places))


def _named(unit: ArmyUnit) -> str:
    """The name of a unit of an army, without the level that stands beside it."""
    name, number, count = unit.title.partition(" #")
    return f"{name.removesuffix(f', {unit.loadout.level_name}')}{number}{count}"


def _told_apart(names: Sequence[str]) -> list[str]:
    """Names of two armies; numbered if they are the same."""
    return list(names) if len(set(names)) == len(names) else [f"{name} {place}" for place, name in enumerate(names, 1)]


def _page(
    kind: str,
    title: str,
    sides: Sequence[tuple[str, Sequence[tuple[str, Loadout]]]],
    library: Profiles,
    warnings: Iterable[str] = (),
    start: str = "",
) -> Page:
    """A page of two sides: the name of each, and its units with their names."""
    entries = dict[str, dict[str, Any]]()
    placed = [(name, [_placed(unit, entries) for unit in units]) for name, units in sides]
    result = layout(library.ruleset)
    data = contents() | {
        "kind": kind,
        "title": title,
        "start": start,
        "layout": result,
        "conditions": conditions(result),
        "notes": notes(library.used.said, warnings),
        "units": list(entries.values()),
        "sides": [{"name": name, "units": units} for name, units in placed],
    }
    data["id"] = hashlib.sha256(json_text(data).encode()).hexdigest()[:12]
    return Page(title, _html(title, engine(data)))


def _placed(unit: tuple[str, Loadout], entries: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """A unit of a side by its place among the `entries`, where equal units stand once."""
    entry = unit_entry(unit[1])
    text = json_text(entry)
    entries.setdefault(text, entry)
    return {"unit": list(entries).index(text), "name": unit[0]}


def _html(title: str, data: str) -> str:
    """The page as one file."""
    environment = Environment(loader=PackageLoader("analyser.web", "."), autoescape=True, undefined=StrictUndefined)
    parts = {"script": Markup(scripts(SCRIPTS)), "style": Markup(style("base") + style("page")), "data": data}
    return with_policy(environment.get_template("page.html.jinja").render(title=title, **parts))
