"""The strikes of a battle as records of integers, and the pools of dice that they roll."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from analyser.common.errors import InputError
from analyser.common.records import empty_record, plain
from analyser.engine.battle.roll_tables import Rolls, fights_by_condition
from analyser.engine.battle.tables import CELLS_A_COUNT, CONDITIONS, NO_STRIKE, Tables, cell_of, condition_of
from analyser.engine.pool.alias import Law, aliases_of
from analyser.game.ruleset import Ruleset
from analyser.rules.attack import dice_of_cell
from analyser.rules.draws import odds_of
from analyser.rules.house_rules import packed_die
from analyser.rules.structs import NONE, FightFacts, StrikeFacts
from analyser.scenarios.attack import values_of_fight
from analyser.scenarios.battle_outlook import set_gains
from analyser.scenarios.strikes import Strike


class Strikes:
    """The distinct strikes of a battle, and their pools."""

    def __init__(self, ruleset: Ruleset) -> None:
        faces = np.array(ruleset.die.faces, np.float64) / ruleset.die.sides
        self.rolls = Rolls(faces)
        self._cards = range(int(ruleset.deck.counts().nonzero()[0].max()) + 1)
        self._numbers: dict[tuple[StrikeFacts, bytes, bytes, bytes], int] = {}
        self.records: list[tuple[StrikeFacts, Any, Any]] = []
        self.fights: list[list[FightFacts]] = []  # indices: strike, condition
        self.cells: list[list[int]] = []
        self._tables: Tables | None = None
        self._sizes = (0, 0, 0)
        self._with_gains: Tables | None = None
        self._die = packed_die(ruleset.die)
        self._odds = odds_of(np.array(ruleset.die.faces, np.int64), ruleset.deck.counts())

    def number(self, strike: Strike | None) -> int:
        """Return the index of a strike; its side and the orders for it are ignored."""
        if strike is None:
            return NO_STRIKE
        record = strike.strike._replace(striker=0, orders=NONE, marks=0)
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
        """Return True if a strike has dice at every strength of a unit on the field."""
        cells, first = self.cells[number], 0 if self.records[number][0].by_damage else 1
        counts = range(first, len(cells) // CELLS_A_COUNT)
        condition = condition_of(False, 0)
        return all(cells[cell_of(count, short, condition)] for count in counts for short in (False, True))

    def _cells(self, strike: Strike, fights: list[FightFacts]) -> list[int]:
        fixed = strike.strike.fixed_dice
        counts = strike.dice if fixed == NONE else np.array([(fixed, NONE)])
        cells = [0] * (CELLS_A_COUNT * len(counts))
        pools: dict[tuple[bool, int, int], int] = {}  # most numbers of models have the dice of a number before
        attack, target = plain(strike.attack), plain(strike.target)
        for short in (False, True):
            for count, (dice, other) in enumerate(counts.tolist()):
                rolled = dice if fixed != NONE else dice_of_cell(attack, target, dice, other, int(short))
                for condition, fight in enumerate(fights[CONDITIONS * short :][:CONDITIONS]):
                    key = short, condition, rolled
                    if key not in pools:
                        pools[key] = self._pool(strike, fight, rolled)
                    cells[cell_of(count, short, condition)] = pools[key]
        return cells

    def law(self, number: int, count: int, short: bool) -> tuple[Law, FightFacts]:
        """Return the distribution of a strike's score for `count` models (or damage), and a copy of its fight."""
        condition = condition_of(False, 1 if short else 0)
        fight = SimpleNamespace(**vars(self.fights[number][condition + CONDITIONS * short]))
        pool = self.cells[number][cell_of(count, short, condition)]
        fight.dice = self.rolls.dice[pool]
        return self.rolls.laws[pool], cast("FightFacts", fight)

    def _pool(self, strike: Strike, fight: FightFacts, dice: int) -> int:
        if fight.overcharge and (dice > 0 or strike.strike.by_throw):
            return self.rolls.pools_of(fight, [dice + card for card in self._cards])
        return self.rolls.pools_of(fight, [dice]) if dice > 0 else 0

    def tables(self, values: list[float]) -> Tables:
        """Return all strikes as arrays; cached until one is added."""
        sizes = len(self.records), len(self.rolls.laws), len(values)
        if self._tables is None or sizes != self._sizes:
            self._tables, self._sizes = self._new_tables(values), sizes
        return self._tables

    def tables_with_gains(self, values: list[float]) -> Tables:
        """Return all strikes as arrays, with expected gains (BT-6)."""
        tables = self.tables(values)
        if self._with_gains is not tables:
            set_gains(tables, self.cells, self.fights, self.rolls, self._odds)
            self._with_gains = tables
        return tables

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
            "pool_of": [cell for cells in self.cells for cell in cells],
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
    return np.concatenate([[0], np.cumsum([len(fights) for fights in lists])[:-1]]).astype(np.int64)
