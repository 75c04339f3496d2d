"""Several loadouts at one target, or some, under the same conditions, by the single attack's own computation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import combinations
from typing import Any, NamedTuple, TypeGuard, overload

import numpy as np
import pandas as pd

from analyser.analysis import selection
from analyser.analysis.compare_result import Comparison
from analyser.analysis.differences import Side, differences, with_differences
from analyser.analysis.figures import figures_of, metric_compared, values_of
from analyser.analysis.selection import Levels, Selectors
from analyser.analysis.targets import Comparisons, compared_by_target, shares_of
from analyser.common.errors import InputError, check_integer, shown
from analyser.common.estimates import Method
from analyser.common.sampling import Sampling
from analyser.engine.parallel import CHUNK_TRIALS
from analyser.game.profiles import Profiles, ProfilesLike, library_of
from analyser.game.units import Loadout
from analyser.plots.metrics import PER_100_POINTS
from analyser.results.attack import AttackResult, simulate_in_batches, solve
from analyser.scenarios.attack import Scenario
from analyser.scenarios.load import parse_scenario, scenario_between
from analyser.scenarios.resolve import resolve_target
from analyser.scenarios.schema import ScenarioFile

BATCHES = 32  # of a sample: enough for the interval of their mean, few enough to be large
DEFAULT_CHUNKS = 2  # in a batch

Played = tuple[AttackResult, tuple[AttackResult, ...]]
Target = str | Loadout | Mapping[str, Any]


@overload
def compare(loadouts: Selectors, target: Target, **options: Any) -> Comparison: ...
@overload
def compare(loadouts: Selectors, target: Sequence[Target], **options: Any) -> Comparisons: ...
def compare(
    loadouts: Selectors,
    target: Target | Sequence[Target],
    *,
    weights: Sequence[float] | None = None,
    distance: float | None = None,
    row: str | None = None,
    method: Method = "exact",
    metric: str = "mean_models_destroyed",
    per_points: bool = False,
    at_least: int | None = None,
    levels: Levels = None,
    trials: int | None = None,
    seed: int = 0,
    threads: int | None = None,
    profiles: ProfilesLike | None = None,
    **conditions: Any,
) -> Comparison | Comparisons:
    """One ranged attack of each loadout on the same target, side by side; or on each of several targets.

    Parameters
    ----------
    loadouts : str, Loadout, or several of them
        Selectors may have wildcards. A Loadout need not be in any profile file.
    target : str, Loadout or mapping; or a list of them
        A selector, a loadout, or the ``[target]`` of a scenario (`docs/scenario.md`) with the target's state. Of a
        list: a comparison for each, and their mean.
    weights : sequence of float, optional
        How much each of several targets counts in the mean: above 0, in the order of the targets. Default: all alike.
    distance, row
        As in a scenario. Default: each loadout fires its best row.
    method : "exact" or "monte-carlo"
    metric : str
        The figure that decides which loadout is the best one: `p_at_least`, or one of
        :data:`analyser.plots.metrics.METRICS` that is not of duels.
    per_points : bool
        Let the figure per 100 points of the loadout decide: a mean or an expected one; probabilities do not add up.
    at_least : int, optional
        The k of P(at least k models destroyed), 1 or more. Default: half of the target's models, rounded up.
    levels : str or several, optional
        Only loadouts at these reinforcement levels.
    trials, seed, threads
        Monte Carlo: at least so many fights for each loadout, rounded up to 32 batches of whole chunks of 131,072.
        Default: 8.4 million. Batches are paired (:mod:`analyser.analysis.differences`).
    profiles : Profiles, optional
    **conditions
        Further keys of the ``[attack]`` of a scenario, such as ``bonuses=["aiming"]``.

    Returns
    -------
    Comparison, or Comparisons of a list of targets
        Its frame has one row a loadout, in the order given.

    Raises
    ------
    InputError
        A selector, row, metric, weight or condition that does not fit, the same target twice, or a target that no
        loadout can attack.

    Examples
    --------
    >>> found = compare(["crown/sharp-rifles@basic", "crown/rifle-platoon@reinforced"], "imperium/krupp@basic")
    >>> found.frame.set_index("unit")["mean_models_destroyed"].round(3).to_dict()
    {'Sharp Rifles': 1.676, 'Rifle platoon': 3.518}
    >>> print(found.best)
    crown/rifle-platoon@reinforced
    """
    decides = metric_compared(metric, per_points=per_points)
    sampling = Sampling(method, trials, seed, threads=threads)
    library = library_of(profiles)
    attackers = selection.loadouts(loadouts, library, levels)
    selection.check_row(row, attackers)
    attack = {"distance": distance, **conditions}
    if _is_target(target):
        if weights is not None:
            raise InputError("weights of one target", where="weights", allowed="a list of targets")
        return _compared(_asked(target, attack, library), attackers, row, at_least, decides, sampling, library)
    if isinstance(target, bytes) or not isinstance(target, Sequence) or not all(map(_is_target, target)):
        raise InputError(f"{shown(target)} is not a target", where="target", allowed=_A_TARGET)
    asked = [_asked(each, attack, library, place) for place, each in enumerate(target)]
    shares = shares_of([each.name for each in asked], weights)
    _check_different(asked)
    parts = []
    for each in asked:
        with _inside(f"target {each.name}"):
            parts.append(_compared(each, attackers, row, at_least, decides, sampling, library))
    return compared_by_target(parts, shares, weights)


class _Asked(NamedTuple):
    """The attack on one target: the checked scenario, still without an attacker, and the target's profile."""

    name: str
    file: ScenarioFile
    defender: Loadout | None


