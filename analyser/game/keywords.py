"""Weapon qualities and special rules (AC-6, AC-7): their subjects, spellings and short descriptions.

An answer lists the qualities and special rules in its profiles that the engines do not model.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Annotated, Any, ClassVar, NamedTuple, Self, TypeVar

from pydantic import AfterValidator
from pydantic_core import core_schema

from analyser.common.errors import nearest, shown
from analyser.common.validation import Several
from analyser.game.house_rules import HouseRule

RANGED_ATTACK, CLOSE_QUARTERS, FOCUS_FIRE, DUEL = "ranged attack", "close quarters", "focus fire", "duel"
_LONG_FIGHTS, _NO_FIGHT = (CLOSE_QUARTERS, DUEL), "movement, deployment or command"


class Term(NamedTuple):
    """A quality or special rule, and the kinds of fight in which the engines model it."""

    name: str  # name in the rules, without the parameter
    subject: str  # part of the game that it concerns, as answers name it
    side: str  # side that must have it to change a ranged attack, "attacker" or "target"; "" if it changes none
    counts_also_in: tuple[str, ...]  # other kinds of fight that it changes; FOCUS_FIRE if more than its single attacks

    def counts_in(self, fight: str) -> bool:
        """Return True if the term changes a kind of fight; for focus fire, if it changes more than single attacks."""
        return self.side != "" if fight == RANGED_ATTACK else fight in self.counts_also_in

    def can_matter_in(self, fight: str) -> bool:
        """Return True if the term could matter in a kind of fight, modelled or not."""
        if self.subject == "close quarters":
            return fight not in (RANGED_ATTACK, FOCUS_FIRE)
        return fight != CLOSE_QUARTERS or self.subject not in SUBJECTS_OF_SHOTS


HOUSE_RULE = "house rule"
SUBJECTS_OF_SHOTS = ("ranged attack", "when the row may fire")
"""Values of :attr:`Term.subject` that concern only ranged attacks."""


def _terms_by_name(*rows: tuple[str, str, str, tuple[str, ...]]) -> Mapping[str, Term]:
    """Return the terms by name; a row has the names of several terms, and their subject, side and fights."""
    return {name: Term(name, *fields) for names, *fields in rows for name in names.split(", ")}  # type: ignore[arg-type]


QUALITIES: Mapping[str, Term] = _terms_by_name(  # AC-6
    ("Shock, Wreckers, Arc, Devastating, Penetrating, Suppressive, Precision", "any attack", "attacker", _LONG_FIGHTS),
    ("Cryo, Seismic, Overcharge, Full Steam Ahead", "any attack", "attacker", _LONG_FIGHTS),
    ("Point Blank, Torrent, Indirect, Lock On", "ranged attack", "attacker", (DUEL,)),
    ("Turret", "ranged attack", "attacker", ()),
    ("Slow to Fire, Move or Fire, Reactive", "when the row may fire", "attacker", (DUEL,)),
    ("Siegebreaker", "the building a garrison is in", "attacker", _LONG_FIGHTS),
    ("Coruscating", "other units on the line of fire", "", ()),
    ("Fields of Fire", "a second attack, in the other arc", "", ()),
)
SPECIAL_RULES: Mapping[str, Term] = _terms_by_name(  # AC-7
    ("Durable, Resilient, Bodyguard", "any attack", "target", _LONG_FIGHTS),
    ("Veteran", "any attack", "attacker", _LONG_FIGHTS),
    ("Emplacement, Pavises, Shrouded, Obfuscating", "ranged attack", "target", (DUEL,)),
    ("Automata, Irrepressible", "discipline tests", "target", _LONG_FIGHTS),
    ("Hot Headed", "discipline tests", "target", (DUEL,)),
    ("Peer Review, Chain of Command", "discipline tests of friends near it", "target", _LONG_FIGHTS),
    ("Construct", "statuses", "target", _LONG_FIGHTS),
    ("Corrosive Fumes", "statuses of enemies near it", "attacker", _LONG_FIGHTS),
    ("Inspiring", "statuses of friends near it", "", ()),
    ("Irregular, Lockstep", "formation", "target", _LONG_FIGHTS),
    ("Hover", "movement, Seismic", "target", _LONG_FIGHTS),
    ("Sponsons, Stoic Defence, Storming Party, Static, Onslaught, Overrun", "close quarters", "", _LONG_FIGHTS),
    ("Hunter, Throw", "close quarters", "", _LONG_FIGHTS),
    ("Capacity", "units embarked on it", "", (CLOSE_QUARTERS,)),
    ("All-Out Attack", "further attacks in the same activation", "", (DUEL,)),
    ("Ammo Supply", "ranged attacks of friends near it", "", ()),
    ("Tail Gunner", "an attack back on an aerial attacker", "", (FOCUS_FIRE, DUEL)),
    ("Spectacular Demise", "units near it when it falls", "", _LONG_FIGHTS),
    ("Fiery Demise", "units near it when it falls", "", ()),
    ("Berserk, Run Amok", "charges that it must make", "", (DUEL,)),
    ("Pioneers, Large, Bulky, Cumbersome, Ponderous, Slow, Flying, Stilted, Vanguard", _NO_FIGHT, "", ()),
    ("Hit & Run, Soar, Spotters, Stalkers, Tow, Limber, Bank, Brake Turn, Interceptor, Occupy", _NO_FIGHT, "", ()),
    ("Assault Ramp, Bail Out, Command Signals, Iron Resolve, Logistical Expertise", _NO_FIGHT, "", ()),
    ("Locomotor Boosters, Dynamic Entry, Demolition, Support, Shockwave, Hazardous Aura", _NO_FIGHT, "", ()),
    ("Spacious, Strongpoint, Supercharger, Carrier, Heavy Carrier, Inhuman, Bulwark", _NO_FIGHT, "", ()),
)

SPELLING_LIKENESS = 0.87  # least likeness (0 to 1) of two spellings of a name: one or two letters in ten may differ
FEWEST_LETTERS = 3  # fewest letters of a name that is recognised with one letter wrong

_WITH_PARAMETER = re.compile(r"^(?P<name>.*?)\s*\((?P<parameter>[^()]*)\)$")
_NOT_PLAIN = ("Cc", "Cf", "Cs", "Zl", "Zp")  # Unicode: control, format, surrogate, line separator, paragraph separator
_INCH_MARKS = re.compile(r"[\"'”“″’]+$")
_PLAIN_MARKS = str.maketrans("”“″’‘‐‑–—−", '"""\'\'-----')


