"""The doors of the mutation campaign: everything that takes input, with valid inputs to start from.

An input is plain data (mappings, lists, text, numbers, bytes). A door asks the package with it, in an empty folder,
and hands back what came of it; `judgement` says what is wrong with the answer.
"""

import contextlib
import io
import json
import math
import os
import shlex
import tomllib
import zipfile
from pathlib import Path

import tomlkit

import analyser
from analyser import morale
from analyser.ask import best_variant, curve, trial_narration
from analyser.cli import main
from analyser.game.importers.battlescribe import import_files
from analyser.game.profiles import Profiles
from analyser.scenarios import load
from analyser.sweep.plan import read_plan
from analyser.sweep.running import run_sweep
from tests.fuzz import army_doors
from tests.helpers.catalogues import FORCES, Entry, catalogue, game_system
from tests.helpers.sweeps import Inline
from tests.oracle.morale_questions import QUESTIONS
from tests.oracle.small_profiles import FACTION, write_profiles

HERE = Path(__file__).parent
INPUTS = tomllib.loads((HERE / "inputs.toml").read_text("utf-8"))
RIFLES, GRENADIERS = "crown/rifle-platoon@basic", "imperium/scion-grenadier-platoon@basic"
UNIT, PLAIN, CHARGE = INPUTS["charge"][0]["attacker"], INPUTS["attack"][2], INPUTS["charge"][1]
SCENARIOS = ("attack", "charge", "focus", "duel", "battle")

MOST = {"trials": 50_000, "threads": 8}  # a campaign has no time for more
FINEST, FEW_BATTLES, MOST_CELLS = 0.02, 200, 2_000


class RefusedError(Exception):
    """What the command line said as it refused an input."""


def known(options, *names):
    """Those of `options` that a function has a keyword for: another is Python's own error."""
    return {key: value for key, value in options.items() if key in names} if isinstance(options, dict) else {}


def sample(options):
    """The numbers of a sample, no larger than a campaign has time for; without any, a small one."""
    numbers = known(options, "trials", "seed", "precision", "threads")
    numbers |= {key: min(numbers[key], most) for key, most in MOST.items() if isinstance(numbers.get(key), int)}
    if isinstance(numbers.get("precision"), float) and 0 < numbers["precision"] < FINEST:
        numbers["precision"] = FINEST
    given = [numbers.get(name) for name in ("trials", "precision")]
    return numbers if any(each is not None for each in given) else numbers | {"trials": 1000}


def echoed(answer, ask):
    """The answer, where its own scenario, read again, is the same scenario without another warning."""
    said = answer.as_dict()
    again = ask(json.loads(json.dumps(said["scenario"])))
    assert again.as_dict() == said["scenario"], "the scenario that is told is another one when it is read again"
    new = set(again.warnings) - set(said["warnings"])
    assert not new, f"warnings about the scenario that is told: {new}"
    return said


def exact(given, _folder):
    return echoed(analyser.exact(given["source"]), analyser.load_scenario)


def simulate(given, _folder):
    return analyser.simulate(given["source"], **sample(given["options"])).as_dict()


def fight(name):
    def ask(given, _folder):
        options = given["options"]
        numbers = known(options, "method", "replacement", "seed")
        if isinstance(numbers.get("method"), str) and numbers["method"] == "monte-carlo":
            numbers |= sample(options)
        return echoed(getattr(analyser, name)(given["source"], **numbers), load.load)

    return ask


def between(given, _folder):
    ask = {"charge": analyser.charge, "focus": analyser.focus, "duel": analyser.duel}
    name = given["fight"] if isinstance(given["fight"], str) and given["fight"] in ask else "charge"
    taken = {"attacker", "target", "a", "b", "progress", "profiles"}
    terms = given["terms"] if isinstance(given["terms"], dict) and name != "focus" else {}
    terms = {key: value for key, value in terms.items() if isinstance(key, str) and key not in taken}
    first = [given["first"]] if name == "focus" else given["first"]
    return ask[name](first, given["second"], **terms).as_dict()


def in_words(given, _folder):
    """A duel by a policy, which is told as it was asked."""
    terms = {"rounds": 1, "distance": 9, "first": "a", "policy_a": given["policy"], "policy_b": given["against"]}
    found = analyser.duel({"duel": terms, "a": INPUTS["duel"][0]["a"], "b": INPUTS["duel"][0]["a"]})
    record = found.as_dict()
    assert analyser.duel(record["scenario"]).as_dict() == record, "the scenario that is told is another one"
    assert str(found)
    return record


