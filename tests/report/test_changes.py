"""What changed from one version to the next, in words: edits, who is worth a line, who changes hands."""

import pytest

from analyser.analysis.standing import Hands, Standing
from analyser.game.profiles import Profiles
from analyser.report.changes import changes_of
from analyser.report.edits import Edit, concerns, in_words
from analyser.report.moves import SMALL, Move, Moves

UNIT = {
    "name": "Dragoons",
    "traits": [],
    "rows": [{"id": "ranged-heavy", "name": "Ranged (Heavy)"}],
}
WHO = "crown/rifle-platoon"


def standing(points=60, fair=70.0, verdict="fair", **more):
    facts = dict.fromkeys(Standing._fields, 0.0) | {"lean": "", "doubt": "", "why": "", "role": "infantry"}
    known = {"fair_low": fair * 0.9, "fair_high": fair * 1.1, "efficiency": 40.0}
    return Standing(**facts | known | {"points": points, "fair_points": fair, "verdict": verdict} | more)


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (("levels.basic.points", "80", "75"), "basic: points 80 → 75"),
        (("rows.ranged-heavy.bands.9-12.dice", "11", "13"), "Ranged (Heavy): dice of 9–12 models 11 → 13"),
        (("rows.ranged-heavy.bands.1-1.dice", "11", "13"), "Ranged (Heavy): dice of 1 model 11 → 13"),
        (("rows.gone.qualities", "none", "Arc"), "gone: qualities none → Arc"),
        (("damage_limit", "2", "3"), "DAMAGE LIMIT 2 → 3"),
        (("rules", "Durable", "Durable, Static"), "rules Durable → Durable, Static"),
        (("speed", None, "6"), "SPEED none → 6"),
        (("", None, "there"), "new"),
        (("", "there", None), "gone"),
    ],
)
def test_edits_are_told_in_words(edit, told):
    assert in_words(Edit("crown/dragoons", *edit), UNIT) == told


def test_bands_of_a_behemoth_are_by_damage():
    edit = Edit("crown/landship", "rows.ranged-heavy.bands.5-8.dice", "11", "13")
    assert in_words(edit, UNIT | {"traits": ["behemoth"]}) == "Ranged (Heavy): dice of 5–8 damage 11 → 13"


def test_an_edit_concerns_a_loadout_unless_it_is_of_another_level_or_of_more_models():
    points, dice, rule = (
        Edit(WHO, key, "1", "2") for key in ("levels.basic.points", "rows.melee.bands.5-8.dice", "rules")
    )
    assert [concerns(points, level, 4) for level in ("basic", "reinforced")] == [True, False]
    assert [concerns(dice, "basic", models) for models in (4, 5, 12)] == [False, True, True]
    assert concerns(rule, "basic", 4)


def moves(*written, others=()):
    return Moves(tuple(written), tuple(others))


def told(found, *edits):
    library = Profiles()
    units = {WHO: library[f"{WHO}@basic"].unit.record()}
    loadouts = {each.selector: each for each in library.matching(f"{WHO}@*")}
    return changes_of(found, edits, units, loadouts)


def test_a_line_has_points_fair_points_verdict_with_its_reason_and_who_changes_hands():
    new = standing(75, 72.0, "undecided", doubt="anything may be fair", efficiency=32.0)
    hands = Hands(("imperium/krupp-field-guns@basic",), ("imperium/scion-grenadier-platoon@basic",))
    edit = Edit(WHO, "levels.reinforced.points", "60", "75")
    margins = {hands.gained[0]: (-0.204, 0.1), hands.lost[0]: (0.5, -0.301)}
    found = told(moves(Move(f"{WHO}@reinforced", standing(), new, hands, margins)), edit)
    (line,) = found.shown
    assert (line.points, line.fair, line.range) == ("60 → 75", "70 → 72", "65–79")
    assert (line.verdict, line.why, line.efficiency) == ("fair → undecided", "anything may be fair", "40 → 32")
    assert (line.won, line.lost) == hands
    assert list(line.margins.values()) == ["20% behind → 10% ahead", "50% ahead → 30% behind"]
    assert (found.units, found.loadouts) == (1, 1)
    assert line.edits == []  # its points, which have a column
    assert [(each.unit, each.edits) for each in found.edited] == [(WHO, ["reinforced: points 60 → 75"])]
    assert (found.verdicts, found.hands) == (1, 2)


def test_what_hardly_moved_is_folded_and_the_threshold_is_that_of_its_worth():
    still, slightly = standing(), standing(fair=70 * (1 + SMALL / 2))
    farther, other = standing(fair=70 * (1 + 2 * SMALL)), standing(verdict="over-priced")
    names = [f"{WHO}@{level}" for level in ("basic", "reinforced", "full-strength")]
    found = told(moves(*(Move(name, still, new, Hands()) for name, new in zip(names, (slightly, farther, other)))))
    assert found.small == names[:1]
    assert [each.loadout for each in found.shown] == names[1:]
    taken = Move(names[0], still, slightly, Hands(("imperium/krupp-field-guns@basic",), ()))
    assert told(moves(taken)).small == []


def test_a_verdict_that_turns_while_the_worth_hardly_moves_stands_at_the_edge():
    names = [f"{WHO}@{level}" for level in ("basic", "reinforced", "full-strength")]
    near, far = standing(fair=70 * (1 + SMALL / 2), verdict="under-priced"), standing(fair=90, verdict="under-priced")
    unpriced = standing(fair=float("nan"), verdict="undecided", doubt="nobody of its role")
    others = [Move(name, standing(), new, Hands()) for name, new in zip(names, (near, far, unpriced))]
    found = told(moves(others=others))
    assert [each.loadout for each in found.edge] == names[:1]
    assert [each.loadout for each in found.others] == names[1:]


def test_edits_that_reach_only_larger_levels_are_no_reason_of_a_small_one():
    dice = Edit(WHO, "rows.ranged-light.bands.9-12.dice", "11", "13")
    both = [Move(f"{WHO}@{level}", standing(), standing(fair=80.0), Hands()) for level in ("basic", "full-strength")]
    small, large = told(moves(*both), dice).shown
    assert small.edits == []
    assert large.edits == ["Ranged (Light): dice of 9–12 models 11 → 13"]


def test_a_matchup_that_changes_hands_between_two_that_are_shown_counts_once():
    one, two = f"{WHO}@basic", f"{WHO}@reinforced"
    pair = (
        Move(one, standing(), standing(70), Hands((two,), ())),
        Move(two, standing(), standing(50), Hands((), (one,))),
    )
    assert told(moves(*pair)).hands == 1
