"""A slow, plain reading of best play (AC-9.2): what each side may do, and the value if both do what is best.

The rules of a shot, a charge or a test are those of the plain reading of a duel; what is new is what a unit may do in
its activation, and that whoever chooses looks at what comes of it. Everything is tried; nothing is kept but the value
of a situation that came up before. For one or two rounds of few models.
"""

from collections import defaultdict
from fractions import Fraction
from functools import cache
from math import ceil

from tests.oracle import plain_close_quarters as cq
from tests.oracle import plain_duel as plain
from tests.oracle import plain_duel_state as at_duel
from tests.oracle import plain_focus_fire as focus
from tests.oracle import plain_reading as reading
from tests.oracle.plain_duel_policies import after_charge, contact_of, re_arm, take_cover
from tests.oracle.plain_duel_shots import after_shot, dice_of, is_short, must_reload, rows_in_range, struck, volley_of
from tests.oracle.plain_duel_state import OTHER, Turn, advance, can_aim, change, in_fumes, is_over, unit_of
from tests.oracle.plain_laws import certainly, then
from tests.oracle.plain_strikes import dice_of_row
from tests.oracle.plain_units import value_of

BEST = "best"


def value(scenario, want="win", wanter="a"):
    """What a duel is worth to a side if whoever has the policy ``best`` plays so, and everybody else by tactic."""
    game = Game(scenario, want, wanter)
    return game.between_rounds(game.start, game.rounds)


