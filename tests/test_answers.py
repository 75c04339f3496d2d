"""Every public answer: a headline, tables by name, JSON with a schema, CSV, HTML and a picture."""

import contextlib
import csv
import html
import inspect
import io
import json
import re

import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

import analyser
from analyser import morale
from analyser.analysis.comparisons import Comparisons
from analyser.common.answer import Answer
from analyser.common.errors import InputError
from analyser.common.frames import SENTENCE_COLUMNS

RIFLES, GUNS = "crown/rifle-platoon@basic", "imperium/krupp-field-guns@basic"
GRENADIERS = "imperium/scion-grenadier-platoon@basic"
TYPES = r"u?int(8|16|32|64)|Int64|bool(ean)?|float64|category"
SELECTOR = re.compile(r"[a-z0-9-]+/[a-z0-9-]+@[a-z-]+")
FAR = {"situations": "long-range"}
PRICED = {"against": "*/*@basic", **FAR}
NO_ANSWERS = {
    "dice_funnel": "a frame",
    "evaluate": "a frame of many answers",
    "calculator": "a page",
    "explore": "a page",
    "load_army": "an input",
    "load_profiles": "an input",
    "metric": "the name of a figure",
    "morale.load_question": "an input",
    "load_scenario": "an input",
    "open_sweep": "a store of cells, which is asked for answers",
    "resume_sweep": "such a store",
    "run_sweep": "such a store",
    "table": "a page",
    "warm_up": "the names of kernels",
}
VARIANTS = {
    "metric": "p_annihilated",
    "baseline": {"attack": {"attacker": RIFLES}, "target": {"unit": GRENADIERS}},
    "variants": {"aiming": {"aiming": True}},
}
EXAMPLES = {
    "attack": lambda: analyser.attack(RIFLES, GRENADIERS),
    "attack, simulated": lambda: analyser.attack(RIFLES, GRENADIERS, method="monte-carlo", trials=100),
    "charge": lambda: analyser.charge(RIFLES, GRENADIERS),
    "focus": lambda: analyser.focus([RIFLES, RIFLES], GRENADIERS),
    "duel": lambda: analyser.duel(RIFLES, GRENADIERS, rounds=1),
    "battle": lambda: analyser.battle([RIFLES], [GRENADIERS], trials=100),
    "best_play": lambda: analyser.best_play(RIFLES, GRENADIERS, rounds=1),
    "best_focus": lambda: analyser.best_focus([RIFLES, RIFLES], GRENADIERS),
    "exact": lambda: analyser.exact(morale.load_question("mordheim", {"combat": {}})),
    "simulate": lambda: analyser.simulate({"courage": 1, "tokens": 2}, trials=100),
    "compare": lambda: analyser.compare([RIFLES, "crown/sharp-rifles@basic"], GRENADIERS),
    "compare, several": lambda: analyser.compare([RIFLES], [GRENADIERS, GUNS]),
    "matchups": lambda: analyser.matchups("crown/rifle*@basic", "imperium/*@basic", **FAR),
    "sensitivity": lambda: analyser.sensitivity(RIFLES, GRENADIERS),
    "curve": lambda: analyser.curve([RIFLES, "crown/sharp-rifles@basic"], target=GRENADIERS, over="distance=4..8"),
    "search": lambda: analyser.search(VARIANTS),
    "luck": lambda: analyser.luck(RIFLES, GRENADIERS, got={"destroyed": 1}),
    "tell": lambda: analyser.tell(RIFLES, GRENADIERS),
    "tactics": lambda: analyser.tactics(RIFLES, GRENADIERS, rounds=1),
    "fair_points": lambda: analyser.fair_points("crown/rifle*", **PRICED),
    "solve_price": lambda: analyser.solve_price(RIFLES, **PRICED),
    "solve_dice": lambda: analyser.solve_dice(RIFLES, most=1, **PRICED),
    "what_if": lambda: analyser.what_if(RIFLES, points=80, **PRICED),
    "balance_check": lambda: analyser.balance_check("*/*guns@basic", against="*/*guns@basic", points=100, trials=2),
    "clash": lambda: analyser.clash([RIFLES], [GRENADIERS], **FAR),
    "clash, fought": lambda: analyser.clash([RIFLES], [GRENADIERS], battles=100, **FAR),
    "build": lambda: analyser.build("crown", 500, "imperium/*@basic", battles=False, next_best=1, **FAR),
    "check_army": lambda: analyser.check_army([RIFLES]),
    "army_kinds": lambda: analyser.army_kinds("crown"),
    "morale.exact": lambda: morale.exact("legion", {"courage": 1}),
    "morale.simulate": lambda: morale.simulate("legion", {"courage": 1}, 100),
    "morale.legion": lambda: morale.legion(courage=1, tokens=2),
    "morale.grande_tactique": lambda: morale.grande_tactique(check={}),
    "morale.warmaster": lambda: morale.warmaster(dice=2),
    "morale.mordheim": lambda: morale.mordheim(combat={}),
    "morale.compare": lambda: morale.compare(models=4, losses=1),
}


PUBLIC = {
    f"{before}{name}": function
    for before, package in (("", analyser), ("morale.", morale))
    for name in package.__all__
    if inspect.isfunction(function := getattr(package, name))
}


