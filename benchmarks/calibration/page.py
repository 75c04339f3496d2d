"""`docs/calibration.md` and its picture, written from the results: every number in them comes from the run."""

import matplotlib.pyplot as plt
import numpy as np
from scipy import stats

from analyser.plots import look
from benchmarks.calibration.coverage import METHODS, covered
from benchmarks.calibration.races import AHEAD, VARIANTS
from benchmarks.calibration.samples import REFERENCE
from benchmarks.calibration.streams import SUSPICIOUS, TESTS

PAGE = """# Whether the intervals keep their word

<!-- Written by `make calibration`; change benchmarks/calibration/page.py, not this file. -->

Every number of a sample has a 95% interval. This page says how often such intervals contain the truth, which is known
here: from the binomial law, and from samples of questions that are also answered exactly. The aim is 94.5 to 97%.

{verdict}

## By how many events are expected

What intervals cover in {law_trials:,} trials, summed over the binomial law, no sampling; the least, the mean and the
most over all probabilities in each stretch. *Shown* is what `analyser` gives: Blaker's interval where an event was
seen, or missing, in fewer than 200 trials, Wilson's elsewhere. Answers name it beside each number (`interval`).

{by_expected}

![What intervals cover against how many events are expected](images/calibration.png)

Below eight expected events more than 97% are covered here and there. No interval that goes by the count alone can do
better: counts are whole numbers, and with one event expected, say, the counts 0 to 2 have 92.0% and 0 to 3 have 98.1%.
Wilson's falls short there ({wilson_one:.1f}% from one to three events, {wilson_rare:.1f}% below one), and so does the
mid-p interval ({mid_p:.1f}%); Clopper and Pearson's never does, but covers {clopper:.1f}% on average from one to three
events, where Blaker's, which lies inside of it and never covers less than 95% either, covers {blaker:.1f}%. From 200
events on Wilson's is within half a percentage point, and takes no time.

In few trials, over all probabilities from 0.001 to a half:

{small}

## Samples of every kind of question

{trials:,} trials each, with another seed each time, of a question of every kind; every event, and *at least so much* of
every figure, that {trials:,} trials see at least half a time. *Ranks* says how far the distribution of the ranks of the
counts in their exact laws is from uniform, at most, over all chances of the question; the band is where the greatest of
so many would be in 95% of campaigns if all laws were right (Dvoretzky, Kiefer, Wolfowitz; Bonferroni).
A share of 100,000 samples is known to within 0.14 percentage points, of 10,000 to within 0.43.
{battles}
{kinds}

{outside}

By how many events each chance was expected to have (or to lack), over all kinds:

{stretches}

Means, with 1.96 standard errors on either side; beside each, in how many of the {trials:,} trials its figure is
expected not to be what it is most often. Where these are some tens or fewer, a mean hangs on a few events, and so does
its standard error: the normal law does not hold there, and fewer are covered. Answers give such means another interval:
of two possible values that of the probability, of more Gaffke's, which allows for values that were not seen and
covers 95% or more; `thin_means` names them.

{means}

## Races: is the best the best?

A search by a race (`analyser compare variants --method race`, [Ask further](ask.md)) says that the best it names
is wrong in at most 5% of searches. Here the best is known: {number_of_races:,} races each of {variants}
planted chances and of as many planted means, from 0.2 to 0.5,
the best ahead of the next by {ahead}; and of {attacks} attacks that are also
answered exactly, played with the same dice. *Lost*: the best has dropped out, or another is named. *All hold*: every
confidence sequence contains its truth when its variant was last played.

{races}

The intervals shall hold for all variants at every stage together, whoever stops when; so they are wide, and fail less
often than they may.

## The random words

{streams}

Written on {date}, by `make calibration`, of analyser {version}.
"""
_BATTLES = """Battles of whole armies have no exact answer: in its place stands a sample of {reference:,} battles, whose
own error is 4% of an interval's half width, which can cost a tenth of a percentage point of what is covered; *ranks*,
where it would be seen, are not told there. They take the longest by far, and their counts are of the same
kind as all others, so they have the fewest samples.
"""
_NO_BATTERY = "dieharder is not installed where this was written: no battery was run."
_BATTERY = """Tests of dieharder on the words as the kernels draw them (SplitMix64 by counter, 64 bits each, read as two
of 32): those of one chunk, those of 16 neighbouring chunks word by word in turn, and of 16 neighbouring seeds. Of
{number} p-values the smallest is {least:.2g} and the greatest {most:.4f}; {outside} are nearer than {suspicious:g} to 0
or 1. Other suites (PractRand, TestU01) were not run.

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
        return "Everywhere 94.5 to 97% are covered."
    said = """Outside 94.5 to 97% are these. Counts are whole numbers, so that of rare events more are covered by law;
what the law has inside is outside by chance, as a share of so many samples is no better known.
"""
    return f"{said}\n{table(['question', 'chance', 'events expected', 'covered', 'by law'], rows)}"


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
        f"By law nowhere is less than {100 * least:.2f}% covered. From {max(beyond):g} expected events on it is at "
        "most 97%;\nbelow that it is more for some probabilities, for a reason that is given."
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