def is_plain(text: str) -> bool:
    """Return True if `text` has no line ends, control characters or format characters (such as direction marks)."""
    return text.isprintable() or not any(unicodedata.category(character) in _NOT_PLAIN for character in text)


def tidy(text: str) -> str:
    """Return `text` stripped and normalised: one kind of space, quote and dash, and only plain characters."""
    text = unicodedata.normalize("NFKC", text)
    if not is_plain(text):
        text = "".join(" " if sign.isspace() else sign for sign in text if sign.isspace() or is_plain(sign))
    return " ".join(text.translate(_PLAIN_MARKS).split())


def parse(text: str) -> tuple[str, str | None]:
    """Return the name and the parameter (without inch marks) of a rule or quality, such as ``Veteran (1)``."""
    match = _WITH_PARAMETER.match(tidy(text))
    return (match["name"], _INCH_MARKS.sub("", match["parameter"]).strip()) if match else (tidy(text), None)


def recognise(name: str, table: Collection[str]) -> tuple[str, bool]:
    """Return the name in `table` that `name` means, and True if its spelling is correct; `name` and False if unknown.

    Differences in case, quotes, hyphens, spaces, and "&" or "and" do not count as misspelling.

    >>> [recognise(name, QUALITIES) for name in ("point-blank", "Ark", "Suppresive", "Explosive")]
    [('Point Blank', True), ('Arc', False), ('Suppressive', False), ('Explosive', False)]
    """
    if name in table:  # the usual case, much faster than a search
        return name, True
    by_key = {_comparison_key(word): word for word in table}
    if _comparison_key(name) in by_key:
        return by_key[_comparison_key(name)], True
    close = [key for key in by_key if _is_one_edit_away(_comparison_key(name), key)]
    close = close or nearest(_comparison_key(name), by_key, most=1, likeness=SPELLING_LIKENESS)
    return (by_key[close[0]], False) if close else (name, False)


