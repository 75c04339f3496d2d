"""`docs/calibration.md` and its picture, written from the results: every number in them comes from the run."""

import matplotlib.pyplot as plt
import numpy as np
from scipy import stats

from analyser.common import look
from benchmarks.calibration.coverage import METHODS, covered
from benchmarks.calibration.races import AHEAD, VARIANTS
from benchmarks.calibration.samples import REFERENCE
from benchmarks.calibration.streams import SUSPICIOUS, TESTS

PAGE = """# Calibration

<!-- Written by `make calibration`; change benchmarks/calibration/page.py, not this file. -->

Every simulated number has a 95% interval. This page shows how often these intervals contain the truth, which is known
here from the binomial distribution, or from an exact answer. The aim is 94.5 to 97%.

{verdict}

## Coverage by expected events

The table has the coverage in {law_trials:,} trials, summed over the binomial distribution: least, mean and greatest
over all probabilities of a row. *Shown* is the interval that `analyser` gives. It is Blaker's interval if the event
was seen, or missing, in fewer than 200 trials, and Wilson's otherwise. Answers name it (`interval`).

{by_expected}

![What intervals cover against how many events are expected](images/calibration.png)

Below eight expected events the coverage sometimes exceeds 97%. No interval based on the count can avoid that: with
one event expected, the counts 0 to 2 have 92.0% and the counts 0 to 3 have 98.1%. Wilson's interval falls short there
({wilson_one:.1f}% from one to three events, {wilson_rare:.1f}% below one), and so does the mid-p interval
({mid_p:.1f}%). Clopper and Pearson's covers {clopper:.1f}% on average from one to three events, Blaker's
{blaker:.1f}%, and neither ever less than 95%. From 200 events Wilson's interval is within half a percentage point.

The next table is for few trials, over all probabilities from 0.001 to a half:

{small}

## Samples of every kind of question

Each sample has {trials:,} trials and its own seed. Counted are all events, and *at least so much* of all figures,
with at least half an expected event. *Ranks* is the greatest distance from uniform of the ranks of the counts in
their exact distributions. The band would hold it in 95% of campaigns (Dvoretzky, Kiefer, Wolfowitz; Bonferroni). A
share of 100,000 samples is known to within 0.14 percentage points, of 10,000 to within 0.43. {battles} {kinds}

{outside}

Coverage by the number of events expected, or expected to be missing, over all kinds:

{stretches}

The next table has means with 1.96 standard errors on either side. *Trials unlike most* is the expected number of
trials, of {trials:,}, in which the figure differs from its most frequent value. If these are few, a mean rests on a
few events, its distribution is not normal, and the coverage is low. Answers give such means another interval, and
`thin_means` lists them. It is that of the probability if two values are possible, and otherwise Gaffke's, which
covers 95% or more.

{means}

## Races

A [search by a race](compare.md#the-best-of-a-thousand-variants) names a wrong best in at most 5% of searches. Here
the best is known. There are {number_of_races:,} races each of {variants} planted probabilities and of as many planted
means, from 0.2 to 0.5, with the best ahead by {ahead}, and races of {attacks} attacks with exact answers. *Lost*
means that the best dropped out or another was named. *All hold* means that every confidence sequence contains its
truth at its last stage.

{races}

The intervals must hold for all variants at every stage together, so they are wide and fail less often than allowed.

## Random numbers

{streams}

Written on {date}, by `make calibration`, of analyser {version}.
"""
_BATTLES = """Battles have no exact answer. A sample of {reference:,} battles replaces it; its error is 4% of an
interval's half width and can cost a tenth of a percentage point of coverage. Battles have the fewest samples, because
they take longest, and no ranks.
"""
_NO_BATTERY = "dieharder is not installed where this was written: no battery was run."
_BATTERY = """Dieharder tested the words as the kernels draw them (SplitMix64 by counter, 64 bits, read as two of 32):
one chunk, 16 neighbouring chunks in turn, and 16 neighbouring seeds. The smallest of {number}
p-values is {least:.2g}, the greatest {most:.4f}; {outside} are nearer than {suspicious:g} to 0 or 1. Other suites
(PractRand, TestU01) were not run.

{table}"""


