"""Balance report: every attacker against every defender, written as a folder of tables and a page."""

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
from analyser.analysis.matchups import Matchups, with_user_metric
from analyser.analysis.prices import ALL_LOADOUTS, FairPoints, fair_points
from analyser.analysis.selection import Selectors, check_row, loadouts
from analyser.analysis.situations import ALL_SITUATIONS, Situation, duel_situations, situations_named
from analyser.common.errors import InputError
from analyser.common.files import path_of, real_path
from analyser.common.method_settings import Progress, Sampling, check_threads, default_threads
from analyser.common.metrics import EFFICIENCY, MetricLike, checked_metric, function_of
from analyser.game.profiles import ProfilesLike, library_of
from analyser.report import report_jobs
from analyser.report.folder import (
    PARQUET,
    ReportInputs,
    check_replaceable,
    manifest_facts,
    replacing_folder,
    write_manifest,
    write_units,
)
from analyser.report.page import reasons, write_page
from analyser.report.tactic_costs import frame_of_contents, tactic_jobs
from analyser.report.worker_pool import MOST_PROCESSES, Job, Jobs, interrupts_recorded
from analyser.rules.policies import BEST
from analyser.scenarios.schema import DuelTerms

TABLE_LINE_COST, PAGE_LINE_COST = 55, 6  # microseconds to write one matchup to the tables, and to the page
MOST_REASONS = 4  # reasons in an error message
TABLE_FILE, INDEX_PAGE = "matchups.csv", "index.html"


