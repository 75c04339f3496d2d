"""Lines of policies, each an order with conditions: a parser, and a table of the simple tactics for kernels.

An example of a line is ``charge if the enemy is suppressed and within reach``. The first line whose conditions hold
applies. Articles and pronouns may be left out; ``he``, ``they`` and ``it`` mean the enemy.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Sequence
from itertools import chain, pairwise
from math import ceil, floor
from typing import NamedTuple

import numpy as np

from analyser.common.errors import InputError, did_you_mean
from analyser.common.jit import step
from analyser.common.records import Integers
from analyser.rules.activation import APART
from analyser.rules.policies import POLICIES, Action, Manoeuvre, Policy, View, allowed
from analyser.rules.structs import INCH

FLAGS = (
    "in range",
    "in short range",
    "within reach",
    "rally failed",
    "in building",
    "suppressed",
    "disordered",
    "on lookout",
    "taking cover",
    "reloading",
    "enemy suppressed",
    "enemy disordered",
    "enemy on lookout",
    "enemy taking cover",
    "enemy reloading",
    "enemy activated",
)
"""Conditions that are true or false: of the row that is fired, of a charge, of the unit itself, and of the enemy."""
_OF_A_ROW = ("in range", "in short range")  # values 1 and 2, because short range is within range
QUANTITIES = ("models", "damage", "enemy models", "enemy damage", "distance", "round", "rounds left")
"""Conditions that compare a number."""
_MOVES = {
    "aim": Manoeuvre.AIM,
    "stay": Manoeuvre.STAY,
    "advance": Manoeuvre.ADVANCE,
    "close in": Manoeuvre.ADVANCE,
    "retire": Manoeuvre.RETIRE,
    "retire at double time": Manoeuvre.RETIRE_AT_DOUBLE_TIME,
    "double time": Manoeuvre.DOUBLE_TIME,
    "charge": Manoeuvre.CHARGE,
    "exit": Manoeuvre.EXIT,
    "leave the building": Manoeuvre.EXIT,
    "leave the building to the rear": Manoeuvre.EXIT_BACK,
}
_ALONE = (Manoeuvre.CHARGE, Manoeuvre.DOUBLE_TIME, Manoeuvre.RETIRE_AT_DOUBLE_TIME)  # exclude a special action
_DEEDS = {
    "shoot": Action.SHOOT,
    "go on lookout": Action.GO_ON_LOOKOUT,
    "lookout": Action.GO_ON_LOOKOUT,
    "take cover": Action.TAKE_COVER,
    "re-arm": Action.RE_ARM,
    "do nothing": Action.NOTHING,
    "hold": Action.NOTHING,
}
TO_RANGE, TO_SHORT_RANGE = -1, -2
"""Stops of a line: its move ends at that range of its row."""
_RANGES = {"range": TO_RANGE, "short range": TO_SHORT_RANGE}
_TO_RANGES = tuple(
    f"{move} to {reach}" for move in ("close in", "retire", "double time", "retire at double time") for reach in _RANGES
)
ORDERS = (*_MOVES, *_TO_RANGES, *_DEEDS)
_FILLERS = frozenset(("the", "a", "an", "is", "are", "am", "be", "has", "have", "of", "to", "there", "inches", "inch"))
_OWN = frozenset(("i", "we", "my", "our", "own", "its", "their"))
_ENEMY = frozenset(("he", "she", "they", "it", "enemy's", "his", "him", "them"))
_WHEN = re.compile(r"\b(if|when|while|unless|until)\b")
_BETWEEN_LINES = re.compile(r"[;\n]|,\s*(?=(?:then|else|otherwise)\b)")
_OPENING = re.compile(r"^(?:then|else|otherwise|first)\s+")
_WITH = re.compile(r"\s+with\s+(.+)$")
_COMPARISONS = {
    "at least": ">=",
    "at most": "<=",
    "exactly": "==",
    "more than": ">",
    "fewer than": "<",
    "less than": "<",
}
_AS_NUMBER = re.compile(r"^\d+(\.\d+)?$")
_SO_FAR = re.compile(r"^(advance|retire|retire at double time|double time)\s+(\d+(?:\.\d+)?)\s*(?:inch|inches|[\"”])?$")
_UP_TO = re.compile(
    r"^(close in|retire|retire at double time|double time)\s+to\s+"
    r"(range|short range|\d+(?:\.\d+)?)\s*(?:inch|inches|[\"”])?$"
)
_HOW_FAR = re.compile(r"\s+(?:[\d.]+\S*|\S+\s+inch(?:es)?)(?:\s+inch(?:es)?)?$")  # a distance, or a misspelt one
_FARTHEST = 1000  # most inches of a move
MOST_LINES = 10_000  # number of situations of a plan


def is_in_words(policy: str) -> bool:
    """Return True if a text is a policy in lines: an order, or more than one word.

    >>> is_in_words("advance"), is_in_words("aim and shoot"), is_in_words("short_range")
    (True, True, False)
    """
    words = policy.strip().lower()
    return " " in words or words in ORDERS


class Condition(NamedTuple):
    """A condition of a line."""

    quantity: str  # one of FLAGS or QUANTITIES
    comparison: str = ""  # comparison of a number: <, <=, ==, >= or >
    value: float = 0.0
    negated: bool = False


class Line(NamedTuple):
    """An order and its conditions."""

    manoeuvre: Manoeuvre
    action: Action
    conditions: tuple[Condition, ...] = ()
    fired: str = ""  # a row's id, "overcharge" or "all rows"; empty: the best row
    stop: int = 0  # end of the move (:func:`~.activation.stopped`), TO_RANGE or TO_SHORT_RANGE; 0: its full length
    text: str = ""


LAST_RESORT = Line(Manoeuvre.STAY, Action.NOTHING, text="do nothing")
"""Order of a list if none of its lines applies."""


def lines_of(policy: str | Sequence[str], where: str) -> tuple[Line, ...]:
    """Return the lines of a policy in words: a list of them, or one text separated by ``;`` or ``, then``.

    InputError for an unknown word (with the nearest known one), a contradiction, or a line that is never reached (with
    the line that hides it).

    >>> [line.text for line in lines_of("lookout until the enemy is within 12, then charge, else aim and shoot", "")]
    ['lookout until the enemy is within 12', 'charge', 'aim and shoot']
    """
    texts = [part for text in ([policy] if isinstance(policy, str) else policy) for part in _BETWEEN_LINES.split(text)]
    texts = [text for part in texts if (text := _OPENING.sub("", part.strip().rstrip(".,").strip().lower()))]
    if not 1 <= len(texts) <= MOST_LINES:
        raise InputError(f"{len(texts)} lines", where=where, allowed=f"1 to {MOST_LINES}")
    lines = tuple(_line_of(text, f"{where}: line {number}") for number, text in enumerate(texts, 1))
    if (result := _hidden_line(lines)) is not None:
        later, earlier = result
        taken = lines[earlier]
        why = "is taken wherever that could be" if all_conditions(taken) else "has no condition"
        problem = (
            f"line {later + 1}, {lines[later].text!r}, is never reached: line {earlier + 1}, {taken.text!r}, {why}"
        )
        allowed = f"line {earlier + 1} later, or under another condition; or no line {later + 1}"
        raise InputError(problem, where=where, allowed=allowed)
    return lines


def all_conditions(line: Line) -> tuple[Condition, ...]:
    """Return the conditions of a line, with implied ones: a charge within reach, a shot without a move in range."""
    if line.manoeuvre == Manoeuvre.CHARGE:
        return (*line.conditions, Condition("within reach"))
    if line.action == Action.SHOOT and line.manoeuvre in (Manoeuvre.AIM, Manoeuvre.STAY):
        return (*line.conditions, Condition("in range"))
    return line.conditions


def _hidden_line(lines: Sequence[Line]) -> tuple[int, int] | None:
    """Return the first line that is never reached, and the earlier line that hides it; None if there is none.

    Each quantity is represented by values that its conditions distinguish.

    >>> _hidden_line(lines_of("aim and shoot", "") + lines_of("charge if in range", ""))
    (1, 0)
    """
    asked = [_by_quantity(line) for line in lines]
    about: dict[str, list[Condition]] = {}
    for quantity, conditions in chain.from_iterable(by_quantity.items() for by_quantity in asked):
        about.setdefault(quantity, []).extend(conditions)
    values = [(quantity, value) for quantity, conditions in about.items() for value in _values_near(conditions)]
    holding = dict.fromkeys(values, 0)  # bits of the earlier lines that hold for a value
    for number, of_line in enumerate(asked):
        over = (1 << number) - 1
        for quantity, value in values:
            if all(_holds_of(condition, value) for condition in of_line.get(quantity, ())):
                over &= holding[quantity, value]
                holding[quantity, value] |= 1 << number
        if over:
            return number, (over & -over).bit_length() - 1
    return None


def _by_quantity(line: Line) -> dict[str, list[Condition]]:
    """Return all conditions of a line by quantity; the ranges of a row are one quantity."""
    result: dict[str, list[Condition]] = {}
    row = "" if line.manoeuvre == Manoeuvre.CHARGE else line.fired
    for condition in all_conditions(line):
        result.setdefault(f"range of {row}" if condition.quantity in _OF_A_ROW else condition.quantity, []).append(
            condition
        )
    return result


def _line_of(text: str, where: str) -> Line:
    first, *rest = _WHEN.split(text, maxsplit=1)
    order = _order_of(first.strip(), where)
    conditions: list[Condition] = []
    if rest:
        word, said = rest
        parts = re.split(r"\band\b|,", said)
        if word in ("until", "unless") and len(parts) > 1:
            raise InputError(f"{word} with several conditions", where=where, allowed="one condition, or if and not")
        conditions = [_condition_of(part.strip(), where) for part in parts]
        if word in ("until", "unless"):
            conditions = [conditions[0]._replace(negated=not conditions[0].negated)]
    line = order._replace(conditions=tuple(conditions), text=text)
    _check_together(line, where)
    return line


def _order_of(text: str, where: str) -> Line:
    fired, stop = "", 0
    if (match := _WITH.search(text)) is not None:
        fired, text = match[1].strip(), text[: match.start()]
    moves, deeds = list[Manoeuvre](), list[Action]()
    for said in filter(None, (words.strip() for words in re.split(r"\band\b|,", text))):
        part, ends = _move_in(said, where)
        if part in _MOVES:
            moves.append(_MOVES[part])
            stop = ends
        elif part in _DEEDS:
            deeds.append(_DEEDS[part])
        else:
            problem = f"no order {part!r}{did_you_mean(_HOW_FAR.sub('', part), ORDERS)}"
            raise InputError(problem, where=where, allowed=", ".join(ORDERS))
    if not moves and not deeds:
        raise InputError("the order is empty", where=where, allowed=", ".join(ORDERS))
    if len(moves) > 1 or len(deeds) > 1:
        raise InputError(f"{text!r} is more than a move and a deed", where=where, allowed="one of each")
    shoots = deeds == [Action.SHOOT]
    manoeuvre = moves[0] if moves else Manoeuvre.AIM if shoots else Manoeuvre.STAY
    action = deeds[0] if deeds else Action.SHOOT if manoeuvre == Manoeuvre.AIM else Action.NOTHING
    if manoeuvre in _ALONE and action != Action.NOTHING:
        raise InputError(f"{text!r}: nothing is done beside that move", where=where, allowed="the move alone")
    if manoeuvre == Manoeuvre.AIM and action != Action.SHOOT:
        raise InputError(f"{text!r}: aiming requires `shoot`", where=where, allowed="aim and shoot")
    if fired and action != Action.SHOOT and manoeuvre != Manoeuvre.CHARGE:
        raise InputError(f"with {fired!r}: nothing is fired", where=where, allowed="shoot with it")
    return Line(manoeuvre, action, fired=fired, stop=stop)


def _move_in(text: str, where: str) -> tuple[str, int]:
    """Return an order without the words about the end of its move, and its stop."""
    if (match := _SO_FAR.match(text)) is not None:
        return match[1], _inches(match[2], text, where)
    if (match := _UP_TO.match(text)) is not None:
        reach = _RANGES.get(match[2])
        return match[1], APART | _inches(match[2], text, where) if reach is None else reach
    return text, TO_SHORT_RANGE if text == "close in" else 0


def _inches(inches: str, text: str, where: str) -> int:
    """Return the stated length of a move in hundredths of an inch."""
    stop = round(float(inches) * INCH)
    if not 0 < stop <= _FARTHEST * INCH:
        raise InputError(f"{text!r}: not a move", where=where, allowed=f"more than 0, up to {_FARTHEST} inches")
    return stop


def _condition_of(text: str, where: str) -> Condition:
    said = text
    for words, sign in _COMPARISONS.items():
        said = re.sub(rf"\b{words}\b", f" {sign} ", said)
    kept = [
        "enemy" if word in _ENEMY else word
        for word in re.sub(r'["“”]', "", said).split()
        if word in _ENEMY or word not in _FILLERS | _OWN
    ]
    negated = "not" in kept
    kept = [word for word in kept if word != "not"]
    for word, sign in (("within", "<="), ("beyond", ">")):
        if len(kept) > 1 and kept[-2] == word and _AS_NUMBER.match(kept[-1]):
            if any(word not in ("enemy", "distance") for word in kept[:-2]):
                raise _no_condition(text, where)
            return Condition("distance", sign, float(kept[-1]), negated)
    signs = [word for word in kept if word in ("<", "<=", "==", ">=", ">", "=")]
    numbers = [word for word in kept if _AS_NUMBER.match(word)]
    names = " ".join(word for word in kept if word not in (*signs, *numbers))
    if numbers:
        name = {"model": "models", "enemy model": "enemy models", "models enemy": "enemy models"}.get(names, names)
        if name not in QUANTITIES or len(numbers) > 1 or len(signs) > 1:
            raise _no_condition(text, where, name)
        sign = signs[0] if signs else "=="
        return Condition(name, "==" if sign == "=" else sign, float(numbers[0]), negated)
    name = {"reach": "within reach", "range": "in range", "failed rally": "rally failed"}.get(names, names)
    name = {"enemy in range": "in range", "enemy within reach": "within reach"}.get(name, name)
    name = {"enemy in short range": "in short range"}.get(name, name)
    if name not in FLAGS:
        raise _no_condition(text, where, name)
    return Condition(name, negated=negated)


def _no_condition(text: str, where: str, name: str = "") -> InputError:
    numbered = any(map(_AS_NUMBER.match, text.split()))  # True for a quantity with a number
    hint = _nearest_words(text) if numbered else ""
    hint = hint or did_you_mean(name or text, (*FLAGS, *QUANTITIES)) or _nearest_words(text)
    problem = f"no condition {text!r}{hint}"
    allowed = (
        f"{', '.join(FLAGS)}; within and beyond inches; at least, at most, exactly so many of {', '.join(QUANTITIES)}"
    )
    return InputError(problem, where=where, allowed=allowed)


def _nearest_words(text: str) -> str:
    """Return a suggestion for the first unknown word."""
    words_known = dict.fromkeys(
        word for words in (*FLAGS, *QUANTITIES, *_COMPARISONS, "beyond") for word in words.split()
    )
    for word in text.split():
        if not {word} & {*words_known, *_FILLERS, *_OWN, *_ENEMY, "not"} and not _AS_NUMBER.match(word):
            return did_you_mean(word, words_known)
    return ""


def _check_together(line: Line, where: str) -> None:
    """Raise InputError for conditions that can never hold together, including implied ones."""
    for quantity, asked in _by_quantity(line).items():
        if any(all(_holds_of(condition, value) for condition in asked) for value in _values_near(asked)):
            continue
        if quantity in QUANTITIES:
            said = " and ".join(map(_in_words, asked))
            raise InputError(f"no {quantity} is {said}", where=where, allowed="compatible conditions")
        said = ", and ".join(
            f"{'not ' * condition.negated}{condition.quantity}{' (implied)' * (condition not in line.conditions)}"
            for condition in dict.fromkeys(asked)
        )
        raise InputError(said, where=where, allowed="one of them: both never hold")


def _values_near(conditions: Sequence[Condition]) -> set[float]:
    """Return test values of a quantity from 0: conditions that can hold together do so for one of these."""
    if conditions[0].quantity in FLAGS:
        return {0.0, 1.0, 2.0}
    ends = sorted({0.0, *(condition.value for condition in conditions)})
    if conditions[0].quantity == "distance":  # all others are whole numbers
        return {*ends, *((low + high) / 2 for low, high in pairwise(ends)), ends[-1] + 1}
    near = {whole(end) + step for end in ends for whole in (floor, ceil) for step in (-1, 0, 1)}
    return {float(value) for value in near if value >= 0}


def _holds_of(condition: Condition, value: float) -> bool:
    if condition.quantity in FLAGS:
        return (value >= 1 + (condition.quantity == "in short range")) != condition.negated
    return bool(_HOLDS[condition.comparison](value, condition.value)) != condition.negated


def _in_words(condition: Condition) -> str:
    words = next(words for words, sign in _COMPARISONS.items() if sign == condition.comparison)
    return f"{'not ' if condition.negated else ''}{words} {condition.value:g}"


_HOLDS = {">=": operator.ge, "<=": operator.le, "==": operator.eq, ">": operator.gt, "<": operator.lt}


_SEEN = ("in range", "in short range", "within reach")  # conditions available to tactics
_ALWAYS, _IN_RANGE, _IN_SHORT_RANGE, _WITHIN_REACH = range(4)
TACTICS: dict[str, tuple[Line, ...]] = {name: lines_of(about.lines, name) for name, about in POLICIES.items()}
"""The lines of each tactic."""
_LINES = max(map(len, TACTICS.values()))


def _coded(line: Line) -> tuple[int, int, int]:
    condition = _ALWAYS if not line.conditions else 1 + _SEEN.index(line.conditions[0].quantity)
    return condition, Manoeuvre.CLOSE_IN if line.stop else line.manoeuvre, line.action


_TABLE = np.array(
    [[_coded(lines[min(place, len(lines) - 1)]) for place in range(_LINES)] for lines in TACTICS.values()], np.int64
)


VIEWS = 1 << 5  # number of different views outside a building, see `number_of`


@step
def number_of(view: View) -> int:
    """Return the index of a view in :func:`allowed_of_every_view`; distances are ignored."""
    seen = (1 if view.rally_failed else 0) | (2 if view.in_range else 0) | (4 if view.in_short_range else 0)
    return seen | (8 if view.can_charge else 0) | (16 if view.must_charge else 0)


def allowed_of_every_view() -> Integers:
    """Return the allowed manoeuvre and action of each policy for each view.

    Shape (policies, VIEWS, 2); views by :func:`number_of`.
    """
    orders = np.zeros((len(Policy), VIEWS, 2), np.int64)
    for seen in range(VIEWS):
        rally_failed, in_range, in_short_range, can_charge, must_charge = (seen >> place & 1 for place in range(5))
        view = View(rally_failed, 0, in_range, in_short_range, can_charge, must_charge, 0)
        for policy in Policy:
            orders[policy, seen] = allowed(*decide(policy, view), view)
    return orders


@step
def decide(policy: int, view: View) -> tuple[int, int]:
    """Return the manoeuvre and the action of a tactic: its first line whose condition holds."""
    for line in range(_LINES):
        condition = _TABLE[policy, line, 0]
        holds = condition == _ALWAYS or (condition == _IN_RANGE and view.in_range)
        holds = holds or (condition == _IN_SHORT_RANGE and view.in_short_range)
        if holds or (condition == _WITHIN_REACH and view.can_charge):
            return int(_TABLE[policy, line, 1]), int(_TABLE[policy, line, 2])
    return Manoeuvre.STAY, Action.NOTHING
