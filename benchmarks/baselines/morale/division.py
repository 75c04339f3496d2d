"""Grande Tactique in vectorised NumPy: a division of six unequal units over eight turns, rallied by PIPs."""

import numpy as np

SYSTEM, TABLE = "grande-tactique", "division"
CHANCES = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3)
TURNS = 8
QUESTION = {"division": {"units": [{"rout": chance} for chance in CHANCES], "turns": TURNS}}
CHUNK = 100_000


def play(trials, seed):
    """How often the division had collapsed, by turn."""
    rng = np.random.default_rng(seed)
    collapsed_by = np.zeros(TURNS, np.int64)
    for start in range(0, trials, CHUNK):
        size = min(CHUNK, trials - start)
        routed = np.zeros((len(CHANCES), size), bool)
        collapsed = np.zeros(size, bool)
        for turn in range(TURNS):
            able = np.where(collapsed, 0, rng.integers(1, 7, size) // 2)
            for unit in range(len(CHANCES)):
                rallies = routed[unit] & (able > 0)
                able -= rallies
                routed[unit] &= ~rallies
            routed |= rng.random(routed.shape) < np.array(CHANCES)[:, np.newaxis]
            collapsed |= routed.sum(axis=0) >= len(CHANCES) - 1
            collapsed_by[turn] += np.count_nonzero(collapsed)
    return {"p_collapsed": collapsed_by}
