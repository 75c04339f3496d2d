"""What the profiles carry that no figure is computed from: named, never dropped in silence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from analyser.glossary import CLOSE_QUARTERS, DUEL, QUALITIES, RANGED_ATTACK, SPECIAL_RULES, Term
from analyser.resolve import names
from analyser.situations import Situation
from analyser.units import Loadout

_FIGHTS = {"ranged": RANGED_ATTACK, "charge": CLOSE_QUARTERS, "duel": DUEL}
"""The kind of fight, as the glossary calls it, by the kind of a situation."""


class NotModelled(NamedTuple):
    """A quality or special rule on the profiles that no figure is computed from."""

    name: str
    touches: str
    units: tuple[str, ...]


def not_modelled(
    attackers: Iterable[Loadout], defenders: Iterable[Loadout], situations: Iterable[Situation]
) -> tuple[NotModelled, ...]:
    """What the profiles of both sides carry that no figure of these situations is computed from, by name."""
    fights = {_FIGHTS[each.kind] for each in situations}
    attacking = {(each.faction, each.unit.id): each.unit for each in attackers}
    everybody = attacking | {(each.faction, each.unit.id): each.unit for each in defenders}
    written = [
        (unit.name, quality, QUALITIES)
        for unit in attacking.values()
        for row in unit.rows
        if row.kind == "ranged" or fights != {RANGED_ATTACK}
        for quality in row.qualities
    ]
    written += [(unit.name, rule, SPECIAL_RULES) for unit in everybody.values() for rule in unit.rules]
    return _gaps(written, fights)


def _gaps(written: Iterable[tuple[str, str, Mapping[str, Term]]], fights: set[str]) -> tuple[NotModelled, ...]:
    found: dict[str, dict[str, None]] = {}
    touches: dict[str, str] = {}
    for unit, text, table in written:
        (named,) = names((text,), table)
        term = table.get(named.name)
        if term is None or not any(term.counts_in(fight) for fight in fights):
            touches[named.name] = "not known to this program" if term is None else term.touches
            found.setdefault(named.name, {})[unit] = None
    return tuple(NotModelled(name, touches[name], tuple(found[name])) for name in sorted(found))
