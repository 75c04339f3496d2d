"""Command that sets up the program: ``warm-up``."""

from __future__ import annotations

from analyser.cli.command_base import command
from analyser.cli.messages import note, progress_bar
from analyser.cli.option_base import Option


@command(
    "[KERNELS]...",
    Option("--processes N", "Number of processes. Default: one for each processor.", type=int),
    examples=("", "matchups exact-fights"),
)
def warm_up(kernels: tuple[str, ...] = (), processes: int | None = None) -> None:
    """Compile the code that questions need, once for each machine and version.

    KERNELS are kinds of question, such as attacks, matchups, exact-fights, simulated-fights, morale-legion.
    Default: all, which takes about a minute the first time.
    """
    from analyser.cli import kernels as compiler

    with progress_bar("kinds of question") as progress:
        done = compiler.warm_up(kernels, processes=processes, progress=progress)
    note(f"kernels are ready: {', '.join(done)}")
