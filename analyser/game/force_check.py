"""Check of an army against the rules of force building, which are named by number.

The numbers are this project's own (`docs/armies.md`). FB-1 to FB-4 and FB-10 come from the set-up rules, FB-5 to FB-9
from the faction's order of battle in its profiles.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

from analyser.common.answer import Answer, Block
from analyser.common.text import counted
from analyser.game.army import Army, ArmyUnit
from analyser.game.army_file import meant_kind, slug_of
from analyser.game.forces import Battlegroup, Limits
from analyser.game.profiles import Profiles
from analyser.game.units import Faction, Unit

RULES = {
    "FB-1": "the points are within the force scale",
    "FB-2": "the points are within the points limit",
    "FB-3": "units are of the faction's order of battle",
    "FB-4": "every unit is in a battlegroup of a kind that the faction has",
    "FB-5": "a battlegroup is led by a commander, unless its kind has no slot for one",
    "FB-6": "a battlegroup keeps the limits of each slot",
    "FB-7": "a unit is in a battlegroup that allows it, within the limits of the battlegroup",
    "FB-8": "a force keeps the limits of each unit and each kind of battlegroup",
    "FB-9": "boons are of the faction, within the limit of the battlegroup, and with their requirements",
    "FB-10": "at least half of the units, rounded up, start on the table",
}


class Broken(NamedTuple):
    """A broken rule."""

    rule: str  # its number
    where: str  # the battlegroup or the unit; empty for the whole army
    problem: str

    @property
    def told(self) -> str:
        """Location and problem."""
        return ": ".join(filter(None, (self.where, self.problem)))

    def __str__(self) -> str:
        return f"{self.rule} ({RULES[self.rule]}): {self.told}"


@dataclass(frozen=True, repr=False)
class ForceCheck(Answer):
    """Rules of force building that an army breaks, and checks that were not possible.

    Examples
    --------
    >>> from analyser import check_army
    >>> check = check_army(["crown/rifle-platoon@basic"])
    >>> print(check.broken[0])
    FB-1 (the points are within the force scale): 35 points at the scale skirmish (allowed: 500 to 1,500)
    """

    army: Army
    broken: tuple[Broken, ...]
    unchecked: tuple[str, ...]
    kinds_by: str = ""  # the command that shows what the faction's lists may hold

    def __bool__(self) -> bool:
        """Return True if no rule is broken."""
        return not self.broken

    schema = "analyser/force-check/1"

    @property
    def headline(self) -> str:
        """The number of broken rules, in one sentence."""
        rules = len({fault.rule for fault in self.broken})
        return f"{self.army.name} breaks {counted(rules, 'rule') if rules else 'no rule'} of force building."

    @property
    def summary(self) -> dict[str, Any]:
        """Points, units and broken rules."""
        return {
            "points": self.army.points,
            "units": len(self.army),
            "broken_rules": len({fault.rule for fault in self.broken}),
        }

    def blocks(self) -> list[Block]:
        """Return each broken rule and where it is broken."""
        if not self.broken:
            return [Block(f"{self.army.name}: no rule of force building is broken")]
        by_rule = groupby(self.broken, lambda fault: fault.rule)
        blocks = [
            Block(f"{rule}: {RULES[rule]}", lines=[f"  {fault.told}" for fault in of_rule]) for rule, of_rule in by_rule
        ]
        first = Block(f"{self.army.name}: {counted(len(blocks), 'rule')} of force building broken")
        return [first, *blocks, *([Block(f"Rules of list building: {self.kinds_by}")] if self.kinds_by else [])]

    def notes(self) -> list[str]:
        """Return the rules that could not be checked."""
        return [f"Not checked: {rule}" for rule in self.unchecked]

    def _body(self) -> dict[str, Any]:
        broken = [fault._asdict() | {"says": RULES[fault.rule]} for fault in self.broken]
        return {"army": self.army.name, "passed": bool(self), "broken": broken, "unchecked": list(self.unchecked)}

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each broken rule."""
        return [fault._asdict() for fault in self.broken]


def checked_force(army: Army, library: Profiles) -> ForceCheck:
    """Check an army against the rules of force building, with its faction's order of battle in a library."""
    faction = library.factions.get(army.faction)
    broken = [*_points(army, library), *_faction(army), *_reserve(army, library)]
    unchecked = []
    if faction is None:
        unchecked.append(f"FB-4 to FB-9: the profiles have no faction {army.faction!r}")
    else:
        broken += [*_battlegroups(army, faction, library.force_rules.led_by), *_force(army, faction)]
        broken += _boons(army, faction)
        own = [unit.name for unit in army if unit.selector is None]
        unchecked += [f"FB-7 and FB-8 for {name}: not among the profiles" for name in own]
    unknown = [unit.name for unit in army if unit.points is None]
    unchecked += [f"the points of {name}: it has none" for name in unknown]
    in_order = tuple(sorted(broken, key=lambda fault: int(fault.rule[3:])))
    return ForceCheck(army, in_order, tuple(unchecked), library.command("army kinds", [faction] if faction else []))


def _points(army: Army, library: Profiles) -> Iterator[Broken]:
    scale, points = library.force_rules.scales.get(army.scale), army.points
    if scale is not None and not scale.least_points <= points <= scale.most_points:
        allowed = f"{scale.least_points:,} to {scale.most_points:,}"
        yield Broken("FB-1", "", f"{points:,} points at the scale {army.scale} (allowed: {allowed})")
    if army.points_limit is not None and points > army.points_limit:
        yield Broken("FB-2", "", f"{points:,} points (allowed: up to {army.points_limit:,})")


