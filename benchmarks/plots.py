"""Cost against dice and against trials, for print: black, grey and shapes, no colour needed."""

from pathlib import Path

import matplotlib as mpl

from benchmarks.montecarlo import BARE, ONE, TWO

mpl.use("Agg")

LINES = {ONE: ("black", "-", "o"), TWO: ("black", "--", "s"), BARE: ("0.55", ":", "^")}
DICE_TRIALS = 10**7
SHADES = {3: "0.65", 10: "0.35", 24: "0"}
MARKS = {3: "^", 10: "o", 24: "s"}


def axes(xlabel, ylabel):
    from matplotlib.figure import Figure

    ax = Figure(figsize=(6.4, 4.0), layout="constrained").subplots()
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.grid(color="0.88", linewidth=0.6)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def against_dice(ladder):
    """Nanoseconds an attack against dice of the first roll; bars are the middle half of the rounds."""
    ax = axes("dice of the first roll", "nanoseconds an attack")
    cells = sorted((each for each in ladder if each["trials"] == DICE_TRIALS), key=lambda each: each["dice"])
    for name, (colour, line, marker) in LINES.items():
        draw(ax, [each["dice"] for each in cells], cells, name, color=colour, linestyle=line, marker=marker, label=name)
    ax.set(xlim=(0, None), ylim=(0, None))
    ax.legend(frameon=False)
    return ax.figure


def against_trials(ladder):
    """Nanoseconds an attack against the number of attacks."""
    ax = axes("attacks in one call", "nanoseconds an attack")
    for dice, shade in SHADES.items():
        cells = sorted((each for each in ladder if each["dice"] == dice), key=lambda each: each["trials"])
        for name, line in ((ONE, "-"), (TWO, "--")):
            label = f"{dice} dice, {name.split(', ')[1]}"
            xs = [each["trials"] for each in cells]
            draw(ax, xs, cells, name, color=shade, linestyle=line, marker=MARKS[dice], label=label)
    ax.set(xscale="log", yscale="log")
    ax.legend(frameon=False, ncols=2)
    return ax.figure


def draw(ax, xs, cells, name, **style):
    found = [each["seconds_an_attack"][name] for each in cells]
    middle = [each["median_s"] * 1e9 for each in found]
    low = [(each["median_s"] - each["quartile_1_s"]) * 1e9 for each in found]
    high = [(each["quartile_3_s"] - each["median_s"]) * 1e9 for each in found]
    ax.errorbar(xs, middle, yerr=[low, high], capsize=2, markersize=5, linewidth=1.3, **style)


def save(ladder, folder: Path):
    """Both pictures, as PNG files."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw_picture in (("cost-against-dice", against_dice), ("cost-against-trials", against_trials)):
        draw_picture(ladder).savefig(folder / f"{name}.png", dpi=160, metadata={"Software": None})
