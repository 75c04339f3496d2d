"""Table of one part of a sweep: computed in slices (blocks of cells), with a description of each column."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from analyser.common.kernel_records import Floats
from analyser.common.metrics import EFFICIENCY, MATCHUP_METRICS
from analyser.common.text import json_text
from analyser.game.keywords import RANGED_ATTACK
from analyser.sweep.cells import fight_cells, shot_cells
from analyser.sweep.plan import CellBlock, Plan
from analyser.sweep.sweep_file import FIGURES_FROM_POINTS

SLICE_CELLS = 3 << 16  # cells computed at a time, and rows of a Parquet row group; limits the memory of a process
COMPRESSION = "zstd"
METADATA_KEY = b"analyser"


def part_content(plan: Plan, number: int) -> bytes:
    """Return the bytes of a part's file, which depend only on the plan and the number of the part."""
    buffer = BytesIO()
    schema = schema_of(plan, number)
    with pq.ParquetWriter(buffer, schema, compression=COMPRESSION, write_page_checksum=True) as writer:
        for piece in slices_of(plan.block(number)):
            writer.write_table(table_of(plan, piece, schema), row_group_size=SLICE_CELLS)
    return buffer.getvalue()


def slices_of(block: CellBlock) -> Iterator[CellBlock]:
    """Yield the cells of a block in order, in slices of at most :data:`SLICE_CELLS` cells."""
    if len(block.columns) > SLICE_CELLS:
        for row, first in product(block.rows, range(block.columns.start, block.columns.stop, SLICE_CELLS)):
            columns = range(first, min(first + SLICE_CELLS, block.columns.stop))
            yield block._replace(rows=range(row, row + 1), columns=columns)
        return
    rows = SLICE_CELLS // len(block.columns)
    for first in range(block.rows.start, block.rows.stop, rows):
        yield block._replace(rows=range(first, min(first + rows, block.rows.stop)))


def table_of(plan: Plan, block: CellBlock, schema: pa.Schema) -> pa.Table:
    """Return the cells of a slice as a table."""
    is_shot = block.situation.fight.occasion == RANGED_ATTACK
    cells = shot_cells(plan, block) if is_shot else fight_cells(plan, block)
    figures = cells.figures
    if set(plan.file.figures) & set(FIGURES_FROM_POINTS):
        figures |= _points_figures(plan, block, figures)
    columns = [
        *_side_columns(plan, block.faction, block.rows, lambda values: np.repeat(values, len(block.columns))),
        *_side_columns(plan, None, block.columns, lambda values: np.tile(values, len(block.rows))),
        pa.array(cells.rows, pa.string()).dictionary_encode(),
        pa.array(cells.reasons, pa.string()).dictionary_encode(),
    ]
    rest = schema.names[len(columns) :]
    columns += [pa.array(figures[name], schema.field(name).type, from_pandas=True) for name in rest]
    return pa.Table.from_arrays(columns, schema=schema)


def _side_columns(plan: Plan, faction: str | None, positions: range, broadcast: Any) -> Iterator[pa.Array]:
    """Yield the columns of selectors and varied numbers of a faction's attackers (None: of the defenders)."""
    section, loadouts = plan.section_and_loadouts(faction)
    indices, values = plan.axis_indices(faction, positions)
    names = [loadout.selector for loadout in loadouts[indices[0] : indices[-1] + 1]]
    codes = broadcast((indices - indices[0]).astype(np.int32))
    yield pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(names, pa.string()))
    for number, value_indices in zip(section.numbers, values):
        yield pa.array(broadcast(np.array(number.values, np.int32)[value_indices]))


def _points_figures(plan: Plan, block: CellBlock, figures: dict[str, Floats]) -> dict[str, Floats]:
    def of_defender(key: str) -> Floats:
        return np.tile(_level_values(plan, None, block.columns, key), len(block.rows))

    points = np.repeat(_level_values(plan, block.faction, block.rows, "points"), len(block.columns))
    destroyed = figures["mean_models_destroyed"] * of_defender("points") / of_defender("models")
    return {
        "expected_victory_points": figures["p_annihilated"] * of_defender("victory_points"),
        "expected_points_destroyed": destroyed,
        EFFICIENCY: destroyed / (np.where(points > 0, points, np.nan) / 100),  # NaN if the attacker has no points
    }


def _level_values(plan: Plan, faction: str | None, positions: range, key: str) -> Floats:
    """Return the number `key` of the varied loadout at each position; NaN if it has none."""
    section, loadouts = plan.section_and_loadouts(faction)
    indices, values = plan.axis_indices(faction, positions)
    stated = [getattr(loadout.level, key) for loadout in loadouts[indices[0] : indices[-1] + 1]]
    numbers: Floats = np.array(stated, np.float64)[indices - indices[0]]  # None becomes NaN
    for number, value_indices in zip(section.numbers, values):
        if number.key == key:
            numbers = numbers * number.is_added + np.array(number.values)[value_indices]
    return numbers


def schema_of(plan: Plan, number: int) -> pa.Schema:
    """Return the schema of a part: the columns with descriptions, and the metadata."""
    block = plan.block(number)
    part = {"part": number, "parts": plan.n_parts, "ruleset": block.ruleset, "situation": block.situation.name}
    part |= {"faction": block.faction, "plan": plan.digest, "name": plan.file.name, "method": "exact"}
    part |= {key: plan.content[key] for key in ("program", "profiles")}
    return pa.schema(_fields(plan), metadata={METADATA_KEY: json_text(part, sort_keys=True)})


def _fields(plan: Plan) -> Iterator[pa.Field]:
    word = pa.dictionary(pa.int32(), pa.string())
    for side, section in (("attacker", plan.file.attackers), ("defender", plan.file.defenders)):
        yield _arrow_field(side, word, f"selector of the {side}")
        for number in section.numbers:
            use = "added to that of the profile" if number.is_added else "in place of that of the profile"
            yield _arrow_field(f"{side}_{number.column}", pa.int32(), f"{number.key} of the {side}, {use}")
    yield _arrow_field("row", word, "row of armaments that the attacker uses; null if it uses none or several")
    yield _arrow_field("why_not", word, "reason for missing figures; null if they exist")
    kind = pa.float32() if plan.file.single else pa.float64()
    precision = {"method": "exact", "precision": "rounded to 32 bits" if plan.file.single else "within 1e-12"}
    for name in plan.file.figures:
        metric = MATCHUP_METRICS.get(name)
        title, unit = (
            (name, "probability") if metric is None else (metric.title, metric.unit.replace("%", "probability"))
        )
        yield _arrow_field(name, kind, title, unit=unit, **precision)


def _arrow_field(name: str, kind: pa.DataType, title: str, **more: str) -> pa.Field:
    return pa.field(name, kind, metadata={"title": title, **more})
