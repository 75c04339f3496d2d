"""Public function that finds the best army lists: integer programming over exact unit values, then battles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from analyser.analysis.build_answer import Build
from analyser.analysis.built_lists import (
    best_enemy_lists,
    built_lists,
    is_tied_with,
    own_list,
    play_battles,
    unused_options,
    with_ties,
)
from analyser.analysis.force_programme import Force, best_lists
from analyser.analysis.list_opponents import list_opponents, losses_between, stage, values_against
from analyser.analysis.situations import EXCHANGES, Situation, situations_named
from analyser.common.errors import InputError, check_choice, check_flag, check_integer, is_number, shown
from analyser.common.method_settings import Progress, Sampling
from analyser.game.forces import Scale
from analyser.game.names import number_and_selector
from analyser.game.profiles import Profiles, ProfilesLike, library_of
from analyser.game.units import Loadout
from analyser.scenarios.armies import ArmyLike, load_army

DEFAULT_BATTLES = 10_000
MOST_NEXT_BEST = 20  # limits the time: 20 lists of 4,000 points take a minute, 100 lists half an hour


def build(
    faction: str,
    points: int,
    against: Any,
    *,
    over: str = "mean",
    scale: str | None = None,
    must: Sequence[str] = (),
    ban: Sequence[str] = (),
    at_most: int | None = None,
    battlegroups: int = 2,
    next_best: int = 10,
    differ: float = 0.2,
    situations: str | Situation | Sequence[Situation | str] = EXCHANGES,
    mine: ArmyLike | None = None,
    battles: bool = True,
    trials: int = DEFAULT_BATTLES,
    seed: int = 0,
    threads: int | None = None,
    profiles: ProfilesLike | None = None,
    progress: Progress | bool | None = None,
) -> Build:
    """Return the best lists of a faction against armies or single loadouts, and their battles.

    Parameters
    ----------
    faction : str
    points : int
        Most points that a list may cost.
    against : path, Army or list of these; or str
        The enemy army or armies; or factions, or selectors with wildcards. Without armies, each selected loadout is an
        opponent, and battles are against the best list of each of their factions.
    over : "mean" or "worst"
        Maximise the mean value over the opponents, or the lowest value against any army (any loadout, if only one army
        or none is stated).
    scale : str, optional
        Name of the force scale. Default: the smallest that allows these points.
    must, ban : sequence of str
        Selectors of required and of banned units. ``2 x crown/rifle-platoon`` requires two at any level.
    at_most : int, optional
        Largest number of each unit, all levels together.
    battlegroups : int
        Largest number of battlegroups.
    next_best : int
        Number of further lists, 0 to 20. Compared with each earlier list, a further list lacks units worth at least the
        share `differ` of the earlier list's points.
    situations, threads, profiles, progress
        As in :func:`analyser.matchups`; the values of units come from fights in these situations.
    mine : path, Army, list or mapping, optional
        Your own list, which fights the same battles; only with ``battles=True``.
    battles : bool
        Simulate battles of the lists against the armies.
    trials, seed
        Number of battles of each list against each army, and the seed. Battles are cached: call again to resume.

    Examples
    --------
    >>> found = build("crown", 500, "imperium/krupp-field-guns@*", next_best=1, situations="long-range")
    >>> [(built.army.points <= 500, built.gap) for built in found.lists], found.lists[1].differs >= 0.2
    ([(True, 0.0), (True, 0.0)], True)
    """
    _check(over, battles, next_best, battlegroups, at_most, differ)
    if mine is not None and not battles:
        problem = "needs battles, in which your own list is compared with the others"
        raise InputError(problem, where="mine", allowed="with battles")
    library = library_of(profiles)
    sampling = Sampling("monte-carlo", trials, seed, None, threads, progress=progress)
    chosen = library.faction(faction)
    scale_name, limits = scale_of(points, scale, library)
    wanted = situations_named(situations)
    try:
        own = None if mine is None else load_army(mine, library)
    except InputError as error:
        raise error.inside("mine") from None
    enemies = list_opponents(against, library, points, over)
    ours, left_out = loadouts_of(chosen.id, library, ban)
    force = Force(
        tuple(ours),
        chosen.battlegroups,
        limits.least_points,
        points,
        battlegroups,
        scale_name,
        library.force_rules.led_by,
        tuple(required_minimum(requirement, chosen.id, ours, library) for requirement in must),
        at_most,
    )
    check_possible(force)
    with sampling.with_bar() as reporting:
        report_fights, report_lists = (stage(reporting.report, number, 2 + battles) for number in range(2))
        losses = losses_between(ours, enemies.loadouts, wanted, library, threads, report_fights)
        values_by_loadout = values_against(enemies.opponents, ours, losses, points)
        weights = np.array([opponent.weight for opponent in enemies.opponents])
        values = (weights @ values_by_loadout.total)[None, :] if over == "mean" else values_by_loadout.total
        # The time to find a list is about proportional to the number of earlier lists, so progress is quadratic.
        solved = best_lists(force, values, next_best, differ, lambda done: report_lists(done**2, (next_best + 1) ** 2))
        report_lists(1, 1)  # completes this stage, because there may be fewer lists than planned
    mean_weights = weights if over == "mean" else None
    lists = built_lists(solved, force, values_by_loadout, mean_weights, library)
    answer = Build(
        chosen.id,
        points,
        limits.least_points,
        scale_name,
        lists,
        over,
        tuple(opponent.name for opponent in enemies.opponents),
        differ,
        battlegroups,
        library.used,
        own=None if own is None else own_list(own, solved[0], force, values_by_loadout, mean_weights),
        left_out=(
            *left_out,
            *(f"the opponent {name}, which has no points" for name in enemies.left_out),
            *unused_options(chosen, [built.army for built in lists]),
        ),
    )
    if not battles:
        return answer
    armies = enemies.armies or best_enemy_lists(enemies.loadouts, force, losses, library)
    answer = replace(answer, enemy_armies=armies, enemies_are_best_lists=not enemies.armies)
    return _with_battles(answer, sampling, library) if armies else answer


def _check(over: str, battles: bool, next_best: int, battlegroups: int, at_most: int | None, differ: float) -> None:
    """Raise InputError for arguments of :func:`build` that are invalid with any profiles."""
    check_choice(over, "over", ("mean", "worst"))
    check_flag(battles, "battles")
    check_integer(next_best, "next_best", 0, MOST_NEXT_BEST)
    check_integer(battlegroups, "battlegroups", 1, 20)
    if at_most is not None:
        check_integer(at_most, "at_most", 1, 1000)
    if not is_number(differ) or not 0 < differ <= 1:
        raise InputError(f"{shown(differ)} is not usable", where="differ", allowed="a share above 0, up to 1")


def _with_battles(answer: Build, sampling: Sampling, library: Profiles) -> Build:
    with sampling.with_bar() as reporting:
        last_stage = replace(reporting, progress=stage(reporting.report, 2, 3))
        armies = [built.army for built in answer.lists] + ([] if answer.own is None else [answer.own.army])
        records = play_battles(armies, answer.enemy_armies, last_stage, library)
    battles = with_ties(records[: len(answer.lists)])
    lists = tuple(built._replace(battles=record) for built, record in zip(answer.lists, battles))
    if answer.own is None:
        return replace(answer, lists=lists)
    best = max(battles, key=lambda record: record.score)
    record = records[-1]._replace(is_tied=is_tied_with(best, records[-1]))
    return replace(answer, lists=lists, own=answer.own._replace(battles=record))


MOST_REQUIRED = 500  # largest number of a unit that can be required


def scale_of(points: int, scale: str | None, library: Profiles) -> tuple[str, Scale]:
    """Return the name and limits of a scale (default: the smallest that allows these points), or raise InputError."""
    scales = {str(name): limits for name, limits in library.force_rules.scales.items()}
    check_integer(points, "points", 1)
    if scale is not None:
        check_choice(scale, "scale", tuple(scales))
        scales = {scale: scales[scale]}
    for name, limits in scales.items():
        if limits.least_points <= points <= limits.most_points:
            return name, limits
    least, most = min(one.least_points for one in scales.values()), max(one.most_points for one in scales.values())
    allows = "no scale allows" if scale is None else f"the scale {scale} does not allow"
    raise InputError(f"{allows} {points:,} points", where="points", allowed=f"{least:,} to {most:,}")


def loadouts_of(faction: str, library: Profiles, ban: Sequence[str]) -> tuple[list[Loadout], list[str]]:
    """Return the loadouts allowed in a list, and texts about loadouts without points, which are left out."""
    banned = {loadout.selector for pattern in ban for loadout in _matching(pattern, faction, library, "ban")}
    allowed = [loadout for loadout in library.matching(f"{faction}/*") if loadout.selector not in banned]
    ours = [loadout for loadout in allowed if loadout.level.points]
    if not ours:
        why = "no unit has points" if allowed else "every unit is banned"
        raise InputError(f"no list of {faction}: {why}", where="build", allowed="units with points")
    return ours, [f"{loadout.selector}, which has no points" for loadout in allowed if not loadout.level.points]


def _matching(pattern: str, faction: str, library: Profiles, where: str) -> list[Loadout]:
    """Return the matching loadouts of a faction; a selector without a level matches every level."""
    if not isinstance(pattern, str):
        raise InputError(f"{shown(pattern)} is not usable", where=where, allowed="selectors")
    try:
        unit, _, level = pattern.partition("@")
        if not any(mark in unit for mark in "*?["):
            own_faction, named_unit = library.unit(unit)  # an unknown name raises an error with the nearest name
            unit = f"{own_faction.id}/{named_unit.id}"
        result = library.matching(f"{unit}@{level or '*'}")
    except InputError as error:
        raise error.inside(where) from None
    others = [loadout.selector for loadout in result if loadout.faction != faction]
    if others:
        raise InputError(f"{others[0]} is not a unit of {faction}", where=where, allowed=f"units of {faction}")
    return result


def required_minimum(
    written: str, faction: str, ours: Sequence[Loadout], library: Profiles
) -> tuple[tuple[int, ...], int]:
    """Return the loadouts (as indices) and number of units that a requirement such as ``2 x crown/rifle-p`` states."""
    number, pattern = number_and_selector(written) if isinstance(written, str) else (1, written)
    check_integer(number, "must", 1, MOST_REQUIRED)
    matching = _matching(pattern, faction, library, "must")
    selectors = {loadout.selector for loadout in matching}
    indices = tuple(index for index, loadout in enumerate(ours) if loadout.selector in selectors)
    if not indices:
        why = "is banned" if any(loadout.level.points for loadout in matching) else "has no points"
        raise InputError(f"{pattern} {why}", where="must", allowed="a unit that may be in a list")
    return indices, number


def check_possible(force: Force) -> None:
    """Raise InputError with the reason if no list is legal."""
    points = force.points.astype(np.float64)
    if force.best(points) is not None:
        return
    most = force.best(points, any_points=True)
    faction = force.faction
    if most is not None:
        reached = f"{force.points @ most.counts:,} of the {force.least_points:,} points of the scale {force.scale}"
        problem = f"lists of {faction} reach only {reached}"
        raise InputError(problem, where="points", allowed="more battlegroups, or fewer limits")
    without_requirements = replace(force, must=(), at_most=None)
    if (force.must or force.at_most is not None) and without_requirements.best(points, any_points=True) is not None:
        raise InputError(
            f"the required units do not fit into a list of {faction} within {force.most_points:,} points",
            where="must" if force.must else "at_most",
            allowed="fewer required units, a larger at_most, more battlegroups, or more points",
        )
    unlimited = replace(without_requirements, most_points=100_000, least_points=0)
    least = unlimited.best(-points, any_points=True)
    cost = "" if least is None else f"; the cheapest legal list costs {-least.value:,.0f}"
    problem = f"no legal list of {faction} within {force.most_points:,} points{cost}"
    raise InputError(problem, where="points", allowed="more points, or fewer bans")
