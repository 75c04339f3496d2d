"""A game of Grande Tactique, slow and plain: each rule of GT-1 to GT-11 a function on units written out in words.

What the rules leave open is read as docs/rulings.md says. A state is (units, whether the division has collapsed).
"""

from fractions import Fraction
from typing import NamedTuple

from tests.oracle.plain_grande_tactique import RULESET, fails_check, flight_distance, inches, pips_left
from tests.oracle.plain_laws import certainly, collect, fraction, marginal, then, total

FLEEING = ("flees", "flees from cavalry")
LOST = ("ridden down", "off the map", "surrounded")


class Unit(NamedTuple):
    """One unit as it stands: lengths in inches, None for far away."""

    status: str
    edge: Fraction | None
    shelter: Fraction | None  # woods that it has not reached
    inside: bool
    beside: bool  # in or from shelter: no longer in its column
    ever_rallied: bool = False


def happens(chance, rule):
    """A rule that is followed with a chance only."""

    def with_chance(units):
        for after, share in rule(units):
            yield after, chance * share
        yield units, 1 - chance

    return with_chance


def spread(law, rule):
    """A law after a rule that yields (state, share)."""
    return then(law, lambda state: collect(rule(state)))


def stands(unit):
    return unit.status in ("eager", "shaken")


class Game:
    def __init__(self, section, ruleset):
        self.section, self.ruleset, self.given = section, ruleset, section["units"]
        self.arms = [each.get("arm", "infantry") for each in self.given]
        self.surrounded = fraction(section.get("surrounded", 0))

    def start(self):
        """GT-1: the states at the start."""
        names = {"destroyed": "ridden down"}
        units = []
        for each in self.given:
            inside, state = each.get("in_shelter", False), each.get("state", "eager")
            shelter = None if inside else inches(each.get("shelter_distance"))
            units.append(Unit(names.get(state, state), inches(each.get("edge_distance")), shelter, inside, inside))
        return tuple(units)

    def column_of(self, one):
        column = self.given[one].get("column")
        return [each for each in range(len(self.given)) if each != one and column == self.given[each].get("column", 0)]

    # --- fleeing ----------------------------------------------------------------------------------------------

    def flees(self, units, one, status, charged_out=False):
        """GT-2, GT-6, GT-9: it routs; in shelter it stays, unless driven out; Old Guard dismays its column."""
        units = list(units)
        if units[one].inside and not charged_out:
            units[one] = units[one]._replace(status="routed")
            return tuple(units)
        units[one] = units[one]._replace(status=status)
        if self.given[one].get("quality") == "old guard":
            near = self.column_of(one)
            for friend in near:
                if units[friend].status == "eager" and abs(units[friend].edge - units[one].edge) <= 9:
                    units[friend] = units[friend]._replace(status="shaken")
            for friend in near:
                close = abs(units[friend].edge - units[one].edge) <= 3
                if close and units[friend].status == "shaken" and self.arms[friend] != "artillery":
                    units = list(self.flees(units, friend, status))
        return tuple(units)

    def all_flee(self, law):
        """GT-5: flight after flight, the foremost first, until nobody flees any more."""
        while any(unit.status in FLEEING for units in law for unit in units):
            law = spread(law, self.next_flight)
        return law

    def next_flight(self, units):
        fleeing = [one for one, unit in enumerate(units) if unit.status in FLEEING]
        if not fleeing:
            yield units, Fraction(1)
            return
        one = min(fleeing, key=lambda each: (-(units[each].edge or 0), each))
        yield self.replaced(units, one, status="surrounded"), self.surrounded
        enemy = "infantry" if units[one].status == "flees" else "cavalry"
        for far, share in flight_distance(self.arms[one], enemy).items():
            yield self.flight(units, one, far), (1 - self.surrounded) * share

    def flight(self, units, one, far):
        """GT-5: to woods within reach, else away and through friends, perhaps off the map."""
        before = units[one]
        if before.shelter is not None and before.shelter <= far:
            edge = None if before.edge is None else before.edge - before.shelter
            return self.replaced(units, one, status="routed", edge=edge, shelter=None, inside=True, beside=True)
        after = before._replace(
            status="routed",
            edge=None if before.edge is None else before.edge - far,
            shelter=None if before.shelter is None else before.shelter - far,
            inside=False,
        )
        if after.edge is not None and after.edge <= 0:
            after = before._replace(status="off the map")
        units = (*units[:one], after, *units[one + 1 :])
        if before.beside:
            return units
        return self.through_friends(units, one, before, before.edge - far if before.edge is not None else None)

    def through_friends(self, units, one, before, end):
        """GT-5: those behind it, the nearest first; the eager are shaken, the shaken flee too, but for artillery."""
        behind = [friend for friend in self.column_of(one) if not units[friend].beside]
        behind = [
            friend
            for friend in behind
            if (units[friend].edge < before.edge or (units[friend].edge == before.edge and friend > one))
            and units[friend].edge >= end
        ]
        for friend in sorted(behind, key=lambda each: (-units[each].edge, each)):
            if units[friend].status == "eager":
                units = self.replaced(units, friend, status="shaken")
            elif units[friend].status == "shaken" and self.arms[friend] != "artillery":
                units = self.flees(units, friend, before.status)
        return units

    def replaced(self, units, one, **what):
        return (*units[:one], units[one]._replace(**what), *units[one + 1 :])

    # --- what befalls a unit ------------------------------------------------------------------------------------

    def withdrawn(self, units, one):
        """GT-10: a unit that stands is withdrawn."""
        yield self.replaced(units, one, status="withdrawn") if stands(units[one]) else units, Fraction(1)

    def fire(self, units, one, cause):
        """GT-1, GT-2: worn down by fire, or a firing attack of its own lost."""
        arm, status = self.arms[one], units[one].status
        worn_down = cause != "loses_firing"
        if not stands(units[one]):
            yield units, Fraction(1)
        elif arm == "artillery" and cause == "worn_down_by_artillery":
            yield self.replaced(units, one, status="silenced"), Fraction(1)
        elif status == "eager":
            shaken = worn_down and self.ruleset["fire_shakes"]
            yield self.replaced(units, one, status="shaken") if shaken else units, Fraction(1)
        elif arm == "infantry":
            given = self.given[one]
            fails = fails_check(given.get("quality", "regular"), given.get("modifier", 0), self.ruleset)
            yield units, 1 - fails
            yield self.flees(units, one, "flees"), fails
        else:
            routs = arm == "cavalry" and worn_down
            yield self.flees(units, one, "flees") if routs else units, Fraction(1)

    def charge(self, units, one, in_rout):
        """GT-2, GT-7: a charge on a unit that is routed, or that stands."""
        given = self.given[one]
        chances = {}
        for enemy in ("cavalry", "infantry"):
            chances[enemy] = fraction(given.get(f"charged_by_{enemy}", 0))
            if in_rout and given.get(f"rout_charged_by_{enemy}") is not None:
                chances[enemy] = fraction(given[f"rout_charged_by_{enemy}"])
        if units[one].status != "routed" if in_rout else not stands(units[one]):
            yield units, Fraction(1)
            return
        yield units, 1 - sum(chances.values())
        if self.arms[one] == "artillery":
            yield self.replaced(units, one, status="silenced"), sum(chances.values())
            return
        if in_rout:
            yield self.replaced(units, one, status="ridden down"), chances["cavalry"]
        else:
            yield self.flees(units, one, "flees from cavalry"), chances["cavalry"]
        yield self.flees(units, one, "flees", charged_out=True), chances["infantry"]

    def pip_phase(self, state):
        """GT-6, GT-8: 2 PIPs rally a unit, in order, unless the division has collapsed; the others flee again."""
        units, collapsed = state
        for pips, share in pips_left(self.section, self.ruleset).items():
            left, after = pips, units
            for one in range(len(units)):
                if units[one].status == "routed" and left >= 2 and not collapsed:
                    left -= 2
                    after = self.replaced(after, one, status=self.section.get("rallied", "shaken"), ever_rallied=True)
            for one in range(len(units)):
                if after[one].status == "routed":
                    after = self.flees(after, one, "flees")
            yield after, share

    # --- turns ----------------------------------------------------------------------------------------------------

    def one_turn(self, units_by_state, turn):
        """A turn from the law of (units, collapsed)."""

        def after(state):
            units, collapsed = state
            law = certainly(units)
            for one, each in enumerate(self.given):
                if (each.get("withdraws") or turn + 1) <= turn:
                    law = spread(law, lambda now, one=one: self.withdrawn(now, one))
            law = self.all_flee(spread(law, lambda now, collapsed=collapsed: self.pip_phase((now, collapsed))))
            for one, each in enumerate(self.given):
                for cause in ("worn_down_by_artillery", "worn_down_by_infantry", "loses_firing"):
                    share = fraction(each.get(cause, 0))
                    rule = happens(share, lambda now, one=one, cause=cause: self.fire(now, one, cause))
                    law = self.all_flee(spread(law, rule))
            for one in range(len(self.given)):
                for in_rout in (True, False):
                    law = spread(law, lambda now, one=one, in_rout=in_rout: self.charge(now, one, in_rout))
                    law = self.all_flee(law)
            return marginal(law, lambda now: (now, collapsed or self.collapses(now)))

        return then(units_by_state, after)

    def collapses(self, units):
        """GT-8: all but one are routed, silenced, destroyed or off the map, and at least one is."""
        driven_off = sum(not stands(unit) and unit.status != "withdrawn" for unit in units)
        return driven_off > 0 and len(units) - driven_off <= 1


