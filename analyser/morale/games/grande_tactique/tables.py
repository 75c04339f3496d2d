"""The sections of a question about Grande Tactique, each answered by its class."""

from __future__ import annotations

from dataclasses import replace

from analyser.common.validation import Record
from analyser.morale.answers import Sections
from analyser.morale.games.grande_tactique import fleeing, game, rallying
from analyser.morale.games.grande_tactique.question import Column, Flight, Game, GameUnit, Question, Rout, RoutedUnit
from analyser.results.base import RulesUsed

_SECTIONS = Sections(
    check=fleeing.UnitTested,
    flight=fleeing.OneFlight,
    column=fleeing.ChainReaction,
    rout=rallying.UnitsInRout,
    division=rallying.UnitsOfDivision,
    game=game.DivisionUnderAttack,
)
chains, answer = _SECTIONS.chains, _SECTIONS.answer

SQUARES = "GT-2 squares leave square, a firing unit stops firing: they change none of these figures"
SWEPT_ALONG = "GT-2 attached generals: swept along by a routed unit until it rallies"
PRISONER = "GT-2 attached generals: taken prisoner with a unit that is surrounded"
STAYS = (
    "GT-2 a unit that routs after a lost Locked in Combat from its own charge out of woods or a built-up area: "
    "it stays there, routed"
)
DIRECTION = "GT-5 direction of flight, and gaps that are wide enough: the distances given are taken along it"
WITHDRAWAL = "GT-10 voluntary withdrawal: see [game]"
FOLLOW_UP = "GT-11 follow-up charges: they are in the chances of charges"
HALTED = "GT-8 where a halted corps may still move"
NOT_MODELLED = {
    "check": (SQUARES, STAYS, SWEPT_ALONG),
    "flight": (STAYS, SWEPT_ALONG, PRISONER, DIRECTION),
    "column": (
        "GT-4 pursuit",
        "GT-5 a gap between friends, woods and built-up areas beside the column",
        DIRECTION,
        SWEPT_ALONG,
    ),
    "rout": (
        SWEPT_ALONG,
        PRISONER,
        "GT-5 friends in the way of those that flee again: see [column]",
        DIRECTION,
        WITHDRAWAL,
        FOLLOW_UP,
    ),
    "division": (
        SWEPT_ALONG,
        "GT-2, GT-5 why units rout or are lost: their chances are given; see [game]",
        WITHDRAWAL,
        HALTED,
    ),
    "game": (
        "GT-1 how silenced artillery comes back into action",
        *(SQUARES, STAYS, SWEPT_ALONG, PRISONER, "GT-4 pursuit", DIRECTION),
        "GT-5 a gap between friends; GT-9 friends of Old Guard in other columns",
        HALTED,
        FOLLOW_UP,
    ),
}


def rules(question: Question) -> RulesUsed:
    """The rules of each section; those that no number comes from with the names of the sections that leave them out."""
    used, sections_of = _SECTIONS.rules(question), dict[str, list[str]]()
    asked = _SECTIONS.parts(question)
    for name, part in asked.items():
        for rule in (*NOT_MODELLED[name], *_far(part.asked)):
            sections_of.setdefault(_without_way_to([*asked], rule), []).append(f"[{name}]")
    not_modelled = [f"{', '.join(names)}: {rule}" if len(asked) > 1 else rule for rule, names in sections_of.items()]
    return replace(used, applied=tuple(sorted(set(used.applied))), not_modelled=tuple(not_modelled))


def _without_way_to(asked: list[str], rule: str) -> str:
    """A rule without the words that point to another section, where that is asked as well."""
    for section in asked:
        rule = rule.removesuffix(f": see [{section}]").removesuffix(f"; see [{section}]")
    return rule


def _far(section: Record) -> list[str]:
    """The edges that were left out, as far as anybody could flee to them."""
    if isinstance(section, Flight | Column) and section.edge_distance is None:
        return ["GT-5 the map edge: no edge_distance was given, so it is far"]
    if isinstance(section, Rout | Game):
        units: tuple[RoutedUnit | GameUnit, ...] = section.units
        far = [str(n) for n, unit in enumerate(units, 1) if unit.arm != "artillery" and unit.edge_distance is None]
        return [f"GT-5 the map edge: far from units given no edge_distance ({', '.join(far)})"] if far else []
    return []
