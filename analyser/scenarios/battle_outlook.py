"""Numbers for the look-ahead of a battle: tactics and expected gains (BT-6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from analyser.common.errors import InputError
from analyser.common.records import empty_record
from analyser.engine.battle.gains import Pools, fill_gains
from analyser.engine.battle.position_value import look_around
from analyser.engine.battle.roll_tables import Rolls
from analyser.engine.battle.tables import CONDITIONS, LONGEST, MOST_SHOTS, ROWS, Battle, Counts, Field, Tables
from analyser.engine.pool.alias import Law
from analyser.game.ruleset import Ruleset
from analyser.game.units import Row
from analyser.rules.draws import Odds
from analyser.rules.structs import FIGHT, NONE, TARGET
from analyser.scenarios.policies import Shooter, rows_to_shoot_with
from analyser.scenarios.schema import Combatant
from analyser.scenarios.strikes import length_of

if TYPE_CHECKING:
    from analyser.scenarios.battle_strikes import Strikes

_SECONDS_A_PAIR = 0.0007  # time of the interpreter for a pair of units
POINTS_A_VICTORY_POINT = 100.0  # points of a unit that count as one victory point


def set_gains(tables: Any, cells: Sequence[Sequence[int]], fights: Any, rolls: Rolls, odds: Odds) -> None:
    """Fill the expected gains of all strikes in `tables`; computed once for each pool and effective DEFENCE."""
    jobs: list[tuple[int, int, int, int]] = []
    start, place = 0, 0
    targets, gains_of = tables.targets, tables.gains_of
    for strike, of_strike in enumerate(cells):
        first: dict[tuple[int, int], int] = {}
        health = int(targets[strike]["models"] * targets[strike]["damage_limit"])
        defences = [fight.defence for fight in fights[strike]]
        for cell, pool in enumerate(of_strike):
            condition = cell % (2 * CONDITIONS)
            key = pool, defences[condition]
            if pool and key not in first:
                first[key] = start
                jobs.append((strike, condition, pool, start))
                start += health + 1
            gains_of[place] = first.get(key, 0)
            place += 1
    if start > len(tables.gains):
        problem = f"{start} expected gains in one battle"
        raise InputError(problem, where="battle", allowed=f"up to {len(tables.gains)}: fewer different units")
    tables.gains[:start] = 0.0
    fill_gains(
        tables,
        _pools(rolls.laws, odds),
        odds,
        np.array(jobs, np.int64).reshape(-1, 4),
        (np.zeros(1, FIGHT), np.zeros(1, TARGET)),
    )


def look_ahead(encoding: Any, tables: Tables, sides: Any, units: Any) -> None:
    """Fill in the gains of each unit at full strength from attacks on each enemy, and its reach."""
    battle = _battle(encoding, tables)
    field: Any = battle.field
    field.sides[:], field.units[:] = sides, units
    seconds = _SECONDS_A_PAIR * int(encoding.units[0] * encoding.units[1])
    if look_around.pays(seconds):
        look_around.expect(seconds)
        look_around(battle)
    else:
        with look_around.interpreting():
            look_around.function(battle)


def _battle(encoding: Any, tables: Tables) -> Battle:
    return Battle(encoding, tables, empty_record(Field), empty_record(Counts))


def _pools(laws: Sequence[Law], odds: Odds) -> Pools:
    sizes = [len(law) for law in laws]
    scores = [score for law in laws for score in law]
    probabilities = [probability for law in laws for probability in law.values()]
    cards = np.diff(odds.at_most, prepend=0.0)
    return Pools(np.cumsum([0, *sizes]), np.array(scores, np.int64), np.array(probabilities), cards)


def rows_of(mine: Combatant, theirs: Combatant, ruleset: Ruleset, strikes: Strikes) -> Any:
    """Return a record of ROWS: the ranged attacks that a unit can choose against an enemy (BT-6)."""
    facts = np.zeros(1, ROWS)[0]
    attacks = [
        (place, row, overcharge)
        for place, row in enumerate(rows_to_shoot_with(mine, theirs, "shoot"))
        for overcharge in (False, True)
        if row.has("Overcharge") or not overcharge
    ][:MOST_SHOTS]
    if not attacks:
        return facts
    shooter = Shooter(mine, theirs, "shoot", None, ruleset, "a")
    facts["number"] = len(attacks)
    for at, (place, row, overcharge) in enumerate(attacks):
        facts["strikes"][at] = strikes.number(shooter.strike(row, overcharge=overcharge))
        facts["row"][at] = place
        facts["long"][at] = min(length_of(row.long_range or 0), LONGEST)
        facts["short"][at], facts["within"][at] = min(length_of(row.short_range), LONGEST), within(row)
        facts["still"][at], facts["reloads"][at] = row.has("Move or Fire"), row.has("Slow to Fire")
        facts["near"][at] = row.has("Point Blank")
    return facts


def within(row: Row) -> int:
    """Return the least range at which a row fires, in hundredths of an inch: short range if Indirect, else NONE."""
    return min(length_of(row.short_range), LONGEST) if row.has("Indirect") else NONE
