"""A short campaign of faults; `make faults` runs the long one."""

import pytest

from tests.sweep.campaign import Campaign

pytestmark = pytest.mark.slow
SHORT = {
    "two_drivers": (),
    "disk_full": (),
    "workers_killed": (1,),
    "drivers_killed": (3,),
    "scheduler_killed": (1,),
    "dask_workers_killed": (1,),
}
OF_EVERY_DAY = ("two_drivers", "disk_full", "workers_killed")


@pytest.fixture(scope="module")
def campaign(tmp_path_factory):
    return Campaign(tmp_path_factory.mktemp("campaign"), seed=5, workers=1)


@pytest.mark.parametrize(
    "fault", [pytest.param(each, marks=() if each in OF_EVERY_DAY else pytest.mark.proof) for each in SHORT]
)
def test_a_fault_ends_in_the_same_bytes_or_in_one_message(campaign, fault):
    if "dask" in fault or "scheduler" in fault:
        pytest.importorskip("distributed")
    assert getattr(campaign, fault)(*SHORT[fault])
