"""The cost of simple tactics, of every unit with every other: beside single answers, listed, and resumed."""

import json
from functools import partial

import pandas as pd
import pytest

from analyser import InputError, best_play, tactics
from analyser.common import cache
from analyser.report import tactic_costs as module
from analyser.report import write_report
from tests.helpers.reports import figures_on

MINE, YOURS = "crown/rifle-platoon@basic", "imperium/scion-grenadier-platoon@basic"
AIRCRAFT = "imperium/messer-interceptor-squadron@basic"
TERMS = {"rounds": 1, "first": "a"}


@pytest.fixture(scope="module")
def found():
    """Two units against two, of which one cannot fight a duel."""
    return tactics([MINE, "crown/sharp-rifles@basic"], [YOURS, AIRCRAFT], threads=1, **TERMS)


def test_a_row_is_what_best_play_says(found):
    row = found.frame.iloc[0]
    alone = best_play(MINE, YOURS, **TERMS)
    regret = next(each for each in alone.regrets() if each["tactic"] == row["tactic"])
    assert row["value"] == alone.value
    assert (row["cost"], row["exploitable"]) == (regret["cost"], regret["exploitable"])
    assert row["first_move"] == alone.first_moves()[0]["do"]


def test_by_unit_and_a_pair_without_an_answer_has_a_reason(found):
    assert "aircraft" in found.frame["reason"].iloc[1]
    assert "No answer" in str(found)
    table = found.by_unit()
    assert set(table["attacker"]) == {MINE, "crown/sharp-rifles@basic"}
    assert (table["most"] >= table["cost"]).all()
    assert table["misjudged"].between(0, 1).all()
    record = json.loads(json.dumps(found.as_dict(), allow_nan=False))
    assert record["kind"] == "tactics"
    flown = [each for each in record["duels"] if "aircraft" in each["reason"]]
    assert flown
    assert all(each["value"] is None and each["cost"] is None for each in flown)
    assert found.plot().get_xlabel()


@pytest.mark.parametrize(("program", "worked_anew"), [(None, 1), ("a rule has changed", 2)])
def test_it_resumes_where_it_was_stopped(program, worked_anew, tmp_path, monkeypatch, cached):
    asked = {"out": tmp_path / "tactics.csv", "threads": 1, **TERMS}
    attackers, worked = [MINE, "crown/sharp-rifles@basic"], module.duels_of
    calls = []

    def counted(*arguments, stop_at):
        calls.append(arguments[0].selector)
        if len(calls) == stop_at:
            raise KeyboardInterrupt
        return worked(*arguments)

    monkeypatch.setattr(module, "duels_of", partial(counted, stop_at=2))
    with pytest.raises(KeyboardInterrupt):
        tactics(attackers, YOURS, **asked)
    assert [path.name for path in tmp_path.iterdir()] == ["cache"]
    assert len(list(cached.iterdir())) == 1
    calls.clear()
    monkeypatch.setattr(module, "duels_of", partial(counted, stop_at=0))
    if program is not None:
        monkeypatch.setattr(cache, "program_digest", lambda: program)
    result = tactics(attackers, YOURS, **asked)
    assert len(calls) == worked_anew
    assert pd.read_csv(asked["out"])["attacker"].tolist() == result.frame["attacker"].tolist()


@pytest.mark.parametrize(
    ("more", "told"),
    [({"policy_a": "shoot"}, r"both sides play best"), ({"rounds": 0}, r"rounds"), ({"threads": 0}, r"threads")],
)
def test_what_is_wrong_is_told(more, told):
    with pytest.raises(InputError, match=told):
        tactics(MINE, YOURS, **{**TERMS, **more})


@pytest.mark.slow
def test_a_report_with_best_play_says_what_simple_tactics_cost(tmp_path):
    out = write_report(MINE, YOURS, out=tmp_path / "r", situations=["duel"], policy="best")
    text = (out / "index.html").read_text(encoding="utf-8")
    both = pd.concat([tactics(MINE, YOURS, threads=1).frame, tactics(YOURS, MINE, threads=1).frame])
    assert module.note_of(both) in text
    notes = {card["key"]: card["notes"] for card in figures_on(text)["units"]}
    for name, unit in ((MINE, "Rifle platoon, basic"), (YOURS, "Scion Grenadier Platoon")):
        (said,) = notes[name.partition("@")[0]]
        assert said.startswith(f"In duels {unit}")
        assert "Compared with best play this costs " in said
    assert "tactics" in json.loads((out / "manifest.json").read_text(encoding="utf-8"))
