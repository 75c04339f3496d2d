"""What is wrong with the answer to an input, or with its refusal."""

import json
import re
import signal
import tempfile
import time
import traceback
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from analyser.common.errors import LONGEST_MESSAGE, InputError
from tests.fuzz.doors import DOORS, RefusedError
from tests.fuzz.odd import realised

LONGEST_MESSAGE = LONGEST_MESSAGE + len("error: ")
LONGEST_VALUE = 1500
MOST_SECONDS = 30.0  # of processor time, once everything is compiled; far above what any case needs
HOPELESS = 600.0  # compiled or not


class TooLong(BaseException):
    """A case takes longer than it may."""


@contextmanager
def time_limit():
    """Stop what takes too long, and judge what did."""

    def stop(*_):
        raise TooLong

    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, HOPELESS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


_HALF_WRITTEN = re.compile(r"\..*-\w{8}(\..*)?")  # as temporary files beside their place are called


class Judged(NamedTuple):
    """What came of a case."""

    wrong: str | None  # what is wrong with the answer or the refusal, in a line; None if nothing is
    refusal: str | None  # what was said of an input that was refused; None of an answer
    seconds: float  # of processor time


def wrong_with(door, given):
    """What is wrong with the answer to an input, in a line; None if nothing is."""
    return judged(door, given).wrong


def judged(door, given):
    """What comes of an input.

    What takes long is asked a second time: the first may have compiled what nobody had needed before.
    """
    for _ in range(2):
        begun = time.process_time()
        wrong, refusal = _judged(door, given)
        seconds = time.process_time() - begun
        if wrong is not None or seconds < MOST_SECONDS:
            return Judged(wrong, refusal, seconds)
    return Judged(f"takes more than {MOST_SECONDS:g} seconds", refusal, seconds)


def _judged(door, given):
    refusal = None
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        try:
            handed = realised(given)
            with time_limit():
                answer = DOORS[door][0](handed, folder)
        except (InputError, RefusedError) as error:
            refusal = str(error)
            wrong = wrong_with_message(refusal)
        except TooLong:
            wrong = f"takes more than {HOPELESS:g} seconds"
        except RecursionError as error:
            wrong = f"RecursionError at {_where(error)}"
        except AssertionError as error:
            wrong = f"{str(error)[:200]} at {_where(error)}"
        except Exception as error:
            wrong = f"{type(error).__name__}: {str(error)[:200]!r} at {_where(error)}"
        else:
            wrong = wrong_with_answer(answer)
        left = [each.name for each in folder.rglob(".*") if _HALF_WRITTEN.fullmatch(each.name)]
        return wrong or (f"left behind: {left}" if left else None), refusal


def _where(error):
    frames = traceback.extract_tb(error.__traceback__)
    ours = [each for each in frames if "/analyser/" in each.filename] or frames
    return f"{Path(ours[-1].filename).name}:{ours[-1].name}"


def wrong_with_message(message):
    if not message.isprintable():
        return f"unprintable message: {message[:100]!r}"
    if len(message) > LONGEST_MESSAGE:
        return f"a message of more than {LONGEST_MESSAGE} characters: {message[:60]!r}"
    return "an empty message" if not message.strip() else None


def wrong_with_answer(answer):
    """What is wrong with an answer: a figure that is none, a probability outside 0 to 1."""
    try:
        json.dumps(answer, allow_nan=False)
    except (TypeError, ValueError) as error:
        return f"no JSON: {error}"
    return next(_impossible(answer, ""), None)


def _impossible(value, name):
    if isinstance(value, dict):
        for key, each in value.items():
            if key not in ("scenario", "question"):
                yield from _impossible(each, key)
    elif isinstance(value, list):
        for each in value:
            yield from _impossible(each, name)
    elif isinstance(value, str):
        if not value.replace("\n", "").isprintable():
            yield f"unprintable text in an answer: {name} {value[:100]!r}"
        elif len(value) > LONGEST_VALUE and name == "warnings":
            yield f"a long warning: {value[:60]!r}"
    elif isinstance(value, int | float) and _is_probability(name) and not -1e-12 <= value <= 1 + 1e-12:
        yield f"{name} = {value}"


def _is_probability(name):
    return (name.startswith("p_") and "per_100" not in name) or name in ("probability", "low", "high", "chance")
