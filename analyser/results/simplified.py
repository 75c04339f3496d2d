"""Short lists of orders that cost as little as possible against a plan: a search over orders and their conditions.

Lists grow line by line, by beams; those of each length are then changed in one line or two, the best first. What a line
more, or another one, would gain is estimated for all orders and conditions at once: by what its order is worth in each
situation that comes up beside what is done there (the difference of performances, Kakade, Langford: Approximately
optimal approximate reinforcement learning, 2002). The most promising are worked out, and the best are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, combinations, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analyser.common.sampling import Progress
from analyser.engine.fight.best.game import ORDERS
from analyser.results.deciding import Decider
from analyser.results.play import Play
from analyser.rules.orders import Condition, all_conditions, lines_of

_WIDTH, _WORKED_OUT, _OF_AN_ORDER = 5, 8, 3  # lists kept; lines tried for each by each estimate; of an order and place
_PATIENCE = 1  # lines that may gain nothing before one that does
# Lists of one length that are changed, the best first; changes tried of each by each estimate; conditions of a line.
_CHANGED, _CHANGES, _MOST_CONDITIONS = 40, 6, 3
_OFTEN = 1e-4  # how likely a situation is that counts in estimates
_SAME = 1e-12
_DIGITS = 11  # of what is compared: fewer than two machines agree in, more than a player can tell
Floats = NDArray[np.float64]
Situations = tuple[NDArray[np.int64], NDArray[np.int64]]  # their rounds, and their places among the nodes


class Tried(NamedTuple):
    """A line: the number of its order, and those of its conditions."""

    order: int
    conditions: tuple[int, ...] = ()


Listing = tuple[Tried, ...]


class Search:
    """The lists that can be made of some orders and conditions, each with its cost."""

    def __init__(self, play: Play, side: int, orders: Sequence[str], conditions: Sequence[str]) -> None:
        self._play, self._side, self._sign = play, side, 1 if side == play.wanter else -1
        self.orders, self.conditions = list(orders), list(conditions)
        lines = [lines_of(order, "policy")[0] for order in orders]
        wanted = [lines_of(f"do nothing if {each}", "policy")[0].conditions[0] for each in conditions]
        places = [place for place in play.places if place.side == side and place.subject == ORDERS]
        deciders = [Decider(play, place, play.listed(side, lines)) for place in places]
        self._nodes = np.concatenate([np.arange(each.nodes.start, each.nodes.stop) for each in deciders])
        self._implied = [bool(all_conditions(line)) for line in lines]  # that something goes without saying
        self._blank = play.plan_of_lines(side, lines_of("do nothing", "policy"))
        self._edges = [np.concatenate([each.edges_of(order) for each in deciders]) for order in range(len(lines) + 1)]
        self._applies, self._hold = (
            list[NDArray[np.bool_]](),
            list[NDArray[np.bool_]](),
        )  # of each order, and of each condition beside it, in each round and node
        by_rows: dict[tuple[int, ...], NDArray[np.bool_]] = {}
        for order, line in enumerate(lines):
            strikes = tuple(each.orders[order].strike for each in deciders)
            if strikes not in by_rows:
                by_rows[strikes] = self._holding(deciders, strikes, wanted)
            self._applies.append(np.asarray(self._holding(deciders, strikes, all_conditions(line)).all(axis=0)))
            self._hold.append(by_rows[strikes])
        self._known: dict[Listing, float] = {}
        self._known_longer: dict[Listing, list[Listing]] = {}

    def _holding(
        self, deciders: Sequence[Decider], strikes: Sequence[int], conditions: Sequence[Condition]
    ) -> NDArray[np.bool_]:
        """Where conditions hold for who means to shoot with those strikes, shape (conditions, rounds, nodes)."""
        rounds = self._play.game.rounds
        found = np.empty((len(conditions), rounds, len(self._nodes)), np.bool_)
        for place, number in product(range(len(conditions)), range(rounds)):
            parts = [each.holds(conditions[place], strike, number) for each, strike in zip(deciders, strikes)]
            found[place, number] = np.concatenate(parts)
        return found

    @property
    def tried(self) -> int:
        """Number of lists evaluated."""
        return len(self._known)

    def texts(self, listing: Listing) -> list[str]:
        """The lines of a list in words."""
        named = [(self.orders[line.order], [self.conditions[each] for each in line.conditions]) for line in listing]
        return [f"{order} if {' and '.join(conditions)}" if conditions else order for order, conditions in named]

    def found(self, lines: int, within: float, progress: Progress | None = None) -> Listing:
        """The list of at most so many lines with the lowest cost; fewer where `within` is reached before.

        `progress` is told of the lists that were changed, and how many there may be.
        """
        from threadpoolctl import threadpool_limits

        def tell(done: int) -> None:
            if progress is not None:
                progress(done, (lines - 1) * _CHANGED)

        with threadpool_limits(1):  # for products so small
            return self.come_to(self._found(lines, within, tell))

    def _found(self, lines: int, within: float, tell: Callable[[int], None]) -> Listing:
        beam = self._best((Tried(order),) for order in range(len(self.orders)))
        best, since = beam[0], 0
        for number in range(1, lines):
            if self.gives_away(best) <= within or since > _PATIENCE:
                break
            beam = self._best(chain.from_iterable(map(self._longer, beam)))
            if not beam:
                break
            beam = self._changed([self._polished(beam[0]), *beam], tell, number - 1)
            since += 1
            if self.gives_away(beam[0]) < self.gives_away(best) - _SAME:
                best, since = beam[0], 0
        return best

    def come_to(self, listing: Listing) -> Listing:
        """The list without lines that are never come to, but for a last resort."""
        kept, open_yet = list[Tried](), np.ones_like(self._applies[0])
        for line in listing:
            holds, always = self._holds(line), not line.conditions and not self._implied[line.order]
            if always or (open_yet & holds).any():
                kept.append(line)
            if always:
                break
            open_yet = open_yet & ~holds
        return tuple(kept)

    def gives_away(self, listing: Listing) -> float:
        """Return the cost of a list compared with best play; if the enemy chooses, against its best response."""
        if listing not in self._known:
            value = self._play.against(self._plan(listing), 1 - self._side)
            self._known[listing] = max(self._sign * (self._play.value - value), 0.0)
        return self._known[listing]

    def _best(self, listings: Iterable[Listing]) -> list[Listing]:
        """The cheapest of some lists; of equals the shorter, and the one with fewer conditions."""

        def rank(listing: Listing) -> tuple[float, int, int]:
            return round(self.gives_away(listing), _DIGITS), len(listing), sum(len(line.conditions) for line in listing)

        return sorted(dict.fromkeys(listings), key=rank)[:_WIDTH]

    def _polished(self, listing: Listing) -> Listing:
        """The list with lines exchanged one by one for better ones, as long as that gains anything."""
        while True:
            shorter = [listing[:line] + listing[line + 1 :] for line in range(len(listing) - 1)]
            others = self._best([listing, *chain.from_iterable(map(self._longer, shorter))])
            if self.gives_away(others[0]) >= self.gives_away(listing) - _SAME:
                return listing
            listing = others[0]

    def _changed(self, listings: Sequence[Listing], tell: Callable[[int], None], lines: int) -> list[Listing]:
        """The best of lists of one length and of what they are changed to, the best unchanged one being changed next.

        So that it goes on from what is no better, too, where everything near is worse. `tell` is told of each, those
        for as many `lines` as have been added before among them.
        """
        met, done = dict.fromkeys(listings), set[float]()
        for number in range(_CHANGED):
            tell(lines * _CHANGED + number)
            open_yet = [each for each in met if round(self.gives_away(each), 9) not in done]  # others do the same
            if not open_yet:
                break
            at = min(open_yet, key=lambda each: round(self.gives_away(each), _DIGITS))
            done.add(round(self.gives_away(at), 9))
            met |= dict.fromkeys(self._near(at))
        return self._best(met)

    def _near(self, listing: Listing) -> list[Listing]:
        """Lists that differ in a line, or in the order of two, and promise most."""
        found = list[Listing]()
        for gains, where in self._estimates(listing):
            found += self._promising_changes(listing, gains, where)
        return list(dict.fromkeys(found))

    def _plan(self, listing: Listing) -> NDArray[np.int64]:
        """The plan of best play, but that the side follows a list."""
        plan = self._blank.copy()
        taken = np.broadcast_to(self._edges[-1], (len(plan), len(self._nodes)))
        for line in reversed(listing):
            taken = np.where(self._holds(line), self._edges[line.order], taken)
        plan[:, self._nodes] = taken
        return plan

    def _holds(self, line: Tried) -> NDArray[np.bool_]:
        """Where the conditions of a line hold, shape (rounds, nodes)."""
        return np.asarray(self._applies[line.order] & self._hold[line.order][list(line.conditions)].all(axis=0))

    def _longer(self, listing: Listing) -> Sequence[Listing]:
        """The list with one line more: those that promise most."""
        if listing not in self._known_longer:
            self._known_longer[listing] = list(dict.fromkeys(self._all_longer(listing)))
        return self._known_longer[listing]

    def _all_longer(self, listing: Listing) -> Iterator[Listing]:
        for gains, where in self._estimates(listing):
            yield from self._promising(listing, gains, where)

    def _estimates(self, listing: Listing) -> Iterator[tuple[Floats, Situations]]:
        """Yield the gain of each order over a list, estimated in three ways, in the situations that come up."""
        play = self._play
        followed, plan = play.answered(self._plan(listing), 1 - self._side)
        best = play.solved[1]
        often, at_best = play.game.spread(plan)[:-1, self._nodes], play.weights[:-1, self._nodes]
        for values, weights in ((followed, often), (best, often), (best, at_best)):
            rounds, places = np.nonzero(weights > _OFTEN)
            where = rounds, places
            yield self._sign * weights[where] * self._gains(values, plan, where), where

    def _gains(self, values: Floats, plan: NDArray[np.int64], where: Situations) -> Floats:
        """Return the gain of each order over a plan, the last resort last, shape (orders + 1, situations)."""
        (rounds, places), edges, starts = where, self._play.game.edges, self._play.game.starts
        nodes = self._nodes[places]

        def worth(taken: NDArray[np.int64]) -> Floats:
            to = edges.to[edges.begins[nodes] + taken]
            return np.asarray(values[rounds + (to < starts), to])

        now = worth(plan[rounds, nodes])
        return np.array([worth(self._edges[order][places]) - now for order in range(len(self.orders) + 1)])

    def _promising_changes(self, listing: Listing, gains: Floats, where: Situations) -> list[Listing]:
        """The lists with a line changed, or with two exchanged, that promise to gain most."""
        rounds, places = where
        held = [self._holds(line)[rounds, places] for line in listing]
        tails = [gains[-1]]  # what the lines from each on gain where none before holds
        for line, holds in zip(reversed(listing), reversed(held)):
            tails.append(np.where(holds, gains[line.order], tails[-1]))
        tails.reverse()
        promising: list[tuple[float, Listing]] = []
        applies = [each[rounds, places] for each in self._applies]
        holding = {id(hold): hold[:, rounds, places].astype(np.float64) for hold in self._hold}
        still_open, before = np.ones(len(rounds), np.bool_), 0.0
        for place, (line, holds) in enumerate(zip(listing, held)):
            rest = before + float(tails[place + 1][still_open].sum())
            for order, kept in product(range(len(self.orders)), _fewer(line.conditions)):
                known = holding[id(self._hold[order])]
                here = still_open & applies[order] & (known[list(kept)] > 0).all(axis=0)
                gain = np.where(here, gains[order] - tails[place + 1], 0.0)
                found = [(float(gain.sum()), kept)] if kept or self._implied[order] or place == len(listing) - 1 else []
                if len(kept) < _MOST_CONDITIONS:
                    single = known @ gain
                    best = _greatest(single)
                    found += [(float(single[one]), tuple(sorted({*kept, one}))) for one in best]
                for more, conditions in found:
                    changed = Tried(order, conditions)
                    promising.append((rest + more, (*listing[:place], changed, *listing[place + 1 :])))
            before += float(gains[line.order][still_open & holds].sum())
            still_open &= ~holds
        for one, two in combinations(range(len(listing)), 2):
            exchanged = [*range(len(listing))]
            exchanged[one], exchanged[two] = two, one
            worth = gains[-1]
            for place in reversed(exchanged):
                worth = np.where(held[place], gains[listing[place].order], worth)
            promising.append((float(worth.sum()), tuple(listing[place] for place in exchanged)))
        promising = [each for each in promising if each[1] != listing]
        return [changed for _, changed in sorted(promising, key=_promised)[:_CHANGES]]

    def _promising(self, listing: Listing, gains: Floats, where: Situations) -> list[Listing]:
        """The longer lists whose new line promises to gain most."""
        promising: list[tuple[float, Listing]] = []
        rounds, places = where
        holding = {id(hold): hold[:, rounds, places].astype(np.float64) for hold in self._hold}
        still_open = np.ones(len(where[0]), np.bool_)
        for place in range(len(listing)):
            for order in range(len(self.orders)):
                gain = gains[order] * (still_open & self._applies[order][rounds, places])
                if len(promising) == _WORKED_OUT and gain[gain > 0].sum() <= promising[-1][0]:
                    continue  # no conditions make that one of the best
                hold = holding[id(self._hold[order])]
                both = (hold * gain) @ hold.T  # on the diagonal of one condition, beside it of two
                single = np.diagonal(both)
                pairs = np.triu(both - np.maximum(single[:, None], single[None, :]), 1)
                found: list[tuple[float, tuple[int, ...]]]
                found = [(float(single[one]), (one,)) for one in _greatest(single)]
                for flat in _greatest(pairs):
                    one, two = divmod(flat, len(self.conditions))
                    if pairs[one, two] > _SAME:
                        found.append((float(both[one, two]), (one, two)))
                found += [(float(gain.sum()), ())] if self._implied[order] else []
                for promised, conditions in found:
                    if promised > _SAME:
                        longer = (*listing[:place], Tried(order, conditions), *listing[place:])
                        promising.append((promised, longer))
                promising = sorted(promising, key=_promised)[:_WORKED_OUT]
            still_open = still_open & ~self._holds(listing[place])[rounds, places]
        return [longer for _, longer in promising]


def _promised(found: tuple[float, Listing]) -> float:
    """Return the sort key of a change, the most promising first; equal ones keep their places, on any machine."""
    return -round(found[0], _DIGITS)


def _greatest(gains: Floats) -> list[int]:
    """The places of the greatest, of equals the first: sums of products differ in their last bits between machines.

    >>> _greatest(np.array([0.1, 0.3, 0.1 + 0.2, 0.2]))
    [1, 2, 3]
    """
    places: list[int] = np.argsort(-gains.round(_DIGITS), axis=None, kind="stable")[:_OF_AN_ORDER].tolist()
    return places


def _fewer(conditions: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The conditions of a line, and all of them but one."""
    return [conditions, *(conditions[:at] + conditions[at + 1 :] for at in range(len(conditions)))]
