"""Error messages about questions, from Python and on the command line."""

import pytest
from click.testing import CliRunner

from analyser import morale
from analyser.cli import cli
from analyser.common.errors import InputError

OTHERS = [{"leadership": 8, "number": 3}]
FOUR = {"leader": 8, "others": OTHERS, "out": 1}
FRESH = {"leader": 12, "others": OTHERS, "casualties": 0}
ENEMY, FRIEND = {"distance": 1, "kind": "enemy"}, {"distance": 0, "kind": "friend"}
HORSE = {"arm": "cavalry", "enemy": "cavalry"}
SHOOT_OUT = {"a": "crown/rifle-p@basic", "b": "imperium/scion-grenadier-p@basic"}
FIVE = {"models": 5, "losses": 1}
WRONG = {
    "legion": [
        ({"courage": 0}, "courage: 0 is not usable (allowed: 1 to 20 or 'none')"),
        ({"courage": 1, "edge_distance": -3.0, "move_distance": 6.0}, "edge_distance: -3.0 is not usable"),
        ({"courage": 1, "received": {0: 0.5, 1: 0.6}}, "add up to 1.1"),
        ({"courage": 1, "corage": 1}, "did you mean 'courage'"),
        ({"courage": 1, "ruleset": {"rally_successes": 7}}, "rally_successes 7 (allowed: up to rally_sides, 6)"),
        ({"courage": 1, "tokens": 60, "received": 100, "rounds": 100}, "--method monte-carlo"),
        ({"courage": 1, "commander_near": [1, 0]}, "commander_near has 2 numbers (allowed: one for all rounds, or 6"),
        ({"courage": 1, "until_panic": 1}, "until_panic: 1 is not usable"),
        (
            {"courage": 1, "until_panic": True, "ruleset": {"rally_successes": 6}},
            "never panics, because the rally step removes all",
        ),
    ],
    "grande-tactique": [
        ({}, "no section"),
        ({"division": {"units": []}}, "division.units: 0 entries (allowed: at least 1)"),
        ({"division": {"units": [{"rout": 0.1}] * 3, "corps_units": 2}}, "corps_units 2 (allowed: the division's 3"),
        ({"rout": {"units": [{}], "charged_by_cavalry": 0.6, "charged_by_infantry": 0.6}}, "more than 1"),
        ({"rout": {"units": [{"arm": "cavalry", "in_shelter": True}]}}, "shelter for cavalry"),
        ({"rout": {"units": [{"arm": "artillery"}]}}, "'infantry' or 'cavalry'"),
        ({"column": HORSE | {"old_guard": True, "friends": [{"distance": 1}]}}, "old guard"),
        ({"column": HORSE | {"friends": [{"distance": 12}], "edge_distance": 10}}, "12 inches behind is off the map"),
        ({"division": {"units": [{"rout": 0.1, "lost": 0.1}] * 14}}, "--method monte-carlo"),
    ],
    "warmaster": [
        ({"dice": 2, "obstacles": [{"distance": 1, "kind": "frend"}]}, "did you mean 'friend'?"),
        ({"dice": 2, "distance": 3}, "allowed: dice without distance"),
        ({"move": "falls_back", "distance": {3: 1.5}}, "1.5 is not usable as a probability"),
        *(
            ({"move": "falls_back", "distance": distance}, "allowed: whole centimetres, as an integer")
            for distance in (2.5, {"2.5": 1.0}, 2.0)
        ),
        ({"dice": 2, "obstacles": [ENEMY | {"chain": 1}]}, "chain: enemy does not make way"),
        ({"dice": 2, "obstacles": [FRIEND | {"chain": n} for n in (19, 3)]}, "24 friends in all (allowed: up to 20)"),
        ({"move": "evades", "distance": 9, "obstacles": [ENEMY]}, "WM-6"),
        ({"dice": 2, "stands": 2}, "WM-8"),
    ],
    "mordheim": [
        ({}, "no section"),
        ({"warband": FOUR | {"out": 5}}, "5 out of action of 4 (allowed: 0 to 4)"),
        ({"warband": FOUR | {"casualties": [2, 2, 0]}, "turns": 3}, "5 of 4 warriors"),
        (
            {"warband": FOUR, "rivals": [FOUR | {"name": "orcs"}] * 2},
            "names of warbands: warband, orcs, orcs",
        ),
        (
            {"warband": FOUR, "rivals": [FOUR | {"name": "several_left"}]},
            "allowed: a different name for each; not several_left or nobody_yet",
        ),
        ({"warband": FOUR | {"name": "a@b"}}, "warband.name"),  # @ ends a name in a metric
        ({"warband": FRESH, "winner": "first_to_leave"}, "winner needs rivals"),
        (
            {"warband": FRESH | {"casualties_from": [{"of": "skavn"}]}, "rivals": [FRESH | {"name": "skaven"}]},
            "did you mean 'skaven'",
        ),
        ({"warband": FRESH | {"casualties_from": [{"turns": [9]}]}, "turns": 8}, "turn 9 (allowed: 1 to 8)"),
        ({"together": {"leader": 7, "p_out": 0.6, "p_stunned": 0.6, "warriors": [{"leadership": 7}]}}, "add up to 1.2"),
    ],
    "compare": [
        (FIVE | {"mordheim": {"leadership": 13}}, "mordheim.leadership: 13 is not usable"),
        ({"models": 3}, "losses and a duel are both stated, or both missing"),
        (FIVE | {"side": "b"}, "side: needs [duel]"),
        (SHOOT_OUT | {"a": "crown/rifl-p"}, "did you mean 'rifle-platoon'"),
        (SHOOT_OUT | {"models": 3}, "models: the duel determines this key (allowed: left out, or 6)"),
        (SHOOT_OUT | {"attacks": 2}, "attacks: the duel determines the attacks"),
    ],
}


@pytest.mark.parametrize(
    ("system", "question", "message"), [(system, *case) for system, cases in WRONG.items() for case in cases]
)
def test_error_messages(system, question, message):
    with pytest.raises(InputError) as error:
        morale.exact(system, question)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("legion", "--courage", "0"), "--courage: 0 is not usable (allowed: 1 to 20 or 'none')"),
        (("grande-tactique", "--division-units", "[]"), "--division-units: 0 entries (allowed: at least 1)"),
        (
            ("grande-tactique", "--check-arm", "infantry", "--ruleset-check-sides", "0"),
            "--ruleset-check-sides: 0 is not usable (allowed: 1 to 1000)",
        ),
    ],
)
def test_the_command_line_names_the_option(arguments, message):
    result = CliRunner().invoke(cli, ["morale", *arguments])
    assert (result.exit_code, result.stderr) == (2, f"error: {message}\n")