def _faction(army: Army) -> Iterator[Broken]:
    for unit in army:
        if unit.selector is not None and unit.loadout.faction != army.faction:
            yield Broken("FB-3", unit.name, f"of {unit.loadout.faction}, and the army is of {army.faction}")


def _reserve(army: Army, library: Profiles) -> Iterator[Broken]:
    on_table = sum(not unit.reserve for unit in army)
    least = library.force_rules.on_table(len(army))
    if on_table < least:
        yield Broken("FB-10", "", f"{on_table} of {counted(len(army), 'unit')} on the table (allowed: {least} or more)")


def _battlegroups(army: Army, faction: Faction, led_by: str) -> Iterator[Broken]:
    """Yield the rules that the battlegroups break."""
    homeless = [unit.name for unit in army if unit.battlegroup is None]
    if homeless:
        yield Broken("FB-4", "", f"{_listed(homeless)} in no battlegroup")
    kinds = {battlegroup.id: battlegroup for battlegroup in faction.battlegroups}
    for name, kind in army.battlegroups.items():
        units = [unit for unit in army if unit.battlegroup == name]
        if kind in kinds:
            yield from _battlegroup(name, kinds[kind], units, led_by)
        else:
            allowed = ", ".join(kinds) or "none"
            problem = f"{kind!r} is not a kind of battlegroup of {faction.name}"
            problem += f"{meant_kind(name, army.battlegroups, faction)} (allowed: {allowed})"
            yield Broken("FB-4", name, problem)


def _battlegroup(name: str, kind: Battlegroup, units: list[ArmyUnit], led_by: str) -> Iterator[Broken]:
    """Yield the rules that a battlegroup breaks; a kind without a slot `led_by` has no commander (FB-5)."""
    places = [(unit, unit.loadout.unit.battlegroups.get(kind.id)) for unit in units if unit.selector is not None]
    for unit, place in places:
        if place is None:
            yield Broken("FB-7", name, f"{unit.name} is not allowed in {kind.name}")
    in_slots = Counter(slot for _, place in places if place is not None for slot in place.slots)
    for slot, limits in kind.slots.items():
        if not limits.allow(in_slots[slot]):
            rule = "FB-5" if slot == led_by else "FB-6"
            yield Broken(rule, name, f"{in_slots[slot]} of {limits.name} {_allowed(limits)}")
    of_each = Counter(unit.loadout.unit.id for unit, place in places if place is not None)
    limits_of = {unit.loadout.unit.id: (unit.loadout.unit.name, place) for unit, place in places if place is not None}
    for unit_id, (unit_name, place) in limits_of.items():
        if not place.allow(of_each[unit_id]):
            yield Broken("FB-7", name, f"{of_each[unit_id]} of {unit_name} {_allowed(place)}")


def _force(army: Army, faction: Faction) -> Iterator[Broken]:
    """Yield the limits on the whole force that an army breaks."""
    of_each = Counter(unit.loadout.unit.id for unit in army if unit.selector is not None)
    listed: Iterable[Unit] = faction.units
    for unit in listed:
        if not unit.in_force.allow(of_each[unit.id]):
            yield Broken("FB-8", "", f"{of_each[unit.id]} of {unit.name} {_allowed(unit.in_force)}")
    kinds = Counter(army.battlegroups.values())
    for battlegroup in faction.battlegroups:
        if not battlegroup.allow(kinds[battlegroup.id]):
            yield Broken("FB-8", "", f"{kinds[battlegroup.id]} of {battlegroup.name} {_allowed(battlegroup)}")


def _boons(army: Army, faction: Faction) -> Iterator[Broken]:
    for name in dict.fromkeys((*army.battlegroups, *(boon.battlegroup for boon in army.boons))):
        taken = Counter(boon.boon.id for boon in army.boons if boon.battlegroup == name)
        units = [unit for unit in army if unit.battlegroup == name]
        there = {kind for unit in units for kind in _kinds_of(unit, army.battlegroups.get(name or "", ""))}
        for boon in faction.boons:
            number = taken[boon.id]
            # a free boon that is mandatory counts as present even if the list omits it
            if not boon.allow(number) and (number or (boon.least and boon.points)):
                yield Broken("FB-9", name or "", f"{number} of {boon.name} {_allowed(boon)}")
            missing = [need for need in boon.needs if need not in there]
            if number and missing:
                yield Broken("FB-9", name or "", f"{boon.name} needs a unit of {', '.join(missing)}")


def _kinds_of(unit: ArmyUnit, battlegroup: str) -> Iterator[str]:
    """Yield the kinds of a unit: its slots in a kind of battlegroup, its type, its traits."""
    own = unit.loadout.unit
    place = own.battlegroups.get(battlegroup)
    yield from place.slots if place is not None else ()
    yield from (slug_of(trait) for trait in (own.type, *own.traits))


def _allowed(limits: Limits) -> str:
    return f"({'needs' if limits.least == limits.most else 'allowed:'} {limits.told})"


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return f"{', '.join(names[:5])}{more}: {'it is' if len(names) == 1 else 'they are'}"
