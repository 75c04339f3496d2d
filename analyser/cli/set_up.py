"""Commands that set up the program: ``completion`` and ``warm-up``."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from analyser.cli.command_base import command
from analyser.cli.messages import note, progress_bar
from analyser.cli.option_base import Choice, Option

SHELLS = {  # shell code to print before click's script
    "bash": 'COMP_WORDBREAKS="${COMP_WORDBREAKS//[@:=]/}"  # selectors contain these characters\n',
    "zsh": "(( $+functions[compdef] )) || { autoload -U compinit && compinit; }\n",
    "fish": "",
}
_SHELL = click.Argument(["shell"], metavar="SHELL", type=Choice(tuple(SHELLS)))


@command("", _SHELL, examples=("bash", "fish"))
def completion(shell: str) -> None:
    """Print a script that makes SHELL complete commands, options, selectors and names.

    \b
    bash, zsh:  eval "$(analyser completion bash)"     in ~/.bashrc or ~/.zshrc
    fish:       analyser completion fish | source      in ~/.config/fish/config.fish
    """  # noqa: D301 - the backspace makes click keep the lines
    from analyser.cli import cli

    completion_class = get_completion_class(shell)
    assert completion_class is not None
    script = completion_class(cli, {}, "analyser", "_ANALYSER_COMPLETE").source()
    click.echo(SHELLS[shell] + script)


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
