"""Situations: the conditions of the fights of a comparison, and the kinds of fights: shooting, charges, duels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import product
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import field_validator, model_validator

from analyser.analysis.approach import COUNTRIES
from analyser.analysis.best_duels import best_duel, trades
from analyser.analysis.contest_cells import Over, Ways, fought_cells
from analyser.analysis.grid import DefendingSide, Fight, blank_cells, combatant_of
from analyser.analysis.selection import no_row, one_or_several, rows_called
from analyser.common.errors import InputError, check_choice, did_you_mean
from analyser.common.validation import Record, as_tuple
from analyser.engine.attack.summaries import SUMMARY, sweep, sweep_row
from analyser.engine.fight.best.explore import explored
from analyser.engine.fight.exact.propagate import run, start_states
from analyser.game import keywords
from analyser.game.names import Name, Slug
from analyser.game.ruleset import Ruleset
from analyser.game.units import Inches, Loadout, Row
from analyser.results.states import exact_ends_by_models, points_won
from analyser.rules.attack import attack_dice
from analyser.rules.policies import BEST, SHOOTING
from analyser.rules.structs import CATEGORIES, TARGET, AttackFacts
from analyser.scenarios import policies as policies_of_duels
from analyser.scenarios.attack import attack_record, attacks_by, best_of, target_record
from analyser.scenarios.charge import charge_start, check_can_be_charged, check_can_charge, program_of
from analyser.scenarios.duel import DuelScenario, bits_of_wins, shooters_of
from analyser.scenarios.duel import program_of as program_of_duel
from analyser.scenarios.policies import Shooter, rows_to_shoot_with
from analyser.scenarios.resolve import resolve_attack, why_not
from analyser.scenarios.schema import Attack, BonusName, Combatant, DuelTerms, PenaltyName, PolicyName, Target

ROWS_TO_CHARGE_WITH = ("melee", "impact")
ONE_OF_EACH_CATEGORY = tuple(Target.model_validate({"category": category}) for category in CATEGORIES)


class Shot(NamedTuple):
    """A row of an attacker with index `attacker`; `reasons` has the problem, or None, for each target category."""

    attacker: int
    row: Row
    facts: AttackFacts
    reasons: tuple[str | None, ...]


_DECIDE_DICE = ("category", "is_a", "house_1", "house_2", "house_3", "house_4")
"""Fields of a target that affect the dice (Shock, Wreckers, house rules)."""


def shoot(attackers: Sequence[Loadout], defending: DefendingSide, situation: Situation) -> NDArray[np.void]:
    """Return the result of a ranged attack of each attacker on each defender, with its best row or the given one."""
    categories = np.array([CATEGORIES.index(target.category or "light") for target in defending.targets])
    cells = blank_cells(len(attackers), len(defending.targets))
    shots: list[Shot] = []
    for place, attacker in enumerate(attackers):
        result, reasons = shots_of(place, attacker, situation, defending.row)
        shots += result
        cells["why_not"][place] = np.array(reasons, object)[categories]
    targets = [target_record(target) for target in defending.targets]
    possible = np.array([[reason is None for reason in shot.reasons] for shot in shots], np.bool_)
    summaries = sweep(
        attacks_by(defending.ruleset, [shot.facts for shot in shots]),
        np.array(targets, TARGET),
        possible.reshape(-1, len(CATEGORIES))[:, categories],
        np.array(defending.ruleset.die.faces, np.int64),
        defending.ruleset.deck.counts(),
        threads=defending.threads,
    )
    kinds = [tuple(target[name] for name in _DECIDE_DICE) for target in targets]
    one_of = dict(zip(kinds, targets))
    for place in dict.fromkeys(shot.attacker for shot in shots):
        mine = np.array([number for number, shot in enumerate(shots) if shot.attacker == place])
        best = best_of(summaries[mine])
        for row, number in enumerate(mine):
            able = np.flatnonzero(best == row)
            cells[list(SUMMARY.names or ())][place, able] = summaries[number, able]
            cells["row"][place, able], cells["why_not"][place, able] = shots[number].row.id, None
            dice = {kind: attack_dice(shots[number].facts, target) for kind, target in one_of.items()}
            cells["dice"][place, able] = [dice[kinds[at]] for at in able.tolist()]
    return cells


def shots_of(
    place: int, attacker: Loadout, situation: Situation, asked: str | None
) -> tuple[list[Shot], tuple[str, ...]]:
    """Return the shots of one attacker and, by target category, the reasons why its rows cannot fire."""
    rows = [row for row in attacker.unit.rows if row.kind == "ranged"]
    rows = rows if asked is None else rows_called(asked, attacker)
    shots = []
    why: list[list[str]] = [[] for _ in CATEGORIES]
    for row in rows:
        attack = situation.attack(row)
        reasons = [why_not(row, attack, attacker, target) for target in ONE_OF_EACH_CATEGORY]
        for category, reason in zip(why, reasons):
            category.append(f"{row.id}: {reason}")
        if None in reasons:
            facts = attack_record(resolve_attack(attack, attacker, row), attacker.unit)
            shots.append(Shot(place, row, facts, tuple(reasons)))
    return shots, tuple("; ".join(reasons) or no_row(asked, "ranged") for reasons in why)


def _ways_to_charge(attacker: Loadout, asked: str | None) -> dict[str, Combatant] | str:
    """Return the attacker with each row that it can charge with; without any, the reason."""
    rows = attacker.unit.rows if asked is None else rows_called(asked, attacker)
    fitting = [row.id for row in rows if row.kind in ROWS_TO_CHARGE_WITH]
    if fitting:
        return {row: combatant_of(attacker, close_quarters_row=row) for row in fitting}
    return f"{rows[0].id}: it is a {rows[0].kind} row" if asked and rows else no_row(asked, "melee or impact")


def _charged(
    attackers: Sequence[dict[str, Combatant] | str], targets: Sequence[Combatant], ruleset: Ruleset
) -> list[Ways]:
    """Return charges of a unit's levels on those of another, with each row; a text is the reason for none."""
    first = attackers[0]  # all levels have equal rows
    if isinstance(first, str):
        return [first] * (len(attackers) * len(targets))
    by_row = [
        _charges([side[row] for side in attackers if not isinstance(side, str)], targets, ruleset) for row in first
    ]
    return [_possible(dict(zip(first, column))) for column in zip(*by_row)]


