"""A slow, plain chooser for sides that look ahead (BT-6): the value of everything that a unit may do.

Written from the page of battles, the rules and the numbers below, on the plain reading of fights; it shares nothing
with the package. What the page leaves open:

 1. A unit is worth its victory points and one more for each 100 points. Its health, its removal, and its next attack
    count for its enemy by the weights of a tactic; suppression counts as 0.3 of the next attack. The last unit of a
    side on the field is worth 5 victory points more (zero ground presence), whatever the tactic.
    The next attack is the best by 3. from where all stand; it counts whole for the unit that threatens most, 0.6 for
    others, and 0.2 for units that have acted.
 2. An answer of a unit that has acted counts 0.6, and nothing in the last round.
 3. What a unit can do later is measured once, at full strength on both sides, not at short range, and with half of an
    enemy's worth for its health, half for its removal, 0.1 for suppression: by a charge (2 x SPEED), an aimed shot, a
    shot after an advance (range + SPEED), a shot on lookout. It goes down with the strength of both.
 4. An attack from one to four moves at double time away counts 140, 80, 46, 26 of 256; from further away, 10.
 5. The answers to a unit at a point: of each enemy by how much its best attack there, at most half to all of what the
    unit is worth by its strength, is better than its best on any other unit.
 6. A charge counts the expected losses of both, one blow after the other, with losses rounded to whole damage. A beaten
    unit that its expected losses, in whole models, bring to its BREAK LIMIT is removed if it fails its test (AC-8.5).
 7. A unit advances only where its place offers less than 0.9 of the most that any place can; toward the enemy of the
    greatest gain over distance (6 inches added); by SPEED, twice SPEED, or to just beyond what that enemy reaches.
 8. It falls back only from danger, at double time only if the danger is greater than its best shot is worth; or
    without a shot by SPEED, to fire at the last enemy within the short range of its Indirect row.
 9. To re-arm is worth 0.3 of the best attack; a unit that cover protects loses 0.7 of what it else would.
10. Of its units a side activates the one that gains most, half of what the answers to it now cost added.
"""

from fractions import Fraction
from math import floor, isqrt

from tests.oracle.plain_battle_field import ONE_INCH, hundredths, rounded
from tests.oracle.plain_battle_fight import Fight, fits, reaches
from tests.oracle.plain_blows import Body, blow_law
from tests.oracle.plain_chance import Law

HALF = Fraction(1, 2)
FAR = 10**6  # beyond every short range
HEALTH, REMOVAL, COWED = 0.5, 0.5, 0.1  # of what a unit is worth, for what can be done later
NEXT_ROUND, SUPPRESSION, LOST_COMBAT = 0.6, 0.3, 0.15
NOT_NEXT, HAS_ACTED, URGENCY = 0.6, 0.2, 0.5
MOVES_AWAY, FURTHER = (140 / 256, 80 / 256, 46 / 256, 26 / 256), 10 / 256
ENOUGH, RE_ARMED, IN_COVER, NEAR = 0.9, 0.3, 0.7, 600
GROUND = 5


class Weights:
    """What a tactic weighs: losses, attacks to come, health, removal, what a target can do next, charges."""

    def __init__(self, loss, future, value, removal, denial, charge):
        self.loss, self.future, self.value = loss, future, value
        self.removal, self.denial, self.charge = removal, denial, charge


