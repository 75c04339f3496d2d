"""Asking further: the certified best of thousands of attacks, each worked out exactly, and of duels, by a race."""

import time

import analyser

ATTACKS, DUELS = "the best of so many attacks, exactly", "the best of so many duels with real decks, by a race"
CROWN = ["crown/rifle-platoon@*", "crown/sharp-rifles@*", "crown/rifle-command-platoon@*", "crown/drake-field-guns@*"]
IMPERIUM = ["imperium/scion-grenadier-platoon@*", "imperium/krupp-field-guns@*"]
QUESTIONS = {
    ATTACKS: {
        "baseline": {
            "attack": {"attacker": "crown/rifle-platoon@basic", "distance": 6},
            "target": {"unit": "imperium/scion-grenadier-platoon@basic"},
        },
        "variants": {"covered": {"target": {"taking_cover": True}}},
        "ranges": {
            "attacker": ["crown/*"],
            "distance": range(2, 25, 2),
            "models": [3, 4, 5, 6],
            "aiming": [False, True],
        },
        "metric": "p_annihilated",
    },
    DUELS: {
        "baseline": {
            "duel": {"rounds": 4},
            "a": {"unit": "crown/rifle-platoon@basic"},
            "b": {"unit": "imperium/scion-grenadier-platoon@basic"},
        },
        "ranges": {
            "a": CROWN,
            "b": IMPERIUM,
            "rounds": range(2, 9),
        },
        "metric": "p_a_wins",
    },
}
METHODS = {ATTACKS: "exact", DUELS: "race"}


def asking(rounds=3):
    """Of each search its size, what it found, and the least seconds of some on one thread: of the clock, of the CPU."""
    return {name: timed(name, rounds) for name in QUESTIONS}


def timed(name, rounds):
    def ask(**changes):
        return analyser.search({**QUESTIONS[name], **changes}, method=METHODS[name], threads=1)

    ask(ranges={})  # kernels are compiled
    seconds = []
    for _ in range(rounds):
        clock, cpu = time.perf_counter(), time.process_time()
        found = ask()
        seconds.append((time.perf_counter() - clock, time.process_time() - cpu))
    trials = None if found.race is None else int(found.race.trials.sum())
    size = {"variants": len(found.frame), "fights": found.fights, "trials": trials}
    return size | {"wall_s": min(clock for clock, _ in seconds), "cpu_s": min(cpu for _, cpu in seconds)}