def _possible(by_row: Mapping[str, Over | str]) -> Ways:
    fought = [cells for cells in by_row.values() if not isinstance(cells, str)]
    return fought or "; ".join(f"{row}: {reason}" for row, reason in by_row.items())


def _charges(attackers: Sequence[Combatant], targets: Sequence[Combatant], ruleset: Ruleset) -> list[Over | str]:
    """Return the charges with one row each; parts independent of the numbers of models are computed once."""
    pairs = list(product(attackers, targets))
    charged = [_problem(check_can_be_charged, target) for target in targets]
    charging = [_problem(check_can_charge, attacker) for attacker in attackers]
    result: list[Over | str] = [theirs or mine for mine, theirs in product(charging, charged)]
    able = [number for number, reason in enumerate(result) if not reason]
    if not able:
        return result
    strongest, toughest = (max(side, key=attrgetter("models")) for side in (attackers, targets))
    try:
        setup, operations = program_of(strongest, toughest, die=ruleset.die)
    except InputError as error:
        return [problem or error.problem for problem in result]
    models = [(attacker.models or 0, target.models or 0) for attacker, target in (pairs[number] for number in able)]
    pmfs = exact_ends_by_models(setup, operations, charge_start(setup), models, ruleset)
    for number, pmf in zip(able, pmfs):
        if isinstance(pmf, InputError):
            result[number] = pmf.problem
        else:
            result[number] = Over(pairs[number][0].close_quarters_row, pmf, *pairs[number])
    return result


