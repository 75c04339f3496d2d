"""Rules are applied that can have their occasion, what has no effect is warned of, what is left out is named."""

import re

import pytest

from analyser import morale
from tests.oracle.morale_checks import rows
from tests.oracle.questions_mordheim import questions

FEAR = {"combat": {"enemy": {"causes_fear": True}}}
FOUGHT = {"leader": 8, "others": [{"leadership": 7, "number": 3}]}
TWO = {"leader": 8, "others": [{"leadership": 7}], "casualties": 1}
SILENCED = {"combat": {"enemy": {"hatred": True, "frenzy": True}}, "ruleset": {"hatred_while_frenzied": False}}
NEAR, FAR = {"leadership": 7, "near_leader": True}, "GT-5 the map edge: no edge_distance was given, so it is far"
BLOCKED = {"move": "retreats", "distance": 5, "obstacles": [{"distance": 2, "kind": "impassable"}]}
COLUMN = {"arm": "infantry", "enemy": "infantry", "friends": [{"distance": 3}]}
AGAIN, RALLY = "GT-6 flight again", "GT-6 rally"


def of(system, question):
    """What an answer says, by kind of text."""
    result = morale.exact(system, question)
    return {kind: " | ".join(getattr(result, kind)) for kind in ("rules_applied", "not_modelled", "warnings")}


# --- applied --------------------------------------------------------------------------------------------------------

APPLIED = [  # the numbers of the rules
    ("mordheim", FEAR, "MD-9"),
    ("mordheim", {"combat": {"fighter": {"leader": 9}, "enemy": {"causes_fear": True}}}, "MD-4 MD-9"),
    ("mordheim", {"combat": {"fighter": {"leader": 7}, "enemy": {"causes_fear": True}}}, "MD-9"),
    ("mordheim", {"combat": {"enemy": {"frenzy": True}}}, "MD-7"),
    ("mordheim", {"combat": {"enemy": {"hatred": True}}}, "MD-8"),
    ("mordheim", {"combat": {"fighter": {"leader": 9}}}, ""),
    ("mordheim", {"combat": {"fighter": {"frenzy": True}, "enemy": {"causes_fear": True}}}, "MD-7"),
    ("mordheim", SILENCED, "MD-7"),
    ("mordheim", {"warband": FOUGHT | {"casualties_from": [{}]}}, "MD-1 MD-2"),
    ("mordheim", {"warband": FOUGHT | {"casualties_from": [{"frenzy": True}]}}, "MD-1 MD-2 MD-7"),
    ("mordheim", {"warband": FOUGHT | {"casualties_from": [{"hatred": True}]}}, "MD-1 MD-2 MD-8"),
    ("mordheim", {"warband": FOUGHT}, ""),
    ("mordheim", {"warband": FOUGHT, "rivals": [FOUGHT]}, ""),
    ("mordheim", {"warband": FOUGHT, "rivals": [FOUGHT | {"casualties": 1}]}, "MD-1 MD-2 MD-3"),
    ("mordheim", {"alone": {"leadership": 7, "opponents": 1, "rally_leader": 9}}, ""),
    ("mordheim", {"alone": {"leadership": 7}}, "MD-5 MD-6"),
    ("mordheim", {"alone": {"leadership": 12}}, "MD-5"),
    ("mordheim", {"alone": {"leadership": 7, "rally_leader": 9}}, "MD-4 MD-5 MD-6"),
    ("mordheim", {"alone": {"leadership": 7, "rally_leader": 6}}, "MD-5 MD-6"),
    ("mordheim", {"stupidity": {"leadership": 7, "leader": 8}}, "MD-4 MD-10"),
    ("mordheim", {"stupidity": {"leadership": 7, "leader": 7}}, "MD-10"),
    ("mordheim", {"together": {"leader": 8, "rout_test": True, "p_stunned": 0.5, "best_other": 6}}, "MD-1"),
    ("mordheim", {"together": {"leader": 8, "warriors": [NEAR]}}, "MD-4"),
    ("mordheim", {"together": {"leader": 8, "warriors": [NEAR | {"leadership": 8}]}}, ""),
    ("mordheim", {"together": {"leader": 8, "warriors": [{"leadership": 7}]}}, ""),
    ("legion", {"courage": 3, "tokens": 6}, "LG-1 LG-2 LG-3 LG-4 LG-5 LG-6 LG-7"),
    ("legion", {"courage": 3, "tokens": 5}, "LG-1 LG-2 LG-3 LG-4 LG-7"),
    ("legion", {"courage": 3, "tokens": 2}, "LG-1 LG-2 LG-3 LG-7"),
    ("legion", {"courage": 3}, "LG-1 LG-3"),
    ("legion", {"courage": "none"}, "LG-1"),
    ("warmaster", {"move": "falls_back", "distance": 5, "turns": 2}, ""),
    ("warmaster", {"dice": 1, "turns": 2}, "WM-1 WM-9"),
    ("warmaster", BLOCKED | {"turns": 2}, "WM-8"),
    ("warmaster", {"dice": 1}, "WM-1"),
    ("warmaster", {"dice": 1, "obstacles": [{"distance": 9, "kind": "friend"}]}, "WM-1"),
    ("warmaster", {"dice": 1, "obstacles": [{"distance": 3, "kind": "friend", "make_way": False}]}, "WM-1 WM-4"),
    ("warmaster", {"dice": 1, "obstacles": [{"distance": 3, "kind": "friend", "make_way": True}]}, "WM-1 WM-4 WM-7"),
    (
        "warmaster",
        {"dice": 1, "obstacles": [{"distance": 2, "kind": "enemy"}, {"distance": 4, "kind": "friend"}]},
        "WM-1 WM-3",
    ),
]


