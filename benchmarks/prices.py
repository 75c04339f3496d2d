"""Prices: what loadouts should cost, what a change does, and what changed between two versions of the data."""

import os
import shutil
import tempfile
from pathlib import Path

import analyser
from analyser.analysis.matchups import matchups
from analyser.analysis.prices import ALL_LOADOUTS, fair_points
from analyser.analysis.situations import EXCHANGES
from analyser.common.cache import SWITCH
from analyser.game.profiles import shipped_profiles
from benchmarks.figures import figure
from benchmarks.timing import Candidate, compiled, interleaved, warm

TITLE = "Prices and reports"
TEXT = """All shipped loadouts against each other, their fair points, the effect of one change, and of one price between
two versions of three factions. Kernels are compiled; in the commands, fights that were answered before are kept."""

CHANGED, FIELD = "crown/rifle-platoon@reinforced", "imperium/*"
GAME, WHAT_IF = "all shipped loadouts against each other", "`what_if` against one faction"


def figures(rounds=2):
    """Seconds of each."""
    before = os.environ.get(SWITCH)
    os.environ[SWITCH] = "no"
    try:
        found = in_process(rounds)
    finally:
        os.environ.pop(SWITCH) if before is None else os.environ.update({SWITCH: before})
    asked = ("balance", "what-if", CHANGED, "points=75", "dice-2", "--against", FIELD, "--quiet")
    found.append(figure("`analyser balance what-if` against one faction", warm(*asked, rounds=3, **{SWITCH: "yes"})))
    with tempfile.TemporaryDirectory() as folder:
        old, new = versions(Path(folder))
        diff = warm("report", "diff", str(old), str(new), "--quiet", rounds=3, **{SWITCH: "yes"})
    return [*found, figure("`analyser report diff` of one price", diff, goal=5)]


def in_process(rounds):
    """Seconds of each from Python, every fight fought."""
    table = matchups(ALL_LOADOUTS, ALL_LOADOUTS, situations=EXCHANGES)
    candidates = [
        Candidate(GAME, compiled(lambda: matchups(ALL_LOADOUTS, ALL_LOADOUTS, situations=EXCHANGES))),
        Candidate("`fair_points` of them", lambda: fair_points(table)),
        Candidate(WHAT_IF, compiled(lambda: analyser.what_if(CHANGED, points=75, dice=-2, against=FIELD))),
    ]
    return [figure(name, sample.summary()) for name, sample in interleaved(candidates, rounds).items()]


def versions(folder):
    """Two folders of profiles of three factions, which differ in one price."""
    old, new = (folder / name for name in ("old", "new"))
    for each in (old, new):
        each.mkdir()
        for name in ("ruleset", "crown", "imperium", "commonwealth"):
            shutil.copy(Path(shipped_profiles()) / f"{name}.toml", each)
    crown = new / "crown.toml"
    crown.write_text(crown.read_text(encoding="utf-8").replace("points = 60", "points = 75", 1), encoding="utf-8")
    return old, new
