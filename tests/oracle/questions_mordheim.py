"""Random questions about Mordheim, over every key that a user can set, nasty edge values among them."""

from random import Random
from typing import Any

from tests.oracle.plain_laws import Row, picked

NAMES = ("reiklanders", "skaven", "undead")
CHANCES, YES_OR_NO = (None, 0, 0, 0.1, 0.25, 0.5, 1), (None, False, True)
LEADERSHIP = (None, *range(2, 13))
FURY = {"second_weapon": YES_OR_NO, "frenzy": YES_OR_NO, "hatred": YES_OR_NO}
ROLLS = {key: (None, *range(2, 8)) for key in ("to_hit", "to_wound", "save", "out_of_action")}
FIGHT = {"number": (None, 1, 2, 3), "attacks": (None, 1, 2), **FURY, **ROLLS}
GROUP = {"leadership": LEADERSHIP[1:], "number": (None, 1, 2, 3)}
WARBAND = {
    "leader_stunned": CHANCES,
    "others_fall": (None, "weakest_first", "strongest_first"),
}
EDGES = (0, 1, 2, 7, 12, 12.5, 14, 23.75, 24, 30, 0.25, 6.1, 18.3)
ALONE = {
    **{"opponents": (None, 2, 2, 3, 4, 1), "friends_near": (None, 0, 0, 0, 1), "wounds": (None, 1, 2, 3)},
    **{"to_wound": (None, *range(2, 7)), "save": (None, *range(2, 8))},
    **{"charged": CHANCES, "rally_leader": LEADERSHIP, "edge": (None, *EDGES)},
}
SIDE = {
    **{"attacks": (1, 2, 3), "leadership": LEADERSHIP, "leader": LEADERSHIP, **FURY},
    **{"to_hit": (None, *range(2, 7)), "causes_fear": YES_OR_NO, "knocked_down": CHANCES},
    "immune_to_psychology": (None, None, None, False, True),
}
COMBAT = {"charger": (None, "fighter", "enemy", "nobody"), "rounds": (None, 1, 2, 3)}
STUPIDITY = {"leadership": LEADERSHIP[1:], "leader": LEADERSHIP, "in_combat": YES_OR_NO}
WARRIOR = {"leadership": LEADERSHIP[1:], "near_leader": (None, False, True, True)}
RULESET = {**ROLLS, "hatred_while_frenzied": YES_OR_NO}


def law(dice: Random, most: int) -> Any:
    if most == 0 or dice.random() < 0.6:
        return dice.randint(0, most)
    low, high = sorted(dice.sample(range(most + 1), 2))
    chance = dice.choice((0.25, 0.5, 0.125))
    return {low: chance, high: 1 - chance}


def least(number: Any) -> int:
    return min(number) if isinstance(number, dict) else number


def fight(dice: Random, turns: int, rivals: list[Any]) -> Row:
    """Blows of the warriors of a rival, or of anybody."""
    in_turns = sorted(dice.sample(range(1, turns + 1), dice.randint(1, turns)))
    return picked(dice, FIGHT | {"of": (None, *rivals), "turns": (None, in_turns)})


def warband(dice: Random, turns: int, name: str, names: tuple[str, ...]) -> Row:
    groups = [picked(dice, GROUP) for _ in range(dice.randint(0, 2))]
    total = 1 + sum(group.get("number", 1) for group in groups)
    by_turn = [law(dice, min(2, total)) for _ in range(turns)]
    casualties = by_turn if dice.random() < 0.4 and sum(map(least, by_turn)) <= total else by_turn[0]
    fewest = sum(map(least, casualties)) if isinstance(casualties, list) else least(casualties)
    out = min(dice.randint(0, total), max(total - fewest, 0))
    falls = (None, "random", "first", "last", "never")
    keys = WARBAND | {"out": (None, out), "leader_falls": falls, "gives_up_at": (None, None, dice.randint(1, total))}
    kept = {"name": name, "leader": dice.randint(2, 12), "casualties": casualties} | picked(dice, keys)
    if groups:
        kept["others"] = groups
    if dice.random() < 0.4:
        rivals = [each for each in names if each != name]
        kept["casualties_from"] = [fight(dice, turns, rivals) for _ in range(dice.randint(1, 2))]
    return kept


def together(dice: Random) -> Row:
    states = ["p_out", "p_stunned", "p_knocked_down", "p_fleeing"]
    dice.shuffle(states)
    chances = dice.choice(([0.1, 0.2, 0.3, 0.4], [1, 0, 0, 0], [0.25, 0.25], [], [0.5, 0.125]))
    warriors = [{"name": f"warrior {number}"} | picked(dice, WARRIOR) for number in range(dice.randint(1, 3))]
    keys = {"leader": LEADERSHIP[1:], "best_other": LEADERSHIP[1:], "rout_test": (None, False, True, True)}
    return picked(dice, keys) | dict(zip(states, chances, strict=False)) | {"warriors": warriors}


def questions(seed: int) -> Row:
    dice = Random(seed)
    turns = dice.randint(1, 4)
    question: Row = {"turns": turns}
    wanted = dice.choice(("warband", "warband", "rivals", "rivals", "alone", "combat", "several", "small"))
    if wanted in ("warband", "rivals"):
        names = NAMES[: dice.randint(2, 3)] if wanted == "rivals" else NAMES[:1]
        question["warband"], *rivals = [warband(dice, turns, name, names) for name in names]
        if wanted == "rivals":
            question |= {"rivals": rivals} | picked(dice, {"winner": (None, None, "first_to_leave")})
    if wanted in ("alone", "several"):
        question["alone"] = {"leadership": dice.randint(2, 12)} | picked(dice, ALONE)
    if wanted in ("combat", "several"):
        question["combat"] = picked(dice, COMBAT) | {side: picked(dice, SIDE) for side in ("fighter", "enemy")}
    if wanted in ("small", "several"):
        question |= {"stupidity": picked(dice, STUPIDITY), "together": together(dice)}
    return question | ({"ruleset": picked(dice, RULESET)} if dice.random() < 0.3 else {})
