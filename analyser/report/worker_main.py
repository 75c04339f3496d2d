"""What the second process of a report does: it starts where the first one would end, and comes to meet it."""

from __future__ import annotations

from collections.abc import Sequence

from analyser.report.figures import Part, help_working_out
from analyser.report.inputs import Inputs
from analyser.report.pictures import Plan, help_drawing
from analyser.report.resume import Work
from analyser.report.worker import rarely_collected, work_given


def help_with(
    employer: int, inputs: Inputs, work: Work, missing: Sequence[Part], plans: Sequence[Plan], threads: int
) -> None:
    """Work out figures and draw pictures that are not there yet, for as long as `employer`, a process number, lives."""
    with rarely_collected():
        frame = help_working_out(employer, inputs, work, missing, threads)
        if frame is not None:
            help_drawing(employer, plans, frame, work)


if __name__ == "__main__":
    help_with(*work_given())
