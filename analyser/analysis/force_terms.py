"""Terms of a list: its scale, its allowed and required units, and the reason why no list is legal."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from analyser.analysis.force_programme import Force
from analyser.common.errors import InputError, check_choice, check_integer, shown
from analyser.game.forces import Scale
from analyser.game.profiles import Profiles
from analyser.game.units import Loadout

MOST_WANTED = 500  # largest number of one unit in an army
_TIMES = re.compile(r"\s*(\d{1,9})\s*[x×]\s+(\S.*)")


def scale_of(points: int, scale: str | None, library: Profiles) -> tuple[str, Scale]:
    """Return the scale, by default the smallest that allows these points; InputError if none allows them."""
    scales = library.force_rules.scales
    check_integer(points, "points", 1)
    if scale is None:
        fitting = [name for name, scale in scales.items() if scale.least_points <= points <= scale.most_points]
        if not fitting:
            least, most = (
                min(scale.least_points for scale in scales.values()),
                max(s.most_points for s in scales.values()),
            )
            raise InputError(f"{points:,} points are of no scale", where="points", allowed=f"{least:,} to {most:,}")
        scale = fitting[0]
    check_choice(scale, "scale", tuple(scales))
    limits = scales[scale]  # type: ignore[index]
    if not limits.least_points <= points <= limits.most_points:
        allowed = f"{limits.least_points:,} to {limits.most_points:,}"
        raise InputError(f"{points:,} points at the scale {scale}", where="points", allowed=allowed)
    return scale, limits


def loadouts_of(faction: str, library: Profiles, ban: Sequence[str]) -> tuple[list[Loadout], list[str]]:
    """Return the loadouts allowed in a list, and the names of those that cannot be counted."""
    banned = {loadout.selector for pattern in ban for loadout in _fitting(pattern, faction, library, "ban")}
    everybody = [loadout for loadout in library.matching(f"{faction}/*") if loadout.selector not in banned]
    ours = [loadout for loadout in everybody if loadout.level.points]
    if not ours:
        why = "every unit is banned" if not everybody else "none of its units has points"
        raise InputError(f"no list of {faction}: {why}", where="build", allowed="units with points")
    return ours, [f"{loadout.selector}, which has no points" for loadout in everybody if not loadout.level.points]


def _fitting(pattern: str, faction: str, library: Profiles, where: str) -> list[Loadout]:
    """Return the loadouts of a faction that match a selector; without a level, at every level."""
    if not isinstance(pattern, str):
        raise InputError(f"{shown(pattern)} is not usable", where=where, allowed="selectors")
    try:
        unit, _, level = pattern.partition("@")
        if not any(mark in unit for mark in "*?["):
            of_faction, meant = library.unit(unit)  # raises an error with the nearest name
            unit = f"{of_faction.id}/{meant.id}"
        result = library.matching(f"{unit}@{level or '*'}")
    except InputError as error:
        raise error.inside(where) from None
    strangers = [loadout.selector for loadout in result if loadout.faction != faction]
    if strangers:
        raise InputError(f"{strangers[0]} is not of {faction}", where=where, allowed=f"units of {faction}")
    return result


def required_minimum(
    written: str, faction: str, ours: Sequence[Loadout], library: Profiles
) -> tuple[tuple[int, ...], int]:
    """Return the indices of required loadouts, and the number required."""
    times = _TIMES.fullmatch(written) if isinstance(written, str) else None
    pattern, number = (times[2], int(times[1])) if times else (written, 1)
    check_integer(number, "must", 1, MOST_WANTED)
    meant = _fitting(pattern, faction, library, "must")
    wanted = {loadout.selector for loadout in meant}
    places = tuple(place for place, loadout in enumerate(ours) if loadout.selector in wanted)
    if not places:
        why = "is banned" if any(loadout.level.points for loadout in meant) else "has no points"
        raise InputError(f"{pattern} {why}", where="must", allowed="a unit that may be in a list")
    return places, number


def check_possible(force: Force, faction: str, scale: str) -> None:
    """Raise InputError with the reason if no list is legal."""
    points = force.points.astype(np.float64)
    if force.best(points) is not None:
        return
    most = force.best(points, any_points=True)
    if most is not None:
        reached = int(force.points @ most.counts)
        problem = f"lists of {faction} reach {reached:,} points, and the scale {scale} begins at {force.least_points:,}"
        raise InputError(problem, where="points", allowed="more battlegroups, or fewer limits")
    free = replace(force, must=(), at_most=None, _programme=[])
    if (force.must or force.at_most is not None) and free.best(points, any_points=True) is not None:
        raise InputError(
            f"the required units do not fit into a list of {faction} within {force.most_points:,} points",
            where="must" if force.must else "at_most",
            allowed="fewer required units, more of each, more battlegroups, or more points",
        )
    unlimited = replace(free, most_points=100_000, least_points=0, _programme=[])
    least = unlimited.best(-points, any_points=True)
    cost = "" if least is None else f"; the cheapest legal one costs {-least.value:,.0f}"
    problem = f"no legal list of {faction} within {force.most_points:,} points{cost}"
    raise InputError(problem, where="points", allowed="more points, or fewer bans")