def table(head, rows):
    """A table in Markdown; the first column to the left."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def percent(share):
    return f"{100 * share:.2f}%"


def _span(three):
    """The least, the mean and the greatest of coverage."""
    return " / ".join(f"{100 * share:.1f}" for share in three)


_HEAD = ["shown", "Wilson", "Clopper-Pearson"]
_NAMES = ("shown", "wilson", "clopper_pearson")


def _stretches(results):
    """What was covered by how many events were expected, over all kinds."""
    rows = []
    for stretch in results["by_expected"]:
        least, most = stretch["least"], stretch["most"]
        inside = [
            chance
            for kind in results["kinds"].values()
            for chance in kind["chances"]
            if least <= chance["expected"] < most or (most == 1000 and chance["expected"] >= most)
        ]
        if inside:
            spans = []
            for name in _NAMES:
                found = [chance["covered"][name] for chance in inside]
                spans.append(_span((min(found), sum(found) / len(found), max(found))))
            until = "more" if most == 1000 else f"{most:g}"
            rows.append([f"{least:g} to {until}", len(inside), *spans])
    return table(["events expected", "chances", *_HEAD], rows)


def _kinds(results):
    rows = []
    for kind, found in results["kinds"].items():
        covered = [chance["covered"]["shown"] for chance in found["chances"]]
        expected = min(chance["expected"] for chance in found["chances"])
        off = max(chance["off"] for chance in found["chances"])
        ranks = f"{off:.4f} ({'inside' if off <= found['band'] else 'OUTSIDE'} {found['band']:.4f})"
        ranks = "" if kind == "battle" else ranks
        mean = percent(sum(covered) / len(covered))
        span = f"{percent(min(covered))} to {percent(max(covered))}"
        rows.append([kind, f"{found['seeds']:,}", len(covered), f"{expected:.1f}", mean, span, ranks])
    return table(["question", "samples", "chances", "rarest: events", "covered, mean", "least to most", "ranks"], rows)


def _outside(results):
    """Each chance of which not 94.5 to 97% of the intervals cover the truth, and what the law says of it."""
    rows = [
        [kind, chance["chance"].replace("_", " "), f"{chance['expected']:.1f}", *map(percent, found)]
        for kind, of_kind in results["kinds"].items()
        for chance in of_kind["chances"]
        if not 0.945 <= (found := (chance["covered"]["shown"], chance["by_law"]["shown"]))[0] <= 0.97
    ]
    if not rows:
        return "The coverage is 94.5 to 97% everywhere."
    said = """These are outside 94.5 to 97%. Counts are whole numbers, so intervals of rare events cover more, as the
