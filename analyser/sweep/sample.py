"""Parts of a sample of one question: chunks of trials by number, counted in whole numbers, which add up exactly."""

from __future__ import annotations

from collections.abc import Iterable
from io import BytesIO
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from analyser.common.records import empty_record
from analyser.common.text import json_text
from analyser.engine.attack.sampled import Sample
from analyser.engine.battle.tables import Counts
from analyser.engine.parallel import CHUNK_TRIALS
from analyser.results.attack import sample_of, sampled_answer
from analyser.results.base import Result
from analyser.results.shared import SharedSampling
from analyser.results.solve import solve
from analyser.scenarios.attack import Scenario
from analyser.sweep.plan import Plan
from analyser.sweep.question import thawed_question

_COUNT = {"title": "trials in which it came up", "method": "monte-carlo"}
OF_ATTACKS = pa.schema(
    [
        pa.field(
            "cell", pa.int64(), metadata={"title": "combination of draws: score, card, officer's place, building"}
        ),
        pa.field("count", pa.int64(), metadata=_COUNT),
    ]
)
OF_BATTLES = pa.schema(
    [
        pa.field("place", pa.int64(), metadata={"title": "place among all that is counted of battles"}),
        pa.field("count", pa.int64(), metadata=_COUNT),
    ]
)
OF_FIGHTS = pa.schema(
    [
        pa.field("moment", pa.int64(), metadata={"title": "moment of the fight at which it is looked at, 0 the first"}),
        pa.field("first", pa.int64(), metadata={"title": "state of the first unit, packed"}),
        pa.field("second", pa.int64(), metadata={"title": "state of the other unit, packed"}),
        pa.field("count", pa.int64(), metadata=_COUNT),
    ]
)


def scenario_of(plan: Plan) -> Any:
    """The question of a plan, asked of the loadouts that are frozen with it."""
    return thawed_question(plan.content)


def sampled_content(plan: Plan, number: int) -> bytes:
    """The content of the file of a part: how often what came up in its trials."""
    trials, scenario = plan.trials(number), scenario_of(plan)
    of_part = {"plan": plan.digest, "part": number, "parts": plan.parts, "method": "monte-carlo", **trials._asdict()}
    kind, columns = _counted(plan, scenario, trials.before, trials.trials)
    schema = kind.with_metadata({b"analyser": json_text(of_part, sort_keys=True)})
    buffer = BytesIO()
    pq.write_table(pa.Table.from_arrays(list(map(pa.array, columns)), schema=schema), buffer)
    return buffer.getvalue()


def _counted(plan: Plan, scenario: Any, before: int, trials: int) -> tuple[pa.Schema, list[Any]]:
    """The columns of a part whose trials come after so many others."""
    if isinstance(scenario, Scenario):
        sample = sample_of(scenario, plan.sampled.sample.seed)
        sample.play(before // CHUNK_TRIALS, trials)
        counts = sample.counts.ravel()
        seen = np.flatnonzero(counts)
        return OF_ATTACKS, [seen, counts[seen]]
    found: list[Any] = []
    if plan.content["kind"] == "battle":

        def fight(simulation: Any, _: Any) -> Any:
            found.append(simulation.play(trials, plan.sampled.sample.seed, before=before))
            return found[0]

        _solved(plan, scenario, trials, fight)
        counts = np.frombuffer(found[0].tobytes(), np.int64)
        seen = np.flatnonzero(counts)
        return OF_BATTLES, [seen, counts[seen]]

    def play(simulation: Any, start: Any) -> list[Any]:
        found.extend(simulation.play(start, trials, plan.sampled.sample.seed, before=before))
        return found

    _solved(plan, scenario, trials, play)
    moments = [np.full(len(counts), number) for number, (_, _, counts) in enumerate(found)]
    return OF_FIGHTS, [np.concatenate(each) for each in (moments, *map(list, zip(*found)))]


def _solved(plan: Plan, scenario: Any, trials: int, played: Any) -> Result:
    """The answer to a longer fight whose trials `played` plays, or has counted."""
    terms = plan.sampled.sample
    how: dict[str, Any] = {"trials": trials, "seed": terms.seed, "threads": 1, "replacement": terms.replacement}
    return solve(scenario, SharedSampling("monte-carlo", **how, played=played), brief=True)


def answer_of(plan: Plan, batches: Iterable[pd.DataFrame]) -> Result:
    """The answer that all parts add up to: to the bit that of one machine that plays all the trials."""
    scenario, counted = scenario_of(plan), _added_up(batches)
    if isinstance(scenario, Scenario):
        sample: Sample = sample_of(scenario, plan.sampled.sample.seed)
        sample.counts.reshape(-1)[counted["cell"]] += counted["count"]
        return sampled_answer(scenario, sample, plan.cells)
    if plan.content["kind"] == "battle":
        total = empty_record(Counts)
        every = np.frombuffer(total, np.int64)  # type: ignore[call-overload]
        np.add.at(every, counted["place"], counted["count"])
        return _solved(plan, scenario, plan.cells, lambda *_: total)
    moments = [
        tuple(each[name].to_numpy(np.int64) for name in ("first", "second", "count"))
        for _, each in counted.groupby("moment", sort=True)
    ]
    return _solved(plan, scenario, plan.cells, lambda *_: moments)


def _added_up(batches: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Add up the counts of equal rows over all batches, in order; memory grows with the rows, not with the parts."""
    total = pd.DataFrame()
    for each in batches:
        keys = [name for name in each.columns if name not in ("count", "seed")]
        both = pd.concat([total, each[[*keys, "count"]]])
        total = both.groupby(keys, sort=True)[["count"]].sum().reset_index()
    return total
