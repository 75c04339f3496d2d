"""Several loadouts at one target under the same conditions, each by the single attack's own computation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

import numpy as np
import pandas as pd

from analyser.api import FINEST_PRECISION, MOST_TRIALS, exact, scenario_between, simulate_in_batches
from analyser.comparisons.comparison import Comparison
from analyser.comparisons.differences import best_by, differences
from analyser.comparisons.figures import figures_of, metric_compared, values_of
from analyser.comparisons.sides import Levels, Selectors, check_row, rows_called
from analyser.comparisons.sides import loadouts as loadouts_meant
from analyser.engine.tasks import CHUNK_TRIALS
from analyser.errors import InputError, check_text, did_you_mean, shown
from analyser.estimates import Method
from analyser.profiles import Profiles
from analyser.resolve import resolve_target
from analyser.results.result import Result
from analyser.ruleset import load_ruleset
from analyser.sampling import check_sample, check_whole
from analyser.scenario import Scenario, ScenarioFile, Target, parse_scenario
from analyser.units import Loadout

BATCHES = 32  # of a sample: enough for the interval of their mean, few enough to be large
DEFAULT_CHUNKS = 2  # in a batch

Played = tuple[Result, tuple[Result, ...]]


def compare(
    loadouts: Selectors,
    target: str | Loadout | Mapping[str, Any],
    *,
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
    profiles: Profiles | None = None,
    **conditions: Any,
) -> Comparison:
    """One ranged attack of each loadout on the same target, side by side.

    Parameters
    ----------
    loadouts : str, Loadout, or several of them
        Selectors may have wildcards. A Loadout need not be in any profile file.
    target : str, Loadout or mapping
        A selector, a loadout, or the ``[target]`` of a scenario (`docs/scenario.md`) with the target's state.
    distance, row
        As in a scenario. Left out, each loadout fires its best row.
    method : "exact" or "monte-carlo"
    metric : str
        The figure that decides which loadout is the best one, and whose differences are shown: `p_at_least`,
        `mean_models_destroyed`, `models_destroyed_10th_percentile`, `p_suppressed`, `p_broken`, `p_annihilated` or
        `expected_victory_points`.
    per_points : bool
        Let the figure per 100 points of the loadout decide.
    at_least : int, optional
        The k of P(at least k models destroyed), 1 or more; left out: half of the target's models, rounded up.
    levels : str or several, optional
        Only loadouts at these reinforcement levels.
    trials, seed, threads
        Monte Carlo: at least so many fights for each loadout, rounded up to 32 batches of whole chunks of 131,072;
        left out: 8.4 million. Batches are paired (:mod:`analyser.comparisons.differences`).
    profiles : Profiles, optional
    **conditions
        Further keys of the ``[attack]`` of a scenario, such as ``bonuses=["aiming"]``.

    Returns
    -------
    Comparison
        Its frame has one row a loadout, in the order given.

    Raises
    ------
    InputError
        A selector, row, metric or condition that does not fit, or no loadout that can make the attack.

    Examples
    --------
    >>> found = compare(["crown/sharp-rifles@basic", "crown/rifle-platoon@reinforced"], "imperium/krupp@basic")
    >>> found.frame.set_index("unit")["mean_models_destroyed"].round(3).to_dict()
    {'Sharp Rifles': 1.676, 'Rifle platoon': 3.518}
    >>> print(found.best)
    crown/rifle-platoon@reinforced
    """
    decides = metric_compared(metric, per_points=per_points)
    _check_method(method)
    check_sample(trials, seed, None, threads, most_trials=MOST_TRIALS, finest=FINEST_PRECISION)
    library = profiles or Profiles()
    sides = loadouts_meant(loadouts, library, levels)
    check_row(row, sides)
    file, defender = _conditions(target, {"distance": distance, **conditions}, library)
    scenarios, why_not = _scenarios(file, sides, defender, row)
    wanted = _at_least(at_least, next(iter(scenarios.values())).target)
    played = {place: _play(each, method, trials, seed, threads) for place, each in scenarios.items()}
    frame = _frame(sides, played, why_not, wanted)
    if frame[decides].isna().all():
        raise InputError(f"no loadout has a figure {decides!r}: the profiles give no points for it", where="metric")
    deltas = _differences(sides, played, wanted, decides)
    return Comparison(
        frame=_with_differences(frame, deltas, decides),
        laws=_laws(sides, played),
        differences=deltas,
        metric=decides,
        at_least=wanted,
        results={sides[place].selector: whole for place, (whole, _) in played.items()},
    )


def _check_method(method: str) -> None:
    allowed = get_args(Method)
    check_text(method, "method", ", ".join(allowed))
    if method not in allowed:
        hint = did_you_mean(method, allowed)
        raise InputError(f"no method {method!r}{hint}", where="method", allowed=", ".join(allowed))


def _conditions(
    target: str | Loadout | Mapping[str, Any], attack: Mapping[str, Any], library: Profiles
) -> tuple[ScenarioFile, Loadout | None]:
    """The checked scenario, still without an attacker, and the target's profile."""
    section: dict[str, Any] = dict(target) if isinstance(target, Mapping) else {}
    defender = target if isinstance(target, Loadout) else None
    selector = target if isinstance(target, str) else section.get("unit")
    if isinstance(selector, str):
        try:
            defender = library.loadout(selector)
        except InputError as error:
            raise error.inside("target") from None
    file = parse_scenario({"attack": attack, "target": section}, load_ruleset(library.folder), where="compare")
    return file, defender


