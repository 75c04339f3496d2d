"""The page of a report: its opponents, its factions, its size; cards and rows are in test_units."""

import json
import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from analyser.analysis.mutual_losses import exchange_of
from analyser.analysis.prices import CAVEATS
from analyser.analysis.situations import situations_named
from analyser.common.errors import InputError
from analyser.game.profiles import Profiles
from analyser.report import page, write_report
from analyser.report.page import faction_lines, trades_of
from tests.helpers.reports import FIELD, figures_on, plain

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def text(browsed):
    return (browsed / "index.html").read_text(encoding="utf-8")


def test_a_unit_without_duels_has_the_reason_on_its_card(text):
    notes = {card["key"]: card["no_duels"] for card in figures_on(text)["units"]}
    aircraft = "No duels: it is an aircraft, and flies sorties: no duel (AC-9.2)."
    assert (notes["imperium/messer-interceptor-squadron"], notes["crown/rifle-platoon"]) == (aircraft, "")


def test_it_names_the_opponents_of_its_prices_and_the_reasons_of_doubt(browsed, text):
    prices = pd.read_csv(browsed / "prices.csv")
    method = plain(text.partition('<details class="method">')[2].partition("</details>")[0])
    opponents = {loadout.selector for each in FIELD for loadout in Profiles().matching(each)}
    manifest = json.loads((browsed / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["field"]["loadouts"] == len(opponents)
    assert f"Judged against {len(opponents)} loadouts (Crown " in method
    assert CAVEATS in method
    told = re.findall(r" \((\d+)\)", method.partition("Reasons for undecided: ")[2].partition("Ratio of points")[0])
    doubts = prices.loc[prices["verdict"] == "undecided", "doubt"]
    assert sum(map(int, told)) == len(doubts)
    with pytest.raises(InputError, match="field or row, not both"):
        write_report("crown/rifle*", "imperium/krupp*", out=browsed, field="*/*", row="ranged-light")


def test_every_loadout_is_in_the_table_of_prices(browsed, text):
    prices = pd.read_csv(browsed / "prices.csv", keep_default_na=False)
    table = text.partition('<details id="every-price">')[2].partition("</table>")[0]
    rows = [plain(each) for each in table.split("<tr>")[2:]]
    assert len(rows) == len(prices)
    names = {each.selector: f"{each.unit.name}, {each.level_name}" for each in Profiles()}
    for row, price in zip(rows, prices.to_dict("records")):
        assert row.startswith(f"{price['unit']}, {price['level']} {price['points']} ")
        assert row.endswith(re.sub(r"\S+/\S+@\S+", lambda found: names[found[0]], price["why"]))
        assert price["verdict"] in row


def test_trades_are_the_points_that_100_points_destroy(browsed):
    """Far apart both shoot, near each does what gains it most; a suppressed unit does less."""
    frame, library = pd.read_parquet(browsed / "matchups.parquet"), Profiles()
    frame = frame[frame["attacker"].str.endswith("@basic") & frame["defender"].str.endswith("@basic")]
    sides = tuple(library[name] for name in dict.fromkeys([*frame["attacker"], *frame["defender"]]))
    situations = situations_named(list(dict.fromkeys(frame["situation"])))
    found = SimpleNamespace(frame=frame, attackers=sides, situations=situations, ruleset=library.ruleset)
    trades, _ = trades_of(found)
    names = "imperium/sturmpanzer-battletanks@basic", "crown/drake-field-guns@basic"
    exchange = exchange_of(frame, sides, situations, library.ruleset)
    me, other = ([each.selector for each in exchange.loadouts].index(name) for name in names)
    share = exchange.mean()[me, other]
    costs = [library[name].level.points for name in names]
    assert 0 < share < exchange.without_suppression.mean(axis=0)[me, other]
    assert trades.loc[names] == pytest.approx(100 * share * costs[1] / costs[0])


def test_a_page_that_would_be_too_large_has_fewer_figures_and_says_so(tmp_path, monkeypatch, text):
    assert "Some figures are left out" not in text
    assert len(figures_on(text)["metrics"]) > 3
    sizes = iter([page.MOST_BYTES + 1] * 2)  # with three figures, and with one
    monkeypatch.setattr(page, "compressed", lambda _: next(sizes, 0))
    sides = "crown/rifle-platoon@basic", "imperium/krupp*@basic"
    cut = write_report(*sides, out=tmp_path / "cut", situations=["long-range"], field="*/*guns@basic")
    said = (cut / "index.html").read_text(encoding="utf-8")
    assert "Some figures are left out to keep this page small." in said
    assert len(figures_on(said)["metrics"]) == 1


def test_who_is_ahead_of_whom_is_said_in_a_sentence():
    destroyed = np.array([[20.0, 31.0, np.nan], [24.0, 20.0, 0.0], [np.nan, 0.0, 20.0]])
    names = ["red", "blue", "green"]
    (line,) = faction_lines(pd.DataFrame(destroyed, names, names))
    ahead = "Red is ahead of Blue: in a round, 100 points of Red destroy 31.0 points of Blue, "
    assert line == ahead + "and 100 points of Blue destroy 24.0 in return."
