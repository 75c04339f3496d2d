"""The doors of sweeps: plans, and questions that stores are asked."""

from analyser.sweep.plan import read_plan
from analyser.sweep.running import run_sweep
from tests.helpers.sweeps import Inline

MOST_CELLS = 2_000  # a campaign has no time for more
UNITS = {"attackers": {"units": "crown/rifle-p*"}, "defenders": {"units": ["krupp@basic"], "defence": "1..3"}}
QUESTION = {"attack": {"attacker": "crown/rifle-platoon@basic"}, "target": {"unit": "krupp@basic"}}


def sweep(given, folder):
    """A plan: all of it if it is small, else a part; then a question."""
    plan = read_plan(given["plan"])
    small = plan.cells <= MOST_CELLS and plan.parts <= 50
    if not small or plan.is_sample:
        return {"parts": plan.parts, "last": plan.size(plan.parts - 1), "folder": plan.folder(plan.parts - 1)}
    found = run_sweep(given["plan"], folder / "store", executor=Inline(), part=given["part"])
    if not found.done:
        return {}
    asked = given["where"] if isinstance(given["where"], dict) else {}  # a table of names, as Python itself demands
    where = {name: value for name, value in asked.items() if isinstance(name, str)}
    return {"cells": found.count(**where), "means": len(found.means(given["by"], given["metric"]))}


DOORS = {
    "sweep": (
        sweep,
        [
            {
                "plan": UNITS | {"situations": ["long-range"], "figures": ["p_broken"]},
                "part": None,
                "where": {"defender_defence": (1, 2), "attacker": "crown/*"},
                "by": ["attacker"],
                "metric": "p_broken",
            },
            {
                "plan": UNITS
                | {"distances": "4..6", "ruleset": [{"name": "a", "die": {"strike": 6}}], "part_cells": 4},
                "part": "1/2",
                "where": {"ruleset": "a"},
                "by": "defender_defence",
                "metric": "mean_damage",
            },
            {
                "plan": {"sample": {"trials": 70_000, "seed": 3}, "question": QUESTION},
                "part": None,
                "where": {},
                "by": "cell",
                "metric": "count",
            },
        ],
    ),
}
