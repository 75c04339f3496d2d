"""Many attackers on many defenders: a grid of fights as one tidy table, every figure exact."""

from __future__ import annotations

import html
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from analyser.analysis.frame import METHOD, NotModelled, by_unit, not_modelled, tidy
from analyser.analysis.grid import Cells, Field, one_above_the_other, side_of
from analyser.analysis.selection import Levels, Selectors, check_row, loadouts
from analyser.analysis.situations import LONG_RANGE, SHORT_RANGE_AIMED, Situation, situations_called
from analyser.common.errors import InputError, did_you_mean
from analyser.common.sampling import Progress, check_threads, default_threads
from analyser.game.profiles import ProfilesLike, ProfilesUsed, library_of
from analyser.game.ruleset import Ruleset
from analyser.game.units import Loadout
from analyser.plots import heatmap, metrics
from analyser.plots.metrics import METRICS
from analyser.scenarios.resolve import resolve_target
from analyser.scenarios.schema import Target

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
    "A charge is one close quarters combat in the open against a unit that has not been activated; nobody outflanks, "
    "supports or threatens. Its figures are what the target suffers up to its test, and not what it costs the "
    "charger; damage left on a unit that broke is not among them.",
    "A duel is six rounds of two units without distance or terrain (AC-9.2); the attacker acts first in each. A unit "
    "shoots if it has a row for such targets, else charges if it may, else takes cover. Its figures are what the "
    "defender suffers, and who has won by victory points; a unit of unknown rating counts 1.",
)
"""What every attack of a comparison takes for granted."""

MOST_LOADOUTS = 24  # on a side, in one readable picture; of more, units are shown, as means over their levels
MOST_SHOWN = 40  # attackers, and defenders, in plain text
WIDTH, LEAST_WIDTH = 120, 60  # characters of a line: where no terminal says, and at least
AT_ONCE = 8  # attackers between two reports of progress


