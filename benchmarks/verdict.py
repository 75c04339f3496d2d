"""The verdict: what loadouts should cost, what a change does, and what changed between two versions of the data."""

import os
import shutil
import statistics
import tempfile
from pathlib import Path

import analyser
from analyser.analysis.matchups import matchups
from analyser.analysis.prices import ALL_LOADOUTS, SITUATIONS, fair_points
from analyser.common.cache import SWITCH
from analyser.game.profiles import shipped_profiles
from benchmarks.first_answers import process
from benchmarks.timing import Candidate, compiled, interleaved

CHANGED = "crown/rifle-platoon@reinforced"
FIELD = "imperium/*"
THREE = ("crown", "imperium", "commonwealth")  # factions
ASKED = ("balance", "what-if", CHANGED, "points=75", "dice-2", "--against", FIELD)
OTHERS = ("dice-1", "dice-3", "dice+1", "dice+2", "dice+3")  # changes that have not been asked about
FIRST = ", no fight kept"
GAME, PRICES, WHAT_IF, SHELL, DIFF = (
    "the game of all shipped loadouts",
    "`fair_points` of it",
    "`what_if` against one faction",
    "`analyser balance what-if` against one faction",
    "`analyser report diff` of one price",
)


def verdict(rounds=5):
    """Seconds of each; the commands as whole processes, with their fights to be fought and then with them kept."""
    before = os.environ.get(SWITCH)
    os.environ[SWITCH] = "no"
    try:
        found = in_process(rounds)
    finally:
        os.environ.pop(SWITCH) if before is None else os.environ.update({SWITCH: before})
    with tempfile.TemporaryDirectory() as folder:
        old, new = versions(Path(folder))
        anew = [tuple(other if word == "dice-2" else word for word in ASKED) for other in OTHERS]
        first, *kept = whole_processes([ASKED, *anew])
        found |= {SHELL + FIRST: first, SHELL: statistics.median(kept)}
        first, *kept = whole_processes([("report", "diff", str(old), str(new))] * (1 + rounds))
        found |= {DIFF + FIRST: first, DIFF: statistics.median(kept)}
    return {"loadouts": len(analyser.matchups(ALL_LOADOUTS, CHANGED).attackers), "seconds": found}


def in_process(rounds):
    """Seconds of each from Python, every fight fought."""
    table = matchups(ALL_LOADOUTS, ALL_LOADOUTS, situations=SITUATIONS)
    candidates = [
        Candidate(GAME, compiled(lambda: matchups(ALL_LOADOUTS, ALL_LOADOUTS, situations=SITUATIONS))),
        Candidate(PRICES, lambda: fair_points(table)),
        Candidate(WHAT_IF, compiled(lambda: analyser.what_if(CHANGED, points=75, dice=-2, against=FIELD))),
    ]
    return {name: sample.summary()["median_s"] for name, sample in interleaved(candidates, rounds).items()}


def whole_processes(commands):
    """Seconds of some commands, one after the other: the first with compiled kernels and without kept fights."""
    with tempfile.TemporaryDirectory() as cache:
        process("-m", "analyser", "warm-up", "matchups", "exact-fights", NUMBA_CACHE_DIR=cache)
        asked = [("-m", "analyser", *words, "--quiet") for words in commands]
        return [process(*each, NUMBA_CACHE_DIR=cache, **{SWITCH: "yes"})[0] for each in asked]


def versions(folder):
    """Two folders of profiles of three factions, which differ in one price."""
    old, new = (folder / name for name in ("old", "new"))
    for each in (old, new):
        each.mkdir()
        for name in ("ruleset", *THREE):
            shutil.copy(Path(shipped_profiles()) / f"{name}.toml", each)
    crown = new / "crown.toml"
    crown.write_text(crown.read_text(encoding="utf-8").replace("points = 60", "points = 75", 1), encoding="utf-8")
    return old, new