column *expected* shows. Rows that are inside there are outside by chance.
"""
    return f"{said}\n{table(['question', 'chance', 'events expected', 'covered', 'expected'], rows)}"


def _means(results):
    rows = [
        [kind, each["mean"].replace("_", " "), f"{each['unlike']:,.1f}", percent(each["covered"])]
        for kind, found in results["kinds"].items()
        for each in found["means"]
    ]
    return table(["question", "mean of", "trials unlike most", "covered"], rows)


def _races(results):
    rows = [
        [each["what"], f"{each['races']:,}", *(f"{100 * each[key]:.1f}%" for key in ("lost", "decided", "held"))]
        for each in results["races"]
    ]
    return table(["races of", "number", "the best is lost", "it alone is left", "all hold"], rows)


def _streams(results):
    found = results["streams"]
    if not found:
        return _NO_BATTERY
    p_values = [p for each in found for p in each["p"]]
    sources = list(dict.fromkeys(each["source"] for each in found))
    cells = {(each["source"], each["test"]): ", ".join(f"{p:.3f}" for p in each["p"]) for each in found}
    tests = dict.fromkeys(each["test"] for each in found)
    rows = [[TESTS[test], *(cells.get((source, test), "") for source in sources)] for test in tests]
    outside = sum(min(p, 1 - p) < SUSPICIOUS for p in p_values)
    return _BATTERY.format(
        number=len(p_values),
        least=min(p_values),
        most=max(p_values),
        outside=outside or "none",
        suspicious=SUSPICIOUS,
        table=table(["p-values of", *sources], rows),
    )


def _verdict(results):
    """What the tables come to, in a sentence."""
    least = min(row["shown"][0] for row in [*results["by_expected"], *results["small"]])
    beyond = [row["most"] for row in results["by_expected"] if row["shown"][2] > 0.97]
    return (
        f"The coverage is at least {100 * least:.2f}% everywhere. From {max(beyond):g} expected events it is at most "
        "97%.\n"
        "Below that it exceeds 97% for some probabilities, for the reason below."
    )


def page(results):
    """The page as text."""
    by_expected = [
        [f"{row['least']:g} to {row['most']:g}", *(_span(row[name]) for name in (*_NAMES, "mid_p"))]
        for row in results["by_expected"]
    ]
    small = [[f"{row['trials']:,}", *(_span(row[name]) for name in _NAMES)] for row in results["small"]]
    rare, one = (100 * np.array([row[name] for name in (*_NAMES, "mid_p")]) for row in results["by_expected"][:2])
    return PAGE.format(
        wilson_rare=rare[1, 0],
        wilson_one=one[1, 0],
        mid_p=one[3, 0],
        clopper=one[2, 1],
        blaker=one[0, 1],
        verdict=_verdict(results),
        law_trials=results["law_trials"],
        by_expected=table(["events expected", *_HEAD, "mid-p"], by_expected),
        small=table(["trials", *_HEAD], small),
        trials=results["trials"],
        kinds=_kinds(results),
        outside=_outside(results),
        battles=_BATTLES.format(reference=REFERENCE) if "battle" in results["kinds"] else "",
        stretches=_stretches(results),
        means=_means(results),
        races=_races(results),
        number_of_races=results["races"][0]["races"],
        variants=VARIANTS,
        attacks=VARIANTS + 1,
        ahead=AHEAD,
        streams=_streams(results),
        date=results["date"],
        version=results["version"],
    )


def picture(results, path):
    """What was covered, and by law, against how many events are expected; and the ranks of every count."""
    with look.house_style():
        figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.6), width_ratios=(2, 1), layout="constrained")
        expected = np.geomspace(0.5, 1990, 1500)
        trials = results["trials"]
        styles = {"shown": (look.DARK, 1.4, "shown"), "wilson": (look.MEDIUM, 0.8, "Wilson")}
        for name, (colour, width, label) in styles.items():
            found = covered(METHODS[name], trials, expected / trials, trials)
            left.plot(expected, 100 * found, color=colour, linewidth=width, label=f"{label}, by law", zorder=2)
        chances = [chance for kind in results["kinds"].values() for chance in kind["chances"]]
        points = [[chance["expected"], 100 * chance["covered"]["shown"]] for chance in chances]
        left.scatter(*zip(*points), s=14, facecolor="white", edgecolor="black", label="shown, in samples", zorder=3)
        left.axhspan(94.5, 97, color=look.LIGHT, alpha=0.4, zorder=0)
        left.set(xscale="log", ylim=(88, 100), xlabel="events expected", title="Covered by 95% intervals, in percent")
        left.legend(loc="lower right")
        attack = results["kinds"]["attack"]
        shares = np.array([np.array(chance["ranks"]) / np.mean(chance["ranks"]) for chance in attack["chances"]])
        reach = stats.norm.isf(0.025 / shares.size) * (results["bins"] / attack["seeds"]) ** 0.5
        right.axhspan(1 - reach, 1 + reach, color=look.LIGHT, alpha=0.6, zorder=0, label="all of them, in 95%")
        for each in shares:
            right.stairs(each, np.linspace(0, 1, len(each) + 1), baseline=None, color=look.DARK, linewidth=0.4)
        right.set(
            ylim=(0.9, 1.1), xlabel="rank of the count in its exact law", title="Samples of attacks, over the mean"
        )
        right.legend(loc="lower right")
        figure.savefig(path, dpi=110)
        plt.close(figure)
