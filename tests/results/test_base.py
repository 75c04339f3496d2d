"""What every kind of answer can be asked for: distributions, means, probabilities, pictures, tables."""

import pickle
import re

import numpy as np
import pytest

import analyser
from analyser import Estimate, InputError

RIFLES, GRENADIERS = "crown/rifle-platoon@basic", "imperium/scion-grenadier-platoon@basic"
FEW = {"method": "monte-carlo", "trials": 2000, "seed": 7}
ASK = {
    "attack": lambda **how: analyser.attack(RIFLES, GRENADIERS, distance=6, **how),
    "charge": lambda **how: analyser.charge(RIFLES, GRENADIERS, outflanking=True, **how),
    "focus": lambda **how: analyser.focus([RIFLES, RIFLES], GRENADIERS, **how),
    "duel": lambda **how: analyser.duel(RIFLES, GRENADIERS, rounds=2, **how),
}
EVERY = [(kind, how) for kind in ASK for how in ({}, FEW)]
HEAD = {"kind", "method", "scenario", "profiles", "applied", "not_used", "not_modelled", "warnings", "summary"}


@pytest.fixture(scope="module", params=EVERY, ids=lambda pair: f"{pair[0]}-{pair[1].get('method', 'exact')}")
def result(request):
    kind, how = request.param
    return ASK[kind](**how)


def test_the_head_is_the_same(result):
    plain = result.as_dict()
    assert plain.keys() >= HEAD | (set() if result.exact else {"trials", "seed"})
    assert (plain["kind"], plain["method"]) == (result.kind, result.method)
    assert plain["applied"] == list(result.rules_applied)
    assert (result.trials, result.seed) == ((None, None) if result.exact else (2000, 7))


def test_a_distribution_adds_up_and_gives_the_moments(result):
    for figure in result.figures:
        pmf = result.pmf(figure)
        assert pmf["probability"].sum() == pytest.approx(1)
        assert pmf["at_least"].to_numpy() == pytest.approx(pmf["probability"][::-1].cumsum()[::-1].to_numpy())
        mean = (pmf["value"] * pmf["probability"]).sum()
        assert result.mean(figure) == pytest.approx(mean)
        spread = (((pmf["value"] - mean) ** 2) * pmf["probability"]).sum() ** 0.5
        assert result.std(figure) == pytest.approx(spread, abs=1e-9)
        likely = pmf[pmf["probability"] > 0]["value"]
        assert result.quantile(figure, 0) in (likely.min(), pmf["value"].min())
        assert result.quantile(figure, 1) == likely.max()
        if result.exact:
            assert list(pmf) == ["value", "probability", "at_least"]
        else:
            assert ((pmf["low"] <= pmf["probability"]) & (pmf["probability"] <= pmf["high"])).all()


def test_a_probability_is_a_number_with_an_interval(result):
    for name in result.events:
        found = result.probability(name)
        assert 0 <= found <= 1
        assert (found.low is None) == result.exact
        assert result.exact or found.low <= found <= found.high


FATES = {"suppressed", "disordered", "fell_back", "destroyed", "broken", "fled", "annihilated"}
SIDES = {"attack": [], "charge": ["attacker", "target"], "focus": [], "duel": ["a", "b"]}


def test_events_have_the_same_names_in_every_kind_of_answer(result):
    sides = SIDES[result.kind]
    of_units = {f"{side}_{name}" for side in sides for name in FATES} or FATES
    of_fights = {*(f"{side}_wins" for side in sides), "draw"} if sides else set()
    assert of_units | of_fights <= set(result.events)
    for side in [f"{side}_" for side in sides] or [""]:
        ways = sum(result.probability(f"{side}{fate}") for fate in ("destroyed", "broken", "fled"))
        assert result.probability(f"{side}annihilated") == pytest.approx(ways)


@pytest.mark.parametrize("kind", ASK)
def test_a_headline_of_a_simulation_is_not_certain(kind):
    """A single trial always has one outcome, which an exact answer knows not to be certain."""
    once = ASK[kind](method="monte-carlo", trials=1, seed=3)
    assert re.search(r" in (every|no) trial\.$", once.headline)
    assert "trial" not in ASK[kind]().headline


def test_re_rolls_of_strikes_are_named_because_they_lower_the_hits():
    warnings = {
        face: analyser.attack(RIFLES, GRENADIERS, distance=6, extra_reroll={"faces": [face], "dice": 2}).warnings
        for face in ("strike", "blank")
    }
    assert ["re-rolls strikes" in str(warnings[face]) for face in warnings] == [True, False]


def test_a_wrong_name_is_told_the_nearest(result):
    name = result.events[0]
    with pytest.raises(InputError, match=f"unknown event '{name}x'; did you mean .*'{name}'"):
        result.probability(f"{name}x")
    with pytest.raises(InputError, match=f"did you mean .*'{result.figures[-1]}'"):
        result.mean(f"{result.figures[-1]}x")
    with pytest.raises(InputError, match=r"q: 1\.5 is not usable"):
        result.quantile(result.figures[0], 1.5)
    with pytest.raises(InputError):
        result.mean(result.figures[0], 99)


def test_an_estimate_is_a_number():
    p = Estimate(0.25, 0.2, 0.31)
    assert p > 0.2
    assert [float(p), p * 4, 1 - p, round(p, 1)] == [0.25, 1.0, 0.75, 0.2]
    assert (f"{p:.3f}", f"{p}") == ("0.250", "25% ±6")
    assert np.array([p, p]).sum() == 0.5
    copy = pickle.loads(pickle.dumps(p))
    assert (copy, copy.low, copy.high) == (p, p.low, p.high)
