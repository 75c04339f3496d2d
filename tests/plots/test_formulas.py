"""No name is a formula: text between dollars, good TeX or bad, is drawn as it stands."""

import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from analyser import plots
from tests.helpers.shell import run
from tests.oracle.small_profiles import FACTION

BAD = r"Guard $\frac{x$"  # a formula that cannot be read: to draw it is an error
OTTERS, BEAVERS = "river/otter-guard@basic", "river/beaver-fort@basic"
COMMANDS = {
    "attack": ["attack", OTTERS, BEAVERS, "--row", "ranged-heavy"],
    "duel": ["duel", OTTERS, OTTERS, "--rounds", "1"],
    "compare": ["compare", "river/*", "--target", OTTERS],
    "clash": ["battle", "plan", OTTERS, f"{OTTERS}, {BEAVERS}"],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("profiles")
    text = FACTION
    for name in ("River", "Otter Guard", "Beaver Fort", "Heron", "Ranged (Light)", "Melee"):
        text = text.replace(f'name = "{name}"', f"name = '{name} {BAD}'")
    assert BAD in text
    (place / "river.toml").write_text(text, encoding="utf-8")
    return place


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_draws_names_as_they_are(name, folder, tmp_path):
    picture = tmp_path / "p.svg"
    result = run(*COMMANDS[name], "--profiles", folder, "--plot", picture)
    assert (result.exit_code, result.exception) == (0, None), result.output
    assert picture.read_bytes().startswith(b"<?xml")


def frame(**columns):
    return pd.DataFrame(columns)


GRID = {"attacker": [BAD], "defender": [BAD], "situation": [BAD], "attacker_unit": [BAD], "defender_unit": [BAD]}
GRID |= {"defender_category": ["light"], "attacker_points": [10], "defender_points": [10], "p_annihilated": [0.5]}
GRID |= {"attacker_level": ["basic"], "defender_level": ["basic"], "method": ["exact"]}
BY_ROUND = {"round": [1, 1], "tokens": [0, 1], "probability": [0.5, 0.5]}
DRAWN = {
    "contributions": lambda ax: plots.contributions(
        frame(side=[BAD], name=[BAD], points_destroyed=[3.0], points_absorbed=[2.0]), title=BAD, ax=ax
    ),
    "funnel": lambda ax: plots.funnel(frame(stage=[BAD], unit=[BAD], kind=["total"], mean=[2.0]), title=BAD, ax=ax),
    "heatmap": lambda ax: plots.heatmap(frame(**GRID), values="p_annihilated", note=BAD, ax=ax),
    "distributions_by_round": lambda ax: plots.distributions_by_round(
        frame(**BY_ROUND), x="round", number="tokens", title=BAD, ax=ax
    ),
}


@pytest.mark.parametrize("name", DRAWN)
def test_axes_of_the_user_have_no_formulas_either(name, tmp_path):
    figure = Figure()
    FigureCanvasAgg(figure)
    ax = DRAWN[name](figure.add_subplot())
    figure.savefig(tmp_path / "p.png")  # outside the style of the package, with labels that are made only now
    assert not any(text.get_parse_math() for text in ax.findobj(Text))
    drawn = DRAWN[name](None)
    drawn.figure.savefig(tmp_path / "p.svg")
