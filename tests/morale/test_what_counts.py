"""Mordheim, Legion, Warmaster: only rules that can have their occasion are applied; what has no effect is warned of."""

import pytest

from analyser import morale
from analyser.common.errors import InputError
from tests.oracle.morale_checks import rows
from tests.oracle.questions_mordheim import questions


def applied(system, question):
    """The numbers of the rules, each once."""
    told = " ".join(morale.exact(system, question).rules_applied).replace(",", " ").split()
    return {word for word in told if word[:3] in ("MD-", "LG-", "WM-")}


def warned(system, question):
    return " | ".join(morale.exact(system, question).warnings)


# --- Mordheim: names ------------------------------------------------------------------------------------------------

TWO = {"leader": 8, "others": [{"leadership": 7}], "casualties": 1}


@pytest.mark.parametrize(
    ("named", "rivals", "names"),
    [
        ({}, [{}], ["warband", "rival"]),
        ({}, [{}, {}, {}], ["warband", "rival", "rival 2", "rival 3"]),
        ({"name": "rival"}, [{}, {"name": "rival 2"}, {}], ["rival", "rival 3", "rival 2", "rival 4"]),
        ({"name": "a"}, [{}, {"name": "rival"}], ["a", "rival 2", "rival"]),
    ],
)
def test_rivals_without_a_name_are_numbered(named, rivals, names):
    question = {"warband": TWO | named, "rivals": [TWO | each for each in rivals], "turns": 1}
    assert list(dict.fromkeys(key[0] for key in rows(morale.exact("mordheim", question)))) == names


def test_equal_names_that_are_stated_are_refused():
    same = TWO | {"name": "orcs"}
    with pytest.raises(InputError, match="warbands of the same name: warband, orcs, orcs"):
        morale.exact("mordheim", {"warband": TWO, "rivals": [same, same]})


def test_a_rival_without_a_name_can_be_fought():
    fought = TWO | {"casualties_from": [{"of": "rival"}]}
    assert rows(morale.exact("mordheim", {"warband": fought, "rivals": [TWO]}))


# --- Mordheim: applied ----------------------------------------------------------------------------------------------

FEAR = {"combat": {"enemy": {"causes_fear": True}}}
FOUGHT = {"leader": 8, "others": [{"leadership": 7, "number": 3}]}


@pytest.mark.parametrize(
    ("question", "rules"),
    [
        (FEAR, {"MD-9"}),
        ({"combat": {"fighter": {"leader": 9}, "enemy": {"causes_fear": True}}}, {"MD-4", "MD-9"}),
        ({"combat": {"fighter": {"leader": 7}, "enemy": {"causes_fear": True}}}, {"MD-9"}),
        ({"combat": {"enemy": {"frenzy": True}}}, {"MD-7"}),
        ({"combat": {"enemy": {"hatred": True}}}, {"MD-8"}),
        ({"combat": {"fighter": {"leader": 9}}}, set()),
        ({"combat": {"fighter": {"frenzy": True}, "enemy": {"causes_fear": True}}}, {"MD-7"}),
        (
            {"combat": {"enemy": {"hatred": True, "frenzy": True}}, "ruleset": {"hatred_while_frenzied": False}},
            {"MD-7"},
        ),
        ({"warband": FOUGHT | {"casualties_from": [{}]}}, {"MD-1", "MD-2"}),
        ({"warband": FOUGHT | {"casualties_from": [{"frenzy": True}]}}, {"MD-1", "MD-2", "MD-7"}),
        ({"warband": FOUGHT | {"casualties_from": [{"hatred": True}]}}, {"MD-1", "MD-2", "MD-8"}),
        ({"warband": FOUGHT}, set()),
        ({"warband": FOUGHT, "rivals": [FOUGHT]}, set()),
        ({"warband": FOUGHT, "rivals": [FOUGHT | {"casualties": 1}]}, {"MD-1", "MD-2", "MD-3"}),
        ({"alone": {"leadership": 7, "opponents": 1, "rally_leader": 9}}, set()),
        ({"alone": {"leadership": 7}}, {"MD-5", "MD-6"}),
        ({"alone": {"leadership": 12}}, {"MD-5"}),
        ({"alone": {"leadership": 7, "rally_leader": 9}}, {"MD-4", "MD-5", "MD-6"}),
        ({"alone": {"leadership": 7, "rally_leader": 6}}, {"MD-5", "MD-6"}),
        ({"stupidity": {"leadership": 7, "leader": 8}}, {"MD-4", "MD-10"}),
        ({"stupidity": {"leadership": 7, "leader": 7}}, {"MD-10"}),
        ({"together": {"leader": 8, "rout_test": True, "p_stunned": 0.5, "best_other": 6}}, {"MD-1"}),
        ({"together": {"leader": 8, "warriors": [{"leadership": 7, "near_leader": True}]}}, {"MD-4"}),
        ({"together": {"leader": 8, "warriors": [{"leadership": 8, "near_leader": True}]}}, set()),
        ({"together": {"leader": 8, "warriors": [{"leadership": 7}]}}, set()),
    ],
)
def test_mordheim_names_what_can_have_its_occasion(question, rules):
    assert applied("mordheim", question) == rules


