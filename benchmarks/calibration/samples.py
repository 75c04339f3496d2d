"""Many samples of one question of each kind: what was counted of every event, and of at least so much of every figure.

The exact answer gives the law of each count, a binomial one; a sample of a fight puts its cards back, as that does. In
the place of that of a battle, which has none, stands a sample so large that its own error is a few hundredths of an
interval of those that are looked at.
"""

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from analyser.common.jit import interpreted
from analyser.common.sampling import Sampling
from analyser.engine.fight.exact.propagate import start_states
from analyser.morale import api as morale
from analyser.morale.answers import weights_of
from analyser.morale.systems import SYSTEMS
from analyser.results.attack import solve_attack
from analyser.results.battle import solve_battle
from analyser.results.charge import solve_charge
from analyser.results.duel import solve_duel
from analyser.results.focus import solve_focus
from analyser.results.states import run, simulation_of
from analyser.scenarios.charge import charge_program, charge_start
from analyser.scenarios.duel import duel_start, in_parts, program_of, shooters_of
from analyser.scenarios.focus import focus_program
from analyser.scenarios.load import load

TRIALS = 4000
FEWEST_EXPECTED = 0.5  # events, or trials without them
MOST_FIGURES = 30  # of a kind, spread over all probabilities that there are
REFERENCE, REFERENCE_SEED = 2_000_000, 1 << 40  # battles, which stand in for an exact answer; a seed of its own
RIFLES, GRENADIERS = {"unit": "crown/rifle-platoon@basic"}, {"unit": "imperium/scion-grenadier-platoon@basic"}
ATTACKERS = {"attacker": RIFLES["unit"]}
QUESTIONS = {
    "attack": {"attack": {**ATTACKERS, "distance": 6, "bonuses": ["aiming"]}, "target": GRENADIERS},
    "charge": {"charge": {"outflanking": True}, "attacker": RIFLES, "target": GRENADIERS},
    "focus": {"attacks": [{**ATTACKERS, "distance": 12}, {**ATTACKERS, "distance": 6}], "target": GRENADIERS},
    "duel": {"duel": {"rounds": 2, "first": "a"}, "a": RIFLES, "b": GRENADIERS},
    "legion": {"courage": 2, "tokens": 3, "received": {0: 0.5, 2: 0.5}, "destroyed": 0.02, "rounds": 3},
    "grande-tactique": {"division": {"units": [{"rout": 0.2, "lost": 0.1}] * 4, "turns": 3}},
    "warmaster": {
        "dice": 2,
        "obstacles": [{"kind": "friend", "distance": 4, "chain": 2}, {"kind": "enemy", "distance": 9}],
    },
    "mordheim": {"stupidity": {"leadership": 7}, "turns": 6},
    "compare": {"models": 6, "losses": {0: 0.5, 1: 0.3, 2: 0.2}, "rounds": 3},
    "battle": {
        "battle": {"rounds": 2},
        "mine": ["2 x crown/rifle-platoon@basic"],
        "yours": ["2 x " + GRENADIERS["unit"]],
    },
}


def _fight(exact, setup, programs, start, ends):
    """The samples of a longer fight; `ends` are the moments of its answer among those of the programs."""
    ruleset = exact.scenario.ruleset
    simulation = simulation_of(setup, programs, ruleset, replacement=True)

    def sample(how):
        moments = run(setup, programs, start, ruleset, how, simulation)
        return replace(exact, moments=tuple(moments[each] for each in ends), trials=how.trials, seed=how.seed)

    return exact, sample


def _attack(scenario):
    return solve_attack(scenario), lambda how: solve_attack(scenario, how)


def _charge(scenario):
    setup, operations = charge_program(scenario.attacker, scenario.target, scenario.secondary)
    setup.sides["hunter"] = 1
    return _fight(solve_charge(scenario, Sampling()), setup, [operations], charge_start(setup), [0])


