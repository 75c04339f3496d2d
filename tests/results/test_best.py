"""Best play as an answer: its plan, its tactics, its lists, its picture; and the duel under it."""

import json
from types import SimpleNamespace

import pytest

from analyser import InputError, best_play, duel, exact
from analyser.engine.fight.best.choice_program import TEST
from analyser.results.plan import PlanTable, reaction_in_words
from analyser.rules.orders import lines_of
from analyser.scenarios.best import Shot
from analyser.scenarios.duel import DuelScenario, duel_program
from analyser.scenarios.load import load_as
from tests.oracle import fight_files

RIFLES, GRENADIERS = "crown/rifle-platoon@basic", "imperium/scion-grenadier-platoon@basic"
SAME = 1e-12


def small(selector, models=2, **more):
    """A few models of a unit."""
    return {"unit": selector, "models": models} | more


def win(result):
    """The chance to win, a draw half."""
    return result.probability("a_wins").probability + result.probability("draw").probability / 2


@pytest.fixture(scope="module")
def apart():
    """Two small units with a distance between them, for two rounds."""
    return best_play(small(RIFLES), small(GRENADIERS), rounds=2, distance=18)


def test_the_value_is_that_of_the_duel_under_the_plan(apart):
    assert win(apart) == pytest.approx(apart.value, abs=SAME)
    assert win(duel(apart.scenario.as_dict())) == pytest.approx(apart.value, abs=SAME)
    assert apart.exploitability < SAME


def test_no_tactic_does_better(apart):
    regrets = apart.regrets()
    assert {row["tactic"] for row in regrets} == {"shoot", "short_range", "charge", "lookout", "take_cover"}
    for row in regrets:
        against = duel(small(RIFLES), small(GRENADIERS), rounds=2, distance=18, policy_a=row["tactic"], policy_b="best")
        assert row["cost"] >= 0
        assert row["exploitable"] >= row["cost"] - SAME
        assert win(against) == pytest.approx(row["worst"], abs=SAME)


def test_against_a_tactic(apart):
    found = best_play(small(RIFLES), small(GRENADIERS), rounds=2, distance=18, against="shoot")
    assert found.value >= apart.value - SAME
    for row in found.regrets():
        played = duel(small(RIFLES), small(GRENADIERS), rounds=2, distance=18, policy_a=row["tactic"])
        assert row["value"] == pytest.approx(win(played), abs=SAME)
        assert "worst" not in row


def test_b_can_play_best_alone():
    found = best_play({"duel": {"policy_b": "best", "rounds": 1}, "a": small(RIFLES), "b": small(GRENADIERS)})
    assert found.value == pytest.approx(1 - win(found), abs=SAME)
    assert {row["side"] for row in found.plan()} == {"b"}


@pytest.mark.parametrize(("want", "figure"), [("margin", "margin"), ("survival", "a_alive")])
def test_wants(want, figure):
    found = best_play(small(RIFLES), small(GRENADIERS), rounds=1, want=want, first="a")
    value = found.mean("margin") if figure == "margin" else found.probability(figure).probability
    assert found.value == pytest.approx(value, abs=SAME)


def test_the_points_exchange():
    found = best_play(small(RIFLES), small(GRENADIERS), rounds=1, want="points", first="a")
    table = found.states_of("a"), found.states_of("b")
    assert len(table[0]) == len(table[1])
    assert -2 <= found.value <= 2


def test_the_plan_says_how_things_stand(apart):
    rows = apart.plan("a")
    assert rows[0] | {"value": 0, "costs": 0} == {
        "round": 1,
        "side": "a",
        "when": "first",
        "own_models": 2,
        "own_damage": 0,
        "own_statuses": [],
        "enemy_models": 2,
        "enemy_damage": 0,
        "enemy_statuses": [],
        "distance": 18.0,
        "do": rows[0]["do"],
        "value": 0,
        "runner_up": rows[0]["runner_up"],
        "costs": 0,
        "probability": 0.5,
    }
    assert all(row["costs"] >= 0 for row in apart.plan())
    assert {row["when"] for row in apart.first_moves()} == {"first", "second"}


