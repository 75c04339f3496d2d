"""The frames that users get: tidy, one case a row, texts as categoricals."""

import pandas as pd

import analyser

RIFLES = ["crown/sharp-rifles@basic", "crown/rifle-platoon@reinforced"]
TARGETS = ["imperium/krupp@basic", "imperium/scion-grenadier-p@basic"]


def test_the_mean_is_apart_from_the_targets():
    found = analyser.compare(RIFLES, TARGETS, weights=[2, 1])
    frame = found.to_frame()
    assert list(frame.groupby("target", observed=True).size()) == [2, 2]
    means = found.mean.to_frame().set_index("loadout")["mean_models_destroyed"]
    weighed = (frame["mean_models_destroyed"] * frame["weight"]).groupby(frame["loadout"], observed=True).sum() / 3
    assert (weighed - means).abs().max() < 1e-12


def test_texts_are_categoricals_and_prose_is_left_out():
    for frame in (
        analyser.compare(RIFLES, TARGETS).to_frame(),
        analyser.matchups(RIFLES, TARGETS[0], situations="long-range").to_frame(),
    ):
        assert not {"why_not", "cannot"} & set(frame)
        assert not list(frame.select_dtypes(["object", "str"]))
        assert isinstance(frame["row"].dtype, pd.CategoricalDtype)
        assert frame["dice"].dtype == "Int64"
        levels = next(frame[name] for name in frame if name.endswith("level"))
        assert levels.cat.ordered
        assert (levels.min(), levels.max()) == ("basic", "reinforced")
