"""Small battles at random, as the plain reading of battles takes them and as a user writes them."""

from dataclasses import replace

from tests.oracle.plain_battle_field import Plan, Row, Side, Unit
from tests.oracle.random_scenarios import CLOSE_QUALITIES, RANGED_QUALITIES, often, some_of

GROUND_TYPES = dict.fromkeys(("infantry", "cavalry", "field gun"), "light")
GROUND_TYPES |= dict.fromkeys(("armour", "artillery", "fortification"), "heavy")
DICE = ((1, 2, 1, 1, 1), (1, 2, 1, 1, 1), (2, 2, 1, 1, 2), (1, 3, 2, 1, 1))
DECKS = (
    tuple((value, 3) for value in range(1, 13)),
    ((1, 2), (4, 2), (7, 2), (9, 1)),
    ((3, 4), (8, 4)),
    ((2, 1), (5, 1), (6, 2), (12, 2)),
)
POLICIES = ("auto", "shoot", "shoot", "short_range", "charge", "charge", "lookout", "take_cover")
RULES = dict.fromkeys(("Durable", "Automata", "Irrepressible", "Pavises", "Shrouded", "Construct"), (None,))
RULES |= dict.fromkeys(("Static", "Onslaught", "Hunter", "Bodyguard", "Hover"), (None,))
RULES |= {"Stoic Defence": (None,), "Veteran": (1, 2), "Resilient": ("Front",), "Sponsons": (1, 2)}
ODD_RULES = {"Overrun": (None,), "Spectacular Demise": (1, 2, 3), "Corrosive Fumes": (2, 6, 12), "Tail Gunner": (1, 2)}
CHANCE_OF_A_RULE = 0.05


def inches(rng, least, most):
    """A length, mostly in halves of an inch, now and then in hundredths."""
    if often(0.2, rng):
        return rng.randint(least * 100, most * 100) / 100
    return rng.randint(2 * least, 2 * most) / 2


def random_plan(rng, *, odd=False, transports=False, aircraft=False):
    """A battle of one to three units a side over one to three rounds."""
    deck = rng.choice(DECKS)
    shared = {"arrives": rng.choice((2, 2, 3)), "disembark_within": inches(rng, 0, 16)}
    shared["disembark_by"] = rng.randint(1, 4)
    gap = inches(rng, 2, 30)
    sides = [random_side(rng, name, deck, shared, odd, transports, aircraft) for name in "ab"]
    sizes = {"rounds": (1, 2, 2, 3, 4), "width": (0, 6, 12, 36), "hand_limit": (0, 1, 2, 4), "die": DICE}
    chosen = {name: rng.choice(several) for name, several in sizes.items()}
    plan = Plan(*sides, **chosen, replacement=often(0.2, rng), gap=gap)
    return with_objectives(rng, plan) if often(0.5, rng) else plan


def with_objectives(rng, plan):
    """The same battle with markers; mostly two inches apart at most, with units about the markers."""
    plan = replace(plan, objectives=rng.randint(1, 3), objective_points=rng.randint(1, 2))
    if often(0.3, rng):
        return plan
    sides = [
        replace(side, units=tuple(beside_a_marker(rng, plan, unit) if often(0.7, rng) else unit for unit in side.units))
        for side in (plan.a, plan.b)
    ]
    return replace(plan, a=sides[0], b=sides[1], gap=rng.choice((2, 2, 1.5, 0)))


def beside_a_marker(rng, plan, unit):
    marker = plan.width * (2 * rng.randrange(plan.objectives) + 1) / (2 * plan.objectives)
    x = max(marker + rng.choice((0, 0, 0, 0.5, -0.5, 1)), 0)
    unit = changed(unit, x=x, behind=rng.choice((0, 0, 0, 0.01)))
    if unit.embarked_in or unit.category != "light" or often(0.5, rng):
        return unit
    return changed(unit, type=rng.choice(("infantry", "cavalry")))


def random_side(rng, name, deck, shared, odd, transports, aircraft):
    count = rng.choice((1, 2, 2, 3))
    units = [random_unit(rng, f"{name}{number}", odd) for number in range(count)]
    if transports and count > 1:
        units[1] = embarked(rng, units[0], units[1])
        units[0] = carrier(rng, units[0], units[1])
    may_wait = count // 2 - (transports and count > 1)
    if may_wait > 0 and often(0.6, rng):
        last = units[-1]
        units[-1] = in_the_air(rng, last) if aircraft else changed(last, reserve=True)
    return Side(
        tuple(changed(unit, **shared) for unit in units),
        order=rng.choice(("listed", "nearest", "dearest")),
        target=rng.choice(("nearest", "most_points", "best_kill", "most_dangerous", "threatened_first")),
        hand=rng.choice(("highest", "lowest", "middle", "surrender", "kept")),
        discard_below=rng.choice((0, 0, 4)),
        initiative=rng.choice(("take", "take", "give")),
        deck=deck,
    )


def changed(unit, **values):
    return Unit(**{**unit.__dict__, **values})


