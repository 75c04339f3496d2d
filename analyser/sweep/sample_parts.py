"""Parts of a sample of one question: numbered chunks of trials, with integer counts that add up exactly."""

from __future__ import annotations

from collections.abc import Iterable
from io import BytesIO
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from analyser.common.method_settings import SharedSampling
from analyser.common.records import empty_record
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
    """Return a schema of integer columns with these titles, and a column with the count of each combination."""
    count = {"title": "trials in which it came up", "method": "monte-carlo"}
    fields = [pa.field(name, pa.int64(), metadata={"title": title}) for name, title in titles.items()]
    return pa.schema([*fields, pa.field("count", pa.int64(), metadata=count)])


OF_ATTACKS = _schema(cell="combination of draws: score, card, officer's place, building")
OF_BATTLES = _schema(place="place among all that is counted of battles")
OF_FIGHTS = _schema(
    moment="moment of the fight at which it is looked at, 0 the first",
    first="state of the first unit, packed",
    second="state of the other unit, packed",
)


def scenario_of(plan: Plan) -> Any:
    """Return the question of a plan, with its frozen loadouts."""
    return load_frozen_question(plan.content)


def simulated_content(plan: Plan, number: int) -> bytes:
    """Return the content of the file of a part: the count of each outcome in its trials."""
    trials, scenario = plan.trials(number), scenario_of(plan)
    of_part = {"plan": plan.digest, "part": number, "parts": plan.parts, "method": "monte-carlo", **trials._asdict()}
    schema, columns = _counted(plan, scenario, trials.before, trials.trials)
    table = pa.Table.from_arrays(list(map(pa.array, columns)), schema=schema)
    buffer = BytesIO()
    pq.write_table(table.replace_schema_metadata({b"analyser": json_text(of_part, sort_keys=True)}), buffer)
    return buffer.getvalue()


def _counted(plan: Plan, scenario: Any, before: int, trials: int) -> tuple[pa.Schema, list[Any]]:
    """Return the columns of a part; `before` is the number of trials in all parts before it."""
    seed = plan.sampled.sample.seed
    if isinstance(scenario, Scenario):
        sample = sample_of(scenario, seed)
        sample.play(before // CHUNK_TRIALS, trials)
        return OF_ATTACKS, _nonzero(sample.counts.ravel())
    played: list[Any] = []
    if plan.content["kind"] == "battle":

        def fight(simulation: Any, _: Any) -> Any:
            played.append(simulation.play(trials, seed, before=before))
            return played[0]

        _solved(plan, scenario, trials, fight)
        return OF_BATTLES, _nonzero(np.frombuffer(played[0].tobytes(), np.int64))

    def play(simulation: Any, start: Any) -> list[Any]:
        played.extend(simulation.play(start, trials, seed, before=before))
        return played

    _solved(plan, scenario, trials, play)
    moments = [np.full(len(counts), number) for number, (_, _, counts) in enumerate(played)]
    return OF_FIGHTS, [np.concatenate(column) for column in (moments, *map(list, zip(*played)))]


def _nonzero(counts: NDArray[Any]) -> list[Any]:
    (seen,) = np.nonzero(counts)
    return [seen, counts[seen]]


def _solved(plan: Plan, scenario: Any, trials: int, played: Any) -> Result:
    """Return the answer to a longer fight; `played` simulates the trials, or returns counted ones."""
    terms = plan.sampled.sample
    how: dict[str, Any] = {"trials": trials, "seed": terms.seed, "threads": 1, "replacement": terms.replacement}
    return solve(scenario, SharedSampling("monte-carlo", **how, run_trials=played), brief=True)


def answer_of(plan: Plan, batches: Iterable[pd.DataFrame]) -> Result:
    """Return the answer from all parts, equal to the last bit to a simulation of all trials on one machine."""
    scenario, counted = scenario_of(plan), _added_up(batches)
    if isinstance(scenario, Scenario):
        sample: Sample = sample_of(scenario, plan.sampled.sample.seed)
        sample.counts.reshape(-1)[counted["cell"]] += counted["count"]
        return result_of_sample(scenario, sample, plan.cells)
    if plan.content["kind"] == "battle":
        total = empty_record(Counts)
        counts = np.frombuffer(total, np.int64)  # type: ignore[call-overload]
        np.add.at(counts, counted["place"], counted["count"])
        return _solved(plan, scenario, plan.cells, lambda *_: total)
    moments = [
        tuple(rows[name].to_numpy(np.int64) for name in ("first", "second", "count"))
        for _, rows in counted.groupby("moment", sort=True)
    ]
    return _solved(plan, scenario, plan.cells, lambda *_: moments)


def _added_up(batches: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Return the sums of the counts of equal rows over all batches; memory grows with distinct rows only."""
    total = pd.DataFrame()
    for batch in batches:
        keys = [name for name in batch.columns if name not in ("count", "seed")]
        both = pd.concat([total, batch[[*keys, "count"]]])
        total = both.groupby(keys, sort=True)[["count"]].sum().reset_index()
    return total
