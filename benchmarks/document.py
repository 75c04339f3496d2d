"""`docs/performance.md`, written from the results: every number in it comes from the run."""

from benchmarks import tables
from benchmarks.fights import PLAIN_DICE
from benchmarks.montecarlo import NUMPY, NUMPY_TUNED, ONE, PURE_PYTHON

PAGE = """# Performance

<!-- Written by `python -m benchmarks --write-docs`; change benchmarks/document.py, not this file. -->

`analyser.simulate` simulates {rate} million attacks a second on one thread ({dice} dice, improved rating). Every die is
drawn separately, and every attack includes the target's test. That is {over_numpy} times as fast as vectorised
NumPy, {over_tuned} times as fast as NumPy tuned by hand, and {over_python} times as fast as a loop in pure Python. Two
threads are {two_over_one} times as fast. `analyser.exact` gives the full joint distribution of the same attack in
{exact}.

Machine: {machine}. {versions}.

## Targets

The targets are goals for the speed of this machine. NO marks a goal that is not reached yet; results do not depend on
it.

{targets}

## Attacks with every die drawn separately

The plain attack has {dice} dice and an improved rating, against 5 models with DEFENCE 2, DAMAGE LIMIT 3, DISCIPLINE 7
and BREAK LIMIT 2. Every implementation draws every die, its re-roll and the added dice, turns a card for the test, and
counts models destroyed, suppressed and broken.

{designs}

"NumPy vectorised" applies the rules one at a time to arrays. "NumPy, tuned by hand" draws a die and its re-roll as
one number. The bare kernel is the compiled loop without a scenario, threads or a result.

### Cost against dice and trials

![Nanoseconds an attack against dice](images/cost-against-dice.png)

![Nanoseconds an attack against trials](images/cost-against-trials.png)

{ladder}

Small calls spend their time on reading the fight and making the result.

### Cost of the rules

Each variant has {dice} dice on one thread. It is compared with a plain attack with the same mean number of dice before
re-rolls (interpolated).

{variants}

## The limit of the random numbers

The generator alone makes {words_rate} million words of 64 bits a second on one thread, and an attack of {dice} dice
needs {words} words. Random numbers alone would thus allow {limit} million attacks a second, and the public call
reaches {share} of that. The table shows the effect of vector instructions; all processors give the same bits.

{processors}

{statistics}{longer_fights}{best_play}{battles}{morale}{verdict}{asking}{stores}## Exact

{exact_table}

The other libraries give the distribution of hits alone, without the fate of the unit.

{sweeps}

## First answers

Times are medians of whole processes. Without a compiled kernel the interpreter answers if that is faster; loops over
many trials are compiled first.

{first_answers}

A call of `simulate` with a loaded scenario and 10^4 trials takes {overhead}.

## Memory

{memory}

## Method

- `make bench` measures everything on this page and writes `benchmarks/results/latest.json`. `python -m benchmarks
  --write-docs` writes this page from it.
- Compiling and reading happen before the timer starts, and each candidate runs once untimed.
- The candidates of a table take turns in a rotating order. A figure is the median over the rounds, with the middle half
  of the rounds beside it; a ratio is the median of the ratios within the rounds.
- Each baseline is checked against the exact distribution in `tests/benchmarks`.
"""

LONGER_FIGHTS = """## Longer fights

The duel has two units of twelve models that aim and shoot for six rounds, A first. The baselines
(`benchmarks/baselines/duels`) state the rules one after the other.

{duels}

{exact}

"""

BATTLES = """## Battles

Two lines of twelve equal units advance, aim and shoot for six rounds, with two real decks and two hands. The
baselines are in `benchmarks/baselines/battles`.

{table}

"""

BEST_PLAY = """## Best play

The table has the value and the plan of a duel with [best play](best-play.md) on both sides: rifles against
grenadiers, a toss each round, compiled kernels, one thread. `analyser best` for six models against six takes {warm}
as a whole process, and {cold} without compiled kernels. All {duels} duels of Crown and Imperium at basic level take
{pairs} on two threads.

{table}

"""

MORALE = """## Morale in other games

Each question is answered exactly, and simulated beside vectorised NumPy (`benchmarks/baselines/morale`). Trials in
the same state are one group with multinomial totals.

{table}

"""

VERDICT = """## Prices

The table has fair points of all shipped loadouts, the effect of one change, and the effect of one price between two
versions of three factions. Kernels are compiled beforehand. The first process of a kind finds no cached fights.

{table}

"""

STORES = """## Sweeps

Rates of [sweeps](sweeps.md) are per processor second of the workers, without the first part of each. The attacks are
every loadout, with its dice changed, on every loadout with 1,080 combinations of numbers.

{table}

"""

ASKING = """## Searches

The table has [searches](compare.md#the-best-of-a-thousand-variants) on one thread with compiled kernels, the minimum
of three runs. The time of a race depends on how close the best variants are to each other.

{table}

"""

STATISTICS = """### Fairness of the dice

`python -m benchmarks --statistics` tests counts of faces and of pairs of faces by chi-square. The p-values should be
uniform between 0 and 1.

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
