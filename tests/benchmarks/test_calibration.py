"""The calibration page: what it is written from, on a small scale, and that it is written from it."""

import json

import pytest

from analyser.common.jit import interpreted
from benchmarks.calibration import campaign, counting, page, races, samples
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


@pytest.mark.parametrize("kind", ["mordheim", *proof("compare", "duel")])
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


def test_the_page_says_what_was_measured():
    results = json.loads(LATEST.read_text())
    assert PAGE.read_text(encoding="utf-8") == page.page(results)
    assert "no battery was run" in page.page(results | {"streams": []})
    for kind, found in results["kinds"].items():  # a battle's laws are those of a sample
        assert kind == "battle" or max(chance["off"] for chance in found["chances"]) <= found["band"]
    assert min(row["shown"][0] for row in results["by_expected"] + results["small"]) >= 0.945
