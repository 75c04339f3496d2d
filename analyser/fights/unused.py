"""What units of a longer fight have and make no use of, though a key of the scenario would let them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from analyser.account import unused
from analyser.fights.combatant import Combatant, rules_called
from analyser.fights.feasible import PolicyName, rows_to_shoot_with, why_not
from analyser.fights.shooter import Shooter
from analyser.fights.strikes import quality_names
from analyser.units import Row


def unused_in_contact(unit: Combatant, rows: Iterable[Row], where: str) -> Iterator[str]:
    """Overcharge of `rows` for close quarters, where the unit is not told to use it; `where` is its section."""
    if not unit.overcharge and any("Overcharge" in quality_names(row) for row in rows if row.kind != "ranged"):
        yield unused("Overcharge", f"{where}.overcharge")


def unused_in_charging(unit: Combatant, where: str) -> Iterator[str]:
    """Overrun of a unit that charges, where it is told to stay; `where` is the section of how it charges."""
    for rule in rules_called(unit.rules or ()):
        if rule.name == "Overrun" and not unit.charge.overrun:
            yield unused(str(rule), f"{where}.overrun")


def unused_in_shooting(shooter: Shooter) -> Iterator[str]:
    """What a duellist would make use of by another policy."""
    names: dict[PolicyName, str] = {"overcharge": "Overcharge", "all_out": "All-Out Attack"}
    written = {rule.name: str(rule) for rule in rules_called(shooter.mine.rules or ())}
    for policy, name in names.items():
        fires_one = policy == "all_out" and len(rows_to_shoot_with(shooter.mine, shooter.theirs, policy)) == 1
        if policy != shooter.policy and not fires_one and why_not(policy, shooter.mine, shooter.theirs) is None:
            yield unused(written.get(name, name), f'duel.policy_{shooter.where} = "{policy}"')
