"""The module built from changed rules (:mod:`.changed_rules`), and what it answers: printed as JSON.

``python -m tests.helpers.changed_module piercing FOLDER``, in a process of its own.
"""

import json
import sys
from pathlib import Path

from tests.helpers.changed_rules import CHANGES, FIGHTS


def chances(name, folder):
    """The chance that one attack removes the target, by kind of question; every card of the deck is a 12."""
    from analyser import load_profiles
    from analyser.game.ruleset import Ruleset
    from analyser.web.build import module_for_the_browser
    from analyser.web.facts import layout, unit_facts
    from tests.helpers.module import answers

    qualities, dice, die, target = FIGHTS[name]
    loadout = load_profiles()["crown/rifle-platoon@basic"].with_(rules=[], qualities=qualities)
    a, b = unit_facts(loadout), unit_facts(loadout)
    for row in a["rows"]:
        row["bands"] = [[0, 100, dice, -1]]
    b |= {"numbers": b["numbers"] | {"defence": 1, "damage_limit": 1} | target, "rows": []}
    module = Path(folder, "changed.wasm")
    module.write_bytes(module_for_the_browser()[0])
    page = layout(Ruleset.model_validate({"die": die, "deck": {"12": 1}}))
    terms = {"rounds": 1, "first": "attacker", "target": {"policy": "take_cover"}}
    asked = [
        {"kind": kind, "attacker": a, "row": 0, "target": b, "conditions": conditions}
        for kind, conditions in (("attack", {}), ("charge", {}), ("duel", terms))
    ]
    attack, charge, duel = answers(asked, module, page)
    return {
        "attack": attack["annihilated"],
        "charge": charge["target"]["annihilated"],
        "duel": duel["target"]["annihilated"],
    }


if __name__ == "__main__":
    CHANGES[sys.argv[1]]()
    print(json.dumps(chances(*sys.argv[1:])))
