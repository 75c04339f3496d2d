"""From rows and circumstances to strikes: the records of a longer fight that the engines read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from math import gcd
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from analyser.common.errors import InputError
from analyser.engine.fight.program import MOST_STRIKES, SETUP, Kind, Operation, Setup
from analyser.game.ruleset import Die, Rating
from analyser.game.units import MOST_DICE, Band, Row, hundredths
from analyser.rules import unit_state
from analyser.rules.activation import Order
from analyser.rules.house_rules import IS_A, packed_die
from analyser.rules.shots import DICE_A_CARRIAGE
from analyser.rules.structs import INCH, NONE, SideFacts, StrikeFacts
from analyser.rules.unit_state import FALL_BACK, TOPMOST
from analyser.scenarios.attack import attack_record, house_rules_in, shared, target_record
from analyser.scenarios.schema import Attack, Combatant, Target


class _QuickRecord(np.record):  # type: ignore[misc]  # only the stubs call it final
    """A record that compiled kernels take at once: NumPy would describe its hundreds of fields to them, each time."""

    @property
    def data(self) -> Any:
        """Its memory, as bytes without a description."""
        return np.frombuffer(self, np.uint8)


_SETUP = np.dtype((_QuickRecord, SETUP))
_DICE = SETUP.fields["dice"][1], SETUP.fields["dice"][1] + SETUP["dice"].itemsize  # type: ignore[index]  # most of it


class Strike(NamedTuple):
    """A strike, with records of ATTACK and TARGET, which strikes share: copy a record to change it."""

    strike: StrikeFacts
    attack: Any
    target: Any
    dice: NDArray[np.int64]  # (counts, 2): for each count of models or damage, the value and the one in parentheses


def orders_mask(*orders: Order) -> int:
    """Bits of the orders under which a strike is made."""
    return sum(1 << order for order in orders)


def breaks_buildings(row: Row, struck: Combatant) -> bool:
    """Return True if a die is rolled for the building after an attack with that row (Siegebreaker, AC-6)."""
    return struck.garrisoned and row.has("Siegebreaker")


_USUAL = {"after_failed_rally": 1} | dict.fromkeys(
    ("orders", "inside", "fixed_dice", "long_range", "short_range"), NONE
)


def strike_facts(**facts: Any) -> StrikeFacts:
    """Return the facts of a strike; those not given have their usual values."""
    return StrikeFacts(**(_USUAL | facts))


class Marks(NamedTuple):
    """Circumstances of a strike that do not depend on the states."""

    bonuses: int = 0  # bits of Bonus
    penalties: int = 0  # bits of Penalty
    overcharge: bool = False  # whether Overcharge is used, if the row has it
    from_front: bool | None = None  # whether it comes from the struck unit's front; None: as that unit states
    close_quarters: bool = False
    charging: bool = False


def row_strike(striker: Combatant, row: Row, struck: Target, marks: Marks, /, **facts: Any) -> Strike:
    """The strike of a unit with one of its rows; `facts`: other fields of its record."""
    of_unit = {
        "is_a": IS_A[striker.type] | IS_A[striker.category],
        **house_rules_in("attacking", (*row.qualities, *striker.keywords)),
    }
    keys = {"extra_reroll": striker.extra_reroll, "attacker_damage_limit": striker.damage_limit}
    keys |= {"overcharge": marks.overcharge and row.has("Overcharge"), "veteran": min(striker.veteran or 0, MOST_DICE)}
    attack = _attack_with(marks, tuple(of_unit.items()), qualities=row.qualities, **keys)
    by_damage = bool(striker.behemoth)
    most = (striker.damage_limit or 1) if by_damage else (striker.models or 1)
    carriages = striker.carriages if row.has("Full Steam Ahead") else 0
    dice = _dice_by_count(row.bands, most, DICE_A_CARRIAGE * carriages)
    target = target_record(struck, from_front=marks.from_front)
    if marks.close_quarters and struck.exposed is not None:
        target = _wholly_exposed(target)
    return Strike(strike_facts(by_damage=by_damage, counts=marks.close_quarters, **facts), attack, target, dice)


@lru_cache(maxsize=4096)
def _attack_with(marks: Marks, of_unit: tuple[tuple[str, int], ...] = (), **keys: Any) -> Any:
    record: Any = attack_record(Attack(dice=1, **keys))
    for name, number in of_unit:
        record[name] = number
    record.close_quarters, record.charging = marks.close_quarters, marks.charging
    record.bonuses |= marks.bonuses
    record.penalties |= marks.penalties
    return shared(record)


def _wholly_exposed(target: Any) -> Any:
    """Return the target with no models prioritised, because that is only for ranged attacks (AC-3.9)."""
    target = target.copy()
    target.exposed = NONE
    return target


def fixed_strike(
    dice: int, rating: Rating, struck: Target, *, veteran: int = 0, afterwards: bool = False, **facts: Any
) -> Strike:
    """A strike of that many dice for any number of models, at a stated rating and without qualities (AC-7).

    That of Sponsons is made from the struck unit's front, in close quarters. One that answers something
    (`afterwards`: Tail Gunner, Spectacular Demise) causes a test of its own, and no cover and no front counts.
    """
    target = _wholly_exposed(target_record(struck, from_front=not afterwards))
    target.obstacle = target.obstacle and not afterwards
    marks = Marks(close_quarters=not afterwards)
    attack = _attack_with(marks, qualities=(), veteran=veteran, attacker_damage_limit=1).copy()
    attack.stated_rating, attack.torrent = rating, afterwards
    return Strike(strike_facts(fixed_dice=dice, **facts), attack, target, np.array([(dice, NONE)]))


def thrown_strike(struck: Target, *, veteran: int, from_front: bool | None, **facts: Any) -> Strike:
    """The weakened ranged attack of a Throw (X): as many dice as a card says, and no test follows (AC-7).

    Its range is among `facts`; cover and buildings count, as against every ranged attack (AC-4.3).
    """
    strike = fixed_strike(0, Rating.WEAKENED, struck, veteran=veteran, by_throw=1, on_marked=1, **facts)
    attack, target = strike.attack, target_record(struck, from_front=from_front).copy()
    attack.close_quarters, attack.overcharge, attack.models = 0, 1, 0  # its blanks hurt nobody
    target.discipline = NONE
    return strike._replace(target=target)


@lru_cache(maxsize=4096)
def _dice_by_count(bands: tuple[Band, ...], most: int, more: int) -> NDArray[np.int64]:
    """The cells of a row for 0 up to `most` models or damage, `more` dice added; NONE without a value (AC-2.4)."""
    dice = np.full((most + 1, 2), NONE, np.int64)
    for band in reversed(bands):  # where two cover a count, the first one holds
        covered = slice(band.first, band.last + 1)
        dice[covered, 0] = band.dice + more
        dice[covered, 1] = NONE if band.special is None else band.special + more
    return dice


def length_of(inches: float | None) -> int:
    """A length as the rules have it, in hundredths of an inch; NONE without one."""
    return NONE if inches is None else hundredths(inches)


def _known(number: int | None) -> int:
    return NONE if number is None else number


def side_facts(combatant: Combatant, enemies: Sequence[Combatant], **more: int) -> SideFacts:
    """Return the facts of one side; `more` are facts that only this kind of fight has."""
    fumes = [enemy.rule_length("Corrosive Fumes") for enemy in enemies if enemy.has("Corrosive Fumes")]
    suffers = not combatant.has("Automata") and not combatant.near_commander and not target_record(combatant).steady
    facts: dict[str, int] = {
        "models": _known(combatant.models),
        "garrisoned": combatant.garrisoned,
        "distance": NONE,
        "edge_distance": length_of(combatant.edge_distance),
        "tracks_position": combatant.edge_distance is not None,
        "stride": 1,
        "position_at": unit_state.WINS,
        "static": combatant.has("Static"),
        "hunter": combatant.has("Hunter"),
        "fumes_within": max(fumes, default=NONE) if suffers else NONE,
        "withdraws_without_room": combatant.withdraws_without_room,
        "spectacular_demise": combatant.value("Spectacular Demise"),
        "capacity": combatant.capacity or 0,
        "passengers": 0 if combatant.passengers is None else combatant.passengers.models or 0,
    }
    return SideFacts(**(facts | more))


def setup_for(
    sides: Sequence[SideFacts], combatants: Sequence[Target], strikes: Sequence[Strike], die: Die | None = None
) -> Setup:
    """The setup of a fight between two sides with those strikes; InputError for more than a program holds.

    `die`: by default one with the faces of the rules.
    """
    if len(strikes) > MOST_STRIKES:
        problem = f"{len(strikes)} different attacks in one fight"
        raise InputError(problem, where="rows", allowed=f"up to {MOST_STRIKES}")
    setup = np.empty(1, _SETUP)  # parts of an array are at hand much sooner than those of a record
    memory, (first, last) = setup.view(np.uint8), _DICE
    memory[:first], memory[last:] = 0, 0
    setup["counts"] = counts = max((len(each.dice) for each in strikes), default=1)
    setup["dice"][0, : len(strikes), :, :counts] = NONE  # the room of others is never touched: that takes time
    for side in range(2):
        setup["sides"][0, side] = sides[side]
        setup["units"][0, side] = target_record(combatants[side])
        if (passengers := getattr(combatants[side], "passengers", None)) is not None:
            aboard = _wholly_exposed(target_record(passengers))
            aboard.close_formation = True  # there nobody is nearest to the enemy: the officer is the last to go
            setup["passengers"][0, side] = aboard
    parts = setup["strikes"][0], setup["attacks"][0], setup["targets"][0]
    for number, strike in enumerate(strikes):
        for part, record in zip(parts, strike[:3]):
            part[number] = record
        setup["dice"][0, number, :, : len(strike.dice)] = strike.dice.T
    if die is not None and (faces := packed_die(die)):
        setup["attacks"]["die"][0, : len(strikes)] = faces
    return cast("Setup", setup[0])


A_COMBAT_LOST = 2 * FALL_BACK  # withdrawing, and falling back for the test that follows


def set_backs(side: int, operations: Iterable[Operation], strikes: Sequence[Strike], charger: int = NONE) -> int:
    """Return the most that the operations of one activation can set a unit back; a repeated strike is made once.

    `charger`: the side whose activation it is, if it can charge in it. It goes on only after a combat that it has won.
    """
    length = lost = dismayed = 0
    for kind, active, number in set(operations):
        if kind == Kind.STRIKE:
            strike = strikes[number]
            tested = not strike.attack.close_quarters and strike.target.discipline != NONE
            if strike.strike.striker == side or not tested:
                continue
            if strike.strike.by_blast:  # an enemy goes off once, in one way
                dismayed = FALL_BACK
            else:
                length += FALL_BACK
        elif kind == Kind.TEST_FRIGHTENED and active == side:
            dismayed = FALL_BACK
    if charger != NONE:
        combats = sum(operation.kind == Kind.RESOLVE for operation in operations)
        lost = 1 if side == charger else combats
    return length + dismayed + A_COMBAT_LOST * lost


def place(
    sides: Sequence[SideFacts], set_back: Sequence[int], advance: Sequence[int], lengths: Iterable[int], where: str
) -> Iterator[SideFacts]:
    """Both sides with a stride and the place where they begin; InputError where a state has no room for the others.

    A state keeps a place as so many strides from where its unit stood (:mod:`~analyser.rules.unit_state`). The stride
    is the longest that all `lengths` are multiples of: whole inches take no more room than inches. `set_back` and
    `advance` say how far each side gets at most; its own edge and the enemy may be nearer.
    """
    at_edge = [side.edge_distance != NONE and side.edge_distance <= back for side, back in zip(sides, set_back)]
    backs = [side.edge_distance if stops else back for side, back, stops in zip(sides, set_back, at_edge)]
    # An edge that is out of reach stops nobody, so that no place depends on it.
    edges = [side.edge_distance for side, stops in zip(sides, at_edge) if stops]
    stride = gcd(FALL_BACK, *lengths, *edges)
    for side, back, most, enemy in zip(sides, backs, advance, backs[::-1]):
        if not side.tracks_position:
            yield side._replace(stride=stride)
            continue
        ahead = 0 if side.distance == NONE else min(most, side.distance + enemy)
        origin = unit_state.origin_of(back, ahead, stride, side.position_at)
        if origin == unit_state.TOO_FAR:
            length, room = back + ahead, 1 << TOPMOST - side.position_at
            steps = (each for each in range(stride + 1, INCH + 1) if INCH % each == 0)
            finest = next((step for step in steps if length // step < 2 * room - 2), None)
            problem = f"lengths in steps of {stride / INCH:g} inches lead to more places than a state has room for"
            coarser = "" if finest is None else f"lengths in steps of {finest / INCH:g} inches, or "
            allowed = f"{coarser}fewer rounds"
            raise InputError(problem, where=where, allowed=allowed)
        yield side._replace(stride=stride, origin=origin)