def random_unit(rng, name, odd):
    kind = rng.choice(list(GROUND_TYPES))
    if odd and often(0.1, rng):
        kind = "rotorcraft"
    models = rng.randint(1, 4)
    rules = {rule: rng.choice(values) for rule, values in RULES.items() if often(CHANCE_OF_A_RULE, rng)}
    if odd:
        rules |= {rule: rng.choice(values) for rule, values in ODD_RULES.items() if often(3 * CHANCE_OF_A_RULE, rng)}
    unit = Unit(
        name,
        models,
        rng.randint(1, 3),
        (),
        points=rng.choice((0, 50, 60, 100)),
        vpr=rng.randint(0, 4),
        type=kind,
        category=GROUND_TYPES.get(kind, "aerial"),
        speed=inches(rng, 2, 8),
        damage_limit=rng.randint(1, 2),
        discipline=rng.choice((None, 3, 5, 6, 7, 8)),
        break_limit=rng.choice((None, None, 0, 1, 2)),
        rules=rules,
        commander=often(0.15, rng),
        policy=rng.choice(POLICIES),
        behind=rng.choice((0, 0, 0, 2, 5.5)),
        x=inches(rng, 0, 20) if often(0.4, rng) else None,
    )
    if often(0.1, rng):
        unit = changed(unit, behemoth=True, models=1, damage_limit=rng.randint(2, 5))
    return changed(unit, rows=random_rows(rng, unit))


def random_rows(rng, unit):
    """One ranged row that fits an enemy at most, and one for close quarters at most."""
    rows = []
    against = [["light", "heavy"], ["light"], ["heavy"], ["light", "heavy", "aerial"], ["light", "aerial"]]
    if often(0.85, rng):
        kinds = rng.choice(against)
        rows.append(ranged_row(rng, unit, kinds))
        rest = [kind for kind in ("light", "heavy", "aerial") if kind not in kinds]
        if rest and often(0.6, rng):
            rows.append(ranged_row(rng, unit, rest))
    if often(0.6, rng):
        kind = rng.choice(("melee", "melee", "impact"))
        rows.append(Row(kind, random_bands(rng, unit), qualities=some_of(CLOSE_QUALITIES, rng, share=0.08)))
    return tuple(rows)


def ranged_row(rng, unit, kinds):
    long_range = inches(rng, 2, 24)
    short_range = rng.choice((None, round(long_range * 50) / 100))
    qualities = list(some_of(RANGED_QUALITIES, rng, share=0.06))
    if short_range is not None and often(0.05, rng):
        qualities.append("Indirect")
    return Row("/".join(kinds), random_bands(rng, unit), short_range, long_range, tuple(qualities))


def random_bands(rng, unit):
    """A band for each count, now and then of no dice but at full strength."""
    counts = range(unit.damage_limit) if unit.behemoth else range(1, unit.models + 1)
    full = 0 if unit.behemoth else unit.models
    return tuple(
        (count, count, rng.randint(1, 4) if count == full or often(0.8, rng) else 0, rng.randint(1, 4))
        for count in counts
    )


def carrier(rng, unit, passenger):
    capacity = max(2, -(-passenger.models // unit.models))
    return changed(unit, type="armour", category="heavy", capacity=capacity, behemoth=False, reserve=False)


def embarked(rng, transport, unit):
    unit = changed(unit, type="infantry", category="light", embarked_in=transport.name)
    return changed(unit, behemoth=False, rows=random_rows(rng, changed(unit, behemoth=False)))


def in_the_air(rng, unit):
    unit = changed(unit, type="aircraft", category="aerial", behemoth=False, reserve=True)
    rules = {**unit.rules, **({"Hot Headed": None} if often(0.2, rng) else {})}
    return changed(unit, rows=(ranged_row(rng, unit, ["light", "heavy"]),), rules=rules)


def army_of(side):
    return {"name": "Army", "unit": [unit_table(unit) for unit in side.units]}


def unit_table(unit):
    rules = [name if value is None else f"{name} ({value})" for name, value in unit.rules.items()]
    traits = [name for name in ("commander", "behemoth") if getattr(unit, name)]
    if unit.capacity:
        rules.append(f"Capacity ({unit.capacity})")
        traits.append("transport")
    table = {
        **{key: getattr(unit, key) for key in ("name", "models", "defence", "points", "type", "category", "speed")},
        **{key: getattr(unit, key) for key in ("damage_limit", "discipline", "break_limit", "policy", "reserve")},
        **{key: getattr(unit, key) for key in ("behind", "x", "embarked_in")},
        "victory_points": unit.vpr,
        "rules": rules,
        "traits": traits,
        "rows": [row_table(row, f"row-{number}") for number, row in enumerate(unit.rows)],
    }
    return {key: value for key, value in table.items() if value is not None}


def row_table(row, name):
    bands = [dict(zip(("first", "last", "dice", "special"), band, strict=False)) for band in row.bands]
    table = {"id": name, "name": name, "kind": row.kind, "bands": bands, "qualities": list(row.qualities)}
    if row.ranged:
        table |= {"kind": "ranged", "against": row.kind.split("/"), "long_range": row.long}
        table |= {} if row.short is None else {"short_range": row.short}
    return table


def terms_of(plan):
    any_unit = plan.a.units[0]
    terms = {key: getattr(plan, key) for key in ("rounds", "table", "gap", "width", "hand_limit")}
    terms |= {key: getattr(plan, key) for key in ("objectives", "objective_points")}
    terms |= {key: getattr(any_unit, key) for key in ("arrives", "disembark_within", "disembark_by")}
    for name, side in (("mine", plan.a), ("yours", plan.b)):
        keys = ("target", "order", "hand", "initiative", "discard_below")
        terms |= {f"tactic_{name}": "policies"} | {f"{key}_{name}": getattr(side, key) for key in keys}
    return terms


def ruleset_of(plan):
    faces = ("heroic", "strike", "glancing", "miss", "blank")
    return {"die": dict(zip(faces, plan.die, strict=True)), "deck": dict(plan.a.deck)}