@dataclass(frozen=True, eq=False, repr=False)
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
    metric : str
        The figure that is shown unless another is asked for.
    ruleset : Ruleset
    not_modelled : tuple of NotModelled
    assumptions : tuple of str
    profiles : ProfilesUsed or None
    """

    frame: pd.DataFrame
    attackers: tuple[Loadout, ...]
    defenders: tuple[Loadout, ...]
    situations: tuple[Situation, ...]
    row: str | None
    metric: str
    ruleset: Ruleset
    not_modelled: tuple[NotModelled, ...]
    assumptions: tuple[str, ...] = ASSUMPTIONS
    profiles: ProfilesUsed | None = None

    def to_frame(self) -> pd.DataFrame:
        """The tidy table, as a copy."""
        return self.frame.copy()

    def pivot(self, *, metric: str | None = None) -> pd.DataFrame:
        """One figure: attackers as the rows, defenders as the columns.

        Parameters
        ----------
        metric : str, optional
            A column of :data:`analyser.plots.metrics.METRICS`; default: the metric of this comparison.

        Returns
        -------
        DataFrame
            NaN where they cannot fight (:meth:`impossible` says why). Of several situations the columns have two
            levels, the situation above the defender.

        Examples
        --------
        >>> found = matchups("crown/rifle-platoon@*", "imperium/krupp@basic", situations=["long-range"])
        >>> found.pivot(metric="mean_models_destroyed").round(2)["imperium/krupp-field-guns@basic"].tolist()
        [1.68, 3.52, 3.94]
        """
        name = metric or self.metric
        metrics.metric(name)
        columns = ["defender"] if len(self.situations) == 1 else ["situation", "defender"]
        table = self.frame.pivot(index="attacker", columns=columns, values=name)
        order = self.frame[columns].drop_duplicates()
        wanted = pd.MultiIndex.from_frame(order) if len(columns) > 1 else pd.Index(order["defender"], name="defender")
        return table.reindex(index=self.frame["attacker"].unique(), columns=wanted)

    def impossible(self) -> pd.DataFrame:
        """The pairs that cannot fight: attacker, defender, situation, and `why_not`."""
        blank = self.frame[self.frame["why_not"].notna()]
        return blank[["attacker", "defender", "situation", "why_not"]].reset_index(drop=True)

    def heatmap(self, *, metric: str | None = None, situation: str | None = None, ax: Axes | None = None) -> Axes:
        """One figure of one situation as a picture, its cells annotated, cells that cannot be blank and hatched.

        Of more than :data:`MOST_LOADOUTS` loadouts on a side it shows units, as means over their levels.

        Parameters
        ----------
        metric : str, optional
            As of :meth:`pivot`.
        situation : str, optional
            Default: the first one.
        ax : Axes, optional
            As of :func:`analyser.plots.heatmap`.

        Raises
        ------
        InputError
            An unknown metric, or a situation that is not among those of this comparison.
        """
        names = [each.name for each in self.situations]
        if situation is not None and situation not in names:
            hint = did_you_mean(situation, names)
            raise InputError(f"no situation {situation!r}{hint}", where="situation", allowed=", ".join(names))
        shown = self.frame[self.frame["situation"] == (situation or names[0])]
        if max(len(self.attackers), len(self.defenders)) > MOST_LOADOUTS:
            shown = by_unit(shown)
        return heatmap(shown, metric=metric or self.metric, ax=ax)

    def __str__(self) -> str:
        """The figures as plain text, blank where they cannot fight; defenders by number, so that a line holds many."""
        defenders = {each.selector: str(number) for number, each in enumerate(self.defenders[:MOST_SHOWN], 1)}
        blocks = [self._heading()]
        width = max(shutil.get_terminal_size((WIDTH, MOST_SHOWN)).columns, LEAST_WIDTH)
        for situation in self.situations:
            part = self.frame[self.frame["situation"] == situation.name]
            table = part.pivot(index="attacker", columns="defender", values=self.metric)
            shown = table.reindex(index=part["attacker"].unique()[:MOST_SHOWN], columns=list(defenders))
            shown = shown.rename(columns=defenders).rename_axis(index=None, columns=None)
            blocks.append(f"{situation.name}\n{shown.to_string(float_format=_short, na_rep='', line_width=width)}")
        blocks.append("\n".join(f"{number:>3}  {selector}" for selector, number in defenders.items()))
        if max(len(self.attackers), len(self.defenders)) > MOST_SHOWN:
            sizes = f"{len(self.attackers)} attackers and {len(self.defenders)} defenders"
            blocks.append(f"Of {sizes} the first {MOST_SHOWN} each: pivot() has them all.")
        return "\n\n".join(blocks) + "\n"

    __repr__ = __str__  # a shell shows what is printed

    def _repr_html_(self) -> str:
        """The figures as a table of a notebook."""
        table = self.pivot().to_html(float_format=_short, na_rep="", border=0)
        return f"<p>{html.escape(self._heading())}</p>{table}"

    def _heading(self) -> str:
        blank = int(self.frame["why_not"].notna().sum())
        told = f"; {blank} of {len(self.frame)} pairs cannot fight: impossible() says why" if blank else ""
        used = "" if self.profiles is None else f"; profiles: {self.profiles}"
        return f"{METRICS[self.metric].title} ({METHOD}){told}{used}"


def matchups(
    attackers: Selectors,
    defenders: Selectors,
    *,
    metric: str = "p_annihilated",
    per_points: bool = False,
    situations: Sequence[Situation | str] = (LONG_RANGE, SHORT_RANGE_AIMED),
    row: str | None = None,
    levels: Levels = None,
    profiles: ProfilesLike | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
) -> Matchups:
    """One attack of every attacker on every defender in every situation, exactly.

    Parameters
    ----------
    attackers, defenders : str, Loadout, or several of them
        Selectors may have wildcards: ``crown/*`` is every unit at every level.
    metric : str
        The figure that :meth:`Matchups.pivot` and :meth:`Matchups.heatmap` show: a column of
        :data:`analyser.plots.metrics.METRICS`. All figures are in the frame.
    per_points : bool
        Show the figure per 100 points of the attacker; of means and expected figures only.
    situations : sequence of Situation or str
        ``"long-range"``, ``"short-range-aimed"``, ``"charge"``, ``"duel"``, or one of your own
        (:class:`analyser.analysis.situations.Situation`).
    row : str, optional
        The row to use. Default: on each target the one with the most expected models destroyed; of equals the one
        with the highest probability to annihilate, then the most expected damage, then the first on the card.
    levels : str or several, optional
        Only loadouts at these reinforcement levels, on both sides. Default: at all levels.
    profiles : Profiles, optional
        Default: the shipped ones, and the shipped ruleset.
    progress : callable, optional
        Called with the attackers worked out so far, once for each situation, and their number in all.
    threads : int, optional
        Default: as many as there are processors. The figures do not depend on it.

    Returns
    -------
    Matchups
        Its frame has one row for each attacker, defender and situation, in that order: `attacker`, `attacker_unit`,
        `attacker_level`, `attacker_points`, the same of the defender, `defender_models`, `defender_category`,
        `situation`, `row`, `dice`, `method` (``"exact"``), the figures of :data:`~analyser.plots.metrics.METRICS`,
        means and expected ones also per 100 points of the attacker (`p_attacker_wins` and `p_draw` are of duels alone,
        NaN in other situations), and `why_not`. Where they cannot fight `why_not` says why and the figures are NaN; so
        are figures that need points or victory points that a profile does not give.

    Raises
    ------
    InputError
        A selector that fits nothing, an unknown metric, level or situation, no situation, or a row that no attacker
        has.

    Examples
    --------
    >>> found = matchups("crown/rifle-platoon@basic", "imperium/*@basic", situations=["long-range"])
    >>> first = found.frame.iloc[0]
    >>> first["defender_unit"], first["row"], round(float(first["mean_models_destroyed"]), 3)
    ('Scion Grenadier Command Platoon', 'ranged-light', 2.018)
    """
    shown = metrics.metric_chosen(metric, per_points=per_points)
    check_threads(threads)
    library = library_of(profiles)
    ruleset = library.ruleset
    attacking, defending = loadouts(attackers, library, levels), loadouts(defenders, library, levels)
    conditions = situations_called(situations)
    check_row(row, attacking)
    field = field_of(defending, ruleset, row, threads or default_threads())
    return Matchups(
        frame=matchups_frame(attacking, field, conditions, progress),
        attackers=attacking,
        defenders=defending,
        situations=conditions,
        row=row,
        metric=shown,
        ruleset=ruleset,
        not_modelled=not_modelled(attacking, defending, conditions),
        profiles=library.used,
    )


def field_of(defenders: Sequence[Loadout], ruleset: Ruleset, row: str | None, threads: int) -> Field:
    """What attackers meet: the defenders, resolved, and what is the same for all fights."""
    targets = tuple(resolve_target(TARGET_STATE, each) for each in defenders)
    combatants = tuple(side_of(each) for each in defenders)
    return Field(tuple(defenders), targets, combatants, ruleset, row, threads)


def matchups_frame(
    attackers: Sequence[Loadout], field: Field, situations: Sequence[Situation], progress: Progress | None = None
) -> pd.DataFrame:
    """The frame of :func:`matchups`."""
    return tidy(attackers, field, situations, _cells(attackers, field, situations, progress))


def _cells(
    attackers: Sequence[Loadout], field: Field, situations: Sequence[Situation], progress: Progress | None
) -> list[Cells]:
    """The cells of each situation."""
    found = []
    for number, situation in enumerate(situations):
        parts = []
        for start in range(0, len(attackers), AT_ONCE):
            parts.append(situation.fight.cells(attackers[start : start + AT_ONCE], field, situation))
            if progress is not None:
                done = number * len(attackers) + min(start + AT_ONCE, len(attackers))
                progress(done, len(situations) * len(attackers))
        found.append(one_above_the_other(parts))
    return found


def _short(value: float) -> str:
    return f"{value:.3f}"
