"""Running a program: exactly, or by Monte Carlo."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from analyser.engine.program import Kind, Operation, Setup
from analyser.errors import InputError, check_flag, check_text, shown
from analyser.estimates import Method, trials_for
from analyser.fights.endings import Endings, endings_of
from analyser.rules.armoured_clash.facts import NONE
from analyser.ruleset import Ruleset
from analyser.sampling import check_sample

if TYPE_CHECKING:
    from analyser.engine.law import Law
    from analyser.engine.playing.played import Simulation

DEFAULT_TRIALS = 1_000_000
MOST_TRIALS = 10**10
FINEST_PRECISION = 1e-4
MOST_STEPS = 5e7  # of an exact law: some seconds
_STATUSES = 4  # how many ways of standing with so many models and so much damage are common, where a fight goes on
_WAYS_APART = 1.5  # times the square of the rounds: in how many places two units stand that charge each other
_STRIKE, _END_ROUND = int(Kind.STRIKE), int(Kind.END_ROUND)
METHODS: tuple[Method, ...] = ("exact", "monte-carlo")

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class How:
    """How a fight is worked out.

    Attributes
    ----------
    method : "exact" or "monte-carlo"
    trials : int or None
        Fights to play; None: a million.
    seed : int
    precision : float or None
        Instead of `trials`: so many that no 95% interval of a probability is wider, from its lower to its upper end.
    threads : int or None
        None: one for each processor. The answer does not depend on it.
    replacement : bool
        Monte Carlo: put each card back before the next is drawn (AC-9.3), as the exact method does.
    progress : callable or None
        Told the fights played so far and the number aimed at, now and then.
    """

    method: Method = "exact"
    trials: int | None = None
    seed: int = 0
    precision: float | None = None
    threads: int | None = None
    replacement: bool = False
    progress: Progress | None = None

    def __post_init__(self) -> None:
        check_text(self.method, "method", ", ".join(METHODS))
        if self.method not in METHODS:
            raise InputError(f"method {shown(self.method)}", where="method", allowed=", ".join(METHODS))
        check_sample(
            self.trials, self.seed, self.precision, self.threads, most_trials=MOST_TRIALS, finest=FINEST_PRECISION
        )
        check_flag(self.replacement, "replacement")

    @property
    def trials_played(self) -> int | None:
        """Fights of a sample; None of an exact answer."""
        if self.method == "exact":
            return None
        asked = DEFAULT_TRIALS if self.precision is None else trials_for(self.precision)
        return int(self.trials or asked)

    @property
    def with_replacement(self) -> bool:
        """Whether every card is drawn from a full deck (AC-9.3)."""
        return self.method == "exact" or self.replacement


def run(
    setup: Setup, programs: Sequence[Sequence[Operation]], start: tuple[int, int], ruleset: Ruleset, how: How,
    simulation: Simulation | None = None,
) -> list[Endings]:  # fmt: skip
    """How the two sides stand after each of `programs`, one played after the other.

    Parameters
    ----------
    start : (int, int)
        The states of both sides before the first operation.
    simulation : Simulation, optional
        Of this very fight (:func:`simulation_of`), where it is played from many states.
    """
    if how.method == "exact":
        return [endings_of(*law) for law in exact_laws_of(setup, programs, start, ruleset)]
    from analyser.engine.montecarlo import default_threads

    trials = how.trials_played
    assert trials is not None
    simulation = simulation or simulation_of(setup, programs, ruleset, replacement=how.replacement)
    played = simulation.play(start, trials, how.seed, how.threads or default_threads(), how.progress)
    return [Endings(first, second, counts, trials) for first, second, counts in played]


def simulation_of(
    setup: Setup, programs: Sequence[Sequence[Operation]], ruleset: Ruleset, *, replacement: bool
) -> Simulation:
    """What plays `programs` by Monte Carlo, one after the other."""
    from analyser.engine.playing.played import Simulation

    return Simulation(setup, programs, np.array(ruleset.die.faces, np.int64), ruleset.deck.counts(), replacement)


def exact_laws_of(
    setup: Setup, programs: Sequence[Sequence[Operation]], start: tuple[int, int], ruleset: Ruleset
) -> list[Law]:
    """The joint law of the two sides after each of `programs`, one played after the other.

    Raises
    ------
    InputError
        It would take minutes or gigabytes.
    """
    from analyser.engine.joint import exact_laws

    _check_size(setup, programs)
    return exact_laws(setup, programs, start, np.array(ruleset.die.faces, np.int64), ruleset.deck.counts())


def _check_size(setup: Setup, programs: Sequence[Sequence[Operation]]) -> None:
    """Refuse an exact law that would take minutes or gigabytes."""
    kinds = [[operation[0] for operation in operations] for operations in programs]
    strikes = sum(each.count(_STRIKE) for each in kinds)
    rounds = sum(each.count(_END_ROUND) for each in kinds) // 2 or len(programs)
    units = setup["units"]
    standing = (units["models"].astype(np.float64) * units["damage_limit"]).tolist()
    pairs = standing[0] * standing[1] * (_STATUSES**2 if rounds > 1 else 1)
    sides = setup["sides"]
    if rounds > 1 and sides["charges"].all() and (sides["distance"] != NONE).all():
        pairs *= _WAYS_APART * rounds**2  # each charge, and each withdrawal, moves both
    steps = strikes * pairs * max(standing)
    if steps > MOST_STEPS:
        allowed = "fewer models or rounds, or the method monte-carlo"
        raise InputError(f"the exact law of this fight takes about {steps:.1g} steps", where="method", allowed=allowed)
