"""Cells of a part against the questions that they are: one by one, by the public functions."""

from io import BytesIO

import numpy as np
import pandas as pd
import pytest

import analyser
from analyser.sweep import tables
from analyser.sweep.plan import read_plan
from analyser.sweep.tables import part_content, slices_of

FIGURES = ["mean_models_destroyed", "p_annihilated", "p_suppressed", "p_broken", "mean_damage"]


def frame_of(plan, numbers=None):
    parts = []
    for number in range(plan.n_parts) if numbers is None else numbers:
        content = part_content(plan, number)
        assert content == part_content(plan, number)
        folder = dict(each.split("=") for each in plan.folder(number).split("/"))
        parts.append(pd.read_parquet(BytesIO(content)).assign(**folder))
    return pd.concat(parts, ignore_index=True)


def check(found, summary):
    for name in ("mean_models_destroyed", "p_annihilated", "p_suppressed", "p_broken"):
        assert found[name] == pytest.approx(summary[name], abs=1e-12), name


@pytest.fixture(scope="module")
def attacks():
    ours = {"units": ["crown/*", "imperium/krupp*"], "dice": "-2..2", "levels": ["basic", "reinforced"]}
    theirs = {"units": ["imperium/*", "crown/rifle-p*"], "defence": "1..6", "discipline": "by -3..2"}
    asked = {"figures": FIGURES, "situations": ["long-range", "short-range-aimed"], "part_cells": 700}
    plan = read_plan(asked | {"attackers": ours, "defenders": theirs | {"models": [1, 4, 9]}})
    numbers = np.random.default_rng(3).choice(plan.n_parts, 12, replace=False)
    return frame_of(plan, numbers.tolist())


def asked(cell):
    """The attack of a cell, between profiles that say its numbers."""
    library = analyser.load_profiles()
    attacker = library[cell["attacker"]].with_(dice=f"{cell['attacker_dice_by']:+d}")
    changes = {"defence": int(cell["defender_defence"]), "models": int(cell["defender_models"])}
    target = library[cell["defender"]].with_(**changes, discipline=f"{cell['defender_discipline_by']:+d}")
    near = {"aiming": True} if cell["situation"] == "short-range-aimed" else {}
    row = attacker.unit.row(cell["row"])
    if near and row.short_range is not None and not row.has("Indirect"):
        near["short_range"] = True
    return analyser.attack(attacker, {"unit": target, "from_front": True}, row=cell["row"], **near)


@pytest.mark.parametrize("seed", range(2))
def test_a_cell_of_an_attack_is_that_attack(attacks, seed):
    able = attacks[attacks["why_not"].isna()]
    for _, cell in able.sample(12, random_state=seed).iterrows():
        check(cell, asked(cell).summary)


def test_a_cell_without_figures_says_why(attacks):
    unable = attacks[attacks["why_not"].notna()]
    assert len(unable)
    assert unable[FIGURES].isna().all(axis=None)
    assert unable["row"].isna().all()
    assert attacks[attacks["why_not"].isna()][FIGURES].notna().all(axis=None)


@pytest.mark.parametrize(
    ("number", "values"),
    [("models", "by -7..-6"), ("models", "by -7..0"), ("damage_limit", "0..2"), ("defence", "0..1")],
)
def test_an_impossible_defender_is_never_fought(number, values):
    defenders = {"units": "imperium/scion-grenadier-platoon@basic", number: values}
    sides = {"attackers": {"units": "crown/rifle-platoon@basic"}, "defenders": defenders}
    cells = frame_of(read_plan({"figures": FIGURES, "situations": ["long-range"], **sides}))
    unable = cells["why_not"].str.contains(f"{number}: ", na=False)
    assert cells.iloc[0]["why_not"].startswith(f"{defenders['units']}: {number}")
    assert (cells[FIGURES].isna().any(axis=1) == unable).all()
    for _, cell in cells[~unable].iterrows():
        change = f"{cell['defender_models_by']:+d}" if number == "models" else int(cell[f"defender_{number}"])
        target = analyser.load_profiles()[cell["defender"]].with_(**{number: change})
        check(cell, analyser.attack(cell["attacker"], {"unit": target, "from_front": True}).summary)


@pytest.mark.parametrize("situations", [["long-range", "short-range-aimed"], ["charge"]])
def test_without_numbers_a_sweep_is_a_table_of_matchups(situations):
    units = "crown/r*", ["imperium/krupp*", "imperium/scion-g*", "crown/d*"]
    both = ["attacker_share_lost"] if situations == ["charge"] else []
    figures = [*FIGURES, *both, "models_destroyed_90th_percentile"]
    sides = {f"{side}s": {"units": each} for side, each in zip(("attacker", "defender"), units)}
    plan = read_plan({"figures": figures, "situations": situations, **sides})
    keys = ["attacker", "defender", "situation"]
    found, table = (
        frame.astype(dict.fromkeys(keys, str)).set_index(keys).sort_index()
        for frame in (frame_of(plan), analyser.matchups(*units, situations=situations).frame)
    )
    for name in figures:
        assert found[name].to_numpy() == pytest.approx(table[name].to_numpy(float), nan_ok=True, rel=0, abs=0), name
    for name in ("row", "why_not"):
        assert found[name].astype(object).fillna("").tolist() == table[name].astype(object).fillna("").tolist()


def test_rulesets_are_an_axis():
    sides = {"attackers": {"units": "crown/rifle-platoon@basic"}, "defenders": {"units": "krupp@basic"}}
    generous = {"name": "generous", "die": {"heroic": 1, "strike": 5}}
    frame = frame_of(read_plan({**sides, "ruleset": [{"name": "as-printed"}, generous]})).set_index("ruleset")
    means = frame["mean_models_destroyed"]
    alone = analyser.attack("crown/rifle-platoon@basic", "krupp@basic").mean("models_destroyed")
    assert means["as-printed"] == pytest.approx(alone, abs=1e-12)
    assert means["generous"] > means["as-printed"]


@pytest.mark.parametrize("size", [1, 7, 60, 1000])
def test_slices_have_the_cells_of_the_part_in_order(size, monkeypatch):
    monkeypatch.setattr(tables, "SLICE_CELLS", size)
    sides = {"attackers": {"units": "crown/rifle-p*"}, "defenders": {"units": "imperium/krupp*", "defence": "1..9"}}
    plan = read_plan({**sides, "part_cells": 50})
    for number in range(plan.n_parts):
        block = plan.block(number)
        cells = [(row, column) for piece in slices_of(block) for row in piece.rows for column in piece.columns]
        assert cells == [(row, column) for row in block.rows for column in block.columns]
