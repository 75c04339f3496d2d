"""Grande Tactique, fleeing to collapse: a slow and plain reading of GT-1 to GT-11, in exact fractions.

Written from the rules alone. ``tables(question)`` answers as the program's JSON does. Every ambiguity that had to be
settled is marked with "Settled:"; where docs/rulings.md settles it otherwise, this follows it and says "Ruling:".
"""

from fractions import Fraction
from itertools import product
from typing import Any

from tests.oracle.plain_laws import Law, Row, Tables, certainly, collect, dice, independent, marginal, then, total
from tests.oracle.plain_laws import fraction as exact

RULESET = {"check_sides": 6, "check_target": 4, "fire_shakes": True, "pip_dice": 1, "pip_sides": 6, "turns": 6}


def inches(number: Any) -> Fraction | None:
    """A distance; one that is left out is far away (None)."""
    return None if number is None else exact(number)


def reaches(distance: Fraction, limit: Fraction | None) -> bool:
    """Whether a move of so many inches comes as far as that; exactly as far counts (worked check of GT)."""
    return limit is not None and distance >= limit


def fails_check(quality: str, modifier: int, ruleset: Row) -> Fraction:
    """GT-2, GT-9: one die, +1 for veterans, +2 for the Old Guard instead, against the target."""
    bonus = {"regular": 0, "veteran": 1, "old guard": 2}[quality] + modifier
    faces = range(1, ruleset["check_sides"] + 1)
    failed = [face for face in faces if face + bonus < ruleset["check_target"]]
    return Fraction(len(failed), ruleset["check_sides"])


def check(section: Row, ruleset: Row) -> Tables:
    """GT-1, GT-2: what becomes of the unit.

    Settled: fire that wears artillery down is artillery's, if the question does not say (GT-1). Cavalry and artillery
    that lose a firing attack of their own do not test. An eager unit never flees from fire. Ruling: it becomes shaken
    when fire wears it down, unless `fire_shakes` is false.
    """
    arm = section.get("arm", "infantry")
    cause, state = section.get("cause", "worn down"), section.get("state", "shaken")
    flees = silenced = Fraction(0)
    if arm == "artillery":
        by_artillery = section.get("worn_down_by") != "infantry"
        silenced = Fraction(cause == "charged" or (cause == "worn down" and by_artillery))
    elif cause == "charged":
        flees = Fraction(1)
    elif arm == "cavalry":
        flees = Fraction(cause == "worn down" and state == "shaken")
    elif state == "shaken":
        flees = fails_check(section.get("quality", "regular"), section.get("modifier", 0), ruleset)
    stands = 1 - flees - silenced
    shaken = state == "shaken" or (cause == "worn down" and ruleset["fire_shakes"])
    row = {"arm": arm, "p_stands": stands, "p_flees": flees, "p_silenced": silenced, "p_routed": flees}
    row |= {"p_eager": Fraction(0) if shaken else stands, "p_shaken": stands if shaken else Fraction(0)}
    return {"check": [row]}


def flight_distance(arm: str, enemy: str) -> Law:
    """GT-3."""
    if arm == "infantry":
        return certainly(Fraction(7))
    return marginal(dice(2 if enemy == "cavalry" else 0, 6), lambda roll: Fraction(11 + roll))


def pursuit_distance(arm: str, enemy: str, fled: Fraction) -> Fraction:
    """GT-4: only cavalry pursues; 0 is written for no pursuit."""
    if enemy != "cavalry":
        return Fraction(0)
    return Fraction(6) if arm == "infantry" else fled - 1


