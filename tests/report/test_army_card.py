"""The card of an army: all of it, once, on one sheet of paper."""

import re

import pytest

import analyser
from analyser.report.army_card import army_card
from tests.helpers.skips import proof
from tests.helpers.table_page import PHONE

FIGHTERS = "crown/defiance-fighter-squadron@basic"


def army(number):
    selectors = [each.selector for each in analyser.load_profiles() if each.faction == "imperium"]
    return analyser.load_army({"name": "<List>", "unit": selectors[:: len(selectors) // number][:number]})


def test_a_card_has_every_unit_row_and_rule():
    listed = army(12)
    page = army_card(listed)
    assert "<h1>&lt;List&gt;</h1>" in page
    for loadout in listed.loadouts:
        assert loadout.unit.name in page
        assert all(row.ranges.replace('"', "″") in page for row in loadout.unit.rows)
        assert all(rule in page for rule in loadout.unit.rules)
    assert f"{listed.points:,} points" in page


def test_units_alike_share_a_card_and_names_are_kept():
    found = army_card(analyser.load_army([f"2 x {FIGHTERS}", {"unit": FIGHTERS, "name": "Red One"}]))
    assert found.count('class="card"') == 1
    assert "3 × Defiance Fighter Squadron" in found
    assert "“Red One”" in found
    assert "In reserve." in found


def test_an_army_without_points_or_rows_has_a_card():
    own = {"name": "Mine", "type": "infantry", "category": "light", "defence": 1, "damage_limit": 1, "models": 1}
    page = army_card(analyser.load_army([own | {"rules": ["Unheard Of"]}]))
    assert "1 model · – points · – VP" in page
    assert "<dt>Unheard Of</dt><dd>: not known</dd>" in page


@pytest.mark.slow
@pytest.mark.parametrize(("number", "pages"), [(18, 1), (30, 2), *proof((1, 1), (6, 1), (12, 1))])
def test_a_card_prints_on_one_page_and_fits_a_telephone(number, pages, visit, tmp_path):
    path = tmp_path / "card.html"
    path.write_text(army_card(army(number)), encoding="utf-8")
    page = visit(path, PHONE)
    cut_off = "frames => frames.filter(each => each.scrollWidth > each.clientWidth).map(each => each.innerText)"
    assert page.eval_on_selector_all(".wide", cut_off) == []
    printed = page.pdf(format="A4", prefer_css_page_size=True)
    assert len(re.findall(rb"/Type /Page\b", printed)) == pages
