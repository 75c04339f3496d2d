"""What changed between two sets of profiles or two reports, and what it did: told in full, worst first."""

import json
import math
import re

import pytest

import analyser
from analyser.analysis.matchups import matchups
from analyser.cli import main
from analyser.common.errors import InputError
from analyser.game.profiles import Profiles
from analyser.report import diff as diff_module
from analyser.report import write_report
from analyser.report.diff import PROBABILITIES, diff, edits
from tests.helpers.planted import write_wood
from tests.helpers.reports import failing
from tests.oracle.small_profiles import CHEAPER, EASIER, FACTION, write_profiles

pytestmark = pytest.mark.slow

OUT_OF_RANGE = FACTION.replace('against = ["heavy"]', 'against = ["aerial"]')


@pytest.fixture
def old(tmp_path):
    return write_profiles(tmp_path / "old")


@pytest.fixture
def easier(tmp_path):
    return write_profiles(tmp_path / "new", EASIER)


def run(capsys, *arguments):
    status = main(["report", "diff", *map(str, arguments)])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def test_a_change_of_points_shows_in_every_matchup_for_points(old, tmp_path, capsys):
    cheaper = write_profiles(tmp_path / "cheaper", CHEAPER)
    found = diff(old, cheaper)
    assert found.frame.empty  # no chance depends on points
    changed = found.for_points
    assert len(changed) > 0
    before, after = (matchups("*/*", "*/*", situations="all", profiles=Profiles(each)).frame for each in (old, cheaper))
    name = "expected_points_destroyed_per_100_points"
    figures = before[name].fillna(0.0).to_numpy(), after[name].fillna(0.0).to_numpy()
    assert len(changed) == (abs(figures[1] - figures[0]) > 1e-9).sum()
    first = changed.iloc[0]
    key = ["attacker", "defender", "situation"]
    for frame, value in ((before, first["old"]), (after, first["new"])):
        assert frame.set_index(key).loc[tuple(first[key]), name] == pytest.approx(value)
    assert first["share"] == pytest.approx(first["new"] / first["old"] - 1)
    assert changed["change"].abs().round(12).is_monotonic_decreasing  # what comes after is the rounding of sums
    assert found.worst == pytest.approx(changed["share"].abs().max(), abs=1e-12)
    assert diff(old, cheaper, metric="p_annihilated").for_points.empty
    status, out, _ = run(capsys, old, cheaper, "--fail-over", 0.05)
    assert status == 0  # an ordinary new price
    assert f"{len(changed)} changed because points changed, largest change first" in out


def test_edits_go_by_ids_and_bands_and_take_lists_of_words_whole():
    unit = {"rules": ["Durable"], "rows": [{"id": "melee", "bands": [{"first": 1, "last": 4, "dice": 4}]}]}
    changed = {"rules": ["Durable", "Static"], "rows": [{"id": "melee", "bands": [{"first": 1, "last": 4, "dice": 5}]}]}
    for one, other, told in (
        (unit, changed, ["rules: Durable -> Durable, Static", "rows.melee.bands.1-4.dice: 4 -> 5"]),
        ({"rules": []}, {"rules": ["Static"]}, ["rules: none -> Static"]),
        ({"size": None}, {"size": 2}, ["size: nothing -> 2"]),
    ):
        assert [str(each) for each in edits({"u": one}, {"u": other})] == [f"u: {each}" for each in told]


def test_units_that_are_new_or_gone_are_told(old, tmp_path):
    renamed = write_profiles(tmp_path / "renamed", FACTION.replace('id = "heron"', 'id = "stork"'))
    found = diff(old, renamed)
    assert [str(each) for each in found.edits] == ["river/heron: gone", "river/stork: new"]
    assert (found.gone, found.added) == (("river/heron@basic",), ("river/stork@basic",))
    assert found.n_compared == 36


def test_a_ruleset_is_compared_too(old, tmp_path):
    other = write_profiles(tmp_path / "other", FACTION)
    ruleset = "die = { heroic = 1, strike = 3, glancing = 1, miss = 1 }\ndeck = { 1 = 3, 12 = 3 }\n"
    (other / "ruleset.toml").write_text(ruleset, encoding="utf-8")
    found = diff(old, other)
    assert {each.where for each in found.edits} == {"ruleset"}
    assert found.worst > 0.05
    everyone = {loadout.selector for loadout in Profiles(old)}
    assert {change.loadout for change in found.changes} == everyone
    assert not found.others
    renamed = write_profiles(tmp_path / "renamed", FACTION.replace('name = "', 'name = "New '))
    (renamed / "ruleset.toml").write_text(ruleset, encoding="utf-8")
    assert [change.sentence for change in diff(old, renamed).changes] == [change.sentence for change in found.changes]