def _compared(
    asked: _Asked,
    attackers: Sequence[Loadout],
    row: str | None,
    at_least: int | None,
    decides: str,
    sampling: Sampling,
    library: Profiles,
) -> Comparison:
    """The comparison on one target."""
    scenarios, why_not = _scenarios(asked, attackers, row)
    models = next(iter(scenarios.values())).target.models or 1
    wanted = (models + 1) // 2 if at_least is None else at_least
    check_integer(wanted, "at_least", 1)
    if wanted > models:
        raise InputError(f"at least {shown(wanted)} of {models} models", where="at_least", allowed=f"1 to {models}")
    played = {place: _play(each, sampling) for place, each in scenarios.items()}
    frame = _frame(attackers, played, why_not, wanted)
    if frame[decides].isna().all():
        raise InputError(f"no loadout has a figure {decides!r}: {_missing(decides)}", where="metric")
    sides = [_side(attackers[place], *played[place], wanted) for place in played]
    deltas = differences(sides)
    return Comparison(
        frame=with_differences(frame, deltas, decides),
        distributions=_distributions(attackers, played),
        differences=deltas,
        metric=decides,
        at_least=wanted,
        results={attackers[place].selector: whole for place, (whole, _) in played.items()},
        shares={asked.name: 1.0},
        profiles=library.used,
        sides=tuple(sides),
    )


def _missing(metric: str) -> str:
    if metric.endswith(PER_100_POINTS):
        return "the profiles give no points for it"
    return "the target's profile gives no victory points or points for it"


_A_TARGET = "a selector, a loadout or a table of keys; or a list of them"


def _is_target(given: object) -> TypeGuard[Target]:
    return isinstance(given, str | Loadout | Mapping)


@contextmanager
def _inside(where: str | None) -> Iterator[None]:
    """What is wrong inside this is wrong at that place."""
    try:
        yield
    except InputError as error:
        raise error if where is None else error.inside(where) from None


def _asked(target: Target, attack: Mapping[str, Any], library: Profiles, place: int | None = None) -> _Asked:
    """The attack on a target; `place`: of several."""
    key = "target" if place is None else f"target.{place}"
    section: dict[str, Any] = dict(target) if isinstance(target, Mapping) else {}
    defender = target if isinstance(target, Loadout) else None
    selector = target if isinstance(target, str) else section.get("unit")
    if isinstance(selector, str):
        with _inside(key):
            defender = library.loadout(selector)
    file = parse_scenario({"attack": attack, "target": section}, ScenarioFile, library.ruleset, where="compare")
    with _inside(None if place is None else key):
        resolve_target(file.target, defender)  # what is wrong with the target is no loadout's fault
    return _Asked(_name(section, defender), file, defender)


def _name(section: Mapping[str, Any], defender: Loadout | None) -> str:
    """What a target is called: its selector, and its state, as after a colon."""
    state = [
        key if value is True else f"{key}={value}"
        for key, value in sorted(section.items())
        if key != "unit" and value not in (None, False)
    ]
    if defender is None:
        return "target without a profile"
    return f"{defender.selector}:{','.join(state)}" if state else defender.selector