def test_two_that_are_alike_have_the_same_runner_up_at_the_same_cost():
    found = best_play(small(RIFLES), small(RIFLES), rounds=1, distance=12)
    ours, theirs = (
        sorted((row["do"], row["runner_up"], round(row["costs"], 9)) for row in found.plan(side)) for side in "ab"
    )
    assert ours == theirs
    assert ours[0][2] > 0


def test_what_did_whom_adds_up(apart):
    for number in (1, 2):
        for side in "ab":
            rows = [row for row in apart.activations() if (row["round"], row["side"]) == (number, side)]
            assert sum(row["probability"] for row in rows) == pytest.approx(1, abs=SAME)
    gone = [row for row in apart.activations() if row["did"] in ("was_gone", "had_no_activation")]
    because = {(row["did"], row["because"]) for row in gone}
    assert because == {("was_gone", "gone"), ("had_no_activation", "enemy_gone")}
    (alone,) = (each["probability"] for each in rows if each["because"] == "enemy_gone")  # of B, in the second round
    assert alone == pytest.approx(1 - apart.rounds()[0]["p_alive"], abs=SAME)


def test_it_is_shown_in_every_form(apart):
    text, record = str(apart), json.loads(json.dumps(apart.as_dict()))
    assert "Cost of simple tactics" in text
    assert "First move, if first" in text
    assert record["kind"] == "best"
    assert record["value"] == apart.value
    assert len(apart.to_frame()) == len(apart.plan()) == len(apart.rows())
    assert list(apart.to_frame(regrets=True)["tactic"]) == [row["tactic"] for row in apart.regrets()]
    assert len(apart.to_frame(by_round=True)) == 4
    assert exact(record["scenario"]).probability("a_wins") == apart.probability("a_wins")


@pytest.mark.parametrize("by", ["models", "distance"])
def test_pictures(apart, by):
    axes = apart.plot(by=by, round=2, side="b")
    assert axes.get_xlabel() == {"models": "models of the enemy", "distance": "distance in inches"}[by]
    assert axes.get_legend().get_texts()


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (lambda found: found.plot(by="modles"), r"did you mean 'models'"),
        (lambda found: found.plot(round=3), r"3 is out of range"),
        (lambda found: found.plan("c"), r"no side 'c'"),
    ],
)
def test_what_cannot_be_asked_is_told(apart, asked, told):
    with pytest.raises(InputError, match=told):
        asked(apart)


def test_a_tactic_has_no_plan():
    found = best_play(small(RIFLES, 1), small(GRENADIERS, 1), rounds=1, against="shoot")
    with pytest.raises(InputError, match=r"b has a simple tactic, and no plan \(allowed: a\)"):
        found.plan("b")


@pytest.mark.parametrize(
    ("terms", "told"),
    [
        ({"want": "glory"}, r"duel: want"),
        ({"against": "shot"}, r"duel: policy_b: 'shot' is not usable"),
        ({"policy_a": "shoot"}, r"policy_a: stated in another way here"),
        ({"rounds": 11}, r"duel: rounds"),
    ],
)
def test_what_is_wrong_with_a_question_is_told(terms, told):
    with pytest.raises(InputError, match=told):
        best_play(RIFLES, GRENADIERS, **terms)


def test_somebody_must_play_best():
    with pytest.raises(InputError, match=r"neither side plays best"):
        best_play({"duel": {}, "a": {"unit": RIFLES}, "b": {"unit": GRENADIERS}})


def test_tests_can_be_failed_on_purpose_where_it_can_count(apart):
    """With a distance, for who fails falls back; or where the enemy's list looks at who is suppressed."""
    assert {row["when"] for row in apart.plan()} >= {"test"}
    assert {row["do"] for row in apart.plan() if row["when"] == "test"} <= {"take the test", "fail the test on purpose"}
    near = {lines: best_play_against(lines) for lines in ("charge; aim and shoot", "aim and shoot if it is suppressed")}
    asked = [any(place.subject == TEST for place in found.play.places) for found in near.values()]
    assert asked == [False, True]