def test_every_matchup_that_changed_is_there_with_its_largest_change(old, easier):
    found = diff(old, easier)
    frames = [matchups("*/*", "*/*", situations="all", profiles=Profiles(each)).frame for each in (old, easier)]
    wanted = {}
    for one, other in zip(*(frame.to_dict("records") for frame in frames)):
        changes = {name: other[name] - one[name] for name in PROBABILITIES if not math.isnan(one[name])}
        largest = max(changes.values(), key=abs, default=0)
        if abs(largest) > 1e-9:
            wanted[one["attacker"], one["defender"], one["situation"]] = largest
    shown = {(row["attacker"], row["defender"], row["situation"]): row for row in found.frame.to_dict("records")}
    assert {key: row["change"] for key, row in shown.items()} == pytest.approx(wanted)
    assert len(wanted) >= 4
    sizes = found.frame["change"].abs().round(12).tolist()
    assert sizes == sorted(sizes, reverse=True)
    assert found.worst == pytest.approx(sizes[0], abs=1e-12)
    for row in shown.values():
        assert row["change"] == pytest.approx(row["new"] - row["old"])


def test_an_attack_that_can_be_made_in_one_only_does_nothing_in_the_other(old, tmp_path):
    found = diff(old, write_profiles(tmp_path / "new", OUT_OF_RANGE)).frame
    gone = found[found["note"] == "no longer possible"]
    come = found[found["note"] == "now possible"]
    assert set(gone["defender"]) == {"river/beaver-fort@basic"}
    assert (gone["new"] == 0).all()
    assert set(come["defender"]) == {"river/heron@basic"}
    assert (come["old"] == 0).all()


@pytest.fixture
def dear(tmp_path):
    """A field in which `oak` is `ash` at a price higher by a quarter."""
    return write_wood(tmp_path / "dear", oak=75)


def test_it_leads_with_a_sentence_for_each_loadout_that_is_repriced(dear, tmp_path, capsys):
    fair = write_wood(tmp_path / "fair", oak=60)
    found = diff(dear, fair)
    (move,) = found.changes
    wanted = analyser.what_if("wood/oak@basic", points=60, profiles=dear)
    assert move.sentence == wanted.sentence
    efficiency = f"{wanted.before.efficiency:.0f} → {wanted.after.efficiency:.0f}"
    (worth,) = {f"{each.fair_points:.0f}" for each in (move.old, move.new)}  # the same unit at any price
    started = f"wood/oak@basic: 75 → 60 points; fair {worth}; efficiency {efficiency}; over-priced → {move.new.verdict}"
    out = run(capsys, dear, fair)[1]
    assert out.startswith(f"Judged against 7 loadouts (Wood 7), by long-range, short-range-aimed, charge.\n\n{started}")
    record = json.loads(run(capsys, dear, fair, "--format", "json")[1])
    assert record["summary"]["sentences"] == [move.sentence]
    (told,) = record["loadouts"]
    assert [told[name]["fair_points"] for name in ("old", "new")] == [move.old.fair_points, move.new.fair_points]
    assert (tuple(told["gained"]), tuple(told["lost"])) == move.lead_changes
    assert told["change_hands"] == len(told["gained"]) + len(told["lost"]) > 0
    assert told["reason"] == move.new.why
    assert record["rule"].startswith("Under-priced: points more than 10% below")


def test_who_is_not_edited_and_has_another_verdict_is_told_too(dear, tmp_path, capsys):
    new = write_wood(tmp_path / "new", ash=120, cedar=120, elder=180)
    found = diff(dear, new)
    edited = {"wood/ash@basic", "wood/cedar@basic", "wood/elder@basic", "wood/oak@basic"}
    assert {each.loadout for each in found.changes} == edited
    assert found.others
    for each in found.others:
        assert each.loadout not in edited
        assert each.old.verdict != each.new.verdict
        fair = " → ".join(f"{side.fair_points:.0f}" for side in (each.old, each.new))
        told = f"{each.loadout} {each.old.verdict} → {each.new.verdict} (at {each.new.points} points, fair {fair})"
        assert each.verdict_line.startswith(told)
    assert found.others[0].verdict_line in run(capsys, dear, new)[1]


