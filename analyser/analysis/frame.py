"""The tidy table of a grid of fights: one row for each attacker, defender and situation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analyser.analysis.grid import Cells, Field
from analyser.analysis.situations import Situation
from analyser.engine.attack.sweep import SUMMARY
from analyser.game.keywords import RANGED_ATTACK, Keyword
from analyser.game.units import Loadout
from analyser.plots.metrics import ALL_LEVELS, BY_POINTS, METRICS, PER_100_POINTS, RESULTS
from analyser.results.rules_used import can_bear

METHOD = "exact"
_WHOLE_NUMBERS = ("attacker_points", "defender_points", "defender_models", "dice")


def tidy(
    attackers: Sequence[Loadout], field: Field, situations: Sequence[Situation], cells: Sequence[Cells]
) -> pd.DataFrame:
    """The tidy table of :func:`analyser.analysis.matchups.matchups`, from the cells of each situation."""
    # Every array starts as (attackers, defenders, situations).
    shape = (len(attackers), len(field.defenders), len(situations))
    figures, rows, dice, why_not, results = (np.stack(arrays, axis=2) for arrays in zip(*cells))
    columns = _names_of(attackers, "attacker", (shape, 0)) | _names_of(field.defenders, "defender", (shape, 1))
    columns["defender_models"] = _spread([each.models for each in field.targets], shape, 1)
    columns["defender_category"] = _spread([each.category for each in field.targets], shape, 1)
    columns["situation"] = _spread([each.name for each in situations], shape, 2)
    columns |= {"row": rows.ravel(), "dice": dice.ravel(), "method": np.full(rows.size, METHOD, object)}
    columns |= _figures(figures, attackers, field)
    columns |= {name: results[..., place].ravel() for place, name in enumerate(RESULTS)}
    columns["why_not"] = why_not.ravel()
    frame = pd.DataFrame(columns)
    text = frame["attacker"].dtype  # where a column is empty nothing would tell that it holds text
    return frame.astype({**dict.fromkeys(_WHOLE_NUMBERS, "Int64"), "row": text, "why_not": text})


def _spread(values: Sequence[Any], shape: tuple[int, int, int], axis: int) -> NDArray[Any]:
    """One value for each place along `axis` of `shape`, as a column."""
    along = [1, 1, 1]
    along[axis] = shape[axis]
    return np.broadcast_to(np.array(values, object).reshape(along), shape).ravel()


def _names_of(sides: Sequence[Loadout], side: str, place: tuple[tuple[int, int, int], int]) -> dict[str, NDArray[Any]]:
    shape, axis = place
    return {
        side: _spread([each.selector for each in sides], shape, axis),
        f"{side}_unit": _spread([each.unit.name for each in sides], shape, axis),
        f"{side}_level": _spread([each.level_name for each in sides], shape, axis),
        f"{side}_points": _spread([each.level.points for each in sides], shape, axis),
    }


def _figures(found: NDArray[np.void], attackers: Sequence[Loadout], field: Field) -> dict[str, NDArray[np.float64]]:
    """Every figure of METRICS but the results; `found` has shape (attackers, defenders, situations)."""
    figures = {name: found[name] for name in SUMMARY.names or ()}
    ratings = _numbers([each.level.victory_points for each in field.defenders])
    points = _numbers([each.level.points for each in field.defenders])
    worth = points / _numbers([each.models for each in field.targets])
    figures["expected_victory_points"] = figures["p_annihilated"] * ratings[None, :, None]
    figures["expected_points_destroyed"] = figures["mean_models_destroyed"] * worth[None, :, None]
    # A unit that costs nothing has no efficiency.
    hundreds = _numbers([each.level.points or None for each in attackers])[:, None, None] / 100
    figures |= {name + PER_100_POINTS: figures[name] / hundreds for name in BY_POINTS}
    return {name: figures[name].ravel() for name in METRICS if name not in RESULTS}


def _numbers(values: Sequence[int | None]) -> NDArray[np.float64]:
    return np.array(values, np.float64)  # None becomes NaN


def by_unit(frame: pd.DataFrame) -> pd.DataFrame:
    """Units instead of loadouts: every figure of METRICS as its mean over all pairs of levels.

    Parameters
    ----------
    frame : DataFrame
        As of :func:`analyser.analysis.matchups.matchups`.

    Returns
    -------
    DataFrame
        One row for each attacking unit, defending unit and situation, in the order of `frame`. `attacker` and
        `defender` are selectors without a level, `attacker_level` and `defender_level` are ``"all levels"``. Pairs
        of levels that cannot fight do not count; where none can, the figures are NaN.
    """
    figures = [name for name in METRICS if name in frame]
    units = frame.assign(
        attacker=frame["attacker"].str.partition("@")[0], defender=frame["defender"].str.partition("@")[0]
    )
    keys = ["attacker", "attacker_unit", "defender", "defender_unit", "defender_category", "situation", "method"]
    means = units.groupby(keys, sort=False)[[*figures, "why_not"]].agg(
        {**dict.fromkeys(figures, "mean"), "why_not": "first"}
    )
    found = means.reset_index()
    found["attacker_level"] = found["defender_level"] = ALL_LEVELS
    found["why_not"] = found["why_not"].where(found[figures[0]].isna(), None)
    return found


class NotModelled(NamedTuple):
    """A quality or special rule on the profiles that no figure is computed from."""

    name: str
    touches: str
    units: tuple[str, ...]


def not_modelled(
    attackers: Iterable[Loadout], defenders: Iterable[Loadout], situations: Iterable[Situation]
) -> tuple[NotModelled, ...]:
    """What the profiles of both sides carry that no figure of these situations is computed from, by name."""
    fights = {each.fight.occasion for each in situations}
    attacking = {(each.faction, each.unit.id): each.unit for each in attackers}
    everybody = attacking | {(each.faction, each.unit.id): each.unit for each in defenders}
    written: list[tuple[str, Keyword]] = [
        (unit.name, quality)
        for unit in attacking.values()
        for row in unit.rows
        if row.kind == "ranged" or fights != {RANGED_ATTACK}
        for quality in row.qualities
    ]
    written += [(unit.name, rule) for unit in everybody.values() for rule in unit.rules]
    return _gaps(written, fights)


def _gaps(written: Iterable[tuple[str, Keyword]], fights: set[str]) -> tuple[NotModelled, ...]:
    found: dict[str, dict[str, None]] = {}
    touches: dict[str, str] = {}
    for unit, named in written:
        term = named.term
        if term is None or (not any(map(term.counts_in, fights)) and any(can_bear(term, fight) for fight in fights)):
            touches[named.name] = "not known to this program" if term is None else term.touches
            found.setdefault(named.name, {})[unit] = None
    return tuple(NotModelled(name, touches[name], tuple(found[name])) for name in sorted(found))


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a table as dictionaries.

    Examples
    --------
    >>> records(pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}))
    [{'a': 1, 'b': 'x'}, {'a': 2, 'b': 'y'}]
    """
    return [{str(key): value for key, value in row.items()} for row in frame.to_dict("records")]