def _problem(check: Callable[[Combatant], None], unit: Combatant) -> str:
    """Return the problem that a check of a unit reports; empty if there is none."""
    try:
        check(unit)
    except InputError as error:
        return error.problem
    return ""


def _side(attacker: Loadout, asked: str | None) -> tuple[Combatant, Row | None] | str:
    """Return an attacker and the row that it must use, if any; or the reason why it lacks that row."""
    if asked is None:
        return combatant_of(attacker), None
    rows = rows_called(asked, attacker)
    return (combatant_of(attacker), rows[0]) if rows else no_row(asked)


def _duels(
    sides: Sequence[tuple[Combatant, Row | None] | str], enemies: Sequence[Combatant], ruleset: Ruleset
) -> list[Ways]:
    """Return exact duels of a unit's levels, which begin, with those of another; a text is the reason for none."""
    pairs = [
        side if isinstance(side, str) else duel_between(side, enemy, ruleset) for side, enemy in product(sides, enemies)
    ]
    result: list[Ways] = []
    alike: defaultdict[object, list[tuple[int, DuelScenario, tuple[Shooter, Shooter]]]] = defaultdict(list)
    for number, duel in enumerate(pairs):
        result.append(duel if isinstance(duel, str) else "")
        if not isinstance(duel, str):
            try:
                shooters = shooters_of(duel.a, duel.b, duel.terms, ruleset)
            except InputError as error:
                result[number] = error.problem
            else:
                rows = [[row.id for row in (*shooter.rows, *shooter.watching)] for shooter in shooters]
                alike[duel.terms.policy_a, duel.terms.policy_b, str(rows)].append((number, duel, shooters))
    for duels in alike.values():
        for number, ways in zip([number for number, *_ in duels], _fought([duel[1:] for duel in duels], ruleset)):
            result[number] = ways
    return result


def _fought(duels: Sequence[tuple[DuelScenario, tuple[Shooter, Shooter]]], ruleset: Ruleset) -> Iterator[Ways]:
    """Yield duels of levels of two units that use the same rows; their pools of dice are computed once."""
    models = [(duel.a.models or 0, duel.b.models or 0) for duel, _ in duels]
    strongest = models.index(max(models))
    if any(mine > models[strongest][0] or theirs > models[strongest][1] for mine, theirs in models):
        for alone in duels:
            yield from _fought([alone], ruleset)
        return
    try:
        setup, rounds = program_of_duel(duels[strongest][1], duels[strongest][0].terms)
    except InputError as error:
        yield from [error.problem] * len(duels)
        return
    operations = [operation for part in rounds for operation in part]
    pmfs = exact_ends_by_models(setup, operations, start_states(setup), models, ruleset)
    for (duel, shooters), pmf in zip(duels, pmfs):
        if isinstance(pmf, InputError):
            yield pmf.problem
            continue
        mine, theirs, first, second = duel.a, duel.b, pmf.first[:, None], pmf.second[None, :]
        won = points_won(first, second, mine, theirs, bits_of_wins(mine, theirs, duel.terms, 0))  # AC-9.4
        lost = points_won(second, first, theirs, mine, bits_of_wins(theirs, mine, duel.terms, 1))
        p_wins, p_draw = (float(pmf.probabilities[where].sum()) for where in (won > lost, won == lost))
        yield [Over(duel_row(duel, shooters[0]), pmf, mine, theirs, p_wins, p_draw)]


def duel_row(scenario: DuelScenario, shooter: Shooter | None = None) -> str | None:
    """Return the row that the attacker's tactic shoots or charges with, if any; `shooter` is that side, if known."""
    mine, policy_a = scenario.a, scenario.terms.policy_a
    if policy_a == "charge":
        return mine.charge_row("a").id
    if policy_a not in SHOOTING:
        return None
    main = (shooter or Shooter(mine, scenario.b, policy_a, None, scenario.ruleset, "a")).main
    return None if main is None else main.id


