"""Samples of games that go on: by tables of all states where these are few, else by rows worked out on demand."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from analyser.engine.chains import Chain, Recorded
from analyser.engine.on_demand import Wanderers
from analyser.engine.throw_sheet import sheet_for
from analyser.engine.throws import Sample

CHUNKS_A_PART = 1 << 28


def sampled_counts(
    chain: Chain,
    trials: int,
    seed: int,
    part: int = 0,
    threads: int = 1,
    report: Callable[[int], None] = lambda _: None,
) -> Recorded:
    """How many of `trials` trials were in each state after each recorded phase.

    Parameters
    ----------
    chain : Chain
    trials : int
    seed : int
    part : int
        Which of several chains of one question this is: each has random numbers of its own.
    threads : int
        The counts do not depend on it: a chunk is a function of (seed, part, chunk), and counts are added up.
    report : callable, optional
        Told the trials so far, now and then.

    Raises
    ------
    InputError
        So many trials end in more different states than there is room for.
    """
    if not chain.is_small:
        wanderers = Wanderers(chain, chain.recordings, seed, part)
        wanderers.play(chain.phases, trials, threads, report)
        return wanderers.recorded()
    sample = Sample(sheet_for(chain), seed, part * CHUNKS_A_PART)
    sample.play(trials, threads, report)
    return Recorded(np.arange(chain.states), sample.counts)
