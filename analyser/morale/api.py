"""Asking: a question to a system, answered exactly or by Monte Carlo."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from analyser.common.estimates import trials_for
from analyser.common.sampling import Sampling, default_threads
from analyser.common.validation import Record
from analyser.game.profiles import ProfilesUsed, profiles_used
from analyser.morale.questions import default_ruleset, read_question
from analyser.morale.result import MoraleResult
from analyser.morale.solve import Roll, weights_of
from analyser.morale.systems import answers_of, completed, question_model, system_named

DEFAULT_TRIALS = 1_000_000

QuestionLike = Record | str | os.PathLike[str] | Mapping[str, Any]


def load_question(system: str, source: QuestionLike, folder: str | os.PathLike[str] | None = None) -> Record:
    """A question to a system from a TOML file or a mapping of the same form (`docs/morale.md`), checked.

    Parameters
    ----------
    system : str
        ``legion``.
    source : path or mapping
        A question that is checked already comes back as it is.
    folder : path, optional
        A folder of profiles whose ``morale`` folder has ruleset files; left out: the shipped one.

    Raises
    ------
    InputError
        Anything that cannot be computed: the message names the file, the key, the value and what is allowed.

    Examples
    --------
    >>> load_question("legion", {"courage": 2}).rounds_played
    6
    """
    found = system_named(system)
    if isinstance(source, Record):
        return source
    own = None if folder is None else Path(folder)
    model = question_model(found)
    default = default_ruleset(model, found.ruleset, found.other_rulesets, own)
    return read_question(model, source, default, lambda raw: completed(found, raw, own))


def exact(system: str, question: QuestionLike, folder: str | os.PathLike[str] | None = None) -> MoraleResult:
    """The exact answer to a question: laws pushed through the system's rules.

    Raises
    ------
    InputError
        As :func:`load_question`.
    TooLargeError
        A question that only :func:`simulate` answers: too much can happen in it.

    Examples
    --------
    >>> result = exact("legion", {"courage": 1, "tokens": 2, "rounds": 1})
    >>> float(result.columns["rounds"]["p_panicked"][0].round(4))
    0.4444
    """
    ready, answers = load_question(system, question, folder), answers_of(system_named(system))
    tables = answers.tables(ready, weights_of(answers, ready, None))
    return MoraleResult(method="exact", tables=tables, **_account(system, ready, _used(question, folder)))


def simulate(
    system: str,
    question: QuestionLike,
    trials: int | None = None,
    *,
    seed: int = 0,
    precision: float | None = None,
    threads: int | None = None,
    folder: str | os.PathLike[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> MoraleResult:
    """The answer to a question by rolling every die.

    Parameters
    ----------
    system, question, folder
        As :func:`load_question`.
    trials : int, optional
        Games to play, 1 to 10**10; left out: a million.
    seed : int
        0 or more. The same seed gives the same bits, on any number of threads.
    precision : float, optional
        Instead of `trials`: so many that no 95% interval of a probability is wider, from its lower to its upper end.
    threads : int, optional
        Left out: one for each processor.
    progress : callable, optional
        Told the games played so far and the number aimed at, now and then.

    Raises
    ------
    InputError
        As :func:`load_question`, and for a wrong number of trials, seed, precision or threads, or for so many trials
        that end in more different ways than there is room for.

    Examples
    --------
    >>> simulate("legion", {"courage": 1, "tokens": 2}, trials=1000, seed=7).trials
    1000
    """
    Sampling("monte-carlo", trials, seed, precision, threads)
    games = int(trials) if trials else (DEFAULT_TRIALS if precision is None else trials_for(precision))
    ready, answers = load_question(system, question, folder), answers_of(system_named(system))
    roll = Roll(games, seed, threads or default_threads(), progress or (lambda _, __: None))
    tables = answers.tables(ready, weights_of(answers, ready, roll))
    return MoraleResult(
        method="monte-carlo", tables=tables, trials=games, seed=int(seed),
        **_account(system, ready, _used(question, folder)),
    )  # fmt: skip


def _used(question: QuestionLike, folder: str | os.PathLike[str] | None) -> ProfilesUsed | None:
    """Where the ruleset comes from; a checked question without a folder does not say where it was read."""
    return None if isinstance(question, Record) and folder is None else profiles_used(folder, morale=True)


def _account(system: str, question: Record, used: ProfilesUsed | None) -> dict[str, Any]:
    answers = answers_of(system_named(system))
    return {
        "system": system,
        "question": question,
        "applied": answers.applied(question),
        "not_modelled": answers.not_modelled(question),
        "warnings": answers.warnings(question),
        "profiles": used,
    }