def _is_one_edit_away(first: str, second: str) -> bool:
    """Return True if two words of three letters or more differ by one letter, or by a swap of two neighbours."""
    shorter = min(len(first), len(second))
    start = next((index for index in range(shorter) if first[index] != second[index]), shorter)
    swap = first[start : start + 2] == second[start : start + 2][::-1] and first[start + 2 :] == second[start + 2 :]
    insertion = first[start:] == second[start + 1 :] or first[start + 1 :] == second[start:]
    return shorter >= FEWEST_LETTERS and (swap or insertion or first[start + 1 :] == second[start + 1 :])


@lru_cache(maxsize=1024)  # cached, because `recognise` needs the keys of all names in a table
def _comparison_key(name: str) -> str:
    """Return a name as it is compared: in lower case, with a space for a hyphen and ``and`` for ``&``."""
    return tidy(name).casefold().replace("&", "and").replace("-", " ")


def with_parameter(name: str, parameter: str | None) -> str:
    """Return a rule or quality with its parameter: ``Veteran (2)``."""
    return name if parameter is None else f"{name} ({parameter})"


LONGEST_NAME = 200  # characters
HIGHEST_X = 1000  # highest number in the parentheses of a keyword; also the most models of a unit
_WITH_NUMBER = ("Veteran", "Sponsons", "All-Out Attack", "Tail Gunner", "Spectacular Demise", "Capacity")
_PARAMETERS: Mapping[str, tuple[str, str]] = {  # pattern and description of each parameter that the engines use
    **dict.fromkeys(_WITH_NUMBER, (r"\d+", "a whole number, such as {} (2)")),
    **dict.fromkeys(("Throw", "Corrosive Fumes"), (r"\d+\.?\d*|\.\d+", "inches, such as {} (6)")),
    "Resilient": (r"(?i:front)?", "{} (Front), the only side that the rules know"),
}
_FORMATIONS = {"Irregular", "Lockstep"}  # rules that exclude each other


def plain_name(name: str) -> str:
    """Return the name unchanged; ValueError if it is too long or has control characters."""
    if len(name) > LONGEST_NAME:
        raise ValueError(f"{len(name)} characters (allowed: up to {LONGEST_NAME})")
    if not is_plain(name):
        raise ValueError(f"{shown(name)} has control characters (allowed: none)")
    return name


def field_name(name: str) -> str:
    """Return the name of a keyword as the field of a record: `lock_on` for Lock On."""
    return name.lower().replace(" ", "_").replace("-", "_")


