"""Points, fair points and verdicts of loadouts that all fight each other, and the effect of an edit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from analyser.analysis import equilibrium_prices
from analyser.analysis.matchups import Matchups, matchups_after_edit
from analyser.analysis.mutual_losses import EXCHANGE_KINDS, exchange_of
from analyser.analysis.prices import Opponents, fair_points_in
from analyser.analysis.verdict import UNDECIDED, is_noise
from analyser.common.metrics import EFFICIENCY, number_text
from analyser.common.text import counted
from analyser.game.units import Loadout, unit_of

ARROW, DASH = " → ", "–"
MOST_NAMED = 3  # opponents named in a sentence
_EVEN_WITHIN = 1e-9  # smaller leads are rounding errors
_MATCHUP_CHANGES = {"opponent": "str", "before": "float", "after": "float", "change": "float", "changes_hands": "bool"}


class Standing(NamedTuple):
    """Columns of :func:`analyser.fair_points` for a loadout, and three more figures.

    `efficiency` is the mean of points destroyed per 100 points, over its shots and charges at other loadouts. `rank` is
    its position among the `n_ranked` loadouts of its role, by points divided by fair points; 1 is the most over-priced.
    """

    points: int | None
    efficiency: float
    fair_points: float
    fair_low: float
    fair_high: float
    under_probability: float
    over_probability: float
    verdict: str
    lean: str
    doubt: str
    why: str
    role: str
    rank: int | None
    n_ranked: int
    offence: float
    toughness: float

    @property
    def is_left_out(self) -> bool:
        """True for a loadout with neither fair points nor a verdict, whose leads are unknown."""
        return self.verdict == UNDECIDED and bool(np.isnan(self.fair_points))

    def as_dict(self) -> dict[str, Any]:
        fields = {"of" if name == "n_ranked" else name: value for name, value in self._asdict().items()}
        return {name: None if pd.isna(value) else value for name, value in fields.items()}


class Standings:
    """Loadouts that all fight each other, and the standing of each (``standings[selector]``)."""

    def __init__(self, table: Matchups, opponents: Opponents | None = None) -> None:
        self.table = table
        self._exchange = exchange_of(table.frame, table.attackers, table.situations, table.ruleset)
        self.prices = fair_points_in(table, exchange=self._exchange, opponents=opponents)

    def with_(self, changed: Iterable[Loadout], threads: int | None = None) -> Standings:
        """Return the standings after `changed` loadouts replace those with equal selectors; only these fight again."""
        by_selector = {loadout.selector: loadout for loadout in (*self.table.attackers, *changed)}
        loadouts = list(by_selector.values())
        table = matchups_after_edit(self.table, loadouts, loadouts, threads=threads)
        return Standings(table, self.prices.opponents)

    @property
    def conditions(self) -> dict[str, Any]:
        """Conditions of the prices, as fields of :class:`~.prices.JudgedAnswer`."""
        return {name: getattr(self.prices, name) for name in ("situations", "profiles", "opponents")}

    @cached_property
    def leads(self) -> pd.DataFrame:
        """Lead of the row over the column (:func:`.equilibrium_prices.leads`)."""
        gains = equilibrium_prices.leads(self._exchange.mean(), np.log(self._exchange.points))
        names = [loadout.selector for loadout in self._exchange.loadouts]
        return pd.DataFrame(gains, index=names, columns=names)

    @cached_property
    def _efficiency(self) -> pd.Series[Any]:
        exchanges = {situation.name for situation in self.table.situations if situation.kind in EXCHANGE_KINDS}
        frame = self.table.frame
        wanted = frame["situation"].isin(exchanges) & frame["attacker"].ne(frame["defender"])
        attacks = frame.loc[wanted, ["attacker", EFFICIENCY]]
        return attacks.groupby("attacker", sort=False)[EFFICIENCY].mean()

    @cached_property
    def _rows(self) -> pd.DataFrame:
        return self.prices.frame.set_index("loadout")

    @property
    def verdicts(self) -> pd.Series[str]:
        """Verdict on each loadout, by selector."""
        return self._rows["verdict"]

    def price_cap(self, selector: str) -> int | None:
        """Return the points of a better loadout, at or above which this one is over-priced; None if none is better."""
        at_most = float(self._rows["at_most"].loc[selector])
        return None if np.isnan(at_most) else int(at_most)

    def __getitem__(self, selector: str) -> Standing:
        row: Mapping[Any, Any] = self._rows.loc[selector].to_dict()
        peers = self._rows[self._rows["role"] == row["role"]]["points_over_fair"].dropna()
        ratio = row["points_over_fair"]
        facts = {name: row[name] for name in Standing._fields if name in row}
        return Standing(
            **facts | {"points": None if pd.isna(row["points"]) else int(row["points"])},
            efficiency=float(self._efficiency.get(selector, np.nan)),
            rank=None if np.isnan(ratio) else 1 + int((peers > ratio * (1 + _EVEN_WITHIN)).sum()),
            n_ranked=len(peers),
        )


def matchup_changes(before: Standings, after: Standings, selector: str) -> pd.DataFrame:
    """Return the lead of a loadout (-1 to 1) over each opponent before and after an edit, the worst change first."""
    if not all(selector in table.leads.index for table in (before, after)):
        return pd.DataFrame({name: pd.Series(dtype=kind) for name, kind in _MATCHUP_CHANGES.items()})
    opponents = before.leads.index.intersection(after.leads.index, sort=False).drop(selector)
    old, new = (table.leads.loc[selector].loc[opponents].to_numpy(np.float64) for table in (before, after))
    result = pd.DataFrame({"opponent": opponents, "before": old, "after": new, "change": new - old})
    result["changes_hands"] = (np.minimum(old, new) < -_EVEN_WITHIN) & (np.maximum(old, new) > _EVEN_WITHIN)
    return result.sort_values(["change", "opponent"], ignore_index=True)[list(_MATCHUP_CHANGES)]


def keep_verdict_within_noise(old: Standing, new: Standing) -> Standing:
    """Return `new`, but with the old verdict if the two verdicts differ only by noise (:func:`~.verdict.is_noise`).

    >>> old = Standing(60, 95.2, 70, 60, 80, 0.61, 0.0, "under-priced", "", "", "", "infantry", 9, 9, 1.2, 1.0)
    >>> new = [old._replace(under_probability=p, verdict="undecided") for p in (0.58, 0.55)]
    >>> [keep_verdict_within_noise(old, standing).verdict for standing in new]
    ['under-priced', 'undecided']
    """
    before, after = ((one.verdict, one.under_probability, one.over_probability) for one in (old, new))
    return new._replace(verdict=old.verdict, doubt=old.doubt) if is_noise(before, after) else new


class LeadChanges(NamedTuple):
    """Opponents over which a loadout gains or loses the lead by an edit."""

    gained: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()

    def __str__(self) -> str:
        count = len(self.gained) + len(self.lost)
        if not count:
            return "no matchup changes hands"
        sides = (("ahead of", self.gained), ("behind", self.lost))
        sentences = "; ".join(f"now {relation} {_first_unit_names(names)}" for relation, names in sides if names)
        return f"{counted(count, 'matchup')} change{'' if count > 1 else 's'} hands ({sentences})"


def matchups_with_new_leader(changes: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of :func:`matchup_changes` whose leader changes, the largest changes first."""
    result = changes[changes["changes_hands"]]
    return result.iloc[np.argsort(-result["change"].abs(), kind="stable")]


