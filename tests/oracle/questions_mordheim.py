"""Random questions about Mordheim, over every key that a user can set, nasty edge values among them."""

from __future__ import annotations

from random import Random
from typing import Any

CHANCES = (0, 0, 0.1, 0.25, 0.5, 1)
NAMES = ("reiklanders", "skaven", "undead")


def law(dice: Random, most: int) -> Any:
    if most == 0 or dice.random() < 0.6:
        return dice.randint(0, most)
    low, high = sorted(dice.sample(range(most + 1), 2))
    chance = dice.choice((0.25, 0.5, 0.125))
    return {low: chance, high: 1 - chance}


def least(number: Any) -> int:
    return min(number) if isinstance(number, dict) else number


def some(dice: Random, keys: dict[str, Any], share: float = 0.6) -> dict[str, Any]:
    return {key: value for key, value in keys.items() if dice.random() < share}


def fight(dice: Random, turns: int, rivals: list[str]) -> dict[str, Any]:
    """Blows of the warriors of a rival, or of anybody."""
    optional = {
        "of": dice.choice(rivals),
        "number": dice.randint(1, 3),
        "attacks": dice.randint(1, 2),
        "second_weapon": dice.random() < 0.5,
        "frenzy": dice.random() < 0.5,
        "hatred": dice.random() < 0.5,
        "to_hit": dice.randint(2, 7),
        "to_wound": dice.randint(2, 6),
        "save": dice.randint(2, 7),
        "out_of_action": dice.randint(2, 6),
        "turns": sorted(dice.sample(range(1, turns + 1), dice.randint(1, turns))),
    }
    return {key: value for key, value in some(dice, optional).items() if value is not None}


def warband(dice: Random, turns: int, name: str, names: tuple[str, ...]) -> dict[str, Any]:
    others = [
        {"leadership": dice.randint(2, 12), **some(dice, {"number": dice.randint(1, 3)})}
        for _ in range(dice.randint(0, 2))
    ]
    total = 1 + sum(o.get("number", 1) for o in others)
    by_turn = [law(dice, min(2, total)) for _ in range(turns)]
    casualties = by_turn if dice.random() < 0.4 and sum(map(least, by_turn)) <= total else by_turn[0]
    fewest = sum(map(least, casualties)) if isinstance(casualties, list) else least(casualties)
    optional = {
        "out": min(dice.randint(0, total), max(total - fewest, 0)),
        "casualties": casualties,
        "leader_falls": dice.choice(["random", "first", "last", "never", dice.randint(1, turns)]),
        "others_fall": dice.choice(["weakest_first", "strongest_first"]),
        "leader_stunned": dice.choice(CHANCES),
        "others_stunned": dice.choice(CHANCES),
        "gives_up_at": dice.randint(1, total),
        "immune_to_psychology": dice.random() < 0.5,
    }
    kept = some(dice, optional)
    kept.setdefault("casualties", casualties)
    if dice.random() < 0.5:
        kept.pop("gives_up_at", None)
    if dice.random() < 0.4:
        rivals = [each for each in names if each != name] or [None]
        kept["casualties_from"] = [fight(dice, turns, rivals) for _ in range(dice.randint(1, 2))]
    return {"name": name, "leader": dice.randint(2, 12), **({"others": others} if others else {}), **kept}


def alone(dice: Random) -> dict[str, Any]:
    optional = {
        "opponents": dice.choice((2, 2, 3, 4, 1)),
        "friends_near": dice.choice((0, 0, 0, 1)),
        "wounds": dice.randint(1, 3),
        "to_wound": dice.randint(2, 6),
        "save": dice.randint(2, 7),
        "combat_phases": dice.randint(1, 4),
        "charged": dice.choice(CHANCES),
        "rally_leader": dice.randint(2, 12),
        "leader_state": dice.choice(("standing", "knocked_down", "stunned", "fleeing")),
    }
    edges = (0, 1, 2, 7, 12, 12.5, 14, 23.75, 24, 30, 0.25, 6.1, 18.3)
    geometry = dice.choice(
        (
            {},
            {"edge": dice.choice(edges)},
            {"edge_behind": dice.choice(edges)},
            {"edge": dice.choice(edges), "edge_behind": dice.choice(edges)},
            {"edge": dice.choice(edges), "first_run_elsewhere": dice.random() < 0.5},
        )
    )
    return {"leadership": dice.randint(2, 12), **geometry, **some(dice, optional)}


