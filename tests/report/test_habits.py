"""What habits give away, of every unit with every other: beside single answers, told, and gone on with."""

import json

import pandas as pd
import pytest

from analyser import InputError, best_play, habits
from analyser.report import habits as module

MINE, YOURS = "crown/rifle-platoon@basic", "imperium/scion-grenadier-platoon@basic"
AIRCRAFT = "imperium/messer-interceptor-squadron@basic"
TERMS = {"rounds": 1, "first": "a"}


@pytest.fixture(scope="module")
def found():
    """Two units against two, of which one cannot fight a duel."""
    return habits([MINE, "crown/sharp-rifles@basic"], [YOURS, AIRCRAFT], threads=1, **TERMS)


def test_a_row_is_what_best_play_says(found):
    row = found.frame.iloc[0]
    alone = best_play(MINE, YOURS, **TERMS)
    regret = next(each for each in alone.regrets() if each["habit"] == row["habit"])
    assert row["value"] == alone.value
    assert (row["gives_away"], row["exploitable"]) == (regret["gives_away"], regret["exploitable"])
    assert row["first_move"] == alone.first_moves()[0]["do"]


def test_a_pair_without_an_answer_has_a_reason(found):
    assert "aircraft" in found.frame["reason"].iloc[1]
    assert "No answer" in str(found)


def test_by_unit(found):
    table = found.by_unit()
    assert set(table["attacker"]) == {MINE, "crown/sharp-rifles@basic"}
    assert (table["most"] >= table["gives_away"]).all()
    assert table["misjudged"].between(0, 1).all()
    assert json.loads(json.dumps(found.as_dict()))["kind"] == "habits"
    assert found.plot().get_xlabel()


def test_it_is_gone_on_with_where_it_was_stopped(tmp_path, monkeypatch):
    out = tmp_path / "habits.csv"
    asked = {"out": out, "threads": 1, **TERMS}

    def stop(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        worked = module.work_out
        calls = []

        def once(*arguments):
            calls.append(arguments[0].selector)
            return stop() if len(calls) == 2 else worked(*arguments)

        patch.setattr(module, "work_out", once)
        with pytest.raises(KeyboardInterrupt):
            habits([MINE, "crown/sharp-rifles@basic"], YOURS, **asked)
    assert not out.exists()
    kept = [path.name for path in tmp_path.rglob("*.json")]
    assert len(kept) == 1
    with monkeypatch.context() as patch:
        again = []

        def counted(*arguments):
            again.append(arguments[0].selector)
            return worked(*arguments)

        patch.setattr(module, "work_out", counted)
        result = habits([MINE, "crown/sharp-rifles@basic"], YOURS, **asked)
    assert len(again) == 1
    assert pd.read_csv(out)["attacker"].tolist() == result.frame["attacker"].tolist()
    assert [path for path in tmp_path.iterdir() if path != out] == []


def test_progress_is_told():
    heard = []
    habits(MINE, YOURS, threads=1, progress=lambda done, of: heard.append((done, of)), **TERMS)
    assert heard[-1][0] == heard[-1][1]


@pytest.mark.parametrize(
    ("more", "told"),
    [({"policy_a": "shoot"}, r"both play best here"), ({"rounds": 0}, r"rounds"), ({"threads": 0}, r"threads")],
)
def test_what_is_wrong_is_told(more, told):
    with pytest.raises(InputError, match=told):
        habits(MINE, YOURS, **{**TERMS, **more})


def test_a_file_that_cannot_be_written_is_refused_at_once(tmp_path):
    with pytest.raises(InputError):
        habits(MINE, YOURS, out=tmp_path, **TERMS)
