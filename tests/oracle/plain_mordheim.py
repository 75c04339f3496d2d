"""Mordheim, rules MD-1 to MD-10, read slowly: each law is a dict of outcome -> Fraction, pushed through the rules.

Written from the rules' text alone, without sight of the package; it shares nothing with it. Where the text leaves a
choice it is that of docs/rulings.md: the enemy's charge comes before the rally phase of one who flees; who ends a run
at an edge or beyond it has left; frenzy lets hatred work; who is knocked down in a round loses his frenzy after it.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tests.oracle.plain_laws import (
    TWO_DICE,
    Law,
    Row,
    Tables,
    certainly,
    collect,
    fraction,
    independent,
    marginal,
    passes,
    then,
    times,
    total,
)
from tests.oracle.plain_mordheim_warbands import at_least, warband_tables

RULESET = {"turns": 8, "to_wound": 4, "save": 7, "to_hit": 4, "out_of_action": 5, "hatred_while_frenzied": True}


def lent(own: int, leader: int | None, state: str = "standing") -> int:
    """MD-4: within 6 of the leader he may use the leader's Leadership, if the leader stands."""
    return own if leader is None or state != "standing" else max(own, leader)


# --- MD-4 to MD-6: all alone. A state is a word, or ("flees", inches to the edge or None for far). -------------------


def survives(alone: dict[str, Any], ruleset: dict[str, Any]) -> Fraction:
    """MD-5: each opponent hits once; a hit wounds on its roll, unless the armour saves."""
    to_wound, save = (ruleset[k] if alone.get(k) is None else alone[k] for k in ("to_wound", "save"))
    wound = at_least(to_wound) * (1 - at_least(save))
    opponents = alone.get("opponents", 2)
    return total(times(opponents, wound), lambda wounds: wounds < alone.get("wounds", 1))


def run(inches: Fraction | None) -> Law:
    """MD-6: 2d6 toward the nearest edge; removed when he reaches it."""
    if inches is None:
        return {("flees", None): Fraction(1)}
    return collect(
        ("left" if inches <= roll else ("flees", inches - roll), chance) for roll, chance in TWO_DICE.items()
    )


def alone_combat_phase(alone: dict[str, Any], ruleset: dict[str, Any]) -> Law:
    """MD-5: at the end of a combat phase in which he stands all alone."""
    if alone.get("opponents", 2) < 2 or alone.get("friends_near", 0) > 0:
        return {"holds": Fraction(1)}
    holds, lives = passes(alone["leadership"]), survives(alone, ruleset)
    runs = (first_run(alone), (1 - holds) * lives)
    return collect([("holds", holds), ("down", (1 - holds) * (1 - lives)), runs])


def first_run(alone: dict[str, Any]) -> Any:
    """MD-5: straight away from his opponents; the question says where he ends."""
    edge = alone.get("edge")
    return "left" if edge == 0 else ("flees", None if edge is None else fraction(edge))


def alone_turn(state: Any, alone: dict[str, Any], ruleset: dict[str, Any]) -> Law:
    """A turn: charged while he flees, his rally phase; and one who held may still be alone in the combat phase."""
    if state == "holds":
        return alone_combat_phase(alone, ruleset)
    charged = fraction(alone.get("charged", 0))
    ld = lent(alone["leadership"], alone.get("rally_leader"))

    def charge(now: Any) -> Law:
        if now[0] != "flees":
            return {now: Fraction(1)}
        return then({True: charged, False: 1 - charged}, lambda is_so: run(now[1]) if is_so else {now: Fraction(1)})

    def rally(now: Any) -> Law:
        if now[0] != "flees":
            return {now: Fraction(1)}
        failed = [(after, (1 - passes(ld)) * p) for after, p in run(now[1]).items()]
        return collect([("rallied", passes(ld)), *failed])

    return then(charge(state), rally)


def alone_tables(question: dict[str, Any], turns: int, ruleset: dict[str, Any]) -> Tables:
    """Turn 0 is the combat phase in which he is first all alone."""
    alone = question["alone"]
    law = alone_combat_phase(alone, ruleset)
    rows, distance = [], []
    for turn in range(turns + 1):
        if turn:
            law = then(law, lambda state: alone_turn(state, alone, ruleset))
        row: Row = {"turn": turn, "p_broke": 1 - law.get("holds", Fraction(0))}
        row["p_flees"] = total(law, lambda state: state[0] == "flees")
        for word in ("holds", "rallied", "left", "down"):
            row["p_left_table" if word == "left" else f"p_{word}"] = law.get(word, Fraction(0))
        rows.append(row)
        fleeing = {state[1]: p for state, p in law.items() if state[0] == "flees" and state[1] is not None}
        distance += [{"turn": turn, "inches_to_edge": d, "probability": p} for d, p in sorted(fleeing.items())]
    return {"alone": rows, "distance": distance}


