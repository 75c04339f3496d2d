"""Best play as an answer: its plan, its tactics, its lists, its picture; and the duel under it."""

from types import SimpleNamespace

import pytest

from analyser import InputError, best_play, duel
from analyser.results.best_play_table import PlanTable, reaction_in_words
from analyser.results.states import share_lost
from analyser.rules.policy_lines import lines_of
from analyser.scenarios.chooser import Shot
from tests.oracle import fight_files

RIFLES, GRENADIERS = "crown/rifle-platoon@basic", "imperium/scion-grenadier-platoon@basic"
SAME, STANDING = 1e-12, ("models", "damage")


def small(selector, models=2, **more):
    return {"unit": selector, "models": models} | more


def win(result):
    return result.probability("a_wins").probability + result.probability("draw").probability / 2


@pytest.fixture(scope="module")
def apart():
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


def test_the_text_says_why_a_unit_cannot_shoot(apart):
    lancers = best_play(small("crown/horse-guard-cavalry@basic"), small(GRENADIERS), rounds=1)
    assert "Not possible: shoot (it has no ranged row against light targets)." in str(lancers)
    assert "Not possible" not in str(apart)


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
    end, sides = found.moments[-1], (found.scenario.a, found.scenario.b)
    lost, destroyed = (
        end.weights @ share_lost(states, side.models, side.damage_limit) * side.victory_points
        for states, side in zip((end.first, end.second), sides)
    )
    assert destroyed > lost > 0
    assert found.value == pytest.approx(destroyed - lost, abs=SAME)


def test_the_plan_says_how_things_stand(apart):
    rows = apart.plan("a")
    wanted = {"round": 1, "side": "a", "when": "first", "distance": 18.0, "probability": 0.5}
    wanted |= {f"{whose}_{what}": 2 if what == "models" else 0 for whose in ("own", "enemy") for what in STANDING}
    wanted |= {"own_statuses": [], "enemy_statuses": []}
    assert rows[0] == wanted | {name: rows[0][name] for name in ("do", "value", "runner_up", "costs")}
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


def test_what_cannot_be_asked_is_told(apart):
    with pytest.raises(InputError, match=r"did you mean 'models'"):
        apart.plot(by="modles")
    with pytest.raises(InputError, match=r"3 is out of range"):
        apart.plot(round=3)
    with pytest.raises(InputError, match=r"side: 'c' is not usable"):
        apart.plan("c")


@pytest.mark.parametrize(
    ("terms", "told"),
    [
        ({"want": "glory"}, r"duel: want"),
        ({"against": "shot"}, r"duel: policy_b: 'shot' is not usable"),
        ({"policy_a": "shoot"}, r"policy_a: best_play does not take this key"),
        ({"rounds": 11}, r"duel: rounds"),
    ],
)
def test_what_is_wrong_with_a_question_is_told(terms, told):
    with pytest.raises(InputError, match=told):
        best_play(RIFLES, GRENADIERS, **terms)


@pytest.mark.parametrize(("more", "is_told"), [({}, True), ({"distance": 18}, False)])
def test_a_line_that_is_never_reached_without_a_distance_is_told(more, is_told):
    sides = small(RIFLES), small(GRENADIERS)
    found = duel(*sides, rounds=1, policy_a=["hold if suppressed", "aim and shoot", "charge"], **more)
    told = "line 3 of policy_a is never reached: without a distance, line 2 always applies"
    assert (told in found.warnings) == is_told


def test_a_list_without_a_last_resort_does_nothing_then_and_says_so():
    found = duel(small(RIFLES), small(GRENADIERS), rounds=1, policy_a=["charge if enemy suppressed"], first="a")
    assert any("the last line of policy_" in warning for warning in found.warnings)
    did = {row["did"] for row in found.activations() if row["side"] == "a"}
    assert did == {"held"}


