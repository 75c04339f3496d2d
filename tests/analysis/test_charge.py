"""Charges as a situation of comparisons, beside the plain reading of close quarters combat (AC-8)."""

from fractions import Fraction

import pandas as pd
import pytest

from analyser.analysis.matchups import matchups
from analyser.common.metrics import LOSS_METRICS
from analyser.game.profiles import Profiles
from tests.helpers.skips import proof
from tests.oracle.plain_close_quarters import law

PAIRS = [
    ("crown/rifle-platoon@basic", "imperium/krupp-field-guns@basic"),
    ("crown/horse-guard-cavalry@basic", "imperium/krupp-field-guns@basic"),
    ("crown/black-watch-heavy-dragoons@basic", "imperium/scion-grenadier-platoon@basic"),
    ("imperium/totenkopf-jaeger-cavalry@basic", "crown/rifle-platoon@basic"),
    ("crown/galahad-breachers@basic", "imperium/sturmpanzer-battletanks@basic"),
]
FACTS = ("type", "category", "defence", "damage_limit", "discipline", "break_limit")


def plainly(loadout):
    """A loadout as the plain reading has it."""
    unit = loadout.unit
    rows = [
        {"kind": row.kind, "bands": [band.model_dump() for band in row.bands], "qualities": list(row.qualities)}
        for row in unit.rows
        if row.kind != "ranged"
    ]
    stated = {"models": loadout.level.models, "rules": list(unit.rules), "rows": rows, "from_front": True}
    return stated | {name: getattr(unit, name) for name in FACTS if getattr(unit, name) is not None}


def share_of(unit, loadout):
    """All of a unit that is gone, else what damage has taken of it."""
    limit, models = loadout.unit.damage_limit, loadout.level.models
    return Fraction(1) if unit.fate else Fraction((models - unit.models) * limit + unit.damage, models * limit)


def chances_of(attacker, defender):
    """By the plain reading: the chances of each fate, the models destroyed while the unit stands, what both lose."""
    found = dict.fromkeys(
        ("p_annihilated", "p_broken", "p_fled", "p_suppressed", "lost_standing", *LOSS_METRICS), Fraction(0)
    )
    for outcome, chance in law({"active": plainly(attacker), "target": plainly(defender)}).items():
        unit = outcome.target
        found["mean_share_lost"] += chance * share_of(unit, defender)
        found["attacker_share_lost"] += chance * share_of(outcome.active, attacker)
        found["p_annihilated"] += chance if unit.fate else 0
        found["p_broken"] += chance if unit.fate == "broken" else 0
        found["p_fled"] += chance if unit.fate == "fled" else 0
        found["p_suppressed"] += chance if unit.suppressed and not unit.fate else 0
        found["lost_standing"] += 0 if unit.fate else chance * (defender.level.models - unit.models)
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("attacker", "defender"), [*PAIRS[:2], *proof(*PAIRS[2:])])
def test_figures_are_those_of_the_plain_reading(attacker, defender):
    library = Profiles()
    row = matchups(attacker, defender, situations=["charge"], profiles=library).frame.iloc[0]
    plain = chances_of(library.loadout(attacker), library.loadout(defender))
    for name in ("p_annihilated", "p_broken", "p_fled", "p_suppressed", *LOSS_METRICS):
        assert row[name] == pytest.approx(float(plain[name]), abs=1e-12), name
    assert row["p_annihilated"] + row["p_suppressed"] > 0
    models = row["defender_models"]
    assert row["mean_models_destroyed"] >= float(plain["lost_standing"]) - 1e-12
    assert row["mean_models_destroyed"] <= float(plain["lost_standing"] + plain["p_annihilated"] * models) + 1e-12
    assert 0 <= row["p_half_destroyed"] <= row["p_any_destroyed"] <= 1
    assert row["models_destroyed_10th_percentile"] <= row["mean_models_destroyed"]


@pytest.mark.parametrize("units", [1, pytest.param(2, marks=pytest.mark.proof)])
def test_levels_that_charge_side_by_side_do_what_each_does_alone(units):
    """What does not depend on the numbers of models is worked out once for all levels of a unit."""
    attackers = ("imperium/sturmpanzer-battletanks", "crown/horse-guard-cavalry")[:units]
    defenders = ("imperium/scion-grenadier-platoon", "imperium/sturmpanzer-battletanks")[:units]
    found = matchups([f"{each}@*" for each in attackers], [f"{each}@*" for each in defenders], situations="charge")
    together = found.frame.set_index(["attacker", "defender"], drop=False)
    for attacker in found.attackers:
        for defender in found.defenders:
            alone = matchups(attacker, defender, situations="charge").frame
            pair = together.loc[[(attacker.selector, defender.selector)]]
            pd.testing.assert_frame_equal(pair.reset_index(drop=True), alone, check_exact=True)


def test_a_target_without_dice_for_its_models_says_so():
    """AC-2.4: such a target would not strike back."""
    grenadiers = Profiles()["imperium/scion-grenadier-platoon@full-strength"]
    targets = [grenadiers, grenadiers.with_(models=20)]
    frame = matchups("crown/rifle-platoon@basic", targets, situations="charge").frame
    assert frame["attacker_share_lost"].isna().tolist() == [False, True]
    assert frame["why_not"][1] == "melee: the target's row 'melee' has no attack dice for 20"
