"""Run the rows of the forge's matrix that this machine has a Python for, each in an environment of its own.

`python .ci/matrix.py` runs every Linux row of .github/workflows/tests.yml, and
`python .ci/matrix.py 3.12 newest -- make quick` one.
"""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
FORGE = ROOT / ".github" / "workflows" / "tests.yml"
ROW = re.compile(r'os: ubuntu-latest, python: "([\d.]+)", packages: (oldest|newest), run: (.*?) \}')


def oldest():
    """Return the oldest promised versions of the packages, as constraints for pip."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return "\n".join(package.replace(">=", "==") for package in project["dependencies"])


def interpreter(version):
    """Return the path of a Python of that version, of `uv`, `pyenv` or the search path; None without one."""
    found = [shutil.which(f"python{version}")]
    if shutil.which("uv"):
        asked = ["uv", "python", "find", "--no-python-downloads", version]
        found += subprocess.run(asked, capture_output=True, text=True, check=False).stdout.split()
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found += sorted(pyenv.glob(f"{version}.*/bin/python"))
    return next((str(path) for path in found if path and _runs(path, version)), None)


def _runs(path, version):
    """Return True if a file is a Python of that version; the shims of `pyenv` are there for any."""
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    done = subprocess.run([path, "-c", code], capture_output=True, text=True, check=False)
    return done.stdout.strip() == version


def run(version, packages, command):
    """Run a command of make with a Python and packages; False if it failed, None without such a Python."""
    python = interpreter(version)
    if python is None:
        print(f"skipped: Python {version} with the {packages} packages: no such Python here", flush=True)
        return None
    environment = ROOT / "build" / f"python-{version}-{packages}"
    variables = dict(os.environ)
    if packages == "oldest":
        environment.parent.mkdir(exist_ok=True)
        constraints = environment.with_suffix(".txt")
        constraints.write_text(oldest() + "\n", "utf-8")
        variables["PIP_CONSTRAINT"] = str(constraints)
    print(f"Python {version} with the {packages} packages: {command}", flush=True)
    arguments = [*command.split(), f"PYTHON={python}", f"VENV={environment}"]
    return subprocess.run(arguments, cwd=ROOT, env=variables, check=False).returncode == 0


def main(arguments):
    """Run what is asked for, print a line for each row, and return the exit status."""
    if arguments:
        rows = [(arguments[0], arguments[1], " ".join(arguments[3:]))]
    else:
        rows = ROW.findall(FORGE.read_text("utf-8"))
    done = [(row, run(*row)) for row in rows]
    for (version, packages, command), well in done:
        said = {True: "passed", False: "FAILED", None: "skipped"}[well]
        print(f"{said}: Python {version}, {packages} packages, {command}")
    return any(well is False for _, well in done) or (bool(arguments) and done[0][1] is None)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
