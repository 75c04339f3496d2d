"""A report whose fights are handed to an executor that somebody else has begun."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from analyser.report import write_report

pytestmark = pytest.mark.slow
UNITS = "crown/rifle-platoon@*", "imperium/krupp*"
KEPT = ("matchups.csv", "matchups.parquet", "balance.csv", "index.html")


def test_a_report_has_the_same_bytes_whoever_fights(tmp_path):
    with ThreadPoolExecutor(2) as lent:
        for name, executor in (("alone", None), ("lent", lent)):
            write_report(*UNITS, out=tmp_path / name, situations=["long-range"], executor=executor)
    for name in KEPT:
        assert (tmp_path / "lent" / name).read_bytes() == (tmp_path / "alone" / name).read_bytes(), name
