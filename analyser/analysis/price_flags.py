"""What each loadout is made for, and whether it is over- or under-priced at that: one flag each, with its reasons."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from analyser.analysis.balance import LEAST, Row, dominations
from analyser.game.units import Loadout, unit_of

UNDER_PRICED, OVER_PRICED, CANNOT_SAY = "under-priced", "over-priced", "cannot say"
FACTOR = 2.0  # twice, or half, of what is usual at its best job
AGAIN = 1.5  # half as much again as a loadout that has nothing else; who is twice as good runs out of models to destroy
FEWEST_PEERS = 5  # units that are made for a job: fewer say nothing of what is usual
MOST_NAMED = 3  # in a reason
_COUNTED = ("Resilient",)  # special rules that the hits to destroy have in them
_JOB = ["situation", "category"]
_COLUMNS = ["attacker", "attacker_unit", "attacker_level", "attacker_points", "made_for", "situation"]
_COLUMNS += ["efficiency", "usual", "times_usual", "hits", "usual_hits", "flag", "why"]


class _Usual(NamedTuple):
    """What is usual of the attackers of one target category: hits for 100 points, SPEED and reach."""

    hits: float
    speed: float
    reach: float


def flags(frame: pd.DataFrame, jobs: pd.DataFrame, attackers: Sequence[Loadout]) -> pd.DataFrame:
    """One flag for each loadout, judged by what it is made for.

    `docs/balance.md` says what a job is, a best job, and what is usual at one, and when which flag is given. Fewer than
    :data:`FEWEST_PEERS` units say nothing of what is usual; on a profile it is the median of the attackers of its own
    target category.

    Parameters
    ----------
    frame : DataFrame
        As of :func:`analyser.matchups`.
    jobs : DataFrame
        As of :func:`analyser.analysis.balance.efficiency`, of that frame.
    attackers : sequence of Loadout
        Those of the frame.

    Returns
    -------
    DataFrame
        A row for each loadout that costs points: `attacker`, `attacker_unit`, `attacker_level`, `attacker_points`;
        `made_for` (a category) and `situation`, its best job, empty where there is none to judge by; `efficiency`,
        `usual` and `times_usual` there; `hits` and `usual_hits`, that destroy 100 points of it; `flag`,
        ``"under-priced"``, ``"over-priced"``, ``"cannot say"`` or empty; and `why`, in words.

    Examples
    --------
    >>> import analyser
    >>> from analyser.analysis.balance import efficiency
    >>> found = analyser.matchups("crown/*", "imperium/*", situations=["long-range"])
    >>> table = flags(found.frame, efficiency(found.frame), found.attackers).set_index("attacker")
    >>> table.loc["crown/rifle-platoon@basic", ["made_for", "flag"]].tolist()
    ['light', 'under-priced']
    """
    paid = [each for each in attackers if each.level.points]
    alike = [(each.unit.category, _hits(each), each.unit.speed or 0.0, _reach(each)) for each in paid]
    medians = pd.DataFrame(alike, columns=["category", *_Usual._fields]).groupby("category").median()
    usual = {str(category): _Usual(*figures) for category, *figures in medians.itertuples()}
    made_for = _at_what_they_are_for(jobs.join(_shooting(frame, attackers), on=["attacker", "situation"]))
    pairs = dominations(frame, attackers)
    equals = pairs[~pairs["has_besides"].astype(bool)]
    names = {each.selector: f"{each.unit.name}, {each.level_name}" for each in attackers}
    sure = [(OVER_PRICED, _dearer(equals, names)), (UNDER_PRICED, _far_better(equals, names, jobs))]
    rows = []
    for each in paid:
        able = made_for[made_for["attacker"] == each.selector]
        jobs_done = able[able["efficiency"] >= LEAST].sort_values("times", ascending=False, kind="stable")
        best = next(iter(jobs_done.to_dict("records")), {})
        flag, why = next(((flag, why[each.selector]) for flag, why in sure if each.selector in why), ("", ""))
        if not flag and best:
            flag, why = _judged(each, best, able[able["efficiency"] < able["usual"]]["situation"], usual)
        elif not flag:
            flag, why = CANNOT_SAY, _no_job(jobs[jobs["attacker"] == each.selector])
        who = each.selector, each.unit.name, each.level_name, each.level.points
        job = best.get("category", ""), best.get("situation", "")
        times = (best.get(name, np.nan) for name in ("efficiency", "usual", "times"))
        rows.append((*who, *job, *times, _hits(each), usual[each.unit.category].hits, flag, why))
    return pd.DataFrame(rows, columns=_COLUMNS)


def _reach(loadout: Loadout) -> float:
    """The longest range of its rows in inches; 0 without one."""
    return max((row.long_range or 0.0 for row in loadout.unit.rows), default=0.0)


def _dearer(equals: pd.DataFrame, names: Mapping[str, str]) -> dict[str, str]:
    """Why a loadout is too dear: the cheapest of those that dominate it and lack nothing of it costs less."""
    cheaper = equals[equals["points_saved"] > 0].sort_values("points_saved", ascending=False, kind="stable")
    return {
        row["attacker"]: f"{names[row['by']]}, does at least as well in every matchup, lacks nothing that it has, "
        f"and costs {row['points_saved']} points less"
        for row in cheaper.drop_duplicates("attacker").to_dict("records")
    }


def _far_better(equals: pd.DataFrame, names: Mapping[str, str], jobs: pd.DataFrame) -> dict[str, str]:
    """Why a loadout is too cheap: it does far more than one at its price that it dominates and lacks nothing of."""
    done = {str(name): part.set_index(_JOB)["efficiency"] for name, part in jobs.groupby("attacker", sort=False)}
    found = {}
    for row in equals[equals["points_saved"] == 0].to_dict("records"):
        if row["by"] in done and row["attacker"] in done:
            theirs = done[row["attacker"]]
            times = (done[row["by"]] / theirs[theirs >= LEAST]).dropna().median()
            if times >= AGAIN:
                twin = names[row["attacker"]]
                found[row["by"]] = f"it does {times:.1f} times as much as {twin}, lacks nothing, and costs the same"
    return found


def _shooting(frame: pd.DataFrame, attackers: Sequence[Loadout]) -> pd.Series[bool]:
    """Whether an attacker does its work in a situation by a ranged row, by attacker and situation."""
    ranged = {(each.selector, row.id) for each in attackers for row in each.unit.rows if row.kind == "ranged"}
    done = frame[frame["why_not"].isna()]
    shoots = done.assign(shoots=[each in ranged for each in zip(done["attacker"], done["row"])])
    return shoots.groupby(["attacker", "situation"], sort=False)["shoots"].any().astype(bool)


def _at_what_they_are_for(jobs: pd.DataFrame) -> pd.DataFrame:
    """The rows of `jobs` against what the unit is made for; `usual` and `peers` are of those that are made for it too.

    `alike` counts the units among them that do their best as it is done here: by shooting, or in close quarters.
    `times` is efficiency over what is usual. What nobody's figures suffice to judge by is left out.
    """
    over_median = np.maximum(jobs["efficiency"], LEAST) / jobs["median"]
    jobs = jobs.assign(unit=jobs["attacker"].map(unit_of), times=over_median)
    enough = jobs[jobs["peers"] >= FEWEST_PEERS].assign(log=np.log2(jobs["times"]))
    means = enough.groupby(["unit", "category", "situation"], sort=False)["log"].mean().reset_index()
    best = means.sort_values("log", ascending=False, kind="stable").drop_duplicates("unit")
    those = jobs[jobs["category"] == jobs["unit"].map(dict(zip(best["unit"], best["category"])))]
    first = those.sort_values("times", ascending=False, kind="stable").drop_duplicates("attacker")
    at_home = those["shoots"] == those["attacker"].map(dict(zip(first["attacker"], first["shoots"])))
    peers = those[those["efficiency"] >= LEAST].groupby(_JOB, sort=False)
    usual = peers.agg(usual=("efficiency", "median"), peers=("unit", "nunique"))
    alike = those[at_home].groupby(_JOB, sort=False)["unit"].nunique().rename("alike")
    those = those.drop(columns="peers").join(usual, on=_JOB).join(alike, on=_JOB)
    return those[those["peers"] >= FEWEST_PEERS].assign(times=lambda each: each["efficiency"] / each["usual"])


def _no_job(jobs: pd.DataFrame) -> str:
    if jobs.empty:
        return "it can attack nobody here"
    if (jobs["efficiency"] < LEAST).all():
        return f"it destroys less than {LEAST:g} point for 100 of its own of any category: nothing to judge it by"
    return f"fewer than {FEWEST_PEERS} units here are made for what it does best, so that nothing is usual"


def _judged(loadout: Loadout, job: Row, weak: Iterable[str], usual_of: Mapping[str, _Usual]) -> tuple[str, str]:
    """The flag of a loadout by its best job, and why; `weak` are the situations in which it does less than usual."""
    usual, hits = usual_of[loadout.unit.category], _hits(loadout)
    lasts = f"{hits:.1f} hits destroy 100 points of it (usual: {usual.hits:.1f})"
    flag, why = "", ""
    if job["times"] >= FACTOR:
        less = ", ".join(each.replace("-", " ") for each in weak)
        if hits < usual.hits:
            why = f", but {lasts}"
        elif less:
            why = f", but less than the usual in: {less}"
        else:
            flag, why = UNDER_PRICED, f", nowhere less than the usual against such targets, and {lasts}"
    elif job["times"] <= 1 / FACTOR:
        besides = ", ".join(_besides(loadout, usual))
        if hits > usual.hits:
            flag, why = CANNOT_SAY, f", but {lasts}"
        elif besides:
            flag, why = CANNOT_SAY, f", but nothing here counts {besides}"
        else:
            flag, why = OVER_PRICED, f", and {lasts}"
    if flag in (UNDER_PRICED, OVER_PRICED) and not job["alike"] >= FEWEST_PEERS:
        flag, why = CANNOT_SAY, f"{why}; but fewer than {FEWEST_PEERS} units here are made to do it in that way"
    does = f"it destroys {job['efficiency']:.1f} points for 100 (usual: {job['usual']:.1f})"
    return flag, f"at its best job, {job['category']} targets, {job['situation'].replace('-', ' ')}, {does}{why}"


def _besides(loadout: Loadout, usual: _Usual) -> list[str]:
    """What a loadout may be paid for that neither its attacks nor the hits that destroy it have in them."""
    unit = loadout.unit
    found = [f"that it is a {each}" for each in unit.traits]
    found += [f"its SPEED of {unit.speed:g}"] if (unit.speed or 0) > usual.speed else []
    found += [f"its reach of {_reach(loadout):g} inches"] if _reach(loadout) > usual.reach else []
    rules = [
        rule.canonical
        for rule in unit.rules
        if rule.name not in _COUNTED and (rule.term is None or rule.term.side != "attacker")
    ]
    return found + rules[:MOST_NAMED] + (["more special rules"] if len(rules) > MOST_NAMED else [])


def _hits(loadout: Loadout) -> float:
    """Hits that destroy 100 points of it."""
    return 100 * hits_to_destroy(loadout) / (loadout.level.points or 1)


def hits_to_destroy(loadout: Loadout) -> float:
    """Hits from the front that destroy it, none of them discarded: models x DAMAGE LIMIT x DEFENCE (AC-3.7, AC-3.8).

    Resilient (Front) counts; what it does with suppression, cover or Durable does not.

    >>> from analyser.game.profiles import Profiles
    >>> hits_to_destroy(Profiles().loadout("crown/rifle-platoon@basic"))
    12.0
    """
    unit = loadout.unit
    return float(loadout.level.models * unit.damage_limit * (unit.defence + unit.has("Resilient")))
