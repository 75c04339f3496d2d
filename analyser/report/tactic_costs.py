"""Cost of simple tactics compared with best play, in duels of every attacker with every defender."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from analyser.analysis.selection import Selectors, loadouts
from analyser.analysis.two_sided_cells import default_tactic
from analyser.common.answer import Block, FramedAnswer, plain_rows
from analyser.common.cache import digest
from analyser.common.errors import InputError
from analyser.common.files import check_writable, path_of, write_all
from analyser.common.frames import tidy
from analyser.common.method_settings import Progress, Sampling, check_threads, default_threads
from analyser.common.text import csv_frame, frequency_sentence, json_text
from analyser.common.validation import checked
from analyser.game.profiles import ProfilesLike, ProfilesUsed, library_of
from analyser.game.ruleset import Ruleset
from analyser.game.units import Loadout
from analyser.report.worker_pool import Job, Jobs, interrupts_recorded
from analyser.results.best import solve_best_play
from analyser.rules.policies import BEST
from analyser.scenarios.duel import DuelScenario
from analyser.scenarios.load import load_as
from analyser.scenarios.schema import DuelTerms

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DUEL_WORK = 250_000  # microseconds to compute best play, on a typical machine
MISJUDGED_COST = 0.01  # a tactic misjudges a duel if its cost is higher than this
COLUMNS = ("attacker", "defender", "value", "tactic", "cost", "exploitable", "best_tactic", "best_cost")


@dataclass(frozen=True, repr=False)
class Tactics(FramedAnswer):
    """Cost of the simple tactic that comparisons use, in each duel.

    Attributes
    ----------
    frame : DataFrame
        A row for each pair, with `attacker`, `defender`, and `value`: the value for the attacker if both play best.
        `tactic` is the attacker's tactic in comparisons; `cost` is its cost against the enemy's best play, and
        `exploitable` its cost against an enemy who knows the tactic. `best_tactic` is the best simple tactic, and
        `best_cost` its cost. `first_move` is the first move of best play. `reason` explains a missing answer.
    """

    frame: pd.DataFrame
    terms: DuelTerms
    profiles: ProfilesUsed

    schema = "analyser/tactics/1"

    @property
    def headline(self) -> str:
        """The share of duels that simple tactics misjudge, in one sentence."""
        return frequency_sentence("Simple tactics", "misjudge a duel", _misjudged(self.frame))

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Tables of the duels, and of their means by attacker."""
        return {"duels": tidy(self.frame), "units": tidy(self.by_unit())}

    def by_unit(self) -> pd.DataFrame:
        """Return the means of each attacker (:func:`cost_by_attacker`)."""
        return cost_by_attacker(self.frame)

    def blocks(self) -> list[Block]:
        """Return the means by attacker, and the duels without an answer."""
        rows, names = [], ["unit", "tactic", "best play", "cost", "at most", "against", "misjudged in"]
        for row in plain_rows(self.by_unit()):
            numbers = [f"{100 * row[name]:.1f}" for name in ("value", "cost", "most")]
            rows.append([row["attacker"], row["tactic"], *numbers, row["against"], f"{100 * row['misjudged']:.0f}%"])
        missing = {row["reason"]: row for row in plain_rows(self.frame) if row["reason"]}
        lines = [f"No answer: {row['attacker']} against {row['defender']}: {why}" for why, row in missing.items()]
        want = "P(win) (a draw counts half)" if self.terms.want == "win" else self.terms.want
        head = f"Cost of simple tactics against best play, in {want}, percent"
        return [Block(head, names, rows, "<<>>><>", lines=[note_of(self.frame), *lines])]

    def _body(self) -> dict[str, Any]:
        return {
            "kind": "tactics",
            **self.profiles.fight_entries(),
            "terms": self.terms.model_dump(mode="json"),
            "duels": self.rows(),
        }

    def plot(self, ax: Axes | None = None, **more: Any) -> Axes:
        """Plot the mean cost of the tactic of each unit as bars, the highest on top."""
        from analyser.plots import tactic_costs

        return tactic_costs(self, ax=ax, **more)


