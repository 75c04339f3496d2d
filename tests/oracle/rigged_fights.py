"""Two units of few dice, for rules whose numbers are worked by hand."""

from tests.oracle.fight_files import LOW_CARDS, charge, row, unit

BY_MODELS = list(range(1, 11))  # as many dice as models
THREE_FACES = {"strike": 1, "glancing": 1, "miss": 1}
RATINGS = {3: "weakened", 4: "neutral", 5: "improved"}
THREE = {"dice": 3, "rating": "neutral"}


def fighters(attacker=3, target=2, *, attackers=(), targets=(), a=None, t=None):
    """A charger with `attacker` dice and a target with `target`; qualities, and keys of either unit."""
    charger = unit(row("melee", attacker, *attackers), **(a or {}))
    charged = unit(*([row("melee", target, *targets)] if target else []), **(t or {}))
    return charger, charged


def rating_of(attacker, target, *, side="target", **circumstances):
    """The combat rating, told by what one die re-rolls: it hits with 3, 4 or 5 chances of 9 (AC-3.4)."""
    result = charge(attacker, target, die=THREE_FACES, deck=LOW_CARDS, **circumstances)
    return RATINGS[round(9 * result.summary[f"mean_{side}_models_destroyed"])]


def one_die(**keys):
    return fighters(1, 0, **keys)


def target(**keys):
    return {"models": 10, "defence": 1, "damage_limit": 1, "discipline": 6, "victory_points": 5} | keys


def shooter(dice=3, *qualities, rules=(), **keys):
    """A unit with a ranged row of 24 inches, short range 6."""
    return unit(row("ranged", dice, *qualities, short_range=6.0), rules=rules, **keys)


def models(result, side, number=None):
    rounds = [row["mean_models"] for row in result.rounds() if row["side"] == side]
    return rounds[-1 if number is None else number - 1]
