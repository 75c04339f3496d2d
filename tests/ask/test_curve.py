"""Curves: point by point what single answers say, the best of each stretch, maps, fronts, and values cut off."""

import numpy as np
import pytest

import analyser as an
from analyser.ask.keys import key_of

RIFLES = ["crown/sharp-rifles@basic", "crown/rifle-platoon@basic"]
CHEAPEST = tuple(RIFLES[::-1])
KRUPP, GRENADIERS = "imperium/krupp-field-guns@basic", "imperium/scion-grenadier-platoon@basic"
CLOSE = {"distance": 6, "metric": "p_broken"}
BATTLE = {
    "battle": {"rounds": 2, "tactic_mine": "policies", "tactic_yours": "policies"},
    "mine": ["2 x crown/rifle-platoon@basic"],
    "yours": ["2 x imperium/scion-grenadier-platoon@basic"],
}
FEW = {"units": BATTLE, "target": None, "method": "monte-carlo", "trials": 10}


def single(unit, target=KRUPP, **conditions):
    return an.attack(unit, target, **conditions)


def test_each_point_is_a_single_attack():
    found = an.curve(RIFLES, GRENADIERS, over="dice=1..12", metric="p_broken", aiming=True, distance=6)
    assert len(found.frame) == 24
    for row in found.frame.itertuples():
        one = single(row.line, GRENADIERS, dice=row.dice, aiming=True, distance=6)
        assert row.p_broken == pytest.approx(float(one.probability("broken")), abs=1e-15)


def test_stretches_hold_at_every_distance():
    """The best of each stretch against attacks at hundredths of inches about every crossing, one by one."""
    found = an.curve(RIFLES, KRUPP, over="distance=1..32")
    assert found.holds_between
    assert found.sentences()[0] == f'up to 7": {" = ".join(CHEAPEST)} (all equal)'
    near = {each.last + step for each in found.ranges for step in (-0.01, 0, 0.01)}
    for inch in sorted({0.5, 31.99, *near} - {32.01}):
        values = {}
        for unit in RIFLES:
            try:
                values[unit] = single(unit, distance=round(inch, 2)).mean("models_destroyed")
            except an.InputError:
                continue
        most = max(values.values())
        best = tuple(unit for unit in CHEAPEST if unit in values and values[unit] >= most - 1e-9)
        before = [each for each in found.ranges if each.before is None or each.before < inch]
        assert before[-1].names == best, inch


def test_a_mark_that_is_no_whole_inch_is_among_the_values():
    library = an.load_profiles()
    unit = library[RIFLES[1]]
    rows = tuple(row.model_copy(update={"short_range": 6.5}) if row.short_range else row for row in unit.unit.rows)
    odd = unit.model_copy(update={"unit": unit.unit.model_copy(update={"rows": rows})})
    found = an.curve(odd, KRUPP, over="distance=1..10")
    assert 6.5 in found.values[0]
    assert [each.last for each in found.ranges] == [10]
    steps = found.frame.set_index("distance")["mean_models_destroyed"]
    assert steps[6] == steps[6.5] > steps[7]
    listed = an.curve(odd, KRUPP, over="distance=6,7")
    assert not listed.holds_between
    assert "listed distances only" in str(listed)


def test_what_is_not_legal_is_cut_and_told():
    found = an.curve(RIFLES[0], KRUPP, over="dice=-3..205:2")
    assert found.values[0] == tuple(range(1, 201, 2))
    assert [each.split(" (")[0] for each in found.left_out] == ["dice -3 to -1", "dice 201 to 205"]
    assert "1 to 200" in found.left_out[0]
    assert "Left out: dice -3 to -1" in str(found)
    far = an.curve(RIFLES, KRUPP, over="distance=10..40")
    assert far.values[0][-1] == 32
    blank = far.frame[(far.frame["line"] == RIFLES[1]) & (far.frame["distance"] == 20)]
    assert np.isnan(blank["mean_models_destroyed"].iloc[0])
    assert "long range is 14" in blank["why_not"].iloc[0]


