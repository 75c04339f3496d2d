"""Planted faults: `python -m tests.mutations` plants one after the other in a copy, and says which test notices it.

Run it before and after thinning tests. The faults of `faults.txt` were drawn at random among the comparisons,
conditions, signs and constants of four packages; those that change no answer were left out, before any was tried. A
fault is found by its text, which occurs once in its package, so that it survives edits around it and moves of modules.
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
    soon: str  # the places of a test that notices it, to be tried first
    text: str
    wrong: str

    def module(self, root=ROOT):
        """Return the one module with the text; ValueError if there is none, or several, or no tests where it says."""
        paths = [
            path
            for path in sorted((root / "analyser" / self.package).rglob("*.py"))
            for _ in range(path.read_text("utf-8").count(self.text))
        ]
        if len(paths) != 1:
            raise ValueError(f"occurs {len(paths)} times in {self.package}: {self.text}")
        if gone := [place for place in self.soon.split() if not (root / place).exists()]:
            raise ValueError(f"no tests are in {', '.join(gone)}")
        return paths[0]

    def plant(self, root):
        """Write the fault into a copy, whose files may be links to those of the checkout."""
        path = self.module(root)
        source = path.read_text("utf-8").replace(self.text, self.wrong)
        path.unlink()
        path.write_text(source, "utf-8")


RECORD = re.compile(r"^(\w+): (.*)\n- (.*)\n\+ ?(.*)$", re.MULTILINE)
FAULTS = [
    Fault(package, soon, text, wrong)
    for package, soon, text, wrong in RECORD.findall(Path(__file__).with_name("faults.txt").read_text("utf-8"))
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
    command, where = [sys.executable, *arguments], _environment(folder)
    return subprocess.run(command, cwd=folder, env=where, capture_output=True, text=True, check=True).stdout.strip()


def stages(fault):
    """Yield places and marks of the tests that are run for a fault: the likeliest, near ones, all."""
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
