"""Fights longer than an attack, as files and as command lines."""

from tests.helpers.shell import GRENADIERS, RIFLES

GUNS = "crown/drake-field-guns@basic"
TANKS, AIRCRAFT, ROTORCRAFT = (
    "crown/galahad-breachers@basic",
    "crown/defiance-fighter-squadron@basic",
    "commonwealth/kheshig-sky-cutter-wings@basic",
)
FEW = ["--method", "monte-carlo", "--trials", "2000", "--threads", "1"]

CHARGE_FILE = f"""
[charge]
outflanking = true
[attacker]
unit = "{RIFLES}"
[target]
unit = "{GRENADIERS}"
[[secondary]]
unit = "{GRENADIERS}"
"""
FOCUS_FILE = f"""
[[attacks]]
attacker = "{RIFLES}"
distance = 6
[[attacks]]
attacker = "{RIFLES}"
[target]
unit = "{GRENADIERS}"
"""
DUEL_FILE = f"""
[duel]
rounds = 2
policy_b = "lookout"
[a]
unit = "{RIFLES}"
[b]
unit = "{GRENADIERS}"
"""
FILES = {"charge": CHARGE_FILE, "focus": FOCUS_FILE, "duel": DUEL_FILE}
COMMANDS = {
    "charge": ["charge", RIFLES, GRENADIERS, "--outflanking", "--secondary", GRENADIERS],
    "focus": ["attack", f"{RIFLES}:distance=6", RIFLES, GRENADIERS],
    "duel": ["duel", RIFLES, GRENADIERS, "--rounds", "2", "--policy-b", "lookout"],
}