@pytest.mark.parametrize(
    ("over", "values", "asked"),
    [
        ("distance", tuple(range(1, 33)), {}),
        ("level", ("basic", "reinforced", "full-strength"), {}),
        ("aiming", (False, True), {}),
        ("rating", ("weakened", "neutral", "improved"), CLOSE),
        ("target.suppressed", (False, True), CLOSE),
    ],
)
def test_usual_values(over, values, asked):
    assert an.curve(RIFLES[0], KRUPP, over=over, **asked).values == (values,)


def test_what_is_out_of_range_is_told_once_and_in_words():
    text = " ".join(str(an.curve("crown/rifle-platoon@basic", GRENADIERS, over="distance=4..30")).split())
    assert (
        "Left out: distance 15 to 30 (crown/rifle-platoon@basic: no row can make this attack (ranged-light: its long"
        in text
    )


def test_lists_of_bonuses_penalties_and_qualities():
    near = {"distance": 12, "metric": "mean_models_destroyed"}
    assert an.curve(RIFLES[1], KRUPP, over="distance=1..14").fights == 2  # at short range and beyond it
    every = an.curve(RIFLES[1], GRENADIERS, over="bonuses", **near)
    assert every.values == (("none", "aiming", "ammo_supply"),)
    assert "short_range (" in every.left_out[0]
    aimed = single(RIFLES[1], GRENADIERS, distance=12, bonuses=["aiming"]).mean("models_destroyed")
    assert every.frame["mean_models_destroyed"][1] == pytest.approx(aimed, abs=1e-15)
    two = an.curve(RIFLES[1], GRENADIERS, over="qualities=none,Arc+Devastating", **near)
    for asked, row in zip(([], ["Arc", "Devastating"]), two.frame.itertuples()):
        found = single(RIFLES[1], GRENADIERS, distance=12, qualities=asked).mean("models_destroyed")
        assert row.mean_models_destroyed == pytest.approx(found, abs=1e-15)
    assert an.curve(RIFLES[1], GRENADIERS, over="penalties=concealed+suppressed", **near).values[0]


def test_levels_names_points_and_rows():
    found = an.curve(RIFLES[0], KRUPP, over="level", metric="mean_models_destroyed_per_100_points")
    library = an.load_profiles()
    for level, value in zip(found.values[0], found.frame["mean_models_destroyed_per_100_points"]):
        selector = f"crown/sharp-rifles@{level}"
        wanted = single(selector).mean("models_destroyed") * 100 / library[selector].level.points
        assert value == pytest.approx(wanted, abs=1e-12)
    basic, reinforced = (library[f"crown/sharp-rifles@{level}"].level.points for level in ("basic", "reinforced"))
    assert f"Points of crown/sharp-rifles: {basic} basic, {reinforced} reinforced" in " ".join(str(found).split())
    prices = an.curve(RIFLES[0], KRUPP, over="points=50,100", metric="mean_models_destroyed_per_100_points").frame
    cheap, dear = prices["mean_models_destroyed_per_100_points"]
    assert cheap == pytest.approx(2 * dear)


def test_keys_of_the_other_kinds():
    charges = an.curve(RIFLES, GRENADIERS, kind="charge", over="outflanking")
    alone = [an.charge(unit, GRENADIERS, outflanking=each) for unit in RIFLES for each in (False, True)]
    assert charges.frame["p_attacker_wins"].tolist() == [float(each.probability("attacker_wins")) for each in alone]
    duels = an.curve(RIFLES[0], GRENADIERS, kind="duel", over="b.models=2,4", rounds=2, metric="mean_margin@1")
    alone = [an.duel(RIFLES[0], {"unit": GRENADIERS, "models": each}, rounds=2) for each in (2, 4)]
    assert duels.frame["mean_margin@1"].tolist() == [each.mean("margin", 1) for each in alone]
    for key in ("models=1..2", "suppressed"):
        with pytest.raises(an.InputError, match="both sides have the key"):
            an.curve(RIFLES[0], GRENADIERS, kind="duel", over=key)
    for kind in ("attack", "focus", "charge"):
        assert key_of("suppressed", kind).paths == (("target", "suppressed"),)