def morale_of(system):
    def ask(given, _folder):
        question, options = given["source"], given["options"]
        said = {"sampled": morale.simulate(system, question, **sample(options)).as_dict()}
        said["exact"] = morale.exact(system, question).as_dict()
        return said

    return ask


def a_battle(given, _folder):
    options = sample(given["options"])
    if "precision" in options:
        options = {"trials": FEW_BATTLES}
    if isinstance(options.get("trials"), int):
        options["trials"] = min(options["trials"], FEW_BATTLES)
    record = analyser.simulate(given["source"], kind="battle", **options).as_dict()
    for row in record.pop("swing"):  # whose ends are those of a difference, from -1 to 1
        assert -1 <= row["low"] <= row["difference"] <= row["high"] <= 1, row
    return record


def small_library(folder):
    return Profiles(write_profiles(folder / "profiles"))


def compare(given, folder):
    options = given["options"] if isinstance(given["options"], dict) else {}
    options = {key: each for key, each in options.items() if isinstance(key, str) and key not in ("profiles", "target")}
    if isinstance(options.get("method"), str) and options["method"] == "monte-carlo":
        options["method"] = "exact"  # it plays millions
    found = analyser.compare(given["loadouts"], given["target"], profiles=small_library(folder), **options)
    assert str(found)
    return {"frame": cells(found.frame), "best": found.best}


def matchups(given, folder):
    options = known(given["options"], "metric", "per_points", "situations", "row", "threads")
    if isinstance(options.get("threads"), int):
        options["threads"] = min(options["threads"], MOST["threads"])
    found = analyser.matchups(given["attackers"], given["defenders"], profiles=small_library(folder), **options)
    assert found.pivot() is not None
    return {"frame": cells(found.frame)}


def studies(given, _folder):
    options = known(given["options"], "metric")
    funnel = analyser.dice_funnel(given["source"])
    return {"funnel": cells(funnel), "sensitivity": cells(analyser.sensitivity(given["source"], **options).frame)}


def cells(frame):
    """A frame as rows, without the cells that stand for nothing."""
    return [
        {name: each for name, each in row.items() if not (isinstance(each, float) and math.isnan(each))}
        for row in frame.astype(object).to_dict("records")
    ]


def sweep(given, folder):
    """A plan: all of it if it is small, else a part; then a question."""
    plan = read_plan(given["plan"])
    if plan.n_cells > MOST_CELLS or plan.n_parts > 50:
        return {
            "parts": plan.n_parts,
            "last": plan.block(plan.n_parts - 1).n_cells,
            "folder": plan.folder(plan.n_parts - 1),
        }
    found = run_sweep(given["plan"], folder / "store", executor=Inline(), part=given["part"])
    if not found.done:
        return {}
    asked = given["where"] if isinstance(given["where"], dict) else {}  # a table of names, as Python itself demands
    where = {name: value for name, value in asked.items() if isinstance(name, str)}
    return {"cells": found.count(**where), "means": len(found.means(given["by"], given["metric"]))}


def few(function):
    """A door that asks for no more than a campaign has time for."""
    limits = {(curve, "MOST_CURVE_POINTS"): 400, (best_variant, "MOST_VARIANTS"): 400}
    limits |= {(trial_narration, "MOST_TRIALS_OF_ATTACK"): 3000, (trial_narration, "MOST_TRIALS_OF_FIGHT"): 60}
    limits[(trial_narration, "DEFAULT_TRIALS")] = 50

    def ask(given, _folder):
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


def asked(ask, first, *keys):
    """A door of a question, with so many of its inputs by position and the others by name."""
    return few(lambda given: ask(*(given[key] for key in first), **{key: given[key] for key in keys}))


ASKED = {
    "curve": asked(analyser.curve, ["question", "target"], "over", "metric"),
    "search": asked(analyser.search, ["variants"], "metric"),
    "tell": asked(analyser.tell, ["question"], "trial", "pick", "seed"),
    "luck": asked(analyser.luck, ["question"], "got"),
}


def toml(value):
    return tomlkit.dumps(stated(value)).encode()


def stated(value):
    """What a file can say of a value: nothing of what is absent."""
    if isinstance(value, dict):
        return {str(key): stated(each) for key, each in value.items() if each is not None}
    return [stated(each) for each in value] if isinstance(value, list) else value


def write(folder, name, content):
    """Write what may be bytes; mutations put anything there."""
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else str(content).encode("utf-8", "surrogatepass"))
    return path


def run_file(given, folder):
    return spoken(["run", write(folder, "scenario.toml", given["file"]).name, "--format", "json"], folder)