def _scenarios(
    file: ScenarioFile, sides: Sequence[Loadout], defender: Loadout | None, row: str | None
) -> tuple[dict[int, Scenario], dict[int, str]]:
    """By the place of the loadout: its scenario, or why it cannot make the attack.

    Raises
    ------
    InputError
        None can.
    """
    resolve_target(file.target, defender)  # what is wrong with the target is no loadout's fault
    scenarios, errors = {}, {}
    for place, side in enumerate(sides):
        try:
            scenarios[place] = scenario_between(_with_row(file, side, row), side, defender)
        except InputError as error:
            errors[place] = error
    if not scenarios:
        raise errors[0]
    return scenarios, {place: _reason(error, sides[place]) for place, error in errors.items()}


def _with_row(file: ScenarioFile, side: Loadout, row: str | None) -> ScenarioFile:
    if row is None:
        return file
    if not rows_called(row, side):
        raise InputError(f"it has no row {row!r}")
    return file.model_copy(update={"attack": file.attack.model_copy(update={"row": row})})


def _reason(error: InputError, side: Loadout) -> str:
    problem = error.problem.removeprefix(f"{side.selector}: ")
    return f"{problem} ({error.allowed})" if error.allowed else problem


def _at_least(asked: int | None, target: Target) -> int:
    models = target.models or 1
    if asked is None:
        return (models + 1) // 2
    check_whole(asked, "at_least", 1)
    if asked > models:
        raise InputError(f"at least {shown(asked)} of {models} models", where="at_least", allowed=f"1 to {models}")
    return asked


def _play(scenario: Scenario, method: Method, trials: int | None, seed: int, threads: int | None) -> Played:
    """The result, and the results of its batches if it is a sample."""
    if method == "exact":
        return exact(scenario), ()
    chunks = DEFAULT_CHUNKS if trials is None else -(-trials // (BATCHES * CHUNK_TRIALS))
    return simulate_in_batches(scenario, BATCHES, chunks, seed=seed, threads=threads)


def _frame(
    sides: Sequence[Loadout], played: Mapping[int, Played], why_not: Mapping[int, str], at_least: int
) -> pd.DataFrame:
    """One row a loadout, without the differences."""
    rows = []
    for place, side in enumerate(sides):
        line: dict[str, Any] = {
            "loadout": side.selector, "unit": side.unit.name, "level": side.level_name, "points": side.level.points,
        }  # fmt: skip
        if place in played:
            line |= _figures(played[place][0], at_least, side.level.points)
        rows.append(line | {"why_not": why_not.get(place)})
    columns = list(dict.fromkeys(name for line in sorted(rows, key=len, reverse=True) for name in line))
    frame = pd.DataFrame(rows, columns=columns)
    return frame.astype({name: "Int64" for name in ("points", "dice", "trials") if name in frame})


def _figures(result: Result, at_least: int, points: int | None) -> dict[str, Any]:
    """The columns of a loadout that can make the attack."""
    known = {"row": result.scenario.attack.row, "dice": result.conditions["dice"], "method": result.method}
    if result.trials is not None:
        known |= {"trials": result.trials}
    for name, figure in figures_of(result, at_least, points).items():
        known[name] = figure.value
        if result.trials is not None:
            known |= {f"{name}_low": figure.low, f"{name}_high": figure.high}
    return known


def _differences(sides: Sequence[Loadout], played: Mapping[int, Played], at_least: int, metric: str) -> pd.DataFrame:
    points = {place: sides[place].level.points for place in played}
    values = np.array([values_of(figures_of(whole, at_least, points[at])) for at, (whole, _) in played.items()])
    batches = None
    if all(parts for _, parts in played.values()):
        batches = np.array(
            [[values_of(figures_of(part, at_least, points[at])) for part in parts] for at, (_, parts) in played.items()]
        )
    names = [sides[place].selector for place in played]
    return differences(names, values, batches, best_by(values, metric))


def _with_differences(frame: pd.DataFrame, deltas: pd.DataFrame, metric: str) -> pd.DataFrame:
    """The frame with the differences of the metric that decides, before the reasons."""
    of_metric = deltas[deltas["metric"] == metric].set_index("loadout")
    columns = {"difference": "difference", "low": "difference_low", "high": "difference_high"}
    more = of_metric[[*columns, "significant"]].rename(columns=columns).reindex(frame["loadout"])
    joined = pd.concat([frame.drop(columns="why_not"), more.reset_index(drop=True)], axis=1)
    return joined.assign(why_not=frame["why_not"])


def _laws(sides: Sequence[Loadout], played: Mapping[int, Played]) -> pd.DataFrame:
    """The law of models destroyed of each loadout, one below the other."""
    parts = [
        pd.DataFrame(whole.models_destroyed()).assign(loadout=sides[place].selector, method=whole.method)
        for place, (whole, _) in played.items()
    ]
    laws = pd.concat(parts, ignore_index=True).rename(columns={"value": "models_destroyed"})
    return laws[["loadout", *(name for name in laws if name != "loadout")]]
