"""List what an army may contain: force scales, kinds of battlegroup with their slots, and boons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from analyser.common.answer import Answer, Block
from analyser.common.text import aligned, aligned_within, counted, fill
from analyser.game.forces import Battlegroup, Limits, Membership, Slot
from analyser.game.profiles import Profiles, ProfilesUsed, profiles_record
from analyser.game.units import Faction

USUAL_LIMITS = Limits(most=1)  # limits that most units have in a battlegroup; tables leave these limits out
NO_BREAK = "\N{NO-BREAK SPACE}"
IN_NO_SLOT = ""  # key for the units that a battlegroup allows outside all slots
_NO_SLOT = Slot(name="in no slot")


@dataclass(frozen=True, repr=False)
class ForceKinds(Answer):
    """Force scales and, for one faction or all, the kinds of battlegroup, the units in their slots, and the boons.

    Examples
    --------
    >>> from analyser import army_kinds
    >>> kinds = army_kinds("crown")
    >>> [row["slot"] for row in kinds.rows() if row["battlegroup"] == "support"]
    ['boons', 'commander', 'armour', 'field-guns-artillery', 'infantry-cavalry']
    """

    schema = "analyser/force-kinds/1"
    library: Profiles
    factions: tuple[Faction, ...]

    @property
    def profiles(self) -> ProfilesUsed:
        return self.library.used

    @property
    def headline(self) -> str:
        kinds = sum(len(faction.battlegroups) for faction in self.factions)
        names = self.factions[0].name if len(self.factions) == 1 else counted(len(self.factions), "faction")
        return f"Armies of {names} are made of {counted(kinds, 'kind')} of battlegroup."

    @property
    def summary(self) -> dict[str, Any]:
        return {faction.name: len(faction.battlegroups) for faction in self.factions}

    @property
    def tables(self) -> dict[str, Any]:
        return {"slots": self.to_frame()}

    def blocks(self) -> list[Block]:
        """Return force scales and kinds of battlegroup; for a single faction also its slots, and boons with a cost."""
        parts = [self._scales()]
        if len(self.factions) == 1:
            parts += _faction_blocks(self.factions[0], self.library.command("units", self.factions))
        else:
            pairs = [(faction.id, kind) for faction in self.factions for kind in faction.battlegroups]
            kinds = [(faction, kind.id, _name_and_limits(kind)) for faction, kind in pairs]
            parts.append(_table_of_three([("faction", "battlegroup", "called"), *kinds]))
            parts.append(fill("A force may have any number of a kind, unless the table states a limit (FB-8)."))
            parts.append([f"Slots, their units, and boons: {self.library.command('army kinds')} FACTION"])
        return [Block(lines=part) for part in parts]

    def notes(self) -> list[str]:
        return [f"Profiles: {self.profiles}"]

    def _scales(self) -> list[str]:
        lines = [
            [name, f"{size.least_points:,} to {size.most_points:,}", f"{size.hand}", '{}" × {}"'.format(*size.table)]
            for name, size in self.library.force_rules.scales.items()
        ]
        return aligned([["scale", "points", "hand of cards", "table"], *lines], "<<><")

    def _body(self) -> dict[str, Any]:
        scales = {name: scale.model_dump(mode="json") for name, scale in self.library.force_rules.scales.items()}
        return {"scales": scales, "factions": [_record(faction) for faction in self.factions]} | profiles_record(
            self.profiles
        )

    def rows(self) -> list[dict[str, Any]]:
        return [
            {
                "faction": faction["faction"],
                "battlegroup": kind["battlegroup"],
                "called": kind["name"],
                "least_in_force": kind["least"],
                "most_in_force": kind["most"],
                **slot,
                "units": "; ".join(unit["unit"] for unit in slot["units"]),
                "profiles": str(self.profiles),
            }
            for faction in self._body()["factions"]
            for kind in faction["battlegroups"]
            for slot in kind["slots"]
        ]


def _record(faction: Faction) -> dict[str, Any]:
    kinds = [
        {
            "battlegroup": kind.id,
            "name": kind.name,
            **_limits(kind),
            "bonus": kind.bonus,
            "slots": [
                {"slot": slot, "name": limits.name, **_limits(limits)}
                | {"units": [{"unit": name, **_limits(membership)} for name, membership in units.items()]}
                for slot, limits, units in _slots(faction, kind)
            ],
        }
        for kind in faction.battlegroups
    ]
    boons = [
        {"boon": boon.id, "name": boon.name, "points": boon.points, **_limits(boon), "needs": list(boon.needs)}
        for boon in faction.boons
    ]
    return {"faction": faction.id, "name": faction.name, "battlegroups": kinds, "boons": boons}


def _slots(faction: Faction, kind: Battlegroup) -> Iterator[tuple[str, Slot, dict[str, Membership]]]:
    """Yield the slots of a kind of battlegroup, each with its units; a unit can count in several slots."""
    units: dict[str, dict[str, Membership]] = {slot: {} for slot in kind.slots}
    for unit in faction.units:
        if (membership := unit.battlegroups.get(kind.id)) is not None:
            for slot in membership.slots or (IN_NO_SLOT,):
                units.setdefault(slot, {})[unit.id] = membership
    for slot, slot_units in units.items():
        yield slot, kind.slots.get(slot, _NO_SLOT), slot_units


def _limits(limits: Limits) -> dict[str, int | None]:
    return {"least": limits.least, "most": limits.most}


def _faction_blocks(faction: Faction, units_command: str) -> Iterator[list[str]]:
    """Yield the start of an army list, each kind of battlegroup with its slots, and the boons that cost points."""
    if faction.battlegroups:
        first = ["[battlegroups]", f'First = "{faction.battlegroups[0].id}"']
        yield ["Start of an army list written by hand:", "", f'faction = "{faction.id}"', "", *first]
    yield [
        *fill(
            'In each [[unit]] and [[boon]] state battlegroup = "First". A unit may be in a battlegroup once, '
            "or as often as the table states; it counts in every slot that names it."
        ),
        f"Levels of units: {units_command}",
    ]
    for kind in faction.battlegroups:
        bonus = [f"its commander brings {kind.bonus}"] if kind.bonus else []
        summary = "; ".join([f"{kind.id}: {kind.name}", f"{kind.limits_in_words} in a force", *bonus])
        yield [*fill(summary), *_slot_lines(faction, kind)]
    if bought := [boon for boon in faction.boons if boon.points]:
        lines = [[boon.id, f"{boon.points}", boon.limits_in_words, ", ".join(boon.needs) or "-"] for boon in bought]
        yield aligned([["boon", "points", "in a battlegroup", "needs a unit of"], *lines], "<><<")


def _slot_lines(faction: Faction, kind: Battlegroup) -> list[str]:
    """Return a table of slots with their units.

    A slot without limits is left out if each of its units is listed under another slot.
    """
    memberships = (unit.battlegroups.get(kind.id) for unit in faction.units)
    first_slots = {membership.slots[0] for membership in memberships if membership and membership.slots}
    lines = [("  slot", "units", "which")]
    for slot, limits, slot_units in _slots(faction, kind):
        number = limits.limits_in_words
        if number != Limits().limits_in_words or slot in (*first_slots, IN_NO_SLOT):
            units = ", ".join(_unit_and_limits(*pair) for pair in slot_units.items()) or "none"
            lines.append((f"  {slot or limits.name}", number, units))
    return _table_of_three(lines)


def _name_and_limits(kind: Battlegroup) -> str:
    limits = kind.limits_in_words
    return kind.name if limits == Limits().limits_in_words else f"{kind.name} ({limits} in a force)"


def _table_of_three(rows: Sequence[tuple[str, str, str]]) -> list[str]:
    return [line.replace(NO_BREAK, " ") for line in aligned_within(rows, "<", [2])]


def _unit_and_limits(unit: str, membership: Membership) -> str:
    """Return the id of a unit, with its limits if they are unusual; all spaces are no-break spaces."""
    number = membership.limits_in_words
    return unit if number == USUAL_LIMITS.limits_in_words else f"{unit} ({number})".replace(" ", NO_BREAK)