def tables(question):
    section, ruleset = question["game"], RULESET | question.get("ruleset", {})
    game, turns = Game(section, ruleset), section.get("turns") or ruleset["turns"]
    corps = section.get("corps_units") or len(section["units"])
    start = game.start()
    law = {(start, game.collapses(start)): Fraction(1)}
    division, of_units, lost = [], [], []
    for turn in range(1, turns + 1):
        law = game.one_turn(law, turn)

        def count(state, statuses):
            return sum(unit.status in statuses for unit in state[0])

        division.append(
            {
                "turn": turn,
                "p_collapsed": total(law, lambda state: state[1]),
                "p_corps_halted": total(law, lambda state: 2 * count(state, LOST) >= corps),
                "p_all_gone": total(law, lambda state: not any(map(stands, state[0]))),
                "mean_standing": total(law, lambda state: count(state, ("eager", "shaken"))),
                "mean_routed": total(law, lambda state: count(state, ("routed",))),
                "mean_lost": total(law, lambda state: count(state, LOST)),
                "mean_withdrawn": total(law, lambda state: count(state, ("withdrawn",))),
            }
        )
        for one, arm in enumerate(game.arms):
            row = {"unit": one + 1, "arm": arm, "turn": turn}
            statuses = {name: (name,) for name in ("eager", "shaken", "routed", "silenced", "surrounded", "withdrawn")}
            for name, those in (statuses | {"off_map": ("off the map",), "destroyed": LOST}).items():
                row[f"p_{name}"] = total(law, lambda state, one=one, those=those: state[0][one].status in those)
            row["p_rallied"] = total(law, lambda state, one=one: state[0][one].ever_rallied)
            of_units.append(row)
        for number in range(len(game.arms) + 1):
            share = total(law, lambda state, number=number: count(state, LOST) == number)
            lost.append({"turn": turn, "units": number, "probability": share})
    return {"game": division, "game_units": of_units, "game_lost": lost}
