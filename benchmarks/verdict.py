"""The verdict: what loadouts should cost, what a change does, and what changed between two versions of the data."""

import shutil
import tempfile
from pathlib import Path

import analyser
from analyser.analysis.matchups import matchups
from analyser.analysis.prices import EVERYBODY, SITUATIONS, fair_points
from analyser.game.profiles import shipped_profiles
from benchmarks.first_answers import process
from benchmarks.timing import Candidate, compiled, interleaved

CHANGED = "crown/rifle-platoon@reinforced"
FIELD = "imperium/*"
THREE = ("crown", "imperium", "commonwealth")  # factions
GAME, PRICES, WHAT_IF, DIFF = (
    "the game of all shipped loadouts",
    "`fair_points` of it",
    "`what_if` against one faction",
    "`analyser diff` of one price",
)


def verdict(rounds=5):
    """Seconds of each; the diff as a whole process."""
    table = matchups(EVERYBODY, EVERYBODY, situations=SITUATIONS)
    candidates = [
        Candidate(GAME, compiled(lambda: matchups(EVERYBODY, EVERYBODY, situations=SITUATIONS))),
        Candidate(PRICES, lambda: fair_points(table)),
        Candidate(WHAT_IF, compiled(lambda: analyser.what_if(CHANGED, points=75, dice=-2, against=FIELD))),
    ]
    found = {name: sample.summary()["median_s"] for name, sample in interleaved(candidates, rounds).items()}
    return {"loadouts": len(table.attackers), "seconds": found | {DIFF: diff()}}


def diff():
    """Seconds of the command for one price in one of three factions."""
    with tempfile.TemporaryDirectory() as folder:
        old, new = (Path(folder) / name for name in ("old", "new"))
        for each in (old, new):
            each.mkdir()
            for name in ("ruleset", *THREE):
                shutil.copy(Path(shipped_profiles()) / f"{name}.toml", each)
        crown = new / "crown.toml"
        crown.write_text(crown.read_text(encoding="utf-8").replace("points = 60", "points = 75", 1), encoding="utf-8")
        seconds, _, _ = process("-m", "analyser", "diff", str(old), str(new))
        return seconds
