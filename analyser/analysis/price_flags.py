"""What each loadout is made for, and whether it is over- or under-priced at that: one flag each, with its reasons."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from analyser.analysis.balance import LEAST, dominations, reach
from analyser.analysis.frame import records
from analyser.game.keywords import Rule
from analyser.game.units import Loadout, unit_of

UNDER_PRICED, OVER_PRICED, CANNOT_SAY = "under-priced", "over-priced", "cannot say"
FACTOR = 2.0  # twice, or half, of what is usual at its best job
AGAIN = 1.5  # half as much again as a loadout that has nothing else; who is twice as good runs out of models to destroy
FEWEST_PEERS = 5  # units that are made for a job: fewer say nothing of what is usual
MOST_NAMED = 3  # in a reason
_COUNTED = ("Resilient",)  # special rules that the hits to destroy have in them


class Flag(NamedTuple):
    """A row of :func:`flags`."""

    attacker: str
    attacker_unit: str
    attacker_level: str
    attacker_points: int
    made_for: str
    situation: str
    efficiency: float
    usual: float
    times_usual: float
    hits: float
    usual_hits: float
    flag: str
    why: str


class _Usual(NamedTuple):
    """What is usual of the attackers of one target category: hits for 100 points, SPEED and reach."""

    hits: float
    speed: float
    reach: float


def flags(frame: pd.DataFrame, jobs: pd.DataFrame, attackers: Sequence[Loadout]) -> pd.DataFrame:
    """One flag for each loadout, judged by what it is made for.

    A job is a situation and a category of targets. A unit is made for the category against which, in its best
    situation, it does most in proportion to the median of all (a mean of logarithms over its levels). What is usual at
    a job is the median of the loadouts whose units are made for that category and that destroy at least
    :data:`~analyser.analysis.balance.LEAST` points for 100 points there, if they are of :data:`FEWEST_PEERS` units or
    more. The best job of a loadout is the one, against what its unit is made for, in which it does most in proportion.

    - ``"over-priced"``: another loadout of its faction does at least as well in every matchup, lacks nothing that it
      has on its profile, and is cheaper. Or: even at its best job it does half of the usual or less, it takes no more
      hits than usual to destroy 100 points of it, and it has nothing besides that it could be paid for.
    - ``"under-priced"``: it dominates a loadout of its faction at the same price, lacks nothing that the other has, and
      does :data:`AGAIN` times as much at the median of the other's jobs. Or: at its best job it does twice the usual or
      more, at every job against that category at least the usual, and it takes no fewer hits than usual to destroy 100
      points of it.
    - ``"cannot say"``: no job of it has enough peers, or matters; or it would be flagged for a job that too few units
      are made to do in the same way, by shooting or in close quarters; or it does half of the usual or less at its
      best one, but takes more hits than usual or has something else on its profile that it may be paid for.

    What is usual on a profile is the median of the attackers of its own target category.

    Parameters
    ----------
    frame : DataFrame
        As of :func:`analyser.analysis.matchups.matchups`.
    jobs : DataFrame
        As of :func:`analyser.analysis.balance`, of that frame.
    attackers : sequence of Loadout
        Those of the frame.

    Returns
    -------
    DataFrame
        A row for each loadout that costs points: `attacker`, `attacker_unit`, `attacker_level`, `attacker_points`;
        `made_for` (a category) and `situation`, its best job, empty where there is none to judge by; `efficiency`,
        `usual` and `times_usual` there; `hits` and `usual_hits`, that destroy 100 points of it; `flag`, one of the
        three or empty; and `why`, in words.

    Examples
    --------
    >>> from analyser.analysis.balance import efficiency
    >>> from analyser.analysis.matchups import matchups
    >>> found = matchups("crown/*", "imperium/*", situations=["long-range"])
    >>> told = flags(found.frame, efficiency(found.frame), found.attackers).set_index("attacker")
    >>> told.loc["crown/rifle-platoon@basic", ["made_for", "flag"]].tolist()
    ['light', 'under-priced']
    """
    paid = [each for each in attackers if each.level.points]
    usual = {
        category: _usual_of([each for each in paid if each.unit.category == category])
        for category in dict.fromkeys(each.unit.category for each in paid)
    }
    made_for = _at_what_they_are_for(jobs.join(_shooting(frame, attackers), on=["attacker", "situation"]))
    pairs = dominations(frame, attackers)
    alike = pairs[~pairs["has_besides"].astype(bool)]
    names = {each.selector: f"{each.unit.name}, {each.level_name}" for each in attackers}
    dearer, cheaper = _dearer(alike, names), _far_better(alike, names, jobs)
    found = [
        _flag(
            each,
            jobs[jobs["attacker"] == each.selector],
            made_for[made_for["attacker"] == each.selector],
            usual[each.unit.category],
            dearer.get(each.selector, ""),
            cheaper.get(each.selector, ""),
        )
        for each in paid
    ]
    return pd.DataFrame(found, columns=list(Flag._fields))


def _usual_of(loadouts: Sequence[Loadout]) -> _Usual:
    return _Usual(
        hits=median(map(_hits, loadouts)),
        speed=median(each.unit.speed or 0.0 for each in loadouts),
        reach=median(map(reach, loadouts)),
    )


def _hits(loadout: Loadout) -> float:
    """Hits that destroy 100 points of it."""
    return 100 * hits_to_destroy(loadout) / (loadout.level.points or 1)


def _dearer(alike: pd.DataFrame, names: Mapping[str, str]) -> dict[str, str]:
    """Why a loadout is too dear: the cheapest of those that dominate it and lack nothing of it costs less."""
    cheaper = alike[alike["points_saved"] > 0].sort_values("points_saved", ascending=False, kind="stable")
    return {
        row["attacker"]: f"{names[row['by']]}, does at least as well in every matchup, lacks nothing that it has, "
        f"and costs {row['points_saved']} points less"
        for row in cheaper.drop_duplicates("attacker").to_dict("records")
    }


def _far_better(alike: pd.DataFrame, names: Mapping[str, str], jobs: pd.DataFrame) -> dict[str, str]:
    """Why a loadout is too cheap: it does far more than one at its price that it dominates and lacks nothing of."""
    done = {
        str(name): part.set_index(["situation", "category"])["efficiency"]
        for name, part in jobs.groupby("attacker", sort=False)
    }
    found = {}
    for row in records(alike[alike["points_saved"] == 0]):
        mine, its = done.get(row["by"]), done.get(row["attacker"])
        if mine is None or its is None:
            continue
        times = (mine / its[its >= LEAST]).dropna()
        if len(times) and times.median() >= AGAIN:
            twin = names[row["attacker"]]
            found[row["by"]] = (
                f"it does {times.median():.1f} times as much as {twin}, lacks nothing, and costs the same"
            )
    return found


def _shooting(frame: pd.DataFrame, attackers: Sequence[Loadout]) -> pd.Series[bool]:
    """Whether an attacker does its work in a situation by a ranged row, by attacker and situation."""
    ranged = {(each.selector, row.id) for each in attackers for row in each.unit.rows if row.kind == "ranged"}
    done = frame[frame["why_not"].isna()]
    shoots = pd.Series(
        [each in ranged for each in zip(done["attacker"], done["row"])],
        index=pd.MultiIndex.from_frame(done[["attacker", "situation"]]),
        name="shoots",
        dtype=bool,
    )
    return shoots.groupby(level=["attacker", "situation"], sort=False).any()


def _at_what_they_are_for(jobs: pd.DataFrame) -> pd.DataFrame:
    """The rows of `jobs` against what the unit is made for; `usual` and `peers` are of those that are made for it too.

    `alike` counts the units among them that do their best as it is done here: by shooting, or in close quarters.
    What nobody's figures suffice to judge by is left out.
    """
    units = jobs["attacker"].map(unit_of)
    enough = jobs[jobs["peers"] >= FEWEST_PEERS].assign(unit=units)
    enough["times"] = np.log2(np.maximum(enough["efficiency"], LEAST) / enough["median"])
    means = enough.groupby(["unit", "category", "situation"], sort=False)["times"].mean().reset_index(name="mean")
    best = means.sort_values("mean", ascending=False, kind="stable").drop_duplicates("unit")
    made_for = units.map(dict(zip(best["unit"], best["category"])))
    those = jobs[jobs["category"] == made_for].assign(unit=units)
    shooters = {str(row["attacker"]): row["shoots"] for row in records(_best_jobs(those))}
    at_home = those["shoots"] == those["attacker"].map(shooters)
    peers = those[those["efficiency"] >= LEAST].groupby(["situation", "category"], sort=False)
    usual = peers.agg(usual=("efficiency", "median"), peers=("unit", "nunique"))
    alike = those[at_home].groupby(["situation", "category"], sort=False)["unit"].nunique().rename("alike")
    those = those.drop(columns="peers").join(usual, on=["situation", "category"])
    those = those.join(alike, on=["situation", "category"])
    return those[those["peers"] >= FEWEST_PEERS]


def _best_jobs(jobs: pd.DataFrame) -> pd.DataFrame:
    """Of each attacker the job that it does best in proportion to the median."""
    times = np.maximum(jobs["efficiency"], LEAST) / jobs["median"]
    return jobs.assign(times=times).sort_values("times", ascending=False, kind="stable").drop_duplicates("attacker")


def _flag(loadout: Loadout, jobs: pd.DataFrame, able: pd.DataFrame, usual: _Usual, dearer: str, cheaper: str) -> Flag:
    able = able.assign(times=able["efficiency"] / able["usual"])
    matters = able[able["efficiency"] >= LEAST].sort_values("times", ascending=False, kind="stable")
    best = next(iter(records(matters)), {})
    ratio = float(best.get("times", float("nan")))
    if dearer or cheaper:
        flag, why = (OVER_PRICED, dearer) if dearer else (UNDER_PRICED, cheaper)
    elif not best:
        flag, why = CANNOT_SAY, _no_job(jobs)
    else:
        flag, why = _judged(loadout, ratio, able[able["efficiency"] < able["usual"]]["situation"], usual)
        why = f"{_at(best)}{why}"
        if flag in (UNDER_PRICED, OVER_PRICED) and not best["alike"] >= FEWEST_PEERS:
            flag, why = CANNOT_SAY, f"{why}; but fewer than {FEWEST_PEERS} units here are made to do it in that way"
    return Flag(
        attacker=loadout.selector,
        attacker_unit=loadout.unit.name,
        attacker_level=loadout.level_name,
        attacker_points=loadout.level.points or 0,
        made_for=best.get("category", ""),
        situation=best.get("situation", ""),
        efficiency=best.get("efficiency", float("nan")),
        usual=best.get("usual", float("nan")),
        times_usual=ratio,
        hits=_hits(loadout),
        usual_hits=usual.hits,
        flag=flag,
        why=why,
    )


def _no_job(jobs: pd.DataFrame) -> str:
    if jobs.empty:
        return "it can attack nobody here"
    if (jobs["efficiency"] < LEAST).all():
        return f"it destroys less than {LEAST:g} point for 100 of its own of any category: nothing to judge it by"
    return f"fewer than {FEWEST_PEERS} units here are made for what it does best, so that nothing is usual"


def _at(job: dict[str, Any]) -> str:
    """What a loadout does at a job, beside the usual."""
    where = f"{job['category']} targets, {str(job['situation']).replace('-', ' ')}"
    return f"at its best job, {where}, it destroys {job['efficiency']:.1f} points for 100 (usual: {job['usual']:.1f})"


def _judged(loadout: Loadout, ratio: float, weak: Iterable[str], usual: _Usual) -> tuple[str, str]:
    """The flag of a loadout by its best job, and the rest of the reason."""
    hits = _hits(loadout)
    lasts = f"{hits:.1f} hits destroy 100 points of it (usual: {usual.hits:.1f})"
    if ratio >= FACTOR:
        less = [each.replace("-", " ") for each in weak]
        if hits < usual.hits:
            return "", f", but {lasts}"
        if less:
            return "", f", but less than the usual in: {', '.join(less)}"
        return UNDER_PRICED, f", nowhere less than the usual against such targets, and {lasts}"
    if ratio > 1 / FACTOR:
        return "", ""
    besides = _besides(loadout, usual)
    if hits > usual.hits:
        return CANNOT_SAY, f", but {lasts}"
    if besides:
        return CANNOT_SAY, f", but nothing here counts {', '.join(besides)}"
    return OVER_PRICED, f", and {lasts}"


def _besides(loadout: Loadout, usual: _Usual) -> list[str]:
    """What a loadout may be paid for that neither its attacks nor the hits that destroy it have in them."""
    unit = loadout.unit
    found = [f"that it is a {each}" for each in unit.traits]
    found += [f"its SPEED of {unit.speed:g}"] if (unit.speed or 0) > usual.speed else []
    found += [f"its reach of {reach(loadout):g} inches"] if reach(loadout) > usual.reach else []
    rules = [each.canonical for each in loadout.unit.rules if _is_besides(each)]
    return found + rules[:MOST_NAMED] + (["more special rules"] if len(rules) > MOST_NAMED else [])


def _is_besides(rule: Rule) -> bool:
    """Whether a special rule is none of those that make its own attacks what they are."""
    return rule.name not in _COUNTED and (rule.term is None or rule.term.side != "attacker")


def hits_to_destroy(loadout: Loadout) -> float:
    """Hits from the front that destroy it, none of them discarded: models x DAMAGE LIMIT x DEFENCE (AC-3.7, AC-3.8).

    Resilient (Front) counts; what it does with suppression, cover or Durable does not.

    Examples
    --------
    >>> from analyser.game.profiles import Profiles
    >>> hits_to_destroy(Profiles().loadout("crown/rifle-platoon@basic"))
    12.0
    """
    unit = loadout.unit
    resilient = unit.has("Resilient")
    return float(loadout.level.models * unit.damage_limit * (unit.defence + resilient))
