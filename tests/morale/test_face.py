"""Public functions of morale, and the methods of its answers."""

import pytest

import analyser
from analyser import morale
from analyser.ask.metric_lookup import metric_value
from analyser.common.errors import InputError
from tests.helpers.skips import proof

ASKED = {
    "legion": {"courage": 1, "tokens": 2, "commander_courage": 2, "rounds": 3},
    "grande-tactique": {"check": {}, "division": {"units": [{"rout": 0.5}, {"rout": 0.25}, {"rout": 0.1}]}},
    "warmaster": {"dice": 2, "obstacles": [{"distance": 5, "kind": "friend", "chain": 1}]},
    "mordheim": {"warband": {"leader": 8, "others": [{"leadership": 7, "number": 5}], "casualties": 1}, "turns": 3},
    "compare": {"models": 5, "losses": 1, "rounds": 2},
}
FEW = {"method": "monte-carlo", "trials": 2_000, "seed": 3}


def function_of(system):
    return getattr(morale, system.replace("-", "_"))


@pytest.mark.parametrize("system", ASKED)
def test_keys_a_mapping_and_a_file_give_the_same_answer(system, tmp_path):
    keys = ASKED[system]
    path = tmp_path / "question.toml"
    path.write_text("\n".join(f"{key} = {toml(value)}" for key, value in keys.items()), encoding="utf-8")
    expected = morale.exact(system, keys).as_dict()
    for result in (function_of(system)(**keys), function_of(system)(keys), function_of(system)(path)):
        assert result.as_dict() == expected
    assert analyser.exact(keys).as_dict() == expected


def toml(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {toml(item)}" for key, item in value.items()) + "}"
    return f"[{', '.join(map(toml, value))}]" if isinstance(value, list) else repr(value).replace("'", '"')


@pytest.mark.parametrize("numbers", [{}, FEW])
@pytest.mark.parametrize("system", ASKED)
def test_every_event_and_figure_has_a_value(system, numbers):
    result = function_of(system)(ASKED[system], **numbers)
    assert result.kind == system
    assert result.events
    for event in result.events:
        for ending in result.endings(f"p_{event}"):
            assert 0 <= metric_value(result, f"p_{event}{ending}").value <= 1
    for figure in result.figures:
        for ending in result.endings(figure):
            assert metric_value(result, f"mean_{figure}{ending}").value >= 0
        if len(result.endings(figure)) == 1:
            assert result.pmf(figure)["probability"].sum() <= 1 + 1e-9
            assert result.quantile(figure, 0.5) in result.pmf(figure)["value"].tolist()
            assert result.std(figure) >= 0
    assert "<table" in result._repr_html_()


def test_a_metric_with_several_values_needs_a_key():
    result = morale.legion(courage=1, tokens=2, commander_courage=2, received=1)
    without = result.only(commander="without")
    assert without.probability("panicked", moment=1) > 0.7  # as the headline says
    assert metric_value(result, "p_panicked@1@commander=without").value == without.probability("panicked", moment=1)
    with pytest.raises(InputError, match=r"'panicked' has several values .*@commander=with, @commander=without"):
        result.probability("panicked", moment=1)
    with pytest.raises(InputError, match=r"no row has comander = with \(allowed: .*commander = with, without"):
        result.only(comander="with")
    assert len(analyser.evaluate([{"models": 10, "nerve": 0.67, "losses": 1}])["system"].unique()) == 5


def test_the_moment_selects_the_round():
    result = morale.legion(courage=1, tokens=2, rounds=3)
    by_round = result.to_frame()["p_panicked"].tolist()
    assert [result.probability("panicked", moment=turn).probability for turn in (1, 2, 3)] == by_round
    assert result.probability("panicked").probability == by_round[-1]
    with pytest.raises(InputError, match=r"4 is no round or turn of this table \(allowed: 1, 2, 3\)"):
        result.probability("panicked", moment=4)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: morale.legion(courag=1), "courag: unknown key; did you mean 'courage'"),
        (lambda: morale.legion({"courage": 1}, tokens=2), "both a question and the key 'tokens'"),
        (lambda: morale.legion(courage=1).probability("panick"), "did you mean 'panicked'"),
        (lambda: morale.legion(courage=1).to_frame("token"), "did you mean 'tokens'"),
        (lambda: morale.legion(courage=1).to_frame(5), "table: must be text, got 5 (allowed: rounds"),
        (lambda: morale.legion(courage=1, trials=1.5), "must be an integer, got 1.5"),
        (lambda: morale.exact("legio", {"courage": 1}), "did you mean 'legion'"),
    ],
)
def test_error_messages_suggest_the_nearest_name(ask, message):
    with pytest.raises(InputError) as error:
        ask()
    assert message in str(error.value)


@pytest.mark.parametrize("precision", [0.02, *proof(0.0009)])
def test_a_precision_limits_the_intervals_of_the_answer(precision):
    result = morale.legion(courage=1, tokens=2, rounds=1, method="monte-carlo", precision=precision)
    widths = [
        frame[f"{name}_high"] - frame[f"{name}_low"]
        for frame in map(result.to_frame, result.tables)
        for name in frame
        if f"{name}_high" in frame and name.startswith("p_")  # a precision limits probabilities
    ]
    assert max(width.max() for width in widths) <= precision
