"""Best play of both sides: a duel by rounds, models and distance; as a process; all pairs of two factions."""

import tempfile
import time

import analyser
from analyser.results.duel_solution import solved_duel
from analyser.scenarios.duel import DuelScenario
from analyser.scenarios.load import load_as
from benchmarks.first_answers import process
from benchmarks.timing import Candidate, compiled, interleaved

A, B = "crown/rifle-platoon@basic", "imperium/scion-grenadier-platoon@basic"
PLAIN = (6, 6, None)  # rounds, models a side, inches between them
SIZES = (
    *((rounds, 6, None) for rounds in (1, 2, 4, 6, 10)),
    *((6, models, None) for models in (2, 4, 12, 18)),
    *((rounds, 6, 18) for rounds in (2, 4)),
    *((6, 6, distance) for distance in (6, 18, 30)),
)
FACTIONS = "crown/*@basic", "imperium/*@basic"
SIDE_BY_SIDE = 2


def best_play(rounds=3):
    """Seconds of value and plan of each size, with its number of situations; of processes; of all pairs."""
    duels = {size: duel(*size) for size in SIZES}
    candidates = [
        Candidate(str(size), compiled(lambda asked=asked: solved_duel(asked).value)) for size, asked in duels.items()
    ]
    samples = interleaved(candidates, rounds)
    start = time.perf_counter()
    pairs = analyser.tactics(*FACTIONS, threads=SIDE_BY_SIDE).frame
    return {
        "sizes": [
            {"rounds": size[0], "models": size[1], "distance": size[2], **graph(duels[size])}
            | {"seconds": samples[str(size)].summary()}
            for size in SIZES
        ],
        "pairs": {"duels": len(pairs), "wall_s": time.perf_counter() - start},
        "process": whole_process(rounds),
    }


def duel(rounds, models, distance):
    """The scenario: rifles and grenadiers, both play best, a toss each round."""
    terms = {"rounds": rounds, "policy_a": "best", "policy_b": "best"}
    terms |= {} if distance is None else {"distance": distance}
    return load_as(
        DuelScenario, {"duel": terms, "a": {"unit": A, "models": models}, "b": {"unit": B, "models": models}}
    )


def graph(asked):
    """How large the graph of choices is."""
    game = solved_duel(asked).game
    return {"situations": len(game.places), "ways": len(game.edges.to)}


def whole_process(rounds):
    """Wall-clock seconds of the command: without compiled kernels, and with them."""
    with tempfile.TemporaryDirectory() as cache:
        words = ("-m", "analyser", "best", A, B)
        cold = process(*words, NUMBA_CACHE_DIR=cache)[0]
        process("-m", "analyser", "warm-up", "best-play", NUMBA_CACHE_DIR=cache)
        warm = sorted(process(*words, NUMBA_CACHE_DIR=cache)[0] for _ in range(rounds))
    return {"cold_s": cold, "warm_s": warm[rounds // 2]}
