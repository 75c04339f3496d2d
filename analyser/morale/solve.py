"""The weights of the states of a question's chains: exact distributions, or counts of what was rolled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from analyser.engine.chain.chain import Chain, Recorded
    from analyser.morale.systems import Answers


class Roll(NamedTuple):
    """How a sample is rolled; `report` is told the games played so far and the number aimed at."""

    trials: int
    seed: int
    threads: int
    report: Callable[[int, int], None]


def weights_of(answers: Answers, question: Any, roll: Roll | None) -> dict[str, Recorded]:
    """The weights of the chains of a question by name; a system that has no chains alone says how to work them out."""
    own = getattr(answers, "weights", None)
    return own(question, roll) if own is not None else weights_of_chains(answers.chains(question), roll)


def weights_of_chains(chains: Mapping[str, Chain], roll: Roll | None) -> dict[str, Recorded]:
    """The recorded distributions of each chain or, of a roll, the counts of its sample.

    Raises
    ------
    InputError
        There is no room for the distributions (a :class:`~analyser.common.errors.TooLargeError`), or for the counts.
    """
    if roll is None:
        from analyser.engine.chain.exact import exact_distributions

        return {name: exact_distributions(chain) for name, chain in chains.items()}
    from analyser.engine.chain.on_demand import sampled_counts

    def report(part: int, done: int) -> None:
        roll.report(part * roll.trials + done, len(chains) * roll.trials)

    return {
        name: sampled_counts(chain, roll.trials, roll.seed, part, roll.threads, partial(report, part))
        for part, (name, chain) in enumerate(chains.items())
    }
