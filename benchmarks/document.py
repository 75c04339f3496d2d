"""`docs/performance.md`, written from the results: every number in it comes from the run."""

from benchmarks import tables
from benchmarks.fights import PLAIN_DICE
from benchmarks.montecarlo import NUMPY, NUMPY_TUNED, ONE, PURE_PYTHON

PAGE = """# How fast it is

<!-- Written by `python -m benchmarks --write-docs`; change benchmarks/document.py, not this file. -->

On one thread `analyser.simulate` plays {rate} million attacks a second ({dice} dice, improved rating), every die
drawn separately and every attack carried through to what becomes of the unit. That is {over_numpy} times as fast as
vectorised NumPy ({over_tuned} times as fast as the best NumPy we could write) and {over_python} times as fast as a
loop in pure Python; a second thread makes it {two_over_one} times as fast again. `analyser.exact` gives the full
joint distribution of the same attack in {exact}.

Taken on: {machine}. {versions}.

## Targets

{targets}

## Attacks with every die drawn separately

The plain attack: {dice} dice, improved rating, against 5 models with DEFENCE 2, DAMAGE LIMIT 3, DISCIPLINE 7 and
BREAK LIMIT 2. Every design rolls every die (the first roll, the die that each heroic strike adds, the re-rolls),
counts hits, applies DEFENCE and DAMAGE LIMIT, turns a card for the suppression test, and counts the ends: models
destroyed; suppressed or broken.

{designs}

"NumPy vectorised" states the rules one after the other on arrays. "NumPy, tuned by hand" draws a die and its
re-roll as one number. The bare kernel is the compiled loop called directly, without a scenario,
threads or a result.

### Cost against dice and trials

![Nanoseconds an attack against dice](images/cost-against-dice.png)

![Nanoseconds an attack against trials](images/cost-against-trials.png)

{ladder}

Small calls pay for reading the fight and making the result; the kernel's share grows with the number of attacks.

### What the rules cost

Each variant at {dice} dice on one thread, beside the plain attack with as many dice on average before any re-roll
(whole numbers of dice on both sides, straight line between them).

{variants}

Pools with extra re-rolls (AC-3.5) or Overcharge (AC-6) are rolled in another order. First the dice of the first roll,
each compared with four or six marks instead of two: the dice that wait for a re-roll and the blanks are counted too.
Then as many added dice as trials seldom need more of, two standard deviations above the mean; they count where they
are due, and the few trials that need more roll on one by one. Then a die for each re-roll that is allowed.

## The limit of the random numbers

The generator alone fills a buffer in the first-level cache with {words_rate} million words of 64 bits a second on
one thread. An attack of {dice} dice takes {words} words: a draw of 16 bits for each die, good for its face, its
re-roll, and the die that its heroic strike adds with a re-roll of that; and one for the card. Draws that would make
some faces likelier are thrown away, with their trial. So random numbers alone would allow {limit} million attacks a
second, and the public call reaches {share} of that. The rest goes into comparing: each draw with eight thresholds,
since what a die is worth is a step function of its draw, and into counting, which has no vector form.

What vectors of 512 bits make faster, and what is left without them; each in a process of its own, the same bits:

{processors}

{statistics}{longer_fights}{best_play}{battles}{morale}{verdict}{asking}{stores}## Exact

{exact_table}

The peers give the distribution of hits alone; none of them knows what becomes of the unit.

{sweeps}

## First answers

Whole processes, the median of some. What has no compiled kernel on the machine yet is answered by the interpreter
where that is the faster way; only loops over many trials are compiled first.

{first_answers}

A call of `simulate` with a scenario that has been loaded, 10^4 trials: {overhead}.

## Memory

{memory}

## How it is measured

- `make bench` (or `python -m benchmarks`) measures everything on this page and writes
  `benchmarks/results/latest.json`; `python -m benchmarks --write-docs` then writes this page from it.
- Compiling, reading scenarios and making tables happen before the timer starts; each candidate runs once untimed.
- All candidates of a table take turns in one run, in an order that rotates, so that whatever slows the machine
  slows all of them alike. A figure is the median over the rounds, with the middle half of the rounds beside it.
- A ratio is the median of the ratios within the rounds, not the ratio of two medians.
- Each baseline is checked against the exact distribution in `tests/benchmarks`, each variant of the kernel in
  `tests/engine/pool`.
"""

LONGER_FIGHTS = """## Longer fights

The duel that is timed: two units of twelve models, six rounds, both aim and shoot, A first; a die for every die and a
card for every test, by `analyser.duel`'s engines and by loops that state the rules one after the other
(`benchmarks/baselines/duels`).

{duels}

What follows from a roll is worked out when it first comes up, and looked up by all other duels. They are played one by
one; scores are drawn from tables of their exact distributions, cards from decks.

{exact}

"""

BATTLES = """## Battles

Two lines of twelve equal units that advance, aim and shoot for six rounds, with two real decks and two hands, by
`analyser.battle`'s engine, by vectorised NumPy (the next activation of all battles at once) and by a loop in pure
Python, which both state the rules one after the other (`benchmarks/baselines/battles`).

{table}

"""

