"""Parts of a sample of one attack: chunks of trials by number, counted in whole numbers, which add up exactly."""

from __future__ import annotations

import json
from io import BytesIO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from analyser.engine.attack.sampled import Sample
from analyser.results.attack import AttackResult, sample_of, sampled_answer
from analyser.scenarios.attack import Scenario
from analyser.scenarios.load import load_scenario
from analyser.sweep.plan import Plan

COLUMNS = pa.schema(
    [
        pa.field(
            "cell", pa.int64(), metadata={"title": "combination of draws: score, card, officer's place, building"}
        ),
        pa.field("count", pa.int64(), metadata={"title": "trials in which it came up", "method": "monte-carlo"}),
    ]
)


def scenario_of(plan: Plan) -> Scenario:
    """The question of a plan."""
    return load_scenario(plan.content["scenario"])


def sampled_content(plan: Plan, number: int) -> bytes:
    """The content of the file of a part: how often each combination of draws came up in its trials."""
    trials = plan.trials(number)
    sample = sample_of(scenario_of(plan), plan.sampled.sample.seed)
    sample.play(trials.first_chunk, trials.trials)
    counts = sample.counts.ravel()
    seen = np.flatnonzero(counts)
    of_part = {"plan": plan.digest, "part": number, "parts": plan.parts, "method": "monte-carlo", **trials._asdict()}
    schema = COLUMNS.with_metadata({b"analyser": json.dumps(of_part, sort_keys=True)})
    buffer = BytesIO()
    pq.write_table(pa.Table.from_arrays([pa.array(seen), pa.array(counts[seen])], schema=schema), buffer)
    return buffer.getvalue()


def answer_of(plan: Plan, table: pa.Table) -> AttackResult:
    """The answer that all parts add up to: to the bit that of one machine that plays all the trials."""
    scenario = scenario_of(plan)
    sample: Sample = sample_of(scenario, plan.sampled.sample.seed)
    counts = sample.counts.reshape(-1)
    np.add.at(counts, table["cell"].to_numpy(), table["count"].to_numpy())
    return sampled_answer(scenario, sample, plan.cells)
