"""Texts of answers: rules applied, rules not modelled, warnings, headlines."""

import re

import pytest

from analyser import morale
from analyser.cli.morale import _EXAMPLES
from tests.oracle.morale_checks import rows
from tests.oracle.questions_mordheim import questions

FEAR = {"combat": {"enemy": {"causes_fear": True}}}
FOUGHT = {"leader": 8, "others": [{"leadership": 7, "number": 3}]}
NEAR, FAR = {"leadership": 7, "near_leader": True}, "GT-5 the map edge: no edge_distance is stated, so it is far"
BLOCKED = {"move": "retreats", "distance": 5, "obstacles": [{"distance": 2, "kind": "impassable"}]}


def of(system, question):
    """The texts of an answer, by kind."""
    result = morale.exact(system, question)
    return {kind: " | ".join(getattr(result, kind)) for kind in ("rules_applied", "not_modelled", "warnings")}


def test_only_answers_with_a_commander_name_it():
    alone = str(morale.legion(courage=2, tokens=5))
    assert "ommander" not in alone.partition("Rules applied")[0]
    led = str(morale.legion(courage=2, tokens=5, commander_courage=3, commander_near=0.5))
    assert "Commander near     probability 0.5\n" in led
    assert "\ncommander | round |" in led
    assert "\nwithout   |     1 |" in led


def test_the_first_example_of_legion_has_a_panic():
    words = _EXAMPLES["legion"][0].split()
    asked = {name.removeprefix("--"): int(value) for name, value in zip(words[::2], words[1::2])}
    assert 0.1 < float(morale.legion(**asked).probability("panicked", moment=1)) < 0.9


FRIEND = {"distance": 4, "kind": "friend"}
LED = {"courage": 2, "tokens": 5, "commander_courage": 3, "rounds": 2}
GONE = {"models": 10, "nerve": 0.67, "losses": 2}


@pytest.mark.parametrize(
    ("system", "question", "row"),
    [
        ("legion", LED, "Star Wars: Legion, without a commander, round 1: panicked "),
        (
            "legion",
            {"courage": 1, "tokens": 2},
            "Star Wars: Legion, without a commander, round 1: panicked 2 times in 5.",
        ),
        ("warmaster", {"dice": 1, "obstacles": [FRIEND]}, "Warmaster, if friends never make way: confused "),
        ("warmaster", {"dice": 1}, "Warmaster, driven back: confused "),
        ("compare", GONE, "Gone after round 6: Armoured Clash always, Star Wars: Legion "),
        ("mordheim", {"warband": FOUGHT, "turns": 4}, ", turn 4: "),
        ("grande-tactique", {"check": {"arm": "infantry"}}, "Grande Tactique, infantry: "),
    ],
)
def test_a_headline_names_the_row_with_the_likeliest_event(system, question, row):
    assert row in morale.exact(system, question).headline


APPLIED = [  # with the numbers of the rules
    ("mordheim", FEAR, "MD-9"),
    ("mordheim", {"combat": {"fighter": {"leader": 9}, "enemy": {"causes_fear": True}}}, "MD-4 MD-9"),
    ("mordheim", {"combat": {"enemy": {"frenzy": True}}}, "MD-7"),
    ("mordheim", {"combat": {"fighter": {"frenzy": True}, "enemy": {"causes_fear": True}}}, "MD-7"),
    ("mordheim", {"warband": FOUGHT}, ""),
    ("mordheim", {"warband": FOUGHT, "rivals": [FOUGHT | {"casualties": 1}]}, "MD-1 MD-2 MD-3"),
    ("mordheim", {"alone": {"leadership": 7, "rally_leader": 9}}, "MD-4 MD-5 MD-6"),
    ("mordheim", {"stupidity": {"leadership": 7, "leader": 8}}, "MD-4 MD-10"),
    ("mordheim", {"together": {"leader": 8, "warriors": [NEAR]}}, "MD-4"),
    ("legion", {"courage": 3, "tokens": 6}, "LG-1 LG-2 LG-3 LG-4 LG-5 LG-6 LG-7"),
    ("legion", {"courage": "none"}, "LG-1"),
    ("warmaster", {"dice": 1, "obstacles": [{"distance": 9, "kind": "friend"}]}, "WM-1"),
    ("warmaster", {"dice": 1, "obstacles": [{"distance": 3, "kind": "friend", "make_way": True}]}, "WM-1 WM-4 WM-7"),
    (
        "warmaster",
        {"dice": 1, "obstacles": [{"distance": 2, "kind": "enemy"}, {"distance": 4, "kind": "friend"}]},
        "WM-1 WM-3",
    ),
]


