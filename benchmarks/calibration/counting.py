"""What samples counted: an answer for each of them, or, where that takes long, one answer that says it of all of them.

An answer reads its chances from how many trials ended in each state. What holds in a state is the same in every sample,
so it is asked once for many: of the states of all their trials together, or of each state alone.
"""

from dataclasses import dataclass, replace

import numpy as np

from analyser.common.method_settings import Sampling
from analyser.engine.chain.chain import Recorded
from analyser.engine.chain.exact import exact_distributions
from analyser.morale import api as morale
from analyser.morale.answer_parts import chain_weights
from analyser.morale.systems import SYSTEMS
from analyser.results.states import JointStates

TRIALS = 4000


@dataclass(frozen=True)
class Chance:
    """An event, or at least so much of a figure, and its exact probability; of a comparison, its row and system."""

    name: str
    p: float
    at_least: float | None = None
    row: tuple | None = None

    @property
    def title(self):
        if self.row is not None:
            return f"{self.row[1]} {self.name}"
        return self.name if self.at_least is None else f"{self.name} >= {self.at_least:g}"

    def weight(self, answer):
        """How many trials of an answer it holds in."""
        if self.row is not None:
            return answer.raw_tables["fates"].weights[f"p_{self.name}"][self.row[0]]
        if self.at_least is None:
            return answer._event_weight(self.name, None)
        values, weights = answer._weighted_values(self.name, None)
        return weights[values >= self.at_least].sum()


def sample_of(seed):
    return Sampling("monte-carlo", TRIALS, seed, threads=1, replacement=True)


def from_sums(first, second):
    """Means with their standard errors, from the sums of values and of squares; all of shape (seeds, means)."""
    mean = first / TRIALS
    return np.stack([mean, np.sqrt(np.maximum(second / TRIALS - mean**2, 0) / TRIALS)], axis=-1)


class OneByOne:
    """Samples that are answered one by one."""

    def __init__(self, exact, answer):
        self.exact, self.answer = exact, answer  # a sampling in, an answer out

    def counted(self, chances, means, seeds):
        """The counts of each chance, shape (seeds, chances), and means with errors, shape (seeds, means, 2)."""
        counts, errors = [], []
        for seed in seeds:  # an answer of battles holds tables of some megabytes: one at a time
            answer = self.answer(sample_of(seed))
            counts.append([round(chance.weight(answer)) for chance in chances])
            errors.append([answer.mean_with_interval(name)[:2] for name in means])
        return np.array(counts), np.array(errors).reshape(len(seeds), -1, 2)


class OfStates(OneByOne):
    """Samples of a longer fight: the states that they ended in, side by side, in one answer."""

    def __init__(self, exact, states):
        super().__init__(exact, lambda how: self._of(states(how)))
        self.states = states

    def _of(self, ended):
        return replace(self.exact, moments=(ended,), trials=TRIALS, seed=0)

    def counted(self, chances, means, seeds):
        played = [self.states(sample_of(seed)) for seed in seeds]
        begins = np.cumsum([0, *(len(each.weights) for each in played[:-1])])
        whole = self._of(JointStates(*map(np.concatenate, zip(*played))))
        weights, figures = whole.moments[-1].weights, {name: whole.values(name) for name in means}

        def summed(values):
            return np.add.reduceat(weights * values, begins)

        held = [
            whole.event(each.name) if each.at_least is None else figures[each.name] >= each.at_least for each in chances
        ]
        counts = np.stack([summed(each) for each in held], axis=-1).round().astype(np.int64)
        sums = (np.stack([summed(figures[name] ** power) for name in means], axis=-1) for power in (1.0, 2.0))
        return counts, from_sums(*sums)


class OfMorale(OneByOne):
    """Samples of a question about morale, whose chains are laid out once: what it says is linear in their counts."""

    def __init__(self, system, question, exact):
        self.chains, self.read = SYSTEMS[system].answers.chains(question), None
        self.states = {name: exact_distributions(chain).states for name, chain in self.chains.items()}
        super().__init__(exact, lambda how: answer(chain_weights(self.chains, how)))

        def answer(recorded):
            return replace(morale.answer_to(system, question, recorded), trials=TRIALS, seed=0)

        self.answer_to = answer

    def counted(self, chances, means, seeds):
        recorded = [self._over_all(chain_weights(self.chains, sample_of(seed))) for seed in seeds]
        if self.read is None:
            self.read = self._each_alone(recorded[0], chances, means)
        flat = np.array([np.concatenate([each.weights.ravel() for each in one.values()]) for one in recorded])
        found = flat @ self.read
        number = len(chances)
        first, second = np.split(found[:, number:], 2, axis=1)
        return found[:, :number].round().astype(np.int64), from_sums(first, second)

    def _over_all(self, recorded):
        """The counts of all states that can be reached, those that a sample did not meet among them."""
        found = {}
        for name, each in recorded.items():
            weights = np.zeros((len(each.weights), len(self.states[name])))
            weights[:, np.searchsorted(self.states[name], each.states)] = each.weights
            found[name] = Recorded(self.states[name], weights)
        return found

    def _each_alone(self, like, chances, means):
        """Of one trial in each state: its chances, and the figures that have means with their squares, side by side."""
        rows = []
        for name, recorded in like.items():
            for place in np.ndindex(recorded.weights.shape):
                alone = {each: Recorded(other.states, np.zeros(other.weights.shape)) for each, other in like.items()}
                alone[name].weights[place] = 1
                found = self.answer_to(alone)
                figures = [found._weighted_values(each, None) for each in means]
                sums = [[float((weights * values**power).sum()) for values, weights in figures] for power in (1, 2)]
                rows.append([*(chance.weight(found) for chance in chances), *sums[0], *sums[1]])
        return np.array(rows, float)
