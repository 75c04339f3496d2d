"""Pages of the documentation beside what the program says."""

import pytest


def assert_part_of(shown, whole, place="result"):
    """What is `shown` stands in `whole`: keys by name, entries of a list anywhere in it."""
    if isinstance(shown, dict):
        for key, value in shown.items():
            assert_part_of(value, whole[key], f"{place}.{key}")
    elif isinstance(shown, list) and any(isinstance(entry, dict) for entry in shown):
        for entry in shown:
            assert any(entry == pytest.approx(other, abs=1e-12) for other in whole), f"{place}: {entry}"
    elif isinstance(shown, float):
        assert shown == pytest.approx(whole, abs=1e-12), place
    else:
        assert shown == whole, place
