"""Drawing in two processes: this one from the first picture on, a helper from the last one back, until they meet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from analyser.report.collecting import rarely_collected
from analyser.report.helpers import helper, is_alone, work_given
from analyser.report.pictures import Plan, draw, is_drawn

WORTH_A_HELPER = 12  # pictures; for fewer, starting a process takes longer than it saves


class Studio(NamedTuple):
    """Where the pictures of a report are made.

    Attributes
    ----------
    figures : Path
        The tidy table that they show, in a file.
    folder : Path
        Of the report.
    scratch : Path
        For files that are not whole yet.
    """

    figures: Path
    folder: Path
    scratch: Path


def draw_all(plans: Sequence[Plan], frame: pd.DataFrame, studio: Studio, told: Callable[[], None]) -> None:
    """Draw every picture that is not there yet; `frame` is what `studio.figures` holds.

    `told` is called before each picture.
    """
    for plan in plans:
        told()
        if not is_drawn(plan, studio.folder):
            draw(plan, frame, studio.folder, studio.scratch)


def helped(plans: Sequence[Plan], studio: Studio, *, processes: int) -> AbstractContextManager[None]:
    """Inside this a second process, if there may be one, draws `plans` from the last to the first."""
    if processes > 1 and len(plans) >= WORTH_A_HELPER:
        return helper(__name__, plans, studio)
    return nullcontext()


def help_drawing(employer: int, plans: Sequence[Plan], studio: Studio) -> None:
    """What the helper does, for as long as its employer, a process number, lives."""
    frame = pd.read_parquet(studio.figures)
    with rarely_collected():
        for plan in reversed(plans):
            if is_alone(employer):
                return
            if not is_drawn(plan, studio.folder):
                draw(plan, frame, studio.folder, studio.scratch)


if __name__ == "__main__":
    help_drawing(*work_given())