class Chooser(Fight):
    """A battle in some state, and what a unit of it gains by everything that it may do."""

    def __init__(self, plan, weights, number):
        super().__init__(plan, None)
        self.weights, self.last = weights, number == plan.rounds
        self.full = Fight(plan, None)  # everybody at full strength, for what can be done later
        self._later = {}

    def _twin(self, piece):
        return self.full.pieces[piece.side][piece.number]

    # --- what a unit is worth ------------------------------------------------------------------------------

    def worth(self, piece):
        return piece.unit.vpr + piece.unit.points / 100

    def health(self, piece):
        return piece.models * piece.unit.damage_limit - piece.damage

    def whole(self, piece):
        return piece.unit.models * piece.unit.damage_limit

    def strength(self, piece):
        return self.health(piece) / self.whole(piece) if piece.place == "field" else 0.0

    def next_attack(self, piece):
        """What the next attack of a unit counts, by when it comes."""
        return 1.0 if not piece.activated else 0.0 if self.last else NEXT_ROUND

    def threat(self, piece):
        """The best that it could do to anyone at full strength."""
        return max(
            (
                max(self.later(piece, foe)[way][0] for way in ("charge", "stand", "move"))
                for foe in self._all_foes(piece)
            ),
            default=0.0,
        )

    def _threatens(self, piece):
        """What a unit can do to the enemy by when it can act, in whole thousandths and 256ths."""
        most = max((self._answer(piece, foe, self.spot(foe)) for foe in self.foes(piece)), default=0.0)
        return int(1000 * most) * int(int(256 * self.strength(piece)) * self.next_attack(piece))

    def _all_foes(self, piece):
        return self.pieces[1 - piece.side]

    def stakes(self, target):
        """The value to its enemy of all its health, of its removal, and of its suppression."""
        weights, worth = self.weights[1 - target.side], self.worth(target)
        standing = [piece for piece in self.pieces[target.side] if piece.place == "field"]
        most = max((self._answer(target, foe, self.spot(foe)) for foe in self.foes(target)), default=0.0)
        threat = most * weights.denial
        if target.activated:
            threat *= HAS_ACTED
        elif self._threatens(target) < max(map(self._threatens, standing)):
            threat *= NOT_NEXT
        gone = worth * weights.removal + (GROUND if standing == [target] else 0)
        return worth * weights.value + threat, gone, SUPPRESSION * threat

    # --- attacks -------------------------------------------------------------------------------------------

    def effect(self, blow, target, health, *, tested):
        """The expected share of all its health that a target loses, the chances that it is removed, or suppressed."""
        unit = target.unit
        models = -(-health // unit.damage_limit)
        body = Body(models, models * unit.damage_limit - health, unit.damage_limit, unit.behemoth)
        lost = removed = cowed = Fraction(0)
        for after, chance in blow_law(blow, body).pairs:
            left, destroyed = after.models * unit.damage_limit - after.damage, models - after.models
            fails = self._fails(blow, target, destroyed, models) if tested and destroyed and after.models else 0
            breaks = unit.break_limit is not None and after.models <= unit.break_limit
            gone = 1 if not after.models else fails if breaks else 0
            lost += chance * (gone * health + (1 - gone) * (health - left))
            removed += chance * gone
            cowed += chance * (0 if breaks or "Cryo" in blow.qualities else fails)
        return lost / self.whole(target), removed, cowed

    def _fails(self, blow, target, destroyed, models):
        """The chance to fail the test after an attack (AC-5.2); by a full deck, not yet suppressed or disordered."""
        unit = target.unit
        if target.aircraft or unit.discipline is None or target.has("Automata") or target.has("Irrepressible"):
            return 0
        highest = unit.discipline - (2 * destroyed >= models) - ("Suppressive" in blow.qualities)
        highest -= "Precision" in blow.qualities and not target.has("Bodyguard")
        cards = Law(dict(self.sides[target.side].deck))
        return Fraction(sum(copies for card, copies in cards.pairs if card > highest), cards.total)

    def gain(self, blow, target, stakes, health, *, tested=True):
        effect = self.effect(blow, target, health, tested=tested)
        return sum(float(part) * stake for part, stake in zip(effect, stakes))

    def rows(self, piece, target):
        return [row for row in piece.unit.rows if row.ranged and fits(row, target) and "Reactive" not in row.qualities]

    def shot(self, piece, target, length, *, moved):
        """The best shot at a target at some distance: (value, row); aimed if the unit has not moved."""
        best = (0.0, None)
        for row in self.rows(piece, target):
            barred = moved and "Move or Fire" in row.qualities
            if reaches(row, length) and self.loaded(piece, row) and not barred:
                blow = self.ranged_blow(piece, row, target, length, aiming=not moved)
                value = self.gain(blow, target, self.stakes(target), self.health(target))
                best = max(best, (value, row), key=lambda each: each[0])
        return best

    def charge_value(self, piece, target, stakes, threat):
        """The value of a charge; its blows at the strength that each is expected to have (7. above)."""
        own, health = self.health(piece), self.health(target)

        def struck(striker, left, other, others_left, row):
            """The share lost and the chance to be destroyed, by a striker with so much health left."""
            if row is None or left <= 0 or others_left <= 0:
                return 0.0, 0.0
            models, damage = striker.models, striker.damage
            striker.models = -(-left // striker.unit.damage_limit)
            striker.damage = striker.models * striker.unit.damage_limit - left
            blow = self._close_blow_alone(striker, row, other, charging=striker is piece)
            striker.models, striker.damage = models, damage
            return self.effect(blow, other, others_left, tested=False)[:2]

        sponsons = target.unit.rules.get("Sponsons")
        before = (0.0, 0.0)
        if sponsons:
            blow = self._blow(target, None, piece, sponsons, -1, self._defence(piece))
            before = self.effect(blow, piece, own, tested=False)[:2]
        own_left = own - floor(before[0] * self.whole(piece) + HALF)
        rows = self.close_row(piece, target, charging=True), self.close_row(target, piece, charging=False)
        if target.has("Stoic Defence"):
            suffered = struck(target, health, piece, own_left, rows[1])
            after = own_left - floor(suffered[0] * self.whole(piece) + HALF)
            dealt = struck(piece, after, target, health, rows[0])
            dealt = tuple(each * (1 - suffered[1]) for each in dealt)
        else:
            dealt = struck(piece, own_left, target, health, rows[0])
            after = health - floor(dealt[0] * self.whole(target) + HALF)
            suffered = struck(target, after, piece, own_left, rows[1])
            suffered = tuple(each * (1 - dealt[1]) for each in suffered)
        share, gone, cowed = stakes
        half = self.worth(piece) / 2
        value = dealt[0] * share + dealt[1] * gone
        value -= (suffered[0] + before[0]) * (half + threat / 2) + (suffered[1] + before[1]) * half
        won = dealt[0] * target.unit.models - suffered[0] * piece.unit.models
        if won > 0:
            broken = 1.0 if target.has("Static") else self._breaks(target, floor(dealt[0] * target.unit.models + HALF))
            value += min(won, 1) * (1 - dealt[1]) * (broken * gone + (1 - broken) * cowed)
        elif won < 0:
            value += max(won, -1) * (1 - suffered[1]) * (half if piece.has("Static") else LOST_COMBAT * threat)
        return float(value)

    def _breaks(self, target, destroyed):
        """The chance that a unit breaks after a lost combat."""
        unit = target.unit
        if unit.break_limit is None or target.models - destroyed > unit.break_limit or unit.discipline is None:
            return 0.0
        if target.has("Automata") or target.has("Irrepressible"):
            return 0.0
        highest = unit.discipline - (2 * destroyed >= target.models)
        cards = Law(dict(self.sides[target.side].deck))
        return float(Fraction(sum(copies for card, copies in cards.pairs if card > highest), cards.total))

    def _close_blow_alone(self, piece, row, target, *, charging):
        """A blow in close quarters in which nobody near counts."""
        friends, foes = self.friends, self.foes
        self.friends = self.foes = lambda _: []
        blow = self.close_blow(piece, row, target, charging=charging)
        self.friends, self.foes = friends, foes
        return blow

    # --- what can be done later ----------------------------------------------------------------------------

    def later(self, piece, foe):
        """The value at full strength, and the reach, of each way to attack: {way: (value, length)}."""
        if (piece.side, piece.number, foe.number) not in self._later:
            self._later[piece.side, piece.number, foe.number] = self._measured(self._twin(piece), self._twin(foe))
        return self._later[piece.side, piece.number, foe.number]

    def _measured(self, piece, foe):
        worth = self.worth(foe)
        stakes, health = (HEALTH * worth, REMOVAL * worth, COWED * worth), self.health(foe)
        ways = dict.fromkeys(("charge", "stand", "move", "watch"), (0.0, -1))

        def better(way, value, reach):
            if value > 0:
                ways[way] = max(ways[way][0], value), max(ways[way][1], reach)

        for row in self.rows(piece, foe):
            aimed, moving = (self.ranged_blow(piece, row, foe, FAR, aiming=aims) for aims in (True, False))
            better("stand", self.gain(aimed, foe, stakes, health), hundredths(row.long))
            if "Move or Fire" not in row.qualities:
                better("move", self.gain(moving, foe, stakes, health), hundredths(row.long) + piece.speed)
        if self.may_charge(piece, foe):
            ways["charge"] = max(self.charge_value(piece, foe, stakes, 0.0), 0.0), 2 * piece.speed
        row = self.ranged_row(piece, foe, opportunity=True)
        if row:
            blow = self.ranged_blow(piece, row, foe, FAR, opportunity=True)
            ways["watch"] = max(self.gain(blow, foe, stakes, health, tested=False), 0.0), hundredths(row.long)
        return ways

    def prospect(self, piece, spot):
        if self.last:
            return 0.0
        best = 0.0
        for foe in self.foes(piece):
            ways, length = self.later(piece, foe), self._length(spot, foe)
            now = max(value if length <= reach else 0.0 for way, (value, reach) in ways.items() if way != "watch")
            base = max(ways[way][1] for way in ("charge", "stand", "move"))
            share = FURTHER
            for moves, less in enumerate(MOVES_AWAY, start=1):
                if base >= 0 and length <= base + 2 * piece.speed * moves:
                    share = less
                    break
            then = share * max(ways["charge"][0], ways["move"][0])
            best = max(best, max(now, then) * self.strength(foe))
        return self.weights[piece.side].future * best * self.strength(piece)

    def most_to_come(self, piece):
        if self.last:
            return 0.0
        most = 0.0
        for foe in self.foes(piece):
            ways = self.later(piece, foe)
            most = max(most, max(ways[way][0] for way in ("charge", "stand", "move")) * self.strength(foe))
        return self.weights[piece.side].future * most * self.strength(piece)

    def answers(self, piece, spot):
        """What the enemy's best answers gain by a unit being at a point."""
        total = 0.0
        for foe in self.foes(piece):
            there = self._answer(foe, piece, spot)
            others = [self._answer(foe, friend, self.spot(friend)) for friend in self.friends(piece)]
            total += max(there - max(others, default=0.0), 0.0) * self.strength(foe) * self.next_attack(foe)
        return self.weights[piece.side].loss * min(total, self._at_most(piece))

    def _at_most(self, piece):
        return self.worth(piece) * (0.5 + 0.5 * self.strength(piece))

    def _answer(self, foe, piece, spot):
        length = self._length(spot, foe)
        ways = self.later(foe, piece)
        best = max(ways[way][0] if length <= ways[way][1] else 0.0 for way in ("charge", "stand", "move"))
        return min(best, self._at_most(piece))

    def watched(self, piece, spot):
        """The best shot on lookout at an enemy that is still to act."""
        best = 0.0
        for foe in self.foes(piece):
            value, reach = self.later(piece, foe)["watch"]
            if self._length(spot, foe) <= reach:
                best = max(best, value * self.strength(foe) * self.next_attack(foe))
        return best * self.strength(piece)

    def outlook(self, piece, spot):
        return self.prospect(piece, spot) - self.answers(piece, spot)

    def _length(self, spot, foe):
        return isqrt((spot[0] - foe.x) ** 2 + (spot[1] - foe.y) ** 2)

    # --- options -------------------------------------------------------------------------------------------

    def options(self, piece):
        """Everything that a ready unit on the field may do: {(manoeuvre, action, target, row, length): value}."""
        spot = self.spot(piece)
        here = self.outlook(piece, spot)
        options = {("STAY", *self._nothing(piece)): self.held(piece, here)}
        aims = self._aims(piece, here, options)
        for foe in self.foes(piece):
            length = self.distance(piece, foe)
            if self.may_charge(piece, foe) and length <= 2 * piece.speed:
                value = self.charge_value(piece, foe, self.stakes(foe), self.threat(piece))
                value *= self.weights[piece.side].charge if value > 0 else 1.0
                options["CHARGE", "NOTHING", foe, None, length] = value + self.outlook(piece, self.spot(foe))
            if piece.speed:
                self._advance_and_shoot(piece, foe, length, options)
        if self._can_watch(piece):
            options["STAY", "GO_ON_LOOKOUT", None, None, 0] = here + self.watched(piece, spot)
        if piece.speed and self.prospect(piece, spot) < ENOUGH * self.most_to_come(piece):
            self._moves(piece, options)
        if piece.speed and self.answers(piece, spot) > 0:
            self._retreats(piece, aims, options)
        near = [foe for foe in self.foes(piece) if self._is_too_near(piece, foe)]
        if piece.speed and near and not aims[1]:
            self._retires(piece, near[-1], 1, options)
        return options

    def _is_too_near(self, piece, foe):
        rows = [row for row in self.rows(piece, foe) if "Indirect" in row.qualities and row.short is not None]
        return any(self.distance(piece, foe) <= hundredths(row.short) for row in rows)

    def held(self, piece, here):
        """The value of staying: under cover, or re-arming."""
        if piece.reloading:
            return here + (0.0 if self.last else RE_ARMED * self.threat(piece) * self.strength(piece))
        hides = any(map(piece.has, ("Pavises", "Shrouded", "Obfuscating")))
        return here * IN_COVER if hides and here < 0 else here

    def gains(self, piece):
        """By how much the best option is better than to hold; and the options."""
        options = self.options(piece)
        return max(options.values()) - self.held(piece, self.outlook(piece, self.spot(piece))), options

    def urgency(self, piece):
        return URGENCY * self.answers(piece, self.spot(piece))

    def _nothing(self, piece):
        return ("RE_ARM" if piece.reloading else "TAKE_COVER", None, None, 0)

    def _can_watch(self, piece):
        return any(row.ranged for row in piece.unit.rows) and not piece.reloading

    def _aims(self, piece, here, options):
        """Adds aimed shots; the best of them as (value, target)."""
        best = (0.0, None)
        for foe in self.foes(piece):
            value, row = self.shot(piece, foe, self.distance(piece, foe), moved=False)
            if row:
                options["AIM", "SHOOT", foe, row, 0] = here + value
                best = max(best, (value, foe), key=lambda each: each[0])
        return best

    def _advance_and_shoot(self, piece, foe, length, options):
        """Into range of each row, and into short range where that gives more dice, and a shot."""
        for row in self.rows(piece, foe):
            stops = {hundredths(row.long)}
            if "Point Blank" in row.qualities and row.short is not None:
                stops.add(hundredths(row.short))
            for stop in stops:
                if "Move or Fire" not in row.qualities and ONE_INCH <= stop < length <= stop + piece.speed:
                    value, fired = self.shot(piece, foe, stop, moved=True)
                    if fired:
                        goes = length - stop
                        if self._length(self._toward(piece, foe, goes), foe) > stop and goes < piece.speed:
                            goes += 1  # a diagonal move is rounded
                        value += self.outlook(piece, self._toward(piece, foe, goes))
                        options["ADVANCE", "SHOOT", foe, fired, goes] = value

    def _toward(self, piece, foe, length):
        gap = self.distance(piece, foe)
        if length >= gap:
            return self.spot(foe)
        return tuple(at + rounded(length * (to - at), gap) for at, to in zip(self.spot(piece), self.spot(foe)))

    def is_enough_in_doubt(self, piece):
        """Whether thousandths decide if a unit looks for a better place (7. above)."""
        return abs(self.prospect(piece, self.spot(piece)) - ENOUGH * self.most_to_come(piece)) < 0.001

    def _moves(self, piece, options):
        def attraction(foe):
            ways = self.later(piece, foe)
            return max(ways[way][0] for way in ("charge", "stand", "move")) / (self.distance(piece, foe) + NEAR)

        foes = self.foes(piece)
        if not foes:
            return
        goal = max(foes, key=attraction)
        length = self.distance(piece, goal)
        most = min(2 * piece.speed, length - ONE_INCH)
        beyond = max(0, *(self.later(goal, piece)[way][1] for way in ("charge", "stand", "move"))) + 1
        for goes in (min(piece.speed, most), most, length - beyond):
            if 0 < goes <= most:
                spot = self._toward(piece, goal, goes)
                slow = goes <= piece.speed
                watches = slow and self._can_watch(piece)
                value = self.outlook(piece, spot) + (self.watched(piece, spot) if watches else 0.0)
                manoeuvre = "ADVANCE" if slow else "DOUBLE_TIME"
                options[manoeuvre, "GO_ON_LOOKOUT" if watches else "NOTHING", goal, None, goes] = value

    def _retreats(self, piece, aims, options):
        """Moves toward the own edge, and a shot at the best target after a short one."""
        best_shot, target = aims
        spot = self.spot(piece)
        for times in (1, 2) if self.answers(piece, spot) > best_shot else (1,):
            self._retires(piece, target, times, options)

    def _retires(self, piece, target, times, options):
        goes = min(times * piece.speed, abs(self.own_edge(piece) - piece.y))
        if goes:
            there = piece.x, piece.y + (goes if piece.side else -goes)
            value, row = 0.0, None
            if times == 1 and target:
                value, row = self.shot(piece, target, self._length(there, target), moved=True)
            manoeuvre = "RETIRE" if times == 1 else "RETIRE_AT_DOUBLE_TIME"
            order = ("SHOOT", target, row) if row else ("NOTHING", None, None)
            options[(manoeuvre, *order, -goes)] = value + self.outlook(piece, there)