@pytest.mark.parametrize(("system", "question", "numbers"), APPLIED)
def test_rules_are_applied_that_can_have_their_occasion(system, question, numbers):
    rules = morale.exact(system, question).rules_applied
    assert {re.match(r"\S+", rule)[0].rstrip(",:") for rule in rules} == set(numbers.split())


@pytest.mark.parametrize(
    ("rout", "rules"),
    [
        ({}, {AGAIN, RALLY}),
        ({"pips_elsewhere": 5}, {AGAIN}),  # 1 PIP is left of 6
        ({"charged_by_cavalry": 0.1}, {AGAIN, RALLY, "GT-7 charges against routed units"}),
        ({"standing": 2}, {AGAIN, RALLY}),
        ({"standing": 1}, {AGAIN, "GT-8 collapse forbids rallying"}),
        ({"units": [{"edge_distance": 9}]}, {"GT-5 the map edge", AGAIN, RALLY}),
    ],
)
def test_rules_of_a_rout(rout, rules):
    assert {*morale.exact("grande-tactique", {"rout": {"units": [{}]} | rout}).rules_applied} == rules


# --- said, and not said ---------------------------------------------------------------------------------------------

BETTER = {"courage": 1, "tokens": 6, "commander_courage": 3}
TRIED = {"courage": 1, "commander_courage": 3, "until_panic": 0.05, "rounds": 2}
REACHED = {"courage": 1, "tokens": 2, "edge_distance": 12, "move_distance": 4}
EVADES = {"move": "evades", "distance": 6, "obstacles": [{"distance": 2, "kind": "friend", "chain": 1}]}
LEADER_7 = {"combat": {"fighter": {"leader": 7}, "enemy": {"causes_fear": True}}}
BEST_OTHER = {"together": {"leader": 6, "best_other": 5, "rout_test": True}}
CHARGED = {"game": {"units": [{"charged_by_cavalry": 0.5, "withdraws": 3}]}}
SAID = {  # in the texts of a kind, or not ("-")
    ("legion", "rules_applied"): [
        ({"courage": 3, "tokens": 6, "commander_courage": 1}, ["-commander"]),
        (BETTER, ["commander"]),
        (REACHED | {"rounds": 2}, ["-flight"]),
        (REACHED | {"rounds": 3}, ["flight"]),
    ],
    ("legion", "not_modelled"): [
        ({"courage": 1}, ["the edge is far"]),
        (
            REACHED,
            ["terrain", "clambering", "melee", "engaged", "Jump, Reposition and Spur", "cohesion", "free actions"],
        ),
    ],
    ("legion", "warnings"): [
        ({"courage": 3, "tokens": 6, "commander_courage": 1}, ["1 is not better than the unit's own 3"]),
        ({"courage": 1, "commander_range": 2}, ["commander_range has no effect"]),
        ({"courage": 1, "tokens": 2, "commander_near": 0.5}, ["commander_near has no effect"]),
        ({"courage": 1, "commander_courage": 2, "commander_near": 0}, ["never near"]),
        (REACHED | {"edge_distance": 40}, ["10 moves"]),
        ({"courage": 1}, ["no tokens"]),
        (TRIED | {"commander_near": 0.5}, ["tokens_until_panic: `with` is a commander near for certain"]),
        (TRIED | {"commander_near": 0.5}, ["attacks_until_panic: as commander_near says"]),
    ],
    ("mordheim", "rules_applied"): [
        ({"alone": {"leadership": 7, "charged": 0.5}}, ["charged"]),
        ({"alone": {"leadership": 7}}, ["-charged"]),
    ],
    ("mordheim", "not_modelled"): [
        ({"warband": FOUGHT | {"casualties_from": [{}]}}, ["in fights"]),
        ({"combat": {}}, ["-MD-"]),
        (FEAR, ["MD-9"]),  # a second charge
        ({"combat": {"enemy": {"frenzy": True}}}, ["MD-7"]),  # who must charge
        ({"alone": {"leadership": 7, "opponents": 1}}, ["-MD-"]),
        ({"alone": {"leadership": 7}}, ["MD-6"]),
    ],
    ("mordheim", "warnings"): [
        ({"warband": FOUGHT | {"immune_to_psychology": True}}, ["MD-1"]),
        ({"warband": FOUGHT}, ["no rout test"]),
        ({"warband": FOUGHT | {"casualties": [1, 0], "gives_up_at": 2}, "turns": 2}, ["gives_up_at has no effect"]),
        ({"combat": {"fighter": {"leader": 9}}}, ["combat.fighter: no test of fear, so a leader near has no effect"]),
        ({"combat": {"enemy": {"knocked_down": 0.5}, "rounds": 2}}, ["combat.enemy: knocked_down has no effect"]),
        ({"combat": {"fighter": {"knocked_down": 0.5, "frenzy": True}}}, ["fighter: knocked_down has no effect"]),
        ({"combat": {"enemy": {"causes_fear": True}, "charger": "nobody"}}, ["causes_fear has no effect"]),
        ({"combat": {"fighter": {"immune_to_psychology": True}}}, ["fighter: immune_to_psychology has no effect"]),
        (SILENCED, ["combat.enemy: hatred has no effect"]),
        (FEAR | {"turns": 3}, ["turns has no effect"]),
        (LEADER_7, ["combat.fighter: the leader's 7 is not better than 7"]),
        ({"stupidity": {"leadership": 7, "leader_state": "stunned"}}, ["stupidity: leader_state has no effect"]),
        ({"stupidity": {"leadership": 7, "leader": 6}}, ["stupidity: the leader's 6 is not better than 7"]),
        ({"alone": {"leadership": 7, "rally_leader": 6}}, ["alone: the leader's 6 is not better than 7"]),
        ({"alone": {"leadership": 7}, "turns": 2}, ["no edge is given"]),
        ({"alone": {"leadership": 12, "charged": 0.5}}, ["alone: charged has no effect"]),
        ({"together": {"leader": 6, "warriors": [NEAR]}}, ["together: warrior: the leader's 6 is not better than 7"]),
        (BEST_OTHER, ["together: best_other has no effect"]),
        ({"together": {"leader": 6, "warriors": [{"leadership": 7}]}}, ["together: the leader has no effect"]),
    ],
    ("warmaster", "rules_applied"): [
        (BLOCKED, ["-later turns"]),
        (BLOCKED | {"turns": 2}, ["later turns"]),
        (EVADES, ["this Command phase only"]),
        ({"dice": 2}, ["-WM-9"]),
        ({"dice": 2, "turns": 2}, ["WM-9 confused until the end of its next Command phase: a turn lost"]),
    ],
    ("warmaster", "not_modelled"): [
        ({"dice": 2, "turns": 2}, ["WM-9", "no initiative", "no orders", " -1 Attack", "cannot support"]),
    ],
    ("warmaster", "warnings"): [(EVADES, ["chain has no effect"])],
    ("grande-tactique", "rules_applied"): [
        ({"game": {"units": [{"loses_firing": 0.5}]}}, ["-GT-7", "-GT-10"]),
        (CHARGED, ["GT-7 charges", "GT-10"]),
    ],
    ("grande-tactique", "not_modelled"): [
        ({"flight": {"arm": "infantry", "enemy": "cavalry"}}, [FAR]),
        ({"column": COLUMN}, [FAR]),
        ({"rout": {"units": [{}, {"edge_distance": 9}, {}], "turns": 1}}, ["no edge_distance (1, 3)"]),
        ({"game": {"units": [{"arm": "artillery"}, {}, {"edge_distance": 9}]}}, ["no edge_distance (2)"]),
    ],
    ("grande-tactique", "warnings"): [
        ({"check": {"arm": "artillery"}}, ["artillery has worn it down"]),
        ({"check": {"arm": "artillery", "worn_down_by": "infantry"}}, ["-has worn it down"]),
        ({"check": {"arm": "artillery", "cause": "charged"}}, ["-has worn it down"]),
    ],
    ("compare", "not_modelled"): [
        (
            {"models": 4, "losses": 1},
            ["commander", "Spur", "WM-2 to WM-8", " -1 Attack", "giving up", "Old Guard", "withdrawal", "it is far"],
        ),
    ],
    ("compare", "warnings"): [
        ({"models": 2, "losses": 0, "grande_tactique": section}, [text])
        for section, text in (
            ({"check_target": 12, "check_sides": 6}, "check_target 12 on a die of 6 is never passed"),
            ({"check_target": 13}, "check_target 13 on a die of 12 is never passed"),
            ({"check_target": 1}, "check_target 1 on a die of 12 is always passed"),
            ({"check_target": 12}, "-check_target"),
            ({"check_target": 2}, "-check_target"),
            ({}, "-check_target"),
        )
    ],
}


