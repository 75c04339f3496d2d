"""Random questions about shipped units, often changed ones: to the module in Node, and to the public functions."""

import json
import random
import shutil
import subprocess
from functools import cache
from itertools import accumulate
from math import isclose
from pathlib import Path

import numpy as np

import analyser
from analyser import load_profiles
from analyser.common.errors import InputError
from analyser.engine.attack.summaries import mean_damage
from analyser.rules.attack import hits_of
from analyser.web.compile_module import MODULE
from analyser.web.memory_layout import CONDITIONS, layout, unit_facts
from tests.oracle.random_scenarios import consistent

NODE = shutil.which("node")
WITHOUT_NODE = "needs Node (node on the PATH): it runs the WebAssembly module outside a browser"
OF_ATTACKER = {name: f"attacker_{name}" for name in ("models", "damage", "garrisoned", "reloading", "advanced")}
OF_CHARGES = ("outflanking", "supported", "threatened", "difficult_terrain", "overrun")
QUALITIES = (
    *("Arc", "Devastating", "Penetrating", "Suppressive", "Torrent", "Precision", "Cryo", "Seismic", "Lock On"),
    *("Shock", "Wreckers", "Point Blank", "Slow to Fire", "Move or Fire", "Reactive", "Indirect", "Overcharge"),
    *("Siegebreaker", "Full Steam Ahead", "Turret"),
)
RULES = (
    *("Durable", "Automata", "Irrepressible", "Resilient (Front)", "Emplacement", "Pavises", "Shrouded", "Construct"),
    *("Hot Headed", "Bodyguard", "Irregular", "Lockstep", "Hover", "Veteran (2)", "Sponsons (4)", "Stoic Defence"),
    *("Storming Party", "Onslaught", "Overrun", "Hunter", "Throw (6)", "All-Out Attack (2)", "Tail Gunner (3)"),
    *("Spectacular Demise (5)", "Berserk", "Run Amok", "Corrosive Fumes (4)", "Static", "Chain of Command"),
)
MOST_DAMAGE_IN_DUELS = 6


@cache
def loadouts():
    return list(load_profiles())


def unit_at_random(rng):
    """A shipped loadout, half of the time with other qualities or rules."""
    loadout = rng.choice(loadouts())
    if loadout.unit.rows and rng.random() < 0.5:
        row = rng.choice(loadout.unit.rows).id
        loadout = loadout.with_(row=row, qualities=[f"+{name}" for name in rng.sample(QUALITIES, rng.randint(1, 3))])
    if rng.random() < 0.5:
        printed = [*map(str, loadout.unit.rules)]
        rules = consistent([*printed, *rng.sample(RULES, rng.randint(1, 3))])
        added = [f"+{name}" for name in rules if name not in printed]
        loadout = loadout.with_(rules=added) if added else loadout
    if rng.random() < 0.2:
        loadout = loadout.with_(defence=rng.randint(1, 4), damage_limit=rng.randint(1, 4))
    return loadout


