"""A short campaign of faults; `make faults` runs the long one."""

import pytest

from tests.helpers.skips import proof
from tests.sweep.campaign import Campaign

pytestmark = pytest.mark.slow
OF_EVERY_DAY = [("two_drivers", ()), ("disk_full", ()), ("workers_killed", (1,))]
OF_PROOF = [("drivers_killed", (3,)), ("scheduler_killed", (1,))]


@pytest.fixture(scope="module")
def campaign(tmp_path_factory):
    return Campaign(tmp_path_factory.mktemp("campaign"), seed=5, workers=1)


@pytest.mark.parametrize(("fault", "times"), [*OF_EVERY_DAY, *proof(*OF_PROOF)])
def test_a_fault_ends_in_the_same_bytes_or_in_one_message(campaign, fault, times):
    if "scheduler" in fault:
        pytest.importorskip("distributed")
    assert getattr(campaign, fault)(*times)