def profile_folder(given, folder):
    """A folder of profiles with its ruleset, listed, and asked for a selector in it."""
    place = folder / "profiles"
    place.mkdir()
    write(place, "river.toml", given["faction"])
    write(place, "ruleset.toml", given["ruleset"])
    spoken(["units", "--profiles", "profiles"], folder)
    source = {"attack": {"attacker": "otter-guard@basic", "distance": 5}, "target": {"unit": "beaver-fort"}}
    try:
        return analyser.exact(source, profiles=analyser.load_profiles(place)).as_dict()
    finally:
        duel = ["duel", "otter-guard@basic", "otter-guard@basic", "--rounds", "1", "--profiles", "profiles"]
        spoken(duel, folder)


def import_one(given, folder):
    """Data files imported into a folder, which then holds all that was made of them, or nothing."""
    paths = [write(folder, name, given[key]) for key, name in (("cat", "a.cat"), ("gst", "b.gst")) if given.get(key)]
    if given.get("catz") is not None:
        paths.append(write(folder, "c.catz", zipped(given["catz"])))
    if given.get("zip") is not None:
        paths.append(write(folder, "d.catz", given["zip"]))
    out = folder / "out"
    try:
        report = import_files(paths, out=out)
    except analyser.InputError:
        assert not out.exists() or not [*out.iterdir()], "a refused import has written something"
        raise
    read = Profiles(out).factions
    assert {each.id: each for each in report.factions} == read, "the profiles written are others when they are read"
    return {"text": str(report)}


def zipped(content):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.cat", content if isinstance(content, bytes) else str(content))
    return packed.getvalue()


def command(given, folder):
    arguments = given["arguments"] if isinstance(given["arguments"], list) else []
    return spoken(in_time(arguments), folder)


def in_time(arguments):
    """A command line without the numbers that no campaign has time for."""
    said = [each for each in arguments if isinstance(each, str)]
    for place, option in enumerate(said[:-1]):
        value = said[place + 1].strip()
        if option == "--trials" and value.isdecimal() and len(value) > 4:
            said[place + 1] = "1000" if len(value) < 12 else "1" + "0" * 13
        if option == "--threads" and value.isdecimal() and len(value) > 1:
            said[place + 1] = "8" if len(value) < 4 else value
        if option == "--precision":
            with contextlib.suppress(ValueError):
                said[place + 1] = "0.05" if 1e-5 <= float(value) < FINEST else said[place + 1]
    return said


def spoken(arguments, folder):
    """What a command says; raises what it refuses."""
    out, err = io.StringIO(), io.StringIO()
    before = Path.cwd()
    os.chdir(folder)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = main(arguments)
    finally:
        os.chdir(before)
    lines = err.getvalue().splitlines()
    assert status in (0, 2), f"exit status {status}"
    for line in out.getvalue().split("\n") + lines:
        assert line.isprintable(), f"unprintable: {line[:200]!r}"
    if not status:
        return {"lines": len(lines)}
    assert not out.getvalue(), "a refused command has printed an answer"
    errors = [line for line in lines if not line.startswith(("note: ", "warning: "))]
    if not errors[0].startswith("Usage"):
        assert len(errors) == 1, f"{len(errors)} lines of errors"
        assert errors[0].startswith("error: "), errors[0]
    assert not (folder / "out.json").exists(), "a refused command has written its file"
    raise RefusedError(errors[0])


def beside(sources, *options):
    return [{"source": each, "options": some} for each in sources for some in options]


MANY = {"trials": 1000, "seed": 3, "threads": 2, "precision": None}
METHODS = {"method": "exact"}, {"method": "monte-carlo", "trials": 500, "seed": 1, "replacement": True}
FEW_GAMES = [{"trials": trials, "seed": 0} for trials in (2, 3, 7)]  # where a figure that is no share shows
OPTIONS = {
    "metric": "mean_damage",
    "per_points": True,
    "at_least": 1,
    "row": None,
    "distance": 5.5,
}
FIELD = {"metric": "p_annihilated", "situations": ["long-range", "charge"], "row": "melee"}
POLICIES = [
    "lookout until the enemy is within 12, then charge if it is suppressed, else aim and shoot",
    ["charge if within reach and not rally failed", "close in to short range and shoot"],
    ["retire and take cover if enemy models at least 2", "advance and shoot with overcharge if round is 1"],
    ["aim and shoot with ranged unless enemy taking cover; double time if enemy beyond 9.5", "re-arm if reloading"],
    ["double time to range if beyond 8; retire to 6 inches and take cover if in short range", "close in to range"],
    "best",
]
OF_CELLS = [  # what sweeps are asked
    {
        "part": None,
        "where": {"defender_defence": (1, 2), "attacker": "crown/*"},
        "by": ["attacker"],
        "metric": "p_broken",
    },
    {"part": "1/2", "where": {"ruleset": "a"}, "by": "defender_defence", "metric": "mean_damage"},
    {"part": None, "where": {}, "by": "cell", "metric": "count"},
]
NAMES = {"RIFLES": RIFLES, "RIVAL": GRENADIERS}
COMMANDS = (HERE / "commands.txt").read_text("utf-8")
for short, long in NAMES.items():
    COMMANDS = COMMANDS.replace(short, long)