def test_whole_questions_of_other_kinds():
    focus = {"attacks": [{"attacker": each, "distance": 6} for each in RIFLES], "target": {"unit": KRUPP}}
    found = an.curve(focus, over="distance=6,13", metric="p_broken")
    assert found.lines == ("question 1",)
    for inch, value in zip((6, 13), found.frame["p_broken"]):
        fought = an.focus([{"attacker": each, "distance": inch} for each in RIFLES], KRUPP)
        assert value == float(fought.probability("broken"))
    brave = [{"courage": courage, "tokens": 2} for courage in (1, 2)]
    panic = an.curve(brave, over="tokens=2..4", metric="p_panicked@1").frame["p_panicked@1"]
    assert panic.iloc[0] == float(an.morale.exact("legion", brave[0]).probability("panicked", 1))


def test_warnings_of_all_values_are_passed_on():
    over = an.curve(RIFLES[1], KRUPP, over="attacker_models=4..8", distance=6)
    problem = "attack.attacker_models is {}, more than the 6 models of crown/rifle-platoon@basic (1 of 5 questions)"
    assert over.as_dict()["warnings"] == [problem.format(models) for models in (7, 8)]
    assert f"Warning: {problem.format(7)}" in str(over)
    in_cover = an.curve(RIFLES[1], {"unit": GRENADIERS, "taking_cover": True}, over="distance=1..14")
    assert in_cover.warnings == ("target.taking_cover has no effect, because the target is not concealed (AC-4.3)",)
    many = an.curve(RIFLES[1], KRUPP, over="attacker_models=7..14", distance=6)
    assert "3 more warnings: --format json lists all." in str(many)


def test_a_map_and_what_a_step_is_worth():
    found = an.curve(RIFLES[0], KRUPP, over=["dice=4..7", "DEFENCE=1..3"], distance=6)
    assert found.keys == ("dice", "defence")
    grid = {(row.dice, row.defence): row.mean_models_destroyed for row in found.frame.itertuples()}
    trade_off = found.trade_off().set_index(["dice", "defence"])
    assert trade_off.loc[(5, 2), "step_dice"] == grid[6, 2] - grid[5, 2]
    assert trade_off.loc[(5, 2), "worth"] == pytest.approx((grid[6, 2] - grid[5, 2]) / (grid[5, 2] - grid[5, 3]))
    assert np.isnan(trade_off.loc[(7, 3), "worth"])
    assert found.sentences()[-1].startswith(f"{RIFLES[0]}: one step of dice makes up for ")
    assert an.curve(RIFLES, KRUPP, over=["dice=4..5", "DEFENCE=1..2"]).best["best"].tolist() == [CHEAPEST] * 4


def test_two_figures_make_a_front():
    found = an.curve(RIFLES, KRUPP, over="dice=2..12", metric=["mean_models_destroyed", "p_broken"])
    figures = found.frame[["mean_models_destroyed", "p_broken"]].to_numpy()
    slow = [not any((other >= one).all() and (other > one + 1e-9).any() for other in figures) for one in figures]
    assert len(found.front()) == sum(slow)
    assert set(found.front()["mean_models_destroyed"]) == set(figures[slow][:, 0])
    assert an.curve(RIFLES, KRUPP, over="dice=2", metric=["p_broken", "mean_hits:least"]).least == (False, True)


def test_points_are_those_of_the_front():
    more = {"over": "distance=6,20", "metric": ["mean_models_destroyed", "p_suppressed"]}
    answer = an.curve("crown/*@basic", GRENADIERS, **more)
    front = set(answer.front()["line"])
    (points,) = (note for note in answer.notes() if note.startswith("Points: "))
    assert {part.rsplit(" ", 1)[0] for part in points.removeprefix("Points: ").split(", ")} == front
    texts = [text.get_text() for text in answer.plot().get_legend().get_texts()]
    assert len(texts) == len(front) + 2  # also the front itself, and all others


def test_a_sample_names_together_what_it_cannot_tell_apart():
    found = an.curve(RIFLES, KRUPP, over="dice=5,6", method="monte-carlo", trials=2000, seed=4)
    assert (found.frame["mean_models_destroyed_low"] < found.frame["mean_models_destroyed"]).all()
    assert found.best["best"].tolist() == [CHEAPEST] * 2
    assert " ≈ " in str(found)
    again = an.curve(RIFLES, KRUPP, over="dice=5,6", method="monte-carlo", trials=2000, seed=4, threads=2)
    assert found.frame.equals(again.frame)


