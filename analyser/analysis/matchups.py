"""Matchups of many attackers and many defenders: exact fights of all pairs as one tidy table."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from analyser import plots
from analyser.analysis.fight_cache import FightCache
from analyser.analysis.grid import (
    METHOD,
    TARGET_STATE,
    TWO_SIDED_FIGURES,
    DefendingSide,
    NotModelled,
    by_unit,
    compute_grid,
    not_modelled,
)
from analyser.analysis.selection import Selectors, check_row, loadouts
from analyser.analysis.situations import LONG_RANGE, SHORT_RANGE_AIMED, SITUATIONS, Situation, situations_named
from analyser.common.answer import Block, FramedAnswer, notebook_html, plain_rows
from analyser.common.errors import InputError, check_choice
from analyser.common.estimates import CERTAIN_WITHIN
from analyser.common.means import Mean
from analyser.common.method_settings import Progress, Sampling
from analyser.common.metrics import (
    RESULT_METRICS,
    MetricLike,
    checked_metric,
    figure_text,
    function_of,
    metric_by_name,
)
from analyser.common.text import WIDTH, column_parts, counted, mid_sentence
from analyser.game.keywords import RANGED_ATTACK
from analyser.game.names import loadout_name
from analyser.game.profiles import ProfilesLike, ProfilesUsed, library_of
from analyser.game.ruleset import Ruleset
from analyser.game.units import Loadout
from analyser.results.attack import result_without_rules
from analyser.results.user_metrics import value_of
from analyser.scenarios.attack import Scenario
from analyser.scenarios.resolve import find_row, resolve_attack, resolve_target

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_ASSUMPTIONS = (
    "Every unit has all the models of its level and no damage, and no unit is suppressed or disordered.",
    "Targets are in the formation of their type, without cover, far from their table edge, without a commander nearby; "
    "in open formation the officer falls last.",
    "Every attack comes from the target's front: Resilient (Front) counts.",
    "Attackers see their target themselves. They are not in a building, not reloading, have not advanced, and fire no "
    "opportunity fire; Overcharge, carriages and command re-rolls are not used.",
    "Expected points destroyed are the target's points times the share of its models that are destroyed, without "
    "models that are lost because the unit breaks. Expected victory points include every kind of annihilation.",
    "A charge is one close quarters combat in the open against a unit that has not been activated, without "
    "outflanking, support or threats. Losses are those before the target's test; the probabilities include the test. "
    "For the charger only the mean share lost is given. If a unit breaks, damage on a model that was not "
    "destroyed is not counted.",
)
_DUEL_ASSUMPTION = (
    "A duel is six rounds of two units without distance or terrain (AC-9.2); the attacker acts first in each. A unit "
    "shoots if it has a row that can attack its enemy, else charges if it may, else takes cover. The figures are the "
    "defender's losses and the winner by victory points; a unit without a victory-point value counts as 1."
)

MOST_LOADOUTS = 24  # loadouts on a side of a picture; with more, it shows units, as means over their levels
MOST_SHOWN = 40  # largest number of attackers, and of defenders, in plain text


def assumptions_of(situations: Sequence[Situation]) -> tuple[str, ...]:
    """Return the assumptions of fights in these situations."""
    return (*_ASSUMPTIONS, *([_DUEL_ASSUMPTION] if any(situation.fight.has_winner for situation in situations) else []))


@dataclass(frozen=True, eq=False, repr=False)
class Matchups(FramedAnswer):
    """Fights of every attacker with every defender.

    Attributes
    ----------
    frame : DataFrame
        One row for each fight, as :func:`matchups` describes.
    row : str or None
        The stated row of armaments; None for the best row.
    metric : str
        Figure that pictures and texts show by default.
    """

    frame: pd.DataFrame
    attackers: tuple[Loadout, ...]
    defenders: tuple[Loadout, ...]
    situations: tuple[Situation, ...]
    row: str | None
    metric: str
    ruleset: Ruleset
    not_modelled: tuple[NotModelled, ...]
    profiles: ProfilesUsed

    schema = "analyser/matchups/1"

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Assumptions of the answer; dice and deck first."""
        return (self.ruleset.assumption, *assumptions_of(self.situations))

    @property
    def warnings(self) -> tuple[str, ...]:
        """Situations in which the metric has no value."""
        without = [situation.name for situation in self.situations if not _has_metric(situation, self.metric)]
        return (f"{self.metric} has no value in {', '.join(without)}",) if without else ()

    @property
    def headline(self) -> str:
        means = self.frame.groupby("attacker", sort=False)[self.metric].mean()
        title = mid_sentence(metric_by_name(self.metric).title)
        if self.frame["why_not"].notna().all():
            return "No attacker can fight any of the defenders."
        if means.isna().all():
            return f"No pair has a value of {title}."
        tied = means.index[means >= means.max() - CERTAIN_WITHIN * max(1.0, abs(means.max()))]
        points = self.frame.groupby("attacker")["attacker_points"].first().astype(float).fillna(np.inf)
        best, all_attackers = loadout_name(points[tied].idxmin()), counted(len(means), "attacker")
        if len(tied) > 1:
            number = "All" if len(tied) == len(means) else f"{len(tied)} of"
            return f"{number} {all_attackers} tie by {title}; the cheapest is {best}."
        return f"{best} leads {all_attackers} by {title}."

    def _body(self) -> dict[str, Any]:
        return {
            "method": METHOD,
            "metric": self.metric,
            "situations": [situation.name for situation in self.situations],
            "row": self.row,
            **self.profiles.fight_entries(),
            "matchups": plain_rows(self.frame),
            "assumptions": list(self.assumptions),
            "not_modelled": [rule._asdict() for rule in self.not_modelled],
            "warnings": list(self.warnings),
        }

    def pivot(self, *, metric: MetricLike | None = None) -> pd.DataFrame:
        """Return a table of one figure: attackers as the rows, defenders as the columns; NaN if a pair cannot fight.

        With several situations the columns have two levels, the situation above the defender.

        Parameters
        ----------
        metric : str or callable, optional
            A column of :data:`~analyser.common.metrics.MATCHUP_METRICS`, or for ranged attacks a function of their
            outcomes (:func:`analyser.metric`). Default: :attr:`metric`.

        Examples
        --------
        >>> found = matchups("crown/rifle-platoon@*", "imperium/krupp@basic", situations=["long-range"])
        >>> found.pivot(metric="mean_models_destroyed").round(2)["imperium/krupp-field-guns@basic"].tolist()
        [1.68, 3.52, 3.94]
        """
        values = checked_metric(self.metric if metric is None else metric)
        table = self._with_metric(values).pivot(index="attacker", columns=["situation", "defender"], values=values)
        order = pd.MultiIndex.from_frame(self.frame[["situation", "defender"]].drop_duplicates())
        table = table.reindex(index=self.frame["attacker"].unique(), columns=order)
        return table.droplevel("situation", axis=1) if len(self.situations) == 1 else table

    def impossible(self) -> pd.DataFrame:
        """Return the pairs that cannot fight: attacker, defender, situation, and `why_not`."""
        blank = self.frame[self.frame["why_not"].notna()]
        return blank[["attacker", "defender", "situation", "why_not"]].reset_index(drop=True)

    def heatmap(
        self, *, metric: MetricLike | None = None, situation: str | None = None, ax: Axes | None = None, **more: Any
    ) -> Axes:
        """Draw one figure of one situation (default: the first that has it), with the value in each cell.

        With more than :data:`MOST_LOADOUTS` loadouts on a side the picture shows units, as means over their levels.
        `metric` is as in :meth:`pivot`, `ax` and others as in :func:`analyser.plots.heatmap`.
        """
        if situation is not None:
            check_choice(situation, "situation", [one.name for one in self.situations])
        values = checked_metric(metric or self.metric)
        wanted = [one for one in self.situations if situation in (None, one.name)]
        shown = self._with_metric(values, first_with_metric(wanted, values).name)
        if max(len(self.attackers), len(self.defenders)) > MOST_LOADOUTS:
            shown = by_unit(shown)
        return plots.heatmap(shown, values=values, ax=ax, **more)

    def _with_metric(self, metric: str, situation: str | None = None) -> pd.DataFrame:
        frame = self.frame if situation is None else self.frame[self.frame["situation"] == situation]
        if metric in frame:
            return frame
        return with_user_metric(frame, (*self.attackers, *self.defenders), self.situations, self.ruleset, metric)

    plot = heatmap

    def blocks(self) -> list[Block]:
        width = max(shutil.get_terminal_size((WIDTH, MOST_SHOWN)).columns, WIDTH)
        attackers, defenders = (
            [loadout.selector for loadout in side[:MOST_SHOWN]] for side in (self.attackers, self.defenders)
        )
        blocks = [Block(lines=self._heading())]
        for situation in self.situations:
            part = self.frame[self.frame["situation"] == situation.name]
            table = part.pivot(index="attacker", columns="defender", values=self.metric)
            cells = table.reindex(index=attackers, columns=defenders).map(lambda value: figure_text(self.metric, value))
            columns = [[str(number), *cells[name]] for number, name in enumerate(defenders, 1)]
            parts = column_parts(["", *attackers], columns, width)
            blocks += [Block(f"{situation.heading}:", head, rows, "<>") for head, *rows in parts]
        legend = [(str(number), name) for number, name in enumerate(defenders, 1)]
        return [*blocks, Block(rows=legend, align="><")]

    def notes(self) -> list[str]:
        notes = [*self.profiles.notes(), *(f"Warning: {text}." for text in self.warnings)]
        if max(len(self.attackers), len(self.defenders)) <= MOST_SHOWN:
            return notes
        sides = f"Of {len(self.attackers)} attackers and {len(self.defenders)} defenders"
        return [*notes, "", f"{sides} the first {MOST_SHOWN} of each are shown; --format csv has all."]

    def _repr_html_(self) -> str:
        table = self.pivot().map(lambda value: figure_text(self.metric, value)).to_html(border=0)
        return notebook_html([Block(lines=self._heading())], []) + table + notebook_html([], self.notes())

    def _heading(self) -> list[str]:
        blank = int(self.frame["why_not"].notna().sum())
        why = f"{blank} of {len(self.frame)} pairs cannot fight: the column why_not and impossible() say why."
        return [f"{metric_by_name(self.metric).title} ({METHOD})", *([why] if blank else [])]


