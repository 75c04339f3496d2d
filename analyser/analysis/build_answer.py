"""Answer to a search for the best lists: the lists side by side, and their results in battles."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import pandas as pd

from analyser.analysis.build_battles import BattleRecord
from analyser.analysis.built_lists import BuiltList, OwnWorth, army_lines, units_of
from analyser.common.answer import Answer, Block
from analyser.common.text import counted, fill, paragraphs
from analyser.game.army import Army
from analyser.game.names import faction_name
from analyser.game.profiles import ProfilesUsed

ASSUMPTIONS = (
    "The value of a list is the sum over its units: the points that each is expected to destroy, and its own points "
    "expected to survive, in a round in which each unit of both sides acts once on a random enemy unit, drawn in "
    "proportion to points. It leaves out interaction of units, distances, orders and passengers; battles include them.",
    "Destroyed, broken and fled units lose all their points, other units their points times the share that is lost.",
    "At a distance both sides shoot; nearby each unit takes the better of a shot and a charge. Both situations count "
    "equally.",
    "Lists have no boons of battlegroups, and their transports are empty.",
)
TYPICAL = (
    "The opponents' real armies are unknown. Each faction is represented by the best list of the same size against "
    "all units of {}, with equal weights: {}."
)
BATTLE_NOTE = (
    "Both sides look one activation ahead, and the order of a list has no effect. The battles are divided into {}; all "
    "lists meet the same random numbers. Score: the mean in percent, with its interval; by part: the lowest and the "
    "highest score of a part."
)
NO_BATTLES = "No battles: the units of the opponents make no legal list within {:,} points."
MOST_NAMED = 6  # opponents named in a heading


@dataclass(frozen=True, eq=False, repr=False)
class Build(Answer):
    """The best lists of a faction against its opponents.

    Attributes
    ----------
    lists : tuple of BuiltList
        The list with the highest value, proven up to its `gap`, then the next best. The value is the sum of the values
        of the units, and says little about wins in battle; `played` has simulated battles.
    over : str
        Value over the opponents: ``mean`` or ``worst`` case.
    opponents : tuple of str
        Opponents for the values.
    played : tuple of BattleRecord
        Battles of each list, in the order of `lists`; empty without battles.
    met : tuple of Army
        Enemy armies of the battles: the stated armies, or a typical list of each faction among the opponents.
    own, own_played, own_worth : Army, BattleRecord and OwnWorth, optional
        The user's own list, its battles and its value. It is tied if its difference from the best is not significant.
    is_typical : bool
        True if `met` are typical lists, because no enemy army was given.
    left_out : tuple of str
        Loadouts and options left out, with reasons.
    """

    faction: str
    points: int
    scale: str
    lists: tuple[BuiltList, ...]
    over: str
    opponents: tuple[str, ...]
    differ: float
    most_battlegroups: int
    profiles: ProfilesUsed
    played: tuple[BattleRecord, ...] = ()
    met: tuple[Army, ...] = ()
    is_typical: bool = False
    own: Army | None = None
    own_played: BattleRecord | None = None
    own_worth: OwnWorth | None = None
    left_out: tuple[str, ...] = ()

    @property
    def best(self) -> Army:
        """The list that wins most battles; without battles the list of the highest value."""
        return self.lists[self.order[0] if self.played else 0].army

    @property
    def order(self) -> list[int]:
        """Indices of the lists by score in battle, the highest first."""
        return sorted(range(len(self.played)), key=lambda index: (-self.played[index].score, index))

    @property
    def tied(self) -> tuple[str, ...]:
        """Lists whose score does not differ significantly from the best one."""
        return tuple(self.lists[index].army.name for index in self.order if self.played[index].is_tied)

    schema = "analyser/build/1"

    @property
    def headline(self) -> str:
        """The best list, in one sentence."""
        by = "wins most battles" if self.played else "is worth most by the sum of its units"
        return f"{self.best.name} {by}, of the lists of {faction_name(self.faction)} up to {self.points:,} points."

    @property
    def summary(self) -> dict[str, Any]:
        """Score of each list in battle; without battles its value."""
        if self.played:
            scores = [record.named(built.army.name) for built, record in zip(self.lists, self.played)]
            return {name: value for score in scores for name, value in score.items()}
        return {built.army.name: built.value for built in self.lists}

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each unit of each list."""
        rows = []
        for rank, built in enumerate(self.lists, 1):
            head = {"rank": rank, "list": built.army.name}
            head |= {"value": built.value, "gap": built.gap, "differs": built.differs}
            played = self.played[rank - 1].figures() if self.played else {}
            for unit in built.army.units:
                where = {"unit": unit.loadout.selector, "battlegroup": unit.battlegroup, "points": unit.points}
                rows.append(head | played | where)
        return rows

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Assumptions of the answer, die and deck first."""
        return (*self.profiles.assumptions, *ASSUMPTIONS)

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Tables of the units of each list, the lists, and the enemy armies."""
        return {"units": self.to_frame()} | super().tables

    def _body(self) -> dict[str, Any]:
        names = ("faction", "points", "scale", "over", "differ", "most_battlegroups")
        return {
            "kind": "build",
            **{name: getattr(self, name) for name in names},
            "opponents": list(self.opponents),
            **self.profiles.fight_entries(),
            "best": self.best.name,
            "tied": list(self.tied),
            "own": None
            if self.own is None
            else {"name": self.own.name, "points": self.own.points, **self._own_figures()},
            "lists": [
                built.as_dict() | ({"battles": self.played[index].as_dict()} if self.played else {})
                for index, built in enumerate(self.lists)
            ],
            "met": [{"name": army.name, "points": army.points, "units": units_of(army)} for army in self.met],
            "is_typical": self.is_typical,
            "left_out": list(self.left_out),
            "assumptions": list(self.assumptions),
        }

    def _own_figures(self) -> dict[str, Any]:
        worth = {} if self.own_worth is None else self.own_worth._asdict()
        return worth | ({} if self.own_played is None else {"battles": self.own_played.as_dict()})

    def blocks(self) -> list[Block]:
        """Return the best list, the figures of all lists, and their battles."""
        first = self.lists[0]
        title = f"{self.title} ({self.scale}), against {self.against}"
        heading = f"{first.army.name}: {first.army.points:,} points, {proof_text(first)}"
        blocks = [
            Block(lines=[*fill(title), *fill(self.explanation)]),
            Block(heading, lines=army_lines(first.army)),
            self._values(),
        ]
        if self.played:
            trials = sum(record.trials for record in self.played)
            trials += self.own_played.trials if self.own_played is not None else 0
            heading = f"By {trials:,} battles (Monte Carlo, 95% intervals)"
            blocks.append(self._battles("\n".join([heading, *fill(self.enemies), *fill(self.battle_note)])))
            shown = [self.best] if self.order[0] else []  # the first list is shown above
            shown += self.met if self.is_typical else ()
            blocks += [Block(f"{army.name}: {army.points:,} points", lines=army_lines(army)) for army in shown]
        else:
            blocks.append(Block(lines=[*fill(self.verdict), *(fill(self.enemies) if self.is_typical else ())]))
        return blocks

    def notes(self) -> list[str]:
        """Return the loadouts left out, profiles and assumptions."""
        return paragraphs(
            [
                [line for reason in self.left_out for line in fill(f"Left out: {reason}")],
                [f"Profiles: {self.profiles}."],
                [line for assumption in self.assumptions for line in fill(f"Assumption: {assumption}")],
            ]
        )

    def _values(self) -> Block:
        """Return the table of values."""
        rows = list[tuple[str, ...]]()
        for built in self.lists:
            figures = [f"{value:.1f}" for value in (built.value, built.destroyed, built.kept)]
            rows.append(
                (
                    built.army.name,
                    f"{built.army.points:,}",
                    *figures,
                    f"{100 * built.gap:.2g}%",
                    f"{100 * built.differs:.0f}%",
                )
            )
        if self.own is not None and (own := self.own_worth) is not None:
            figures = ["–" if value is None else f"{value:.1f}" for value in (own.value, own.destroyed, own.kept)]
            differs = "–" if own.differs is None else f"{100 * own.differs:.0f}%"
            rows.append((f"{self.own.name} (your own)", f"{self.own.points:,}", *figures, "–", differs))
        head = ("", "points", "value", "destroyed", "kept", "gap", "differs")
        return Block("By integer programming", head, rows, "<>", lines=fill(self.own_unvalued))

    @property
    def own_unvalued(self) -> str:
        """Reason why the user's own list has no value; empty if it has one."""
        if self.own is None or self.own_worth is None or not self.own_worth.without_value:
            return ""
        units = ", ".join(self.own_worth.without_value)
        return f"The value of {self.own.name} is not reported: the search cannot choose {units} in this form."

    def _battles(self, title: str) -> Block:
        rows = [
            (army.name, record.wins_text, f"{100 * record.draws:.1f}%", record.score_text, record.range_text, words)
            for army, record, words in self.battle_rows()
        ]
        head = ("", "wins", "draws", "score", "by part", "")
        return Block(title, head, rows, "<>>>><", lines=fill(self.verdict))

    def battle_rows(self) -> list[tuple[Army, BattleRecord, str]]:
        """Return the lists with their battles and the result in words, the highest score first.

        The user's own list may score higher than the best of the lists that were found.
        """
        rows, best = [], "best" if self.own_played is None else "best built list"
        for index in self.order:
            words = best if index == self.order[0] else f"tied with the {best}" * self.played[index].is_tied
            rows.append((self.lists[index].army, self.played[index], words))
        if self.own is not None and self.own_played is not None:
            rows.append((self.own, self.own_played, "your own"))
        return sorted(rows, key=lambda row: -row[1].score)

    @property
    def against(self) -> str:
        """Opponents for the values, by name if they are few."""
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
        """Title; the lists are called the best only after battles."""
        title = f"Best lists of {self.faction}"
        if not self.played:
            title = f"Lists of {self.faction} worth most by the sum of their units"
        return f"{title}, up to {self.points:,} points"

    @property
    def explanation(self) -> str:
        """Explanation of the value, and of the difference between lists."""
        over = "the mean over" if self.over == "mean" else "the worst of"
        return (
            f"Value: expected points destroyed and kept in a round (exact), {over} "
            f"{counted(len(self.opponents), 'opponent')}. At most {counted(self.most_battlegroups, 'battlegroup')}. "
            f"Each list differs from all better ones in at least {100 * self.differ:g}% of its points."
        )

    @property
    def enemies(self) -> str:
        """Enemy armies of the battles, or why there are no battles."""
        if not self.met:
            return NO_BATTLES.format(self.points)
        names = ", ".join(f"{self._distinct_name(army.name)} ({army.points:,} points)" for army in self.met)
        return TYPICAL.format(self.faction, names) if self.is_typical else f"Against {names}."

    @property
    def battle_note(self) -> str:
        """Explanation of the battles and the score."""
        return BATTLE_NOTE.format(counted(len(self.played[0].by_order), "part"))

    @property
    def verdict(self) -> str:
        """Comparison of values with battles; without battles the values alone."""
        sentence = self._battle_verdict() if self.played else self._value_verdict()
        if empty := sum(unit.points or 0 for unit in self.best.units if unit.loadout.capacity):
            sentence += f" {self.best.name} spends {empty} points on transports without passengers."
        if len(self.lists) == 1:
            return sentence
        values, scores = [built.value for built in self.lists], [record.score for record in self.played]
        differences = f"The values of these lists differ by at most {max(values) - min(values):.1f}"
        differences += f", and their scores by at most {100 * (max(scores) - min(scores)):.1f}" if scores else ""
        return f"{sentence} {differences}."

    def _value_verdict(self) -> str:
        first = self.lists[0]
        value = f"{first.army.name} is worth most by the sum of its units' values ({first.value:.1f})"
        return f"Without battles: {value}. How often it wins is not computed."

    def _battle_verdict(self) -> str:
        first = self.lists[0].army.name
        if not self.played[0].is_tied:
            sentence = f"Battles change the ranking: {self.best.name} does better than {first}."
        elif len(self.tied) == len(self.lists) > 1:
            sentence = (
                "The differences of these lists in battle are not significant, so battles do not change the ranking."
            )
        else:
            result = "the best" if self.order[0] == 0 else "tied with the best"
            sentence = f"Battles confirm the ranking: {first} is {result}."
        return sentence + self._own_verdict()

    def _own_verdict(self) -> str:
        """Return the comparison of the user's own list with the best one."""
        if self.own is None or self.own_played is None:
            return ""
        best = self.played[self.order[0]]
        if self.own_played.is_tied:
            result = "does not differ significantly from the best"
        else:
            is_better = self.own_played.score > best.score
            result = "does better than all of these" if is_better else "does worse than the best"
        points = f" of {self.own.points:,} points" if self.own.points > self.points else ""
        scores = f"{self.own_played.score_text} against {best.score_text}"
        return f" Your own list, {self.own.name}{points}, {result}: score {scores}."


def proof_text(built: BuiltList) -> str:
    """Return how much more valuable another list could be at most."""
    if built.gap == 0:
        return "proven to be worth most by the sum of its units' values (gap 0)"
    return f"proven to be within {100 * built.gap:.2g}% of the most by the sum of its units' values"