@pytest.mark.parametrize(
    ("where", "question", "texts"), [(where, *case) for where, cases in SAID.items() for case in cases]
)
def test_it_is_said(where, question, texts):
    system, kind = where
    said = of(system, question)[kind]
    assert [text for text in texts if (text.removeprefix("-") in said) is text.startswith("-")] == []


@pytest.mark.parametrize(
    ("system", "question"),
    [
        ("mordheim", FEAR),
        ("mordheim", {"combat": {"fighter": {"frenzy": True, "knocked_down": 0.5}, "rounds": 2}}),
        ("mordheim", {"stupidity": {"leadership": 7, "leader": 8}, "turns": 3}),
        ("mordheim", {"warband": FOUGHT | {"casualties": 1, "gives_up_at": 2}, "turns": 2}),
        ("mordheim", {"warband": FOUGHT | {"casualties": [1, 0], "leader_falls": 2, "gives_up_at": 2}, "turns": 2}),
        ("mordheim", {"together": {"leader": 8, "rout_test": True, "p_stunned": 0.5, "best_other": 6}}),
        ("legion", BETTER),
        ("legion", TRIED | {"commander_near": 1.0}),
    ],
)
def test_nothing_is_warned_of(system, question):
    assert of(system, question)["warnings"] == ""


# --- random questions -----------------------------------------------------------------------------------------------

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
                    assert any(text.startswith(rule) for text in result.rules_applied), (table, column)