def flight(section: Row, _ruleset: Row) -> Tables:
    """GT-3 to GT-5.

    Settled: with no gap through the enemy not even shelter can be reached. A shelter that can be reached is preferred
    to the line on which the map's edge lies, however near that edge. Nobody pursues a unit that was surrounded.
    """
    arm, enemy = section.get("arm", "infantry"), section.get("enemy", "cavalry")
    edge, shelter = inches(section.get("edge_distance")), inches(section.get("shelter_distance"))
    surrounded = exact(section.get("surrounded", 0))

    def fate(far: Fraction) -> Any:
        if arm == "infantry" and reaches(far, shelter):
            return "in shelter", shelter, pursuit_distance(arm, enemy, shelter)
        return "off the map" if reaches(far, edge) else "routed", far, pursuit_distance(arm, enemy, far)

    fled = marginal(flight_distance(arm, enemy), fate)
    law = collect([(("surrounded", 0, 0), surrounded), *((end, (1 - surrounded) * p) for end, p in fled.items())])
    rows = [{"fate": f, "distance": d, "pursuit": c, "probability": p} for (f, d, c), p in law.items()]
    means = {
        "arm": arm,
        "p_off_map": total(law, lambda s: s[0] == "off the map"),
        "p_surrounded": surrounded,
        "p_destroyed": total(law, lambda s: s[0] in ("off the map", "surrounded")),
        "p_in_shelter": total(law, lambda s: s[0] == "in shelter"),
        "p_routed": total(law, lambda s: s[0] in ("routed", "in shelter")),
    }
    if surrounded < 1:
        means["mean_flight_if_it_flees"] = total(fled, lambda s: s[1])
        means["mean_pursuit_if_it_flees"] = total(fled, lambda s: s[2])
    return {"flight": rows, "fates": [means]}


FLED = ("routed", "off the map")


class Column:
    """A unit that flees and the friends behind it, on one line; the first unit is number 0 at 0 inches.

    A state is (what has become of each, those that have routed and have yet to flee). Settled: those that rout flee
    "in turn", in the order in which they routed; friends of a fleeing Old Guard suffer "immediately", before it moves.
    """

    def __init__(self, section: Row) -> None:
        friends = section.get("friends", [])
        self.enemy = section.get("enemy", "cavalry")
        self.edge = inches(section.get("edge_distance"))
        self.arms = [section.get("arm", "infantry"), *(f.get("arm", "infantry") for f in friends)]
        self.places = [Fraction(0), *(exact(f.get("distance", 0)) for f in friends)]
        self.guard = [section.get("old_guard", False), *(f.get("old_guard", False) for f in friends)]
        self.shaken = [exact(f.get("shaken", 0)) for f in friends]

    def start(self) -> Law:
        """Every friend is shaken with its own chance; the first unit routs."""

        def begun(friends: Any) -> Any:
            status, queue = ["eager", *friends], list[int]()
            self.rout(0, status, queue)
            return tuple(status), tuple(queue)

        return marginal(independent({"shaken": p, "eager": 1 - p} for p in self.shaken), begun)

    def rout(self, unit: int, status: list[str], queue: list[int]) -> None:
        """GT-2, GT-9: it becomes routed; of the Old Guard, friends within 9 are shaken, those within 3 flee too."""
        if status[unit] in FLED or self.arms[unit] == "artillery":
            return
        status[unit] = "routed"
        queue.append(unit)
        if not self.guard[unit]:
            return
        near = sorted(range(len(status)), key=lambda friend: abs(self.places[friend] - self.places[unit]))
        for friend in near:
            if abs(self.places[friend] - self.places[unit]) <= 9 and status[friend] == "eager":
                status[friend] = "shaken"
        for friend in near:
            if abs(self.places[friend] - self.places[unit]) <= 3:
                self.rout(friend, status, queue)

    def flee(self, unit: int, far: Fraction, status: list[str], queue: list[int]) -> None:
        """GT-5: through the friends behind it, the nearest first.

        Ruling: a friend at exactly the distance fled is passed through. Settled: one at the same place is, if it stands
        behind in the list.
        """
        here = self.places[unit]
        behind = [f for f in range(len(status)) if (self.places[f], f) > (here, unit)]
        for friend in sorted(behind, key=lambda f: (self.places[f], f)):
            if self.places[friend] > here + far:
                continue
            if status[friend] == "eager":
                status[friend] = "shaken"
            elif status[friend] == "shaken":
                self.rout(friend, status, queue)
        if self.edge is not None and here + far >= self.edge:
            status[unit] = "off the map"

    def outcome(self) -> Law:
        """The law of what has become of all of them, when nobody is left to flee."""

        def next_flight(state: Any) -> Law:
            status, queue = state
            if not queue:
                return certainly(state)

            def fled(far: Fraction) -> Any:
                now, waiting = list(status), list(queue[1:])
                self.flee(queue[0], far, now, waiting)
                return tuple(now), tuple(waiting)

            return marginal(flight_distance(self.arms[queue[0]], self.enemy), fled)

        law = self.start()
        while any(queue for _, queue in law):
            law = then(law, next_flight)
        return marginal(law, lambda state: state[0])