@pytest.mark.parametrize("name", sorted(PUBLIC.keys() - NO_ANSWERS.keys()))
def test_a_public_function_returns_an_answer_and_has_an_example(name):
    module, hint = inspect.getmodule(PUBLIC[name]), PUBLIC[name].__annotations__["return"]
    assert all(issubclass(getattr(module, each), Answer) for each in hint.split(" | "))
    assert name in {example.partition(",")[0] for example in EXAMPLES}


def test_no_exception_outlives_its_function():
    assert NO_ANSWERS.keys() <= PUBLIC.keys()


@pytest.fixture(params=EXAMPLES, scope="module")
def answer(request):
    return EXAMPLES[request.param]()


LONG = {
    "tactics": lambda how: analyser.tactics(RIFLES, GRENADIERS, rounds=1, **how),
    "matchups": lambda how: analyser.matchups(RIFLES, GRENADIERS, **FAR, **how),
    "curve": lambda how: analyser.curve(RIFLES, target=GRENADIERS, over="distance=4..8", **how),
    "search": lambda how: analyser.search(VARIANTS, **how),
    "fair_points": lambda how: analyser.fair_points("crown/rifle*", **PRICED, **how),
    "clash": lambda how: analyser.clash([RIFLES], [GRENADIERS], **FAR, **how),
}


@pytest.mark.parametrize("name", LONG)
def test_a_long_question_shows_a_bar_and_can_be_interrupted_and_asked_again(name, capsys):
    def stop(done, whole):
        raise KeyboardInterrupt

    with contextlib.suppress(KeyboardInterrupt):  # some have an answer to what was done before
        LONG[name]({"progress": stop})
    assert str(LONG[name]({"progress": True})) == str(LONG[name]({}))
    assert "/s]" in capsys.readouterr().err


def test_the_headline_is_one_plain_sentence(answer):
    assert re.fullmatch(r"[^\n±]+[.]", answer.headline)
    assert "95%" not in answer.headline


def test_tables_are_tidy_frames(answer):
    """One value a cell, texts as categoricals, levels in order, loadouts with names, no sentences, no objects."""
    assert answer.tables
    for name, frame in (("", answer.to_frame()), *answer.tables.items()):
        assert isinstance(frame, pd.DataFrame)
        assert [str(kind) for kind in frame.dtypes if not re.fullmatch(TYPES, str(kind))] == []
        assert not set(SENTENCE_COLUMNS) & set(frame), name
        texts = {column: set(frame[column].cat.categories) for column in frame if frame[column].dtype == "category"}
        assert all(frame[column].cat.ordered for column in texts if column.endswith("level")), name
        ids = [column for column in texts if texts[column] and all(map(SELECTOR.fullmatch, texts[column]))]
        own = {"loadout": "unit", "unit": "name"}
        beside = [{f"{column}_name", f"{column}_unit", own.get(column)} for column in ids]
        assert [column for column, names in zip(ids, beside) if not names & set(frame)] == [], name


def test_every_answer_has_a_table_in_colours(answer):
    assert "<table" in answer.style().to_html()


def test_the_main_table_is_the_callers_own(answer):
    frame = answer.to_frame()
    frame["mine"] = 1
    assert "mine" not in answer.to_frame()


def test_json_has_a_schema_and_no_nan(answer):
    record = json.loads(answer.to_json())
    assert re.fullmatch(r"analyser/[a-z-]+(/[a-z-]+)?/[1-9]\d*", record["schema"])
    assert (record["schema"], record["headline"]) == (answer.schema, answer.headline)
    assert "NaN" not in answer.to_json()


def test_csv_has_a_line_a_row(answer):
    assert len(list(csv.reader(io.StringIO(answer.to_csv())))) == 1 + len(answer.rows())


def test_a_page_has_every_note(answer):
    assert str(answer) == repr(answer)
    page = html.unescape(answer._repr_html_())
    assert [note for note in answer.notes() if note not in page] == []


def test_figures_are_numbers_with_both_ends_or_none(answer):
    for name, value in answer.summary.items():
        if name.endswith("_low"):
            least = answer.summary[name.removesuffix("_low")]
            assert value <= least <= answer.summary[name.removesuffix("_low") + "_high"]


def test_there_is_a_picture(answer):
    """No name is a formula, least of all one that cannot be read: to draw it is an error."""
    drawn = answer.plot(title=r"My $\frac{x$")
    axes = drawn if isinstance(drawn, tuple) else (drawn,)
    assert all(isinstance(each, Axes) for each in axes)
    assert r"My $\frac{x$" in (axes[0].figure.get_suptitle(), axes[0].get_title())
    axes[0].figure.savefig(io.BytesIO())
    assert not any(each.get_parse_math() for each in axes[0].figure.findobj(Text))
    assert isinstance(drawn, tuple) or drawn._repr_png_().startswith(b"\x89PNG")


def test_it_draws_on_axes_of_the_user_alone(answer):
    figure = Figure(figsize=(7, 5))
    ax = figure.subplots()
    if isinstance(answer, Comparisons):
        with pytest.raises(InputError, match="panels are drawn on a new figure"):
            answer.plot(ax=ax)
        return
    assert answer.plot(ax=ax, title=None, alpha=0.5) is ax
    others = [each for each in figure.axes if each is not ax and each.get_label() != "<colorbar>"]
    assert (ax.get_title(), others, figure.texts, figure.legends) == ("", [], [], [])
    assert figure.get_size_inches().tolist() == [7, 5]
