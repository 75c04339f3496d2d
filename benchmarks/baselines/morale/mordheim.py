"""Mordheim in vectorised NumPy: eight turns of rout tests; the leader falls at random, the others weakest first."""

import numpy as np

SYSTEM, TABLE = "mordheim", "warband"
LEADER, STRONG, WEAK = 8, (7, 5), (6, 6)  # Leadership, and how many
CASUALTIES = {0: 0.3, 1: 0.4, 2: 0.3}
TURNS = 8
TOOK_PART = 1 + STRONG[1] + WEAK[1]
QUESTION = {
    "turns": TURNS,
    "warband": {
        "leader": LEADER,
        "others": [{"leadership": leadership, "number": number} for leadership, number in (STRONG, WEAK)],
        "casualties": CASUALTIES,
    },
}
CHUNK = 100_000


def play(trials, seed):
    """How often the warband still fought, had routed and was all out, by turn."""
    rng = np.random.default_rng(seed)
    names = ("p_fighting", "p_routed", "p_all_out", "p_fighting_without_leader")
    columns = {name: np.zeros(TURNS, np.int64) for name in names}
    for start in range(0, trials, CHUNK):
        size = min(CHUNK, trials - start)
        leader, others = np.ones(size, bool), np.full(size, TOOK_PART - 1)
        routed, all_out = np.zeros(size, bool), np.zeros(size, bool)
        for turn in range(TURNS):
            casualties = rng.choice(len(CASUALTIES), size, p=list(CASUALTIES.values()))
            for casualty in range(max(CASUALTIES)):
                falls = (casualty < casualties) & (leader | (others > 0))
                leader_falls = falls & leader & (rng.random(size) * (others + 1) < 1)
                leader &= ~leader_falls
                others -= falls & ~leader_falls
            out = TOOK_PART - others - leader
            fights = ~routed & ~all_out
            all_out |= fights & (out == TOOK_PART)
            leadership = np.where(leader, LEADER, np.where(others > 0, STRONG[0], 0))
            roll = rng.integers(1, 7, (size, 2)).sum(axis=1)
            routed |= fights & ~all_out & (4 * out >= TOOK_PART) & (roll > leadership)
            still = ~routed & ~all_out
            for name, flags in zip(names, (still, routed, all_out, still & ~leader)):
                columns[name][turn] += np.count_nonzero(flags)
    return columns
