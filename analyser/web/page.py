"""Pages for a phone or a notebook: one HTML file with the exact engines, which computes results live and offline."""

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
from analyser.game.army import ArmyUnit, names_apart
from analyser.game.profiles import Profiles, ProfilesLike, library_of
from analyser.game.units import Loadout
from analyser.scenarios.armies import ArmyLike, load_army
from analyser.web.html import pack_engine, scripts, style, with_security_policy
from analyser.web.memory_layout import layout
from analyser.web.page_data import notes, page_data, unit_entry

SCRIPTS = (
    *("words", "module", "packed", "dom", "edits"),  # also used by reports
    *("state", "elements", "conditions", "workshop", "background", "answers", "panels", "page"),
)
"""JavaScript modules of the page, each after the modules that it imports."""
_FRAME = 900  # height in a notebook, pixels


@dataclass(frozen=True, repr=False)
class Page:
    """A page that computes its results in the browser; `html` is the whole page."""

    title: str
    html: str

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page to `path` atomically, and return the path."""
        target = Path(path)
        write_content(target, self.html)
        return target

    def __repr__(self) -> str:
        return f"<Page {self.title}: shows itself in a notebook; save() writes it>"

    def _repr_html_(self) -> str:
        frame = f'width="100%" height="{_FRAME}" style="border: 0" sandbox="allow-scripts"'
        return f'<iframe title="{escape(self.title)}" {frame} srcdoc="{escape(self.html)}"></iframe>'


def table(mine: ArmyLike, yours: ArmyLike, *, profiles: ProfilesLike | None = None) -> Page:
    """Return a page for a game between two armies: exact live results of attacks, charges and duels between them.

    Parameters
    ----------
    mine, yours : path, list or mapping
        Armies, as :func:`analyser.load_army` reads them.
    profiles : Profiles or path, optional
        Profiles in which selectors are looked up. Default: the shipped profiles.

    Examples
    --------
    >>> mine = {"name": "Reds", "unit": ["crown/rifle-platoon@basic"]}
    >>> table(mine, {"name": "Blues", "unit": ["2 x imperium/krupp-field-guns@basic"]})
    <Page Reds against Blues: shows itself in a notebook; save() writes it>
    """
    library = library_of(profiles)
    armies = [load_army(army, library) for army in (mine, yours)]
    names = names_apart(*armies)
    warnings = [f"{name}: {warning}" for name, army in zip(names, armies) for warning in army.warnings]
    sides = [(name, [(_unit_name(unit), unit.loadout) for unit in army]) for name, army in zip(names, armies)]
    return _page("table", " against ".join(names), sides, library, warnings)


def calculator(*, profiles: ProfilesLike | None = None, start: str = "") -> Page:
    """Return a page with exact live results of fights between units of all factions.

    Parameters
    ----------
    profiles : Profiles or path, optional
        Profiles of the units on the page. Default: the shipped profiles.
    start : str
        Units chosen when the page opens, each as side and index, as in the page's links: ``attacker=0.3&target=1.7``.

    Examples
    --------
    >>> calculator().title
    'Calculator'
    """
    library = library_of(profiles)
    return _calculator(library, [list(library), list(library)], start)


def _calculator(library: Profiles, loadouts: Sequence[Sequence[Loadout]], start: str) -> Page:
    units = [[(loadout.unit.name, loadout) for loadout in side] for side in loadouts]
    return _page("calculator", "Calculator", [*zip(("Attackers", "Targets"), units)], library, start=start)


def explore(
    attacker: str | Loadout = "crown/rifle-platoon@reinforced",
    target: str | Loadout = "imperium/scion-grenadier-platoon@reinforced",
    *,
    profiles: ProfilesLike | None = None,
) -> Page:
    """Return the calculator, opened at an attack. A notebook shows it in a frame if it is the last line of a cell.

    Parameters
    ----------
    attacker, target : str or Loadout
        Units to start with. A changed loadout is added to the page.
    profiles : Profiles or path, optional
        Profiles of the units on the page. Default: the shipped profiles.
    """
    library = library_of(profiles)
    sides, indices = [], []
    for selector in (attacker, target):
        loadouts, loadout = list(library), library.loadout(selector)
        if loadout not in loadouts:
            loadout = _changed_loadout(loadout)
            loadouts.append(loadout)
        sides.append(loadouts)
        indices.append(loadouts.index(loadout))
    return _calculator(library, sides, "attacker=0.{}&target=1.{}".format(*indices))


def _changed_loadout(loadout: Loadout) -> Loadout:
    """Return a loadout with an id and a name of its own, because the page shows units that share an id as levels."""
    unit = loadout.unit
    own = unit.model_copy(update={"id": f"{unit.id}-changed", "name": f"{unit.name}, changed"})
    return loadout.model_copy(update={"unit": own})


def _unit_name(unit: ArmyUnit) -> str:
    name, number, count = unit.title.partition(" #")
    return f"{name.removesuffix(f', {unit.loadout.level_name}')}{number}{count}"


def _page(
    kind: str,
    title: str,
    sides: Sequence[tuple[str, Sequence[tuple[str, Loadout]]]],
    library: Profiles,
    warnings: Iterable[str] = (),
    start: str = "",
) -> Page:
    entries = dict[str, dict[str, Any]]()
    indexed = [{"name": name, "units": [_indexed_unit(unit, entries) for unit in units]} for name, units in sides]
    data = page_data() | {
        "kind": kind,
        "title": title,
        "start": start,
        "layout": layout(library.ruleset),
        "notes": notes(library.used.sentences, warnings),
        "units": list(entries.values()),
        "sides": indexed,
    }
    data["id"] = hashlib.sha256(json_text(data).encode()).hexdigest()[:12]
    parts = {"script": Markup(scripts(SCRIPTS)), "style": Markup(style("base") + style("page"))}
    environment = Environment(loader=PackageLoader("analyser.web", "."), autoescape=True, undefined=StrictUndefined)
    html = environment.get_template("page.html.jinja").render(title=title, data=pack_engine(data), **parts)
    return Page(title, with_security_policy(html))


def _indexed_unit(unit: tuple[str, Loadout], entries: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return the name of a unit and its index in `entries`, to which a new unit is added."""
    entry = unit_entry(unit[1])
    text = json_text(entry)
    entries.setdefault(text, entry)
    return {"unit": list(entries).index(text), "name": unit[0]}
