"""A table of matchups after an edit: only fights that it touches are fought anew; points touch none."""

from __future__ import annotations

from collections.abc import Sequence

from analyser.analysis.grid import Field, Known, grid, not_modelled
from analyser.analysis.matchups import Matchups
from analyser.common.sampling import Progress, Sampling
from analyser.game.forces import Limits
from analyser.game.profiles import ProfilesUsed
from analyser.game.ruleset import Ruleset
from analyser.game.units import Level, Loadout, Unit


def edited(
    found: Matchups,
    attackers: Sequence[Loadout],
    defenders: Sequence[Loadout],
    *,
    ruleset: Ruleset | None = None,
    used: ProfilesUsed | None = None,
    threads: int | None = None,
    progress: Progress | bool | None = None,
) -> Matchups:
    """The same table of other loadouts: a fight of two that are as they were is not fought again.

    Parameters
    ----------
    found : Matchups
        Every attacker against every defender.
    attackers, defenders : sequence of Loadout
        Those of the wanted table. One that has the selector of another takes its place.
    ruleset, used : optional
        Of the wanted table; default: those of `found`. Under another ruleset everything is fought anew.
    threads, progress
        As of :func:`analyser.matchups`.

    Returns
    -------
    Matchups
        Equal to what :func:`analyser.matchups` works out, to the bit.

    Examples
    --------
    >>> from analyser.analysis.matchups import matchups
    >>> found = matchups("crown/rifle-platoon@basic", "imperium/*@basic", situations="charge")
    >>> cheaper = [each.with_(points="-5") for each in found.attackers]
    >>> after = edited(found, cheaper, found.defenders).frame
    >>> int(after["attacker_points"].iloc[0] - found.frame["attacker_points"].iloc[0])
    -5
    """
    rules = found.ruleset if ruleset is None else ruleset
    known = None
    if rules == found.ruleset:
        places = [_places(*each) for each in ((found.attackers, attackers), (found.defenders, defenders))]
        known = Known(found.frame, *places)
    sampling = Sampling("exact", threads=threads, progress=progress)
    field = Field(tuple(defenders), rules, found.row, sampling.n_threads)
    with sampling.with_bar() as reporting:
        frame = grid(attackers, field, found.situations, reporting.report, known)
    missing = not_modelled(attackers, defenders, found.situations)
    used = found.profiles if used is None else used
    return Matchups(
        frame, tuple(attackers), field.defenders, found.situations, found.row, found.metric, rules, missing, used
    )


def fights_as(one: Loadout, other: Loadout) -> bool:
    """Whether every fight of one is that of the other, whatever they cost."""
    return one.selector == other.selector and _fighting(one) == _fighting(other)


def _fighting(loadout: Loadout) -> Unit:
    """The unit with no other level, and without points and what only force building reads."""
    level = Level(models=loadout.level.models, victory_points=loadout.level.victory_points)
    without = {"levels": {loadout.level_name: level}, "entry": None, "in_force": Limits(), "battlegroups": {}}
    return loadout.unit.model_copy(update=without)


def _places(before: Sequence[Loadout], after: Sequence[Loadout]) -> list[int]:
    """For each of `after` its place in `before`, -1 where it is new or fights in another way."""
    there = {each.selector: (at, each) for at, each in enumerate(before)}
    places = []
    for each in after:
        at, old = there.get(each.selector, (-1, each))
        places.append(at if fights_as(old, each) else -1)
    return places
