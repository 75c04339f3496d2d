"""Many attackers on many defenders: a grid of attacks as one tidy table, every figure exact."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analyser.compile import attack_record, target_record
from analyser.engine.montecarlo import default_threads
from analyser.engine.sweep import SUMMARY, sweep
from analyser.errors import InputError, did_you_mean
from analyser.glossary import QUALITIES, SPECIAL_RULES, Term
from analyser.metrics import FIGURES, METRICS, PER_100_POINTS
from analyser.profiles import Profiles
from analyser.resolve import names, resolve_attack, resolve_target, row_id, rules_of, why_not
from analyser.rows import best_of
from analyser.rules.armoured_clash.conditions import attack_dice
from analyser.rules.armoured_clash.facts import ATTACK, CATEGORIES, TARGET, AttackFacts
from analyser.ruleset import Ruleset, load_ruleset
from analyser.scenario import Target
from analyser.situations import LONG_RANGE, SHORT_RANGE_AIMED, Situation, situations_called
from analyser.units import Loadout, Row

Selectors = str | Loadout | Iterable[str | Loadout]
Progress = Callable[[int, int], None]

METHOD = "exact"
TARGET_STATE = Target(from_front=True)
ASSUMPTIONS = (
    "Every unit has all the models of its level and no damage, and no unit is suppressed or disordered.",
    "Targets stand in the formation of their type, in the open, far from their table edge, and no commander is near; "
    "where the formation is open, their officer falls last.",
    "Every attack comes from the target's front: Resilient (Front) counts.",
    "Attackers see their target themselves. They are not in a building, not reloading, have not advanced, and fire no "
    "opportunity fire; Overcharge, carriages and command re-rolls are not used.",
    "Expected points destroyed are the target's points times the share of its models that are destroyed; models that "
    "are lost because the unit breaks are not among them. Expected victory points count every kind of annihilation.",
)
"""What every attack of a comparison takes for granted."""

ALL_LEVELS = "all levels"
_ONE_OF_EACH_CATEGORY = tuple(Target.model_validate({"category": each}) for each in CATEGORIES)
_SLICE = 16  # attacks swept between two reports of progress


class NotModelled(NamedTuple):
    """A quality or special rule on the profiles that no figure is computed from."""

    name: str
    touches: str
    units: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Matchups:
    """Every attacker on every defender in every situation.

    Attributes
    ----------
    frame : DataFrame
        One row for each; see :func:`matchups` for the columns. Take :meth:`to_frame` for a copy to change.
    attackers, defenders : tuple of Loadout
    situations : tuple of Situation
    row : str or None
        The row that was asked for; None: the best one.
    ruleset : Ruleset
    not_modelled : tuple of NotModelled
    assumptions : tuple of str
    """

    frame: pd.DataFrame
    attackers: tuple[Loadout, ...]
    defenders: tuple[Loadout, ...]
    situations: tuple[Situation, ...]
    row: str | None
    ruleset: Ruleset
    not_modelled: tuple[NotModelled, ...]
    assumptions: tuple[str, ...] = ASSUMPTIONS

    def to_frame(self) -> pd.DataFrame:
        """The tidy table, as a copy."""
        return self.frame.copy()


class _Shot(NamedTuple):
    """One row of one attacker in one situation."""

    row: Row
    facts: AttackFacts
    reasons: tuple[str | None, ...]  # by target category: why it cannot be made


class _Choice(NamedTuple):
    """The shots of one attacker in one situation: places `start` to `stop` of all shots."""

    start: int
    stop: int
    reasons: tuple[str, ...]  # by target category: why none of them can be made


def matchups(
    attackers: Selectors,
    defenders: Selectors,
    *,
    situations: Sequence[Situation | str] = (LONG_RANGE, SHORT_RANGE_AIMED),
    row: str | None = None,
    profiles: Profiles | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
) -> Matchups:
    """One ranged attack of every attacker on every defender in every situation, exactly.

    Parameters
    ----------
    attackers, defenders : str, Loadout, or several of them
        Selectors may have wildcards: ``crown/*`` is every unit at every level.
    situations : sequence of Situation or str
        A name stands for one of :data:`SITUATIONS`.
    row : str, optional
        The row to fire. Left out: on each target the one with the most expected models destroyed; of equals the one
        with the highest chance to annihilate, then the most expected damage, then the first on the card.
    profiles : Profiles, optional
        Left out: the shipped ones, and the shipped ruleset.
    progress : callable, optional
        Called with the attacks worked out so far and their number in all.
    threads : int, optional
        Left out: as many as there are processors. The figures do not depend on it.

    Returns
    -------
    Matchups
        Its frame has one row for each attacker, defender and situation, in that order: `attacker`, `attacker_unit`,
        `attacker_level`, `attacker_points`, the same of the defender, `defender_models`, `defender_category`,
        `situation`, `row`, `dice`,
        `method` (``"exact"``), the figures of :data:`~analyser.metrics.METRICS`, each also per 100 points of the
        attacker, and `why_not`. Where no attack can be made `why_not` says why and the figures are NaN; figures
        that need points or victory points that a profile does not give are NaN too.

    Raises
    ------
    InputError
        A selector that fits nothing, no situation or an unknown one, or a row that no attacker has.

    Examples
    --------
    >>> found = matchups("crown/rifle-platoon@basic", "imperium/*@basic", situations=["long-range"])
    >>> first = found.frame.iloc[0]
    >>> first["defender_unit"], first["row"], round(float(first["mean_models_destroyed"]), 3)
    ('Scion Grenadier Command Platoon', 'ranged-light', 2.018)
    """
    library = profiles or Profiles()
    ruleset = load_ruleset(None if profiles is None else profiles.folder)
    attacking, defending = loadouts(attackers, library), loadouts(defenders, library)
    conditions = situations_called(situations)
    _check_row(row, attacking)
    targets = [resolve_target(TARGET_STATE, each) for each in defending]
    categories = np.array([CATEGORIES.index(each.category or "light") for each in targets])
    shots, choices = _shots(attacking, conditions, row)
    summaries = _swept(shots, targets, categories, ruleset, progress, threads or default_threads())
    return Matchups(
        frame=_frame(attacking, defending, conditions, targets, categories, shots, choices, summaries),
        attackers=attacking,
        defenders=defending,
        situations=conditions,
        row=row,
        ruleset=ruleset,
        not_modelled=_not_modelled(attacking, defending),
    )


def loadouts(selectors: Selectors, profiles: Profiles) -> tuple[Loadout, ...]:
    """The loadouts that selectors mean, each once, in the order of the selectors and the files.

    Raises
    ------
    InputError
        A selector that fits nothing, or no selector.
    """
    several = [selectors] if isinstance(selectors, str | Loadout) else list(selectors)
    found: dict[str, Loadout] = {}
    for each in several:
        for loadout in [each] if isinstance(each, Loadout) else profiles.matching(each):
            found.setdefault(loadout.selector, loadout)
    if not found:
        raise InputError("no selector is given", allowed="such as crown/*")
    return tuple(found.values())


def _check_row(row: str | None, attackers: Iterable[Loadout]) -> None:
    if row is None or any(_rows_called(row, each) for each in attackers):
        return
    known = list(dict.fromkeys(each.id for attacker in attackers for each in attacker.unit.rows))
    hint = did_you_mean(row, known)
    raise InputError(f"no attacker has a row {row!r}{hint}", where="row", allowed=", ".join(known))


def _rows_called(name: str, attacker: Loadout) -> list[Row]:
    rows = {row.id: row for row in attacker.unit.rows}
    found = rows.get(row_id(name, rows))
    return [] if found is None else [found]


def _shots(
    attackers: Iterable[Loadout], situations: Sequence[Situation], row: str | None
) -> tuple[list[_Shot], list[_Choice]]:
    """Every shot there is to choose from, and the choice of each attacker in each situation."""
    shots: list[_Shot] = []
    choices = []
    for attacker in attackers:
        rows = [each for each in attacker.unit.rows if each.kind == "ranged"]
        rows = rows if row is None else _rows_called(row, attacker)
        for situation in situations:
            found, reasons = _shots_of(attacker, situation, rows, row)
            choices.append(_Choice(len(shots), len(shots) + len(found), reasons))
            shots += found
    return shots, choices


def _shots_of(
    attacker: Loadout, situation: Situation, rows: Sequence[Row], asked: str | None
) -> tuple[list[_Shot], tuple[str, ...]]:
    """The shots of one attacker in one situation; by category why none of them can be made."""
    shots = []
    why: list[list[str]] = [[] for _ in CATEGORIES]
    for row in rows:
        attack = situation.attack(row)
        reasons = [why_not(row, attack, attacker, target) for target in _ONE_OF_EACH_CATEGORY]
        for category, reason in enumerate(reasons):
            why[category].append(f"{row.id}: {reason}")
        if None in reasons:
            resolved = resolve_attack(attack, attacker, row)
            facts = attack_record(resolved, rules_of(attacker))
            shots.append(_Shot(row, facts, tuple(reasons)))
    nothing = f"it has no row {asked!r}" if asked else "it has no ranged row"
    return shots, tuple("; ".join(reasons) or nothing for reasons in why)


def _swept(
    shots: Sequence[_Shot], targets: Sequence[Target], categories: NDArray[np.int64], ruleset: Ruleset,
    progress: Progress | None, threads: int,
) -> NDArray[np.void]:  # fmt: skip
    """The summaries of every shot on every target: shape (shots, targets)."""
    attacks = np.array([shot.facts for shot in shots], ATTACK)
    facts = np.array([target_record(target) for target in targets], TARGET)
    possible = np.array([[reason is None for reason in shot.reasons] for shot in shots], np.bool_)
    possible = possible.reshape(-1, len(CATEGORIES))[:, categories]
    die, deck = np.array(ruleset.die.faces, np.int64), ruleset.deck.counts()
    summaries = np.empty((len(shots), len(targets)), SUMMARY)
    for start in range(0, len(shots), _SLICE):
        part = slice(start, start + _SLICE)
        summaries[part] = sweep(attacks[part], facts, possible[part], die, deck, threads=threads)
        if progress is not None:
            progress(min(start + _SLICE, len(shots)), len(shots))
    return summaries


def _frame(
    attackers: Sequence[Loadout], defenders: Sequence[Loadout], situations: Sequence[Situation],
    targets: Sequence[Target], categories: NDArray[np.int64], shots: Sequence[_Shot], choices: Sequence[_Choice],
    summaries: NDArray[np.void],
) -> pd.DataFrame:  # fmt: skip
    """The tidy table; every array in it starts as (attackers, defenders, situations)."""
    shape = (len(attackers), len(defenders), len(situations))
    columns = _names_of(attackers, "attacker", (shape, 0)) | _names_of(defenders, "defender", (shape, 1))
    columns["defender_models"] = _spread([each.models for each in targets], shape, 1)
    columns["defender_category"] = _spread([each.category for each in targets], shape, 1)
    columns["situation"] = _spread([each.name for each in situations], shape, 2)
    chosen = _chosen(choices, summaries, shape)
    columns |= _rows_and_dice(chosen, shots, categories, targets)
    columns["method"] = np.full(chosen.size, METHOD, object)
    best = np.full(shape, np.nan).astype(SUMMARY)
    attacker, defender, situation = np.nonzero(chosen >= 0)
    best[attacker, defender, situation] = summaries[chosen[attacker, defender, situation], defender]
    columns |= _figures(best, attackers, defenders, targets)
    reasons = np.array([choice.reasons for choice in choices], object)
    why = reasons.reshape(shape[0], shape[2], -1)[:, :, categories].transpose(0, 2, 1)
    columns["why_not"] = np.where(chosen < 0, why, np.array(None)).ravel()
    return pd.DataFrame(columns).astype(dict.fromkeys(_WHOLE_NUMBERS, "Int64"))


_WHOLE_NUMBERS = ("attacker_points", "defender_points", "defender_models", "dice")


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


def _chosen(choices: Sequence[_Choice], summaries: NDArray[np.void], shape: tuple[int, int, int]) -> NDArray[np.int64]:
    """The place of the best shot, -1 where there is none: shape (attackers, defenders, situations)."""
    best = np.full((len(choices), shape[1]), -1, np.int64)
    for place, choice in enumerate(choices):
        of_these = best_of(summaries[choice.start : choice.stop])
        best[place] = np.where(of_these < 0, -1, of_these + choice.start)
    return best.reshape(shape[0], shape[2], shape[1]).transpose(0, 2, 1)


def _rows_and_dice(
    chosen: NDArray[np.int64], shots: Sequence[_Shot], categories: NDArray[np.int64], targets: Sequence[Target]
) -> dict[str, NDArray[Any]]:
    """The row that fires and the dice it rolls, which a target's category can decide (Shock, Wreckers)."""
    one_of = {int(category): target_record(target) for category, target in zip(categories, targets)}
    dice = np.zeros((len(shots) + 1, len(CATEGORIES)), object)
    for place, shot in enumerate(shots):
        for category, target in one_of.items():
            dice[place, category] = attack_dice(shot.facts, target)
    dice[-1] = None  # where -1 points
    rows = np.array([*(shot.row.id for shot in shots), None], object)
    return {"row": rows[chosen].ravel(), "dice": dice[chosen, categories[None, :, None]].ravel()}


def _figures(
    best: NDArray[np.void], attackers: Sequence[Loadout], defenders: Sequence[Loadout], targets: Sequence[Target]
) -> dict[str, NDArray[np.float64]]:
    """Every figure of METRICS; `best` has shape (attackers, defenders, situations)."""
    figures = {name: best[name] for name in SUMMARY.names or ()}
    ratings = _numbers([each.level.victory_points for each in defenders])
    worth = _numbers([each.level.points for each in defenders]) / _numbers([each.models for each in targets])
    figures["expected_victory_points"] = figures["p_annihilated"] * ratings[None, :, None]
    figures["expected_points_destroyed"] = figures["mean_models_destroyed"] * worth[None, :, None]
    # A unit that costs nothing has no efficiency.
    hundreds = _numbers([each.level.points or None for each in attackers])[:, None, None] / 100
    figures |= {name + PER_100_POINTS: figures[name] / hundreds for name in FIGURES}
    return {name: figures[name].ravel() for name in METRICS}


def _numbers(values: Sequence[int | None]) -> NDArray[np.float64]:
    return np.array(values, np.float64)  # None becomes NaN


def _not_modelled(attackers: Iterable[Loadout], defenders: Iterable[Loadout]) -> tuple[NotModelled, ...]:
    """What the profiles of both sides carry that no figure is computed from, by name."""
    found: dict[str, dict[str, None]] = {}
    terms: dict[str, Term | None] = {}
    for unit in {(each.faction, each.unit.id): each.unit for each in attackers}.values():
        written = [quality for row in unit.rows if row.kind == "ranged" for quality in row.qualities]
        _note(unit.name, tuple(written), QUALITIES, found, terms)
    for unit in {(each.faction, each.unit.id): each.unit for each in (*attackers, *defenders)}.values():
        _note(unit.name, unit.rules, SPECIAL_RULES, found, terms)
    return tuple(NotModelled(name, _touches(terms[name]), tuple(found[name])) for name in sorted(found))


def _note(
    unit: str, written: tuple[str, ...], table: Mapping[str, Term], found: dict[str, dict[str, None]],
    terms: dict[str, Term | None],
) -> None:  # fmt: skip
    for named in names(written, table):
        term = table.get(named.name)
        if term is None or not term.side:
            terms.setdefault(named.name, term)
            found.setdefault(named.name, {})[unit] = None


def _touches(term: Term | None) -> str:
    return "not known to this program" if term is None else term.touches


def by_unit(frame: pd.DataFrame) -> pd.DataFrame:
    """Units instead of loadouts: every figure of METRICS as its mean over all pairs of levels.

    Parameters
    ----------
    frame : DataFrame
        As of :func:`matchups`.

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
    keys = ["attacker", "attacker_unit", "defender", "defender_unit", "situation", "method"]
    means = units.groupby(keys, sort=False)[[*figures, "why_not"]].agg(
        {**dict.fromkeys(figures, "mean"), "why_not": "first"}
    )
    found = means.reset_index()
    found["attacker_level"] = found["defender_level"] = ALL_LEVELS
    found["why_not"] = found["why_not"].where(found[figures[0]].isna(), None)
    return found
