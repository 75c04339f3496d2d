"""Policies in words: ordered lines of what to do and under which conditions, read into numbers.

A line is an order and conditions: ``charge if the enemy is suppressed and within reach``. The first line counts whose
conditions hold. Articles, pronouns and the like may be left out: ``he``, ``they`` and ``it`` are the enemy.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Sequence
from itertools import pairwise
from math import ceil, floor
from typing import NamedTuple

from analyser.common.errors import InputError, did_you_mean
from analyser.rules.policies import Action, Manoeuvre

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
"""What holds or not: of the row that is fired, of a charge, of the unit itself, and of the enemy."""
QUANTITIES = ("models", "damage", "enemy models", "enemy damage", "distance", "round", "rounds left")
"""What is counted."""
_MOVES = {
    "aim": Manoeuvre.AIM,
    "stay": Manoeuvre.STAY,
    "advance": Manoeuvre.ADVANCE,
    "close in": Manoeuvre.CLOSE_IN,
    "close in to short range": Manoeuvre.CLOSE_IN,
    "retire": Manoeuvre.RETIRE,
    "double time": Manoeuvre.DOUBLE_TIME,
    "charge": Manoeuvre.CHARGE,
}
_DEEDS = {
    "shoot": Action.SHOOT,
    "go on lookout": Action.GO_ON_LOOKOUT,
    "lookout": Action.GO_ON_LOOKOUT,
    "take cover": Action.TAKE_COVER,
    "re-arm": Action.RE_ARM,
    "do nothing": Action.NOTHING,
    "hold": Action.NOTHING,
}
ORDERS = (*_MOVES, *_DEEDS)
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
MOST_LINES = 10_000  # as many as a plan has situations


class Condition(NamedTuple):
    """Something that must hold."""

    quantity: str  # one of FLAGS or QUANTITIES
    comparison: str = ""  # of a number: <, <=, ==, >= or >
    value: float = 0.0
    negated: bool = False


class Line(NamedTuple):
    """An order, and the conditions under which it is given."""

    manoeuvre: Manoeuvre
    action: Action
    conditions: tuple[Condition, ...] = ()
    fired: str = ""  # a row's id, "overcharge" or "all rows"; empty: the best row
    text: str = ""


LAST_RESORT = Line(Manoeuvre.STAY, Action.NOTHING, text="do nothing")
"""What is done where no line of a list says anything."""


def lines_of(policy: str | Sequence[str], where: str) -> tuple[Line, ...]:
    """The lines of a policy in words: a list of them, or one text with ``;`` or ``, then`` between them.

    InputError names the line and the word that cannot be read, with the nearest that can, and what contradicts itself.

    >>> [line.text for line in lines_of("lookout until the enemy is within 12, then charge, else aim and shoot", "")]
    ['lookout until the enemy is within 12', 'charge', 'aim and shoot']
    """
    texts = [part for each in ([policy] if isinstance(policy, str) else policy) for part in _BETWEEN_LINES.split(each)]
    texts = [text for each in texts if (text := _OPENING.sub("", each.strip().rstrip(".,").strip().lower()))]
    if not 1 <= len(texts) <= MOST_LINES:
        raise InputError(f"{len(texts)} lines", where=where, allowed=f"1 to {MOST_LINES}")
    lines = tuple(_line_of(text, f"{where}: line {number}") for number, text in enumerate(texts, 1))
    for number, line in enumerate(lines[:-1], 1):
        if not all_conditions(line):
            problem = f"line {number + 1} is never come to: line {number}, {line.text!r}, has no condition"
            raise InputError(problem, where=where, allowed="the line without a condition last")
    return lines


def all_conditions(line: Line) -> tuple[Condition, ...]:
    """The conditions of a line, and what goes without saying: that a charge reaches, and a shot without a move."""
    if line.manoeuvre == Manoeuvre.CHARGE:
        return (*line.conditions, Condition("within reach"))
    if line.action == Action.SHOOT and line.manoeuvre in (Manoeuvre.AIM, Manoeuvre.STAY):
        return (*line.conditions, Condition("in range"))
    return line.conditions


def _line_of(text: str, where: str) -> Line:
    first, *rest = _WHEN.split(text, maxsplit=1)
    manoeuvre, action, fired = _order_of(first.strip(), where)
    conditions: list[Condition] = []
    if rest:
        word, said = rest
        parts = re.split(r"\band\b|,", said)
        if word in ("until", "unless") and len(parts) > 1:
            raise InputError(f"{word} with several conditions", where=where, allowed="one condition, or if and not")
        conditions = [_condition_of(part.strip(), where) for part in parts]
        if word in ("until", "unless"):
            conditions = [conditions[0]._replace(negated=not conditions[0].negated)]
    _check_together(conditions, where)
    return Line(manoeuvre, action, tuple(conditions), fired, text)


def _order_of(text: str, where: str) -> tuple[Manoeuvre, Action, str]:
    fired = ""
    if (found := _WITH.search(text)) is not None:
        fired, text = found[1].strip(), text[: found.start()]
    moves, deeds = list[Manoeuvre](), list[Action]()
    for part in filter(None, (each.strip() for each in re.split(r"\band\b|,", text))):
        if part in _MOVES:
            moves.append(_MOVES[part])
        elif part in _DEEDS:
            deeds.append(_DEEDS[part])
        else:
            problem = f"no order {part!r}{did_you_mean(part, ORDERS)}"
            raise InputError(problem, where=where, allowed=", ".join(ORDERS))
    if not moves and not deeds:
        raise InputError("there is no order", where=where, allowed=", ".join(ORDERS))
    if len(moves) > 1 or len(deeds) > 1:
        raise InputError(f"{text!r} is more than a move and a deed", where=where, allowed="one of each")
    shoots = deeds == [Action.SHOOT]
    manoeuvre = moves[0] if moves else Manoeuvre.AIM if shoots else Manoeuvre.STAY
    action = deeds[0] if deeds else Action.SHOOT if manoeuvre == Manoeuvre.AIM else Action.NOTHING
    if manoeuvre in (Manoeuvre.CHARGE, Manoeuvre.DOUBLE_TIME) and action != Action.NOTHING:
        raise InputError(f"{text!r}: nothing is done beside that move", where=where, allowed="the move alone")
    if manoeuvre == Manoeuvre.AIM and action != Action.SHOOT:
        raise InputError(f"{text!r}: who aims shoots", where=where, allowed="aim and shoot")
    if fired and action != Action.SHOOT and manoeuvre != Manoeuvre.CHARGE:
        raise InputError(f"with {fired!r}: nothing is fired", where=where, allowed="shoot with it")
    return manoeuvre, action, fired


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
            if any(each not in ("enemy", "distance") for each in kept[:-2]):
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
    numbered = any(map(_AS_NUMBER.match, text.split()))  # a name alone is no better answer to it
    told = _nearest_words(text) if numbered else ""
    told = told or did_you_mean(name or text, (*FLAGS, *QUANTITIES)) or _nearest_words(text)
    problem = f"no condition {text!r}{told}"
    allowed = (
        f"{', '.join(FLAGS)}; within and beyond inches; at least, at most, exactly so many of {', '.join(QUANTITIES)}"
    )
    return InputError(problem, where=where, allowed=allowed)


def _nearest_words(text: str) -> str:
    """Of the first word that no condition has, those that it may stand for."""
    known = dict.fromkeys(word for words in (*FLAGS, *QUANTITIES, *_COMPARISONS, "beyond") for word in words.split())
    for word in text.split():
        if not {word} & {*known, *_FILLERS, *_OWN, *_ENEMY, "not"} and not _AS_NUMBER.match(word):
            return did_you_mean(word, known)
    return ""


def _check_together(conditions: Sequence[Condition], where: str) -> None:
    """Refuse conditions that can never hold together."""
    for flag in FLAGS:
        if len({each.negated for each in conditions if each.quantity == flag}) > 1:
            raise InputError(f"{flag}, and not {flag}", where=where, allowed="one of them: both never hold")
    for number in QUANTITIES:
        counted = [each for each in conditions if each.quantity == number]
        if counted and not any(all(_holds_of(each, value) for each in counted) for value in _values_near(counted)):
            said = " and ".join(map(_in_words, counted))
            raise InputError(f"no {number} is {said}", where=where, allowed="what can hold together")


def _values_near(conditions: Sequence[Condition]) -> set[float]:
    """Of one quantity values from 0: where its conditions hold at all, they hold of one of these."""
    ends = sorted({0.0, *(each.value for each in conditions)})
    if conditions[0].quantity == "distance":  # all others are whole numbers
        return {*ends, *((low + high) / 2 for low, high in pairwise(ends)), ends[-1] + 1}
    near = {whole(end) + step for end in ends for whole in (floor, ceil) for step in (-1, 0, 1)}
    return {float(each) for each in near if each >= 0}


def _holds_of(condition: Condition, value: float) -> bool:
    return bool(_HOLDS[condition.comparison](value, condition.value)) != condition.negated


def _in_words(condition: Condition) -> str:
    words = next(words for words, sign in _COMPARISONS.items() if sign == condition.comparison)
    return f"{'not ' if condition.negated else ''}{words} {condition.value:g}"


_HOLDS = {">=": operator.ge, "<=": operator.le, "==": operator.eq, ">": operator.gt, "<": operator.lt}