def question_at_random(kind, seed):
    """Two units and a few conditions that apply to them: what the module is asked."""
    rng = random.Random(f"{kind} {seed}")
    attacker, target = unit_at_random(rng), unit_at_random(rng)
    rows = range(len(attacker.unit.rows))
    fitting = [row for row in rows if target.unit.category in attacker.unit.rows[row].against]
    row = rng.choice(fitting if fitting and rng.random() < 0.9 else rows or [None])
    conditions = {"attacker": {}, "target": {}}
    share = rng.choice([0.0, 0.05, 0.2])
    for condition in CONDITIONS:
        if kind not in condition.questions or rng.random() > max(share, 0.5 if condition.name == "distance" else 0):
            continue
        unit = target if condition.side == "target" else attacker
        fires = kind == "attack" and row is not None and condition.side != "target"
        rows = [unit.unit.rows[row]] if fires else unit.unit.rows
        needs = condition.needs
        if needs and not unit.unit.has(needs) and not any(each.has(needs) for each in rows):
            continue
        if condition.name == "garrisoned" and unit.unit.type != "infantry":
            continue
        held = conditions if condition.side == "fight" else conditions[condition.side]
        held[condition.name] = value_at_random(condition, unit, rng)
    if "distance" in conditions:
        conditions.pop("short_range", None)
    if kind == "duel":
        conditions.setdefault("rounds", 2)
    for side, unit in (("attacker", attacker), ("target", target)):
        state = conditions[side]
        if kind == "duel":  # small enough for a quick answer in Python
            most = max(MOST_DAMAGE_IN_DUELS // unit.unit.damage_limit, 1)
            state["models"] = min(state.get("models", unit.level.models), most)
        if "exposed" in state:
            state["exposed"] = min(state["exposed"], state.get("models", state["exposed"]))
    return {"kind": kind, "attacker": attacker, "row": row, "target": target, "conditions": conditions}


def value_at_random(condition, unit, rng):
    if condition.name in ("models", "exposed"):
        return rng.randint(1, unit.level.models)
    if condition.name == "damage":
        return rng.randrange(unit.unit.damage_limit)
    if condition.kind == "flag":
        return True
    if condition.kind == "choice":
        return rng.choice([name for name, _ in condition.choices])
    if condition.kind == "row":
        ranged = condition.name == "row"
        rows = [place for place, row in enumerate(unit.unit.rows) if (row.kind == "ranged") == ranged]
        return rng.choice(rows or [None])
    return rng.choice([2, 3, 5, 6, 8, 12, 18]) if condition.kind == "inches" else rng.randint(1, 3)


def answers(questions, module=MODULE, page=None):
    """The answers of a module, in Node, to questions whose units are facts already; `page`: its layout."""
    setup = {"layout": page or layout(), "module": str(module)}
    lines = "\n".join(json.dumps(each) for each in (setup, *questions))
    script = Path(__file__).with_name("ask.mjs")
    done = subprocess.run([NODE, str(script)], input=lines, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def asked_of_module(questions):
    return answers([each | {side: unit_facts(each[side]) for side in ("attacker", "target")} for each in questions])


def asked_of_python(question, answer, profiles=None):
    """The public result of the same question, or the error that it is refused with.

    `answer`: the module's, which chooses a policy where none is stated.
    """
    by = {"profiles": profiles}
    kind, conditions = question["kind"], question["conditions"]
    units = question["attacker"], question["target"]
    fight = {name: value for name, value in conditions.items() if name not in ("attacker", "target")}
    try:
        if kind == "attack":
            own = {OF_ATTACKER.get(name, name): value for name, value in (conditions["attacker"] | fight).items()}
            row = None if question["row"] is None else units[0].unit.rows[question["row"]].id
            target = {"unit": units[1], **conditions["target"]}
            return analyser.attack({"attacker": units[0], "row": row}, target, **own, **by)
        sides, stated = [], []
        for unit, name in zip(units, ("attacker", "target")):
            own = {key: value for key, value in conditions[name].items() if key not in (*OF_CHARGES, "policy")}
            for key in ("row", "close_quarters_row"):
                if own.get(key) is not None:
                    own[key] = unit.unit.rows[own[key]].id
            stated.append({key: value for key, value in conditions[name].items() if key in OF_CHARGES})
            if "overrun" in stated[-1]:
                stated[-1]["overrun"] = stated[-1]["overrun"] == "yes"
            sides.append({"unit": unit, **own})
        if kind == "charge":
            return analyser.charge(*sides, **stated[0], **by)
        terms = dict(fight)
        if "first" in terms:
            terms["first"] = {"attacker": "a", "target": "b"}[terms["first"]]
        policies = {
            f"policy_{side}": conditions[name].get("policy") or layout()["policies"][answer[f"{name}_policy"]]
            for side, name in zip("ab", ("attacker", "target"))
        }
        sides = [side | {"charge": own} if own else side for side, own in zip(sides, stated)]
        return analyser.duel(*sides, **terms, **policies, **by)
    except InputError as error:
        return error


def summed(weights, where):
    """The sum of some weights, one after the other, as the kernel adds them up."""
    total = 0.0
    for weight in weights[where].tolist():
        total += weight
    return total


def mean_of(weights, values):
    """The mean of values, added up one after the other, as the kernel does."""
    total = 0.0
    for weight, value in zip(weights.tolist(), values.tolist()):
        total += weight * value
    return total


def at_least(losses):
    """The probability of at least so many models destroyed, added up from above."""
    return list(accumulate(losses[::-1], initial=0.0))[:0:-1]


def points_lost(loadout, unit, share):
    """The points lost in a fight by a unit that may have lost models or have damage before it."""
    lost = share * (unit.models * unit.damage_limit) - unit.damage
    points = loadout.level.points
    return None if points is None else points * lost / (loadout.level.models * unit.damage_limit)


def means_of_unit(standing, weights, columns):
    """The means that the module must say of a unit with so many models, to the bit; `columns`: figures by outcome.

    A unit that is gone has lost everything (AC-5.9), and else the share of its damage (AC-3.8).
    """
    unit, models = standing
    lost = columns["models_destroyed"] * unit.damage_limit + columns["damage_left"]
    share = mean_of(weights, np.where(columns["annihilated"], 1.0, lost / (models * unit.damage_limit)))
    return {"mean_models_destroyed": mean_of(weights, columns["models_destroyed"]), "mean_share_lost": share}


def figures_of_attack(result, _):
    """What the module's answer to an attack must be, to the bit."""
    weights, names = result.weights, ("models_destroyed", "damage_left", "annihilated", "fled")
    columns = {name: result.column(name) for name in names}
    events = ("suppressed", "disordered", "fell_back", "broken", "fled", "annihilated", "activated", "destroyed")
    figures = {name: summed(weights, result.column(name)) for name in events}
    figures["destroyed_or_broken"] = summed(weights, columns["annihilated"] & ~columns["fled"])
    most = result.scenario.target.models
    figures["losses"] = [summed(weights, columns["models_destroyed"] == models) for models in range(most + 1)]
    figures["building_wrecked"] = result.building_wrecked_weight or 0.0
    scenario, fight = result.scenario, result.scenario.fight
    figures |= means_of_unit((scenario.target, most), weights, columns)
    figures["at_least"] = at_least(figures["losses"])
    rating = scenario.target.victory_points
    figures["points"] = points_lost(scenario.defender, scenario.target, figures["mean_share_lost"])
    figures["victory_points"] = None if rating is None else rating * figures["annihilated"]
    hits = np.array([hits_of(result.scores, score) for score in range(len(result.score_weights))])
    figures["mean_hits"] = mean_of(result.score_weights, hits)
    figures["mean_damage"] = mean_damage(fight, result.scores, result.score_weights)
    figures["mean_attacker_models_destroyed"] = mean_of(weights, result.column("attacker_models_destroyed"))
    return figures | {"dice": int(fight.dice), "rating": int(fight.rating), "defence": int(fight.defence)}


def figures_of_sides(result, moment, sides, loadouts):
    figures, weights = {}, result.joint_states(moment).weights
    for side, name, loadout in zip(sides, ("attacker", "target"), loadouts):
        unit = getattr(result.scenario, side)
        events = ("suppressed", "disordered", "fell_back", "broken", "fled", "annihilated", "destroyed")
        figures[name] = {event: summed(weights, result.event(f"{side}_{event}", moment)) for event in events}
        lost = result.values(f"{side}_models_destroyed", moment)
        figures[name]["losses"] = [summed(weights, lost == models) for models in range(unit.models + 1)]
        columns = {
            what: result.values(f"{side}_{what}", moment) for what in ("models_left", "models_destroyed", "damage_left")
        }
        gone = result.event(f"{side}_annihilated", moment)
        figures[name] |= means_of_unit((unit, unit.models), weights, columns | {"annihilated": gone})
        figures[name]["mean_models_left"] = mean_of(weights, columns["models_left"])
        figures[name]["mean_damage_left"] = mean_of(weights, np.where(gone, 0, columns["damage_left"]))
        figures[name]["at_least"] = at_least(figures[name]["losses"])
        won = result.victory_points(side) if moment is None else result.victory_points(side, moment)
        figures[name]["victory_points"] = None if won is None else mean_of(weights, won)
        figures[name]["points"] = points_lost(loadout, unit, figures[name]["mean_share_lost"])
    return figures


def figures_of_charge(result, loadouts):
    weights = result.joint_states().weights
    events = ("attacker_wins", "target_wins", "draw", "no_combat", "attacker_overruns")
    figures = {name: summed(weights, result.event(name)) for name in events if name in result.events}
    return figures | figures_of_sides(result, None, ("attacker", "target"), loadouts)


def figures_of_duel(result, loadouts):
    weights = result.joint_states().weights
    names = {"attacker_wins": "a_wins", "draw": "draw", "target_wins": "b_wins"}
    names |= {"attacker_devastating": "a_devastating", "target_devastating": "b_devastating"}
    figures = {name: summed(weights, result.event(event)) for name, event in names.items()}
    figures["mean_margin"] = mean_of(weights, result.values("margin"))
    rounds = [figures_of_sides(result, number, ("a", "b"), loadouts) for number in range(1, len(result.moments) + 1)]
    return figures | rounds[-1] | {"rounds": rounds}


FIGURES = {"attack": figures_of_attack, "charge": figures_of_charge, "duel": figures_of_duel}


def differences(expected, found, at="", within=0.0):
    """Every figure of `expected` that differs in the module's answer, by more than `within` of it or of 1."""
    for name, value in expected.items() if isinstance(expected, dict) else enumerate(expected):
        other = found[name]
        if isinstance(value, dict | list):
            yield from differences(value, other, f"{at}{name}.", within)
        elif value != other and not (within and isclose(value, other, rel_tol=within, abs_tol=within)):
            yield f"{at}{name}: {value!r} in Python, {other!r} in the module"
