"""Public functions that answer questions about morale, exactly or by simulation."""

from __future__ import annotations

import inspect
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from analyser.common.errors import InputError, shown
from analyser.common.estimates import Method
from analyser.common.method_settings import Progress, Sampling
from analyser.engine.chain.chain import Recorded
from analyser.game.profiles import Profiles, ProfilesLike, ProfilesUsed, profiles_used
from analyser.morale.answer_parts import chain_weights
from analyser.morale.questions import MoraleQuestion, read_question
from analyser.morale.result import MoraleResult
from analyser.morale.systems import SYSTEMS, system_named

QuestionLike = MoraleQuestion | str | os.PathLike[str] | Mapping[str, Any]


def load_question(system: str, source: QuestionLike, profiles: ProfilesLike | None = None) -> MoraleQuestion:
    """Return a question about a system as a validated record, with defaults for all missing keys.

    Parameters
    ----------
    system : str
        One of :data:`~analyser.morale.systems.SYSTEMS`, such as ``legion``.
    source : path, mapping or checked question
        A TOML file, or a mapping of the same form (`docs/morale.md`).
    profiles : Profiles or path, optional
        Library of profiles, or its folder, with ruleset files in ``morale``. Default: the shipped library.

    Raises
    ------
    InputError
        The question is invalid; the message names the file, the key, the value and the allowed values.

    Examples
    --------
    >>> load_question("legion", {"courage": 2}).rounds_played
    6
    """
    system_record, folder = system_named(system), _folder(profiles)
    stated = profiles.stated_ruleset if isinstance(profiles, Profiles) else {}
    return source if isinstance(source, MoraleQuestion) else read_question(system_record, source, folder, stated)


def _folder(profiles: ProfilesLike | None) -> Path | None:
    folder = profiles.stated_folder if isinstance(profiles, Profiles) else profiles
    return None if folder is None else Profiles(folder).folder  # raises an error if the folder does not exist


def solve(
    system: str, question: QuestionLike, sampling: Sampling, profiles: ProfilesLike | None = None
) -> MoraleResult:
    """Return the answer to a question, exact or simulated; InputError as for :func:`exact`."""
    checked, answers, used = load_question(system, question, profiles), SYSTEMS[system].answers, None
    if not isinstance(question, MoraleQuestion) or profiles is not None:  # a checked question has no record of profiles
        used = profiles_used(_folder(profiles), morale=True)

    def answer(settings: Sampling) -> MoraleResult:
        if hasattr(answers, "weights"):
            recorded = answers.weights(checked, settings)
        else:
            recorded = chain_weights(answers.chains(checked), settings)
        result = answer_to(system, checked, recorded, used)
        return result if settings.is_exact else replace(result, trials=settings.trials, seed=int(settings.seed))

    return sampling.solve(answer)


def answer_to(
    system: str, question: MoraleQuestion, recorded: Mapping[str, Recorded], used: ProfilesUsed | None = None
) -> MoraleResult:
    """Return the answer to a checked question from the distributions or counts of its chains."""
    answers = SYSTEMS[system].answers
    tables, rules = answers.answer(question, recorded), answers.rules(question)
    return MoraleResult(system=system, scenario=question, raw_tables=tables, rules=rules, profiles=used)


def exact(system: str, question: QuestionLike, profiles: ProfilesLike | None = None) -> MoraleResult:
    """Return the exact answer to a question.

    Parameters
    ----------
    system, question, profiles
        As `system`, `source` and `profiles` of :func:`load_question`.

    Raises
    ------
    InputError
        As for :func:`load_question`; TooLargeError for a question that only :func:`simulate` can answer.

    Examples
    --------
    >>> exact("legion", {"courage": 1, "tokens": 2, "rounds": 1}).columns["rounds"]["p_panicked"].round(4).tolist()
    [0.4444]
    """
    return solve(system, question, Sampling(), profiles)


def simulate(
    system: str,
    question: QuestionLike,
    trials: int | None = None,
    *,
    seed: int = 0,
    precision: float | str | None = None,
    threads: int | None = None,
    profiles: ProfilesLike | None = None,
    progress: Progress | bool | None = None,
) -> MoraleResult:
    """Return the simulated answer to a question, with a 95% confidence interval for each probability and mean.

    Parameters
    ----------
    system, question, profiles
        As for :func:`exact`.
    trials, seed, precision, threads, progress
        As for :class:`~analyser.common.method_settings.Sampling`.

    Examples
    --------
    >>> simulate("legion", {"courage": 1, "tokens": 2}, trials=1000, seed=7).trials
    1000
    """
    sampling = Sampling("monte-carlo", trials, seed, precision, threads, progress=progress)
    return solve(system, question, sampling, profiles)


class SystemFunction:
    """Function that answers a question about one system; its arguments are a question, or the keys of one.

    Parameters
    ----------
    question : path, mapping or checked question, optional
        Default: the question with the keys given as keyword arguments (``analyser morale SYSTEM --help`` lists them).
    method, trials, seed, precision, threads, progress
        As for :class:`~analyser.common.method_settings.Sampling`.
    profiles : Profiles or path, optional
        Library of profiles, or its folder, with the ruleset to use. Default: the shipped library.

    Raises
    ------
    InputError
        As for :func:`exact`, or both a question and keys are given.

    Examples
    --------
    >>> print(legion(courage=1, tokens=2, rounds=1).probability("panicked"))
    44.44%
    >>> round(mordheim(stupidity={"leadership": 7}, turns=1).mean("turns_lost"), 4)
    0.4167
    >>> compare(models=6, losses=1, rounds=2, method="monte-carlo", trials=1000).to_frame()["system"].nunique()
    5
    """

    def __init__(self, system: str) -> None:
        self.system, self.__name__ = system, system.replace("-", "_")
        self.__doc__ = f"{SYSTEMS[system].title}.\n\n{inspect.getdoc(type(self))}"

    def __call__(
        self,
        question: QuestionLike | None = None,
        *,
        method: Method = "exact",
        trials: int | None = None,
        seed: int = 0,
        precision: float | str | None = None,
        threads: int | None = None,
        profiles: ProfilesLike | None = None,
        progress: Progress | bool | None = None,
        **keys: Any,
    ) -> MoraleResult:
        """Return the answer to a question."""
        sampling = Sampling(method, trials, seed, precision, threads, progress=progress)
        if question is not None and keys:
            problem = f"both a question and the key {shown(next(iter(keys)))}"
            raise InputError(problem, where=self.system, allowed="a question, or its keys")
        return solve(self.system, keys if question is None else question, sampling, profiles)

    def __repr__(self) -> str:
        return f"analyser.morale.{self.__name__}(question=None, *, method='exact', ...)"


legion, grande_tactique, warmaster, mordheim, compare = map(SystemFunction, SYSTEMS)