def test_without_an_exchange_there_is_no_verdict_and_the_rest_is_told(dear, tmp_path, capsys):
    new = write_wood(tmp_path / "new", oak=75)
    (new / "wood.toml").write_text((new / "wood.toml").read_text().replace("defence = 2", "defence = 1"))
    found = diff(dear, new, attackers="wood/oak", defenders="wood/oak")
    assert "no two loadouts exchange losses" in found.no_verdict
    assert found.changes == ()
    assert len(found.frame) > 0
    out = run(capsys, dear, new, "--attackers", "wood/oak", "--defenders", "wood/oak")[1]
    assert out.startswith("No verdicts: no two loadouts exchange losses")


def test_duels_are_fought_only_for_what_is_edited(dear, tmp_path, fought):
    found = diff(dear, write_wood(tmp_path / "fair", oak=60))
    duels = [tuple(pair) for kind, *pair in fought if kind == "duel"]
    assert found.n_compared == 4 * 7 * 7
    assert sorted(duels) == sorted({*duels})
    assert len(duels) == 13
    assert all("wood/oak@basic" in pair for pair in duels)


def test_a_summary_in_markdown_can_be_pasted_and_has_no_markup_but_its_own(dear, tmp_path, capsys):
    new, summary = write_wood(tmp_path / "new", oak=60), tmp_path / "summary.md"
    text = (new / "wood.toml").read_text(encoding="utf-8").replace('name = "oak"', 'name = "oak `x` | <b>"')
    (new / "wood.toml").write_text(text, encoding="utf-8")
    status, out, _ = run(capsys, dear, new, "--summary", summary)
    assert status == 0
    told = summary.read_text(encoding="utf-8")
    judged = "Judged against 7 loadouts (Wood 7), by long-range, short-range-aimed, charge."
    assert told.startswith(f"### Effects of the change (exact)\n\n{judged}\n\n- **wood/oak@basic**: 75 → 60 points; ")
    assert "- `wood/oak: levels.basic.points: 75 -> 60`" in told
    assert "- ``wood/oak: name: oak -> oak `x` | <b>``" in told
    without_code = re.sub(r"(`+).*?\1", "", told)
    assert "<b>" not in without_code
    tables = [len(re.findall(r"(?<!\\)\|", line)) for line in without_code.splitlines() if line.startswith("|")]
    assert tables == [8] * 12
    assert out.startswith(f"{judged}\n\nwood/oak@basic: ")
    status, out, err = run(capsys, dear, new, "--summary", summary / "below-a-file.md")
    assert (status, out) == (2, "")
    assert err.startswith("error: ")


def test_a_new_price_fails_only_where_a_loadout_becomes_wrongly_priced(dear, tmp_path, capsys):
    assert run(capsys, dear, write_wood(tmp_path / "fair", oak=60), "--fail-over", "0.01")[0] == 0
    status, _, err = run(capsys, dear, write_wood(tmp_path / "new", oak=75, elder=180), "--fail-over", "1")
    heading, *reasons = err.splitlines()
    assert status == 1
    assert heading == "1 loadout became over-priced or under-priced:"
    assert [each.startswith("  wood/elder@basic ") and "→ over-priced" in each for each in reasons] == [True]


def a_report(profiles, out, *sides, **more):
    return write_report(*(sides or ("river/*", "river/*")), out=out, profiles=Profiles(profiles), **more)


def test_reports_say_the_same_as_the_profiles_they_were_made_from(old, easier, tmp_path):
    far = {"situations": ["long-range"]}
    of_profiles = diff(old, easier, **far)
    reports = [a_report(profiles, tmp_path / f"report-{profiles.name}", **far) for profiles in (old, easier)]
    for sides in (reports, (reports[0], easier), (old, reports[1])):
        found = diff(*sides)
        assert found.frame.equals(of_profiles.frame)
        assert (found.edits, found.n_compared) == (of_profiles.edits, of_profiles.n_compared)


def test_a_report_says_which_matchups_are_compared(old, easier, tmp_path):
    part = a_report(old, tmp_path / "r", "river/otter*@basic", "river/*", situations=["long-range"], row="ranged-heavy")
    found = diff(part, easier)
    assert found.n_compared == 7  # both ways, and of one against itself there is one
    assert set(found.frame["situation"]) <= {"long-range"}
    with pytest.raises(InputError, match="a report has its own attackers"):
        diff(part, easier, attackers="river/*")


