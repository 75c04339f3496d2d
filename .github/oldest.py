"""Print the oldest version of each package that `pyproject.toml` promises to work with, as constraints for pip."""

import tomllib
from pathlib import Path

PROJECT = tomllib.loads(Path(__file__).parents[1].joinpath("pyproject.toml").read_text("utf-8"))["project"]

print(*(each.replace(">=", "==") for each in PROJECT["dependencies"]), sep="\n")
