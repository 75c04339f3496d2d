"""What a plain reading of battles is about: units, sides, where they stand and which cards they hold."""

from dataclasses import dataclass, field
from math import isqrt

from tests.oracle.plain_blows import DIE, Body
from tests.oracle.plain_chance import Law

DECK = tuple((value, 3) for value in range(1, 13))  # AC-1.2
COMMANDER_REACH = 600
ONE_INCH = 100
TWO_INCHES = 200
STEP_BACK = 300
AERIAL_TYPES = ("aircraft", "rotorcraft")
MARKER_RADIUS = 100


@dataclass(frozen=True)
class Row:
    """A row of the armaments grid; lengths in inches."""

    kind: str  # light, heavy, light/heavy, aerial, melee, impact
    bands: tuple  # of (lowest, highest, dice) or (lowest, highest, dice, dice in parentheses)
    short: float | None = None
    long: float | None = None
    qualities: tuple = ()

    @property
    def ranged(self):
        return self.kind not in ("melee", "impact")


@dataclass(frozen=True)
class Unit:
    """A unit as its list has it (AC-2); `rules` are {name: X} or {name: None}."""

    name: str
    models: int
    defence: int
    rows: tuple
    points: int = 100
    vpr: int = 1
    type: str = "infantry"
    category: str = "light"
    speed: float = 6
    damage_limit: int = 1
    discipline: int | None = 7
    break_limit: int | None = None
    rules: dict = field(default_factory=dict)
    commander: bool = False
    behemoth: bool = False
    policy: str = "auto"
    reserve: bool = False
    arrives: int = 2
    behind: float = 0
    x: float | None = None
    embarked_in: str | None = None
    capacity: int = 0
    disembark_within: float = 12
    disembark_by: int = 3


@dataclass(frozen=True)
class Side:
    units: tuple
    order: str = "listed"  # listed, nearest, dearest
    target: str = "nearest"  # nearest, most_points, best_kill, most_dangerous, threatened_first
    hand: str = "highest"  # highest, lowest, middle, surrender, kept
    discard_below: int = 0
    initiative: str = "take"  # take, give
    deck: tuple = DECK


@dataclass(frozen=True)
class Plan:
    """A battle (BT-1 to BT-5, BT-7); lengths in inches."""

    a: Side
    b: Side
    rounds: int = 6
    table: float = 48
    gap: float = 24
    width: float = 36
    hand_limit: int = 5
    die: tuple = DIE
    replacement: bool = False
    objectives: int = 0
    objective_points: int = 1


def hundredths(inches):
    return round(inches * 100)


def rounded(numerator, denominator):
    """numerator / denominator to the nearest whole number, halves up (BT-1)."""
    return (2 * numerator + denominator) // (2 * denominator)


class Piece:
    def __init__(self, unit, side, number):
        self.unit, self.side, self.number = unit, side, number
        self.models, self.damage = unit.models, 0
        self.place = "field"  # field, reserve, incoming (aircraft), embarked, gone
        self.x = self.y = 0
        self.transport = None
        self.suppressed = self.disordered = self.activated = False
        self.on_lookout = self.taking_cover = self.reloading = False

    def has(self, rule):
        return rule in self.unit.rules

    @property
    def speed(self):
        return hundredths(self.unit.speed)

    @property
    def aircraft(self):
        return self.unit.type == "aircraft"

    @property
    def body(self):
        return Body(self.models, self.damage, self.unit.damage_limit, self.unit.behemoth)

    def dice(self, row, in_parentheses):
        """The dice of a row now (AC-2.3, AC-3.2); none outside every band (AC-2.4)."""
        measure = self.damage if self.unit.behemoth else self.models
        for low, high, *values in row.bands:
            if low <= measure <= high:
                return values[-1] if in_parentheses else values[0]
        return 0