@pytest.mark.parametrize("seed", range(40))
def test_a_gives_up_at_that_is_warned_of_changes_nothing(seed):
    question = questions(seed)
    result = morale.exact("mordheim", question)
    for warband in [question.get("warband", {}), *question.get("rivals", ())]:
        if any(text.startswith(f"{warband.get('name', 'warband')}: gives_up_at") for text in result.warnings):
            del warband["gives_up_at"]
    assert morale.exact("mordheim", question).as_dict()["tables"] == result.as_dict()["tables"]


# --- names of rivals ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("named", "rivals", "names"),
    [
        ({}, [{}], ["warband", "rival"]),
        ({}, [{}, {}, {}], ["warband", "rival", "rival 2", "rival 3"]),
        ({"name": "rival"}, [{}, {"name": "rival 2"}, {}], ["rival", "rival 3", "rival 2", "rival 4"]),
        ({"name": "a"}, [{}, {"name": "rival"}], ["a", "rival 2", "rival"]),
        ({"casualties_from": [{"of": "rival"}]}, [{}], ["warband", "rival"]),
    ],
)
def test_rivals_without_a_name_are_numbered(named, rivals, names):
    question = {"warband": TWO | named, "rivals": [TWO | rival for rival in rivals], "turns": 1}
    assert list(dict.fromkeys(key[0] for key in rows(morale.exact("mordheim", question)))) == names


