"""The page of a store: how its cells were worked out, what is varied, what it took."""

import pytest

from analyser.sweep.running import run_sweep
from analyser.sweep.store import PAGE
from tests.helpers.sweeps import Inline

PLAN = {
    "attackers": {"units": "crown/rifle-p*", "levels": "basic", "dice": "-1..1"},
    "defenders": {"units": "krupp@basic", "damage_limit": "1..20"},
}
SAMPLE = {
    "sample": {"trials": 1000},
    "question": {"attack": {"attacker": "crown/rifle-platoon@basic"}, "target": {"unit": "krupp@basic"}},
}


@pytest.mark.parametrize(
    ("plan", "says"),
    [
        (
            PLAN,
            [
                "60 cells (one fight each), all exact,",
                "crown/rifle-p* at basic",
                "-1, +0, +1",
                "1, 2, 3 ... 20",
                "damage limit of",
            ],
        ),
        (PLAN | {"sampling": {"trials": 100}}, ["60 cells (one fight each), simulated,"]),
        (SAMPLE, ["1,000 trials, simulated,"]),
    ],
)
def test_the_page_says_how_and_what(tmp_path, plan, says):
    run_sweep(plan, tmp_path / "store", executor=Inline())
    page = " ".join((tmp_path / "store" / PAGE).read_text(encoding="utf-8").split())
    for each in says:
        assert each in page
