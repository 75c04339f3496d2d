"""Strikes: rows and circumstances as the records of a longer fight for the engines."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import cached_property, lru_cache
from types import SimpleNamespace
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from analyser.common.errors import InputError
from analyser.common.records import plain
from analyser.engine.fight.best.choice_program import Choice
from analyser.engine.fight.program import MOST_STRIKES, SETUP, Operation, Setup
from analyser.engine.fight.step_builder import UnitFacts, add_fixed, set_defaults, set_side
from analyser.game.ruleset import Die, Rating
from analyser.game.units import MOST_DICE, Band, hundredths
from analyser.rules import charge_strikes, unit_state
from analyser.rules.house_rules import IS_A, pack_die
from analyser.rules.shots import DICE_PER_CARRIAGE
from analyser.rules.structs import ATTACK, INCH, NONE, TARGET, SideFacts, StrikeFacts
from analyser.scenarios.attack import attack_record, house_rules_in, shared, target_record
from analyser.scenarios.resolve import row_facts
from analyser.scenarios.schema import Attack, Combatant, Target


class _QuickRecord(np.record):  # type: ignore[misc]  # only the stubs call it final
    """A record that passes quickly to compiled kernels: NumPy does not describe its hundreds of fields each time."""

    @property
    def data(self) -> Any:
        """Its memory as bytes."""
        return np.frombuffer(self, np.uint8)


_SETUP = np.dtype((_QuickRecord, SETUP))
_DICE = SETUP.fields["dice"][1], SETUP.fields["dice"][1] + SETUP["dice"].itemsize  # type: ignore[index]  # most of SETUP


class Strike(NamedTuple):
    """A strike with its records of ATTACK and TARGET, which strikes share: copy a record to change it."""

    strike: StrikeFacts
    attack: Any
    target: Any
    dice: NDArray[np.int64]  # (counts, 2): by count of models or damage, the value and the one in parentheses


_USUAL = SimpleNamespace(striker=0)
set_defaults(_USUAL)


def strike_facts(**facts: Any) -> StrikeFacts:
    """Return the facts of a strike; omitted ones have their defaults."""
    return StrikeFacts(**(vars(_USUAL) | facts))


_FLAGS = ("Static", "Hunter", "Onslaught", "Overrun", "Storming Party", "Stoic Defence", "Berserk", "Run Amok")


def unit_facts(unit: Combatant) -> UnitFacts:
    """Return the facts of a unit in a fight that composers read."""
    ids, charge = [row.id for row in unit.rows or ()], unit.charge
    named = unit.close_quarters_row
    return UnitFacts(
        type=NONE if unit.type is None else charge_strikes.TYPES.index(unit.type),
        speed=length_of(unit.speed or 0),
        victory_points=NONE if unit.victory_points is None else unit.victory_points,
        edge_distance=length_of(unit.edge_distance),
        veteran=unit.veteran or 0,
        all_out_attack=unit.value("All-Out Attack"),
        sponsons=unit.value("Sponsons"),
        tail_gunner=unit.value("Tail Gunner"),
        spectacular_demise=unit.value("Spectacular Demise"),
        throws=int(unit.has("Throw")),
        throw_reach=unit.rule_length("Throw") or NONE,
        fumes=unit.rule_length("Corrosive Fumes") if unit.has("Corrosive Fumes") else NONE,
        on_lookout=int(unit.on_lookout),
        reloading=int(unit.reloading),
        ammo_supply=int(unit.ammo_supply),
        concealed=int(unit.concealed),
        overcharges=int(unit.overcharge),
        carriages=unit.carriages,
        withdraws_without_room=unit.withdraws_without_room,
        supported=int(charge.supported),
        threatened=int(charge.threatened),
        outflanking=int(charge.outflanking),
        difficult_terrain=int(charge.difficult_terrain),
        overruns=int(charge.overrun),
        close_quarters_row=ids.index(named) if named in ids else NONE,
        capacity=unit.capacity or 0,
        passengers=NONE if unit.passengers is None else unit.passengers.models or 0,
        **{name.lower().replace(" ", "_"): int(unit.has(name)) for name in _FLAGS},
    )


class Fighter:
    """A unit as composers read it: facts, target and rows, as in the module of the calculator."""

    def __init__(self, unit: Any, beside: Sequence[Combatant] = ()) -> None:
        self.unit = unit
        self.beside = beside  # other units of its side in contact (AC-8.7)
        self.target = [plain(target_record(unit))]

    @cached_property
    def facts(self) -> list[UnitFacts]:
        """Facts for composers."""
        facts = unit_facts(self.unit)
        if not self.beside:
            return [facts]
        fumes = max(facts.fumes, *(unit_facts(unit).fumes for unit in self.beside))
        return [facts._replace(accompanied=1, fumes=fumes)]

    @cached_property
    def rows(self) -> list[SimpleNamespace]:
        """Rows of the armaments grid."""
        return [SimpleNamespace(facts=[row_facts(row)]) for row in self.unit.rows or ()]

    @property
    def n_rows(self) -> int:
        """Number of its rows."""
        return len(self.rows)

    def dice_of(self, row: int) -> NDArray[np.int64]:
        """Return the cells of a row by models or damage."""
        unit = self.unit
        most = (unit.damage_limit or 1) if unit.behemoth else (unit.models or 1)
        carriages = unit.carriages if unit.rows[row].has("Full Steam Ahead") else 0
        return _dice_by_count(unit.rows[row].bands, most, DICE_PER_CARRIAGE * carriages)

    def attack_of(self, row: int) -> SimpleNamespace:
        """Return the attack of a row without dice and circumstances."""
        unit = self.unit
        keys = {"extra_reroll": unit.extra_reroll, "attacker_damage_limit": unit.damage_limit}
        keys |= {"veteran": min(unit.veteran or 0, MOST_DICE), "qualities": unit.rows[row].qualities}
        of_unit = {"is_a": IS_A[unit.type] | IS_A[unit.category]}
        of_unit |= house_rules_in("attacking", (*unit.rows[row].qualities, *unit.keywords))
        return SimpleNamespace(**(_attack_with(**keys) | of_unit))


@lru_cache(maxsize=4096)  # many fights have the same rows
def _attack_with(**keys: Any) -> dict[str, int]:
    record: Any = attack_record(Attack(dice=1, **keys))
    numbers: dict[str, int] = vars(plain(record))
    return numbers


@lru_cache(maxsize=4096)
def _record(is_attack: bool, numbers: tuple[int, ...]) -> Any:
    """Return a record of an attack or a target that strikes share."""
    return shared(np.array([numbers], ATTACK if is_attack else TARGET)[0])


class Draft:
    """Steps of a fight as Python composes them (:mod:`analyser.engine.fight.step_builder`); parts share its strikes."""

    def __init__(self, units: Sequence[Any], beside: Sequence[Combatant] = (), **fight: int) -> None:
        fighters = [Fighter(units[0]), Fighter(units[1], beside)]
        self.question = SimpleNamespace(units=fighters, fight=[SimpleNamespace(**fight)])
        sides = [SimpleNamespace(), SimpleNamespace()]
        self.setup = SimpleNamespace(strikes=[], attacks=[], targets=[], dice=[], sides=sides)
        self.lines: list[Operation | Choice] = []

    def part(self, lines: Sequence[Operation | Choice] = ()) -> Any:
        """Return a part of the course with those lines."""
        part = copy(self)
        part.lines = list(lines)
        return part

    def new_strike(self, striker: int, row: int) -> int:
        """Add a strike of a side with one of its rows, or with none (NONE); return its index."""
        fighter, setup = self.question.units[striker], self.setup
        strike = copy(_USUAL)
        strike.striker = striker
        setup.strikes.append(strike)
        setup.targets.append(copy(self.question.units[1 - striker].target[0]))
        if row == NONE:
            setup.attacks.append(SimpleNamespace(**_attack_with(qualities=(), attacker_damage_limit=1)))
            setup.dice.append(None)
        else:
            setup.attacks.append(fighter.attack_of(row))
            setup.dice.append(fighter.dice_of(row))
        return len(setup.strikes) - 1

    def add_others(self, active: int, inside: int, orders: int) -> None:
        """Append the attacks of other units of the charged side in contact (AC-8.7); there are none in this draft."""

    def adopt(self, other: Draft, number: int) -> int:
        """Add a strike of another draft; return its index here."""
        for part, parts in vars(self.setup).items():
            if part != "sides":
                parts.append(vars(other.setup)[part][number])
        return len(self.setup.strikes) - 1

    def strikes(self) -> list[Strike]:
        """Return the strikes as engines read them."""
        setup = self.setup
        return [
            Strike(
                StrikeFacts(**vars(strike)),
                _record(True, tuple(vars(attack).values())),
                _record(False, tuple(vars(target).values())),
                np.array([(strike.fixed_dice, NONE)]) if dice is None else dice,
            )
            for strike, attack, target, dice in zip(setup.strikes, setup.attacks, setup.targets, setup.dice)
        ]

    def sides(self) -> list[SideFacts]:
        """Return the facts of both sides."""
        return [SideFacts(**vars(side)) for side in self.setup.sides]

    def check_room(self, full: int, length: int, where: str) -> None:
        """Raise InputError if the states of side `full` cannot hold positions so far apart; NONE if they can."""
        if full == NONE:
            return
        side = self.setup.sides[full]
        room = 1 << unit_state.STATE_BITS - side.position_bit
        steps = (candidate for candidate in range(side.stride + 1, INCH + 1) if INCH % candidate == 0)
        finest = next((step for step in steps if length // step < 2 * room - 2), None)
        problem = f"lengths in steps of {side.stride / INCH:g} inches lead to more places than a state has room for"
        coarser = "" if finest is None else f"lengths in steps of {finest / INCH:g} inches, or "
        raise InputError(problem, where=where, allowed=f"{coarser}fewer rounds")


def fixed_strike(dice: int, rating: Rating, struck: Target, *, veteran: int = 0, striker: int) -> Strike:
    """Return a strike back with that many dice, at a stated rating and without qualities (AC-7)."""
    draft: Any = Draft((struck, struck))
    add_fixed(draft, striker, dice, rating, veteran, 1)
    return cast("Draft", draft).strikes()[0]


@lru_cache(maxsize=4096)
def _dice_by_count(bands: tuple[Band, ...], most: int, more: int) -> NDArray[np.int64]:
    """Return the cells of a row for 0 to `most` models or damage, plus `more` dice; NONE without a value (AC-2.4)."""
    dice = np.full((most + 1, 2), NONE, np.int64)
    for band in reversed(bands):  # if two bands cover a count, the first one counts
        covered = slice(band.first, band.last + 1)
        dice[covered, 0] = band.dice + more
        dice[covered, 1] = NONE if band.special is None else band.special + more
    return dice


def length_of(inches: float | None) -> int:
    """Return a length in hundredths of an inch; NONE for None."""
    return NONE if inches is None else hundredths(inches)


def side_facts(combatant: Combatant, **more: int) -> SideFacts:
    """Return the facts of a side in any fight, without an enemy near; `more` are those of this kind of fight."""
    draft: Any = Draft((combatant, combatant))
    set_side(draft, 0)
    return cast("Draft", draft).sides()[0]._replace(fumes_reach=NONE, **more)


def setup_for(
    sides: Sequence[SideFacts], combatants: Sequence[Target], strikes: Sequence[Strike], die: Die | None = None
) -> Setup:
    """Return the setup of a fight between two sides; InputError for more strikes than a program can hold.

    `die` defaults to the faces of the rules.
    """
    if len(strikes) > MOST_STRIKES:
        problem = f"{len(strikes)} different attacks in one fight"
        raise InputError(problem, where="rows", allowed=f"up to {MOST_STRIKES}")
    setup = np.empty(1, _SETUP)  # parts of an array are faster to access than those of a record
    memory, (first, last) = setup.view(np.uint8), _DICE
    memory[:first], memory[last:] = 0, 0
    setup["dice_entries"] = counts = max((len(strike.dice) for strike in strikes), default=1)
    setup["dice"][0, : len(strikes), :, :counts] = NONE  # leaving the unused entries untouched saves time
    for side in range(2):
        setup["sides"][0, side] = sides[side]
        setup["units"][0, side] = target_record(combatants[side])
        if (passengers := getattr(combatants[side], "passengers", None)) is not None:
            aboard = target_record(passengers).copy()
            aboard.exposed = NONE
            aboard.close_formation = True  # aboard no model is nearest to the enemy, so the officer is the last to fall
            setup["passengers"][0, side] = aboard
    parts = setup["strikes"][0], setup["attacks"][0], setup["targets"][0]
    for number, strike in enumerate(strikes):
        for part, record in zip(parts, strike[:3]):
            part[number] = record
        setup["dice"][0, number, :, : len(strike.dice)] = strike.dice.T
    if die is not None and (faces := pack_die(die)):
        setup["attacks"]["die"][0, : len(strikes)] = faces
    return cast("Setup", setup[0])
