"""The doors of the mutation campaign: everything that takes input, with valid inputs to start from.

An input is plain data (mappings, lists, text, numbers, bytes). A door asks the package with it, in an empty folder,
and hands back what came of it; what is wrong with the answer is for `fuzzing` to judge.
"""

from tests.fuzz import army_doors, ask_doors, policy_doors, sweep_doors
from tests.fuzz.answer_doors import (
    ATTACKS,
    BATTLES,
    CHARGES,
    DUELS,
    FOCUSES,
    GRENADIERS,
    MORALE,
    RIFLES,
    RULESET,
    UNIT,
    a_battle,
    between,
    compare,
    exact,
    few_trials,
    fight,
    fight_options,
    many_options,
    matchups,
    morale_of,
    simulate,
    studies,
)
from tests.fuzz.command_doors import COMMANDS, RefusedError, command
from tests.fuzz.file_doors import CATALOGUE, files_of, import_one, profile_folder, run_file, toml, zipped
from tests.helpers.catalogues import game_system
from tests.oracle.small_profiles import FACTION

__all__ = ["DOORS", "RefusedError"]

OPTIONS = {"metric": "p_broken", "per_points": True, "at_least": 1, "levels": ["basic"], "row": None, "distance": 5.5}
FIELD = {
    "metric": "p_annihilated",
    "situations": ["long-range", "charge"],
    "levels": "basic",
    "row": "melee",
    "threads": 1,
}
DOORS = {
    "exact": (exact, [{"source": each} for each in ATTACKS]),
    "simulate": (simulate, many_options(ATTACKS)),
    "charge": (fight("charge"), fight_options(CHARGES)),
    "focus": (fight("focus"), fight_options(FOCUSES)),
    "duel": (fight("duel"), fight_options(DUELS)),
    "between": (
        between,
        [
            {"fight": "charge", "first": RIFLES, "second": UNIT, "terms": {"outflanking": True, "secondary": [RIFLES]}},
            {"fight": "focus", "first": {"attacker": RIFLES, "distance": 6.5}, "second": GRENADIERS, "terms": {}},
            {"fight": "duel", "first": UNIT, "second": RIFLES, "terms": {"rounds": 1, "first": "b", "distance": 7}},
        ],
    ),
    "compare": (
        compare,
        [
            {"loadouts": ["river/otter-guard@*"], "target": "beaver-fort", "options": OPTIONS},
            {"loadouts": "river/*", "target": {"unit": "otter-guard@basic", "garrisoned": True}, "options": {}},
        ],
    ),
    "matchups": (matchups, [{"attackers": "river/*", "defenders": ["river/otter-guard@*", "heron"], "options": FIELD}]),
    "studies": (studies, [{"source": each, "options": {"metric": "p_broken"}} for each in ATTACKS[:2]]),
    **{f"morale {name}": (morale_of(name), few_trials(questions)) for name, questions in MORALE.items()},
    "battle": (a_battle, many_options(BATTLES)),
    "file": (
        run_file,
        files_of(
            [
                *ATTACKS,
                *CHARGES,
                *FOCUSES,
                *DUELS,
                *BATTLES[:1],
                *(each for several in MORALE.values() for each in several),
            ]
        ),
    ),
    "profiles": (profile_folder, [{"faction": FACTION.encode(), "ruleset": toml(RULESET)}]),
    "import": (
        import_one,
        [
            {"cat": CATALOGUE.encode(), "gst": game_system().encode()},
            {"catz": CATALOGUE.encode()},
            {"zip": zipped(CATALOGUE)},
        ],
    ),
    "command": (command, [{"arguments": each} for each in COMMANDS]),
    **army_doors.DOORS,
    **ask_doors.DOORS,
    **policy_doors.DOORS,
    **sweep_doors.DOORS,
}