def matchups(
    attackers: Selectors,
    defenders: Selectors,
    *,
    metric: MetricLike = "p_annihilated",
    per_points: bool = False,
    situations: str | Situation | Sequence[Situation | str] = (LONG_RANGE, SHORT_RANGE_AIMED),
    row: str | None = None,
    threads: int | None = None,
    profiles: ProfilesLike | None = None,
    progress: Progress | bool | None = None,
) -> Matchups:
    """Compute one fight of every attacker with every defender in every situation, exactly.

    Parameters
    ----------
    attackers, defenders : str, Loadout, or several of them
        Selectors may have wildcards: ``crown/*`` is every unit at every level.
    metric : str or callable
        Figure that :meth:`Matchups.pivot` and :meth:`Matchups.heatmap` show: a column of
        :data:`analyser.common.metrics.MATCHUP_METRICS`, or for ranged attacks a function of their outcomes
        (:func:`analyser.metric`). The frame has all built-in figures, too.
    per_points : bool
        Show the figure per 100 points of the attacker; only for means and expected values.
    situations : str, Situation, or several of them
        ``"long-range"``, ``"short-range-aimed"``, ``"charge"``, ``"duel"``, ``"all"`` of these, or your own
        (:class:`analyser.analysis.situations.Situation`).
    row : str, optional
        Row of armaments to use. Default: against each target the row with the highest mean of models destroyed. Ties
        are decided by the probability of annihilation, then the mean damage, then the order on the profile.
    threads : int, optional
        Default: one for each processor (the result is the same).
    profiles : Profiles or path, optional
        As in :func:`analyser.attack`.
    progress : callable or True, optional
        Called with the attackers done and their total, both summed over the situations. True shows a bar.

    Returns
    -------
    Matchups
        The frame has one row for each attacker, defender and situation, in that order, with the figures of
        :data:`~.metrics.MATCHUP_METRICS`. For a pair that cannot fight, `why_not` is the reason and the figures are
        NaN. Figures that need points or victory points are NaN, too, if the profile lacks these.

    Examples
    --------
    >>> found = matchups("crown/rifle-platoon@basic", "imperium/*@basic", situations=["long-range"])
    >>> first = found.frame.iloc[0]
    >>> first["defender_unit"], first["row"], round(float(first["mean_models_destroyed"]), 3)
    ('Scion Grenadier Command Platoon', 'ranged-light', 2.018)
    """
    shown = checked_metric(metric, per_points=per_points)
    sampling = Sampling("exact", threads=threads, progress=progress)
    library = library_of(profiles)
    attacking, defending = loadouts(attackers, library), loadouts(defenders, library)
    conditions = situations_named(situations)
    first_with_metric(conditions, shown)
    check_row(row, attacking)
    side = DefendingSide(defending, library.ruleset, row, sampling.n_threads)
    with sampling.with_bar() as reporting:
        frame = compute_grid(attacking, side, conditions, reporting.report, FightCache(attacking, side))
    missing = not_modelled(attacking, defending, conditions)
    result = Matchups(frame, attacking, defending, conditions, row, shown, library.ruleset, missing, library.used)
    return replace(result, frame=result._with_metric(shown))


