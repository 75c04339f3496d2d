"""The frame of a comparison on several targets says which rows are means."""

import analyser

RIFLES = ["crown/sharp-rifles@basic", "crown/rifle-platoon@reinforced"]
TARGETS = ["imperium/krupp@basic", "imperium/scion-grenadier-p@basic"]


def test_rows_of_the_mean_are_told_apart_from_those_of_targets():
    found = analyser.compare(RIFLES, TARGETS, weights=[2, 1])
    frame = found.to_frame()
    assert frame["is_mean"].tolist() == [False] * 4 + [True] * 2
    assert list(frame.columns[:3]) == ["target", "weight", "is_mean"]
    assert set(frame["target"][frame["is_mean"]]) == {"mean"}
    assert list(frame[~frame["is_mean"]].groupby("target").size()) == [2, 2]
    means = frame[frame["is_mean"]].set_index("loadout")["mean_models_destroyed"]
    targets = frame[~frame["is_mean"]]
    weighed = (targets["mean_models_destroyed"] * targets["weight"]).groupby(targets["loadout"]).sum() / 3
    assert (weighed - means).abs().max() < 1e-12
