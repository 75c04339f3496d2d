"""The doors of questions asked many times over: curves, searches, stories and luck."""

import analyser

RIFLES, GRENADIERS = "crown/rifle-platoon@basic", "imperium/scion-grenadier-platoon@basic"
ATTACK = {"attack": {"attacker": RIFLES, "distance": 6}, "target": {"unit": GRENADIERS}}
PLAIN = {"attack": {"dice": 4}, "target": {"models": 3, "defence": 2, "damage_limit": 1, "discipline": 6}}
CHARGE = {"charge": {"outflanking": True}, "attacker": {"unit": RIFLES}, "target": {"unit": GRENADIERS, "models": 4}}
MOST_POINTS = 400  # a campaign has no time for more


def few(function):
    """A door that asks for no more than a campaign has time for."""

    def ask(given, folder):
        from analyser.ask import axes, tell, variants

        limits = {(axes, "MOST_POINTS"): MOST_POINTS, (variants, "MOST_VARIANTS"): MOST_POINTS}
        limits |= {(tell, "MOST_TOLD"): 3000, (tell, "MOST_FIGHTS"): 60, (tell, "USUAL"): 50}
        before = {place: getattr(*place) for place in limits}
        try:
            for (module, name), most in limits.items():
                setattr(module, name, most)
            found = function(given)
        finally:
            for (module, name), most in before.items():
                setattr(module, name, most)
        assert str(found)
        assert isinstance(found.rows(), list)
        return found.as_dict()

    return ask


@few
def curve(given):
    """A question, or units and a target, over keys with their values."""
    return analyser.curve(given["question"], given["target"], over=given["over"], metric=given["metric"])


@few
def search(given):
    """The file of variants, as a mapping."""
    return analyser.search(given["variants"], metric=given["metric"])


@few
def tell(given):
    """A trial of an attack or of a charge."""
    return analyser.tell(given["question"], trial=given["trial"], pick=given["pick"], seed=given["seed"])


@few
def luck(given):
    """One fight with what came of it, or a game."""
    return analyser.luck(given["question"], got=given["got"])


DOORS = {
    "ask curve": (
        curve,
        [
            {"question": [RIFLES], "target": GRENADIERS, "over": {"dice": [2, 4]}, "metric": "p_broken"},
            {"question": RIFLES, "target": GRENADIERS, "over": ["distance=4..8", "models=2,3"], "metric": None},
            {"question": PLAIN, "target": None, "over": "DEFENCE=1..3", "metric": ["mean_hits", "p_annihilated"]},
            {"question": CHARGE, "target": None, "over": "target.models=1..3", "metric": "p_attacker_wins"},
        ],
    ),
    "ask search": (
        search,
        [
            {
                "variants": {
                    "baseline": ATTACK,
                    "variants": {"aimed": {"aiming": True}, "few": {"target": {"models": 3}}},
                    "ranges": {"dice": "2..4", "attacker": ["crown/rifle-platoon@*"]},
                    "least": False,
                },
                "metric": "p_broken",
            },
            {"variants": {"baseline": PLAIN, "ranges": {"DISCIPLINE": [4, 5]}, "metric": "mean_hits"}, "metric": None},
        ],
    ),
    "ask tell": (
        tell,
        [
            {"question": PLAIN, "trial": 3, "pick": None, "seed": 1},
            {"question": ATTACK, "trial": None, "pick": "worst", "seed": 0},
            {"question": CHARGE, "trial": 2, "pick": None, "seed": 5},
            {"question": {"courage": 2, "tokens": 4, "rounds": 2}, "trial": 2, "pick": None, "seed": 1},
        ],
    ),
    "ask luck": (
        luck,
        [
            {"question": PLAIN, "got": {"destroyed": 1, "suppressed": False}},
            {"question": CHARGE, "got": {"target_models_destroyed": 1}},
            {
                "question": {
                    "fight": [
                        {"side": "mine", "label": "one", "got": {"destroyed": 1, "broken": False}, **ATTACK},
                        {"side": "yours", "got": {"destroyed": 1}, **CHARGE},
                    ]
                },
                "got": None,
            },
        ],
    ),
}
