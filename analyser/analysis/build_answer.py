"""Answer to a build: the best lists side by side, and their results in battles, as text and as tables."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import pandas as pd

from analyser.analysis.build_battles import Played
from analyser.analysis.built_lists import BuiltList, OwnWorth, army_lines, units_of
from analyser.common.answer import Answer, Block
from analyser.common.text import counted, fill, paragraphs
from analyser.game.army import Army
from analyser.game.names import faction_name
from analyser.game.profiles import ProfilesUsed

ASSUMPTIONS = (
    "The value of a list is the sum over its units: the points that each is expected to destroy, and its own points "
    "expected to survive, in a round in which each unit of both sides acts once on an enemy unit drawn by points. "
    "It leaves out interaction of units, room and reach, orders and passengers; battles include them.",
    "Destroyed, broken and fled units are lost with all their points, others with the share that damage has taken.",
    "At a distance both sides shoot; nearby each unit takes the better of a shot and a charge. Both situations count "
    "equally.",
    "Boons of battlegroups are not bought, and nothing is embarked.",
)
TYPICAL = (
    "The opponents' real armies are unknown. Each faction is represented by the best list of the same size against "
    "all units of {}, equally weighted: {}."
)
ORDERED = (
    "Both sides look ahead, and the order of a list means nothing. Each list fights in {}, by the same random numbers "
    "for all lists. Score: the mean in percent, with its interval; by part: the least and the greatest."
)
NOBODY = "No battles: the units of this field make no legal list within {:,} points."
MOST_NAMED = 6  # opponents named in a heading


@dataclass(frozen=True, eq=False, repr=False)
class Build(Answer):
    """The best lists of a faction against a field.

    Attributes
    ----------
    lists : tuple of BuiltList
        The best list by value, proven up to its `gap`, then the next best. Value is linear: the sum of the values of
        the units. It does not prove wins in battle; `played` simulates them.
    over : str
        Value over the opponents: ``mean`` or ``worst`` case.
    opponents : tuple of str
        Opponents of the values.
    played : tuple of Played
        Battles of each list, in the order of `lists`; empty without battles.
    met : tuple of Army
        Enemy armies of the battles: those given, or a typical list of each faction among the opponents.
    own, own_played, own_worth : Army, Played and OwnWorth, optional
        The user's own list, its battles and its value. It is tied if its difference from the best is not significant.
    is_typical : bool
        True if `met` are typical lists, because no enemy army was given.
    left_out : tuple of str
        Loadouts that cannot be counted, with reasons.
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
    played: tuple[Played, ...] = ()
    met: tuple[Army, ...] = ()
    is_typical: bool = False
    own: Army | None = None
    own_played: Played | None = None
    own_worth: OwnWorth | None = None
    left_out: tuple[str, ...] = ()

    @property
    def best(self) -> Army:
        """The list that wins most battles; without battles the list of the highest value."""
        return self.lists[self.order[0] if self.played else 0].army

    @property
    def order(self) -> list[int]:
        """Indices of the lists by score in battle, the highest first."""
        return sorted(range(len(self.played)), key=lambda place: (-self.played[place].score, place))

    @property
    def tied(self) -> tuple[str, ...]:
        """Lists whose battles do not differ significantly from those of the best one."""
        return tuple(self.lists[place].army.name for place in self.order if self.played[place].is_tied)

    schema = "analyser/build/1"

    @property
    def headline(self) -> str:
        """The best list, in one sentence."""
        by = "wins most battles" if self.played else "is worth most by the sum of its units"
        return f"Of the lists of {faction_name(self.faction)} up to {self.points:,} points {self.best.name} {by}."

    @property
    def summary(self) -> dict[str, Any]:
        """Score of each list in battle; without battles its value."""
        if self.played:
            scores = [self.played[place].named(built.army.name) for place, built in enumerate(self.lists)]
            return {name: value for score in scores for name, value in score.items()}
        return {built.army.name: built.value for built in self.lists}

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each unit of each list."""
        rows = []
        for rank, one in enumerate(self.lists, 1):
            head = {"rank": rank, "list": one.army.name, "value": one.value, "gap": one.gap, "differs": one.differs}
            played = self.played[rank - 1].figures() if self.played else {}
            for unit in one.army.units:
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
                built.as_dict() | ({"battles": self.played[place].as_dict()} if self.played else {})
                for place, built in enumerate(self.lists)
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
            Block(lines=[*fill(title), *fill(self.how)]),
            Block(heading, lines=army_lines(first.army)),
            self._values(),
        ]
        if self.played:
            trials = sum(one.trials for one in self.played)
            trials += self.own_played.trials if self.own_played is not None else 0
            heading = f"By {trials:,} battles (Monte Carlo, 95% intervals)"
            blocks.append(self._battles("\n".join([heading, *fill(self.whom), *fill(self.in_orders)])))
            shown = [self.best] if self.order[0] else []  # the first is shown above
            shown += self.met if self.is_typical else ()
            blocks += [Block(f"{army.name}: {army.points:,} points", lines=army_lines(army)) for army in shown]
        else:
            blocks.append(Block(lines=[*fill(self.verdict), *(fill(self.whom) if self.is_typical else ())]))
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
        strange = ", ".join(self.own_worth.without_value)
        return f"The value of {self.own.name} is not reported: the search cannot choose {strange} as the list has it."

    def _battles(self, title: str) -> Block:
        rows = [
            (army.name, record.wins_text, f"{100 * record.draws:.1f}%", record.score_text, record.range_text, said)
            for army, record, said in self.fought()
        ]
        head = ("", "wins", "draws", "score", "by part", "")
        return Block(title, head, rows, "<>>>><", lines=fill(self.verdict))

    def fought(self) -> list[tuple[Army, Played, str]]:
        """Return the lists that fought, the highest score first, each with its result in words.

        The user's own list may score higher than the best built list.
        """
        rows, best = [], "best" if self.own_played is None else "best of the built"
        for place in self.order:
            said = best if place == self.order[0] else f"tied with the {best}" * self.played[place].is_tied
            rows.append((self.lists[place].army, self.played[place], said))
        if self.own is not None and self.own_played is not None:
            rows.append((self.own, self.own_played, "your own"))
        return sorted(rows, key=lambda row: -row[1].score)

    @property
    def against(self) -> str:
        """Opponents of the values, by name if they are few."""
        more = len(self.opponents) - MOST_NAMED
        if more <= 0 or "@" not in self.opponents[0]:
            return ", ".join(map(self._called, self.opponents[:MOST_NAMED])) + (f" and {more} more" if more > 0 else "")
        factions = Counter(name.partition("/")[0] for name in self.opponents)
        return ", ".join(f"{counted(number, 'loadout')} of {name}" for name, number in factions.items())

    def _called(self, opponent: str) -> str:
        """Return an opponent's name, distinguished from a built list of the same name."""
        return f"their {opponent}" if any(opponent == built.army.name for built in self.lists) else opponent

    @property
    def title(self) -> str:
        """Title of the lists; they are the best ones only after battles."""
        what = f"Best lists of {self.faction}"
        if not self.played:
            what = f"Lists of {self.faction} worth most by the sum of their units"
        return f"{what}, up to {self.points:,} points"

    @property
    def how(self) -> str:
        """Explanation of the value, and of the difference between lists."""
        over = "the mean over" if self.over == "mean" else "the worst of"
        return (
            f"Value: expected points destroyed and kept in a round, exact; {over} "
            f"{counted(len(self.opponents), 'opponent')}. Up to {counted(self.most_battlegroups, 'battlegroup')}; each "
            f"list differs from those before it in {100 * self.differ:g}% of its points at least."
        )

    @property
    def whom(self) -> str:
        """Opponents of the battles, or why there are no battles."""
        if not self.met:
            return NOBODY.format(self.points)
        named = ", ".join(f"{self._called(army.name)} ({army.points:,} points)" for army in self.met)
        return TYPICAL.format(self.faction, named) if self.is_typical else f"Against {named}."

    @property
    def in_orders(self) -> str:
        """Orders of activation of the battles."""
        return ORDERED.format(counted(len(self.played[0].by_order), "part"))

    @property
    def verdict(self) -> str:
        """Comparison of values with battles; without battles the values alone."""
        sentence = self._fought_verdict() if self.played else self._worth_verdict()
        if empty := sum(unit.points or 0 for unit in self.best.units if unit.loadout.capacity):
            sentence += f" {self.best.name} spends {empty} points on transports without passengers."
        if len(self.lists) == 1:
            return sentence
        values, scores = [built.value for built in self.lists], [one.score for one in self.played]
        apart = f"{max(values) - min(values):.1f} of value apart"
        if not scores:
            return f"{sentence} The first and the last of these lists are {apart}."
        in_battle = f"{100 * (max(scores) - min(scores)):.1f} of score"
        return f"{sentence} The best and the worst of these lists are {apart}, and in battle {in_battle}."

    def _worth_verdict(self) -> str:
        first = self.lists[0]
        worth = f"{first.army.name} is worth most by the sum of its units' values ({first.value:.1f})"
        return f"Without battles: {worth}. How often it wins is not computed."

    def _fought_verdict(self) -> str:
        first = self.lists[0].army.name
        if not self.played[0].is_tied:
            sentence = f"Battles change the ranking: {self.best.name} does better than {first}."
        elif len(self.tied) == len(self.lists) > 1:
            sentence = (
                "The differences of these lists in battle are not significant, so battles do not change the ranking."
            )
        else:
            how = "the best" if self.order[0] == 0 else "tied with the best"
            sentence = f"Battles confirm the ranking: {first} is {how}."
        return sentence + self._own_verdict()

    def _own_verdict(self) -> str:
        """Return the comparison of the user's own list with the best one."""
        if self.own is None or self.own_played is None:
            return ""
        best = self.played[self.order[0]]
        if self.own_played.is_tied:
            how = "is not significantly worse than the best"
        else:
            how = "does better than all of these" if self.own_played.score > best.score else "does worse than the best"
        dearer = f", of {self.own.points:,} points," if self.own.points > self.points else ""
        own = f"Your own list, {self.own.name}{dearer or ','}"
        return f" {own} {how}: {self.own_played.score_text} against {best.score_text}."


def proof_text(built: BuiltList) -> str:
    """Return the proven bound on the distance of a list from the best value."""
    if built.gap == 0:
        return "proven to be worth most by the sum of its units' values (gap 0)"
    return f"proven to be within {100 * built.gap:.2g}% of the most by the sum of its units' values"
