"""Strikes of a battle: records of integers, pools of dice, and expected gains for the look-ahead (BT-6)."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from analyser.common.errors import InputError
from analyser.common.kernel_records import empty_record, python_copy
from analyser.engine.battle.battle_data import (
    CELLS_PER_COUNT,
    CONDITIONS,
    LONGEST_LENGTH,
    MOST_SHOTS,
    NO_STRIKE,
    ROWS,
    Battle,
    Battlefield,
    Counts,
    Tables,
    cell_of,
    condition_of,
)
from analyser.engine.battle.gains import Pools, fill_gains
from analyser.engine.battle.position_value import fill_gains_of_all
from analyser.engine.battle.roll_tables import PoolDistributions, fights_by_condition
from analyser.engine.pool.alias import ScorePmf, aliases_of
from analyser.game.ruleset import Ruleset
from analyser.game.units import Row
from analyser.rules.attack import dice_of_cell
from analyser.rules.draws import DrawOdds, odds_of
from analyser.rules.house_rules import pack_die
from analyser.rules.structs import FIGHT, NONE, TARGET, FightFacts, StrikeFacts
from analyser.scenarios.attack import values_of_fight
from analyser.scenarios.fight_records import Strike, to_length
from analyser.scenarios.policies import Shooter, rows_to_shoot_with
from analyser.scenarios.schema import Combatant


class Strikes:
    """The distinct strikes of a battle, and their pools of dice."""

    def __init__(self, ruleset: Ruleset) -> None:
        faces = np.array(ruleset.die.sides_by_face, np.float64) / ruleset.die.sides
        self.rolls = PoolDistributions(faces)
        self._cards = range(int(ruleset.deck.counts().nonzero()[0].max()) + 1)
        self._numbers: dict[tuple[StrikeFacts, bytes, bytes, bytes], int] = {}
        self.records: list[tuple[StrikeFacts, Any, Any]] = []
        self.fights: list[list[FightFacts]] = []  # for each strike, as in `fights_by_condition`
        self.cells: list[list[int]] = []  # indices of the pools of each strike (:meth:`_cells`)
        self._tables: Tables | None = None
        self._sizes = (0, 0, 0)
        self._with_gains: Tables | None = None
        self._die = pack_die(ruleset.die)
        self._odds = odds_of(np.array(ruleset.die.sides_by_face, np.int64), ruleset.deck.counts())

    def index_of(self, strike: Strike | None) -> int:
        """Return the index of a strike, added if new; strikes that differ only in side, orders or marks are equal."""
        if strike is None:
            return NO_STRIKE
        record = strike.strike._replace(striker=0, orders=NONE, marks_striker=0)
        if self._die:
            strike = strike._replace(attack=strike.attack.copy())
            strike.attack.die = self._die
        key = (record, strike.attack.tobytes(), strike.target.tobytes(), strike.dice.tobytes())
        if key not in self._numbers:
            self._numbers[key] = len(self.records)
            self.records.append((record, strike.attack, strike.target))
            self.fights.append(fights_by_condition(strike.attack, strike.target))
            self.cells.append(self._cells(strike, self.fights[-1]))
        return self._numbers[key]

    def has_dice(self, number: int) -> bool:
        """Return True if a strike has dice for every number of models (or damage) that a unit on the table can have."""
        cells, first = self.cells[number], 0 if self.records[number][0].by_damage else 1
        counts = range(first, len(cells) // CELLS_PER_COUNT)
        condition = condition_of(False, 0)
        return all(cells[cell_of(count, short, condition)] for count in counts for short in (False, True))

    def _cells(self, strike: Strike, fights: list[FightFacts]) -> list[int]:
        """Return the index of the dice pool for each count (models or damage), range and condition, as in `cell_of`."""
        fixed = strike.strike.fixed_dice
        counts = strike.dice if fixed == NONE else np.array([(fixed, NONE)])
        cells = [0] * (CELLS_PER_COUNT * len(counts))
        pools: dict[tuple[bool, int, int], int] = {}  # many counts have the same dice
        attack, target = python_copy(strike.attack), python_copy(strike.target)
        for short in (False, True):
            for count, (value, in_parentheses) in enumerate(counts.tolist()):
                dice = value if fixed != NONE else dice_of_cell(attack, target, value, in_parentheses, int(short))
                for condition, fight in enumerate(fights[CONDITIONS * short :][:CONDITIONS]):
                    key = short, condition, dice
                    if key not in pools:
                        pools[key] = self._pool(strike, fight, dice)
                    cells[cell_of(count, short, condition)] = pools[key]
        return cells

    def score_pmf(self, number: int, count: int, short: bool) -> tuple[ScorePmf, FightFacts]:
        """Return the distribution of a strike's score by `count` models (or damage), and a copy of its fight."""
        condition = condition_of(False, 1 if short else 0)
        fight = SimpleNamespace(**vars(self.fights[number][condition + CONDITIONS * short]))
        pool = self.cells[number][cell_of(count, short, condition)]
        fight.dice = self.rolls.dice[pool]
        return self.rolls.pmfs[pool], cast("FightFacts", fight)

    def _pool(self, strike: Strike, fight: FightFacts, dice: int) -> int:
        if fight.overcharge and (dice > 0 or strike.strike.by_throw):
            return self.rolls.pools_of(fight, [dice + card for card in self._cards])
        return self.rolls.pools_of(fight, [dice]) if dice > 0 else 0

    def tables(self, values: list[float], *, gains: bool) -> Tables:
        """Return all strikes and the `values` of targets (BT-4) as arrays, with expected gains if `gains` (BT-6)."""
        sizes = len(self.records), len(self.rolls.pmfs), len(values)
        if self._tables is None or sizes != self._sizes:
            self._tables, self._sizes = self._new_tables(values), sizes
        if gains and self._with_gains is not self._tables:
            set_gains(self._tables, self.cells, self.fights, self.rolls, self._odds)
            self._with_gains = self._tables
        return self._tables

    def _new_tables(self, values: list[float]) -> Tables:
        tables: Any = empty_record(Tables)
        tables.number = len(self.records)
        first, bits, alias = aliases_of(self.rolls.pmfs)
        columns: dict[str, Any] = {
            "strikes": [record[0] for record in self.records],
            "attacks": [record[1] for record in self.records],
            "targets": [record[2] for record in self.records],
            "fights": [[values_of_fight(fight) for fight in fights] for fights in self.fights],
            "first_cell": np.cumsum([0, *map(len, self.cells[:-1])]),
            "pool_of": [cell for cells in self.cells for cell in cells],
            "dice": self.rolls.dice,
            "first": first,
            "bits": bits,
            "alias": alias,
            "values": values,
        }
        for name, column in columns.items():
            if len(column) > len(tables[name]):
                problem = f"the battle is too large: {len(column)} entries of {name}"
                allowed = f"up to {len(tables[name])}; use fewer different units"
                raise InputError(problem, where="battle", allowed=allowed)
            if len(column):
                tables[name][: len(column)] = column
        return cast("Tables", tables)


