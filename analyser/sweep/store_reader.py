"""Reader of the store of a sweep: filtered cells (fights), means, heatmaps and fair points, in little memory."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from analyser.common.errors import InputError, allowed_names, check_text, did_you_mean, shown
from analyser.common.metrics import EFFICIENCY
from analyser.common.text import counted, spaced
from analyser.game.profiles import ProfilesUsed
from analyser.plots import heatmap as draw_heatmap
from analyser.sweep.plan import Plan
from analyser.sweep.store import PartFile, Store

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.dataset as pads
    from matplotlib.axes import Axes

    from analyser.analysis.prices import FairPoints
    from analyser.game.units import Loadout

MOST_ROWS = 5_000_000  # largest number of rows of a frame
BATCH_ROWS = 1 << 18  # largest number of rows of a batch
_DESTROYED = "mean_models_destroyed"
VERDICT_FIGURES = ("mean_share_lost", "p_suppressed", "p_annihilated", _DESTROYED)
"""Figures that fair points need; charges also need `attacker_share_lost`."""


class Sweep:
    """Reader of a store, which may be stated by its path.

    Examples
    --------
    >>> import analyser, tempfile
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> plan = {"attackers": {"units": "crown/rifle-p*"}, "defenders": {"units": "krupp@basic", "defence": "1..4"}}
    >>> with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(1) as pool:
    ...     sweep = analyser.run_sweep(plan, f"{folder}/store", executor=pool)
    ...     print(sweep)
    ...     sweep.frame(defender_defence=4)["mean_models_destroyed"].round(2).tolist()
    sweep: 12 cells in 1 part, all done
    [0.59, 1.95, 3.0]
    """

    def __init__(self, store: Store | str | os.PathLike[str]) -> None:
        self.store = store if isinstance(store, Store) else Store(store)

    @property
    def plan(self) -> Plan:
        """The stored plan."""
        return self.store.plan

    @cached_property
    def done(self) -> tuple[int, ...]:
        """Numbers of the parts that were finished when this object first read the folder."""
        return tuple(sorted(self._files))

    @property
    def is_complete(self) -> bool:
        """True if all parts are finished."""
        return len(self.done) == self.plan.n_parts

    @cached_property
    def _files(self) -> dict[int, PartFile]:
        return self.store.files()

    def __str__(self) -> str:
        parts, done = self.plan.n_parts, len(self.done)
        state = "all done" if self.is_complete else f"{done:,} done, {parts - done:,} are missing"
        return f"{self.plan.file.name}: {self.plan.n_cells:,} cells in {counted(parts, 'part')}, {state}"

    def __repr__(self) -> str:
        return f"<Sweep {self.store.folder}: {self}>"

    def as_dict(self) -> dict[str, Any]:
        """Return the progress as plain data: numbers of cells, parts and finished parts, with the assumptions."""
        counts = {"cells": self.plan.n_cells, "parts": self.plan.n_parts, "done": len(self.done)}
        rulesets = dict(self.plan.content["rulesets"])
        return {"name": self.plan.file.name, **counts, "assumptions": self.plan.assumptions, "rulesets": rulesets}

    @cached_property
    def dataset(self) -> pads.Dataset:
        """All finished parts as a pyarrow dataset."""
        import pyarrow.dataset as pads

        paths = [str(file.path) for _, file in sorted(self._files.items())]
        if not paths:
            raise InputError("no part is done yet", where=str(self.store.folder), allowed="analyser sweep resume")
        options = pads.ParquetFragmentScanOptions(page_checksum_verification=True)
        file_format = pads.ParquetFileFormat(default_fragment_scan_options=options)
        hive = pads.partitioning(flavor="hive")
        with self._read_errors():
            return pads.dataset(paths, format=file_format, partitioning=hive, partition_base_dir=str(self.store.parts))

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self.dataset.schema.names)

    def count(self, **where: Any) -> int:
        """Return the number of cells that pass a filter (see :meth:`frame`)."""
        chosen = self._filter(where)
        with self._read_errors():
            return int(self.dataset.count_rows(filter=chosen))

    def batches(self, columns: Sequence[str] | None = None, **where: Any) -> Iterator[pd.DataFrame]:
        """Yield the cells that pass a filter (see :meth:`frame`), in batches of at most 262,144 to limit memory."""
        chosen = self._checked_columns(columns)
        options: dict[str, Any] = {"batch_readahead": 1, "fragment_readahead": 1, "use_threads": False}
        options |= {"batch_size": BATCH_ROWS, "columns": chosen, "filter": self._filter(where)}
        batches = self.dataset.scanner(**options).to_batches()
        while True:
            with self._read_errors():
                batch = next(batches, None)
            if batch is None:
                return
            if batch.num_rows:
                yield batch.to_pandas()

    def frame(self, columns: Sequence[str] | None = None, **where: Any) -> pd.DataFrame:
        """Return the cells that pass a filter.

        Parameters
        ----------
        columns : sequence of str, optional
            Default: all.
        **where
            Filters by column: a value, a list of values, or a tuple (from, to), both included. Attackers, defenders,
            factions, rulesets and situations must be in the plan; wildcards are allowed.

        Raises
        ------
        InputError
            An unknown column, or more than five million cells; then use :meth:`batches`, :meth:`means` or a filter.
        """
        chosen = self._checked_columns(columns)
        if (rows := self.count(**where)) > MOST_ROWS:
            allowed = f"up to {MOST_ROWS:,} in a frame; a stricter filter, means, or batches"
            raise InputError(f"{rows:,} cells", where="frame", allowed=allowed)
        with self._read_errors():
            frame: pd.DataFrame = self.dataset.to_table(columns=chosen, filter=self._filter(where)).to_pandas()
        return frame

    def means(self, by: str | Sequence[str], metric: str | Sequence[str], **where: Any) -> pd.DataFrame:
        """Return means of figures for each combination of the columns `by`, over the cells that pass a filter.

        Returns
        -------
        DataFrame
            The columns `by`, a column for each figure, and `cells`, the number of cells with the first figure. Cells
            without a figure have no effect on its mean.
        """
        keys, figures = _column_names(by, "by"), _column_names(metric, "metric")
        self._check_names((*keys, *figures))
        if not keys or not figures or set(keys) & set(figures):
            raise InputError(
                "`by` or `metric` is empty, or they share a column", where="means", allowed="separate columns"
            )
        kinds = {name: str(self.dataset.schema.field(name).type) for name in figures}
        if odd := [name for name, kind in kinds.items() if not kind.startswith(("int", "float", "double"))]:
            raise InputError(f"{odd[0]} has no mean", where="means", allowed="columns of numbers")
        sums: pd.DataFrame | None = None
        for batch in self.batches([*keys, *figures], **where):
            words = {key: batch[key].astype(object) for key in keys if batch[key].dtype == "category"}
            values = batch.assign(**words)  # not `astype`, which changes the memory layout and so the last bits of sums
            groups = values.groupby(keys, sort=False, dropna=False)[figures]
            of_batch = pd.concat([groups.sum(), groups.count().add_suffix(" cells")], axis=1)
            parts = of_batch if sums is None else pd.concat([sums, of_batch])
            sums = parts.groupby(level=keys, sort=False, dropna=False).sum()
        if sums is None:
            return pd.DataFrame(columns=[*keys, *figures, "cells"])
        table = sums.reset_index()
        for name in figures:
            table[name] = table[name] / table[f"{name} cells"].where(table[f"{name} cells"] > 0)
        return table.assign(cells=table[f"{figures[0]} cells"].astype(np.int64))[[*keys, *figures, "cells"]]

    def heatmap(self, metric: str = _DESTROYED, *, ax: Axes | None = None, **where: Any) -> Axes:
        """Draw a heatmap of attackers against defenders, with means over the varied numbers.

        The filter `where` (see :meth:`frame`) must leave one situation and one ruleset.
        """
        table = self._matchups((metric,), where)
        others = {name: value for name, value in where.items() if name != "situation"}  # the plot names the situation
        conditions = "; ".join(f"{spaced(name)} {_filter_in_words(value)}" for name, value in others.items())
        counts = sorted({*table.loc[table["cells"] > 1, "cells"]})
        means = f"each a mean of up to {counts[-1]:,} cells" if counts else ""
        note = "\n".join(filter(None, (conditions, means)))
        return draw_heatmap(table, values=metric, note=note, ax=ax)

    def verdict(self, **where: Any) -> FairPoints:
        """Return the fair points of each loadout (:func:`analyser.fair_points`), computed from the store alone.

        Each pair of loadouts counts once, with its mean over the varied numbers that pass the filter.

        Raises
        ------
        InputError
            The sweep lacks a figure that prices need, the filter leaves several rulesets, or no loadout is both an
            attacker and a defender.
        """
        from analyser.analysis.matchups import Matchups
        from analyser.analysis.prices import fair_points_in

        names = _matching_values(self.plan, "situation", where.get("situation", "*"))
        situations = [situation for situation in self.plan.situations if situation.name in names]
        has_charges = any(situation.kind == "charge" for situation in situations)
        needed = (*VERDICT_FIGURES, *(("attacker_share_lost",) if has_charges else ()))
        if missing := [name for name in needed if name not in self.plan.file.figures]:
            allowed = f"a sweep with the figures {', '.join(needed)}"
            raise InputError(f"this store has no {', '.join(missing)}", where="verdict", allowed=allowed)
        figures = [name for name in (*needed, "p_activated") if name in self.plan.file.figures]
        table = self._matchups(figures, where, with_row=True)
        loadouts = tuple((self._loadouts("attacker") | self._loadouts("defender")).values())
        ruleset = self.plan.rulesets[_one_ruleset(self.plan, where)]
        used = ProfilesUsed(str(self.store.folder), str(self.plan.content["profiles"]), ruleset)
        return fair_points_in(
            Matchups(table, loadouts, loadouts, tuple(situations), None, EFFICIENCY, ruleset, (), used)
        )

    def _loadouts(self, side: str) -> dict[str, Loadout]:
        attackers = (loadout for loadouts in self.plan.attackers.values() for loadout in loadouts)
        return {loadout.selector: loadout for loadout in (attackers if side == "attacker" else self.plan.defenders)}

    def _matchups(self, figures: Sequence[str], where: Mapping[str, Any], *, with_row: bool = False) -> pd.DataFrame:
        """Return the means of each pair under one ruleset as a table of matchups; `with_row` adds the row used most."""
        self._check_names(figures)
        pair = ["attacker", "defender", "situation"]
        chosen = {**where, "ruleset": _one_ruleset(self.plan, where)}
        table = self.means([*pair, *(["row"] if with_row else [])], figures, **chosen)
        if with_row:
            table = _by_pair(table, pair, figures)
        sides = {side: [self._loadouts(side)[name] for name in table[side]] for side in ("attacker", "defender")}
        for side, loadouts in sides.items():
            table[f"{side}_unit"] = [loadout.unit.name for loadout in loadouts]
            table[f"{side}_level"] = [loadout.level_name for loadout in loadouts]
            table[f"{side}_points"] = pd.array([loadout.level.points for loadout in loadouts], "Int64")
        table["method"] = "exact"
        table["defender_models"] = [loadout.level.models for loadout in sides["defender"]]
        table["defender_category"] = [loadout.unit.category for loadout in sides["defender"]]
        rows = table["row"] if with_row else [None] * len(table)
        table["dice"] = [_dice(loadout, row) for loadout, row in zip(sides["attacker"], rows)]
        model_points = table["defender_points"].astype(float) / table["defender_models"]
        if _DESTROYED in table:
            hundreds = table["attacker_points"].astype(float).replace(0, np.nan) / 100
            table["expected_points_destroyed"] = table[_DESTROYED] * model_points
            table[EFFICIENCY] = table["expected_points_destroyed"] / hundreds
        return table

    def _checked_columns(self, columns: Sequence[str] | None) -> list[str] | None:
        chosen = None if columns is None else _column_names(columns, "columns")
        self._check_names(chosen or ())
        return chosen

    def _check_names(self, names: Iterable[str]) -> None:
        for name in names:
            if name not in self.columns:
                problem = f"no column {shown(name)}{did_you_mean(str(name), self.columns)}"
                raise InputError(problem, where="columns", allowed=", ".join(self.columns))

    def _filter(self, where: Mapping[str, Any]) -> Any:
        """Return the filter `where` as a pyarrow expression; None if the filter is empty."""
        import pyarrow.dataset as pads

        self._check_names(where)
        schema, expression = self.dataset.schema, None
        for name, value in where.items():
            column = pads.field(name)
            if isinstance(value, tuple):
                least, most = _range_ends(schema, name, value)
                condition = (column >= least) & (column <= most)
            else:
                condition = column.isin(_column_array(schema, name, _matching_values(self.plan, name, value)))
            expression = condition if expression is None else expression & condition
        return expression

    @contextmanager
    def _read_errors(self) -> Iterator[None]:
        """Turn errors of the Parquet reader inside this context into an InputError about a damaged part."""
        import pyarrow as pa

        try:
            yield
        except (pa.ArrowException, OSError) as error:
            allowed = "analyser sweep verify --remove, which deletes damaged parts; then resume"
            raise InputError(
                f"a part cannot be read ({error})", where=str(self.store.folder), allowed=allowed
            ) from error


def _column_names(columns: object, where: str) -> list[str]:
    """Return one or several names of columns as a list, without repetitions."""
    several = [columns] if isinstance(columns, str) else columns
    if not isinstance(several, Iterable):
        raise InputError(f"{shown(columns)} is not usable", where=where, allowed="names of columns")
    names = list(several)
    for name in names:
        check_text(name, where, "names of columns")
    return list(dict.fromkeys(names))


def _possible_names(plan: Plan) -> dict[str, list[str]]:
    return {
        "ruleset": list(plan.rulesets),
        "situation": [situation.name for situation in plan.situations],
        "attacker": plan.content["attackers"],
        "defender": plan.content["defenders"],
        "faction": list(plan.attackers),
    }


def _filter_in_words(value: Any) -> str:
    if isinstance(value, str) or not isinstance(value, Sequence):
        return str(value)
    return (" to " if isinstance(value, tuple) else ", ").join(map(str, value))


def _matching_values(plan: Plan, name: str, value: Any) -> list[Any]:
    """Return the values of a filter, with wildcards replaced by the matching names; InputError if no name matches."""
    values = [value] if isinstance(value, str) or not isinstance(value, Sequence) else value
    return [match for single in values for match in _matching(plan, name, single)]


def _matching(plan: Plan, name: str, value: Any) -> list[Any]:
    if not isinstance(value, str):
        return [value]
    names = _possible_names(plan).get(name)
    if names is None:
        if any(sign in value for sign in "*?["):
            raise InputError(f"{shown(value)} has wildcards", where=name, allowed="values, or a pair (from, to)")
        return [value]
    if matches := fnmatch.filter(names, value):
        return matches
    has_levels = any(other.partition("@")[0] == value for other in names)
    hint = f"; {value}@* selects all its levels" if has_levels else did_you_mean(value, names)
    raise InputError(f"no {name} matches {shown(value)}{hint}", where=name, allowed=allowed_names(names, value))


def _one_ruleset(plan: Plan, where: Mapping[str, Any]) -> str:
    """Return the name of the only ruleset that passes a filter; InputError for none or several."""
    stated = where.get("ruleset", "*")
    matching = set(_matching_values(plan, "ruleset", stated))
    names = [name for name in plan.rulesets if name in matching]
    if len(names) == 1:
        return names[0]
    problem = f"{len(names)} rulesets match {shown(stated)}; name one"
    raise InputError(problem, where="ruleset", allowed=", ".join(plan.rulesets))


def _range_ends(schema: pa.Schema, name: str, value: tuple[Any, ...]) -> pa.Array:
    if len(value) != 2:
        raise InputError(f"{shown(value)} is not a pair", where=name, allowed="(from, to)")
    ends = _column_array(schema, name, value)
    if ends[0].as_py() > ends[1].as_py():
        raise InputError(f"{shown(value)} ends before it begins", where=name, allowed="(from, to)")
    return ends


def _column_array(schema: pa.Schema, name: str, values: Sequence[Any]) -> pa.Array:
    import pyarrow as pa

    kind = schema.field(name).type
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    try:
        return pa.array(values, kind)
    except (pa.ArrowException, OverflowError, TypeError) as error:
        problem = f"{', '.join(map(shown, values))} is not a value of this column"
        raise InputError(problem, where=name, allowed=f"values of type {kind}") from error


def _dice(loadout: Loadout, row_id: Any) -> float:
    """Return the dice of a row at the loadout's full number of models; NaN without such dice."""
    bands = [row.band(loadout.level.models) for row in loadout.unit.rows if row.id == row_id]
    return float(bands[0].dice) if bands and bands[0] is not None else np.nan


def _by_pair(table: pd.DataFrame, pair: list[str], figures: Sequence[str]) -> pd.DataFrame:
    """Combine the means of each pair over its rows of armaments, and add the row used most (first by name if equal)."""
    weighed = table.assign(**{name: table[name] * table["cells"] for name in figures})
    means = weighed.groupby(pair, sort=False)[[*figures, "cells"]].sum(min_count=1)
    for name in figures:
        means[name] = means[name] / means["cells"].where(means["cells"] > 0)
    row_used_most = table.sort_values(["cells", "row"], ascending=[False, True], kind="stable").drop_duplicates(pair)
    return means.join(row_used_most.set_index(pair)["row"]).reset_index()


def open_sweep(store: str | os.PathLike[str]) -> Sweep:
    """Return the sweep in a folder, finished or not; InputError if there is none.

    >>> open_sweep("no-such-folder")
    Traceback (most recent call last):
    ...
    analyser.common.errors.InputError: no-such-folder: no such folder (allowed: a folder that a sweep has written)
    """
    return Sweep(store)
