"""Two changed rules, and what every kind of fight comes to by them.

Changes are made before the engines import the rules, so they need a process of their own, and kernels that are kept
nowhere else: ``python -m tests.helpers.changed_rules`` with ``NUMBA_CACHE_DIR``. What it prints is JSON.
"""

import json

from analyser.common.jit import inlined, interpreted, step

TWO_DICE = 100  # a Draw that the rules do not have
TRIALS = 40_000
TOLD = 10_000  # trials


def change_scoring():
    """Add the quality Piercing: hits of heroic strikes ignore 1 DEFENCE."""
    from analyser.game import keywords
    from analyser.rules import structs

    both = (keywords.CLOSE_QUARTERS, keywords.DUEL)
    keywords.QUALITIES["Piercing"] = keywords.Term("Piercing", "any attack", "attacker", both)
    for facts in (structs.AttackFacts, structs.FightFacts):
        facts.__annotations__["piercing"] = int
    structs.ATTACK = structs._integer_record(structs.AttackFacts)
    structs.FIGHT = structs._integer_record(structs.FightFacts)

    from analyser.rules import attack

    set_pool, scores_for = attack.set_pool, attack.scores_for
    hits_of, points_of = attack.hits_of, attack.damage_points

    @step
    def set_pool_too(attack_facts, target, fight):
        set_pool(attack_facts, target, fight)
        fight.piercing = attack_facts.piercing

    @step
    def scores_apart(fight, dice):
        scores = scores_for(fight, dice)
        if not fight.piercing:
            return scores
        return attack.Scores(fight.heroic_hits * (dice * (1 + fight.explosion) + 1), 1, 0, 1)

    @step
    def hits_together(scores, score):
        if scores.heroic <= 2 * scores.strike:
            return hits_of(scores, score)
        apart = scores.heroic // 2  # each hit of a heroic strike
        return score // apart + score % apart

    @step
    def points_apart(fight, scores, score):
        if not fight.piercing:
            return points_of(fight, scores, score)
        apart = scores.heroic // 2
        return score // apart // max(fight.defence - 1, 1) + score % apart // fight.defence

    attack.set_pool, attack.scores_for = set_pool_too, scores_apart
    attack.hits_of, attack.damage_points = hits_together, points_apart


def change_tests():
    """Take discipline tests by two dice instead of a card."""
    from analyser.rules import draws

    by_card = draws.success_counts

    @step
    def two_dice(side):
        return TWO_DICE

    @inlined
    def passing(draw, highest, odds):
        if draw != TWO_DICE:
            return by_card(draw, highest, odds)
        below = 0
        for first in range(1, 7):
            for second in range(1, 7):
                below += 1 if first + second <= highest else 0
        return below, 36

    draws.test_draw, draws.success_counts = two_dice, passing


CHANGES = {"piercing": change_scoring, "two-dice": change_tests}
FIGHTS = {  # qualities and dice of the attacker's rows, the die, and the target
    "piercing": (["Piercing"], 2, {"heroic": 1, "strike": 1}, {"models": 1, "defence": 3, "damage_limit": 2}),
    "two-dice": ([], 1, {"strike": 1}, {"models": 2, "discipline": 7, "break_limit": 1}),
}
GONE = {"attack": "annihilated", "focus": "annihilated", "charge": "target_annihilated", "duel": "a_wins"}
GONE["best play"] = GONE["duel"]


def chances(name):
    """The chance that one attack removes the target, by kind of fight and method; every card of the deck is a 12."""
    import analyser
    from tests.oracle.fight_files import row, unit

    qualities, dice, die, target = FIGHTS[name]
    rows = [row(kind, dice, *qualities) for kind in ("ranged", "melee")]
    a, b = unit(*rows, models=1, category="light"), unit(category="light", **target)
    struck = {key: value for key, value in b.items() if key not in ("rows", "victory_points")}
    shot = {"dice": dice, "qualities": qualities}
    asked = {
        "attack": {"attack": shot, "target": struck},
        "focus": {"attacks": [shot], "target": struck},
        "charge": {"attacker": a, "target": b},
        "duel": {"duel": {"rounds": 1, "first": "a", "policy_b": "take_cover"}, "a": a, "b": b},
        "best play": {"duel": {"rounds": 1, "first": "a", "policy_a": "best", "policy_b": "best"}, "a": a, "b": b},
    }
    found = {}
    for kind, question in asked.items():
        question["ruleset"] = {"die": die, "deck": {"12": 1}}
        with interpreted():  # to compile what runs once takes longer
            found[f"{kind}, exact"] = analyser.exact(question).summary[f"p_{GONE[kind]}"]
        found[f"{kind}, simulated"] = analyser.simulate(question, trials=TRIALS).summary[f"p_{GONE[kind]}"]
    found["duel, told"] = told(asked["duel"])
    mine, plain = ({"speed": 4.0, "category": "light", "models": 1} | each for each in (a, b))
    mine |= {key: b[key] for key in ("defence", "damage_limit")}  # alike, but for what is changed
    return found | battles((mine, plain | {"models": b["models"]}, row("ranged", dice)), die)


def told(duel):
    """The same chance among trials that are told."""
    from analyser.ask.fight_narration import fight_trials
    from analyser.scenarios.load import load

    return sum(trial.figures["a_wins"] for trial in fight_trials(load(duel), TOLD, 0)) / TOLD


def battles(units, die):
    """The same chance in battles: the other unit takes cover; or it is listed first, and shoots back as usual."""
    from tests.oracle.fight_files import battle

    mine, other, usual_row = units
    terms = {"die": die, "deck": {"12": 1}, "trials": TRIALS, "rounds": 1}
    back = {"policy_mine": "shoot", "policy_yours": "shoot", "initiative_mine": "give", "initiative_yours": "take"}
    first, second = battle(mine, other, **terms), battle(other | {"rows": [usual_row]}, mine, **terms, **back)
    found = {"battle, simulated": first.summary["p_victory"]}
    return found | {"battle against the unchanged, simulated": second.summary["p_defeat"]}


if __name__ == "__main__":
    for change in CHANGES.values():
        change()
    print(json.dumps({name: chances(name) for name in FIGHTS}))
