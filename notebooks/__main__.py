"""``python -m notebooks [NAME ...]``: run the notebooks and keep their outputs; without a name, all of them."""

from __future__ import annotations

import sys

from notebooks.running import paths, run, write


def main(wanted: list[str]) -> int:
    """Run the notebooks whose names contain one of `wanted`; without `wanted` all."""
    for path in paths():
        if not wanted or any(name in path.name for name in wanted):
            print(f"{path.name} ...", flush=True)
            write(run(path), path)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
