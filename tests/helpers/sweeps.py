"""A small sweep, and an executor that works at once."""

from concurrent.futures import Executor, Future

PLAN = {
    "name": "small",
    "situations": ["long-range", "short-range-aimed"],
    "figures": ["mean_models_destroyed", "p_annihilated", "mean_damage"],
    "part_cells": 150,
    "attackers": {"units": ["crown/rifle-p*", "imperium/krupp*"]},
    "defenders": {"units": ["imperium/*", "crown/rifle-p*"], "levels": "basic", "defence": "1..4"},
}


def names_in(folder):
    return sorted(str(path.relative_to(folder)) for path in (folder / "parts").rglob("*.parquet"))


class Inline(Executor):
    """Works when it is asked to; now and then something is lost: what `fate` says of each piece of work."""

    def __init__(self, fate=lambda count: None):
        self.fate, self.count = fate, 0

    def submit(self, work, /, *arguments, **keys):
        self.count += 1
        future = Future()
        problem = self.fate(self.count)
        if problem is not None:
            future.set_exception(problem)
        else:
            try:
                future.set_result(work(*arguments, **keys))
            except Exception as error:
                future.set_exception(error)
        return future
