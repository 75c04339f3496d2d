"""A store, asked: frames of what passes a filter, means, pictures and a verdict, without loading it all."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from analyser.analysis.balance import efficiency
from analyser.common.errors import InputError, check_text, did_you_mean, shown
from analyser.common.files import write_whole
from analyser.game.profiles import ProfilesUsed
from analyser.plots import heatmap as draw_heatmap
from analyser.plots.look import about
from analyser.plots.metrics import EFFICIENCY, METRICS
from analyser.plots.over_numbers import best_lines
from analyser.sweep.filters import axes_of, filter_of, is_one, meant, shown_filter
from analyser.sweep.plan import Plan
from analyser.sweep.store import PartFile, Store, damaged

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.dataset as pads
    from matplotlib.axes import Axes

    from analyser.analysis.prices import FairPoints
    from analyser.analysis.situations import Situation
    from analyser.game.units import Loadout
    from analyser.results.base import Result

MOST_ROWS = 5_000_000  # of one frame
AT_ONCE = 1 << 18  # rows of a batch
_DESTROYED = "mean_models_destroyed"
_MODELS = ("defenders", "models")
VERDICT_FIGURES = ("mean_share_lost", "p_suppressed", "p_annihilated", _DESTROYED)
"""Figures that a verdict needs from a sweep; with charges also `attacker_share_lost`."""


class Sweep:
    """Contents of a store.

    Parameters
    ----------
    store : Store or path

    Examples
    --------
    >>> import analyser, tempfile
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> plan = {"attackers": {"units": "crown/rifle-p*"}, "defenders": {"units": "krupp@basic", "defence": "1..4"}}
    >>> with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(1) as pool:
    ...     found = analyser.run_sweep(plan, f"{folder}/store", executor=pool)
    ...     print(found)
    ...     found.frame(defender_defence=4)["mean_models_destroyed"].round(2).tolist()
    sweep: 12 cells in 1 part, all done
    [0.59, 1.95, 3.0]
    """

    def __init__(self, store: Store | str | os.PathLike[str]) -> None:
        self.store = store if isinstance(store, Store) else Store(store)

    @property
    def plan(self) -> Plan:
        """The plan that it was begun with."""
        return self.store.plan

    @cached_property
    def done(self) -> tuple[int, ...]:
        """The numbers of the parts that are done, as they were when this was first asked for."""
        return tuple(sorted(set(self.store.done())))

    @property
    def is_complete(self) -> bool:
        """Return True if all parts are done."""
        return len(self.done) == self.plan.parts

    @cached_property
    def _files(self) -> dict[int, PartFile]:
        return self.store.files()

    def __str__(self) -> str:
        parts, done = self.plan.parts, len(self.done)
        word = "part" if parts == 1 else "parts"
        state = "all done" if self.is_complete else f"{done:,} done: {parts - done:,} are missing"
        what = "trials" if self.plan.is_sample else "cells"
        return f"{self.plan.name}: {self.plan.cells:,} {what} in {parts:,} {word}, {state}"

    def __repr__(self) -> str:
        return f"<Sweep {self.store.folder}: {self}>"

    @cached_property
    def dataset(self) -> pads.Dataset:
        """All parts that are done as a dataset of pyarrow."""
        import pyarrow.dataset as pads

        paths = [str(each.path) for _, each in sorted(self._files.items())]
        if not paths:
            raise InputError("no part is done yet", where=str(self.store.folder), allowed="analyser sweep resume")
        how = pads.ParquetFileFormat(
            default_fragment_scan_options=pads.ParquetFragmentScanOptions(page_checksum_verification=True)
        )
        by = pads.partitioning(flavor="hive")
        with self._whole():
            return pads.dataset(paths, format=how, partitioning=by, partition_base_dir=str(self.store.parts))

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self.dataset.schema.names)

    def count(self, **where: Any) -> int:
        """Return the number of cells that pass a filter; as of :meth:`frame`."""
        chosen = self._filter(where)
        with self._whole():
            return int(self.dataset.count_rows(filter=chosen))

    def batches(self, columns: Sequence[str] | None = None, **where: Any) -> Iterator[pd.DataFrame]:
        """The cells that pass a filter, some hundred thousand at a time: memory does not grow with the store."""
        chosen = None if columns is None else _columns(columns, "columns")
        self._check(chosen or ())
        reader = self.dataset.scanner(
            columns=chosen,
            filter=self._filter(where),
            batch_size=AT_ONCE,
            batch_readahead=1,
            fragment_readahead=1,
            use_threads=False,
        )
        batches = reader.to_batches()
        while True:
            with self._whole():
                batch = next(batches, None)
            if batch is None:
                return
            if batch.num_rows:
                yield batch.to_pandas()

    def frame(self, columns: Sequence[str] | None = None, **where: Any) -> pd.DataFrame:
        """The cells that pass a filter.

        Parameters
        ----------
        columns : sequence of str, optional
            Default: all.
        **where
            By column: a value, a list of values, or a pair (from, to) as a tuple, both ends counted; of attackers,
            defenders, factions, rulesets and situations one that the plan has, also with wildcards.

        Raises
        ------
        InputError
            No such column, or more than five million cells: take :meth:`batches`, :meth:`means`, or a narrower filter.
        """
        chosen = None if columns is None else _columns(columns, "columns")
        self._check(chosen or ())
        if (rows := self.count(**where)) > MOST_ROWS:
            allowed = f"up to {MOST_ROWS:,} in a frame; a narrower filter, means, or batches"
            raise InputError(f"{rows:,} cells", where="frame", allowed=allowed)
        with self._whole():
            found: pd.DataFrame = self.dataset.to_table(columns=chosen, filter=self._filter(where)).to_pandas()
        return found

    def means(self, by: str | Sequence[str], metric: str | Sequence[str], **where: Any) -> pd.DataFrame:
        """Means of figures over the cells that pass a filter and have them, for each combination of some columns.

        Returns
        -------
        DataFrame
            The columns of `by`, a column of each figure, and `cells`: over how many the first of them is a mean.
        """
        keys, figures = _columns(by, "by"), _columns(metric, "metric")
        self._check((*keys, *figures))
        if not keys or not figures or set(keys) & set(figures):
            raise InputError("no columns, or one on both sides", where="means", allowed="by some columns, of others")
        if odd := [name for name in figures if not self._is_number(name)]:
            raise InputError(f"{odd[0]} has no mean", where="means", allowed="columns of numbers")
        sums: pd.DataFrame | None = None
        for batch in self.batches([*dict.fromkeys((*keys, *figures))], **where):
            values = batch.assign(**{key: batch[key].astype(object) for key in keys if batch[key].dtype == "category"})
            groups = values.groupby(keys, sort=False, dropna=False)[figures]
            found = pd.concat([groups.sum(), groups.count().add_suffix(" cells")], axis=1)
            sums = found if sums is None else sums.add(found, fill_value=0)
        if sums is None:
            return pd.DataFrame(columns=[*keys, *figures, "cells"])
        table = sums.reset_index()
        for name in figures:
            table[name] = table[name] / table[f"{name} cells"].where(table[f"{name} cells"] > 0)
        table["cells"] = table[f"{figures[0]} cells"].astype(np.int64)
        return table[[*keys, *figures, "cells"]]

    def heatmap(self, metric: str = _DESTROYED, *, ax: Axes | None = None, **where: Any) -> Axes:
        """Attackers against defenders, each pair's mean over the numbers that are varied, in one situation.

        At most 60 a side fit into a picture: choose some of them by a filter.
        """
        table = self._matchups((metric,), where)
        others = {name: value for name, value in where.items() if name != "situation"}  # which the picture names
        by = "attacker", "defender", "situation"
        return draw_heatmap(table, values=metric, note=self._averaged(table, by, others), ax=ax)

    def curve(
        self, over: str, metric: str = _DESTROYED, *, line: str = "attacker", ax: Axes | None = None, **where: Any
    ) -> Axes:
        """The mean of a figure over a number, a line for each attacker or value of another column, six at most."""
        table = self.means([line, over], metric, **where).sort_values([line, over], kind="stable")
        named = table.rename(columns={line: "line"})
        title = METRICS[metric].title if metric in METRICS else None
        heading = "\n".join(filter(None, (self.plan.name, self._averaged(table, (line, over), where))))
        lines = named.assign(line=named["line"].astype(str))
        return best_lines(about(lines, heading), x=over, metric=metric, quantity=title, ax=ax)

    def _averaged(self, table: pd.DataFrame, by: Sequence[str], where: Mapping[str, Any]) -> str:
        """Of means by some columns: what the cells are that each is a mean of, in words."""
        asked = [f"{name} {shown_filter(value)}" for name, value in where.items()]
        chosen = "; ".join(each.replace("_", " ") for each in asked)
        counts = table.loc[table["cells"] > 0, "cells"]
        least, most = counts.min(), counts.max()
        if counts.empty or most < 2:
            return chosen
        cells = f"{most:,}" if least == most else f"{least:,} to {most:,}"
        chosen_one = [name for name, value in where.items() if is_one(self.plan, name, value)]
        open_axes = [name for name in axes_of(self.plan) if name not in (*by, *chosen_one)]
        over = ", ".join(name.replace("_", " ") for name in open_axes)
        return "\n".join(filter(None, (chosen, f"each a mean of {cells} cells, over {over}")))

    def efficiency(self, **where: Any) -> pd.DataFrame:
        """The points efficiency of every attacker over the field of this sweep.

        Returns
        -------
        DataFrame
            As of :func:`analyser.analysis.balance.efficiency`, from each pair's mean over the numbers that are varied.

        Raises
        ------
        InputError
            Points, or the models of defenders, are varied: worth goes by those of the profiles here.
        """
        varied = [(side, each.key) for side, given in self.plan.file.sides for each in given.numbers]
        if odd := [f"{key} of {side}" for side, key in varied if key == "points" or (side, key) == _MODELS]:
            allowed = f"means of {EFFICIENCY}, which cells have by their own numbers, if the plan asks for it"
            raise InputError(f"the {odd[0]} are varied", where="efficiency", allowed=allowed)
        return efficiency(self._matchups((_DESTROYED,), where))

    def verdict(self, **where: Any) -> FairPoints:
        """Return the fair points of each loadout (:func:`analyser.fair_points`), computed from the store alone.

        Each pair counts by its mean over the varied numbers that pass the filter. Only the pairs are held in memory,
        however many cells they have.

        Raises
        ------
        InputError
            The sweep lacks a figure that prices need, it has several rulesets and none is named, or no loadouts are
            both attackers and defenders.
        """
        from analyser.analysis.matchups import Matchups
        from analyser.analysis.prices import fair_points_in

        asked = meant(self.plan, "situation", where.get("situation", "*"))
        situations = [each for each in self.plan.situations if each.name in asked]
        needed = (*VERDICT_FIGURES, *(("attacker_share_lost",) if any(map(_is_charge, situations)) else ()))
        if missing := [name for name in needed if name not in self.plan.file.figures]:
            allowed = f"a sweep with the figures {', '.join(needed)}; efficiency() does with {_DESTROYED}"
            raise InputError(f"this store has no {', '.join(missing)}", where="verdict", allowed=allowed)
        figures = [name for name in (*needed, "p_activated") if name in self.plan.file.figures]
        table = self._matchups(figures, where, with_row=True)
        sides = {each.selector: each for side in self.plan.attackers.values() for each in side}
        sides |= {each.selector: each for each in self.plan.defenders}
        everybody = tuple(sides.values())
        ruleset = self.plan.rulesets[str(where.get("ruleset", next(iter(self.plan.rulesets))))]
        used = ProfilesUsed(str(self.store.folder), str(self.plan.content["profiles"]), ruleset)
        found = Matchups(table, everybody, everybody, tuple(situations), None, EFFICIENCY, ruleset, (), used)
        return fair_points_in(found)

    def answer(self) -> Result:
        """Of a sample that is done: the answer that one machine playing all its trials would have given."""
        from analyser.sweep.sample import answer_of

        if not self.plan.is_sample:
            raise InputError("this sweep is of cells", where="answer", allowed="frame, means, heatmap, curve, verdict")
        if not self.is_complete:
            raise InputError(str(self), where=str(self.store.folder), allowed="analyser sweep resume")
        for number in self.done:
            self.store.check(self._files[number])
        return answer_of(self.plan, self.batches())

    def merge(self, path: str | os.PathLike[str]) -> Path:
        """Write all parts, in the order of their numbers, as one Parquet file; memory does not grow with the store."""
        import pyarrow.parquet as pq

        from analyser.sweep.tables import merged_metadata

        if not self.is_complete:
            raise InputError(str(self), where=str(self.store.folder), allowed="analyser sweep resume")
        target = Path(path)

        def write(temporary: Path) -> None:
            schema = self.dataset.schema.with_metadata(merged_metadata(self.plan))
            with pq.ParquetWriter(temporary, schema, compression="zstd") as writer:
                for number in self.done:
                    self.store.check(self._files[number])
                    for group in self._row_groups(number, schema):
                        writer.write_table(group)

        write_whole(target, write)
        return target

    def _row_groups(self, number: int, schema: pa.Schema) -> Iterator[pa.Table]:
        """The row groups of a part, with the columns that its folder says."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        said = dict(each.split("=", 1) for each in self.plan.folder(number).split("/"))
        with pq.ParquetFile(self._files[number].path) as file:
            for at in range(file.num_row_groups):
                table = file.read_row_group(at)
                for name, value in said.items():
                    column = pa.array([value] * 1).cast(schema.field(name).type)
                    table = table.append_column(name, pa.repeat(column[0], table.num_rows))
                yield table.select(schema.names).cast(schema)

    def _matchups(self, figures: Sequence[str], where: Mapping[str, Any], *, with_row: bool = False) -> pd.DataFrame:
        """Each pair's means as a table of matchups, of one ruleset; with the `row` that most of its cells use."""
        self._check(figures)
        if len(self.plan.rulesets) > 1 and not isinstance(where.get("ruleset"), str):
            raise InputError("of which ruleset?", where="ruleset", allowed=", ".join(self.plan.rulesets))
        pair = ["attacker", "defender", "situation"]
        table = self.means([*pair, *(["row"] if with_row else [])], figures, **where)
        if with_row:
            table = _by_pair(table, pair, figures)
        ours = {each.selector: each for side in self.plan.attackers.values() for each in side}
        theirs = {each.selector: each for each in self.plan.defenders}
        for side, known in (("attacker", ours), ("defender", theirs)):
            loadouts = [known[name] for name in table[side]]
            table[f"{side}_unit"] = [each.unit.name for each in loadouts]
            table[f"{side}_level"] = [each.level_name for each in loadouts]
            table[f"{side}_points"] = pd.array([each.level.points for each in loadouts], "Int64")
        table["method"] = "exact" if self.plan.file.sampling is None else "monte-carlo"
        table["defender_models"] = [theirs[name].level.models for name in table["defender"]]
        table["defender_category"] = [theirs[name].unit.category for name in table["defender"]]
        table["dice"] = [
            np.nan if pd.isna(row) else _dice(ours[name], str(row))
            for name, row in zip(table["attacker"], table["row"] if with_row else [None] * len(table))
        ]
        worth = table["defender_points"].astype(float) / table["defender_models"]
        if _DESTROYED in table:
            hundreds = table["attacker_points"].astype(float).replace(0, np.nan) / 100
            table["expected_points_destroyed"] = table[_DESTROYED] * worth
            table[EFFICIENCY] = table["expected_points_destroyed"] / hundreds
        return table

    def _is_number(self, name: str) -> bool:
        kind = str(self.dataset.schema.field(name).type)
        return kind.startswith(("int", "float", "double"))

    def _check(self, names: Sequence[str]) -> None:
        for name in names:
            if name not in self.columns:
                problem = f"no column {shown(name)}{did_you_mean(str(name), self.columns)}"
                raise InputError(problem, where="columns", allowed=", ".join(self.columns))

    def _filter(self, where: Mapping[str, Any]) -> Any:
        self._check(tuple(where))
        return filter_of(self.plan, self.dataset.schema, where)

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """Inside this parts are read: InputError for one that is damaged, instead of what its reader says."""
        import pyarrow as pa

        try:
            yield
        except (pa.ArrowException, OSError) as error:
            raise damaged(self.store.folder, f"a part cannot be read ({error})") from error