def _check_different(asked: Sequence[_Asked]) -> None:
    """Raise InputError if a target is there twice: a weight says that it counts twice as much."""
    for one, other in combinations(asked, 2):
        if resolve_target(one.file.target, one.defender) == resolve_target(other.file.target, other.defender):
            allowed = "each target once; weights say what counts more"
            raise InputError(f"{other.name} is there twice", where="target", allowed=allowed)


def _scenarios(
    asked: _Asked, attackers: Sequence[Loadout], row: str | None
) -> tuple[dict[int, Scenario], dict[int, str]]:
    """By the place of the attacker: its scenario, or why it cannot make the attack; InputError if none can."""
    scenarios, errors = {}, {}
    for place, each in enumerate(attackers):
        try:
            scenarios[place] = scenario_between(_with_row(asked.file, each, row), each, asked.defender)
        except InputError as error:
            errors[place] = error
    if not scenarios:
        raise errors[0]
    return scenarios, {place: _reason(error, attackers[place]) for place, error in errors.items()}


def _with_row(file: ScenarioFile, attacker: Loadout, row: str | None) -> ScenarioFile:
    if row is None:
        return file
    if not selection.rows_called(row, attacker):
        raise InputError(f"it has no row {row!r}")
    return file.model_copy(update={"attack": file.attack.model_copy(update={"row": row})})


def _reason(error: InputError, attacker: Loadout) -> str:
    problem = error.problem.removeprefix(f"{attacker.selector}: ")
    return f"{problem} ({error.allowed})" if error.allowed else problem


def _play(scenario: Scenario, sampling: Sampling) -> Played:
    """The result, and the results of its batches if it is a sample."""
    if sampling.is_exact:
        return solve(scenario), ()
    chunks = DEFAULT_CHUNKS if sampling.trials is None else -(-sampling.trials // (BATCHES * CHUNK_TRIALS))
    return simulate_in_batches(scenario, BATCHES, chunks, seed=sampling.seed, threads=sampling.threads)


def _side(loadout: Loadout, whole: AttackResult, parts: Sequence[AttackResult], at_least: int) -> Side:
    points = loadout.level.points
    values, *batches = (values_of(figures_of(each, at_least, points)) for each in (whole, *parts))
    return Side(loadout.selector, points, values, np.array(batches) if batches else None)


def _frame(
    attackers: Sequence[Loadout], played: Mapping[int, Played], why_not: Mapping[int, str], at_least: int
) -> pd.DataFrame:
    """One row a loadout, without the differences."""
    rows = []
    for place, each in enumerate(attackers):
        points = each.level.points
        line: dict[str, Any] = {"loadout": each.selector, "unit": each.unit.name}
        line |= {"level": each.level_name, "points": points}
        if place in played:
            line |= _figures(played[place][0], at_least, points)
        rows.append(line | {"why_not": why_not.get(place)})
    columns = list(dict.fromkeys(name for line in sorted(rows, key=len, reverse=True) for name in line))
    frame = pd.DataFrame(rows, columns=columns)
    return frame.astype({name: "Int64" for name in ("points", "dice", "trials") if name in frame})


def _figures(result: AttackResult, at_least: int, points: int | None) -> dict[str, Any]:
    """The columns of a loadout that can make the attack."""
    known = {"row": result.scenario.attack.row, "dice": result.conditions["dice"], "method": result.method}
    if result.trials is not None:
        known |= {"trials": result.trials}
    for name, figure in figures_of(result, at_least, points).items():
        known[name] = figure.value
        if result.trials is not None:
            known |= {f"{name}_low": figure.low, f"{name}_high": figure.high}
    return known


def _distributions(attackers: Sequence[Loadout], played: Mapping[int, Played]) -> pd.DataFrame:
    """The distribution of models destroyed of each loadout, one below the other."""
    parts = []
    for place, (whole, _) in played.items():
        part = pd.DataFrame(whole.distribution("models_destroyed"))
        parts.append(part.assign(loadout=attackers[place].selector, method=whole.method))
    table = pd.concat(parts, ignore_index=True).rename(columns={"value": "models_destroyed"})
    return table[["loadout", *(name for name in table if name != "loadout")]]
