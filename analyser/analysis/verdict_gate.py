"""Check of verdicts, for scripts: the named verdicts are failures unless a baseline file accepts them."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import pandas as pd
from pydantic import Field

from analyser.analysis.prices import FairPoints
from analyser.analysis.verdict import FAIR, OVER, UNDECIDED, UNDER, interval_text, is_noise
from analyser.common.errors import InputError, nearest, reason_of, shown, suggestion_of
from analyser.common.files import write_content
from analyser.common.text import aligned, counted
from analyser.common.validation import Record, checked

VERDICTS = (UNDER, OVER, UNDECIDED, FAIR)
_Probability = Annotated[float, Field(ge=0, le=1)]


class _AcceptedVerdict(Record):
    verdict: Literal["under-priced", "over-priced", "undecided", "fair"]
    under_probability: _Probability | None
    over_probability: _Probability | None


class _Baseline(Record):
    verdicts: dict[str, _AcceptedVerdict]


def verdicts_named(written: str) -> tuple[str, ...]:
    """Return the verdicts in a comma-separated list; InputError with the nearest name for an unknown one.

    >>> verdicts_named("over-priced,under-priced")
    ('over-priced', 'under-priced')
    """
    names = tuple(part.strip() for part in written.split(","))
    for name in names:
        if name not in VERDICTS:
            meant = suggestion_of(nearest(name, VERDICTS))
            problem = f"unknown verdict {shown(name)}{meant}"
            raise InputError(problem, where="--fail-on-verdict", allowed=", ".join(VERDICTS))
    return names


def write_baseline(answer: FairPoints, path: str | os.PathLike[str]) -> None:
    """Write the verdicts of `answer` into a baseline file, which accepts them."""
    rows = answer.frame.set_index("loadout")[list(_AcceptedVerdict.model_fields)].astype(object)
    rows = rows.where(rows.notna(), None)
    content = json.dumps({"verdicts": rows.to_dict("index")}, indent=1, sort_keys=True, ensure_ascii=False)
    write_content(Path(path), f"{content}\n".encode())


def read_baseline(path: str | os.PathLike[str]) -> Mapping[str, Any]:
    """Return the accepted verdicts by loadout from a baseline file; InputError if the file is no baseline."""
    try:
        record = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        why = reason_of(error) if isinstance(error, OSError) else f"it is not JSON: {error}"
        problem = f"this baseline cannot be read: {why}"
        raise InputError(problem, where=str(path), allowed="a file written by --accept") from None
    return checked(_Baseline, record, where=str(path)).verdicts


def failures(answer: FairPoints, verdicts: Sequence[str], accepted: Mapping[str, Any] | None = None) -> pd.DataFrame:
    """Return the loadouts with one of these verdicts that is not accepted, those most probably mispriced first.

    A verdict is accepted if it equals that of the baseline, or differs from it only by noise
    (:func:`analyser.analysis.verdict.is_noise`).
    """
    frame, judged = answer.frame[answer.frame["verdict"].isin(verdicts)], list(_AcceptedVerdict.model_fields)

    def is_accepted(name: str, verdict: str, under: float, over: float) -> bool:
        if (before := (accepted or {}).get(name)) is None:
            return False
        old = before.verdict, before.under_probability, before.over_probability
        return before.verdict == verdict or (None not in old and is_noise(old, (verdict, under, over)))

    is_new = [not is_accepted(*row) for row in frame[["loadout", *judged]].itertuples(index=False)]
    new = frame[np.array(is_new, np.bool_)]
    probability = new[judged[1:]].max(axis=1)
    columns = ["loadout", "points", "fair_points", "fair_low", "fair_high", "verdict", "lean"]
    return new.assign(probability=probability).sort_values(["probability", "loadout"], ascending=[False, True])[columns]


def failure_lines(failed: pd.DataFrame) -> list[str]:
    """Return the failures as the lines of a table."""
    rows = [
        (name, "no" if pd.isna(points) else str(points), interval_text(low, high), verdict, lean)
        for name, points, _, low, high, verdict, lean in failed.itertuples(index=False)
    ]
    heading = f"{counted(len(failed), 'verdict')} not accepted:"
    return [heading, *aligned([("", "points", "fair", "verdict", ""), *rows], "<>><<")]
