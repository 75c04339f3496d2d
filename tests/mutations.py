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
from itertools import islice
from pathlib import Path

from analyser.common.kernel_cache import folder_for

ROOT = Path(__file__).parents[1]
COPIED = ("analyser", "benchmarks", "docs", "notebooks", "profiles", "tests", ".ci", ".github", "pyproject.toml")
WANTED = 0.95  # the least share of the faults that tests notice
WHERE_KERNELS_ARE = "from analyser.common import kernel_cache as c; print(c.folder_for(c.Path('analyser/__init__.py')))"
MOST_SECONDS = 1800  # of the tests of one fault; a fault that hangs them is noticed, too
NEAR = {  # folders of tests in which a fault of a package is noticed soonest
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
    soon: str = ""  # where a test notices it, to be tried first

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
    Fault("rules", 'if word != "not"]', 'if word == "not"]', "tests/rules/test_orders.py"),
    Fault(
        "rules",
        "if not attack.overcharge or not strike.bears_blanks:",
        "if not attack.overcharge:",
        "tests/rules/test_duels.py tests/engine/fight/test_aftermath.py",
    ),
    Fault("rules", "or len(deeds) > 1:", "or len(deeds) >= 1:", "tests/rules/test_orders.py"),
    Fault(
        "rules",
        "return destroyed + more, left",
        "return destroyed - more, left",
        "tests/rules/test_weapon_qualities.py",
    ),
    Fault(
        "rules",
        "return (state - 1) & _NO_DAMAGE",
        "return (state - 2) & _NO_DAMAGE",
        "tests/rules/test_special_rules.py tests/engine/fight/test_aftermath.py",
    ),
    Fault("rules", "bits &= bits - 1", "bits >>= 1", "tests/rules/test_ranged_attack.py"),
    Fault("rules", "if length != 0 or manoeuvre in (", "if length == 0 or manoeuvre in (", "tests/rules/test_duels.py"),
    Fault(
        "rules",
        "(2 * length * (to - at) + distance) //",
        "(2 + length * (to - at) + distance) //",
        "analyser/rules/battle.py",
    ),
    Fault(
        "rules", "mine >= DEVASTATING_RATIO * theirs", "mine >= DEVASTATING_RATIO + theirs", "analyser/rules/battle.py"
    ),
    Fault(
        "rules",
        '(condition.quantity == "in short range")',
        '(condition.quantity != "in short range")',
        "tests/rules/test_orders.py",
    ),
    Fault(
        "rules",
        "HEROIC_REACHES = 4 * INCH",
        "HEROIC_REACHES = 5 * INCH",
        "tests/rules/test_special_rules.py tests/engine/fight/test_aftermath.py",
    ),
    Fault(
        "rules",
        "is_removed(other) and other & PANIC != 0",
        "is_removed(other)",
        "tests/engine/fight/test_aftermath.py tests/oracle/test_plain_aftermath.py",
    ),
    Fault(
        "rules",
        "if destroyed < unit_state.models_of(state):",
        "if destroyed <= unit_state.models_of(state):",
        "tests/rules/test_duels.py tests/engine/fight/test_aftermath.py",
    ),
    Fault(
        "rules",
        "unit_state.lost_of(state) == side.models",
        "unit_state.lost_of(state) != side.models",
        "tests/engine/fight/test_aftermath.py",
    ),
    Fault(
        "rules",
        "disordered or fight.disorders",
        "disordered",
        "tests/rules/test_weapon_qualities.py tests/rules/test_discipline.py",
    ),
    Fault(
        "engine",
        "one.reroll_faces != other.reroll_faces",
        "one.reroll_faces == other.reroll_faces",
        "tests/engine/attack/test_sweep.py tests/engine/attack/test_once.py tests/analysis/test_matchups.py",
    ),
    Fault("engine", "min(int(fight.veteran), sum(", "max(int(fight.veteran), sum(", "tests/ask/test_tell.py"),
    Fault(
        "engine",
        "lost_of(mine) == 0 or setup.units[side].discipline == NONE",
        "lost_of(mine) == 0",
        "tests/oracle/test_plain_close_quarters.py",
    ),
    Fault(
        "engine",
        "and (not doubles(manoeuvre) or abs(goes) > abs(others))",
        "",
        "tests/engine/fight/test_lengths.py tests/engine/fight/best/test_stops.py",
    ),
    Fault(
        "engine",
        "if won_by == close_quarters.ACTIVE else",
        "if won_by != close_quarters.ACTIVE else",
        "tests/rules/test_close_quarters.py",
    ),
    Fault(
        "engine",
        "while first < end:",
        "while first <= end:",
        "analyser/engine/parallel.py tests/engine/test_parallel.py",
    ),
    Fault(
        "engine", "value if len(turned) > 1 else None", "value if len(turned) >= 1 else None", "tests/ask/test_tell.py"
    ),
    Fault("engine", "np.diff(in_order, prepend=-1)", "np.diff(in_order, prepend=1)", "tests/engine/chain"),
    Fault(
        "engine",
        "added_to_one, one_alone = (one[0], one[1])",
        "added_to_one, one_alone = (one[0], one[2])",
        "tests/engine/pool",
    ),
    Fault(
        "engine",
        "and choices.second[low] == second:",
        "and choices.second[low] != second:",
        "tests/engine/fight/best/test_play.py",
    ),
    Fault(
        "engine",
        "(view.rally_failed and (action != Action.NOTHING or doubles(manoeuvre)))",
        "view.rally_failed",
        "tests/engine/fight/best",
    ),
    Fault(
        "engine",
        "if action == Action.SHOOT and shoots(",
        "if action != Action.SHOOT and shoots(",
        "tests/engine/fight/test_actions.py",
    ),
    Fault("engine", "turned = min(veteran, kind(", "turned = max(veteran, kind(", "tests/engine/pool"),
    Fault(
        "engine",
        "(left >= 0) & (left < len(rest))",
        "(left >= 1) & (left < len(rest))",
        "tests/ask/test_told_morale.py tests/engine/chain/test_sampled.py",
    ),
    Fault("engine", "elif kind == Kind.ORDER:", "elif kind != Kind.ORDER:", "tests/rules/test_duels.py"),
    Fault(
        "results",
        "case.unit.from_front and not case.unit.garrisoned",
        "case.unit.from_front",
        "tests/rules/test_special_rules.py tests/rules/test_every_rule.py",
    ),
    Fault(
        "results",
        "lost[1] - lost[0]",
        "lost[1] + lost[0]",
        "tests/engine/fight/best/test_play.py tests/results/test_best.py",
    ),
    Fault("results", "if not first <= place <= last", "if first <= place <= last", "tests/cli/test_fights.py"),
    Fault(
        "results",
        "len(chooser.lookout_rows) > 1",
        "len(chooser.lookout_rows) > 2",
        "tests/results/test_best.py tests/engine/fight/best/test_on_purpose.py",
    ),
    Fault("results", '== (who == "enemy")', '!= (who == "enemy")', "tests/results/test_best.py"),
    Fault(
        "results", "key=lambda at: sign * values[at]", "key=lambda at: sign + values[at]", "tests/results/test_best.py"
    ),
    Fault(
        "results",
        "self.units if side == CHARGE_SIDES[0] else",
        "self.units if side != CHARGE_SIDES[0] else",
        "tests/results/test_base.py tests/results/test_standard_errors.py",
    ),
    Fault("results", "trials, wrong / 2)", "trials, wrong * 2)", "tests/results/test_battle_swings.py"),
    Fault(
        "results",
        "signs = (1, -1) if self.wanter == 0",
        "signs = (1, -1) if self.wanter != 0",
        "tests/engine/fight/best/test_play.py",
    ),
    Fault("results", "if salvo == NONE:", "if salvo != NONE:", "tests/engine/fight/best"),
    Fault("results", "max(edge + forward, 0) / INCH", "min(edge + forward, 0) / INCH", "tests/results/test_best.py"),
    Fault(
        "results",
        "Did.WAS_GONE * WHYS + Why.GONE",
        "Did.WAS_GONE + WHYS + Why.GONE",
        "tests/engine/fight/test_actions.py",
    ),
    Fault(
        "results",
        'distant or policy == "short_range" or chooses',
        "distant or chooses",
        "tests/results/test_base.py tests/rules/test_every_rule.py",
    ),
    Fault(
        "results",
        "and length_of(whole) % length_of(terms.step) == 0",
        "",
        "tests/engine/fight/best/test_stops.py tests/results/test_best.py",
    ),
    Fault(
        "results",
        "values, np.asarray(weights / (self",
        "values, np.asarray(weights * (self",
        "tests/results/test_base.py tests/engine/fight/test_simulation.py",
    ),
    Fault(
        "analysis",
        "np.cumsum(counts) - counts",
        "np.cumsum(counts) + counts",
        "tests/analysis/test_matchups.py tests/analysis/test_compare.py",
    ),
    Fault("analysis", "& 1 and each != way", "& 1 and each == way", "tests/analysis/test_best_focus.py"),
    Fault("analysis", "wanted = (models + 1) // 2", "wanted = (models + 2) // 2", "tests/analysis/test_compare.py"),
    Fault(
        "analysis",
        "other == name or other.startswith",
        "other != name or other.startswith",
        "tests/analysis/test_compare.py tests/analysis/test_comparisons_frame.py",
    ),
    Fault(
        "analysis",
        "* (A_FACTOR_OF_TEN / np.log(10.0))",
        "+ (A_FACTOR_OF_TEN / np.log(10.0))",
        "tests/results/test_ratings_told.py tests/analysis/test_matchups.py",
    ),
    Fault(
        "analysis",
        "(ROUNDS - outranged - shooting) / ROUNDS",
        "(ROUNDS - outranged - shooting) * ROUNDS",
        "tests/analysis/test_approach.py",
    ),
    Fault(
        "analysis",
        "self.value(left, state, count - fired)",
        "self.value(left, state, count + fired)",
        "tests/analysis/test_best_focus.py",
    ),
    Fault(
        "analysis",
        "(often * (fields / worth @ back))",
        "(often * (fields * worth @ back))",
        "tests/analysis/test_pricing.py",
    ),
    Fault(
        "analysis",
        "(1 - p) * np.where(can, of(then, own), 0.0)",
        "(2 - p) * np.where(can, of(then, own), 0.0)",
        "tests/analysis/test_acts.py",
    ),
    Fault("analysis", "OwnWorth(destroyed + kept,", "OwnWorth(destroyed - kept,", "tests/analysis/test_build.py"),
    Fault(
        "analysis", "abs(found[-1].destroys - most)", "abs(found[-1].destroys + most)", "tests/analysis/test_curves.py"
    ),
    Fault(
        "analysis",
        "elif sign and not twin and (today > fair)",
        "elif sign and (today > fair)",
        "tests/analysis/test_prices.py",
    ),
    Fault("analysis", '"change": now - was', '"change": now + was', "tests/analysis/test_what_if.py"),
    Fault(
        "analysis",
        "there.get(each.selector, (-1, each))",
        "there.get(each.selector, (-2, each))",
        "tests/analysis/test_edited.py tests/analysis/test_kept.py",
    ),
    Fault(
        "analysis",
        "lost * points[None, :] - own * points[:, None]",
        "lost * points[None, :] + own * points[:, None]",
        "tests/analysis/test_acts.py",
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


def stages(fault):
    """Yield what is run for a fault, and which of it: what notices it soon, tests that name its module, folders, all."""
    if fault.soon:
        yield fault.soon.split(), "not proof"
    module = fault.module()
    name = re.compile(rf"import .*\b{module.stem}\b|analyser\.[\w.]*\b{module.stem}\b")
    paths = [path.relative_to(ROOT) for path in sorted((ROOT / "tests").rglob("test_*.py"))]
    naming = [str(path) for path in paths if name.search((ROOT / path).read_text("utf-8"))]
    folders = [f"tests/{folder}" for folder in NEAR[fault.package]]
    yield [*naming, folders[0]], "not slow and not proof"
    yield folders, "not proof"
    yield ["tests", "analyser"], "not proof"


def noticed_by(fault, places, marks):
    """Return the test that fails with a fault, "" if none of those at some `places` does."""
    with tempfile.TemporaryDirectory(prefix="fault-") as name:
        folder = Path(name)
        copied_to(folder)
        fault.plant(folder)
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-m", marks, "-p", "no:cacheprovider", *places]
        command += ["--basetemp", str(folder / "scratch")]
        how = {"cwd": folder, "env": _environment(folder), "capture_output": True, "text": True}
        try:
            done = subprocess.run(command, check=False, timeout=MOST_SECONDS, **how)
        except subprocess.TimeoutExpired:
            return f"no test ends within {MOST_SECONDS} s"
        failed = re.search(r"^(?:FAILED|ERROR) (.*?)(?: - |$)", done.stdout, re.MULTILINE)
        if failed is None and done.returncode != 0:
            return f"pytest: {(done.stdout + done.stderr).strip()[-200:]}"
        return failed[1] if failed else ""


def table_row(number, fault, most_stages):
    """Try a fault, and return whether it was noticed, with its row of the table."""
    begin = time.monotonic()
    by = next(filter(None, (noticed_by(fault, *stage) for stage in islice(stages(fault), most_stages))), "")
    module = fault.module().relative_to(ROOT / "analyser")
    cells = (number, module, f"`{fault.text}`", f"`{fault.wrong}`", by or "MISSED", f"{time.monotonic() - begin:.0f}")
    return bool(by), "| " + " | ".join(str(cell).replace("|", r"\|") for cell in cells) + " |"


def main():
    """Plant the faults, print the table, and exit with 1 if too few are noticed or one no longer applies."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--stages", type=int, default=3, help="1: only where it is noticed soon")
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
            found, row = table_row(number, FAULTS[number - 1], asked.stages)
            noticed += found
            print(row, flush=True)
    print(f"\n{noticed} of {len(chosen)} faults noticed")
    sys.exit(bool(problems) or noticed < WANTED * len(chosen))


if __name__ == "__main__":
    main()
