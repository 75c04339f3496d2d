"""The weights of the states of a question's chains: exact distributions, or counts of what was rolled."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from analyser.common.sampling import Sampling
    from analyser.engine.chain.chain import Chain, Recorded
    from analyser.morale.systems import Answers

CHUNK_TRIALS = 1 << 20  # whole chunks of every sampler


def weights_of(answers: Answers, question: Any, sampling: Sampling, trials: int | None) -> dict[str, Recorded]:
    """The weights of the chains of a question by name: exact, or of so many trials.

    A system whose weights do not come from chains alone has a function `weights` of its own.
    """
    own = getattr(answers, "weights", None)
    return (
        weights_of_chains(answers.chains(question), sampling, trials)
        if own is None
        else own(question, sampling, trials)
    )


def weights_of_chains(chains: Mapping[str, Chain], sampling: Sampling, trials: int | None) -> dict[str, Recorded]:
    """The recorded distributions of each chain or, of `trials` trials, the counts of a sample.

    Raises
    ------
    InputError
        There is no room for the distributions (a :class:`~analyser.common.errors.TooLargeError`), or for the counts.
    """
    if trials is None:
        from analyser.engine.chain.exact import exact_distributions

        return {name: exact_distributions(chain) for name, chain in chains.items()}
    from analyser.engine.chain.on_demand import sampled_counts

    def report(part: int, done: int) -> None:
        sampling.report(part * trials + done, len(chains) * trials)

    return {
        name: sampled_counts(chain, trials, sampling.seed, part, sampling.n_threads, partial(report, part))
        for part, (name, chain) in enumerate(chains.items())
    }