def _focus(scenario):
    setup, programs = focus_program(scenario.attacks, scenario.attackers)
    exact = solve_focus(scenario, Sampling())
    return _fight(exact, setup, programs, start_states(setup), range(len(programs)))


def _duel(scenario):
    shooters = shooters_of(scenario.a, scenario.b, scenario.terms, scenario.ruleset)
    setup, rounds = program_of(shooters, scenario.terms)
    parts, _, ends = in_parts(rounds, shooters)
    start = duel_start(setup, (scenario.a, scenario.b))
    return _fight(solve_duel(scenario, Sampling()), setup, parts, start, ends)


def _battle(scenario):
    def sample(how):
        return solve_battle(scenario, how, swing=False, orders=False)

    return sample(Sampling("monte-carlo", REFERENCE, REFERENCE_SEED, replacement=True)), sample


def _morale(system, question):
    """The samples of a question about morale, whose chains are laid out once."""
    exact, chains = morale.exact(system, question), SYSTEMS[system].answers.chains(question)
    if hasattr(SYSTEMS[system].answers, "weights"):  # which are no chains alone
        return exact, lambda how: morale.solve(system, question, how)

    def sample(how):
        answer = morale.answer_from(system, question, weights_of(chains, how))
        return replace(answer, trials=how.trials, seed=how.seed)

    return exact, sample


ASK = {"attack": _attack, "charge": _charge, "focus": _focus, "duel": _duel, "battle": _battle}


@dataclass(frozen=True)
class Chance:
    """An event, or at least so much of a figure, and its exact probability."""

    name: str
    at_least: float | None
    p: float

    @property
    def title(self):
        return self.name if self.at_least is None else f"{self.name} >= {self.at_least:g}"


@dataclass(frozen=True)
class Question:
    """A question of one kind: the chances in its answer, its means, and `sample`, which answers it by Monte Carlo."""

    chances: list
    means: dict
    sample: object

    def counted(self, seed):
        """What was counted of each chance in the sample of a seed, and each mean with its standard error."""
        found = self.sample(Sampling("monte-carlo", TRIALS, seed, threads=1, replacement=True))
        weighed = {name: found._weighed(name, None) for name in self.means}
        counts = []
        for each in self.chances:
            if each.at_least is None:
                counts.append(round(found._event_weight(each.name, None)))
            else:
                values, weights = weighed[each.name]
                counts.append(round(weights[values >= each.at_least].sum()))
        return counts, [found.mean_with_error(name) for name in self.means]


@lru_cache
def question_of(kind):
    """The question of a kind."""
    given = QUESTIONS[kind]
    if kind in SYSTEMS:
        exact, sample = _morale(kind, morale.load_question(kind, given))
    else:
        exact, sample = ASK[kind](load(given, None, kind))
    chances = [Chance(name, None, float(exact.probability(name))) for name in exact.events]
    figures = [name for name in exact.figures if exact.std(name) > 0]
    for name in figures:
        above = exact.distribution(name)
        chances += [Chance(name, row["value"], row["at_least"]) for row in above]
    possible = {round(each.p, 12): each for each in reversed(chances) if _is_seen(each.p)}
    order = sorted(possible.values(), key=lambda each: min(each.p, 1 - each.p))
    places = np.unique(np.linspace(0, len(order) - 1, MOST_FIGURES).round().astype(int))
    return Question([order[place] for place in places], {name: exact.mean(name) for name in figures}, sample)


def _is_seen(p):
    return TRIALS * min(p, 1 - p) >= FEWEST_EXPECTED


def play(kind, seeds):
    """The counts of each chance, shape (seeds, chances), and means with errors, shape (seeds, means, 2)."""
    question = question_of(kind)
    with interpreted(False):
        counts, means = zip(*(question.counted(seed) for seed in seeds))
    return np.array(counts), np.array(means).reshape(len(counts), -1, 2)
