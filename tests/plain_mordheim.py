"""A slow, plain reading of rout tests and psychology in Mordheim (MD-1 to MD-10), to compare the engines with.

Written from the numbered rules and `docs/rulings.md` alone; it shares nothing with the package. Warriors are a list,
who falls is drawn one after the other, every die is enumerated, chances are fractions.
"""

from fractions import Fraction
from itertools import product
from math import ceil

FACES = range(1, 7)
PAIRS = [a + b for a, b in product(FACES, FACES)]


def test(leadership):
    """P(two dice at or below Leadership)."""
    return Fraction(sum(roll <= leadership for roll in PAIRS), 36)


def add(law, key, chance):
    if chance:
        law[key] = law.get(key, 0) + chance


# --- rout tests (MD-1, MD-2) --------------------------------------------------------------------------------------


def falls(band, leader_falls):
    """Who can be the next to fall, with its chance; a band is (leader standing, others standing best first)."""
    leader, others = band
    standing = leader + len(others)
    if not leader or leader_falls == "last" or isinstance(leader_falls, int):
        share = Fraction(int(leader and not others))
    else:
        share = Fraction(1) if leader_falls == "first" else Fraction(1, standing)
    if leader and share:
        yield (False, others), share
    if others and share < 1:
        yield (leader, others[:-1]), 1 - share


def after_casualties(band, number, leader_falls, leader_falls_now):
    """The law of the band after so many casualties."""
    law = {band: Fraction(1)}
    if leader_falls_now and band[0]:
        law, number = {(False, band[1]): Fraction(1)}, max(number, 1) - 1
    for _ in range(number):
        following = {}
        for each, chance in law.items():
            if not (each[0] or each[1]):
                add(following, each, chance)
            for left, share in falls(each, leader_falls) if each[0] or each[1] else ():
                add(following, left, chance * share)
        law = following
    return law


def passes_rout_test(band, leader_leadership, leader_stunned, others_stunned):
    """P(passed): on the leader, or the best neither stunned nor out; nobody left to test on is a failure (MD-1)."""
    leader, others = band
    steady_leader = (1 - leader_stunned) * leader
    chance = steady_leader * test(leader_leadership)
    for stunned in product((False, True), repeat=len(others)):
        share = Fraction(1)
        for each in stunned:
            share *= others_stunned if each else 1 - others_stunned
        best = max((other for other, down in zip(others, stunned) if not down), default=0)
        chance += (1 - steady_leader) * share * test(best)
    return chance


def rout(leader, others, laws, *, leader_falls="random", leader_stunned=0, others_stunned=0, gives_up_at=99, out=0):
    """P(fighting), P(routed), P(gave up), P(all out) after each turn; `others` fall weakest first."""
    took_part = 1 + len(others)
    law = after_casualties((True, tuple(sorted(others, reverse=True))), out, leader_falls, False)
    routed = gave_up = all_out = Fraction(0)
    for turn, casualties in enumerate(laws, start=1):
        following = {}
        for band, chance in law.items():
            for number, share in casualties.items():
                for left, here in after_casualties(band, number, leader_falls, leader_falls == turn).items():
                    lost, weight = took_part - left[0] - len(left[1]), chance * share * here
                    if lost == took_part:
                        all_out += weight
                    elif 4 * lost < took_part:
                        add(following, left, weight)
                    elif lost >= gives_up_at:
                        gave_up += weight
                    else:
                        passed = passes_rout_test(left, leader, Fraction(leader_stunned), Fraction(others_stunned))
                        routed += weight * (1 - passed)
                        add(following, left, weight * passed)
        law = following
        yield sum(law.values()), routed, gave_up, all_out


# --- all alone and flight (MD-5, MD-6) ----------------------------------------------------------------------------


def flight(leadership, opponents, wounds, to_wound, save, edge, charged, turns):
    """P(holds), P(rallied), P(left), P(down), P(flees), after the break and after each turn; runs go to the edge."""
    hit = Fraction(sum(a >= to_wound and b < save for a, b in product(FACES, FACES)), 36)
    breaks = 1 - test(leadership)
    lives = sum(
        (hit ** sum(hits)) * (1 - hit) ** (opponents - sum(hits))
        for hits in product((0, 1), repeat=opponents)
        if sum(hits) < wounds
    )
    rallied, down = Fraction(0), breaks * (1 - lives)
    law, left = run({ceil(edge): breaks * lives})
    yield test(leadership), rallied, left, down, sum(law.values())
    for _ in range(turns):
        moved, off = run(law)
        law = {inches: (1 - charged) * law.get(inches, 0) + charged * moved.get(inches, 0) for inches in {*law, *moved}}
        left += charged * off
        fleeing = sum(law.values())
        rallied += fleeing * test(leadership)
        law, off = run({inches: chance * (1 - test(leadership)) for inches, chance in law.items()})
        left += off
        yield test(leadership), rallied, left, down, sum(law.values())


def run(law):
    """The law of inches to the edge after a run of two dice, and P(it is reached)."""
    following, left = {}, Fraction(0)
    for inches, chance in law.items():
        for roll in PAIRS:
            if roll >= inches:
                left += chance / 36
            else:
                add(following, inches - roll, chance / 36)
    return following, left


# --- combat (MD-7 to MD-9) ------------------------------------------------------------------------------------------


def one_sides_hits(side, afraid):
    """The law of the hits of one side in the first round, every blow on its own."""
    attacks = side["attacks"] * (2 if side.get("frenzy") else 1) + bool(side.get("second_weapon"))
    needed = 6 if afraid else side.get("to_hit", 4)
    chance = Fraction(7 - needed, 6)
    if side.get("hatred"):
        chance += (1 - chance) * chance
    law = {}
    for hits in product((0, 1), repeat=attacks):
        add(law, sum(hits), chance ** sum(hits) * (1 - chance) ** (attacks - sum(hits)))
    return law


def first_round(fighter, enemy, charger):
    """The joint law of the hits of both in the first round; a failed charge is no combat (MD-9)."""
    sides = {"fighter": fighter, "enemy": enemy}
    others = {"fighter": enemy, "enemy": fighter}
    tests = {
        name: charger != "nobody"
        and others[name].get("causes_fear", False)
        and not any(side.get(word) for word in ("causes_fear", "frenzy", "immune_to_psychology"))
        for name, side in sides.items()
    }
    found = {}
    for failed in product((False, True), repeat=2):
        fails = dict(zip(sides, failed))
        share = Fraction(1)
        for name, side in sides.items():
            passed = test(side.get("leadership", 7)) if tests[name] else Fraction(1)
            share *= 1 - passed if fails[name] else passed
        if charger != "nobody" and fails[charger]:
            add(found, (0, 0), share)
            continue
        laws = [one_sides_hits(side, fails[name]) for name, side in sides.items()]
        for (mine, p_mine), (theirs, p_theirs) in product(laws[0].items(), laws[1].items()):
            add(found, (mine, theirs), share * p_mine * p_theirs)
    return found