def cost_by_attacker(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each attacker: mean `value`, mean and largest `cost` of its tactic, and its worst enemy.

    `most` is the cost against the worst enemy, `misjudged` the share of duels in which the tactic costs more than 0.01.
    """
    duels = frame[frame["reason"] == ""]
    duels = duels.assign(misjudged=duels["cost"] > MISJUDGED_COST)
    by_attacker = duels.groupby("attacker", sort=False)
    worst = duels.loc[by_attacker["cost"].idxmax()].set_index("attacker")
    means = by_attacker[["value", "cost", "misjudged"]].mean()
    tactic = by_attacker["tactic"].agg(lambda tactics: tactics.mode().iloc[0])
    result = means.assign(tactic=tactic, most=worst["cost"], against=worst["defender"]).reset_index()
    columns = ["attacker", "tactic", "value", "cost", "most", "against", "misjudged"]
    return result[columns].sort_values("cost", ascending=False, kind="stable", ignore_index=True)


def note_of(frame: pd.DataFrame) -> str:
    """Return a sentence about the share of duels that simple tactics misjudge, and their mean cost."""
    costs = frame.loc[frame["reason"] == "", "cost"]
    share, mean = _misjudged(frame), float(costs.mean()) if len(costs) else 0.0
    worse = f"Simple tactics are worse than best play by more than {100 * MISJUDGED_COST:g} percentage point"
    return f"{worse} in {100 * share:.0f}% of {len(costs)} duels; their mean cost is {100 * mean:.1f} points."


def _misjudged(frame: pd.DataFrame) -> float:
    costs = frame.loc[frame["reason"] == "", "cost"]
    return float((costs > MISJUDGED_COST).mean()) if len(costs) else 0.0


def tactics(
    attackers: Selectors,
    defenders: Selectors,
    *,
    out: str | os.PathLike[str] | None = None,
    profiles: ProfilesLike | None = None,
    threads: int | None = None,
    progress: Progress | bool | None = None,
    executor: Executor | None = None,
    **terms: Any,
) -> Tactics:
    """Return the cost of the tactic that comparisons use, in a duel of every attacker with every defender.

    The cost is the value lost compared with best play. In a comparison a unit shoots if it can, else charges if it
    can, else takes cover.

    Parameters
    ----------
    attackers, defenders : selectors
        Selectors with wildcards, such as ``crown/*@basic``.
    out : path, optional
        A CSV file, written atomically. Finished duels are cached: after Ctrl-C the same call resumes.
    profiles
        As in :func:`analyser.attack`.
    threads : int, optional
        Number of processes that share the work (the result is the same).
    progress : callable or True, optional
        Called with the work done so far and the total work; True shows a bar.
    executor : Executor, optional
        Its workers run the jobs, as in :func:`analyser.report.write_report`.
    **terms
        Terms of every duel: `rounds`, `first`, `distance`, `step`, `want`.

    Raises
    ------
    InputError
        An input is unusable. A pair without an answer is no error, but has a `reason`.

    Examples
    --------
    >>> import analyser
    >>> result = analyser.tactics("crown/rifle-p@basic", "imperium/scion-grenadier-p@basic", rounds=1)
    >>> result.frame["tactic"].tolist(), bool(result.frame["cost"].iloc[0] >= 0)
    (['shoot'], True)
    """
    for name in ("policy_a", "policy_b"):
        if name in terms:
            raise InputError("both sides play best in these duels", where=name, allowed="rounds, first, distance, want")
    duel_terms = checked(DuelTerms, {**terms, "policy_a": BEST, "policy_b": BEST}, where="tactics")
    library = library_of(profiles)
    mine, theirs = loadouts(attackers, library), loadouts(defenders, library)
    check_threads(threads)
    processes = threads or default_threads()
    target = None if out is None else path_of(out, "out")
    if target is not None:
        check_writable(target)
    jobs = Jobs("duels", tactic_jobs(mine, theirs, duel_terms, library.ruleset))
    total_work = DUEL_WORK * len(theirs) * len(mine)
    with Sampling(progress=progress).with_bar() as reporting, interrupts_recorded() as raise_if_interrupted:

        def tell(done: int) -> None:
            raise_if_interrupted()
            reporting.report(cached_work + done, total_work)

        cached_work = total_work - jobs.left
        frame = frame_of_contents(jobs.contents(processes, executor, tell))
    if target is not None:
        table = csv_frame(frame)
        write_all({target: lambda temporary: table.to_csv(temporary, index=False, lineterminator="\n")})
    return Tactics(frame, duel_terms, library.used)


def tactic_jobs(
    attackers: Sequence[Loadout], defenders: Sequence[Loadout], terms: DuelTerms, ruleset: Ruleset
) -> list[Job]:
    """Return a job for each attacker, with its duels against all defenders."""
    settings = terms.model_dump(mode="json"), ruleset.model_dump(mode="json")
    names = [[unit.selector, unit.unit.record()] for unit in defenders]
    work = DUEL_WORK * len(defenders)
    return [
        Job(work, digest([unit.selector, unit.unit.record(), names, settings]), duels_of, (unit, defenders, *settings))
        for unit in attackers
    ]


def frame_of_contents(contents: Sequence[bytes]) -> pd.DataFrame:
    """Return the contents of jobs as a table."""
    rows = [row for content in contents for row in json.loads(content)]
    return pd.DataFrame(rows, columns=[*COLUMNS, "first_move", "reason"])


def duels_of(attacker: Loadout, defenders: Sequence[Loadout], terms: dict[str, Any], ruleset: dict[str, Any]) -> bytes:
    """Return the duels of one attacker against all defenders as JSON."""
    return json_text([_row(attacker, defender, terms, ruleset) for defender in defenders]).encode()


def _row(attacker: Loadout, defender: Loadout, terms: dict[str, Any], ruleset: dict[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = {"attacker": attacker.selector, "defender": defender.selector, "reason": ""}
    parts = {"duel": terms, "a": {"unit": attacker}, "b": {"unit": defender}, "ruleset": ruleset}
    try:
        result = solve_best_play(load_as(DuelScenario, parts))
    except InputError as error:
        return row | {"reason": error.problem}
    regrets = {regret["tactic"]: regret for regret in result.regrets()}
    tactic = default_tactic(result.scenario.a, result.scenario.b)
    best = min(regrets.values(), key=lambda regret: regret["cost"])
    moves = result.first_moves()
    return row | {
        "value": result.value,
        "tactic": tactic,
        "cost": regrets[tactic]["cost"],
        "exploitable": regrets[tactic]["exploitable"],
        "best_tactic": best["tactic"],
        "best_cost": best["cost"],
        "first_move": moves[0]["do"] if moves else "",
    }