# --- MD-7 to MD-9: combat. A state is (combat goes on, fighter's frenzy, enemy's frenzy, who needs sixes). -----------


def takes_fear_test(side: dict[str, Any], other: dict[str, Any]) -> bool:
    """MD-9, MD-7: of a fear-causer, by one who causes none, is not immune and not frenzied."""
    shielded = side.get("causes_fear") or side.get("immune_to_psychology") or side.get("frenzy")
    return bool(other.get("causes_fear")) and not shielded


def fear_passed(side: dict[str, Any], other: dict[str, Any]) -> Fraction:
    """P(no test of fear, or one that is passed), on the leader's Leadership too (MD-4)."""
    leadership = lent(side.get("leadership", 7), side.get("leader"))
    return passes(leadership) if takes_fear_test(side, other) else Fraction(1)


def charge_law(combat: dict[str, Any]) -> Law:
    """(combat takes place, fighter needs sixes, enemy needs sixes) in the first round (MD-9)."""
    charger = combat.get("charger", "fighter")
    if charger == "nobody":
        return {(True, False, False): Fraction(1)}
    charged = "enemy" if charger == "fighter" else "fighter"
    goes, calm = fear_passed(combat[charger], combat[charged]), fear_passed(combat[charged], combat[charger])
    afraid = (True, charged == "fighter", charged == "enemy")
    return collect(
        [((False, False, False), 1 - goes), ((True, False, False), goes * calm), (afraid, goes * (1 - calm))]
    )


def hit_law(side: dict[str, Any], frenzied: bool, sixes: bool, first_round: bool, ruleset: dict[str, Any]) -> Law:
    """Hits of a round: Attacks, doubled by frenzy, one more for the second weapon; hatred re-rolls misses."""
    dice = side.get("attacks", 1) * (2 if frenzied else 1) + bool(side.get("second_weapon"))
    to_hit = ruleset["to_hit"] if side.get("to_hit") is None else side["to_hit"]
    hit = at_least(6 if sixes else to_hit)
    silenced = frenzied and not ruleset["hatred_while_frenzied"]
    if side.get("hatred") and first_round and not silenced:
        hit = hit + (1 - hit) * hit
    return times(dice, hit)


def combat_tables(question: dict[str, Any], ruleset: dict[str, Any]) -> Tables:
    """Each round: the hits of both; knocked down in it, a frenzied side is frenzied no more from the next."""
    combat = question["combat"]
    sides = ("fighter", "enemy")
    frenzies = tuple(bool(combat[side].get("frenzy")) for side in sides)
    law = collect(((goes, frenzies, (a, b)), p) for (goes, a, b), p in charge_law(combat).items())
    answer: Tables = {"combat": [], "hits": [], "hits_of_fighter": [], "hits_of_enemy": []}

    def lose_frenzy(state: Any) -> Law:
        goes, now, sixes = state
        chances = [fraction(combat[side].get("knocked_down", 0)) for side in sides]
        if not goes:
            return {state: Fraction(1)}
        kept = independent(collect([(keeps, 1 - c), (False, c)]) for keeps, c in zip(now, chances, strict=True))
        return marginal(kept, lambda frenzies: (goes, frenzies, sixes))

    for number in range(1, combat.get("rounds", 1) + 1):

        def hits(state: Any, number: int = number) -> Law:
            goes, now, sixes = state
            if not goes:
                return {(0, 0): Fraction(1)}
            return independent(
                hit_law(combat[side], now[i], sixes[i] and number == 1, number == 1, ruleset)
                for i, side in enumerate(sides)
            )

        joint = then(law, hits)
        each = [marginal(joint, lambda pair, i=i: pair[i]) for i in (0, 1)]
        row: Row = {"round": number, "p_combat": total(law, lambda state: state[0])}
        for i, side in enumerate(sides):
            row[f"mean_{side}_hits"] = total(each[i], lambda number: number)
            row[f"p_{side}_frenzied"] = total(law, lambda state, i=i: state[0] and state[1][i])
            row[f"p_{side}_needs_sixes"] = total(law, lambda s, i=i, number=number: s[2][i] and number == 1)
        answer["combat"].append(row)
        answer["hits"] += [
            {"round": number, "fighter_hits": a, "enemy_hits": b, "probability": p}
            for (a, b), p in sorted(joint.items())
        ]
        for side, one in zip(sides, each, strict=True):
            rows = [{"round": number, "hits": n, "probability": p} for n, p in sorted(one.items())]
            answer[f"hits_of_{side}"] += rows
        law = then(law, lose_frenzy)
    return answer


