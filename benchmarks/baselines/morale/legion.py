"""Legion in vectorised NumPy: six rounds under fire, 12 inches from the edge."""

import numpy as np

SYSTEM, TABLE = "legion", "rounds"
QUESTION = {
    "courage": 2,
    "tokens": 1,
    "received": {0: 0.2, 1: 0.4, 2: 0.3, 3: 0.1},
    "edge_distance": 12.0,
    "move_distance": 6.0,
    "rounds": 6,
}
CHUNK = 100_000
RECEIVED = list(QUESTION["received"].values())
MOVES = 2
MOST_TOKENS = 1 + 6 * 3


def play(trials, seed):
    """How often it was suppressed, panicked, off the table, by round; and the law of its tokens after the rally."""
    rng = np.random.default_rng(seed)
    columns = {name: np.zeros(QUESTION["rounds"], np.int64) for name in ("p_suppressed", "p_panicked", "p_left_table")}
    tokens_law = np.zeros((QUESTION["rounds"], MOST_TOKENS + 1), np.int64)
    for start in range(0, trials, CHUNK):
        size = min(CHUNK, trials - start)
        tokens, moves = np.full(size, QUESTION["tokens"]), np.zeros(size, np.int64)
        here = np.ones(size, bool)
        for turn in range(QUESTION["rounds"]):
            tokens += rng.choice(len(RECEIVED), size, p=RECEIVED)
            tokens -= rng.binomial(tokens, 2 / 6)
            panicked = here & (tokens >= 2 * QUESTION["courage"])
            tokens_law[turn] += np.bincount(tokens[here], minlength=MOST_TOKENS + 1)
            columns["p_suppressed"][turn] += np.count_nonzero(here & (tokens >= QUESTION["courage"]))
            columns["p_panicked"][turn] += np.count_nonzero(panicked)
            moves += panicked
            here = moves < MOVES
            columns["p_left_table"][turn] += size - np.count_nonzero(here)
            np.maximum(tokens - 1, 0, out=tokens)
    return columns
