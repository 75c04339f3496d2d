"""What a side of a duel can choose to do: its orders, its opportunity fire, and the rows that it does them with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

from analyser.engine.fight.best.game import ORDERS, Choice
from analyser.engine.fight.program import Kind, Operation, packed_order
from analyser.game.units import Row
from analyser.rules.activation import Order
from analyser.rules.policies import BEST, Action, Manoeuvre
from analyser.rules.structs import NONE
from analyser.scenarios.charge import combat
from analyser.scenarios.policies import Shooter, rows_to_shoot_with
from analyser.scenarios.strikes import Strike, length_of, orders_mask

_SHOTS = orders_mask(Order.SHOOT_AIMING, Order.SHOOT)
_ACTIVE = orders_mask(*(order for order in Order if order != Order.NOTHING))
_MOVES = (Manoeuvre.ADVANCE, Manoeuvre.RETIRE)


class Option(NamedTuple):
    """One way to spend an activation."""

    manoeuvre: Manoeuvre
    action: Action
    rows: tuple[str, ...] = ()  # that it shoots or charges with
    overcharge: bool = False


STAY = Option(Manoeuvre.STAY, Action.NOTHING)


class Salvo(NamedTuple):
    """What is fired in one activation: the places among the shots of the rows, the first the main one."""

    shots: tuple[int, ...]
    rows: tuple[Row, ...]
    overcharge: bool


@dataclass(eq=False)
class Chooser(Shooter):
    """One side of a duel that does what is best: what it can choose from."""

    chooses: ClassVar[bool] = True

    @cached_property
    def rows(self) -> list[Row]:
        """Those that it can shoot with in its own activation: the one that the scenario names, or all."""
        usable = rows_to_shoot_with(self.mine, self.theirs, "shoot")
        return [row for row in usable if self.named in (None, row)]

    @cached_property
    def lookout_rows(self) -> list[Row]:
        """Those of its opportunity fire."""
        usable = rows_to_shoot_with(self.mine, self.theirs, "lookout")
        return [row for row in usable if self.named in (None, row)]

    @cached_property
    def by_lookout(self) -> Row | None:
        """One of them."""
        return self.lookout_rows[0] if self.lookout_rows else None

    @cached_property
    def charge_rows(self) -> list[Row]:
        """Those that it can charge with (AC-8.1)."""
        if not self.mine.may_charge(self.theirs, BEST):
            return []
        first = self.mine.charge_row(self.where)
        others = [row for row in self.mine.rows or () if row.kind in ("melee", "impact") and row is not first]
        return [first] if self.mine.close_quarters_row else [first, *others]

    @property
    def rearms(self) -> bool:
        """Re-arming is chosen, too."""
        return False

    @property
    def reach(self) -> int:
        """How far it can shoot, or come to a charge, in hundredths of an inch; at least the distance at the start."""
        ranges = [length_of(row.long_range or 0) for row in self.lookout_rows]
        charge = 2 * length_of(self.mine.speed or 0) if self.charge_rows else 0
        return max(*ranges, charge, length_of(self.distance or 0), 0)

    def stops_at(self) -> list[int]:
        """The distances at which it may stop an advance before its SPEED is spent, in hundredths of an inch."""
        return [length_of(row.short_range) for row in self.rows if row.short_range is not None]

    @cached_property
    def salvos(self) -> list[Salvo]:
        """Each row, with Overcharge or not; and with All-Out Attack each first, with others after it (AC-7)."""
        found = [Salvo((place,), (row,), False) for place, row in enumerate(self.rows)]
        most = self.mine.value("All-Out Attack")
        if most > 1 and len(self.rows) > 1:
            places = range(len(self.rows))
            orders = [(place, *(other for other in places if other != place))[:most] for place in places]
            behind = len(self.rows) + len(self._charged)  # where the shots begin that are made after another
            for main, *others in orders:
                shots = (main, *(behind + place for place in others))
                found.append(Salvo(shots, tuple(self.rows[place] for place in (main, *others)), False))
        return [*found, *(Salvo((len(self.rows) + place,), (row,), True) for place, row in enumerate(self._charged))]

    @cached_property
    def _charged(self) -> list[Row]:
        return [row for row in self.rows if row.has("Overcharge")]

    def shots(self) -> list[Strike]:
        """The strikes with each row, then those with Overcharge, then those that follow another (All-Out Attack)."""
        facts: dict[str, Any] = {"striker": self.side, "orders": _SHOTS, "marks": self.is_answered}
        found = [self.strike(row, **facts) for row in self.rows]
        found += [self.strike(row, overcharge=True, **facts) for row in self._charged]
        follows = self.rows if self.mine.value("All-Out Attack") > 1 and len(self.rows) > 1 else []
        return [*found, *(self.strike(row, after_failed_rally=0, **facts) for row in follows)]

    def reactions(self) -> list[Strike]:
        """The strikes of its opportunity fire, a row each."""
        facts: dict[str, Any] = {"striker": self.side, "orders": _ACTIVE, "by_lookout": 1, "marks": self.is_answered}
        return [self.strike(row, opportunity=True, **facts) for row in self.lookout_rows]

    @cached_property
    def options(self) -> list[Option]:
        """All that it may be ordered to do, in the order of the branches of :meth:`choice`."""
        return [option for option, _, _ in self._ways()]

    def _ways(self) -> Iterable[tuple[Option, int, Salvo | None]]:
        """Each option with the place of the shot that it is ordered for, and what it fires."""
        main = 0 if self.rows else NONE
        specials = [Action.TAKE_COVER]
        specials += [Action.GO_ON_LOOKOUT] if self.lookout_rows else []
        slow = [row for row in (*self.rows, *self.lookout_rows) if row.has("Slow to Fire")]
        specials += [Action.RE_ARM] if slow else []
        moves = _MOVES if self.distance is not None and self.mine.speed else ()
        yield STAY, main, None
        for salvo in self.salvos:
            ids = tuple(row.id for row in salvo.rows)
            stops = self.distance is not None and salvo.rows[0].short_range is not None and moves
            for manoeuvre in (Manoeuvre.AIM, Manoeuvre.STAY, *moves, *([Manoeuvre.CLOSE_IN] if stops else ())):
                yield Option(manoeuvre, Action.SHOOT, ids, salvo.overcharge), salvo.shots[0], salvo
        for action in specials:
            for manoeuvre in (Manoeuvre.STAY, *moves):
                yield Option(manoeuvre, action), main, None
        for manoeuvre in (*moves, *([Manoeuvre.DOUBLE_TIME] if moves else ())):
            yield Option(manoeuvre, Action.NOTHING), main, None
        for row in self.charge_rows:
            yield Option(Manoeuvre.CHARGE, Action.NOTHING, (row.id,)), main, None

    def choice(
        self, shots: Sequence[int], made: Callable[[int], list[Operation | Choice]], strikes: list[Strike]
    ) -> Choice:
        """The choice of its orders: `shots` are the numbers of its strikes, `made` says what is done to make one."""
        branches: list[list[Operation | Choice]] = []
        for option, shot, salvo in self._ways():
            strike = NONE if shot == NONE else shots[shot]
            order = Operation(Kind.ORDER, self.side, packed_order(option.manoeuvre, option.action, strike))
            branch: list[Operation | Choice] = [order]
            for place in () if salvo is None else salvo.shots:
                branch += made(shots[place])
            if option.manoeuvre == Manoeuvre.CHARGE:
                mine = self.mine.model_copy(update={"close_quarters_row": option.rows[0]})
                sides = (mine, self.theirs) if self.side == 0 else (self.theirs, mine)
                branch += combat(sides, (), self.side, strikes)
            branches.append(branch)
        return Choice(self.side, ORDERS, branches)