BEST_PLAY = """## Best play

Value and plan of a duel of which both sides play best (see [best play](best-play.md)): rifles against grenadiers of
the shipped profiles, a toss each round, kernels compiled, one thread. What can come of a round is worked out once for
all rounds. The command `analyser best` for six of them against six takes {warm} as a whole process, {cold} where no
kernel is compiled; all {duels} duels of Crown and Imperium at basic level take {pairs}, two at once.

{table}

"""

MORALE = """## Morale in other games

Each question is answered exactly, and rolled beside vectorised NumPy (`benchmarks/baselines/morale`), which states the
rules one after the other on arrays. Trials in the same state are one group, whose totals are multinomial and drawn by
NumPy.

{table}

"""

VERDICT = """## The verdict

What the shipped loadouts should cost, once their game is there; what a change of one of them does, from Python with
every fight fought, and as a whole process; and what one price did between two versions of three factions, as a whole
process. Kernels are compiled before. The first process of a kind finds no fight kept, those after it find them;
a change that nobody has asked about is fought, the same change again is not.

{table}

"""

STORES = """## Sweeps

Cells of a design space written into a store of Parquet ([sweeps](sweeps.md)): rates by processor seconds of the workers
without the first part of each, which pays for its start; two workers over one by the clock, too.
Attacks: every loadout, with its dice changed, on every loadout with 1,080 combinations of numbers.

{table}

"""

ASKING = """## Asking further

The certified best of many variants (see [asking further](ask.md)), one thread, kernels compiled, the least of three:
attacks of all Crown loadouts, exactly; duels with real decks by a race, whose work hangs on how near the best are to
each other. Variants that are the same fight are worked out once.

{table}

"""

STATISTICS = """### Whether the dice are fair

`python -m benchmarks --statistics` counts faces and pairs of faces and tests them by chi-square; p-values should be
spread evenly between 0 and 1.

{table}

"""


def page(results):
    """The whole page."""
    designs, faster = results["designs"], results["designs"]["times_as_fast"]
    words = designs["words"]
    a_word = words["seconds_a_word"]["median_s"]
    ten = next(each for each in results["exact"] if each["dice"] == PLAIN_DICE)["seconds_a_call"]
    return PAGE.format(
        dice=PLAIN_DICE,
        rate=tables.millions(designs["seconds_an_attack"][ONE])[0],
        over_numpy=tables.times(faster[NUMPY]),
        over_tuned=tables.times(faster[NUMPY_TUNED]),
        over_python=tables.times(faster[PURE_PYTHON]),
        two_over_one=tables.times(designs["two_threads_over_one"]),
        exact=tables.time(next(iter(ten.values()))["median_s"]),
        machine=machine_line(results["machine"]),
        versions=", ".join(f"{name} {version}" for name, version in results["versions"].items()),
        targets=tables.of_targets(results["targets"]),
        designs=tables.of_designs(designs),
        ladder=tables.of_ladder(results["ladder"]),
        variants=tables.of_variants(results["variants"]),
        words_rate=f"{1e-6 / a_word:.0f}",
        words=f"{words['an_attack']:.2f}",
        limit=f"{1e-6 / a_word / words['an_attack']:.0f}",
        share=f"{words['share_of_limit']['median']:.0%}",
        statistics=statistics_section(results),
        longer_fights=longer_fights_section(results),
        best_play=best_play_section(results),
        battles=battles_section(results),
        morale=morale_section(results),
        verdict=verdict_section(results),
        stores=stores_section(results),
        asking=asking_section(results),
        exact_table=tables.of_exact(results["exact"]),
        sweeps=tables.of_sweeps(results),
        first_answers=tables.of_first_answers(results["first_answers"]),
        overhead=tables.time(results["first_answers"]["overhead_s"]),
        memory=tables.of_memory(results["memory"]),
        processors=tables.of_processors(results["processors"]),
    )


def machine_line(machine):
    return f"{machine['processor']}, {machine['processors']} processors, {machine['system']}, {machine['vectors']}"


def longer_fights_section(results):
    found = results.get("longer_fights")
    return LONGER_FIGHTS.format(duels=tables.of_duels(found), exact=tables.of_exact_fights(found)) if found else ""


def best_play_section(results):
    found = results.get("best_play")
    if not found:
        return ""
    process, pairs = found["process"], found["pairs"]
    return BEST_PLAY.format(
        table=tables.of_best_play(found),
        warm=tables.time(process["warm_s"]),
        cold=tables.time(process["cold_s"]),
        duels=pairs["duels"],
        pairs=tables.time(pairs["wall_s"]),
    )


def battles_section(results):
    found = results.get("battles")
    return BATTLES.format(table=tables.of_battles(found)) if found else ""


def morale_section(results):
    found = results.get("morale")
    return MORALE.format(table=tables.of_morale(found)) if found else ""


def verdict_section(results):
    found = results.get("verdict")
    return VERDICT.format(table=tables.of_verdict(found)) if found else ""


def stores_section(results):
    found = results.get("stores")
    return STORES.format(table=tables.of_stores(found)) if found else ""


def asking_section(results):
    found = results.get("asking")
    return ASKING.format(table=tables.of_asking(found)) if found else ""


def statistics_section(results):
    found = results.get("statistics")
    return STATISTICS.format(table=tables.of_statistics(found)) if found else ""
