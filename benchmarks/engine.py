"""The engine from inside: the bare kernel, the stream alone, and fights of random units for the sweep."""

from typing import Any, NamedTuple

import numpy as np

from analyser.common.jit import kernel
from analyser.engine.attack.simulated import SamplingPlan, plan_for
from analyser.engine.parallel import CHUNK_TRIALS, Task
from analyser.engine.pool.kernel import BLOCK, block_for, roll_chunks
from analyser.engine.rng import counter_of_chunk, fill, stream_of
from analyser.rules.structs import ATTACK, TARGET
from analyser.scenarios.load import load_scenario
from benchmarks.fights import fight

RATINGS = ("weakened", "neutral", "improved")


def draws_of(ready):
    return np.array(ready.ruleset.die.sides_by_face, np.int64), ready.ruleset.deck.counts()


def plan_of(scenario) -> SamplingPlan:
    ready = load_scenario(scenario)
    die, deck = draws_of(ready)
    return plan_for(ready.fight, die, deck, for_building=ready.rolls_for_building)


def whole_chunks(trials: int) -> int:
    return max(round(trials / CHUNK_TRIALS), 1)


class BareKernel:
    """The kernel called directly, on one thread, for about `trials` trials of a scenario."""

    def __init__(self, scenario, trials: int) -> None:
        self.plan = plan_of(scenario)
        self.chunks = whole_chunks(trials)
        self.trials = self.chunks * CHUNK_TRIALS
        self.block = block_for(self.plan.layout)

    def __call__(self) -> None:
        plan = self.plan
        self.block.tables[:] = 0
        task = Task(0, self.chunks, CHUNK_TRIALS)
        roll_chunks(plan.layout, plan.table, self.block, plan.fight.dice, task, stream_of(0))

    def words_an_attack(self) -> float:
        """Random words that the kernel takes for a plain attack; only after a call."""
        plan, block = self.plan, self.block
        assert plan.table is None, "the score of a special pool is drawn at once"
        filled = -(-int(plan.fight.dice) // int(plan.layout.dice_at_once))  # a buffer of words is good for some dice
        a_block = filled * len(block.words) + len(plan.layout.limits) * len(block.other_words)
        thrown_away = int(block.tables[:, -1].sum())
        return a_block / BLOCK * (1 + thrown_away / self.trials)


@kernel
def fill_again(words, times, counter, gamma):
    """The stream alone: fill a buffer that stays in the first-level cache, time and again."""
    for _ in range(times):
        counter = fill(words, len(words), counter, gamma)
    return counter


class StreamAlone:
    """`count` words of a stream and nothing else."""

    def __init__(self, count: int, buffer: int = 512) -> None:
        self.words = np.zeros(buffer, np.uint64)
        self.times = count // buffer
        self.count = self.times * buffer
        self.stream = stream_of(1)

    def __call__(self) -> None:
        start, gamma = self.stream
        fill_again(self.words, self.times, np.uint64(counter_of_chunk(start, gamma, 0)), gamma)


class Matrix(NamedTuple):
    """What :func:`analyser.engine.attack.summaries.distinct_summaries` takes."""

    attacks: Any
    targets: Any
    possible: Any
    die: Any
    deck: Any


def random_matrix(attackers: int, targets: int, seed: int = 5) -> Matrix:
    """Random attacks of 3 to 24 dice on random targets."""
    rng = np.random.default_rng(seed)
    attacks = np.array([random_fight(rng)[0] for _ in range(attackers)], ATTACK)
    facing = np.array([random_fight(rng)[1] for _ in range(targets)], TARGET)
    die, deck = draws_of(load_scenario(fight()))
    return Matrix(attacks, facing, np.ones((attackers, targets), np.bool_), die, deck)


def random_fight(rng):
    """Records of an attack whose rating is counted against each target, and of a target."""
    target = {
        "models": int(rng.integers(1, 13)),
        "defence": int(rng.integers(1, 5)),
        "damage_limit": int(rng.integers(1, 5)),
        "discipline": int(rng.integers(4, 9)),
        "break_limit": int(rng.integers(0, 4)),
        "type": str(rng.choice(["infantry", "cavalry", "armour"])),
        "rules": [["Durable"], []][int(rng.integers(2))],
    }
    scenario = fight(int(rng.integers(3, 25)), str(rng.choice(RATINGS)), target)
    return load_scenario(scenario).facts
