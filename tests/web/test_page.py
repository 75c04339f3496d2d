"""The page of a game and the calculator as files: what is in them, what they allow, and how large they are."""

import re

import pytest

import analyser
from analyser.common.errors import InputError
from analyser.web.compile_module import MODULE
from analyser.web.memory_layout import unit_facts
from tests.helpers.policy import policy_of, sha256
from tests.helpers.reports import unpacked
from tests.helpers.shell import answer, refusal

CROWN, IMPERIUM = "notebooks/armies/crown.rosz", "notebooks/armies/imperium.rosz"
RIFLES, GRENADIERS = "crown/rifle-platoon@basic", "imperium/scion-grenadier-platoon@basic"


@pytest.fixture(scope="module")
def page():
    return analyser.table(CROWN, IMPERIUM)


def data_of(html):
    data, module = unpacked(html, "engine")
    assert module == MODULE.read_bytes()
    return data


def test_it_has_the_units_of_both_armies_in_their_order(page):
    data = data_of(page.html)
    for side, source in zip(data["sides"], (CROWN, IMPERIUM)):
        army = analyser.load_army(source)
        assert side["name"] == army.name
        assert [data["units"][each["unit"]]["id"] for each in side["units"]] == [unit.loadout.selector for unit in army]
    names = [each["name"] for each in data["sides"][0]["units"]]
    assert len(set(names)) == len(names)


def test_die_and_deck_and_everything_assumed_are_said(page):
    notes = " ".join(data_of(page.html)["notes"])
    assert "die of 1 heroic, 2 strikes" in notes
    assert "deck of 36 cards" in notes
    assert "open" in notes
    assert "exact" in notes
    assert "version" in notes


def test_it_allows_its_own_script_and_style_and_nothing_else(page):
    parts = policy_of(page.html)
    assert parts["default-src"] == "'none'"
    for kind, allowed in (("script", " 'wasm-unsafe-eval'"), ("style", "")):
        (text,) = re.findall(rf"<{kind}>(.*?)</{kind}>", page.html, re.DOTALL)
        assert parts[f"{kind}-src"] == sha256(text) + allowed
    assert "http" not in re.sub(r"http://www\.w3\.org/\d+/svg|http-equiv", "", page.html)


def test_names_are_text_wherever_they_come_from():
    name = "</script><script>alert(1)</script><!--"
    army = [{"unit": RIFLES, "name": name}]
    page = analyser.table({"name": name, "unit": army}, [GRENADIERS])
    assert page.html.count("<script") == analyser.table([RIFLES], [GRENADIERS]).html.count("<script")
    assert "<!--" not in page.html
    assert data_of(page.html)["sides"][0]["units"][0]["name"] == name


def test_the_calculator_has_every_loadout_and_a_page_is_small(page):
    calculator = analyser.calculator()
    data = data_of(calculator.html)
    everything = [loadout.selector for loadout in analyser.Profiles()]
    assert [data["units"][each["unit"]]["id"] for each in data["sides"][0]["units"]] == everything
    assert len(page.html.encode()) < 250_000
    assert len(calculator.html.encode()) < 250_000


def test_explore_opens_the_calculator_at_an_attack_and_shows_it_in_a_frame():
    page = analyser.explore(RIFLES, GRENADIERS)
    data = data_of(page.html)
    places = re.fullmatch(r"attacker=0\.(\d+)&target=1\.(\d+)", data["start"]).groups()
    assert [data["units"][int(place)]["id"] for place in places] == [RIFLES, GRENADIERS]
    assert page._repr_html_().startswith("<iframe")
    assert "<script" not in page._repr_html_()
    with pytest.raises(InputError, match="did you mean 'rifle-platoon'"):
        analyser.explore("crown/rifle-platon@basic", GRENADIERS)


def test_explore_opens_at_a_changed_loadout():
    library = analyser.Profiles()
    changed = [library[RIFLES].with_(dice=3), library[GRENADIERS].with_(defence=5)]
    data = data_of(analyser.explore(*changed).html)
    places = re.fullmatch(r"attacker=0\.(\d+)&target=1\.(\d+)", data["start"]).groups()
    chosen = [side["units"][int(place)] for side, place in zip(data["sides"], places)]
    assert [each["name"] for each in chosen] == [f"{loadout.unit.name}, changed" for loadout in changed]
    entries = [data["units"][each["unit"]] for each in chosen]
    own = [unit_facts(loadout) for loadout in changed]
    assert entries[0]["rows"] == own[0]["rows"] != unit_facts(library[RIFLES])["rows"]
    assert entries[1]["numbers"] == own[1]["numbers"] != unit_facts(library[GRENADIERS])["numbers"]
    assert len({entry["id"] for entry in data["units"]}) == len(data["units"])
    assert analyser.explore(library[RIFLES], GRENADIERS).html == analyser.explore(RIFLES, GRENADIERS).html


def test_a_unit_that_the_module_has_no_room_for_is_refused():
    with pytest.raises(InputError, match="allowed: up to"):
        analyser.table([{"unit": RIFLES, "models": 900}], [GRENADIERS])


def test_a_die_of_ones_own_is_in_the_page(tmp_path):
    out = tmp_path / "calculator.html"
    answer("calculator", "--out", out, "--die", "strike=1,miss=1")
    data = data_of(out.read_text(encoding="utf-8"))
    die = analyser.Profiles(ruleset={"die": {"strike": 1, "miss": 1}}).ruleset.die
    assert data["layout"]["die"] == [*die.sides_by_face]
    assert "die of 1 strike, 1 miss" in " ".join(data["notes"])


def test_the_commands_write_the_pages_and_refuse_other_files(page, tmp_path):
    out = tmp_path / "table.html"
    answer("army", "table", CROWN, IMPERIUM, "--out", out, "--quiet")
    assert out.read_text(encoding="utf-8") == page.html
    assert "allowed: .html" in refusal("army", "table", CROWN, IMPERIUM, "--out", tmp_path / "x.pdf")
    assert "allowed: .html" in refusal("calculator", "--out", tmp_path / "x.pdf")
