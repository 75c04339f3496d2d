"""Sliders and menus for one attack, in a notebook or as a small web page: tables and pictures follow at once.

Pictures are images and tables are HTML, so that no kernel output has to be caught: the same page works in a notebook,
under Voila, and in a test without a browser.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from analyser.analysis.compare import compare
from analyser.analysis.figures import subject_of
from analyser.analysis.funnel import dice_funnel
from analyser.common.errors import InputError
from analyser.common.text import counted
from analyser.game.profiles import Profiles, ProfilesLike, library_of
from analyser.game.units import Loadout, Unit
from analyser.plots import funnel, probability_bars
from analyser.plots.look import Picture

if TYPE_CHECKING:
    import ipywidgets
    from matplotlib.axes import Axes

BEST_ROW = "best row"
WIDTH_OF_A_MENU = "27em"  # the longest names of the shipped units
FARTHEST = 48  # inches: beyond the longest range of the shipped units, 40
ATTACK_CONDITIONS: Mapping[str, tuple[str, str]] = {
    "aiming": ("bonuses", "attacker has aimed"),
    "ammo_supply": ("bonuses", "Ammo Supply near"),
    "suppressed": ("penalties", "attacker suppressed"),
    "concealed": ("penalties", "target concealed"),
    "reforming": ("penalties", "attacker reforming"),
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

    Parameters
    ----------
    attacker, target : str
        The selectors to start with.
    profiles : Profiles, optional

    Returns
    -------
    Explorer
        As the last line of a cell it shows itself.

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


class _Side:
    """The menus of one side: faction, unit, level."""

    def __init__(self, name: str, library: Profiles, start: Loadout) -> None:
        factions = [(each.name, each.id) for each in library.factions.values()]
        self.library = library
        self.faction = _menu(factions, start.faction, name)
        self.unit = _menu(self._units(), start.unit.id, "unit")
        self.level = _menu(list(start.unit.levels), start.level_name, "level")
        self.faction.observe(self._new_faction, names="value")
        self.unit.observe(self._new_unit, names="value")

    @property
    def menus(self) -> list[Any]:
        return [self.faction, self.unit, self.level]

    @property
    def loadout(self) -> Loadout:
        return Loadout(faction=self.faction.value, unit=self._chosen(), level_name=self.level.value)

    def _units(self) -> list[tuple[str, str]]:
        return [(each.name, each.id) for each in self.library.factions[self.faction.value].units]

    def _chosen(self) -> Unit:
        units = self.library.factions[self.faction.value].units
        return next((each for each in units if each.id == self.unit.value), units[0])

    def _new_faction(self, _: Any) -> None:
        self.unit.options = self._units()

    def _new_unit(self, _: Any) -> None:
        self.level.options = list(self._chosen().levels)


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
        self._library = library
        self._attacker, self._target = _Side("attacker", library, attacker), _Side("target", library, target)
        self._row = _menu(_rows(attacker), BEST_ROW, "row")
        self._distance = widgets.FloatSlider(
            value=10, min=0, max=FARTHEST, step=0.5, description="distance", continuous_update=False
        )
        self._attack_boxes = {name: _box(text) for name, (_, text) in ATTACK_CONDITIONS.items()}
        self._target_boxes = {name: _box(text) for name, text in TARGET_CONDITIONS.items()}
        self._heading, self._table = widgets.HTML(), widgets.HTML()
        self._bars, self._funnel = widgets.Image(format="png"), widgets.Image(format="png")
        self._busy = False
        self._page = self._laid_out()
        for control in self.controls.values():
            control.observe(self._follow, names="value")
        self._show()

    @property
    def controls(self) -> dict[str, Any]:
        """Every control by its name."""
        found: dict[str, Any] = {}
        for side, menus in (("attacker", self._attacker.menus), ("target", self._target.menus)):
            found |= {f"{side}_{name}": menu for name, menu in zip(("faction", "unit", "level"), menus)}
        found |= {"row": self._row, "distance": self._distance}
        for name, box in self._attack_boxes.items():
            found["attacker_suppressed" if name == "suppressed" else name] = box
        for name, box in self._target_boxes.items():
            found["target_suppressed" if name == "suppressed" else name] = box
        return found

    @property
    def heading(self) -> str:
        """What is shown, in a line."""
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
        """What it shows, for those who cannot see it."""
        return f"Explorer: {self.heading}. Sliders and menus appear where the notebook is run, or under voila."

    def _repr_mimebundle_(self, **options: Any) -> Any:
        shown = self._page._repr_mimebundle_(**options)
        return shown | {"text/plain": repr(self)} if isinstance(shown, dict) else shown

    def _laid_out(self) -> ipywidgets.VBox:
        widgets = _widgets()
        shooter = widgets.VBox([*self._attacker.menus, self._row, self._distance])
        boxes = [widgets.VBox(list(each.values())) for each in (self._attack_boxes, self._target_boxes)]
        narrow_pages_too = widgets.Layout(flex_flow="row wrap", grid_gap="0 2em")
        menus = widgets.HBox([shooter, widgets.VBox(self._target.menus), *boxes], layout=narrow_pages_too)
        pictures = widgets.HBox([self._bars, self._funnel], layout=narrow_pages_too)
        return widgets.VBox([menus, self._heading, self._table, pictures])

    def _follow(self, change: Mapping[str, Any]) -> None:
        """One control has changed; menus that depend on it change too, and all of it is shown once."""
        if self._busy:
            return
        self._busy = True
        try:
            if change["owner"] in (self._attacker.faction, self._attacker.unit):
                self._row.options = _rows(self._attacker.loadout)
        finally:
            self._busy = False
        self._show()

    def _show(self) -> None:
        try:
            self._show_attack()
        except InputError as error:
            self._heading.value = f"<b>This attack cannot be made: {html.escape(str(error))}</b>"
            self._table.value = ""
            self._show_pictures(b"", b"")

    def _show_attack(self) -> None:
        attacker, target = self._attacker.loadout, self._target.loadout
        row = None if self._row.value == BEST_ROW else self._row.value
        state = {name: box.value for name, box in self._target_boxes.items()}
        section = {"unit": target.selector, **state}
        levels = [attacker.model_copy(update={"level_name": name}) for name in attacker.unit.levels]
        found = compare(
            [attacker, *(each for each in levels if each != attacker)],
            section,
            distance=self._distance.value,
            row=row,
            profiles=self._library,
            **self._bonuses_and_penalties(),
        )
        shown = found.results.get(attacker.selector)
        if shown is None:
            raise InputError(str(found.frame["why_not"].iloc[0]))
        attack, dice = shown.scenario.attack, shown.conditions["dice"]
        subject = subject_of(shown.scenario)
        line = f"{subject}: {attack.row}, {counted(dice, 'die', 'dice')}, {attack.rating} rating"
        self._heading.value = f"<b>{html.escape(line)}</b>"
        self._table.value = found._repr_html_()
        bars = probability_bars(shown.to_frame(), heading=subject)
        self._show_pictures(_png(bars), _png(funnel(dice_funnel(shown.scenario), heading=subject)))

    def _show_pictures(self, *drawn: bytes) -> None:
        for place, picture in zip((self._bars, self._funnel), drawn):
            place.value = picture
            place.layout.display = None if picture else "none"  # a browser shows no picture as a broken one

    def _bonuses_and_penalties(self) -> dict[str, Any]:
        found: dict[str, list[str]] = {"bonuses": [], "penalties": []}
        for name, (section, _) in ATTACK_CONDITIONS.items():
            if self._attack_boxes[name].value:
                found[section].append(name)
        return found


def _widgets() -> Any:
    """The widget library, which is in the extra ``notebook``."""
    try:
        import ipywidgets
    except ImportError:
        raise InputError(
            "ipywidgets is not installed", where="explore", allowed="pip install -e '.[notebook]'"
        ) from None
    return ipywidgets


def _menu(options: Sequence[Any], chosen: str, text: str) -> Any:
    return _widgets().Dropdown(options=options, value=chosen, description=text, layout={"width": WIDTH_OF_A_MENU})


def _box(text: str) -> Any:
    return _widgets().Checkbox(value=False, description=text, indent=False, layout={"width": "auto"})


def _rows(attacker: Loadout) -> list[str]:
    return [BEST_ROW, *(row.id for row in attacker.unit.rows if row.kind == "ranged")]


def _png(ax: Axes) -> bytes:
    return cast("Picture", ax)._repr_png_()
