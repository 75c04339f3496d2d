"""The calibration page: what it is written from, on a small scale, and that it is written from it."""

import json

import numpy as np
import pytest

from analyser.common.jit import interpreted
from analyser.engine.rng import stream_of, word_of
from benchmarks.calibration import campaign, counting, coverage, page, races, samples, streams
from benchmarks.calibration.__main__ import LATEST, PAGE
from tests.helpers.skips import proof


def test_counts_are_those_of_the_answer_and_intervals_cover_them():
    counts, means = samples.play("attack", range(60))
    question = samples.question_of("attack")
    assert counts.shape == (60, len(question.chances))
    assert means.shape == (60, len(question.means), 2)
    for chance, seen in zip(question.chances, counts.T):
        error = (chance.p * (1 - chance.p) / counting.TRIALS / 60) ** 0.5
        assert seen.mean() / counting.TRIALS == pytest.approx(chance.p, abs=5 * error)
    for found in campaign.chances_of("attack", counts):
        assert found["covered"]["shown"] > 0.8
        assert 0.945 <= found["by_law"]["shown"] <= 1
        assert sum(found["ranks"]) == 60
        assert found["off"] < 0.3
    assert all(each["covered"] > 0.8 for each in campaign.means_of("attack", means))


@pytest.mark.parametrize("kind", ["mordheim", "compare", *proof("duel")])
def test_many_samples_at_once_are_each_answered(kind):
    question = samples.question_of(kind)
    counts, means = samples.play(kind, range(4))
    alone = counting.OneByOne(question.samples.exact, question.samples.answer)
    with interpreted(False):
        wanted = alone.counted(question.chances, [*question.means], range(4))
    assert (counts == wanted[0]).all()
    assert means == pytest.approx(wanted[1], rel=1e-9, abs=1e-9)
    assert min(chance.p for chance in question.chances) * counting.TRIALS < 3  # the rarest


def test_races_keep_the_best():
    found = {each["what"]: each for each in races.races(6)}
    assert list(found) == ["planted chances", "planted means", "attacks"]
    for each in found.values():
        assert (each["races"], each["lost"]) == (6, 0)
        assert each["held"] > 0.5
    assert found["attacks"]["decided"] == 1


def test_ranks_are_uniform_if_the_law_is_right_and_only_then():
    rng, law = np.random.default_rng(1), campaign.law_of(0.001)
    seen = rng.binomial(counting.TRIALS, 0.001, 4000)
    right, wrong = campaign.ranks_of(seen, law, rng), campaign.ranks_of(seen, campaign.law_of(0.0012), rng)
    assert abs(right.mean() - 0.5) < 0.02 < abs(wrong.mean() - 0.5)


def test_mid_p_is_narrower_and_covers_less():
    counts = np.arange(30)
    (low, high), (outer_low, outer_high) = (
        of(counts, 1000) for of in (coverage.mid_p, coverage.METHODS["clopper_pearson"])
    )
    assert ((outer_low <= low) & (high <= outer_high)).all()
    truths = np.geomspace(1e-3, 8e-3, 200)
    assert coverage.covered(coverage.mid_p, 1000, truths, 60).min() < 0.95
    assert coverage.covered(coverage.METHODS["shown"], 1000, truths, 60).min() >= 0.95 - 1e-9


def test_the_words_of_a_source_are_those_of_its_streams_in_turn():
    for source in streams.sources().values():
        found = next(streams.words(source))
        for place, (seed, chunk) in enumerate(source):
            (start, gamma), every = stream_of(seed), (1 << 64) - 1
            for number in (1, 2):
                counter = int(start) + int(gamma) * ((chunk << 32) + number) & every
                with np.errstate(over="ignore"):
                    assert found[place + (number - 1) * len(source)] == word_of(np.uint64(counter))


def test_words_go_on_from_one_array_to_the_next():
    source = streams.words([(streams.SEED, 0)])
    next(source)
    start, gamma = stream_of(streams.SEED)
    number = streams.WORDS + 1
    with np.errstate(over="ignore"):
        assert next(source)[0] == word_of(np.uint64(int(start) + int(gamma) * number & ((1 << 64) - 1)))


def test_without_dieharder_no_battery_is_run(monkeypatch):
    monkeypatch.setattr(streams.shutil, "which", lambda _: None)
    assert streams.battery() == []


def test_the_page_says_what_was_measured():
    results = json.loads(LATEST.read_text())
    assert PAGE.read_text(encoding="utf-8") == page.page(results)
    assert "no battery was run" in page.page(results | {"streams": []})
    for kind, found in results["kinds"].items():  # a battle's laws are those of a sample
        assert kind == "battle" or max(chance["off"] for chance in found["chances"]) <= found["band"]
    assert min(row["shown"][0] for row in results["by_expected"] + results["small"]) >= 0.945