def _has_metric(situation: Situation, metric: str) -> bool:
    is_ranged = situation.fight.occasion == RANGED_ATTACK
    if metric in RESULT_METRICS:
        return situation.fight.has_winner
    return is_ranged if function_of(metric) else not (is_ranged and metric in TWO_SIDED_FIGURES)


def first_with_metric(situations: Sequence[Situation], metric: str) -> Situation:
    """Return the first situation in which a metric has values; InputError if it has none in any."""
    found = next((situation for situation in situations if _has_metric(situation, metric)), None)
    if found is None:
        names = [situation.name for situation in SITUATIONS.values() if _has_metric(situation, metric)]
        problem = f"{metric} has no value in {', '.join(situation.name for situation in situations)}"
        raise InputError(problem, where="metric", allowed=f"with the situation {' or '.join(names)}")
    return found


def matchups_after_edit(
    earlier: Matchups,
    attackers: Sequence[Loadout],
    defenders: Sequence[Loadout],
    *,
    ruleset: Ruleset | None = None,
    used: ProfilesUsed | None = None,
    threads: int | None = None,
    progress: Progress | bool | None = None,
) -> Matchups:
    """Return the table for edited loadouts, with all unchanged fights copied from the `earlier` table.

    By default `ruleset` and `used` (the source of profiles) are those of `earlier`. Another ruleset
    changes every fight.

    Examples
    --------
    >>> found = matchups("crown/rifle-platoon@basic", "imperium/*@basic", situations="charge")
    >>> cheaper = [loadout.with_(points="-5") for loadout in found.attackers]
    >>> after = matchups_after_edit(found, cheaper, found.defenders).frame  # without a new fight
    >>> int(after["attacker_points"].iloc[0] - found.frame["attacker_points"].iloc[0])
    -5
    """
    rules = earlier.ruleset if ruleset is None else ruleset
    sampling = Sampling("exact", threads=threads, progress=progress)
    defending = DefendingSide(tuple(defenders), rules, earlier.row, sampling.n_threads)
    cache = FightCache(attackers, defending, earlier=earlier if rules == earlier.ruleset else None)
    with sampling.with_bar() as reporting:
        frame = compute_grid(attackers, defending, earlier.situations, reporting.report, cache)
    return replace(
        earlier,
        frame=frame,
        attackers=tuple(attackers),
        defenders=defending.defenders,
        ruleset=rules,
        not_modelled=not_modelled(attackers, defenders, earlier.situations),
        profiles=used or earlier.profiles,
    )