def lead_changes_of(changes: pd.DataFrame) -> LeadChanges:
    """Return the opponents over which the loadout gains or loses the lead, from :func:`matchup_changes`."""
    result = matchups_with_new_leader(changes)
    return LeadChanges(*(tuple(result.loc[result["after"] * sign > 0, "opponent"]) for sign in (1, -1)))


def _first_unit_names(selectors: Sequence[str]) -> str:
    units = list(dict.fromkeys(map(unit_of, selectors)))
    more = [f"{counted(len(units) - MOST_NAMED, 'more unit')}"] if len(units) > MOST_NAMED else []
    return ", ".join([*units[:MOST_NAMED], *more])


def change_sentence(selector: str, old: Standing, new: Standing, leads: LeadChanges) -> str:
    """Return the effect of an edit on a loadout, in one sentence."""
    points = ("no" if standing.points is None else str(standing.points) for standing in (old, new))
    parts = [f"{before_and_after(*points)} points"]
    fair = before_and_after(*(short_figure(standing.fair_points) for standing in (old, new)))
    parts += [f"fair {fair}"] if fair != DASH else []
    efficiency = before_and_after(*(_efficiency_text(standing.efficiency) for standing in (old, new)))
    missing = "no attacks" if old.points and new.points else "no efficiency"
    parts.append(f"efficiency {efficiency}" if efficiency != DASH else missing)
    verdict = before_and_after(old.verdict, new.verdict) if old.verdict != new.verdict else f"still {new.verdict}"
    parts.append(f"{verdict} ({new.doubt})" if new.doubt and old.verdict != new.verdict else verdict)
    has_no_leads = old.is_left_out or new.is_left_out
    return f"{selector}: {'; '.join([*parts, 'no matchup can be compared' if has_no_leads else str(leads)])}"


def lead_text(lead: float) -> str:
    """Return a lead as text.

    >>> lead_text(0.204), lead_text(-0.5), lead_text(0.0)
    ('20% ahead', '50% behind', 'even')
    """
    if abs(lead) < _EVEN_WITHIN:
        return "even"
    percent = round(100 * abs(lead))
    return f"{percent or '<1'}% {'ahead' if lead > 0 else 'behind'}"


def short_figure(value: float) -> str:
    """Return a figure as text for a sentence: whole numbers from 10; a dash for NaN."""
    return DASH if np.isnan(value) else f"{value:.0f}" if abs(value) >= 10 else number_text(value)


def _efficiency_text(efficiency: float) -> str:
    return f"{efficiency:.1f}" if 0.05 <= efficiency < 10 else short_figure(efficiency)


def before_and_after(old: str, new: str) -> str:
    """Return both texts with an arrow between them, or one if they are equal."""
    return new if old == new else f"{old}{ARROW}{new}"