def test_who_is_never_charged_runs_no_more():
    (often,) = (
        rule for rule in morale.exact("mordheim", {"alone": {"leadership": 7, "charged": 0.5}}).rules_applied[1:]
    )
    (never,) = (rule for rule in morale.exact("mordheim", {"alone": {"leadership": 7}}).rules_applied[1:])
    assert "charged" in often
    assert "charged" not in never


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ({"combat": {"enemy": {"knocked_down": 0.5}, "rounds": 2}}, "combat.enemy: knocked_down has no effect"),
        ({"combat": {"fighter": {"knocked_down": 0.5, "frenzy": True}}}, "combat.fighter: knocked_down has no effect"),
        ({"combat": {"enemy": {"causes_fear": True}, "charger": "nobody"}}, "causes_fear has no effect"),
        ({"combat": {"fighter": {"immune_to_psychology": True}}}, "combat.fighter: immune_to_psychology has no effect"),
        (
            {"combat": {"enemy": {"hatred": True, "frenzy": True}}, "ruleset": {"hatred_while_frenzied": False}},
            "combat.enemy: hatred has no effect",
        ),
        (FEAR | {"turns": 3}, "turns has no effect"),
        ({"stupidity": {"leadership": 7, "leader_state": "stunned"}}, "stupidity: leader_state has no effect"),
        ({"stupidity": {"leadership": 7, "leader": 6}}, "stupidity: the leader's 6 is no better than 7"),
        ({"alone": {"leadership": 7, "rally_leader": 6}}, "alone: the leader's 6 is no better than 7"),
        (
            {"combat": {"fighter": {"leader": 7}, "enemy": {"causes_fear": True}}},
            "combat.fighter: the leader's 7 is no better than 7",
        ),
        (
            {"together": {"leader": 6, "warriors": [{"leadership": 7, "near_leader": True}]}},
            "together: warrior: the leader's 6 is no better than 7",
        ),
        ({"together": {"leader": 6, "best_other": 5, "rout_test": True}}, "together: best_other has no effect"),
        ({"together": {"leader": 6, "warriors": [{"leadership": 7}]}}, "together: the leader has no effect"),
        ({"alone": {"leadership": 12, "charged": 0.5}}, "alone: charged has no effect"),
        ({"warband": FOUGHT}, "no rout test"),
        ({"warband": FOUGHT | {"casualties": [1, 0], "gives_up_at": 2}, "turns": 2}, "gives_up_at has no effect"),
    ],
)
def test_mordheim_warns_of_what_has_no_effect(question, told):
    assert told in warned("mordheim", question)


@pytest.mark.parametrize(
    "question",
    [
        FEAR,
        {"combat": {"fighter": {"frenzy": True, "knocked_down": 0.5}, "rounds": 2}},
        {"stupidity": {"leadership": 7, "leader": 8}, "turns": 3},
        {"warband": FOUGHT | {"casualties": 1, "gives_up_at": 2}, "turns": 2},
        {"warband": FOUGHT | {"casualties": [1, 0], "leader_falls": 2, "gives_up_at": 2}, "turns": 2},
        {"together": {"leader": 8, "rout_test": True, "p_stunned": 0.5, "best_other": 6}},
    ],
)
def test_mordheim_warns_of_nothing_else(question):
    assert warned("mordheim", question) == ""


OCCASIONS = {
    "warband": {"p_tests": "MD-1 rout tests", "p_may_have_given_up": "MD-2", "p_routed": "MD-1 rout tests"},
    "alone": {"p_broke": "MD-5", "p_rallied": "MD-6"},
    "combat": {"p_fighter_needs_sixes": "MD-9", "p_enemy_needs_sixes": "MD-9", "p_enemy_frenzied": "MD-7"},
    "stupidity": {"p_idle": "MD-10"},
}


@pytest.mark.parametrize("seed", range(40))
def test_whatever_happens_in_random_questions_is_applied(seed):
    result = morale.exact("mordheim", questions(seed))
    for table, columns in OCCASIONS.items():
        for row in rows(result, table).values() if table in result.weighed else ():
            for column, rule in columns.items():
                if row.get(column, 0) > 0:
                    assert any(each.startswith(rule) for each in result.rules_applied), (table, column)


