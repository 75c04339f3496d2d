"""The command that shows the explorer of the notebooks in a browser."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import click

from analyser.cli.options import PROFILES, RULESET_OPTIONS, Integer, Option, complete_selector
from analyser.cli.shell import command, note, profiles_in, stated_ruleset
from analyser.common.errors import InputError
from analyser.common.files import real_path
from analyser.common.text import json_text


@command(
    Option("--port N", "Default: the first that is free.", type=Integer(1024, 65535)),
    Option("--no-browser", "Open no page; its address is printed."),
    *RULESET_OPTIONS,
    PROFILES,
    examples=("", "crown/sharp-rifles@basic krupp@basic --no-browser"),
)
@click.argument("attacker", default="crown/rifle-platoon@reinforced", shell_complete=complete_selector)
@click.argument("target", default="imperium/scion-grenadier-platoon@reinforced", shell_complete=complete_selector)
def explore(attacker: str, target: str, port: int | None, no_browser: bool, profiles: str | None) -> None:
    """Show a page in the browser with menus and sliders for one attack; ATTACKER and TARGET are where it starts."""
    library = profiles_in(profiles)
    names = [library.loadout(each).selector for each in (attacker, target)]
    missing = [name for name in ("ipywidgets", "voila") if importlib.util.find_spec(name) is None]
    if missing:
        remedy = "python -m pip install 'analyser[notebook]'"
        raise InputError(f"needs {' and '.join(missing)}; to install: {remedy}", where="explore")
    place, ruleset = str(real_path(profiles)) if profiles else None, stated_ruleset()
    folder = f", profiles=analyser.load_profiles({place!r})" if place else ""
    folder = folder if ruleset is None else f", profiles=analyser.Profiles({place!r}, {ruleset!r})"
    source = f"import analyser\nanalyser.explore({names[0]!r}, {names[1]!r}{folder})"
    cell: dict[str, Any] = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
    page = {"cells": [cell | {"source": source}], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "explore.ipynb"
        path.write_text(json_text(page), encoding="utf-8")
        more = [*([f"--port={port}"] if port else []), *(["--no-browser"] if no_browser else [])]
        note("the page is shown until you stop this with Ctrl-C")
        done = subprocess.run([sys.executable, "-m", "voila", str(path), *more], check=False)
    click.get_current_context().exit(done.returncode)
