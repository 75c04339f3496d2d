"""Situations of a comparison: each is a kind of fight (shooting, charge, duel) and its conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import field_validator, model_validator

from analyser.analysis.grid import DefendingSide, Fight, blank_cells
from analyser.analysis.selection import no_row_reason, one_or_several, usable_rows
from analyser.analysis.two_sided_cells import best_duels, charger, charges, duellist, duels, two_sided_cells
from analyser.common.errors import InputError, check_choice, did_you_mean
from analyser.common.validation import Record, as_tuple
from analyser.engine.attack.summaries import SUMMARY, fill_summaries
from analyser.engine.fight.best.explore import explore_graph
from analyser.engine.fight.exact.propagate import propagate_program
from analyser.game import keywords
from analyser.game.names import Name, Slug
from analyser.game.units import Inches, Loadout, Row
from analyser.rules.attack import attack_dice
from analyser.rules.structs import CATEGORIES, AttackFacts
from analyser.scenarios.attack import attack_record, best_attacks, target_record
from analyser.scenarios.resolve import resolve_attack, why_not
from analyser.scenarios.schema import Attack, BonusName, PenaltyName, Target

ONE_OF_EACH_CATEGORY = tuple(Target.model_validate({"category": category}) for category in CATEGORIES)


class PossibleShot(NamedTuple):
    """A row of an attacker (an index), its attack, and why it cannot fire at each target category (None if it can)."""

    attacker: int
    row: Row
    facts: AttackFacts
    reasons: tuple[str | None, ...]


_DICE_FIELDS = ("category", "is_a", "house_1", "house_2", "house_3", "house_4")
"""Fields of a target on which the number of dice depends (Shock, Wreckers, house rules)."""


def shoot(attackers: Sequence[Loadout], defending: DefendingSide, situation: Situation) -> NDArray[np.void]:
    """Return the result of a ranged attack of each attacker on each defender, with the best or the stated row."""
    categories = np.array([CATEGORIES.index(target.category or "light") for target in defending.targets])
    cells = blank_cells(len(attackers), len(defending.targets))
    shots: list[PossibleShot] = []
    for index, attacker in enumerate(attackers):
        own_shots, reasons = shots_of(index, attacker, situation, defending.row)
        shots += own_shots
        cells["why_not"][index] = np.array(reasons, object)[categories]
    possible = np.array([[reason is None for reason in shot.reasons] for shot in shots], np.bool_)
    possible = possible.reshape(-1, len(CATEGORIES))[:, categories]
    summaries = defending.summaries([shot.facts for shot in shots], possible)
    targets = [target_record(target) for target in defending.targets]
    dice_keys = [tuple(target[name] for name in _DICE_FIELDS) for target in targets]
    targets_by_key = dict(zip(dice_keys, targets))
    for index in dict.fromkeys(shot.attacker for shot in shots):
        own = np.array([number for number, shot in enumerate(shots) if shot.attacker == index])
        best = best_attacks(summaries[own])
        for row, number in enumerate(own):
            columns = np.flatnonzero(best == row)
            cells[list(SUMMARY.names or ())][index, columns] = summaries[number, columns]
            cells["row"][index, columns], cells["why_not"][index, columns] = shots[number].row.id, None
            dice = {key: attack_dice(shots[number].facts, target) for key, target in targets_by_key.items()}
            cells["dice"][index, columns] = [dice[dice_keys[column]] for column in columns.tolist()]
    return cells


def shots_of(
    index: int, attacker: Loadout, situation: Situation, stated_row: str | None
) -> tuple[list[PossibleShot], tuple[str, ...]]:
    """Return the possible shots of an attacker, and for each target category why its rows cannot fire at it."""
    shots, by_category = list[PossibleShot](), [list[str]() for _ in CATEGORIES]
    for row in usable_rows(attacker, stated_row):
        if stated_row is None and row.kind != "ranged":
            continue
        attack = situation.attack(row)
        reasons = [why_not(row, attack, attacker, target) for target in ONE_OF_EACH_CATEGORY]
        for category_reasons, reason in zip(by_category, reasons):
            category_reasons.append(f"{row.id}: {reason}")
        if None in reasons:
            facts = attack_record(resolve_attack(attack, attacker, row), attacker.unit)
            shots.append(PossibleShot(index, row, facts, tuple(reasons)))
    return shots, tuple("; ".join(reasons) or no_row_reason(stated_row, "ranged") for reasons in by_category)


FIGHTS: Mapping[str, Fight] = {
    "ranged": Fight(shoot, keywords.RANGED_ATTACK, fill_summaries, cost=10, interpreted_seconds=4e-3),
    "charge": Fight(
        partial(two_sided_cells, charger, charges),
        keywords.CLOSE_QUARTERS,
        propagate_program,
        cost=120,
        interpreted_seconds=8e-3,
        description="one close quarters combat, in which both sides strike; the results are the defender's",
    ),
    "duel": Fight(
        partial(two_sided_cells, duellist, duels, in_threads=True),
        keywords.DUEL,
        propagate_program,
        cost=1_200,
        interpreted_seconds=0.06,
        choosing_seconds=1e-3,
        description="a whole duel; the results are the defender's losses after the last round, P(attacker wins) and "
        "P(draw), by victory points",
        has_winner=True,
    ),
    "best-duel": Fight(
        partial(two_sided_cells, duellist, best_duels),
        keywords.DUEL,
        explore_graph,
        cost=120_000,
        interpreted_seconds=5.0,
        description="a whole duel with best play by both sides (docs/best-play.md); the figures are those of a duel",
        has_winner=True,
    ),
}
"""Kinds of fights by name, the `kind` of a situation."""


class Situation(Record):
    """A kind of fight and its conditions, the same for all pairs of a comparison.

    Attributes
    ----------
    name : str
        Name in tables: lower case, with hyphens.
    title : str
        Title for people. Default: the name.
    bonuses, penalties : tuple of str
        As in a scenario. ``short_range`` applies to rows that have a short range.
    distance : float or None
        Distance in inches, which decides for each row whether it is in range and in short range. Without a distance,
        every row is in long range, and short range is a bonus like the others.
    kind : str
        Kind of fight, a name of :data:`FIGHTS`. ``"ranged"`` is one attack under the conditions above. ``"charge"``
        (AC-8), ``"duel"`` and ``"best-duel"`` (six rounds, AC-9.2) have no such conditions.

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
    def _check_combination(self) -> Situation:
        if self.kind not in FIGHTS:
            raise ValueError(f"unknown kind {self.kind!r}{did_you_mean(self.kind, FIGHTS)}: {', '.join(FIGHTS)}")
        if self.distance is not None and "short_range" in self.bonuses:
            raise ValueError("a distance decides which rows are at short range: leave out the bonus short_range")
        if self.kind != "ranged" and (self.bonuses or self.penalties or self.distance is not None):
            raise ValueError(f"a {self.kind} has no bonuses, penalties or distance of a ranged attack")
        return self

    @property
    def fight(self) -> Fight:
        return FIGHTS[self.kind]

    @property
    def heading(self) -> str:
        """The title, or the name with spaces."""
        return self.title or self.name.replace("-", " ")

    def attack(self, row: Row) -> Attack:
        """Return the attack with `row` in this situation, as in a scenario; an Indirect row has no short range."""
        has_short_range = row.short_range is not None and not row.has("Indirect")
        bonuses = tuple(bonus for bonus in self.bonuses if bonus != "short_range" or has_short_range)
        return Attack(bonuses=bonuses, penalties=self.penalties, distance=self.distance)


