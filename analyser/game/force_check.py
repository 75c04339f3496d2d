"""Check of an army against the rules of force building, FB-1 to FB-10.

The rule numbers are this project's own (`docs/armies.md`). FB-1 to FB-4 and FB-10 come from the set-up rules, FB-5 to
FB-9 from the faction's order of battle in its profiles.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

from analyser.common.answer import Answer, Block
from analyser.common.errors import did_you_mean
from analyser.common.text import counted
from analyser.game.army import Army, ArmyUnit
from analyser.game.forces import Battlegroup, Limits
from analyser.game.names import first_names, slug
from analyser.game.profiles import Profiles
from analyser.game.units import Faction

RULES = {
    "FB-1": "the points are within the force scale",
    "FB-2": "the points are within the points limit",
    "FB-3": "units are of the faction's order of battle",
    "FB-4": "every unit is in a battlegroup of a kind that the faction has",
    "FB-5": "a battlegroup is led by a commander, unless its kind has no slot for one",
    "FB-6": "a battlegroup keeps the limits of each slot",
    "FB-7": "a unit is in a battlegroup that allows it, as often as the battlegroup allows",
    "FB-8": "a force keeps the limits of each unit and each kind of battlegroup",
    "FB-9": "a battlegroup has each boon at most as often as allowed, and the units that its boons require",
    "FB-10": "at least half of the units, rounded up, start on the table",
}


class Violation(NamedTuple):
    """A broken rule of force building."""

    rule: str  # number of the rule, such as FB-1
    where: str  # the battlegroup or the unit; empty for the whole army
    problem: str

    @property
    def text(self) -> str:
        """Location and problem."""
        return ": ".join(filter(None, (self.where, self.problem)))

    def __str__(self) -> str:
        return f"{self.rule} ({RULES[self.rule]}): {self.text}"


@dataclass(frozen=True, repr=False)
class ForceCheck(Answer):
    """The rules of force building that an army breaks, and those that could not be checked.

    Examples
    --------
    >>> from analyser import check_army
    >>> check = check_army(["crown/rifle-platoon@basic"])
    >>> print(check.broken[0])
    FB-1 (the points are within the force scale): 35 points at the scale skirmish (allowed: 500 to 1,500)
    """

    army: Army
    broken: tuple[Violation, ...]
    unchecked: tuple[str, ...]
    kinds_command: str = ""  # the command that lists the allowed contents of the faction's armies

    def __bool__(self) -> bool:
        """Return True if no rule is broken."""
        return not self.broken

    schema = "analyser/force-check/1"

    @property
    def headline(self) -> str:
        rules = len({violation.rule for violation in self.broken})
        checked = ", as far as checked" if self.unchecked and not rules else ""
        return f"{self.army.name} breaks {counted(rules, 'rule') if rules else 'no rule'} of force building{checked}."

    @property
    def summary(self) -> dict[str, Any]:
        return {
            "points": self.army.points,
            "units": len(self.army),
            "broken_rules": len({violation.rule for violation in self.broken}),
        }

    def blocks(self) -> list[Block]:
        """Return a block for each broken rule, with a line for each violation."""
        if not self.broken:
            checked = ", as far as checked" if self.unchecked else ""
            return [Block(f"{self.army.name}: no rule of force building is broken{checked}")]
        by_rule = [(rule, [*group]) for rule, group in groupby(self.broken, lambda violation: violation.rule)]
        blocks = [
            Block(f"{rule}: {RULES[rule]}", lines=[f"  {item.text}" for item in group]) for rule, group in by_rule
        ]
        first = Block(f"{self.army.name}: {counted(len(blocks), 'rule')} of force building broken")
        last = [Block(f"Rules of list building: {self.kinds_command}")] if self.kinds_command else []
        return [first, *blocks, *last]

    def notes(self) -> list[str]:
        warnings = [f"Warning: {warning}" for warning in self.army.warnings]
        return [*warnings, *(f"Not checked: {rule}" for rule in self.unchecked)]

    def _body(self) -> dict[str, Any]:
        broken = [violation._asdict() | {"says": RULES[violation.rule]} for violation in self.broken]
        return {"army": self.army.name, "passed": bool(self), "broken": broken, "unchecked": list(self.unchecked)}

    def rows(self) -> list[dict[str, Any]]:
        return [violation._asdict() for violation in self.broken]


def check_force(army: Army, library: Profiles) -> ForceCheck:
    """Check an army against the rules of force building and its faction's order of battle."""
    faction = library.factions.get(army.faction)
    broken = [*_set_up(army, library)]
    unchecked = []
    if faction is None:
        unchecked.append(f"FB-4 to FB-9: the profiles have no faction {army.faction!r}")
    else:
        broken += [*_battlegroups(army, faction, library.force_rules.led_by), *_force(army, faction)]
        broken += _boons(army, faction)
        slots = [slot for kind in faction.battlegroups if (slot := kind.slots.get(library.force_rules.led_by))]
        if not any(slot.least for slot in slots):
            unchecked.append("FB-5: the profiles require no commander; import the .gst file with the faction, too")
        unlisted = [unit.name for unit in army if unit.selector is None]
        unchecked += [f"FB-7 and FB-8 for {name}: not among the profiles" for name in unlisted]
    without_points = [unit.name for unit in army if unit.points is None]
    unchecked += [f"the points of {name}: unknown" for name in without_points]
    by_rule = tuple(sorted(broken, key=lambda violation: int(violation.rule[3:])))
    return ForceCheck(army, by_rule, tuple(unchecked), library.command("army kinds", [faction] if faction else []))


