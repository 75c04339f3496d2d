"""Weighing the states of a question's chains: by their exact laws, or by counting what was rolled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from analyser.engine.chain.chain import Chain, Recorded


class Roll(NamedTuple):
    """How a sample is rolled.

    Attributes
    ----------
    trials, seed, threads : int
    report : callable
        Told the games played so far and the number aimed at.
    """

    trials: int
    seed: int
    threads: int
    report: Callable[[int, int], None]


def weighed(chains: Mapping[str, Chain], roll: Roll | None) -> dict[str, Recorded]:
    """The recorded laws of each chain or, of a roll, the counts of its sample.

    Raises
    ------
    InputError
        There is no room for the laws (a :class:`~analyser.common.errors.TooLargeError`), or for the counts.
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