LONG_RANGE = Situation(name="long-range", title="long range, no bonus")
SHORT_RANGE_AIMED = Situation(
    name="short-range-aimed", title="aimed, at short range if the row has one", bonuses=("aiming", "short_range")
)
CHARGE = Situation(name="charge", title="charge, with the target's retaliation", kind="charge")
DUEL = Situation(
    name="duel", title="six rounds, the attacker first; each shoots if it can, else charges if it can", kind="duel"
)
BEST_DUEL = Situation(name="duel-best-play", title="six rounds, the attacker first; both play best", kind="best-duel")
DUEL_POLICIES = ("tactic", "best")
ALL_SITUATIONS = "all"
SITUATIONS: Mapping[str, Situation] = {one.name: one for one in (LONG_RANGE, SHORT_RANGE_AIMED, CHARGE, DUEL)}
"""The situations that users can name."""
EXCHANGES = (LONG_RANGE, SHORT_RANGE_AIMED, CHARGE)
"""Situations for prices and army lists: single actions, far apart and near."""


def situations_named(stated: str | Situation | Sequence[Situation | str]) -> tuple[Situation, ...]:
    """Return the distinct situations that `stated` names or contains; ``"all"`` stands for :data:`SITUATIONS`."""
    names = (*SITUATIONS, ALL_SITUATIONS)
    result: dict[str, Situation] = {}
    for item in one_or_several(stated, "situations", (str, Situation)):
        if not isinstance(item, Situation):
            check_choice(item, "situations", names)
        single = item if isinstance(item, Situation) else SITUATIONS.get(item)
        for situation in SITUATIONS.values() if single is None else [single]:
            if result.setdefault(situation.name, situation) != situation:
                raise InputError(f"two different situations are called {situation.name!r}", where="situations")
    if not result:
        raise InputError("no situation is given", where="situations", allowed=", ".join(names))
    return tuple(result.values())


def duel_situations(policy: str, situations: Sequence[Situation]) -> tuple[Situation, ...]:
    """Return the situations; with policy ``best``, BEST_DUEL replaces the duel (InputError without a duel)."""
    check_choice(policy, "policy", DUEL_POLICIES)
    if policy != "best":
        return tuple(situations)
    if DUEL not in situations:
        problem = f"best play has nothing to choose in {', '.join(situation.name for situation in situations)}"
        raise InputError(problem, where="policy", allowed=f"tactic; or situations that include {DUEL.name}")
    return tuple(BEST_DUEL if situation == DUEL else situation for situation in situations)


def unchanged_note(situations: Sequence[Situation]) -> str:
    """Return a sentence that names the situations without best play; empty if all or none have best play.

    >>> unchanged_note([CHARGE, BEST_DUEL])
    'Best play changes nothing in: charge (a single action without a choice).'
    """
    names = [situation.name for situation in situations if situation.kind != BEST_DUEL.kind]
    if len(names) in (0, len(situations)):
        return ""
    return f"Best play changes nothing in: {', '.join(names)} (a single action without a choice)."
