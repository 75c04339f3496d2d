"""A slow, plain reading of whole battles of Armoured Clash, for the tests to compare the program with.

Written from the base of battles (BT-1 to BT-5, BT-7), the rules (AC-...) and the sequence of the seed alone; it shares
nothing with the package. `play(plan, chance)` plays one battle by the random numbers of `Rolled(seed)`.

QUESTIONS: what the base and the rules leave open, and what is answered here.

 1. How far does a unit advance that is out of range (`shoot`)? Its full SPEED, to one inch of the target at most.
 2. Tactic `short_range`: beyond short range it advances just as far as short range (long range, for a row without),
    at most SPEED, and shoots if then in long range and not Move or Fire; within it, it aims. After a failed rally
    test it shoots where it stands, or advances. With an Indirect row it acts as `shoot`. A unit that has not moved
    at all (SPEED 0, one inch away) aims. By rounding a diagonal move to short range may end 0.01" beyond it.
 3. Double time leaves no attack (a failed rally test, which leaves one step of two, forbids it).
 4. A charger stands on its target's point; nothing else is "in contact": two units on one point need not fight,
    and there are no secondary combatants.
 5. After a failed rally test a unit that can only charge goes toward the nearest enemy by SPEED.
 6. A unit that stands within the short range of its Indirect row is out of its range, so it advances, too.
 7. A unit loses suppressed (and disordered) at the end of an activation only if it had it at the start: what a
    charger gets in its own activation stays for "the end of its next activation" (the seed; AC-9.2 can be read
    otherwise for suppressed).
 8. Without DISCIPLINE: every discipline test is passed and no card is drawn.
 9. A row that is reloading: the unit re-arms in its attack step instead of shooting, and moves as its tactic has it
    (to short range, too); after a failed rally test it does one of the two. Opportunity fire leaves it reloading
    too; a reloading unit with `lookout` or `take_cover` re-arms instead.
10. Cryo replaces only "becomes suppressed": breaking and falling back come before it. Suppressive, Cryo and
    Seismic of the winner's row bear on the test of the loser of a close quarters combat.
11. Of several rows that fit, "best" destroys most models (expected, neutral, both units at full strength, no value
    in parentheses); ties: the first.
12. An odd gap leaves half a hundredth on each side; it is dropped.
13. Withdrawing ends at the own edge without fleeing; falling back onto it flees; a unit on it flees at once.
14. Who annihilates the other has won the combat, whatever it has lost; the winner's Hunter scores.
15. A passenger is not counted as a unit on the table at set-up. While embarked it rallies when activated, and its
    suppression test uses its own losses; it cannot fall back. It disembarks in its own part of the turn, after the
    transport has moved; it may then shoot where it stands, go on lookout or take cover, not charge; after a failed
    rally test it disembarks and does nothing. Nobody can fire at it in the first reaction step of that turn. When
    the transport breaks or flees the passenger is annihilated too; only what an attack destroys has a demise. Cryo
    on a transport leaves its passenger a turn. Where the transport takes no test (8) its passenger takes none.
16. Nobody reacts to an aircraft without a target. A sortie has no re-arm action, so a row that is Slow to Fire is
    fired once in a battle. Neither a disembarkation nor a sortie is an advance, so a row that is Move or Fire may be
    fired (AC-6). The nearest target is the nearest to the aircraft's point on its own edge.
17. A transport with its passenger has the points of the transport for `dearest`.
18. A unit that has nothing to shoot at in its attack step does nothing (it does not go on lookout of itself).
19. Sponsons, a Tail Gunner's answer and a Spectacular Demise have the Veteran of who deals them; no qualities.
20. Overrun moves onto the target's point again, wherever that is by now; neither Sponsons nor Onslaught come again.
21. Resilient (Front) helps against Sponsons and retaliation, not against a Tail Gunner's answer and demises.
22. With the target gone after an attack the second reaction step still takes place.
23. The distance to a marker is dropped to whole hundredths, like every other; at 1.00" a unit is in contact. One unit
    may be in contact with several markers, and counts at each.
24. Only who is on the field is in contact: not an embarked unit (its transport is), a reserve or an aircraft between
    two sorties. Suppressed, disordered or worn-out units control and contest like others.
25. Objectives are scored in every round: also in the last, and in the one that zero ground presence ends.

Not read here: All-Out Attack, Berserk, Run Amok, Throw, Fiery Demise, Overcharge, Inspiring, Turret, Full Steam
Ahead, Fields of Fire, Coruscating, re-rolls of AC-3.5, models without room, failing on purpose.
"""

