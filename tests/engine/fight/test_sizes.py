"""An exact law that is too large is refused; in a comparison the cell says so."""

import pytest

import analyser
from analyser.common.errors import InputError
from tests.oracle.fight_files import row, unit


def test_an_exact_answer_that_would_take_minutes_is_refused():
    horde = unit(row("ranged", 60), row("melee", 60), models=60, damage_limit=3)
    with pytest.raises(InputError, match="fewer models or rounds, or the method monte-carlo"):
        analyser.duel(horde, horde)
    assert analyser.duel(horde, horde, method="monte-carlo", trials=1000, threads=1).trials == 1000


def test_a_cell_whose_exact_law_is_too_large_is_blank_and_says_why(monkeypatch):
    monkeypatch.setattr("analyser.results.states.MOST_OPERATIONS", 1.0)
    found = analyser.matchups("crown/rifle-platoon@basic", "imperium/krupp@basic", situations=["charge", "duel"])
    assert found.frame["p_annihilated"].isna().all()
    assert found.impossible()["why_not"].str.contains("the exact distribution of this fight takes about").all()
