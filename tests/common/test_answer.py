"""The base of answers: every format follows from what a subclass gives."""

from dataclasses import dataclass

import pytest

from analyser.common.answer import Answer, Block
from analyser.common.frames import tidy

ROWS = [{"unit": "<Reds>", "share": 0.25, "low": float("nan")}, {"unit": "Blues", "share": 0.75, "low": 0.5}]


@dataclass(frozen=True, repr=False)
class Told(Answer):
    """An answer with everything that a subclass must give, and no more."""

    schema = "analyser/told/2"
    headline = "Blues win 3 times in 4."

    @property
    def summary(self):
        return {"p_blues": 0.75, "p_blues_low": 0.7, "p_blues_high": 0.8, "models": 3, "p_blues_interval": "wilson"}

    def blocks(self):
        cells = [[row["unit"], f"{row['share']:.2f}"] for row in ROWS]
        return [Block("Shares", ("unit", "share"), cells, "<>", lines=["and no more"])]

    def notes(self):
        return ["Assumption: none.", "Not modelled: none."]

    def rows(self):
        return ROWS

    def _body(self):
        return {"shares": ROWS, "sides": [{"name": "Reds", "lost": {"models": 1}, "units": [{"unit": "x"}]}], "why": []}


def test_text_has_the_blocks_and_then_the_notes():
    block = "Shares\nunit    share\n<Reds>   0.25\nBlues    0.75\nand no more"
    assert str(Told()) == repr(Told()) == f"{block}\n\nAssumption: none.\nNot modelled: none.\n"


def test_tables_are_those_of_the_json_with_one_value_a_cell():
    tables = Told().tables
    assert tables.keys() == {"shares", "sides"}
    assert tables["sides"].to_dict("records") == [{"name": "Reds", "lost_models": 1}]
    assert Told().to_frame().equals(tidy(ROWS))


def test_the_picture_has_a_dot_for_each_probability_or_else_for_each_figure(monkeypatch):
    axes = Told().plot()
    assert [label.get_text().strip() for label in axes.get_yticklabels()] == ["blues"]
    assert axes.lines[0].get_xdata() == pytest.approx([75])
    monkeypatch.setattr(Told, "summary", {"models": 3, "shots": 4, "shots_low": 3})
    assert [label.get_text().strip() for label in Told().plot().get_yticklabels()] == ["models", "shots"]
    own = Told().plot(label="mine", color="red", title=None, markersize=9)
    assert (own.get_title(), own.lines[0].get_color(), own.lines[0].get_markersize()) == ("", "red", 9)
    axes = Told().plot()
    assert axes.get_title(loc="left") == "Blues win 3 times in 4."
