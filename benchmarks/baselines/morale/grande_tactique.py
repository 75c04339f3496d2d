"""Grande Tactique in vectorised NumPy: two routed units of a corps, eight turns of PIPs, flights and charges."""

import numpy as np

SYSTEM, TABLE = "grande-tactique", "rout"
EDGES, STEPS = (27.0, 40.0), (7.0, 11.0)
BY_CAVALRY, BY_INFANTRY = 0.05, 0.1
TURNS = 8
QUESTION = {
    "rout": {
        "units": [
            {"arm": "infantry", "edge_distance": EDGES[0]},
            {"arm": "cavalry", "edge_distance": EDGES[1]},
        ],
        "pips_elsewhere": 2,
        "charged_by_cavalry": BY_CAVALRY,
        "charged_by_infantry": BY_INFANTRY,
        "turns": TURNS,
    }
}
CHUNK = 100_000


def play(trials, seed):
    """How often each unit had rallied, was routed, was destroyed, by turn: the turns of one unit after the other's."""
    rng = np.random.default_rng(seed)
    rallied_by, routed_by, destroyed_by = (np.zeros((len(EDGES), TURNS), np.int64) for _ in range(3))
    for start in range(0, trials, CHUNK):
        size = min(CHUNK, trials - start)
        fled = [np.zeros(size) for _ in EDGES]
        rallied, destroyed = ([np.zeros(size, bool) for _ in EDGES] for _ in range(2))
        for turn in range(TURNS):
            pips = rng.integers(1, 7, size) - QUESTION["rout"]["pips_elsewhere"]
            for unit, (edge, step) in enumerate(zip(EDGES, STEPS)):
                routed = ~(rallied[unit] | destroyed[unit])
                able = routed & (pips >= 2)
                pips -= 2 * able
                rallied[unit] |= able
                fled[unit] += step * (routed & ~able)
                destroyed[unit] |= routed & (fled[unit] >= edge)
            for unit, (edge, step) in enumerate(zip(EDGES, STEPS)):
                routed = ~(rallied[unit] | destroyed[unit])
                charge = rng.random(size)
                fled[unit] += step * (routed & (charge < BY_INFANTRY))
                killed = (charge >= BY_INFANTRY) & (charge < BY_INFANTRY + BY_CAVALRY)
                destroyed[unit] |= routed & (killed | (fled[unit] >= edge))
                rallied_by[unit, turn] += np.count_nonzero(rallied[unit])
                destroyed_by[unit, turn] += np.count_nonzero(destroyed[unit])
    routed_by += trials - rallied_by - destroyed_by
    return {"p_rallied": rallied_by.ravel(), "p_routed": routed_by.ravel(), "p_destroyed": destroyed_by.ravel()}