def _set_up(army: Army, library: Profiles) -> Iterator[Violation]:
    """Yield the violations of FB-1 to FB-3 and FB-10."""
    scale, points = library.force_rules.scales.get(army.scale), army.points
    if scale is not None and not scale.least_points <= points <= scale.most_points:
        allowed = f"{scale.least_points:,} to {scale.most_points:,}"
        yield Violation("FB-1", "", f"{points:,} points at the scale {army.scale} (allowed: {allowed})")
    if army.points_limit is not None and points > army.points_limit:
        yield Violation("FB-2", "", f"{points:,} points (allowed: up to {army.points_limit:,})")
    for unit in army:
        if unit.selector is not None and unit.loadout.faction != army.faction:
            yield Violation("FB-3", unit.name, f"a unit of {unit.loadout.faction} in an army of {army.faction}")
    on_table = sum(not unit.reserve for unit in army)
    least = library.force_rules.on_table(len(army))
    if on_table < least:
        units = counted(len(army), "unit")
        yield Violation("FB-10", "", f"{on_table} of {units} on the table (allowed: {least} or more)")


def _battlegroups(army: Army, faction: Faction, led_by: str) -> Iterator[Violation]:
    names = [unit.name for unit in army if unit.battlegroup is None]
    if names:
        yield Violation("FB-4", "", f"in no battlegroup: {first_names(names)}")
    kinds = {battlegroup.id: battlegroup for battlegroup in faction.battlegroups}
    for name, kind in army.battlegroups.items():
        units = [unit for unit in army if unit.battlegroup == name]
        if kind in kinds:
            yield from _battlegroup(name, kinds[kind], units, led_by)
        else:
            allowed = ", ".join(kinds) or "none"
            problem = f"{kind!r} is not a kind of battlegroup of {faction.name}"
            known = [other for other, its_kind in army.battlegroups.items() if its_kind in kinds and kind == name]
            meant = did_you_mean(kind, (*known, *kinds, *(battlegroup.name for battlegroup in kinds.values())))
            yield Violation("FB-4", name, f"{problem}{meant} (allowed: {allowed})")


def _battlegroup(name: str, kind: Battlegroup, units: list[ArmyUnit], led_by: str) -> Iterator[Violation]:
    """Yield the violations of FB-5 to FB-7 in a battlegroup; `led_by` is the slot of its commander."""
    memberships = [(unit, unit.loadout.unit.battlegroups.get(kind.id)) for unit in units if unit.selector is not None]
    for unit, membership in memberships:
        if membership is None:
            yield Violation("FB-7", name, f"{unit.name} is not allowed in {kind.name}")
    in_slots = Counter(slot for _, membership in memberships if membership is not None for slot in membership.slots)
    for slot, limits in kind.slots.items():
        if not limits.allow(in_slots[slot]):
            rule = "FB-5" if slot == led_by else "FB-6"
            yield Violation(rule, name, f"{in_slots[slot]} of {limits.name} {_allowed(limits)}")
    members = [(unit.loadout.unit, membership) for unit, membership in memberships if membership is not None]
    counts = Counter(unit.id for unit, _ in members)
    for unit_id, (unit_name, allowed) in {unit.id: (unit.name, membership) for unit, membership in members}.items():
        if not allowed.allow(counts[unit_id]):
            yield Violation("FB-7", name, f"{counts[unit_id]} of {unit_name} {_allowed(allowed)}")


def _force(army: Army, faction: Faction) -> Iterator[Violation]:
    counts = Counter(unit.loadout.unit.id for unit in army if unit.selector is not None)
    for unit in faction.units:
        if not unit.in_force.allow(counts[unit.id]):
            yield Violation("FB-8", "", f"{counts[unit.id]} of {unit.name} {_allowed(unit.in_force)}")
    kinds = Counter(army.battlegroups.values())
    for battlegroup in faction.battlegroups:
        if not battlegroup.allow(kinds[battlegroup.id]):
            yield Violation("FB-8", "", f"{kinds[battlegroup.id]} of {battlegroup.name} {_allowed(battlegroup)}")


def _boons(army: Army, faction: Faction) -> Iterator[Violation]:
    for name in dict.fromkeys((*army.battlegroups, *(boon.battlegroup for boon in army.boons))):
        counts = Counter(boon.boon.id for boon in army.boons if boon.battlegroup == name)
        units = [unit for unit in army if unit.battlegroup == name]
        properties = {item for unit in units for item in _properties_of(unit, army.battlegroups.get(name or "", ""))}
        for boon in faction.boons:
            number = counts[boon.id]
            # a mandatory boon that costs nothing counts as present even if the list omits it
            if not boon.allow(number) and (number or (boon.least and boon.points)):
                yield Violation("FB-9", name or "", f"{number} of {boon.name} {_allowed(boon)}")
            missing = [need for need in boon.needs if need not in properties]
            if number and missing:
                yield Violation("FB-9", name or "", f"{boon.name} needs a unit of {', '.join(missing)}")


def _properties_of(unit: ArmyUnit, kind: str) -> Iterator[str]:
    """Yield the properties of a unit that a boon can require: slots in a kind of battlegroup, type and traits."""
    profile = unit.loadout.unit
    membership = profile.battlegroups.get(kind)
    yield from membership.slots if membership is not None else ()
    yield from (slug(trait) for trait in (profile.type, *profile.traits))


def _allowed(limits: Limits) -> str:
    return f"({'needs' if limits.least == limits.most else 'allowed:'} {limits.limits_in_words})"
