"""Records of the units and strikes of a fight with several steps, in the form that the engines read."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import cached_property, lru_cache
from types import SimpleNamespace
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from analyser.common.errors import InputError
from analyser.common.kernel_records import python_copy
from analyser.engine.fight.best.choice_program import Choice
from analyser.engine.fight.program import MOST_STRIKES, SETUP, Operation, Setup
from analyser.engine.fight.step_builder import UnitFacts, set_defaults, set_side
from analyser.game.keywords import field_name
from analyser.game.ruleset import Die
from analyser.game.units import MOST_DICE, Band, hundredths
from analyser.rules import charge_strikes, unit_state
from analyser.rules.house_rules import IS_A, pack_die
from analyser.rules.shots import DICE_PER_CARRIAGE
from analyser.rules.structs import ATTACK, INCH, NONE, TARGET, SideFacts, StrikeFacts
from analyser.scenarios.attack import attack_record, freeze, house_rule_fields, target_record
from analyser.scenarios.resolve import row_facts
from analyser.scenarios.schema import Attack, Combatant, Target


class _QuickRecord(np.record):  # type: ignore[misc]  # only the stubs call it final
    """A record with a fast property `data`; that of NumPy describes hundreds of fields at every kernel call."""

    @property
    def data(self) -> Any:
        """The memory of the record as bytes."""
        return np.frombuffer(self, np.uint8)


_SETUP = np.dtype((_QuickRecord, SETUP))
_DICE_START = SETUP.fields["dice"][1]  # type: ignore[index]
_DICE_END = _DICE_START + SETUP["dice"].itemsize  # the dice are most of the memory of SETUP


class Strike(NamedTuple):
    """A strike with its records of ATTACK and TARGET; strikes share these records, so copy one before you change it."""

    strike: StrikeFacts
    attack: Any
    target: Any
    dice: NDArray[np.int64]  # row N: dice, and dice in parentheses, with N models (or damage); NONE: no dice


_DEFAULT_STRIKE = SimpleNamespace(striker=0)
set_defaults(_DEFAULT_STRIKE)


def strike_facts(**facts: Any) -> StrikeFacts:
    """Return the facts of a strike, with defaults for facts that are not stated."""
    return StrikeFacts(**(vars(_DEFAULT_STRIKE) | facts))


_RULES = ("Static", "Hunter", "Onslaught", "Overrun", "Storming Party", "Stoic Defence", "Berserk", "Run Amok")
_RULES_WITH_X = ("All-Out Attack", "Sponsons", "Tail Gunner", "Spectacular Demise")
_KEYS = ("on_lookout", "reloading", "ammo_supply", "concealed", "carriages", "withdraws_without_room")
_KEYS_OF_CHARGE = ("supported", "threatened", "outflanking", "difficult_terrain")


def unit_facts(unit: Combatant) -> UnitFacts:
    """Return the facts of a unit for :mod:`analyser.engine.fight.step_builder`."""
    ids, stated_row = [row.id for row in unit.rows or ()], unit.close_quarters_row
    return UnitFacts(
        type=NONE if unit.type is None else charge_strikes.TYPES.index(unit.type),
        speed=to_length(unit.speed or 0),
        victory_points=NONE if unit.victory_points is None else unit.victory_points,
        edge_distance=to_length(unit.edge_distance),
        veteran=unit.veteran or 0,
        throws=int(unit.has("Throw")),
        throw_reach=unit.rule_length("Throw") or NONE,
        fumes=unit.rule_length("Corrosive Fumes"),
        overcharges=int(unit.overcharge),
        overruns=int(unit.charge.overrun),
        close_quarters_row=ids.index(stated_row) if stated_row in ids else NONE,
        capacity=unit.capacity or 0,
        passengers=NONE if unit.passengers is None else unit.passengers.models or 0,
        **{field_name(name): int(unit.has(name)) for name in _RULES},
        **{field_name(name): unit.value(name) for name in _RULES_WITH_X},
        **{key: int(getattr(unit, key)) for key in _KEYS},
        **{key: int(getattr(unit.charge, key)) for key in _KEYS_OF_CHARGE},
    )


class Fighter:
    """A unit as the step builder reads it, with the same fields as in the WebAssembly module of the web pages."""

    def __init__(self, unit: Any, others_in_contact: Sequence[Combatant] = ()) -> None:
        self.unit = unit
        self.others_in_contact = others_in_contact  # other units of its side (AC-8.7)
        self.target = [python_copy(target_record(unit))]

    @cached_property
    def facts(self) -> list[UnitFacts]:
        """Facts for the step builder, in a list of one."""
        facts = unit_facts(self.unit)
        if not self.others_in_contact:
            return [facts]
        fumes = max(facts.fumes, *(unit_facts(unit).fumes for unit in self.others_in_contact))
        return [facts._replace(accompanied=1, fumes=fumes)]

    @cached_property
    def rows(self) -> list[SimpleNamespace]:
        """Rows of the armaments grid."""
        return [SimpleNamespace(facts=[row_facts(row)]) for row in self.unit.rows or ()]

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.rows)

    def dice_of(self, row: int) -> NDArray[np.int64]:
        """Return the dice of a row by number of models or damage."""
        unit = self.unit
        most = (unit.damage_limit or 1) if unit.behemoth else (unit.models or 1)
        carriages = unit.carriages if unit.rows[row].has("Full Steam Ahead") else 0
        return _dice_by_count(unit.rows[row].bands, most, DICE_PER_CARRIAGE * carriages)

    def attack_of(self, row: int) -> SimpleNamespace:
        """Return the attack of a row without dice and circumstances."""
        unit = self.unit
        keys = {"extra_reroll": unit.extra_reroll, "attacker_damage_limit": unit.damage_limit}
        keys |= {"veteran": min(unit.veteran or 0, MOST_DICE), "qualities": unit.rows[row].qualities}
        fields = {"is_a": IS_A[unit.type] | IS_A[unit.category]}
        fields |= house_rule_fields("attacking", (*unit.rows[row].qualities, *unit.keywords))
        return SimpleNamespace(**(_attack_fields(**keys) | fields))


@lru_cache(maxsize=4096)  # many fights have the same rows
def _attack_fields(**keys: Any) -> dict[str, int]:
    record: Any = attack_record(Attack(dice=1, **keys))
    fields: dict[str, int] = vars(python_copy(record))
    return fields


@lru_cache(maxsize=4096)
def _shared_record(is_attack: bool, numbers: tuple[int, ...]) -> Any:
    """Return a read-only record of an attack or a target, the same object for equal numbers."""
    return freeze(np.array([numbers], ATTACK if is_attack else TARGET)[0])


class Draft:
    """Steps and strikes of a fight that is being built; parts of a draft share its strikes."""

    def __init__(self, units: Sequence[Any], others_in_contact: Sequence[Combatant] = (), **fight: int) -> None:
        fighters = [Fighter(units[0]), Fighter(units[1], others_in_contact)]
        self.question = SimpleNamespace(units=fighters, fight=[SimpleNamespace(**fight)])
        sides = [SimpleNamespace(), SimpleNamespace()]
        self.setup = SimpleNamespace(strikes=[], attacks=[], targets=[], dice=[], sides=sides)
        self.lines: list[Operation | Choice] = []

    def part(self, lines: Sequence[Operation | Choice] = ()) -> Any:
        """Return a draft with its own `lines` (steps), which shares the strikes of this draft."""
        part = copy(self)
        part.lines = list(lines)
        return part

    def new_strike(self, striker: int, row: int) -> int:
        """Add a strike by side `striker` with its row number `row` (NONE: no row); return the index of the strike."""
        fighter, setup = self.question.units[striker], self.setup
        strike = copy(_DEFAULT_STRIKE)
        strike.striker = striker
        setup.strikes.append(strike)
        setup.targets.append(copy(self.question.units[1 - striker].target[0]))
        if row == NONE:
            setup.attacks.append(SimpleNamespace(**_attack_fields(qualities=(), attacker_damage_limit=1)))
            setup.dice.append(None)
        else:
            setup.attacks.append(fighter.attack_of(row))
            setup.dice.append(fighter.dice_of(row))
        return len(setup.strikes) - 1

    def add_others(self, active: int, inside: int, orders: int) -> None:
        """Do nothing; the draft of a charge appends the attacks of other units of the charged side (AC-8.7)."""

    def copy_strike(self, other: Draft, number: int) -> int:
        """Add a strike of another draft, and return its index in this draft."""
        for part, parts in vars(self.setup).items():
            if part != "sides":
                parts.append(vars(other.setup)[part][number])
        return len(self.setup.strikes) - 1

    def strikes(self) -> list[Strike]:
        """Return the strikes in the form that engines read."""
        setup = self.setup
        return [
            Strike(
                StrikeFacts(**vars(strike)),
                _shared_record(True, tuple(vars(attack).values())),
                _shared_record(False, tuple(vars(target).values())),
                np.array([(strike.fixed_dice, NONE)]) if dice is None else dice,
            )
            for strike, attack, target, dice in zip(setup.strikes, setup.attacks, setup.targets, setup.dice)
        ]

    def sides(self) -> list[SideFacts]:
        """Return the facts of both sides."""
        return [SideFacts(**vars(side)) for side in self.setup.sides]

    def check_room(self, full: int, length: int, where: str) -> None:
        """Raise InputError if a state of side `full` cannot hold all positions along `length`; NONE: neither side."""
        if full == NONE:
            return
        side = self.setup.sides[full]
        room = 1 << unit_state.STATE_BITS - side.position_bit
        steps = (candidate for candidate in range(side.stride + 1, INCH + 1) if INCH % candidate == 0)
        finest = next((step for step in steps if length // step < 2 * room - 2), None)
        problem = f"lengths in steps of {side.stride / INCH:g} inches lead to too many positions"
        coarser = "" if finest is None else f"lengths in steps of {finest / INCH:g} inches, or "
        raise InputError(problem, where=where, allowed=f"{coarser}fewer rounds")


@lru_cache(maxsize=4096)
def _dice_by_count(bands: tuple[Band, ...], most: int, more: int) -> NDArray[np.int64]:
    """Return the dice of a row (see :class:`Strike`), plus `more`, for 0 to `most` models or damage (AC-2.4)."""
    dice = np.full((most + 1, 2), NONE, np.int64)
    for band in reversed(bands):  # reversed, so that the first band that covers a count overwrites the others
        counts = slice(band.first, band.last + 1)
        dice[counts, 0] = band.dice + more
        dice[counts, 1] = NONE if band.special is None else band.special + more
    return dice


def to_length(inches: float | None) -> int:
    """Return a length in hundredths of an inch; NONE for None."""
    return NONE if inches is None else hundredths(inches)


def side_facts(combatant: Combatant, **more: int) -> SideFacts:
    """Return the facts of a side whose enemy has no Corrosive Fumes; `more` replaces some of the facts."""
    draft: Any = Draft((combatant, combatant))
    set_side(draft, 0)
    return cast("Draft", draft).sides()[0]._replace(fumes_reach=NONE, **more)


def setup_for(
    sides: Sequence[SideFacts], combatants: Sequence[Target], strikes: Sequence[Strike], die: Die | None = None
) -> Setup:
    """Return the setup of a fight between two sides; InputError for more strikes than a program can hold."""
    if len(strikes) > MOST_STRIKES:
        problem = f"{len(strikes)} different attacks in one fight"
        raise InputError(problem, where="rows", allowed=f"up to {MOST_STRIKES}")
    setup = np.empty(1, _SETUP)  # NumPy accesses the fields of an array faster than those of a record
    memory = setup.view(np.uint8)
    memory[:_DICE_START], memory[_DICE_END:] = 0, 0  # leaving unused dice untouched saves time
    setup["dice_entries"] = counts = max((len(strike.dice) for strike in strikes), default=1)
    setup["dice"][0, : len(strikes), :, :counts] = NONE
    for side in range(2):
        setup["sides"][0, side] = sides[side]
        setup["units"][0, side] = target_record(combatants[side])
        if (passengers := getattr(combatants[side], "passengers", None)) is not None:
            record = target_record(passengers).copy()
            record.exposed = NONE
            record.close_formation = True  # no passenger is nearest to the enemy, so the officer is the last to fall
            setup["passengers"][0, side] = record
    parts = setup["strikes"][0], setup["attacks"][0], setup["targets"][0]
    for number, strike in enumerate(strikes):
        for part, record in zip(parts, strike[:3]):
            part[number] = record
        setup["dice"][0, number, :, : len(strike.dice)] = strike.dice.T
    if die is not None and (faces := pack_die(die)):
        setup["attacks"]["die"][0, : len(strikes)] = faces
    return cast("Setup", setup[0])