class Game:
    def __init__(self, scenario, want, wanter):
        self.step = scenario.get("step")
        duel = {key: value for key, value in scenario.items() if key != "step"}
        self.field, self.start, self.rounds, self.first = plain.read(duel)
        self.scenario, self.want, self.wanter = scenario, want, wanter
        self.chooses = {side: scenario[f"policy_{side}"] == BEST for side in "ab"}
        self.known = {}

    # --- values ---

    def best(self, side, values):
        return max(values) if side == self.wanter else min(values)

    def mean(self, law, of):
        return sum(float(chance) * of(state) for state, chance in law.items())

    def worth(self, duel):
        points = dict(zip("ab", plain.points(self.scenario, duel)))
        mine, theirs = points[self.wanter], points[OTHER[self.wanter]]
        if self.want == "margin":
            return float(mine - theirs)
        if self.want == "survival":
            return float(not unit_of(duel, self.wanter).fate)
        return 1.0 if mine > theirs else 0.5 if mine == theirs else 0.0

    def between_rounds(self, duel, left):
        if left == 0 or is_over(duel):
            return self.worth(duel)
        if (duel, left) not in self.known:
            orders = ("ab", "ba") if self.first == "random" else (self.first + OTHER[self.first],)
            self.known[duel, left] = sum(self.acting(duel, order, left) for order in orders) / len(orders)
        return self.known[duel, left]

    def acting(self, duel, order, left):
        """The value where those of `order` are still to be activated in this round."""
        if not order:
            return self.between_rounds(plain.end_phase(duel), left - 1)
        side, rest = order[0], order[1:]
        if is_over(duel) or unit_of(duel, side).activated:
            return self.acting(duel, rest, left)
        key = (duel, order, left)
        if key not in self.known:
            ended = cache(lambda turn: self.ending(turn, rest, left))  # most ways lead to the same few turns
            acted = cache(lambda turn: self.reacting(turn, ended))
            reacted = cache(lambda turn: self.ordering(turn, acted))
            turn = plain.starts(self.field, in_fumes(self.field, duel), side)
            self.known[key] = self.rallying(turn, lambda turn: self.reacting(turn, reacted))
        return self.known[key]

    def rallying(self, turn, after):
        """The value where a rally test may be due, which can be failed on purpose (AC-5.1, AC-5.6)."""
        facts, values = getattr(self.field, turn.side), [self.mean(plain.rally(self.field, turn), after)]
        takes_one = turn.was_suppressed and facts["discipline"] is not None and not plain.passes_rally(facts)
        if self.chooses[turn.side] and takes_one:
            values.append(after(turn._replace(rallied=False)))
        return self.best(turn.side, values)

    def ending(self, turn, rest, left):
        law = then(plain.run_amok(self.field, turn), lambda turn: certainly(self.ended(turn)))
        return self.mean(law, lambda duel: self.acting(duel, rest, left))

    def ended(self, turn):
        return in_fumes(self.field, plain.ends(self.field, turn))

    def reacting(self, turn, after):
        watcher = OTHER[turn.side]
        if not self.chooses[watcher]:
            return self.mean(plain.reaction(self.field, turn), after)
        values = [after(turn)]
        for shot in self.shots(turn.duel, watcher, opportunity=True):
            values.append(shot(lambda duel: after(turn._replace(duel=duel))))
        return self.best(watcher, values)

    def ordering(self, turn, after):
        if is_over(turn.duel):
            return after(turn)
        charges = plain.must_charge(self.field, turn) or (turn.rallied and plain.can_charge(self.field, turn))
        if not self.chooses[turn.side]:
            tactic = self.scenario[f"policy_{turn.side}"]
            if plain.must_charge(self.field, turn) or (charges and tactic == "charge"):
                return self.charge(turn, after)
            return self.mean(plain.acts(self.field, turn), after)
        values = [order(lambda duel: after(turn._replace(duel=duel))) for order in self.orders(turn)]
        return self.best(turn.side, [*values, *([self.charge(turn, after)] if charges else [])])

    # --- what can be done ---

    def certainly(self, law):
        """What comes of something that nobody can choose to fail."""
        return lambda after: self.mean(law, after)

    def orders(self, turn):
        """What comes of each thing that a unit may do but charge, for what comes after it."""
        duel, side = turn.duel, turn.side
        if plain.must_charge(self.field, turn):
            return
        yield from self.specials(duel, side)
        yield from self.shots(duel, side, aiming=can_aim(turn), several=turn.rallied)
        if unit_of(duel, side).garrisoned:
            yield from self.exits(turn)
            return
        if duel.distance is None:
            return
        speed = at_duel.speed(self.field, side)
        for moved in self.places(duel, side, speed, speed):
            if not turn.rallied:
                yield self.certainly(certainly(moved))
                continue
            yield from self.specials(moved, side)
            yield from self.shots(moved, side, moved=True, several=True)
        if turn.rallied:
            back = 0 if unit_of(duel, side).edge_distance is None else 2 * speed  # else it keeps to its SPEED
            for moved in self.places(duel, side, 2 * speed, back):
                yield self.certainly(certainly(moved))

    def exits(self, turn):
        """Out of its building, up to 3 inches from it, and a deed if both steps may be used."""
        duel, side = turn.duel, turn.side
        left = at_duel.moves(self.field, change(duel, side, garrisoned=False), side)
        places = [left]
        if duel.distance is not None:
            back = self.retired(left, side, 3)
            places = [advance(self.field, left, side, 3), *([back] if back.distance != duel.distance else [])]
        for place in places:
            if not turn.rallied:
                yield self.certainly(certainly(place))
                continue
            yield from self.specials(place, side)
            yield from self.shots(place, side, several=True, reforming=True)

    def places(self, duel, side, ahead, back):
        """Where a move of up to so many inches toward the enemy, or away, may end: after all, at a range, at a step."""
        found = [advance(self.field, duel, side, ahead), self.retired(duel, side, back)]
        for number in range(1, ceil(max(ahead, back) / self.step)) if self.step else ():
            found += [advance(self.field, duel, side, number * self.step)] if number * self.step < ahead else []
            found += [self.retired(duel, side, number * self.step)] if number * self.step < back else []
        for row in getattr(self.field, side)["rows"]:
            if row["kind"] != "ranged" or getattr(self.field, OTHER[side])["category"] not in row["against"]:
                continue
            for reach in (row.get("short_range"), row["long_range"]):
                nearer = 0 if reach is None else duel.distance - reach
                if 0 < nearer < ahead:
                    found.append(advance(self.field, duel, side, nearer))
                if 0 < -nearer < back:
                    found.append(self.retired(duel, side, -nearer))
        return [each for each in found if each.distance != duel.distance]

    def retired(self, duel, side, inches):
        """The unit further away from the enemy: at its own edge at most."""
        edge = unit_of(duel, side).edge_distance
        inches = inches if edge is None else min(inches, edge)
        if inches == 0:
            return duel
        further = at_duel.moves(self.field, duel._replace(distance=duel.distance + inches), side)
        return in_fumes(self.field, change(further, side, edge_distance=None if edge is None else edge - inches))

    def specials(self, duel, side):
        facts, enemy = getattr(self.field, side), getattr(self.field, OTHER[side])
        yield self.certainly(certainly(duel))
        yield self.certainly(take_cover(self.field, Turn(side, duel, False, False)))
        if any(row["kind"] == "ranged" and enemy["category"] in row["against"] for row in facts["rows"]):
            yield self.certainly(certainly(change(duel, side, on_lookout=True)))
        yield self.certainly(re_arm(duel, side))

    def shots(self, duel, side, *, aiming=False, moved=False, opportunity=False, several=False, reforming=False):
        """What comes of each attack that may be made, for what comes after it."""
        if is_over(duel) or (opportunity and not getattr(duel, side).on_lookout):
            return
        rows = rows_in_range(self.field, duel, side, opportunity=opportunity, moved=moved)
        rows = [row for row in rows if not must_reload(row, duel, side)]
        shooting = change(duel, side, on_lookout=False) if opportunity else duel
        for row in rows:
            for short in self.ranges(duel, row):
                facts, enemy = getattr(self.field, side), getattr(self.field, OTHER[side])
                if not dice_of(row, facts, unit_of(duel, side), enemy, short=short):
                    continue
                how = {"aiming": aiming, "short": short, "opportunity": opportunity, "reforming": reforming}
                yield self.shot(shooting, side, row, **how)
                if "Overcharge" in row["qualities"]:
                    yield self.shot(shooting, side, row, overcharge=True, **how)
                    yield self.shot(shooting, side, row, overcharge=True, **how | {"aiming": False})
                if several:
                    yield self.all_out(duel, side, row, moved=moved, **how)

    def shot(self, duel, side, row, **how):
        """What comes of one attack; who loses models may fail the test on purpose, and knows what is left (AC-5.1).

        Who goes by a tactic makes an enemy take its tests here, and so do a Tail Gunner and Spectacular Demise.
        """
        return lambda after: self.shot_value(duel, side, row, after, **how)

    def shot_value(self, duel, side, row, after, **how):
        volley = volley_of(self.field, duel, side, row, **how)
        if volley is None:
            return after(duel)
        attack, now, table, duel, rolls = volley
        enemy, total = OTHER[side], 0.0
        for hits, own, _, roll_chance in rolls:
            for facts, place_chance in officers(attack, now, hits):
                for unit, own_chance in own.items():
                    purposes = [False, True] if self.chooses[enemy] else [False]
                    values = [
                        self.mean(
                            {
                                change(struck(duel, enemy, target), side, unit=unit): chance
                                for target, chance in tested(hits, attack, facts, table, self.field, purpose).items()
                            },
                            lambda duel: self.mean(after_shot(self.field, duel, side, row), after),
                        )
                        for purpose in purposes
                    ]
                    total += float(roll_chance * place_chance * own_chance) * self.best(enemy, values)
        return total

    def all_out(self, duel, side, main, *, short, moved, **how):
        """What comes of an attack with a row and then with others, in the order of the card (All-Out Attack, AC-7)."""
        facts, enemy = getattr(self.field, side), getattr(self.field, OTHER[side])
        rows = [row for row in facts["rows"] if row["kind"] == "ranged" and enemy["category"] in row["against"]]
        rows = [row for row in rows if row is not main and "Reactive" not in row["qualities"]]
        rows = rows[: max(value_of(facts, "All-Out Attack"), 1) - 1]

        def following(duel, rows, after):
            if not rows:
                return after(duel)
            more = self.follow_up(duel, side, rows[0], short=short, moved=moved, **how)
            return more(lambda duel: following(duel, rows[1:], after))

        first = self.shot(duel, side, main, short=short, **how)
        return lambda after: first(lambda duel: following(duel, rows, after))

    def follow_up(self, duel, side, row, *, short, moved, **how):
        """What comes of one more attack, if it may be made; from as near as the first one."""
        reach = rows_in_range(self.field, duel, side, moved=moved)
        may = not is_over(duel) and row in reach and not must_reload(row, duel, side)
        if not may:
            return self.certainly(certainly(duel))
        short = self.ranges(duel, row)[-1] if short or duel.distance is not None else False
        return self.shot(duel, side, row, short=short, **how)

    def ranges(self, duel, row):
        """Whether a row is fired from short range: without a distance nobody who chooses is there."""
        return [duel.distance is not None and is_short(row, duel.distance)]

    def charge(self, turn, after):
        """The value of a charge; who has won may overrun, and knows how both stand then (AC-7)."""
        side = turn.side
        ground, duel, me, you = contact_of(self.field, turn.duel, side)

        def ended(fight):
            law = after_charge(self.field, ground, duel, side, fight)
            return self.mean(law, lambda duel: after(turn._replace(duel=duel, charged=True)))

        def won_or_lost(fight):
            if not cq.can_overrun(ground, fight):
                return ended(fight)
            again = self.combat(ground._replace(again=True), side, cq.followed_up(ground, fight), ended)
            return self.best(side, [ended(fight), again]) if self.chooses[side] else again

        return self.mean(cq.approach(ground, me, you), lambda fight: self.combat(ground, side, fight, won_or_lost))

    def combat(self, ground, side, fight, after):
        if fight.active.fate:  # the sponsons left nobody to fight
            return after(fight)
        fight = cq.opened(fight)
        return self.struck(ground, side, fight, cq.blows_of(ground, fight), after)

    def struck(self, ground, side, fight, blows, after):
        """The value before those blows: whoever strikes chooses how, and knows how both stand then (AC-8.3)."""
        if not blows:
            return self.resolved(ground, side, fight, after)
        blow, *rest = blows
        striker = side if blow is cq.active_strikes else OTHER[side]
        values = [
            self.mean(blow(way, fight), lambda fight: self.struck(ground, side, fight, rest, after))
            for way in self.ways(ground, fight, striker == side, striker)
        ]
        return self.best(striker, values)

    def resolved(self, ground, side, fight, after):
        """The value once all have struck: the loser may fail its test on purpose (AC-8.5, AC-5.1)."""
        law = cq.resolve(ground, fight)
        value = self.mean(law, after)
        for name, who in (("active", side), ("target", OTHER[side])):
            failing = ground._replace(**{name: getattr(ground, name) | {"fail_on_purpose": True}})
            failed = cq.resolve(failing, fight)
            if self.chooses[who] and failed != law:
                value = self.best(who, [value, self.mean(failed, after)])
        return value

    def ways(self, ground, fight, is_active, striker):
        """The ground with each row of a unit that can strike, with Overcharge or without, unless it is stated."""
        names = ("active", "target") if is_active else ("target", "active")
        (facts, enemy), unit = (getattr(ground, name) for name in names), getattr(fight, names[0])
        kinds, found = {"melee", "impact"} if is_active else {"melee"}, []
        for row in facts["rows"] if self.chooses[striker] else ():
            if row["kind"] not in kinds or not dice_of_row(row, facts, unit, enemy, half=fight.target.garrisoned):
                continue
            rows = [row, *(other for other in facts["rows"] if other is not row)]
            for overcharge in {facts["overcharge"], "Overcharge" in row["qualities"]}:
                found.append(ground._replace(**{names[0]: facts | {"rows": rows, "overcharge": overcharge}}))
        return found or [ground]


def officers(attack, now, hits):
    """The target where its officer falls, and where he does not, with the chance of that (AC-5.8)."""
    places = reading.officer_place_law(attack, now)
    if len(places) == 1:
        return [(now, Fraction(1))]
    destroyed = reading.wounds_of(hits, attack, now).models_destroyed
    falls = sum((chance for place, chance in places.items() if place <= destroyed), Fraction(0))
    return [(now | {"officer": "first"}, falls), (now | {"officer": "last"}, 1 - falls)]


def tested(hits, attack, facts, table, field, on_purpose):
    """The law of the target after so many hits and its test, which is failed on purpose or taken."""
    found, facts = defaultdict(Fraction), facts | {"fail_on_purpose": on_purpose or facts["fail_on_purpose"]}
    for target, chance, _ in focus.target_draws(hits, attack, facts, table, field.deck, replacement=True):
        found[target] += chance
    return found