def test_a_charge_may_be_made_with_overcharge():
    gang = small("commonwealth/azhdaya-beserker-gang@basic", 4)
    found = best_play(gang, small(GRENADIERS, 4), rounds=2, want="points")
    without = next(row for row in found.regrets() if row["tactic"] == "charge")
    assert {row["do"] for row in found.plan("a")} & {"charge with overcharge"}
    assert without["cost"] > 0.01
    listed = duel(gang, small(GRENADIERS, 4), rounds=2, policy_a=["charge with overcharge"], policy_b="best")
    assert listed.solution.chooser_at(0).charges[1].overcharge
    with pytest.raises(InputError, match=r"no row 'overcharg' to charge with; did you mean 'overcharge'"):
        duel(gang, small(GRENADIERS, 4), rounds=1, policy_a=["charge with overcharg"])


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
        found.solution.plan_of_lines(0, lines_of(["advance 1.5 inches"], "policy"))
    with pytest.raises(InputError, match=r"the distance of the unit to its own edge is unknown.*a.edge_distance"):
        duel(*bikes, rounds=1, distance=24, policy_a="retire at double time", policy_b="best")
    assert any("duel.step has no effect" in each for each in best_play(*bikes, rounds=1, step=1).warnings)


@pytest.mark.parametrize(
    ("order", "same", "terms"),
    [
        ("advance 3 inches and shoot", "aim and shoot", {}),
        ("retire and shoot", "aim and shoot", {"distance": 6, "edge_distance": 0}),
        ("advance 5 inches and shoot", "advance and shoot", {"distance": 12}),
    ],
)
def test_who_cannot_move_as_a_line_says_does_the_rest(order, same, terms):
    how = {"rounds": 2, "policy_b": "take_cover"} | terms
    gunner = fight_files.unit(fight_files.row("ranged", 4, long_range=12), models=3, speed=5)
    gunner |= {"edge_distance": how.pop("edge_distance", None)}
    found, wanted = (duel(gunner, fight_files.unit(models=2), policy_a=[line], **how) for line in (order, same))
    assert win(found) == win(wanted) > 0.6


def test_a_line_that_goes_farther_than_the_unit_is_refused():
    for line, longest in (("advance 7 inches", 5), ("retire 5.5 inches", 5), ("double time 11 inches", 10)):
        with pytest.raises(InputError, match=rf"the unit cannot move so far \(allowed: up to {longest} inches\)"):
            duel(fight_files.unit(speed=5), fight_files.unit(), distance=12, policy_a=[line], policy_b="take_cover")


def test_cells_of_the_picture_that_come_up_do_as_the_plan_does():
    found = best_play(small(RIFLES, 4), small(GRENADIERS, 4), rounds=2, distance=18)
    cells = PlanTable(found.solution).picture_cells(0, 1, "distance")
    assert {cell["comes_up"] for cell in cells} == {True, False}
    orders = [row for row in found.plan("a") if row["round"] == 2 and row["when"] in ("first", "second")]
    for cell in (each for each in cells if each["comes_up"]):
        here = [row for row in orders if (row["distance"], row["enemy_models"]) == (cell["x"], cell["y"])]
        assert cell["do"] == max(here, key=lambda row: row["probability"])["do"]


@pytest.mark.parametrize(("rows", "words"), [(1, "opportunity fire"), (2, "opportunity fire with guns")])
def test_a_reaction_names_its_row_where_there_are_several(rows, words):
    chooser = SimpleNamespace(lookout_rows=["guns", "rifles"][:rows])
    assert reaction_in_words(Shot(SimpleNamespace(id="guns")), chooser) == words


def test_both_on_best_and_another_objective_are_told():
    units = small(RIFLES, 2), small(GRENADIERS, 2)
    both = {"policy_a": "best", "policy_b": "best"}
    survives = "survival (probability that the unit survives)"

    def told(**terms):
        return [line for line in duel(*units, rounds=1, **terms).rules.assumptions if "objective" in line]

    assert told(**both, want="survival") == [
        f"both sides play best: A maximises its objective {survives}, and B minimises it"
    ]
    assert told(policy_b="best", want="survival") == [f"best play of B maximises its objective {survives}"]
    assert told(policy_b="best") == told(want="survival") == []


def test_short_range_without_a_distance_is_told():
    def told(**terms):
        assumptions = duel(RIFLES, GRENADIERS, rounds=1, **terms).rules.assumptions
        return any("short_range puts the unit at short range" in line for line in assumptions)

    assert told(policy_b="short_range")
    assert not told()
    assert not told(policy_b="short_range", distance=12)