def duel_between(
    side: tuple[Combatant, Row | None], theirs: Combatant, ruleset: Ruleset, *, best: bool = False
) -> DuelScenario | str:
    """Return a duel that the attacker begins, or the reason why there is none.

    Each side shoots if it has a row for that, else charges if it may, else takes cover; or both play `best`.
    """
    mine, asked = side
    if asked is not None:
        which = "row" if asked.kind == "ranged" else "close_quarters_row"
        mine = mine.model_copy(update={which: asked.id})
    if best:
        return DuelScenario(_terms(BEST, BEST), mine, theirs, ruleset)
    for combatant in (mine, theirs):
        if combatant.aircraft:
            return f"{combatant.unit} is an aircraft, and flies sorties: no duel (AC-9.2)"
    policies = policy(mine, theirs, asked), policy(theirs, mine)
    if asked is not None and policies[0] == "take_cover":
        return f"{asked.id}: this row cannot attack {theirs.unit}"
    if policies == ("take_cover", "take_cover"):
        return "neither unit can shoot at the other or charge it"
    return DuelScenario(_terms(*policies), mine, theirs, ruleset)


@lru_cache(maxsize=64)
def _terms(policy_a: PolicyName, policy_b: PolicyName) -> DuelTerms:
    return DuelTerms(first="a", policy_a=policy_a, policy_b=policy_b)


def _best_duels(
    sides: Sequence[tuple[Combatant, Row | None] | str], enemies: Sequence[Combatant], ruleset: Ruleset
) -> list[Ways]:
    """Return duels that the attacker begins, with best play by both sides."""
    result = list[Ways]()
    for side, enemy in product(sides, enemies):
        scenario = side if isinstance(side, str) else duel_between(side, enemy, ruleset, best=True)
        asked = None if isinstance(side, str) or side[1] is None else side[1].id
        result.append(scenario if isinstance(scenario, str) else best_duel(scenario, asked))
    return result


def policy(mine: Combatant, theirs: Combatant, asked: Row | None = None) -> PolicyName:
    """Return the tactic of a unit in a duel of a comparison: shoot if it can, else charge if it may, else take cover.

    `asked` is the one row that it may use.
    """
    shots = rows_to_shoot_with(mine, theirs, "shoot")
    if shots if asked is None else asked in shots:
        return "shoot"
    if asked is not None and asked.kind == "ranged":
        return "take_cover"
    return "charge" if policies_of_duels.why_not("charge", mine, theirs) is None else "take_cover"


BEST_TRADE = "best-trade"
"""Kind of duel for prices with best play."""

FIGHTS: Mapping[str, Fight] = {
    "ranged": Fight(shoot, keywords.RANGED_ATTACK, sweep_row, cost=10, interpreted=4e-3),
    "charge": Fight(
        partial(fought_cells, _ways_to_charge, _charged),
        keywords.CLOSE_QUARTERS,
        run,
        cost=120,
        interpreted=8e-3,
        how="one close quarters combat, both sides striking; the figures are of the defender",
    ),
    "duel": Fight(
        partial(fought_cells, _side, _duels, in_threads=True),
        keywords.DUEL,
        run,
        cost=1_200,
        interpreted=0.06,
        choosing=1e-3,
        how="a whole duel; the figures are the defender's losses after the last round, P(attacker wins) and P(draw), "
        "by victory points",
        has_winner=True,
    ),
    "best-duel": Fight(
        partial(fought_cells, _side, _best_duels),
        keywords.DUEL,
        explored,
        cost=120_000,
        interpreted=5.0,
        how="a whole duel, which both sides play best (docs/best-play.md); the figures are those of a duel",
        has_winner=True,
    ),
    BEST_TRADE: Fight(
        trades,
        keywords.DUEL,
        explored,
        cost=600_000,
        interpreted=25.0,
        how="a duel at this distance with best play of both sides (objective: points destroyed minus points lost), "
        "the first side by coin toss each round; figures as for a duel, prices from the losses of both sides",
    ),
}
"""Kinds of situations by name. A new kind is a function and an entry here."""