class Keyword(str):
    """A quality or a special rule: the text as written, and its name and parameter."""

    TABLE: ClassVar[Mapping[str, Term]] = {}
    name: str  # name in the rules, or as written if unknown or misspelt
    parameter: str | None  # text in parentheses, without inch marks
    x: int  # the parameter if it is an integer, else 0
    inches: float  # the parameter if it is a number of inches, else 0
    field: str  # :func:`field_name` of the name
    house: HouseRule | None  # the house rule with this name, if there is one

    def __new__(cls, written: str, house_rules: Mapping[str, HouseRule] | None = None) -> Self:
        """Parse `written`, which may also be the name of one of the `house_rules`."""
        self = super().__new__(cls, written)
        self.name, self.parameter = _name_and_parameter(cls, str(written), tuple(house_rules or ()))
        self.house = (house_rules or {}).get(self.name)
        number = self.parameter or ""
        self.x = int(number) if number.isdecimal() else 0
        self.inches = float(number) if number.replace(".", "", 1).isdecimal() else 0.0
        self.field = field_name(self.name)
        return self

    @property
    def canonical(self) -> str:
        """Name as printed in the rules, with its parameter."""
        return with_parameter(self.name, self.parameter)

    def __eq__(self, other: object) -> bool:
        return str.__eq__(self, other) is True and self.house == getattr(other, "house", self.house)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__

    @property
    def term(self) -> Term | None:
        """The quality, special rule or house rule of this name; None for an unknown name."""
        if self.house is None:
            return self.TABLE.get(self.name)
        side = "attacker" if self.house.when == "attacking" else "target"
        return Term(self.name, HOUSE_RULE, side, _LONG_FIGHTS)

    @property
    def parameter_problem(self) -> str:
        """A message if the engines cannot use the parameter, with the allowed values; empty if they can."""
        if self.house is not None or self.name not in _PARAMETERS:
            return ""
        pattern, allowed = _PARAMETERS[self.name]
        if re.fullmatch(pattern, self.parameter or ""):
            return ""
        problem = "has nothing in parentheses" if self.parameter is None else "is not usable"
        return f"{shown(str(self))} {problem} (allowed: {allowed.format(self.name)})"

    def contradicts(self, other: Keyword) -> bool:
        """Return True if a unit cannot have both keywords: two formations, or two numbers of the same rule."""
        if self.name == other.name:
            return self.name in _PARAMETERS and (self.x, self.inches) != (other.x, other.inches)
        return {self.name, other.name} == _FORMATIONS

    @classmethod
    def __get_pydantic_core_schema__(cls, *_: Any) -> core_schema.CoreSchema:
        as_text = core_schema.to_string_ser_schema(when_used="json")
        text = core_schema.str_schema(strict=True)
        return core_schema.with_info_wrap_validator_function(cls._validated, text, serialization=as_text)

    @classmethod
    def _validated(cls, value: Any, handler: Callable[[Any], str], info: Any) -> Self:
        """Check a keyword; one that has its house rule already is returned, because the context may lack that rule."""
        if isinstance(value, cls) and value.house is not None:
            return value
        return cls._checked(handler(value), info.context)

    @classmethod
    def _checked(cls, written: str, house_rules: Mapping[str, HouseRule] | None) -> Self:
        keyword = cls(plain_name(written), house_rules)
        names = (*cls.TABLE, *(house_rules or ()))
        if keyword.term is None and (meant := recognise(keyword.name, names)[0]) in names:
            raise ValueError(f"{shown(keyword.name)} is unknown; did you mean {meant!r}?")
        if keyword.house is not None and cls is Quality and keyword.house.when == "attacked":
            raise ValueError(f"{shown(keyword.name)} has when = 'attacked' (allowed: only as a special rule)")
        if keyword.x > HIGHEST_X:
            raise ValueError(f"the number in {shown(written)} is too large (allowed: 0 to {HIGHEST_X})")
        if problem := keyword.parameter_problem:
            raise ValueError(problem)
        return keyword


KeywordT = TypeVar("KeywordT", bound=Keyword)


class Quality(Keyword):
    """A weapon quality (AC-6)."""

    TABLE = QUALITIES


class Rule(Keyword):
    """A special rule (AC-7)."""

    TABLE = SPECIAL_RULES


@lru_cache(maxsize=4096)
def _name_and_parameter(kind: type[Keyword], written: str, more: tuple[str, ...] = ()) -> tuple[str, str | None]:
    name, parameter = parse(written)
    meant, is_correct = recognise(name, (*kind.TABLE, *more) if more else kind.TABLE)
    return (meant if is_correct else name), parameter


class HasKeywords:
    """Base of records with qualities or special rules: a row, a unit, an attack, a target."""

    keywords_field: ClassVar[str] = "rules"

    @property
    def keywords(self) -> tuple[Keyword, ...]:
        """The qualities or special rules of the record."""
        keywords: tuple[Keyword, ...] | None = getattr(self, self.keywords_field)
        return keywords or ()

    def keyword(self, name: str) -> Keyword | None:
        """Return the first keyword of that name, with any parameter, or None."""
        return next((keyword for keyword in self.keywords if keyword.name == name), None)

    def has(self, *names: str) -> bool:
        """Return True if the record has any of these keywords."""
        for keyword in self.keywords:  # noqa: SIM110 - called dozens of times per fight; `any` takes twice as long
            if keyword.name in names:
                return True
        return False

    def value(self, name: str) -> int:
        """Return the X of a keyword such as Throw (X); 0 without this keyword or without a whole number."""
        keyword = self.keyword(name)
        return 0 if keyword is None else keyword.x


def consistent(keywords: Sequence[KeywordT]) -> Sequence[KeywordT]:
    """Return the keywords of a record unchanged; ValueError if two contradict each other."""
    for first, second in combinations(keywords, 2):
        if first.contradicts(second):
            raise ValueError(
                f"{shown(str(first))} and {shown(str(second))} contradict each other (allowed: one of them)"
            )
    return keywords


Qualities = Annotated[Several[Quality], AfterValidator(consistent)]
Rules = Annotated[Several[Rule], AfterValidator(consistent)]