_SECONDS_PER_PAIR = 0.0007  # seconds that interpreted `fill_gains_of_all` takes per pair of units
POINTS_PER_VICTORY_POINT = 100.0  # points of a unit that the look-ahead counts as one victory point


def set_gains(
    tables: Any, cells: Sequence[Sequence[int]], fights: Any, rolls: PoolDistributions, odds: DrawOdds
) -> None:
    """Fill `tables` with the expected gains of strikes, computed once for each strike, pool and effective DEFENCE."""
    jobs: list[tuple[int, int, int, int]] = []
    targets, gains_of = tables.targets, tables.gains_of
    start, index = 1 + int((targets["models"] * targets["damage_limit"]).max()), 0  # all gains before `start` are 0
    for strike, strike_cells in enumerate(cells):
        starts: dict[tuple[int, int], int] = {}
        health = int(targets[strike]["models"] * targets[strike]["damage_limit"])
        defences = [fight.defence for fight in fights[strike]]
        for cell, pool in enumerate(strike_cells):
            condition = cell % (2 * CONDITIONS)
            key = pool, defences[condition]
            if pool and key not in starts:
                starts[key] = start
                jobs.append((strike, condition, pool, start))
                start += health + 1
            gains_of[index] = starts.get(key, 0)
            index += 1
    if start > len(tables.gains):
        problem = f"{start} expected gains in one battle"
        raise InputError(problem, where="battle", allowed=f"up to {len(tables.gains)}; use fewer different units")
    tables.gains[:start] = 0.0
    scratch = np.zeros(1, FIGHT), np.zeros(1, TARGET)
    fill_gains(tables, _pools(rolls.pmfs, odds), odds, np.array(jobs, np.int64).reshape(-1, 4), scratch)


def set_look_ahead(setup: Any, tables: Tables, sides: Any, units: Any) -> None:
    """Store in `setup` the gains and ranges of the attacks of each unit, at full strength, on each enemy."""
    field: Any = empty_record(Battlefield)
    battle = Battle(setup, tables, field, empty_record(Counts))
    field.sides[:], field.units[:] = sides, units
    seconds = _SECONDS_PER_PAIR * int(setup.units[0] * setup.units[1])
    if fill_gains_of_all.compiling_pays(seconds):
        fill_gains_of_all.compile_for(seconds)
        fill_gains_of_all(battle)
    else:
        with fill_gains_of_all.interpreting():
            fill_gains_of_all.function(battle)


def _pools(pmfs: Sequence[ScorePmf], odds: DrawOdds) -> Pools:
    sizes = [len(pmf) for pmf in pmfs]
    scores = [score for pmf in pmfs for score in pmf]
    probabilities = [probability for pmf in pmfs for probability in pmf.values()]
    cards = np.diff(odds.probability_up_to, prepend=0.0)
    return Pools(np.cumsum([0, *sizes]), np.array(scores, np.int64), np.array(probabilities), cards)


def shot_rows(unit: Combatant, enemy: Combatant, ruleset: Ruleset, strikes: Strikes) -> Any:
    """Return a record of ROWS: the ranged attacks that a unit can choose against an enemy (BT-6)."""
    facts = np.zeros(1, ROWS)[0]
    attacks = [
        (row_index, row, overcharge)
        for row_index, row in enumerate(rows_to_shoot_with(unit, enemy, "shoot"))
        for overcharge in (False, True)[: 1 + row.has("Overcharge")]
    ][:MOST_SHOTS]
    if not attacks:
        return facts
    shooter = Shooter(unit, enemy, "shoot", None, ruleset, "a")
    facts["number"] = len(attacks)
    for index, (row_index, row, overcharge) in enumerate(attacks):
        facts["strikes"][index] = strikes.index_of(shooter.strike(row, overcharge=overcharge))
        facts["row"][index] = row_index
        facts["long"][index] = min(to_length(row.long_range or 0), LONGEST_LENGTH)
        facts["short"][index] = min(to_length(row.short_range), LONGEST_LENGTH)
        facts["within"][index] = least_range(row)
        facts["still"][index], facts["reloads"][index] = row.has("Move or Fire"), row.has("Slow to Fire")
        facts["near"][index] = row.has("Point Blank")
    return facts


def least_range(row: Row) -> int:
    """Return the short range in which an Indirect row cannot fire, in hundredths of an inch; NONE for other rows."""
    return min(to_length(row.short_range), LONGEST_LENGTH) if row.has("Indirect") else NONE
