"""Shots, charges and discipline tests between the pieces of a battle, read plainly (AC-3 to AC-8)."""

from tests.oracle.plain_battle_field import AERIAL_TYPES, TWO_INCHES, Field, hundredths
from tests.oracle.plain_blows import FACES, Blow, blow_law, expected_share, rating_of
from tests.oracle.plain_chance import Law

DEMISE_REACH = {"miss": 600, "strike": 400, "heroic": 800}
OVERWHELMED = ("armour", "fortification")


def fits(row, target):
    """Whether a row matches the target: its category, or what may be charged (AC-4.1, the seed's CHARGE)."""
    if row.ranged:
        return target.unit.category in row.kind.split("/")
    return target.unit.type not in AERIAL_TYPES


def reaches(row, distance):
    """Within long range, and not within short range for Indirect (AC-4.1, AC-6)."""
    return distance <= hundredths(row.long) and not ("Indirect" in row.qualities and within_short(row, distance))


def within_short(row, distance):
    return row.short is not None and distance <= hundredths(row.short)


class Fight(Field):
    def __init__(self, plan, chance):
        super().__init__(plan, chance)
        self.scores = []  # (side that scores, why, VPs)
        self._rows = {}
        self._fallen = []

    # --- which row -----------------------------------------------------------------------------------------

    def ranged_row(self, piece, target, *, opportunity=False):
        """The ranged row that the piece fires at the target, wherever it stands; none if no row fits."""
        key = piece, target, opportunity
        if key not in self._rows:
            fitting = [row for row in piece.unit.rows if row.ranged and fits(row, target)]
            usable = [row for row in fitting if opportunity or "Reactive" not in row.qualities]
            self._rows[key] = self._best(piece, target, usable)
        return self._rows[key]

    def close_row(self, piece, target, *, charging):
        """The melee row, or the melee or impact row of a charge (AC-8.1, AC-8.3)."""
        kinds = ("melee", "impact") if charging else ("melee",)
        return self._best(piece, target, [row for row in piece.unit.rows if row.kind in kinds])

    def _best(self, piece, target, rows):
        """The row that destroys most models of the target, neutral, both at full strength; the first of equals."""
        if len(rows) < 2:
            return rows[0] if rows else None
        full_body = target.body._replace(models=target.unit.models, damage=0)
        full_strength = 0 if piece.unit.behemoth else piece.unit.models

        def worth(row):
            dice = next((values[0] for low, high, *values in row.bands if low <= full_strength <= high), 0)
            blow = self._blow(piece, row, target, dice, 0, self._defence(target))
            return expected_share(blow, full_body)

        return max(rows, key=worth)

    # --- blows ---------------------------------------------------------------------------------------------

    def _blow(self, piece, row, target, dice, rating, defence):
        qualities, rules = tuple(sorted(row.qualities)) if row else (), piece.unit.rules
        return Blow(dice, rating, defence, qualities, target.has("Durable"), rules.get("Veteran", 0), self.plan.die)

    def _defence(self, target):
        """DEFENCE; everybody is attacked from the front (BT-1)."""
        return target.unit.defence + target.has("Resilient")

    def _dice(self, piece, row, target, distance=None):
        in_parentheses = (
            ("Point Blank" in row.qualities and distance is not None and within_short(row, distance))
            or ("Shock" in row.qualities and target.unit.category == "light")
            or ("Wreckers" in row.qualities and target.unit.category == "heavy")
        )
        return piece.dice(row, in_parentheses)

    def ranged_blow(self, piece, row, target, distance, *, aiming=False, opportunity=False, reforming=False):
        """A ranged attack at a distance (AC-4.2, AC-4.3)."""
        bonuses = aiming + within_short(row, distance)
        penalties = piece.suppressed + (opportunity and "Lock On" not in row.qualities) + reforming
        concealed = self._concealed(row, target)
        covered = target.taking_cover and "Torrent" not in row.qualities and (concealed or target.has("Pavises"))
        rating = rating_of(bonuses, penalties + concealed)
        dice = self._dice(piece, row, target, distance)
        return self._blow(piece, row, target, dice, rating, self._defence(target) + covered)

    def _concealed(self, row, target):
        return "Torrent" not in row.qualities and (target.has("Shrouded") or target.has("Obfuscating"))

    def close_blow(self, piece, row, target, *, charging, overrun=False):
        """A close quarters attack (AC-8.2)."""
        bonuses = self._overwhelming(piece, target) + (charging and piece.has("Onslaught"))
        bonuses += any(self.distance(friend, target) <= TWO_INCHES for friend in self.friends(piece))
        penalties = (
            piece.suppressed
            + overrun
            + any(foe is not target and self.distance(foe, piece) <= TWO_INCHES for foe in self.foes(piece))
        )
        rating = rating_of(bonuses, penalties)
        return self._blow(piece, row, target, self._dice(piece, row, target), rating, self._defence(target))

    def _overwhelming(self, piece, target):
        return piece.unit.type == "infantry" and target.unit.type in OVERWHELMED

    def bare_blow(self, piece, row, target, distance=None):
        """The attack by what the two units are, whatever they do; without a distance not at short range (BT-4)."""
        if row.ranged:
            short = distance is not None and within_short(row, distance)
            rating = rating_of(short, self._concealed(row, target))
        else:
            rating = rating_of(self._overwhelming(piece, target) + piece.has("Onslaught"), 0)
        dice = self._dice(piece, row, target, distance)
        return self._blow(piece, row, target, dice, rating, self._defence(target))

    # --- what a blow does ----------------------------------------------------------------------------------

    def hit(self, blow, target):
        """Rolls a blow; the models that the target and the unit embarked in it lost."""
        before = target.models
        after = self.chance.pick(blow_law(blow, target.body))
        target.models, target.damage = after.models, after.damage
        lost = before - target.models
        passenger = self.passenger(target)
        passengers_lost = 0
        if passenger and lost:
            room = target.unit.capacity * target.models  # AC-8.8
            passengers_lost = max(passenger.models - room, 0)
            passenger.models -= passengers_lost
            if not passenger.models:
                passenger.x, passenger.y = self.spot(target)
                self.annihilate(passenger, "destroyed")
                self._fallen.append(passenger)
        if not target.models:
            self.annihilate(target, "destroyed")
            self._fallen.append(target)
        elif lost and "Precision" in blow.qualities and not target.has("Bodyguard"):
            self.disorder(target)  # its officer is lost (AC-5.8; Precision in AC-6, Bodyguard in AC-7)
        return lost, passengers_lost

    def passenger(self, transport):
        for piece in self.pieces[transport.side]:
            if piece.place == "embarked" and piece.transport is transport:
                return piece
        return None

    def annihilate(self, piece, why):
        """Out of the battle; the other general scores its VPR (AC-5.9), and for the unit embarked in it too."""
        passenger = self.passenger(piece)
        piece.models, piece.place = 0, "gone"
        self.scores.append((1 - piece.side, f"{piece.unit.name} {why}", piece.unit.vpr))
        if passenger:
            self.annihilate(passenger, "lost with its transport")

    def disorder(self, piece):
        """AC-5.8."""
        if not self.near_commander(piece):
            piece.disordered = True

    # --- discipline ----------------------------------------------------------------------------------------

    def passes(self, piece, modifier=0):
        """A discipline test (AC-5.1, AC-5.3)."""
        unit = piece.unit
        if unit.discipline is None or piece.has("Automata") or piece.has("Irrepressible"):
            return True
        card = self.cards[piece.side].test(self.chance)
        return card <= unit.discipline + modifier - piece.disordered

    def suppression_tests(self, target, losses, before, qualities):
        """The test of a unit and that of the unit embarked in it (AC-5.10); `losses`, `before`: of both."""
        passenger = self.passenger(target)
        self._suppression_test(target, losses[0], before[0], qualities)
        if passenger and passenger.models and target.unit.discipline is not None:
            self._suppression_test(passenger, losses[1], before[1], qualities)

    def _suppression_test(self, piece, lost, before, qualities):
        """AC-5.2 and AC-5.4."""
        modifier = -(2 * lost >= before) - ("Suppressive" in qualities)
        if self.passes(piece, modifier):
            return
        unit = piece.unit
        if unit.break_limit is not None and piece.models <= unit.break_limit:
            self.annihilate(piece, "broke")
        elif piece.suppressed:
            if piece.place == "field" and self.step_back(piece):
                self.annihilate(piece, "fled")
        elif "Cryo" in qualities and not piece.activated:
            piece.activated = True
        else:
            piece.suppressed = True
            seismic = "Seismic" in qualities and unit.type not in AERIAL_TYPES and not piece.has("Hover")
            if piece.has("Construct") or seismic:
                self.disorder(piece)

    def fumes(self):
        """Corrosive Fumes: whoever is near enough becomes disordered."""
        for smoking in (piece for piece in self.all_on_field() if piece.has("Corrosive Fumes")):
            reach = hundredths(smoking.unit.rules["Corrosive Fumes"])
            for foe in self.foes(smoking):
                if self.distance(smoking, foe) <= reach and not foe.has("Automata"):
                    self.disorder(foe)

    def demises(self):
        """Spectacular Demise of whoever fell in this attack, and of whoever falls by it."""
        while self._fallen:
            fallen = self._fallen.pop(0)
            dice = fallen.unit.rules.get("Spectacular Demise")
            if dice is None:
                continue
            face = self.chance.pick(Law(dict(zip(FACES, self.plan.die, strict=True))))
            reach = DEMISE_REACH.get(face, -1)
            for piece in [each for each in self.all_on_field() if self.distance(fallen, each) <= reach]:
                if piece.models and face == "miss":
                    self.suppression_tests(piece, (0, 0), self._models(piece), ())
                elif piece.models:
                    self._attack(self._blow(fallen, None, piece, dice, 0, piece.unit.defence), piece)

    def _models(self, piece):
        """Its models and those of the unit embarked in it."""
        passenger = self.passenger(piece)
        return piece.models, passenger.models if passenger else 0

    def _attack(self, blow, target, *, opportunity=False):
        """A blow and the test that it causes (AC-4.5)."""
        before = self._models(target)
        losses = self.hit(blow, target)
        exempt = opportunity or target.aircraft
        if losses[0] and target.models and (not exempt or target.has("Hot Headed")):
            self.suppression_tests(target, losses, before, blow.qualities)

    # --- ranged attacks ------------------------------------------------------------------------------------

    def shoot(self, piece, row, target, distance, **how):
        """A ranged attack (AC-4), and the Tail Gunner's answer (AC-7)."""
        blow = self.ranged_blow(piece, row, target, distance, **how)
        if "Slow to Fire" in row.qualities:
            piece.reloading = True
        self._attack(blow, target, opportunity=how.get("opportunity", False))
        self.demises()
        gunner = target.unit.rules.get("Tail Gunner")
        if gunner and piece.unit.category == "aerial" and target.models and piece.models:
            self._attack(self._blow(target, None, piece, gunner, -1, piece.unit.defence), piece)
            self.demises()

    def loaded(self, piece, row):
        return not (piece.reloading and "Slow to Fire" in row.qualities)

    def reaction(self, active, place=None):
        """One unit on lookout fires at the active one, the first of the list that can; whether one did."""
        for piece in self.foes(active):
            row = self.ranged_row(piece, active, opportunity=True) if piece.on_lookout else None
            distance = self.distance(piece, place or active)
            if row and self.loaded(piece, row) and reaches(row, distance):
                piece.on_lookout = False
                self.shoot(piece, row, active, distance, opportunity=True)
                return True
        return False

    # --- close quarters ------------------------------------------------------------------------------------

    def may_charge(self, piece, target):
        """Whether it could charge that unit at all, wherever it stands (AC-8.1; Static in AC-7)."""
        row = self.close_row(piece, target, charging=True)
        return row is not None and fits(row, target) and not piece.has("Static")

    def charge(self, piece, target):
        """Into contact, then the close quarters combat (AC-8.1 to AC-8.5)."""
        self.advance(piece, target, 2 * piece.speed)
        self.fumes()
        target.on_lookout = False
        target.taking_cover = target.taking_cover and target.has("Pavises")
        sponsons = target.unit.rules.get("Sponsons")
        if sponsons:
            self.hit(self._blow(target, None, piece, sponsons, -1, self._defence(piece)), piece)
            self.demises()
        if not (piece.models and target.models):
            return
        winner = self._combat(piece, target, charging=True)
        if winner is piece and piece.has("Overrun") and piece.models and target.models:
            self.advance(piece, target, self.distance(piece, target))
            self._combat(piece, target, charging=False)

    def _combat(self, active, target, *, charging):
        """The strikes and what comes of them; the winner. Not `charging`: an Overrun, with one more penalty."""
        both = (active, target)
        before = {piece: self._models(piece) for piece in both}
        losses = dict.fromkeys(both, (0, 0))
        rows = {piece: self.close_row(piece, foe, charging=piece is active) for piece, foe in (both, both[::-1])}
        for striker in reversed(both) if target.has("Stoic Defence") else both:
            other = target if striker is active else active
            if striker.models and other.models and rows[striker]:
                how = {"charging": charging, "overrun": not charging} if striker is active else {"charging": False}
                losses[other] = self.hit(self.close_blow(striker, rows[striker], other, **how), other)
        self.demises()
        by_active, by_target = sum(losses[target]), sum(losses[active])
        if not (active.models and target.models):  # who annihilates the other has won
            by_active, by_target = active.models > 0, target.models > 0
        if by_active == by_target:
            if active.models and target.models:
                self.step_back(active)
            return None
        winner, loser = (active, target) if by_active > by_target else (target, active)
        if winner.has("Hunter"):
            self.scores.append((winner.side, f"{winner.unit.name} won", 1))
        if loser.models:
            if loser.has("Static"):
                self.annihilate(loser, "lost its ground")
            else:
                self.step_back(loser)
                self.suppression_tests(loser, losses[loser], before[loser], rows[winner].qualities)
        return winner
