"""How many trials a precision takes: a pilot, one planned stage, and what is said of them."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

import analyser
from analyser.common.errors import InputError
from analyser.common.intervals import trials_for
from analyser.common.method_settings import Sampling
from analyser.common.precision import SMALLEST_WIDTH, Precision, Stopping

RIFLES, GRENADIERS = "crown/rifle-platoon@basic", "imperium/scion-grenadier-platoon@basic"
ASK = {
    "attack": lambda **how: analyser.attack(RIFLES, GRENADIERS, distance=6, **how),
    "charge": lambda **how: analyser.charge(RIFLES, GRENADIERS, **how),
    "focus": lambda **how: analyser.focus([RIFLES], GRENADIERS, **how),
    "duel": lambda **how: analyser.duel(RIFLES, GRENADIERS, rounds=1, **how),
    "mordheim": lambda **how: analyser.morale.mordheim(stupidity={"leadership": 7}, turns=2, **how),
}


@dataclass(frozen=True)
class Planted:
    """A sample of events that have these probabilities."""

    trials: int
    counts: np.ndarray
    stopping: Stopping | None = None

    def precision_counts(self, precision):
        return self.counts

    def with_stopping(self, stopping):
        return replace(self, stopping=stopping)


def sampled(precision, *chances, seed=1, least=1):
    """A planted sample, and how many trials were played at each stage."""
    stages = []

    def answer(how):
        rng = np.random.default_rng(seed)
        stages.append(how.trials)
        return Planted(how.trials, np.array([rng.binomial(how.trials, p) for p in chances]))

    found = Sampling("monte-carlo", precision=precision).solve(answer, least)
    return found, stages


@pytest.mark.parametrize(
    ("given", "read"),
    [
        (0.01, (0.01, False)),
        ("0.01", (0.01, False)),
        (np.float32(0.25), (0.25, False)),
        ("5%", (0.05, True)),
        (" 0.5 % ", (0.005, True)),
        (SMALLEST_WIDTH, (SMALLEST_WIDTH, False)),
    ],
)
def test_a_width_or_a_share_is_read(given, read):
    assert Precision.read(given) == pytest.approx(read)


@pytest.mark.parametrize("given", ["", "%", "5%%", "five", None, [0.1], 1, 0, -1, "nan", "nan%", "0.05%", "100%", 1e-6])
def test_what_is_neither_is_refused_with_what_is_allowed(given):
    with pytest.raises(InputError, match="such as '5%'") as refused:
        Precision.read(given, "--precision")
    assert refused.value.where == "--precision"


@pytest.mark.parametrize("width", [0.3, 0.003])
@pytest.mark.parametrize("chance", [0.5, 0.2, 0.01, 0.999, 1e-6])
def test_one_planned_stage_makes_every_interval_narrow_enough(width, chance):
    found, stages = sampled(width, chance, chance / 3)
    assert len(stages) <= 2
    assert found.stopping.reason == "precision"
    assert found.stopping.planned == found.trials == stages[-1]
    assert found.stopping.reached <= width
    assert found.trials <= trials_for(width)


def test_a_fight_whose_chances_are_narrow_takes_a_part_of_the_trials_of_the_worst_case():
    found, _ = sampled(0.001, 0.01, 0.002)
    needed = 4 * 1.96**2 * 0.01 * 0.99 / 0.001**2
    assert needed * 0.95 < found.trials < 1.35 * needed < trials_for(0.001) / 15


@pytest.mark.parametrize("share", ["80%", "20%", "5%", "1%"])
@pytest.mark.parametrize("chance", [0.5, 0.03, 1e-4])
def test_a_share_of_every_event_that_the_pilot_saw(share, chance):
    found, stages = sampled(share, 0.7, chance, 0.0, seed=2)
    low, high = 0.9 * chance, 1.1 * chance
    assert low < found.counts[1] / found.trials < high or share == "80%"
    assert found.stopping.reason == "precision"
    assert found.stopping.reached <= found.stopping.precision.width
    assert stages == sorted(set(stages))
    needed = 4 * 1.96**2 * (1 - chance) / chance / found.stopping.precision.width**2
    assert found.trials <= max(3 * needed, 4 * stages[0])


def test_where_the_pilot_saw_no_event_no_share_is_asked_for():
    found, stages = sampled("5%", 0.0, 0.0)
    assert (found.stopping.reason, found.stopping.reached, len(stages)) == ("unseen", None, 1)
    assert "no event occurred" in str(found.stopping)


def test_what_would_take_too_many_trials_is_refused_before_they_are_played():
    with pytest.raises(InputError, match="one event is very rare"):
        sampled("0.1%", 1e-4, seed=3)


def test_a_width_that_is_missed_is_told():
    def answer(how):  # a sample that comes out otherwise than its pilot
        return Planted(how.trials, np.array([how.trials // (100 if how.trials < 130_000 else 2)]))

    found = Sampling("monte-carlo", precision=0.001).solve(answer)
    assert found.stopping.reason == "planned"
    assert "not quite: " in str(found.stopping)


@pytest.mark.parametrize(("kind", "precision"), [*zip(ASK, [0.02, "60%", 0.02, "20%", 0.02], strict=True)])
def test_every_kind_of_answer_says_what_was_planned_and_why_it_stopped(kind, precision):
    found = ASK[kind](method="monte-carlo", precision=precision, seed=1)
    plain = found.as_dict()
    assert plain["planned_trials"] == plain["trials"] == found.trials
    assert plain["stop_reason"] == "precision"
    wanted = Precision.read(precision)
    assert plain["precision"] == {**wanted._asdict(), "reached": found.stopping.reached}
    assert found.stopping.reached <= wanted.width
    assert f"as planned for intervals at most {wanted} wide" in str(found)
    events = [found.probability(name) for name in found.events]
    if wanted.relative:
        assert max((p.high - p.low) / p for p in events if p > 1e-3) <= wanted.width
    again = ASK[kind](method="monte-carlo", trials=found.trials, seed=1)
    assert [again.probability(name) for name in found.events] == events
    assert again.as_dict()["stop_reason"] == "trials"
    assert ASK[kind]().as_dict().get("stop_reason") is None