def test_who_overcharges_may_do_without_aiming():
    """What is re-rolled may come to a blank, which costs a model (AC-3.4, AC-6)."""
    soldiers = "enlightened/citizen-soldier-command-contingent@basic"
    found = best_play(soldiers, "empire/tongshi-lion-automata@basic", rounds=2)
    assert "stay and shoot with overcharge" in {row["do"] for row in found.plan("a")}


def best_play_against(lines):
    """Best play of A without a distance, against a list."""
    return best_play(
        {"duel": {"policy_a": "best", "policy_b": lines, "rounds": 1}, "a": small(RIFLES, 1), "b": small(GRENADIERS, 1)}
    )


def test_a_list_without_a_last_resort_does_nothing_then_and_says_so():
    found = duel(small(RIFLES), small(GRENADIERS), rounds=1, policy_a=["charge if enemy suppressed"], first="a")
    assert any("has no last resort" in warning for warning in found.warnings)
    did = {row["did"] for row in found.activations() if row["side"] == "a"}
    assert did == {"held"}


def test_what_plays_by_tactics_alone_says_so():
    for policy in ("best", ["aim and shoot"]):
        scenario = {"duel": {"rounds": 1, "policy_a": policy}, "a": small(RIFLES, 1), "b": small(GRENADIERS, 1)}
        resolved = load_as(DuelScenario, scenario)
        with pytest.raises(InputError, match=r"solved for the whole duel.*simple tactics here"):
            duel_program(resolved.a, resolved.b, resolved.terms, resolved.ruleset)


def test_no_picture_by_distance_without_one():
    found = best_play(small(RIFLES), small(GRENADIERS), rounds=1)
    with pytest.raises(InputError, match="by: the duel has no distance"):
        found.plot(by="distance")


def test_a_charge_may_be_made_with_overcharge():
    gang = small("commonwealth/azhdaya-beserker-gang@basic", 4)
    found = best_play(gang, small(GRENADIERS, 4), rounds=2, want="points")
    without = next(row for row in found.regrets() if row["tactic"] == "charge")
    assert {row["do"] for row in found.plan("a")} & {"charge with overcharge"}
    assert without["cost"] > 0.01
    listed = duel(gang, small(GRENADIERS, 4), rounds=2, policy_a=["charge with overcharge"], policy_b="best")
    assert listed.play.chooser_at(0).charges[1].overcharge
    with pytest.raises(InputError, match=r"nothing to charge with as 'overcharg'; did you mean 'overcharge'"):
        duel(gang, small(GRENADIERS, 4), rounds=1, policy_a=["charge with overcharg"])


def test_a_unit_that_failed_its_rally_test_still_moves_by_a_list():
    """A move alone is its movement step (AC-5.6): no line makes more of it, nor less."""
    play = best_play(small(RIFLES, 6), small(GRENADIERS, 3), rounds=2, distance=12, against="shoot").play
    plan = play.plan_of_lines(0, lines_of(["retire if rally failed", "aim and shoot"], "policy"))
    table = PlanTable(play, plan)
    moved = [
        row for row in table.reached(0, SAME) if "rally_failed" in row["own_statuses"] and row["when"] != "reaction"
    ]
    assert moved
    assert {row["do"] for row in moved} == {"retire"}


def test_a_message_about_a_row_offers_only_what_the_unit_can_do():
    with pytest.raises(InputError, match="nothing to shoot with as 'cannon'") as raised:
        duel(small(RIFLES, 2), small(GRENADIERS, 2), rounds=1, policy_a=["shoot with cannon"])
    assert raised.value.allowed is not None
    assert "overcharge" not in raised.value.allowed
    assert "all rows" not in raised.value.allowed


def test_what_best_play_takes_for_granted_of_moves_is_said_where_it_counts():
    def says_so(*units, **terms):
        said = best_play(*units, rounds=1, **terms).assumptions
        assert any("no other place is better" in each for each in said) == ("distance" in terms)
        return any("retires by its SPEED, never at double time" in each for each in said)

    assert says_so(small(RIFLES), small(GRENADIERS), distance=18)
    assert not says_so(small(RIFLES), small(GRENADIERS))
    near = [small(each) | {"edge_distance": 12} for each in (RIFLES, GRENADIERS)]
    assert not says_so(*near, distance=18)
    stepped = best_play(small(RIFLES), small(GRENADIERS), rounds=1, distance=18, step=2).assumptions
    assert any('a multiple of 2"' in each for each in stepped)


