"""The names of weapon qualities and special rules, and what each of them touches.

Two literal tables (AC-6, AC-7). A name that a profile carries and that the computation at hand does not
use is reported to the user by name, never dropped; these tables are where the engines look that up.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from analyser.common.errors import nearest

RANGED_ATTACK, CLOSE_QUARTERS, FOCUS_FIRE, DUEL = "ranged attack", "close quarters", "focus fire", "duel"
_ANYWHERE = (CLOSE_QUARTERS, DUEL)


class Term(NamedTuple):
    """One quality or special rule.

    Attributes
    ----------
    name : str
        As the rules spell it, without its parameter.
    touches : str
        What part of the game it is about, for the user's eye.
    side : str
        Whose profile makes it count in a ranged attack: ``"attacker"``, ``"target"``, or ``""`` when
        nothing in a ranged attack is computed from it.
    counts_also_in : tuple of str
        The longer fights that numbers are computed from it in: :data:`CLOSE_QUARTERS`, :data:`DUEL`; and
        :data:`FOCUS_FIRE`, if that is more than its ranged attacks.
    """

    name: str
    touches: str
    side: str = ""
    counts_also_in: tuple[str, ...] = ()

    def counts_in(self, fight: str) -> bool:
        """Whether a number is computed from it in that kind of fight.

        Examples
        --------
        >>> QUALITIES["Arc"].counts_in(CLOSE_QUARTERS), QUALITIES["Torrent"].counts_in(CLOSE_QUARTERS)
        (True, False)
        """
        return self.side != "" if fight == RANGED_ATTACK else fight in self.counts_also_in


class Named(NamedTuple):
    """A term as written on a profile: its canonical name and its parameter, if it has one."""

    name: str
    parameter: str | None

    def __str__(self) -> str:
        return self.name if self.parameter is None else f"{self.name} ({self.parameter})"


def _table(*terms: Term) -> Mapping[str, Term]:
    return {term.name: term for term in terms}


QUALITIES: Mapping[str, Term] = _table(  # AC-6
    Term("Point Blank", "ranged attack", "attacker", (DUEL,)),
    Term("Shock", "any attack", "attacker", _ANYWHERE),
    Term("Wreckers", "any attack", "attacker", _ANYWHERE),
    Term("Arc", "any attack", "attacker", _ANYWHERE),
    Term("Devastating", "any attack", "attacker", _ANYWHERE),
    Term("Penetrating", "any attack", "attacker", _ANYWHERE),
    Term("Suppressive", "any attack", "attacker", _ANYWHERE),
    Term("Torrent", "ranged attack", "attacker", (DUEL,)),
    Term("Precision", "any attack", "attacker", _ANYWHERE),
    Term("Cryo", "any attack", "attacker", _ANYWHERE),
    Term("Seismic", "any attack", "attacker", _ANYWHERE),
    Term("Overcharge", "any attack", "attacker", _ANYWHERE),
    Term("Turret", "ranged attack", "attacker"),
    Term("Indirect", "ranged attack", "attacker", (DUEL,)),
    Term("Lock On", "ranged attack", "attacker", (DUEL,)),
    Term("Slow to Fire", "when the row may fire", "attacker", (DUEL,)),
    Term("Move or Fire", "when the row may fire", "attacker", (DUEL,)),
    Term("Reactive", "when the row may fire", "attacker", (DUEL,)),
    Term("Siegebreaker", "the building a garrison is in", "attacker", _ANYWHERE),
    Term("Full Steam Ahead", "any attack", "attacker", _ANYWHERE),
    Term("Coruscating", "other units on the line of fire"),
    Term("Fields of Fire", "a second attack, in the other arc"),
)

SPECIAL_RULES: Mapping[str, Term] = _table(  # AC-7
    Term("Durable", "any attack", "target", _ANYWHERE),
    Term("Veteran", "any attack", "attacker", _ANYWHERE),
    Term("Automata", "discipline tests", "target", _ANYWHERE),
    Term("Irrepressible", "discipline tests", "target", _ANYWHERE),
    Term("Peer Review", "discipline tests of friends near it", "target", _ANYWHERE),
    Term("Chain of Command", "discipline tests of friends near it", "target", _ANYWHERE),
    Term("Resilient", "any attack", "target", _ANYWHERE),
    Term("Emplacement", "ranged attack", "target", (DUEL,)),
    Term("Pavises", "ranged attack", "target", (DUEL,)),
    Term("Shrouded", "ranged attack", "target", (DUEL,)),
    Term("Obfuscating", "ranged attack", "target", (DUEL,)),
    Term("Construct", "statuses", "target", _ANYWHERE),
    Term("Hot Headed", "discipline tests", "target", (DUEL,)),
    Term("Corrosive Fumes", "statuses of enemies near it", "attacker", _ANYWHERE),
    Term("Bodyguard", "any attack", "target", _ANYWHERE),
    Term("Irregular", "formation", "target", _ANYWHERE),
    Term("Lockstep", "formation", "target", _ANYWHERE),
    Term("Hover", "movement, Seismic", "target", _ANYWHERE),
    Term("Sponsons", "close quarters", "", _ANYWHERE),
    Term("Stoic Defence", "close quarters", "", _ANYWHERE),
    Term("Storming Party", "close quarters", "", _ANYWHERE),
    Term("Static", "close quarters", "", _ANYWHERE),
    Term("Onslaught", "close quarters", "", _ANYWHERE),
    Term("Overrun", "close quarters", "", _ANYWHERE),
    Term("Hunter", "close quarters", "", _ANYWHERE),
    Term("Capacity", "units embarked on it", "", (CLOSE_QUARTERS,)),
    Term("Throw", "close quarters", "", _ANYWHERE),
    Term("All-Out Attack", "further attacks in the same activation", "", (DUEL,)),
    Term("Ammo Supply", "ranged attacks of friends near it"),
    Term("Inspiring", "statuses of friends near it"),
    Term("Tail Gunner", "an attack back on an aerial attacker", "", (FOCUS_FIRE, DUEL)),
    Term("Fiery Demise", "units near it when it falls"),
    Term("Spectacular Demise", "units near it when it falls", "", _ANYWHERE),
    Term("Berserk", "what it must do", "", (DUEL,)),
    Term("Run Amok", "what it must do", "", (DUEL,)),
    *(
        Term(name, "movement, deployment or command")
        for name in (
            "Pioneers", "Large", "Bulky", "Cumbersome", "Ponderous", "Slow", "Flying", "Stilted", "Vanguard",
            "Hit & Run", "Soar", "Spotters", "Stalkers", "Tow", "Limber", "Bank", "Brake Turn",
            "Interceptor", "Occupy", "Assault Ramp", "Bail Out", "Command Signals", "Iron Resolve",
            "Logistical Expertise", "Locomotor Boosters", "Dynamic Entry", "Demolition", "Support", "Shockwave",
            "Hazardous Aura", "Spacious", "Strongpoint", "Supercharger", "Carrier", "Heavy Carrier", "Inhuman",
            "Bulwark",
        )
    ),
)  # fmt: skip

SLIP_OF_THE_PEN = 0.87  # likeness from which two names are one name misspelt: a letter or two in ten

_WITH_PARAMETER = re.compile(r"^(?P<name>.*?)\s*\((?P<parameter>[^()]*)\)$")
_NOT_PLAIN = ("Cc", "Cf", "Cs", "Zl", "Zp")  # control, format, surrogate, ends of lines and paragraphs
_INCH_MARKS = re.compile(r"[\"'”“″’]+$")


def is_plain(text: str) -> bool:
    r"""Whether no character of `text` controls a display, ends a line or turns the direction of what is written.

    Examples
    --------
    >>> is_plain("Größte Kanone"), is_plain("\x1b[31m"), is_plain("\u202eenonak")
    (True, False, False)
    """
    return text.isprintable() or not any(unicodedata.category(each) in _NOT_PLAIN for each in text)


def tidy(text: str) -> str:
    r"""`text` with one kind of space, quote and dash, no space at either end, and only plain characters.

    Examples
    --------
    >>> tidy(" Chain of\u00a0Command  (6”) ")
    'Chain of Command (6")'
    """
    text = unicodedata.normalize("NFKC", text)
    if not is_plain(text):
        text = "".join(" " if each.isspace() else each for each in text if each.isspace() or is_plain(each))
    for marks, plain in (("”“″", '"'), ("’‘", "'"), ("‐‑–—−", "-")):
        for mark in marks:
            text = text.replace(mark, plain)
    return " ".join(text.split())


@lru_cache(maxsize=1024)
def parse(text: str) -> Named:
    """A name as written, split into name and parameter; inch marks go.

    Examples
    --------
    >>> parse("Corrosive Fumes (2”)")
    Named(name='Corrosive Fumes', parameter='2')
    """
    found = _WITH_PARAMETER.match(tidy(text))
    if found is None:
        return Named(tidy(text), None)
    return Named(found["name"], _INCH_MARKS.sub("", found["parameter"]).strip())


def recognise(text: str, table: Mapping[str, Term]) -> tuple[Named, bool]:
    """The term of `table` that `text` means, and whether `text` spells it right.

    Letter case, quotes and spaces are forgiven without a word. A near miss (``Devestating``) is taken
    for the one name that it is nearest to, and reported as not spelled right. A name that is like none
    stays as it is, and is reported so too.

    Examples
    --------
    >>> recognise("Devestating", QUALITIES)
    (Named(name='Devastating', parameter=None), False)
    >>> recognise("arc", QUALITIES)
    (Named(name='Arc', parameter=None), True)
    """
    named = parse(text)
    if named.name in table:  # as nearly always, and much cheaper than to look for its like
        return named, True
    by_key = {_key(name): name for name in table}
    if _key(named.name) in by_key:
        return Named(by_key[_key(named.name)], named.parameter), True
    close = nearest(_key(named.name), by_key, most=1, likeness=SLIP_OF_THE_PEN)
    if close:
        return Named(by_key[close[0]], named.parameter), False
    return named, False


@lru_cache(maxsize=1024)  # the names of a table are asked for again with every name that is looked up in it
def _key(name: str) -> str:
    """Case, hyphens and the ampersand do not tell two names apart."""
    return tidy(name).casefold().replace("&", "and").replace("-", " ")


def names(written: tuple[str, ...], table: Mapping[str, Term]) -> list[Named]:
    """The terms that are written, each once, spelled as the rules spell them where that is not in doubt."""
    found = []
    for text in written:
        named, sure = recognise(text, table)
        found.append(named if sure else parse(text))
    return list(dict.fromkeys(found))