@pytest.mark.parametrize(("system", "question", "numbers"), APPLIED)
def test_rules_that_can_apply_are_listed(system, question, numbers):
    rules = morale.exact(system, question).rules_applied
    assert {re.match(r"\S+", rule)[0].rstrip(",:") for rule in rules} == set(numbers.split())


BETTER = {"courage": 1, "tokens": 6, "commander_courage": 3}
TRIED = {"courage": 1, "commander_courage": 3, "until_panic": 0.05, "rounds": 2}
REACHED = {"courage": 1, "tokens": 2, "edge_distance": 12, "move_distance": 4}
CHARGED = {"game": {"units": [{"charged_by_cavalry": 0.5, "withdraws": 3}]}}
SAID = {  # words of the texts of a kind; after "-" words that they do not have
    ("legion", "rules_applied"): [
        ({"courage": 3, "tokens": 6, "commander_courage": 1}, ["-commander"]),
        (BETTER, ["commander"]),
        (REACHED | {"rounds": 3}, ["flight"]),
    ],
    ("legion", "not_modelled"): [
        (
            REACHED,
            ["terrain", "clambering", "melee", "engaged", "Jump, Reposition and Spur", "cohesion", "free actions"],
        )
    ],
    ("legion", "warnings"): [
        (TRIED | {"commander_near": 0.5}, ["tokens_until_panic: a commander, if there is one, is certainly near"]),
    ],
    ("mordheim", "rules_applied"): [
        ({"alone": {"leadership": 7, "charged": 0.5}}, ["charged"]),
        ({"alone": {"leadership": 7}}, ["-charged"]),
    ],
    ("mordheim", "not_modelled"): [
        ({"warband": FOUGHT | {"casualties_from": [{}]}}, ["in fights"]),
        ({"combat": {"enemy": {"frenzy": True}}}, ["MD-7"]),
    ],
    ("warmaster", "rules_applied"): [
        (BLOCKED, ["WM-8"]),
    ],
    ("warmaster", "not_modelled"): [
        ({"dice": 2}, ["WM-9", "no initiative", "no orders", " -1 Attack", "cannot support"])
    ],
    ("grande-tactique", "rules_applied"): [
        ({"game": {"units": [{"loses_firing": 0.5}]}}, ["-GT-7", "-GT-10"]),
        (CHARGED, ["GT-7 charges", "GT-10"]),
    ],
    ("grande-tactique", "not_modelled"): [
        ({"flight": {"arm": "infantry", "enemy": "cavalry"}}, [FAR]),
        ({"rout": {"units": [{}, {"edge_distance": 9}, {}], "turns": 1}}, ["without edge_distance (1, 3)"]),
        (CHARGED, ["GT-4 pursuit", "-(game)"]),
        (CHARGED | {"flight": {"arm": "infantry", "enemy": "cavalry"}}, ["GT-4 pursuit (game)"]),
    ],
    ("compare", "not_modelled"): [
        (
            {"models": 4, "losses": 1},
            ["commander", "Spur", "WM-2 to WM-8", " -1 Attack", "giving up", "Old Guard", "withdrawal", "it is far"],
        )
    ],
    ("compare", "warnings"): [
        ({"models": 2, "losses": 0, "grande_tactique": section}, [text])
        for section, text in (
            ({"check_target": 12, "check_sides": 6}, "check_target 12 on a die of 6 is never passed"),
            ({"check_target": 1}, "check_target 1 on a die of 12 is always passed"),
        )
    ],
}


@pytest.mark.parametrize(
    ("where", "question", "texts"), [(where, *case) for where, cases in SAID.items() for case in cases]
)
def test_texts_have_these_words(where, question, texts):
    system, kind = where
    said = of(system, question)[kind]
    assert [text for text in texts if (text.removeprefix("-") in said) is text.startswith("-")] == []


OCCASIONS = {
    "warband": {"p_tests": "MD-1 rout tests", "p_may_have_given_up": "MD-2", "p_routed": "MD-1 rout tests"},
    "alone": {"p_broke": "MD-5", "p_rallied": "MD-6"},
    "combat": {"p_fighter_needs_sixes": "MD-9", "p_enemy_needs_sixes": "MD-9", "p_enemy_frenzied": "MD-7"},
    "stupidity": {"p_idle": "MD-10"},
}


@pytest.mark.parametrize("seed", range(40))
def test_rules_behind_events_of_random_questions_are_listed(seed):
    result = morale.exact("mordheim", questions(seed))
    for table, columns in OCCASIONS.items():
        for row in rows(result, table).values() if table in result.raw_tables else ():
            for column, rule in columns.items():
                if row.get(column, 0) > 0:
                    assert any(text.startswith(rule) for text in result.rules_applied), (table, column)