# --- MD-10: stupidity ------------------------------------------------------------------------------------------------


def stupidity_tables(question: dict[str, Any], turns: int) -> Tables:
    """A test at the start of each turn; a turn is lost when it fails."""
    keys = question["stupidity"]
    passed = passes(lent(keys["leadership"], keys.get("leader")))
    failed, in_combat = 1 - passed, keys.get("in_combat", False)
    row = {
        "p_sensible": passed,
        "p_walks": Fraction(0) if in_combat else failed / 2,
        "p_idle": Fraction(0) if in_combat else failed / 2,
        "p_no_blows": failed if in_combat else Fraction(0),
        "mean_share_of_turns_lost": failed,
    }
    lost = times(turns, failed)
    return {
        "stupidity": [{"turn": turn, **row} for turn in range(1, turns + 1)],
        "turns_lost": [{"turns_lost": n, "probability": p} for n, p in lost.items()],
    }


# --- MD-1, MD-4, MD-10: several tests of one turn --------------------------------------------------------------------


def together_tables(question: dict[str, Any]) -> Tables:
    """All outcomes of one turn: the leader's state, the rout test, then every warrior's own test."""
    keys = question["together"]
    words = {"out": "out of action", "stunned": "stunned", "knocked_down": "knocked down", "fleeing": "fleeing"}
    states = {word: fraction(keys.get(f"p_{key}", 0)) for key, word in words.items()}
    states = {"standing": 1 - sum(states.values()), **states}
    warriors = keys.get("warriors", [])

    def rout(state: str) -> Law:
        if not keys.get("rout_test", False):
            return certainly((state, "not due"))
        ld = keys.get("best_other") if state in ("out of action", "stunned") else keys["leader"]
        return {(state, "passed"): passes(ld or 0), (state, "failed"): 1 - passes(ld or 0)}

    def tested(leader_and_rout: Any) -> Law:
        state, word = leader_and_rout
        if word == "failed":
            return certainly((state, word, (False,) * len(warriors)))
        ranks = [lent(w["leadership"], keys["leader"] if w.get("near_leader") else None, state) for w in warriors]
        failures = independent(collect([(True, 1 - passes(ld)), (False, passes(ld))]) for ld in ranks)
        return marginal(failures, lambda failed: (state, word, failed))

    joint = then(then(states, rout), tested)
    numbers = marginal(joint, lambda outcome: (*outcome[:2], sum(outcome[2])))
    tests = [
        {
            "test": w.get("name", "warrior"),
            "p_tests": total(joint, lambda o: o[1] != "failed"),
            "p_failed": total(joint, lambda o, place=place: o[2][place]),
        }
        for place, w in enumerate(warriors)
    ]
    routed = total(joint, lambda o: o[1] == "failed")
    if keys.get("rout_test", False):
        tests.insert(0, {"test": "rout test", "p_tests": Fraction(1), "p_failed": routed})
    several = [
        {"warriors": "two or more fail", "probability": total(joint, lambda o: sum(o[2]) >= 2)},
        {"warriors": "one fails", "probability": total(joint, lambda o: sum(o[2]) == 1)},
        {"warriors": "none fails", "probability": total(joint, lambda o: o[1] != "failed" and not any(o[2]))},
        {"warriors": "no warrior tests: routed", "probability": routed},
    ]
    rows = [{"leader": a, "rout_test": b, "tests_failed": n, "probability": p} for (a, b, n), p in numbers.items()]
    return {"together": rows, "tests": tests, "several": several}


def tables(question: dict[str, Any]) -> Tables:
    ruleset = {**RULESET, **question.get("ruleset", {})}
    turns = question.get("turns") or ruleset["turns"]
    answer: Tables = {}
    if question.get("warband"):
        answer |= warband_tables(question, turns, ruleset)
    if question.get("alone"):
        answer |= alone_tables(question, turns, ruleset)
    if question.get("combat"):
        answer |= combat_tables(question, ruleset)
    if question.get("stupidity"):
        answer |= stupidity_tables(question, turns)
    if question.get("together"):
        answer |= together_tables(question)
    return answer