def _columns(given: object, where: str) -> list[str]:
    """Return names of columns as they may be given, one or several, each once."""
    several = [given] if isinstance(given, str) else given
    if not isinstance(several, Iterable):
        raise InputError(f"{shown(given)} is not usable", where=where, allowed="names of columns")
    names = list(several)
    for each in names:
        check_text(each, where, "names of columns")
    return list(dict.fromkeys(names))


def _is_charge(situation: Situation) -> bool:
    return situation.kind == "charge"


def _dice(loadout: Loadout, row: str) -> float:
    """The dice of a row at all the models of its level."""
    bands = (each.band(loadout.level.models) for each in loadout.unit.rows if each.id == row)
    band = next(bands, None)
    return np.nan if band is None else float(band.dice)


def _by_pair(table: pd.DataFrame, pair: list[str], figures: Sequence[str]) -> pd.DataFrame:
    """Means by pair and row as means by pair, with the row that most cells use; of as many, the first by name."""
    weighed = table.assign(**{name: table[name] * table["cells"] for name in figures})
    groups = weighed.groupby(pair, sort=False)
    found = groups[[*figures, "cells"]].sum(min_count=1)
    for name in figures:
        found[name] = found[name] / found["cells"].where(found["cells"] > 0)
    most = table.sort_values(["cells", "row"], ascending=[False, True], kind="stable").drop_duplicates(pair)
    return found.join(most.set_index(pair)["row"]).reset_index()


def open_sweep(store: str | os.PathLike[str]) -> Sweep:
    """The sweep in a folder, done or not; InputError where there is none.

    >>> open_sweep("no-such-folder")
    Traceback (most recent call last):
    ...
    analyser.common.errors.InputError: no-such-folder: no such folder (allowed: a folder that a sweep has written)
    """
    return Sweep(store)
