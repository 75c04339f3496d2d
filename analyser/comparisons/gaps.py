"""What the profiles carry that no figure is computed from: named, never dropped in silence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from analyser.glossary import QUALITIES, SPECIAL_RULES, Term
from analyser.resolve import names
from analyser.units import Loadout


class NotModelled(NamedTuple):
    """A quality or special rule on the profiles that no figure is computed from."""

    name: str
    touches: str
    units: tuple[str, ...]


def not_modelled(attackers: Iterable[Loadout], defenders: Iterable[Loadout]) -> tuple[NotModelled, ...]:
    """What the profiles of both sides carry that no figure is computed from, by name."""
    found: dict[str, dict[str, None]] = {}
    terms: dict[str, Term | None] = {}
    for unit in {(each.faction, each.unit.id): each.unit for each in attackers}.values():
        written = [quality for row in unit.rows if row.kind == "ranged" for quality in row.qualities]
        _note(unit.name, tuple(written), QUALITIES, found, terms)
    for unit in {(each.faction, each.unit.id): each.unit for each in (*attackers, *defenders)}.values():
        _note(unit.name, unit.rules, SPECIAL_RULES, found, terms)
    return tuple(NotModelled(name, _touches(terms[name]), tuple(found[name])) for name in sorted(found))


def _note(
    unit: str, written: tuple[str, ...], table: Mapping[str, Term], found: dict[str, dict[str, None]],
    terms: dict[str, Term | None],
) -> None:  # fmt: skip
    for named in names(written, table):
        term = table.get(named.name)
        if term is None or not term.side:
            terms.setdefault(named.name, term)
            found.setdefault(named.name, {})[unit] = None


def _touches(term: Term | None) -> str:
    return "not known to this program" if term is None else term.touches
