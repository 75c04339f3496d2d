"""A battle in whole numbers: what a kernel plays it from (:mod:`analyser.engine.battle.tables`)."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, NamedTuple, cast

import numpy as np

from analyser.common.errors import InputError
from analyser.common.records import empty_record
from analyser.engine.battle.pools import Rolls, expected, fights_by_condition, share_of_damage
from analyser.engine.battle.tables import (
    CELLS_A_COUNT,
    LONGEST,
    MOST_SHOTS,
    MOST_UNITS,
    NO_HABIT,
    NO_STRIKE,
    PAIR,
    UNITS,
    Blow,
    Encoding,
    Tables,
    cell_of,
    condition_of,
)
from analyser.engine.pool.alias import Law, aliases_of
from analyser.game.ruleset import Ruleset
from analyser.rules import unit_state
from analyser.rules.attack import special_counts
from analyser.rules.battle import HURT, Choice, Hand, Turn
from analyser.rules.draws import odds_of
from analyser.rules.habits import allowed_of_every_view
from analyser.rules.policies import SHOOTING, Policy
from analyser.rules.structs import NONE, SIDE, TARGET, FightFacts, SideFacts, StrikeFacts
from analyser.scenarios.attack import target_record, values_of_fight
from analyser.scenarios.battle import SIDES, BattleScenario, Fielded, habit_against, lengths
from analyser.scenarios.charge import blast_on, blows
from analyser.scenarios.policies import Shooter, rows_to_shoot_with, why_not
from analyser.scenarios.schema import Combatant, PolicyName
from analyser.scenarios.strikes import Strike, length_of, side_facts


class Encoded(NamedTuple):
    """A battle as kernels read it."""

    encoding: Encoding
    sides: Any  # records of SIDE,
    units: Any  # and of TARGET, of each unit
    tables: Tables


def encoded(scenario: BattleScenario) -> Encoded:
    """The tables of a battle."""
    return Encoder(scenario.ruleset).encoded(scenario)


class _Strikes:
    """The strikes of a battle, each once, and their pools."""

    def __init__(self, ruleset: Ruleset) -> None:
        faces = np.array(ruleset.die.faces, np.float64) / ruleset.die.sides
        self.rolls = Rolls(faces)
        self._cards = range(int(ruleset.deck.counts().nonzero()[0].max()) + 1)
        self._numbers: dict[tuple[StrikeFacts, bytes, bytes, bytes], int] = {}
        self.records: list[tuple[StrikeFacts, Any, Any]] = []
        self.fights: list[list[FightFacts]] = []  # of each strike, by condition
        self.cells: list[list[int]] = []
        self._tables: Tables | None = None
        self._sizes = (0, 0, 0)

    def number(self, strike: Strike | None) -> int:
        """The number of a strike; whose side it is of, and under which orders it is made, does not count."""
        if strike is None:
            return NO_STRIKE
        record = strike.strike._replace(striker=0, orders=NONE, marks=0)
        key = (record, strike.attack.tobytes(), strike.target.tobytes(), strike.dice.tobytes())
        if key not in self._numbers:
            self._numbers[key] = len(self.records)
            self.records.append((record, strike.attack, strike.target))
            self.fights.append(fights_by_condition(strike.attack, strike.target))
            self.cells.append(self._cells(strike, self.fights[-1]))
        return self._numbers[key]

    def has_dice(self, number: int) -> bool:
        """Return True if a strike has dice at every strength that a unit on the field can have."""
        cells, first = self.cells[number], 0 if self.records[number][0].by_damage else 1
        counts = range(first, len(cells) // CELLS_A_COUNT)
        condition = condition_of(False, 0)
        return all(cells[cell_of(count, short, condition)] for count in counts for short in (False, True))

    def _cells(self, strike: Strike, fights: list[FightFacts]) -> list[int]:
        fixed = strike.strike.fixed_dice
        counts = strike.dice if fixed == NONE else np.array([(fixed, NONE)])
        cells = [0] * (CELLS_A_COUNT * len(counts))
        for short in (False, True):
            special = special_counts(strike.attack, strike.target, short)
            for count, (dice, other) in enumerate(counts.tolist()):
                rolled = other if special and other != NONE else dice
                for condition, fight in enumerate(fights):
                    cells[cell_of(count, short, condition)] = self._pool(strike, fight, rolled)
        return cells

    def law(self, number: int, count: int, short: bool) -> tuple[Law, FightFacts]:
        """The distribution of the score of a strike of so many models, or damage, and a copy of its fight."""
        condition = condition_of(False, 1 if short else 0)
        fight = SimpleNamespace(**vars(self.fights[number][condition]))
        pool = self.cells[number][cell_of(count, short, condition)]
        fight.dice = self.rolls.dice[pool]
        return self.rolls.laws[pool], cast("FightFacts", fight)

    def _pool(self, strike: Strike, fight: FightFacts, dice: int) -> int:
        if fight.overcharge and (dice > 0 or strike.strike.by_throw):
            return self.rolls.pools_of(fight, [dice + card for card in self._cards])
        return self.rolls.pools_of(fight, [dice]) if dice > 0 else 0

    def tables(self, values: list[float]) -> Tables:
        """All of them as arrays; the same ones as the last time if nothing is new."""
        sizes = len(self.records), len(self.rolls.laws), len(values)
        if self._tables is None or sizes != self._sizes:
            self._tables, self._sizes = self._new_tables(values), sizes
        return self._tables

    def _new_tables(self, values: list[float]) -> Tables:
        tables: Any = empty_record(Tables)
        tables.number = len(self.records)
        first, bits, alias = aliases_of(self.rolls.laws)
        columns = {
            "strikes": [record[0] for record in self.records],
            "attacks": [record[1] for record in self.records],
            "targets": [record[2] for record in self.records],
            "fights": [[values_of_fight(fight) for fight in fights] for fights in self.fights],
            "first_cell": _firsts(self.cells),
            "pool_of": [each for cells in self.cells for each in cells],
            "dice": self.rolls.dice,
            "first": first,
            "bits": bits,
            "alias": alias,
            "values": values,
        }
        for name, column in columns.items():
            if len(column) > len(tables[name]):
                problem = f"{len(column)} {name.replace('_', ' ')} in one battle"
                raise InputError(problem, where="battle", allowed=f"up to {len(tables[name])}: fewer different units")
            if len(column):
                tables[name][: len(column)] = column
        return cast("Tables", tables)


def _firsts(lists: list[list[int]]) -> Any:
    return np.concatenate([[0], np.cumsum([len(each) for each in lists])[:-1]]).astype(np.int64)


class _Pair(NamedTuple):
    """Options of a unit against an enemy, and the strikes that it makes."""

    habit: PolicyName | None
    shooter: Shooter | None
    numbers: dict[int, int]  # by place among the blows
    shots: int

    @property
    def row(self) -> Any:
        """The row that it shoots with first."""
        return None if self.shooter is None else self.shooter.main


class Encoder:
    """Battles of the same units, in whatever order and by whatever terms: what they share is worked out once."""

    def __init__(self, ruleset: Ruleset) -> None:
        self._strikes = _Strikes(ruleset)
        self._pairs: dict[tuple[Any, ...], _Pair] = {}
        self._facts: dict[tuple[Any, ...], Any] = {}  # records of PAIR
        self._values: list[float] = []
        self._value_at: dict[tuple[Any, ...], tuple[int, bool, int]] = {}
        self._expected: dict[tuple[int, ...], float] = {}

    def encoded(self, scenario: BattleScenario) -> Encoded:
        """The tables of a battle."""
        self._scenario, fielded = scenario, scenario.fielded
        self._units = {side * MOST_UNITS + place: each for side in range(2) for place, each in enumerate(fielded[side])}
        encoding: Any = empty_record(Encoding)
        sides, units = np.zeros(UNITS, SIDE), np.zeros(UNITS, TARGET)
        self._set_terms(encoding)
        encoding.pairs[:] = _nothing()
        encoding.blasts[:] = NO_STRIKE
        encoding.carrier[:], encoding.cargo[:], encoding.fumes[:] = NONE, NONE, NONE
        for number, each in self._units.items():
            self._set_unit(encoding, number, each)
            sides[number], units[number] = _side(each), target_record(each.combatant)
        for number, each in self._units.items():
            choice = Choice(encoding.choice[number // MOST_UNITS])
            for other, enemy in self._units.items():
                if number // MOST_UNITS != other // MOST_UNITS:
                    encoding.pairs[number, other % MOST_UNITS] = self._facts_of(each, enemy, choice)
                if number != other and each.combatant.value("Spectacular Demise"):
                    blast = blast_on(each.combatant, enemy.combatant, 0)
                    encoding.blasts[number, other] = self._strikes.number(blast)
        pairs = encoding.pairs
        furthest = np.maximum(np.maximum(pairs["reach"], pairs["reach_rallying"]), pairs["charges"])
        encoding.furthest[:] = furthest.max(axis=1)
        encoding.rearms_on_lookout[:] = ((pairs["habit"] == Policy.LOOKOUT) & (pairs["rearms"] != 0)).any(axis=1)
        tables = self._strikes.tables(self._values)
        return Encoded(cast("Encoding", encoding), sides, units, tables)

    def _set_terms(self, encoding: Any) -> None:
        scenario, terms = self._scenario, self._scenario.terms
        deck = scenario.ruleset.deck.counts()
        encoding.disembark_within, encoding.disembark_by = length_of(terms.disembark_within), terms.disembark_by
        encoding.rounds, encoding.table = terms.rounds, length_of(terms.table)
        encoding.cards, encoding.hand_limit = deck.sum(), terms.hand_limit
        encoding.deck[: deck.sum()] = np.repeat(np.arange(len(deck)), deck)
        die = scenario.ruleset.die
        odds = odds_of(np.array(die.faces, np.int64), deck)
        encoding.heroic, encoding.strike, encoding.miss, encoding.die_sides = odds[:4]
        for cumulated, column in ((encoding.cards_up_to, odds.cards), (encoding.at_most, odds.at_most)):
            cumulated[:] = column[-1]
            cumulated[: len(column)] = column
        every = [each.combatant for each in self._units.values()]
        encoding.has_blasts = any(each.value("Spectacular Demise") for each in every)
        encoding.has_lookouts = any(each.habit == "lookout" for each in self._units.values())
        encoding.has_reserves = any(each.reserve for each in self._units.values())
        encoding.orders[:] = allowed_of_every_view()
        for side, name in enumerate(SIDES):
            units = scenario.fielded[side]
            encoding.units[side] = len(units)
            encoding.gives[side] = terms.of("initiative", name) == "give"
            encoding.hand[side] = Hand[terms.of("hand", name).upper()]
            encoding.order[side] = Turn[terms.of("order", name).upper()]
            encoding.choice[side] = Choice[terms.of("target", name).upper()]
            encoding.discard_below[side] = terms.of("discard_below", name)
            listed = list(range(len(units)))
            if encoding.order[side] == Turn.DEAREST:
                listed.sort(key=lambda place: -(units[place].unit.points or 0))
            encoding.listed[side, : len(units)] = np.array(listed) + side * MOST_UNITS
            commanders = [place + side * MOST_UNITS for place, each in enumerate(units) if each.commander]
            encoding.commanders[side] = len(commanders)
            encoding.commander_at[side, : len(commanders)] = commanders
        smokers = [number for number, each in self._units.items() if each.combatant.has("Corrosive Fumes")]
        encoding.smokers = len(smokers)
        encoding.smoker_at[: len(smokers)] = smokers

    def _set_unit(self, encoding: Any, number: int, each: Fielded) -> None:
        unit = each.combatant
        encoding.state[number] = unit_state.start_state(target_record(unit), 0)
        encoding.x[number], encoding.y[number] = each.x, each.y
        encoding.arrives[number] = self._scenario.terms.arrives if each.reserve else 0
        encoding.aircraft[number], encoding.commander[number] = bool(unit.aircraft), each.commander
        encoding.rating[number] = 1 if unit.victory_points is None else unit.victory_points
        encoding.hunts[number], encoding.throws[number] = unit.has("Hunter"), unit.has("Throw")
        encoding.stoic[number] = unit.has("Stoic Defence")
        encoding.fumes[number] = unit.rule_length("Corrosive Fumes") if unit.has("Corrosive Fumes") else NONE
        encoding.suffers[number] = not unit.has("Automata")
        encoding.models[number] = unit.models
        side = self._scenario.fielded[number // MOST_UNITS]
        whole = sum(other.unit.points or 0 for other in side)
        encoding.worth[number] = 100 * (each.unit.points or 0) / (whole * (unit.models or 1)) if whole else 0.0
        if each.unit.embarked_in is not None:
            carrier = self._number_of(each.unit.embarked_in, number // MOST_UNITS)
            encoding.carrier[number], encoding.cargo[carrier] = carrier, number
            encoding.has_transports = 1
        encoding.own_habit[number], encoding.holds[number] = Policy[each.habit.upper()], each.is_free

    def _number_of(self, name: str, side: int) -> int:
        names = [each.name for each in self._scenario.fielded[side]]
        return side * MOST_UNITS + names.index(name)

    def _facts_of(self, each: Fielded, enemy: Fielded, choice: Choice) -> Any:
        """Return a record of PAIR: the options of a unit against an enemy, by how its side chooses its targets."""
        key = (self._key(each, enemy), self._key(enemy, each), choice, each.unit.points, enemy.unit.points)
        if key not in self._facts:
            self._facts[key] = self._new_facts((each, enemy), choice)
        return self._facts[key]

    def _new_facts(self, fielded: tuple[Fielded, Fielded], choice: Choice) -> Any:
        mine, theirs = fielded[0].combatant, fielded[1].combatant
        pair = self._pair(*fielded)
        facts = _nothing()
        charged = min(2 * length_of(mine.speed or 0), LONGEST)
        for blow, strike in pair.numbers.items():
            facts.strikes[blow] = strike
        for blow, strike in self._struck_back(*fielded).items():
            facts.strikes[blow] = strike
        facts.shots = pair.shots
        if pair.habit is not None:
            facts.habit = Policy[pair.habit.upper()]
            if mine.may_charge(theirs, pair.habit):
                facts.charges = charged
        if pair.row is not None:
            long, within = min(length_of(pair.row.long_range), LONGEST), _within(pair.row)
            facts.reach_rallying, facts.within_rallying = long, within
            if pair.habit in SHOOTING:
                facts.reach, facts.within = long, within
        if pair.habit == "charge":
            facts.reach = charged
        if pair.shooter is not None:
            facts.rearms, facts.answered = pair.shooter.rearms, pair.shooter.is_answered
        facts.has_dice = pair.shots > 0 and self._strikes.has_dice(pair.numbers[0])
        self._set_value(facts, choice, fielded)
        if fielded[0].is_free and pair.habit is not None:
            hurts = self._share_of(pair, fielded) >= HURT
            facts.shunned = not hurts or pair.habit != fielded[0].habit
            if pair.habit == "charge" and not hurts:
                facts.habit = NO_HABIT
        return facts

    def _share_of(self, pair: _Pair, fielded: tuple[Fielded, Fielded]) -> float:
        """The share of an enemy that the first attack of a unit takes, both at full strength, not at short range."""
        mine, theirs = (each.combatant for each in fielded)
        strike = pair.numbers[Blow.CHARGE if pair.habit == "charge" else 0]
        count = 0 if mine.behemoth else mine.models or 1
        law, fight = self._strikes.law(strike, count, False)
        return share_of_damage(law, fight, theirs.models or 1)

    def _key(self, each: Fielded, enemy: Fielded) -> tuple[Any, ...]:
        """Return the key of everything that the options of a unit against an enemy depend on."""
        distance = lengths(each, enemy)
        reaching = tuple(distance is None or (row.long_range or 0) >= distance for row in each.combatant.rows or ())
        return id(each.combatant), id(enemy.combatant), each.habit, each.is_free, reaching

    def _pair(self, each: Fielded, enemy: Fielded) -> _Pair:
        key = self._key(each, enemy)
        if key not in self._pairs:
            self._pairs[key] = self._new_pair(each.combatant, enemy.combatant, each.habit, lengths(each, enemy))
        return self._pairs[key]

    def _new_pair(self, mine: Combatant, theirs: Combatant, own: PolicyName, distance: float | None) -> _Pair:
        habit = habit_against(own, mine, theirs)
        numbers: dict[int, int] = {}
        if habit is None:
            return _Pair(None, None, numbers, 0)
        shooter = Shooter(mine, theirs, habit, distance, self._scenario.ruleset, "a")
        if habit == "charge" and shooter.main is None and rows_to_shoot_with(mine, theirs, "shoot"):
            # One that cannot fail to rally shoots all the same when it has just got off (BT-3).
            shooter = Shooter(mine, theirs, "shoot", distance, self._scenario.ruleset, "a")
        shots = [self._strikes.number(shot) for shot in shooter.shots()[:MOST_SHOTS]]
        numbers |= dict(enumerate(shots))
        if own == "lookout" and habit == "lookout":
            numbers[Blow.REACTION] = self._strikes.number(shooter.reactions()[0])
        if mine.may_charge(theirs, habit):
            struck = blows(mine, theirs)
            numbers[Blow.CHARGE] = self._strikes.number(struck.charge)
            numbers[Blow.OVERRUN] = self._strikes.number(struck.overrun)
            numbers[Blow.THROW] = self._strikes.number(struck.throw)
        return _Pair(habit, shooter, numbers, len(shots))

    def _struck_back(self, each: Fielded, enemy: Fielded) -> dict[int, int]:
        """The strikes of a unit in answer to what an enemy does."""
        numbers: dict[int, int] = {}
        pair = self._pair(enemy, each)
        if pair.habit is not None and enemy.combatant.may_charge(each.combatant, pair.habit):
            struck = blows(enemy.combatant, each.combatant)
            numbers[Blow.SPONSONS] = self._strikes.number(struck.sponsons)
            numbers[Blow.RETALIATION] = self._strikes.number(struck.retaliation)
            numbers[Blow.RETALIATION_TO_OVERRUN] = self._strikes.number(struck.retaliation_to_overrun)
        if pair.shooter is not None and pair.shooter.is_answered:
            numbers[Blow.ANSWER] = self._strikes.number(pair.shooter.answers()[0])
        return numbers

    def _set_value(self, facts: Any, choice: Choice, fielded: tuple[Fielded, Fielded]) -> None:
        """Set the value of an enemy as a unit's target, at every strength of both (BT-4)."""
        if choice in (Choice.NEAREST, Choice.THREATENED_FIRST):
            return
        each, enemy = fielded
        if choice == Choice.MOST_DANGEROUS:
            strike, row = self._danger(enemy, each)
            struck, by = each, enemy
        else:
            pair = self._pair(each, enemy)
            first = pair.numbers.get(Blow.CHARGE if pair.habit == "charge" else 0)
            strike, row = first, None if pair.habit == "charge" else pair.row
            struck, by = enemy, each
        if strike is None:
            return
        models, points = struck.combatant.models or 0, (struck.unit.points or 0)
        key = (strike, choice, models, points)
        if key not in self._value_at:
            worth = 1.0 if choice != Choice.MOST_POINTS else points / models
            self._value_at[key] = len(self._values), bool(by.combatant.behemoth), strike
            self._values += self._values_of(strike, models, worth, choice == Choice.BEST_KILL)
        facts.value_at, facts.value_by_damage = self._value_at[key][:2]
        short = None if row is None or choice == Choice.MOST_DANGEROUS else row.short_range
        facts.value_short = min(length_of(short), LONGEST)

    def _danger(self, enemy: Fielded, each: Fielded) -> tuple[int | None, Any]:
        """The strike by which an enemy is dangerous to a unit: the row that it would shoot with, else its charge."""
        mine, theirs = enemy.combatant, each.combatant
        if rows_to_shoot_with(mine, theirs, "shoot"):
            shooter = Shooter(mine, theirs, "shoot", lengths(enemy, each), self._scenario.ruleset, "a")
            return self._strikes.number(shooter.shots()[0]), shooter.main
        if why_not("charge", mine, theirs) is None:
            return self._strikes.number(blows(mine, theirs).charge), None
        return None, None

    def _values_of(self, strike: int, models: int, worth: float, whole: bool) -> list[float]:
        """By count of models or damage, the target's models, and whether it is at short range."""
        values = []
        for count in range(len(self._strikes.cells[strike]) // CELLS_A_COUNT):
            pools = [self._strikes.law(strike, count, short) for short in (False, True)]
            for left in range(models + 1):
                for law, fight in pools:
                    values.append(worth * self._expected_of(law, fight, left, whole) if left else 0.0)
        return values

    def _expected_of(self, law: Law, fight: FightFacts, models: int, whole: bool) -> float:
        fight.models = fight.most_destroyed = models
        key = (id(law), *values_of_fight(fight), whole)
        if key not in self._expected:
            self._expected[key] = expected(law, fight, models, whole=whole)
        return self._expected[key]


def _nothing() -> Any:
    """The record of PAIR of who can do nothing."""
    facts = np.zeros(1, PAIR)[0]
    for name in ("habit", "reach", "within", "reach_rallying", "within_rallying", "charges", "strikes", "value_at"):
        facts[name] = -1
    return facts


def _within(row: Any) -> int:
    return min(length_of(row.short_range), LONGEST) if row.has("Indirect") else NONE


def _side(each: Fielded) -> SideFacts:
    unit = each.combatant
    numbers = {
        "distance": 0,
        "edge_distance": 0,
        "tracks_position": 0,
        "speed": length_of(unit.speed or 0),
        "berserk": unit.has("Berserk"),
        "runs_amok": unit.has("Run Amok"),
        "overrun": unit.has("Overrun") and unit.charge.overrun,
    }
    return side_facts(unit, (), **numbers)
