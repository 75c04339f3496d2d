"""Many samples of one question of each kind: what was counted of every event, and of at least so much of every figure.

The exact answer gives the law of each count, a binomial one; a sample of a fight puts its cards back, as that does. In
the place of that of a battle, which has none, stands a sample so large that its own error is a few hundredths of an
interval of those that are looked at.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from analyser.common.jit import interpreted
from analyser.common.method_settings import Sampling
from analyser.engine.fight.exact.propagate import start_states
from analyser.morale import api as morale
from analyser.morale.systems import SYSTEMS
from analyser.results.attack import solve_attack
from analyser.results.battle import solve_battle
from analyser.results.charge import solve_charge
from analyser.results.duel import solve_duel
from analyser.results.focus import solve_focus
from analyser.results.states import simulation_of, states_after
from analyser.scenarios.charge import charge_program, charge_start
from analyser.scenarios.duel import duel_start, program_of_shooters, shooters_of, split_at_orders
from analyser.scenarios.focus import focus_program
from analyser.scenarios.load import load
from benchmarks.calibration.counting import TRIALS, Chance, OfMorale, OfStates, OneByOne

FEWEST_EXPECTED = 0.5  # events, or trials without them
MOST_FIGURES = 30  # of a kind, spread over all probabilities that there are
REFERENCE, REFERENCE_SEED = 2_000_000, 1 << 40  # battles, which stand in for an exact answer; a seed of its own
RIFLES, GRENADIERS = {"unit": "crown/rifle-platoon@basic"}, {"unit": "imperium/scion-grenadier-platoon@basic"}
MORE_RIFLES = {"unit": "crown/rifle-platoon@reinforced"}
ATTACKERS = {"attacker": RIFLES["unit"]}
AIMED = {**ATTACKERS, "distance": 6, "bonuses": ["aiming"]}
QUESTIONS = {  # each with chances from about one in 4,000 to a half
    "attack": {"attack": AIMED, "target": GRENADIERS},
    "charge": {"charge": {"outflanking": True}, "attacker": MORE_RIFLES, "target": GRENADIERS},
    "focus": {"attacks": [AIMED, {**AIMED, "attacker": MORE_RIFLES["unit"]}], "target": GRENADIERS},
    "duel": {"duel": {"rounds": 2, "first": "a"}, "a": MORE_RIFLES, "b": GRENADIERS},
    "legion": {"courage": 2, "tokens": 4, "received": {0: 0.5, 2: 0.5}, "destroyed": 0.02, "rounds": 3},
    "grande-tactique": {"division": {"units": [{"rout": 0.1, "lost": 0.05}] * 4, "turns": 3}},
    "warmaster": {
        "dice": 2,
        "obstacles": [{"kind": "friend", "distance": 4, "chain": 5}, {"kind": "enemy", "distance": 11}],
    },
    "mordheim": {"stupidity": {"leadership": 8}, "turns": 6},
    "compare": {"models": 6, "losses": {0: 0.85, 1: 0.12, 2: 0.03}, "rounds": 2},
    "battle": {
        "battle": {"rounds": 2},
        "mine": ["2 x crown/rifle-platoon@basic"],
        "yours": ["2 x " + GRENADIERS["unit"]],
    },
}


def _fight(exact, setup, programs, start, last):
    """The samples of a longer fight; its answer ends with program number `last`."""
    simulation = simulation_of(setup, programs, exact.scenario.ruleset, replacement=True)

    def sample(how):
        return states_after(setup, programs, start, exact.scenario.ruleset, how, simulation)[last]

    return OfStates(exact, sample)


def _attack(scenario):
    return OneByOne(solve_attack(scenario), lambda how: solve_attack(scenario, how))


def _charge(scenario):
    setup, operations = charge_program(scenario.attacker, scenario.target, scenario.secondary)
    setup.sides["hunter"] = 1
    return _fight(solve_charge(scenario, Sampling()), setup, [operations], charge_start(setup), 0)


def _focus(scenario):
    setup, programs = focus_program(scenario.attacks, scenario.attackers)
    return _fight(solve_focus(scenario, Sampling()), setup, programs, start_states(setup), -1)


def _duel(scenario):
    shooters = shooters_of(scenario.a, scenario.b, scenario.terms, scenario.ruleset)
    setup, rounds = program_of_shooters(shooters, scenario.terms)
    parts, _, ends = split_at_orders(rounds, shooters)
    start = duel_start(setup, (scenario.a, scenario.b))
    return _fight(solve_duel(scenario, Sampling()), setup, parts, start, ends[-1])


def _battle(scenario):
    def sample(how):
        return solve_battle(scenario, how, swing=False, tactics=False)

    return OneByOne(sample(Sampling("monte-carlo", REFERENCE, REFERENCE_SEED, replacement=True)), sample)


ASK = {"attack": _attack, "charge": _charge, "focus": _focus, "duel": _duel, "battle": _battle}


@dataclass(frozen=True)
class Question:
    """A question of one kind: the chances in its answer, its means by name, and what counts them in samples."""

    chances: list
    means: dict
    samples: OneByOne

    def counted(self, seeds):
        """What was counted of each chance in the samples of some seeds, and each mean with its standard error.

        The first is also answered as everybody's is, and must say the same.
        """
        counts, means = self.samples.counted(self.chances, [*self.means], seeds)
        first = OneByOne(self.samples.exact, self.samples.answer)
        for found, alone in zip((counts, means), first.counted(self.chances, [*self.means], seeds[:1])):
            np.testing.assert_allclose(found[:1], alone, rtol=1e-9, atol=1e-9)
        return counts, means


@lru_cache
def question_of(kind):
    """The question of a kind."""
    given = QUESTIONS[kind]
    if kind in SYSTEMS:
        asked = morale.load_question(kind, given)
        samples = OfMorale(kind, asked, morale.exact(kind, asked))
    else:
        samples = ASK[kind](load(given, None, kind))
    exact = samples.exact
    chances = (
        _of_fates(exact) if kind == "compare" else [Chance(name, exact.probability(name)) for name in exact.events]
    )
    figures = [name for name in exact.figures if exact.std(name) > 0]
    for name in figures:
        chances += [Chance(name, row["at_least"], at_least=row["value"]) for row in exact.distribution(name)]
    possible = {round(each.p, 12): each for each in reversed(chances) if _is_seen(each.p)}
    order = sorted(possible.values(), key=lambda each: min(each.p, 1 - each.p))
    places = np.unique(np.linspace(0, len(order) - 1, MOST_FIGURES).round().astype(int))
    return Question([order[place] for place in places], {name: exact.mean(name) for name in figures}, samples)


def _of_fates(exact):
    """The chances of every system of the comparison, at its end: those of its answer are of the first alone."""
    table = exact.table("fates")
    rows = [row for row, number in enumerate(table["round"]) if number == max(table["round"])]
    return [
        Chance(name, float(table[f"p_{name}"][row]), row=(row, table["system"][row]))
        for name in exact.events
        for row in rows
    ]


def _is_seen(p):
    return TRIALS * min(p, 1 - p) >= FEWEST_EXPECTED


def play(kind, seeds):
    """The counts of each chance, shape (seeds, chances), and means with errors, shape (seeds, means, 2)."""
    with interpreted(False):
        return question_of(kind).counted(seeds)
