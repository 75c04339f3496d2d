"""Sliders and menus for one attack, in a notebook or as a small web page: tables and pictures follow at once.

Pictures are images and tables are HTML, so that no kernel output has to be caught: the same page works in a notebook,
under Voila, and in a test without a browser.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any, cast

from analyser.analysis.compare import compare
from analyser.analysis.comparison import Comparison
from analyser.analysis.figures import subject_of
from analyser.analysis.funnel import dice_funnel
from analyser.common.errors import InputError
from analyser.common.text import counted
from analyser.game.profiles import Profiles, ProfilesLike, library_of
from analyser.game.units import Loadout, Unit
from analyser.plots import distribution, funnel
from analyser.plots.look import Picture

BEST_ROW = "best row"
WIDTH_OF_A_MENU = "27em"  # the longest names of the shipped units
FARTHEST = 48  # inches: beyond the longest range of the shipped units, 40
ATTACK_CONDITIONS: Mapping[str, str] = {
    "aiming": "attacker has aimed",
    "ammo_supply": "Ammo Supply near",
    "suppressed": "attacker suppressed",
    "concealed": "target concealed",
    "reforming": "attacker reforming",
}
TARGET_CONDITIONS: Mapping[str, str] = {
    "taking_cover": "target takes cover",
    "garrisoned": "target in a building",
    "from_front": "attacked from its front",
    "suppressed": "target suppressed already",
    "disordered": "target disordered",
    "near_commander": "commander near it",
}


def explore(
    attacker: str = "crown/rifle-platoon@reinforced",
    target: str = "imperium/scion-grenadier-platoon@reinforced",
    *,
    profiles: ProfilesLike | None = None,
) -> Explorer:
    """Menus and sliders for one attack: pick units, row and conditions, and see what it does.

    As the last line of a cell the page shows itself.

    Parameters
    ----------
    attacker, target : str
        The selectors to start with.
    profiles : Profiles or path, optional

    Raises
    ------
    InputError
        A selector that fits nothing; or ipywidgets is not installed.

    Examples
    --------
    >>> page = explore("crown/rifle-platoon@basic", "imperium/krupp@basic")
    >>> page.controls["distance"].value = 6
    >>> print(page.heading)
    crown/rifle-platoon@basic on imperium/krupp-field-guns@basic at 6": ranged-light, 5 dice, neutral rating
    """
    library = library_of(profiles)
    return Explorer(library, library.loadout(attacker), library.loadout(target))


class Explorer:
    """The page of :func:`explore`.

    Attributes
    ----------
    controls : mapping of str to widget
        By name: `attacker_faction`, `attacker_unit`, `attacker_level`, the same of the target, `row`, `distance`, and
        a box to tick for each condition. Setting the ``value`` of one is what a hand on the page does.
    heading : str
        What is shown, in a line; or why the attack cannot be made.
    table : str
        The comparison of the attacker's levels, as HTML; empty where the attack cannot be made.
    """

    def __init__(self, library: Profiles, attacker: Loadout, target: Loadout) -> None:
        widgets = _widgets()
        self._library, self._busy = library, False
        look: dict[str, Any] = {"step": 0.5, "description": "distance", "continuous_update": False}
        shooter = self._menus("attacker", attacker) | {
            "row": _menu(_rows(attacker.unit), BEST_ROW, "row"),
            "distance": widgets.FloatSlider(value=10, min=0, max=FARTHEST, **look),
        }
        parts = shooter, self._menus("target", target), *map(_boxes, (ATTACK_CONDITIONS, TARGET_CONDITIONS))
        named = zip(("", "", "attacker_", "target_"), parts)
        self.controls: dict[str, Any] = {
            f"{side}{name}" if name == "suppressed" else name: control
            for side, part in named
            for name, control in part.items()
        }
        *_, self._attack_boxes, self._target_boxes = parts
        self._heading, self._table = widgets.HTML(), widgets.HTML()
        self._bars, self._funnel = widgets.Image(format="png"), widgets.Image(format="png")
        narrow_pages_too = widgets.Layout(flex_flow="row wrap", grid_gap="0 2em")
        menus = widgets.HBox([widgets.VBox(list(part.values())) for part in parts], layout=narrow_pages_too)
        pictures = widgets.HBox([self._bars, self._funnel], layout=narrow_pages_too)
        self._page = widgets.VBox([menus, self._heading, self._table, pictures])
        for control in self.controls.values():
            control.observe(self._follow, names="value")
        self._show()

    def _menus(self, side: str, start: Loadout) -> dict[str, Any]:
        """The menus of one side: faction, unit, level."""
        factions = [(each.name, each.id) for each in self._library.factions.values()]
        return {
            f"{side}_faction": _menu(factions, start.faction, side),
            f"{side}_unit": _menu(self._units(start.faction), start.unit.id, "unit"),
            f"{side}_level": _menu(list(start.unit.levels), start.level_name, "level"),
        }

    @property
    def heading(self) -> str:
        """The line above the picture, as plain text."""
        return str(html.unescape(self._heading.value.removeprefix("<b>").removesuffix("</b>")))

    @property
    def table(self) -> str:
        """The table that is shown, as HTML."""
        return str(self._table.value)

    @property
    def pictures(self) -> tuple[bytes, bytes]:
        """The two pictures that are shown, as PNG: the distribution of models destroyed, and where the dice went."""
        return bytes(self._bars.value), bytes(self._funnel.value)

    def __repr__(self) -> str:
        """Return the explorer as text, for where it cannot be shown."""
        return f"Explorer: {self.heading}. Sliders and menus appear where the notebook is run, or under voila."

    def _repr_mimebundle_(self, **options: Any) -> Any:
        shown = self._page._repr_mimebundle_(**options)
        return shown | {"text/plain": repr(self)} if isinstance(shown, dict) else shown

    def _units(self, faction: str) -> list[tuple[str, str]]:
        return [(each.name, each.id) for each in self._library.factions[faction].units]

    def _unit(self, side: str) -> Unit:
        units = self._library.factions[self.controls[f"{side}_faction"].value].units
        return next(each for each in units if each.id == self.controls[f"{side}_unit"].value)

    def _loadout(self, side: str) -> Loadout:
        faction, level = (self.controls[f"{side}_{name}"].value for name in ("faction", "level"))
        return Loadout(faction=faction, unit=self._unit(side), level_name=level)

    def _follow(self, change: Mapping[str, Any]) -> None:
        """Update menus that depend on a changed control, then show everything once."""
        if self._busy:
            return
        self._busy = True
        try:
            for side in ("attacker", "target"):
                faction, unit, level = (self.controls[f"{side}_{name}"] for name in ("faction", "unit", "level"))
                if change["owner"] is faction:
                    unit.options = self._units(faction.value)
                if change["owner"] in (faction, unit):
                    level.options = list(self._unit(side).levels)
                    if side == "attacker":
                        self.controls["row"].options = _rows(self._unit(side))
        finally:
            self._busy = False
        self._show()

    def _show(self) -> None:
        try:
            heading, self._table.value, *pictures = self._shown()
        except InputError as error:
            heading, self._table.value, pictures = f"This attack cannot be made: {error}", "", [b"", b""]
        self._heading.value = f"<b>{html.escape(heading)}</b>"
        for place, picture in zip((self._bars, self._funnel), pictures):
            place.value = picture
            place.layout.display = None if picture else "none"  # a browser shows no picture as a broken one

    def _shown(self) -> tuple[str, str, bytes, bytes]:
        """The heading, the table and the pictures; InputError if the attack cannot be made."""
        attacker, row = self._loadout("attacker"), self.controls["row"].value
        levels = [attacker.at(name) for name in attacker.unit.levels]
        asked = compare(
            [attacker, *(each for each in levels if each != attacker)],
            {"unit": self._loadout("target").selector, **_ticked(self._target_boxes)},
            distance=self.controls["distance"].value,
            row=None if row == BEST_ROW else row,
            profiles=self._library,
            **_ticked(self._attack_boxes),
        )
        found = cast("Comparison", asked)  # of one target
        result = found.results.get(attacker.selector)
        if result is None:
            raise InputError(str(found.frame["why_not"].iloc[0]))
        attack, dice, subject = result.scenario.attack, result.conditions["dice"], subject_of(result.scenario)
        line = f"{subject}: {attack.row}, {counted(dice, 'die', 'dice')}, {attack.rating} rating"
        bars = distribution(result, title=subject)
        stages = funnel(dice_funnel(result.scenario), title=subject)
        bars_png, stages_png = (cast("Picture", axes)._repr_png_() for axes in (bars, stages))
        return line, found._repr_html_(), bars_png, stages_png


def _widgets() -> Any:
    """The widget library, which is in the extra ``notebook``."""
    try:
        import ipywidgets
    except ImportError:
        remedy = "python -m pip install 'analyser[notebook]'"
        raise InputError("ipywidgets is not installed", where="explore", allowed=remedy) from None
    return ipywidgets


def _menu(options: Sequence[Any], chosen: str, text: str) -> Any:
    return _widgets().Dropdown(options=options, value=chosen, description=text, layout={"width": WIDTH_OF_A_MENU})


def _boxes(texts: Mapping[str, str]) -> dict[str, Any]:
    look: dict[str, Any] = {"value": False, "indent": False, "layout": {"width": "auto"}}
    return {name: _widgets().Checkbox(description=text, **look) for name, text in texts.items()}


def _ticked(boxes: Mapping[str, Any]) -> dict[str, Any]:
    return {name: box.value for name, box in boxes.items()}


def _rows(attacker: Unit) -> list[str]:
    return [BEST_ROW, *(row.id for row in attacker.rows if row.kind == "ranged")]
