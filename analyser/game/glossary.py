"""Short descriptions of qualities and special rules, for a card: the effect of each on the numbers, in one line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from analyser.game.keywords import Keyword

IN_SHORT: Mapping[str, str] = {  # AC-6, AC-7
    "Point Blank": "value in parentheses within short range",
    "Shock": "value in parentheses against light",
    "Wreckers": "value in parentheses against heavy",
    "Arc": "a heroic strike adds two dice, not one",
    "Devastating": "hits left over are 1 damage more",
    "Penetrating": "damage left over destroys one more model; 1 damage more on a behemoth",
    "Suppressive": "−1 DISCIPLINE on the test it causes",
    "Torrent": "ignores concealment, cover and buildings",
    "Precision": "the officer falls first",
    "Cryo": "a failed test activates the unit instead of suppressing it",
    "Seismic": "suppressed is disordered too; a bonus against garrisons",
    "Overcharge": "a card's value in dice more; each blank is 1 damage to itself",
    "Turret": "fires outside its front arc, with a penalty",
    "Indirect": "not within short range; weakened unseen, improved with a spotter",
    "Lock On": "no penalty for opportunity fire",
    "Slow to Fire": "reloading after a shot",
    "Move or Fire": "not after an advance",
    "Reactive": "opportunity fire only",
    "Siegebreaker": "wrecks a building on a strike",
    "Coruscating": "hits everything on its line",
    "Full Steam Ahead": "2 dice more for each carriage",
    "Fields of Fire": "two attacks, one in each arc",
    "Durable": "heroic strikes on it are 1 hit",
    "Veteran": "up to X strikes become heroic",
    "Automata": "passes every discipline test",
    "Irrepressible": "passes every discipline test",
    "Peer Review": "friends within X″ pass suppression and rally tests",
    "Chain of Command": "+1 DISCIPLINE within X″ of another that has it",
    "Resilient": "+1 DEFENCE from the front",
    "Emplacement": "+1 DEFENCE against shots across an obstacle",
    "Pavises": "taking cover is +1 DEFENCE, concealed or not",
    "Shrouded": "ranged attacks on it count it as concealed",
    "Obfuscating": "ranged attacks on it count it as concealed",
    "Construct": "suppressed is disordered too, until near a commander",
    "Sponsons": "X dice, weakened, against a charger",
    "Stoic Defence": "strikes first when it is charged",
    "Storming Party": "garrisons do not strike first against it",
    "Static": "cannot charge; lost with a lost combat",
    "Onslaught": "a bonus as it charges",
    "Overrun": "fights once more after a combat that it has won",
    "All-Out Attack": "up to X attacks, each with another row",
    "Hunter": "1 VP for a combat won",
    "Ammo Supply": "a bonus for shots of friends within 3″",
    "Inspiring": "up to X friends within 12″ lose suppressed",
    "Tail Gunner": "X dice, weakened, back at aerial attackers",
    "Throw": "having destroyed in combat, a card's value in dice at X″",
    "Fiery Demise": "may explode with each model, X dice",
    "Spectacular Demise": "may explode with its last model, X dice",
    "Hot Headed": "can be suppressed; always rallies",
    "Corrosive Fumes": "enemies within X″ are disordered",
    "Berserk": "having failed to rally it charges if it can",
    "Run Amok": "charges if it can",
    "Bodyguard": "its officer does not fall first",
    "Irregular": "open formation",
    "Lockstep": "close formation",
    "Capacity": "each model carries X of one infantry unit",
}


def in_short(keywords: Iterable[Keyword]) -> dict[str, str]:
    """Return short descriptions of some qualities and rules, sorted by name; names with one description share an entry.

    A rule that is not modelled is described by its subject, an unknown one as not known.

    >>> from analyser.game.keywords import Rule
    >>> in_short(map(Rule, ["Veteran (1)", "Static", "Tow", "Pioneers", "Veteran (2)"]))["Pioneers, Tow"]
    'movement, deployment or command'
    """
    named = {keyword.name: keyword for keyword in keywords}
    together: dict[str, list[str]] = {}
    for name in sorted(named):
        together.setdefault(IN_SHORT.get(name) or _about(named[name]), []).append(name)
    return {", ".join(names): text for text, names in together.items()}


def _about(keyword: Keyword) -> str:
    return "not known" if keyword.term is None else keyword.term.touches
