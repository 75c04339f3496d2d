"""The random words: the published generator, and streams that share nothing."""

import numpy as np
import pytest

from analyser.engine.attack import simulated
from analyser.engine.parallel import CHUNK_TRIALS
from analyser.engine.pool.kernel import BLOCK, block_for
from analyser.engine.rng import GOLDEN_GAMMA, WORDS_PER_CHUNK, counter_of_chunk, fill, stream_of
from analyser.game.ruleset import Face
from analyser.game.units import MOST_DICE
from analyser.scenarios.load import load_scenario

MASK = (1 << 64) - 1
GAMMA = 0x9E3779B97F4A7C15

# Published outputs of SplitMix64 with the golden gamma: Rosetta Code (task "Pseudo-random numbers/Splitmix64"), and
# the first outputs of seed 0, which Java's SplittableRandom and Vigna's splitmix64.c share.
PUBLISHED = {
    1234567: [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821],
    0: [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F, 0xF88BB8A8724C81EC, 0x1B39896A51A8749B],
}


def plain_splitmix64(state, count, gamma=GAMMA):
    """SplitMix64 as its paper prints it, in Python's own whole numbers."""
    words = []
    for _ in range(count):
        state = (state + gamma) & MASK
        word = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & MASK
        words.append(word ^ (word >> 31))
    return words


def words_from(counter, gamma, count):
    words = np.zeros(count, np.uint64)
    fill(words, count, np.uint64(counter), np.uint64(gamma))
    return words


def words_of(seed, count, chunk=0):
    start, gamma = stream_of(seed)
    return words_from(counter_of_chunk(start, gamma, chunk), gamma, count)


@pytest.mark.parametrize("seed", PUBLISHED)
def test_published_vectors(seed):
    assert words_from(seed, GOLDEN_GAMMA, 5).tolist() == PUBLISHED[seed]
    assert plain_splitmix64(seed, 5) == PUBLISHED[seed]


@pytest.mark.parametrize("seed", [0, 1, 2**32, 2**64 - 1, 2**200 + 3])
@pytest.mark.parametrize("chunk", [0, 1, 7_000_000])
def test_every_stream_is_splitmix64(seed, chunk):
    start, gamma = (int(part) for part in stream_of(seed))
    first = start + gamma * (chunk << 32)
    assert words_of(seed, 1000, chunk).tolist() == plain_splitmix64(first & MASK, 1000, gamma)


@pytest.mark.parametrize("cut", [1, 3, 256])
def test_words_made_in_parts_are_the_same_words(cut):
    start, gamma = stream_of(5)
    words = np.zeros(512, np.uint64)
    counter = fill(words[:cut], cut, start, gamma)
    fill(words[cut:], 512 - cut, np.uint64(counter), gamma)
    assert np.array_equal(words, words_of(5, 512))


def test_steps_are_odd_and_change_their_bits_often():
    gammas = [int(stream_of(seed).gamma) for seed in range(2000)]
    assert all(gamma % 2 for gamma in gammas)
    assert all((gamma ^ gamma >> 1).bit_count() >= 24 for gamma in gammas)


@pytest.mark.parametrize(("apart", "chunk"), [(1, 0), (2, 0), (1 << 31, 0), (1 << 32, 0), (1 << 63, 0), (0, 1)])
def test_words_of_near_seeds_and_chunks_differ_in_half_of_the_bits(apart, chunk):
    """Those of the seeds themselves are fair, too."""
    words = np.array([[words_of(seed, 8), words_of(seed + apart, 8, chunk)] for seed in range(500)])
    assert_fair_bits(words[:, 0])
    assert_fair_bits(words[:, 0] ^ words[:, 1])


def assert_fair_bits(words):
    """Each of the 64 bits is set half of the time, and all of them together."""
    bits = np.unpackbits(np.ascontiguousarray(words).reshape(-1, 1).view(np.uint8), axis=1)
    spread = (bits.mean(axis=0) - 0.5) * 2 * np.sqrt(len(bits))
    assert np.abs(spread).max() < 4.5
    assert abs(bits.mean() - 0.5) * 2 * np.sqrt(bits.size) < 4


def dealer(scenario):
    ready = load_scenario(scenario)
    fight, die = ready.fight, np.array(ready.ruleset.die.sides_by_face, np.int64)
    return simulated.plan_for(fight, die, ready.ruleset.deck.counts(), for_building=False)


def test_no_chunk_uses_more_words_than_it_has():
    # The widest fight there is, with draws of 32 bits and two added dice each: chunks lie 2**32 words apart.
    attack = {"dice": MOST_DICE, "qualities": ["Arc"]}
    target = {"models": 5, "defence": 2, "damage_limit": 3, "discipline": 7, "officer": "random"}
    die = {face.name.lower(): 99 * (1 + face // 2) for face in list(Face)[:5]}
    layout = dealer({"attack": attack, "target": target, "ruleset": {"die": die}}).layout
    block = block_for(layout)
    used = -(-MOST_DICE // layout.dice_at_once) * len(block.words) + len(layout.limits) * len(block.other_words)
    assert used >= BLOCK * MOST_DICE
    blocks = 10 * CHUNK_TRIALS // BLOCK  # even if nine of ten trials were thrown away
    assert used * blocks < WORDS_PER_CHUNK


def test_counters_of_chunks_are_whole_chunks_apart():
    start, gamma = stream_of(9)
    back = pow(int(gamma), -1, 1 << 64)
    for chunk in (0, 1, 2, 12345, 7_629_394):
        steps = (int(counter_of_chunk(start, gamma, chunk)) - int(start)) * back & MASK
        assert steps == chunk * int(WORDS_PER_CHUNK)