@pytest.mark.parametrize(
    ("over", "more", "said"),
    [
        ("distnce", {}, "did you mean 'distance'"),
        ("dice", {}, "no values are stated"),
        ("dice=9..4", {}, "is empty"),
        ("dice=1..300000", {}, "more than 100,000 values"),
        ("dice=4", {"metric": "wibble"}, "p_FIGURE_at_least_2.*per_100_points"),
        (["dice=1", "DEFENCE=1", "models=1"], {}, "3 keys"),
        (["dice=1", "dice=2"], {}, "twice"),
        ("dice=500", {}, "no value has an answer"),
        ("dice=4", {"metric": "p_broken_per_100_points"}, "only means and expected values can"),
        ("dice=4", {"metric": ["p_broken"] * 3}, "one or two"),
        ("dice=4", {"kind": "focus"}, "focus"),
        ("dice=4", {"metric": "p_broken@x"}, "after round 2"),
        ("level=huge", {}, "huge"),
        ({"dice": [[1]]}, {}, "numbers, flags and texts"),
        (None, {"distance": 6}, r"^distance: the curve varies distance, so a stated value has no effect"),
        ("aiming", {"aiming": True}, r"^aiming: the curve varies"),
        ("models=1..3", {"target": {"unit": KRUPP, "models": 2}}, r"^models: the curve varies"),
        ("rounds=1..3", {"kind": "duel", "rounds": 2}, r"^rounds: the curve varies"),
        ("aiming=no,maybe", {}, r"^aiming: 'maybe' is not usable"),
        ("level=basic,reinforcd", {}, r"^level: 'reinforcd' is not a level; did you mean 'reinforced'"),
        ("mine.unit.7.models=3", FEW, "the question has no key"),
        ("mine.unit.0.modls=3", FEW, "did you mean 'models'"),
        ("rounds=1..3", FEW | {"method": "exact"}, r"battles are simulated.*monte-carlo"),
    ],
)
def test_wrong_inputs(over, more, said):
    asked = {"units": RIFLES[0], "target": KRUPP} | ({} if over is None else {"over": over}) | more
    with pytest.raises(an.InputError, match=said):
        an.curve(asked.pop("units"), **asked)


def test_a_battle_over_its_terms_its_units_and_its_armies():
    """The figure at each value is that of the battle itself, with the same trials and seed."""
    how = {"method": "monte-carlo", "trials": 400, "seed": 5}
    found = an.curve(BATTLE, over="mine.unit.1.models=3,6", metric="p_victory", **how)
    one = {**BATTLE, "mine": ["crown/rifle-platoon@basic", {"unit": "crown/rifle-platoon@basic", "models": 3}]}
    itself = an.simulate(one, kind="battle", trials=400, seed=5)
    assert found.frame["p_victory"][0] == float(itself.probability("victory"))
    assert found.frame["p_victory"][0] < found.frame["p_victory"][1]
    tactics = an.curve(BATTLE, over="policy_mine=shoot,take_cover", metric="mean_margin", **how)
    assert tactics.frame["mean_margin"][0] > tactics.frame["mean_margin"][1]
    assert tactics.frame["mean_margin_low"][0] < tactics.frame["mean_margin"][0] < tactics.frame["mean_margin_high"][0]
    assert "a battle" not in tactics.notes()


def test_intervals_of_trials_that_were_not_fixed():
    """They are wider than those of fixed trials, and hold the exact figure."""
    asked = RIFLES[1], KRUPP
    exact = an.curve(*asked, over="dice=3..6", metric="p_broken").frame["p_broken"]
    how = {"over": "dice=3..6", "metric": "p_broken", "method": "monte-carlo", "seed": 4}
    stopped = an.curve(*asked, precision=0.03, **how)
    low, high = stopped.frame["p_broken_low"], stopped.frame["p_broken_high"]
    assert ((low <= exact) & (exact <= high)).all()
    assert "the intervals stay valid although" in str(stopped)
    trials = stopped.frame["trials"].to_numpy()
    fixed = 2 * 1.96 * np.sqrt(exact * (1 - exact) / trials)
    assert (high - low > 1.5 * fixed).all()
    means = an.curve(*asked, precision=0.03, **how | {"metric": "mean_hits"})
    assert means.frame["mean_hits_low"].lt(means.frame["mean_hits"]).all()