def test_who_retires_gets_out_of_reach_of_who_advances_and_shoots():
    """Out of range by an inch is out of it only until the enemy has advanced: a unit may retire again."""
    gun = fight_files.row("ranged", 6, long_range=3)
    runner, guns = fight_files.unit(models=3, speed=3), fight_files.unit(gun, models=3, speed=1)
    found = best_play(runner, guns, rounds=2, first="a", distance=3, want="survival")
    assert found.value == 1
    assert found.first_moves()[0]["do"].startswith("retire")


def test_nobody_retires_over_the_edge_of_the_table():
    """Up to its own edge, where it does not flee: it has not fallen back (AC-5.4)."""
    gun = fight_files.row("ranged", 6, long_range=3)
    guns = fight_files.unit(gun, models=3, speed=1)

    def survives(inches=None):
        runner = fight_files.unit(models=3, speed=3) | ({} if inches is None else {"edge_distance": inches})
        return best_play(runner, guns, rounds=2, first="a", distance=3, want="survival").value

    assert survives(0) < survives(1) + SAME < 1
    assert survives(6) == survives() == 1


def test_a_plan_says_how_far_both_are_from_their_edges():
    found = best_play(small(RIFLES, edge_distance=5), small(GRENADIERS), rounds=1, first="a", distance=12)
    first = found.plan("a")[0]
    assert (first["own_edge"], first["enemy_edge"]) == (5, None)
    assert '5" from its edge' in str(found)
    assert not {"own_edge", "enemy_edge"} & set(best_play(small(RIFLES), small(GRENADIERS), rounds=1).plan()[0])


def test_moves_may_stop_where_a_step_says():
    """A tactic is worth less to who can stop anywhere, and a list names the stops."""
    bikes = ("imperium/scion-vierling-dreirad-squadron@basic", "commonwealth/winged-hussar-treadbikes@basic")
    values, terms = [], {"rounds": 3, "distance": 24, "against": "shoot"}
    for step in (60, 2, 1, None):
        found = best_play(*bikes, step=step, **terms)
        values.append(found.value)
    assert values == sorted(values)
    assert values[2] > values[0] + 0.01
    assert values[3] == pytest.approx(values[2], abs=SAME)
    assert not any("no other place is better" in each for each in best_play(*bikes, step=2, **terms).assumptions)
    assert {row["do"] for row in found.plan("a") if "advance 1 inch " in row["do"] or " 3 inches" in row["do"]}
    with pytest.raises(InputError, match=r"no move ends after 1.5 inches \(allowed: 1, 2, 3"):
        found.play.plan_of_lines(0, lines_of(["advance 1.5 inches"], "policy"))
    with pytest.raises(InputError, match=r"the distance of the unit to its own edge is unknown.*a.edge_distance"):
        duel(*bikes, rounds=1, distance=24, policy_a="retire at double time", policy_b="best")
    assert any("duel.step has no effect" in each for each in best_play(*bikes, rounds=1, step=1).warnings)


@pytest.mark.parametrize("distance", [None, 10])
def test_a_garrison_leaves_where_all_of_it_shoots_then(distance):
    """Inside, half of it counts (AC-4.4); who has left is reforming, once (AC-4.2)."""
    gun = fight_files.row("ranged", [1, 2, 3, 4, 5, 6], long_range=12)
    inside = fight_files.unit(gun, models=6, speed=5) | {"garrisoned": True}
    outside = fight_files.unit(fight_files.row("ranged", [1, 1, 1], long_range=12), models=3, speed=5)
    terms = {"rounds": 2, "first": "a", "distance": distance}
    found = best_play(inside, outside, against="shoot", want="points", **terms)
    assert found.first_moves()[0]["do"].startswith("leave the building")
    assert {"in_building"} <= set(found.plan("a")[0]["own_statuses"])
    leaves, stays = (
        win(duel(inside, outside, policy_a=lines, **terms))
        for lines in (["leave the building and shoot if in building", "aim and shoot"], ["aim and shoot"])
    )
    assert leaves > stays + 0.05
    assert win(duel(inside, outside, policy_a=["exit if in building", "aim and shoot"], **terms)) <= leaves


