"""The best of each attacker's shots at each target: a module of its own, so that nothing else compiles it anew."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analyser.common.jit import kernel
from analyser.common.records import Floats, Integers

Places = NDArray[np.int32]


@kernel
def best_shots(which: Places, firsts: Integers, ranks: Floats, margin: float, laws: Places, shots: Places) -> None:
    """Fill `laws` and `shots`, shape (attackers, targets), with the best of each attacker's shots; -1: there is none.

    `ranks`, shape (fights, figures), has the figures that decide, the first one first; of equals within `margin` the
    first shot is the best (:func:`~analyser.scenarios.attack.best_of`).
    """
    for attacker in range(len(firsts) - 1):
        for target in range(which.shape[1]):
            best, its = -1, -1
            for shot in range(firsts[attacker], firsts[attacker + 1]):
                law = which[shot, target]
                if law < 0:
                    continue
                is_better = best < 0
                if not is_better:
                    for figure in range(ranks.shape[1]):
                        ahead = ranks[law, figure] - ranks[its, figure]
                        if ahead > margin:
                            is_better = True
                        if ahead > margin or ahead < -margin:
                            break
                if is_better:
                    best, its = shot, law
            laws[attacker, target], shots[attacker, target] = its, best
