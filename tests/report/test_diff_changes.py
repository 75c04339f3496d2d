"""Changes from one version to the next, in words: edits, moves of loadouts, matchups that change hands."""

import re

import pytest

from analyser.analysis.standing import LeadChanges, Standing
from analyser.report.diff_changes import SMALL, Edit, StandingChange, StandingChanges, affects, edit_in_words

UNIT = {"name": "Dragoons", "traits": [], "rows": [{"id": "ranged-heavy", "name": "Ranged (Heavy)"}]}
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
    assert edit_in_words(Edit("crown/dragoons", *edit), UNIT) == told
    by_damage = re.sub("models?", "damage", told)
    assert edit_in_words(Edit("crown/dragoons", *edit), UNIT | {"traits": ["behemoth"]}) == by_damage


def test_an_edit_concerns_a_loadout_unless_it_is_of_another_level_or_of_more_models():
    keys = ("levels.basic.points", "rows.melee.bands.5-8.dice", "rules")
    points, dice, rule = (Edit(WHO, key, "1", "2") for key in keys)
    assert [affects(points, level, 4) for level in ("basic", "reinforced")] == [True, False]
    assert [affects(dice, "basic", models) for models in (4, 5, 12)] == [False, True, True]
    assert affects(rule, "basic", 4)


def test_a_move_has_points_fair_points_verdict_and_margins_in_words():
    new = standing(75, 72.0, "undecided", doubt="anything may be fair", efficiency=32.0)
    hands = LeadChanges(("imperium/krupp-field-guns@basic",), ("imperium/scion-grenadier-platoon@basic",))
    margins = {hands.gained[0]: (-0.204, 0.1), hands.lost[0]: (0.5, -0.301)}
    move = StandingChange(f"{WHO}@reinforced", standing(), new, hands, margins)
    words = {"points": "60 → 75", "fair": "70 → 72 (65–79)", "verdict": "fair → undecided", "efficiency": "40 → 32"}
    assert move.figures_in_words == words
    assert [move.margin(each) for each in margins] == ["20% behind → 10% ahead", "50% ahead → 30% behind"]
    assert move.n_lead_changes == 2
    assert StandingChange(WHO, standing(), standing(), LeadChanges()).figures_in_words["points"] == "60"


def test_a_loadout_that_hardly_moved_is_folded_by_its_worth():
    still, slightly = standing(), standing(fair=70 * (1 + SMALL / 2))
    farther, other = standing(fair=70 * (1 + 2 * SMALL)), standing(verdict="over-priced")
    written = [StandingChange(WHO, still, new, LeadChanges()) for new in (slightly, farther, other)]
    assert [each.is_small for each in written] == [True, False, False]
    assert StandingChanges(tuple(written)).notable == written[1:]
    assert not StandingChange(WHO, still, slightly, LeadChanges(("imperium/krupp-field-guns@basic",), ())).is_small


def test_a_verdict_that_turns_while_the_worth_hardly_moves_is_at_the_edge():
    near, far = standing(fair=70 * (1 + SMALL / 2), verdict="under-priced"), standing(fair=90, verdict="under-priced")
    unpriced = standing(fair=float("nan"), verdict="undecided", doubt="nobody of its role")
    changes = [StandingChange(WHO, standing(), new, LeadChanges()) for new in (near, far, unpriced)]
    assert [change.is_at_edge for change in changes] == [True, False, False]


def test_a_matchup_that_changes_hands_between_two_that_are_shown_counts_once():
    one, two = f"{WHO}@basic", f"{WHO}@reinforced"
    gained, lost = LeadChanges((two,), ()), LeadChanges((), (one,))
    both = ((one, 70, gained), (two, 50, lost))
    changes = tuple(StandingChange(name, standing(), standing(points), leads) for name, points, leads in both)
    assert StandingChanges(changes).n_lead_changes == 1
