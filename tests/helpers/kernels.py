"""Compile the kernels before the tests that run side by side ask for them: each once, on all processors.

python -m tests.helpers.kernels
"""

import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import analyser
from analyser import morale

A, B = "crown/rifle-platoon@basic", "imperium/scion-grenadier-platoon@basic"
TARGET = {"models": 5, "defence": 2, "damage_limit": 3, "discipline": 7, "break_limit": 2}
ANY_DICE = {"rating": "neutral", "extra_reroll": {"faces": ["strike", "miss", "blank"], "dice": 4}, "veteran": 1}
OVERCHARGE = {"overcharge": True, "attacker_models": 5, "attacker_damage_limit": 2}
MANY_SIDES = {"heroic": 1, "strike": 248, "blank": 2}
FEW = {"method": "monte-carlo", "trials": 1000, "threads": 1}
BY_TRIALS, BY_GROUPS = 1000, 2_000_000

LARGE_GAME = {
    "game": {
        "turns": 4,
        "units": [
            {"edge_distance": 20, "column": 1, "worn_down_by_infantry": 0.3, "charged_by_cavalry": 0.2},
            {"arm": "cavalry", "state": "shaken", "edge_distance": 18, "column": 1, "charged_by_infantry": 0.2},
            *({"arm": "artillery", "worn_down_by_artillery": 0.2} for _ in range(3)),
        ],
    }
}
QUESTIONS = {
    "legion": {"courage": 1, "tokens": 2, "received": 1},
    "grande-tactique": {
        "flight": {"arm": "cavalry", "enemy": "cavalry", "edge_distance": 18},
        "column": {
            "arm": "infantry",
            "enemy": "cavalry",
            "friends": [{"distance": 8, "arm": "cavalry", "shaken": 0.5}],
        },
        "rout": {"units": [{"edge_distance": 20}], "charged_by_cavalry": 0.1},
        "division": {"units": [{"rout": 0.1}, {"rout": 0.2, "lost": 0.3}]},
        "game": {"turns": 2, "units": [{"edge_distance": 20, "worn_down_by_infantry": 0.3}]},
    },
    "warmaster": {"dice": 2, "obstacles": [{"distance": 4, "kind": "friend"}, {"distance": 12, "kind": "enemy"}]},
    "mordheim": {
        "turns": 2,
        "warband": {"leader": 8, "others": [{"leadership": 7, "number": 3}], "casualties": 1, "leader_falls": "random"},
        "alone": {"leadership": 7, "opponents": 2, "edge": 14, "rally_leader": 8},
        "combat": {"fighter": {"attacks": 2, "hatred": True}, "enemy": {"frenzy": True, "causes_fear": True}},
        "stupidity": {"leadership": 5, "leader": 8},
        "together": {"leader": 8, "rout_test": True, "best_other": 7, "warriors": [{"leadership": 6}]},
    },
    "compare": {"models": 6, "losses": {0: 0.5, 2: 0.5}, "rounds": 2},
}


def attack(die=None, **keys):
    """A scenario of dice on a target."""
    scenario = {"attack": {"dice": 6, "rating": "improved"} | keys, "target": TARGET}
    return scenario | ({"ruleset": {"die": die}} if die else {})


def exact_fights():
    """Also what focus fire and a duel with a stated distance ask for."""
    analyser.charge(A, B)
    analyser.focus([{"attacker": A}], B)
    analyser.duel(A, B, rounds=2)


def sampled_duel():
    """Real decks."""
    analyser.duel(A, B, rounds=2, **FEW)


def replaced_duel():
    """Cards put back."""
    analyser.duel(A, B, rounds=2, replacement=True, **FEW)


def overcharged_fights():
    """Attack rolls that count blanks; with real decks, and with cards put back."""
    overcharged = {"dice": 3, "qualities": ["Overcharge"], "overcharge": True, "attacker_models": 3}
    for replacement in (False, True):
        analyser.focus([overcharged], B, replacement=replacement, **FEW)


def attacks():
    """The exact kernel, and the dice kernel in each of its forms."""
    for scenario in (
        attack(),
        attack(**ANY_DICE),
        attack(**OVERCHARGE),
        attack(**ANY_DICE, **OVERCHARGE),
        attack(MANY_SIDES),
        attack(MANY_SIDES, **ANY_DICE),
    ):
        analyser.exact(scenario)
        analyser.simulate(scenario, trials=1000, threads=1)


def matchups():
    """Shooting, exact and sampled."""
    analyser.matchups(A, B)
    analyser.matchups([A, B], [A, B], situations="all")


def morale_of(system):
    """A system, exact and sampled: both by whole tables and by groups of trials."""
    for question in (QUESTIONS[system], *([LARGE_GAME] if system == "grande-tactique" else [])):
        ready = morale.load_question(system, question)
        if question is not LARGE_GAME:
            morale.exact(system, ready)
        for trials in (BY_TRIALS, BY_GROUPS):
            morale.simulate(system, ready, trials, threads=1)


def families():
    """What compiles what kernels, those that take longest first; nearly no kernel is in two of them."""
    fights = (exact_fights, sampled_duel, replaced_duel, overcharged_fights, attacks, matchups)
    return [(each, ()) for each in fights] + [(morale_of, (system,)) for system in QUESTIONS]


def main():
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as pool:
        for done in [pool.submit(function, *arguments) for function, arguments in families()]:
            done.result()


if __name__ == "__main__":
    main()
