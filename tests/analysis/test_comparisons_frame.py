"""The frames that users get: the mean apart from the targets, and levels in their order."""

import analyser

RIFLES = ["crown/sharp-rifles@basic", "crown/rifle-platoon@reinforced"]
TARGETS = ["imperium/krupp@basic", "imperium/scion-grenadier-p@basic"]


def test_the_mean_is_apart_from_the_targets_and_levels_have_an_order():
    found = analyser.compare(RIFLES, TARGETS, weights=[2, 1])
    frame = found.to_frame()
    assert list(frame.groupby("target", observed=True).size()) == [2, 2]
    means = found.mean.to_frame().set_index("loadout")["mean_models_destroyed"]
    weighed = (frame["mean_models_destroyed"] * frame["weight"]).groupby(frame["loadout"], observed=True).sum() / 3
    assert (weighed - means).abs().max() < 1e-12
    assert frame["level"].cat.ordered
    assert (frame["level"].min(), frame["level"].max()) == ("basic", "reinforced")
