"""Questions of every kind about morale, small enough for both methods, and the plain reading of each system."""

from tests.oracle import (
    plain_compare,
    plain_grande_tactique,
    plain_grande_tactique_game,
    plain_legion,
    plain_mordheim,
    plain_warmaster,
    questions_grande_tactique,
    questions_mordheim,
)

READINGS = {  # the system, random questions, and their tables by the reading
    "legion": ("legion", plain_legion.questions, plain_legion.tables),
    "warmaster": ("warmaster", plain_warmaster.questions, plain_warmaster.tables),
    "mordheim": ("mordheim", questions_mordheim.questions, plain_mordheim.tables),
    "compare": ("compare", plain_compare.questions, plain_compare.tables),
    "grande-tactique": ("grande-tactique", questions_grande_tactique.questions, plain_grande_tactique.tables),
    "a game": ("grande-tactique", questions_grande_tactique.games, plain_grande_tactique_game.tables),
}
LOSSES = {0: 0.4, 1: 0.4, 2: 0.2}


def division(units, turns=4, **more):
    """A division of so many units that may be lost."""
    members = [{"rout": 0.1 + 0.02 * place, "lost": 0.3} for place in range(units)]
    return {"division": {"units": members, "turns": turns, **more}}


def warbands(number, warriors, **more):
    one = {"leader": 8, "others": [{"leadership": 7, "number": warriors - 1}], "casualties": LOSSES, **more}
    rivals = [{**one, "name": f"rival {place}"} for place in range(1, number)]
    return {"warband": one, "rivals": rivals, "turns": 4}


_ROUTED = [{"edge_distance": 20}, {"arm": "cavalry", "edge_distance": 30}, {"shelter_distance": 10}]
_FRIENDS = [{"distance": 3, "shaken": 0.5}, {"distance": 8, "arm": "cavalry", "shaken": 0.5}, {"distance": 15}]
_GAME = [
    {"edge_distance": 20, "column": 1, "charged_by_cavalry": 0.2, "worn_down_by_infantry": 0.3, "quality": "old guard"},
    {"arm": "cavalry", "edge_distance": 15, "column": 1, "worn_down_by_artillery": 0.3, "state": "shaken"},
    {"arm": "artillery", "worn_down_by_artillery": 0.2},
]
_OBSTACLES = [{"distance": 3, "kind": "impassable"}, {"distance": 4, "kind": "friend", "chain": 2}]
_FRIENDS_AND_FOE = [{"distance": 1, "kind": "friend"}, {"distance": 5, "kind": "combat", "stands": 2}]
_LEGION = {"courage": 1, "tokens": 3, "received": {0: 0.5, 2: 0.5}, "received_after": {0: 0.5, 1: 0.5}}
_WARRIORS = [{"leadership": 6, "near_leader": True}, {"name": "b", "leadership": 8}]
_ROUT = {"leader": 9, "p_stunned": 0.25, "p_out": 0.25, "rout_test": True, "best_other": 7}
_TOGETHER = {"together": _ROUT | {"warriors": _WARRIORS}}
_ALONE = {"alone": {"leadership": 6, "charged": 0.2, "edge": 20.5, "save": 6, "wounds": 2}}
_FRENZIED, _FEARED = {"attacks": 2, "frenzy": True, "knocked_down": 0.3}, {"hatred": True, "causes_fear": True}
_COMBAT = {"combat": {"fighter": _FRENZIED, "enemy": _FEARED, "rounds": 2}}
QUESTIONS = {
    "division": ("grande-tactique", division(4)),
    "rout": (
        "grande-tactique",
        {"rout": {"units": _ROUTED, "charged_by_cavalry": 0.1, "charged_by_infantry": 0.2, "turns": 4}},
    ),
    "column": (
        "grande-tactique",
        {"column": {"arm": "cavalry", "enemy": "cavalry", "edge_distance": 30, "friends": _FRIENDS}},
    ),
    "game": ("grande-tactique", {"game": {"units": _GAME, "surrounded": 0.1, "turns": 3}}),
    "legion": (
        "legion",
        _LEGION | {"destroyed": 0.05, "edge_distance": 12, "move_distance": 6, "commander_courage": 2},
    ),
    "legion, near at times": (
        "legion",
        _LEGION | {"commander_courage": 3, "commander_near": [1, 0.5, 0], "rounds": 3, "until_panic": 0.5},
    ),
    "warmaster": ("warmaster", {"dice": 2, "obstacles": [*_OBSTACLES, {"distance": 8, "kind": "enemy"}]}),
    "a retreat": (
        "warmaster",
        {"move": "retreats", "distance": {3: 0.5, 7: 0.5}, "obstacles": _FRIENDS_AND_FOE},
    ),
    "warbands": ("mordheim", warbands(2, 4, leader_stunned=0.1)),
    "warriors": ("mordheim", {"turns": 3, "stupidity": {"leadership": 6}} | _ALONE | _COMBAT | _TOGETHER),
    "compare": ("compare", {"models": 5, "losses": LOSSES, "attacks": 2, "edge_distance": 7, "rounds": 3}),
}