class Cards:
    """The deck, the discards and the hand of a side (BT-2)."""

    def __init__(self, deck, replacement=False):
        self.full = Law(dict(deck)) if replacement else None
        self.deck, self.discards = dict(deck), {}
        self.hand = []
        self.broken_down = False

    def take(self, chance):
        """A card from the deck. With the last one the deck runs out: all that is not in the hand is shuffled."""
        card = chance.pick(Law(self.deck))
        self.deck[card] -= 1
        return card

    def shuffle_if_out(self):
        if not any(self.deck.values()):
            self.deck, self.discards = self.discards, {}
            self.broken_down = True

    def discard(self, card):
        self.discards[card] = self.discards.get(card, 0) + 1

    def test(self, chance):
        """The card of a discipline test (AC-5.1); with replacement one of a full deck (AC-9.3)."""
        if self.full:
            return chance.pick(self.full)
        card = self.take(chance)
        self.discard(card)
        self.shuffle_if_out()
        return card

    def draw_up(self, chance, side, limit):
        for card in [card for card in self.hand if card < side.discard_below]:
            self.hand.remove(card)
            self.discard(card)
        while len(self.hand) < limit and not self.broken_down:
            self.hand.append(self.take(chance))
            self.shuffle_if_out()

    def choice(self, hand, against=None):
        """The card played for the initiative, left in the hand for now; none is a surrender. `against`: the first's."""
        held = sorted(self.hand)
        if not held or hand == "surrender":
            return None
        if hand == "kept":
            return held[-1] if against is None else next((card for card in held if card >= against), None)
        return {"highest": held[-1], "lowest": held[0], "middle": held[len(held) // 2]}[hand]


class Field:
    """The pieces and the space between them (BT-1)."""

    def __init__(self, plan, chance):
        self.plan, self.chance = plan, chance
        self.sides = (plan.a, plan.b)
        self.cards = tuple(Cards(side.deck, plan.replacement) for side in self.sides)
        self.pieces = tuple(
            tuple(Piece(unit, side, number) for number, unit in enumerate(self.sides[side].units)) for side in (0, 1)
        )
        self.table = hundredths(plan.table)
        for piece in (*self.pieces[0], *self.pieces[1]):
            self._set_up(piece)

    def _set_up(self, piece):
        unit, number_of_units = piece.unit, len(self.pieces[piece.side])
        width = hundredths(self.plan.width)
        piece.x = rounded(width * (2 * piece.number + 1), 2 * number_of_units)
        if unit.x is not None:
            piece.x = hundredths(unit.x)
        back = hundredths(self.plan.gap) // 2 + hundredths(unit.behind)
        piece.y = self.table // 2 + (back if piece.side else -back)
        if unit.embarked_in:
            piece.transport = next(other for other in self.pieces[piece.side] if other.unit.name == unit.embarked_in)
            piece.place = "embarked"
        elif unit.reserve or piece.aircraft:
            piece.place = "reserve"
            piece.y = self.own_edge(piece)

    def own_edge(self, piece):
        return self.table if piece.side else 0

    def spot(self, piece):
        """The point of a piece; an embarked one is where its transport is."""
        return self.spot(piece.transport) if piece.place == "embarked" else (piece.x, piece.y)

    def distance(self, piece, other):
        (x, y), (other_x, other_y) = self.spot(piece), self.spot(other)
        return isqrt((x - other_x) ** 2 + (y - other_y) ** 2)

    def all_on_field(self):
        """Side A's in the order of the list, then side B's."""
        return [piece for side in (0, 1) for piece in self.pieces[side] if piece.place == "field"]

    def markers(self):
        """The points of the objectives: evenly over the width, as units are, on the centre line (BT-7)."""
        width, number_of_markers = hundredths(self.plan.width), self.plan.objectives
        return [
            (rounded(width * (2 * number + 1), 2 * number_of_markers), self.table // 2)
            for number in range(number_of_markers)
        ]

    def touching(self, marker):
        """Whoever on the field is in contact with a marker: within its radius (BT-7)."""
        x, y = marker
        return [
            piece for piece in self.all_on_field() if isqrt((piece.x - x) ** 2 + (piece.y - y) ** 2) <= MARKER_RADIUS
        ]

    def friends(self, piece):
        return [other for other in self.pieces[piece.side] if other is not piece and other.place == "field"]

    def foes(self, piece):
        return [other for other in self.pieces[1 - piece.side] if other.place == "field"]

    def approach(self, piece, toward, length):
        """Moves straight toward another unit, ending one inch short of it at most; whether it moved."""
        length = max(min(length, self.distance(piece, toward) - ONE_INCH), 0)
        if length:
            self.advance(piece, toward, length)
        return length > 0

    def advance(self, piece, toward, length):
        """Moves straight toward another unit, at most onto its point (BT-1)."""
        gap = self.distance(piece, toward)
        if length >= gap:
            piece.x, piece.y = self.spot(toward)
        else:
            x, y = self.spot(toward)
            piece.x += rounded(length * (x - piece.x), gap)
            piece.y += rounded(length * (y - piece.y), gap)
        self._moved(piece)

    def step_back(self, piece):
        """3 inches toward the own edge, at most up to it; whether it was reached."""
        length = min(STEP_BACK, abs(self.own_edge(piece) - piece.y))
        piece.y += length if piece.side else -length
        self._moved(piece)
        return piece.y == self.own_edge(piece)

    def _moved(self, piece):
        """What a move ends (statuses of the seed), and who comes near a commander (AC-5.8)."""
        piece.on_lookout = piece.taking_cover = False
        for each in self.pieces[piece.side]:
            if each.disordered and self.near_commander(each):
                each.disordered = False

    def near_commander(self, piece):
        """Whether another unit, a commander, is within 6 inches (AC-5.8)."""
        return piece.place == "field" and any(
            other.unit.commander and self.distance(piece, other) <= COMMANDER_REACH for other in self.friends(piece)
        )
