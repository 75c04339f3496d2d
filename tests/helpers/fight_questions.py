"""Fights longer than an attack, as files and as command lines."""

from tests.helpers.shell import GRENADIERS, RIFLES

GUNS, TANKS = "crown/drake-field-guns@basic", "crown/galahad-breachers@basic"
AIRCRAFT, ROTORCRAFT = "crown/defiance-fighter-squadron@basic", "commonwealth/kheshig-sky-cutter-wings@basic"
FEW = ["--method", "monte-carlo", "--trials", "2000", "--threads", "1"]

SIDES = f'[{{}}]\nunit = "{RIFLES}"\n[{{}}]\nunit = "{GRENADIERS}"\n'
CHARGE_FILE = f'[charge]\noutflanking = true\n{SIDES}[[secondary]]\nunit = "{GRENADIERS}"\n'.format(
    "attacker", "target"
)
FOCUS_FILE = f'attacks = [{{attacker = "{RIFLES}", distance = 6}}, {{attacker = "{RIFLES}"}}]\n'
FOCUS_FILE += f'[target]\nunit = "{GRENADIERS}"\n'
DUEL_FILE = '[duel]\nrounds = 2\npolicy_b = "lookout"\n' + SIDES.format("a", "b")
FILES = {"charge": CHARGE_FILE, "focus": FOCUS_FILE, "duel": DUEL_FILE}
COMMANDS = {
    "charge": ["charge", RIFLES, GRENADIERS, "--outflanking", "--secondary", GRENADIERS],
    "focus": ["attack", f"{RIFLES}:distance=6", RIFLES, GRENADIERS],
    "duel": ["duel", RIFLES, GRENADIERS, "--rounds", "2", "--policy-b", "lookout"],
}
