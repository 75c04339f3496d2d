"""The table of a part, slice by slice, and what each of its columns is."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from itertools import product
from math import prod
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from analyser.common.text import json_text
from analyser.game.keywords import RANGED_ATTACK
from analyser.plots.metrics import METRICS
from analyser.sweep.attacks import shot_cells
from analyser.sweep.fights import fought_cells
from analyser.sweep.found import Codes
from analyser.sweep.plan import Block, Plan
from analyser.sweep.sampled_cells import ENDS, TRIALS, has_interval, sampled_cells
from analyser.sweep.schema import BY_WORTH, Number
from analyser.sweep.worth import by_worth

SLICE = 3 << 16  # cells at once: what bounds the memory of a process, and the rows of a group
COMPRESSION = "zstd"
METADATA = b"analyser"


def part_content(plan: Plan, number: int) -> bytes:
    """The content of the file of a part: a pure function of the plan and the part's number."""
    buffer = BytesIO()
    schema = schema_of(plan, number)
    with pq.ParquetWriter(buffer, schema, compression=COMPRESSION, write_page_checksum=True) as writer:
        for piece in slices_of(plan.block(number)):
            writer.write_table(table_of(plan, piece, schema), row_group_size=SLICE)
    return buffer.getvalue()


def slices_of(block: Block) -> Iterator[Block]:
    """Yield the cells of a block in pieces of up to :data:`SLICE`, in their order."""
    if len(block.columns) > SLICE:
        for row, first in product(block.rows, range(block.columns.start, block.columns.stop, SLICE)):
            columns = range(first, min(first + SLICE, block.columns.stop))
            yield block._replace(rows=range(row, row + 1), columns=columns)
        return
    rows = SLICE // len(block.columns)
    for first in range(block.rows.start, block.rows.stop, rows):
        yield block._replace(rows=range(first, min(first + rows, block.rows.stop)))


def table_of(plan: Plan, block: Block, schema: pa.Schema) -> pa.Table:
    """The cells of a slice as a table."""
    file = plan.file
    if file.sampling is not None:
        found = sampled_cells(plan, block)
    else:
        is_shot = block.situation.fight.occasion == RANGED_ATTACK
        found = shot_cells(plan, block) if is_shot else fought_cells(plan, block)
    figures = found.figures
    if set(file.figures) & set(BY_WORTH):
        for end in ("", *(ENDS if file.sampling is not None else ())):
            figures |= by_worth(plan, block, figures, end)
    attackers = [each.selector for each in plan.attackers[block.faction]]
    defenders = [each.selector for each in plan.defenders]
    columns = [
        *_side(block.rows, attackers, file.attackers.numbers, lambda values: np.repeat(values, len(block.columns))),
        *_side(block.columns, defenders, file.defenders.numbers, lambda values: np.tile(values, len(block.rows))),
        _coded(found.rows, found.row_words.words),
        _coded(found.reasons, found.reason_words.words),
    ]
    columns += [
        pa.array(figures[each], schema.field(each).type, from_pandas=True) for each in schema.names[len(columns) :]
    ]
    return pa.Table.from_arrays(columns, schema=schema)


def _side(places: range, names: list[str], numbers: tuple[Number, ...], spread: Any) -> Iterator[pa.Array]:
    """The columns of a side: its selector, and the value of each number."""
    per = prod(len(each.values) for each in numbers)
    of, rest = np.divmod(np.arange(places.start, places.stop, dtype=np.int64), per)
    yield _coded(spread((of - of[0]).astype(np.int32)), names[of[0] : of[-1] + 1])
    for number in numbers:
        per //= len(number.values)
        values = np.array(number.values, np.int32)
        yield pa.array(spread(values[rest // per % len(values)]))


def _coded(codes: Codes, words: list[str]) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes < 0), pa.array(words, pa.string()))


def schema_of(plan: Plan, number: int) -> pa.Schema:
    """The columns of a part, with what each is, and the metadata of the part."""
    block = plan.block(number)
    of_part = {"part": number, "parts": plan.parts, "ruleset": block.ruleset, "situation": block.situation.name}
    metadata = {METADATA: json_text(_of_plan(plan) | of_part | {"faction": block.faction}, sort_keys=True)}
    return pa.schema(_fields(plan), metadata=metadata)


def merged_metadata(plan: Plan) -> dict[bytes, str]:
    """The metadata of a file of all parts."""
    return {METADATA: json_text(_of_plan(plan), sort_keys=True)}


def _of_plan(plan: Plan) -> dict[str, Any]:
    return {"plan": plan.digest, "name": plan.name, "method": _method(plan), "program": plan.content["program"]} | {
        "profiles": plan.content["profiles"]
    }


def _method(plan: Plan) -> str:
    return "exact" if plan.file.sampling is None else "monte-carlo"


def _fields(plan: Plan) -> Iterator[pa.Field]:
    word = pa.dictionary(pa.int32(), pa.string())
    for side, numbers in (("attacker", plan.file.attackers.numbers), ("defender", plan.file.defenders.numbers)):
        yield _field(side, word, f"selector of the {side}")
        for each in numbers:
            how = "added to the profile's" if each.is_added else "in place of the profile's"
            yield _field(f"{side}_{each.column}", pa.int32(), f"{each.key} of the {side}, {how}")
    yield _field("row", word, "the row that the attacker uses: the best; null where it uses none or several")
    yield _field("why_not", word, "why there are no figures; null where there are")
    kind = pa.float32() if plan.file.single else pa.float64()
    sampling = plan.file.sampling
    told = {"method": "exact", "precision": "rounded to 32 bits" if plan.file.single else "within 1e-12"}
    if sampling is not None:
        told = {"method": "monte-carlo", "precision": "the 95% interval stands beside it"}
        yield _field(TRIALS, pa.int64(), "trials that were played")
    for name in plan.file.figures:
        metric = METRICS.get(name)
        title, unit = (
            (name, "probability") if metric is None else (metric.title, metric.unit.replace("%", "probability"))
        )
        yield _field(name, kind, title, unit=unit, **told)
        for end in ENDS if sampling is not None and has_interval(name) else ():
            yield _field(f"{name}{end}", kind, f"{title}: end of its 95% interval", unit=unit)


def _field(name: str, kind: pa.DataType, title: str, **more: str) -> pa.Field:
    return pa.field(name, kind, metadata={"title": title, **more})
