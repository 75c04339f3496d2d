"""Compilation of all kernels (Numba functions) ahead of time, by processes that answer sample questions."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import partial
from pathlib import Path
from typing import Any

from analyser import api, morale
from analyser.analysis.battle import battle
from analyser.analysis.best_duels import best_play
from analyser.analysis.matchups import matchups
from analyser.common.errors import InputError, check_choice, check_integer, shown
from analyser.common.jit import interpreted
from analyser.common.kernel_cache import folder_for
from analyser.common.method_settings import MOST_THREADS, Progress, Sampling, default_threads
from analyser.sweep.plan import read_plan
from analyser.sweep.tables import part_content

_RIFLES, _SCIONS = "crown/rifle-platoon@basic", "imperium/scion-grenadier-platoon@basic"
_TARGET = {"models": 5, "defence": 2, "damage_limit": 3, "discipline": 7, "break_limit": 2}
_REROLLS = {"rating": "neutral", "extra_reroll": {"faces": ["strike", "miss", "blank"], "dice": 4}, "veteran": 1}
_OVERCHARGE = {"overcharge": True, "attacker_models": 5, "attacker_damage_limit": 2}
_MANY_SIDED_DIE = {"heroic": 1, "strike": 248, "blank": 2}
_MORALE: dict[str, dict[str, Any]] = {
    "legion": {"courage": 1, "tokens": 2, "received": 1},
    "grande-tactique": {
        "flight": {"arm": "cavalry", "enemy": "cavalry", "edge_distance": 18},
        "division": {"units": [{"rout": 0.1}, {"rout": 0.2, "lost": 0.3}]},
        "game": {"turns": 2, "units": [{"edge_distance": 20, "worn_down_by_infantry": 0.3}]},
    },
    "warmaster": {"dice": 2, "obstacles": [{"distance": 4, "kind": "friend"}, {"distance": 12, "kind": "enemy"}]},
    "mordheim": {
        "warband": {"leader": 8, "others": [{"leadership": 7, "number": 3}], "casualties": 1},
        "alone": {"leadership": 7, "opponents": 2, "edge": 14},
    },
    "compare": {"models": 6, "losses": {0: 0.5, 2: 0.5}, "rounds": 2},
}


def _best_play() -> None:
    result = best_play(_RIFLES, _SCIONS, rounds=2)
    str(result)
    programs = result.solution.plan_programs  # simulated duels with best play need these kernels, too
    starts, place = programs.choices.begins, programs.part_ends[0].place
    span = slice(starts[place], starts[place + 1])
    choices = programs.choices.first[span], programs.choices.second[span], ()
    programs.branches(result.setup, programs.part_ends[0], choices)


def _sweeps() -> None:
    part_content(read_plan({"attackers": {"units": _RIFLES}, "defenders": {"units": _SCIONS, "defence": [1, 2]}}), 0)


def _attacks(die: Mapping[str, int] | None = None) -> None:
    ruleset = {"ruleset": {"die": die}} if die else {}
    for keys in ({}, _REROLLS, _OVERCHARGE, _REROLLS | _OVERCHARGE) if die is None else ({}, _REROLLS):
        question = {"attack": {"dice": 6, "rating": "improved"} | keys, "target": _TARGET} | ruleset
        api.exact(question)
        api.simulate(question, trials=1000, threads=1)


def _morale(system: str) -> None:
    morale.exact(system, morale.load_question(system, _MORALE[system]))


KERNELS: Mapping[str, Callable[[], object]] = {  # functions that answer sample questions; the slowest to compile first
    "exact-fights": partial(api.duel, _RIFLES, _SCIONS, rounds=2),
    "best-play": _best_play,
    "battles": partial(battle, [_RIFLES], [_SCIONS], rounds=1, trials=1, swing=False, tactics=False),
    "simulated-fights": partial(api.focus, [{"dice": 3}], _SCIONS, method="monte-carlo", trials=1000, threads=1),
    "attacks": _attacks,
    "morale-grande-tactique": partial(_morale, "grande-tactique"),
    "matchups": partial(matchups, _RIFLES, _SCIONS, threads=1),
    "sweeps": _sweeps,
    "attacks-with-dice-of-many-sides": partial(_attacks, _MANY_SIDED_DIE),
    **{f"morale-{system}": partial(_morale, system) for system in _MORALE if system != "grande-tactique"},
}


def warm_up(
    names: str | Iterable[str] = (), *, processes: int | None = None, progress: Progress | bool | None = None
) -> tuple[str, ...]:
    """Compile kernels now, so that later questions need not wait, and return the names of these kernels.

    Once per machine and version is enough.

    Parameters
    ----------
    names : str or iterable of str
        Names in :data:`KERNELS`. Default: all.
    processes : int, optional
        Number of processes, 1 to 1024. Default: one for each processor.
    progress : callable or True, optional
        Called with the numbers of finished names and of all names; True shows a progress bar.

    Raises
    ------
    InputError
        A name is unknown, or no folder can store compiled kernels.
    """
    if not isinstance(names, Iterable):
        raise InputError(f"{shown(names)} is not usable", where="warm-up", allowed=", ".join(KERNELS))
    wanted = (names,) if isinstance(names, str) else tuple(names) or tuple(KERNELS)
    for name in wanted:
        check_choice(name, "warm-up", [*KERNELS])
    if processes is not None:
        check_integer(processes, "processes", 1, MOST_THREADS)
    if folder_for(Path(__file__)) is None:
        allowed = "NUMBA_CACHE_DIR=FOLDER, a folder that only you can write to"
        raise InputError("there is no folder for compiled kernels", where="warm-up", allowed=allowed)
    running: list[subprocess.Popen[bytes]] = []
    pool = ThreadPoolExecutor(processes or default_threads())
    try:
        with Sampling(progress=progress).with_bar() as reporting:
            jobs = [pool.submit(_compile, name, running) for name in wanted]
            for done, job in enumerate(as_completed(jobs), 1):
                job.result()
                reporting.report(done, len(wanted))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in running:
            process.kill()
    return wanted


def _compile(name: str, running: list[subprocess.Popen[bytes]]) -> None:
    """Compile kernels in a separate process, because the compiler has a single thread; add the process to `running`."""
    path = os.pathsep.join(filter(None, (str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH"))))
    command = [sys.executable, "-P", "-m", "analyser.cli.kernels", name]
    # A process in a separate session gets no Ctrl-C from the terminal; `warm_up` ends it instead.
    process = subprocess.Popen(
        command, env=os.environ | {"PYTHONPATH": path}, stdout=subprocess.DEVNULL, start_new_session=True
    )
    running.append(process)
    if process.wait():
        raise InputError(f"{name} could not be compiled (exit status {process.returncode})", where="warm-up")


if __name__ == "__main__":
    with interpreted(False):
        KERNELS[sys.argv[1]]()
