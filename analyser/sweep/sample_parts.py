"""Parts of a sample of one question: ranges of trials, whose integer counts add up exactly."""

from __future__ import annotations

from collections.abc import Iterable
from io import BytesIO
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from analyser.common.kernel_records import empty_record
from analyser.common.method_settings import SharedSampling
from analyser.common.text import json_text
from analyser.engine.attack.simulated import Sample
from analyser.engine.battle.battle_data import Counts
from analyser.engine.parallel import CHUNK_TRIALS
from analyser.results.attack import result_of_sample, sample_of
from analyser.results.base import Result
from analyser.results.dispatch import solve
from analyser.scenarios.attack import Scenario
from analyser.sweep.plan import Plan
from analyser.sweep.sweep_file import load_frozen_question


def _schema(**titles: str) -> pa.Schema:
    """Return a schema of integer columns with these titles, and a column that counts each combination of values."""
    count = {"title": "trials with this combination", "method": "monte-carlo"}
    fields = [pa.field(name, pa.int64(), metadata={"title": title}) for name, title in titles.items()]
    return pa.schema([*fields, pa.field("count", pa.int64(), metadata=count)])


ATTACK_SCHEMA = _schema(cell="combination of draws: score, card, position of the officer, building")
BATTLE_SCHEMA = _schema(place="index in the array of all counts of battles")
FIGHT_SCHEMA = _schema(
    moment="number of the moment of the fight, from 0",
    first="state of the first unit, packed",
    second="state of the second unit, packed",
)


def scenario_of(plan: Plan) -> Any:
    """Return the scenario of a sample, with its frozen loadouts."""
    return load_frozen_question(plan.content)


def simulated_content(plan: Plan, number: int) -> bytes:
    """Return the content of the file of a part: how often each outcome occurs in the trials of this part."""
    trials, scenario = plan.trial_range(number), scenario_of(plan)
    metadata = {"plan": plan.digest, "part": number, "parts": plan.n_parts, "method": "monte-carlo", **trials._asdict()}
    schema, columns = _part_columns(plan, scenario, trials.before, trials.trials)
    table = pa.Table.from_arrays(list(map(pa.array, columns)), schema=schema)
    buffer = BytesIO()
    pq.write_table(table.replace_schema_metadata({b"analyser": json_text(metadata, sort_keys=True)}), buffer)
    return buffer.getvalue()


def _part_columns(plan: Plan, scenario: Any, before: int, trials: int) -> tuple[pa.Schema, list[Any]]:
    """Return the columns of a part; `before` is the number of trials in all parts before it."""
    seed = plan.sample_file.sample.seed
    if isinstance(scenario, Scenario):
        sample = sample_of(scenario, seed)
        sample.play(before // CHUNK_TRIALS, trials)
        return ATTACK_SCHEMA, _nonzero(sample.counts.ravel())
    counts: list[Any] = []
    if plan.content["kind"] == "battle":

        def run_battles(simulation: Any, _: Any) -> Any:
            counts.append(simulation.play(trials, seed, before=before))
            return counts[0]

        _fight_result(plan, scenario, trials, run_battles)
        return BATTLE_SCHEMA, _nonzero(np.frombuffer(counts[0].tobytes(), np.int64))

    def run_trials(simulation: Any, start: Any) -> list[Any]:
        counts.extend(simulation.play(start, trials, seed, before=before))
        return counts

    _fight_result(plan, scenario, trials, run_trials)
    moments = [np.full(len(weights), number) for number, (_, _, weights) in enumerate(counts)]
    return FIGHT_SCHEMA, [np.concatenate(column) for column in (moments, *map(list, zip(*counts)))]


def _nonzero(counts: NDArray[Any]) -> list[Any]:
    (indices,) = np.nonzero(counts)
    return [indices, counts[indices]]


def _fight_result(plan: Plan, scenario: Any, trials: int, run_trials: Any) -> Result:
    """Return the result of a longer fight; `run_trials` simulates the trials, or returns earlier counts."""
    stated = plan.sample_file.sample
    settings: dict[str, Any] = {"trials": trials, "seed": stated.seed, "threads": 1, "replacement": stated.replacement}
    return solve(scenario, SharedSampling("monte-carlo", **settings, run_trials=run_trials), brief=True)


def result_of(plan: Plan, batches: Iterable[pd.DataFrame]) -> Result:
    """Return the result from all parts, bit-identical to that of a simulation of all trials on one machine."""
    scenario, sums = scenario_of(plan), _summed_counts(batches)
    if isinstance(scenario, Scenario):
        sample: Sample = sample_of(scenario, plan.sample_file.sample.seed)
        sample.counts.reshape(-1)[sums["cell"]] += sums["count"]
        return result_of_sample(scenario, sample, plan.n_cells)
    if plan.content["kind"] == "battle":
        total = empty_record(Counts)
        counts = np.frombuffer(total, np.int64)  # type: ignore[call-overload]
        np.add.at(counts, sums["place"], sums["count"])
        return _fight_result(plan, scenario, plan.n_cells, lambda *_: total)
    moments = [
        tuple(rows[name].to_numpy(np.int64) for name in ("first", "second", "count"))
        for _, rows in sums.groupby("moment", sort=True)
    ]
    return _fight_result(plan, scenario, plan.n_cells, lambda *_: moments)


def _summed_counts(batches: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Return the sums of the counts of equal rows over all batches; memory grows only with distinct rows."""
    total = pd.DataFrame()
    for batch in batches:
        keys = [name for name in batch.columns if name not in ("count", "seed")]
        both = pd.concat([total, batch[[*keys, "count"]]])
        total = both.groupby(keys, sort=True)[["count"]].sum().reset_index()
    return total