def test_units_outside_a_report_are_neither_new_nor_gone(old, easier, tmp_path):
    part = a_report(old, tmp_path / "r", "river/otter*", "river/otter*", situations=["long-range"])
    whole = a_report(easier, tmp_path / "whole", situations=["long-range"])
    for sides in ((part, easier), (easier, part), (part, whole), (whole, part)):
        found = diff(*sides)
        assert [(each.where, each.key) for each in found.edits] == [("river/otter-guard", "defence")]
    assert diff(part, whole).added == ("river/beaver-fort@basic", "river/heron@basic")
    assert diff(part, easier).added == ()


def test_the_command_tells_both(old, easier, capsys):
    status, out, err = run(capsys, old, easier, "--limit", "2")
    assert (status, err) == (0, "")
    judged, sentences, head, *_ = out.split("\n\n")
    assert judged == "Judged against 4 loadouts (River 4), by long-range, short-range-aimed, charge."
    edited = [f"river/otter-guard@{level}" for level in ("basic", "reinforced")]
    assert [line.split(":")[0] for line in sentences.splitlines()] == edited
    assert head.startswith(f"Old: {old}, version ")
    assert "Profiles: 1 change\n  river/otter-guard: defence: 2 -> 1\n" in out
    assert "64 matchups compared, exact: " in out
    assert re.search(r"\n *change \(pp\) +old \(%\) +new \(%\) ", out)  # 20% to 45% is 25 pp: neither 25% nor 125%
    models = run(capsys, old, easier, "--metric", "mean_models_destroyed")[1]
    assert re.search(r"\n *change \(models\) +old \(models\) +new \(models\) ", models)
    assert "changed, largest change first (the first 2)" in out
    assert out.count("Assumption: die of ") == 1
    assert len(out.splitlines()) == 16
    assert "river/otter-guard@" in out.splitlines()[-1]


def test_of_equal_profiles_no_matchup_is_worked_out(old, tmp_path, monkeypatch, capsys):
    """A comment changes the version, and no unit; a report is compared figure by figure whatever its profiles say."""
    monkeypatch.setattr(diff_module, "matchups", failing(AssertionError("worked out")))
    commented = write_profiles(tmp_path / "new", f"# a comment\n{FACTION}")
    found = diff(old, commented)
    assert found.old.version != found.new.version
    assert (found.unchanged, found.n_compared, found.worst, found.edits) == (True, 64, 0, ())
    assert len(found.frame) == len(found.for_points) == 0
    assert json.loads(run(capsys, old, commented, "--format", "json")[1])["matchups"] == []
    same = "Profiles: nothing changed, so all 64 matchups are the same, and were not computed"
    assert run(capsys, old, old, "--fail-over", "0")[1].endswith(f"\n\n{same}\n")
    with pytest.raises(InputError, match="fits no loadout"):
        diff(old, commented, attackers="river/nobody*")
    with pytest.raises(AssertionError, match="worked out"):
        diff(old, write_profiles(tmp_path / "easier", EASIER))


def test_fail_over_fails_for_scripts_and_still_tells(old, easier, capsys):
    worst = diff(old, easier).worst
    status, out, err = run(capsys, old, easier, "--fail-over", worst * 0.99)
    assert status == 1
    assert "largest change first" in out
    heading, reason = err.splitlines()
    assert heading == f"1 matchup changed by more than {99 * worst:.4g} pp:"
    assert re.search(rf": P\([a-z ]+\) [\d.]+% → [\d.]+% \({re.escape(f'{100 * worst:+.2f}')} pp\)$", reason)
    assert run(capsys, old, easier, "--fail-over", worst * 1.01)[0] == 0


def test_json_and_csv_hold_all_of_it(old, easier, capsys):
    found = diff(old, easier)
    data = json.loads(run(capsys, old, easier, "--format", "json")[1])
    assert (data["worst"], data["matchups"]) == (found.worst, found.frame.to_dict("records"))
    assert data["edits"] == [{"where": "river/otter-guard", "key": "defence", "old": "2", "new": "1"}]
    csv = run(capsys, old, easier, "--format", "csv")[1].splitlines()
    assert csv[0] == "attacker,defender,situation,metric,unit,old,new,change,note,old_profiles,new_profiles"
    assert len(csv) == 1 + len(found.frame)


def test_progress_never_falls_back(old, easier, tmp_path):
    write_report("river/*", "river/otter*", out=tmp_path / "report", profiles=Profiles(old))
    renamed = write_profiles(tmp_path / "renamed", FACTION.replace('name = "', 'name = "New '))
    for sides in ((old, easier), (old, renamed), (tmp_path / "report", easier)):
        shares = []
        diff(*sides, progress=lambda done, total, shares=shares: shares.append(done / total))
        assert shares == sorted(shares)
        assert shares[-1] == 1
