"""The conditions that the attacks of a comparison are made under."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pydantic import field_validator, model_validator

from analyser.analysis import charge, duel, ranged
from analyser.analysis.grid import Fight
from analyser.common.errors import InputError, check_text, did_you_mean, shown
from analyser.common.validation import Record, as_tuple
from analyser.game.units import Inches, Name, Row, Slug
from analyser.scenarios.schema import Attack, BonusName, PenaltyName

FIGHTS: Mapping[str, Fight] = {"ranged": ranged.FIGHT, "charge": charge.FIGHT, "duel": duel.FIGHT}
"""The kinds of situations. Another one is its own module and one line here."""


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
        What the attackers do, a name of :data:`FIGHTS`: ``"ranged"``, shoot once (the keys above say how);
        ``"charge"`` (AC-8) or ``"duel"``, six rounds (AC-9.2), to which none of them applies.

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

    @field_validator("kind")
    @classmethod
    def _known(cls, kind: str) -> str:
        if kind not in FIGHTS:
            raise ValueError(f"no kind {kind!r}{did_you_mean(kind, FIGHTS)}: {', '.join(FIGHTS)}")
        return kind

    @model_validator(mode="after")
    def _one_way_to_say_short(self) -> Situation:
        if self.distance is not None and "short_range" in self.bonuses:
            raise ValueError("a distance decides which rows are at short range: leave out the bonus short_range")
        return self

    @model_validator(mode="after")
    def _only_a_shot_has_a_range(self) -> Situation:
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
ALL_SITUATIONS = "all"
CHARGE = Situation(name="charge", title="charge, with what the target strikes back", kind="charge")
DUEL = Situation(
    name="duel",
    title="six rounds, the attacker first; each shoots if it can, else charges if it can",
    kind="duel",
)
SITUATIONS: Mapping[str, Situation] = {each.name: each for each in (LONG_RANGE, SHORT_RANGE_AIMED, CHARGE, DUEL)}
"""The situations that can be asked for by name. A charge takes some fifty times as long as a ranged attack."""


def situations_called(asked: Sequence[Situation | str]) -> tuple[Situation, ...]:
    """The situations that are asked for, each once.

    A name stands for one of :data:`SITUATIONS`, ``"all"`` for all of them.

    Raises
    ------
    InputError
        An unknown name, two situations of one name, or no situation.
    """
    found: dict[str, Situation] = {}
    if isinstance(asked, Mapping | bytes) or not isinstance(asked, Iterable):
        raise InputError(f"{shown(asked)} is not a list", where="situations", allowed="names or situations, in a list")
    several = [asked] if isinstance(asked, str) else list(asked)
    for each in SITUATIONS.values() if several == [ALL_SITUATIONS] else several:
        if not isinstance(each, Situation):
            check_text(each, "situations", ", ".join((*SITUATIONS, ALL_SITUATIONS)))
        if isinstance(each, str) and each not in SITUATIONS:
            hint = did_you_mean(each, SITUATIONS)
            raise InputError(
                f"no situation {each!r}{hint}", where="situations", allowed=", ".join((*SITUATIONS, ALL_SITUATIONS))
            )
        situation = SITUATIONS[each] if isinstance(each, str) else each
        if found.setdefault(situation.name, situation) != situation:
            raise InputError(f"two situations are called {situation.name!r}", where="situations")
    if not found:
        raise InputError("no situation is given", where="situations", allowed=", ".join(SITUATIONS))
    return tuple(found.values())