# --- sections of Grande Tactique ------------------------------------------------------------------------------------

EVERYTHING = {
    "check": {"quality": "old guard"},
    "flight": {"arm": "cavalry", "enemy": "cavalry", "edge_distance": 18},
    "column": COLUMN,
    "rout": {"units": [{"edge_distance": 20}], "turns": 1},
    "division": {"units": [{"rout": 0.1}], "turns": 1},
    "game": {"units": [{"edge_distance": 22.5}, {"arm": "artillery"}], "turns": 1},
}


def left_out(**sections):
    return morale.exact("grande-tactique", sections).not_modelled


def test_no_edge_is_said_to_be_far_that_is_given_or_that_nobody_flees_to():
    asked = EVERYTHING | {"column": COLUMN | {"edge_distance": 9}}
    assert not [rule for rule in left_out(**asked) if "GT-5 the map edge" in rule]


@pytest.mark.parametrize(
    ("section", "rules"),
    [
        ("check", ["squares", "Locked in Combat", "attached generals: swept along"]),
        ("flight", ["Locked in Combat", "taken prisoner", "GT-5 direction"]),
        ("column", ["GT-4 pursuit", "GT-5 a gap", "GT-5 direction"]),
        ("rout", ["attached generals", "GT-5 friends in the way", "GT-10", "GT-11"]),
        ("division", ["attached generals", "GT-10", "GT-8 where a halted corps"]),
    ],
)
def test_what_no_number_comes_from_is_named(section, rules):
    text = " ".join(left_out(**{section: EVERYTHING[section]}))
    assert [rule for rule in rules if rule not in text] == []


def test_of_several_sections_each_line_says_to_which_it_belongs():
    """GT-4 is applied in [flight] alone."""
    result = morale.exact("grande-tactique", EVERYTHING)
    assert "GT-4 pursuit" in result.rules_applied
    assert "[column], [game]: GT-4 pursuit" in result.not_modelled
    assert all(rule.startswith("[") for rule in result.not_modelled)
    assert len({rule.split(": ", 1)[1] for rule in result.not_modelled}) == len(result.not_modelled)


def test_nothing_points_to_a_section_that_is_asked():
    assert not [rule for rule in left_out(**EVERYTHING) if "see [" in rule]
    assert "[rout], [division]: GT-10 voluntary withdrawal" in left_out(**EVERYTHING)
    assert "GT-10 voluntary withdrawal: see [game]" in left_out(rout=EVERYTHING["rout"])


@pytest.mark.parametrize(
    ("unit", "is_told"),
    [
        ({"arm": "cavalry", "quality": "veteran", "worn_down_by_infantry": 0.5}, True),
        ({"arm": "artillery", "modifier": 1, "worn_down_by_artillery": 0.5}, True),
        ({"quality": "veteran", "charged_by_infantry": 0.5}, True),
        ({"quality": "veteran", "worn_down_by_infantry": 0.5}, False),
        ({"modifier": -1, "loses_firing": 0.5}, False),
        ({"arm": "cavalry", "worn_down_by_infantry": 0.5}, False),
    ],
)
def test_quality_without_a_morale_check_has_no_effect(unit, is_told):
    """GT-2: infantry alone checks its morale, under fire."""
    found = morale.exact("grande-tactique", {"game": {"units": [unit], "turns": 1}}).warnings
    text = "game.units.0: quality and modifier have no effect: no morale check is made (GT-2)"
    assert found == ((text,) if is_told else ())
