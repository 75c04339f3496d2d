"""The conditions that the attacks of a comparison are made under."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import field_validator, model_validator

from analyser.analysis.fights import FIGHTS
from analyser.analysis.grid import Fight
from analyser.analysis.selection import one_or_several
from analyser.common.errors import InputError, check_choice, did_you_mean
from analyser.common.validation import Record, as_tuple
from analyser.game.units import Inches, Name, Row, Slug
from analyser.scenarios.schema import Attack, BonusName, PenaltyName


class Situation(Record):
    """The conditions that every attack of a comparison is made under.

    Attributes
    ----------
    name : str
        For the tables: lower case, with hyphens.
    title : str
        For people. Default: the name.
    bonuses, penalties : tuple of str
        As in a scenario. ``short_range`` counts for the rows that have a short range.
    distance : float or None
        In inches: decides what is short and what is out of range, row by row. None: every row is within its long
        range, and short range is a bonus like the others.
    kind : str
        What the attackers do, a name of :data:`~analyser.analysis.fights.FIGHTS`: ``"ranged"``, shoot once (the keys
        above say how); ``"charge"`` (AC-8) or ``"duel"``, six rounds (AC-9.2), to which none of them applies.

    Examples
    --------
    >>> Situation(name="at-ten-inches", bonuses=("aiming",), distance=10).distance
    10.0
    """

    name: Slug
    title: Name = ""
    bonuses: tuple[BonusName, ...] = ()
    penalties: tuple[PenaltyName, ...] = ()
    distance: Inches | None = None
    kind: str = "ranged"

    _tuples = field_validator("bonuses", "penalties", mode="before")(as_tuple)

    @model_validator(mode="after")
    def _goes_together(self) -> Situation:
        if self.kind not in FIGHTS:
            raise ValueError(f"no kind {self.kind!r}{did_you_mean(self.kind, FIGHTS)}: {', '.join(FIGHTS)}")
        if self.distance is not None and "short_range" in self.bonuses:
            raise ValueError("a distance decides which rows are at short range: leave out the bonus short_range")
        if self.kind != "ranged" and (self.bonuses or self.penalties or self.distance is not None):
            raise ValueError(f"a {self.kind} has no bonuses, penalties or distance of a ranged attack")
        return self

    @property
    def fight(self) -> Fight:
        """What is known of its kind."""
        return FIGHTS[self.kind]

    @property
    def heading(self) -> str:
        """The title, or the name with spaces."""
        return self.title or self.name.replace("-", " ")

    def attack(self, row: Row) -> Attack:
        """What `row` does in this situation, as a scenario says it."""
        bonuses = tuple(each for each in self.bonuses if each != "short_range" or row.short_range is not None)
        return Attack(bonuses=bonuses, penalties=self.penalties, distance=self.distance)


LONG_RANGE = Situation(name="long-range", title="long range, no bonus")
SHORT_RANGE_AIMED = Situation(
    name="short-range-aimed",
    title="short range where the row has one, aimed",
    bonuses=("aiming", "short_range"),
)
CHARGE = Situation(name="charge", title="charge, with what the target strikes back", kind="charge")
DUEL = Situation(
    name="duel",
    title="six rounds, the attacker first; each shoots if it can, else charges if it can",
    kind="duel",
)
ALL_SITUATIONS = "all"
SITUATIONS: Mapping[str, Situation] = {each.name: each for each in (LONG_RANGE, SHORT_RANGE_AIMED, CHARGE, DUEL)}
"""The situations that can be asked for by name. A charge takes some fifty times as long as a ranged attack."""


def situations_called(asked: str | Situation | Sequence[Situation | str]) -> tuple[Situation, ...]:
    """The situations that are asked for, each once: a name of :data:`SITUATIONS`, ``"all"`` for all of them, or one.

    Raises
    ------
    InputError
        An unknown name, two situations of one name, or no situation.
    """
    several, names = one_or_several(asked, "situations", (str, Situation)), (*SITUATIONS, ALL_SITUATIONS)
    found: dict[str, Situation] = {}
    for each in several:
        if not isinstance(each, Situation):
            check_choice(each, "situations", names)
        one = each if isinstance(each, Situation) else SITUATIONS.get(each)
        for situation in SITUATIONS.values() if one is None else [one]:
            if found.setdefault(situation.name, situation) != situation:
                raise InputError(f"two situations are called {situation.name!r}", where="situations")
    if not found:
        raise InputError("no situation is given", where="situations", allowed=", ".join(names))
    return tuple(found.values())
