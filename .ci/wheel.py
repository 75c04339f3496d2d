"""Try a built wheel: `python .ci/wheel.py dist/*.whl` installs it without the checkout, and runs the README's commands.

What a wheel must have: the version of `pyproject.toml`, all profiles, the module of the browser, at most `MOST_BYTES`.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
MOST_BYTES = 4_000_000
FEWEST_COMMANDS = 10
FEWER = {"battle": ["--trials", "500"], "balance": ["--situations", "long-range"]}  # options of what takes minutes
ANSWER = "78.38%"  # of the README's lines of Python


def problems(wheel):
    """Return what is wrong with the content of a wheel."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    inside = set(zipfile.ZipFile(wheel).namelist())
    profiles = {f"analyser/{path.relative_to(ROOT).as_posix()}" for path in (ROOT / "profiles").rglob("*.toml")}
    wanted = {*profiles, "analyser/py.typed", "analyser/web/calculator.wasm"}
    found = [f"it lacks {name}" for name in sorted(wanted - inside)]
    if not wheel.name.startswith(f"analyser-{version}-"):
        found.append(f"it is not version {version}")
    if (size := wheel.stat().st_size) > MOST_BYTES:
        found.append(f"it has {size:,} bytes (allowed: up to {MOST_BYTES:,})")
    return found


def commands():
    """Return the README's command lines as words, with options that make them quick."""
    text = (ROOT / "README.md").read_text("utf-8")
    lines = re.findall(r"^analyser .*", "\n".join(re.findall(r"^```sh\n(.*?)^```$", text, re.M | re.S)), re.M)
    return [[*(words := shlex.split(line, comments=True)), *FEWER.get(words[1], [])] for line in lines]


def programme():
    """Return the README's lines of Python."""
    return re.search(r"^```python\n(.*?)^```$", (ROOT / "README.md").read_text("utf-8"), re.M | re.S)[1]


def installed(wheel, folder):
    """Install a wheel into an empty environment, and return the folder of its commands."""
    venv.create(folder, with_pip=True)
    place = folder / ("Scripts" if os.name == "nt" else "bin")
    subprocess.run([place / "python", "-m", "pip", "install", "--quiet", wheel.resolve()], check=True)
    return place


def main(wheel):
    """Print what is wrong with a wheel, and return the exit status."""
    found = problems(wheel)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        place = installed(wheel, folder / "environment")
        shutil.copytree(ROOT / "notebooks" / "armies", folder / "notebooks" / "armies")
        clean = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
        lines = [*commands(), ["python", "-c", programme()]]
        for words in lines:
            command = [place / words[0], *words[1:]]
            done = subprocess.run(command, cwd=folder, env=clean, capture_output=True, text=True, check=False)
            out = folder / words[words.index("--out") + 1] if "--out" in words else None
            if done.returncode != 0 or not (done.stdout.strip() or (out and out.exists())):
                found.append(f"{shlex.join(words)}: exit status {done.returncode}: {done.stderr.strip()[-500:]}")
        if ANSWER not in done.stdout:
            found.append(f"the README's attack is {done.stdout.strip()}, not {ANSWER}")
    if len(lines) < FEWEST_COMMANDS:
        found.append(f"the README has only {len(lines)} examples (at least {FEWEST_COMMANDS})")
    print(*(f"error: {wheel.name}: {each}" for each in found), sep="\n", end="\n" if found else "")
    if not found:
        print(f"{wheel.name}: {wheel.stat().st_size:,} bytes, {len(lines)} examples of the README answered")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
