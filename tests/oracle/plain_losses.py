"""A plain reading of five morale systems under one stream of losses: dictionaries of states, in fractions."""

from fractions import Fraction
from itertools import product

FATES = ("p_steady", "p_shaken", "p_routed", "p_gone")
LOSSES = {0: Fraction(1, 4), 1: Fraction(1, 2), 3: Fraction(1, 4)}
ROUNDS = 3


def spread(law, rule):
    following = {}
    for state, chance in law.items():
        for after, share in rule(state):
            following[after] = following.get(after, 0) + chance * share
    return following


def plain(start, attack, tests, later, fate):
    """Rounds of two attacks each; what `fate` calls the states after the tests."""
    law = {start: Fraction(1)}
    for _ in range(ROUNDS):
        for _ in range(2):
            law = spread(law, lambda state: ((attack(state, lost), p) for lost, p in LOSSES.items()))
            law = spread(law, tests["after an attack"])
        law = spread(law, tests["when it acts"])
        yield [float(sum(chance for state, chance in law.items() if fate(state) == each)) for each in FATES]
        law = spread(law, later)


def stays(state):
    yield state, Fraction(1)


def clash_loses(state, lost):
    models, status, fallen, _ = state
    return (
        (models, status, fallen, 0)
        if status == "removed"
        else (max(models - lost, 0), status, fallen, min(lost, models))
    )


def clash_tests(state):
    models, status, fallen, lost = state
    if not lost or not models or status == "removed":
        yield (models, status, fallen, 0), Fraction(1)
        return
    discipline = 8 - (2 * lost >= models + lost)
    yield (models, status, fallen, 0), Fraction(discipline, 12)
    if models <= 2:
        after = models, "removed", fallen, 0
    elif status == "calm":
        after = models, "suppressed", fallen, 0
    else:  # 6 inches from the edge: the second time it falls back, it flees
        after = (models, "removed", fallen, 0) if fallen == 1 else (models, "fell back", 1, 0)
    yield after, 1 - Fraction(discipline, 12)


def clash_fate(state):
    if not state[0] or state[1] == "removed":
        return "p_gone"
    return {"calm": "p_steady", "suppressed": "p_shaken", "fell back": "p_routed"}[state[1]]


def clash_rests(state):
    models, status, fallen, lost = state
    yield (models, status if status == "removed" else "calm", fallen, lost), Fraction(1)


def legion_loses(state, lost):
    models, tokens, panicked, gone = state
    return state if gone else (max(models - lost, 0), tokens + min(lost, models), panicked, gone)


def legion_rallies(state):
    models, tokens, _, gone = state
    if gone or not models:
        yield state, Fraction(1)
        return
    for faces in product((0, 0, 1), repeat=tokens):
        kept = tokens - sum(faces)
        yield (models, kept, kept >= 4, gone), Fraction(1, 3**tokens)


def legion_fate(state):
    models, tokens, panicked, gone = state
    if gone or not models:
        return "p_gone"
    return "p_routed" if panicked else "p_shaken" if tokens >= 2 else "p_steady"


def legion_moves(state):
    models, tokens, panicked, gone = state
    yield (models, max(tokens - 1, 0), False, gone or panicked), Fraction(1)  # the edge is one move away


def tactique_loses(state, lost):
    models, status, flights, _ = state
    return max(models - lost, 0), status, flights, min(lost, models)


def tactique_checks(state):
    models, status, flights, lost = state
    if lost == 0 or status not in ("eager", "shaken"):
        yield (models, status, flights, 0), Fraction(1)
    elif status == "eager":
        yield (models, "shaken", 0, 0), Fraction(1)
    else:
        yield (models, "shaken", 0, 0), Fraction(2, 3)
        yield (models, "off the map", 1, 0), Fraction(1, 3)  # 7 inches, the edge is at 6


def tactique_fate(state):
    if not state[0] or state[1] == "off the map":
        return "p_gone"
    return {"eager": "p_steady", "shaken": "p_shaken"}[state[1]]


def warmaster_loses(state, lost):
    models, confused, _ = state
    return max(models - lost, 0), confused, min(lost, models)


def warmaster_rolls(state):
    models, confused, dice = state
    spared = Fraction(5, 6) ** dice
    yield (models, confused, 0), spared
    yield (models, True, 0), 1 - spared


def mordheim_tests(state):
    if state in ("routed", 0) or 4 * (6 - state) < 6:
        yield state, Fraction(1)
        return
    yield state, Fraction(26, 36)
    yield "routed", Fraction(10, 36)


NOTHING = {"after an attack": stays, "when it acts": stays}
PLAIN = {
    "armoured-clash": (
        (6, "calm", 0, 0),
        clash_loses,
        NOTHING | {"after an attack": clash_tests},
        clash_rests,
        clash_fate,
    ),
    "legion": (
        (6, 0, False, False),
        legion_loses,
        NOTHING | {"when it acts": legion_rallies},
        legion_moves,
        legion_fate,
    ),
    "grande-tactique": (
        (6, "eager", 0, 0),
        tactique_loses,
        NOTHING | {"after an attack": tactique_checks},
        stays,
        tactique_fate,
    ),
    "warmaster": (
        (6, False, 0),
        warmaster_loses,
        NOTHING | {"after an attack": warmaster_rolls},
        lambda state: [((state[0], False, 0), Fraction(1))],
        lambda state: "p_gone" if not state[0] else "p_shaken" if state[1] else "p_steady",
    ),
    "mordheim": (
        6,
        lambda state, lost: state if state == "routed" else max(state - lost, 0),
        NOTHING | {"when it acts": mordheim_tests},
        stays,
        lambda state: "p_gone" if state in ("routed", 0) else "p_shaken" if 4 * (6 - state) >= 6 else "p_steady",
    ),
}
