"""Plans: read, refused, frozen, and cut into parts that have every cell once."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyser.common.errors import InputError
from analyser.sweep.plan import Plan, plan_diff, read_plan
from analyser.sweep.running import parts_of_job

SMALL = {
    "situations": ["long-range", "charge"],
    "attackers": {"units": ["crown/rifle-p*"], "dice": "-1..1"},
    "defenders": {
        "units": ["imperium/krupp*", "imperium/scion-grenadier-p*"],
        "defence": "1..4",
        "discipline": "by -1..1",
    },
}


def plan_of(**changes):
    return read_plan(SMALL | changes)


@pytest.mark.parametrize("several", [np.array([4, 6]), range(4, 7, 2), iter([4, 6]), pd.Series([4, 6])])
def test_values_of_any_kind_are_frozen_as_a_file_would_hold_them(several):
    assert plan_of(distances=several).digest == plan_of(distances=[4, 6]).digest


@pytest.mark.parametrize("several", [10**400, [10**400], range(10**9), np.zeros((2, 2)), object(), {"a": 1}])
def test_values_that_no_file_can_hold_are_refused(several):
    with pytest.raises(InputError, match=r"distances|63 bits"):
        plan_of(distances=several)


@pytest.mark.parametrize("policies", [["tactic", "best"], ["best", "tactic"]])
def test_policies_count_in_duels_alone_in_any_order(policies):
    names = [each.name for each in plan_of(situations=["long-range", "duel"], policies=policies).situations]
    assert (len(names), names.count("long-range")) == (3, 1)


@settings(deadline=None)
@given(st.integers(1, 400))
def test_parts_have_every_cell_once(size):
    plan = plan_of(part_cells=size)
    seen = set()
    for number in range(plan.n_parts):
        block = plan.block(number)
        assert block.n_cells <= size
        where = block.ruleset, block.situation.name, block.faction
        cells = {(*where, row, column) for row in block.rows for column in block.columns}
        assert not cells & seen
        seen |= cells
    assert len(seen) == plan.n_cells


def test_axes_are_never_written_out():
    """10^14 cells, at once: whatever part is asked for, it is found by division."""
    numbers = dict.fromkeys(("defence", "damage_limit", "discipline", "break_limit"), "1..99")
    plan = read_plan({"attackers": {"units": "*/*", "dice": "-5..5"}, "defenders": {"units": "*/*", **numbers}})
    assert plan.n_cells == 274 * 11 * 274 * 99**4
    last = plan.block(plan.n_parts - 1)
    assert last.columns.stop == 274 * 99**4
    assert plan.block(plan.n_parts // 2).situation.kind == "ranged"


def test_digest_is_of_what_counts():
    plan = plan_of()
    assert plan_of().digest == plan.digest
    assert Plan({**plan.content, "profiles": "others"}).digest == plan.digest  # of which these units are the same
    for change in ({"situations": ["charge"]}, {"figures": ["p_broken"]}, {"single": True}, {"part_cells": 3}):
        assert plan_of(**change).digest != plan.digest


def test_a_changed_profile_is_another_plan():
    content = plan_of().content
    unit = content["units"]["crown/rifle-platoon"]
    assert (unit["name"], unit["defence"]) == ("Rifle platoon", 2)
    units = content["units"] | {"crown/rifle-platoon": unit | {"defence": 3}}
    assert plan_diff(content, content | {"units": units}) == ["units.crown/rifle-platoon.defence: 2 -> 3"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"situations": ["long-rang"]}, "no 'long-rang'; did you mean 'long-range'"),
        ({"figures": ["p_anihilated"]}, "did you mean 'p_annihilated'"),
        ({"figures": ["p_anihilated"]}, "10 more: docs/keys.md"),
        ({"policies": ["lookout"]}, "policies: no 'lookout'"),
        ({"situations": ["charge"], "policies": ["tactic", "best"]}, "best play has nothing to choose in charge"),
        ({"attackers": {}}, "units: this key is missing"),
        ({"defenders": {"units": "imperium/krupp*", "defense": 1}}, "unknown key; did you mean 'defence'"),
        ({"defenders": {"units": "imperium/krupp*", "defence": "a..b"}}, "is not a value or a range"),
        ({"defenders": {"units": "imperium/krupp*", "defence": [None]}}, "None is not usable"),
        ({"defenders": {"units": "imperium/krupp*", "defence": "1..20000"}}, "20,000 values"),
        (
            {"situations": ["long-range"], "attackers": {"units": "*/*", "defence": "1..2"}},
            "no figure of a ranged attack",
        ),
        ({"ruleset": [{"name": "a"}, {"name": "a"}]}, "two rulesets are called 'a'"),
        ({"situations": ["short-range-aimed"], "distances": "4..6"}, "a distance decides"),
        ({"figures": ["p_broken", "p_broken"]}, "figures: 'p_broken' twice"),
        ({"situations": ["charge"], "figures": ["p_draw"]}, "no situation of this sweep has p_draw .*a duel"),
        ({"situations": ["charge"], "distances": [4, 8]}, "no situation of this sweep has a distance"),
    ],
)
def test_what_cannot_be_used_is_refused(changes, message):
    with pytest.raises(InputError, match=message):
        read_plan(SMALL | changes)


@pytest.mark.parametrize("part", ["0/4", "5/4", "1", "a/b", "1/0", "", None, "1/2/3"])
def test_a_part_that_is_none_is_refused(part):
    with pytest.raises(InputError, match="such as 17/400"):
        parts_of_job(part, 10)


@given(st.integers(1, 50), st.integers(1, 200))
def test_jobs_share_out_all_parts(jobs, parts):
    shares = [parts_of_job(f"{number}/{jobs}", parts) for number in range(1, jobs + 1)]
    assert sorted(each for share in shares for each in share) == list(range(parts))