@pytest.mark.parametrize(
    ("order", "same", "terms"),
    [
        ("advance 3 inches and shoot", "aim and shoot", {"distance": 1}),
        ("advance 3 inches and shoot", "aim and shoot", {}),
        ("stay and shoot", "aim and shoot", {"distance": 6}),
        ("retire and shoot", "aim and shoot", {"distance": 6, "edge_distance": 0}),
        ("retire 2 inches and shoot", "aim and shoot", {"distance": 6, "edge_distance": 0}),
        ("advance 5 inches and shoot", "advance and shoot", {"distance": 12}),
    ],
)
def test_who_cannot_move_as_a_line_says_does_the_rest(order, same, terms):
    edge = {key: terms[key] for key in ("edge_distance",) if key in terms}
    how = {"rounds": 2, "policy_b": "take_cover", **{key: terms[key] for key in terms if key not in edge}}
    gunner = fight_files.unit(fight_files.row("ranged", 4, long_range=12), models=3, speed=5) | edge
    found, wanted = (duel(gunner, fight_files.unit(models=2), policy_a=[line], **how) for line in (order, same))
    assert win(found) == win(wanted) > 0.6


def test_a_line_that_goes_farther_than_the_unit_is_refused():
    for line, longest in (("advance 7 inches", 5), ("retire 5.5 inches", 5), ("double time 11 inches", 10)):
        with pytest.raises(InputError, match=rf"so far the unit cannot go \(allowed: up to {longest} inches\)"):
            duel(fight_files.unit(speed=5), fight_files.unit(), distance=12, policy_a=[line], policy_b="take_cover")


def test_a_side_may_have_thousands_of_orders():
    rows = [fight_files.row("ranged", 2, id=f"gun-{at}", long_range=12) for at in range(8)]
    gunner = fight_files.unit(*rows[:4], models=1, speed=20)
    terms = {"rounds": 1, "first": "a", "distance": 24, "against": "take_cover"}
    target = fight_files.unit(models=1, speed=0)
    assert best_play(gunner, target, step=0.25, **terms).value >= best_play(gunner, target, **terms).value - SAME
    with pytest.raises(InputError, match=r"places where something is drawn or chosen in a round.*a longer step"):
        best_play(fight_files.unit(*rows, models=1, speed=60), target, step=0.25, **terms)


PAIRS = (
    ("imperium/sturmriese@basic", "empire/green-banner-jez@basic", 18),  # no short range
    ("commonwealth/tsarevna@basic", "imperium/essen@basic", 18),  # Indirect rows, and one that is not
)


@pytest.mark.slow
@pytest.mark.parametrize(("a", "b", "distance"), PAIRS)
def test_a_tactic_that_the_enemy_knows_is_worth_what_the_duel_against_best_play_says(a, b, distance):
    found = best_play(a, b, rounds=2, distance=distance)
    for row in found.regrets():
        fought = duel(a, b, rounds=2, distance=distance, policy_a=row["tactic"], policy_b="best")
        assert win(fought) == pytest.approx(row["worst"], abs=SAME)


def test_cells_of_the_picture_that_come_up_do_as_the_plan_does():
    found = best_play(small(RIFLES, 4), small(GRENADIERS, 4), rounds=2, distance=18)
    cells = found._table.pictured(0, 1, "distance")
    assert {cell["comes_up"] for cell in cells} == {True, False}
    orders = [row for row in found.plan("a") if row["round"] == 2 and row["when"] in ("first", "second")]
    for cell in (each for each in cells if each["comes_up"]):
        here = [row for row in orders if (row["distance"], row["enemy_models"]) == (cell["x"], cell["y"])]
        assert cell["do"] == max(here, key=lambda row: row["probability"])["do"]


@pytest.mark.parametrize(("rows", "words"), [(1, "opportunity fire"), (2, "opportunity fire with guns")])
def test_a_reaction_names_its_row_where_there_are_several(rows, words):
    chooser = SimpleNamespace(lookout_rows=["guns", "rifles"][:rows])
    assert reaction_in_words(Shot(SimpleNamespace(id="guns")), chooser) == words
