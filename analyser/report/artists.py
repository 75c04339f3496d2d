"""Drawing, in one process or two: one from the first picture on, a helper from the last one back, until they meet."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd

from analyser.report.helpers import is_alone
from analyser.report.pictures import Plan, draw, grids_of, is_drawn
from analyser.report.work import Work


def draw_all(plans: Sequence[Plan], frame: pd.DataFrame, work: Work, told: Callable[[], None]) -> None:
    """Draw every picture of the tidy `frame` that is not there yet; `told` is called before each."""
    grids = grids_of(frame)
    for plan in plans:
        told()
        if not is_drawn(plan, work.report):
            draw(plan, grids, work.report, work.scratch)


def help_drawing(employer: int, plans: Sequence[Plan], frame: pd.DataFrame, work: Work) -> None:
    """What the helper does, for as long as its employer, a process number, lives."""
    grids = grids_of(frame)
    for plan in reversed(plans):
        if is_alone(employer):
            return
        if not is_drawn(plan, work.report):
            draw(plan, grids, work.report, work.scratch)