def side(dice: Random) -> dict[str, Any]:
    optional = {
        "leadership": dice.randint(2, 12),
        "leader": dice.randint(2, 12),
        "leader_state": dice.choice(("standing", "knocked_down", "stunned", "fleeing")),
        "second_weapon": dice.random() < 0.5,
        "to_hit": dice.randint(2, 6),
        "frenzy": dice.random() < 0.5,
        "hatred": dice.random() < 0.5,
        "causes_fear": dice.random() < 0.6,
        "immune_to_psychology": dice.random() < 0.2,
        "knocked_down": dice.choice(CHANCES),
    }
    return {"attacks": dice.randint(1, 3), **some(dice, optional)}


def combat(dice: Random) -> dict[str, Any]:
    optional = {"charger": dice.choice(("fighter", "enemy", "nobody")), "rounds": dice.randint(1, 3)}
    return {"fighter": side(dice), "enemy": side(dice), **some(dice, optional)}


def stupidity(dice: Random) -> dict[str, Any]:
    optional = {
        "leader": dice.randint(2, 12),
        "leader_state": dice.choice(("standing", "knocked_down", "stunned", "fleeing")),
        "in_combat": dice.random() < 0.5,
    }
    return {"leadership": dice.randint(2, 12), **some(dice, optional)}


def together(dice: Random) -> dict[str, Any]:
    states = ["p_out", "p_stunned", "p_knocked_down", "p_fleeing"]
    dice.shuffle(states)
    chances = dice.choice(([0.1, 0.2, 0.3, 0.4], [1, 0, 0, 0], [0.25, 0.25], [], [0.5, 0.125]))
    warriors = [
        {
            "name": f"warrior {number}",
            "leadership": dice.randint(2, 12),
            **some(dice, {"near_leader": dice.random() < 0.7}),
        }
        for number in range(dice.randint(1, 3))
    ]
    return {
        "leader": dice.randint(2, 12),
        **dict(zip(states, chances, strict=False)),
        **some(dice, {"rout_test": dice.random() < 0.7}, 0.9),
        "best_other": dice.randint(2, 12),
        "warriors": warriors,
    }


def questions(seed: int) -> dict[str, Any]:
    dice = Random(seed)
    turns = dice.randint(1, 4)
    question: dict[str, Any] = {"turns": turns}
    wanted = dice.choice(("warband", "warband", "rivals", "rivals", "alone", "combat", "several", "small"))
    if wanted in ("warband", "rivals"):
        names = NAMES[: dice.randint(2, 3)] if wanted == "rivals" else NAMES[:1]
        question["warband"], *rivals = [warband(dice, turns, name, names) for name in names]
        if wanted == "rivals":
            question |= {"rivals": rivals, **some(dice, {"winner": "first_to_leave"}, 0.4)}
        if wanted == "warband" or dice.random() < 0.2:
            question |= some(dice, {"effect_of_leader": dice.random() < 0.7})
    if wanted in ("alone", "several"):
        question["alone"] = alone(dice)
    if wanted in ("combat", "several"):
        question["combat"] = combat(dice)
    if wanted in ("small", "several"):
        question["stupidity"] = stupidity(dice)
        question["together"] = together(dice)
    if dice.random() < 0.3:
        values = {
            "to_wound": dice.randint(2, 6),
            "save": dice.randint(3, 7),
            "to_hit": dice.randint(2, 6),
            "out_of_action": dice.randint(2, 6),
            "hatred_while_frenzied": dice.random() < 0.5,
        }
        question["ruleset"] = some(dice, values)
    return question
