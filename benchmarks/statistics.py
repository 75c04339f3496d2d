"""Whether the dice are fair: chi-square over a thousand million dice, face by face and pair by pair.

A die is a draw of 16 bits; the draws of a block stand in the order in which the kernel takes them, so the draws of
neighbouring trials are 1 apart, and neighbouring dice of a trial one block.
"""

import numpy as np
from scipy import stats

import analyser
from analyser.common.jit import kernel
from analyser.engine.pool.kernel import BLOCK
from analyser.engine.rng import counter_of_chunk, fill, stream_of
from benchmarks.fights import VARIANTS, fight

DICE = 10**9
PAIRS_OF_FACES = 36  # a face and the face of its re-roll
_WORD_DRAWS = 4
_BUFFER = 4096
_UNIT = np.uint16(0xFFFF // PAIRS_OF_FACES)
FEWEST_EXPECTED = 10
EVERY_RULE = "Arc, Veteran, Overcharge, extra re-rolls"


@kernel
def count_pairs(counter, gamma, other_counter, other_gamma, shift, buffers, counts):
    """Count what the dice of one stretch and, `shift` draws further, of another show; both over `buffers` buffers."""
    one, other = np.empty(_BUFFER, np.uint64), np.empty(_BUFFER + 1, np.uint64)
    left, right = one.view(np.uint16), other.view(np.uint16)
    for _ in range(buffers):
        counter = fill(one, _BUFFER, counter, gamma)
        other_after = fill(other, _BUFFER + 1, other_counter, other_gamma)
        other_counter = other_after - other_gamma
        for place in range(_BUFFER * _WORD_DRAWS):
            pair = np.int64(left[place] // _UNIT), np.int64(right[place + shift] // _UNIT)
            counts[pair] += 1  # 36 is a draw that is thrown away: 65535 is 36 units and a rest


def pair_counts(dice, seed=1, chunk=0, other_seed=1, other_chunk=0, words=0, shift=0):
    """Counts (36, 36) of pairs of dice: one from each of two stretches, the second `words` words further on."""
    (start, gamma), (other_start, other_gamma) = stream_of(seed), stream_of(other_seed)
    counter = np.uint64(counter_of_chunk(start, gamma, chunk))
    other = np.uint64(counter_of_chunk(other_start, other_gamma, other_chunk))
    with np.errstate(over="ignore"):
        other += other_gamma * np.uint64(words)
    counts = np.zeros((PAIRS_OF_FACES + 1, PAIRS_OF_FACES + 1), np.int64)
    count_pairs(counter, gamma, other, other_gamma, shift, dice // (_BUFFER * _WORD_DRAWS) + 1, counts)
    return counts[:-1, :-1]


def p_uniform(counts):
    return float(stats.chisquare(counts.ravel()).pvalue)


def p_law(found, law):
    """The p-value of counts against a law, rare values together."""
    expected = law * found.sum()
    common = expected >= FEWEST_EXPECTED
    rest = expected[~common].sum()
    found = np.append(found[common], found[~common].sum())
    expected = np.append(expected[common], rest)
    some = expected > 0
    return float(stats.chisquare(found[some], expected[some] * found.sum() / expected.sum()).pvalue)


def faces_of(counts):
    """From pairs of faces to first faces: (6, 6)."""
    return counts.reshape(6, 6, 6, 6).sum(axis=(1, 3))


STRETCHES = {
    "the same die of neighbouring trials": {"shift": 1},
    "neighbouring dice of a trial": {"words": BLOCK // _WORD_DRAWS},
    "every other die of a trial": {"words": 2 * BLOCK // _WORD_DRAWS},
    "neighbouring chunks": {"other_chunk": 1},
    "neighbouring seeds": {"other_seed": 2},
    "seeds 2**32 apart": {"other_seed": 1 + (1 << 32)},
}


def of_dice(dice):
    """Each test: its name, the dice or pairs counted, the p-value."""
    rows = []
    for name, stretches in STRETCHES.items():
        counts = pair_counts(dice, **stretches)
        if not rows:
            rows.append(("faces of one die", int(counts.sum()), p_uniform(faces_of(counts).sum(axis=1))))
            rows.append(("faces of one die and its re-roll", int(counts.sum()), p_uniform(counts.sum(axis=1))))
        rows.append((f"pairs of faces: {name}", int(counts.sum()), p_uniform(faces_of(counts))))
        rows.append((f"pairs of faces with re-rolls: {name}", int(counts.sum()), p_uniform(counts)))
    return rows


def of_attacks(attacks):
    """The public call against the exact law: hits, and outcomes."""
    rows = []
    for name, scenario in (("1 die", fight(1)), ("10 dice", fight(10)), (EVERY_RULE, VARIANTS[EVERY_RULE][0])):
        exact, played = analyser.exact(scenario), analyser.simulate(scenario, trials=attacks, seed=1)
        chances = dict(zip(exact.outcomes.tolist(), exact.weights.tolist()))
        law = np.array([chances[outcome] for outcome in played.outcomes.tolist()])
        rows.append((f"hits, {name}", attacks, p_law(played.hits_weights, exact.hits_weights)))
        rows.append((f"outcomes, {name}", attacks, p_law(played.weights, law / law.sum())))
    return rows


def statistics(dice=DICE):
    """All tests as plain rows."""
    rows = of_dice(dice) + of_attacks(dice)
    return [{"test": name, "counted": counted, "p_value": p} for name, counted, p in rows]
