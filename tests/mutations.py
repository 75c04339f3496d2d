"""Planted faults: `python -m tests.mutations` plants one after the other in a copy, and says which test notices it.

Run it before and after thinning tests. The faults were drawn at random among the comparisons, conditions, signs and
constants of four packages; those that change no answer were left out, before any was tried. A fault is found by its
text, which occurs once in its package, so that it survives edits around it and moves between modules.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from analyser.common.kernel_cache import folder_for

ROOT = Path(__file__).parents[1]
COPIED = ("analyser", "benchmarks", "docs", "notebooks", "profiles", "tests", ".ci", ".github", "pyproject.toml")
WANTED = 0.95  # the least share of the faults that tests notice
WHERE_KERNELS_ARE = "from analyser.common import kernel_cache as c; print(c.folder_for(c.Path('analyser/__init__.py')))"
MOST_SECONDS = 1800  # of the tests of one fault; a fault that hangs them is noticed, too
NEAR = {  # where a fault of a package is noticed soonest; after these all other tests run
    "rules": ("rules", "engine/fight", "oracle", "results"),
    "engine": ("engine", "oracle", "ask"),
    "results": ("results", "engine/fight", "plots", "cli", "ask"),
    "analysis": ("analysis", "cli", "report"),
}


@dataclass(frozen=True)
class Fault:
    """A text of a package, and the wrong one in its place."""

    package: str
    text: str
    wrong: str

    def module(self, root=ROOT):
        """Return the one module with the text; ValueError if there is none, or several."""
        paths = [
            path
            for path in sorted((root / "analyser" / self.package).rglob("*.py"))
            for _ in range(path.read_text("utf-8").count(self.text))
        ]
        if len(paths) != 1:
            raise ValueError(f"occurs {len(paths)} times in {self.package}: {self.text}")
        return paths[0]

    def plant(self, root):
        """Write the fault into a copy, whose files may be links to those of the checkout."""
        path = self.module(root)
        source = path.read_text("utf-8").replace(self.text, self.wrong)
        path.unlink()
        path.write_text(source, "utf-8")


FAULTS = [
    Fault("rules", 'if word != "not"]', 'if word == "not"]'),
    Fault("rules", "if not attack.overcharge or not strike.bears_blanks:", "if not attack.overcharge:"),
    Fault("rules", "or len(deeds) > 1:", "or len(deeds) >= 1:"),
    Fault("rules", "return destroyed + more, left", "return destroyed - more, left"),
    Fault("rules", "return (state - 1) & _NO_DAMAGE", "return (state - 2) & _NO_DAMAGE"),
    Fault("rules", "bits &= bits - 1", "bits >>= 1"),
    Fault("rules", "if length != 0 or manoeuvre in (", "if length == 0 or manoeuvre in ("),
    Fault("rules", "(2 * length * (to - at) + distance) //", "(2 + length * (to - at) + distance) //"),
    Fault("rules", "mine >= DEVASTATING_RATIO * theirs", "mine >= DEVASTATING_RATIO + theirs"),
    Fault("rules", '(condition.quantity == "in short range")', '(condition.quantity != "in short range")'),
    Fault("rules", "HEROIC_REACHES = 4 * INCH", "HEROIC_REACHES = 5 * INCH"),
    Fault("rules", "is_removed(other) and other & PANIC != 0", "is_removed(other)"),
    Fault("rules", "if destroyed < unit_state.models_of(state):", "if destroyed <= unit_state.models_of(state):"),
    Fault("rules", "unit_state.lost_of(state) == side.models", "unit_state.lost_of(state) != side.models"),
    Fault("rules", "disordered or fight.disorders", "disordered"),
    Fault("engine", "one.reroll_faces != other.reroll_faces", "one.reroll_faces == other.reroll_faces"),
    Fault("engine", "min(int(fight.veteran), sum(", "max(int(fight.veteran), sum("),
    Fault("engine", "lost_of(mine) == 0 or setup.units[side].discipline == NONE", "lost_of(mine) == 0"),
    Fault("engine", "and (not doubles(manoeuvre) or abs(goes) > abs(others))", ""),
    Fault("engine", "if won_by == close_quarters.ACTIVE else", "if won_by != close_quarters.ACTIVE else"),
    Fault("engine", "while first < end:", "while first <= end:"),
    Fault("engine", "value if len(turned) > 1 else None", "value if len(turned) >= 1 else None"),
    Fault("engine", "np.diff(in_order, prepend=-1)", "np.diff(in_order, prepend=1)"),
    Fault("engine", "added_to_one, one_alone = (one[0], one[1])", "added_to_one, one_alone = (one[0], one[2])"),
    Fault("engine", "and choices.second[low] == second:", "and choices.second[low] != second:"),
    Fault("engine", "(view.rally_failed and (action != Action.NOTHING or doubles(manoeuvre)))", "view.rally_failed"),
    Fault("engine", "if action == Action.SHOOT and shoots(", "if action != Action.SHOOT and shoots("),
    Fault("engine", "turned = min(veteran, kind(", "turned = max(veteran, kind("),
    Fault("engine", "(left >= 0) & (left < len(rest))", "(left >= 1) & (left < len(rest))"),
    Fault("engine", "elif kind == Kind.ORDER:", "elif kind != Kind.ORDER:"),
    Fault("results", "case.unit.from_front and not case.unit.garrisoned", "case.unit.from_front"),
    Fault("results", "lost[1] - lost[0]", "lost[1] + lost[0]"),
    Fault("results", "if not first <= place <= last", "if first <= place <= last"),
    Fault("results", "len(chooser.lookout_rows) > 1", "len(chooser.lookout_rows) > 2"),
    Fault("results", '== (who == "enemy")', '!= (who == "enemy")'),
    Fault("results", "key=lambda at: sign * values[at]", "key=lambda at: sign + values[at]"),
    Fault("results", "self.units if side == CHARGE_SIDES[0] else", "self.units if side != CHARGE_SIDES[0] else"),
    Fault("results", "trials, wrong / 2)", "trials, wrong * 2)"),
    Fault("results", "signs = (1, -1) if self.wanter == 0", "signs = (1, -1) if self.wanter != 0"),
    Fault("results", "if salvo == NONE:", "if salvo != NONE:"),
    Fault("results", "max(edge + forward, 0) / INCH", "min(edge + forward, 0) / INCH"),
    Fault("results", "Did.WAS_GONE * WHYS + Why.GONE", "Did.WAS_GONE + WHYS + Why.GONE"),
    Fault("results", 'distant or policy == "short_range" or chooses', "distant or chooses"),
    Fault("results", "and length_of(whole) % length_of(terms.step) == 0", ""),
    Fault("results", "values, np.asarray(weights / (self", "values, np.asarray(weights * (self"),
    Fault("analysis", "np.cumsum(counts) - counts", "np.cumsum(counts) + counts"),
    Fault("analysis", "& 1 and each != way", "& 1 and each == way"),
    Fault("analysis", "wanted = (models + 1) // 2", "wanted = (models + 2) // 2"),
    Fault("analysis", "other == name or other.startswith", "other != name or other.startswith"),
    Fault("analysis", "* (A_FACTOR_OF_TEN / np.log(10.0))", "+ (A_FACTOR_OF_TEN / np.log(10.0))"),
    Fault("analysis", "(ROUNDS - outranged - shooting) / ROUNDS", "(ROUNDS - outranged - shooting) * ROUNDS"),
    Fault("analysis", "self.value(left, state, count - fired)", "self.value(left, state, count + fired)"),
    Fault("analysis", "(often * (fields / worth @ back))", "(often * (fields * worth @ back))"),
    Fault("analysis", "(1 - p) * np.where(can, of(then, own), 0.0)", "(2 - p) * np.where(can, of(then, own), 0.0)"),
    Fault("analysis", "OwnWorth(destroyed + kept,", "OwnWorth(destroyed - kept,"),
    Fault("analysis", "abs(found[-1].destroys - most)", "abs(found[-1].destroys + most)"),
    Fault("analysis", "elif sign and not twin and (today > fair)", "elif sign and (today > fair)"),
    Fault("analysis", '"change": now - was', '"change": now + was'),
    Fault("analysis", "there.get(each.selector, (-1, each))", "there.get(each.selector, (-2, each))"),
    Fault(
        "analysis", "lost * points[None, :] - own * points[:, None]", "lost * points[None, :] + own * points[:, None]"
    ),
]


def copied_to(folder):
    """Copy the checkout with its compiled kernels, as links where that is possible."""
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, copy_function=_linked, symlinks=True)
        else:
            _linked(source, folder / name)
    for page in ROOT.glob("*.md"):
        _linked(page, folder / page.name)
    kernels = Path(_output(folder, "-c", WHERE_KERNELS_ARE))
    for place in {folder_for(path) for path in (ROOT / "analyser").rglob("*.py")}:
        for kernel in place.glob("*.nbc"):
            _linked(kernel, kernels / kernel.name)


def _linked(source, target):
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def _environment(folder):
    return os.environ | {
        "PYTHONPATH": str(folder),
        "PYTHONDONTWRITEBYTECODE": "1",
        "NUMBA_CACHE_DIR": str(folder / "kernels"),
    }


def _output(folder, *arguments):
    """Return what Python prints in a copy."""
    command, where = [sys.executable, *arguments], _environment(folder)
    return subprocess.run(command, cwd=folder, env=where, capture_output=True, text=True, check=True).stdout.strip()


def noticed_by(fault, places):
    """Return the test that fails with a fault, "" if none does; `places` are folders of tests, none being all."""
    with tempfile.TemporaryDirectory(prefix="fault-") as name:
        folder = Path(name)
        copied_to(folder)
        fault.plant(folder)
        asked = [f"tests/{place}" for place in places] or ["tests", "analyser"]
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-m", "not proof", "-p", "no:cacheprovider", *asked]
        command += ["--basetemp", str(folder / "scratch")]
        where = _environment(folder)
        try:
            done = subprocess.run(
                command, cwd=folder, env=where, capture_output=True, text=True, timeout=MOST_SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            return f"no test ends within {MOST_SECONDS} s"
        failed = re.search(r"^(?:FAILED|ERROR) (.*?)(?: - |$)", done.stdout, re.MULTILINE)
        if failed is None and done.returncode != 0:
            return f"pytest: {(done.stdout + done.stderr).strip()[-200:]}"
        return failed[1] if failed else ""


def table_row(number, fault, near):
    """Try a fault, first with the tests near it, and return whether it was noticed, with its row of the table."""
    begin = time.monotonic()
    by = noticed_by(fault, NEAR[fault.package]) or ("" if near else noticed_by(fault, ()))
    module = fault.module().relative_to(ROOT / "analyser")
    cells = (number, module, f"`{fault.text}`", f"`{fault.wrong}`", by or "MISSED", f"{time.monotonic() - begin:.0f}")
    return bool(by), "| " + " | ".join(str(cell).replace("|", r"\|") for cell in cells) + " |"


def main():
    """Plant the faults, print the table, and exit with 1 if too few are noticed or one no longer applies."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--near", action="store_true", help="run only the tests near a fault")
    parser.add_argument("numbers", nargs="*", type=int, metavar="NUMBER", help="which faults; all without one")
    asked = parser.parse_args()
    problems = []
    for number, fault in enumerate(FAULTS, 1):
        try:
            fault.module()
        except ValueError as error:
            problems.append(f"fault {number} no longer applies; plant one like it: {error}")
    print(*problems, sep="\n", end="\n" if problems else "", file=sys.stderr)
    chosen = [number for number in asked.numbers or range(1, len(FAULTS) + 1) if 1 <= number <= len(FAULTS)]
    noticed = 0
    print("| fault | module | text | wrong | noticed by | seconds |\n|---:|---|---|---|---|---:|")
    for number in chosen:
        if not any(each.startswith(f"fault {number} ") for each in problems):
            found, row = table_row(number, FAULTS[number - 1], asked.near)
            noticed += found
            print(row, flush=True)
    print(f"\n{noticed} of {len(chosen)} faults noticed")
    sys.exit(bool(problems) or noticed < WANTED * len(chosen))


if __name__ == "__main__":
    main()