def column(section: Row, _ruleset: Row) -> Tables:
    """GT-5, GT-9: the chain reaction among the friends behind."""
    line = Column(section)
    law = line.outcome()
    number = len(line.shaken)
    exactly = [total(law, lambda s, k=k: sum(x in FLED for x in s[1:]) == k) for k in range(number + 1)]
    chain = [{"friends": k, "p_exactly": exactly[k], "p_at_least": sum(exactly[k:])} for k in range(number + 1)]
    states = {"eager": "eager", "shaken": "shaken", "routed": "routed", "off_map": "off the map"}
    friends = [
        {"friend": i, "arm": line.arms[i], "distance": line.places[i]}
        | {f"p_{name}": total(law, lambda s, i=i, state=state: s[i] == state) for name, state in states.items()}
        for i in range(1, number + 1)
    ]
    joint = [
        {"first": s[0]} | {f"friend_{i}": s[i] for i in range(1, number + 1)} | {"probability": p}
        for s, p in law.items()
    ]
    means = [{"units": number, "mean_friends_fleeing": sum(k * p for k, p in enumerate(exactly))}]
    return {"chain": chain, "chain_means": means, "friends": friends, "joint": joint}


# A unit is ("rallied",), ("destroyed",) or ("routed", arm, inches to the edge, inches to shelter, whether inside it).


def run(unit: tuple) -> tuple:
    """GT-3, GT-5, GT-6: one flight of 7 or 11 inches, into shelter if infantry can reach it."""
    _, arm, edge, shelter, inside = unit
    if inside:  # charged out of it: a full move
        shelter = None
    if arm == "infantry" and reaches(Fraction(7), shelter):
        return ("routed", arm, None if edge is None else edge - shelter, None, True)
    far = Fraction(7 if arm == "infantry" else 11)
    if reaches(far, edge):
        return ("destroyed",)
    return ("routed", arm, *(None if d is None else d - far for d in (edge, shelter)), False)


def rally(units: tuple, pips: int) -> tuple:
    """GT-6: 2 PIPs a unit, in the order given."""
    after = []
    for unit in units:
        if unit[0] == "routed" and pips >= 2:
            pips -= 2
            after.append(("rallied",))
        else:
            after.append(unit)
    return tuple(after)


def flee_again(unit: tuple) -> tuple:
    """GT-6: at the end of the PIP phase; infantry in woods or a built-up area stay."""
    return run(unit) if unit[0] == "routed" and not unit[4] else unit


def charged(unit: tuple, by_cavalry: Fraction, by_infantry: Fraction) -> Law:
    """GT-6, GT-7, in the charge phase. Settled: shelter does not save routed infantry from cavalry.

    Settled: the two chances exclude each other (the program refuses two whose sum is above 1).
    """
    if unit[0] != "routed":
        return certainly(unit)
    return collect([(("destroyed",), by_cavalry), (run(unit), by_infantry), (unit, 1 - by_cavalry - by_infantry)])


def pips_left(section: Row, ruleset: Row) -> Law:
    """PIPs for rallying, after those spent elsewhere."""
    law = dice(ruleset["pip_dice"], ruleset["pip_sides"])
    return marginal(law, lambda pips: max(0, pips - section.get("pips_elsewhere", 0)))


def rout_turn(law: Law, section: Row, pips_law: Law) -> Law:
    """One turn: PIP phase with rallying (unless collapsed, GT-8), flight of the rest, charge phase."""
    charges = exact(section.get("charged_by_cavalry", 0)), exact(section.get("charged_by_infantry", 0))
    collapsed = section.get("standing") in (0, 1)

    def after(units: tuple) -> Law:
        rallied = marginal(pips_law, lambda pips: units if collapsed else rally(units, pips))
        return then(rallied, lambda now: independent(charged(flee_again(unit), *charges) for unit in now))

    return then(law, after)