def with_user_metric(
    frame: pd.DataFrame,
    loadouts: Sequence[Loadout],
    situations: Sequence[Situation],
    ruleset: Ruleset,
    name: str,
) -> pd.DataFrame:
    """Add the column of a user metric, NaN except for ranged attacks; InputError if it has no value at all."""
    first_with_metric(situations, name)
    function = function_of(name)
    assert function is not None
    by_selector = {loadout.selector: loadout for loadout in loadouts}
    ranged = {situation.name: situation for situation in situations if situation.fight.occasion == RANGED_ATTACK}
    values = np.full(len(frame), np.nan)
    columns = zip(frame["attacker"], frame["defender"], frame["situation"], frame["row"])
    for index, (attacker, defender, situation, row) in enumerate(columns):
        if pd.notna(row) and situation in ranged:
            scenario = _attack(by_selector[attacker], by_selector[defender], ranged[situation], row, ruleset)
            value = value_of(result_without_rules(scenario), function, name)
            values[index] = value.value if isinstance(value, Mean) else value
    if np.isnan(values).all() and frame["row"].notna().any():
        raise InputError(f"{name} is NaN for every pair", where="metric", allowed="a function that returns numbers")
    return frame.assign(**{name: values})


def _attack(attacker: Loadout, defender: Loadout, situation: Situation, row_id: str, ruleset: Ruleset) -> Scenario:
    """Return the scenario of one attack of a frame; `row_id` names the row of armaments."""
    row = find_row(attacker.unit.rows, row_id, "row")
    target = resolve_target(TARGET_STATE, defender)
    attack = resolve_attack(situation.attack(row), attacker, row)
    scenario = Scenario(attack, target, ruleset, attacker, defender)
    rating = attack.rating or scenario.rating_from_conditions()
    return scenario.with_same_fight(attack=attack.model_copy(update={"rating": rating}))