def distinct_keywords(keywords: Iterable[Keyword]) -> tuple[str, ...]:
    """Return the distinct keywords as printed in the rules; house rules as written."""
    return tuple(dict.fromkeys(keyword.canonical if keyword.house is None else keyword for keyword in keywords))


DESCRIPTIONS: Mapping[str, str] = {  # AC-6, AC-7
    "Point Blank": "value in parentheses within short range",
    "Shock": "value in parentheses against light",
    "Wreckers": "value in parentheses against heavy",
    "Arc": "a heroic strike adds two dice, not one",
    "Devastating": "hits left over, too few for a point of damage, also cause 1 damage",
    "Penetrating": "damage left over destroys one more model; 1 damage more on a behemoth",
    "Suppressive": "−1 DISCIPLINE on the test it causes",
    "Torrent": "ignores concealment, cover and buildings",
    "Precision": "the officer falls first",
    "Cryo": "a failed test activates the target instead of suppressing it",
    "Seismic": "also disorders the units that it suppresses; a bonus against garrisons",
    "Overcharge": "adds dice equal to a card's value; each blank is 1 damage to the unit itself",
    "Turret": "fires outside its front arc, with a penalty",
    "Indirect": "cannot fire within short range; weakened without a view, improved with a spotter",
    "Lock On": "no penalty for opportunity fire",
    "Slow to Fire": "must reload after a shot",
    "Move or Fire": "cannot fire after an advance",
    "Reactive": "opportunity fire only",
    "Siegebreaker": "wrecks a building on a strike",
    "Coruscating": "hits every unit on its line of fire",
    "Full Steam Ahead": "2 dice more for each carriage",
    "Fields of Fire": "two attacks, one in each arc",
    "Durable": "heroic strikes on it are 1 hit",
    "Veteran": "up to X strikes become heroic",
    "Automata": "passes every discipline test",
    "Irrepressible": "passes every discipline test",
    "Peer Review": "friends within X″ pass suppression and rally tests",
    "Chain of Command": "+1 DISCIPLINE within X″ of another unit with this rule",
    "Resilient": "+1 DEFENCE from the front",
    "Emplacement": "+1 DEFENCE against shots across an obstacle",
    "Pavises": "taking cover is +1 DEFENCE, concealed or not",
    "Shrouded": "ranged attacks on it count it as concealed",
    "Obfuscating": "ranged attacks on it count it as concealed",
    "Construct": "disordered when suppressed, until near a commander",
    "Sponsons": "X dice, weakened, against a charger",
    "Stoic Defence": "strikes first when it is charged",
    "Storming Party": "garrisons do not strike first against it",
    "Static": "cannot charge; annihilated if it loses a combat",
    "Onslaught": "a bonus when it charges",
    "Overrun": "fights once more after a combat that it has won",
    "All-Out Attack": "up to X attacks, each with another row",
    "Hunter": "1 VP for a combat won",
    "Ammo Supply": "a bonus for shots of friends within 3″",
    "Inspiring": "up to X friends within 12″ lose suppressed",
    "Tail Gunner": "X dice, weakened, back at aerial attackers",
    "Throw": "after it destroys models in combat: dice equal to a card's value, up to X″",
    "Fiery Demise": "may explode with each model, X dice",
    "Spectacular Demise": "may explode with its last model, X dice",
    "Hot Headed": "can be suppressed; always rallies",
    "Corrosive Fumes": "enemies within X″ are disordered",
    "Berserk": "charges if it can after a failed rally test",
    "Run Amok": "charges if it can",
    "Bodyguard": "its officer does not fall first",
    "Irregular": "open formation",
    "Lockstep": "close formation",
    "Capacity": "each model carries X of one infantry unit",
}


def keyword_descriptions(keywords: Iterable[Keyword]) -> dict[str, str]:
    """Return short descriptions by name, in alphabetical order; keywords with the same description share an entry."""
    by_name = {keyword.name: keyword for keyword in keywords}
    names_by_text: dict[str, list[str]] = {}
    for name in sorted(by_name):
        term = by_name[name].term
        subject = "not known" if term is None else term.subject
        names_by_text.setdefault(DESCRIPTIONS.get(name) or subject, []).append(name)
    return {", ".join(names): text for text, names in names_by_text.items()}
