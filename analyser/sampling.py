"""The numbers of a sample: how often it is played, from which seed, how precisely, on how many threads."""

from __future__ import annotations

from numbers import Integral, Real

from analyser.errors import InputError, shown

MOST_THREADS = 1024
MOST_SEED_BITS = 1024


def check_sample(
    trials: int | None, seed: int, precision: float | None, threads: int | None, *, most_trials: int, finest: float
) -> None:
    """Refuse numbers that no sample can be played by.

    Parameters
    ----------
    trials : int or None
        1 to `most_trials`.
    seed : int
        0 or more.
    precision : float or None
        `finest` up to below 1, and not beside `trials`.
    threads : int or None
        1 to 1024.
    most_trials : int
    finest : float

    Raises
    ------
    InputError

    Examples
    --------
    >>> check_sample(1.5, 0, None, None, most_trials=1000, finest=0.1)
    Traceback (most recent call last):
    ...
    analyser.errors.InputError: trials: 1.5 is no whole number (allowed: 1 to 1000)
    """
    check_trials(trials, most_trials)
    check_whole(seed, "seed", 0)
    if (bits := int(seed).bit_length()) > MOST_SEED_BITS:
        raise InputError(f"a seed of {bits} bits", where="seed", allowed=f"0 or more, of up to {MOST_SEED_BITS} bits")
    check_threads(threads)
    if precision is None:
        return
    allowed = f"{finest:g} up to below 1"
    if isinstance(precision, bool) or not isinstance(precision, Real):
        raise InputError(f"{shown(precision)} is no number", where="precision", allowed=allowed)
    if not finest <= precision < 1:
        said = f"{precision:g}" if isinstance(precision, float) else shown(precision)  # an integer may fit no float
        raise InputError(f"precision {said}", where="precision", allowed=allowed)
    if trials is not None:
        raise InputError("both trials and precision", where="trials", allowed="one of them")


def check_trials(trials: int | None, most: int | None = None) -> None:
    """Refuse what is no number of trials."""
    if trials is not None:
        check_whole(trials, "trials", 1, most)


def check_threads(threads: int | None) -> None:
    """Refuse what is no number of threads."""
    if threads is not None:
        check_whole(threads, "threads", 1, MOST_THREADS)


def check_whole(number: object, where: str, least: int, most: int | None = None) -> None:
    """Refuse what is no whole number from `least` to `most`, which truth values are not either."""
    allowed = f"{least} or more" if most is None else f"{least} to {most}"
    if isinstance(number, bool) or not isinstance(number, Integral):
        raise InputError(f"{shown(number)} is no whole number", where=where, allowed=allowed)
    value = int(number)
    if value < least or (most is not None and value > most):
        said = f"{shown(value)} {where}" if where.endswith("s") else f"{where} {shown(value)}"
        raise InputError(said, where=where, allowed=allowed)