def write_report(
    attackers: Selectors,
    defenders: Selectors,
    *,
    out: str | os.PathLike[str],
    situations: Sequence[Situation | str] = ALL_SITUATIONS,
    policy: str = "tactic",
    row: str | None = None,
    field: Selectors | FairPoints | None = None,
    metrics: Sequence[MetricLike] = (),
    profiles: ProfilesLike | None = None,
    progress: Progress | bool | None = None,
    threads: int | None = None,
    home: str = "",
    executor: Executor | None = None,
) -> Path:
    """Write a report of every attacker against every defender into the folder `out`, and return its path.

    The folder has ``matchups.csv`` and ``matchups.parquet`` (the columns of :func:`analyser.matchups`), tables of the
    balance (``docs/balance.md``), the page ``index.html``, and ``manifest.json``. It appears when it is complete, and
    replaces an earlier report. Equal inputs and program versions give equal bytes, except for the wall time in the
    manifest. Finished parts are cached; after Ctrl-C the same call resumes.

    Parameters
    ----------
    attackers, defenders, row, profiles, threads
        As in :func:`analyser.matchups`.
    out : path
        A new or empty folder, or one with an earlier report and nothing else.
    situations : sequence of Situation or str, or ``"all"``
        Default: all situations.
    policy : "tactic" or "best"
        How duels are played: by simple tactics, or by best play (`docs/best-play.md`). With best play, the page
        states what simple tactics cost.
    field : str, Loadout, several of them, or FairPoints, optional
        Opponents for the fair points, besides the units of the report; or fair points already computed, which include
        these units. Default: all factions; with a `row` only the units of the report.
    metrics : sequence of str or callable
        Your own figures of ranged attacks (:func:`analyser.metric`), for the tables and the page.
    progress : callable or True, optional
        Called with the finished and the total work of this run; True shows a bar.
    home : str
        Address of the index page of reports, relative to the page of this report; empty for no link.
    executor : Executor, optional
        An executor as in ``concurrent.futures``, whose workers run the jobs. A job that fails, or whose worker has
        another version of the program, runs in this process.

    Raises
    ------
    InputError
        :func:`analyser.matchups` refuses the arguments, no attack is possible, or `out` cannot be written, has other
        content, or is being written by another run.
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
    chosen = {loadout.selector: loadout for loadout in (*attacking, *defending)}
    if field is not None and row is not None:
        raise InputError("fair points against opponents use all rows", where="field", allowed="field or row, not both")
    settings: dict[str, Any] = {"situations": situations, "threads": threads, "profiles": library}
    if field is not None and not isinstance(field, FairPoints):
        field = fair_points(tuple(chosen.values()), against=field, progress=progress, **settings)
    uses_all = field is None and row is None
    opponents = {loadout.selector: loadout for loadout in loadouts(ALL_LOADOUTS, library)} | chosen if uses_all else {}
    inputs = ReportInputs(
        attackers=attacking,
        defenders=defending,
        situations=duel_situations(policy, situations_named(situations)),
        row=row,
        ruleset=library.ruleset,
        profiles_used=library.used._replace(folder=real_path(library.used.folder).name),
        home=home,
        metrics=tuple(name for name in map(checked_metric, metrics) if function_of(name) is not None),
        stated_prices=None if field is None else field.for_loadouts(chosen),
    )
    bar = Sampling(progress=progress).with_bar()
    with bar as reporting, interrupts_recorded() as check, replacing_folder(folder) as report:
        lines = len(inputs.situations) * sum(len(ours) * len(theirs) for ours, theirs in inputs.directions)
        cores = threads or default_threads()
        directions = report_jobs.matchup_jobs(inputs, max(cores // MOST_PROCESSES, 1))
        cache_jobs = [] if executor is not None else report_jobs.opponent_jobs(tuple(opponents.values()), inputs)
        jobs = Jobs("report", [*cache_jobs, *chain(*directions), *_tactic_jobs(inputs, policy)])
        total = (job_cost := jobs.left) + lines * (TABLE_LINE_COST + PAGE_LINE_COST)

        def tell(done: int) -> None:
            check()
            reporting.report(done, total)

        tell(0)
        contents = islice(jobs.contents(cores, executor, tell), len(cache_jobs), None)
        parts = [[*islice(contents, len(direction))] for direction in directions]
        table = report_jobs.joined_table(parts, len(inputs.situations))
        if tactic_contents := [*contents]:
            inputs = inputs._replace(tactics=frame_of_contents(tactic_contents))
        if opponents:
            # Without shots and charges (a report of duels alone) there are no fair points, but an InputError.
            with suppress(InputError):
                sides, against = tuple(chosen.values()), tuple(opponents.values())
                prices = fair_points(sides, against=against, progress=lambda *_: check(), **settings)
                inputs = inputs._replace(stated_prices=prices.for_loadouts(chosen))
        result = _matchups(inputs, table)
        (report / PARQUET).write_bytes(result.frame.to_parquet(index=False))
        report_jobs.write_table(result.frame, report / TABLE_FILE, lambda n: tell(job_cost + n * TABLE_LINE_COST // 2))
        balance = report_jobs.balance_of(result, check, inputs.stated_prices)
        for name, frame in balance.tables.items():
            report_jobs.write_table(frame, report / f"{name}.csv")
        write_units(inputs, report)
        tell(job_cost + lines * TABLE_LINE_COST)
        write_page(result, balance, inputs, report / INDEX_PAGE, cores)
        tell(total)
        judged = {} if balance.prices is None else {"judged_among": balance.prices.opponents.as_dict()}
        write_manifest(report, manifest_facts(inputs) | judged | {"wall_seconds": round(time.monotonic() - started, 3)})
    return folder


def _tactic_jobs(inputs: ReportInputs, policy: str) -> list[Job]:
    """Return the jobs for the cost of simple tactics; none without best play."""
    has_duels = any(situation.fight.has_winner for situation in inputs.situations)
    if policy != "best" or inputs.row is not None or not has_duels:
        return []
    terms = DuelTerms(policy_a=BEST, policy_b=BEST)
    return [job for both in inputs.directions for job in tactic_jobs(*both, terms, inputs.ruleset)]


def _matchups(inputs: ReportInputs, frame: pd.DataFrame) -> Matchups:
    """Return the matchups of the table `frame`; InputError with the reasons if no attack is possible."""
    if frame["why_not"].notna().all():
        why = reasons(frame)
        more = [f"and {len(why) - MOST_REASONS} more reasons"] if len(why) > MOST_REASONS else []
        problem = f"no attack is possible: {'; '.join(why[:MOST_REASONS] + more)}"
        allowed = "attackers, defenders, situations and a row with at least one possible attack"
        raise InputError(problem, where="report", allowed=allowed)
    sides = tuple({loadout.selector: loadout for loadout in (*inputs.attackers, *inputs.defenders)}.values())
    missing = not_modelled(sides, sides, inputs.situations)
    for name in inputs.metrics:
        frame = with_user_metric(frame, sides, inputs.situations, inputs.ruleset, name)
    return Matchups(
        frame, sides, sides, inputs.situations, inputs.row, EFFICIENCY, inputs.ruleset, missing, inputs.profiles_used
    )