def rout(section: Row, ruleset: Row) -> Tables:
    """GT-6 to GT-8."""

    def routed(unit: Row) -> tuple:
        lengths = (inches(unit.get(f"{place}_distance")) for place in ("edge", "shelter"))
        return ("routed", unit.get("arm", "infantry"), *lengths, bool(unit.get("in_shelter", False)))

    start = tuple(map(routed, section["units"]))
    turns = section.get("turns") or ruleset["turns"]
    laws = [{start: Fraction(1)}]
    for _ in range(turns):
        laws.append(rout_turn(laws[-1], section, pips_left(section, ruleset)))
    rows, then, means, still = [], [], [], []
    for i in range(len(start)):
        chances = {
            state: [total(law, lambda s, i=i, state=state: s[i][0] == state) for law in laws]
            for state in ("rallied", "routed", "destroyed")
        }
        for t in range(1, turns + 1):
            rows.append({"unit": i + 1, "turn": t} | {f"p_{state}": p[t] for state, p in chances.items()})
            then.append(
                {"unit": i + 1, "turns": t}
                | {f"p_{state}_then": chances[state][t] - chances[state][t - 1] for state in ("rallied", "destroyed")}
            )
        means.append({"unit": i + 1, "mean_turns": sum(chances["routed"][:turns])})
    for t, k in product(range(1, turns + 1), range(len(start) + 1)):
        p = total(laws[t], lambda s, k=k: sum(u[0] == "routed" for u in s) == k)
        still.append({"turn": t, "units": k, "probability": p})
    return {"rout": rows, "time_in_rout": then, "turns_in_rout": means, "still_routed": still}


def collapses(units: tuple) -> bool:
    """GT-8: all but one of its units are routed, destroyed or off the map.

    Settled: a division of one unit that stands has not collapsed, though "all but one" would be none of them.
    """
    standing = sum(unit == "standing" for unit in units)
    return standing <= 1 and standing < len(units)


def division_turn(law: Law, section: Row, pips_law: Law) -> Law:
    """One turn: rallying, then routed units may be lost, then standing ones may rout; then collapse is looked at."""
    chances = [(exact(u.get("rout", 0)), exact(u.get("lost", 0))) for u in section["units"]]

    def rallied(units: tuple, pips: int) -> tuple:
        after = rally(tuple((unit,) for unit in units), pips)
        return tuple("standing" if unit == ("rallied",) else unit[0] for unit in after)

    def befalls(unit: str, routs: Fraction, lost: Fraction) -> Law:
        worse, chance = {"standing": ("routed", routs), "routed": ("lost", lost)}.get(unit, ("lost", Fraction(1)))
        return collect([(worse, chance), (unit, 1 - chance)])

    def after(state: tuple) -> Law:
        units, collapsed = state
        rallies = section.get("rally", True) and not collapsed
        law = marginal(pips_law, lambda pips: rallied(units, pips) if rallies else units)
        law = then(law, lambda now: independent(befalls(*each) for each in zip(now, *zip(*chances))))
        return marginal(law, lambda now: (now, collapsed or collapses(now)))

    return then(law, after)


def division(section: Row, ruleset: Row) -> Tables:
    """GT-8: collapse is for the rest of the game; a corps is halted when half its original units are lost."""
    start = tuple("lost" if u.get("state") == "destroyed" else u.get("state", "standing") for u in section["units"])
    turns = section.get("turns") or ruleset["turns"]
    corps = section.get("corps_units") or len(start)
    law: Law = {(start, collapses(start)): Fraction(1)}
    rows, units, standing = [], [], []
    for t in range(1, turns + 1):
        law = division_turn(law, section, pips_left(section, ruleset))
        alive = [total(law, lambda s, k=k: s[0].count("standing") == k) for k in range(len(start) + 1)]
        rows.append(
            {
                "turn": t,
                "p_collapsed": total(law, lambda s: s[1]),
                "p_corps_halted": total(law, lambda s: 2 * s[0].count("lost") >= corps),
                "p_all_gone": alive[0],
                "mean_standing": sum(k * p for k, p in enumerate(alive)),
            }
        )
        standing += [{"turn": t, "units": k, "probability": p} for k, p in enumerate(alive)]
        for i in range(len(start)):
            chances = {f"p_{x}": total(law, lambda s, i=i, x=x: s[0][i] == x) for x in ("standing", "routed", "lost")}
            units.append({"unit": i + 1, "turn": t} | chances)
    return {"division": rows, "units": units, "standing": standing}


SECTIONS = {"check": check, "flight": flight, "column": column, "rout": rout, "division": division}


def tables(question: Row) -> Tables:
    ruleset = RULESET | question.get("ruleset", {})
    answer: Tables = {}
    for name, section in SECTIONS.items():
        if name in question:
            answer |= section(question[name], ruleset)
    return answer
