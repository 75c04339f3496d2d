"""The doors of the command line."""

import contextlib
import io
import os
from pathlib import Path

from analyser.cli import main
from tests.fuzz.answer_doors import FINEST, GRENADIERS, RIFLES


class RefusedError(Exception):
    """What the command line said as it refused an input."""


COMMANDS = [
    ["attack", "crown/rifle-platoon@basic:aiming,distance=6", "scion-grenadier-p@basic:garrisoned,models=4"],
    ["attack", "crown/rifle-platoon@basic", GRENADIERS, "--distance", "6", "--extra-reroll", "miss,blank:2"],
    ["attack", RIFLES, GRENADIERS, "--method", "both", "--trials", "1000", "--seed", "4", "--format", "json"],
    [
        "attack",
        RIFLES,
        GRENADIERS,
        "--method",
        "monte-carlo",
        "--precision",
        "0.1",
        "--threads",
        "2",
        "--format",
        "csv",
    ],
    ["charge", "crown/rifle-platoon@basic:suppressed", GRENADIERS, "--outflanking", "--out", "out.json"],
    [
        "charge",
        "crown/rifle-platoon@basic",
        "scion-grenadier-p@basic:rules=[Durable, Sponsons (2)]",
        "--secondary",
        RIFLES,
    ],
    [
        "attack",
        "crown/rifle-platoon@basic:row=ranged-light,aiming",
        RIFLES,
        GRENADIERS,
        "--until",
        "0.8",
        "broken",
    ],
    [
        "duel",
        "crown/rifle-platoon@basic:damage=0",
        GRENADIERS,
        "--rounds",
        "2",
        "--policy-b",
        "charge",
        "--distance",
        "9.5",
    ],
    ["compare", "crown/rifle*", "--target", GRENADIERS, "--metric", "p_broken", "--format", "json"],
    ["battle", f"2 x {RIFLES}", RIFLES, "--rounds", "2", "--trials", "50", "--hand-mine", "kept", "--no-swing"],
    ["battle", RIFLES, GRENADIERS, "--tell", "3", "--gap", "12", "--target-yours", "threatened_first"],
    ["units", "--faction", "crown", "--format", "json"],
    ["units", "crown/rifle*", "--format", "csv"],
    ["units", "card", "crown/rifle-platoon", "--format", "parquet", "--out", "out.json"],
    ["attack", RIFLES, f"{RIFLES}:distance=3", GRENADIERS, "--distance", "6", "--aiming", "--suppressed"],
    ["matchups", "crown/rifle*@basic", GRENADIERS, "--situations", "long-range,charge", "--metric", "p_broken"],
    [
        "compare",
        "sensitivity",
        RIFLES,
        GRENADIERS,
        "--metric",
        "p_broken",
        "--distance",
        "6",
        "--format",
        "csv",
        "--quiet",
    ],
    ["army", "check", "nowhere.toml", "--numbers", "roster", "--format", "json", "--out", "out.json"],
    ["completion", "bash"],
    ["morale", "legion", "--courage", "2", "--received", "[1, {0=0.5,2=0.5}]", "--rounds", "2", "--format", "csv"],
    ["morale", "warmaster", "--dice", "2", "--obstacles", "[{distance=5,kind='friend',chain=2}]"],
    ["morale", "grande-tactique", "--rout-units", "[{edge_distance=14}]", "--rout-turns", "2", "--format", "json"],
    [
        "morale",
        "mordheim",
        "--warband-leader",
        "8",
        "--warband-casualties",
        "1",
        "--turns",
        "2",
        "--method",
        "both",
        "--trials",
        "100",
    ],
    ["morale", "compare", "--models", "6", "--losses", "1", "--nerve", "0.5", "--rounds", "2"],
]


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


def command(given, folder):
    """A command line, in process."""
    arguments = given["arguments"] if isinstance(given["arguments"], list) else []
    return spoken(in_time(arguments), folder)


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