from fractions import Fraction
from typing import NamedTuple

from tests.oracle.plain_battle_field import Piece, hundredths
from tests.oracle.plain_battle_fight import Fight, fits, reaches
from tests.oracle.plain_blows import chance_to_kill, expected_damage, expected_share
from tests.oracle.plain_chance import Law

ZERO_GROUND_VPS = 5
CONTROLLING = ("infantry", "cavalry")
NOT_CONTESTING = ("aircraft", "rotorcraft", "fortification")
TIE = 1e-9


class Outcome(NamedTuple):
    vps: tuple  # of side A and side B
    models: tuple  # by round: the models left of every unit of A, then of B
    holders: tuple  # by round: the side that holds the initiative
    zero_ground: tuple  # whether A, whether B had nobody on the field at the end


def play(plan, chance):
    return Battle(plan, chance).fight()


class Battle(Fight):
    """The rounds, the turns and the choices (BT-2 to BT-5)."""

    def __init__(self, plan, chance):
        super().__init__(plan, chance)
        self.holder = None
        self.round = 0
        self.models_by_round, self.holders = [], []

    def fight(self):
        zero_ground = (False, False)
        while self.round < self.plan.rounds and not any(zero_ground):
            self.round += 1
            self.holder = self._first_holder() if self.round == 1 else self._initiative()
            for cards, side in zip(self.cards, self.sides, strict=True):
                cards.draw_up(self.chance, side, self.plan.hand_limit)
            if 1 < self.round < self.plan.rounds:
                self._reserves_arrive()
            self._activations()
            zero_ground = self._end_phase()
        return Outcome(
            tuple(sum(vps for side, _, vps in self.scores if side == each) for each in (0, 1)),
            tuple(self.models_by_round),
            tuple(self.holders),
            zero_ground,
        )

    # --- ready phase ---------------------------------------------------------------------------------------

    def _first_holder(self):
        decks = [dict(side.deck) for side in self.sides]
        draws = {
            (a, b): copies_a * copies_b
            for a, copies_a in decks[0].items()
            for b, copies_b in decks[1].items()
            if a != b and copies_a * copies_b
        } or {(1, 0): 1, (0, 1): 1}
        a_wins = sum(weight for (a, b), weight in draws.items() if a > b)
        general_a = self.chance.pick(Law({0: a_wins, 1: sum(draws.values()) - a_wins}))
        placed = [sum(piece.place == "field" for piece in self.pieces[side]) for side in (0, 1)]
        first = general_a if placed[0] == placed[1] else placed.index(min(placed))
        return 1 - first if self.sides[first].initiative == "give" else first

    def _initiative(self):
        first, second = self.holder, 1 - self.holder
        card_of = {first: self.cards[first].choice(self.sides[first].hand)}
        card_of[second] = self.cards[second].choice(self.sides[second].hand, card_of[first] or 0)
        if card_of[second] is None and card_of[first] is not None:
            return first  # who takes the card back
        for side, card in card_of.items():
            if card is not None:
                self.cards[side].hand.remove(card)
                self.cards[side].discard(card)
        return first if (card_of[first] or 0) > (card_of[second] or 0) else second

    def _reserves_arrive(self):
        for side in (self.holder, 1 - self.holder):
            for piece in self.pieces[side]:
                if piece.place == "reserve" and self.round >= piece.unit.arrives:
                    piece.place = "incoming" if piece.aircraft else "field"

    # --- activation phase ----------------------------------------------------------------------------------

    def _activations(self):
        self.holders.append(self.holder)
        side = self.holder
        while self._ready(0) or self._ready(1):
            if self._ready(side):
                self._turn(side)
            side = 1 - side

    def _ready(self, side):
        """Who may begin a turn: a passenger only where its transport's turn is over without it."""
        return [
            piece
            for piece in self.pieces[side]
            if not piece.activated
            and (piece.place in ("field", "incoming") or (piece.place == "embarked" and piece.transport.activated))
        ]

    def _turn(self, side):
        ready = self._ready(side)
        order = self.sides[side].order
        if order == "dearest":
            chosen = max(ready, key=lambda piece: piece.unit.points)
        elif order == "nearest":
            chosen = min(ready, key=self._remoteness)
        else:
            chosen = ready[0]
        passenger = self.passenger(chosen)
        self._activate(chosen)
        if passenger and passenger.place == "embarked" and not passenger.activated:
            self._activate(passenger)

    def _remoteness(self, piece):
        """The distance to the nearest enemy; aircraft come after all others."""
        return piece.aircraft, min([self.distance(piece, foe) for foe in self.foes(piece)] or [0])

    def _activate(self, piece):
        self.fumes()
        piece.activated = True
        was_suppressed, was_disordered = piece.suppressed, piece.disordered
        piece.on_lookout = False
        piece.taking_cover = piece.taking_cover and piece.has("Pavises")
        rallied = not piece.suppressed or piece.has("Hot Headed") or self.passes(piece)
        if piece.aircraft:
            self._sortie(piece)
        elif piece.place == "embarked":
            self._ride(piece, rallied)
        else:
            reacted = self.reaction(piece)
            if piece.models:
                self._act(piece, rallied)
            if piece.models and not reacted:
                self.reaction(piece)
        if was_suppressed:
            piece.suppressed = False
        if was_disordered and not piece.has("Construct"):
            piece.disordered = False
        self.fumes()

    def _act(self, piece, rallied):
        """Movement and attack steps by the tactic (AC-9.2)."""
        policy = self.policy(piece)
        if policy in ("lookout", "take_cover"):
            self._special_action(piece, policy)
            return
        target, tactic = self.choose(piece, policy, rallied)
        if target is None:
            self._special_action(piece, "take_cover")
        elif tactic in ("shoot", "short_range"):
            self._shoot_by_tactic(piece, target, tactic, rallied)
        else:
            self._close_in(piece, target, tactic, rallied)

    def policy(self, piece):
        """The policy of a unit; `auto` looks at the whole list of the enemy (BT-4)."""
        if piece.unit.policy != "auto":
            return piece.unit.policy
        rows = piece.unit.rows
        close = any(not row.ranged for row in rows)
        shoots = any(row.ranged and fits(row, foe) for row in rows for foe in self.pieces[1 - piece.side])
        return "charge" if close and not shoots else "shoot"

    def tactic(self, piece, foe, policy):
        """What the policy comes to against that enemy; none: it can do nothing to it."""
        if policy == "take_cover":
            return policy
        for tactic in (policy, "shoot", "charge"):
            if self.may_charge(piece, foe) if tactic == "charge" else self.ranged_row(piece, foe):
                return tactic
        return None

    def _special_action(self, piece, action):
        if piece.reloading:
            piece.reloading = False
        elif action == "lookout":
            piece.on_lookout = True
        else:
            piece.taking_cover = True

    def _close_in(self, piece, target, tactic, rallied):
        """At double time, and charge as soon as it can; slowly after a failed rally test."""
        distance = self.distance(piece, target)
        row = self.ranged_row(piece, target)
        if rallied and tactic and distance <= 2 * piece.speed:
            self.charge(piece, target)
        elif not rallied and row and self.loaded(piece, row) and reaches(row, distance):
            self.shoot(piece, row, target, distance)
        else:
            self.approach(piece, target, 2 * piece.speed if rallied else piece.speed)
            self.fumes()

    def _shoot_by_tactic(self, piece, target, tactic, rallied):
        row, distance = self.ranged_row(piece, target), self.distance(piece, target)
        stop = 0
        if tactic == "short_range" and "Indirect" not in row.qualities:
            stop = hundredths(row.long if row.short is None else row.short)
        stands = reaches(row, distance) and (distance <= stop or not stop or not rallied)
        if not stands:
            moved = self.approach(piece, target, min(piece.speed, max(distance - stop, 0)))
            self.fumes()
            distance = self.distance(piece, target)
            if not rallied:
                return
            stands = not moved
        if not self.loaded(piece, row):
            piece.reloading = False
        elif reaches(row, distance) and (stands or "Move or Fire" not in row.qualities):
            self.shoot(piece, row, target, distance, aiming=stands and rallied)

    def _ride(self, piece, rallied):
        """The turn of an embarked unit (BT-3)."""
        near = [
            foe
            for foe in self.foes(piece)
            if self.distance(piece, foe) <= hundredths(piece.transport.unit.disembark_within)
        ]
        if not near and self.round < piece.transport.unit.disembark_by:
            return
        piece.x, piece.y = self.spot(piece.transport)
        piece.place = "field"
        if rallied:
            self._attack_on_foot(piece)
        if piece.models:
            self.reaction(piece)

    def _attack_on_foot(self, piece):
        policy = self.policy(piece)
        if policy in ("lookout", "take_cover"):
            self._special_action(piece, policy)
            return
        target, _ = self.choose(piece, policy, rallied=False, stands=True)
        row = self.ranged_row(piece, target) if target else None
        if row and self.loaded(piece, row) and reaches(row, self.distance(piece, target)):
            self.shoot(piece, row, target, self.distance(piece, target), reforming=True)
        else:
            piece.reloading = False

    def _sortie(self, piece):
        """AIRCRAFT of the seed, BT-3."""
        rows = {foe: self.ranged_row(piece, foe) for foe in self.foes(piece)}
        foes = [foe for foe, row in rows.items() if row and piece.dice(row, False)]
        preferred = [foe for foe in foes if not self.shuns(piece, foe)]
        if foes:
            foes = preferred or foes
            target = self._preferred(piece, foes, lambda foe: (rows[foe], self._flight(rows[foe])))
            self.reaction(piece, place=target)
            if piece.models and self.loaded(piece, rows[target]):
                self.shoot(piece, rows[target], target, self._flight(rows[target]))
            if piece.models:
                self.reaction(piece, place=target)
        if piece.models:
            piece.place = "reserve"

    def _flight(self, row):
        return hundredths(row.long if row.short is None or "Indirect" in row.qualities else row.short)

    # --- the target ----------------------------------------------------------------------------------------

    def choose(self, piece, policy, rallied, stands=False):
        """The target by the classes and the side's policy, and the tactic against it (BT-4).

        With `stands` only whom it can attack from where it stands. None: it holds.
        """
        foes = self.foes(piece)
        if piece.unit.policy != "auto":
            return self._choose_among(piece, foes, policy, rallied, stands) or (None, None)
        open_to_it = [foe for foe in foes if not self.spares(piece, foe)]
        worthy = [foe for foe in open_to_it if not self.shuns(piece, foe)]
        others = [foe for foe in open_to_it if self.shuns(piece, foe)]
        found = self._choose_among(piece, worthy, policy, rallied, stands)
        return found or self._choose_among(piece, others, policy, rallied, True) or (None, None)

    def _choose_among(self, piece, foes, policy, rallied, stands):
        if policy == "charge" and not rallied:
            policy = "shoot"
        tactics = {foe: self.tactic(piece, foe, policy) for foe in foes}
        shot_at = {foe: self.ranged_row(piece, foe) for foe in foes if tactics[foe] in ("shoot", "short_range")}
        distances = {foe: self.distance(piece, foe) for foe in foes}
        shot_at = {foe: row for foe, row in shot_at.items() if row and self._dice(piece, row, foe, distances[foe])}
        charged = [foe for foe in foes if rallied and tactics[foe] == "charge" and distances[foe] <= 2 * piece.speed]

        def attack(foe):
            return shot_at.get(foe) or self.close_row(piece, foe, charging=True), distances[foe]

        here = [foe for foe in foes if foe in charged or (foe in shot_at and reaches(shot_at[foe], distances[foe]))]
        after_advance = [foe for foe, row in shot_at.items() if distances[foe] <= hundredths(row.long) + piece.speed]
        for candidates in (here,) if stands else (here, after_advance):
            if candidates:
                target = self._preferred(piece, candidates, attack)
                return target, tactics[target]
        some = [foe for foe in foes if tactics[foe]] or foes
        if stands or not some:
            return None
        target = min(some, key=lambda foe: distances[foe])
        return target, tactics[target]

    def shuns(self, piece, foe):
        """Whether a unit that was told no tactic attacks that enemy only for want of a better one (BT-4)."""
        if piece.unit.policy != "auto":
            return False
        tactic = self.tactic(piece, foe, self.policy(piece))
        return tactic != self.policy(piece) or not self._hurts(piece, foe, tactic)

    def spares(self, piece, foe):
        """Whether it leaves that enemy alone (BT-4)."""
        tactic = self.tactic(piece, foe, self.policy(piece))
        return tactic is None or (tactic == "charge" and not self._hurts(piece, foe, tactic))

    def _hurts(self, piece, foe, tactic):
        """Whether its attack takes 5% of it, both as they began, not at short range (BT-4)."""
        one, other = (Piece(each.unit, each.side, each.number) for each in (piece, foe))
        row = self.close_row(piece, foe, charging=True) if tactic == "charge" else self.ranged_row(piece, foe)
        return expected_damage(self.bare_blow(one, row, other), other.body) >= Fraction(1, 20)

    def _preferred(self, piece, foes, attack):
        """The best by the side's target policy; ties: the nearest, then the first (BT-4)."""
        policy = self.sides[piece.side].target

        def value(foe):
            if policy == "most_dangerous":
                return self._danger(foe, piece)
            row, distance = attack(foe)
            blow, body = self.bare_blow(piece, row, foe, distance), foe.body._replace(damage=0)
            if policy == "best_kill":
                return chance_to_kill(blow, body)
            return expected_share(blow, body) * foe.models * foe.unit.points / foe.unit.models

        if policy == "nearest":
            return min(foes, key=lambda foe: self.distance(piece, foe))
        if policy == "threatened_first":
            return min(
                foes, key=lambda foe: (not self._threatens(foe, piece, attack(foe)[1]), self.distance(piece, foe))
            )
        values = {foe: float(value(foe)) for foe in foes}
        best = max(values.values())
        return min((foe for foe in foes if values[foe] >= best - TIE), key=lambda foe: self.distance(piece, foe))

    def _threatens(self, foe, piece, distance):
        """Whether it reaches the piece from where it stands, by the row or the charge of its tactic (BT-4)."""
        row, tactic = self.ranged_row(foe, piece), self.tactic(foe, piece, self.policy(foe))
        if row and tactic in ("shoot", "short_range", "charge") and reaches(row, distance):
            return True
        return tactic == "charge" and distance <= 2 * foe.speed

    def _danger(self, foe, piece):
        """The models of the piece that the foe would destroy, wherever they stand."""
        row = self.ranged_row(foe, piece)
        if row is None and self.may_charge(foe, piece):
            row = self.close_row(foe, piece, charging=True)
        return expected_share(self.bare_blow(foe, row, piece), piece.body._replace(damage=0)) if row else 0

    # --- end phase -----------------------------------------------------------------------------------------

    def _end_phase(self):
        for piece in (*self.pieces[0], *self.pieces[1]):
            piece.activated = False
        self.models_by_round.append(tuple(piece.models for side in (0, 1) for piece in self.pieces[side]))
        self._score_objectives()
        zero_ground = tuple(not any(piece.place == "field" for piece in self.pieces[side]) for side in (0, 1))
        for side in (0, 1):
            if zero_ground[side]:
                self.scores.append((1 - side, "zero ground presence", ZERO_GROUND_VPS))
        return zero_ground

    def _score_objectives(self):
        """STRATEGIC OBJECTIVE MARKERS of the seed, BT-7."""
        for touching in map(self.touching, self.markers()):
            for side in (0, 1):
                controlling = any(piece.side == side and piece.unit.type in CONTROLLING for piece in touching)
                contested = any(piece.side != side and piece.unit.type not in NOT_CONTESTING for piece in touching)
                if controlling and not contested:
                    self.scores.append((side, "objective", self.plan.objective_points))
