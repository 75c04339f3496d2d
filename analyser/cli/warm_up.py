"""`warm-up`: all kernels compiled beforehand."""

from __future__ import annotations

import click

from analyser.cli.shell import Command, note, progress_bar


@click.command("warm-up", cls=Command)
@click.argument("kernels", nargs=-1)
@click.option("--processes", type=int, help="How many at once. Default: one for each processor.")
def warm_up(kernels: tuple[str, ...], processes: int | None) -> None:
    """Compile kernels now, so that no later question waits for them: once on a machine, for this version.

    KERNELS: what for (a misspelt name lists them). Default: all, which takes about a minute.
    """
    from analyser import kernels as compiler

    with progress_bar("kinds of question") as progress:
        done = compiler.warm_up(kernels, processes=processes, progress=progress)
    note(f"compiled: {', '.join(done)}")