class Situation(Record):
    """Conditions of every attack of a comparison.

    Attributes
    ----------
    name : str
        Name in tables: lower case, with hyphens.
    title : str
        Title for people. Default: the name.
    bonuses, penalties : tuple of str
        As in a scenario. ``short_range`` counts for rows that have a short range.
    distance : float or None
        Distance in inches, which decides for each row short range and out of range. None: every row is within its long
        range, and short range is a bonus like the others.
    kind : str
        Kind of fight, a name of :data:`FIGHTS`. ``"ranged"`` is one shot under the conditions above. ``"charge"``
        (AC-8), ``"duel"`` and ``"best-duel"`` (six rounds, AC-9.2) have no such conditions. ``"best-trade"`` is six
        rounds with an optional distance.

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
        apart = self.distance is not None and self.kind != BEST_TRADE
        if self.kind != "ranged" and (self.bonuses or self.penalties or apart):
            raise ValueError(f"a {self.kind} has no bonuses, penalties or distance of a ranged attack")
        return self

    @property
    def fight(self) -> Fight:
        """Kind of fight."""
        return FIGHTS[self.kind]

    @property
    def heading(self) -> str:
        """The title, or the name with spaces."""
        return self.title or self.name.replace("-", " ")

    def attack(self, row: Row) -> Attack:
        """Return the attack with `row` in this situation, as in a scenario; an Indirect row has no short range."""
        near = row.short_range is not None and not row.has("Indirect")
        bonuses = tuple(bonus for bonus in self.bonuses if bonus != "short_range" or near)
        return Attack(bonuses=bonuses, penalties=self.penalties, distance=self.distance)


LONG_RANGE = Situation(name="long-range", title="long range, no bonus")
SHORT_RANGE_AIMED = Situation(
    name="short-range-aimed", title="short range where the row has one, aimed", bonuses=("aiming", "short_range")
)
CHARGE = Situation(name="charge", title="charge, with the target's retaliation", kind="charge")
DUEL = Situation(
    name="duel", title="six rounds, the attacker first; each shoots if it can, else charges if it can", kind="duel"
)
BEST_DUEL = Situation(name="duel-best-play", title="six rounds, the attacker first; both play best", kind="best-duel")
ALL_SITUATIONS = "all"
SITUATIONS: Mapping[str, Situation] = {fight.name: fight for fight in (LONG_RANGE, SHORT_RANGE_AIMED, CHARGE, DUEL)}
"""Situations that have a name. A charge takes some twenty times as long as a ranged attack."""
EXCHANGES = (LONG_RANGE, SHORT_RANGE_AIMED, CHARGE)
"""Situations far apart and near in which each side acts once, for prices and lists."""


BEST_TRADES = tuple(
    Situation(
        name=f"best-play-{country.name}",
        title=f"six rounds from {country.apart:g} inches apart, both play best",
        kind=BEST_TRADE,
        distance=country.apart,
    )
    for country in COUNTRIES
)
"""Best play on close and on open ground, for prices with best play."""


def situations_called(asked: str | Situation | Sequence[Situation | str]) -> tuple[Situation, ...]:
    """Return the distinct situations: by name in :data:`SITUATIONS`, all of these for ``"all"``, or as given.

    Raises
    ------
    InputError
        An unknown name, two situations with one name, or no situation.
    """
    several, names = one_or_several(asked, "situations", (str, Situation)), (*SITUATIONS, ALL_SITUATIONS)
    result: dict[str, Situation] = {}
    for item in several:
        if not isinstance(item, Situation):
            check_choice(item, "situations", names)
        one = item if isinstance(item, Situation) else SITUATIONS.get(item)
        for situation in SITUATIONS.values() if one is None else [one]:
            if result.setdefault(situation.name, situation) != situation:
                raise InputError(f"two situations are called {situation.name!r}", where="situations")
    if not result:
        raise InputError("no situation is given", where="situations", allowed=", ".join(names))
    return tuple(result.values())
