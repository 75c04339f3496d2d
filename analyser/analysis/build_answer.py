"""Answer of `build`: the best lists side by side, and their results in battles."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from analyser.analysis.built_lists import BattleRecord, BuiltList, army_lines, units_of
from analyser.common.answer import Answer, Block
from analyser.common.text import counted, fill, paragraphs
from analyser.game.army import Army
from analyser.game.names import faction_name
from analyser.game.profiles import ProfilesUsed

ASSUMPTIONS = (
    "The value of a list is the sum of the points that its units are expected to destroy in a round, and of their own "
    "points that are expected to survive it. Each unit of both sides acts once on a random enemy unit, drawn in "
    "proportion to points. Unlike battles, it leaves out distances, orders, passengers and interactions of units.",
    "Destroyed, broken and fled units lose all their points, other units their points times the share that is lost.",
    "At a distance both sides shoot; nearby each unit takes the better of a shot and a charge. If situations of both "
    "kinds are used, both kinds count equally.",
    "Lists have no boons of battlegroups, and their transports are empty.",
)
TYPICAL = (
    "The opponents' real armies are unknown. Each faction is represented by its best list of the same points "
    "against all units of {}, weighted equally. The lists: {}."
)
BATTLE_NOTE = (
    "Both sides look one activation ahead, and the order of the units in a list has no effect. The battles are divided "
    "into {}; all lists are played with the same random numbers. The score is the percentage of battles won, with a "
    "draw as half a win. By part: the lowest and the highest score of a part."
)
NO_BATTLES = "No battles: the units of the opponents make no legal list within {:,} points."
MOST_NAMED = 6  # opponents named in a heading


@dataclass(frozen=True, eq=False, repr=False)
class Build(Answer):
    """The best lists of a faction against given opponents.

    Attributes
    ----------
    lists : tuple of BuiltList
        The list with the highest value (no other list exceeds it by more than the share `gap`), then the next best. The
        value is the sum of the values of the units, and says little about wins in battle; see `battles` for these.
    least_points : int
        Fewest points of a list by its scale (FB-1).
    over : str
        Value that the search maximised: the ``mean`` over the opponents, or the ``worst`` case.
    opponents : tuple of str
        Opponents for the values: names of armies, or selectors of loadouts.
    least_difference : float
        Compared with each better list, a list lacks units worth at least this share of the better list's points.
    enemy_armies : tuple of Army
        Enemy armies of the battles: the stated armies, or the best list of each faction among the opponents.
    own : BuiltList, optional
        The user's own list.
    left_out : tuple of str
        Loadouts and options left out, with reasons.
    """

    faction: str
    points: int
    least_points: int
    scale: str
    lists: tuple[BuiltList, ...]
    over: str
    opponents: tuple[str, ...]
    least_difference: float
    most_battlegroups: int
    profiles: ProfilesUsed
    enemy_armies: tuple[Army, ...] = ()
    enemies_are_best_lists: bool = False
    own: BuiltList | None = None
    left_out: tuple[str, ...] = ()

    @property
    def battles(self) -> tuple[BattleRecord, ...]:
        """Battles of each list, in the order of `lists`; empty if none were simulated."""
        return tuple(built.battles for built in self.lists if built.battles is not None)

    @property
    def by_score(self) -> list[BuiltList]:
        """The lists by score in battles, the highest first; without battles in the order of `lists`."""
        return sorted(self.lists, key=lambda built: -built.score)

    @property
    def best(self) -> Army:
        """The list with the highest score in battles; without battles the list of the highest value."""
        return self.by_score[0].army

    @property
    def tied(self) -> tuple[str, ...]:
        """Names of the lists whose score does not differ significantly from the best score."""
        return tuple(built.army.name for built in self.by_score if built.battles and built.battles.is_tied)

    schema = "analyser/build/1"

    @property
    def headline(self) -> str:
        reason = "has the highest score in battles" if self.battles else "has the highest sum of unit values"
        return f"{self.best.name} {reason}, of the lists of {faction_name(self.faction)} with {self._limits}."

    @property
    def summary(self) -> dict[str, Any]:
        """Score of each list in battles; without battles its value."""
        result: dict[str, Any] = {}
        for built in self.lists:
            name, record = built.army.name, built.battles
            result |= {name: built.value} if record is None else record.interval_entries(name)
        return result

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each unit of each list."""
        rows = []
        for rank, built in enumerate(self.lists, 1):
            figures = {name: getattr(built, name) for name in ("value", "gap", "differs")}
            figures |= {} if built.battles is None else built.battles.figures()
            for unit in built.army.units:
                where = {"unit": unit.loadout.selector, "battlegroup": unit.battlegroup, "points": unit.points}
                rows.append({"rank": rank, "list": built.army.name} | figures | where)
        return rows

    @property
    def assumptions(self) -> tuple[str, ...]:
        return (*self.profiles.assumptions, *ASSUMPTIONS)

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        return {"units": self.to_frame()} | super().tables

    def _body(self) -> dict[str, Any]:
        names = ("faction", "points", "scale", "over", "most_battlegroups")
        return {
            "kind": "build",
            **{name: getattr(self, name) for name in names},
            "differ": self.least_difference,
            "opponents": list(self.opponents),
            **self.profiles.fight_entries(),
            "best": self.best.name,
            "tied": list(self.tied),
            "own": self._own_entries(),
            "lists": [built.as_dict() for built in self.lists],
            "enemy_armies": [
                {"name": army.name, "points": army.points, "units": units_of(army)} for army in self.enemy_armies
            ],
            "enemies_are_best_lists": self.enemies_are_best_lists,
            "left_out": list(self.left_out),
            "assumptions": list(self.assumptions),
        }

    def _own_entries(self) -> dict[str, Any] | None:
        if self.own is None:
            return None
        entries = {**self.own.as_dict(), "without_value": self.own.without_value}
        return {name: entry for name, entry in entries.items() if name not in ("gap", "units")}

    def blocks(self) -> list[Block]:
        first = self.lists[0]
        title = f"{self.title} ({self.scale}), against {self.against}"
        heading = f"{first.army.name}: {first.army.points:,} points, {proof_text(first)}"
        blocks = [
            Block(lines=[*fill(title), *fill(self.explanation)]),
            Block(heading, lines=army_lines(first.army)),
            self._values(),
        ]
        if self.battles:
            blocks.append(self._battles())
            shown = [] if self.best is first.army else [self.best]  # the first list is shown above
            shown += self.enemy_armies if self.enemies_are_best_lists else ()
            blocks += [Block(f"{army.name}: {army.points:,} points", lines=army_lines(army)) for army in shown]
        else:
            no_battles = fill(self.enemies) if self.enemies_are_best_lists else []
            blocks.append(Block(lines=fill(self.verdict) + no_battles))
        return blocks

    def notes(self) -> list[str]:
        return paragraphs(
            [
                [line for reason in self.left_out for line in fill(f"Left out: {reason}")],
                [f"Profiles: {self.profiles}."],
                [line for assumption in self.assumptions for line in fill(f"Assumption: {assumption}")],
            ]
        )

    def _values(self) -> Block:
        rows = []
        for built in [*self.lists, *([] if self.own is None else [self.own])]:
            figures = [_cell(figure, "{:.1f}") for figure in (built.value, built.destroyed, built.kept)]
            figures += [_cell(100 * built.gap, "{:.2g}%"), _cell(100 * built.differs, "{:.0f}%")]
            name = f"{built.army.name} (your own)" if built is self.own else built.army.name
            rows.append((name, f"{built.army.points:,}", *figures))
        head = ("", "points", "value", "destroyed", "kept", "gap", "differs")
        return Block("By integer programming", head, rows, "<>", lines=fill(self.why_own_list_has_no_value))

    @property
    def why_own_list_has_no_value(self) -> str:
        """Reason why the user's own list has no value; empty if it has one."""
        if self.own is None or not self.own.without_value:
            return ""
        units = ", ".join(self.own.without_value)
        return f"The value of {self.own.army.name} is not reported: the search does not include its {units}."

    def _battles(self) -> Block:
        rows, trials = [], 0
        for built, words in self.all_lists():
            if (record := built.battles) is not None:
                shares = record.wins_text, f"{100 * record.draws:.1f}%"
                rows.append((built.army.name, *shares, record.score_text, record.range_text, words))
                trials += record.trials
        heading = f"By {trials:,} battles (Monte Carlo, 95% intervals)"
        title = "\n".join([heading, *fill(self.enemies), *fill(self.battle_note)])
        head = ("", "wins", "draws", "score", "by part", "")
        return Block(title, head, rows, "<>>>><", lines=fill(self.verdict))

    def all_lists(self) -> list[tuple[BuiltList, str]]:
        """Return the lists, and the user's own if it has battles, sorted by score, each with its result in words.

        The user's own list may score higher than the best list that was built.
        """
        own = self.own if self.own is not None and self.own.battles is not None else None
        best = "best" if own is None else "best built list"
        rows = [(built, f"tied with the {best}" * (built.army.name in self.tied)) for built in self.by_score]
        if self.battles:
            rows[0] = rows[0][0], best
        return sorted(rows + ([] if own is None else [(own, "your own")]), key=lambda row: -row[0].score)

    @property
    def against(self) -> str:
        """Names of the opponents for the values; with many loadouts, their number by faction."""
        more = len(self.opponents) - MOST_NAMED
        if more <= 0 or "@" not in self.opponents[0]:
            names = ", ".join(map(self._distinct_name, self.opponents[:MOST_NAMED]))
            return names + (f" and {more} more" if more > 0 else "")
        factions = Counter(name.partition("/")[0] for name in self.opponents)
        return ", ".join(f"{counted(number, 'loadout')} of {name}" for name, number in factions.items())

    def _distinct_name(self, opponent: str) -> str:
        """Return an opponent's name, distinguished from a list of the same name."""
        return f"their {opponent}" if any(opponent == built.army.name for built in self.lists) else opponent

    @property
    def title(self) -> str:
        """Title of the answer. Without battles it does not call the lists the best."""
        values = f"Lists of {self.faction} with the highest sums of unit values"
        title = f"Best lists of {self.faction}" if self.battles else values
        return f"{title}, {self._limits}"

    @property
    def _limits(self) -> str:
        least = "" if self.least_points == self.points else f"{self.least_points:,} to "
        return f"{least}{self.points:,} points"

    @property
    def explanation(self) -> str:
        """Return lines on what the values count, and on how much the lists differ at least."""
        over = "the mean over" if self.over == "mean" else "the worst of"
        return (
            f"Value: expected points destroyed and kept in a round (exact), {over} "
            f"{counted(len(self.opponents), 'opponent')}. At most {counted(self.most_battlegroups, 'battlegroup')}. "
            f"Each list leaves out units worth at least {100 * self.least_difference:g}% of each better list's points."
        )

    @property
    def enemies(self) -> str:
        """Enemy armies of the battles, or why there are no battles."""
        if not self.enemy_armies:
            return NO_BATTLES.format(self.points)
        names = ", ".join(f"{self._distinct_name(army.name)} ({army.points:,} points)" for army in self.enemy_armies)
        return TYPICAL.format(self.faction, names) if self.enemies_are_best_lists else f"Against {names}."

    @property
    def battle_note(self) -> str:
        return BATTLE_NOTE.format(counted(len(self.battles[0].by_part), "part"))

    @property
    def verdict(self) -> str:
        """Conclusion from the values and the battles; without battles from the values alone."""
        first = self.lists[0]
        value = f"{first.army.name} has the highest sum of unit values ({first.value:.1f})"
        without_battles = f"Without battles: {value}. How often it wins is not computed."
        sentence = self._battle_verdict() if self.battles else without_battles
        if empty := sum(unit.points or 0 for unit in self.best.units if unit.loadout.capacity):
            sentence += f" {self.best.name} spends {empty} points on transports without passengers."
        if len(self.lists) == 1:
            return sentence
        values, scores = ([getattr(built, name) for built in self.lists] for name in ("value", "score"))
        differences = f"The values of these lists differ by at most {max(values) - min(values):.1f}"
        differences += f", and their scores by at most {100 * (max(scores) - min(scores)):.1f}" if self.battles else ""
        return f"{sentence} {differences}."

    def _battle_verdict(self) -> str:
        first, own = self.lists[0], self.own
        if first.army.name not in self.tied:
            sentence = f"Battles change the ranking: {self.best.name} does better than {first.army.name}."
        elif len(self.tied) == len(self.lists) > 1:
            insignificant = "The differences of these lists in battle are not significant"
            sentence = f"{insignificant}, so battles do not change the ranking."
        else:
            result = "the best" if self.best is first.army else "tied with the best"
            sentence = f"Battles confirm the ranking: {first.army.name} is {result}."
        best = self.by_score[0]
        if own is None or own.battles is None or best.battles is None:
            return sentence
        result = "does better than all of these" if own.score > best.score else "does worse than the best"
        result = "does not differ significantly from the best" if own.battles.is_tied else result
        points = f" of {own.army.points:,} points" if own.army.points > self.points else ""
        scores = f"{own.battles.score_text} against {best.battles.score_text}"
        return f"{sentence} Your own list, {own.army.name}{points}, {result}: score {scores}."


def _cell(figure: float, form: str) -> str:
    return "–" if np.isnan(figure) else form.format(figure)


def proof_text(built: BuiltList) -> str:
    """Return in words how far the list may be from the highest value."""
    if built.gap == 0:
        return "proven to have the highest sum of unit values (gap 0)"
    return f"proven to be within {100 * built.gap:.2g}% of the highest possible sum of unit values"
