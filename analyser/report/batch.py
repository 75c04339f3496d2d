"""The batch report: every attacker on every defender, as a folder to keep."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from concurrent.futures import Executor
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from typing import Any

import pandas as pd

from analyser.analysis.grid import not_modelled
from analyser.analysis.matchups import Matchups
from analyser.analysis.mutual_losses import WAYS
from analyser.analysis.own_metric_columns import with_own_metric
from analyser.analysis.policy import check_best_is_played, played_by, priced_by
from analyser.analysis.prices import EVERYBODY, FairPoints, fair_points
from analyser.analysis.selection import Selectors, check_row, loadouts
from analyser.analysis.situations import ALL_SITUATIONS, Situation, situations_called
from analyser.common.errors import InputError
from analyser.common.files import path_of, real_path
from analyser.common.sampling import Progress, Sampling, check_threads, default_threads
from analyser.game.profiles import ProfilesLike, library_of
from analyser.plots.metrics import EFFICIENCY, AskedMetric, checked_metric, function_of
from analyser.report import parts
from analyser.report.folder import (
    PARQUET,
    Inputs,
    check_replaceable,
    facts_of,
    write_manifest,
    write_units,
    written_whole,
)
from analyser.report.page import reasons, write_page
from analyser.report.pool import MOST_PROCESSES, Job, Jobs, interrupts_noted, rarely_collected
from analyser.report.tactics import frame_in, jobs_for, stored_tactics
from analyser.rules.policies import BEST
from analyser.scenarios.schema import DuelTerms

A_LINE_OF_TABLES, A_LINE_OF_PAGE = 55, 6  # microseconds of a typical machine
MOST_REASONS = 4  # in a message
TABLE, PAGE = "matchups.csv", "index.html"


def write_report(
    attackers: Selectors,
    defenders: Selectors,
    *,
    out: str | os.PathLike[str],
    situations: Sequence[Situation | str] = ALL_SITUATIONS,
    policy: str = "tactic",
    row: str | None = None,
    field: Selectors | FairPoints | None = None,
    metrics: Sequence[AskedMetric] = (),
    profiles: ProfilesLike | None = None,
    progress: Progress | bool | None = None,
    threads: int | None = None,
    home: str = "",
    tactics: str | os.PathLike[str] | None = None,
    executor: Executor | None = None,
) -> Path:
    """Write a report of every attacker on every defender into the folder `out`, which is returned.

    The folder gets ``matchups.csv`` and ``matchups.parquet`` (the columns of :func:`analyser.matchups`), tables of the
    balance (``docs/balance.md``), ``index.html``, which shows all of it in one file, and ``manifest.json``. It appears
    when it is complete, in place of an earlier report. The same inputs and versions give the same bytes, but for the
    wall time in the manifest.

    Finished parts are cached: after Ctrl-C the same call resumes. In the main thread it is heeded between two steps.

    Parameters
    ----------
    attackers, defenders, row, profiles, threads
        As of :func:`analyser.matchups`.
    out : path
        A new or empty folder, or one that holds an earlier report and nothing else.
    situations : sequence of Situation or str, or ``"all"``
        Default: all there are.
    policy : "tactic" or "best"
        Whether duels are fought by simple tactics, or by best play of which prices are then made
        (`docs/best-play.md`). Of prices where there are exchanges to make them of, and no row is asked for.
    field : str, Loadout, several of them, or FairPoints, optional
        The opponents that prices are judged against, the report's own beside them; or fair points that were found
        of all of these already. Default: all factions of the profiles, as of :func:`analyser.fair_points`. With a `row`
        and under best play, which takes too long for all: those of the report, as they meet in it.
    metrics : sequence of str or callable
        Figures of your own (:func:`analyser.metric`), of ranged attacks, for the tables and the page.
    progress : callable or True, optional
        Called with the work that this run has done and all that it has to do, in microseconds of a typical machine;
        True: a bar.
    home : str
        The address of the page over reports that this one belongs to, as its own page is to link to it; empty: none.
    tactics : path, optional
        The file that :func:`analyser.tactics` wrote of these units: the page says how far its duels
        can be trusted.
        Under best play the page says so without it.
    executor : Executor, optional
        Of ``concurrent.futures``: its workers fight beside this process. What one of them fails at, or is asked of
        another version of the program, is done here.

    Raises
    ------
    InputError
        As :func:`analyser.matchups`; no attack is possible; or `out` cannot be written, holds
        something else, or is being written by another run.
    KeyboardInterrupt
        Ctrl-C.

    Examples
    --------
    >>> import tempfile
    >>> out = Path(tempfile.mkdtemp()) / "report"
    >>> written = write_report("crown/rifle-platoon@*", "imperium/*@basic", out=out, situations=["long-range"])
    >>> sorted(path.name for path in written.iterdir())  # doctest: +NORMALIZE_WHITESPACE
    ['balance.csv', 'dominated.csv', 'index.html', 'manifest.json', 'matchups.csv', 'matchups.parquet',
     'outliers.csv', 'prices.csv', 'units.json']
    """
    started, folder = time.monotonic(), path_of(out, "out")
    check_threads(threads)
    check_replaceable(folder)
    library = library_of(profiles)
    attacking = loadouts(attackers, library)
    check_row(row, attacking)
    defending = loadouts(defenders, library)
    both = {loadout.selector: loadout for loadout in (*attacking, *defending)}
    if field is not None and row is not None:
        raise InputError("prices in a field are made of every row", where="field", allowed="a field or a row, not both")
    asked: dict[str, Any] = {"situations": situations, "policy": policy, "threads": threads, "profiles": library}
    if field is not None and not isinstance(field, FairPoints):
        field = fair_points(tuple(both.values()), against=field, progress=progress, **asked)
    is_open = field is None and row is None and policy != "best"
    opponents = {each.selector: each for each in loadouts(EVERYBODY, library)} | both if is_open else {}
    inputs = Inputs(
        attackers=attacking,
        defenders=defending,
        situations=_fought(policy, situations_called(situations), row),
        row=row,
        ruleset=library.ruleset,
        used=library.used._replace(folder=real_path(library.used.folder).name),
        home=home,
        metrics=tuple(name for name in map(checked_metric, metrics) if function_of(name) is not None),
        tactics=None if tactics is None else stored_tactics(tactics, set(both)),
        field=None if field is None else field.only(both),
    )
    bar = Sampling(progress=progress).with_bar()
    with bar as reporting, interrupts_noted() as heed, rarely_collected(), written_whole(folder) as report:
        lines = len(inputs.situations) * sum(len(ours) * len(theirs) for ours, theirs in inputs.directions)
        cores = threads or default_threads()
        directions = parts.matchup_jobs(inputs, max(cores // MOST_PROCESSES, 1))
        meeting = [] if executor is not None else parts.field_jobs(tuple(opponents.values()), inputs)
        jobs = Jobs("report", [*meeting, *chain(*directions), *_duels_by_tactic(inputs, policy)])
        shared = jobs.left
        whole = shared + lines * (A_LINE_OF_TABLES + A_LINE_OF_PAGE)

        def tell(done: int) -> None:
            heed()
            reporting.report(done, whole)

        tell(0)
        contents = islice(jobs.done(cores, executor, tell), len(meeting), None)
        table = parts.whole_table([[*islice(contents, len(each))] for each in directions], len(inputs.situations))
        if by_tactic := [*contents]:
            inputs = inputs._replace(tactics=frame_in(by_tactic))
        if opponents:
            with suppress(InputError):  # there are no exchanges
                sides, against = tuple(both.values()), tuple(opponents.values())
                judged = fair_points(sides, against=against, progress=lambda *_: heed(), **asked)
                inputs = inputs._replace(field=judged.only(both))
        result = _matchups(inputs, table)
        (report / PARQUET).write_bytes(result.frame.to_parquet(index=False))
        parts.write_table(result.frame, report / TABLE, lambda at: tell(shared + at * A_LINE_OF_TABLES // 2))
        balance = parts.balance_of(result, heed, inputs.field)
        for name, frame in balance.tables.items():
            parts.write_table(frame, report / f"{name}.csv")
        write_units(inputs, report)
        tell(shared + lines * A_LINE_OF_TABLES)
        write_page(result, balance, inputs, report / PAGE, cores)
        tell(whole)
        write_manifest(
            report,
            {**facts_of(inputs), **_opponents(balance.prices), "wall_seconds": round(time.monotonic() - started, 3)},
        )
    return folder


def _opponents(prices: FairPoints | None) -> dict[str, Any]:
    """The opponents of the prices, as the manifest has them."""
    return {} if prices is None else {"judged_among": prices.among.as_dict()}


def _fought(policy: str, situations: tuple[Situation, ...], row: str | None) -> tuple[Situation, ...]:
    """The situations under a policy: with best play, where prices can be made of it."""
    played = played_by(policy, situations)
    exchanged = row is None and any(situation.kind in WAYS for situation in situations)
    fought = priced_by(policy, played) if exchanged else played
    check_best_is_played(policy, fought)
    return fought


def _duels_by_tactic(inputs: Inputs, policy: str) -> list[Job]:
    """Return the jobs for the cost of simple tactics, if duels use best play and no file has it."""
    if policy != "best" or inputs.tactics is not None or inputs.row is not None:
        return []
    if not any(situation.fight.has_winner for situation in inputs.situations):
        return []
    terms = DuelTerms(policy_a=BEST, policy_b=BEST)
    return [job for both in inputs.directions for job in jobs_for(*both, terms, inputs.ruleset)]


def _matchups(inputs: Inputs, frame: pd.DataFrame) -> Matchups:
    """Return the table with its subject; InputError, with the reasons, if no attack is possible."""
    if frame["why_not"].notna().all():
        why = reasons(frame)
        more = [f"and {len(why) - MOST_REASONS} reasons more"] if len(why) > MOST_REASONS else []
        problem = f"no attack is possible: {'; '.join(why[:MOST_REASONS] + more)}"
        allowed = "attackers, defenders, situations and a row that go together"
        raise InputError(problem, where="report", allowed=allowed)
    sides = tuple({loadout.selector: loadout for loadout in (*inputs.attackers, *inputs.defenders)}.values())
    missing = not_modelled(sides, sides, inputs.situations)
    for name in inputs.metrics:
        frame = with_own_metric(frame, sides, inputs.situations, inputs.ruleset, name)
    return Matchups(
        frame, sides, sides, inputs.situations, inputs.row, EFFICIENCY, inputs.ruleset, missing, inputs.used
    )