CATALOGUE = catalogue(Entry(), Entry(name="Newt Battery", rules="Sponsons (2), Veteran (1)"), tail=FORCES)
CATALOGUE_FILES = {"cat": CATALOGUE.encode(), "gst": game_system().encode()}
MORALE = {system: [question for of, question in QUESTIONS.values() if of == system] for system, _ in QUESTIONS.values()}
TOLD = {"side": "mine", "label": "one", "got": {"destroyed": 1, "broken": False}, **INPUTS["attack"][1]}
GAME = {"fight": [TOLD, {"side": "yours", "got": {"destroyed": 1}, **CHARGE}]}

DOORS = {
    "exact": (exact, [{"source": each} for each in INPUTS["attack"]]),
    "simulate": (simulate, beside(INPUTS["attack"], MANY)),
    **{name: (fight(name), beside(INPUTS[name], *METHODS)) for name in ("charge", "focus", "duel")},
    "between": (
        between,
        [
            {"fight": "charge", "first": RIFLES, "second": UNIT, "terms": {"outflanking": True, "secondary": [RIFLES]}},
            {"fight": "focus", "first": {"attacker": RIFLES, "distance": 6.5}, "second": GRENADIERS, "terms": {}},
            {
                "fight": "duel",
                "first": UNIT,
                "second": RIFLES,
                "terms": {"policy_a": "charge", "rounds": 1, "distance": 7},
            },
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
    "studies": (studies, beside(INPUTS["attack"][:2], {"metric": "p_broken"})),
    **{f"morale {name}": (morale_of(name), beside(questions, *FEW_GAMES)) for name, questions in MORALE.items()},
    "battle": (a_battle, beside(INPUTS["battle"], MANY)),
    "file": (
        run_file,
        [{"file": toml(each)} for kind in (*map(INPUTS.get, SCENARIOS), *MORALE.values()) for each in kind],
    ),
    "profiles": (profile_folder, [{"faction": FACTION.encode(), "ruleset": toml(INPUTS["attack"][0]["ruleset"])}]),
    "import": (import_one, [CATALOGUE_FILES, {"catz": CATALOGUE.encode()}, {"zip": zipped(CATALOGUE)}]),
    "command": (command, [{"arguments": shlex.split(line)} for line in COMMANDS.splitlines()]),
    "policy": (in_words, [{"policy": each, "against": other} for each in POLICIES for other in ("shoot", "lookout")]),
    "sweep": (sweep, [{"plan": plan} | asked for plan, asked in zip(INPUTS["sweep"], OF_CELLS)]),
    "ask curve": (
        ASKED["curve"],
        [
            {"question": [RIFLES], "target": GRENADIERS, "over": {"dice": [2, 4]}, "metric": "p_broken"},
            {"question": RIFLES, "target": GRENADIERS, "over": ["distance=4..8", "models=2,3"], "metric": None},
            {"question": PLAIN, "target": None, "over": "DEFENCE=1..3", "metric": ["mean_hits", "p_annihilated"]},
            {"question": CHARGE, "target": None, "over": "target.models=1..3", "metric": "p_attacker_wins"},
        ],
    ),
    "ask search": (ASKED["search"], [{"variants": INPUTS["variants"][0], "metric": "p_broken"}]),
    "ask tell": (
        ASKED["tell"],
        [
            {"question": PLAIN, "trial": 3, "pick": None, "seed": 1},
            {"question": INPUTS["attack"][1], "trial": None, "pick": "worst", "seed": 0},
            {"question": CHARGE, "trial": 2, "pick": None, "seed": 5},
            {"question": {"courage": 2, "tokens": 4, "rounds": 2}, "trial": 2, "pick": None, "seed": 1},
        ],
    ),
    "ask luck": (
        ASKED["luck"],
        [
            {"question": PLAIN, "got": {"destroyed": 1, "suppressed": False}},
            {"question": CHARGE, "got": {"target_models_destroyed": 1}},
            {"question": GAME, "got": None},
        ],
    ),
    **army_doors.doors(INPUTS["army"]),
}