@pytest.mark.parametrize("seed", range(40))
def test_a_gives_up_at_that_is_warned_of_changes_nothing(seed):
    question = questions(seed)
    result = morale.exact("mordheim", question)
    for each in [question.get("warband", {}), *question.get("rivals", ())]:
        if any(told.startswith(f"{each.get('name', 'warband')}: gives_up_at") for told in result.warnings):
            del each["gives_up_at"]
    assert morale.exact("mordheim", question).as_dict()["tables"] == result.as_dict()["tables"]


def test_what_is_not_modelled_could_have_been():
    """Who must charge (MD-7) of the frenzied; a second charge (MD-9) of those who fear; a flight (MD-6) who flees."""

    def told(question):
        return " ".join(morale.exact("mordheim", question).not_modelled)

    assert "MD-" not in told({"combat": {}})
    assert "MD-9" in told(FEAR)
    assert "MD-7" in told({"combat": {"enemy": {"frenzy": True}}})
    assert told({"alone": {"leadership": 7, "opponents": 1}}) == ""
    assert "MD-6" in told({"alone": {"leadership": 7}})


# --- Legion ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "rules"),
    [
        ({"courage": 3, "tokens": 6}, {"LG-1", "LG-2", "LG-3", "LG-4", "LG-5", "LG-6", "LG-7"}),
        ({"courage": 3, "tokens": 5}, {"LG-1", "LG-2", "LG-3", "LG-4", "LG-7"}),
        ({"courage": 3, "tokens": 2}, {"LG-1", "LG-2", "LG-3", "LG-7"}),
        ({"courage": 3}, {"LG-1", "LG-3"}),
        ({"courage": "none"}, {"LG-1"}),
    ],
)
def test_legion_names_what_can_have_its_occasion(question, rules):
    assert applied("legion", question) == rules


def test_a_commander_who_is_no_better_is_warned_of():
    """LG-3: the unit may use his COURAGE if that is better for it: 1 is not better than 3."""
    result = morale.exact("legion", {"courage": 3, "tokens": 6, "commander_courage": 1})
    assert not any("commander" in rule for rule in result.rules_applied)
    assert result.warnings == ("commander_courage has no effect: 1 is no better than the unit's own 3 (LG-3)",)
    better = morale.exact("legion", {"courage": 1, "tokens": 6, "commander_courage": 3})
    assert any("commander" in rule for rule in better.rules_applied)
    assert better.warnings == ()


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ({"courage": 1, "commander_range": 2}, "commander_range has no effect"),
        ({"courage": 1, "commander_courage": 2, "commander_near": 0}, "never near"),
        ({"courage": 1, "tokens": 2, "edge_distance": 40, "move_distance": 4}, "10 moves"),
        ({"courage": 1}, "no tokens"),
    ],
)
def test_legion_warns_of_what_has_no_effect(question, told):
    assert told in warned("legion", question)


def test_the_flight_is_applied_where_an_edge_can_be_reached():
    near = {"courage": 1, "tokens": 2, "edge_distance": 12, "move_distance": 4}
    for rounds, so in ((2, False), (3, True)):
        assert any("flight" in rule for rule in morale.exact("legion", near | {"rounds": rounds}).rules_applied) is so


def test_the_commander_is_near_for_certain_where_tokens_are_tried():
    """`with` means near for certain in one table, near half the time in the other; the answer says so."""
    question = {"courage": 1, "commander_courage": 3, "until_panic": 0.05, "rounds": 2}
    assert warned("legion", question | {"commander_near": 1.0}) == ""
    told = warned("legion", question | {"commander_near": 0.5})
    assert "tokens_until_panic: `with` is a commander near for certain" in told
    assert "attacks_until_panic: as commander_near says" in told


# --- Warmaster ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("distance", [2.5, {"2.5": 1.0}, 2.0])
def test_moves_are_whole_centimetres(distance):
    with pytest.raises(InputError, match="moves are whole centimetres, obstacles need not be"):
        morale.exact("warmaster", {"move": "falls_back", "distance": distance})


@pytest.mark.parametrize(
    ("question", "rules"),
    [
        ({"move": "falls_back", "distance": 5, "turns": 2}, set()),
        ({"dice": 1, "turns": 2}, {"WM-1", "WM-9"}),
        (
            {"move": "retreats", "distance": 5, "turns": 2, "obstacles": [{"distance": 2, "kind": "impassable"}]},
            {"WM-8"},
        ),
    ],
)
def test_confusion_that_cannot_come_costs_nothing(question, rules):
    assert applied("warmaster", question) == rules


def test_later_turns_are_told_of_where_there_are_any():
    blocked = {"move": "retreats", "distance": 5, "obstacles": [{"distance": 2, "kind": "impassable"}]}
    for turns, so in ((1, False), (2, True)):
        assert ("later turns" in " ".join(morale.exact("warmaster", blocked | {"turns": turns}).rules_applied)) is so
