"""Parser of policies in words, such as ``charge if the enemy is suppressed``, and a table of tactics for kernels."""

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
from analyser.common.kernel_records import Integers
from analyser.rules.activation import STOP_IS_DISTANCE
from analyser.rules.policies import POLICIES, Action, Manoeuvre, Policy, View, allowed_decision
from analyser.rules.structs import INCH

YES_NO_CONDITIONS = (
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
"""Conditions that are true or false, about the row in use, a charge, the unit itself, or the enemy."""
_RANGE_CONDITIONS = ("in range", "in short range")  # both test one value: 0 is out of range, 1 long, 2 short range
QUANTITIES = ("models", "damage", "enemy models", "enemy damage", "distance", "round", "rounds left")
"""Subjects of the conditions that compare a number."""
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
_MOVES_WITHOUT_ACTION = (Manoeuvre.CHARGE, Manoeuvre.DOUBLE_TIME, Manoeuvre.RETIRE_AT_DOUBLE_TIME)
_ACTIONS = {
    "shoot": Action.SHOOT,
    "go on lookout": Action.GO_ON_LOOKOUT,
    "lookout": Action.GO_ON_LOOKOUT,
    "take cover": Action.TAKE_COVER,
    "re-arm": Action.RE_ARM,
    "do nothing": Action.NOTHING,
    "hold": Action.NOTHING,
}
TO_RANGE, TO_SHORT_RANGE = -1, -2
"""Special values of `Line.stop`: the move ends where the line's row is in range, or in short range."""
_RANGES = {"range": TO_RANGE, "short range": TO_SHORT_RANGE}
_TO_RANGES = tuple(
    f"{move} to {reach}" for move in ("close in", "retire", "double time", "retire at double time") for reach in _RANGES
)
ORDERS = (*_MOVES, *_TO_RANGES, *_ACTIONS)
_FILLERS = frozenset(("the", "a", "an", "is", "are", "am", "be", "has", "have", "of", "to", "there", "inches", "inch"))
_OWN_WORDS = frozenset(("i", "we", "my", "our", "own", "its", "their"))
_OTHER_NAMES = {
    "reach": "within reach",
    "range": "in range",
    "failed rally": "rally failed",
    "enemy in range": "in range",
    "enemy within reach": "within reach",
    "enemy in short range": "in short range",
}
_ENEMY_WORDS = frozenset(("he", "she", "they", "it", "enemy's", "his", "him", "them"))
_CONDITION_WORD = re.compile(r"\b(if|when|while|unless|until)\b")
_BETWEEN_LINES = re.compile(r"[;\n]|,\s*(?=(?:then|else|otherwise)\b)", re.IGNORECASE)
_LEADING_WORD = re.compile(r"^(?:then|else|otherwise|first)\s+")
_WEAPON = re.compile(r"\s+with\s+(.+)$")
_COMPARISONS = {
    "at least": ">=",
    "at most": "<=",
    "exactly": "==",
    "more than": ">",
    "fewer than": "<",
    "less than": "<",
}
_OPERATORS = {">=": operator.ge, "<=": operator.le, "==": operator.eq, ">": operator.gt, "<": operator.lt}
_NUMBER = re.compile(r"^\d+(\.\d+)?$")
_MOVE_BY_INCHES = re.compile(
    r"^(advance|retire|retire at double time|double time)\s+(\d+(?:\.\d+)?)\s*(?:inch|inches|[\"”])?$"
)
_MOVE_TO_RANGE = re.compile(
    r"^(close in|retire|retire at double time|double time)\s+to\s+"
    r"(range|short range|\d+(?:\.\d+)?)\s*(?:inch|inches|[\"”])?$"
)
# A distance, possibly misspelt, at the end of an unknown order. It is removed before the search for similar orders.
_TRAILING_DISTANCE = re.compile(r"\s+(?:[\d.]+\S*|\S+\s+inch(?:es)?)(?:\s+inch(?:es)?)?$")
_MOST_INCHES_OF_MOVE = 1000
MOST_LINES = 10_000  # most lines of a policy; a plan of best play written as a policy has a line for each situation


def is_in_words(policy: str) -> bool:
    """Return True if a text is a policy in words (an order, or more than one word), not the name of a tactic.

    >>> is_in_words("advance"), is_in_words("aim and shoot"), is_in_words("short_range")
    (True, True, False)
    """
    words = policy.strip().lower()
    return " " in words or words in ORDERS


class Condition(NamedTuple):
    """A condition of a line."""

    subject: str  # one of YES_NO_CONDITIONS or QUANTITIES
    comparison: str = ""  # <, <=, ==, >= or >, between one of QUANTITIES and `value`
    value: float = 0.0
    negated: bool = False


class Line(NamedTuple):
    """An order and its conditions."""

    manoeuvre: Manoeuvre
    action: Action
    conditions: tuple[Condition, ...] = ()
    row: str = ""  # a row's id, "overcharge" or "all rows"; empty: the best row
    stop: int = 0  # end of the move (`activation.length_until_stop`), TO_RANGE or TO_SHORT_RANGE; 0: the full length
    text: str = ""  # the line as written


LAST_RESORT = Line(Manoeuvre.STAY, Action.NOTHING, text="do nothing")
"""Line that applies if no line of a policy does."""


def lines_of(policy: str | Sequence[str], where: str) -> tuple[Line, ...]:
    """Return the lines of a policy in words: a list of texts, or one text separated by ``;`` or ``, then``.

    >>> [line.text for line in lines_of("lookout until the enemy is within 12, then charge, else aim and shoot", "")]
    ['lookout until the enemy is within 12', 'charge', 'aim and shoot']
    """
    texts = [part for text in ([policy] if isinstance(policy, str) else policy) for part in _BETWEEN_LINES.split(text)]
    texts = [text for part in texts if (text := _LEADING_WORD.sub("", part.strip().rstrip(".,").strip().lower()))]
    if not 1 <= len(texts) <= MOST_LINES:
        raise InputError(f"{len(texts)} lines", where=where, allowed=f"1 to {MOST_LINES}")
    lines = tuple(_line_of(text, f"{where}: line {number}") for number, text in enumerate(texts, 1))
    if (numbers := _hidden_line(lines)) is not None:
        hidden, hiding = (f"line {number + 1}" for number in numbers)
        text, hiding_line = lines[numbers[0]].text, lines[numbers[1]]
        why = f"applies whenever {hidden} would" if all_conditions(hiding_line) else "has no condition"
        problem = f"{hidden}, {text!r}, is never reached: {hiding}, {hiding_line.text!r}, {why}"
        remedy = f"move {hiding} down, change its condition, or delete {hidden}"
        raise InputError(problem, where=where, allowed=remedy)
    return lines


def all_conditions(line: Line) -> tuple[Condition, ...]:
    """Return the stated and implied conditions: `within reach` for a charge, `in range` for a shot without a move."""
    if line.manoeuvre == Manoeuvre.CHARGE:
        return (*line.conditions, Condition("within reach"))
    if line.action == Action.SHOOT and line.manoeuvre in (Manoeuvre.AIM, Manoeuvre.STAY):
        return (*line.conditions, Condition("in range"))
    return line.conditions


def _hidden_line(lines: Sequence[Line]) -> tuple[int, int] | None:
    """Return the index of the first unreachable line, and that of the earlier line that hides it, or None.

    >>> _hidden_line(lines_of("aim and shoot", "") + lines_of("charge if in range", ""))
    (1, 0)
    """
    lines_conditions = [_conditions_by_subject(line) for line in lines]
    by_subject: dict[str, list[Condition]] = {}
    for subject, conditions in chain.from_iterable(map(dict.items, lines_conditions)):
        by_subject.setdefault(subject, []).extend(conditions)
    values = [(subject, value) for subject, conditions in by_subject.items() for value in _test_values(conditions)]
    earlier_lines_true = dict.fromkeys(values, 0)  # by value: bit mask of the earlier lines whose conditions hold
    for number, line_conditions in enumerate(lines_conditions):
        hiding = (1 << number) - 1
        for subject, value in values:
            if all(_holds_at(condition, value) for condition in line_conditions.get(subject, ())):
                hiding &= earlier_lines_true[subject, value]
                earlier_lines_true[subject, value] |= 1 << number
        if hiding:
            return number, (hiding & -hiding).bit_length() - 1
    return None


def _conditions_by_subject(line: Line) -> dict[str, list[Condition]]:
    """Return all conditions of a line by subject; both range conditions of a row count as one subject."""
    result: dict[str, list[Condition]] = {}
    row = "" if line.manoeuvre == Manoeuvre.CHARGE else line.row
    for condition in all_conditions(line):
        subject = f"range of {row}" if condition.subject in _RANGE_CONDITIONS else condition.subject
        result.setdefault(subject, []).append(condition)
    return result


def _line_of(text: str, where: str) -> Line:
    order_text, *rest = _CONDITION_WORD.split(text, maxsplit=1)
    order = _order_of(order_text.strip(), where)
    conditions: list[Condition] = []
    if rest:
        word, conditions_text = rest
        parts = re.split(r"\band\b|,", conditions_text)
        if word in ("until", "unless") and len(parts) > 1:
            raise InputError(f"`{word}` takes one condition", where=where, allowed="one condition, or `if` and `not`")
        conditions = [_condition_of(part.strip(), where) for part in parts]
        if word in ("until", "unless"):
            conditions = [conditions[0]._replace(negated=not conditions[0].negated)]
    line = order._replace(conditions=tuple(conditions), text=text)
    _check_compatible(line, where)
    return line


def _order_of(text: str, where: str) -> Line:
    weapon, stop = "", 0
    if (match := _WEAPON.search(text)) is not None:
        weapon, text = match[1].strip(), text[: match.start()]
    moves, actions = list[Manoeuvre](), list[Action]()
    for phrase in filter(None, (words.strip() for words in re.split(r"\band\b|,", text))):
        part, move_stop = _move_and_stop(phrase, where)
        if part in _MOVES:
            moves.append(_MOVES[part])
            stop = move_stop
        elif part in _ACTIONS:
            actions.append(_ACTIONS[part])
        else:
            problem = f"unknown order {part!r}{did_you_mean(_TRAILING_DISTANCE.sub('', part), ORDERS)}"
            raise InputError(problem, where=where, allowed=", ".join(ORDERS))
    if not moves and not actions:
        raise InputError("the order is empty", where=where, allowed=", ".join(ORDERS))
    if len(moves) > 1 or len(actions) > 1:
        raise InputError(f"{text!r} has too many orders", where=where, allowed="one move and one action")
    shoots = actions == [Action.SHOOT]
    manoeuvre = moves[0] if moves else Manoeuvre.AIM if shoots else Manoeuvre.STAY
    action = actions[0] if actions else Action.SHOOT if manoeuvre == Manoeuvre.AIM else Action.NOTHING
    if manoeuvre in _MOVES_WITHOUT_ACTION and action != Action.NOTHING:
        raise InputError(f"{text!r}: this move allows no other action", where=where, allowed="the move alone")
    if manoeuvre == Manoeuvre.AIM and action != Action.SHOOT:
        raise InputError(f"{text!r}: aiming requires `shoot`", where=where, allowed="aim and shoot")
    if weapon and action != Action.SHOOT and manoeuvre != Manoeuvre.CHARGE:
        raise InputError(f"with {weapon!r}: the order does not shoot", where=where, allowed=f"shoot with {weapon}")
    return Line(manoeuvre, action, row=weapon, stop=stop)


def _move_and_stop(text: str, where: str) -> tuple[str, int]:
    """Return the move or action of an order and its stop (default: 0, or TO_SHORT_RANGE for `close in`)."""
    if (match := _MOVE_BY_INCHES.match(text)) is not None:
        return match[1], _hundredths(match[2], text, where)
    if (match := _MOVE_TO_RANGE.match(text)) is not None:
        reach = _RANGES.get(match[2])
        return match[1], STOP_IS_DISTANCE | _hundredths(match[2], text, where) if reach is None else reach
    return text, TO_SHORT_RANGE if text == "close in" else 0


def _hundredths(inches: str, text: str, where: str) -> int:
    """Return the stated length of a move in hundredths of an inch."""
    stop = round(float(inches) * INCH)
    if not 0 < stop <= _MOST_INCHES_OF_MOVE * INCH:
        allowed = f"more than 0, up to {_MOST_INCHES_OF_MOVE} inches"
        raise InputError(f"{text!r}: the distance is out of range", where=where, allowed=allowed)
    return stop


def _condition_of(text: str, where: str) -> Condition:
    normalised = text
    for phrase, sign in _COMPARISONS.items():
        normalised = re.sub(rf"\b{phrase}\b", f" {sign} ", normalised)
    words = [
        "enemy" if word in _ENEMY_WORDS else word
        for word in re.sub(r'["“”]', "", normalised).split()
        if word in _ENEMY_WORDS or word not in _FILLERS | _OWN_WORDS
    ]
    negated = "not" in words
    words = [word for word in words if word != "not"]
    for word, sign in (("within", "<="), ("beyond", ">")):
        if len(words) > 1 and words[-2] == word and _NUMBER.match(words[-1]):
            if any(word not in ("enemy", "distance") for word in words[:-2]):
                raise _unknown_condition(text, where)
            return Condition("distance", sign, float(words[-1]), negated)
    signs = [word for word in words if word in (*_OPERATORS, "=")]
    numbers = [word for word in words if _NUMBER.match(word)]
    names = " ".join(word for word in words if word not in (*signs, *numbers))
    if numbers:
        name = {"model": "models", "enemy model": "enemy models", "models enemy": "enemy models"}.get(names, names)
        if name not in QUANTITIES or len(numbers) > 1 or len(signs) > 1:
            raise _unknown_condition(text, where, name)
        sign = signs[0] if signs else "=="
        return Condition(name, "==" if sign == "=" else sign, float(numbers[0]), negated)
    name = _OTHER_NAMES.get(names, names)
    if name not in YES_NO_CONDITIONS:
        raise _unknown_condition(text, where, name)
    return Condition(name, negated=negated)


def _unknown_condition(text: str, where: str, name: str = "") -> InputError:
    numbered = any(map(_NUMBER.match, text.split()))
    hint = _nearest_words(text) if numbered else ""
    hint = hint or did_you_mean(name or text, (*YES_NO_CONDITIONS, *QUANTITIES)) or _nearest_words(text)
    numbers = f"`at least N`, `at most N` or `exactly N` with one of {', '.join(QUANTITIES)}"
    allowed = f"`within N` or `beyond N` inches; {numbers}; {', '.join(YES_NO_CONDITIONS)}"
    return InputError(f"unknown condition {text!r}{hint}", where=where, allowed=allowed)


def _nearest_words(text: str) -> str:
    """Return a suggestion for the first unknown word, or an empty text."""
    words_known = dict.fromkeys(
        word for words in (*YES_NO_CONDITIONS, *QUANTITIES, *_COMPARISONS, "beyond") for word in words.split()
    )
    for word in text.split():
        if not {word} & {*words_known, *_FILLERS, *_OWN_WORDS, *_ENEMY_WORDS, "not"} and not _NUMBER.match(word):
            return did_you_mean(word, words_known)
    return ""


def _check_compatible(line: Line, where: str) -> None:
    """Raise InputError for conditions that can never hold together, including implied ones."""
    for subject, conditions in _conditions_by_subject(line).items():
        if any(all(_holds_at(condition, value) for condition in conditions) for value in _test_values(conditions)):
            continue
        if subject in QUANTITIES:
            listed = " and ".join(map(_in_words, conditions))
            raise InputError(f"{subject} cannot be {listed}", where=where, allowed="compatible conditions")
        listed = ", and ".join(
            f"{'not ' * condition.negated}{condition.subject}{' (implied)' * (condition not in line.conditions)}"
            for condition in dict.fromkeys(conditions)
        )
        raise InputError(f"contradictory conditions: {listed}", where=where, allowed="one of them")


def _test_values(conditions: Sequence[Condition]) -> set[float]:
    """Return test values for the conditions of a subject: if all can hold together, they hold at one of the values."""
    if conditions[0].subject in YES_NO_CONDITIONS:
        return {0.0, 1.0, 2.0}
    ends = sorted({0.0, *(condition.value for condition in conditions)})
    if conditions[0].subject == "distance":  # all other numbers are integers
        return {*ends, *((low + high) / 2 for low, high in pairwise(ends)), ends[-1] + 1}
    near = {whole(end) + step for end in ends for whole in (floor, ceil) for step in (-1, 0, 1)}
    return {float(value) for value in near if value >= 0}


def _holds_at(condition: Condition, value: float) -> bool:
    if condition.subject in YES_NO_CONDITIONS:
        return (value >= 1 + (condition.subject == "in short range")) != condition.negated
    return bool(_OPERATORS[condition.comparison](value, condition.value)) != condition.negated


def _in_words(condition: Condition) -> str:
    words = next(words for words, sign in _COMPARISONS.items() if sign == condition.comparison)
    return f"{'not ' if condition.negated else ''}{words} {condition.value:g}"


TACTIC_LINES: dict[str, tuple[Line, ...]] = {name: lines_of(about.lines, name) for name, about in POLICIES.items()}
"""The lines of each tactic."""
_TACTIC_CONDITIONS = ("in range", "in short range", "within reach")  # conditions that lines of tactics can have


def _decision(lines: Sequence[Line], bits: int) -> tuple[int, int]:
    """Return the decision of the first line that applies; `bits`: which of _TACTIC_CONDITIONS are true."""
    assert all(condition.subject in _TACTIC_CONDITIONS for line in lines for condition in line.conditions)
    true = {name for place, name in enumerate(_TACTIC_CONDITIONS) if bits >> place & 1}
    line = next((line for line in lines if true.issuperset(subject for subject, *_ in line.conditions)), LAST_RESORT)
    return Manoeuvre.CLOSE_IN if line.stop else line.manoeuvre, line.action


_DECISIONS = np.array([[_decision(lines, bits) for bits in range(8)] for lines in TACTIC_LINES.values()], np.int64)

VIEW_COUNT = 1 << 5  # number of different views outside a building, if distances are ignored (`view_index`)


@step
def view_index(view: View) -> int:
    """Return the index of a view in :func:`allowed_decisions_by_view`; the distance is ignored."""
    flags = (1 if view.rally_failed else 0) | (2 if view.in_range else 0) | (4 if view.in_short_range else 0)
    return flags | (8 if view.can_charge else 0) | (16 if view.must_charge else 0)


def allowed_decisions_by_view() -> Integers:
    """Return each tactic's allowed manoeuvre and action by :func:`view_index`: shape (tactics, VIEW_COUNT, 2)."""
    decisions = np.zeros((len(Policy), VIEW_COUNT, 2), np.int64)
    for index in range(VIEW_COUNT):
        rally_failed, in_range, in_short_range, can_charge, must_charge = (index >> place & 1 for place in range(5))
        view = View(rally_failed, 0, in_range, in_short_range, can_charge, must_charge, 0)
        for policy in Policy:
            decisions[policy, index] = allowed_decision(*decide(policy, view), view)
    return decisions


@step
def decide(policy: int, view: View) -> tuple[int, int]:
    """Return the manoeuvre and the action of the first line of a tactic whose condition holds."""
    bits = (1 if view.in_range else 0) | (2 if view.in_short_range else 0) | (4 if view.can_charge else 0)
    return int(_DECISIONS[policy, bits, 0]), int(_DECISIONS[policy, bits, 1])
